// SPDX-License-Identifier: BSD-2-Clause
// The Core i7 / Xeon 5500 core's profiles against the performance analysis guide's Appendix I:
// numbers of events and runs; and these runs can be opened.

#include "../core/metrics.h"
#include "profile.h"
#include "../vectors.h"

// Number of lines of the guide's lists, and the runs that its text states. Without a number in the
// text, a profile takes at least a quarter of its events without a fixed counter, rounded up: 29 /
// 4 and 51 / 4; that is enough. The guide has neither events nor a number for Working Set: loads,
// stores, cycles, instructions, conditional branches.
static const struct {
	const char *name;
	unsigned events, runs;
	bool stated;
} profiles[] = {
	// "a six event set that can be captured in a single run"
	{"GENERAL_EXPLORATION", 6, 1, true},
	{"BRANCH_ANALYSIS", 4, 2, true},		// "this will take 2 runs"
	{"CYCLES_AND_UOPS", 14, 3, true},		// "14 events, thus collected in 3 runs"
	{"MEMORY_ACCESS", 13, 3, true},			// "13 events that require 3 runs"
	{"FE_INVESTIGATION", 14, 3, true},		// "14 events, thus collected in 3 runs"
	{"WORKING_SET", 5, 1, true},			// "a single run data collection"
	{"FALSE_TRUE_SHARING", 2, 1, false},		// two precise events
	{"LOOP_ANALYSIS", 31, 8, false}, {"LOOP_ANALYSIS_CALL_SITES", 31, 8, false},
	{"CLIENT_ANALYSIS", 53, 13, false}, {"CLIENT_ANALYSIS_CALL_SITES", 53, 13, false},
	{"OVERVIEW", 11, 2, false},			// our own: three have fixed counters
};

static struct pmu_metric_plan plan;

static int start(void **state)
{
	static _Alignas(4096) unsigned char buffer[1 << 16];

	(void)state;
	if (start_driver("nehalem"))
		return 1;
	shim_allow_memory(buffer, sizeof buffer);
	return pmu_give_buffer((uintptr_t)buffer, sizeof buffer) ? 1 : 0;
}

static const struct pmu_profile *must_find_profile(const char *name)
{
	const struct pmu_profile *p = pmu_profile_find(driver.profiles, name);

	if (!p)
		fail_msg("there is no profile %s", name);
	return p;
}

static const struct pmu_profile *must_schedule(const char *name)
{
	const struct pmu_profile *p = must_find_profile(name);
	char why[256];

	memset(&plan, 0, sizeof plan);
	if (pmu_profile_plan(&driver, p, &plan, &refusal) ||
	    pmu_metric_schedule(&driver, &plan, &refusal)) {
		pmu_metric_explain(&refusal, why, sizeof why);
		fail_msg("%s: %s", name, why);
	}
	assert_int_equal(plan.count, p->count);
	return p;
}

static void the_profiles_of_the_guide_are_there(void **state)
{
	(void)state;
	assert_int_equal(driver.profiles->count, LENGTH(profiles));
	for (size_t i = 0; i < LENGTH(profiles); i++) {
		const struct pmu_profile *p = must_find_profile(profiles[i].name);

		if (p->count != profiles[i].events)
			fail_msg("%s has %u events, not %u", p->name, p->count, profiles[i].events);
		assert_int_equal(p->runs, profiles[i].stated ? profiles[i].runs : 0);
		assert_string_equal(p->name, profiles[i].name);
	}
	assert_ptr_equal(pmu_profile_find(driver.profiles, "memory_access"),
			 must_find_profile("MEMORY_ACCESS"));
	assert_null(pmu_profile_find(driver.profiles, "MEMORY"));
}

// Returns how often a profile contains an event, with any modifiers.
static unsigned times_in(const struct pmu_profile *p, const char *event)
{
	const size_t length = strlen(event);
	unsigned times = 0;

	for (unsigned i = 0; i < p->count; i++)
		times += !strncasecmp(p->event[i], event, length) && p->event[i][length] == ':';
	return times;
}

static void must_have_once(const char *profile, const char *event)
{
	if (times_in(must_find_profile(profile), event) != 1)
		fail_msg("%s: %s", profile, event);
}

