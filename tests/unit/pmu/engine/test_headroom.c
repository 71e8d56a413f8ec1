// SPDX-License-Identifier: BSD-2-Clause
// Headroom for any inputs: random counters with known greatest increments per instruction and per
// cycle.

#include "../../../../pmu/engine/engine.h"
#include "../each_test.h"

#define COUNTERS	5
#define WIDTH		40
#define MASK		FIELD_MASK(0, WIDTH)

static struct engine engine, *const e = &engine;
static struct model_most most[COUNTERS];
static struct occurrence inputs[2][COUNTERS];

// Counter n counts event n.
static uint32_t selects(const struct engine *of, const struct occurrence *o)
{
	(void)of;
	return 1u << o->code;
}

static void sum(struct engine *of)
{
	engine_sum(of, selects);
}

static bool passed(struct engine *of, uint64_t cycles, uint32_t wrapped)
{
	(void)cycles;
	of->outputs.requests |= (wrapped & (of->raising | of->breaking)) != 0;
	return false;
}

static void begin(void)
{
	static const struct engine_rules rules = {.sum = sum, .passed = passed};

	engine = (struct engine){0};
	engine_reset(e, &rules, WIDTH);
	e->counting = (1u << COUNTERS) - 1;
}

// Usually one of the two numbers is known.
static void random_counter(unsigned i)
{
	e->counter[i].count = MASK - random_below(2000);
	e->counter[i].least = (uint16_t)(1 + random_below(3));
	ENGINE_PUT_BIT(e->comparing, i, !random_below(4));
	ENGINE_PUT_BIT(e->raising, i, random_below(2));
	ENGINE_PUT_BIT(e->breaking, i, !random_below(4));
	ENGINE_PUT_BIT(e->counting, i, random_below(4));
	most[i].instruction = random_below(2) ? 1 + (uint32_t)random_below(2) : 0;
	most[i].cycle = !most[i].instruction || !random_below(4) ? 1 + (uint32_t)random_below(40) :
		0;
}

static struct model_headroom headroom(void)
{
	struct model_headroom h;

	engine_headroom(e, most, &h);
	return h;
}

// Runs one cycle in which `instructions` retire. Each counter gets a random part of its maximum;
// `all`: all of it.
static void pass(uint64_t instructions, bool all)
{
	static unsigned turn;

	turn = !turn;
	for (unsigned i = 0; i < COUNTERS; i++) {
		const uint64_t n = most[i].instruction * instructions + most[i].cycle;

		inputs[turn][i].code = (uint16_t)i;
		inputs[turn][i].n = (uint32_t)(all ? n : random_below(n + 1));
	}
	engine_connect(e, inputs[turn], COUNTERS, selects, sum);
	engine_run(e, 1);
}

static void nothing_overflows_within_the_headroom(void **state)
{
	unsigned ended = 0;

	(void)state;
	random_state = 1;
	for (unsigned program = 0; program < 20000; program++) {
		const bool all = program % 2;
		struct model_headroom h;

		begin();
		for (unsigned i = 0; i < COUNTERS; i++)
			random_counter(i);
		engine_derive(e);
		h = headroom();
		for (unsigned step = 0; step < 2000 && h.cycles; step++) {
			const uint64_t wanted = random_below(4);
			const uint64_t retired = wanted < h.instructions ? wanted : h.instructions;

			pass(retired, all);
			h.instructions -= retired;
			h.cycles--;
		}
		engine_sync(e);
		assert_int_equal(e->outputs.requests, 0);
		ended += !h.cycles;
	}
	assert_true(ended > 5000);
}

// For a single counter the remainder is exact: this many instructions or cycles, and one more
// overflows.
static void a_saturated_counter_overflows_right_behind_it(void **state)
{
	(void)state;
	random_state = 1;
	for (unsigned program = 0; program < 3000; program++) {
		const unsigned i = (unsigned)random_below(COUNTERS);
		struct model_headroom h;
		uint64_t left;

		begin();
		for (unsigned other = 0; other < COUNTERS; other++)
			most[other] = (struct model_most){0};
		random_counter(i);
		e->raising = e->counting = 1u << i;
		e->breaking = e->comparing = 0;
		most[i].cycle = most[i].instruction ? 0 : most[i].cycle;
		engine_derive(e);
		h = headroom();
		left = most[i].instruction ? h.instructions : h.cycles;
		assert_int_equal(most[i].instruction ? h.cycles : h.instructions, MODEL_FAR);
		assert_int_equal(left,
				 (MASK - e->counter[i].count) /
				 (most[i].instruction + most[i].cycle));
		for (; left; left--)
			pass(1, true);
		assert_int_equal(e->outputs.requests, 0);
		pass(1, true);
		assert_int_equal(e->outputs.requests, 1);
	}
}

// Headroom is 0 for an event of unknown size, and while the model is busy. Counters that do not
// count or do not raise the line have no effect. A threshold is met once per cycle.
static void what_is_unknown_has_no_headroom(void **state)
{
	(void)state;
	begin();
	most[1] = (struct model_most){0};
	e->counter[1].count = MASK - 7;
	engine_derive(e);
	assert_true(headroom().instructions == MODEL_FAR && headroom().cycles == MODEL_FAR);
	e->raising = 1u << 1;
	assert_true(headroom().instructions == 0 && headroom().cycles == 0);
	e->comparing = 1u << 1;
	assert_true(headroom().instructions == MODEL_FAR && headroom().cycles == 7);
	e->busy = true;
	assert_true(headroom().instructions == 0 && headroom().cycles == 0);
	e->busy = false;
	e->counting = 1;
	assert_true(headroom().instructions == MODEL_FAR && headroom().cycles == MODEL_FAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_overflows_within_the_headroom),
		cmocka_unit_test(a_saturated_counter_overflows_right_behind_it),
		cmocka_unit_test(what_is_unknown_has_no_headroom),
	};

	return cmocka_run_group_tests_name("engine: headroom", tests, NULL, NULL);
}
