// SPDX-License-Identifier: BSD-2-Clause
// The baton (baton.h) is handed on by the next CPU's alarm: it is set to go off some time after the CPU that hands it on has
// halted, a straight line of code from here. All CPUs are halted then, and the one that is woken is alone. An
// interprocessor interrupt would wake it at once, with the other's last instructions among its guest's.

#include "baton.h"

#include "alarm.h"
#include "arch.h"

#define SLICE		20000	/* guest clocks of one that executes */
#define SLICE_HALTED	16	/* of one that does not, if another one does */
#define SLICE_IDLE	4096	/* if none does */

static struct {
	struct svm_frame *frame[SVM_CPUS];
	unsigned holder;
	uint32_t members, halted;	// bits
	uint64_t elapsed;		// clocks of all guests
} baton;

bool baton_is_shared;

static uint64_t slice_of(const struct svm_monitor *m)
{
	if (!m->halting)
		return SLICE;
	return baton.halted == baton.members ? SLICE_IDLE : SLICE_HALTED;
}

static void begin_slice(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	m->slice_start = frame->guest_clock;
	m->slice_end = frame->guest_clock + slice_of(m);
}

static void wait_for_baton(unsigned cpu)
{
	while (baton.holder != cpu)
		svm_wait();
}

void baton_start(struct svm_frame *frame)
{
	baton.frame[0] = frame;
	baton.members = 1;
}

void baton_join(struct svm_frame *frame)
{
	unsigned cpu = frame->monitor->cpu;

	baton.frame[cpu] = frame;
	baton.members |= 1u << cpu;
	baton_is_shared = true;
	alarm_ring(baton.frame[baton.holder]);
	wait_for_baton(cpu);
	begin_slice(frame);
}

bool baton_is_due(const struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;

	if (frame->guest_clock >= m->slice_end)
		return true;
	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (cpu != m->cpu && baton.frame[cpu] && vpmu_has_request(&baton.frame[cpu]->monitor->vpmu))
			return true;
	return false;
}

static unsigned next_member(unsigned cpu)
{
	do
		cpu = (cpu + 1) % SVM_CPUS;
	while (!(baton.members >> cpu & 1));
	return cpu;
}

void baton_pass(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	const uint64_t clock = arch_clock();
	uint64_t elapsed, missed = 0;

	elapsed = baton.elapsed += frame->guest_clock - m->slice_start;
	baton.holder = next_member(m->cpu);
	alarm_ring(baton.frame[baton.holder]);
	wait_for_baton(m->cpu);
	if (m->halting)
		missed = baton.elapsed - elapsed;
	frame->guest_clock += missed;
	m->accounted += missed;
	m->away += arch_clock() - clock - missed;
	begin_slice(frame);
}

void baton_halt(struct svm_frame *frame)
{
	baton.halted |= 1u << frame->monitor->cpu;
	frame->monitor->slice_end = frame->guest_clock;
}

void baton_wake(struct svm_frame *frame)
{
	baton.halted &= ~(1u << frame->monitor->cpu);
	frame->monitor->slice_end = frame->guest_clock + SLICE;
}
