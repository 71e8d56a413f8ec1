/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's sample ring: one writer, the overflow interrupt; one reader, the program it interrupts or another CPU.
 * No locks. What does not fit is dropped and counted. */
#ifndef RING_H
#define RING_H

#include "pmu.h"

#define PMU_RING_SAMPLES 4096	/* a power of two */

struct pmu_ring {
	uint32_t head;		/* samples ever written; the writer's */
	uint32_t tail;		/* samples ever read; the reader's */
	struct pmu_sample sample[PMU_RING_SAMPLES];
};

/* Where the next sample goes; NULL: there is no room. It is in the ring when pmu_ring_publish has been called. */
static inline struct pmu_sample *pmu_ring_reserve(struct pmu_ring *ring)
{
	uint32_t head = ring->head;

	if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= PMU_RING_SAMPLES)
		return NULL;
	return &ring->sample[head % PMU_RING_SAMPLES];
}

static inline void pmu_ring_publish(struct pmu_ring *ring)
{
	__atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
}

/* Takes the oldest sample. False: the ring is empty. */
static inline bool pmu_ring_take(struct pmu_ring *ring, struct pmu_sample *sample)
{
	uint32_t tail = ring->tail;

	if (tail == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE))
		return false;
	*sample = ring->sample[tail % PMU_RING_SAMPLES];
	__atomic_store_n(&ring->tail, tail + 1, __ATOMIC_RELEASE);
	return true;
}

#endif
