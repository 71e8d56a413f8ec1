// SPDX-License-Identifier: BSD-2-Clause
// Self test of the Core i7 / Xeon 5500 core PMU. Each expected value follows from the manual's rules and the number
// of instructions executed. An instruction that starts counting with its write of a control register is not
// counted, one that stops it is (as Linux's KVM self test pmu_counters_test.c finds on hardware): n instructions
// between two writes count n + 1.

#include "selftest.h"

#include "hal.h"
#include "pal.h"
#include "regs.h"

#define GENERAL		NEHALEM_GENERAL_COUNTERS
#define COUNTERS	(NEHALEM_GENERAL_COUNTERS + NEHALEM_FIXED_COUNTERS)
#define ALL_COUNTERS	(NEHALEM_GENERAL_MASK | NEHALEM_FIXED_MASK)
#define LEVELS		(EVENT_USER | EVENT_OS)

#define FREEZE		FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI)

//
// Registers
//

// Of IA32_DEBUGCTL only the bits that start nothing by themselves are tried: setting TR or BTS would make real
// hardware write branch records to wherever IA32_DS_AREA points.
#define HOLDS_IA32_DEBUGCTL (FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI) | FREEZE)
#define HOLDS(R) REGISTER_BITS(R, RW)

#define FIELDS_OF(R, address, count) static const struct field R##_fields[] \
	__attribute__((unused)) = {R(FIELD_ROW, R)};
NEHALEM_REGISTERS(FIELDS_OF)

#define REGISTER(R, number, suffix, mask)						\
	{.name = #R suffix, .field = R##_fields, .fields = sizeof R##_fields / sizeof *R##_fields,	\
	 .address = MSR_##R + (number), .reset = REGISTER_RESET(R), .defined = ~0ULL, .holds = (mask),	\
	 .reserved = REGISTER_BITS(R, RSVD), .writable = (REGISTER_BITS(R, RW) | REGISTER_BITS(R, W1C)) != 0}

static const struct selftest_register registers[] = {
	REGISTER(IA32_PERFEVTSEL, 0, "0", HOLDS(IA32_PERFEVTSEL)),
	REGISTER(IA32_PERFEVTSEL, 1, "1", HOLDS(IA32_PERFEVTSEL)),
	REGISTER(IA32_PERFEVTSEL, 2, "2", HOLDS(IA32_PERFEVTSEL)),
	REGISTER(IA32_PERFEVTSEL, 3, "3", HOLDS(IA32_PERFEVTSEL)),
	REGISTER(IA32_PMC, 0, "0", HOLDS(IA32_PMC)),
	REGISTER(IA32_PMC, 1, "1", HOLDS(IA32_PMC)),
	REGISTER(IA32_PMC, 2, "2", HOLDS(IA32_PMC)),
	REGISTER(IA32_PMC, 3, "3", HOLDS(IA32_PMC)),
	REGISTER(IA32_FIXED_CTR, 0, "0", HOLDS(IA32_FIXED_CTR)),
	REGISTER(IA32_FIXED_CTR, 1, "1", HOLDS(IA32_FIXED_CTR)),
	REGISTER(IA32_FIXED_CTR, 2, "2", HOLDS(IA32_FIXED_CTR)),
	REGISTER(IA32_FIXED_CTR_CTRL, 0, "", HOLDS(IA32_FIXED_CTR_CTRL)),
	REGISTER(IA32_PERF_GLOBAL_STATUS, 0, "", HOLDS(IA32_PERF_GLOBAL_STATUS)),
	REGISTER(IA32_PERF_GLOBAL_CTRL, 0, "", HOLDS(IA32_PERF_GLOBAL_CTRL)),
	REGISTER(IA32_PERF_GLOBAL_OVF_CTRL, 0, "", HOLDS(IA32_PERF_GLOBAL_OVF_CTRL)),
	REGISTER(IA32_DEBUGCTL, 0, "", HOLDS_IA32_DEBUGCTL),
	REGISTER(IA32_PERF_CAPABILITIES, 0, "", HOLDS(IA32_PERF_CAPABILITIES)),
};

//
// Steps of a check
//

// Counters are 0-3 general, 4-6 fixed.
static uint64_t global_bit(unsigned counter)
{
	return 1ULL << (counter < GENERAL ? counter : NEHALEM_FIRST_FIXED + counter - GENERAL);
}

static uint32_t counter_register(unsigned counter)
{
	return counter < GENERAL ? MSR_IA32_PMC + counter : MSR_IA32_FIXED_CTR + counter - GENERAL;
}

