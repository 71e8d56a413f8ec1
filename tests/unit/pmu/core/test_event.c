// SPDX-License-Identifier: BSD-2-Clause
// Events as text, and refusals in words.

#include "machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "random.h"

#define LENGTH(array) (sizeof array / sizeof *array)

#define NAME_OF_63 "N234567890" "1234567890" "1234567890" "1234567890" "1234567890" "1234567890" "123"

// Names that are prefixes of others, and one as long as a name can be.
static const struct pmu_event few_events[] = {
	{.name = "A", .counters = 0xF},
	{.name = "AB", .counters = 0xF},
	{.name = "AB.C", .counters = 0xF},
	{.name = "ABC", .counters = 0xF},
	{.name = "CYCLES", .counters = 0xF, .cmask = 3, .modifiers = EVENT_INV | EVENT_EDGE},
	{.name = "MUL", .counters = 0xF},
	{.name = NAME_OF_63, .counters = 0xF},
	{.name = "PORT", .counters = 0xF, .modifiers = EVENT_ANY},
};
static const struct pmu_event_table few = {.event = few_events, .count = LENGTH(few_events)};

static const struct pmu_event *find(const struct pmu_event_table *table, const char *name)
{
	return event_find(table, name, strlen(name));
}

//
// event_find
//

static void make_lower(char *out, const char *name)
{
	do
		*out++ = (char)tolower((unsigned char)*name);
	while (*name++);
}

static void every_event_is_found_in_upper_lower_and_mixed_case(void **state)
{
	const struct pmu_event_table *tables[] = {&few, nehalem()->events};

	(void)state;
	for (size_t t = 0; t < LENGTH(tables); t++)
		for (size_t i = 0; i < tables[t]->count; i++) {
			const char *name = tables[t]->event[i].name;
			char lower[EVENT_NAME_MAX + 1], mixed[EVENT_NAME_MAX + 1];

			make_lower(lower, name);
			for (size_t c = 0; c <= strlen(name); c++)
				mixed[c] = c % 2 ? lower[c] : name[c];
			assert_ptr_equal(find(tables[t], name), &tables[t]->event[i]);
			assert_ptr_equal(find(tables[t], lower), &tables[t]->event[i]);
			assert_ptr_equal(find(tables[t], mixed), &tables[t]->event[i]);
		}
}

static void a_name_is_neither_its_prefix_nor_longer_than_it_is(void **state)
{
	static const char *const unknown[] = {
		"", "AB.", "ABCD", "CYCLE", "CYCLESS", "MU", "MULL", " MUL", "MUL ", "Z", "0",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(unknown); i++)
		assert_null(find(&few, unknown[i]));
	assert_ptr_equal(event_find(&few, "ABCD", 1), &few_events[0]);
	assert_ptr_equal(event_find(&few, "ABCD", 2), &few_events[1]);
	assert_ptr_equal(event_find(&few, "ABCD", 3), &few_events[3]);
}

// The event's own name has room behind it, so that a comparison that goes on past both ends shows here.
static void a_name_with_a_zero_byte_in_it_is_unknown(void **state)
{
	static const char name[16] = "AB", own[16] = "AB";
	static const struct pmu_event event = {.name = own};
	static const struct pmu_event_table table = {.event = &event, .count = 1};

	(void)state;
	assert_ptr_equal(event_find(&table, name, 2), &event);
	assert_null(event_find(&table, name, 3));
	assert_null(event_find(&table, name, 7));
}

static void nothing_is_found_in_an_empty_table(void **state)
{
	static const struct pmu_event_table none = {.event = few_events};

	(void)state;
	assert_null(find(&none, "A"));
}

// event.h: ordered by name as strcasecmp has it: '_' comes before letters.
static void a_table_in_the_documented_order_is_searched_in_it(void **state)
{
	static const struct pmu_event events[] = {
		{.name = "LOAD_A"}, {.name = "LOAD_Z"}, {.name = "LOADA"}, {.name = "LOADZ"},
	};
	static const struct pmu_event_table table = {.event = events, .count = LENGTH(events)};

	(void)state;
	for (size_t i = 0; i < LENGTH(events); i++)
		assert_ptr_equal(find(&table, events[i].name), &events[i]);
}

static void the_compiled_table_is_in_the_documented_order(void **state)
{
	const struct pmu_event_table *table = nehalem()->events;

	(void)state;
	for (size_t i = 1; i < table->count; i++)
		assert_true(strcasecmp(table->event[i - 1].name, table->event[i].name) < 0);
}

//
// event_parse: what is right
//

#define BOTH (EVENT_USER | EVENT_OS)

struct parsed {
	const char *text;
	const char *name;
	uint8_t cmask, modifiers;
	int8_t counter;
	uint64_t period;
};

