// SPDX-License-Identifier: BSD-2-Clause
// The host shim's machines of several CPUs: a package of two cores with two threads each, which
// share an uncore PMU (registers: SDM volume 3B), and one core of four threads (registers:
// 327357-001, "Intel Xeon Phi Coprocessor (codename: Knights Corner) Performance Monitoring
// Units").

#include "unit.h"

#include <string.h>

#include "cpus.h"
#include "hal.h"
#include "shim.h"
#include "stimulus.h"

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, DEBUGCTL = 0x1D9, GLOBAL_STATUS = 0x38E,
	GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390, UNCORE_CTRL = 0x391, UNCORE_FIXED = 0x394,
	UNCORE_FIXED_CTRL = 0x395, UNCORE_PMC0 = 0x3B0, UNCORE_SELECT0 = 0x3C0,
};

#define CPUS		4
#define INSTRUCTIONS	0x4300C0	/* retired, at all levels, enabled */
#define MODULUS		(1ULL << 48)
#define UNCORE_PMI_EN	(1u << 13)

static int start(void **state)
{
	(void)state;
	return shim_start("nehalem-uncore", "") ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

static uint64_t get(uint32_t address)
{
	uint64_t value = 0;

	assert_true(reg_read(address, &value));
	return value;
}

static void put(uint32_t address, uint64_t value)
{
	assert_true(reg_write(address, value));
}

static void a_package_has_four_cpus_and_another_machine_one(void **state)
{
	(void)state;
	assert_int_equal(hal_cpus_start(), CPUS);
	assert_true(shim_start("nehalem", ""));
	assert_int_equal(hal_cpus_start(), CPUS);
	assert_int_equal(get(UNCORE_CTRL), 0);
	assert_true(shim_start("itanium", ""));
	assert_int_equal(hal_cpus_start(), 1);
	assert_int_equal(hal_cpu(), 0);
}

static void two_threads_are_a_core(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		unsigned core, thread;

		hal_topology(cpu, &core, &thread);
		assert_int_equal(core, cpu / 2);
		assert_int_equal(thread, cpu % 2);
	}
}

static void faults_are_of_either_model_first_of_the_targets(void **state)
{
	(void)state;
	assert_true(shim_start("nehalem-uncore", "reset-value"));	// both models have it
	assert_int_equal(get(UNCORE_CTRL), 0x1000000FF);
	assert_int_equal(get(GLOBAL_CTRL), 0xF);
	assert_true(shim_start("nehalem", "reset-value"));
	assert_int_equal(get(UNCORE_CTRL), 0);
	assert_int_equal(get(GLOBAL_CTRL), 0);
	assert_true(shim_start("nehalem-uncore", "sign-missing"));
	assert_true(shim_start("nehalem", "broadcast-lost"));
	assert_true(shim_start("nehalem-uncore", "stuck:0x391:0:1"));
	assert_int_equal(get(UNCORE_CTRL), 1);
	assert_false(shim_start("nehalem-uncore", "no-such-fault"));
	assert_false(shim_start("nehalem", "no-such-fault"));
}

static void a_fault_is_of_the_model_that_is_named_in_front(void **state)
{
	static const char *const targets[] = {"nehalem", "nehalem-uncore"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(shim_start(targets[i], "nehalem/reset-value"));
		assert_int_equal(get(UNCORE_CTRL), 0);
		assert_int_equal(get(GLOBAL_CTRL), 0);
		shim_cpu(3);
		assert_int_equal(get(GLOBAL_CTRL), 0);		// in all cores
		assert_true(shim_start(targets[i], "nehalem-uncore/reset-value"));
		assert_int_equal(get(UNCORE_CTRL), 0x1000000FF);
		assert_int_equal(get(GLOBAL_CTRL), 0xF);
		assert_true(shim_start(targets[i], "nehalem-uncore/stuck:0x391:0:1"));
		assert_int_equal(get(UNCORE_CTRL), 1);
		assert_int_equal(get(GLOBAL_CTRL), 0xF);
		assert_true(shim_start(targets[i], "nehalem/stuck:0x38F:8:1"));
		assert_int_equal(get(GLOBAL_CTRL), 0x10F);
		// the model with the register
		assert_true(shim_start(targets[i], "stuck:0x38F:8:1"));
		assert_int_equal(get(GLOBAL_CTRL), 0x10F);
		assert_false(shim_start(targets[i], "nehalem/broadcast-lost"));
		assert_false(shim_start(targets[i], "nehalem-uncore/sign-missing"));
		assert_false(shim_start(targets[i], "itanium/freeze-missing"));
		assert_false(shim_start(targets[i], "nehalem/"));
		assert_false(shim_start(targets[i], "/reset-value"));
		assert_false(shim_start(targets[i], "nehalem/nehalem/reset-value"));
	}
}

