// SPDX-License-Identifier: BSD-2-Clause
// Runs the workload and measures it, on one thread or on several at the same time.

#include <stdio.h>
#include <string.h>

#include "boot.h"
#include "cpus.h"
#include "hal.h"
#include "live.h"
#include "memory.h"
#include "pmu_driver.h"
#include "result.h"
#include "symbols.h"

#define RECORDS_BYTES	(64 * 1024)
#define RECORDS_ALIGNED	4096

static struct session_plan plan;
static struct session_results results;
static unsigned present_run;
static uint32_t present_ticks;		// between samples by time; 0: this run has none

//
// Threads: thread n runs on CPU n
//

// Calls a function on each thread, one after the other.
static void on_each(void (*function)(void *thread))
{
	function(&results.thread[0]);
	for (unsigned i = 1; i < plan.threads; i++) {
		hal_cpu_call(i, function, &results.thread[i]);
		hal_cpus_wait(1u << i, UINT64_MAX);
	}
}

static unsigned number_of(const struct session_thread *t)
{
	return (unsigned)(t - results.thread);
}

// A session of the package belongs to the first thread.
static bool has_session(const struct session_thread *t, unsigned unit)
{
	return results.part[unit].count && (!session_is_shared(&plan, unit) || !number_of(t));
}

// Gives the thread a buffer for the records of precise events, if there are any.
static const char *give_buffer(unsigned thread)
{
	_Alignas(RECORDS_ALIGNED) static uint8_t records[HAL_CPUS][RECORDS_BYTES];

	if (!session_asks_for(&plan, EVENT_PRECISE))
		return NULL;
	return pmu_give_buffer((uintptr_t)records[thread], RECORDS_BYTES);
}

// Begins the thread's own PMU, then the PMUs that the cores share: each thread participates in
// their overflows.
static void begin(struct session_thread *t)
{
	struct pmu_scope_status unused;

	for (unsigned unit = 0; unit < plan.units && !t->error; unit++)
		if (!unit || results.part[unit].count) {
			t->refused = unit;
			t->error = pmu_begin(plan.unit[unit], plan.non_maskable);
		}
	if (plan.scoped && !t->error)
		t->error = pmu_choose_scope(plan.scope, plan.reach, &unused);
	if (plan.unit[0]->threads > plan.threads)
		pmu_share_clock(plan.threads);
	t->no_buffer = give_buffer(number_of(t));
	if (plan.calls || plan.interval)
		pmu_follow_calls(session_take, symbol_start, plan.calls);
	else
		pmu_drain(session_take);
}

static void open_session(struct session_thread *t, unsigned unit, struct pmu_session *session)
{
	t->refused = unit;
	pmu_select(plan.unit[unit]);
	t->error = pmu_open(session, results.part[unit].request, results.part[unit].count,
			    &t->refusal);
}

static void open_thread(void *thread)
{
	struct session_thread *t = thread;

	t->error = PMU_OK;
	t->missed = 0;
	begin(t);
	for (unsigned unit = 0; unit < plan.units && !t->error && !t->no_buffer; unit++)
		if (has_session(t, unit))
			open_session(t, unit, &t->session[unit]);
}

//
// Multiplexing: one session of each group
//

static struct pmu_multiplex turns[HAL_CPUS];
static unsigned present_group;

static bool prepare_turns(void)
{
	bool ok = true;

	if (!plan.groups)
		return true;
	results.group = memory_take(plan.groups * sizeof *results.group);
	for (unsigned i = 0; i < plan.threads; i++) {
		results.thread[i].turn = memory_take(plan.groups * sizeof(struct pmu_session));
		turns[i].group = memory_take(plan.groups * sizeof(struct pmu_group));
		turns[i].count = plan.groups;
		ok &= results.thread[i].turn && turns[i].group;
	}
	return (ok && results.group) || boot_refuse("there is no memory for groups");
}

static void open_group(void *thread)
{
	struct session_thread *t = thread;

	open_session(t, 0, &t->turn[present_group]);
	if (!t->error)
		t->error = pmu_group_make(&turns[number_of(t)].group[present_group]);
}

// The cores' own sessions start last and stop first, so that they do not count the start and stop
// of the others.
static void start(struct session_thread *t)
{
	for (unsigned unit = plan.units; unit-- && !t->error;)
		if (has_session(t, unit))
			t->error = pmu_start(&t->session[unit]);
	if (present_ticks && !t->error)
		t->error = pmu_sample_by_time(present_ticks);
	if (plan.groups && !t->error)
		t->error = pmu_multiplex_start(&turns[number_of(t)], plan.slice);
}

