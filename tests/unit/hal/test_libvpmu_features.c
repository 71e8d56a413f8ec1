// SPDX-License-Identifier: BSD-2-Clause
// The features that a hypervisor exposes with libvpmu, and the guest's view of all others.
// Registers: SDM volume 3B, "Architectural Performance Monitoring Version 3"; CPUID leaf 0AH: SDM
// volume 2A.

#include "libvpmu.h"

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, FIXED_CTR0 = 0x309, FIXED_CTR_CTRL = 0x38D,
	GLOBAL_STATUS = 0x38E, GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390, PEBS_ENABLE = 0x3F1,
};

#define OS		(1ULL << 17)
#define USR		(1ULL << 16)
#define ANY		(1ULL << 21)
#define EN		(1ULL << 22)
#define INSTRUCTIONS	0xC0ULL
#define CYCLES		0x3CULL

static void refuse(uint32_t address, uint64_t value)
{
	assert_int_equal(vpmu_core_write(core, 0, address, value, 0), VPMU_FAULT);
}

//
// Counters
//

static const struct vpmu_features two_and_one = {.general = 2, .fixed = 1, .any_thread = true};

static void counters_that_are_not_exposed_are_not_there(void **state)
{
	uint64_t value;

	(void)state;
	make("nehalem", &two_and_one);
	for (unsigned i = 0; i < 4; i++) {
		const enum vpmu_result expected = i < 2 ? VPMU_DONE : VPMU_FAULT;

		assert_int_equal(vpmu_core_read(core, 0, PMC0 + i, &value), expected);
		assert_int_equal(vpmu_core_write(core, 0, PMC0 + i, 0, 0), expected);
		assert_int_equal(vpmu_core_read(core, 0, PERFEVTSEL0 + i, &value), expected);
		assert_int_equal(vpmu_core_write(core, 0, PERFEVTSEL0 + i, 0, 0), expected);
		assert_int_equal(vpmu_core_read_counter(core, 0, i, &value), expected);
	}
	for (unsigned i = 0; i < 3; i++) {
		const enum vpmu_result expected = i < 1 ? VPMU_DONE : VPMU_FAULT;

		assert_int_equal(vpmu_core_read(core, 0, FIXED_CTR0 + i, &value), expected);
		assert_int_equal(vpmu_core_write(core, 0, FIXED_CTR0 + i, 0, 0), expected);
		assert_int_equal(vpmu_core_read_counter(core, 0, 0x40000000 + i, &value), expected);
	}
}

// The bits of counters that are not exposed are reserved.
static void their_bits_in_other_registers_read_0_and_fault_when_they_are_set(void **state)
{
	(void)state;
	make("nehalem", &two_and_one);
	assert_int_equal(get(0, GLOBAL_CTRL), 0x3);		// 0FH with four
	put(0, GLOBAL_CTRL, 0x100000003);
	refuse(GLOBAL_CTRL, 0x4);
	refuse(GLOBAL_CTRL, 0x200000000);
	put(0, GLOBAL_OVF_CTRL, 0x100000003);
	refuse(GLOBAL_OVF_CTRL, 0x8);
	refuse(GLOBAL_OVF_CTRL, 0x400000000);
	put(0, FIXED_CTR_CTRL, 0xF);
	refuse(FIXED_CTR_CTRL, 0x10);
	refuse(FIXED_CTR_CTRL, 0x800);
	put(0, PEBS_ENABLE, 0x300000003);
	refuse(PEBS_ENABLE, 0x4);
	refuse(PEBS_ENABLE, 0x400000000);
	assert_int_equal(get(0, GLOBAL_CTRL), 0x100000003);
	assert_int_equal(get(0, FIXED_CTR_CTRL), 0xF);
}

