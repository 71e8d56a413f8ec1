// SPDX-License-Identifier: BSD-2-Clause
// The probe, with processors that CPUID leaf 0AH could report: accepted ones get the shape that the
// SDM (volume 2A, CPUID; volume 3B, "Architectural Performance Monitoring") gives them,
// contradictory ones are rejected by a sentence that names the value. EAX: version 7:0, general
// counters 15:8, their width 23:16, number of architectural events 31:24. EBX: events that are
// absent. ECX: fixed counters of version 5. EDX: number of fixed counters 4:0, their width 12:5,
// AnyThread deprecated 15.

#include "unit.h"

#include <string.h>

#include "pmu/on_shim.h"
#include "vpmu.h"

#define LENGTH(array) (sizeof array / sizeof *array)

static const struct pmu_driver *driver(void)
{
	return pmu_driver_find("intel");
}

// The leaves of the processor, 0 if it reports nothing else.
static struct {
	uint32_t most;			// greatest leaf
	uint32_t perfmon[4];		// 0AH
	uint32_t extended;		// 07H, subleaf 1, EAX
	uint32_t subleaves, general, fixed;	// 23H: subleaf 0, EAX; subleaf 1, EAX and EBX
	uint32_t signature;		// 01H, EAX
	bool arch_lbr;			// 07H, subleaf 0, EDX bit 19
	uint32_t depths, filters;	// 1CH, EAX and EBX
} leaves;

static void identify(const struct pmu_model *this, uint32_t leaf, uint32_t subleaf,
		     uint32_t registers[4])
{
	(void)this;
	memset(registers, 0, 4 * sizeof *registers);
	if (leaf == 0)
		registers[0] = leaves.most;
	else if (leaf == 1) {
		registers[0] = leaves.signature;
		registers[2] = 1u << 15;	// PDCM
	} else if (leaf == 7 && subleaf == 0)
		registers[3] = leaves.arch_lbr ? 1u << 19 : 0;
	else if (leaf == 0x1C) {
		registers[0] = leaves.depths;
		registers[1] = leaves.filters;
	} else if (leaf == 7 && subleaf == 1)
		registers[0] = leaves.extended;
	else if (leaf == 0x0A)
		memcpy(registers, leaves.perfmon, sizeof leaves.perfmon);
	else if (leaf == 0x23 && subleaf == 0)
		registers[0] = leaves.subleaves;
	else if (leaf == 0x23 && subleaf == 1) {
		registers[0] = leaves.general;
		registers[1] = leaves.fixed;
	}
}

static struct pmu_model model;
static const struct model_identification identification = {.identify = identify};

static void start_with(uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	assert_true(shim_start("intel", ""));
	model = *shim_vpmu()->model;
	model.identification = &identification;
	shim_vpmu()->model = &model;
	memset(&leaves, 0, sizeof leaves);
	leaves.most = 0x16;
	memcpy(leaves.perfmon, (uint32_t[]){eax, ebx, ecx, edx}, sizeof leaves.perfmon);
}

