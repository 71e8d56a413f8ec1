/* SPDX-License-Identifier: BSD-2-Clause */
/* RDMSR, WRMSR and RDPMC, which return false on a general protection fault: the entry in
 * .fault_fixups sends the trap handler to the access's second exit. They are volatile although they
 * jump, because an access with an unused value must still happen for its fault. */
#ifndef X86_MSR_H
#define X86_MSR_H

#include <stdbool.h>
#include <stdint.h>

#define X86_MSR_GS_BASE		0xC0000101u

#define X86_FAULT_FIXUP(from, to)			\
	".pushsection .fault_fixups, \"a\"\n"		\
	".balign 4\n"					\
	".long " from " - ., " to " - .\n"		\
	".popsection\n"

static inline bool x86_rdmsr(uint32_t msr, uint64_t *value)
{
	uint32_t low, high;

	__asm__ volatile goto("1: rdmsr\n" X86_FAULT_FIXUP("1b", "%l[fault]")
		     : "=a"(low), "=d"(high) : "c"(msr) : "memory" : fault);
	*value = (uint64_t)high << 32 | low;
	return true;
fault:
	return false;
}

static inline bool x86_wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile goto("1: wrmsr\n" X86_FAULT_FIXUP("1b", "%l[fault]")
		     : : "c"(msr), "a"((uint32_t)value),
		     "d"((uint32_t)(value >> 32)) : "memory" : fault);
	return true;
fault:
	return false;
}

static inline bool x86_rdpmc(uint32_t index, uint64_t *value)
{
	uint32_t low, high;

	__asm__ volatile goto("1: rdpmc\n" X86_FAULT_FIXUP("1b", "%l[fault]")
		     : "=a"(low), "=d"(high) : "c"(index) : "memory" : fault);
	*value = (uint64_t)high << 32 | low;
	return true;
fault:
	return false;
}

#endif
