// SPDX-License-Identifier: BSD-2-Clause
// palmon convert --folded: a line per call path with its number of samples,
// "outermost;...;innermost COUNT", the input of Brendan Gregg's flamegraph.pl and similar tools.

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "palmon.h"

struct path {
	uint64_t samples;
	unsigned event;
	char *text;			// ";outermost;...;innermost"; in print_paths, the whole line's path
};

// Adds a name, with the separators of frames and counts replaced.
static void add_name(struct bytes_out *out, const char *name)
{
	for (; *name; name++)
		bytes_add(out, *name == ';' ? ":" : *name == ' ' ? "_" : name, 1);
}

// The frames of a sample. NULL: no memory.
static char *frames_of(const struct profile *p, const struct sample *s)
{
	struct bytes_out out = {0};
	char text[NAMES_PLACE];

	for (unsigned i = s->frames + 1; i--;) {
		bytes_add(&out, ";", 1);
		add_name(&out, profile_function(p, profile_frame(s, i), text));
	}
	bytes_add(&out, "", 1);
	if (out.failed)
		bytes_free(&out);
	return (char *)out.byte;
}

static int compare_frames(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	return x->event != y->event ? (x->event < y->event ? -1 : 1) : strcmp(x->text, y->text);
}

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

// Adds a path to the tree, or its samples to an equal path. Takes over the text.
static bool add_path(struct profile *p, struct path *path)
{
	struct path **found = tsearch(path, &p->paths, compare_frames);

	if (found && *found != path) {
		(*found)->samples += path->samples;
		free(path->text);
		free(path);
		return true;
	}
	p->path_count += found != NULL;
	return found || no_memory();
}

bool folded_take(void *profile, const struct sample *s)
{
	struct profile *p = profile;
	struct path *path = malloc(sizeof *path);

	if (!path)
		return no_memory();
	*path = (struct path){s->times, s->key.event, frames_of(p, s)};
	return path->text ? add_path(p, path) : no_memory();
}

// Removes a path from the tree. The text is the caller's.
static bool remove_path(struct profile *p, struct path *path)
{
	struct path *root = p->paths ? *(struct path **)p->paths : NULL;

	if (!root)
		return false;
	*path = *root;
	tdelete(root, &p->paths, compare_frames);
	free(root);
	return true;
}

void folded_free(struct profile *p)
{
	struct path path;

	while (remove_path(p, &path))
		free(path.text);
}

// Replaces a path's frames by its line's text.
static bool complete(const struct profile *p, struct path *path)
{
	struct bytes_out out = {0};

	add_name(&out, p->file.driver->name);
	if (profile_events(p) > 1) {
		bytes_add(&out, ";", 1);
		add_name(&out, p->file.event[path->event].name);
	}
	bytes_add(&out, path->text, strlen(path->text) + 1);
	free(path->text);
	if (out.failed)
		bytes_free(&out);
	path->text = (char *)out.byte;
	return path->text;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct path *)a)->text, ((const struct path *)b)->text);
}

// Prints paths in alphabetical order and merges equal ones.
static bool print_paths(struct path *path, size_t count, struct output *output)
{
	bool ok = true;

	qsort(path, count, sizeof *path, compare);
	for (size_t i = 0; ok && i < count;) {
		uint64_t samples = 0;
		const char *text = path[i].text;

		for (; i < count && !strcmp(path[i].text, text); i++)
			samples += path[i].samples;
		ok = fprintf(output->file, "%s %" PRIu64 "\n", text, samples) > 0;
	}
	return ok;
}

bool write_folded(struct profile *p, struct output *output)
{
	struct path *path = calloc(p->path_count + 1, sizeof *path);
	size_t count = 0;
	bool ok = path;

	while (ok && remove_path(p, &path[count]))
		if (profile_has(p, path[count].event))
			ok = complete(p, &path[count++]);
		else
			free(path[count].text);
	if (!ok)
		errno = ENOMEM;
	ok = ok && print_paths(path, count, output);
	if (!ok)
		complain("%s: %s", output->path, strerror(errno));
	while (count--)
		free(path[count].text);
	free(path);
	return ok;
}
