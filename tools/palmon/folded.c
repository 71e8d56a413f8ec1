// SPDX-License-Identifier: BSD-2-Clause
// palmon convert --folded: a line per call path with its number of samples,
// "outermost;...;innermost COUNT", the input of Brendan Gregg's flamegraph.pl and similar tools.

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes_out.h"
#include "convert.h"
#include "palmon.h"

struct path {
	uint64_t samples;
	char text[];			// "target;event;outermost;...;innermost"
};

// Adds a name, with the separators of frames and counts replaced.
static void add_name(struct bytes_out *out, const char *name)
{
	for (; *name; name++)
		bytes_add(out, *name == ';' ? ":" : *name == ' ' ? "_" : name, 1);
}

// The event is left out if it is the only one.
static void add_path_text(struct bytes_out *out, const struct profile *p, const struct origin *o)
{
	char text[NAMES_PLACE];

	add_name(out, p->file.driver->name);
	if (profile_events(p) > 1) {
		bytes_add(out, ";", 1);
		add_name(out, p->file.event[o->event].name);
	}
	for (unsigned i = o->frames + 1; i--;) {
		bytes_add(out, ";", 1);
		add_name(out, names_or_address(&p->file.names, profile_frame(o, i), text));
	}
	bytes_add(out, "", 1);
}

static bool is_same(const void *element, const void *key, size_t size)
{
	(void)size;
	return !strcmp(((const struct path *)element)->text, key);
}

// Adds samples to the path of this text. False: no memory.
static bool add_samples(struct distinct *paths, const struct bytes_out *text, uint64_t samples)
{
	struct path **found = NULL;

	if (!text->failed)
		found = (struct path **)distinct_find(paths, text->byte, text->size, is_same);
	if (found && !*found) {
		*found = calloc(1, sizeof **found + text->size);
		if (*found)
			memcpy((*found)->text, text->byte, text->size);
	}
	if (!found || !*found)
		return false;
	(*found)->samples += samples;
	return true;
}

// Origins in different places of the same functions have the same path.
static bool find_paths(const struct profile *p, struct distinct *paths)
{
	bool ok = true;

	for (size_t i = 0; ok && i < p->origins.room; i++) {
		const struct origin *o = p->origins.slot[i].element;
		struct bytes_out text = {0};

		if (!o || !profile_has(p, o->event))
			continue;
		add_path_text(&text, p, o);
		ok = add_samples(paths, &text, o->samples);
		bytes_free(&text);
	}
	errno = ok ? errno : ENOMEM;
	return ok;
}

static int compare(const void *a, const void *b)
{
	return strcmp((*(struct path *const *)a)->text, (*(struct path *const *)b)->text);
}

// Prints paths in alphabetical order.
static bool print_paths(const struct distinct *paths, struct output *output)
{
	struct path **path = calloc(paths->count + 1, sizeof *path);
	size_t count = 0;
	bool ok = path;

	for (size_t i = 0; ok && i < paths->room; i++)
		if (paths->slot[i].element)
			path[count++] = paths->slot[i].element;
	if (path)
		qsort(path, count, sizeof *path, compare);
	for (size_t i = 0; ok && i < count; i++)
		ok = fprintf(output->file, "%s %" PRIu64 "\n", path[i]->text, path[i]->samples) > 0;
	free(path);
	return ok;
}

bool write_folded(struct profile *p, struct output *output)
{
	struct distinct paths = {0};
	const bool ok = find_paths(p, &paths) && print_paths(&paths, output);

	if (!ok)
		complain("%s: %s", output->path, strerror(errno));
	distinct_free(&paths, free);
	return ok;
}
