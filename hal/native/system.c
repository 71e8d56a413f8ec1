// SPDX-License-Identifier: BSD-2-Clause
// Serves the C library's system calls.

#include "system.h"

#include "console.h"
#include "image_run.h"
#include "memory.h"

// Keeps the text of one call in one piece while other CPUs write, too.
static void write_text(const char *text, size_t size)
{
	console_take();
	hal_console_write(text, size);
	console_give();
}

static void put(const char *text)
{
	while (*text)
		hal_console_put(*text++);
}

// A shell sees the lowest eight bits of a status.
static noreturn void end_run(uint64_t status)
{
	const bool ok = console_take() && !(status & 0xFF);

	status &= 0xFF;
	put("\npalmon: the workload ended the run with exit status ");
	for (unsigned place = 100, rest = status; place; rest %= place, place /= 10)
		if (rest >= place || place == 1 || status >= place * 10)
			hal_console_put((char)('0' + rest / place));
	put(ok ? "\npalmon: status 0 (exit)\n" : "\npalmon: status 1 (exit)\n");
	hal_exit(ok ? 0 : 1);
}

uint64_t system_serve(enum system_call call, uint64_t a, uint64_t b)
{
	switch (call) {
	case SYSTEM_WRITE:
		write_text((const char *)(uintptr_t)a, b);
		return b;
	case SYSTEM_EXTEND_HEAP:
		return (uintptr_t)memory_extend_heap((int64_t)a);
	case SYSTEM_EXIT:
		end_run(a);
	}
	return 0;
}
