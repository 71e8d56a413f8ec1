// SPDX-License-Identifier: BSD-2-Clause
// The driver on each processor that the model can be: the probe finds its shape, the self test
// passes, and sessions count and sample exactly. Expected shapes are those that the SDM (volume 3B,
// "Architectural Performance Monitoring") gives for the enumeration of each row.

#include "unit.h"

#include "pmu/processors.h"

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
	{"intel-guest", 5, 0xB0000000F, 1ULL << 47, 48, 0xF},
};

static const struct pmu_driver *driver(void)
{
	return pmu_driver_find("intel");
}

static void begin(const char *name)
{
	begin_on(driver(), name);
}

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
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++)
		self_test_passes_on(driver(), p->name);
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

// 2^33 events exceed each distance for which the counters can be armed.
static void each_counts_and_samples_exactly(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		begin(p->name);
		counts_and_samples_exactly("INSTRUCTION_RETIRED:u:ctr=0");
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
