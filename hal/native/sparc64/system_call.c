// SPDX-License-Identifier: BSD-2-Clause
// The trap of system calls. It checks pointers like an access of the program.

#include "system.h"

#include <string.h>

#include "arch.h"
#include "console.h"
#include "sparc64/frame.h"
#include "sparc64/traps.h"
#include "uart.h"

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
