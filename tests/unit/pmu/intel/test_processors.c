// SPDX-License-Identifier: BSD-2-Clause
// The driver on each processor that the model can be: the probe finds its shape, the self test
// passes, and sessions count and sample exactly. Expected shapes are those that the SDM (volume 3B,
// "Architectural Performance Monitoring") gives for the enumeration of each row.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "begin.h"
#include "selftest.h"

#define LENGTH(array) (sizeof array / sizeof *array)

static const struct processor {
	const char *name;
	unsigned version;
	uint64_t counters, arm_most;
	unsigned width;
	uint32_t features;
} processors[] = {
	{"intel", 5, 0xF000000FF, 1ULL << 47, 48, 0x1F},
	{"intel-small", 1, 0x1, 1ULL << 31, 32, 0xC},
	{"intel-core-duo", 1, 0x3, 1ULL << 31, 40, 0xC},
	{"intel-no-fixed", 2, 0x3, 1ULL << 31, 40, 0xF},
	{"intel-core-2", 2, 0x700000003, 1ULL << 31, 40, 0xF},
	{"intel-haswell", 3, 0x70000000F, 1ULL << 47, 48, 0x1F},
	{"intel-skylake", 4, 0x70000000F, 1ULL << 47, 48, 0x1F},
	{"intel-icelake", 5, 0xF000000FF, 1ULL << 47, 48, 0xF},
	{"intel-guest", 5, 0xB0000000F, 1ULL << 47, 48, 0xF},
	{"intel-arch-lbr", 5, 0xF000000FF, 1ULL << 47, 48, 0xF},
};

// Features: 1 freeze, 2 global, 4 user read, 8 threshold, 10H any thread (pmu_driver.h).
static void each_shape_is_found(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		begin(p->name);
		assert_int_equal(driver()->shape->counters, p->counters);
		assert_int_equal(driver()->shape->fixed, p->counters & ~0xFFFFFFFFULL);
		assert_int_equal(driver()->shape->width, p->width);
		assert_false(driver()->shape->mixed);
		assert_int_equal(driver()->shape->arm_most, p->arm_most);
		assert_int_equal(driver()->shape->arm_least, 2);
		assert_int_equal(driver()->shape->features, p->features);
	}
}

// PAL_PERF_MON_INFO: pairs in bits 7:0 and width in bits 15:8 of the summary.
static void each_summary_is_of_its_shape(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		const unsigned general = (unsigned)__builtin_popcountll(p->counters & 0xFF);
		const unsigned fixed = (unsigned)(p->counters >> 32);
		const struct pmu_monitor_information *i = driver()->information;

		begin(p->name);
		assert_int_equal(i->summary, 0xC03C0000 | p->width << 8 | general);
		assert_int_equal(i->control_mask, ((1u << general) - 1) |
				 (p->version > 1 ? 0x700 : 0));
		assert_int_equal(i->data_mask, ((1u << general) - 1) | fixed << 8 |
				 (p->version > 1 ? 0x1000 : 0));
	}
}

static void each_passes_the_self_test(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		char *text = NULL, *failure;
		const struct selftest_tally tally = run_selftest(p->name, "", &text);

		failure = strstr(text, "not ok");
		if (failure)
			fail_msg("%s: %.*s", p->name, (int)strcspn(failure, "\n"), failure);
		free(text);
		assert_int_equal(tally.failed, 0);
		assert_true(tally.number > 20);
	}
}

// The registers of each version exist, and no others (SDM volume 4, "Architectural MSRs").
static void each_has_the_registers_of_its_version(void **state)
{
	static const struct {
		uint32_t address;
		unsigned version;
	} registers[] = {
		{0x186, 1}, {0xC1, 1}, {0x1D9, 1}, {0x345, 2}, {0x38D, 2}, {0x38E, 2}, {0x38F, 2},
		{0x390, 2}, {0x391, 4}, {0x392, 4},
	};

	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		const unsigned general = (unsigned)__builtin_popcountll(p->counters & 0xFF);
		uint64_t value;

		begin(p->name);
		for (unsigned i = 0; i < LENGTH(registers); i++)
			assert_int_equal(reg_read(registers[i].address, &value),
					 p->version >= registers[i].version);
		for (unsigned n = 0; n < 9; n++) {
			assert_int_equal(reg_read(0x186 + n, &value), n < general);
			assert_int_equal(reg_read(0xC1 + n, &value), n < general);
			assert_int_equal(reg_read(0x4C1 + n, &value),
					 n < general && p->arm_most > 1ULL << 31);
			assert_int_equal(reg_read(0x309 + n, &value), p->counters >> (32 + n) & 1);
		}
	}
}

// Counts n instructions at level 3, and a constant number around them.
static uint64_t count_user(const char *event, uint64_t n, uint64_t *samples)
{
	struct pmu_session session;
	uint64_t count;

	open_and_start(&session, event);
	hal_execute_user(n);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(pmu_read(&session, 0, &count), PMU_OK);
	*samples = session.counter[0].samples;
	assert_int_equal(pmu_close(&session), PMU_OK);
	return count;
}

// With samples, a counter overflows at each period; without them, when its register wraps. A run of
// 2^33 instructions wraps registers of 32 bits, and exceeds each distance for which they can be
// armed.
static void each_counts_and_samples_exactly(void **state)
{
	static const char sampling[] = "INSTRUCTION_RETIRED:u:period=700:ctr=0";
	static const char counting[] = "INSTRUCTION_RETIRED:u:ctr=0";

	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		uint64_t samples, around;

		begin(p->name);
		around = count_user(sampling, 0, &samples);
		assert_int_equal(samples, 0);
		assert_int_equal(count_user(sampling, 7000, &samples), 7000 + around);
		assert_int_equal(samples, 10);
		assert_int_equal(count_user(counting, 1ULL << 33, &samples),
				 (1ULL << 33) + around);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_shape_is_found, driver_end),
		cmocka_unit_test_teardown(each_summary_is_of_its_shape, driver_end),
		cmocka_unit_test_teardown(each_passes_the_self_test, driver_end),
		cmocka_unit_test_teardown(each_has_the_registers_of_its_version, driver_end),
		cmocka_unit_test_teardown(each_counts_and_samples_exactly, driver_end),
	};

	return cmocka_run_group_tests_name("processors", tests, NULL, NULL);
}
