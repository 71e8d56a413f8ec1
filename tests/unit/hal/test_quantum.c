// SPDX-License-Identifier: BSD-2-Clause
// Where quanta end before overflows of what instructions raise: random programs are executed as the emulator does it,
// in blocks which it translates when it comes there, and cuts where the monitor's alarm is. What their instructions
// count is known by hand (Appendix II of the performance analysis guide). A counter overflows with the last instruction
// of a quantum or not at all, and few quanta are needed. System calls and their returns change the level, and end no
// quantum, if they need not.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "early_alarm.h"
#include "feed.h"
#include "quantum.h"
#include "vpmu.h"

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390,
	INSTRUCTIONS = 0x0C0, BRANCHES = 0x4C4, LOADS = 0x10B, STORES = 0x20B, MULTIPLIES = 0x214,
	ENABLED = 0x500000,	// with interrupt; at level 3, at level 0:
	USR = 0x10000, OS = 0x20000,
};

// What can be counted of an instruction; and itself.
#define EVENTS 4
static const uint32_t events[EVENTS + 1] = {BRANCHES, LOADS, STORES, MULTIPLIES, INSTRUCTIONS};

struct instruction {
	uint8_t bytes[6], size;
	uint8_t counts[EVENTS];
};

static const struct instruction plain[] = {
	{{0x90}, 1, {0}},			// NOP
	{{0x31, 0xC0}, 2, {0}},			// XOR %eax, %eax
	{{0x8B, 0x03}, 2, {0, 1}},		// MOV (%rbx), %eax
	{{0x89, 0x03}, 2, {0, 0, 1}},		// MOV %eax, (%rbx)
	{{0x01, 0x03}, 2, {0, 1, 1}},		// ADD %eax, (%rbx)
	{{0x0F, 0xAF, 0xC3}, 3, {0, 0, 0, 1}},	// IMUL %ebx, %eax
}, ends[] = {
	{{0}, 0, {0}},				// the next block follows
	{{0x0F, 0x84}, 6, {1}},			// JE, to another one, or on
	{{0xE9}, 5, {1}},			// JMP
	{{0xC3}, 1, {1, 1}},			// RET
	{{0xFF, 0xE0}, 2, {1}},			// JMP *%rax
	{{0x0F, 0x05}, 2, {1}},			// SYSCALL
	{{0x0F, 0x07}, 2, {1}},			// SYSRET
};
enum { FOLLOWS, CONDITIONAL, DIRECT, RETURN, INDIRECT, TO_LEVEL_0, TO_LEVEL_3 };

#define BLOCKS		24
#define LONGEST		40	// instructions
#define QUANTUM_MOST	20000

static struct code {
	struct instruction instruction[LONGEST + 1];
	size_t count;
	unsigned end, target;
	uint64_t address;
	const struct block *whole;
} code[BLOCKS];

static struct vpmu vpmu;
static struct feed *const f = &feeds[0];
static struct mailbox box;
static bool raised;

//
// What stands for the emulator's side of the early alarm
//

static bool there, ends_for_level;

bool early_alarm_is_there(void)
{
	return there;
}

void early_alarm_raise(unsigned cpu)
{
	assert_int_equal(cpu, 0);
	raised = true;
}

void early_alarm_check(void)
{
}

//
// Programs
//

static size_t below(size_t limit)
{
	return (size_t)rand() % limit;
}

static int none(const struct block *block)
{
	(void)block;
	return 0;
}

static void make_program(void)
{
	uint64_t address = 0x400000;

	block_free_all(none);
	for (struct code *c = code; c < code + BLOCKS; c++) {
		const size_t most = below(3) ? 8 : LONGEST;

		*c = (struct code){.address = address, .target = (unsigned)below(BLOCKS)};
		for (size_t count = 1 + below(most); c->count < count;)
			c->instruction[c->count++] = plain[below(sizeof plain / sizeof *plain)];
		c->end = c == code + BLOCKS - 1 ? DIRECT : (unsigned)below(sizeof ends / sizeof *ends);
		if (c->end != FOLLOWS)
			c->instruction[c->count++] = ends[c->end];
		for (size_t i = 0; i < c->count; i++)
			address += c->instruction[i].size;
	}
	for (struct code *c = code; c < code + BLOCKS; c++)
		if (c->end == CONDITIONAL || c->end == DIRECT) {
			struct instruction *last = &c->instruction[c->count - 1];
			const uint64_t behind = c == code + BLOCKS - 1 ? address : c[1].address;
			const int32_t displacement = (int32_t)(code[c->target].address - behind);

			memcpy(last->bytes + last->size - 4, &displacement, 4);
		}
}

