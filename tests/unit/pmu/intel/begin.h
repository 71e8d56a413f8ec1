/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver, begun on one of the model's processors. */
#ifndef BEGIN_H
#define BEGIN_H

#include <stdio.h>

#include "pmu/on_shim.h"
#include "selftest.h"

static inline const struct pmu_driver *driver(void)
{
	return pmu_driver_find("intel");
}

static inline void begin(const char *name)
{
	assert_true(shim_start(name, ""));
	assert_null(pmu_probe(driver()));
	assert_int_equal(pmu_begin(driver(), false), PMU_OK);
}

/* Runs the self test on a processor, with a fault unless that is "". *text: its report, to free. */
static inline struct selftest_tally run_selftest(const char *name, const char *fault, char **text)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *suite = selftest_find("intel");
	struct selftest_tally tally = {0};
	FILE *const console = stdout;
	size_t size;

	assert_true(shim_start(name, fault));
	stdout = open_memstream(text, &size);
	selftest_take_snapshot(suite, &snapshot);
	selftest_plan(&suite, 1);
	selftest_run_suite(suite, &snapshot, &tally);
	fclose(stdout);
	stdout = console;
	return tally;
}

#endif
