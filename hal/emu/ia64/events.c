// SPDX-License-Identifier: BSD-2-Clause
// What each instruction that retires raises on the performance monitor's event signals.
//
// A cycle is an instruction; the register stack engine takes another one for each two references. While contexts do not
// matter and no counter is near its overflow, what happens is added up, and reported together: it sees the same
// numbers in the same number of cycles. Otherwise it sees each cycle as it is.

#include <string.h>

#include "machine.h"

// Registers of the model: the register file in bits 15:8.
#define PMC(n)	(n)
enum { COUNTERS = 4, FIRST_COUNTER = 4, PMC_OPCODE = 8, PMC_OPCODE_TAG = 9, PMC_INSTRUCTION_EAR = 10,
       PMC_DATA_EAR = 11, PMC_TRACE = 12, PMC_RANGE = 13 };

// Fields of PMCs (figures 6-11, 6-14 to 6-17, 6-20).
#define FREEZE			1ULL
#define PLM(control)		((control) & 15)
#define PM(control)		((control) >> 6 & 1)
#define ISM			(3ULL << 24)
#define TLB(control)		((control) >> 7 & 1)
#define NOT_NATIVE(control)	((control) >> 24 & 1)
#define ES(control)		((control) >> 8 & 127)
#define UMASK(control)		((control) >> 16 & 15)
#define UMASK_PMC9		2
#define OPCODE_ANY		0xF00000003FFFFFF8ULL	/* mifb and mask all ones: each opcode matches */
#define PASS_TAGS		(1ULL << 28)
#define TAG_ALL			1ULL

// Batches end so many cycles before an overflow could come: more than one instruction takes.
#define MARGIN	512
#define MOST	7	/* that a counter adds in a cycle (6.2.2) */

static uint64_t pmc(struct machine *m, unsigned number)
{
	uint64_t value = 0;

	vpmu_read(&m->pmu, PMC(number), &value);
	return value;
}

// Section 6.2.1, without the freeze.
static bool is_enabled(const struct machine *m, uint64_t control)
{
	return PLM(control) >> (m->psr >> 32 & 3) & 1 && !NOT_NATIVE(control) &&
	       m->psr & (PM(control) ? PSR_PP : PSR_UP);
}

static bool is_restricted(uint64_t opcode)
{
	return (opcode & OPCODE_ANY) != OPCODE_ANY;
}

// Those of references, but for the register stack engine's own.
static const uint8_t of_references[] = {
	EVENT_DATA_REFERENCES_RETIRED, EVENT_LOADS_RETIRED, EVENT_STORES_RETIRED, EVENT_MISALIGNED_LOADS_RETIRED,
	EVENT_MISALIGNED_STORES_RETIRED, EVENT_ALAT_INST_CHKA_LDC, EVENT_ALAT_INST_FAILED_CHKA_LDC,
	EVENT_ALAT_REPLACEMENT,
};

// Those that hierarchy.c raises.
static const uint8_t of_hierarchy[] = {
	EVENT_L1I_DEMAND_READS, EVENT_L1I_FILLS, EVENT_L2_INST_DEMAND_READS, EVENT_ISB_LINES_IN, EVENT_BUS_ALL,
	EVENT_BUS_BURST, EVENT_BUS_MEMORY, EVENT_BUS_RD_ALL, EVENT_BUS_RD_DATA, EVENT_BUS_RD_INVAL,
	EVENT_BUS_RD_INVAL_BST, EVENT_BUS_WR_WB, EVENT_BUS_BRQ_READ_REQ_INSERTED, EVENT_L1D_READS_RETIRED,
	EVENT_L1D_READ_MISSES_RETIRED, EVENT_L2_REFERENCES, EVENT_L2_DATA_REFERENCES, EVENT_L2_MISSES,
	EVENT_L3_REFERENCES, EVENT_L3_MISSES, EVENT_L3_READS, EVENT_L3_WRITES, EVENT_L3_LINES_REPLACED,
};

static bool is_some_selected(const struct ia64_events *e, const uint8_t *codes, size_t count)
{
	bool some = false;

	for (size_t i = 0; i < count; i++)
		some |= e->selected[codes[i]];
	return some;
}

