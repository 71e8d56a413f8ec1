// SPDX-License-Identifier: BSD-2-Clause
// Knights Corner's overflow interrupt on the machine: the scenarios of
// tests/proof/knc-overflow.pml, with the runtime's handler, and with a handler whose steps can be
// swapped. "The guide" is 327357-001, 1.4.3.8 and 1.4.3.9. The workload initializes each thread's
// PMU, also the first one's, without the image's session; therefore it ends the run itself.

#include "knc.h"

#include <string.h>

#include "image_run.h"
#include "pmu_driver.h"
#include "x86/apic.h"

static bool is_masked(void)
{
	return *x86_apic_register(APIC_LVTPC) & APIC_LVT_MASKED;
}

//
// A handler whose steps are a table
//

enum step { STOP, SERVE, CLEAR_READ, UNMASK, START, STEPS };

#define BEHIND_RETURN	(STEPS + 1)
#define NOWHERE		(STEPS + 2)

// A thread's handler: its settings and its results.
static struct thread {
	const enum step *order;
	uint64_t period[COUNTERS];		// 0: a served counter does not overflow again
	bool meets;				// it waits for all handlers at start and end
	unsigned gap, counter;			// in this gap, this counter's next event overflows

	uint64_t status;			// as read by serve
	uint64_t residue[COUNTERS];		// events since the overflow, at serve
	unsigned entered, empty, line_up_at_unmask, served[COUNTERS];

	char outcome[COUNTERS][BEHIND_RETURN + 2];
	bool running, masked;			// when the handler had returned
	bool next_as_expected;
} threads[CPUS];

static struct thread *mine(void)
{
	return &threads[hal_cpu()];
}

static void stop(struct thread *t)
{
	(void)t;
	put(ENABLE, 0);
}

static void serve(struct thread *t)
{
	t->status = get(STATUS);
	for (unsigned i = 0; i < COUNTERS; i++) {
		if (!(t->status >> i & 1))
			continue;
		t->residue[i] = get(COUNTER(i));
		put(COUNTER(i), (t->residue[i] - t->period[i]) & WIDTH_MASK);
		t->served[i]++;
	}
}

static void clear_read(struct thread *t)
{
	put(CLEAR, t->status);
}

static void unmask(struct thread *t)
{
	t->line_up_at_unmask += get(STATUS) != 0;
	hal_pmi_unmask();
	hal_pmi_end();
}

static void start(struct thread *t)
{
	(void)t;
	put(ENABLE, BOTH);
}

static void (*const steps[STEPS])(struct thread *) = {
	[STOP] = stop, [SERVE] = serve, [CLEAR_READ] = clear_read, [UNMASK] = unmask,
	[START] = start,
};

static const enum step right[STEPS] = {STOP, SERVE, CLEAR_READ, UNMASK, START};

static volatile unsigned begun, done;	// threads whose handlers have begun and ended

// Waits for all threads, for a bounded time: a missing thread is a failure.
static void meet(volatile unsigned *have)
{
	__atomic_fetch_add(have, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < 10000 && *have < CPUS; i++)
		hal_relax();
	require(*have == CPUS);
}

static void pass_gap(struct thread *t, unsigned gap)
{
	if (t->gap != gap)
		return;
	t->gap = NOWHERE;
	put(COUNTER(t->counter), WIDTH_MASK);
}

static void handle(uint64_t ip, unsigned level)
{
	struct thread *t = mine();

	(void)ip, (void)level;
	t->entered++;
	t->empty += !get(STATUS);
	t->status = 0;
	if (t->meets)
		meet(&begun);
	for (unsigned i = 0; i < STEPS; i++) {
		pass_gap(t, i);
		steps[t->order[i]](t);
	}
	pass_gap(t, STEPS);
	if (t->meets)
		meet(&done);
}

// Both counters count instructions, and overflow after this number of them; 0: far away.
static void prepare(struct thread *t, const enum step order[STEPS], uint64_t modifiers,
		    uint64_t period0, uint64_t period1)
{
	*t = (struct thread){.order = order, .period = {period0, period1}, .gap = NOWHERE};
	put(ENABLE, 0);
	put(CLEAR, BOTH);
	for (unsigned i = 0; i < COUNTERS; i++) {
		put(COUNTER(i), -t->period[i] & WIDTH_MASK);
		put(SELECT(i), EXECUTED | modifiers | INT | EN);
	}
	hal_pmi_attach(handle, HAL_PMI_VECTOR);
}

//
// The right order: many overflows on four threads at once
//

static uint64_t left_in[CPUS][COUNTERS], status_left[CPUS];
static bool left_masked[CPUS];

