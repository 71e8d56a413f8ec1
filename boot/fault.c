// SPDX-License-Identifier: BSD-2-Clause
// The end of a run on an exception that nobody expected: where, in which function, all registers. The C library
// is not used: the fault may be in it.

#include "arch.h"
#include "boot.h"
#include "hal.h"
#include "symbols.h"

static void put(const char *s)
{
	while (*s)
		hal_console_put(*s++);
}

static void fault(struct arch_frame *frame)
{
	static bool already;
	const struct symbol *symbol = symbol_find(arch_frame_ip(frame));

	if (already)
		hal_exit(1);
	already = true;
	put("\npalmon: unexpected exception or interrupt in ");
	put(symbol ? symbol->name : "no function");
	put(": ");
	arch_frame_print(frame, hal_console_put);
	put("palmon: status 1 (fault)\n");
	hal_exit(1);
}

void fault_start(void)
{
	arch_attach_fatal(fault);
}