static const struct block *make_block(const struct code *c, size_t first, size_t count)
{
	uint8_t bytes[6 * (LONGEST + 1)], sizes[LONGEST + 1];
	uint64_t address = c->address;
	size_t at = 0;

	for (size_t i = 0; i < first; i++)
		address += c->instruction[i].size;
	for (size_t i = 0; i < count; i++) {
		const struct instruction *is = &c->instruction[first + i];

		memcpy(bytes + at, is->bytes, is->size);
		at += is->size;
		sizes[i] = is->size;
	}
	return block_make(address, bytes, sizes, count);
}

//
// Execution
//

static struct {
	struct code *at;	// the next instruction
	size_t number;
	uint64_t counted[2];	// by its two counters, since each has overflowed last
	uint64_t left[2];
	unsigned event[2], levels[2];
	unsigned level;
	uint64_t quanta, overflows;	// of all programs
} program;

static uint64_t address_of_next(void)
{
	uint64_t address = program.at->address;

	for (size_t i = 0; i < program.number; i++)
		address += program.at->instruction[i].size;
	return address;
}

// The program goes on behind a block; whether its branch is taken.
static bool go_on(size_t count)
{
	bool taken = false;

	program.number += count;
	if (program.number < program.at->count)
		return false;
	if (program.at->end == FOLLOWS || (program.at->end == CONDITIONAL && below(2))) {
		program.at++;
	} else {
		const bool anywhere = program.at->end != CONDITIONAL && program.at->end != DIRECT;

		program.at = &code[anywhere ? below(BLOCKS) : program.at->target];
		taken = true;
	}
	program.number = 0;
	return taken;
}

// A block that the emulator has begun, and where in the program that was, at which level; whether its branch is taken;
// whether its last instruction changes the level, and the quantum goes on.
struct step {
	const struct block *block;
	const struct code *code;
	size_t first;
	unsigned level;
	bool taken, crosses;
};

static bool counts_at(unsigned k, unsigned level)
{
	return program.levels[k] & (level ? USR : OS);
}

// As observe.c does it, when it is known what comes next. All but a quantum's last instruction must leave the counters
// without overflow.
static void settle(const struct step *s, bool is_last)
{
	const struct block *b = s->block;
	const uint8_t kind = b->instruction[b->count - 1].branch;
	const struct block_before before = {0};

	f->position += b->count;
	for (size_t i = 0; i < b->count; i++) {
		const bool ends_quantum = is_last && i == b->count - 1;

		for (unsigned k = 0; k < 2; k++) {
			const unsigned event = program.event[k];

			if (counts_at(k, s->level))
				program.counted[k] += event == EVENTS ||
						      s->code->instruction[s->first + i].counts[event];
			if (!ends_quantum)
				assert_true(program.counted[k] <= program.left[k]);
		}
		if (ends_quantum)
			f->last = (struct feed_instruction){
				.position = f->position, .raises = block_raises(b, i, &before),
				.branch = kind ? OCCURRENCE_BRANCH | kind | (s->taken ? OCCURRENCE_TAKEN : 0) : 0,
			};
		else
			feed_sum(f, block_raises(b, i, &before));
	}
	if (kind && !is_last)
		feed_sum(f, 1ULL << b->branches[s->taken]);
	if (s->crosses && !is_last)
		quantum_cross(0, f->position, program.level);
}

static const struct block *translate(size_t count, struct step *last)
{
	const struct block *block = make_block(program.at, program.number, count);

	if (last->crosses)
		last->crosses = quantum_can_cross(0, program.level);
	else
		quantum_translated(0, last->block, block);
	return block;
}

// What comes next: the whole block, which is translated first, or, up to the alarm, a part; or the rest of one.
static const struct block *find_block(uint64_t most, struct step *last)
{
	const size_t rest = program.at->count - program.number;

	if (!program.number && !program.at->whole)
		program.at->whole = translate(rest, last);
	if (!program.number && rest <= most)
		return program.at->whole;
	return translate(rest < most ? rest : (size_t)most, last);
}

// The last instruction of the block has another level behind it.
static void change_level(struct step *s)
{
	const bool ends = s->first + s->block->count == s->code->count;
	const unsigned level = s->code->end == TO_LEVEL_3 ? 3 : 0;

	if (!ends || s->code->end < TO_LEVEL_0 || level == program.level)
		return;
	program.level = level;
	if (there)
		s->crosses = quantum_can_cross(0, level);
	else
		ends_for_level = true;
}

