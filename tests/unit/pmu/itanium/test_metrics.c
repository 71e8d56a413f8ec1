// SPDX-License-Identifier: BSD-2-Clause
// The Itanium processor's metrics: their values against tests/vectors/itanium-metrics.tab, the
// instructions that opcode settings select against tests/vectors/itanium-opcodes.tab, cycle
// accounting, and the number of runs.

#include "../core/metrics.h"
#include "../core/random.h"

#define OPCODES		"tests/vectors/itanium-opcodes.tab"

static int start(void **state)
{
	(void)state;
	return start_driver("itanium");
}

//
// Values: of all metrics, in core/metrics.h; and these
//

// Lines of the manual's tables, counted there; those with two formulas ("or") twice.
static void each_table_is_complete(void **state)
{
	static const struct {
		const char *source;
		unsigned lines;
	} tables[] = {
		{"Table 7-2", 6}, {"Table 7-4", 1}, {"Table 7-6", 1},
		{"Table 7-8", 3 + 3},	// and three counts of instructions by opcode
		{"Table 7-11", 4}, {"Table 7-13", 8 + 4}, {"Table 7-14", 4}, {"Table 7-15", 17},
		{"Table 7-21", 6},
		{"Table 7-25", 13 + 7}, {"Table 7-27", 6}, {"Table 7-28", 3},
	};

	(void)state;
	for (size_t t = 0; t < LENGTH(tables); t++) {
		unsigned lines = 0;

		for (size_t i = 0; i < driver.metrics->count; i++)
			lines += !strcmp(driver.metrics->metric[i].source, tables[t].source);
		if (lines != tables[t].lines)
			fail_msg("%s: %u metrics, not %u", tables[t].source, lines,
				 tables[t].lines);
	}
}

static struct pmu_value value_of(const char *name, const char *const *events,
				 const uint64_t *event_counts)
{
	const struct pmu_metric *metric = must_find(name);
	struct pmu_metric_plan plan = {0};
	uint64_t counts[PMU_METRIC_EVENTS] = {0};
	struct pmu_value v;

	must_plan(metric, &plan);
	for (unsigned i = 0; i < plan.count; i++)
		for (unsigned j = 0; events[j]; j++)
			if (!strcmp(plan.event[i].text, events[j]))
				counts[i] = event_counts[j];
	assert_int_equal(pmu_metric_evaluate(&driver, metric, "", &plan, counts, &v, &refusal),
			 METRIC_OK);
	return v;
}

// Table 6-1: 15/8 (which it prints as 1.825) and 15/5.
static void the_averages_of_table_6_1_are_printed(void **state)
{
	static const char *const events[] = {"BUS_BRQ_LIVE_REQ_LO", "CPU_CYCLES",
					     "BUS_BRQ_READ_REQ_INSERTED", NULL};
	static const uint64_t counts[] = {15, 8, 5};
	struct pmu_value requests = value_of("AVG_BRQ_REQ_OUTSTANDING_PER_CYCLE", events, counts);
	struct pmu_value latency = value_of("AVG_BRQ_LATENCY", events, counts);
	char text[16];

	(void)state;
	pmu_value_print(&requests, 3, text, sizeof text);
	assert_string_equal(text, "1.875");
	pmu_value_print(&latency, 3, text, sizeof text);
	assert_string_equal(text, "3");
}

static void nothing_counted_makes_a_ratio_not_defined(void **state)
{
	static const char *const none[] = {NULL};
	struct pmu_value v = value_of("L1D_READ_MISS_RATIO", none, NULL);
	char text[16];

	(void)state;
	assert_int_equal(v.kind, VALUE_NOT_DEFINED);
	pmu_value_print(&v, 3, text, sizeof text);
	assert_string_equal(text, "not defined");
}

//
// Cycle accounting. 6.1.1.4: each cycle has one of eight reasons. Four of them are events; four
// other events have two reasons each: flushes 1+7, memory 2+4, dependencies 3+5, unstalled 6+8.
//

enum reason {
	BACKEND_FLUSH = 1, DATA_ACCESS, SCOREBOARD, RSE_ACTIVE, ISSUE_LIMIT, INST_ACCESS,
	TAKEN_BRANCH, UNSTALLED, REASONS,
};

