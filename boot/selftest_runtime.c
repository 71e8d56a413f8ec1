// SPDX-License-Identifier: BSD-2-Clause
// What all PMUs share, the runtime on top: sessions, storms, contexts, the light halt.

#include "selftest_shared.h"

#include "hal.h"

// At a level at which the suite's sessions count.
static void execute(uint64_t n)
{
	if (selftest_suite->at_user)
		hal_execute_user(n);
	else
		hal_execute(n);
}

static struct pmu_statistics statistics(void)
{
	struct pmu_statistics s;

	pmu_statistics(&s);
	return s;
}

// Counters that overflow at once, again and again, against one that only counts.
static void run_overflowing(void)
{
	selftest_start(selftest_suite->sessions.overflowing);
	execute(5000);
	selftest_stop();
}

static struct selftest_result check_exact(const struct selftest_counter *, unsigned event)
{
	run_overflowing();
	return selftest_compare(selftest_count(0), selftest_count(event));
}

static struct selftest_result check_samples(const struct selftest_counter *, unsigned event)
{
	run_overflowing();
	return selftest_compare(selftest_count(0) / 1000, selftest_session()->counter[event].samples);
}

static struct selftest_result check_spurious(const struct selftest_counter *, unsigned)
{
	run_overflowing();
	return selftest_compare(0, statistics().spurious);
}

// Samples of what only level 3 counts are taken at level 3, one each period.
static struct selftest_result check_user(const struct selftest_counter *, unsigned)
{
	struct pmu_sample sample;
	uint64_t at_user = 0;

	selftest_start(selftest_suite->sessions.user);
	hal_execute_user(10500);
	selftest_stop();
	while (pmu_take_sample(&sample))
		at_user += sample.source.level == 3;
	return selftest_compare(selftest_count(0) / 1000, at_user);
}

// Put aside and brought back: what is executed meanwhile is not counted. The same instructions are the same count
// before and behind.
static struct selftest_result check_context(const struct selftest_counter *, unsigned)
{
	struct pmu_context context;
	uint64_t before;

	selftest_start(selftest_suite->sessions.user);
	hal_execute_user(2500);
	selftest_require(pmu_context_save(&context, 0, 0) == PMU_OK);
	before = selftest_count(0);
	hal_execute_user(5000);
	selftest_require(pmu_context_restore(&context) == PMU_OK);
	selftest_require(selftest_count(0) == before);
	hal_execute_user(2500);
	selftest_stop();
	selftest_require(selftest_count(0) == selftest_count(1));
	return selftest_compare(2 * before, selftest_count(0));
}

// An interrupt in each 50 instructions, until the limit is passed.
static void run_limited(const char *events)
{
	pmu_limit_interrupts(SELFTEST_STORM_LIMIT, UINT64_MAX >> 1);
	selftest_start(events);
	execute(5000);
	selftest_stop();
}

// The interrupts, the throttled counters, what they have counted.
enum storm { BOUNDED, REPORTED, EXACT };

static struct selftest_result check_storm(const struct selftest_counter *, unsigned what)
{
	run_limited(selftest_suite->sessions.storm);
	if (what == BOUNDED)
		return selftest_compare(SELFTEST_STORM_LIMIT + 1, statistics().interrupts);
	if (what == REPORTED)
		return selftest_compare(1, statistics().throttles);
	return selftest_compare(selftest_count(0), selftest_count(1));
}

// Each NMI but the first is pending before the one before it has returned.
static struct selftest_result check_nmi(const struct selftest_counter *, unsigned)
{
	pmu_begin(selftest_suite->driver, true);
	run_limited(selftest_suite->sessions.nmi);
	return selftest_compare(selftest_count(0), selftest_count(1));
}

//
// The light halt
//

static struct selftest_result check_halt_state(const struct selftest_counter *c, unsigned)
{
	selftest_enable(c->bit);
	selftest_light_halt(5000);
	return selftest_compare(c->bit | selftest_suite->enable_also, selftest_read(selftest_suite->enable));
}

// What a counter counts around a halt of so many timer ticks.
static uint64_t count_around_halt(const struct selftest_counter *c, uint32_t ticks)
{
	selftest_set(c->number, SELFTEST_ALL, false, 0);
	selftest_enable(c->bit);
	selftest_light_halt(ticks);
	selftest_enable(0);
	return selftest_value(c->number);
}

static struct selftest_result check_halt_count(const struct selftest_counter *c, unsigned)
{
	uint64_t more = 0;

	for (unsigned i = 0; i < 2; i++)
		more = count_around_halt(c, 5000 + 10000 * i) - more;
	return selftest_compare(0, more);
}

// An overflow whose interrupt is pending when the halt begins ends it, and is served.
static struct selftest_result check_halt_overflow(const struct selftest_counter *c, unsigned)
{
	bool interrupts = hal_interrupts_disable();

	selftest_overflow_once(c->number, true);
	selftest_light_halt(5000);
	hal_interrupts_restore(interrupts);
	return selftest_compare(1, selftest_seen().interrupts);
}

static const struct selftest_shared halt_checks[] = {
	{"PAL_HALT_LIGHT restores what counts: ", check_halt_state, SELFTEST_HALTS | NEEDS_ENABLE},
	{"PAL_HALT_LIGHT: a longer halt counts nothing more: ", check_halt_count, SELFTEST_HALTS | NEEDS_EXACT},
	{"PAL_HALT_LIGHT: a pending overflow is served: ", check_halt_overflow, SELFTEST_HALTS | SELFTEST_INTERRUPTS},
};

// Each event but the first of a list overflows.
static void visit_overflowing(const char *events, selftest_visit_function *visit, void *context)
{
	static const char *const names[][2] = {
		{"session: counter 1 that overflows is exact", "session: counter 1 took a sample each period"},
		{"session: counter 2 that overflows is exact", "session: counter 2 took a sample each period"},
		{"session: counter 3 that overflows is exact", "session: counter 3 took a sample each period"},
		{"session: counter 4 that overflows is exact", "session: counter 4 took a sample each period"},
	};
	unsigned event = 0;

	for (const char *text = events; *text; text++)
		if (*text == ',' && event++ < sizeof names / sizeof *names) {
			visit(context, names[event - 1][0], NULL, check_exact, event);
			visit(context, names[event - 1][1], NULL, check_samples, event);
		}
	visit(context, "session: no interrupt without an overflow", NULL, check_spurious, 0);
}

void selftest_visit_runtime(selftest_visit_function *visit, void *context)
{
	const struct selftest_sessions *s = &selftest_suite->sessions;

	if (s->overflowing)
		visit_overflowing(s->overflowing, visit, context);
	if (s->user) {
		visit(context, "session: samples of level 3 are taken at level 3", NULL, check_user, 0);
		visit(context, "context: put aside and brought back, exact", NULL, check_context, 0);
	}
	if (s->storm) {
		visit(context, "storm: interrupts stop behind the limit", NULL, check_storm, BOUNDED);
		visit(context, "storm: the throttled counter is reported", NULL, check_storm, REPORTED);
		visit(context, "storm: the throttled counter is exact", NULL, check_storm, EXACT);
	}
	if (s->nmi)
		visit(context, "session: NMIs that follow each other at once are exact", NULL, check_nmi, 0);
	selftest_visit(halt_checks, sizeof halt_checks / sizeof *halt_checks, visit, context);
}
