// SPDX-License-Identifier: BSD-2-Clause
// Raises the events of references to memory: references.h.

#include "references.h"

#include "cycle.h"
#include "entries.h"
#include "hierarchy.h"
#include "issue.h"
#include "machine.h"
#include "misses.h"
#include "raise.h"
#include "traits.h"

static bool is_of_stack(const struct ia64_reference *r)
{
	return r->kind == REFERENCE_RSE_LOAD || r->kind == REFERENCE_RSE_STORE;
}

void ia64_see(struct machine *m, enum ia64_reference_kind kind, uint64_t address, unsigned size,
	      bool is_float)
{
	struct ia64_reference reference = {
		.kind = kind, .size = (uint8_t)size, .is_float = is_float, .address = address,
	};
	struct ia64_retiring *r = &m->retiring;
	const bool translated = m->psr & (is_of_stack(&reference) ? PSR_RT : PSR_DT);

	if (m->selection.attributes && kind != REFERENCE_DRAIN)
		reference.uncacheable = ia64_is_uncacheable(m, address, translated);
	if (reference.uncacheable && (kind == REFERENCE_STORE || kind == REFERENCE_RSE_STORE))
		reference.coalesces = ia64_is_coalescing(m, address, translated);
	if (m->selection.watched && r->references < REFERENCES)
		r->reference[r->references++] = reference;
	r->pending = true;
	if (!is_of_stack(&reference))
		return;
	ia64_stop(m);
	if (!m->selection.watched) {
		m->idle++;
		m->cycle.idle++;
	}
}

// An operand of 10 bytes must be aligned like one of 16.
static bool is_misaligned(const struct ia64_reference *r)
{
	return r->address & (r->size == 10 ? 15u : r->size - 1u);
}

static void raise_load(struct machine *m, const struct occurrence *o,
		       const struct ia64_reference *r)
{
	ia64_raise(m, o, EVENT_LOADS_RETIRED, 0);
	if (r->uncacheable)
		ia64_raise(m, o, EVENT_UC_LOADS_RETIRED, 0);
}

static void raise_by_kind(struct machine *m, const struct occurrence *o,
			  const struct ia64_reference *r)
{
	const unsigned file = r->is_float ? SUB_FLOAT : SUB_INTEGER;

	switch (r->kind) {
	case REFERENCE_RSE_LOAD:
		ia64_raise(m, o, EVENT_RSE_LOADS_RETIRED, 0);
		raise_load(m, o, r);
		break;
	case REFERENCE_CHECK_HIT:
		ia64_raise(m, o, EVENT_ALAT_INST_CHKA_LDC, file);
		break;
	case REFERENCE_CHECK_LOAD:
		ia64_raise(m, o, EVENT_ALAT_INST_CHKA_LDC, file);
		ia64_raise(m, o, EVENT_ALAT_INST_FAILED_CHKA_LDC, file);
		/* fallthrough */
	case REFERENCE_LOAD:
		raise_load(m, o, r);
		if (is_misaligned(r))
			ia64_raise(m, o, EVENT_MISALIGNED_LOADS_RETIRED, 0);
		break;
	case REFERENCE_STORE:
		if (is_misaligned(r))
			ia64_raise(m, o, EVENT_MISALIGNED_STORES_RETIRED, 0);
		/* fallthrough */
	case REFERENCE_RSE_STORE:
		ia64_raise(m, o, EVENT_STORES_RETIRED, 0);
		if (r->uncacheable)
			ia64_raise(m, o, EVENT_UC_STORES_RETIRED, 0);
		break;
	default:
		break;
	}
}

