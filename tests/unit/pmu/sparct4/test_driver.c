// SPDX-License-Identifier: BSD-2-Clause
// The sparct4 driver on the shim: both kinds of traps, their ends, polling, written register
// values, and a defect that must not trap for ever. An interrupt handler takes no time on the shim.

#include "pmu/sparct4/driver.h"

#include "pal.h"

//
// Precise traps
//

// The sample is the instruction that wraps the counter: the 1000th, and it executes once.
static void precise_sample_is_the_instruction(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_and_start(&session, "Instr_all:u:period=1000");
	instructions(USER, 0x1000, NOT_EXECUTED, 999);
	assert_false(pmu_take_sample(&sample));
	instructions(USER, 0x2000, NOT_EXECUTED, 1);
	instructions(USER, 0x3000, NOT_EXECUTED, 500);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.ip, 0x2000);
	assert_int_equal(sample.source.level, USER);
	assert_int_equal(sample.count, 1000);
	assert_int_equal(count_of(&session, 0), 1500);
	assert_int_equal(shim_traps().retried, 1);
	assert_int_equal(shim_traps().done, 0);
	assert_int_equal(shim_traps().wrong, 0);
}

// A next-to-commit instruction has executed when its trap comes: the trap ends with DONE.
static void next_to_commit_instruction_is_skipped(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_and_start(&session, "Instr_all:plm=2:period=1000");
	instructions(PRIVILEGED, 0x1000, NOT_EXECUTED, 999);
	instructions(PRIVILEGED, 0x2000, EXECUTED, 1);
	instructions(PRIVILEGED, 0x3000, NOT_EXECUTED, 1000);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.ip, 0x2000);
	assert_int_equal(sample.source.level, PRIVILEGED);
	assert_int_equal(shim_traps().retried, 1);
	assert_int_equal(shim_traps().done, 1);
	assert_int_equal(shim_traps().wrong, 0);
	assert_int_equal(get(PCR(0)) & (PCR_OV | PCR_NTC), 0);
}

// Several counters trap at such an instruction: it is skipped once, and all samples have its
// address.
static void next_to_commit_instruction_of_several_counters(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_and_start(&session,
		       "Instr_all:u:period=50,Instr_other:u:period=50,Instr_all:u:period=50,"
				 "Cycles:u:period=50");
	instructions(USER, 0x1000, NOT_EXECUTED, 49);
	instructions(USER, 0x2000, EXECUTED, 1);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(pmu_take_sample(&sample));
		assert_int_equal(sample.ip, 0x2000);
	}
	assert_false(pmu_take_sample(&sample));
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(shim_traps().done, 1);
	assert_int_equal(shim_traps().wrong, 0);
}

// The same next to a counter that runs in hyperprivileged mode: there the handler first stops all
// counters.
static void next_to_commit_instruction_next_to_one_with_ht(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "Instr_all:u:period=50,Cycles:plm=11");
	instructions(USER, 0x1000, NOT_EXECUTED, 49);
	instructions(USER, 0x2000, EXECUTED, 1);
	assert_int_equal(shim_traps().done, 1);
	assert_int_equal(shim_traps().wrong, 0);
}

// A polled counter has a stale ntc of another instruction: it must not skip the trapped one.
static void stale_ntc_of_a_polled_counter_skips_nothing(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "Instr_all:plm=11:period=10,Instr_all:u:period=20");
	instructions(USER, 0x1000, NOT_EXECUTED, 9);
	instructions(USER, 0x2000, EXECUTED, 1);
	assert_int_equal(get(PCR(0)) & (PCR_OV | PCR_NTC), PCR_OV | PCR_NTC);
	assert_int_equal(statistics().interrupts, 0);
	instructions(USER, 0x3000, NOT_EXECUTED, 10);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().overflows, 2);
	assert_int_equal(shim_traps().retried, 1);
	assert_int_equal(shim_traps().wrong, 0);
	assert_int_equal(count_of(&session, 0), 20);
}

