// SPDX-License-Identifier: BSD-2-Clause
// Branches that are predicted wrongly, on the first thread of a Knights Corner core, with the registers themselves.
// What the branch target buffer lacks it does not predict (the guide, Table 1-6, 2B); what it has it predicts by a
// counter of two bits, and the branch's last target. Each piece of code is executed once before, so that its branches
// are there.

#include "knc.h"

#define MISPREDICTED	0x2B
#define TURNS		100

// A loop of EDX turns between two writes of IA32_PERF_GLOBAL_CTRL.
#define TURN		"	dec	%edx\n	jnz	1b\n"
#define PIECE(name, code)							\
	void piece_##name(unsigned turns);					\
	__asm__(".text\n"							\
		"piece_" #name ":	push	%rbx\n"				\
		"	mov	%edi, %ebx\n"					\
		"	mov	$0x2F, %ecx\n	xor	%edx, %edx\n	mov	$1, %eax\n"	\
		"	wrmsr\n"						\
		"	mov	%ebx, %edx\n"					\
		code								\
		"	mov	$0x2F, %ecx\n	xor	%edx, %edx\n	xor	%eax, %eax\n"	\
		"	wrmsr\n"						\
		"	pop	%rbx\n"						\
		"	ret\n");

PIECE(turns, "1:\n" TURN)
PIECE(loop, "1:	mov	$10, %ecx\n 2: loop 2b\n" TURN)
PIECE(alternating, "1:	test	$1, %dl\n	jz	2f\n	nop\n 2:\n" TURN)
PIECE(never_taken, "1:	test	%edx, %edx\n	jz	2f\n 2:\n" TURN)
PIECE(calls, "1:	call	3f\n" TURN "	jmp	4f\n 3:	ret\n 4:\n")
PIECE(two_callers, "1:	call	3f\n	call	3f\n" TURN "	jmp	4f\n 3:	ret\n 4:\n")
PIECE(jump,
      "1:	mov	%edx, %eax\n	and	$1, %eax\n	mov	places(,%rax,8), %rax\n	jmp	*%rax\n"
      "place_0:	nop\n place_1:\n" TURN
      ".pushsection .rodata\n .balign 8\n places: .quad place_0, place_1\n .popsection\n")

// The end of the turns is always wrong: the counter goes from 3 to 2, and back.
#define END 1
static const struct {
	const char *name;
	void (*execute)(unsigned turns);
	unsigned expected;
} pieces[] = {
	{"turns", piece_turns, END},
	{"a loop", piece_loop, TURNS + END},
	// Each time it is not taken: from 3 to 2, and back.
	{"alternating", piece_alternating, TURNS / 2 + END},
	{"never taken", piece_never_taken, END},
	// A return goes where it went last. With two callers that is always the other one.
	{"calls", piece_calls, END},
	{"two callers", piece_two_callers, 2 * TURNS + END},
	// The turns are even, so that even the first one is wrong.
	{"a jump", piece_jump, TURNS + END},
};

int workload(void)
{
	clear(NULL);
	put(SELECT(0), MISPREDICTED | OS | EN);
	for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		for (unsigned n = 0; n < 2; n++) {
			put(COUNTER(0), 0);
			pieces[i].execute(TURNS);
		}
		expect(pieces[i].name, 0, pieces[i].expected, get(COUNTER(0)));
	}
	clear(NULL);
	wrong += failed != 0;
	printf("knc-predictions: %d wrong\n", wrong);
	return wrong != 0;
}
