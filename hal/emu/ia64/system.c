// SPDX-License-Identifier: BSD-2-Clause
// Application and control registers, processor status, frames, breaks, rfi.

#include "execute.h"

#include <string.h>

#include "control.h"
#include "delivery.h"
#include "machine.h"
#include "simulator.h"
#include "stack.h"
#include "translation.h"

#define S2 ia64_gr(m, op->s2)
#define NAT2 ia64_nat(m, op->s2)
#define USER_MASK	0x3EULL /* PSR bits that user software writes: be, up, ac, mfl, mfh */
#define LOW_PSR		0xFFFFFFFFULL
#define FPSR_RESERVED	(1ULL << 12 | 63ULL << 58)	/* field 0 cannot disable traps */

//
// Application registers
//

// Whether a register is accessed through the I unit only; the others through the M unit only.
static bool is_of_i(unsigned ar)
{
	return ar >= 64;
}

static uint64_t read_ar(struct machine *m, unsigned ar)
{
	switch (ar) {
	case AR_BSP:
		return m->bsp;
	case AR_BSPSTORE:
		return ia64_bspstore(m);
	case AR_RNAT:
		return m->rnat;
	case AR_ITC:
		return ia64_itc(m);
	default:
		return m->ar[ar];
	}
}

// Registers 48 to 63 and 112 to 127 read 0 and ignore writes. Other registers without a name are
// reserved.
static bool is_ignored(unsigned ar)
{
	return (ar >= 48 && ar < 64) || ar >= 112;
}

static bool exists(unsigned ar)
{
	return ar < 8 || (ar >= AR_RSC && ar <= AR_RNAT) || ar == AR_FCR ||
	       (ar >= AR_EFLAG && ar <= 30) ||
	       ar == AR_CCV || ar == AR_UNAT || ar == AR_FPSR || ar == AR_ITC ||
	       (ar >= AR_PFS && ar <= AR_EC);
}

static enum outcome write_ar(struct machine *m, const struct op *op, uint64_t value)
{
	const bool enforced_lazy = !(m->ar[AR_RSC] & RSC_MODE);
	const unsigned ar = op->s3;

	if (is_ignored(ar))
		return OUTCOME_NEXT;
	if (!exists(ar) || ar == AR_BSP || ((ar == AR_BSPSTORE || ar == AR_RNAT) && !enforced_lazy))
		return ia64_illegal(m);
	if ((ar < 8 || ar == AR_ITC) && ia64_level(m))
		return ia64_privileged_register(m);
	switch (ar) {
	case AR_RSC:
		if (value & ~0x3FFF001FULL)
			return ia64_reserved_register(m);
		if ((value & RSC_PL) >> 2 < ia64_level(m))
			value = (value & ~RSC_PL) | ia64_level(m) << 2;
		m->ar[AR_RSC] = value;
		ia64_set_context(m);
		return OUTCOME_NEXT;
	case AR_BSPSTORE:
		ia64_set_bspstore(m, value);
		return OUTCOME_NEXT;
	case AR_RNAT:
		m->rnat = value & ~(1ULL << 63);
		return OUTCOME_NEXT;
	case AR_ITC:
		ia64_set_itc(m, op, value);
		return OUTCOME_NEXT;
	case AR_PFS:
		if (value & ~(3ULL << 62 | 63ULL << 52 | ((1ULL << 38) - 1)))
			return ia64_reserved_register(m);
		break;
	case AR_FPSR:
		if (value & FPSR_RESERVED)
			return ia64_reserved_register(m);
		break;
	case AR_EC:
		value &= 63;
		break;
	}
	m->ar[ar] = value;
	return OUTCOME_NEXT;
}

static enum outcome mov_to_ar(struct machine *m, const struct op *op, uint64_t value, bool nat,
			      bool of_i)
{
	const unsigned ar = op->s3;

	if (is_of_i(ar) != of_i && !is_ignored(ar))
		return ia64_illegal(m);
	if (nat)
		return ia64_nat_consumed(m, 0);
	return write_ar(m, op, value);
}

static enum outcome mov_from_ar(struct machine *m, const struct op *op, bool of_i)
{
	const unsigned ar = op->s3;

	if (is_ignored(ar))
		return ia64_put(m, op->d1, 0, false);
	if (!exists(ar) || is_of_i(ar) != of_i ||
	    ((ar == AR_BSPSTORE || ar == AR_RNAT) && m->ar[AR_RSC] & RSC_MODE))
		return ia64_illegal(m);
	if (ar == AR_ITC && m->psr & PSR_SI && ia64_level(m))
		return ia64_privileged_register(m);
	return ia64_put(m, op->d1, read_ar(m, ar), false);
}

