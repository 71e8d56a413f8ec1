// SPDX-License-Identifier: BSD-2-Clause
// What the C library asks of the runtime.

#include "system.h"

#include "hal.h"
#include "memory.h"

// What one program writes at once is not mixed with what others write.
static void write_text(const char *text, size_t size)
{
	static bool taken;

	while (__atomic_exchange_n(&taken, true, __ATOMIC_ACQUIRE))
		hal_relax();
	hal_console_write(text, size);
	__atomic_store_n(&taken, false, __ATOMIC_RELEASE);
}

static void put(const char *text)
{
	while (*text)
		hal_console_put(*text++);
}

// The lowest eight bits, as a shell sees them.
static noreturn void end_run(uint64_t status)
{
	put("\npalmon: the workload ended the run with exit status ");
	for (unsigned place = 100, rest = status & 0xFF; place; rest %= place, place /= 10)
		if (rest >= place || place == 1 || (status & 0xFF) >= place * 10)
			hal_console_put((char)('0' + rest / place));
	put(status & 0xFF ? "\npalmon: status 1 (exit)\n" : "\npalmon: status 0 (exit)\n");
	hal_exit((status & 0xFF) != 0);
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
