// SPDX-License-Identifier: BSD-2-Clause
// M unit: transfers between general registers, memory and floating-point registers.

#include "execute.h"

#include "bytes.h"
#include "machine.h"
#include "memory.h"
#include "raise.h"
#include "real.h"
#include "translation.h"

#define F2 (&m->fr[ia64_fr_number(m, op->s2)])

#define SETF(name, value)								\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		const uint64_t r = ia64_gr(m, op->s2);					\
											\
		return ia64_put_fr(m, op->d1, ia64_nat(m, op->s2) ? real_nat : value);		\
	}
SETF(setf_sig, real_of_integer(r))
SETF(setf_exp, ((struct ia64_float){INTEGER_BIT, r & 0x1FFFF, r >> 17 & 1}))
SETF(setf_s, real_of_single((uint32_t)r))
SETF(setf_d, real_of_double(r))

#define GETF(name, value)								\
	static enum outcome name(struct machine *m, const struct op *op)		\
	{										\
		return ia64_put(m, op->d1, value, real_is_nat(F2));				\
	}
GETF(getf_sig, F2->significand)
GETF(getf_exp, F2->exponent | (uint64_t)F2->sign << 17)
GETF(getf_s, real_to_single(F2))
GETF(getf_d, real_to_double(F2))

enum size { EXTENDED, INTEGER, SINGLE_REAL, DOUBLE_REAL, WHOLE };
static const uint8_t bytes_of[] = {10, 8, 4, 8, 16};

// Formats of more than 8 bytes consist of the significand and the sign with the exponent.
static struct ia64_float from_memory(const uint8_t *at, enum size size, bool big)
{
	const unsigned rest = bytes_of[size] > 8 ? bytes_of[size] - 8u : 0;
	const uint64_t low = ia64_read_bytes(at + (big ? rest : 0), bytes_of[size] - rest, big);
	const uint64_t high = rest ? ia64_read_bytes(at + (big ? 0 : 8), rest, big) : 0;

	switch (size) {
	case EXTENDED:
		return real_of_extended(low, (uint16_t)high);
	case INTEGER:
		return real_of_integer(low);
	case SINGLE_REAL:
		return real_of_single((uint32_t)low);
	case DOUBLE_REAL:
		return real_of_double(low);
	case WHOLE:
		break;
	}
	return (struct ia64_float){low, high & 0x1FFFF, high >> 17 & 1};
}

static void to_memory(uint8_t *at, enum size size, const struct ia64_float *f, bool big)
{
	const unsigned rest = bytes_of[size] > 8 ? bytes_of[size] - 8u : 0;
	const uint64_t low = size == SINGLE_REAL ? real_to_single(f) :
		size == DOUBLE_REAL ? real_to_double(f) :
			     f->significand;
	const uint64_t high = size == EXTENDED ? real_to_extended(f) : f->exponent |
		(uint64_t)f->sign << 17;

	ia64_write_bytes(at + (big ? rest : 0), low, bytes_of[size] - rest, big);
	if (rest)
		ia64_write_bytes(at + (big ? 0 : 8), high, rest, big);
}

static enum outcome load(struct machine *m, const struct op *op, enum size size,
			 enum ia64_load type, bool pair)
{
	const uint64_t address = ia64_gr(m, op->s3);
	const unsigned bytes = bytes_of[size] * (1u + pair);
	struct ia64_float first = real_nat, second = real_nat;
	const uint8_t *at;

	if (op->d1 < 2 || (pair && op->s2 < 2))
		return ia64_illegal(m);

	const enum ia64_access access = ia64_load_access(m, type, ia64_nat(m, op->s3), address,
							 bytes,
							 (uint8_t)ia64_fr_number(m, op->d1), true,
							 &at);
	if (access == ACCESS_INTERRUPTION)
		return OUTCOME_INTERRUPTION;
	if (access == ACCESS_NONE)
		return OUTCOME_NEXT;
	if (access == ACCESS_MEMORY) {
		first = from_memory(at, size, m->psr & PSR_BE);
		second = pair ? from_memory(at + bytes_of[size], size, m->psr & PSR_BE) : second;
	}
	ia64_put_fr(m, op->d1, first);
	return pair ? ia64_put_fr(m, op->s2, second) : OUTCOME_NEXT;
}

static enum outcome store(struct machine *m, const struct op *op, enum size size)
{
	const uint64_t address = ia64_gr(m, op->s3);
	uint8_t *at;

	if (ia64_nat(m, op->s3) || (real_is_nat(F2) && size != WHOLE))
		return ia64_nat_consumed(m, ISR_W);
	at = ia64_data(m, address, bytes_of[size], ISR_W);
	if (!at)
		return OUTCOME_INTERRUPTION;
	to_memory(at, size, F2, m->psr & PSR_BE);
	ia64_alat_forget(m, at, bytes_of[size]);
	ia64_refer(m, REFERENCE_STORE, address, bytes_of[size], true);
	return OUTCOME_NEXT;
}

// The forms of an access: base register alone; with a register, or an immediate, added to it.
#define LOAD(name, size, type)								\
	IA64_FORMS(name, m6, m7, m8, load(m, op, size, type, false))
