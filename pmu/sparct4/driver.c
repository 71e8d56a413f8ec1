// SPDX-License-Identifier: BSD-2-Clause
// Driver of the Oracle SPARC T4's performance counters: four counters (PIC), each with a control
// register (PCR) of its own. Registers and fields are in regs.h, possible requests in
// driver_request.c. All functions run in hyperprivileged mode, where counters without PCR.ht stand
// still.

#include "driver.h"
#include "event.h"
#include "field.h"
#include "hal.h"
#include "path.h"
#include "pmu_driver.h"
#include "poll.h"
#include "regs.h"

// The number of the counter whose PIC is at an address.
#define NUMBER_AT(address) ((address) & (SPARCT4_COUNTERS - 1))

// Bits that a write of 1 leaves as they are, and a write of 0 clears.
#define STATUS		REGISTER_BITS(PCR, W0C)

// A PCR whose counter does not count: sl and modes are 0.
#define IDLE		SPARCT4_CLOSED

#define POLL_CLOCKS	(1U << 16)
#define LOST_CLOCKS	(1U << 18)	// between polls for lost traps, which are rare
#define WRAP_CLOCKS	(1U << 30)	// for counters without samples; 2^32 events take longer
#define CLEAR_TRIES	4

// State of each CPU's counters, as bit masks of counters. The PCR of a counter that is not live is
// idle; its status is clear or waits to be served.
static struct monitor {
	uint64_t control[SPARCT4_COUNTERS];	// value of the PCR while the counter runs
	uint64_t modes;				// all control values, or'ed
	uint64_t wanted;			// counters that should run
	uint64_t live;				// wanted counters that run
	uint64_t used;				// counters that have run since reset or release
	uint64_t stuck;				// counters whose ov cannot be cleared: not started
} monitor[HAL_CPUS];

static inline struct monitor *this_monitor(void)
{
	return &monitor[hal_cpu()];
}

// The number of a counter. The check tells the compiler that the number is in range.
static inline uint64_t number_of(const struct pmu_counter *c)
{
	if (c->number >= SPARCT4_COUNTERS)
		__builtin_unreachable();
	return c->number;
}

static const struct pmu_shape shape = {
	.counters = SPARCT4_COUNTER_MASK,
	.width = SPARCT4_COUNTER_WIDTH,
	.arm_least = SPARCT4_COMMITS_RANGE + 1,
	.arm_most = 1ULL << (SPARCT4_COUNTER_WIDTH - 1),
	.features = PMU_FEATURE_USER_READ,
};

// No register identifies the processor to its hypervisor. Other processors have no register at the
// address of a PCR.
RARE static const char *sparct4_probe(struct pmu_shape *found)
{
	uint64_t value;

	if (!reg_read(PCR_OF(0), &value))
		return "a read of PCR0 faults";
	*found = shape;
	return NULL;
}

// Stops a counter that may run, and clears its status and count. The write that stops a counter can
// make it overflow (section 10.2, second note below Table 10-1), so a second write clears the
// status that the first one caused.
RARE static bool clear_counter(struct monitor *m, unsigned counter)
{
	const uint64_t bit = 1ULL << counter;

	m->wanted &= ~bit;
	m->live &= ~bit;
	m->used &= ~bit;
	m->stuck &= ~bit;
	m->control[counter] = 0;
	return reg_write(PCR_OF(counter), IDLE) & reg_write(PCR_OF(counter),
							    IDLE) & reg_write(PIC_OF(counter), 0);
}

RARE static void gather_modes(struct monitor *m)
{
	m->modes = 0;
	for (unsigned i = 0; i < SPARCT4_COUNTERS; i++)
		m->modes |= m->control[i];
}

RARE static bool sparct4_reset(void)
{
	bool ok = true;

	hal_poll(NULL, 0);
	for (unsigned i = 0; i < SPARCT4_COUNTERS; i++)
		ok &= clear_counter(this_monitor(), i);
	gather_modes(this_monitor());
	return ok;
}

//
// Counters
//

static uint32_t sparct4_address(unsigned counter)
{
	return PIC_OF(counter);
}

static uint32_t sparct4_control(unsigned counter)
{
	return PCR_OF(counter);
}

// Reads the counter. A program that may access the PIC can have written its reserved bits.
PMU_INLINE uint64_t read_count(uint64_t number, uint64_t *fault)
{
	uint32_t count = (uint32_t)reg_read_next(PIC_OF(number), fault);

	// Without this the compiler first builds a mask; one instruction truncates as well.
	__asm__("" : "+r"(count));
	return count;
}

static bool sparct4_read(uint32_t address, uint64_t *value)
{
	uint64_t fault = 0;

	*value = read_count(NUMBER_AT(address), &fault);
	return !fault;
}

static bool sparct4_write(uint32_t address, uint64_t value)
{
	return reg_write(PIC_OF(NUMBER_AT(address)), value);
}

