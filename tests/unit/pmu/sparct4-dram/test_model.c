// SPDX-License-Identifier: BSD-2-Clause
// The model of the memory controllers' counters: registers, the counts of each select, wraps,
// faults.

#include "steps.h"

//
// Registers
//

static void reset_values_are_those_of_tables_10_4_to_10_6(void **state)
{
	(void)state;
	for (unsigned controller = 0; controller < 4; controller++) {
		assert_int_equal(get(CTL + controller) & ~RESERVED, 0);
		assert_int_equal(get(COUNT01 + controller), 0);
		assert_int_equal(get(COUNT23 + controller), 0);
	}
}

// Table 10-4 prints X for them.
static void reserved_bits_are_what_the_seed_makes_them(void **state)
{
	uint64_t seen = 0, differing = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++) {
		reset_with(-1, seed);
		differing |= (get(CTL) ^ get(CTL + 3)) & RESERVED;
		seen |= get(CTL) & RESERVED;
		assert_int_equal(get(CTL) & ~RESERVED, 0);
	}
	assert_int_equal(seen, RESERVED);
	assert_int_equal(differing, RESERVED);
	reset_with(-1, 7);
	seen = get(CTL);
	reset_with(-1, 7);
	assert_int_equal(get(CTL), seen);
}

static void reserved_bits_are_read_only(void **state)
{
	const uint64_t before = get(CTL + 1) & RESERVED;

	(void)state;
	put(CTL + 1, RESERVED | 0x1234);
	assert_int_equal(get(CTL + 1), before | 0x1234);
	put(CTL + 1, 0x4321);
	assert_int_equal(get(CTL + 1), before | 0x4321);
}

// Each register of each controller holds the last written value, and no write changes another
// register.
static void every_bit_of_every_register_holds(void **state)
{
	static const uint32_t registers[] = {CTL, COUNT01, COUNT23};
	uint64_t held[3][4] = {{0}};

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		for (unsigned r = 0; r < 3; r++)
			for (unsigned controller = 0; controller < 4; controller++) {
				held[r][controller] = (1ULL << bit) * (controller % 2 ? 1 : 3);
				put(registers[r] + controller, held[r][controller]);
				for (unsigned i = 0; i < 12; i++)
					assert_int_equal(get(registers[i / 4] + i % 4) &
							 (i < 4 ? ~RESERVED : ~0ULL),
							 held[i / 4][i % 4] &
							 (i < 4 ? ~RESERVED : ~0ULL));
			}
}

// Count 4, step 4096: there are four of each kind, and none between or after them.
static void there_are_no_other_registers(void **state)
{
	static const uint32_t bases[] = {CTL, COUNT01, COUNT23};
	unsigned found = 0;
	uint64_t value;

	(void)state;
	for (uint32_t address = CTL - 0x1000; address < COUNT23 + 0x1000; address++) {
		const bool known = address % 0x800 < 4 && address >= CTL && address <= COUNT23 + 3;

		assert_int_equal(model->read(pmu, 0, address, &value), known);
		assert_int_equal(model->write(pmu, 0, address, 0, 0), known);
		found += known;
	}
	assert_int_equal(found, 12);
	for (unsigned i = 0; i < 3; i++)
		assert_false(model->read(pmu, 0, bases[i] & 0x7FFFFFFF, &value));
	assert_null(model->user);
}

//
// Counting: Table 10-7
//

// Cycles of each kind of event, in controller 2. All numbers differ, and no two sums are equal.
static void traffic(void)
{
	for (unsigned port = 0; port < 4; port++) {
		// 1, 2, 4, 8
		happens(1u << port, 2, READ, (uint16_t)FROM(port, 0), 1);
		// 10h, 20h, 40h, 80h
		happens(0x10u << port, 2, READ, (uint16_t)FROM(port, 1), 1);
		// 100h to 800h
		happens(0x100u << port, 2, WRITE, (uint16_t)FROM(port, 0), 1);
		// 1000h to 8000h
		happens(0x1000u << port, 2, WRITE, (uint16_t)FROM(port, 1), 1);
	}
	happens(3, 2, BUSY, 0, 1);
	happens(5, 2, QUEUED_READS, 0, 7);
	happens(11, 2, QUEUED_WRITES, 0, 13);
	happens(17, 2, HIT, 0, 1);
	happens(19, 2, STARVES, 0, 1);
}

