// SPDX-License-Identifier: BSD-2-Clause
// Observation does not change counts. A program of the ia64 machine must give the same count of
// each event of events.tab with each observer: recorders (event address registers, branch trace),
// qualification that excludes nothing, sampling, the tally, single steps.
//
// The programs are tests/boot/ia64/observed_*.s. Each runs without an observer first, with four
// events at a time. Then it runs with one observer after the other, each in its own process. All
// results must be those of the first runs.

#include "unit.h"

#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event.h"
#include "../../../hal/emu/ia64/look.h"
#include "../../../hal/emu/ia64/machine.h"
#include "../../../hal/emu/ia64/monitor.h"
#include "../../../pmu/itanium/regs.h"

extern const struct pmu_event_table pmu_events_itanium;

enum { RUN_MIXED, RUN_STACK, RUN_PAGES, RUN_WINDOWS, RUN_TIMER, PROGRAMS };
static const char *const programs[PROGRAMS] = {"mixed", "stack", "pages", "windows", "timer"};
#define MEMORY		(4 << 20)
#define INSTRUCTIONS	100000	/* more than any of the programs executes */
#define SECONDS_MOST	100	/* time limit for the runs with one observer */
#define ALL_LEVELS	15ULL
#define SAMPLER		7	/* the counter that an observer may use */

// Ends the process if a condition is false. In a child, cmocka's own assertions would continue with
// the next test.
#define REQUIRE(condition)									\
	do {											\
		if (!(condition)) {								\
			print_message("# line %d: " #condition " is false\n", __LINE__);	\
			fflush(stdout);								\
			_exit(2);								\
		}										\
	} while (0)

//
// Plans: the events that are counted, and the runs that count them
//

#define JOBS_MOST	512
#define RUNS_MOST	JOBS_MOST
#define NO_JOB		JOBS_MOST

// A job is an event that is counted above a threshold. A run counts four of them at once, on PMD4
// to PMD7.
struct plan {
	struct job {
		const struct pmu_event *event;
		unsigned threshold;
	} job[JOBS_MOST];
	unsigned jobs;
	bool privileged;		/* the counters are privileged monitors of level 0 */
	unsigned run[RUNS_MOST][ITANIUM_COUNTERS];	/* indices of jobs, or NO_JOB */
	unsigned runs;
};

// The results of one program. `loads`: its count of LOADS_RETIRED; `count`: by job.
struct result {
	uint64_t cycles, retired, loads;
	uint64_t count[JOBS_MOST];
};

static void add_job(struct plan *p, const struct pmu_event *event, unsigned threshold)
{
	REQUIRE(p->jobs < JOBS_MOST);
	p->job[p->jobs++] = (struct job){event, threshold};
}

// Chooses the next job for a counter. PMD4 and PMD5 prefer events that the other counters cannot
// count.
static unsigned choose_job(const struct plan *p, const bool *done, unsigned counter)
{
	for (unsigned any = 0; any < 2; any++)
		for (unsigned i = 0; i < p->jobs; i++)
			if (!done[i] && p->job[i].event->counters >> counter & 1 &&
			    (any || !(p->job[i].event->counters >> SAMPLER & 1)))
				return i;
	return NO_JOB;
}

// Distributes all jobs over runs. `sampled`: the observer uses PMD7.
static void make_runs(struct plan *p, bool sampled)
{
	bool done[JOBS_MOST + 1] = {false};

	p->runs = 0;
	for (unsigned left = p->jobs; left; p->runs++)
		for (unsigned i = 0; i < ITANIUM_COUNTERS; i++) {
			const unsigned counter = ITANIUM_FIRST_COUNTER + i;
			const unsigned job = sampled && counter == SAMPLER ? NO_JOB :
				choose_job(p, done, counter);

			p->run[p->runs][i] = job;
			left -= job != NO_JOB;
			done[job] = true;
		}
}

// Plans all events that the machine raises, or never raises (`absent`). No counter counts the
// interval timer.
static void plan_events(struct plan *p, bool absent)
{
	for (size_t i = 0; i < pmu_events_itanium.count; i++) {
		const struct pmu_event *e = &pmu_events_itanium.event[i];

		if (e->code < EVENT_CODES && absent == (e->emulation == EVENT_ABSENT))
			add_job(p, e, 0);
	}
}

// Plans each event with each threshold from 0 to its maximum in a cycle. Above the last one nothing
// counts.
static void plan_thresholds(struct plan *p)
{
	for (size_t i = 0; i < pmu_events_itanium.count; i++) {
		const struct pmu_event *e = &pmu_events_itanium.event[i];

		for (unsigned threshold = 0;
		     e->emulation != EVENT_ABSENT && e->code < EVENT_CODES &&
					     threshold <= e->max; threshold++)
			add_job(p, e, threshold);
	}
}

//
// Observers
//

static void put(struct machine *m, uint32_t address, uint64_t value)
{
	REQUIRE(vpmu_write(&m->pmu, address, value, 0));
}

// Sets breakpoint registers that match each address of regions 0, 4 and 5.
static void match_all_addresses(struct machine *m, uint32_t file)
{
	static const uint64_t regions[ITANIUM_BREAKPOINTS] = {0, 4, 5, 5};

	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		put(m, file + 2 * i, regions[i] << 61);
		put(m, file + 2 * i + 1, ALL_LEVELS << 56);
	}
}

