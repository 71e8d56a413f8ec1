// SPDX-License-Identifier: BSD-2-Clause
// The timed clock (README.md). Instructions are issued in order, at most two bundles in a cycle.
// Stops, a lack of units, and operands that are not ready delay them.

#include "issue.h"

#include <string.h>

#include "cycle.h"
#include "machine.h"
#include "raise.h"

static enum ia64_port port_of(const struct op *op)
{
	return op->type == OCCURRENCE_TYPE_M ? PORT_M : op->type == OCCURRENCE_TYPE_I ? PORT_I :
	       op->type == OCCURRENCE_TYPE_F ? PORT_F : PORT_B;
}

// Returns a register field of an instruction by its number: d1, s2, s3, s4.
static unsigned field(const struct op *op, unsigned number)
{
	switch (number) {
	case 0:
		return op->d1;
	case 1:
		return op->s2;
	case 2:
		return op->short_s3 ? op->s3 & 3 : op->s3;
	default:
		return op->s4;
	}
}

// Returns the register of a bit in op.reads or op.writes.
static struct ia64_ready *ready_of(struct machine *m, const struct op *op, unsigned bit)
{
	const unsigned r = field(op, bit % 4);

	return bit >= 4 ? &m->issue.fr[ia64_fr_number(m, r)] : &m->issue.gr[m->map[r]];
}

static void begin_cycle(struct machine *m, enum ia64_cycle_kind kind)
{
	struct ia64_issue *i = &m->issue;

	i->now++;
	i->bundles = 0;
	memset(i->used, 0, sizeof i->used);
	i->ends = i->early = false;
	ia64_begin_cycle(m, kind);
}

void ia64_lose(struct machine *m, enum ia64_cycle_kind why, unsigned cycles)
{
	if (!cycles)
		return;
	m->issue.now += cycles;
	m->issue.ends = true;
	m->issue.early = false;
	ia64_pass_cycles(m, why, cycles, false);
}

void ia64_wait_for_queues(struct machine *m, enum ia64_cycle_kind why)
{
	if (!m->retiring.blocked)
		return;
	m->issue.now += m->retiring.blocked;
	ia64_pass_cycles(m, why, m->retiring.blocked, true);
	m->retiring.blocked = 0;
}

void ia64_issue_stack_reference(struct machine *m)
{
	begin_cycle(m, CYCLE_RSE);
	m->issue.ends = true;
}

// Returns the register whose load ends last: mf.a waits until all data buffers are empty (5.7).
static struct ia64_ready last_load(const struct machine *m)
{
	struct ia64_ready last = {0};

	for (unsigned i = 0; i < 128; i++) {
		const struct ia64_ready *gr = &m->issue.gr[i], *fr = &m->issue.fr[i];

		last = gr->loaded && gr->cycle > last.cycle ? *gr : last;
		last = fr->loaded && fr->cycle > last.cycle ? *fr : last;
	}
	return last;
}

// Returns the cycle in which the other units get an operand of a multimedia unit, if it would be
// read in cycle `at`, which is too early for the bypass. The pipeline is then flushed. Else returns
// 0.
static uint64_t flushed_until(struct machine *m, const struct op *op, uint64_t at)
{
	const unsigned *latencies = m->processor.latency;
	uint64_t until = 0;

	for (unsigned rest = op->multimedia ? 0 : op->reads; rest; rest &= rest - 1) {
		const struct ia64_ready *r = ready_of(m, op, (unsigned)__builtin_ctz(rest));
		const uint64_t issued = r->cycle - latencies[LATENCY_MULTIMEDIA];

		if (r->multimedia && at < issued + latencies[LATENCY_BYPASS] &&
		    issued + latencies[LATENCY_BYPASS_FLUSH] > until)
			until = issued + latencies[LATENCY_BYPASS_FLUSH];
	}
	return until;
}

// An instruction waits for its operands, and its whole group with it. `joins`: it is in the group
// of the present cycle, which is then issued later. Else it is the first instruction of the next
// group. Returns whether an operand flushes the pipeline.
static bool wait_for_operands(struct machine *m, const struct op *op, bool joins)
{
	const uint64_t first = m->issue.now + !joins;
	struct ia64_ready last = {.cycle = first};
	const struct ia64_ready load = op->encoding == IA64_MF_A ? last_load(m) : last;
	enum ia64_cycle_kind why;
	uint64_t flushed;

	if (load.cycle > last.cycle)
		last = load;
	for (unsigned rest = op->reads; rest; rest &= rest - 1) {
		const struct ia64_ready *r = ready_of(m, op, (unsigned)__builtin_ctz(rest));

		if (r->cycle > last.cycle)
			last = *r;
	}
	why = last.loaded ? CYCLE_DATA : CYCLE_SCOREBOARD;
	flushed = flushed_until(m, op, last.cycle);
	if (flushed > last.cycle) {
		last.cycle = flushed;
		why = CYCLE_FLUSH;
	}
	m->issue.now += last.cycle - first;
	if (last.cycle > first)
		ia64_pass_cycles(m, why, (unsigned)(last.cycle - first), joins);
	return flushed;
}

