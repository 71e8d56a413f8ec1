// SPDX-License-Identifier: BSD-2-Clause
// Traps: dispatch to handlers, faults of register accesses, and the halt.

#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "layout.h"
#include "sparc64/frame.h"
#include "sparc64/this_cpu.h"
#include "sparc64/traps.h"

#define TRAP_TYPES		0x200

// Two addresses, each relative to its own field.
struct fault_fixup {
	int32_t from, to;
};

extern const struct fault_fixup fault_fixups_start[], fault_fixups_end[];	// linker script
extern const char arch_halt_instruction[];				// execute.S
void arch_halt_wait(void);						// execute.S
bool sparc64_execute_between(uint64_t asi, uint64_t address, uint64_t first, uint64_t second,
			     uint64_t n);
void arch_trap(struct arch_frame *frame);
_Noreturn void arch_user_return(uint64_t result);				// execute.S

static arch_handler *handlers[TRAP_TYPES];
static arch_handler *fatal_handler;

void arch_attach(unsigned vector, arch_handler *handler)
{
	handlers[vector] = handler;
}

void arch_attach_fatal(arch_handler *handler)
{
	fatal_handler = handler;
}

void arch_attach_pmi(arch_pmi_function *handler, bool non_maskable)
{
	(void)non_maskable;		// the overflow traps have fixed types
	sparc64_this_cpu.pmi_handler = handler;
}

// The continuation after an expected fault at `ip`; 0: the fault was not expected.
static uint64_t fixup_of(uint64_t ip)
{
	for (const struct fault_fixup *f = fault_fixups_start; f < fault_fixups_end; f++)
		if ((uintptr_t)&f->from + (uint64_t)(int64_t)f->from == ip)
			return (uintptr_t)&f->to + (uint64_t)(int64_t)f->to;
	return 0;
}

// The first interrupt in a halt: calls `woken` before the interrupt's handler.
static void wake(void)
{
	void (*woken)(void) = sparc64_this_cpu.halt_woken;

	if (woken) {
		sparc64_this_cpu.halt_woken = NULL;
		sparc64_this_cpu.pmi_handler = sparc64_this_cpu.pmi_handler_outside_halt;
		woken();
	}
}

// After an interrupt that came before the HALT: skips the HALT.
static uint64_t behind_halt(uint64_t ip)
{
	return ip == (uintptr_t)arch_halt_instruction ? ip + 4 : ip;
}

static void wake_by_pmi(uint64_t ip, unsigned level)
{
	uint64_t next = behind_halt(ip);

	wake();
	__asm__ volatile("wrpr %0, 0, %%tpc; wrpr %0, 4, %%tnpc" : : "r"(next));
	sparc64_this_cpu.pmi_handler(ip, level);
}

// Does not return, so all windows become free, and no spill writes to a program's stack pointer.
noreturn void sparc64_trap_fatal(struct arch_frame *frame)
{
	__asm__ volatile("wrpr %%g0, 0, %%canrestore; wrpr %%g0, 0, %%otherwin; wrpr %%g0, %0, "
			 "%%cansave"
			 : : "i"(WINDOWS - 2));
	fatal_handler(frame);
	for (;;)
		;
}

// Called by the common entry of vectors.S.
void arch_trap(struct arch_frame *frame)
{
	uint64_t fixup;

	if (frame->tt == TT_SOFTWARE + TRAP_USER_RETURN)
		arch_user_return(frame->o[0]);
	if (handlers[frame->tt]) {
		frame->tpc = behind_halt(frame->tpc);
		wake();
		handlers[frame->tt](frame);
		return;
	}
	fixup = frame->tt < TT_SOFTWARE ? fixup_of(frame->tpc) : 0;
	if (fixup) {
		frame->tpc = fixup;
		frame->tnpc = fixup + 4;
		return;
	}
	sparc64_trap_fatal(frame);
}

// In hyperprivileged mode SOFTINT raises no interrupt: serve a pending one here.
void arch_halt(void (*woken)(void))
{
	struct arch_frame here = {.tpc = (uintptr_t)arch_halt_instruction,
				  .tnpc = (uintptr_t)arch_halt_instruction + 4,
				  .tt = TT_INTERRUPT_LEVEL_14, .tstate = TSTATE_PRIV};

	if (woken) {
		sparc64_this_cpu.halt_woken = woken;
		sparc64_this_cpu.pmi_handler_outside_halt = sparc64_this_cpu.pmi_handler;
		sparc64_this_cpu.pmi_handler = wake_by_pmi;
	}
	if (!sparc64_softint())
		arch_halt_wait();
	if (sparc64_softint())
		arch_trap(&here);
	wake();
}

bool arch_execute_between(uint32_t reg, uint64_t first, uint64_t second, uint64_t n)
{
	return sparc64_execute_between(sparc64_register_asi(reg), sparc64_register_address(reg),
				       first, second, n);
}
