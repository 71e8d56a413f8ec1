/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares an event table with the tables of the performance analysis guide for Core i7 and Xeon
 * 5500 (tests/vectors). */
#ifndef GUIDE_H
#define GUIDE_H

#include "../vectors.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define DIFFERENCES	"tests/vectors/nehalem-differences.tab"

/* Columns of the guide's rows. */
enum column { TABLE, NAME, UMASK, EVENT, CMASK, INV, EDGE, ANY, RING, REGISTER, VALUE, COLUMNS };

static const struct {
	const char *name;
	int base;
} columns[COLUMNS] = {
	[UMASK] = {"umask", 16}, [EVENT] = {"event", 16}, [CMASK] = {"cmask", 10},
	[INV] = {"inv", 10},
	[EDGE] = {"edge", 10}, [ANY] = {"any", 10}, [REGISTER] = {"register", 16},
	[VALUE] = {"value", 16},
};

/* Columns of the differences. */
enum { DIFFERENT_EVENT, DIFFERENT_COLUMN, PRINTED, HERE, REASON };

static struct rows guide, differences;

static inline void read_guide(const char *path)
{
	read_rows(path, COLUMNS, &guide);
	read_rows(DIFFERENCES, REASON + 1, &differences);
}

static inline uint64_t guide_number(const char *text, int base)
{
	char *end;
	uint64_t value;

	if (!strcmp(text, "-"))
		return 0;
	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || *end)
		fail_msg("'%s' is no number", text);
	return value;
}

/* Returns the expected value of a column: the printed one, or that of the list of differences. */
static inline uint64_t expected(const struct row *r, enum column c)
{
	for (struct row *d = differences.row; d < differences.row + differences.count; d++)
		if (!strcmp(d->field[DIFFERENT_EVENT], r->field[NAME]) &&
		    !strcmp(d->field[DIFFERENT_COLUMN], columns[c].name) &&
		    !strcmp(d->field[PRINTED], r->field[c])) {
			d->used++;
			return guide_number(d->field[HERE], 10);
		}
	return guide_number(r->field[c], columns[c].base);
}

static inline uint64_t found(const struct pmu_event *e, enum column c)
{
	switch (c) {
	case UMASK:
		return e->umask;
	case EVENT:
		return e->code;
	case CMASK:
		return e->cmask;
	case INV:
		return !!(e->modifiers & EVENT_INV);
	case EDGE:
		return !!(e->modifiers & EVENT_EDGE);
	case ANY:
		return !!(e->modifiers & EVENT_ANY);
	case REGISTER:
		return e->setting_address;
	case VALUE:
		return e->setting_value;
	default:
		fail_msg("column %d has no number", c);
		return 0;
	}
}

static inline unsigned ring_modifiers(const char *ring)
{
	return !strcmp(ring, "-") ? 0 : strcmp(ring, "0") ? EVENT_USER : EVENT_OS;
}

static inline bool is_fixed(const struct row *r)
{
	return !strcmp(r->field[EVENT], "fixed");
}

static inline void check_guide_row(const struct pmu_event_table *table, const struct row *r)
{
	const struct pmu_event *e = must_find_event(table, r->field[NAME]);

	assert_string_equal(e->name, r->field[NAME]);
	assert_int_equal(e->umask_care, 0xFF);
	assert_int_equal(e->modifiers & (EVENT_OS | EVENT_USER), ring_modifiers(r->field[RING]));
	for (enum column c = UMASK; c < COLUMNS; c++) {
		if (c == RING || (c == EVENT && is_fixed(r)))
			continue;
		if (found(e, c) != expected(r, c))
			fail_msg("Table %s, %s: %s is %#" PRIx64 ", not as printed",
				 r->field[TABLE], e->name, columns[c].name, found(e, c));
	}
}

/* Returns the first row of an event that is in several tables; NULL if it is in none. */
static inline const struct row *guide_row(const char *name)
{
	for (const struct row *r = guide.row; r < guide.row + guide.count; r++)
		if (!strcmp(r->field[NAME], name))
			return r;
	return NULL;
}

/* Each event of the guide names its table. */
static inline void check_source(const struct pmu_event *e, const struct row *r)
{
	char source[16];

	snprintf(source, sizeof source, "Table %s", r->field[TABLE]);
	if (isdigit((unsigned char)*r->field[TABLE]))
		assert_string_equal(e->source, source);
	else
		assert_int_not_equal(strncmp(e->source, "Table ", 6), 0);
}

/*
 * Events that can be joined: their unit masks select sub-events bit by bit, and nothing else
 * differs. A latency threshold and an opcode to match are values, not bits.
 */

#define LATENCY_THRESHOLD	0x3F6
#define OPCODE_MATCH		0x396

static inline bool is_unit_mask(const struct pmu_event *e)
{
	return strchr(e->name, '.') && e->umask && !e->cmask &&
	       !(e->modifiers & (EVENT_INV | EVENT_EDGE)) &&
	       e->setting_address != LATENCY_THRESHOLD && e->setting_address != OPCODE_MATCH;
}

static inline bool are_alike(const struct pmu_event *a, const struct pmu_event *b)
{
	size_t stem = (size_t)(strrchr(a->name, '.') - a->name) + 1;

	return is_unit_mask(b) && !strncmp(a->name, b->name, stem) &&
	       !strchr(b->name + stem, '.') &&
	       a->code == b->code && a->counters == b->counters &&
	       a->setting_address == b->setting_address &&
	       a->modifiers == b->modifiers;
}

static inline void check_joins(const struct pmu_event_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct pmu_event *e = &table->event[i];
		bool joins = false;

		for (size_t j = 0; j < table->count; j++)
			joins |= i != j && is_unit_mask(e) && are_alike(e, &table->event[j]);
		if (e->joins != joins)
			fail_msg("%s: joins is %d", e->name, e->joins);
	}
}

#endif
