// SPDX-License-Identifier: BSD-2-Clause
// The event table of the nehalem core against the performance analysis guide's tables:
// tests/vectors/nehalem-events.tab and nehalem-offcore.tab; nehalem-differences.tab lists intended
// differences, nehalem-spellings.tab the names in its text.

#include "guide.h"

#define GUIDE		"tests/vectors/nehalem-events.tab"
#define OFFCORE		"tests/vectors/nehalem-offcore.tab"
#define SPELLINGS	"tests/vectors/nehalem-spellings.tab"
#define OFFCORE_STEM	"OFFCORE_RESPONSE_0."
#define OFFCORE_MSR	0x1A6
#define GENERAL		0xFULL

extern const struct pmu_event_table pmu_events_nehalem;

static const struct pmu_event_table *const table = &pmu_events_nehalem;
static struct rows offcore;

static int prepare(void **state)
{
	(void)state;
	read_guide(GUIDE);
	read_rows(OFFCORE, 3, &offcore);
	return 0;
}

//
// The guide's tables
//

static void each_row_of_the_guide_is_in_the_table_as_printed(void **state)
{
	(void)state;
	for (const struct row *r = guide.row; r < guide.row + guide.count; r++)
		check_guide_row(table, r);
	for (const struct row *d = differences.row; d < differences.row + differences.count; d++)
		if (!d->used)
			fail_msg("%s is no difference", d->field[DIFFERENT_EVENT]);
	print_message("%zu rows, %zu of their values meant to differ\n", guide.count,
		      differences.count);
}

// Counted in the guide by hand.
static void no_row_of_the_guide_is_missing(void **state)
{
	static const unsigned rows[] = {
		[1] = 37, [3] = 18, [4] = 15, [6] = 3, [8] = 19, [10] = 2, [11] = 14 + 11,
		[12] = 3 + 5, [13] = 8,
		[14] = 12, [15] = 3 * 7, [16] = 36, [17] = 1, [18] = 6 + 2 * 10, [19] = 11,
		[20] = 20, [21] = 2,
	};
	unsigned counted[LENGTH(rows)] = {0};

	(void)state;
	for (size_t i = 0; i < guide.count; i++)
		if (isdigit((unsigned char)*guide.row[i].field[TABLE]))
			counted[strtoul(guide.row[i].field[TABLE], NULL, 10)]++;
	assert_memory_equal(counted, rows, sizeof rows);
}

static bool is_offcore(const struct pmu_event *e)
{
	return !strncmp(e->name, OFFCORE_STEM, strlen(OFFCORE_STEM));
}

static void each_event_is_in_the_guide_and_says_where(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];
		const struct row *r = guide_row(e->name);

		if (is_offcore(e))
			continue;
		if (!r)
			fail_msg("%s is in no table and not in %s", e->name, GUIDE);
		check_source(e, r);
	}
}

//
// Offcore responses: "xx11" is the low byte of MSR 1A6, "7Fxx" the high one
//

static uint64_t byte_of(const struct row *r)
{
	char digits[5];

	for (size_t i = 0; i < sizeof digits; i++)
		digits[i] = r->field[2][i] == 'x' ? '0' : r->field[2][i];
	return guide_number(digits, 16);
}

static void check_offcore(const struct row *request, const struct row *response)
{
	char name[EVENT_NAME_MAX + 1];
	const struct pmu_event *e;

	snprintf(name, sizeof name, OFFCORE_STEM "%s.%s", request->field[1], response->field[1]);
	e = must_find_event(table, name);
	assert_int_equal(e->setting_value, byte_of(request) | byte_of(response));
	// The event of the plain form, which the text gives.
	assert_int_equal(e->code, must_find_event(table, "OFFCORE_RESPONSE_0")->code);
	assert_int_equal(e->umask, must_find_event(table, "OFFCORE_RESPONSE_0")->umask);
	assert_int_equal(e->setting_address, OFFCORE_MSR);
	assert_int_equal(e->cmask | e->modifiers, 0);
	assert_true(e->joins);
}

static void offcore_responses_are_all_requests_by_all_responses(void **state)
{
	size_t products = 0, events = 0;

	(void)state;
	for (const struct row *q = offcore.row; q < offcore.row + offcore.count; q++)
		for (const struct row *p = offcore.row; p < offcore.row + offcore.count; p++)
			if (!strcmp(q->field[0], "request") && !strcmp(p->field[0], "response")) {
				check_offcore(q, p);
				products++;
			}
	for (size_t i = 0; i < table->count; i++)
		events += is_offcore(&table->event[i]);
	assert_int_equal(products, 17 * 16);
	assert_int_equal(events, products);
}