#define AR_MOVES(name, of_i)								\
	static enum outcome name##_to_ar(struct machine *m, const struct op *op)	\
	{										\
		return mov_to_ar(m, op, S2, NAT2, of_i);				\
	}										\
	static enum outcome name##_to_ar_imm8(struct machine *m, const struct op *op)	\
	{										\
		return mov_to_ar(m, op, (uint64_t)op->imm, false, of_i);		\
	}										\
	static enum outcome name##_from_ar(struct machine *m, const struct op *op)	\
	{										\
		return mov_from_ar(m, op, of_i);					\
	}
AR_MOVES(mov_m, false)
AR_MOVES(mov_i, true)

//
// Frames
//

static enum outcome alloc(struct machine *m, const struct op *op)
{
	const unsigned sof = (unsigned)op->imm, sol = op->imm2, sor = op->imm3 / 8;
	const struct ia64_frame *f = &m->frame;

	if (op->qp || sof > STACKED_REGISTERS || sol > sof || sor * 8 > sof)
		return ia64_illegal(m);
	if (!op->d1 || op->d1 >= STATIC_REGISTERS + sof)
		return ia64_illegal(m);
	if (sor != f->sor && (f->rrb_gr || f->rrb_fr || f->rrb_pr))
		return ia64_reserved_register(m);
	if (!ia64_alloc(m, sof, sol, sor))
		return OUTCOME_INTERRUPTION;
	return ia64_put(m, op->d1, m->ar[AR_PFS], false);
}

static enum outcome flushrs(struct machine *m, const struct op *)
{
	return ia64_flush(m) ? OUTCOME_NEXT : OUTCOME_INTERRUPTION;
}

static enum outcome loadrs(struct machine *m, const struct op *)
{
	const uint64_t bytes = m->ar[AR_RSC] >> 16 & 0x3FFF;

	if ((m->frame.sof && bytes) || m->ar[AR_RSC] & RSC_MODE)
		return ia64_illegal(m);
	return ia64_load(m) ? OUTCOME_NEXT : OUTCOME_INTERRUPTION;
}

//
// Processor status and control registers
//

// PSR affects the monitors and external interrupts, so the machine must call ia64_look.
static enum outcome set_psr(struct machine *m, uint64_t psr)
{
	m->psr = psr;
	ia64_set_context(m);
	return OUTCOME_NEXT;
}

// Writes the lower half of PSR, for ssm and rsm its system mask.
static enum outcome set_low_psr(struct machine *m, uint64_t low, uint64_t reserved)
{
	if (ia64_level(m))
		return ia64_privileged(m);
	if (reserved & PSR_RESERVED)
		return ia64_reserved_register(m);
	return set_psr(m, (m->psr & ~LOW_PSR) | (low & LOW_PSR));
}

static enum outcome ssm(struct machine *m, const struct op *op)
{
	return set_low_psr(m, m->psr | (uint64_t)op->imm, (uint64_t)op->imm);
}

static enum outcome rsm(struct machine *m, const struct op *op)
{
	return set_low_psr(m, m->psr & ~(uint64_t)op->imm, (uint64_t)op->imm);
}

static enum outcome mov_to_psr_l(struct machine *m, const struct op *op)
{
	if (!ia64_level(m) && NAT2)
		return ia64_nat_consumed(m, 0);
	return set_low_psr(m, S2, S2 & LOW_PSR);
}

static enum outcome mov_from_psr(struct machine *m, const struct op *op)
{
	if (ia64_level(m))
		return ia64_privileged(m);
	return ia64_put(m, op->d1, m->psr & (LOW_PSR | PSR_MC | PSR_IT), false);
}

static enum outcome bsw_0(struct machine *m, const struct op *)
{
	if (ia64_level(m))
		return ia64_privileged(m);
	ia64_switch_bank(m, 0);
	return OUTCOME_NEXT;
}

static enum outcome bsw_1(struct machine *m, const struct op *)
{
	if (ia64_level(m))
		return ia64_privileged(m);
	ia64_switch_bank(m, PSR_BN);
	return OUTCOME_NEXT;
}

// While monitors are secure (PSR.sp), PSR.up does not change.
static enum outcome set_user_mask(struct machine *m, uint64_t mask, uint64_t written)
{
	const uint64_t changes = USER_MASK & ~(m->psr & PSR_SP ? PSR_UP : 0);

	if (written & ~USER_MASK)
		return ia64_reserved_register(m);
	return set_psr(m, (m->psr & ~changes) | (mask & changes));
}

