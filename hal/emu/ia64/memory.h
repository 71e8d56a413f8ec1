/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores of general and of floating-point registers: the ALAT, and updates of the base
 * register. */
#ifndef IA64_MEMORY_H
#define IA64_MEMORY_H

#include "machine.h"

/* Removes the ALAT entries that overlap `size` bytes of memory that have been written. */
void ia64_alat_forget(struct machine *m, const uint8_t *at, unsigned size);

enum ia64_load {
	LOAD_PLAIN, LOAD_SPECULATIVE, LOAD_ADVANCED, LOAD_SPECULATIVE_ADVANCED, LOAD_CHECK_CLEAR,
	LOAD_CHECK_KEEP, LOAD_FILL,
};

/* Effects of a load on its target. */
enum ia64_access {
	ACCESS_MEMORY,		/* loads it from memory */
	ACCESS_NONE,		/* leaves it: a check load whose register the ALAT has */
	ACCESS_NAT,		/* makes it a NaT: a speculative load that defers a fault */
	ACCESS_INTERRUPTION,	/* leaves it: an interruption was raised */
};

/* Returns the effect of a load on its target, and updates the ALAT. `nat`: the address register is
 * a NaT. `reg`: the target's physical number. *at: the memory, if ACCESS_MEMORY. */
enum ia64_access ia64_load_access(struct machine *m, enum ia64_load type, bool nat,
				  uint64_t address, unsigned size,
				  uint8_t reg, bool is_float, const uint8_t **at);

/* Adds to the base register after an access that ended in `outcome`. `nat`: the addend is a NaT.
 * Returns the instruction's outcome. */
enum outcome ia64_update(struct machine *m, const struct op *op, enum outcome outcome, uint64_t add,
			 bool nat);

/* Defines the three forms of an access, NAME_m1 and so on: the base is not updated; a register, an
 * immediate is added to it. */
#define IA64_FORMS(name, plain, by_register, by_immediate, access)			\
	static enum outcome name##_##plain(struct machine *m, const struct op *op)	\
	{										\
		return access;								\
	}										\
	static enum outcome name##_##by_register(struct machine *m, const struct op *op) \
	{										\
		return ia64_update(m, op, access, ia64_gr(m, op->s2), ia64_nat(m, op->s2)); \
	}										\
	static enum outcome name##_##by_immediate(struct machine *m, const struct op *op) \
	{										\
		return ia64_update(m, op, access, (uint64_t)op->imm, false);		\
	}

#endif
