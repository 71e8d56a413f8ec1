// SPDX-License-Identifier: BSD-2-Clause
// The in-order core of two pipes (hal/emu/model/inorder.h) with Knights Corner's latencies, counted
// by hand: 1 cycle from a load to its use, 3 to its use in an address, 23 from the L2 cache, 4 from
// a vector instruction; 4 cycles for a misprediction. The first instruction issues in cycle 1.

#include "unit.h"

#include "../../../hal/emu/model/inorder.h"

#define R(n)	(1ULL << (n))
#define Z(n)	(1ULL << (INORDER_VECTORS + (n)))
#define L2_LATE	22	// cycles later than from the L1 data cache, which takes 1

static const struct processor_needs needs = {.latencies = INORDER_LATENCIES};
static struct processor processor;
static struct inorder core;
static unsigned waited;		// by the last instruction

static int begin(void **state)
{
	(void)state;
	assert_true(processor_load(&processor, "knc", &needs));
	inorder_begin(&core, &processor);
	return 0;
}

static const struct inorder_instruction plain = {.stages = 1, .latency = 1};

static struct inorder_instruction one(uint64_t reads, uint64_t writes)
{
	return (struct inorder_instruction){.stages = 1, .latency = 1, .reads = reads,
					    .writes = writes};
}

// Issues a thread's next instruction, whose loads are `late`. Returns its cycle.
static uint64_t load(unsigned thread, struct inorder_instruction i, unsigned late)
{
	uint64_t cycle;

	waited = inorder_waits(&core, thread, &i, inorder_when(&core, thread), &cycle);
	inorder_delay(&core, thread, cycle);
	cycle = inorder_when(&core, thread);
	inorder_issue(&core, thread, &i, cycle, 0, late);
	return cycle;
}

static uint64_t issue(unsigned thread, struct inorder_instruction i)
{
	return load(thread, i, 0);
}

// Issues n instructions of a set of threads, each the thread's that is first. Returns the last
// one's cycle.
static uint64_t issue_all(unsigned threads, unsigned n)
{
	uint64_t cycle = 0;

	while (n--)
		cycle = issue(inorder_next(&core, threads), plain);
	return cycle;
}

// 1, 3, 5, ...: CPI 2.
static void a_thread_issues_every_other_cycle(void **state)
{
	(void)state;
	assert_int_equal(issue_all(1, 100), 1 + 2 * 99);
}

// Two instructions in cycle 1, two in 3: CPI 1.
static void a_pair_issues_in_one_cycle(void **state)
{
	uint64_t cycle = 0;

	(void)state;
	for (unsigned n = 0; n < 50; n++) {
		cycle = issue(0, plain);
		inorder_issue(&core, 0, &plain, cycle, 0, 0);
	}
	assert_int_equal(cycle, 1 + 2 * 49);
}

// Two threads fill all cycles. Four do, too, each with every fourth cycle. Of three, each has every
// third.
static void threads_share_the_cycles(void **state)
{
	(void)state;
	assert_int_equal(issue_all(3, 100), 100);
	begin(NULL);
	assert_int_equal(issue_all(0xF, 100), 100);
	begin(NULL);
	assert_int_equal(issue_all(7, 99), 99);
	for (unsigned thread = 0; thread < 3; thread++)
		assert_int_equal(core.thread[thread].issued, 97 + thread);
}

// Round-robin from thread 0 on, also when a thread joins: 0 1 0 1, then 2 is the next after 1.
static void they_take_turns(void **state)
{
	(void)state;
	assert_int_equal(inorder_next(&core, 0xF), 0);
	assert_int_equal(issue(0, plain), 1);
	assert_int_equal(inorder_next(&core, 3), 1);
	assert_int_equal(issue(1, plain), 2);
	assert_int_equal(inorder_next(&core, 3), 0);
	assert_int_equal(inorder_next(&core, 7), 2);
	assert_int_equal(issue(2, plain), 3);
	assert_int_equal(inorder_next(&core, 3), 0);
	assert_int_equal(issue(0, plain), 4);
	assert_int_equal(issue(1, plain), 5);
}

// A loaded value is there in the next cycle, so it delays nothing; from the L2 cache it comes 23
// cycles after the load: used in cycle 24. An instruction that does not use it issues in cycle 3.
static void a_load_is_waited_for_at_its_use(void **state)
{
	(void)state;
	assert_int_equal(issue(0, one(0, R(1))), 1);
	assert_int_equal(issue(0, one(R(1), 0)), 3);
	assert_int_equal(waited, 0);
	begin(NULL);
	assert_int_equal(load(0, one(0, R(1)), L2_LATE), 1);
	assert_int_equal(issue(0, plain), 3);
	assert_int_equal(issue(0, one(R(1), 0)), 24);
	assert_int_equal(waited, INORDER_DATA);
	assert_int_equal(issue(0, plain), 26);
}

