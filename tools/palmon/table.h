/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of cells in each of the forms that `palmon report` prints: a table for people, JSON, separated fields. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum table_form {
	TABLE_TEXT,
	TABLE_JSON,			/* one object a line */
	TABLE_SEPARATED,
};

enum cell_kind {
	CELL_TEXT,			/* in text the last column, wrapped */
	CELL_ADDRESS,
	CELL_NUMBER,
	CELL_RATIO,			/* value / of, rounded to the column's digits, halves up */
	CELL_SHARE,			/* the same as a percentage with one digit; in JSON as a number up to 1 */
};

struct table_column {
	const char *key, *heading;	/* in JSON; in text */
	enum cell_kind kind;
	int width;			/* in text; 0: it is left out there */
	int digits;
};

struct cell {
	const char *text;
	uint64_t value, of;
	bool negative;
	bool absent;			/* "" in text and between separators; left out of JSON */
};

struct table {
	enum table_form form;
	const char *separator;
	const struct table_column *column;
	unsigned columns;
};

/* Text: the columns' headings. */
void table_heading(const struct table *table);

/* A row, with a cell for each column. */
void table_row(const struct table *table, const struct cell *cells);

#endif