static enum outcome sum(struct machine *m, const struct op *op)
{
	return set_user_mask(m, m->psr | (uint64_t)op->imm, (uint64_t)op->imm);
}

static enum outcome rum(struct machine *m, const struct op *op)
{
	return set_user_mask(m, m->psr & ~(uint64_t)op->imm, (uint64_t)op->imm);
}

static enum outcome mov_to_psr_um(struct machine *m, const struct op *op)
{
	return NAT2 ? ia64_nat_consumed(m, 0) : set_user_mask(m, S2, S2);
}

static enum outcome mov_from_psr_um(struct machine *m, const struct op *op)
{
	return ia64_put(m, op->d1, m->psr & USER_MASK, false);
}

static enum outcome rfi(struct machine *m, const struct op *op)
{
	const uint64_t ipsr = m->cr[CR_IPSR], ifs = m->cr[CR_IFS];

	if (ia64_level(m))
		return ia64_privileged(m);
	if (m->psr & PSR_IC)
		return ia64_illegal(m);
	if ((ipsr & PSR_RI) == PSR_RI)
		return ia64_reserved_register(m);	/* there is no slot 3 */
	if (ipsr & PSR_IS)
		return ia64_interrupt(m, VECTOR_NO_IA32, 0, m->cr[CR_IIP]);
	if (ifs >> 63) {
		const struct ia64_frame frame = ia64_frame_unpack(ifs);

		ia64_return(m, op, frame, frame.sof);
	}
	m->incomplete = m->dirty < 0;
	ia64_switch_bank(m, ipsr);
	set_psr(m, ipsr & ~PSR_RI);
	m->last = m->cr[CR_IIPA];
	m->ip = m->cr[CR_IIP] & ~(uint64_t)(BUNDLE_BYTES - 1);
	m->slot = ipsr >> 41 & 3;
	return OUTCOME_BRANCH;
}

static enum outcome srlz_d(struct machine *, const struct op *)
{
	return OUTCOME_NEXT;
}

// The following instructions are fetched again.
static enum outcome srlz_i(struct machine *m, const struct op *)
{
	ia64_stop(m);
	return OUTCOME_NEXT;
}

static enum outcome cpuid(struct machine *m, const struct op *op)
{
	// Merced: "GenuineIntel", no serial number, family 7, five registers (0 to 4).
	static const uint64_t registers[] = {0x49656E69756E6547, 0x6C65746E, 0, 0x7000004, 0};
	const uint64_t number = ia64_gr(m, op->s3) & 0xFF;

	if (ia64_nat(m, op->s3))
		return ia64_nat_consumed(m, 0);
	if (number >= sizeof registers / sizeof *registers)
		return ia64_reserved_register(m);
	return ia64_put(m, op->d1, registers[number], false);
}

static enum outcome break_(struct machine *m, const struct op *op)
{
	if (op->imm == SIMULATOR_BREAK)
		return ia64_call_simulator(m);
	return ia64_interrupt(m, VECTOR_BREAK, 0, (uint64_t)op->imm);
}

ia64_execute *const ia64_system[ENCODINGS] = {
	[IA64_MOV_M_TO_AR] = mov_m_to_ar, [IA64_MOV_M_TO_AR_IMM8] = mov_m_to_ar_imm8,
	[IA64_MOV_M_FROM_AR] = mov_m_from_ar, [IA64_MOV_I_TO_AR] = mov_i_to_ar,
	[IA64_MOV_I_TO_AR_IMM8] = mov_i_to_ar_imm8, [IA64_MOV_I_FROM_AR] = mov_i_from_ar,
	[IA64_ALLOC] = alloc,
	[IA64_FLUSHRS] = flushrs, [IA64_LOADRS] = loadrs, [IA64_SSM] = ssm, [IA64_RSM] = rsm,
	[IA64_MOV_TO_PSR_L] = mov_to_psr_l, [IA64_MOV_FROM_PSR] = mov_from_psr,
	[IA64_BSW_0] = bsw_0,
	[IA64_BSW_1] = bsw_1, [IA64_SUM] = sum,
	[IA64_RUM] = rum, [IA64_MOV_TO_PSR_UM] = mov_to_psr_um,
	[IA64_MOV_FROM_PSR_UM] = mov_from_psr_um,
	[IA64_RFI] = rfi, [IA64_SRLZ_D] = srlz_d, [IA64_SRLZ_I] = srlz_i,
	[IA64_MOV_FROM_CPUID] = cpuid,
	[IA64_BREAK_M] = break_, [IA64_BREAK_I] = break_, [IA64_BREAK_B] = break_,
	[IA64_BREAK_F] = break_,
	[IA64_BREAK_X] = break_,
};
