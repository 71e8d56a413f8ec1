// SPDX-License-Identifier: BSD-2-Clause
// The run token (run_token.h) is handed on by the next CPU's alarm: it is set to go off some time after the CPU that
// hands it on has halted, a straight line of code from here. All CPUs are halted then, and the one that is woken is
// alone. An interprocessor interrupt would wake it at once, with the other's last instructions among its guest's.

#include "run_token.h"

#include "alarm.h"
#include "arch.h"
#include "x86/apic.h"

// Quanta are given round robin, so that all get on alike. A CPU whose PMU has raised its line is called at once: it has
// the run token in another one's quantum, until it has served its overflow, and then that quantum goes on. So what a
// request waits for is bounded: the calls of the other CPUs, and what is left to the quantum between them. Nobody loses
// the run token in a handler, which is where interrupts are off.
#define QUANTUM		100000	/* guest clocks of one that executes */
#define QUANTUM_HALTED	16	/* of one that does not, if another one does */
#define QUANTUM_IDLE	4096	/* if none does */
#define QUANTUM_IDLE_CORE	256	/* the same of threads of one core: what passes between them is idle, too */
#define CALL		32	/* of one that is called: its handler has begun by then */
#define BETWEEN_CALLS	32	/* of the one whose quantum it is */
#define OFF		32	/* more, and again, while interrupts are off, */
#define OFF_MOST	2048	/* but no more than that */
#define PAUSES_MOST	64	/* so many slices of one CPU, one behind the other, end at PAUSE */

// How long a CPU that has handed the run token to one without a monitor may need until it has halted, at most: that one
// spins.
#define CLOCKS_TO_HALT	5000

static struct {
	struct svm_frame *frame[SVM_CPUS];
	unsigned holder, wanted_by;	// 0: nobody
	uint32_t members, halted, paused;	// bits
	uint8_t pauses[SVM_CPUS];	// slices in which it has paused, one behind the other
	unsigned owner;			// whose quantum it is
	uint64_t quantum_left;		// guest clocks of it
	unsigned called;		// who was called last
	bool was_call;			// the last slice was a call
	uint64_t elapsed;		// clocks of all guests
	uint64_t left;			// host clock at which the last holder's guest was left
	uint64_t begins;		// host clock before which the next holder does not
	uint32_t needed, stopped;	// bits
} token = {.needed = UINT32_MAX};

bool run_token_is_shared;
uint8_t run_token_asked[SVM_CPUS];

static unsigned next_member(unsigned cpu)
{
	do
		cpu = (cpu + 1) % SVM_CPUS;
	while (!(token.members >> cpu & 1));
	return cpu;
}

static void give_quantum(unsigned cpu)
{
	token.owner = cpu;
	token.quantum_left = QUANTUM;
}

// Another CPU whose PMU has raised its line, who was called last being the last of several; if there is none, this one.
static unsigned who_is_requested(unsigned cpu)
{
	unsigned other = token.called;

	do {
		other = next_member(other);
		if (other != cpu && token.frame[other]->monitor->pmu.box.demands.request)
			return other;
	} while (other != token.called);
	return cpu;
}

static uint64_t slice_of(const struct svm_monitor *m)
{
	if (m->cpu != token.owner)
		return CALL;
	if (!m->halting)
		return token.quantum_left;
	if (!run_token_is_idle())
		return QUANTUM_HALTED;
	return svm_pmu_is.clock_address ? QUANTUM_IDLE_CORE : QUANTUM_IDLE;
}

// Who is called need not wait for the end of a quantum, but for that of another one's call.
static void call_early(struct svm_monitor *m)
{
	if (m->cpu == token.owner && (int64_t)(m->slice_end - m->slice_least) > 0 && who_is_requested(m->cpu) != m->cpu)
		m->slice_end = m->slice_least;
}

static void begin_slice(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	__atomic_fetch_and(&token.paused, ~(1u << m->cpu), __ATOMIC_SEQ_CST);
	m->slice_start = frame->guest_clock;
	m->slice_end = m->slice_start + slice_of(m);
	m->slice_least = m->slice_start + (token.was_call ? BETWEEN_CALLS : 0);
	m->slice_more = OFF_MOST;
	call_early(m);
}

void run_token_keep(struct svm_frame *frame)
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

void run_token_follow_clock(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	uint64_t clock, ahead;

	if (!svm_pmu_read(&m->pmu, 0, svm_pmu_is.clock_address, &clock))
		return;
	ahead = clock - m->accounted;
	advance_clock(frame, ahead);
	m->slice_start += ahead;
	m->slice_end += ahead;
	m->slice_least += ahead;
	m->deadline += ahead;
}

