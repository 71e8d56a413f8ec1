// SPDX-License-Identifier: BSD-2-Clause
// palmon profiles: sets of events that the target's manual measures together, and how many runs
// each needs.

#include "profile.h"

#include <stdio.h>

#include "palmon.h"
#include "shim.h"

// Assigns a profile's events to runs. False after a complaint.
static bool schedule(const struct pmu_driver *driver, const struct pmu_profile *profile,
		     struct pmu_metric_plan *plan)
{
	struct pmu_metric_refusal refusal;
	char why[512];

	*plan = (struct pmu_metric_plan){0};
	if (!pmu_profile_plan(driver, profile, plan, &refusal) &&
	    !pmu_metric_schedule(driver, plan, &refusal))
		return true;
	pmu_metric_explain(&refusal, why, sizeof why);
	complain("%s: %s", profile->name, why);
	return false;
}

static void print_profile_json(const struct pmu_driver *driver, const struct pmu_profile *p,
			       const struct pmu_metric_plan *plan)
{
	json_t *events = json_array();

	for (unsigned i = 0; i < plan->count; i++)
		json_array_append_new(events,
				      json_pack("{s:s, s:i, s:i}", "event", plan->event[i].text,
							"run", plan->event[i].run + 1,
							"counter", (int)plan->event[i].counter));
	print_json(json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:o, s:o}", "target", driver->name,
			     "name", p->name,
			     "title", p->title, "table", p->source, "runs", (int)plan->runs,
			     "runs-least", (int)plan->least,
			     "runs-manual", p->runs ? json_integer((json_int_t)p->runs) :
			     json_null(),
			     "events", events));
}

static void print_runs(const struct pmu_profile *p, const struct pmu_metric_plan *plan)
{
	printf("    %u events in %u run%s", plan->count, plan->runs, plan->runs > 1 ? "s" : "");
	if (plan->least < plan->runs)
		printf(", the fewest that were found (at least %u)", plan->least);
	if (p->runs)
		printf("; the manual's number: %u", p->runs);
	putchar('\n');
}

static void print_profile(const struct pmu_profile *p, const struct pmu_metric_plan *plan)
{
	char text[512];

	puts(p->name);
	snprintf(text, sizeof text, "%s [%s]", p->title, p->source);
	print_wrapped(text, 4);
	print_runs(p, plan);
	for (unsigned run = 0; run < plan->runs; run++) {
		printf("    run %u\n", run + 1);
		for (unsigned i = 0; i < plan->count; i++)
			if (plan->event[i].run == run)
				printf("      %s\n", plan->event[i].text);
	}
}

// Prints the profiles whose names match. False if one could not be scheduled. *any: whether a name
// matched.
static bool print_profiles(const struct target_options *options, const char *pattern, bool *any)
{
	const struct pmu_profile_table *table = options->driver->profiles;
	static struct pmu_metric_plan plan;

	*any = false;
	for (size_t i = 0; table && i < table->count; i++) {
		const struct pmu_profile *p = &table->profile[i];

		if (!name_matches(p->name, pattern))
			continue;
		*any = true;
		if (!schedule(options->driver, p, &plan))
			return false;
		if (options->json)
			print_profile_json(options->driver, p, &plan);
		else
			print_profile(p, &plan);
	}
	return true;
}

int command_profiles(int argc, char **argv)
{
	struct target_options options;
	const char *pattern;
	bool any, ok;

	if (!read_target_and_pattern(argc, argv, &options, &pattern))
		return PALMON_USAGE;
	if (!options.driver->profiles)
		complain("%s has no profiles", options.driver->name);
	if (!start_shim(options.driver, ""))	// driver->choices depends on bring-up
		return PALMON_FAILED;
	ok = print_profiles(&options, pattern, &any);
	shim_end();
	if (ok && !any && pattern) {
		complain("no profile of %s matches '%s'", options.driver->name, pattern);
		return PALMON_FAILED;
	}
	return ok ? PALMON_DONE : PALMON_FAILED;
}
