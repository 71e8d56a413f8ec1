// SPDX-License-Identifier: BSD-2-Clause
// The processor takes an interruption (manual, volume 2, section 5.5).

#include "delivery.h"

#include "control.h"
#include "cycle.h"
#include "machine.h"
#include "translation.h"

// PSR bits that an interruption does not change (manual, volume 2, table 3-2). It sets be and pp
// from DCR, and clears all others.
#define PSR_KEPT	(PSR_UP | PSR_MFL | PSR_MFH | PSR_PK | PSR_DT | PSR_RT | PSR_MC | PSR_IT)

/* the region's preferred page size, and its number as the key */
#define ITIR_OF_REGION	0xFFFFFFFCULL

void ia64_switch_bank(struct machine *m, uint64_t psr)
{
	if (!((m->psr ^ psr) & PSR_BN))
		return;
	for (unsigned i = 0; i < BANKED_REGISTERS; i++) {
		const uint64_t value = m->gr[BANKED_FIRST + i];
		const uint8_t nat = m->nat[BANKED_FIRST + i];

		m->gr[BANKED_FIRST + i] = m->other_bank[i];
		m->nat[BANKED_FIRST + i] = m->other_bank_nat[i];
		m->other_bank[i] = value;
		m->other_bank_nat[i] = nat;
	}
	m->psr ^= PSR_BN;
}

// Sets the interruption registers while PSR.ic is 1. IIPA is the bundle itself if one of its
// instructions has executed.
static void collect(struct machine *m)
{
	const struct ia64_interruption *i = &m->interruption;

	m->cr[CR_IPSR] = (m->psr & ~PSR_RI) | (uint64_t)m->slot << 41;
	m->cr[CR_IIP] = m->ip;
	m->cr[CR_IIPA] = m->slot ? m->ip : m->last;
	m->cr[CR_IFS] = 0;
	if (i->vector == VECTOR_BREAK)
		m->cr[CR_IIM] = i->address;
	if (!(i->isr & (ISR_X | ISR_W | ISR_R | ISR_NA)))
		return;
	m->cr[CR_IFA] = i->address;
	m->cr[CR_ITIR] = m->rr[i->address >> 61] & ITIR_OF_REGION;
	if (i->vector == VECTOR_VHPT || i->vector == VECTOR_INSTRUCTION_TLB ||
	    i->vector == VECTOR_DATA_TLB)
		m->cr[CR_IHA] = ia64_hash(m, i->address);
}

// Raises the flush of the pipeline, for the instruction that is not executed (table 7-32: an
// exception).
static void raise_flush(struct machine *m)
{
	const struct occurrence o = {.n = 1, .level = (uint8_t)m->pmu.level, .ip = m->ip,
				     .slot = m->slot};

	if (m->selection.watched)
		ia64_raise_separately(m, &o, EVENT_PIPELINE_FLUSH, SUB_OTHER_FLUSH);
}

bool ia64_deliver(struct machine *m)
{
	const struct ia64_interruption *i = &m->interruption;
	const uint64_t dcr = ia64_control_value(m, CR_DCR);

	if (!m->cr[CR_IVA] || i->vector >= VECTOR_MACHINE_CHECK)
		return false;
	raise_flush(m);
	if (m->psr & PSR_IC)
		collect(m);
	if (i->vector != VECTOR_DATA_NESTED_TLB)
		m->cr[CR_ISR] = i->isr | (m->psr & PSR_IC ? 0 : ISR_NI);
	ia64_switch_bank(m, 0);
	m->psr = (m->psr & PSR_KEPT) | (dcr & DCR_BE ? PSR_BE : 0) | (dcr & DCR_PP ? PSR_PP : 0);
	m->ip = m->cr[CR_IVA] + (uint64_t)i->vector;
	m->slot = 0;
	m->incomplete = false;
	ia64_set_context(m);
	return true;
}
