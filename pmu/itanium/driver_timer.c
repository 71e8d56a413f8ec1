// SPDX-License-Identifier: BSD-2-Clause
// The interval timer (6.1.2.1): ITC counts cycles, and when it reaches ITM it interrupts, here with the overflow
// interrupt's vector. As a counter: while it runs, its count is what has passed since `origin`, and it overflows like
// one of 32 bits. It does not stand still with the monitors: the origin keeps what passes in an interrupt. Counters
// whose overflows do not interrupt are looked at when it interrupts: often enough, while it runs.

#include "driver.h"

#include "field.h"
#include "hal.h"

#define MODULUS	(1ULL << ITANIUM_COUNTER_WIDTH)

// Cycles that are left when ITM has been written too late for ITC to reach it.
#define AGAIN	1000

static bool read_clock(const struct itanium_monitor *m, uint64_t *count)
{
	uint64_t clock = 0;
	const bool ok = !m->timer_runs || reg_read(ITANIUM_ITC, &clock);

	*count = m->timer_runs ? clock - m->origin : m->count;
	return ok;
}

// ITC interrupts when it becomes ITM, not when it is behind it.
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

// Masked, and with the vector of the overflow interrupt.
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
		return !on || set_match(m);	// ITM may be another one's meanwhile
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

// What has passed since the last read stays counted.
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
