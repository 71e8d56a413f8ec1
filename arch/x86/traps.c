// SPDX-License-Identifier: BSD-2-Clause
// Interrupt descriptor table, task state with the interrupt stacks, dispatch, fault fix-ups.

#include <stddef.h>

#include "arch.h"
#include "layout.h"
#include "x86/cpu.h"
#include "x86/msr.h"
#include "x86/this_cpu.h"
#include "x86/traps.h"

struct __attribute__((packed)) task_state {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t reserved1;
	uint64_t ist[7];
	uint64_t reserved2;
	uint16_t reserved3, io_map;
};

// An entry of .fault_fixups: an instruction that may fault, and its continuation, each relative to
// its own field.
struct fault_fixup {
	int32_t from, to;
};

extern char arch_vector_stubs[];		// vectors.S, 16 bytes each
extern void arch_pmi_entry(void);
extern void arch_user_return_entry(void);	// execute.S
extern char arch_gdt_cpus[];			// entry.S
extern const struct fault_fixup fault_fixups_start[], fault_fixups_end[];	// linker script

#define VECTOR_STUB_SIZE 16

_Alignas(16) struct x86_gate arch_idt[X86_VECTORS];
static struct task_state task_states[X86_CPUS];
static struct x86_this_cpu this_cpus[X86_CPUS];
static arch_handler *handlers[X86_VECTORS];
static arch_handler *fatal_handler;

static unsigned ist_of(unsigned vector)
{
	if (vector == VECTOR_NMI)
		return IST_NMI;
	if (vector == VECTOR_DOUBLE_FAULT)
		return IST_DOUBLE_FAULT;
	return vector < VECTOR_FIRST_INTERRUPT ? IST_FAULT : IST_INTERRUPT;
}

// Builds a segment descriptor. `type` includes the present bit and the level.
static uint64_t descriptor(uint64_t base, uint64_t size, uint64_t type)
{
	return (size - 1) | (base & 0xFFFFFF) << 16 | type << 40 | (base >> 24 & 0xFF) << 56;
}

#define DESCRIPTOR_TASK_STATE	0x89	/* 64-bit, available, level 0 */
#define DESCRIPTOR_DATA		0xF3	/* level 3: GS stays valid at level 3 */

// All CPUs share the descriptor tables; each has descriptors for a task state and a segment GS of
// its own.
static void load_segments(unsigned cpu)
{
	struct task_state *task_state = &task_states[cpu];
	const unsigned offset = cpu << CPU_SEGMENTS_SHIFT, selector = SEGMENT_TSS + offset;
	uint64_t *descriptors = (uint64_t *)(arch_gdt_cpus + offset);

	for (unsigned slot = IST_FAULT; slot <= IST_SYSTEM_CALL; slot++)
		task_state->ist[slot - 1] = (uintptr_t)x86_stack_end(cpu, slot);
	task_state->io_map = sizeof *task_state;
	descriptors[0] = descriptor((uintptr_t)task_state, sizeof *task_state, DESCRIPTOR_TASK_STATE);
	descriptors[SEGMENT_TSS_TO_GS / sizeof *descriptors] =
		descriptor((uintptr_t)&this_cpus[cpu], sizeof *this_cpus, DESCRIPTOR_DATA);
	__asm__ volatile("ltr %w0; mov %1, %%gs" : : "r"(selector), "r"(selector + SEGMENT_TSS_TO_GS) : "memory");
}

void x86_traps_start_cpu(unsigned cpu)
{
	load_segments(cpu);
	x86_this_cpu.number = cpu;
	x86_lidt(arch_idt);
}

void x86_traps_start(void)
{
	for (unsigned vector = 0; vector < X86_VECTORS; vector++) {
		char *stub = arch_vector_stubs + vector * VECTOR_STUB_SIZE;

		arch_idt[vector] = x86_gate((void (*)(void))stub, ist_of(vector), X86_GATE_INTERRUPT);
	}
	arch_idt[VECTOR_USER_RETURN] =
		x86_gate(arch_user_return_entry, IST_INTERRUPT, X86_GATE_INTERRUPT_USER);
	x86_traps_start_cpu(0);
}

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
	unsigned vector = non_maskable ? VECTOR_NMI : VECTOR_PMI;

	x86_this_cpu.pmi_handler = handler;
	arch_idt[vector] = x86_gate(arch_pmi_entry, ist_of(vector), X86_GATE_INTERRUPT);
}

void x86_attach_system_call(unsigned vector, arch_handler *handler)
{
	char *stub = arch_vector_stubs + vector * VECTOR_STUB_SIZE;

	handlers[vector] = handler;
	arch_idt[vector] = x86_gate((void (*)(void))stub, IST_SYSTEM_CALL, X86_GATE_INTERRUPT_USER);
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
