/* SPDX-License-Identifier: BSD-2-Clause */
/* The overflow interrupt: one policy for all targets, compiled into each driver so that the driver's register
 * accesses are part of it and no call is left on its way. Nothing is lost: an overflow adds 2^width to the count,
 * the events counted since stay in it, and what overflows meanwhile is served before the counters run again. */
#ifndef OVERFLOW_H
#define OVERFLOW_H

#include "cpu.h"

#define PMU_INLINE static inline __attribute__((always_inline))

/* Rare: an interrupt that finds no overflow, or one with which the number allowed at a stretch is used up. If their
 * handler had too much of the time, this is a storm, and the counters are throttled. False: there is nothing to
 * throttle, or registers cannot be accessed by which it would end, and interrupts come without end; this one is to stay
 * masked. */
bool pmu_overflow_rare(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip,
		       unsigned level, uint64_t now);

/* Rare: stops a counter's samples. It goes on counting. */
void pmu_throttle(struct pmu_cpu *cpu, struct pmu_counter *c, uint64_t count);

/* Rare: the next sample is due already, or too soon to be armed for: it comes a whole period from now. */
void pmu_slip(struct pmu_counter *c, uint64_t count);

/* Rare: a counter has overflowed before a sample is due, because none is, or because it cannot be armed that far.
 * `least`: the driver's arm_least. */
void pmu_not_due(struct pmu_counter *c, uint64_t count, unsigned least);

/* Rare: a register access of the interrupt faulted. */
void pmu_register_faulted(struct pmu_cpu *cpu);

/* Rare: has samples taken out of a ring that has no room for one more and so many words, by whom the program has said.
 * False: there is nobody, and the sample is counted as dropped. */
bool pmu_make_room(struct pmu_cpu *cpu, unsigned words);


/* Puts a sample of a counter with a payload into the ring. */
void pmu_put_words(struct pmu_cpu *cpu, const struct pmu_counter *c, const struct pmu_sample *sample,
		   const uint64_t *words, unsigned count);

/* Puts one into the ring whose payload of so many words is there already. There is room. */
static inline void pmu_put_placed(struct pmu_cpu *cpu, const struct pmu_counter *c, const struct pmu_sample *sample,
				  unsigned count)
{
	struct pmu_sample *place = &cpu->ring.sample[cpu->ring.head % PMU_RING_SAMPLES];
	const uint8_t level = sample->source.level;

	*place = *sample;
	place->source = c->source;
	place->source.level = level;
	place->source.words = (uint8_t)count;
	cpu->ring.word_head += count;
	pmu_ring_publish(&cpu->ring);
}

/* Gives a sample that is being put into the ring what the hardware has recorded for it. False: there is no room, and it
 * is counted as dropped. */
bool pmu_put_payload(struct pmu_cpu *cpu, const struct pmu_driver *driver, const struct pmu_counter *c,
		     struct pmu_sample *sample);

/* Rare: serves the lowest of these status bits, which is no counter's. */
void pmu_serve_other(struct pmu_cpu *cpu, uint64_t status, uint64_t ip, unsigned level, uint64_t now, bool throttle);

/* Rare: serves what has overflowed, round after round while more does; in the last of so many rounds the counters
 * are throttled. */
void pmu_overflow_rounds(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip,
			 unsigned level, uint64_t now, unsigned rounds);

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

/* Rare: serves what has overflowed, and what is recorded, before its interrupt comes, with the overflow interrupt
 * masked and all counters stopped. `ip`: where the samples belong. */
void pmu_serve_early(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip);

/* Lets the overflow interrupt come again. While it was masked the package's PMU may have signalled in vain. */
PMU_INLINE void pmu_unmask(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip, unsigned level)
{
	hal_pmi_unmask();
	if (driver->package && __builtin_expect(cpu->shared_interrupt != NULL, false))
		cpu->shared_unmasked(cpu, driver, ip, level);
}

