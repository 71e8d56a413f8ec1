// SPDX-License-Identifier: BSD-2-Clause
// Captures of the event address registers.

#include "model_capture.h"

#define EAR_ON		ALL_LEVELS
#define VALID		1ULL
#define PMD0_TLB	2ULL
#define LATENCY		0xFFFULL
#define LEVEL(n)	((uint64_t)(n) << 62)

// Tables 6-12 and 6-17, typed; 0: no events are captured.
static const uint32_t least_latency[16] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};

//
// Instruction event address (6.2.7.1 - 6.2.7.3)
//

static void instruction_latency_thresholds(void **state)
{
	(void)state;
	for (unsigned umask = 0; umask < 16; umask++)
		for (uint32_t latency = 1; latency < 5000; latency += latency < 130 ? 1 : 61) {
			uint32_t near[] = {latency, least_latency[umask] - 1, least_latency[umask],
					   least_latency[umask] + 1};

			for (unsigned i = 0; i < 4; i++) {
				bool captured = umask < 11 && near[i] >= least_latency[umask];

				clear_captured();
				put(PMC + 10, EAR_ON | UMASK(umask));
				set_counter(4, ES(INSTRUCTION_EAR_EVENTS));
				HAPPENS({.code = L2_INST_DEMAND_READS, .n = 1, .ip = 0x1234560,
					 .latency = near[i]});
				assert_int_equal(get(PMD + 4), captured);
				assert_int_equal(frozen_get(PMD + 0) & ~PMD0_TLB,
						 captured ? 0x1234560 | VALID : 0);
				assert_int_equal(frozen_get(PMD + 1),
						 !captured ? 0 : near[i] < LATENCY ? near[i] :
						 LATENCY);
			}
		}
}

// Table 6-13 and its note: the line's address, bits 60:51 copies of bit 50.
static void instruction_addresses(void **state)
{
	static const uint64_t ip[][2] = {
		{0x1F, 0}, {0x20, 0x20}, {0xE000000000000FF0, 0xE000000000000FE0},
		{0x0004000000000000, 0x1FFC000000000000}, {0x1FF8000000000040, 0x0000000000000040},
		{0xA0040000ABCDEF10, 0xBFFC0000ABCDEF00},
	};

	(void)state;
	put(PMC + 10, EAR_ON);
	for (unsigned i = 0; i < 6; i++) {
		HAPPENS({.code = L2_INST_DEMAND_READS, .n = 1, .ip = ip[i][0], .latency = 100});
		assert_int_equal(frozen_get(PMD + 0) & ~PMD0_TLB, ip[i][1] | VALID);
	}
}

// Tables 6-14 and 6-15: bit 2 captures misses that the VHPT served, bit 3 those that software
// served, in all combinations.
static void instruction_translation_misses(void **state)
{
	(void)state;
	for (unsigned umask = 0; umask < 16; umask++)
		for (uint8_t served = 0; served < 5; served++) {
			bool captured = (served == 2 && umask & 4) || (served == 3 && umask & 8);

			clear_captured();
			put(PMC + 10, EAR_ON | TLB | UMASK(umask));
			set_counter(6, ES(INSTRUCTION_EAR_EVENTS));
			HAPPENS({.code = ITLB_MISSES_FETCH, .n = 1, .ip = 0x777720,
				 .served = served, .latency = 50});
			assert_int_equal(get(PMD + 6), captured);
			assert_int_equal(frozen_get(PMD + 0),
					 !captured ? 0 : 0x777720 | VALID |
					 (served == 3 ? PMD0_TLB : 0));
			// The other mode's event is not watched.
			HAPPENS({.code = L2_INST_DEMAND_READS, .n = 1, .ip = 0x20, .latency = 500});
			assert_int_equal(get(PMD + 6), captured);
		}
}

