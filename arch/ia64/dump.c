// SPDX-License-Identifier: BSD-2-Clause
// The register dump of an unexpected interruption.

#include <stddef.h>

#include "arch.h"
#include "arch_put.h"
#include "layout.h"
#include "ia64/frame.h"

// Architecture Software Developer's Manual, volume 2, table 5-7.
static const struct {
	uint16_t offset;
	const char *name;
} vector_names[] = {
	{0x0000, "VHPT Translation"}, {0x0400, "Instruction TLB"}, {0x0800, "Data TLB"},
	{0x0C00, "Alternate Instruction TLB"}, {0x1000, "Alternate Data TLB"},
	{0x1400, "Data Nested TLB"},
	{0x1800, "Instruction Key Miss"}, {0x1C00, "Data Key Miss"}, {0x2000, "Dirty-Bit"},
	{0x2400, "Instruction Access-Bit"}, {0x2800, "Data Access-Bit"},
	{0x2C00, "Break Instruction"},
	{0x3000, "External Interrupt"}, {0x5000, "Page Not Present"}, {0x5100, "Key Permission"},
	{0x5200, "Instruction Access Rights"}, {0x5300, "Data Access Rights"},
	{0x5400, "General Exception"},
	{0x5500, "Disabled FP-Register"}, {0x5600, "NaT Consumption"}, {0x5700, "Speculation"},
	{0x5900, "Debug"},
	{0x5A00, "Unaligned Reference"}, {0x5B00, "Unsupported Data Reference"},
	{0x5C00, "Floating-point Fault"},
	{0x5D00, "Floating-point Trap"}, {0x5E00, "Lower-Privilege Transfer Trap"},
	{0x5F00, "Taken Branch Trap"},
	{0x6000, "Single Step Trap"},
};

static void put_cause(void (*put)(char), uint64_t vector, uint64_t isr)
{
	const char *name = "vector";

	for (size_t i = 0; i < sizeof vector_names / sizeof *vector_names; i++)
		if (vector_names[i].offset == vector)
			name = vector_names[i].name;
	put_string(put, name);
	if (isr & ISR_NI)
		put_string(put, ", with PSR.ic 0: iip, ipsr, ifa and iim are older");
}

#define PER_LINE 4

static void put_register(void (*put)(char), const char *name, unsigned number, uint64_t value,
			 unsigned *column)
{
	unsigned width = 0;

	put_string(put, (*column)++ % PER_LINE ? "  " : "\n");
	while (name[width])
		put(name[width++]);
	for (unsigned place = number > 99 ? 100 : number > 9 ? 10 : 1; number != ~0u && place;
	     place /= 10, width++)
		put((char)('0' + number / place % 10));
	while (width++ < 8)
		put(' ');
	put_hex(put, value);
}

// The preceding register in a backing store. Each 64th word is a collection of NaT bits.
static const uint64_t *lower(const uint64_t *at)
{
	at--;
	return ((uintptr_t)at >> 3 & 63) == 63 ? at - 1 : at;
}

// Prints r32 and above, which FLUSHRS has written.
static void put_stacked(const struct arch_frame *frame, void (*put)(char), unsigned *column)
{
	const unsigned count = frame->ifs >> 63 ? frame->ifs & 127 : 0;
	const uint64_t *at = (const uint64_t *)(uintptr_t)frame->bsp;

	for (unsigned i = 0; i < count; i++)
		at = lower(at);
	for (unsigned i = 0; i < count; i++, at++) {
		if (((uintptr_t)at >> 3 & 63) == 63)
			at++;
		put_register(put, "r", 32 + i, *at, column);
	}
}

void arch_frame_print(const struct arch_frame *frame, void (*put)(char c))
{
	static const struct {
		const char *name;
		uint16_t offset;
	} others[] = {
#define OTHER(name) {#name, offsetof(struct arch_frame, name)}
		OTHER(iip), OTHER(ipsr), OTHER(isr), OTHER(ifa), OTHER(iim), OTHER(ifs), OTHER(pr),
		OTHER(pfs),
		OTHER(rsc), OTHER(bspstore), OTHER(rnat), OTHER(unat), OTHER(ccv), OTHER(lc),
		OTHER(nats), OTHER(interrupt),
	};
	unsigned column = 0;

	__asm__ volatile("flushrs ;;" : : : "memory");
	put_cause(put, frame->vector, frame->isr);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		put_register(put, others[i].name, ~0u,
			     *(const uint64_t *)(const void *)((const char *)frame +
							       others[i].offset), &column);
	for (unsigned i = 0; i < 8; i++)
		put_register(put, "b", i, frame->b[i], &column);
	for (unsigned i = 1; i < 32; i++)
		put_register(put, "r", i, frame->r[i - 1], &column);
	put_stacked(frame, put, &column);
	put('\n');
}