static void those_that_are_exposed_count(void **state)
{
	(void)state;
	make("nehalem", &two_and_one);
	put(0, PERFEVTSEL0 + 1, INSTRUCTIONS | OS | EN);
	put(0, PMC0 + 1, (uint32_t)-7);
	put(0, FIXED_CTR_CTRL, 3);
	put(0, GLOBAL_CTRL, 0x100000003);
	vpmu_core_advance(core, 0, 10, 10);
	assert_int_equal(get(0, PMC0 + 1), 3);
	assert_int_equal(get(0, FIXED_CTR0), 10);
	assert_int_equal(get(0, GLOBAL_STATUS), 2);
}

static void the_same_of_other_targets(void **state)
{
	static const struct vpmu_features one = {.general = 1};
	uint64_t value;

	(void)state;
	make("knc", &one);
	assert_int_equal(vpmu_core_read(core, 3, 0x21, &value), VPMU_FAULT);
	refuse(0x29, 0);
	refuse(0x2F, 2);
	refuse(0x2C, 2);
	put(0, 0x2F, 1);
	put(0, 0x2C, 1ULL << 63 | 1);
	end(NULL);
	make("sparct4", &one);
	assert_int_equal(vpmu_core_read(core, 0, 0xB001, &value), VPMU_FAULT);
	assert_int_equal(vpmu_core_read(core, 0, 0x6401, &value), VPMU_FAULT);
	assert_int_equal(vpmu_core_write_counter(core, 0, 1, 0, 0), VPMU_FAULT);
	vpmu_core_set_level(core, 0, 3);
	assert_int_equal(vpmu_core_read(core, 0, 0xB001, &value), VPMU_FAULT);
	assert_int_equal(vpmu_core_read(core, 0, 0xB000, &value), VPMU_DONE);
	end(NULL);
	make("nehalem-uncore", &one);
	assert_int_equal(vpmu_core_read(core, 0, 0x394, &value), VPMU_FAULT);
	refuse(0x391, 1ULL << 32);
	refuse(0x391, 2);
	refuse(0x395, 1);
	put(0, 0x391, 1);
}

//
// Identification
//

// EAX: version 3, number of counters, width 48, 7 events; EDX: number of fixed counters, width 48.
// EBX 78H flags the cache and branch events, which a clock cannot count, as absent: the hypervisor
// does not state what it reports (features.reports is 0).
static void cpuid_agrees(void **state)
{
	static const struct vpmu_event events[] = {{0xC0, 0}, {0xC4, 0}};
	const struct vpmu_features branches = {.general = 3, .fixed = 0, .events = events,
					       .event_count = 2};
	uint32_t registers[4] = {0};

	(void)state;
	make("nehalem", NULL);
	vpmu_core_identify(core, 10, 0, registers);
	assert_int_equal(registers[0], 0x07300403);
	assert_int_equal(registers[1], 0x78);
	assert_int_equal(registers[3], 0x603);
	end(NULL);
	make("nehalem", &two_and_one);
	vpmu_core_identify(core, 10, 0, registers);
	assert_int_equal(registers[0], 0x07300203);
	assert_int_equal(registers[3], 0x601);
	end(NULL);
	// Only two of the seven events are allowed: instructions (bit 1) and branches (bit 5).
	make("nehalem", &branches);
	vpmu_core_identify(core, 10, 0, registers);
	assert_int_equal(registers[0], 0x07300303);
	assert_int_equal(registers[1], 0x5D);
	assert_int_equal(registers[3], 0x600);
}

// CPUID.1: DS, EDX bit 21, and DTES64, ECX bit 2.
static void a_debug_store_is_there_if_there_is_memory_for_it(void **state)
{
	static const struct vpmu_guest guest = {NULL, no_read, no_write, no_registers};
	uint32_t registers[4] = {0};

	(void)state;
	make("nehalem", NULL);
	vpmu_core_identify(core, 1, 0, registers);
	assert_int_equal(registers[3] >> 21 & 1, 0);
	assert_int_equal(registers[2] >> 2 & 1, 0);
	vpmu_core_attach(core, &guest);
	vpmu_core_identify(core, 1, 0, registers);
	assert_int_equal(registers[3] >> 21 & 1, 1);
	assert_int_equal(registers[2] >> 2 & 1, 1);
}

