// SPDX-License-Identifier: BSD-2-Clause
// The location of a sample, and its meaning in words.

#include "pmu_driver.h"

struct pmu_location pmu_locate(const struct pmu_driver *driver, const struct event_request *request,
			       uint64_t ip, const uint64_t *words, unsigned count)
{
	if (driver->records && driver->records->locate)
		return driver->records->locate(request, ip, words, count);
	return (struct pmu_location){ip, PMU_PLACE_INTERRUPTED};
}

static const struct {
	const char *word, *text;
} places[PMU_PLACES] = {
	[PMU_PLACE_INTERRUPTED] = {"interrupted", "where the program was interrupted"},
	[PMU_PLACE_NEXT] = {"next",
			    "the instruction executed next, after the sampled one or its target"},
	[PMU_PLACE_SAMPLED] = {"sampled", "the sampled instruction"},
	[PMU_PLACE_LINE] = {"line", "the line of instructions that was fetched"},
};

const char *pmu_place_word(enum pmu_place place)
{
	return places[place].word;
}

const char *pmu_place_text(enum pmu_place place)
{
	return places[place].text;
}
