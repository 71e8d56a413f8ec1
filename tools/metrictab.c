// SPDX-License-Identifier: BSD-2-Clause
// The metric-table compiler: turns a target's metrics.tab into C.
//
// usage: metrictab TARGET metrics.tab > metrics.c
//
// Each line describes a metric: NAME | unit | source | formula | description, and optionally |
// caveat: a limit of its meaning. The source is a place in the manual; pmu/include/metric.h
// specifies formulas. '#' starts a comment. A table may be empty.

#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "table.h"

#define METRICS_MAX 512
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

static void parse_line(char *text)
{
	struct pmu_metric *m = table_add();
	bool caveat;

	m->name = table_field(&text, "name", false);
	m->unit = table_field(&text, "unit", false);
	m->source = table_field(&text, "source", false);
	m->formula = table_field(&text, "formula", false);
	caveat = strchr(text, '|');
	m->description = table_field(&text, "description", !caveat);
	m->caveat = caveat ? table_field(&text, "caveat", true) : "";
	if (strlen(m->name) > EVENT_NAME_MAX || m->name[strspn(m->name, NAME_CHARACTERS)] ||
	    !m->name[strspn(m->name, "0123456789")])
		table_fail("'%s' is not a name of 1 to %d letters, digits, '_' and '.'", m->name,
			   EVENT_NAME_MAX);
}

static void print_table(const char *target, const char *file, const struct pmu_metric *m,
			size_t count)
{
	printf("// Made by tools/metrictab from %s.\n\n#include \"metric.h\"\n\n", file);
	printf("extern const struct pmu_metric_table pmu_metrics_%s;\n\n", target);
	if (count)
		printf("static const struct pmu_metric metrics[] = {\n");
	for (const struct pmu_metric *end = m + count; m < end; m++)
		printf("\t{\"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\"},\n", m->name, m->unit,
		       m->source, m->formula, m->description, m->caveat);
	printf("%sconst struct pmu_metric_table pmu_metrics_%s = {%s, %zu};\n",
	       count ? "};\n\n" : "", target, count ? "metrics" : "(void *)0", count);
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
