/* SPDX-License-Identifier: BSD-2-Clause */
/* Defective forms of models: wrappers (pmu/<target>/defects.c) that show that a self test finds what is wrong. They are
 * linked into test programs, the palmon command and images that ask for one, never into the library. */
#ifndef DEFECTS_H
#define DEFECTS_H

#include <stddef.h>

#include "model.h"

/* The ones linked into this program, ended by NULL: each returns a model whose `faults` are the names of its defects,
 * and whose `reset` takes the number of one. Its state is larger than the sound model's. */
extern const struct pmu_model *(*const pmu_defective_models[])(void);

/* Of a list F(NAME, "name-for-people"): the numbers DEFECT_NAME, and `defect_names`. */
#define DEFECTS(LIST)						\
	enum { LIST(DEFECT_NUMBER) NO_DEFECT = -1 };		\
	static const char *const defect_names[] = {LIST(DEFECT_TEXT) NULL};
#define DEFECT_NUMBER(name, text) DEFECT_##name,
#define DEFECT_TEXT(name, text) text,

/* Bits of registers that are written as 0 or 1, whatever software writes. */
struct defect_bits {
	int defect;
	uint32_t address, count;	/* of the first of equal registers, one address after the other */
	uint64_t clear, set;
	bool visible;			/* software reads them so; else as it has written them */
};

/* What software has written that the model holds otherwise. */
struct defect_writes {
	struct {
		uint32_t address;
		uint64_t written, held;
	} of[16];
	unsigned count;
};

static inline uint64_t defect_bits(const struct defect_bits *bits, size_t count, int defect, uint32_t address,
				   uint64_t value, bool *visible)
{
	for (size_t i = 0; i < count; i++)
		if (bits[i].defect == defect && address - bits[i].address < bits[i].count) {
			*visible |= bits[i].visible;
			value = (value & ~bits[i].clear) | bits[i].set;
		}
	return value;
}

static inline void defect_hide(struct defect_writes *w, uint32_t address, uint64_t written, uint64_t held)
{
	unsigned i = 0;

	while (i < w->count && w->of[i].address != address)
		i++;
	if (i == sizeof w->of / sizeof *w->of || (i == w->count && written == held))
		return;
	w->count += i == w->count;
	w->of[i].address = address;
	w->of[i].written = written;
	w->of[i].held = held;
}

static inline uint64_t defect_shown(const struct defect_writes *w, uint32_t address, uint64_t value)
{
	for (unsigned i = 0; i < w->count; i++)
		if (w->of[i].address == address) {
			const uint64_t hidden = w->of[i].written ^ w->of[i].held;

			return (value & ~hidden) | (w->of[i].written & hidden);
		}
	return value;
}

#endif
