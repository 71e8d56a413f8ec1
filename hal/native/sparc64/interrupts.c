// SPDX-License-Identifier: BSD-2-Clause
// The overflow traps and the timer. %stick_cmpr raises interrupt level 14 through SOFTINT, which
// ends halts and drives hal_poll. In hyperprivileged mode the interrupt stays pending until a
// program runs in user mode or the processor halts.

#include "arch.h"
#include "hal.h"
#include "image_run.h"
#include "layout.h"
#include "sparc64/frame.h"

static uint64_t alarm_due, poll_due;	// in %stick ticks; 0: off
static uint64_t poll_ticks;
static hal_pmi_function *poll_function;

static void write_stick_cmpr(uint64_t value)
{
	__asm__ volatile("wr %0, 0, %%stick_cmpr" : : "r"(value));
}

static void set_softint(uint64_t bits)
{
	__asm__ volatile("wr %0, 0, %%set_softint" : : "r"(bits));
}

static void clear_softint(uint64_t bits)
{
	__asm__ volatile("wr %0, 0, %%clear_softint" : : "r"(bits));
}

static void arm_timer(void)
{
	uint64_t due = alarm_due;

	if (poll_due && (!due || poll_due < due))
		due = poll_due;
	write_stick_cmpr(due ? due : STICK_CMPR_OFF);
	// %stick_cmpr matches only at equality. If the time has passed, raise the interrupt by
	// hand.
	if (due && hal_clock() >= due)
		set_softint(SOFTINT_STICK);
}

static void timer_interrupt(struct arch_frame *frame)
{
	uint64_t now = hal_clock();

	clear_softint(SOFTINT_STICK);
	if (alarm_due && now >= alarm_due)
		alarm_due = 0;
	if (poll_due && now >= poll_due) {
		poll_function(arch_frame_ip(frame), arch_frame_level(frame));
		poll_due = poll_ticks ? hal_clock() + poll_ticks : 0;
	}
	arm_timer();
}

void hal_interrupts_start(void)
{
	arch_attach(TT_INTERRUPT_LEVEL_14, timer_interrupt);
	arm_timer();
	clear_softint(SOFTINT_STICK);
	__asm__ volatile("wrpr %g0, 0, %pil");
	arch_interrupts_enable();
}

void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery)
{
	arch_attach_pmi(handler, delivery == HAL_PMI_NMI);
}

void hal_halt(void (*woken)(void))
{
	arch_halt(woken);
}

void hal_alarm(uint32_t ticks)
{
	alarm_due = ticks ? hal_clock() + ticks : 0;
	arm_timer();
}

void hal_poll(hal_pmi_function *function, uint64_t ticks)
{
	poll_function = function;
	poll_ticks = ticks;
	poll_due = ticks ? hal_clock() + ticks : 0;
	arm_timer();
}
