// SPDX-License-Identifier: BSD-2-Clause
// The uncore model's queues: their contents, the events that follow, and how an occupancy counter
// becomes exact. Sizes: the guide, "The Global Queue" and "Intel QuickPath Interconnect Home Logic"
// (a machine of two packages); the memory controller's are in pmu/nehalem-uncore/README.md.

#include "steps.h"

// Events by which entries enter a queue, and events that measure the queue. A mask of 0: there is
// no such event.
static const struct queue {
	uint16_t in, in_sub;
	unsigned occupancy, occupancy_mask, full, full_mask, busy, busy_mask, capacity;
} queues[] = {
	{0x03, 0x01, 0x02, 0x01, 0x00, 1, 0x01, 1, 32},		// global queue: read tracker
	{0x03, 0x02, 0x02, 0x02, 0, 0, 0, 0, 32}, {0x03, 0x04, 0x02, 0x04, 0, 0, 0, 0, 32},
	{0x03, 0x08, 0x02, 0x08, 0, 0, 0, 0, 32}, {0x03, 0x10, 0x02, 0x10, 0, 0, 0, 0, 16},
	{0x03, 0x20, 0x02, 0x20, 0x00, 2, 0x01, 2, 16},		// write tracker
	{0x03, 0x40, 0x02, 0x40, 0x00, 4, 0x01, 4, 12},		// peer probe tracker
	// home logic: reads of IOH, remote, local
	{0x20, 0x01, 0x23, 1, 0x21, 1, 0x22, 1, 24},
	{0x20, 0x04, 0x23, 2, 0x21, 2, 0x22, 2, 16}, {0x20, 0x10, 0x23, 4, 0x21, 4, 0x22, 4, 24},
	{0x20, 0x02, 0, 0, 0x21, 1, 0x22, 1, 24},		// and writes
	{0x20, 0x08, 0, 0, 0x21, 2, 0x22, 2, 16}, {0x20, 0x20, 0, 0, 0x21, 4, 0x22, 4, 24},
	{0x2C, 1, 0x2A, 1, 0, 0, 0x29, 1, 32}, {0x2C, 2, 0x2A, 2, 0, 0, 0x29, 2, 32},
	{0x2C, 4, 0x2A, 4, 0, 0, 0x29, 4, 32},			// memory controller: normal reads
	{0x2F, 0x01, 0, 0, 0x28, 0x08, 0x29, 0x08, 32},
	{0x2F, 0x02, 0, 0, 0x28, 0x10, 0x29, 0x10, 32},
	{0x2F, 0x20, 0, 0, 0x28, 0x20, 0x29, 0x20, 32},		// writes: full lines, a part
	{0x2D, 1, 0x2B, 1, 0x28, 1, 0x29, 1, 32}, {0x2E, 2, 0x2B, 2, 0x28, 2, 0x29, 2, 32},
	{0x2E, 4, 0x2B, 4, 0x28, 4, 0x29, 4, 32},		// reads of high, critical priority
};

#define QUEUES (sizeof queues / sizeof *queues)

// Occupancy on counter 0, full on 1, busy on 2.
static void watch(const struct queue *q)
{
	if (q->occupancy_mask)
		count_on(0, EVENT(q->occupancy, q->occupancy_mask));
	if (q->full_mask)
		count_on(1, EVENT(q->full, q->full_mask));
	if (q->busy_mask)
		count_on(2, EVENT(q->busy, q->busy_mask));
	for (unsigned i = 0; i < 3; i++)
		put(PMC0 + i, 0);
}

static void assert_counts(const struct queue *q, uint64_t occupancy, uint64_t full, uint64_t busy)
{
	assert_int_equal(get(PMC0), q->occupancy_mask ? occupancy : 0);
	assert_int_equal(get(PMC0 + 1), q->full_mask ? full : 0);
	assert_int_equal(get(PMC0 + 2), q->busy_mask ? busy : 0);
}

// One entry in each cycle: 1, 2, ... up to the capacity c, and so on. In c + 10 cycles the sum is c
// (c + 1) / 2 + 10 c.
static void a_queue_fills_one_by_one_and_stays_full(void **state)
{
	(void)state;
	for (const struct queue *q = queues; q < queues + QUEUES; q++) {
		const uint64_t c = q->capacity;

		reset(-1);
		watch(q);
		cycles_of(c + 10, q->in, q->in_sub, 1);
		assert_counts(q, c * (c + 1) / 2 + 10 * c, 11, c + 10);
	}
}

