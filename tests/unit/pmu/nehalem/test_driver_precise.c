// SPDX-License-Identifier: BSD-2-Clause
// Precise events in the driver: the buffer, records that become samples, counts, refusals. The
// event signals raise one event in each cycle: the first record is written in the cycle after the
// period and the shadow, and each next one likewise.

#include "driver.h"

#define PERIOD		1000U
#define BETWEEN		(PERIOD + SHADOW + 1)	/* cycles from record to record */
#define IP		0x401234ULL

static const struct occurrence retired[] = {{.code = 0xC0, .sub = 1, .n = 1, .level = 3, .ip = IP}};

static void set_registers(void)
{
	uint64_t values[MODEL_REGISTERS];

	for (unsigned i = 0; i < MODEL_REGISTERS; i++)
		values[i] = 0x100 + i;
	values[IP_WORD] = IP;
	shim_registers(values);
}

static void open_instructions(struct pmu_session *session, struct event_request *r,
			      unsigned modifiers)
{
	*r = request(&instructions, 0, EVENT_PRECISE | modifiers, PERIOD);
	open_requests(session, r, 1);
	set_registers();
	assert_int_equal(pmu_start(session), PMU_OK);
}

// Seven records, three of them spare: the fourth one interrupts.
static void records_become_samples(void **state)
{
	static const char *const names[] = {"flags", "ip", "ax", "bx", "cx", "dx", "si", "di", "bp",
					    "sp", "r8", "r9",
					    "r10", "r11", "r12", "r13", "r14", "r15"};
	struct pmu_session session;
	struct event_request r;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];
	unsigned taken = 0;

	(void)state;
	give_buffer(7);
	open_instructions(&session, &r, 0);
	deliver(retired, 1, 9 * BETWEEN + 500);
	assert_int_equal(statistics().interrupts, 2);
	assert_int_equal(statistics().spurious, 0);
	assert_int_equal(count_of(&session, 0), 9 * PERIOD + 500);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), 9 * PERIOD + 500);
	for (; pmu_take_sample_with_payload(&s, words); taken++) {
		assert_int_equal(s.ip, IP);
		assert_int_equal(s.count, (taken + 1) * PERIOD);
		assert_int_equal(s.source.words, 1 + RECORD_WORDS);
		assert_memory_equal(&words[1 + STATUS_WORD], (uint64_t[]){1}, 8);
		for (unsigned i = 0; i < 18; i++)
			assert_int_equal(part(&r, words, s.source.words, names[i], 0),
					 i == IP_WORD ? IP : i ? 0x100 + i : 0x102);
	}
	assert_int_equal(taken, 9);
	assert_int_equal(session.counter[0].samples, 9);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(value_of(PEBS_ENABLE), 0);
	assert_int_equal(value_of(GLOBAL_STATUS), 0);
}

// Between overflow and record the count stays constant. A stop in between gives up the record; the
// sample then comes two events late.
static void a_counter_that_waits_for_its_record_has_a_count(void **state)
{
	struct pmu_session session;
	struct event_request r;
	struct pmu_sample s;

	(void)state;
	give_buffer(7);
	open_instructions(&session, &r, 0);
	deliver(retired, 1, PERIOD - 1);
	assert_int_equal(count_of(&session, 0), PERIOD - 1);
	deliver(retired, 1, 4);
	assert_int_equal(count_of(&session, 0), PERIOD);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), PERIOD);
	assert_false(pmu_take_sample(&s));
	assert_int_equal(session.counter[0].slipped, 2);
	assert_int_equal(pmu_start(&session), PMU_OK);
	deliver(retired, 1, 2 + SHADOW);
	assert_int_equal(count_of(&session, 0), PERIOD + 2);
	assert_false(pmu_take_sample(&s));
	deliver(retired, 1, 1);
	assert_int_equal(count_of(&session, 0), PERIOD + 2);
	assert_true(pmu_take_sample(&s));
	assert_int_equal(s.count, PERIOD + 2);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// With an ordinary counter that interrupts in the shadow: its interrupt does not change the precise
