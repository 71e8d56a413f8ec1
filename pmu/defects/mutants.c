// SPDX-License-Identifier: BSD-2-Clause
// Makes mutants from a model's register lists and a target's events.

#include "mutants.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A list that grows; only the first `most` are stored.
struct mutants {
	const struct engine *engine;
	const struct defective *defective;
	bool (*readable)(uint32_t address);
	struct mutant *list;
	size_t count, most;
	const char *foreign;		// why no mutant of the present field matters; NULL: they do
};

// One field of one register.
struct place {
	const struct register_description *of;
	const struct field *field;
	unsigned n;			// number of the register, of `of->count`
	uint32_t address;
	uint64_t bits, reset;		// an undefined reset value counts as 0
	char name[64];			// REGISTER.FIELD
};

static struct mutant spare;		// the last mutant that has no space

// Adds a mutant without rows.
__attribute__((format(printf, 3, 4)))
static struct mutant *add(struct mutants *to, const char *equivalent, const char *format, ...)
{
	struct mutant *m = to->count < to->most ? &to->list[to->count] : &spare;
	va_list values;

	*m = (struct mutant){.equivalent = to->foreign ? to->foreign : equivalent};
	va_start(values, format);
	vsnprintf(m->name, sizeof m->name, format, values);
	va_end(values);
	to->count++;
	return m;
}

static void put(struct mutant *m, enum defect_kind kind, uint32_t address, uint32_t count,
		uint64_t bits)
{
	if (bits && m->rows < MUTANT_ROWS_MOST)
		m->row[m->rows++] = (struct defect){.kind = kind, .address = address,
						    .count = count, .bits = bits};
}

//
// Fields
//

static bool is_written(const struct field *f)
{
	return f->access == FIELD_RW || f->access == FIELD_WO || f->access == FIELD_W1C ||
	       f->access == FIELD_W0C;
}

static bool is_reserved(const struct field *f)
{
	return f->access == FIELD_RSVD || f->access == FIELD_IGN ||
	       (f->access == FIELD_RO && !strncmp(f->name, "RESERVED", 8));
}

// Returns the engine's kind of the register at an address.
static uint32_t kind_at(const struct mutants *to, uint32_t address)
{
	unsigned index;

	return engine_locate(to->engine->registers, address, &index);
}

// Returns whether the model computes a register's value: a counter, a clock.
static bool is_computed(const struct mutants *to, uint32_t address)
{
	const struct engine_registers *r = to->engine->registers;
	const uint32_t kind = kind_at(to, address);

	return r->kind[kind].is_counter || r->hooks[kind].made ||
	       r->hooks[kind].read == engine_clock_read;
}

// Returns whether nothing ever changes a register.
static bool is_constant(const struct mutants *to, uint32_t address)
{
	const struct engine_registers *r = to->engine->registers;
	const uint32_t kind = kind_at(to, address);
	const struct engine_register *k = &r->kind[kind];

	for (uint32_t other = 0; other < r->kinds; other++)
		if (r->hooks[other].clears && r->hooks[other].clears == kind)
			return false;
	return !(k->writable | k->clears | k->clears_by_0 | k->undefined) && !k->is_counter &&
	       !r->hooks[kind].made &&
	       !r->hooks[kind].read;
}

static const struct inert *inert_at(const struct mutants *to, uint32_t address, uint64_t bits)
{
	const struct inert *i = to->defective->inert;

	while (i && i->why && (address - i->address >= i->count || bits & ~i->bits))
		i++;
	return i && i->why ? i : NULL;
}

static struct place place(const struct register_description *d, unsigned n, const struct field *f)
{
	struct place p = {.of = d, .field = f, .n = n, .address = d->address + n * d->distance};

	p.bits = FIELD_MASK(f->low, f->width);
	p.reset = f->reset == UNDEFINED ? 0 : f->reset << f->low & p.bits;
	if (d->first < 0)
		snprintf(p.name, sizeof p.name, "%s.%s", d->name, f->name);
	else
		snprintf(p.name, sizeof p.name, "%s%u.%s", d->name, d->first + n * d->distance,
			 f->name);
	return p;
}

static void add_stuck(struct mutants *to, const struct place *p, const char *at, uint64_t value)
{
	const struct field *f = p->field;
	const bool readable = to->readable(p->address);
	const char *why = NULL;
	struct mutant *m;

	if (is_reserved(f) && f->reset == UNDEFINED)
		why = "the manual leaves the value of this reserved field open";
	else if ((is_reserved(f) || is_constant(to, p->address)) && value == p->reset)
		why = "the field always reads so";
	else if (!readable && !is_written(f))
		why = "the register cannot be read";
	else if (f->access == FIELD_WO && !value && inert_at(to, p->address, p->bits))
		why = inert_at(to, p->address, p->bits)->why;
	m = add(to, why, "%s stuck-%s", p->name, at);
	put(m, READS_SET, p->address, 1, value);
	put(m, READS_CLEAR, p->address, 1, p->bits & ~value);
	if (is_written(f)) {
		put(m, WRITES_SET, p->address, 1, value);
		put(m, WRITES_CLEAR, p->address, 1, p->bits & ~value);
	}
}

