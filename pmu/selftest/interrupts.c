// SPDX-License-Identifier: BSD-2-Clause
// The interrupt handler of checks that examine the hardware alone.

#include "suite.h"

#include "hal.h"
#include "stimulus.h"

const struct selftest_seen *selftest_seen_on(unsigned cpu)
{
	return &selftest_now()->seen[cpu];
}

static struct selftest_seen *seen_here(void)
{
	return &selftest_now()->seen[hal_cpu()];
}

const struct selftest_seen *selftest_seen(void)
{
	return seen_here();
}

static bool is_frozen(void)
{
	const struct selftest_suite *suite = selftest_now()->suite;

	return (selftest_read(suite->freeze_address) & suite->freeze_mask) == suite->frozen;
}

bool selftest_frozen(void)
{
	return seen_here()->interrupts ? seen_here()->frozen : is_frozen();
}

static void on_interrupt(uint64_t ip, unsigned level)
{
	const struct selftest_now *now = selftest_now();
	struct selftest_seen *s = seen_here();

	if (now->register_watched)
		s->reading = selftest_read(now->register_watched);
	if (now->serving & WATCH_CLEARS)
		selftest_write(now->register_watched, 0);
	if (now->serving & WATCH_SLOW)
		hal_execute(500);
	s->level = level;
	s->ip = ip;
	if (now->suite->precise)
		s->precise = now->suite->precise();
	if (now->suite->freeze_mask)
		s->frozen = is_frozen();
	s->status = selftest_status();
	if (s->interrupts++ >= (now->serving & WATCH_NOTHING)) {
		selftest_enable(0);
		selftest_acknowledge(s->status);
	}
	if (!(now->suite->has & SELFTEST_MASKS) || now->serving & WATCH_UNMASKS)
		hal_pmi_unmask();
	hal_pmi_end();
	if (now->serving & WATCH_RESTARTS && s->interrupts == 1) {
		selftest_write(now->suite->driver->address(now->watched),
			       FIELD_MASK(0, now->suite->driver->shape->width));
		selftest_enable(1ULL << now->watched);
	}
}

// Interrupts of the package's PMU remain with the runtime of all its CPUs.
void selftest_watch(unsigned counter, unsigned how, uint32_t reading)
{
	selftest_now()->watched = counter;
	selftest_now()->serving = how;
	selftest_now()->attached = true;
	selftest_now()->register_watched =
		how & WATCH_READS ? selftest_now()->suite->driver->address(counter) : reading;
	for (unsigned cpu = 0; cpu < HAL_CPUS; cpu++)
		selftest_now()->seen[cpu].interrupts = 0;
	*seen_here() = (struct selftest_seen){0};
	if (selftest_now()->suite->has & SELFTEST_INTERRUPTS)
		hal_pmi_attach(on_interrupt, how & WATCH_NMI ? HAL_PMI_NMI : HAL_PMI_VECTOR);
}
