// SPDX-License-Identifier: BSD-2-Clause
// Samples collected while a session runs: each is counted once, by event, address and thread; with
// little memory by function. None is lost. Symbols and plan are defined in this file.

#include "unit.h"

#include <string.h>

#include "../../../boot/histogram.h"
#include "../../../boot/live.h"
#include "../../../boot/result.h"
#include "../../../boot/symbols.h"
#include "shim.h"

#define FUNCTIONS	20
#define FUNCTION_BYTES	0x400
#define TEXT		0x400000

static struct session_plan plan;
static struct session_results measured;

static struct symbol symbols[FUNCTIONS];

const struct symbol *symbol_find(uint64_t address)
{
	const uint64_t number = (address - TEXT) / FUNCTION_BYTES;

	return address >= TEXT && number < FUNCTIONS ? &symbols[number] : NULL;
}

#define HEAP 0x800000

enum memory_region memory_region_of(uint64_t address)
{
	return address >= HEAP ? MEMORY_HEAP : MEMORY_DATA;
}

// These sessions print no intermediate counts.
void live_take(struct session_results *its_results, const struct pmu_sample *sample)
{
	(void)its_results, (void)sample;
	fail();
}

#define ENTRIES_MOST (1u << 12)

static struct histogram_entry entries[ENTRIES_MOST];

// Two events of one PMU, in session number 7.
static void begin(unsigned bits)
{
	memset(&plan, 0, sizeof plan);
	memset(entries, 0, sizeof entries);
	memset(&measured, 0, sizeof measured);
	measured.plan = &plan;
	session_take_for(&measured);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		symbols[i] = (struct symbol){TEXT + FUNCTION_BYTES * i, "function"};
	assert_true(shim_start("nehalem", ""));
	plan.unit[0] = pmu_driver_find("nehalem");
	plan.units = 1;
	plan.count = 2;
	measured.part[0].count = 2;
	measured.part[0].event[0] = 1;		// the session's first event is the plan's second
						// one
	measured.part[0].event[1] = 0;
	for (unsigned i = 0; i < 2; i++) {
		const char *text = "INST_RETIRED.ANY_P";

		assert_int_equal(event_parse(plan.unit[0]->events, &text, &plan.event[i].request),
				 EVENT_OK);
	}
	measured.thread[0].session[0].number = 7;
	measured.samples[0].histogram = (struct histogram){.entry = entries, .bits = bits};
}

static int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

static void take(uint32_t session, uint8_t event, uint64_t ip)
{
	const struct pmu_sample sample = {.ip = ip, .source = {.session = session, .event = event}};

	session_take(&sample, NULL);
}

// Returns the number of an event's samples in a range of addresses.
static uint64_t counted(uint32_t kind, uint64_t from, uint64_t size)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ENTRIES_MOST; i++)
		if (entries[i].kind == kind && entries[i].from - from < size)
			sum += entries[i].count;
	return sum;
}

// Groups that take turns, with sessions 3 and 4 of one event each; no other session is open.
static void samples_of_groups_are_those_of_their_events(void **state)
{
	static struct pmu_session turn[2];
	static struct session_group group[2] = {{{1}}, {{0}}};

	(void)state;
	begin(12);
	measured.part[0].count = 0;
	plan.groups = 2;
	measured.group = group;
	measured.thread[0].turn = turn;
	turn[0].number = 3;
	turn[1].number = 4;
	for (unsigned i = 0; i < 5; i++)
		take(3, 0, TEXT);
	take(4, 0, TEXT);
	take(7, 0, TEXT);		// of no group
	assert_int_equal(counted(SAMPLE_OF(1), TEXT, 1), 5);
	assert_int_equal(counted(SAMPLE_OF(0), TEXT, 1), 1);
	assert_int_equal(measured.thread[0].result[1].taken, 5);
	assert_int_equal(measured.thread[0].result[0].taken, 1);
}

static void samples_are_counted_by_event_and_address(void **state)
{
	(void)state;
	begin(12);
	for (unsigned i = 0; i < 300; i++)
		for (unsigned times = 0; times <= i % 7; times++) {
			take(7, 0, TEXT + 4 * i);
			take(7, 1, TEXT + 8 * i);
		}
	for (unsigned i = 0; i < 300; i++) {
		assert_int_equal(counted(SAMPLE_OF(1), TEXT + 4 * i, 1), i % 7 + 1);
		assert_int_equal(counted(SAMPLE_OF(0), TEXT + 8 * i, 1), i % 7 + 1);
	}
	assert_int_equal(measured.thread[0].result[0].taken, measured.thread[0].result[1].taken);
	assert_int_equal(measured.samples[0].lost, 0);
}

