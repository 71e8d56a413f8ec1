// SPDX-License-Identifier: BSD-2-Clause
// The itanium driver on the shim: reset, sessions, sampling, freezing. On the shim every
// instruction takes one cycle, and an interrupt handler none.

#include "driver_sessions.h"

#define COUNTERS 4

//
// Reset
//

#define REGISTERS 52

// Reads all registers of the monitor, and those on which it depends.
static void take_registers(uint64_t value[REGISTERS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < 14; i++)
		value[n++] = get(PMC(i));
	for (unsigned i = 0; i < 18; i++)
		value[n++] = get(PMD(i));
	for (unsigned i = 0; i < 8; i++) {
		value[n++] = get(IBR(i));
		value[n++] = get(DBR(i));
	}
	value[n++] = get(REG_DCR) & DCR_PP;
	value[n++] = get(REG_PSR);
	assert_true(n <= REGISTERS);
	while (n < REGISTERS)
		value[n++] = 0;
}

// "All other performance monitoring related state is undefined" (6.2.9): after the driver's reset
// all state is defined.
static void reset_depends_on_nothing_undefined(void **state)
{
	uint64_t first[REGISTERS], value[REGISTERS];

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		shim_seed(seed * 0x9E3779B97F4A7C15);
		assert_true(shim_start("itanium", ""));
		assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
		take_registers(seed ? value : first);
		if (seed)
			assert_memory_equal(value, first, sizeof first);
	}
	shim_seed(0);
}

// Reset stops everything that other software has left running.
static void reset_ends_everything(void **state)
{
	uint64_t first[REGISTERS], value[REGISTERS];

	(void)state;
	take_registers(first);
	for (unsigned i = 0; i < 14; i++)
		put(PMC(i), i == 0 ? 0xF0 : ~0ULL);
	for (unsigned i = 0; i < 8; i++) {
		put(IBR(i), ~0ULL);
		put(DBR(i), ~0ULL);
	}
	put(REG_PSR, ~PSR_DB);
	put(REG_DCR, 0);
	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	hal_execute(1000);
	take_registers(value);
	assert_memory_equal(value, first, sizeof first);
	assert_int_equal(get(PMC(0)), PMC0_FR);
	// 6.2.9, as after the processor's own reset
	assert_int_equal(get(PMC(8)), 0xF00000003FFFFFF8);
	assert_int_equal(get(PMC(9)), 0xF00000003FFFFFF8);
	assert_int_equal(get(PMC(11)), 1ULL << 28);
	assert_int_equal(get(PMC(13)), 1);
}

//
// Counting
//

static void four_counters_count_each_cycle(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	open_session(&session, "CPU_CYCLES,CPU_CYCLES,IA64_INST_RETIRED,IA64_INST_RETIRED");
	assert_int_equal(session.counters, 0xF0);
	hal_execute(500);
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed = execute(12345);
	for (unsigned event = 0; event < COUNTERS; event++)
		assert_int_equal(count_of(&session, event), executed);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	hal_execute(500);
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed += execute(333);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	for (unsigned event = 0; event < COUNTERS; event++)
		assert_int_equal(count_of(&session, event), executed);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(statistics().interrupts, 0);
}

// The counter wraps repeatedly; the count has 64 bits.
static void a_count_goes_beyond_the_counter(void **state)
{
	struct pmu_session session;
	uint64_t executed = 0;

	(void)state;
	open_session(&session, "CPU_CYCLES,CPU_CYCLES:u,IA64_INST_RETIRED,CPU_CYCLES:k");
	assert_int_equal(pmu_start(&session), PMU_OK);
	for (unsigned i = 0; i < 5; i++) {
		executed += execute(3000000000);
		assert_int_equal(count_of(&session, 0), executed);
		assert_int_equal(count_of(&session, 2), executed);
		assert_int_equal(count_of(&session, 3), executed);
	}
	assert_int_equal(count_of(&session, 1), 0);
	assert_int_equal(statistics().spurious, 0);
	pmu_close(&session);
}

