/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID, port I/O, and the trap frame. */
#ifndef X86_CPU_H
#define X86_CPU_H

#include <stdint.h>

#include "x86/guesses.h"

struct x86_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static inline struct x86_cpuid x86_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct x86_cpuid r;

	__asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf),
			 "c"(subleaf));
	return r;
}

/* Leaf 1, EBX: number of APIC IDs in a package in bits 23:16; this CPU's APIC ID in bits 31:24. */
#define X86_CPUID_1_EDX_HTT	(1u << 28)

static inline void x86_outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t x86_inb(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void x86_outw(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint16_t x86_inw(uint16_t port)
{
	uint16_t value;

	__asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

/* The general registers that vectors.S pushes, then the processor's own part. */
struct arch_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, rflags, rsp, ss;
};

/* 64-bit interrupt gate. */
struct x86_gate {
	uint16_t offset_low, segment;
	uint8_t ist, type;
	uint16_t offset_middle;
	uint32_t offset_high, reserved;
};

#define X86_GATE_INTERRUPT	0x8E
#define X86_GATE_INTERRUPT_USER	0xEE	/* level 3 may raise it by INT n */

#define X86_VECTORS 256

static inline struct x86_gate x86_gate(void (*entry)(void), unsigned ist, uint8_t type)
{
	uint64_t offset = (uintptr_t)entry;

	return (struct x86_gate){
		.offset_low = (uint16_t)offset, .segment = 0x08, .ist = (uint8_t)ist, .type = type,
		.offset_middle = (uint16_t)(offset >> 16), .offset_high = (uint32_t)(offset >> 32),
	};
}

/* Operands of LGDT, LIDT, SGDT and SIDT. */
struct __attribute__((packed)) x86_table_pointer {
	uint16_t limit;
	uint64_t base;
};

static inline void x86_lidt(const struct x86_gate *gates)
{
	struct x86_table_pointer p = {X86_VECTORS * sizeof *gates - 1, (uintptr_t)gates};

	__asm__ volatile("lidt %0" : : "m"(p));
}

/* The end of one of a CPU's stacks (layout.h: STACK_*, IST_*): its initial stack pointer. */
char *x86_stack_end(unsigned cpu, unsigned stack);

/* Gets the calling CPU's core number in its package and its thread number in that core. Returns the
 * package number. */
unsigned x86_topology(unsigned *core, unsigned *thread);

/* The same for the CPU with this APIC ID. Assumes that all packages are like this CPU's. */
unsigned x86_topology_of(uint32_t identity, unsigned *core, unsigned *thread);

/* The interrupt descriptor table in use, for code that needs a copy with a few other entries. */
extern struct x86_gate arch_idt[X86_VECTORS];

#endif