static uint64_t select(unsigned code, unsigned modifiers, unsigned cmask)
{
	return FIELD_PUT(IA32_PERFEVTSEL, EVTSEL, code) | FIELD_PUT(IA32_PERFEVTSEL, CMASK, cmask) |
	       FIELD_PUT(IA32_PERFEVTSEL, USR, !!(modifiers & EVENT_USER)) |
	       FIELD_PUT(IA32_PERFEVTSEL, OS, !!(modifiers & EVENT_OS)) |
	       FIELD_PUT(IA32_PERFEVTSEL, INV, !!(modifiers & EVENT_INV)) |
	       FIELD_PUT(IA32_PERFEVTSEL, E, !!(modifiers & EVENT_EDGE)) | FIELD(IA32_PERFEVTSEL, EN);
}

// Sets a counter up to count retired instructions (fixed counters 1 and 2: their cycles) from `start`.
static void set_counter(unsigned counter, unsigned levels, bool interrupt, uint64_t start)
{
	if (counter < GENERAL) {
		selftest_write(MSR_IA32_PERFEVTSEL + counter,
			       select(NEHALEM_EVENT_RETIRED, levels, 0) |
			       FIELD_PUT(IA32_PERFEVTSEL, INT, interrupt));
	} else {
		uint64_t control = FIELD_PUT(IA32_FIXED_CTR_CTRL, EN0_OS, !!(levels & EVENT_OS)) |
				   FIELD_PUT(IA32_FIXED_CTR_CTRL, EN0_USR, !!(levels & EVENT_USER)) |
				   FIELD_PUT(IA32_FIXED_CTR_CTRL, PMI0, interrupt);

		selftest_write(MSR_IA32_FIXED_CTR_CTRL,
			       selftest_read(MSR_IA32_FIXED_CTR_CTRL) |
			       control << (counter - GENERAL) * NEHALEM_FIXED_CONTROL_BITS);
	}
	selftest_write(counter_register(counter), start & FIELD(IA32_FIXED_CTR, COUNT));
}

// Counts with the given counters over exactly n instructions at the highest level.
static void count_between(uint64_t counters, uint64_t n)
{
	hal_execute_between(MSR_IA32_PERF_GLOBAL_CTRL, counters, 0, n);
}

// The same over n instructions at the lowest level and some constant number at the highest.
static void count_user(uint64_t counters, uint64_t n)
{
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, counters);
	hal_execute_user(n);
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
}

// The interrupt handler of the checks that look at the hardware alone. It never lets the counters go on.
static volatile unsigned interrupts_seen;
static volatile uint64_t control_at_interrupt, status_at_interrupt;

static void on_interrupt(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	interrupts_seen++;
	control_at_interrupt = selftest_read(MSR_IA32_PERF_GLOBAL_CTRL);
	status_at_interrupt = selftest_read(MSR_IA32_PERF_GLOBAL_STATUS);
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
	selftest_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, status_at_interrupt & ALL_COUNTERS);
	hal_pmi_end();
}

static void watch_interrupts(enum hal_pmi_delivery delivery)
{
	interrupts_seen = 0;
	control_at_interrupt = status_at_interrupt = ~0ULL;
	hal_pmi_attach(on_interrupt, delivery);
}

//
// Counters
//

static struct selftest_result check_width(unsigned counter)
{
	selftest_write(counter_register(counter), FIELD(IA32_FIXED_CTR, COUNT));
	return selftest_compare(FIELD_MASK(0, NEHALEM_COUNTER_WIDTH), selftest_read(counter_register(counter)));
}

static struct selftest_result check_sign(unsigned counter)
{
	selftest_write(counter_register(counter), 0x80000000);
	return selftest_compare(0xFFFF80000000, selftest_read(counter_register(counter)));
}

static struct selftest_result check_wrap(unsigned counter)
{
	const uint64_t n = 100;

	set_counter(counter, LEVELS, false, ~0ULL);
	count_between(global_bit(counter), n);
	return selftest_compare(n, selftest_read(counter_register(counter)));
}

// How many cycles the instructions take is the processor's business: that some were counted, and not many.
static struct selftest_result check_wrap_cycles(unsigned counter)
{
	uint64_t cycles;

	set_counter(counter, LEVELS, false, ~0ULL);
	count_between(global_bit(counter), 100);
	cycles = selftest_read(counter_register(counter));
	return selftest_compare(1, cycles > 0 && cycles < 1000000);
}