// A session's start and stop do not change another session's counts.
static void sessions_start_and_stop_next_to_each_other(void **state)
{
	struct pmu_session one, two;
	uint64_t both = 0, all = 0;

	(void)state;
	allow_all_interrupts();
	open_session(&one, "CPU_CYCLES:ctr=6,CPU_CYCLES:ctr=4:period=500");
	open_session(&two, "CPU_CYCLES:ctr=7,IA64_INST_RETIRED:period=300");
	assert_int_equal(pmu_start(&one), PMU_OK);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t n;

		all += execute(100 + 7 * i);
		assert_int_equal(pmu_start(&two), PMU_OK);
		n = execute(200 + i);
		all += n;
		both += n;
		assert_int_equal(pmu_stop(&two), PMU_OK);
	}
	assert_int_equal(pmu_stop(&one), PMU_OK);
	for (unsigned event = 0; event < 2; event++) {
		assert_int_equal(count_of(&one, event), all);
		assert_int_equal(count_of(&two, event), both);
	}
	assert_int_equal(one.counter[1].samples, all / 500);
	assert_int_equal(two.counter[1].samples, both / 300);
	pmu_close(&one);
	pmu_close(&two);
}

// Other sessions' later actions do not turn the counters on again.
static void a_closed_session_leaves_its_counters_off(void **state)
{
	struct pmu_session one, two;

	(void)state;
	open_session(&one, "CPU_CYCLES:ctr=6");
	open_session(&two, "CPU_CYCLES:ctr=7");
	assert_int_equal(pmu_start(&one), PMU_OK);
	assert_int_equal(pmu_start(&two), PMU_OK);
	assert_int_equal(pmu_close(&two), PMU_OK);
	assert_int_equal(pmu_stop(&one), PMU_OK);
	assert_int_equal(pmu_start(&one), PMU_OK);
	hal_execute(100);
	assert_int_equal(get(PMC(7)), 0);
	assert_int_equal(get(PMD(7)), 0);
	pmu_close(&one);
}

//
// Sampling
//

// Overflows with each counter and period: each event is counted, each period sampled.
static void periods_lose_nothing(void **state)
{
	static const uint64_t periods[] = {7, 50, 99, 1000, 4096, 65537, 1000000007};

	(void)state;
	allow_all_interrupts();
	for (unsigned counter = 4; counter <= 7; counter++)
		for (size_t p = 0; p < LENGTH(periods); p++) {
			struct event_request requests[2] = {request("CPU_CYCLES"),
							    request("CPU_CYCLES")};
			struct pmu_session session;
			struct pmu_refusal refusal;
			uint64_t executed;

			requests[1].counter = (int8_t)counter;
			requests[1].period = periods[p];
			assert_int_equal(pmu_open(&session, requests, 2, &refusal), PMU_OK);
			assert_int_equal(pmu_start(&session), PMU_OK);
			executed = execute(periods[p] * 40);
			assert_int_equal(pmu_stop(&session), PMU_OK);
			assert_int_equal(count_of(&session, 0), executed);
			assert_int_equal(count_of(&session, 1), executed);
			assert_int_equal(session.counter[1].samples, executed / periods[p]);
			assert_int_equal(session.counter[1].slipped, 0);
			pmu_close(&session);
		}
	assert_int_equal(statistics().spurious, 0);
	assert_int_equal(statistics().faults, 0);
}

// All four counters at once, with periods that sometimes end together.
static void four_periods_at_once(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	allow_all_interrupts();
	open_session(&session,
		     "CPU_CYCLES:period=60,CPU_CYCLES:period=90,IA64_INST_RETIRED:period=84,"
			       "IA64_INST_RETIRED:period=35");
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed = execute(1000000);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	for (unsigned event = 0; event < COUNTERS; event++) {
		assert_int_equal(count_of(&session, event), executed);
		assert_int_equal(session.counter[event].samples,
				 executed / session.counter[event].period);
	}
	pmu_close(&session);
}

// Periods longer than the counter's width, and equal to it.
static void long_periods(void **state)
{
	static const uint64_t periods[] = {(1ULL << 32) - 1, 1ULL << 32, (1ULL << 32) + 1,
					   10000000019};

	(void)state;
	for (size_t p = 0; p < LENGTH(periods); p++) {
		struct event_request r = request("CPU_CYCLES");
		struct pmu_session session;
		struct pmu_refusal refusal;
		uint64_t executed;

		r.period = periods[p];
		assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_OK);
		assert_int_equal(pmu_start(&session), PMU_OK);
		executed = execute(5 * periods[p] + 1);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(count_of(&session, 0), executed);
		assert_int_equal(session.counter[0].samples, 5);
		pmu_close(&session);
	}
}

