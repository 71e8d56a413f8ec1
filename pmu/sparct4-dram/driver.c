// SPDX-License-Identifier: BSD-2-Clause
// Driver of the performance counters of the SPARC T4's memory controllers. It uses counters 0 and 1
// of each controller; 2 and 3 belong to power management (section 10.5). The counters always count,
// have 31 bits and do not interrupt. So the driver itself starts and stops counts of 64 bits: each
// poll adds the difference since the last one. Registers and fields are in regs.h. The core's lock
// of the shared PMU (pmu/core/package.c) protects this file's state.

#include "event.h"
#include "field.h"
#include "hal.h"
#include "package.h"
#include "pmu_driver.h"
#include "poll.h"
#include "regs.h"

#define COUNTERS	(DRAM_CONTROLLERS * DRAM_COUNTERS)
#define OURS		DRAM_OF_ALL(DRAM_COUNT01)

// The maximum that we assume a counter to add per clock of hal_clock. No document gives the length
// of the queues.
#define EVENTS_PER_CLOCK 256

// Half the shortest time in which a counter can wrap, so that a poll may be late by as much again.
#define CLOCKS_BETWEEN_LOOKS ((1ULL << DRAM_COUNTER_WIDTH) / EVENTS_PER_CLOCK / 2)

extern const struct pmu_driver pmu_driver_sparct4, pmu_driver_sparct4_dram;

static uint64_t running;		// bit mask: counters that count

static struct look {
	uint64_t total;			// counted until the last poll
	uint64_t value;			// the counter and its sticky bit at the last poll
	uint64_t clock;
} looks[COUNTERS];

//
// Registers
//

static uint32_t control_of(unsigned counter)
{
	return ADDRESS_DRAM_PERF_CTL_REG + counter / DRAM_COUNTERS;
}

static uint32_t register_of(unsigned counter)
{
	const bool lower = DRAM_COUNT01 >> counter % DRAM_COUNTERS & 1;

	return (lower ? ADDRESS_DRAM_PERF_COUNT01_REG : ADDRESS_DRAM_PERF_COUNT23_REG) +
	       counter / DRAM_COUNTERS;
}

// Writes our select. Power management changes selects in the same register, so nothing but the
// merge happens between our read and our write. Reserved bits are read-only, and are written as 0.
static bool write_select(unsigned counter, uint64_t select)
{
	const uint32_t address = control_of(counter);
	uint64_t others = REGISTER_BITS(DRAM_PERF_CTL_REG,
					RW) & ~DRAM_SELECT(counter % DRAM_COUNTERS);
	uint64_t control = 0;

	__asm__ volatile("" : "+r"(others));	// computed before the read
	return reg_read(address, &control) && reg_write(address, (control & others) | select);
}

// Reads a counter's 31 bits and its sticky bit.
static bool read_counter(unsigned counter, uint64_t *value)
{
	uint64_t both = 0;
	bool ok = reg_read(register_of(counter), &both);

	*value = both >> DRAM_COUNT_LOW(counter % DRAM_COUNTERS) & (DRAM_STICKY | DRAM_COUNT_MASK);
	return ok;
}

static const struct pmu_shape shape = {
	.counters = DRAM_OF_ALL(DRAM_COUNT01 | DRAM_COUNT23),
	.width = DRAM_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << (DRAM_COUNTER_WIDTH - 1),
};

static const char *sparct4_dram_probe(struct pmu_shape *found)
{
	const char *const why = pmu_driver_sparct4.probe(found);

	if (!why)
		*found = shape;
	return why;
}

static bool sparct4_dram_reset(void)
{
	bool ok = true;

	running = 0;
	for (uint64_t left = OURS; left; left &= left - 1) {
		const unsigned counter = (unsigned)__builtin_ctzll(left);

		ok &= write_select(counter, 0);
		ok &= reg_write(register_of(counter), 0);
		looks[counter] = (struct look){0};
	}
	return ok;
}

//
// Requests
//

#define ALL_LEVELS ((1u << EVENT_LEVELS) - 1)

static bool is_qualified(const struct event_request *r)
{
	return r->sets | r->code_range.given | r->data_range.given | r->opcode.given | r->tlb |
	       r->latency;
}