//
// Events
//

static const struct vpmu_event only_cycles[] = {{0x3C, 0}};
static const struct vpmu_features cycles = {
	.general = VPMU_ALL_COUNTERS, .fixed = VPMU_ALL_COUNTERS, .events = only_cycles,
	.event_count = 1,
};

static void an_event_that_is_not_allowed_counts_nothing_and_its_select_reads_as_written(
	void **state)
{
	(void)state;
	make("nehalem", &cycles);
	put(0, PERFEVTSEL0, INSTRUCTIONS | OS | USR | EN);
	put(0, PERFEVTSEL0 + 1, CYCLES | OS | USR | EN);
	put(0, PERFEVTSEL0 + 2, CYCLES | 1 << 8 | OS | USR | EN);	// another unit mask
	vpmu_core_advance(core, 0, 10, 10);
	assert_int_equal(get(0, PMC0), 0);
	assert_int_equal(get(0, PMC0 + 1), 10);
	assert_int_equal(get(0, PMC0 + 2), 0);
	assert_int_equal(get(0, PERFEVTSEL0), INSTRUCTIONS | OS | USR | EN);
	assert_int_equal(get(0, PERFEVTSEL0 + 2), CYCLES | 1 << 8 | OS | USR | EN);
	put(0, PERFEVTSEL0, CYCLES | OS | EN);
	vpmu_core_advance(core, 0, 10, 10);
	assert_int_equal(get(0, PMC0), 10);
	put(0, PERFEVTSEL0, INSTRUCTIONS);
	assert_int_equal(get(0, PERFEVTSEL0), INSTRUCTIONS);
	refuse(PERFEVTSEL0, 1 << 19 | INSTRUCTIONS);			// reserved bits still fault
	assert_int_equal(get(0, PERFEVTSEL0), INSTRUCTIONS);
}

// Runs 10 instructions in 10 cycles. Fixed counter 0 counts instructions, 1 cycles, 2 reference
// cycles (SDM volume 3B).
static void fixed_counters_count(uint64_t control, uint64_t instructions, uint64_t clocks,
				 uint64_t reference)
{
	put(0, FIXED_CTR_CTRL, control);
	put(0, GLOBAL_CTRL, 0x700000000);
	vpmu_core_advance(core, 0, 10, 10);
	assert_int_equal(get(0, FIXED_CTR0), instructions);
	assert_int_equal(get(0, FIXED_CTR0 + 1), clocks);
	assert_int_equal(get(0, FIXED_CTR0 + 2), reference);
}

static void a_fixed_counter_of_such_an_event_counts_nothing(void **state)
{
	(void)state;
	make("nehalem", &cycles);
	fixed_counters_count(0xBBB, 0, 10, 0);
	assert_int_equal(get(0, FIXED_CTR_CTRL), 0xBBB);
}

// Knights Corner: cycles are 2AH; Itanium: cycles 12H, PSR.up and plm enable; SPARC T4: cycles are
// sl 26.
static void the_same_of_every_kind_of_select(void **state)
{
	static const struct vpmu_event events[] = {{0x2A, 0}, {0x12, 0}, {26, 0}};
	const struct vpmu_features features = {
		.general = VPMU_ALL_COUNTERS, .events = events, .event_count = LENGTH(events),
	};

	(void)state;
	make("knc", &features);
	put(0, 0x28, 0x16 | OS | USR | EN);
	put(0, 0x29, 0x2A | OS | USR | EN);
	put(0, 0x2F, 3);
	vpmu_core_advance(core, 0, 10, 10);
	assert_int_equal(get(0, 0x20), 0);
	assert_int_equal(get(0, 0x21), 10);
	assert_int_equal(get(0, 0x28), 0x16 | OS | USR | EN);
	end(NULL);
	make("itanium", &features);
	put(0, 0x500, 4);
	put(0, 4, 0x080F);
	put(0, 5, 0x120F);
	put(0, 0x104, 0);
	put(0, 0x105, 0);
	put(0, 0, 0);
	vpmu_core_advance(core, 0, 10, 10);
	assert_int_equal(get(0, 0x104), 0);
	assert_int_equal(get(0, 0x105), 10);
	assert_int_equal(get(0, 4), 0x080F);
	end(NULL);
	make("sparct4", &features);
	put(0, 0x6400, 3 << 11 | 0x3F << 5 | 0x1C);
	put(0, 0x6401, 26 << 11 | 0x1C);
	vpmu_core_advance(core, 0, 10, 10);
	assert_int_equal(get(0, 0xB000), 0);
	assert_int_equal(get(0, 0xB001), 10);
	assert_int_equal(get(0, 0x6400), 3 << 11 | 0x3F << 5 | 0x1C);
}

