// SPDX-License-Identifier: BSD-2-Clause
// The end of a run after an unexpected exception: prints address, function, all registers, and the
// report so far. If several CPUs fault at the same time, their dumps follow each other, and the
// last CPU ends the run. The fault may be in the C library, so its output is not used; a fault
// after the register dump ends the run, too.

#include "fault.h"

#include <stdio.h>

#include "arch.h"
#include "console.h"
#include "hal.h"
#include "image_run.h"
#include "symbols.h"

#define CLOCKS_OF_DUMPS (1ULL << 31)	/* time to wait for other CPUs' dumps, as for the console
					 * (hal/console/owner.c) */

static unsigned dumps_to_come;

// The report so far.
static const struct summary *summary;
static struct board_end *board_end;

static void put(const char *s)
{
	while (*s)
		hal_console_put(*s++);
}

static void dump(const struct arch_frame *frame, const char *function)
{
	put("\npalmon: unexpected exception or interrupt in ");
	put(function);
	put(": ");
	arch_frame_print(frame, hal_console_put);
}

static void print_report(const char *function)
{
	static char why[80];

	snprintf(why, sizeof why, "fault in %s", function);
	board_end->status = 1;
	board_end->why = why;
	board_end->results = NULL;
	board_end->faulted = true;
	board_print(summary, board_end);
}

// `function`: the function that faulted; NULL: print no report.
static noreturn void end_run(const char *function)
{
	const uint64_t start = hal_clock();

	if (__atomic_sub_fetch(&dumps_to_come, 1, __ATOMIC_RELAXED)) {
		console_give();
		while (hal_clock() - start < CLOCKS_OF_DUMPS)
			hal_relax();
		console_take_to_end();
	}
	if (function)
		print_report(function);
	put("palmon: status 1 (fault)\n");
	hal_exit(1);
}

static void fault(struct arch_frame *frame)
{
	static uint8_t faults[HAL_CPUS];
	const struct symbol *symbol;
	const char *function;

	switch (faults[hal_cpu_user() % HAL_CPUS]++) {
	case 0:
		__atomic_fetch_add(&dumps_to_come, 1, __ATOMIC_RELAXED);
		console_take_to_end();
		symbol = symbol_find(arch_frame_ip(frame));
		function = symbol ? symbol->name : "no function";
		dump(frame, function);
		end_run(function);
	case 1:
		put("\npalmon: a fault in this dump\n");
		end_run(NULL);
	default:
		hal_exit(1);
	}
}

void fault_start(const struct summary *summary_so_far, struct board_end *end)
{
	summary = summary_so_far;
	board_end = end;
	arch_attach_fatal(fault);
}
