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
	uint64_t cycles, issued, retired, instructions, ports, loop, blocked, aliases, stalls[16];
	uint64_t front_cycles, front[FRONT_EVENTS], sequenced;
} sums;

static int begin(void **state)
{
	(void)state;
	assert_true(processor_load(&processor, "nehalem", &needs));
	pipeline_begin(&pipeline, &processor);
	pipeline_follow_front(&pipeline, true);
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
		sums.loop += pipeline_states(c) & PIPELINE_LOOP ? c->issued : 0;
		sums.blocked += c->blocked;
		sums.aliases += c->aliases;
		for (unsigned n = 0; n < 16; n++)
			sums.stalls[n] += pipeline_states(c) >> n & 1;
	}
	for (const struct pipeline_front *f; (f = pipeline_take_front(&pipeline));
	     sums.front_cycles++) {
		sums.sequenced += f->n[FRONT_MICROCODED] > 0;
		for (unsigned n = 0; n < FRONT_EVENTS; n++)
			sums.front[n] += f->n[n];
	}
}

// All cycles are final.
static void drain(void)
{
	pipeline_drain(&pipeline, 0);
	take();
	assert_int_equal(sums.front_cycles, sums.cycles);
}

static void assert_stalls(unsigned reason, uint64_t cycles)
{
	assert_int_equal(sums.stalls[__builtin_ctz(reason)], cycles);
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

// ORM, bypass delays: a cycle between integers and vectors of integers, two to and from floats. The
// first result has no way before it.
static void results_pass_between_units(void **state)
{
	static const struct {
		unsigned first, second, cycles;
	} cases[] = {
		{PIPELINE_INTEGER, PIPELINE_INTEGER, 2}, {PIPELINE_INTEGER, PIPELINE_VECTOR, 4},
		{PIPELINE_INTEGER, PIPELINE_FLOAT, 6}, {PIPELINE_VECTOR, PIPELINE_FLOAT, 6},
		{PIPELINE_ANY, PIPELINE_FLOAT, 2},
	};

	(void)state;
	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct pipeline_instruction i = compute(P015, 1, R(0), R(0));

		begin(NULL);
		for (unsigned pairs = 0; pairs < 100; pairs++) {
			i.uop[0].unit = cases[n].first;
			add(&i);
			i.uop[0].unit = cases[n].second;
			add(&i);
		}
		drain();
		assert_int_equal(pipeline.retired, 2 + 100 * cases[n].cycles -
				 (cases[n].cycles - 2) / 2);
	}
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
		drain();
		assert_int_equal(sums.aliases, aliases[n]);
		assert_int_equal(sums.blocked, aliases[n]);
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
	assert_stalls(PIPELINE_ROB_FULL, 302 - 32);
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
	assert_stalls(PIPELINE_RS_FULL, 302 - 11);
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
		assert_int_equal(sums.front[FRONT_REPLAYS], sizes[n] <= 28);
		assert_int_equal(sums.front[FRONT_LONG], sizes[n] > 28);
		drain();
		assert_int_equal(sums.front[FRONT_UOPS] + sums.loop, 200 * sizes[n]);
		assert_int_equal(sums.front[FRONT_WRITTEN], sums.front[FRONT_UOPS]);
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
	drain();
	assert_stalls(PIPELINE_REGISTER_READ, 0);
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
	drain();
	assert_int_equal(sums.front[FRONT_FIRST], 100);
	assert_int_equal(sums.front[FRONT_TWO], 100);
	assert_int_equal(sums.front[FRONT_UOPS], 200);
}

// The microcode sequencer delivers four micro-ops in a cycle: twelve in three.
static void long_instructions_come_from_the_sequencer(void **state)
{
	struct pipeline_instruction i = {.count = 12};

	(void)state;
	repeat(i, 10);
	drain();
	assert_int_equal(sums.front[FRONT_MICROCODED], 120);
	assert_int_equal(sums.sequenced, 30);
	assert_int_equal(sums.front[FRONT_UOPS], 0);
	assert_int_equal(sums.front[FRONT_DECODED], 10);
	assert_int_equal(sums.front[FRONT_FIRST], 10);
	assert_int_equal(sums.front[FRONT_TWO], 0);
}

// A repeated string is decoded once; the sequencer delivers each iteration.
static void iterations_come_from_the_sequencer(void **state)
{
	struct pipeline_instruction i = {.count = 3, .repeats = true};

	(void)state;
	for (unsigned n = 0; n < 10; n++) {
		run.next = n < 9 ? run.address : run.address + 4;
		add(&i);
	}
	repeat(nothing(), 1);
	drain();
	assert_int_equal(sums.front[FRONT_WRITTEN], 2);
	assert_int_equal(sums.front[FRONT_DECODED], 2);
	assert_int_equal(sums.front[FRONT_MICROCODED], 30);
	assert_int_equal(sums.sequenced, 10);
	assert_int_equal(sums.front[FRONT_UOPS], 1);
	assert_int_equal(sums.instructions, 2);
}

