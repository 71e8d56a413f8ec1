// SPDX-License-Identifier: BSD-2-Clause
// Dispatch of interrupts and exceptions, fault fix-ups, the halt.

#include <stddef.h>

#include "arch.h"
#include "layout.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"
#include "x86/traps.h"

// An entry of .fault_fixups: an instruction that may fault, and its continuation, each relative to
// its own field.
struct fault_fixup {
	int32_t from, to;
};

extern const struct fault_fixup fault_fixups_start[], fault_fixups_end[];	// linker script

static arch_handler *handlers[X86_VECTORS];
static arch_handler *fatal_handler;

void arch_attach(unsigned vector, arch_handler *handler)
{
	handlers[vector] = handler;
}

void arch_attach_fatal(arch_handler *handler)
{
	fatal_handler = handler;
}

noreturn void x86_trap_fatal(struct arch_frame *frame)
{
	fatal_handler(frame);
	for (;;)
		;
}

static bool is_fixup_of(const struct fault_fixup *f, uint64_t ip)
{
	return (uintptr_t)&f->from + (uint64_t)(int64_t)f->from == ip;
}

// Returns the continuation after an expected fault at `ip`; 0: the fault was not expected. Tries
// the last entry first, because the same instruction often faults again.
static uint64_t fixup_of(uint64_t ip)
{
	static const struct fault_fixup *last = fault_fixups_start;
	const struct fault_fixup *f = __atomic_load_n(&last, __ATOMIC_RELAXED);

	if (!is_fixup_of(f, ip)) {
		for (f = fault_fixups_start; f < fault_fixups_end && !is_fixup_of(f, ip); f++)
			;
		if (f == fault_fixups_end)
			return 0;
		__atomic_store_n(&last, f, __ATOMIC_RELAXED);
	}
	return (uintptr_t)&f->to + (uint64_t)(int64_t)f->to;
}

// The first interrupt in a halt: calls `woken` before the interrupt's handler. To keep the overflow
// interrupt's fast entry free of this check, a halt replaces its handler.
static void wake(void)
{
	void (*woken)(void) = x86_this_cpu.halt_woken;

	if (woken) {
		x86_this_cpu.halt_woken = NULL;
		x86_this_cpu.pmi_handler = x86_this_cpu.pmi_handler_outside_halt;
		woken();
	}
}

static void wake_by_pmi(uint64_t ip, unsigned level)
{
	wake();
	x86_this_cpu.pmi_handler(ip, level);
}

// Called by the common entry of vectors.S.
void arch_trap(struct arch_frame *frame)
{
	uint64_t fixup = frame->vector < VECTOR_FIRST_INTERRUPT ? fixup_of(frame->rip) : 0;

	if (fixup) {
		frame->rip = fixup;
		return;
	}
	if (frame->vector >= VECTOR_FIRST_INTERRUPT)
		wake();
	(handlers[frame->vector] ? handlers[frame->vector] : fatal_handler)(frame);
}

uint64_t arch_frame_ip(const struct arch_frame *frame)
{
	return frame->rip;
}

unsigned arch_frame_level(const struct arch_frame *frame)
{
	return frame->cs & 3;
}

void arch_halt(void (*woken)(void))
{
	if (woken) {
		x86_this_cpu.halt_woken = woken;
		x86_this_cpu.pmi_handler_outside_halt = x86_this_cpu.pmi_handler;
		x86_this_cpu.pmi_handler = wake_by_pmi;
	}
	// STI takes effect after the next instruction: no interrupt can come between STI and HLT
	__asm__ volatile("sti; hlt; cli" : : : "memory");
	wake();
}
