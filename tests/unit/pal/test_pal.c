// SPDX-License-Identifier: BSD-2-Clause
// PAL procedures on the shim. Indices, status codes and layouts: Itanium Architecture Software
// Developer's Manual volume 2, chapter 11.

#include "pmu/core/machine.h"

#include <string.h>

#include "pmu_unit.h"
#include "pal.h"

#define LENGTH(array) (sizeof array / sizeof *array)

// A buffer that procedures may write, in the middle of watched memory.
#define WATCHED		4096
#define ALLOWED_FIRST	1024
#define ALLOWED_SIZE	512
#define PATTERN		0xB7

static _Alignas(64) uint8_t memory[WATCHED];

static uint64_t address_of(int offset)
{
	return (uintptr_t)memory + (uint64_t)(int64_t)offset;
}

static int start(void **state)
{
	if (machine_start(state))
		return -1;
	memset(memory, PATTERN, sizeof memory);
	shim_allow_memory(memory + ALLOWED_FIRST, ALLOWED_SIZE);
	hal_interrupts_disable();
	return 0;
}

// Returns the number of changed bytes of the watched memory outside [offset, offset + size).
static unsigned touched_outside(size_t offset, size_t size)
{
	unsigned touched = 0;

	for (size_t i = 0; i < WATCHED; i++)
		touched += memory[i] != PATTERN && (i < offset || i >= offset + size);
	return touched;
}

static uint64_t word_at(size_t offset)
{
	uint64_t word;

	memcpy(&word, memory + offset, sizeof word);
	return word;
}

//
// Answers
//

static void perf_mon_info_says_what_there_is(void **state)
{
	// Control and data registers as numbered by pmu/nehalem; counters for cycles (event 3C) and
	// instructions (C0).
	static const uint64_t masks[] = {0x7F, 0xFF, 0xF, 0xF};
	struct pal_ret r = pal_call(PAL_PERF_MON_INFO, address_of(ALLOWED_FIRST), 0, 0);

	(void)state;
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 0xC03C3004);
	for (size_t mask = 0; mask < LENGTH(masks); mask++) {
		assert_int_equal(word_at(ALLOWED_FIRST + 32 * mask), masks[mask]);
		for (size_t word = 1; word < 4; word++)
			assert_int_equal(word_at(ALLOWED_FIRST + 32 * mask + 8 * word), 0);
	}
	assert_int_equal(touched_outside(ALLOWED_FIRST, 128), 0);
}

#define POWER_IMPLEMENTED	(1ULL << 60)
#define POWER_COHERENT		(1ULL << 61)

// Only the light halt, state 0, of the eight power states exists; its latencies and power are
// unknown.
static void halt_info_says_the_light_halt_alone(void **state)
{
	struct pal_ret r = pal_call(PAL_HALT_INFO, address_of(ALLOWED_FIRST), 0, 0);

	(void)state;
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(word_at(ALLOWED_FIRST), POWER_IMPLEMENTED | POWER_COHERENT);
	for (size_t word = 1; word < 8; word++)
		assert_int_equal(word_at(ALLOWED_FIRST + 8 * word) & POWER_IMPLEMENTED, 0);
	assert_int_equal(touched_outside(ALLOWED_FIRST, 64), 0);
}

// An x86 processor has four debug address registers, each for instructions or data (SDM volume 3B).
static void debug_info_says_the_breakpoint_registers(void **state)
{
	struct pal_ret r = pal_call(PAL_DEBUG_INFO, 0, 0, 0);

	(void)state;
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 4);
	assert_int_equal(r.v2, 4);
}

#define VERSION_RESERVED (FIELD_MASK(16, 8) | FIELD_MASK(48, 16))

static void version_is_at_least_the_minimum(void **state)
{
	struct pal_ret r = pal_call(PAL_VERSION, 0, 0, 0);

	(void)state;
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal((r.v1 | r.v2) & VERSION_RESERVED, 0);
	assert_int_not_equal(r.v2, 0);
	assert_true(r.v1 <= r.v2);
}

// Three fixed counters of 48 bits, 32-34 in the overflow status; freeze, global start, RDPMC,
// thresholds, any thread.
static void monitor_features_says_what_perf_mon_info_cannot(void **state)
{
	struct pal_ret r = pal_call(PALMON_MONITOR_FEATURES, 0, 0, 0);

	(void)state;
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 3 | 48 << 8);
	assert_int_equal(r.v2, 0x70000000F);
	assert_int_equal(r.v3, PMU_FEATURE_FREEZE | PMU_FEATURE_GLOBAL | PMU_FEATURE_USER_READ |
			 PMU_FEATURE_THRESHOLD |
			       PMU_FEATURE_ANY_THREAD);
}