// An asynchronous counter's stale ntc, whose trap has waited for interrupts, must not skip it
// either.
static void stale_ntc_of_an_asynchronous_counter_skips_nothing(void **state)
{
	struct pmu_session session;
	bool interrupts;

	(void)state;
	open_and_start(&session, "Cycles:u:period=10,Instr_all:u:period=20");
	interrupts = hal_interrupts_disable();
	instructions(USER, 0x1000, NOT_EXECUTED, 9);
	instructions(USER, 0x2000, EXECUTED, 1);
	assert_int_equal(get(PCR(0)) & (PCR_OV | PCR_NTC), PCR_OV | PCR_NTC);
	instructions(USER, 0x3000, NOT_EXECUTED, 10);
	hal_interrupts_restore(interrupts);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().spurious, 0);
	assert_int_equal(shim_traps().retried, 1);
	assert_int_equal(shim_traps().wrong, 0);
}

// An overflow in hyperprivileged mode loses its trap (section 10.3). The count includes it, and the
// next overflow of any counter serves it.
static void lost_trap_is_served_with_the_next(void **state)
{
	static const struct occurrence leaving[] = {
		{.code = 3, .sub = 0x20, .n = 1, .level = USER},
		{.code = 26, .n = 1, .level = HYPERPRIVILEGED},
	};
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "Instr_all:u:period=100,Cycles:u:period=30");
	instructions(USER, 0x1000, NOT_EXECUTED, 99);
	assert_int_equal(statistics().interrupts, 3);
	assert_int_equal(shim_deliver(leaving, 2, 1), 1);
	assert_int_equal(get(PCR(0)) & PCR_OV, PCR_OV);
	assert_int_equal(statistics().interrupts, 3);
	assert_int_equal(count_of(&session, 0), 100);
	instructions(USER, 0x2000, NOT_EXECUTED, 21);
	assert_int_equal(statistics().interrupts, 4);
	assert_int_equal(session.counter[0].samples, 1);
	assert_int_equal(count_of(&session, 0), 121);
	assert_int_equal(get(PCR(0)) & PCR_OV, 0);
	instructions(USER, 0x2000, NOT_EXECUTED, 79);
	assert_int_equal(session.counter[0].samples, 2);
	assert_int_equal(shim_traps().wrong, 0);
}

//
// Disrupting traps
//

static void disrupting_trap_waits_and_loses_nothing(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;
	bool interrupts;

	(void)state;
	open_and_start(&session, "Cycles:plm=11:period=1000");
	interrupts = hal_interrupts_disable();
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 1500);
	assert_int_equal(statistics().interrupts, 0);
	hal_interrupts_restore(interrupts);
	assert_int_equal(statistics().interrupts, 1);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.count, 1500);
	assert_int_equal(sample.source.level, HYPERPRIVILEGED);
	assert_int_equal(count_of(&session, 0), 1500);
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 499);
	assert_int_equal(statistics().interrupts, 1);
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 1);
	assert_int_equal(statistics().interrupts, 2);
}

// A stop stops the counters one by one. It serves an overflow of any counter that waits or comes
// meanwhile, once, and the other counts are exact.
static void stop_serves_a_waiting_overflow(void **state)
{
	static const char *const events[] = {
		"Cycles:u:period=1000,Instr_all:u,Cycles:u",
		"Instr_all:u,Cycles:u:period=1000,Cycles:u",
		"Instr_all:u,Cycles:u,Cycles:u:period=1000",
		"Cycles:plm=11:period=1000,Instr_all:plm=11,Cycles:plm=11",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
		const uint64_t interrupts = statistics().interrupts;
		const bool enabled = hal_interrupts_disable();
		struct pmu_session session;
		struct pmu_sample sample;

		open_and_start(&session, events[i]);
		instructions(USER, 0x1000, NOT_EXECUTED, 1200);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		hal_interrupts_restore(enabled);
		for (unsigned e = 0; e < 3; e++)
			assert_int_equal(count_of(&session, e), 1200);
		assert_true(pmu_take_sample(&sample));
		assert_int_equal(sample.count, 1200);
		assert_int_equal(sample.source.event, i % 3);
		assert_false(pmu_take_sample(&sample));
		assert_int_equal(statistics().interrupts, interrupts);
		assert_int_equal(statistics().overflows, i + 1);
		assert_int_equal(pmu_close(&session), PMU_OK);
	}
	assert_int_equal(statistics().faults, 0);
}

