// SPDX-License-Identifier: BSD-2-Clause
// Self test of AMD's core PMU: its description for the shared suite, adapted to the processor that
// the probe has found, and its own checks. The WRMSR that starts counting is not counted, the one
// that stops it is: n instructions between two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"
#include "stimulus.h"

#define ALL		AMD_COUNTER_MASK
#define LEGACY		FIELD_MASK(0, AMD_LEGACY_COUNTERS)
#define ALL_BITS	FIELD(PERF_CTR, COUNT)

#define FREEZE		FIELD(DebugCtl, FREEZE_PERFMON_ON_PMI)
#define FREEZE_LBRS	FIELD(DebugCtl, FREEZE_LBRS_ON_PMI)
#define PMC_FREEZE	FIELD(PerfCntrGlobalStatus, PmcFreeze)
#define LBR_FREEZE	FIELD(PerfCntrGlobalStatus, LbrFreeze)

// Properties of this target's processors, from their family and CPUID.
#define HAS_EXTENDED	SELFTEST_OWN(0)		/* PERF_CTL and PERF_CTR */
#define HAS_LONG	SELFTEST_OWN(1)		/* event codes of 12 bits, HG_ONLY */

extern const struct pmu_driver pmu_driver_amd;

//
// The processor
//

static uint64_t counters_there(void)
{
	return pmu_driver_amd.shape->counters;
}

// Of the model, until of_processor reads it.
static unsigned family_found = 0x19;

static unsigned family(void)
{
	return family_found;
}

static void read_family(void)
{
	uint32_t leaf[4];

	hal_identify(1, 0, leaf);
	family_found = AMD_FAMILY_OF(leaf[0]);
}

static bool is_extended(void)
{
	return pmu_driver_amd.control(0) == MSR_PERF_CTL0;
}

static bool has(uint32_t feature)
{
	return pmu_driver_amd.shape->features & feature;
}

//
// Registers
//

SELFTEST_REGISTERS(AMD_REGISTERS, SELFTEST_NUMBERED)

#define OF_OTHERS	(FIELD(DebugCtl, LBR) | FIELD(DebugCtl, BTF) | FIELD(DebugCtl, OTHERS_2))
#define SOME_HOLD	(FIELD(PERF_CTL, RESERVED_19) | 1ULL << 42)

// Some processors hold bits 19 and 42 of the selects. Branch records, pins and bus lock traps would
// start something.
static const struct selftest_exception exceptions[] = {
	{.address = MSR_PERF_CTL0, .count = AMD_COUNTERS * AMD_DISTANCE - 1, .untried = SOME_HOLD},
	{.address = MSR_PerfEvtSel, .count = AMD_LEGACY_COUNTERS, .untried = SOME_HOLD},
	{.address = MSR_DebugCtl, .count = 1, .untried = OF_OTHERS, .unknown = OF_OTHERS},
};

// Bits that read 0 after any write.
static void ignore(struct selftest_register *r, uint64_t bits)
{
	r->ignored |= bits & r->holds;
	r->holds &= ~bits;
	r->reset &= ~bits;
}

static bool adapt(struct selftest_register *r)
{
	const uint32_t pair = r->address - MSR_PERF_CTL0;

	if (r->address == MSR_DebugCtl) {
		if (!has(PMU_FEATURE_FREEZE)) {
			r->reserved |= FREEZE | FREEZE_LBRS;
			r->holds &= ~(FREEZE | FREEZE_LBRS);
		}
		return true;
	}
	if (r->address - MSR_PerfEvtSel < AMD_LEGACY_COUNTERS && family() < AMD_FAMILY_LONG)
		ignore(r, FIELD(PERF_CTL, EVENT_SELECT_HIGH) | FIELD(PERF_CTL, HG_ONLY));
	if (r->address - MSR_PerfEvtSel < 2 * AMD_LEGACY_COUNTERS)
		return true;
	if (pair < AMD_COUNTERS * AMD_DISTANCE)
		return is_extended() && counters_there() >> pair / AMD_DISTANCE & 1;
	ignore(r, ALL & ~counters_there());
	return has(PMU_FEATURE_GLOBAL);
}

