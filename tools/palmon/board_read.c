// SPDX-License-Identifier: BSD-2-Clause
// Reads the lines in which an image reports on a board: board.h. The log is untrusted input.

#define _GNU_SOURCE
#include "board.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "palmon.h"

#define VERSION		1
#define LINES_MOST	100000		/* lines of one part; a greater number is an error */
#define STATUS_LINE	"palmon: status "

// The parts that the first line can list, with their descriptions.
static const struct part {
	const char *name, *list;	// member, and of a list; NULL: a single object
	const char *what;
} parts[] = {
	{"machine", NULL, "the machine's description"},
	{"processors", NULL, "its processors"},
	{"pmu", NULL, "the PMU's features"},
	{"selftest", NULL, "the self test's number of checks"},
	{"failure", "failures", "failed checks"},
	{"count", "counts", "counts"},
};

#define PARTS (sizeof parts / sizeof *parts)

static const struct part *find_part(const char *name)
{
	for (const struct part *p = parts; name && p < parts + PARTS; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

static void lose(struct board *b)
{
	b->whole = false;
}

// Reads a line after the first: an object whose only member is the part.
static bool take_part(struct board *b, const char *text)
{
	json_t *object = json_loads(text, 0, NULL), *value;
	const char *name;
	bool taken = false;

	json_object_foreach(object, name, value) {
		const struct part *const p = find_part(name);

		if (!p || !json_is_object(value))
			continue;
		taken = true;
		if (p->list)
			json_array_append(json_object_get(b->found, p->list), value);
		else
			json_object_set(b->found, name, value);
	}
	json_decref(object);
	return taken;
}

// How many of the `count` lines from `first` on are in the log.
static size_t count_lines(const struct log_run *run, size_t first, size_t count)
{
	size_t there = 0;

	for (size_t i = 0; i < run->count; i++)
		there += run->number[i] >= first && run->number[i] < first + count;
	return there;
}

// Complains about each part that the first line announces and that has lines missing.
static void complain_lost(struct board *b, const struct log_run *run, const json_t *list)
{
	size_t first = 1, index;
	const json_t *entry;

	json_array_foreach(list, index, entry) {
		const struct part *const p = find_part(json_string_value(json_array_get(entry, 0)));
		const json_t *const number = json_array_get(entry, 1);
		const json_int_t count = json_integer_value(number);
		size_t there;

		if (!p || !json_is_integer(number) || count < 0 || count > LINES_MOST) {
			complain("%s: the first line's list of parts is wrong", b->name);
			lose(b);
			return;
		}
		there = count_lines(run, first, (size_t)count);
		if (there < (size_t)count && p->list)
			complain("%s: lost: %zu of %" JSON_INTEGER_FORMAT " %s", b->name, (size_t)count - there, count,
				 p->what);
		else if (there < (size_t)count)
			complain("%s: lost: %s", b->name, p->what);
		first += (size_t)count;
	}
}

static bool read_first(struct board *b, const struct log_run *run, json_t **list)
{
	json_t *first = json_loads(run->line[0], 0, NULL);
	const json_int_t version = json_integer_value(json_object_get(first, "palmon_board"));

	*list = json_incref(json_object_get(first, "parts"));
	if (version == VERSION && json_is_array(*list) && json_is_integer(json_object_get(first, "status"))) {
		json_object_del(first, "parts");
		b->found = first;
		return true;
	}
	if (version > VERSION)
		complain("%s: it is of version %" JSON_INTEGER_FORMAT ", and this palmon reads version %d", b->name,
			 version, VERSION);
	else
		complain("%s: the first line of the result is not understood", b->name);
	json_decref(*list);
	json_decref(first);
	return false;
}

static bool read_run(struct board *b, const struct log_run *run)
{
	char missing[128];
	size_t strange = 0;
	json_t *list;

	if (!read_first(b, run, &list))
		return false;
	b->whole = !log_missing(run, missing, sizeof missing) && run->complete;
	if (*missing)
		complain("%s: lines that are lost or have been changed: %s", b->name, missing);
	if (!run->complete)
		complain("%s: the result is cut off after line %zu", b->name, run->expected - 1);
	complain_lost(b, run, list);
	json_decref(list);
	for (const struct part *p = parts; p < parts + PARTS; p++)
		if (p->list)
			json_object_set_new(b->found, p->list, json_array());
	for (size_t i = 1; i < run->count; i++)
		strange += strcmp(run->line[i], "end") && !take_part(b, run->line[i]);
	if (strange) {
		complain("%s: %zu lines of the result are not understood", b->name, strange);
		lose(b);
	}
	return true;
}

static const struct log_run *choose_run(const struct board *b, const struct log *log, uint64_t wanted,
					const char *status)
{
	if (log->runs && wanted <= log->runs)
		return &log->run[(wanted ? wanted : log->runs) - 1];
	if (log->runs)
		complain("%s: there are %zu results in it", b->name, log->runs);
	else if (log->before)
		complain("%s: the first line of the result is lost, and with it the meaning of the other %zu lines",
			 b->name, log->before);
	else if (*status)
		complain("%s: it has no result: the run ended before, with '%s'", b->name, status);
	else
		complain("%s: it has no result of a palmon image", b->name);
	return NULL;
}

// Replaces zeros by blanks, so that they end no line: Linux puts four bytes before the contents of
// a UEFI variable.
static bool take_line(struct log *log, char *line, size_t length, char *status, size_t size)
{
	const char *end;

	for (size_t i = 0; i < length; i++)
		if (!line[i])
			line[i] = ' ';
	end = strstr(line, STATUS_LINE);
	if (end)
		snprintf(status, size, "%.*s", (int)strcspn(end, "\r\n"), end);
	if (log_take(log, line, true) >= 0)
		return true;
	complain("%s", strerror(ENOMEM));
	return false;
}

static bool read_file(struct board *b, FILE *file, uint64_t wanted)
{
	struct log log = {.sign = LOG_BOARD};
	const struct log_run *run = NULL;
	char *line = NULL, status[80] = "";
	size_t room = 0;
	ssize_t length;
	bool ok = true;

	while (ok && (length = getline(&line, &room, file)) >= 0)
		ok = take_line(&log, line, (size_t)length, status, sizeof status);
	free(line);
	if (ok && ferror(file)) {
		complain("%s: %s", b->name, strerror(errno));
		ok = false;
	}
	if (ok)
		run = choose_run(b, &log, wanted, status);
	ok = run && read_run(b, run);
	log_free(&log);
	return ok;
}

bool board_read(struct board *b, const char *path, uint64_t wanted)
{
	const bool standard = !strcmp(path, "-");
	FILE *const file = standard ? stdin : fopen(path, "r");
	bool ok;

	*b = (struct board){.name = standard ? "standard input" : path};
	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	ok = read_file(b, file, wanted);
	if (!standard)
		fclose(file);
	return ok;
}

void board_free(struct board *b)
{
	json_decref(b->found);
}
