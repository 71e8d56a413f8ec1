// SPDX-License-Identifier: BSD-2-Clause
// The uncore driver: encoding of requests, refusals, bus locks. Register bits: Intel 64 and IA-32
// Architectures Software Developer's Manual volume 3B, "Performance Monitoring Facility in the
// Uncore"; events and values: the performance analysis guide's Tables 22 to 38.

#include "unit.h"

#include <string.h>

#include "package.h"
#include "hal.h"
#include "pmu.h"
#include "shim.h"
#include "stimulus.h"

enum { GLOBAL_CTRL = 0x391, MATCH = 0x396, SNOOP = 0x301, DEBUGCTL = 0x1D9 };

#define PMI	(1u << 20)
#define EN	(1u << 22)

static const struct pmu_driver *uncore;

static int start(void **state)
{
	(void)state;
	uncore = pmu_driver_find("nehalem-uncore");
	return shim_start("nehalem-uncore", "") && pmu_begin(uncore, false) == PMU_OK ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

static unsigned read_requests(const char *text, struct event_request *requests)
{
	unsigned count = 0;

	while (*text)
		assert_int_equal(event_parse(uncore->events, &text, &requests[count++]), EVENT_OK);
	return count;
}

static enum pmu_error open_text(struct pmu_session *session, const char *text,
				struct pmu_refusal *refusal)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	unsigned count = read_requests(text, requests);

	return pmu_open(session, requests, count, refusal);
}

static void start_text(struct pmu_session *session, const char *text)
{
	struct pmu_refusal refusal;

	assert_int_equal(open_text(session, text, &refusal), PMU_OK);
	assert_int_equal(pmu_start(session), PMU_OK);
}

static uint64_t value_of(uint32_t address)
{
	uint64_t value = 0;

	assert_true(reg_read(address, &value));
	return value;
}

static void requests_are_encoded_in_the_select(void **state)
{
	static const struct {
		const char *text;
		uint64_t select;
	} cases[] = {
		{"UNC_GQ_ALLOC.RT", 0x0103}, {"UNC_GQ_CYCLES_FULL.READ_TRACKER", 0x0100},
		{"UNC_QHL_REQUESTS.REMOTE_WRITES", 0x0820}, {"UNC_IMC_WRITES.PARTIAL.ANY", 0x382F},
		{"UNC_GQ_TRACKER_OCCUP.RT_LLC_MISS_FULL", 0x20000202},		// CMASK 32
		{"UNC_GQ_ALLOC.RT:c=3:i", 0x03800103}, {"UNC_GQ_ALLOC.RT:c=3:e", 0x03040103},
		{"UNC_DRAM_PRE_ALL.CH2", 0x0466},
	};
	struct event_request request;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(read_requests(cases[i].text, &request), 1);
		assert_int_equal(uncore->choices(&request), 0xFF);
		for (unsigned counter = 0; counter < 8; counter++)
			assert_int_equal(uncore->encode(&request, counter),
					 cases[i].select | PMI | EN);
	}
	assert_int_equal(read_requests("UNC_CLK_UNHALTED", &request), 1);
	assert_int_equal(uncore->choices(&request), 1ULL << 32);
	assert_int_equal(uncore->encode(&request, 32), 5);
}

// event_parse refuses this itself; a request can also be made without it.
static void a_register_that_an_event_does_not_need_is_refused(void **state)
{
	struct event_request request;

	(void)state;
	assert_int_equal(read_requests("UNC_GQ_ALLOC.RT", &request), 1);
	request.extra = 1;
	assert_int_equal(uncore->choices(&request), 0);
}

static unsigned writes;

static void count_write(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	writes++;
}

static void what_the_uncore_cannot_do_is_refused_with_a_reason(void **state)
{
	static const char *const cases[][2] = {
		{"UNC_GQ_ALLOC.RT:u", "privilege levels"},
		{"UNC_GQ_ALLOC.RT:k", "privilege levels"},
		{"UNC_GQ_ALLOC.RT:plm=3", "privilege levels"},
		{"UNC_CLK_UNHALTED:u", "privilege levels"},
		{"UNC_GQ_ALLOC.RT:t", "all threads"}, {"UNC_GQ_ALLOC.RT:p", "not precise"},
		{"UNC_GQ_ALLOC.RT:lbr", "branches"}, {"UNC_GQ_ALLOC.RT:ldlat=30", "latency"},
		{"UNC_GQ_ALLOC.RT:iar=0-0xFF", "addresses"},
		{"UNC_GQ_ALLOC.RT:ism=1", "instruction sets"},
		{"UNC_GQ_ALLOC.RT:i", "threshold"}, {"UNC_GQ_ALLOC.RT:e", "threshold"},
		{"UNC_CLK_UNHALTED:c=1", "no threshold"},
		{"UNC_GQ_SNOOP.GOTO_S_HIT_M:msr=0x100", "reserves"},
		{"UNC_ADDR_OPCODE_MATCH.LOCAL.NONE:msr=4", "reserves"},
		{"UNC_ADDR_OPCODE_MATCH.LOCAL.NONE:msr=0x1000000000000", "reserves"},
	};

	(void)state;
	shim_watch_writes(count_write);
	writes = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct event_request request;
		struct pmu_session session;
		struct pmu_refusal refusal;
		const char *objection;

		assert_int_equal(read_requests(cases[i][0], &request), 1);
		objection = uncore->objection(&request);
		if (!objection || !strstr(objection, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], objection ? objection : "no objection");
		assert_int_equal(pmu_open(&session, &request, 1, &refusal), PMU_UNFIT);
	}
	assert_int_equal(writes, 0);
}

