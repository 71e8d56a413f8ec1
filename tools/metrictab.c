// SPDX-License-Identifier: BSD-2-Clause
// The metric-table compiler: turns a target's metrics.tab into C.
//
// usage: metrictab TARGET metrics.tab > metrics.c
//
// A line is a metric: NAME | unit | source | formula | description. The source is where in the manual; how a formula
// is written says pmu/include/metric.h. '#' starts a comment. A table may be empty.

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "metric.h"

#define LINE_MAX_LENGTH 1024
#define METRICS_MAX 512
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

struct line {
	struct pmu_metric metric;
	unsigned number;
};

static const char *file_name;
static unsigned line_number;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%u: ", file_name, line_number);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

// Whether text can stand in a C string as it is.
static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || iscntrl((unsigned char)*text))
			return false;
	return true;
}

// The text up to the next '|' or, of the last field, to the end; without blanks around it.
static char *field(char **text, const char *name, bool last)
{
	char *start = *text + strspn(*text, " \t"), *end = start + strcspn(start, "|"), *copy;

	if (last ? *end != '\0' : *end != '|')
		fail(last ? "a '|' too many behind the %s" : "no '|' behind the %s", name);
	*text = end + !last;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	copy = strndup(start, (size_t)(end - start));
	if (!copy)
		fail("out of memory");
	if (!*copy || !is_printable(copy))
		fail("no %s, or a quote, a backslash or a control character in it", name);
	return copy;
}

static void parse_line(struct pmu_metric *m, char *text)
{
	m->name = field(&text, "name", false);
	m->unit = field(&text, "unit", false);
	m->source = field(&text, "source", false);
	m->formula = field(&text, "formula", false);
	m->description = field(&text, "description", true);
	if (strlen(m->name) > EVENT_NAME_MAX || m->name[strspn(m->name, NAME_CHARACTERS)] ||
	    !m->name[strspn(m->name, "0123456789")])
		fail("'%s' is no name of 1 to %d letters, digits, '_' and '.'", m->name, EVENT_NAME_MAX);
}

static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcasecmp(x->metric.name, y->metric.name);
}

static size_t read_table(FILE *file, struct line *lines)
{
	char text[LINE_MAX_LENGTH];
	size_t count = 0;

	while (fgets(text, sizeof text, file)) {
		size_t length = strcspn(text, "\n");

		line_number++;
		if (!text[length] && !feof(file))
			fail("longer than %d characters", LINE_MAX_LENGTH - 2);
		text[length] = '\0';
		text[strcspn(text, "#")] = '\0';
		if (!text[strspn(text, " \t")])
			continue;
		if (count == METRICS_MAX)
			fail("more than %d metrics", METRICS_MAX);
		lines[count].number = line_number;
		parse_line(&lines[count++].metric, text);
	}
	if (ferror(file))
		fail("%s", strerror(errno));
	return count;
}

static void print_table(const char *target, const struct line *lines, size_t count)
{
	printf("// Made by tools/metrictab from %s.\n\n#include \"metric.h\"\n\n", file_name);
	printf("extern const struct pmu_metric_table pmu_metrics_%s;\n\n", target);
	if (count)
		printf("static const struct pmu_metric metrics[] = {\n");
	for (size_t i = 0; i < count; i++) {
		const struct pmu_metric *m = &lines[i].metric;

		printf("\t{\"%s\", \"%s\", \"%s\", \"%s\", \"%s\"},\n", m->name, m->unit, m->source, m->formula,
		       m->description);
	}
	printf("%sconst struct pmu_metric_table pmu_metrics_%s = {%s, %zu};\n", count ? "};\n\n" : "", target,
	       count ? "metrics" : "(void *)0", count);
}

int main(int argc, char **argv)
{
	static struct line lines[METRICS_MAX];
	FILE *file;
	size_t count;

	if (argc != 3) {
		fprintf(stderr, "usage: metrictab TARGET METRICS.TAB\n");
		return 2;
	}
	file_name = argv[2];
	file = fopen(file_name, "r");
	if (!file) {
		fprintf(stderr, "metrictab: %s: %s\n", file_name, strerror(errno));
		return 1;
	}
	count = read_table(file, lines);
	fclose(file);
	qsort(lines, count, sizeof *lines, compare);
	for (size_t i = 1; i < count; i++)
		if (!compare(&lines[i - 1], &lines[i])) {
			line_number = lines[i].number;
			fail("%s is there twice, first in line %u", lines[i].metric.name, lines[i - 1].number);
		}
	print_table(argv[1], lines, count);
	return fflush(stdout) || ferror(stdout);
}
