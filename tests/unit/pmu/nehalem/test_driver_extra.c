// SPDX-License-Identifier: BSD-2-Clause
// Events that need a value in another register: load latency and offcore response.

#include "driver.h"

#define PERIOD	10U

// Loads of 33 cycles and more are above the threshold of 32: the guide, "Latency Event".
static void slow_loads_have_address_source_and_latency(void **state)
{
	static const struct occurrence loads[] = {
		{.code = 0x0B, .sub = 0x11, .n = 1, .data = 1, .address = 0x7000, .latency = 33,
		 .served = 0x3},
		{.code = 0x0B, .sub = 0x11, .n = 1, .data = 1, .address = 0x8000, .latency = 32,
		 .served = 0xC},
	};
	const struct event_request r = request(&slow_loads, 2, EVENT_PRECISE, PERIOD);
	struct payload_part parts[PAYLOAD_PARTS];
	struct pmu_session session;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];
	unsigned count;

	(void)state;
	give_buffer(8);
	open_requests(&session, &r, 1);
	assert_int_equal(value_of(LD_LAT), 32);
	assert_int_equal(value_of(PEBS_ENABLE), 1ULL << 34 | 1 << 2);	// SDM 3B: both bits
	assert_int_equal(pmu_start(&session), PMU_OK);
	deliver(loads, 2, PERIOD + SHADOW + 1);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(value_of(LD_LAT), 0);
	assert_true(pmu_take_sample_with_payload(&s, words));
	assert_int_equal(s.count, PERIOD);
	assert_int_equal(part(&r, words, s.source.words, "address", 0), 0x7000);
	assert_int_equal(part(&r, words, s.source.words, "source", 0), 3);
	assert_int_equal(part(&r, words, s.source.words, "latency", 0), 33);
	assert_false(pmu_take_sample(&s));
	count = driver()->records->explain(&r, words, 1 + RECORD_WORDS, parts);
	assert_int_equal(count, 18 + 5);
	assert_string_equal(parts[19].text, "this core's second-level cache");	// Table 5: 3
	assert_int_equal(parts[19].kind, PAYLOAD_CODE);
}

// The guide's Table 5, in our words. 7 and 9 are not supported; the memory of 8 is local.
static void sources_are_those_of_table_5(void **state)
{
	static const char *const sources[] = {
		"a miss, of an unknown kind", "this core's first-level cache",
		"a fill buffer: the line was on its way", "this core's second-level cache",
		"the last-level cache, no other core asked",
		"the last-level cache, another core's clean copy",
		"the last-level cache, another core's modified copy",
		"the last-level cache, no details (not supported)",
		"another package's cache, a clean copy of local memory",
		"another package's cache, a modified copy (not supported)",
		"local memory, the line is shared now",
		"remote memory, the line is shared now", "local memory, the line is exclusive now",
		"remote memory, the line is exclusive now", "input or output", "uncacheable memory",
	};
	static const enum payload_served served[] = {
		SERVED_UNKNOWN, SERVED_L1, SERVED_FILL_BUFFER, SERVED_L2, SERVED_L3,
		SERVED_L3_CLEAN, SERVED_L3_MODIFIED, SERVED_L3, SERVED_REMOTE_CLEAN,
		SERVED_REMOTE_MODIFIED, SERVED_MEMORY_SHARED, SERVED_REMOTE_MEMORY_SHARED,
		SERVED_MEMORY, SERVED_REMOTE_MEMORY, SERVED_IO, SERVED_UNCACHEABLE,
	};
	const struct event_request r = request(&slow_loads, 0, EVENT_PRECISE, PERIOD);
	uint64_t words[1 + RECORD_WORDS] = {1};		// has a record: pmu/nehalem/README.md

	(void)state;
	for (uint64_t code = 0; code < 16; code++) {
		struct payload_part parts[PAYLOAD_PARTS];

		words[1 + 20] = 0x30 | code;		// the low order 4 bits are the source
		assert_int_equal(driver()->records->explain(&r, words, 1 + RECORD_WORDS, parts),
				 18 + 5);
		assert_string_equal(parts[19].name, "source");
		assert_int_equal(parts[19].value, code);
		assert_string_equal(parts[19].text, sources[code]);
		assert_string_equal(parts[20].name, "served");
		assert_int_equal(parts[20].value, served[code]);
	}
}