/* Takes a counter's overflow into account, and what it has counted since. Returns its count. */
PMU_INLINE uint64_t pmu_count_residue(struct pmu_cpu *cpu, const struct pmu_counter *c, uint64_t residue)
{
	if (residue < cpu->statistics.skid_least)
		cpu->statistics.skid_least = residue;
	if (residue > cpu->statistics.skid_most)
		cpu->statistics.skid_most = residue;
	cpu->statistics.overflows++;
	return c->wrap + residue;
}

/* Likewise. `address`: the counter's. */
PMU_INLINE uint64_t pmu_count_overflow(struct pmu_cpu *cpu, const struct pmu_driver *driver,
				       const struct pmu_counter *c, uint32_t address)
{
	uint64_t residue;

	if (!driver->read(address, &residue))
		pmu_register_faulted(cpu);
	return pmu_count_residue(cpu, c, residue);
}

PMU_INLINE bool pmu_is_due(const struct pmu_counter *c, uint64_t count)
{
	return (int64_t)(count - c->due) >= 0;
}

/* Arms a counter that has overflowed for its next sample. `address`: the counter's, `due`: one was due. */
PMU_INLINE void pmu_arm_again(struct pmu_cpu *cpu, const struct pmu_driver *driver, struct pmu_counter *c,
			      uint32_t address, uint64_t count, bool due, bool throttle)
{
	if (due) {
		c->samples++;
		c->due += c->period;
		if (__builtin_expect((int64_t)(c->due - count) < (int64_t)driver->arm_least, false))
			pmu_slip(c, count);
	} else {
		pmu_not_due(c, count, driver->arm_least);
	}
	if (throttle)
		pmu_throttle(cpu, c, count);
	if (!driver->write(HAL_MANY_REGISTERS ? address : c->address, pmu_set_start(driver, c, count)))
		pmu_register_faulted(cpu);
}

/* Serves a counter that has overflowed. `address`: the counter's, `count`: its count. */
PMU_INLINE void pmu_serve_count(struct pmu_cpu *cpu, const struct pmu_driver *driver, struct pmu_counter *c,
				uint32_t address, uint64_t count, uint64_t ip, unsigned level, uint64_t now,
				bool throttle)
{
	const bool due = __builtin_expect(pmu_is_due(c, count), true);

	if (due)
		pmu_put_sample(cpu, driver, c, count, ip, level, now);
	pmu_arm_again(cpu, driver, c, address, count, due, throttle);
}

PMU_INLINE void pmu_serve_counter(struct pmu_cpu *cpu, const struct pmu_driver *driver, struct pmu_counter *c,
				  uint64_t ip, unsigned level, uint64_t now, bool throttle)
{
	const uint32_t address = c->address;
	const uint64_t count = pmu_count_overflow(cpu, driver, c, address);

	pmu_serve_count(cpu, driver, c, address, count, ip, level, now, throttle);
}

/* Serves the lowest of these status bits: counter `c`'s, if it is one's. */
PMU_INLINE void pmu_serve_bit(struct pmu_cpu *cpu, const struct pmu_driver *driver, struct pmu_counter *c,
			      uint64_t overflowed, uint64_t ip, unsigned level, uint64_t now, bool throttle)
{
	if (__builtin_expect(c != NULL, true))
		pmu_serve_counter(cpu, driver, c, ip, level, now, throttle);
	else
		pmu_serve_other(cpu, overflowed, ip, level, now, throttle);
}

/* Serves the counters whose overflow status is set. All counters must be frozen. */
PMU_INLINE void pmu_serve(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip,
			  unsigned level, uint64_t now, bool throttle)
{
	do {
		pmu_serve_bit(cpu, driver, cpu->counter[__builtin_ctzll(overflowed)], overflowed, ip, level, now,
			      throttle);
		overflowed &= overflowed - 1;
	} while (overflowed);
}

