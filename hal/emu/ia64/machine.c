// SPDX-License-Identifier: BSD-2-Clause
// The machine: decodes bundles when they execute first, executes decoded instructions, delivers
// traps.

#include "machine.h"

#include <stdlib.h>
#include <string.h>

#include "delivery.h"
#include "dispersal.h"
#include "look.h"
#include "raise.h"
#include "retire.h"
#include "stack.h"
#include "traits.h"
#include "translation.h"

// Executes undefined code: a reserved template or encoding, or an instruction that this machine
// lacks.
static enum outcome undefined(struct machine *m, const struct op *)
{
	return ia64_illegal(m);
}

static ia64_execute *find_execute(unsigned encoding)
{
	ia64_execute *const *const tables[] = {
		ia64_integer, ia64_multimedia, ia64_memory, ia64_branch, ia64_system, ia64_tlbs,
		ia64_control,
		ia64_monitor, ia64_floating, ia64_floating_memory, ia64_floating_parallel,
		ia64_approximation,
	};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (tables[i][encoding])
			return tables[i][encoding];
	return undefined;
}

// Decodes the immediate operands of an instruction, in their format's order.
static void decode_immediates(struct op *op, const char *operands, uint64_t long_slot)
{
	unsigned found = 0;

	while (*operands) {
		const size_t length = strcspn(operands, "=,[]");
		const struct operand *o = ia64_find_operand(operands, length);

		if (o && o->kind != OPERAND_REGISTER && o->kind != OPERAND_AR &&
		    o->kind != OPERAND_CR) {
			const int64_t value = ia64_operand(o, op->bits, long_slot);

			if (!found)
				op->imm = value;
			else if (found == 1)
				op->imm2 = (uint8_t)value;
			else
				op->imm3 = (uint8_t)value;
			found++;
		}
		operands += length ? length : 1;
	}
}

// Returns the floating-point registers that an instruction names: 1: f2 to f31, 2: f32 and above.
static uint8_t decode_floats(const struct op *op, const char *operands)
{
	const uint8_t number[] = {op->d1, op->s2, op->s3, op->s4};
	uint8_t floats = 0;

	for (const char *f = strchr(operands, 'f'); f; f = strchr(f + 1, 'f'))
		if (f[1] >= '1' && f[1] <= '4')
			floats |= number[f[1] - '1'] >= 32 ? 2 : number[f[1] - '1'] >= 2;
	return floats;
}

// Decodes an instruction. A long one is in slot 1, with the bits of slot 2; slot 2 then has no
// instruction (manual, volume 2, section 3.3.2, PSR.ri).
static struct op decode(const struct machine *m, const struct bundle *bundle, unsigned slot)
{
	const bool is_long = bundle->template->unit[2] == UNIT_X;
	const enum unit unit = bundle->template->unit[is_long && slot == 1 ? 2 : slot];
	const uint64_t bits = bundle->slot[is_long && slot == 1 ? 2 : slot];
	struct op op = {
		.execute = undefined, .bytes = sizeof op, .qp = bits & 63,
		.d1 = bits >> 6 & 127, .s2 = bits >> 13 & 127, .s3 = bits >> 20 & 127,
		.s4 = bits >> 27 & 127,
		.stop = bundle->template->stop[slot], .bits = bits,
		.p1 = 1ULL << (bits >> 6 & 63), .p2 = 1ULL << (bits >> 27 & 63), .last = slot == 2,
	};

	if (is_long && slot) {
		op.bytes = 2 * sizeof op;
		op.last = true;
		op.stop = bundle->template->stop[2];
		if (slot == 2)
			op.qp = 0;
	}
	op.encoding = is_long && slot == 2 ? ENCODINGS : ia64_decode(unit, bits);
	if (op.encoding == ENCODINGS)
		return op;
	op.execute = find_execute(op.encoding);
	ia64_set_traits(&m->processor, &op, bundle->template, unit);
	ia64_set_dispersal(&op, bundle->template, slot);
	if (!ia64_is_predicated(ia64_encodings[op.encoding].format))
		op.qp = 0;
	op.floats = decode_floats(&op, ia64_formats[ia64_encodings[op.encoding].format].operands);
	decode_immediates(&op, ia64_formats[ia64_encodings[op.encoding].format].operands,
			  bundle->slot[1]);
	return op;
}

// The `execute` function of an instruction that is not decoded yet: decodes its bundle, which is at
// `bits` in memory.
static enum outcome undecoded(struct machine *m, const struct op *op)
{
	const struct bundle bundle = ia64_bundle(m->memory + op->bits);
	struct op *ops = m->pages[op->bits / PAGE_BYTES] + op->bits % PAGE_BYTES / BUNDLE_BYTES *
		BUNDLE_SLOTS;

	for (unsigned slot = 0; slot < BUNDLE_SLOTS; slot++)
		ops[slot] = decode(m, &bundle, slot);
	return OUTCOME_AGAIN;
}