#define PERIOD0		97
#define PERIOD1		101
#define INSTRUCTIONS(cpu)	(12000 + 1111 * (cpu))

static void look(void *unused)
{
	const unsigned cpu = hal_cpu();

	(void)unused;
	put(ENABLE, 0);
	for (unsigned i = 0; i < COUNTERS; i++)
		left_in[cpu][i] = get(COUNTER(i));
	status_left[cpu] = get(STATUS);
	left_masked[cpu] = is_masked();
}

static void overflow_often(void *unused)
{
	prepare(mine(), right, USR, PERIOD0, PERIOD1);
	put(ENABLE, BOTH);
	hal_execute_user(INSTRUCTIONS(hal_cpu()));
	look(unused);
}

static void check_left(unsigned cpu)
{
	expect("status at the end", cpu, 0, status_left[cpu]);
	expect("LVT masked at the end", cpu, false, left_masked[cpu]);
	expect("interrupts without an overflow", cpu, 0, threads[cpu].empty);
	expect("unmasked with the line up", cpu, 0, threads[cpu].line_up_at_unmask);
}

// Only level 3 counts, so a handler begins directly after the overflow and adds nothing. The
// periods have no common divisor: one interrupt in 97 * 101 instructions serves both counters.
static void many_overflows(void)
{
	everywhere(overflow_often, NULL);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		const struct thread *t = &threads[cpu];
		const uint64_t n = OF_USER(INSTRUCTIONS(cpu)), both = n / (PERIOD0 * PERIOD1);

		expect("overflows of counter 0", cpu, n / PERIOD0, t->served[0]);
		expect("overflows of counter 1", cpu, n / PERIOD1, t->served[1]);
		expect("both served by one interrupt", cpu, n / PERIOD0 + n / PERIOD1 - both,
		       t->entered);
		for (unsigned i = 0; i < COUNTERS; i++)
			expect("sum", cpu, n, t->served[i] * t->period[i] +
			       ((left_in[cpu][i] + t->period[i]) & WIDTH_MASK));
		check_left(cpu);
		printf("thread %u: %u overflows in %u interrupts\n", cpu,
		       t->served[0] + t->served[1], t->entered);
	}
}

//
// All eight at once, and all four threads in their handlers
//

#define BEFORE_ALL	40000
#define OF_ALL		60000

static void count_all(void *unused)
{
	(void)unused;
	prepare(mine(), right, USR | ALL_THREADS, BEFORE_ALL, BEFORE_ALL);
	mine()->meets = true;
	put(ENABLE, BOTH);
}

// Each counter counts the first thread's instructions at level 3: one instruction overflows all of
// them. While the first thread's handler waits for the others, no counter counts beyond that.
static void all_at_once(void)
{
	begun = done = 0;
	everywhere(count_all, NULL);
	hal_execute_user(OF_ALL);
	everywhere(look, NULL);
	expect("threads in their handlers", 0, CPUS, begun);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		const struct thread *t = &threads[cpu];

		expect("interrupts of eight at once", cpu, 1, t->entered);
		for (unsigned i = 0; i < COUNTERS; i++) {
			expect("eight at once: served", cpu, 1, t->served[i]);
			expect("eight at once: counted before it was served", cpu, 0,
			       t->residue[i]);
			expect("eight at once: sum", cpu, OF_USER(OF_ALL),
			       left_in[cpu][i] + 2 * BEFORE_ALL
			       - (WIDTH_MASK + 1));
		}
		check_left(cpu);
	}
}

//
// Two steps swapped
//

