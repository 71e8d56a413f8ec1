// SPDX-License-Identifier: BSD-2-Clause
// What the plugin hands to a model: counts, overflows, records and branch records are the same as if each instruction
// were reported by itself, and a quantum of the length that the plugin answers never ends too late. Registers: SDM
// volume 3B, "Last Branch, Interrupt, and Exception Recording" (Nehalem), and Appendix II of the performance analysis
// guide; unit masks: its tables.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/plugin/feed.c"
#include "../../../hal/emu/plugin/timed.c"

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, FIXED_CTR0 = 0x309, FIXED_CTR_CTRL = 0x38D, GLOBAL_STATUS = 0x38E,
	GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390, DEBUGCTL = 0x1D9, LBR_SELECT = 0x1C8, LBR_TOS = 0x1C9,
	LBR_FROM = 0x680, LBR_TO = 0x6C0, PEBS_ENABLE = 0x3F1, DS_AREA = 0x600,
};

#define COUNTERS	4
#define RECORDS		16
#define CONDITIONAL	0x1C4	/* BR_INST_RETIRED.CONDITIONAL */
#define NEAR_CALL	0x2C4
#define ANY_BRANCH	0x4C4
#define LOADS		0x10B	/* MEM_INST_RETIRED.LOADS */
#define SLOW_DECODER	0x187	/* ILD_STALL.LCP: six cycles each */
#define DECODED		0x1D0	/* MACRO_INSTS.DECODED */
#define ALL_LEVELS	(3ULL << 16)
#define EN		(1ULL << 22)
#define INT		(1ULL << 20)
#define EDGE		(1ULL << 18)
#define INV		(1ULL << 23)
#define CMASK(n)	((uint64_t)(n) << 24)
#define NO_CONDITIONAL	(1ULL << 2)	/* of LBR_SELECT */
#define LBR		1
#define FREEZES		(3ULL << 11)	/* records and counters, on an interrupt */
#define ALL_COUNTERS	(1ULL << 32 | 0xF)

static struct vpmu vpmu;
static struct feed *const f = &feeds[0];

static void *start_vpmu(struct vpmu *v)
{
	const struct pmu_model *model = pmu_model_find("nehalem");
	void *memory = aligned_alloc(MODEL_ALIGNMENT, vpmu_state_size(model));

	assert_non_null(memory);
	vpmu_start(v, model, memory, 0, "", 0);
	return memory;
}

static int start(void **state)
{
	(void)state;
	start_vpmu(&vpmu);
	feed_start(0, &vpmu);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(vpmu.state);
	return 0;
}

static uint64_t value_in(struct vpmu *v, uint32_t address)
{
	uint64_t value = 0;

	assert_true(vpmu_read(v, address, &value));
	return value;
}

static uint64_t value_of(uint32_t address)
{
	return value_in(&vpmu, address);
}

static void put(uint32_t address, uint64_t value)
{
	assert_true(vpmu_write(&vpmu, address, value, 0));
	feed_select(f);
	feed_configure(f);
}

// Two counters and the fixed one of instructions, at all levels; branch records.
static void count(uint64_t first, uint64_t second)
{
	put(PERFEVTSEL0, first | ALL_LEVELS | EN);
	put(PERFEVTSEL0 + 1, second | ALL_LEVELS | EN);
	put(FIXED_CTR_CTRL, 3);
	put(DEBUGCTL, LBR);
	put(GLOBAL_CTRL, 1ULL << 32 | 3);
}

static void feed_one(const struct feed_instruction *i, bool is_last)
{
	f->position = i->position;
	if (is_last) {
		f->last = *i;
		return;
	}
	feed_instruction(f, i);
	if (i->branch && !f->in_order)
		feed_branch(f, i);
}

// What a program does, by the number of its branches: which one the n-th is, how many instructions come before it.
static unsigned branch(unsigned n)
{
	static const unsigned kinds[] = {
		OCCURRENCE_KIND_CONDITIONAL, OCCURRENCE_KIND_CONDITIONAL | OCCURRENCE_TAKEN,
		OCCURRENCE_KIND_CALL | OCCURRENCE_TAKEN, OCCURRENCE_KIND_CONDITIONAL | OCCURRENCE_TAKEN,
		OCCURRENCE_KIND_RETURN | OCCURRENCE_TAKEN,
	};

	return OCCURRENCE_BRANCH | kinds[n % 5];
}

static uint64_t before(unsigned n)
{
	return n % 7;
}

static uint64_t from(unsigned n)
{
	return 0x1000 + 16 * n;
}

