// SPDX-License-Identifier: BSD-2-Clause
// Requests of the itanium driver: counters, control values, recorders. Expected values are computed
// by hand from the manual's figures and equations (sections 6.1.3 and 6.2), which each test names.

#include "driver_encode.h"

#define ALL	0xF0
#define WIDE	0x30

static uint64_t encode(const char *text, unsigned counter)
{
	struct event_request r = request(text);

	return itanium()->encode(&r, counter);
}

struct encoding {
	const char *text;
	unsigned counter;
	uint64_t value;
};

static void assert_encodings(const struct encoding *rows, size_t n)
{
	for (const struct encoding *row = rows; row < rows + n; row++)
		if (encode(row->text, row->counter) != row->value)
			fail_msg("%s: %#llx", row->text,
				 (unsigned long long)encode(row->text, row->counter));
}

struct choice {
	const char *text;
	uint64_t counters;		// 0: the request is refused
};

static void assert_choices(const struct choice *rows, size_t n)
{
	for (const struct choice *row = rows; row < rows + n; row++)
		if (choices(row->text) != row->counters)
			fail_msg("%s: %#llx", row->text, (unsigned long long)choices(row->text));
}

//
// Counters
//

// 6.2.2: PMC4-5 take 7 in a cycle and have three threshold bits, PMC6-7 take 3 and have two.
static void the_counters_are_asymmetric(void **state)
{
	static const struct choice rows[] = {
		{"CPU_CYCLES", ALL}, {"IA64_INST_RETIRED", WIDE},
		{"NOPS_RETIRED", WIDE},	// up to 6 in a cycle
		{"FP_OPS_RETIRED_HI", ALL},	// up to 3
		{"CPU_CYCLES:thres=3", ALL}, {"CPU_CYCLES:thres=4", WIDE},
		{"CPU_CYCLES:thres=7", WIDE},
		{"CPU_CYCLES:thres=8", 0}, {"CPU_CYCLES:thres=255", 0},
		{"CPU_CYCLES:thres=4:ctr=6", 0},
		{"CPU_CYCLES:ctr=6", 0x40}, {"IA64_INST_RETIRED:ctr=7", 0}, {"CPU_CYCLES:ctr=3", 0},
		{"CPU_CYCLES:ctr=63", 0},
	};

	(void)state;
	assert_choices(rows, LENGTH(rows));
}

static void a_wide_event_of_a_wrong_table_stays_on_wide_counters(void **state)
{
	struct pmu_event wide = {.name = "WIDE", .counters = ALL, .max = 4};
	struct event_request r = {.event = &wide, .levels = 0xF, .counter = EVENT_ANY_COUNTER};

	(void)state;
	assert_int_equal(itanium()->choices(&r), WIDE);
}

// There is no inversion, no edge detection, no other thread.
static void what_the_hardware_has_not_is_refused(void **state)
{
	static const struct choice rows[] = {
		{"CPU_CYCLES:i", 0}, {"CPU_CYCLES:e", 0}, {"CPU_CYCLES:t", 0},
		{"CPU_CYCLES:lat=64", 0},
		{"CPU_CYCLES:tlb=8", 0}, {"CPU_CYCLES:btb=0xFF80", 0},
	};

	(void)state;
	assert_choices(rows, LENGTH(rows));
}

//
// PMC4-7
//

// Figure 6-13: plm 3:0, oi 5, pm 6, es 14:8, umask 19:16, threshold 22:20, ism 25:24. Monitors are
// privileged until another scope is chosen, and every counter interrupts.
static void control_values_have_the_fields_of_figure_6_13(void **state)
{
	static const struct encoding rows[] = {
		{"CPU_CYCLES", 4, 0x126F}, {"CPU_CYCLES:k", 7, 0x1261}, {"CPU_CYCLES:u", 5, 0x1268},
		{"CPU_CYCLES:plm=9", 5, 0x1269}, {"IA64_INST_RETIRED:thres=5", 4, 0x50086F},
		{"IA64_TAGGED_INST_RETIRED.PMC8", 4, 0x3086F},
		{"IA64_TAGGED_INST_RETIRED.PMC9", 5, 0x2086F},
		{"CPU_CYCLES:ism=1", 4, 0x100126F}, {"CPU_CYCLES:ism=2", 4, 0x200126F},
	};

	(void)state;
	assert_encodings(rows, LENGTH(rows));
}

