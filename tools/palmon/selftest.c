// SPDX-License-Identifier: BSD-2-Clause
// palmon selftest: runs the boot-time self test on the host shim.

#include "selftest.h"

#include <getopt.h>
#include <stdio.h>

#include "mutants.h"
#include "palmon.h"
#include "shim.h"

static int list_faults(const struct pmu_driver *driver)
{
	const struct pmu_model *model = pmu_model_find(driver->name);

	for (const char *const *fault = vpmu_faults(model); *fault; fault++)
		puts(*fault);
	return PALMON_DONE;
}

static void complain_fault(const struct pmu_driver *driver, const char *fault)
{
	const struct pmu_model *model = pmu_model_find(driver->name);
	char why[300];

	vpmu_explain_fault(fault, model, pmu_model_package(model), why, sizeof why);
	complain("%s", why);
}

// `fault` NULL: none.
static int run(const struct pmu_driver *driver, const char *fault)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *suite = selftest_find(driver->name);
	struct selftest_tally tally = {0};

	if (!shim_start(driver->name, fault ? fault : "")) {
		complain_fault(driver, fault);
		return PALMON_USAGE;
	}
	selftest_take_snapshot(suite, &snapshot);
	selftest_plan(&suite, 1);
	selftest_run_suite(suite, &snapshot, &tally);
	shim_end();
	return tally.failed ? PALMON_FAILED : PALMON_DONE;
}

int command_selftest(int argc, char **argv)
{
	static const struct option known[] = {
		{"target", required_argument, NULL, 't'}, {"fault", required_argument, NULL, 'f'},
		{"list-faults", no_argument, NULL, 'l'}, {"mutants", no_argument, NULL, 'm'},
		{"all-checks", no_argument, NULL, 'a'}, {0},
	};
	const struct pmu_driver *driver;
	const char *target = NULL, *fault = NULL;
	bool list = false, mutate = false, all = false;

	for (int option; (option = getopt_long(argc, argv, "t:", known, NULL)) != -1;) {
		bool taken = option == 'l' || option == 'm' || option == 'a';

		list |= option == 'l';
		mutate |= option == 'm';
		all |= option == 'a';
		if (option == 't')
			taken = take_once(&target, optarg, "-t");
		else if (option == 'f')
			taken = take_once(&fault, optarg, "--fault");
		if (!taken)
			return usage_error();
	}
	driver = mutate && !target ? NULL : find_target(target);
	if (!driver && !(mutate && !target))
		return PALMON_USAGE;
	if (optind < argc) {
		complain("'%s': selftest takes no arguments", argv[optind]);
		return usage_error();
	}
	if (list && fault) {
		complain("--fault or --list-faults, not both");
		return usage_error();
	}
	if (mutate ? list || fault : all) {
		complain(mutate ? "--mutants goes with --all-checks only" :
			 "--all-checks goes with --mutants");
		return usage_error();
	}
	if (mutate)
		return run_mutants(driver, all);
	return list ? list_faults(driver) : run(driver, fault);
}
