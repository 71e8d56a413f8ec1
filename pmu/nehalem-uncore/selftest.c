// SPDX-License-Identifier: BSD-2-Clause
// Self test of the Core i7 / Xeon 5500 uncore PMU. The program cannot choose the events of the
// uncore, so the general counters are tried with a condition that always holds: fewer than one
// event in a cycle, of an event that cannot occur. Its cycles are those of the fixed counter.

#include "selftest.h"

#include "cpus.h"
#include "hal.h"
#include "regs.h"
#include "stimulus.h"

#define GENERAL		UNCORE_GENERAL_COUNTERS
#define ALL_COUNTERS	(UNCORE_GENERAL_MASK | UNCORE_FIXED_MASK)

extern const struct pmu_driver pmu_driver_nehalem_uncore;

//
// Registers and counters
//

SELFTEST_REGISTERS(UNCORE_REGISTERS, SELFTEST_NUMBERED)

// Requests that match address and opcode while matching is off: none occur (the guide, Table 37).
#define NEVER		"UNC_ADDR_OPCODE_MATCH.LOCAL.NONE"
#define EVERY_CYCLE	NEVER ":c=1:i"

static const struct selftest_counters counters[] = {
	{.first = 0, .count = GENERAL, .event = EVERY_CYCLE, .cycles = EVERY_CYCLE,
	 .interrupt = FIELD(UNCORE_PERFEVTSEL, PMI)},
	{.first = UNCORE_FIXED, .count = 1, .event = "UNC_CLK_UNHALTED", .cycles = "UNC_CLK_UNHALTED",
	 .interrupt = FIELD(UNCORE_FIXED_CTR_CTRL, PMI)},
};

static void lock_bus(uint64_t)
{
	hal_bus_lock();
}

static void begin_on_cpu(void *)
{
	selftest_require(pmu_begin(&pmu_driver_nehalem_uncore, false) == PMU_OK);
}

static uint64_t samples_on_cpu[HAL_CPUS];

static void take_samples_on_cpu(void *)
{
	struct pmu_sample sample;

	while (pmu_take_sample(&sample))
		samples_on_cpu[hal_cpu()]++;
}

static void call_all(unsigned cpus, void (*function)(void *))
{
	function(NULL);
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		selftest_call(cpu, function, NULL);
}

#define PERIOD	1000000
#define PIECE	1000
#define PIECES	(16 * PERIOD / PIECE)	/* upper limit: an uncore cycle can contain several
					 * instructions */

// One overflow puts a sample into each CPU's ring. Returns a bit mask of the CPUs that have exactly
// one.
static uint64_t find_cpus_that_sampled(unsigned, uint64_t)
{
	unsigned cpus = hal_cpus_start();
	uint64_t found = 0;

	call_all(cpus, begin_on_cpu);
	selftest_start("UNC_CLK_UNHALTED:period=1000000");
	for (unsigned i = 0; i < cpus; i++)
		samples_on_cpu[i] = 0;
	for (unsigned i = 0; i < PIECES && selftest_count(0) < PERIOD; i++)
		hal_execute(PIECE);
	call_all(cpus, take_samples_on_cpu);
	selftest_stop();
	for (unsigned i = 0; i < cpus; i++)
		found |= (uint64_t)(samples_on_cpu[i] == 1) << i;
	selftest_expect((1u << cpus) - 1);
	return found;
}

#define INVERT	FLIP(FIELD(UNCORE_PERFEVTSEL, INV))

