// SPDX-License-Identifier: BSD-2-Clause
// The memory controllers' driver: encoding and refusal of requests, counts of more than 31 bits,
// and doubtful ones. Expected values follow from the SPARC T4 Supplement, section 10.5, and are
// computed here.

#include "machine.h"

#include <string.h>

static void requests_are_encoded_in_their_counters_select(void **state)
{
	static const struct {
		const char *text;
		uint64_t counters, code;
	} cases[] = {
		{"READS_COU0_PORT0.MCU0", 0x0001, 0x0}, {"READS_COU0_PORT1.MCU2", 0x0200, 0x0},
		{"WRITES_COU0_PORT1.MCU0", 0x0002, 0x1},
		{"READS_WRITES_COU0_PORT0.MCU3", 0x1000, 0x2},
		{"BANK_BUSY_STALLS.MCU1", 0x0030, 0x3}, {"READ_QUEUE_LATENCY.MCU0", 0x0003, 0x4},
		{"WRITE_QUEUE_LATENCY.MCU0", 0x0003, 0x5},
		{"READ_WRITE_QUEUE_LATENCY.MCU0", 0x0003, 0x6},
		{"WRITEBACK_BUFFER_HITS.MCU2", 0x0300, 0x7}, {"READS.MCU0", 0x0003, 0x8},
		{"WRITES_STARVED.MCU3", 0x3000, 0x9}, {"WRITES.MCU3", 0x3000, 0xA},
		{"READS_WRITES_CHANNEL0.MCU0", 0x0003, 0xB},
		{"READS_WRITES_CHANNEL1.MCU0", 0x0003, 0xC},
		{"READS.MCU0:ctr=1", 0x0002, 0x8},
	};
	struct event_request requests[REQUESTS_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(read_requests(cases[i].text, requests), 1);
		assert_int_equal(dram->choices(requests), cases[i].counters);
		for (unsigned n = 0; n < 16; n++)
			assert_int_equal(dram->encode(requests, n), cases[i].code << n % 4 * 4);
	}
	for (unsigned n = 0; n < 16; n++)
		assert_int_equal(dram->control(n), CTL + n / 4);
}

// Each line that the machine writes to memory is a transaction of one controller, on behalf of no
// core.
static void lines_that_are_written_are_counted(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "WRITES.MCU0,WRITES.MCU1,READS.MCU2,WRITES.MCU2,WRITES.MCU3,"
				 "READS_WRITES_CHANNEL0.MCU0");
	hal_write_lines(1 << 20, 4 * 32);
	assert_int_equal(count_of(&session, 0), 32);
	assert_int_equal(count_of(&session, 1), 32);
	assert_int_equal(count_of(&session, 2), 0);
	assert_int_equal(count_of(&session, 3), 32);
	assert_int_equal(count_of(&session, 4), 32);
	assert_int_equal(count_of(&session, 5), 16);
}

static unsigned writes;

static void count_write(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	writes++;
}

static void check_refused(const char *text, const char *why)
{
	struct event_request requests[REQUESTS_MAX];
	struct pmu_session session;
	struct pmu_refusal refusal;
	char explained[512];
	unsigned count = read_requests(text, requests);
	enum pmu_error error;

	writes = 0;
	shim_watch_writes(count_write);
	error = pmu_open(&session, requests, count, &refusal);
	shim_watch_writes(NULL);
	assert_int_not_equal(error, PMU_OK);
	assert_int_equal(writes, 0);
	pmu_explain(dram, error, &refusal, requests, explained, sizeof explained);
	if (!strstr(explained, why))
		fail_msg("%s: %s", text, explained);
}

