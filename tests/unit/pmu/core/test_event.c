// SPDX-License-Identifier: BSD-2-Clause
// Events by name, and lists: lookup, parsing, and the position of the wrong word.

#include "event_tables.h"

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

// The event's own name continues after the zero byte, so that a comparison beyond both ends is
// noticed.
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

// event.h: ordered as by strcasecmp: '_' precedes letters.
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
// event_parse: valid texts
//

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
		{"MUL:period=1", "MUL", 0, BOTH, -1, 1},
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
// event_parse: invalid texts
//

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
	} expected[] = {{"A:u", 3, 0}, {"AB", 2, 1}, {"MUL:c=2", 7, 1}, {"A", 1, 2},
			{"PORT", 4, 0}};
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
		{"", EVENT_UNKNOWN, 0}, {"A,", EVENT_UNKNOWN, 2}, {"A, ", EVENT_UNKNOWN, 3},
		{",A", EVENT_UNKNOWN, 0},
		{"A,,A", EVENT_UNKNOWN, 2}, {"{}", EVENT_UNKNOWN, 1}, {"{A,}", EVENT_UNKNOWN, 3},
		{"{A", EVENT_BAD_GROUP, 0}, {"A,{A,AB", EVENT_BAD_GROUP, 2},
		{"A}", EVENT_BAD_GROUP, 1},
		{"{A}}", EVENT_BAD_GROUP, 3}, {"{A,{AB}}", EVENT_BAD_GROUP, 3},
		{"{A}:u", EVENT_BAD_GROUP, 3},
		{"{A}AB", EVENT_BAD_GROUP, 3}, {"{{A}}", EVENT_UNKNOWN, 1},
		{"A{AB}", EVENT_BAD_MODIFIER, 1},
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
		{"", EVENT_TOO_LONG, 0}, {"MUL:", EVENT_BAD_MODIFIER, 4},
		{"MUL:period=9", EVENT_BAD_VALUE, 4},
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
// event_parse: random texts
//

#define RANDOM_TEXTS	20000
#define RANDOM_LENGTH	96

static const char *const fragments[] = {
	"INST_RETIRED.ANY_P", "ARITH.MUL", "arith.div", "ARITH", ":", ":u", ":k", ":i:e", ":t", ",",
	"=", "c=",
	"cmask=", ":ctr=", ":period=", ":c=1", ":msr=", ":lbr", ":p", ":spflt", ":open", "+",
	"0", "9", "255", "99999999999999999999", "0x", " ", "_", "-",
	"nhm::", "r01c0", "raw=", "0x4377c0", "cycles", "{", "}", ":pp",
};
#define FRAGMENTS_NAMES 3	/* the first ones */

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

// Returns a text in memory of exactly its size, so that reads beyond it are noticed.
static char *random_text(uint64_t *seed)
{
	char text[RANDOM_LENGTH + 1], *copy;
	uint64_t most = random_between(seed, 0, RANDOM_LENGTH);
	size_t length = random_chance(seed, 30) ? random_bytes(text, seed, most) :
		random_fragments(text, seed, most);

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

	assert_true((r->event >= table->event && r->event < table->event + table->count) ||
		    r->event == &event_raw);
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
			// The search for the nearest name of all targets is slow.
			if (i % 8 == 0)
				event_explain(i % 16 ? &few : nehalem()->events, error, text, why,
					      sizeof why);
		}
		free(memory);
	}
	assert_in_range(right, RANDOM_TEXTS / 100, RANDOM_TEXTS / 2);
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
		cmocka_unit_test(any_text_is_read_or_refused),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
