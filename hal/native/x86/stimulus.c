// SPDX-License-Identifier: BSD-2-Clause
// The SPFLT instruction.

#include "stimulus.h"
#include "x86/cpu.h"
#include "x86/msr.h"

// SPFLT EAX as bytes, because not every assembler knows it.
bool hal_spflt(bool count)
{
	__asm__ volatile goto("1: .byte 0xC5, 0xFB, 0xAE, 0xF0\n" X86_FAULT_FIXUP("1b",
										  "%l[undefined]")
		     : : "a"(count) : "memory" : undefined);
	return true;
undefined:
	return false;
}
