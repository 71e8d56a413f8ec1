// SPDX-License-Identifier: BSD-2-Clause
// CPUID of Knights Corner.

#include "state.h"

// Vendor "GenuineIntel" in EBX, EDX, ECX of leaf 0; family 0BH, model 1, stepping 3 in EAX of leaf
// 1.
#define CPUID_LAST		4
#define CPUID_0_EBX		0x756E6547
#define CPUID_0_ECX		0x6C65746E
#define CPUID_0_EDX		0x49656E69
#define CPUID_1_EAX		0x00000B13
#define CPUID_1_EBX_THREADS	0x00FF0000u	/* number of logical processors in the package */
#define CPUID_1_EDX_HTT		(1u << 28)
/* 25:14 threads that share the cache, 31:26 cores, each less 1 */
#define CPUID_4_EAX_SHARED	0xFFFFC000u
#define CPUID_4_EAX_TYPE	0x1Fu
#define CPUID_HYPERVISORS	0x40000000	/* first leaf of hypervisors */
#define CPUID_EXTENDED_1	0x80000001
#define CPUID_EXTENDED_1_ECX	0x00000001u	/* LAHF */

// Feature bits that /proc/cpuinfo shows on a Knights Corner coprocessor of 60 cores
// (github.com/mesonbuild/meson, 9067): FPU, VME, DE, PSE, TSC, MSR, PAE, MCE, CX8, APIC, MTRR, MCA,
// PAT, FXSR, HTT of leaf 1; SYSCALL, NX, LM, LAHF of leaf 80000001H. The processor lacks CMOV,
// CLFLUSH, MMX and SSE, and ECX of leaf 1 is 0.
#define CPUID_1_EDX		0x110153FFu
#define CPUID_EXTENDED_1_EDX	0x20100800u

// Describes one core of four threads, and removes the features of the emulated processor that
// Knights Corner lacks.
void knc_identify(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
		  uint32_t registers[4])
{
	(void)model, (void)subleaf;
	if (leaf == 0) {
		registers[0] = CPUID_LAST;
		registers[1] = CPUID_0_EBX;
		registers[2] = CPUID_0_ECX;
		registers[3] = CPUID_0_EDX;
	} else if (leaf == 1) {
		registers[0] = CPUID_1_EAX;
		registers[1] = (registers[1] & ~CPUID_1_EBX_THREADS) | THREADS << 16;
		registers[2] = 0;
		registers[3] = (registers[3] & CPUID_1_EDX) | CPUID_1_EDX_HTT;
	} else if (leaf == CPUID_LAST && registers[0] & CPUID_4_EAX_TYPE) {
		registers[0] = (registers[0] & ~CPUID_4_EAX_SHARED) | (THREADS - 1) << 14;
	} else if (leaf > CPUID_LAST && leaf < CPUID_HYPERVISORS) {
		registers[0] = registers[1] = registers[2] = registers[3] = 0;
	} else if (leaf == CPUID_EXTENDED_1) {
		registers[2] &= CPUID_EXTENDED_1_ECX;
		registers[3] &= CPUID_EXTENDED_1_EDX;
	}
}
