// SPDX-License-Identifier: BSD-2-Clause
// The current suite and its counters: setting up, counting, registers, overflow status.

#include "suite.h"

#include <string.h>

#include "hal.h"
#include "stimulus.h"

struct selftest_counter *selftest_find_counter(unsigned number)
{
	struct selftest_counter *c = selftest_now()->counter;

	while (c->number != number)
		c++;
	return c;
}

// Returns another counter that can count cycles, the first one; `counter` itself if there is none.
static const struct selftest_counter *twin_of(const struct selftest_counter *counter)
{
	const struct selftest_counter *c = selftest_now()->counter;

	for (const struct selftest_counter *end = c + selftest_now()->counter_count; c < end; c++)
		if (c != counter && c->like->cycles)
			return c;
	return counter;
}

static uint64_t suite_has(const struct selftest_suite *suite)
{
	uint64_t has = suite->has | (suite->enable ? NEEDS_ENABLE : 0) |
		(suite->counters_count ? NEEDS_COUNTERS : 0) | (suite->set ? NEEDS_SET : 0) |
		(suite->has & SELFTEST_NO_STATUS ? 0 : NEEDS_STATUS);

	if (suite->freeze_mask && !(suite->has & SELFTEST_FREEZES))
		has |= NEEDS_NO_FREEZE;
	for (unsigned i = 0; i < SELFTEST_SESSIONS; i++)
		has |= suite->sessions[i] ? NEEDS_SESSION(i) : 0;
	return has;
}

static uint64_t counter_has(const struct selftest_counter *c)
{
	return selftest_now()->has | (c->like->exact ? NEEDS_EXACT : 0) |
	       (c->like->readable ? NEEDS_READABLE : 0) |
	       (c->like->conditions ? NEEDS_CONDITIONS : 0) |
	       (c->like->cycles && twin_of(c) != c ? NEEDS_CYCLES : 0);
}

void selftest_use(const struct selftest_suite *suite)
{
	selftest_now()->suite = suite;
	selftest_now()->counter_count = 0;
	memset(selftest_now()->counter, 0, sizeof selftest_now()->counter);
	for (size_t i = 0; i < suite->counters_count; i++)
		for (unsigned n = 0; n < suite->counters[i].count; n++) {
			struct selftest_counter *c =
				&selftest_now()->counter[selftest_now()->counter_count];

			if (!(suite->driver->shape->counters >> (suite->counters[i].first + n) & 1))
				continue;
			selftest_now()->counter_count++;
			c->like = &suite->counters[i];
			c->number = c->like->first + n;
			c->bit = 1ULL << c->number;
		}
	selftest_now()->has = suite_has(suite);
	for (unsigned i = 0; i < selftest_now()->counter_count; i++)
		selftest_now()->counter[i].has = counter_has(&selftest_now()->counter[i]);
}

static void read_event(const char *text, struct event_request *request)
{
	selftest_require(event_parse(selftest_now()->suite->driver->events, &text,
				     request) == EVENT_OK);
}

void selftest_read_events(void)
{
	for (unsigned i = 0; i < selftest_now()->counter_count; i++)
		read_event(selftest_now()->counter[i].like->event,
			   &selftest_now()->counter[i].request);
}

uint64_t selftest_all_counters(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < selftest_now()->counter_count; i++)
		all |= selftest_now()->counter[i].bit;
	return all;
}

//
// Setting up, counting, reading
//

// Writes the control register first, because some counters hold no value while they are off
// (Itanium). If that write starts the counter, `start` does it instead.
static void set(struct selftest_counter *c, const struct event_request *request, bool interrupt,
		uint64_t start)
{
	const struct pmu_driver *driver = selftest_now()->suite->driver;
	const uint64_t asks = c->like->interrupt, own = c->like->control;

	selftest_require(request->event);
	if (!request->event)
		return;
	c->select = (driver->encode(request, c->number) & ~asks) | (interrupt ? asks : 0);
	if (own)
		c->select |= selftest_read(driver->control(c->number)) & ~own;
	if (!selftest_now()->suite->control_starts)
		selftest_write(driver->control(c->number), c->select);
	selftest_write(driver->address(c->number), start & FIELD_MASK(0, driver->shape->width));
}

void selftest_set(unsigned counter, unsigned at, uint64_t start)
{
	struct selftest_counter *c = selftest_find_counter(counter);
	struct event_request request = c->request;

	request.levels = at & AT_ALL ? at & AT_ALL : selftest_now()->suite->at_user ? AT_USER :
		AT_ALL;
	request.modifiers &= (uint16_t)~(EVENT_OS | EVENT_USER);
	request.modifiers |= (request.levels & AT_OS ? EVENT_OS : 0) |
		(request.levels & AT_USER ? EVENT_USER : 0);
	set(c, &request, at & INTERRUPTING, start);
}

void selftest_set_event(unsigned counter, const char *event, uint64_t start)
{
	struct event_request request = {0};

	read_event(event, &request);
	set(selftest_find_counter(counter), &request, false, start);
}

void selftest_set_all(unsigned at, uint64_t start)
{
	for (unsigned i = 0; i < selftest_now()->counter_count; i++)
		selftest_set(selftest_now()->counter[i].number, at, start);
}

void selftest_flip(unsigned counter, uint64_t bits)
{
	selftest_find_counter(counter)->select ^= bits;
	if (!selftest_now()->suite->control_starts)
		selftest_write(selftest_now()->suite->driver->control(counter),
			       selftest_select(counter));
}

uint64_t selftest_select(unsigned counter)
{
	return selftest_find_counter(counter)->select;
}

// The value of a counter's control register that starts it, or stops it.
static uint64_t started(unsigned counter, bool starts)
{
	const uint64_t bit = selftest_now()->suite->start_bit;

	return (selftest_select(counter) & ~bit) | (starts ? bit : 0);
}

