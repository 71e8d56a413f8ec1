// SPDX-License-Identifier: BSD-2-Clause
// Metrics: formulas, exact values, and the runs that a plan needs. Expected values are computed by hand.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "pmu_driver.h"
#include "random.h"

#define LENGTH(array) (sizeof array / sizeof *array)

//
// A driver whose events say themselves what can count them, and with four counters
//

static const struct pmu_event some_events[] = {
	{.name = "A", .counters = 0xF}, {.name = "B", .counters = 0xF}, {.name = "C", .counters = 0xF},
	{.name = "D", .counters = 0xF}, {.name = "E.X", .counters = 0xF}, {.name = "E.Y", .counters = 0xF},
	{.name = "LOW", .counters = 0x3}, {.name = "LOWER", .counters = 0x3}, {.name = "NONE", .counters = 0x100},
};
static const struct pmu_event_table events = {some_events, LENGTH(some_events)};

static uint64_t choices(const struct event_request *r)
{
	uint64_t counters = r->event->counters;

	return r->counter == EVENT_ANY_COUNTER ? counters : counters & 1ULL << r->counter;
}

// An opcode needs one register, a data address another; a latency needs what depends on the counter.
static unsigned settings(const struct event_request *r, unsigned counter, struct pmu_setting *setting)
{
	unsigned count = 0;

	if (r->opcode.given)
		setting[count++] = (struct pmu_setting){.address = 0x108, .mask = ~0ULL, .value = r->opcode.match};
	if (r->data_range.given)
		setting[count++] = (struct pmu_setting){.address = 0x109, .mask = ~0ULL, .value = r->data_range.first};
	if (r->latency)
		setting[count++] = (struct pmu_setting){.address = 0x10A, .mask = 0xFF, .value = counter};
	return count;
}

#define METRICS_MAX 64

static struct pmu_metric metric[METRICS_MAX];
static struct pmu_metric_table metrics = {metric, 0};
static const struct pmu_driver driver = {
	.events = &events, .metrics = &metrics, .counters = 0xF, .choices = choices,
	.settings = &(const struct pmu_settings){.needed = settings},
};
static struct pmu_metric_plan plan;
static struct pmu_metric_refusal refusal;

static int start(void **state)
{
	(void)state;
	metrics.count = 0;
	memset(&plan, 0, sizeof plan);
	return 0;
}

// Metrics must be defined in the order of their names.
static const struct pmu_metric *define(const char *name, const char *formula)
{
	struct pmu_metric *m = &metric[metrics.count++];

	assert_true(metrics.count <= METRICS_MAX);
	*m = (struct pmu_metric){name, "count", "test", formula, "test"};
	return m;
}

static void plans(const struct pmu_metric *m)
{
	enum pmu_metric_error error = pmu_metric_plan(&driver, m, "", &plan, &refusal);

	if (error)
		fail_msg("'%s' is refused: %d", m->formula, error);
}

//
// Values
//

// Counts of A, B, C, D.
static uint64_t counts_of[4];

static struct pmu_value value_of(const char *formula)
{
	static const char names[] = "ABCD";
	uint64_t counts[PMU_METRIC_EVENTS] = {0};
	struct pmu_value value;
	const struct pmu_metric *m;

	start(NULL);
	m = define("M", formula);
	plans(m);
	for (unsigned i = 0; i < plan.count; i++)
		counts[i] = counts_of[strchr(names, *plan.event[i].text) - names];
	assert_int_equal(pmu_metric_evaluate(&driver, m, "", &plan, counts, &value, &refusal), METRIC_OK);
	return value;
}

static void is(const char *formula, __int128 numerator, __int128 denominator)
{
	struct pmu_value v = value_of(formula);

	assert_int_equal(v.kind, VALUE_NUMBER);
	if (v.numerator != numerator || v.denominator != denominator)
		fail_msg("'%s' is %lld/%lld", formula, (long long)v.numerator, (long long)v.denominator);
}