static void modifiers_are_read_and_combined_with_the_tables_own(void **state)
{
	static const struct parsed right[] = {
		{"MUL", "MUL", 0, BOTH, -1, 0},
		{"mul", "MUL", 0, BOTH, -1, 0},
		{"MUL:u", "MUL", 0, EVENT_USER, -1, 0},
		{"MUL:k", "MUL", 0, EVENT_OS, -1, 0},
		{"MUL:u:k", "MUL", 0, BOTH, -1, 0},
		{"MUL:U:K", "MUL", 0, BOTH, -1, 0},
		{"MUL:i", "MUL", 0, EVENT_INV | BOTH, -1, 0},
		{"MUL:e", "MUL", 0, EVENT_EDGE | BOTH, -1, 0},
		{"MUL:t", "MUL", 0, EVENT_ANY | BOTH, -1, 0},
		{"MUL:i:e:t:u", "MUL", 0, EVENT_INV | EVENT_EDGE | EVENT_ANY | EVENT_USER, -1, 0},
		{"MUL:c=0", "MUL", 0, BOTH, -1, 0},
		{"MUL:c=1", "MUL", 1, BOTH, -1, 0},
		{"MUL:c=255", "MUL", 255, BOTH, -1, 0},
		{"MUL:cmask=16", "MUL", 16, BOTH, -1, 0},
		{"MUL:u=1", "MUL", 0, EVENT_USER, -1, 0},	// libpfm's long form
		{"MUL:CMASK=16", "MUL", 16, BOTH, -1, 0},
		{"MUL:ctr=0", "MUL", 0, BOTH, 0, 0},
		{"MUL:ctr=34", "MUL", 0, BOTH, 34, 0},
		{"MUL:ctr=63", "MUL", 0, BOTH, 63, 0},
		{"MUL:period=0", "MUL", 0, BOTH, -1, 0},
		{"MUL:period=2", "MUL", 0, BOTH, -1, 2},
		{"MUL:Period=100000", "MUL", 0, BOTH, -1, 100000},
		{"MUL:period=9223372036854775807", "MUL", 0, BOTH, -1, 9223372036854775807},
		{"MUL:k:c=4:ctr=1:period=1000", "MUL", 4, EVENT_OS, 1, 1000},
		{"CYCLES", "CYCLES", 3, EVENT_INV | EVENT_EDGE | BOTH, -1, 0},
		{"CYCLES:u", "CYCLES", 3, EVENT_INV | EVENT_EDGE | EVENT_USER, -1, 0},
		{"CYCLES:c=7:t", "CYCLES", 7, EVENT_INV | EVENT_EDGE | EVENT_ANY | BOTH, -1, 0},
		{"PORT", "PORT", 0, EVENT_ANY | BOTH, -1, 0},
		{"PORT:e:c=1", "PORT", 1, EVENT_ANY | EVENT_EDGE | BOTH, -1, 0},
		{"A", "A", 0, BOTH, -1, 0},
		{"AB:u", "AB", 0, EVENT_USER, -1, 0},
		{"AB.C", "AB.C", 0, BOTH, -1, 0},
		{NAME_OF_63 ":u", NAME_OF_63, 0, EVENT_USER, -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(right); i++) {
		const struct parsed *expected = &right[i];
		const char *text = expected->text;
		struct event_request r;

		assert_int_equal(event_parse(&few, &text, &r), EVENT_OK);
		assert_ptr_equal(text, expected->text + strlen(expected->text));
		assert_string_equal(r.event->name, expected->name);
		assert_int_equal(r.cmask, expected->cmask);
		assert_int_equal(r.modifiers, expected->modifiers);
		assert_int_equal(r.counter, expected->counter);
		assert_int_equal(r.period, expected->period);
	}
}

static void a_list_is_read_one_event_at_a_time(void **state)
{
	static const char list[] = "MUL:u:period=10,AB,cycles:k";
	const char *text = list;
	struct event_request r;

	(void)state;
	assert_int_equal(event_parse(&few, &text, &r), EVENT_OK);
	assert_string_equal(text, "AB,cycles:k");
	assert_string_equal(r.event->name, "MUL");
	assert_int_equal(r.period, 10);
	assert_int_equal(event_parse(&few, &text, &r), EVENT_OK);
	assert_string_equal(text, "cycles:k");
	assert_string_equal(r.event->name, "AB");
	assert_int_equal(r.period, 0);
	assert_int_equal(r.modifiers, BOTH);
	assert_int_equal(event_parse(&few, &text, &r), EVENT_OK);
	assert_string_equal(text, "");
	assert_string_equal(r.event->name, "CYCLES");
}

//
// event_parse: what is wrong
//

struct wrong {
	const char *text;
	enum event_error error;
	size_t at;		// of the word that is wrong
};

static const struct wrong wrong_texts[] = {
	{"", EVENT_UNKNOWN, 0},
	{":u", EVENT_UNKNOWN, 0},
	{",MUL", EVENT_UNKNOWN, 0},
	{"=", EVENT_UNKNOWN, 0},
	{"NOBODY", EVENT_UNKNOWN, 0},
	{"NOBODY:u,MUL", EVENT_UNKNOWN, 0},
	{"MU", EVENT_UNKNOWN, 0},
	{"MULL", EVENT_UNKNOWN, 0},
	{"MUL u", EVENT_UNKNOWN, 0},
	{" MUL", EVENT_UNKNOWN, 0},
	{"MUL:", EVENT_BAD_MODIFIER, 4},
	{"MUL::u", EVENT_BAD_MODIFIER, 4},
	{"MUL:x", EVENT_BAD_MODIFIER, 4},
	{"MUL:ux", EVENT_BAD_MODIFIER, 4},
	{"MUL:uk=1", EVENT_BAD_MODIFIER, 4},
	{"MUL:u+k", EVENT_BAD_MODIFIER, 4},
	{"MUL:i:e+t", EVENT_BAD_MODIFIER, 6},
	{"MUL:u:x", EVENT_BAD_MODIFIER, 6},
	{"MUL:u:x=3:k", EVENT_BAD_MODIFIER, 6},
	{"MUL:period=10:what", EVENT_BAD_MODIFIER, 14},
	{"MUL:,AB", EVENT_BAD_MODIFIER, 4},
	{"MUL:cmas=1", EVENT_BAD_MODIFIER, 4},
	{"MUL:cmaskk=1", EVENT_BAD_MODIFIER, 4},
	{"MUL:u ", EVENT_BAD_MODIFIER, 4},
	{"MUL:plm=1:k=0", EVENT_NO_LEVEL, 0},
	{"MUL:u=2", EVENT_BAD_VALUE, 4},
	{"MUL:k:t=", EVENT_BAD_VALUE, 6},
	{"MUL:c", EVENT_BAD_VALUE, 4},
	{"MUL:c=", EVENT_BAD_VALUE, 4},
	{"MUL:c=:u", EVENT_BAD_VALUE, 4},
	{"MUL:c=,AB", EVENT_BAD_VALUE, 4},
	{"MUL:c:u", EVENT_BAD_VALUE, 4},
	{"MUL:c=x", EVENT_BAD_VALUE, 4},
	{"MUL:c=1x", EVENT_BAD_VALUE, 4},
	{"MUL:c=-1", EVENT_BAD_VALUE, 4},
	{"MUL:c=+1", EVENT_BAD_VALUE, 4},
	{"MUL:c= 1", EVENT_BAD_VALUE, 4},
	{"MUL:c=1 ", EVENT_BAD_VALUE, 4},
	{"MUL:c=1=2", EVENT_BAD_VALUE, 4},
	{"MUL:c=256", EVENT_BAD_VALUE, 4},
	{"MUL:cmask=256", EVENT_BAD_VALUE, 4},
	{"MUL:c=18446744073709551617", EVENT_BAD_VALUE, 4},
	{"MUL:ctr", EVENT_BAD_VALUE, 4},
	{"MUL:ctr=64", EVENT_BAD_VALUE, 4},
	{"MUL:ctr=-1", EVENT_BAD_VALUE, 4},
	{"MUL:ctr=4294967296", EVENT_BAD_VALUE, 4},
	{"MUL:period=", EVENT_BAD_VALUE, 4},
	{"MUL:period=ten", EVENT_BAD_VALUE, 4},
	{"MUL:period=-1", EVENT_BAD_VALUE, 4},
	{"MUL:period=9223372036854775808", EVENT_BAD_VALUE, 4},
	{"MUL:period=18446744073709551618", EVENT_BAD_VALUE, 4},
	{"MUL:u:c=3:period=1e6,AB", EVENT_BAD_VALUE, 10},
	{NAME_OF_63 "4", EVENT_TOO_LONG, 0},
	// Braces are for lists; the table is no driver's, and has neither another name nor a control register.
	{"MUL}", EVENT_BAD_GROUP, 3},
	{"{MUL}", EVENT_UNKNOWN, 0},
	{"nhm::MUL", EVENT_BAD_PREFIX, 0},
	{"r01c0", EVENT_BAD_RAW, 0},
	{"raw=1", EVENT_BAD_RAW, 0},
	{"instructions", EVENT_UNKNOWN, 0},
};

static void a_wrong_word_is_pointed_at_and_the_request_left_alone(void **state)
{
	struct event_request r, untouched;

	(void)state;
	memset(&untouched, 0x5A, sizeof untouched);
	memcpy(&r, &untouched, sizeof r);
	for (size_t i = 0; i < LENGTH(wrong_texts); i++) {
		const struct wrong *w = &wrong_texts[i];
		const char *text = w->text;

		if (event_parse(&few, &text, &r) != w->error || text != w->text + w->at)
			fail_msg("'%s': not this error, or not there", w->text);
		assert_memory_equal(&r, &untouched, sizeof r);
	}
}

static void a_wrong_event_in_a_list_is_pointed_at(void **state)
{
	static const char list[] = "MUL:u,AB:period=5,NOBODY,A";
	const char *text = list;
	struct event_request r;

	(void)state;
	assert_int_equal(event_parse(&few, &text, &r), EVENT_OK);
	assert_int_equal(event_parse(&few, &text, &r), EVENT_OK);
	assert_int_equal(event_parse(&few, &text, &r), EVENT_UNKNOWN);
	assert_ptr_equal(text, strstr(list, "NOBODY"));
}

static void a_value_given_to_the_name_itself_is_refused(void **state)
{
	const char *text = "MUL=5";
	struct event_request r;

	(void)state;
	assert_int_not_equal(event_parse(&few, &text, &r), EVENT_OK);
}

//
// event_next
//

static void a_list_has_groups_in_braces(void **state)
{
	static const struct {
		const char *event;
		size_t length;
		unsigned group;
	} expected[] = {{"A:u", 3, 0}, {"AB", 2, 1}, {"MUL:c=2", 7, 1}, {"A", 1, 2}, {"PORT", 4, 0}};
	struct event_list list = event_list("A:u, {AB,MUL:c=2}, { A},PORT");
	struct event_request r;

	(void)state;
	for (size_t i = 0; i < LENGTH(expected); i++) {
		assert_true(list.more);
		assert_int_equal(event_next(&few, &list, &r), EVENT_OK);
		assert_memory_equal(list.event, expected[i].event, expected[i].length);
		assert_int_equal(list.length, expected[i].length);
		assert_int_equal(list.group, expected[i].group);
	}
	assert_false(list.more);
	assert_string_equal(list.text, "");
}

static void a_list_that_is_wrong_is_pointed_at(void **state)
{
	static const struct wrong wrong[] = {
		{"", EVENT_UNKNOWN, 0}, {"A,", EVENT_UNKNOWN, 2}, {"A, ", EVENT_UNKNOWN, 3}, {",A", EVENT_UNKNOWN, 0},
		{"A,,A", EVENT_UNKNOWN, 2}, {"{}", EVENT_UNKNOWN, 1}, {"{A,}", EVENT_UNKNOWN, 3},
		{"{A", EVENT_BAD_GROUP, 0}, {"A,{A,AB", EVENT_BAD_GROUP, 2}, {"A}", EVENT_BAD_GROUP, 1},
		{"{A}}", EVENT_BAD_GROUP, 3}, {"{A,{AB}}", EVENT_BAD_GROUP, 3}, {"{A}:u", EVENT_BAD_GROUP, 3},
		{"{A}AB", EVENT_BAD_GROUP, 3}, {"{{A}}", EVENT_UNKNOWN, 1}, {"A{AB}", EVENT_BAD_MODIFIER, 1},
		{"A:period={2}", EVENT_BAD_VALUE, 2}, {"{A:c=x}", EVENT_BAD_VALUE, 3},
	};
	struct event_request r, untouched;

	(void)state;
	memset(&untouched, 0x5A, sizeof untouched);
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		struct event_list list = event_list(wrong[i].text);
		enum event_error error;

		do {
			memcpy(&r, &untouched, sizeof r);
			error = event_next(&few, &list, &r);
		} while (!error && list.more);
		if (error != wrong[i].error || list.text != wrong[i].text + wrong[i].at)
			fail_msg("'%s': not this error, or not there", wrong[i].text);
		assert_memory_equal(&r, &untouched, sizeof r);
	}
}

