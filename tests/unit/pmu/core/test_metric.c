// SPDX-License-Identifier: BSD-2-Clause
// Metrics: formulas, exact values, refusals. Expected values were computed by hand.

#include "metric_driver.h"

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
	assert_int_equal(pmu_metric_evaluate(&driver, m, "", &plan, counts, &value, &refusal),
			 METRIC_OK);
	return value;
}

static void is(const char *formula, __int128 numerator, __int128 denominator)
{
	struct pmu_value v = value_of(formula);

	assert_int_equal(v.kind, VALUE_NUMBER);
	if (v.numerator != numerator || v.denominator != denominator)
		fail_msg("'%s' is %lld/%lld", formula, (long long)v.numerator,
			 (long long)v.denominator);
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
	static const char *const formulas[] = {"A / B", "A / (C - C)", "1 + A / B", "(A / B) * B",
					       "C - A / B",
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
	static const char *const formulas[] = {"A * A", "A * A + 1", "1 - A * A", "1 / (A * A)",
					       "1 / A / B",
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
	{1999, 1000, 2, "2.00"}, {-9999, 10, 0, "-1000"}, {1, 2, 0, "1"},
	{1, 3, 18, "0.333333333333333333"},
	{1, 3, 99, "0.333333333333333333"},
	{UINT64_MAX, 1, 0, "18446744073709551615"},
	{((__int128)1 << 126) + (((__int128)1 << 126) - 1), 1, 0,
	 "170141183460469231731687303715884105727"},
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
	assert_int_equal(pmu_metric_evaluate(&driver, &metric[3], "", &plan, counts, &value,
					     &refusal), METRIC_OK);
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
		if (refusal.where != m->formula + refused[i].where ||
		    refusal.length != refused[i].length)
			fail_msg("'%s': at %td, %zu long", m->formula, refusal.where - m->formula,
				 refusal.length);
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
	const struct pmu_metric *back = define("M3", "C - (M2 + D)"),
		*user = define("M4", "1 + M2");

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
	assert_int_equal(pmu_metric_plan(&driver, &metric[1], "", &plan, &refusal),
			 METRIC_TOO_DEEP);
	assert_int_equal(pmu_metric_plan(&driver, &metric[0], "", &plan, &refusal),
			 METRIC_TOO_DEEP);
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
	assert_int_equal(pmu_metric_plan(&driver, define("M3", "{A:period=2} + B"), "", &plan,
					 &refusal),
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
	assert_int_equal(pmu_metric_evaluate(&driver, other, "", &plan, counts, &value, &refusal),
			 METRIC_NOT_PLANNED);
	assert_ptr_equal(refusal.where, other->formula + 4);
	assert_int_equal(value.kind, VALUE_TOO_LARGE);
}

// The formula of the next test is an instance of the guide's, and needs a value of another PMU.
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
	assert_int_equal(pmu_metric_evaluate(&driver, m, "", &plan, counts, &value, &refusal),
			 METRIC_OK);
	assert_true(value.numerator == 6 && value.denominator == 1);
	assert_true(pmu_metric_give(&plan, "HALF", 4, &unknown));
	assert_int_equal(plan.givens, 2);
	assert_int_equal(pmu_metric_evaluate(&driver, m, "", &plan, counts, &value, &refusal),
			 METRIC_OK);
	assert_int_equal(value.kind, VALUE_NOT_DEFINED);
}

static void values_have_digits_and_a_point(void **state)
{
	static const char *const wrong[] = {"", ".5", "5.", "1.2.3", "-1", "0x10", "1e9",
					    "1234567890123456789"};
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