// INSTRUCTION_EAR_EVENTS (7.8) is qualified by instruction address, not by opcode; and by PMC10's
// own plm, pm, ism (table 6-11).
static void instruction_captures_are_qualified(void **state)
{
	const struct occurrence miss = {.code = L2_INST_DEMAND_READS, .n = 1, .ip = 0x1000,
					.latency = 9};

	(void)state;
	put(PMC + 8, OPCODES_ALL & ~(1ULL << 63 | 1 << 3));	// not all opcodes
	for (unsigned i = 0; i < 32; i++) {
		struct occurrence o = miss;
		bool enabled = !(i & 1) && !(i & 2) && !(i & 4) && !(i & 8);

		clear_captured();
		put(PMC + 10, (i & 1 ? PLM(7) : PLM(8)) | (i & 2 ? PM : 0) |
		    (i & 4 ? ISM(1) : ISM(2)));
		put(PMC + 13, 0);
		put(IBR + 0, 0x1000);
		put(IBR + 1, 0x00FFFFFFFFFFF000ULL | 15ULL << 56);
		o.level = 3;
		o.ip = i & 8 ? 0x2000 : 0x1000;
		connect(&o, 1);
		run(1);
		assert_int_equal(frozen_get(PMD + 0) & VALID, enabled);
	}
}

//
// Data event address (6.2.7.4 - 6.2.7.6)
//

#define LOAD(...) {.code = L1D_READ_MISSES_RETIRED, .n = 1, .data = 1, __VA_ARGS__}

static void data_latency_thresholds(void **state)
{
	(void)state;
	for (unsigned umask = 0; umask < 16; umask++)
		for (unsigned i = 0; i < 33; i++) {
			uint32_t latency = least_latency[i / 3] + i % 3 - 1;
			bool captured = umask < 11 && latency >= least_latency[umask];

			put(PMC + 11, EAR_ON | PT | UMASK(umask));
			clear_captured();
			set_counter(5, ES(DATA_EAR_EVENTS));
			HAPPENS(LOAD(.ip = 0x5557, .slot = 1, .address = 0x98765,
				     .latency = latency));
			no_signals();
			run(latency + 2);
			assert_int_equal(get(PMD + 5), captured);
			assert_int_equal(frozen_get(PMD + 17), captured ? 0x5550 | 1 << 2 | VALID :
					 0);
			assert_int_equal(frozen_get(PMD + 2), captured ? 0x98765 : 0);
			assert_int_equal(frozen_get(PMD + 3) & LATENCY,
					 !captured ? 0 : latency < LATENCY ? latency : LATENCY);
			put(PMC + 11, PT);
		}
}

// A load is latched in the last cycle of its latency, not before; if the monitors freeze earlier,
// nothing is latched.
static void a_load_is_captured_when_it_is_served(void **state)
{
	(void)state;
	put(PMC + 11, EAR_ON | PT);
	set_counter(4, ES(DATA_EAR_EVENTS));
	HAPPENS(LOAD(.ip = 0x10, .address = 0x20, .latency = 10));
	SIGNALS({.code = CYCLES, .n = 1});
	run(8);
	assert_int_equal(get(PMD + 4), 0);
	run(1);
	assert_int_equal(get(PMD + 4), 1);
	run(100);
	assert_int_equal(get(PMD + 4), 1);
	assert_int_equal(frozen_get(PMD + 17), 0x10 | VALID);
	// Changing signals and reads do not delay it.
	HAPPENS(LOAD(.ip = 0x10, .address = 0x20, .latency = 10));
	for (unsigned i = 2; i < 20; i++) {
		HAPPENS({.code = CYCLES, .n = 1});
		assert_int_equal(get(PMD + 4), 1 + (i >= 10));
	}
	HAPPENS(LOAD(.ip = 0x10, .address = 0x20, .latency = 10));
	no_signals();
	for (unsigned i = 4; i < 20; i += 3) {
		assert_int_equal(get(PMD + 4), 2 + (i > 10));
		run(3);
		SIGNALS({.code = CYCLES, .n = 1});
	}

	clear_captured();
	HAPPENS(LOAD(.ip = 0x30, .address = 0x40, .latency = 10));
	SIGNALS({.code = CYCLES, .n = 1});
	put(PMC + 0, FR);
	run(20);
	put(PMC + 0, 0);
	run(20);
	assert_int_equal(get(PMD + 4), 3);
	assert_int_equal(frozen_get(PMD + 17), 0);
}

