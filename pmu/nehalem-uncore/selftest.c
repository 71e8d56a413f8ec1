// SPDX-License-Identifier: BSD-2-Clause
// Self test of the Core i7 / Xeon 5500 uncore PMU. What happens in the uncore is not the program's to choose, so the
// general counters are tried with a condition that always holds: fewer than one event in a cycle, of an event that
// cannot happen. Its cycles are those of the fixed counter.

#include "selftest.h"

#include "hal.h"
#include "regs.h"

#define GENERAL		UNCORE_GENERAL_COUNTERS
#define COUNTERS	(GENERAL + 1)		/* 0-7 general, 8 the fixed one */
#define FIXED		GENERAL
#define ALL_COUNTERS	(UNCORE_GENERAL_MASK | UNCORE_FIXED_MASK)

//
// Registers
//

SELFTEST_REGISTERS(UNCORE_REGISTERS, SELFTEST_NUMBERED)

//
// Steps of a check
//

static uint64_t global_bit(unsigned counter)
{
	return 1ULL << (counter == FIXED ? UNCORE_FIXED : counter);
}

static uint32_t counter_register(unsigned counter)
{
	return counter == FIXED ? MSR_UNCORE_FIXED_CTR0 : MSR_UNCORE_PMC + counter;
}

static uint64_t enable_fixed(bool interrupt)
{
	return FIELD(UNCORE_FIXED_CTR_CTRL, EN) | FIELD_PUT(UNCORE_FIXED_CTR_CTRL, PMI, interrupt);
}

// Requests that match an address and an opcode, with the matching off: there are none (the guide, Table 37).
#define NEVER (FIELD_PUT(UNCORE_PERFEVTSEL, EVTSEL, UNCORE_EVENT_MATCH) | FIELD_PUT(UNCORE_PERFEVTSEL, EVTMSK, 7))

static uint64_t every_cycle(bool interrupt)
{
	return NEVER | FIELD_PUT(UNCORE_PERFEVTSEL, CMASK, 1) | FIELD(UNCORE_PERFEVTSEL, INV) |
	       FIELD(UNCORE_PERFEVTSEL, EN) | FIELD_PUT(UNCORE_PERFEVTSEL, PMI, interrupt);
}

// Sets a counter up to count all cycles from `start`.
static void set_counter(unsigned counter, bool interrupt, uint64_t start)
{
	if (counter == FIXED)
		selftest_write(MSR_UNCORE_FIXED_CTR_CTRL, enable_fixed(interrupt));
	else
		selftest_write(MSR_UNCORE_PERFEVTSEL + counter, every_cycle(interrupt));
	selftest_write(counter_register(counter), start & FIELD(UNCORE_PMC, COUNT));
}

static void count_between(uint64_t counters, uint64_t n)
{
	selftest_write(MSR_UNCORE_PERF_GLOBAL_CTRL, counters);
	hal_execute(n);
	selftest_write(MSR_UNCORE_PERF_GLOBAL_CTRL, 0);
}

static uint64_t value_of(unsigned counter)
{
	return selftest_read(counter_register(counter));
}

//
// Counters
//

static struct selftest_result check_width(unsigned counter)
{
	selftest_write(counter_register(counter), FIELD(UNCORE_PMC, COUNT));
	return selftest_compare(FIELD_MASK(0, UNCORE_COUNTER_WIDTH), value_of(counter));
}

// The uncore has a clock of its own: how much it counts, the fixed counter says, or of that one a general one.
static struct selftest_result check_counts(unsigned counter)
{
	const unsigned other = counter == FIXED ? 0 : FIXED;

	set_counter(counter, false, 0);
	set_counter(other, false, 0);
	count_between(global_bit(counter) | global_bit(other), 1000);
	selftest_require(value_of(other) > 0);
	return selftest_compare(value_of(other), value_of(counter));
}

static struct selftest_result check_absent(unsigned unused)
{
	static const uint32_t absent[] = {MSR_UNCORE_PMC + GENERAL, MSR_UNCORE_PERFEVTSEL + GENERAL};

	(void)unused;
	return selftest_absent(absent, sizeof absent / sizeof *absent);
}

