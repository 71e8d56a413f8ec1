// SPDX-License-Identifier: BSD-2-Clause
// Version, debug registers, and answers from the driver's table about the processor.

#include "pmu_unit.h"
#include "procedures.h"

// palmon's own version, in the place of PAL_B's revision and model. There is no PAL_A.
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

// All other procedures: answers from the driver's table. PAL_INVALID_ARGUMENT: the table has the
// procedure, but not with these arguments.
struct pal_ret pal_processor_info(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	const struct pmu_driver *driver = pmu_this_cpu()->driver;
	int64_t status = PAL_UNIMPLEMENTED;

	for (unsigned i = 0; i < driver->answer_count; i++) {
		const struct pmu_answer *answer = &driver->answers[i];

		if (answer->procedure != index)
			continue;
		if (answer->a1 == a1 && answer->a2 == a2 && !a3)
			return (struct pal_ret){PAL_SUCCESS, answer->v1, answer->v2, answer->v3};
		status = PAL_INVALID_ARGUMENT;
	}
	return (struct pal_ret){.status = status};
}
