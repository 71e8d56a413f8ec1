// SPDX-License-Identifier: BSD-2-Clause
// What libvpmu reports about a vPMU: registers, counters, CPUID leaves, the delivery of an overflow
// by the local APIC, and the effect of the events that a hypervisor declares as reported. Sources:
// SDM volumes 2A (CPUID), 3A ("Local Vector Table"), 3B and 4 (registers); for other targets the
// manuals that test_libvpmu.c names.

#include "libvpmu_registers.h"

#define CMASK_1	(1ULL << 24)
#define INV	(1ULL << 23)

//
// Registers
//

// Each access succeeds or fails as the enumeration states. Addresses that it lacks are not the
// PMU's.
static void check_registers(const char *target, const struct vpmu_features *features)
{
	struct vpmu_register r;
	unsigned count = 0;

	make(target, features);
	for (; vpmu_core_register(core, count, &r); count++) {
		uint64_t value;
		const bool reads = vpmu_core_read(core, 0, r.address, &value) == VPMU_DONE;
		const bool writes = vpmu_core_write(core, 0, r.address, value, 0) == VPMU_DONE;

		assert_int_equal(r.access & VPMU_INTERCEPT_READ, reads ? VPMU_INTERCEPT_READ : 0);
		assert_int_equal(r.access & VPMU_INTERCEPT_WRITE, writes ? VPMU_INTERCEPT_WRITE :
				 0);
		assert_int_equal(r.intercept & (VPMU_INTERCEPT_READ | VPMU_INTERCEPT_WRITE),
				 VPMU_INTERCEPT_READ | VPMU_INTERCEPT_WRITE);
		vpmu_core_set_level(core, 0, 3);
		assert_true(vpmu_core_read(core, 0, r.address, &value) != VPMU_DONE ||
			    r.intercept & VPMU_INTERCEPT_ANY_LEVEL);
		vpmu_core_set_level(core, 0, 0);
	}
	assert_true(count > 5);
	for (uint32_t address = 0; address < 0x10000; address++) {
		uint64_t value;
		bool listed = false;

		for (unsigned i = 0; i < count && !listed; i++)
			listed = vpmu_core_register(core, i, &r) && r.address == address;
		assert_int_equal(vpmu_core_read(core, 0, address, &value) != VPMU_NOT_MINE, listed);
	}
	end(NULL);
}

static void registers_are_those_that_accesses_reach(void **state)
{
	static const struct vpmu_features few = {.general = 1, .fixed = 1};

	(void)state;
	check_registers("nehalem", NULL);
	check_registers("nehalem", &few);
	check_registers("nehalem-uncore", NULL);
	check_registers("knc", NULL);
}

// SDM volume 4, Table 2-15: names and numbers.
static void registers_have_the_manuals_names(void **state)
{
	static const struct {
		uint32_t address;
		const char *name;
		int number;
		uint8_t access;
	} known[] = {
		{PMC0 + 2, "IA32_PMC", 2, 3}, {PERFEVTSEL0 + 3, "IA32_PERFEVTSEL", 3, 3},
		{GLOBAL_STATUS, "IA32_PERF_GLOBAL_STATUS", -1, VPMU_INTERCEPT_READ},
		{GLOBAL_CTRL, "IA32_PERF_GLOBAL_CTRL", -1, 3},
	};
	struct vpmu_register r;

	(void)state;
	make("nehalem", NULL);
	for (unsigned k = 0; k < LENGTH(known); k++) {
		unsigned i = 0;

		while (vpmu_core_register(core, i, &r) && r.address != known[k].address)
			i++;
		assert_string_equal(r.name, known[k].name);
		assert_int_equal(r.number, known[k].number);
		assert_int_equal(r.access, known[k].access);
	}
	assert_false(vpmu_core_register(core, 10000, &r));
}

//
// Counters
//

static void a_counter_is_seen_as_it_is_and_stays_so(void **state)
{
	static const struct vpmu_features two = {.general = 2, .fixed = 1};
	struct vpmu_counter c;

	(void)state;
	make("nehalem", &two);
	put(0, PERFEVTSEL0 + 1, BRANCHES | 0x0400 | OS | EN);
	put(0, PMC0 + 1, 77);
	put(0, FIXED_CTR_CTRL, 3);
	put(0, GLOBAL_CTRL, 1);
	assert_int_equal(vpmu_core_counter(core, 0, 1, &c), VPMU_OK);
	assert_true(c.address == PMC0 + 1 && c.select == PERFEVTSEL0 + 1 && c.exposed &&
		    c.selects && !c.counts);
	assert_true(c.event.code == BRANCHES && c.event.umask == 4 && c.value == 77);
	put(0, GLOBAL_CTRL, 1ULL << 32 | 2);
	vpmu_core_counter(core, 0, 1, &c);
	assert_true(c.counts);
	assert_int_equal(vpmu_core_counter(core, 1, 1, &c), VPMU_OK);
	assert_true(!c.counts && !c.value);
	assert_int_equal(vpmu_core_counter(core, 0, 3, &c), VPMU_OK);
	assert_false(c.exposed);
	assert_int_equal(vpmu_core_counter(core, 0, 4, &c), VPMU_OK);
	assert_true(c.address == FIXED_CTR0 && c.select == FIXED_CTR_CTRL && c.selects && c.counts);
	assert_int_equal(c.event.code, INSTRUCTIONS);
	assert_int_equal(vpmu_core_counter(core, 0, 5, &c), VPMU_OK);
	assert_false(c.selects);
	assert_int_equal(vpmu_core_counter(core, 0, 7, &c), VPMU_ERROR_ARGUMENT);
	assert_int_equal(vpmu_core_counter(core, 2, 0, &c), VPMU_ERROR_ARGUMENT);
	vpmu_core_advance(core, 0, 10, 10);
	vpmu_core_counter(core, 0, 4, &c);
	assert_int_equal(c.value, 10);
	assert_int_equal(get(0, FIXED_CTR0), 10);
}

