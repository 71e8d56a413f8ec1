// SPDX-License-Identifier: BSD-2-Clause
// Control registers, and external interrupts (manual, volume 2, sections 3.3.4, 5.8).

#include "control.h"

#include "machine.h"
#include "monitor.h"

#define VECTOR_BITS	0xFFu
#define SPURIOUS	15	/* IVR's value without an interrupt */
#define TPR_MMI		(1ULL << 16)
#define CLASS(vector)	((vector) >> 4)

static int highest(const uint64_t vectors[4])
{
	for (int i = 3; i >= 0; i--)
		if (vectors[i])
			return 64 * i + 63 - __builtin_clzll(vectors[i]);
	return -1;
}

void ia64_request(struct machine *m, uint64_t vector)
{
	m->irr[vector / 64 & 3] |= 1ULL << vector % 64;
}

int ia64_acceptable(const struct machine *m)
{
	const int pending = highest(m->irr), serviced = highest(m->in_service);
	const uint64_t tpr = m->cr[CR_TPR];

	if (pending <= serviced || tpr & TPR_MMI || CLASS(pending) <= (int)CLASS(tpr & VECTOR_BITS))
		return -1;
	return pending;
}

// A read of IVR takes the interrupt: it is no longer pending, but in service.
static uint64_t take_interrupt(struct machine *m)
{
	const int vector = ia64_acceptable(m);

	if (vector < 0)
		return SPURIOUS;
	m->irr[vector / 64] &= ~(1ULL << vector % 64);
	m->in_service[vector / 64] |= 1ULL << vector % 64;
	ia64_stop(m);
	return (uint64_t)vector;
}

static void end_interrupt(struct machine *m)
{
	const int serviced = highest(m->in_service);

	if (serviced >= 0)
		m->in_service[serviced / 64] &= ~(1ULL << serviced % 64);
}

//
// Control registers
//

// Reserved bits, and bits that are ignored and read as 0. A register without an entry does not
// exist.
/* ITV, PMV, CMCV, of LRR0 and LRR1 some more */
#define INTERRUPT_RESERVED	(15ULL << 8 | 7ULL << 13)
static const struct control {
	bool exists;
	uint64_t reserved, ignored;
} controls[128] = {
	[CR_DCR] = {true, 0xF8ULL | ~0x7FFFULL, 0}, [CR_ITM] = {true, 0, 0},
	[CR_IVA] = {true, 0, 0x7FFF},
	[CR_PTA] = {true, 0x7E02, 0}, [CR_IPSR] = {true, PSR_RESERVED, 0},
	[CR_ISR] = {true, 0xFFULL << 24 | ~0ULL << 44, 0}, [CR_IIP] = {true, 0, BUNDLE_BYTES - 1},
	[CR_IFA] = {true, 0, 0}, [CR_ITIR] = {true, 3ULL | ~0ULL << 32, 0},
	[CR_IIPA] = {true, 0, BUNDLE_BYTES - 1},
	[CR_IFS] = {true, ((1ULL << 25) - 1) << 38, 0}, [CR_IIM] = {true, 0, 0},
	[CR_IHA] = {true, 0, 3},
	[CR_LID] = {true, 0xFFFF, ~0ULL << 32}, [CR_IVR] = {true, 0, 0},
	[CR_TPR] = {true, 0xFF00, 15 | ~0ULL << 17},
	[CR_EOI] = {true, 0, ~0ULL}, [CR_IRR0 ... CR_IRR3] = {true, 0, 0},
	[CR_ITV] = {true, INTERRUPT_RESERVED, 1ULL << 12 | ~0ULL << 17},
	[CR_PMV] = {true, INTERRUPT_RESERVED, 1ULL << 12 | ~0ULL << 17},
	[CR_CMCV] = {true, INTERRUPT_RESERVED, 1ULL << 12 | ~0ULL << 17},
	[CR_LRR0 ... CR_LRR1] = {true, 1ULL << 11 | 1ULL << 14, 1ULL << 12 | ~0ULL << 17},
};

