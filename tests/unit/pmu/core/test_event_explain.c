// SPDX-License-Identifier: BSD-2-Clause
// Messages about refused events and requests: wrong word, nearest name, parts that do not fit; cut
// to the buffer's size.

#include "event_tables.h"

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
		{EVENT_TWICE, "usr=1:period=10", "usr=1"},
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

// The target is named only for names of other targets.
static void a_target_is_named_that_has_what_this_one_has_not(void **state)
{
	static const struct {
		const char *where, *says;
	} cases[] = {
		{"DATA_READ", "; target knc has it"},
		{"UNC_CLK_UNHALTED", "; target nehalem-uncore has it"},
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
	event_explain(nehalem()->events, EVENT_BAD_PREFIX, "nhm_unc::UNC_CLK_UNHALTED", text,
		      sizeof text);
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
	{.event = &explained_events[0]}, {.event = &explained_events[1]},
	{.event = &explained_events[2]},
};

// Events need a threshold for inversion; this driver has few counters with thresholds.
static uint64_t explained_choices(const struct event_request *r)
{
	if (r->modifiers & EVENT_INV && !r->cmask)
		return 0;
	if (r->counter >= 0 && r->cmask > 1)
		return 0;
	return r->code_range.given || r->latency ? 0 : r->event->counters;
}

static const struct pmu_driver explained_driver = {
	.shape = &(const struct pmu_shape){
		.arm_least = PMU_ARM_LEAST, .counters = 0x70000000FULL, .fixed = 0x700000000ULL,
		.features = PMU_FEATURE_THRESHOLD,
	},
	.choices = explained_choices,
};

struct explained {
	enum pmu_error error;
	struct pmu_refusal refusal;
	const char *says[6], *says_not[3];
};

// Messages number fixed counters from 0.
static const struct explained explanations[] = {
	{PMU_OK, {0}, {"no error"}, {0}},
	{PMU_FAULT, {0}, {"fault"}, {0}},
	{PMU_UNFIT, {.events = 4}, {"THIRD", "0 and 2"}, {"FIRST", "SECOND"}},
	{PMU_CONFLICT, {.events = 3, .counters = 0x3}, {"FIRST and SECOND", "counters 0 and 1"},
	 {"THIRD", "taken"}},
	{PMU_CONFLICT, {.events = 7, .counters = 0x7},
	 {"FIRST, SECOND and THIRD", "counters 0, 1 and 2"}, {"taken"}},
	{PMU_CONFLICT, {.events = 2, .counters = 1ULL << 33, .taken = 1ULL << 33},
	 {"SECOND", "needs", "counter ", "fixed 1", "is taken"}, {"FIRST", "THIRD"}},
	{PMU_CONFLICT, {.events = 3, .counters = 0x700000001ULL, .taken = 0x500000000ULL},
	 {"FIRST and SECOND", "0, fixed 0, fixed 1 and fixed 2",
	  "of which fixed 0 and fixed 2 are taken"}, {"THIRD"}},
	{PMU_BAD_PERIOD, {.events = 2}, {"SECOND", "period", "2 to 2^63 - 1"}, {"FIRST", "THIRD"}},
	{PMU_TOO_MANY, {0}, {"more events"}, {0}},
	{PMU_STARTED, {0}, {"already"}, {0}},
	{PMU_STOPPED, {0}, {"does not count"}, {0}},
	{PMU_CLOSED, {0}, {"not open"}, {0}},
};

// Messages name exactly the parts of a request that do not fit.
static void an_unfit_request_is_told_what_does_not_fit(void **state)
{
	static const struct {
		struct event_request request;
		const char *text;
	} unfit[] = {
		{{.cmask = 2, .counter = 0},
		 "no counter can count THIRD as asked: it counts on 0 and 2"},
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
		pmu_explain(&explained_driver, PMU_UNFIT, &(struct pmu_refusal){.events = 1},
			    &request, text, sizeof text);
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
// Texts are cut to the buffer's size
//

#define ROOM_MAX 300

// Returns memory of exactly `size` bytes, so that writes beyond it are noticed.
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
