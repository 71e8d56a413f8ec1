// SPDX-License-Identifier: BSD-2-Clause
// The rest of the PC: bus locks, identification, end of the run.

#include "arch.h"
#include "backend.h"
#include "end.h"
#include "hal.h"
#include "image_run.h"
#include "layout.h"
#include "libc.h"
#include "memory.h"
#include "processors.h"
#include "system.h"
#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/msr.h"
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

static bool small_pages;

const char *hal_pages(void)
{
	return small_pages ? "pages of 4 KiB" : "pages of 2 MiB, which miss the TLBs rarely (PAGES=4k has small ones)";
}

const char *hal_use_small_pages(void)
{
	void *const tables = memory_take(x86_memory_tables_size());

	if (!tables)
		return "there is no memory for page tables";
	x86_memory_divide(tables);
	small_pages = true;
	return NULL;
}

int hal_run_user(int (*function)(void))
{
	return x86_call_user(function, x86_user_stack_end(hal_cpu()));
}

// System calls

uint64_t system_call(enum system_call call, uint64_t a, uint64_t b)
{
	uint64_t answer;

	__asm__ volatile("int %1" : "=a"(answer) : "i"(VECTOR_SYSTEM_CALL), "D"(call), "S"(a), "d"(b) : "memory");
	return answer;
}

// For a bad address, report a fault of the program at that address.
static void refuse(struct arch_frame *frame, uint64_t address)
{
	__asm__ volatile("mov %0, %%cr2" : : "r"(address));
	frame->vector = VECTOR_PAGE_FAULT;
	x86_trap_fatal(frame);
}

// Overflow interrupts can interrupt this trap if they could interrupt the program.
static void system_call_trap(struct arch_frame *frame)
{
	const enum system_call call = (enum system_call)frame->rdi;

	arch_interrupts_restore(frame->rflags >> 9 & 1);
	if (call == SYSTEM_WRITE && arch_frame_level(frame) && !x86_memory_readable(frame->rsi, frame->rdx))
		refuse(frame, frame->rsi);
	frame->rax = system_serve(call, frame->rsi, frame->rdx);
	arch_interrupts_disable();
}

void system_start(void)
{
	libc_start();
	x86_attach_system_call(VECTOR_SYSTEM_CALL, system_call_trap);
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
