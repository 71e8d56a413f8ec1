// SPDX-License-Identifier: BSD-2-Clause
// Self test of the Itanium processor's performance monitor: what it says of itself to the shared suite, and what only
// it has. Each expected value follows from the manual's rules and the number of instructions executed. An instruction
// that starts counting with its write of PSR is not counted, one that stops it is: n instructions between two writes
// count n + 1.

#include "selftest.h"

#include "hal.h"
#include "pal.h"
#include "regs.h"

#define FIRST		ITANIUM_FIRST_COUNTER
#define ALL_COUNTERS	ITANIUM_COUNTER_MASK
#define ALL_LEVELS	0xF
#define FREEZE		FIELD(PMC0, fr)

// Events (7.8).
#define TAKEN_SLOT	0x0D	/* BRANCH_TAKEN_SLOT */
#define LOADS_RETIRED	0x6C

//
// Registers
//

#define NAMED(R, address, count, ...) \
	SELFTEST_NAMED(R, ITANIUM_NAME(R, address), ITANIUM_NUMBER_OF(address), address, count,	\
		       ITANIUM_DISTANCE(address))
SELFTEST_REGISTERS(ITANIUM_REGISTERS, NAMED)

// PSR and DCR hold what the machine runs by: only single bits of them are tried, below. The timer runs. A data register
// whose monitor has no levels does not keep its value (Table 6-11).
#define LEFT_OUT(of) {.address = (of), .count = 1, .left_out = true}
#define DATA(n, number, control) \
	{.address = ITANIUM_PMD(n), .count = (number), .with_address = ITANIUM_PMC(control), .with_value = ALL_LEVELS}

static const struct selftest_exception exceptions[] = {
	LEFT_OUT(ITANIUM_PSR), LEFT_OUT(ITANIUM_DCR), LEFT_OUT(ITANIUM_ITC), LEFT_OUT(ITANIUM_ITM),
	LEFT_OUT(ITANIUM_ITV),
	DATA(0, 2, 10), DATA(2, 2, 11), DATA(4, 1, 4), DATA(5, 1, 5), DATA(6, 1, 6), DATA(7, 1, 7), DATA(8, 9, 12),
	DATA(17, 1, 11),
};

// The manual's 6.2.2: 32 bits, which read as sign-extended.
static const struct selftest_written written[] = {
	{"reads as extended from bit 31: ", 0x80000000, 0xFFFFFFFF80000000},
	{"width, 32 bits: ", 0xABCDEF0112345678, 0x12345678}, {0},
};

#define NO_EVENT 0x7A	/* no event has this code (7.8) */
#define STOPS(event)									\
	{"off, the others on, does not count: ", FIELD(PMC4, ism)},			\
	{"another event does not count: ", FIELD_PUT(PMC4, es, (event) ^ NO_EVENT)}, {0}

static const struct selftest_stop stop_retired[] = {STOPS(ITANIUM_EVENT_RETIRED)};
static const struct selftest_stop stop_cycles[] = {STOPS(ITANIUM_EVENT_CYCLES)};

// Cycles are one in each cycle: they never exceed a threshold of 1.
static const struct selftest_condition conditions[] = {
	{"threshold 1, one event in a cycle: ", "CPU_CYCLES:c=1", false}, {0},
};

#define COUNTERS(from) \
	.first = (from), .count = 2, .cycles = "CPU_CYCLES", .interrupt = FIELD(PMC4, oi), .written = written,	\
	.condition = conditions

static const struct selftest_counters counters[] = {
	{COUNTERS(FIRST), .event = "IA64_INST_RETIRED", .exact = true, .stop = stop_retired},
	{COUNTERS(FIRST + 2), .event = "CPU_CYCLES", .stop = stop_cycles},
};

//
// Steps of a check
//

static void change_register(uint32_t address, uint64_t clear, uint64_t set)
{
	selftest_write(address, (selftest_read(address) & ~clear) | set);
}

static uint64_t count_of(unsigned counter)
{
	return selftest_read(ITANIUM_PMD(counter));
}

// A privileged monitor of an event, at all levels, in both instruction sets.
static uint64_t select(unsigned event)
{
	return FIELD_PUT(PMC4, plm, ALL_LEVELS) | FIELD(PMC4, pm) | FIELD_PUT(PMC4, es, event);
}

