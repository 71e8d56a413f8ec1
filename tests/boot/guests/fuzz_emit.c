// SPDX-License-Identifier: BSD-2-Clause
// Makes random code and random PMU settings for fuzz_code.c.

#include "fuzz_code.h"
#include "pmu.h"

//
// The PMU
//

static void try_wrmsr(struct cpu *c, uint32_t msr, uint64_t value)
{
	__asm__ volatile("movl $1f, %[recover]\n wrmsr\n 1: movl $0, %[recover]"
			 : [recover] "=m"(c->recover) : "c"(msr), "A"(value) : "memory");
}

static void try_rdmsr(struct cpu *c, uint32_t msr)
{
	uint64_t value;

	__asm__ volatile("movl $1f, %[recover]\n rdmsr\n 1: movl $0, %[recover]"
			 : [recover] "=m"(c->recover), "=A"(value) : "c"(msr) : "memory");
}

#define PEBS_ENABLE	0x3F1
#define DS_AREA		0x600

// In a page of data that the code can access, or anywhere.
static uint64_t any_place(struct cpu *c)
{
	const uint64_t places[] = {
		DATA + below(c, 0x10000), CODE + below(c, 0x1000), AREA_END - below(c, 200),
		0xFFFFFFFFFFFFFFFFull - below(c, 200),
		0xFEE00000u + below(c, 0x1000), any_value_64(c),
		0x7FFFFFFFFF80ull + below(c, 0x100), 0,
	};

	return places[below(c, LENGTH(places))];
}

// Event selects that the manual allows.
static uint32_t sound_select(struct cpu *c)
{
	static const uint16_t events[] = {
		INSTRUCTIONS, CYCLES, BRANCHES, 0x00C5, LOADS, STORES, 0x100B, 0x0151, 0x01B7,
		0x4F2E, 0x01CB, 0x0185,
	};

	return (below(c, 4) ? events[below(c, LENGTH(events))] : below(c, 0x10000)) |
	       (below(c, 4) << 16) | (below(c, 8) ? 0 : 1u << 18) | (below(c, 2) ? SELECT_INT : 0) |
	       (below(c, 8) ? 0 : 1u << 21) | (below(c, 8) ? SELECT_EN : 0) |
	       (below(c, 8) ? 0 : SELECT_INV) |
	       (below(c, 6) ? 0 : below(c, 4) << SELECT_CMASK);
}

static uint64_t before_overflow(struct cpu *c)
{
	return (MASK_48 + 1 - below(c, below(c, 2) ? 50 : 3000)) & MASK_48;
}

// A register and a value accepted both by the processor with this PMU and by QEMU, which does not
// have the register.
static uint32_t sound_write(struct cpu *c, uint64_t *value)
{
	const uint32_t i = below(c, 4);

	switch (below(c, 7)) {
	case 0:
	case 1:
		*value = sound_select(c);
		return IA32_PERFEVTSEL0 + i;
	case 2:
		*value = (uint32_t)before_overflow(c);
		return IA32_PMC0 + i;
	case 3:
		*value = before_overflow(c);
		return IA32_FIXED_CTR0 + i % 3;
	case 4:
		*value = any(c) & 0xBBB;
		return IA32_FIXED_CTR_CTRL;
	case 5:
		*value = any(c) & ALL;
		return IA32_PERF_GLOBAL_OVF_CTRL;
	default:
		*value = below(c, 4) ? ALL : ALL & ((uint64_t)any(c) << 32 | any(c));
		return IA32_PERF_GLOBAL_CTRL;
	}
}

// Registers of both processors' PMUs, and neighboring addresses.
static uint32_t any_pmu_register(struct cpu *c)
{
	static const struct {
		uint16_t first, count;
	} groups[] = {
		{0x0C1, 8}, {0x186, 8}, {0x309, 3}, {0x38D, 4}, {0x3F0, 8}, {0x1A0, 8}, {0x1C8, 2},
		{0x1D9, 3},
		{0x600, 1}, {0x680, 16}, {0x6C0, 16}, {0x391, 6}, {0x3B0, 16}, {0x3C0, 16},
		{0x345, 1}, {0x020, 16},
		{0x010, 1}, {0x004, 8},
	};
	const uint32_t n = below(c, LENGTH(groups));

	return groups[n].first + below(c, groups[n].count);
}

static uint32_t any_write(struct cpu *c, uint64_t *value)
{
	uint32_t msr;

	if (!wild || below(c, 2))
		return sound_write(c, value);
	*value = below(c, 3) ? any_value_64(c) : below(c, 2) ? any_place(c) : before_overflow(c);
	msr = any_pmu_register(c);
	// QEMU's own time-stamp counter cannot be set to any value; the other registers at low
	// addresses belong to the PMU.
	if (msr == 0x10 && below(c, 4))
		msr = PEBS_ENABLE, *value &= 0xF0000000Full;
	return msr;
}