static void those_of_other_sessions_are_left_out(void **state)
{
	(void)state;
	begin(12);
	take(8, 0, TEXT);
	measured.part[0].count = 0;
	take(7, 0, TEXT);
	assert_int_equal(counted(SAMPLE_OF(1), 0, UINT64_MAX), 0);
	assert_int_equal(measured.thread[0].result[1].taken, 0);
}

// 5,120 addresses in functions, and as many outside, in a histogram of 128 entries.
static void with_little_memory_functions_are_still_right(void **state)
{
	(void)state;
	begin(7);
	for (uint64_t offset = 0; offset < 2 * FUNCTIONS * FUNCTION_BYTES; offset += 4)
		take(7, 0, TEXT + offset);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		assert_int_equal(counted(SAMPLE_OF(1), TEXT + FUNCTION_BYTES * i, FUNCTION_BYTES),
				 FUNCTION_BYTES / 4);
	assert_int_equal(counted(SAMPLE_OF(1), 0, UINT64_MAX), 2 * FUNCTIONS * FUNCTION_BYTES / 4);
	assert_int_equal(measured.samples[0].lost, 0);
}

// Too little memory even for functions: lost samples are counted.
static void what_has_no_room_is_counted_as_lost(void **state)
{
	uint64_t all;

	(void)state;
	begin(3);
	for (uint64_t offset = 0; offset < FUNCTIONS * FUNCTION_BYTES; offset += 4)
		take(7, 0, TEXT + offset);
	all = counted(SAMPLE_OF(1), 0, UINT64_MAX) + measured.samples[0].lost;
	assert_int_equal(all, FUNCTIONS * FUNCTION_BYTES / 4);
	assert_true(measured.samples[0].lost);
}

// Each sample has 16 branches; the payload's first word states that, followed by source and target
// of each.
static void branches_are_counted_by_source_and_target(void **state)
{
	uint64_t words[1 + 2 * 16] = {1ULL << 1 | 16ULL << 8};
	struct pmu_sample sample = {.ip = TEXT, .source = {.session = 7, .event = 0, .words = 33}};

	(void)state;
	begin(12);
	for (unsigned i = 0; i < 16; i++) {
		words[1 + 2 * i] = TEXT + 16 * (i % 4);
		words[2 + 2 * i] = TEXT + 0x1000;
	}
	for (unsigned i = 0; i < 100; i++)
		session_take(&sample, words);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(counted(BRANCH_OF(1), TEXT + 16 * i, 1), 400);
	assert_int_equal(counted(BRANCH_OF(1), 0, UINT64_MAX), 1600);
	assert_int_equal(counted(SAMPLE_OF(1), TEXT, 1), 100);
}

// Each sample is kept with its payload and the plan's event number, until there is no space; later
// ones are counted by address.
static void samples_are_kept_until_there_is_no_room(void **state)
{
	uint64_t words[3] = {0, 11, 12}, memory[3 * KEPT_WORDS + 3 + 1];
	struct pmu_sample sample = {.ip = TEXT, .clock = 5,
				    .source = {.session = 7, .event = 0, .level = 3}};
	const struct pmu_sample *kept = (const struct pmu_sample *)(const void *)memory;

	(void)state;
	begin(12);
	plan.output = true;
	take(7, 0, TEXT + 8);		// no memory at all
	assert_int_equal(counted(OTHER_OF(1), TEXT + 8, 1), 1);
	measured.samples[0].kept = (struct session_kept){.word = memory,
							 .most = sizeof memory / sizeof *memory};
	session_take(&sample, words);
	sample.source.words = 3;
	sample.count = 77;
	session_take(&sample, words);
	sample.source.words = 0;
	session_take(&sample, words);
	for (unsigned i = 0; i < 4; i++)
		take(7, 0, TEXT + i / 2);
	assert_int_equal(measured.samples[0].kept.used, 3 * KEPT_WORDS + 3);
	assert_int_equal(kept[0].ip, TEXT);
	assert_int_equal(kept[0].clock, 5);
	assert_int_equal(kept[0].source.event, 1);
	assert_int_equal(kept[0].source.level, 3);
	assert_int_equal(kept[1].count, 77);
	assert_memory_equal(kept + 2, words, sizeof words);
	assert_int_equal(counted(OTHER_OF(1), TEXT, 1), 2);
	assert_int_equal(counted(OTHER_OF(1), TEXT + 1, 1), 2);
	assert_int_equal(counted(SAMPLE_OF(1), 0, UINT64_MAX), 8);
}