static void counters_of_other_targets(void **state)
{
	struct vpmu_counter c;

	(void)state;
	make("knc", NULL);
	put(3, KNC_SELECT0 + 1, KNC_INSTRUCTIONS | OS | EN);
	put(3, KNC_CTRL, 2);
	assert_int_equal(vpmu_core_counter(core, 3, 1, &c), VPMU_OK);
	assert_true(c.counts && c.event.code == KNC_INSTRUCTIONS && c.address == KNC_COUNT0 + 1);
	end(NULL);
	make("sparct4", NULL);
	assert_int_equal(vpmu_core_counter(core, 0, 0, &c), VPMU_OK);
	assert_true(c.address == PIC0 && c.select == PCR0);
}

// SPARC T4 Supplement, Tables 10-4 to 10-6: each controller has one register of selects and two of
// counts. Each of these holds two counts of 31 bits with their sticky bits. Counters 0 and 3 are in
// the upper half.
static void counts_that_share_a_register_are_seen_apart(void **state)
{
	static const unsigned upper[] = {true, false, false, true};
	struct vpmu_counter c;

	(void)state;
	make("sparct4-dram", NULL);
	for (unsigned controller = 0; controller < 4; controller++) {
		put(0, 0x80041000 + controller, (0x80000001ULL << 32 | 2) + 16 * controller);
		put(0, 0x80041800 + controller, (4ULL << 32 | 0x80000003) + 16 * controller);
	}
	for (unsigned i = 0; i < 16; i++) {
		const unsigned n = i % 4, controller = i / 4;

		assert_int_equal(vpmu_core_counter(core, 0, i, &c), VPMU_OK);
		assert_int_equal(c.address, (n < 2 ? 0x80041000 : 0x80041800) + controller);
		assert_int_equal(c.select, 0x80040800 + controller);
		assert_int_equal(c.value, n + 1 + (upper[n] ? 0 : 16 * controller));
	}
}

//
// x86
//

static void cpuid_is_filtered_in_parts(void **state)
{
	const uint32_t machine[4] = {0x16, 0x11111111, 0x22222222, 0x33333333};
	uint32_t r[4];

	(void)state;
	make("nehalem", NULL);
	memcpy(r, machine, sizeof r);
	vpmu_core_filter(core, VPMU_FILTER_IDENTITY, 0, 0, r);
	assert_true(r[0] == 0x16 && r[1] == 0x756E6547 && r[3] == 0x49656E69 && r[2] == 0x6C65746E);
	r[0] = 5;
	vpmu_core_filter(core, VPMU_FILTER_IDENTITY, 0, 0, r);
	assert_int_equal(r[0], 5);
	memcpy(r, machine, sizeof r);
	vpmu_core_filter(core, VPMU_FILTER_MONITORING, 1, 0, r);
	assert_true(r[0] == machine[0] && r[1] == machine[1] && r[2] >> 15 & 1);
	vpmu_core_filter(core, VPMU_FILTER_IDENTITY, 1, 0, r);
	assert_int_equal(r[0] & 0xFFF0FF0, 0x106A0);
	memcpy(r, machine, sizeof r);
	vpmu_core_filter(core, VPMU_FILTER_IDENTITY, 0xA, 0, r);
	assert_memory_equal(r, machine, sizeof r);
	vpmu_core_filter(core, VPMU_FILTER_MONITORING, 0xA, 0, r);
	assert_int_equal(r[0], 0x07300403);
	memcpy(r, machine, sizeof r);
	vpmu_core_filter(core, VPMU_FILTER_IDENTITY | VPMU_FILTER_MONITORING, 0xB, 0, r);
	assert_memory_equal(r, machine, sizeof r);
}

// SDM volume 4, Table 2-2: 7 performance monitoring, 11 no branch trace storage, 12 no PEBS.
static void misc_enable_says_what_there_is(void **state)
{
	const struct vpmu_guest guest = {.read = no_read, .write = no_write,
					 .registers = no_registers};

	(void)state;
	make("nehalem", NULL);
	assert_int_equal(vpmu_core_misc_enable(core, 0x1), 0x1 | 1 << 7 | 1 << 11 | 1 << 12);
	vpmu_core_attach(core, &guest);
	assert_int_equal(vpmu_core_misc_enable(core, 0x1001), 0x1 | 1 << 7 | 1 << 11);
	end(NULL);
	make("knc", NULL);
	assert_int_equal(vpmu_core_misc_enable(core, 0x1001), 0x1001);
}

