// SPDX-License-Identifier: BSD-2-Clause
// What a program does (program.h). A cycle is an instruction, and what that raises is in its cycle. The program has one
// core for itself, and pages of 4 KB; its linear addresses are the physical ones, too.

#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <getopt.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../hal/emu/model/memory.h"
#include "image.h"
#include "palmon.h"
#include "vpmu.h"

#define LACKEY_FD	9	// where it writes, in its own process
#define USER_LEVEL	3
#define CHANNELS	3
#define ROWS_MOST	512	// of a model

struct program {
	const struct pmu_model *model;
	bool addresses;
	struct memory *memory;
	bool wanted[ROWS_MOST];		// of the rows of what the model raises
	uint64_t line;			// that was fetched last, counted from 1
	uint64_t entry;			// where the program begins,
	bool entered;			// and whether that was executed

	// The instruction that executes, its last load, and what has happened: all of it, and by channels of memory.
	bool executes, some;
	uint64_t ip;
	struct occurrence load;
	uint32_t happened[HAPPENING_COUNT][1 + CHANNELS];

	// What is written: instructions that have raised nothing are still to come, before this cycle.
	uint64_t plain, cycle;
	bool failed;
	struct trace_writer writer;
	struct trace_batch batch;
};

//
// Events
//

// What lackey does not report: it has no locked accesses, non-temporal stores and devices.
static bool is_seen(unsigned happening)
{
	switch (happening) {
	case HAPPENING_LOADS: case HAPPENING_STORES:
		return true;
	case HAPPENING_L1D_LOCK_I ... HAPPENING_L1D_LOCK_M: case HAPPENING_L2_LOCK_I ... HAPPENING_L2_LOCK_M:
	case HAPPENING_STREAM_FULL: case HAPPENING_STREAM_PARTIAL: case HAPPENING_LOAD_DEVICE:
	case HAPPENING_STORE_DEVICE: case HAPPENING_TLB_FETCH_FLUSH:
		return false;
	default:
		return happening >= HAPPENING_INSTRUCTIONS;
	}
}

// Instructions that some loads and stores are, and that lackey does not tell from others. NULL: another happening.
static const char *unseen(unsigned happening)
{
	switch (happening) {
	case HAPPENING_PREFETCH:
		return "software prefetches";
	case HAPPENING_BARRIER:
		return "fences, CLFLUSH and CPUID";
	default:
		return NULL;
	}
}

// Marks the rows that raise this event. False: it is not known of a program; nor is one of which it is known of some
// instructions only, but for *without.
static bool want(struct program *p, const struct event_request *request, const char **without)
{
	bool known = vpmu_clock_raises(p->model, 0, 0, event_code(request), (uint8_t)request->umask);

	for (const struct model_raised *r = p->model->raised; r->happening != HAPPENING_COUNT; r++) {
		if (!vpmu_row_counts(p->model, r, event_code(request), (uint8_t)request->umask, request->extra))
			continue;
		if (unseen(r->happening))
			*without = unseen(r->happening);
		else if (!is_seen(r->happening) && r->happening < HAPPENING_INSTRUCTIONS)
			return false;
		known |= p->wanted[r - p->model->raised] = is_seen(r->happening);
	}
	return known;
}

static bool want_all(struct program *p, const struct pmu_driver *driver, const struct event_request *requests,
		     unsigned count)
{
	for (const struct model_raised *r = p->model->raised; !count && r->happening != HAPPENING_COUNT; r++)
		p->wanted[r - p->model->raised] = is_seen(r->happening);
	for (unsigned i = 0; i < count; i++) {
		const char *without = NULL;
		char name[EVENT_TEXT_SIZE];

		format_event_name(driver, &requests[i], name, sizeof name);
		if (!want(p, &requests[i], &without)) {
			complain("%s: not known of a program: its instructions, loads and stores are, caches and TLBs",
				 name);
			return false;
		}
		if (without)
			complain("%s: without %s, which are not known of a program", name, without);
	}
	return true;
}

//
// Caches and TLBs
//

static void count_happening(void *context, unsigned core, enum happening what, uint64_t address)
{
	struct program *p = context;

	(void)core;
	p->happened[what][0]++;
	p->happened[what][1 + (address >> 6) % CHANNELS]++;
	p->some = true;
}

// Page tables that nobody has made: each linear address is its own physical one. The tables of level L (1 to 4) are at
// L * 2^48, in the order of what they translate.
static bool read_table(void *context, uint64_t address, uint64_t *entry)
{
	enum { PRESENT = 1, LEVEL_SHIFT = 48, ENTRY_BYTES = 8, PAGE_SHIFT = 12 };
	const uint64_t level = address >> LEVEL_SHIFT, of = (address & ((1ULL << LEVEL_SHIFT) - 1)) / ENTRY_BYTES;

	(void)context;
	*entry = (level - 1) << LEVEL_SHIFT | of << PAGE_SHIFT | PRESENT;
	return true;
}

