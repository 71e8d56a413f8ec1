// SPDX-License-Identifier: BSD-2-Clause
// The runs that metrics' events need. Expected values were computed by hand, or by trying all
// distributions.

#include "metric_driver.h"

//
// Runs
//

static void schedules(const char *formula, unsigned runs)
{
	start(NULL);
	plans(define("M", formula));
	assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
	if (plan.runs != runs)
		fail_msg("'%s': %u runs, not %u", formula, plan.runs, runs);
}

// Each event has a counter that can count it, alone in its run.
static void check_counters(void)
{
	for (unsigned i = 0; i < plan.count; i++) {
		const struct pmu_metric_event *e = &plan.event[i];

		assert_true(e->run < plan.runs);
		assert_true(choices(&e->request) >> e->counter & 1);
		for (unsigned j = 0; j < i; j++)
			assert_false(plan.event[j].run == e->run &&
				     plan.event[j].counter == e->counter);
	}
}

static void events_that_fit_together_are_one_run(void **state)
{
	(void)state;
	schedules("A", 1);
	schedules("A + B + C + D", 1);
	schedules("A + B + LOW + LOWER", 1);
	check_counters();
	schedules("LOWER + {A:ctr=0} + LOW", 2);
	check_counters();
	schedules("42", 0);
}

static void events_for_which_there_are_too_few_counters_need_more_runs(void **state)
{
	(void)state;
	schedules("A + B + C + D + E.X", 2);
	check_counters();
	schedules("A + B + C + D + E.X + E.Y + {A:u} + {B:u}", 2);
	check_counters();
	schedules("A + B + C + D + E.X + E.Y + {A:u} + {B:u} + {C:u}", 3);
	schedules("LOW + LOWER + {LOW:u} + {LOWER:u} + {LOW:k}", 3);
	check_counters();
}

// In the order of the formula, A to D would fill the first run, and the other four events, of which
// two fit into a run, would need two more.
static void events_with_few_counters_do_not_have_to_wait_for_the_others(void **state)
{
	(void)state;
	schedules("A + B + C + D + LOW + LOWER + {LOW:u} + {LOWER:u}", 2);
	check_counters();
}

static void events_that_need_a_register_set_differently_need_more_runs(void **state)
{
	(void)state;
	schedules("{A:opc=1/0} + {B:opc=1/0} + C", 1);
	schedules("{A:opc=1/0} + {B:opc=2/0} + C", 2);
	assert_true(plan.event[0].run != plan.event[1].run);
	schedules("{A:opc=1/0} + {A:opc=2/0} + {A:opc=3/0} + {B:opc=1/0} + {B:opc=2/0} + "
		  "{B:opc=3/0}", 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(plan.event[i].run, plan.event[i + 3].run);
	check_counters();
	// This setting depends on the counter.
	schedules("{A:lat=5} + {B:lat=5}", 2);
}

static void an_event_that_no_counter_can_count_is_named(void **state)
{
	(void)state;
	plans(define("M", "A + {B:u} + NONE"));
	assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_UNFIT);
	assert_null(refusal.metric);
	assert_string_equal(refusal.where, "NONE");
	start(NULL);
	plans(define("M", "{LOW:ctr=2}"));
	assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_UNFIT);
}

//
// The least number of runs, by trying all distributions
//

#define FEW 7	// events

// Returns whether these events of the plan (bits) fit into one run: each subset has at least as
// many counters as events, and no two events need different values in a register. An independent
// implementation, for `choices` and `settings` above.
static bool are_one_run(unsigned events)
{
	for (unsigned subset = events; subset; subset = (subset - 1) & events) {
		uint64_t counters = 0;

		for (unsigned i = 0; i < plan.count; i++)
			if (subset >> i & 1)
				counters |= choices(&plan.event[i].request);
		if (__builtin_popcountll(counters) < __builtin_popcount(subset))
			return false;
	}
	for (unsigned i = 0; i < plan.count; i++)
		for (unsigned j = 0; j < i; j++) {
			const struct event_request *a = &plan.event[i].request,
				*b = &plan.event[j].request;
			bool opcodes = a->opcode.given && b->opcode.given &&
				a->opcode.match != b->opcode.match;
			bool addresses = a->data_range.given && b->data_range.given &&
					 a->data_range.first != b->data_range.first;

			if ((events >> i & events >> j & 1) && (opcodes || addresses))
				return false;
		}
	return true;
}