// SDM volume 3A, "Local Vector Table": delivery mode in 10:8, mask in 16.
static void an_overflow_is_delivered_by_lvtpc(void **state)
{
	static const struct {
		uint32_t entry;
		enum vpmu_delivery delivery;
		uint8_t vector;
	} cases[] = {
		{0x000FE, VPMU_DELIVER_VECTOR, 0xFE}, {0x00010, VPMU_DELIVER_VECTOR, 0x10},
		{0x0000F, VPMU_DELIVER_NOTHING, 0xF}, {0x00400, VPMU_DELIVER_NMI, 0},
		{0x00200, VPMU_DELIVER_SMI, 0},
		{0x100FE, VPMU_DELIVER_NOTHING, 0}, {0x10400, VPMU_DELIVER_NOTHING, 0},
		{0x00500, VPMU_DELIVER_NOTHING, 0}, {0x00700, VPMU_DELIVER_NOTHING, 0},
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		uint32_t lvtpc = cases[i].entry;
		uint8_t vector;

		assert_int_equal(vpmu_deliver(&lvtpc, &vector), cases[i].delivery);
		if (cases[i].delivery == VPMU_DELIVER_VECTOR)
			assert_int_equal(vector, cases[i].vector);
		assert_int_equal(lvtpc, cases[i].entry | 1 << 16);
	}
}

//
// Events that the hypervisor reports
//

static uint32_t absent_events(void)
{
	uint32_t r[4] = {0};

	vpmu_core_identify(core, 0xA, 0, r);
	return r[1];
}

// SDM volume 2A, leaf 0AH EBX: 0 cycles, 1 instructions, 2 reference cycles, 3 and 4 last-level
// cache, 5 branches, 6 mispredicted ones.
static void what_is_not_reported_is_flagged_as_absent(void **state)
{
	static const struct vpmu_event branches[] = {{BRANCHES, 0}};
	static const struct {
		struct vpmu_features features;
		uint32_t absent;
	} cases[] = {
		{{.reports = VPMU_REPORTS_CLOCK}, 0x78},
		{{.reports = VPMU_REPORTS_CLOCK | VPMU_REPORTS_BRANCHES}, 0x58},
		{{.reports = VPMU_REPORTS_EVENTS}, 0}, {{.reports = 0}, 0x78},
		{{.reports = VPMU_REPORTS_CLOCK, .events = branches, .event_count = 1}, 0x7F},
		{{.reports = VPMU_REPORTS_BRANCHES, .events = branches, .event_count = 1}, 0x5F},
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		make("nehalem", &cases[i].features);
		assert_int_equal(absent_events(), cases[i].absent);
		end(NULL);
	}
}

static uint64_t cycles_without_branches(unsigned reports)
{
	const struct vpmu_features features = {.general = 4, .reports = reports};
	uint8_t image[8192];
	uint64_t count;

	make("nehalem", &features);
	put(0, PERFEVTSEL0, BRANCHES | OS | EN | CMASK_1 | INV);
	put(0, GLOBAL_CTRL, 1);
	vpmu_core_advance(core, 0, 100, 100);
	assert_int_equal(get(0, PERFEVTSEL0), BRANCHES | OS | EN | CMASK_1 | INV);
	count = get(0, PMC0);
	assert_int_equal(vpmu_core_load(core, image, vpmu_core_save(core, image, sizeof image)),
			 VPMU_OK);
	vpmu_core_advance(core, 0, 100, 100);
	assert_int_equal(get(0, PMC0), 2 * count);
	end(NULL);
	return count;
}

static void cycles_without_what_is_not_reported_are_not_counted(void **state)
{
	(void)state;
	assert_int_equal(cycles_without_branches(0), 100);
	assert_int_equal(cycles_without_branches(VPMU_REPORTS_CLOCK), 0);
	assert_int_equal(cycles_without_branches(VPMU_REPORTS_CLOCK | VPMU_REPORTS_BRANCHES), 100);
	assert_int_equal(cycles_without_branches(VPMU_REPORTS_EVENTS), 100);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(registers_are_those_that_accesses_reach),
		TEST(registers_have_the_manuals_names),
		TEST(a_counter_is_seen_as_it_is_and_stays_so), TEST(counters_of_other_targets),
		TEST(counts_that_share_a_register_are_seen_apart),
		TEST(cpuid_is_filtered_in_parts), TEST(misc_enable_says_what_there_is),
		TEST(an_overflow_is_delivered_by_lvtpc),
		TEST(what_is_not_reported_is_flagged_as_absent),
		TEST(cycles_without_what_is_not_reported_are_not_counted),
	};

	return cmocka_run_group_tests_name("libvpmu, described", tests, NULL, NULL);
}