static void nothing_else(struct machine *m, const struct result *alone)
{
	(void)m, (void)alone;
}

static void all_code(struct machine *m, const struct result *alone)
{
	(void)alone;
	match_all_addresses(m, FILE_IBR);
	put(m, ITANIUM_PMC(13), 0);
}

static void all_data(struct machine *m, const struct result *alone)
{
	(void)alone;
	match_all_addresses(m, FILE_DBR);
	put(m, ITANIUM_PMC(11), 0);
}

static void all_addresses(struct machine *m, const struct result *alone)
{
	all_code(m, alone);
	all_data(m, alone);
}

// Sets a counter whose overflow would interrupt after `distance` events. The programs never reach
// that.
static void sample(struct machine *m, unsigned code, uint64_t distance)
{
	put(m, ITANIUM_PMC(SAMPLER), FIELD_PUT(PMC4, es, code) | FIELD(PMC4, oi) | ALL_LEVELS);
	put(m, ITANIUM_PMD(SAMPLER), -distance);
}

// Event 0CH is FP_SIR_FLUSH, which the machine never raises.
static void near_overflow(struct machine *m, const struct result *alone)
{
	(void)alone;
	sample(m, 0x0C, 900);
}

static void overflow_soon(struct machine *m, const struct result *alone)
{
	sample(m, EVENT_CPU_CYCLES, alone->cycles + 10);
}

// After half of the program's loads an overflow is near: summing of cycles stops (look.c).
static void overflow_of_loads(struct machine *m, const struct result *alone)
{
	sample(m, EVENT_LOADS_RETIRED, alone->loads / 2 + 7 * 1024);
}

static void tally(struct machine *m, const struct result *)
{
	m->selection.all = true;
}

static void each_cycle(struct machine *m, const struct result *)
{
	m->exact = true;
}

// Values of PMC10, PMC11 and PMC12 that record all misses of caches, all misses of TLBs, all
// branches.
#define OF_TLBS		(FIELD_PUT(PMC10, umask, 14) | FIELD(PMC10, tlb))
#define CODE_CACHES	{10, ALL_LEVELS}
#define CODE_TLBS	{10, ALL_LEVELS | OF_TLBS}
#define DATA_CACHES	{11, ALL_LEVELS | FIELD(PMC11, pt)}
#define DATA_TLBS	{11, ALL_LEVELS | FIELD(PMC11, pt) | OF_TLBS}
#define BRANCHES	{12, ALL_LEVELS | 0xFF80}

