// SPDX-License-Identifier: BSD-2-Clause
// Raw events: the bits of a control register, decoded into a request, are the bits that the driver
// writes for it.

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "pmu_driver.h"
#include "random.h"

#define LENGTH(array) (sizeof array / sizeof *array)

static struct event_request parsed(const char *target, const char *text)
{
	struct event_request r;

	assert_int_equal(event_parse(pmu_driver_find(target)->events, &text, &r), EVENT_OK);
	assert_string_equal(text, "");
	return r;
}

// PerfEvtSel (performance analysis guide, Appendix II): event 7:0, unit mask 15:8, USR 16, OS 17, E
// 18, INT 20, AnyThr 21, EN 22, INV 23, CMASK 31:24. Knights Corner's is equal (327357-001, Table
// 1-3), and the uncore's without levels and threads (SDM volume 3B). Itanium (Table 6-6): plm 3:0,
// oi 5, pm 6, es 14:8, umask 19:16, threshold 22:20, ism 25:24. SPARC T4 (Table 10-1): ut 2, st 3,
// ht 4, mask 10:5, sl 15:11. DRAM: the select code (Table 10-7) of a controller's first counter.
static const struct {
	const char *target, *text, *name;	// NULL: raw
	uint16_t code, modifiers;
	uint8_t umask, cmask, levels, sets;
	uint64_t counters;
} cases[] = {
#define BOTH (EVENT_USER | EVENT_OS)
	{"nehalem", "r01c0", "INST_RETIRED.ANY_P", 0xC0, BOTH, 0x01, 0, 0xF, 0, 0xF},
	{"nehalem", "raw=448", "INST_RETIRED.ANY_P", 0xC0, BOTH, 0x01, 0, 0xF, 0, 0xF},
	{"nehalem", "R01C0:u:c=2", "INST_RETIRED.ANY_P", 0xC0, EVENT_USER, 0x01, 2, 0x8, 0, 0xF},
	{"nehalem", "raw=0x5301c0", "INST_RETIRED.ANY_P", 0xC0, BOTH, 0x01, 0, 0xF, 0, 0xF},
	{"nehalem", "raw=0x5101c0", "INST_RETIRED.ANY_P", 0xC0, EVENT_USER, 0x01, 0, 0xE, 0, 0xF},
	{"nehalem", "raw=0x5101c0:k", "INST_RETIRED.ANY_P", 0xC0, EVENT_OS, 0x01, 0, 0x1, 0, 0xF},
	// Threshold 1, inverted, edges.
	{"nehalem", "r1d40114", "ARITH.DIV", 0x14, BOTH | EVENT_INV | EVENT_EDGE, 0x01, 1, 0xF, 0,
	 0xF},
	{"nehalem", "r77c0", NULL, 0xC0, BOTH, 0x77, 0, 0xF, 0, 0xF},
	{"nehalem", "raw=0x2a477ee:i:u", NULL, 0xEE, EVENT_USER | EVENT_EDGE | EVENT_INV |
	 EVENT_ANY, 0x77, 2, 0x8, 0, 0xF},
	// "Events 40 [...] are counted by counters 0 and 1 only", whatever the unit mask.
	{"nehalem", "raw=0xff40", NULL, 0x40, BOTH, 0xFF, 0, 0xF, 0, 0x3},
	{"nehalem", "nhm::r0003:t", NULL, 0x03, BOTH | EVENT_ANY, 0x00, 0, 0xF, 0, 0xF},
	{"nehalem-uncore", "nhm_unc::r0102", "UNC_GQ_TRACKER_OCCUP.RT", 0x02, BOTH, 0x01, 0, 0xF, 0,
	 0xFF},
	{"nehalem-uncore", "raw=0x3ee:c=9", NULL, 0xEE, BOTH, 0x03, 9, 0xF, 0, 0xFF},
	{"knc", "r0", "DATA_READ", 0x00, BOTH, 0x00, 0, 0xF, 0, 0x3},
	{"knc", "knc::r10c8", "L2_READ_HIT_E", 0xC8, BOTH, 0x10, 0, 0xF, 0, 0x1},
	{"knc", "r20c8", NULL, 0xC8, BOTH, 0x20, 0, 0xF, 0, 0x1},
	{"itanium", "r1200", "CPU_CYCLES", 0x12, BOTH, 0x0, 0, 0xF, 0, 0xF0},
	// ev
	{"itanium", "raw=0x1230", "CPU_CYCLES", 0x12, BOTH | EVENT_VISIBLE, 0x0, 0, 0xF, 0, 0xF0},
	{"itanium", "raw=0x1268", "CPU_CYCLES", 0x12, EVENT_USER, 0x0, 0, 0x8, 0, 0xF0},
	{"itanium", "raw=0x2531341", NULL, 0x13, EVENT_OS, 0x3, 5, 0x1, 2, 0xF0},
	{"itanium", "itanium::raw=0x50800", NULL, 0x08, BOTH, 0x5, 0, 0xF, 0, 0x30},
	{"sparct4", "raw=0x1fe0", "Instr_all", 3, EVENT_USER, 0x3F, 0, 0xE, 0, 0xF},
	{"sparct4", "raw=0x1fe4", "Instr_all", 3, EVENT_USER, 0x3F, 0, 0x8, 0, 0xF},
	{"sparct4", "sparct4::raw=0x1fe0:k", "Instr_all", 3, EVENT_OS, 0x3F, 0, 0x1, 0, 0xF},
	{"sparct4-dram", "raw=8:ctr=5", NULL, 8, BOTH, 0, 0, 0xF, 0, 0xFFFF},
	// Terms, as perf writes them.
	{"nehalem", "cpu/event=0xc0,umask=0x1/", "INST_RETIRED.ANY_P", 0xC0, BOTH, 0x01, 0, 0xF, 0,
	 0xF},
	{"nehalem", "CPU/umask=1,EVENT=192,cmask=2/u", "INST_RETIRED.ANY_P", 0xC0, EVENT_USER, 0x01,
	 2, 0x8, 0, 0xF},
	{"nehalem", "cpu/event=0x14,umask=1,inv,edge=1,cmask=1,any=0/", "ARITH.DIV", 0x14,
	 BOTH | EVENT_INV | EVENT_EDGE, 0x01, 1, 0xF, 0, 0xF},
	{"nehalem", "nhm/event=0xee,umask=0x77,cmask=2,inv=1,edge,any/uk:e=0", NULL, 0xEE,
	 BOTH | EVENT_INV | EVENT_ANY, 0x77, 2, 0x9, 0, 0xF},
	{"nehalem-uncore", "nehalem-uncore/event=2,umask=1/", "UNC_GQ_TRACKER_OCCUP.RT", 0x02, BOTH,
	 0x01, 0, 0xF, 0, 0xFF},
	{"knc", "cpu/event=0xc8,umask=0x20/k", NULL, 0xC8, EVENT_OS, 0x20, 0, 0x1, 0, 0x1},
	{"itanium", "cpu/event=0x12/", "CPU_CYCLES", 0x12, BOTH, 0x0, 0, 0xF, 0, 0xF0},
	{"sparct4", "cpu/event=3,umask=0x3f/u", "Instr_all", 3, EVENT_USER, 0x3F, 0, 0x8, 0, 0xF},
};