// One load at a time: loads that start while another one is tracked are ignored.
static void one_load_is_tracked_at_a_time(void **state)
{
	(void)state;
	put(PMC + 11, EAR_ON | PT);
	set_counter(4, ES(DATA_EAR_EVENTS));
	HAPPENS(LOAD(.ip = 0x10, .address = 1, .latency = 20));
	HAPPENS(LOAD(.ip = 0x20, .address = 2, .latency = 4));
	no_signals();
	run(50);
	assert_int_equal(get(PMD + 4), 1);
	assert_int_equal(frozen_get(PMD + 2), 1);
	// A load in each cycle: one capture each 20 cycles at the most, and soon after the last
	// one.
	SIGNALS(LOAD(.ip = 0x30, .address = 3, .latency = 20));
	put(PMD + 4, 0);
	run(20000);
	assert_in_range(get(PMD + 4), 999, 1000);
	assert_int_equal(frozen_get(PMD + 2), 3);
}

// The processor randomizes the choice of tracked loads (6.2.7.5): in a regular sequence of four
// overlapping loads each is captured, and another seed captures others. A load without overlap is
// always captured.
static void the_choice_of_loads_is_random(void **state)
{
	unsigned captured[2][4] = {{0}}, order[2] = {0};

	(void)state;
	for (unsigned seed = 0; seed < 2; seed++) {
		reset_with(-1, seed);
		define_registers();
		put(PMC + 11, EAR_ON | PT);
		for (unsigned i = 0; i < 4000; i++) {
			uint64_t address;

			HAPPENS(LOAD(.ip = 0x10, .address = i % 4, .latency = 5));
			if (i % 4 != 3)
				continue;
			no_signals();
			run(8);
			put(PMC + 0, FR);
			if (get(PMD + 17) & VALID) {
				address = get(PMD + 2);
				assert_in_range(address, 0, 3);
				captured[seed][address]++;
				order[seed] = 31 * order[seed] + (unsigned)address;
			}
			put(PMD + 17, 0);
			put(PMC + 0, 0);
		}
		for (unsigned i = 0; i < 4; i++)
			assert_true(captured[seed][i] >= 1);
	}
	assert_int_not_equal(order[0], order[1]);

	reset_with(-1, 5);
	define_registers();
	put(PMC + 11, EAR_ON | PT);
	set_counter(4, ES(DATA_EAR_EVENTS));
	for (unsigned i = 1; i <= 100; i++) {
		HAPPENS(LOAD(.ip = 0x10, .address = i, .latency = 5));
		no_signals();
		run(4);
		assert_int_equal(get(PMD + 4), i);
	}
	// Either of two loads in the same cycle may be tracked.
	memset(captured, 0, sizeof captured);
	for (unsigned i = 0; i < 100; i++) {
		HAPPENS(LOAD(.ip = 0x10, .address = 0, .latency = 5),
			LOAD(.ip = 0x20, .address = 1, .latency = 5));
		no_signals();
		run(4);
		captured[0][frozen_get(PMD + 2)]++;
	}
	assert_int_equal(get(PMD + 4), 200);
	assert_in_range(captured[0][0], 20, 80);
	assert_in_range(captured[0][1], 20, 80);
}

// The next tracked load does not depend on how earlier cycles were divided into runs.
static void choices_do_not_depend_on_how_runs_are_cut(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 32; seed++) {
		uint64_t counted[2];

		for (unsigned turn = 0; turn < 2; turn++) {
			reset_with(-1, seed);
			define_registers();
			put(PMC + 11, EAR_ON | PT);
			set_counter(4, ES(DATA_EAR_EVENTS));
			SIGNALS(LOAD(.address = 1, .latency = 20));
			for (unsigned i = 0; i < (turn ? 60 : 1); i++)
				run(turn ? 1 : 60);
			assert_int_equal(get(PMD + 4), 3);
			HAPPENS(LOAD(.address = 2, .latency = 4));
			no_signals();
			run(10);
			counted[turn] = get(PMD + 4);
		}
		assert_int_equal(counted[0], counted[1]);
	}
}

// A freeze, by an overflow or by software, a write of PMC11 and an end of the monitor enable
// condition (6.2.1) drop the tracked load.
static void a_tracked_load_is_dropped(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 6; how++) {
		uint64_t saved = 0;

		put(PSR, PSR_UP | PSR_PP);
		put(PMC + 11, EAR_ON | PT | (how == 5 ? PM : 0));
		set_counter(4, ES(DATA_EAR_EVENTS));
		set_counter(5, ES(CYCLES) | OI);
		put(PMD + 5, how == 1 ? (uint64_t)-3 : 0);
		HAPPENS(LOAD(.address = 1, .latency = 20));
		SIGNALS({.code = CYCLES, .n = 1});
		run(3);
		if (how == 2)
			put(PMC + 0, FR);
		if (how == 3)
			put(PMC + 11, EAR_ON | PT);
		if (how == 4)
			put(PSR, PSR_PP);
		if (how == 5)
			// PSR.pp becomes DCR.pp
			model->machine->interruption(pmu, 0, &saved);
		put(PMC + 0, 0);
		run(1);
		put(PSR, PSR_UP | PSR_PP);
		clear_captured();
		run(40);
		assert_int_equal(get(PMD + 4), how == 0);
		assert_int_equal(frozen_get(PMD + 17) & VALID, how == 0);
	}
}