// `at_once`: instructions in each call of ia64_run; 0: all. `samples`: it uses PMD7. `follows`:
// with the unit clock caches follow references even while no counter counts. `raises`: events that
// only its recorders raise, by codes.
static const struct observer {
	const char *name;
	void (*observe)(struct machine *m, const struct result *alone);
	unsigned at_once;
	bool samples, follows;
	uint8_t raises[3];
	struct {
		uint32_t number;
		uint64_t value;
	} pmc[3];
} observers[] = {
	{"nothing else", nothing_else},
	{"the branch trace", nothing_else, .raises = {0x11}, .pmc = {BRANCHES}},
	{"the instruction EAR, misses of caches", nothing_else, .raises = {0x23},
	 .pmc = {CODE_CACHES}},
	{"the instruction EAR, misses of TLBs", nothing_else, .raises = {0x23}, .pmc = {CODE_TLBS}},
	{"the data EAR, misses of caches", nothing_else, .raises = {0x67}, .pmc = {DATA_CACHES}},
	{"the data EAR, misses of TLBs", nothing_else, .raises = {0x67}, .pmc = {DATA_TLBS}},
	{"an instruction address range of all addresses", all_code},
	{"a data address range of all addresses", all_data},
	{"address ranges of all addresses", all_addresses},
	{"steps of one instruction", nothing_else, 1},
	{"steps of seven instructions", nothing_else, 7},
	{"steps of one instruction, all recorders", nothing_else, 1, .raises = {0x11, 0x23, 0x67},
	 .pmc = {BRANCHES, CODE_TLBS, DATA_TLBS}},
	{"steps of one instruction, captures of loads", nothing_else, 1, .raises = {0x67},
	 .pmc = {DATA_CACHES}},
	{"a counter that is always near its overflow", near_overflow, .samples = true},
	{"a counter of cycles that nears its overflow", overflow_soon, .samples = true},
	{"a counter of loads that nears its overflow", overflow_of_loads, .samples = true},
	{"the tally of all events", tally, .follows = true},
	{"the model sees each cycle", each_cycle},
}, few_observers[] = {
	{"nothing else", nothing_else},
	{"the model sees each cycle", each_cycle},
	{"the branch trace", nothing_else, .raises = {0x11}, .pmc = {BRANCHES}},
	{"address ranges of all addresses", all_addresses},
	{"steps of one instruction", nothing_else, 1},
	{"a counter of loads that nears its overflow", overflow_of_loads, .samples = true},
}, absent_observers[] = {
	{"the branch trace", nothing_else, .pmc = {BRANCHES}},
	{"steps of one instruction, the tally of all events", tally, 1},
};

static bool is_raised_by(const struct observer *o, unsigned code)
{
	return code && (o->raises[0] == code || o->raises[1] == code || o->raises[2] == code);
}

//
// Runs
//

static struct processor processor;

static void load(struct machine *m, const char *program)
{
	static uint8_t file[1 << 18];
	char path[200];
	Elf64_Ehdr header;
	FILE *from;
	size_t size;

	snprintf(path, sizeof path, "%s/observed_%s", IA64_PROGRAMS, program);
	from = fopen(path, "rb");
	REQUIRE(from);
	size = fread(file, 1, sizeof file, from);
	fclose(from);
	REQUIRE(size >= sizeof header && size < sizeof file);
	memcpy(&header, file, sizeof header);
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr p;

		memcpy(&p, file + header.e_phoff + i * sizeof p, sizeof p);
		if (p.p_type != PT_LOAD)
			continue;
		REQUIRE(p.p_offset + p.p_filesz <= size && p.p_paddr + p.p_memsz <= MEMORY);
		memcpy(m->memory + p.p_paddr, file + p.p_offset, p.p_filesz);
	}
	m->ip = header.e_entry;
}

