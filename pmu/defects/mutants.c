// SPDX-License-Identifier: BSD-2-Clause
// Makes mutants from a model's register lists and a target's events.

#include "mutants.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A list that grows; only the first `most` are stored.
struct mutants {
	const struct pmu_model *model;
	bool (*readable)(uint32_t address);
	struct mutant *list;
	size_t count, most;
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

	*m = (struct mutant){.equivalent = equivalent};
	va_start(values, format);
	vsnprintf(m->name, sizeof m->name, format, values);
	va_end(values);
	to->count++;
	return m;
}

static void put(struct mutant *m, enum defect_kind kind, uint32_t address, uint32_t count, uint64_t bits)
{
	if (bits && m->rows < MUTANT_ROWS_MOST)
		m->row[m->rows++] = (struct defect){.kind = kind, .address = address, .count = count, .bits = bits};
}

//
// Fields
//

static bool is_written(const struct field *f)
{
	return f->access == FIELD_RW || f->access == FIELD_WO || f->access == FIELD_W1C || f->access == FIELD_W0C;
}

static bool is_reserved(const struct field *f)
{
	return f->access == FIELD_RSVD || f->access == FIELD_IGN || !strncmp(f->name, "RESERVED", 8) ||
	       !strncmp(f->name, "reserved", 8);
}

static bool is_counter(const struct pmu_model *model, uint32_t address)
{
	for (size_t i = 0; i < model->group_count; i++)
		if (!model->groups[i].counts && address - model->groups[i].address < model->groups[i].count)
			return true;
	return false;
}

static struct place place(const struct register_description *d, unsigned n, const struct field *f)
{
	struct place p = {.of = d, .field = f, .n = n, .address = d->address + n * d->distance};

	p.bits = FIELD_MASK(f->low, f->width);
	p.reset = f->reset == UNDEFINED ? 0 : f->reset << f->low & p.bits;
	if (d->first < 0)
		snprintf(p.name, sizeof p.name, "%s.%s", d->name, f->name);
	else
		snprintf(p.name, sizeof p.name, "%s%u.%s", d->name, d->first + n * d->distance, f->name);
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
	else if (is_reserved(f) && value == p->reset)
		why = "the field always reads so";
	else if (!readable && !is_written(f))
		why = "the register cannot be read";
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
	struct mutant *m = add(to, NULL, "%s ignored", p->name);

	if (p->field->access == FIELD_W1C) {
		put(m, WRITES_CLEAR, p->address, 1, p->bits);
	} else if (p->field->access == FIELD_W0C) {
		put(m, WRITES_SET, p->address, 1, p->bits);
	} else if (is_counter(to->model, p->address)) {
		put(m, KEEPS, p->address, 1, p->bits);
	} else {
		put(m, HOLDS_SET, p->address, 1, p->reset);
		put(m, HOLDS_CLEAR, p->address, 1, p->bits & ~p->reset);
	}
}

static void add_swapped(struct mutants *to, const struct place *p)
{
	const struct field *end = p->of->field + p->of->fields, *g = p->field + 1;
	struct place next;

	while (g < end && (g->width != p->field->width || g->access != p->field->access || is_reserved(g)))
		g++;
	if (g < end)
		put(add(to, NULL, "%s swapped with %s", p->name, g->name), EXCHANGES_FIELDS, p->address,
		    (uint32_t)(g->low - p->field->low), p->bits);
	if (p->n + 1 == p->of->count || !to->readable(p->address) || p->field->access == FIELD_W1C)
		return;
	next = place(p->of, p->n + 1, p->field);
	put(add(to, NULL, "%s swapped with %s", p->name, next.name), EXCHANGES_REGISTERS, p->address,
	    next.address - p->address, p->bits);
}

static void add_field(struct mutants *to, const struct place *p)
{
	const uint64_t reset = p->reset;

	add_stuck(to, p, "0", 0);
	add_stuck(to, p, "1", p->bits);
	if (is_written(p->field) && reset && reset != p->bits)
		add_stuck(to, p, "reset", reset);
	if (is_written(p->field) && (p->field->access == FIELD_RW || to->readable(p->address)))
		add_ignored(to, p);
	if (p->field->access == FIELD_RSVD)
		put(add(to, NULL, "%s unchecked", p->name), WRITES_CLEAR, p->address, 1, p->bits);
	if (!is_reserved(p->field) && p->field->access != FIELD_SXT)
		add_swapped(to, p);
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

static void add_event(struct mutants *to, const struct pmu_event *event, const char *name, enum defect_kind kind)
{
	struct mutant *m = add(to, NULL, "%s %s", event->name, name);

	m->of_event = true;
	put(m, kind, event->code, event->umask, ~0ULL);
}

size_t mutants_of(const struct pmu_model *model, const struct pmu_event_table *events,
		  bool (*readable)(uint32_t address), struct mutant *list, size_t most)
{
	struct mutants to = {.model = model, .readable = readable, .list = list, .most = most};

	for (size_t i = 0; i < model->register_count; i++) {
		const struct register_description *d = &model->registers[i];

		for (unsigned n = 0; n < d->count; n++)
			for (unsigned f = 0; f < d->fields; f++) {
				const struct place p = place(d, n, &d->field[f]);

				add_field(&to, &p);
			}
	}
	for (const struct pmu_event *e = events->event; e < events->event + events->count; e++) {
		if (is_repeated(events, e))
			continue;
		add_event(&to, e, "dead", EVENT_DEAD);
		add_event(&to, e, "on the next counter", EVENT_MISPLACED);
		if (!model->cores)	// the PMU of a package does not know levels
			add_event(&to, e, "at the other level", EVENT_AT_OTHER_LEVEL);
	}
	return to.count;
}
