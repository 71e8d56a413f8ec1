// SPDX-License-Identifier: BSD-2-Clause
// The overflow interrupt, through PMV, and the interval timer: ITM ends halts, and has a function called again and
// again. A session that counts by the timer has it for itself: no alarm comes then.

#include "arch.h"
#include "hal.h"
#include "layout.h"

#define VECTOR_TIMER	0x60

static uint64_t alarm_due, poll_due;	// on ITC; 0: not wanted
static uint64_t poll_clocks;
static hal_pmi_function *poll_function;

// Clocks that are left when ITM has been written too late for ITC to reach it.
#define AGAIN	1000

static void arm_timer(void)
{
	uint64_t due = alarm_due, vector = 0;

	if (poll_due && (!due || poll_due < due))
		due = poll_due;
	ia64_read_itv(&vector);
	if ((vector & 0xFF) == ARCH_PMI_VECTOR && !(vector & MASKED_VECTOR))
		return;
	if (!due) {
		ia64_write_itv(MASKED_VECTOR | VECTOR_TIMER);
		return;
	}
	ia64_write_itm(due);
	ia64_write_itv(VECTOR_TIMER);
	// It matches only the moment itself.
	if ((int64_t)(hal_clock() - due) >= 0)
		ia64_write_itm(hal_clock() + AGAIN);
}

static void timer_interrupt(struct arch_frame *frame)
{
	const uint64_t now = hal_clock();

	if (alarm_due && (int64_t)(now - alarm_due) >= 0)
		alarm_due = 0;
	if (poll_due && (int64_t)(now - poll_due) >= 0) {
		poll_due = now + poll_clocks;
		poll_function(arch_frame_ip(frame), arch_frame_level(frame));
	}
	arm_timer();
	ia64_end_interrupt();
}

void hal_interrupts_start(void)
{
	arch_attach(VECTOR_TIMER, timer_interrupt);
	arch_interrupts_enable();
}

void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery)
{
	arch_attach_pmi(handler, delivery == HAL_PMI_NMI);
	hal_pmi_unmask();
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

void hal_poll(hal_pmi_function *function, uint64_t clocks)
{
	poll_function = function;
	poll_clocks = clocks;
	poll_due = clocks ? hal_clock() + clocks : 0;
	arm_timer();
}