//
// Counters
//

#define COUNTERS(first_, count_, cycles_, conditions_)				\
	{.first = first_, .count = count_, .readable = true, .index = first_,	\
	 .event = "RETIRED_INSTRUCTIONS", .exact = true, .cycles = cycles_,	\
	 .conditions = conditions_, .interrupt = FIELD(PERF_CTL, INT)}

static const struct selftest_counters counters[] = {
	COUNTERS(0, AMD_COUNTERS, "CPU_CLK_UNHALTED", true),
};

// Without global registers counters do not start together, so no two of them count the same cycles.
// On family 15h counters 3 to 5 count no cycles.
static const struct selftest_counters separate_counters[] = {
	COUNTERS(0, 3, NULL, true),
	COUNTERS(3, 3, NULL, false),
};

//
// Registers and counting
//

static uint64_t write_takes_all_bits(unsigned counter)
{
	return selftest_written(counter, ALL_BITS);
}

// A value that no field of the register holds at reset.
#define PATTERN		(REGISTER_BITS(PERF_CTL, RW) & ~FIELD(PERF_CTL, EN))

static uint64_t both_addresses_are_one_select(unsigned counter)
{
	const uint32_t address = MSR_PERF_CTL0 + counter * AMD_DISTANCE;

	selftest_write(MSR_PerfEvtSel + counter, REGISTER_BITS(PERF_CTL, RW));
	if (!selftest_require_equal(selftest_read(address), REGISTER_BITS(PERF_CTL, RW)))
		return 0;
	selftest_write(address, PATTERN);
	return selftest_read(MSR_PerfEvtSel + counter);
}

static uint64_t both_addresses_are_one_counter(unsigned counter)
{
	const uint32_t address = MSR_PERF_CTR0 + counter * AMD_DISTANCE;

	selftest_write(MSR_PerfCtr + counter, ALL_BITS);
	if (!selftest_require_equal(selftest_read(address), ALL_BITS))
		return 0;
	selftest_write(address, 0x123456789ABCULL);
	return selftest_read(MSR_PerfCtr + counter);
}

static uint64_t counts_unless_enabled(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_write_control(counter, selftest_select(counter) & ~FIELD(PERF_CTL, EN));
	hal_execute(100);
	return selftest_value(counter);
}

static uint64_t counts_without_enable_bit(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD(PERF_CTL, EN));
}

// No family has event 8C0H.
static uint64_t high_code_selects_another_event(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_flip(counter, FIELD_PUT(PERF_CTL, EVENT_SELECT_HIGH, 8));
	selftest_run(counter, 100);
	return selftest_value(counter);
}

// The self test is no guest.
static uint64_t guest_only_counts_nothing(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_flip(counter, FIELD_PUT(PERF_CTL, HG_ONLY, 1));
	selftest_run(counter, 100);
	return selftest_value(counter);
}

// Every second instruction of the known code is a conditional branch (arch/x86/layout.h).
static uint64_t counts_each_branch(unsigned counter)
{
	selftest_set_event(counter, "RETIRED_BRANCH_INSTRUCTIONS", 0);
	selftest_run_by(hal_execute, counter, 1000 + selftest_more());
	return selftest_value(counter);
}

static uint64_t at_level_0_alone(unsigned counter, const char *event, const char *at_user)
{
	const struct selftest_raised raised = {event, at_user, hal_execute, 10000};

	return selftest_counts_raised(&raised, counter, counter ? 0 : 2);
}

static uint64_t cycles_at_level_0_alone(unsigned counter)
{
	return at_level_0_alone(counter, "CPU_CLK_UNHALTED:k", "CPU_CLK_UNHALTED:u");
}

static uint64_t branches_at_level_0_alone(unsigned counter)
{
	return at_level_0_alone(counter, "RETIRED_BRANCH_INSTRUCTIONS:k",
				"RETIRED_BRANCH_INSTRUCTIONS:u");
}

