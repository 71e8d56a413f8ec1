// SPDX-License-Identifier: BSD-2-Clause
// Finds a processor's description among the built-in files or in the file system. processor.c
// parses it.

#include "processor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"

// Returns the text of a built-in file, or NULL.
static const char *find_text(const char *name, size_t *size)
{
	const struct processor_text *t = processor_texts;

	while (t->name && strcmp(t->name, name))
		t++;
	*size = (size_t)(t->end - t->text);
	return t->text;
}

static void complain_name(const char *name)
{
	unsigned nearer = pmu_unlike(strlen(name));
	size_t count = 0;
	const char *nearest;

	while (processor_texts[count].name)
		count++;
	nearest = pmu_nearest_within(processor_texts, count, sizeof *processor_texts, name,
				     strlen(name), &nearer);
	fprintf(stderr, "%s: there is no such processor%s%s; the name of a file has a '/'\n", name,
		nearest ? "; the nearest name is " : "", nearest ? nearest : "");
}

// Reads at most 64 KB, so that reading a device ends, too.
static char *read_file(const char *name, size_t *size)
{
	enum { FILE_MOST = 1 << 16 };
	char *text = malloc(FILE_MOST);
	FILE *file = text ? fopen(name, "r") : NULL;

	if (!file) {
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
		free(text);
		return NULL;
	}
	*size = fread(text, 1, FILE_MOST, file);
	if (ferror(file) || *size == FILE_MOST) {
		fprintf(stderr, "%s: %s\n", name, ferror(file) ? strerror(errno) : "64 KB or more");
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

bool processor_load(struct processor *p, const char *name, const struct processor_needs *needs)
{
	const bool is_file = strchr(name, '/');
	struct processor_error error;
	char *copy = NULL;
	const char *text;
	size_t size;
	bool read;

	text = is_file ? copy = read_file(name, &size) : find_text(name, &size);
	if (!text) {
		if (!is_file)
			complain_name(name);
		return false;
	}
	read = processor_read(p, text, size, &error) && processor_has(p, needs, &error);
	free(copy);
	if (!read && error.line)
		fprintf(stderr, "%s:%u: %s\n", name, error.line, error.text);
	else if (!read)
		fprintf(stderr, "%s: %s\n", name, error.text);
	return read;
}
