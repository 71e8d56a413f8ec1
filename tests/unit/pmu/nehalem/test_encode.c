// SPDX-License-Identifier: BSD-2-Clause
// The nehalem driver's encode and choices, against libpfm4, which has its own encoder, and the
// manuals. test_events_libpfm.c checks each event's encoding.

#include "../libpfm.h"
#include "../sessions.h"

#include <stdio.h>

#include "pmu.h"

#define GENERAL		4
#define FIRST_FIXED	32
#define FIXED		3
#define GENERAL_BITS	0xFULL
#define FIXED_BIT(n)	(1ULL << (FIRST_FIXED + (n)))

static const struct pmu_driver *driver;

static uint64_t encode(const char *text, unsigned counter)
{
	struct event_request r = request_of(driver, text);

	return driver->encode(&r, counter);
}

static uint64_t choices(const char *text)
{
	struct event_request r = request_of(driver, text);

	return driver->choices(&r);
}

//
// libpfm4. It sets INT and EN in each select, like the driver.
//

static uint64_t pfm_encode(const char *text, unsigned levels)
{
	uint64_t codes[LIBPFM_CODES];

	libpfm_encode(text, levels, codes);
	return codes[0];
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
// Fixed counters. SDM volume 3B, IA32_FIXED_CTR_CTRL: four bits for each: 0 OS, 1 user, 2 any
// thread, 3 PMI.
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

// A fixed counter's four bits have no place for a general counter's threshold.
static void fixed_control_is_the_same_by_any_name_of_the_event(void **state)
{
	(void)state;
	assert_int_equal(encode("INST_RETIRED.ANY", FIRST_FIXED), 0x00B);
	assert_int_equal(encode("INSTRUCTION_RETIRED", FIRST_FIXED), 0x00B);
	assert_int_equal(encode("CPU_CLK_UNHALTED.THREAD_P:u", FIRST_FIXED + 1), 0x0A0);
	assert_int_equal(encode("UNHALTED_CORE_CYCLES:k", FIRST_FIXED + 1), 0x090);
}

//
// Choices of counters
//

// Events that cannot be counted as requested: an offcore response without its encoding; those that
// the guide's erratum below Table 9 counts as another response; a threshold below the least one of
// SDM volume 3B.
static bool is_refused(const char *name)
{
	static const char *const refused[] = {
		"OFFCORE_RESPONSE_0", "OFFCORE_RESPONSE_0.OTHER.LOCAL_DRAM",
		"OFFCORE_RESPONSE_0.OTHER.ANY_DRAM",
		"OFFCORE_RESPONSE_0.OTHER.ANY_LLC_MISS",
		"MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_0",
	};

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (!strcmp(name, refused[i]))
			return true;
	return false;
}

// Load latency counts only if its records are written.
static void event_may_be_on_the_counters_of_its_line(void **state)
{
	static const char latency[] = "MEM_INST_RETIRED.LATENCY_ABOVE";

	(void)state;
	for (size_t i = 0; i < driver->events->count; i++) {
		const struct pmu_event *e = &driver->events->event[i];
		bool needs_records = !strncmp(e->name, latency, sizeof latency - 1);
		char text[2 * EVENT_NAME_MAX];

		snprintf(text, sizeof text, "%s%s", e->name, needs_records ? ":p:period=1000" : "");
		if (choices(text) != (is_refused(e->name) ? 0 : e->counters))
			fail_msg("%s may be on counters %#llx", e->name,
				 (unsigned long long)choices(text));
	}
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

// The guide: "For the Edge Detect to work, a non zero cmask value must also be used"; appendix II:
// with CMASK clear there is no comparison that INV could invert.
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

// Without a refusal, the event would count without the qualification that the registers cannot
// express.
static void what_confines_no_event_here_is_refused(void **state)
{
	static const char *const refused[] = {
		"iar=0-0xf", "dar=0-7", "opc=1/0", "ism=1", "lat=4", "tlb=1", "btb=1", "plm=2",
		"plm=4", "plm=7",
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
	libpfm_begin();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_threshold_is_encoded_as_libpfm_does),
		cmocka_unit_test(every_modifier_is_encoded_as_libpfm_does),
		cmocka_unit_test(select_is_the_same_for_each_general_counter),
		cmocka_unit_test(fixed_control_is_levels_thread_and_pmi),
		cmocka_unit_test(fixed_control_is_the_same_by_any_name_of_the_event),
		cmocka_unit_test(event_may_be_on_the_counters_of_its_line),
		cmocka_unit_test(fixed_counter_has_no_threshold_inversion_or_edge),
		cmocka_unit_test(fixed_counter_has_levels_and_any_thread),
		cmocka_unit_test(inversion_or_edge_without_threshold_is_refused),
		cmocka_unit_test(what_confines_no_event_here_is_refused),
		cmocka_unit_test(pinned_event_has_its_counter_or_none),
	};

	return cmocka_run_group_tests_name("nehalem events", tests, prepare, libpfm_end);
}