// Executes so many branches, and some instructions behind them; the monitor has added some, too. All there were.
static uint64_t execute(unsigned branches, uint64_t behind, uint64_t added)
{
	for (unsigned n = 0; n < branches; n++)
		feed_one(&(struct feed_instruction){
			.position = f->position + before(n) + 1, .ip = from(n), .to = from(n) + 5,
			.branch = (uint8_t)branch(n),
		}, n == branches - 1 && !behind);
	f->position += behind;
	behind = f->position + added;
	feed_pass(f, behind, NULL, 0);
	return behind;
}

// The last ones that a filter lets through, the newest first; all of them are younger than what was there before.
static void records_are(unsigned branches, bool conditional)
{
	uint64_t top = value_of(LBR_TOS);
	unsigned found = 0;

	for (unsigned n = branches; n-- && found < RECORDS;) {
		if (!(branch(n) & OCCURRENCE_TAKEN) ||
		    (!conditional && (branch(n) & OCCURRENCE_KIND) == OCCURRENCE_KIND_CONDITIONAL))
			continue;
		assert_int_equal(value_of(LBR_FROM + (uint32_t)top), from(n));
		assert_int_equal(value_of(LBR_TO + (uint32_t)top), from(n) + 5);
		top = (top - 1) % RECORDS;
		found++;
	}
}

static const unsigned sizes[] = {0, 1, 5, 16, 17, 40, 79, 80, 81, 1000, 12345};

static void branches_count_and_are_recorded(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
		const unsigned n = sizes[i / 2], taken = n - (n + 4) / 5;
		uint64_t instructions, top;

		count(CONDITIONAL, NEAR_CALL);
		top = value_of(LBR_TOS);
		instructions = execute(n, i % 2 ? 3 : 0, 2);
		assert_int_equal(value_of(FIXED_CTR0), instructions);
		assert_int_equal(value_of(PMC0), (n + 4) / 5 + (n + 3) / 5 + (n + 1) / 5);
		assert_int_equal(value_of(PMC0 + 1), (n + 2) / 5);
		assert_int_equal(value_of(LBR_TOS), (top + taken) % RECORDS);
		records_are(n, true);
		put(FIXED_CTR0, 0);
		put(PMC0, 0);
		put(PMC0 + 1, 0);
	}
}

static void a_filter_keeps_its_own(void **state)
{
	(void)state;
	count(ANY_BRANCH, NEAR_CALL);
	put(LBR_SELECT, NO_CONDITIONAL);
	execute(1000, 0, 0);
	assert_int_equal(value_of(PMC0), 1000);
	records_are(1000, false);
}

static void branches_are_recorded_without_being_counted(void **state)
{
	(void)state;
	count(0x3C, 0xC0);
	execute(1000, 1, 0);
	assert_int_equal(f->counted, 0);
	records_are(1000, true);
	put(DEBUGCTL, 0);
	assert_false(feed_matters(f));
}

// Each branch that follows another instruction is an edge: of seven, the one with none before it is not. The first
// has had none either, but no branch before it.
static void edges_are_counted_in_order(void **state)
{
	const unsigned n = 700;

	(void)state;
	count(ANY_BRANCH | EDGE | CMASK(1), ANY_BRANCH);
	assert_true(f->in_order);
	execute(n, 1, 0);
	assert_int_equal(value_of(PMC0), n - n / 7 + 1);
	assert_int_equal(value_of(PMC0 + 1), n);
}

// Of a repeated string's 1,001 iterations one retires.
static void iterations_do_not_retire(void **state)
{
	(void)state;
	count(ANY_BRANCH, NEAR_CALL);
	f->position = 10;
	f->again = 1000;
	feed_pass(f, 1010, NULL, 0);
	assert_int_equal(value_of(FIXED_CTR0), 10);
	feed_pass(f, 5, NULL, 0);
	assert_int_equal(value_of(FIXED_CTR0), 15);
}

// What the monitor carries out has been decoded.
static void what_is_added_is_decoded(void **state)
{
	(void)state;
	count(DECODED, LOADS);
	f->position = 3;
	feed_pass(f, 10, NULL, 0);
	assert_int_equal(value_of(PMC0), 7);
	assert_int_equal(value_of(FIXED_CTR0), 10);
	feed_begin_own(f, HAPPENING_SET(DECODED), NULL, 0);
	assert_true(vpmu_write(&vpmu, 0x38E + 2, 0, 1));
	feed_end_own(f);
	assert_int_equal(value_of(PMC0), 8);
}

