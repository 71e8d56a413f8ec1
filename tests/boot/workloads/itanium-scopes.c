// SPDX-License-Identifier: BSD-2-Clause
// A kernel that switches between three processes (Itanium Processor Reference Manual, 6.1.3.2,
// Figures 6-6 to 6-8). They run at level 3 and make 3,000, 5,000 and 7,000 stores to `stored`, in
// time slices of 1,000; after each slice the process calls the kernel, whose handler makes one
// store. A switch makes none. Stores to `stored`, by hand:
//
//	at level 3		3,000 + 5,000 + 7,000
//	in handlers		3 + 5 + 7
//
// The processes are the session's own, one of several, and another one. For level 0.

#include "arch.h"
#include "hal.h"
#include "image_run.h"
#include "layout.h"
#include "pmu.h"
#include "system.h"
#include "ia64/traps.h"

#define SLICE	1000

int workload(void);

_Alignas(64) volatile uint64_t stored[8];

static int slice(void)
{
	for (unsigned i = 0; i < SLICE; i++)
		stored[0] = i;
	__asm__ volatile("break.m %0 ;;" : : "i"(BREAK_SYSTEM_CALL) : "memory");
	return 0;
}

static void kernel(struct arch_frame *frame)
{
	(void)frame;
	stored[1] = 1;
}

int workload(void)
{
	static const struct {
		enum pmu_process process;
		unsigned slices;
	} processes[] = {{PMU_PROCESS_OWN, 3}, {PMU_PROCESS_CHOSEN, 5}, {PMU_PROCESS_OTHER, 7}};
	const unsigned rounds = 7;
	int status = 0;

	ia64_attach_system_call(kernel);
	for (unsigned round = 0; round < rounds; round++)
		for (unsigned i = 0; i < 3; i++) {
			if (round >= processes[i].slices)
				continue;
			status |= !pmu_switch_process(processes[i].process);
			status |= hal_run_user(slice);
		}
	system_start();
	return status;
}
