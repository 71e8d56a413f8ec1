// SPDX-License-Identifier: BSD-2-Clause
// The nehalem event table and the driver's encode and choices, against sources outside this repository: libpfm4, which
// encodes Nehalem and Westmere events for itself, and the rows of table 1 of the performance analysis guide for Core i7
// and Xeon 5500, typed from it.

#include "unit.h"

#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu.h"

#define GENERAL		4
#define FIRST_FIXED	32
#define FIXED		3
#define GENERAL_BITS	0xFULL
#define FIXED_BIT(n)	(1ULL << (FIRST_FIXED + (n)))

static const struct pmu_driver *driver;

static struct event_request request(const char *text)
{
	const char *rest = text;
	struct event_request r = {0};

	if (event_parse(driver->events, &rest, &r) != EVENT_OK || *rest)
		fail_msg("'%s' is no event", text);
	return r;
}

static uint64_t encode(const char *text, unsigned counter)
{
	struct event_request r = request(text);

	return driver->encode(&r, counter);
}

static uint64_t choices(const char *text)
{
	struct event_request r = request(text);

	return driver->choices(&r);
}

//
// libpfm4. It sets INT and EN in each select, like the driver.
//

// Numbers are libpfm's privilege levels, PFM_PLM*.
static uint64_t pfm_encode(const char *text, int levels)
{
	uint64_t codes[4] = {0};
	pfm_pmu_encode_arg_t argument = {.codes = codes, .count = 4, .size = sizeof argument};
	pfm_err_t error = pfm_get_os_event_encoding(text, levels, PFM_OS_NONE, &argument);

	if (error != PFM_SUCCESS)
		fail_msg("libpfm: '%s': %s", text, pfm_strerror(error));
	return codes[0];
}

// Events whose name or encoding is not libpfm's for Nehalem.
static const struct pair {
	const char *event, *pfm;
	uint64_t differs;	/* bits in which the select is meant to differ */
} pairs[] = {
	// The architectural event is 3C, 01. By this name libpfm means the fixed counter.
	{"UNHALTED_REFERENCE_CYCLES", "nhm::CPU_CLK_UNHALTED:REF_P", 0},
	// libpfm has no form of BR_MISP_RETIRED for all branches on Nehalem. The event is architectural: on Westmere
	// it is the same.
	{"MISPREDICTED_BRANCH_RETIRED", "wsm::MISPREDICTED_BRANCH_RETIRED", 0},
	// Events of fixed counters only, which libpfm has by their architectural names.
	{"CPU_CLK_UNHALTED.REF", "nhm::UNHALTED_REFERENCE_CYCLES", 0},
	{"CPU_CLK_UNHALTED.THREAD", "nhm::UNHALTED_CORE_CYCLES", 0},
	{"INST_RETIRED.ANY", "nhm::INSTRUCTION_RETIRED", 0},
	// Table 1 prints unit mask 01, as libpfm has it for Westmere; for Nehalem libpfm has 00, the architectural
	// event's.
	{"INST_RETIRED.ANY_P", "nhm::INST_RETIRED:ANY_P", 0x0100},
	{"INST_RETIRED.ANY_P", "wsm::INST_RETIRED:ANY_P", 0},
	{"UOPS_ISSUED.STALL_CYCLES", "nhm::UOPS_ISSUED:STALLED_CYCLES", 0},
	// libpfm's Nehalem table lacks these; in its Westmere table the event has the same unit masks.
	{"UOPS_EXECUTED", "wsm::UOPS_EXECUTED:CORE_ACTIVE_CYCLES", 0x01000000},	// that one has CMASK 1
	{"UOPS_EXECUTED.CORE_ACTIVE_CYCLES", "wsm::UOPS_EXECUTED:CORE_ACTIVE_CYCLES", 0},
	{"UOPS_EXECUTED.CORE_STALL_COUNT", "wsm::UOPS_EXECUTED:CORE_STALL_COUNT", 0},
	{"UOPS_EXECUTED.CORE_STALL_CYCLES", "wsm::UOPS_EXECUTED:CORE_STALL_CYCLES", 0},
};

#define PAIRS (sizeof pairs / sizeof *pairs)