// The count of counter n after this traffic.
static uint64_t expected(unsigned select, unsigned n)
{
	const uint64_t port_reads = 0x11u << n, port_writes = 0x1100u << n;

	switch (select) {
	case PORT_READS:
		return port_reads;
	case PORT_WRITES:
		return port_writes;
	case PORT_TRANSACTIONS:
		return port_reads + port_writes;
	case BANK_BUSY:
		return 3;
	case READ_LATENCY:
		return 5 * 7;
	case WRITE_LATENCY:
		return 11 * 13;
	case LATENCY:
		return 5 * 7 + 11 * 13;
	case WRITEBACK_HITS:
		return 17;
	case READS:
		return 0xFF;
	case STARVED:
		return 19;
	case WRITES:
		return 0xFF00;
	case CHANNEL0:
		return 0x0F0F;
	case CHANNEL1:
		return 0xF0F0;
	default:
		return 0;		// reserved
	}
}

static void each_select_counts_its_own_on_each_counter(void **state)
{
	(void)state;
	for (unsigned select = 0; select < 16; select++) {
		reset_with(-1, select);
		put(CTL + 2, select * 0x1111);
		traffic();
		for (unsigned n = 0; n < 4; n++) {
			assert_int_equal(counter_of(2, n), expected(select, n));
			assert_int_equal(counter_of(0, n) | counter_of(1, n) | counter_of(3, n), 0);
		}
	}
}

// The four counters of a controller have selects of their own.
static void the_counters_of_a_controller_are_independent(void **state)
{
	(void)state;
	for (unsigned first = 0; first < 13; first++) {
		uint64_t control = 0;

		reset_with(-1, first);
		for (unsigned n = 0; n < 4; n++)
			control |= (uint64_t)((first + 3 * n) % 13) << 4 * n;
		put(CTL + 2, control);
		traffic();
		for (unsigned n = 0; n < 4; n++)
			assert_int_equal(counter_of(2, n), expected((first + 3 * n) % 13, n));
	}
}

// "Each counter independently counting the total": one transaction is one in each counter that
// selects it.
static void one_transaction_is_counted_once_by_each(void **state)
{
	(void)state;
	// 2: from port 0; 0: from port 1; 8: all reads; B: channel 0
	put(CTL, 0xB802);
	happens(1, 0, READ, FROM(0, 0), 1);
	assert_int_equal(counter_of(0, 0), 1);
	assert_int_equal(counter_of(0, 1), 0);
	assert_int_equal(counter_of(0, 2), 1);
	assert_int_equal(counter_of(0, 3), 1);
}

// "The total count is the sum of all four counters."
static void ports_add_up_to_the_total(void **state)
{
	uint64_t sum = 0;

	(void)state;
	put(CTL + 2, 0x2222);
	traffic();
	for (unsigned n = 0; n < 4; n++)
		sum += counter_of(2, n);
	assert_int_equal(sum, 0xFFFF);
	assert_int_equal(expected(CHANNEL0, 0) + expected(CHANNEL1, 0), 0xFFFF);
	assert_int_equal(expected(READS, 0) + expected(WRITES, 0), 0xFFFF);
}

// "Incremented by 1 each cycle", with any number of occurrences.
static void a_bank_busy_cycle_counts_once(void **state)
{
	(void)state;
	put(CTL, BANK_BUSY);
	SIGNALS({.code = BUSY, .n = 5}, {.code = BUSY, .n = 1});
	run(10);
	assert_int_equal(counter_of(0, 0), 10);
	SIGNALS({.code = BUSY, .n = 0});
	run(10);
	assert_int_equal(counter_of(0, 0), 10);
}

