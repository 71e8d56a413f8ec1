// SPDX-License-Identifier: BSD-2-Clause
// The trap of system calls. It checks pointers like an access of the program.

#include "system.h"

#include "arch.h"
#include "hal.h"
#include "layout.h"
#include "ia64/frame.h"
#include "ia64/traps.h"

extern char text_start[], text_end[], user_start[];	// linker script

uint64_t system_call(enum system_call call, uint64_t a, uint64_t b)
{
	register uint64_t r8 __asm__("r8"), r14 __asm__("r14") = a, r15 __asm__("r15") = call,
		r16 __asm__("r16") = b;

	__asm__ volatile("break.m %1 ;;" : "=r"(r8) : "i"(BREAK_SYSTEM_CALL), "r"(r14), "r"(r15),
			 "r"(r16) : "memory");
	return r8;
}

// Whether the lowest privilege level may read the range: it must lie in the image's code and
// constants, or in programs' memory.
static bool programs_may_read(uint64_t address, uint64_t size)
{
	const uint64_t start = (uintptr_t)text_start, end = (uintptr_t)text_end,
		own = (uintptr_t)user_start;

	return address < end ? address >= start && size <= end - address :
	       address >= own && address <= hal_memory_end && size <= hal_memory_end - address;
}

// Overflow interrupts can interrupt this trap if they could interrupt the program.
static void system_call_trap(struct arch_frame *frame)
{
	const uint64_t a = *ia64_frame_register(frame, 14), b = *ia64_frame_register(frame, 16);
	const enum system_call call = (enum system_call)*ia64_frame_register(frame, 15);

	if (call == SYSTEM_WRITE && !programs_may_read(a, b)) {
		frame->ifa = a;		// report a fault of the program at this address
		frame->vector = VECTOR_DATA_TLB;
		ia64_trap_fatal(frame);
	}
	arch_interrupts_restore(frame->ipsr & PSR_I);
	*ia64_frame_register(frame, 8) = system_serve(call, a, b);
	arch_interrupts_disable();
}

// Ends programs' memory. Translations so far may belong to level 0: purge them.
void system_start(void)
{
	ia64_attach_system_call(system_call_trap);
	__asm__ volatile("ptc.e %0 ;;\nsrlz.i ;;\nsrlz.d ;;" : : "r"(0UL) : "memory");
}