static void each_cpu_has_registers_and_data_of_its_own_and_shares_the_packages(void **state)
{
	static int data[CPUS];

	(void)state;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(hal_cpu(), cpu);
		assert_null(hal_cpu_data());
		hal_cpu_set_data(&data[cpu]);
		put(PMC0, 100 + cpu);
		put(UNCORE_PMC0 + cpu, 200 + cpu);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_ptr_equal(hal_cpu_data(), &data[cpu]);
		assert_int_equal(get(PMC0), 100 + cpu);
		for (unsigned i = 0; i < CPUS; i++)
			assert_int_equal(get(UNCORE_PMC0 + i), 200 + i);
	}
}

// A CPU's counters count only its own instructions; the package's clock advances with each CPU's.
static void one_cpu_executes_at_a_time(void **state)
{
	uint64_t before = hal_clock();

	(void)state;
	put(UNCORE_FIXED_CTRL, 1);
	put(UNCORE_CTRL, 1ULL << 32);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		put(PERFEVTSEL0, INSTRUCTIONS);
		put(GLOBAL_CTRL, 1);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		hal_execute(97 + 100 * cpu);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(get(PMC0), 100 + 100 * cpu);
	}
	assert_int_equal(get(UNCORE_FIXED), 100 + 200 + 300 + 400);
	assert_int_equal(hal_clock() - before, 1000);
}

static unsigned taken[CPUS];

static void on_interrupt(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	taken[hal_cpu()]++;
	put(GLOBAL_OVF_CTRL, get(GLOBAL_STATUS));
	hal_pmi_unmask();
}

static void attach_all(uint64_t debugctl)
{
	memset(taken, 0, sizeof taken);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		hal_pmi_attach(on_interrupt, HAL_PMI_VECTOR);
		put(DEBUGCTL, debugctl);
	}
	shim_cpu(0);
}

static void overflow_uncore(unsigned cores)
{
	put(UNCORE_FIXED_CTRL, 5);
	put(UNCORE_FIXED, MODULUS - 10);
	put(UNCORE_CTRL, 1ULL << 32 | (uint64_t)cores << 48 | 1ULL << 63);
	hal_execute(20);
}

static void a_signal_waits_until_its_cpu_is_the_one_that_calls(void **state)
{
	(void)state;
	attach_all(UNCORE_PMI_EN);
	overflow_uncore(3);
	assert_int_equal(taken[0], 1);
	for (unsigned cpu = 1; cpu < CPUS; cpu++) {
		assert_int_equal(taken[cpu], 0);
		shim_cpu(cpu);
		assert_int_equal(taken[cpu], 1);
	}
	assert_int_equal(get(UNCORE_FIXED), 0);		// frozen
}

static void only_selected_cores_and_listening_threads_are_signalled(void **state)
{
	(void)state;
	attach_all(UNCORE_PMI_EN);
	shim_cpu(3);
	put(DEBUGCTL, 0);
	shim_cpu(0);
	overflow_uncore(2);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(taken[cpu], cpu == 2);
	}
}

static void interrupts_off_are_off_on_one_cpu(void **state)
{
	(void)state;
	attach_all(UNCORE_PMI_EN);
	shim_cpu(1);
	assert_true(hal_interrupts_disable());
	shim_cpu(0);
	overflow_uncore(3);
	shim_cpu(1);
	assert_int_equal(taken[1], 0);
	shim_cpu(2);
	assert_int_equal(taken[2], 1);
	shim_cpu(1);
	hal_interrupts_restore(true);
	assert_int_equal(taken[1], 1);
}