// Which instructions matter.
static void select_traits(struct ia64_events *e)
{
	e->traits = TRAIT_CHECK_ADVANCED | TRAIT_CHECK_SPECULATIVE | TRAIT_OTHER;
	if (e->selected[EVENT_NOPS_RETIRED])
		e->traits |= TRAIT_NOP;
	if (e->selected[EVENT_FP_OPS_RETIRED_LO] || e->selected[EVENT_FP_OPS_RETIRED_HI])
		e->traits |= TRAIT_WEIGHT;
	if (e->predicted || e->cached)
		e->traits |= TRAIT_BRANCH;
}

// What an event address register captures, in its TLB mode or not.
static void select_captured(struct machine *m, unsigned number, enum ia64_event tlb, enum ia64_event cache)
{
	const uint64_t control = pmc(m, number);

	if (is_enabled(m, control))
		m->events.selected[TLB(control) ? tlb : cache] = m->events.qualified = m->watched = true;
}

void ia64_select_events(struct machine *m)
{
	struct ia64_events *e = &m->events;

	e->stale = false;
	memset(e->selected, e->all, sizeof e->selected);
	e->selected[EVENT_CPU_CYCLES] = false;		// is raised without that
	m->watched = e->cached = e->predicted = e->refers = m->timed || e->all;
	e->qualified = e->replaced = false;
	e->counted_codes = 0;
	if (pmc(m, 0) & FREEZE) {
		e->aparts = 0;
		return;
	}
	e->qualified = !(pmc(m, PMC_RANGE) & TAG_ALL) || !(pmc(m, PMC_DATA_EAR) & PASS_TAGS) ||
		       is_restricted(pmc(m, PMC_OPCODE));
	for (unsigned i = FIRST_COUNTER; i < FIRST_COUNTER + COUNTERS; i++) {
		const uint64_t control = pmc(m, i), code = ES(control);
		const bool is_clock = code == EVENT_CPU_CYCLES || (code == EVENT_IA64_INST_RETIRED && !UMASK(control));

		if (!is_enabled(m, control) || is_clock)
			continue;
		if (!ia64_is_counted(e, (unsigned)code))
			e->counted[e->counted_codes++] = (uint8_t)code;
		e->selected[code] = m->watched = true;
		if (code == EVENT_IA64_INST_RETIRED && UMASK(control) == UMASK_PMC9)
			e->qualified |= is_restricted(pmc(m, PMC_OPCODE_TAG));
	}
	select_captured(m, PMC_INSTRUCTION_EAR, EVENT_ITLB_MISSES_FETCH, EVENT_L2_INST_DEMAND_READS);
	select_captured(m, PMC_DATA_EAR, EVENT_DTC_MISSES, EVENT_L1D_READ_MISSES_RETIRED);
	if (is_enabled(m, pmc(m, PMC_TRACE) & ~ISM))
		e->selected[EVENT_BRANCH_TAKEN_SLOT] = e->qualified = m->watched = true;
	e->predicted |= e->selected[EVENT_BRANCH_TAKEN_SLOT] || e->selected[EVENT_BRANCH_MULTIWAY] ||
		       e->selected[EVENT_BRANCH_PATH] || e->selected[EVENT_BRANCH_PREDICTOR];
	e->cached |= is_some_selected(e, of_hierarchy, sizeof of_hierarchy);
	e->translated = e->selected[EVENT_DTC_MISSES] || e->selected[EVENT_PIPELINE_FLUSH];
	e->refers |= e->cached || e->translated || is_some_selected(e, of_references, sizeof of_references);
	select_traits(e);
}

// What waits for a cycle is added up instead. It is in the tally.
static void add_up_apart(struct ia64_events *e)
{
	for (; e->aparts; e->some = true) {
		const struct occurrence *o = &e->apart[--e->aparts];

		e->total[o->code][o->sub] += ia64_is_counted(e, o->code);
	}
}