// counter's status.
static void other_interrupts_leave_a_waiting_record_alone(void **state)
{
	const struct event_request requests[] = {
		request(&instructions, 0, EVENT_PRECISE, PERIOD),
		request(&instructions, 1, 0, PERIOD + 4),
	};
	struct pmu_session session;

	(void)state;
	give_buffer(4);
	open_requests(&session, requests, 2);
	assert_int_equal(pmu_start(&session), PMU_OK);
	deliver(retired, 1, PERIOD + 4);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(session.counter[1].samples, 1);
	assert_int_equal(value_of(GLOBAL_STATUS), 1);
	deliver(retired, 1, SHADOW - 4 + 1);
	assert_int_equal(statistics().interrupts, 2);
	assert_int_equal(session.counter[0].samples, 1);
	assert_int_equal(count_of(&session, 0), PERIOD);
	assert_int_equal(count_of(&session, 1), BETWEEN);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// Both counters overflow together: one record names both. SDM 3B: both are reloaded.
static void records_of_several_counters_are_dropped_and_counted(void **state)
{
	const struct event_request requests[] = {
		request(&instructions, 0, EVENT_PRECISE, PERIOD),
		request(&instructions, 1, EVENT_PRECISE, PERIOD),
	};
	struct pmu_session session;
	struct pmu_sample s;

	(void)state;
	give_buffer(4);
	open_requests(&session, requests, 2);
	assert_int_equal(pmu_start(&session), PMU_OK);
	deliver(retired, 1, 2 * BETWEEN + 7);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().ambiguous, 2);
	assert_false(pmu_take_sample(&s));
	assert_int_equal(count_of(&session, 0), 2 * PERIOD + 7);
	assert_int_equal(count_of(&session, 1), 2 * PERIOD + 7);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// Records written by hand: of no counter, of a counter that is not precise, of counter 0.
static void records_of_nobody_are_dropped_and_counted(void **state)
{
	static const uint64_t status[] = {0, 1ULL << 32 | 2, 1};
	uint64_t *record = memory + AREAS_BYTES / 8;
	struct pmu_session session;
	struct event_request r;
	struct pmu_sample s;

	(void)state;
	give_buffer(8);
	open_instructions(&session, &r, 0);
	for (unsigned i = 0; i < 3; i++) {
		record[i * RECORD_WORDS + STATUS_WORD] = status[i];
		record[i * RECORD_WORDS + IP_WORD] = 0x5000 + i;
	}
	memory[AREA_INDEX] += 3 * RECORD_BYTES;
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().ambiguous, 2);
	assert_true(pmu_take_sample(&s));
	assert_int_equal(s.ip, 0x5002);
	assert_false(pmu_take_sample(&s));
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static void an_index_beyond_the_buffer_is_not_followed(void **state)
{
	struct pmu_session session;
	struct event_request r;

	(void)state;
	give_buffer(4);
	open_instructions(&session, &r, 0);
	memory[AREA_INDEX] = UINT64_MAX;
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().ambiguous, 4);	// the buffer's four, all 0
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// A storm: after the third interrupt the counter only counts, exactly.
static void a_storm_of_records_is_throttled(void **state)
{
	struct pmu_session session;
	struct event_request r;
	uint64_t before;

	(void)state;
	give_buffer(4);
	open_instructions(&session, &r, 0);
	pmu_limit_interrupts(2, 1ULL << 40);
	deliver(retired, 1, 20 * BETWEEN);
	assert_true(session.counter[0].throttled);
	assert_int_equal(statistics().throttles, 1);
	assert_int_equal(statistics().interrupts, 3);
	assert_int_equal(session.counter[0].samples, 3);
	before = count_of(&session, 0);
	assert_int_equal(before, 3 * PERIOD + 17 * BETWEEN);
	deliver(retired, 1, 12345);
	assert_int_equal(count_of(&session, 0), before + 12345);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), before + 12345);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(value_of(PEBS_ENABLE), 0);
}

