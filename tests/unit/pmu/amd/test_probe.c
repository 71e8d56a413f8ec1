// SPDX-License-Identifier: BSD-2-Clause
// The probe, with processors that CPUID could report: accepted ones get the shape that the APM
// (volume 3, appendix E) gives them, others are rejected by a sentence that names the value.
// Leaf 0: vendor. Leaf 1, EAX: family in bits 11:8 and 27:20. Leaf 80000001H, ECX bit 23:
// PerfCtrExtCore. Leaf 80000022H: EAX bit 0 PerfMonV2, bit 2 LbrAndPmcFreeze; EBX bits 3:0
// NumPerfCtrCore.

#include "unit.h"

#include <string.h>

#include "pmu/on_shim.h"
#include "vpmu.h"

#define LENGTH(array) (sizeof array / sizeof *array)

static const struct pmu_driver *driver(void)
{
	return pmu_driver_find("amd");
}

static const char *vendor;
static uint32_t signature, most, features, perfmon, counters;

static void identify(const struct pmu_model *this, uint32_t leaf, uint32_t subleaf,
		     uint32_t registers[4])
{
	(void)this, (void)subleaf;
	memset(registers, 0, 4 * sizeof *registers);
	if (leaf == 0) {	// EBX, EDX, ECX
		memcpy(&registers[1], vendor, 4);
		memcpy(&registers[3], vendor + 4, 4);
		memcpy(&registers[2], vendor + 8, 4);
	} else if (leaf == 1) {
		registers[0] = signature;
	} else if (leaf == 0x80000000) {
		registers[0] = most;
	} else if (leaf == 0x80000001) {
		registers[2] = features;
	} else if (leaf == 0x80000022) {
		registers[0] = perfmon;
		registers[1] = counters;
	}
}

static struct pmu_model model;
static const struct model_identification identification = {.identify = identify};

// Family 19h with six counters and PerfMonV2.
static void start(void)
{
	assert_true(shim_start("amd", ""));
	model = *shim_vpmu()->model;
	model.identification = &identification;
	shim_vpmu()->model = &model;
	vendor = "AuthenticAMD";
	signature = 0xA10F10;
	most = 0x80000022;
	features = 1u << 23;
	perfmon = 5;
	counters = 6;
}

static void rejects(const char *why)
{
	const char *said = pmu_probe(driver());

	assert_non_null(said);
	assert_string_equal(said, why);
}

static void another_vendor_is_rejected(void **state)
{
	(void)state;
	start();
	assert_null(pmu_probe(driver()));
	vendor = "HygonGenuine";
	assert_null(pmu_probe(driver()));
	vendor = "GenuineIntel";
	rejects("CPUID.0H reports neither AMD nor Hygon");
}

static void a_family_without_counters_is_rejected(void **state)
{
	(void)state;
	start();
	signature = 0x580;
	rejects("CPUID.1H reports a family before 6, which has no counters");
	signature = 0x680;
	assert_null(pmu_probe(driver()));
}

static void a_contradiction_is_named(void **state)
{
	(void)state;
	start();
	features = 0;
	rejects("CPUID.80000022H reports PerfMonV2, CPUID.80000001H no PerfCtrExtCore");
	start();
	perfmon = 4;
	rejects("CPUID.80000022H reports LbrAndPmcFreeze without PerfMonV2");
	start();
	for (counters = 0; counters < 4; counters++)
		rejects("CPUID.80000022H reports fewer than 4 core counters, for which other "
			"registers exist");
	for (counters = 7; counters < 16; counters++)
		rejects("CPUID.80000022H reports more than 6 core counters; this driver knows the "
			"registers of 6");
	start();
	most = 0x80000000;
	rejects("CPUID.80000000H reports no leaf 80000001H");
}