// Returns how many instructions it has had.
static uint64_t execute_quantum(uint64_t alarm)
{
	struct step step = {0};
	uint64_t executed = 0;

	raised = ends_for_level = false;
	quantum_enter(0, address_of_next());
	while (!raised && !ends_for_level && executed < alarm) {
		const struct block *next = find_block(alarm - executed, &step);

		if (raised)
			break;
		if (step.block)
			settle(&step, false);
		if (f->position >= f->look_at)
			quantum_look(0, next);
		step = (struct step){
			.block = next, .code = program.at, .first = program.number, .level = program.level,
		};
		step.taken = go_on(next->count);
		executed += next->count;
		change_level(&step);
	}
	if (step.block)
		settle(&step, true);
	assert_int_equal(box.early, raised);
	return executed;
}

static void write_register(uint32_t address, uint64_t value)
{
	assert_true(vpmu_write(&vpmu, address, value, 0));
}

static void set_counter(unsigned k, uint64_t period)
{
	program.left[k] = period - 1;
	program.counted[k] = 0;
	write_register(PMC0 + k, -period & 0xFFFFFFFF);
}

// The monitor's alarm: some programs count nothing in their loops, and are interrupted for another reason.
static uint64_t set_alarm(void)
{
	uint64_t headroom;

	feed_configure(f);
	headroom = quantum_headroom(0, address_of_next());
	if (!headroom)
		headroom = feed_headroom(f, NULL, 0);
	box.headroom = headroom;
	return headroom < QUANTUM_MOST ? headroom : QUANTUM_MOST;
}

// Executes so many instructions, of two events that overflow each so often.
static void measure_program(uint64_t instructions, const uint64_t period[2])
{
	for (unsigned k = 0; k < 2; k++) {
		write_register(PERFEVTSEL0 + k, ENABLED | program.levels[k] | events[program.event[k]]);
		set_counter(k, period[k]);
	}
	write_register(GLOBAL_CTRL, 3);
	feed_select(f);
	quantum_select(0);
	for (uint64_t done = 0; done < instructions; program.quanta++) {
		const uint64_t executed = execute_quantum(set_alarm());
		bool request = false;

		feed_pass(f, executed - f->handed, NULL, 0);
		f->handed = 0;
		vpmu_set_level(&vpmu, program.level);
		done += executed;
		for (unsigned k = 0; k < 2; k++)
			if (program.counted[k] > program.left[k]) {
				assert_int_equal(program.counted[k], program.left[k] + 1);
				set_counter(k, period[k]);
				request = true;
				program.overflows++;
			}
		assert_int_equal(vpmu_take_request(&vpmu), request);
		write_register(GLOBAL_OVF_CTRL, 3);
	}
	write_register(GLOBAL_CTRL, 0);
}

static void begin_program(void)
{
	make_program();
	program.at = code;
	program.number = 0;
	for (unsigned k = 0; k < 2; k++) {
		program.event[k] = (unsigned)below(EVENTS + 1);
		program.levels[k] = (unsigned)(1 + below(3)) * USR;
	}
}

static void counters_overflow_with_the_last_instruction(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		begin_program();
		measure_program(6000, (const uint64_t[2]){1 + below(below(2) ? 30 : 900), 1 + below(900)});
	}
}

// By the last instruction alone, and by what lies before it in its block: branches end blocks, loads do not.
static void few_quanta_are_needed(void **state)
{
	static const uint64_t period[2] = {300, 1ULL << 30};
	uint64_t quanta[2];

	(void)state;
	for (unsigned event = 0; event < 2; event++) {
		for (unsigned i = 0; i < 2; i++) {
			there = i;
			srand(1);
			program.quanta = program.overflows = 0;
			for (unsigned n = 0; n < 50; n++) {
				begin_program();
				program.levels[0] = USR | OS;
				program.event[0] = event;
				program.event[1] = 3;
				measure_program(20000, period);
			}
			assert_true(program.overflows > 100);
			quanta[i] = program.quanta / program.overflows;
		}
		assert_true(quanta[1] * 4 < quanta[0]);
	}
}

static int start(void **state)
{
	const struct pmu_model *model = pmu_model_find("nehalem");
	void *memory = aligned_alloc(MODEL_ALIGNMENT, vpmu_state_size(model));

	(void)state;
	assert_non_null(memory);
	vpmu_start(&vpmu, model, memory, 0, "", 0);
	feed_start(0, &vpmu);
	quantum_start(0, &box);
	there = true;
	srand(1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	block_free_all(none);
	free(vpmu.state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counters_overflow_with_the_last_instruction, start, end),
		cmocka_unit_test_setup_teardown(few_quanta_are_needed, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
