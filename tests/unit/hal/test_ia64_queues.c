// SPDX-License-Identifier: BSD-2-Clause
// The queues of the ia64 machine's bus, with random requests: no cycle has more requests than
// entries, and each request is in its queues for the cycles that its latencies give.
// tests/boot/ia64/queues.s has counts by hand.

#include "unit.h"

#include "../../../hal/emu/ia64/queues.h"

#define ROUNDS	20000

static const struct processor processor = {
	.latency = {[LATENCY_L2] = 6, [LATENCY_L3] = 21, [LATENCY_MEMORY] = 120},
	.queue = {[QUEUE_BRQ] = 3, [QUEUE_IOQ] = 2},
};

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

struct sums {
	uint64_t cycle;			/* the first one that is not counted yet */
	uint64_t requests, bus;		/* live requests, over all counted cycles */
};

// Counts all cycles before `end`.
static void count_until(struct sums *s, const struct ia64_queues *q, uint64_t end)
{
	uint64_t same = s->cycle;
	struct ia64_live live = {0};

	for (; s->cycle < end; s->cycle++) {
		const struct ia64_live now = ia64_queues_in(q, s->cycle);

		assert_true(now.requests <= 3 && now.bus <= 2 && now.until > s->cycle);
		if (s->cycle < same) {
			assert_int_equal(now.requests, live.requests);
			assert_int_equal(now.bus, live.bus);
		}
		live = now;
		same = now.until;
		s->requests += now.requests;
		s->bus += now.bus;
	}
}

static void each_request_is_live_for_its_latency(void **state)
{
	static struct ia64_queues q;
	uint64_t random = 1, now = 1, requests = 0, transactions = 0;
	struct sums sums = {.cycle = 1};

	(void)state;
	ia64_begin_queues(&q, &processor);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const unsigned kind = next(&random) % 3;	// L3 hit, memory read, write

		now += next(&random) % 40;
		count_until(&sums, &q, now);
		q.present = now;
		if (kind == 2) {
			ia64_queue_write(&q, &now);
		} else {
			const uint64_t until = ia64_queue_read(&q, kind == 0, &now);

			assert_true(until >= now + (kind ? 120 : 21));
			requests += until - (now + 6);
		}
		transactions += kind != 0;
	}
	count_until(&sums, &q, now + 1000);
	assert_int_equal(ia64_queues_in(&q, now + 1000).until, UINT64_MAX);
	assert_int_equal(sums.requests, requests);
	assert_int_equal(sums.bus, 99 * transactions);
}

// A description whose L2 is slower than its L3 and its memory: requests beyond the table's size are
// forgotten.
static void odd_latencies_are_harmless(void **state)
{
	static const struct processor odd = {
		.latency = {
			[LATENCY_L2] = PROCESSOR_LATENCY, [LATENCY_L3] = 1, [LATENCY_MEMORY] = 1,
		},
		.queue = {[QUEUE_BRQ] = 1, [QUEUE_IOQ] = 1},
	};
	static struct ia64_queues q;
	uint64_t now = 0;

	(void)state;
	ia64_begin_queues(&q, &odd);
	for (unsigned i = 0; i < 4 * REQUESTS; i++) {
		ia64_queue_read(&q, i & 1, &now);
		ia64_queue_write(&q, &now);
	}
	assert_int_equal(ia64_queues_in(&q, now + 2 * PROCESSOR_LATENCY).requests, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_request_is_live_for_its_latency),
		cmocka_unit_test(odd_latencies_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
