// SPDX-License-Identifier: BSD-2-Clause
// Executes KILOBYTES of code without branches, TURNS times: NOPs of 8 bytes, 0F 1F 84 00 and a
// displacement. tests/boot/prefetch.t changes these numbers.

#define KILOBYTES	512
#define TURNS		5
#define TEXT_OF(number)	#number
#define TEXT(number)	TEXT_OF(number)

__asm__(".text\n .balign 4096\ncode: .fill 128 * " TEXT(KILOBYTES) ", 8, 0x841F0F\n ret");

int workload(void)
{
	// One copy of the call in each program: its code has the same number of lines for any
	// TURNS.
#pragma GCC unroll 1
	for (unsigned turns = TURNS; turns; turns--)
		__asm__ volatile("call code" : : : "memory");
	return 0;
}