static struct selftest_result check_exact(unsigned counter)
{
	const uint64_t n = 5000;

	set_counter(counter, LEVELS, false, 0);
	count_between(global_bit(counter), n);
	return selftest_compare(n + 1, selftest_read(counter_register(counter)));
}

static struct selftest_result check_rdpmc(unsigned counter)
{
	uint32_t index = counter < GENERAL ? counter : (counter - GENERAL) | NEHALEM_RDPMC_FIXED;
	uint64_t value = 0;

	selftest_write(counter_register(counter), 0xFFFFFFFFFF5A + counter);
	selftest_require(reg_read_counter(index, &value));
	return selftest_compare(0xFFFFFFFFFF5A + counter, value);
}

static struct selftest_result check_rdpmc_fault(unsigned index)
{
	uint64_t value;

	return selftest_compare(1, !reg_read_counter(index, &value));
}

static struct selftest_result check_enable(unsigned counter)
{
	set_counter(counter, LEVELS, false, 0);
	selftest_write(MSR_IA32_PERFEVTSEL + counter,
		       selftest_read(MSR_IA32_PERFEVTSEL + counter) & ~FIELD(IA32_PERFEVTSEL, EN));
	count_between(ALL_COUNTERS, 100);
	return selftest_compare(0, selftest_read(counter_register(counter)));
}

// All counters but one are enabled; that one must stand still.
static struct selftest_result check_global(unsigned counter)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, LEVELS, false, 0);
	count_between(ALL_COUNTERS & ~global_bit(counter), 100);
	return selftest_compare(0, selftest_read(counter_register(counter)));
}

//
// Qualification
//

static struct selftest_result check_os_at_os(unsigned counter)
{
	set_counter(counter, EVENT_OS, false, 0);
	count_between(global_bit(counter), 100);
	return selftest_compare(101, selftest_read(counter_register(counter)));
}

static struct selftest_result check_user_at_os(unsigned counter)
{
	set_counter(counter, EVENT_USER, false, 0);
	count_between(global_bit(counter), 100);
	return selftest_compare(0, selftest_read(counter_register(counter)));
}

// What 2000 more instructions at the lowest level add: whatever the way there and back counts drops out.
static uint64_t user_difference(unsigned counter, unsigned levels)
{
	uint64_t short_count;

	set_counter(counter, levels, false, 0);
	count_user(global_bit(counter), 1000);
	short_count = selftest_read(counter_register(counter));
	selftest_write(counter_register(counter), 0);
	count_user(global_bit(counter), 3000);
	return selftest_read(counter_register(counter)) - short_count;
}

static struct selftest_result check_user_at_user(unsigned counter)
{
	return selftest_compare(2000, user_difference(counter, EVENT_USER));
}

// Interrupts come while level 3 counts, and their handler does not.
static struct selftest_result check_user_interrupted(unsigned counter)
{
	uint64_t undisturbed;

	set_counter(counter, EVENT_USER, false, 0);
	count_user(global_bit(counter), 20000);
	undisturbed = selftest_read(counter_register(counter));
	selftest_write(counter_register(counter), 0);
	hal_alarm(10000);
	count_user(global_bit(counter), 20000);
	return selftest_compare(undisturbed, selftest_read(counter_register(counter)));
}

static struct selftest_result check_os_at_user(unsigned counter)
{
	return selftest_compare(0, user_difference(counter, EVENT_OS));
}

// General counter 0 with a threshold on an event, against the cycles of fixed counter 1.
static struct selftest_result threshold(unsigned code, unsigned modifiers, unsigned cmask, bool all_cycles)
{
	selftest_write(MSR_IA32_PERFEVTSEL, select(code, LEVELS | modifiers, cmask));
	set_counter(GENERAL + 1, LEVELS, false, 0);
	count_between(global_bit(0) | global_bit(GENERAL + 1), 1000);
	return selftest_compare(all_cycles ? selftest_read(counter_register(GENERAL + 1)) : 0,
		      selftest_read(counter_register(0)));
}

// Core cycles are one in each cycle: they reach 1 always, and 2 never.
static struct selftest_result check_threshold_reached(unsigned unused)
{
	(void)unused;
	return threshold(NEHALEM_EVENT_CYCLES, 0, 1, true);
}

static struct selftest_result check_threshold_missed(unsigned unused)
{
	(void)unused;
	return threshold(NEHALEM_EVENT_CYCLES, 0, 2, false);
}