// Compares an event with one of libpfm's. One that only a fixed counter counts has no select: its code is compared.
static void compare(const struct pmu_event *e, const char *pfm, uint64_t differs)
{
	static const struct {
		const char *modifiers;
		int levels;
	} levels[] = {{"", PFM_PLM0 | PFM_PLM3}, {":k", PFM_PLM0}, {":u", PFM_PLM3}, {":u:k", PFM_PLM0 | PFM_PLM3}};

	for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
		char text[EVENT_NAME_MAX + 8];
		uint64_t theirs = pfm_encode(pfm, levels[i].levels), ours;

		snprintf(text, sizeof text, "%s%s", e->name, levels[i].modifiers);
		if (e->counters & GENERAL_BITS) {
			ours = encode(text, 0);
		} else {
			ours = e->code | e->umask << 8;
			theirs &= 0xFFFF;
		}
		if ((ours ^ theirs) != differs)
			fail_msg("%s is %#llx, libpfm's %s %#llx", text, (unsigned long long)ours, pfm,
				 (unsigned long long)theirs);
	}
}

static void compare_by_name(const struct pmu_event *e)
{
	char pfm[EVENT_NAME_MAX + 8];
	char *dot;

	snprintf(pfm, sizeof pfm, "nhm::%s", e->name);
	dot = strchr(pfm, '.');
	if (dot)
		*dot = ':';
	compare(e, pfm, 0);
}

// An event that is not among the pairs has the name that libpfm has for it, with ':' for '.'.
static void every_event_is_encoded_as_libpfm_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver->events->count; i++) {
		const struct pmu_event *e = &driver->events->event[i];
		bool paired = false;

		for (const struct pair *p = pairs; p < pairs + PAIRS; p++)
			if (!strcmp(p->event, e->name)) {
				compare(e, p->pfm, p->differs);
				paired = true;
			}
		if (!paired)
			compare_by_name(e);
	}
}

static void every_pair_is_of_an_event(void **state)
{
	(void)state;
	for (const struct pair *p = pairs; p < pairs + PAIRS; p++)
		assert_non_null(event_find(driver->events, p->event, strlen(p->event)));
}

static void every_threshold_is_encoded_as_libpfm_does(void **state)
{
	(void)state;
	for (unsigned cmask = 0; cmask < 256; cmask++) {
		char ours[40], theirs[40];

		snprintf(ours, sizeof ours, "UOPS_RETIRED.ANY:c=%u", cmask);
		snprintf(theirs, sizeof theirs, "nhm::UOPS_RETIRED:ANY:c=%u", cmask);
		assert_int_equal(encode(ours, 0), pfm_encode(theirs, PFM_PLM0 | PFM_PLM3));
	}
}

