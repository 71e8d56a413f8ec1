/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's PMU, which the emulator has (hal/emu/plugin), and the monitor asks through its mailbox. The mailbox is in
 * the memory that the emulator shares: no memory of the image's, whose programs cannot reach it. */
#ifndef HYPER_CALLS_H
#define HYPER_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "mailbox.h"

struct hyper_pmu {
	struct mailbox box;
	struct mailbox_start start;
};

_Static_assert(sizeof(struct hyper_pmu) <= HYPER_FRAME - 0x80000000, "the frame is behind it");

/* Where QEMU's niagara has the memory that it can share: what its partitions would have. */
#define HYPER_PMU ((struct hyper_pmu *)0x80000000)

/* Until the PMU is started there is none, and each access to a register is done and reads 0. */
void hyper_pmu_prepare(void);

/* NULL: done; else why there is none. */
const char *hyper_pmu_start(const char *target, const char *fault);

/* Numbers in the mailbox are little-endian: the processor stores and loads such by an address space of its own. */
#define ASI_PRIMARY_LITTLE 0x88

static inline void hyper_pmu_put(uint64_t *to, uint64_t value)
{
	__asm__ volatile("stxa %r0, [%1] %2" : : "rJ"(value), "r"(to), "i"(ASI_PRIMARY_LITTLE) : "memory");
}

/* Says, beside the next call, how many instructions the guest has executed. */
static inline void hyper_pmu_say_executed(uint64_t instructions)
{
	hyper_pmu_put(&HYPER_PMU->box.executed, instructions);
}

/* What follows is as in vpmu.h. The writing instruction of the writes is part of them. */
void hyper_pmu_run(uint64_t cycles);
void hyper_pmu_commit(void);
bool hyper_pmu_report_next(uint32_t instruction);	/* whether it is a next-to-commit one */
void hyper_pmu_drop_reported(void);
bool hyper_pmu_read(uint32_t address, uint64_t *value);
bool hyper_pmu_write(uint32_t address, uint64_t value);
bool hyper_pmu_read_counter(uint32_t index, uint64_t *value);
bool hyper_pmu_write_counter(uint32_t index, uint64_t value);
void hyper_pmu_set_level(unsigned level);
void hyper_pmu_change_level(unsigned level);
void hyper_pmu_set_halted(bool halted);
void hyper_pmu_take_request(void);

/* Whether an event ever happens (MAILBOX_HAPPENS). */
bool hyper_pmu_event_happens(uint32_t event);

/* The answers that each call changes. */
uint64_t hyper_pmu_headroom(void);

static inline bool hyper_pmu_has_request(void)
{
	return HYPER_PMU->box.demands.request;
}

/* Whether a precise trap is due, once. */
static inline bool hyper_pmu_take_precise(void)
{
	const bool due = HYPER_PMU->box.precise;

	HYPER_PMU->box.precise = false;
	return due;
}

#endif
