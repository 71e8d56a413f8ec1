// SPDX-License-Identifier: BSD-2-Clause
// Probes: each driver finds its PMU with the shape that it is compiled for, and names the reason
// why it cannot drive another processor.

#include "unit.h"

#include <string.h>

#include "pmu_driver.h"
#include "shim.h"
#include "vpmu.h"

#define LENGTH(array) (sizeof array / sizeof *array)

static int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

// The identification of another processor.
static struct {
	uint32_t leaf;
	uint32_t registers[4];
} other;
static struct pmu_model model;
static const struct pmu_model *sound;

static void other_identify(const struct pmu_model *this, uint32_t leaf, uint32_t subleaf,
			   uint32_t registers[4])
{
	(void)this;
	if (leaf == other.leaf)
		memcpy(registers, other.registers, sizeof other.registers);
	else if (sound->identification)
		sound->identification->identify(sound, leaf, subleaf, registers);
}

static const struct model_identification identification = {.identify = other_identify};

static void start_other(const char *target)
{
	assert_true(shim_start(target, ""));
	sound = shim_vpmu()->model;
	model = *sound;
	model.identification = &identification;
	shim_vpmu()->model = &model;
}

static void assert_rejected(const char *target, const char *why)
{
	const char *const said = pmu_probe(pmu_driver_find(target));

	assert_non_null(said);
	assert_string_equal(said, why);
}

static void each_driver_finds_its_shape(void **state)
{
	(void)state;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++) {
		const struct pmu_shape *const s = (*d)->shape;
		struct pmu_shape found;

		start_other((*d)->name);
		other.leaf = 3;			// Itanium's model has no CPUID; its family is 7
		other.registers[0] = 7 << 24;
		assert_null((*d)->probe(&found));
		assert_null(pmu_probe(*d));
		assert_int_equal(found.counters, s->counters);
		assert_int_equal(found.fixed, s->fixed);
		assert_int_equal(found.arm_least, s->arm_least);
		assert_int_equal(found.arm_most, s->arm_most);
		assert_int_equal(found.features, s->features);
		assert_int_equal(found.width, s->width);
		assert_int_equal(found.mixed, s->mixed);
		assert_memory_equal(found.widths, s->widths, sizeof found.widths);
	}
}

#define NOT_NEHALEM	"CPUID.01H reports another processor than family 6, model 1AH, 1EH, 1FH " \
			"or 2EH"
#define NO_UNCORE	"CPUID.01H reports another processor than family 6, model 1AH, 1EH or 1FH"
#define XEON_7500	"CPUID.01H reports model 2EH, a Xeon 7500: it has another uncore PMU"

// CPUID leaf 1, EAX: extended model 19:16, family 11:8, model 7:4, stepping 3:0. Itanium's CPUID
// register 3: family in 31:24.
static void another_processor_is_rejected(void **state)
{
	static const struct {
		const char *target;
		uint32_t leaf, value;
		const char *why;
	} cases[] = {
		{"nehalem", 1, 0x000206A7, NOT_NEHALEM},
		{"nehalem", 1, 0x00010FA5, NOT_NEHALEM},
		{"nehalem-uncore", 1, 0x000206E6, XEON_7500},
		{"nehalem-uncore", 1, 0x000206A7, NO_UNCORE},
		{"knc", 1, 0x00000B21,
		 "CPUID.01H reports another processor than family BH, model 1"},
		{"knc", 1, 0x000106A5,
		 "CPUID.01H reports another processor than family BH, model 1"},
		{"itanium", 3, 0x1F000704,
		 "CPUID register 3 reports family 1FH, an Itanium 2: it has another PMU"},
		{"itanium", 3, 0x20000704, "CPUID register 3 reports another family than 7"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		start_other(cases[i].target);
		other.leaf = cases[i].leaf;
		other.registers[0] = cases[i].value;
		assert_rejected(cases[i].target, cases[i].why);
	}
}

// SDM volume 3B, "Architectural Performance Monitoring": CPUID leaf 0AH, EAX: version 7:0, general
// counters 15:8, their width 23:16; EDX: fixed counters 4:0, their width 12:5.
static void nehalem_compares_leaf_0AH_with_its_shape(void **state)
{
	static const struct {
		uint32_t eax, edx;
		const char *why;	// NULL: accepted
	} cases[] = {
		{0x07300403, 0x603, NULL},
		{0x07300404, 0x603, NULL},
		{0x00000000, 0x000,
		 "CPUID.0AH reports version 0, so no counters; this driver needs version 3"},
		{0x07300401, 0x603, "CPUID.0AH reports version 1; this driver needs version 3"},
		{0x07300402, 0x603, "CPUID.0AH reports version 2; this driver needs version 3"},
		{0x07300003, 0x603, "CPUID.0AH reports 0 general counters; this driver needs 4"},
		{0x07300103, 0x603, "CPUID.0AH reports 1 general counter; this driver needs 4"},
		{0x07300303, 0x603, "CPUID.0AH reports 3 general counters; this driver needs 4"},
		{0x07300803, 0x603,
		 "CPUID.0AH reports more than 4 general counters; this driver needs 4"},
		{0x07280403, 0x603,
		 "CPUID.0AH reports general counters of 40 bits; this driver needs 48"},
		{0x07200403, 0x603, "CPUID.0AH reports general counters of other than 48 bits"},
		{0x07300403, 0x600, "CPUID.0AH reports 0 fixed counters; this driver needs 3"},
		{0x07300403, 0x602, "CPUID.0AH reports 2 fixed counters; this driver needs 3"},
		{0x07300403, 0x604,
		 "CPUID.0AH reports more than 3 fixed counters; this driver needs 3"},
		{0x07300403, 0x503, "CPUID.0AH reports fixed counters of other than 48 bits"},
	};

	(void)state;
	start_other("nehalem");
	other.leaf = 10;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		other.registers[0] = cases[i].eax;
		other.registers[3] = cases[i].edx;
		if (cases[i].why)
			assert_rejected("nehalem", cases[i].why);
		else
			assert_null(pmu_probe(pmu_driver_find("nehalem")));
	}
}

static bool no_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	(void)state, (void)thread, (void)index, (void)value;
	return false;
}

// QEMU without the plugin reports Knights Corner, but has no counters.
static void a_register_that_faults_is_named(void **state)
{
	(void)state;
	start_other("knc");
	model.user = &(const struct model_user){.read_counter = no_counter};
	assert_rejected("knc", "RDPMC of counter 0 faults");
	assert_rejected("sparct4", "a read of PCR0 faults");
	assert_rejected("sparct4-dram", "a read of PCR0 faults");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_driver_finds_its_shape, end),
		cmocka_unit_test_teardown(another_processor_is_rejected, end),
		cmocka_unit_test_teardown(nehalem_compares_leaf_0AH_with_its_shape, end),
		cmocka_unit_test_teardown(a_register_that_faults_is_named, end),
	};

	return cmocka_run_group_tests_name("probes", tests, NULL, NULL);
}