// The capture is one more event of its cycle, before the threshold compares.
static void a_captured_load_and_a_threshold(void **state)
{
	(void)state;
	put(PMC + 11, EAR_ON | PT);
	set_counter(4, ES(DATA_EAR_EVENTS) | THRESHOLD(1));
	set_counter(6, ES(DATA_EAR_EVENTS));
	HAPPENS(LOAD(.latency = 5));
	no_signals();
	run(20);
	assert_int_equal(get(PMD + 4), 0);		// one in a cycle at the most (7.8)
	assert_int_equal(get(PMD + 6), 1);
	HAPPENS(LOAD(.latency = 5));
	// another source reports a capture in each cycle
	SIGNALS({.code = DATA_EAR_EVENTS, .n = 1});
	run(20);
	assert_int_equal(get(PMD + 4), 0);
	assert_int_equal(get(PMD + 6), 21);
}

// Tables 6-19 and 6-20; the undefined fields differ from seed to seed.
static void data_translation_misses(void **state)
{
	(void)state;
	for (unsigned umask = 0; umask < 16; umask++)
		for (uint8_t served = 0; served < 5; served++) {
			bool captured = served >= 1 && served <= 3 && umask >> served & 1;

			clear_captured();
			put(PMC + 11, EAR_ON | PT | TLB | UMASK(umask));
			set_counter(4, ES(DATA_EAR_EVENTS));
			HAPPENS({.code = DTC_MISSES, .n = 1, .data = 1, .ip = 0xABC0, .slot = 2,
				 .served = served,
				 .address = 0x0004000000001234ULL});
			assert_int_equal(get(PMD + 4), captured);
			assert_int_equal(frozen_get(PMD + 2), captured ? 0x1FFC000000001234ULL : 0);
			assert_int_equal(frozen_get(PMD + 3) & LEVEL(3), captured ? LEVEL(served) :
					 0);
			assert_int_equal(frozen_get(PMD + 17), captured ? 0xABC0 | 2 << 2 | VALID :
					 0);
			HAPPENS(LOAD(.latency = 4));
			run(10);
			assert_int_equal(get(PMD + 4), captured);
		}
}

// Section 6.2.7.6: the captures are misses of the L1 data TLB. If the same reference also misses
// the L2 data TLB, that is another event, in its cycle or a later one, and the same miss.
static void a_translation_miss_is_captured_once(void **state)
{
	(void)state;
	put(PMC + 11, EAR_ON | PT | TLB | UMASK(14));
	set_counter(4, ES(DATA_EAR_EVENTS));
	set_counter(5, ES(DTLB_MISSES));
	for (uint64_t misses = 1; misses < 10; misses++) {
		const uint64_t address = 0x1000 * misses;

		HAPPENS({.code = DTC_MISSES, .n = 1, .data = 1, .served = 3, .ip = 0x10,
			 .address = address});
		HAPPENS({.code = CYCLES, .n = 1});
		HAPPENS({.code = DTLB_MISSES, .n = 1, .data = 1, .served = 3, .ip = 0x10,
			 .address = address});
		assert_int_equal(get(PMD + 4), misses);
		assert_int_equal(get(PMD + 5), misses);
		assert_int_equal(frozen_get(PMD + 2), address);
	}
	SIGNALS({.code = DTC_MISSES, .n = 1, .served = 3, .ip = 0x10},
	      {.code = DTLB_MISSES, .n = 1, .served = 3, .ip = 0x10});
	put(PMD + 4, 0);
	run(7);
	assert_int_equal(get(PMD + 4), 7);
}