static const char *sparct4_dram_objection(const struct event_request *r)
{
	const bool asks_for_one = r->counter != EVENT_ANY_COUNTER &&
		event_counters(r) >> r->counter & 1;
	const uint64_t counters = asks_for_one ? 1ULL << r->counter : event_counters(r);

	if (event_code(r) >= DRAM_SELECTS)
		return "the select codes 13, 14 and 15 are reserved";
	if (r->period)
		return "memory controllers do not interrupt: their events are counted, not sampled "
		       "(period)";
	if (r->levels != ALL_LEVELS)
		return "memory controllers do not know who caused an event: privilege levels (u, k,"
		       " plm) do not "
		       "qualify it";
	if (r->modifiers & EVENT_PREFERRED)
		return "this PMU has no SPFLT user filter (spflt)";
	if (r->modifiers & EVENT_OPEN)
		return "no instruction of programs reads counters of memory controllers (open)";
	if (r->modifiers & EVENT_MONITORS)
		return "this PMU has no pins and no event address registers (ev, oi, dear, iear)";
	if (r->modifiers & EVENT_ANY)
		return "memory controllers count for all strands: there is no 't'";
	if (r->modifiers & (EVENT_INV | EVENT_EDGE) || r->cmask)
		return "memory controllers have no threshold, inversion and edge detection";
	if (r->modifiers & (EVENT_PRECISE | EVENT_BRANCHES) || r->branches)
		return "memory controllers record nothing: events are not precise and carry no "
		       "branches";
	if (is_qualified(r) || r->extra)
		return "nothing qualifies events of memory controllers";
	if (!(counters & OURS))
		return "counters 2 and 3 of each controller (DRAM_PERF_COUNT23_REG) belong to "
		       "power management, and "
		       "are not ours to use";
	return NULL;
}

static uint64_t sparct4_dram_choices(const struct event_request *r)
{
	uint64_t choices = sparct4_dram_objection(r) ? 0 : event_counters(r) & OURS;

	return r->counter == EVENT_ANY_COUNTER ? choices : choices & 1ULL << r->counter;
}

static uint64_t sparct4_dram_encode(const struct event_request *r, unsigned counter)
{
	return FIELD_PUT(DRAM_PERF_CTL_REG, sel0,
			 event_code(r)) << DRAM_SELECT_LOW(counter % DRAM_COUNTERS);
}

//
// Polls
//

// Returns the least number of events since the last poll. If the sticky bit has been set since, the
// counter has wrapped at least once.
static uint64_t least_since(const struct look *last, uint64_t value)
{
	const bool wrapped = value & ~last->value & DRAM_STICKY;
	const uint64_t before = last->value & DRAM_COUNT_MASK, now = value & DRAM_COUNT_MASK;

	return ((now - before) & DRAM_COUNT_MASK) + (wrapped && now >= before ? DRAM_STICKY : 0);
}

// Returns whether the counter may have added more than `least`, or its value is impossible. Without
// a sticky bit the counter has not wrapped.
static bool is_doubtful(const struct look *last, uint64_t value, uint64_t least, uint64_t clock)
{
	const uint64_t most = (clock - last->clock) * EVENTS_PER_CLOCK;

	if (!(value & DRAM_STICKY))
		return value < last->value;
	return most < least || most - least >= DRAM_STICKY;
}

static bool look(unsigned counter)
{
	struct look *last = &looks[counter];
	uint64_t value, least, clock;

	if (!read_counter(counter, &value))
		return false;
	clock = hal_clock();
	least = least_since(last, value);
	if (is_doubtful(last, value, least, clock))
		pmu_count_doubtful();
	*last = (struct look){last->total + least, value, clock};
	return true;
}

static bool look_at_all(uint64_t counters)
{
	bool ok = true;

	for (; counters; counters &= counters - 1)
		ok &= look((unsigned)__builtin_ctzll(counters));
	return ok;
}

// Starts counters: they count from the present values of their registers.
static bool begin_looking(uint64_t counters)
{
	bool ok = true;

	for (; counters; counters &= counters - 1) {
		const unsigned counter = (unsigned)__builtin_ctzll(counters);

		ok &= read_counter(counter, &looks[counter].value);
		looks[counter].clock = hal_clock();
	}
	return ok;
}

//
// Counters of 64 bits, for the core
//

