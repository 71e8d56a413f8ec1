// SPDX-License-Identifier: BSD-2-Clause
// palmon selftest: the boot-time self test, on the host shim.

#include "selftest.h"

#include <getopt.h>
#include <stdio.h>

#include "palmon.h"
#include "shim.h"

static int list_faults(const struct pmu_driver *driver)
{
	const struct pmu_model *model = pmu_model_find(driver->name);

	for (const char *const *fault = model->faults; *fault; fault++)
		puts(*fault);
	return PALMON_DONE;
}

static int run(const struct pmu_driver *driver, const char *fault)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *suite = selftest_find(driver->name);
	struct selftest_tally tally = {0};

	if (!shim_start(driver->name, fault)) {
		complain("there is no fault '%s'; --list-faults lists them", fault);
		return PALMON_USAGE;
	}
	selftest_take_snapshot(suite, &snapshot);
	selftest_plan(&suite, 1);
	selftest_run(suite, &snapshot, &tally);
	shim_end();
	return tally.failed ? PALMON_FAILED : PALMON_DONE;
}

int command_selftest(int argc, char **argv)
{
	static const struct option known[] = {
		{"target", required_argument, NULL, 't'}, {"fault", required_argument, NULL, 'f'},
		{"list-faults", no_argument, NULL, 'l'}, {0},
	};
	const struct pmu_driver *driver;
	const char *target = NULL, *fault = "";
	bool list = false;

	for (int option; (option = getopt_long(argc, argv, "t:", known, NULL)) != -1;)
		switch (option) {
		case 't':
			target = optarg;
			break;
		case 'f':
			fault = optarg;
			break;
		case 'l':
			list = true;
			break;
		default:
			return usage_error();
		}
	driver = find_target(target);
	if (!driver)
		return PALMON_USAGE;
	if (optind < argc) {
		complain("'%s': selftest takes no arguments", argv[optind]);
		return usage_error();
	}
	return list ? list_faults(driver) : run(driver, fault);
}
