// SPDX-License-Identifier: BSD-2-Clause
// The baton (baton.h) is handed on by the next CPU's alarm: it is set to go off some time after the CPU that hands it
// on has halted, a straight line of code from here. All CPUs are halted then, and the one that is woken is alone. An
// interprocessor interrupt would wake it at once, with the other's last instructions among its guest's.

#include "baton.h"

#include "alarm.h"
#include "arch.h"

#define SLICE		20000	/* guest clocks of one that executes */
#define SLICE_HALTED	16	/* of one that does not, if another one does */
#define SLICE_IDLE	4096	/* if none does */

// How long a CPU that has handed the baton to one without a monitor may need until it has halted, at most: that one
// spins.
#define CLOCKS_TO_HALT	5000

static struct {
	struct svm_frame *frame[SVM_CPUS];
	unsigned holder, wanted_by;	// 0: nobody
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

// The guest's clock goes on although it does not execute.
static void advance_clock(struct svm_frame *frame, uint64_t clocks)
{
	frame->guest_clock += clocks;
	frame->monitor->accounted += clocks;
	frame->monitor->away -= clocks;
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

void baton_take(unsigned cpu)
{
	const struct svm_frame *alone = baton_is_shared ? NULL : baton.frame[0];
	uint64_t start;

	__atomic_store_n(&baton.wanted_by, cpu, __ATOMIC_SEQ_CST);
	baton_is_shared = true;
	if (alone)
		alarm_ring(alone);	// it has it without end
	while (__atomic_load_n(&baton.holder, __ATOMIC_SEQ_CST) != cpu)
		__asm__ volatile("pause");
	start = arch_clock();
	while (arch_clock() - start < CLOCKS_TO_HALT)
		__asm__ volatile("pause");
	baton.wanted_by = 0;
}

// While a CPU starts, it and others execute at once, in an order that depends on the host. With the clocks of all going
// on from a round number, nothing that is measured later does.
#define CLOCKS_OF_START (1ULL << 22)

static void set_clocks(void)
{
	uint64_t clock = 0;

	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (baton.frame[cpu] && baton.frame[cpu]->guest_clock > clock)
			clock = baton.frame[cpu]->guest_clock;
	clock = (clock / CLOCKS_OF_START + 1) * CLOCKS_OF_START;
	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (baton.frame[cpu])
			advance_clock(baton.frame[cpu], clock - baton.frame[cpu]->guest_clock);
}

void baton_join(struct svm_frame *frame)
{
	unsigned cpu = frame->monitor->cpu;

	baton.frame[cpu] = frame;
	baton.members |= 1u << cpu;
	set_clocks();
	begin_slice(frame);
}

static unsigned next_member(unsigned cpu)
{
	do
		cpu = (cpu + 1) % SVM_CPUS;
	while (!(baton.members >> cpu & 1));
	return cpu;
}

static void hand_to(unsigned cpu)
{
	baton.holder = cpu;
	alarm_ring(baton.frame[cpu]);
}

void baton_leave(void)
{
	hand_to(next_member(baton.holder));
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

void baton_pass(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	const uint64_t clock = arch_clock();
	uint64_t elapsed;

	elapsed = baton.elapsed += frame->guest_clock - m->slice_start;
	if (baton.wanted_by)
		baton.holder = baton.wanted_by;
	else
		hand_to(next_member(m->cpu));
	wait_for_baton(m->cpu);
	m->away += arch_clock() - clock;
	if (m->halting)
		advance_clock(frame, baton.elapsed - elapsed);
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
