// SPDX-License-Identifier: BSD-2-Clause
// What the plugin makes of the blocks that a SPARC guest executes. Random programs are executed here instruction by
// instruction, by the rules of The SPARC Architecture Manual, version 9, 6.3.4 (delay slots, annulled or not), and cut
// into blocks as QEMU translates them: what is executed is added up instruction by instruction, and must be the same.

#include "unit.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/plugin/sparc64_class.c"
#include "../../../hal/emu/plugin/sparc64_access.c"
#include "../../../hal/emu/plugin/sparc64_block.c"
#include "../../../hal/emu/plugin/sparc64_observe.c"

static struct hyper_frame frame;

// In the place of the memory that is shared.
void *memory_at(uint64_t address, size_t size)
{
	(void)address;
	return size == sizeof frame ? &frame : NULL;
}

// And of the caches.
bool sparc64_references_begin(bool reported)
{
	return reported;
}

void sparc64_references_end(void)
{
}

void sparc64_fetch(uint64_t from, uint64_t behind)
{
	(void)from, (void)behind;
}

void sparc64_refer_next(uint64_t address, uint32_t instruction, int asi, const uint64_t registers[32])
{
	(void)address, (void)instruction, (void)asi, (void)registers;
}

// And of the predictor, to which branches are named in the order in which they have executed. What one raises depends
// on where it goes.
struct feed feeds[VPMU_CPUS] = {{.predicted = true}};

#define BRANCHES_MOST 4096

static struct branch {
	uint64_t at, to;
	uint8_t branch;		// OCCURRENCE_*
} seen[BRANCHES_MOST], expected[BRANCHES_MOST];
static size_t seen_count, expected_count;

static uint64_t prediction_raises(uint64_t at, uint64_t to)
{
	return (at ^ to) & 4 ? HAPPENING_SET(STALE_TARGET) : 0;
}

struct prediction predictions_of(unsigned cpu, unsigned branch, uint64_t ip, uint64_t behind, uint64_t to)
{
	(void)cpu;
	assert_int_equal(behind, ip + 2);
	assert_true(seen_count < BRANCHES_MOST);
	seen[seen_count++] = (struct branch){4 * ip, 4 * to, (uint8_t)branch};
	return (struct prediction){.raises = prediction_raises(4 * ip, 4 * to)};
}

//
// Programs
//

#define BASE		0x10000ULL
#define LENGTH		64	/* instructions */
#define NOP		0x01000000
#define LOAD		0xD05AA008	/* ldx [%o2 + 8], %o0 */
#define STORE		0xD0728000	/* stx %o0, [%o2] */
#define RING		0x85822000	/* wr %o0, 0, %ccr */
#define RETL		0x81C3E008
#define CALL		0x40000000
#define BRANCH		0x00800000	/* Bicc */
#define ALWAYS		(8u << 25)
#define IF_NOT_EQUAL	(9u << 25)
#define ANNULLED	(1u << 29)

static uint32_t program[LENGTH];

static uint32_t branch_at(unsigned from)
{
	// Not behind its delay slot: there whether it went cannot be seen. Nor to that, in the midst of a block.
	const uint32_t behind = (uint32_t)((unsigned)rand() % LENGTH - from), to = behind - 1 < 2 ? 3 : behind;

	switch (rand() % 10) {
	case 0:
		return RETL;
	case 1:
		return CALL | (to & 0x3FFFFFFF);
	case 2:
		return BRANCH | ALWAYS | (to & 0x3FFFFF);
	case 3:
		return BRANCH | ALWAYS | ANNULLED | (to & 0x3FFFFF);
	case 4:
		return BRANCH | (rand() % 2 ? ANNULLED : 0) | (to & 0x3FFFFF);
	default:
		return BRANCH | IF_NOT_EQUAL | (rand() % 2 ? ANNULLED : 0) | (to & 0x3FFFFF);
	}
}

static void make_program(void)
{
	static const uint32_t others[] = {NOP, LOAD, STORE, RING};

	for (unsigned i = 0; i < LENGTH; i++)
		program[i] = others[rand() % 4];
	for (unsigned i = 0; i + 2 < LENGTH; i += 2 + (unsigned)rand() % 4)
		program[i] = branch_at(i);
}

static uint32_t word_at(uint64_t address)
{
	return program[(address - BASE) / 4 % LENGTH];
}

