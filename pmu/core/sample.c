// SPDX-License-Identifier: BSD-2-Clause
// Samples: writes them to their CPU's ring, removes them.

#include "sample.h"

#include <string.h>

bool pmu_make_room(struct pmu_cpu *cpu, unsigned words)
{
	if (cpu->take_out && cpu->take_out(cpu, words))
		return true;
	cpu->statistics.dropped++;
	return false;
}

uint64_t *pmu_place_payload(struct pmu_cpu *cpu, unsigned words)
{
	if (!pmu_ring_has_room(&cpu->ring, words) && !pmu_make_room(cpu, words))
		return NULL;
	return pmu_ring_next_words(&cpu->ring);
}

bool pmu_put_payload(struct pmu_cpu *cpu, const struct pmu_driver *driver,
		     const struct pmu_counter *c, struct pmu_sample *sample)
{
	uint64_t words[PMU_PAYLOAD_WORDS], *place;
	const unsigned count = driver->records->payload(c, words);

	place = pmu_place_payload(cpu, count);
	if (!place)
		return false;
	memcpy(place, words, count * sizeof *words);
	sample->source.words = (uint8_t)count;
	cpu->ring.word_head += count;
	return true;
}

// The ring has one writer. But if the caller is not an interrupt handler, an NMI may write in
// between.
bool pmu_put_shared(const struct pmu_sample *sample)
{
	struct pmu_ring *ring = &pmu_this_cpu()->ring;
	uint32_t head = ring->head;

	do {
		if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= PMU_RING_SAMPLES)
			return false;
		ring->sample[head % PMU_RING_SAMPLES] = *sample;
	} while (!__atomic_compare_exchange_n(&ring->head, &head, head + 1, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	return true;
}

// `taking` keeps an interrupt that finds the ring full from removing the same sample.
bool pmu_take_sample_with_payload(struct pmu_sample *sample, uint64_t payload[PMU_PAYLOAD_WORDS])
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	bool taken;

	cpu->taking = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	taken = pmu_ring_take(&cpu->ring, sample, payload);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	cpu->taking = false;
	return taken;
}