// EBX bits 31:4 belong to other units.
static void the_number_of_counters_is_found(void **state)
{
	(void)state;
	start();
	for (unsigned n = 4; n <= 6; n++) {
		counters = 0xFFFFFFF0 | n;
		assert_null(pmu_probe(driver()));
		assert_int_equal(driver()->shape->counters, (1u << n) - 1);
		assert_int_equal(driver()->address(0), 0xC0010201);
		assert_int_equal(driver()->control(1), 0xC0010202);
	}
	most = 0x80000021;	// without the leaf
	assert_null(pmu_probe(driver()));
	assert_int_equal(driver()->shape->counters, 0x3F);
	assert_true(driver()->shape->by_value);
	features = ~(1u << 23);
	assert_null(pmu_probe(driver()));
	assert_int_equal(driver()->shape->counters, 0xF);
	assert_int_equal(driver()->address(3), 0xC0010007);
	assert_int_equal(driver()->control(3), 0xC0010003);
}

// A rejected processor leaves the shape and the registers as they were.
static void a_rejection_changes_nothing(void **state)
{
	struct pmu_shape before;

	(void)state;
	start();
	assert_null(pmu_probe(driver()));
	before = *driver()->shape;
	features = 0;
	assert_non_null(pmu_probe(driver()));
	assert_memory_equal(driver()->shape, &before, sizeof before);
	assert_int_equal(driver()->address(0), 0xC0010201);
}

static const char *objection_to(const char *text)
{
	struct event_request r = request_of(driver(), text);

	return driver()->objection(&r);
}

// 1C0H: bits 35:32 and 7:0. K8 has no bits 35:32.
static void codes_are_shorter_before_family_10h(void **state)
{
	(void)state;
	start();
	assert_null(pmu_probe(driver()));
	assert_null(objection_to("r1000000c0"));
	signature = 0x100F00;	// family 10h
	most = 0x80000001;
	features = 0;
	assert_null(pmu_probe(driver()));
	assert_null(objection_to("r1000000c0"));
	signature = 0x0F50;	// family 0Fh
	assert_null(pmu_probe(driver()));
	assert_null(objection_to("r0c0"));
	assert_string_equal(objection_to("r1000000c0"),
			    "event codes have 8 bits before family 10h");
}

// The select of each request, with INT and EN; APM volume 2, "Performance Event-Select Registers".
static void requests_are_encoded(void **state)
{
	static const struct {
		const char *text;
		uint64_t select;
	} cases[] = {
		{"RETIRED_INSTRUCTIONS", 0x5300C0},
		{"RETIRED_INSTRUCTIONS:u", 0x5100C0},
		{"CPU_CLK_UNHALTED:k", 0x520076},
		{"CYCLES_NOT_IN_HALT:c=3", 0x3530076},
		{"CPU_CLK_UNHALTED:c=3:i", 0x3D30076},
		{"CPU_CLK_UNHALTED:u:e", 0x550076},
		{"rf000005aa", 0xF005305AA},
	};

	(void)state;
	start();
	assert_null(pmu_probe(driver()));
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct event_request r = request_of(driver(), cases[i].text);

		assert_int_equal(driver()->encode(&r, 0), cases[i].select);
		assert_int_equal(driver()->choices(&r), 0x3F);
	}
	assert_string_equal(objection_to("CPU_CLK_UNHALTED:i"), "inversion needs a threshold (c)");
	assert_string_equal(objection_to("CPU_CLK_UNHALTED:t"),
			    "counters count their own thread only, not any (t)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(another_vendor_is_rejected, driver_end),
		cmocka_unit_test_teardown(a_family_without_counters_is_rejected, driver_end),
		cmocka_unit_test_teardown(a_contradiction_is_named, driver_end),
		cmocka_unit_test_teardown(the_number_of_counters_is_found, driver_end),
		cmocka_unit_test_teardown(a_rejection_changes_nothing, driver_end),
		cmocka_unit_test_teardown(codes_are_shorter_before_family_10h, driver_end),
		cmocka_unit_test_teardown(requests_are_encoded, driver_end),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
