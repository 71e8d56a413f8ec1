// SPDX-License-Identifier: BSD-2-Clause
// Cycles of instructions on the first thread of a Knights Corner core, with the timed clock,
// counted by hand (hal/emu/model/inorder.h, knc.machine). T is the cycle of a piece's first
// instruction. Run at level 0, with one event.

#include "knc.h"

enum {
	CONFLICTS = 0x0A, IN_V = 0x17, INTERLOCKS = 0x1F, STALLED = 0x2D, STAGES = 0x2E,
	WAITS = 0x2005, TWO = 2 << 24 | EXECUTED,
};

static char data[4 * 64] __attribute__((aligned(64)));

// CLD, which never pairs, separates each piece from the instructions that stop counting.
#define CODE(name, code)	PIECE(name, code "	cld\n")
#define BYTES(...)		".byte " #__VA_ARGS__ "\n"
#define LOAD_1			BYTES(0x62, 0xF1, 0x78, 0x08, 0x28, 0x0E)
#define LOAD_2			BYTES(0x62, 0xF1, 0x78, 0x08, 0x28, 0x56, 0x01)
#define ADD			BYTES(0x62, 0xF1, 0x69, 0x08, 0xFE, 0xD9)
#define STORE_3			BYTES(0x62, 0xF1, 0x78, 0x08, 0x29, 0x5E, 0x02)

CODE(nothing, "")
CODE(one, "nop\n")
CODE(pair, "nop\n nop\n")
CODE(three, "nop\n nop\n nop\n")
CODE(dependent, "mov $1, %eax\n mov %eax, %ecx\n")
CODE(many, ".rept 1000\n nop\n .endr\n")
CODE(multiply, "imul %eax, %ecx\n")
CODE(divide, "mov $7, %ecx\n xor %edx, %edx\n div %ecx\n")
CODE(read_modify_write, "addl $1, (%rsi)\n")
CODE(address, "mov %rsi, %rbx\n mov (%rbx), %eax\n")
CODE(address_behind_pair, "mov %rsi, %rbx\n nop\n mov (%rbx), %eax\n")
CODE(addresses_in_both, "mov %rsi, %rbx\n nop\n mov (%rbx), %eax\n mov 8(%rbx), %ecx\n")
CODE(address_later, "mov %rsi, %rbx\n nop\n nop\n nop\n mov (%rbx), %eax\n")
CODE(loads_of_a_bank, "mov (%rsi), %eax\n mov 64(%rsi), %ecx\n")
CODE(turns, "mov $100, %eax\n cld\n 1: dec %eax\n jnz 1b\n")
CODE(vectors, LOAD_1 LOAD_2 ADD STORE_3)

// What a piece counts more than `nothing`.
static const struct {
	const char *name;
	void (*execute)(uint64_t enable, uint64_t argument);
	unsigned cycles, executed, in_v, stages, stalled, interlocks, waits, conflicts;
} pieces[] = {
#define ROW(name, ...) {#name, piece_##name, __VA_ARGS__}
	ROW(nothing, 0),
	// T; the next instruction issues two cycles later.
	ROW(one, 2, 1, 0, 1), ROW(pair, 2, 2, 1, 1), ROW(three, 4, 3, 1, 2),
	ROW(dependent, 4, 2, 0, 2), ROW(many, 1000, 1000, 500, 500),
	// 9 cycles in stage E: of these, T+2 to T+8 could issue another instruction.
	ROW(multiply, 9, 1, 0, 9, 7),
	// MOV and XOR in T, DIV from T+2 to T+42.
	ROW(divide, 43, 3, 1, 42, 39),
	// T to T+2.
	ROW(read_modify_write, 3, 1, 0, 3, 1),
	// RBX is written in T and used in an address in T+3.
	ROW(address, 5, 2, 0, 2, 1, 1), ROW(address_behind_pair, 5, 3, 1, 2, 1, 1),
	ROW(addresses_in_both, 5, 4, 2, 2, 1, 2), ROW(address_later, 6, 5, 2, 3),
	// The second load takes the bank in T+1.
	ROW(loads_of_a_bank, 2, 2, 1, 2, 0, 0, 0, 1),
	// MOV in T, CLD in T+2 and T+3, 100 pairs from T+4 to T+202. The last branch is
	// mispredicted: T+203 to T+206 are lost.
	ROW(turns, 207, 202, 100, 103, 3),
	// Loads in T and T+2, ready in T+4 and T+6, when the addition issues; the store in T+10.
	ROW(vectors, 12, 4, 0, 4, 4, 0, 2),
};

// The second execution finds code, data and branches in the caches and the predictor.
static uint64_t count(void (*execute)(uint64_t enable, uint64_t argument), unsigned event)
{
	for (unsigned n = 0; n < 2; n++) {
		put(SELECT(0), event | OS | EN);
		put(COUNTER(0), 0);
		execute(1, (uint64_t)data);
	}
	return get(COUNTER(0));
}

static void measure(const char *name, unsigned event,
		    void (*execute)(uint64_t enable, uint64_t argument), unsigned more)
{
	const uint64_t before = count(piece_nothing, event), found = count(execute, event);

	if (found != before + more)
		printf("event 0x%02X:\n", event);
	expect(name, 0, before + more, found);
}

// Alone, a thread issues in every other cycle, unless its front end stalls.
static void add_up(const char *name, void (*execute)(uint64_t enable, uint64_t argument))
{
	expect(name, 0, count(execute, UNHALTED),
	       2 * (count(execute, EXECUTED) - count(execute, IN_V)) + count(execute, STALLED));
}

int workload(void)
{
	clear(NULL);
	for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		measure(pieces[i].name, UNHALTED, pieces[i].execute, pieces[i].cycles);
		measure(pieces[i].name, EXECUTED, pieces[i].execute, pieces[i].executed);
		measure(pieces[i].name, IN_V, pieces[i].execute, pieces[i].in_v);
		measure(pieces[i].name, TWO, pieces[i].execute, pieces[i].in_v);
		measure(pieces[i].name, STAGES, pieces[i].execute, pieces[i].stages);
		measure(pieces[i].name, STALLED, pieces[i].execute, pieces[i].stalled);
		measure(pieces[i].name, INTERLOCKS, pieces[i].execute, pieces[i].interlocks);
		measure(pieces[i].name, WAITS, pieces[i].execute, pieces[i].waits);
		measure(pieces[i].name, CONFLICTS, pieces[i].execute, pieces[i].conflicts);
		add_up(pieces[i].name, pieces[i].execute);
	}
	clear(NULL);
	wrong += failed != 0;
	printf("knc-timed: %d wrong\n", wrong);
	return wrong != 0;
}
