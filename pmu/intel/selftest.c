// SPDX-License-Identifier: BSD-2-Clause
// Self test of Intel's architectural performance monitoring: its description for the shared suite,
// adapted to the processor that the probe has found, and its own checks. The WRMSR that starts
// counting is not counted, the one that stops it is: n instructions between two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "regs.h"
#include "stimulus.h"

#define GENERAL		INTEL_GENERAL_MASK
#define FIXED		INTEL_FIXED_MASK
#define FIRST_FIXED	INTEL_FIRST_FIXED
#define ALL_BITS	FIELD(IA32_FIXED_CTR, COUNT)

#define FREEZE		FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI)
#define FREEZE_LBRS	FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI)
#define CTR_FRZ		FIELD(IA32_PERF_GLOBAL_STATUS, CTR_Frz)
#define LBR_FRZ		FIELD(IA32_PERF_GLOBAL_STATUS, LBR_Frz)

// Properties of this target's processors, from CPUID and IA32_PERF_CAPABILITIES.
#define HAS_GLOBAL	SELFTEST_OWN(0)		/* version 2 or later */
#define HAS_FROZEN	SELFTEST_OWN(1)		/* version 4 or later */
#define HAS_ANY		SELFTEST_OWN(2)		/* AnyThread */
#define HAS_FULL_WIDTH	SELFTEST_OWN(3)		/* IA32_A_PMC */
#define HAS_CLEARING	SELFTEST_OWN(4)		/* versions 2 and 3: a freeze clears bits */
#define HAS_BRANCHES	SELFTEST_OWN(5)		/* branch records (LBR stack) */
#define HAS_INFO	SELFTEST_OWN(6)		/* records have flags and cycles of their own */
#define HAS_STACK	SELFTEST_OWN(7)		/* records with MSR_LASTBRANCH_TOS */
#define HAS_ARCH	SELFTEST_OWN(8)		/* architectural branch records */

extern const struct pmu_driver pmu_driver_intel;
extern unsigned intel_branch_records(void);	// driver.h

//
// The processor
//

static uint64_t counters_there(void)
{
	return pmu_driver_intel.shape->counters;
}

// Of the model, until of_processor reads it.
static unsigned version_found = INTEL_VERSION_BITMAP;

static unsigned version(void)
{
	return version_found;
}

static void read_version(void)
{
	uint32_t leaf[4];

	hal_identify(INTEL_LEAF_PERFMON, 0, leaf);
	version_found = leaf[0] & 0xFF;
}

static bool has_full_width(void)
{
	return pmu_driver_intel.address(0) == MSR_IA32_A_PMC;
}

static unsigned lbr_format(void)
{
	uint64_t capabilities = 0;

	return version() >= INTEL_VERSION_GLOBAL &&
	       reg_read(MSR_IA32_PERF_CAPABILITIES, &capabilities) ?
	       FIELD_GET(IA32_PERF_CAPABILITIES, LBR_FMT, capabilities) : 0;
}

#define FORMAT_INFO(number, flags, cycles, info) [number] = info,
static const bool format_has_info[1 << 6] = {
	INTEL_LBR_FORMATS(FORMAT_INFO)
	[INTEL_LBR_FORMAT_ARCHITECTURAL] = true,
};

// The registers of the branch records.
static struct {
	uint32_t from, to, info;
} branch;

static void find_branch_records(void)
{
	const bool arch = lbr_format() == INTEL_LBR_FORMAT_ARCHITECTURAL;

	branch.from = arch ? MSR_IA32_LBR_FROM_IP : MSR_LASTBRANCH_FROM_IP;
	branch.to = arch ? MSR_IA32_LBR_TO_IP : MSR_LASTBRANCH_TO_IP;
	branch.info = arch ? MSR_IA32_LBR_INFO : MSR_LBR_INFO;
}

static bool has_arch(void)
{
	return intel_branch_records() && branch.from == MSR_IA32_LBR_FROM_IP;
}

static uint64_t width_mask(unsigned counter)
{
	const struct pmu_shape *s = pmu_driver_intel.shape;

	return FIELD_MASK(0, s->mixed ? s->widths[counter] : s->width);
}

static unsigned general_count(void)
{
	return (unsigned)__builtin_popcountll(counters_there() & GENERAL);
}

//
// Registers
//

// The records themselves have checks of their own.
#define CHECKED_REGISTERS(G)	INTEL_CONTROL_REGISTERS(G) INTEL_ARCH_CONTROL_REGISTERS(G)
SELFTEST_REGISTERS(CHECKED_REGISTERS, SELFTEST_NUMBERED)

#define FEATURES_OF_OTHERS	(FIELD(IA32_DEBUGCTL, LBR) | FIELD(IA32_DEBUGCTL, BTF) | \
				 FIELD(IA32_DEBUGCTL, TR) | FIELD(IA32_DEBUGCTL, BTS) | \
				 FIELD(IA32_DEBUGCTL, BTINT) | FIELD(IA32_DEBUGCTL, BTS_OFF_OS) | \
				 FIELD(IA32_DEBUGCTL, BTS_OFF_USR) | \
				 0xE004)

