// SPDX-License-Identifier: BSD-2-Clause
// Self test of the SPARC T4's memory controllers' counters, of our half of them: nothing of the other owner's is
// written. The counters cannot be stopped, and on silicon there is traffic of unknown amount: where they must stand
// still they are set to count starving writes, and what must hold is tried again a few times.

#include "selftest.h"

#include "hal.h"
#include "regs.h"

extern const struct pmu_driver pmu_driver_sparct4_dram;

#define TRIES		8
#define ALL_SELECTS	REGISTER_BITS(DRAM_PERF_CTL_REG, RW)

//
// Registers
//

SELFTEST_REGISTERS(DRAM_REGISTERS, SELFTEST_NUMBERED)

// At reset, before anybody claims another half, ours is the lower one. The counters have counted since.
static const struct selftest_exception exceptions[] = {
	{.address = ADDRESS_DRAM_PERF_CTL_REG, .count = DRAM_CONTROLLERS, .untried = ~0ULL,
	 .unknown = ~(DRAM_SELECT(0) | DRAM_SELECT(1))},
	{.address = ADDRESS_DRAM_PERF_COUNT01_REG, .count = DRAM_CONTROLLERS, .left_out = true},
	{.address = ADDRESS_DRAM_PERF_COUNT23_REG, .count = DRAM_CONTROLLERS, .left_out = true},
};

//
// Steps of a check
//

// The first of our two counters in each controller: 0 or 2.
static unsigned first_of_ours(void)
{
	const struct pmu_driver *driver = &pmu_driver_sparct4_dram;
	const char *text = "READS.MCU0";
	struct event_request request;
	uint64_t ours = 0;

	selftest_require(event_parse(driver->events, &text, &request) == EVENT_OK);
	if (request.event)
		ours = driver->choices(&request);
	selftest_require(ours == DRAM_COUNT01 || ours == DRAM_COUNT23);
	return ours == DRAM_COUNT23 ? 2 : 0;
}

static uint32_t count_register(unsigned controller, unsigned counter)
{
	return (counter < 2 ? ADDRESS_DRAM_PERF_COUNT01_REG : ADDRESS_DRAM_PERF_COUNT23_REG) + controller;
}

static uint32_t our_register(unsigned controller)
{
	return count_register(controller, first_of_ours());
}

static void select_event(unsigned controller, unsigned counter, uint64_t select)
{
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const uint64_t others = ALL_SELECTS & ~DRAM_SELECT(counter);

	selftest_write(address, (selftest_read(address) & others) | select << DRAM_SELECT_LOW(counter));
}

// Has our counters of all controllers count what happens most rarely.
static void calm_counters(void)
{
	const unsigned first = first_of_ours();

	for (unsigned i = 0; i < DRAM_CONTROLLERS; i++) {
		select_event(i, first, DRAM_WRITES_STARVED);
		select_event(i, first + 1, DRAM_WRITES_STARVED);
	}
}

// Tries until what is expected is found.
static struct selftest_result try(uint64_t expected, uint64_t (*find)(unsigned parameter), unsigned parameter)
{
	uint64_t found = ~expected;

	for (unsigned tries = 0; tries < TRIES && found != expected; tries++)
		found = find(parameter);
	return selftest_compare(expected, found);
}

#define TRIED(check, expected, find)							\
	static struct selftest_result check(__attribute__((unused)) unsigned controller)	\
	{										\
		return try(expected, find, controller);					\
	}

//
// Selects and counters
//

// The parameter is a controller's number in steps of two, and which of our two counters.
#define OF(controller, counter) (2 * (controller) + (counter))

// Bits of the four selects that are as they should be, for all codes that are not reserved in one of them.
static uint64_t selects_that_hold(unsigned parameter)
{
	const unsigned controller = parameter / 2, counter = first_of_ours() + parameter % 2;
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const uint64_t others = selftest_read(address) & ALL_SELECTS & ~DRAM_SELECT(counter);
	uint64_t holds = ALL_SELECTS;

	for (uint64_t select = 0; select < DRAM_SELECTS; select++) {
		select_event(controller, counter, select);
		holds &= ~(selftest_read(address) ^ (others | select << DRAM_SELECT_LOW(counter)));
	}
	return holds;
}

TRIED(check_select, ALL_SELECTS, selects_that_hold)