// Knights Corner's registers: select, count, global control.
static void start_knc(struct cpu *c)
{
	for (uint32_t n = 0; n < 2; n++) {
		try_wrmsr(c, 0x28 + n, (below(c, 4) ? 0x16 : below(c, 0x3000)) | below(c, 4) << 16 |
			  SELECT_EN |
			  (below(c, 2) ? SELECT_INT : 0));
		try_wrmsr(c, 0x20 + n, 0x10000000000ull - 1 - below(c, 1000));
	}
}

void start_pmu(struct cpu *c)
{
	uint64_t value, *records = (uint64_t *)(c->area + DATA - CODE + 0x1000);
	uint32_t msr;

	for (uint32_t n = below(c, 8); n; n--) {
		msr = any_write(c, &value);
		try_wrmsr(c, msr, value);
	}
	if (!wild)
		return;
	if (!below(c, 8)) {
		for (uint32_t n = 0; n < 9; n++)
			records[n] = any_place(c);
		try_wrmsr(c, DS_AREA, below(c, 2) ? DATA + 0x1000 : any_place(c));
		try_wrmsr(c, PEBS_ENABLE, below(c, 16) | (uint64_t)below(c, 16) << 32);
	}
	if (!below(c, 4))
		try_wrmsr(c, IA32_DEBUGCTL, below(c, 4) ? 0x1801 : any_value(c));
	start_knc(c);
	for (uint32_t n = below(c, 4); n; n--)
		try_rdmsr(c, any_pmu_register(c));
}

//
// Code
//

static void emit(struct code *k, uint32_t byte)
{
	if (k->at < 2 * PAGE)
		k->page[k->at++] = (uint8_t)byte;
}

static void emit_32(struct code *k, uint32_t value)
{
	for (uint32_t n = 0; n < 4; n++)
		emit(k, value >> 8 * n & 0xFF);
}

// MOV of a constant.
static void emit_load(struct code *k, uint32_t number, uint32_t value)
{
	if (k->bits == 16)
		emit(k, 0x66);
	emit(k, 0xB8 + number);
	emit_32(k, value);
}

static void emit_two(struct code *k, uint32_t opcode)
{
	emit(k, 0x0F);
	emit(k, opcode);
}

static bool is_privileged(const struct code *k)
{
	return !k->level;
}

// Replaces forbidden bytes: no ports; at level 0 no loads of tables and control registers; no PMU
// accesses if results are compared. No SETcc: if it faults, QEMU 11.1 computes flags, TF included,
// from stale state.
static uint32_t allowed(const struct code *k, uint32_t before, uint32_t byte)
{
	if ((byte >= 0xE4 && byte <= 0xE7) || (byte >= 0xEC && byte <= 0xEF) ||
	    (byte >= 0x6C && byte <= 0x6F))
		return 0x90;
	if (before != 0x0F)
		return byte;
	if ((byte & 0xF0) == 0x90 ||
	    (is_privileged(k) && (byte <= 0x01 || byte == 0x22 || byte == 0x30)))
		return 0x1F;
	if (!wild && (byte == 0x30 || byte == 0x32 || byte == 0x33 || byte == 0xA2))
		return 0x1F;
	return byte;
}

static void emit_any(struct code *k, uint32_t count)
{
	for (; count; count--)
		emit(k, allowed(k, k->at ? k->page[k->at - 1] : 0, any(k->c) & 0xFF));
}

static void emit_allowed(struct code *k, uint32_t byte)
{
	emit(k, allowed(k, k->at ? k->page[k->at - 1] : 0, byte));
}

// Padding: an incomplete instruction before takes these bytes instead of the next instruction's.
static void emit_separately(struct code *k)
{
	for (uint32_t n = 0; n < 12; n++)
		emit(k, 0x90);
}

// Prefixes, an opcode, a ModRM byte and some more bytes.
static void emit_plausible(struct code *k)
{
	static const uint8_t prefixes[] = {0x66, 0x67, 0xF2, 0xF3, 0xF0, 0x2E, 0x36, 0x64, 0x48,
					   0x41, 0x4F};

	while (!below(k->c, 3))
		emit(k, prefixes[below(k->c, LENGTH(prefixes))]);
	if (below(k->c, 2))
		emit(k, 0x0F);
	emit_allowed(k, any(k->c) & 0xFF);
	emit_allowed(k, any(k->c) & 0xFF);
	emit_any(k, below(k->c, 6));
}

