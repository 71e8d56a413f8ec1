// SPDX-License-Identifier: BSD-2-Clause
// Traces the execution of a program (program.h). Each instruction is a cycle and raises its events
// in that cycle.
//
//	palmon                        valgrind with the tool of hal/emu/valgrind
//	------                        ------------------------------------------
// 	struct reporting    ----->    executes the program, and asks the models of caches and TLBs
// 	rows of a trace     <-----    struct report, per stretch of instructions with cpu events

#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <getopt.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../hal/emu/valgrind/reported.h"
#include "image.h"
#include "palmon.h"
#include "vpmu.h"

#define USER_LEVEL	3
#define ROWS_MOST	512	// rows of a model's table

struct program {
	const struct pmu_model *model;
	const struct model_raised *raised;
	bool wanted[ROWS_MOST];		// per row of the model's table
	struct reporting reporting;
	bool entered;			// the entry point was executed

	// The stretch of instructions being written: its cpu events, and its last load.
	struct report report;
	uint64_t happened[CPU_EVENT_COUNT][1 + REPORT_CHANNELS];
	struct occurrence load;

	uint64_t cycle;			// end of the trace so far
	bool failed;
	FILE *file;			// the trace
	struct trace_batch batch;	// lines to be written
	uint64_t written;		// end of the last line in the file
};

// The events of a PMU that cores share have no privilege level.
static unsigned clock_level(const struct program *p)
{
	return p->model->package ? 0 : USER_LEVEL;
}

//
// Events
//

// The tool reports no locked accesses, non-temporal stores or device accesses.
static bool is_seen(unsigned cpu_event)
{
	switch (cpu_event) {
	case CPU_EVENT_LOADS: case CPU_EVENT_STORES:
		return true;
	case CPU_EVENT_L1D_LOCK_I ... CPU_EVENT_L1D_LOCK_M:
	case CPU_EVENT_L2_LOCK_I ... CPU_EVENT_L2_LOCK_M:
	case CPU_EVENT_STREAM_FULL: case CPU_EVENT_STREAM_PARTIAL: case CPU_EVENT_LOAD_DEVICE:
	case CPU_EVENT_STORE_DEVICE: case CPU_EVENT_TLB_FETCH_FLUSH:
	case CPU_EVENT_FILL_PENDING ... CPU_EVENT_UOP_RETIRED:	// of the timed clock
		return false;
	default:
		return cpu_event >= CPU_EVENT_INSTRUCTIONS;
	}
}

// Instructions that the tool cannot distinguish from other loads and stores. NULL: another cpu
// event.
static const char *unseen(unsigned cpu_event)
{
	switch (cpu_event) {
	case CPU_EVENT_PREFETCH:
		return "software prefetches";
	case CPU_EVENT_BARRIER:
		return "fences, CLFLUSH and CPUID";
	default:
		return NULL;
	}
}

// Marks the rows that raise this event. False: programs do not show the event. *without:
// instructions that raise the event but do not show; unchanged if there are none.
static bool want(struct program *p, const struct event_request *request, const char **without)
{
	bool known = vpmu_clock_raises(p->model, 0, 0, event_code(request),
				       (uint8_t)request->umask);

	for (const struct model_raised *r = p->raised; r->cpu_event != CPU_EVENT_COUNT; r++) {
		if (!vpmu_row_counts(p->model, r, event_code(request), (uint8_t)request->umask,
				     request->extra))
			continue;
		if (unseen(r->cpu_event))
			*without = unseen(r->cpu_event);
		else if (!is_seen(r->cpu_event) && r->cpu_event < CPU_EVENT_INSTRUCTIONS)
			return false;
		known |= p->wanted[r - p->raised] = is_seen(r->cpu_event);
	}
	return known;
}

// Whether the count of a request depends only on how often its event occurs.
static bool is_sum(const struct event_request *r)
{
	return !r->cmask && !(r->modifiers & (uint16_t)~(EVENT_ANY | EVENT_USER | EVENT_OS));
}

static unsigned clock_raises(const struct program *p, const struct event_request *request)
{
	size_t count;
	const struct occurrence *c = model_clock(p->model, 0, clock_level(p), &count);
	unsigned n = 0;

	for (; c && count; c++, count--)
		if (model_counts(p->model, c, event_code(request), (uint8_t)request->umask))
			n += c->n;
	return n;
}

