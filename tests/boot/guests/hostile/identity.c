// SPDX-License-Identifier: BSD-2-Clause
// A local APIC with another identity, and at another base, still gets its overflow interrupts, at the instruction, and
// NMIs (SDM volume 3A, "Local APIC ID", "Relocating the Local APIC Registers"; QEMU 7.2 leaves them where they
// are).

#include "../pmu.h"

#define IA32_APIC_BASE	0x1B
#define APIC_ID		0x020
#define VECTOR_PMI	0x51

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t pmis, nmis;
static volatile uint64_t counted;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == 2) {
		nmis++;
	} else if (frame->vector == VECTOR_PMI) {
		wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
		counted = rdmsr(IA32_FIXED_CTR0);
		wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0);
		pmis++;
		*apic(APIC_EOI) = 0;
	} else if (!take_exception(frame)) {
		fail_on(frame);
	}
}

static void is_exact(const char *name)
{
	static uint64_t first;

	pmis = 0;
	reset_pmu();
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 5000);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	for (volatile uint32_t i = 0; i < 100000 && !pmis; i++)
		;
	is(name, pmis, 1);
	if (!first)
		first = counted;
	is("with the same count", counted, first);
}

static void is_notified(const char *name)
{
	nmis = 0;
	*apic(APIC_COMMAND) = 0x84400;		// NMI, to all; QEMU finds nobody by "self" then
	is(name, nmis, 1);
}

void guest_main(void)
{
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	__asm__ volatile("sti");
	is_exact("an overflow interrupts");
	is_notified("an NMI to all");
	*apic(APIC_ID) = 5u << 24;
	is("it has another identity", *apic(APIC_ID) >> 24, 5);
	is_exact("an overflow of identity 5 interrupts");
	is_notified("an NMI to all");
	wrmsr(IA32_APIC_BASE, (rdmsr(IA32_APIC_BASE) & 0xFFF) | 0xFEF00000);
	is_exact("an overflow at another base interrupts");
	is_notified("an NMI to all");
	finish();
}