static unsigned called_on;

static void remember(void *argument)
{
	called_on = hal_cpu();
	*(unsigned *)argument += 1;
}

static void a_call_runs_on_its_cpu_at_once(void **state)
{
	unsigned calls = 0;

	(void)state;
	for (unsigned cpu = 1; cpu < CPUS; cpu++) {
		hal_cpu_call(cpu, remember, &calls);
		assert_true(hal_cpus_wait(1u << cpu, 0));
		assert_int_equal(calls, cpu);
		assert_int_equal(called_on, cpu);
		assert_int_equal(hal_cpu(), 0);
	}
	assert_false(hal_cpus_wait(1u << CPUS, 0));
}

static void signals_are_those_of_the_target_and_time_passes_for_both(void **state)
{
	const struct occurrence hit = {.code = 0x08, .sub = 1, .n = 2},
		clock = {.code = 0x3C, .n = 1};

	(void)state;
	put(UNCORE_SELECT0, 0x400108);
	put(UNCORE_CTRL, 1);
	put(PERFEVTSEL0, INSTRUCTIONS);
	put(GLOBAL_CTRL, 1);
	assert_int_equal(shim_deliver(&hit, 1, 10), 10);
	shim_deliver(NULL, 0, 0);
	assert_int_equal(get(UNCORE_PMC0), 20);
	assert_int_equal(get(PMC0), 0);
	assert_true(shim_start("nehalem", ""));
	put(UNCORE_FIXED_CTRL, 1);
	put(UNCORE_CTRL, 1ULL << 32);
	put(PERFEVTSEL0, 0x43003C);
	put(GLOBAL_CTRL, 1);
	assert_int_equal(shim_deliver(&clock, 1, 10), 10);
	assert_int_equal(get(PMC0), 10);
	assert_int_equal(get(UNCORE_FIXED), 10);
}

static void bus_locks_are_counted(void **state)
{
	(void)state;
	assert_int_equal(shim_bus_locks(), 0);
	hal_bus_lock();
	shim_cpu(3);
	hal_bus_lock();
	assert_int_equal(shim_bus_locks(), 2);
	assert_true(shim_start("itanium", ""));
	assert_int_equal(shim_bus_locks(), 0);
	hal_bus_lock();
}

//
// A core of four threads
//

enum {
	KNC_CLOCK = 0x10, KNC_COUNTER0 = 0x20, KNC_SELECT0 = 0x28, KNC_SPFLT = 0x2C,
	KNC_STATUS = 0x2D, KNC_CLEAR = 0x2E, KNC_CTRL = 0x2F,
};

#define KNC_EXECUTED	0x530016	/* INSTRUCTIONS_EXECUTED: USR, OS, INT, EN */
#define KNC_ANY		0x200000	/* thread count mode */
#define KNC_PREFERRED	(1ULL << 63)
#define KNC_MODULUS	(1ULL << 40)

static int start_core(void **state)
{
	(void)state;
	return shim_start("knc", "") ? 0 : -1;
}

static void four_threads_are_a_core(void **state)
{
	(void)state;
	assert_int_equal(hal_cpus_start(), CPUS);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		unsigned core, thread;

		hal_topology(cpu, &core, &thread);
		assert_int_equal(core, 0);
		assert_int_equal(thread, cpu);
		shim_cpu(cpu);
		put(KNC_COUNTER0, 100 + cpu);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(get(KNC_COUNTER0), 100 + cpu);
	}
}

// Thread 0 counts all threads' instructions, each other thread its own. hal_execute(n) executes n +
// 3.
static void a_thread_counts_its_own_or_all(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		put(KNC_SELECT0, KNC_EXECUTED | (cpu ? 0 : KNC_ANY));
		put(KNC_CTRL, 1);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		hal_execute(97 + 100 * cpu);
	}
	for (unsigned cpu = 1; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(get(KNC_COUNTER0), 100 + 100 * cpu);
	}
	shim_cpu(0);
	assert_int_equal(get(KNC_COUNTER0), 100 + 200 + 300 + 400);
}