//
// Execution
//

static uint64_t pc, npc;

static uint64_t somewhere(void)
{
	return BASE + 4 * (uint64_t)(rand() % LENGTH);
}

struct executed {
	uint64_t pc, npc;	// when it executed
	uint64_t raises;
	struct branch branch;	// `branch` 0: it is none that may go
	bool ends;		// a block: QEMU does not translate on behind it
};

// One instruction, and where it leads. The program goes round.
static struct executed execute_one(void)
{
	const uint32_t word = word_at(pc);
	const uint64_t target = pc + 4 * (uint64_t)((int64_t)((uint64_t)word << 42) >> 42);
	const bool conditional = (word & 0xDFC00000) == (BRANCH | IF_NOT_EQUAL);
	const bool taken = (word & 0xDFC00000) == (BRANCH | ALWAYS) || (conditional && rand() % 2);
	struct executed e = {.pc = pc, .npc = npc};

	if (word == NOP || word == LOAD || word == STORE || word == RING) {
		e.raises = word == NOP ? HAPPENING_SET(PLAIN) : word == LOAD ? HAPPENING_SET(LOADS) :
			   word == STORE ? HAPPENING_SET(STORES) : HAPPENING_SET(REGISTER);
		pc = npc;
		npc += 4;
	} else if (word == RETL) {
		e.raises = HAPPENING_SET(BRANCH_RETURN);
		pc = npc;
		npc = somewhere();
		e.branch = (struct branch){e.pc, npc, OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_RETURN};
	} else if (word >> 30 == 1) {
		e.raises = HAPPENING_SET(BRANCH_CALL);
		pc = npc;
		npc = e.pc + 4 * (uint64_t)(int64_t)(int32_t)(word << 2) / 4;
		e.branch = (struct branch){e.pc, npc, OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_CALL};
	} else {
		e.raises = conditional ? taken ? HAPPENING_SET(BRANCH_CONDITIONAL) : HAPPENING_SET(BRANCH_NOT_TAKEN) :
			   taken ? HAPPENING_SET(BRANCH_JUMP) : HAPPENING_SET(BRANCH_NOT_TAKEN);
		e.ends = conditional && word & ANNULLED;
		if (conditional || taken)
			e.branch = (struct branch){
				e.pc, taken ? target : e.pc + 8,
				(uint8_t)(OCCURRENCE_BRANCH | (taken ? OCCURRENCE_TAKEN : 0) |
					  (conditional ? OCCURRENCE_KIND_CONDITIONAL : OCCURRENCE_KIND_JUMP)),
			};
		if (word & ANNULLED && !conditional && taken) {
			pc = target;
			npc = target + 4;
		} else if (word & ANNULLED && !taken) {
			pc = npc + 4;
			npc += 8;
		} else {
			pc = npc;
			npc = taken ? target : npc + 4;
		}
	}
	return e;
}

// QEMU does not know where it leads: its delay slot ends the block.
static bool leads_somewhere(uint64_t address)
{
	const uint32_t word = word_at(address);

	return word == RETL || ((word & 0xDFC00000) == (BRANCH | IF_NOT_EQUAL) && !(word & ANNULLED));
}

//
// Blocks
//

#define BLOCKS_MOST 4000

static struct {
	uint64_t pc, npc;
	size_t count;
	struct sparc64_block *block;
} made[BLOCKS_MOST];
static size_t blocks_made;

static struct sparc64_block *block_of(const struct executed *first, size_t count)
{
	uint32_t words[32];

	for (size_t i = 0; i < blocks_made; i++)
		if (made[i].pc == first->pc && made[i].npc == first->npc && made[i].count == count)
			return made[i].block;
	assert_true(blocks_made < BLOCKS_MOST && count <= 32);
	for (size_t i = 0; i < count; i++)
		words[i] = word_at(first->pc + 4 * i);
	made[blocks_made].pc = first->pc;
	made[blocks_made].npc = first->npc;
	made[blocks_made].count = count;
	return made[blocks_made++].block = sparc64_block_make(first->pc, words, count, sparc64_asi_ahead());
}

#define HISTORY_MOST 4096

static uint64_t history[HISTORY_MOST];	// what each instruction of the quantum raises
static size_t history_length;

