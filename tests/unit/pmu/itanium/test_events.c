// SPDX-License-Identifier: BSD-2-Clause
// Compares the Itanium event table with section 7.8 of the processor's Reference Manual for
// Software Development, as printed for each event: tests/vectors/itanium-events.tab.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

#define LENGTH(array)	(sizeof array / sizeof *array)
#define VECTORS		"tests/vectors/itanium-events.tab"
#define FIELDS		8
#define ROWS_MAX	400
#define UMASK_BITS	4

extern const struct pmu_event_table pmu_events_itanium;

static const struct pmu_event_table *const table = &pmu_events_itanium;

struct row {
	char name[EVENT_NAME_MAX + 1], umask[8];
	unsigned code, max, first, last;	// counters
	// instruction address range, opcode, data address range
	char applies[3][8];
};

static struct row rows[ROWS_MAX];
static size_t row_count;

static int read_rows(void **state)
{
	FILE *file = fopen(VECTORS, "r");
	char line[256];

	(void)state;
	if (!file)
		fail_msg("%s cannot be read", VECTORS);
	while (fgets(line, sizeof line, file)) {
		struct row *r = &rows[row_count];
		int fields = 0;

		if (*line == '#' || *line == '\n')
			continue;
		assert_true(row_count < ROWS_MAX);
		// The counters are one field and two numbers.
		fields = sscanf(line, "%63[^\t]\t%x\t%7[^\t]\t%u-%u\t%u\t%7s\t%7s\t%7s", r->name,
				&r->code, r->umask,
				&r->first, &r->last, &r->max, r->applies[0], r->applies[1],
				r->applies[2]);
		if (fields != FIELDS + 1)
			fail_msg("%s: '%s' has not %d fields", VECTORS, line, FIELDS);
		row_count++;
	}
	fclose(file);
	return 0;
}

static const struct pmu_event *find(const char *name)
{
	return event_find(table, name, strlen(name));
}

static const struct pmu_event *must_find(const char *name)
{
	const struct pmu_event *e = find(name);

	if (!e)
		fail_msg("there is no event %s", name);
	return e;
}

// The interval timer (6.1.2.1) is not an event of section 7.8, and none of the monitor's counters
// counts it.
static bool is_timer(const struct pmu_event *e)
{
	return !strcmp(e->name, "ITC");
}

static bool starts_with(const char *name, const char *start)
{
	return !strncmp(name, start, strlen(start));
}

//
// Each row, both ways
//

// "x011": one bit per character, from bit 3; "Ignored".
static void read_umask(const char *text, unsigned *umask, unsigned *care)
{
	*umask = *care = 0;
	if (!strcmp(text, "Ignored"))
		return;
	assert_int_equal(strlen(text), UMASK_BITS);
	for (; *text; text++) {
		assert_non_null(strchr("01x", *text));
		*umask = *umask << 1 | (*text == '1');
		*care = *care << 1 | (*text != 'x');
	}
}

static unsigned applies(const char *text)
{
	if (!strcmp(text, "yes"))
		return EVENT_APPLIES;
	if (!strcmp(text, "partial"))
		return EVENT_APPLIES_PARTLY;
	if (strcmp(text, "no") && strcmp(text, "none"))
		fail_msg("'%s' is no qualification", text);
	return EVENT_APPLIES_NOT;
}

// Table 7-30: unit mask 0000 of code 08 counts "all retired instructions (regardless of whether
// they were tagged or not)", although its entry allows ranges and opcodes.
static bool counts_regardless_of_tags(const struct row *r)
{
	return r->code == 0x08 && !strcmp(r->umask, "0000");
}

// 7.8 prints "2 (each)", and says that each is two bits of a count.
static bool is_two_bits(const struct row *r)
{
	return r->code == 0x5B || r->code == 0x5C;
}

static void check_row(const struct row *r)
{
	const struct pmu_event *e = must_find(r->name);
	const uint8_t found[] = {e->code_range, e->opcode, e->data_range};
	unsigned umask, care;

	read_umask(r->umask, &umask, &care);
	assert_string_equal(e->name, r->name);
	assert_int_equal(e->code, r->code);
	assert_int_equal(e->umask, umask);
	assert_int_equal(e->umask_care, care);
	assert_int_equal(e->counters, (2ULL << r->last) - (1ULL << r->first));
	assert_int_equal(e->max, is_two_bits(r) ? 3 : r->max);
	for (size_t i = 0; i < LENGTH(found); i++)
		assert_int_equal(found[i], counts_regardless_of_tags(r) ? EVENT_APPLIES_NOT :
				 applies(r->applies[i]));
}