// Describes the end of a request's period to the tool. False: the tool cannot foresee it.
static bool foresee(struct program *p, const struct event_request *request,
		    struct report_period *period)
{
	const unsigned clock = clock_raises(p, request);
	bool by_channel = false, any = false;

	*period = (struct report_period){.period = request->period, .instructions = clock};
	for (const struct model_raised *r = p->raised; r->cpu_event != CPU_EVENT_COUNT; r++) {
		if (!is_seen(r->cpu_event) ||
		    !vpmu_row_counts(p->model, r, event_code(request), (uint8_t)request->umask,
				     request->extra))
			continue;
		by_channel |= r->channel;
		any = true;
		for (unsigned i = r->cpu_event; model_is_raised_by(r, i); i++)
			period->adds[i] = (uint8_t)(period->adds[i] + (r->each ? r->each : 1));
	}
	return request->period >= REPORT_PERIOD_LEAST && !request->jitter && is_sum(request) &&
	       !by_channel &&
	       clock + any <= 1;
}

// Whether the tool can foresee all samples. It then reports only the instructions around them one
// by one.
static bool foresee_all(struct program *p, const struct event_request *requests, unsigned count)
{
	unsigned periods = 0;

	for (unsigned i = 0; i < count; i++) {
		if (requests[i].period ? periods == REPORT_PERIODS : !is_sum(&requests[i]))
			return false;
		if (requests[i].period &&
		    !foresee(p, &requests[i], &p->reporting.period[periods++]))
			return false;
	}
	return count;
}

static void want_cpu_events(struct program *p)
{
	for (const struct model_raised *r = p->raised; r->cpu_event != CPU_EVENT_COUNT; r++)
		for (unsigned i = r->cpu_event;
		     p->wanted[r - p->raised] && model_is_raised_by(r, i); i++)
			p->reporting.wanted[i] = true;
}

static bool want_all(struct program *p, const struct pmu_driver *driver,
		     const struct event_request *requests, unsigned count)
{
	for (const struct model_raised *r = p->raised; !count && r->cpu_event != CPU_EVENT_COUNT;
	     r++)
		p->wanted[r - p->raised] = is_seen(r->cpu_event);
	for (unsigned i = 0; i < count; i++) {
		const char *without = NULL;
		char name[EVENT_TEXT_SIZE];

		format_event_name(driver, &requests[i], name, sizeof name);
		if (!want(p, &requests[i], &without)) {
			complain("%s: unknown for a program; known are instructions, loads and "
				 "stores, caches and TLBs", name);
			return false;
		}
		if (without)
			complain("%s: without %s, which are unknown for a program", name, without);
	}
	want_cpu_events(p);
	return true;
}

//
// The trace
//

static void flush(struct program *p)
{
	p->failed |= !trace_print(p->file, &p->batch, &p->written);
	p->batch.count = 0;
}

static void put(struct program *p, const struct occurrence *o, uint64_t cycles)
{
	struct trace_batch *b = &p->batch;

	if (b->count == TRACE_BATCH)
		flush(p);
	b->occurrence[b->count] = *o;
	b->start[b->count] = p->cycle;
	b->end[b->count++] = p->cycle + cycles;
}

// Writes the clock's events for so many cycles.
static void put_clock(struct program *p, uint64_t cycles, uint64_t ip)
{
	struct occurrence o;
	size_t count;

	for (const struct occurrence *c = model_clock(p->model, 0, clock_level(p), &count); count;
	     c++, count--) {
		o = *c;
		o.ip = ip;
		put(p, &o, cycles);
	}
}

// Writes instructions without cpu events, up to instruction `number`.
static void put_plain(struct program *p, uint64_t number)
{
	if (number > p->cycle)
		put_clock(p, number - p->cycle, 0);
	p->cycle = number;
}

static uint64_t times(const struct program *p, const struct model_raised *r)
{
	uint64_t n = p->happened[r->cpu_event][r->channel];

	for (unsigned i = r->cpu_event + 1u; i <= r->up_to; i++)
		n += p->happened[i][r->channel];
	return r->each ? r->each * n : n;
}

static bool is_of_load(const struct model_raised *r)
{
	return r->cpu_event == CPU_EVENT_LOADS ||
	       (r->cpu_event >= CPU_EVENT_LOAD_L1D && r->cpu_event <= CPU_EVENT_LOAD_TLB_MISS);
}