static void raise_stop(struct machine *m, bool written)
{
	ia64_raise(m, &m->retiring.context, EVENT_ALL_STOPS_DISPERSED, 0);
	if (written)
		ia64_raise(m, &m->retiring.context, EVENT_EXPL_STOPS_DISPERSED, 0);
}

void ia64_issue(struct machine *m, const struct op *op, uint64_t ip, bool waits, unsigned fetch)
{
	struct ia64_issue *i = &m->issue;
	const enum ia64_port port = port_of(op);
	unsigned bundle, unit = NO_UNIT;
	bool joins, flushes;

	ia64_lose(m, CYCLE_FETCH, fetch);
	bundle = i->bundle == ip && i->bundles ? i->bundles - 1 : i->bundles;
	joins = !i->ends && bundle < m->processor.width[WIDTH_BUNDLES];
	if (joins && !(op->dispersal & DISPERSE_BEGINS && bundle))
		unit = ia64_find_unit(m, op, port, bundle);
	// there is room for a bundle, but no unit for this instruction
	if (joins && unit == NO_UNIT) {
		joins = false;
		i->ends = i->early = true;
		raise_stop(m, false);
	}
	flushes = waits && wait_for_operands(m, op, joins);
	if (!joins) {
		begin_cycle(m, i->early ? CYCLE_BREAK : CYCLE_ISSUE);
		bundle = 0;
		unit = ia64_find_unit(m, op, port, 0);
	}
	i->bundle = ip;
	i->bundles = bundle + 1;
	// else the processor lacks this unit, and no other instruction can take it
	if (unit != NO_UNIT)
		i->used[port] |= 1u << unit;
	if (flushes)
		ia64_raise(m, &m->retiring.context, EVENT_PIPELINE_FLUSH, SUB_IEU_FLUSH);
	if (!op->stop && !(op->dispersal & DISPERSE_ENDS))
		return;
	raise_stop(m, op->stop);
	i->early = !(op->last && i->bundles == m->processor.width[WIDTH_BUNDLES]);
	i->ends = true;
}

void ia64_issued(struct machine *m, const struct op *op, unsigned loaded)
{
	const unsigned base_latency = m->processor.latency[LATENCY_INTEGER];

	for (unsigned rest = op->writes; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rest);
		const bool base = i == 2;	// the base register of a load, which is written too

		*ready_of(m, op, i) = (struct ia64_ready){
			m->issue.now + (base ? base_latency : loaded ? loaded : op->latency),
			loaded && !base, op->multimedia == 2,
		};
	}
}

//
// Registers that an encoding reads and writes, as a bit mask: bits 3:0 GRs, bits 7:4 FRs of the
// fields d1, s2, s3, s4
//

static unsigned operand_bit(const struct operand *o)
{
	static const uint8_t lows[] = {6, 13, 20, 27};

	for (unsigned i = 0; i < 4; i++)
		if (o->kind == OPERAND_REGISTER && (o->prefix == 'r' || o->prefix == 'f') &&
		    o->piece[0].low == lows[i])
			return 1u << (i + (o->prefix == 'f' ? 4 : 0));
	return 0;
}

void ia64_set_operands(struct op *op)
{
	const char *text = ia64_formats[ia64_encodings[op->encoding].format].operands;
	const bool has_result = strchr(text, '=') && *text != '[';
	const char *equals = strchr(text, '='), *closing = strchr(text, ']');

	for (const char *at = text; *at;) {
		const size_t length = strcspn(at, "=,[]");
		const struct operand *o = ia64_find_operand(at, length);
		const unsigned bit = o ? operand_bit(o) : 0;

		if (has_result && at < equals)
			op->writes |= (uint8_t)bit;
		else
			op->reads |= (uint8_t)bit;
		if (o && !strncmp(o->name, "r3a", 3))
			op->short_s3 = true;
		at += length ? length : 1;
	}
	if (closing && closing[1] == ',')	// the base register is updated
		op->writes |= 1 << 2;
}
