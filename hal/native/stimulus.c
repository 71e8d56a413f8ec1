// SPDX-License-Identifier: BSD-2-Clause
// Code at the lowest level, and loads from the image. The library shares execute.c.

#include "arch.h"
#include "stimulus.h"

void hal_execute_user(uint64_t n)
{
	arch_execute_user(n);
}

#define LINE 64

extern const volatile char text_start[];	// linker script

// Reads the image's own memory, from the beginning of its code.
void hal_read_lines(uint64_t lines)
{
	for (const volatile char *line = text_start; lines--; line += LINE)
		(void)*line;
}