static struct selftest_result check_reserved(unsigned controller)
{
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const uint64_t reserved = FIELD(DRAM_PERF_CTL_REG, RESERVED_16), before = selftest_read(address);

	selftest_write(address, before ^ reserved);
	return selftest_compare(before & reserved, selftest_read(address) & reserved);
}

static uint64_t counts_that_hold(unsigned controller)
{
	static const uint64_t patterns[] = {
		~0ULL, 0, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x3333333333333333, 0xCCCCCCCCCCCCCCCC, 0,
	};
	const uint32_t address = our_register(controller);
	uint64_t holds = ~0ULL;

	calm_counters();
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		selftest_write(address, patterns[i]);
		holds &= ~(selftest_read(address) ^ patterns[i]);
	}
	return holds;
}

TRIED(check_counts_hold, ~0ULL, counts_that_hold)

#define FEW (1u << 20)		/* events while a few instructions execute */

// The other owner's counters go on, by a few.
static struct selftest_result check_other_half(unsigned controller)
{
	const uint32_t other = count_register(controller, first_of_ours() ^ 2);
	const uint64_t before = selftest_read(other);
	uint64_t after;
	unsigned goes_on = 0;

	selftest_write(our_register(controller), 0x5555555555555555);
	after = selftest_read(other);
	for (unsigned low = 0; low <= 32; low += 32)
		goes_on += (((after >> low) - (before >> low)) & DRAM_COUNT_MASK) < FEW;
	return selftest_compare(2, goes_on);
}

static uint64_t count_of_its_own(unsigned controller)
{
	calm_counters();
	for (unsigned i = 0; i < DRAM_CONTROLLERS; i++)
		selftest_write(our_register(i), (uint64_t)(i + 1) << 24);
	return selftest_read(our_register(controller));
}

TRIED(check_controllers, (uint64_t)(controller + 1) << 24, count_of_its_own)

//
// Sessions: what is written to the counter is counted, as if so much had happened
//

static void start_calm_session(unsigned controller)
{
	static const char *const events[] = {
		"WRITES_STARVED.MCU0", "WRITES_STARVED.MCU1", "WRITES_STARVED.MCU2", "WRITES_STARVED.MCU3",
	};

	pmu_begin(pmu_current_driver(), false);
	selftest_start(events[controller]);
}

// Counter and sticky bit of the session's counter, which is the first of ours.
static void set_counter(unsigned controller, uint64_t value)
{
	selftest_write(our_register(controller), value << DRAM_COUNT_LOW(first_of_ours()));
}

static uint64_t count_of_thousand(unsigned controller)
{
	start_calm_session(controller);
	set_counter(controller, 1000);
	return selftest_count(0);
}

TRIED(check_session, 1000, count_of_thousand)

// 2^31 - 1, then 5 more.
static uint64_t count_over_the_end(unsigned controller)
{
	start_calm_session(controller);
	set_counter(controller, DRAM_COUNT_MASK);
	selftest_count(0);
	set_counter(controller, DRAM_STICKY | 4);
	return selftest_count(0);
}

TRIED(check_wrap, 0x80000004, count_over_the_end)

static uint64_t count_after_stop(unsigned controller)
{
	start_calm_session(controller);
	set_counter(controller, 1000);
	selftest_stop();
	set_counter(controller, 5000);
	return selftest_count(0);
}

TRIED(check_stop, 1000, count_after_stop)

static uint64_t changed_selects(unsigned controller)
{
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const unsigned other = first_of_ours() ^ 2;
	uint64_t before;

	select_event(controller, first_of_ours(), DRAM_READS);
	before = selftest_read(address);
	start_calm_session(controller);
	selftest_stop();
	return (selftest_read(address) ^ before) & (DRAM_SELECT(other) | DRAM_SELECT(other + 1));
}

TRIED(check_other_selects, 0, changed_selects)

//
// Traffic: lines that are written to memory, in all controllers. How much there is besides nobody knows, nor how much
// of ours is whose; but what counts the same traffic agrees, and without any all do.
//

#define LINES	1024
#define NOISE	32		/* in each of several turns with the same traffic: transactions that are not ours */

static _Alignas(64) uint8_t lines[64 * LINES];

// What our two counters of a controller hold.
struct counts {
	uint64_t first, second;
};

// They count from `start` on, both from the same moment, and to the same one.
static struct counts count_traffic(unsigned controller, uint64_t first, uint64_t second, uint64_t start)
{
	const unsigned ours = first_of_ours();
	uint64_t both;