static void bits_are_read_as_the_manuals_have_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct event_request r = parsed(cases[i].target, cases[i].text);

		print_message("%s %s\n", cases[i].target, cases[i].text);
		assert_string_equal(r.event->name, cases[i].name ? cases[i].name : event_raw.name);
		assert_int_equal(event_code(&r), cases[i].code);
		assert_int_equal(r.umask, cases[i].umask);
		assert_int_equal(r.cmask, cases[i].cmask);
		assert_int_equal(r.modifiers, cases[i].modifiers);
		assert_int_equal(r.levels, cases[i].levels);
		assert_int_equal(r.sets, cases[i].sets);
		assert_int_equal(event_counters(&r), cases[i].counters);
	}
}

// Other bits of these registers: pin control (19) and reserved bits; occupancy reset (17), which
// belongs to the queue events that the driver knows; ev (4), which drives a pin; reserved bits of
// PCR.
static void bits_that_are_not_the_callers_are_refused(void **state)
{
	static const struct {
		const char *target, *text, *says;
	} wrong[] = {
		{"nehalem", "raw=0x801c0", "bits 0x80000"},
		{"nehalem", "raw=0x1000001c0", "bits 0x100000000"},
		{"nehalem-uncore", "raw=0x20102", "bits 0x20000"},
		{"nehalem-uncore", "raw=0x10102", "bits 0x10000"},
		{"knc", "raw=0x80016", "bits 0x80000"},
		{"itanium", "raw=0x4001200", "bits 0x4000000"},
		{"itanium", "raw=0x9200", "bits 0x8000"},
		{"sparct4", "raw=0x81fe0", "bits 0x80000"},
		{"sparct4-dram", "raw=0x18", "bits 0x10"},
		{"nehalem", "r0", "selects nothing"},
		{"nehalem", "raw=0x430000", "selects nothing"},
		{"nehalem", "raw=", "decimal or 0x"}, {"nehalem", "raw=-1", "decimal or 0x"},
		{"nehalem", "raw=0x1c0x", "decimal or 0x"}, {"nehalem", "raw=1c0", "decimal or 0x"},
		{"nehalem", "r10000000000000000", "of 64 bits"},
		{"nehalem", "raw=0x10000000000000000", "of 64 bits"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		const struct pmu_driver *driver = pmu_driver_find(wrong[i].target);
		const char *text = wrong[i].text;
		struct event_request r;
		char why[300];

		if (event_parse(driver->events, &text, &r) != EVENT_BAD_RAW ||
		    text != wrong[i].text)
			fail_msg("%s: %s is not refused", driver->name, wrong[i].text);
		event_explain(driver->events, EVENT_BAD_RAW, text, why, sizeof why);
		if (!strstr(why, wrong[i].says))
			fail_msg("'%s' does not say '%s'", why, wrong[i].says);
	}
}

// The register of OFFCORE_RESPONSE_0 (event B7H, unit mask 1), and a load's latency (event BH, unit
// mask 10H): performance analysis guide, "Measuring Core Memory Access Latency".
static void terms_that_no_select_holds_are_kept(void **state)
{
	struct event_request r = parsed("nehalem",
					"cpu/event=0xb7,umask=1,offcore_rsp=0x4077/:period=500");

	(void)state;
	assert_int_equal(event_code(&r), 0xB7);
	assert_int_equal(r.extra, 0x4077);
	assert_int_equal(r.period, 500);
	r = parsed("nehalem", "cpu/event=0xb,umask=0x10,ldlat=64/p:period=100");
	assert_int_equal(event_code(&r), 0xB);
	assert_int_equal(r.latency, 64);
	assert_true(r.modifiers & EVENT_PRECISE);
	assert_int_equal(r.period, 100);
}

static void wrong_terms_are_named(void **state)
{
	static const struct {
		const char *target, *text;
		enum event_error error;
		size_t at;
		const char *says;
	} wrong[] = {
		{"nehalem", "cpu/event=0xd1,foo=1/", EVENT_BAD_TERM, 15,
		 "no term 'foo'; terms are: event"},
		{"nehalem", "cpu//", EVENT_BAD_TERM, 4, "no term ''"},
		{"nehalem", "cpu/event=1,/", EVENT_BAD_TERM, 12, "no term ''"},
		{"nehalem", "cpu/event=0x100/", EVENT_TERM_VALUE, 4,
		 "'event=0x100' (event: 0 to 65535"},
		{"nehalem", "cpu/event=0x10000/", EVENT_TERM_VALUE, 4, "'event=0x10000'"},
		{"nehalem", "cpu/event=1,umask=256/", EVENT_TERM_VALUE, 12,
		 "'umask=256' (umask: 0 to 255"},
		{"nehalem", "cpu/event=1,umask=-1/", EVENT_TERM_VALUE, 12, "'umask=-1'"},
		{"nehalem", "cpu/event=1,umask=1x/", EVENT_TERM_VALUE, 12, "'umask=1x'"},
		{"nehalem", "cpu/event=1,cmask=18446744073709551616/", EVENT_TERM_VALUE, 12,
		 "'cmask="},
		{"nehalem", "cpu/event=1,inv=2/", EVENT_TERM_VALUE, 12, "'inv=2' (inv: 0 to 1"},
		{"nehalem", "cpu/event/", EVENT_TERM_VALUE, 4, "'event'"},
		{"nehalem", "cpu/event=0xc0,offcore_rsp=1/", EVENT_TERM_VALUE, 15,
		 "'offcore_rsp=1'"},
		{"nehalem", "cpu/event=1:u/", EVENT_TERM_VALUE, 4, "'event=1'"},
		{"sparct4", "cpu/event=3,umask=1,inv/", EVENT_TERM_VALUE, 20, "'inv'"},
		{"itanium", "cpu/event=0x12,cmask=8/", EVENT_TERM_VALUE, 15, "'cmask=8'"},
		{"nehalem", "cpu/event=1,event=2/", EVENT_TWICE, 12, "'event=2"},
		{"nehalem", "cpu/event=0xb7,umask=1,offcore_rsp=1/:msr=2", EVENT_TWICE, 38,
		 "'msr=2'"},
		{"nehalem", "cpu/event=1,period=2/", EVENT_BAD_TERM, 12, "no term 'period'"},
		{"nehalem", "cpu/event=1/u:u", EVENT_TWICE, 14, "'u'"},
		{"nehalem", "cpu/event=1/h", EVENT_BAD_MODIFIER, 12, "no modifier 'h'"},
		{"nehalem", "cpu/event=1/5", EVENT_BAD_MODIFIER, 12, "no modifier '5'"},
		{"nehalem", "cpu/event=1,umask=2", EVENT_NO_SLASH, 4,
		 "missing after the terms 'event=1"},
		{"nehalem", "cpu/inv", EVENT_NO_SLASH, 4, "missing after the terms 'inv'"},
		{"nehalem", "cpu/event=1}", EVENT_NO_SLASH, 4, "missing after"},
		{"nehalem", "cpu/event=0/", EVENT_NO_EVENT, 0, "select nothing: 'cpu/event=0/'"},
		{"nehalem", "core/event=1/", EVENT_BAD_PREFIX, 0,
		 "'core'; cpu, nehalem or nhm may stand before '/' here"},
		{"nehalem-uncore", "cpu/event=1/", EVENT_BAD_PREFIX, 0,
		 "'cpu'; nehalem-uncore or nhm_unc may stand before '/' here"},
		{"nehalem", "/event=1/", EVENT_BAD_PREFIX, 0, "''"},
		{"nehalem", "/", EVENT_BAD_PREFIX, 0, "''"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		const struct pmu_driver *driver = pmu_driver_find(wrong[i].target);
		const char *text = wrong[i].text;
		struct event_request r;
		char why[300];

		print_message("%s\n", wrong[i].text);
		assert_int_equal(event_parse(driver->events, &text, &r), wrong[i].error);
		assert_int_equal(text - wrong[i].text, wrong[i].at);
		event_explain(driver->events, wrong[i].error, text, why, sizeof why);
		if (!strstr(why, wrong[i].says))
			fail_msg("'%s' does not say '%s'", why, wrong[i].says);
	}
}

// Commas separate terms and events.
static void terms_stand_in_lists(void **state)
{
	struct event_list list =
		event_list("{cpu/event=0xc0,umask=1/u,cpu/event=0xd1/},BR_INST_EXEC.COND");
	const struct pmu_event_table *table = pmu_driver_find("nehalem")->events;
	static const uint16_t codes[] = {0xC0, 0xD1, 0x88};
	struct event_request r;

	(void)state;
	for (size_t i = 0; i < LENGTH(codes); i++) {
		assert_true(list.more);
		assert_int_equal(event_next(table, &list, &r), EVENT_OK);
		assert_int_equal(event_code(&r), codes[i]);
		assert_int_equal(list.group, i < 2);
	}
	assert_false(list.more);
}

// A word of hexadecimal letters only is a name, perhaps a misspelled one.
static void words_are_no_numbers(void **state)
{
	static const char *const words[] = {"r", "read", "rc", "raw", "raw:u", "r01g0", "r.0",
					    "rr0"};

	(void)state;
	for (size_t i = 0; i < LENGTH(words); i++) {
		const char *text = words[i];
		struct event_request r;

		assert_int_equal(event_parse(pmu_driver_find("nehalem")->events, &text, &r),
				 EVENT_UNKNOWN);
	}
}

// Groups (sl) reserved by Table 10-2, select codes reserved by Table 10-7.
static void what_the_driver_would_not_write_no_counter_counts(void **state)
{
	static const struct {
		const char *target, *text;
	} wrong[] = {
		{"sparct4", "raw=0x6020"}, {"sparct4", "raw=0xe820"}, {"sparct4", "raw=0x860"},
		{"sparct4-dram", "raw=13"}, {"sparct4-dram", "raw=14"}, {"sparct4-dram", "raw=15"},
		{"nehalem", "r77c0:p:period=100"}, {"nehalem", "r77c0:ctr=32"},
		{"nehalem", "rff40:ctr=2"},
		{"itanium", "raw=0x1300:iar=0-15"}, {"itanium", "raw=0x1300:e"},
		{"knc", "r20c8:ctr=1"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		struct event_request r = parsed(wrong[i].target, wrong[i].text);

		if (pmu_driver_find(wrong[i].target)->choices(&r))
			fail_msg("%s: %s is counted", wrong[i].target, wrong[i].text);
	}
}

// Random bits: if they are accepted, the driver writes them, and they decode to the same request.
static void what_is_read_is_what_the_driver_writes(void **state)
{
	uint64_t seed = 0x726177;

	(void)state;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++) {
		const unsigned counter = pmu_raw_counter(*d);
		unsigned taken = 0;

		for (unsigned i = 0; i < 20000; i++) {
			const uint64_t select = random_word(&seed) >> random_between(&seed, 32, 63);
			struct event_request r, again;
			uint64_t written;

			if (!pmu_read_raw(*d, counter, select, &r))
				continue;
			written = (*d)->encode(&r, counter);
			assert_int_equal(select & ~written, 0);
			assert_true(pmu_read_select(*d, counter, written, &again));
			assert_int_equal((*d)->encode(&again, counter), written);
			assert_int_equal(event_code(&again), event_code(&r));
			taken++;
		}
		print_message("%s: %u\n", (*d)->name, taken);
		assert_in_range(taken, 300, 20000);
	}
}

// The meaning of these words: the events that PAL_PERF_MON_INFO states, if it does.
static void cycles_and_instructions_are_known_everywhere(void **state)
{
	static const struct {
		const char *target, *cycles, *instructions;
	} names[] = {
		{"nehalem", "CPU_CLK_UNHALTED.THREAD_P", "INST_RETIRED.ANY_P"},
		{"nehalem-uncore", "UNC_CLK_UNHALTED", NULL},
		{"knc", "CPU_CLK_UNHALTED", "INSTRUCTIONS_EXECUTED"},
		{"itanium", "CPU_CYCLES", "IA64_INST_RETIRED"}, {"sparct4", "Cycles", "Instr_all"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++) {
		assert_string_equal(parsed(names[i].target, "cycles").event->name, names[i].cycles);
		if (names[i].instructions)
			assert_string_equal(parsed(names[i].target,
						   "Instructions:period=9").event->name,
					    names[i].instructions);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_are_read_as_the_manuals_have_them),
		cmocka_unit_test(bits_that_are_not_the_callers_are_refused),
		cmocka_unit_test(terms_that_no_select_holds_are_kept),
		cmocka_unit_test(wrong_terms_are_named),
		cmocka_unit_test(terms_stand_in_lists),
		cmocka_unit_test(words_are_no_numbers),
		cmocka_unit_test(what_the_driver_would_not_write_no_counter_counts),
		cmocka_unit_test(what_is_read_is_what_the_driver_writes),
		cmocka_unit_test(cycles_and_instructions_are_known_everywhere),
	};

	return cmocka_run_group_tests_name("raw events", tests, NULL, NULL);
}