// Sets up the counters for a run, with all recorders and qualifications off. They count at all
// levels while PSR.up is 1. Those of a privileged plan count at level 0 while PSR.pp is 1.
// Interruptions clear that, because DCR.pp is 0.
static void set_monitor(struct machine *m, const struct plan *p,
			const unsigned run[ITANIUM_COUNTERS])
{
	const uint64_t enable = p->privileged ? FIELD(PMC4, pm) | 1 : ALL_LEVELS;

	put(m, ITANIUM_PMC(0), 1);
	for (unsigned i = 0; i < ITANIUM_COUNTERS; i++) {
		const struct job *job = run[i] == NO_JOB ? NULL : &p->job[run[i]];

		put(m, ITANIUM_PMC(ITANIUM_FIRST_COUNTER + i),
		    job ? FIELD_PUT(PMC4, es, job->event->code) |
		    FIELD_PUT(PMC4, umask, job->event->umask) |
				    FIELD_PUT(PMC4, threshold, job->threshold) | enable :
			  FIELD(PMC4, ism) | ALL_LEVELS);
		put(m, ITANIUM_PMD(ITANIUM_FIRST_COUNTER + i), 0);
	}
	put(m, ITANIUM_PMC(10), FIELD(PMC10, ism) | ALL_LEVELS);
	put(m, ITANIUM_PMC(11), FIELD(PMC11, ism) | FIELD(PMC11, pt) | ALL_LEVELS);
	put(m, ITANIUM_PMC(12), 0);
	put(m, ITANIUM_ITC, 0);
	put(m, ITANIUM_DCR, 0);
	m->psr |= p->privileged ? PSR_PP | PSR_UP : PSR_UP;
}

// Decoded code of each program. Runs share it, because decoding takes most of the time of a short
// run.
static struct op **decoded[PROGRAMS];

static void take_code(struct machine *m, unsigned program)
{
	if (!decoded[program])
		return;
	free(m->pages);
	m->pages = decoded[program];
	decoded[program] = NULL;
}

static void keep_code(struct machine *m, unsigned program)
{
	decoded[program] = m->pages;
	m->pages = NULL;
}

static void ignore_char(void *context, char c)
{
	(void)context, (void)c;
}

// Runs a program once. Its cycles and instructions should be those of the earlier runs with this
// observer.
static void run(unsigned program, bool timed, const struct observer *o, const struct plan *p,
		const unsigned jobs[ITANIUM_COUNTERS], const struct result *alone,
		struct result *result)
{
	const struct pmu_model *model = pmu_model_find("itanium");
	void *state = aligned_alloc(MODEL_ALIGNMENT, vpmu_state_size(model));
	const uint64_t at_once = o->at_once ? o->at_once : INSTRUCTIONS;
	enum outcome outcome = OUTCOME_NEXT;
	static struct machine m;
	uint64_t frozen, cycles;

	REQUIRE(state);
	REQUIRE(ia64_make(&m, &processor, MEMORY) && ia64_attach(&m, model, state, NULL, 0));
	if (timed)
		ia64_set_timed(&m);
	m.put_char = ignore_char;
	take_code(&m, program);
	load(&m, programs[program]);
	set_monitor(&m, p, jobs);
	o->observe(&m, alone);
	for (unsigned i = 0; i < 3 && o->pmc[i].number; i++)
		put(&m, ITANIUM_PMC(o->pmc[i].number), o->pmc[i].value);
	put(&m, ITANIUM_PMC(0), 0);
	while (outcome == OUTCOME_NEXT && ia64_retired(&m) < INSTRUCTIONS)
		outcome = ia64_run(&m, at_once);
	REQUIRE(outcome == OUTCOME_END && !m.status);
	ia64_look(&m, ia64_retired(&m));
	REQUIRE(vpmu_read(&m.pmu, ITANIUM_PMC(0), &frozen) &&
		vpmu_read(&m.pmu, ITANIUM_ITC, &cycles));
	if (frozen & 1)
		print_message("# %s: frozen\n", programs[program]);
	if (result->retired && (result->retired != ia64_retired(&m) || result->cycles != cycles))
		print_message("# %s: %llu cycles or %llu, %llu instructions or %llu\n",
			      programs[program],
			      (unsigned long long)result->cycles, (unsigned long long)cycles,
			      (unsigned long long)result->retired,
			      (unsigned long long)ia64_retired(&m));
	result->retired = ia64_retired(&m);
	result->cycles = cycles;
	for (unsigned i = 0; i < ITANIUM_COUNTERS; i++)
		if (jobs[i] != NO_JOB)
			REQUIRE(vpmu_read(&m.pmu, ITANIUM_PMD(ITANIUM_FIRST_COUNTER + i),
					  &result->count[jobs[i]]));
	for (unsigned i = 0; i < ITANIUM_COUNTERS; i++)
		if (jobs[i] != NO_JOB && p->job[jobs[i]].event->code == EVENT_LOADS_RETIRED &&
		    !p->job[jobs[i]].threshold)
			result->loads = result->count[jobs[i]];
	keep_code(&m, program);
	ia64_free(&m);
	free(state);
}

