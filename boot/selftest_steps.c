// SPDX-License-Identifier: BSD-2-Clause
// The steps that the checks of a self test consist of, as functions and as rows of a table have them.

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

void selftest_expect(uint64_t expected)
{
	present.expected = expected;
}

struct selftest_result selftest_compare(uint64_t expected, uint64_t found)
{
	struct selftest_result result = present;

	present = (struct selftest_result){0};
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
	if (selftest_suite->at_user)
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

const struct selftest_suite *selftest_suite;
struct selftest_counter selftest_counter[PMU_SESSION_EVENTS];
unsigned selftest_counter_count;
uint32_t selftest_has;

struct selftest_counter *selftest_find_counter(unsigned number)
{
	struct selftest_counter *c = selftest_counter;

	while (c->number != number)
		c++;
	return c;
}

// The first counter beside this one that can count cycles; this one: none can.
static const struct selftest_counter *twin_of(const struct selftest_counter *counter)
{
	for (const struct selftest_counter *c = selftest_counter; c < selftest_counter + selftest_counter_count; c++)
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
	return selftest_has | (c->like->exact ? NEEDS_EXACT : 0) | (c->like->readable ? NEEDS_READABLE : 0) |
	       (c->like->cycles && twin_of(c) != c ? NEEDS_CYCLES : 0);
}

void selftest_use(const struct selftest_suite *suite)
{
	selftest_suite = suite;
	selftest_counter_count = 0;
	memset(selftest_counter, 0, sizeof selftest_counter);
	for (size_t i = 0; i < suite->counters_count; i++)
		for (unsigned n = 0; n < suite->counters[i].count; n++) {
			struct selftest_counter *c = &selftest_counter[selftest_counter_count++];

			c->like = &suite->counters[i];
			c->number = c->like->first + n;
			c->bit = 1ULL << c->number;
		}
	selftest_has = suite_has(suite);
	for (unsigned i = 0; i < selftest_counter_count; i++)
		selftest_counter[i].has = counter_has(&selftest_counter[i]);
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

uint64_t selftest_all_counters(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < selftest_counter_count; i++)
		all |= selftest_counter[i].bit;
	return all;
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
	selftest_write(driver->address(c->number), start & FIELD_MASK(0, driver->width));
}

void selftest_set(unsigned counter, unsigned at, uint64_t start)
{
	struct selftest_counter *c = selftest_find_counter(counter);
	struct event_request request = c->request;

	request.levels = at & AT_ALL ? at & AT_ALL : selftest_suite->at_user ? AT_USER : AT_ALL;
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
	if (!selftest_suite->control_starts)
		selftest_write(selftest_suite->driver->control(counter), selftest_select(counter));
}

uint64_t selftest_select(unsigned counter)
{
	return selftest_find_counter(counter)->select;
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
__attribute__((noipa)) void selftest_run_by(void (*execute)(uint64_t n), uint64_t counters, uint64_t n)
{
	selftest_enable(counters);
	execute(n);
	selftest_enable(0);
}

void selftest_run_together(uint64_t counters, uint64_t n)
{
	if (selftest_suite->at_user)
		selftest_run_by(hal_execute_user, counters, n);
	else
		selftest_run_counters(counters, n);
}

uint64_t selftest_value(unsigned counter)
{
	return selftest_read(selftest_suite->driver->address(counter));
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

//
// The interrupt handler of the checks that look at the hardware alone
//

static struct selftest_seen seen[HAL_CPUS];
static unsigned watched, serving;
static bool attached;		// interrupts do not come to the runtime
static uint32_t register_watched;

const struct selftest_seen *selftest_seen(unsigned cpu)
{
	return &seen[cpu];
}

static bool frozen(void)
{
	return (selftest_read(selftest_suite->freeze_address) & selftest_suite->freeze_mask) == selftest_suite->frozen;
}

static void on_interrupt(uint64_t, unsigned level)
{
	struct selftest_seen *s = &seen[hal_cpu()];

	if (register_watched)
		s->reading = selftest_read(register_watched);
	if (serving & WATCH_CLEARS)
		selftest_write(register_watched, 0);
	if (serving & WATCH_SLOW)
		hal_execute(500);
	s->level = level;
	if (selftest_suite->precise)
		s->precise = selftest_suite->precise();
	if (selftest_suite->freeze_mask)
		s->frozen = frozen();
	s->status = status();
	if (s->interrupts++ >= (serving & WATCH_NOTHING)) {
		selftest_enable(0);
		selftest_acknowledge(s->status);
	}
	if (!(selftest_suite->has & SELFTEST_MASKS) || serving & WATCH_UNMASKS)
		hal_pmi_unmask();
	hal_pmi_end();
	if (serving & WATCH_RESTARTS && s->interrupts == 1) {
		selftest_write(selftest_suite->driver->address(watched), FIELD_MASK(0, selftest_suite->driver->width));
		selftest_enable(1ULL << watched);
	}
}

// The package's interrupts remain those of all its CPUs' runtime.
void selftest_watch(unsigned counter, unsigned how, uint32_t reading)
{
	watched = counter;
	serving = how;
	attached = true;
	register_watched = how & WATCH_READS ? selftest_suite->driver->address(counter) : reading;
	for (unsigned cpu = 0; cpu < HAL_CPUS; cpu++)
		seen[cpu].interrupts = 0;
	seen[hal_cpu()] = (struct selftest_seen){0};
	if (selftest_suite->has & SELFTEST_INTERRUPTS)
		hal_pmi_attach(on_interrupt, how & WATCH_NMI ? HAL_PMI_NMI : HAL_PMI_VECTOR);
}

unsigned selftest_thread(unsigned n)
{
	const unsigned cpus = hal_cpus_start();
	unsigned own_core, own_thread, core, thread;

	hal_topology(hal_cpu(), &own_core, &own_thread);
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		hal_topology(cpu, &core, &thread);
		if (core == own_core && thread == (own_thread + n) % selftest_suite->driver->threads)
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

static struct pmu_session session;

void selftest_start(const char *events)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	if (session.driver || attached)
		selftest_require(pmu_begin(pmu_current_driver(), false) == PMU_OK);
	session.driver = NULL;
	attached = false;
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

uint64_t selftest_samples(unsigned level)
{
	struct pmu_sample sample;
	uint64_t samples = 0;

	while (pmu_take_sample(&sample))
		samples += sample.source.level == level;
	return samples;
}

//
// Steps as rows of a table have them
//

// Its count of an event, from `start`, against all cycles, from 0 at the same time. How many instructions take is the
// processor's business.
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

// A check that runs: of what, by which counter; which CPU runs it, and which one has done; its next step; what the one
// before that has found.
struct run {
	unsigned of, counter, here, cpu, there;
	uint64_t more;
	const struct selftest_step *step;
	uint64_t found;
};

static void begin(void *)
{
	selftest_require(pmu_begin(selftest_suite->driver, false) == PMU_OK);
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
		for (unsigned i = 0; i < selftest_counter_count; i++)
			selftest_set(selftest_counter[i].number, (unsigned)s->a, s->b);
		break;
	case SELFTEST_FLIP: selftest_flip(it, s->a); break;
	case SELFTEST_PUT: selftest_write(selftest_suite->driver->address(it), s->a); break;
	case SELFTEST_CONTROL: selftest_write(selftest_suite->driver->control(it), s->a); break;
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
	case SELFTEST_START: selftest_start(s->event ? s->event : selftest_suite->sessions[s->a]); break;
	case SELFTEST_STOP: selftest_stop(); break;
	case SELFTEST_FIND: found = s->find(run->of, s->a); break;
	case SELFTEST_CYCLES: found = selftest_count_cycles(it, s->event, s->a, 0); break;
	case SELFTEST_VALUE: found = selftest_value(it); break;
	case SELFTEST_SUM:
		found = 0;
		for (unsigned i = 0; i < selftest_counter_count; i++)
			found += s->a & selftest_counter[i].bit ? selftest_value(selftest_counter[i].number) : 0;
		break;
	case SELFTEST_READ_REGISTER: found = selftest_read((uint32_t)s->a); break;
	case SELFTEST_READ_CONTROL: found = selftest_read(selftest_suite->driver->control(it)); break;
	case SELFTEST_READ_FAULTS: found = !reg_read((uint32_t)s->a, &found); break;
	case SELFTEST_WRITE_FAULTS: found = !reg_write((uint32_t)s->a, s->b); break;
	case SELFTEST_COUNTER_FAULTS: found = !reg_read_counter((uint32_t)s->a, &found); break;
	case SELFTEST_OVERFLOWED: found = selftest_overflowed(); break;
	case SELFTEST_SEEN: found = *(const uint64_t *)((const char *)&seen[hal_cpu()] + s->a); break;
	case SELFTEST_FROZEN: found = seen[hal_cpu()].interrupts ? seen[hal_cpu()].frozen : frozen(); break;
	case SELFTEST_COUNT: found = selftest_count(s->b ? run->of : (unsigned)s->a); break;
	case SELFTEST_SAMPLED: found = session.counter[run->of].samples; break;
	case SELFTEST_STATISTIC: found = statistic(s->a); break;
	case SELFTEST_SAMPLES: found = selftest_samples((unsigned)s->a); break;
	case SELFTEST_BITS: found = found & s->a; break;
	case SELFTEST_ABOVE: found = found > s->a; break;
	case SELFTEST_PER: found = found / s->a; break;
	case SELFTEST_REQUIRE: selftest_require(found == s->a); break;
	case SELFTEST_EXPECT: present.expected = s->a ? s->a * found : bit; break;
	}
	run->found = found;
}

// A step that has failed ends it.
static uint64_t take_all(const struct selftest_case *check, unsigned of, uint64_t more)
{
	const unsigned here = hal_cpu();
	struct run run = {of, check->names ? selftest_counter->number : of, here, here, here, more, check->step, 0};

	for (; run.step->action && present.problem < SELFTEST_STEP; run.step++)
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

	session.driver = NULL;
	attached = false;
	if (check->each && !check->names)
		selftest_watch(of, 0, 0);	// what overflows and should not does not stay
	do {
		present = (struct selftest_result){.expected = check->expected};
		found = take_all(check, of, 0);
	} while (++tries < check->tries && found != present.expected);
	if (check->more)
		found = take_all(check, of, check->more) - found;
	hal_interrupts_restore(true);
	return selftest_compare(present.expected, found);
}