// Another session starts and stops while an overflow of this session waits.
static void sessions_come_and_go_next_to_a_waiting_overflow(void **state)
{
	struct pmu_session running, other;
	bool enabled;

	(void)state;
	open_and_start(&running, "Cycles:u:period=1000,Instr_all:u");
	enabled = hal_interrupts_disable();
	instructions(USER, 0x1000, NOT_EXECUTED, 1200);
	open_and_start(&other, "Instr_all:u,Cycles:u");
	assert_int_equal(running.counter[0].samples, 1);
	instructions(USER, 0x1000, NOT_EXECUTED, 900);
	assert_int_equal(pmu_stop(&other), PMU_OK);
	assert_int_equal(running.counter[0].samples, 2);
	instructions(USER, 0x1000, NOT_EXECUTED, 50);
	hal_interrupts_restore(enabled);
	assert_int_equal(statistics().interrupts, 0);
	for (unsigned e = 0; e < 2; e++) {
		assert_int_equal(count_of(&running, e), 2150);
		assert_int_equal(count_of(&other, e), 900);
	}
	assert_int_equal(pmu_stop(&running), PMU_OK);
	assert_int_equal(count_of(&running, 0), 2150);
	assert_int_equal(count_of(&running, 1), 2150);
}

// A trap that waits when a halt begins ends the halt at once.
static void pending_trap_ends_a_light_halt(void **state)
{
	struct pmu_session session;
	const uint64_t opened = hal_clock();
	uint64_t before;

	(void)state;
	open_and_start(&session, "Cycles:plm=11:period=1000,Instr_all:k");
	hal_interrupts_disable();
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 1000);
	before = hal_clock();
	hal_alarm(100000);
	assert_int_equal(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status, PAL_SUCCESS);
	assert_int_equal(hal_clock(), before);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(count_of(&session, 0), 1000);
	assert_int_equal(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status, PAL_SUCCESS);
	assert_int_equal(hal_clock(), opened + 65536);	// the poll's time
	assert_int_equal(count_of(&session, 0), 1000);
	assert_int_equal(count_of(&session, 1), count_of(&session, 0));
}

//
// Polling
//

#define POLL_CLOCKS 65536

// Polls find overflows in hyperprivileged mode every POLL_CLOCKS clocks; their samples come late.
static void polled_overflows_are_found_in_time(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	assert_int_equal(sparct4()->poll->clocks, POLL_CLOCKS);
	open_and_start(&session, "Instr_all:k:period=1000");
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, POLL_CLOCKS - 1);
	assert_int_equal(statistics().polled, 0);
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 1);
	assert_int_equal(statistics().polled, 1);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.count, POLL_CLOCKS);
	assert_int_equal(session.counter[0].slipped, POLL_CLOCKS - 1000);
	assert_int_equal(count_of(&session, 0), POLL_CLOCKS);
	assert_int_equal(statistics().interrupts, 0);
}

// The same for counts of 2^32 and more.
static void polled_count_passes_the_width(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "Instr_all:plm=11");
	instructions(PRIVILEGED, 0x1000, NOT_EXECUTED, 0x300000000);
	assert_int_equal(count_of(&session, 0), 0x300000000);
	assert_int_equal(statistics().polled, 3);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), 0x300000000);
}

static void reading_looks(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_and_start(&session, "Instr_all:k:period=1000");
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 1200);
	assert_false(pmu_take_sample(&sample));
	assert_int_equal(count_of(&session, 0), 1200);
	assert_int_equal(statistics().polled, 1);
	assert_true(pmu_take_sample(&sample));
}

static unsigned writes;

static void count_write(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	writes++;
}

// After the last session polling ends: other software's registers do not change.
static void polling_ends_with_the_last_counter(void **state)
{
	struct pmu_session first, second;

	(void)state;
	open_and_start(&first, "Instr_all:k");
	open_and_start(&second, "Instr_all:k:period=1000,Cycles:k");
	assert_int_equal(pmu_close(&first), PMU_OK);
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 2 * POLL_CLOCKS);
	assert_int_equal(statistics().polled, 2);
	assert_int_equal(pmu_close(&second), PMU_OK);
	assert_true(reg_write(PIC(1), 0xFFFFFFFF));
	assert_true(reg_write(PCR(1), PCR_SL(3) | PCR_MASK(0x3F) | PCR_HT));
	shim_watch_writes(count_write);
	writes = 0;
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 2 * POLL_CLOCKS);
	assert_int_equal(writes, 0);
	assert_int_equal(get(PCR(1)) & PCR_OV, PCR_OV);
}

