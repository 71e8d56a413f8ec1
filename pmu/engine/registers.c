// SPDX-License-Identifier: BSD-2-Clause
// Registers: the effects of accesses follow from their fields, and from hooks for the few special
// ones.

#include "engine.h"

#include <string.h>

#define GOLDEN_RATIO 0x9E3779B97F4A7C15ULL

uint64_t engine_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
	x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
	return x ^ x >> 31;
}

uint64_t engine_undefined(uint64_t seed, uint64_t of)
{
	return engine_mix(engine_mix(seed + GOLDEN_RATIO) ^ of);
}

// Copies the bit below the register's SXT field, of which there is at most one, into that field.
static uint64_t extend(uint64_t value, uint64_t extended)
{
	const uint64_t sign = (extended & -extended) >> 1;

	return value & sign ? value | extended : value & ~extended;
}

static void reset_registers(const struct engine_registers *r, struct engine *e, uint64_t seed)
{
	e->registers = r;
	e->seed = seed;
	for (unsigned thread = 0; thread < r->threads; thread++)
		for (uint32_t kind = 0; kind < r->kinds; kind++)
			for (unsigned i = 0; i < r->description[kind].count; i++) {
				const struct engine_register *k = &r->kind[kind];
				const struct register_description *d = &r->description[kind];
				const uint64_t undefined =
					engine_undefined(seed, d->address + i * d->distance);
				const uint64_t value = extend(k->reset | (k->undefined & undefined),
							      k->extended);

				if (k->is_counter)
					e->counter[thread * r->counters + k->counter + i].count =
						value & e->mask;
				else
					*engine_stored(e, thread, kind, i) = value;
			}
	engine_restore(e);
}

void engine_model_reset(const struct engine_registers *r, const struct engine_rules *rules,
			void *state, size_t size, uint64_t seed)
{
	memset(state, 0, size);
	engine_reset(state, rules, r->width);
	reset_registers(r, state, seed);
}

bool engine_restore(void *state)
{
	struct engine *e = state;
	const struct engine_registers *r = e->registers;
	bool possible = true;

	for (unsigned thread = 0; thread < r->threads; thread++)
		for (uint32_t kind = 0; kind < r->kinds; kind++)
			for (unsigned i = 0;
			     i < r->description[kind].count && !r->kind[kind].is_counter; i++) {
				const struct engine_hooks *hooks = &r->hooks[kind];
				const uint64_t held = *engine_stored(e, thread, kind, i);

				possible &= held == extend(held, r->kind[kind].extended) &&
					    (!hooks->accepts || hooks->accepts(held)) &&
					    (r->description[kind].scope != REGISTER_OF_CORE ||
					     held == *engine_stored(e, 0, kind, i));
				if (hooks->follow)
					hooks->follow(e,
						      &(struct engine_access){kind, thread, i, held,
									      0, held});
			}
	engine_configure(e);
	return possible;
}

// Returns a set of counters in which those of a thread are replaced by `counters`, numbered from 0.
static uint32_t replace(const struct engine *e, uint32_t set, unsigned thread, uint32_t counters)
{
	const uint32_t of_thread = (uint32_t)FIELD_MASK(0, e->registers->counters);
	const unsigned first = thread * e->registers->counters;

	return (set & ~(of_thread << first)) | counters << first;
}

void engine_leave_out(void *state, unsigned thread, uint32_t counters)
{
	struct engine *e = state;
	uint32_t absent = replace(e, e->absent, thread, 0);

	for (uint32_t rest = replace(e, 0, thread, counters) & e->comparing; rest;
	     rest &= rest - 1)
		if (e->counter[__builtin_ctz(rest)].inverted)
			absent |= rest & -rest;
	if (absent == e->absent)
		return;
	engine_sync(e);
	e->absent = absent;
	engine_configure(e);
}

void engine_set_late(void *state, unsigned thread, uint32_t counters)
{
	struct engine *e = state;
	const uint32_t late = replace(e, e->late, thread, counters);

	if (late == e->late)
		return;
	engine_sync(e);
	e->late_asserted &= e->late & late;
	e->late = late;
	engine_configure(e);
}

bool engine_read_held(struct engine *e, unsigned thread, uint32_t kind, unsigned index,
		      uint64_t *value)
{
	const struct engine_hooks *hooks = &e->registers->hooks[kind];

	engine_sync(e);
	*value = *engine_stored(e, thread, kind, index);
	return !hooks->read || hooks->read(e, thread, index, value);
}

