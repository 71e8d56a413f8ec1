// SPDX-License-Identifier: BSD-2-Clause
// Random sessions of the knc driver on four threads whose programs switch their user filters
// (SPFLT). Whenever a thread takes interrupts, no overflow remains without one.

#include "pmu/knc/driver.h"

#include "../random_sessions.h"

#define CONTROL(thread, address) threads[thread].control[(address) - SEL0]

// Table 1-5.
static uint64_t added(unsigned of, unsigned i, unsigned thread, unsigned level, uint64_t n)
{
	const uint64_t select = CONTROL(of, SEL0 + i), spflt = CONTROL(of, SPFLT);
	const uint64_t events = (select & 0xFF) == CYCLES ? 1 : n;

	if (!(CONTROL(of, GLOBAL) >> i & 1) || !(select & EN) || !(select & (level ? USR : OS)))
		return 0;
	if ((of != thread && !(select & ANY)) || (spflt >> i & 1 && !(spflt & USER_PREF)))
		return 0;
	return CMASK_OF(select) ? events >= CMASK_OF(select) : events;
}

static void signals(struct occurrence *o, unsigned thread, unsigned level, uint64_t n)
{
	o[0] = o[1] = (struct occurrence){.code = CYCLES, .n = 1, .thread = (uint8_t)thread,
					  .level = (uint8_t)level};
	o[0].code = INSTRUCTIONS;
	o[0].n = (uint32_t)n;
}

static void prefer(void)
{
	uint64_t *spflt = &CONTROL(this_thread(), SPFLT);

	this->here->preferred = between(0, 1);
	assert_true(hal_spflt(this->here->preferred));	// in a cycle without events
	*spflt = (*spflt & ~USER_PREF) | (this->here->preferred ? USER_PREF : 0);
}

static void assert_put_aside(void)
{
	assert_no_trace();
	assert_int_equal(get(GLOBAL), 0);
}

static void assert_status_and_preference(void)
{
	if (!this->waiting)
		assert_int_equal(get(STATUS), 0);
	assert_int_equal(get(SPFLT) >> 63, this->here->preferred);
}

static const struct random_sessions target = {
	.threads = THREADS, .counters = COUNTERS, .width = 40, .sessions = 2,
	.count_address = CNTR0,
	.control_address = SEL0, .least = 2,
	.events = {"INSTRUCTIONS_EXECUTED", "CPU_CLK_UNHALTED"},
	.level = {{":u", 2}, {":k", 2}, {"", 2}}, .level_count = 3,
	.modifiers = {"", ":t", ":spflt", ":c=2", ":t:spflt"}, .modes = {0, 3, 3}, .added = added,
	.signals = signals,
	.happen = prefer, .put_aside = assert_put_aside, .check = assert_status_and_preference,
};

int main(void)
{
	return run_random_sessions("knc: driver, at random");
}
