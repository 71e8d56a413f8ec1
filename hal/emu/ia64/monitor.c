// SPDX-License-Identifier: BSD-2-Clause
// The processor's performance monitor: a model (model.h), and the instructions that access its
// registers. retire.c raises the counted events.

#include "monitor.h"

#include <stdlib.h>

#include "cycle.h"
#include "hierarchy.h"
#include "machine.h"
#include "predictor.h"
#include "retire.h"

bool ia64_attach(struct machine *m, const struct pmu_model *model, void *state, const char *fault,
		 uint64_t seed)
{
	m->hierarchy = ia64_make_hierarchy(&m->processor);
	m->predictor = calloc(1, sizeof *m->predictor);
	if (!m->hierarchy || !m->predictor || !vpmu_start(&m->pmu, model, state, 0, fault, seed))
		return false;
	m->cycle.making.now = m->cycle.buffer[0];
	m->monitored = true;
	return true;
}

void ia64_set_timed(struct machine *m)
{
	m->timed = m->selection.stale = m->issue.ends = true;
}

//
// Registers
//

bool ia64_monitor_read(struct machine *m, uint32_t address, uint64_t *value)
{
	if (!m->monitored)
		return false;
	ia64_report(m);
	return vpmu_read(&m->pmu, address, value);
}

bool ia64_monitor_write(struct machine *m, const struct op *op, uint32_t address, uint64_t value)
{
	if (!m->monitored || (address >= FILE_IBR && !model_register(m->pmu.model, address)) ||
	    !ia64_retire_write(m, op, address, value))
		return false;
	m->selection.stale = true;
	ia64_stop(m);
	return true;
}

// Accesses a register whose number is in r3.
static enum outcome write_indexed(struct machine *m, const struct op *op, uint32_t file)
{
	const uint32_t number = ia64_gr(m, op->s3) & 0xFF;

	if (ia64_level(m))
		return ia64_privileged(m);
	if (ia64_nat(m, op->s2) || ia64_nat(m, op->s3))
		return ia64_nat_consumed(m, 0);
	if (!ia64_monitor_write(m, op, file + number, ia64_gr(m, op->s2)))
		return ia64_reserved_register(m);
	return OUTCOME_NEXT;
}

static enum outcome read_indexed(struct machine *m, const struct op *op, uint32_t file)
{
	const uint32_t number = ia64_gr(m, op->s3) & 0xFF;
	uint64_t value;

	if (ia64_level(m))
		return ia64_privileged(m);
	if (!ia64_monitor_read(m, file + number, &value))
		return ia64_reserved_register(m);
	return ia64_put(m, op->d1, value, false);
}

#define REGISTER_FILE(name, file)								\
	static enum outcome mov_to_##name(struct machine *m, const struct op *op)	\
	{										\
		return write_indexed(m, op, file);					\
	}										\
	static enum outcome mov_from_##name(struct machine *m, const struct op *op)	\
	{										\
		return read_indexed(m, op, file);					\
	}
REGISTER_FILE(pmc, FILE_PMC)
REGISTER_FILE(ibr, FILE_IBR)
REGISTER_FILE(dbr, FILE_DBR)

static enum outcome mov_to_pmd(struct machine *m, const struct op *op)
{
	return write_indexed(m, op, FILE_PMD);
}

// PMDs can be read at every privilege level. A PMD that the monitor hides from this level reads as
// 0.
static enum outcome mov_from_pmd(struct machine *m, const struct op *op)
{
	uint64_t value;

	if (!m->monitored)
		return ia64_reserved_register(m);
	ia64_report(m);
	if (!vpmu_read_counter(&m->pmu, ia64_gr(m, op->s3) & 0xFF, &value))
		return ia64_reserved_register(m);
	return ia64_put(m, op->d1, value, false);
}

ia64_execute *const ia64_monitor[ENCODINGS] = {
	[IA64_MOV_TO_PMC] = mov_to_pmc,
	[IA64_MOV_FROM_PMC] = mov_from_pmc, [IA64_MOV_TO_PMD] = mov_to_pmd,
	[IA64_MOV_FROM_PMD] = mov_from_pmd,
	[IA64_MOV_TO_IBR] = mov_to_ibr, [IA64_MOV_FROM_IBR] = mov_from_ibr,
	[IA64_MOV_TO_DBR] = mov_to_dbr,
	[IA64_MOV_FROM_DBR] = mov_from_dbr,
};
