// SPDX-License-Identifier: BSD-2-Clause
// palmon fetch: extracts an image's measurements from a console log and writes them to files.

#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "palmon.h"
#include "run_write.h"
#include "tap.h"

#define FOLDER_DEFAULT	"palmon.run"

struct fetch {
	struct run_place place;
	uint64_t wanted;		// run of the log, from 1; 0: the last one
	bool pass;
	const char *board;		// file for lines about the board; NULL: pass them on
	struct tap tap;
};

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

//
// Completeness
//

static uint64_t samples_of(const struct run *run)
{
	uint64_t samples = 0;

	for (unsigned i = 0; i < run->events; i++)
		samples += run->event[i].text ? run->event[i].present : 0;
	return samples;
}

// Complains about an event with lost lines. Returns whether there was a complaint.
static bool complain_event(const struct run *run, unsigned index)
{
	const struct run_event *e = &run->event[index];
	const uint64_t lost = run_lost(run, e);

	if (!e->text)
		complain("event %u: its name is lost, and with it its count and %" PRIu64 " samples", index,
			 e->present);
	for (unsigned t = 0; e->text && t < run->threads; t++)
		if (!e->of[t].known)
			complain(run->threads > 1 ? "%s: its count on thread %u is lost" : "%s: its count is lost",
				 e->text, t);
	if (e->text && lost)
		complain("%s: %" PRIu64 " of %" PRIu64 " samples are there", e->text, e->present, e->present + lost);
	return !e->text || lost || !run_sum(run, e).known;
}

// False after complaints about lost lines.
static bool is_whole(const struct fetch *f, const struct run *run)
{
	char text[128];
	const size_t missing = log_missing(run->lines, text, sizeof text);
	bool whole = !missing && run->lines->complete;

	if (missing)
		complain("%s: %zu lines of the run are lost or have been changed: %s", f->place.name, missing, text);
	if (!run->lines->complete)
		complain("%s: the run is cut off after line %zu", f->place.name, run->lines->expected - 1);
	if (run->strange)
		complain("%s: %zu lines of the run are not understood", f->place.name, run->strange);
	for (unsigned i = 0; i < run->events; i++)
		whole &= !complain_event(run, i);
	return whole && !run->strange;
}

static bool fetch_run(const struct fetch *f, const struct log_run *lines)
{
	static struct run run;
	bool ok = run_read(&run, lines) && run_write(&run, &f->place);

	if (ok) {
		printf("palmon: %" PRIu64 " samples, counts and names of functions are in %s\n", samples_of(&run),
		       f->place.folder);
		ok = is_whole(f, &run);
	}
	run_free(&run);
	return ok;
}

//
// Logs
//

static const struct log_run *choose_run(const struct fetch *f, const struct log *log)
{
	if (log->runs && f->wanted <= log->runs) {
		if (log->runs > 1 && !f->wanted)
			complain("%s: there are %zu runs in it; this is the last one (--run=N)", f->place.name,
				 log->runs);
		return &log->run[(f->wanted ? f->wanted : log->runs) - 1];
	}
	if (log->runs)
		complain("%s: there are %zu runs in it", f->place.name, log->runs);
	else if (log->before)
		complain("%s: the first line of the run is lost, and with it the meaning of the other %zu lines",
			 f->place.name, log->before);
	else
		complain("%s: it has no lines of a run (out=console, on the image's command line)",
			 f->place.name);
	return NULL;
}

static int fetch_log(const struct fetch *f, FILE *file)
{
	const struct log_run *run;
	struct log log = {.sign = LOG_RUN};
	char *line = NULL;
	size_t size = 0;
	bool ok = true;

	while (ok && getline(&line, &size, file) >= 0)
		ok = log_take(&log, line, true) >= 0 || no_memory();
	free(line);
	if (ok && ferror(file)) {
		complain("%s: %s", f->place.name, strerror(errno));
		ok = false;
	}
	run = ok ? choose_run(f, &log) : NULL;
	ok = run && fetch_run(f, run);
	log_free(&log);
	return ok ? PALMON_DONE : PALMON_FAILED;
}

// A live console. Lines outside a run are passed on at once; a line that may belong to a run is
// held until its end.
struct passing {
	const struct fetch *fetch;
	struct log log, board;
	struct tap tap;
	FILE *board_file;
	char *line;
	size_t length, room;
	bool holding, within;		// within: inside a line that is passed on
	bool ok;
};

static void pass_held(struct passing *p)
{
	fwrite(p->line, 1, p->length, stdout);
	p->length = 0;
	p->holding = false;
}

static bool is_run_sign(const struct passing *p, char c)
{
	return c == LOG_RUN && p->fetch->place.folder;
}

static bool is_board_sign(const struct passing *p, char c)
{
	return c == LOG_BOARD && p->board_file;
}

// Offers the line to the log of a run or of the board. Returns log_take's result.
static int take_for_log(struct passing *p, struct log *log)
{
	const int taken = log_take(log, p->line, false);

	if (taken < 0)
		p->ok = no_memory();
	return taken;
}

