// SPDX-License-Identifier: BSD-2-Clause
// Prints rows of cells: table.h.

#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "colour.h"
#include "palmon.h"

#define CELL_SIZE	64
#define ADDRESS_WIDTH	18	/* "0x" and 16 digits */

// value / of with `digits` fractional digits.
static void format_ratio(uint64_t value, uint64_t of, int digits, char text[CELL_SIZE])
{
	unsigned __int128 scaled = value;
	uint64_t unit = 1;

	for (int i = 0; i < digits; i++)
		unit *= 10;
	scaled = (2 * scaled * unit + of) / (2 * (unsigned __int128)of);
	if (digits)
		snprintf(text, CELL_SIZE, "%" PRIu64 ".%0*" PRIu64, (uint64_t)(scaled / unit),
			 digits, (uint64_t)(scaled % unit));
	else
		snprintf(text, CELL_SIZE, "%" PRIu64, (uint64_t)scaled);
}

// The text of a cell, for tables and for separated fields.
static const char *cell_text(const struct table_column *column, const struct cell *cell,
			     char text[CELL_SIZE])
{
	char *const digits = text + cell->negative;

	if (cell->absent)
		return "";
	text[0] = '-';
	switch (column->kind) {
	case CELL_TEXT:
		return cell->text;
	case CELL_ADDRESS:
		snprintf(text, CELL_SIZE, "0x%016" PRIx64, cell->value);
		break;
	case CELL_NUMBER:
		snprintf(digits, CELL_SIZE - 1, "%" PRIu64, cell->value);
		break;
	case CELL_RATIO:
		format_ratio(cell->value, cell->of, column->digits, digits);
		break;
	case CELL_SHARE:
		format_ratio(100 * cell->value, cell->of, 1, text);
		break;
	}
	return text;
}

static json_t *cell_json(const struct table_column *column, const struct cell *cell)
{
	char text[CELL_SIZE];

	switch (column->kind) {
	case CELL_TEXT:
		return json_string(cell->text);
	case CELL_ADDRESS:
		return json_hexadecimal(cell->value, 1);
	case CELL_NUMBER:
		return json_integer(cell->negative ? -(json_int_t)cell->value :
				    (json_int_t)cell->value);
	case CELL_RATIO:
		return json_real(strtod(cell_text(column, cell, text), NULL));
	case CELL_SHARE:
		return json_real((double)cell->value / (double)cell->of);
	}
	return json_null();
}

static void print_text_row(const struct table *t, const struct cell *cells)
{
	char text[CELL_SIZE];
	int at = 0;

	for (unsigned i = 0; i < t->columns; i++) {
		const struct table_column *column = &t->column[i];

		if (!column->width)
			continue;
		if (column->kind == CELL_TEXT) {	// always the last column
			putchar(' ');
			print_wrapped_from(at + 1, cells[i].text, at + 2);
			return;
		}
		const char *begin = column->kind == CELL_SHARE && !cells[i].absent ?
					    colour_of_share(cells[i].value, cells[i].of) : "";

		fputs(begin, stdout);
		at += printf("%s%*s%s", at ? "  " : "", column->width,
			     cell_text(column, &cells[i], text),
			     column->kind == CELL_SHARE ? "%" : "");
		fputs(colour_end(begin), stdout);
	}
	putchar('\n');
}

static void print_separated_row(const struct table *t, const struct cell *cells)
{
	char text[CELL_SIZE];

	for (unsigned i = 0; i < t->columns; i++)
		printf("%s%s", i ? t->separator : "", cell_text(&t->column[i], &cells[i], text));
	putchar('\n');
}

static void print_json_row(const struct table *t, const struct cell *cells)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < t->columns; i++)
		if (!cells[i].absent)
			json_object_set_new(object, t->column[i].key,
					    cell_json(&t->column[i], &cells[i]));
	print_json(object);
}

void table_heading(const struct table *t)
{
	bool first = true;

	for (unsigned i = 0; i < t->columns; i++) {
		const struct table_column *column = &t->column[i];
		// Headings of left-aligned columns and of addresses, which fill their column, are
		// left-aligned.
		int width = column->kind == CELL_ADDRESS ? -ADDRESS_WIDTH : column->width;

		if (!column->width)
			continue;
		printf("%s%*s%s", first ? "" : "  ", width, column->heading,
		       column->kind == CELL_SHARE ? " " : "");
		first = false;
	}
	putchar('\n');
}

void table_row(const struct table *t, const struct cell *cells)
{
	if (t->form == TABLE_TEXT)
		print_text_row(t, cells);
	else if (t->form == TABLE_JSON)
		print_json_row(t, cells);
	else
		print_separated_row(t, cells);
}