// A block has four instructions of four bytes.
static void instructions_enter_their_queue(void **state)
{
	(void)state;
	repeat(nothing(), 100);
	drain();
	assert_int_equal(sums.front[FRONT_WRITTEN], 100);
	assert_int_equal(sums.front[FRONT_WRITES], 25);
	assert_int_equal(sums.front[FRONT_DECODED], 100);
	assert_int_equal(sums.front[FRONT_UOPS], 100);
	assert_int_equal(sums.front[FRONT_FIRST], 0);
	assert_int_equal(sums.front[FRONT_FULL], 0);
}

// Of the 16 instructions of a block, six enter the queue in a cycle: three cycles a block. The
// decoders need four, so after a while the queue is full.
static void six_instructions_leave_the_length_decoder(void **state)
{
	struct pipeline_instruction i = nothing();

	(void)state;
	i.length = 1;
	for (unsigned n = 0; n < 48; n++) {
		run.instruction = &i;
		run.next = run.address + 1;
		pipeline_add(&pipeline, &run);
		run = (struct pipeline_run){.address = run.next};
	}
	assert_int_equal(pipeline.now, 12);
	assert_int_equal(pipeline.fetched, 9);
	drain();
	assert_int_equal(sums.front[FRONT_WRITTEN], 48);
	assert_int_equal(sums.front[FRONT_WRITES], 9);
}

// The load retires in cycle 302, and the 129th instruction issues in cycle 303. 28 wait after it in
// the queue of micro-ops, and 18 in that of instructions, which are in 4 to a block. So the 175th,
// with its block in cycle 44, enters in cycle 303.
static void a_full_queue_stops_the_length_decoder(void **state)
{
	(void)state;
	load(0x8000, 300, R(0));
	repeat(nothing(), 173);
	assert_int_equal(pipeline.fetched, 44);
	repeat(nothing(), 1);
	assert_int_equal(pipeline.fetched, 303);
	drain();
	assert_int_equal(sums.front[FRONT_FULL], 303 - 44);
	assert_int_equal(sums.front[FRONT_WRITTEN], 175);
}

// Six cycles, once for a block (InstLatx64).
static void length_changing_prefixes_stop_the_length_decoder(void **state)
{
	struct pipeline_instruction i = nothing();

	(void)state;
	i.lcp = true;
	repeat(i, 40);
	drain();
	assert_int_equal(sums.front[FRONT_LCP], 10 * 6);
}

// Fetches that are late by 20 cycles each.
static void late_fetches_stop_fetch(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 5; n++) {
		run.fetch = 20;
		repeat(nothing(), 1);
	}
	drain();
	assert_int_equal(sums.front[FRONT_LATE], 100);
}

// The branch is fetched in cycle 1. Its target is fetched after a bubble of 8 cycles (SDM 3B,
// BACLEAR.CLEAR), or of one.
static void the_decoder_redirects_fetch(void **state)
{
	(void)state;
	for (unsigned redirected = 0; redirected < 2; redirected++) {
		begin(NULL);
		run.redirected = redirected;
		branch(false, 0x8000);
		repeat(nothing(), 1);
		assert_int_equal(pipeline.now, redirected ? 10 : 3);
	}
}

// Push and pop change the stack pointer without a micro-op. The first explicit use after them needs
// one; further uses, and those after a new value, none.
static void the_stack_engine_is_synchronized(void **state)
{
	struct pipeline_instruction moves = nothing(), uses = nothing(), sets = nothing();

	(void)state;
	moves.folds = true;
	uses.stack = sets.stack_set = R(4);
	repeat(uses, 1);
	repeat(moves, 4);
	repeat(uses, 2);
	repeat(moves, 1);
	repeat(sets, 1);
	repeat(uses, 1);
	drain();
	assert_int_equal(sums.front[FRONT_FOLDED], 5);
	assert_int_equal(sums.front[FRONT_SYNCED], 1);
	assert_int_equal(sums.issued, 10 + 1);
	assert_int_equal(sums.retired, 10 + 1);
	assert_int_equal(sums.ports, 1);
}

