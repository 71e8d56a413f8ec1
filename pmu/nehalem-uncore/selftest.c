// SPDX-License-Identifier: BSD-2-Clause
// Self test of the Core i7 / Xeon 5500 uncore PMU. What happens in the uncore is not the program's to choose, so the
// general counters are tried with a condition that always holds: fewer than one event in a cycle, of an event that
// cannot happen. Its cycles are those of the fixed counter.

#include "selftest.h"

#include "hal.h"
#include "regs.h"

#define GENERAL		UNCORE_GENERAL_COUNTERS
#define ALL_COUNTERS	(UNCORE_GENERAL_MASK | UNCORE_FIXED_MASK)
#define BIT(counter)	(1ULL << (counter))

extern const struct pmu_driver pmu_driver_nehalem_uncore;

//
// Registers and counters
//

SELFTEST_REGISTERS(UNCORE_REGISTERS, SELFTEST_NUMBERED)

// Requests that match an address and an opcode, with the matching off: there are none (the guide, Table 37).
#define NEVER		"UNC_ADDR_OPCODE_MATCH.LOCAL.NONE"
#define EVERY_CYCLE	NEVER ":c=1:i"

static const struct selftest_written written[] = {
	{"width, all 48 bits: ", FIELD(UNCORE_PMC, COUNT), FIELD_MASK(0, UNCORE_COUNTER_WIDTH)}, {0},
};

static const struct selftest_stop stop_general[] = {
	{"without EN does not count: ", FIELD(UNCORE_PERFEVTSEL, EN)}, {0},
}, stop_fixed[] = {
	{"without EN does not count: ", FIELD(UNCORE_FIXED_CTR_CTRL, EN)}, {0},
};

static const struct selftest_condition conditions[] = {
	{"CMASK 1 with INV, no event: all cycles: ", EVERY_CYCLE, true},
	{"CMASK 1, no event: no cycle: ", NEVER ":c=1", false}, {0},
};

static const struct selftest_counters counters[] = {
	{.first = 0, .count = GENERAL, .event = EVERY_CYCLE, .cycles = EVERY_CYCLE, .written = written,
	 .interrupt = FIELD(UNCORE_PERFEVTSEL, PMI), .stop = stop_general, .condition = conditions},
	{.first = UNCORE_FIXED, .count = 1, .event = "UNC_CLK_UNHALTED", .cycles = "UNC_CLK_UNHALTED",
	 .written = written, .interrupt = FIELD(UNCORE_FIXED_CTR_CTRL, PMI), .stop = stop_fixed},
};

static struct selftest_result check_absent(unsigned)
{
	static const uint32_t absent[] = {MSR_UNCORE_PMC + GENERAL, MSR_UNCORE_PERFEVTSEL + GENERAL};

	return selftest_absent(absent, sizeof absent / sizeof *absent);
}

// A condition that begins twice, each time for many cycles. It does not hold when counting begins: whether that
// would be an edge, no manual says.
static struct selftest_result check_edge(unsigned counter)
{
	selftest_set_event(counter, NEVER ":c=1:e", 0);
	selftest_enable(BIT(counter));
	for (unsigned i = 0; i < 2; i++) {
		selftest_flip(counter, FIELD(UNCORE_PERFEVTSEL, INV));
		hal_execute(10);
		selftest_flip(counter, FIELD(UNCORE_PERFEVTSEL, INV));
	}
	selftest_enable(0);
	return selftest_compare(2, selftest_value(counter));
}

