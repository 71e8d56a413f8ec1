// SPDX-License-Identifier: BSD-2-Clause
// Mispredicted branches on the first thread of a Knights Corner core, with the registers
// themselves. A branch that is not in the branch target buffer is not predicted (the guide, Table
// 1-6, 2B). The buffer predicts other branches with a two-bit counter, and their last target. Each
// piece of code executes once before it is measured, so that its branches are in the buffer.

#include "knc.h"

#include "arch.h"
#include "layout.h"
#include "x86/cpu.h"

#define MISPREDICTED	0x2B
#define FLUSHES		0x15
#define DIVIDE_ERROR	0	/* the exception */
#define TURNS		100

// The end of a loop of ESI turns.
#define TURN		"	dec	%esi\n	jnz	1b\n"

PIECE(turns, "1:\n" TURN)
PIECE(loop, "1:	mov	$10, %ecx\n 2: loop 2b\n" TURN)
PIECE(alternating, "1:	test	$1, %sil\n	jz	2f\n	nop\n 2:\n" TURN)
PIECE(never_taken, "1:	test	%esi, %esi\n	jz	2f\n 2:\n" TURN)
PIECE(calls, "1:	call	3f\n" TURN "	jmp	4f\n 3:	ret\n 4:\n")
PIECE(two_callers, "1:	call	3f\n	call	3f\n" TURN "	jmp	4f\n 3:	ret\n 4:\n")
PIECE(jump,
      "1:	mov	%esi, %eax\n	and	$1, %eax\n	mov	places(,%rax,8), "
      "%rax\n	jmp	*%rax\n"
      "place_0:	nop\n place_1:\n" TURN
      ".pushsection .rodata\n .balign 8\n places: .quad place_0, place_1\n .popsection\n")

// The end of the loop is always mispredicted: the counter goes from 3 to 2, and back.
#define END 1
static const struct {
	const char *name;
	void (*execute)(uint64_t enable, uint64_t turns);
	unsigned expected;
	unsigned taken;		// taken branches that are not in the buffer the first time
} pieces[] = {
	{"turns", piece_turns, END, 1},
	{"a loop", piece_loop, TURNS + END, 2},
	// Mispredicted each time it is not taken: the counter goes from 3 to 2, and back.
	{"alternating", piece_alternating, TURNS / 2 + END, 2},
	{"never taken", piece_never_taken, END, 1},
	// A return is predicted to its last target. With two callers that is always wrong.
	{"calls", piece_calls, END, 4},
	{"two callers", piece_two_callers, 2 * TURNS + END, 5},
	// The number of turns is even, so that even the first jump is wrong.
	{"a jump", piece_jump, TURNS + END, 2},
};

//
// Exceptions flush the pipeline, and so does the return from their handler.
//

// Both instructions have two bytes.
static void skip(struct arch_frame *frame)
{
	frame->rip += 2;
}

PIECE(divide, "1:	xor	%edx, %edx\n	xor	%ecx, %ecx\n	div	%ecx\n" TURN)
PIECE(undefined, "1:	ud2\n" TURN)

// Nothing else executes between the run that brings the branches into the buffer and the measured
// run.
static void measure(void (*execute)(uint64_t enable, uint64_t turns), unsigned turns)
{
	put(COUNTER(0), 0);
	put(COUNTER(1), 0);
	execute(0, turns);
	execute(BOTH, turns);
}

// Flushes that are not mispredictions, in TURNS additional turns.
static unsigned flushes_of(void (*execute)(uint64_t enable, uint64_t turns))
{
	uint64_t flushes[2], mispredicted[2];

	for (unsigned i = 0; i < 2; i++) {
		measure(execute, TURNS << i);
		mispredicted[i] = get(COUNTER(0));
		flushes[i] = get(COUNTER(1));
	}
	return (unsigned)(flushes[1] - flushes[0] - (mispredicted[1] - mispredicted[0]));
}

int workload(void)
{
	clear(NULL);
	put(SELECT(0), MISPREDICTED | OS | EN);
	put(SELECT(1), FLUSHES | OS | EN);
	for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		// A branch that is not in the buffer is not predicted, and flushes if it is taken.
		put(COUNTER(0), 0);
		put(COUNTER(1), 0);
		pieces[i].execute(BOTH, TURNS);
		expect(pieces[i].name, 0, pieces[i].taken, get(COUNTER(1)) - get(COUNTER(0)));
		measure(pieces[i].execute, TURNS);
		expect(pieces[i].name, 0, pieces[i].expected, get(COUNTER(0)));
		expect(pieces[i].name, 0, pieces[i].expected, get(COUNTER(1)));
	}
	arch_attach(DIVIDE_ERROR, skip);
	arch_attach(VECTOR_UNDEFINED, skip);
	expect("flushes by divisions by zero, and their returns", 0, 2 * TURNS,
	       flushes_of(piece_divide));
	expect("flushes by undefined instructions, and their returns", 0, 2 * TURNS,
	       flushes_of(piece_undefined));
	clear(NULL);
	wrong += failed != 0;
	printf("knc-predictions: %d wrong\n", wrong);
	return wrong != 0;
}
