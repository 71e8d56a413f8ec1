// SPDX-License-Identifier: BSD-2-Clause
// Instruction reads on the first thread of a Knights Corner core (CODE_READ of the guide's Table
// 1-6, "number of instruction reads"), counted by hand: each instruction is one read of each
// 64-byte line that contains some of its bytes. Run with one event.

#include "knc.h"

#define CODE_READ 0x0C

#define TURNS 100

// The function begins with a line, whose first 12 bytes belong to PIECE. The loop is in the same
// line.
__asm__(".text\n.balign 64\n");
PIECE(line, "mov $100, %eax\n 1: dec %eax\n jnz 1b\n")

// MOV, of 5 bytes, begins in a line's last two bytes; the rest of the loop is in the next line.
__asm__(".text\n.balign 64\n");
PIECE(two_lines,
      "mov $100, %eax\n jmp 1f\n .balign 64\n .skip 62\n 1: mov $5, %edx\n dec %eax\n jnz 1b\n")

// The counted instructions are the first ones, the turns, and those that end counting: MOV, two
// XOR, WRMSR.
#define BEHIND 4

static uint64_t reads(void (*execute)(uint64_t enable, uint64_t argument))
{
	put(SELECT(0), CODE_READ | OS | EN);
	put(COUNTER(0), 0);
	execute(1, 0);
	return get(COUNTER(0));
}

int workload(void)
{
	clear(NULL);
	expect("a loop in a line", 0, 1 + 2 * TURNS + BEHIND, reads(piece_line));
	expect("a loop in two lines", 0, 2 + 4 * TURNS + BEHIND, reads(piece_two_lines));
	clear(NULL);
	wrong += failed != 0;
	printf("knc-code: %d wrong\n", wrong);
	return wrong != 0;
}
