// SPDX-License-Identifier: BSD-2-Clause
// What the itanium driver makes of requests: counters, control values, settings. Expected values are computed by hand
// from the manual's figures and equations (sections 6.1.3 and 6.2), which each test names.

#include "pmu/itanium/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL	0xF0
#define WIDE	0x30

static uint64_t choices(const char *text)
{
	struct event_request r = request(text);

	return itanium()->choices(&r);
}

static uint64_t encode(const char *text, unsigned counter)
{
	struct event_request r = request(text);

	return itanium()->encode(&r, counter);
}

//
// Counters
//

// 6.2.2: PMC4-5 take 7 in a cycle and have three threshold bits, PMC6-7 take 3 and have two.
static void the_counters_are_asymmetric(void **state)
{
	(void)state;
	assert_int_equal(choices("CPU_CYCLES"), ALL);
	assert_int_equal(choices("IA64_INST_RETIRED"), WIDE);
	assert_int_equal(choices("NOPS_RETIRED"), WIDE);		// up to 6 in a cycle
	assert_int_equal(choices("FP_OPS_RETIRED_HI"), ALL);		// up to 3
	assert_int_equal(choices("CPU_CYCLES:thres=3"), ALL);
	assert_int_equal(choices("CPU_CYCLES:thres=4"), WIDE);
	assert_int_equal(choices("CPU_CYCLES:thres=7"), WIDE);
	assert_int_equal(choices("CPU_CYCLES:thres=8"), 0);
	assert_int_equal(choices("CPU_CYCLES:thres=255"), 0);
	assert_int_equal(choices("CPU_CYCLES:thres=4:ctr=6"), 0);
	assert_int_equal(choices("CPU_CYCLES:ctr=6"), 0x40);
	assert_int_equal(choices("IA64_INST_RETIRED:ctr=7"), 0);
	assert_int_equal(choices("CPU_CYCLES:ctr=3"), 0);
	assert_int_equal(choices("CPU_CYCLES:ctr=63"), 0);
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
	(void)state;
	assert_int_equal(choices("CPU_CYCLES:i"), 0);
	assert_int_equal(choices("CPU_CYCLES:e"), 0);
	assert_int_equal(choices("CPU_CYCLES:t"), 0);
	assert_int_equal(choices("CPU_CYCLES:lat=64"), 0);
	assert_int_equal(choices("CPU_CYCLES:tlb=8"), 0);
	assert_int_equal(choices("CPU_CYCLES:btb=0xFF80"), 0);
}

//
// PMC4-7
//

// Figure 6-13: plm 3:0, oi 5, pm 6, es 14:8, umask 19:16, threshold 22:20, ism 25:24. Monitors are privileged until
// another scope is chosen, and every counter interrupts.
static void control_values_have_the_fields_of_figure_6_13(void **state)
{
	(void)state;
	assert_int_equal(encode("CPU_CYCLES", 4), 0x126F);
	assert_int_equal(encode("CPU_CYCLES:k", 7), 0x1261);
	assert_int_equal(encode("CPU_CYCLES:u", 5), 0x1268);
	assert_int_equal(encode("CPU_CYCLES:plm=9", 5), 0x1269);
	assert_int_equal(encode("IA64_INST_RETIRED:thres=5", 4), 0x50086F);
	assert_int_equal(encode("IA64_TAGGED_INST_RETIRED.PMC8", 4), 0x3086F);
	assert_int_equal(encode("IA64_TAGGED_INST_RETIRED.PMC9", 5), 0x2086F);
	assert_int_equal(encode("CPU_CYCLES:ism=1", 4), 0x100126F);
	assert_int_equal(encode("CPU_CYCLES:ism=2", 4), 0x200126F);
}

// Table 6-6: ev is bit 4, oi bit 5.
static void ev_and_oi_are_modifiers(void **state)
{
	(void)state;
	assert_int_equal(encode("CPU_CYCLES:ev", 4), 0x127F);
	assert_int_equal(encode("CPU_CYCLES:ev=1:oi=0", 7), 0x125F);
	assert_int_equal(encode("CPU_CYCLES:oi=0", 5), 0x124F);
	assert_int_equal(encode("CPU_CYCLES:oi:ev=0", 5), 0x126F);
	assert_int_equal(encode("CPU_CYCLES:oi=0:oi=1", 5), 0x126F);
	assert_int_equal(choices("CPU_CYCLES:ev:period=1000"), ALL);
	assert_int_equal(choices("IA64_INST_RETIRED:oi=0"), WIDE);
	assert_int_equal(choices("CPU_CYCLES:oi=0:period=1000"), 0);	// nothing would take the samples
}