static bool is_of_monitor(const struct machine *m, unsigned cr)
{
	return m->monitored && (cr == CR_DCR || cr == CR_ITM || cr == CR_ITV || cr == CR_PMV);
}

static bool is_read_only(unsigned cr)
{
	return cr == CR_IVR || (cr >= CR_IRR0 && cr <= CR_IRR3);
}

// Interruption registers cannot be accessed while PSR.ic is 1, because an interruption may write
// them.
static bool is_collected(unsigned cr)
{
	return cr >= CR_IPSR && cr <= CR_IHA;
}

uint64_t ia64_control_value(struct machine *m, unsigned cr)
{
	uint64_t value = m->cr[cr];

	if (is_of_monitor(m, cr))
		ia64_monitor_read(m, FILE_CR + cr, &value);
	return value;
}

static enum outcome mov_to_cr(struct machine *m, const struct op *op)
{
	const unsigned cr = op->s3;
	const uint64_t value = ia64_gr(m, op->s2);

	if (!controls[cr].exists || is_read_only(cr) || (m->psr & PSR_IC && is_collected(cr)))
		return ia64_illegal(m);
	if (ia64_level(m))
		return ia64_privileged(m);
	if (ia64_nat(m, op->s2))
		return ia64_nat_consumed(m, 0);
	if (value & controls[cr].reserved)
		return ia64_reserved_register(m);
	if (cr == CR_ITM)
		m->itc = ia64_itc(m);	/* an earlier match does not count */
	if (is_of_monitor(m, cr))
		return ia64_monitor_write(m, op, FILE_CR + cr, value) ? OUTCOME_NEXT :
		       ia64_reserved_register(m);
	if (cr == CR_EOI)
		end_interrupt(m);
	m->cr[cr] = value & ~controls[cr].ignored;
	ia64_stop(m);
	return OUTCOME_NEXT;
}

static enum outcome mov_from_cr(struct machine *m, const struct op *op)
{
	const unsigned cr = op->s3;
	uint64_t value;

	if (!controls[cr].exists || !ia64_can_write(m, op->d1) ||
	    (m->psr & PSR_IC && is_collected(cr)))
		return ia64_illegal(m);
	if (ia64_level(m))
		return ia64_privileged(m);
	value = ia64_control_value(m, cr);
	if (cr == CR_IVR)
		value = take_interrupt(m);
	else if (cr >= CR_IRR0 && cr <= CR_IRR3)
		value = m->irr[cr - CR_IRR0];
	return ia64_put(m, op->d1, value, false);
}

//
// Interval timer
//


// The monitor's model has ITC. Without a monitor, an instruction is a cycle.
uint64_t ia64_itc(struct machine *m)
{
	uint64_t value = m->ar[AR_ITC] + ia64_retired(m);

	ia64_monitor_read(m, FILE_AR + AR_ITC, &value);
	return value;
}

void ia64_set_itc(struct machine *m, const struct op *op, uint64_t value)
{
	if (!ia64_monitor_write(m, op, FILE_AR + AR_ITC, value))
		m->ar[AR_ITC] = value - ia64_retired(m) - 1;
	m->itc = value;
	ia64_stop(m);
}

// ITC has reached ITM if ITM is among its values since the last check.
void ia64_look_at_timer(struct machine *m)
{
	const uint64_t itv = ia64_control_value(m, CR_ITV), itm = ia64_control_value(m, CR_ITM),
		itc = ia64_itc(m);
	const bool matches = itm - m->itc - 1 < itc - m->itc;

	m->itc = itc;
	m->cycle.timer = UINT64_MAX;
	if (itv & VECTOR_MASKED)
		return;
	if (matches)
		ia64_request(m, itv & VECTOR_BITS);
	if (itm == itc)
		return;
	if (m->timed)
		m->cycle.timer = itm - itc < MODEL_FAR ? m->cycle.ended + (itm - itc) : UINT64_MAX;
	else
		ia64_stop_within(m, itm - itc);
}

ia64_execute *const ia64_control[ENCODINGS] = {
	[IA64_MOV_TO_CR] = mov_to_cr, [IA64_MOV_FROM_CR] = mov_from_cr,
};
