// SPDX-License-Identifier: BSD-2-Clause
// The register dump of an unexpected trap.

#include <stdbool.h>
#include <stddef.h>

#include "arch.h"
#include "arch_put.h"
#include "layout.h"
#include "sparc64/frame.h"
#include "sparc64/traps.h"

// UltraSPARC Architecture 2005, Table 12-4.
static const struct {
	uint16_t type;
	const char *name;
} trap_names[] = {
	{0x08, "instruction_access_exception"}, {0x09, "instruction_access_MMU_miss"},
	{0x0A, "instruction_access_error"}, {0x10, "illegal_instruction"},
	{0x11, "privileged_opcode"},
	{0x20, "fp_disabled"}, {0x21, "fp_exception_ieee_754"}, {0x22, "fp_exception_other"},
	{0x23, "tag_overflow"}, {0x28, "division_by_zero"}, {0x29, "internal_processor_error"},
	{0x30, "data_access_exception"}, {0x31, "data_access_MMU_miss"},
	{0x32, "data_access_error"},
	{0x34, "mem_address_not_aligned"}, {0x37, "privileged_action"},
	{0x3E, "instruction_real_translation_miss"},
	{0x3F, "data_real_translation_miss"}, {0x4E, "interrupt_level_14"}, {0x5E, "hstick_match"},
	{0x64, "fast_instruction_access_MMU_miss"}, {0x68, "fast_data_access_MMU_miss"},
	{0x6C, "fast_data_access_protection"},
};

extern char user_start[];	// linker script

#define COUNT(array) (sizeof(array) / sizeof *(array))

// A program's stack is at the start of its memory. A stack pointer less than the stack's size below
// it is an overflow; farther below, the pointer is wrong.
static bool is_below_stack(const struct arch_frame *frame)
{
	const uint64_t sp = frame->o[6] + STACK_BIAS, start = (uintptr_t)user_start;

	return !(frame->tstate & TSTATE_PRIV) && sp < start && sp >= start - STACK_USER_SIZE;
}

static void put_cause(void (*put)(char), uint64_t type)
{
	for (size_t i = 0; i < COUNT(trap_names); i++)
		if (trap_names[i].type == type) {
			put_string(put, trap_names[i].name);
			return;
		}
	put_string(put, type < TT_SOFTWARE ? "trap" : "trap_instruction");
}

static void put_register(void (*put)(char), const char *name, uint64_t value, bool first)
{
	put_string(put, first ? "\n" : "  ");
	put_string(put, name);
	for (size_t width = 0; width < 7; width++)
		if (!name[width]) {
			while (width++ < 7)
				put(' ');
			break;
		}
	put_hex(put, value);
}

void arch_frame_print(const struct arch_frame *frame, void (*put)(char c))
{
	static const char *const names[] = {
		"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "o0", "o1", "o2", "o3", "o4", "o5",
		"sp", "o7",
		"l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "i0", "i1", "i2", "i3", "i4", "i5",
		"fp", "i7",
		"tstate", "tpc", "tnpc", "tt", "y", "tl",
	};
	const uint64_t *values = (const uint64_t *)frame;

	_Static_assert(sizeof *frame == COUNT(names) * sizeof *values, "a name for each register");
	put_cause(put, frame->tt);
	if (is_below_stack(frame))
		put_string(put, ", the stack has overflowed");
	for (size_t i = 0; i < COUNT(names); i++)
		put_register(put, names[i], values[i], i % 4 == 0);
	put('\n');
}
