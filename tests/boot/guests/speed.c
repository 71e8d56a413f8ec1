// SPDX-License-Identifier: BSD-2-Clause
// A guest's execution time, measured with the local APIC's timer, whose tick is the time of one
// instruction: an idle PMU does not change it. Then, with a PMU, overflow interrupts.

#include "pmu.h"

#define VECTOR_TIMER	0x51
#define VECTOR_PMI	0x52
#define PERIOD		100000
#define SAMPLES		100

#define APIC_TIMER_PERIODIC	(1u << 17)
#define APIC_MASKED		(1u << 16)
#define APIC_NMI		0x400u

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t timers, samples;
static volatile bool samples_go_on;	// each overflow's handler prepares the next one

static void take_sample(void)
{
	samples++;
	if (samples_go_on) {
		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - PERIOD);
		wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0);
	}
	*apic(APIC_LVTPC) &= ~APIC_MASKED;
}

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == 2) {
		take_sample();
		return;
	}
	if (take_exception(frame))
		return;
	if (frame->vector == VECTOR_TIMER)
		timers++;
	else if (frame->vector == VECTOR_PMI)
		take_sample();
	else
		fail_on(frame);
	*apic(APIC_EOI) = 0;
}

//
// Clocks
//

static uint32_t now(void)
{
	return ~*apic(APIC_TIMER_NOW);
}

static void start_timer(uint32_t entry, uint32_t ticks)
{
	*apic(APIC_TIMER_DIVIDE) = 0xB;		// by 1
	*apic(APIC_TIMER) = entry;
	*apic(APIC_TIMER_START) = ticks;
}

// 2n + 1 instructions.
static void loop(uint32_t n)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

// 1,000 each of interrupts, halts and mode switches.
static void mixed(void)
{
	start_timer(APIC_TIMER_PERIODIC | VECTOR_TIMER, 3000);
	for (int i = 0; i < 1000; i++) {
		uint32_t cr0;

		__asm__ volatile("sti; hlt; cli" ::: "memory");
		__asm__ volatile("mov %%cr0, %0; mov %0, %%cr0" : "=r"(cr0));
	}
	start_timer(APIC_MASKED, UINT32_MAX);
}

// One overflow at a time, delivered as this APIC entry says.
static void count_overflows(const char *name, uint32_t entry)
{
	reset_pmu();
	*apic(APIC_LVTPC) = entry;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_USR | CONTROL_PMI);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	samples_go_on = false;
	samples = 0;
	__asm__ volatile("sti");
	for (int i = 0; i < SAMPLES; i++) {
		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 1000);
		loop(1000);
	}
	__asm__ volatile("cli");
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is(name, samples, SAMPLES);
}

static void sample(const char *name, uint32_t levels)
{
	reset_pmu();
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_FIXED_CTR_CTRL, levels | CONTROL_PMI);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - PERIOD);
	samples_go_on = true;
	samples = 0;
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	__asm__ volatile("sti");
	loop(5000000);
	__asm__ volatile("cli");
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is(name, samples, SAMPLES);
}

void guest_main(void)
{
	uint32_t r[4], start, ticks;

	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	start_timer(APIC_MASKED, UINT32_MAX);
	start = now();
	loop(5000000);
	ticks = now() - start;
	mixed();
	print("# ticks of 10,000,001 instructions: ");
	print_number(ticks);
	print("\n# timer interrupts, a HLT for each: ");
	print_number(timers);
	print("\n");
	cpuid(10, 0, r);
	if (r[0] & 0xFF) {
		count_overflows("overflow interrupts as a vector", VECTOR_PMI);
		count_overflows("overflow interrupts as an NMI", APIC_NMI);
		sample("instructions sampled each 100,000", CONTROL_OS | CONTROL_USR);
		sample("at level 0 only", CONTROL_OS);
	}
	finish();
}
