// SPDX-License-Identifier: BSD-2-Clause
// The driver on each processor that the model can be: the probe finds its shape, the self test
// passes, and sessions count and sample exactly. Expected shapes are those of the BKDGs of families
// 0Fh, 10h and 15h, and of the PPRs of families 17h and 19h.

#include "unit.h"

#include "pmu/processors.h"

#define LENGTH(array) (sizeof array / sizeof *array)

static const struct processor {
	const char *name;
	unsigned family;
	bool extended, global;
	uint64_t counters;
	uint32_t features;
} processors[] = {
	{"amd", 0x19, true, true, 0x3F, 0xF},
	{"amd-k8", 0x0F, false, false, 0xF, 0xC},
	{"amd-family10h", 0x10, false, false, 0xF, 0xC},
	{"amd-family15h", 0x15, true, false, 0x3F, 0xC},
	{"amd-family17h", 0x17, true, false, 0x3F, 0xC},
	{"amd-guest", 0x19, true, true, 0xF, 0xE},
};

static const struct pmu_driver *driver(void)
{
	return pmu_driver_find("amd");
}

// Features: 1 freeze, 2 global, 4 user read, 8 threshold (pmu_driver.h).
static void each_shape_is_found(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		begin_on(driver(), p->name);
		assert_int_equal(driver()->shape->counters, p->counters);
		assert_int_equal(driver()->shape->fixed, 0);
		assert_int_equal(driver()->shape->width, 48);
		assert_false(driver()->shape->mixed);
		assert_int_equal(driver()->shape->arm_most, 1ULL << 47);
		assert_int_equal(driver()->shape->arm_least, 2);
		assert_int_equal(driver()->shape->by_value, !p->global);
		assert_int_equal(driver()->shape->features, p->features);
	}
}

// PAL_PERF_MON_INFO: pairs in bits 7:0, width in bits 15:8, cycles 23:16, instructions 31:24.
static void each_summary_is_of_its_shape(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		const struct pmu_monitor_information *i = driver()->information;

		begin_on(driver(), p->name);
		assert_int_equal(i->summary, 0xC0763000 | __builtin_popcountll(p->counters));
		assert_int_equal(i->control_mask, p->counters | (p->global ? 0xC0 : 0));
		assert_int_equal(i->data_mask, p->counters | (p->global ? 0x40 : 0));
	}
}

static void each_passes_the_self_test(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++)
		self_test_passes_on(driver(), p->name);
}

// The registers of each family exist, and no others.
static void each_has_the_registers_of_its_family(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		uint64_t value;

		begin_on(driver(), p->name);
		for (unsigned n = 0; n < 8; n++) {
			assert_true(reg_read(0xC0010000 + n, &value));
			assert_int_equal(reg_read(0xC0010200 + 2 * n, &value),
					 p->extended && p->counters >> n & 1);
			assert_int_equal(reg_read(0xC0010201 + 2 * n, &value),
					 p->extended && p->counters >> n & 1);
		}
		for (unsigned n = 0; n < 4; n++)
			assert_int_equal(reg_read(0xC0000300 + n, &value), p->global);
		assert_false(reg_read(0xC0010008, &value));
		assert_false(reg_read(0xC00002FF, &value));
		assert_false(reg_read(0xC0000304, &value));
	}
}

// The two addresses of the first four counters.
static void the_first_four_counters_have_two_addresses(void **state)
{
	(void)state;
	begin_on(driver(), "amd-family15h");
	for (unsigned n = 0; n < 4; n++) {
		put(0xC0010000 + n, 0x200 + n);
		assert_int_equal(get(0xC0010200 + 2 * n), 0x200 + n);
		put(0xC0010201 + 2 * n, 0x300 + n);
		assert_int_equal(get(0xC0010004 + n), 0x300 + n);
	}
}

