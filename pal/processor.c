// SPDX-License-Identifier: BSD-2-Clause
// Versions, and debug registers.

#include "cpu.h"
#include "procedures.h"

// palmon's own number, in the place of PAL_B's revision and model; no PAL_A lies beneath it.
#define VERSION_REVISION	1
#define VERSION_MODEL		0

struct pal_ret pal_version(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	const uint64_t version = VERSION_REVISION | VERSION_MODEL << 8;

	(void)index;
	if (a1 | a2 | a3)
		return (struct pal_ret){.status = PAL_INVALID_ARGUMENT};
	return (struct pal_ret){.status = PAL_SUCCESS, .v1 = version, .v2 = version};
}

struct pal_ret pal_debug_info(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	(void)index;
	if (a1 | a2 | a3)
		return (struct pal_ret){.status = PAL_INVALID_ARGUMENT};
	return (struct pal_ret){
		.status = PAL_SUCCESS,
		.v1 = pmu_this_cpu()->driver->instruction_breakpoints,
		.v2 = pmu_this_cpu()->driver->data_breakpoints,
	};
}
