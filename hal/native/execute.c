// SPDX-License-Identifier: BSD-2-Clause
// Code of a known number of instructions, provided by arch/.

#include "arch.h"
#include "hal.h"

void hal_execute(uint64_t n)
{
	arch_execute(n);
}

void hal_execute_user(uint64_t n)
{
	arch_execute_user(n);
}

bool hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	return arch_execute_between(address, first, second, n);
}

#define LINE 64

extern const volatile char text_start[];	// linker script

// Reads the image's own memory, from the beginning of its code.
void hal_read_lines(uint64_t lines)
{
	for (const volatile char *line = text_start; lines--; line += LINE)
		(void)*line;
}
