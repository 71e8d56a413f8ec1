// SPDX-License-Identifier: BSD-2-Clause
// Further CPUs. The local APIC resets them together by INIT, and starts them one after the other by
// startup interrupts. Each then waits for calls and executes them.

#include "processors.h"

#include "arch.h"
#include "cpus.h"
#include "hal.h"
#include "layout.h"
#include "x86/apic.h"
#include "x86/cpu.h"
#include "x86/early.h"
#include "x86/processors.h"

// Time limits. SDM volume 3A, "MP Initialization": 10 ms after INIT; a second startup interrupt 200
// us after the first. They assume at most 4 GHz for the clock and the timer.
#define TICKS_OF_INIT		40000000
#define CLOCKS_OF_STARTUP	800000
#define CLOCKS_OF_COMING	40000000	/* until a CPU executes its first instructions; if
						 * it does not, it is absent */
#define CLOCKS_OF_START		400000000

#define ALARM_TICKS_MOST	1000000		/* most ticks between two looks at the clock */
#define SEND_TRIES		1000

struct processor {
	uint32_t apic_id;
	unsigned core, thread;
	void (*function)(void *argument);
	void *argument;
	unsigned caller;
};

static struct processor processors[HAL_CPUS];
static unsigned started;	// number of CPUs; 0: not started yet
static uint32_t busy;		// bit mask of CPUs that start or execute a call
static uint32_t waiting;	// bit mask of CPUs in hal_cpus_wait

static void send(uint32_t apic_id, uint32_t command)
{
	*x86_apic_register(APIC_COMMAND_HIGH) = apic_id << 24;
	*x86_apic_register(APIC_COMMAND_LOW) = command;
	for (unsigned i = 0;
	     i < SEND_TRIES && *x86_apic_register(APIC_COMMAND_LOW) & APIC_COMMAND_PENDING; i++)
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

// A further CPU's main loop.
static void serve(void)
{
	unsigned cpu = hal_cpu();
	struct processor *p = &processors[cpu];

	interrupts_start_cpu();
	know_this_cpu();
	finish(cpu);
	for (;;) {
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

// Waits for the end of INIT by the timer, which runs whatever the clock does.
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
	return hal_cpus_wait(bit, CLOCKS_OF_START);
}

//
// The list of CPUs: from ACPI; without ACPI, all APIC IDs that the package can have
//

static uint32_t ids[X86_EARLY_CPUS];	// APIC IDs of a package, ascending, so that threads of a
					// core are adjacent
static unsigned ids_count;

static unsigned package_of(uint32_t id)
{
	unsigned core, thread;

	return x86_topology_of(id, &core, &thread);
}

static unsigned core_of(uint32_t id)
{
	unsigned core, thread;

	x86_topology_of(id, &core, &thread);
	return core;
}

static void list_id(uint32_t id)
{
	unsigned at = ids_count++;

	for (; at && ids[at - 1] > id; at--)
		ids[at] = ids[at - 1];
	ids[at] = id;
}

static void list_package(unsigned package)
{
	const struct x86_cpuid r = x86_cpuid(1, 0);
	const unsigned count = r.edx & X86_CPUID_1_EDX_HTT ? r.ebx >> 16 & 0xFF : 1;
	uint32_t first = x86_apic_id(), size = 1;

	ids_count = 0;
	for (unsigned i = 0; i < x86_early.cpus; i++)
		if (package_of(x86_early.cpu[i]) == package)
			list_id(x86_early.cpu[i]);
	if (x86_early.cpus)
		return;
	while (first && package_of(first - 1) == package_of(first))
		first--;
	while (package_of(first + size) == package_of(first))
		size++;
	first += (package - package_of(first)) * size;
	for (unsigned i = 0; i < count && first + i <= UINT8_MAX; i++)
		list_id(first + i);
}

// Moves to the next package in the list. False: there is none.
static bool next_package(unsigned *package)
{
	const unsigned before = *package;
	bool found = false;

	if (!x86_early.cpus) {
		++*package;
		return true;
	}
	for (unsigned i = 0; i < x86_early.cpus; i++) {
		const unsigned other = package_of(x86_early.cpu[i]);

		if (other > before && (!found || other < *package)) {
			*package = other;
			found = true;
		}
	}
	return found;
}

bool hal_find_processors(struct hal_processors *found)
{
	unsigned package = 0, own = package_of(x86_apic_id());

	*found = (struct hal_processors){
		.count = x86_early.cpus + x86_early.cpus_left_out + x86_early.cpus_out_of_reach,
		.off = x86_early.cpus_off, .out_of_reach = x86_early.cpus_out_of_reach,
	};
	if (!x86_early.cpus)
		return false;
	for (unsigned i = 0; i < x86_early.cpus; i++)
		if (!package_of(x86_early.cpu[i]))
			found->packages = 1;
	while (next_package(&package))
		found->packages++;
	list_package(own);
	found->in_package = ids_count;
	for (unsigned i = 0; i < ids_count; i++)
		found->cores += !i || core_of(ids[i]) != core_of(ids[i - 1]);
	found->used = ids_count < HAL_CPUS ? ids_count : HAL_CPUS;
	return true;
}

static void start_package(unsigned package)
{
	list_package(package);
	for (unsigned i = 0; i < ids_count; i++)
		if (ids[i] != x86_apic_id())
			send(ids[i], APIC_COMMAND_INIT);
	wait_for_reset();
	for (unsigned i = 0; i < ids_count && started < HAL_CPUS; i++)
		if (ids[i] != x86_apic_id() && start(started, ids[i]))
			started++;
}

unsigned hal_cpus_start(void)
{
	if (started)
		return started;
	know_this_cpu();
	started = 1;
	start_package(package_of(x86_apic_id()));
	return started;
}

unsigned hal_packages_start(void)
{
	unsigned before = 0, package = package_of(x86_apic_id());

	while (hal_cpus_start() > before && started < HAL_CPUS && next_package(&package)) {
		before = started;
		start_package(package);
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
	if (!cpu || cpu >= started || cpu == hal_cpu() ||
	    __atomic_load_n(&busy, __ATOMIC_SEQ_CST) >> cpu & 1)
		return false;
	send(processors[cpu].apic_id, APIC_COMMAND_INIT);
	wait_for_reset();
	return start(cpu, processors[cpu].apic_id);
}

void processors_reset(void)
{
	for (unsigned cpu = 1; cpu < started; cpu++)
		send(processors[cpu].apic_id, APIC_COMMAND_INIT);
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
		hal_alarm(clocks - passed < ALARM_TICKS_MOST ? (uint32_t)(clocks - passed) :
			  ALARM_TICKS_MOST);
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
