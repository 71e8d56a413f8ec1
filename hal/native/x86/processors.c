// SPDX-License-Identifier: BSD-2-Clause
// Further CPUs: the local APIC's INIT resets them together, its startup interrupts start one after the other, and each
// then does what it is called for.

#include "processors.h"

#include "arch.h"
#include "emulate.h"
#include "hal.h"
#include "layout.h"
#include "x86/apic.h"
#include "x86/cpu.h"
#include "x86/processors.h"

// How long a CPU is waited for. SDM volume 3A, "MP Initialization": 10 ms after INIT; a second startup interrupt 200 us
// after the first. The fastest clock and the fastest timer that are thought of have 4 GHz.
#define TICKS_OF_INIT		40000000
#define CLOCKS_OF_STARTUP	800000
#define CLOCKS_OF_COMING	40000000	/* until it is in its first instructions, or is not there */
#define CLOCKS_OF_START		400000000

#define ALARM_TICKS_MOST	1000000		/* between two looks at the clock */
#define SEND_TRIES		1000

struct processor {
	uint32_t apic_id;
	unsigned core, thread;
	void (*function)(void *argument);
	void *argument;
	unsigned caller;
	bool serves;			// it has come, and can be called
};

static struct processor processors[HAL_CPUS];
static unsigned started;	// CPUs; 0: it has not been looked for any
static uint32_t busy;		// bits of those that start, or have something to do
static uint32_t waiting;	// of those that wait for others

static void send(uint32_t apic_id, uint32_t command)
{
	*x86_apic_register(APIC_COMMAND_HIGH) = apic_id << 24;
	*x86_apic_register(APIC_COMMAND_LOW) = command;
	for (unsigned i = 0; i < SEND_TRIES && *x86_apic_register(APIC_COMMAND_LOW) & APIC_COMMAND_PENDING; i++)
		;
}

static void wake(unsigned cpu)
{
	send(processors[cpu].apic_id, APIC_COMMAND_FIXED | VECTOR_WAKE);
}

static void know_this_cpu(void)
{
	struct processor *p = &processors[hal_cpu()];

	p->apic_id = x86_apic_id();
	x86_topology(&p->core, &p->thread);
}

static void finish(unsigned cpu)
{
	unsigned caller = processors[cpu].caller;

	__atomic_fetch_and(&busy, ~(1u << cpu), __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) >> caller & 1)
		wake(caller);
}

// Where a further CPU begins, and stays, unless it has no PMU like the first one's.
static void serve(void)
{
	unsigned cpu = hal_cpu();
	struct processor *p = &processors[cpu];

	interrupts_start_cpu();
	know_this_cpu();
	p->serves = emulate_cpu();
	finish(cpu);
	while (p->serves) {
		arch_interrupts_disable();
		if (!(__atomic_load_n(&busy, __ATOMIC_SEQ_CST) >> cpu & 1)) {
			arch_halt(NULL);
			continue;
		}
		arch_interrupts_enable();
		p->function(p->argument);
		finish(cpu);
	}
}

// By the timer: it goes on whatever the clock does.
static void wait_for_reset(void)
{
	const bool interrupts = hal_interrupts_disable();

	hal_alarm(TICKS_OF_INIT);
	while (*x86_apic_register(APIC_TIMER_CURRENT))
		arch_halt(NULL);
	hal_interrupts_restore(interrupts);
}

// Starts a CPU that INIT has reset.
static bool start(unsigned cpu, uint32_t apic_id)
{
	const uint32_t bit = 1u << cpu;

	processors[cpu].caller = hal_cpu();
	processors[cpu].serves = false;
	__atomic_fetch_or(&busy, bit, __ATOMIC_SEQ_CST);
	x86_processor_expect(cpu, serve);
	for (unsigned tries = 0; tries < 2; tries++) {
		send(apic_id, APIC_COMMAND_STARTUP | TRAMPOLINE / SMALL_PAGE);
		if (hal_cpus_wait(bit, CLOCKS_OF_STARTUP))
			break;
	}
	if (!hal_cpus_wait(bit, CLOCKS_OF_COMING) && !x86_processor_has_come()) {
		__atomic_fetch_and(&busy, ~bit, __ATOMIC_SEQ_CST);
		return false;
	}
	return hal_cpus_wait(bit, CLOCKS_OF_START) && processors[cpu].serves;
}

