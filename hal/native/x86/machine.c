// SPDX-License-Identifier: BSD-2-Clause
// The rest of the PC: level 3, bus locks, cache flushes, identification, end of the run.

#include "arch.h"
#include "backend.h"
#include "end.h"
#include "hal.h"
#include "image_run.h"
#include "memory.h"
#include "processors.h"
#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/traps.h"

// A locked access to the last two bytes of a line and the first two of the next one.
void hal_bus_lock(void)
{
	static _Alignas(64) uint8_t lines[128];

	__asm__ volatile("lock addl $0, %0" : "+m"(*(uint32_t *)(void *)&lines[62]) : : "memory");
}

// WBINVD empties all caches of the processor, whatever the ranges.
void hal_flush(const struct hal_range *ranges, unsigned count)
{
	(void)ranges, (void)count;
	__asm__ volatile("wbinvd" : : : "memory");
	x86_memory_forget_translations();
}

int hal_run_user(int (*function)(void))
{
	return x86_call_user(function, x86_user_stack_end(hal_cpu()));
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

// Only the first CPU can return to the firmware.
noreturn void hal_exit(int status)
{
	if (x86_early.firmware_waits && hal_cpu() == 0) {
		arch_interrupts_disable();
		processors_reset();
		x86_early.status = (uint32_t)status;
		x86_memory_leave(firmware_return);
	}
	end_machine(status);
}

void hal_keep_result(const char *text, size_t size)
{
	x86_early.result = (uintptr_t)text;
	x86_early.result_size = (uint32_t)size;
}

bool hal_end_is_known(const char *asked)
{
	(void)asked;
	return !x86_early.end_refused;
}
