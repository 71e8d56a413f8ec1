// SPDX-License-Identifier: BSD-2-Clause
// The machine: decoding pages of code once, and executing what was decoded.

#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define PAGE_BYTES	4096
#define PAGE_OPS	(PAGE_BYTES / BUNDLE_BYTES * BUNDLE_SLOTS)

// Code that cannot be executed: a reserved template or encoding, an instruction that this machine lacks.
static enum outcome undefined(struct machine *m, const struct op *)
{
	return ia64_illegal(m);
}

static ia64_execute *find_execute(unsigned encoding)
{
	ia64_execute *const *const tables[] = {
		ia64_integer, ia64_memory, ia64_branch, ia64_system, ia64_control, ia64_monitor, ia64_floating,
		ia64_floating_memory, ia64_floating_parallel, ia64_approximation,
	};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (tables[i][encoding])
			return tables[i][encoding];
	return undefined;
}

// The immediate operands of an instruction, in their format's order.
static void decode_immediates(struct op *op, const char *operands, uint64_t long_slot)
{
	unsigned found = 0;

	while (*operands) {
		const size_t length = strcspn(operands, "=,[]");
		const struct operand *o = ia64_find_operand(operands, length);

		if (o && o->kind != OPERAND_REGISTER && o->kind != OPERAND_AR && o->kind != OPERAND_CR) {
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

// Compares of type unc, approximations and while loops do something with a false predicate, too.
static bool is_always(unsigned encoding)
{
	const char *name = ia64_encodings[encoding].mnemonic;

	return strstr(name, ".unc") || strstr(name, "rcpa") || strstr(name, "rsqrta") ||
	        !strncmp(name, "br.w", 4) || !ia64_is_predicated(ia64_encodings[encoding].format);
}

// A long instruction is in slot 1, with the bits of slot 2; there is none in slot 2 (manual, volume 2, section 3.3.2,
// PSR.ri).
static struct op decode(const struct bundle *bundle, unsigned slot)
{
	const bool is_long = bundle->template->unit[2] == UNIT_X;
	const enum unit unit = bundle->template->unit[is_long && slot == 1 ? 2 : slot];
	const uint64_t bits = bundle->slot[is_long && slot == 1 ? 2 : slot];
	struct op op = {
		.execute = undefined, .next = 1, .qp = bits & 63, .d1 = bits >> 6 & 127, .s2 = bits >> 13 & 127,
		.s3 = bits >> 20 & 127, .s4 = bits >> 27 & 127, .stop = bundle->template->stop[slot], .bits = bits,
	};

	if (is_long && slot) {
		op.next = 2;
		op.stop = bundle->template->stop[2];
		if (slot == 2)
			op.qp = 0;
	}
	op.encoding = is_long && slot == 2 ? ENCODINGS : ia64_decode(unit, bits);
	if (op.encoding == ENCODINGS)
		return op;
	op.execute = find_execute(op.encoding);
	op.always = is_always(op.encoding);
	ia64_set_traits(&op, bundle->template, unit);
	if (!ia64_is_predicated(ia64_encodings[op.encoding].format))
		op.qp = 0;
	decode_immediates(&op, ia64_formats[ia64_encodings[op.encoding].format].operands, bundle->slot[1]);
	return op;
}

static struct op *decode_page(struct machine *m, uint64_t page)
{
	struct op *ops = malloc(PAGE_OPS * sizeof *ops);

	if (!ops)
		abort();
	for (unsigned i = 0; i < PAGE_BYTES / BUNDLE_BYTES; i++) {
		const struct bundle bundle = ia64_bundle(m->memory + page * PAGE_BYTES + i * BUNDLE_BYTES);

		for (unsigned slot = 0; slot < BUNDLE_SLOTS; slot++)
			ops[i * BUNDLE_SLOTS + slot] = decode(&bundle, slot);
	}
	return m->pages[page] = ops;
}

static const struct op *fetch(struct machine *m)
{
	const uint64_t page = m->ip / PAGE_BYTES;

	if (m->ip >= m->memory_size)
		return NULL;

	const struct op *ops = m->pages[page] ? m->pages[page] : decode_page(m, page);

	return &ops[m->ip % PAGE_BYTES / BUNDLE_BYTES * BUNDLE_SLOTS + m->slot];
}

// Goes on to the next instruction; false: it is on another page.
static bool step_over(struct machine *m, unsigned slots)
{
	m->slot += slots;
	if (m->slot < BUNDLE_SLOTS)
		return true;
	m->slot = 0;
	m->last = m->ip;
	m->ip += BUNDLE_BYTES;
	return m->ip % PAGE_BYTES;
}

// Executes one after the other, until one does not end in the next, or somebody has to look.
static enum outcome run_ops(struct machine *m, const struct op *op)
{
	for (;;) {
		const bool executed = ia64_pr(m, op->qp);
		const uint64_t ip = m->ip;
		const unsigned slot = m->slot;
		const enum outcome outcome = op->always || executed ? op->execute(m, op) : OUTCOME_NEXT;

		if (outcome == OUTCOME_INTERRUPTION)
			return outcome;
		if (__builtin_expect(m->watched, 0))
			ia64_retire(m, op, ip, slot, executed, outcome == OUTCOME_BRANCH);
		m->retired++;
		if (outcome == OUTCOME_BRANCH || outcome == OUTCOME_END)
			return outcome;
		if (!step_over(m, op->next) || outcome == OUTCOME_TRAP || m->retired >= m->stop)
			return outcome;
		op += op->next;
	}
}

enum outcome ia64_run(struct machine *m, uint64_t count)
{
	uint64_t end = m->retired + count;
	enum outcome outcome = OUTCOME_NEXT;

	m->stop = 0;
	while (outcome != OUTCOME_END && m->retired < end) {
		const struct op *op;

		if (m->retired >= m->stop && ia64_look(m, end)) {
			ia64_interrupt(m, VECTOR_EXTERNAL_INTERRUPT, 0, 0);
			outcome = OUTCOME_INTERRUPTION;
		} else if ((op = fetch(m))) {
			outcome = run_ops(m, op);
		} else {
			outcome = ia64_interrupt(m, VECTOR_ALTERNATE_INSTRUCTION_TLB, ISR_X, m->ip);
		}
		if (outcome != OUTCOME_INTERRUPTION && outcome != OUTCOME_TRAP)
			continue;
		if (!ia64_deliver(m))
			return OUTCOME_INTERRUPTION;
		end--;
	}
	ia64_look(m, end);
	return outcome == OUTCOME_END ? outcome : OUTCOME_NEXT;
}

bool ia64_make(struct machine *m, uint64_t memory_size)
{
	*m = (struct machine){.memory_size = memory_size, .pr = 1, .psr = PSR_BN};
	m->memory = calloc(1, memory_size);
	m->pages = calloc(memory_size / PAGE_BYTES, sizeof *m->pages);
	m->fr[1] = (struct ia64_float){.significand = 1ULL << 63, .exponent = 0xFFFF};
	m->cr[CR_ITV] = m->cr[CR_PMV] = m->cr[CR_CMCV] = 1 << 16;	/* masked */
	m->ar[AR_FPSR] = 0x9804C0270033FULL;
	for (unsigned r = 0; r < STATIC_REGISTERS; r++)
		m->map[r] = (uint8_t)r;
	ia64_map(m);
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