// Another NMI than the alarm does not wake it before the alarm would.
static void wait_for_token(unsigned cpu)
{
	__atomic_fetch_or(&token.stopped, 1u << cpu, __ATOMIC_SEQ_CST);
	while (run_token_is_shared && (__atomic_load_n(&token.holder, __ATOMIC_ACQUIRE) != cpu ||
				   (int64_t)(arch_clock() - token.begins) < 0))
		svm_wait();
	__atomic_fetch_and(&token.stopped, ~(1u << cpu), __ATOMIC_SEQ_CST);
}

void run_token_start(struct svm_frame *frame)
{
	token.frame[0] = frame;
	token.members = 1;
}

void run_token_take(unsigned cpu)
{
	const struct svm_frame *alone = run_token_is_shared ? NULL : token.frame[0];
	uint64_t start;

	__atomic_store_n(&token.wanted_by, cpu, __ATOMIC_SEQ_CST);
	run_token_is_shared = true;
	if (alone)
		alarm_ring(alone);	// it has it without end
	while (__atomic_load_n(&token.holder, __ATOMIC_SEQ_CST) != cpu)
		__asm__ volatile("pause");
	start = arch_clock();
	while (arch_clock() - start < CLOCKS_TO_HALT)
		__asm__ volatile("pause");
	token.wanted_by = 0;
}

// While a CPU starts, it and others execute at once, in an order that depends on the host. With the clocks of all going
// on from a round number, nothing that is measured later does.
#define CLOCKS_OF_START (1ULL << 22)

static uint64_t set_clocks(void)
{
	uint64_t clock = 0;

	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (token.frame[cpu] && token.frame[cpu]->guest_clock > clock)
			clock = token.frame[cpu]->guest_clock;
	clock = (clock / CLOCKS_OF_START + 1) * CLOCKS_OF_START;
	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (token.frame[cpu])
			advance_clock(token.frame[cpu], clock - token.frame[cpu]->guest_clock);
	return clock;
}

void run_token_join(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	uint64_t clock;

	token.frame[m->cpu] = frame;
	__atomic_fetch_or(&token.members, 1u << m->cpu, __ATOMIC_SEQ_CST);
	clock = set_clocks();
	svm_set_core_clock(m, clock);
	give_quantum(m->cpu);
	begin_slice(frame);
}

void run_token_remove(unsigned cpu)
{
	__atomic_fetch_and(&token.members, ~(1u << cpu), __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&token.halted, ~(1u << cpu), __ATOMIC_SEQ_CST);
	token.frame[cpu] = NULL;
	if (token.called == cpu)	// the calls go on behind a member
		token.called = 0;
}

static void hand_to(unsigned cpu)
{
	token.begins = arch_clock() + ALARM_RING_CLOCKS;
	__atomic_fetch_add(&run_token_asked[cpu], 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&token.holder, cpu, __ATOMIC_RELEASE);		// with all that is the next one's to see
	alarm_ring(token.frame[cpu]);
}

void run_token_leave(void)
{
	give_quantum(next_member(token.holder));
	hand_to(token.owner);
}

bool run_token_is_due(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;

	call_early(m);
	if ((int64_t)(frame->guest_clock - m->slice_end) >= 0 && m->slice_more && is_off(frame)) {
		m->slice_end = frame->guest_clock + OFF;
		m->slice_more -= OFF;
	}
	return (int64_t)(frame->guest_clock - m->slice_end) >= 0 || token.holder != m->cpu;
}

void run_token_yield(struct svm_frame *frame)
{
	frame->monitor->slice_end = frame->guest_clock;
	frame->monitor->slice_more = 0;
	if (frame->monitor->cpu == token.owner)
		token.quantum_left = 0;
}

bool run_token_has_others(void)
{
	return token.members & (token.members - 1);
}

bool run_token_is_idle(void)
{
	return token.halted == token.members;
}

void run_token_pause(unsigned cpu)
{
	token.frame[cpu]->monitor->slice_more = 0;	// it is in no handler that others should let it finish
	if (__atomic_fetch_or(&token.paused, 1u << cpu, __ATOMIC_SEQ_CST) >> cpu & 1)
		return;
	if (token.pauses[cpu] <= PAUSES_MOST)
		token.pauses[cpu]++;
}

// Whether a CPU has an NMI to take when it is its quantum.
static bool is_called(void)
{
	for (unsigned cpu = 0; cpu < SVM_CPUS; cpu++)
		if (token.frame[cpu] && token.frame[cpu]->monitor->nmi_pending)
			return true;
	return false;
}