// hal_clock returns the time-stamp counter, which is writable and shared by the threads.
static void the_clock_is_the_cores(void **state)
{
	(void)state;
	shim_cpu(1);
	put(KNC_CLOCK, KNC_MODULUS);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(hal_clock(), KNC_MODULUS + 100 * cpu);
		assert_int_equal(get(KNC_CLOCK), KNC_MODULUS + 100 * cpu);
		hal_execute(97);
	}
}

// SPFLT applies to the thread that executes it. The SPFLT that enables the user filter is not
// counted; the one that disables it is.
static void a_user_filter_is_its_threads_and_an_instruction(void **state)
{
	const uint64_t before = hal_clock();

	(void)state;
	shim_cpu(2);
	put(KNC_SELECT0, KNC_EXECUTED);
	put(KNC_SPFLT, 1);
	put(KNC_CTRL, 1);
	hal_execute(97);
	assert_true(hal_spflt(true));
	assert_int_equal(get(KNC_SPFLT), KNC_PREFERRED | 1);
	assert_int_equal(get(KNC_COUNTER0), 0);
	hal_execute(97);
	assert_true(hal_spflt(false));
	hal_execute(97);
	assert_int_equal(get(KNC_SPFLT), 1);
	assert_int_equal(get(KNC_COUNTER0), 100 + 1);
	assert_int_equal(hal_clock() - before, 3 * 100 + 2);
	assert_true(hal_spflt(true));
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(get(KNC_SPFLT), cpu == 2 ? KNC_PREFERRED | 1 : 0);
	}
}

static void other_processors_have_no_preference(void **state)
{
	static const char *const others[] = {"nehalem", "itanium", "sparct4"};

	(void)state;
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
		uint64_t before;

		assert_true(shim_start(others[i], ""));
		before = hal_clock();
		assert_false(hal_spflt(true));
		assert_int_equal(hal_clock(), before);
	}
}

static void on_core_interrupt(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
	taken[hal_cpu()]++;
	put(KNC_CTRL, 0);
	put(KNC_CLEAR, get(KNC_STATUS));
	hal_pmi_unmask();
}

// The thread whose counter overflows takes the interrupt, whichever thread executes. The shim
// delivers it when that thread calls.
static void an_overflow_interrupts_its_own_thread(void **state)
{
	(void)state;
	memset(taken, 0, sizeof taken);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		hal_pmi_attach(on_core_interrupt, HAL_PMI_VECTOR);
	}
	shim_cpu(3);
	put(KNC_SELECT0, KNC_EXECUTED | KNC_ANY);
	put(KNC_COUNTER0, KNC_MODULUS - 10);
	put(KNC_CTRL, 1);
	shim_cpu(1);
	hal_execute(97);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(taken[cpu], 0);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		shim_cpu(cpu);
		assert_int_equal(taken[cpu], cpu == 3);
		assert_int_equal(get(KNC_STATUS), 0);
	}
	assert_int_equal(get(KNC_COUNTER0), 90);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
#define CORE_TEST(name) cmocka_unit_test_setup_teardown(name, start_core, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_package_has_four_cpus_and_another_machine_one),
		TEST(two_threads_are_a_core),
		TEST(faults_are_of_either_model_first_of_the_targets),
		TEST(a_fault_is_of_the_model_that_is_named_in_front),
		TEST(each_cpu_has_registers_and_data_of_its_own_and_shares_the_packages),
		TEST(one_cpu_executes_at_a_time),
		TEST(a_signal_waits_until_its_cpu_is_the_one_that_calls),
		TEST(only_selected_cores_and_listening_threads_are_signalled),
		TEST(interrupts_off_are_off_on_one_cpu),
		TEST(a_call_runs_on_its_cpu_at_once),
		TEST(signals_are_those_of_the_target_and_time_passes_for_both),
		TEST(bus_locks_are_counted),
		CORE_TEST(four_threads_are_a_core),
		CORE_TEST(a_thread_counts_its_own_or_all),
		CORE_TEST(the_clock_is_the_cores),
		CORE_TEST(a_user_filter_is_its_threads_and_an_instruction),
		CORE_TEST(other_processors_have_no_preference),
		CORE_TEST(an_overflow_interrupts_its_own_thread),
	};

	return cmocka_run_group_tests_name("shim: several CPUs", tests, NULL, NULL);
}
