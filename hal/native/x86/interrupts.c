// SPDX-License-Identifier: BSD-2-Clause
// The local APIC: the overflow interrupt through LVTPC, and a one-shot timer to end halts.

#include "arch.h"
#include "hal.h"
#include "image_run.h"
#include "layout.h"
#include "x86/apic.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"
#include "processors.h"

#define PIC_MASTER_MASK	0x21
#define PIC_SLAVE_MASK	0xA1

#define VECTOR_ALARM	0xD0
#define VECTOR_SPURIOUS	0xFF

static volatile uint32_t no_end;	// an NMI needs no end of interrupt

static void end_interrupt(struct arch_frame *frame)
{
	(void)frame;
	*x86_apic_register(APIC_EOI) = 0;
}

// Attaches handlers that end the interrupts which firmware or a loader left pending. They come as
// soon as interrupts are on.
static void end_pending(void)
{
	for (unsigned word = 1; word < X86_VECTORS / 32; word++)
		for (uint32_t waits = *x86_apic_register(APIC_REQUESTED + word * 0x10); waits;
		     waits &= waits - 1)
			arch_attach(word * 32 + (unsigned)__builtin_ctz(waits), end_interrupt);
}

// The APIC does not put the spurious vector in service: no end of interrupt.
static void ignore_interrupt(struct arch_frame *frame)
{
	(void)frame;
}

// Masks both 8259 interrupt controllers. They would deliver the firmware's timer and keyboard
// interrupts at vectors that are exceptions here.
static void silence_8259(void)
{
	if (!HAS_8259)
		return;
	x86_outb(PIC_MASTER_MASK, 0xFF);
	x86_outb(PIC_SLAVE_MASK, 0xFF);
}

void interrupts_start_cpu(void)
{
	x86_this_cpu.pmi_entry = APIC_LVT_MASKED;
	x86_this_cpu.pmi_end_register = &no_end;
	*x86_apic_register(APIC_TASK_PRIORITY) = 0;
	*x86_apic_register(APIC_SPURIOUS) = APIC_SPURIOUS_ENABLE | VECTOR_SPURIOUS;
}

void hal_interrupts_start(void)
{
	silence_8259();
	end_pending();
	arch_attach(VECTOR_ALARM, end_interrupt);
	arch_attach(VECTOR_WAKE, end_interrupt);
	arch_attach(VECTOR_SPURIOUS, ignore_interrupt);
	interrupts_start_cpu();
	arch_interrupts_enable();
}

void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery)
{
	arch_attach_pmi(handler, delivery == HAL_PMI_NMI);
	if (delivery == HAL_PMI_NMI) {
		x86_this_cpu.pmi_entry = APIC_LVT_NMI;
		x86_this_cpu.pmi_end_register = &no_end;
	} else {
		x86_this_cpu.pmi_entry = APIC_LVT_FIXED | VECTOR_PMI;
		x86_this_cpu.pmi_end_register = x86_apic_register(APIC_EOI);
	}
	hal_pmi_unmask();
}

void hal_halt(void (*woken)(void))
{
	arch_halt(woken);
}

void hal_alarm(uint32_t ticks)
{
	*x86_apic_register(APIC_TIMER_DIVIDE) = APIC_TIMER_DIVIDE_BY_1;
	*x86_apic_register(APIC_LVTT) = VECTOR_ALARM;
	*x86_apic_register(APIC_TIMER_INITIAL) = ticks;
}
