// SPDX-License-Identifier: BSD-2-Clause
// The words of an event: unit masks, levels, numbers, flags, registers, qualifications.

#include "event_tables.h"

//
// event_parse: unit masks and qualification
//

static const struct pmu_event masked_events[] = {
	{.name = "FLUSH", .code = 7, .umask = 0, .counters = 0xF, .joins = true},
	{.name = "FLUSH.DTC", .code = 7, .umask = 4, .counters = 0xF, .joins = true},
	{.name = "FLUSH.IEU", .code = 7, .umask = 8, .counters = 0xF, .joins = true},
	{.name = "FLUSH.L1D", .code = 7, .umask = 2, .counters = 0xF, .joins = true},
	{.name = "FLUSH.NARROW", .code = 7, .umask = 1, .counters = 0x3, .joins = true},
	{.name = "FLUSH.OF_ALL", .code = 7, .umask = 1, .modifiers = EVENT_ANY, .counters = 0xF,
	 .joins = true},
	{.name = "FLUSH.OFTEN", .code = 7, .umask = 1, .cmask = 2, .counters = 0xF, .joins = true},
	{.name = "PICK_1", .code = 2, .umask = 2, .counters = 0xF, .modifiers = EVENT_USER,
	 .joins = true},
	{.name = "PICK_2", .code = 2, .umask = 4, .counters = 0xF, .modifiers = EVENT_USER,
	 .joins = true},
	{.name = "PICK_ALL", .code = 2, .umask = 8, .counters = 0xF, .joins = true},
	{.name = "PICK_ANY", .code = 2, .umask = 0xE, .counters = 0xF, .modifiers = EVENT_USER},
	{.name = "READS.DATA.HIT", .code = 9, .umask = 1, .counters = 0xF},
	{.name = "READS.DATA.MISS", .code = 9, .umask = 2, .counters = 0xF},
};
static const struct pmu_event_table masked = {.event = masked_events,
					      .count = LENGTH(masked_events)};

static void unit_masks_are_named_in_both_ways_and_joined(void **state)
{
	static const struct {
		const char *text, *name;
		uint8_t umask;
	} right[] = {
		{"FLUSH.DTC", "FLUSH.DTC", 4}, {"FLUSH.DTC+L1D", "FLUSH.DTC", 6},
		{"flush.dtc+l1d+ieu", "FLUSH.DTC", 14},
		{"FLUSH:DTC", "FLUSH.DTC", 4}, {"FLUSH:DTC:L1D", "FLUSH.DTC", 6},
		{"FLUSH", "FLUSH", 0},
		{"FLUSH:u", "FLUSH", 0}, {"READS.DATA:HIT", "READS.DATA.HIT", 1},
		// Names in full are valid, too, also after '+'.
		{"FLUSH.DTC+FLUSH.L1D", "FLUSH.DTC", 6},
		{"FLUSH.DTC+flush.l1d+IEU", "FLUSH.DTC", 14},
		{"FLUSH:DTC:FLUSH.L1D", "FLUSH.DTC", 6},
		{"PICK_1+PICK_2", "PICK_1", 6}, {"pick_2+pick_1:u", "PICK_2", 6},
		{"PICK_1:PICK_2:u", "PICK_1", 6},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(right); i++) {
		const char *text = right[i].text;
		struct event_request r;

		assert_int_equal(event_parse(&masked, &text, &r), EVENT_OK);
		assert_string_equal(text, "");
		assert_string_equal(r.event->name, right[i].name);
		assert_int_equal(r.umask, right[i].umask);
	}
}

