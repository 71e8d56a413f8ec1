// SPDX-License-Identifier: BSD-2-Clause
// A PMU that the cores of a package share, on four CPUs: an overflow signals all, each takes its
// sample, one serves. Expected results follow from pmu/README.md, "A PMU that cores share", and
// from the clock: the fixed counter and a condition that is always met count each cycle.

#include "shared.h"

#include <pthread.h>

//
// Begin
//

static void all_that_begin_take_part(void **state)
{
	(void)state;
	assert_int_equal(pmu_shared_cpus(), 15);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_ptr_equal(pmu_current_driver(), uncore);
		assert_ptr_equal(pmu_this_cpu()->driver, uncore->cores);
	}
	shim_cpu(2);
	assert_int_equal(pmu_begin(uncore->cores, false), PMU_OK);
	assert_int_equal(pmu_shared_cpus(), 11);
	shim_cpu(1);
	assert_int_equal(pmu_begin(uncore, false), PMU_OK);	// again, alone
	assert_int_equal(pmu_shared_cpus(), 2);
}

static void the_cores_own_sessions_go_on(void **state)
{
	struct event_request request;
	struct pmu_session own;
	struct pmu_refusal refusal;
	const char *text = "INST_RETIRED.ANY_P";

	(void)state;
	assert_true(shim_start("nehalem-uncore", ""));
	assert_int_equal(pmu_begin(uncore->cores, false), PMU_OK);
	assert_int_equal(event_parse(uncore->cores->events, &text, &request), EVENT_OK);
	assert_int_equal(pmu_open(&own, &request, 1, &refusal), PMU_OK);
	assert_int_equal(pmu_start(&own), PMU_OK);
	assert_int_equal(pmu_begin(uncore, false), PMU_OK);
	hal_execute(97);
	assert_int_equal(pmu_stop(&own), PMU_OK);
	assert_int_equal(count_of(&own, 0), 100);
	start_text(&session, "UNC_CLK_UNHALTED");
	assert_true(session.number >= 0x80000000u);
	assert_true(own.number < 0x80000000u);
}

//
// Rounds
//

static void make_permutation(unsigned order[CPUS], unsigned number)
{
	bool used[CPUS] = {false};

	for (unsigned i = 0, base = 6; i < CPUS; i++) {
		unsigned skip = number / base;

		number %= base;
		base /= i < CPUS - 1 && CPUS - 1 - i ? CPUS - 1 - i : 1;
		for (order[i] = 0; used[order[i]] || skip; order[i]++)
			skip -= !used[order[i]];
		used[order[i]] = true;
	}
}

// In every order of arrival: nothing counts before the last CPU has arrived, and that CPU serves
// once.
static void each_cpu_samples_and_the_last_one_serves(void **state)
{
	(void)state;
	for (unsigned number = 0; number < 24; number++) {
		unsigned order[CPUS];
		struct pmu_sample sample;

		start_with("");
		make_permutation(order, number);
		start_text(&session, BOTH);
		for (unsigned round = 1; round <= 3; round++) {
			pass(PERIOD + 300);			// frozen for 300 cycles
			for (unsigned i = 0; i < CPUS; i++) {
				assert_exact(round * PERIOD);
				assert_int_equal(statistics().overflows, round - 1);
				take(order[i]);
			}
			assert_int_equal(statistics().overflows, round);
			assert_int_equal(statistics().interrupts, round * CPUS);
			assert_int_equal(statistics().spurious, 0);
			for (unsigned cpu = 0; cpu < CPUS; cpu++) {
				assert_int_equal(take_samples(cpu, &sample), 1);
				assert_int_equal(sample.ip, ip_of(cpu));
				assert_int_equal(sample.count, round * PERIOD);
				assert_int_equal(sample.source.session, session.number);
				assert_int_equal(sample.source.event, 1);
			}
		}
		pass(500);
		assert_exact(3 * PERIOD + 500);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_exact(3 * PERIOD + 500);
		assert_int_equal(session.counter[1].samples, 3);
		assert_int_equal(statistics().faults, 0);
	}
}

// A second overflow occurs in the last CPU's interrupt, right after the counters were started.
static unsigned second_overflows;

static bool slow_enable(uint64_t counters)
{
	bool ok = uncore->enable(counters);

	if (counters && !second_overflows && statistics().overflows == 1) {
		second_overflows++;
		shim_deliver(&ticks, 1, PERIOD);
	}
	return ok;
}

static void an_overflow_right_after_the_service_is_signalled_to_all(void **state)
{
	(void)state;
	for (unsigned number = 0; number < 24; number++) {
		unsigned order[CPUS];
		struct pmu_sample sample;

		make_permutation(order, number);
		slow = *uncore;
		slow.enable = slow_enable;
		second_overflows = 0;
		begin_slow();
		pass(PERIOD);
		for (unsigned i = 0; i < CPUS; i++)
			take(order[i]);
		assert_int_equal(second_overflows, 1);
		assert_int_equal(statistics().overflows, 1);	// three CPUs have not arrived
		for (unsigned i = 0; i < CPUS - 1; i++)
			take(order[i]);
		assert_int_equal(statistics().overflows, 2);
		assert_exact(2 * PERIOD);
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			assert_int_equal(take_samples(cpu, &sample), 2);
		pass(10);
		assert_exact(2 * PERIOD + 10);
	}
}