// AMD: counter 0's select is C001_0200H and C001_0000H, counter 1's C001_0202H. Event 1C0H has the
// bits 32, 7 and 6.
static void a_select_at_a_second_address_is_filtered(void **state)
{
	static const struct vpmu_event events[] = {{0x76, 0}, {0x1C0, 0}};
	const struct vpmu_features features = {
		.general = VPMU_ALL_COUNTERS, .events = events, .event_count = LENGTH(events),
	};
	const struct vpmu_occurrence long_code = {.code = 0x1C0, .n = 1};

	(void)state;
	make("amd", &features);
	put(0, 0xC0010000, 0xC0 | OS | USR | EN);
	put(0, 0xC0010202, 0x76 | OS | USR | EN);
	put(0, 0xC0010204, 1ULL << 32 | 0xC0 | OS | USR | EN);
	vpmu_core_advance(core, 0, 10, 10);
	assert_int_equal(vpmu_core_deliver(core, &long_code, 1, 5), VPMU_OK);
	assert_int_equal(get(0, 0xC0010004), 0);
	assert_int_equal(get(0, 0xC0010201), 0);
	assert_int_equal(get(0, 0xC0010005), 10);
	assert_int_equal(get(0, 0xC0010205), 5);
	assert_int_equal(get(0, 0xC0010000), 0xC0 | OS | USR | EN);
	assert_int_equal(get(0, 0xC0010200), 0xC0 | OS | USR | EN);
}

// Table 10-7: select 1 counts port 0's writes, select 2 its reads and writes. Controller 0's
// selects have 4 bits each.
static void selects_that_share_a_register_are_allowed_one_by_one(void **state)
{
	static const struct vpmu_event events[] = {{1, 0}};
	const struct vpmu_features features = {.general = VPMU_ALL_COUNTERS, .events = events,
					       .event_count = 1};
	const struct vpmu_occurrence writes = {.code = 1, .n = 1};

	(void)state;
	make("sparct4-dram", &features);
	put(0, 0x80040800, 0x2221);
	put(0, 0x80041000, 0);
	put(0, 0x80041800, 0);
	vpmu_core_deliver(core, &writes, 1, 10);
	// counter 0, the only one with select 1
	assert_int_equal(get(0, 0x80041000), 10ULL << 32);
	assert_int_equal(get(0, 0x80041800), 0);
	assert_int_equal(get(0, 0x80040800) & 0xFFFF, 0x2221);
	put(0, 0x80040800, 0x2222);
	vpmu_core_deliver(core, &writes, 1, 10);
	assert_int_equal(get(0, 0x80041000), 10ULL << 32);
}

//
// Patterns
//

#define MOST_EVENTS 6