static struct selftest_result check_inverted_reached(unsigned unused)
{
	(void)unused;
	return threshold(NEHALEM_EVENT_CYCLES, EVENT_INV, 1, false);
}

static struct selftest_result check_inverted_missed(unsigned unused)
{
	(void)unused;
	return threshold(NEHALEM_EVENT_CYCLES, EVENT_INV, 2, true);
}

// The guide, on thresholds: for any event, the cycles that reach the threshold and those that do not are all cycles.
static struct selftest_result check_identity(unsigned cmask)
{
	selftest_write(MSR_IA32_PERFEVTSEL + 0, select(NEHALEM_EVENT_RETIRED, LEVELS, cmask));
	selftest_write(MSR_IA32_PERFEVTSEL + 1, select(NEHALEM_EVENT_RETIRED, LEVELS | EVENT_INV, cmask));
	set_counter(GENERAL + 1, LEVELS, false, 0);
	count_between(global_bit(0) | global_bit(1) | global_bit(GENERAL + 1), 1000);
	return selftest_compare(selftest_read(counter_register(GENERAL + 1)),
		      selftest_read(counter_register(0)) + selftest_read(counter_register(1)));
}

// Cycles at the lowest level begin anew with each visit there.
static struct selftest_result check_edge(unsigned visits)
{
	selftest_write(MSR_IA32_PERFEVTSEL, select(NEHALEM_EVENT_CYCLES, EVENT_USER | EVENT_EDGE, 1));
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, global_bit(0));
	for (unsigned i = 0; i < visits; i++)
		hal_execute_user(100);
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
	return selftest_compare(visits, selftest_read(MSR_IA32_PMC));
}

//
// Overflow
//

static struct selftest_result check_status(unsigned counter)
{
	set_counter(counter, LEVELS, false, ~0ULL);
	count_between(global_bit(counter), 100);
	return selftest_compare(global_bit(counter), selftest_read(MSR_IA32_PERF_GLOBAL_STATUS));
}

static struct selftest_result check_residue(unsigned counter)
{
	set_counter(counter, LEVELS, false, -100ULL);
	count_between(global_bit(counter), 1000);
	return selftest_compare(901, selftest_read(counter_register(counter)));
}

static struct selftest_result check_simultaneous(unsigned unused)
{
	(void)unused;
	for (unsigned i = 0; i < COUNTERS; i++)
		set_counter(i, LEVELS, false, -50ULL);
	count_between(ALL_COUNTERS, 1000);
	return selftest_compare(ALL_COUNTERS, selftest_read(MSR_IA32_PERF_GLOBAL_STATUS));
}

static struct selftest_result check_interrupt(unsigned counter)
{
	watch_interrupts(HAL_PMI_VECTOR);
	set_counter(counter, LEVELS, true, -50ULL);
	count_between(global_bit(counter), 1000);
	return selftest_compare(1, interrupts_seen);
}

static struct selftest_result check_no_interrupt(unsigned counter)
{
	watch_interrupts(HAL_PMI_VECTOR);
	set_counter(counter, LEVELS, false, -50ULL);
	count_between(global_bit(counter), 1000);
	return selftest_compare(0, interrupts_seen);
}

// The local vector table's entry is masked on delivery, and a second overflow is not delivered.
static struct selftest_result check_mask(unsigned counter)
{
	watch_interrupts(HAL_PMI_VECTOR);
	for (int i = 0; i < 2; i++) {
		set_counter(counter, LEVELS, true, -50ULL);
		count_between(global_bit(counter), 1000);
	}
	return selftest_compare(1, interrupts_seen);
}

static struct selftest_result check_nmi(unsigned counter)
{
	bool interrupts = hal_interrupts_disable();

	watch_interrupts(HAL_PMI_NMI);
	set_counter(counter, LEVELS, true, -50ULL);
	count_between(global_bit(counter), 1000);
	hal_interrupts_restore(interrupts);
	return selftest_compare(1, interrupts_seen);
}

static struct selftest_result check_freeze(unsigned counter)
{
	watch_interrupts(HAL_PMI_VECTOR);
	selftest_write(MSR_IA32_DEBUGCTL, FREEZE);
	set_counter(counter, LEVELS, true, -50ULL);
	count_between(global_bit(counter), 1000);
	return selftest_compare(0, control_at_interrupt);
}