static const char *const accounting_events[] = {
	"CPU_CYCLES", "PIPELINE_BACKEND_FLUSH_CYCLE", "DATA_ACCESS_CYCLE",
	"DEPENDENCY_SCOREBOARD_CYCLE",
	"INST_ACCESS_CYCLE", "PIPELINE_ALL_FLUSH_CYCLE", "MEMORY_CYCLE", "DEPENDENCY_ALL_CYCLE",
	"UNSTALLED_BACKEND_CYCLE", NULL,
};

static void check_accounting(const uint64_t *r)
{
	static const struct {
		const char *metric;
		enum reason reason;
	} derived[] = {
		{"RSE_ACTIVE_CYCLE.d", RSE_ACTIVE}, {"ISSUE_LIMIT_CYCLE.d", ISSUE_LIMIT},
		{"TAKEN_BRANCH_CYCLE.d", TAKEN_BRANCH}, {"UNSTALLED_PIPELINE_CYCLE.d", UNSTALLED},
	};
	uint64_t counts[LENGTH(accounting_events)] = {
		0, r[BACKEND_FLUSH], r[DATA_ACCESS], r[SCOREBOARD], r[INST_ACCESS],
		r[BACKEND_FLUSH] + r[TAKEN_BRANCH],
		r[DATA_ACCESS] + r[RSE_ACTIVE], r[SCOREBOARD] + r[ISSUE_LIMIT],
		r[INST_ACCESS] + r[UNSTALLED],
	};
	struct pmu_value v;

	for (unsigned reason = 1; reason < REASONS; reason++)
		counts[0] += r[reason];
	v = value_of("ACCOUNTED_CYCLES", accounting_events, counts);
	assert_true(v.numerator == counts[0] && v.denominator == 1);
	v = value_of("UNACCOUNTED_CYCLES", accounting_events, counts);
	assert_true(v.numerator == 0 && v.denominator == 1);
	for (size_t i = 0; i < LENGTH(derived); i++) {
		v = value_of(derived[i].metric, accounting_events, counts);
		assert_true(v.numerator == r[derived[i].reason] && v.denominator == 1);
	}
}

static void the_four_classes_add_up_to_all_cycles(void **state)
{
	uint64_t seed = 0x6379636C6573, reasons[REASONS];

	(void)state;
	for (unsigned turn = 0; turn < 200; turn++) {
		for (unsigned reason = 1; reason < REASONS; reason++)
			reasons[reason] = random_next(&seed);
		check_accounting(reasons);
	}
}

//
// The instructions that opcode settings select
//

#define SETTINGS_MAX 8

struct selection {
	const char *metric, *is;
	unsigned count;
	struct event_opcode opcode[SETTINGS_MAX];
};

static bool same_opcode(const struct event_opcode *a, const struct event_opcode *b)
{
	return a->match == b->match && a->mask == b->mask && a->types == b->types;
}

// Collects the settings of the events named `event` that a metric needs.
static unsigned collect(const struct pmu_metric_plan *plan, const char *event,
			struct event_opcode *opcode)
{
	unsigned count = 0;

	for (unsigned i = 0; i < plan->count; i++)
		if (!strcmp(plan->event[i].request.event->name, event)) {
			assert_true(count < SETTINGS_MAX);
			assert_true(plan->event[i].request.opcode.given);
			opcode[count++] = plan->event[i].request.opcode;
		}
	return count;
}

// The same settings select retired and squashed instructions.
static void read_selection(struct selection *s)
{
	struct pmu_metric_plan plan = {0};
	struct event_opcode squashed[SETTINGS_MAX];

	must_plan(must_find(s->metric), &plan);
	s->count = collect(&plan, "IA64_TAGGED_INST_RETIRED.PMC8", s->opcode);
	assert_int_equal(collect(&plan, "PREDICATE_SQUASHED_RETIRED", squashed), s->count);
	assert_int_equal(plan.count, 2 * s->count);
	for (unsigned i = 0; i < s->count; i++)
		assert_true(same_opcode(&s->opcode[i], &squashed[i]));
}

// 6.2.5: match of the type, and of encoding bits 40:27 and 12:0 where the mask is 0.
static bool matches(const struct event_opcode *o, char type, uint64_t encoding)
{
	static const char letters[] = "bfim";	// EVENT_TYPE_B is bit 0
	const uint64_t compared = FIELD_MASK(27, 14) | FIELD_MASK(0, 13);

	return o->types >> (strchr(letters, type) - letters) & 1 &&
	       !((o->match ^ encoding) & ~o->mask & compared);
}