// To be called frozen, as a check begins. The control register first: without levels a counter keeps no value.
static void set_counter(unsigned counter, uint64_t control, uint64_t start)
{
	selftest_write(ITANIUM_PMC(counter), control);
	selftest_write(ITANIUM_PMD(counter), start);
}

#define STOPPED	(FIELD(PSR, pp) | FIELD(PSR, up))

// Overflow bits stay.
static void stop_and_unfreeze(void)
{
	change_register(ITANIUM_PSR, STOPPED, 0);
	change_register(ITANIUM_PMC(0), FREEZE, 0);
}

// Counts with `status` set in PSR over exactly n instructions at the highest level. PMC0 is left as that made it.
static void count_with(uint64_t status, uint64_t n)
{
	uint64_t stopped;

	stop_and_unfreeze();
	stopped = selftest_read(ITANIUM_PSR);
	selftest_execute_between(ITANIUM_PSR, stopped | status, stopped, n);
}

static void count(uint64_t n)
{
	count_with(FIELD(PSR, pp), n);
}

// What the shared checks do with counters. All that have been set up count. PSR.up is set too: it is no business of a
// privileged monitor, not even where PSR.pp is 0.
static void start(uint64_t counters)
{
	if (counters)
		stop_and_unfreeze();
	change_register(ITANIUM_PSR, STOPPED, counters ? STOPPED : 0);
}

static void run(uint64_t, uint64_t n)
{
	count(n);
}

static void acknowledge(uint64_t overflowed)
{
	selftest_require(pmu_current_driver()->overflow_clear(overflowed));
}

//
// Registers that are not whole
//

// Each of PSR's bits that govern monitoring holds both values, and so does DCR's.
#define HOLDS_DCR 0x80u

static struct selftest_result check_holds(unsigned parameter)
{
	const uint32_t address = parameter & HOLDS_DCR ? ITANIUM_DCR : ITANIUM_PSR;
	const uint64_t bit = 1ULL << (parameter & ~HOLDS_DCR);
	uint64_t found;

	change_register(address, bit, 0);
	found = selftest_read(address) & bit;
	change_register(address, 0, bit);
	return selftest_compare(bit, found ^ (selftest_read(address) & bit));
}

// Bits 60:51 of event addresses are copies of bit 50, whatever is written there.
#define ADDRESS_SIGN	FIELD_MASK(ITANIUM_ADDRESS_BITS, 10)

static struct selftest_result check_address_sign(unsigned number)
{
	const uint64_t highest = 1ULL << (ITANIUM_ADDRESS_BITS - 1);
	uint64_t positive;

	selftest_write(ITANIUM_PMC(number == 0 ? 10 : 11), ALL_LEVELS);
	selftest_write(ITANIUM_PMD(number), ADDRESS_SIGN);
	positive = selftest_read(ITANIUM_PMD(number)) & ADDRESS_SIGN;
	selftest_write(ITANIUM_PMD(number), highest);
	return selftest_compare(ADDRESS_SIGN, positive ^ (selftest_read(ITANIUM_PMD(number)) & ADDRESS_SIGN));
}

//
// Counters
//

static struct selftest_result check_frozen(unsigned counter)
{
	set_counter(counter, select(ITANIUM_EVENT_CYCLES), 0);
	change_register(ITANIUM_PSR, 0, FIELD(PSR, pp));
	hal_execute(100);
	return selftest_compare(0, count_of(counter));
}

//
// Who may count and read (6.2.1)
//

// A privileged monitor counts with PSR.pp, a user monitor with PSR.up.
static struct selftest_result count_as(uint64_t flip, uint64_t status, uint64_t expected)
{
	selftest_set(FIRST, SELFTEST_ALL, false, 0);
	selftest_flip(FIRST, flip);
	count_with(status, 100);
	return selftest_compare(expected, count_of(FIRST));
}

static struct selftest_result check_privileged(unsigned low)
{
	return count_as(0, 1ULL << low, low == PSR_pp_LOW ? 101 : 0);
}

static struct selftest_result check_user(unsigned low)
{
	return count_as(FIELD(PMC4, pm), 1ULL << low, low == PSR_up_LOW ? 101 : 0);
}