// What caches do for an instruction is of its cycle.
static void what_is_beside_is_of_the_same_cycle(void **state)
{
	const struct occurrence beside = {.code = 0x0B, .sub = 0x01, .n = 3};	// as three loads

	(void)state;
	count(LOADS, DECODED);
	feed_begin_own(f, HAPPENING_SET(LOADS), &beside, 1);
	vpmu_run(&vpmu, 1);
	feed_end_own(f);
	assert_int_equal(value_of(FIXED_CTR0), 1);
	assert_int_equal(value_of(PMC0), 4);
	feed_begin_own(f, 0, NULL, 0);
	vpmu_run(&vpmu, 1);
	feed_end_own(f);
	assert_int_equal(value_of(PMC0), 4);
}

// A counter of branches sees one in an instruction at most, of whatever kinds; that of the slow decoder six cycles.
static void headroom_is_what_one_instruction_can_do(void **state)
{
	(void)state;
	count(ANY_BRANCH | INT, 0x7F88);
	put(PMC0, -(uint64_t)1000);
	assert_int_equal(feed_headroom(f, NULL, 0), 1000);
	count(SLOW_DECODER | INT, 0x7F88);
	put(PMC0, -(uint64_t)1000);
	assert_int_equal(feed_headroom(f, NULL, 0), 167);
	count(LOADS, 0x7F88);
	assert_int_equal(feed_headroom(f, NULL, 0), 1 << 30);	// no more are added up
}

//
// Random programs, by quanta and by single instructions
//

static uint64_t seed;

static unsigned below(unsigned n)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (unsigned)(seed >> 33) % n;
}

// Of each PMU the memory that it writes records to, from the debug store on: SDM volume 3B, "DS Save Area".
#define AREA 0x10000
struct area {
	uint64_t words[12 + 40 * 22];
	uint64_t position;	// the registers are that
} memories[2];

static bool read_words(void *context, uint64_t address, void *to, size_t size)
{
	struct area *m = context;

	memcpy(to, (uint8_t *)m->words + (address - AREA), size);
	return true;
}

static bool write_words(void *context, uint64_t address, const void *from, size_t size)
{
	struct area *m = context;

	memcpy((uint8_t *)m->words + (address - AREA), from, size);
	return true;
}

static void registers(void *context, unsigned thread, uint64_t to[MODEL_REGISTERS])
{
	const struct area *m = context;

	(void)thread;
	for (unsigned i = 0; i < MODEL_REGISTERS; i++)
		to[i] = m->position;
}

static const struct model_processor processors[2] = {
	{&memories[0], read_words, write_words, registers}, {&memories[1], read_words, write_words, registers},
};

static struct vpmu other;

static void put_both(uint32_t address, uint64_t value)
{
	put(address, value);
	assert_true(vpmu_write(&other, address, value, 0));
}

// Some with a threshold, inverted or of edges; some with interrupts, some with records.
static void configure(bool in_order)
{
	static const uint16_t events[] = {
		CONDITIONAL, NEAR_CALL, ANY_BRANCH, 0xC4, 0x7F88, 0x4188, 0xC5, 0x7F89, 0x889, 0x1E5, 0x1E6, 0x1E0,
		DECODED, 0x117, 0x1A6, SLOW_DECODER,
		LOADS, 0x20B, 0x30B, 0x2C0, 0x4C0, 0x3CC, 0x114, 0x214, 0x1FC7, 0x10C7, 0x1C0, 0x3C,
	};
	uint64_t precise = 0;

	put_both(GLOBAL_CTRL, 0);
	for (unsigned i = 0; i < COUNTERS; i++) {
		uint64_t select = events[below(sizeof events / sizeof *events)] | ALL_LEVELS | (below(5) ? EN : 0);

		if (in_order && below(2))
			select |= CMASK(1 + below(2)) | (below(2) ? EDGE : 0) | (below(2) ? INV : 0);
		if (below(3) == 0)
			precise |= 1u << i;
		else if (below(3))
			select |= INT;
		put_both(PERFEVTSEL0 + i, select);
		put_both(PMC0 + i, -(uint64_t)below(60));
	}
	for (unsigned m = 0; m < 2; m++) {
		uint64_t *words = memories[m].words;

		words[4] = words[5] = AREA + 12 * 8;
		words[6] = words[4] + 40 * 22 * 8;
		words[7] = words[4] + (1 + below(3)) * 22 * 8;
		words[8] = words[9] = words[10] = words[11] = -(uint64_t)20;
	}
	memories[1] = memories[0];
	put_both(DS_AREA, AREA);
	put_both(PEBS_ENABLE, precise);
	put_both(FIXED_CTR_CTRL, 3);
	put_both(GLOBAL_OVF_CTRL, value_of(GLOBAL_STATUS));
	put_both(DEBUGCTL, (below(2) ? LBR : 0) | (below(2) ? FREEZES : 0));
	put_both(LBR_SELECT, below(2) ? below(512) : 0);
	put_both(GLOBAL_CTRL, ALL_COUNTERS);
}

