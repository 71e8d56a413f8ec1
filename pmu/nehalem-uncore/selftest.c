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
	{.first = UNCORE_FIXED, .count = 1, .event = "UNC_CLK_UNHALTED",
	 .cycles = "UNC_CLK_UNHALTED",
	 .interrupt = FIELD(UNCORE_FIXED_CTR_CTRL, PMI)},
};

//
// Registers and counting
//

static uint64_t write_takes_all_48_bits(unsigned counter)
{
	return selftest_written(counter, FIELD(UNCORE_PMC, COUNT));
}

static uint64_t general_counts_without_enable_bit(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD(UNCORE_PERFEVTSEL, EN));
}

static uint64_t fixed_counts_without_enable_bit(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD(UNCORE_FIXED_CTR_CTRL, EN));
}

static uint64_t inverted_threshold_counts_all_cycles(unsigned counter)
{
	return selftest_all_cycles(counter, EVERY_CYCLE);
}

static uint64_t threshold_counts_no_cycle(unsigned counter)
{
	return selftest_no_cycles(counter, NEVER ":c=1");
}

static void invert(unsigned counter)
{
	selftest_flip(counter, FIELD(UNCORE_PERFEVTSEL, INV));
}

// Without CMASK there is no comparison to invert, as in the cores' counters (the guide, Appendix
// II).
static uint64_t inversion_without_threshold_counts_nothing(unsigned counter)
{
	selftest_set_event(counter, NEVER, 0);
	invert(counter);
	selftest_run(counter, 1000);
	return selftest_value(counter);
}

static uint64_t ninth_counter_faults(unsigned)
{
	selftest_require_absent(MSR_UNCORE_PMC + GENERAL);
	selftest_require_absent(MSR_UNCORE_PERFEVTSEL + GENERAL);
	return true;
}

// A condition that begins twice, each time for many cycles. It is false when counting starts,
// because no manual says whether a true one would be an edge.
static uint64_t edge_counts_each_beginning(unsigned counter)
{
	selftest_set_event(counter, NEVER ":c=1:e", 0);
	selftest_enable(BIT(counter));
	for (unsigned i = 0; i < 2; i++) {
		invert(counter);
		hal_execute(10);
		invert(counter);
	}
	selftest_enable(0);
	return selftest_value(counter);
}

// After a reset and a bus lock, a tracker never exceeds the read tracker's 32 entries.
static uint64_t occupancy_after_reset_is_in_range(unsigned counter)
{
	selftest_write_value(counter, 0);
	selftest_write_control(counter,
			       FIELD_PUT(UNCORE_PERFEVTSEL, EVTSEL, UNCORE_EVENT_GQ_OCCUPANCY) |
					FIELD_PUT(UNCORE_PERFEVTSEL, EVTMSK, 1) |
					FIELD_PUT(UNCORE_PERFEVTSEL, CMASK, 33) |
					FIELD(UNCORE_PERFEVTSEL, OCC_CTR_RST) |
					FIELD(UNCORE_PERFEVTSEL, EN));
	hal_bus_lock();
	selftest_run(counter, 1000);
	return selftest_value(counter);
}

static uint64_t acknowledging_all_leaves_no_status(unsigned counter)
{
	selftest_overflow_once(counter, 0);
	selftest_acknowledge(REGISTER_BITS(UNCORE_PERF_GLOBAL_OVF_CTRL, W1C));
	return selftest_read(MSR_UNCORE_PERF_GLOBAL_STATUS);
}

#define CHANGED	FIELD(UNCORE_PERF_GLOBAL_STATUS, CHG)
#define SIGNAL	FIELD(UNCORE_PERF_GLOBAL_STATUS, OVF_PMI)

// The guide, on UNCORE_PERF_GLOBAL_STATUS: an overflow sets CHG, and OVF_PMI if it signals.
static uint64_t overflow_sets_change_and_signal(unsigned counter)
{
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_read(MSR_UNCORE_PERF_GLOBAL_STATUS) & (CHANGED | SIGNAL);
}

static uint64_t acknowledging_the_signal_leaves_change(unsigned counter)
{
	selftest_overflow_once(counter, INTERRUPTING);
	selftest_acknowledge(FIELD(UNCORE_PERF_GLOBAL_OVF_CTRL, CLR_OVF_PMI));
	return selftest_read(MSR_UNCORE_PERF_GLOBAL_STATUS) & (CHANGED | SIGNAL);
}

//
// Sessions
//

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
static uint64_t overflow_is_sampled_once_on_each_cpu(unsigned)
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

// The sampling counter's count equals that of a counter that never interrupts.
static uint64_t sampling_counter_is_exact(unsigned)
{
	selftest_start("UNC_CLK_UNHALTED," EVERY_CYCLE ":period=1000");
	hal_execute(10000);
	selftest_stop();
	selftest_expect(selftest_count(0));
	return selftest_count(1);
}

//
// The suite
//

static const struct selftest_case cases[] = {
	{"width, all 48 bits: #", ALL_COUNTERS, FIELD_MASK(0, UNCORE_COUNTER_WIDTH),
	 .run = write_takes_all_48_bits},
	{"without EN does not count: #", UNCORE_GENERAL_MASK, 0,
	 .run = general_counts_without_enable_bit},
	{"without EN does not count: #", UNCORE_FIXED_MASK, 0,
	 .run = fixed_counts_without_enable_bit},
	{"CMASK 1 with INV, no event: all cycles: #", UNCORE_GENERAL_MASK,
	 .run = inverted_threshold_counts_all_cycles},
	{"CMASK 1, no event: no cycle: #", UNCORE_GENERAL_MASK, .run = threshold_counts_no_cycle},
	{"INV without CMASK, no event: nothing: #", UNCORE_GENERAL_MASK, 0,
	 .run = inversion_without_threshold_counts_nothing},
	{"a ninth counter faults", 0, true, .run = ninth_counter_faults},
	{"E counts each beginning of a condition once: #", UNCORE_GENERAL_MASK, 2,
	 .run = edge_counts_each_beginning},
	{"an occupancy that was reset is at most the queue's entries: #", UNCORE_GENERAL_MASK, 0,
	 .run = occupancy_after_reset_is_in_range},
	{"acknowledging all leaves no status", 0, 0, .run = acknowledging_all_leaves_no_status},
	{"overflow sets CHG and OVF_PMI", 0, CHANGED | SIGNAL,
	 .run = overflow_sets_change_and_signal},
	{"acknowledging OVF_PMI leaves CHG", 0, CHANGED,
	 .run = acknowledging_the_signal_leaves_change},
	{"session: an overflow is sampled once on each CPU",
	 .run = overflow_is_sampled_once_on_each_cpu},
	{"session: a counter that samples is exact", .run = sampling_counter_is_exact},
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