// mov r = pmd[r] at the lowest level, or at the highest one, at which nothing is closed (ASDM volume 2, 7.2.1).
static struct selftest_result read_with(bool read(uint32_t index, uint64_t *value), unsigned counter, uint64_t clear,
					uint64_t status, uint64_t expected)
{
	uint64_t value = ~0ULL;

	set_counter(counter, select(ITANIUM_EVENT_CYCLES) & ~clear, 0x5A00 + counter);
	change_register(ITANIUM_PSR, FIELD(PSR, sp), status);
	selftest_require(read(counter, &value));
	return selftest_compare(expected, value);
}

static struct selftest_result check_read_user(unsigned counter)
{
	return read_with(hal_read_counter_user, counter, FIELD(PMC4, pm), 0, 0x5A00 + counter);
}

static struct selftest_result check_read_privileged(unsigned counter)
{
	return read_with(hal_read_counter_user, counter, 0, 0, 0);
}

static struct selftest_result check_read_secure(unsigned counter)
{
	return read_with(hal_read_counter_user, counter, FIELD(PMC4, pm), FIELD(PSR, sp), 0);
}

static struct selftest_result check_read_kernel(unsigned counter)
{
	return read_with(reg_read_counter, counter, 0, FIELD(PSR, sp), 0x5A00 + counter);
}

//
// Qualification
//

// What an interrupt adds: PSR.pp becomes DCR.pp in its handler, then what it was. The first counter counts at all
// levels, the next one at the highest only.
static void count_interruption(uint64_t interruption, uint64_t added[2])
{
	change_register(ITANIUM_DCR, FIELD(DCR, pp), interruption);
	selftest_set(FIRST, SELFTEST_ALL, false, 0);
	selftest_set(FIRST + 1, SELFTEST_OS, false, 0);
	selftest_run_user(ALL_COUNTERS, 20000);
	for (unsigned i = 0; i < 2; i++) {
		added[i] = -count_of(FIRST + i);
		selftest_write(ITANIUM_PMD(FIRST + i), 0);
	}
	hal_alarm(10000);
	selftest_run_user(ALL_COUNTERS, 20000);
	for (unsigned i = 0; i < 2; i++)
		added[i] += count_of(FIRST + i);
}

// All that it adds is the handler's, which executes at the highest level.
static struct selftest_result check_interruption(unsigned counted)
{
	uint64_t added[2];

	count_interruption(counted ? FIELD(DCR, pp) : 0, added);
	selftest_require(!added[1] == !counted);
	return selftest_compare(added[1], added[0]);
}

//
// Qualification: instruction sets (ism: a set bit turns one off); tags (6.1.3.1), which unit masks 3 and 2 count. Data
// ranges and the other cases follow.
//

#define SETS(sets)	FIRST, FIELD_PUT(PMC4, ism, sets)
#define TAGGED_BY_PMC8	FIRST, FIELD_PUT(PMC4, umask, 3)	/* Table 7-30 */
#define TAGGED_BY_PMC9	FIRST, FIELD_PUT(PMC4, umask, 2)
#define NO_TYPE(n)	{ITANIUM_PMC(n), FIELD(PMC8, mask)}
#define NO_RANGE	{ITANIUM_PMC(13), 0}			/* no pair has a level at which it matches */
/* Instructions in the lower half of region 0, where firmware executes. */
#define IN_RANGE	{ITANIUM_IBR(0), 0}, {ITANIUM_IBR(1), FIELD_PUT(IBR1, plm, ALL_LEVELS)}, NO_RANGE
#define BREAKPOINT	{ITANIUM_IBR(7), FIELD(IBR1, x)}	/* takes the registers for itself */
#define EACH_TAG(name, of_8, of_9, expected)								\
	{name "PMC8", TAGGED_BY_PMC8, {of_8}, expected}, {name "PMC9", TAGGED_BY_PMC9, {of_9}, expected},
#define ALIKE(...)	__VA_ARGS__