static void each_event_of_the_manual_is_in_the_table_as_printed(void **state)
{
	(void)state;
	for (size_t i = 0; i < row_count; i++)
		check_row(&rows[i]);
}

static void each_event_of_the_table_is_in_the_manual_once(void **state)
{
	(void)state;
	assert_int_equal(table->count, row_count + 1);
	for (size_t i = 0; i < table->count; i++) {
		unsigned times = is_timer(&table->event[i]);

		for (size_t j = 0; j < row_count; j++)
			times += !strcmp(rows[j].name, table->event[i].name);
		if (times != 1)
			fail_msg("%s: %u times", table->event[i].name, times);
	}
}

//
// Counted in the manual by hand
//

static const struct {
	const char *start;
	unsigned events;
} families[] = {
	{"ALAT_REPLACEMENT.", 3}, {"ALAT_INST_CHKA_LDC.", 3}, {"ALAT_INST_FAILED_CHKA_LDC.", 3},
	{"INST_FAILED_CHKS_RETIRED.", 3}, {"L2_DATA_REFERENCES.", 3},
	{"BRANCH_MULTIWAY.", 12},	// 3 paths, 4 outcomes
	{"BRANCH_PATH.", 16},		// all and 3 stages, taken or not, right or wrong
	{"BRANCH_PREDICTOR.", 16},	// all and 3 stages, 4 outcomes
	{"BRANCH_TAKEN_SLOT.", 4},	// Table 7-29
	{"IA64_TAGGED_INST_RETIRED.", 3},	// Table 7-30
	{"L2_FLUSH_DETAILS.", 4},	// Table 7-31
	{"PIPELINE_FLUSH.", 4},		// Table 7-32
	{"L3_READS.", 9}, {"L3_WRITES.", 9},	// Table 7-19
	// Table 7-20 has 24 bus events. 7 of them have no unit mask (4 of remote snoops, BUS_HITM,
	// BUS_SNOOPQ_REQ, BUS_BRQ_READ_REQ_INSERTED), 10 have all three of Table 7-22, 3 ANY and
	// SELF, 4 only ANY; and there are two pairs for the queues.
	{"BUS_", 7 + 10 * 3 + 3 * 2 + 4 + 4},
};

static void families_are_complete(void **state)
{
	(void)state;
	for (size_t f = 0; f < LENGTH(families); f++) {
		unsigned events = 0;

		for (size_t i = 0; i < table->count; i++)
			events += starts_with(table->event[i].name, families[f].start);
		if (events != families[f].events)
			fail_msg("%s: %u events, not %u", families[f].start, events,
				 families[f].events);
	}
}

// 7.4: eight stall cycle monitors, whose codes are 0 to 7.
static void there_are_eight_stall_monitors(void **state)
{
	unsigned codes = 0, events = 0;

	(void)state;
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->event[i].category, "Stall")) {
			codes |= 1u << table->event[i].code;
			events++;
		}
	assert_int_equal(events, 8);
	assert_int_equal(codes, 0xFF);
}

// 6.2.2: only two counters take more than three in a cycle. 7.8: besides those, BUS_SNOOPQ_REQ is
// for them.
static void what_counts_more_than_three_in_a_cycle_counts_on_4_and_5(void **state)
{
	unsigned wide = 0;

	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];
		bool is_wide = e->max > 3 || !strcmp(e->name, "BUS_SNOOPQ_REQ");

		assert_int_equal(e->counters, is_timer(e) ? 1ULL << 32 : is_wide ? 0x30 : 0xF0);
		wide += is_wide;
	}
	// IA64_INST_RETIRED, three tagged ones, INST_DISPERSED, NOPS_RETIRED,
	// PREDICATE_SQUASHED_RETIRED and BUS_SNOOPQ_REQ.
	assert_int_equal(wide, 8);
}

//
// Codes and unit masks
//

// Code and unit mask fit PMC4-7 (Table 6-6), and bits without a meaning are 0.
static void codes_and_unit_masks_fit_their_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];

		assert_int_equal(e->code < 1u << 7, !is_timer(e));
		assert_int_equal(e->umask_care >> UMASK_BITS, 0);
		assert_int_equal(e->umask & ~e->umask_care, 0);
		assert_int_equal(e->cmask, 0);
		assert_int_equal(e->modifiers, 0);
	}
}

