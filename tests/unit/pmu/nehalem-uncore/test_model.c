// SPDX-License-Identifier: BSD-2-Clause
// The uncore model: registers, counting, qualification, overflow, and faults.

#include "steps.h"

//
// Registers: SDM 3B, figures of the uncore's registers; the guide, Tables 28 and 37
//

static const struct {
	uint32_t first;
	unsigned count;
	uint64_t holds, clears, ignores;	// all other bits fault
} registers[] = {
	{PERFEVTSEL0, 8, 0xFFD4FFFF, 0, OCC_RST},
	{PMC0, 8, MODULUS - 1, 0, 0},
	{FIXED_CTR0, 1, MODULUS - 1, 0, 0},
	{FIXED_CTR_CTRL, 1, 5, 0, 0},
	{GLOBAL_CTRL, 1, 0x800F0001000000FF, 0, 0},
	{GLOBAL_OVF_CTRL, 1, 0, 0xA0000001000000FF, 0},
	{ADDR_OPCODE_MATCH, 1, 0xE000FFFFFFFFFFF8, 0, 0},
	{SNOOP, 1, 0xFF, 0, 0},
};

#define REGISTERS (sizeof registers / sizeof *registers)

static void everything_resets_to_zero(void **state)
{
	(void)state;
	for (size_t i = 0; i < REGISTERS; i++)
		for (unsigned j = 0; j < registers[i].count; j++)
			assert_int_equal(get(registers[i].first + j), 0);
	assert_int_equal(get(GLOBAL_STATUS), 0);
}

static void each_bit_holds_faults_or_reads_as_zero(void **state)
{
	(void)state;
	for (size_t i = 0; i < REGISTERS; i++)
		for (unsigned j = 0; j < registers[i].count; j++)
			for (unsigned bit = 0; bit < 64; bit++) {
				uint32_t address = registers[i].first + j;
				uint64_t one = 1ULL << bit,
					all = registers[i].holds | registers[i].clears |
								  registers[i].ignores;

				put(address, 0);
				assert_int_equal(model->write(pmu, 0, address, one, 0),
						 (all & one) != 0);
				assert_int_equal(get(address), registers[i].holds & one);
			}
}

static void what_is_not_there_faults(void **state)
{
	static const uint32_t addresses[] = {0x300, 0x302, 0x390, 0x397, 0x3AF, 0x3B8, 0x3BF, 0x3C8,
					     0xC1, 0x186};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		assert_false(model->read(pmu, 0, addresses[i], &value));
		assert_false(model->write(pmu, 0, addresses[i], 0, 0));
	}
	assert_false(model->write(pmu, 0, GLOBAL_STATUS, 0, 0));
	assert_null(model->user);
}

//
// Counting
//

static void the_fixed_counter_counts_the_clock(void **state)
{
	(void)state;
	put(FIXED_CTR_CTRL, 1);
	put(GLOBAL_CTRL, FIXED_BIT);
	cycles_of(1000, CLOCK, 0, 1);
	assert_int_equal(get(FIXED_CTR0), 1000);
	put(FIXED_CTR_CTRL, 0);
	cycles_of(1000, CLOCK, 0, 1);
	put(FIXED_CTR_CTRL, 1);
	put(GLOBAL_CTRL, 0xFF);
	cycles_of(1000, CLOCK, 0, 1);
	assert_int_equal(get(FIXED_CTR0), 1000);
}

static void events_of_a_cycle_add_up_by_unit_mask(void **state)
{
	static const uint64_t expected[] = {50, 20, 30, 50};	// by unit mask

	(void)state;
	for (unsigned n = 0; n < 8; n++)
		count_on(n, EVENT(0x08, n & 3));
	SIGNALS({0x08, 1, 2}, {0x08, 2, 3}, {0x08, 0, 5}, {0x09, 3, 100});
	run(10);
	for (unsigned n = 0; n < 8; n++)
		assert_int_equal(get(PMC0 + n), expected[n & 3]);
}

static void a_counter_needs_both_enables(void **state)
{
	(void)state;
	put(PERFEVTSEL0, EVENT(0x08, 1));
	put(PERFEVTSEL0 + 1, EVENT(0x08, 1) | EN);
	put(PERFEVTSEL0 + 2, EVENT(0x08, 1) | EN);
	put(GLOBAL_CTRL, 3);
	cycles_of(10, 0x08, 1, 1);
	assert_int_equal(get(PMC0), 0);
	assert_int_equal(get(PMC0 + 1), 10);
	assert_int_equal(get(PMC0 + 2), 0);
}