static const struct selftest_case cases[] = {
	{"ism 0 counts Itanium instructions", SETS(0), {{0}}, 101},
	{"ism 1 counts no Itanium instructions", SETS(1), {{0}}, 0},
	{"ism 2 counts Itanium instructions", SETS(2), {{0}}, 101},
	{"ism 3 counts nothing", SETS(3), {{0}}, 0},
	EACH_TAG("any opcode is tagged by ", {0}, {0}, 101)
	EACH_TAG("no type of instruction is tagged by ", NO_TYPE(8), NO_TYPE(9), 0)
	EACH_TAG("the other opcode matcher does not concern ", NO_TYPE(9), NO_TYPE(8), 101)
	EACH_TAG("an instruction in the range is tagged by ", ALIKE(IN_RANGE), ALIKE(IN_RANGE), 101)
	EACH_TAG("an instruction out of all ranges is not tagged by ", NO_RANGE, NO_RANGE, 0)
	EACH_TAG("with PMC13.ta ranges do not concern ", ALIKE({ITANIUM_PMC(13), FIELD(PMC13, ta)}),
		 ALIKE({ITANIUM_PMC(13), FIELD(PMC13, ta)}), 101)
	EACH_TAG("a breakpoint disables the range of ", ALIKE(IN_RANGE, BREAKPOINT), ALIKE(IN_RANGE, BREAKPOINT), 0)
	{"unit mask 0 counts what is not tagged", FIRST, 0, {NO_TYPE(8), NO_RANGE}, 101},
};

//
// Unit masks, data addresses (6.1.3, 6.2.7)
//

// The slots of taken branches, and none (7.8, BRANCH_TAKEN_SLOT), are counted each for itself: both are all.
static struct selftest_result check_unit_masks(unsigned)
{
	static const uint8_t masks[] = {15, 7, 8};
	uint64_t taken, none;

	for (unsigned i = 0; i < sizeof masks; i++)
		set_counter(FIRST + i, select(TAKEN_SLOT) | FIELD_PUT(PMC4, umask, masks[i]), 0);
	count(100);
	taken = count_of(FIRST + 1);
	none = count_of(FIRST + 2);
	selftest_require(taken && none);
	return selftest_compare(count_of(FIRST), taken + none);
}

// Lines whose first words are loaded, or are not.
#define LINE 128	/* of the caches, the longest, bytes */

static volatile uint64_t loaded[3][LINE / sizeof(uint64_t)];

static void load(unsigned which, unsigned times)
{
	while (times--)
		hal_load(loaded[which]);
}

static void set_data_range(unsigned pair, volatile const uint64_t *word)
{
	selftest_write(ITANIUM_DBR(2 * pair), (uintptr_t)word);
	selftest_write(ITANIUM_DBR(2 * pair + 1), FIELD(DBR1, mask) & -sizeof *word);
}

// The other pairs hold what is not loaded.
static struct selftest_result check_data_range(unsigned pair)
{
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++)
		set_data_range(i, loaded[i == pair ? 0 : 2]);
	selftest_write(ITANIUM_PMC(11), 0);
	set_counter(FIRST, select(LOADS_RETIRED), 0);
	stop_and_unfreeze();
	change_register(ITANIUM_PSR, 0, FIELD(PSR, pp));
	load(0, 3);
	load(1, 5);
	change_register(ITANIUM_PSR, STOPPED, 0);
	return selftest_compare(3, count_of(FIRST));
}

// Loads until the data event address register has captured one, of at least 4 << threshold cycles: whether it has, the
// address and latency found.
#define LOADS_MOST 100

struct capture {
	bool valid;
	uint64_t address, latency;
};

static struct capture capture_load(unsigned threshold)
{
	struct capture found = {0};

	selftest_write(ITANIUM_PMC(11), FIELD_PUT(PMC11, plm, ALL_LEVELS) | FIELD(PMC11, pm) | FIELD(PMC11, pt) |
					FIELD_PUT(PMC11, umask, threshold));
	for (unsigned i = 0; i < LOADS_MOST && !found.valid; i++) {
		selftest_write(ITANIUM_PMD(17), 0);
		stop_and_unfreeze();
		change_register(ITANIUM_PSR, 0, FIELD(PSR, pp));
		load(0, 1);
		change_register(ITANIUM_PSR, STOPPED, 0);
		selftest_write(ITANIUM_PMC(0), FREEZE);
		found.valid = selftest_read(ITANIUM_PMD(17)) & FIELD(PMD17, valid);
		found.address = selftest_read(ITANIUM_PMD(2));
		found.latency = FIELD_GET(PMD3, latency, selftest_read(ITANIUM_PMD(3)));
	}
	return found.valid ? found : (struct capture){0};
}

static struct selftest_result check_captured(unsigned)
{
	struct capture found = capture_load(0);

	selftest_require(found.valid);
	return selftest_compare(0, found.address ^ (uintptr_t)loaded[0]);
}

// A load that takes just as long as a threshold is captured with it. Where none does, there is nothing to say.
static struct selftest_result check_capture_threshold(unsigned)
{
	struct capture found = {.valid = true};
	unsigned threshold = 0;