// Events 3C, unit mask 00, and C0, unit mask 01 (SDM volume 3B, appendix A: INST_RETIRED.ANY_P).
static void monitor_events_says_unit_masks(void **state)
{
	struct pal_ret r = pal_call(PALMON_MONITOR_EVENTS, 0, 0, 0);

	(void)state;
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, 0x3C);
	assert_int_equal(r.v2, 0x100C0);
	assert_int_equal(r.v3, 0);
}

//
// Indices and arguments
//

static const struct {
	uint64_t index;
	unsigned arguments;	// number of arguments that are not reserved: a buffer's address
	uint64_t size;		// of the buffer, in bytes
} procedures[] = {
	{PAL_DEBUG_INFO, 0, 0}, {PAL_PERF_MON_INFO, 1, 128}, {PAL_VERSION, 0, 0},
	{PAL_HALT_LIGHT, 0, 0},
	{PAL_HALT_INFO, 1, 64}, {PALMON_MONITOR_FEATURES, 0, 0}, {PALMON_MONITOR_EVENTS, 0, 0},
};

static bool is_procedure(uint64_t index)
{
	for (size_t p = 0; p < LENGTH(procedures); p++)
		if (procedures[p].index == index)
			return true;
	return false;
}

static void unknown_indices_are_unimplemented(void **state)
{
	const uint64_t buffer = address_of(ALLOWED_FIRST);
	unsigned unknown = 0;

	(void)state;
	for (uint64_t index = 0; index <= 2000; index++)
		if (!is_procedure(index)) {
			assert_int_equal(pal_call(index, 0, 0, 0).status, PAL_UNIMPLEMENTED);
			assert_int_equal(pal_call(index, buffer, buffer, buffer).status,
					 PAL_UNIMPLEMENTED);
			unknown++;
		}
	assert_int_equal(unknown, 2001 - LENGTH(procedures));
	assert_int_equal(touched_outside(0, 0), 0);
}

// Indices that equal a known one in their low bits, and the last ones.
static void large_indices_are_unimplemented(void **state)
{
	static const unsigned shifts[] = {11, 16, 31, 32, 63};

	(void)state;
	for (size_t p = 0; p < LENGTH(procedures); p++)
		for (size_t s = 0; s < LENGTH(shifts); s++)
			assert_int_equal(pal_call(procedures[p].index | 1ULL << shifts[s], 0, 0,
						  0).status,
					 PAL_UNIMPLEMENTED);
	for (uint64_t index = UINT64_MAX; index > UINT64_MAX - 1024; index--)
		assert_int_equal(pal_call(index, 0, 0, 0).status, PAL_UNIMPLEMENTED);
}

static void reserved_arguments_must_be_0(void **state)
{
	static const uint64_t values[] = {1, 8, 1ULL << 32, 1ULL << 63, UINT64_MAX};
	const uint64_t buffer = address_of(ALLOWED_FIRST);
	uint64_t before = hal_clock();

	(void)state;
	hal_alarm(1000);
	for (size_t p = 0; p < LENGTH(procedures); p++)
		for (unsigned reserved = procedures[p].arguments; reserved < 3; reserved++)
			for (size_t v = 0; v < LENGTH(values); v++) {
				uint64_t a[3] = {procedures[p].arguments ? buffer : 0};

				a[reserved] = values[v];
				assert_int_equal(pal_call(procedures[p].index, a[0], a[1],
							  a[2]).status,
						 PAL_INVALID_ARGUMENT);
			}
	assert_int_equal(touched_outside(0, 0), 0);
	assert_int_equal(hal_clock(), before);		// no halt
}

//
// Buffers
//

static void assert_refused(uint64_t index, uint64_t address)
{
	assert_int_equal(pal_call(index, address, 0, 0).status, PAL_INVALID_ARGUMENT);
	assert_int_equal(touched_outside(0, 0), 0);
}

static void assert_written(uint64_t index, int offset, uint64_t size)
{
	memset(memory, PATTERN, sizeof memory);
	assert_int_equal(pal_call(index, address_of(offset), 0, 0).status, PAL_SUCCESS);
	assert_int_equal(touched_outside((size_t)offset, size), 0);
	assert_int_equal(memory[offset + 1], 0);
	assert_int_equal(memory[offset + (int)size - 1], 0);
	memset(memory, PATTERN, sizeof memory);
}

