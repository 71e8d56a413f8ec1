/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's state for one PMU, a CPU's own or the package's. */
#ifndef PMU_UNIT_H
#define PMU_UNIT_H

#include "hal.h"
#include "hal_state.h"
#include "pmu_driver.h"
#include "ring.h"

/* Rounds of reading and serving the overflow status in one interrupt; the last one throttles counters. */
#define PMU_ROUNDS 4

/* Tries to take a lock. */
#define PMU_LOCK_TRIES (1u << 20)

#define PMU_DRIVER_WORDS 4

#define PMU_INLINE static inline __attribute__((always_inline))

/* Compiles rare functions for size, in files that are compiled for speed. */
#define PMU_RARE __attribute__((cold))

struct pmu_cpu {
	const struct pmu_driver *driver;
	uint64_t enabled;			/* counters that count, or are frozen while an interrupt is served */
	uint64_t taken;				/* counters of sessions */
	uint64_t served;			/* status bits that software serves: not those of precise counters */
	uint32_t sessions;			/* opened so far */
	bool has_buffer;			/* for precise events' records */
	uint16_t set_sessions;			/* open sessions with settings */
	bool taking;				/* a sample is being taken out of the ring */
	uint64_t polling;			/* clocks between polls for missing interrupts; 0: none */

	uint64_t interrupts_left;		/* until the next storm check (overflow.c, is_storm) */
	uint64_t handler_clocks;		/* of interrupts since window_start */
	struct pmu_statistics statistics;
	uint64_t interrupts_then;		/* their total at that check; only interrupts_left counts, downwards */
	uint64_t window_start, window_clocks;
	uint32_t window_interrupts;
	uint32_t sharing;			/* threads that share the clock; 0: the driver's */

	/* Rare: passes the oldest sample, or as many as needed for `words`, to `take`: pmu_drain. False: this interrupt
	 * has interrupted code that takes a sample. NULL: interrupts do not take samples out. */
	bool (*take_out)(struct pmu_cpu *cpu, unsigned words);
	pmu_take_function *take;

	struct pmu_session *open;		/* list of open sessions */
	struct pmu_cpu *selected;		/* by pmu_select: this, or the package's */

	/* Called after a signal of the package's PMU. NULL: none has begun. */
	void (*shared_interrupt)(uint64_t ip, unsigned level, bool throttle);

	/* If it has: rare, serves a signal that it sent while the overflow interrupt was masked. */
	void (*shared_unmasked)(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip, unsigned level);

	struct pmu_counter *counter[PMU_COUNTER_NUMBERS];	/* taken ones; all others are NULL */

	struct pmu_ring ring;

	uint64_t driver_word[PMU_DRIVER_WORDS];	/* for the driver */
	uint64_t frozen;			/* freeze state for the end of a light halt (pmu_driver.freeze) */
	bool thawed;				/* it is restored */
};

struct pmu_cpus {
	struct pmu_cpu of[HAL_CPUS];
};

HAL_STATE(struct pmu_cpus, pmu_cpus)

/* The number of overflow interrupts so far. */
static inline uint64_t pmu_interrupts(const struct pmu_cpu *cpu)
{
	return cpu->interrupts_then - __atomic_load_n(&cpu->interrupts_left, __ATOMIC_RELAXED);
}

/* Enters a counter into the CPU's table, in which overflows look it up. */
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

/* The status bit of a signal of the package's PMU; the status bits of a full buffer of precise records. 0: this PMU has
 * none. */
static inline uint64_t pmu_package_status(const struct pmu_driver *driver)
{
	return driver->package ? driver->package->status : 0;
}

static inline uint64_t pmu_records_status(const struct pmu_driver *driver)
{
	return driver->precise ? driver->precise->status : 0;
}

/* For drivers of a package's PMU: count a bus lock that empties queues; a poll that may have been too late. */
void pmu_count_bus_lock(void);
void pmu_count_doubtful(void);

/* The core's state for the PMU that the cores of a package share. Its ring is unused: samples are in the rings of the
 * CPUs that took them. */
HAL_STATE(struct pmu_cpu, pmu_package)

/* Clears the state of a PMU that begins: no session, no statistics. Does not change the ring. */
void pmu_clear_unit(struct pmu_cpu *unit);

/* The common parts of pmu_open and so on. The caller must exclude other CPUs and interrupts. */
enum pmu_error pmu_open_unit(struct pmu_cpu *cpu, struct pmu_session *session, const struct event_request *requests,
			     unsigned count, struct pmu_refusal *refusal);
enum pmu_error pmu_close_unit(struct pmu_cpu *cpu, struct pmu_session *session);
bool pmu_read_running(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t *count);

/* The core's state for a driver's PMU, on this CPU. */
static inline struct pmu_cpu *pmu_unit(const struct pmu_driver *driver)
{
	return driver->cores ? pmu_package() : pmu_this_cpu();
}

/* Counts a faulted register access for which there is no caller to return an error to. */
void pmu_register_faulted(struct pmu_cpu *cpu);

/* Stops a counter's samples. It continues to count. */
void pmu_throttle(struct pmu_cpu *cpu, struct pmu_counter *c, uint64_t count);

/* Sets the limit of interrupts in a time: pmu_limit_interrupts. */
void pmu_limit_unit(struct pmu_cpu *unit, uint32_t interrupts, uint64_t clocks);

#endif
