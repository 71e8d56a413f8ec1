// SPDX-License-Identifier: BSD-2-Clause
// Passes over KILOBYTES of memory, TURNS times: an ACCESS each STRIDE bytes, at %g1. %o4 points to
// a line after this memory, at a multiple of 16 KB like its start. tests/boot/sparct4-caches.t
// changes these words.

#include <stdint.h>

#define KILOBYTES	64
#define TURNS		100
#define STRIDE		64
#define ACCESS		"ldx [%g1], %g0"

static uint8_t memory[KILOBYTES * 1024 + 64] __attribute__((aligned(16384)));

void pass(void *first, uint64_t lines, uint64_t turns, uint64_t stride, void *behind);

// The loop is in the first of two lines, which has an even number and is not at a multiple of 16
// KB.
__asm__(".pushsection .text\n .balign 16384\n .skip 64\n .globl pass\n .type pass, #function\n"
	"pass: mov %o0, %g1\n mov %o1, %g4\n"
	"1: " ACCESS "\n add %g1, %o3, %g1\n subcc %g4, 1, %g4\n bne,pt %xcc, 1b\n nop\n"
	"subcc %o2, 1, %o2\n bne,pt %xcc, pass\n nop\n"
	"retl\n nop\n .size pass, . - pass\n .popsection");

int workload(void)
{
	pass(memory, KILOBYTES * 1024 / STRIDE, TURNS, STRIDE, memory + KILOBYTES * 1024);
	return 0;
}
