/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints rows of cells in the forms of `palmon report`: a table, JSON, separated fields. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum table_form {
	TABLE_TEXT,
	TABLE_JSON,			/* one object per line */
	TABLE_SEPARATED,
};

enum cell_kind {
	CELL_TEXT,			/* in a table: the last column, wrapped */
	CELL_ADDRESS,
	CELL_NUMBER,
	CELL_RATIO,			/* value / of, rounded half up to the column's digits */
	CELL_SHARE,			/* value / of in percent, one digit; JSON: 0 to 1 */
};

struct table_column {
	const char *key, *heading;	/* in JSON; in a table */
	enum cell_kind kind;
	int width;			/* in a table; 0: not shown */
	int digits;
};

struct cell {
	const char *text;
	uint64_t value, of;
	bool negative;
	bool absent;			/* "" in tables and separated fields; left out of JSON */
};

struct table {
	enum table_form form;
	const char *separator;
	const struct table_column *column;
	unsigned columns;
};

/* Prints the headings of a table; nothing in other forms. */
void table_heading(const struct table *table);

/* Prints a row with one cell per column. */
void table_row(const struct table *table, const struct cell *cells);

#endif