static void a_controllers_events_are_its_own(void **state)
{
	(void)state;
	for (unsigned controller = 0; controller < 4; controller++)
		put(CTL + controller, READS * 0x1111);
	SIGNALS({.code = READ, .n = 1, .served = 0}, {.code = READ, .n = 10, .served = 1},
	      {.code = READ, .n = 100, .served = 2}, {.code = READ, .n = 1000, .served = 3},
	      {.code = READ, .n = 10000, .served = 4});
	run(3);
	for (unsigned n = 0; n < 4; n++) {
		assert_int_equal(counter_of(0, n), 3);
		assert_int_equal(counter_of(1, n), 30);
		assert_int_equal(counter_of(2, n), 300);
		assert_int_equal(counter_of(3, n), 3000);
	}
}

// Occurrences that are no signals of regs.h count nowhere.
static void what_is_no_signal_counts_nowhere(void **state)
{
	(void)state;
	for (unsigned select = 0; select < 16; select++) {
		reset_with(-1, 0);
		put(CTL, select * 0x1111);
		SIGNALS({.code = READ, .sub = 8, .n = 1}, {.code = WRITE, .sub = 0x100, .n = 1},
			{.code = 2, .n = 1},
		      {.code = 6, .n = 1}, {.code = 8, .n = 1}, {.code = 10, .n = 1},
		      {.code = 11, .n = 1},
		      {.code = 12, .n = 1}, {.code = 13, .n = 1}, {.code = 0x100, .n = 1},
		      {.code = HIT, .sub = 1, .n = 1});
		run(100);
		for (unsigned n = 0; n < 4; n++)
			assert_int_equal(counter_of(0, n), 0);
	}
}

// There is no enable: they count from reset on, with selects of 0.
static void counters_count_always(void **state)
{
	(void)state;
	happens(6, 3, READ, FROM(1, 1), 1);
	assert_int_equal(counter_of(3, 1), 6);
	put(CTL + 3, WRITES << 4);
	happens(6, 3, READ, FROM(1, 1), 1);
	happens(2, 3, WRITE, FROM(0, 0), 1);
	assert_int_equal(counter_of(3, 1), 8);		// changing the select changes no count
}

// The cycles of the writing instruction count by the old value.
static void a_write_takes_effect_behind_its_own_cycles(void **state)
{
	(void)state;
	SIGNALS({.code = READ, .sub = FROM(0, 0), .n = 1},
		{.code = WRITE, .sub = FROM(0, 0), .n = 10});
	assert_true(model->write(pmu, 0, CTL, WRITES, 2));
	run(1);
	assert_int_equal(counter_of(0, 0), 12);
	assert_true(model->write(pmu, 0, COUNT01, 0, 5));
	assert_int_equal(counter_of(0, 0), 0);
}

//
// Wraps
//

static void a_wrap_sets_the_sticky_bit_which_stays(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 4; n++) {
		const uint64_t last = n % 2 == (n < 2) ? MODULUS - 1 : (MODULUS - 1) << 32;

		reset_with(-1, n);
		put(CTL, READS * 0x1111);
		put(n < 2 ? COUNT01 : COUNT23, last);
		happens(1, 0, READ, 0, 1);
		assert_int_equal(counter_of(0, n), MODULUS);			// sticky, 0
		assert_int_equal(counter_of(0, n ^ 1), 1);
		happens(5, 0, READ, 0, 1);
		assert_int_equal(counter_of(0, n), MODULUS | 5);
		put(n < 2 ? COUNT01 : COUNT23, 0);
		happens(5, 0, READ, 0, 1);
		assert_int_equal(counter_of(0, n), 5);
	}
}