static void emit_vector(struct code *k)
{
	static const uint8_t first[] = {0xC4, 0xC5, 0x62};

	emit(k, first[below(k->c, 3)]);
	if (below(k->c, 2)) {		// an instruction of Knights Corner
		static const uint8_t opcodes[] = {
			0x28, 0x29, 0x58, 0x59, 0x5C, 0xFE, 0xFA, 0xEF, 0x18, 0xAE, 0xB8, 0x92,
		};

		emit(k, 0xF1 + below(k->c, 2));
		emit(k, any(k->c) & 0xFF);
		emit(k, any(k->c) & 0xFF);
		emit(k, opcodes[below(k->c, LENGTH(opcodes))]);
		emit(k, any(k->c) & 0xFF);
	}
	emit_any(k, below(k->c, 8));
}

// One or two bytes, which at worst are fatal to the code only.
static void emit_special(struct code *k)
{
	static const uint8_t one[] = {
		0xF4, 0xFA, 0xFB, 0xCC, 0xCE, 0xF1, 0x9D, 0xCF, 0xCB, 0xC3, 0xC9, 0x9C, 0x60, 0x61,
		0x0E, 0x1F, 0xCA,
	};
	static const uint8_t two[] = {
		0x05, 0x06, 0x07, 0x08, 0x09, 0x0B, 0x31, 0x34, 0x35, 0x77, 0xA0, 0xA1, 0xA8, 0xAA,
		0xFF, 0x0E,
	};

	if (below(k->c, 2))
		emit(k, one[below(k->c, LENGTH(one))]);
	else
		emit_two(k, two[below(k->c, LENGTH(two))]);
}

// If results are compared: at level 0 only registers that accept any value.
static void emit_msr(struct code *k)
{
	uint64_t value;
	uint32_t msr = any_write(k->c, &value);

	if (k->modifies && is_privileged(k))
		return;
	if (!wild && is_privileged(k))
		msr = IA32_PMC0 + below(k->c, 4);

	emit_separately(k);
	if (wild && below(k->c, 2)) {
		static const uint8_t reads[] = {0x32, 0x33, 0x33, 0xA2, 0xA2, 0x31};

		emit_load(k, 1, below(k->c, 2) ? msr : below(k->c, 8) |
			  (below(k->c, 2) ? 1u << 30 : 0));
		if (below(k->c, 2))
			emit_load(k, 0, below(k->c, 2) ? below(k->c, 16) :
				  0x40000000 + below(k->c, 256));
		emit_two(k, reads[below(k->c, LENGTH(reads))]);
		return;
	}
	emit_load(k, 1, msr);
	emit_load(k, 0, (uint32_t)value);
	emit_load(k, 2, (uint32_t)(value >> 32));
	emit_two(k, 0x30);
}

static void emit_string(struct code *k)
{
	static const uint8_t strings[] = {0xA4, 0xA5, 0xA6, 0xA7, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE,
					  0xAF};

	emit_load(k, 1, below(k->c, 600));
	if (below(k->c, 3))
		emit_load(k, 7, k->bits == 16 ? below(k->c, PAGE) : DATA + below(k->c, PAGE));
	if (below(k->c, 3))
		emit_load(k, 6, k->bits == 16 ? below(k->c, PAGE) : DATA + below(k->c, PAGE));
	emit(k, below(k->c, 2) ? 0xF3 : 0xF2);
	emit(k, strings[below(k->c, LENGTH(strings))]);
}

// LOOP to an earlier piece.
static void emit_loop(struct code *k)
{
	const uint32_t back = k->at + 2 - k->begins[below(k->c, LENGTH(k->begins))];

	if (back > 128)
		return;
	emit(k, 0xE2);
	emit(k, (uint32_t)-(int32_t)back & 0xFF);
}

// An operand with a 32-bit address. Returns false if the mode has none.
static bool emit_absolute(struct code *k, uint32_t opcode, uint32_t field, uint32_t address)
{
	if (k->bits == 16)
		return false;
	emit(k, opcode);
	if (k->bits == 64) {
		emit(k, field << 3 | 4);
		emit(k, 0x25);
	} else {
		emit(k, field << 3 | 5);
	}
	emit_32(k, address);
	return true;
}

// Writes a byte of the code itself.
static void emit_modification(struct code *k)
{
	const uint32_t to = k->at + below(k->c, 40);

	if (!k->modifies)
		return;
	if (k->mode == REAL_MODE || k->mode == VIRTUAL_8086) {
		emit(k, 0x2E);
		emit(k, 0xC6);
		emit(k, 0x06);
		emit(k, to & 0xFF);
		emit(k, to >> 8);
	} else if (!emit_absolute(k, 0xC6, 0, CODE + to)) {
		return;
	}
	emit(k, allowed(k, 0x0F, allowed(k, 0, any(k->c) & 0xFF)));
}

