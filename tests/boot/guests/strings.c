// SPDX-License-Identifier: BSD-2-Clause
// A repeated string instruction retires once, whatever its number of iterations (SDM volume 2B,
// "REP/REPE/REPZ/REPNE/REPNZ"). Emulators execute many iterations in several steps.

#include "pmu.h"

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

uint8_t buffer[1 << 20];
volatile uint32_t iterations;

#define RETIRES 4
#define CHECK(string) do {									\
	reset_pmu();										\
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_USR);					\
	MEASURE(FIXED0,	\
		"mov iterations, %%ecx\n mov $buffer, %%edi\n mov %%edi, %%esi\n " string);	\
	is(string, rdmsr(IA32_FIXED_CTR0), RETIRES + BEHIND);					\
} while (0)

void guest_main(void)
{
	// Around 256, 4,096 and 65,536 iterations, where emulators split them.
	static const uint32_t numbers[] = {0, 1, 2, 100, 255, 256, 257, 4096, 65535, 65536, 65537,
					   131072, 262144};

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		iterations = numbers[i];
		CHECK("rep stosb");
		CHECK("rep movsb");
		CHECK("rep stosl");
		CHECK("repe scasb");
	}
	finish();
}