static struct selftest_result check_no_freeze(unsigned counter)
{
	watch_interrupts(HAL_PMI_VECTOR);
	selftest_write(MSR_IA32_DEBUGCTL, 0);
	set_counter(counter, LEVELS, true, -50ULL);
	count_between(global_bit(counter), 1000);
	return selftest_compare(global_bit(counter), control_at_interrupt);
}

static struct selftest_result check_acknowledge_one(unsigned counter)
{
	check_simultaneous(0);
	selftest_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, global_bit(counter));
	return selftest_compare(ALL_COUNTERS & ~global_bit(counter), selftest_read(MSR_IA32_PERF_GLOBAL_STATUS));
}

static struct selftest_result check_acknowledge_all(unsigned unused)
{
	(void)unused;
	check_simultaneous(0);
	selftest_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, ALL_COUNTERS);
	return selftest_compare(0, selftest_read(MSR_IA32_PERF_GLOBAL_STATUS));
}

//
// The runtime on top: sessions, throttling, the light halt
//

// The period is shorter than what is left of the handler when it lets the counters go on: each NMI but the first is
// pending before the one before it has returned.
static struct selftest_result check_session_nmi(unsigned unused)
{
	(void)unused;
	pmu_begin(pmu_current_driver(), true);
	pmu_limit_interrupts(SELFTEST_STORM_LIMIT, UINT64_MAX >> 1);
	selftest_start("INST_RETIRED.ANY,INST_RETIRED.ANY_P:ctr=0:period=10");
	hal_execute(5000);
	selftest_stop();
	return selftest_compare(selftest_count(0), selftest_count(1));
}

static struct selftest_result check_halt_state(unsigned unused)
{
	const uint64_t control = global_bit(1) | global_bit(GENERAL + 2);

	(void)unused;
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, control);
	selftest_light_halt(5000);
	return selftest_compare(control, selftest_read(MSR_IA32_PERF_GLOBAL_CTRL));
}

// What a counter counts around a halt of so many timer ticks.
static uint64_t count_around_halt(unsigned counter, uint32_t ticks)
{
	set_counter(counter, LEVELS, false, 0);
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, global_bit(counter));
	selftest_light_halt(ticks);
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
	return selftest_read(counter_register(counter));
}

static struct selftest_result check_halt_count(unsigned counter)
{
	uint64_t around_short = count_around_halt(counter, 5000);

	return selftest_compare(around_short, count_around_halt(counter, 15000));
}

// An overflow whose interrupt is pending when the halt begins ends it, and is served.
static struct selftest_result check_halt_overflow(unsigned unused)
{
	bool interrupts = hal_interrupts_disable();

	(void)unused;
	watch_interrupts(HAL_PMI_VECTOR);
	set_counter(0, LEVELS, true, -50ULL);
	count_between(global_bit(0), 1000);
	selftest_light_halt(5000);
	hal_interrupts_restore(interrupts);
	return selftest_compare(1, interrupts_seen);
}

//
// The suite
//

#define EACH_GENERAL(C, name, run)							\
	C(name "IA32_PMC0", run, 0) C(name "IA32_PMC1", run, 1)				\
	C(name "IA32_PMC2", run, 2) C(name "IA32_PMC3", run, 3)
#define EACH_RETIRED(C, name, run) EACH_GENERAL(C, name, run) C(name "IA32_FIXED_CTR0", run, 4)
#define EACH_COUNTER(C, name, run) EACH_RETIRED(C, name, run)				\
	C(name "IA32_FIXED_CTR1", run, 5) C(name "IA32_FIXED_CTR2", run, 6)
#define CHECK(name, run, parameter) {name, run, parameter},

