// SPDX-License-Identifier: BSD-2-Clause
// The steps that the checks of a self test are made of.

#include "selftest_shared.h"

#include <string.h>

#include "hal.h"
#include "pal.h"

static struct selftest_result present;	// check: its problem, if it has one already

void selftest_note(enum selftest_problem problem, uint32_t address)
{
	if (!present.problem) {
		present.problem = problem;
		present.address = address;
	}
}

void selftest_require(bool ok)
{
	if (!ok)
		selftest_note(SELFTEST_STEP, 0);
}

void selftest_skip(const char *reason)
{
	present.problem = SELFTEST_SKIP;
	present.reason = reason;
}

uint64_t selftest_read_counter(uint32_t index)
{
	uint64_t value = 0;

	if (!reg_read_counter(index, &value))
		selftest_note(SELFTEST_READ_COUNTER, index);
	return value;
}

void selftest_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	if (!hal_execute_between(address, first, second, n))
		selftest_note(SELFTEST_WRITE, address);
}

struct selftest_result selftest_compare(uint64_t expected, uint64_t found)
{
	struct selftest_result result = present;

	present = (struct selftest_result){0};
	result.expected = expected;
	result.found = found;
	return result;
}

void selftest_light_halt(uint32_t ticks)
{
	bool interrupts = hal_interrupts_disable();

	hal_alarm(ticks);
	selftest_require(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status == PAL_SUCCESS);
	hal_interrupts_restore(interrupts);
}

struct selftest_result selftest_absent(const uint32_t *addresses, unsigned count)
{
	uint64_t faulting = 0, value;

	for (unsigned i = 0; i < count; i++)
		faulting |= (uint64_t)(!reg_read(addresses[i], &value) && !reg_write(addresses[i], 0)) << i;
	return selftest_compare(FIELD_MASK(0, count), faulting);
}

struct selftest_result selftest_no_counter(unsigned index)
{
	uint64_t value;

	return selftest_compare(1, !reg_read_counter(index, &value));
}

//
// The suite and its counters
//

const struct selftest_suite *selftest_suite;
struct selftest_counter selftest_counter[PMU_SESSION_EVENTS];
unsigned selftest_counter_count;

void selftest_use(const struct selftest_suite *suite)
{
	selftest_suite = suite;
	selftest_counter_count = 0;
	for (size_t i = 0; i < suite->counters_count; i++)
		for (unsigned n = 0; n < suite->counters[i].count; n++) {
			struct selftest_counter *c = &selftest_counter[selftest_counter_count++];

			memset(c, 0, sizeof *c);
			c->like = &suite->counters[i];
			c->number = c->like->first + n;
			c->bit = 1ULL << c->number;
			c->address = suite->driver->address(c->number);
		}
}

static void read_event(const char *text, struct event_request *request)
{
	selftest_require(event_parse(selftest_suite->driver->events, &text, request) == EVENT_OK);
}

void selftest_read_events(void)
{
	for (unsigned i = 0; i < selftest_counter_count; i++)
		read_event(selftest_counter[i].like->event, &selftest_counter[i].request);
}

static struct selftest_counter *find(unsigned number)
{
	struct selftest_counter *c = selftest_counter;

	while (c->number != number)
		c++;
	return c;
}

uint64_t selftest_all_counters(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < selftest_counter_count; i++)
		all |= selftest_counter[i].bit;
	return all;
}

unsigned selftest_levels(void)
{
	return selftest_suite->at_user ? SELFTEST_USER : SELFTEST_ALL;
}

// What a suite has, and one of its counters.
static uint32_t has(const struct selftest_counter *c)
{
	const struct selftest_suite *suite = selftest_suite;
	uint32_t has = suite->has | (suite->enable ? NEEDS_ENABLE : 0);

	if (suite->freeze_mask && !(suite->has & SELFTEST_FREEZES))
		has |= NEEDS_NO_FREEZE;
	if (c)
		has |= (c->like->exact ? NEEDS_EXACT : 0) | (c->like->readable ? NEEDS_READABLE : 0) |
		       (c->like->cycles && selftest_twin(c) ? NEEDS_CYCLES : 0);
	return has;
}

void selftest_visit(const struct selftest_shared *table, size_t count, selftest_visit_function *visit, void *context)
{
	for (const struct selftest_shared *row = table; row < table + count; row++) {
		if (row->needs & ONCE && !(row->needs & ~ONCE & ~has(NULL)))
			visit(context, row->name, NULL, row->run, 0);
		for (unsigned i = 0; i < selftest_counter_count; i++)
			if (!(row->needs & ~has(&selftest_counter[i])))
				visit(context, row->name, &selftest_counter[i], row->run, 0);
	}
}

const struct selftest_counter *selftest_twin(const struct selftest_counter *counter)
{
	for (const struct selftest_counter *c = selftest_counter; c < selftest_counter + selftest_counter_count; c++)
		if (c != counter && c->like->cycles)
			return c;
	return NULL;
}

//
// Steps with counters
//

// The control register first: there are counters that keep no value while theirs is off (Itanium). Where its write
// starts the counter, `start` writes it.
static void set(struct selftest_counter *c, const struct event_request *request, bool interrupt, uint64_t start)
{
	const struct pmu_driver *driver = selftest_suite->driver;
	const uint64_t asks = c->like->interrupt, own = c->like->control;

	selftest_require(request->event);
	if (!request->event)
		return;
	c->select = (driver->encode(request, c->number) & ~asks) | (interrupt ? asks : 0);
	if (own)
		c->select |= selftest_read(driver->control(c->number)) & ~own;
	if (!selftest_suite->control_starts)
		selftest_write(driver->control(c->number), c->select);
	selftest_write(c->address, start & FIELD_MASK(0, driver->width));
}