// Returns the events of the group of event `first`, itself included, as bits.
static unsigned group_of(unsigned first)
{
	unsigned events = 1U << first;

	for (unsigned i = 0; i < FEW; i++)
		if (plan.event[first].group && plan.event[i].group == plan.event[first].group)
			events |= 1U << i;
	return events;
}

static bool splits_a_group(unsigned events)
{
	for (unsigned i = 0; i < FEW; i++)
		if (events >> i & 1 && group_of(i) & ~events)
			return true;
	return false;
}

// Returns the least number of sets into which the events can be divided so that each set fits into
// one run and no group is divided; more than FEW: impossible.
static unsigned fewest_runs(unsigned events)
{
	const unsigned first = events & -events, others = events & ~first;
	unsigned fewest = FEW + 1;

	if (!events)
		return 0;
	for (unsigned with = others;; with = (with - 1) & others) {
		if (!splits_a_group(first | with) && are_one_run(first | with)) {
			unsigned runs = 1 + fewest_runs(others & ~with);

			fewest = runs < fewest ? runs : fewest;
		}
		if (!with)
			return fewest;
	}
}

// Makes a random event with counters, and perhaps an opcode and a data address; `number`
// distinguishes it from others.
static int random_event(uint64_t *seed, unsigned number, char *text)
{
	static const char *const names[] = {"A", "LOW", "LOWER", "E.X"};
	static const char *const opcodes[] = {"", "", ":opc=1/0", ":opc=2/0", ":opc=3/0"};
	static const char *const addresses[] = {"", "", ":dar=1-9", ":dar=2-9", ":dar=3-9"};

	return sprintf(text, "%s%s%s:period=%u", names[random_between(seed, 0, LENGTH(names) - 1)],
		       opcodes[random_between(seed, 0, LENGTH(opcodes) - 1)],
		       addresses[random_between(seed, 0, LENGTH(addresses) - 1)], number + 2);
}

static void plan_random_events(uint64_t *seed)
{
	char text[PMU_METRIC_TEXT];

	start(NULL);
	for (unsigned i = 0; i < FEW; i++) {
		random_event(seed, i, text);
		assert_int_equal(pmu_metric_plan_event(&driver, text, &plan, &refusal), METRIC_OK);
	}
}

static void small_plans_have_the_fewest_runs_there_can_be(void **state)
{
	uint64_t seed = 0x666577657374;

	(void)state;
	for (unsigned turn = 0; turn < 3000; turn++) {
		unsigned fewest;

		plan_random_events(&seed);
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		check_counters();
		fewest = fewest_runs((1U << FEW) - 1);
		if (plan.runs != fewest || plan.least != fewest)
			fail_msg("turn %u: %u runs (at least %u), not %u", turn, plan.runs,
				 plan.least, fewest);
	}
}

// If a group does not fit into one run, the refusal names its first event.
static void check_refused_group(void)
{
	unsigned first = 0;

	assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_UNFIT);
	while (plan.event[first].text != refusal.where)
		first++;
	assert_false(are_one_run(group_of(first)));
	assert_int_equal(group_of(first) & ((1U << first) - 1), 0);
}

