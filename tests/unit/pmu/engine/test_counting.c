// SPDX-License-Identifier: BSD-2-Clause
// The counting engine compared with a naive counter, which runs one cycle at a time: random
// settings, inputs and runs.

#include "../../../../pmu/engine/engine.h"
#include "../each_test.h"

#define COUNTERS	6
#define ALL		((1u << COUNTERS) - 1)
#define PERIOD		70	// cycles

// State of the engine, and of the naive counter with the engine's settings.
static struct side {
	struct engine engine;
	uint64_t due;			// cycles before the model's own deadline; it has one while
					// it is busy
	bool acts;			// a run had effects other than counting
} tested, naive;
static struct engine *const e = &tested.engine, *const n = &naive.engine;
static struct occurrence inputs[2][6];
static uint32_t selected[4][4];		// sets of counters, by event and level

static uint32_t selects(const struct engine *of, const struct occurrence *o)
{
	(void)of;
	return selected[o->code][o->level];
}

static void sum(struct engine *of)
{
	engine_sum(of, selects);
}

// An overflow in `breaking` stops the counters outside that set. The deadline raises the line and
// switches counter 0.
static bool passed(struct engine *of, uint64_t cycles, uint32_t wrapped)
{
	struct side *s = (struct side *)of;
	const bool at_deadline = e->busy && !(s->due -= cycles);

	s->due += at_deadline ? PERIOD : 0;
	of->outputs.strobes |= wrapped;
	of->outputs.requests |= (wrapped & e->raising) || at_deadline;
	of->counting = (of->counting & (wrapped & e->breaking ? e->breaking : ALL)) ^ at_deadline;
	return s->acts |= (wrapped & (e->raising | e->breaking)) || at_deadline;
}

static void lower_headroom(struct engine *of)
{
	of->before_break = of->before_break < tested.due ? of->before_break : tested.due - 1;
	of->outputs.headroom = of->outputs.headroom < tested.due ? of->outputs.headroom :
		tested.due - 1;
}

static void ended(struct engine *of)
{
	((struct side *)of)->acts = false;
}

static void run_naive(uint64_t cycles)	// equal cycles
{
	uint32_t wrapped = 0;

	for (unsigned i = 0; i < COUNTERS && cycles; i++) {
		const struct engine_counter *c = &e->counter[i];
		const bool compares = e->comparing & n->counting & 1u << i,
			before = n->asserted >> i & 1;
		unsigned __int128 step = 0;
		bool at_level = false, met;

		for (const struct occurrence *o = n->inputs; o < n->inputs + n->input_count; o++)
			step += selects(n, o) & n->counting & 1u << i ? o->n : 0;
		for (unsigned thread = 0; thread < ENGINE_THREADS; thread++)
			at_level |= c->threads >> thread & c->levels >> n->level[thread] & 1;
		met = !compares ? step : c->inverted ? step < c->least &&
			at_level : step >= c->least;
		ENGINE_PUT_BIT(n->asserted, i, met);
		step = compares ? met && !(e->edges >> i & 1 && before) : step;
		step = step * cycles + n->counter[i].count;
		n->counter[i].count = (uint64_t)step & n->mask;
		ENGINE_PUT_BIT(wrapped, i, step > n->mask);
	}
	n->cycles += cycles;
	passed(n, cycles, wrapped);
}

static void change(unsigned i)
{
	struct occurrence *o = inputs[n->inputs == inputs[0]];

	if (random_below(2)) {
		engine_sync(e);
		selected[random_below(4)][random_below(4)] = (uint32_t)random_bits(ALL);
		e->counter[i] = (struct engine_counter){.count = e->counter[i].count,
							.least = random_bits(3) + 1,
			.inverted = random_below(2), .threads = random_bits(7),
			.levels = random_bits(0xF)};
		e->comparing = random_bits(ALL);
		e->edges = random_bits(ALL);
		e->raising = random_bits(ALL) * random_below(2);
		e->breaking = random_bits(ALL) * random_below(2);
		e->busy = random_below(2);
		tested.due = naive.due = PERIOD;
		e->counting = n->counting = ALL & ~(random_below(2) << i);
		engine_derive(e);
	} else if (random_below(2)) {
		n->inputs = o;
		n->input_count = random_below(6);
		for (; o < n->inputs + n->input_count; n->level[o->thread] = o->level, o++)
			*o = (struct occurrence){.code = random_bits(3), .level = random_bits(3),
				.thread = random_below(3), .n = random_below(8) ? random_bits(3) :
					UINT32_MAX};
		engine_connect(e, n->inputs, n->input_count, selects, sum);
	} else {
		n->counter[i].count = (random_below(2) ? -random_below(60) : random_bits(~0ULL)) &
			n->mask;
		engine_set_count(e, i, n->counter[i].count | ~n->mask);
	}
}

// The line rises after exactly the promised number of cycles, unless something else happens first.
static void the_engine_counts_as_a_naive_counter(void **state)
{
	static const struct engine_rules rules = {sum, passed, lower_headroom, ended};

	(void)state;
	random_state = 1;
	for (unsigned step = 0; step < 200000; step++) {
		const unsigned width = 63 - step / 100 % 56;
		uint64_t promised, cycles = random_below(2) ? random_below(PERIOD) : 1;

		if (step % 100 == 0) {
			tested = naive = (struct side){.engine.mask = FIELD_MASK(0, width)};
			engine_reset(e, &rules, width);
			engine_derive(e);
		}
		change(random_below(COUNTERS));
		promised = e->outputs.headroom;
		if (random_below(2) && (promised < PERIOD || !(e->raising | e->breaking | e->busy)))
			cycles = promised < PERIOD ? promised + random_below(2) :
				random_bits(~0ULL >> 16);
		e->outputs.requests = n->outputs.requests = naive.acts = 0;
		engine_run(e, cycles);
		for (unsigned i = 0; i < 3 * PERIOD && i < cycles; i++)
			run_naive(1);
		run_naive(cycles > 3 * PERIOD ? cycles - 3 * PERIOD : 0);
		for (unsigned i = 0; i < COUNTERS; i++)
			assert_int_equal(engine_count(e, i), n->counter[i].count);
		assert_true(e->outputs.requests == n->outputs.requests && !tested.acts);
		assert_true(cycles > promised ? naive.acts : !n->outputs.requests);
		assert_true(e->pending ||
			    (e->outputs.strobes == n->outputs.strobes && e->cycles == n->cycles));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_engine_counts_as_a_naive_counter)};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