// Bits that other leaves report, or that older processors have, are written with their reset values
// only: they would start something, or exist (pins; transactions and adaptive records in bits 36 to
// 32 of the selects; bus lock trap, uncore, SMM and RTM in IA32_DEBUGCTL; metrics, trace, SGX and
// uncore in bits 48, 55, 60 and 61 of the global registers).
static const struct selftest_exception exceptions[] = {
	{.address = MSR_IA32_PERFEVTSEL, .count = INTEL_GENERAL_COUNTERS,
	 .untried = FIELD(IA32_PERFEVTSEL, RESERVED_19) | 0x1F00000000},
	{.address = MSR_IA32_DEBUGCTL, .count = 1, .untried = FEATURES_OF_OTHERS,
	 .unknown = FEATURES_OF_OTHERS},
	{.address = MSR_IA32_PERF_GLOBAL_CTRL, .count = 1, .untried = 1ULL << 48},
	{.address = MSR_IA32_PERF_GLOBAL_STATUS_RESET, .count = 1,
	 .untried = 1ULL << 48 | 1ULL << 55 | 1ULL << 60 | 1ULL << 61},
	{.address = MSR_IA32_PERF_GLOBAL_STATUS_SET, .count = 1,
	 .untried = 1ULL << 48 | 1ULL << 55 | 1ULL << 60 | 1ULL << 61},
	{.address = MSR_IA32_LBR_CTL, .count = 1, .untried = FIELD(IA32_LBR_CTL, LBREn)},
	{.address = MSR_IA32_LBR_DEPTH, .count = 1, .untried = ~0ULL},
	{.address = MSR_IA32_PERF_CAPABILITIES, .count = 1, .unknown = 0xFFFFFFFF},
};

static void lack(struct selftest_register *r, uint64_t bits)
{
	r->reserved |= bits & r->holds;
	r->holds &= ~bits;
	r->reset &= ~bits;
}

static uint64_t fixed_control_there(void)
{
	const uint64_t any = version() >= INTEL_VERSION_ANY &&
		pmu_driver_intel.shape->features & PMU_FEATURE_ANY_THREAD ? 0 :
		FIELD(IA32_FIXED_CTR_CTRL, AnyThread0);
	uint64_t bits = 0;

	for (unsigned n = 0; n < INTEL_FIXED_COUNTERS; n++)
		if (counters_there() >> (FIRST_FIXED + n) & 1)
			bits |= (FIELD_MASK(0, INTEL_FIXED_CONTROL_BITS) & ~any) <<
				n * INTEL_FIXED_CONTROL_BITS;
	return bits;
}

// Counters' registers: n is the number in the register's name.
static bool adapt_counters_register(struct selftest_register *r, unsigned n, bool is_fixed)
{
	const unsigned counter = is_fixed ? FIRST_FIXED + n : n;
	const bool any = pmu_driver_intel.shape->features & PMU_FEATURE_ANY_THREAD;

	if (!(counters_there() >> counter & 1))
		return false;
	if (r->address == MSR_IA32_PERFEVTSEL + n) {
		lack(r, any ? 0 : FIELD(IA32_PERFEVTSEL, AnyThread));
		return true;
	}
	if (r->address == MSR_IA32_PMC + n) {	// bits above the width are ignored
		r->ignored |= r->holds & ~width_mask(counter);
		r->holds &= width_mask(counter);
		return true;
	}
	lack(r, ~width_mask(counter));
	return is_fixed || has_full_width();
}

static bool adapt_global_register(struct selftest_register *r)
{
	const unsigned v = version();
	const uint64_t missing = (GENERAL | FIXED) & ~counters_there();

	switch (r->address) {
	case MSR_IA32_DEBUGCTL:
		lack(r, v < INTEL_VERSION_GLOBAL ? FREEZE | FREEZE_LBRS : 0);
		return true;
	case MSR_IA32_FIXED_CTR_CTRL:
		lack(r, REGISTER_BITS(IA32_FIXED_CTR_CTRL, RW) & ~fixed_control_there());
		return v >= INTEL_VERSION_GLOBAL;
	case MSR_IA32_PERF_GLOBAL_STATUS_SET:
	case MSR_IA32_PERF_GLOBAL_INUSE:
		lack(r, missing);
		return v >= INTEL_VERSION_FROZEN;
	case MSR_IA32_PERF_GLOBAL_STATUS_RESET:
		if (v < INTEL_VERSION_FROZEN)
			r->reserved |= CTR_FRZ | LBR_FRZ;
		r->reserved |= missing;
		return v >= INTEL_VERSION_GLOBAL;
	case MSR_LBR_SELECT:
		lack(r, lbr_format() < INTEL_LBR_FORMAT_CALLSTACK ?
		     FIELD(LBR_SELECT, EN_CALLSTACK) : 0);
		return intel_branch_records() && !has_arch();
	case MSR_LASTBRANCH_TOS:
		lack(r, ~(uint64_t)(intel_branch_records() - 1));
		return intel_branch_records() && !has_arch();
	case MSR_IA32_LBR_CTL:
		return has_arch();
	case MSR_IA32_LBR_DEPTH:
		r->reset = intel_branch_records();
		return has_arch();
	default:
		lack(r, missing);
		return v >= INTEL_VERSION_GLOBAL;
	}
}

static bool adapt(struct selftest_register *r)
{
	static const struct {
		uint32_t address, count;
		bool is_fixed;
	} of_counters[] = {
		{MSR_IA32_PERFEVTSEL, INTEL_GENERAL_COUNTERS, false},
		{MSR_IA32_PMC, INTEL_GENERAL_COUNTERS, false},
		{MSR_IA32_A_PMC, INTEL_GENERAL_COUNTERS, false},
		{MSR_IA32_FIXED_CTR, INTEL_FIXED_COUNTERS, true},
	};

	for (size_t i = 0; i < sizeof of_counters / sizeof *of_counters; i++)
		if (r->address - of_counters[i].address < of_counters[i].count)
			return adapt_counters_register(r, r->address - of_counters[i].address,
						       of_counters[i].is_fixed);
	return adapt_global_register(r);
}

//
// Counters
//

