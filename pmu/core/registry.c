// SPDX-License-Identifier: BSD-2-Clause
// Finds drivers by name, by their events, and by the processor.

#include <string.h>

#include "event_read.h"
#include "pmu_driver.h"

const char *pmu_probe(const struct pmu_driver *driver)
{
	struct pmu_shape found = {0};
	const char *const why = driver->probe(&found);

	if (!why && driver->enumerated)
		*driver->enumerated = found;
	return why;
}

bool pmu_driver_is(const struct pmu_driver *driver, const char *word, size_t length)
{
	return event_is_word(word, length, driver->name) ||
	       (driver->libpfm && event_is_word(word, length, driver->libpfm));
}

const struct pmu_driver *pmu_driver_find(const char *name)
{
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if (!strcmp((*d)->name, name))
			return *d;
	return NULL;
}

const struct pmu_driver *pmu_driver_with(const struct pmu_event_table *table)
{
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if ((*d)->events == table)
			return *d;
	return NULL;
}

const struct pmu_driver *pmu_driver_of(const struct pmu_event *event)
{
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if ((uintptr_t)event - (uintptr_t)(*d)->events->event < (*d)->events->count *
		    sizeof *event)
			return *d;
	return NULL;
}
