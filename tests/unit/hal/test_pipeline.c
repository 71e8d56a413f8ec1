// SPDX-License-Identifier: BSD-2-Clause
// The pipeline of an out-of-order core (hal/emu/model/pipeline.h), with Nehalem's sizes, counted by
// hand. The first micro-op issues in cycle 1, executes from cycle 2 on, and retires when its result
// is ready.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/model/pipeline.h"

#define P1	0x02
#define P015	0x23
#define LOAD	(1u << PROCESSOR_LOAD)
#define STA	(1u << PROCESSOR_STORE_ADDRESS)
#define STD	(1u << PROCESSOR_STORE_DATA)
#define R(n)	(1ULL << (n))

static const struct processor_needs needs = {
	.latencies = PIPELINE_LATENCIES, .widths = PIPELINE_WIDTHS, .queues = PIPELINE_QUEUES,
};
static struct processor processor;
static struct pipeline pipeline;
static struct pipeline_run run;		// of the next instruction

// Sums over the final cycles.
static struct sums {
	uint64_t cycles, issued, retired, instructions, ports, loop, aliases, stalls[8];
} sums;

static int begin(void **state)
{
	(void)state;
	assert_true(processor_load(&processor, "nehalem", &needs));
	pipeline_begin(&pipeline, &processor);
	run = (struct pipeline_run){.address = 0x1000};
	sums = (struct sums){.cycles = 0};
	return 0;
}

static void take(void)
{
	for (const struct pipeline_cycle *c; (c = pipeline_take(&pipeline)); sums.cycles++) {
		sums.issued += c->issued;
		sums.retired += c->retired;
		sums.instructions += c->instructions;
		sums.ports += (unsigned)__builtin_popcount(c->executed);
		sums.loop += c->states & PIPELINE_LOOP ? c->issued : 0;
		sums.aliases += c->aliases;
		for (unsigned n = 0; n < 8; n++)
			sums.stalls[n] += c->states >> n & 1;
	}
}

// Executes an instruction of 4 bytes, which then goes on to the next one. Returns the cycle in
// which it retires.
static uint64_t add(struct pipeline_instruction *i)
{
	uint64_t cycle;

	i->length = 4;
	run.instruction = i;
	if (!run.next)
		run.next = run.address + 4;
	cycle = pipeline_add(&pipeline, &run);
	run = (struct pipeline_run){.address = run.next};
	take();
	return cycle;
}

static uint64_t repeat(struct pipeline_instruction i, unsigned count)
{
	uint64_t cycle = 0;

	while (count--)
		cycle = add(&i);
	return cycle;
}

static struct pipeline_instruction one(struct pipeline_uop uop)
{
	return (struct pipeline_instruction){.count = 1, .uop = {uop}};
}

static struct pipeline_instruction compute(unsigned ports, unsigned latency, uint64_t reads,
					   uint64_t writes)
{
	return one((struct pipeline_uop){.ports = (uint8_t)ports, .latency = (uint8_t)latency,
					 .reads = reads, .writes = writes});
}

static struct pipeline_instruction nothing(void)
{
	return compute(0, 0, 0, 0);
}

static uint64_t load(uint64_t from, unsigned latency, uint64_t writes)
{
	struct pipeline_instruction i = one((struct pipeline_uop){
		.kind = PIPELINE_LOADS, .ports = LOAD, .writes = writes,
	});

	run.load[run.loads++] = (struct pipeline_reference){from, 8, latency};
	return add(&i);
}

static uint64_t store(uint64_t to, unsigned size, uint64_t reads)
{
	struct pipeline_instruction i = {
		.count = 2, .uop = {
			{.kind = PIPELINE_STORE_ADDRESS, .ports = STA, .latency = 1},
			{.kind = PIPELINE_STORE_DATA, .ports = STD, .reads = reads, .fused = true},
		},
	};

	run.store[run.stores++] = (struct pipeline_reference){to, size, 0};
	return add(&i);
}

static uint64_t branch(bool mispredicted, uint64_t to)
{
	struct pipeline_instruction i = compute(1u << 5, 1, 0, 0);

	i.branch = true;
	run.mispredicted = mispredicted;
	run.next = to;
	return add(&i);
}

static void four_issue_and_retire_per_cycle(void **state)
{
	(void)state;
	assert_int_equal(repeat(nothing(), 400), 100 + 1);
}

static void a_chain_takes_its_latencies(void **state)
{
	(void)state;
	assert_int_equal(repeat(compute(P015, 1, R(0), R(0)), 100), 2 + 100);
	begin(NULL);
	assert_int_equal(repeat(compute(P1, 3, R(0), R(0)), 100), 2 + 300);
}

// One port executes one micro-op per cycle, three ports three.
static void ports_limit(void **state)
{
	(void)state;
	assert_int_equal(repeat(compute(P1, 1, 0, R(0)), 300), 2 + 300);
	begin(NULL);
	assert_int_equal(repeat(compute(P015, 1, 0, R(0)), 300), 2 + 100);
}