static void cmask_inv_and_edge_make_a_condition(void **state)
{
	(void)state;
	count_on(0, EVENT(0x08, 1) | CMASK(2));
	count_on(1, EVENT(0x08, 1) | CMASK(2) | INV);
	count_on(2, EVENT(0x08, 1) | CMASK(2) | E);
	count_on(3, EVENT(0x08, 1) | CMASK(2) | INV | E);
	count_on(4, EVENT(0x08, 1) | E);		// without a threshold: the events
	for (unsigned i = 0; i < 5; i++) {
		cycles_of(3, 0x08, 1, 2);
		cycles_of(4, 0x08, 1, 1);
	}
	assert_int_equal(get(PMC0), 15);
	assert_int_equal(get(PMC0 + 1), 20);
	assert_int_equal(get(PMC0 + 2), 5);
	assert_int_equal(get(PMC0 + 3), 5);
	assert_int_equal(get(PMC0 + 4), 5 * (6 + 4));
}

// model.h, leave_out.
static void a_condition_without_an_event_is_not_met_if_its_counter_is_left_out(void **state)
{
	(void)state;
	count_on(6, EVENT(0x08, 1) | CMASK(1) | INV);
	count_on(7, EVENT(0x08, 1) | CMASK(1) | INV);
	model->machine->leave_out(pmu, 0, 1u << 7);
	cycles_of(10, CLOCK, 0, 1);
	assert_int_equal(get(PMC0 + 6), 10);
	assert_int_equal(get(PMC0 + 7), 0);
	count_on(6, EVENT(0x35, 4) | CMASK(1) | INV);
	model->machine->leave_out(pmu, 0, 1u << 6);
	cycles_of(10, CLOCK, 0, 1);
	assert_int_equal(get(PMC0 + 6), 10);	// matching is off (Table 37), so no event can match
	put(ADDR_OPCODE_MATCH, 1ULL << 63 | 0x1DULL << 40);
	cycles_of(10, CLOCK, 0, 1);
	assert_int_equal(get(PMC0 + 6), 10);
}

//
// Address and opcode match: the guide, Table 37
//

#define ADDRESS	0x1234567890ULL
#define OPCODE	0x1DULL

static void match_select_combines_address_and_opcode(void **state)
{
	static const struct {
		unsigned select;
		bool both, address, opcode;	// true if an occurrence counts in which these match
	} cases[] = {
		{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 1, 0, 1}, {3, 1, 0, 1}, {4, 1, 1, 0}, {5, 1, 1, 0},
		{6, 1, 1, 1},
		{7, 1, 1, 1},
	};

	(void)state;
	count_on(0, EVENT(0x35, 4));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put(ADDR_OPCODE_MATCH, (uint64_t)cases[i].select << 61 | OPCODE << 40 | ADDRESS);
		put(PMC0, 0);
		SIGNALS({0x35, 4, 1, .address = ADDRESS | 7, .opcode = OPCODE},
		      {0x35, 4, 10, .address = ADDRESS, .opcode = OPCODE + 1},
		      {0x35, 4, 100, .address = ADDRESS ^ 8, .opcode = OPCODE},
		      {0x35, 4, 1000, .address = ADDRESS ^ 1ULL << 39, .opcode = 0},
		      {0x35, 2, 10000, .address = ADDRESS, .opcode = OPCODE});
		run(1);
		no_signals();
		assert_int_equal(get(PMC0),
				 cases[i].both + 10 * cases[i].address + 100 * cases[i].opcode);
	}
}

//
// Snoops: the guide, Table 28
//

static void a_hit_counts_if_the_bit_of_its_state_is_set(void **state)
{
	(void)state;
	count_on(0, EVENT(0x0C, 4));
	count_on(1, EVENT(0x0C, 8));
	count_on(2, EVENT(0x0C, 1));
	for (unsigned set = 0; set < 8; set++)
		for (unsigned happens = 0; happens < 8; happens++) {
			put(SNOOP, 1u << set);
			for (unsigned n = 0; n < 3; n++)
				put(PMC0 + n, 0);
			SIGNALS({0x0C, happens < 4 ? 1 | 4 : 2 | 8, 3, .opcode = 1u << happens});
			run(1);
			no_signals();
			assert_int_equal(get(PMC0), set == happens && set < 4 ? 3 : 0);
			assert_int_equal(get(PMC0 + 1), set == happens && set >= 4 ? 3 : 0);
			assert_int_equal(get(PMC0 + 2), happens < 4 ? 3 : 0);
		}
}