static void run_all(bool timed, const struct observer *o, struct plan *p,
		    const struct result *alone, struct result result[PROGRAMS])
{
	make_runs(p, o->samples);
	memset(result, 0, PROGRAMS * sizeof *result);
	for (unsigned program = 0; program < PROGRAMS; program++)
		for (unsigned i = 0; i < p->runs; i++)
			run(program, timed, o, p, p->run[i], alone ? &alone[program] : NULL,
			    &result[program]);
}

//
// Comparisons
//

#define LINES_MOST	60

struct comparison {
	const char *program;
	unsigned lines;
};

static void compare(struct comparison *c, const char *name, unsigned threshold, uint64_t alone,
		    uint64_t now)
{
	if (alone == now || ++c->lines > LINES_MOST)
		return;
	print_message("# %s: %s", c->program, name);
	if (threshold)
		print_message(", threshold %u", threshold);
	print_message(": alone %llu, now %llu\n", (unsigned long long)alone,
		      (unsigned long long)now);
}

static unsigned compare_all(const struct observer *o, bool timed, const struct plan *p,
			    const struct result *alone, const struct result *now)
{
	struct comparison c = {.lines = 0};

	for (unsigned program = 0; program < PROGRAMS; program++) {
		if (program == RUN_WINDOWS && o->follows && !timed)
			continue;
		c.program = programs[program];
		compare(&c, "cycles", 0, alone[program].cycles, now[program].cycles);
		compare(&c, "instructions", 0, alone[program].retired, now[program].retired);
		for (unsigned i = 0; i < p->jobs; i++)
			if (!is_raised_by(o, p->job[i].event->code))
				compare(&c, p->job[i].event->name, p->job[i].threshold,
					alone[program].count[i], now[program].count[i]);
	}
	if (c.lines > LINES_MOST)
		print_message("# and %u more\n", c.lines - LINES_MOST);
	return c.lines;
}

// A plan, its observers, and the results without an observer by clock (unit, timed) and program.
static struct subject {
	const char *name;
	const struct observer *observers;
	size_t observer_count;
	struct plan plan;
	struct result alone[2][PROGRAMS];
} subjects[] = {
#define OBSERVED_BY(observers) observers, sizeof observers / sizeof *observers
	{"", OBSERVED_BY(observers)},
	{"thresholds, ", OBSERVED_BY(few_observers)},
	{"level 0 without interruptions, ", OBSERVED_BY(few_observers), .plan.privileged = true},
	{"events that do not happen, ", OBSERVED_BY(absent_observers)},
};
enum { EVENTS, THRESHOLDS, PRIVILEGED, ABSENT, SUBJECTS };

struct setting {
	struct subject *subject;
	const struct observer *observer;
	bool timed;
};

// Runs in a child, without cmocka's signal handlers, which make a crashed child continue.
static void run_observed(const struct setting *s)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
	const struct result *alone = s->subject->alone[s->timed];
	static struct result now[PROGRAMS];

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	alarm(SECONDS_MOST);
	run_all(s->timed, s->observer, &s->subject->plan, alone, now);
	fflush(stdout);
	_exit(compare_all(s->observer, s->timed, &s->subject->plan, alone, now) ? 1 : 0);
}

static void counts_are_those_of_the_program_alone(void **state)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		run_observed(*state);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
		fail_msg("the machine has crashed");
	if (WEXITSTATUS(status))
		fail_msg("counts differ");
}