static void same(uint32_t address)
{
	assert_int_equal(value_of(address), value_in(&other, address));
}

static void compare(void)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		same(PMC0 + i);
	same(FIXED_CTR0);
	same(GLOBAL_STATUS);
	same(GLOBAL_CTRL);
	same(DEBUGCTL);
	same(LBR_TOS);
	for (unsigned i = 0; i < RECORDS; i++) {
		same(LBR_FROM + i);
		same(LBR_TO + i);
	}
	assert_memory_equal(memories[0].words, memories[1].words, sizeof memories[0].words);
	assert_int_equal(vpmu_outputs(&vpmu)->requests, vpmu_outputs(&other)->requests);
}

static struct feed_instruction random_instruction(uint64_t position)
{
	const unsigned kind = 1 + below(7), taken = kind > 1 || below(2) ? OCCURRENCE_TAKEN : 0;
	struct feed_instruction i = {.position = position, .ip = 0x1000 + below(1000), .to = 0x2000 + below(1000)};

	i.raises = below(4) ? HAPPENING_SET(DECODED) : HAPPENING_SET(FUSED);
	for (unsigned what = HAPPENING_FUSED + 1; what < HAPPENING_INSTRUCTIONS; what++)
		i.raises |= below(4) ? 0 : 1ULL << what;
	if (!below(4)) {
		i.branch = (uint8_t)(OCCURRENCE_BRANCH | kind * OCCURRENCE_KIND_CONDITIONAL | taken);
		if (!below(3)) {
			i.predicted = 1ULL << (HAPPENING_MISPREDICTED_CONDITIONAL + below(5));
			i.branch |= below(2) ? OCCURRENCE_WRONG_PATH : OCCURRENCE_WRONG_TARGET;
		}
		i.predicted |= below(3) ? 0 : HAPPENING_SET(REDIRECTED);
		i.predicted |= below(3) ? 0 : HAPPENING_SET(MISSED_CALL_RETURN);
	}
	return i;
}

// One instruction, by the rows of the model alone.
static void step_other(const struct feed_instruction *i)
{
	const uint64_t raises = i->raises | i->predicted |
				(i->branch ? 1ULL << vpmu_branch_happening(i->branch) : 0);
	struct occurrence o[64], signals[64 + VPMU_CLOCK_MOST];
	size_t n = 0;

	for (const struct model_raised *r = other.model->raised; r->happening < HAPPENING_INSTRUCTIONS; r++)
		for (unsigned what = 0; what < HAPPENING_INSTRUCTIONS; what++)
			if (model_is_raised_by(r, what) && raises >> what & 1)
				o[n++] = (struct occurrence){
					.code = r->code, .sub = r->sub, .n = r->each ? r->each : 1,
					.ip = i->ip, .target = i->to, .branch = i->branch,
				};
	vpmu_connect_beside(&other, signals, o, n);
	vpmu_run(&other, 1);
	vpmu_resume(&other);
}

// A quantum as the monitor bounds it, or shorter; the other PMU's line rises in its last instruction only, as does this
// one's.
static void execute_quantum(uint64_t *executed)
{
	uint64_t quantum = feed_headroom(f, NULL, 0);

	assert_true(quantum > 0);
	quantum = quantum < 500 ? quantum : 500;
	quantum = below(4) ? quantum : 1 + below((unsigned)quantum);
	for (uint64_t n = 1; n <= quantum; n++) {
		const struct feed_instruction i = random_instruction(n);

		assert_int_equal(vpmu_outputs(&other)->requests, 0);
		memories[0].position = memories[1].position = ++*executed;
		feed_one(&i, n == quantum);
		step_other(&i);
	}
	feed_pass(f, quantum, NULL, 0);
	feed_configure(f);
}

static void quanta_are_as_single_instructions(void **state)
{
	uint64_t executed = 0;

	(void)state;
	start_vpmu(&other);
	for (unsigned i = 0; i < 2; i++)
		(i ? &other : &vpmu)->model->attach((i ? &other : &vpmu)->state, &processors[i]);
	for (unsigned round = 0; round < 600; round++) {
		seed = round;
		configure(round % 3 == 0);
		for (unsigned n = 0; n < 40 && !vpmu_outputs(&vpmu)->requests; n++) {
			execute_quantum(&executed);
			compare();
		}
		vpmu_take_request(&vpmu);
		vpmu_take_request(&other);
	}
	free(other.state);
}

