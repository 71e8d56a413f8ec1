// SPDX-License-Identifier: BSD-2-Clause
// run=state: saves a running session's context as bytes and prints them for `palmon state`. Another
// session in other memory is made from these bytes and continues.

#include <inttypes.h>
#include <stdio.h>

#include "boot.h"
#include "pmu_driver.h"
#include "portable.h"
#include "stimulus.h"

#define PERIOD		1000
#define LINE		32	/* bytes in a line */
#define SAVED_AT	0x123456789ABCDEF0
#define INSTRUCTIONS	12345

static struct pmu_session session, moved;
static uint8_t bytes[PMU_PORTABLE_MOST];

// Opens two counters of retired instructions: one only counts, one samples.
static bool open(const struct pmu_driver *driver)
{
	struct event_request requests[2];
	struct pmu_refusal refusal;

	for (unsigned i = 0; i < 2; i++) {
		const char *text = driver->retired;

		if (event_parse(driver->events, &text, &requests[i]) != EVENT_OK)
			return false;
		requests[i].period = i ? PERIOD : 0;
	}
	return pmu_open(&session, requests, 2, &refusal) == PMU_OK && pmu_start(&session) == PMU_OK;
}

static bool save(size_t *size, uint64_t *count)
{
	struct pmu_context context;
	bool ok = pmu_context_save(&context, SAVED_AT, 0) == PMU_OK;

	*size = pmu_portable_write(&context, bytes, sizeof bytes);
	ok &= pmu_read(&session, 0, count) == PMU_OK;
	pmu_portable_forget(&context);
	return ok && *size;
}

static void print(size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%s%02x%s", i % LINE ? "" : "state: ", bytes[i],
		       i % LINE == LINE - 1 || i == size - 1 ? "\n" : "");
}

static bool go_on(const struct pmu_driver *driver, size_t size)
{
	struct pmu_context context;
	enum pmu_portable_error error = pmu_portable_read(driver, bytes, size, &moved, 1, &context);

	if (error)
		return boot_refuse("%s", pmu_portable_explain(error));
	return pmu_context_restore(&context) == PMU_OK;
}

bool state_run(const struct pmu_driver *driver)
{
	uint64_t before = 0, count[2] = {0};
	size_t size;
	bool ok = open(driver);

	hal_execute_user(INSTRUCTIONS);
	if (!ok || !save(&size, &before))
		return false;
	print(size);
	printf("saved: %" PRIu64 " events, session %u\n", before, (unsigned)session.number);
	if (!go_on(driver, size))
		return false;
	hal_execute_user(INSTRUCTIONS);
	ok = pmu_stop(&moved) == PMU_OK;
	for (unsigned i = 0; i < 2; i++)
		ok &= pmu_read(&moved, i, &count[i]) == PMU_OK;
	printf("gone on: %" PRIu64 " and %" PRIu64 " events, %" PRIu64 " samples, slipped %" PRIu64
	       "\n", count[0], count[1], moved.counter[1].samples, moved.counter[1].slipped);
	return pmu_close(&moved) == PMU_OK && ok;
}