// A stop ends the round with its own sample; CPUs that arrive later find nothing.
static void a_stop_in_the_middle_of_a_round_serves_it(void **state)
{
	(void)state;
	for (unsigned number = 0; number < 24; number++)
		for (unsigned arrived = 0; arrived < CPUS; arrived++) {
			unsigned order[CPUS];
			struct pmu_sample sample;

			start_with("");
			make_permutation(order, number);
			start_text(&session, BOTH);
			pass(PERIOD + 7);
			for (unsigned i = 0; i < arrived; i++)
				take(order[i]);
			shim_cpu(order[CPUS - 1]);
			// shim_cpu takes pending interrupts, except for CPU 0, which has interrupts
			// disabled.
			assert_int_equal(pmu_stop(&session), PMU_OK);
			assert_int_equal(statistics().overflows, 1);
			assert_exact(PERIOD);
			for (unsigned i = arrived; i < CPUS; i++)
				take(order[i]);
			assert_int_equal(statistics().overflows, 1);
			assert_int_equal(statistics().spurious,
					 CPUS - arrived - (order[CPUS - 1] != 0));
			for (unsigned i = 0; i < CPUS; i++)
				assert_int_equal(take_samples(order[i], &sample), i < arrived ||
						 i == CPUS - 1);
			assert_int_equal(pmu_start(&session), PMU_OK);
			pass(10);
			assert_exact(PERIOD + 10);
		}
}

// While a CPU has the lock, all arrive and none waits; the CPU serves when it releases the lock.
static void who_has_the_lock_serves_behind_it(void **state)
{
	bool interrupts;

	(void)state;
	start_text(&session, BOTH);
	pass(PERIOD);
	assert_true(pmu_shared_lock(&interrupts));
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		take(cpu);
	assert_int_equal(statistics().overflows, 0);
	assert_int_equal(statistics().interrupts, CPUS);
	pmu_shared_unlock(interrupts);
	assert_int_equal(statistics().overflows, 1);
	pass(10);
	assert_exact(PERIOD + 10);
}

static void a_session_that_starts_in_the_middle_serves_what_has_overflowed(void **state)
{
	struct pmu_session beside;
	struct pmu_sample sample;

	(void)state;
	start_text(&session, BOTH);
	pass(PERIOD);
	take(1);
	shim_cpu(1);
	start_text(&beside, "UNC_ADDR_OPCODE_MATCH.REMOTE.NONE:c=1:i");
	pass(10);
	assert_exact(PERIOD + 10);
	assert_int_equal(count_of(&beside, 0), 10);
	assert_int_equal(take_samples(1, &sample), 1);
	take(0);
	take(2);
	take(3);
	assert_int_equal(statistics().spurious, 3);
	assert_int_equal(pmu_close(&beside), PMU_OK);
	pass(10);
	assert_exact(PERIOD + 20);
}

//
// A CPU whose round ends while it reads the counters
//

static bool is_slow, is_in_the_middle;

static bool is_closed(void)
{
	return __atomic_load_n(&pmu_shared()->round, __ATOMIC_SEQ_CST) >> 31 & 1;
}

static bool slow_read(uint32_t address, uint64_t *value)
{
	bool ok = uncore->read(address, value);

	if (is_slow && hal_cpu() == 1) {
		__atomic_store_n(&is_in_the_middle, true, __ATOMIC_SEQ_CST);
		while (!is_closed())
			hal_relax();
	}
	return ok;
}

static void *take_slowly(void *unused)
{
	(void)unused;
	shim_cpu(1);
	hal_interrupts_restore(true);
	return NULL;
}

// Meanwhile CPU 0 stops: it closes the round, and changes nothing before the other CPU has noticed
// that.
static void a_sample_whose_round_has_ended_is_void(void **state)
{
	struct pmu_sample sample;
	pthread_t slow_cpu;

	(void)state;
	slow = *uncore;
	slow.read = slow_read;
	is_slow = is_in_the_middle = false;
	begin_slow();
	pass(PERIOD);
	shim_threads();
	is_slow = true;
	assert_int_equal(pthread_create(&slow_cpu, NULL, take_slowly, NULL), 0);
	while (!__atomic_load_n(&is_in_the_middle, __ATOMIC_SEQ_CST))
		hal_relax();
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(pthread_join(slow_cpu, NULL), 0);
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute(10 - 3);		// and the instructions that the start adds
	assert_exact(PERIOD + 10);
	assert_int_equal(take_samples(1, &sample), 0);
	assert_int_equal(take_samples(0, &sample), 1);		// the CPU that stopped
	assert_int_equal(statistics().overflows, 1);
	assert_int_equal(statistics().spurious, 1);
	assert_int_equal(statistics().faults, 0);
}

