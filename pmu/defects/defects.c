// SPDX-License-Identifier: BSD-2-Clause
// The common part of defective models: the sound model's operations, changed by the rows of the
// state's defect.

#include <string.h>

#include "defects.h"

#define HIDDEN_MOST	32	// registers whose held value differs from the value that software
				// reads: a core's control registers
#define WORDS_MOST	4	// status words of a thread

// The wrapper's data, after the sound model's state.
struct shadow {
	int defect;
	const struct engine_rules *rules;	// the sound model's rules
	struct {
		uint32_t address, thread;
		uint64_t bits, written;		// these bits read as they were written
	} hidden[HIDDEN_MOST];
	size_t hidden_count;
};

static const struct defective *defective_of(const void *state)
{
	return (const struct defective *)((const struct engine *)state)->rules;
}

static struct shadow *shadow_behind(const struct pmu_model *sound, const void *state)
{
	return (struct shadow *)((char *)state + sound->size);
}

static struct shadow *shadow_of(const void *state)
{
	return shadow_behind(defective_of(state)->sound, state);
}

bool has_defect(const void *state, int defect)
{
	return shadow_of(state)->defect == defect;
}

void *defective_own(const void *state)
{
	return shadow_of(state) + 1;
}

// Returns the next row of this kind for the state's defect. `row`: the previous one, or NULL. NULL:
// there are no more.
static const struct defect *next(const void *state, enum defect_kind kind, const struct defect *row)
{
	const struct defective *d = defective_of(state);

	for (row = row ? row + 1 : d->table; row < d->table + d->table_size; row++)
		if (row->kind == kind && has_defect(state, row->defect))
			return row;
	return NULL;
}

// Returns the row of this kind that affects a register, or NULL.
static const struct defect *about(const void *state, enum defect_kind kind, uint32_t address)
{
	const struct defect *row = next(state, kind, NULL);

	while (row && address - row->address >= row->count)
		row = next(state, kind, row);
	return row;
}

static uint64_t bits_about(const void *state, enum defect_kind kind, uint32_t address)
{
	const struct defect *row = about(state, kind, address);

	return row ? row->bits : 0;
}

//
// Counting
//

void defective_sum(struct engine *e)
{
	const struct defect *halted = next(e, COUNTS_HALTED, NULL);

	shadow_of(e)->rules->sum(e);
	if (!halted || e->input_count)
		return;
	memcpy(&e->moving, (const char *)e + halted->bits, sizeof e->moving);
	for (uint32_t rest = e->moving; rest; rest &= rest - 1)
		e->counter[__builtin_ctz(rest)].step = 1;
}

static uint32_t change_wraps(struct engine *e, uint32_t wrapped)
{
	const struct defective *d = defective_of(e);
	const struct defect *adds = next(e, WRAPS_ADD, NULL), *clears = next(e, WRAPS_TO_0, NULL);
	uint32_t seen = wrapped, threads = 0;

	for (uint32_t rest = wrapped; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest), counter = i % d->counters, thread = i / d->counters;

		if (adds && adds->address >> counter & 1)
			e->counter[i].count += adds->bits;
		if (clears && clears->address >> counter & 1)
			e->counter[i].count = 0;
		if (next(e, WRAPS_ONE, NULL) && threads >> thread & 1)
			seen &= ~(1u << i);
		threads |= 1u << thread;
	}
	return seen;
}

bool defective_passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	const struct defective *d = defective_of(e);
	const struct defect *lost = next(e, LEAVES_NO_STATUS, NULL);
	const unsigned words = lost ? d->sound->threads * lost->count : 0;
	uint64_t *status[ENGINE_THREADS * WORDS_MOST], before[ENGINE_THREADS * WORDS_MOST];

	for (unsigned i = 0; i < words; i++) {
		char *thread = (char *)e + lost->address + i / lost->count * d->thread_size;

		status[i] = (uint64_t *)thread + i % lost->count;
		before[i] = *status[i];
	}
	shadow_of(e)->rules->passed(e, cycles, change_wraps(e, wrapped));
	for (unsigned i = 0; i < words; i++)
		*status[i] = (*status[i] & ~lost->bits) | (before[i] & lost->bits);
	if (d->configure)
		d->configure(e);
	return true;
}

void defective_lower_headroom(struct engine *e)
{
	if (shadow_of(e)->rules->lower_headroom)
		shadow_of(e)->rules->lower_headroom(e);
}

void defective_ended(struct engine *e)
{
	if (shadow_of(e)->rules->ended)
		shadow_of(e)->rules->ended(e);
}

void defective_configure(struct engine *e)
{
	if (shadow_of(e)->rules->configure)
		shadow_of(e)->rules->configure(e);
}

void defective_follow(void *state)
{
	engine_sync(state);
	if (defective_of(state)->configure)
		defective_of(state)->configure(state);
	engine_derive(state);
}

void defective_advance(void *state, uint64_t cycles, const struct occurrence *occurrences, size_t count)
{
	const struct pmu_model *sound = defective_of(state)->sound;

	if (!engine_has_inputs(state, occurrences, count)) {
		sound->advance(state, 0, occurrences, count);
		defective_follow(state);
	}
	sound->advance(state, cycles, occurrences, count);
}

//
// Accesses
//

