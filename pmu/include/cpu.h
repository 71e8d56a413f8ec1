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
	uint64_t served;			/* status bits that are software's: all but precise counters' */
	uint32_t sessions;			/* opened so far */
	bool has_buffer;			/* for precise events' records */
	bool polling;				/* overflows that raise no interrupt are looked for */

	/* Interrupts that may still come before the time since window_start is looked at. */
	uint32_t interrupts_left, window_interrupts;
	uint64_t window_start, window_clocks;

	struct pmu_statistics statistics;
	struct pmu_counter *counter[PMU_COUNTER_NUMBERS];	/* of open sessions */
	struct pmu_session *open;				/* the sessions */
	struct pmu_cpu *selected;		/* what pmu_select has chosen: this, or the package's */
	hal_pmi_function *shared_interrupt;	/* called when the package's PMU has signalled; NULL: none has begun */

	/* If it has: rare, looks whether it has signalled while the overflow interrupt was masked, and serves that. */
	void (*shared_unmasked)(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip, unsigned level);

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

/* Makes a counter the CPU's: what overflows is looked up there. */
static inline void pmu_own(struct pmu_cpu *cpu, struct pmu_counter *c)
{
	cpu->counter[c->number] = c;
	if (c->precise)
		cpu->served &= ~(1ULL << c->number);
}

static inline struct pmu_cpu *pmu_this_cpu(void)
{
	return hal_cpu_data();
}

/* The count of a running precise counter. Takes its records first. False: a register access faulted. */
bool pmu_read_precise(struct pmu_cpu *cpu, const struct pmu_driver *driver, const struct pmu_counter *c,
		      uint64_t *count);

/* What the core keeps for the PMU that the cores of a package share. Its ring is not used: samples are in the rings of
 * the CPUs that took them. */
extern struct pmu_cpu pmu_package;

/*
 * The PMU that the cores of a package share: pmu/README.md has the protocol
 */

/* Begins with its driver on this CPU, which takes part in it from now on. */
enum pmu_error pmu_shared_begin(const struct pmu_driver *driver, bool non_maskable);

/* This CPU takes part no longer: it begins anew with its own PMU. */
void pmu_shared_leave(void);

/* CPUs that take part, as bits. */
uint32_t pmu_shared_cpus(void);

/* Keeps other CPUs away, with interrupts off. False: one has stayed too long. */
bool pmu_shared_lock(void);
void pmu_shared_unlock(void);

/* pmu_open, pmu_close, pmu_read of its sessions. */
enum pmu_error pmu_shared_open(struct pmu_session *session, const struct event_request *requests, unsigned count,
			       struct pmu_refusal *refusal);
enum pmu_error pmu_shared_close(struct pmu_session *session);
enum pmu_error pmu_shared_read(const struct pmu_session *session, const struct pmu_counter *c, uint64_t *count);

/* Reads its counters that count, for a driver that adds up what they have counted since the last time. In an interrupt,
 * or with interrupts off: not if another CPU is at them. */
void pmu_shared_look(void);

/* To be called when counters have been opened or closed. */
static inline void pmu_counters_changed(struct pmu_cpu *cpu)
{
	if (cpu->driver->poll_counters)
		cpu->driver->poll_counters(cpu);
}

/* A PMU that has just begun with this driver: nothing is open or counted; the ring is left alone. */
void pmu_clear_unit(struct pmu_cpu *unit, const struct pmu_driver *driver);

/* The parts of those that are the same for all PMUs, for a caller that keeps others away. */
enum pmu_error pmu_open_unit(struct pmu_cpu *cpu, struct pmu_session *session, const struct event_request *requests,
			     unsigned count, struct pmu_refusal *refusal);
enum pmu_error pmu_close_unit(struct pmu_cpu *cpu, struct pmu_session *session);
bool pmu_read_running(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t *count);

enum pmu_error pmu_shared_start(const struct pmu_driver *driver, struct pmu_session *session);
enum pmu_error pmu_shared_stop(const struct pmu_driver *driver, struct pmu_session *session);

/* What it keeps for the PMU of a driver's, on this CPU. */
static inline struct pmu_cpu *pmu_unit(const struct pmu_driver *driver)
{
	return driver->cores ? &pmu_package : pmu_this_cpu();
}

/* Chooses the value a counter's register starts from when its count is `count`: it overflows when the next sample is
 * due, or as long before that as the hardware can be armed. With nothing due for a whole turn of the register it
 * starts from 0. */
static inline uint64_t pmu_set_start(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t count)
{
	const uint64_t most = driver->arm_most, turn = 1ULL << driver->width, least = driver->arm_least;
	uint64_t left = c->due - count;

	if (__builtin_expect(left >> __builtin_ctzll(most) != 0, false))
		left = left > turn - 1 + least ? turn : most - least;	// never leaving too little
	c->wrap = count + left;
	if (__builtin_constant_p(driver->width) && driver->width == 32)
		return (uint32_t)-left;		// the same, shorter
	return (turn - 1) ^ (left - 1);
}

/* Whether a counter can start from this register value: it holds it when it has been written, for the hardware may
 * extend what it can be armed with, and what is left until it overflows is not too little. */
static inline bool pmu_can_start_from(const struct pmu_driver *driver, uint64_t value)
{
	const uint64_t most = driver->arm_most, lowest = (1ULL << driver->width) - most;

	return value < most || value - lowest <= most - driver->arm_least;
}

/* Whether events can be sampled so, or only counted: the signed comparison of counts and due times needs periods below
 * 2^63. */
static inline bool pmu_period_is_good(const struct pmu_driver *driver, uint64_t period)
{
	return period == 0 || (period >= driver->arm_least && period <= UINT64_MAX >> 1);
}

/* The count of a counter whose register is `value`. A precise one that has overflowed waits for its record, and what
 * it counts meanwhile is not counted. */
uint64_t pmu_count(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t value);

#endif