// If the control registers alone start counters: exactly these count from now on.
static void start_by_control(uint64_t counters)
{
	for (unsigned i = 0; i < selftest_now()->counter_count; i++) {
		const unsigned n = selftest_now()->counter[i].number;

		selftest_write_control(n, started(n, counters >> n & 1));
	}
}

// The last counter of the set counts over exactly n instructions, the others over more.
static void run_by_control(uint64_t counters, uint64_t n)
{
	const unsigned last = 63u - (unsigned)__builtin_clzll(counters);

	start_by_control(counters & ~BIT(last));
	selftest_execute_between(selftest_now()->suite->driver->control(last), started(last, true),
				 started(last, false), n);
	start_by_control(0);
}

void selftest_enable(uint64_t counters)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	if (suite->start_bit)
		start_by_control(counters);
	else if (suite->start)
		suite->start(counters);
	else
		selftest_write(suite->enable, counters ? counters | suite->enable_also : 0);
}

void selftest_run_counters(uint64_t counters, uint64_t n)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	if (suite->start_bit)
		run_by_control(counters, n);
	else if (suite->run)
		suite->run(counters, n);
	else
		selftest_execute_between(suite->enable, counters | suite->enable_also, 0, n);
}

// Not inlined: the code around the instructions is the same each time.
__attribute__((noipa)) void selftest_run_counters_by(void (*execute)(uint64_t n), uint64_t counters,
						     uint64_t n)
{
	selftest_enable(counters);
	execute(n);
	selftest_enable(0);
}

static void run_at_suites_level(uint64_t counters, uint64_t n)
{
	if (selftest_now()->suite->at_user)
		selftest_run_counters_by(hal_execute_user, counters, n);
	else
		selftest_run_counters(counters, n);
}

void selftest_run(unsigned counter, uint64_t n)
{
	selftest_run_counters(BIT(counter), n);
}

void selftest_run_by(void (*execute)(uint64_t n), unsigned counter, uint64_t n)
{
	selftest_run_counters_by(execute, BIT(counter), n);
}

void selftest_run_alone(unsigned counter, uint64_t n)
{
	run_at_suites_level(BIT(counter), n);
}

void selftest_run_all(uint64_t n)
{
	run_at_suites_level(selftest_all_counters(), n);
}

uint64_t selftest_value(unsigned counter)
{
	return selftest_read(selftest_now()->suite->driver->address(counter));
}

uint64_t selftest_status(void)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	if (suite->has & SELFTEST_NO_STATUS)
		return 0;
	return suite->overflowed ? suite->overflowed() : selftest_read(suite->status);
}

uint64_t selftest_overflowed(void)
{
	return selftest_status() & selftest_all_counters();
}

void selftest_acknowledge(uint64_t overflowed)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	if (suite->has & SELFTEST_NO_STATUS)
		return;
	if (suite->acknowledge)
		suite->acknowledge(overflowed);
	else
		selftest_write(suite->clear, overflowed);
}

uint64_t selftest_sum(uint64_t counters)
{
	uint64_t sum = 0;

	for (; counters; counters &= counters - 1)
		sum += selftest_value((unsigned)__builtin_ctzll(counters));
	return sum;
}

uint64_t selftest_control(unsigned counter)
{
	return selftest_read(selftest_now()->suite->driver->control(counter));
}

void selftest_write_value(unsigned counter, uint64_t value)
{
	selftest_write(selftest_now()->suite->driver->address(counter), value);
}

void selftest_write_control(unsigned counter, uint64_t control)
{
	selftest_write(selftest_now()->suite->driver->control(counter), control);
}

//
// Sequences that many checks share
//

uint64_t selftest_written(unsigned counter, uint64_t value)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_write_value(counter, value);
	return selftest_value(counter);
}

uint64_t selftest_stopped_by(unsigned counter, uint64_t bits)
{
	selftest_set_all(AT_SUITE, 0);
	selftest_flip(counter, bits);
	selftest_run_all(100);
	return selftest_value(counter);
}

void selftest_wrap(unsigned counter)
{
	selftest_set(counter, AT_ALL, -1ULL);
	selftest_run(counter, 100);
}

void selftest_overflow_once(unsigned counter, unsigned interrupting)
{
	selftest_set(counter, AT_SUITE | interrupting, -50ULL);
	selftest_run_alone(counter, 1000);
}

// Compares with a counter that counts all cycles from 0 at the same time, because the number of
// cycles per instruction depends on the processor.
uint64_t selftest_count_cycles(unsigned counter, const char *event, bool all, uint64_t start)
{
	const struct selftest_counter *twin = twin_of(selftest_find_counter(counter));
	uint64_t cycles;

	selftest_set_event(counter, event, start);
	selftest_set_event(twin->number, twin->like->cycles, 0);
	run_at_suites_level(BIT(counter) | twin->bit, 1000);
	cycles = selftest_value(twin->number) + start;
	selftest_require(cycles > 0);
	selftest_expect(all ? cycles : 0);
	return selftest_value(counter);
}

uint64_t selftest_all_cycles(unsigned counter, const char *event)
{
	return selftest_count_cycles(counter, event, true, 0);
}

uint64_t selftest_no_cycles(unsigned counter, const char *event)
{
	return selftest_count_cycles(counter, event, false, 0);
}

bool selftest_counts_raised(const struct selftest_raised *r, unsigned counter, unsigned other)
{
	selftest_set_event(counter, r->event, 0);
	selftest_set_event(other, r->at_user, 0);
	selftest_run_counters_by(r->execute, BIT(counter) | BIT(other), r->n);
	return selftest_value(counter) && !selftest_value(other);
}