static uint32_t sparct4_dram_address(unsigned counter)
{
	return counter;
}

static bool sparct4_dram_read(uint32_t counter, uint64_t *value)
{
	const bool ok = !(running >> counter & 1) || look(counter);

	*value = ok ? looks[counter].total : 0;
	return ok;
}

static bool sparct4_dram_write(uint32_t counter, uint64_t value)
{
	const bool ok = !(running >> counter & 1) || look(counter);

	looks[counter].total = value;
	return ok;
}

static bool is_other_running(unsigned counter)
{
	return running >> (counter ^ 1) & 1;
}

// Writes the register only if its other counter does not run: both counters always count, and a
// write would lose events.
static bool sparct4_dram_program(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= write_select(c->number, c->select);
		if (!is_other_running(c->number))
			ok &= reg_write(register_of(c->number), 0);
		looks[c->number].total = c->start;
	}
	return ok;
}

static bool sparct4_dram_release(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++)
		ok &= write_select(c->number, 0);
	return ok;
}

static bool sparct4_dram_enable(uint64_t counters)
{
	const bool ok = look_at_all(running & ~counters) & begin_looking(counters & ~running);

	running = counters;
	return ok;
}

static bool sparct4_dram_freeze(uint64_t *state)
{
	*state = running;
	return sparct4_dram_enable(0);
}

// A count of 64 bits does not overflow.
static bool sparct4_dram_overflow_status(uint64_t *overflowed)
{
	*overflowed = 0;
	return true;
}

static bool sparct4_dram_overflow_clear(uint64_t overflowed)
{
	(void)overflowed;
	return true;
}

static bool sparct4_dram_polled(const struct event_request *request)
{
	(void)request;
	return true;
}

static const struct pmu_polling poll = {
	.polled = sparct4_dram_polled, .clocks = CLOCKS_BETWEEN_LOOKS, .begin = pmu_poll_counters,
	.look = pmu_poll,
};

static enum pmu_error sparct4_dram_start(struct pmu_session *session)
{
	return pmu_shared_start(&pmu_driver_sparct4_dram, session);
}

static enum pmu_error sparct4_dram_stop(struct pmu_session *session)
{
	return pmu_shared_stop(&pmu_driver_sparct4_dram, session);
}

//
// PAL
//

// Our register numbers for PAL_PERF_MON_INFO's masks: control registers 0-3 are DRAM_PERF_CTL_REG
// of each controller; data registers 0-3 DRAM_PERF_COUNT01_REG, 4-7 DRAM_PERF_COUNT23_REG. No
// counter counts cycles or instructions.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(COUNTERS, DRAM_COUNTER_WIDTH, 0, 0),
	.control_mask = 0xF,
	.data_mask = 0xFF,
};

extern const struct pmu_event_table pmu_events_sparct4_dram;
extern const struct pmu_metric_table pmu_metrics_sparct4_dram;

const struct pmu_driver pmu_driver_sparct4_dram = {
	.name = "sparct4-dram",
	.title = "Oracle SPARC T4 memory controllers",
	.events = &pmu_events_sparct4_dram,
	.metrics = &pmu_metrics_sparct4_dram,
	.information = &information,
	.session =
		"READS.MCU0,WRITES.MCU0,READS.MCU1,WRITES.MCU1,READS.MCU2,WRITES.MCU2,READS.MCU3,"
		"WRITES.MCU3",
	.shape = &shape,
	.cores = &pmu_driver_sparct4,
	.poll = &poll,
	.probe = sparct4_dram_probe,
	.reset = sparct4_dram_reset,
	.choices = sparct4_dram_choices,
	.encode = sparct4_dram_encode,
	.objection = sparct4_dram_objection,
	.address = sparct4_dram_address,
	.control = control_of,
	.program = sparct4_dram_program,
	.release = sparct4_dram_release,
	.enable = sparct4_dram_enable,
	.freeze = sparct4_dram_freeze,
	.thaw = sparct4_dram_enable,
	.read = sparct4_dram_read,
	.write = sparct4_dram_write,
	.overflow_status = sparct4_dram_overflow_status,
	.overflow_clear = sparct4_dram_overflow_clear,
	.start = sparct4_dram_start,
	.stop = sparct4_dram_stop,
};