// An instruction of two cycles that adds a loaded value: the second cycle needs the data, which is
// 22 cycles late. Meanwhile stage E is free for another thread from cycle 3 on.
static void an_instruction_that_uses_its_own_load_waits(void **state)
{
	struct inorder_instruction add = one(R(1), R(1));

	(void)state;
	add.stages = 2;
	add.uses = true;
	assert_int_equal(issue(0, add), 1);
	assert_int_equal(issue(0, plain), 3);
	begin(NULL);
	assert_int_equal(load(0, add, L2_LATE), 1);
	assert_int_equal(inorder_next(&core, 3), 1);
	assert_int_equal(issue(1, plain), 3);
	assert_int_equal(issue(0, plain), 3 + 22);
}

// A register written in cycle 1 can be in an address from cycle 4 on. A chase in the L1 data cache
// takes 3 cycles a step, in the L2 cache 23.
static void an_address_waits_three_cycles(void **state)
{
	struct inorder_instruction step = {.stages = 1, .latency = 1, .addresses = R(1),
					   .writes = R(1)};

	(void)state;
	assert_int_equal(issue(0, one(0, R(1))), 1);
	assert_int_equal(issue(0, step), 4);
	assert_int_equal(waited, INORDER_ADDRESS);
	assert_int_equal(issue(0, step), 7);
	assert_int_equal(load(0, step, L2_LATE), 10);
	assert_int_equal(issue(0, step), 33);
}

// With two threads, the other one issues in the cycles of the wait.
static void a_thread_that_waits_holds_no_other(void **state)
{
	struct inorder_instruction step = {.stages = 1, .latency = 1, .addresses = R(1)};

	(void)state;
	assert_int_equal(issue(0, one(0, R(1))), 1);
	assert_int_equal(issue(1, plain), 2);
	assert_int_equal(inorder_next(&core, 3), 0);
	assert_int_equal(issue(0, step), 4);
	assert_int_equal(issue(1, plain), 5);
}

// 1, 5, 9: each waits for the one before; a store of the register as well.
static void a_vector_result_takes_four_cycles(void **state)
{
	struct inorder_instruction chained = one(Z(3), Z(3)), stores = one(Z(3), 0);

	(void)state;
	chained.latency = 4;
	assert_int_equal(issue(0, chained), 1);
	assert_int_equal(issue(0, chained), 5);
	assert_int_equal(waited, INORDER_VECTOR);
	assert_int_equal(issue(0, stores), 9);
	assert_int_equal(issue(0, plain), 11);
	assert_int_equal(waited, 0);
}

// A multiplication of 9 cycles, 1 to 9, occupies stage E for all threads.
static void an_instruction_of_several_cycles_holds_all_threads(void **state)
{
	struct inorder_instruction multiply = one(R(0), R(0));

	(void)state;
	multiply.stages = 9;
	assert_int_equal(issue(0, multiply), 1);
	assert_int_equal(issue(1, plain), 10);
	assert_int_equal(issue(0, one(R(0), 0)), 11);
	assert_int_equal(waited, 0);
}

// A pair takes as long as the longer one, and a cycle more if its references conflict.
static void a_pair_takes_the_longer_time(void **state)
{
	struct inorder_instruction add = one(R(1), R(1));
	uint64_t cycle;

	(void)state;
	add.stages = 2;
	cycle = issue(0, plain);
	inorder_issue(&core, 0, &add, cycle, 1, 0);
	assert_int_equal(issue(1, plain), 4);
}

// A branch in cycle 1; 2 to 5 are lost. Another thread loses nothing.
static void a_misprediction_costs_four_cycles(void **state)
{
	(void)state;
	assert_int_equal(issue(0, plain), 1);
	inorder_flush(&core, 0);
	assert_int_equal(issue(1, plain), 2);
	assert_int_equal(issue(1, plain), 4);
	assert_int_equal(issue(0, plain), 6);
}

// A register that an earlier instruction of another thread writes is another register.
static void threads_have_registers_of_their_own(void **state)
{
	(void)state;
	assert_int_equal(load(0, one(0, R(1)), L2_LATE), 1);
	assert_int_equal(issue(1, one(R(1), 0)), 2);
	assert_int_equal(waited, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_thread_issues_every_other_cycle, begin),
		cmocka_unit_test_setup(a_pair_issues_in_one_cycle, begin),
		cmocka_unit_test_setup(threads_share_the_cycles, begin),
		cmocka_unit_test_setup(they_take_turns, begin),
		cmocka_unit_test_setup(a_load_is_waited_for_at_its_use, begin),
		cmocka_unit_test_setup(an_instruction_that_uses_its_own_load_waits, begin),
		cmocka_unit_test_setup(an_address_waits_three_cycles, begin),
		cmocka_unit_test_setup(a_thread_that_waits_holds_no_other, begin),
		cmocka_unit_test_setup(a_vector_result_takes_four_cycles, begin),
		cmocka_unit_test_setup(an_instruction_of_several_cycles_holds_all_threads, begin),
		cmocka_unit_test_setup(a_pair_takes_the_longer_time, begin),
		cmocka_unit_test_setup(a_misprediction_costs_four_cycles, begin),
		cmocka_unit_test_setup(threads_have_registers_of_their_own, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