// Counter 0 overflows, and in a gap of its handler a counter is set to one event before its
// overflow. If it runs, it overflows at once, otherwise when it starts again. Gap i precedes step
// i, from 0; gap 5 precedes the return; gap 6 follows it. Counter 0 is set only after its serve,
// because before that its one status bit stands for both of its overflows. Outcomes:
//
// .	all overflows are served, the status is 0
// l	lost: an overflow is not served, and the status has no trace of it
// s	stuck: not served, the status shows it, and no interrupt follows: the line cannot rise
// c	all overflows are served, but the status is not cleared: the line is high
// x	no overflow: the counter has stopped
// -	not examined
//
// After s and c no later overflow of the thread interrupts.
//
// The emulated APIC accepts a request when the line rises unmasked, and then masks LVT; it accepts
// none when LVT is unmasked with the line high. So no order produces a request with an empty
// status, as in Spin with -DTAKES=false. Three results of Spin's table need an APIC that accepts
// one: something_to_serve for stop and unmask, clear and unmask, clear and start.
static const struct {
	const char *name;
	enum step order[STEPS];
	const char *outcome[COUNTERS];		// for each counter, gaps 0 to 6
	bool stops;				// leaves the counters stopped
} orders[] = {
	// Stopped counters overflow when they start, with the status clear and LVT unmasked.
	{"the right order", {STOP, SERVE, CLEAR_READ, UNMASK, START}, {"--.....", "......."},
	 false},
	// Counters run in gap 1, after serve. Counter 0's bit is already set, and cleared with the
	// bits that were read; counter 1's bit is not cleared, and keeps the line high.
	{"stop and serve swapped", {SERVE, STOP, CLEAR_READ, UNMASK, START}, {"-l.....", ".s....."},
	 false},
	// Clear precedes any read, and clears nothing. Serve covers counter 1 in gaps 0 and 1.
	{"stop and clear swapped", {CLEAR_READ, SERVE, STOP, UNMASK, START}, {"--sssss", "ccsssss"},
	 false},
	// Counters run in gaps 0 to 3. Between serve and clear as above, later the line rises.
	{"stop and unmask swapped", {UNMASK, SERVE, CLEAR_READ, STOP, START},
	 {"--l....", "..s...."}, false},
	// Counters run in gaps 0 to 4. Between clear and unmask the line rises masked: dropped.
	{"stop and start swapped", {START, SERVE, CLEAR_READ, UNMASK, STOP}, {"--ls.xx", "..ss.xx"},
	 true},
	// These three orders clear nothing, because nothing was read. Counter 1 is served if it
	// overflows before serve; in the third order also if it overflows when the counters start.
	{"serve and clear swapped", {STOP, CLEAR_READ, SERVE, UNMASK, START},
	 {"---ssss", "cssssss"}, false},
	{"serve and unmask swapped", {STOP, UNMASK, CLEAR_READ, SERVE, START},
	 {"----sss", "cssssss"}, false},
	{"serve and start swapped", {STOP, START, CLEAR_READ, UNMASK, SERVE},
	 {"-----ss", "cccccss"}, false},
	// LVT is unmasked with the line high, which requests nothing; it falls before the start.
	{"clear and unmask swapped", {STOP, SERVE, UNMASK, CLEAR_READ, START},
	 {"--.....", "......."}, false},
	// From start to clear the counters run after serve: as in the first swap.
	{"clear and start swapped", {STOP, SERVE, START, UNMASK, CLEAR_READ},
	 {"--lll..", ".ssss.."}, false},
	// From start to unmask the line rises masked: dropped.
	{"unmask and start swapped", {STOP, SERVE, CLEAR_READ, START, UNMASK},
	 {"--sss..", ".ssss.."}, false},
};

#define ORDERS (sizeof orders / sizeof *orders)

static char outcome_of(const struct thread *t, unsigned counter, bool happened, uint64_t status)
{
	const unsigned expected0 = 1 + (happened && counter == 0), expected1 = happened &&
		counter == 1;

	if (t->served[0] > expected0 || t->served[1] > expected1)
		return '!';
	if (t->served[0] < expected0 || t->served[1] < expected1)
		return status ? 's' : 'l';
	if (!happened)
		return status ? '!' : 'x';
	return status ? 'c' : '.';
}

// Makes counter 0 overflow, and returns whether it interrupts.
static bool interrupts_now(const struct thread *t)
{
	const unsigned entered = t->entered;

	put(ENABLE, BOTH);
	put(COUNTER(0), WIDTH_MASK);
	hal_execute(50);
	put(ENABLE, 0);
	return t->entered > entered;
}

static char try_gap(struct thread *t, const enum step order[STEPS], unsigned gap, unsigned counter)
{
	uint64_t status;
	bool happened;
	char outcome;

	prepare(t, order, OS | USR, 0, 0);
	t->gap = gap;
	t->counter = counter;
	put(ENABLE, BOTH);
	put(COUNTER(0), WIDTH_MASK);
	hal_execute(50);
	pass_gap(t, BEHIND_RETURN);
	hal_execute(50);
	t->running = get(ENABLE);
	put(ENABLE, 0);
	status = get(STATUS);
	happened = get(COUNTER(counter)) != WIDTH_MASK;
	outcome = outcome_of(t, counter, happened, status);
	t->masked = is_masked();
	t->next_as_expected = interrupts_now(t) == !status;
	return outcome;
}