// Goes on to the next instruction. Returns false if it is on another page.
static bool step_over(struct machine *m, bool last)
{
	if (!last) {
		m->slot++;
		return true;
	}
	m->slot = 0;
	m->last = m->ip;
	m->ip += BUNDLE_BYTES;
	return m->ip % PAGE_BYTES;
}

static unsigned place_in_page(const struct machine *m)
{
	return m->ip % PAGE_BYTES / BUNDLE_BYTES * BUNDLE_SLOTS + m->slot;
}

// Retires an instruction of a page; `executed`: its predicate is true; `taken`: it has branched.
static void retire_from(struct machine *m, const struct op *page, const struct op *op,
			uint64_t number, bool executed, bool taken)
{
	const uint64_t place = (uint64_t)(op - page),
		ip = number * PAGE_BYTES + place / BUNDLE_SLOTS * BUNDLE_BYTES;

	if (ia64_matters(m, op, ip, executed) || m->cycle.making.sum)
		ia64_retire(m, op, ip, place % BUNDLE_SLOTS, executed, taken);
}

// Executes instructions until one ends otherwise than with a next instruction on the same page, or
// the machine must look (ia64_look), or (without `follows`) until the first branch. Compiled twice:
// without `watched`, which raises events, it takes a third of the time.
static inline __attribute__((always_inline)) enum outcome run_page(struct machine *m,
								   const struct op *op,
								   bool watched, bool follows)
{
	const struct op *const page = op - place_in_page(m);
	const uint64_t number = m->ip / PAGE_BYTES;

	for (;;) {
		const bool executed = ia64_pr(m, op->qp);
		const enum outcome outcome = executed || op->always ? op->execute(m, op) :
			OUTCOME_NEXT;

		if (__builtin_expect(outcome == OUTCOME_NEXT, 1)) {
			if (watched && ia64_is_simple(m, op))
				ia64_retire_simply(m, op, executed);
			else if (watched && ia64_matters(m, op, m->ip, executed))
				ia64_retire(m, op, m->ip, m->slot, executed, false);
			if (__builtin_expect(!step_over(m, op->last), 0)) {
				m->left--;
				return outcome;
			}
			if (__builtin_expect(--m->left < 0, 0))
				return outcome;
			op = (const struct op *)(const void *)((const char *)op + op->bytes);
			continue;
		}
		if (outcome >= OUTCOME_INTERRUPTION) {
			if (outcome == OUTCOME_AGAIN)
				continue;
			return outcome;
		}
		if (watched)
			retire_from(m, page, op, number, executed, outcome == OUTCOME_BRANCH);
		m->left--;
		if (outcome != OUTCOME_BRANCH) {
			if (outcome == OUTCOME_TRAP)
				step_over(m, op->last);
			return outcome;
		}
		if (!follows || m->ip / PAGE_BYTES != number || m->left < 0)
			return outcome;
		op = page + place_in_page(m);
	}
}

static enum outcome run_ops(struct machine *m, const struct op *op, bool follows)
{
	return m->selection.watched ? run_page(m, op, true, follows) :
	       run_page(m, op, false, follows);
}

//
// Traps, and checks before and after a single instruction
//

#define PSR_TRAPS	(PSR_SS | PSR_TB | PSR_LP)

// A disabled floating-point register (manual, volume 2, section 8.3).
static bool is_disabled(struct machine *m, const struct op *op)
{
	const unsigned disabled = m->psr >> 18 & 3 & op->floats;

	if (!disabled || !(op->always || ia64_pr(m, op->qp)))
		return false;
	ia64_interrupt(m, VECTOR_DISABLED_FP, disabled, 0);
	return true;
}

static enum outcome run_one(struct machine *m, const struct op *op)
{
	if (op->execute == undecoded)
		undecoded(m, op);
	return is_disabled(m, op) ? OUTCOME_INTERRUPTION : run_ops(m, op, false);
}

// Finds the traps after an instruction, by PSR before it: the highest one, with the codes of all.
static enum outcome find_traps(struct machine *m, uint64_t psr, unsigned slot, enum outcome outcome)
{
	const bool taken = outcome == OUTCOME_BRANCH;
	const bool lower = taken && psr & PSR_LP && ia64_level(m) > (psr >> 32 & 3);
	const unsigned code = (lower ? TRAP_LOWER_PRIVILEGE : 0) |
		(taken && psr & PSR_TB ? TRAP_TAKEN_BRANCH : 0) |
			      (psr & PSR_SS ? TRAP_SINGLE_STEP : 0);
	const uint64_t before = outcome == OUTCOME_TRAP ? m->interruption.isr :
		ISR_EI(taken ? m->last_slot : slot);

