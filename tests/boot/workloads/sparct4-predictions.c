// SPDX-License-Identifier: BSD-2-Clause
// TURNS times branches that are hard to predict, of one CASE: the address of a name below.
// tests/boot/sparct4-predictions.t changes these words in the image.

#include "sparct4-words.h"

WORD(TURNS, 100);
WORD(CASE, loop);

// A turn of each case begins at its name. %o0 counts the turns; %o1 points to memory for the turn.
#define BEGIN(name)	#name ": "
#define END(name)	"subcc %o0, 1, %o0\n bne,pt %xcc, " #name "\n nop\n jmp %o5 + 8\n nop\n"

#define JUMPS(number)	".rept " #number "\n ba,a,pt %xcc, . + 12\n nop\n nop\n .endr\n"

// A call of the next level, and its return; each level returns to a different address.
#define LEVEL(n, next)										\
	"level" #n ": stx %o7, [%o1 + 8 * " #n "]\n call level" #next "\n nop\n"		\
	"ldx [%o1 + 8 * " #n "], %o7\n retl\n nop\n"

__asm__(".pushsection .text\n .balign 64\n"
	// Taken 99 times, then not taken.
	BEGIN(loop) "mov 100, %o2\n 1: subcc %o2, 1, %o2\n bne,pt %xcc, 1b\n nop\n" END(loop)
	// Taken in every second turn.
	BEGIN(alternate) "andcc %o0, 1, %g0\n be,pn %xcc, 1f\n nop\n nop\n 1:" END(alternate)
	// Alternates between two targets.
	BEGIN(jump) "rd %pc, %o2\n and %o0, 1, %o3\n sllx %o3, 3, %o3\n add %o2, %o3, %o2\n jmp "
		    "%o2 + 24\n nop\n"
	"nop\n nop\n nop\n" END(jump)
	// Always the same target.
	BEGIN(straight) "rd %pc, %o2\n jmp %o2 + 12\n nop\n" END(straight)
	// 8 nested calls and returns; 12.
	BEGIN(eight) "call level5\n nop\n" END(eight)
	BEGIN(twelve) "call level1\n nop\n" END(twelve)
	// 256 jumps, each to the next one; 2,048.
	BEGIN(few_jumps) JUMPS(256) END(few_jumps)
	BEGIN(many_jumps) JUMPS(2048) END(many_jumps)
	LEVEL(1, 2) LEVEL(2, 3) LEVEL(3, 4) LEVEL(4, 5) LEVEL(5,
							      6) LEVEL(6, 7) LEVEL(7, 8) LEVEL(8, 9)
	LEVEL(9, 10) LEVEL(10, 11) LEVEL(11, 12)
	"level12: retl\n nop\n"
	".globl turns\n .type turns, #function\n"
	"turns: jmp %o2\n mov %o7, %o5\n .size turns, . - turns\n .popsection");

void turns(uint64_t count, uint64_t *memory, uint64_t first);

int workload(void)
{
	static uint64_t memory[16];

	turns(TURNS, memory, CASE);
	return 0;
}