#define FIXED_COUNTER(n) \
	.first = FIRST_FIXED + (n), .count = 1, .readable = true,	\
	.index = INTEL_RDPMC_FIXED | (n),	\
	.control = FIELD_MASK((n) * INTEL_FIXED_CONTROL_BITS, INTEL_FIXED_CONTROL_BITS),	\
	.interrupt = FIELD(IA32_FIXED_CTR_CTRL, PMI##n)

static const struct selftest_counters counters[] = {
	{.first = 0, .count = INTEL_GENERAL_COUNTERS, .readable = true, .index = 0,
	 .event = "INSTRUCTION_RETIRED", .exact = true, .cycles = "UNHALTED_CORE_CYCLES",
	 .conditions = true,
	 .interrupt = FIELD(IA32_PERFEVTSEL, INT)},
	{FIXED_COUNTER(0), .event = "INSTRUCTION_RETIRED", .exact = true},
	{FIXED_COUNTER(1), .event = "UNHALTED_CORE_CYCLES", .cycles = "UNHALTED_CORE_CYCLES"},
	{FIXED_COUNTER(2), .event = "CPU_CLK_UNHALTED.REF_TSC"},
	{FIXED_COUNTER(3), .event = "TOPDOWN_SLOTS"},
};

// Version 1: counters do not start together, so no two of them count the same cycles.
static const struct selftest_counters first_counters[] = {
	{.first = 0, .count = INTEL_GENERAL_COUNTERS, .readable = true, .index = 0,
	 .event = "INSTRUCTION_RETIRED", .exact = true,
	 .conditions = true,
	 .interrupt = FIELD(IA32_PERFEVTSEL, INT)},
};

//
// Registers and counting
//

static uint64_t write_takes_all_bits(unsigned counter)
{
	selftest_expect(width_mask(counter));
	return selftest_written(counter, width_mask(counter));
}

// A write of IA32_PMCn sets 32 bits and copies bit 31 to the others (SDM volume 3B, "Full-Width
// Writes to Performance Counter Registers").
static uint64_t pmc_written(unsigned counter, uint64_t value)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_write(MSR_IA32_PMC + counter, value);
	return selftest_value(counter);
}

static uint64_t write_extends_bit_31(unsigned counter)
{
	selftest_expect(0xFFFFFFFF80000000 & width_mask(counter));
	return pmc_written(counter, 0x80000000);
}

static uint64_t write_ignores_upper_bits(unsigned counter)
{
	return pmc_written(counter, 0xFFFFFFFF00000005);
}

static uint64_t both_addresses_are_one_counter(unsigned counter)
{
	const uint64_t value = 0x123456789A & width_mask(counter);

	selftest_expect(value);
	selftest_write(MSR_IA32_A_PMC + counter, value);
	return selftest_read(MSR_IA32_PMC + counter);
}

static uint64_t counts_without_enable_bit(unsigned counter)
{
	return selftest_stopped_by(counter, FIELD(IA32_PERFEVTSEL, EN));
}

// Version 1: EN is the only enable.
static uint64_t counts_unless_enabled(unsigned counter)
{
	selftest_set(counter, AT_ALL, 0);
	selftest_write_control(counter, selftest_select(counter) & ~FIELD(IA32_PERFEVTSEL, EN));
	hal_execute(100);
	return selftest_value(counter);
}

// Every second instruction of the known code is a conditional branch (arch/x86/layout.h).
static uint64_t counts_each_branch(unsigned counter)
{
	selftest_set_event(counter, "BRANCH_INSTRUCTIONS_RETIRED", 0);
	selftest_run_by(hal_execute, counter, 1000 + selftest_more());
	return selftest_value(counter);
}

// An event that known code raises at level 0 counts there only: reference cycles, slots, branches.
static uint64_t counts_at_level_0_alone(unsigned counter, const char *event, const char *at_user)
{
	const struct selftest_raised raised = {event, at_user, hal_execute, 10000};
	const unsigned other = counter ? 0 : general_count() > 2 ? 2 : 1;

	return selftest_counts_raised(&raised, counter, other);
}

static uint64_t reference_cycles_at_level_0_alone(unsigned counter)
{
	return counts_at_level_0_alone(counter, "UNHALTED_REFERENCE_CYCLES:k",
				       "UNHALTED_REFERENCE_CYCLES:u");
}

static uint64_t slots_at_level_0_alone(unsigned counter)
{
	return counts_at_level_0_alone(counter, "TOPDOWN_SLOTS:k", "TOPDOWN_SLOTS:u");
}

static uint64_t branches_at_level_0_alone(unsigned counter)
{
	return counts_at_level_0_alone(counter, "BRANCH_INSTRUCTIONS_RETIRED:k",
				       "BRANCH_INSTRUCTIONS_RETIRED:u");
}

// Cycles and slots, which the fixed counters count at level 3 only.
static uint64_t fixed_counter_counts_level_3_alone(unsigned counter)
{
	selftest_set(counter, AT_USER, 0);
	selftest_run_by(hal_execute, counter, 1000);
	selftest_require_equal(selftest_value(counter), 0);
	selftest_run_by(hal_execute_user, counter, 10000);
	return selftest_value(counter) > 0;
}

// The code of the core's other thread at level 3, which all counters count or none, with AnyThread
// or without.
static void execute_user_there(void *)
{
	hal_execute_user(10000);
}

// Returns a bit mask of the counters that count it.
static uint64_t counters_of_other_thread(const char *event, bool any)
{
	uint64_t counting = 0, fixed = 0;

	for (uint64_t rest = counters_there(); rest; rest &= rest - 1) {
		const unsigned n = (unsigned)__builtin_ctzll(rest);

		if (n < FIRST_FIXED) {
			selftest_set_event(n, event, 0);
			continue;
		}
		selftest_set(n, AT_USER, 0);
		fixed |= (FIELD(IA32_FIXED_CTR_CTRL, EN0_USR) |
			  (any ? FIELD(IA32_FIXED_CTR_CTRL, AnyThread0) : 0)) <<
			(n - FIRST_FIXED) * INTEL_FIXED_CONTROL_BITS;
	}
	selftest_write(MSR_IA32_FIXED_CTR_CTRL, fixed);
	selftest_enable(counters_there());
	selftest_on_thread(1, execute_user_there, NULL);
	selftest_enable(0);
	for (uint64_t rest = counters_there(); rest; rest &= rest - 1)
		counting |= selftest_value((unsigned)__builtin_ctzll(rest)) ? rest & -rest : 0;
	return counting;
}