//
// Names of Intel's event list that differ from the guide's
//

static void check_other_name(const char *name, const char *ours)
{
	if (event_find(table, name, strlen(name)) != must_find_event(table, ours))
		fail_msg("%s is not %s", name, ours);
}

static void names_of_the_event_list_are_other_names(void **state)
{
	static const char *const names[][2] = {
		{"FP_ASSIST.ALL", "FP_ASSIST.ANY"},
		{"INST_RETIRED.TOTAL_CYCLES_PS", "INST_RETIRED.TOTAL_CYCLES"},
		{"LARGE_ITLB.HIT", "LARGE_TLB.HIT"},
		{"OFFCORE_REQUESTS_SQ_FULL", "OFFCORE_REQUESTS_BUFFER_FULL"},
		{"UOPS_ISSUED.CYCLES_ALL_THREADS", "UOPS_ISSUED.CORE_CYCLES_ACTIVE"},
	};
	char name[EVENT_NAME_MAX + 1], ours[EVENT_NAME_MAX + 1];

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++)
		check_other_name(names[i][0], names[i][1]);
	// Thresholds in decimal, the guide's in hexadecimal.
	for (unsigned cycles = 16; cycles <= 32768; cycles *= 2) {
		snprintf(name, sizeof name, "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_%u", cycles);
		snprintf(ours, sizeof ours, "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_%x", cycles);
		check_other_name(name, ours);
	}
	for (const struct row *q = offcore.row; q < offcore.row + offcore.count; q++)
		for (unsigned modified = 0; modified < 2 && !strcmp(q->field[0], "request");
		     modified++) {
			const char *end = modified ? "HITM" : "HIT";

			snprintf(name, sizeof name, OFFCORE_STEM "%s.LLC_HIT_OTHER_CORE_%s",
				 q->field[1], end);
			snprintf(ours, sizeof ours, OFFCORE_STEM "%s.LLC_OTHER_CORE_%s",
				 q->field[1], end);
			check_other_name(name, ours);
		}
}

//
// Names in the guide's text
//

static struct event_request must_parse(const char *text)
{
	struct event_request r;
	const char *rest = text;

	if (event_parse(table, &rest, &r) != EVENT_OK)
		fail_msg("'%s' is refused", text);
	return r;
}

static void check_spelling(const char *spelling, const char *event)
{
	const struct event_request a = must_parse(spelling), b = must_parse(event);

	if (event_code(&a) != event_code(&b) || a.umask != b.umask || a.cmask != b.cmask ||
	    a.modifiers != b.modifiers || event_counters(&a) != event_counters(&b) ||
	    a.event->setting_address != b.event->setting_address || a.extra != b.extra)
		fail_msg("'%s' is not %s", spelling, event);
}

// The name of several events is refused; `palmon` then prints their names.
static void check_family(const char *stem)
{
	const size_t length = strlen(stem);
	unsigned events = 0;

	assert_null(event_find(table, stem, length));
	for (size_t i = 0; i < table->count; i++)
		events += !strncasecmp(table->event[i].name, stem, length) &&
			  table->event[i].name[length] == '.';
	if (events < 2)
		fail_msg("%s is not a name of several events", stem);
}

static void each_spelling_of_the_guide_is_accepted(void **state)
{
	static struct rows spellings;

	(void)state;
	read_rows(SPELLINGS, 3, &spellings);
	for (const struct row *r = spellings.row; r < spellings.row + spellings.count; r++)
		if (strcmp(r->field[1], "-"))
			check_spelling(r->field[0], r->field[1]);
		else
			check_family(r->field[0]);
}

//
// Precise events, counters
//

// Other names of events that have two names in the guide.
static const char *const aliases[][2] = {
	{"MEM_UNCORE_RETIRED.NON_LOCAL_DRAM", "MEM_UNCORE_RETIRED.REMOTE_DRAM"},
	{"SQ_FULL_STALL_CYCLES", "SQ_STALL"},
};

static const char *without_alias(const char *name)
{
	for (size_t i = 0; i < LENGTH(aliases); i++)
		if (!strcmp(name, aliases[i][0]))
			return aliases[i][1];
	return name;
}