// A package's begin at multiples of this.
static unsigned size_for(unsigned count)
{
	unsigned size = 1;

	while (size < count)
		size *= 2;
	return size;
}

// The identities that CPUs of this package can have: from *first, how many.
static unsigned identities(uint32_t *first)
{
	struct x86_cpuid r = x86_cpuid(1, 0);
	unsigned count = r.edx & X86_CPUID_1_EDX_HTT ? r.ebx >> 16 & 0xFF : 1;

	*first = x86_apic_id() & ~(size_for(count) - 1);
	return count;
}

static void start_all(uint32_t first, unsigned count)
{
	for (uint32_t id = first; id < first + count; id++)
		if (id != x86_apic_id())
			send(id, APIC_COMMAND_INIT);
	wait_for_reset();
	for (uint32_t id = first; id < first + count && started < HAL_CPUS; id++)
		if (id != x86_apic_id() && start(started, id))
			started++;
}

unsigned hal_cpus_start(void)
{
	unsigned count;
	uint32_t first;

	if (started)
		return started;
	know_this_cpu();
	started = 1;
	count = identities(&first);
	start_all(first, count);
	return started;
}

unsigned hal_packages_start(void)
{
	unsigned before = 0;
	uint32_t first;
	const unsigned count = identities(&first);

	while (hal_cpus_start() > before && started < HAL_CPUS) {
		before = started;
		start_all(first += size_for(count), count);
	}
	return started;
}

void hal_cpu_call(unsigned cpu, void (*function)(void *argument), void *argument)
{
	struct processor *p = &processors[cpu];

	p->function = function;
	p->argument = argument;
	p->caller = hal_cpu();
	__atomic_fetch_or(&busy, 1u << cpu, __ATOMIC_SEQ_CST);
	wake(cpu);
}

bool hal_cpu_init(unsigned cpu)
{
	if (!cpu || cpu >= started || cpu == hal_cpu() || __atomic_load_n(&busy, __ATOMIC_SEQ_CST) >> cpu & 1)
		return false;
	emulate_leave(cpu);
	send(processors[cpu].apic_id, APIC_COMMAND_INIT);
	wait_for_reset();
	return start(cpu, processors[cpu].apic_id);
}

void processors_reset(void)
{
	for (unsigned cpu = 1; cpu < started; cpu++) {
		emulate_leave(cpu);
		send(processors[cpu].apic_id, APIC_COMMAND_INIT);
	}
}

bool hal_cpus_wait(uint32_t cpus, uint64_t clocks)
{
	const uint32_t own = 1u << hal_cpu();
	const uint64_t start = hal_clock();
	bool interrupts = hal_interrupts_disable(), done;

	__atomic_fetch_or(&waiting, own, __ATOMIC_SEQ_CST);
	for (;;) {
		uint64_t passed = hal_clock() - start;

		done = !(__atomic_load_n(&busy, __ATOMIC_SEQ_CST) & cpus);
		if (done || passed >= clocks)
			break;
		hal_alarm(clocks - passed < ALARM_TICKS_MOST ? (uint32_t)(clocks - passed) : ALARM_TICKS_MOST);
		arch_halt(NULL);
	}
	hal_alarm(0);
	__atomic_fetch_and(&waiting, ~own, __ATOMIC_SEQ_CST);
	hal_interrupts_restore(interrupts);
	return done;
}

void hal_topology(unsigned cpu, unsigned *core, unsigned *thread)
{
	*core = processors[cpu].core;
	*thread = processors[cpu].thread;
}
