// SPDX-License-Identifier: BSD-2-Clause
// palmon metrics: the metrics that are derived from counts of a target's events.

#include "metric.h"

#include <stdio.h>

#include "palmon.h"

static void print_metric_json(const struct pmu_driver *driver, const struct pmu_metric *m)
{
	json_t *metric = json_pack("{s:s, s:s, s:s, s:s, s:s}", "target", driver->name, "name",
				   m->name,
				   "formula", m->formula, "unit", m->unit, "table", m->source);

	if (*m->caveat)
		json_object_set_new(metric, "caveat", json_string(m->caveat));
	print_json(metric);
}

static void print_metric(const struct pmu_metric *m)
{
	char text[512];

	puts(m->name);
	snprintf(text, sizeof text, "%s [%s, %s]", m->description, m->unit, m->source);
	print_wrapped(text, 4);
	printf("    =\n");
	print_wrapped(m->formula, 6);
	if (*m->caveat) {
		snprintf(text, sizeof text, "Note: %s.", m->caveat);
		print_wrapped(text, 4);
	}
}

int command_metrics(int argc, char **argv)
{
	const struct pmu_metric_table *table;
	struct target_options options;
	const char *pattern;
	bool any = false;

	if (!read_target_and_pattern(argc, argv, &options, &pattern))
		return PALMON_USAGE;
	table = options.driver->metrics;
	for (size_t i = 0; table && i < table->count; i++) {
		const struct pmu_metric *m = &table->metric[i];

		if (!name_matches(m->name, pattern))
			continue;
		any = true;
		if (options.json)
			print_metric_json(options.driver, m);
		else
			print_metric(m);
	}
	if (any || !pattern)
		return PALMON_DONE;
	complain("no metric of %s matches '%s'", options.driver->name, pattern);
	return PALMON_FAILED;
}
