// SPDX-License-Identifier: BSD-2-Clause
// Requests of the sparct4 driver: PCR values by Table 10-1, refusals by Table 10-2.

#include "pmu/sparct4/driver.h"
#include "pmu/vectors.h"

// Values composed by hand from Table 10-1. picnht and picnpt close the PIC (30000h); toe (2) is set
// where a trap can come.
static void pcr_values(void **state)
{
	static const struct {
		const char *event;
		uint64_t pcr;
	} cases[] = {
		// sl 3 (1800h), mask 3F (7E0h); ut and st, unless levels are named.
		{"Instr_all", 0x31FEE},
		{"Instr_all:u", 0x31FE6},
		{"Instr_all:plm=2", 0x31FEA},
		{"Instr_all:plm=10", 0x31FEE},
		// With ht there is no trap.
		{"Instr_all:k", 0x31FF0},
		{"Instr_all:plm=11", 0x31FFC},
		{"Instr_all:plm=15", 0x31FFC},
		// sl 26 (D000h): asynchronous, traps with ht as well.
		{"Cycles:u", 0x3D006},
		{"Cycles:k", 0x3D012},
		{"Cycles:plm=11", 0x3D01E},
		// sl 1 (800h), masks 02 and 04 (C0h).
		{"Sel_0_wait+Sel_0_ready:u", 0x308C6},
		// sl 8 (4000h), mask 02 (40h): of all strands, all modes.
		{"Fetch_0_all", 0x3405E},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct event_request r = request(cases[i].event);

		assert_int_equal(sparct4()->choices(&r), 0xF);
		for (unsigned counter = 0; counter < 4; counter++)
			assert_int_equal(sparct4()->encode(&r, counter), cases[i].pcr);
	}
}

// Table 10-2: groups 3, 4, 5, 16 and 25 are precise; with ht they do not trap (10.3).
static void precise_events_with_ht_are_polled(void **state)
{
	(void)state;
	for (unsigned sl = 1; sl < 29; sl++) {
		const struct pmu_event event = {.code = (uint16_t)sl, .umask = 1, .counters = 0xF};
		const bool precise = sl == 3 || sl == 4 || sl == 5 || sl == 16 || sl == 25;
		struct event_request r = {.event = &event, .umask = 1,
					  .counter = EVENT_ANY_COUNTER};

		for (r.levels = 1; r.levels < 16; r.levels++)
			assert_int_equal(sparct4()->poll->polled(&r), precise && r.levels & 1);
	}
}

static bool has_word(const char *list, unsigned mask)
{
	char word[8];

	snprintf(word, sizeof word, "%02X", mask);
	return strstr(list, word);
}

// "5:3", "5", "-"
static unsigned bits(const char *text)
{
	unsigned high = (unsigned)atoi(text), low = text[1] == ':' ? (unsigned)atoi(text + 2) :
		high;

	return *text == '-' ? 0 : (2u << high) - (1u << low);
}

static bool is_meaningful(const struct row *r, unsigned sl, unsigned mask)
{
	if (!strcmp(r->field[2], "reserved"))
		return false;
	if (sl == 26)
		return true;		// "the mask field is ignored", all of it
	if (!mask || mask & bits(r->field[1]))
		return false;
	if (sl == 25 && mask == 0x0F)
		return true;		// a row: all mispredicts
	return !(mask & (mask - 1)) || !strcmp(r->field[2], "any") || has_word(r->field[2], mask);
}

// Each mask of each group of the table. sl 28: the manual's note names 01 to 03, Solaris 01, 02,
// 04, 08, 0C.
static void masks_are_refused_as_table_10_2_says(void **state)
{
	static struct rows rows;

	(void)state;
	read_rows("tests/vectors/sparct4-masks.tab", 3, &rows);
	assert_int_equal(rows.count, 28);
	for (size_t i = 0; i < rows.count; i++)
		for (unsigned mask = 0; mask < 64; mask++) {
			const unsigned sl = (unsigned)atoi(rows.row[i].field[0]);
			const struct pmu_event event = {.code = (uint16_t)sl, .counters = 0xF};
			struct event_request r = {.event = &event, .umask = (uint8_t)mask,
						  .levels = 8,
						  .counter = EVENT_ANY_COUNTER};
			const bool good = is_meaningful(&rows.row[i], sl, mask);

			if (!!sparct4()->choices(&r) != good || !sparct4()->objection(&r) != good)
				fail_msg("sl %u, mask %02X", sl, mask);
		}
	for (unsigned mask = 0; mask < 64; mask++) {
		const struct pmu_event event = {.code = 28, .counters = 0xF};
		struct event_request r = {.event = &event, .umask = (uint8_t)mask, .levels = 8,
					  .counter = EVENT_ANY_COUNTER};

		assert_int_equal(!sparct4()->objection(&r), has_word("01 02 03 04 08 0C", mask));
	}
}

static void reserved_groups_are_refused(void **state)
{
	static const uint16_t reserved[] = {0, 12, 13, 14, 15, 27, 29, 30, 31, 32, 0x1003, 0xFFFF};

	(void)state;
	for (size_t i = 0; i < LENGTH(reserved); i++)
		for (unsigned mask = 0; mask < 256; mask++) {
			const struct pmu_event event = {.code = reserved[i], .counters = 0xF};
			struct event_request r = {.event = &event, .umask = (uint8_t)mask,
						  .levels = 8,
						  .counter = EVENT_ANY_COUNTER};

			assert_int_equal(sparct4()->choices(&r), 0);
			assert_non_null(sparct4()->objection(&r));
		}
}