// Raises the events of one reference. Returns the latency of a load in cycles; 0: it is no load.
static unsigned raise(struct machine *m, const struct occurrence *instruction,
		      const struct ia64_reference *r)
{
	const bool stack = is_of_stack(r);
	unsigned latency = 0;
	struct occurrence o;

	if (!m->cycle.making.adds_up || m->selection.translated) {
		o = *instruction;
		o.data = 1;
		o.address = r->address;
		o.type |= stack ? OCCURRENCE_TYPE_RSE : 0;
	}
	if (r->kind == REFERENCE_FLUSH || r->kind == REFERENCE_DRAIN) {
		if (m->selection.cached && r->kind == REFERENCE_FLUSH)
			ia64_flush_line(m, &o, r->address);
		else if (m->selection.cached)
			ia64_drain(m, &o);
		return 0;
	}
	if (m->selection.translated && r->kind != REFERENCE_CHECK_HIT)
		ia64_look_up(m, &o, r, stack);
	if (stack) {
		ia64_raise(m, &o, EVENT_RSE_REFERENCES_RETIRED, 0);
		ia64_raise(m, &o, EVENT_IA64_INST_RETIRED, SUB_RSE);
	}
	ia64_raise(m, &o, EVENT_DATA_REFERENCES_RETIRED, 0);
	raise_by_kind(m, &o, r);
	if (m->selection.cached)
		latency = ia64_access(m, &o, r);
	return r->kind == REFERENCE_LOAD || r->kind == REFERENCE_CHECK_LOAD ||
	       r->kind == REFERENCE_SEMAPHORE ?
	       latency : 0;
}

uint64_t ia64_sum_of_reference(struct machine *m, const struct ia64_reference *r)
{
	ia64_begin_unit_cycle(m);
	raise(m, NULL, r);
	return m->cycle.making.sum;
}

// Stores and semaphores with release ordering flush the write coalescing buffer (table 4-1); loads
// with a bias read for ownership (5.1).
enum { RELEASES = 1, OWNS };
#define OF_SIZE(size)									\
	[IA64_ST##size##_REL_M4] = RELEASES, [IA64_ST##size##_REL_M5] = RELEASES,	\
	[IA64_CMPXCHG##size##_REL] = RELEASES, [IA64_LD##size##_BIAS_M1] = OWNS,	\
	[IA64_LD##size##_BIAS_M2] = OWNS, [IA64_LD##size##_BIAS_M3] = OWNS
static const uint8_t orders[ENCODINGS] = {
	OF_SIZE(1), OF_SIZE(2), OF_SIZE(4), OF_SIZE(8),
	[IA64_FETCHADD4_REL] = RELEASES, [IA64_FETCHADD8_REL] = RELEASES,
};

unsigned ia64_raise_references(struct machine *m, const struct op *op, const struct occurrence *o)
{
	struct ia64_retiring *retiring = &m->retiring;
	unsigned loaded = 0;

	if (m->selection.cached && orders[op->encoding] == RELEASES)
		ia64_drain(m, o);
	for (unsigned i = 0; i < retiring->references; i++) {
		struct ia64_reference *r = &retiring->reference[i];
		unsigned latency;

		if (is_of_stack(r))
			continue;
		r->hint = op->traits & TRAIT_HINT;
		r->owns = orders[op->encoding] == OWNS;
		latency = raise(m, o, r);
		loaded = latency > loaded ? latency : loaded;
		if (retiring->replaced) {
			struct occurrence replacing = *o;

			replacing.data = 1;
			replacing.address = r->address;
			ia64_raise(m, &replacing, EVENT_ALAT_REPLACEMENT, r->is_float ? SUB_FLOAT :
				   SUB_INTEGER);
		}
		retiring->replaced = false;
	}
	return loaded;
}

void ia64_pass_stack_references(struct machine *m, const struct occurrence *o)
{
	struct ia64_retiring *retiring = &m->retiring;

	for (unsigned i = 0; i < retiring->references; i++) {
		const struct ia64_reference *r = &retiring->reference[i];

		if (!is_of_stack(r))
			continue;
		if (m->timed) {
			ia64_issue_stack_reference(m);
			raise(m, o, r);
			ia64_wait_for_queues(m, CYCLE_RSE);
		} else {
			ia64_begin_unit_cycle(m);
			raise(m, o, r);
			ia64_end_unit_cycle(m, o, false);
		}
	}
	retiring->references = 0;
}
