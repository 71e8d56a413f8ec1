// SPDX-License-Identifier: BSD-2-Clause
// The steps of the self test's checks, as functions and as table rows.

#include "selftest_shared.h"

#include <string.h>

#include "cpus.h"
#include "hal.h"
#include "pal.h"
#include "stimulus.h"

HAL_STATE_PLACE(struct selftest_now, selftest_now)

void selftest_note(enum selftest_problem problem, uint32_t address)
{
	if (!selftest_now()->present.problem) {
		selftest_now()->present.problem = problem;
		selftest_now()->present.address = address;
	}
}

void selftest_require(bool ok)
{
	if (!ok)
		selftest_note(SELFTEST_STEP, 0);
}

void selftest_skip(const char *reason)
{
	selftest_now()->present.problem = SELFTEST_SKIP;
	selftest_now()->present.reason = reason;
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

void selftest_expect(uint64_t expected)
{
	selftest_now()->present.expected = expected;
}

struct selftest_result selftest_compare(uint64_t expected, uint64_t found)
{
	struct selftest_result result = selftest_now()->present;

	selftest_now()->present = (struct selftest_result){0};
	result.expected = expected;
	result.found = found;
	return result;
}

void selftest_light_halt(uint64_t ticks)
{
	bool interrupts = hal_interrupts_disable();

	hal_alarm((uint32_t)ticks);
	selftest_require(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status == PAL_SUCCESS);
	hal_interrupts_restore(interrupts);
}

void selftest_execute(uint64_t n)
{
	if (selftest_now()->suite->at_user)
		hal_execute_user(n);
	else
		hal_execute(n);
}

void selftest_visit_user(uint64_t n)
{
	while (n--)
		hal_execute_user(100);
}

//
// The suite and its counters
//

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

static uint32_t suite_has(const struct selftest_suite *suite)
{
	uint32_t has = suite->has | (suite->enable ? NEEDS_ENABLE : 0) | (suite->counters_count ? NEEDS_COUNTERS : 0);

	if (suite->freeze_mask && !(suite->has & SELFTEST_FREEZES))
		has |= NEEDS_NO_FREEZE;
	for (unsigned i = 0; i < SELFTEST_SESSIONS; i++)
		has |= suite->sessions[i] ? NEEDS_SESSION(i) : 0;
	return has;
}

static uint32_t counter_has(const struct selftest_counter *c)
{
	return selftest_now()->has | (c->like->exact ? NEEDS_EXACT : 0) | (c->like->readable ? NEEDS_READABLE : 0) |
	       (c->like->cycles && twin_of(c) != c ? NEEDS_CYCLES : 0);
}

void selftest_use(const struct selftest_suite *suite)
{
	selftest_now()->suite = suite;
	selftest_now()->counter_count = 0;
	memset(selftest_now()->counter, 0, sizeof selftest_now()->counter);
	for (size_t i = 0; i < suite->counters_count; i++)
		for (unsigned n = 0; n < suite->counters[i].count; n++) {
			struct selftest_counter *c = &selftest_now()->counter[selftest_now()->counter_count++];

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
	selftest_require(event_parse(selftest_now()->suite->driver->events, &text, request) == EVENT_OK);
}

void selftest_read_events(void)
{
	for (unsigned i = 0; i < selftest_now()->counter_count; i++)
		read_event(selftest_now()->counter[i].like->event, &selftest_now()->counter[i].request);
}

uint64_t selftest_all_counters(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < selftest_now()->counter_count; i++)
		all |= selftest_now()->counter[i].bit;
	return all;
}

//
// Steps with counters
//

// Writes the control register first, because some counters hold no value while they are off
// (Itanium). If that write starts the counter, `start` does it instead.
static void set(struct selftest_counter *c, const struct event_request *request, bool interrupt, uint64_t start)
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

	request.levels = at & AT_ALL ? at & AT_ALL : selftest_now()->suite->at_user ? AT_USER : AT_ALL;
	request.modifiers &= (uint16_t)~(EVENT_OS | EVENT_USER);
	request.modifiers |= (request.levels & AT_OS ? EVENT_OS : 0) | (request.levels & AT_USER ? EVENT_USER : 0);
	set(c, &request, at & INTERRUPTING, start);
}

void selftest_set_event(unsigned counter, const char *event, uint64_t start)
{
	struct event_request request = {0};

	read_event(event, &request);
	set(selftest_find_counter(counter), &request, false, start);
}