static void check_instruction(const struct selection *s, const char *is, char type,
			      uint64_t encoding, const char *text)
{
	unsigned times = 0;

	for (unsigned i = 0; i < s->count; i++)
		times += matches(&s->opcode[i], type, encoding);
	if (times != (strcmp(is, s->is) ? 0 : 1))
		fail_msg("%s counts '%s' %u times", s->metric, text, times);
}

static void opcode_settings_select_exactly_the_instructions_of_table_7_8(void **state)
{
	struct selection selections[] = {
		{.metric = "CHKS_EXECUTED", .is = "chk.s"},
		{.metric = "ADVANCED_LOADS_EXECUTED", .is = "advanced"},
		{.metric = "NO_CLEAR_CHECK_LOADS_EXECUTED", .is = "check"},
	};
	FILE *file = fopen(OPCODES, "r");
	char line[256], is[16], type, text[128];
	unsigned instructions = 0;
	uint64_t encoding;

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < LENGTH(selections); i++)
		read_selection(&selections[i]);
	while (fgets(line, sizeof line, file)) {
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%15s\t%c\t%lx\t%127[^\n]", is, &type, &encoding,
					text), 4);
		for (size_t i = 0; i < LENGTH(selections); i++)
			check_instruction(&selections[i], is, type, encoding, text);
		instructions++;
	}
	fclose(file);
	assert_int_equal(instructions, 196);
}

//
// Runs
//

static void up_to_four_events_are_measured_in_one_run(void **state)
{
	(void)state;
	needs_runs("IPC", 1);
	needs_runs("IA64_INST_PER_CYCLE", 1);
	needs_runs("L1I_MISS_RATIO", 1);
	needs_runs("ACCOUNTED_CYCLES", 1);
	needs_runs("AVG_BRQ_LATENCY", 1);
}

static void more_than_four_events_are_measured_in_several(void **state)
{
	(void)state;
	needs_runs("UNACCOUNTED_CYCLES", 2);			// 5
	needs_runs("APPROXIMATE_L2_DATA_MISS_RATIO", 2);	// 6
	needs_runs("APPROXIMATE_L2_INSTRUCTION_MISS_RATIO", 2);	// 6
}

// 7.3: "computing the ALAT Capacity Miss Ratio will require multiple runs". PMC8 qualifies all
// later events: each opcode setting needs a run of its own, and so do counts without a setting.
static void each_opcode_setting_is_a_run(void **state)
{
	(void)state;
	needs_runs("CHKS_EXECUTED", 2);
	needs_runs("CONTROL_SPECULATION_MISS_RATIO", 2 + 1);
	needs_runs("ADVANCED_LOADS_EXECUTED", 3);
	needs_runs("ALAT_CAPACITY_MISS_RATIO", 3 + 3 + 1);
}

// No run has events that compete for counters, or that need different values of a register.
static void every_metric_can_be_measured(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver.metrics->count; i++) {
		struct pmu_metric_plan plan = {0};
		uint64_t used[PMU_METRIC_EVENTS] = {0};

		must_plan(&driver.metrics->metric[i], &plan);
		assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
		for (unsigned e = 0; e < plan.count; e++) {
			const struct pmu_metric_event *event = &plan.event[e];

			assert_true(event->run < plan.runs);
			assert_true(event->request.event->counters >> event->counter & 1);
			assert_false(used[event->run] >> event->counter & 1);
			used[event->run] |= 1ULL << event->counter;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_metric_has_the_value_that_its_formula_gives),
		cmocka_unit_test(each_table_is_complete),
		cmocka_unit_test(no_metric_has_the_name_of_an_event),
		cmocka_unit_test(the_averages_of_table_6_1_are_printed),
		cmocka_unit_test(nothing_counted_makes_a_ratio_not_defined),
		cmocka_unit_test(the_four_classes_add_up_to_all_cycles),
		cmocka_unit_test(opcode_settings_select_exactly_the_instructions_of_table_7_8),
		cmocka_unit_test(up_to_four_events_are_measured_in_one_run),
		cmocka_unit_test(more_than_four_events_are_measured_in_several),
		cmocka_unit_test(each_opcode_setting_is_a_run),
		cmocka_unit_test(every_metric_can_be_measured),
	};

	return cmocka_run_group_tests(tests, start, end);
}
