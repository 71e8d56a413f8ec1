/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of floating-point instructions: operands, status fields, exceptions. */
#ifndef IA64_FLOATING_H
#define IA64_FLOATING_H

#include "machine.h"
#include "real.h"

#define F2 (&m->fr[ia64_fr_number(m, op->s2)])
#define F3 (&m->fr[ia64_fr_number(m, op->s3)])
#define F4 (&m->fr[ia64_fr_number(m, op->s4)])

/* FPSR (manual, volume 1, section 5.2): traps in bits 5:0, then four status fields of 13 bits. */
#define FIELD_BITS	13
#define FIELD_SHIFT(sf)	(6 + FIELD_BITS * (sf))
#define CONTROL_FTZ	1
#define CONTROL_WRE	2
#define CONTROL_PC	(3u << 2)
#define CONTROL_RC	(3u << 4)
#define CONTROL_TD	(1u << 6)
#define FLAGS_SHIFT	7

static inline unsigned status_field(const struct op *op)
{
	return op->bits >> 34 & 3;
}

static inline unsigned controls(const struct machine *m, unsigned sf)
{
	return m->ar[AR_FPSR] >> FIELD_SHIFT(sf) & 127;
}

/* The precision of a result: the status field's, or the instruction's. A number of a pair has
 * single precision, and the status field cannot widen its range (manual, volume 1, table 5-6). */
enum precision { BY_FIELD, SINGLE, DOUBLE, SINGLE_OF_PAIR };

struct real_format ia64_format(const struct machine *m, unsigned sf, enum precision precision);

/* Exceptions of a comparison: invalid, for a signaling NaN or (with `orders`) for any NaN; denormal
 * operand. */
unsigned ia64_compare_flags(const struct ia64_float *a, const struct ia64_float *b, bool orders);

/* Flags of a pair: those of the higher number, plus those of the lower one times this. */
#define FLAGS_OF_LOW	256

/* Raises a fault for these exceptions if one of them is an enabled fault. Returns whether it
 * did. */
bool ia64_fp_faults(struct machine *m, const struct op *op, unsigned flags);

/* Records the exceptions of an instruction that has written its result. */
enum outcome ia64_fp_note(struct machine *m, const struct op *op, unsigned flags);

/* Writes f1, unless a fault is raised. */
enum outcome ia64_fp_finish(struct machine *m, const struct op *op, struct ia64_float result,
			    unsigned flags);

#endif