// The divider is busy for 11 cycles, the result takes 22. The tenth divide begins in cycle 2 + 9 x
// 11.
static void one_divides_at_a_time(void **state)
{
	struct pipeline_instruction i = compute(1, 22, 0, R(0));

	(void)state;
	i.uop[0].busy = 11;
	assert_int_equal(repeat(i, 10), 2 + 9 * 11 + 22);
}

// Each pair takes 5 cycles from the data of the store to the loaded register, which the next one
// stores. A store of a part of the loaded bytes delays the load by 10 more.
static void stores_forward(void **state)
{
	uint64_t cycle[2];

	(void)state;
	for (unsigned size = 8; size; size -= 4) {
		begin(NULL);
		for (unsigned n = 0; n < 200; n++) {
			store(0x8000, size, R(0));
			cycle[n / 100] = load(0x8000, 4, R(0));
		}
		assert_int_equal(cycle[1] - cycle[0], 100 * (size == 8 ? 5 : 15));
	}
}

// The load of another page needs no data of the store, but waits for it: the store's data are ready
// in cycle 102, the load's 4 cycles later. Without the same offset it takes 4 cycles from cycle 2.
static void equal_offsets_alias(void **state)
{
	static const unsigned aliases[] = {1, 0};

	(void)state;
	for (unsigned n = 0; n < 2; n++) {
		struct pipeline_instruction slow = compute(P1, 100, 0, R(0));

		begin(NULL);
		add(&slow);
		store(0x8000, 8, R(0));
		load(0x9000 + 8 * n, 4, R(1));
		assert_int_equal(pipeline.ready[1], n ? 2 + 4 : 102 + 4);
		pipeline_drain(&pipeline, 0);
		take();
		assert_int_equal(sums.aliases, aliases[n]);
	}
}

// The load retires in cycle 302, when its data arrive. 127 more entries fill the reorder buffer in
// cycle 32. The next micro-op issues in cycle 303.
static void a_long_load_fills_the_reorder_buffer(void **state)
{
	(void)state;
	assert_int_equal(load(0x8000, 300, R(0)), 302);
	repeat(nothing(), 127);
	assert_int_equal(pipeline.now, 32);
	repeat(nothing(), 1);
	assert_int_equal(pipeline.now, 303);
	assert_int_equal(sums.stalls[__builtin_ctz(PIPELINE_ROB_FULL)], 302 - 32);
}

// 36 micro-ops wait for the load's data in the scheduler, the last of them issued in cycle 10.
// Three leave in cycle 302, when the data arrive; then the next one can issue.
static void waiting_micro_ops_fill_the_scheduler(void **state)
{
	(void)state;
	load(0x8000, 300, R(0));
	repeat(compute(P015, 1, R(0), 0), 36);
	assert_int_equal(pipeline.now, 10);
	repeat(compute(P015, 1, R(0), 0), 1);
	assert_int_equal(pipeline.now, 302);
	take();
	assert_int_equal(sums.stalls[__builtin_ctz(PIPELINE_RS_FULL)], 302 - 11);
}

// The first load retires in cycle 302. The 48 load buffers are then full, or the 32 store buffers,
// and the next load or store issues in cycle 303. Four loads issue and one executes per cycle: in
// cycle 12 the scheduler holds 36 of them, and the last one issues in cycle 13. A store is two
// micro-ops in the scheduler, and two micro-ops of stores execute per cycle: the scheduler is full
// in cycle 6, after 23 stores; one store issues in each later cycle. A store leaves its buffer a
// cycle after it has retired.
static void loads_and_stores_fill_their_buffers(void **state)
{
	(void)state;
	load(0x8000, 300, R(0));
	for (unsigned n = 1; n < 48; n++)
		load(0x8000 + 64 * n, 4, R(1));
	assert_int_equal(pipeline.now, 13);
	load(0x10000, 4, R(1));
	assert_int_equal(pipeline.now, 303);
	begin(NULL);
	load(0x8000, 300, R(0));
	for (unsigned n = 0; n < 32; n++)
		store(0x10000 + 64 * n, 8, 0);
	assert_int_equal(pipeline.now, 6 + 32 - 23);
	store(0x20000, 8, 0);
	assert_int_equal(pipeline.now, 303);
}

// The branch issues in cycle 1. The next group would issue in cycle 2; mispredicted, 17 cycles
// later.
static void a_misprediction_costs_17_cycles(void **state)
{
	(void)state;
	for (unsigned mispredicted = 0; mispredicted < 2; mispredicted++) {
		begin(NULL);
		repeat(nothing(), 3);
		branch(mispredicted, 0);
		repeat(nothing(), 1);
		assert_int_equal(pipeline.now, mispredicted ? 2 + 17 : 2);
	}
}