// Executes a block as QEMU makes one, of so many instructions at most. Its instructions are put in `block`: how many.
static size_t run_block(struct executed block[32], size_t most)
{
	size_t count = 0;

	do {
		const bool slot = count && leads_somewhere(block[count - 1].pc);

		block[count] = execute_one();
		if (slot || block[count].ends || pc != block[count].pc + 4)
			most = 0;
		count++;
	} while (count < most && count < 32);
	return count;
}

enum ending { BETWEEN, AT_INSTRUCTION, AT_DEVICE };

// The first one has been reported before, perhaps, with its prediction.
static void record(const struct executed *block, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct branch *b = &block[i].branch;
		const bool is_seen = b->branch && !(history_length == 0 && frame.reported);

		history[history_length++] = block[i].raises | (is_seen ? prediction_raises(b->at, b->to) : 0);
		if (is_seen)
			expected[expected_count++] = *b;
	}
}

static void put(uint64_t *place, uint64_t value)
{
	*place = htobe64(value);
}

// Runs some blocks, and ends at a trap.
static void run_quantum(size_t blocks)
{
	struct executed block[32];
	uint64_t type = 0x4E;

	sparc64_go_back(0, NULL);
	history_length = seen_count = expected_count = 0;
	while (blocks-- && history_length + 64 < HISTORY_MOST) {
		const size_t count = run_block(block, rand() % 4 ? 32 : 1 + (size_t)rand() % 5);
		const size_t part = (size_t)rand() % count;

		sparc64_execute(0, block_of(block, count));
		if (!blocks && rand() % 2) {
			record(block, part);
			pc = block[part].pc;
			npc = block[part].npc;
			type = 0x68;
		} else if (part && rand() % 8 == 0) {
			// An access to a device ends it behind that instruction.
			record(block, part);
			sparc64_reach_device(block[part - 1].pc);
			pc = block[part].pc;
			npc = block[part].npc;
		} else {
			record(block, count);
		}
	}
	put(&frame.trap.tpc, pc);
	put(&frame.trap.tnpc, npc);
	sparc64_enter(0, (void *)(uintptr_t)(0x8000 + (type << 5)));
}

//
// Checks
//

static struct feed feed;
static struct mailbox box;

static void raises_are(const uint64_t *raises, size_t count, const uint32_t found[HAPPENING_INSTRUCTIONS])
{
	uint32_t sums[HAPPENING_INSTRUCTIONS] = {0};

	for (size_t i = 0; i < count; i++)
		for (uint64_t rest = raises[i]; rest; rest &= rest - 1)
			sums[__builtin_ctzll(rest)]++;
	for (unsigned what = 0; what < HAPPENING_INSTRUCTIONS; what++)
		if (sums[what] != found[what])
			fail_msg("happening %u: %u, not %u", what, found[what], sums[what]);
}

static void settle(void)
{
	box.executed += history_length;
	sparc64_settle(&feed, &box);
	assert_int_equal(seen_count, expected_count);
	for (size_t i = 0; i < seen_count; i++) {
		assert_int_equal(seen[i].at, expected[i].at);
		assert_int_equal(seen[i].to, expected[i].to);
		assert_int_equal(seen[i].branch, expected[i].branch);
	}
}

static void take(size_t from, size_t count)
{
	memset(feed.happened, 0, sizeof feed.happened);
	feed.position = 0;
	sparc64_take(&feed, count);
	assert_int_equal(feed.position, count);
	raises_are(history + from, count, feed.happened);
}

static int begin_all(void **state)
{
	(void)state;
	feed.counted = (1ULL << HAPPENING_INSTRUCTIONS) - 1;
	sparc64_start(0);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	sparc64_go_back(0, NULL);
	sparc64_flush();
	return 0;
}

static void begin_program(unsigned seed)
{
	srand(seed);
	make_program();
	blocks_made = 0;
	sparc64_go_back(0, NULL);
	sparc64_enter(0, (void *)0x8000);
	sparc64_flush();
	pc = somewhere();
	npc = pc + 4;
}