// Table 6-6: ev is bit 4, oi bit 5.
static void ev_and_oi_are_modifiers(void **state)
{
	static const struct encoding rows[] = {
		{"CPU_CYCLES:ev", 4, 0x127F}, {"CPU_CYCLES:ev=1:oi=0", 7, 0x125F},
		{"CPU_CYCLES:oi=0", 5, 0x124F},
		{"CPU_CYCLES:oi:ev=0", 5, 0x126F}, {"CPU_CYCLES:oi=1", 5, 0x126F},
	};

	(void)state;
	assert_encodings(rows, LENGTH(rows));
	assert_int_equal(choices("CPU_CYCLES:ev:period=1000"), ALL);
	assert_int_equal(choices("IA64_INST_RETIRED:oi=0"), WIDE);
	// nothing would take the samples
	assert_int_equal(choices("CPU_CYCLES:oi=0:period=1000"), 0);
}

// Other PMUs have no such pins, and no event address registers.
static void other_targets_refuse_itaniums_modifiers(void **state)
{
	static const char *const events[][2] = {
		{"nehalem", "INST_RETIRED.ANY_P"}, {"nehalem-uncore", "UNC_CLK_UNHALTED"},
		{"knc", "CPU_CLK_UNHALTED"},
		{"sparct4", "Cycles"}, {"sparct4-dram", "READS.MCU0"},
	};
	static const char *const modifiers[] = {"", ":ev", ":oi=0", ":dear", ":iear"};

	(void)state;
	for (size_t i = 0; i < LENGTH(events); i++)
		for (size_t m = 0; m < LENGTH(modifiers); m++) {
			const struct pmu_driver *driver = pmu_driver_find(events[i][0]);
			char text[64];
			struct event_request r;

			snprintf(text, sizeof text, "%s%s", events[i][1], modifiers[m]);
			r = request_of(driver, text);
			if (!driver->choices(&r) == !m)
				fail_msg("%s: %s", events[i][0], text);
		}
}

// 6.1.3.3: qualifications that work in Itanium code only exclude IA-32 code: ism 10 (Table 6-11).
static void what_is_qualified_by_instruction_counts_no_other_set(void **state)
{
	static const struct encoding rows[] = {
		{"NOPS_RETIRED", 4, 0x306F}, {"NOPS_RETIRED:iar=0x1000-0x1FFF", 4, 0x200306F},
		{"NOPS_RETIRED:opc=0/0x1FFFFFFFFFF", 4, 0x200306F}, {"BRANCH_EVENT", 4, 0x200116F},
		{"DATA_REFERENCES_RETIRED:dar=0x1000-0x1FFF", 4, 0x636F},
	};

	(void)state;
	assert_encodings(rows, LENGTH(rows));
}

// Table 6-11: ism 11 counts in neither set. Qualifications for Itanium code can never count in
// IA-32 code.
static void what_could_never_count_is_refused(void **state)
{
	static const struct choice rows[] = {
		{"CPU_CYCLES:ism=3", 0}, {"NOPS_RETIRED:iar=0x1000-0x1FFF:ism=1", 0},
		{"NOPS_RETIRED:opc=0/0x1FFFFFFFFFF:ism=1", 0}, {"BRANCH_EVENT:ism=1", 0},
		{"DATA_REFERENCES_RETIRED:dar=0x1000-0x1FFF:ism=1", ALL},
		{"NOPS_RETIRED:iar=0x1000-0x1FFF:ism=2", WIDE},
	};

	(void)state;
	assert_choices(rows, LENGTH(rows));
}

//
// Settings
//

// IA64_INST_RETIRED counts all instructions, tagged or not (Table 7-30); cycles belong to no
// instruction.
static void an_event_without_qualification_needs_nothing(void **state)
{
	(void)state;
	make_settings("CPU_CYCLES");
	assert_int_equal(count, 0);
	make_settings("IA64_INST_RETIRED");
	assert_int_equal(count, 0);
	make_settings("IA64_TAGGED_INST_RETIRED.ALL");
	assert_int_equal(count, 0);
}