#define VERY_LONG (1 << 20)

static void very_long_words_are_refused(void **state)
{
	static const struct wrong long_words[] = {
		{"", EVENT_TOO_LONG, 0}, {"MUL:", EVENT_BAD_MODIFIER, 4}, {"MUL:period=9", EVENT_BAD_VALUE, 4},
	};
	char *memory = malloc(VERY_LONG);

	(void)state;
	assert_non_null(memory);
	for (size_t i = 0; i < LENGTH(long_words); i++) {
		const char *text = memory;
		struct event_request r;

		memset(memory, '9', VERY_LONG - 1);
		memory[VERY_LONG - 1] = '\0';
		memcpy(memory, long_words[i].text, strlen(long_words[i].text));
		assert_int_equal(event_parse(&few, &text, &r), long_words[i].error);
		assert_ptr_equal(text, memory + long_words[i].at);
	}
	free(memory);
}

//
// event_parse: unit masks and qualification
//

static const struct pmu_event masked_events[] = {
	{.name = "FLUSH", .code = 7, .umask = 0, .counters = 0xF, .joins = true},
	{.name = "FLUSH.DTC", .code = 7, .umask = 4, .counters = 0xF, .joins = true},
	{.name = "FLUSH.IEU", .code = 7, .umask = 8, .counters = 0xF, .joins = true},
	{.name = "FLUSH.L1D", .code = 7, .umask = 2, .counters = 0xF, .joins = true},
	{.name = "FLUSH.NARROW", .code = 7, .umask = 1, .counters = 0x3, .joins = true},
	{.name = "FLUSH.OF_ALL", .code = 7, .umask = 1, .modifiers = EVENT_ANY, .counters = 0xF, .joins = true},
	{.name = "FLUSH.OFTEN", .code = 7, .umask = 1, .cmask = 2, .counters = 0xF, .joins = true},
	{.name = "PICK_1", .code = 2, .umask = 2, .counters = 0xF, .modifiers = EVENT_USER, .joins = true},
	{.name = "PICK_2", .code = 2, .umask = 4, .counters = 0xF, .modifiers = EVENT_USER, .joins = true},
	{.name = "PICK_ALL", .code = 2, .umask = 8, .counters = 0xF, .joins = true},
	{.name = "PICK_ANY", .code = 2, .umask = 0xE, .counters = 0xF, .modifiers = EVENT_USER},
	{.name = "READS.DATA.HIT", .code = 9, .umask = 1, .counters = 0xF},
	{.name = "READS.DATA.MISS", .code = 9, .umask = 2, .counters = 0xF},
};
static const struct pmu_event_table masked = {.event = masked_events, .count = LENGTH(masked_events)};