void selftest_set(unsigned counter, unsigned levels, bool interrupt, uint64_t start)
{
	struct selftest_counter *c = find(counter);
	struct event_request request = c->request;

	request.levels = (uint8_t)levels;
	request.modifiers &= (uint16_t)~(EVENT_OS | EVENT_USER);
	request.modifiers |= (levels & SELFTEST_OS ? EVENT_OS : 0) | (levels & SELFTEST_USER ? EVENT_USER : 0);
	set(c, &request, interrupt, start);
}

void selftest_set_event(unsigned counter, const char *event, uint64_t start)
{
	struct event_request request = {0};

	read_event(event, &request);
	set(find(counter), &request, false, start);
}

void selftest_flip(unsigned counter, uint64_t bits)
{
	find(counter)->select ^= bits;
	if (!selftest_suite->control_starts)
		selftest_write(selftest_suite->driver->control(counter), selftest_select(counter));
}

uint64_t selftest_select(unsigned counter)
{
	return find(counter)->select;
}

void selftest_enable(uint64_t counters)
{
	if (selftest_suite->start)
		selftest_suite->start(counters);
	else
		selftest_write(selftest_suite->enable, counters ? counters | selftest_suite->enable_also : 0);
}

void selftest_run_counters(uint64_t counters, uint64_t n)
{
	if (selftest_suite->run)
		selftest_suite->run(counters, n);
	else
		selftest_execute_between(selftest_suite->enable, counters | selftest_suite->enable_also, 0, n);
}

// Not inlined: the code around the instructions is the same each time.
__attribute__((noipa)) void selftest_run_user(uint64_t counters, uint64_t n)
{
	selftest_enable(counters);
	hal_execute_user(n);
	selftest_enable(0);
}

void selftest_run_together(uint64_t counters, uint64_t n)
{
	if (selftest_suite->at_user)
		selftest_run_user(counters, n);
	else
		selftest_run_counters(counters, n);
}

uint64_t selftest_value(unsigned counter)
{
	return selftest_read(find(counter)->address);
}

static uint64_t status(void)
{
	return selftest_suite->overflowed ? selftest_suite->overflowed() : selftest_read(selftest_suite->status);
}

uint64_t selftest_overflowed(void)
{
	return status() & selftest_all_counters();
}

void selftest_acknowledge(uint64_t overflowed)
{
	if (selftest_suite->acknowledge)
		selftest_suite->acknowledge(overflowed);
	else
		selftest_write(selftest_suite->clear, overflowed);
}

bool selftest_frozen(void)
{
	return (selftest_read(selftest_suite->freeze_address) & selftest_suite->freeze_mask) == selftest_suite->frozen;
}

uint64_t selftest_count_visits(unsigned counter, const char *event, unsigned visits)
{
	selftest_set_event(counter, event, 0);
	hal_execute(10);	// whatever held before has ended
	selftest_enable(find(counter)->bit);
	for (unsigned i = 0; i < visits; i++)
		hal_execute_user(100);
	selftest_enable(0);
	return selftest_value(counter);
}

//
// The interrupt handler of the checks that look at the hardware alone
//

static volatile unsigned interrupts_seen;
static volatile uint64_t status_seen;
static volatile bool frozen_seen;

static void on_interrupt(uint64_t, unsigned)
{
	interrupts_seen++;
	if (selftest_suite->freeze_mask)
		frozen_seen = selftest_frozen();
	status_seen = status();
	selftest_enable(0);
	selftest_acknowledge(status_seen);
	if (!(selftest_suite->has & SELFTEST_MASKS))
		hal_pmi_unmask();
	hal_pmi_end();
}

// The package's interrupts remain those of all its CPUs' runtime.
void selftest_watch(enum hal_pmi_delivery delivery)
{
	if (!(selftest_suite->has & SELFTEST_INTERRUPTS))
		return;
	interrupts_seen = 0;
	status_seen = ~0ULL;
	frozen_seen = false;
	hal_pmi_attach(on_interrupt, delivery);
}

struct selftest_seen selftest_seen(void)
{
	return (struct selftest_seen){interrupts_seen, status_seen, frozen_seen};
}

void selftest_overflow_once(unsigned counter, bool interrupt)
{
	selftest_set(counter, selftest_levels(), interrupt, -50ULL);
	selftest_run_together(find(counter)->bit, 1000);
}

#define CPU_CLOCKS (1ULL << 30)

void selftest_call(unsigned cpu, void (*function)(void *argument), void *argument)
{
	if (cpu == hal_cpu())
		return;
	hal_cpu_call(cpu, function, argument);
	selftest_require(hal_cpus_wait(1u << cpu, CPU_CLOCKS));
}

//
// Sessions
//

static struct pmu_session session;

const struct pmu_session *selftest_session(void)
{
	return &session;
}

void selftest_start(const char *events)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	session.driver = NULL;
	while (*events && count < PMU_SESSION_EVENTS)
		if (event_parse(pmu_current_driver()->events, &events, &requests[count++])) {
			selftest_require(false);
			return;
		}
	selftest_require(pmu_open(&session, requests, count, &refusal) == PMU_OK && pmu_start(&session) == PMU_OK);
}

void selftest_stop(void)
{
	selftest_require(pmu_stop(&session) == PMU_OK);
}

uint64_t selftest_count(unsigned event)
{
	uint64_t count = 0;

	selftest_require(pmu_read(&session, event, &count) == PMU_OK);
	return count;
}
