// SPDX-License-Identifier: BSD-2-Clause
// palmon convert --folded: a line per call path with its number of samples,
// "outermost;...;innermost COUNT", the input of Brendan Gregg's flamegraph.pl and similar tools.

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "palmon.h"

struct path {
	char *text;
	uint64_t samples;
};

// Adds a name, with the separators of frames and counts replaced.
static void add_name(struct bytes_out *out, const char *name)
{
	for (; *name; name++)
		bytes_add(out, *name == ';' ? ":" : *name == ' ' ? "_" : name, 1);
}

static char *path_of(const struct profile *p, const struct sample *s)
{
	struct bytes_out out = {0};
	char text[NAMES_PLACE];

	add_name(&out, p->file.driver->name);
	if (profile_events(p) > 1) {
		bytes_add(&out, ";", 1);
		add_name(&out, p->file.event[s->key.event].name);
	}
	for (unsigned i = s->frames + 1; i--;) {
		bytes_add(&out, ";", 1);
		add_name(&out, profile_function(p, profile_frame(s, i), text));
	}
	bytes_add(&out, "", 1);
	if (out.failed)
		bytes_free(&out);
	return (char *)out.byte;
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

bool write_folded(const struct profile *p, struct output *output)
{
	struct path *path = calloc(p->count + 1, sizeof *path);
	size_t count = 0;
	bool ok = path;

	for (size_t i = 0; ok && i < p->count; i++) {
		const struct sample *s = p->sample[i];

		if (!profile_has(p, s->key.event))
			continue;
		path[count] = (struct path){path_of(p, s), s->times};
		ok = path[count++].text;
	}
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