uint64_t ia64_batch(struct machine *m)
{
	const struct model_most most = {.cycle = MOST}, each[COUNTERS] = {most, most, most, most};
	struct model_headroom headroom;
	struct ia64_events *e = &m->events;

	if (m->watched && !e->qualified) {
		m->pmu.model->headroom(m->pmu.state, each, &headroom);
		e->batched = headroom.cycles > 2 * MARGIN;
		e->horizon = headroom.cycles - MARGIN;
		e->each = m->timed;
		if (e->batched) {
			add_up_apart(e);
			return m->timed ? MODEL_FAR : e->horizon;
		}
	}
	e->batched = false;
	e->each = m->timed || e->selected[EVENT_IA64_INST_RETIRED];
	return m->timed ? MODEL_FAR : vpmu_headroom(&m->pmu);
}

//
// References
//

static bool is_of_stack(const struct ia64_reference *r)
{
	return r->kind == REFERENCE_RSE_LOAD || r->kind == REFERENCE_RSE_STORE;
}

void ia64_see(struct machine *m, enum ia64_reference_kind kind, uint64_t address, unsigned size, bool is_float)
{
	const struct ia64_reference reference = {kind, (uint8_t)size, is_float, false, address};
	struct ia64_events *e = &m->events;

	if (m->watched && e->references < REFERENCES)
		e->reference[e->references++] = reference;
	if (!is_of_stack(&reference))
		return;
	m->stop = 0;
	if (!m->watched) {
		m->idle++;
		e->idle++;
	}
}

// An operand of 10 bytes is aligned as one of 16.
static bool is_misaligned(const struct ia64_reference *r)
{
	return r->address & (r->size == 10 ? 15u : r->size - 1u);
}

// Returns how long it takes to load what is read.
static unsigned raise_reference(struct machine *m, const struct occurrence *instruction, const struct ia64_reference *r)
{
	unsigned latency = 0;
	const unsigned file = r->is_float ? SUB_FLOAT : SUB_INTEGER;
	struct occurrence o;

	if (!m->events.batched) {
		o = *instruction;
		o.data = 1;
		o.address = r->address;
		o.type |= is_of_stack(r) ? OCCURRENCE_TYPE_RSE : 0;
	}
	if (r->kind == REFERENCE_FLUSH) {
		if (m->events.cached)
			ia64_flush_line(m, &o, r->address);
		return 0;
	}
	if (m->events.translated && r->kind != REFERENCE_CHECK_HIT)
		ia64_look_up(m, &o, r, is_of_stack(r));
	if (is_of_stack(r)) {
		ia64_raise(m, &o, EVENT_RSE_REFERENCES_RETIRED, 0);
		ia64_raise(m, &o, EVENT_IA64_INST_RETIRED, SUB_RSE);
	}
	ia64_raise(m, &o, EVENT_DATA_REFERENCES_RETIRED, 0);
	switch (r->kind) {
	case REFERENCE_RSE_LOAD:
		ia64_raise(m, &o, EVENT_RSE_LOADS_RETIRED, 0);
		ia64_raise(m, &o, EVENT_LOADS_RETIRED, 0);
		break;
	case REFERENCE_CHECK_HIT:
		ia64_raise(m, &o, EVENT_ALAT_INST_CHKA_LDC, file);
		break;
	case REFERENCE_CHECK_LOAD:
		ia64_raise(m, &o, EVENT_ALAT_INST_CHKA_LDC, file);
		ia64_raise(m, &o, EVENT_ALAT_INST_FAILED_CHKA_LDC, file);
		/* fallthrough */
	case REFERENCE_LOAD:
		ia64_raise(m, &o, EVENT_LOADS_RETIRED, 0);
		if (is_misaligned(r))
			ia64_raise(m, &o, EVENT_MISALIGNED_LOADS_RETIRED, 0);
		break;
	case REFERENCE_STORE:
		if (is_misaligned(r))
			ia64_raise(m, &o, EVENT_MISALIGNED_STORES_RETIRED, 0);
		/* fallthrough */
	case REFERENCE_RSE_STORE:
		ia64_raise(m, &o, EVENT_STORES_RETIRED, 0);
		break;
	default:
		break;
	}
	if (m->events.cached)
		latency = ia64_reach(m, &o, r);
	if (m->events.replaced && !is_of_stack(r)) {
		ia64_raise(m, &o, EVENT_ALAT_REPLACEMENT, file);
		m->events.replaced = false;
	}
	return r->kind == REFERENCE_LOAD || r->kind == REFERENCE_CHECK_LOAD || r->kind == REFERENCE_SEMAPHORE ?
	       latency : 0;
}