static void what_it_cannot_do_is_refused_with_a_reason(void **state)
{
	static const char *const cases[][2] = {
		{"READS.MCU0:period=1000", "do not interrupt"},
		{"READS.MCU0:u", "privilege levels"},
		{"READS.MCU0:k", "privilege levels"}, {"READS.MCU0:plm=3", "privilege levels"},
		{"READS.MCU0:t", "strands"}, {"READS.MCU0:c=1", "no threshold"},
		{"READS.MCU0:i", "no threshold"},
		{"READS.MCU0:e", "no threshold"}, {"READS.MCU0:p", "not precise"},
		{"READS.MCU0:lbr", "no branches"},
		{"READS.MCU0:ldlat=3", "qualifies"}, {"READS.MCU0:iar=0-1", "qualifies"},
		{"READS.MCU0:dar=0-1", "qualifies"}, {"READS.MCU0:ism=1", "qualifies"},
		{"READS.MCU0:opc=0/0", "qualifies"}, {"READS.MCU0:tlb=1", "qualifies"},
		{"READS.MCU0:ctr=4", "with this ctr"}, {"READS.MCU0:ctr=63", "with this ctr"},
		{"READS_COU0_PORT0.MCU0:ctr=1", "with this ctr"}, {"READS.MCU0:open", "open"},
		{"READS.MCU0,WRITES.MCU0,WRITES_STARVED.MCU0", "compete for counters"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_refused(cases[i][0], cases[i][1]);
}

static void counters_of_power_management_are_refused(void **state)
{
	(void)state;
	check_refused("READS.MCU0:ctr=2", "belong to power management");
	check_refused("READS.MCU0:ctr=3", "belong to power management");
	check_refused("READS.MCU3:ctr=14", "belong to power management");
	check_refused("READS_COU1_PORT0.MCU1", "belong to power management");
	check_refused("READS_COU1_PORT1.MCU1", "belong to power management");
}

//
// Counts
//

static void two_counters_count_all_traffic_of_a_controller(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "READS.MCU1,WRITES.MCU1");
	for (uint16_t from = 0; from < 8; from++) {
		happens(10, 1, READ, from, 1);
		happens(3, 1, WRITE, from, 1);
		happens(7, 2, READ, from, 1);
	}
	assert_int_equal(count_of(&session, 0), 80);
	assert_int_equal(count_of(&session, 1), 24);
	assert_int_equal(statistics().doubtful, 0);
}

static void a_stopped_session_keeps_its_counts_and_goes_on(void **state)
{
	struct pmu_session session;

	(void)state;
	assert_int_equal(try_session(&session, "READS.MCU0,WRITES.MCU0"), PMU_OK);
	happens(1000, 0, READ, 0, 1);
	assert_int_equal(count_of(&session, 0), 0);
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(pmu_start(&session), PMU_OK);
		assert_int_equal(pmu_start(&session), PMU_STARTED);
		happens(10, 0, READ, 0, 1);
		happens(1, 0, WRITE, 0, 1);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(pmu_stop(&session), PMU_STOPPED);
		happens(1000, 0, READ, 0, 1);
		assert_int_equal(count_of(&session, 0), 10 * i);
		assert_int_equal(count_of(&session, 1), i);
	}
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(peek(CTL) & ~RESERVED, 0);
}

// The register's other counter continues: the driver does not write it, and loses none of its
// events.
static void sessions_that_start_and_stop_next_to_another_lose_nothing_of_it(void **state)
{
	struct pmu_session session, beside;
	uint64_t total = 0;

	(void)state;
	open_and_start(&session, "READS.MCU0:ctr=0");
	for (unsigned i = 0; i < 5; i++) {
		happens(10, 0, READ, 0, 1);
		open_and_start(&beside, "WRITES.MCU0,READS.MCU2");
		happens(20, 0, READ, 0, 1);
		happens(i, 0, WRITE, 0, 1);
		assert_int_equal(pmu_stop(&beside), PMU_OK);
		happens(30, 0, READ, 0, 1);
		happens(5, 0, WRITE, 0, 1);
		assert_int_equal(count_of(&beside, 0), i);
		assert_int_equal(pmu_close(&beside), PMU_OK);
		total += 60;
	}
	assert_int_equal(count_of(&session, 0), total);
	assert_int_equal(peek(COUNT01) >> 32, total);	// the register has not been written
}

// 2^31 - 1 and then steps of 8, with a poll after each.
static void a_count_goes_on_over_the_ends_of_the_counter(void **state)
{
	struct pmu_session session;
	uint64_t count = 0;

	(void)state;
	open_and_start(&session, "READ_QUEUE_LATENCY.MCU0");
	for (unsigned i = 0; i < 40; i++) {
		happens(1 << 20, 0, QUEUED_READS, 0, 255);
		count += 255ULL << 20;
		assert_int_equal(count_of(&session, 0), count);
	}
	assert_true(count > 4 * MODULUS);
	assert_int_equal(statistics().doubtful, 0);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), count);
}