// Other PMUs have no such pins, and no event address registers.
static void other_targets_refuse_itaniums_modifiers(void **state)
{
	static const char *const events[][2] = {
		{"nehalem", "INST_RETIRED.ANY_P"}, {"nehalem-uncore", "UNC_CLK_UNHALTED"}, {"knc", "CPU_CLK_UNHALTED"},
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

// 6.1.3.3: what works in Itanium code only is measured in Itanium code only: ism 10 (Table 6-11).
static void what_is_qualified_by_instruction_counts_no_other_set(void **state)
{
	(void)state;
	assert_int_equal(encode("NOPS_RETIRED", 4), 0x306F);
	assert_int_equal(encode("NOPS_RETIRED:iar=0x1000-0x1FFF", 4), 0x200306F);
	assert_int_equal(encode("NOPS_RETIRED:opc=0/0x1FFFFFFFFFF", 4), 0x200306F);
	assert_int_equal(encode("BRANCH_EVENT", 4), 0x200116F);
	assert_int_equal(encode("DATA_REFERENCES_RETIRED:dar=0x1000-0x1FFF", 4), 0x636F);
}

// Table 6-11: ism 11 counts in neither. What works in Itanium code only is never in IA-32 code.
static void what_could_never_count_is_refused(void **state)
{
	(void)state;
	assert_int_equal(choices("CPU_CYCLES:ism=3"), 0);
	assert_int_equal(choices("NOPS_RETIRED:iar=0x1000-0x1FFF:ism=1"), 0);
	assert_int_equal(choices("NOPS_RETIRED:opc=0/0x1FFFFFFFFFF:ism=1"), 0);
	assert_int_equal(choices("BRANCH_EVENT:ism=1"), 0);
	assert_int_equal(choices("DATA_REFERENCES_RETIRED:dar=0x1000-0x1FFF:ism=1"), ALL);
	assert_int_equal(choices("NOPS_RETIRED:iar=0x1000-0x1FFF:ism=2"), WIDE);
}

//
// Settings
//

static struct pmu_setting settings[PMU_EVENT_SETTINGS];
static unsigned count;

static void settle(const char *text)
{
	struct event_request r = request(text);

	if (!itanium()->choices(&r))
		fail_msg("'%s' is refused", text);
	memset(settings, 0xA5, sizeof settings);
	count = itanium()->settings->needed(&r, 4, settings);
	assert_true(count <= PMU_EVENT_SETTINGS);
}

static const struct pmu_setting *setting_of(uint32_t address, uint64_t bit)
{
	for (unsigned i = 0; i < count; i++)
		if (settings[i].address == address && settings[i].mask & bit)
			return &settings[i];
	return NULL;
}

static void assert_setting(uint32_t address, uint64_t mask, uint64_t value, uint64_t idle)
{
	const struct pmu_setting *s = setting_of(address, mask);

	assert_non_null(s);
	assert_int_equal(s->mask, mask);
	assert_int_equal(s->value, value);
	assert_int_equal(s->idle, idle);
}

// Register bits that hold anything: Figures 6-16 to 6-22.
#define TA		(1ULL << 0)
#define PT		(1ULL << 28)
#define OPCODE_BITS	0xFFFFFFFE3FFFFFF8ULL		/* all but 32:30 and 2:0 */
#define ALL_OPCODES	0xF00000003FFFFFF8ULL		/* 6.2.9 */
#define EAR_BITS	0x30F00CFULL
#define TRACE_BITS	0xFFCFULL
#define PAIR_BITS	0x8FFFFFFFFFFFFFFFULL		/* IBR: mask 55:0, plm 59:56, x 63 */

// IA64_INST_RETIRED counts all instructions, tagged or not (Table 7-30); cycles are of no instruction.
static void an_event_without_qualification_needs_nothing(void **state)
{
	(void)state;
	settle("CPU_CYCLES");
	assert_int_equal(count, 0);
	settle("IA64_INST_RETIRED");
	assert_int_equal(count, 0);
	settle("IA64_TAGGED_INST_RETIRED.ALL");
	assert_int_equal(count, 0);
}

// Table 6-3: unconstrained monitoring.
static void an_event_that_could_be_qualified_needs_qualification_off(void **state)
{
	(void)state;
	settle("L1I_DEMAND_READS");			// instruction address range only
	assert_int_equal(count, 1);
	assert_setting(PMC(13), TA, TA, TA);
	settle("NOPS_RETIRED");
	assert_int_equal(count, 2);
	assert_setting(PMC(13), TA, TA, TA);
	assert_setting(PMC(8), OPCODE_BITS, ALL_OPCODES, ALL_OPCODES);
	settle("DATA_REFERENCES_RETIRED");
	assert_int_equal(count, 3);
	assert_setting(PMC(13), TA, TA, TA);
	assert_setting(PMC(8), OPCODE_BITS, ALL_OPCODES, ALL_OPCODES);
	assert_setting(PMC(11), PT, PT, PT);
	settle("IA64_TAGGED_INST_RETIRED.PMC9");
	assert_int_equal(count, 2);
	assert_setting(PMC(13), TA, TA, TA);
	assert_setting(PMC(9), OPCODE_BITS, ALL_OPCODES, ALL_OPCODES);
}

static void a_qualification_that_an_event_does_not_honour_is_refused(void **state)
{
	(void)state;
	assert_int_equal(choices("CPU_CYCLES:iar=0x1000-0x1FFF"), 0);
	assert_int_equal(choices("IA64_INST_RETIRED:iar=0x1000-0x1FFF"), 0);
	assert_int_equal(choices("IA64_INST_RETIRED:opc=0/0x1FFFFFFFFFF"), 0);
	assert_int_equal(choices("L1I_DEMAND_READS:opc=0/0x1FFFFFFFFFF"), 0);
	assert_int_equal(choices("NOPS_RETIRED:dar=0x1000-0x1FFF"), 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:dar=0x1000-0x1FFF"), 0);
	assert_int_not_equal(choices("ALAT_INST_CHKA_LDC.ALL:dar=0x1000-0x1FFF"), 0);	// "yes for ld.c"
	assert_int_not_equal(choices("LOADS_RETIRED:iar=0-0xFFF:opc=0/0x1FFFFFFFFFF:dar=0x2000-0x2FFF"), 0);
	// 6.2.6: while data addresses are checked, neither opcodes nor ranges qualify the register stack engine.
	assert_int_equal(choices("RSE_REFERENCES_RETIRED:iar=0-0xFFF"), ALL);
	assert_int_equal(choices("RSE_REFERENCES_RETIRED:dar=0-0xFFF"), ALL);
	assert_int_equal(choices("RSE_REFERENCES_RETIRED:iar=0-0xFFF:dar=0-0xFFF"), 0);
	assert_int_equal(choices("RSE_LOADS_RETIRED:opc=0/0x1FFFFFFFFFF:dar=0-0xFFF"), 0);
	assert_int_equal(choices("LOADS_RETIRED:iar=0-0xFFF:dar=0-0xFFF"), ALL);
}

// Table 6-3, all three at once: the breakpoint registers before the bits that apply them.
static void a_range_comes_before_what_applies_it(void **state)
{
	(void)state;
	settle("DATA_REFERENCES_RETIRED:iar=0x1000-0x1FFF:opc=0/0x1FFFFFFFFFF:dar=0x2000-0x2FFF");
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
// Ranges
//

struct pair {
	uint64_t address, mask;		// mask without the conditions
};

static void assert_pairs(uint32_t first, const struct pair *pairs, unsigned blocks)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct pair *p = &pairs[i < blocks ? i : blocks - 1];

		assert_setting(first + 2 * i, ~0ULL, p->address, 0);
		assert_int_equal(setting_of(first + 2 * i + 1, ~0ULL)->value & 0x00FFFFFFFFFFFFFF, p->mask);
		// Breakpoint conditions off: no debug fault, and no x bit that would disable the range (6.2.4).
		assert_int_equal(setting_of(first + 2 * i + 1, ~0ULL)->value >> 60, 0);
		assert_int_equal(setting_of(first + 2 * i + 1, ~0ULL)->mask >> 63, 1);
	}
}

// By hand: 0x1000-0x6FFF is 0x1000-0x1FFF, 0x2000-0x3FFF, 0x4000-0x5FFF, 0x6000-0x6FFF.
static void a_range_is_aligned_blocks(void **state)
{
	static const struct pair page[] = {{0x1000, 0x00FFFFFFFFFFF000}};
	static const struct pair bundle[] = {{0x4000, 0x00FFFFFFFFFFFFF0}};
	static const struct pair four[] = {
		{0x1000, 0x00FFFFFFFFFFF000}, {0x2000, 0x00FFFFFFFFFFE000}, {0x4000, 0x00FFFFFFFFFFE000},
		{0x6000, 0x00FFFFFFFFFFF000},
	};
	static const struct pair byte[] = {{0x4003, 0x00FFFFFFFFFFFFFF}};
	static const struct pair half_region[] = {{0xA000000000000000, 0x00FC000000000000}};
	static const struct pair upper_half[] = {{0xFFFC000000000000, 0x00FC000000000000}};
	static const struct pair lowest[] = {{0, 0x00FFFFFFFFFFF000}};

	(void)state;
	settle("NOPS_RETIRED:iar=0x1000-0x1FFF");
	assert_pairs(IBR(0), page, 1);
	settle("NOPS_RETIRED:iar=0x4000-0x400F");
	assert_pairs(IBR(0), bundle, 1);
	settle("NOPS_RETIRED:iar=0x4002-0x4005");		// slots of a bundle: the whole of it
	assert_pairs(IBR(0), bundle, 1);
	settle("NOPS_RETIRED:iar=0x1000-0x6FFF");
	assert_pairs(IBR(0), four, 4);
	settle("DATA_REFERENCES_RETIRED:dar=0x4003-0x4003");
	assert_pairs(DBR(0), byte, 1);
	settle("DATA_REFERENCES_RETIRED:dar=0x1000-0x6FFF");
	assert_pairs(DBR(0), four, 4);
	settle("NOPS_RETIRED:iar=0xA000000000000000-0xA003FFFFFFFFFFFF");
	assert_pairs(IBR(0), half_region, 1);
	settle("NOPS_RETIRED:iar=0xFFFC000000000000-0xFFFFFFFFFFFFFFFF");
	assert_pairs(IBR(0), upper_half, 1);
	settle("NOPS_RETIRED:iar=0-0xFFF");
	assert_pairs(IBR(0), lowest, 1);
}

static void a_range_that_four_pairs_cannot_match_is_refused(void **state)
{
	static const char *const refused[] = {
		"NOPS_RETIRED:iar=0x1000-0xEFFF",				// six blocks
		"NOPS_RETIRED:iar=0x10-0xFF0",					// five bundles' worth and more
		"DATA_REFERENCES_RETIRED:dar=0x1-0x1E",				// 1, 2, 4, 8, ... : eight
		"NOPS_RETIRED:iar=0x0008000000000000-0x0008000000000FFF",	// bit 51 is not a copy of bit 50
		"NOPS_RETIRED:iar=0x1FF8000000000000-0x1FF8000000000FFF",	// nor are all of them
		"NOPS_RETIRED:iar=0x0003FFFFFFFFF000-0x0008000000000FFF",
		"NOPS_RETIRED:iar=0x1FFCFFFFFFFFFFF0-0x2000000000000FFF",	// two regions
		"NOPS_RETIRED:iar=0-0xFFFFFFFFFFFFFFFF",
		"NOPS_RETIRED:iar=0x0000000000000000-0x1FFFFFFFFFFFFFFF",	// with the hole in its middle
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(refused); i++)
		if (choices(refused[i]))
			fail_msg("%s", refused[i]);
}

// Not from text, which has them in order.
static void a_range_that_ends_before_it_begins_is_refused(void **state)
{
	struct event_request r = request("DATA_REFERENCES_RETIRED");

	(void)state;
	r.code_range = (struct event_range){.first = 0x18, .last = 0x10, .given = true};
	assert_int_equal(itanium()->choices(&r), 0);
	r.code_range.given = false;
	r.data_range = (struct event_range){.first = 1, .last = 0, .given = true};
	assert_int_equal(itanium()->choices(&r), 0);
}

// The equation of 6.2.4 (and 6.2.6, which has no plm) for one pair.
static bool matches(const struct pmu_setting *address, const struct pmu_setting *condition, uint64_t x)
{
	const uint64_t a = address->value, m = condition->value;

	for (unsigned b = 0; b <= 63; b++) {
		bool bit = b <= 50 || b >= 61 ? x >> b & 1 : x >> 50 & 1;

		if ((b >= 56 || m >> b & 1) && (a >> b & 1) != bit)
			return false;
	}
	return true;
}

static bool any_matches(uint32_t first, uint64_t x)
{
	bool any = false;

	for (unsigned i = 0; i < 4; i++)
		any |= matches(setting_of(first + 2 * i, ~0ULL), setting_of(first + 2 * i + 1, ~0ULL), x);
	return any;
}

static uint64_t random_state = 0x2545F4914F6CDD1D;

static uint64_t random_bits(unsigned bits)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state >> (64 - bits);
}

// A range that is accepted matches every address in it and none beside it: all addresses of a small space, at either
// end of the implemented addresses of a region.
static void accepted_ranges_match_exactly(void **state)
{
	const uint64_t bases[] = {0, 0x0003FFFFFFFFFF00, 0x1FFC000000000000, 0xE003FFFFFFFFFF00, 0xFFFFFFFFFFFFFF00};
	unsigned accepted = 0;

	(void)state;
	for (unsigned n = 0; n < 2000; n++) {
		struct event_request r = request("DATA_REFERENCES_RETIRED");
		uint64_t base = bases[n % LENGTH(bases)], first = random_bits(8), last = random_bits(8);

		r.data_range = (struct event_range){.first = base + first, .last = base + last, .given = true};
		if (!itanium()->choices(&r))
			continue;
		accepted++;
		count = itanium()->settings->needed(&r, 4, settings);
		for (uint64_t x = 0; x < 256; x++)
			assert_int_equal(any_matches(DBR(0), base + x), x >= first && x <= last);
	}
	assert_true(accepted > 200);
}

//
// Opcodes (6.2.5, Figure 6-17)
//

// The major opcode, encoding bits 40:37, is in the match field's bits 26:23, PMC8's 59:56; mask 29:26.
static void a_major_opcode(void **state)
{
	(void)state;
	settle("IA64_TAGGED_INST_RETIRED.PMC8:opc=0x8000000000/0x1FFFFFFFFF/m");	// opcode 4: integer loads
	assert_setting(PMC(8), OPCODE_BITS, 0x8400000003FFFFF8, ALL_OPCODES);
	settle("IA64_TAGGED_INST_RETIRED.PMC9:opc=0x8000000000/0x1FFFFFFFFF/m");
	assert_setting(PMC(9), OPCODE_BITS, 0x8400000003FFFFF8, ALL_OPCODES);
	assert_null(setting_of(PMC(8), ~0ULL));
	settle("NOPS_RETIRED:opc=0x8000000000/0x1FFFFFFFFF/m");
	assert_setting(PMC(8), OPCODE_BITS, 0x8400000003FFFFF8, ALL_OPCODES);
}

// Qualifying predicate 42, encoding bits 5:0: match bits 38:33, mask bits 8:3.
static void a_qualifying_predicate(void **state)
{
	(void)state;
	settle("NOPS_RETIRED:opc=42/0x1FFFFFFFFC0");
	assert_setting(PMC(8), OPCODE_BITS, 0xF00000543FFFFE00, ALL_OPCODES);
}

static void types_are_the_bits_mifb(void **state)
{
	(void)state;
	settle("NOPS_RETIRED:opc=0/0x1FFFFFFFFFF/b");
	assert_setting(PMC(8), OPCODE_BITS, 0x100000003FFFFFF8, ALL_OPCODES);
	settle("NOPS_RETIRED:opc=0/0x1FFFFFFFFFF/f");
	assert_setting(PMC(8), OPCODE_BITS, 0x200000003FFFFFF8, ALL_OPCODES);
	settle("NOPS_RETIRED:opc=0/0x1FFFFFFFFFF/mi");
	assert_setting(PMC(8), OPCODE_BITS, 0xC00000003FFFFFF8, ALL_OPCODES);
}

// Encoding bits 26:13 are ignored: an opcode that asks for them cannot be matched.
static void uncompared_bits_are_refused(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit <= 40; bit++) {
		struct event_request r = request("NOPS_RETIRED");

		r.opcode = (struct event_opcode){.mask = ~(1ULL << bit), .types = 0xF, .given = true};
		assert_int_equal(!itanium()->choices(&r), bit >= 13 && bit <= 26);
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
		struct event_request data = request("DATA_EAR_EVENTS"), instruction = request("INSTRUCTION_EAR_EVENTS");

		data.latency = instruction.latency = (uint16_t)(4 << mask);
		assert_int_equal(itanium()->choices(&data), ALL);
		count = itanium()->settings->needed(&data, 4, settings);
		assert_setting(PMC(11), EAR_BITS, 0x4F | mask << 16, 0);
		count = itanium()->settings->needed(&instruction, 4, settings);
		assert_setting(PMC(10), EAR_BITS, 0x4F | mask << 16, 0);
	}
	settle("DATA_EAR_EVENTS");			// without a latency: all that it captures, 4 cycles and more
	assert_setting(PMC(11), EAR_BITS, 0x4F, 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:lat=3"), 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:lat=5"), 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:lat=8192"), 0);
}