static void unit_masks_that_do_not_go_together_are_refused(void **state)
{
	static const struct wrong wrong[] = {
		{"READS.DATA.HIT+MISS", EVENT_NO_JOIN, 15},	// not in the manual
		{"FLUSH.DTC+NARROW", EVENT_NO_JOIN, 10},	// other counters
		{"FLUSH.DTC+OF_ALL", EVENT_NO_JOIN, 10},	// of all threads
		{"FLUSH.DTC+OFTEN", EVENT_NO_JOIN, 10},		// with a threshold
		{"FLUSH.DTC+BOTH", EVENT_NO_MASK, 10},
		{"FLUSH.DTC+", EVENT_NO_MASK, 10},
		{"FLUSH.DTC++L1D", EVENT_NO_MASK, 10},
		{"FLUSH.DTC+FLUSH.BOTH", EVENT_NO_MASK, 10},
		{"FLUSH.DTC+READS.DATA.HIT", EVENT_NO_JOIN, 10},
		{"FLUSH.DTC:L1D:BOTH", EVENT_BAD_MODIFIER, 14},
		{"PICK_1+PICK_ANY", EVENT_NO_JOIN, 7},
		{"PICK_1+FLUSH", EVENT_NO_JOIN, 7},		// another code
		{"PICK_1+2", EVENT_NO_MASK, 7},			// names without a dot must be
								// written in full
		{"FLUSH.DTC+DTC", EVENT_TWICE, 10},
		{"FLUSH:DTC:L1D:DTC", EVENT_TWICE, 14},
		{"PICK_1+PICK_2+PICK_1", EVENT_TWICE, 14},
		{"READS:HIT", EVENT_UNKNOWN, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		const char *text = wrong[i].text;
		struct event_request r;

		assert_int_equal(event_parse(&masked, &text, &r), wrong[i].error);
		assert_ptr_equal(text, wrong[i].text + wrong[i].at);
	}
}

// Joined events count by default at all levels at which one of them counts.
static void levels_of_joined_unit_masks_are_those_of_each(void **state)
{
	static const struct {
		const char *text;
		uint8_t levels;
	} cases[] = {
		{"PICK_1+PICK_2", 0xE}, {"PICK_1+PICK_ALL", 0xF}, {"PICK_ALL+PICK_1", 0xF},
		{"PICK_ALL", 0xF},
		{"PICK_1+PICK_ALL:u", 0x8},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const char *text = cases[i].text;
		struct event_request r;

		assert_int_equal(event_parse(&masked, &text, &r), EVENT_OK);
		assert_int_equal(r.levels, cases[i].levels);
	}
}

// An alias of one event is valid wherever that event's name is. An alias of several events is valid
// as an event's name.
static void an_alias_is_what_it_stands_for(void **state)
{
	static const struct pmu_event_alias aliases[] = {
		{"EACH_PICK", "PICK_1+PICK_2"}, {"FLUSH.OLD", "FLUSH.DTC"},
		{"FLUSHES", "FLUSH.DTC+IEU+L1D"},
		{"HITS", "READS.DATA.HIT"},
	};
	static const struct pmu_event_table table = {
		.event = masked_events, .count = LENGTH(masked_events),
		.alias = aliases, .alias_count = LENGTH(aliases),
	};
	static const struct {
		const char *text, *name;
		uint8_t umask, levels;
	} right[] = {
		{"FLUSH.OLD", "FLUSH.DTC", 4, 15}, {"flush:old", "FLUSH.DTC", 4, 15},
		{"FLUSH.OLD+L1D", "FLUSH.DTC", 6, 15}, {"FLUSH.L1D+old:u", "FLUSH.L1D", 6, 8},
		{"FLUSH:IEU:OLD", "FLUSH.IEU", 12, 15}, {"FLUSHES", "FLUSH.DTC", 14, 15},
		{"flushes:k", "FLUSH.DTC", 14, 1}, {"FLUSHES:plm=3:c=1", "FLUSH.DTC", 14, 3},
		{"HITS", "READS.DATA.HIT", 1, 15},
		{"EACH_PICK", "PICK_1", 6, 14}, {"EACH_PICK+PICK_ALL", "PICK_1", 14, 15},
	};
	static const struct wrong wrong[] = {
		{"FLUSH.OLD+NARROW", EVENT_NO_JOIN, 10}, {"HITS+MISS", EVENT_NO_JOIN, 5},
		{"FLUSHE", EVENT_UNKNOWN, 0},
		{"FLUSHES+BOTH", EVENT_NO_MASK, 8}, {"FLUSHES:what", EVENT_BAD_MODIFIER, 8},
		{"FLUSH:what", EVENT_UNKNOWN, 0}, {"FLUSHES.DTC", EVENT_UNKNOWN, 0},
		{"FLUSH.DTC+FLUSHES", EVENT_NO_MASK, 10},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(right); i++) {
		const char *text = right[i].text;
		struct event_request r;

		assert_int_equal(event_parse(&table, &text, &r), EVENT_OK);
		assert_string_equal(text, "");
		assert_string_equal(r.event->name, right[i].name);
		assert_int_equal(r.umask, right[i].umask);
		assert_int_equal(r.levels, right[i].levels);
	}
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		const char *text = wrong[i].text;
		struct event_request r;

		assert_int_equal(event_parse(&table, &text, &r), wrong[i].error);
		assert_ptr_equal(text, wrong[i].text + wrong[i].at);
	}
	assert_ptr_equal(event_find(&table, "hits", 4), &masked_events[11]);
	assert_null(event_find(&table, "FLUSHES", 7));		// stands for several events
	assert_null(event_find(&table, "HITS", 3));
}