// A poll loses nothing: it also serves an overflow of a counter with a trap of its own, whose trap
// then does not come.
static void looking_serves_all(void **state)
{
	struct pmu_session session;
	bool interrupts;

	(void)state;
	open_and_start(&session, "Instr_all:k,Cycles:k:period=1000");
	interrupts = hal_interrupts_disable();
	instructions(HYPERPRIVILEGED, 0x1000, NOT_EXECUTED, 1000);
	pmu_poll();
	hal_interrupts_restore(interrupts);
	assert_int_equal(statistics().polled, 1);
	assert_int_equal(statistics().interrupts, 0);
	assert_int_equal(count_of(&session, 1), 1000);
}

//
// Registers
//

static void reset_closes_the_counters(void **state)
{
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_true(reg_write(PCR(i), PCR_SL(26) | PCR_MODES | PCR_TOE));
		assert_true(reg_write(PIC(i), 0xFFFFFFF0));
	}
	assert_true(hal_read_counter_user(0, &value));
	instructions(USER, 0x1000, NOT_EXECUTED, 5);
	assert_int_equal(pmu_begin(sparct4(), false), PMU_OK);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(get(PCR(i)), PCR_CLOSED);
		assert_int_equal(get(PIC(i)), 0);
		assert_false(hal_read_counter_user(i, &value));
	}
}

static uint64_t control[4];		// as last written
static bool armed_too_near, changed_while_enabled;

static void watch(uint32_t address, uint64_t value)
{
	if (address - PCR(0) < 4)
		control[address - PCR(0)] = value;
	if (address - PIC(0) >= 4)
		return;
	armed_too_near |= value >= 0xFFFFFFFD;
	changed_while_enabled |= control[address - PIC(0)] & (PCR_MODES | PCR_SL(0x1F));
}

// Section 10.2: disable, reset the PIC, enable.
static void events_are_changed_in_the_manuals_order(void **state)
{
	static const char *const events[] = {"Instr_all:u", "Cycles:k:period=100", "Instr_all:k",
					     "Commit_0:plm=11"};

	(void)state;
	memset(control, 0xFF, sizeof control);
	shim_watch_writes(watch);
	assert_int_equal(pmu_begin(sparct4(), false), PMU_OK);
	for (unsigned turn = 0; turn < 40; turn++) {
		struct pmu_session session;

		open_and_start(&session, events[turn % 4]);
		assert_true(control[0] & PCR_MODES && control[0] & PCR_SL(0x1F));
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(pmu_start(&session), PMU_OK);
		assert_int_equal(pmu_close(&session), PMU_OK);
		assert_int_equal(get(PCR(0)), PCR_CLOSED);
		assert_int_equal(get(PIC(0)), 0);
	}
	assert_false(changed_while_enabled);
	assert_false(armed_too_near);
}

//
// A bit that cannot be cleared
//

