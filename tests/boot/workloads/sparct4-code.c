// SPDX-License-Identifier: BSD-2-Clause
// Executes KILOBYTES of no-operations, and three instructions after them, TURNS times.
// tests/boot/sparct4-caches.t changes these numbers.

#include <stdint.h>

#define KILOBYTES	64
#define TURNS		100

#define TEXT(number)	#number
#define EACH(number)	TEXT(number)

void execute(uint64_t turns);

__asm__(".pushsection .text\n .balign 64\n .globl execute\n .type execute, #function\n"
	"execute: .rept 256 * " EACH(KILOBYTES) "\n nop\n .endr\n"
	"subcc %o0, 1, %o0\n bne,pt %xcc, execute\n nop\n"
	"retl\n nop\n .size execute, . - execute\n .popsection");

int workload(void)
{
	execute(TURNS);
	return 0;
}
