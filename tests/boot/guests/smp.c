// SPDX-License-Identifier: BSD-2-Clause
// Eight CPUs. Each has its own counters and those of its package, which interrupt CPUs of at most
// four cores. The command line gives the number of CPUs that they interrupt. SDM volume 3B,
// "Performance Monitoring Facility in the Uncore".

#include "cpus.h"
#include "pmu.h"

#define GLOBAL_CTRL	0x391
#define FIXED_CTR0	0x394
#define FIXED_CTR_CTRL	0x395
#define EN_FC0		(1ULL << 32)
#define EN_PMI_CORES	(15ULL << 48)	/* all four bits */
#define EN_PMI		5u		/* fixed control: enabled, interrupts */
#define UNCORE_PMI_EN	(1u << 13)	/* IA32_DEBUGCTL */
#define VECTOR_PMI	0x51

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t turn, pmis, pmis_of[MOST], faults;
static volatile uint64_t counts;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector != VECTOR_PMI) {
		if (!take_exception(frame))
			fail_on(frame);
		return;
	}
	pmis_of[self()]++;
	__asm__ volatile("lock incl %0" : "+m"(pmis));
	*apic(APIC_EOI) = 0;
}

static void measure(void)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	MEASURE(1ULL, NOPS(100));
	counts += rdmsr(IA32_PMC0);
	faults += rdmsr_faults(FIXED_CTR0);
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_DEBUGCTL, UNCORE_PMI_EN);
	turn++;
}

void cpu_main(void)
{
	begin_cpu();
	while (turn != self())
		relax();
	measure();
	for (;;)
		__asm__ volatile("sti; hlt" ::: "memory");
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	uint32_t twice = 0;

	(void)magic;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	start_others();
	measure();
	while (turn != MOST)
		relax();
	is("eight CPUs count 100 instructions each", counts, MOST * (100 + BEHIND));
	is("and reach the counters of their package", faults, 0);
	wrmsr(FIXED_CTR_CTRL, EN_PMI);
	wrmsr(FIXED_CTR0, MASK_48 + 1 - 100);
	wrmsr(GLOBAL_CTRL, EN_FC0 | EN_PMI_CORES);
	__asm__ volatile("sti" ::: "memory");
	for (uint32_t i = 0; i < 100000; i++)
		relax();
	for (uint32_t i = 0; i < MOST; i++)
		twice += pmis_of[i] > 1;
	is("an overflow there interrupts the CPUs of four cores", pmis, count_of_cpus(information));
	is("each once", twice, 0);
	finish();
}