	for (unsigned i = 0; i < LOADS_MOST && found.latency != 4ULL << threshold; i++) {
		found = capture_load(0);
		for (threshold = 0; 4ULL << threshold < found.latency;)
			threshold++;
	}
	selftest_require(found.valid);
	if (found.latency != 4ULL << threshold)
		return selftest_compare(0, 0);
	found.latency = 0;
	for (unsigned i = 0; i < LOADS_MOST && found.valid && found.latency != 4ULL << threshold; i++)
		found = capture_load(threshold);
	return selftest_compare(4ULL << threshold, found.latency);
}

//
// The branch trace buffer (6.2.8)
//

#define TAKEN		2
#define NOT_TAKEN	1

// Code with branches; the buffer captures those taken, or those not taken, whoever predicted them and how well.
static void trace_branches(unsigned taken)
{
	selftest_write(ITANIUM_PMC(12), FIELD_PUT(PMC12, plm, ALL_LEVELS) | FIELD(PMC12, pm) | FIELD(PMC12, tar) |
					FIELD_PUT(PMC12, tm, taken) | FIELD(PMC12, ptm) | FIELD(PMC12, ppm) |
					FIELD(PMC12, bpt) | FIELD(PMC12, bac));
	selftest_write(ITANIUM_PMD(16), 0);
	count(100);
	selftest_write(ITANIUM_PMC(0), FREEZE);
}

static struct selftest_result check_trace_full(unsigned)
{
	trace_branches(TAKEN);
	return selftest_compare(FIELD(PMD16, full), selftest_read(ITANIUM_PMD(16)) & FIELD(PMD16, full));
}

// Slot 3 says that none of the bundle's branches was taken.
static struct selftest_result check_trace_slot(unsigned)
{
	trace_branches(NOT_TAKEN);
	selftest_require(selftest_read(ITANIUM_PMD(16)) & (FIELD(PMD16, bbi) | FIELD(PMD16, full)));
	return selftest_compare(3, FIELD_GET(PMD8, slot, selftest_read(ITANIUM_PMD(8))));
}

//
// The interval timer (ASDM volume 2, 3.3.4.2)
//

// Interrupts when the clock reaches the match, on the monitors' vector.
static struct selftest_result check_timer(unsigned masked)
{
	uint64_t owners = selftest_read(ITANIUM_ITV), vector = FIELD_GET(PMV, vector, selftest_read(ITANIUM_PMV));

	selftest_watch(HAL_PMI_VECTOR);
	selftest_write(ITANIUM_ITM, selftest_read(ITANIUM_ITC) + 500);
	selftest_write(ITANIUM_ITV, FIELD_PUT(ITV, vector, vector) | FIELD_PUT(ITV, m, masked));
	hal_execute(20000);
	selftest_write(ITANIUM_ITV, owners);
	return selftest_compare(!masked, selftest_seen().interrupts);
}

//
// Overflow
//

static struct selftest_result check_vector_mask(unsigned counter)
{
	selftest_watch(HAL_PMI_VECTOR);
	change_register(ITANIUM_PMV, 0, FIELD(PMV, m));
	selftest_overflow_once(counter, true);
	return selftest_compare(0, selftest_seen().interrupts);
}

static volatile uint64_t counts_at_interrupt[ITANIUM_COUNTERS];

// Leaves the counters as it finds them, and their overflow to be seen.
static void on_interrupt(uint64_t, unsigned)
{
	for (unsigned i = 0; i < ITANIUM_COUNTERS; i++)
		counts_at_interrupt[i] = count_of(FIRST + i);
	selftest_write(ITANIUM_PMC(0), FREEZE);
	hal_pmi_end();
}

// A frozen counter stands still: another has counted what the one that overflowed has, before it and since, as that was
// in the interrupt handler.
static struct selftest_result check_freeze_stops(unsigned counter)
{
	const unsigned other = counter == FIRST ? FIRST + 1 : FIRST;

	hal_pmi_attach(on_interrupt, HAL_PMI_VECTOR);
	set_counter(other, select(ITANIUM_EVENT_CYCLES), 0);
	set_counter(counter, select(ITANIUM_EVENT_CYCLES) | FIELD(PMC4, oi), -50ULL);
	counts_at_interrupt[counter - FIRST] = ~0ULL;
	count(1000);
	return selftest_compare(50 + counts_at_interrupt[counter - FIRST], count_of(other));
}