/* Clears what is to be served, and serves it: the package's signal may come again at once. */
PMU_INLINE void pmu_clear_and_serve(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed,
				    uint64_t ip, unsigned level, uint64_t now, bool throttle)
{
	if (!driver->overflow_clear(overflowed))
		pmu_register_faulted(cpu);
	pmu_serve(cpu, driver, overflowed, ip, level, now, throttle);
}

/* Likewise, of sessions' counters, where each is cleared by itself. One after the other is looked at: some processors
 * have no instruction that finds the lowest bit. */
PMU_INLINE void pmu_clear_and_serve_each(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t overflowed,
					 uint64_t ip, unsigned level, uint64_t now)
{
	for (struct pmu_counter **c = cpu->counter; overflowed; overflowed >>= 1, c++) {
		uint64_t residue;
		uint32_t address;

		if (!(overflowed & 1))
			continue;
		address = (*c)->address;
		if (!driver->overflow_take(address, &residue))
			pmu_register_faulted(cpu);
		pmu_serve_count(cpu, driver, *c, address, pmu_count_residue(cpu, *c, residue), ip, level, now, false);
	}
}

/* What has overflowed that is software's to serve. */
PMU_INLINE uint64_t pmu_overflowed(struct pmu_cpu *cpu, const struct pmu_driver *driver)
{
	uint64_t overflowed;

	if (!driver->overflow_status(&overflowed))
		pmu_register_faulted(cpu);
	if (!driver->precise)
		return overflowed;
	return overflowed & cpu->served;
}

PMU_INLINE void pmu_count_clocks(struct pmu_cpu *cpu, uint64_t start)
{
	uint32_t clocks = (uint32_t)hal_clock() - (uint32_t)start;

	cpu->handler_clocks += clocks;
	if (clocks < cpu->statistics.clocks_least)
		cpu->statistics.clocks_least = clocks;
	if (clocks > cpu->statistics.clocks_most)
		cpu->statistics.clocks_most = clocks;
}

PMU_INLINE void pmu_overflow(const struct pmu_driver *driver, uint64_t ip, unsigned level)
{
	struct pmu_cpu *cpu = pmu_unit(driver);
	const uint64_t start = hal_clock();
	const uint64_t still = driver->still ? driver->still() : 0;
	const bool stopped = driver->stops_at_once && !(driver->features & PMU_FEATURE_FREEZE) && !driver->package;
	uint64_t overflowed;

	if (!(driver->features & PMU_FEATURE_FREEZE) && !still && !driver->enable(0))
		pmu_register_faulted(cpu);
	overflowed = pmu_overflowed(cpu, driver);
	if (__builtin_expect(!overflowed || --cpu->interrupts_left == 0, false)) {
		if (!pmu_overflow_rare(cpu, driver, overflowed, ip, level, start))
			goto masked;
	} else if (driver->overflow_take && __builtin_expect(!(overflowed & ~(still & cpu->taken)), true)) {
		pmu_clear_and_serve_each(cpu, driver, overflowed, ip, level, start);
	} else {
		pmu_clear_and_serve(cpu, driver, overflowed, ip, level, start, false);
	}
	// Before the last look at the status: what the package's PMU signals between the two would be dropped. Counters
	// that stand still, or stood still before the first look, have nothing new to say.
	hal_pmi_unmask();
	overflowed = still || stopped ? 0 : pmu_overflowed(cpu, driver);
	if (__builtin_expect(overflowed != 0, false))
		pmu_overflow_rounds(cpu, driver, overflowed, ip, level, start, PMU_ROUNDS - 1);
masked:
	hal_pmi_end();
	pmu_count_clocks(cpu, start);
	if (!driver->enable(cpu->enabled))
		pmu_register_faulted(cpu);
	if (driver->records && driver->records->resume && __builtin_expect(cpu->set_sessions != 0, false))
		pmu_resume(cpu, driver);
}

#endif
