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
#define FREEZE_BRANCHES	FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI)
#define BRANCHES	FIELD(IA32_DEBUGCTL, LBR)

//
// Registers
//

// Of IA32_DEBUGCTL only the bits that start nothing by themselves are tried: setting TR or BTS would make real
// hardware write branch records to wherever IA32_DS_AREA points.
#define HOLDS_IA32_DEBUGCTL (FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI) | FREEZE)
#define HOLDS(R) REGISTER_BITS(R, RW)

// Of an address the bits that can differ without making it one that is not canonical.
#define HOLDS_ADDRESS FIELD_MASK(0, 47)

#define FIELDS_OF(R, ...) static const struct field R##_fields[] \
	__attribute__((unused)) = {R(FIELD_ROW, R)};
NEHALEM_REGISTERS(FIELDS_OF)

#define REGISTER(R, number, suffix, mask)						\
	{.name = #R suffix, .field = R##_fields, .fields = sizeof R##_fields / sizeof *R##_fields,	\
	 .address = MSR_##R + (number), .reset = REGISTER_RESET(R), .defined = ~0ULL, .holds = (mask),	\
	 .reserved = REGISTER_BITS(R, RSVD), .writable = (REGISTER_BITS(R, RW) | REGISTER_BITS(R, W1C)) != 0}

#define BRANCH_SOURCE(n) \
	REGISTER(LASTBRANCH_FROM_IP, n, #n, HOLDS_ADDRESS | FIELD(LASTBRANCH_FROM_IP, MISPRED))
#define BRANCH_TARGET(n) REGISTER(LASTBRANCH_TO_IP, n, #n, HOLDS_ADDRESS)
#define EACH_BRANCH(B)								\
	B(0), B(1), B(2), B(3), B(4), B(5), B(6), B(7),				\
	B(8), B(9), B(10), B(11), B(12), B(13), B(14), B(15)

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
	REGISTER(IA32_PEBS_ENABLE, 0, "", HOLDS(IA32_PEBS_ENABLE)),
	REGISTER(PEBS_LD_LAT, 0, "", HOLDS(PEBS_LD_LAT)),
	REGISTER(IA32_DS_AREA, 0, "", HOLDS_ADDRESS),
	REGISTER(OFFCORE_RSP_0, 0, "", HOLDS(OFFCORE_RSP_0)),
	REGISTER(LBR_SELECT, 0, "", HOLDS(LBR_SELECT)),
	REGISTER(LASTBRANCH_TOS, 0, "", HOLDS(LASTBRANCH_TOS)),
	EACH_BRANCH(BRANCH_SOURCE),
	EACH_BRANCH(BRANCH_TARGET),
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
	selftest_execute_between(MSR_IA32_PERF_GLOBAL_CTRL, counters, 0, n);
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
static volatile uint64_t control_at_interrupt, status_at_interrupt, debugctl_at_interrupt;

static void on_interrupt(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	interrupts_seen++;
	control_at_interrupt = selftest_read(MSR_IA32_PERF_GLOBAL_CTRL);
	status_at_interrupt = selftest_read(MSR_IA32_PERF_GLOBAL_STATUS);
	debugctl_at_interrupt = selftest_read(MSR_IA32_DEBUGCTL);
	selftest_write(MSR_IA32_DEBUGCTL, debugctl_at_interrupt & ~BRANCHES);
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
	selftest_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, status_at_interrupt);
	hal_pmi_end();
}

static void watch_interrupts(enum hal_pmi_delivery delivery)
{
	interrupts_seen = 0;
	control_at_interrupt = status_at_interrupt = debugctl_at_interrupt = ~0ULL;
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

// How many cycles the instructions take is the processor's business. A general counter that starts from 0 with the same
// write counts as many (Table 1: CPU_CLK_UNHALTED.THREAD and .THREAD_P); the first one wraps.
static struct selftest_result check_wrap_cycles(unsigned counter)
{
	set_counter(counter, LEVELS, false, ~0ULL);
	selftest_write(MSR_IA32_PERFEVTSEL, select(NEHALEM_EVENT_CYCLES, LEVELS, 0));
	count_between(global_bit(counter) | global_bit(0), 100);
	return selftest_compare(selftest_read(MSR_IA32_PMC) - 1, selftest_read(counter_register(counter)));
}

// Reference cycles, which no other counter is sure to count, are those of the time-stamp counter (SDM volume 3B,
// "Non-Halted Reference Clockticks"): as many as it has passed between the writes that start and stop them, at least,
// and as it has passed around both, at most. They may come by the tick of a slower clock.
#define REFERENCE_TICK 64

static struct selftest_result check_wrap_reference(unsigned counter)
{
	uint64_t start, started, stop, stopped, least, most, cycles;

	set_counter(counter, LEVELS, false, ~0ULL);
	start = hal_clock();
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, global_bit(counter));
	started = hal_clock();
	hal_execute(100);
	stop = hal_clock();
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
	stopped = hal_clock();
	cycles = selftest_read(counter_register(counter)) + 1;
	least = stop - started > REFERENCE_TICK ? stop - started - REFERENCE_TICK : 0;
	most = stopped - start + REFERENCE_TICK;
	return selftest_compare(cycles < least ? least : cycles > most ? most : cycles, cycles);
}