static void a_buffer_may_be_anywhere_in_allowed_memory_that_is_aligned(void **state)
{
	(void)state;
	for (size_t p = 0; p < LENGTH(procedures); p++) {
		const int size = (int)procedures[p].size,
			last = ALLOWED_FIRST + ALLOWED_SIZE - size;

		if (!size)
			continue;
		for (int offset = ALLOWED_FIRST - 2 * size; offset <= last + 2 * size; offset++)
			if (offset >= ALLOWED_FIRST && offset <= last && offset % 8 == 0)
				assert_written(procedures[p].index, offset, (uint64_t)size);
			else
				assert_refused(procedures[p].index, address_of(offset));
	}
}

static void addresses_at_the_ends_of_all_memory_do_not_wrap(void **state)
{
	static const uint64_t addresses[] = {
		0, 8, 64, 128, 1ULL << 63, -8ULL, -16ULL, -64ULL, -72ULL, -128ULL, -136ULL,
		-4096ULL, -4104ULL, UINT64_MAX,
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(addresses); i++) {
		assert_refused(PAL_PERF_MON_INFO, addresses[i]);
		assert_refused(PAL_HALT_INFO, addresses[i]);
	}
	// Allowed memory that ends just below 2^64: too little of it follows these addresses.
	hal_memory_start = -4096ULL;
	hal_memory_end = -8ULL;
	assert_refused(PAL_PERF_MON_INFO, -128ULL);
	assert_refused(PAL_PERF_MON_INFO, -64ULL);
	assert_refused(PAL_HALT_INFO, -64ULL);
	assert_refused(PAL_HALT_INFO, -8ULL);
}

static void memory_smaller_than_the_buffer_is_refused(void **state)
{
	(void)state;
	for (size_t p = 0; p < LENGTH(procedures); p++)
		for (size_t size = 0; size < procedures[p].size; size++) {
			shim_allow_memory(memory + ALLOWED_FIRST, size);
			assert_refused(procedures[p].index, address_of(ALLOWED_FIRST));
		}
}

//
// PAL_HALT_LIGHT
//

#define GLOBAL_CONTROL	0x38F	/* IA32_PERF_GLOBAL_CTRL: bit n enables counter n */
#define HALT		100000

static struct pal_ret halt(void)
{
	hal_alarm(HALT);
	return pal_call(PAL_HALT_LIGHT, 0, 0, 0);
}

static uint64_t global_control(void)
{
	uint64_t value = 0;

	assert_true(reg_read(GLOBAL_CONTROL, &value));
	return value;
}

static void nothing(void)
{
}