// From a full queue two entries leave in each cycle: c - 2, c - 4, ..., 0. The sum is k (k - 1), k
// = c / 2.
static void a_queue_empties_and_stays_empty(void **state)
{
	(void)state;
	for (const struct queue *q = queues; q < queues + QUEUES; q++) {
		const uint64_t k = q->capacity / 2;

		reset(-1);
		watch(q);
		cycles_of(1, q->in, q->in_sub, 1000);
		assert_counts(q, q->capacity, 1, 1);
		watch(q);
		cycles_of(100, q->in | OUT, q->in_sub, 2);
		assert_counts(q, k * (k - 1), 0, k - 1);
	}
}

// An entry that stays for L cycles is counted L times: the guide divides the sum by the requests to
// find L.
static void the_occupancy_divided_by_the_requests_is_the_latency(void **state)
{
	(void)state;
	for (const struct queue *q = queues; q < queues + QUEUES; q++) {
		reset(-1);
		watch(q);
		for (unsigned i = 0; i < 10; i++) {
			cycles_of(1, q->in, q->in_sub, 1);
			run(6);
			cycles_of(1, q->in | OUT, q->in_sub, 1);
			run(5);
		}
		assert_counts(q, 10 * 7, 0, 10 * 7);
	}
}

static void what_enters_and_leaves_in_one_cycle_cancels(void **state)
{
	(void)state;
	watch(queues);
	cycles_of(1, 0x03, 1, 5);
	put(PMC0, 0);
	SIGNALS({0x03, 1, 3}, {0x103, 1, 3});
	run(100);
	assert_int_equal(get(PMC0), 500);
}

// 1, 2, 3, 4, then 8, 12.
static void an_event_that_comes_at_another_rate_fills_its_queue_at_that_rate(void **state)
{
	(void)state;
	watch(queues);
	SIGNALS({0x03, 1, 1});
	run(4);
	SIGNALS({0x03, 1, 4});
	run(2);
	assert_int_equal(get(PMC0), 1 + 2 + 3 + 4 + 8 + 12);
}

// A tracker of 16: 10 reads and 6 writes fill it; then it ignores both.
static void reads_and_writes_of_the_home_logic_share_a_tracker(void **state)
{
	(void)state;
	count_on(0, EVENT(0x23, 2));
	count_on(1, EVENT(0x21, 2));
	count_on(2, EVENT(0x22, 2));
	cycles_of(1, 0x20, 0x04, 10);		// not full yet
	cycles_of(1, 0x20, 0x08, 100);
	assert_int_equal(get(PMC0), 10 + 10);
	assert_int_equal(get(PMC0 + 1), 1);
	cycles_of(3, 0x20, 0x04, 1);		// no room for more
	assert_int_equal(get(PMC0), 20 + 30);
	assert_int_equal(get(PMC0 + 1), 4);
	cycles_of(1, 0x120, 0x08, 100);		// all six writes
	assert_int_equal(get(PMC0), 60);
	assert_int_equal(get(PMC0 + 1), 4);
	assert_int_equal(get(PMC0 + 2), 6);
	cycles_of(10, 0x20, 0x04, 1);		// 11 to 16, and 16 four times more
	assert_int_equal(get(PMC0), 60 + (11 + 12 + 13 + 14 + 15 + 16) + 4 * 16);
}

static void unit_masks_of_an_occupancy_add_up(void **state)
{
	(void)state;
	count_on(0, EVENT(0x2B, 7));
	SIGNALS({0x2D, 1, 1}, {0x2E, 2, 2}, {0x2E, 4, 3});
	run(1);
	no_signals();
	run(9);
	assert_int_equal(get(PMC0), 10 * 6);
}

// "In the UP mode there are only the local and IOH queues and both have 32 entries."
static void the_home_logic_of_one_package_has_two_trackers_of_32(void **state)
{
	(void)state;
	count_on(0, EVENT(0x23, 4) | CMASK(32));	// UNC_QHL_OCCUPANCY.LOCAL_FULL_UP
	count_on(1, EVENT(0x21, 4));			// UNC_QHL_CYCLES_FULL.LOCAL
	count_on(2, EVENT(0x23, 2));			// the remote tracker
	count_on(3, EVENT(0x21, 2));
	SIGNALS({0x3FE, 0, 1}, {0x20, 0x10, 1}, {0x20, 0x04, 1});
	run(31);
	assert_int_equal(get(PMC0 + 1), 0);
	run(9);
	assert_int_equal(get(PMC0), 9);
	assert_int_equal(get(PMC0 + 1), 9);
	assert_int_equal(get(PMC0 + 2), 0);
	assert_int_equal(get(PMC0 + 3), 0);
}