static void a_contradiction_is_named(void **state)
{
	static const struct {
		uint32_t eax, ecx, edx;
		const char *why;
	} cases[] = {
		{0x07300400, 0, 0x603, "CPUID.0AH reports version 0, so no counters"},
		{0x07300003, 0, 0x603, "CPUID.0AH reports 0 general counters"},
		{0x07304003, 0, 0x603,
		 "CPUID.0AH reports 64 general counters; the global registers have bits for 32"},
		{0x07300903, 0, 0x603,
		 "CPUID.0AH reports more than 8 general counters; this driver knows the registers "
		 "of 8"},
		{0x07000403, 0, 0x603, "CPUID.0AH reports general counters of 0 bits"},
		{0x071F0403, 0, 0x603,
		 "CPUID.0AH reports general counters of fewer than 32 bits; a write sets 32"},
		{0x07410403, 0, 0x603, "CPUID.0AH reports general counters of more than 64 bits"},
		{0x00300403, 0, 0x603, "CPUID.0AH reports 0 architectural events"},
		{0x07300403, 0, 0x003, "CPUID.0AH reports fixed counters of 0 bits"},
		{0x07300403, 0, 0x3E3, "CPUID.0AH reports fixed counters of fewer than 32 bits"},
		{0x07300403, 0, 0x823, "CPUID.0AH reports fixed counters of more than 64 bits"},
		{0x07300403, 0, 0x611,
		 "CPUID.0AH reports more than 16 fixed counters; the global registers have bits "
		 "for 16"},
		{0x08300405, 0x10000, 0x603,
		 "CPUID.0AH reports more than 16 fixed counters; the global registers have bits "
		 "for 16"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const char *why;

		start_with(cases[i].eax, 0, cases[i].ecx, cases[i].edx);
		why = pmu_probe(driver());
		assert_non_null(why);
		assert_string_equal(why, cases[i].why);
	}
}

static void no_leaf_is_named(void **state)
{
	(void)state;
	start_with(0x07300403, 0, 0, 0x603);
	leaves.most = 9;
	assert_string_equal(pmu_probe(driver()), "CPUID.0H reports no leaf 0AH");
}

// Leaf 23H counts if leaf 07H, subleaf 1, EAX bit 8 reports it. Subleaf 1 exists if EAX bit 1 of
// subleaf 0 is set.
static void another_leaf_can_deny_counters(void **state)
{
	(void)state;
	start_with(0x08300805, 0, 0xF, 0x604);
	leaves.most = 0x23;
	leaves.extended = 1u << 8;
	leaves.subleaves = 3;
	leaves.general = 0xFF;
	leaves.fixed = 0x7;
	assert_string_equal(pmu_probe(driver()),
			    "CPUID.23H denies fixed counters that CPUID.0AH reports");
	leaves.fixed = 0xF;
	assert_null(pmu_probe(driver()));
	leaves.general = 0x7F;
	assert_string_equal(pmu_probe(driver()),
			    "CPUID.23H denies general counters that CPUID.0AH reports");
	leaves.subleaves = 1;
	assert_null(pmu_probe(driver()));
	leaves.subleaves = 3;
	leaves.extended = 0;
	assert_null(pmu_probe(driver()));
}

// A rejected processor leaves the shape as it was.
static void a_rejection_changes_nothing(void **state)
{
	struct pmu_shape before;

	(void)state;
	start_with(0x08300805, 0, 0xF, 0x604);
	assert_null(pmu_probe(driver()));
	before = *driver()->shape;
	leaves.perfmon[0] = 0x07400400;
	assert_non_null(pmu_probe(driver()));
	assert_memory_equal(driver()->shape, &before, sizeof before);
}

// Fixed counter n of version 5 exists if ECX bit n is set or n is below EDX 4:0. Counters that this
// driver does not know (4 and above) remain unused.
static void fixed_counters_are_counted_or_bits(void **state)
{
	static const struct {
		uint32_t eax, ecx, edx;
		uint64_t fixed;
	} cases[] = {
		{0x07300401, 0x7, 0x603, 0},			// version 1 has none
		{0x07300402, 0x8, 0x603, 0x700000000},		// ECX is reserved
		{0x07300404, 0, 0x600, 0},
		{0x08300405, 0x8, 0x602, 0xB00000000},
		{0x08300405, 0x7F, 0x604, 0xF00000000},
		{0x08300406, 0xF, 0x604, 0xF00000000},		// version 6 includes version 5
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		start_with(cases[i].eax, 0, cases[i].ecx, cases[i].edx);
		assert_null(pmu_probe(driver()));
		assert_int_equal(driver()->shape->fixed, cases[i].fixed);
		assert_int_equal(driver()->shape->counters, cases[i].fixed | 0xF);
	}
}

// Widths of general and fixed counters can differ, up to 64 bits. The model's processor writes all
// bits of its counters.
static void widths_can_differ(void **state)
{
	static const struct {
		uint32_t eax, edx;
		unsigned width, general, fixed;
		uint64_t arm_most;
	} cases[] = {
		{0x07300404, 0x503, 48, 48, 40, 1ULL << 39},
		{0x07280404, 0x603, 48, 40, 48, 1ULL << 39},
		{0x07400404, 0x603, 64, 64, 48, 1ULL << 47},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		start_with(cases[i].eax, 0, 0, cases[i].edx);
		assert_null(pmu_probe(driver()));
		assert_true(driver()->shape->mixed);
		assert_int_equal(driver()->shape->width, cases[i].width);
		assert_int_equal(driver()->shape->widths[3], cases[i].general);
		assert_int_equal(driver()->shape->widths[34], cases[i].fixed);
		assert_int_equal(driver()->shape->arm_most, cases[i].arm_most);
	}
	start_with(0x07400404, 0, 0, 0x803);
	assert_null(pmu_probe(driver()));
	assert_false(driver()->shape->mixed);
	assert_int_equal(driver()->shape->width, 64);
	assert_int_equal(driver()->shape->arm_most, 1ULL << 62);
}

static uint64_t choices_of(const char *text)
{
	struct event_request r = request_of(driver(), text);

	return driver()->choices(&r);
}

// EBX bit 5: branches. An event beyond the length in EAX 31:24 is absent, too (bit 7: slots).
static void absent_events_are_refused(void **state)
{
	struct event_request r;

	(void)state;
	start_with(0x08300405, 0, 0xF, 0x604);
	assert_null(pmu_probe(driver()));
	assert_int_equal(choices_of("BRANCH_INSTRUCTIONS_RETIRED"), 0xF);
	assert_int_equal(choices_of("TOPDOWN_SLOTS"), 0x80000000F);
	leaves.perfmon[1] = 1u << 5;
	leaves.perfmon[0] = 0x07300405;
	assert_null(pmu_probe(driver()));
	assert_int_equal(choices_of("BRANCH_INSTRUCTIONS_RETIRED"), 0);
	assert_int_equal(choices_of("TOPDOWN_SLOTS"), 0);
	assert_int_equal(choices_of("MISPREDICTED_BRANCH_RETIRED"), 0xF);
	r = request_of(driver(), "TOPDOWN_SLOTS");
	assert_string_equal(driver()->objection(&r),
			    "CPUID.0AH:EBX reports that the processor lacks this event");
}

// AnyThread: version 3 and later, unless EDX bit 15 deprecates it.
static void any_thread_can_be_deprecated(void **state)
{
	(void)state;
	start_with(0x07300402, 0, 0, 0x603);
	assert_null(pmu_probe(driver()));
	assert_int_equal(choices_of("INSTRUCTION_RETIRED:t"), 0);
	leaves.perfmon[0] = 0x07300403;
	assert_null(pmu_probe(driver()));
	assert_int_equal(choices_of("INSTRUCTION_RETIRED:t"), 0x10000000F);
	leaves.perfmon[3] |= 1u << 15;
	assert_null(pmu_probe(driver()));
	assert_int_equal(choices_of("INSTRUCTION_RETIRED:t"), 0);
}

extern unsigned intel_branch_records(void);

// Family and model give the number of records (SDM 3B, "LBR Stack Size and TOS Pointer Range"): 32
// from Skylake on, 16 before; Core 2 (06_0FH) and Silvermont (06_37H) have theirs at 40H.
static void branch_records_depend_on_the_model(void **state)
{
	static const struct {
		uint32_t signature;
		unsigned records;
	} cases[] = {
		{0, 0}, {0x306C3, 16}, {0x206A7, 16}, {0x506E3, 32}, {0x706E5, 32}, {0x006F6, 0},
		{0x30678, 0}, {0x00F43, 0}, {0xFFFFFFFF, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		start_with(0x08300405, 0, 0xF, 0x604);
		leaves.signature = cases[i].signature;
		assert_null(pmu_probe(driver()));
		assert_int_equal(intel_branch_records(), cases[i].records);
	}
}

// Leaf 1CH, EAX: bit n is a depth of 8 * (n + 1), of which the driver has room for 32. Version 3
// has no status that shows their freeze.
static void depth_of_architectural_records_is_reported(void **state)
{
	static const struct {
		uint32_t version, most, depths;
		unsigned records;
	} cases[] = {
		{5, 0x1C, 0x0B, 32}, {5, 0x1C, 0x02, 16}, {5, 0x1C, 0x01, 8}, {5, 0x1C, 0x8A, 32},
		{5, 0x1C, 0x80, 0}, {5, 0x1C, 0, 0}, {5, 0x1B, 0x0B, 0}, {3, 0x1C, 0x0B, 0},
		{5, 0x1C, 0xFFFFFFFF, 32},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		start_with(0x08300400 | cases[i].version, 0, 0xF, 0x604);
		leaves.most = cases[i].most;
		leaves.arch_lbr = true;
		leaves.depths = cases[i].depths;
		assert_null(pmu_probe(driver()));
		assert_int_equal(intel_branch_records(), cases[i].records);
	}
}

// Leaf 1CH, EBX: bit 0 filters by level, bit 1 by kind.
static void conditions_need_filters(void **state)
{
	(void)state;
	for (uint32_t filters = 0; filters < 4; filters++) {
		start_with(0x08300405, 0, 0xF, 0x604);
		leaves.most = 0x1C;
		leaves.arch_lbr = true;
		leaves.depths = 8;
		leaves.filters = filters;
		assert_null(pmu_probe(driver()));
		assert_int_equal(choices_of("INSTRUCTION_RETIRED:lbr=4:period=9"),
				 filters == 3 ? 0x10000000F : 0);
		assert_int_equal(choices_of("INSTRUCTION_RETIRED:lbr:period=9"), 0x10000000F);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_contradiction_is_named, driver_end),
		cmocka_unit_test_teardown(no_leaf_is_named, driver_end),
		cmocka_unit_test_teardown(another_leaf_can_deny_counters, driver_end),
		cmocka_unit_test_teardown(a_rejection_changes_nothing, driver_end),
		cmocka_unit_test_teardown(fixed_counters_are_counted_or_bits, driver_end),
		cmocka_unit_test_teardown(widths_can_differ, driver_end),
		cmocka_unit_test_teardown(absent_events_are_refused, driver_end),
		cmocka_unit_test_teardown(any_thread_can_be_deprecated, driver_end),
		cmocka_unit_test_teardown(branch_records_depend_on_the_model, driver_end),
		cmocka_unit_test_teardown(depth_of_architectural_records_is_reported, driver_end),
		cmocka_unit_test_teardown(conditions_need_filters, driver_end),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