bool run_token_is_spinning(unsigned cpu)
{
	const bool long_since = token.paused >> cpu & 1 && token.pauses[cpu] > PAUSES_MOST;

	return (long_since || (token.halted | token.paused) == token.members) && !is_called();
}

// Threads of one core count each other's events, and a counter that has frozen misses them: who is called is next.
static unsigned next_holder(unsigned cpu)
{
	const unsigned requested = who_is_requested(cpu);

	if (cpu == token.owner && requested != cpu)
		return token.called = requested;
	if (!token.quantum_left || !(token.members >> token.owner & 1))
		give_quantum(next_member(token.owner));
	return token.owner;
}

// If all are idle, the core's clock goes on while the run token is handed on.
static void take_core_clock(struct svm_frame *frame)
{
	if (run_token_is_idle())
		svm_pmu_run(&frame->monitor->pmu, arch_clock() - token.left);
	run_token_follow_clock(frame);
}

// Not while another one waits to join.
static bool is_over(void)
{
	return !(token.needed & token.members) && !token.wanted_by;
}

static void hand_on(const struct svm_frame *frame)
{
	const struct svm_monitor *m = frame->monitor;
	const uint64_t executed = frame->guest_clock - m->slice_start;

	token.left = frame->host_clock;
	token.elapsed += executed;
	if (!(token.paused >> m->cpu & 1))
		token.pauses[m->cpu] = 0;
	token.was_call = m->cpu != token.owner;
	if (!token.was_call)
		token.quantum_left -= m->halting || executed > token.quantum_left ? token.quantum_left : executed;
	if (is_over())
		run_token_end(m->cpu);
	else if (token.wanted_by)
		token.holder = token.wanted_by;
	else
		hand_to(next_holder(m->cpu));
}

void run_token_pass(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	const uint64_t clock = arch_clock();
	uint64_t elapsed;

	if (token.holder == m->cpu)
		hand_on(frame);
	elapsed = token.elapsed;
	wait_for_token(m->cpu);
	m->away += arch_clock() - clock;
	if (svm_pmu_is.clock_address)
		take_core_clock(frame);
	else if (m->halting)
		advance_clock(frame, token.elapsed - elapsed);
	begin_slice(frame);
}

void run_token_halt(struct svm_frame *frame)
{
	__atomic_fetch_or(&token.halted, 1u << frame->monitor->cpu, __ATOMIC_SEQ_CST);
	run_token_yield(frame);
}

void run_token_wake(struct svm_frame *frame)
{
	__atomic_fetch_and(&token.halted, ~(1u << frame->monitor->cpu), __ATOMIC_SEQ_CST);
	frame->monitor->slice_end = frame->guest_clock + slice_of(frame->monitor);
}

//
// Without it
//

void run_token_need(unsigned cpu, bool need)
{
	if (need)
		__atomic_fetch_or(&token.needed, 1u << cpu, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&token.needed, ~(1u << cpu), __ATOMIC_SEQ_CST);
}

bool run_token_is_lost(unsigned cpu)
{
	return run_token_is_shared && token.holder != cpu;
}

void run_token_call(unsigned cpu)
{
	__atomic_fetch_add(&run_token_asked[cpu], 1, __ATOMIC_SEQ_CST);
	*(volatile uint32_t *)(uintptr_t)(APIC_BASE | cpu << 12) = APIC_LVT_NMI;
}

static void call_others(unsigned self)
{
	for (unsigned cpu = next_member(self); cpu != self; cpu = next_member(cpu))
		run_token_call(cpu);
}

void run_token_end(unsigned cpu)
{
	token.holder = SVM_CPUS;
	__atomic_store_n(&run_token_is_shared, false, __ATOMIC_SEQ_CST);
	call_others(cpu);
}

// The emulator has the CPUs execute in turn. PAUSE ends a CPU's quantum: if none but the caller executes, the clock is
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
	while ((__atomic_load_n(&token.stopped, __ATOMIC_SEQ_CST) | 1u << cpu) != token.members ||
	       clocks_of_pause() != CLOCKS_ALONE)
		__asm__ volatile("pause");
}

void run_token_begin(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	const uint64_t clock = arch_clock();

	// Who was let go a moment ago leaves first; called again before that, it would never get on.
	while (!run_token_is_shared && __atomic_load_n(&token.stopped, __ATOMIC_SEQ_CST))
		__asm__ volatile("pause");
	if (__atomic_exchange_n(&run_token_is_shared, true, __ATOMIC_SEQ_CST)) {
		run_token_pass(frame);
		return;
	}
	token.holder = m->cpu;
	give_quantum(m->cpu);
	call_others(m->cpu);
	wait_for_others(m->cpu);
	m->away += arch_clock() - clock;
	begin_slice(frame);
}