// Four entries enter in each cycle: 4, 8, ... 24, which is full; with one package also 28 and 32,
// which is full again.
static void trackers_are_larger_as_soon_as_there_is_one_package(void **state)
{
	(void)state;
	count_on(0, EVENT(0x23, 4));
	count_on(1, EVENT(0x21, 4));
	SIGNALS({0x20, 0x10, 4});
	run(6);
	SIGNALS({0x20, 0x10, 4}, {0x3FE, 0, 1});
	run(2);
	assert_int_equal(get(PMC0), 4 + 8 + 12 + 16 + 20 + 24 + 28 + 32);
	assert_int_equal(get(PMC0 + 1), 2);
}

// The guide, Table 24: a threshold on an occupancy is busy (1) or full (32).
static void a_threshold_on_an_occupancy_is_busy_or_full(void **state)
{
	(void)state;
	count_on(0, EVENT(0x02, 2) | CMASK(32));
	count_on(1, EVENT(0x02, 2) | CMASK(1));
	count_on(2, EVENT(0x02, 2) | CMASK(1) | E);
	count_on(3, EVENT(0x02, 2) | CMASK(1) | INV);
	cycles_of(35, 0x03, 2, 1);
	cycles_of(40, 0x103, 2, 1);
	assert_int_equal(get(PMC0), 4);			// cycles 32 to 35
	assert_int_equal(get(PMC0 + 1), 35 + 31);
	assert_int_equal(get(PMC0 + 2), 1);
	assert_int_equal(get(PMC0 + 3), 9);
}

//
// Initialization: the guide, "The Global Queue", and its note at Table 32
//

static const struct queue *const counted[] = {&queues[0], &queues[5], &queues[7], &queues[9],
					      &queues[13], &queues[20]};

#define COUNTED (sizeof counted / sizeof *counted)

// Five entries are in the queue when a counter starts. Its tracker lacks them, and stays wrong by
// five.
static void without_a_bus_lock_an_occupancy_lacks_what_the_queue_held(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNTED; i++) {
		const struct queue *q = counted[i];

		reset(-1);
		cycles_of(1, q->in, q->in_sub, 5);
		count_on(0, EVENT(q->occupancy, q->occupancy_mask));
		run(100);
		assert_int_equal(get(PMC0), 0);
		cycles_of(10, q->in, q->in_sub, 0);
		cycles_of(1, q->in, q->in_sub, 3);	// 8 entries, of which the tracker has 3
		run(9);
		assert_int_equal(get(PMC0), 30);
		cycles_of(1, q->in | OUT, q->in_sub, 4);	// 4 entries; the tracker is at -1
		run(99);
		assert_int_equal(get(PMC0), 30);
	}
}

// OCC_CTR_RST alone does not help; a later bus lock does.
static void a_reset_and_a_bus_lock_make_an_occupancy_right(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNTED; i++) {
		const struct queue *q = counted[i];

		for (unsigned locks = 0; locks < 2; locks++) {
			reset(-1);
			cycles_of(1, q->in, q->in_sub, 5);
			count_on(0, EVENT(q->occupancy, q->occupancy_mask) | OCC_RST);
			assert_true(outputs()->locks_matter);
			if (locks)
				model->package->bus_lock(pmu);
			cycles_of(1, q->in, q->in_sub, 3);
			run(9);
			assert_int_equal(get(PMC0), 30);
			cycles_of(1, q->in | OUT, q->in_sub, 3);
			cycles_of(1, q->in, q->in_sub, 7);
			run(9);
			// Without the lock: 12 entries, of which the tracker has 7. With it: 7 of
			// 7.
			assert_int_equal(get(PMC0), 30 + 70);
			cycles_of(1, q->in | OUT, q->in_sub, 100);
			cycles_of(1, q->in, q->in_sub, 4);
			put(PMC0, 0);
			run(10);
			assert_int_equal(get(PMC0), locks ? 40 : 0);	// emptied: -5, then -1
		}
	}
}