static uint64_t taken_branches_at_level_0_alone(unsigned counter)
{
	return at_level_0_alone(counter, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS:k",
				"RETIRED_TAKEN_BRANCH_INSTRUCTIONS:u");
}

static void execute_user_there(void *)
{
	hal_execute_user(10000);
}

static uint64_t other_thread_is_not_counted(unsigned)
{
	for (uint64_t rest = counters_there(); rest; rest &= rest - 1)
		selftest_set((unsigned)__builtin_ctzll(rest), AT_USER, 0);
	selftest_enable(counters_there());
	selftest_on_thread(1, execute_user_there, NULL);
	selftest_enable(0);
	return selftest_sum(counters_there());
}

// Indices from 6 on read counters of other units.
static uint64_t rdpmc_of_absent_counters_faults(unsigned)
{
	selftest_require(is_extended() || selftest_counter_faults(AMD_LEGACY_COUNTERS));
	return selftest_counter_faults(0x40);
}

static uint64_t absent_registers_fault(unsigned)
{
	for (unsigned n = 0; n < AMD_COUNTERS; n++)
		if (!is_extended()) {
			selftest_require_absent(MSR_PERF_CTL0 + n * AMD_DISTANCE);
			selftest_require_absent(MSR_PERF_CTR0 + n * AMD_DISTANCE);
		}
	for (uint32_t n = 0; n < 4 && !has(PMU_FEATURE_GLOBAL); n++)
		selftest_require_absent(MSR_PerfCntrGlobalStatus + n);
	selftest_require_absent(MSR_PerfEvtSel - 1);
	return true;
}

//
// Freeze
//

static uint64_t frozen_by(unsigned counter, uint64_t debugctl)
{
	selftest_watch(counter, 0, 0);
	selftest_write(MSR_DebugCtl, debugctl);
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->status & (LBR_FREEZE | PMC_FREEZE);
}

static uint64_t overflow_freezes_branch_records(unsigned counter)
{
	return frozen_by(counter, FREEZE_LBRS);
}

static uint64_t freeze_of_counters_spares_branch_records(unsigned counter)
{
	return frozen_by(counter, FREEZE);
}

static uint64_t software_sets_and_clears_freeze(unsigned)
{
	selftest_write(MSR_PerfCntrGlobalStatusSet, PMC_FREEZE | LBR_FREEZE);
	selftest_require_equal(selftest_read(MSR_PerfCntrGlobalStatus), PMC_FREEZE | LBR_FREEZE);
	selftest_acknowledge(LBR_FREEZE);
	selftest_require_equal(selftest_read(MSR_PerfCntrGlobalStatus), PMC_FREEZE);
	selftest_acknowledge(PMC_FREEZE);
	return selftest_read(MSR_PerfCntrGlobalStatus);
}

//
// The checks
//

