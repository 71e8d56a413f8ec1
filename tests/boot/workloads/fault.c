// SPDX-License-Identifier: BSD-2-Clause
// A workload that fails. Each way to fail is compiled separately: the including file defines WAY.

#include <stdlib.h>
#include <string.h>

int workload(void);

__attribute__((noinline, unused)) static void read_null(void)
{
	__asm__ volatile("mov 0, %%eax" : : : "eax");
}

__attribute__((noinline, unused)) static void divide_by_zero(void)
{
	__asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cdq; idiv %%ecx" : : : "eax", "ecx",
			 "edx");
}

__attribute__((noinline, unused)) static void invalid_opcode(void)
{
	__asm__ volatile("ud2");
}

__attribute__((noinline, unused)) static void write_to_code(void)
{
	*(volatile char *)(size_t)workload = 0;
}

__attribute__((noinline, unused)) static void execute_data(void)
{
	static char code[] = {(char)0xC3};

	((void (*)(void))(size_t)code)();
}

__attribute__((noinline, unused)) static int overrun_stack(int depth)
{
	volatile char room[1024];

	room[0] = (char)depth;
	return overrun_stack(depth + 1) + room[0];
}

// Frames larger than a page, of which little is used.
__attribute__((noinline, unused)) static int overrun_stack_widely(int depth)
{
	volatile char room[50000];

	room[0] = (char)depth;
	return overrun_stack_widely(depth + 1) + room[0];
}

__attribute__((noinline, unused)) static void call_abort(void)
{
	abort();
}

__attribute__((noinline, unused)) static void loop_for_ever(void)
{
	for (;;)
		__asm__ volatile("");
}

__attribute__((noinline, unused)) static void interrupts_off_for_ever(void)
{
	__asm__ volatile("cli");
	loop_for_ever();
}

__attribute__((noinline, unused)) static void unused_interrupt(void)
{
	__asm__ volatile("int $0x77");
}

int workload(void)
{
	WAY;
	return 0;
}
