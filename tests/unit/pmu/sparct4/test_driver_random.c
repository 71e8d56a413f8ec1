// SPDX-License-Identifier: BSD-2-Clause
// The sparct4 driver at random: sessions of traps and of polling.

#include "pmu/sparct4/driver.h"

#include "../random_sessions.h"

#define COUNTERS	4

// Table 10-1; one instruction per cycle.
static uint64_t added(unsigned of, unsigned i, unsigned thread, unsigned level, uint64_t n)
{
	static const uint64_t modes[] = {[HYPERPRIVILEGED] = PCR_HT, [PRIVILEGED] = PCR_ST,
					 [USER] = PCR_UT};
	const uint64_t pcr = threads[of].control[i];

	(void)thread, (void)n;
	return pcr & modes[level] && pcr & PCR_SL(0x1F);
}

static void signals(struct occurrence *o, unsigned thread, unsigned level, uint64_t n)
{
	const uint8_t type = n ? EXECUTED : NOT_EXECUTED;

	o[0] = (struct occurrence){.code = 3, .sub = 0x20, .n = 1, .level = (uint8_t)level,
				   .ip = 0x1000, .type = type};
	o[1] = (struct occurrence){.code = 26, .n = 1, .level = (uint8_t)level, .ip = 0x1000,
				   .type = type};
	(void)thread;
}

static void assert_put_aside(void)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		assert_int_equal(get(PCR(i)), PCR_CLOSED);
		assert_int_equal(get(PIC(i)), 0);
	}
}

// Programming note on sl 28: no PIC at -3 to -1. A handler executes in hyperprivileged mode (plm
// 1).
static const struct random_sessions target = {
	.threads = 1, .counters = COUNTERS, .width = 32, .sessions = 3, .count_address = PIC(0),
	.control_address = PCR(0), .least = 4, .events = {"Instr_all", "Cycles"}, .modifiers = {""},
	.level = {{":plm=1", 300}, {":plm=2", 4}, {":plm=8", 4}, {":plm=9", 300}, {":plm=10", 4},
		  {":plm=11", 300}},
	.level_count = 6, .modes = {HYPERPRIVILEGED, PRIVILEGED, USER}, .added = added,
	.signals = signals,
	.happen = pmu_poll, .put_aside = assert_put_aside,
};

int main(void)
{
	return run_random_sessions("sparct4: driver, at random");
}