#define TOP_TABLE	(4ULL << 48)

static void refer(struct program *p, enum access access, uint64_t address, unsigned size)
{
	const struct reference r = {
		.access = access, .ip = p->ip, .linear = address, .physical = address, .size = size,
		.paged = true, .cr3 = TOP_TABLE,
	};
	const struct reached reached = memory_refer(p->memory, &r);

	if (access == ACCESS_LOAD)
		p->load = (struct occurrence){
			.data = 1, .address = address, .latency = reached.latency,
			.served = p->model->sources ? p->model->sources[reached.source - HAPPENING_LOAD_L1D] : 0,
		};
}

//
// The trace
//

static void flush(struct program *p)
{
	p->failed |= !trace_write(&p->writer, &p->batch);
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

// What the clock raises in so many cycles.
static void put_clock(struct program *p, uint64_t cycles, uint64_t ip)
{
	struct occurrence o;
	size_t count;

	for (const struct occurrence *c = model_clock(p->model, 0, p->model->cores ? 0 : USER_LEVEL, &count); count;
	     c++, count--) {
		o = *c;
		o.ip = ip;
		put(p, &o, cycles);
	}
}

static void put_plain(struct program *p)
{
	if (p->plain)
		put_clock(p, p->plain, 0);
	p->cycle += p->plain;
	p->plain = 0;
}

static uint32_t times(const struct program *p, const struct model_raised *r)
{
	uint32_t n = p->happened[r->happening][r->channel];

	for (unsigned i = r->happening + 1u; i <= r->up_to; i++)
		n += p->happened[i][r->channel];
	return r->each ? r->each * n : n;
}

static bool is_of_load(const struct model_raised *r)
{
	return r->happening == HAPPENING_LOADS ||
	       (r->happening >= HAPPENING_LOAD_L1D && r->happening <= HAPPENING_LOAD_TLB_MISS);
}

static void put_raised(struct program *p)
{
	for (const struct model_raised *r = p->model->raised; r->happening != HAPPENING_COUNT; r++) {
		const uint32_t n = p->wanted[r - p->model->raised] ? times(p, r) : 0;
		struct occurrence o = is_of_load(r) ? p->load : (struct occurrence){0};

		if (!n)
			continue;
		o.code = r->code;
		o.sub = r->sub;
		o.n = n;
		o.level = p->model->cores ? 0 : USER_LEVEL;
		o.ip = p->addresses ? p->ip : 0;
		o.opcode = (uint64_t)r->response << 8 | r->request;
		put(p, &o, 1);
	}
}

static bool raises(const struct program *p)
{
	for (const struct model_raised *r = p->model->raised; p->some && r->happening != HAPPENING_COUNT; r++)
		if (p->wanted[r - p->model->raised] && times(p, r))
			return true;
	return false;
}

static void end_instruction(struct program *p)
{
	if (p->executes && (p->addresses || raises(p))) {
		put_plain(p);
		put_clock(p, 1, p->addresses ? p->ip : 0);
		put_raised(p);
		p->cycle++;
	} else {
		p->plain += p->executes;
	}
	if (p->some)
		memset(p->happened, 0, sizeof p->happened);
	p->executes = p->some = false;
}

//
// The program
//

static void execute(struct program *p, uint64_t ip, unsigned size)
{
	const uint64_t first = (ip >> 6) + 1, last = ((ip + size - 1) >> 6) + 1;

	end_instruction(p);
	p->executes = true;
	p->entered |= ip == p->entry;
	p->ip = ip;
	if (first != p->line)
		refer(p, ACCESS_FETCH, ip, 1);
	if (last != first)
		refer(p, ACCESS_FETCH, (last - 1) << 6, 1);
	p->line = last;
}

// An instruction that loads or stores several times is one that does.
static void access_memory(struct program *p, char what, uint64_t address, unsigned size)
{
	if (what != 'S') {
		p->happened[HAPPENING_LOADS][0] = 1;
		refer(p, ACCESS_LOAD, address, size);
	}
	if (what != 'L') {
		p->happened[HAPPENING_STORES][0] = 1;
		refer(p, ACCESS_STORE, address, size);
	}
	p->some = true;
}

// "I  ADDRESS,SIZE", " L ADDRESS,SIZE", S, M (it loads and stores); other lines are lackey's summary.
static void take_line(struct program *p, const char *line)
{
	const char what = line[0] == 'I' ? 'I' : line[1];
	unsigned long size;
	uint64_t address;
	char *end;

	if ((line[0] != 'I' && line[0] != ' ') || !strchr("ILSM", what))
		return;
	address = strtoull(line + 2, &end, 16);
	if (*end != ',')
		return;
	size = strtoul(end + 1, &end, 10);
	if (!size || size > 4096)
		return;
	if (what == 'I')
		execute(p, address, (unsigned)size);
	else if (p->executes)
		access_memory(p, what, address, (unsigned)size);
}

static void take_lines(struct program *p, FILE *lackey)
{
	char *line = NULL;
	size_t room = 0;

	while (!p->failed && getline(&line, &room, lackey) > 0)
		take_line(p, line);
	free(line);
	end_instruction(p);
	put_plain(p);
	flush(p);
}

// Its process; *lackey: what it reports. Below 0 after a complaint.
static pid_t start(char **program, FILE **lackey)
{
	static char *const arguments[] = {
		"valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=9", "--child-silent-after-fork=yes", "--",
	};
	enum { ARGUMENTS = sizeof arguments / sizeof *arguments };
	char **all, **end = program;
	posix_spawn_file_actions_t actions;
	int ends[2], error;
	pid_t process;

	_Static_assert(LACKEY_FD == 9, "as the argument says");
	while (*end)
		end++;
	all = calloc(ARGUMENTS + (size_t)(end - program) + 1, sizeof *all);
	if (!all || pipe(ends)) {
		complain("%s", strerror(errno));
		free(all);
		return -1;
	}
	memcpy(all, arguments, sizeof arguments);
	memcpy(all + ARGUMENTS, program, (size_t)(end - program) * sizeof *all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], LACKEY_FD);
	for (unsigned i = 0; i < 2; i++)
		if (ends[i] != LACKEY_FD)
			posix_spawn_file_actions_addclose(&actions, ends[i]);
	error = posix_spawnp(&process, *all, &actions, NULL, all, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(all);
	close(ends[1]);
	*lackey = error ? NULL : fdopen(ends[0], "r");
	if (*lackey)
		return process;
	close(ends[0]);
	complain("valgrind, which executes programs: %s", strerror(error ? error : errno));
	return -1;
}

// False after a complaint.
static bool run(struct program *p, char **program)
{
	FILE *lackey;
	const pid_t process = start(program, &lackey);
	int status = 0;

	if (process < 0)
		return false;
	take_lines(p, lackey);
	fclose(lackey);
	waitpid(process, &status, 0);
	if (p->failed)
		complain("its trace: %s", strerror(errno));
	else if (!p->cycle)
		complain("%s: it cannot be executed", *program);
	else if (WIFSIGNALED(status))
		complain("%s: %s; what it did before is measured", *program, strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		complain("%s: it ended with status %d", *program, WEXITSTATUS(status));
	return !p->failed && p->cycle;
}

#define ANYWHERE	0x108000	// where valgrind loads a program that can be anywhere

// False: it is no ELF file.
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
	complain("%s: its programs have instructions of %s, which valgrind does not execute here", target,
		 of->target ? of->instructions : "another processor");
	return NULL;
}

static struct trace *trace_file(struct program *p, char **program, const char *target)
{
	struct trace *trace = NULL;
	FILE *file = tmpfile();
	char path[32];

	if (!file || !trace_write_start(&p->writer, file, target)) {
		complain("its trace: %s", strerror(errno));
	} else if (run(p, program)) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
		trace = trace_write_end(&p->writer) ? trace_open(path, p->model->threads) : NULL;
		if (!trace)
			complain("its trace: %s", strerror(errno));
	}
	if (file)
		fclose(file);
	return trace;
}

