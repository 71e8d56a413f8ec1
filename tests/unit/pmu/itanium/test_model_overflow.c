// SPDX-License-Identifier: BSD-2-Clause
// Overflow and freeze, and the interval timer.

#include "steps.h"

//
// Overflow (sections 6.2.2, 6.2.3)
//

static void an_overflow_is_a_carry_out_of_bit_31(void **state)
{
	(void)state;
	for (uint32_t n = 4; n < 8; n++) {
		set_counter(n, ES(CYCLES));
		put(PMD + n, BEFORE(10));
		assert_int_equal(get(PMD + n), (uint64_t)-10);	// table 6-5: reads sign-extended
		SIGNALS({.code = CYCLES, .n = 1});
		run(9);
		assert_int_equal(get(PMD + n), ~0ULL);
		assert_int_equal(get(PMC + 0), 0);
		run(1);
		assert_int_equal(get(PMD + n), 0);
		assert_int_equal(get(PMC + 0), OVERFLOW(n));	// oi 0: no freeze, no interrupt
		run(5);
		assert_int_equal(get(PMD + n), 5);
		assert_int_equal(outputs()->requests, 0);
		assert_int_equal(outputs()->strobes, 0);
		put(PMC + n, ES(CYCLES) | PLM(8));
		put(PMC + 0, 0);
		// A change from positive to negative is no overflow.
		put(PMD + n, 0x7FFFFFFF);
		SIGNALS({.code = CYCLES, .n = 1, .level = 3});
		run(1);
		assert_int_equal(get(PMD + n), 0xFFFFFFFF80000000ULL);
		assert_int_equal(get(PMC + 0), 0);
		put(PMC + n, ES(0x7A) | PLM(8));
	}
}

static void oi_freezes_and_interrupts_once(void **state)
{
	(void)state;
	for (uint32_t n = 4; n < 8; n++) {
		set_counter(n, ES(CYCLES) | OI);
		put(PMD + n, BEFORE(10));
		SIGNALS({.code = CYCLES, .n = 1});
		assert_int_equal(outputs()->headroom, 9);
		run(9);
		assert_int_equal(outputs()->headroom, 0);
		assert_int_equal(outputs()->requests, 0);
		run(1);
		assert_int_equal(outputs()->requests, 1);
		assert_int_equal(get(PMC + 0), OVERFLOW(n) | FR);
		assert_true(outputs()->headroom >= MODEL_FAR);
		outputs()->requests = 0;
		run(1000);
		assert_int_equal(get(PMD + n), 0);
		assert_int_equal(outputs()->requests, 0);
		// After the unfreeze the counter continues; there is no second interrupt, whether
		// or not the bit is cleared.
		put(PMC + 0, OVERFLOW(n));
		run(7);
		assert_int_equal(get(PMD + n), 7);
		assert_int_equal(get(PMC + 0), OVERFLOW(n));
		assert_int_equal(outputs()->requests, 0);
		put(PMC + n, ES(0x7A));
		put(PMC + 0, 0);
	}
}

// All counters count the cycle of the overflow, none counts the next one; the remainder stays.
static void the_freeze_holds_from_the_next_cycle_on(void **state)
{
	(void)state;
	set_counter(4, ES(RETIRED) | OI);
	set_counter(5, ES(RETIRED));
	set_counter(6, ES(CYCLES));
	put(PMD + 4, BEFORE(20));
	SIGNALS({.code = RETIRED, .n = 6}, {.code = CYCLES, .n = 1});
	run(100);
	assert_int_equal(get(PMD + 4), 4);	// 4 cycles of 6: 24
	assert_int_equal(get(PMD + 5), 24);
	assert_int_equal(get(PMD + 6), 4);
	assert_int_equal(get(PMC + 0), OVERFLOW(4) | FR);
	put(PMC + 0, 0);
	run(1);
	assert_int_equal(get(PMD + 4), 10);
	assert_int_equal(get(PMD + 5), 30);
}

static void overflows_of_one_cycle_are_all_recorded(void **state)
{
	(void)state;
	for (unsigned which = 1; which < 16; which++)
		for (unsigned oi = 0; oi < 16; oi++) {
			for (uint32_t n = 4; n < 8; n++) {
				set_counter(n, ES(CYCLES) | (oi >> (n - 4) & 1 ? OI : 0));
				put(PMD + n, which >> (n - 4) & 1 ? BEFORE(3) : 0);
			}
			SIGNALS({.code = CYCLES, .n = 1});
			run(3);
			assert_int_equal(get(PMC + 0), which << 4 | !!(which & oi));
			assert_int_equal(outputs()->requests, !!(which & oi));
			outputs()->requests = 0;
			put(PMC + 0, 0);
		}
}

