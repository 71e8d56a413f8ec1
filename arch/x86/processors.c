// SPDX-License-Identifier: BSD-2-Clause
// Further CPUs: their start, and their identities.

#include "x86/processors.h"

#include <stdint.h>

#include "x86/cpu.h"
#include "x86/traps.h"

#define CPUID_CACHES		4		/* EAX: also the highest core number */
#define CPUID_TOPOLOGY		0xB
#define CPUID_SHIFT		0x1F	/* EAX: number of APIC ID bits below the next level */

uint32_t arch_processor_expected;		// expected CPU, which clears it; 0: none
static void (*processor_main)(void);
void x86_processor_main(unsigned number);

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
	x86_descriptors_start_cpu(number);
	processor_main();
}

// The parts of an APIC ID: the lowest bits are the thread's, the next the core's, the highest the
// package's.
struct division {
	uint32_t own;			// the calling CPU's APIC ID
	unsigned thread_bits, bits;	// of the thread; of thread and core
};

// The number of bits for `count` IDs.
static unsigned bits_of(unsigned count)
{
	unsigned bits = 0;

	while (1u << bits < count)
		bits++;
	return bits;
}

// For a processor without leaf 0BH (SDM volume 3A, "Hierarchical Mapping of Shared Resources"):
// leaf 1 gives the number of IDs in a package, leaf 4 the number of cores. Without leaf 4, assumes
// one thread per core.
static struct division division_of_package(uint32_t highest)
{
	const struct x86_cpuid package = x86_cpuid(1, 0);
	struct division d = {package.ebx >> 24, 0, 0};
	unsigned core_bits;

	if (highest < CPUID_CACHES || !(package.edx & X86_CPUID_1_EDX_HTT))
		return d;
	d.bits = bits_of(package.ebx >> 16 & 0xFF);
	core_bits = bits_of((x86_cpuid(CPUID_CACHES, 0).eax >> 26) + 1);
	d.thread_bits = core_bits < d.bits ? d.bits - core_bits : 0;
	return d;
}

// SDM volume 2A, CPUID leaf 0BH, which returns the APIC ID in EDX.
static struct division division(void)
{
	const uint32_t highest = x86_cpuid(0, 0).eax;
	struct x86_cpuid threads;

	if (highest < CPUID_TOPOLOGY)
		return division_of_package(highest);
	threads = x86_cpuid(CPUID_TOPOLOGY, 0);
	return (struct division){
		threads.edx, threads.eax & CPUID_SHIFT,
		x86_cpuid(CPUID_TOPOLOGY, 1).eax & CPUID_SHIFT,
	};
}

static unsigned divide(const struct division *d, uint32_t identity, unsigned *core,
		       unsigned *thread)
{
	*thread = identity & ((1u << d->thread_bits) - 1);
	*core = (identity & ((1u << d->bits) - 1)) >> d->thread_bits;
	return identity >> d->bits;
}

unsigned x86_topology_of(uint32_t identity, unsigned *core, unsigned *thread)
{
	const struct division d = division();

	return divide(&d, identity, core, thread);
}

unsigned x86_topology(unsigned *core, unsigned *thread)
{
	const struct division d = division();

	return divide(&d, d.own, core, thread);
}
