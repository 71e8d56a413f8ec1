// SPDX-License-Identifier: BSD-2-Clause
// Time to get from an event's name to a control register's value, next to libpfm4's
// pfm_get_os_event_encoding for the same names. The two alternate, so that both see the same
// machine.

#include <perfmon/pfmlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pmu_driver.h"

#define EVENTS_MAX	64
#define ROUNDS		400
#define REPEATS		50
#define LEVELS		(PFM_PLM0 | PFM_PLM3)

static char names[EVENTS_MAX][EVENT_NAME_MAX + 1], theirs[EVENTS_MAX][EVENT_NAME_MAX + 8];
static unsigned count;

// Events of Nehalem with the same name in libpfm4.
static void choose_events(const struct pmu_event_table *table)
{
	for (size_t i = 0; i < table->count && count < EVENTS_MAX; i++) {
		uint64_t codes[4];
		pfm_pmu_encode_arg_t argument = {.codes = codes, .count = 4,
						 .size = sizeof argument};
		char *dot;

		strcpy(names[count], table->event[i].name);
		snprintf(theirs[count], sizeof theirs[count], "nhm::%s", names[count]);
		dot = strchr(theirs[count], '.');
		if (dot)
			*dot = ':';
		if (pfm_get_os_event_encoding(theirs[count], LEVELS, PFM_OS_NONE,
					      &argument) == PFM_SUCCESS)
			count++;
	}
}

static uint64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t sink;

static void look_up_ours(const struct pmu_driver *driver)
{
	for (unsigned i = 0; i < count * REPEATS; i++) {
		const char *text = names[i % count];
		struct event_request r;

		if (event_parse(driver->events, &text, &r))
			abort();
		sink += driver->encode(&r, (unsigned)__builtin_ctzll(driver->choices(&r)));
	}
}

static void look_up_theirs(void)
{
	for (unsigned i = 0; i < count * REPEATS; i++) {
		uint64_t codes[4];
		pfm_pmu_encode_arg_t argument = {.codes = codes, .count = 4,
						 .size = sizeof argument};

		if (pfm_get_os_event_encoding(theirs[i % count], LEVELS, PFM_OS_NONE, &argument))
			abort();
		sink += codes[0];
	}
}

int main(void)
{
	const struct pmu_driver *driver = pmu_driver_find("nehalem");
	uint64_t ours = 0, others = 0;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS)
		return 1;
	choose_events(driver->events);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t start = nanoseconds(), middle;

		look_up_ours(driver);
		middle = nanoseconds();
		look_up_theirs();
		ours += middle - start;
		others += nanoseconds() - middle;
	}
	printf("event lookup, %u names\t%.0f\tnanoseconds\t\n", count,
	       (double)ours / ROUNDS / REPEATS / count);
	printf("event lookup, libpfm4's time in ours\t%.1f\ttimes\t1\n",
	       (double)others / (double)ours);
	return sink == 0;
}