struct trace *program_trace(const struct pmu_driver *driver, char **program, const struct event_request *requests,
			    unsigned count, bool addresses, struct names *names)
{
	const struct program_processor *of = find_processor(driver->name);
	static const struct processor_needs none;
	struct processor processor;
	struct trace *trace = NULL;
	struct program *p;
	uint64_t bias = 0;
	char *path;

	if (!of || !processor_load(&processor, of->processor, &none))
		return NULL;
	p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->model = pmu_model_find(driver->name);
	p->addresses = addresses;
	path = find_program(*program);
	find_entry(path, &p->entry, &bias);
	p->memory = memory_make(&processor, 1, 1, count_happening, read_table, p);
	if (p->memory && want_all(p, driver, requests, count))
		trace = trace_file(p, program, driver->name);
	if (trace && names && p->entered)
		image_names(path, bias, names);
	free(path);
	free(p->memory);
	free(p);
	return trace;
}

bool program_or_trace(int argc, char **argv, const char *command, const char *trace, char ***program)
{
	*program = optind < argc ? argv + optind : NULL;
	if (*program && strcmp(argv[optind - 1], "--"))
		complain("'%s': %s takes no arguments; a program stands behind --", argv[optind], command);
	else if (!trace && !*program)
		complain("which trace? --trace=FILE is missing, or -- PROGRAM");
	else if (trace && *program)
		complain("--trace=FILE or -- PROGRAM, not both");
	else
		return true;
	return false;
}