void selftest_flip(unsigned counter, uint64_t bits)
{
	selftest_find_counter(counter)->select ^= bits;
	if (!selftest_now()->suite->control_starts)
		selftest_write(selftest_now()->suite->driver->control(counter), selftest_select(counter));
}

uint64_t selftest_select(unsigned counter)
{
	return selftest_find_counter(counter)->select;
}

void selftest_enable(uint64_t counters)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	if (suite->start)
		suite->start(counters);
	else
		selftest_write(suite->enable, counters ? counters | suite->enable_also : 0);
}

void selftest_run_counters(uint64_t counters, uint64_t n)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	if (suite->run)
		suite->run(counters, n);
	else
		selftest_execute_between(suite->enable, counters | suite->enable_also, 0, n);
}

// Not inlined: the code around the instructions is the same each time.
__attribute__((noipa)) void selftest_run_by(void (*execute)(uint64_t n), uint64_t counters, uint64_t n)
{
	selftest_enable(counters);
	execute(n);
	selftest_enable(0);
}

void selftest_run_together(uint64_t counters, uint64_t n)
{
	if (selftest_now()->suite->at_user)
		selftest_run_by(hal_execute_user, counters, n);
	else
		selftest_run_counters(counters, n);
}

uint64_t selftest_value(unsigned counter)
{
	return selftest_read(selftest_now()->suite->driver->address(counter));
}

static uint64_t status(void)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	return suite->overflowed ? suite->overflowed() : selftest_read(suite->status);
}

uint64_t selftest_overflowed(void)
{
	return status() & selftest_all_counters();
}

void selftest_acknowledge(uint64_t overflowed)
{
	if (selftest_now()->suite->acknowledge)
		selftest_now()->suite->acknowledge(overflowed);
	else
		selftest_write(selftest_now()->suite->clear, overflowed);
}

//
// The interrupt handler of checks that examine the hardware alone
//

void *selftest_own(void)
{
	return selftest_now()->own;
}

const struct selftest_seen *selftest_seen(unsigned cpu)
{
	return &selftest_now()->seen[cpu];
}

static struct selftest_seen *seen_here(void)
{
	return &selftest_now()->seen[hal_cpu()];
}

static bool frozen(void)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	return (selftest_read(suite->freeze_address) & suite->freeze_mask) == suite->frozen;
}

static void on_interrupt(uint64_t ip, unsigned level)
{
	const struct selftest_now *now = selftest_now();
	struct selftest_seen *s = seen_here();

	if (now->register_watched)
		s->reading = selftest_read(now->register_watched);
	if (now->serving & WATCH_CLEARS)
		selftest_write(now->register_watched, 0);
	if (now->serving & WATCH_SLOW)
		hal_execute(500);
	s->level = level;
	s->ip = ip;
	if (now->suite->precise)
		s->precise = now->suite->precise();
	if (now->suite->freeze_mask)
		s->frozen = frozen();
	s->status = status();
	if (s->interrupts++ >= (now->serving & WATCH_NOTHING)) {
		selftest_enable(0);
		selftest_acknowledge(s->status);
	}
	if (!(now->suite->has & SELFTEST_MASKS) || now->serving & WATCH_UNMASKS)
		hal_pmi_unmask();
	hal_pmi_end();
	if (now->serving & WATCH_RESTARTS && s->interrupts == 1) {
		selftest_write(now->suite->driver->address(now->watched),
			       FIELD_MASK(0, now->suite->driver->shape->width));
		selftest_enable(1ULL << now->watched);
	}
}

// Interrupts of the package's PMU remain with the runtime of all its CPUs.
void selftest_watch(unsigned counter, unsigned how, uint32_t reading)
{
	selftest_now()->watched = counter;
	selftest_now()->serving = how;
	selftest_now()->attached = true;
	selftest_now()->register_watched =
		how & WATCH_READS ? selftest_now()->suite->driver->address(counter) : reading;
	for (unsigned cpu = 0; cpu < HAL_CPUS; cpu++)
		selftest_now()->seen[cpu].interrupts = 0;
	*seen_here() = (struct selftest_seen){0};
	if (selftest_now()->suite->has & SELFTEST_INTERRUPTS)
		hal_pmi_attach(on_interrupt, how & WATCH_NMI ? HAL_PMI_NMI : HAL_PMI_VECTOR);
}

