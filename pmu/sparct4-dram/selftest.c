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
// Our half: two counters of each controller
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
	return (counter < 2 ? ADDRESS_DRAM_PERF_COUNT01_REG : ADDRESS_DRAM_PERF_COUNT23_REG) +
	       controller;
}

static uint32_t our_register(unsigned controller)
{
	return count_register(controller, first_of_ours());
}

static void select_event(unsigned controller, unsigned counter, uint64_t select)
{
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const uint64_t others = ALL_SELECTS & ~DRAM_SELECT(counter);

	selftest_write(address, (selftest_read(address) & others) |
		       select << DRAM_SELECT_LOW(counter));
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

//
// Registers
//

// Returns the correct bits of the four selects, over all codes that are not reserved for one of
// them.
static uint64_t selects_that_hold(unsigned controller, unsigned which)
{
	const unsigned counter = first_of_ours() + which;
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const uint64_t others = selftest_read(address) & ALL_SELECTS & ~DRAM_SELECT(counter);
	uint64_t holds = ALL_SELECTS;

	for (uint64_t select = 0; select < DRAM_SELECTS; select++) {
		select_event(controller, counter, select);
		holds &= ~(selftest_read(address) ^ (others | select << DRAM_SELECT_LOW(counter)));
	}
	return holds;
}

static uint64_t first_select_holds(unsigned controller)
{
	return selects_that_hold(controller, 0);
}

static uint64_t second_select_holds(unsigned controller)
{
	return selects_that_hold(controller, 1);
}

static uint64_t reserved_bits_that_change(unsigned controller)
{
	const uint64_t reserved = FIELD(DRAM_PERF_CTL_REG, RESERVED_16);
	const uint32_t address = ADDRESS_DRAM_PERF_CTL_REG + controller;
	const uint64_t before = selftest_read(address);

	selftest_write(address, before ^ reserved);
	return (selftest_read(address) ^ before) & reserved;
}

static uint64_t counts_hold(unsigned controller)
{
	static const uint64_t patterns[] = {
		~0ULL, 0, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0x3333333333333333,
		0xCCCCCCCCCCCCCCCC, 0,
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
static uint64_t other_half_goes_on(unsigned controller)
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

#define OWN 0x1000000

// Returns a controller's count after writes of those of all other controllers.
static uint64_t counts_are_the_controllers_own(unsigned controller)
{
	calm_counters();
	selftest_write(our_register(controller), OWN);
	for (unsigned i = 1; i < DRAM_CONTROLLERS; i++)
		selftest_write(our_register((controller + i) % DRAM_CONTROLLERS), (i + 1) * OWN);
	return selftest_read(our_register(controller));
}

//
// Sessions: the session takes a difference written to the counter for events
//

static void start_calm_session(unsigned controller)
{
	static const char *const events[] = {
		"WRITES_STARVED.MCU0", "WRITES_STARVED.MCU1", "WRITES_STARVED.MCU2",
		"WRITES_STARVED.MCU3",
	};

	selftest_start(events[controller]);
}

// Writes counter and sticky bit of the session's counter, which is the first of ours.
static void put(unsigned controller, uint64_t value)
{
	selftest_write(our_register(controller), value << DRAM_COUNT_LOW(first_of_ours()));
}

static uint64_t session_counts_the_increase(unsigned controller)
{
	start_calm_session(controller);
	put(controller, 1000);
	return selftest_count(0);
}

// 2^31 - 1, and then 5 more.
static uint64_t session_counts_on_after_wrap(unsigned controller)
{
	start_calm_session(controller);
	put(controller, DRAM_COUNT_MASK);
	selftest_count(0);	// the session reads the counter before it wraps
	put(controller, DRAM_STICKY | 4);
	return selftest_count(0);
}

static uint64_t stopped_session_does_not_count(unsigned controller)
{
	start_calm_session(controller);
	put(controller, 1000);
	selftest_stop();
	put(controller, 5000);
	return selftest_count(0);
}

// Returns the bits of the other half's selects that a session changes.
static uint64_t session_changes_other_selects(unsigned controller)
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

//
// Traffic: lines that the checks write to memory, in all controllers. The amount of other traffic
// is unknown, and so is each controller's part of ours. But counters that count the same traffic
// agree, and without any traffic all agree.
//

#define LINES	1024
#define JUST_BELOW	(DRAM_COUNT_MASK - 7)	/* a count that wraps soon */
#define NOISE	32		/* transactions of others, in each run with the same traffic */

static _Alignas(64) uint8_t lines[64 * LINES];

// Counts traffic with our two counters of a controller, from `start` on and over the same time.
static void count_traffic(unsigned controller, uint64_t first, uint64_t second, uint64_t start,
			  uint64_t counts[2])
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

static uint64_t wrap_sets_sticky_bit(unsigned controller)
{
	const uint64_t start = JUST_BELOW;
	uint64_t counts[2];

	count_traffic(controller, DRAM_WRITES, DRAM_WRITES, start, counts);
	selftest_expect((counts[0] & DRAM_COUNT_MASK) < start);
	return counts[0] >> DRAM_COUNTER_WIDTH;
}

// Two of a controller's four ports are those of our counters.
static uint64_t ports_count_a_part(unsigned controller)
{
	const uint64_t ports = sum_of(controller, DRAM_TRANSACTIONS_OF_PORT,
				      DRAM_TRANSACTIONS_OF_PORT);
	const uint64_t all = sum_of(controller, DRAM_READS, DRAM_WRITES);

	selftest_expect(all);
	return is_within(ports, all) ? all : ports;
}

// We count both channels: "To get the total number of memory transactions (reads and writes) in a
// memory controller" (Table 10-7, 1011).
static uint64_t channels_count_all(unsigned controller)
{
	const uint64_t channels = sum_of(controller, DRAM_CHANNEL0, DRAM_CHANNEL1);
	const uint64_t all = sum_of(controller, DRAM_READS, DRAM_WRITES);

	selftest_expect(all);
	return is_within(channels, all) && is_within(all, channels) ? all : channels;
}

// Returns the total that our second counter counts, and expects the first one's: "This field
// results in each counter independently counting the total".
static uint64_t both_counters_count_all_writes(unsigned controller)
{
	uint64_t counts[2];

	count_traffic(controller, DRAM_WRITES, DRAM_WRITES, 0, counts);
	selftest_expect(counts[0]);
	return counts[1];
}

// One of our counters counts writes, the other one starved writes, which are far fewer.
static uint64_t each_counter_has_its_own_select(unsigned controller)
{
	uint64_t counts[2];

	count_traffic(controller, DRAM_WRITES, DRAM_WRITES_STARVED, 0, counts);
	selftest_require_equal(counts[0] > counts[1], true);
	count_traffic(controller, DRAM_WRITES_STARVED, DRAM_WRITES, 0, counts);
	return counts[1] > counts[0];
}

// One of our counters wraps and the other one does not. Returns the sticky bits of both, as bits; a
// controller that gets none of the lines has none.
static uint64_t wrap_sets_its_own_sticky_bit(unsigned controller)
{
	const unsigned ours = first_of_ours();
	uint64_t found = 0, expected = 0;

	for (unsigned wraps = 0; wraps < 2; wraps++) {
		uint64_t both;

		select_event(controller, ours, DRAM_WRITES);
		select_event(controller, ours + 1, DRAM_WRITES);
		selftest_write(our_register(controller),
			       JUST_BELOW << DRAM_COUNT_LOW(ours + wraps));
		hal_write_lines((uintptr_t)lines, LINES);
		both = selftest_read(our_register(controller));
		for (unsigned i = 0; i < 2; i++)
			found |= (both >> DRAM_COUNT_LOW(ours + i) >> DRAM_COUNTER_WIDTH & 1) <<
				(2 * wraps + i);
		expected |= (uint64_t)((both >> DRAM_COUNT_LOW(ours + wraps) & DRAM_COUNT_MASK) <
				       JUST_BELOW)
			    << 3 * wraps;
	}
	selftest_expect(expected);
	return found;
}

//
// The suite
//

#define EACH	FIELD_MASK(0, DRAM_CONTROLLERS)
#define NAMED	.names = controllers
#define TRIED	.names = controllers, .tries = 8

static const char *const controllers[] = {"controller 0", "controller 1", "controller 2",
					  "controller 3"};

static const struct selftest_case cases[] = {
	{"select holds, the others stay: #, our first", EACH, ALL_SELECTS,
	 .run = first_select_holds, TRIED},
	{"select holds, the others stay: #, our second", EACH, ALL_SELECTS,
	 .run = second_select_holds, TRIED},
	{"reserved bits are read-only: #", EACH, 0, .run = reserved_bits_that_change, NAMED},
	{"counters and sticky bits hold: #", EACH, ~0ULL, .run = counts_hold, TRIED},
	{"the other half goes on: #", EACH, 2, .run = other_half_goes_on, NAMED},
	{"counters are the controller's own: #", EACH, OWN, .run = counts_are_the_controllers_own,
	 TRIED},
	{"session: counts its counter's increase: #", EACH, 1000,
	 .run = session_counts_the_increase, TRIED},
	{"session: a counter that wraps counts on: #", EACH, 0x80000004,
	 .run = session_counts_on_after_wrap, TRIED},
	{"session: does not count while stopped: #", EACH, 1000,
	 .run = stopped_session_does_not_count, TRIED},
	{"session: the other half's selects stay: #", EACH, 0, .run = session_changes_other_selects,
	 TRIED},
	{"traffic: a wrap sets the sticky bit: #", EACH, .run = wrap_sets_sticky_bit, NAMED},
	{"traffic: ports count a part of all: #", EACH, .run = ports_count_a_part, NAMED},
	{"traffic: the channels together count all: #", EACH, .run = channels_count_all, NAMED},
	{"traffic: both counters count all writes: #", EACH, .run = both_counters_count_all_writes,
	 NAMED},
	{"traffic: each counter counts what it selects: #", EACH, true,
	 .run = each_counter_has_its_own_select, NAMED},
	{"traffic: a wrap sets its own counter's sticky bit: #", EACH,
	 .run = wrap_sets_its_own_sticky_bit, NAMED},
};

const struct selftest_suite selftest_suite_sparct4_dram = {
	.driver = &pmu_driver_sparct4_dram,
	SELFTEST_LIST(registers),
	SELFTEST_LIST(exceptions),
	SELFTEST_LIST(cases),
};
