// SPDX-License-Identifier: BSD-2-Clause
// Defects of architectural branch records, of the model's processor that has them.

#include <string.h>

#include "../defects/defects.h"
#include "state.h"

// Names are those of fault=lbr-arch-always.
#define FAULTS(F)								\
	F(ALWAYS, "lbr-arch-always")		/* branches are recorded without LBREn */ \
	F(LEVELS_IGNORED, "lbr-arch-levels-ignored")	/* OS and USR leave out no branch */ \
	F(KINDS_IGNORED, "lbr-arch-kinds-ignored")	/* other kinds' bits leave out none */ \
	F(SHIFT_LOST, "lbr-arch-shift-lost")	/* all branches go into record 0 */ \
	F(SWAPPED, "lbr-arch-swapped")		/* source and target are exchanged */ \
	F(TYPE_WRONG, "lbr-arch-type-wrong")	/* each branch has type 15 */ \
	F(INVALID, "lbr-arch-invalid")		/* cycles are never valid */ \
	F(FREEZE_HOLLOW, "lbr-arch-freeze-hollow")	/* frozen records go on */ \
	F(DEPTH_UNCHECKED, "lbr-arch-depth-unchecked")	/* any depth is accepted */ \
	F(DEPTH_STUCK, "lbr-arch-depth-stuck")	/* the depth is always 32 */ \
	F(DEPTH_KEEPS, "lbr-arch-depth-keeps")	/* a write of the depth clears no record */

DEFECTS(FAULTS)

#define CONTROL		MSR_IA32_LBR_CTL, 1
#define LEVELS		(FIELD(IA32_LBR_CTL, OS) | FIELD(IA32_LBR_CTL, USR))
#define KINDS		(REGISTER_BITS(IA32_LBR_CTL, RW) & \
			 ~(LEVELS | FIELD(IA32_LBR_CTL, LBREn) | FIELD(IA32_LBR_CTL, CALL_STACK)))
#define LBR_FRZ		FIELD(IA32_PERF_GLOBAL_STATUS, LBR_Frz)

static const struct defect table[] = {
	{DEFECT_ALWAYS, HOLDS_SET, CONTROL, FIELD(IA32_LBR_CTL, LBREn)},
	{DEFECT_LEVELS_IGNORED, HOLDS_SET, CONTROL, LEVELS},
	{DEFECT_KINDS_IGNORED, HOLDS_SET, CONTROL, KINDS},
	{DEFECT_TYPE_WRONG, READS_SET, MSR_IA32_LBR_INFO, INTEL_BRANCH_RECORDS,
	 FIELD(IA32_LBR_INFO, BR_TYPE)},
	{DEFECT_INVALID, READS_CLEAR, MSR_IA32_LBR_INFO, INTEL_BRANCH_RECORDS,
	 FIELD(IA32_LBR_INFO, CYC_CNT_VALID)},
};

static void configure(void *state)
{
	struct intel_state *m = state;
	uint64_t before[THREADS];

	for (unsigned thread = 0; thread < THREADS; thread++) {
		uint64_t *status = &m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS];

		before[thread] = *status;
		if (has_defect(state, DEFECT_FREEZE_HOLLOW))
			*status &= ~LBR_FRZ;
	}
	intel_configure(state);
	for (unsigned thread = 0; thread < THREADS; thread++)
		m->file[thread][SLOT_IA32_PERF_GLOBAL_STATUS] = before[thread];
}

static bool passed(struct engine *e, uint64_t cycles, uint32_t wrapped)
{
	struct intel_state *m = (struct intel_state *)e;
	const bool due = m->branches_due;

	defective_passed(e, cycles, wrapped);
	for (unsigned thread = 0; thread < THREADS && due; thread++) {
		uint64_t *from = &m->file[thread][SLOT_LASTBRANCH_FROM_IP],
			*to = &m->file[thread][SLOT_LASTBRANCH_TO_IP], source = *from;

		if (has_defect(m, DEFECT_SWAPPED)) {
			*from = *to;
			*to = source;
		}
		for (unsigned i = 1; i < INTEL_BRANCH_RECORDS && has_defect(m, DEFECT_SHIFT_LOST);
		     i++)
			intel_lbr_put(m, thread, i, 0, 0, 0);
	}
	return true;
}

static bool write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct intel_state *m = state;
	uint64_t before[SLOTS];
	bool taken;

	memcpy(before, m->file[thread], sizeof before);
	taken = defective_write(state, thread, address, value, cycles);
	if (address != MSR_IA32_LBR_DEPTH)
		return taken;
	if (has_defect(m, DEFECT_DEPTH_KEEPS))
		memcpy(m->file[thread], before, sizeof before);
	if (has_defect(m, DEFECT_DEPTH_STUCK))
		m->file[thread][SLOT_IA32_LBR_DEPTH] = INTEL_BRANCH_RECORDS;
	return taken || has_defect(m, DEFECT_DEPTH_UNCHECKED);
}

static struct defective defects = {
	.rules = {defective_sum, passed, defective_lower_headroom, defective_ended,
		  defective_configure},
	.names = defect_names, .table = table, .table_size = sizeof table / sizeof *table,
	.counters = COUNTERS, .thread_size = SLOTS * sizeof(uint64_t), .configure = configure,
};

void intel_defective_arch_lbr(struct pmu_model *model, const struct pmu_model *sound)
{
	static struct model_user user;

	defects.sound = sound;
	defective_model(model, &user, &defects);
	model->write = write;
}