static uint64_t any_thread_counts_other_thread(unsigned)
{
	selftest_expect(counters_there());
	return counters_of_other_thread("INSTRUCTION_RETIRED:u:t", true);
}

static uint64_t other_thread_is_not_counted(unsigned)
{
	return counters_of_other_thread("INSTRUCTION_RETIRED:u", false);
}

// Counters that CPUID does not report.
static uint64_t rdpmc_of_absent_counters_faults(unsigned)
{
	uint64_t faults = 0, absent = ~counters_there();

	for (unsigned n = 0; n < INTEL_GENERAL_COUNTERS + 1; n++)
		if (absent >> n & 1)
			faults |= selftest_counter_faults(n) ? 0 : BIT(n);
	for (unsigned n = 0; n < INTEL_FIXED_COUNTERS + 1; n++)
		if (absent >> (FIRST_FIXED + n) & 1)
			faults |= selftest_counter_faults(INTEL_RDPMC_FIXED | n) ? 0 :
				BIT(FIRST_FIXED + n);
	return faults;
}

// Before version 4, 391H and 392H can be registers of the uncore (SDM volume 4).
static uint64_t absent_registers_fault(unsigned)
{
	const unsigned v = version();

	for (unsigned n = general_count(); n <= INTEL_GENERAL_COUNTERS; n++) {
		selftest_require_absent(MSR_IA32_PMC + n);
		selftest_require_absent(MSR_IA32_PERFEVTSEL + n);
	}
	for (unsigned n = has_full_width() ? general_count() : 0; n <= INTEL_GENERAL_COUNTERS; n++)
		selftest_require_absent(MSR_IA32_A_PMC + n);
	for (unsigned n = 0; n <= INTEL_FIXED_COUNTERS; n++)
		if (!(counters_there() >> (FIRST_FIXED + n) & 1))
			selftest_require_absent(MSR_IA32_FIXED_CTR + n);
	if (v < INTEL_VERSION_GLOBAL) {
		selftest_require_absent(MSR_IA32_FIXED_CTR_CTRL);
		selftest_require_absent(MSR_IA32_PERF_GLOBAL_CTRL);
		selftest_require_absent(MSR_IA32_PERF_GLOBAL_STATUS);
		selftest_require_absent(MSR_IA32_PERF_GLOBAL_STATUS_RESET);
	}
	return true;
}

//
// Freeze
//

static uint64_t lbr_frozen(unsigned counter, uint64_t debugctl)
{
	selftest_watch(counter, 0, 0);
	selftest_write(MSR_IA32_DEBUGCTL, debugctl);
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->status & (LBR_FRZ | CTR_FRZ);
}

static uint64_t overflow_freezes_branch_records(unsigned counter)
{
	return lbr_frozen(counter, FREEZE_LBRS);
}

static uint64_t freeze_of_counters_spares_branch_records(unsigned counter)
{
	return lbr_frozen(counter, FREEZE);
}

// Versions 2 and 3: the overflow interrupt clears IA32_DEBUGCTL.LBR.
static uint64_t overflow_stops_branch_records(unsigned counter)
{
	selftest_watch(counter, 0, MSR_IA32_DEBUGCTL);
	selftest_write(MSR_IA32_DEBUGCTL, FREEZE_LBRS | FIELD(IA32_DEBUGCTL, LBR));
	selftest_overflow_once(counter, INTERRUPTING);
	return selftest_seen()->reading & FIELD(IA32_DEBUGCTL, LBR);
}

//
// Branch records of the known code's loop, whose branch is taken each time but the last
//

#define BRANCHES	FIELD(IA32_DEBUGCTL, LBR)
#define OTHER_KINDS	(FIELD(LBR_SELECT, NEAR_REL_CALL) | FIELD(LBR_SELECT, NEAR_IND_CALL) | \
			 FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_IND_JMP) | \
			 FIELD(LBR_SELECT, NEAR_REL_JMP) | FIELD(LBR_SELECT, FAR_BRANCH))

// A taken jump over an odd instruction, two moves, and rounds of two instructions, whose branch is
// taken except in the last round (arch/x86/execute.S): one more branch than there are records.
static uint64_t loop_instructions(void)
{
	return 2 * intel_branch_records() + 5;
}

#define KEPT		1	/* how far the loop advances TOS, modulo the number of records */

#define ARCH_KINDS	(FIELD(IA32_LBR_CTL, COND) | FIELD(IA32_LBR_CTL, NEAR_REL_JMP) | \
			 FIELD(IA32_LBR_CTL, NEAR_IND_JMP) | FIELD(IA32_LBR_CTL, NEAR_REL_CALL) | \
			 FIELD(IA32_LBR_CTL, NEAR_IND_CALL) | FIELD(IA32_LBR_CTL, NEAR_RET) | \
			 FIELD(IA32_LBR_CTL, OTHER_BRANCH))
#define ARCH_LEVELS	(FIELD(IA32_LBR_CTL, OS) | FIELD(IA32_LBR_CTL, USR))
#define ARCH_ALL	(FIELD(IA32_LBR_CTL, LBREn) | ARCH_LEVELS | ARCH_KINDS)

// Executes n instructions while branches are recorded.
static void record(uint64_t n)
{
	if (has_arch())
		selftest_execute_between(MSR_IA32_LBR_CTL, ARCH_ALL, 0, n);
	else
		selftest_execute_between(MSR_IA32_DEBUGCTL, BRANCHES, 0, n);
}

static void record_loop(void)
{
	record(loop_instructions());
}