// Lists, and events with the list's verdict, by hand from the rule in palmon/vpmu.h: an event is
// allowed if an entry matches it and no exclusion does. The second and third lists are those of
// KVM_SET_PMU_EVENT_FILTER's masked events (Linux, Documentation/virt/kvm/api.rst):
// (umask & mask) == match. Events: code << 8 | unit mask.
static const struct listed {
	struct vpmu_event list[4];
	size_t count;
	struct {
		uint16_t event;
		bool allowed;
	} events[MOST_EVENTS];
} lists[] = {
	{{{.code = 0xC0, .umask_ignored = 0xFF}}, 1,
	 {{0xC000, true}, {0xC001, true}, {0xC0FF, true}, {0xC100, false}, {0x4000, false},
	  {0x8001, false}}},
	{{VPMU_EVENT_MASKED(0x24, 0x03, 0x01, false)}, 1,
	 {{0x2401, true}, {0x2405, true}, {0x24FD, true}, {0x2403, false}, {0x2402, false},
	  {0x2501, false}}},
	{{VPMU_EVENT_MASKED(0x24, 0x00, 0x00, false), VPMU_EVENT_MASKED(0x24, 0x30, 0x10, true)}, 2,
	 {{0x2401, true}, {0x2410, false}, {0x241F, false}, {0x2430, true}, {0x24EF, true},
	  {0x24DF, false}}},
	// An exclusion wins, in any order, also over an exact match.
	{{{.code = 0x24, .umask = 0x10, .exclude = true}, {.code = 0x24, .umask_ignored = 0xFF},
	  {.code = 0x24, .umask = 0x10}}, 3,
	 {{0x2410, false}, {0x2411, true}, {0x2400, true}, {0xC000, false}}},
	// An event that no entry matches is not allowed.
	{{{.code = 0x24, .umask = 0x10, .exclude = true}}, 1,
	 {{0x2410, false}, {0x2411, false}, {0xC000, false}}},
	{{{.code = 0x24}}, 0, {{0x2400, false}, {0xC000, false}}},
	{{VPMU_EVENT_ANY, {.code = 0x24, .umask_ignored = 0xFF, .exclude = true},
	  {.code = 0xC0, .exclude = true}}, 3,
	 {{0x2400, false}, {0x24FF, false}, {0xC000, false}, {0xC001, true}, {0x2500, true},
	  {0x2410, false}}},
	{{{.code = 0xC0, .code_ignored = 0x0F, .umask_ignored = 0xF0}}, 1,
	 {{0xC0F0, true}, {0xCF00, true}, {0xC010, true}, {0xD000, false}, {0xB0F0, false},
	  {0xC001, false}}},
};

// The counter counts an allowed event, and nothing else. Its select reads as written in both cases.
static void patterns_allow_what_they_match_and_exclusions_win(void **state)
{
	(void)state;
	for (unsigned i = 0; i < LENGTH(lists); i++) {
		const struct vpmu_features features = {
			.general = VPMU_ALL_COUNTERS, .events = lists[i].list,
			.event_count = lists[i].count,
		};

		make("nehalem", &features);
		for (unsigned n = 0; n < MOST_EVENTS && lists[i].events[n].event; n++) {
			const uint16_t code = lists[i].events[n].event >> 8,
				umask = lists[i].events[n].event & 0xFF;
			const struct vpmu_occurrence happens = {.code = code, .sub = umask, .n = 3};
			struct vpmu_counter counter;

			put(0, PERFEVTSEL0, code | umask << 8 | OS | EN);
			put(0, PMC0, 0);
			assert_int_equal(vpmu_core_counter(core, 0, 0, &counter), VPMU_OK);
			assert_int_equal(counter.counts, lists[i].events[n].allowed);
			assert_int_equal(counter.event.code, code);
			assert_int_equal(counter.event.umask, umask);
			assert_int_equal(vpmu_core_deliver(core, &happens, 1, 10), VPMU_OK);
			assert_int_equal(get(0, PMC0), lists[i].events[n].allowed ? 30 : 0);
			assert_int_equal(get(0, PERFEVTSEL0), code | umask << 8 | OS | EN);
		}
		end(NULL);
	}
}

// CPUID leaf 0AH EBX: bit 0 cycles (3C/00), bit 2 reference cycles (3C/01).
static void fixed_counters_and_cpuid_follow_patterns(void **state)
{
	static const struct vpmu_event no_cycles[] = {
		VPMU_EVENT_ANY, {.code = 0x3C, .umask_ignored = 0xFF, .exclude = true},
	};
	const struct vpmu_features features = {
		.general = VPMU_ALL_COUNTERS, .fixed = VPMU_ALL_COUNTERS, .events = no_cycles,
		.event_count = 2,
	};
	uint32_t registers[4] = {0};

	(void)state;
	make("nehalem", &features);
	fixed_counters_count(0x333, 10, 0, 10);
	vpmu_core_identify(core, 10, 0, registers);
	assert_int_equal(registers[1], 0x05);
}

