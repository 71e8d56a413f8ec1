// SPDX-License-Identifier: BSD-2-Clause
// The rest of the PC: bus locks, identification, the end of the run.

#include "arch.h"
#include "hal.h"
#include "system.h"
#include "x86/cpu.h"
#include "x86/msr.h"

#define DEBUG_EXIT_PORT		0xF4	/* QEMU's isa-debug-exit: the run ends with 2 * value + 1 */
#define DEBUG_EXIT_SUCCESS	0x10
#define DEBUG_EXIT_FAILURE	0x11

// The last two bytes of one line and the first two of the next.
void hal_bus_lock(void)
{
	static _Alignas(64) uint8_t lines[128];

	__asm__ volatile("lock addl $0, %0" : "+m"(*(uint32_t *)(void *)&lines[62]) : : "memory");
}

// SPFLT EAX, which assemblers may not know.
bool hal_prefer(bool count)
{
	__asm__ volatile goto("1: .byte 0xC5, 0xFB, 0xAE, 0xF0\n" X86_FAULT_FIXUP("1b", "%l[undefined]")
		     : : "a"(count) : "memory" : undefined);
	return true;
undefined:
	return false;
}

int hal_run_user(int (*function)(void))
{
	return function();
}

// The C library runs at level 0, too.
void system_start(void)
{
}

uint64_t system_call(enum system_call call, uint64_t a, uint64_t b)
{
	return system_serve(call, a, b);
}

void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	struct x86_cpuid r = x86_cpuid(leaf, subleaf);

	registers[0] = r.eax;
	registers[1] = r.ebx;
	registers[2] = r.ecx;
	registers[3] = r.edx;
}

uint64_t hal_instructions(uint64_t clock)
{
	return clock;
}

noreturn void hal_exit(int status)
{
	x86_outb(DEBUG_EXIT_PORT, status ? DEBUG_EXIT_FAILURE : DEBUG_EXIT_SUCCESS);
	for (;;)
		__asm__ volatile("cli; hlt");
}