// Bits 47 to 0 of a record's source or target; higher ones may be flags.
static uint64_t address_in(uint32_t address, unsigned record)
{
	return selftest_read(address + record) & FIELD(LASTBRANCH_FROM_IP, ADDRESS);
}

// Returns the number of records that equal record 0, which must be of a backward branch.
static uint64_t last_rounds_of_a_loop_are_recorded(unsigned)
{
	uint64_t from, to, alike = 0;

	record_loop();
	from = address_in(branch.from, 0);
	to = address_in(branch.to, 0);
	for (unsigned i = 0; i < intel_branch_records(); i++)
		alike += address_in(branch.from, i) == from &&
			address_in(branch.to, i) == to;
	selftest_require(to && to < from);
	selftest_expect(intel_branch_records());
	return alike;
}

static uint64_t advance_since(uint64_t before)
{
	return (selftest_read(MSR_LASTBRANCH_TOS) - before) % intel_branch_records();
}

static uint64_t branches_without_enable(unsigned)
{
	const uint64_t before = selftest_read(MSR_LASTBRANCH_TOS);

	hal_execute(loop_instructions());
	return advance_since(before);
}

// Returns how far the loop advances TOS with this filter.
static uint64_t recorded_with(uint64_t filter)
{
	const uint64_t before = selftest_read(MSR_LASTBRANCH_TOS);

	selftest_write(MSR_LBR_SELECT, filter);
	record_loop();
	return advance_since(before);
}

static const char *const filter_names[] = {
	"no branches", "those of level 0", "those of level 3", "conditional ones", "all other ones",
};

static uint64_t branches_are_left_out(unsigned number)
{
	static const struct {
		uint64_t filter, advance;
	} filters[] = {
		{0, KEPT}, {FIELD(LBR_SELECT, CPL_EQ_0), 0}, {FIELD(LBR_SELECT, CPL_NEQ_0), KEPT},
		{FIELD(LBR_SELECT, JCC), 0}, {OTHER_KINDS, KEPT},
	};

	selftest_expect(filters[number].advance);
	return recorded_with(filters[number].filter);
}

static uint64_t branches_of_neither_level(unsigned)
{
	const uint64_t before = selftest_read(MSR_LASTBRANCH_TOS);

	selftest_write(MSR_LBR_SELECT, FIELD(LBR_SELECT, CPL_EQ_0) | FIELD(LBR_SELECT, CPL_NEQ_0));
	selftest_write(MSR_IA32_DEBUGCTL, BRANCHES);
	hal_execute_user(loop_instructions());
	selftest_write(MSR_IA32_DEBUGCTL, 0);
	return advance_since(before);
}

static bool has_info(void)
{
	return intel_branch_records() && format_has_info[lbr_format()];
}

// The only taken branch of 5 instructions is recorded at TOS + 1. Returns a bit mask of the records
// that are not 0: sources, and from bit 32 up targets. No other record has cycles.
static uint64_t branch_is_recorded_after_tos(unsigned record)
{
	uint64_t found = 0;

	if (record >= intel_branch_records()) {
		selftest_skip("the processor has fewer branch records");
		return 0;
	}
	for (unsigned i = 0; i < intel_branch_records(); i++) {
		selftest_write(MSR_LASTBRANCH_FROM_IP + i, 0);
		selftest_write(MSR_LASTBRANCH_TO_IP + i, 0);
		if (has_info())
			selftest_write(MSR_LBR_INFO + i, 0);
	}
	selftest_write(MSR_LASTBRANCH_TOS, (record - 1) % intel_branch_records());
	selftest_execute_between(MSR_IA32_DEBUGCTL, BRANCHES, 0, 5);
	for (unsigned i = 0; i < intel_branch_records(); i++)
		found |= (selftest_read(MSR_LASTBRANCH_FROM_IP + i) ? BIT(i) : 0) |
			 (selftest_read(MSR_LASTBRANCH_TO_IP + i) ? BIT(i + 32) : 0);
	for (unsigned i = 0; has_info() && i < intel_branch_records(); i++)
		selftest_require(i == record || !selftest_read(MSR_LBR_INFO + i));
	selftest_expect(BIT(record) | BIT(record + 32));
	return found;
}

// Returns how many of the records hold a canonical address plus their number.
static uint64_t records_that_hold(uint64_t address)
{
	uint64_t held = 0;

	for (unsigned i = 0; i < intel_branch_records(); i++, address++) {
		selftest_write(branch.from + i, address);
		selftest_write(branch.to + i, address);
		held += (selftest_read(branch.from + i) == address) +
			(selftest_read(branch.to + i) == address);
	}
	selftest_expect(2 * intel_branch_records());
	return held;
}

static uint64_t records_hold_upper_addresses(unsigned)
{
	return records_that_hold(-(1ULL << 47));
}

static uint64_t records_hold_lower_addresses(unsigned)
{
	return records_that_hold((1ULL << 47) - INTEL_BRANCH_RECORDS);
}

static uint64_t records_hold_information(unsigned)
{
	const uint64_t values[] = {
		0, has_arch() ? REGISTER_BITS(IA32_LBR_INFO, RW) : REGISTER_BITS(LBR_INFO, RW),
	};
	uint64_t held = 0;

	for (unsigned i = 0; i < 2 * intel_branch_records(); i++) {
		selftest_write(branch.info + i / 2, values[i % 2]);
		held += selftest_read(branch.info + i / 2) == values[i % 2];
	}
	selftest_expect(2 * intel_branch_records());
	return held;
}

// A processor takes at most one branch in a cycle, so no record of the loop has 0 cycles; all of
// them have no more than a counter of cycles has counted meanwhile.
static uint64_t records_have_their_cycles(unsigned counter)
{
	uint64_t sum = 0, least = UINT64_MAX;

	selftest_set_event(counter, "UNHALTED_CORE_CYCLES", 0);
	selftest_enable(BIT(counter));
	record_loop();
	selftest_enable(0);
	for (unsigned i = 0; i < intel_branch_records(); i++) {
		const uint64_t cycles = FIELD_GET(LBR_INFO, CYC_CNT,
						  selftest_read(branch.info + i));

		sum += cycles;
		least = cycles < least ? cycles : least;
	}
	return least > 0 && sum <= selftest_value(counter);
}

