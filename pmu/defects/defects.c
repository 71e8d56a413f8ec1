// SPDX-License-Identifier: BSD-2-Clause
// The common part of defective models: the sound model's operations, changed by the rows of the
// state's defect.

#include <string.h>

#include "defects.h"

#define HIDDEN_MOST	32	// registers whose held value differs from the value that software
				// reads: a core's control registers
#define WORDS_MOST	4	// status words of a thread
#define INPUTS_MOST	64	// occurrences of a cycle, while a mutant changes them
#define MUTANT		-2	// the defect of a state with the mutant's rows

// The mutant of the states that reset from now on; `rows` NULL: none.
static struct {
	const struct defect *rows;
	size_t count;
	bool arrived;		// an occurrence of the mutant's event has arrived
} mutant;

// The wrapper's data, after the sound model's state.
struct shadow {
	int defect;
	const struct engine_rules *rules;	// the sound model's rules
	struct {
		uint32_t address, thread;
		uint64_t bits, written;		// these bits read as they were written
	} hidden[HIDDEN_MOST];
	size_t hidden_count;
	const struct occurrence *given;		// the present inputs, as the caller passed them
	size_t given_count;
	struct occurrence changed[INPUTS_MOST];	// inputs of a mutant's event
	size_t others;				// in `changed`: first those of other events
};

void defective_mutate(const struct defect *rows, size_t count)
{
	mutant.rows = rows;
	mutant.count = count;
	mutant.arrived = false;
}

bool defective_event_arrived(void)
{
	return mutant.arrived;
}

const struct defective *defective_of(const void *state)
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
	const bool mutated = has_defect(state, MUTANT);
	const struct defect *const first = mutated ? mutant.rows : d->table;
	const struct defect *const end = first + (mutated ? mutant.count : d->table_size);

	for (row = row ? row + 1 : first; row < end; row++)
		if (row->kind == kind && (mutated || has_defect(state, row->defect)))
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
// A mutant's event
//

static const struct defect *event_row(const void *state)
{
	for (enum defect_kind kind = EVENT_DEAD; kind <= EVENT_AT_OTHER_LEVEL; kind++)
		if (next(state, kind, NULL))
			return next(state, kind, NULL);
	return NULL;
}

static bool is_event(const struct pmu_model *sound, const struct occurrence *o,
		     const struct defect *event)
{
	return model_counts(sound, o, (uint16_t)event->address, (uint8_t)event->count);
}

// Stores the inputs as the mutant changes them: first those of other events. Returns their number.
static size_t change_inputs(void *state, const struct defect *event, const struct occurrence *o,
			    size_t count)
{
	const struct pmu_model *sound = defective_of(state)->sound;
	struct shadow *s = shadow_of(state);
	size_t changed;

	s->others = 0;
	for (size_t i = 0; i < count; i++)
		if (!is_event(sound, &o[i], event))
			s->changed[s->others++] = o[i];
	changed = s->others;
	for (size_t i = 0; i < count && event->kind != EVENT_DEAD; i++)
		if (is_event(sound, &o[i], event)) {
			s->changed[changed] = o[i];
			if (event->kind == EVENT_AT_OTHER_LEVEL)
				s->changed[changed].level = o[i].level ? 0 : 3;
			changed++;
		}
	mutant.arrived |= s->others < count;
	return changed;
}

// Adds a mutant's event to the counters after those that count it: what the whole inputs add more
// than those of other events.
static void misplace(struct engine *e, void (*sum)(struct engine *e))
{
	const unsigned counters = defective_of(e)->counters;
	const size_t all = e->input_count;
	uint64_t others[ENGINE_COUNTERS], whole[ENGINE_COUNTERS];
	uint32_t moving;

	e->input_count = shadow_of(e)->others;
	sum(e);
	moving = e->moving;
	for (unsigned i = 0; i < ENGINE_COUNTERS; i++)
		others[i] = e->moving >> i & 1 ? e->counter[i].step : 0;
	e->input_count = all;
	sum(e);
	for (unsigned i = 0; i < ENGINE_COUNTERS; i++)
		whole[i] = e->moving >> i & 1 ? e->counter[i].step : 0;
	for (uint32_t rest = e->moving = moving; rest; rest &= rest - 1)
		e->counter[__builtin_ctz(rest)].step = others[__builtin_ctz(rest)];
	for (unsigned i = 0; i < ENGINE_COUNTERS; i++)
		if (whole[i] != others[i])
			e->moving = engine_add(e->counter, e->moving,
					       1u << (i / counters * counters + (i + 1) % counters),
					       whole[i] - others[i]);
}

