// SPDX-License-Identifier: BSD-2-Clause
// The local APIC in x2APIC mode, in which its registers are MSRs (SDM volume 3A, "Extended xAPIC
// (x2APIC)"). The guest prints them, to compare with the machine without the PMU, and takes an
// overflow interrupt through the LVTPC MSR.

#include "pmu.h"

#define IA32_APIC_BASE	0x1B
#define APIC_BASE_X2APIC (1u << 10)
#define X2APIC(offset)	(0x800u + (offset) / 16)	/* the MSR of a register at this offset */
#define X2APIC_FIRST	0x802
#define X2APIC_LAST	0x83F
#define X2APIC_TIMER_NOW 0x839		/* read with its instruction clock, QEMU aborts */
#define X2APIC_SELF	0x83F		/* write-only: an interrupt to itself */

#define VECTOR_NMI	2
#define VECTOR_PMI	0x51
#define LVT_NMI		0x400u
#define LVT_MASKED	0x10000u

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t pmis, nmis, others, interrupt_eip;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_PMI + 1) {
		others++;
		wrmsr(X2APIC(APIC_EOI), 0);
		return;
	}
	if (frame->vector != VECTOR_PMI && frame->vector != VECTOR_NMI) {
		if (!take_exception(frame))
			fail_on(frame);
		return;
	}
	interrupt_eip = frame->eip;
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, rdmsr(IA32_PERF_GLOBAL_STATUS));
	if (frame->vector == VECTOR_PMI) {
		pmis++;
		wrmsr(X2APIC(APIC_EOI), 0);
	} else {
		nmis++;
	}
}

static void show_registers(void)
{
	for (uint32_t msr = X2APIC_FIRST; msr <= X2APIC_LAST; msr++) {
		bool faults;

		if (msr == X2APIC_TIMER_NOW)
			continue;
		faults = rdmsr_faults(msr);
		print("# register ");
		print_hex(msr);
		print(faults ? " faults" : ": ");
		if (!faults)
			print_hex(rdmsr(msr));
		print("\n");
	}
}

extern char sled[];

// The counter overflows at the 20th instruction after STI: the interrupt returns to the next one.
__attribute__((noinline, noclone)) static void overflow(uint32_t entry)
{
	reset_pmu();
	pmis = nmis = interrupt_eip = 0;
	wrmsr(X2APIC(APIC_LVTPC), entry);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 21);
	MEASURE(FIXED0, "sti\n sled:\n" NOPS(40) "cli\n");
}

static void check_overflows(void)
{
	overflow(VECTOR_PMI);
	is("an overflow interrupts", pmis, 1);
	is("after its instruction", interrupt_eip - (uint32_t)sled, 20);
	is("its delivery masks the entry", rdmsr(X2APIC(APIC_LVTPC)), VECTOR_PMI | LVT_MASKED);
	overflow(VECTOR_PMI | LVT_MASKED);
	is("through a masked entry none comes", pmis, 0);
	overflow(LVT_NMI);
	is("as an NMI", nmis, 1);
	is("after its instruction", interrupt_eip - (uint32_t)sled, 20);
	is("which masks the entry, too", rdmsr(X2APIC(APIC_LVTPC)), LVT_NMI | LVT_MASKED);
}

void guest_main(void)
{
	uint32_t r[4];

	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	cpuid(1, 0, r);
	is("there is an x2APIC", r[2] >> 21 & 1, 1);
	wrmsr(IA32_APIC_BASE, rdmsr(IA32_APIC_BASE) | APIC_BASE_X2APIC);
	show_registers();
	wrmsr(X2APIC_SELF, VECTOR_PMI + 1);
	__asm__ volatile("sti; nop; nop; cli" : : : "memory");
	is("an interrupt to itself", others, 1);
	check_overflows();
	finish();
}
