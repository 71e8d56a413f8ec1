/* SPDX-License-Identifier: BSD-2-Clause */
/* The shim's machine, after pmu_begin with the core PMU of a Core i7 / Xeon 5500. */
#ifndef MACHINE_H
#define MACHINE_H

#include "pmu/sessions.h"

static inline const struct pmu_driver *nehalem(void)
{
	return pmu_driver_find("nehalem");
}

static inline int machine_start(void **state)
{
	(void)state;
	return shim_start("nehalem", "") && pmu_begin(nehalem(), false) == PMU_OK ? 0 : -1;
}

static inline int machine_end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

#endif
