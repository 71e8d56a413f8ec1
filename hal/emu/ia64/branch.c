// SPDX-License-Identifier: BSD-2-Clause
// Branches of the B unit, and long branches.

#include "execute.h"

#include "machine.h"
#include "stack.h"
#include "translation.h"

static uint64_t target(const struct machine *m, const struct op *op)
{
	return m->ip + (uint64_t)op->imm;
}

#define B1(op)	((op)->d1 & 7)
#define B2(op)	((op)->s2 & 7)

static enum outcome cond(struct machine *m, const struct op *op)
{
	return ia64_go(m, target(m, op));
}

static enum outcome cond_b(struct machine *m, const struct op *op)
{
	return ia64_go(m, m->br[B2(op)]);
}

// Saves the caller's frame, EC and privilege level for br.ret.
static enum outcome call(struct machine *m, const struct op *op, uint64_t address)
{
	const uint64_t ec = m->ar[AR_EC] & 63, cpl = ia64_level(m);

	m->ar[AR_PFS] = ia64_frame_pack(&m->frame) | ec << 52 | cpl << 62;
	m->br[B1(op)] = m->ip + BUNDLE_BYTES;
	ia64_call(m);
	return ia64_go(m, address);
}

static enum outcome call_ip(struct machine *m, const struct op *op)
{
	return call(m, op, target(m, op));
}

static enum outcome call_b(struct machine *m, const struct op *op)
{
	return call(m, op, m->br[B2(op)]);
}

static enum outcome ret(struct machine *m, const struct op *op)
{
	const uint64_t pfs = m->ar[AR_PFS], cpl = ia64_level(m), old = pfs >> 62;
	const struct ia64_frame frame = ia64_frame_unpack(pfs);
	const uint64_t address = m->br[B2(op)];

	ia64_return(m, op, frame, frame.sol);
	m->ar[AR_EC] = pfs >> 52 & 63;
	if (old > cpl) {
		m->psr = (m->psr & ~PSR_CPL) | old << 32;
		ia64_set_context(m);
	}
	return ia64_go(m, address);
}

// Counted and modulo-scheduled loops must be in slot 2 of their bundle.
#define IN_SLOT_2(m)	((m)->slot == 2)

static enum outcome cloop(struct machine *m, const struct op *op)
{
	if (!IN_SLOT_2(m))
		return ia64_illegal(m);
	if (!m->ar[AR_LC])
		return OUTCOME_NEXT;
	m->ar[AR_LC]--;
	return ia64_go(m, target(m, op));
}

// Begins the next iteration of a modulo-scheduled loop, if there is one: `more` iterations follow,
// or EC has stages to drain. p63, which becomes p16, enables the first stage. Returns whether there
// is one.
static bool turn(struct machine *m, bool more, bool begins)
{
	uint64_t *ec = &m->ar[AR_EC];
	const bool goes_on = more || *ec > 1;

	ia64_put_pr(m, 63, more && begins);
	if (more || *ec)
		ia64_rotate(m);
	if (!more && *ec)
		--*ec;
	return goes_on;
}

// Counted loops: LC counts iterations. While loops: the branch's predicate is the condition.
static bool turn_counted(struct machine *m)
{
	const bool more = m->ar[AR_LC];

	m->ar[AR_LC] -= more;
	return turn(m, more, true);
}

static bool turn_while(struct machine *m, const struct op *op)
{
	return turn(m, ia64_pr(m, op->qp), false);
}

#define LOOP(name, taken)								\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		if (!IN_SLOT_2(m))							\
			return ia64_illegal(m);						\
		return taken ? ia64_go(m, target(m, op)) : OUTCOME_NEXT;			\
	}
LOOP(ctop, turn_counted(m))
LOOP(cexit, !turn_counted(m))
LOOP(wtop, turn_while(m, op))
LOOP(wexit, !turn_while(m, op))

static enum outcome nothing(struct machine *, const struct op *)
{
	return OUTCOME_NEXT;
}

static enum outcome cover(struct machine *m, const struct op *)
{
	const uint64_t frame = ia64_frame_pack(&m->frame);

	ia64_cover(m);
	if (!(m->psr & PSR_IC))
		m->cr[CR_IFS] = 1ULL << 63 | frame;
	return OUTCOME_NEXT;
}

// Code on a page with rights 7 gets the page's privilege level, if that is more privileged.
// Untranslated code gets level 0.
static enum outcome epc(struct machine *m, const struct op *)
{
	const struct ia64_translation *page;
	unsigned level = 0;

	if (m->ar[AR_PFS] >> 62 < ia64_level(m))
		return ia64_illegal(m);
	if (m->psr & PSR_IT) {
		page = ia64_find_translation(m, m->ip, ISR_X);
		if (!page)
			return OUTCOME_INTERRUPTION;
		level = page->rights == 7 && page->level < ia64_level(m) ? page->level :
			ia64_level(m);
	}
	m->psr = (m->psr & ~PSR_CPL) | (uint64_t)level << 32;
	ia64_set_context(m);
	return OUTCOME_NEXT;
}

// Branches to IA-32 code, which this machine does not execute.
static enum outcome to_ia32(struct machine *m, const struct op *op)
{
	if (op->qp)
		return ia64_illegal(m);
	if (m->psr & PSR_DI)
		return ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_DISABLED_TRANSITION, 0);
	return ia64_interrupt(m, VECTOR_NO_IA32, 0, m->br[B2(op)]);
}

static enum outcome clrrrb(struct machine *m, const struct op *)
{
	struct ia64_frame f = m->frame;

	f.rrb_gr = f.rrb_fr = f.rrb_pr = 0;
	ia64_set_frame(m, f);
	return OUTCOME_NEXT;
}

static enum outcome clrrrb_pr(struct machine *m, const struct op *)
{
	struct ia64_frame f = m->frame;

	f.rrb_pr = 0;
	ia64_set_frame(m, f);
	return OUTCOME_NEXT;
}

ia64_execute *const ia64_branch[ENCODINGS] = {
	[IA64_BR_COND] = cond, [IA64_BR_COND_B] = cond_b, [IA64_BR_CALL] = call_ip,
	[IA64_BR_CALL_B] = call_b,
	[IA64_BR_RET] = ret, [IA64_BR_CLOOP] = cloop, [IA64_BR_CTOP] = ctop,
	[IA64_BR_CEXIT] = cexit,
	[IA64_BR_WTOP] = wtop, [IA64_BR_WEXIT] = wexit, [IA64_BRP] = nothing,
	[IA64_BRP_B] = nothing,
	[IA64_BRP_RET] = nothing, [IA64_BR_IA] = to_ia32, [IA64_COVER] = cover, [IA64_EPC] = epc,
	[IA64_CLRRRB] = clrrrb, [IA64_CLRRRB_PR] = clrrrb_pr,
};
