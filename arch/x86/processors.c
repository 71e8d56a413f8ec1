// SPDX-License-Identifier: BSD-2-Clause
// Further CPUs: where they start, and who they are.

#include "x86/processors.h"

#include <stdint.h>
#include <string.h>

#include "layout.h"
#include "x86/cpu.h"
#include "x86/traps.h"

#define CPUID_CACHES		4		/* EAX: the highest number of a core, too */
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

// The lowest bits of an identity are the thread's, the next the core's, the highest the package's.
static unsigned divide_identity(uint32_t identity, unsigned thread_bits, unsigned bits, unsigned *core,
				unsigned *thread)
{
	*thread = identity & ((1u << thread_bits) - 1);
	*core = (identity & ((1u << bits) - 1)) >> thread_bits;
	return identity >> bits;
}

// The number of bits for so many identities.
static unsigned bits_of(unsigned count)
{
	unsigned bits = 0;

	while (1u << bits < count)
		bits++;
	return bits;
}

// Of a processor without leaf 0BH (SDM volume 3A, "Hierarchical Mapping of Shared Resources"): leaf 1 says how many
// identities a package has, leaf 4 how many of them are cores'. One without leaf 4 is taken for one thread.
__attribute__((noinline)) static unsigned topology_of_package(uint32_t highest, unsigned *core, unsigned *thread)
{
	struct x86_cpuid package;
	unsigned bits, core_bits;

	if (highest < CPUID_CACHES)
		return 0;
	package = x86_cpuid(1, 0);
	if (!(package.edx & X86_CPUID_1_EDX_HTT))
		return 0;
	bits = bits_of(package.ebx >> 16 & 0xFF);
	core_bits = bits_of((x86_cpuid(CPUID_CACHES, 0).eax >> 26) + 1);
	return divide_identity(package.ebx >> 24, core_bits < bits ? bits - core_bits : 0, bits, core, thread);
}

// SDM volume 2A, CPUID leaf 0BH, with the identity in EDX.
unsigned x86_topology(unsigned *core, unsigned *thread)
{
	struct x86_cpuid threads, cores;
	uint32_t highest;

	*core = *thread = 0;
	highest = x86_cpuid(0, 0).eax;
	if (highest < CPUID_TOPOLOGY)
		return topology_of_package(highest, core, thread);
	threads = x86_cpuid(CPUID_TOPOLOGY, 0);
	cores = x86_cpuid(CPUID_TOPOLOGY, 1);
	return divide_identity(threads.edx, threads.eax & CPUID_SHIFT, cores.eax & CPUID_SHIFT, core, thread);
}
