// SPDX-License-Identifier: BSD-2-Clause
// palmon selftest --mutants: runs self tests on each mutant of the models, and prints the mutation
// scores.

#include "mutants.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../pmu/defects/mutants.h"
#include "palmon.h"
#include "pmu.h"
#include "selftest.h"
#include "shim.h"
#include "stimulus.h"

#define MUTANTS_MOST	8192
#define RUNS_LONGER	20	// a mutant that writes registers this many times more often than
				// the sound model does not end

// The run of a self test on one mutant.
static struct {
	jmp_buf ended;
	uint64_t writes, writes_most;
	bool all;			// run all checks, and print those that fail
	const char *mutant;
	unsigned failed;
	FILE *out;
} run;

static struct mutant mutants[MUTANTS_MOST];

static const struct defect none[1];	// the sound model: 0 of these rows

// Ends a self test that a mutant never ends.
static void count_write(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	if (run.writes++ == run.writes_most)
		longjmp(run.ended, true);
}

static void note_failure(const char *check, const char *of, const struct selftest_result *result)
{
	(void)result;
	run.failed++;
	if (!run.all)
		longjmp(run.ended, true);
	fprintf(run.out, "%s\t", run.mutant);
	for (; *check; check++)
		if (*check == '#')
			fputs(of, run.out);
		else
			fputc(*check, run.out);
	fputc('\n', run.out);
}

// Starts a machine whose model has these rows instead of one of its defects.
static bool start(const struct pmu_driver *driver, const struct defect *rows, size_t count)
{
	const char *const *faults = vpmu_faults(pmu_model_find(driver->name));

	defective_mutate(rows, count);
	if (!*faults || !shim_start(driver->name, *faults)) {
		complain("%s: the model has no defects", driver->name);
		return false;
	}
	return true;
}

// Runs the self test. Returns whether a check fails, or it does not end.
static bool is_killed(const struct pmu_driver *driver, const struct defect *rows, size_t count)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *suite = selftest_find(driver->name);
	static struct selftest_tally tally;
	bool killed;

	tally = (struct selftest_tally){.report_failure = note_failure};
	run.writes = run.failed = 0;
	if (!start(driver, rows, count))
		return false;
	shim_watch_writes(count_write);
	killed = setjmp(run.ended);
	if (!killed) {
		selftest_take_snapshot(suite, &snapshot);
		selftest_run_suite(suite, &snapshot, &tally);
	}
	shim_end();
	return killed || run.failed;
}

//
// Events that the machine can raise
//

#define LINES	64

static uint64_t memory[LINES * 8];

// Executes each kind of instruction that the processor's backends offer to self tests (stimulus.h).
// Returns whether the mutant's event arrives.
static bool is_raised(const struct pmu_driver *driver, const struct mutant *m)
{
	bool arrived;

	if (!start(driver, m->row, m->rows))
		return false;
	hal_execute(100);
	hal_execute_user(100);
	hal_read_lines(LINES);
	if (shim_vpmu()->model->machine->load)
		hal_load(memory);
	if (shim_vpmu()->model->machine->commit) {
		hal_execute_kinds(2);
		hal_execute_random(10);
		hal_execute_far();
		hal_write_lines((uintptr_t)memory, LINES);
	}
	hal_bus_lock();
	arrived = defective_event_arrived();
	shim_end();
	return arrived;
}

// The state of the target's model.
static const void *state_of(const struct pmu_driver *driver)
{
	const struct vpmu *v = shim_vpmu();

	return driver->cores ? v->package->state : v->state;
}

static bool is_readable(uint32_t address)
{
	uint64_t value;

	return reg_read(address, &value);
}

//
// A target's mutants
//

struct score {
	unsigned mutants, killed, equivalent, survivors;
};

static void print_progress(const struct pmu_driver *driver, size_t done, size_t count)
{
	if (isatty(STDERR_FILENO) || done == count)
		fprintf(stderr, "%s%s: %zu of %zu mutants%s", isatty(STDERR_FILENO) ? "\r" : "",
			driver->name, done, count, done == count ? "\n" : "");
}

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// Runs the self test on the sound model, to learn how long it is. False after a complaint: it
// fails.
static bool run_sound(const struct pmu_driver *driver)
{
	run.writes_most = UINT64_MAX;
	run.mutant = "none";
	if (is_killed(driver, none, 0)) {
		complain("%s: the self test fails without a mutant", driver->name);
		return false;
	}
	run.writes_most = RUNS_LONGER * run.writes;
	return true;
}

static void test_mutant(const struct pmu_driver *driver, const struct mutant *m,
			struct score *score)
{
	const char *why = m->equivalent;
	bool killed;

	if (m->of_event && !is_raised(driver, m))
		why = "no instruction of this machine raises the event";
	run.mutant = m->name;
	// Equivalent mutants run, too: one that is killed proves its reason wrong.
	killed = !(why && m->of_event) && is_killed(driver, m->row, m->rows);
	score->equivalent += why != NULL;
	score->killed += !why && killed;
	score->survivors += !why && !killed;
	if (why ? killed : !killed)
		fprintf(run.out, "%s\t%s\n", m->name, why ? "equivalent, but killed" : "survives");
	if (why && run.all)
		fprintf(run.out, "%s\tequivalent: %s\n", m->name, why);
}

static bool test_target(const struct pmu_driver *driver)
{
	const double begun = processor_seconds();
	struct score score = {0};
	unsigned seen;

	if (!run_sound(driver) || !start(driver, none, 0))
		return false;
	score.mutants = (unsigned)mutants_of(state_of(driver), driver->events, is_readable, mutants,
					     MUTANTS_MOST);
	shim_end();
	if (score.mutants > MUTANTS_MOST) {
		complain("%s: more than %d mutants", driver->name, MUTANTS_MOST);
		return false;
	}
	for (unsigned i = 0; i < score.mutants; i++) {
		test_mutant(driver, &mutants[i], &score);
		print_progress(driver, i + 1, score.mutants);
	}
	defective_mutate(NULL, 0);
	seen = score.mutants - score.equivalent;
	fprintf(run.out, "%s: %u mutants, %u killed, %u equivalent, %u survive: score %.1f%%\n",
		driver->name,
		score.mutants, score.killed, score.equivalent, score.survivors,
		seen ? 100.0 * score.killed / seen : 0);
	fflush(run.out);
	fprintf(stderr, "%s: %.1f s of processor time\n", driver->name,
		processor_seconds() - begun);
	return true;
}

int run_mutants(const struct pmu_driver *only, bool all)
{
	bool done = true;

	run.all = all;
	run.out = stdout;
	stdout = fopen("/dev/null", "w");	// the self test's report
	if (!stdout) {
		stdout = run.out;
		complain("cannot open /dev/null");
		return PALMON_FAILED;
	}
	for (const struct pmu_driver *const *d = pmu_drivers; *d && done; d++)
		if (!only || *d == only)
			done = test_target(*d);
	fclose(stdout);
	stdout = run.out;
	return done ? PALMON_DONE : PALMON_FAILED;
}