static void try_order(void *argument)
{
	const enum step *order = argument;
	struct thread *t = mine();
	char outcome[COUNTERS][BEHIND_RETURN + 2] = {0};
	bool running = false, stopped = false, masked = false, next_as_expected = true;
	unsigned empty = 0, serve_at = 0;

	while (order[serve_at] != SERVE)
		serve_at++;
	for (unsigned counter = 0; counter < COUNTERS; counter++)
		for (unsigned gap = 0; gap <= BEHIND_RETURN; gap++) {
			if (counter == 0 && gap <= serve_at) {
				outcome[counter][gap] = '-';
				continue;
			}
			outcome[counter][gap] = try_gap(t, order, gap, counter);
			running |= t->running;
			stopped |= !t->running;
			masked |= t->masked;
			next_as_expected &= t->next_as_expected;
			empty += t->empty;
		}
	memcpy(t->outcome, outcome, sizeof outcome);
	require(running != stopped);
	t->running = running;
	t->masked = masked;
	t->next_as_expected = next_as_expected;
	t->empty = empty;
}

static void swapped_steps(void)
{
	for (unsigned i = 0; i < ORDERS; i++) {
		enum step order[STEPS];

		memcpy(order, orders[i].order, sizeof order);
		everywhere(try_order, order);
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			const struct thread *t = &threads[cpu];

			for (unsigned c = 0; c < COUNTERS; c++)
				if (strcmp(t->outcome[c], orders[i].outcome[c])) {
					printf("WRONG: %s, counter %u, CPU %u: %s, not %s\n",
					       orders[i].name, c, cpu,
					       t->outcome[c], orders[i].outcome[c]);
					wrong++;
				}
			expect("counters run", cpu, !orders[i].stops, t->running);
			expect("LVT masked", cpu, false, t->masked);
			expect("interrupts without an overflow", cpu, 0, t->empty);
			expect("the next one interrupts if the line is down", cpu, true,
			       t->next_as_expected);
		}
		printf("%s: counter 0 %s, counter 1 %s%s\n", orders[i].name, threads[0].outcome[0],
		       threads[0].outcome[1], threads[0].running ? "" : ", left stopped");
	}
}

//
// The runtime's handler
//

static struct measured {
	struct pmu_session session;
	struct pmu_statistics statistics;
	uint64_t count[COUNTERS], samples;
} measured[CPUS], first[CPUS];

static void open(struct measured *m, const char *events, uint64_t period0, uint64_t period1)
{
	struct event_request requests[COUNTERS];
	struct pmu_refusal refusal;

	require(pmu_begin(pmu_drivers[0], false) == PMU_OK);
	for (unsigned i = 0; i < COUNTERS; i++) {
		const char *text = events;

		require(event_parse(pmu_current_driver()->events, &text, &requests[i]) == EVENT_OK);
	}
	requests[0].period = period0;
	requests[1].period = period1;
	require(pmu_open(&m->session, requests, COUNTERS, &refusal) == PMU_OK);
}

static void close(struct measured *m)
{
	struct pmu_sample sample;

	require(pmu_stop(&m->session) == PMU_OK);
	for (unsigned i = 0; i < COUNTERS; i++)
		require(pmu_read(&m->session, i, &m->count[i]) == PMU_OK);
	for (m->samples = 0; pmu_take_sample(&sample); m->samples++)
		;
	pmu_statistics(&m->statistics);
	require(pmu_close(&m->session) == PMU_OK);
	status_left[hal_cpu()] = get(STATUS);
	left_masked[hal_cpu()] = is_masked();
}

// In each scenario: two overflows, each with its sample, and equal counts.
static void check_two(unsigned cpu)
{
	const struct measured *m = &measured[cpu];

	expect("overflows", cpu, 2, m->statistics.overflows);
	expect("samples", cpu, 2, m->samples);
	expect("both counters count the same", cpu, m->count[0], m->count[1]);
	expect("spurious interrupts", cpu, 0, m->statistics.spurious);
	expect("unclaimed", cpu, 0, m->statistics.unclaimed);
	expect("throttled", cpu, 0, m->statistics.throttles);
	expect("faults", cpu, 0, m->statistics.faults);
	expect("status at the end", cpu, 0, status_left[cpu]);
	expect("LVT masked at the end", cpu, false, left_masked[cpu]);
}

#define EVENT		"INSTRUCTIONS_EXECUTED"
#define PERIOD		5000
#define BETWEEN		8000	/* instructions: more than a period, less than two */

// Counter 1 overflows this number of instructions after counter 0.
static uint64_t distance;

static void overflow_twice(void *unused)
{
	struct measured *m = &measured[hal_cpu()];

	(void)unused;
	open(m, EVENT, PERIOD, PERIOD + distance);
	require(pmu_start(&m->session) == PMU_OK);
	hal_execute(BETWEEN);
	close(m);
}

