// SPDX-License-Identifier: BSD-2-Clause
// A PMU that the cores of a package share, with the overflow interrupt as an NMI, which also occurs
// while a call has disabled interrupts. tests/proof/package-rounds.pml found these cases.

#include "shared.h"

static bool nmi_comes;

// The NMI of this CPU, during a call of its program.
static void take_nmi(void)
{
	nmi_comes = false;
	uncore->cores->signal->interrupt(ip_of(hal_cpu()), 0);
}

static bool interrupted_read(uint32_t address, uint64_t *value)
{
	if (nmi_comes && hal_cpu() == 0)
		take_nmi();
	return uncore->read(address, value);
}

// A stop takes this CPU's sample; while it reads the counter, the NMI takes the sample, too.
static void a_stop_in_which_an_nmi_comes_samples_once(void **state)
{
	struct pmu_sample sample;

	(void)state;
	slow = *uncore;
	slow.read = interrupted_read;
	begin_slow();
	pass(PERIOD);
	nmi_comes = true;
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_false(nmi_comes);
	assert_exact(PERIOD);
	assert_int_equal(take_samples(0, &sample), 1);
	assert_int_equal(sample.count, PERIOD);
	assert_int_equal(statistics().overflows, 1);
}

// Overflows that occur as soon as the counters run again, while the call that served the previous
// one has the lock. All CPUs arrive, this one by NMI, and leave the service to the call.
#define AT_ONCE 10

static unsigned at_once;

static bool enable_and_overflow(uint64_t counters)
{
	const bool ok = uncore->enable(counters);

	if (!counters || at_once == AT_ONCE)
		return ok;
	at_once++;
	shim_deliver(&ticks, 1, PERIOD);
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		take(cpu);
	shim_cpu(0);
	take_nmi();
	return ok;
}

static void a_call_serves_each_round_that_an_nmi_completes(void **state)
{
	(void)state;
	slow = *uncore;
	slow.enable = enable_and_overflow;
	at_once = AT_ONCE;
	begin_slow();
	assert_int_equal(pmu_stop(&session), PMU_OK);
	at_once = 0;
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(at_once, AT_ONCE);
	assert_int_equal(statistics().overflows, AT_ONCE);
	assert_exact(AT_ONCE * PERIOD);
	pass(10);
	assert_exact(AT_ONCE * PERIOD + 10);
}

// A core's session stops, and checks for a signal that arrived while the interrupt was masked. It
// has cleared the signal's bit when another CPU ends the round, and the next overflow signals
// again. The NMI occurs while this CPU reads the counters. It must not report to other CPUs that
// this read has ended.
static struct pmu_driver interrupted_core;
static bool next_round_comes;
static uint32_t inside_after_nmi;

static bool clear_late(uint64_t overflowed)
{
	const bool ok = uncore->cores->overflow_clear(overflowed);

	if (next_round_comes && overflowed & uncore->cores->package->status) {
		next_round_comes = false;
		shim_cpu(1);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(pmu_start(&session), PMU_OK);
		shim_deliver(&ticks, 1, PERIOD);
		shim_cpu(0);
		nmi_comes = true;
	}
	return ok;
}

static bool read_and_ask_who_is_inside(uint32_t address, uint64_t *value)
{
	const bool comes = nmi_comes;
	const bool ok = interrupted_read(address, value);

	if (comes)
		inside_after_nmi = pmu_shared()->inside;
	return ok;
}

static void an_nmi_leaves_the_cpu_inside_if_it_was(void **state)
{
	struct pmu_session own;
	struct pmu_sample sample;

	(void)state;
	slow = *uncore;
	slow.read = read_and_ask_who_is_inside;
	begin_slow();
	shim_cpu(0);
	start_own(&own);
	pass(PERIOD);
	interrupted_core = *uncore->cores;
	interrupted_core.overflow_clear = clear_late;
	next_round_comes = true;
	inside_after_nmi = 0;
	assert_int_equal(pmu_session_stop(&interrupted_core, &own), PMU_OK);
	assert_false(next_round_comes);
	assert_int_equal(inside_after_nmi, 1 << 0);
	assert_int_equal(pmu_shared()->inside, 0);
	assert_int_equal(take_samples(0, &sample), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stop_in_which_an_nmi_comes_samples_once),
		TEST(a_call_serves_each_round_that_an_nmi_completes),
		TEST(an_nmi_leaves_the_cpu_inside_if_it_was),
	};

	return cmocka_run_group_tests_name("shared PMU, NMIs", tests, NULL, NULL);
}
