/* SPDX-License-Identifier: BSD-2-Clause */
/* One PMU, a CPU's own or the package's: what the core keeps for it. */
#ifndef PMU_UNIT_H
#define PMU_UNIT_H

#include "hal.h"
#include "hal_state.h"
#include "pmu_driver.h"
#include "ring.h"

/* Overflow status is read and served this often in one interrupt; what still overflows then is throttled. */
#define PMU_ROUNDS 4

/* A lock is tried so often. */
#define PMU_LOCK_TRIES (1u << 20)

#define PMU_DRIVER_WORDS 4

#define PMU_INLINE static inline __attribute__((always_inline))

/* In files that are compiled fast: what is rare is compiled small. */
#define PMU_RARE __attribute__((cold))

struct pmu_cpu {
	const struct pmu_driver *driver;
	uint64_t enabled;			/* counters that count, or are frozen while an interrupt is served */
	uint64_t taken;				/* counters that sessions have */
	uint64_t served;			/* status bits that are software's: all but precise counters' */
	uint32_t sessions;			/* opened so far */
	bool has_buffer;			/* for precise events' records */
	uint16_t set_sessions;			/* open ones that have settings */
	bool taking;				/* a sample is being taken out of the ring */
	uint64_t polling;			/* clocks between two looks for missing interrupts; 0: none */

	uint64_t interrupts_left;		/* that may come before they are looked at (overflow.c, is_storm) */
	uint64_t handler_clocks;		/* in those since window_start */
	struct pmu_statistics statistics;
	uint64_t interrupts_then;		/* how many there will have been by then: they are counted down only */
	uint64_t window_start, window_clocks;
	uint32_t window_interrupts;
	uint32_t sharing;			/* threads that share the clock; 0: the driver's */

	/* Rare: has a sample taken out of the ring, or as many as make room for so many words: pmu_drain. False: it has
	 * interrupted who takes one out. NULL: nobody takes them in an interrupt. */
	bool (*take_out)(struct pmu_cpu *cpu, unsigned words);
	pmu_take_function *take;		/* who gets them */

	struct pmu_session *open;		/* the sessions */
	struct pmu_cpu *selected;		/* what pmu_select has chosen: this, or the package's */

	/* Called when the package's PMU has signalled. NULL: none has begun. */
	void (*shared_interrupt)(uint64_t ip, unsigned level, bool throttle);

	/* If it has: rare, looks whether it has signalled while the overflow interrupt was masked, and serves that. */
	void (*shared_unmasked)(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip, unsigned level);

	struct pmu_counter *counter[PMU_COUNTER_NUMBERS];	/* those that are taken; all others are NULL */

	struct pmu_ring ring;

	uint64_t driver_word[PMU_DRIVER_WORDS];	/* the driver's own */
	uint64_t frozen;			/* what the end of a light halt restores (pmu_driver.freeze) */
	bool thawed;				/* it has */
};

struct pmu_cpus {
	struct pmu_cpu of[HAL_CPUS];
};

HAL_STATE(struct pmu_cpus, pmu_cpus)

/* The overflow interrupts that have come. */
static inline uint64_t pmu_interrupts(const struct pmu_cpu *cpu)
{
	return cpu->interrupts_then - __atomic_load_n(&cpu->interrupts_left, __ATOMIC_RELAXED);
}

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

/* The status bit that says that the PMU which the cores of a package share has signalled; that says that precise
 * events' records want to be taken. 0: this PMU has none. */
static inline uint64_t pmu_package_status(const struct pmu_driver *driver)
{
	return driver->package ? driver->package->status : 0;
}

static inline uint64_t pmu_records_status(const struct pmu_driver *driver)
{
	return driver->precise ? driver->precise->status : 0;
}

/* For drivers of a package's PMU: count a bus lock that empties queues; a look that may have come too late. */
void pmu_count_bus_lock(void);
void pmu_count_doubtful(void);

/* What the core keeps for the PMU that the cores of a package share. Its ring is not used: samples are in the rings of
 * the CPUs that took them. */
HAL_STATE(struct pmu_cpu, pmu_package)

/* A PMU that has just begun with its driver: nothing is open or counted; the ring is left alone. */
void pmu_clear_unit(struct pmu_cpu *unit);

/* The parts of those that are the same for all PMUs, for a caller that keeps others away. */
enum pmu_error pmu_open_unit(struct pmu_cpu *cpu, struct pmu_session *session, const struct event_request *requests,
			     unsigned count, struct pmu_refusal *refusal);
enum pmu_error pmu_close_unit(struct pmu_cpu *cpu, struct pmu_session *session);
bool pmu_read_running(const struct pmu_driver *driver, const struct pmu_counter *c, uint64_t *count);

/* What it keeps for the PMU of a driver's, on this CPU. */
static inline struct pmu_cpu *pmu_unit(const struct pmu_driver *driver)
{
	return driver->cores ? pmu_package() : pmu_this_cpu();
}

/* A register access faulted, and there is no caller to return it to: counts it. */
void pmu_register_faulted(struct pmu_cpu *cpu);

/* Stops a counter's samples. It goes on counting. */
void pmu_throttle(struct pmu_cpu *cpu, struct pmu_counter *c, uint64_t count);

/* How many interrupts may come in how little time: pmu_limit_interrupts. */
void pmu_limit_unit(struct pmu_cpu *unit, uint32_t interrupts, uint64_t clocks);

#endif
