// SPDX-License-Identifier: BSD-2-Clause
// The local APIC: the overflow interrupt through LVTPC, and a one-shot timer, which ends halts and
// drives hal_poll.

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
#define VECTOR_TIMER	0xD2
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

static void start_timer(uint32_t vector, uint32_t ticks)
{
	*x86_apic_register(APIC_TIMER_DIVIDE) = APIC_TIMER_DIVIDE_BY_1;
	*x86_apic_register(APIC_LVTT) = vector;
	*x86_apic_register(APIC_TIMER_INITIAL) = ticks;
}

static hal_pmi_function *poll_function[HAL_CPUS];
static uint32_t poll_ticks[HAL_CPUS];		// 0: no polls

static void wait_for_poll(void)
{
	if (poll_ticks[hal_cpu()])
		start_timer(VECTOR_TIMER, poll_ticks[hal_cpu()]);
}

static void timer_interrupt(struct arch_frame *frame)
{
	if (poll_ticks[hal_cpu()])
		poll_function[hal_cpu()](arch_frame_ip(frame), arch_frame_level(frame));
	end_interrupt(frame);
	wait_for_poll();
}

// The alarm had taken the timer from the polls.
static void end_alarm(struct arch_frame *frame)
{
	end_interrupt(frame);
	wait_for_poll();
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
	arch_attach(VECTOR_ALARM, end_alarm);
	arch_attach(VECTOR_TIMER, timer_interrupt);
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
	start_timer(VECTOR_ALARM, ticks);
	if (!ticks)
		wait_for_poll();
}

void hal_poll(hal_pmi_function *function, uint64_t ticks)
{
	poll_function[hal_cpu()] = function;
	poll_ticks[hal_cpu()] = (uint32_t)ticks;
	start_timer(VECTOR_TIMER, (uint32_t)ticks);
}
