// SPDX-License-Identifier: BSD-2-Clause
// palmon selftest: the boot-time self test, on the host shim.

#include "selftest.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "palmon.h"
#include "shim.h"

static const char stuck[] = "stuck:";

static int list_faults(const struct pmu_driver *driver)
{
	const struct pmu_model *model = pmu_model_find(driver->name);

	for (const char *const *fault = vpmu_faults(model); *fault; fault++)
		puts(*fault);
	return PALMON_DONE;
}

// Whether a fault is well-formed: stuck:ADDRESS:BIT:VALUE.
static bool is_stuck_bit(const char *fault, uint64_t *address)
{
	const char *bit = strchr(fault + strlen(stuck), ':'), *value = bit ? strchr(bit + 1, ':') : NULL;
	uint64_t number;

	return value && read_number(fault + strlen(stuck), ':', address) && read_number(bit + 1, ':', &number) &&
	       number < 64 && read_number(value + 1, '\0', &number) && number < 2;
}

static void complain_fault(const char *fault)
{
	const char *bit = strstr(fault, stuck);
	uint64_t address;

	if (!bit)
		complain("there is no fault '%s'; --list-faults lists them", fault);
	else if (is_stuck_bit(bit, &address))
		complain("'%s': there is no register at address 0x%" PRIx64, fault, address);
	else
		complain("'%s' is not stuck:ADDRESS:BIT:VALUE, with a register's address, a bit from 0 to 63, and 0 "
			 "or 1", fault);
}

// `fault` may be NULL: none.
static int run(const struct pmu_driver *driver, const char *fault)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *suite = selftest_find(driver->name);
	struct selftest_tally tally = {0};

	if (!shim_start(driver->name, fault ? fault : "")) {
		complain_fault(fault);
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
	const char *target = NULL, *fault = NULL;
	bool list = false;

	for (int option; (option = getopt_long(argc, argv, "t:", known, NULL)) != -1;) {
		bool taken = option == 'l';

		list |= taken;
		if (option == 't')
			taken = take_once(&target, optarg, "-t");
		else if (option == 'f')
			taken = take_once(&fault, optarg, "--fault");
		if (!taken)
			return usage_error();
	}
	driver = find_target(target);
	if (!driver)
		return PALMON_USAGE;
	if (optind < argc) {
		complain("'%s': selftest takes no arguments", argv[optind]);
		return usage_error();
	}
	if (list && fault) {
		complain("--fault or --list-faults, not both");
		return usage_error();
	}
	return list ? list_faults(driver) : run(driver, fault);
}
