/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's sample ring: one writer, the overflow interrupt; one reader, the program it interrupts or another CPU.
 * No locks. What does not fit is dropped and counted. */
#ifndef RING_H
#define RING_H

#include "hal.h"
#include "pmu.h"

#define PMU_RING_SAMPLES 4096	/* a power of two */
#define PMU_RING_WORDS 16384	/* of payload; a power of two */

struct pmu_ring {
	uint32_t head;		/* samples ever written; the writer's */
	uint32_t tail;		/* samples ever read; the reader's */
	struct pmu_sample sample[PMU_RING_SAMPLES];
	uint32_t word_head, word_tail;
	uint64_t word[PMU_RING_WORDS];	/* the samples' payloads, in their order */
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
	if (HAL_MANY_REGISTERS) {
		__atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
		return;
	}
	__atomic_thread_fence(__ATOMIC_RELEASE);	// one instruction adds to memory
	ring->head++;
}

/* Where so many words of payload that follow each other go; NULL: there is no room, or not in one piece. They are in
 * the ring when `word_head` is moved behind them. */
static inline uint64_t *pmu_ring_reserve_words(struct pmu_ring *ring, unsigned count)
{
	uint32_t head = ring->word_head, at = head % PMU_RING_WORDS;

	if (PMU_RING_WORDS - (head - __atomic_load_n(&ring->word_tail, __ATOMIC_ACQUIRE)) < count ||
	    PMU_RING_WORDS - at < count)
		return NULL;
	return &ring->word[at];
}

/* Adds the payload of the sample that is published next. False: there is no room. */
static inline bool pmu_ring_put_words(struct pmu_ring *ring, const uint64_t *words, unsigned count)
{
	uint32_t head = ring->word_head;

	if (PMU_RING_WORDS - (head - __atomic_load_n(&ring->word_tail, __ATOMIC_ACQUIRE)) < count)
		return false;
	for (unsigned i = 0; i < count; i++)
		ring->word[(head + i) % PMU_RING_WORDS] = words[i];
	ring->word_head = head + count;
	return true;
}

/* Takes the oldest sample, and its payload unless `payload` is NULL. False: the ring is empty. */
static inline bool pmu_ring_take(struct pmu_ring *ring, struct pmu_sample *sample, uint64_t *payload)
{
	uint32_t tail = ring->tail, word_tail = ring->word_tail;

	if (tail == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE))
		return false;
	*sample = ring->sample[tail % PMU_RING_SAMPLES];
	for (unsigned i = 0; payload && i < sample->source.words; i++)
		payload[i] = ring->word[(word_tail + i) % PMU_RING_WORDS];
	__atomic_store_n(&ring->word_tail, word_tail + sample->source.words, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->tail, tail + 1, __ATOMIC_RELEASE);
	return true;
}

#endif