// Emptied by a bus lock, a tracker that was reset never knows of more entries than the read tracker has, 32.
static struct selftest_result check_occupancy(unsigned counter)
{
	selftest_write(MSR_UNCORE_PMC + counter, 0);
	selftest_write(MSR_UNCORE_PERFEVTSEL + counter,
		       FIELD_PUT(UNCORE_PERFEVTSEL, EVTSEL, UNCORE_EVENT_GQ_OCCUPANCY) |
		       FIELD_PUT(UNCORE_PERFEVTSEL, EVTMSK, 1) | FIELD_PUT(UNCORE_PERFEVTSEL, CMASK, 33) |
		       FIELD(UNCORE_PERFEVTSEL, OCC_CTR_RST) | FIELD(UNCORE_PERFEVTSEL, EN));
	hal_bus_lock();
	selftest_run_counters(BIT(counter), 1000);
	return selftest_compare(0, selftest_value(counter));
}

// An acknowledgement with all bits leaves nothing of the status.
static struct selftest_result check_acknowledge_all(unsigned)
{
	selftest_overflow_once(0, false);
	selftest_acknowledge(REGISTER_BITS(UNCORE_PERF_GLOBAL_OVF_CTRL, W1C));
	return selftest_compare(0, selftest_read(MSR_UNCORE_PERF_GLOBAL_STATUS));
}

//
// The runtime on top: all CPUs of the package take part
//

static bool cpu_ok[HAL_CPUS];

static void begin_on_cpu(void *argument)
{
	const struct pmu_driver *driver = argument;

	cpu_ok[hal_cpu()] = pmu_begin(driver, false) == PMU_OK;
}

static uint64_t samples_on_cpu[HAL_CPUS];

static void take_samples_on_cpu(void *)
{
	struct pmu_sample sample;

	while (pmu_take_sample(&sample))
		samples_on_cpu[hal_cpu()]++;
}

static void call_all(unsigned cpus, void (*function)(void *argument), void *argument)
{
	function(argument);
	for (unsigned cpu = 0; cpu < cpus; cpu++)
		selftest_call(cpu, function, argument);
}

// One overflow: a sample in each CPU's ring. Bits of the CPUs that have exactly one.
static struct selftest_result check_broadcast(unsigned)
{
	unsigned cpus = hal_cpus_start();
	uint64_t found = 0;

	call_all(cpus, begin_on_cpu, (void *)(uintptr_t)pmu_current_driver());
	selftest_start("UNC_CLK_UNHALTED:period=1000000");
	for (unsigned i = 0; i < cpus; i++)
		samples_on_cpu[i] = 0;
	hal_execute(1000100);
	call_all(cpus, take_samples_on_cpu, NULL);
	selftest_stop();
	for (unsigned i = 0; i < cpus; i++)
		found |= (uint64_t)(samples_on_cpu[i] == 1 && cpu_ok[i]) << i;
	return selftest_compare((1u << cpus) - 1, found);
}

// A counter that interrupts has what one beside it has that never does.
static struct selftest_result check_session(unsigned)
{
	selftest_start("UNC_CLK_UNHALTED,UNC_ADDR_OPCODE_MATCH.LOCAL.NONE:c=1:i:period=1000");
	hal_execute(10000);
	selftest_stop();
	return selftest_compare(selftest_count(0), selftest_count(1));
}

#define EACH_GENERAL(name, run)									\
	{name "UNCORE_PMC0", run, 0}, {name "UNCORE_PMC1", run, 1}, {name "UNCORE_PMC2", run, 2},	\
	{name "UNCORE_PMC3", run, 3}, {name "UNCORE_PMC4", run, 4}, {name "UNCORE_PMC5", run, 5},	\
	{name "UNCORE_PMC6", run, 6}, {name "UNCORE_PMC7", run, 7}

static const struct selftest_check checks[] = {
	{"a ninth counter faults", check_absent, 0},
	EACH_GENERAL("E counts each beginning of a condition once: ", check_edge),
	EACH_GENERAL("an occupancy that was reset is at most the queue's entries: ", check_occupancy),
	{"acknowledging all leaves no status", check_acknowledge_all, 0},
	{"session: an overflow is sampled once on each CPU", check_broadcast, 0},
	{"session: a counter that samples is exact", check_session, 0},
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
	SELFTEST_LIST(checks),
};
