// SPDX-License-Identifier: BSD-2-Clause
// The processor's performance monitor, interval timer and external interrupts. The monitor is a model (model.h); what
// it counts is in events.c.

#include "machine.h"

// Addresses of registers in the model: the register file in bits 15:8, the number below.
enum { FILE_PMC = 0x000, FILE_PMD = 0x100, FILE_IBR = 0x200, FILE_DBR = 0x300, FILE_CR = 0x400, FILE_PSR = 0x500,
       FILE_AR = 0x600 };

enum { CR_DCR = 0, CR_ITM = 1, CR_IVR = 65, CR_TPR = 66, CR_EOI = 67, CR_IRR0 = 68, CR_ITV = 72, CR_PMV = 73 };

#define VECTOR_BITS	0xFFu
#define SPURIOUS	15	/* IVR's value without an interrupt */
#define TPR_MMI		(1ULL << 16)
#define CLASS(vector)	((vector) >> 4)

bool ia64_attach(struct machine *m, const struct pmu_model *model, void *state, uint64_t seed)
{
	if (!vpmu_start(&m->pmu, model, state, 0, NULL, seed))
		return false;
	m->monitored = true;
	return true;
}

static int highest(const uint64_t vectors[4])
{
	for (int i = 3; i >= 0; i--)
		if (vectors[i])
			return 64 * i + 63 - __builtin_clzll(vectors[i]);
	return -1;
}

// The vector of the interrupt that would be accepted: above what is in service, and what TPR masks; -1: none.
static int acceptable(const struct machine *m)
{
	const int pending = highest(m->irr), serviced = highest(m->in_service);
	const uint64_t tpr = m->cr[CR_TPR];

	if (pending <= serviced || tpr & TPR_MMI || CLASS(pending) <= (int)CLASS(tpr & VECTOR_BITS))
		return -1;
	return pending;
}

bool ia64_look(struct machine *m, uint64_t end)
{
	const unsigned level = m->psr >> 32 & 3;
	struct ia64_events *e = &m->events;
	uint64_t psr, headroom;

	m->stop = end;
	if (!m->monitored)
		return false;
	ia64_report(m);
	if (vpmu_read(&m->pmu, FILE_PSR, &psr) && psr != (m->psr & PSR_MONITORED)) {
		vpmu_write(&m->pmu, FILE_PSR, m->psr & PSR_MONITORED, 0);
		e->stale = true;
	}
	e->stale |= vpmu_has_request(&m->pmu);
	if (level != m->pmu.level)
		e->total[EVENT_CPU_CPL_CHANGES][0]++;
	vpmu_set_level(&m->pmu, level);
	if (vpmu_take_request(&m->pmu)) {
		uint64_t vector = 0;

		vpmu_read(&m->pmu, FILE_CR + CR_PMV, &vector);
		m->irr[vector / 64 & 3] |= 1ULL << vector % 64;
	}
	if (e->stale)
		ia64_select_events(m);
	headroom = ia64_batch(m);
	if (headroom < m->stop - m->retired)
		m->stop = m->retired + headroom;
	return m->psr & PSR_I && acceptable(m) >= 0;
}

//
// Registers
//

static enum outcome reserved_register(struct machine *m)
{
	return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_RESERVED_REGISTER, 0);
}

static bool read_model(struct machine *m, uint32_t address, uint64_t *value)
{
	if (!m->monitored)
		return false;
	ia64_report(m);
	return vpmu_read(&m->pmu, address, value);
}

// The instruction that writes is of the time before.
static bool write_model(struct machine *m, const struct op *op, uint32_t address, uint64_t value)
{
	bool written;

	if (!m->monitored)
		return false;
	ia64_report(m);
	if (m->watched)
		ia64_connect_instruction(m, op);
	written = vpmu_write(&m->pmu, address, value, 1);
	vpmu_resume(&m->pmu);
	m->pmu_cycle += written;
	m->events.passed &= written;
	m->events.stale = true;
	m->stop = 0;
	return written;
}

static bool is_of_model(unsigned cr)
{
	return cr == CR_DCR || cr == CR_ITM || cr == CR_ITV || cr == CR_PMV;
}

static enum outcome write_cr(struct machine *m, const struct op *op, uint64_t value)
{
	const unsigned cr = op->s3;

