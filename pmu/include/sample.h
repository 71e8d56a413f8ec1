/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample's way into its CPU's ring. This and sample.c are the ring's only writers. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "pmu_unit.h"

/* Rare: has samples taken out of a ring that has no room for one more and so many words, by whom the program has said.
 * False: there is nobody, and the sample is counted as dropped. */
bool pmu_make_room(struct pmu_cpu *cpu, unsigned words);

/* Gives a sample that is being put into the ring what the hardware has recorded for it. False: there is no room, and it
 * is counted as dropped. */
bool pmu_put_payload(struct pmu_cpu *cpu, const struct pmu_driver *driver, const struct pmu_counter *c,
		     struct pmu_sample *sample);

/* For drivers that have a sample and its payload at hand: where the payload of so many words goes; the sample goes to
 * pmu_ring_next. NULL: there is no room, and the sample is counted as dropped. */
uint64_t *pmu_place_payload(struct pmu_cpu *cpu, unsigned words);

/* Then both are in the ring. */
PMU_INLINE void pmu_put_placed(struct pmu_cpu *cpu, unsigned words)
{
	cpu->ring.word_head += words;
	pmu_ring_publish(&cpu->ring);
}

/* Puts a sample of the package's PMU into this CPU's ring, where an interrupt may do the same in between. False: there
 * is no room. */
bool pmu_put_shared(const struct pmu_sample *sample);

/* Puts a sample of a counter of this CPU's into the ring. */
PMU_INLINE void pmu_put_sample(struct pmu_cpu *cpu, const struct pmu_driver *driver, const struct pmu_counter *c,
			       uint64_t count, uint64_t ip, unsigned level, uint64_t now)
{
	struct pmu_sample *sample;

	if (__builtin_expect(pmu_ring_is_full(&cpu->ring), false) && !pmu_make_room(cpu, 0))
		return;
	sample = pmu_ring_next(&cpu->ring);
	sample->ip = ip;
	sample->clock = now;
	sample->count = count;
	sample->source = c->source;
	sample->source.level = (uint8_t)level;
	if (driver->records && driver->records->payload && __builtin_expect(c->payload, false) &&
	    !pmu_put_payload(cpu, driver, c, sample))
		return;
	pmu_ring_publish(&cpu->ring);
}

#endif
