/* SPDX-License-Identifier: BSD-2-Clause */
/* What the PMU core keeps for each CPU: for the core and the overflow interrupt. */
#ifndef CPU_H
#define CPU_H

#include "hal.h"
#include "pmu.h"
#include "ring.h"

/* Overflow status is read and served this often in one interrupt; what still overflows then is throttled. */
#define PMU_ROUNDS 4

/* Distance of a sample that is never taken, from any count. */
#define PMU_NEVER_DUE (UINT64_MAX >> 1)

struct pmu_cpu {
	const struct pmu_driver *driver;
	uint64_t enabled;			/* counters that count, or are frozen while an interrupt is served */
	uint64_t taken;				/* counters that sessions have */
	uint32_t sessions;			/* opened so far */

	/* Interrupts that may still come before the time since window_start is looked at. */
	uint32_t interrupts_left, window_interrupts;
	uint64_t window_start, window_clocks;

	struct pmu_statistics statistics;
	struct pmu_counter *counter[PMU_COUNTER_NUMBERS];	/* of open sessions */
	struct pmu_session *open;				/* the sessions */
	struct pmu_cpu *selected;		/* what pmu_select has chosen: this, or the package's */
	hal_pmi_function *shared_interrupt;	/* called when the package's PMU has signalled; NULL: none has begun */
	struct pmu_ring ring;
};

extern struct pmu_cpu pmu_cpus[HAL_CPUS];

/* Collects the settings that a session's events need, its counters being assigned, and writes them. */
enum pmu_error pmu_settings_open(const struct pmu_cpu *cpu, struct pmu_session *session,
				 const struct event_request *requests, struct pmu_refusal *refusal);

/* Takes back those that no other open session needs. False: a register access faulted. */
bool pmu_settings_close(const struct pmu_cpu *cpu, const struct pmu_session *session);

/* Writes them once more. */
bool pmu_settings_apply(const struct pmu_session *session);

static inline struct pmu_cpu *pmu_this_cpu(void)
{
	return hal_cpu_data();
}

/* What the core keeps for the PMU that the cores of a package share. Its ring is not used: samples are in the rings of
 * the CPUs that took them. */
extern struct pmu_cpu pmu_package;

/* What it keeps for the PMU of a driver's, on this CPU. */
static inline struct pmu_cpu *pmu_unit(const struct pmu_driver *driver)
{
	return driver->cores ? &pmu_package : pmu_this_cpu();
}

/* Chooses the value a counter's register starts from when its count is `count`, and the base that goes with it:
 * the register overflows when the next sample is due, or as long before that as the hardware can be armed. With
 * nothing due for a whole turn of the register it starts from 0. */
static inline uint64_t pmu_set_start(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count)
{
	const uint64_t most = driver->arm_most, mask = FIELD_MASK(0, driver->width);
	uint64_t left = c->due - count, start;

	if (__builtin_expect(left > most, false))
		left = left > mask + PMU_ARM_LEAST ? 0 : most - PMU_ARM_LEAST;	// never leaving too little
	start = -left & mask;
	c->base = count - start;
	return start;
}

#endif
