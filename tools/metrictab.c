// SPDX-License-Identifier: BSD-2-Clause
// The metric-table compiler: turns a target's metrics.tab into C.
//
// usage: metrictab TARGET metrics.tab > metrics.c
//
// A line is a metric: NAME | unit | source | formula | description. The source is where in the manual; how a formula
// is written says pmu/include/metric.h. '#' starts a comment. A table may be empty.

#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "table.h"

#define METRICS_MAX 512
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

// The text up to the next '|' or, of the last field, to the end; without blanks around it.
static char *field(char **text, const char *name, bool last)
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

static void parse_line(char *text)
{
	struct pmu_metric *m = table_add();

	m->name = field(&text, "name", false);
	m->unit = field(&text, "unit", false);
	m->source = field(&text, "source", false);
	m->formula = field(&text, "formula", false);
	m->description = field(&text, "description", true);
	if (strlen(m->name) > EVENT_NAME_MAX || m->name[strspn(m->name, NAME_CHARACTERS)] ||
	    !m->name[strspn(m->name, "0123456789")])
		table_fail("'%s' is no name of 1 to %d letters, digits, '_' and '.'", m->name, EVENT_NAME_MAX);
}

static void print_table(const char *target, const char *file, const struct pmu_metric *m, size_t count)
{
	printf("// Made by tools/metrictab from %s.\n\n#include \"metric.h\"\n\n", file);
	printf("extern const struct pmu_metric_table pmu_metrics_%s;\n\n", target);
	if (count)
		printf("static const struct pmu_metric metrics[] = {\n");
	for (const struct pmu_metric *end = m + count; m < end; m++)
		printf("\t{\"%s\", \"%s\", \"%s\", \"%s\", \"%s\"},\n", m->name, m->unit, m->source, m->formula,
		       m->description);
	printf("%sconst struct pmu_metric_table pmu_metrics_%s = {%s, %zu};\n", count ? "};\n\n" : "", target,
	       count ? "metrics" : "(void *)0", count);
}

int main(int argc, char **argv)
{
	static const struct table_kind kind = {
		"metrictab", "metrics", sizeof(struct pmu_metric), METRICS_MAX, parse_line,
	};
	size_t count;
	const struct pmu_metric *metrics = table_read(&kind, argc, argv, &count);

	print_table(table_identifier(argv[1]), argv[2], metrics, count);
	return fflush(stdout) || ferror(stdout);
}
