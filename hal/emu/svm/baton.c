// SPDX-License-Identifier: BSD-2-Clause
// The baton (baton.h) is handed on by the next CPU's alarm: it is set to go off some time after the CPU that hands it
// on has halted, a straight line of code from here. All CPUs are halted then, and the one that is woken is alone. An
// interprocessor interrupt would wake it at once, with the other's last instructions among its guest's.

#include "baton.h"

#include "alarm.h"
#include "arch.h"
#include "x86/apic.h"

// Turns go round, so that all get on alike. A CPU whose PMU has raised its line is called at once: it has the baton in
// another one's turn, until it has served its overflow, and then that turn goes on. So what a request waits for is
// bounded: the calls of the other CPUs, and what is left to the turn between them. Nobody loses the baton in a handler,
// which is where interrupts are off.
#define TURN		20000	/* guest clocks of one that executes */
#define TURN_HALTED	16	/* of one that does not, if another one does */
#define TURN_IDLE	4096	/* if none does */
#define TURN_IDLE_CORE	256	/* the same of threads of one core: what passes between them is idle, too */
#define CALL		32	/* of one that is called: its handler has begun by then */
#define BETWEEN_CALLS	32	/* of the one whose turn it is */
#define OFF		32	/* more, and again, while interrupts are off, */
#define OFF_MOST	2048	/* but no more than that */

// How long a CPU that has handed the baton to one without a monitor may need until it has halted, at most: that one
// spins.
#define CLOCKS_TO_HALT	5000

static struct {
	struct svm_frame *frame[SVM_CPUS];
	unsigned holder, wanted_by;	// 0: nobody
	uint32_t members, halted, paused;	// bits
	unsigned turn;			// whose turn it is
	uint64_t turn_left;		// guest clocks of it
	unsigned called;		// who was called last
	bool was_call;			// the last slice was a call
	uint64_t elapsed;		// clocks of all guests
	uint64_t left;			// host clock at which the last holder's guest was left
	uint64_t begins;		// host clock before which the next holder does not
	uint32_t needed, stopped;	// bits
} baton = {.needed = UINT32_MAX};

bool baton_is_shared;
uint8_t baton_asked[SVM_CPUS];

static unsigned next_member(unsigned cpu)
{
	do
		cpu = (cpu + 1) % SVM_CPUS;
	while (!(baton.members >> cpu & 1));
	return cpu;
}

static void give_turn(unsigned cpu)
{
	baton.turn = cpu;
	baton.turn_left = TURN;
}

// Another CPU whose PMU has raised its line, who was called last being the last of several; if there is none, this one.
static unsigned who_is_requested(unsigned cpu)
{
	unsigned other = baton.called;

	do {
		other = next_member(other);
		if (other != cpu && vpmu_has_request(&baton.frame[other]->monitor->vpmu))
			return other;
	} while (other != baton.called);
	return cpu;
}

static uint64_t slice_of(const struct svm_monitor *m)
{
	if (m->cpu != baton.turn)
		return CALL;
	if (!m->halting)
		return baton.turn_left;
	if (!baton_is_idle())
		return TURN_HALTED;
	return m->vpmu.model->clock_address ? TURN_IDLE_CORE : TURN_IDLE;
}

// Who is called need not wait for the end of a turn, but for that of another one's call.
static void make_room(struct svm_monitor *m)
{
	if (m->cpu == baton.turn && (int64_t)(m->slice_end - m->slice_least) > 0 && who_is_requested(m->cpu) != m->cpu)
		m->slice_end = m->slice_least;
}

static void begin_slice(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	__atomic_fetch_and(&baton.paused, ~(1u << m->cpu), __ATOMIC_SEQ_CST);
	m->slice_start = frame->guest_clock;
	m->slice_end = m->slice_start + slice_of(m);
	m->slice_least = m->slice_start + (baton.was_call ? BETWEEN_CALLS : 0);
	m->slice_more = OFF_MOST;
	make_room(m);
}

void baton_keep(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	m->slice_least = frame->guest_clock + CALL;
	if ((int64_t)(m->slice_end - m->slice_least) < 0)
		m->slice_end = m->slice_least;
}

static bool is_off(const struct svm_frame *frame)
{
	return !frame->monitor->halting && (frame->monitor->nmi_blocked || !(frame->vmcb->rflags & SVM_RFLAGS_IF));
}