static void stop(struct session_thread *t)
{
	if (present_ticks)
		pmu_sample_by_time(0);
	if (plan.groups && !t->error)
		t->error = pmu_multiplex_stop(&turns[number_of(t)]);
	for (unsigned unit = 0; unit < plan.units && !t->error; unit++)
		if (has_session(t, unit))
			t->error = pmu_stop(&t->session[unit]);
}

static struct {
	unsigned waiting;
	bool go;
} start_line;

// The first thread starts before all others and stops after them, so that its counts of any thread
// include all of their execution. It releases them at the same time. If one CPU executes all
// threads in turn, each begins with a whole time slice.
static void run_thread(void *thread)
{
	struct session_thread *t = thread;
	const unsigned others = plan.threads - 1;
	const bool first = t == results.thread;
	int status;

	if (!first) {
		__atomic_fetch_add(&start_line.waiting, 1, __ATOMIC_SEQ_CST);
		while (!__atomic_load_n(&start_line.go, __ATOMIC_SEQ_CST))
			hal_relax();
	}
	if (first && plan.interval)
		live_begin(&results, present_run);
	t->started[present_run] = hal_clock();
	start(t);
	if (first && others) {
		while (__atomic_load_n(&start_line.waiting, __ATOMIC_SEQ_CST) < others)
			hal_relax();
		__atomic_store_n(&start_line.go, true, __ATOMIC_SEQ_CST);
		hal_relax();
	}
	status = plan.call(workload);
	if (first && others)
		hal_cpus_wait((2u << others) - 2, UINT64_MAX);
	stop(t);
	if (first && plan.interval && !t->error)
		live_end(&results);
	t->clocks[present_run] = hal_clock() - t->started[present_run];
	t->status = t->status ? t->status : status;
}

//
// Results
//

static void read_session(struct session_thread *t, struct pmu_session *session,
			 const uint8_t *event)
{
	for (unsigned i = 0; i < session->count; i++) {
		struct session_result *r = &t->result[event[i]];

		t->fault |= pmu_read(session, i, &r->count) != PMU_OK;
		r->counter = session->counter[i];
	}
}

static void collect_unit(struct session_thread *t, unsigned unit)
{
	pmu_select(plan.unit[unit]);
	read_session(t, &t->session[unit], results.part[unit].event);
	t->fault |= pmu_close(&t->session[unit]) != PMU_OK;
	pmu_statistics(&t->statistics[unit]);
}

static void collect_groups(struct session_thread *t)
{
	const struct pmu_multiplex *m = &turns[number_of(t)];

	for (unsigned group = 0; group < plan.groups; group++) {
		const uint8_t *event = results.group[group].event;

		read_session(t, &t->turn[group], event);
		for (unsigned i = 0; i < t->turn[group].count; i++)
			t->result[event[i]].clocks = m->group[group].clocks;
		t->missed += m->group[group].missed;
		t->fault |= pmu_group_close(&m->group[group]) != PMU_OK;
	}
	t->clocks_of_groups = pmu_multiplex_clocks(m);
	pmu_select(plan.unit[0]);
	pmu_statistics(&t->statistics[0]);
}

// Closes the sessions first, so that printing is not recorded. The thread stops participating in
// shared PMUs. The workload's output must leave the C library's buffers, because memory_restore
// overwrites them.
static void collect_thread(void *thread)
{
	static uint64_t words[PMU_PAYLOAD_WORDS];
	struct session_thread *t = thread;
	struct pmu_sample sample;
	unsigned unused;

	for (unsigned unit = plan.units; unit--;)
		if (has_session(t, unit))
			collect_unit(t, unit);
	if (plan.groups)
		collect_groups(t);
	hal_topology(number_of(t), &t->core, &unused);
	while (pmu_take_sample_with_payload(&sample, words))
		session_take(&sample, words);
	t->fault |= pmu_begin(plan.unit[0], plan.non_maskable) != PMU_OK;
	fflush(stdout);
}

// False: a thread failed; the reason was printed after `before`.
static bool all_could(const char *before)
{
	char why[512];

	for (unsigned i = 0; i < plan.threads; i++) {
		const struct session_thread *t = &results.thread[i];

		if (t->no_buffer)
			boot_refuse("no buffer for the records of precise events: %s",
				    t->no_buffer);
		if (t->error) {
			pmu_explain(plan.unit[t->refused], t->error, &t->refusal,
				    results.part[t->refused].request, why, sizeof why);
			boot_refuse("%s%s", before, why);
		}
		if (t->no_buffer || t->error)
			return false;
	}
	return true;
}