// The counters also count the handler up to its stop (`before` instructions) and from its start on
// (`after`). If counter 1 overflows before the stop, one interrupt serves both. If it overflows in
// the next `after` instructions, a second interrupt is pending at the handler's return. Later it
// overflows after the return. Each interrupt adds its counted instructions to the count.
static void check_distance(unsigned cpu, uint64_t before, uint64_t after, uint64_t count)
{
	const struct measured *m = &measured[cpu];
	const bool one = distance <= before, pending = !one && distance <= before + after;

	check_two(cpu);
	expect("interrupts", cpu, one ? 1 : 2, m->statistics.interrupts);
	expect("least counted after an overflow", cpu, one ? before - distance : before,
	       m->statistics.skid_least);
	expect("most counted after an overflow", cpu,
	       pending ? before + after - (distance - before) : before, m->statistics.skid_most);
	expect("count", cpu, one ? count : count + before + after, m->count[0]);
}

#define BEHIND	20	/* distances after the handler's return */

static void each_distance(void)
{
	uint64_t before, after;

	distance = 0;
	everywhere(overflow_twice, NULL);
	memcpy(first, measured, sizeof first);
	before = first[0].statistics.skid_most;
	distance = before + 1;
	everywhere(overflow_twice, NULL);
	after = measured[0].statistics.skid_most - before + 1;
	printf("the handler executes %" PRIu64 " instructions up to its stop, %" PRIu64
	       " from its start on\n", before, after);
	expect("some instructions are before the stop, and some after the start", 0, true,
	       before > 1 && after > 1);
	expect("and not many", 0, true, before + after < PERIOD / 4);
	if (before + after >= PERIOD / 4)
		return;
	for (distance = 0; distance <= before + after + BEHIND; distance++) {
		everywhere(overflow_twice, NULL);
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			check_distance(cpu, before, after, first[cpu].count[0]);
	}
	printf("%" PRIu64 " distances of two overflows\n", distance);
}

// With interrupts off, both counters overflow, one soon after the other, before the handler begins.
static void overflow_before_handler(void *unused)
{
	struct measured *m = &measured[hal_cpu()];
	bool interrupts;

	(void)unused;
	open(m, EVENT, PERIOD, PERIOD + distance);
	require(pmu_start(&m->session) == PMU_OK);
	interrupts = hal_interrupts_disable();
	hal_execute(BETWEEN);
	hal_interrupts_restore(interrupts);
	close(m);
}

static void soon_after_the_other(void)
{
	static const uint64_t distances[] = {0, 1, 7, 2000};

	for (unsigned i = 0; i < sizeof distances / sizeof *distances; i++) {
		distance = distances[i];
		everywhere(overflow_before_handler, NULL);
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			const struct pmu_statistics *s = &measured[cpu].statistics;

			check_two(cpu);
			expect("one soon after the other: interrupts", cpu, 1, s->interrupts);
			expect("one soon after the other: how soon", cpu, distance,
			       s->skid_most - s->skid_least);
		}
	}
}

static void start_all(void *unused)
{
	struct measured *m = &measured[hal_cpu()];

	(void)unused;
	open(m, EVENT ":u:t", BEFORE_ALL, BEFORE_ALL);
	require(pmu_start(&m->session) == PMU_OK);
}

static void stop_all(void *unused)
{
	(void)unused;
	close(&measured[hal_cpu()]);
}

// Like all_at_once. The first thread is served after the three others have entered their handlers.
static void all_at_once_in_sessions(void)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		on(cpu, start_all);
	hal_execute_user(OF_ALL);
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		on(cpu, stop_all);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		check_two(cpu);
		expect("eight at once in sessions: interrupts", cpu, 1,
		       measured[cpu].statistics.interrupts);
		expect("eight at once in sessions: count", cpu, OF_USER(OF_ALL),
		       measured[cpu].count[0]);
	}
	expect("eight at once in sessions: counted after the overflow", 0, 0,
	       measured[0].statistics.skid_most);
}

int workload(void)
{
	expect("CPUs", 0, CPUS, hal_cpus_start());
	if (!wrong) {
		everywhere(begin, NULL);
		many_overflows();
		all_at_once();
		swapped_steps();
		each_distance();
		soon_after_the_other();
		all_at_once_in_sessions();
		printf("knc-protocol: all scenarios\n");
	}
	expect("failed accesses and calls", 0, 0, failed);
	printf("knc-protocol: %d wrong\n", wrong);
	fflush(stdout);
	hal_exit(wrong != 0);
}
