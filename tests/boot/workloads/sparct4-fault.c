// SPDX-License-Identifier: BSD-2-Clause
// A workload in user mode that fails. Each way to fail is compiled separately: the including file
// defines WAY.

#include <stdint.h>
#include <stdlib.h>

int workload(void);

__attribute__((noinline, unused)) static void read_null(void)
{
	__asm__ volatile("ldx [%%g0], %%g1" : : : "g1");
}

__attribute__((noinline, unused)) static void divide_by_zero(void)
{
	__asm__ volatile("sdivx %%g0, %%g0, %%g1" : : : "g1");
}

__attribute__((noinline, unused)) static void invalid_opcode(void)
{
	__asm__ volatile("illtrap 0");
}

__attribute__((noinline, unused)) static void misalign(void)
{
	__asm__ volatile("ldx [%0 + 1], %%g1" : : "r"(&workload) : "g1");
}

__attribute__((noinline, unused)) static void write_to_code(void)
{
	*(volatile char *)(size_t)workload = 0;
}

// A symbol of the runtime.
extern uint64_t hal_memory_start;

__attribute__((noinline, unused)) static void write_to_runtime(void)
{
	*(volatile uint64_t *)&hal_memory_start = 0;
}

__attribute__((noinline, unused)) static void execute_data(void)
{
	static unsigned code[] = {0x81C3E008};		// retl

	((void (*)(void))(size_t)code)();
}

__attribute__((noinline, unused)) static void be_privileged(void)
{
	__asm__ volatile("rdpr %%tl, %%g1" : : : "g1");
}

__attribute__((noinline, unused)) static void access_pcr(void)
{
	__asm__ volatile("ldxa [%%g0] 0x64, %%g1" : : : "g1");
}

__attribute__((noinline, unused)) static void unused_trap(void)
{
	__asm__ volatile("ta 0x11");
}

// The next window would be filled from an address without memory.
__attribute__((noinline, unused)) static void lose_stack(void)
{
	__asm__ volatile("flushw; mov 1, %%fp; restore" : : : "memory");
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

int workload(void)
{
	WAY;
	return 0;
}