// Throttling clears both enable bits of load latency, so it no longer counts (SDM volume 3B).
// Restoring a context does not set them again.
static void what_is_throttled_stays_disabled(void **state)
{
	static const struct occurrence load = {.code = 0x0B, .sub = 0x10, .n = 1, .latency = 99};
	const struct event_request r = request(&slow_loads, 2, EVENT_PRECISE, PERIOD);
	struct pmu_context context;
	struct pmu_session session;
	uint64_t before;

	(void)state;
	give_buffer(4);
	open_requests(&session, &r, 1);
	assert_int_equal(pmu_start(&session), PMU_OK);
	pmu_limit_interrupts(2, 1ULL << 40);
	deliver(&load, 1, 4 * BETWEEN);
	assert_true(session.counter[0].throttled);
	assert_int_equal(value_of(PEBS_ENABLE), 0);
	before = count_of(&session, 0);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(value_of(PEBS_ENABLE), 0);
	deliver(&load, 1, 100);
	assert_int_equal(count_of(&session, 0), before);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static void a_context_keeps_records_and_counts(void **state)
{
	struct pmu_context context;
	struct pmu_session session, other;
	struct event_request r;
	struct pmu_sample s;

	(void)state;
	give_buffer(16);
	open_instructions(&session, &r, 0);
	deliver(retired, 1, BETWEEN + PERIOD + 3);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_int_equal(value_of(PEBS_ENABLE), 0);
	assert_int_equal(value_of(GLOBAL_STATUS), 0);
	assert_true(pmu_take_sample(&s));
	assert_false(pmu_take_sample(&s));
	open_requests(&other, (struct event_request[]){request(&instructions, 0, 0, 0)}, 1);
	assert_int_equal(pmu_start(&other), PMU_OK);
	deliver(retired, 1, 5000);
	assert_int_equal(count_of(&other, 0), 5000);
	assert_int_equal(pmu_close(&other), PMU_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(count_of(&session, 0), 2 * PERIOD);
	deliver(retired, 1, 2 + SHADOW + 1);
	assert_int_equal(count_of(&session, 0), 2 * PERIOD + 2);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_true(pmu_take_sample(&s));
	assert_int_equal(s.count, 2 * PERIOD + 2);
}

static void a_context_with_records_needs_a_buffer(void **state)
{
	struct pmu_context context;
	struct pmu_session session;
	struct event_request r;

	(void)state;
	give_buffer(4);
	open_instructions(&session, &r, 0);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_int_equal(pmu_begin(driver(), false), PMU_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_NO_BUFFER);
	give_buffer(4);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static void the_level_is_the_requests_where_it_has_one(void **state)
{
	struct event_request r = request(&instructions, 0, EVENT_PRECISE, PERIOD);
	struct pmu_session session;
	struct pmu_sample s;

	(void)state;
	give_buffer(16);
	r.modifiers &= ~EVENT_OS;
	r.levels = 0x8;
	open_requests(&session, &r, 1);
	assert_int_equal(pmu_start(&session), PMU_OK);
	deliver(retired, 1, BETWEEN);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_true(pmu_take_sample(&s));
	assert_int_equal(s.source.level, 3);
}

//
// Refusals
//

static void precise_requests_that_cannot_be_met_are_refused(void **state)
{
	struct event_request r;

	(void)state;
	give_buffer(4);
	r = request(&plain, EVENT_ANY_COUNTER, EVENT_PRECISE, PERIOD);
	assert_refused(&r, "the processor writes no records of this event");
	r = request(&instructions, EVENT_ANY_COUNTER, EVENT_PRECISE, 0);
	assert_refused(&r, "a precise event is sampled: it needs a period");
	r = request(&instructions, EVENT_ANY_COUNTER, EVENT_PRECISE, 1ULL << 31);
	assert_refused(&r, "the period of a precise event is at most 2147483647");
	r = request(&instructions, EVENT_ANY_COUNTER, EVENT_PRECISE | EVENT_ANY, PERIOD);
	assert_refused(&r,
		       "a record is of its own thread: a precise event cannot count all threads");
	r = request(&instructions, 32, EVENT_PRECISE, PERIOD);
	assert_refused(&r, "only counters 0, 1, 2 and 3 have records");
}

static void precise_events_need_a_buffer(void **state)
{
	const struct event_request r = request(&instructions, 0, EVENT_PRECISE, PERIOD);
	struct pmu_session session;
	struct pmu_refusal refusal;
	char text[200];

	(void)state;
	writes = 0;
	shim_watch_writes(count_write);
	assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_NO_BUFFER);
	assert_int_equal(refusal.events, 1);
	assert_int_equal(writes, 0);
	pmu_explain(driver(), PMU_NO_BUFFER, &refusal, &r, text, sizeof text);
	assert_string_equal(text, "this CPU has no buffer for the records of precise events");
}

static void buffers_that_cannot_be_used_are_refused(void **state)
{
	const uint64_t address = (uintptr_t)memory;
	static const uint64_t least = AREAS_BYTES + 4 * RECORD_BYTES;
	const struct {
		uint64_t address, size;
		const char *why;
	} cases[] = {
		{address + 64, least, "not aligned to 256 bytes"},
		{address, least - 1,
		 "too small: 256 bytes and 4 records of 176 bytes are the least"},
		{address, 0, "too small: 256 bytes and 4 records of 176 bytes are the least"},
		{1ULL << 47, least, "not a canonical address"},
		{-4096ULL, 8192, "longer than there are addresses"},
		{(1ULL << 47) - 4096, 8192, "not canonical at its end"},
		{address + sizeof memory, least, "not memory that may be written"},
		{address, sizeof memory + 1, "not memory that may be written"},
	};

	(void)state;
	writes = 0;
	shim_watch_writes(count_write);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(pmu_give_buffer(cases[i].address, cases[i].size), cases[i].why);
	assert_int_equal(writes, 0);
	assert_int_equal(value_of(DS_AREA), 0);
	assert_null(pmu_give_buffer(address, least));
	assert_int_equal(value_of(DS_AREA), address);
}

// IA32_PERF_CAPABILITIES 11:8 is the format of records: 1 is the guide's, with latency and source;
// 0 has neither.
static void records_of_another_format_are_refused(void **state)
{
	(void)state;
	shim_end();
	assert_true(shim_start("nehalem", "stuck:0x345:8:0"));
	assert_int_equal(pmu_begin(driver(), false), PMU_OK);
	shim_allow_memory(memory, sizeof memory);
	assert_string_equal(pmu_give_buffer((uintptr_t)memory, sizeof memory),
			    "this processor's records have another format");
	assert_int_equal(value_of(DS_AREA), 0);
}

static void a_buffer_in_use_stays(void **state)
{
	struct pmu_session session;
	struct event_request r;

	(void)state;
	give_buffer(4);
	open_instructions(&session, &r, 0);
	assert_string_equal(pmu_give_buffer((uintptr_t)memory, sizeof memory),
			    "precise events are open");
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_null(pmu_give_buffer((uintptr_t)memory, sizeof memory));
}

// A buffer interrupts when it is nearly full, or with each record, not both.
static void records_with_and_without_branches_exclude_each_other(void **state)
{
	const struct event_request requests[] = {
		request(&instructions, 0, EVENT_PRECISE, PERIOD),
		request(&all_branches, 1, EVENT_PRECISE | EVENT_BRANCHES, PERIOD),
	};
	struct pmu_session session;
	struct pmu_refusal refusal;
	char text[200];

	(void)state;
	give_buffer(4);
	writes = 0;
	shim_watch_writes(count_write);
	assert_int_equal(pmu_open(&session, requests, 2, &refusal), PMU_SETTINGS);
	assert_int_equal(refusal.address, DS_AREA);
	assert_int_equal(writes, 0);
	pmu_explain(driver(), PMU_SETTINGS, &refusal, requests, text, sizeof text);
	assert_string_equal(text,
			    "ALL_BRANCHES needs register 0x600 set otherwise than INSTRUCTIONS");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_become_samples),
		TEST(a_counter_that_waits_for_its_record_has_a_count),
		TEST(other_interrupts_leave_a_waiting_record_alone),
		TEST(records_of_several_counters_are_dropped_and_counted),
		TEST(records_of_nobody_are_dropped_and_counted),
		TEST(an_index_beyond_the_buffer_is_not_followed),
		TEST(a_storm_of_records_is_throttled),
		TEST(what_is_throttled_stays_disabled),
		TEST(a_context_keeps_records_and_counts),
		TEST(a_context_with_records_needs_a_buffer),
		TEST(the_level_is_the_requests_where_it_has_one),
		TEST(precise_requests_that_cannot_be_met_are_refused),
		TEST(precise_events_need_a_buffer),
		TEST(buffers_that_cannot_be_used_are_refused),
		TEST(records_of_another_format_are_refused),
		TEST(a_buffer_in_use_stays),
		TEST(records_with_and_without_branches_exclude_each_other),
	};

	return cmocka_run_group_tests_name("nehalem driver, precise events", tests, NULL, NULL);
}