static const struct selftest_case cases[] = {
	{"width, all 48 bits: #", ALL_COUNTERS, FIELD_MASK(0, UNCORE_COUNTER_WIDTH),
	 DO(WRITTEN(FIELD(UNCORE_PMC, COUNT)))},
	{"without EN does not count: #", UNCORE_GENERAL_MASK, 0, DO(STOPPED_BY(FIELD(UNCORE_PERFEVTSEL, EN)))},
	{"without EN does not count: #", UNCORE_FIXED_MASK, 0, DO(STOPPED_BY(FIELD(UNCORE_FIXED_CTR_CTRL, EN)))},
	{"CMASK 1 with INV, no event: all cycles: #", UNCORE_GENERAL_MASK, DO(ALL_CYCLES(EVERY_CYCLE))},
	{"CMASK 1, no event: no cycle: #", UNCORE_GENERAL_MASK, DO(NO_CYCLES(NEVER ":c=1"))},
	// Without CMASK there is no comparison to invert, as in the cores' counters (the guide,
	// Appendix II).
	{"INV without CMASK, no event: nothing: #", 1, 0, DO(SET_EVENT(NEVER, 0), INVERT, RUN(1000), VALUE)},
	{"a ninth counter faults", 0, true,
	 DO(ABSENT(MSR_UNCORE_PMC + GENERAL), ABSENT(MSR_UNCORE_PERFEVTSEL + GENERAL))},
	// A condition that begins twice, each time for many cycles. It is false when counting
	// starts, because no manual says whether a true one would be an edge.
	{"E counts each beginning of a condition once: #", UNCORE_GENERAL_MASK, 2,
	 DO(SET_EVENT(NEVER ":c=1:e", 0), LET_COUNT, INVERT, EXECUTE(hal_execute, 10), INVERT,
	    INVERT, EXECUTE(hal_execute, 10), INVERT, STOP_ALL, VALUE)},
	// After a reset and a bus lock, a tracker never exceeds the read tracker's 32 entries.
	{"an occupancy that was reset is at most the queue's entries: #", UNCORE_GENERAL_MASK, 0,
	 DO(PUT(0), PUT_CONTROL(FIELD_PUT(UNCORE_PERFEVTSEL, EVTSEL, UNCORE_EVENT_GQ_OCCUPANCY) |
			    FIELD_PUT(UNCORE_PERFEVTSEL, EVTMSK, 1) | FIELD_PUT(UNCORE_PERFEVTSEL, CMASK, 33) |
			    FIELD(UNCORE_PERFEVTSEL, OCC_CTR_RST) | FIELD(UNCORE_PERFEVTSEL, EN)),
	    EXECUTE(lock_bus, 1), RUN(1000), VALUE)},
	// Acknowledging all bits clears the whole status.
	{"acknowledging all leaves no status", 0, 0,
	 DO(OVERFLOW_ONCE(0), ACKNOWLEDGE(REGISTER_BITS(UNCORE_PERF_GLOBAL_OVF_CTRL, W1C)),
	    READ(MSR_UNCORE_PERF_GLOBAL_STATUS))},
	{"session: an overflow is sampled once on each CPU", DO(FIND(find_cpus_that_sampled, 0))},
	// The sampling counter's count equals that of a counter that never interrupts.
	{"session: a counter that samples is exact",
	 DO(START("UNC_CLK_UNHALTED," EVERY_CYCLE ":period=1000"), EXECUTE(hal_execute, 10000), STOP,
	    COUNT_OF(0), EXPECT(1), COUNT_OF(1))},
};

const struct selftest_suite selftest_suite_nehalem_uncore = {
	.driver = &pmu_driver_nehalem_uncore,
	SELFTEST_LIST(registers),
	.has = SELFTEST_GLOBAL | SELFTEST_FREEZES,
	SELFTEST_LIST(counters),
	.enable = MSR_UNCORE_PERF_GLOBAL_CTRL,
	.enable_also = FIELD(UNCORE_PERF_GLOBAL_CTRL, PMI_FRZ),
	.status = MSR_UNCORE_PERF_GLOBAL_STATUS,
	.clear = MSR_UNCORE_PERF_GLOBAL_OVF_CTRL,
	.freeze_address = MSR_UNCORE_PERF_GLOBAL_CTRL,
	.freeze_mask = ALL_COUNTERS,
	SELFTEST_LIST(cases),
};
