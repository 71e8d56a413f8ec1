// SPDX-License-Identifier: BSD-2-Clause
// The end of a run on an exception that nobody expected: where, in which function, all registers. CPUs that fault at
// the same time follow each other, and the last one ends the run. The C library is not used: the fault may be in it.

#include "arch.h"
#include "boot.h"
#include "console.h"
#include "hal.h"
#include "symbols.h"

#define CLOCKS_OF_DUMPS (1ULL << 31)	/* for which others' are waited for, as for the console (hal/console/owner.c) */

static unsigned dumps_to_come;

static void put(const char *s)
{
	while (*s)
		hal_console_put(*s++);
}

static void dump(const struct arch_frame *frame)
{
	const struct symbol *symbol = symbol_find(arch_frame_ip(frame));

	put("\npalmon: unexpected exception or interrupt in ");
	put(symbol ? symbol->name : "no function");
	put(": ");
	arch_frame_print(frame, hal_console_put);
}

static noreturn void end_run(void)
{
	const uint64_t start = hal_clock();

	if (__atomic_sub_fetch(&dumps_to_come, 1, __ATOMIC_RELAXED)) {
		console_give();
		while (hal_clock() - start < CLOCKS_OF_DUMPS)
			hal_relax();
		console_take_to_end();
	}
	put("palmon: status 1 (fault)\n");
	hal_exit(1);
}

static void fault(struct arch_frame *frame)
{
	static uint8_t faults[HAL_CPUS];

	switch (faults[hal_cpu_user() % HAL_CPUS]++) {
	case 0:
		__atomic_fetch_add(&dumps_to_come, 1, __ATOMIC_RELAXED);
		console_take_to_end();
		dump(frame);
		end_run();
	case 1:
		put("\npalmon: a fault in this dump\n");
		end_run();
	default:
		hal_exit(1);
	}
}

void fault_start(void)
{
	arch_attach_fatal(fault);
}
