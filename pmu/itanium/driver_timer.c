// SPDX-License-Identifier: BSD-2-Clause
// The interval timer (6.1.2.1) as a counter of 32 bits. ITC counts cycles and interrupts when it
// reaches ITM, here with the vector of the overflow interrupt. While the counter runs, its count is
// ITC - `origin`. ITC does not stop while the monitors are frozen, so cycles in an interrupt count,
// too. The timer also interrupts often enough to poll counters whose overflows do not interrupt.

#include "driver.h"

#include "field.h"
#include "hal.h"

#define MODULUS	(1ULL << ITANIUM_COUNTER_WIDTH)

// The distance of a new match if ITC has passed ITM already.
#define AGAIN	1000

static bool read_clock(const struct itanium_monitor *m, uint64_t *count)
{
	uint64_t clock = 0;
	const bool ok = !m->timer_runs || reg_read(ITANIUM_ITC, &clock);

	*count = m->timer_runs ? clock - m->origin : m->count;
	return ok;
}

// ITC interrupts only when it equals ITM. If it has passed ITM, the match is set again, AGAIN
// cycles ahead.
static bool set_match(const struct itanium_monitor *m)
{
	const bool looks = m->live & ~m->interrupting;
	uint64_t match = m->origin + MODULUS, clock = 0;
	bool ok = reg_read(ITANIUM_ITC, &clock);

	if (looks && match - clock > ITANIUM_LOOK_CLOCKS)
		match = clock + ITANIUM_LOOK_CLOCKS;
	ok &= reg_write(ITANIUM_ITM, match) && reg_read(ITANIUM_ITC, &clock);
	if ((int64_t)(clock - match) >= 0)
		ok &= reg_write(ITANIUM_ITM, clock + AGAIN);
	return ok;
}

// Gives ITV the vector of the overflow interrupt.
static bool set_vector(bool masked)
{
	uint64_t overflow = 0;

	return reg_read(ITANIUM_PMV, &overflow) &&
	       reg_write(ITANIUM_ITV, FIELD_PUT(ITV, vector, FIELD_GET(PMV, vector, overflow)) |
				      FIELD_PUT(ITV, m, masked));
}

bool itanium_timer_enable(bool on)
{
	struct itanium_monitor *m = itanium_monitor();
	uint64_t clock = 0;
	bool ok;

	if (on == m->timer_runs)
		return !on || set_match(m);	// other software may have changed ITM
	ok = reg_read(ITANIUM_ITC, &clock);
	if (on) {
		m->origin = clock - m->count;
		m->timer_runs = true;
		return set_match(m) && set_vector(false) && ok;
	}
	m->count = clock - m->origin;
	m->timer_runs = false;
	return set_vector(true) && ok;
}

bool itanium_timer_program(const struct pmu_counter *c)
{
	const bool ok = itanium_timer_enable(false);

	itanium_monitor()->count = c->start;
	return ok;
}

bool itanium_timer_release(void)
{
	const bool ok = itanium_timer_enable(false);

	itanium_monitor()->count = 0;
	return ok;
}

bool itanium_timer_read(uint64_t *value)
{
	struct itanium_monitor *m = itanium_monitor();
	const bool ok = read_clock(m, &m->count);

	*value = (uint32_t)m->count;
	return ok;
}

// Sets the count. Cycles since the last read stay counted.
bool itanium_timer_write(uint64_t value)
{
	struct itanium_monitor *m = itanium_monitor();

	m->origin += m->count - value;
	m->count = value;
	return !m->timer_runs || set_match(m);
}

bool itanium_timer_is_due(void)
{
	uint64_t count;

	return read_clock(itanium_monitor(), &count) && count >= MODULUS;
}
