/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of known number and effect, for self tests, benchmarks and workloads only. A
 * function whose comment begins with processors exists in their backends and in the shim only. */
#ifndef STIMULUS_H
#define STIMULUS_H

#include <stdbool.h>
#include <stdint.h>

/* Executes n instructions (n >= 2) plus a constant number; hal_execute_user does so at the lowest
 * privilege level. */
void hal_execute(uint64_t n);
void hal_execute_user(uint64_t n);

/* Writes `first` to control register `address`, executes exactly n instructions (n >= 8), writes
 * `second`. False: a write faulted; if it was the first one, the function returned at once. */
bool hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n);

/* SPARC: hal_execute in privileged mode, below hyperprivileged. */
void hal_execute_privileged(uint64_t n);

/* Loads one byte from each of `lines` consecutive lines of 64 bytes (at most HAL_LINES_MOST), in
 * memory that every privilege level may read. A cache of less than 64 lines bytes cannot hold them
 * all. */
#define HAL_LINES_MOST	16384
void hal_read_lines(uint64_t lines);

/* SPARC T4: rounds (1 or more) of known code. Each round consists of these instructions in this
 * order, followed by the delay slot of HAL_TAKEN. HAL_COUNTED is SETHI %hi(FC000H), %g0, the
 * software count instruction. HAL_TAKEN branches to the round's beginning; it is not taken in the
 * last round. */
enum hal_kind {
	HAL_COUNTED, HAL_ATOMIC, HAL_PREFETCH, HAL_BLOCK_STORE, HAL_LOAD, HAL_STORE,
	HAL_STATE_WRITE, HAL_NOT_TAKEN, HAL_DELAY_SLOT, HAL_ARITHMETIC, HAL_TAKEN
};
void hal_execute_kinds(uint64_t rounds);
uint64_t hal_kind_address(enum hal_kind kind);	/* of the round's instruction */

/* SPARC T4: conditional branches (1 or more) with pseudo-random directions, some of which every
 * predictor gets wrong; and code of more lines than the first-level instruction cache holds, each
 * with one jump, to the next line. */
void hal_execute_random(uint64_t branches);
void hal_execute_far(void);

/* SPARC T4: stores 64 undefined bytes to each of `lines`, from `address` on, which is aligned to
 * 64; the data bypasses the caches. */
void hal_write_lines(uint64_t address, unsigned lines);

/* Itanium, SPARC: reg_read_counter, executed at the lowest privilege level, to which these
 * processors can deny the counters. False: the access trapped. */
bool hal_read_counter_user(uint32_t index, uint64_t *value);

/* SPARC: the same in privileged mode, and a write of a counter at the lowest level. */
bool hal_read_counter_privileged(uint32_t index, uint64_t *value);
bool hal_write_counter_user(uint32_t index, uint32_t value);

/* x86: executes SPFLT, at any privilege level. It turns the calling thread's user filter on or off,
 * which enables counters that follow it (EVENT:spflt). False: the processor has no such
 * instruction. */
bool hal_spflt(bool count);

/* Itanium: loads from an address whose line is in no cache, and executes some more instructions
 * until the load is served. */
void hal_load(const volatile uint64_t *address);

#endif