//
// Overflow: SDM 3B
//

static void set_up_overflow(uint64_t flags, uint64_t control)
{
	put(PERFEVTSEL0 + 3, EVENT(0x08, 1) | EN | flags);
	put(PMC0 + 3, MODULUS - 10);
	put(FIXED_CTR_CTRL, 1);
	put(FIXED_CTR0, 0);
	put(GLOBAL_CTRL, 8 | FIXED_BIT | control);
	SIGNALS({0x08, 1, 1}, {CLOCK, 0, 1});
}

static void an_overflow_with_pmi_signals_the_selected_cores_and_freezes(void **state)
{
	(void)state;
	for (unsigned cores = 1; cores < 16; cores++) {
		set_up_overflow(PMI, CORES(cores) | PMI_FRZ);
		assert_int_equal(outputs()->headroom, 9);
		run(9);
		assert_int_equal(outputs()->requests, 0);
		run(100);
		assert_int_equal(outputs()->requests, cores);
		assert_int_equal(get(GLOBAL_STATUS), 8 | OVF_PMI | CHG);
		assert_int_equal(get(GLOBAL_CTRL), CORES(cores) | PMI_FRZ);
		assert_int_equal(get(PMC0 + 3), 0);
		assert_int_equal(get(FIXED_CTR0), 10);
		outputs()->requests = 0;
		put(GLOBAL_OVF_CTRL, 8 | OVF_PMI | CHG);
		assert_int_equal(get(GLOBAL_STATUS), 0);
	}
}

static void without_pmi_an_overflow_only_sets_its_status(void **state)
{
	(void)state;
	set_up_overflow(0, CORES(15) | PMI_FRZ);
	assert_true(outputs()->headroom >= MODEL_FAR);
	run(109);
	assert_int_equal(outputs()->requests, 0);
	assert_int_equal(get(GLOBAL_STATUS), 8 | CHG);
	assert_int_equal(get(PMC0 + 3), 99);
	assert_int_equal(get(FIXED_CTR0), 109);
}

static void without_selected_cores_nobody_is_signalled_and_the_freeze_holds(void **state)
{
	(void)state;
	set_up_overflow(PMI, PMI_FRZ);
	assert_true(outputs()->headroom >= MODEL_FAR);
	run(109);
	assert_int_equal(outputs()->requests, 0);
	assert_int_equal(get(GLOBAL_STATUS), 8 | OVF_PMI | CHG);
	assert_int_equal(get(FIXED_CTR0), 10);
}

static void clearing_clears_exactly_the_bits_written(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 8; n++) {
		put(PERFEVTSEL0 + n, EVENT(0x08, 1) | EN | PMI);
		put(PMC0 + n, MODULUS - 1);
	}
	put(GLOBAL_CTRL, 0xFF);
	cycles_of(1, 0x08, 1, 1);
	assert_int_equal(get(GLOBAL_STATUS), 0xFF | OVF_PMI | CHG);
	put(GLOBAL_OVF_CTRL, 0x11);
	assert_int_equal(get(GLOBAL_STATUS), 0xEE | OVF_PMI | CHG);
	put(GLOBAL_OVF_CTRL, OVF_PMI);
	assert_int_equal(get(GLOBAL_STATUS), 0xEE | CHG);
	put(GLOBAL_OVF_CTRL, CHG);
	assert_int_equal(get(GLOBAL_STATUS), 0xEE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(everything_resets_to_zero),
		TEST(each_bit_holds_faults_or_reads_as_zero),
		TEST(what_is_not_there_faults),
		TEST(the_fixed_counter_counts_the_clock),
		TEST(events_of_a_cycle_add_up_by_unit_mask),
		TEST(a_counter_needs_both_enables),
		TEST(cmask_inv_and_edge_make_a_condition),
		TEST(a_condition_without_an_event_is_not_met_if_its_counter_is_left_out),
		TEST(match_select_combines_address_and_opcode),
		TEST(a_hit_counts_if_the_bit_of_its_state_is_set),
		TEST(an_overflow_with_pmi_signals_the_selected_cores_and_freezes),
		TEST(without_pmi_an_overflow_only_sets_its_status),
		TEST(without_selected_cores_nobody_is_signalled_and_the_freeze_holds),
		TEST(clearing_clears_exactly_the_bits_written),
	};

	return cmocka_run_group_tests_name("nehalem-uncore model", tests, find_model,
					   release_model);
}
