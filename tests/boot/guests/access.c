// SPDX-License-Identifier: BSD-2-Clause
// Measures the time of a PMU access with the local APIC's timer, whose tick is the time of one
// instruction. Each access must take one tick and count as one instruction. Also checks at which
// instruction an overflow interrupts.

#include "pmu.h"

#define VECTOR_NMI	2
#define VECTOR_PMI	0x51
#define LVT_NMI		0x400u

#define TURNS	1000
#define AROUND	5	// instructions from the timer's first read to its second, without the loop

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t interrupt_eip;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector != VECTOR_PMI && frame->vector != VECTOR_NMI)
		fail_on(frame);
	interrupt_eip = frame->eip;
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, rdmsr(IA32_PERF_GLOBAL_STATUS));
	*apic(APIC_EOI) = 0;
}

static volatile uint32_t ticks;

static void compare(const char *name)
{
	is(name, ticks, 3 * TURNS + AROUND);
	is("and is one instruction", rdmsr(IA32_FIXED_CTR0), 3 * TURNS + AROUND + 2 + BEHIND);
}

// Measures a loop of three instructions, with four general counters and a fixed one running.
#define MEASURE_ACCESS(name, instruction, which)						\
	do {											\
		wrmsr(IA32_FIXED_CTR0, 0);							\
		MEASURE(0xFULL | FIXED0,							\
			"mov 0xFEE00390, %%ebx\n mov $1000, %%esi\n mov $" which ", %%ecx\n"	\
			"xor %%eax, %%eax\n xor %%edx, %%edx\n"					\
			"1: " instruction "\n dec %%esi\n jnz 1b\n"				\
			"sub 0xFEE00390, %%ebx\n mov %%ebx, ticks\n");				\
		compare(name);									\
	} while (0)

extern char sled[];

// The counter overflows at the 20th instruction after STI: the interrupt returns to the one after
// it.
__attribute__((noinline, noclone)) static void check_overflow(const char *name, uint32_t entry)
{
	interrupt_eip = 0;
	*apic(APIC_LVTPC) = entry;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 21);
	MEASURE(FIXED0, "sti\n sled:\n" NOPS(40) "cli\n");
	is(name, interrupt_eip - (uint32_t)sled, 20);
}

void guest_main(void)
{
	start_interrupts();
	reset_pmu();
	for (uint32_t i = 0; i < 4; i++)
		wrmsr(IA32_PERFEVTSEL0 + i, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	*apic(APIC_SPURIOUS) = 0x1FF;
	*apic(0x3E0) = 0xB;		// timer: divide by 1
	*apic(0x320) = 0x10000;		// masked
	*apic(0x380) = 0xFFFFFFFF;	// counts down from there
	MEASURE_ACCESS("RDPMC", "rdpmc", "0");
	MEASURE_ACCESS("RDMSR of a counter", "rdmsr", "0xC1");
	MEASURE_ACCESS("WRMSR of a counter", "wrmsr", "0xC1");
	MEASURE_ACCESS("WRMSR of a select", "wrmsr", "0x189");
	check_overflow("an overflow's interrupt comes after its instruction", VECTOR_PMI);
	check_overflow("so does its NMI", LVT_NMI);
	finish();
}