// If the numbers of events and lines agree, the profile has no other events.
static void the_events_of_each_profile_are_those_of_the_guide(void **state)
{
	static struct rows rows;

	(void)state;
	read_rows("tests/vectors/nehalem-profiles.tab", 2, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		const char *const profile = rows.row[i].field[0],
			*const name = rows.row[i].field[2];
		const char *const event = *name ? name : rows.row[i].field[1];

		must_have_once(profile, event);
		if (!strcmp(profile, "LOOP_ANALYSIS"))
			must_have_once("LOOP_ANALYSIS_CALL_SITES", event);
		if (!strcmp(profile, "CLIENT_ANALYSIS"))
			must_have_once("CLIENT_ANALYSIS_CALL_SITES", event);
	}
	assert_int_equal(rows.count, 6 + 4 + 14 + 11 + 2 + 14 + 31 + 53);
	must_have_once("MEMORY_ACCESS", "CPU_CLK_UNHALTED.THREAD");
	must_have_once("MEMORY_ACCESS", "INST_RETIRED.ANY");
	must_have_once("WORKING_SET", "MEM_INST_RETIRED.LOADS");
	must_have_once("WORKING_SET", "MEM_INST_RETIRED.STORES");
	must_have_once("WORKING_SET", "CPU_CLK_UNHALTED.THREAD");
	must_have_once("WORKING_SET", "INST_RETIRED.ANY");
	must_have_once("WORKING_SET", "BR_INST_EXEC.COND");
}

static void each_profile_takes_the_runs_that_the_guide_states(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(profiles); i++) {
		must_schedule(profiles[i].name);
		if (plan.runs != profiles[i].runs || plan.least != profiles[i].runs)
			fail_msg("%s takes %u runs (at least %u), not %u", profiles[i].name,
				 plan.runs, plan.least, profiles[i].runs);
	}
}

static void open_run(const char *name, unsigned run)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_session session;
	struct pmu_refusal why;
	unsigned count = 0;

	for (unsigned i = 0; i < plan.count; i++)
		if (plan.event[i].run == run) {
			requests[count] = plan.event[i].request;
			requests[count++].counter = (int8_t)plan.event[i].counter;
		}
	assert_true(count > 0);
	if (pmu_open(&session, requests, count, &why))
		fail_msg("run %u of %s cannot be opened", run + 1, name);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(session.counter[i].number, requests[i].counter);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static void each_run_can_be_opened(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(profiles); i++) {
		must_schedule(profiles[i].name);
		for (unsigned run = 0; run < plan.runs; run++)
			open_run(profiles[i].name, run);
	}
}

//
// The guide's text about single events
//

static const struct event_request *must_have(const char *profile, const char *event)
{
	must_schedule(profile);
	for (unsigned i = 0; i < plan.count; i++)
		if (!strcmp(plan.event[i].request.event->name, event))
			return &plan.event[i].request;
	fail_msg("%s has no %s", profile, event);
	return NULL;
}

// "Set all bits to 1 except bit 1 (capture ring 3) and bit 3 (capture near calls) and bits 6 and
// 7"; Table 7 has nine.
static void call_sites_are_recorded_with_the_filter_of_table_7(void **state)
{
	static const char *const with[] = {"BRANCH_ANALYSIS", "LOOP_ANALYSIS_CALL_SITES",
					   "CLIENT_ANALYSIS_CALL_SITES"};
	static const char *const without[] = {"CYCLES_AND_UOPS", "LOOP_ANALYSIS",
					      "CLIENT_ANALYSIS"};
	const uint32_t filter = 0x1FF & ~(1U << 1 | 1U << 3 | 1U << 6 | 1U << 7);

	(void)state;
	for (size_t i = 0; i < LENGTH(with); i++) {
		const struct event_request *r = must_have(with[i], "BR_INST_RETIRED.NEAR_CALL");

		assert_int_equal(r->modifiers & (EVENT_PRECISE | EVENT_BRANCHES),
				 EVENT_PRECISE | EVENT_BRANCHES);
		assert_int_equal(r->branches, filter);
	}
	for (size_t i = 0; i < LENGTH(without); i++)
		assert_int_equal(must_have(without[i], "BR_INST_RETIRED.NEAR_CALL")->modifiers &
				 (EVENT_PRECISE | EVENT_BRANCHES), EVENT_PRECISE);
}