// The second of the three steps that change an event. The first one, reset, stop or release, has
// left the PCR idle; the third one, `enable`, starts the counter.
PMU_INLINE bool sparct4_program(const struct pmu_counter *c, unsigned count)
{
	struct monitor *m = this_monitor();
	uint64_t modes = m->modes, fault = 0;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		const uint64_t number = number_of(c);

		reg_write_next(PIC_OF(number), c->start, &fault);
		m->control[number] = c->select;
		modes |= c->select;
	}
	m->modes = modes;
	return !fault;
}

RARE static bool sparct4_release(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++)
		ok &= clear_counter(this_monitor(), c->number);
	gather_modes(this_monitor());
	return ok;
}

// Stops counters. ov and ntc stay set, for overflows that are not served yet and for those that
// these writes cause.
PMU_INLINE void stop_counters(uint64_t counters, uint64_t *fault)
{
	uint64_t idle = IDLE | STATUS;

	// Without this the compiler builds the constant again for each counter.
	__asm__("" : "+r"(idle));
	EACH_COUNTER
		if (is_in(counters, i))
			reg_write_next(PCR_OF(i), idle, fault);
}

PMU_INLINE void start_counters(const struct monitor *m, uint64_t counters, uint64_t *fault)
{
	uint64_t keep = STATUS;

	__asm__("" : "+r"(keep));
	EACH_COUNTER
		if (is_in(counters, i))
			reg_write_next(PCR_OF(i), m->control[i] | keep, fault);
}

PMU_INLINE bool stop_all(struct monitor *m)
{
	uint64_t fault = 0;

	stop_counters(m->live, &fault);
	m->wanted = m->live = 0;
	return !fault;
}

__attribute__((noinline)) static bool change_live(struct monitor *m, uint64_t counters)
{
	const uint64_t live = counters & ~m->stuck, starting = live & ~m->live,
		stopping = m->live & ~live;
	uint64_t fault = 0;

	m->wanted = counters;
	m->live = live;
	m->used |= live;
	if (stopping)
		stop_counters(stopping, &fault);
	if (starting)
		start_counters(m, starting, &fault);
	return !fault;
}

PMU_INLINE bool sparct4_enable(uint64_t counters)
{
	struct monitor *m = this_monitor();

	if (__builtin_constant_p(counters) && !counters)
		return stop_all(m);
	return counters == m->wanted || change_live(m, counters);
}

// toe stays set: an overflow that waits for its trap must end the halt.
RARE static bool sparct4_freeze(uint64_t *state)
{
	const uint64_t modes = FIELD(PCR, ht) | FIELD(PCR, st) | FIELD(PCR, ut);
	struct monitor *m = this_monitor();
	bool ok = true;

	for (unsigned i = 0; i < SPARCT4_COUNTERS; i++)
		if (is_in(m->live, i))
			ok &= reg_write(PCR_OF(i), (m->control[i] & ~modes) | STATUS);
	*state = m->wanted;
	m->wanted = m->live = 0;
	return ok;
}

//
// Overflows
//

// Called rarely: a counter in use has ntc, or a PCR could not be read. The handler clears the
// status afterwards, so only this moment shows whether the instruction has executed.
RARE static void skip_executed(const struct monitor *m)
{
	if (hal_pmi_precise() && sparct4_has_executed(m->control, m->used))
		hal_pmi_skip();
}

PMU_INLINE bool sparct4_overflow_status(uint64_t *overflowed)
{
	struct monitor *m = this_monitor();
	const uint64_t used = m->used;
	uint64_t flags = FIELD(PCR, ov) | FIELD(PCR, ntc), all = 0, fault = 0;

	// Counter n has its ov in bit n, and its ntc above all ov bits.
	__asm__("" : "+r"(flags));
	EACH_COUNTER
		if (is_in(used, i))
			all |= (reg_read_next(PCR_OF(i), &fault) & flags) << i;
	*overflowed = all & SPARCT4_COUNTER_MASK;
	if (__builtin_expect((all & ~SPARCT4_COUNTER_MASK) | fault, false)) {
		skip_executed(m);
		return !fault;		// serve the others, or their traps would repeat for ever
	}
	return true;
}

// Clears the status of a stopped counter. Returns false if ov is still set.
static inline bool clear_once(unsigned counter, uint64_t control)
{
	uint64_t value = 0;

	return reg_write(PCR_OF(counter), control) && reg_read(PCR_OF(counter), &value) &&
	       !(value & FIELD(PCR, ov));
}

// Stops a counter and clears its status. If that fails, the driver gives the counter up and leaves
// it without toe; otherwise its trap would repeat for ever.
RARE static bool clear_stopped(struct monitor *m, unsigned counter)
{
	const uint64_t bit = 1ULL << counter;
	bool ok = reg_write(PCR_OF(counter), IDLE | STATUS), clear = false;

	for (unsigned tries = 0; tries < CLEAR_TRIES && !clear; tries++)
		clear = clear_once(counter, IDLE);
	if (!clear) {
		m->stuck |= bit;
		m->used &= ~bit;
		m->live &= ~bit;
	}
	if (m->live & bit)
		ok &= reg_write(PCR_OF(counter), m->control[counter] | STATUS);
	return ok && clear;
}