// SPARC T4 Supplement, Table 10-2: fetch-0-all (sl 8, mask 02) counts all strands' fetches, also
// when the mask has other bits. Itanium: BRANCH_TAKEN_SLOT is es 0DH, its unit mask in 19:16.
// Knights Corner, Table 1-6: SNP_HIT_L2 and SNP_HITM_L2. SPARC T4, Table 10-7: selects.
static void patterns_of_other_targets(void **state)
{
	static const struct vpmu_event events[] = {
		VPMU_EVENT_MASKED(8, 0, 0, false), VPMU_EVENT_MASKED(8, 2, 2, true),
		VPMU_EVENT_MASKED(0x0D, 0, 0, false), VPMU_EVENT_MASKED(0x0D, 8, 8, true),
		{.code = 0xE4, .code_ignored = 3, .umask_ignored = 0xF0},
		{.code = 2, .code_ignored = 1},
	};
	static const struct {
		const char *target;
		uint32_t select;
		uint64_t value;
		bool counts;
	} cases[] = {
		{"sparct4", 0x6400, 8 << 11 | 1 << 5 | 0x1C, true},
		{"sparct4", 0x6400, 8 << 11 | 2 << 5 | 0x1C, false},
		{"sparct4", 0x6400, 8 << 11 | 7 << 5 | 0x1C, false},
		{"sparct4", 0x6400, 8 << 11 | 5 << 5 | 0x1C, true},
		{"itanium", 4, 0x70D0F, true}, {"itanium", 4, 0x80D0F, false},
		{"itanium", 4, 0xF0D0F, false},
		{"itanium", 4, 0x0120F, false},
		{"knc", 0x28, 0x10E6 | OS | EN, true}, {"knc", 0x28, 0x10E7 | OS | EN, true},
		{"knc", 0x28, 0x0016 | OS | EN, false},
		{"sparct4-dram", 0x80040800, 3, true}, {"sparct4-dram", 0x80040800, 2, true},
		{"sparct4-dram", 0x80040800, 4, false},
	};
	const struct vpmu_features features = {
		.general = VPMU_ALL_COUNTERS, .events = events, .event_count = LENGTH(events),
	};
	struct vpmu_counter counter;

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		make(cases[i].target, &features);
		if (!strcmp(cases[i].target, "itanium")) {
			put(0, 0x500, 4);
			put(0, 0, 0);
		}
		put(0, cases[i].select, cases[i].value);
		if (!strcmp(cases[i].target, "knc"))
			put(0, 0x2F, 1);
		assert_int_equal(vpmu_core_counter(core, 0, 0, &counter), VPMU_OK);
		assert_int_equal(counter.counts, cases[i].counts);
		end(NULL);
	}
}

static void a_reset_is_filtered_too(void **state)
{
	static const struct vpmu_event none[] = {{0x7F, 15}};
	const struct vpmu_features features = {.general = VPMU_ALL_COUNTERS, .events = none,
					       .event_count = 1};
	const struct vpmu_occurrence everything[] = {{.code = 0x12, .n = 1},
						     {.code = 0x08, .n = 1}};

	(void)state;
	make("itanium", &features);
	for (uint64_t seed = 0; seed < 64; seed++) {
		uint64_t before[4];

		// es, umask, plm, ism are undefined
		vpmu_core_reset(core, VPMU_RESET_COLD, 0, seed);
		put(0, 0x500, 4 | 1 << 21);
		put(0, 0, 0);
		for (unsigned i = 0; i < 4; i++) {
			put(0, 0x104 + i, i);
			before[i] = get(0, 0x104 + i);
		}
		vpmu_core_deliver(core, everything, 2, 10);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(get(0, 0x104 + i), before[i]);
	}
}

