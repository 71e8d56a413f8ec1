// SPDX-License-Identifier: BSD-2-Clause
// Finds the format and the number of the processor's branch records.

#include "driver.h"

#define FORMAT(number, flags, cycles, info) [number] = {true, info, flags, cycles},
static const struct intel_format formats[] = {INTEL_LBR_FORMATS(FORMAT)};
#define FORMATS	(sizeof formats / sizeof *formats)

const struct intel_format *intel_format(uint64_t number)
{
	static const struct intel_format architectural = {.known = true, .info = true};

	if (number == INTEL_LBR_FORMAT_ARCHITECTURAL)
		return &architectural;
	return number < FORMATS && formats[number].known ? &formats[number] : NULL;
}

// Models of family 6 with MSR_LASTBRANCH_0_FROM_IP at 680H (SDM volume 3B, "LBR Stack Size and TOS
// Pointer Range"). No register reports their number of records.
static const uint8_t depth_16[] = {
	0x1A, 0x1E, 0x1F, 0x25, 0x2A, 0x2C, 0x2D, 0x2E, 0x2F, 0x3A, 0x3C, 0x3D, 0x3E, 0x3F, 0x45,
	0x46, 0x47, 0x4F, 0x56,
};
static const uint8_t depth_32[] = {
	0x4E, 0x55, 0x5C, 0x5E, 0x5F, 0x66, 0x6A, 0x6C, 0x7A, 0x7D, 0x7E, 0x86, 0x8C, 0x8D, 0x8E,
	0x96, 0x9C, 0x9E, 0xA5, 0xA6, 0xA7,
};

PMU_RARE static unsigned find_depth(void)
{
	uint32_t leaf[4];
	unsigned model;

	hal_identify(1, 0, leaf);
	if ((leaf[0] >> 8 & 0xF) != 6)
		return 0;
	model = (leaf[0] >> 4 & 0xF) | (leaf[0] >> 12 & 0xF0);
	if (memchr(depth_16, (int)model, sizeof depth_16))
		return 16;
	return memchr(depth_32, (int)model, sizeof depth_32) ? 32 : 0;
}

// Returns the greatest depth that leaf 1CH reports, at most 32; 0: none.
PMU_RARE static unsigned greatest_depth(uint32_t reported)
{
	unsigned depth = LBR_DEPTH_MOST;

	while (depth && !(reported >> (depth / 8 - 1) & 1))
		depth -= 8;
	return depth;
}

// Architectural records have a status that shows their freeze.
PMU_RARE static bool find_architectural(struct intel_found *found)
{
	uint32_t leaf[4];

	hal_identify(0, 0, leaf);
	if (leaf[0] < INTEL_LEAF_LBR || !found->streamlined)
		return false;
	hal_identify(7, 0, leaf);
	if (!(leaf[3] & INTEL_ARCH_LBR))
		return false;
	hal_identify(INTEL_LEAF_LBR, 0, leaf);
	found->lbr_format = INTEL_LBR_FORMAT_ARCHITECTURAL;
	found->lbr = (struct lbr_stack){
		.control = MSR_IA32_LBR_CTL, .from = MSR_IA32_LBR_FROM_IP, .to = MSR_IA32_LBR_TO_IP,
		.info = MSR_IA32_LBR_INFO, .depth = greatest_depth(leaf[0]),
	};
	found->lbr_filters = leaf[1] & INTEL_LBR_BY_LEVEL && leaf[1] & INTEL_LBR_BY_KIND;
	return true;
}

// Without transactions, processors with format 4 take bits 62 and 61 of a written source for a part
// of the address: a write whose bits 62 to 47 differ faults (Linux,
// arch/x86/events/intel/lbr.c).
PMU_RARE static uint64_t find_copies(unsigned format)
{
	uint32_t leaf[4];

	if (format != INTEL_LBR_FORMAT_TSX)
		return 0;
	hal_identify(7, 0, leaf);
	return leaf[1] & INTEL_TSX ? 0 : 3ULL << 61;
}

PMU_RARE void intel_find_branches(struct intel_found *found, uint64_t capabilities)
{
	const unsigned format = FIELD_GET(IA32_PERF_CAPABILITIES, LBR_FMT, capabilities);
	const struct intel_format *f = intel_format(format);

	if (find_architectural(found) || !f || format == INTEL_LBR_FORMAT_ARCHITECTURAL)
		return;
	found->lbr_format = (uint8_t)format;
	found->lbr = (struct lbr_stack){
		.control = MSR_IA32_DEBUGCTL, .top = MSR_LASTBRANCH_TOS,
		.from = MSR_LASTBRANCH_FROM_IP, .to = MSR_LASTBRANCH_TO_IP,
		.info = f->info ? MSR_LBR_INFO : 0, .depth = find_depth(),
		.copies = find_copies(format),
	};
	found->lbr_filters = true;
}
