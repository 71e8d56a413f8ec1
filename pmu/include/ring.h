/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's sample ring, without locks. One writer: the overflow interrupt. One reader: the
 * interrupted program, or another CPU. If the ring is full, the interrupt passes the oldest sample
 * to the program's function (pmu_drain); without such a function it drops the new sample and counts
 * it. */
#ifndef RING_H
#define RING_H

#include <string.h>

#include "hal.h"
#include "pmu.h"

#define PMU_RING_SAMPLES HAL_RING_SAMPLES
#define PMU_RING_WORDS (4 * PMU_RING_SAMPLES)	/* words of payload */

struct pmu_ring {
	uint32_t head;		/* number of samples written so far; only the writer changes it */
	uint32_t tail;		/* number of samples removed so far; only the reader changes it */
	struct pmu_sample sample[PMU_RING_SAMPLES];
	uint32_t word_head, word_tail;
	/* The samples' payloads, in the same order. Each is contiguous: near the end of the ring it
	 * extends into the extra words. */
	uint64_t word[PMU_RING_WORDS + PMU_PAYLOAD_WORDS];
};

static inline bool pmu_ring_is_full(const struct pmu_ring *ring)
{
	return ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= PMU_RING_SAMPLES;
}

/* Returns the slot of the next sample. pmu_ring_publish adds it to the ring. */
static inline struct pmu_sample *pmu_ring_next(struct pmu_ring *ring)
{
	return &ring->sample[ring->head % PMU_RING_SAMPLES];
}

static inline void pmu_ring_publish(struct pmu_ring *ring)
{
	hal_publish(&ring->head);
}

/* Returns whether there is space for one more sample with `words` words of payload. */
static inline bool pmu_ring_has_room(const struct pmu_ring *ring, unsigned words)
{
	return !pmu_ring_is_full(ring) &&
	       PMU_RING_WORDS -
	       (ring->word_head - __atomic_load_n(&ring->word_tail, __ATOMIC_ACQUIRE)) >= words;
}

/* Returns the place of the next sample's payload. To add the payload, advance `word_head`. */
static inline uint64_t *pmu_ring_next_words(struct pmu_ring *ring)
{
	return &ring->word[ring->word_head % PMU_RING_WORDS];
}

/* Removes the oldest sample, with its payload unless `payload` is NULL. False: the ring is
 * empty. */
static inline bool pmu_ring_take(struct pmu_ring *ring, struct pmu_sample *sample,
				 uint64_t *payload)
{
	uint32_t tail = ring->tail, word_tail = ring->word_tail;

	if (tail == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE))
		return false;
	*sample = ring->sample[tail % PMU_RING_SAMPLES];
	if (payload)
		memcpy(payload, &ring->word[word_tail % PMU_RING_WORDS],
		       sample->source.words * sizeof *payload);
	__atomic_store_n(&ring->word_tail, word_tail + sample->source.words, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->tail, tail + 1, __ATOMIC_RELEASE);
	return true;
}

#endif