// Changes an entry of the page tables, with or without INVLPG.
static void emit_page_change(struct code *k)
{
	static const uint8_t flags[] = {P, RW, US, 0x20, 0x40, 0x18, 0x80};
	const uint32_t page = CODE + below(k->c, 0x30) * PAGE;

	emit_separately(k);
	if (k->modifies || !is_privileged(k) ||
	    !emit_absolute(k, 0x80, 6, (uint32_t)&k->c->pages[page / PAGE]))
		return;
	emit(k, flags[below(k->c, LENGTH(flags))]);
	if (!below(k->c, 4))
		return;
	emit(k, 0x0F);
	emit_absolute(k, 0x01, 7, page);
}

// Reads control registers, writes CR3 with its own value, and moves any value to or from debug
// registers.
static void emit_control(struct code *k)
{
	static const uint8_t control[] = {0xC0, 0xD0, 0xD8, 0xE0};

	if (below(k->c, 2)) {
		emit_two(k, 0x20);
		emit(k, control[below(k->c, LENGTH(control))]);
	} else if (!k->modifies && below(k->c, 2)) {
		emit_separately(k);
		emit_load(k, 0, k->c->context->cr3);
		emit_two(k, 0x22);
		emit(k, 0xD8);
	} else {
		emit_two(k, 0x21 + 2 * below(k->c, 2));
		emit(k, 0xC0 | below(k->c, 64));
	}
}

// Not the command register, except for commands to this CPU itself.
static void emit_apic(struct code *k)
{
	static const uint16_t registers[] = {
		0x20, 0x30, 0x80, 0xA0, 0xB0, 0xD0, 0xE0, 0xF0, 0x100, 0x180, 0x200, 0x280, 0x320,
		0x330, 0x340, 0x340, 0x350, 0x360, 0x370, 0x390, 0x3E0, 0x3F0, 0x400,
	};
	const uint32_t to = registers[below(k->c, LENGTH(registers))];

	if (k->modifies)
		return;
	emit_separately(k);
	if (below(k->c, 4) == 0 && !x2apic && emit_absolute(k, 0xC7, 0, 0xFEE00300)) {
		emit_32(k, COMMAND_SELF | COMMAND_FIXED |
			(below(k->c, 2) ? 0x400 : 0x60 + below(k->c, 0x80)));
	} else if (x2apic && is_privileged(k)) {
		emit_load(k, 1, 0x800 + to / 16);
		emit_load(k, 0, 0x10000 | (0x50 + below(k->c, 0x80)));
		emit_load(k, 2, 0);
		emit_two(k, below(k->c, 2) || !wild ? 0x32 : 0x30);
	} else if (to == 0xF0 || below(k->c, 2)) {
		emit_absolute(k, 0x8B, below(k->c, 4), 0xFEE00000 + to);
	} else if (emit_absolute(k, 0xC7, 0, 0xFEE00000 + to)) {
		emit_32(k, 0x10000 | (0x50 + below(k->c, 0x80)));
	}
}

static void emit_piece(struct code *k)
{
	static void (*const structured[])(struct code *k) = {
		emit_special, emit_special, emit_msr, emit_msr, emit_string, emit_loop,
		emit_modification, emit_page_change, emit_control, emit_apic, emit_vector,
	};
	const uint32_t kind = below(k->c, 32);

	if (kind < 10)
		emit_plausible(k);
	else if (kind < 13)
		emit_any(k, 1 + below(k->c, 15));
	else if (kind < 14) {
		emit(k, 0xCD);
		emit(k, below(k->c, 2) ? 0x80 : any(k->c) & 0xFF);
	} else if (kind < 20)
		structured[below(k->c, LENGTH(structured))](k);
	else
		// INC, DEC, PUSH, POP; prefixes in 64-bit code
		emit(k, 0x40 + below(k->c, 0x20));
}

// Begins near the page's start, or crosses its end. INT3 surrounds the code.
uint32_t make_code(struct code *k)
{
	const uint32_t begin = below(k->c, 4) ? PAGE / 64 + below(k->c, 64) :
		PAGE - 1 - below(k->c, 30);

	for (uint32_t n = 0; n < 2 * PAGE; n += 4)
		*(uint32_t *)(k->page + n) = 0xCCCCCCCC;
	k->at = begin;
	k->modifies = below(k->c, 2);
	for (uint32_t pieces = 1 + below(k->c, 24); pieces; pieces--) {
		k->begins[pieces % LENGTH(k->begins)] = k->at;
		emit_piece(k);
	}
	return begin;
}