static struct selftest_result check_exact(unsigned counter)
{
	const uint64_t n = 3000;

	set_counter(counter, LEVELS, false, 0);
	count_between(global_bit(counter), n);
	return selftest_compare(n + 1, selftest_read(counter_register(counter)));
}

static struct selftest_result check_rdpmc(unsigned counter)
{
	uint32_t index = counter < GENERAL ? counter : (counter - GENERAL) | NEHALEM_RDPMC_FIXED;

	selftest_write(counter_register(counter), 0xFFFFFFFFFF5A + counter);
	return selftest_compare(0xFFFFFFFFFF5A + counter, selftest_read_counter(index));
}

static struct selftest_result check_rdpmc_fault(unsigned index)
{
	uint64_t value;

	return selftest_compare(1, !reg_read_counter(index, &value));
}

static struct selftest_result check_absent(unsigned unused)
{
	static const uint32_t absent[] = {
		MSR_IA32_PMC + GENERAL, MSR_IA32_PERFEVTSEL + GENERAL,
		MSR_IA32_FIXED_CTR + NEHALEM_FIXED_COUNTERS, MSR_OFFCORE_RSP_0 + 1,
	};

	(void)unused;
	return selftest_absent(absent, sizeof absent / sizeof *absent);
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
	count_user(global_bit(counter), 10000);
	undisturbed = selftest_read(counter_register(counter));
	selftest_write(counter_register(counter), 0);
	hal_alarm(5000);
	count_user(global_bit(counter), 10000);
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

static struct selftest_result check_write_pending(unsigned counter)
{
	check_status(counter);
	selftest_write(counter_register(counter), 12345);
	return selftest_compare(12345, selftest_read(counter_register(counter)));
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
// Precise records: of retired instructions, by counter 0
//

#define RECORD_SIZE	(NEHALEM_PEBS_WORDS * sizeof(uint64_t))
#define RECORDS		4
#define UNTOUCHED	0xFFFFFFFFFFFFFFFF

// The debug store's management area, and behind it a buffer with a record more than it is told of.
static _Alignas(64) uint64_t store[NEHALEM_DS_WORDS];
static _Alignas(64) uint64_t records[RECORDS + 1][NEHALEM_PEBS_WORDS];

// Counter 0 leaves a record 100 events from now, then one in each `period`; `threshold` of them interrupt.
static void set_records(unsigned threshold, uint64_t period)
{
	for (unsigned i = 0; i < RECORDS + 1; i++)
		for (unsigned word = 0; word < NEHALEM_PEBS_WORDS; word++)
			records[i][word] = UNTOUCHED;
	store[NEHALEM_DS_PEBS_BASE] = store[NEHALEM_DS_PEBS_INDEX] = (uintptr_t)records;
	store[NEHALEM_DS_PEBS_MAXIMUM] = (uintptr_t)records[RECORDS];
	store[NEHALEM_DS_PEBS_THRESHOLD] = (uintptr_t)records + threshold * RECORD_SIZE;
	store[NEHALEM_DS_PEBS_RESET] = -period & FIELD(IA32_FIXED_CTR, COUNT);
	watch_interrupts(HAL_PMI_VECTOR);
	selftest_write(MSR_IA32_DS_AREA, (uintptr_t)store);
	set_counter(0, LEVELS, false, -100ULL);
	selftest_write(MSR_IA32_PEBS_ENABLE, FIELD_PUT(IA32_PEBS_ENABLE, PEBS_EN_PMC, 1));
}

static uint64_t records_written(void)
{
	return (store[NEHALEM_DS_PEBS_INDEX] - (uintptr_t)records) / RECORD_SIZE;
}

static struct selftest_result check_record(unsigned unused)
{
	(void)unused;
	set_records(RECORDS, 100000);
	count_between(global_bit(0), 1000);
	return selftest_compare(1, records_written());
}

static struct selftest_result check_record_status(unsigned unused)
{
	check_record(unused);
	return selftest_compare(global_bit(0), records[0][NEHALEM_PEBS_STATUS]);
}

static struct selftest_result check_record_clears(unsigned unused)
{
	check_record(unused);
	return selftest_compare(0, selftest_read(MSR_IA32_PERF_GLOBAL_STATUS));
}

// How long it takes from an overflow to its record is the processor's business: less than the 300 instructions that are
// left here for three of them.
static struct selftest_result check_record_reload(unsigned unused)
{
	(void)unused;
	set_records(RECORDS, 300);
	count_between(global_bit(0), 1000);
	return selftest_compare(3, records_written());
}

static struct selftest_result check_record_interrupt(unsigned threshold)
{
	set_records(threshold, 100);
	count_between(global_bit(0), 2000);
	return selftest_compare(threshold, interrupts_seen == 1 ? records_written() : 0);
}

static struct selftest_result check_record_buffer_status(unsigned unused)
{
	(void)unused;
	set_records(2, 100);
	count_between(global_bit(0), 2000);
	return selftest_compare(FIELD(IA32_PERF_GLOBAL_STATUS, OvfBuf), status_at_interrupt);
}

// The threshold lies behind the buffer's end and is not reached. There are events for one record too many, no more.
static struct selftest_result check_record_room(unsigned unused)
{
	uint64_t touched = 0;