	if (is_of_model(cr) && m->monitored)
		return write_model(m, op, FILE_CR + cr, value) ? OUTCOME_NEXT : reserved_register(m);
	if (cr == CR_IVR || (cr >= CR_IRR0 && cr < CR_ITV))
		return ia64_illegal(m);
	m->stop = 0;
	if (cr == CR_EOI) {
		const int serviced = highest(m->in_service);

		if (serviced >= 0)
			m->in_service[serviced / 64] &= ~(1ULL << serviced % 64);
		return OUTCOME_NEXT;
	}
	m->cr[cr] = value;
	return OUTCOME_NEXT;
}

// Reading IVR takes the interrupt: it is pending no more, but in service.
static uint64_t take_interrupt(struct machine *m)
{
	const int vector = acceptable(m);

	if (vector < 0)
		return SPURIOUS;
	m->irr[vector / 64] &= ~(1ULL << vector % 64);
	m->in_service[vector / 64] |= 1ULL << vector % 64;
	m->stop = 0;
	return (uint64_t)vector;
}

static enum outcome read_cr(struct machine *m, const struct op *op, unsigned cr)
{
	uint64_t value = m->cr[cr];

	if (is_of_model(cr) && m->monitored && !read_model(m, FILE_CR + cr, &value))
		return reserved_register(m);
	if (cr == CR_IVR)
		value = take_interrupt(m);
	if (cr >= CR_IRR0 && cr < CR_ITV)
		value = m->irr[cr - CR_IRR0];
	return ia64_put(m, op->d1, value, false);
}

#define CPL(m) ((m)->psr >> 32 & 3)

static enum outcome privileged(struct machine *m)
{
	return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_PRIVILEGED, 0);
}

static enum outcome mov_to_cr(struct machine *m, const struct op *op)
{
	return CPL(m) ? privileged(m) : write_cr(m, op, ia64_gr(m, op->s2));
}

static enum outcome mov_from_cr(struct machine *m, const struct op *op)
{
	return CPL(m) ? privileged(m) : read_cr(m, op, op->s3);
}

// Registers that are reached by an index in r3.
static enum outcome write_indexed(struct machine *m, const struct op *op, uint32_t file)
{
	const uint32_t number = ia64_gr(m, op->s3) & 0xFF;

	if (CPL(m))
		return privileged(m);
	if (ia64_nat(m, op->s2) || ia64_nat(m, op->s3))
		return ia64_interrupt(m, VECTOR_NAT_CONSUMPTION, 0x10, 0);
	return write_model(m, op, file + number, ia64_gr(m, op->s2)) ? OUTCOME_NEXT : reserved_register(m);
}

static enum outcome read_indexed(struct machine *m, const struct op *op, uint32_t file)
{
	const uint32_t number = ia64_gr(m, op->s3) & 0xFF;
	uint64_t value;

	if (CPL(m))
		return privileged(m);
	return read_model(m, file + number, &value) ? ia64_put(m, op->d1, value, false) : reserved_register(m);
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

// At every privilege level: what the monitor does not want to be seen reads as 0.
static enum outcome mov_from_pmd(struct machine *m, const struct op *op)
{
	uint64_t value;

	if (!m->monitored)
		return reserved_register(m);
	ia64_report(m);
	if (!vpmu_read_counter(&m->pmu, ia64_gr(m, op->s3) & 0xFF, &value))
		return reserved_register(m);
	return ia64_put(m, op->d1, value, false);
}

ia64_execute *const ia64_monitor[ENCODINGS] = {
	[IA64_MOV_TO_CR] = mov_to_cr, [IA64_MOV_FROM_CR] = mov_from_cr, [IA64_MOV_TO_PMC] = mov_to_pmc,
	[IA64_MOV_FROM_PMC] = mov_from_pmc, [IA64_MOV_TO_PMD] = mov_to_pmd, [IA64_MOV_FROM_PMD] = mov_from_pmd,
	[IA64_MOV_TO_IBR] = mov_to_ibr, [IA64_MOV_FROM_IBR] = mov_from_ibr, [IA64_MOV_TO_DBR] = mov_to_dbr,
	[IA64_MOV_FROM_DBR] = mov_from_dbr,
};
