// SPDX-License-Identifier: BSD-2-Clause
// Drivers by name.

#include <string.h>

#include "pmu.h"

const struct pmu_driver *pmu_driver_find(const char *name)
{
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if (!strcmp((*d)->name, name))
			return *d;
	return NULL;
}
