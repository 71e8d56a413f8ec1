// SPDX-License-Identifier: BSD-2-Clause
// The machine's log of executed instructions. It reads only the processor's state and memory,
// before and after each instruction, and no event that is raised for the performance monitor.
// Therefore it is an independent reference for the monitor's counts.

#include "log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "stack.h"

#define TEXT	128
#define KNOWN	16384

/* r1 at 6, r2 at 13, r3 at 20 */
#define REGISTER(bits, low)	((unsigned)((bits) >> (low)) & 127)
#define REGION_OF(m, address)	((uint32_t)((m)->rr[(address) >> 61] >> 8 & 0xFFFFFF))

// An instruction that has been executed before. While its bundle does not change, it is not decoded
// again.
struct known {
	uint8_t bundle[BUNDLE_BYTES];
	uint64_t ip, bits;
	unsigned slot;
	enum ia64_encoding encoding;	// ENCODINGS: unknown
	const char *name;
	char text[TEXT];
};

// The state before an instruction, as far as the instruction may change it.
struct entry {
	const struct known *code;
	uint64_t ip, base, second, bspstore, bsp, lc, ec;
	unsigned slot, level;
	bool on, had, incomplete;	// its predicate; its register was in the ALAT
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

// Finds the bundle at ip in memory, if the instruction TLB has its translation already.
static bool find_code(const struct machine *m, uint64_t *physical)
{
	const uint64_t in_region = m->ip << 3 >> 3;

	*physical = m->ip << 1 >> 1;
	if (!(m->psr & PSR_IT))
		return *physical <= m->memory_size - BUNDLE_BYTES;
	for (unsigned i = 0; i < m->itlb.entries; i++) {
		const struct ia64_translation *t = &m->itlb.entry[i];

		*physical = t->physical | (in_region & t->mask);
		if (t->valid && t->region == REGION_OF(m, m->ip) &&
		    (in_region & ~t->mask) == t->base)
			return *physical <= m->memory_size - BUNDLE_BYTES;
	}
	return false;
}

static const struct known *know(struct known *all, const uint8_t *bytes, uint64_t ip, unsigned slot)
{
	struct known *k = &all[(ip / BUNDLE_BYTES * BUNDLE_SLOTS + slot) % KNOWN];

	if (*k->text && k->ip == ip && k->slot == slot && !memcmp(k->bundle, bytes, BUNDLE_BYTES))
		return k;
	const struct bundle bundle = ia64_bundle(bytes);
	const unsigned place = bundle.template->unit[2] == UNIT_X && slot ? 2 : slot;

	*k = (struct known){.ip = ip, .slot = slot, .encoding = ENCODINGS, .name = "", .text = "?"};
	memcpy(k->bundle, bytes, BUNDLE_BYTES);
	if (!*bundle.template->name || !ia64_disassemble(&bundle, place, ip, false, k->text,
							 sizeof k->text))
		return k;
	k->bits = bundle.slot[place];
	k->encoding = ia64_decode(bundle.template->unit[place], k->bits);
	k->name = ia64_encodings[k->encoding].mnemonic;
	return k;
}

// Whether the ALAT has the register and the address of a check load.
static bool has_advanced(const struct machine *m, uint64_t bits, bool is_float, uint64_t address)
{
	const unsigned reg = is_float ? ia64_fr_number(m, REGISTER(bits, 6)) :
		m->map[REGISTER(bits, 6)];

	for (unsigned i = 0; i < ALAT_SETS * ALAT_WAYS; i++)
		if (m->alat_valid >> i & 1 && m->alat[i].is_float == is_float &&
		    m->alat[i].reg == reg &&
		    m->alat[i].address == address)
			return true;
	return false;
}

static struct entry look(const struct machine *m, struct known *all)
{
	static const struct known nothing = {.encoding = ENCODINGS, .name = "", .text = "?"};
	struct entry e = {
		.code = &nothing, .ip = m->ip, .slot = m->slot, .level = ia64_level(m), .on = true,
		.bspstore = ia64_bspstore(m), .bsp = m->bsp, .incomplete = m->incomplete,
		.lc = m->ar[AR_LC], .ec = m->ar[AR_EC] & 63,
	};
	uint64_t physical, bits;