// Overflow bits stay until software clears them, and others join them.
static void overflow_bits_are_sticky(void **state)
{
	(void)state;
	for (uint32_t n = 4; n < 8; n++) {
		set_counter(n, ES(CYCLES));
		put(PMD + n, BEFORE(10 * (n - 3)));
	}
	SIGNALS({.code = CYCLES, .n = 1});
	for (uint32_t n = 4; n < 8; n++) {
		run(10);
		assert_int_equal(get(PMC + 0), (0xF0 >> (7 - n)) & 0xF0);
	}
	put(PMC + 0, 0xA0);
	run(10);
	assert_int_equal(get(PMC + 0), 0xA0);
}

// Section 6.2.2: ev strobes BPM pin n for PMC[4+n], with any oi; without ev no pin.
static void ev_strobes_a_pin(void **state)
{
	(void)state;
	for (uint32_t n = 4; n < 8; n++)
		for (unsigned i = 0; i < 4; i++) {
			set_counter(n, ES(CYCLES) | (i & 1 ? EV : 0) | (i & 2 ? OI : 0));
			put(PMD + n, BEFORE(5));
			SIGNALS({.code = CYCLES, .n = 1});
			run(4);
			assert_int_equal(outputs()->strobes, 0);
			run(1);
			assert_int_equal(outputs()->strobes, i & 1 ? 1u << (n - 4) : 0);
			outputs()->strobes = 0;
			run(5);
			assert_int_equal(outputs()->strobes, 0);
			set_counter(n, ES(0x7A));
			put(PMC + 0, 0);
		}
	// In the cycle itself, even if signals change in each cycle.
	set_counter(4, ES(CYCLES) | EV);
	put(PMD + 4, BEFORE(5));
	for (unsigned i = 1; i < 8; i++) {
		HAPPENS({.code = CYCLES, .n = 1});
		assert_int_equal(outputs()->strobes, i >= 5);
	}
}

// ASDM, 5.8.3.2: PMV.m 1 discards the interrupt. It does not affect the freeze.
static void pmv_masks_the_interrupt(void **state)
{
	(void)state;
	set_counter(4, ES(CYCLES) | OI);
	put(PMD + 4, BEFORE(5));
	put(PMV, PMV_M);
	SIGNALS({.code = CYCLES, .n = 1});
	assert_true(outputs()->headroom >= MODEL_FAR);
	run(100);
	assert_int_equal(get(PMC + 0), OVERFLOW(4) | FR);
	assert_int_equal(get(PMD + 4), 0);
	assert_int_equal(outputs()->requests, 0);
	put(PMV, 0);
	run(100);
	assert_int_equal(outputs()->requests, 0);
	put(PMD + 4, BEFORE(5));
	put(PMC + 0, 0);
	assert_int_equal(outputs()->headroom, 4);
	run(5);
	assert_int_equal(outputs()->requests, 1);
}

//
// The interval timer (6.1.2.1; ASDM volume 2, 3.1.8.10, 3.3.4.2 and 5.8.3.1)
//

static void the_clock_counts_cycles_whatever_is_monitored(void **state)
{
	(void)state;
	put(ITC, 1000);
	no_signals();
	run(100);
	assert_int_equal(get(ITC), 1100);
	put(PMC + 0, FR);
	SIGNALS({.code = RETIRED, .n = 6});
	run(50);
	assert_int_equal(get(ITC), 1150);
	put(PMC + 0, 0);
	put(ITC, (uint64_t)-3);
	for (unsigned i = 0; i < 5; i++)
		HAPPENS({.code = CYCLES, .n = 1});
	assert_int_equal(get(ITC), 2);
	assert_true(model->write(pmu, 0, ITC, 7, 1));	// counted as any other write
	assert_int_equal(get(ITC), 7);
}

// When ITC becomes ITM, once in 2^64 cycles: not if it is equal already, nor if it has passed ITM.
static void the_clock_interrupts_at_its_match(void **state)
{
	(void)state;
	for (uint64_t left = 1; left < 40; left++) {
		put(ITC, (uint64_t)-20);
		put(ITM, (uint64_t)-20 + left);
		put(ITV, 0x30);
		put(PMV, 0x30);
		assert_int_equal(outputs()->headroom, left - 1);
		run(left - 1);
		assert_int_equal(outputs()->requests, 0);
		run(1);
		assert_int_equal(outputs()->requests, 1);
		assert_int_equal(get(PMC + 0), 0);		// the monitors are not frozen
		outputs()->requests = 0;
		run(1000000);
		assert_int_equal(outputs()->requests, 0);
		assert_true(outputs()->headroom >= MODEL_FAR);
	}
	put(ITM, get(ITC));
	run(1000);
	put(ITM, get(ITC) - 1);
	run(1000);
	assert_int_equal(outputs()->requests, 0);
	put(ITM, 1000);
	put(ITC, 990);				// a write moves the clock towards its match
	assert_int_equal(outputs()->headroom, 9);
	run(10);
	assert_int_equal(outputs()->requests, 1);
	outputs()->requests = 0;
	// During a long run, and while counters overflow.
	set_counter(4, ES(CYCLES));
	put(PMD + 4, BEFORE(100));
	put(ITM, get(ITC) + 12345);
	SIGNALS({.code = CYCLES, .n = 1});
	run(20000);
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(PMD + 4), 20000 - 100);
	outputs()->requests = 0;
}

