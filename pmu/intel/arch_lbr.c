// SPDX-License-Identifier: BSD-2-Clause
// Architectural branch records: record 0 is the youngest, IA32_LBR_DEPTH is their number.

#include <string.h>

#include "state.h"

uint32_t intel_arch_lbr_address(uint32_t address)
{
	static const struct {
		uint32_t from, to;
	} records[] = {
		{MSR_IA32_LBR_FROM_IP, MSR_LASTBRANCH_FROM_IP},
		{MSR_IA32_LBR_TO_IP, MSR_LASTBRANCH_TO_IP},
	};

	for (size_t i = 0; i < sizeof records / sizeof *records; i++)
		if (address - records[i].from < INTEL_BRANCH_RECORDS)
			return records[i].to + (address - records[i].from);
	return address;
}

uint64_t intel_arch_lbr_filter(uint64_t control)
{
#define LEFT_OUT(excluded, recorded) \
	| (control & FIELD(IA32_LBR_CTL, recorded) ? 0 : FIELD(LBR_SELECT, excluded))
	return (0 INTEL_BRANCH_KINDS(LEFT_OUT)) |
	       FIELD_PUT(LBR_SELECT, EN_CALLSTACK, FIELD_GET(IA32_LBR_CTL, CALL_STACK, control));
}

// A branch of unknown kind is another branch.
uint64_t intel_arch_lbr_info(const struct occurrence *branch)
{
	static const uint8_t types[] = {
		INTEL_TYPE_OTHER, INTEL_TYPE_COND, INTEL_TYPE_REL_CALL, INTEL_TYPE_IND_CALL,
		INTEL_TYPE_RET, INTEL_TYPE_IND_JMP, INTEL_TYPE_REL_JMP, INTEL_TYPE_OTHER,
	};
	const unsigned kind = (branch->branch & OCCURRENCE_KIND) / OCCURRENCE_KIND_CONDITIONAL;

	return FIELD_PUT(IA32_LBR_INFO, BR_TYPE, types[kind]) |
	       FIELD(IA32_LBR_INFO, CYC_CNT_VALID);
}

// The first slots of sources, targets and information.
static const unsigned slots[] = {SLOT_LASTBRANCH_FROM_IP, SLOT_LASTBRANCH_TO_IP,
				 SLOT_IA32_LBR_INFO};
#define EACH_SLOT(i) unsigned i = 0; i < sizeof slots / sizeof *slots; i++

// Number of records after the youngest. A restored state has been checked by intel_restore.
static size_t older(const uint64_t *file)
{
	return file[SLOT_IA32_LBR_DEPTH] - 1;
}

void intel_arch_lbr_push(struct intel_state *m, unsigned thread)
{
	uint64_t *file = m->file[thread];

	for (EACH_SLOT(i))
		memmove(&file[slots[i] + 1], &file[slots[i]], older(file) * sizeof *file);
}

void intel_arch_lbr_pop(struct intel_state *m, unsigned thread)
{
	uint64_t *file = m->file[thread];

	for (EACH_SLOT(i))
		memmove(&file[slots[i]], &file[slots[i] + 1], older(file) * sizeof *file);
	intel_lbr_put(m, thread, (unsigned)older(file), 0, 0, 0);
}

bool intel_arch_lbr_accepts(uint64_t depth)
{
	return depth && depth % 8 == 0 && depth <= 64 && INTEL_LBR_DEPTHS >> (depth / 8 - 1) & 1;
}

bool intel_arch_lbr_cleared(void *state, const struct engine_access *a)
{
	for (unsigned i = 0; i < INTEL_BRANCH_RECORDS; i++)
		intel_lbr_put(state, a->thread, i, 0, 0, 0);
	return false;
}