static const struct selftest_check checks[] = {
	EACH_COUNTER(CHECK, "width, all 48 bits: ", check_width)
	EACH_GENERAL(CHECK, "a write extends bit 31: ", check_sign)
	EACH_RETIRED(CHECK, "wraps to zero: ", check_wrap)
	{"counts cycles and wraps: IA32_FIXED_CTR1", check_wrap_cycles, 5},
	{"counts cycles and wraps: IA32_FIXED_CTR2", check_wrap_cycles, 6},
	EACH_RETIRED(CHECK, "counts exactly: ", check_exact)
	EACH_COUNTER(CHECK, "RDPMC reads ", check_rdpmc)
	{"RDPMC of general counter 4 faults", check_rdpmc_fault, GENERAL},
	{"RDPMC of fixed counter 3 faults", check_rdpmc_fault, NEHALEM_RDPMC_FIXED | NEHALEM_FIXED_COUNTERS},
	EACH_GENERAL(CHECK, "without EN does not count: ", check_enable)
	EACH_COUNTER(CHECK, "without its global enable does not count: ", check_global)
	EACH_RETIRED(CHECK, "OS only, at level 0: ", check_os_at_os)
	EACH_COUNTER(CHECK, "USR only, at level 0: ", check_user_at_os)
	EACH_RETIRED(CHECK, "USR only, at level 3: ", check_user_at_user)
	EACH_RETIRED(CHECK, "OS only, at level 3: ", check_os_at_user)
	{"USR only, at level 3, interrupted: IA32_PMC0", check_user_interrupted, 0},
	{"CMASK 1, one event in a cycle: all cycles", check_threshold_reached, 0},
	{"CMASK 2, one event in a cycle: none", check_threshold_missed, 0},
	{"CMASK 1 with INV, one event in a cycle: none", check_inverted_reached, 0},
	{"CMASK 2 with INV, one event in a cycle: all cycles", check_inverted_missed, 0},
	{"CMASK 1, with and without INV: all cycles", check_identity, 1},
	{"CMASK 2, with and without INV: all cycles", check_identity, 2},
	{"E counts each visit to level 3 once", check_edge, 10},
	EACH_COUNTER(CHECK, "overflow sets the status of ", check_status)
	EACH_RETIRED(CHECK, "what counts after an overflow is kept: ", check_residue)
	{"all counters overflow in one cycle", check_simultaneous, 0},
	EACH_COUNTER(CHECK, "overflow with INT interrupts once: ", check_interrupt)
	EACH_COUNTER(CHECK, "overflow without INT does not interrupt: ", check_no_interrupt)
	EACH_COUNTER(CHECK, "LVTPC is masked on delivery: ", check_mask)
	EACH_COUNTER(CHECK, "overflow as NMI, interrupts off: ", check_nmi)
	EACH_COUNTER(CHECK, "overflow freezes: ", check_freeze)
	EACH_COUNTER(CHECK, "overflow does not freeze unless told to: ", check_no_freeze)
	EACH_COUNTER(CHECK, "acknowledging clears only ", check_acknowledge_one)
	{"acknowledging clears all", check_acknowledge_all, 0},
	{"session: counter 1 of 4 that overflow together is exact", selftest_session_exact, 1},
	{"session: counter 2 of 4 that overflow together is exact", selftest_session_exact, 2},
	{"session: counter 3 of 4 that overflow together is exact", selftest_session_exact, 3},
	{"session: counter 4 of 4 that overflow together is exact", selftest_session_exact, 4},
	{"session: counter 1 of 4 took a sample each period", selftest_session_samples, 1},
	{"session: counter 2 of 4 took a sample each period", selftest_session_samples, 2},
	{"session: counter 3 of 4 took a sample each period", selftest_session_samples, 3},
	{"session: counter 4 of 4 took a sample each period", selftest_session_samples, 4},
	{"session: samples of level 3 are taken at level 3", selftest_session_user, 0},
	{"session: NMIs that follow each other at once are exact", check_session_nmi, 0},
	{"session: no interrupt without an overflow", selftest_session_spurious, 0},
	{"storm: interrupts stop behind the limit", selftest_storm_bounded, 0},
	{"storm: the throttled counter is reported", selftest_storm_reported, 0},
	{"storm: the throttled counter is exact", selftest_storm_exact, 0},
	{"PAL_HALT_LIGHT restores the freeze state", check_halt_state, 0},
	EACH_RETIRED(CHECK, "PAL_HALT_LIGHT: a longer halt counts nothing more: ", check_halt_count)
	{"PAL_HALT_LIGHT: a pending overflow is served", check_halt_overflow, 0},
};

extern const struct pmu_driver pmu_driver_nehalem;

const struct selftest_suite selftest_suite_nehalem = {
	.driver = &pmu_driver_nehalem,
	.sessions = {
		.overflowing = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=1000,INST_RETIRED.ANY_P:period=1000,"
			       "INST_RETIRED.ANY_P:period=1000,INST_RETIRED.ANY_P:period=1000",
		.user = "INST_RETIRED.ANY:u,INST_RETIRED.ANY_P:u:period=1000",
		.storm = "INST_RETIRED.ANY,INST_RETIRED.ANY_P:ctr=0:period=50",
	},
	.registers = registers,
	.register_count = sizeof registers / sizeof *registers,
	.checks = checks,
	.check_count = sizeof checks / sizeof *checks,
};