// Behind the first `before` instructions some of the last ones are taken one by one.
static void what_executes_is_added_up(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 300; seed++) {
		begin_program(seed);
		for (unsigned quantum = 0; quantum < 30; quantum++) {
			size_t one_by_one;

			run_quantum(1 + (size_t)rand() % 40);
			settle();
			one_by_one = (size_t)rand() % 19 < history_length ? (size_t)rand() % 19 : 0;
			one_by_one = one_by_one < history_length ? one_by_one : history_length;
			take(0, history_length - one_by_one);
			for (size_t i = history_length - one_by_one; i < history_length; i++)
				take(i, 1);
		}
	}
}

static void the_first_one_is_left_out(void **state)
{
	(void)state;
	put(&frame.reported, 1);
	for (unsigned seed = 1000; seed <= 1300; seed++) {
		begin_program(seed);
		for (unsigned quantum = 0; quantum < 30; quantum++) {
			run_quantum(1 + (size_t)rand() % 40);
			settle();
			if (!history_length)
				continue;
			sparc64_drop(&feed);
			take(1, history_length - 1);
		}
	}
	put(&frame.reported, 0);
}

// What a trap stands at is what the monitor may carry out.
static void the_trapped_instruction_is_known(void **state)
{
	static const uint32_t words[] = {NOP, 0xD0D84C80, NOP};	// ldxa [%g1] 0x64, %o0
	struct sparc64_block *block;

	(void)state;
	begin_program(1);
	sparc64_go_back(0, NULL);
	block = sparc64_block_make(BASE, words, 3, sparc64_asi_ahead());
	sparc64_execute(0, block);
	put(&frame.trap.tpc, BASE + 4);
	put(&frame.trap.tnpc, BASE + 8);
	sparc64_enter(0, (void *)(uintptr_t)(0x8000 + (0x32 << 5)));
	box.executed += 1;
	sparc64_settle(&feed, &box);
	assert_int_equal(sparc64_raises_own(), HAPPENING_SET(REGISTER));
	sparc64_take(&feed, 1);
}

// Registers and conditions of the trap's state decide.
static void the_next_instruction_is_known(void **state)
{
	bool commits;

	(void)state;
	put(&frame.trap.tstate, 4ULL << 32 | 0xB0ULL << 24);	// Z; ASI B0H
	put(&frame.registers[9], 5);
	put(&frame.fsr, 2 << 10);				// greater
	put(&frame.trap.tpc, BASE);
	seen_count = 0;
	assert_int_equal(sparc64_raises_next(0x02800010, &commits), HAPPENING_SET(BRANCH_CONDITIONAL));	// be
	assert_false(commits);
	assert_int_equal(sparc64_raises_next(0x12800010, &commits), HAPPENING_SET(BRANCH_NOT_TAKEN));	// bne
	assert_int_equal(sparc64_raises_next(0x02C24010, &commits), HAPPENING_SET(BRANCH_NOT_TAKEN));	// brz %o1
	assert_int_equal(sparc64_raises_next(0x0D800010, &commits), HAPPENING_SET(BRANCH_CONDITIONAL));	// fbg
	assert_int_equal(sparc64_raises_next(0xDED82018, &commits), HAPPENING_SET(REGISTER));	// ldxa [24] %asi
	assert_true(commits);
	assert_int_equal(sparc64_raises_next(NOP, &commits), HAPPENING_SET(PLAIN));
	assert_int_equal(seen_count, 4);		// branches; from BASE to 40H on, or behind the delay slot
	assert_int_equal(seen[0].to, BASE + 0x40);
	assert_int_equal(seen[1].to, BASE + 8);
	assert_int_equal(seen[1].branch, OCCURRENCE_BRANCH | OCCURRENCE_KIND_CONDITIONAL);
	put(&frame.registers[15], BASE + 0x100);
	assert_int_equal(sparc64_raises_next(RETL, &commits), HAPPENING_SET(BRANCH_RETURN));
	assert_int_equal(seen[4].to, BASE + 0x108);
	assert_int_equal(seen[4].branch, OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_RETURN);
	assert_int_equal(sparc64_raises_next(CALL | 5, &commits), HAPPENING_SET(BRANCH_CALL) |
			 HAPPENING_SET(STALE_TARGET));
	assert_int_equal(seen[5].to, BASE + 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_executes_is_added_up), cmocka_unit_test(the_first_one_is_left_out),
		cmocka_unit_test(the_trapped_instruction_is_known), cmocka_unit_test(the_next_instruction_is_known),
	};

	return cmocka_run_group_tests(tests, begin_all, end_all);
}