// TOTAL_CYCLES counts cycles, halted or not, unless counting is frozen. Instructions that end the
// halt are counted.
static void a_halt_is_not_counted(void **state)
{
	struct pmu_session session;
	uint64_t start, before;

	(void)state;
	open_session(&session,
		     "CPU_CLK_UNHALTED.TOTAL_CYCLES,CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY");
	start = hal_clock();
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute(1000);
	assert_int_equal(halt().status, PAL_SUCCESS);
	hal_execute(1000);
	for (unsigned i = 0; i < session.count; i++)
		assert_int_equal(count_of(&session, i), hal_clock() - start - HALT);
	before = count_of(&session, 0);
	start = hal_clock();
	hal_alarm(HALT);
	hal_halt(nothing);
	assert_int_equal(count_of(&session, 0) - before, hal_clock() - start);
	assert_true(hal_clock() - start >= HALT);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static void a_halt_restores_the_freeze_state_it_found(void **state)
{
	struct pmu_session session;

	(void)state;
	assert_int_equal(halt().status, PAL_SUCCESS);
	assert_int_equal(global_control(), 0);
	open_session(&session, "CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY_P:ctr=2");
	assert_int_equal(halt().status, PAL_SUCCESS);
	assert_int_equal(global_control(), 0);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(halt().status, PAL_SUCCESS);
	assert_int_equal(global_control(), 1ULL << 33 | 1ULL << 2);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(halt().status, PAL_SUCCESS);
	assert_int_equal(global_control(), 0);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static void a_halt_returns_with_interrupts_off(void **state)
{
	(void)state;
	assert_int_equal(halt().status, PAL_SUCCESS);
	assert_false(hal_interrupts_disable());
}

static uint64_t control_in_handler;
static unsigned handler_calls;

static void watching_handler(uint64_t ip, unsigned level)
{
	handler_calls++;
	control_in_handler = global_control();
	nehalem()->signal->interrupt(ip, level);
}

// The overflow has frozen the counters. They run again after its service, and not during the halt.
static void a_pending_overflow_is_served_before_counters_run(void **state)
{
	struct pmu_session session;
	struct pmu_sample sample;
	uint64_t n;

	(void)state;
	hal_pmi_attach(watching_handler, HAL_PMI_VECTOR);
	handler_calls = 0;
	open_session(&session, "INST_RETIRED.ANY_P:period=1000,CPU_CLK_UNHALTED.THREAD");
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute(2000);
	assert_int_equal(handler_calls, 0);
	assert_int_equal(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status, PAL_SUCCESS);
	assert_int_equal(handler_calls, 1);
	assert_int_equal(control_in_handler, 0);
	assert_int_equal(global_control(), session.counters);
	assert_int_equal(count_of(&session, 0), 1000);
	assert_int_equal(count_of(&session, 1), 1000);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.count, 1000);
	n = execute(500);
	assert_int_equal(count_of(&session, 0), 1000 + n);
	assert_false(hal_interrupts_disable());
	assert_int_equal(pmu_close(&session), PMU_OK);
}

// A call before pmu_begin.
static void before_the_pmu_is_up_every_procedure_is_an_error(void **state)
{
	struct pmu_cpu *cpu = pmu_this_cpu();

	(void)state;
	hal_cpu_set_data(NULL);
	for (uint64_t index = 0; index < 1024; index++)
		assert_int_equal(pal_call(index, address_of(ALLOWED_FIRST), 0, 0).status,
				 PAL_ERROR);
	assert_int_equal(touched_outside(0, 0), 0);
	hal_cpu_set_data(cpu);
}

// With a PMU that does not freeze on overflow, so that only the halts are not counted.
static void many_halts_lose_and_add_nothing(void **state)
{
	struct pmu_session session;
	uint64_t start;

	(void)state;
	assert_true(shim_start("nehalem", "freeze-missing"));
	assert_int_equal(pmu_begin(nehalem(), false), PMU_OK);
	open_session(&session, "INST_RETIRED.ANY_P:period=777,CPU_CLK_UNHALTED.TOTAL_CYCLES");
	start = hal_clock();
	assert_int_equal(pmu_start(&session), PMU_OK);
	for (uint64_t i = 0; i < 200; i++) {
		hal_execute(10 + i);
		hal_interrupts_disable();
		assert_int_equal(halt().status, PAL_SUCCESS);
		hal_interrupts_restore(true);
	}
	for (unsigned i = 0; i < session.count; i++)
		assert_int_equal(count_of(&session, i), hal_clock() - start - 200 * HALT);
	assert_int_equal(session.counter[0].samples, count_of(&session, 0) / 777);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static bool no_freeze(uint64_t *value)
{
	(void)value;
	return false;
}

static bool no_thaw(uint64_t value)
{
	(void)value;
	return false;
}

static void a_register_that_faults_is_an_error(void **state)
{
	struct pmu_driver driver = *nehalem();
	uint64_t before;

	(void)state;
	driver.freeze = no_freeze;
	assert_int_equal(pmu_begin(&driver, false), PMU_OK);
	before = hal_clock();
	assert_int_equal(halt().status, PAL_ERROR);
	assert_int_equal(hal_clock(), before);		// no halt
	driver = *nehalem();
	driver.thaw = no_thaw;
	assert_int_equal(pmu_begin(&driver, false), PMU_OK);
	assert_int_equal(halt().status, PAL_ERROR);
	assert_false(hal_interrupts_disable());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, machine_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(perf_mon_info_says_what_there_is),
		TEST(halt_info_says_the_light_halt_alone),
		TEST(debug_info_says_the_breakpoint_registers),
		TEST(version_is_at_least_the_minimum),
		TEST(monitor_features_says_what_perf_mon_info_cannot),
		TEST(monitor_events_says_unit_masks),
		TEST(unknown_indices_are_unimplemented),
		TEST(large_indices_are_unimplemented),
		TEST(reserved_arguments_must_be_0),
		TEST(a_buffer_may_be_anywhere_in_allowed_memory_that_is_aligned),
		TEST(addresses_at_the_ends_of_all_memory_do_not_wrap),
		TEST(memory_smaller_than_the_buffer_is_refused),
		TEST(a_halt_is_not_counted),
		TEST(a_halt_restores_the_freeze_state_it_found),
		TEST(a_halt_returns_with_interrupts_off),
		TEST(a_pending_overflow_is_served_before_counters_run),
		TEST(before_the_pmu_is_up_every_procedure_is_an_error),
		TEST(many_halts_lose_and_add_nothing),
		TEST(a_register_that_faults_is_an_error),
	};

	return cmocka_run_group_tests_name("PAL", tests, NULL, NULL);
}
