// SPDX-License-Identifier: BSD-2-Clause
// Executes KILOBYTES of no-operations, at most 64, and the instructions after them, TURNS times.
// tests/boot/sparct4-caches.t changes these words in the image.

#include "sparct4-words.h"

WORD(KILOBYTES, 64);
WORD(TURNS, 100);

// The line after the no-operations jumps to the start of the turn, unless it was the last.
void execute(uint64_t turns, void *start);

__asm__(".pushsection .text\n .balign 64\n .globl execute\n .type execute, #function\n"
	"execute: jmp %o1\n nop\n .balign 64\n"
	"code_start: .rept 256 * 64\n nop\n .endr\n"
	"code_end: subcc %o0, 1, %o0\n be,pn %xcc, 1f\n nop\n jmp %o1\n nop\n"
	"1: retl\n nop\n .size execute, . - execute\n .popsection");

extern uint8_t code_end[];

int workload(void)
{
	execute(TURNS, code_end - KILOBYTES * 1024);
	return 0;
}