static void sums_products_and_quotients_are_computed(void **state)
{
	static const uint64_t counts[] = {7, 2, 3, 12};

	(void)state;
	memcpy(counts_of, counts, sizeof counts);
	is("A", 7, 1);
	is("42", 42, 1);
	is("A + B", 9, 1);
	is("B - A", -5, 1);
	is("A * B", 14, 1);
	is("A / B", 7, 2);
	is("D / B", 6, 1);
	is("A-B-C", 2, 1);		// from left to right
	is("D/B/C", 2, 1);
	is("A + B * C", 13, 1);		// products first
	is("(A + B) * C", 27, 1);
	is("A - (B - C)", 8, 1);
	is("A/B + A/C", 35, 6);
	is("A/B - A/C", 7, 6);
	is("(A/B) * (B/A)", 1, 1);
	is("(B - A) / (C - D)", 5, 9);
	is("A / (B - C)", -7, 1);
	is("(A - A) / B", 0, 1);
	is(" ( ( A ) )\t* 4 ", 28, 1);
	is("4*A+B", 30, 1);
}

static void values_are_exact_at_64_bits(void **state)
{
	const __int128 most = UINT64_MAX;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		counts_of[i] = UINT64_MAX;
	counts_of[1] = UINT64_MAX - 1;
	is("A", most, 1);
	is("A - B", 1, 1);
	is("A + C + C + D", 4 * most, 1);
	is("A / B", most, most - 1);
	is("A / B - 1", 1, most - 1);
	is("(A / B) * B", most, 1);
	is("A / B * B / D * C", most, 1);
}

static void what_is_divided_by_zero_is_not_defined(void **state)
{
	static const char *const formulas[] = {"A / B", "A / (C - C)", "1 + A / B", "(A / B) * B", "C - A / B",
					       "1 / (A / B)"};

	(void)state;
	counts_of[0] = counts_of[2] = 5;
	counts_of[1] = 0;
	for (size_t i = 0; i < LENGTH(formulas); i++)
		assert_int_equal(value_of(formulas[i]).kind, VALUE_NOT_DEFINED);
	is("B / A", 0, 1);
}

static void more_than_127_bits_are_too_large(void **state)
{
	static const char *const formulas[] = {"A * A", "A * A + 1", "1 - A * A", "1 / (A * A)", "1 / A / B",
					       "(A * C + A * C) + (A * C + A * C)"};

	(void)state;
	counts_of[0] = UINT64_MAX;
	counts_of[1] = UINT64_MAX - 1;
	counts_of[2] = UINT64_MAX >> 2;
	for (size_t i = 0; i < LENGTH(formulas); i++)
		assert_int_equal(value_of(formulas[i]).kind, VALUE_TOO_LARGE);
	is("A * C", (__int128)UINT64_MAX * (UINT64_MAX >> 2), 1);
}

//
// Values as text
//

static const struct {
	__int128 numerator, denominator;
	unsigned digits;
	const char *text;
} printed[] = {
	{0, 1, 3, "0"}, {7, 1, 3, "7"}, {-7, 1, 3, "-7"},
	{15, 8, 3, "1.875"}, {15, 8, 2, "1.88"}, {15, 8, 1, "1.9"}, {15, 8, 0, "2"},
	{1, 3, 4, "0.3333"}, {2, 3, 4, "0.6667"}, {-2, 3, 4, "-0.6667"},
	{-1, 3000, 3, "0.000"}, {-1, 2000, 3, "-0.001"},
	{1999, 1000, 2, "2.00"}, {-9999, 10, 0, "-1000"}, {1, 2, 0, "1"}, {1, 3, 18, "0.333333333333333333"},
	{1, 3, 99, "0.333333333333333333"},
	{UINT64_MAX, 1, 0, "18446744073709551615"},
	{((__int128)1 << 126) + (((__int128)1 << 126) - 1), 1, 0, "170141183460469231731687303715884105727"},
	{((__int128)1 << 126) - 1, (__int128)1 << 126, 3, "1.000"},
};

static void values_are_printed_rounded(void **state)
{
	char text[64];

	(void)state;
	for (size_t i = 0; i < LENGTH(printed); i++) {
		struct pmu_value v = {VALUE_NUMBER, printed[i].numerator, printed[i].denominator};

		pmu_value_print(&v, printed[i].digits, text, sizeof text);
		assert_string_equal(text, printed[i].text);
	}
}

