// SPDX-License-Identifier: BSD-2-Clause
// The rest of the machine: the lowest privilege level, identification, loads, queries to the
// simulator.

#include "arch.h"
#include "backend.h"
#include "hal.h"
#include "image_run.h"
#include "memory.h"
#include "ia64/simulator.h"
#include "ia64/traps.h"

int hal_run_user(int (*function)(void))
{
	return (int)ia64_call_user((ia64_user_function *)function, 0);
}

#define LINE_BYTES 32	/* the shortest line of any cache: table 8-1 */

// FC invalidates a line in all caches, PTC.e all entries of the translation caches (the processor's
// manual, 5.6).
void hal_flush(const struct hal_range *ranges, unsigned count)
{
	for (const struct hal_range *r = ranges, *end = r + count; r < end; r++)
		for (uint64_t address = r->from & -(uint64_t)LINE_BYTES; address < r->to;
		     address += LINE_BYTES)
			__asm__ volatile("fc %0" : : "r"(address) : "memory");
	__asm__ volatile(
		";;\nsync.i ;;\nptc.e %0 ;;\nsrlz.i ;;\nsrlz.d ;;" : : "r"(0UL) : "memory");
}

const char *hal_pages(void)
{
	return "pages of 16 KiB";
}

const char *hal_use_small_pages(void)
{
	return "there are no pages of this size; programs' memory is mapped in pages of 16 KiB";
}

// CPUID register `leaf`, low half first.
void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	uint64_t value;

	(void)subleaf;
	__asm__ volatile("mov %0 = cpuid[%1]" : "=r"(value) : "r"((uint64_t)leaf));
	registers[0] = (uint32_t)value;
	registers[1] = (uint32_t)(value >> 32);
	registers[2] = registers[3] = 0;
}

uint64_t hal_instructions(uint64_t clock)
{
	return clock;
}

// Only the timed clock loses cycles to pipeline flushes.
enum hal_cycles hal_cycles(void)
{
	// PIPELINE_BACKEND_FLUSH_CYCLE: the processor's manual, 7.8
	static const uint16_t flush_cycles = 0x00;

	return hal_event_happens(false, flush_cycles, 0) ? HAL_CYCLES_ARE_TIME :
	       HAL_CYCLES_ARE_MOSTLY_INSTRUCTIONS;
}

enum hal_happens hal_event_happens(bool shared, uint16_t code, uint8_t umask)
{
	return !shared && ia64_simulator(code, umask, SIMULATOR_HAPPENS) ? HAL_HAPPENS : HAL_NEVER;
}
