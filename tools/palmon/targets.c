// SPDX-License-Identifier: BSD-2-Clause
// palmon targets: lists the PMUs.

#include <getopt.h>
#include <stdio.h>

#include "palmon.h"

static const char *const feature_names[] = {"freeze", "global", "user-read", "threshold",
					    "any-thread", "qualify"};
#define FEATURES (sizeof feature_names / sizeof *feature_names)

// The next register from `least` on that the threads of a core share. False: none.
static bool next_of_core(const struct pmu_model *model, uint64_t least,
			 struct palmon_register *found)
{
	for (; register_from(model, least, found); least = found->address + 1ULL)
		if (register_scope(model, found) == REGISTER_OF_CORE)
			return true;
	return false;
}

static json_t *json_core_registers(const struct pmu_model *model)
{
	json_t *names = json_array();
	struct palmon_register r;

	for (uint64_t least = 0; next_of_core(model, least, &r); least = r.address + 1ULL) {
		char name[REGISTER_NAME_SIZE];

		register_name(&r, name);
		json_array_append_new(names, json_string(name));
	}
	return names;
}

// The scope of most of a model's registers; registers shared by a core's threads are exceptions.
static enum register_scope usual_scope(const struct pmu_model *model)
{
	return model->package ? REGISTER_OF_PACKAGE : REGISTER_OF_THREAD;
}

static void print_line_json(const struct pmu_driver *driver)
{
	const struct pmu_model *model = pmu_model_find(driver->name);
	json_t *features = json_array();

	for (unsigned i = 0; i < FEATURES; i++)
		if (driver->shape->features >> i & 1)
			json_array_append_new(features, json_string(feature_names[i]));
	print_json(json_pack("{s:s, s:s, s:s?, s:o, s:o, s:i, s:I, s:o, s:s, s:o}", "target",
			     driver->name,
			     "title", driver->title, "libpfm", driver->libpfm,
			     "counters", json_counters(driver->shape->counters),
			     "fixed", json_counters(driver->shape->fixed),
			     "width", (int)driver->shape->width, "events",
			     (json_int_t)driver->events->count,
			     "features", features, "scope", register_scopes[usual_scope(model)],
			     "core_registers", json_core_registers(model)));
}

#define FEATURES_COLUMN 15

static void print_scopes(const struct pmu_model *model)
{
	json_t *names = json_core_registers(model), *name;
	char text[512];
	size_t index, used;

	used = (size_t)snprintf(text, sizeof text, "registers: %s's",
				usual_scope(model) == REGISTER_OF_PACKAGE ?
				"the package" : "a thread");
	json_array_foreach(names, index, name)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
					 index ? ", " : "; of a core: ", json_string_value(name));
	json_decref(names);
	print_wrapped(text, FEATURES_COLUMN);
}

static void print_line(const struct pmu_driver *driver)
{
	char counters[64], features[256];
	size_t used = 0;

	features[0] = '\0';
	format_counters(driver->shape->counters, counters, sizeof counters);
	printf("%-14s %-33s %-9s %5u\n", driver->name, driver->title, counters,
	       driver->shape->width);
	for (unsigned i = 0; i < FEATURES; i++)
		if (driver->shape->features >> i & 1)
			used += (size_t)snprintf(features + used, sizeof features - used, "%s%s",
						 used ? ", " : "", feature_names[i]);
	if (driver->libpfm)
		snprintf(features + used, sizeof features - used, "%slibpfm4's %s",
			 used ? "; " : "", driver->libpfm);
	print_wrapped(features, FEATURES_COLUMN);
	print_scopes(pmu_model_find(driver->name));
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