	(void)unused;
	set_records(RECORDS + 2, 100);
	count_between(global_bit(0), 590);
	for (unsigned word = 0; word < NEHALEM_PEBS_WORDS; word++)
		touched += records[RECORDS][word] != UNTOUCHED;
	return selftest_compare(0, touched);
}

static struct selftest_result check_record_off(unsigned unused)
{
	(void)unused;
	set_records(RECORDS, 100);
	selftest_write(MSR_IA32_PEBS_ENABLE, 0);
	count_between(global_bit(0), 1000);
	return selftest_compare(0, records_written());
}

static struct selftest_result check_store_canonical(unsigned bit)
{
	return selftest_compare(1, !reg_write(MSR_IA32_DS_AREA, 1ULL << bit));
}

//
// Branch records: of the known code's loop, whose branch is taken each time but the last
//

#define OTHER_KINDS	(FIELD(LBR_SELECT, NEAR_REL_CALL) | FIELD(LBR_SELECT, NEAR_INDIRECT_CALL) |	\
			 FIELD(LBR_SELECT, NEAR_RET) | FIELD(LBR_SELECT, NEAR_INDIRECT_JMP) |	\
			 FIELD(LBR_SELECT, NEAR_REL_JMP) | FIELD(LBR_SELECT, FAR_BRANCH))
// Of 37 instructions three are a jump over an odd one, which is taken, and two moves; the others are 17 rounds of two,
// whose branch is taken but for the last (arch/x86/execute.S). More than 16, so that all records are the loop's.
#define LOOP_INSTRUCTIONS	37
#define LOOP_TAKEN		17

static uint64_t top_of_stack(void)
{
	return selftest_read(MSR_LASTBRANCH_TOS);
}

static void record_loop(void)
{
	selftest_execute_between(MSR_IA32_DEBUGCTL, BRANCHES, 0, LOOP_INSTRUCTIONS);
}

// What the code is made of is this processor's business too: all records are of one branch, backwards.
static struct selftest_result check_branches(unsigned unused)
{
	uint64_t from, to, alike = 0;

	(void)unused;
	record_loop();
	from = selftest_read(MSR_LASTBRANCH_FROM_IP) & FIELD(LASTBRANCH_FROM_IP, ADDRESS);
	to = selftest_read(MSR_LASTBRANCH_TO_IP);
	for (unsigned i = 0; i < NEHALEM_BRANCH_RECORDS; i++)
		alike += (selftest_read(MSR_LASTBRANCH_FROM_IP + i) & FIELD(LASTBRANCH_FROM_IP, ADDRESS)) == from &&
			 selftest_read(MSR_LASTBRANCH_TO_IP + i) == to;
	return selftest_compare(to && to < from ? NEHALEM_BRANCH_RECORDS : ~0ULL, alike);
}

static struct selftest_result check_branches_top(unsigned unused)
{
	uint64_t before = top_of_stack();