// Returns how many records the loop writes: 1 more than there are, modulo their number, or all.
static uint64_t written_by_loop(void)
{
	uint64_t written = 0;

	if (!has_arch())
		return recorded_with(0);
	record_loop();
	for (unsigned i = 0; i < intel_branch_records(); i++)
		written += selftest_read(branch.from + i) != 0;
	return written / intel_branch_records();
}

static uint64_t frozen_branch_records_stand_still(unsigned)
{
	selftest_write(MSR_IA32_PERF_GLOBAL_STATUS_SET, LBR_FRZ);
	return written_by_loop();
}

static uint64_t thawed_branch_records_continue(unsigned)
{
	selftest_write(MSR_IA32_PERF_GLOBAL_STATUS_SET, LBR_FRZ);
	selftest_acknowledge(LBR_FRZ);
	return written_by_loop();
}

//
// Architectural branch records: SDM volume 3B, "Last Branch Records"
//

static uint64_t records_written(void)
{
	uint64_t written = 0;

	for (unsigned i = 0; i < intel_branch_records(); i++)
		written |= selftest_read(branch.from + i) || selftest_read(branch.to + i) ?
			BIT(i) : 0;
	return written;
}

static uint64_t arch_none_unless_enabled(unsigned)
{
	selftest_write(MSR_IA32_LBR_CTL, ARCH_ALL & ~FIELD(IA32_LBR_CTL, LBREn));
	hal_execute(loop_instructions());
	return records_written();
}

// 5 instructions have one taken branch, 7 have two more.
static uint64_t youngest_is_record_0(unsigned)
{
	record(5);
	selftest_require_equal(records_written(), BIT(0));
	record(7);
	return records_written();
}

static const char *const arch_names[] = {
	"any kind and level", "level 0", "level 3", "conditional ones", "all other ones",
};

// Returns the records that 5 instructions at level 0 write.
static uint64_t arch_records_only(unsigned number)
{
	static const struct {
		uint64_t recorded, written;
	} filters[] = {
		{ARCH_LEVELS | ARCH_KINDS, 1}, {FIELD(IA32_LBR_CTL, OS) | ARCH_KINDS, 1},
		{FIELD(IA32_LBR_CTL, USR) | ARCH_KINDS, 0},
		{ARCH_LEVELS | FIELD(IA32_LBR_CTL, COND), 1},
		{ARCH_LEVELS | (ARCH_KINDS & ~FIELD(IA32_LBR_CTL, COND)), 0},
	};

	selftest_execute_between(MSR_IA32_LBR_CTL,
				 FIELD(IA32_LBR_CTL, LBREn) | filters[number].recorded, 0, 5);
	selftest_expect(filters[number].written);
	return records_written();
}

// Each depth of CPUID leaf 1CH: it is held, and the loop fills exactly so many records.
static uint64_t depths_are_held(unsigned)
{
	uint32_t leaf[4];

	hal_identify(INTEL_LEAF_LBR, 0, leaf);
	for (unsigned depth = 8; depth <= intel_branch_records(); depth += 8) {
		if (!(leaf[0] >> (depth / 8 - 1) & 1))
			continue;
		selftest_write(MSR_IA32_LBR_DEPTH, depth);
		selftest_require_equal(selftest_read(MSR_IA32_LBR_DEPTH), depth);
		record_loop();
		for (unsigned i = 0; i < depth; i++)
			selftest_require(selftest_read(branch.from + i));
	}
	return selftest_read(MSR_IA32_LBR_DEPTH);
}

static uint64_t other_depths_fault(unsigned)
{
	uint32_t leaf[4];
	uint64_t taken = 0;

	hal_identify(INTEL_LEAF_LBR, 0, leaf);
	for (unsigned depth = 0; depth < 64; depth++)
		if (depth % 8 || !depth || !(leaf[0] >> (depth / 8 - 1) & 1))
			taken |= reg_write(MSR_IA32_LBR_DEPTH, depth) ? BIT(depth) : 0;
	return taken;
}

static uint64_t write_of_the_depth_clears(unsigned)
{
	record_loop();
	selftest_require(records_written());
	selftest_write(MSR_IA32_LBR_DEPTH, intel_branch_records());
	for (unsigned i = 0; i < intel_branch_records(); i++)
		selftest_require_equal(selftest_read(branch.info + i), 0);
	return records_written();
}

// The loop's branches are conditional: type 0, with valid cycles if leaf 1CH reports them.
static uint64_t records_have_their_type(unsigned)
{
	uint32_t leaf[4];
	uint64_t others = 0;

	hal_identify(INTEL_LEAF_LBR, 0, leaf);
	record_loop();
	for (unsigned i = 0; i < intel_branch_records(); i++) {
		const uint64_t info = selftest_read(branch.info + i);

		if (FIELD_GET(IA32_LBR_INFO, BR_TYPE, info) != INTEL_TYPE_COND ||
		    FIELD_GET(IA32_LBR_INFO, CYC_CNT_VALID, info) != (leaf[2] >> 1 & 1))
			others |= BIT(i);
	}
	return others;
}

static const char *const records[INTEL_BRANCH_RECORDS] = {
	"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
	"16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30",
	"31",
};

//
// Status and use, version 4
//

#define OVF_BUF		FIELD(IA32_PERF_GLOBAL_STATUS, OvfBuf)
#define SET_BITS	(CTR_FRZ | LBR_FRZ | OVF_BUF)