unsigned selftest_thread(unsigned n)
{
	const unsigned cpus = hal_cpus_start();
	unsigned own_core, own_thread, core, thread;

	hal_topology(hal_cpu(), &own_core, &own_thread);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		hal_topology(cpu, &core, &thread);
		if (core == own_core && thread == (own_thread + n) % selftest_now()->suite->driver->threads)
			return cpu;
	}
	selftest_skip("this core has no such thread");
	return hal_cpu();
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

void selftest_start(const char *events)
{
	struct pmu_session *session = &selftest_now()->session;
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	if (session->driver || selftest_now()->attached)
		selftest_require(pmu_begin(pmu_current_driver(), false) == PMU_OK);
	session->driver = NULL;
	selftest_now()->attached = false;
	while (*events && count < PMU_SESSION_EVENTS)
		if (event_parse(pmu_current_driver()->events, &events, &requests[count++])) {
			selftest_require(false);
			return;
		}
	selftest_require(pmu_open(session, requests, count, &refusal) == PMU_OK && pmu_start(session) == PMU_OK);
}

void selftest_stop(void)
{
	selftest_require(pmu_stop(&selftest_now()->session) == PMU_OK);
}

uint64_t selftest_count(unsigned event)
{
	uint64_t count = 0;

	selftest_require(pmu_read(&selftest_now()->session, event, &count) == PMU_OK);
	return count;
}

uint64_t selftest_samples(unsigned level)
{
	struct pmu_sample sample;
	uint64_t samples = 0;

	while (pmu_take_sample(&sample))
		samples += sample.source.level == level;
	return samples;
}

//
// Steps as table rows
//

// Compares with a counter that counts all cycles from 0 at the same time, because the number of
// cycles per instruction depends on the processor.
uint64_t selftest_count_cycles(unsigned it, const char *event, bool all, uint64_t start)
{
	const struct selftest_counter *twin = twin_of(selftest_find_counter(it));
	uint64_t cycles;

	selftest_set_event(it, event, start);
	selftest_set_event(twin->number, twin->like->cycles, 0);
	selftest_run_together(1ULL << it | twin->bit, 1000);
	cycles = selftest_value(twin->number) + start;
	selftest_require(cycles > 0);
	selftest_expect(all ? cycles : 0);
	return selftest_value(it);
}

static uint64_t statistic(size_t offset)
{
	struct pmu_statistics s;

	pmu_statistics(&s);
	return *(const uint64_t *)((const char *)&s + offset);
}

// A running check: the item it runs for and its counter; the CPU of HERE, the CPU that runs the
// next step, and the one of THERE; the next step; the value of the previous step.
struct run {
	unsigned of, counter, here, cpu, there;
	uint64_t more;
	const struct selftest_step *step;
	uint64_t found;
};

static void begin(void *)
{
	selftest_require(pmu_begin(selftest_now()->suite->driver, false) == PMU_OK);
}

static unsigned begin_there(struct run *run)
{
	run->there = selftest_thread(run->of);
	selftest_call(run->there, begin, NULL);
	return run->there;
}

