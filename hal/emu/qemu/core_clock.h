/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock of an x86 core: in which cycle each instruction issues, by the processor's description of latencies
 * and of its width. hal/emu/model/README.md says what waits for what. */
#ifndef QEMU_CORE_CLOCK_H
#define QEMU_CORE_CLOCK_H

#include "../model/issue.h"
#include "../model/memory.h"
#include "x86/classify.h"

/* All zero at first. */
struct core_clock {
	struct issue issue;
	const struct classes *last;	/* that has issued */
	uint64_t loaded;		/* its loaded data is there from this cycle on */
};

/* What the clock needs of a processor's description. */
extern const struct processor_needs core_clock_needs;

/* The next instruction issues. Returns the cycle. */
uint64_t core_clock_issue(struct core_clock *k, const struct processor *processor, const struct classes *instruction);

/* The instruction that has issued last has referred to memory, or the next one has been fetched. */
void core_clock_refer(struct core_clock *k, const struct processor *processor, enum access access,
		      const struct reached *reached);

#endif
