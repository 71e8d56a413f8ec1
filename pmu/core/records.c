// SPDX-License-Identifier: BSD-2-Clause
// Samples with a payload, and precise events, whose samples are records that the processor writes.

#include "records.h"

#include "counter.h"
#include "settings.h"

const char *pmu_give_buffer(uint64_t address, uint64_t size)
{
	const struct pmu_driver *driver = pmu_this_cpu()->driver;

	const char *why = driver->precise ? driver->precise->buffer(address, size) :
					    "this processor writes no records";

	if (!why)
		pmu_this_cpu()->has_buffer = true;
	return why;
}

// Before the overflow, the processor has loaded the counter with c->reload. If it did so for
// several records, only the first one has its own period. The differences of the others are added
// to `slipped`.
static void account(struct pmu_cpu *cpu, struct pmu_counter *c)
{
	cpu->statistics.overflows++;
	c->samples++;
	c->due += c->reload;
	c->slipped += c->reload - pmu_period(c, c->samples);
	c->wrap = c->due;
}

const struct pmu_counter *pmu_take_record(struct pmu_cpu *cpu, uint64_t named)
{
	for (uint64_t left = named; left; left &= left - 1)
		account(cpu, cpu->counter[__builtin_ctzll(left)]);
	if (named && !(named & (named - 1)))
		return cpu->counter[__builtin_ctzll(named)];
	cpu->statistics.ambiguous++;
	return NULL;
}

void pmu_choose_reload(struct pmu_counter *c)
{
	c->reload = pmu_period(c, c->samples + 1);
}

// From here on software owns the counter's overflow. An event that counts only where its records
// are written stops.
__attribute__((noinline)) static bool end_records(struct pmu_cpu *cpu, struct pmu_counter *c)
{
	const struct pmu_driver *driver = cpu->driver;
	struct pmu_setting unneeded;
	uint64_t value = 0, count;
	bool ok = driver->read(c->address, &value);

	count = pmu_count(driver, c, value);
	ok &= driver->precise->end(c, &unneeded);
	ok &= pmu_settings_end(cpu, &unneeded);
	c->precise = false;
	cpu->served |= 1ULL << c->number;
	pmu_throttle(cpu, c, count);
	return driver->write(c->address, pmu_set_start(driver, c, count)) && ok;
}

bool pmu_take_records(struct pmu_cpu *cpu, unsigned level, uint64_t now, bool throttle)
{
	bool ok = cpu->driver->precise->take(cpu, level, now);

	for (uint64_t left = throttle ? ~cpu->served : 0; left; left &= left - 1)
		ok &= end_records(cpu, cpu->counter[__builtin_ctzll(left)]);
	return ok;
}

void pmu_resume(struct pmu_cpu *cpu, const struct pmu_driver *driver)
{
	const uint32_t stopped = driver->records->stopped;

	for (const struct pmu_session *s = cpu->open; s; s = s->next)
		for (const struct pmu_setting *n = s->setting, *end = n + s->setting_count; n < end;
		     n++)
			if (n->address == stopped && !pmu_setting_put(n, n->value))
				pmu_register_faulted(cpu);
}

// The counters are frozen meanwhile.
bool pmu_read_precise(struct pmu_cpu *cpu, const struct pmu_driver *driver,
		      const struct pmu_counter *c, uint64_t *count)
{
	uint64_t state, value = 0;
	bool ok = driver->freeze(&state);

	ok &= pmu_take_records(cpu, 0, hal_clock(), false);
	ok &= driver->read(c->address, &value);
	*count = pmu_count(driver, c, value);
	return driver->thaw(state) && ok;
}