// The guest's clock goes on although it does not execute.
static void advance_clock(struct svm_frame *frame, uint64_t clocks)
{
	frame->guest_clock += clocks;
	frame->monitor->accounted += clocks;
	frame->monitor->away -= clocks;
}

void baton_follow_clock(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	uint64_t clock, ahead;

	if (!vpmu_read(&m->vpmu, m->vpmu.model->clock_address, &clock))
		return;
	ahead = clock - m->accounted;
	advance_clock(frame, ahead);
	m->slice_start += ahead;
	m->slice_end += ahead;
	m->slice_least += ahead;
	m->deadline += ahead;
}

// Another NMI than the alarm does not wake it before the alarm would.
static void wait_for_baton(unsigned cpu)
{
	__atomic_fetch_or(&baton.stopped, 1u << cpu, __ATOMIC_SEQ_CST);
	while (baton_is_shared && (__atomic_load_n(&baton.holder, __ATOMIC_ACQUIRE) != cpu ||
				   (int64_t)(arch_clock() - baton.begins) < 0))
		svm_wait();
	__atomic_fetch_and(&baton.stopped, ~(1u << cpu), __ATOMIC_SEQ_CST);
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

static uint64_t set_clocks(void)
{
	uint64_t clock = 0;

	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (baton.frame[cpu] && baton.frame[cpu]->guest_clock > clock)
			clock = baton.frame[cpu]->guest_clock;
	clock = (clock / CLOCKS_OF_START + 1) * CLOCKS_OF_START;
	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (baton.frame[cpu])
			advance_clock(baton.frame[cpu], clock - baton.frame[cpu]->guest_clock);
	return clock;
}

void baton_join(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	uint64_t clock;

	baton.frame[m->cpu] = frame;
	__atomic_fetch_or(&baton.members, 1u << m->cpu, __ATOMIC_SEQ_CST);
	clock = set_clocks();
	svm_set_core_clock(m, clock);
	give_turn(m->cpu);
	begin_slice(frame);
}

void baton_remove(unsigned cpu)
{
	__atomic_fetch_and(&baton.members, ~(1u << cpu), __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&baton.halted, ~(1u << cpu), __ATOMIC_SEQ_CST);
	baton.frame[cpu] = NULL;
}

static void hand_to(unsigned cpu)
{
	baton.begins = arch_clock() + ALARM_RING_CLOCKS;
	__atomic_fetch_add(&baton_asked[cpu], 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&baton.holder, cpu, __ATOMIC_RELEASE);		// with all that is the next one's to see
	alarm_ring(baton.frame[cpu]);
}

void baton_leave(void)
{
	give_turn(next_member(baton.holder));
	hand_to(baton.turn);
}

bool baton_is_due(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	make_room(m);
	if ((int64_t)(frame->guest_clock - m->slice_end) >= 0 && m->slice_more && is_off(frame)) {
		m->slice_end = frame->guest_clock + OFF;
		m->slice_more -= OFF;
	}
	return (int64_t)(frame->guest_clock - m->slice_end) >= 0 || baton.holder != m->cpu;
}

void baton_yield(struct svm_frame *frame)
{
	frame->monitor->slice_end = frame->guest_clock;
	frame->monitor->slice_more = 0;
	if (frame->monitor->cpu == baton.turn)
		baton.turn_left = 0;
}

bool baton_is_idle(void)
{
	return baton.halted == baton.members;
}

void baton_pause(unsigned cpu)
{
	__atomic_fetch_or(&baton.paused, 1u << cpu, __ATOMIC_SEQ_CST);
}

// Whether a CPU has an NMI to take when it is its turn.
static bool is_called(void)
{
	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (baton.frame[cpu] && baton.frame[cpu]->monitor->nmi_pending)
			return true;
	return false;
}

bool baton_is_waiting(void)
{
	return (baton.halted | baton.paused) == baton.members && !is_called();
}

// Threads of one core count each other's events, and a counter that has frozen misses them: who is called is next.
static unsigned next_holder(unsigned cpu)
{
	const unsigned requested = who_is_requested(cpu);

	if (cpu == baton.turn && requested != cpu)
		return baton.called = requested;
	if (!baton.turn_left || !(baton.members >> baton.turn & 1))
		give_turn(next_member(baton.turn));
	return baton.turn;
}

// If all are idle, the core's clock goes on while the baton is handed on.
static void take_core_clock(struct svm_frame *frame)
{
	if (baton_is_idle())
		vpmu_run(&frame->monitor->vpmu, arch_clock() - baton.left);
	baton_follow_clock(frame);
}

// Not while another one waits to join.
static bool is_over(void)
{
	return !(baton.needed & baton.members) && !baton.wanted_by;
}

static void hand_on(const struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;
	const uint64_t executed = frame->guest_clock - m->slice_start;

	baton.left = frame->host_clock;
	baton.elapsed += executed;
	baton.was_call = m->cpu != baton.turn;
	if (!baton.was_call)
		baton.turn_left -= m->halting || executed > baton.turn_left ? baton.turn_left : executed;
	if (is_over())
		baton_end(m->cpu);
	else if (baton.wanted_by)
		baton.holder = baton.wanted_by;
	else
		hand_to(next_holder(m->cpu));
}

void baton_pass(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	const uint64_t clock = arch_clock();
	uint64_t elapsed;

	if (baton.holder == m->cpu)
		hand_on(frame);
	elapsed = baton.elapsed;
	wait_for_baton(m->cpu);
	m->away += arch_clock() - clock;
	if (m->vpmu.model->clock_address)
		take_core_clock(frame);
	else if (m->halting)
		advance_clock(frame, baton.elapsed - elapsed);
	begin_slice(frame);
}

void baton_halt(struct svm_frame *frame)
{
	__atomic_fetch_or(&baton.halted, 1u << frame->monitor->cpu, __ATOMIC_SEQ_CST);
	baton_yield(frame);
}

void baton_wake(struct svm_frame *frame)
{
	__atomic_fetch_and(&baton.halted, ~(1u << frame->monitor->cpu), __ATOMIC_SEQ_CST);
	frame->monitor->slice_end = frame->guest_clock + slice_of(frame->monitor);
}

//
// Without it
//

void baton_need(unsigned cpu, bool need)
{
	if (need)
		__atomic_fetch_or(&baton.needed, 1u << cpu, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&baton.needed, ~(1u << cpu), __ATOMIC_SEQ_CST);
}

bool baton_is_lost(unsigned cpu)
{
	return baton_is_shared && baton.holder != cpu;
}

void baton_call(unsigned cpu)
{
	__atomic_fetch_add(&baton_asked[cpu], 1, __ATOMIC_SEQ_CST);
	*(volatile uint32_t *)(uintptr_t)(APIC_BASE | cpu << 12) = APIC_LVT_NMI;
}

static void call_others(unsigned self)
{
	for (unsigned cpu = next_member(self); cpu != self; cpu = next_member(cpu))
		baton_call(cpu);
}

void baton_end(unsigned cpu)
{
	baton.holder = SVM_CPUS;
	__atomic_store_n(&baton_is_shared, false, __ATOMIC_SEQ_CST);
	call_others(cpu);
}

// The emulator has the CPUs execute in turn. PAUSE ends a CPU's turn: if none but the caller executes, the clock is
// further by the instructions between its readings only.
#define CLOCKS_ALONE 3

static uint64_t clocks_of_pause(void)
{
	uint64_t begin, end;

	__asm__ volatile("rdtsc\n\t"
			 "mov %%rax, %0\n\t"
			 "pause\n\t"
			 "rdtsc"
			 : "=&r"(begin), "=a"(end) : : "rdx", "memory");
	return (uint32_t)(end - begin);
}

// The others set their bits just before they halt, or may just be leaving from there: then they come back.
static void wait_for_others(unsigned cpu)
{
	while ((__atomic_load_n(&baton.stopped, __ATOMIC_SEQ_CST) | 1u << cpu) != baton.members ||
	       clocks_of_pause() != CLOCKS_ALONE)
		__asm__ volatile("pause");
}

void baton_begin(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	const uint64_t clock = arch_clock();

	if (__atomic_exchange_n(&baton_is_shared, true, __ATOMIC_SEQ_CST)) {
		baton_pass(frame);
		return;
	}
	baton.holder = m->cpu;
	give_turn(m->cpu);
	call_others(m->cpu);
	wait_for_others(m->cpu);
	m->away += arch_clock() - clock;
	begin_slice(frame);
}

void baton_follow_machine(struct svm_frame *frame)
{
	const uint64_t ahead = arch_clock() - frame->guest_clock;

	advance_clock(frame, ahead);
	frame->monitor->deadline += ahead;
}
