/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes samples to a CPU's ring. Only this file and sample.c write to it. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "pmu_unit.h"

/* Rare: makes space in a full ring for one sample and `words` words of payload, through the
 * program's function (pmu_drain). False: there is none; the sample counts as dropped. */
bool pmu_make_room(struct pmu_cpu *cpu, unsigned words);

/* Adds the hardware's record to the sample in the next slot. False: there is no space; the sample
 * counts as dropped. */
bool pmu_put_payload(struct pmu_cpu *cpu, const struct pmu_driver *driver,
		     const struct pmu_counter *c, struct pmu_sample *sample);

/* For drivers that write samples themselves: returns the place of a payload of `words` words; the
 * sample belongs in the slot pmu_ring_next. NULL: there is no space; the sample counts as
 * dropped. */
uint64_t *pmu_place_payload(struct pmu_cpu *cpu, unsigned words);

/* Publishes both. */
PMU_INLINE void pmu_put_placed(struct pmu_cpu *cpu, unsigned words)
{
	cpu->ring.word_head += words;
	pmu_ring_publish(&cpu->ring);
}

/* Writes a sample of the package's PMU to this CPU's ring, even if an interrupt writes another one
 * meanwhile. False: there is no space. */
bool pmu_put_shared(const struct pmu_sample *sample);

/* Writes a sample of one of this CPU's counters to the ring. */
PMU_INLINE void pmu_put_sample(struct pmu_cpu *cpu, const struct pmu_driver *driver,
			       const struct pmu_counter *c,
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