// The timer uses the monitors' interrupt line: their vector, and the mask of ITV, not of PMV.
static void the_clock_interrupts_with_the_monitors_vector(void **state)
{
	static const struct {
		uint64_t itv, pmv;
		unsigned requests;
	} cases[] = {
		{0x30, 0x30, 1}, {0x30 | PMV_M, 0x30, 0}, {0x31, 0x30, 0}, {0x30, 0x30 | PMV_M, 1},
		{0, 0, 1},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		put(ITV, cases[i].itv);
		put(PMV, cases[i].pmv);
		put(ITM, get(ITC) + 10);
		assert_int_equal(outputs()->headroom >= MODEL_FAR, !cases[i].requests);
		run(10);
		assert_int_equal(outputs()->requests, cases[i].requests);
		outputs()->requests = 0;
	}
}

//
// Guarantees for software
//

// "Software will see monotonically increasing counter values" (6.2.2), unless a counter wraps.
static void reads_never_go_back(void **state)
{
	uint64_t last[8] = {0};

	(void)state;
	random_state = 4;
	set_counter(4, ES(CYCLES) | OI);
	set_counter(5, ES(RETIRED));
	set_counter(6, ES(BUS_LIVE));
	set_counter(7, ES(BRANCH_TAKEN_SLOT));
	for (unsigned step = 0; step < 5000; step++) {
		SIGNALS({.code = CYCLES, .n = 1, .level = (uint8_t)random_below(4)},
			{.code = RETIRED, .n = (uint32_t)random_below(7)},
			{.code = BUS_LIVE, .n = (uint32_t)random_below(4)},
			{.code = BRANCH_TAKEN_SLOT, .sub = 1, .n = 1,
			 .branch = (uint8_t)random_below(16)});
		for (unsigned i = 0; i < 3; i++) {
			run(random_below(10));
			for (uint32_t n = 4; n < 8; n++) {
				const uint64_t now = get(PMD + n);

				assert_true(now >= last[n]);
				last[n] = now;
			}
		}
	}
	assert_true(last[4] > 1000);
}

// A counter has all events of the intervals that were not frozen, and no others, for every period.
static void frozen_and_unfrozen_stretches_add_up(void **state)
{
	(void)state;
	random_state = 5;
	for (uint32_t n = 4; n < 8; n++) {
		uint64_t running = 0, software = 0, period = 1 + random_below(50);

		set_counter(n, ES(RETIRED) | OI);
		put(PMD + n, -period);
		SIGNALS({.code = RETIRED, .n = n < 6 ? 5 : 3}, {.code = CYCLES, .n = 1});
		set_counter(n == 4 ? 5 : 4, ES(CYCLES));
		for (unsigned step = 0; step < 2000; step++) {
			run(random_below(30));
			if (!(get(PMC + 0) & FR)) {
				put(PMC + 0, FR);
				run(random_below(30));
				put(PMC + 0, get(PMC + 0) & ~FR);
				continue;
			}
			// The overflow: the remainder is kept, and the period starts anew with it.
			assert_int_equal(outputs()->requests, 1);
			outputs()->requests = 0;
			run(random_below(30));
			software += period + get(PMD + n);
			period = 1 + random_below(50);
			put(PMD + n, -period);
			put(PMC + 0, 0);
		}
		software += period + get(PMD + n);
		running = get(PMD + (n == 4 ? 5 : 4));
		assert_int_equal(software, running * (n < 6 ? 5 : 3));
		set_counter(n, ES(0x7A));
		set_counter(n == 4 ? 5 : 4, ES(0x7A));
		put(PMC + 0, 0);
		outputs()->requests = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_overflow_is_a_carry_out_of_bit_31),
		TEST(oi_freezes_and_interrupts_once),
		TEST(the_freeze_holds_from_the_next_cycle_on),
		TEST(overflows_of_one_cycle_are_all_recorded),
		TEST(overflow_bits_are_sticky),
		TEST(ev_strobes_a_pin),
		TEST(pmv_masks_the_interrupt),
		TEST(the_clock_counts_cycles_whatever_is_monitored),
		TEST(the_clock_interrupts_at_its_match),
		TEST(the_clock_interrupts_with_the_monitors_vector),
		TEST(reads_never_go_back),
		TEST(frozen_and_unfrozen_stretches_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