	if (outcome == OUTCOME_INTERRUPTION || outcome == OUTCOME_END || !code)
		return outcome;
	if (outcome != OUTCOME_TRAP)
		m->interruption.vector = lower ? VECTOR_LOWER_PRIVILEGE :
					 code & TRAP_TAKEN_BRANCH ? VECTOR_TAKEN_BRANCH :
						 VECTOR_SINGLE_STEP;
	m->interruption.isr = before | code;
	return OUTCOME_TRAP;
}

static enum outcome execute(struct machine *m)
{
	const struct op *op;
	const uint64_t psr = m->psr;
	const unsigned slot = m->slot;
	enum outcome outcome;

	if (m->incomplete)
		return ia64_complete(m) ? OUTCOME_NEXT : OUTCOME_INTERRUPTION;
	op = ia64_fetch(m);
	if (!op)
		return OUTCOME_INTERRUPTION;
	if (!(psr & (PSR_SINGLE | PSR_TRAPS)))
		return run_ops(m, op, true);
	outcome = psr & PSR_SINGLE ? run_one(m, op) : run_ops(m, op, false);
	if (psr & PSR_ONCE && outcome != OUTCOME_INTERRUPTION) {
		m->psr &= ~(psr & PSR_ONCE);
		ia64_set_context(m);
	}
	return find_traps(m, psr, slot, outcome);
}

enum outcome ia64_run(struct machine *m, uint64_t count)
{
	uint64_t end = ia64_retired(m) + count;
	enum outcome outcome = OUTCOME_NEXT;

	ia64_stop(m);
	while (outcome != OUTCOME_END && ia64_retired(m) < end) {
		if (m->left < 0 && ia64_look(m, end))
			outcome = ia64_interrupt(m, VECTOR_EXTERNAL_INTERRUPT, 0, 0);
		else
			outcome = execute(m);
		if (outcome != OUTCOME_INTERRUPTION && outcome != OUTCOME_TRAP)
			continue;
		m->cycle.ahead = m->cycle.counted = false;	// the last instruction is complete
		if (!ia64_deliver(m))
			return OUTCOME_INTERRUPTION;
		end--;
	}
	ia64_look(m, end);
	return outcome == OUTCOME_END ? outcome : OUTCOME_NEXT;
}

#define LATENCY(name) | 1ull << LATENCY_##name
#define WIDTH(name) | 1u << WIDTH_##name
#define QUEUE(name) | 1u << QUEUE_##name
bool ia64_load_processor(struct processor *processor, const char *name)
{
	return processor_load(processor, name, &(struct processor_needs){
		.caches = (1u << CACHES) - 1,
		.widths = 0 WIDTH(M) WIDTH(I) WIDTH(F) WIDTH(B) WIDTH(BUNDLES),
		.queues = 0 QUEUE(BRQ) QUEUE(IOQ),
		.latencies =
			0 LATENCY(L1D) LATENCY(L2) LATENCY(L2_FLOAT) LATENCY(L3) LATENCY(L3_FLOAT)
			LATENCY(MEMORY) LATENCY(INTEGER) LATENCY(MULTIMEDIA) LATENCY(FLOAT) LATENCY(
				INTEGER_MULTIPLY)
			LATENCY(TO_FLOAT) LATENCY(FROM_FLOAT) LATENCY(FROM_APPLICATION) LATENCY(
				FLUSH) LATENCY(BUBBLE_2)
			LATENCY(BUBBLE_3) LATENCY(BYPASS) LATENCY(BYPASS_FLUSH),
	});
}

bool ia64_make(struct machine *m, const struct processor *processor, uint64_t memory_size)
{
	*m = (struct machine){
		.processor = *processor, .memory_size = memory_size, .undecoded = undecoded,
		.pr = 1, .psr = PSR_BN,
	};
	m->memory = calloc(1, memory_size);
	m->pages = calloc(memory_size / PAGE_BYTES, sizeof *m->pages);
	m->fr[1] = (struct ia64_float){.significand = 1ULL << 63, .exponent = 0xFFFF};
	m->cr[CR_ITV] = m->cr[CR_PMV] = m->cr[CR_CMCV] = 1 << 16;	/* masked */
	m->ar[AR_FPSR] = 0x9804C0270033FULL;
	for (unsigned r = 0; r < STATIC_REGISTERS; r++)
		m->map[r] = (uint8_t)r;
	ia64_map(m);
	m->itlb = (struct ia64_tlb){.entries = ITLB_ENTRIES, .registers = ITLB_REGISTERS};
	m->dtlb = (struct ia64_tlb){.entries = DTLB_ENTRIES, .registers = DTLB_REGISTERS};
	for (unsigned i = 0; i < REGIONS; i++)
		m->rr[i] = 12 << 2;		/* pages of 4 KB */
	ia64_set_context(m);
	return m->memory && m->pages;
}

void ia64_free(struct machine *m)
{
	for (uint64_t page = 0; m->pages && page < m->memory_size / PAGE_BYTES; page++)
		free(m->pages[page]);
	free(m->pages);
	free(m->memory);
	free(m->hierarchy);
	free(m->predictor);
}
