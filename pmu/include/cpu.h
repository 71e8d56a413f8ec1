/* SPDX-License-Identifier: BSD-2-Clause */
/* What the PMU core keeps for each CPU: for the core and the overflow interrupt. */
#ifndef CPU_H
#define CPU_H

#include "hal.h"
#include "pmu_driver.h"
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
	uint16_t set_sessions;			/* open ones that have settings */
	bool taking;				/* a sample is being taken out of the ring */

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

	struct pmu_counter *counter[PMU_COUNTER_NUMBERS];	/* of open sessions */
	struct pmu_session *open;				/* the sessions */
	struct pmu_cpu *selected;		/* what pmu_select has chosen: this, or the package's */
	hal_pmi_function *shared_interrupt;	/* called when the package's PMU has signalled; NULL: none has begun */

	/* If it has: rare, looks whether it has signalled while the overflow interrupt was masked, and serves that. */
	void (*shared_unmasked)(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip, unsigned level);

	struct pmu_ring ring;
};

extern struct pmu_cpu pmu_cpus[HAL_CPUS];

/* The overflow interrupts that have come. */
static inline uint64_t pmu_interrupts(const struct pmu_cpu *cpu)
{
	return cpu->interrupts_then - __atomic_load_n(&cpu->interrupts_left, __ATOMIC_RELAXED);
}

#define PMU_CORE_REGISTERS 4
#define PMU_LOCK_TRIES (1u << 20)

/* What all CPUs write. */
extern struct pmu_shared {
	/* Of the package's PMU: the lock, CPUs that take part, CPUs that look at the counters of its sessions without
	 * the lock, the present round. */
	bool locked;
	uint32_t cpus, inside;
	uint64_t round;
	bool throttle;		/* its handler had too much of some CPU's time: what overflows next is throttled */

	/* Of each register that the threads of a core share, by its place in the driver's list, in all cores: the CPUs
	 * whose open sessions need it, as bits, and what they need in it. With a lock of their own. */
	bool core_registers_locked;
	struct {
		uint32_t owners;
		uint64_t value[HAL_CPUS];
	} core_register[PMU_CORE_REGISTERS];
} pmu_shared;

/* Collects the settings that a session's events need, its counters being assigned, and writes them. */
enum pmu_error pmu_settings_open(struct pmu_cpu *cpu, struct pmu_session *session,
				 const struct event_request *requests, struct pmu_refusal *refusal);

/* Takes back those that no other open session needs. False: a register access faulted. */
bool pmu_settings_close(struct pmu_cpu *cpu, const struct pmu_session *session);

/* Writes those of a session that is brought back. */
bool pmu_settings_apply(struct pmu_cpu *cpu, const struct pmu_session *session);

/* An open session's counter needs this setting no more: it is idle from now on. False: a register access faulted. */
bool pmu_settings_end(struct pmu_cpu *cpu, const struct pmu_setting *unneeded);

/* Makes this CPU an owner of its core's registers that sessions which are to be brought back need. PMU_SETTINGS:
 * another thread needs one otherwise; then it is the owner of none. */
enum pmu_error pmu_settings_take(const struct pmu_driver *driver, const struct pmu_session *open,
				 struct pmu_refusal *refusal);

/* Sets a setting's bits. With interrupts off: other bits of the register may be what another program, or this one in
 * an interruption, changes. False: a register access faulted. */
bool pmu_setting_put(const struct pmu_setting *setting, uint64_t value);

/* Makes this CPU an owner of the core's register that a setting is written to, unless CPUs of the core need it
 * otherwise: *cpus, as bits. False: another CPU has stayed too long. */
bool pmu_core_registers_take(const struct pmu_settings *settings, const struct pmu_setting *setting, uint32_t *cpus);

/* No session of this CPU needs such a setting any more: takes it back, unless another owner is left. False: a register
 * access faulted, or another CPU has stayed too long. */
bool pmu_core_registers_give_back(const struct pmu_settings *settings, const struct pmu_setting *setting);

/* This CPU begins: it owns none. Clears those that have no owner. */
bool pmu_core_registers_reset(const struct pmu_settings *settings);

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

/* For drivers with precise events: hands the core a record of the processor's, with a sample's address, time and level,
 * and its payload. `named`: the counters whose record it is. If it is not one, nobody knows whose event it was. */
void pmu_take_record(struct pmu_cpu *cpu, uint64_t named, const struct pmu_sample *sample, const uint64_t *words,
		     unsigned count);

/* Takes all records out of the processor's buffer; with `throttle`, their counters go on as ones that only count. The
 * counters are frozen. False: a register access faulted. */
bool pmu_take_records(struct pmu_cpu *cpu, unsigned level, uint64_t now, bool throttle);

/* Lets go on what the hardware stops with an overflow interrupt: what open sessions have set is set again. */
void pmu_resume(struct pmu_cpu *cpu, const struct pmu_driver *driver);

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

/* Turns interrupts off and keeps other CPUs away. False: one has stayed too long, and interrupts are as they were. */
bool pmu_shared_lock(bool *interrupts);
void pmu_shared_unlock(bool interrupts);

/* With the lock: stops all counters of a PMU that signals, serves what has overflowed until then, with a sample of this
 * CPU's at `ip` if it has none yet, and waits until no interrupt looks at counters; none does until pmu_shared_go_on,
 * which ends the round and lets those that are enabled count. False: a register access faulted, or another CPU has
 * stayed too long. */
bool pmu_shared_halt(const struct pmu_driver *driver, uint64_t ip);
bool pmu_shared_go_on(const struct pmu_driver *driver);

/* pmu_open, pmu_close, pmu_read of its sessions, and pmu_statistics. */
enum pmu_error pmu_shared_open(struct pmu_session *session, const struct event_request *requests, unsigned count,
			       struct pmu_refusal *refusal);
enum pmu_error pmu_shared_close(struct pmu_session *session);
enum pmu_error pmu_shared_read(const struct pmu_session *session, const struct pmu_counter *c, uint64_t *count);
void pmu_shared_statistics(struct pmu_statistics *statistics);

/* Reads its counters that count, for a driver that adds up what they have counted since the last time. In an interrupt,
 * or with interrupts off: not if another CPU is at them. */
void pmu_shared_look(void);

/* Has pmu_poll's work done by itself on this CPU, as long as any open counter of its PMU, or of the package's, needs
 * it. */
void pmu_poll_counters(struct pmu_cpu *unit);

/* To be called when counters have been opened or closed. */
static inline void pmu_counters_changed(struct pmu_cpu *cpu)
{
	if (cpu->driver->poll)
		pmu_poll_counters(cpu);
}

/* A PMU that has just begun with its driver: nothing is open or counted; the ring is left alone. */
void pmu_clear_unit(struct pmu_cpu *unit);

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