//
// Counting
//

void defective_sum_with(struct engine *e, void (*sum)(struct engine *e))
{
	if (next(e, EVENT_MISPLACED, NULL) && shadow_of(e)->others < e->input_count)
		misplace(e, sum);
	else
		sum(e);
}

void defective_sum(struct engine *e)
{
	const struct defect *halted = next(e, COUNTS_HALTED, NULL);

	defective_sum_with(e, shadow_of(e)->rules->sum);
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
		const unsigned i = (unsigned)__builtin_ctz(rest), counter = i % d->counters,
			thread = i / d->counters;

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

void defective_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
		       size_t count)
{
	const struct pmu_model *sound = defective_of(state)->sound;
	const struct defect *event = event_row(state);
	struct shadow *s = shadow_of(state);
	struct engine *e = state;

	if (count != s->given_count || (count && occurrences != s->given)) {
		s->given = occurrences;
		s->given_count = count;
		if (event && count <= INPUTS_MOST) {
			sound->advance(state, 0, NULL, 0);	// before `changed` changes
			sound->advance(state, 0, s->changed,
				       change_inputs(state, event, occurrences, count));
			for (size_t i = 0; i < count; i++)
				e->level[occurrences[i].thread] = occurrences[i].level;
		} else {
			sound->advance(state, 0, occurrences, count);
		}
		defective_follow(state);
	}
	sound->advance(state, cycles, e->inputs, e->input_count);
}

//
// Accesses
//

static void hide(void *state, unsigned thread, uint32_t address, uint64_t bits, uint64_t written)
{
	struct shadow *s = shadow_of(state);
	size_t i = 0;

	while (i < s->hidden_count && (s->hidden[i].address != address ||
				       s->hidden[i].thread != thread))
		i++;
	if (i == HIDDEN_MOST || (i == s->hidden_count && !bits))
		return;
	s->hidden_count += i == s->hidden_count;
	s->hidden[i].address = address;
	s->hidden[i].thread = thread;
	s->hidden[i].bits = bits;
	s->hidden[i].written = written;
}

// Exchanges two fields of a value, as the row says.
static uint64_t exchange(const struct defect *row, uint64_t value)
{
	const uint64_t lower = value & row->bits, upper = value >> row->count & row->bits;

	return (value & ~(row->bits | row->bits << row->count)) | lower << row->count | upper;
}

// Returns the row with which this register exchanges two of its fields, or bits with another
// register, whose address it stores; or NULL.
static const struct defect *exchanged(const void *state, uint32_t address, uint32_t *other)
{
	const struct defect *fields = next(state, EXCHANGES_FIELDS, NULL);
	const struct defect *registers = next(state, EXCHANGES_REGISTERS, NULL);

	*other = address;
	if (fields && fields->address == address)
		return fields;
	if (!registers ||
	    (address != registers->address && address != registers->address + registers->count))
		return NULL;
	*other = registers->address + (address == registers->address ? registers->count : 0);
	return registers;
}

static uint64_t shown(const void *state, unsigned thread, uint32_t address, uint64_t value)
{
	const struct shadow *s = shadow_of(state);
	const struct defect *less = about(state, READS_LESS, address);

	for (size_t i = 0; i < s->hidden_count; i++)
		if (s->hidden[i].address == address && s->hidden[i].thread == thread)
			value = (value & ~s->hidden[i].bits) |
				(s->hidden[i].written & s->hidden[i].bits);
	value = (value & ~bits_about(state, READS_CLEAR, address)) |
		bits_about(state, READS_SET, address);
	return less ? value - (value >> less->bits) : value;
}