static struct selftest_result check_enable(unsigned counter)
{
	set_counter(counter, false, 0);
	selftest_write(counter == FIXED ? MSR_UNCORE_FIXED_CTR_CTRL : MSR_UNCORE_PERFEVTSEL + counter,
		       counter == FIXED ? 0 : every_cycle(false) & ~FIELD(UNCORE_PERFEVTSEL, EN));
	count_between(ALL_COUNTERS, 100);
	return selftest_compare(0, value_of(counter));
}

static struct selftest_result check_global(unsigned counter)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, false, 0);
	count_between(ALL_COUNTERS & ~global_bit(counter), 100);
	return selftest_compare(0, value_of(counter));
}

// A condition that always holds is as long as the uncore's clock.
static struct selftest_result check_inverted(unsigned counter)
{
	set_counter(counter, false, 0);
	set_counter(FIXED, false, 0);
	count_between(global_bit(counter) | global_bit(FIXED), 1000);
	return selftest_compare(value_of(FIXED), value_of(counter));
}

static struct selftest_result check_threshold_missed(unsigned counter)
{
	set_counter(counter, false, 0);
	selftest_write(MSR_UNCORE_PERFEVTSEL + counter, every_cycle(false) & ~FIELD(UNCORE_PERFEVTSEL, INV));
	count_between(global_bit(counter), 1000);
	return selftest_compare(0, value_of(counter));
}

// A condition that begins twice, each time for many cycles. It does not hold when counting begins: whether that
// would be an edge, no manual says.
static struct selftest_result check_edge(unsigned counter)
{
	const uint64_t holds = every_cycle(false) | FIELD(UNCORE_PERFEVTSEL, E);
	const uint64_t ends = holds & ~FIELD(UNCORE_PERFEVTSEL, INV);

	set_counter(counter, false, 0);
	selftest_write(MSR_UNCORE_PERFEVTSEL + counter, ends);
	selftest_write(MSR_UNCORE_PERF_GLOBAL_CTRL, global_bit(counter));
	for (unsigned i = 0; i < 2; i++) {
		selftest_write(MSR_UNCORE_PERFEVTSEL + counter, holds);
		hal_execute(10);
		selftest_write(MSR_UNCORE_PERFEVTSEL + counter, ends);
	}
	selftest_write(MSR_UNCORE_PERF_GLOBAL_CTRL, 0);
	return selftest_compare(2, value_of(counter));
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
	count_between(global_bit(counter), 1000);
	return selftest_compare(0, value_of(counter));
}

//
// Overflow
//

static struct selftest_result check_status(unsigned counter)
{
	set_counter(counter, false, ~0ULL);
	count_between(global_bit(counter), 100);
	return selftest_compare(global_bit(counter),
				selftest_read(MSR_UNCORE_PERF_GLOBAL_STATUS) & ALL_COUNTERS);
}

static void overflow_all(void)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, false, -50ULL);
	count_between(ALL_COUNTERS, 1000);
}

static struct selftest_result check_acknowledge_one(unsigned counter)
{
	overflow_all();
	selftest_write(MSR_UNCORE_PERF_GLOBAL_OVF_CTRL, global_bit(counter));
	return selftest_compare(ALL_COUNTERS & ~global_bit(counter),
				selftest_read(MSR_UNCORE_PERF_GLOBAL_STATUS) & ALL_COUNTERS);
}

static struct selftest_result check_acknowledge_all(unsigned unused)
{
	(void)unused;
	overflow_all();
	selftest_write(MSR_UNCORE_PERF_GLOBAL_OVF_CTRL, REGISTER_BITS(UNCORE_PERF_GLOBAL_OVF_CTRL, W1C));
	return selftest_compare(0, selftest_read(MSR_UNCORE_PERF_GLOBAL_STATUS));
}

static struct selftest_result check_freeze(unsigned counter)
{
	set_counter(counter, true, -50ULL);
	selftest_write(MSR_UNCORE_PERF_GLOBAL_CTRL, global_bit(counter) | FIELD(UNCORE_PERF_GLOBAL_CTRL, PMI_FRZ));
	hal_execute(1000);
	return selftest_compare(FIELD(UNCORE_PERF_GLOBAL_CTRL, PMI_FRZ),
				selftest_read(MSR_UNCORE_PERF_GLOBAL_CTRL));
}