static void levels_are_named_or_numbered(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL").levels, 0xF);
	assert_int_equal(parsed("MUL:u").levels, 0x8);
	assert_int_equal(parsed("MUL:k").levels, 0x1);
	assert_int_equal(parsed("MUL:u:k").levels, 0x9);
	assert_int_equal(parsed("MUL:plm=6").levels, 0x6);
	assert_int_equal(parsed("MUL:plm=6").modifiers, EVENT_USER);
	assert_int_equal(parsed("MUL:plm=1").modifiers, EVENT_OS);
	assert_int_equal(parsed("MUL:plm=15").modifiers, BOTH);
}

// libpfm's long form names each level; perf writes the letters together.
static void levels_are_left_out_and_written_together(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:usr=1:sup=0").levels, 0x8);
	assert_int_equal(parsed("MUL:u=0:k=1").levels, 0x1);
	assert_int_equal(parsed("MUL:k=0").levels, 0xE);
	assert_int_equal(parsed("MUL:k=0").modifiers, EVENT_USER);
	assert_int_equal(parsed("MUL:u=0").levels, 0x7);
	assert_int_equal(parsed("MUL:plm=9:u=0").levels, 0x1);
	// Levels by name and by bit mask are joined, in any order.
	assert_int_equal(parsed("MUL:u:plm=1").levels, 0x9);
	assert_int_equal(parsed("MUL:plm=1:u").levels, 0x9);
	assert_int_equal(parsed("MUL:uk").levels, 0x9);
	assert_int_equal(parsed("MUL:KU:c=2").levels, 0x9);
	assert_int_equal(parsed("MUL:up").modifiers, EVENT_USER | EVENT_PRECISE);
	assert_int_equal(parsed("MUL:upp").modifiers, EVENT_USER | EVENT_PRECISE | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:ppk").modifiers, EVENT_OS | EVENT_PRECISE | EVENT_BRANCHES);
}

static void numbers_are_decimal_or_hexadecimal(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:c=010").cmask, 10);
	assert_int_equal(parsed("MUL:c=0x10").cmask, 16);
	assert_int_equal(parsed("MUL:period=0000089").period, 89);
}

static void the_manuals_spelling_of_flags_is_read(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:CMASK=1:INV=1:EDGE=1").modifiers,
			 BOTH | EVENT_INV | EVENT_EDGE);
	assert_int_equal(parsed("MUL:CMASK=1:INV=1:EDGE=1").cmask, 1);
	assert_int_equal(parsed("CYCLES:i=0").modifiers, BOTH | EVENT_EDGE);
	assert_int_equal(parsed("MUL:any=1").modifiers, BOTH | EVENT_ANY);
	assert_int_equal(parsed("MUL:thres=5").cmask, 5);
	// Nehalem's guide: "UOPS_ISSUED:C1:I1".
	assert_int_equal(parsed("MUL:C12:I1").cmask, 12);
	assert_int_equal(parsed("MUL:C12:I1").modifiers, BOTH | EVENT_INV);
	assert_int_equal(parsed("CYCLES:e0:u1").modifiers, EVENT_USER | EVENT_INV);
	assert_int_equal(parsed("MUL:usr=1").levels, 0x8);
	assert_int_equal(parsed("MUL:SUP=1").levels, 0x1);
}

// Events with default levels.
static const struct pmu_event leveled_events[] = {
	{.name = "HIGH", .counters = 0xF, .modifiers = EVENT_OS},
	{.name = "LOW", .counters = 0xF, .modifiers = EVENT_USER | EVENT_INV, .cmask = 1},
	{.name = "OUTER", .counters = 0xF, .modifiers = EVENT_OS | EVENT_USER},
};
static const struct pmu_event_table leveled = {.event = leveled_events,
					       .count = LENGTH(leveled_events)};

