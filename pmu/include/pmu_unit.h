/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's state of one PMU: a CPU's own, or the package's. */
#ifndef PMU_UNIT_H
#define PMU_UNIT_H

#include "hal.h"
#include "hal_state.h"
#include "pmu_driver.h"
#include "ring.h"

/* Rounds of reading and serving the overflow status in one interrupt. The last one throttles the
 * counters. */
#define PMU_ROUNDS 4

/* Attempts to take a lock. */
#define PMU_LOCK_TRIES (1u << 20)

#define PMU_DRIVER_WORDS 4

#define PMU_INLINE static inline __attribute__((always_inline))

/* Optimizes rare functions for size in files that are compiled for speed. */
#define PMU_RARE __attribute__((cold))

struct pmu_cpu {
	const struct pmu_driver *driver;
	uint64_t enabled;			/* bit mask: counters that count, or are frozen
						 * while an interrupt is served */
	uint64_t taken;				/* bit mask: counters that sessions own */
	uint64_t served;			/* status bits that software serves; those of
						 * precise counters belong to the hardware */
	uint32_t sessions;			/* number of sessions opened so far */
	bool has_buffer;			/* the PMU has a buffer for the records of precise
						 * events */
	uint16_t set_sessions;			/* number of open sessions with settings */
	bool taking;				/* a sample is being removed from the ring */
	uint64_t polling;			/* hal_clock units between polls for lost
						 * interrupts; 0: no polls */
	uint64_t sampling;			/* ticks of the timer between samples by time; 0:
						 * none */
	/* Multiplexing: the groups that take turns; ticks of the timer in a slice; ends a slice.
	 * NULL, 0: none. */
	struct pmu_multiplex *multiplex;
	uint64_t slice;
	void (*end_slice)(uint64_t ip, unsigned level);

	bool scoped;				/* a scope is chosen: the next two members */
	enum pmu_scope scope;
	struct pmu_scope_status scope_status;

	uint64_t interrupts_left;		/* interrupts until the next storm check
						 * (overflow.c, is_storm) */
	uint64_t handler_clocks;		/* hal_clock units in handlers since window_start */
	struct pmu_statistics statistics;
	/* The total number of interrupts at the next storm check. Only interrupts_left changes with
	 * each interrupt. */
	uint64_t interrupts_then;
	/* Storm check: its last time; least time and number of interrupts between two checks
	 * (pmu_limit_interrupts). */
	uint64_t window_start, window_clocks;
	uint32_t window_interrupts;
	uint32_t sharing;			/* threads that share the clock; 0: as the driver
						 * states */

	/* Rare: passes the oldest sample, or as many as make space for `words` words, to `take`
	 * (pmu_drain). False: the interrupted code is itself removing a sample. NULL: interrupts
	 * remove no samples. */
	bool (*take_out)(struct pmu_cpu *cpu, unsigned words);
	pmu_take_function *take;

	struct pmu_session *open;		/* list of the open sessions */
	struct pmu_cpu *selected;		/* pmu_select: this PMU, or the package's */

	/* Called after a signal of the package's PMU. NULL: this CPU does not participate. */
	void (*shared_interrupt)(uint64_t ip, unsigned level, bool throttle);

	/* If this CPU participates: serves a signal sent while the overflow interrupt was masked
	 * (rare). */
	void (*shared_unmasked)(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip,
				unsigned level);

	struct pmu_counter *counter[PMU_COUNTER_NUMBERS];	/* by number; NULL: no session owns
								 * it */

	struct pmu_ring ring;

	uint64_t driver_word[PMU_DRIVER_WORDS];	/* state of the driver */
	uint64_t frozen;			/* freeze state to restore after a light halt
						 * (pmu_driver.freeze) */
	bool thawed;				/* `frozen` was restored */
};

struct pmu_cpus {
	struct pmu_cpu of[HAL_CPUS];
};

HAL_STATE(struct pmu_cpus, pmu_cpus)

/* Returns the number of overflow interrupts so far. */
static inline uint64_t pmu_interrupts(const struct pmu_cpu *cpu)
{
	return cpu->interrupts_then - __atomic_load_n(&cpu->interrupts_left, __ATOMIC_RELAXED);
}

/* Enters a counter into the table in which the overflow handler finds it. */
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

/* Returns the status bit that a signal of the package's PMU sets, or 0. */
static inline uint64_t pmu_package_status(const struct pmu_driver *driver)
{
	return driver->package ? driver->package->status : 0;
}

static inline uint64_t pmu_records_status(const struct pmu_driver *driver)
{
	return driver->precise ? driver->precise->status : 0;
}

/* For drivers of a package's PMU: count a bus lock issued to empty queues; count a poll that may
 * have come too late. */
void pmu_count_bus_lock(void);
void pmu_count_doubtful(void);

/* The core's state of the package's PMU. Its ring is unused: samples go to the rings of the CPUs
 * that took them. */
HAL_STATE(struct pmu_cpu, pmu_package)

/* Clears the state of a PMU at pmu_begin: sessions and statistics. Does not change the ring. */
void pmu_clear_unit(struct pmu_cpu *unit);

/* The common parts of pmu_open, pmu_close and pmu_read. The caller must exclude other CPUs and
 * interrupts. */
enum pmu_error pmu_open_unit(struct pmu_cpu *cpu, struct pmu_session *session,
			     const struct event_request *requests,
			     unsigned count, struct pmu_refusal *refusal);
enum pmu_error pmu_close_unit(struct pmu_cpu *cpu, struct pmu_session *session);
bool pmu_read_running(const struct pmu_driver *driver, const struct pmu_counter *c,
		      uint64_t *count);

/* pmu_context_save and pmu_context_restore of this PMU, whichever one is selected. */
enum pmu_error pmu_save_unit(struct pmu_cpu *cpu, struct pmu_context *context, uint64_t ip,
			     unsigned level);
enum pmu_error pmu_restore_unit(struct pmu_cpu *cpu, struct pmu_context *context);

/* Returns the core's state of a driver's PMU, for this CPU. */
static inline struct pmu_cpu *pmu_unit(const struct pmu_driver *driver)
{
	return driver->cores ? pmu_package() : pmu_this_cpu();
}

/* Counts a faulted register access where no caller can receive an error. */
void pmu_register_faulted(struct pmu_cpu *cpu);

/* Stops a counter's samples. The counter continues to count. */
void pmu_throttle(struct pmu_cpu *cpu, struct pmu_counter *c, uint64_t count);

/* Sets the bounds of the storm check (pmu_limit_interrupts). */
void pmu_limit_unit(struct pmu_cpu *unit, uint32_t interrupts, uint64_t clocks);

#endif