// One write clears the status of a stopped counter: the value that its PCR has while it runs, or
// the idle value.
PMU_INLINE bool sparct4_overflow_clear(uint64_t overflowed)
{
	struct monitor *m = this_monitor();
	uint64_t fault = 0;
	bool ok = true;

	overflowed &= m->used;
	EACH_COUNTER
		if (is_in(overflowed, i)) {
			const uint64_t control = is_in(m->live, i) ? m->control[i] : IDLE;

			reg_write_next(PCR_OF(i), control, &fault);
			if (__builtin_expect(reg_read_next(PCR_OF(i), &fault) != control, false))
				ok &= clear_stopped(m, i);
		}
	return ok & !fault;
}

static const struct pmu_polling poll = {
	.polled = sparct4_polled, .clocks = POLL_CLOCKS,
	.may_lose = sparct4_traps_precisely, .lost_clocks = LOST_CLOCKS, .wrap_clocks = WRAP_CLOCKS,
	.begin = pmu_poll_counters, .look = pmu_poll,
};

// Counters without ht stand still while the handler runs. If a counter has ht, all are stopped; the
// handler looks once more, because a write that stops a counter can make it overflow (section 10.2,
// second note below Table 10-1).
PMU_INLINE bool sparct4_hold(bool *more)
{
	struct monitor *m = this_monitor();

	*more = m->modes & FIELD(PCR, ht);
	return !*more || stop_all(m);
}

extern const struct pmu_driver pmu_driver_sparct4;

static void sparct4_overflow_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&pmu_driver_sparct4, ip, level);
}

static enum pmu_error sparct4_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_sparct4, session);
}

static enum pmu_error sparct4_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_sparct4, session);
}

// Stops the counters of a session one by one, and checks each PCR after its stop. If a PCR is not
// idle and clear, an overflow must be served or an access has faulted. Then, and if other sessions
// count, the common path stops all counters; the values read so far are discarded.
static enum pmu_error sparct4_stop_each(struct pmu_session *session)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	struct monitor *m = this_monitor();
	struct pmu_counter *c = session->counter, *const end = c + session->count;
	uint64_t value[SPARCT4_COUNTERS], *at = value, control = IDLE;		// 1 after a fault
	const bool interrupts = hal_interrupts_disable();

	for (; c < end; c++) {
		const uint64_t number = number_of(c);

		reg_write_next(PCR_OF(number), IDLE | STATUS, &control);
		*at++ = read_count(number, &control);
		if (__builtin_expect(reg_read_next(PCR_OF(number), &control) != control, false)) {
			hal_interrupts_restore(interrupts);
			return sparct4_stop(session);
		}
	}
	for (c = session->counter, at = value; c < end; c++)
		pmu_collect(&pmu_driver_sparct4, c, *at++);
	session->running = false;
	cpu->enabled = m->wanted = m->live = 0;
	hal_interrupts_restore(interrupts);
	return PMU_OK;
}

static enum pmu_error stop_session(struct pmu_session *session)
{
	return session->running && pmu_this_cpu()->enabled == session->counters ?
	       sparct4_stop_each(session) :
										  sparct4_stop(
											  session);
}

static const struct pmu_signal signal = {.interrupt = sparct4_overflow_interrupt,
					 .hold = sparct4_hold};

//
// PAL
//

// Our register numbers for PAL_PERF_MON_INFO's masks: control registers 0-3 are PCR0-3, data
// registers 0-3 are PIC0-3.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(SPARCT4_COUNTERS, SPARCT4_COUNTER_WIDTH, SPARCT4_SL_CYCLES,
			       SPARCT4_SL_INSTRUCTIONS),
	.retired_umask = SPARCT4_ALL_KINDS,
	.control_mask = SPARCT4_COUNTER_MASK,
	.data_mask = SPARCT4_COUNTER_MASK,
	.cycles_mask = SPARCT4_COUNTER_MASK,
	.retired_mask = SPARCT4_COUNTER_MASK,
};

extern const struct pmu_event_table pmu_events_sparct4;
extern const struct pmu_metric_table pmu_metrics_sparct4;
extern const struct pmu_profile_table pmu_profiles_sparct4;

const struct pmu_driver pmu_driver_sparct4 = {
	.name = "sparct4",
	.title = "Oracle SPARC T4",
	.events = &pmu_events_sparct4,
	.metrics = &pmu_metrics_sparct4,
	.profiles = &pmu_profiles_sparct4,
	.information = &information,
	.session = "Instr_all,Cycles,Instr_all:period=100000",
	.retired = "Instr_all",
	.cycles = "Cycles",
	.shape = &shape,
	.poll = &poll,
	.signal = &signal,
	.probe = sparct4_probe,
	.reset = sparct4_reset,
	.choices = sparct4_choices,
	.encode = sparct4_encode,
	.objection = sparct4_objection,
	.address = sparct4_address,
	.control = sparct4_control,
	.program = sparct4_program,
	.release = sparct4_release,
	.enable = sparct4_enable,
	.freeze = sparct4_freeze,
	.thaw = sparct4_enable,
	.read = sparct4_read,
	.write = sparct4_write,
	.overflow_status = sparct4_overflow_status,
	.overflow_clear = sparct4_overflow_clear,
	.start = sparct4_start,
	.stop = stop_session,
};
