// SPDX-License-Identifier: BSD-2-Clause
// Counters that add up the events of each cycle, lazily: a run of equal cycles is one addition.

#include "engine.h"

const struct occurrence engine_nothing;

void engine_reset(struct engine *e, const struct engine_rules *rules, unsigned width)
{
	e->rules = rules;
	e->inputs = &engine_nothing;
	e->mask = FIELD_MASK(0, width);
}

// Returns whether a thread whose events a counter sees is at one of its levels.
static bool is_at_level(const struct engine *e, const struct engine_counter *c)
{
	for (unsigned rest = c->threads; rest; rest &= rest - 1)
		if (c->levels >> e->level[__builtin_ctz(rest)] & 1)
			return true;
	return false;
}

void engine_compare(struct engine *e)
{
	for (uint32_t rest = e->comparing & e->counting; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		struct engine_counter *c = &e->counter[i];
		const uint64_t events = e->moving >> i & 1 ? c->step : 0;
		const bool met = c->inverted ? events < c->least && is_at_level(e, c) :
			events >= c->least;
		const bool edge = e->edges >> i & 1, rises = met && !(e->asserted >> i & 1);

		c->step = 1;
		ENGINE_PUT_BIT(e->condition, i, met);
		ENGINE_PUT_BIT(e->moving, i, edge ? rises : met);
		ENGINE_PUT_BIT(e->rising, i, edge && rises);
	}
}

// An edge adds one, in the next cycle only.
void engine_measure(struct engine *e)
{
	uint64_t raises = UINT64_MAX, breaks = e->rising ? 0 : UINT64_MAX;

	for (uint32_t rest = e->moving & (e->raising | e->breaking); rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		const uint64_t cycles = engine_before_wrap(e, i);

		if (cycles && e->rising >> i & 1)
			continue;
		if (cycles < raises && e->raising >> i & 1)
			raises = cycles;
		if (cycles < breaks && e->breaking >> i & 1)
			breaks = cycles;
	}
	e->outputs.headroom = raises;
	e->before_break = breaks;
	if (__builtin_expect(e->busy && e->rules->lower_headroom, 0))
		e->rules->lower_headroom(e);
	e->outputs.steady = e->before_break < e->outputs.headroom ? e->before_break :
		e->outputs.headroom;
}

static uint32_t add_many(struct engine *e, uint64_t cycles)
{
	uint32_t wrapped = 0;

	for (uint32_t rest = e->moving; rest; rest &= rest - 1) {
		struct engine_counter *c = &e->counter[__builtin_ctz(rest)];
		const unsigned __int128 sum = (unsigned __int128)c->step * cycles + c->count;

		c->count = (uint64_t)sum & e->mask;
		wrapped |= sum > e->mask ? rest & -rest : 0;
	}
	e->cycles += cycles;
	e->asserted = e->condition;
	return wrapped;
}

bool engine_add_cycles(struct engine *e, uint64_t cycles)
{
	const uint32_t wrapped = cycles <= ENGINE_FEW ? engine_add_few(e, cycles) :
		add_many(e, cycles);

	return __builtin_expect(wrapped || e->busy, 0) && e->rules->passed(e, cycles, wrapped);
}

void engine_run_eventful(struct engine *e, uint64_t cycles)
{
	engine_sync(e);
	engine_measure(e);
	while (cycles) {
		const uint64_t piece = e->before_break < cycles ? e->before_break + 1 : cycles;

		if (engine_add_cycles(e, piece)) {
			engine_derive(e);
		} else {
			e->moving &= ~e->rising;
			e->rising = 0;
			engine_measure(e);
		}
		cycles -= piece;
	}
	if (e->rules->ended)
		e->rules->ended(e);
}

// The first cycle may begin an edge.
static uint32_t add_late(struct engine *e, uint64_t cycles)
{
	uint32_t wrapped = engine_add_few(e, 1);

	e->moving &= ~e->rising;
	return wrapped | add_many(e, cycles - 1);
}

void engine_count_late(void *state, uint32_t counters, uint64_t cycles,
		       const struct occurrence *occurrences, size_t count)
{
	struct engine *e = state;
	const struct occurrence *const inputs = e->inputs;
	const size_t input_count = e->input_count;
	uint32_t counting, asserted, wrapped;
	uint64_t passed;

	engine_sync(e);
	counting = e->counting;
	asserted = e->asserted;
	passed = e->cycles;
	e->inputs = count ? occurrences : &engine_nothing;
	e->input_count = count;
	e->counting = counters;
	e->asserted = e->late_asserted;
	e->rules->sum(e);
	e->condition = e->moving;
	e->rising = 0;
	engine_compare(e);
	wrapped = add_late(e, cycles);
	e->late_asserted = (e->late_asserted & ~counters) | (e->asserted & counters);
	e->inputs = inputs;
	e->input_count = input_count;
	e->counting = counting;
	e->asserted = asserted;
	e->cycles = passed;
	if (wrapped)
		e->rules->passed(e, 0, wrapped);
	engine_derive(e);
}

void engine_configure(struct engine *e)
{
	if (e->rules->configure)
		e->rules->configure(e);
	engine_derive(e);
}

void engine_set_count(struct engine *e, unsigned counter, uint64_t value)
{
	const bool matters = e->moving >> counter & 1 || e->busy;

	if (matters)
		engine_sync(e);
	e->counter[counter].count = value & e->mask;
	if (matters)
		engine_measure(e);
}

void engine_select(struct engine_selection *s, unsigned counter, unsigned before, unsigned code,
		   unsigned mask)
{
	ENGINE_PUT_BIT(s->of_code[before], counter, false);
	ENGINE_PUT_BIT(s->of_code[code], counter, true);
	for (unsigned bit = 0; bit < 8; bit++)
		ENGINE_PUT_BIT(s->of_unit[bit], counter, mask >> bit & 1);
	ENGINE_PUT_BIT(s->of_no_unit, counter, !mask);
}

void engine_model_sync(void *state)
{
	engine_sync(state);
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

// A counter that both instructions and cycles change allots half of its distance to each.
void engine_headroom(void *state, const struct model_most *most, struct model_headroom *headroom)
{
	struct engine *e = state;

	engine_sync(e);
	*headroom = (struct model_headroom){MODEL_FAR, MODEL_FAR};
	if (e->busy)
		*headroom = (struct model_headroom){0};
	for (uint32_t rest = (e->raising | e->breaking | e->later) &
	     (e->counting | e->outputs.late); rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		const struct model_most of = e->comparing >> i & 1 ?
			(struct model_most){.cycle = 1} : most[i];
		const uint64_t left = (e->mask - e->counter[i].count) >>
			(of.instruction && of.cycle);

		if (of.instruction)
			headroom->instructions = least_of(headroom->instructions,
							  left / of.instruction);
		if (of.cycle)
			headroom->cycles = least_of(headroom->cycles, left / of.cycle);
		if (!of.instruction && !of.cycle)
			*headroom = (struct model_headroom){0};
	}
}
