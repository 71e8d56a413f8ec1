// SPDX-License-Identifier: BSD-2-Clause
// The default workload on a Core i7 whose counters are switched off, for the benchmark
// (tests/bench/guests): at level 0 it first clears all registers that select and enable counters. A
// session then measures nothing.

int workload(void);

// The source is included with its function renamed, so that this workload can call it.
#define workload measured
#include "../../../boot/workload.c"
#undef workload

// IA32_PERF_GLOBAL_CTRL, IA32_PERFEVTSEL0 to 3, IA32_DEBUGCTL, IA32_PEBS_ENABLE,
// MSR_UNCORE_PERF_GLOBAL_CTRL.
static const unsigned registers[] = {0x38F, 0x186, 0x187, 0x188, 0x189, 0x1D9, 0x3F1, 0x391};

int workload(void)
{
	for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
		__asm__ volatile("wrmsr" : : "c"(registers[i]), "a"(0), "d"(0) : "memory");
	return measured();
}