// Table 6-3: unconstrained monitoring.
static void an_event_that_could_be_qualified_needs_qualification_off(void **state)
{
	(void)state;
	make_settings("L1I_DEMAND_READS");			// instruction address range only
	assert_int_equal(count, 1);
	assert_setting(PMC(13), TA, TA, TA);
	make_settings("NOPS_RETIRED");
	assert_int_equal(count, 2);
	assert_setting(PMC(13), TA, TA, TA);
	assert_setting(PMC(8), OPCODE_BITS, ALL_OPCODES, ALL_OPCODES);
	make_settings("DATA_REFERENCES_RETIRED");
	assert_int_equal(count, 3);
	assert_setting(PMC(13), TA, TA, TA);
	assert_setting(PMC(8), OPCODE_BITS, ALL_OPCODES, ALL_OPCODES);
	assert_setting(PMC(11), PT, PT, PT);
	make_settings("IA64_TAGGED_INST_RETIRED.PMC9");
	assert_int_equal(count, 2);
	assert_setting(PMC(13), TA, TA, TA);
	assert_setting(PMC(9), OPCODE_BITS, ALL_OPCODES, ALL_OPCODES);
}

static void a_qualification_that_an_event_does_not_honour_is_refused(void **state)
{
	static const struct choice rows[] = {
		{"CPU_CYCLES:iar=0x1000-0x1FFF", 0}, {"IA64_INST_RETIRED:iar=0x1000-0x1FFF", 0},
		{"IA64_INST_RETIRED:opc=0/0x1FFFFFFFFFF", 0},
		{"L1I_DEMAND_READS:opc=0/0x1FFFFFFFFFF", 0},
		{"NOPS_RETIRED:dar=0x1000-0x1FFF", 0}, {"DATA_EAR_EVENTS:dar=0x1000-0x1FFF", 0},
	};

	(void)state;
	assert_choices(rows, LENGTH(rows));
	// "yes for ld.c"
	assert_int_not_equal(choices("ALAT_INST_CHKA_LDC.ALL:dar=0x1000-0x1FFF"), 0);
	assert_int_not_equal(
		choices("LOADS_RETIRED:iar=0-0xFFF:opc=0/0x1FFFFFFFFFF:dar=0x2000-0x2FFF"), 0);
	// 6.2.6: while data addresses qualify, neither opcodes nor ranges qualify the register
	// stack engine.
	assert_int_equal(choices("RSE_REFERENCES_RETIRED:iar=0-0xFFF"), ALL);
	assert_int_equal(choices("RSE_REFERENCES_RETIRED:dar=0-0xFFF"), ALL);
	assert_int_equal(choices("RSE_REFERENCES_RETIRED:iar=0-0xFFF:dar=0-0xFFF"), 0);
	assert_int_equal(choices("RSE_LOADS_RETIRED:opc=0/0x1FFFFFFFFFF:dar=0-0xFFF"), 0);
	assert_int_equal(choices("LOADS_RETIRED:iar=0-0xFFF:dar=0-0xFFF"), ALL);
}

// Table 6-3, all three at once: breakpoint registers are written before the bits that apply them.
static void a_range_comes_before_what_applies_it(void **state)
{
	(void)state;
	make_settings(
		"DATA_REFERENCES_RETIRED:iar=0x1000-0x1FFF:opc=0/0x1FFFFFFFFFF:dar=0x2000-0x2FFF");
	assert_setting(PMC(13), TA, 0, TA);
	assert_setting(PMC(11), PT, 0, PT);
	for (unsigned i = 0; i < 8; i++) {
		assert_true(setting_of(IBR(i), ~0ULL) < setting_of(PMC(13), TA));
		assert_true(setting_of(DBR(i), ~0ULL) < setting_of(PMC(11), PT));
		assert_int_equal(setting_of(IBR(i), ~0ULL)->idle, 0);
		assert_int_equal(setting_of(DBR(i), ~0ULL)->idle, 0);
	}
}

//
// Event address registers, branch trace buffer
//

// Tables 6-12 and 6-17.
static void latency_thresholds_are_powers_of_two(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask <= 10; mask++) {
		struct event_request data = request("DATA_EAR_EVENTS"),
			instruction = request("INSTRUCTION_EAR_EVENTS");

		data.latency = instruction.latency = (uint16_t)(4 << mask);
		assert_int_equal(itanium()->choices(&data), ALL);
		count = itanium()->settings->needed(&data, 4, settings);
		assert_setting(PMC(11), EAR_BITS, 0x4F | mask << 16, 0);
		count = itanium()->settings->needed(&instruction, 4, settings);
		assert_setting(PMC(10), EAR_BITS, 0x4F | mask << 16, 0);
	}
	// without a latency: all captures, 4 cycles and more
	make_settings("DATA_EAR_EVENTS");
	assert_setting(PMC(11), EAR_BITS, 0x4F, 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:lat=3"), 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:lat=5"), 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:lat=8192"), 0);
}