static void what_is_no_number_is_printed_in_words(void **state)
{
	struct pmu_value v = {.kind = VALUE_NOT_DEFINED};
	char text[64];

	(void)state;
	pmu_value_print(&v, 3, text, sizeof text);
	assert_string_equal(text, "not defined");
	v.kind = VALUE_TOO_LARGE;
	pmu_value_print(&v, 3, text, sizeof text);
	assert_string_equal(text, "too large");
}

static void text_is_cut_at_the_end_of_its_room(void **state)
{
	struct pmu_value v = {VALUE_NUMBER, 15, 8};
	char text[5] = "";

	(void)state;
	pmu_value_print(&v, 3, text, 4);
	assert_string_equal(text, "1.8");
}

//
// Names, metrics in metrics
//

static void metrics_are_found_in_upper_and_lower_case(void **state)
{
	const struct pmu_metric_table empty = {NULL, 0};

	(void)state;
	define("ABC", "A");
	define("abd.d", "A");
	assert_ptr_equal(pmu_metric_find(&metrics, "abc"), &metric[0]);
	assert_ptr_equal(pmu_metric_find(&metrics, "ABD.D"), &metric[1]);
	assert_null(pmu_metric_find(&metrics, "AB"));
	assert_null(pmu_metric_find(&metrics, "ABCD"));
	assert_null(pmu_metric_find(&empty, "ABC"));
}

static void a_metric_in_a_formula_stands_for_its_whole_formula(void **state)
{
	const uint64_t counts[] = {7, 2, 3};
	struct pmu_value value;

	(void)state;
	define("DIFFERENCE", "A - B");
	define("PRODUCT", "C * DIFFERENCE");
	define("QUOTIENT", "PRODUCT / DIFFERENCE.d");
	define("QUOTIENT2", "product / difference");
	plans(&metric[3]);
	assert_int_equal(plan.count, 3);
	assert_string_equal(plan.event[0].text, "C");
	assert_string_equal(plan.event[1].text, "A");
	assert_string_equal(plan.event[2].text, "B");
	assert_int_equal(pmu_metric_evaluate(&driver, &metric[3], "", &plan, counts, &value, &refusal), METRIC_OK);
	assert_int_equal(value.numerator, 7);	// C is 7, A 2, B 3: 7 * -1 / -1
	assert_int_equal(value.denominator, 1);
	assert_int_equal(pmu_metric_plan(&driver, &metric[2], "", &plan, &refusal), METRIC_UNKNOWN);
}

static void each_event_is_planned_once(void **state)
{
	(void)state;
	plans(define("M", "{A} + a + A / {E.X:u} - {e.x:u} - {E.X:k} - E.X"));
	assert_int_equal(plan.count, 4);
	assert_string_equal(plan.event[1].text, "E.X:u");
	assert_int_equal(plan.event[1].request.levels, 8);
	assert_string_equal(plan.event[2].text, "E.X:k");
	assert_int_equal(plan.event[2].request.levels, 1);
	plans(define("N", "B + A"));
	assert_int_equal(plan.count, 5);
}

//
// Refusals
//

static const struct {
	const char *formula;
	enum pmu_metric_error error;
	size_t where, length;
} refused[] = {
	{"", METRIC_BAD_FORMULA, 0, 0},
	{"A +", METRIC_BAD_FORMULA, 3, 0},
	{"A B", METRIC_BAD_FORMULA, 2, 1},
	{"A + * B", METRIC_BAD_FORMULA, 4, 1},
	{"-A", METRIC_BAD_FORMULA, 0, 1},
	{"(A", METRIC_BAD_FORMULA, 2, 0},
	{"(A B)", METRIC_BAD_FORMULA, 3, 1},
	{"A)", METRIC_BAD_FORMULA, 1, 1},
	{"()", METRIC_BAD_FORMULA, 1, 1},
	{"A % B", METRIC_BAD_FORMULA, 2, 1},
	{"{A", METRIC_BAD_FORMULA, 2, 0},
	{"A}", METRIC_BAD_FORMULA, 1, 1},
	{"1234567890123456789", METRIC_BAD_FORMULA, 0, 19},
	{"A + F", METRIC_UNKNOWN, 4, 1},
	{"A + 2F", METRIC_UNKNOWN, 4, 2},
	{"1.5", METRIC_UNKNOWN, 0, 3},
	{"A + {F:u}", METRIC_UNKNOWN, 5, 3},
	{"{}", METRIC_UNKNOWN, 1, 0},
	{"{A:z}", METRIC_BAD_EVENT, 3, 1},
	{"B + {A:c=1000}", METRIC_BAD_EVENT, 7, 6},
	{"{A,B}", METRIC_BAD_EVENT, 1, 3},
	{"{A:u,}", METRIC_BAD_EVENT, 1, 4},
	{"((((((((((((((((A))))))))))))))))", METRIC_TOO_DEEP, 16, 1},
};

