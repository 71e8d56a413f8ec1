// SPDX-License-Identifier: BSD-2-Clause
// Self test of the SPARC T4's memory controllers' counters. It tests our half only, and writes no
// register of the other owner. The counters cannot be stopped, and on silicon the amount of traffic
// is unknown. Where counters must stand still, checks make them count starved writes, and repeat a
// few times if a result differs.

#include "selftest.h"

#include "regs.h"
#include "stimulus.h"

extern const struct pmu_driver pmu_driver_sparct4_dram;

#define ALL_SELECTS	REGISTER_BITS(DRAM_PERF_CTL_REG, RW)

//
// Registers
//

SELFTEST_REGISTERS(DRAM_REGISTERS, SELFTEST_NUMBERED)

// Our half is the lower one. The counters have counted since reset.
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

// Makes our counters of all controllers count the rarest event.
static void calm_counters(void)
{
	const unsigned first = first_of_ours();

	for (unsigned i = 0; i < DRAM_CONTROLLERS; i++) {
		select_event(i, first, DRAM_WRITES_STARVED);
		select_event(i, first + 1, DRAM_WRITES_STARVED);
	}
}

// Returns the correct bits of the four selects, over all codes that are not reserved for one of
// them.
static uint64_t find_selects_held(unsigned controller, uint64_t which)
{
	const unsigned counter = first_of_ours() + (unsigned)which;
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const uint64_t others = selftest_read(address) & ALL_SELECTS & ~DRAM_SELECT(counter);
	uint64_t holds = ALL_SELECTS;

	for (uint64_t select = 0; select < DRAM_SELECTS; select++) {
		select_event(controller, counter, select);
		holds &= ~(selftest_read(address) ^ (others | select << DRAM_SELECT_LOW(counter)));
	}
	return holds;
}

static uint64_t find_reserved_changed(unsigned controller, uint64_t reserved)
{
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const uint64_t before = selftest_read(address);

	selftest_write(address, before ^ reserved);
	return (selftest_read(address) ^ before) & reserved;
}

static uint64_t find_counts_held(unsigned controller, uint64_t)
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

#define FEW (1u << 20)		/* events while a few instructions execute */

// Returns the number of the other owner's counters that go on counting, by a small amount.
static uint64_t find_others_going_on(unsigned controller, uint64_t)
{
	const uint32_t other = count_register(controller, first_of_ours() ^ 2);
	const uint64_t before = selftest_read(other);
	uint64_t after;
	unsigned goes_on = 0;

	selftest_write(our_register(controller), 0x5555555555555555);
	after = selftest_read(other);
	for (unsigned low = 0; low <= 32; low += 32)
		goes_on += (((after >> low) - (before >> low)) & DRAM_COUNT_MASK) < FEW;
	return goes_on;
}

// Returns a controller's count after writes of those of all other controllers.
static uint64_t find_own_count(unsigned controller, uint64_t own)
{
	calm_counters();
	selftest_write(our_register(controller), own);
	for (unsigned i = 1; i < DRAM_CONTROLLERS; i++)
		selftest_write(our_register((controller + i) % DRAM_CONTROLLERS), (i + 1) * own);
	return selftest_read(our_register(controller));
}

//
// Sessions: the session takes a difference written to the counter for events
//

static uint64_t start_calm_session(unsigned controller, uint64_t)
{
	static const char *const events[] = {
		"WRITES_STARVED.MCU0", "WRITES_STARVED.MCU1", "WRITES_STARVED.MCU2", "WRITES_STARVED.MCU3",
	};

	selftest_start(events[controller]);
	return 0;
}

// Writes counter and sticky bit of the session's counter, which is the first of ours.
static uint64_t put(unsigned controller, uint64_t value)
{
	selftest_write(our_register(controller), value << DRAM_COUNT_LOW(first_of_ours()));
	return 0;
}

static uint64_t find_other_selects_changed(unsigned controller, uint64_t)
{
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const unsigned other = first_of_ours() ^ 2;
	uint64_t before;

	select_event(controller, first_of_ours(), DRAM_READS);
	before = selftest_read(address);
	start_calm_session(controller, 0);
	selftest_stop();
	return (selftest_read(address) ^ before) & (DRAM_SELECT(other) | DRAM_SELECT(other + 1));
}

//
// Traffic: lines that the checks write to memory, in all controllers. The amount of other traffic
// is unknown, and so is each controller's part of ours. But counters that count the same traffic
// agree, and without any traffic all agree.
//

#define LINES	1024
#define NOISE	32		/* transactions of others, in each run with the same traffic */

static _Alignas(64) uint8_t lines[64 * LINES];