//
// The timed clock
//

enum { CYCLES = 0x3C, RETIRED = 0x1C0 };	// CPU_CLK_UNHALTED.THREAD_P, INST_RETIRED.ANY_P
#define REFERENCES	2		/* the fixed counter of CPU_CLK_UNHALTED.REF */

static struct block *code;	// of instructions that need nothing

static int start_timed(void **state)
{
	struct processor processor = {.latency[LATENCY_L1D] = 4, .width[WIDTH_ISSUE] = 4};

	timed_is_used = true;
	memset(cpus, 0, sizeof cpus);
	timed_begin(&processor);
	running = cpus;
	code = calloc(1, sizeof *code + 100 * sizeof *code->instruction);
	assert_non_null(code);
	start(state);
	count(CYCLES, RETIRED);
	put(FIXED_CTR_CTRL, 3 | 3 << 4 * REFERENCES);
	put(GLOBAL_CTRL, 5ULL << 32 | 3);
	return 0;
}

static int end_timed(void **state)
{
	timed_is_used = false;
	free(code);
	return end(state);
}

static void issue_some(unsigned instructions)
{
	timed_follow(0, code, instructions);
	timed_leave_block(0);
}

static void retire_some(unsigned instructions)
{
	f->position += instructions;
	feed_pass(f, instructions, NULL, 0);
}

static void quantum(unsigned instructions)
{
	issue_some(instructions);
	retire_some(instructions);
}

static void expect_time(uint64_t cycles, uint64_t instructions)
{
	assert_int_equal(value_of(PMC0), cycles);
	assert_int_equal(value_of(PMC0 + 1), instructions);
	assert_int_equal(value_of(FIXED_CTR0), instructions);
	assert_int_equal(value_of(FIXED_CTR0 + REFERENCES), instructions);	// the time-stamp counter's
}

// How a program is cut into quanta makes no difference to its cycles.
static void four_instructions_are_in_a_cycle(void **state)
{
	(void)state;
	quantum(8);
	expect_time(2, 8);
	for (unsigned i = 0; i < 4; i++) {
		quantum(1);
		expect_time(3, 9 + i);
	}
	quantum(5);
	expect_time(5, 17);
}

// A load that goes nowhere is waited for if it misses: 40 cycles behind the cycle of the eighth instruction.
static void cycles_pass_without_instructions(void **state)
{
	const struct reached reached = {.supplier = SUPPLIER_L3, .latency = 40};

	(void)state;
	put(PERFEVTSEL0 + 1, RETIRED | CMASK(1) | ALL_LEVELS | EN);
	issue_some(8);
	timed_refer(0, ACCESS_LOAD, &reached);
	retire_some(8);
	assert_int_equal(value_of(PMC0), 2 + 40);
	assert_int_equal(value_of(PMC0 + 1), 2);
	quantum(4);
	assert_int_equal(value_of(PMC0 + 1), 3);
}

// A CPU's time passes while it executes.
static void others_cycles_are_not_its_own(void **state)
{
	(void)state;
	quantum(4);
	timed_follow(1, code, 80);
	timed_leave_block(1);
	quantum(4);
	expect_time(2, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(branches_count_and_are_recorded, start, end),
		cmocka_unit_test_setup_teardown(a_filter_keeps_its_own, start, end),
		cmocka_unit_test_setup_teardown(branches_are_recorded_without_being_counted, start, end),
		cmocka_unit_test_setup_teardown(edges_are_counted_in_order, start, end),
		cmocka_unit_test_setup_teardown(iterations_do_not_retire, start, end),
		cmocka_unit_test_setup_teardown(what_is_beside_is_of_the_same_cycle, start, end),
		cmocka_unit_test_setup_teardown(what_is_added_is_decoded, start, end),
		cmocka_unit_test_setup_teardown(headroom_is_what_one_instruction_can_do, start, end),
		cmocka_unit_test_setup_teardown(quanta_are_as_single_instructions, start, end),
		cmocka_unit_test_setup_teardown(four_instructions_are_in_a_cycle, start_timed, end_timed),
		cmocka_unit_test_setup_teardown(cycles_pass_without_instructions, start_timed, end_timed),
		cmocka_unit_test_setup_teardown(others_cycles_are_not_its_own, start_timed, end_timed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