static void groups_are_in_one_run_and_runs_are_as_few_as_can_be(void **state)
{
	uint64_t seed = 0x67726F757073;
	unsigned unfit = 0;

	(void)state;
	for (unsigned turn = 0; turn < 3000; turn++) {
		unsigned fewest;

		plan_random_events(&seed);
		for (unsigned i = 0; i < FEW; i++)
			plan.event[i].group = (uint8_t)random_between(&seed, 0, 3);
		fewest = fewest_runs((1U << FEW) - 1);
		if (fewest > FEW) {
			check_refused_group();
			unfit++;
			continue;
		}
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		check_counters();
		for (unsigned i = 0; i < FEW; i++)
			for (unsigned j = 0; j < i; j++)
				if (group_of(i) >> j & 1)
					assert_int_equal(plan.event[i].run, plan.event[j].run);
		if (plan.runs != fewest)
			fail_msg("turn %u: %u runs, not %u", turn, plan.runs, fewest);
	}
	assert_in_range(unfit, 100, 2900);
}

static void single_events_are_planned_once_and_refused_without_a_metric(void **state)
{
	(void)state;
	assert_int_equal(pmu_metric_plan_event(&driver, "A:period=5", &plan, &refusal), METRIC_OK);
	assert_int_equal(pmu_metric_plan_event(&driver, "a:PERIOD=5", &plan, &refusal), METRIC_OK);
	assert_int_equal(pmu_metric_plan_event(&driver, "A", &plan, &refusal), METRIC_OK);
	assert_int_equal(plan.count, 2);
	assert_int_equal(plan.event[0].request.period, 5);
	assert_int_equal(pmu_metric_plan_event(&driver, "NO_SUCH", &plan, &refusal),
			 METRIC_UNKNOWN);
	assert_null(refusal.metric);
	assert_int_equal(pmu_metric_plan_event(&driver, "A:z", &plan, &refusal), METRIC_BAD_EVENT);
	assert_string_equal(refusal.where, "z");
	assert_int_equal(pmu_metric_plan_event(&driver, "A,B", &plan, &refusal), METRIC_BAD_EVENT);
	assert_int_equal(plan.count, 2);
}

// For any number and kind of events: each event is in a run, and each run is possible on the
// hardware.
static void random_plans_are_scheduled(void **state)
{
	static const char *const names[] = {"A", "B", "LOW", "E.X"};
	uint64_t seed = 0x6D6574726963;
	char formula[PMU_METRIC_EVENTS * 40];

	(void)state;
	for (unsigned turn = 0; turn < 200; turn++) {
		unsigned events_wanted = (unsigned)random_between(&seed, 1, PMU_METRIC_EVENTS);
		size_t at = 0;

		start(NULL);
		for (unsigned i = 0; i < events_wanted; i++) {
			unsigned opcode = (unsigned)random_between(&seed, 0, 2);
			unsigned levels = (unsigned)random_between(&seed, 1, 15);

			at += (size_t)sprintf(&formula[at], "%s{%s:opc=%u/0:plm=%u}",
					      i ? " + " : "",
					      names[random_between(&seed, 0, LENGTH(names) - 1)],
					      opcode, levels);
		}
		plans(define("M", formula));
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		check_counters();
		assert_true(plan.least >= (plan.count + 3) / 4 && plan.least <= plan.runs);
		for (unsigned i = 0; i < plan.count; i++)
			for (unsigned j = 0; j < i; j++)
				assert_true(plan.event[i].run != plan.event[j].run ||
					    plan.event[i].request.opcode.match ==
					    plan.event[j].request.opcode.match);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_that_fit_together_are_one_run),
		TEST(events_for_which_there_are_too_few_counters_need_more_runs),
		TEST(events_with_few_counters_do_not_have_to_wait_for_the_others),
		TEST(events_that_need_a_register_set_differently_need_more_runs),
		TEST(an_event_that_no_counter_can_count_is_named),
		TEST(small_plans_have_the_fewest_runs_there_can_be),
		TEST(groups_are_in_one_run_and_runs_are_as_few_as_can_be),
		TEST(single_events_are_planned_once_and_refused_without_a_metric),
		TEST(random_plans_are_scheduled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