static void every_modifier_is_encoded_as_libpfm_does(void **state)
{
	static const char *const modifiers[][2] = {
		{":c=1:i", ":c=1:i=1"}, {":c=1:e", ":c=1:e=1"}, {":t", ":t=1"},
		{":c=255:i:e:t:u", ":c=255:i=1:e=1:t=1:u"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
		char ours[60], theirs[60];

		snprintf(ours, sizeof ours, "UOPS_ISSUED.FUSED%s", modifiers[i][0]);
		snprintf(theirs, sizeof theirs, "nhm::UOPS_ISSUED:FUSED%s", modifiers[i][1]);
		assert_int_equal(encode(ours, 0), pfm_encode(theirs, PFM_PLM0 | PFM_PLM3));
	}
}

static void select_is_the_same_for_each_general_counter(void **state)
{
	(void)state;
	for (unsigned counter = 0; counter < GENERAL; counter++)
		assert_int_equal(encode("UOPS_EXECUTED.CORE_STALL_COUNT:u", counter),
				 pfm_encode("wsm::UOPS_EXECUTED:CORE_STALL_COUNT", PFM_PLM3));
}

//
// The manuals' tables
//

#define TABLE_1	"Table 1"

// Table 1's columns. Where it prints "Fixed Ctr" for the event, `counters` is the fixed counter of SDM volume 3B that
// counts it: 0 instructions retired, 1 core cycles, 2 reference cycles. What a fixed counter counts as well as a
// general one may be on either.
static const struct row {
	const char *name;
	unsigned umask, event, c, i, e, at;
	uint64_t counters;
	const char *source;
} rows[] = {
	{"ARITH.CYCLES_DIV_BUSY", 0x01, 0x14, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	// Printed as C 0, I 0, E 1, but the text says edge detection needs a threshold; libpfm has C 1, I 1, E 1.
	{"ARITH.DIV", 0x01, 0x14, 1, 1, 1, 0, GENERAL_BITS, TABLE_1},
	{"ARITH.MUL", 0x02, 0x14, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	// The event code of reference cycles is none that a select can hold: Linux and libpfm write it as 0300.
	{"CPU_CLK_UNHALTED.REF", 0x00, 0x300, 0, 0, 0, 0, FIXED_BIT(2), TABLE_1},
	{"CPU_CLK_UNHALTED.THREAD", 0x00, 0x3C, 0, 0, 0, 0, FIXED_BIT(1), TABLE_1},
	{"CPU_CLK_UNHALTED.THREAD_P", 0x00, 0x3C, 0, 0, 0, 0, GENERAL_BITS | FIXED_BIT(1), TABLE_1},
	{"CPU_CLK_UNHALTED.REF_P", 0x01, 0x3C, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"INST_RETIRED.ANY", 0x00, 0xC0, 0, 0, 0, 0, FIXED_BIT(0), TABLE_1},
	{"INST_RETIRED.ANY_P", 0x01, 0xC0, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT0", 0x01, 0xB1, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT1", 0x02, 0xB1, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT2_CORE", 0x04, 0xB1, 0, 0, 0, 1, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT3_CORE", 0x08, 0xB1, 0, 0, 0, 1, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT4_CORE", 0x10, 0xB1, 0, 0, 0, 1, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT5", 0x20, 0xB1, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT015", 0x40, 0xB1, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT015_STALL_CYCLES", 0x40, 0xB1, 1, 1, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.PORT234_CORE", 0x80, 0xB1, 0, 0, 0, 1, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.CORE_ACTIVE_CYCLES", 0x3F, 0xB1, 1, 0, 0, 1, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.CORE_STALL_COUNT", 0x3F, 0xB1, 1, 1, 1, 1, GENERAL_BITS, TABLE_1},
	{"UOPS_EXECUTED.CORE_STALL_CYCLES", 0x3F, 0xB1, 1, 1, 0, 1, GENERAL_BITS, TABLE_1},
	{"UOPS_ISSUED.ANY", 0x01, 0x0E, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_ISSUED.STALL_CYCLES", 0x01, 0x0E, 1, 1, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_ISSUED.FUSED", 0x02, 0x0E, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_RETIRED.ACTIVE_CYCLES", 0x01, 0xC2, 1, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_RETIRED.ANY", 0x01, 0xC2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_RETIRED.STALL_CYCLES", 0x01, 0xC2, 1, 1, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_RETIRED.RETIRE_SLOTS", 0x02, 0xC2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"UOPS_RETIRED.MACRO_FUSED", 0x04, 0xC2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"RESOURCE_STALLS.ANY", 0x01, 0xA2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"RESOURCE_STALLS.LOAD", 0x02, 0xA2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"RESOURCE_STALLS.RS_FULL", 0x04, 0xA2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"RESOURCE_STALLS.STORE", 0x08, 0xA2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"RESOURCE_STALLS.ROB_FULL", 0x10, 0xA2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"RESOURCE_STALLS.FPCW", 0x20, 0xA2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"RESOURCE_STALLS.MXCSR", 0x40, 0xA2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},
	{"RESOURCE_STALLS.OTHER", 0x80, 0xA2, 0, 0, 0, 0, GENERAL_BITS, TABLE_1},

	// "Derived ... by setting the cmask = 2 and inv = 1".
	{"CPU_CLK_UNHALTED.TOTAL_CYCLES", 0x00, 0x3C, 2, 1, 0, 0, GENERAL_BITS, "text before Table 1"},

	// SDM volume 3B, pre-defined architectural performance events.
	{"UNHALTED_CORE_CYCLES", 0x00, 0x3C, 0, 0, 0, 0, GENERAL_BITS | FIXED_BIT(1), "SDM"},
	{"INSTRUCTION_RETIRED", 0x00, 0xC0, 0, 0, 0, 0, GENERAL_BITS | FIXED_BIT(0), "SDM"},
	{"UNHALTED_REFERENCE_CYCLES", 0x01, 0x3C, 0, 0, 0, 0, GENERAL_BITS, "SDM"},
	{"LLC_REFERENCES", 0x4F, 0x2E, 0, 0, 0, 0, GENERAL_BITS, "SDM"},
	{"LLC_MISSES", 0x41, 0x2E, 0, 0, 0, 0, GENERAL_BITS, "SDM"},
	{"BRANCH_INSTRUCTIONS_RETIRED", 0x00, 0xC4, 0, 0, 0, 0, GENERAL_BITS, "SDM"},
	{"MISPREDICTED_BRANCH_RETIRED", 0x00, 0xC5, 0, 0, 0, 0, GENERAL_BITS, "SDM"},
};

#define ROWS (sizeof rows / sizeof *rows)

static bool is_as_printed(const struct pmu_event *e, const struct row *row)
{
	unsigned modifiers = (row->i ? EVENT_INV : 0) | (row->e ? EVENT_EDGE : 0) | (row->at ? EVENT_ANY : 0);

	return e && e->code == row->event && e->umask == row->umask && e->cmask == row->c &&
	       e->modifiers == modifiers && e->counters == row->counters && !strcmp(e->source, row->source);
}

static void every_row_of_the_manuals_tables_is_an_event(void **state)
{
	(void)state;
	for (const struct row *row = rows; row < rows + ROWS; row++)
		if (!is_as_printed(event_find(driver->events, row->name, strlen(row->name)), row))
			fail_msg("%s is not as its row says", row->name);
}

static void every_event_said_to_be_in_table_1_is_there(void **state)
{
	unsigned events = 0, in_table = 0;

	(void)state;
	for (size_t i = 0; i < driver->events->count; i++)
		events += !strcmp(driver->events->event[i].source, TABLE_1);
	for (const struct row *row = rows; row < rows + ROWS; row++)
		in_table += !strcmp(row->source, TABLE_1);
	assert_int_equal(events, in_table);
}

// The guide: INST_RETIRED.ANY "can have any value from 0 to 4" in a cycle.
static void instructions_retired_add_at_most_four(void **state)
{
	(void)state;
	assert_int_equal(request("INST_RETIRED.ANY").event->max, 4);
	assert_int_equal(request("INST_RETIRED.ANY_P").event->max, 4);
	assert_int_equal(request("INSTRUCTION_RETIRED").event->max, 4);
}

//
// Fixed counters. SDM volume 3B, IA32_FIXED_CTR_CTRL: four bits for each: 0 OS, 1 user, 2 any thread, 3 PMI.
//

static void fixed_control_is_levels_thread_and_pmi(void **state)
{
	static const struct {
		const char *text;
		unsigned number, bits;
	} cases[] = {
		{"INST_RETIRED.ANY", 0, 0xB},
		{"INST_RETIRED.ANY:k", 0, 0x9},
		{"INST_RETIRED.ANY:u", 0, 0xA},
		{"INST_RETIRED.ANY:u:k", 0, 0xB},
		{"INST_RETIRED.ANY:t", 0, 0xF},
		{"CPU_CLK_UNHALTED.THREAD", 1, 0xB},
		{"CPU_CLK_UNHALTED.THREAD:u:t", 1, 0xE},
		{"CPU_CLK_UNHALTED.REF", 2, 0xB},
		{"CPU_CLK_UNHALTED.REF:k:t", 2, 0xD},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(encode(cases[i].text, FIRST_FIXED + cases[i].number),
				 (uint64_t)cases[i].bits << 4 * cases[i].number);
}

// What is said of a general counter's threshold has no place in a fixed counter's four bits.
static void fixed_control_is_the_same_by_any_name_of_the_event(void **state)
{
	(void)state;
	assert_int_equal(encode("INST_RETIRED.ANY", FIRST_FIXED), 0x00B);
	assert_int_equal(encode("INSTRUCTION_RETIRED", FIRST_FIXED), 0x00B);
	assert_int_equal(encode("CPU_CLK_UNHALTED.THREAD_P:u", FIRST_FIXED + 1), 0x0A0);
	assert_int_equal(encode("UNHALTED_CORE_CYCLES:k", FIRST_FIXED + 1), 0x090);
}

//
// Which counters
//

static void event_may_be_on_the_counters_of_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver->events->count; i++)
		assert_int_equal(choices(driver->events->event[i].name), driver->events->event[i].counters);
}

// IA32_FIXED_CTR_CTRL has no bits for them.
static void fixed_counter_has_no_threshold_inversion_or_edge(void **state)
{
	(void)state;
	assert_int_equal(choices("CPU_CLK_UNHALTED.THREAD_P:c=1"), GENERAL_BITS);
	assert_int_equal(choices("INST_RETIRED.ANY_P:c=2:i"), GENERAL_BITS);
	assert_int_equal(choices("INSTRUCTION_RETIRED:c=2:e"), GENERAL_BITS);
	assert_int_equal(choices("CPU_CLK_UNHALTED.THREAD:c=1"), 0);
	assert_int_equal(choices("INST_RETIRED.ANY:c=1:i"), 0);
	assert_int_equal(choices("CPU_CLK_UNHALTED.REF:c=1:e"), 0);
}

// IA32_FIXED_CTR_CTRL has bits for these.
static void fixed_counter_has_levels_and_any_thread(void **state)
{
	(void)state;
	assert_int_equal(choices("CPU_CLK_UNHALTED.THREAD:u:t"), FIXED_BIT(1));
	assert_int_equal(choices("INSTRUCTION_RETIRED:k:t"), GENERAL_BITS | FIXED_BIT(0));
}

// The guide: "For the Edge Detect to work, a non zero cmask value must also be used"; appendix II: with CMASK clear
// there is no comparison that INV could invert.
static void inversion_or_edge_without_threshold_is_refused(void **state)
{
	(void)state;
	assert_int_equal(choices("UOPS_RETIRED.ANY:i"), 0);
	assert_int_equal(choices("UOPS_RETIRED.ANY:e"), 0);
	assert_int_equal(choices("UOPS_RETIRED.ANY:i:e"), 0);
	assert_int_equal(choices("INST_RETIRED.ANY_P:e"), 0);
	assert_int_equal(choices("UOPS_ISSUED.STALL_CYCLES:c=0"), 0);
	assert_int_equal(choices("UOPS_RETIRED.ANY:i:e:c=1"), GENERAL_BITS);
}

// What the registers cannot express would otherwise be counted without it.
static void what_confines_no_event_here_is_refused(void **state)
{
	static const char *const refused[] = {
		"iar=0-0xf", "dar=0-7", "opc=1/0", "ism=1", "lat=4", "tlb=1", "btb=1", "plm=2", "plm=4", "plm=7",
	};

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		char text[60];

		snprintf(text, sizeof text, "UOPS_RETIRED.ANY:%s", refused[i]);
		assert_int_equal(choices(text), 0);
		snprintf(text, sizeof text, "CPU_CLK_UNHALTED.THREAD:%s", refused[i]);
		assert_int_equal(choices(text), 0);
	}
	assert_int_equal(choices("UOPS_RETIRED.ANY:plm=9:ism=0"), GENERAL_BITS);
	assert_int_equal(choices("UOPS_RETIRED.ANY:plm=14"), GENERAL_BITS);
}

static void pinned_event_has_its_counter_or_none(void **state)
{
	(void)state;
	for (unsigned counter = 0; counter < GENERAL; counter++) {
		char text[40];

		snprintf(text, sizeof text, "UOPS_RETIRED.ANY:ctr=%u", counter);
		assert_int_equal(choices(text), 1ULL << counter);
	}
	assert_int_equal(choices("UOPS_RETIRED.ANY:ctr=4"), 0);
	assert_int_equal(choices("UOPS_RETIRED.ANY:ctr=32"), 0);
	assert_int_equal(choices("UOPS_RETIRED.ANY:ctr=63"), 0);
	assert_int_equal(choices("CPU_CLK_UNHALTED.THREAD_P:ctr=33"), FIXED_BIT(1));
	assert_int_equal(choices("CPU_CLK_UNHALTED.THREAD_P:ctr=34"), 0);
	assert_int_equal(choices("CPU_CLK_UNHALTED.THREAD_P:ctr=33:c=1"), 0);
	assert_int_equal(choices("INST_RETIRED.ANY:ctr=0"), 0);
}

static int prepare(void **state)
{
	(void)state;
	driver = pmu_driver_find("nehalem");
	assert_non_null(driver);
	// libpfm encodes events of processors it does not run on only when asked to.
	assert_int_equal(setenv("LIBPFM_ENCODE_INACTIVE", "1", 1), 0);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	return 0;
}

static int release(void **state)
{
	(void)state;
	pfm_terminate();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_encoded_as_libpfm_does),
		cmocka_unit_test(every_pair_is_of_an_event),
		cmocka_unit_test(every_threshold_is_encoded_as_libpfm_does),
		cmocka_unit_test(every_modifier_is_encoded_as_libpfm_does),
		cmocka_unit_test(select_is_the_same_for_each_general_counter),
		cmocka_unit_test(every_row_of_the_manuals_tables_is_an_event),
		cmocka_unit_test(every_event_said_to_be_in_table_1_is_there),
		cmocka_unit_test(instructions_retired_add_at_most_four),
		cmocka_unit_test(fixed_control_is_levels_thread_and_pmi),
		cmocka_unit_test(fixed_control_is_the_same_by_any_name_of_the_event),
		cmocka_unit_test(event_may_be_on_the_counters_of_its_line),
		cmocka_unit_test(fixed_counter_has_no_threshold_inversion_or_edge),
		cmocka_unit_test(fixed_counter_has_levels_and_any_thread),
		cmocka_unit_test(inversion_or_edge_without_threshold_is_refused),
		cmocka_unit_test(what_confines_no_event_here_is_refused),
		cmocka_unit_test(pinned_event_has_its_counter_or_none),
	};

	return cmocka_run_group_tests_name("nehalem events", tests, prepare, release);
}
