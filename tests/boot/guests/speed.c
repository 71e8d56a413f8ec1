// SPDX-License-Identifier: BSD-2-Clause
// How long things take, by the local APIC's timer, which goes on while the monitor works: a tick is the time of an
// instruction. Without the PMU the numbers are those of the bare machine. With it, how much slower it is to sample
// every 100,000 instructions.

#include "pmu.h"

#define VECTOR_TIMER	0x51
#define VECTOR_PMI	0x52
#define PERIOD		100000
#define SAMPLES		100

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t timers, samples;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_TIMER) {
		timers++;
	} else if (frame->vector == VECTOR_PMI) {
		samples++;
		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - PERIOD);
		wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0);
		*apic(APIC_LVTPC) = VECTOR_PMI;
	} else {
		fail_on(frame);
	}
	*apic(APIC_EOI) = 0;
}

static uint32_t now(void)
{
	return ~*apic(0x390);
}

static void start_timer(uint32_t entry, uint32_t ticks)
{
	*apic(0x3E0) = 0xB;
	*apic(0x320) = entry;
	*apic(0x380) = ticks;
}

// 2n + 1 instructions.
static void loop(uint32_t n)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

static void say(const char *what, uint32_t number)
{
	print("# ");
	print(what);
	print(" ");
	print_number(number);
	print("\n");
}

// Interrupts, halts, mode switches: 1,000 of each.
static void mixed(void)
{
	start_timer(0x20000 | VECTOR_TIMER, 3000);	// periodic
	for (int i = 0; i < 1000; i++) {
		uint32_t cr0;

		__asm__ volatile("sti; hlt; cli" ::: "memory");
		__asm__ volatile("mov %%cr0, %0; mov %0, %%cr0" : "=r"(cr0));
	}
}

// The ticks of 1,000 times `code` in a loop of two instructions, each time, without these two.
#define TICKS_OF_1000(code)								\
	({										\
		uint32_t n = 1000, begin = now();					\
											\
		__asm__ volatile("1: xor %%ecx, %%ecx\n" code "\n dec %0\n jnz 1b"		\
				 : "+S"(n) : : "eax", "ebx", "ecx", "edx", "memory", "cc");	\
		now() - begin - 3000;							\
	})

// With four general counters and one fixed running, as far from overflow as can be.
static void say_accesses(void)
{
	reset_pmu();
	for (uint32_t i = 0; i < 4; i++)
		wrmsr(IA32_PERFEVTSEL0 + i, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	wrmsr(IA32_PERF_GLOBAL_CTRL, ALL);
	start_timer(0x10000, 0xFFFFFFFF);
	say("ticks of 1,000 RDPMC:", TICKS_OF_1000("rdpmc"));
	say("of 1,000 RDMSR, a counter:", TICKS_OF_1000("mov $0xC1, %%ecx; rdmsr"));
	say("of 1,000 WRMSR, a counter:", TICKS_OF_1000("mov $0xC1, %%ecx; xor %%eax, %%eax; xor %%edx, %%edx; wrmsr"));
	say("of 1,000 WRMSR, a select:", TICKS_OF_1000("mov $0x189, %%ecx; xor %%eax, %%eax; xor %%edx, %%edx; wrmsr"));
	say("of 1,000 CPUID:", TICKS_OF_1000("xor %%eax, %%eax; cpuid"));
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
}

void guest_main(void)
{
	uint32_t r[4], start, alone, sampled;

	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	start_timer(0x10000, 0xFFFFFFFF);
	start = now();
	loop(5000000);
	alone = now() - start;
	say("ticks of 10,000,001 instructions:", alone);
	mixed();
	say("timer interrupts, a HLT for each:", timers);
	cpuid(10, 0, r);
	if (r[0] & 0xFF) {
		wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - PERIOD);
		*apic(APIC_LVTPC) = VECTOR_PMI;
		start_timer(0x10000, 0xFFFFFFFF);
		start = now();
		wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
		__asm__ volatile("sti");
		loop(5000000);
		__asm__ volatile("cli");
		wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
		sampled = now() - start;
		is("a sample each 100,000 instructions", samples, SAMPLES);
		say("slow-down in millionths:", (sampled - alone) / (alone / 1000000));
		say_accesses();
	}
	finish();
}