// Writes `times` events over the report's cycles. Longer reports only need the right sum: an equal
// number in each cycle, and the remainder one per cycle from the first on.
static void put_times(struct program *p, struct occurrence *o, uint64_t times)
{
	const uint64_t cycles = p->report.count;

	o->n = (uint32_t)(times / cycles);
	if (o->n)
		put(p, o, cycles);
	o->n = 1;
	if (times % cycles)
		put(p, o, times % cycles);
}

static void put_raised(struct program *p, uint64_t ip)
{
	for (const struct model_raised *r = p->raised; r->cpu_event != CPU_EVENT_COUNT; r++) {
		const uint64_t n = p->wanted[r - p->raised] ? times(p, r) : 0;
		struct occurrence o = is_of_load(r) ? p->load : (struct occurrence){0};

		if (!n)
			continue;
		o.code = r->code;
		o.sub = r->sub;
		o.level = (uint8_t)clock_level(p);
		o.ip = ip;
		o.opcode = (uint64_t)r->response << 8 | r->request;
		put_times(p, &o, n);
	}
}

static bool raises(const struct program *p)
{
	for (const struct model_raised *r = p->raised; r->cpu_event != CPU_EVENT_COUNT; r++)
		if (p->wanted[r - p->raised] && times(p, r))
			return true;
	return false;
}

static void put_report(struct program *p)
{
	const uint64_t ip = p->report.alone ? p->report.ip : 0;

	put_plain(p, p->report.first);
	if (p->report.alone || raises(p)) {
		put_clock(p, p->report.count, ip);
		put_raised(p, ip);
		p->cycle += p->report.count;
	} else {
		put_plain(p, p->report.first + p->report.count);
	}
}

//
// The program
//

static bool take_report(struct program *p, FILE *tool)
{
	struct reported r;

	memset(p->happened, 0, sizeof p->happened);
	if (fread(&p->report, sizeof p->report, 1, tool) != 1)
		return false;
	for (unsigned i = 0; i < p->report.cpu_events; i++) {
		if (fread(&r, sizeof r, 1, tool) != 1 || r.what >= CPU_EVENT_COUNT)
			return false;
		memcpy(p->happened[r.what], r.times, sizeof r.times);
	}
	p->load = (struct occurrence){
		.data = 1, .address = p->report.address, .latency = p->report.latency,
		.served = p->model->machine->sources ?
			p->model->machine->sources[p->report.source] : 0,
	};
	return true;
}

static void take_reports(struct program *p, FILE *tool)
{
	while (!p->failed && take_report(p, tool)) {
		p->entered |= p->report.entered;
		put_report(p);
	}
	flush(p);
}

static bool find_tool(char *path, size_t size)
{
	static const char *const folders[] = {"../valgrind", "../lib/palmon"};

	for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
		if (find_in_folder(folders[i], REPORT_TOOL, path, size))
			return true;
	complain("the valgrind tool that executes programs is missing (%s): install Debian's "
		 "package "
		 "valgrind, and build palmon again", REPORT_TOOL);
	return false;
}

// Starts valgrind's tool with the program. *end: our end of the socket. Returns the process; below
// 0 after a complaint.
static pid_t start(char **program, int *end)
{
	char tool[PATH_MOST];
	// Level 0: valgrind's optimizer would remove loads of unused values before the tool sees
	// them.
	char *first[] = {tool, "--tool=palmon", "-q", "--vex-iropt-level=0", "--log-file=/dev/null",
			 "--"};
	enum { FIRST = sizeof first / sizeof *first };
	char **all, **last = program;
	posix_spawn_file_actions_t actions;
	int ends[2], error;
	pid_t process;

	if (!find_tool(tool, sizeof tool))
		return -1;
	while (*last)
		last++;
	all = calloc(FIRST + (size_t)(last - program) + 1, sizeof *all);
	if (!all || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		complain("%s", strerror(errno));
		free(all);
		return -1;
	}
	memcpy(all, first, sizeof first);
	memcpy(all + FIRST, program, (size_t)(last - program) * sizeof *all);
	setenv("VALGRIND_LAUNCHER", tool, 1);	// valgrind's launcher sets it
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], REPORT_FD);
	error = posix_spawn(&process, tool, &actions, NULL, all, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(all);
	close(ends[1]);
	*end = ends[0];
	if (!error)
		return process;
	close(ends[0]);
	complain("%s: %s", tool, strerror(error));
	return -1;
}

