// SPDX-License-Identifier: BSD-2-Clause
// Further CPUs: where they start, and who they are.

#include "x86/processors.h"

#include <stdint.h>
#include <string.h>

#include "layout.h"
#include "x86/cpu.h"
#include "x86/traps.h"

#define CPUID_TOPOLOGY		0xB
#define CPUID_SHIFT		0x1F	/* EAX: how many bits of the identity a level takes */

extern const char arch_trampoline[], arch_trampoline_end[];	// entry.S
uint32_t arch_processor_expected;		// taken by the CPU that comes; 0: none
static void (*processor_main)(void);
void x86_processor_main(unsigned number);

void x86_processors_prepare(void)
{
	memcpy((void *)TRAMPOLINE, arch_trampoline, (size_t)(arch_trampoline_end - arch_trampoline));
}

void x86_processor_expect(unsigned number, void (*main)(void))
{
	processor_main = main;
	__atomic_store_n(&arch_processor_expected, number, __ATOMIC_SEQ_CST);
}

bool x86_processor_has_come(void)
{
	return !__atomic_exchange_n(&arch_processor_expected, 0, __ATOMIC_SEQ_CST);
}

// Called by entry.S.
void x86_processor_main(unsigned number)
{
	x86_traps_start_cpu(number);
	processor_main();
}

// SDM volume 2A, CPUID leaf 0BH: the lowest bits of the identity in EDX are the thread's, the next the core's. A
// processor without that leaf is taken for one thread.
void x86_topology(unsigned *core, unsigned *thread)
{
	struct x86_cpuid threads, cores;
	unsigned thread_bits, core_bits;

	*core = *thread = 0;
	if (x86_cpuid(0, 0).eax < CPUID_TOPOLOGY)
		return;
	threads = x86_cpuid(CPUID_TOPOLOGY, 0);
	cores = x86_cpuid(CPUID_TOPOLOGY, 1);
	thread_bits = threads.eax & CPUID_SHIFT;
	core_bits = cores.eax & CPUID_SHIFT;
	*thread = threads.edx & ((1u << thread_bits) - 1);
	*core = (threads.edx & ((1u << core_bits) - 1)) >> thread_bits;
}
