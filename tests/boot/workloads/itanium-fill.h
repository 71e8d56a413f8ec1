/* SPDX-License-Identifier: BSD-2-Clause */
/* Values for all registers, and the registers that a PAL call may change. */
#ifndef ITANIUM_FILL_H
#define ITANIUM_FILL_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "itanium-filled.h"
#include "pal.h"

#define STACK_BYTES	65536
static _Alignas(16) char fill_stack[STACK_BYTES];

static inline bool fill_is_stacked(uint64_t index)
{
	return index & 256;
}

static inline uint64_t fill_value(unsigned n)
{
	return 0x9E3779B97F4A7C15 * (n + 1);
}

/*
 * Registers that hold NaTs: r4, r6, r13, scratch registers, and each seventh stacked register,
 * except the call's arguments.
 */
static inline bool fill_is_nat(unsigned r)
{
	if (r < 32)
		return r == 4 || r == 6 || r == 13 || (r >= 8 && r <= 11) || (r >= 14 && r <= 27);
	return r % 7 == 0 && r < FILLED_OUTPUTS;
}

static inline void fill(uint64_t index, uint64_t a1)
{
	struct filled *f = &filled_before;

	f->nats[0] = f->nats[1] = 0;
	for (unsigned r = 0; r < 128; r++) {
		f->r[r] = fill_value(r);
		f->nats[r / 64] |= (uint64_t)fill_is_nat(r) << r % 64;
		f->f[r][0] = fill_value(r) | 1ULL << 63;	/* a normalized significand */
		f->f[r][1] = 0x10000 + r;
	}
	for (unsigned r = 28; r < 32; r++)
		f->r[r] = f->r[FILLED_OUTPUTS + r - 28] = r == 28 ? index : r == 29 ? a1 : 0;
	if (fill_is_stacked(index))
		f->r[12] = (uintptr_t)(fill_stack + STACK_BYTES - 16);
	f->pr = fill_value(200) | 1;
	f->unat = fill_value(201);
	f->fpsr = 0x9804C0274033F;		/* with an inexact result */
	f->lc = fill_value(202);
	f->pfs = 3ULL << 62 | 21ULL << 52 | 9 << 7 | 13;	/* level, EC, sol, sof */
	f->ccv = fill_value(203);
	f->ec = 42;
	for (unsigned i = 0; i < 8; i++) {
		f->b[i] = fill_value(210 + i) & ~15ULL;
		f->k[i] = fill_value(220 + i);
	}
	f->b[0] = (uintptr_t)filled_static_return;
	for (unsigned i = 0; i < 16; i++)
		f->bank_0[i] = fill_value(230 + i);
}

static inline uint64_t fill_call_static(void)
{
	filled_call_static();
	return 0;
}

static inline uint64_t fill_call_stacked(void)
{
	filled_call_stacked();
	return 0;
}

/* Uses the calling convention of the index. */
static inline uint64_t fill_call(uint64_t index)
{
	return filled_among_nats(fill_is_stacked(index) ? fill_call_stacked : fill_call_static);
}

static inline unsigned fill_differs(const char *name, unsigned n, uint64_t before, uint64_t after)
{
	if (before != after)
		printf("%s%u: %016" PRIx64 ", was %016" PRIx64 "\n", name, n, after, before);
	return before != after;
}

static inline bool fill_nat(const struct filled *f, unsigned r)
{
	return f->nats[r / 64] >> r % 64 & 1;
}

static inline unsigned fill_general_differs(unsigned r)
{
	const bool before = fill_nat(&filled_before, r), after = fill_nat(&filled_after, r);

	return fill_differs("NaT of r", r, before, after) +
	       (before ? 0 : fill_differs("r", r, filled_before.r[r], filled_after.r[r]));
}

static inline unsigned fill_float_differs(unsigned f)
{
	return fill_differs("significand of f", f, filled_before.f[f][0], filled_after.f[f][0]) +
	       fill_differs("exponent of f", f, filled_before.f[f][1], filled_after.f[f][1]);
}