static const struct selftest_case cases[] = {
	{"a write takes all bits: #", ALL, ALL_BITS, .run = write_takes_all_bits},
	{"PerfEvtSel is the same register as the select of #", LEGACY, PATTERN,
	 .run = both_addresses_are_one_select, .needs = HAS_EXTENDED},
	{"PerfCtr is the same register as #", LEGACY, 0x123456789ABC,
	 .run = both_addresses_are_one_counter, .needs = HAS_EXTENDED},
	{"without EN does not count: #", ALL, 0, .run = counts_without_enable_bit,
	 .needs = SELFTEST_GLOBAL},
	{"without EN does not count: #", ALL, 0, .run = counts_unless_enabled,
	 .needs = SELFTEST_NO_STATUS},
	{"event 8C0H does not count: #", ALL, 0, .run = high_code_selects_another_event,
	 .needs = HAS_LONG},
	{"guest only does not count: #", ALL, 0, .run = guest_only_counts_nothing,
	 .needs = HAS_LONG},
	{"RETIRED_BRANCH_INSTRUCTIONS counts each branch: #", ALL, 1000, .run = counts_each_branch,
	 .more = 2000},
	{"cycles count at level 0 alone: #", ALL, true, .run = cycles_at_level_0_alone,
	 .needs = SELFTEST_GLOBAL},
	{"branches count at level 0 alone: #", ALL, true, .run = branches_at_level_0_alone,
	 .needs = SELFTEST_GLOBAL},
	{"taken branches count at level 0 alone: #", ALL, true,
	 .run = taken_branches_at_level_0_alone, .needs = SELFTEST_GLOBAL},
	{"no counter counts the other thread", 0, 0, .run = other_thread_is_not_counted},
	{"RDPMC of absent counters faults", 0, true, .run = rdpmc_of_absent_counters_faults},
	{"absent registers fault", 0, true, .run = absent_registers_fault},

	{"overflow freezes branch records: #", BIT(0), LBR_FREEZE,
	 .run = overflow_freezes_branch_records, .needs = SELFTEST_FREEZES},
	{"the freeze of counters spares branch records: #", BIT(0), PMC_FREEZE,
	 .run = freeze_of_counters_spares_branch_records, .needs = SELFTEST_FREEZES},

	{"software sets and clears the freeze", 0, 0, .run = software_sets_and_clears_freeze,
	 .needs = SELFTEST_FREEZES},
};

//
// The suites
//

#define PERIOD		"RETIRED_INSTRUCTIONS:period=1000"

static const struct selftest_suite *of_processor(void);

// Delivery does not mask the overflow interrupt on these processors, so no check needs
// SELFTEST_MASKS.
const struct selftest_suite selftest_suite_amd = {
	.driver = &pmu_driver_amd,
	.of_processor = of_processor,
	.adapt = adapt,
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	.has = SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_NMI | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.enable = MSR_PerfCntrGlobalCtl,
	.status = MSR_PerfCntrGlobalStatus,
	.clear = MSR_PerfCntrGlobalStatusClr,
	.further = selftest_global,
	.further_count = &selftest_global_count,
	.sessions = {
		[SELFTEST_OVERFLOWING] = "RETIRED_INSTRUCTIONS," PERIOD "," PERIOD "," PERIOD,
		[SELFTEST_AT_USER] = "RETIRED_INSTRUCTIONS:u,RETIRED_INSTRUCTIONS:u:period=1000",
		[SELFTEST_STORM] = "RETIRED_INSTRUCTIONS,RETIRED_INSTRUCTIONS:ctr=0:period=50",
		[SELFTEST_NMIS] = "RETIRED_INSTRUCTIONS,RETIRED_INSTRUCTIONS:ctr=0:period=10",
	},
	SELFTEST_LIST(cases),
};

// The suite of the processor that the probe found.
static const struct selftest_suite *of_processor(void)
{
	static struct selftest_suite made;

	read_family();
	made = selftest_suite_amd;
	made.has |= (is_extended() ? HAS_EXTENDED : 0) |
		(family() >= AMD_FAMILY_LONG ? HAS_LONG : 0) |
		(has(PMU_FEATURE_GLOBAL) ? SELFTEST_GLOBAL : SELFTEST_NO_STATUS) |
		(has(PMU_FEATURE_FREEZE) ? SELFTEST_FREEZES : 0);
	if (!has(PMU_FEATURE_GLOBAL)) {
		made.counters = separate_counters;
		made.counters_count = sizeof separate_counters / sizeof *separate_counters;
		made.control_starts = true;
		made.start_bit = FIELD(PERF_CTL, EN);
		made.enable = made.status = made.clear = 0;
	} else {
		made.set = MSR_PerfCntrGlobalStatusSet;
	}
	if (has(PMU_FEATURE_FREEZE)) {
		made.freeze_enable = MSR_DebugCtl;
		made.freeze_address = MSR_PerfCntrGlobalStatus;
		made.freeze_mask = made.frozen = PMC_FREEZE;
	}
	return &made;
}