static void hide(void *state, unsigned thread, uint32_t address, uint64_t bits, uint64_t written)
{
	struct shadow *s = shadow_of(state);
	size_t i = 0;

	while (i < s->hidden_count && (s->hidden[i].address != address || s->hidden[i].thread != thread))
		i++;
	if (i == HIDDEN_MOST || (i == s->hidden_count && !bits))
		return;
	s->hidden_count += i == s->hidden_count;
	s->hidden[i].address = address;
	s->hidden[i].thread = thread;
	s->hidden[i].bits = bits;
	s->hidden[i].written = written;
}

static uint64_t shown(const void *state, unsigned thread, uint32_t address, uint64_t value)
{
	const struct shadow *s = shadow_of(state);
	const struct defect *less = about(state, READS_LESS, address);

	for (size_t i = 0; i < s->hidden_count; i++)
		if (s->hidden[i].address == address && s->hidden[i].thread == thread)
			value = (value & ~s->hidden[i].bits) | (s->hidden[i].written & s->hidden[i].bits);
	value |= bits_about(state, READS_SET, address);
	return less ? value - (value >> less->bits) : value;
}

bool defective_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	const struct pmu_model *sound = defective_of(state)->sound;
	const struct defect *absent = about(state, ABSENT_READS, address);

	engine_sync(state);
	*value = absent ? absent->bits : 0;
	if (!sound->read(state, thread, address, value))
		return absent || (model_register(sound, address) && next(state, UNCHECKED, NULL));
	*value = shown(state, thread, address, *value);
	return true;
}

bool defective_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	const struct defective *d = defective_of(state);
	const struct register_description *r = model_register(d->sound, address);
	const uint64_t written = (value & ~bits_about(state, WRITES_CLEAR, address)) |
				 bits_about(state, WRITES_SET, address);
	uint64_t held = (written & ~bits_about(state, HOLDS_CLEAR, address)) | bits_about(state, HOLDS_SET, address);
	uint64_t hidden;

	held = d->held ? d->held(state, address, held) : held;
	if (!d->sound->write(state, thread, address, held, cycles))
		return r && next(state, UNCHECKED, NULL);
	hidden = (written ^ held) | (written & bits_about(state, READS_WRITTEN, address));
	for (unsigned other = 0; other < d->sound->threads; other++)
		if (other == thread || r->scope == REGISTER_OF_CORE)
			hide(state, other, address, hidden, written);
	defective_follow(state);
	return true;
}

bool defective_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	const struct pmu_model *sound = defective_of(state)->sound;
	const struct defect *bits = next(state, INDEX_READS, NULL);

	engine_sync(state);
	if (!sound->user->read_counter(state, thread, index, value)) {
		*value = bits_about(state, INDEX_UNCHECKED, index);
		return about(state, INDEX_UNCHECKED, index);
	}
	for (size_t i = 0; i < sound->group_count; i++) {
		const struct model_counters *g = &sound->groups[i];

		if (index - g->index < g->count)
			*value = shown(state, thread, g->address + index - g->index, *value);
	}
	*value &= bits ? bits->bits : UINT64_MAX;
	return true;
}

bool defective_write_counter(void *state, unsigned thread, uint32_t index, uint64_t value, uint64_t cycles)
{
	if (!defective_of(state)->sound->user->write_counter(state, thread, index, value, cycles))
		return about(state, INDEX_UNCHECKED, index);
	defective_follow(state);
	return true;
}

//
// Reset
//

// Writes registers once after reset, so that they hold their values as the defect changes them.
static void write_again(void *state, enum defect_kind kind)
{
	const struct defective *d = defective_of(state);

	for (const struct defect *row = next(state, kind, NULL); row; row = next(state, kind, row))
		for (unsigned i = 0; i < d->sound->threads * row->count; i++) {
			const unsigned thread = i / row->count;
			const uint32_t address = row->address + i % row->count;
			uint64_t value = row->bits;

			if (kind == RESETS_TO)
				d->sound->write(state, thread, address, value, 0);
			else if (defective_read(state, thread, address, &value))
				defective_write(state, thread, address, value, 0);
		}
}

void defective_reset(const struct defective *d, void *state, int defect, uint64_t seed)
{
	struct engine *e = state;
	struct shadow *s = shadow_behind(d->sound, state);
	const struct defect *width;

	d->sound->reset(state, -1, seed);
	memset(s, 0, sizeof *s + d->own);
	s->defect = defect;
	s->rules = e->rules;
	e->rules = &d->rules;
	width = next(state, COUNTS_BITS, NULL);
	if (width)
		e->mask = FIELD_MASK(0, width->bits);
	for (unsigned i = 0; i < ENGINE_COUNTERS; i++)
		e->counter[i].count &= e->mask;
	write_again(state, RESETS_TO);
	write_again(state, HOLDS_SET);
	write_again(state, HOLDS_CLEAR);
	defective_follow(state);
	e->outputs.requests = 0;
}

void defective_model(struct pmu_model *model, struct model_user *user, const struct defective *d,
		     void (*reset)(void *state, int defect, uint64_t seed))
{
	*model = *d->sound;
	model->size = (model->size + sizeof(struct shadow) + d->own + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT *
		      MODEL_ALIGNMENT;
	model->faults = d->names;
	model->reset = reset;
	model->read = defective_read;
	model->write = defective_write;
	if (user) {
		*user = *d->sound->user;
		user->read_counter = defective_read_counter;
		user->write_counter = user->write_counter ? defective_write_counter : NULL;
		model->user = user;
	}
	model->advance = defective_advance;
	model->sums = NULL;		// the model must see each cycle
}