	if (find_code(m, &physical))
		e.code = know(all, m->memory + physical, m->ip, m->slot);
	if (e.code->encoding == ENCODINGS)
		return e;
	bits = e.code->bits;
	e.on = !ia64_is_predicated(ia64_encodings[e.code->encoding].format) ||
		ia64_pr(m, bits & 63);
	e.base = ia64_gr(m, REGISTER(bits, 20));
	e.second = ia64_gr(m, REGISTER(bits, 13));
	e.had = has_advanced(m, bits, begins(e.code->name, "ldf"), e.base);
	return e;
}

//
// Lines of the log
//

// Logs the register stack engine's references: it stores the words over which BSPSTORE moves
// upwards, and loads those over which it moves downwards.
static void put_stack_references(const struct entry *e, uint64_t from, uint64_t to, FILE *out)
{
	for (; from < to; from += 8)
		fprintf(out, "spill %" PRIx64 " 8 %u\n", from, e->level);
	for (; from > to; from -= 8)
		fprintf(out, "fill %" PRIx64 " 8 %u\n", from - 8, e->level);
}

// Whether BSPSTORE moves without references: software writes it, or loadrs drops registers beyond
// those it asks for.
static bool moves_bspstore(const struct entry *e, bool upward)
{
	const bool to_ar = e->code->encoding == IA64_MOV_M_TO_AR ||
		e->code->encoding == IA64_MOV_M_TO_AR_IMM8;

	return (to_ar && REGISTER(e->code->bits, 20) == AR_BSPSTORE) ||
	       (e->code->encoding == IA64_LOADRS && upward);
}

static bool is_nat(const struct machine *m, const struct entry *e)
{
	const unsigned r = REGISTER(e->code->bits, 6);
	const struct ia64_float *f = &m->fr[ia64_fr_number(m, r)];

	return begins(e->code->name, "ldf") ? f->exponent == FLOAT_EXPONENT_NAT && !f->significand :
	       ia64_nat(m, r);
}

// Logs a reference. A speculative load whose register is a NaT afterwards has read nothing.
static void put_reference(const struct machine *m, const struct entry *e, FILE *out)
{
	static const struct {
		const char *name, *what;
		unsigned size;	// 0: the digit after the name
	} of[] = {
		{"ldfps", "load", 8}, {"ldfp", "load", 16}, {"ldf.fill", "load", 16},
		{"ldfs", "load", 4},
		{"ldfe", "load", 10}, {"ldf", "load", 8}, {"ld", "load", 0},
		{"stf.spill", "store", 16},
		{"stfs", "store", 4}, {"stfe", "store", 10}, {"stf", "store", 8},
		{"st", "store", 0},
		{"xchg", "semaphore", 0}, {"cmpxchg", "semaphore", 0}, {"fetchadd", "semaphore", 0},
		{"lfetch", "prefetch", 1},
	};
	const char *name = e->code->name;
	const bool checks = strstr(name, ".c.") != NULL, speculates = strstr(name, ".s") != NULL;

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const size_t length = strlen(of[i].name);

		if (strncmp(name, of[i].name, length) ||
		    (!of[i].size && (name[length] < '1' || name[length] > '8')))
			continue;
		if (!strcmp(of[i].what, "load") && speculates && is_nat(m, e))
			return;
		fprintf(out, "%s %" PRIx64 " %u %u\n", checks && e->had ? "check" : of[i].what,
			e->base,
			of[i].size ? of[i].size : (unsigned)(name[length] - '0'), e->level);
		return;
	}
}

// The conditions of each kind of branch (manual, volume 3).
static bool is_taken(const struct entry *e)
{
	const char *name = e->code->name;

	if (begins(name, "br.cloop"))
		return e->lc;
	if (begins(name, "br.ctop"))
		return e->lc || e->ec > 1;
	if (begins(name, "br.cexit"))
		return !(e->lc || e->ec > 1);
	if (begins(name, "br.wtop"))
		return e->on || e->ec > 1;
	if (begins(name, "br.wexit"))
		return !(e->on || e->ec > 1);
	return e->on && begins(name, "br.");
}

// Logs the effects of an instruction. The frame may have been filled before it.
static void put(const struct machine *m, const struct entry *e, FILE *out)
{
	const uint64_t from = e->incomplete ? e->bsp : e->bspstore, to = ia64_bspstore(m);

	put_stack_references(e, e->bspstore, from, out);
	fprintf(out, "%" PRIx64 " %u %u %d %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", e->ip,
		e->slot, e->level, e->on,
		e->base, e->second, ia64_gr(m, REGISTER(e->code->bits, 6)), e->code->text);
	if (e->code->encoding == ENCODINGS)
		return;
	if (e->on)
		put_reference(m, e, out);
	if (!moves_bspstore(e, to > from))
		put_stack_references(e, from, to, out);
	if (is_taken(e))
		fprintf(out, "branch %" PRIx64 " %u\n", m->ip, e->level);
}

enum outcome ia64_log(struct machine *m, uint64_t count, FILE *out)
{
	enum outcome outcome = OUTCOME_NEXT;

	struct known *all = calloc(KNOWN, sizeof *all);

	for (; all && outcome == OUTCOME_NEXT && count && !ferror(out); count--) {
		const uint64_t before = ia64_retired(m);
		const struct entry e = look(m, all);

		outcome = ia64_run(m, 1);
		if (ia64_retired(m) != before) {
			put(m, &e, out);
			continue;
		}
		put_stack_references(&e, e.bspstore, ia64_bspstore(m), out);
		if (outcome == OUTCOME_NEXT)
			fprintf(out, "interruption %x\n", (unsigned)m->interruption.vector);
	}
	free(all);
	return outcome;
}
