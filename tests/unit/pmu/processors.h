/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps for tests of a driver that enumerates its processor, on each processor that the model can
 * be. */
#ifndef PROCESSORS_H
#define PROCESSORS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "on_shim.h"
#include "selftest.h"

static inline void begin_on(const struct pmu_driver *driver, const char *processor)
{
	assert_true(shim_start(processor, ""));
	assert_null(pmu_probe(driver));
	assert_int_equal(pmu_begin(driver, false), PMU_OK);
}

static inline void self_test_passes_on(const struct pmu_driver *driver, const char *processor)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *suite = selftest_find(driver->name);
	struct selftest_tally tally = {0};
	FILE *const console = stdout;
	char *text = NULL, *failure;
	size_t size;

	assert_true(shim_start(processor, ""));
	stdout = open_memstream(&text, &size);
	selftest_take_snapshot(suite, &snapshot);
	selftest_plan(&suite, 1);
	selftest_run_suite(suite, &snapshot, &tally);
	fclose(stdout);
	stdout = console;
	failure = strstr(text, "not ok");
	if (failure)
		fail_msg("%s: %.*s", processor, (int)strcspn(failure, "\n"), failure);
	free(text);
	assert_int_equal(tally.failed, 0);
	assert_true(tally.number > 20);
}

/* Counts n instructions at level 3, and a constant number around them. */
static inline uint64_t count_user(const char *event, uint64_t n, uint64_t *samples)
{
	struct pmu_session session;
	uint64_t count;

	open_and_start(&session, event);
	hal_execute_user(n);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(pmu_read(&session, 0, &count), PMU_OK);
	*samples = session.counter[0].samples;
	assert_int_equal(pmu_close(&session), PMU_OK);
	return count;
}

/* `event` counts instructions at level 3. With samples, a counter overflows at each period; without
 * them, when its register wraps. A run of 2^33 instructions wraps registers of 32 bits. */
static inline void counts_and_samples_exactly(const char *event)
{
	char sampling[96];
	uint64_t samples, around;

	snprintf(sampling, sizeof sampling, "%s:period=700", event);
	around = count_user(sampling, 0, &samples);
	assert_int_equal(samples, 0);
	assert_int_equal(count_user(sampling, 7000, &samples), 7000 + around);
	assert_int_equal(samples, 10);
	assert_int_equal(count_user(event, 1ULL << 33, &samples), (1ULL << 33) + around);
}

#endif
