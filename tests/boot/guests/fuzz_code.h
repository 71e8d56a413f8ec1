/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the parts of a guest that executes random code: fuzz_code.c controls, fuzz_emit.c makes
 * the code and programs the PMU, fuzz_way.S is the path into the code and back.
 */
#ifndef TEST_FUZZ_CODE_H
#define TEST_FUZZ_CODE_H

#include "guest.h"

#define LENGTH(a)	(sizeof(a) / sizeof *(a))
#define PAGE		4096u
#define VECTOR_PMI	0x51

// Flags of page table entries.
#define P	1u
#define RW	2u
#define US	4u
#define LARGE	0x80u
#define NX	(1ull << 63)

// The code's memory, by linear addresses: pages of code, of data, and of its stack. CPU 0's
// physical addresses are the same, so that code in real mode can use this memory, too.
#define CODE		0x20000u
#define DATA		0x30000u
#define STACK		0x40000u
#define AREA_END	0x50000u
#define OTHERS		0x4000000u	/* physical: the areas of other CPUs */
#define REAL		0x10000u	/* code of this kernel for real mode */

//
// Random numbers, and a checksum of the results
//

struct context;

// State of a CPU.
struct cpu {
	uint32_t chance, trail;
	volatile uint32_t recover;		// address after an exception; 0: none is expected
	struct context *context;
	uint64_t *pages;			// page tables of the lowest 2 MiB
	uint8_t *area;				// the code's memory
};

// Words of the command line.
extern bool wild, x2apic;

extern bool trace;

static inline uint32_t apic_read(uint32_t offset)
{
	return x2apic ? (uint32_t)rdmsr(0x800 + offset / 16) : *apic(offset);
}

static inline void apic_write(uint32_t offset, uint32_t value)
{
	if (x2apic)
		wrmsr(0x800 + offset / 16, value);
	else
		*apic(offset) = value;
}

static inline uint32_t any(struct cpu *c)
{
	c->chance ^= c->chance << 13;
	c->chance ^= c->chance >> 17;
	c->chance ^= c->chance << 5;
	return c->chance;
}

static inline uint32_t below(struct cpu *c, uint32_t limit)
{
	return any(c) % limit;
}

// Few bits, many bits, or any value.
static inline uint32_t any_value(struct cpu *c)
{
	switch (below(c, 4)) {
	case 0:
		return 1u << below(c, 32);
	case 1:
		return ~(1u << below(c, 32));
	case 2:
		return below(c, 256);
	}
	return any(c);
}

static inline uint64_t any_value_64(struct cpu *c)
{
	const uint32_t low = any_value(c);

	return (uint64_t)(below(c, 2) ? any_value(c) : 0) << 32 | low;
}

static inline void note(struct cpu *c, uint64_t value)
{
	if (trace) {
		print(" ");
		print_hex(value);
	}
	c->trail = (c->trail ^ (uint32_t)value) * 0x01000193;
	c->trail = (c->trail ^ (uint32_t)(value >> 32)) * 0x01000193;
}


//
// Registers before and after the code
//

// One page. fuzz_way.S uses these offsets.
struct context {
	uint64_t registers[16];		// 000: RAX RCX RDX RBX, RSP (unused), RBP RSI RDI R8 to R15
	uint64_t frame_64[5];		// 080: RIP CS RFLAGS RSP SS
	uint32_t frame_32[9];		// 0A8: EIP CS EFLAGS ESP SS ES DS FS GS
	uint32_t unused_1;
	uint32_t cr0, cr3, cr4, efer;	// 0D0
	uint32_t task, data;		// 0E0: selectors: TR; DS, ES, FS and GS
	uint32_t lvtpc, timer;		// 0E8
	uint32_t enable[2], enable_msr;	// 0F0: global control
	uint32_t legacy;		// 0FC: 1: legacy protected mode
	uint8_t idt[8];			// 100: for LIDT
	uint32_t saved_esp;		// 108: the controller's
	uint32_t found;			// 10C: address of the registers that the code left
	uint64_t cr2;			// 110: after the code
	uint32_t x2apic;		// 118
	// to 800 for NMI in long mode, to C00 in legacy mode, to 1000 others
	uint8_t stacks[PAGE - 0x11C];
};

//
// Code, and the PMU's setup
//

enum mode { LONG_64, LONG_32, LONG_16, LEGACY_32, LEGACY_16, VIRTUAL_8086, REAL_MODE };

struct code {
	struct cpu *c;
	enum mode mode;
	uint32_t level, bits;
	uint8_t *page;
	uint32_t at;			// offset
	uint32_t begins[8];		// offsets of earlier pieces
	bool modifies;			// itself: nothing in it is fatal with another operand
};

// Makes the code of a step. Returns the offset at which it begins.
uint32_t make_code(struct code *k);

// Programs the PMU before the step.
void start_pmu(struct cpu *c);

#endif