// 255 in each of 2^27 cycles: the counter wraps 15 times, and is read once.
static void a_counter_that_nobody_reads_is_looked_at_in_time(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "READ_QUEUE_LATENCY.MCU0,READ_QUEUE_LATENCY.MCU3");
	happens(1 << 27, 3, QUEUED_READS, 0, 255);
	assert_int_equal(count_of(&session, 0), 0);
	assert_int_equal(count_of(&session, 1), 255ULL << 27);
	assert_int_equal(statistics().doubtful, 0);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	happens(1 << 27, 3, QUEUED_READS, 0, 255);
	assert_int_equal(pmu_start(&session), PMU_OK);
	happens(1 << 27, 3, QUEUED_READS, 0, 255);
	assert_int_equal(count_of(&session, 1), 2 * (255ULL << 27));
	assert_int_equal(statistics().doubtful, 0);
}

// A core's counter that is also polled, and whose session starts and stops all the time, does not
// delay the polls.
static void sessions_of_the_core_leave_the_looks_in_time(void **state)
{
	const char *text = "Instr_all:k";
	struct pmu_session session, other;
	struct event_request request;
	struct pmu_refusal refusal;

	(void)state;
	assert_int_equal(event_parse(dram->cores->events, &text, &request), EVENT_OK);
	open_and_start(&session, "READ_QUEUE_LATENCY.MCU0");
	for (unsigned turn = 0; turn < 1 << 12; turn++) {
		pmu_select(dram->cores);
		assert_int_equal(pmu_open(&other, &request, 1, &refusal), PMU_OK);
		assert_int_equal(pmu_close(&other), PMU_OK);
		pmu_select(dram);
		happens(1 << 15, 0, QUEUED_READS, 0, 255);
	}
	assert_int_equal(count_of(&session, 0), 255ULL << 27);
	assert_int_equal(statistics().doubtful, 0);
}

// Without these polls: 255 * 2^27 are 15 wraps and 15/16 of one. The sticky bit shows one wrap, the
// counter the remainder, and the clock that more were possible.
static void looks_that_come_too_late_are_not_hidden(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "READ_QUEUE_LATENCY.MCU0");
	hal_poll(NULL, 0);
	happens(1 << 27, 0, QUEUED_READS, 0, 255);
	assert_int_equal(count_of(&session, 0), (255ULL << 27) % MODULUS + MODULUS);
	assert_int_equal(statistics().doubtful, 1);
}

// The CPU that opened the session polls its counters.
static void any_cpu_that_takes_part_reads_stops_and_closes(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "READ_QUEUE_LATENCY.MCU0");
	happens(1 << 25, 0, QUEUED_READS, 0, 255);
	shim_cpu(1);
	assert_int_equal(pmu_begin(dram, false), PMU_OK);
	assert_int_equal(count_of(&session, 0), 255ULL << 25);
	happens(10, 0, QUEUED_READS, 0, 255);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	shim_cpu(0);
	assert_int_equal(count_of(&session, 0), (255ULL << 25) + 2550);
	shim_cpu(1);
	assert_int_equal(pmu_close(&session), PMU_OK);
	shim_cpu(0);
	pmu_poll();
	assert_int_equal(try_session(&session, "READS.MCU0,WRITES.MCU0"), PMU_OK);
}

static void a_context_takes_its_counts_along(void **state)
{
	struct pmu_context context;
	struct pmu_session session, other;

	(void)state;
	open_and_start(&session, "READS.MCU0,WRITES.MCU3");
	happens(100, 0, READ, 0, 1);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	happens(1000, 0, READ, 0, 1);
	open_and_start(&other, "WRITES.MCU3");
	happens(7, 3, WRITE, 0, 1);
	assert_int_equal(count_of(&other, 0), 7);
	assert_int_equal(pmu_context_restore(&context), PMU_CONFLICT);
	assert_int_equal(pmu_close(&other), PMU_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	happens(20, 0, READ, 0, 1);
	happens(3, 3, WRITE, 0, 1);
	assert_int_equal(count_of(&session, 0), 120);
	assert_int_equal(count_of(&session, 1), 3);
	happens(1 << 27, 3, QUEUED_READS, 0, 1);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().doubtful, 0);
}

//
// The result of a poll
//

// Moves the session's counter, 0 of controller 0, from `before` to `after` in `clocks` clocks.
// Returns the difference of the count.
static uint64_t count_between(uint64_t before, uint64_t after, uint64_t clocks, uint64_t *doubtful)
{
	struct pmu_session session;
	uint64_t first;

	assert_int_equal(pmu_begin(dram, false), PMU_OK);
	open_and_start(&session, "WRITES_STARVED.MCU0");
	hal_poll(NULL, 0);		// no polls meanwhile
	poke(COUNT01, before << 32);
	first = count_of(&session, 0);
	*doubtful = statistics().doubtful;
	pass(clocks);
	poke(COUNT01, after << 32);
	first = count_of(&session, 0) - first;
	*doubtful = statistics().doubtful - *doubtful;
	assert_int_equal(pmu_close(&session), PMU_OK);
	return first;
}

