// SPDX-License-Identifier: BSD-2-Clause
// Passes over KILOBYTES of memory, TURNS times: an ACCESS each STRIDE bytes, at %g1. %o4 points to
// a line after this memory, at a multiple of 16 KB like its start. ACCESS is the address of one of
// the loops. tests/boot/sparct4-caches.t changes these words in the image.

#include "sparct4-words.h"

typedef void loop(void *first, uint64_t lines, uint64_t turns, uint64_t stride, void *after);

WORD(KILOBYTES, 64);
WORD(TURNS, 100);
WORD(STRIDE, 64);
WORD(ACCESS, load);

static uint8_t memory[8192 * 1024 + 64] __attribute__((aligned(16384)));

// Each loop is in the first of two lines, which has an even number and is not at a multiple of 16
// KB.
#define LOOP(name, access)									\
	__asm__(".pushsection .text\n .balign 16384\n .skip 64\n .type " #name ", #function\n"	\
		#name ": mov %o0, %g1\n mov %o1, %g4\n"						\
		"1: " access "\n add %g1, %o3, %g1\n subcc %g4, 1, %g4\n bne,pt %xcc, 1b\n nop\n" \
		"subcc %o2, 1, %o2\n bne,pt %xcc, " #name "\n nop\n"				\
		"retl\n nop\n .size " #name ", . - " #name "\n .popsection")
LOOP(load, "ldx [%g1], %g0");
LOOP(load_after_and_load, "ldx [%o4], %g0\n ldx [%g1], %g0");
LOOP(load_twin, "ldda [%g1] 0xE2, %o4");
LOOP(exchange, "ldstub [%g1], %o5");
LOOP(store, "stx %g0, [%g1]");

int workload(void)
{
	loop *access = (loop *)(uintptr_t)ACCESS;

	access(memory, KILOBYTES * 1024 / STRIDE, TURNS, STRIDE, memory + KILOBYTES * 1024);
	return 0;
}