// Runs the program to its end. False after a complaint.
static bool run(struct program *p, char **program)
{
	FILE *tool;
	int end, status = 0;
	const pid_t process = start(program, &end);

	if (process < 0)
		return false;
	tool = fdopen(end, "r");
	if (!tool) {
		complain("%s", strerror(errno));
		close(end);
		return false;
	}
	if (send(end, &p->reporting, sizeof p->reporting, MSG_NOSIGNAL) > 0)	// else: not started
		take_reports(p, tool);
	fclose(tool);
	waitpid(process, &status, 0);
	if (p->failed)
		complain("its trace: %s", strerror(errno));
	else if (!p->cycle)
		complain("%s: it cannot be executed", *program);
	else if (WIFSIGNALED(status))
		complain("%s: %s; measured up to there", *program, strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		complain("%s: it ended with status %d", *program, WEXITSTATUS(status));
	return !p->failed && p->cycle;
}

#define ANYWHERE	0x108000	// where valgrind loads position-independent programs

// False: not an ELF file.
static bool find_entry(const char *path, uint64_t *entry, uint64_t *bias)
{
	bool anywhere;

	if (!path || !image_entry(path, entry, &anywhere))
		return false;
	*bias = anywhere ? ANYWHERE : 0;
	*entry += *bias;
	return true;
}

static const struct program_processor *find_processor(const char *target)
{
	const struct program_processor *of = program_processors;

	while (of->target && strcmp(of->target, target))
		of++;
	if (of->target && !strcmp(of->instructions, "x86"))
		return of;
	complain("%s: its programs have instructions of %s, which valgrind does not execute here",
		 target, of->target ? of->instructions : "another processor");
	return NULL;
}

static struct trace *trace_file(struct program *p, char **program, const char *target)
{
	struct trace *trace = NULL;
	FILE *file = p->file = tmpfile();
	char path[32];

	if (!file || fprintf(file, "target=%s\n", target) < 0) {
		complain("its trace: %s", strerror(errno));
	} else if (run(p, program)) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
		trace = !fflush(file) ? trace_open(path, p->model->threads) : NULL;
		if (!trace)
			complain("its trace: %s", strerror(errno));
	}
	if (file)
		fclose(file);
	return trace;
}

struct trace *program_trace(const struct pmu_driver *driver, char **program,
			    const struct event_request *requests,
			    unsigned count, uint64_t stretch, struct names *names)
{
	const struct program_processor *of = find_processor(driver->name);
	static const struct processor_needs none;
	struct trace *trace = NULL;
	struct program *p;
	uint64_t bias = 0;
	char *path;

	p = of ? calloc(1, sizeof *p) : NULL;
	if (!p || !processor_load(&p->reporting.processor, of->processor, &none)) {
		free(p);
		return NULL;
	}
	p->model = pmu_model_find(driver->name);
	p->raised = p->model->machine->raised;
	p->reporting.stretch = stretch == PROGRAM_ALONE ? PROGRAM_STRETCH : stretch;
	p->reporting.alone = stretch == PROGRAM_ALONE && foresee_all(p, requests, count);
	p->reporting.all = stretch == PROGRAM_ALONE && !p->reporting.alone;
	for (unsigned i = 0; i < count && stretch != PROGRAM_ALONE; i++)
		if (!is_sum(&requests[i]) || requests[i].period)
			p->reporting.stretch = 1;
	path = find_program(*program);
	find_entry(path, &p->reporting.entry, &bias);
	if (want_all(p, driver, requests, count))
		trace = trace_file(p, program, driver->name);
	if (trace && names && p->entered)
		image_names(path, bias, names);
	free(path);
	free(p);
	return trace;
}

bool program_or_trace(int argc, char **argv, const char *command, const char *trace,
		      char ***program)
{
	*program = optind < argc ? argv + optind : NULL;
	if (*program && strcmp(argv[optind - 1], "--"))
		complain("'%s': %s takes no arguments; a program follows --", argv[optind],
			 command);
	else if (!trace && !*program)
		complain("which trace? --trace=FILE is missing, or -- PROGRAM");
	else if (trace && *program)
		complain("--trace=FILE or -- PROGRAM, not both");
	else
		return true;
	return false;
}
