// SPDX-License-Identifier: BSD-2-Clause
// The sample ring.

#include "unit.h"

#include <pthread.h>
#include <sched.h>

#include "ring.h"

static struct pmu_ring ring;

// First indices: arbitrary ones, and ones that wrap soon, in the first lap of the ring or later.
static const uint32_t starts[] = {0, 12345, UINT32_MAX, UINT32_MAX - 1000,
				  UINT32_MAX - PMU_RING_SAMPLES,
				  UINT32_MAX - 2 * PMU_RING_SAMPLES + 1, INT32_MAX};
#define STARTS (sizeof starts / sizeof *starts)

static void start_at(uint32_t index)
{
	ring.head = ring.tail = index;
}

// Sample number n, recognizable in each member.
static struct pmu_sample sample_number(uint64_t n)
{
	return (struct pmu_sample){
		.ip = n, .clock = ~n, .count = n << 32 | n >> 32,
		.source = {.session = (uint32_t)n, .event = (uint8_t)n,
			   .counter = (uint8_t)(n >> 8), .level = n & 3},
	};
}

// Returns the slot of the next sample; NULL: there is no space.
static struct pmu_sample *reserve(void)
{
	return pmu_ring_is_full(&ring) ? NULL : pmu_ring_next(&ring);
}

static bool put(uint64_t n)
{
	struct pmu_sample *sample = reserve();

	if (!sample)
		return false;
	*sample = sample_number(n);
	pmu_ring_publish(&ring);
	return true;
}

static bool is_number(const struct pmu_sample *sample, uint64_t n)
{
	const struct pmu_sample expected = sample_number(n);

	return sample->ip == expected.ip && sample->clock == expected.clock &&
	       sample->count == expected.count &&
	       sample->source.session == expected.source.session &&
	       sample->source.event == expected.source.event &&
	       sample->source.counter == expected.source.counter &&
	       sample->source.level == expected.source.level;
}

static void take(uint64_t n)
{
	struct pmu_sample sample;

	assert_true(pmu_ring_take(&ring, &sample, NULL));
	assert_true(is_number(&sample, n));
}

static void an_empty_ring_gives_nothing(void **state)
{
	struct pmu_sample sample;

	(void)state;
	for (size_t s = 0; s < STARTS; s++) {
		start_at(starts[s]);
		assert_false(pmu_ring_take(&ring, &sample, NULL));
		assert_true(put(7));
		take(7);
		assert_false(pmu_ring_take(&ring, &sample, NULL));
	}
}

static void a_reserved_sample_is_not_in_the_ring_before_it_is_published(void **state)
{
	struct pmu_sample *reserved, sample;

	(void)state;
	start_at(0);
	reserved = reserve();
	assert_non_null(reserved);
	*reserved = sample_number(1);
	assert_false(pmu_ring_take(&ring, &sample, NULL));
	pmu_ring_publish(&ring);
	take(1);
}

static void a_full_ring_drops_what_comes_and_keeps_what_it_has(void **state)
{
	struct pmu_sample sample;

	(void)state;
	for (size_t s = 0; s < STARTS; s++) {
		start_at(starts[s]);
		for (uint64_t n = 0; n < PMU_RING_SAMPLES; n++)
			assert_true(put(n));
		assert_false(put(PMU_RING_SAMPLES));
		assert_null(reserve());
		for (uint64_t n = 0; n < PMU_RING_SAMPLES; n++)
			take(n);
		assert_false(pmu_ring_take(&ring, &sample, NULL));
	}
}

static void one_taken_from_a_full_ring_makes_room_for_one(void **state)
{
	(void)state;
	for (size_t s = 0; s < STARTS; s++) {
		start_at(starts[s]);
		for (uint64_t n = 0; n < PMU_RING_SAMPLES; n++)
			assert_true(put(n));
		for (uint64_t n = 0; n < 2 * PMU_RING_SAMPLES; n++) {
			assert_false(put(0));
			take(n);
			assert_true(put(PMU_RING_SAMPLES + n));
		}
	}
}

// Sequences of one to a hundred samples, written and removed, over several laps of the ring.
static void samples_come_out_in_the_order_they_went_in(void **state)
{
	(void)state;
	for (size_t s = 0; s < STARTS; s++) {
		uint64_t written = 0, taken = 0;

		start_at(starts[s]);
		for (unsigned run = 1; written < 3 * PMU_RING_SAMPLES; run = run % 100 + 1) {
			for (unsigned i = 0; i < run; i++)
				assert_true(put(written++));
			for (unsigned i = 0; i < run; i++)
				take(taken++);
		}
	}
}

//
// Two threads
//

#define SAMPLES_BETWEEN_THREADS 1000000

// Writes each sample until it is accepted.
static void *produce(void *argument)
{
	for (uint64_t n = 0; n < SAMPLES_BETWEEN_THREADS; n++)
		while (!put(n))
			sched_yield();
	return argument;
}

static void a_reader_sees_every_sample_of_a_writer_in_order(void **state)
{
	uint64_t wrong = 0;
	pthread_t producer;
	struct pmu_sample sample;

	(void)state;
	start_at(UINT32_MAX - SAMPLES_BETWEEN_THREADS / 2);
	assert_int_equal(pthread_create(&producer, NULL, produce, NULL), 0);
	for (uint64_t n = 0; n < SAMPLES_BETWEEN_THREADS; n++) {
		while (!pmu_ring_take(&ring, &sample, NULL))
			sched_yield();
		wrong += !is_number(&sample, n);
	}
	assert_int_equal(pthread_join(producer, NULL), 0);
	assert_int_equal(wrong, 0);
	assert_false(pmu_ring_take(&ring, &sample, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ring_gives_nothing),
		cmocka_unit_test(a_reserved_sample_is_not_in_the_ring_before_it_is_published),
		cmocka_unit_test(a_full_ring_drops_what_comes_and_keeps_what_it_has),
		cmocka_unit_test(one_taken_from_a_full_ring_makes_room_for_one),
		cmocka_unit_test(samples_come_out_in_the_order_they_went_in),
		cmocka_unit_test(a_reader_sees_every_sample_of_a_writer_in_order),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