// The exception is IA64_INST_RETIRED, which "is equal to IA64_TAGGED_INST_RETIRED with a zero unit
// mask" (7.8).
static void no_two_events_look_the_same_to_the_processor(void **state)
{
	unsigned same = 0;

	(void)state;
	for (size_t i = 0; i < table->count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct pmu_event *a = &table->event[i], *b = &table->event[j];

			if (a->code == b->code && a->umask == b->umask) {
				assert_int_equal(a->code, 0x08);
				assert_int_equal(a->umask, 0);
				same++;
			}
		}
	assert_int_equal(same, 1);
}

static void each_event_says_what_it_is(void **state)
{
	static const char *const categories[] = {
		"Branch", "Execution", "Frontside Bus", "Instruction Cache", "Instruction Issue",
		"L1 Data Cache",
		"L2 Cache", "L3 Cache", "Memory", "Stall", "System",
	};

	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];
		bool known = is_timer(e);

		for (size_t c = 0; c < LENGTH(categories); c++)
			known |= !strcmp(e->category, categories[c]);
		assert_true(known);
		assert_true(starts_with(e->source, is_timer(e) ? "6.1.2.1" : "7.8"));
		assert_true(strlen(e->description) > 0);
	}
}

//
// Unit masks that can be joined, and others
//

static enum event_error parse(const char *text, struct event_request *r)
{
	return event_parse(table, &text, r);
}

static const struct {
	const char *text;
	unsigned code, umask;
} joined[] = {
	// Table 7-29
	{"BRANCH_TAKEN_SLOT.SLOT_0+SLOT_2", 0x0D, 0x5},
	{"BRANCH_TAKEN_SLOT:SLOT_1:NO_TAKEN_BRANCH", 0x0D, 0xA},
	{"BRANCH_TAKEN_SLOT.SLOT_0+SLOT_1+SLOT_2+NO_TAKEN_BRANCH", 0x0D, 0xF},
	// Table 7-31: "All combinations of the four unit mask bits are supported"
	{"L2_FLUSH_DETAILS.ST_BUFFER+ADDR_CONFLICT", 0x77, 0x3},
	{"L2_FLUSH_DETAILS.BUS_REJECT+FULL_FLUSH", 0x77, 0xC},
	// Table 7-32: "Combinations of different flush reasons may be chosen"
	{"PIPELINE_FLUSH.DTC_FLUSH+IEU_FLUSH", 0x33, 0xC},
	{"PIPELINE_FLUSH.OTHER_FLUSH+L1D_WAYMP_FLUSH", 0x33, 0x3},
};

static void reasons_and_slots_can_be_joined(void **state)
{
	unsigned joins = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(joined); i++) {
		struct event_request r;

		if (parse(joined[i].text, &r) != EVENT_OK)
			fail_msg("'%s' is refused", joined[i].text);
		assert_int_equal(r.event->code, joined[i].code);
		assert_int_equal(r.umask, joined[i].umask);
	}
	for (size_t i = 0; i < table->count; i++)
		joins += table->event[i].joins;
	assert_int_equal(joins, 3 * 4);
}

static void nothing_else_can_be_joined(void **state)
{
	static const char *const texts[] = {
		"BUS_ALL.ANY+SELF", "BUS_ALL:SELF:IO", "IA64_TAGGED_INST_RETIRED.PMC8+PMC9",
		"ALAT_REPLACEMENT.FP+INTEGER", "L3_READS.DATA_READS.HIT+MISS",
		"BRANCH_PREDICTOR.ALL.WRONG_PATH+WRONG_TARGET",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(texts); i++) {
		struct event_request r;

		if (parse(texts[i], &r) != EVENT_NO_JOIN)
			fail_msg("'%s' is not refused", texts[i]);
	}
}