static inline unsigned fill_branch_differs(unsigned b)
{
	return fill_differs("b", b, filled_before.b[b], filled_after.b[b]);
}

/* Registers that both a call and an interruption preserve. */
static inline unsigned fill_preserved_differs(void)
{
	const struct filled *a = &filled_before, *b = &filled_after;
	unsigned wrong = 0;

	for (unsigned i = 2; i < 32; i++)
		wrong += i <= 5 || i >= 16 ? fill_float_differs(i) : 0;
	for (unsigned i = 1; i <= 5; i++)
		wrong += fill_branch_differs(i);
	return wrong + fill_differs("unat", 0, a->unat, b->unat) +
	       fill_differs("fpsr", 0, a->fpsr, b->fpsr) +
	       fill_differs("lc", 0, a->lc, b->lc) + fill_differs("ec", 0, a->ec, b->ec) +
	       fill_differs("bsp", 0, a->bsp, b->bsp);
}

/* Whether a call of this index preserves a general register or leaves it unchanged. */
static inline bool fill_keeps_general(uint64_t index, unsigned r)
{
	if (r < 32)
		return r == 1 || (r >= 4 && r <= 7) || r == 12 || r == 13;
	return !fill_is_stacked(index) || r < FILLED_OUTPUTS;
}

#define PRESERVED_PREDICATES (~0xFFFFULL | 0x3F)	/* p1 to p5, p16 to p63 */

/* Prints forbidden differences and returns their number. `alone`: no interruption has come. */
static inline unsigned fill_compare(uint64_t index, const struct pal_ret *answer, bool alone)
{
	const struct filled *a = &filled_before, *b = &filled_after;
	const uint64_t answers[] = {(uint64_t)answer->status, answer->v1, answer->v2, answer->v3};
	/* The value that BR.CALL writes: the frame, EC, level 0. */
	const uint64_t called = (128 - 32) | FILLED_LOCALS << 7 | a->ec << 52;
	unsigned wrong = 0;

	for (unsigned r = 1; r < 128; r++)
		wrong += fill_keeps_general(index, r) ? fill_general_differs(r) : 0;
	for (unsigned i = 0; i < 4; i++) {
		wrong += fill_differs("NaT of r", 8 + i, 0, fill_nat(b, 8 + i));
		wrong += fill_differs("r", 8 + i, answers[i], b->r[8 + i]);
	}
	wrong += fill_differs("pr", 0, a->pr & PRESERVED_PREDICATES, b->pr & PRESERVED_PREDICATES);
	wrong += fill_differs("pfs", 0, fill_is_stacked(index) ? called : a->pfs, b->pfs);
	wrong += fill_preserved_differs();
	if (!alone)
		return wrong;
	for (unsigned i = 0; i < 8; i++) {
		wrong += fill_differs("k", i, a->k[i], b->k[i]);
		wrong += fill_differs("r of bank 0: r", 16 + i, a->bank_0[i], b->bank_0[i]);
	}
	wrong += fill_differs("NaTs of bank 0", 0, 0, b->nats_bank_0 & FILLED_BANK_0_NATS);
	if (!fill_is_stacked(index)) {
		wrong += fill_differs("bspstore", 0, a->bspstore, b->bspstore);
		wrong += fill_differs("rnat", 0, a->rnat, b->rnat);
	}
	return wrong;
}

/* Compares all registers that an interruption preserves; handlers use no floating point. */
static inline unsigned fill_compare_all(void)
{
	const struct filled *a = &filled_before, *b = &filled_after;
	unsigned wrong = fill_preserved_differs();

	for (unsigned r = 1; r < 128; r++)
		wrong += r == 2 || r == 3 ? 0 : fill_general_differs(r);
	for (unsigned i = 0; i < 8; i++)
		wrong += fill_branch_differs(i);
	return wrong + fill_differs("pr", 0, a->pr, b->pr) +
	       fill_differs("pfs", 0, a->pfs, b->pfs) +
	       fill_differs("ccv", 0, a->ccv, b->ccv);
}

#endif