// Counts traffic with our two counters of a controller, from `start` on and over the same time.
static void count_traffic(unsigned controller, uint64_t first, uint64_t second, uint64_t start, uint64_t counts[2])
{
	const unsigned ours = first_of_ours();
	uint64_t both;

	select_event(controller, ours, first);
	select_event(controller, ours + 1, second);
	selftest_write(our_register(controller), start << 32 | start);
	hal_write_lines((uintptr_t)lines, LINES);
	both = selftest_read(our_register(controller));
	for (unsigned i = 0; i < 2; i++)
		counts[i] = both >> DRAM_COUNT_LOW(ours + i) & UINT32_MAX;
}

static uint64_t sum_of(unsigned controller, uint64_t first, uint64_t second)
{
	uint64_t counts[2];

	count_traffic(controller, first, second, 0, counts);
	return (counts[0] & DRAM_COUNT_MASK) + (counts[1] & DRAM_COUNT_MASK);
}

// Returns whether `part` is at most `whole`, which was measured with the same traffic at another
// time. Other traffic may add a quarter and some noise.
static bool is_within(uint64_t part, uint64_t whole)
{
	return 4 * part <= 5 * whole + NOISE;
}

static uint64_t find_sticky(unsigned controller, uint64_t start)
{
	uint64_t counts[2];

	count_traffic(controller, DRAM_WRITES, DRAM_WRITES, start, counts);
	selftest_expect((counts[0] & DRAM_COUNT_MASK) < start);
	return counts[0] >> DRAM_COUNTER_WIDTH;
}

// Two of a controller's four ports are those of our counters; of its channels we count both: "To
// get the total number of memory transactions (reads and writes) in a memory controller" (Table
// 10-7, 1011). Returns the expected value if the result is near enough.
static uint64_t find_traffic(unsigned controller, uint64_t channels)
{
	const uint64_t found = channels ? sum_of(controller, DRAM_CHANNEL0, DRAM_CHANNEL1) :
			       sum_of(controller, DRAM_TRANSACTIONS_OF_PORT, DRAM_TRANSACTIONS_OF_PORT);
	const uint64_t all = sum_of(controller, DRAM_READS, DRAM_WRITES);

	selftest_expect(all);
	return is_within(found, all) && (!channels || is_within(all, found)) ? all : found;
}

// Returns the total that our second counter counts, and expects the first one's: "This field
// results in each counter independently counting the total".
static uint64_t find_second_total(unsigned controller, uint64_t)
{
	uint64_t counts[2];

	count_traffic(controller, DRAM_WRITES, DRAM_WRITES, 0, counts);
	selftest_expect(counts[0]);
	return counts[1];
}

//
// The suite
//

static const char *const controllers[] = {"controller 0", "controller 1", "controller 2", "controller 3"};
#define EACH(expected)	FIELD_MASK(0, DRAM_CONTROLLERS), expected, .names = controllers
#define TRIED(expected)	EACH(expected), .tries = 8
#define RESERVED	FIELD(DRAM_PERF_CTL_REG, RESERVED_16)
#define JUST_BELOW	(DRAM_COUNT_MASK - 7)
#define OWN		0x1000000

static const struct selftest_case cases[] = {
	{"select holds, the others stay: #, our first", TRIED(ALL_SELECTS), DO(FIND(find_selects_held, 0))},
	{"select holds, the others stay: #, our second", TRIED(ALL_SELECTS), DO(FIND(find_selects_held, 1))},
	{"reserved bits are read-only: #", EACH(0), DO(FIND(find_reserved_changed, RESERVED))},
	{"counters and sticky bits hold: #", TRIED(~0ULL), DO(FIND(find_counts_held, 0))},
	{"the other half goes on: #", EACH(2), DO(FIND(find_others_going_on, 0))},
	{"counters are the controller's own: #", TRIED(OWN), DO(FIND(find_own_count, OWN))},
	{"session: counts its counter's increase: #", TRIED(1000),
	 DO(FIND(start_calm_session, 0), FIND(put, 1000), COUNT_OF(0))},
	// 2^31 - 1, and then 5 more.
	{"session: a counter that wraps counts on: #", TRIED(0x80000004),
	 DO(FIND(start_calm_session, 0), FIND(put, DRAM_COUNT_MASK), COUNT_OF(0), FIND(put, DRAM_STICKY | 4),
	    COUNT_OF(0))},
	{"session: does not count while stopped: #", TRIED(1000),
	 DO(FIND(start_calm_session, 0), FIND(put, 1000), STOP, FIND(put, 5000), COUNT_OF(0))},
	{"session: the other half's selects stay: #", TRIED(0), DO(FIND(find_other_selects_changed, 0))},
	{"traffic: a wrap sets the sticky bit: #", EACH(0), DO(FIND(find_sticky, JUST_BELOW))},
	{"traffic: ports count a part of all: #", EACH(0), DO(FIND(find_traffic, false))},
	{"traffic: the channels together count all: #", EACH(0), DO(FIND(find_traffic, true))},
	{"traffic: both counters count all writes: #", EACH(0), DO(FIND(find_second_total, 0))},
};

const struct selftest_suite selftest_suite_sparct4_dram = {
	.driver = &pmu_driver_sparct4_dram,
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(cases),
};
