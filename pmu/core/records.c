// SPDX-License-Identifier: BSD-2-Clause
// Samples with a payload, and precise events, whose samples are records that the processor itself writes.

#include "overflow.h"

const char *pmu_give_buffer(uint64_t address, uint64_t size)
{
	const struct pmu_driver *driver = pmu_this_cpu()->driver;

	const char *why = driver->buffer ? driver->buffer(address, size) : "this processor writes no records";

	if (!why)
		pmu_this_cpu()->has_buffer = true;
	return why;
}

// Nothing counts meanwhile.
bool pmu_read_precise(struct pmu_cpu *cpu, const struct pmu_driver *driver, const struct pmu_counter *c,
		      uint64_t *count)
{
	uint64_t state, value = 0;
	bool ok = driver->freeze(&state);

	ok &= driver->take_records(cpu, 0, hal_clock(), false);
	ok &= driver->read(c->address, &value);
	*count = pmu_count(driver, c, value);
	return driver->thaw(state) && ok;
}

void pmu_put_words(struct pmu_cpu *cpu, const struct pmu_counter *c, const struct pmu_sample *sample,
		   const uint64_t *words, unsigned count)
{
	if (!pmu_ring_has_room(&cpu->ring, count) && !pmu_make_room(cpu, count))
		return;
	pmu_ring_copy_words(&cpu->ring, words, count);
	pmu_put_placed(cpu, c, sample, count);
}

bool pmu_put_payload(struct pmu_cpu *cpu, const struct pmu_driver *driver, const struct pmu_counter *c,
		     struct pmu_sample *sample)
{
	uint64_t words[PMU_PAYLOAD_WORDS];
	const unsigned count = driver->payload(c, words);

	sample->source.words = (uint8_t)count;
	if (!pmu_ring_has_room(&cpu->ring, count) && !pmu_make_room(cpu, count))
		return false;
	pmu_ring_copy_words(&cpu->ring, words, count);
	cpu->ring.word_head += count;
	return true;
}