static uint64_t software_sets_and_clears_freeze(unsigned)
{
	selftest_write(MSR_IA32_PERF_GLOBAL_STATUS_SET, SET_BITS);
	selftest_require_equal(selftest_read(MSR_IA32_PERF_GLOBAL_STATUS) & SET_BITS, SET_BITS);
	selftest_acknowledge(LBR_FRZ);
	selftest_require_equal(selftest_read(MSR_IA32_PERF_GLOBAL_STATUS) & SET_BITS,
			       CTR_FRZ | OVF_BUF);
	selftest_acknowledge(CTR_FRZ);
	selftest_require_equal(selftest_read(MSR_IA32_PERF_GLOBAL_STATUS) & SET_BITS, OVF_BUF);
	selftest_acknowledge(OVF_BUF);
	return selftest_read(MSR_IA32_PERF_GLOBAL_STATUS) & SET_BITS;
}

#define PMI_INUSE	FIELD(IA32_PERF_GLOBAL_INUSE, PMI_InUse)

static uint64_t counter_is_in_use(unsigned counter)
{
	selftest_require_equal(selftest_read(MSR_IA32_PERF_GLOBAL_INUSE), 0);
	selftest_set(counter, AT_ALL, 0);
	selftest_expect(BIT(counter));
	return selftest_read(MSR_IA32_PERF_GLOBAL_INUSE);
}

static uint64_t interrupt_is_in_use(unsigned counter)
{
	selftest_set(counter, AT_ALL | INTERRUPTING, 0);
	selftest_expect(BIT(counter) | PMI_INUSE);
	return selftest_read(MSR_IA32_PERF_GLOBAL_INUSE);
}

//
// The checks
//

static const struct selftest_case cases[] = {
	{"a write takes all bits: #", FIXED, .run = write_takes_all_bits, .needs = HAS_GLOBAL},
	{"a write takes all bits: #", GENERAL, .run = write_takes_all_bits,
	 .needs = HAS_FULL_WIDTH},
	{"a write of IA32_PMC extends bit 31: #", GENERAL, .run = write_extends_bit_31},
	{"a write of IA32_PMC ignores bits 63 to 32: #", GENERAL, 5,
	 .run = write_ignores_upper_bits},
	{"IA32_PMC and IA32_A_PMC are one counter: #", GENERAL,
	 .run = both_addresses_are_one_counter, .needs = HAS_FULL_WIDTH},
	{"without EN does not count: #", GENERAL, 0, .run = counts_without_enable_bit,
	 .needs = HAS_GLOBAL},
	{"without EN does not count: #", GENERAL, 0, .run = counts_unless_enabled,
	 .needs = SELFTEST_NO_STATUS},
	{"BRANCH_INSTRUCTIONS_RETIRED counts each branch: #", GENERAL, 1000,
	 .run = counts_each_branch, .more = 2000},
	{"reference cycles count at level 0 alone: #", GENERAL, true,
	 .run = reference_cycles_at_level_0_alone, .needs = SELFTEST_GLOBAL},
	{"branches count at level 0 alone: #", GENERAL, true, .run = branches_at_level_0_alone,
	 .needs = SELFTEST_GLOBAL},
	{"slots count at level 0 alone: #", GENERAL, true, .run = slots_at_level_0_alone,
	 .needs = HAS_FROZEN},
	{"counts at level 3 alone: #", FIXED & ~BIT(FIRST_FIXED), true,
	 .run = fixed_counter_counts_level_3_alone, .needs = HAS_GLOBAL},
	{"with AnyThread all counters count the other thread", 0,
	 .run = any_thread_counts_other_thread, .needs = HAS_ANY},
	{"without AnyThread no counter counts the other thread", 0, 0,
	 .run = other_thread_is_not_counted, .needs = HAS_GLOBAL},
	{"RDPMC of absent counters faults", 0, 0, .run = rdpmc_of_absent_counters_faults},
	{"absent registers fault", 0, true, .run = absent_registers_fault},

	{"overflow freezes branch records: #", BIT(0), LBR_FRZ,
	 .run = overflow_freezes_branch_records, .needs = HAS_FROZEN},
	{"the freeze of counters spares branch records: #", BIT(0), CTR_FRZ,
	 .run = freeze_of_counters_spares_branch_records, .needs = HAS_FROZEN},
	{"overflow stops branch records: #", BIT(0), 0, .run = overflow_stops_branch_records,
	 .needs = HAS_CLEARING},

	{"branch records: the last rounds of a loop",
	 .run = last_rounds_of_a_loop_are_recorded, .needs = HAS_BRANCHES},
	{"branch records: without #", FIELD_MASK(0, sizeof filter_names / sizeof *filter_names),
	 .run = branches_are_left_out, .names = filter_names, .needs = HAS_STACK},
	{"branch records: none unless enabled", 0, 0, .run = branches_without_enable,
	 .needs = HAS_STACK},
	{"branch records: none of level 0 or 3", 0, 0, .run = branches_of_neither_level,
	 .needs = HAS_STACK},
	{"branch records: a branch is recorded after TOS: #", FIELD_MASK(0, INTEL_BRANCH_RECORDS),
	 .run = branch_is_recorded_after_tos, .names = records, .needs = HAS_STACK},
	{"branch records: hold addresses of the upper half", .run = records_hold_upper_addresses,
	 .needs = HAS_BRANCHES},
	{"branch records: hold addresses of the lower half", .run = records_hold_lower_addresses,
	 .needs = HAS_BRANCHES},
	{"branch records: hold flags and cycles", .run = records_hold_information,
	 .needs = HAS_INFO},
	{"branch records: cycles since the one before", 0, true,
	 .run = records_have_their_cycles, .needs = HAS_INFO},
	{"branch records: none while they are frozen", 0, 0,
	 .run = frozen_branch_records_stand_still, .needs = HAS_BRANCHES | HAS_FROZEN},
	{"branch records: continue after the freeze", 0, KEPT,
	 .run = thawed_branch_records_continue, .needs = HAS_BRANCHES | HAS_FROZEN},

	{"branch records, architectural: none unless enabled", 0, 0,
	 .run = arch_none_unless_enabled, .needs = HAS_ARCH},
	{"branch records, architectural: record 0 is the youngest", 0, 7,
	 .run = youngest_is_record_0, .needs = HAS_ARCH},
	{"branch records, architectural: #", FIELD_MASK(0, sizeof arch_names / sizeof *arch_names),
	 .run = arch_records_only, .names = arch_names, .needs = HAS_ARCH},
	{"branch records, architectural: each depth", 0, INTEL_BRANCH_RECORDS,
	 .run = depths_are_held, .needs = HAS_ARCH},
	{"branch records, architectural: other depths fault", 0, 0, .run = other_depths_fault,
	 .needs = HAS_ARCH},
	{"branch records, architectural: a write of the depth clears", 0, 0,
	 .run = write_of_the_depth_clears, .needs = HAS_ARCH},
	{"branch records, architectural: type and valid cycles", 0, 0,
	 .run = records_have_their_type, .needs = HAS_ARCH},

	{"software sets and clears the freeze and OvfBuf", 0, 0,
	 .run = software_sets_and_clears_freeze, .needs = HAS_FROZEN},
	{"is in use: #", GENERAL | FIXED, .run = counter_is_in_use, .needs = HAS_FROZEN},
	{"its interrupt is in use: #", GENERAL | FIXED, .run = interrupt_is_in_use,
	 .needs = HAS_FROZEN},
};