//
// The runtime on top: the light halt
//

// PMC0 is afterwards what it was, with its overflow bits.
static struct selftest_result check_halt_state(unsigned state)
{
	stop_and_unfreeze();
	selftest_write(ITANIUM_PMC(0), state);
	selftest_light_halt(5000);
	return selftest_compare(state, selftest_read(ITANIUM_PMC(0)));
}

#define EACH_COUNTER(name, run)							\
	{name "PMD4", run, 4}, {name "PMD5", run, 5}, {name "PMD6", run, 6}, {name "PMD7", run, 7},

static const struct selftest_check checks[] = {
	{"holds: PSR.up", check_holds, PSR_up_LOW},
	{"holds: PSR.pp", check_holds, PSR_pp_LOW},
	{"holds: PSR.sp", check_holds, PSR_sp_LOW},
	{"holds: DCR.pp", check_holds, HOLDS_DCR | DCR_pp_LOW},
	{"event address is extended from bit 50: PMD0", check_address_sign, 0},
	{"event address is extended from bit 50: PMD2", check_address_sign, 2},
	{"event address is extended from bit 50: PMD17", check_address_sign, 17},
	EACH_COUNTER("frozen does not count: ", check_frozen)
	{"privileged monitor counts with PSR.pp", check_privileged, PSR_pp_LOW},
	{"privileged monitor does not count with PSR.up", check_privileged, PSR_up_LOW},
	{"user monitor does not count with PSR.pp", check_user, PSR_pp_LOW},
	{"user monitor counts with PSR.up", check_user, PSR_up_LOW},
	EACH_COUNTER("user reads a user monitor: ", check_read_user)
	EACH_COUNTER("user reads 0 of a privileged monitor: ", check_read_privileged)
	EACH_COUNTER("user reads 0 with PSR.sp: ", check_read_secure)
	EACH_COUNTER("level 0 reads what is closed to users: ", check_read_kernel)
	{"without DCR.pp interruptions do not count", check_interruption, 0},
	{"with DCR.pp interruptions count", check_interruption, 1},
	{"unit masks select disjoint sub-events", check_unit_masks, 0},
	{"only loads in the range count: DBR0-1", check_data_range, 0},
	{"only loads in the range count: DBR2-3", check_data_range, 1},
	{"only loads in the range count: DBR4-5", check_data_range, 2},
	{"only loads in the range count: DBR6-7", check_data_range, 3},
	{"a load's address is captured", check_captured, 0},
	{"a load as long as the threshold is captured", check_capture_threshold, 0},
	{"many taken branches fill the branch trace", check_trace_full, 0},
	{"a branch that is not taken has slot 3", check_trace_slot, 0},
	{"the clock reaches the match: one interrupt", check_timer, 0},
	{"ITV.m masks the timer's interrupt", check_timer, 1},
	EACH_COUNTER("PMV.m masks the interrupt: ", check_vector_mask)
	EACH_COUNTER("the others stop: ", check_freeze_stops)
	{"PAL_HALT_LIGHT preserves PMC0: 0", check_halt_state, 0},
	{"PAL_HALT_LIGHT preserves PMC0: fr", check_halt_state, FREEZE},
	{"PAL_HALT_LIGHT preserves PMC0: fr and overflow bits", check_halt_state, FREEZE | 0xA0},
};

extern const struct pmu_driver pmu_driver_itanium;

const struct selftest_suite selftest_suite_itanium = {
	.driver = &pmu_driver_itanium,
	.has = SELFTEST_LEVELS | SELFTEST_INTERRUPTS | SELFTEST_FREEZES | SELFTEST_HALTS,
	SELFTEST_LIST(counters),
	.start = start,
	.run = run,
	.acknowledge = acknowledge,
	.status = ITANIUM_PMC(0),
	.freeze_address = ITANIUM_PMC(0),
	.freeze_mask = FREEZE,
	.frozen = FREEZE,
	.sessions = {
		.overflowing = "CPU_CYCLES,CPU_CYCLES:period=1000,CPU_CYCLES:period=1000,CPU_CYCLES:period=1000",
		.user = "IA64_INST_RETIRED:u,IA64_INST_RETIRED:u:period=1000",
		.storm = "IA64_INST_RETIRED,IA64_INST_RETIRED:period=50",
	},
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(cases),
	SELFTEST_LIST(checks),
};