static int run_alone(void **state)
{
	(void)state;
	assert_true(ia64_load_processor(&processor, IA64_PROGRAMS "/small.machine"));
	plan_events(&subjects[EVENTS].plan, false);
	plan_events(&subjects[PRIVILEGED].plan, false);
	plan_events(&subjects[ABSENT].plan, true);
	plan_thresholds(&subjects[THRESHOLDS].plan);
	for (struct subject *s = subjects; s < subjects + SUBJECTS; s++)
		for (unsigned timed = 0; timed < 2; timed++)
			run_all(timed, &observers[0], &s->plan, NULL, s->alone[timed]);
	return 0;
}

// Comparisons of zeros would show nothing. With the timed clock the programs raise each event of
// the machine, except for the captures of recorders, which are off. Absent events never occur.
static void programs_raise_each_event(void **state)
{
	const struct subject *s = &subjects[EVENTS], *absent = &subjects[ABSENT];
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < s->plan.jobs; i++) {
		const struct pmu_event *e = s->plan.job[i].event;
		uint64_t sum = 0;

		for (unsigned program = 0; program < PROGRAMS; program++)
			sum += s->alone[true][program].count[i];
		if (sum || e->code == 0x11 || e->code == 0x23 || e->code == 0x67)
			continue;
		print_message("# %s is 0\n", e->name);
		wrong++;
	}
	for (unsigned i = 0; i < absent->plan.jobs; i++)
		for (unsigned run = 0; run < 2 * PROGRAMS; run++)
			wrong += absent->alone[run % 2][run / 2].count[i] != 0;
	assert_int_equal(wrong, 0);
}

// A cycle with n events adds n to the count without a threshold, and 1 to that of each threshold
// below n.
static void thresholds_agree_with_each_other(void **state)
{
	const struct subject *s = &subjects[THRESHOLDS];
	const struct job *job = s->plan.job;
	unsigned wrong = 0;

	(void)state;
	for (unsigned run = 0; run < 2 * PROGRAMS; run++) {
		const struct result *r = &s->alone[run % 2][run / 2];

		for (unsigned i = 0, next; i < s->plan.jobs; i = next) {
			uint64_t sum = 0;
			bool falls = true;

			for (next = i + 1; next < s->plan.jobs && job[next].event == job[i].event;
			     next++) {
				sum += r->count[next];
				falls &= next == i + 1 || r->count[next] <= r->count[next - 1];
			}
			if (falls && !r->count[next - 1] && r->count[i] >= sum + r->count[i + 1] &&
			    r->count[i] - sum <= r->cycles)
				continue;
			print_message("# %s: %s", programs[run / 2], job[i].event->name);
			for (unsigned j = i; j < next; j++)
				print_message(" %llu", (unsigned long long)r->count[j]);
			print_message("\n");
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static struct setting settings[100];
static struct CMUnitTest tests[sizeof settings / sizeof *settings + 2];

static unsigned add_observed(unsigned count)
{
	for (struct subject *s = subjects; s < subjects + SUBJECTS; s++)
		for (unsigned i = 0; i < 2 * s->observer_count; i++, count++) {
			const struct observer *observer = &s->observers[i % s->observer_count];
			const bool timed = i >= s->observer_count;
			char *name = malloc(200);

			assert_true(name && count < sizeof settings / sizeof *settings);
			snprintf(name, 200, "%s clock: %s%s", timed ? "timed" : "unit", s->name,
				 observer->name);
			settings[count] = (struct setting){s, observer, timed};
			tests[count] = (struct CMUnitTest){
				.name = name, .test_func = counts_are_those_of_the_program_alone,
				.initial_state = &settings[count],
			};
		}
	return count;
}

int main(void)
{
	unsigned count = add_observed(0);

	tests[count++] = (struct CMUnitTest)cmocka_unit_test(programs_raise_each_event);
	tests[count++] = (struct CMUnitTest)cmocka_unit_test(thresholds_agree_with_each_other);
	return _cmocka_run_group_tests("tests", tests, count, run_alone, NULL);
}