bool defective_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	const struct pmu_model *sound = defective_of(state)->sound;
	const struct defect *absent, *swap;
	uint32_t other;
	uint64_t there;

	address = model_canonical(sound, address);
	absent = about(state, ABSENT_READS, address);
	swap = exchanged(state, address, &other);
	engine_sync(state);
	*value = absent ? absent->bits : 0;
	if (!sound->read(state, thread, address, value))
		return absent || (model_register(sound, address) && next(state, UNCHECKED, NULL));
	if (swap && other == address)
		*value = exchange(swap, *value);
	else if (swap && sound->read(state, thread, other, &there))
		*value = (*value & ~swap->bits) | (there & swap->bits);
	*value = shown(state, thread, address, *value);
	return true;
}

// Returns the bits of a register that a written 1 clears.
static uint64_t cleared_by_1(const struct register_description *r)
{
	uint64_t bits = 0;

	for (const struct field *f = r->field; f < r->field + r->fields; f++)
		bits |= f->access == FIELD_W1C ? FIELD_MASK(f->low, f->width) : 0;
	return bits;
}

// Returns the value that this register receives instead of a written one, because of bits that it
// keeps or exchanges. Writes the other register of an exchange.
static uint64_t redirect(void *state, unsigned thread, uint32_t address, uint64_t value)
{
	const struct pmu_model *sound = defective_of(state)->sound;
	const uint64_t kept = bits_about(state, KEEPS, address);
	uint32_t other;
	const struct defect *swap = exchanged(state, address, &other);
	uint64_t here, there;

	if (swap && other == address)
		return exchange(swap, value);
	if (!(swap || kept) || !sound->read(state, thread, address, &here))
		return value;
	if (swap && sound->read(state, thread, other, &there)) {
		there &= ~(swap->bits | cleared_by_1(model_register(sound, other)));
		sound->write(state, thread, other, there | (value & swap->bits), 0);
		return (value & ~swap->bits) | (here & swap->bits);
	}
	return (value & ~kept) | (here & kept & ~cleared_by_1(model_register(sound, address)));
}

bool defective_write(void *state, unsigned thread, uint32_t address, uint64_t value,
		     uint64_t cycles)
{
	const struct defective *d = defective_of(state);
	const struct register_description *r;
	uint64_t written, held, hidden;

	address = model_canonical(d->sound, address);
	r = model_register(d->sound, address);
	written = (value & ~bits_about(state, WRITES_CLEAR, address)) |
		bits_about(state, WRITES_SET, address);
	held = (written & ~bits_about(state, HOLDS_CLEAR, address)) |
		bits_about(state, HOLDS_SET, address);
	held = d->held ? d->held(state, address, held) : held;
	if (!d->sound->write(state, thread, address, redirect(state, thread, address, held),
			     cycles))
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

bool defective_write_counter(void *state, unsigned thread, uint32_t index, uint64_t value,
			     uint64_t cycles)
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

// Resets a model of which `model` is the defective copy.
static void defective_reset(const struct pmu_model *model, void *state, int defect, uint64_t seed)
{
	const struct defective *d = model->defective;
	struct engine *e = state;
	struct shadow *s = shadow_behind(d->sound, state);
	struct pmu_model sound = *d->sound;
	const struct defect *width;

	sound.processor = model->processor;
	sound.reset(&sound, state, -1, seed);
	memset(s, 0, sizeof *s + d->own);
	s->defect = mutant.rows && defect >= 0 ? MUTANT : defect;
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

void defective_model(struct pmu_model *model, struct model_user *user, const struct defective *d)
{
	*model = *d->sound;
	model->size = (model->size + sizeof(struct shadow) + d->own + MODEL_ALIGNMENT - 1) /
		MODEL_ALIGNMENT *
		      MODEL_ALIGNMENT;
	model->faults = d->names;
	model->defective = d;
	model->reset = defective_reset;
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