	(void)unused;
	record_loop();
	return selftest_compare((before + LOOP_TAKEN) % NEHALEM_BRANCH_RECORDS, top_of_stack());
}

static struct selftest_result check_branches_off(unsigned unused)
{
	uint64_t before = top_of_stack();

	(void)unused;
	hal_execute(LOOP_INSTRUCTIONS);
	return selftest_compare(before, top_of_stack());
}

static struct selftest_result check_branches_left_out(unsigned filter)
{
	uint64_t before = top_of_stack();

	selftest_write(MSR_LBR_SELECT, filter);
	record_loop();
	return selftest_compare(before, top_of_stack());
}

static struct selftest_result check_branches_kept(unsigned filter)
{
	uint64_t before = top_of_stack();

	selftest_write(MSR_LBR_SELECT, filter);
	record_loop();
	return selftest_compare((before + LOOP_TAKEN) % NEHALEM_BRANCH_RECORDS, top_of_stack());
}

static struct selftest_result branches_at_interrupt(uint64_t freezes, uint64_t expected)
{
	watch_interrupts(HAL_PMI_VECTOR);
	set_counter(0, LEVELS, true, -30ULL);
	selftest_write(MSR_IA32_PERF_GLOBAL_CTRL, global_bit(0));
	selftest_execute_between(MSR_IA32_DEBUGCTL, BRANCHES | freezes, 0, LOOP_INSTRUCTIONS);
	return selftest_compare(expected, debugctl_at_interrupt & BRANCHES);
}

static struct selftest_result check_branches_freeze(unsigned unused)
{
	(void)unused;
	return branches_at_interrupt(FREEZE_BRANCHES, 0);
}

static struct selftest_result check_branches_no_freeze(unsigned unused)
{
	(void)unused;
	return branches_at_interrupt(0, BRANCHES);
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
	{"counts cycles and wraps: IA32_FIXED_CTR2", check_wrap_reference, 6},
	EACH_RETIRED(CHECK, "counts exactly: ", check_exact)
	EACH_COUNTER(CHECK, "RDPMC reads ", check_rdpmc)
	{"RDPMC of general counter 4 faults", check_rdpmc_fault, GENERAL},
	{"RDPMC of fixed counter 3 faults", check_rdpmc_fault, NEHALEM_RDPMC_FIXED | NEHALEM_FIXED_COUNTERS},
	{"registers of other processors fault", check_absent, 0},
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
	EACH_COUNTER(CHECK, "can be written while its overflow is pending: ", check_write_pending)
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
	{"a precise event leaves a record", check_record, 0},
	{"a record says whose it is", check_record_status, 0},
	{"a record clears its counter's overflow", check_record_clears, 0},
	{"a record sets its counter anew", check_record_reload, 0},
	{"the first record interrupts if it is to", check_record_interrupt, 1},
	{"the third record interrupts if it is to", check_record_interrupt, 3},
	{"a full buffer of records shows in the status", check_record_buffer_status, 0},
	{"no record behind the buffer", check_record_room, 0},
	{"no record unless enabled", check_record_off, 0},
	{"IA32_DS_AREA: an address that is not canonical faults: bit 47", check_store_canonical, 47},
	{"IA32_DS_AREA: an address that is not canonical faults: bit 63", check_store_canonical, 63},
	{"branch records: the last 16 rounds of a loop", check_branches, 0},
	{"branch records: each taken branch is one", check_branches_top, 0},
	{"branch records: none unless enabled", check_branches_off, 0},
	{"branch records: without those of level 0", check_branches_left_out, FIELD(LBR_SELECT, CPL_EQ_0)},
	{"branch records: without conditional ones", check_branches_left_out, FIELD(LBR_SELECT, JCC)},
	{"branch records: level 0 with those of level 3 left out", check_branches_kept, FIELD(LBR_SELECT, CPL_NEQ_0)},
	{"branch records: conditional ones with all others left out", check_branches_kept, OTHER_KINDS},
	{"branch records: an overflow freezes them", check_branches_freeze, 0},
	{"branch records: an overflow does not freeze them unless told to", check_branches_no_freeze, 0},
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