// The guide, Table 3: the access, and the part of the memory system that the event's name implies.
// A record of an event with a threshold belongs to a cycle.
static void events_of_loads_and_stores_name_their_access(void **state)
{
	static const struct {
		uint16_t code;
		uint8_t umask, cmask;
		enum payload_access access;
		enum payload_served served;
	} expected[] = {
		{0x0B, 0x01, 0, PAYLOAD_LOAD, SERVED_UNKNOWN},
		{0x0B, 0x02, 0, PAYLOAD_STORE, SERVED_UNKNOWN},
		{0x0B, 0x03, 0, PAYLOAD_NO_ACCESS, SERVED_UNKNOWN},
		{0x0B, 0x02, 1, PAYLOAD_NO_ACCESS, SERVED_UNKNOWN},
		{0xCB, 0x01, 0, PAYLOAD_LOAD, SERVED_L1},
		{0xCB, 0x02, 0, PAYLOAD_LOAD, SERVED_L2},
		{0xCB, 0x04, 0, PAYLOAD_LOAD, SERVED_L3},
		{0xCB, 0x08, 0, PAYLOAD_LOAD, SERVED_UNKNOWN},	// clean or modified
		{0xCB, 0x10, 0, PAYLOAD_LOAD, SERVED_UNKNOWN},
		{0xCB, 0x40, 0, PAYLOAD_LOAD, SERVED_FILL_BUFFER},
		{0xCB, 0x03, 0, PAYLOAD_LOAD, SERVED_UNKNOWN},
		{0x0F, 0x02, 0, PAYLOAD_LOAD, SERVED_L3_MODIFIED},
		{0x0F, 0x08, 0, PAYLOAD_LOAD, SERVED_REMOTE_CLEAN},
		{0x0F, 0x10, 0, PAYLOAD_LOAD, SERVED_REMOTE_MEMORY},
		{0x0F, 0x20, 0, PAYLOAD_LOAD, SERVED_MEMORY},
		{0x0F, 0x80, 0, PAYLOAD_LOAD, SERVED_UNCACHEABLE},
		{0x0C, 0x01, 0, PAYLOAD_STORE, SERVED_UNKNOWN},
		{0xC8, 0x20, 0, PAYLOAD_NO_ACCESS, SERVED_UNKNOWN},	// ITLB_MISS_RETIRED
	};
	const uint64_t words[1 + RECORD_WORDS] = {1};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const struct pmu_event event = {.code = expected[i].code,
						.umask = expected[i].umask};
		struct event_request r = request(&event, 0, EVENT_PRECISE, PERIOD);
		struct payload_part parts[PAYLOAD_PARTS];
		unsigned access = PAYLOAD_NO_ACCESS, served = SERVED_UNKNOWN, count;

		r.cmask = expected[i].cmask;
		count = driver()->records->explain(&r, words, 1 + RECORD_WORDS, parts);
		for (unsigned n = 0; n < count; n++) {
			access = strcmp(parts[n].name, "access") ? access :
				(unsigned)parts[n].value;
			served = strcmp(parts[n].name, "served") ? served :
				(unsigned)parts[n].value;
		}
		assert_int_equal(access, expected[i].access);
		assert_int_equal(served, expected[i].served);
	}
}

static void a_latency_replaces_the_events_own(void **state)
{
	struct event_request requests[] = {
		request(&slow_loads, 0, EVENT_PRECISE, PERIOD),
		request(&all_loads, 1, EVENT_PRECISE, PERIOD),
	};
	struct pmu_session session;
	struct pmu_refusal refusal;
	char text[200];

	(void)state;
	give_buffer(8);
	requests[0].latency = 3;
	open_requests(&session, requests, 1);
	assert_int_equal(value_of(LD_LAT), 3);
	assert_int_equal(pmu_close(&session), PMU_OK);
	requests[1].latency = 65535;
	assert_int_equal(pmu_open(&session, requests, 2, &refusal), PMU_SETTINGS);
	pmu_explain(driver(), PMU_SETTINGS, &refusal, requests, text, sizeof text);
	assert_string_equal(text, "ALL_LOADS needs register 0x3f6 set otherwise than SLOW_LOADS");
}

