// SPDX-License-Identifier: BSD-2-Clause
// TURNS passes over CODE, which may change any register but %0. The jump keeps the passes out of
// the loop stream detector. tests/boot/front-end.t changes these words.

#include <stdint.h>

#define TURNS	1000
#define CODE	"nop"

static uint8_t memory[64];
static const uint32_t mxcsr = 0x1F80;
static const uint16_t control_word = 0x037F;

int workload(void);

int workload(void)
{
	uint64_t turns = TURNS;

	__asm__ volatile("1: " CODE "\n jmp 2f\n nop\n 2: dec %0\n jnz 1b"
			 : "+b"(turns)
			 : [memory] "m"(*memory), [mxcsr] "m"(mxcsr), [word] "m"(control_word)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "memory", "cc");
	return 0;
}
