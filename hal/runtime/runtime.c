// SPDX-License-Identifier: BSD-2-Clause
// The library's functions for its host (palmon_runtime.h), and its backend for the runtime (hal.h).

#include "palmon_runtime.h"

#include "arch.h"
#include "package.h"
#include "pmu_unit.h"
#include "suite.h"
#include "settings.h"
#include "stimulus.h"

//
// The entire state
//

// A CPU's state, in host memory that is all zero at first.
struct context {
	void *cpu_data;					// runtime_cpu_data
	hal_pmi_function *handler;			// of the overflow interrupt
	void (*woken)(void);				// called when this CPU's halt ends
	bool no_alarm;					// no timer: nothing would end a halt
	int error_number;				// errno
	struct selftest_snapshot snapshot;
	struct selftest_now selftest_now;
	struct pmu_core_registers pmu_core_registers;
	struct pmu_shared pmu_shared;
	struct pmu_cpus pmu_cpus;
	struct pmu_cpu pmu_package;			// without its ring
};

#define CONTEXT_BYTES offsetof(struct context, pmu_package.ring)

_Static_assert(offsetof(struct context, cpu_data) == 0, "hal_inline.h");
_Static_assert(_Alignof(struct context) <= PALMON_CONTEXT_ALIGNED, "palmon_host.h");
_Static_assert(CONTEXT_BYTES <= PALMON_CONTEXT_BYTES && CONTEXT_BYTES > PALMON_CONTEXT_BYTES - 4096,
	       "palmon_host.h");

static struct context *context(void)
{
	return palmon_host_context();
}

struct selftest_now *selftest_now(void)
{
	return &context()->selftest_now;
}

struct pmu_core_registers *pmu_core_registers(void)
{
	return &context()->pmu_core_registers;
}

struct pmu_shared *pmu_shared(void)
{
	return &context()->pmu_shared;
}

struct pmu_cpus *pmu_cpus(void)
{
	return &context()->pmu_cpus;
}

struct pmu_cpu *pmu_package(void)
{
	return &context()->pmu_package;
}

int *runtime_error_number(void)
{
	return &context()->error_number;
}

//
// For the host
//

const char *palmon_probe(void)
{
	return pmu_probe(pmu_drivers[0]);
}

const char *palmon_target(void)
{
	return pmu_drivers[0]->name;
}

bool palmon_begin(bool non_maskable)
{
	return pmu_begin(pmu_drivers[0], non_maskable) == PMU_OK;
}

enum pmu_error palmon_open(struct pmu_session *session, const char *events)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_refusal refusal;
	unsigned count = 0;

	do {
		if (count == PMU_SESSION_EVENTS)
			return PMU_TOO_MANY;
		if (event_parse(pmu_drivers[0]->events, &events, &requests[count++]) != EVENT_OK)
			return PMU_UNFIT;
		events += *events == ',';
	} while (*events);
	return pmu_open(session, requests, count, &refusal);
}

struct palmon_result palmon_selftest(void)
{
	struct selftest_snapshot *snapshot = &context()->snapshot;
	struct selftest_tally tally = {0};

	selftest_plan(selftest_suites, 1);
	selftest_take_snapshot(selftest_suites[0], snapshot);
	selftest_run_suite(selftest_suites[0], snapshot, &tally);
	return (struct palmon_result){tally.number, tally.failed, tally.skipped};
}

// An entry for each register access: the access and the address to continue at, both relative to
// the entry's member (x86/msr.h). For a section with a C name, the linker defines symbols of its
// beginning and end.
struct fixup {
	int32_t from, to;
};

extern const struct fixup __start_palmon_fixups[], __stop_palmon_fixups[];

bool palmon_fault(uint64_t *ip)
{
	for (const struct fixup *f = __start_palmon_fixups; f < __stop_palmon_fixups; f++)
		if ((uintptr_t)&f->from + (uint64_t)(int64_t)f->from == *ip) {
			*ip = (uintptr_t)&f->to + (uint64_t)(int64_t)f->to;
			return true;
		}
	return false;
}

//
// For the runtime
//

void selftest_put(const char *text, size_t size)
{
	palmon_host_put(text, size);
}

// Called first when a halt ends.
static void wake(void)
{
	void (*woken)(void) = context()->woken;

	context()->woken = NULL;
	if (woken)
		woken();
}

static void on_overflow(uint64_t ip, unsigned level)
{
	wake();
	context()->handler(ip, level);
}

void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery)
{
	context()->handler = handler;
	palmon_host_attach(on_overflow, delivery == HAL_PMI_NMI);
}

#define LINE 64

// Reads the context, the only host memory that the library knows. Cold, so that the compiler
// optimizes for size.
__attribute__((cold)) void hal_read_lines(uint64_t lines)
{
	const volatile char *line = palmon_host_context();

	if (lines > PALMON_CONTEXT_BYTES / LINE) {
		selftest_skip("the host gives no more memory than its context");
		return;
	}
	for (; lines--; line += LINE)
		(void)*line;
}

// Optional for a host: without it the self test skips its checks.
void hal_execute_user(uint64_t n)
{
	if (!palmon_host_run_user(arch_execute, n))
		selftest_skip("the host has no programs at level 3");
}

void hal_alarm(uint32_t ticks)
{
	context()->no_alarm = !palmon_host_alarm(ticks);
	if (context()->no_alarm)
		selftest_skip("the host has no alarm");
}

// When it returns, the host has handled one of its interrupts.
void hal_halt(void (*woken)(void))
{
	context()->woken = woken;
	if (!context()->no_alarm)
		palmon_host_halt();
	context()->no_alarm = false;
	wake();
}

void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	const struct x86_cpuid r = x86_cpuid(leaf, subleaf);

	registers[0] = r.eax;
	registers[1] = r.ebx;
	registers[2] = r.ecx;
	registers[3] = r.edx;
}