#define EACH_TYPE(name, size)								\
	LOAD(name, size, LOAD_PLAIN) LOAD(name##_s, size,	\
					  LOAD_SPECULATIVE) LOAD(name##_a, size, LOAD_ADVANCED)	\
	LOAD(name##_sa, size, LOAD_SPECULATIVE_ADVANCED) LOAD(name##_c_clr, size,	\
							      LOAD_CHECK_CLEAR)	\
	LOAD(name##_c_nc, size, LOAD_CHECK_KEEP)
EACH_TYPE(ldfe, EXTENDED)
EACH_TYPE(ldf8, INTEGER)
EACH_TYPE(ldfs, SINGLE_REAL)
EACH_TYPE(ldfd, DOUBLE_REAL)
LOAD(ldf_fill, WHOLE, LOAD_PLAIN)

#define PAIR_LOAD(name, size, type)							\
	static enum outcome name##_m11(struct machine *m, const struct op *op)		\
	{										\
		return load(m, op, size, type, true);					\
	}										\
	static enum outcome name##_m12(struct machine *m, const struct op *op)		\
	{										\
		return ia64_update(m, op, load(m, op, size, type, true), 2 * bytes_of[size],	\
				   false);	\
	}
#define EACH_PAIR_TYPE(name, size)							\
	PAIR_LOAD(name, size, LOAD_PLAIN) PAIR_LOAD(name##_s, size, LOAD_SPECULATIVE)	\
	PAIR_LOAD(name##_a, size, LOAD_ADVANCED) PAIR_LOAD(name##_sa, size,	\
							   LOAD_SPECULATIVE_ADVANCED)	\
	PAIR_LOAD(name##_c_clr, size, \
		  LOAD_CHECK_CLEAR) PAIR_LOAD(name##_c_nc, size, LOAD_CHECK_KEEP)
EACH_PAIR_TYPE(ldfp8, INTEGER)
EACH_PAIR_TYPE(ldfps, SINGLE_REAL)
EACH_PAIR_TYPE(ldfpd, DOUBLE_REAL)

#define STORE(name, size)								\
	static enum outcome name##_m9(struct machine *m, const struct op *op)		\
	{										\
		return store(m, op, size);						\
	}										\
	static enum outcome name##_m10(struct machine *m, const struct op *op)		\
	{										\
		return ia64_update(m, op, store(m, op, size), (uint64_t)op->imm, false); \
	}
STORE(stfe, EXTENDED)
STORE(stf8, INTEGER)
STORE(stfs, SINGLE_REAL)
STORE(stfd, DOUBLE_REAL)
STORE(stf_spill, WHOLE)

static enum outcome chk_s(struct machine *m, const struct op *op)
{
	if (!real_is_nat(F2))
		return OUTCOME_NEXT;
	return ia64_go(m, m->ip + (uint64_t)op->imm);
}

#define OF_LOAD(N, name) \
	[IA64_##N##_M6] = name##_m6, [IA64_##N##_M7] = name##_m7, [IA64_##N##_M8] = name##_m8
#define OF_LOADS(N, name)								\
	OF_LOAD(N, name), OF_LOAD(N##_S, name##_s), OF_LOAD(N##_A, name##_a),	\
	OF_LOAD(N##_SA, name##_sa),	\
	OF_LOAD(N##_C_CLR, name##_c_clr), OF_LOAD(N##_C_NC, name##_c_nc)
#define OF_PAIR(N, name, update)	[IA64_##N##_M11] = name##_m11, \
	[IA64_##N##_##update] = name##_m12
#define OF_PAIRS(N, name, update)							\
	OF_PAIR(N, name, update), OF_PAIR(N##_S, name##_s, update),	\
	OF_PAIR(N##_A, name##_a, update),	\
	OF_PAIR(N##_SA, name##_sa, update), OF_PAIR(N##_C_CLR, name##_c_clr, update),	\
	OF_PAIR(N##_C_NC, name##_c_nc, update)
#define OF_STORE(N, name)	[IA64_##N##_M9] = name##_m9, [IA64_##N##_M10] = name##_m10

ia64_execute *const ia64_floating_memory[ENCODINGS] = {
	[IA64_SETF_SIG] = setf_sig,
	[IA64_SETF_EXP] = setf_exp, [IA64_SETF_S] = setf_s, [IA64_SETF_D] = setf_d,
	[IA64_GETF_SIG] = getf_sig,
	[IA64_GETF_EXP] = getf_exp, [IA64_GETF_S] = getf_s, [IA64_GETF_D] = getf_d,
	OF_LOADS(LDFE, ldfe),
	OF_LOADS(LDF8, ldf8), OF_LOADS(LDFS, ldfs), OF_LOADS(LDFD, ldfd),
	OF_LOAD(LDF_FILL, ldf_fill),
	OF_PAIRS(LDFP8, ldfp8, M12_16), OF_PAIRS(LDFPS, ldfps, M12_8),
	OF_PAIRS(LDFPD, ldfpd, M12_16),
	OF_STORE(STFE, stfe), OF_STORE(STF8, stf8), OF_STORE(STFS, stfs), OF_STORE(STFD, stfd),
	OF_STORE(STF_SPILL, stf_spill), [IA64_CHK_S_F] = chk_s,
};