static void add_ignored(struct mutants *to, const struct place *p)
{
	const bool held = p->field->access == FIELD_RW && !is_computed(to, p->address);
	const struct inert *inert = held ? inert_at(to, p->address, p->bits) : NULL;
	struct mutant *m = add(to, inert ? inert->why : NULL, "%s ignored", p->name);

	if (p->field->access == FIELD_W1C) {
		put(m, WRITES_CLEAR, p->address, 1, p->bits);
	} else if (p->field->access == FIELD_W0C) {
		put(m, WRITES_SET, p->address, 1, p->bits);
	} else if (is_computed(to, p->address)) {
		put(m, KEEPS, p->address, 1, p->bits);
	} else {
		put(m, HOLDS_SET, p->address, 1, p->reset);
		put(m, HOLDS_CLEAR, p->address, 1, p->bits & ~p->reset);
	}
}

// Returns why an exchange of two fields changes nothing, or NULL.
static const char *same_if_swapped(const struct mutants *to, uint32_t address, uint64_t bits,
				   uint32_t other, uint64_t other_bits)
{
	const struct inert *one = inert_at(to, address, bits),
		*two = inert_at(to, other, other_bits);
	const unsigned most = address == other ? REGISTERS_SHOW : NO_EXCHANGE_SHOWS;

	return one && two && one->exchange <= most && two->exchange <= most ? one->why : NULL;
}

static void add_swapped_field(struct mutants *to, const struct place *p)
{
	const struct field *f = p->field, *end = p->of->field + p->of->fields, *g = f + 1;
	const char *why;

	while (g < end && (g->width != f->width || g->access != f->access || is_reserved(g)))
		g++;
	if (g == end)
		return;
	why = is_constant(to, p->address) && f->reset == g->reset ? "both fields always read so" :
	      same_if_swapped(to, p->address, p->bits, p->address, FIELD_MASK(g->low, g->width));
	put(add(to, why, "%s swapped with %s", p->name, g->name), EXCHANGES_FIELDS, p->address,
	    (uint32_t)(g->low - f->low), p->bits);
}

static void add_swapped_register(struct mutants *to, const struct place *p)
{
	const struct place next = place(p->of, p->n + 1, p->field);

	put(add(to, same_if_swapped(to, p->address, p->bits, next.address, p->bits),
		"%s swapped with %s", p->name,
		next.name), EXCHANGES_REGISTERS, p->address, next.address - p->address, p->bits);
}

static void add_field(struct mutants *to, const struct place *p)
{
	const uint64_t reset = p->reset;
	const struct inert *inert = inert_at(to, p->address, p->bits);

	to->foreign = inert && inert->exchange == OF_OTHER_SOFTWARE ? inert->why : NULL;
	add_stuck(to, p, "0", 0);
	add_stuck(to, p, "1", p->bits);
	if (is_written(p->field) && reset && reset != p->bits)
		add_stuck(to, p, "reset", reset);
	if (is_written(p->field) && (p->field->access == FIELD_RW || to->readable(p->address)))
		add_ignored(to, p);
	if (p->field->access == FIELD_RSVD)
		put(add(to, NULL, "%s unchecked", p->name), WRITES_CLEAR, p->address, 1, p->bits);
	if (is_reserved(p->field) || p->field->access == FIELD_SXT)
		return;
	add_swapped_field(to, p);
	if (p->n + 1 < p->of->count && to->readable(p->address) && p->field->access != FIELD_W1C)
		add_swapped_register(to, p);
}

//
// Events
//

// Returns whether an earlier line of the table has the same code and unit mask.
static bool is_repeated(const struct pmu_event_table *events, const struct pmu_event *event)
{
	const struct pmu_event *e = events->event;

	while (e < event && (e->code != event->code || e->umask != event->umask))
		e++;
	return e < event;
}

static void add_event(struct mutants *to, const struct pmu_event *event, const char *name,
		      enum defect_kind kind)
{
	struct mutant *m = add(to, NULL, "%s %s", event->name, name);

	m->of_event = true;
	put(m, kind, event->code, event->umask, ~0ULL);
}

size_t mutants_of(const void *state, const struct pmu_event_table *events,
		  bool (*readable)(uint32_t address), struct mutant *list, size_t most)
{
	struct mutants to = {state, defective_of(state), readable, list, 0, most, NULL};
	const struct pmu_model *model = to.defective->sound;

	for (size_t i = 0; i < model->register_count; i++) {
		const struct register_description *d = &model->registers[i];

		// The register of a second address has its mutants at the first one.
		if (model_canonical(model, d->address) != d->address)
			continue;
		for (unsigned n = 0; n < d->count; n++)
			for (unsigned f = 0; f < d->fields; f++) {
				const struct place p = place(d, n, &d->field[f]);

				add_field(&to, &p);
			}
	}
	to.foreign = NULL;
	for (const struct pmu_event *e = events->event; e < events->event + events->count; e++) {
		if (is_repeated(events, e))
			continue;
		add_event(&to, e, "dead", EVENT_DEAD);
		add_event(&to, e, "on the next counter", EVENT_MISPLACED);
		if (!model->package)	// the PMU of a package does not know levels
			add_event(&to, e, "at the other level", EVENT_AT_OTHER_LEVEL);
	}
	return to.count;
}