// A. Fog: a loop of 4N micro-ops takes N + 1 cycles from the loop stream detector, which repeats 28
// micro-ops at most. 29 are fetched: 116 bytes take 8 blocks, and the taken branch a cycle more.
static void short_loops_repeat(void **state)
{
	static const unsigned sizes[] = {4, 28, 29}, cycles[] = {2, 8, 9};
	uint64_t at[2];

	(void)state;
	for (unsigned n = 0; n < 3; n++) {
		begin(NULL);
		for (unsigned i = 0; i < 200; i++) {
			repeat(nothing(), sizes[n] - 1);
			branch(false, 0x1000);
			at[i / 100] = pipeline.now;
		}
		assert_int_equal(at[1] - at[0], 100 * cycles[n]);
		assert_int_equal(sums.loop > 0, sizes[n] <= 28);
	}
}

// Three registers that have retired can be read per cycle, the fourth in the next one.
static void a_group_reads_three_retired_registers(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 4; n++) {
		assert_int_equal(pipeline.now, 1);
		repeat(compute(P015, 1, R(n), R(n)), 1);
	}
	assert_int_equal(pipeline.now, 2);
	repeat(nothing(), 8);
	pipeline_drain(&pipeline, 0);
	take();
	assert_int_equal(sums.stalls[__builtin_ctz(PIPELINE_REGISTER_READ)], 0);
}

// It waits for the load, which retires in cycle 102, and all later instructions wait for it.
static void a_serializing_instruction_is_alone(void **state)
{
	struct pipeline_instruction i = nothing();

	(void)state;
	load(0x8000, 100, R(0));
	i.serializes = true;
	assert_int_equal(add(&i), 103 + 1);
	repeat(nothing(), 1);
	assert_int_equal(pipeline.now, 105);
}

// A decoder decodes up to four micro-ops, the others one: instructions of two take a cycle each.
static void instructions_of_two_micro_ops_need_the_first_decoder(void **state)
{
	struct pipeline_instruction i = {.count = 2};

	(void)state;
	assert_int_equal(repeat(i, 100), 100 + 1);
}

// 400 bytes are 25 blocks of 16, or 100 instructions of 4.
static void sixteen_bytes_are_fetched_per_cycle(void **state)
{
	struct pipeline_instruction i = nothing();

	(void)state;
	for (unsigned n = 0; n < 40; n++) {
		i.length = 10;
		run.instruction = &i;
		run.next = run.address + 10;
		pipeline_add(&pipeline, &run);
		run = (struct pipeline_run){.address = run.next};
	}
	assert_int_equal(pipeline.now, 25);
}

// Whatever the program, each micro-op issues, executes and retires once, and each cycle is final
// once.
static void nothing_is_lost(void **state)
{
	uint64_t slots = 0, ports = 0, instructions = 0;

	(void)state;
	srand(1);
	for (; instructions < 20000; instructions++) {
		const unsigned reg = (unsigned)rand() % 16;
		struct pipeline_instruction i = compute(P015, 1 + (unsigned)rand() % 5, R(reg),
							R(rand() % 16));

		switch (rand() % 6) {
		case 0:
			load((uint64_t)rand() % 65536, rand() % 20 ? 4 : 200, R(reg));
			ports++;
			break;
		case 1:
			store((uint64_t)rand() % 65536, 8, R(reg));
			ports += 2;
			break;
		case 2:
			branch(rand() % 10 == 0, rand() % 4 ? 0 : 0x1000);
			ports++;
			break;
		default:
			i.serializes = rand() % 50 == 0;
			add(&i);
			ports++;
		}
		slots++;
	}
	pipeline_drain(&pipeline, 0);
	take();
	assert_int_equal(sums.issued, slots);
	assert_int_equal(sums.retired, slots);
	assert_int_equal(sums.ports, ports);
	assert_int_equal(sums.instructions, instructions);
	assert_int_equal(sums.cycles, pipeline.retired);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(four_issue_and_retire_per_cycle, begin),
		cmocka_unit_test_setup(a_chain_takes_its_latencies, begin),
		cmocka_unit_test_setup(ports_limit, begin),
		cmocka_unit_test_setup(one_divides_at_a_time, begin),
		cmocka_unit_test_setup(stores_forward, begin),
		cmocka_unit_test_setup(equal_offsets_alias, begin),
		cmocka_unit_test_setup(a_long_load_fills_the_reorder_buffer, begin),
		cmocka_unit_test_setup(waiting_micro_ops_fill_the_scheduler, begin),
		cmocka_unit_test_setup(loads_and_stores_fill_their_buffers, begin),
		cmocka_unit_test_setup(a_misprediction_costs_17_cycles, begin),
		cmocka_unit_test_setup(short_loops_repeat, begin),
		cmocka_unit_test_setup(a_group_reads_three_retired_registers, begin),
		cmocka_unit_test_setup(a_serializing_instruction_is_alone, begin),
		cmocka_unit_test_setup(instructions_of_two_micro_ops_need_the_first_decoder, begin),
		cmocka_unit_test_setup(sixteen_bytes_are_fetched_per_cycle, begin),
		cmocka_unit_test_setup(nothing_is_lost, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