static void another_name_is_the_same_event(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(aliases); i++) {
		struct pmu_event e = *must_find_event(table, aliases[i][0]);
		const struct pmu_event *other = must_find_event(table, aliases[i][1]);

		e.name = other->name;
		e.description = other->description;
		e.source = other->source;
		assert_memory_equal(&e, other, sizeof e);
	}
}

// "The basic memory access events", the latency event, "the precise branch events", "precise events
// for uops_retired, various SSE instruction classes, FP assists": Tables 3, 4, 6 and 8; and those
// of Intel's event list. Linux has the same (arch/x86/events/intel/ds.c,
// intel_nehalem_pebs_event_constraints), C5/02 among them.
static bool is_precise(const char *name)
{
	static const char *const tables[] = {"3", "4", "6", "8", "PEBS"};

	for (const struct row *r = guide.row; r < guide.row + guide.count; r++)
		for (size_t i = 0; i < LENGTH(tables); i++)
			if (!strcmp(r->field[TABLE], tables[i]) &&
			    !strcmp(r->field[NAME], without_alias(name)))
				return true;
	return false;
}

static void events_with_pebs_are_precise(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++)
		if (table->event[i].precise != is_precise(table->event[i].name))
			fail_msg("%s: precise is %d", table->event[i].name,
				 table->event[i].precise);
}

// SDM volume 3B: fixed counter 32 counts retired instructions, 33 core cycles, 34 reference cycles.
// An event that a general counter selects alike may be on either.
static const struct {
	const char *name;
	unsigned code;		// Linux and libpfm4 write reference cycles as 0300
	uint64_t counters;
} on_fixed_counters[] = {
	{"INST_RETIRED.ANY", 0xC0, 1ULL << 32},
	{"INSTRUCTION_RETIRED", 0xC0, GENERAL | 1ULL << 32},
	{"CPU_CLK_UNHALTED.THREAD", 0x3C, 1ULL << 33},
	{"CPU_CLK_UNHALTED.THREAD_P", 0x3C, GENERAL | 1ULL << 33},
	{"UNHALTED_CORE_CYCLES", 0x3C, GENERAL | 1ULL << 33},
	{"CPU_CLK_UNHALTED.REF", 0x300, 1ULL << 34},
};

// Counters 0 and 1 only count these codes: SDM volume 3B; the last three: the event lists of
// Nehalem-EP and Nehalem-EX of the repository intel/perfmon, and libpfm4's table (cntmsk).
static const uint8_t on_first_counters[] = {0x40, 0x41, 0x42, 0x43, 0x48, 0x4E, 0x51, 0x63, 0x4C,
					    0x52, 0x53};

static uint64_t expected_counters(const struct pmu_event *e)
{
	for (size_t i = 0; i < LENGTH(on_fixed_counters); i++)
		if (!strcmp(on_fixed_counters[i].name, e->name))
			return on_fixed_counters[i].counters;
	return memchr(on_first_counters, e->code, sizeof on_first_counters) ? 0x3 : GENERAL;
}

static void events_have_the_counters_that_count_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++)
		if (table->event[i].counters != expected_counters(&table->event[i]))
			fail_msg("%s: counters %#" PRIx64, table->event[i].name,
				 table->event[i].counters);
	for (size_t i = 0; i < LENGTH(on_fixed_counters); i++)
		assert_int_equal(must_find_event(table, on_fixed_counters[i].name)->code,
				 on_fixed_counters[i].code);
	for (const struct row *r = guide.row; r < guide.row + guide.count; r++)
		if (is_fixed(r))
			assert_int_equal(must_find_event(table, r->field[NAME])->counters & GENERAL,
					 0);
}

// Six uops can be dispatched in a cycle, four instructions retire ("can have any value from 0 to
// 4").
static void nothing_adds_more_than_the_processor_does_in_a_cycle(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];

		// An event with a threshold adds one or none.
		if (e->cmask)
			assert_int_equal(e->max, 1);
		else if (e->code == 0xC0)
			assert_int_equal(e->max, 4);
	}
	assert_int_equal(must_find_event(table, "UOPS_EXECUTED")->max, 6);
	assert_int_equal(must_find_event(table, "UOPS_EXECUTED.PORT015")->max, 3);
	assert_int_equal(must_find_event(table, "UOPS_ISSUED.ANY")->max, 4);
}

//
// Joined
//

static void what_differs_in_its_unit_mask_only_can_be_joined(void **state)
{
	(void)state;
	check_joins(table);
}