// A record of a load as the processor writes it (the performance analysis guide, "Latency Event":
// data address at 98H, source at A0H, latency at A8H), after the payload's first word, which
// announces it.
#define RECORD_WORDS	22
#define AX		2	/* 10H */
#define ADDRESS		19
#define SOURCE		20
#define LATENCY		21

static struct session_data data[2];
static struct session_registers registers[REGISTERS_MOST];

static void begin_loads(void)
{
	const char *text = "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4:p";

	begin(12);
	memset(data, 0, sizeof data);
	memset(registers, 0, sizeof registers);
	measured.samples[0].data = data;
	assert_int_equal(event_parse(plan.unit[0]->events, &text, &plan.event[1].request),
			 EVENT_OK);
}

static void take_load(uint64_t address, uint64_t source, uint64_t latency)
{
	const struct pmu_sample sample = {.ip = TEXT,
					  .source = {.session = 7, .event = 0,
						     .words = 1 + RECORD_WORDS}};
	uint64_t words[1 + RECORD_WORDS] = {1, [1 + AX] = 5, [1 + ADDRESS] = address,
					    [1 + SOURCE] = source,
					    [1 + LATENCY] = latency};

	session_take(&sample, words);
}

static void loads_are_counted_by_region_latency_and_source(void **state)
{
	static const struct {
		uint64_t latency;
		unsigned class;
	} loads[] = {
		{0, 0}, {1, 1}, {2, 2}, {3, 2}, {4, 3}, {7, 3}, {8, 4}, {32767, 15}, {32768, 16},
		{1u << 20, 16},
	};
	const unsigned count = sizeof loads / sizeof *loads;
	uint64_t expected[LATENCY_CLASSES] = {0};

	(void)state;
	begin_loads();
	for (unsigned i = 0; i < count; i++) {
		take_load(i % 2 ? HEAP + 8 * i : 0x1000 - 8 * i, i % 4, loads[i].latency);
		expected[loads[i].class]++;
	}
	assert_int_equal(data[1].samples, count);
	assert_int_equal(data[0].samples, 0);
	assert_memory_equal(data[1].latency, expected, sizeof expected);
	assert_int_equal(data[1].range[MEMORY_HEAP].samples, count / 2);
	assert_int_equal(data[1].range[MEMORY_HEAP].least, HEAP + 8);
	assert_int_equal(data[1].range[MEMORY_HEAP].most, HEAP + 8 * 9);
	assert_int_equal(data[1].range[MEMORY_DATA].least, 0x1000 - 8 * 8);
	assert_int_equal(data[1].range[MEMORY_DATA].most, 0x1000);
	assert_int_equal(data[1].range[MEMORY_STACKS].samples, 0);
	assert_int_equal(data[1].source[0].samples, 3);
	assert_int_equal(data[1].source[1].samples, 3);
	assert_int_equal(data[1].source[2].samples, 2);
	assert_int_equal(data[1].source[3].samples, 2);
	// the guide, Table 5: 03
	assert_string_equal(data[1].source[3].name, "this core's second-level cache");
	assert_int_equal(registers[0].kind, 0);
}

static void registers_are_added_up_where_they_are_asked_for(void **state)
{
	(void)state;
	begin_loads();
	measured.samples[0].registers = registers;
	take_load(HEAP, 1, 9);
	take_load(HEAP, 1, 9);
	assert_int_equal(registers[0].kind, SAMPLE_OF(1));
	assert_string_equal(registers[0].name[0], "ax");
	assert_int_equal(registers[0].contents[0].sum, 10);
	assert_int_equal(data[1].samples, 2);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_are_counted_by_event_and_address),
		TEST(samples_of_groups_are_those_of_their_events),
		TEST(those_of_other_sessions_are_left_out),
		TEST(with_little_memory_functions_are_still_right),
		TEST(what_has_no_room_is_counted_as_lost),
		TEST(branches_are_counted_by_source_and_target),
		TEST(samples_are_kept_until_there_is_no_room),
		TEST(loads_are_counted_by_region_latency_and_source),
		TEST(registers_are_added_up_where_they_are_asked_for),
	};

	return cmocka_run_group_tests_name("session samples", tests, NULL, NULL);
}