static void a_bad_formula_is_refused_at_its_bad_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(refused); i++) {
		const struct pmu_metric *m;

		start(NULL);
		m = define("M", refused[i].formula);
		if (pmu_metric_plan(&driver, m, "", &plan, &refusal) != refused[i].error)
			fail_msg("'%s': %d", refused[i].formula, refusal.error);
		assert_int_equal(refusal.error, refused[i].error);
		assert_ptr_equal(refusal.metric, m);
		if (refusal.where != m->formula + refused[i].where || refusal.length != refused[i].length)
			fail_msg("'%s': at %td, %zu long", m->formula, refusal.where - m->formula, refusal.length);
		assert_int_equal(plan.count, 0);
	}
}

static void parentheses_up_to_the_limit_are_read(void **state)
{
	(void)state;
	plans(define("M", "(((((((((((((((A)))))))))))))))"));
	assert_int_equal(plan.count, 1);
}

static void a_metric_that_needs_itself_is_refused(void **state)
{
	const struct pmu_metric *self = define("M1", "A + M1"), *other = define("M2", "B / M3");
	const struct pmu_metric *back = define("M3", "C - (M2 + D)"), *user = define("M4", "1 + M2");

	(void)state;
	assert_int_equal(pmu_metric_plan(&driver, self, "", &plan, &refusal), METRIC_CIRCLE);
	assert_ptr_equal(refusal.where, self->formula + 4);
	assert_int_equal(pmu_metric_plan(&driver, other, "", &plan, &refusal), METRIC_CIRCLE);
	assert_ptr_equal(refusal.metric, back);
	assert_ptr_equal(refusal.where, back->formula + 5);
	assert_int_equal(pmu_metric_plan(&driver, user, "", &plan, &refusal), METRIC_CIRCLE);
	assert_ptr_equal(refusal.metric, back);
	assert_int_equal(plan.count, 0);
}

static void metrics_in_metrics_are_limited(void **state)
{
	static char names[PMU_METRIC_DEPTH + 2][4];

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++)
		snprintf(names[i], sizeof names[i], "M%02zu", i);
	for (size_t i = 0; i + 1 < LENGTH(names); i++)
		define(names[i], names[i + 1]);
	define(names[LENGTH(names) - 1], "A");
	plans(&metric[2]);	// 16 of them
	assert_int_equal(pmu_metric_plan(&driver, &metric[1], "", &plan, &refusal), METRIC_TOO_DEEP);
	assert_int_equal(pmu_metric_plan(&driver, &metric[0], "", &plan, &refusal), METRIC_TOO_DEEP);
}

static void a_plan_has_room_for_so_many_events_and_no_more(void **state)
{
	static char formula[PMU_METRIC_EVENTS * 16 + 32];
	size_t at = 0;

	(void)state;
	for (unsigned i = 1; i <= PMU_METRIC_EVENTS; i++)
		at += (size_t)sprintf(&formula[at], "%s{A:period=%u}", i > 1 ? " + " : "", i + 1);
	plans(define("M1", formula));
	assert_int_equal(plan.count, PMU_METRIC_EVENTS);
	plans(define("M2", "{A:period=2}"));
	assert_int_equal(pmu_metric_plan(&driver, define("M3", "{A:period=2} + B"), "", &plan, &refusal),
			 METRIC_TOO_MANY);
	assert_int_equal(plan.count, PMU_METRIC_EVENTS);
	assert_string_equal(refusal.where, "B");
}