// DATA_EAR_EVENTS (7.8): instruction address and opcode yes, data address no.
static void data_captures_are_qualified(void **state)
{
	(void)state;
	put(IBR + 0, 0x1000);
	put(IBR + 1, 0x00FFFFFFFFFFF000ULL | 15ULL << 56);
	put(DBR + 0, 0x5000000000000000ULL);
	for (uint32_t n = 2; n < 8; n += 2)
		put(DBR + n, 0x5000000000000000ULL);
	for (unsigned i = 0; i < 8; i++) {
		clear_captured();
		put(PMC + 13, i & 1 ? 0 : TA);
		put(PMC + 8, i & 2 ? 8ULL << 60 | 0x3FFFFFF8 : OPCODES_ALL);
		put(PMC + 11, EAR_ON | (i & 4 ? 0 : PT));
		HAPPENS(LOAD(.ip = 0x1000, .type = OCCURRENCE_TYPE_M, .address = 0x20,
			     .latency = 4));
		no_signals();
		run(3);
		assert_int_equal(frozen_get(PMD + 17) & VALID, 1);
		clear_captured();
		HAPPENS(LOAD(.ip = 0x2000, .type = OCCURRENCE_TYPE_I, .address = 0x20,
			     .latency = 4));
		no_signals();
		run(3);
		assert_int_equal(frozen_get(PMD + 17) & VALID, !(i & 3));
	}
}

// The tables call these fields undefined: they differ between seeds.
static void undefined_fields(void **state)
{
	uint64_t tlb = 0, latency = 0, level = 0, data_latency = 0, slot = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++) {
		reset_with(-1, seed);
		define_registers();
		put(PMC + 10, EAR_ON);
		put(PMC + 11, EAR_ON | PT);
		HAPPENS(LOAD(.ip = 0x1000, .isa = 1, .latency = 4),
			{.code = L2_INST_DEMAND_READS, .n = 1, .latency = 4});
		no_signals();
		run(3);
		tlb |= 1ULL << (frozen_get(PMD + 0) >> 1 & 1);
		level |= 1ULL << (frozen_get(PMD + 3) >> 62);
		slot |= 1ULL << (frozen_get(PMD + 17) >> 2 & 3);
		put(PMC + 10, EAR_ON | TLB | UMASK(15));
		put(PMC + 11, EAR_ON | PT | TLB | UMASK(14));
		HAPPENS({.code = DTC_MISSES, .n = 1, .served = 1},
			{.code = ITLB_MISSES_FETCH, .n = 1, .served = 2});
		latency |= frozen_get(PMD + 1);
		data_latency |= frozen_get(PMD + 3) & LATENCY;
	}
	assert_int_equal(tlb, 3);
	assert_int_equal(level, 15);
	assert_int_equal(slot, 15);
	assert_int_equal(latency, LATENCY);
	assert_int_equal(data_latency, LATENCY);
}

// An overflow of the counter of captures freezes everything, with the last capture.
static void sampling_by_captured_loads(void **state)
{
	(void)state;
	put(PMC + 11, EAR_ON | PT);
	set_counter(4, ES(DATA_EAR_EVENTS) | OI);
	put(PMD + 4, 0xFFFFFFFE);	// the second capture
	for (unsigned i = 0; i < 5; i++) {
		HAPPENS(LOAD(.ip = 0x1000, .address = 0x100 + i, .latency = 6));
		no_signals();
		assert_true(outputs()->headroom <= 4 || i != 1);
		run(10);
	}
	assert_int_equal(outputs()->requests, 1);
	assert_int_equal(get(PMC + 0), OVERFLOW(4) | FR);
	assert_int_equal(get(PMD + 2), 0x101);
	assert_int_equal(get(PMD + 17), 0x1000 | VALID);
	assert_int_equal(get(PMD + 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(instruction_latency_thresholds),
		TEST(instruction_addresses),
		TEST(instruction_translation_misses),
		TEST(instruction_captures_are_qualified),
		TEST(data_latency_thresholds),
		TEST(a_load_is_captured_when_it_is_served),
		TEST(one_load_is_tracked_at_a_time),
		TEST(the_choice_of_loads_is_random),
		TEST(choices_do_not_depend_on_how_runs_are_cut),
		TEST(a_tracked_load_is_dropped),
		TEST(a_captured_load_and_a_threshold),
		TEST(data_translation_misses),
		TEST(a_translation_miss_is_captured_once),
		TEST(data_captures_are_qualified),
		TEST(undefined_fields),
		TEST(sampling_by_captured_loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
