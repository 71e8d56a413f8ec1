// SPDX-License-Identifier: BSD-2-Clause
// The trap of system calls. It checks pointers like an access of the program.

#include "system.h"

#include "arch.h"
#include "layout.h"
#include "libc.h"
#include "x86/cpu.h"
#include "x86/traps.h"

uint64_t system_call(enum system_call call, uint64_t a, uint64_t b)
{
	uint64_t answer;

	__asm__ volatile("int %1" : "=a"(answer) : "i"(VECTOR_SYSTEM_CALL), "D"(call), "S"(a),
			 "d"(b) : "memory");
	return answer;
}

// For a bad address, report a fault of the program at that address.
static void refuse(struct arch_frame *frame, uint64_t address)
{
	__asm__ volatile("mov %0, %%cr2" : : "r"(address));
	frame->vector = VECTOR_PAGE_FAULT;
	x86_trap_fatal(frame);
}

// Overflow interrupts can interrupt this trap if they could interrupt the program.
static void system_call_trap(struct arch_frame *frame)
{
	const enum system_call call = (enum system_call)frame->rdi;

	arch_interrupts_restore(frame->rflags >> 9 & 1);
	if (call == SYSTEM_WRITE && arch_frame_level(frame) &&
	    !x86_memory_readable(frame->rsi, frame->rdx))
		refuse(frame, frame->rsi);
	frame->rax = system_serve(call, frame->rsi, frame->rdx);
	arch_interrupts_disable();
}

void system_start(void)
{
	libc_start();
	x86_attach_system_call(VECTOR_SYSTEM_CALL, system_call_trap);
}