static void an_event_that_was_not_planned_has_no_value(void **state)
{
	const struct pmu_metric *planned = define("M1", "A"), *other = define("M2", "A + B");
	const uint64_t counts[] = {1};
	struct pmu_value value = {.kind = VALUE_TOO_LARGE};

	(void)state;
	plans(planned);
	assert_int_equal(pmu_metric_evaluate(&driver, other, "", &plan, counts, &value, &refusal), METRIC_NOT_PLANNED);
	assert_ptr_equal(refusal.where, other->formula + 4);
	assert_int_equal(value.kind, VALUE_TOO_LARGE);
}

// The next one's formula is an instance of the guide's: it asks for another PMU's value.
static void a_value_is_given_before_what_needs_it(void **state)
{
	const struct pmu_metric *m = define("M1", "A - $HALF * $two");
	const struct pmu_value half = {VALUE_NUMBER, 1, 2}, unknown = {VALUE_NOT_DEFINED, 0, 0};
	const uint64_t counts[] = {7};
	struct pmu_value two, value;

	(void)state;
	assert_int_equal(pmu_metric_plan(&driver, m, "", &plan, &refusal), METRIC_NOT_GIVEN);
	assert_ptr_equal(refusal.where, m->formula + 5);
	assert_int_equal(plan.count, 0);
	assert_true(pmu_value_read("2.00", 4, &two));
	assert_true(pmu_metric_give(&plan, "half", 4, &half));
	assert_true(pmu_metric_give(&plan, "TWO", 3, &two));
	assert_false(plan.given[0].used || plan.given[1].used);
	plans(m);
	assert_true(plan.given[0].used && plan.given[1].used);
	assert_int_equal(pmu_metric_evaluate(&driver, m, "", &plan, counts, &value, &refusal), METRIC_OK);
	assert_true(value.numerator == 6 && value.denominator == 1);
	assert_true(pmu_metric_give(&plan, "HALF", 4, &unknown));
	assert_int_equal(plan.givens, 2);
	assert_int_equal(pmu_metric_evaluate(&driver, m, "", &plan, counts, &value, &refusal), METRIC_OK);
	assert_int_equal(value.kind, VALUE_NOT_DEFINED);
}

static void values_have_digits_and_a_point(void **state)
{
	static const char *const wrong[] = {"", ".5", "5.", "1.2.3", "-1", "0x10", "1e9", "1234567890123456789"};
	struct pmu_value value;

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++)
		if (pmu_value_read(wrong[i], strlen(wrong[i]), &value))
			fail_msg("'%s' is a value", wrong[i]);
	assert_true(pmu_value_read("0.125", 5, &value));
	assert_true(value.numerator == 1 && value.denominator == 8);
	assert_true(pmu_value_read("2660000000", 10, &value));
	assert_true(value.numerator == 2660000000 && value.denominator == 1);
	assert_true(pmu_value_read("0", 1, &value));
	assert_true(value.numerator == 0 && value.denominator == 1);
}

static void a_driver_without_metrics_has_events(void **state)
{
	struct pmu_driver bare = driver;
	const struct pmu_metric *m = define("M", "A + M");

	(void)state;
	bare.metrics = NULL;
	assert_int_equal(pmu_metric_plan(&bare, m, "", &plan, &refusal), METRIC_UNKNOWN);
	assert_ptr_equal(refusal.where, m->formula + 4);
}

static void refusals_are_explained_with_the_word(void **state)
{
	char text[128], small[12];

	(void)state;
	pmu_metric_plan(&driver, define("M1", "A + NO_SUCH"), "", &plan, &refusal);
	pmu_metric_explain(&refusal, text, sizeof text);
	assert_string_equal(text, "M1: there is no such metric or event: 'NO_SUCH', at column 5");
	pmu_metric_plan(&driver, define("M2", "A +"), "", &plan, &refusal);
	pmu_metric_explain(&refusal, text, sizeof text);
	assert_string_equal(text, "M2: the formula is malformed, at its end");
	plans(define("M3", "NONE"));
	pmu_metric_schedule(&driver, &plan, &refusal);
	pmu_metric_explain(&refusal, text, sizeof text);
	assert_string_equal(text, "no counter can count the event: 'NONE'");
	pmu_metric_explain(&refusal, small, sizeof small);
	assert_string_equal(small, "no counter ");
}

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
			assert_false(plan.event[j].run == e->run && plan.event[j].counter == e->counter);
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

