/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions of the itanium driver. */
#ifndef DRIVER_SESSIONS_H
#define DRIVER_SESSIONS_H

#include "pmu/itanium/driver.h"

#include <stdlib.h>
#include <string.h>

#include "pal.h"

static inline void connect(const struct occurrence *signals, size_t count)
{
	struct vpmu *v = shim_vpmu();

	v->model->connect(v->state, signals, count);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, driver_start, driver_end)

#endif