static void an_events_own_levels_are_those_of_a_request_that_names_none(void **state)
{
	static const struct {
		const char *text;
		uint8_t levels, modifiers;
	} cases[] = {
		{"HIGH", 0x1, EVENT_OS}, {"LOW", 0xE, EVENT_USER | EVENT_INV}, {"OUTER", 0xF, BOTH},
		{"HIGH:c=1", 0x1, EVENT_OS}, {"HIGH:u", 0x8, EVENT_USER}, {"HIGH:u:k", 0x9, BOTH},
		{"LOW:k", 0x1, EVENT_OS | EVENT_INV}, {"HIGH:plm=15", 0xF, BOTH},
		{"HIGH:plm=6", 0x6, EVENT_USER},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const char *text = cases[i].text;
		struct event_request r;

		assert_int_equal(event_parse(&leveled, &text, &r), EVENT_OK);
		assert_int_equal(r.levels, cases[i].levels);
		assert_int_equal(r.modifiers, cases[i].modifiers);
	}
}

static void precise_samples_and_branch_records_are_asked_for(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:p").modifiers, BOTH | EVENT_PRECISE);
	assert_int_equal(parsed("MUL:pebs").modifiers, BOTH | EVENT_PRECISE);
	assert_int_equal(parsed("MUL:PRECISE=1").modifiers, BOTH | EVENT_PRECISE);
	assert_int_equal(parsed("MUL:p=0").modifiers, BOTH);
	assert_int_equal(parsed("MUL:lbr").modifiers, BOTH | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:lbr").branches, 0);
	// The number selects conditions; 0 is one of them and does not switch the records off.
	assert_int_equal(parsed("MUL:lbr=0").modifiers, BOTH | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:lbr=0").branches, 0);
	assert_int_equal(parsed("MUL:LBR=0x1ff").modifiers, BOTH | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:LBR=0x1ff").branches, 0x1FF);
	assert_int_equal(parsed("MUL:lbr=0xffffffff").branches, 0xFFFFFFFF);
	assert_int_equal(parsed("MUL:pp").modifiers, BOTH | EVENT_PRECISE | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:pp:lbr=4").branches, 4);
	assert_int_equal(parsed("MUL:lbr=4:pp").branches, 4);
	assert_int_equal(parsed("MUL:p:lbr=4:u").modifiers,
			 EVENT_USER | EVENT_PRECISE | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:btb=4").modifiers, BOTH);
}

static void leaving_a_counter_to_the_program_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:spflt").modifiers, BOTH | EVENT_PREFERRED);
	assert_int_equal(parsed("MUL:SPFLT=1:u").modifiers, EVENT_USER | EVENT_PREFERRED);
	assert_int_equal(parsed("MUL:spflt=0").modifiers, BOTH);
}

static void opening_a_counter_to_programs_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:open").modifiers, BOTH | EVENT_OPEN);
	assert_int_equal(parsed("MUL:Open=1:u").modifiers, EVENT_USER | EVENT_OPEN);
	assert_int_equal(parsed("MUL:open=0").modifiers, BOTH);
}

// Events with a further register.
static const struct pmu_event registered_events[] = {
	{.name = "ANSWER.FAR", .code = 7, .umask = 1, .counters = 0xF, .joins = true,
	 .setting_address = 0x1A6,
	 .setting_value = 0x2001},
	{.name = "ANSWER.NEAR", .code = 7, .umask = 1, .counters = 0xF, .joins = true,
	 .setting_address = 0x1A6,
	 .setting_value = 0x4001},
	{.name = "ANSWER.OTHER", .code = 7, .umask = 1, .counters = 0xF, .joins = true,
	 .setting_address = 0x1A7,
	 .setting_value = 1},
};
static const struct pmu_event_table registered = {registered_events, LENGTH(registered_events)};

static void the_value_of_a_register_is_the_events_or_the_callers(void **state)
{
	static const struct {
		const char *text;
		uint64_t extra;
	} cases[] = {
		{"ANSWER.FAR", 0x2001}, {"ANSWER.FAR+NEAR", 0x6001}, {"ANSWER:NEAR:FAR", 0x6001},
		{"ANSWER.FAR:msr=5", 5}, {"ANSWER.FAR:MSR=0", 0},
		{"ANSWER.FAR+NEAR:msr=0x8001", 0x8001},
		{"ANSWER.OTHER:msr=0xffffffffffffffff", UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const char *text = cases[i].text;
		struct event_request r;

		assert_int_equal(event_parse(&registered, &text, &r), EVENT_OK);
		assert_string_equal(text, "");
		assert_true(r.extra == cases[i].extra);
		assert_int_equal(r.umask, 1);
	}
}

static void events_of_different_registers_do_not_join(void **state)
{
	static const char whole[] = "ANSWER.FAR+OTHER";
	const char *text = whole;
	struct event_request r;

	(void)state;
	assert_int_equal(event_parse(&registered, &text, &r), EVENT_NO_JOIN);
	assert_ptr_equal(text, whole + strlen("ANSWER.FAR+"));
}

static void qualifications_are_read(void **state)
{
	struct event_request r =
		parsed("MUL:iar=0x4000-0x4fff:dar=16-31:ism=2:lat=64:tlb=6:btb=0x1ff");

	(void)state;
	assert_true(r.code_range.given && r.code_range.first == 0x4000 &&
		    r.code_range.last == 0x4FFF);
	assert_true(r.data_range.given && r.data_range.first == 16 && r.data_range.last == 31);
	assert_int_equal(r.sets, 2);
	assert_int_equal(r.latency, 64);
	assert_int_equal(r.tlb, 6);
	assert_int_equal(r.branches, 0x1FF);
	assert_int_equal(parsed("MUL:ldlat=65535").latency, 65535);
	r = parsed("MUL:iar=0-0xffffffffffffffff");
	assert_true(r.code_range.given && r.code_range.last == UINT64_MAX);
	assert_false(parsed("MUL").code_range.given || parsed("MUL").opcode.given);
	r = parsed("MUL:opc=0x1ffffffffff/0x7/MI");
	assert_true(r.opcode.given && r.opcode.match == 0x1FFFFFFFFFF && r.opcode.mask == 7);
	assert_int_equal(r.opcode.types, EVENT_TYPE_M | EVENT_TYPE_I);
	assert_int_equal(parsed("MUL:opc=0/1").opcode.types,
			 EVENT_TYPE_M | EVENT_TYPE_I | EVENT_TYPE_F | EVENT_TYPE_B);
}

static void qualifications_that_make_no_sense_are_refused(void **state)
{
	static const char *const wrong[] = {
		"iar=5", "iar=5-", "iar=-5", "iar=5-4", "iar=5-6-7", "iar",
		"iar=0x10000000000000000-1", "dar=a-b",
		"opc=0", "opc=0/", "opc=0x20000000000/0", "opc=0/0/", "opc=0/0/x", "opc=0/0/mx",
		"ism=4", "plm=0",
		"plm=16", "lat=0", "lat=65536", "tlb=0", "tlb=16", "btb=0", "btb=0x100000000",
		"k=2", "i=2",
		"e=",
		"inv=1x", "period=18446744073709551616", "thres=256", "msr", "msr=", "msr=x",
		"msr=-1",
		"msr=0x10000000000000000", "lbr=", "lbr=x", "lbr=0x100000000", "p=2", "p=",
		"pebs=x", "precise=10",
		"spflt=2", "spflt=", "open=2", "open=", "c256", "i2", "c2=3", "c=",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		char whole[80];
		const char *text = whole;
		struct event_request r;

		snprintf(whole, sizeof whole, "MUL:%s", wrong[i]);
		assert_int_equal(event_parse(&few, &text, &r), EVENT_BAD_VALUE);
		assert_ptr_equal(text, whole + 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unit_masks_are_named_in_both_ways_and_joined),
		cmocka_unit_test(unit_masks_that_do_not_go_together_are_refused),
		cmocka_unit_test(levels_of_joined_unit_masks_are_those_of_each),
		cmocka_unit_test(an_alias_is_what_it_stands_for),
		cmocka_unit_test(levels_are_named_or_numbered),
		cmocka_unit_test(levels_are_left_out_and_written_together),
		cmocka_unit_test(numbers_are_decimal_or_hexadecimal),
		cmocka_unit_test(the_manuals_spelling_of_flags_is_read),
		cmocka_unit_test(an_events_own_levels_are_those_of_a_request_that_names_none),
		cmocka_unit_test(precise_samples_and_branch_records_are_asked_for),
		cmocka_unit_test(leaving_a_counter_to_the_program_is_asked_for),
		cmocka_unit_test(opening_a_counter_to_programs_is_asked_for),
		cmocka_unit_test(the_value_of_a_register_is_the_events_or_the_callers),
		cmocka_unit_test(events_of_different_registers_do_not_join),
		cmocka_unit_test(qualifications_are_read),
		cmocka_unit_test(qualifications_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
