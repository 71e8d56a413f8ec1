// SPDX-License-Identifier: BSD-2-Clause
// A kernel with palmon's runtime: it tests its PMU, then counts a loop of its own. It writes to COM1, and ends by
// QEMU's debug-exit device.

#include "host.h"
#include "pal.h"
#include "palmon_host.h"
#include "palmon_runtime.h"

#define COM1		0x3F8
#define COM1_READY	0x20
#define DEBUG_EXIT	0xF4
#define LOOPS		1000

void kernel(void);

static void out(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

void palmon_host_put(const char *text, size_t size)
{
	uint8_t status;

	for (; size; text++, size--) {
		do
			__asm__ volatile("inb %1, %0" : "=a"(status) : "Nd"((uint16_t)(COM1 + 5)));
		while (!(status & COM1_READY));
		out(COM1, (uint8_t)*text);
	}
}

static void put(const char *text)
{
	while (*text)
		palmon_host_put(text++, 1);
}

static void put_value(const char *text, uint64_t value)
{
	const char digit = (char)('0' + value % 10);

	put(text);
	if (value >= 10)
		put_value("", value / 10);
	palmon_host_put(&digit, 1);
}

static void end(bool ok)
{
	out(DEBUG_EXIT, !ok);
	for (;;)
		__asm__ volatile("cli; hlt");
}

void host_end(unsigned vector, uint64_t ip)
{
	put_value("kernel: exception ", vector);
	put_value(" at ", ip);
	put("\n");
	end(false);
}

// Two instructions each time, and those around it.
static uint64_t count_loop(uint64_t loops)
{
	static struct pmu_session session;
	uint64_t count = 0;

	if (!palmon_begin(false) || palmon_open(&session, "INST_RETIRED.ANY_P:k") || pmu_start(&session))
		return 0;
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(loops));
	if (pmu_stop(&session) || pmu_read(&session, 0, &count) || pmu_close(&session))
		return 0;
	return count;
}

void kernel(void)
{
	struct palmon_result result;
	uint64_t more;

	host_take_interrupts();
	if (!palmon_probe()) {
		put("kernel: this processor has no such PMU\n");
		end(false);
	}
	result = palmon_selftest();
	put_value("kernel: checks ", result.checks);
	put_value(", failed ", result.failed);
	put_value(", skipped ", result.skipped);
	more = count_loop(2 * LOOPS) - count_loop(LOOPS);
	put_value("; instructions of 1000 loops ", more);
	put_value("\nkernel: PAL_PERF_MON_INFO ", pal_call(PAL_PERF_MON_INFO, 0x200000, 0, 0).v1);
	put("\n");
	end(!result.failed && more == 2 * LOOPS);
}