static void assert_bounded(const char *fault, const char *events, unsigned level)
{
	struct pmu_session session;
	struct pmu_statistics s;

	assert_true(shim_start("sparct4", fault));
	assert_int_equal(pmu_begin(sparct4(), false), PMU_OK);
	open_and_start(&session, events);
	instructions(level, 0x1000, NOT_EXECUTED, 100000);
	s = statistics();
	assert_true(s.interrupts <= 1);
	assert_int_equal(s.faults, 1);
	assert_int_equal(get(PCR(0)) & (PCR_TOE | PCR_MODES | PCR_SL(0x1F)), 0);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// The driver gives the counter up: its trap does not repeat, and the register faults show it.
static void stuck_overflow_traps_once(void **state)
{
	(void)state;
	assert_bounded("ov-uncleared", "Cycles:u:period=1000", USER);
	assert_bounded("ov-uncleared", "Cycles:plm=11:period=1000", HYPERPRIVILEGED);
	assert_bounded("ov-uncleared", "Instr_all:u:period=1000", USER);
	assert_bounded("ov-uncleared", "Instr_all:k:period=1000", HYPERPRIVILEGED);
	assert_bounded("stuck:0x6400:0:1", "Cycles:u:period=1000", USER);
}

//
// Many sessions at random, at all levels
//

static uint64_t random_number(void)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

// Compared with counts kept by hand: exact at any time, and one sample per period if each overflow
// traps.
static void counts_are_exact_whatever_happens(void **state)
{
	static const char *const names[] = {"Instr_all", "Cycles"};
	static const unsigned levels[] = {HYPERPRIVILEGED, PRIVILEGED, USER};

	(void)state;
	for (unsigned turn = 0; turn < 300; turn++) {
		struct pmu_session session;
		uint64_t expected[4] = {0}, period[4];
		unsigned mask[4], kind[4];
		char text[256] = "";
		bool running = false;

		for (unsigned i = 0; i < 4; i++) {
			static const unsigned masks[] = {1, 2, 8, 9, 10, 11};

			kind[i] = random_number() % 2;
			mask[i] = masks[random_number() % 6];
			period[i] = random_number() % 3 ? 4 +
				random_number() % (random_number() % 2 ? 30 : 3000) : 0;
			snprintf(text + strlen(text), sizeof text - strlen(text),
				 "%s%s:plm=%u:period=%u", i ? "," : "",
				 names[kind[i]], mask[i], (unsigned)period[i]);
			if (!period[i])
				*strrchr(text, ':') = '\0';
		}
		assert_int_equal(driver_start(NULL), 0);
		shim_watch_writes(watch);
		armed_too_near = false;
		assert_int_equal(try_session(&session, text), PMU_OK);
		for (unsigned step = 0; step < 100; step++) {
			unsigned level = levels[random_number() % 3];
			uint64_t cycles = 1 + random_number() % 200;
			bool interrupts = true;

			if (random_number() % 8 == 0) {
				running = !running;
				assert_int_equal(running ? pmu_start(&session) : pmu_stop(&session),
						 PMU_OK);
			}
			if (random_number() % 8 == 0)
				interrupts = !hal_interrupts_disable();
			instructions(level, 0x1000 + 4 * step, random_number() % 2 ? EXECUTED :
				     NOT_EXECUTED, cycles);
			if (!interrupts)
				hal_interrupts_restore(true);
			for (unsigned i = 0; i < 4; i++) {
				expected[i] += running && mask[i] >> level & 1 ? cycles : 0;
				if (count_of(&session, i) != expected[i])
					fail_msg("%s: counter %u", text, i);
			}
		}
		if (running)
			assert_int_equal(pmu_stop(&session), PMU_OK);
		for (unsigned i = 0; i < 4; i++) {
			const struct pmu_counter *c = &session.counter[i];

			assert_int_equal(count_of(&session, i), expected[i]);
			if (period[i] && kind[i] == 0 && !(mask[i] & 1) && c->slipped == 0)
				assert_int_equal(c->samples, expected[i] / period[i]);
		}
		assert_false(armed_too_near);
		assert_int_equal(statistics().faults, 0);
		assert_int_equal(shim_traps().wrong, 0);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, driver_start, driver_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(precise_sample_is_the_instruction),
		TEST(next_to_commit_instruction_is_skipped),
		TEST(next_to_commit_instruction_of_several_counters),
		TEST(next_to_commit_instruction_next_to_one_with_ht),
		TEST(stale_ntc_of_a_polled_counter_skips_nothing),
		TEST(stale_ntc_of_an_asynchronous_counter_skips_nothing),
		TEST(lost_trap_is_served_with_the_next),
		TEST(disrupting_trap_waits_and_loses_nothing),
		TEST(stop_serves_a_waiting_overflow),
		TEST(sessions_come_and_go_next_to_a_waiting_overflow),
		TEST(pending_trap_ends_a_light_halt),
		TEST(polled_overflows_are_found_in_time),
		TEST(polled_count_passes_the_width),
		TEST(reading_looks),
		TEST(polling_ends_with_the_last_counter),
		TEST(looking_serves_all),
		TEST(reset_closes_the_counters),
		TEST(events_are_changed_in_the_manuals_order),
		TEST(stuck_overflow_traps_once),
		TEST(counts_are_exact_whatever_happens),
	};

	return cmocka_run_group_tests_name("sparct4: driver", tests, NULL, NULL);
}
