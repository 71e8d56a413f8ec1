// SPDX-License-Identifier: BSD-2-Clause
// The rest of the machine: the lowest privilege level, the processor's version, end of the run.

#include <string.h>

#include "arch.h"
#include "console.h"
#include "hal.h"
#include "image_run.h"
#include "memory.h"
#include "system.h"
#include "sparc64/frame.h"

#define END_OF_TRANSMISSION	'\4'

int hal_run_user(int (*function)(void))
{
	return (int)sparc64_call_user((sparc64_user_function *)function, 0);
}

// The loop loads each line and writes it to memory. Cache lines may be shorter than a block.
#define BLOCK_BYTES 64

void hal_flush(const struct hal_range *ranges, unsigned count)
{
	const bool on = hal_interrupts_disable();

	for (const struct hal_range *r = ranges, *end = r + count; r < end; r++) {
		const uint64_t first = r->from & -(uint64_t)BLOCK_BYTES;

		sparc64_flush_blocks(first, (r->to - first + BLOCK_BYTES - 1) / BLOCK_BYTES);
	}
	hal_interrupts_restore(on);
}

const char *hal_pages(void)
{
	return "pages of 4 MiB, which stay in the TLBs (locked entries)";
}

const char *hal_use_small_pages(void)
{
	return "there are no small pages; programs' memory is mapped in pages of 4 MiB, which stay in the TLBs";
}

// System calls

uint64_t system_call(enum system_call call, uint64_t a, uint64_t b)
{
	register uint64_t o0 __asm__("o0") = call, o1 __asm__("o1") = a, o2 __asm__("o2") = b;

	__asm__ volatile("ta %1" : "+r"(o0) : "i"(TRAP_SYSTEM_CALL), "r"(o1), "r"(o2) : "memory");
	return o0;
}

// END_OF_TRANSMISSION ends the run (hal_exit). Show a program's character as ^D instead.
static void write_text(const char *text, size_t size)
{
	const char *const end = text + size, *special;

	while ((special = memchr(text, END_OF_TRANSMISSION, (size_t)(end - text)))) {
		hal_console_write(text, (size_t)(special - text));
		hal_console_write("^D", 2);
		text = special + 1;
	}
	hal_console_write(text, (size_t)(end - text));
}

// For a bad address, report a fault of the program at that address.
static void system_call_trap(struct arch_frame *frame)
{
	const uint64_t a = frame->o[1], b = frame->o[2];

	if (frame->o[0] != SYSTEM_WRITE) {
		frame->o[0] = system_serve((enum system_call)frame->o[0], a, b);
	} else if (sparc64_memory_readable(a, b)) {
		write_text((const char *)(uintptr_t)a, b);
		frame->o[0] = b;
	} else {
		frame->tt = TT_FAST_DATA_ACCESS_MMU_MISS;
		sparc64_trap_fatal(frame);
	}
	sparc64_frame_skip(frame);
}

void system_start(void)
{
	arch_attach(TT_SOFTWARE + TRAP_SYSTEM_CALL, system_call_trap);
}

// Leaf 0 only: the version register, high half first.
void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	uint64_t version = 0;

	(void)subleaf;
	if (!leaf)
		__asm__ volatile("rdhpr %%hver, %0" : "=r"(version));
	registers[0] = (uint32_t)(version >> 32);
	registers[1] = (uint32_t)version;
	registers[2] = registers[3] = 0;
}

// The machine has no way to switch off. The program that reads the console ends the run at
// END_OF_TRANSMISSION (tools/run-image).
noreturn void hal_exit(int status)
{
	const char end[] = {END_OF_TRANSMISSION, status ? '1' : '0', '\n'};

	arch_interrupts_disable();
	hal_console_write(end, sizeof end);
	for (;;)
		;
}
