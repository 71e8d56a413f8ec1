/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of expected values in tests/vectors: fields separated by tabs; '#' begins a comment. */
#ifndef VECTORS_H
#define VECTORS_H

#include "unit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

#define LENGTH(array)	(sizeof array / sizeof *array)

#define ROW_FIELDS	11
#define ROW_LENGTH	320
#define ROWS_MAX	600

struct row {
	char text[ROW_LENGTH];
	const char *field[ROW_FIELDS];	/* missing fields are "" */
	unsigned used;			/* for tests that count uses */
};

struct rows {
	struct row row[ROWS_MAX];
	size_t count;
};

static inline void split(struct row *row)
{
	char *rest = row->text;

	row->text[strcspn(row->text, "\n")] = '\0';
	for (size_t i = 0; i < ROW_FIELDS; i++) {
		const char *field = rest ? strsep(&rest, "\t") : NULL;

		row->field[i] = field ? field : "";
	}
}

/* Reads a table. Fails unless each line has at least `fields` fields. */
static inline void read_rows(const char *path, size_t fields, struct rows *rows)
{
	FILE *file = fopen(path, "r");
	char line[ROW_LENGTH];

	if (!file)
		fail_msg("%s cannot be read", path);
	rows->count = 0;
	while (fgets(line, sizeof line, file)) {
		struct row *row = &rows->row[rows->count];

		if (*line == '#' || *line == '\n')
			continue;
		assert_true(rows->count < ROWS_MAX);
		assert_non_null(strchr(line, '\n'));
		*row = (struct row){0};
		strcpy(row->text, line);
		split(row);
		if (!*row->field[fields - 1])
			fail_msg("%s: '%s' has not %zu fields", path, line, fields);
		rows->count++;
	}
	fclose(file);
}

static inline unsigned hexadecimal(const char *text)
{
	char *end;
	unsigned long number = strtoul(text, &end, 16);

	if (!isxdigit((unsigned char)*text) || *end)
		fail_msg("'%s' is no hexadecimal number", text);
	return (unsigned)number;
}

static inline const struct pmu_event *must_find_event(const struct pmu_event_table *table,
						      const char *name)
{
	const struct pmu_event *e = event_find(table, name, strlen(name));

	if (!e)
		fail_msg("there is no event %s", name);
	return e;
}

#endif