//
// The suites
//

#define HAS_ALWAYS	(SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_NMI | SELFTEST_MASKS | \
			 SELFTEST_HALTS)

#define PERIOD		"INSTRUCTION_RETIRED:period=1000"
#define FEW_EVENTS	"INSTRUCTION_RETIRED," PERIOD
#define MANY_EVENTS	"INSTRUCTION_RETIRED," PERIOD "," PERIOD "," PERIOD "," PERIOD

static uint32_t properties(void)
{
	const uint32_t features = pmu_driver_intel.shape->features;
	const unsigned v = version();

	return HAS_ALWAYS | (v >= INTEL_VERSION_GLOBAL ? HAS_GLOBAL | SELFTEST_GLOBAL :
			     SELFTEST_NO_STATUS) |
	       (features & PMU_FEATURE_FREEZE ? SELFTEST_FREEZES : 0) |
	       (features & PMU_FEATURE_FREEZE && v < INTEL_VERSION_FROZEN ? HAS_CLEARING : 0) |
	       (v >= INTEL_VERSION_FROZEN ? HAS_FROZEN : 0) |
	       (features & PMU_FEATURE_ANY_THREAD ? HAS_ANY : 0) |
	       (has_full_width() ? HAS_FULL_WIDTH : 0) |
	       (intel_branch_records() ? HAS_BRANCHES : 0) |
	       (intel_branch_records() && !has_arch() ? HAS_STACK : 0) |
	       (has_arch() ? HAS_ARCH : 0) | (has_info() ? HAS_INFO : 0);
}

static void list_sessions(struct selftest_suite *s)
{
	const unsigned instructions = general_count() +
		(counters_there() >> FIRST_FIXED & 1);

	if (instructions < 2)
		return;
	s->sessions[SELFTEST_OVERFLOWING] = instructions < 5 ? FEW_EVENTS : MANY_EVENTS;
	s->sessions[SELFTEST_AT_USER] = "INSTRUCTION_RETIRED:u,INSTRUCTION_RETIRED:u:period=1000";
	s->sessions[SELFTEST_STORM] = "INSTRUCTION_RETIRED,INSTRUCTION_RETIRED:ctr=0:period=50";
	// In version 1 an NMI can arrive after one counter has started and before the next has.
	if (s->has & SELFTEST_GLOBAL)
		s->sessions[SELFTEST_NMIS] =
			"INSTRUCTION_RETIRED,INSTRUCTION_RETIRED:ctr=0:period=10";
}

static const struct selftest_suite *of_processor(void);

const struct selftest_suite selftest_suite_intel = {
	.driver = &pmu_driver_intel,
	.of_processor = of_processor,
	.adapt = adapt,
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(counters),
	.enable = MSR_IA32_PERF_GLOBAL_CTRL,
	.status = MSR_IA32_PERF_GLOBAL_STATUS,
	.clear = MSR_IA32_PERF_GLOBAL_STATUS_RESET,
	.further = selftest_global,
	.further_count = &selftest_global_count,
	.freeze_enable = MSR_IA32_DEBUGCTL,
	SELFTEST_LIST(cases),
};

static void describe_first(struct selftest_suite *s)
{
	s->counters = first_counters;
	s->counters_count = sizeof first_counters / sizeof *first_counters;
	s->control_starts = true;
	s->start_bit = FIELD(IA32_PERFEVTSEL, EN);
	s->enable = s->status = s->clear = 0;
}

// The suite of the processor that the probe found.
static const struct selftest_suite *of_processor(void)
{
	static struct selftest_suite made;

	read_version();
	find_branch_records();
	made = selftest_suite_intel;
	made.has = properties();
	list_sessions(&made);
	if (made.has & SELFTEST_NO_STATUS) {
		describe_first(&made);
	} else if (made.has & HAS_FROZEN) {
		made.set = MSR_IA32_PERF_GLOBAL_STATUS_SET;
		made.freeze_address = MSR_IA32_PERF_GLOBAL_STATUS;
		made.freeze_mask = made.frozen = CTR_FRZ;
	} else if (made.has & HAS_CLEARING) {
		made.freeze_address = MSR_IA32_PERF_GLOBAL_CTRL;
		made.freeze_mask = counters_there();
	}
	return &made;
}
