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
	uint64_t wanted;		// result of the log, from 1; 0: the last one
	bool pass;
	const char *board;		// file for the report on the board; NULL: pass it on
	struct tap tap;
};

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

static bool fetch_block(const struct fetch *f, const struct log_block *block)
{
	uint64_t samples;

	if (!run_prepare(&f->place) || !log_is_whole(block, f->place.name) ||
	    !run_write(block, &f->place, &samples))
		return false;
	printf("palmon: %" PRIu64 " samples, counts and names of functions are in %s\n", samples,
	       f->place.folder);
	return true;
}

static int fetch_log(const struct fetch *f, FILE *file)
{
	const char *const name = f->place.name;
	const struct log_block *block = NULL;
	struct log log = {0};
	bool ok = log_read(&log, file, name);

	if (ok)
		block = log_choose(&log, LOG_RUN, f->wanted, name);
	if (block && !f->wanted && log_count(&log, LOG_RUN) > 1)
		complain("%s: there are %zu results in it; this is the last one (--run=N)", name,
			 log_count(&log, LOG_RUN));
	ok = block && fetch_block(f, block);
	log_free(&log);
	return ok ? PALMON_DONE : PALMON_FAILED;
}

// A live console. Lines outside a block are passed on at once; a line that may belong to a block is
// held until its end.
struct passing {
	const struct fetch *fetch;
	struct log log;
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

static bool is_sign(const struct passing *p, char c)
{
	return c == '@' && (p->fetch->place.folder || p->board_file);
}

// Takes a line of a block if its kind was requested.
static bool take_for_log(struct passing *p)
{
	const int taken = log_take(&p->log, p->line, false);
	const struct log_block *block;

	if (taken < 0)
		p->ok = no_memory();
	if (taken <= 0)
		return false;
	block = &p->log.block[p->log.blocks - 1];
	if (log_is(block, LOG_BOARD) && p->board_file)
		return fwrite(p->line, 1, p->length, p->board_file) == p->length;
	if (!log_is(block, LOG_RUN) || !p->fetch->place.folder)
		return false;
	if (block->complete)
		p->ok &= fetch_block(p->fetch, block);
	return true;
}

static bool take_line(struct passing *p)
{
	return is_sign(p, *p->line) ? take_for_log(p) : tap_take(&p->tap, p->line);
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
	if (!p->within && (is_sign(p, c) || tap_awaits(&p->tap, c)))
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
	else if (p->length == 2 && *p->line == '@' && c != '{')
		pass_held(p);
}

static int pass_log(const struct fetch *f, int file)
{
	struct passing p = {.fetch = f, .tap = f->tap, .ok = true};
	const struct log_block *last;
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
	last = p.log.blocks ? &p.log.block[p.log.blocks - 1] : NULL;
	if (f->place.folder && last && log_is(last, LOG_RUN) && !last->complete)
		p.ok &= fetch_block(f, last);
	if (p.board_file &&
	    (fclose(p.board_file) || (!log_count(&p.log, LOG_BOARD) && unlink(f->board)))) {
		complain("%s: %s", f->board, strerror(errno));
		p.ok = false;
	}
	log_free(&p.log);
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
		else if (option == 'r' && !(taken = read_number(optarg, '\0', &f.wanted) &&
					    f.wanted))
			complain("'%s' is not the number of a run, from 1", optarg);
		if (!taken)
			return usage_error();
	}
	if (argc - optind != 1) {
		complain(optind == argc ? "which log? One FILE, or - for standard input" :
			 "'%s': one FILE is enough", argv[optind + 1 - (optind == argc)]);
		return usage_error();
	}
	if (!f.pass && !suits_pass(&f))
		return usage_error();
	if (!f.place.folder && !f.board && !f.tap.path && !f.tap.summarizes)
		f.place.folder = FOLDER_DEFAULT;
	return fetch(&f, argv[optind]);
}