// The shortest period: a counter is never armed so near its overflow that it cannot be
// distinguished from an overflow.
static void a_counter_is_armed_with_two_at_least(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	allow_all_interrupts();
	open_session(&session, "CPU_CYCLES:period=2");
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed = 0;
	for (unsigned i = 0; i < 200; i++) {
		executed += execute(i % 5 + 2);
		assert_int_equal(count_of(&session, 0), executed);
	}
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), executed);
	assert_int_equal(2 * session.counter[0].samples + session.counter[0].slipped,
			 executed / 2 * 2);
	pmu_close(&session);
}

// Events between the overflow and the freeze stay counted: the driver reads the counter instead of
// assuming 0.
static void a_residue_is_kept(void **state)
{
	const struct occurrence six = {.code = 0x08, .n = 6};
	struct vpmu *v = shim_vpmu();
	struct pmu_session session;

	(void)state;
	allow_all_interrupts();
	open_session(&session, "IA64_INST_RETIRED,IA64_INST_RETIRED:period=1000");
	assert_int_equal(pmu_start(&session), PMU_OK);
	vpmu_connect(v, &six, 1);
	hal_execute(10000 - 3);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), 60000);
	assert_int_equal(count_of(&session, 1), 60000);
	assert_int_equal(session.counter[1].samples, 60);
	// 1000, 2000, 3000 end 2, 4, 0 beyond a cycle of six
	assert_int_equal(statistics().skid_most, 4);
	pmu_close(&session);
}

//
// Freezing
//

// A stop serves a pending overflow; its interrupt comes later, and finds none.
static void a_forced_freeze_leaves_a_harmless_interrupt(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session, "CPU_CYCLES,IA64_INST_RETIRED:period=100");
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute(30);
	hal_interrupts_disable();
	hal_execute(200);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().interrupts, 0);
	hal_interrupts_restore(true);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().spurious, 1);
	assert_int_equal(count_of(&session, 0), 100);		// frozen from the overflow on
	assert_int_equal(count_of(&session, 1), 100);
	assert_int_equal(session.counter[1].samples, 1);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0) + execute(1000), 100 + 1003);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 1), 1103);
	assert_int_equal(session.counter[1].samples, 11);
	pmu_close(&session);
}

// The counters that `enable` selects count, in either instruction set, and no others.
static void exactly_the_enabled_counters_count(void **state)
{
	static const struct occurrence cycle[2] = {{.code = 0x12, .n = 1},
						   {.code = 0x12, .n = 1, .isa = 1}};
	struct pmu_counter c[COUNTERS] = {0};
	uint64_t expected[COUNTERS];

	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		struct event_request r = request("CPU_CYCLES");

		c[i].number = (uint8_t)(4 + i);
		c[i].address = itanium()->address(4 + i);
		c[i].select = itanium()->encode(&r, 4 + i);
		c[i].start = expected[i] = 1000 * i;
	}
	assert_true(itanium()->program(c, COUNTERS));
	hal_execute(100);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get(PMD(4 + i)), expected[i]);		// not before `enable`
	for (uint64_t counters = 0; counters < 256; counters++) {
		uint64_t executed;

		connect(&cycle[counters >> 4 & 1], 1);
		assert_true(itanium()->enable(counters % 16 << 4));
		executed = execute(50 + counters);
		assert_true(itanium()->enable(0));
		hal_execute(100);
		for (unsigned i = 0; i < COUNTERS; i++) {
			expected[i] += counters >> i & 1 ? executed : 0;
			assert_int_equal(get(PMD(4 + i)), expected[i]);
		}
	}
	assert_true(itanium()->release(c, COUNTERS));
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get(PMC(4 + i)), 0);
}

static void freeze_and_thaw_keep_pmc0(void **state)
{
	(void)state;
	for (uint64_t pmc0 = 0; pmc0 <= 0xFF; pmc0 += pmc0 & 1 ? 0xF : 1) {
		uint64_t saved = ~0ULL, status = get(REG_PSR);

		put(PMC(0), pmc0);
		assert_true(itanium()->freeze(&saved));
		assert_int_equal(saved, pmc0);
		assert_int_equal(get(PMC(0)), pmc0 | PMC0_FR);
		assert_int_equal(get(REG_PSR), status);
		assert_true(itanium()->thaw(saved));
		assert_int_equal(get(PMC(0)), pmc0);
	}
}