//
// Runs
//

static void clear_parts(unsigned run, uint32_t ticks)
{
	present_run = run;
	present_ticks = ticks;
	memset(results.part, 0, sizeof results.part);
}

static void choose(unsigned event, uint64_t period)
{
	const struct session_event *e = &plan.event[event];
	struct session_part *part = &results.part[e->unit];

	part->request[part->count] = e->request;
	part->request[part->count].period = period;
	part->event[part->count++] = (uint8_t)event;
}

// Chooses the events of a run that are in a group; plan.groups: in none.
static void choose_group(unsigned run, unsigned group)
{
	clear_parts(run, plan.ticks);
	present_group = group;
	for (unsigned i = 0; i < plan.count; i++)
		if (plan.event[i].run == run && plan.event[i].group == group)
			choose(i, plan.event[i].request.period);
}

// Chooses the events whose any-thread count is compared with each thread's count. Returns their
// number. `samples`: whether any event of their run takes samples.
static unsigned choose_compared(bool *samples)
{
	unsigned count = 0;

	clear_parts(0, 0);
	*samples = plan.ticks;
	for (unsigned i = 0; i < plan.asked; i++) {
		*samples |= plan.event[i].request.period != 0;
		if (!session_compares(&results, i))
			continue;
		choose(i, 0);
		count++;
	}
	return count;
}

static void run_threads(void)
{
	memset(&start_line, 0, sizeof start_line);
	for (unsigned i = 1; i < plan.threads; i++)
		hal_cpu_call(i, run_thread, &results.thread[i]);
	run_thread(&results.thread[0]);
}

static void flush_thread(void *thread)
{
	(void)thread;
	memory_flush();
}

// Opens the groups one after the other, each on counters that the others have left. Then chooses
// the events that take no turns, again.
static bool open_groups(void)
{
	for (unsigned group = 0; group < plan.groups; group++) {
		choose_group(0, group);
		memcpy(results.group[group].event, results.part[0].event,
		       sizeof results.group[group].event);
		on_each(open_group);
		if (!all_could("events=: "))
			return false;
	}
	if (plan.groups)
		choose_group(0, plan.groups);
	return true;
}

// The workload finds the same memory in each run, and caches and TLBs without any of it. Counts of
// different runs are then comparable, and metrics can combine them.
static bool measure_chosen(void)
{
	on_each(open_thread);
	if (!all_could("events=: ") || !open_groups())
		return false;
	fflush(stdout);
	memory_restore();
	on_each(flush_thread);
	run_threads();
	if (!all_could(""))
		return false;
	on_each(collect_thread);
	return true;
}

static bool measure(unsigned run)
{
	choose_group(run, plan.groups);
	return measure_chosen();
}

static void add_statistics(struct pmu_statistics *sum, const struct pmu_statistics *s)
{
	sum->interrupts += s->interrupts;
	sum->spurious += s->spurious;
	sum->overflows += s->overflows;
	sum->throttles += s->throttles;
	sum->dropped += s->dropped;
	sum->faults += s->faults;
	sum->polled += s->polled;
	sum->ambiguous += s->ambiguous;
	sum->doubtful += s->doubtful;
	sum->clocks_least = s->clocks_least < sum->clocks_least ? s->clocks_least :
		sum->clocks_least;
	sum->clocks_most = s->clocks_most > sum->clocks_most ? s->clocks_most : sum->clocks_most;
	sum->storm_clocks += s->storm_clocks;
	sum->storm_handler_clocks += s->storm_handler_clocks;
	sum->skid_least = s->skid_least < sum->skid_least ? s->skid_least : sum->skid_least;
	sum->skid_most = s->skid_most > sum->skid_most ? s->skid_most : sum->skid_most;
}

// Adds up the statistics of the current run.
static void add_all_statistics(void)
{
	for (unsigned t = 0; t < plan.threads; t++)
		for (unsigned unit = 0; unit < plan.units; unit++)
			if (has_session(&results.thread[t], unit) || (plan.groups && !unit))
				add_statistics(&results.thread[t].sum[unit],
					       &results.thread[t].statistics[unit]);
}