// Tables 6-14 and 6-19: bits 3:2 of translation misses, and bit 1 of data's. Figure 6-20: tlb is bit 7.
static void translation_misses(void **state)
{
	(void)state;
	settle("DATA_EAR_EVENTS:tlb=0xE");
	assert_setting(PMC(11), EAR_BITS, 0xE00CF, 0);
	settle("DATA_EAR_EVENTS:tlb=2:k");
	assert_setting(PMC(11), EAR_BITS, 0x200C1, 0);
	settle("INSTRUCTION_EAR_EVENTS:tlb=8:ism=2");
	assert_setting(PMC(10), EAR_BITS, 0x20800CF, 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:tlb=1"), 0);			// reserved
	assert_int_equal(choices("INSTRUCTION_EAR_EVENTS:tlb=2"), 0);		// ignored
	assert_int_equal(choices("DATA_EAR_EVENTS:tlb=2:lat=8"), 0);		// latency is undefined then
}

// The data EAR and the data range check share PMC11 without touching each other's bits.
static void the_data_recorder_leaves_the_range_alone(void **state)
{
	(void)state;
	settle("DATA_EAR_EVENTS:lat=64");
	assert_setting(PMC(11), EAR_BITS, 0x4004F, 0);
	assert_null(setting_of(PMC(11), PT));
	assert_int_equal(EAR_BITS & PT, 0);
}

// Table 6-21: tar 7, tm 9:8, ptm 11:10, ppm 13:12, bpt 14, bac 15.
static void branch_conditions(void **state)
{
	(void)state;
	settle("BRANCH_EVENT");
	assert_setting(PMC(12), TRACE_BITS, 0xFFCF, 0);
	settle("BRANCH_EVENT:btb=0xDF80:u");			// mispredicted path
	assert_setting(PMC(12), TRACE_BITS, 0xDFC8, 0);
	assert_int_equal(choices("BRANCH_EVENT:btb=1"), 0);
	assert_int_equal(choices("BRANCH_EVENT:btb=0x10000"), 0);
}

//
// Recorders with any trigger (6.1.2.2: "to count, for instance, the number of data cache misses or retired
// instructions")
//

// An event that asks for a recorder needs it set up as the recorder's own event does, which needs nothing else.
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

		settle(cases[i].own);
		own_count = count;
		memcpy(own, settings, sizeof own);
		settle(cases[i].text);
		assert_int_equal(count, own_count);
		for (unsigned n = 0; n < count; n++) {
			const bool branches = settings[n].address == PMC(12);

			assert_int_equal(settings[n].address, own[n].address);
			assert_int_equal(settings[n].mask, own[n].mask);
			// A branch is Itanium code's: the other events need not be (6.1.3.3).
			if (branches || !strstr(cases[i].own, "BRANCH"))
				assert_int_equal(settings[n].value, own[n].value);
		}
	}
	// The counter itself is programmed as without.
	assert_int_equal((uint32_t)encode("IA64_INST_RETIRED:dear:lbr", 4), 0x86F);
}

