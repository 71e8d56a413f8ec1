// SPDX-License-Identifier: BSD-2-Clause
// Counts for a while, then executes long stretches of code without branches for ever, while nothing
// counts.

#include "pmu.h"

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static void execute(uint32_t times)
{
	while (times--)
		__asm__ volatile(NOPS(1000));
}

void guest_main(void)
{
	start_interrupts();
	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	execute(1000);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	execute(10000);
	print("has stopped\n");
	for (;;)
		execute(1);
}