static void clear_statistics(void)
{
	const struct pmu_statistics none = {.clocks_least = UINT64_MAX, .skid_least = UINT64_MAX};

	for (unsigned t = 0; t < plan.threads; t++)
		for (unsigned unit = 0; unit < plan.units; unit++)
			results.thread[t].sum[unit] = none;
}

static bool measure_all(void)
{
	clear_statistics();
	for (unsigned run = 0; run < plan.runs; run++) {
		if (!measure(run))
			return false;
		add_all_statistics();
	}
	return true;
}

// Samples that come too fast

#define THINNER		64	/* factor by which a period is lengthened */
#define ALIKE		4	/* periods that differ by a smaller factor are lengthened
				 * together */
#define TRIES		3

static bool was_throttled(unsigned event)
{
	for (unsigned t = 0; t < plan.threads; t++)
		if (results.thread[t].result[event].counter.throttled)
			return true;
	return false;
}

// Returns the shortest period of a run's throttled events; 0: none was throttled.
static uint64_t shortest_throttled(unsigned run)
{
	uint64_t shortest = 0;

	for (unsigned i = 0; i < plan.count; i++) {
		const struct session_event *e = &plan.event[i];

		if (e->run == run && was_throttled(i) &&
		    (!shortest || e->request.period < shortest))
			shortest = e->request.period;
	}
	return shortest;
}

static void lengthen_periods(unsigned run, uint64_t shortest)
{
	for (unsigned i = 0; i < plan.count; i++) {
		struct session_event *e = &plan.event[i];

		if (e->run != run || !was_throttled(i) || e->request.period / ALIKE >= shortest)
			continue;
		e->request.period *= THINNER;
		printf("\n%s: one in %s leaves no time between interrupts; repeated with one in "
		       "%s\n", e->text,
		       session_grouped(e->asked), session_grouped(e->request.period));
	}
}

// A throttled counter has samples of the workload's beginning only. Another run with a longer
// period takes fewer samples, evenly over the whole workload.
static bool thin_out(void)
{
	for (unsigned run = 0; run < plan.runs; run++)
		for (unsigned tries = 0; tries < TRIES; tries++) {
			const uint64_t shortest = shortest_throttled(run);

			if (!shortest || shortest > UINT32_MAX)
				break;
			lengthen_periods(run, shortest);
			session_forget_samples(&results, run);
			if (!measure(run))
				return false;
			session_print_sums(&results, run);
		}
	return true;
}

static bool workload_succeeded(void)
{
	bool ok = true;

	for (unsigned i = 0; i < plan.threads; i++) {
		const struct session_thread *t = &results.thread[i];

		if (t->fault)
			boot_refuse("a register access faulted");
		if (t->status && plan.threads == 1)
			boot_refuse("the workload returned %d", t->status);
		else if (t->status)
			boot_refuse("on thread %u the workload returned %d", i, t->status);
		ok &= !t->status && !t->fault;
	}
	return ok;
}

// A thread's counters stand still while it serves an overflow, but the other threads continue.
// After a run with samples, the compared events are therefore counted again, alone and without
// samples. Other events may need samples: precise events, branch records.
static bool compare_threads(void)
{
	bool samples;

	if (plan.groups || !choose_compared(&samples))
		return true;
	if (samples)
		printf("\nonce more, without samples:\n");
	return (!samples || measure_chosen()) && workload_succeeded() &&
	       session_print_any_thread(&results);
}

// Text printed before the first run must leave the C library's buffers, which are saved with the
// rest.
static void save_memory(void)
{
	fflush(stdout);
	plan.restores = memory_save();
	if (!plan.restores && plan.runs > 1)
		printf("palmon: there is no memory to save the workload's data: each run finds the "
		       "data of the "
		       "run before\n");
}

static bool divide_pages(void)
{
	const char *problem = hal_use_small_pages();

	return !problem || boot_refuse("pages=4k: %s", problem);
}

const struct session_results *session_run(const struct boot_options *options)
{
	results.plan = &plan;
	if (options->small_pages && !divide_pages())
		return NULL;
	if (!session_read_plan(&plan, options) || !prepare_turns() ||
	    !session_prepare_samples(&results))
		return NULL;
	session_take_for(&results);
	save_memory();
	if (!measure_all())
		return NULL;
	session_print_counts(&results);
	if (!thin_out())
		return NULL;
	session_order_samples(&results);
	session_print_samples(&results);
	printf("\n");
	if (plan.output)
		session_print_output(&results);
	return workload_succeeded() && compare_threads() ? &results : NULL;
}