// An earlier lock empties the queue, so a counter that starts later has all entries.
static void a_lock_before_the_reset_is_as_good(void **state)
{
	(void)state;
	cycles_of(1, 0x03, 1, 5);
	model->package->bus_lock(pmu);
	count_on(0, EVENT(0x02, 1) | OCC_RST);
	cycles_of(1, 0x03, 1, 2);
	run(9);
	assert_int_equal(get(PMC0), 20);
}

// A lock without a reset empties the queue, but the tracker does not know how many entries it lost.
static void a_lock_without_a_reset_does_not_correct_a_tracker(void **state)
{
	(void)state;
	cycles_of(1, 0x03, 1, 5);
	count_on(0, EVENT(0x02, 1));
	model->package->bus_lock(pmu);
	cycles_of(1, 0x03, 1, 7);
	run(9);
	assert_int_equal(get(PMC0), 20);		// 7 entries; the tracker is at 7 - 5
}

static void a_lock_empties_the_queues_of_those_who_did_not_ask(void **state)
{
	(void)state;
	count_on(0, EVENT(0x02, 1) | OCC_RST);
	model->package->bus_lock(pmu);
	cycles_of(1, 0x03, 1, 5);
	put(PMC0, 0);
	model->package->bus_lock(pmu);
	run(10);
	assert_int_equal(get(PMC0), 0);
}

// Stopping, disabling or writing the same select does not stop the tracker.
static void a_tracker_goes_on_while_its_counter_does_not_count(void **state)
{
	(void)state;
	count_on(0, EVENT(0x02, 1) | OCC_RST);
	model->package->bus_lock(pmu);
	put(GLOBAL_CTRL, 0);
	put(PERFEVTSEL0, EVENT(0x02, 1));
	cycles_of(1, 0x03, 1, 5);
	count_on(0, EVENT(0x02, 1) | CMASK(5));		// of the same queue
	run(10);
	assert_int_equal(get(PMC0), 10);
	count_on(0, EVENT(0x02, 2));			// another queue, and back
	count_on(0, EVENT(0x02, 1));
	run(10);
	assert_int_equal(get(PMC0), 0);
}

//
// Long runs
//

#define COUNTERS 8

// No arrivals or departures half of the time.
static uint64_t random_condition(void)
{
	uint64_t condition = CMASK(random_below(40)) | (random_below(2) ? E : 0) |
		(random_below(2) ? INV : 0);

	return random_below(2) ? condition : 0;
}

// Random selects, signals and lengths, the same for the same seed, with cycles in pieces of at most
// `piece`. Each time the test predicts the line and checks the prediction against its rise.
static void random_history(uint64_t seed, uint64_t piece, uint64_t counts[COUNTERS])
{
	static const uint16_t codes[] = {0x03, 0x20, 0x2C, 0x2D, 0x2F};
	static const uint16_t events[] = {0x00, 0x01, 0x02, 0x21, 0x22, 0x23, 0x28, 0x29, 0x2A,
					  0x2B, 0x03, 0x20};

	reset(-1);
	random_state = seed;
	for (unsigned step = 0; step < 60; step++) {
		struct occurrence signals[4];
		uint64_t left = random_below(3) ? random_below(60) : random_below(5000), since = 0,
			headroom;

		if (random_below(3) == 0) {
			unsigned n = (unsigned)random_below(COUNTERS);

			put(PERFEVTSEL0 + n, EVENT(events[random_below(12)], random_below(128)) |
			    EN | PMI |
				random_condition());
			put(PMC0 + n, random_below(2) ? 0 : MODULUS - 1 - random_below(2000));
		}
		if (random_below(8) == 0)
			model->package->bus_lock(pmu);
		put(GLOBAL_CTRL, 0xFF | CORES(1) | (random_below(4) ? 0 : PMI_FRZ));
		for (unsigned i = 0; i < 4; i++)
			signals[i] = (struct occurrence){
				.code = (uint16_t)(codes[random_below(5)] | random_below(2) << 8),
				.sub = (uint16_t)random_below(128), .n = (uint32_t)random_below(3),
			};
		connect(signals, 4);
		outputs()->requests = 0;
		headroom = outputs()->headroom;
		while (left) {
			uint64_t now = left < piece ? left : piece;

			run(now);
			since += now;
			left -= now;
			if (piece == 1 && outputs()->requests) {
				assert_int_equal(since, headroom + 1);
				headroom = outputs()->headroom;
				outputs()->requests = 0;
				since = 0;
			} else if (piece == 1) {
				assert_true(since <= headroom);
			}
		}
	}
	for (unsigned n = 0; n < COUNTERS; n++)
		counts[n] = get(PMC0 + n);
}

