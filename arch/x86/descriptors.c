// SPDX-License-Identifier: BSD-2-Clause
// Interrupt descriptor table, and each CPU's task state with the interrupt stacks.

#include <stddef.h>

#include "arch.h"
#include "layout.h"
#include "x86/cpu.h"
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

extern char arch_vector_stubs[];		// vectors.S, 16 bytes each
extern void arch_pmi_entry(void);
extern void arch_user_return_entry(void);	// level3.S
extern char arch_gdt_cpus[];			// tables.S

#define VECTOR_STUB_SIZE 16

_Alignas(16) struct x86_gate arch_idt[X86_VECTORS];
static struct task_state task_states[X86_CPUS];
static struct x86_this_cpu this_cpus[X86_CPUS];

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
	descriptors[0] = descriptor((uintptr_t)task_state, sizeof *task_state,
				    DESCRIPTOR_TASK_STATE);
	descriptors[SEGMENT_TSS_TO_GS / sizeof *descriptors] =
		descriptor((uintptr_t)&this_cpus[cpu], sizeof *this_cpus, DESCRIPTOR_DATA);
	__asm__ volatile("ltr %w0; mov %1, %%gs" : : "r"(selector),
			 "r"(selector + SEGMENT_TSS_TO_GS) : "memory");
}

void x86_descriptors_start_cpu(unsigned cpu)
{
	load_segments(cpu);
	x86_this_cpu.number = cpu;
	x86_lidt(arch_idt);
}

void x86_descriptors_start(void)
{
	for (unsigned vector = 0; vector < X86_VECTORS; vector++) {
		char *stub = arch_vector_stubs + vector * VECTOR_STUB_SIZE;

		arch_idt[vector] = x86_gate((void (*)(void))stub, ist_of(vector),
					    X86_GATE_INTERRUPT);
	}
	arch_idt[VECTOR_USER_RETURN] =
		x86_gate(arch_user_return_entry, IST_INTERRUPT, X86_GATE_INTERRUPT_USER);
	x86_descriptors_start_cpu(0);
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

	arch_attach(vector, handler);
	arch_idt[vector] = x86_gate((void (*)(void))stub, IST_SYSTEM_CALL, X86_GATE_INTERRUPT_USER);
}
