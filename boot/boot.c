// SPDX-License-Identifier: BSD-2-Clause
// The steps from hand-over to the end of the run: console, faults, PMU, reset values, self test,
// PAL description, measured session.

#include "boot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch.h"
#include "backend.h"
#include "board.h"
#include "console.h"
#include "cpus.h"
#include "fault.h"
#include "hal.h"
#include "image_run.h"
#include "left.h"
#include "memory.h"
#include "pmu_driver.h"
#include "selftest.h"
#include "summary.h"
#include "system.h"

static struct summary summary;
static struct board_end board_end;

// Ends the run. Prints its result in words, with the cause of a failure, and the status.
static noreturn void end_run(bool ok, const char *words)
{
	static char why[BOOT_CAUSE + 80];
	const char *const cause = boot_cause();
	char line[sizeof why + 80];
	int length;

	snprintf(why, sizeof why, "%s%s%s", words, *cause && *words ? ": " : "", cause);
	board_end.status = ok ? 0 : 1;
	board_end.why = why;
	board_print(&summary, &board_end);
	if (summary.protocol)		// without a protocol it explains options, and these stay on
					// the screen
		summary_print(&summary);
	fflush(stdout);
	ok &= console_take();
	length = snprintf(line, sizeof line, "palmon: status %d (%s)\n", ok ? 0 : 1, why);
	hal_console_write(line, (size_t)length);
	hal_exit(ok ? 0 : 1);
}

static void find_pmu(const struct pmu_driver *driver, const char *protocol)
{
	const char *const why = pmu_probe(driver);

	if (!why)
		return;
	printf("palmon: started by %s; this machine has no PMU of %s: %s\n", protocol,
	       driver->title, why);
	end_run(false, "no PMU");
}

// Prints the number of CPUs in use. Each has a PMU and stacks of its own.
static void print_processors(void)
{
	struct hal_processors p;

	if (!hal_find_processors(&p))
		return;
	printf("palmon: CPUs: %u, packages: %u; of this one, CPUs: %u, cores: %u; used at most: "
	       "%u%s\n", p.count,
	       p.packages, p.in_package, p.cores, p.used,
	       p.used < p.in_package ? ", the others stop" : "");
	if (p.out_of_reach)
		printf("palmon: CPUs with APIC identities above 255, which cannot be used: %u\n",
		       p.out_of_reach);
	if (p.off)
		printf("palmon: CPUs that are off: %u\n", p.off);
}

// Tests the processor's own PMU, then the PMUs that it shares; or only one of them.
static void run_selftest(const struct arch_handover *handover, const struct selftest_suite *only)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *const *suites = only ? &only : selftest_suites;
	struct selftest_tally *const tally = &summary.tally;
	size_t count = only ? 1 : 0;

	while (!only && suites[count])
		count++;
	summary.checks = selftest_plan(suites, count);
	tally->report_failure = summary_add_failure;
	for (size_t i = 0; i < count; i++) {
		selftest_take_snapshot(suites[i], &snapshot);
		summary_use_suite(suites[i]->driver->name);
		selftest_run_suite(suites[i], &snapshot, tally);
		printf("# %s: %" PRIu64 " clocks from entry to here\n", suites[i]->driver->name,
		       hal_instructions(hal_clock()) - hal_instructions(handover->clock_at_entry));
	}
	if (tally->failed) {
		printf("# %u checks failed\n", tally->failed);
		end_run(false, "self test failed");
	}
	if (tally->skipped)
		printf("# %u checks skipped\n", tally->skipped);
	printf("# all checks passed\n\n");
}

void boot_main(const struct arch_handover *handover)
{
	const struct pmu_driver *driver = pmu_drivers[0];
	static char arguments[1024];
	struct boot_options options;

	summary.processor = handover->processor;
	board_end.driver = driver;
	board_end.command_line = handover->command_line;
	fault_start(&summary, &board_end);
	memory_start(handover->memory_end);
	system_start();
	strncpy(arguments, handover->command_line, sizeof arguments - 1);
	if (strlen(arguments) == sizeof arguments - 1) {
		boot_refuse("the command line is longer than %zu characters", sizeof arguments - 2);
		end_run(false, "bad command line");
	}
	if (!options_read(arguments, &options))
		end_run(false, "bad command line");
	summary.protocol = handover->protocol;
	if (handover->processor)
		printf("palmon: found %s\n", handover->processor);
	print_processors();
	find_pmu(driver, handover->protocol);
	printf("palmon: %s (%s), started by %s, PMU: %s\n", driver->title, driver->name,
	       handover->protocol, hal_backend());
	summary.backend = hal_backend();
	board_end.left = left_find(driver);
	left_print(driver, board_end.left);
	hal_interrupts_start();

	if (options.selftest)
		run_selftest(handover, options.suite);
	if (pmu_begin(driver, options.non_maskable) != PMU_OK)
		end_run(false, "the PMU does not come up");
	board_end.up = true;
	if (options.bench)
		bench_run(driver);
	if (options.state && !state_run(driver))
		end_run(false, "state failed");
	if (options.session) {
		report_monitor(driver);
		board_end.results = session_run(&options);
		if (!board_end.results)
			end_run(false, "session failed");
	}
	end_run(true, "success");
}