static void many_cycles_at_once_are_as_one_by_one(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t one[COUNTERS], some[COUNTERS], all[COUNTERS];

		random_history(seed * 0x9E3779B97F4A7C15, 1, one);
		random_history(seed * 0x9E3779B97F4A7C15, 7, some);
		random_history(seed * 0x9E3779B97F4A7C15, UINT64_MAX, all);
		assert_memory_equal(one, some, sizeof one);
		assert_memory_equal(one, all, sizeof one);
	}
}

// 2^40 cycles: the queue fills in 32, then stays full.
static void a_long_run_is_done_at_once(void **state)
{
	const uint64_t cycles = 1ULL << 40;

	(void)state;
	count_on(0, EVENT(0x02, 1));
	cycles_of(cycles, 0x03, 1, 1);
	assert_int_equal(get(PMC0), 32 * 33 / 2 + 32 * (cycles - 32));
}

// 1 + 2 + ... + 9 = 45 is below 50, 55 is not.
static void the_line_rises_in_the_cycle_that_a_filling_queue_makes_overflow(void **state)
{
	(void)state;
	count_on(0, EVENT(0x02, 1) | PMI);
	put(PMC0, MODULUS - 50);
	put(GLOBAL_CTRL, 1 | CORES(1));
	SIGNALS({0x03, 1, 1});
	assert_int_equal(outputs()->headroom, 9);
	// 132 cycles: the last one's 32 reach it exactly
	put(PMC0, MODULUS - (32 * 33 / 2) - 32 * 100);
	assert_int_equal(outputs()->headroom, 131);
}

// A counter of full cycles adds nothing while 16 entries fill the write tracker; meanwhile it is
// written. The queue is full at the end of cycle 16, the first cycle that counts.
static void a_counter_that_waits_for_a_full_queue_has_headroom(void **state)
{
	(void)state;
	count_on(0, EVENT(0x00, 2) | PMI);
	put(GLOBAL_CTRL, 1 | CORES(1));
	SIGNALS({0x03, 0x20, 1});
	put(PMC0, MODULUS - 3);
	assert_int_equal(outputs()->headroom, 15 + 2);
	run(17);
	assert_int_equal(outputs()->requests, 0);
	run(1);
	assert_int_equal(outputs()->requests, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_queue_fills_one_by_one_and_stays_full),
		TEST(a_queue_empties_and_stays_empty),
		TEST(the_occupancy_divided_by_the_requests_is_the_latency),
		TEST(what_enters_and_leaves_in_one_cycle_cancels),
		TEST(an_event_that_comes_at_another_rate_fills_its_queue_at_that_rate),
		TEST(reads_and_writes_of_the_home_logic_share_a_tracker),
		TEST(unit_masks_of_an_occupancy_add_up),
		TEST(the_home_logic_of_one_package_has_two_trackers_of_32),
		TEST(trackers_are_larger_as_soon_as_there_is_one_package),
		TEST(a_threshold_on_an_occupancy_is_busy_or_full),
		TEST(without_a_bus_lock_an_occupancy_lacks_what_the_queue_held),
		TEST(a_reset_and_a_bus_lock_make_an_occupancy_right),
		TEST(a_lock_before_the_reset_is_as_good),
		TEST(a_lock_without_a_reset_does_not_correct_a_tracker),
		TEST(a_lock_empties_the_queues_of_those_who_did_not_ask),
		TEST(a_tracker_goes_on_while_its_counter_does_not_count),
		TEST(many_cycles_at_once_are_as_one_by_one),
		TEST(a_long_run_is_done_at_once),
		TEST(the_line_rises_in_the_cycle_that_a_filling_queue_makes_overflow),
		TEST(a_counter_that_waits_for_a_full_queue_has_headroom),
	};

	return cmocka_run_group_tests_name("nehalem-uncore model: queues", tests, find_model,
					   release_model);
}
