// SPDX-License-Identifier: BSD-2-Clause
// PAL called with all registers filled, by either convention: only registers that the convention
// allows have changed (Architecture Software Developer's Manual, volume 2, 11.10.2.2.3 to
// 11.10.2.2.6, tables 11-59 to 11-63). For level 0.

#include <inttypes.h>
#include <stdio.h>

#include "arch.h"
#include "itanium-fill.h"
#include "pal.h"

int workload(void);

static const struct {
	uint64_t index;
	bool has_buffer;
	uint64_t a1;
} calls[] = {
	{PAL_PERF_MON_INFO, true, 0}, {PAL_VERSION, false, 0}, {PAL_DEBUG_INFO, false, 0},
	{PAL_CACHE_INFO, false, 0},
	{PAL_HALT_LIGHT, false, 1}, {255, false, 0},
	{PAL_HALT_INFO, true, 0}, {300, false, 5}, {PALMON_MONITOR_FEATURES, false, 0},
};

int workload(void)
{
	static uint64_t buffer[16];
	const bool on = arch_interrupts_disable();
	unsigned wrong = 0;

	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
		const uint64_t a1 = calls[i].has_buffer ? (uintptr_t)buffer : calls[i].a1;
		const struct pal_ret answer = pal_call(calls[i].index, a1, 0, 0);
		uint64_t found;

		fill(calls[i].index, a1);
		filled_put_bank_0();
		found = fill_call(calls[i].index);
		filled_get_bank_0();
		found += fill_compare(calls[i].index, &answer, true);
		wrong += found != 0;
		printf("procedure %" PRIu64 ": %" PRIu64 " registers that differ\n", calls[i].index,
		       found);
	}
	arch_interrupts_restore(on);
	return wrong != 0;
}