// Bit 2 is a level that does not exist: it is accepted in all levels, or in all except the highest.
static void levels(void **state)
{
	(void)state;
	for (unsigned levels = 1; levels < 16; levels++) {
		struct event_request r = request("Instr_all");
		const bool good = !(levels & 4) || (levels & 10) == 10;

		r.levels = (uint8_t)levels;
		assert_int_equal(!!sparct4()->choices(&r), good);
		assert_int_equal(!sparct4()->objection(&r), good);
	}
}

static void what_the_counters_lack_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *event, *reason;
	} cases[] = {
		{"Instr_all:c=1", "threshold"},
		{"Instr_all:i", "threshold"},
		{"Instr_all:e", "threshold"},
		{"Instr_all:t", "strand"},
		{"Instr_all:p", "records"},
		{"Instr_all:lbr", "branches"},
		{"Instr_all:btb=1", "branches"},
		{"Instr_all:lat=4", "latencies"},
		{"Instr_all:tlb=1", "latencies"},
		{"Instr_all:iar=0x1000-0x1FFF", "addresses"},
		{"Instr_all:dar=0x1000-0x1FFF", "addresses"},
		{"Instr_all:opc=0/0", "opcodes"},
		{"Instr_all:ism=1", "instruction set"},
		{"Instr_all:plm=4", "level 2"},
		{"Instr_all:open:period=1000", "choose its samples"},
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct event_request r = request(cases[i].event);
		struct pmu_session session;
		struct pmu_refusal refusal;

		assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_UNFIT);
		pmu_explain(sparct4(), PMU_UNFIT, &refusal, &r, text, sizeof text);
		if (!strstr(text, cases[i].reason))
			fail_msg("%s: %s", cases[i].event, text);
		assert_int_equal(get(PCR(0)), PCR_CLOSED);
	}
}

// Table 10-1: picnht 0 and picnpt 0 open the PIC to privileged and non-privileged software, and it
// is "RW". Its overflows must not trap: toe 0. The rest of the PCR is unchanged.
static void a_counter_is_open_only_if_that_is_asked_for(void **state)
{
	static const char *const events[] = {"Instr_all:u", "Instr_all:k", "Cycles:u",
					     "Fetch_0_all", "Cycles:plm=2"};
	char text[64];

	(void)state;
	for (size_t i = 0; i < LENGTH(events); i++)
		for (unsigned counter = 0; counter < 4; counter++) {
			const struct event_request closed = request(events[i]);
			struct event_request open;
			uint64_t pcr = sparct4()->encode(&closed, counter);

			snprintf(text, sizeof text, "%s:open", events[i]);
			open = request(text);
			assert_int_equal(pcr & PCR_CLOSED, PCR_CLOSED);
			assert_int_equal(sparct4()->choices(&open), 0xF);
			assert_int_equal(sparct4()->encode(&open, counter),
					 pcr & ~(PCR_CLOSED | PCR_TOE));
			assert_true(sparct4()->poll->polled(&open));
		}
}

// The counters of memory controllers and of the uncore cannot be read without privilege.
static void packages_have_nothing_to_open(void **state)
{
	static const char *const targets[] = {"sparct4-dram", "nehalem-uncore", "itanium"};

	(void)state;
	for (size_t i = 0; i < LENGTH(targets); i++) {
		const struct pmu_driver *driver = pmu_driver_find(targets[i]);
		const char *text = driver->events->event[0].name;
		struct event_request r;

		assert_true(shim_start(targets[i], ""));
		assert_int_equal(pmu_begin(driver, false), PMU_OK);
		assert_int_equal(event_parse(driver->events, &text, &r), EVENT_OK);
		assert_int_not_equal(driver->choices(&r), 0);
		r.modifiers |= EVENT_OPEN;
		assert_int_equal(driver->choices(&r), 0);
	}
}

static void counters_are_numbered_0_to_3(void **state)
{
	(void)state;
	for (int counter = 0; counter < 127; counter++) {
		struct event_request r = request("Cycles");

		r.counter = (int8_t)counter;
		assert_int_equal(sparct4()->choices(&r), counter < 4 ? 1u << counter : 0);
	}
}

// A PIC must not be at -3 to -1 (programming note on sl 28), so a period is at least 4.
static void periods(void **state)
{
	struct pmu_session session;

	(void)state;
	for (uint64_t period = 1; period < 4; period++) {
		struct event_request r = request("Cycles");
		struct pmu_refusal refusal;
		char text[256];

		r.period = period;
		assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_BAD_PERIOD);
		pmu_explain(sparct4(), PMU_BAD_PERIOD, &refusal, &r, text, sizeof text);
		assert_string_equal(text, "the period of Cycles must be from 4 to 2^63 - 1");
	}
	assert_int_equal(try_session(&session, "Cycles:period=4"), PMU_OK);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, driver_start, driver_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pcr_values),
		TEST(precise_events_with_ht_are_polled),
		TEST(masks_are_refused_as_table_10_2_says),
		TEST(reserved_groups_are_refused),
		TEST(levels),
		TEST(what_the_counters_lack_is_refused_with_a_reason),
		TEST(a_counter_is_open_only_if_that_is_asked_for),
		TEST(packages_have_nothing_to_open),
		TEST(counters_are_numbered_0_to_3),
		TEST(periods),
	};

	return cmocka_run_group_tests_name("sparct4: driver, requests", tests, NULL, NULL);
}
