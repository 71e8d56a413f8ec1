// SPDX-License-Identifier: BSD-2-Clause
// The counting engine against a naive counter: random settings, inputs and runs, one cycle at a time on the other side.

#include "unit.h"

#include "../../../../pmu/engine/engine.h"
#include "../core/random.h"

#define COUNTERS	6
#define WIDTH		40
#define MASK		((1ULL << WIDTH) - 1)
#define CODES		3

static struct engine engine, *const e = &engine;
static unsigned code[COUNTERS];		// the event that each selects
static struct occurrence inputs[2][6];
static size_t input_count;
static unsigned turn, level[2];
static uint64_t random_state = 1;

// Those that have wrapped since the last look; an overflow in `breaking` stops all counters that are not in it.
static uint32_t wrapped_of_engine, wrapped_of_naive;

static struct naive {
	uint64_t count[COUNTERS];
	bool met[COUNTERS], raised;
	uint32_t counting;
} naive;

static unsigned below(uint64_t limit)
{
	return (unsigned)(random_word(&random_state) % limit);
}

static bool counts(unsigned i, const struct occurrence *o)
{
	const struct engine_counter *c = &e->counter[i];

	return code[i] == o->code && c->threads >> o->thread & 1 && c->levels >> o->level & 1;
}

static uint32_t selects(const struct engine *of, const struct occurrence *o)
{
	uint32_t counters = 0;

	(void)of;
	for (unsigned i = 0; i < COUNTERS; i++)
		counters |= (uint32_t)counts(i, o) << i;
	return counters;
}

static void sum(struct engine *of)
{
	engine_sum(of, selects);
}

static bool passed(struct engine *of, uint64_t cycles, uint32_t wrapped)
{
	(void)cycles;
	wrapped_of_engine |= wrapped;
	of->outputs.requests |= (wrapped & of->raising) != 0;
	of->counting &= wrapped & of->breaking ? of->breaking : ~0u;
	return wrapped & of->breaking;
}

static const struct engine_rules rules = {.sum = sum, .passed = passed};

static bool naive_meets(unsigned i, uint64_t events)
{
	const struct engine_counter *c = &e->counter[i];
	bool at_level = false;

	for (unsigned thread = 0; thread < 2; thread++)
		at_level |= c->threads >> thread & 1 && c->levels >> level[thread] & 1;
	return c->inverted ? events < c->least && at_level : events >= c->least;
}

static void naive_cycle(void)
{
	uint32_t wrapped = 0;

	for (unsigned i = 0; i < COUNTERS; i++) {
		const bool counting = naive.counting >> i & 1, before = naive.met[i];
		uint64_t step = 0;

		for (const struct occurrence *o = inputs[turn]; o < inputs[turn] + input_count; o++)
			step += counting && counts(i, o) ? o->n : 0;
		naive.met[i] = step;
		if (counting && e->comparing >> i & 1) {
			naive.met[i] = naive_meets(i, step);
			step = naive.met[i] && !(e->edges >> i & 1 && before);
		}
		naive.count[i] += step;
		wrapped |= (uint32_t)(naive.count[i] >> WIDTH) << i;
		naive.count[i] &= MASK;
	}
	wrapped_of_naive |= wrapped;
	naive.raised |= (wrapped & e->raising) != 0;
	naive.counting &= wrapped & e->breaking ? e->breaking : ~0u;
}

static void run_both(uint64_t cycles)
{
	engine_run(e, cycles);
	while (cycles--)
		naive_cycle();
}

static void set_up(unsigned i)
{
	engine_sync(e);
	code[i] = below(CODES);
	e->counter[i].least = (uint16_t)(1 + below(3));
	e->counter[i].inverted = below(2);
	e->counter[i].threads = (uint8_t)below(4);
	e->counter[i].levels = (uint8_t)below(16);
	engine_put_bit(&e->comparing, i, below(2));
	engine_put_bit(&e->edges, i, below(2));
	e->raising = below(1 << COUNTERS);
	e->breaking = below(1 << COUNTERS);
	e->counting = naive.counting = ~(below(2) << below(COUNTERS));
	engine_derive(e);
}

static void connect(void)
{
	turn = !turn;
	input_count = below(6);
	for (struct occurrence *o = inputs[turn]; o < inputs[turn] + input_count; o++) {
		*o = (struct occurrence){.code = (uint16_t)below(CODES), .n = below(4), .thread = (uint8_t)below(2),
					 .level = (uint8_t)below(4)};
		level[o->thread] = o->level;
	}
	engine_connect(e, inputs[turn], input_count, sum);
}

static void set_count(unsigned i)
{
	naive.count[i] = -(uint64_t)below(60) & MASK;
	engine_set_count(e, i, naive.count[i]);
}

static void assert_the_same(void)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(engine_count(e, i), naive.count[i]);
	engine_sync(e);
	assert_int_equal(wrapped_of_engine, wrapped_of_naive);
	assert_int_equal(e->outputs.requests, naive.raised);
	engine_measure(e);
}

// Also its headroom: no line rises in as many cycles, and one does in the next, unless something changes before.
static void the_engine_counts_as_a_naive_counter(void **state)
{
	uint64_t headroom;
	unsigned rises = 0;

	(void)state;
	engine_reset(e, &rules, WIDTH);
	engine_derive(e);
	for (unsigned step = 0; step < 100000; step++) {
		switch (below(4)) {
		case 0: below(4) ? set_count(below(COUNTERS)) : set_up(below(COUNTERS)); break;
		case 1: connect(); break;
		default: run_both(below(50));
		}
		assert_the_same();
		headroom = e->outputs.headroom;
		if (headroom > 60 || e->before_break < headroom)
			continue;
		e->outputs.requests = naive.raised = 0;
		run_both(headroom);
		assert_false(naive.raised);
		assert_the_same();
		run_both(1);
		assert_true(naive.raised);
		assert_the_same();
		rises++;
	}
	assert_true(rises > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_engine_counts_as_a_naive_counter)};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