// Notes of 7.8: "Only the "Any" [and "Self"] unit mask[s] is [are] supported"; Table 7-30: all
// other unit masks are undefined.
static void unit_masks_that_are_not_supported_have_no_names(void **state)
{
	static const char *const names[] = {
		"BUS_IO.IO", "BUS_RD_IO.IO", "BUS_LOCK.SELF", "BUS_LOCK.IO", "BUS_LOCK_CYCLES.SELF",
		"BUS_LOCK_CYCLES.IO", "BUS_SNOOPS.SELF", "BUS_SNOOPS.IO", "BUS_SNOOPS_HITM.SELF",
		"BUS_SNOOPS_HITM.IO",
		"BUS_SNOOP_STALL_CYCLES.IO", "BUS_LOCK.IOAGENT", "BRANCH_PATH",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++)
		assert_null(find(names[i]));
}

// Names in the manual's tables and formulas that section 7.8 lacks, with the code and unit mask of
// their meaning: all sub-events of the event, and for bus transactions any initiator (Table 7-22).
static void names_of_the_manuals_tables_are_known(void **state)
{
	static const struct {
		const char *name;
		unsigned code, umask;
	} names[] = {
		{"BUS_ALL", 0x47, 1}, {"BUS_PARTIAL", 0x48, 1}, {"BUS_BURST", 0x49, 1},
		{"BUS_MEMORY", 0x4A, 1},
		{"BUS_RD_ALL", 0x4B, 1}, {"BUS_RD_DATA", 0x4C, 1}, {"BUS_RD_PRTL", 0x4D, 1},
		{"BUS_RD_INVAL", 0x4E, 1},
		{"BUS_RD_INVAL_BST", 0x4F, 1}, {"BUS_IO", 0x50, 1}, {"BUS_RD_IO", 0x51, 1},
		{"BUS_WR_WB", 0x52, 1},
		{"BUS_LOCK", 0x53, 1}, {"BUS_LOCK_CYCLES", 0x54, 1},
		{"BUS_SNOOP_STALL_CYCLES", 0x55, 1},
		// Tables 7-20, 7-25
		{"BUS_SNOOPS", 0x46, 1}, {"BUS_SNOOPS_HITM", 0x45, 1},
		// Table 7-21
		{"BUS_MEMORY.IOAGENT", 0x4A, 4}, {"BUS_MEMORY:IOAGENT", 0x4A, 4},
		// Table 7-17
		{"PIPELINE_FLUSH.L1D_WAY_MISPREDICT", 0x33, 2},
		// Table 7-26
		{"PIPELINE_FLUSH", 0x33, 15},
		// Table 7-18
		{"L2_FLUSH_DETAILS", 0x77, 15},
		// Table 7-31
		{"L2_FLUSH_DETAILS.L2_ST_BUFFER_FLUSH", 0x77, 1},
		{"L2_FLUSH_DETAILS.L2_ADDR_CONFLICT", 0x77, 2},
		{"L2_FLUSH_DETAILS.L2_BUS_REJECT", 0x77, 4},
		{"L2_FLUSH_DETAILS.L2_FULL_FLUSH", 0x77, 8},
		{"L2_FLUSH_DETAILS.L2_FULL_FLUSH+L2_BUS_REJECT", 0x77, 12},
		{"BRANCH_MULTIWAY", 0x0E, 0}, {"BRANCH_PREDICTOR", 0x10, 0},
		{"BRANCH_TAKEN_SLOT", 0x0D, 15},
		{"IA64_TAGGED_INST_RETIRED", 0x08, 3},					// Table 7-3
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++) {
		struct event_request r;

		if (parse(names[i].name, &r) != EVENT_OK)
			fail_msg("'%s' is not known", names[i].name);
		assert_int_equal(r.event->code, names[i].code);
		assert_int_equal(r.umask, names[i].umask);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_of_the_manual_is_in_the_table_as_printed),
		cmocka_unit_test(each_event_of_the_table_is_in_the_manual_once),
		cmocka_unit_test(families_are_complete),
		cmocka_unit_test(there_are_eight_stall_monitors),
		cmocka_unit_test(what_counts_more_than_three_in_a_cycle_counts_on_4_and_5),
		cmocka_unit_test(codes_and_unit_masks_fit_their_fields),
		cmocka_unit_test(no_two_events_look_the_same_to_the_processor),
		cmocka_unit_test(each_event_says_what_it_is),
		cmocka_unit_test(reasons_and_slots_can_be_joined),
		cmocka_unit_test(nothing_else_can_be_joined),
		cmocka_unit_test(unit_masks_that_are_not_supported_have_no_names),
		cmocka_unit_test(names_of_the_manuals_tables_are_known),
	};

	return cmocka_run_group_tests(tests, read_rows, NULL);
}