// An overflow whose interrupt is pending keeps the freeze when another session enables counters:
// the handler sets the counters anew, so events counted before it runs would be lost.
static void an_unserved_overflow_keeps_the_freeze(void **state)
{
	struct pmu_session session;
	uint64_t saved, overflow;

	(void)state;
	open_session(&session, "CPU_CYCLES,CPU_CYCLES:period=100");
	overflow = 1ULL << session.counter[1].number;
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_interrupts_disable();
	hal_execute(500);
	assert_int_equal(get(PMC(0)), PMC0_FR | overflow);
	assert_true(itanium()->enable(session.counters));
	assert_int_equal(get(PMC(0)), PMC0_FR | overflow);
	assert_true(itanium()->freeze(&saved));
	assert_true(itanium()->thaw(saved));
	assert_int_equal(get(PMC(0)), PMC0_FR | overflow);
	hal_execute(500);
	hal_interrupts_restore(true);
	assert_int_equal(get(PMC(0)), 0);
	assert_int_equal(count_of(&session, 0), 100);
	assert_int_equal(count_of(&session, 1), 100);
	// An overflow that comes after the freeze began: its bit is not lost, and the freeze stays.
	assert_true(itanium()->freeze(&saved));
	assert_int_equal(saved, 0);
	put(PMC(0), PMC0_FR | overflow);
	assert_true(itanium()->thaw(saved));
	assert_int_equal(get(PMC(0)), PMC0_FR | overflow);
	put(PMC(0), 0);
	pmu_close(&session);
}

// Only the given bits are cleared.
static void clearing_clears_exactly_what_is_given(void **state)
{
	(void)state;
	for (uint64_t set = 0; set < 16; set++)
		for (uint64_t clear = 0; clear < 16; clear++) {
			uint64_t overflowed;

			put(PMC(0), set << 4 | PMC0_FR);
			assert_true(itanium()->overflow_clear(clear << 4));
			assert_int_equal(get(PMC(0)), (set & ~clear) << 4 | PMC0_FR);
			assert_true(itanium()->overflow_status(&overflowed));
			assert_int_equal(overflowed, (set & ~clear) << 4);
		}
}

// Lower levels cannot read the counts of a session, during it and after it. At the highest level
// the instruction reads them (ASDM volume 2, 7.2.1).
static void counts_are_not_to_be_read_by_users(void **state)
{
	struct pmu_session session;
	uint64_t value = 1;

	(void)state;
	open_session(&session, "CPU_CYCLES:ctr=5");
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute(1000);
	assert_true(hal_read_counter_user(5, &value));
	assert_int_equal(value, 0);
	assert_true(reg_read_counter(5, &value));
	assert_int_equal(value, count_of(&session, 0));
	pmu_close(&session);
	put(REG_PSR, get(REG_PSR) & ~PSR_SP);
	put(PMC(5), 0xF);
	put(PMC(5), 0xF);
	assert_int_not_equal(get(PMD(5)), 1003);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reset_depends_on_nothing_undefined),
		TEST(reset_ends_everything),
		TEST(four_counters_count_each_cycle),
		TEST(a_count_goes_beyond_the_counter),
		TEST(sessions_start_and_stop_next_to_each_other),
		TEST(a_closed_session_leaves_its_counters_off),
		TEST(periods_lose_nothing),
		TEST(four_periods_at_once),
		TEST(long_periods),
		TEST(a_counter_is_armed_with_two_at_least),
		TEST(a_residue_is_kept),
		TEST(a_forced_freeze_leaves_a_harmless_interrupt),
		TEST(exactly_the_enabled_counters_count),
		TEST(freeze_and_thaw_keep_pmc0),
		TEST(an_unserved_overflow_keeps_the_freeze),
		TEST(clearing_clears_exactly_what_is_given),
		TEST(counts_are_not_to_be_read_by_users),
	};

	return cmocka_run_group_tests_name("itanium driver", tests, NULL, NULL);
}
