/* SPDX-License-Identifier: BSD-2-Clause */
/* The log of executed instructions (-l). */
#ifndef IA64_LOG_H
#define IA64_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "execute.h"

/* Executes up to `count` instructions, and writes a line for each: bundle, slot, privilege level,
 * predicate; the values of the registers of its r3 and r2 fields before it, and of its r1 field
 * after it (whether it uses them or not); its text. A line for each of its effects follows: a word,
 * and numbers.
 *	load, store, semaphore, prefetch: address, size, level; check: a check load whose register
 *		the ALAT has
 *	fill, spill: of the register stack engine; a fill before an instruction completes the last
 *		one's frame
 *	branch: taken, target, level
 *	interruption: instead of an instruction; the offset of its vector
 * Ends early if `out` has an error. Returns the outcome of ia64_run. */
enum outcome ia64_log(struct machine *m, uint64_t count, FILE *out);

#endif