static void take(void *argument)
{
	struct run *run = argument;
	const struct selftest_step *s = run->step;
	const unsigned it = run->counter;
	const uint64_t bit = 1ULL << it, more = run->more;
	uint64_t found = run->found;

	switch (s->action) {
	case SELFTEST_THERE: run->cpu = s->a ? begin_there(run) : run->here; break;
	case SELFTEST_BY: run->counter = (unsigned)s->a; break;
	case SELFTEST_SET: selftest_set(it, (unsigned)s->a, s->b); break;
	case SELFTEST_SET_EVENT: selftest_set_event(it, s->event, s->b); break;
	case SELFTEST_SET_ALL:
		for (unsigned i = 0; i < selftest_now()->counter_count; i++)
			selftest_set(selftest_now()->counter[i].number, (unsigned)s->a, s->b);
		break;
	case SELFTEST_FLIP: selftest_flip(it, s->a); break;
	case SELFTEST_PUT: selftest_write(selftest_now()->suite->driver->address(it), s->a); break;
	case SELFTEST_CONTROL: selftest_write(selftest_now()->suite->driver->control(it), s->a); break;
	case SELFTEST_WRITE_REGISTER: selftest_write((uint32_t)s->a, s->b); break;
	case SELFTEST_RUN: selftest_run_counters(bit, s->a + more); break;
	case SELFTEST_RUN_ALL: selftest_run_together(s->b ? bit : selftest_all_counters(), s->a + more); break;
	case SELFTEST_RUN_BY: selftest_run_by(s->execute, bit, s->a + more); break;
	case SELFTEST_ENABLE: selftest_enable(s->a ? bit : 0); break;
	case SELFTEST_EXECUTE: s->execute(s->a + more); break;
	case SELFTEST_ALARM: hal_alarm((uint32_t)s->a); break;
	case SELFTEST_INTERRUPTS_ON: hal_interrupts_restore(true); break;
	case SELFTEST_INTERRUPTS_OFF: hal_interrupts_disable(); break;
	case SELFTEST_PMI_DROP: hal_pmi_mask(); break;
	case SELFTEST_PMI_DELIVER: hal_pmi_unmask(); break;
	case SELFTEST_WATCH: selftest_watch(it, (unsigned)s->a, (uint32_t)s->b); break;
	case SELFTEST_ACKNOWLEDGE: selftest_acknowledge(s->b ? bit : s->a); break;
	case SELFTEST_START: selftest_start(s->event ? s->event : selftest_now()->suite->sessions[s->a]); break;
	case SELFTEST_STOP: selftest_stop(); break;
	case SELFTEST_FIND: found = s->find(run->of, s->a); break;
	case SELFTEST_CYCLES: found = selftest_count_cycles(it, s->event, s->a, 0); break;
	case SELFTEST_VALUE: found = selftest_value(it); break;
	case SELFTEST_SUM:
		found = 0;
		for (unsigned i = 0; i < selftest_now()->counter_count; i++)
			if (s->a & selftest_now()->counter[i].bit)
				found += selftest_value(selftest_now()->counter[i].number);
		break;
	case SELFTEST_READ_REGISTER: found = selftest_read((uint32_t)s->a); break;
	case SELFTEST_READ_CONTROL: found = selftest_read(selftest_now()->suite->driver->control(it)); break;
	case SELFTEST_READ_FAULTS: found = !reg_read((uint32_t)s->a, &found); break;
	case SELFTEST_WRITE_FAULTS: found = !reg_write((uint32_t)s->a, s->b); break;
	case SELFTEST_COUNTER_FAULTS: found = !reg_read_counter((uint32_t)s->a, &found); break;
	case SELFTEST_OVERFLOWED: found = selftest_overflowed(); break;
	case SELFTEST_SEEN: found = *(const uint64_t *)((const char *)seen_here() + s->a); break;
	case SELFTEST_FROZEN: found = seen_here()->interrupts ? seen_here()->frozen : frozen(); break;
	case SELFTEST_COUNT: found = selftest_count(s->b ? run->of : (unsigned)s->a); break;
	case SELFTEST_SAMPLED: found = selftest_now()->session.counter[run->of].samples; break;
	case SELFTEST_STATISTIC: found = statistic(s->a); break;
	case SELFTEST_SAMPLES: found = selftest_samples((unsigned)s->a); break;
	case SELFTEST_BITS: found = found & s->a; break;
	case SELFTEST_ABOVE: found = found > s->a; break;
	case SELFTEST_PER: found = found / s->a; break;
	case SELFTEST_REQUIRE: selftest_require(found == s->a); break;
	case SELFTEST_EXPECT: selftest_now()->present.expected = s->a ? s->a * found : bit; break;
	}
	run->found = found;
}

// A problem in a step ends the check.
static uint64_t take_all(const struct selftest_case *check, unsigned of, uint64_t more)
{
	const unsigned here = hal_cpu();
	const unsigned counter = check->names ? selftest_now()->counter->number : of;
	struct run run = {of, counter, here, here, here, more, check->step, 0};

	for (; run.step->action && selftest_now()->present.problem < SELFTEST_STEP; run.step++)
		if (run.cpu == here)
			take(&run);
		else
			selftest_call(run.cpu, take, &run);
	if (run.there != here)
		selftest_call(run.there, begin, NULL);
	return run.found;
}

struct selftest_result selftest_take(const struct selftest_case *check, unsigned of)
{
	unsigned tries = 0;
	uint64_t found;

	selftest_now()->session.driver = NULL;
	selftest_now()->attached = false;
	if (check->each && !check->names)
		selftest_watch(of, 0, 0);	// overflow status that should not be there must not
						// remain
	do {
		selftest_now()->present = (struct selftest_result){.expected = check->expected};
		found = take_all(check, of, 0);
	} while (++tries < check->tries && found != selftest_now()->present.expected);
	if (check->more)
		found = take_all(check, of, check->more) - found;
	hal_interrupts_restore(true);
	return selftest_compare(selftest_now()->present.expected, found);
}
