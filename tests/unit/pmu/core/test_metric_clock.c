// SPDX-License-Identifier: BSD-2-Clause
// Metrics under the unit clock, where each instruction is a cycle. Expected results come from the
// formulas in the targets' tables: only the numbers of cycles and instructions are known, and they
// are equal.

#include "unit.h"

#include <string.h>

#include "metric.h"
#include "pmu.h"
#include "pmu_driver.h"

static enum pmu_metric_clock clock_of_metric(const struct pmu_driver *driver,
					     const struct pmu_metric *metric,
					     const char *modifiers, struct pmu_value *value)
{
	static struct pmu_metric_plan needed;
	struct pmu_metric_refusal refusal;

	memset(&needed, 0, sizeof needed);
	assert_int_equal(pmu_metric_plan(driver, metric, modifiers, &needed, &refusal), METRIC_OK);
	return pmu_metric_by_unit_clock(driver, metric, modifiers, &needed, value);
}

static enum pmu_metric_clock clock_of(const char *target, const char *name, const char *modifiers,
				      struct pmu_value *value)
{
	const struct pmu_driver *driver = pmu_driver_find(target);
	const struct pmu_metric *metric;

	assert_non_null(driver);
	metric = pmu_metric_find(driver->metrics, name);
	assert_non_null(metric);
	return clock_of_metric(driver, metric, modifiers, value);
}

static void ratios_of_cycles_and_instructions_are_one(void **state)
{
	static const struct {
		const char *target, *metric, *modifiers;
	} constant[] = {
		{"nehalem", "CPI", ""}, {"nehalem", "IPC", "u"}, {"sparct4", "CPI", ""},
		{"sparct4", "IPC", "k"},
		{"itanium", "IPC", ""}, {"knc", "CPI", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof constant / sizeof *constant; i++) {
		struct pmu_value value;

		assert_int_equal(clock_of(constant[i].target, constant[i].metric,
					  constant[i].modifiers, &value),
				 METRIC_CONSTANT);
		assert_int_equal(value.kind, VALUE_NUMBER);
		assert_true(value.numerator == 1 && value.denominator == 1);
	}
}

static void other_events_make_a_metric_depend_on_the_program(void **state)
{
	static const struct {
		const char *target, *metric;
	} some[] = {
		{"nehalem", "INSTRUCTION_STARVATION_RATIO"},	// stalls / cycles
		{"sparct4", "Fetch_idle"},			// cycles without a fetch / cycles
		{"sparct4", "User_cycles"},			// cycles of one level / cycles of
								// all levels
		{"knc", "Memory_read_demand"},			// fills / cycles
		// instructions of another set / cycles
		{"itanium", "IA32_INST_PER_CYCLE"},
	};
	struct pmu_value value;

	(void)state;
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		assert_int_equal(clock_of(some[i].target, some[i].metric, "", &value),
				 METRIC_OF_INSTRUCTIONS);
}

static void metrics_without_cycles_are_none(void **state)
{
	static const struct {
		const char *target, *metric;
	} none[] = {
		{"nehalem", "BRANCH_MISPREDICTION_RATIO"}, {"nehalem", "UOPS_PER_INSTRUCTION"},
		{"sparct4", "Hyperprivileged_instructions"}, {"knc", "Read_miss_ratio"},
		{"itanium", "L2_MISS_RATIO"},
	};
	struct pmu_value value;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(clock_of(none[i].target, none[i].metric, "", &value),
				 METRIC_WITHOUT_CYCLES);
}

// With a threshold, a counter counts how often a condition is met, which the unit clock does not
// determine.
static void cycles_with_a_threshold_are_no_clock(void **state)
{
	struct pmu_value value;

	(void)state;
	assert_int_equal(clock_of("nehalem", "CPI", "", &value), METRIC_CONSTANT);
	assert_int_equal(clock_of("nehalem", "HALTED_CYCLES", "", &value), METRIC_OF_INSTRUCTIONS);
}

// Formulas that are in no table.
static void some_instructions_are_not_all(void **state)
{
	static const struct {
		const char *target, *formula;
		enum pmu_metric_clock clock;
	} formulas[] = {
		{"nehalem", "INST_RETIRED.ANY_P / CPU_CLK_UNHALTED.THREAD", METRIC_CONSTANT},
		{"nehalem", "INST_RETIRED.MMX / CPU_CLK_UNHALTED.THREAD", METRIC_OF_INSTRUCTIONS},
		{"nehalem", "{INST_RETIRED.ANY_P:c=1} / CPU_CLK_UNHALTED.THREAD",
		 METRIC_OF_INSTRUCTIONS},
		{"nehalem", "CPU_CLK_UNHALTED.REF / CPU_CLK_UNHALTED.THREAD", METRIC_CONSTANT},
		{"nehalem", "INST_RETIRED.ANY + CPU_CLK_UNHALTED.THREAD", METRIC_OF_INSTRUCTIONS},
		{"sparct4", "Instr_ld / Cycles", METRIC_OF_INSTRUCTIONS},
	};
	struct pmu_value value;

	(void)state;
	for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
		const struct pmu_metric m = {"M", "unit", "by hand", formulas[i].formula, "", ""};

		assert_int_equal(clock_of_metric(pmu_driver_find(formulas[i].target), &m, "",
						 &value),
				 formulas[i].clock);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios_of_cycles_and_instructions_are_one),
		cmocka_unit_test(other_events_make_a_metric_depend_on_the_program),
		cmocka_unit_test(metrics_without_cycles_are_none),
		cmocka_unit_test(cycles_with_a_threshold_are_no_clock),
		cmocka_unit_test(some_instructions_are_not_all),
	};

	return cmocka_run_group_tests_name("metrics by a unit clock", tests, NULL, NULL);
}
