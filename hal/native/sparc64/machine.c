// SPDX-License-Identifier: BSD-2-Clause
// The rest of the machine: the lowest privilege level, the processor's version, end of the run.

#include "arch.h"
#include "console.h"
#include "hal.h"
#include "image_run.h"
#include "memory.h"
#include "sparc64/traps.h"
#include "uart.h"

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
	return "there are no small pages; programs' memory is mapped in pages of 4 MiB, which stay "
	       "in the TLBs";
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