// Of the register stack engine: each takes a cycle, behind the instruction's.
static void raise_stack_reference(struct machine *m, const struct occurrence *instruction,
				  const struct ia64_reference *r)
{
	struct ia64_events *e = &m->events;

	if (m->timed) {
		ia64_lose(m, CYCLE_RSE, 1);
	} else if (e->batched) {
		e->idle++;
	} else {
		ia64_pass_cycle(m);
		e->cycle[0] = *instruction;
		e->cycle[0].code = EVENT_CPU_CYCLES;
		e->count = 1;
	}
	m->idle += !m->timed;
	raise_reference(m, instruction, r);
}

void ia64_pass_fills(struct machine *m)
{
	const struct occurrence o = {
		.code = EVENT_CPU_CYCLES, .n = 1, .level = (uint8_t)m->pmu.level, .type = OCCURRENCE_TYPE_B,
		.slot = m->last_slot, .ip = m->last,
	};
	struct ia64_events *e = &m->events;

	for (unsigned i = 0; i < e->references; i++) {
		if (m->timed) {
			raise_stack_reference(m, &o, &e->reference[i]);
			continue;
		}
		e->cycle[0] = o;
		e->count = 1;
		raise_reference(m, &o, &e->reference[i]);
		if (e->batched)
			e->idle++;
		else
			ia64_pass_cycle(m);
		m->idle++;
	}
	e->references = 0;
	if (m->watched)
		vpmu_resume(&m->pmu);
	m->stop = 0;
}

//
// Instructions
//

static void raise_instruction(struct machine *m, const struct op *op, const struct occurrence *o, bool executed,
			      bool taken)
{
	const unsigned file = op->traits & TRAIT_FLOAT ? SUB_FLOAT : SUB_INTEGER;

	if (!executed) {
		if (op->type != OCCURRENCE_TYPE_B)
			ia64_raise(m, o, EVENT_PREDICATE_SQUASHED_RETIRED, 0);
		return;
	}
	if (op->encoding == IA64_SRLZ_I || op->encoding == IA64_RFI)
		ia64_raise(m, o, EVENT_PIPELINE_FLUSH, SUB_OTHER_FLUSH);
	if (op->traits & TRAIT_NOP)
		ia64_raise(m, o, EVENT_NOPS_RETIRED, 0);
	if (op->traits & TRAIT_CHECK_SPECULATIVE && taken)
		ia64_raise(m, o, EVENT_INST_FAILED_CHKS_RETIRED, file);
	if (op->traits & TRAIT_CHECK_ADVANCED) {
		ia64_raise(m, o, EVENT_ALAT_INST_CHKA_LDC, file);
		if (taken)
			ia64_raise(m, o, EVENT_ALAT_INST_FAILED_CHKA_LDC, file);
	}
	for (unsigned i = op->weight; i % 4; i--)
		ia64_raise(m, o, EVENT_FP_OPS_RETIRED_LO, 0);
	if (op->weight == 4)
		ia64_raise(m, o, EVENT_FP_OPS_RETIRED_HI, 0);
}

static struct occurrence context(const struct machine *m, const struct op *op, uint64_t ip, unsigned slot)
{
	return (struct occurrence){
		.code = EVENT_IA64_INST_RETIRED, .n = 1, .level = (uint8_t)m->pmu.level, .type = op->type,
		.slot = (uint8_t)slot, .ip = ip, .opcode = op->bits,
	};
}

// What the clock says of an instruction.
static void begin_cycle(struct ia64_events *e, const struct occurrence *o)
{
	e->cycle[0] = e->cycle[1] = *o;
	e->cycle[1].code = EVENT_CPU_CYCLES;
	e->count = 2;
}

void ia64_connect_instruction(struct machine *m, const struct op *op)
{
	struct ia64_events *e = &m->events;
	const struct occurrence o = context(m, op, m->ip, m->slot);

	begin_cycle(e, &o);
	if (m->timed && e->selected[EVENT_UNSTALLED_BACKEND_CYCLE]) {
		e->cycle[e->count] = o;
		e->cycle[e->count++].code = EVENT_UNSTALLED_BACKEND_CYCLE;
	}
	ia64_add_apart(e);
	m->pmu.model->connect(m->pmu.state, e->cycle, e->count);
	e->count = 0;
	e->passed = true;
}