	select_event(controller, ours, first);
	select_event(controller, ours + 1, second);
	selftest_write(our_register(controller), start << 32 | start);
	hal_write_lines((uintptr_t)lines, LINES);
	both = selftest_read(our_register(controller));
	return (struct counts){
		both >> DRAM_COUNT_LOW(ours) & UINT32_MAX, both >> DRAM_COUNT_LOW(ours + 1) & UINT32_MAX,
	};
}

static uint64_t sum_of(struct counts counts)
{
	return (counts.first & DRAM_COUNT_MASK) + (counts.second & DRAM_COUNT_MASK);
}

// Whether one is not more than the other, of the same traffic on another occasion.
static bool is_within(uint64_t part, uint64_t whole)
{
	return 4 * part <= 5 * whole + NOISE;
}

// What is found counts as what is expected if it is near enough.
static struct selftest_result compare_about(uint64_t expected, uint64_t found, bool near)
{
	return selftest_compare(expected, near ? expected : found);
}

#define JUST_BELOW (DRAM_COUNT_MASK - 7)

static struct selftest_result check_sticky(unsigned controller)
{
	const uint64_t count = count_traffic(controller, DRAM_WRITES, DRAM_WRITES, JUST_BELOW).first;

	return selftest_compare((count & DRAM_COUNT_MASK) < JUST_BELOW, count >> DRAM_COUNTER_WIDTH);
}

// Of a controller's four ports two are our counters'.
static struct selftest_result check_ports(unsigned controller)
{
	const struct counts ports = count_traffic(controller, DRAM_TRANSACTIONS_OF_PORT, DRAM_TRANSACTIONS_OF_PORT, 0);
	const struct counts all = count_traffic(controller, DRAM_READS, DRAM_WRITES, 0);

	return compare_about(sum_of(all), sum_of(ports), is_within(sum_of(ports), sum_of(all)));
}

// "To get the total number of memory transactions (reads and writes) in a memory controller" (Table 10-7, 1011).
static struct selftest_result check_channels(unsigned controller)
{
	const struct counts channels = count_traffic(controller, DRAM_CHANNEL0, DRAM_CHANNEL1, 0);
	const struct counts all = count_traffic(controller, DRAM_READS, DRAM_WRITES, 0);

	return compare_about(sum_of(all), sum_of(channels),
			     is_within(sum_of(channels), sum_of(all)) && is_within(sum_of(all), sum_of(channels)));
}

// "This field results in each counter independently counting the total".
static struct selftest_result check_totals(unsigned controller)
{
	const struct counts all = count_traffic(controller, DRAM_WRITES, DRAM_WRITES, 0);

	return selftest_compare(all.first, all.second);
}

#define CONTROLLERS(check, text)							\
	{text ": controller 0", check, 0}, {text ": controller 1", check, 1},		\
	{text ": controller 2", check, 2}, {text ": controller 3", check, 3}
#define SELECT(controller)									\
	{"select holds, the others stay: controller " #controller ", our first", check_select, OF(controller, 0)}, \
	{"select holds, the others stay: controller " #controller ", our second", check_select, OF(controller, 1)}

static const struct selftest_check checks[] = {
	SELECT(0), SELECT(1), SELECT(2), SELECT(3),
	CONTROLLERS(check_reserved, "reserved bits are read-only"),
	CONTROLLERS(check_counts_hold, "counters and sticky bits hold"),
	CONTROLLERS(check_other_half, "the other half goes on"),
	CONTROLLERS(check_controllers, "counters are the controller's own"),
	CONTROLLERS(check_session, "session: counts what its counter adds"),
	CONTROLLERS(check_wrap, "session: a counter that wraps counts on"),
	CONTROLLERS(check_stop, "session: what has stopped does not count"),
	CONTROLLERS(check_other_selects, "session: the other half's selects stay"),
	CONTROLLERS(check_sticky, "traffic: a wrap sets the sticky bit"),
	CONTROLLERS(check_ports, "traffic: ports count a part of all"),
	CONTROLLERS(check_channels, "traffic: the channels together count all"),
	CONTROLLERS(check_totals, "traffic: both counters count all writes"),
};

const struct selftest_suite selftest_suite_sparct4_dram = {
	.driver = &pmu_driver_sparct4_dram,
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(checks),
};