// In the order of the formula A to D would fill the first run, and the other four, of which two fit into a run, two
// more.
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
	schedules("{A:opc=1/0} + {A:opc=2/0} + {A:opc=3/0} + {B:opc=1/0} + {B:opc=2/0} + {B:opc=3/0}", 3);
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

// Whether these of the plan's events (bits) can be one run: each subset has as many counters as events, and no two
// need a register set differently. Said here once more, of what `choices` and `settings` above make of them.
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
			const struct event_request *a = &plan.event[i].request, *b = &plan.event[j].request;
			bool opcodes = a->opcode.given && b->opcode.given && a->opcode.match != b->opcode.match;
			bool addresses = a->data_range.given && b->data_range.given &&
					 a->data_range.first != b->data_range.first;

			if ((events >> i & events >> j & 1) && (opcodes || addresses))
				return false;
		}
	return true;
}

// The events that go with event `first`, as bits: itself, and those of its group.
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

// The fewest sets into which the events can be divided so that each is one run, and divides no group; more than FEW:
// there are none.
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

// A random event with counters, and perhaps an opcode and a data address; `number` tells it from others.
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
			fail_msg("turn %u: %u runs (at least %u), not %u", turn, plan.runs, plan.least, fewest);
	}
}

// Where a group is no run, its first event is named.
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
	assert_int_equal(pmu_metric_plan_event(&driver, "NO_SUCH", &plan, &refusal), METRIC_UNKNOWN);
	assert_null(refusal.metric);
	assert_int_equal(pmu_metric_plan_event(&driver, "A:z", &plan, &refusal), METRIC_BAD_EVENT);
	assert_string_equal(refusal.where, "z");
	assert_int_equal(pmu_metric_plan_event(&driver, "A,B", &plan, &refusal), METRIC_BAD_EVENT);
	assert_int_equal(plan.count, 2);
}

// However many events of whatever kind: each is in a run, and no run has to do what the hardware cannot.
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

			at += (size_t)sprintf(&formula[at], "%s{%s:opc=%u/0:plm=%u}", i ? " + " : "",
					      names[random_between(&seed, 0, LENGTH(names) - 1)], opcode, levels);
		}
		plans(define("M", formula));
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		check_counters();
		assert_true(plan.least >= (plan.count + 3) / 4 && plan.least <= plan.runs);
		for (unsigned i = 0; i < plan.count; i++)
			for (unsigned j = 0; j < i; j++)
				assert_true(plan.event[i].run != plan.event[j].run ||
					    plan.event[i].request.opcode.match == plan.event[j].request.opcode.match);
	}
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sums_products_and_quotients_are_computed),
		TEST(values_are_exact_at_64_bits),
		TEST(what_is_divided_by_zero_is_not_defined),
		TEST(more_than_127_bits_are_too_large),
		TEST(values_are_printed_rounded),
		TEST(what_is_no_number_is_printed_in_words),
		TEST(text_is_cut_at_the_end_of_its_room),
		TEST(metrics_are_found_in_upper_and_lower_case),
		TEST(a_metric_in_a_formula_stands_for_its_whole_formula),
		TEST(each_event_is_planned_once),
		TEST(a_bad_formula_is_refused_at_its_bad_word),
		TEST(parentheses_up_to_the_limit_are_read),
		TEST(a_metric_that_needs_itself_is_refused),
		TEST(metrics_in_metrics_are_limited),
		TEST(a_plan_has_room_for_so_many_events_and_no_more),
		TEST(an_event_that_was_not_planned_has_no_value),
		TEST(a_value_is_given_before_what_needs_it),
		TEST(values_have_digits_and_a_point),
		TEST(a_driver_without_metrics_has_events),
		TEST(refusals_are_explained_with_the_word),
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
