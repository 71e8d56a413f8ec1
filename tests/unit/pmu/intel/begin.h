/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver, begun on one of the model's processors. */
#ifndef BEGIN_H
#define BEGIN_H

#include "pmu/on_shim.h"

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

#endif
