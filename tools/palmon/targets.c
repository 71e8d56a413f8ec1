// SPDX-License-Identifier: BSD-2-Clause
// palmon targets: which PMUs there are.

#include <getopt.h>
#include <stdio.h>

#include "palmon.h"

static const char *const feature_names[] = {"freeze", "global", "user-read", "threshold", "any-thread", "qualify"};
#define FEATURES (sizeof feature_names / sizeof *feature_names)

static void print_line_json(const struct pmu_driver *driver)
{
	json_t *features = json_array();

	for (unsigned i = 0; i < FEATURES; i++)
		if (driver->features >> i & 1)
			json_array_append_new(features, json_string(feature_names[i]));
	print_json(json_pack("{s:s, s:s, s:o, s:o, s:i, s:I, s:o}", "target", driver->name, "title", driver->title,
			     "counters", json_counters(driver->counters), "fixed", json_counters(driver->fixed),
			     "width", (int)driver->width, "events", (json_int_t)driver->events->count,
			     "features", features));
}

#define FEATURES_COLUMN 15

static void print_line(const struct pmu_driver *driver)
{
	char counters[64], features[256];
	size_t used = 0;

	format_counters(driver->counters, counters, sizeof counters);
	printf("%-14s %-33s %-9s %5u\n", driver->name, driver->title, counters, driver->width);
	for (unsigned i = 0; i < FEATURES; i++)
		if (driver->features >> i & 1)
			used += (size_t)snprintf(features + used, sizeof features - used, "%s%s", used ? ", " : "",
						 feature_names[i]);
	print_wrapped(features, FEATURES_COLUMN);
}

int command_targets(int argc, char **argv)
{
	static const struct option known[] = {{"json", no_argument, NULL, 'j'}, {0}};
	bool json = false;

	for (int option; (option = getopt_long(argc, argv, "j", known, NULL)) != -1;) {
		if (option == '?')
			return usage_error();
		json = true;
	}
	if (optind < argc) {
		complain("'%s': targets takes no arguments", argv[optind]);
		return usage_error();
	}
	if (!json)
		printf("%-14s %-33s %-9s %5s\n", "target", "processor", "counters", "width");
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		(json ? print_line_json : print_line)(*d);
	return PALMON_DONE;
}