// The profiles' threshold_32 and _128 are decimal, Table 4's suffixes are hexadecimal.
static void latency_thresholds_are_32_and_128_cycles(void **state)
{
	static const char *const with_32[] = {
		"GENERAL_EXPLORATION", "MEMORY_ACCESS", "LOOP_ANALYSIS", "LOOP_ANALYSIS_CALL_SITES",
		"CLIENT_ANALYSIS",
		"CLIENT_ANALYSIS_CALL_SITES",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(with_32); i++)
		assert_int_equal(must_have(with_32[i],
					   "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20")->extra,
					   32);
	assert_int_equal(must_have("MEMORY_ACCESS",
				   "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_80")->extra, 128);
}

// Most events of a first look are counted, not sampled.
static void all_is_sampled_and_precisely_where_it_can_be(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(profiles) && strcmp(profiles[i].name, "OVERVIEW"); i++) {
		must_schedule(profiles[i].name);
		for (unsigned j = 0; j < plan.count; j++) {
			const struct event_request *r = &plan.event[j].request;

			assert_true(r->period > 0);
			if (!!(r->modifiers & EVENT_PRECISE) != r->event->precise)
				fail_msg("%s: %s", profiles[i].name, plan.event[j].text);
		}
	}
}

// "Lowered from the default values by a factor of 100": rounded to a prime, as the other periods
// are.
static void the_working_set_is_sampled_a_hundred_times_as_often(void **state)
{
	static const char *const events[] = {"MEM_INST_RETIRED.LOADS", "MEM_INST_RETIRED.STORES"};

	(void)state;
	for (size_t i = 0; i < LENGTH(events); i++)
		assert_int_equal(must_have("MEMORY_ACCESS", events[i])->period / 1000 /
				 (must_have("WORKING_SET", events[i])->period / 1000), 100);
}

//
// Events that exclude each other in a run
//

static void check_pair(const struct pmu_metric_event *a, const struct pmu_metric_event *b)
{
	if (a->run != b->run)
		return;
	assert_int_not_equal(a->counter, b->counter);
	if (a->request.event->setting_address &&
	    a->request.event->setting_address == b->request.event->setting_address)
		// one latency threshold, one offcore response
		assert_int_equal(a->request.extra, b->request.extra);
	if (a->request.modifiers & b->request.modifiers & EVENT_PRECISE)
		assert_int_equal(a->request.modifiers & EVENT_BRANCHES,
				 b->request.modifiers & EVENT_BRANCHES);
}

static void no_run_needs_a_register_set_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(profiles); i++) {
		must_schedule(profiles[i].name);
		for (unsigned j = 0; j < plan.count; j++)
			for (unsigned k = 0; k < j; k++)
				check_pair(&plan.event[j], &plan.event[k]);
	}
}

static void a_profile_that_does_not_fit_leaves_the_plan_as_it_was(void **state)
{
	static const char *const events[] = {"INST_RETIRED.ANY", "NO_SUCH"};
	const struct pmu_profile bad = {.name = "BAD", .count = LENGTH(events), .event = events};

	(void)state;
	must_schedule("FALSE_TRUE_SHARING");
	assert_int_equal(pmu_profile_plan(&driver, &bad, &plan, &refusal), METRIC_UNKNOWN);
	assert_string_equal(refusal.where, "NO_SUCH");
	assert_int_equal(plan.count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_profiles_of_the_guide_are_there),
		TEST(the_events_of_each_profile_are_those_of_the_guide),
		TEST(each_profile_takes_the_runs_that_the_guide_states),
		TEST(each_run_can_be_opened),
		TEST(call_sites_are_recorded_with_the_filter_of_table_7),
		TEST(latency_thresholds_are_32_and_128_cycles),
		TEST(all_is_sampled_and_precisely_where_it_can_be),
		TEST(the_working_set_is_sampled_a_hundred_times_as_often),
		TEST(no_run_needs_a_register_set_twice),
		TEST(a_profile_that_does_not_fit_leaves_the_plan_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