static struct selftest_result check_no_freeze(unsigned counter)
{
	set_counter(counter, false, -50ULL);
	selftest_write(MSR_UNCORE_PERF_GLOBAL_CTRL, global_bit(counter) | FIELD(UNCORE_PERF_GLOBAL_CTRL, PMI_FRZ));
	hal_execute(1000);
	return selftest_compare(global_bit(counter) | FIELD(UNCORE_PERF_GLOBAL_CTRL, PMI_FRZ),
				selftest_read(MSR_UNCORE_PERF_GLOBAL_CTRL));
}

//
// The runtime on top: all CPUs of the package take part
//

#define CPU_CLOCKS (1ULL << 30)

static bool cpu_ok[HAL_CPUS];

static void begin_on_cpu(void *argument)
{
	const struct pmu_driver *driver = argument;

	cpu_ok[hal_cpu()] = pmu_begin(driver, false) == PMU_OK;
}

static uint64_t samples_on_cpu[HAL_CPUS];

static void take_samples_on_cpu(void *unused)
{
	struct pmu_sample sample;

	(void)unused;
	while (pmu_take_sample(&sample))
		samples_on_cpu[hal_cpu()]++;
}

static void call_all(unsigned cpus, void (*function)(void *argument), void *argument)
{
	function(argument);
	for (unsigned i = 1; i < cpus; i++) {
		hal_cpu_call(i, function, argument);
		selftest_require(hal_cpus_wait(1u << i, CPU_CLOCKS));
	}
}

// One overflow: a sample in each CPU's ring. Bits of the CPUs that have exactly one.
static struct selftest_result check_broadcast(unsigned unused)
{
	unsigned cpus = hal_cpus_start();
	uint64_t found = 0;

	(void)unused;
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
static struct selftest_result check_session(unsigned unused)
{
	(void)unused;
	selftest_start("UNC_CLK_UNHALTED,UNC_ADDR_OPCODE_MATCH.LOCAL.NONE:c=1:i:period=1000");
	hal_execute(10000);
	selftest_stop();
	return selftest_compare(selftest_count(0), selftest_count(1));
}

#define GENERAL_COUNTERS(check, text)								\
	{text ": UNCORE_PMC0", check, 0}, {text ": UNCORE_PMC1", check, 1}, {text ": UNCORE_PMC2", check, 2},	\
	{text ": UNCORE_PMC3", check, 3}, {text ": UNCORE_PMC4", check, 4}, {text ": UNCORE_PMC5", check, 5},	\
	{text ": UNCORE_PMC6", check, 6}, {text ": UNCORE_PMC7", check, 7}
#define ALL(check, text) GENERAL_COUNTERS(check, text), {text ": UNCORE_FIXED_CTR0", check, FIXED}

static const struct selftest_check checks[] = {
	ALL(check_width, "width, all 48 bits"),
	ALL(check_counts, "counts"),
	{"a ninth counter faults", check_absent, 0},
	ALL(check_enable, "without EN does not count"),
	ALL(check_global, "without its global enable does not count"),
	GENERAL_COUNTERS(check_inverted, "CMASK 1 with INV, no event: all cycles"),
	GENERAL_COUNTERS(check_threshold_missed, "CMASK 1, no event: no cycle"),
	GENERAL_COUNTERS(check_edge, "E counts each beginning of a condition once"),
	GENERAL_COUNTERS(check_occupancy, "an occupancy that was reset is at most the queue's entries"),
	ALL(check_status, "overflow sets the status"),
	ALL(check_acknowledge_one, "acknowledging clears only"),
	{"acknowledging clears all", check_acknowledge_all, 0},
	ALL(check_freeze, "overflow with PMI freezes"),
	ALL(check_no_freeze, "overflow without PMI does not freeze"),
	{"session: an overflow is sampled once on each CPU", check_broadcast, 0},
	{"session: a counter that samples is exact", check_session, 0},
};

extern const struct pmu_driver pmu_driver_nehalem_uncore;

const struct selftest_suite selftest_suite_nehalem_uncore = {
	.driver = &pmu_driver_nehalem_uncore,
	.registers = registers,
	.register_count = sizeof registers / sizeof *registers,
	.checks = checks,
	.check_count = sizeof checks / sizeof *checks,
};
