// SPDX-License-Identifier: BSD-2-Clause
// Reads an image's report on a board: board.h. The log is untrusted input.

#define _GNU_SOURCE
#include "board.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "palmon.h"

#define VERSION		1

// The parts of a report, one object each.
static const struct part {
	const char *name, *list;	// member, and of a list; NULL: a single object
} parts[] = {
	{"machine", NULL}, {"processors", NULL}, {"pmu", NULL}, {"selftest", NULL},
	{"pending", NULL}, {"left", "left"},
	{"failure", "failures"},
	{"count", "counts"},
};

#define PARTS (sizeof parts / sizeof *parts)

static const struct part *find_part(const char *name)
{
	for (const struct part *p = parts; name && p < parts + PARTS; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
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

static bool read_first(struct board *b, const char *line)
{
	json_t *const first = json_loads(line, 0, NULL);
	const json_int_t version = json_integer_value(json_object_get(first, "palmon_board"));

	if (version == VERSION && json_is_integer(json_object_get(first, "status"))) {
		b->found = first;
		return true;
	}
	if (version > VERSION)
		complain("%s: it is of version %" JSON_INTEGER_FORMAT ", and this palmon reads "
								      "version %d", b->name,
			 version, VERSION);
	else
		complain("%s: the first line of the result is not understood", b->name);
	json_decref(first);
	return false;
}

static bool read_block(struct board *b, const struct log_block *block)
{
	size_t strange = 0;

	if (!read_first(b, block->line[0]))
		return false;
	b->whole = log_is_whole(block, b->name);
	for (const struct part *p = parts; p < parts + PARTS; p++)
		if (p->list)
			json_object_set_new(b->found, p->list, json_array());
	for (size_t i = 1; i + block->complete < block->count; i++)
		strange += !take_part(b, block->line[i]);
	if (strange)
		complain("%s: %zu lines of the result are not understood", b->name, strange);
	b->whole &= !strange;
	return true;
}

bool board_read(struct board *b, const char *path, uint64_t wanted)
{
	const bool standard = !strcmp(path, "-");
	FILE *const file = standard ? stdin : fopen(path, "r");
	const struct log_block *block = NULL;
	struct log log = {0};
	bool ok;

	*b = (struct board){.name = standard ? "standard input" : path};
	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	if (log_read(&log, file, b->name))
		block = log_choose(&log, LOG_BOARD, wanted, b->name);
	ok = block && read_block(b, block);
	log_free(&log);
	if (!standard)
		fclose(file);
	return ok;
}

void board_free(struct board *b)
{
	json_decref(b->found);
}