static void what_recorders_cannot_record_is_refused(void **state)
{
	(void)state;
	assert_int_equal(choices("CPU_CYCLES:dear"), ALL);
	assert_int_equal(choices("CPU_CYCLES:dear:lbr"), ALL);
	assert_int_equal(choices("CPU_CYCLES:dear:iear"), 0);		// one latency, one translation's unit mask
	assert_int_equal(choices("DATA_EAR_EVENTS:iear"), 0);
	assert_int_equal(choices("DATA_EAR_EVENTS:dear"), ALL);
	assert_int_equal(choices("CPU_CYCLES:dear:lat=5"), 0);
	assert_int_equal(choices("CPU_CYCLES:dear:tlb=1"), 0);
	assert_int_equal(choices("CPU_CYCLES:iear:tlb=2"), 0);
	assert_int_equal(choices("CPU_CYCLES:dear:tlb=2:lat=8"), 0);
	assert_int_equal(choices("CPU_CYCLES:lbr=1"), 0);
	assert_int_equal(choices("CPU_CYCLES:lbr:lat=8"), 0);
}

// The interval timer is no monitor (6.1.2.1).
static void the_timer_has_nothing_of_a_monitor(void **state)
{
	(void)state;
	assert_int_equal(choices("ITC"), 1ULL << 32);
	assert_int_equal(choices("ITC:period=1000:dear:lbr"), 1ULL << 32);
	assert_int_equal(choices("ITC:u"), 0);
	assert_int_equal(choices("ITC:c=1"), 0);
	assert_int_equal(choices("ITC:ism=2"), 0);
	assert_int_equal(choices("ITC:ev"), 0);
	assert_int_equal(choices("ITC:oi=0"), 0);
	assert_int_equal(choices("ITC:ctr=4"), 0);
	assert_int_equal(choices("CPU_CYCLES:ctr=32"), 0);
	assert_int_equal(choices("ITC:iar=0-0xFFF"), 0);
}

