// SPDX-License-Identifier: BSD-2-Clause
// The overflow interrupt (PMV) and the interval timer. ITM ends halts and drives hal_poll. During a
// session that counts by the timer, ITV has the overflow interrupt's vector, and the session's
// driver sets ITM in each overflow interrupt, after it has looked at all counters. An alarm may use
// ITM for an earlier time until then.

#include "arch.h"
#include "hal.h"
#include "image_run.h"
#include "layout.h"

#define VECTOR_TIMER	0x60

static uint64_t alarm_due, poll_due;	// in ITC clocks; 0: off
static uint64_t poll_ticks;
static hal_pmi_function *poll_function;

// Clocks from now to the new match if ITC has passed the intended one.
#define AGAIN	1000

static bool is_of_session(void)
{
	uint64_t vector = 0;

	ia64_read_itv(&vector);
	return (vector & (MASKED_VECTOR | 0xFF)) == ARCH_PMI_VECTOR;
}

static void arm_timer(void)
{
	const bool session = is_of_session();
	uint64_t due = alarm_due, match = 0;

	if (poll_due && !session && (!due || poll_due < due))
		due = poll_due;
	ia64_read_itm(&match);
	if (session && (!due || (int64_t)(match - due) <= 0))
		return;
	if (!session)
		ia64_write_itv((due ? 0 : MASKED_VECTOR) | VECTOR_TIMER);
	if (due)
		ia64_write_itm(due);
	// ITM matches only at equality: a match in the past never comes.
	if (due && (int64_t)(hal_clock() - due) >= 0)
		ia64_write_itm(hal_clock() + AGAIN);
}

static void timer_interrupt(struct arch_frame *frame)
{
	const uint64_t now = hal_clock();

	if (alarm_due && (int64_t)(now - alarm_due) >= 0)
		alarm_due = 0;
	if (poll_due && (int64_t)(now - poll_due) >= 0) {
		poll_function(arch_frame_ip(frame), arch_frame_level(frame));
		poll_due = poll_ticks ? hal_clock() + poll_ticks : 0;
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
	if (alarm_due)
		arm_timer();	// a session may have set ITM since
	arch_halt(woken);
	alarm_due = 0;
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