// The same code means another event on the other PMU.
static void an_event_is_counted_by_its_own_pmu_only(void **state)
{
	const struct pmu_driver *cores = pmu_driver_find("nehalem");
	struct event_request request;
	struct pmu_session session;
	struct pmu_refusal refusal;
	char text[200];

	(void)state;
	assert_int_equal(read_requests("UNC_GQ_ALLOC.RT", &request), 1);
	assert_int_equal(pmu_begin(cores, false), PMU_OK);
	shim_watch_writes(count_write);
	writes = 0;
	assert_int_equal(pmu_open(&session, &request, 1, &refusal), PMU_UNFIT);
	assert_int_equal(writes, 0);
	pmu_explain(cores, PMU_UNFIT, &refusal, &request, text, sizeof text);
	assert_string_equal(text, "UNC_GQ_ALLOC.RT: only the counters of nehalem-uncore count it");
}

// All counters share one register: the guide, above Table 28.
static void events_that_need_a_register_in_two_ways_are_refused_together(void **state)
{
	struct pmu_session session, other;
	struct pmu_refusal refusal;

	(void)state;
	assert_int_equal(open_text(&session, "UNC_GQ_SNOOP.GOTO_S_HIT_M,UNC_GQ_SNOOP.GOTO_I_HIT_M",
				   &refusal),
			 PMU_SETTINGS);
	assert_int_equal(refusal.address, SNOOP);
	assert_int_equal(value_of(SNOOP), 0);
	start_text(&session,
		   "UNC_GQ_SNOOP.GOTO_S_HIT_M,UNC_ADDR_OPCODE_MATCH.LOCAL.RSPIWB,"
		   "UNC_GQ_SNOOP.GOTO_I");
	assert_int_equal(value_of(SNOOP), 1);
	assert_int_equal(value_of(MATCH), 0x40001D0000000000);
	assert_int_equal(open_text(&other, "UNC_ADDR_OPCODE_MATCH.REMOTE.RSPFWDI", &refusal),
			 PMU_SETTINGS);
	assert_int_equal(open_text(&other, "UNC_ADDR_OPCODE_MATCH.REMOTE.RSPIWB", &refusal),
			 PMU_OK);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(value_of(SNOOP), 0);
	assert_int_equal(value_of(MATCH), 0x40001D0000000000);
	assert_int_equal(pmu_close(&other), PMU_OK);
	assert_int_equal(value_of(MATCH), 0);
}

//
// Bus locks: the guide, "The Global Queue"
//

static uint64_t bus_locks(void)
{
	struct pmu_statistics statistics;

	pmu_statistics(&statistics);
	assert_int_equal(statistics.bus_locks, shim_bus_locks());
	return statistics.bus_locks;
}

static void only_the_first_programming_of_an_occupancy_locks_the_bus(void **state)
{
	static const char *const occupancies[] = {
		"UNC_GQ_TRACKER_OCCUP.RT", "UNC_GQ_TRACKER_OCCUP.PPT", "UNC_QHL_OCCUPANCY.LOCAL",
		"UNC_IMC_NORMAL_OCCUPANCY.CH1", "UNC_IMC_ISOC_OCCUPANCY.ANY",
	};

	(void)state;
	for (size_t i = 0; i < sizeof occupancies / sizeof *occupancies; i++) {
		struct pmu_session session;
		uint64_t count;

		start_text(&session, occupancies[i]);
		assert_int_equal(bus_locks(), i + 1);
		for (unsigned again = 0; again < 5; again++) {
			hal_execute(100);
			assert_int_equal(pmu_read(&session, 0, &count), PMU_OK);
			assert_int_equal(pmu_stop(&session), PMU_OK);
			assert_int_equal(pmu_start(&session), PMU_OK);
		}
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_int_equal(bus_locks(), i + 1);
	}
}