//
// Other threads
//

static void without_any_thread_the_others_do_nothing_as_far_as_a_guest_can_tell(void **state)
{
	const struct vpmu_features own = {.general = VPMU_ALL_COUNTERS, .fixed = VPMU_ALL_COUNTERS};
	const struct vpmu_features *exposed[] = {&own, NULL};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		make("nehalem", exposed[i]);
		put(0, PERFEVTSEL0, INSTRUCTIONS | OS | ANY | EN);
		put(0, FIXED_CTR_CTRL, 7);
		put(0, GLOBAL_CTRL, 0x100000001);
		vpmu_core_advance(core, 0, 10, 10);
		vpmu_core_advance(core, 1, 100, 100);
		assert_int_equal(get(0, PMC0), i ? 110 : 10);
		assert_int_equal(get(0, FIXED_CTR0), i ? 110 : 10);
		assert_int_equal(get(0, PERFEVTSEL0), INSTRUCTIONS | OS | ANY | EN);
		assert_int_equal(get(0, FIXED_CTR_CTRL), 7);
		end(NULL);
	}
}

// Knights Corner (327357-001), Table 1-5: "Events which have no thread-specific context will always
// be counted regardless of Thread Count Mode". Thread 1 executes at level 3, thread 2 is halted.
// Cycles without a snoop belong to thread 1 alone.
static void events_of_no_thread_count_with_any_thread_and_without(void **state)
{
	enum { CNTR0 = 0x20, SEL0 = 0x28, GLOBAL = 0x2F, SNP_HIT_L2 = 0x10E6, INV = 1 << 23,
	      CMASK_1 = 1 << 24 };
	const struct vpmu_features own = {.general = VPMU_ALL_COUNTERS};
	const struct vpmu_features *exposed[] = {&own, NULL};
	const struct vpmu_occurrence snoops = {.code = 0xE6, .sub = 0x10, .n = 3, .thread = 1,
					       .level = 3};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		make("knc", exposed[i]);
		for (unsigned thread = 0; thread < 3; thread++) {
			put(thread, SEL0, SNP_HIT_L2 | USR | EN);
			put(thread, GLOBAL, 1);
		}
		vpmu_core_set_halted(core, 2, true);
		vpmu_core_deliver(core, &snoops, 1, 10);
		vpmu_core_set_halted(core, 2, false);
		vpmu_core_set_level(core, 1, 0);
		for (unsigned thread = 0; thread < 3; thread++)
			assert_int_equal(get(thread, CNTR0), 30);
		put(0, SEL0, SNP_HIT_L2 | USR | EN | INV | CMASK_1);
		vpmu_core_set_level(core, 1, 3);
		vpmu_core_advance(core, 1, 100, 100);
		assert_int_equal(get(0, CNTR0), 30);
		end(NULL);
	}
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counters_that_are_not_exposed_are_not_there),
		TEST(their_bits_in_other_registers_read_0_and_fault_when_they_are_set),
		TEST(those_that_are_exposed_count),
		TEST(the_same_of_other_targets),
		TEST(cpuid_agrees),
		TEST(a_debug_store_is_there_if_there_is_memory_for_it),
		TEST(an_event_that_is_not_allowed_counts_nothing_and_its_select_reads_as_written),
		TEST(a_fixed_counter_of_such_an_event_counts_nothing),
		TEST(a_select_at_a_second_address_is_filtered),
		TEST(the_same_of_every_kind_of_select),
		TEST(selects_that_share_a_register_are_allowed_one_by_one),
		TEST(patterns_allow_what_they_match_and_exclusions_win),
		TEST(fixed_counters_and_cpuid_follow_patterns),
		TEST(patterns_of_other_targets),
		TEST(a_reset_is_filtered_too),
		TEST(without_any_thread_the_others_do_nothing_as_far_as_a_guest_can_tell),
		TEST(events_of_no_thread_count_with_any_thread_and_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