// A read of the whole register after a write of its low byte in cycle 1 waits three cycles, to
// cycle 4, and needs a micro-op; nothing issues in cycles 2 and 3. A read of the byte needs none,
// nor one after the whole was written, or if it was 0 before.
static void parts_of_registers_are_joined(void **state)
{
	static const struct {
		uint64_t before, zero, whole, read_16, read_32, stalls;
	} cases[] = {
		{0, 0, 0, 0, R(1), 2}, {0, 0, 0, R(1), 0, 2}, {0, 0, 0, 0, 0, 0},
		{0, 0, 0, 0, R(2), 0}, {0, R(1), 0, 0, R(1), 0}, {R(1), 0, 0, 0, R(1), 2},
		{0, 0, R(1), 0, R(1), 0},
	};

	(void)state;
	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct pipeline_instruction first = nothing(), writes = nothing(), sets = nothing(),
			reads = nothing();

		begin(NULL);
		first.whole = cases[n].before | cases[n].zero;
		first.zero = cases[n].zero;
		writes.part_8 = R(1);
		sets.whole = cases[n].whole;
		reads.read_16 = cases[n].read_16;
		reads.read_32 = cases[n].read_32;
		add(&first);
		add(&writes);
		add(&sets);
		repeat(reads, 2);
		drain();
		assert_stalls(PIPELINE_PARTIAL, cases[n].stalls);
		assert_int_equal(sums.issued, 5 + (cases[n].stalls > 0));
	}
}

// 16 bits are a part only of more.
static void words_are_parts(void **state)
{
	struct pipeline_instruction writes = nothing(), reads = nothing();

	(void)state;
	writes.part_16 = reads.read_16 = R(1);
	add(&writes);
	add(&reads);
	reads.read_32 = R(1);
	add(&reads);
	drain();
	assert_stalls(PIPELINE_PARTIAL, 2);
	assert_int_equal(sums.issued, 3 + 1);
}

// INC writes all flags but the first one in cycle 1. A read of that flag waits 7 cycles, to cycle
// 8: nothing issues in 2 to 7. Other reads do not wait, nor does one after INC has retired.
static void flags_of_several_instructions_are_joined(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 3; n++) {
		struct pipeline_instruction writes = nothing(), reads = nothing();

		begin(NULL);
		writes.flags_written = PIPELINE_FLAGS & ~1;
		reads.flags_read = n == 1 ? 2 : 1;
		add(&writes);
		if (n == 2)
			repeat(nothing(), 12);
		repeat(reads, 2);
		drain();
		assert_stalls(PIPELINE_PARTIAL_FLAGS, n ? 0 : 6);
	}
}

// The store retires in cycle 2. Fetch begins again 17 cycles later.
static void stores_to_code_clear_the_pipeline(void **state)
{
	(void)state;
	run.clears = true;
	assert_int_equal(store(0x1000, 8, 0), 3);
	repeat(nothing(), 1);
	assert_int_equal(pipeline.now, 3 + 17);
	drain();
	assert_stalls(PIPELINE_CLEARS, 17);
}

// The instruction after LDMXCSR waits five cycles; the reason is not that of others.
static void control_registers_delay_issue(void **state)
{
	struct pipeline_instruction i = nothing();

	(void)state;
	i.every = 5;
	i.delays = PIPELINE_MXCSR;
	repeat(i, 1);
	i.delays = 0;
	repeat(i, 1);
	repeat(nothing(), 1);
	assert_int_equal(pipeline.now, 1 + 2 * 5);
	drain();
	assert_stalls(PIPELINE_MXCSR, 4);
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
	drain();
	assert_int_equal(sums.issued, slots);
	assert_int_equal(sums.retired, slots);
	assert_int_equal(sums.ports, ports);
	assert_int_equal(sums.instructions, instructions);
	assert_int_equal(sums.cycles, pipeline.retired);
	assert_int_equal(sums.front[FRONT_UOPS] + sums.front[FRONT_MICROCODED] + sums.loop, slots);
	assert_int_equal(sums.front[FRONT_WRITTEN], sums.front[FRONT_DECODED]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(four_issue_and_retire_per_cycle, begin),
		cmocka_unit_test_setup(a_chain_takes_its_latencies, begin),
		cmocka_unit_test_setup(results_pass_between_units, begin),
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
		cmocka_unit_test_setup(long_instructions_come_from_the_sequencer, begin),
		cmocka_unit_test_setup(iterations_come_from_the_sequencer, begin),
		cmocka_unit_test_setup(instructions_enter_their_queue, begin),
		cmocka_unit_test_setup(six_instructions_leave_the_length_decoder, begin),
		cmocka_unit_test_setup(a_full_queue_stops_the_length_decoder, begin),
		cmocka_unit_test_setup(length_changing_prefixes_stop_the_length_decoder, begin),
		cmocka_unit_test_setup(late_fetches_stop_fetch, begin),
		cmocka_unit_test_setup(the_decoder_redirects_fetch, begin),
		cmocka_unit_test_setup(the_stack_engine_is_synchronized, begin),
		cmocka_unit_test_setup(parts_of_registers_are_joined, begin),
		cmocka_unit_test_setup(words_are_parts, begin),
		cmocka_unit_test_setup(flags_of_several_instructions_are_joined, begin),
		cmocka_unit_test_setup(stores_to_code_clear_the_pipeline, begin),
		cmocka_unit_test_setup(control_registers_delay_issue, begin),
		cmocka_unit_test_setup(sixteen_bytes_are_fetched_per_cycle, begin),
		cmocka_unit_test_setup(nothing_is_lost, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