static bool take_line(struct passing *p)
{
	if (is_board_sign(p, *p->line)) {
		const bool taken = take_for_log(p, &p->board) > 0;

		if (taken)
			fwrite(p->line, 1, p->length, p->board_file);
		return taken;
	}
	if (is_run_sign(p, *p->line)) {
		const bool taken = take_for_log(p, &p->log) > 0;

		if (taken && p->log.runs && p->log.run[p->log.runs - 1].complete)
			p->ok &= fetch_run(p->fetch, &p->log.run[p->log.runs - 1]);
		return taken;
	}
	return tap_take(&p->tap, p->line);
}

static void end_line(struct passing *p)
{
	p->line[p->length] = '\0';
	if (take_line(p)) {
		p->length = 0;
		p->holding = false;
	} else {
		pass_held(p);
	}
}

static void pass_character(struct passing *p, char c)
{
	if (!p->within && (is_run_sign(p, c) || is_board_sign(p, c) || tap_awaits(&p->tap, c)))
		p->holding = true;
	p->within = c != '\n';
	if (!p->holding) {
		putchar(c);
		return;
	}
	if (p->length + 2 > p->room) {
		char *more = realloc(p->line, 2 * p->room + 256);

		if (!more) {
			p->ok = no_memory();
			pass_held(p);
			return;
		}
		p->line = more;
		p->room = 2 * p->room + 256;
	}
	p->line[p->length++] = c;
	if (c == '\n')
		end_line(p);
	else if (p->length == 2 && (c < '0' || c > '9') && (*p->line == LOG_RUN || *p->line == LOG_BOARD))
		pass_held(p);
}

static int pass_log(const struct fetch *f, int file)
{
	struct passing p = {.fetch = f, .log.sign = LOG_RUN, .board.sign = LOG_BOARD, .tap = f->tap, .ok = true};
	char bytes[4096];
	ssize_t got;

	if (f->place.folder)
		p.ok = run_prepare(&f->place);
	if (f->board && !(p.board_file = fopen(f->board, "w"))) {
		complain("%s: %s", f->board, strerror(errno));
		p.ok = false;
	}
	p.ok &= tap_begin(&p.tap);
	while ((got = read(file, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)) {
		for (ssize_t i = 0; i < got; i++)
			pass_character(&p, bytes[i]);
		fflush(stdout);
	}
	pass_held(&p);
	p.ok &= tap_end(&p.tap);
	if (p.log.runs && !p.log.run[p.log.runs - 1].complete)
		p.ok &= fetch_run(f, &p.log.run[p.log.runs - 1]);
	if (p.board_file && (fclose(p.board_file) || (!p.board.runs && unlink(f->board)))) {
		complain("%s: %s", f->board, strerror(errno));
		p.ok = false;
	}
	log_free(&p.log);
	log_free(&p.board);
	free(p.line);
	return p.ok ? PALMON_DONE : PALMON_FAILED;
}

static int fetch(struct fetch *f, const char *path)
{
	const bool standard = !strcmp(path, "-");
	FILE *file;
	int status;

	f->place.name = f->place.elf ? f->place.elf : standard ? "standard input" : path;
	file = standard ? stdin : fopen(path, "r");
	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return PALMON_FAILED;
	}
	status = f->pass ? pass_log(f, fileno(file)) : fetch_log(f, file);
	if (!standard)
		fclose(file);
	return status;
}

// Rejects options that require --pass. False after a complaint.
static bool suits_pass(const struct fetch *f)
{
	if (f->board)
		complain("--board is for --pass; palmon board reads a log itself");
	else if (f->tap.summarizes || f->tap.path)
		complain("%s is for --pass", f->tap.summarizes ? "--summary" : "--tap");
	return !f->board && !f->tap.summarizes && !f->tap.path;
}

int command_fetch(int argc, char **argv)
{
	static const struct option known[] = {
		{"output", required_argument, NULL, 'o'}, {"elf", required_argument, NULL, 'E'},
		{"run", required_argument, NULL, 'r'}, {"pass", no_argument, NULL, 'p'},
		{"board", required_argument, NULL, 'b'}, {"summary", no_argument, NULL, 's'},
		{"tap", required_argument, NULL, 't'}, {0},
	};
	struct fetch f = {.wanted = 0};

	for (int option; (option = getopt_long(argc, argv, "o:", known, NULL)) != -1;) {
		bool taken = option == 'p' || option == 's';

		f.pass |= option == 'p';
		f.tap.summarizes |= option == 's';
		if (option == 'o')
			taken = take_once(&f.place.folder, optarg, "-o");
		else if (option == 'E')
			taken = take_once(&f.place.elf, optarg, "--elf");
		else if (option == 'b')
			taken = take_once(&f.board, optarg, "--board");
		else if (option == 't')
			taken = take_once(&f.tap.path, optarg, "--tap");
		else if (option == 'r' && !(taken = read_number(optarg, '\0', &f.wanted) && f.wanted))
			complain("'%s' is not the number of a run, from 1", optarg);
		if (!taken)
			return usage_error();
	}
	if (argc - optind != 1) {
		complain(optind == argc ? "which log? One FILE, or - for standard input" : "'%s': one FILE is enough",
			 argv[optind + 1 - (optind == argc)]);
		return usage_error();
	}
	if (!f.pass && !suits_pass(&f))
		return usage_error();
	if (!f.place.folder && !f.board && !f.tap.path && !f.tap.summarizes)
		f.place.folder = FOLDER_DEFAULT;
	return fetch(&f, argv[optind]);
}