// Tables 6-14 and 6-19: bits 3:2 of translation misses, and bit 1 of data's. Figure 6-20: tlb is
// bit 7.
static void translation_misses(void **state)
{
	(void)state;
	make_settings("DATA_EAR_EVENTS:tlb=0xE");
	assert_setting(PMC(11), EAR_BITS, 0xE00CF, 0);
	make_settings("DATA_EAR_EVENTS:tlb=2:k");
	assert_setting(PMC(11), EAR_BITS, 0x200C1, 0);
	make_settings("INSTRUCTION_EAR_EVENTS:tlb=8:ism=2");
	assert_setting(PMC(10), EAR_BITS, 0x20800CF, 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:tlb=1"), 0);			// reserved
	assert_int_equal(choices("INSTRUCTION_EAR_EVENTS:tlb=2"), 0);		// ignored
	// latency is undefined then
	assert_int_equal(choices("DATA_EAR_EVENTS:tlb=2:lat=8"), 0);
}

// The data EAR and the data range share PMC11, without changing each other's bits.
static void the_data_recorder_leaves_the_range_alone(void **state)
{
	(void)state;
	make_settings("DATA_EAR_EVENTS:lat=64");
	assert_setting(PMC(11), EAR_BITS, 0x4004F, 0);
	assert_null(setting_of(PMC(11), PT));
	assert_int_equal(EAR_BITS & PT, 0);
}

// Table 6-21: tar 7, tm 9:8, ptm 11:10, ppm 13:12, bpt 14, bac 15.
static void branch_conditions(void **state)
{
	(void)state;
	make_settings("BRANCH_EVENT");
	assert_setting(PMC(12), TRACE_BITS, 0xFFCF, 0);
	make_settings("BRANCH_EVENT:btb=0xDF80:u");			// mispredicted path
	assert_setting(PMC(12), TRACE_BITS, 0xDFC8, 0);
	assert_int_equal(choices("BRANCH_EVENT:btb=1"), 0);
	assert_int_equal(choices("BRANCH_EVENT:btb=0x10000"), 0);
}

//
// Recorders with any trigger (6.1.2.2: "to count, for instance, the number of data cache misses or
// retired instructions")
//

// An event that asks for a recorder needs the same settings as the recorder's own event.
static void any_event_can_take_what_a_recorder_holds(void **state)
{
	static const struct {
		const char *text, *own;		// of the same recorder
	} cases[] = {
		{"IA64_INST_RETIRED:dear:period=1000", "DATA_EAR_EVENTS"},
		{"CPU_CYCLES:dear:lat=64:u", "DATA_EAR_EVENTS:lat=64:u"},
		{"CPU_CYCLES:dear:tlb=0xE", "DATA_EAR_EVENTS:tlb=0xE"},
		{"CPU_CYCLES:iear:lat=8", "INSTRUCTION_EAR_EVENTS:lat=8"},
		{"BUS_ALL.ANY:iear:tlb=12", "INSTRUCTION_EAR_EVENTS:tlb=12"},
		{"IA64_INST_RETIRED:lbr", "BRANCH_EVENT"},
		{"CPU_CYCLES:lbr=0xDF80:k", "BRANCH_EVENT:btb=0xDF80:k"},
		{"ITC:dear:lat=64", "DATA_EAR_EVENTS:lat=64"},
		{"ITC:lbr", "BRANCH_EVENT"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_setting own[PMU_EVENT_SETTINGS];
		unsigned own_count;

		make_settings(cases[i].own);
		own_count = count;
		memcpy(own, settings, sizeof own);
		make_settings(cases[i].text);
		assert_int_equal(count, own_count);
		for (unsigned n = 0; n < count; n++) {
			const bool branches = settings[n].address == PMC(12);

			assert_int_equal(settings[n].address, own[n].address);
			assert_int_equal(settings[n].mask, own[n].mask);
			// Branches need Itanium code; the other events do not (6.1.3.3).
			if (branches || !strstr(cases[i].own, "BRANCH"))
				assert_int_equal(settings[n].value, own[n].value);
		}
	}
	// The counter itself is programmed as without a recorder.
	assert_int_equal((uint32_t)encode("IA64_INST_RETIRED:dear:lbr", 4), 0x86F);
}

static void what_recorders_cannot_record_is_refused(void **state)
{
	static const struct choice rows[] = {
		{"CPU_CYCLES:dear", ALL}, {"CPU_CYCLES:dear:lbr", ALL},
		{"CPU_CYCLES:dear:iear", 0},	// one latency, one translation's unit mask
		{"DATA_EAR_EVENTS:iear", 0}, {"DATA_EAR_EVENTS:dear", ALL},
		{"CPU_CYCLES:dear:lat=5", 0},
		{"CPU_CYCLES:dear:tlb=1", 0}, {"CPU_CYCLES:iear:tlb=2", 0},
		{"CPU_CYCLES:dear:tlb=2:lat=8", 0},
		{"CPU_CYCLES:lbr=1", 0}, {"CPU_CYCLES:lbr:lat=8", 0},
	};

	(void)state;
	assert_choices(rows, LENGTH(rows));
}

// The interval timer is no monitor (6.1.2.1).
static void the_timer_has_nothing_of_a_monitor(void **state)
{
	static const struct choice rows[] = {
		{"ITC", 1ULL << 32}, {"ITC:period=1000:dear:lbr", 1ULL << 32}, {"ITC:u", 0},
		{"ITC:c=1", 0},
		{"ITC:ism=2", 0}, {"ITC:ev", 0}, {"ITC:oi=0", 0}, {"ITC:ctr=4", 0},
		{"CPU_CYCLES:ctr=32", 0},
		{"ITC:iar=0-0xFFF", 0},
	};

	(void)state;
	assert_choices(rows, LENGTH(rows));
}

//
// Settings with common bits have equal masks
//

static void settings_that_share_bits_have_equal_masks(void **state)
{
	static const char *const texts[] = {
		"NOPS_RETIRED", "NOPS_RETIRED:iar=0-0xFFF:opc=0/0x1FFFFFFFFFF",
		"DATA_REFERENCES_RETIRED:dar=0-0xFFF",
		"DATA_REFERENCES_RETIRED", "DATA_EAR_EVENTS", "DATA_EAR_EVENTS:iar=0-0xFFF:tlb=2",
		"INSTRUCTION_EAR_EVENTS", "BRANCH_EVENT",
		"IA64_TAGGED_INST_RETIRED.PMC9:opc=1/0x1FFFFFFFFFE",
	};
	struct pmu_setting all[LENGTH(texts) * PMU_EVENT_SETTINGS];
	unsigned total = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(texts); i++) {
		struct event_request r = request(texts[i]);

		total += itanium()->settings->needed(&r, 4, all + total);
	}
	for (unsigned i = 0; i < total; i++)
		for (unsigned j = 0; j < total; j++)
			if (all[i].address == all[j].address && all[i].mask & all[j].mask) {
				assert_int_equal(all[i].mask, all[j].mask);
				assert_int_equal(all[i].idle, all[j].idle);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counters_are_asymmetric),
		cmocka_unit_test(a_wide_event_of_a_wrong_table_stays_on_wide_counters),
		cmocka_unit_test(what_the_hardware_has_not_is_refused),
		cmocka_unit_test(control_values_have_the_fields_of_figure_6_13),
		cmocka_unit_test(ev_and_oi_are_modifiers),
		cmocka_unit_test(other_targets_refuse_itaniums_modifiers),
		cmocka_unit_test(what_is_qualified_by_instruction_counts_no_other_set),
		cmocka_unit_test(what_could_never_count_is_refused),
		cmocka_unit_test(an_event_without_qualification_needs_nothing),
		cmocka_unit_test(an_event_that_could_be_qualified_needs_qualification_off),
		cmocka_unit_test(a_qualification_that_an_event_does_not_honour_is_refused),
		cmocka_unit_test(a_range_comes_before_what_applies_it),
		cmocka_unit_test(latency_thresholds_are_powers_of_two),
		cmocka_unit_test(translation_misses),
		cmocka_unit_test(the_data_recorder_leaves_the_range_alone),
		cmocka_unit_test(branch_conditions),
		cmocka_unit_test(any_event_can_take_what_a_recorder_holds),
		cmocka_unit_test(what_recorders_cannot_record_is_refused),
		cmocka_unit_test(the_timer_has_nothing_of_a_monitor),
		cmocka_unit_test(settings_that_share_bits_have_equal_masks),
	};

	return cmocka_run_group_tests_name("itanium driver: requests", tests, driver_start,
					   driver_end);
}
