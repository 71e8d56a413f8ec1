// SPDX-License-Identifier: BSD-2-Clause
// Reads text tables: table.h.

#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_MAX_LENGTH 1024

static const char *file_name;
static unsigned line_number;

// The table being read: its entries, and the line of each.
static const struct table_kind *kind;
static char *entries;
static unsigned *numbers;
static size_t count;

void table_fail(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%u: ", file_name, line_number);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

const char *table_identifier(const char *target)
{
	static char name[64];

	snprintf(name, sizeof name, "%s", target);
	for (char *dash = name; (dash = strchr(dash, '-'));)
		*dash = '_';
	return name;
}

bool table_is_printable(const char *text)
{
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || iscntrl((unsigned char)*text))
			return false;
	return true;
}

char *table_field(char **text, const char *name, bool last)
{
	char *start = *text + strspn(*text, " \t"), *end = start + strcspn(start, "|"), *copy;

	if (last ? *end != '\0' : *end != '|')
		table_fail(last ? "a '|' too many behind the %s" : "no '|' behind the %s", name);
	*text = end + !last;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	copy = strndup(start, (size_t)(end - start));
	if (!copy)
		table_fail("out of memory");
	if (!*copy || !table_is_printable(copy))
		table_fail("no %s, or a quote, a backslash or a control character in it", name);
	return copy;
}

static const char *name_of(const void *entry)
{
	return *(const char *const *)entry;
}

static int compare(const void *a, const void *b)
{
	return strcasecmp(name_of(a), name_of(b));
}

// The next line that is not empty, without its comment; NULL: end of file.
static char *next_line(FILE *file, char text[LINE_MAX_LENGTH])
{
	while (fgets(text, LINE_MAX_LENGTH, file)) {
		size_t length = strcspn(text, "\n");

		line_number++;
		if (!text[length] && !feof(file))
			table_fail("longer than %d characters", LINE_MAX_LENGTH - 2);
		text[length] = '\0';
		text[strcspn(text, "#")] = '\0';
		if (text[strspn(text, " \t")])
			return text;
	}
	if (ferror(file))
		table_fail("%s", strerror(errno));
	return NULL;
}

void *table_add(void)
{
	if (count == kind->most)
		table_fail("more than %zu %s", kind->most, kind->entries);
	numbers[count] = line_number;
	return entries + count++ * kind->size;
}

static void check_name(const char *entry)
{
	for (const char *other = entries; other < entry; other += kind->size)
		if (!compare(other, entry))
			table_fail("%s is there twice, first in line %u", name_of(entry),
				   numbers[(size_t)(other - entries) / kind->size]);
}

static void read_lines(FILE *file)
{
	char line[LINE_MAX_LENGTH];

	while (next_line(file, line)) {
		const char *entry = entries + count * kind->size;

		kind->parse(line);
		for (; entry < entries + count * kind->size; entry += kind->size)
			check_name(entry);
	}
}

void *table_read(const struct table_kind *what, int argc, char **argv, size_t *entry_count)
{
	FILE *file;

	kind = what;
	entries = calloc(kind->most, kind->size);
	numbers = calloc(kind->most, sizeof *numbers);
	if (argc != 3) {
		fprintf(stderr, "usage: %s TARGET TABLE\n", kind->compiler);
		exit(2);
	}
	file_name = argv[2];
	file = fopen(file_name, "r");
	if (!file || !entries || !numbers) {
		fprintf(stderr, "%s: %s: %s\n", kind->compiler, file_name, strerror(errno));
		exit(1);
	}
	read_lines(file);
	fclose(file);
	free(numbers);
	qsort(entries, count, kind->size, compare);
	*entry_count = count;
	return entries;
}
