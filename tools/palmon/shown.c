// SPDX-License-Identifier: BSD-2-Clause
// The output that the views of `palmon report` share: the limit of rows, and remarks.

#include <stdarg.h>
#include <stdio.h>

#include "report.h"

bool is_shown(const struct view_of *v, size_t index, size_t count)
{
	if (v->form != TABLE_TEXT || !v->most || index < v->most)
		return true;
	if (index == v->most)
		printf("and %zu rows more (-n 0 shows all)\n", count - v->most);
	return false;
}

void print_remark(const struct view_of *v, const char *format, ...)
{
	FILE *file = v->form == TABLE_TEXT ? stdout : stderr;
	va_list arguments;

	va_start(arguments, format);
	if (file == stderr)
		fprintf(file, "%s: ", v->event->name);
	vfprintf(file, format, arguments);
	va_end(arguments);
	fputc('\n', file);
}