static void load_latency_that_cannot_be_met_is_refused(void **state)
{
	struct event_request r = request(&slow_loads, EVENT_ANY_COUNTER, 0, PERIOD);

	(void)state;
	give_buffer(8);
	assert_refused(&r,
		       "load latency is counted only where records of it are written: it needs p "
		       "and a period");
	r = request(&all_loads, EVENT_ANY_COUNTER, EVENT_PRECISE, PERIOD);
	assert_refused(&r,
		       "a latency threshold is at least 3; MEM_INST_RETIRED.LOADS has all loads");
	r.latency = 2;
	assert_refused(&r,
		       "a latency threshold is at least 3; MEM_INST_RETIRED.LOADS has all loads");
	r = request(&slow_loads, EVENT_ANY_COUNTER, EVENT_PRECISE, PERIOD);
	r.extra = 0x10000;
	assert_refused(&r, "a latency threshold is at most 65535");
	r = request(&slow_loads, EVENT_ANY_COUNTER, EVENT_PRECISE, PERIOD);
	r.cmask = 1;
	assert_refused(&r, "load latency has no threshold of events, inversion or edge detection");
	r = request(&plain, EVENT_ANY_COUNTER, 0, 0);
	r.latency = 10;
	assert_refused(&r, "only load latency events have a latency");
}

static void an_offcore_response_is_the_registers(void **state)
{
	struct event_request requests[] = {request(&offcore, 0, 0, 0), request(&offcore, 1, 0, 0)};
	struct pmu_session session;
	struct pmu_refusal refusal;
	char text[200];

	(void)state;
	open_requests(&session, requests, 2);
	assert_int_equal(value_of(OFFCORE_RSP_0), 0x4011);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(value_of(OFFCORE_RSP_0), 0);
	requests[1].extra = 0x0102;
	assert_int_equal(pmu_open(&session, requests, 2, &refusal), PMU_SETTINGS);
	pmu_explain(driver(), PMU_SETTINGS, &refusal, requests, text, sizeof text);
	assert_string_equal(text, "OFFCORE needs register 0x1a6 set otherwise than OFFCORE");
}

static void offcore_responses_that_cannot_be_met_are_refused(void **state)
{
	static const char nothing[] =
		"an offcore response needs a request type (bits 7 to 0) and a response type (bits "
		"15 to 8)";
	static const char more[] =
		"an offcore response has request types in bits 7 to 0, response types in bits 15 "
		"to 8, and no others";
	const struct {
		uint64_t value;
		const char *why;
	} cases[] = {{0, nothing}, {0x00FF, nothing}, {0xFF00, nothing}, {0x10101, more},
		     {1ULL << 63 | 0x101, more}};
	struct event_request r = request(&offcore, EVENT_ANY_COUNTER, 0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		r.extra = cases[i].value;
		assert_refused(&r, cases[i].why);
	}
	r = request(&plain, EVENT_ANY_COUNTER, 0, 0);
	r.extra = 1;
	assert_refused(&r, "no register goes with this event: it has no msr");
}

// The guide, errata below Table 9: 4080 does not count its own responses; 280 counts them.
// Encodings with LLC_OTHER_CORE_HIT avoid the erratum, which does not affect other requests.
static void the_erratum_of_non_temporal_stores_is_refused_by_name(void **state)
{
	static const char why[] =
		"an erratum counts non-temporal stores to local memory as LLC_OTHER_CORE_HIT: "
		"include that response, "
		"as OTHER.LOCAL_CACHE_DRAM (msr=0x4780) and OTHER.ANY_CACHE_DRAM (msr=0x7f80) do";
	static const uint64_t wrong[] = {0x4080, 0x6080, 0xF880},
		right[] = {0x4780, 0x7F80, 0xFF80, 0x2080, 0x40FF};
	struct event_request r = request(&offcore, EVENT_ANY_COUNTER, 0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		r.extra = wrong[i];
		assert_refused(&r, why);
	}
	for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
		r.extra = right[i];
		assert_null(driver()->objection(&r));
		assert_int_equal(driver()->choices(&r), 0xF);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(slow_loads_have_address_source_and_latency),
		TEST(sources_are_those_of_table_5),
		TEST(events_of_loads_and_stores_name_their_access),
		TEST(a_latency_replaces_the_events_own),
		TEST(load_latency_that_cannot_be_met_is_refused),
		TEST(an_offcore_response_is_the_registers),
		TEST(offcore_responses_that_cannot_be_met_are_refused),
		TEST(the_erratum_of_non_temporal_stores_is_refused_by_name),
	};

	return cmocka_run_group_tests_name("nehalem driver, load latency and offcore response",
					   tests, NULL, NULL);
}
