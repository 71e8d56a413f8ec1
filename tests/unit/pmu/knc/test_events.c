// SPDX-License-Identifier: BSD-2-Clause
// The event table of Knights Corner against Table 1-6 of the guide (tests/vectors/knc-events.tab).

#include "../vectors.h"

#include "pmu.h"

// Columns.
enum { FUB, UMASK, CODE, NAME, COLUMNS };

extern const struct pmu_event_table pmu_events_knc;

static const struct pmu_event_table *const table = &pmu_events_knc;
static struct rows guide;

static int read_all(void **state)
{
	(void)state;
	read_rows("tests/vectors/knc-events.tab", COLUMNS, &guide);
	return 0;
}

static void each_row_of_the_table_is_there_as_printed(void **state)
{
	(void)state;
	for (const struct row *r = guide.row; r < guide.row + guide.count; r++) {
		const struct pmu_event *e = must_find_event(table, r->field[NAME]);

		assert_string_equal(e->name, r->field[NAME]);
		assert_string_equal(e->category, r->field[FUB]);
		if (e->code != hexadecimal(r->field[CODE]) ||
		    e->umask != hexadecimal(r->field[UMASK]))
			fail_msg("%s is %02X/%02X", e->name, e->code, e->umask);
	}
	print_message("%zu rows\n", guide.count);
}

// Counted by hand in Table 1-6: 32 rows of the P54C unit, 19 of the CRI, 8 of the VPU.
static void the_table_has_as_many_rows_and_no_event_is_next_to_it(void **state)
{
	static const struct {
		const char *fub;
		unsigned umask, rows;
	} units[] = {{"P54C", 0x00, 32}, {"CRI", 0x10, 19}, {"VPU", 0x20, 8}};
	unsigned all = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(units); i++) {
		unsigned rows = 0;

		for (const struct row *r = guide.row; r < guide.row + guide.count; r++)
			if (!strcmp(r->field[FUB], units[i].fub)) {
				assert_int_equal(hexadecimal(r->field[UMASK]), units[i].umask);
				rows++;
			}
		assert_int_equal(rows, units[i].rows);
		all += rows;
	}
	assert_int_equal(guide.count, all);
	assert_int_equal(table->count, all);
}

static void no_two_events_have_the_same_encoding(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++)
		for (size_t j = 0; j < i; j++)
			if (table->event[i].code == table->event[j].code &&
			    table->event[i].umask == table->event[j].umask)
				fail_msg("%s and %s are the same", table->event[i].name,
					 table->event[j].name);
}

// Linux, arch/x86/events/intel/knc.c, knc_event_constraints: those of its events that are in Table
// 1-6.
static void the_events_that_linux_keeps_to_counter_0_are_kept_there(void **state)
{
	static const uint8_t codes[] = {
		0xC8, 0xC9, 0xCA, 0xCB, 0xCC, 0xD7, 0xE3, 0xE6, 0xE7, 0xF1, 0xF2, 0xF6, 0xF7, 0xFC,
		0xFD, 0xFE, 0xFF,
	};
	unsigned kept = 0;

	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];
		const bool only_0 = memchr(codes, e->code, sizeof codes);

		if (e->counters != (only_0 ? 1 : 3))
			fail_msg("%s: counters %#llx", e->name, (unsigned long long)e->counters);
		assert_true(!only_0 || e->umask == 0x10);
		kept += only_0;
	}
	assert_int_equal(kept, sizeof codes);
}

// Events of both pipes in Table 1-6 (16 and 1F of unit mask 00, 16 of 20; reads and writes by event
// 09). Vectors have 16 elements (327364-001).
static void max_is_what_the_table_says_of_pipes_and_elements(void **state)
{
	static const char *const both_pipes[] = {
		"INSTRUCTIONS_EXECUTED", "PIPELINE_AGI_STALLS", "VPU_INSTRUCTIONS_EXECUTED",
		"DATA_READ", "DATA_WRITE",
		"DATA_READ_MISS", "DATA_WRITE_MISS", "DATA_READ_OR_WRITE",
		"DATA_READ_MISS_OR_WRITE_MISS",
	};
	unsigned more_than_one = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(both_pipes); i++)
		assert_int_equal(must_find_event(table, both_pipes[i])->max, 2);
	assert_int_equal(must_find_event(table, "VPU_ELEMENTS_ACTIVE")->max, 2 * 16);
	for (size_t i = 0; i < table->count; i++)
		more_than_one += table->event[i].max != 1;
	assert_int_equal(more_than_one, LENGTH(both_pipes) + 1);
}

// Requests of other agents: snoops, and victim requests to the L2 cache (the guide, 1.4.3.8: routed
// to the executing thread).
static void events_of_no_thread_say_so(void **state)
{
	static const char *const of_none[] = {
		"L2_VICTIM_REQ_WITH_DATA", "SNP_HITM_BUNIT", "SNP_HIT_L2", "SNP_HITM_L2",
	};
	unsigned saying = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(of_none); i++)
		assert_true(must_find_event(table, of_none[i])->shared);
	for (size_t i = 0; i < table->count; i++) {
		assert_int_equal(strstr(table->event[i].description, "of no thread") != NULL,
				 table->event[i].shared);
		saying += table->event[i].shared;
	}
	assert_int_equal(saying, LENGTH(of_none));
}

static void nothing_else_is_asked_of_an_event(void **state)
{
	(void)state;
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];

		assert_string_equal(e->source, "Table 1-6");
		assert_int_equal(e->umask_care, 0xFF);
		assert_int_equal(e->cmask, 0);
		assert_int_equal(e->modifiers, 0);
		assert_int_equal(e->setting_address, 0);
		assert_false(e->precise || e->joins || e->code_range || e->data_range || e->opcode);
	}
}

// Code 0 is an ordinary event.
static void event_0_of_unit_mask_0_is_data_read(void **state)
{
	const struct pmu_event *e = must_find_event(table, "DATA_READ");

	(void)state;
	assert_int_equal(e->code, 0);
	assert_int_equal(e->umask, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_of_the_table_is_there_as_printed),
		cmocka_unit_test(the_table_has_as_many_rows_and_no_event_is_next_to_it),
		cmocka_unit_test(no_two_events_have_the_same_encoding),
		cmocka_unit_test(the_events_that_linux_keeps_to_counter_0_are_kept_there),
		cmocka_unit_test(max_is_what_the_table_says_of_pipes_and_elements),
		cmocka_unit_test(events_of_no_thread_say_so),
		cmocka_unit_test(nothing_else_is_asked_of_an_event),
		cmocka_unit_test(event_0_of_unit_mask_0_is_data_read),
	};

	return cmocka_run_group_tests_name("knc events", tests, read_all, NULL);
}