//
// What shares bits has equal masks
//

static void settings_that_share_bits_have_equal_masks(void **state)
{
	static const char *const texts[] = {
		"NOPS_RETIRED", "NOPS_RETIRED:iar=0-0xFFF:opc=0/0x1FFFFFFFFFF", "DATA_REFERENCES_RETIRED:dar=0-0xFFF",
		"DATA_REFERENCES_RETIRED", "DATA_EAR_EVENTS", "DATA_EAR_EVENTS:iar=0-0xFFF:tlb=2",
		"INSTRUCTION_EAR_EVENTS", "BRANCH_EVENT", "IA64_TAGGED_INST_RETIRED.PMC9:opc=1/0x1FFFFFFFFFE",
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
		cmocka_unit_test(a_range_is_aligned_blocks),
		cmocka_unit_test(a_range_that_four_pairs_cannot_match_is_refused),
		cmocka_unit_test(a_range_that_ends_before_it_begins_is_refused),
		cmocka_unit_test(accepted_ranges_match_exactly),
		cmocka_unit_test(a_major_opcode),
		cmocka_unit_test(a_qualifying_predicate),
		cmocka_unit_test(types_are_the_bits_mifb),
		cmocka_unit_test(uncompared_bits_are_refused),
		cmocka_unit_test(latency_thresholds_are_powers_of_two),
		cmocka_unit_test(translation_misses),
		cmocka_unit_test(the_data_recorder_leaves_the_range_alone),
		cmocka_unit_test(branch_conditions),
		cmocka_unit_test(any_event_can_take_what_a_recorder_holds),
		cmocka_unit_test(what_recorders_cannot_record_is_refused),
		cmocka_unit_test(the_timer_has_nothing_of_a_monitor),
		cmocka_unit_test(settings_that_share_bits_have_equal_masks),
	};

	return cmocka_run_group_tests_name("itanium driver: requests", tests, driver_start, driver_end);
}