// Event codes have 8 bits before family 10h (BKDG of family 0Fh, PerfEvtSel).
static void high_bits_of_the_code_exist_from_family_10h_on(void **state)
{
	static const uint64_t high = 0xF00000000 | 0x30000000000;

	(void)state;
	begin_on(driver(), "amd-k8");
	put(0xC0010000, high);
	assert_int_equal(get(0xC0010000), 0);
	begin_on(driver(), "amd-family10h");
	put(0xC0010000, high);
	assert_int_equal(get(0xC0010000), high);
}

// LbrAndPmcFreeze: without it the freeze bits are reserved.
static void the_freeze_needs_its_feature(void **state)
{
	(void)state;
	begin_on(driver(), "amd");
	put(0x1D9, 0x1800);
	begin_on(driver(), "amd-guest");
	assert_false(reg_write(0x1D9, 0x1000));
	assert_false(reg_write(0x1D9, 0x800));
	put(0xC0000303, 3ULL << 58);
	assert_int_equal(get(0xC0000300), 0);
}

static void each_counts_and_samples_exactly(void **state)
{
	(void)state;
	for (const struct processor *p = processors; p < processors + LENGTH(processors); p++) {
		begin_on(driver(), p->name);
		counts_and_samples_exactly("RETIRED_INSTRUCTIONS:u:ctr=0");
	}
}

// Family 15h: the counters of some events, typed from Linux, arch/x86/events/amd/core.c,
// amd_get_event_constraints_f15h, which names the BKDG's. The model and the driver follow them.
static void an_event_of_family_15h_counts_on_its_counters_only(void **state)
{
	static const struct {
		unsigned code, counters;
	} events[] = {
		{0x000, 0x38}, {0x003, 0x08}, {0x01F, 0x38}, {0x020, 0x3F}, {0x023, 0x07},
		{0x02D, 0x08}, {0x02E, 0x09}, {0x041, 0x3F}, {0x043, 0x07}, {0x054, 0x07},
		{0x076, 0x07}, {0x08F, 0x01}, {0x09F, 0x07}, {0x0C0, 0x3F}, {0x0C2, 0x3F},
		{0x0D0, 0x07}, {0x0DB, 0x3F}, {0x0DF, 0x3F}, {0x0E0, 0x00}, {0x0F0, 0x00},
		{0x187, 0x01}, {0x1C0, 0x38}, {0x1D8, 0x3F},
	};

	(void)state;
	begin_on(driver(), "amd-family15h");
	for (size_t i = 0; i < LENGTH(events); i++) {
		char text[32];
		const char *rest = text;
		struct event_request r;

		snprintf(text, sizeof text, "r%x000000%02x", events[i].code >> 8,
			 events[i].code & 0xFF);
		if (!events[i].code)
			continue;	// the raw value 0 selects no event
		assert_int_equal(event_parse(driver()->events, &rest, &r), EVENT_OK);
		assert_int_equal(event_code(&r), events[i].code);
		assert_int_equal(driver()->choices(&r), events[i].counters);
	}
	for (unsigned n = 0; n < 6; n++) {	// cycles, 76H
		put(0xC0010201 + 2 * n, 0);
		put(0xC0010200 + 2 * n, 0x430076);
	}
	hal_execute(100);
	for (unsigned n = 0; n < 6; n++) {
		put(0xC0010200 + 2 * n, 0);
		assert_int_equal(get(0xC0010201 + 2 * n) > 0, n < 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_shape_is_found, driver_end),
		cmocka_unit_test_teardown(each_summary_is_of_its_shape, driver_end),
		cmocka_unit_test_teardown(each_passes_the_self_test, driver_end),
		cmocka_unit_test_teardown(each_has_the_registers_of_its_family, driver_end),
		cmocka_unit_test_teardown(the_first_four_counters_have_two_addresses, driver_end),
		cmocka_unit_test_teardown(high_bits_of_the_code_exist_from_family_10h_on,
					  driver_end),
		cmocka_unit_test_teardown(the_freeze_needs_its_feature, driver_end),
		cmocka_unit_test_teardown(each_counts_and_samples_exactly, driver_end),
		cmocka_unit_test_teardown(an_event_of_family_15h_counts_on_its_counters_only,
					  driver_end),
	};

	return cmocka_run_group_tests_name("processors", tests, NULL, NULL);
}