static void unit_masks_are_named_in_both_ways_and_joined(void **state)
{
	static const struct {
		const char *text, *name;
		uint8_t umask;
	} right[] = {
		{"FLUSH.DTC", "FLUSH.DTC", 4}, {"FLUSH.DTC+L1D", "FLUSH.DTC", 6},
		{"flush.dtc+l1d+ieu", "FLUSH.DTC", 14},
		{"FLUSH:DTC", "FLUSH.DTC", 4}, {"FLUSH:DTC:L1D", "FLUSH.DTC", 6}, {"FLUSH", "FLUSH", 0},
		{"FLUSH:u", "FLUSH", 0}, {"READS.DATA:HIT", "READS.DATA.HIT", 1},
		// In full, too: also what is joined to it.
		{"FLUSH.DTC+FLUSH.L1D", "FLUSH.DTC", 6}, {"FLUSH.DTC+flush.l1d+IEU", "FLUSH.DTC", 14},
		{"FLUSH:DTC:FLUSH.L1D", "FLUSH.DTC", 6},
		{"PICK_1+PICK_2", "PICK_1", 6}, {"pick_2+pick_1:u", "PICK_2", 6}, {"PICK_1:PICK_2:u", "PICK_1", 6},
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
		{"PICK_1+2", EVENT_NO_MASK, 7},			// names without a dot are written in full
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

// Joined, they count by default where one of them does.
static void levels_of_joined_unit_masks_are_those_of_each(void **state)
{
	static const struct {
		const char *text;
		uint8_t levels;
	} cases[] = {
		{"PICK_1+PICK_2", 0xE}, {"PICK_1+PICK_ALL", 0xF}, {"PICK_ALL+PICK_1", 0xF}, {"PICK_ALL", 0xF},
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

// Of one event: wherever that event's name could be. Of several: as an event's name.
static void an_alias_is_what_it_stands_for(void **state)
{
	static const struct pmu_event_alias aliases[] = {
		{"EACH_PICK", "PICK_1+PICK_2"}, {"FLUSH.OLD", "FLUSH.DTC"}, {"FLUSHES", "FLUSH.DTC+IEU+L1D"},
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
		{"FLUSH.OLD+NARROW", EVENT_NO_JOIN, 10}, {"HITS+MISS", EVENT_NO_JOIN, 5}, {"FLUSHE", EVENT_UNKNOWN, 0},
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
	assert_null(event_find(&table, "FLUSHES", 7));		// is several
	assert_null(event_find(&table, "HITS", 3));
}

static struct event_request parsed(const char *text)
{
	struct event_request r;

	assert_int_equal(event_parse(&few, &text, &r), EVENT_OK);
	assert_string_equal(text, "");
	return r;
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

// libpfm's long form names each, and perf writes the letters together.
static void levels_are_left_out_and_written_together(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:usr=1:sup=0").levels, 0x8);
	assert_int_equal(parsed("MUL:u=0:k=1").levels, 0x1);
	assert_int_equal(parsed("MUL:k=0").levels, 0xE);
	assert_int_equal(parsed("MUL:k=0").modifiers, EVENT_USER);
	assert_int_equal(parsed("MUL:u=0").levels, 0x7);
	assert_int_equal(parsed("MUL:plm=9:u=0").levels, 0x1);
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
	assert_int_equal(parsed("MUL:CMASK=1:INV=1:EDGE=1").modifiers, BOTH | EVENT_INV | EVENT_EDGE);
	assert_int_equal(parsed("MUL:CMASK=1:INV=1:EDGE=1").cmask, 1);
	assert_int_equal(parsed("CYCLES:i=0").modifiers, BOTH | EVENT_EDGE);
	assert_int_equal(parsed("MUL:any=1").modifiers, BOTH | EVENT_ANY);
	assert_int_equal(parsed("MUL:thres=5").cmask, 5);
	assert_int_equal(parsed("MUL:usr=1").levels, 0x8);
	assert_int_equal(parsed("MUL:SUP=1").levels, 0x1);
}

// Events with levels of their own.
static const struct pmu_event leveled_events[] = {
	{.name = "HIGH", .counters = 0xF, .modifiers = EVENT_OS},
	{.name = "LOW", .counters = 0xF, .modifiers = EVENT_USER | EVENT_INV, .cmask = 1},
	{.name = "OUTER", .counters = 0xF, .modifiers = EVENT_OS | EVENT_USER},
};
static const struct pmu_event_table leveled = {.event = leveled_events, .count = LENGTH(leveled_events)};

static void an_events_own_levels_are_those_of_a_request_that_names_none(void **state)
{
	static const struct {
		const char *text;
		uint8_t levels, modifiers;
	} cases[] = {
		{"HIGH", 0x1, EVENT_OS}, {"LOW", 0xE, EVENT_USER | EVENT_INV}, {"OUTER", 0xF, BOTH},
		{"HIGH:c=1", 0x1, EVENT_OS}, {"HIGH:u", 0x8, EVENT_USER}, {"HIGH:u:k", 0x9, BOTH},
		{"LOW:k", 0x1, EVENT_OS | EVENT_INV}, {"HIGH:plm=15", 0xF, BOTH}, {"HIGH:plm=6", 0x6, EVENT_USER},
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
	assert_int_equal(parsed("MUL:p:p=0").modifiers, BOTH);
	assert_int_equal(parsed("MUL:lbr").modifiers, BOTH | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:lbr").branches, 0);
	// A number is conditions, 0 among them; it does not switch the records off.
	assert_int_equal(parsed("MUL:lbr=0").modifiers, BOTH | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:lbr=0").branches, 0);
	assert_int_equal(parsed("MUL:LBR=0x1ff").modifiers, BOTH | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:LBR=0x1ff").branches, 0x1FF);
	assert_int_equal(parsed("MUL:lbr=0xffffffff").branches, 0xFFFFFFFF);
	assert_int_equal(parsed("MUL:pp").modifiers, BOTH | EVENT_PRECISE | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:pp:lbr=4").branches, 4);
	assert_int_equal(parsed("MUL:pp=1:pp=0").modifiers, BOTH);
	assert_int_equal(parsed("MUL:p:lbr=4:u").modifiers, EVENT_USER | EVENT_PRECISE | EVENT_BRANCHES);
	assert_int_equal(parsed("MUL:btb=4").modifiers, BOTH);
}

static void leaving_a_counter_to_the_program_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:spflt").modifiers, BOTH | EVENT_PREFERRED);
	assert_int_equal(parsed("MUL:SPFLT=1:u").modifiers, EVENT_USER | EVENT_PREFERRED);
	assert_int_equal(parsed("MUL:spflt:spflt=0").modifiers, BOTH);
}

static void opening_a_counter_to_programs_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(parsed("MUL:open").modifiers, BOTH | EVENT_OPEN);
	assert_int_equal(parsed("MUL:Open=1:u").modifiers, EVENT_USER | EVENT_OPEN);
	assert_int_equal(parsed("MUL:open:open=0").modifiers, BOTH);
}

// Events with a register of their own.
static const struct pmu_event registered_events[] = {
	{.name = "ANSWER.FAR", .code = 7, .umask = 1, .counters = 0xF, .joins = true, .setting_address = 0x1A6,
	 .setting_value = 0x2001},
	{.name = "ANSWER.NEAR", .code = 7, .umask = 1, .counters = 0xF, .joins = true, .setting_address = 0x1A6,
	 .setting_value = 0x4001},
	{.name = "ANSWER.OTHER", .code = 7, .umask = 1, .counters = 0xF, .joins = true, .setting_address = 0x1A7,
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
		{"ANSWER.FAR:msr=5", 5}, {"ANSWER.FAR:MSR=0", 0}, {"ANSWER.FAR+NEAR:msr=0x8001", 0x8001},
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
	struct event_request r = parsed("MUL:iar=0x4000-0x4fff:dar=16-31:ism=2:lat=64:tlb=6:btb=0x1ff");

	(void)state;
	assert_true(r.code_range.given && r.code_range.first == 0x4000 && r.code_range.last == 0x4FFF);
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
		"iar=5", "iar=5-", "iar=-5", "iar=5-4", "iar=5-6-7", "iar", "iar=0x10000000000000000-1", "dar=a-b",
		"opc=0", "opc=0/", "opc=0x20000000000/0", "opc=0/0/", "opc=0/0/x", "opc=0/0/mx", "ism=4", "plm=0",
		"plm=16", "lat=0", "lat=65536", "tlb=0", "tlb=16", "btb=0", "btb=0x100000000", "k=2", "i=2",
		"e=",
		"inv=1x", "period=18446744073709551616", "thres=256", "msr", "msr=", "msr=x", "msr=-1",
		"msr=0x10000000000000000", "lbr=", "lbr=x", "lbr=0x100000000", "p=2", "p=", "pebs=x", "precise=10",
		"spflt=2", "spflt=", "open=2", "open=",
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

//
// event_parse: anything
//

#define RANDOM_TEXTS	20000
#define RANDOM_LENGTH	96

static const char *const fragments[] = {
	"INST_RETIRED.ANY_P", "ARITH.MUL", "arith.div", "ARITH", ":", ":u", ":k", ":i:e", ":t", ",", "=", "c=",
	"cmask=", ":ctr=", ":period=", ":c=1", ":msr=", ":lbr", ":p", ":spflt", ":open", "+",
	"0", "9", "255", "99999999999999999999", "0x", " ", "_", "-",
	"nhm::", "r01c0", "raw=", "0x4377c0", "cycles", "{", "}", ":pp",
};
#define FRAGMENTS_NAMES 3	/* those at the beginning */

static size_t random_bytes(char *out, uint64_t *seed, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++)
		out[i] = (char)random_between(seed, 1, 255);
	return (size_t)length;
}

static size_t random_fragments(char *out, uint64_t *seed, uint64_t most)
{
	size_t length = 0;

	for (;;) {
		size_t choices = length ? LENGTH(fragments) : FRAGMENTS_NAMES;
		const char *fragment = fragments[random_between(seed, 0, choices - 1)];

		if (length + strlen(fragment) > most)
			return length;
		memcpy(out + length, fragment, strlen(fragment));
		length += strlen(fragment);
	}
}

// A text in memory of exactly its size: what is read behind it is noticed.
static char *random_text(uint64_t *seed)
{
	char text[RANDOM_LENGTH + 1], *copy;
	uint64_t most = random_between(seed, 0, RANDOM_LENGTH);
	size_t length = random_chance(seed, 30) ? random_bytes(text, seed, most) : random_fragments(text, seed, most);

	if (length && random_chance(seed, 20))
		text[random_between(seed, 0, length - 1)] = (char)random_between(seed, 1, 255);
	text[length] = '\0';
	copy = strdup(text);
	assert_non_null(copy);
	return copy;
}

static void check_request(const struct event_request *r)
{
	const struct pmu_event_table *table = nehalem()->events;

	assert_true((r->event >= table->event && r->event < table->event + table->count) || r->event == &event_raw);
	assert_in_range(r->counter - EVENT_ANY_COUNTER, 0, 64);
	assert_true(r->modifiers & BOTH);
	assert_true(r->period <= INT64_MAX);
}

static void any_text_is_read_or_refused(void **state)
{
	uint64_t seed = 0x6576656E7473;
	struct event_request untouched;
	unsigned right = 0;

	(void)state;
	memset(&untouched, 0x5A, sizeof untouched);
	for (unsigned i = 0; i < RANDOM_TEXTS; i++) {
		char *memory = random_text(&seed), why[200];
		const char *text = memory;
		struct event_request r = untouched;
		enum event_error error = event_parse(nehalem()->events, &text, &r);

		assert_true(text >= memory && text <= memory + strlen(memory));
		if (error == EVENT_OK) {
			check_request(&r);
			assert_true(*text == '\0' || text[-1] == ',');
			right++;
		} else {
			assert_memory_equal(&r, &untouched, sizeof r);
			// The search for the nearest of many names takes long.
			event_explain(i % 16 ? &few : nehalem()->events, error, text, why, sizeof why);
		}
		free(memory);
	}
	assert_in_range(right, RANDOM_TEXTS / 100, RANDOM_TEXTS / 2);
}

//
// event_explain
//

static void the_word_that_is_wrong_is_named(void **state)
{
	static const struct {
		enum event_error error;
		const char *where, *word;
	} wrong[] = {
		{EVENT_UNKNOWN, "NOBODY:u:period=10", "NOBODY"},
		{EVENT_UNKNOWN, "NOBODY,MUL", "NOBODY"},
		{EVENT_BAD_MODIFIER, "u+k:period=9", "u+k"},
		{EVENT_NO_MASK, "NOBODY+MUL", "NOBODY"},
		{EVENT_NO_LEVEL, "MUL:u=0,A", "MUL:u=0"},
		{EVENT_BAD_RAW, "raw=0x100000001:u", "raw=0x100000001"},
		{EVENT_BAD_PREFIX, "core::MUL", "core"},
		{EVENT_BAD_GROUP, "{A,B", "{A,B"},
		{EVENT_BAD_MODIFIER, "quick:u", "quick"},
		{EVENT_BAD_MODIFIER, "quick=3,MUL", "quick"},
		{EVENT_BAD_VALUE, "cmask=256:u", "cmask=256"},
		{EVENT_BAD_VALUE, "period=,MUL", "period="},
		{EVENT_TOO_LONG, NAME_OF_63 "4:u", NAME_OF_63 "4"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		char text[300], quoted[100];

		snprintf(quoted, sizeof quoted, "'%s'", wrong[i].word);
		event_explain(&few, wrong[i].error, wrong[i].where, text, sizeof text);
		assert_non_null(strstr(text, quoted));
	}
}

static void the_nearest_name_is_suggested(void **state)
{
	static const struct {
		const char *where, *name;
	} wrong[] = {
		{"INST_RETIRED.ANI", "INST_RETIRED.ANY"},
		{"inst_retired.any-_p", "INST_RETIRED.ANY_P"},
		{"ARIHT.MUL:u", "ARITH.MUL"},
		{"CPU_CLK_UNHALTED.TREAD_P,ARITH.MUL", "CPU_CLK_UNHALTED.THREAD_P"},
		{"RESOURCE_STALLS.ROB_FUL", "RESOURCE_STALLS.ROB_FULL"},
		{"RESOURCE_STALLS.STOR", "RESOURCE_STALLS.STORE"},
		{"RESOURCE_STALLS.LLOAD", "RESOURCE_STALLS.LOAD"},
		{"BRANCH_INSTRUCTION_RETIRED", "BRANCH_INSTRUCTIONS_RETIRED"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		char text[300];
		const char *found;

		event_explain(nehalem()->events, EVENT_UNKNOWN, wrong[i].where, text, sizeof text);
		found = strstr(text, wrong[i].name);
		assert_non_null(found);
		assert_true(strchr("., ;)", found[strlen(wrong[i].name)]) != NULL);
	}
}

// Whose it is, is said of others' names only.
static void a_target_is_named_that_has_what_this_one_has_not(void **state)
{
	static const struct {
		const char *where, *says;
	} cases[] = {
		{"DATA_READ", "; target knc has it"}, {"UNC_CLK_UNHALTED", "; target nehalem-uncore has it"},
	};
	const struct pmu_driver *uncore = pmu_driver_find("nehalem-uncore");
	char text[300];

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		event_explain(nehalem()->events, EVENT_UNKNOWN, cases[i].where, text, sizeof text);
		assert_non_null(strstr(text, cases[i].says));
	}
	event_explain(uncore->events, EVENT_UNKNOWN, "instructions", text, sizeof text);
	assert_non_null(strstr(text, "; target nehalem has it"));
	event_explain(nehalem()->events, EVENT_UNKNOWN, "INST_RETIRED.ANY_P", text, sizeof text);
	assert_null(strstr(text, "target nehalem"));
	event_explain(nehalem()->events, EVENT_BAD_PREFIX, "nhm_unc::UNC_CLK_UNHALTED", text, sizeof text);
	assert_non_null(strstr(text, "it is target nehalem-uncore's"));
	assert_non_null(strstr(text, "nehalem or nhm"));
}

static void nothing_is_suggested_for_what_is_like_no_name(void **state)
{
	static const char *const wrong[] = {"", "?", "12345678", "zzzzzzzzzzzzzzzzzzzz"};

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		char text[300];

		event_explain(&few, EVENT_UNKNOWN, wrong[i], text, sizeof text);
		for (size_t e = 0; e < few.count; e++)
			assert_null(strstr(text, few_events[e].name));
	}
}

//
// pmu_explain
//

static const struct pmu_event explained_events[] = {
	{.name = "FIRST"}, {.name = "SECOND"}, {.name = "THIRD", .counters = 0x5},
};

static const struct event_request explained_requests[] = {
	{.event = &explained_events[0]}, {.event = &explained_events[1]}, {.event = &explained_events[2]},
};

// What an event needs a threshold for, and what this driver has none of.
static uint64_t explained_choices(const struct event_request *r)
{
	if (r->modifiers & EVENT_INV && !r->cmask)
		return 0;
	if (r->counter >= 0 && r->cmask > 1)
		return 0;
	return r->code_range.given || r->latency ? 0 : r->event->counters;
}

static const struct pmu_driver explained_driver = {
	.arm_least = PMU_ARM_LEAST,
	.counters = 0x70000000FULL, .fixed = 0x700000000ULL, .features = PMU_FEATURE_THRESHOLD,
	.choices = explained_choices,
};

struct explained {
	enum pmu_error error;
	struct pmu_refusal refusal;
	const char *says[6], *says_not[3];
};

// Fixed counters are counted from 0, whatever their numbers.
static const struct explained explanations[] = {
	{PMU_OK, {0}, {"no error"}, {0}},
	{PMU_FAULT, {0}, {"fault"}, {0}},
	{PMU_UNFIT, {.events = 4}, {"THIRD", "0 and 2"}, {"FIRST", "SECOND"}},
	{PMU_CONFLICT, {.events = 3, .counters = 0x3}, {"FIRST and SECOND", "counters 0 and 1"}, {"THIRD", "taken"}},
	{PMU_CONFLICT, {.events = 7, .counters = 0x7}, {"FIRST, SECOND and THIRD", "counters 0, 1 and 2"}, {"taken"}},
	{PMU_CONFLICT, {.events = 2, .counters = 1ULL << 33, .taken = 1ULL << 33},
	 {"SECOND", "needs", "counter ", "fixed 1", "is taken"}, {"FIRST", "THIRD"}},
	{PMU_CONFLICT, {.events = 3, .counters = 0x700000001ULL, .taken = 0x500000000ULL},
	 {"FIRST and SECOND", "0, fixed 0, fixed 1 and fixed 2", "of which fixed 0 and fixed 2 are taken"}, {"THIRD"}},
	{PMU_BAD_PERIOD, {.events = 2}, {"SECOND", "period", "2 to 2^63 - 1"}, {"FIRST", "THIRD"}},
	{PMU_TOO_MANY, {0}, {"more events"}, {0}},
	{PMU_STARTED, {0}, {"already"}, {0}},
	{PMU_STOPPED, {0}, {"does not count"}, {0}},
	{PMU_CLOSED, {0}, {"not open"}, {0}},
};

// The parts of a request that do not fit, and no others.
static void an_unfit_request_is_told_what_does_not_fit(void **state)
{
	static const struct {
		struct event_request request;
		const char *text;
	} unfit[] = {
		{{.cmask = 2, .counter = 0}, "no counter can count THIRD as asked: it counts on 0 and 2"},
		{{.cmask = 2, .latency = 4, .counter = EVENT_ANY_COUNTER},
		 "no counter can count THIRD with this lat: it counts on 0 and 2"},
		{{.code_range.given = true, .latency = 4, .counter = EVENT_ANY_COUNTER},
		 "no counter can count THIRD with this iar, lat: it counts on 0 and 2; "
		 "instruction addresses do not qualify it"},
		{{.modifiers = EVENT_INV, .counter = EVENT_ANY_COUNTER},
		 "no counter can count THIRD with this i: it counts on 0 and 2; "
		 "inversion and edge detection need a threshold"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(unfit); i++) {
		struct event_request request = unfit[i].request;
		char text[300];

		request.event = &explained_events[2];
		pmu_explain(&explained_driver, PMU_UNFIT, &(struct pmu_refusal){.events = 1}, &request, text,
			    sizeof text);
		assert_string_equal(text, unfit[i].text);
	}
}

static void explain(const struct explained *e, char *text, size_t size)
{
	pmu_explain(&explained_driver, e->error, &e->refusal, explained_requests, text, size);
}

static void refusals_name_the_events_and_counters(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(explanations); i++) {
		const struct explained *e = &explanations[i];
		char text[300];

		explain(e, text, sizeof text);
		for (const char *const *s = e->says; *s; s++)
			if (!strstr(text, *s))
				fail_msg("'%s' does not say '%s'", text, *s);
		for (const char *const *s = e->says_not; *s; s++)
			if (strstr(text, *s))
				fail_msg("'%s' says '%s'", text, *s);
	}
}

//
// Texts are cut to the room they have
//

#define ROOM_MAX 300

// Memory of exactly `size` bytes: what is written behind it is noticed.
static char *exact_room(size_t size)
{
	char *room = malloc(size ? size : 1);

	assert_non_null(room);
	memset(room, '#', size ? size : 1);
	return room;
}

static void check_cut(const char *room, size_t size, const char *whole)
{
	size_t length = strlen(whole);

	if (size == 0) {
		assert_int_equal(*room, '#');
		return;
	}
	assert_int_equal(strnlen(room, size), length < size ? length : size - 1);
	assert_memory_equal(room, whole, length < size ? length : size - 1);
}

static void refusals_are_cut_to_any_room(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(explanations); i++) {
		char whole[1000];

		explain(&explanations[i], whole, sizeof whole);
		for (size_t size = 0; size <= ROOM_MAX; size++) {
			char *room = exact_room(size);

			explain(&explanations[i], room, size);
			check_cut(room, size, whole);
			free(room);
		}
	}
}

static void event_errors_are_cut_to_any_room(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(wrong_texts); i++) {
		const char *where = wrong_texts[i].text + wrong_texts[i].at;
		char whole[1000];

		event_explain(&few, wrong_texts[i].error, where, whole, sizeof whole);
		for (size_t size = 0; size <= ROOM_MAX; size++) {
			char *room = exact_room(size);

			event_explain(&few, wrong_texts[i].error, where, room, size);
			check_cut(room, size, whole);
			free(room);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_found_in_upper_lower_and_mixed_case),
		cmocka_unit_test(a_name_is_neither_its_prefix_nor_longer_than_it_is),
		cmocka_unit_test(a_name_with_a_zero_byte_in_it_is_unknown),
		cmocka_unit_test(nothing_is_found_in_an_empty_table),
		cmocka_unit_test(a_table_in_the_documented_order_is_searched_in_it),
		cmocka_unit_test(the_compiled_table_is_in_the_documented_order),
		cmocka_unit_test(modifiers_are_read_and_combined_with_the_tables_own),
		cmocka_unit_test(a_list_is_read_one_event_at_a_time),
		cmocka_unit_test(a_list_has_groups_in_braces),
		cmocka_unit_test(a_list_that_is_wrong_is_pointed_at),
		cmocka_unit_test(a_wrong_word_is_pointed_at_and_the_request_left_alone),
		cmocka_unit_test(a_wrong_event_in_a_list_is_pointed_at),
		cmocka_unit_test(a_value_given_to_the_name_itself_is_refused),
		cmocka_unit_test(very_long_words_are_refused),
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
		cmocka_unit_test(any_text_is_read_or_refused),
		cmocka_unit_test(the_word_that_is_wrong_is_named),
		cmocka_unit_test(the_nearest_name_is_suggested),
		cmocka_unit_test(a_target_is_named_that_has_what_this_one_has_not),
		cmocka_unit_test(nothing_is_suggested_for_what_is_like_no_name),
		cmocka_unit_test(refusals_name_the_events_and_counters),
		cmocka_unit_test(an_unfit_request_is_told_what_does_not_fit),
		cmocka_unit_test(refusals_are_cut_to_any_room),
		cmocka_unit_test(event_errors_are_cut_to_any_room),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