// The wait for a CPU that never leaves its interrupt is bounded.
static void a_cpu_that_stays_too_long_is_an_error(void **state)
{
	(void)state;
	start_text(&session, BOTH);
	pass(PERIOD);
	pmu_shared()->inside = 1 << 2;
	assert_int_equal(pmu_stop(&session), PMU_FAULT);
	assert_exact(PERIOD);
	shim_cpu(2);
	assert_int_equal(pmu_begin(uncore->cores, false), PMU_OK);	// after an INIT
	shim_cpu(0);
	assert_int_equal(pmu_start(&session), PMU_OK);
	pass(10);
	assert_exact(PERIOD + 10);
}

// A late signal for a CPU whose participation another CPU's pmu_begin has ended.
static void a_signal_to_who_takes_part_no_longer_is_unclaimed(void **state)
{
	(void)state;
	start_text(&session, BOTH);
	pass(PERIOD);
	shim_cpu(0);
	assert_int_equal(pmu_begin(uncore, false), PMU_OK);		// again, alone
	take(1);
	assert_int_equal(pmu_this_cpu()->statistics.unclaimed, 1);
	assert_int_equal(statistics().interrupts, 0);
}

//
// Contexts of the package's sessions
//

static void a_context_that_is_put_aside_in_a_round_serves_it(void **state)
{
	struct pmu_context context;
	struct pmu_sample sample;

	(void)state;
	start_text(&session, BOTH);
	pass(PERIOD + 7);
	take(1);
	shim_cpu(2);				// takes its pending interrupt
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_int_equal(statistics().overflows, 1);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		take(cpu);
	pass(100);
	shim_cpu(3);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_exact(PERIOD);
	pass(PERIOD);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		take(cpu);
	assert_int_equal(statistics().overflows, 2);
	assert_exact(2 * PERIOD);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(take_samples(cpu, &sample), cpu == 1 || cpu == 2 ? 2 : 1);
}

//
// Lost signals
//

static void an_overflow_that_a_core_is_not_told_of_is_served_at_the_stop(void **state)
{
	struct pmu_sample sample;

	(void)state;
	start_with("broadcast-lost");		// core 1: CPUs 2 and 3
	start_text(&session, BOTH);
	pass(PERIOD + 100);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		take(cpu);
	assert_int_equal(statistics().interrupts, 2);
	assert_int_equal(statistics().overflows, 0);
	pass(100);
	assert_exact(PERIOD);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().overflows, 1);
	assert_exact(PERIOD);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		assert_int_equal(take_samples(cpu, &sample), cpu < 2);
		assert_int_equal(pmu_interrupts(pmu_this_cpu()), cpu < 2);
	}
}

// A core's session stops. After it has read the overflow status, with the overflow interrupt
// masked, the shared PMU signals: while the counter is read.
static struct pmu_driver slow_core;

static bool read_while_masked(uint32_t address, uint64_t *value)
{
	shim_deliver(&ticks, 1, PERIOD);
	return uncore->cores->read(address, value);
}

static void a_signal_that_comes_while_the_interrupt_is_masked_is_not_lost(void **state)
{
	struct pmu_session own;
	struct pmu_sample sample;

	(void)state;
	start_text(&session, BOTH);
	shim_cpu(1);
	start_own(&own);
	slow_core = *uncore->cores;
	slow_core.read = read_while_masked;
	assert_int_equal(pmu_session_stop(&slow_core, &own), PMU_OK);
	assert_int_equal(take_samples(1, &sample), 1);
	take(0);
	take(2);
	take(3);
	assert_int_equal(statistics().overflows, 1);
	pass(10);
	assert_exact(PERIOD + 10);
}

// As many samples as allowed in a row; then the counter continues without samples.
static void too_many_overflows_are_throttled(void **state)
{
	(void)state;
	shim_cpu(0);
	pmu_limit_interrupts(5, UINT64_MAX >> 1);
	start_text(&session, BOTH);
	for (unsigned round = 0; round < 20; round++) {
		pass(PERIOD);
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			take(cpu);
	}
	assert_int_equal(statistics().throttles, 1);
	assert_true(session.counter[1].throttled);
	assert_int_equal(statistics().overflows, 6);
	assert_exact(20 * PERIOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_that_begin_take_part),
		TEST(the_cores_own_sessions_go_on),
		TEST(each_cpu_samples_and_the_last_one_serves),
		TEST(an_overflow_right_after_the_service_is_signalled_to_all),
		TEST(a_stop_in_the_middle_of_a_round_serves_it),
		TEST(who_has_the_lock_serves_behind_it),
		TEST(a_session_that_starts_in_the_middle_serves_what_has_overflowed),
		TEST(a_sample_whose_round_has_ended_is_void),
		TEST(a_cpu_that_stays_too_long_is_an_error),
		TEST(a_signal_to_who_takes_part_no_longer_is_unclaimed),
		TEST(a_context_that_is_put_aside_in_a_round_serves_it),
		TEST(an_overflow_that_a_core_is_not_told_of_is_served_at_the_stop),
		TEST(a_signal_that_comes_while_the_interrupt_is_masked_is_not_lost),
		TEST(too_many_overflows_are_throttled),
	};

	return cmocka_run_group_tests_name("shared PMU", tests, NULL, NULL);
}
