// SPDX-License-Identifier: BSD-2-Clause
// One addition per line of two arrays, with half of the vector elements: LINES times a vector load,
// an addition and a store, of eight elements each, which the mask k1 selects. Each line is used
// once: its load and its store miss all caches. The instructions are written as bytes (327364),
// because the assembler does not know them.

#include <stdint.h>

int workload(void);

#define LINES	16384

static uint8_t from[LINES * 64] __attribute__((aligned(64)));
static uint8_t to[LINES * 64] __attribute__((aligned(64)));

#define MASK	"mov $0xFF, %%eax\n .byte 0xC5, 0xF8, 0x92, 0xC8\n"	// kmov %eax, %k1
#define LOAD	".byte 0x62, 0xF1, 0x78, 0x09, 0x28, 0x0E\n"	// vmovaps (%rsi), %zmm1{%k1}
#define ADD	".byte 0x62, 0xF1, 0x70, 0x09, 0x58, 0xD9\n"	// vaddps %zmm1, %zmm1, %zmm3{%k1}
#define STORE	".byte 0x62, 0xF1, 0x78, 0x09, 0x29, 0x1F\n"	// vmovaps %zmm3, (%rdi){%k1}

int workload(void)
{
	const uint8_t *at = from;
	uint8_t *result = to;
	unsigned long left = LINES;

	__asm__ volatile(MASK
			 "1:\n" LOAD ADD STORE
			 "add $64, %0\n add $64, %1\n dec %2\n jnz 1b\n"
			 : "+S"(at), "+D"(result), "+r"(left) : : "rax", "memory", "cc");
	return 0;
}