#define STICKY MODULUS

// DECISIONS.md: at most 256 events per clock. MODULUS / 256 = 2^23 clocks.
static void the_sticky_bit_and_the_clock_say_how_often_a_counter_can_have_wrapped(void **state)
{
	static const struct {
		uint64_t before, after, clocks, count, doubtful;
	} cases[] = {
		// Without the sticky bit it has not wrapped, however late the poll is.
		{100, 350, 1, 250, 0}, {100, 350, 1 << 30, 250, 0},
		{0, MODULUS - 1, 1 << 23, MODULUS - 1, 0},
		// The sticky bit is new: it has wrapped once.
		{MODULUS - 10, STICKY | 5, 1, 15, 0}, {MODULUS - 10, STICKY | 5, 1 << 22, 15, 0},
		// After more than 2^23 clocks it may have wrapped twice.
		{MODULUS - 10, STICKY | 5, (1 << 23) + 1, 15, 1},
		{MODULUS - 10, STICKY | 5, 1 << 30, 15, 1},
		{MODULUS - 6, STICKY | 250, 1 << 23, 256, 0},
		{MODULUS - 6, STICKY | 250, (1 << 23) + 1, 256, 1},
		// It has passed its last value: one wrap more. That takes 2^23 clocks, another wrap
		// as many again.
		{100, STICKY | 350, (1 << 23) + 1, MODULUS + 250, 0},
		{100, STICKY | 350, 1 << 24, MODULUS + 250, 0},
		{100, STICKY | 350, (1 << 24) + 1, MODULUS + 250, 1},
		// The sticky bit was set already, and tells nothing new.
		{STICKY | 100, STICKY | 350, 1, 250, 0},
		{STICKY | 100, STICKY | 350, 1 << 22, 250, 0},
		{STICKY | 350, STICKY | 100, (1 << 23), MODULUS - 250, 0},
		{STICKY | 100, STICKY | 350, (1 << 23) + 1, 250, 1},
		// More than the time allows, or backwards: other software has written it.
		{100, STICKY | 350, 1 << 22, MODULUS + 250, 1}, {350, 100, 1, MODULUS - 250, 1},
		{STICKY | 350, 100, 1, MODULUS - 250, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t doubtful, count = count_between(cases[i].before, cases[i].after,
							 cases[i].clocks, &doubtful);

		if (count != cases[i].count || doubtful != cases[i].doubtful)
			fail_msg("case %zu: %llu, doubtful %llu", i, (unsigned long long)count,
				 (unsigned long long)doubtful);
	}
}

// A session that starts begins with a clear sticky bit.
static void a_start_clears_the_sticky_bit_where_nothing_is_lost(void **state)
{
	struct pmu_session session, beside;

	(void)state;
	open_and_start(&session, "READS.MCU0:ctr=0");
	poke(COUNT01, STICKY << 32 | STICKY | 7);
	open_and_start(&beside, "WRITES.MCU0");
	assert_int_equal(peek(COUNT01), STICKY << 32 | STICKY | 7);
	assert_int_equal(pmu_stop(&beside), PMU_OK);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(peek(COUNT01), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(requests_are_encoded_in_their_counters_select),
		TEST(lines_that_are_written_are_counted),
		TEST(what_it_cannot_do_is_refused_with_a_reason),
		TEST(counters_of_power_management_are_refused),
		TEST(two_counters_count_all_traffic_of_a_controller),
		TEST(a_stopped_session_keeps_its_counts_and_goes_on),
		TEST(sessions_that_start_and_stop_next_to_another_lose_nothing_of_it),
		TEST(a_count_goes_on_over_the_ends_of_the_counter),
		TEST(a_counter_that_nobody_reads_is_looked_at_in_time),
		TEST(sessions_of_the_core_leave_the_looks_in_time),
		TEST(looks_that_come_too_late_are_not_hidden),
		TEST(any_cpu_that_takes_part_reads_stops_and_closes),
		TEST(a_context_takes_its_counts_along),
		TEST(the_sticky_bit_and_the_clock_say_how_often_a_counter_can_have_wrapped),
		TEST(a_start_clears_the_sticky_bit_where_nothing_is_lost),
	};

	return cmocka_run_group_tests_name("sparct4-dram driver", tests, NULL, NULL);
}
