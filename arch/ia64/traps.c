// SPDX-License-Identifier: BSD-2-Clause
// Interruptions: dispatch to handlers, faults of register accesses, and the halt.

#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "layout.h"
#include "ia64/frame.h"
#include "ia64/simulator.h"
#include "ia64/this_cpu.h"
#include "ia64/traps.h"

#define INTERRUPTS	256

// An address relative to the entry itself.
typedef int32_t fault_fixup;

struct ia64_this_cpu ia64_this_cpu;
extern const fault_fixup fault_fixups_start[], fault_fixups_end[];	// linker script
void ia64_execute_between(uint64_t first, uint64_t second, uint64_t n);	// execute.S
_Noreturn void ia64_user_return(uint64_t result);			// execute.S
void arch_trap(struct arch_frame *frame);

static arch_handler *handlers[INTERRUPTS];
static arch_handler *fatal_handler, *system_call_handler;

void arch_attach(unsigned vector, arch_handler *handler)
{
	handlers[vector] = handler;
}

void arch_attach_fatal(arch_handler *handler)
{
	fatal_handler = handler;
}

void ia64_attach_system_call(arch_handler *handler)
{
	system_call_handler = handler;
}

// External interrupts are all maskable.
void arch_attach_pmi(arch_pmi_function *handler, bool non_maskable)
{
	(void)non_maskable;
	ia64_this_cpu.pmi_handler = (uintptr_t)handler;
}

noreturn void ia64_trap_fatal(struct arch_frame *frame)
{
	fatal_handler(frame);
	for (;;)
		;
}

// If a register access faulted, continues after its bundle.
static bool fix_up(struct arch_frame *frame)
{
	for (const fault_fixup *f = fault_fixups_start; f < fault_fixups_end; f++)
		if ((uintptr_t)f + (uint64_t)(int64_t)*f == frame->iip) {
			*ia64_frame_register(frame, FAULT_REGISTER) = 0;
			frame->ipsr &= ~PSR_RI;
			frame->iip += 16;
			return true;
		}
	return false;
}

static bool external_interrupt(struct arch_frame *frame)
{
	arch_handler *handler = handlers[frame->interrupt % INTERRUPTS];

	if (handler)
		handler(frame);
	return handler || frame->interrupt == SPURIOUS_VECTOR;
}

static bool break_instruction(struct arch_frame *frame)
{
	if (!arch_frame_level(frame) && frame->iim == BREAK_USER_RETURN)
		return false;
	if (frame->iim == BREAK_USER_RETURN)
		ia64_user_return(*ia64_frame_register(frame, 8));
	if (frame->iim != BREAK_SYSTEM_CALL || !system_call_handler)
		return false;
	system_call_handler(frame);
	ia64_frame_skip(frame);
	return true;
}

// A speculative load from an address that is unmapped or not the program's: defers it, so that its
// target becomes a NaT.
static bool defer(struct arch_frame *frame)
{
	frame->ipsr |= frame->isr & ISR_SP ? PSR_ED : 0;
	return frame->isr & ISR_SP;
}

// Called by the common entry of vectors.S.
void arch_trap(struct arch_frame *frame)
{
	bool handled;

	if (frame->isr & ISR_NI)
		handled = false;
	else if (frame->vector == VECTOR_EXTERNAL_INTERRUPT)
		handled = external_interrupt(frame);
	else if (frame->vector == VECTOR_BREAK)
		handled = break_instruction(frame);
	else if (frame->vector == VECTOR_ALTERNATE_DATA_TLB ||
		 frame->vector == VECTOR_DATA_ACCESS_RIGHTS)
		handled = defer(frame);
	else
		handled = frame->vector == VECTOR_GENERAL_EXCEPTION && fix_up(frame);
	if (!handled)
		ia64_trap_fatal(frame);
}

// The processor halts with interrupts off until an interrupt is pending; `woken` runs before its
// handler.
void arch_halt(void (*woken)(void))
{
	ia64_simulator(0, 0, SIMULATOR_HALT);
	if (woken)
		woken();
	arch_interrupts_enable();
	arch_interrupts_disable();
}

// The address combines the bundle's address and the slot.
uint64_t arch_frame_ip(const struct arch_frame *frame)
{
	return frame->iip + (frame->ipsr >> PSR_RI_SHIFT & 3);
}

unsigned arch_frame_level(const struct arch_frame *frame)
{
	return frame->ipsr >> PSR_CPL_SHIFT & 3;
}

// The function's code runs unchanged at the lowest privilege level.
void arch_execute_user(uint64_t n)
{
	ia64_call_user((ia64_user_function *)arch_execute, n);
}

bool arch_execute_between(uint32_t reg, uint64_t first, uint64_t second, uint64_t n)
{
	if (reg != IA64_PSR)
		return false;
	ia64_execute_between(first, second, n);
	return true;
}

//
// Registers by number
//

bool ia64_read_register(uint32_t reg, uint64_t *value)
{
	switch (IA64_FILE(reg)) {
	case IA64_PMC:
		return ia64_read_pmc(reg, value);
	case IA64_PMD:
		return ia64_read_pmd(reg, value);
	case IA64_IBR:
		return ia64_read_ibr(reg, value);
	case IA64_DBR:
		return ia64_read_dbr(reg, value);
	}
	switch (reg) {
	case IA64_CR_DCR:
		return ia64_read_dcr(value);
	case IA64_CR_ITM:
		return ia64_read_itm(value);
	case IA64_CR_ITV:
		return ia64_read_itv(value);
	case IA64_CR_PMV:
		return ia64_read_pmv(value);
	case IA64_PSR:
		return ia64_read_psr(value);
	case IA64_AR_ITC:
		return ia64_read_itc(value);
	}
	return false;
}

bool ia64_write_register(uint32_t reg, uint64_t value)
{
	switch (IA64_FILE(reg)) {
	case IA64_PMC:
		return ia64_write_pmc(reg, value);
	case IA64_PMD:
		return ia64_write_pmd(reg, value);
	case IA64_IBR:
		return ia64_write_ibr(reg, value);
	case IA64_DBR:
		return ia64_write_dbr(reg, value);
	}
	switch (reg) {
	case IA64_CR_DCR:
		return ia64_write_dcr(value);
	case IA64_CR_ITM:
		return ia64_write_itm(value);
	case IA64_CR_ITV:
		return ia64_write_itv(value);
	case IA64_CR_PMV:
		return ia64_write_pmv(value);
	case IA64_PSR:
		return ia64_write_psr(value);
	case IA64_AR_ITC:
		return ia64_write_itc(value);
	}
	return false;
}