static void raise_references(struct machine *m, const struct op *op, const struct occurrence *o, unsigned *loaded)
{
	struct ia64_events *e = &m->events;

	for (unsigned i = 0; i < e->references; i++) {
		unsigned latency;

		if (is_of_stack(&e->reference[i]))
			continue;
		e->reference[i].hint = op->traits & TRAIT_HINT;
		latency = raise_reference(m, o, &e->reference[i]);
		*loaded = latency > *loaded ? latency : *loaded;
	}
	for (unsigned i = 0; i < e->references; i++)
		if (is_of_stack(&e->reference[i]))
			raise_stack_reference(m, o, &e->reference[i]);
	e->references = 0;
}

// What follows an instruction: flushes, and bubbles of taken branches.
static void lose_cycles(struct machine *m, const struct op *op, bool executed, bool taken)
{
	struct ia64_events *e = &m->events;

	if (e->penalty_cycles)
		ia64_lose(m, e->penalty, e->penalty_cycles);
	else if ((taken && !(op->traits & TRAIT_BRANCH)) || (executed && op->encoding == IA64_SRLZ_I))
		ia64_lose(m, CYCLE_FLUSH, m->processor.latency[LATENCY_FLUSH]);
	e->penalty_cycles = 0;
	m->issue.ends |= taken;
	m->issue.early &= !taken;
}

static void retire_timed(struct machine *m, const struct op *op, uint64_t ip, bool executed, bool taken)
{
	struct ia64_events *e = &m->events;
	const struct occurrence *o = &e->context;
	unsigned loaded = 0;

	ia64_issue(m, op, ip, executed, ia64_fetch_line(m, &e->context, ip) + e->walked_code);
	if (e->batched) {
		e->retired++;
	} else {
		e->cycle[e->count++] = *o;
	}
	ia64_raise(m, o, EVENT_INST_DISPERSED, 0);
	raise_instruction(m, op, o, executed, taken);
	ia64_see_branch(m, op, o, taken);
	if (taken)
		m->hierarchy->fetched = 0;
	raise_references(m, op, o, &loaded);
	if (executed)
		ia64_issued(m, op, loaded ? loaded + e->walked_data : 0);
	e->walked_code = e->walked_data = 0;
	lose_cycles(m, op, executed, taken);
	if (vpmu_has_request(&m->pmu))
		m->stop = 0;
}

static void retire_in_unit(struct machine *m, const struct op *op, uint64_t ip, bool executed, bool taken)
{
	struct ia64_events *e = &m->events;
	uint64_t headroom;
	unsigned loaded = 0;

	if (!e->batched)
		begin_cycle(e, &e->context);
	raise_instruction(m, op, &e->context, executed, taken);
	if (e->predicted)
		ia64_see_branch(m, op, &e->context, taken);
	if (e->cached) {
		ia64_fetch_line(m, &e->context, ip);
		if (taken)
			m->hierarchy->fetched = 0;
	}
	raise_references(m, op, &e->context, &loaded);
	if (e->batched || (e->count == 2 && !e->aparts && !e->selected[EVENT_IA64_INST_RETIRED]))
		return;
	ia64_pass_cycle(m);
	headroom = vpmu_has_request(&m->pmu) ? 0 : 1 + vpmu_headroom(&m->pmu);
	if (m->retired + headroom < m->stop)
		m->stop = m->retired + headroom;
}

void ia64_retire(struct machine *m, const struct op *op, uint64_t ip, unsigned slot, bool executed, bool taken)
{
	struct ia64_events *e = &m->events;

	if (e->passed) {
		e->passed = false;
		ia64_issue_alone(m);
		return;
	}
	if (!e->batched || e->predicted)
		e->context = context(m, op, ip, slot);
	if (m->timed)
		retire_timed(m, op, ip, executed, taken);
	else
		retire_in_unit(m, op, ip, executed, taken);
}
