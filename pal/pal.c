// SPDX-License-Identifier: BSD-2-Clause
// Dispatch: index to procedure.

#include "procedures.h"

#include <stddef.h>

#define STATIC_PROCEDURES		32	/* of 0-255, as far as any are implemented */
#define STACKED_FIRST			256
#define STACKED_PROCEDURES		2
#define IMPLEMENTATION_FIRST		512
#define IMPLEMENTATION_PROCEDURES	1

static pal_procedure *const static_procedures[STATIC_PROCEDURES] = {
	[PAL_DEBUG_INFO] = pal_debug_info,
	[PAL_PERF_MON_INFO] = pal_perf_mon_info,
	[PAL_VERSION] = pal_version,
	[PAL_HALT_LIGHT] = pal_halt_light,
};

static pal_procedure *const stacked_procedures[STACKED_PROCEDURES] = {
	[PAL_HALT_INFO - STACKED_FIRST] = pal_halt_info,
};

static pal_procedure *const implementation_procedures[IMPLEMENTATION_PROCEDURES] = {
	[PALMON_MONITOR_FEATURES - IMPLEMENTATION_FIRST] = palmon_monitor_features,
};

struct pal_ret pal_call(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3)
{
	pal_procedure *procedure = NULL;

	if (index < STATIC_PROCEDURES)
		procedure = static_procedures[index];
	else if (index - STACKED_FIRST < STACKED_PROCEDURES)
		procedure = stacked_procedures[index - STACKED_FIRST];
	else if (index - IMPLEMENTATION_FIRST < IMPLEMENTATION_PROCEDURES)
		procedure = implementation_procedures[index - IMPLEMENTATION_FIRST];
	if (!procedure)
		return (struct pal_ret){.status = PAL_UNIMPLEMENTED};
	return procedure(index, a1, a2, a3);
}
