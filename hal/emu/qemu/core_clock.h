/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock of an x86 core: computes the cycle in which each instruction issues, from the
 * processor's latencies and width. hal/emu/model/DECISIONS.md has the dependencies. */
#ifndef QEMU_CORE_CLOCK_H
#define QEMU_CORE_CLOCK_H

#include "../model/issue.h"
#include "../model/memory.h"
#include "x86/classify.h"

/* Initialize to zero. */
struct core_clock {
	struct issue issue;
	const struct classes *last;	/* the last instruction that issued */
	uint64_t loaded;		/* first cycle in which its loaded data is ready */
};

/* The parts of a processor's description that the clock needs. */
extern const struct processor_needs core_clock_needs;

/* Issues the next instruction. Returns its cycle. */
uint64_t core_clock_issue(struct core_clock *k, const struct processor *processor,
			  const struct classes *instruction);

/* Adds a memory reference of the last issued instruction, or the fetch of the next one. */
void core_clock_refer(struct core_clock *k, const struct processor *processor, enum access access,
		      const struct reached *reached);

#endif
