// SPDX-License-Identifier: BSD-2-Clause
// A workload in user mode that fails. WAY is the address of one of the functions.
// tests/boot/sparct4-machine.t changes this word in the image.

#include "sparct4-words.h"

WORD(WAY, read_null);

// The compiler sees no caller of it.
#define A_WAY	__attribute__((noipa, used)) static void

int workload(void);

A_WAY read_null(void)
{
	__asm__ volatile("ldx [%%g0], %%g1" : : : "g1");
}

A_WAY divide_by_zero(void)
{
	__asm__ volatile("sdivx %%g0, %%g0, %%g1" : : : "g1");
}

A_WAY invalid_opcode(void)
{
	__asm__ volatile("illtrap 0");
}

A_WAY misalign(void)
{
	__asm__ volatile("ldx [%0 + 1], %%g1" : : "r"(&workload) : "g1");
}

A_WAY write_to_code(void)
{
	*(volatile char *)(uintptr_t)workload = 0;
}

// A symbol of the runtime.
extern uint64_t hal_memory_start;

A_WAY write_to_runtime(void)
{
	*(volatile uint64_t *)&hal_memory_start = 0;
}

A_WAY execute_data(void)
{
	static unsigned code[] = {0x81C3E008};		// retl

	((void (*)(void))(uintptr_t)code)();
}

A_WAY be_privileged(void)
{
	__asm__ volatile("rdpr %%tl, %%g1" : : : "g1");
}

A_WAY unused_trap(void)
{
	__asm__ volatile("ta 0x11");
}

// The next window would be filled from an address without memory.
A_WAY lose_stack(void)
{
	__asm__ volatile("flushw; mov 1, %%fp; restore" : : : "memory");
}

A_WAY loop_for_ever(void)
{
	for (;;)
		__asm__ volatile("");
}

static int result;

A_WAY return_seven(void)
{
	result = 7;
}

int workload(void)
{
	((void (*)(void))(uintptr_t)WAY)();
	return result;
}