static const struct {
	const char *text;
	unsigned umask, extra;
} joined[] = {
	// Table 11: 04 and 08 are RFOS, 0C
	{"L2_RQSTS.RFO_HIT+RFO_MISS", 0x0C, 0},
	{"L2_DATA_RQSTS.DEMAND.I_STATE+S_STATE+E_STATE+M_STATE", 0x0F, 0},
	{"BR_MISP_EXEC:COND:DIRECT:INDIRECT_NON_CALL", 0x07, 0},
	{"UOPS_EXECUTED.PORT2_CORE+PORT3_CORE", 0x0C, 0},
	// xx33 with 40xx and 20xx
	{"OFFCORE_RESPONSE_0.DATA_IN.LOCAL_DRAM+REMOTE_DRAM", 0x01, 0x6033},
	{"OFFCORE_RESPONSE_0.OTHER.LOCAL_CACHE_DRAM", 0x01, 0x4780},
	{"OFFCORE_RESPONSE_0.PF_RFO.ANY_LLC_MISS:msr=0x123", 0x01, 0x123},
	{"OFFCORE_RESPONSE_0:msr=0x4080", 0x01, 0x4080},
	{"MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_8000", 0x10, 32768},
};

static void joined_events_have_the_bits_of_each(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(joined); i++) {
		const char *text = joined[i].text;
		struct event_request r;

		if (event_parse(table, &text, &r) != EVENT_OK)
			fail_msg("'%s' is refused", joined[i].text);
		assert_int_equal(r.umask, joined[i].umask);
		assert_int_equal(r.extra, joined[i].extra);
	}
}

static void what_counts_otherwise_cannot_be_joined(void **state)
{
	static const char *const texts[] = {
		"UOPS_EXECUTED.PORT0+PORT2_CORE",	// one thread's, and both threads'
		"ARITH.DIV+MUL", "UOPS_ISSUED.STALL_CYCLES+FUSED", "LSD.ACTIVE+INACTIVE",
		"MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4+LATENCY_ABOVE_THRESHOLD_8",
		"CPU_CLK_UNHALTED.THREAD_P+REF_P", "INST_RETIRED.ANY+X87",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(texts); i++) {
		const char *text = texts[i];
		struct event_request r;

		if (event_parse(table, &text, &r) != EVENT_NO_JOIN)
			fail_msg("'%s' is not refused", texts[i]);
	}
}

// Table 8: "in ring 0", "in ring 3", meaning IA32_PERFEVTSELx.USR, which counts in rings 1 to 3.
static void total_cycles_have_levels_of_their_own(void **state)
{
	static const struct {
		const char *text;
		unsigned levels, modifiers;
	} cases[] = {
		{"INST_RETIRED.TOTAL_CYCLES", 0xF, EVENT_INV | EVENT_OS | EVENT_USER},
		{"INST_RETIRED.TOTAL_CYCLES_R0", 0x1, EVENT_INV | EVENT_OS},
		{"INST_RETIRED.TOTAL_CYCLES_R3", 0xE, EVENT_INV | EVENT_USER},
		{"INST_RETIRED.TOTAL_CYCLES_R3:k", 0x1, EVENT_INV | EVENT_OS},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const char *text = cases[i].text;
		struct event_request r;

		assert_int_equal(event_parse(table, &text, &r), EVENT_OK);
		assert_int_equal(r.levels, cases[i].levels);
		assert_int_equal(r.modifiers, cases[i].modifiers);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_of_the_guide_is_in_the_table_as_printed),
		cmocka_unit_test(no_row_of_the_guide_is_missing),
		cmocka_unit_test(each_event_is_in_the_guide_and_says_where),
		cmocka_unit_test(offcore_responses_are_all_requests_by_all_responses),
		cmocka_unit_test(names_of_the_event_list_are_other_names),
		cmocka_unit_test(each_spelling_of_the_guide_is_accepted),
		cmocka_unit_test(another_name_is_the_same_event),
		cmocka_unit_test(events_with_pebs_are_precise),
		cmocka_unit_test(events_have_the_counters_that_count_them),
		cmocka_unit_test(nothing_adds_more_than_the_processor_does_in_a_cycle),
		cmocka_unit_test(what_differs_in_its_unit_mask_only_can_be_joined),
		cmocka_unit_test(joined_events_have_the_bits_of_each),
		cmocka_unit_test(what_counts_otherwise_cannot_be_joined),
		cmocka_unit_test(total_cycles_have_levels_of_their_own),
	};

	return cmocka_run_group_tests_name("nehalem event table", tests, prepare, NULL);
}
