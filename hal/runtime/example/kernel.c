// SPDX-License-Identifier: BSD-2-Clause
// A kernel with palmon's runtime: tests its PMU, then counts a loop of its own. It writes to COM1,
// and exits by QEMU's debug-exit device.

#include "host.h"
#include "pal.h"
#include "palmon_host.h"
#include "palmon_runtime.h"

#define COM1		0x3F8
#define DEBUG_EXIT	0xF4
#define LOOPS		1000

static _Noreturn void end(bool ok)
{
	__asm__ volatile("outb %0, %1" : : "a"((uint8_t)!ok), "Nd"((uint16_t)DEBUG_EXIT));
	for (;;)
		__asm__ volatile("cli; hlt");
}

void host_end(unsigned vector, uint64_t ip)
{
	host_put_value("kernel: exception ", vector);
	host_put_value(" at ", ip);
	host_put("\n");
	end(false);
}

// A loop of two instructions per iteration, and some around it.
static uint64_t count_loop(uint64_t loops)
{
	static struct pmu_session session;
	uint64_t count = 0;

	if (!palmon_begin(false) || palmon_open(&session, "INST_RETIRED.ANY_P:k") ||
	    pmu_start(&session))
		return 0;
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(loops));
	if (pmu_stop(&session) || pmu_read(&session, 0, &count) || pmu_close(&session))
		return 0;
	return count;
}

// The deepest use of the stack, in bytes: the part below it still has its paint.
static uint64_t stack_used(void)
{
	const uint32_t *word = host_stack;

	while (*word == HOST_STACK_PAINT)
		word++;
	return (uint64_t)(host_stack_end - word) * sizeof *word;
}

uint32_t host_main(uint32_t argument)
{
	struct palmon_result result;
	const char *lacks;
	uint64_t more;

	(void)argument;
	host_serial_port = COM1;
	host_take_interrupts();
	lacks = palmon_probe();
	if (lacks) {
		host_put("kernel: no PMU: ");
		host_put(lacks);
		host_put("\n");
		end(false);
	}
	result = palmon_selftest();
	host_put_value("kernel: checks ", result.checks);
	host_put_value(", failed ", result.failed);
	host_put_value(", skipped ", result.skipped);
	more = count_loop(2 * LOOPS) - count_loop(LOOPS);
	host_put_value("; instructions of 1000 loops ", more);
	host_put_value("\nkernel: PAL_PERF_MON_INFO ",
		       pal_call(PAL_PERF_MON_INFO, 0x200000, 0, 0).v1);
	host_put_value("\nkernel: stack used, interrupts included: ", stack_used());
	host_put("\n");
	end(!result.failed && more == 2 * LOOPS);
}
