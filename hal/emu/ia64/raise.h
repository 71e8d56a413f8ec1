/* SPDX-License-Identifier: BSD-2-Clause */
/* Raises events while instructions execute and retire. These inline functions handle the common
 * cases of the machine's loop. For all other cases they call cycle.h, references.h or retire.h. */
#ifndef IA64_RAISE_H
#define IA64_RAISE_H

#include "cycle.h"
#include "hierarchy.h"
#include "machine.h"
#include "references.h"
#include "traits.h"

/* Raises an event in the cycle of an instruction, if the event is selected. */
static inline void ia64_raise(struct machine *m, const struct occurrence *context,
			      enum ia64_event code, unsigned sub)
{
	if (m->selection.selected[code])
		ia64_raise_selected(m, context, code, sub, 1);
}

/* Notes a reference of the executing instruction. With precomputed sums (cycle.simple) its sum is
 * added at once. */
static inline void ia64_refer(struct machine *m, enum ia64_reference_kind kind, uint64_t address,
			      unsigned size, bool is_float)
{
	if (__builtin_expect(!m->selection.refers, 1))
		return;
	if (!m->cycle.simple || m->cycle.separate_count || m->retiring.replaced) {
		ia64_see(m, kind, address, size, is_float);
		return;
	}
	m->cycle.making.sum += m->cycle.of_reference[kind][is_float][(address &
								      ((size == 10 ? 16 : size) -
								       1)) != 0];
}

/* Adds the sum of one cycle (selection.h) to those of the ended cycles. */
static inline void ia64_add_up(struct machine *m, uint64_t sum)
{
	const uint64_t ones = 0x0001000100010001;
	struct ia64_cycle *c = &m->cycle;

	if (__builtin_expect(sum & ~ones || c->packs == LANE_MASK, 0)) {
		ia64_add_large(m, sum);
		return;
	}
	c->packed += sum & m->selection.single;
	c->packs++;
}

/* Whether ia64_retire_simply can retire this instruction: the sum of its cycle is precomputed. */
static inline bool ia64_is_simple(const struct machine *m, const struct op *op)
{
	return m->cycle.simple && !(op->traits & ~TRAITS_SIMPLE) && !m->retiring.pending;
}

/* Unit clock: ends the cycle of an instruction by its precomputed sum. `executed`: its predicate is
 * true. */
static inline void ia64_retire_simply(struct machine *m, const struct op *op, bool executed)
{
	struct ia64_cycle *c = &m->cycle;
	const uint64_t sum = c->making.sum + (executed ? op->traits & TRAIT_NOP ? c->of_nop : 0 :
					      op->traits & TRAIT_NOT_B ? c->of_squashed : 0);

	if (!sum)
		return;
	ia64_add_up(m, sum);
	c->making.sum = 0;
}

/* Whether an instruction may raise a selected event, so that ia64_retire must be called for it. */
static inline bool ia64_matters(const struct machine *m, const struct op *op, uint64_t ip,
				bool executed)
{
	const struct ia64_selection *s = &m->selection;

	return op->traits & s->traits[executed] || m->retiring.pending ||
	       (s->cached && m->hierarchy->fetched != ia64_line_of(m->hierarchy, ip));
}

#endif