uint64_t engine_held(const struct engine_register *k, uint64_t before, uint64_t value)
{
	const uint64_t kept = k->keeps | (k->clears & ~value) | (k->clears_by_0 & value);

	return extend((value & k->writable) | (before & kept), k->extended);
}

// Performs the special effects of a register write.
static void act(struct engine *e, const struct engine_access *a)
{
	const struct engine_hooks *hooks = &e->registers->hooks[a->kind];
	bool changes = a->held != a->before;

	if (changes && hooks->follow)
		hooks->follow(e, a);
	if (hooks->clears) {
		uint64_t *cleared = engine_stored(e, a->thread, hooks->clears, a->index);

		changes |= *cleared & a->value;
		*cleared &= ~a->value;
	}
	changes &= hooks->configures || hooks->follow;
	if (hooks->written)
		changes |= hooks->written(e, a);
	if (changes)
		engine_configure(e);
}

bool engine_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct engine *e = state;
	const struct engine_registers *r = e->registers;
	struct engine_access a = {.thread = thread, .value = value};
	const struct engine_register *k;

	a.kind = engine_locate(r, address, &a.index);
	if (a.kind == ENGINE_NO_KIND)
		return false;
	k = &r->kind[a.kind];
	if (value & k->reserved || !(k->writable | k->clears | k->clears_by_0) ||
	    (r->hooks[a.kind].accepts && !r->hooks[a.kind].accepts(value)))
		return false;
	engine_run(e, cycles);
	if (k->is_counter) {
		engine_set_count(e, thread * r->counters + k->counter + a.index,
				 engine_held(k, 0, value));
		return true;
	}
	engine_sync(e);
	a.before = *engine_stored(e, thread, a.kind, a.index);
	a.held = engine_held(k, a.before, value);
	*engine_stored(e, thread, a.kind, a.index) = a.held;
	if (r->description[a.kind].scope == REGISTER_OF_CORE)
		for (unsigned other = 0; other < r->threads; other++)
			*engine_stored(e, other, a.kind, a.index) = a.held;
	act(e, &a);
	return true;
}

bool engine_clock_read(void *state, unsigned thread, unsigned index, uint64_t *value)
{
	(void)thread, (void)index;
	*value += ((const struct engine *)state)->cycles;
	return true;
}

bool engine_clock_written(void *state, const struct engine_access *a)
{
	struct engine *e = state;

	for (unsigned thread = 0; thread < e->registers->threads; thread++)
		*engine_stored(e, thread, a->kind, a->index) = a->held - e->cycles;
	return true;
}

//
// Saving
//

// Returns the bits of a register that can change: bits that software writes, and bits that the
// hardware sets, which software clears through this register or another one.
static uint64_t changing(const struct engine_registers *r, uint32_t kind)
{
	const struct engine_register *k = &r->kind[kind];
	uint64_t bits = k->writable | k->clears_by_0 | k->extended | (k->keeps & k->undefined);

	for (uint32_t other = 0; other < r->kinds; other++)
		if (kind == (r->hooks[other].clears ? r->hooks[other].clears : other))
			bits |= r->kind[other].clears;
	return r->hooks[kind].made ? 0 : bits;
}

static struct model_field register_field(const struct engine_registers *r, unsigned thread,
					 uint32_t kind)
{
	const struct engine_register *k = &r->kind[kind];
	const uint64_t bits = k->is_counter ? FIELD_MASK(0, r->width) : changing(r, kind);
	struct model_field f = {.size = sizeof(uint64_t), .allowed = bits};

	f.count = bits ? r->description[kind].count : 0;
	if (k->is_counter) {
		f.offset = offsetof(struct engine,
				    counter[thread * r->counters + k->counter].count);
		f.distance = sizeof(struct engine_counter);
	} else {
		f.offset = r->file + (thread * r->slots + k->slot) * sizeof(uint64_t);
		f.distance = sizeof(uint64_t);
	}
	return f;
}

bool engine_field(const struct engine_registers *r, size_t number, struct model_field *field)
{
	const size_t registers = r->threads * r->kinds;

	if (number >= registers + r->saved_count)
		return false;
	*field = number < registers ? register_field(r, number / r->kinds, number % r->kinds) :
				      r->saved[number - registers];
	return true;
}