static void counts_of_many_cycles_wrap_as_often_as_they_must(void **state)
{
	(void)state;
	put(CTL, READ_LATENCY);
	happens(0x123456789AB, 0, QUEUED_READS, 0, 100);
	assert_int_equal(counter_of(0, 0), MODULUS | (0x123456789ABULL * 100 & (MODULUS - 1)));
}

// The same counts in one run and in pieces.
static void cycles_can_be_cut_anywhere(void **state)
{
	uint64_t whole;

	(void)state;
	put(CTL, READ_LATENCY | BANK_BUSY << 4);
	SIGNALS({.code = QUEUED_READS, .n = 3000000}, {.code = BUSY, .n = 1});
	run(10000);
	whole = get(COUNT01);
	reset_with(-1, 1);
	put(CTL, READ_LATENCY | BANK_BUSY << 4);
	SIGNALS({.code = QUEUED_READS, .n = 3000000}, {.code = BUSY, .n = 1});
	for (unsigned i = 0; i < 100; i++) {
		run(1);
		run(99);
		run(0);
	}
	assert_int_equal(get(COUNT01), whole);
}

// No overflow raises a line.
static void nothing_interrupts(void **state)
{
	const struct model_outputs *outputs = pmu;

	(void)state;
	put(CTL, LATENCY * 0x1111);
	happens(1ULL << 40, 0, QUEUED_WRITES, 0, 1000);
	assert_int_equal(outputs->requests | outputs->precise | outputs->held | outputs->strobes,
			 0);
	assert_true(outputs->headroom >= MODEL_FAR);
}

// The transactions of an emulated machine's lines: equally many for each controller, port and
// channel. Only the line decides, not the bytes that are accessed.
static void transactions_are_of_all_controllers_ports_and_channels(void **state)
{
	(void)state;
	for (unsigned write = 0; write < 2; write++) {
		for (unsigned controller = 0; controller < 4; controller++) {
			put(CTL + controller,
			    (write ? WRITES : READS) << 4 | (write ? PORT_WRITES : PORT_READS) |
					      CHANNEL0 << 8 | (write ? READS : WRITES) << 12);
			put(COUNT01 + controller, 0);
			put(COUNT23 + controller, 0);
		}
		for (uint64_t line = 0; line < 4 * 4 * 2 * 3; line++) {
			const struct occurrence first =
				model->package->transaction(line * 64, write);
			const struct occurrence last =
				model->package->transaction(line * 64 + 63, write);

			assert_memory_equal(&first, &last, sizeof first);
			SIGNALS(first);
			run(1);
			no_signals();
		}
		for (unsigned controller = 0; controller < 4; controller++) {
			assert_int_equal(counter_of(controller, 0), 6);		// counts a port
			assert_int_equal(counter_of(controller, 1), 24);
			assert_int_equal(counter_of(controller, 2), 12);	// counts a channel
			assert_int_equal(counter_of(controller, 3), 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reset_values_are_those_of_tables_10_4_to_10_6),
		TEST(reserved_bits_are_what_the_seed_makes_them),
		TEST(reserved_bits_are_read_only),
		TEST(every_bit_of_every_register_holds),
		TEST(there_are_no_other_registers),
		TEST(each_select_counts_its_own_on_each_counter),
		TEST(the_counters_of_a_controller_are_independent),
		TEST(one_transaction_is_counted_once_by_each),
		TEST(ports_add_up_to_the_total),
		TEST(a_bank_busy_cycle_counts_once),
		TEST(a_controllers_events_are_its_own),
		TEST(what_is_no_signal_counts_nowhere),
		TEST(counters_count_always),
		TEST(a_write_takes_effect_behind_its_own_cycles),
		TEST(a_wrap_sets_the_sticky_bit_which_stays),
		TEST(counts_of_many_cycles_wrap_as_often_as_they_must),
		TEST(cycles_can_be_cut_anywhere),
		TEST(nothing_interrupts),
		TEST(transactions_are_of_all_controllers_ports_and_channels),
	};

	return cmocka_run_group_tests_name("sparct4-dram model", tests, find_model, release_model);
}