// Two locks for two queues. A counter that has counted another event, or was released, starts over.
static void each_counter_is_initialized_for_itself(void **state)
{
	struct pmu_session session;

	(void)state;
	start_text(&session,
		   "UNC_GQ_TRACKER_OCCUP.RT:ctr=0,UNC_QHL_OCCUPANCY.LOCAL:ctr=1,"
		   "UNC_GQ_ALLOC.RT:ctr=2");
	assert_int_equal(bus_locks(), 2);
	assert_int_equal(pmu_close(&session), PMU_OK);
	start_text(&session, "UNC_GQ_TRACKER_OCCUP.RT:ctr=0");
	assert_int_equal(bus_locks(), 3);
	assert_int_equal(pmu_close(&session), PMU_OK);
	start_text(&session,
		   "UNC_GQ_ALLOC.RT,UNC_GQ_CYCLES_BUSY.READ_TRACKER,UNC_QHL_CYCLES_FULL.LOCAL");
	assert_int_equal(bus_locks(), 3);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// The queue holds 5 entries before the counter starts, and 10 from then on: 100 x 10, with a sample
// each 300.
static void check_in_flight(const char *occupancy, unsigned code, unsigned sub)
{
	const struct occurrence five = {.code = (uint16_t)code, .sub = (uint8_t)sub, .n = 5};
	const struct occurrence ten = {.code = (uint16_t)code, .sub = (uint8_t)sub, .n = 10};
	const uint64_t locks = bus_locks();
	struct pmu_session session;
	struct pmu_sample sample;
	unsigned samples = 0;
	uint64_t count;

	shim_deliver(&five, 1, 1);
	shim_deliver(NULL, 0, 1);
	start_text(&session, occupancy);
	assert_int_equal(shim_deliver(&ten, 1, 1), 1);
	for (uint64_t left = 99; left;)
		left -= shim_deliver(NULL, 0, left);
	assert_int_equal(pmu_read(&session, 0, &count), PMU_OK);
	assert_int_equal(count, 1000);
	while (pmu_take_sample(&sample))
		samples++;
	assert_int_equal(samples, 3);
	assert_int_equal(bus_locks(), locks + 1);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// The overflow interrupt arms the counter without a lock, and the count stays right with traffic in
// flight.
static void an_armed_occupancy_counts_on_without_another_lock(void **state)
{
	(void)state;
	check_in_flight("UNC_GQ_TRACKER_OCCUP.RT:period=300", 0x03, 0x01);
	check_in_flight("UNC_QHL_OCCUPANCY.LOCAL:period=300", 0x20, 0x10);
	check_in_flight("UNC_IMC_NORMAL_OCCUPANCY.CH0:period=300", 0x2C, 0x01);
}

//
// Cores
//

static void the_cores_of_those_that_take_part_are_signalled(void **state)
{
	static const unsigned cores[] = {1, 1, 3, 3};	// after each CPU; a core has two threads
	struct pmu_session session;

	(void)state;
	start_text(&session, "UNC_CLK_UNHALTED");
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(value_of(DEBUGCTL) >> 13 & 1, cpu == 0);
		if (cpu)
			assert_int_equal(pmu_begin(uncore, false), PMU_OK);
		assert_int_equal(value_of(DEBUGCTL) >> 13 & 1, 1);
		assert_int_equal(value_of(GLOBAL_CTRL), 1ULL << 63 | (uint64_t)cores[cpu] << 48 |
				 1ULL << 32);
	}
}

static void listening_changes_one_bit(void **state)
{
	(void)state;
	assert_true(reg_write(DEBUGCTL, 0x1801));
	assert_true(uncore->cores->package->listen(true));
	assert_int_equal(value_of(DEBUGCTL), 0x3801);
	assert_true(uncore->cores->package->listen(false));
	assert_int_equal(value_of(DEBUGCTL), 0x1801);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(requests_are_encoded_in_the_select),
		TEST(what_the_uncore_cannot_do_is_refused_with_a_reason),
		TEST(a_register_that_an_event_does_not_need_is_refused),
		TEST(an_event_is_counted_by_its_own_pmu_only),
		TEST(events_that_need_a_register_in_two_ways_are_refused_together),
		TEST(only_the_first_programming_of_an_occupancy_locks_the_bus),
		TEST(each_counter_is_initialized_for_itself),
		TEST(an_armed_occupancy_counts_on_without_another_lock),
		TEST(the_cores_of_those_that_take_part_are_signalled),
		TEST(listening_changes_one_bit),
	};

	return cmocka_run_group_tests_name("nehalem-uncore driver", tests, NULL, NULL);
}
