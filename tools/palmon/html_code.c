// SPDX-License-Identifier: BSD-2-Clause
// The instructions and source lines of the hottest functions: html_code.h.

#define _GNU_SOURCE
#include "html_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "disassemble.h"
#include "image.h"
#include "palmon.h"

#define HOTTEST	4		/* functions of each event */

struct code {
	const struct profile *profile;
	const struct names *lines;
	time_t built;			// when the ELF file was written
	json_t *functions;
};

//
// Source lines
//

// The text of the line "file:number". NULL: the file is missing, or newer than the program.
static json_t *line_text(const struct code *c, const char *place)
{
	const char *colon = strrchr(place, ':');
	char *path = strndup(place, (size_t)(colon - place)), *text = NULL;
	struct stat status;
	FILE *file = path && !stat(path, &status) && S_ISREG(status.st_mode) &&
		status.st_mtime <= c->built ?
		fopen(path, "r") : NULL;
	bool there = file;
	json_t *line;
	size_t size;

	for (long n = atol(colon + 1); there && n > 0; n--)
		there = getline(&text, &size, file) >= 0;
	if (there)
		text[strcspn(text, "\r\n")] = '\0';
	line = there ? json_string(text) : NULL;
	if (file)
		fclose(file);
	free(text);
	free(path);
	return line ? line : json_null();
}

//
// Functions
//

static json_t *rows_of(const struct code *c, const struct named *function,
		       const struct listing *listing)
{
	const struct named *last = NULL;
	json_t *rows = json_array();

	for (size_t i = 0; i < listing->count; i++) {
		const struct instruction *n = &listing->instruction[i];
		const struct named *line = names_find(c->lines, n->address);

		if (line && (!last || strcmp(line->name, last->name)))
			json_array_append_new(rows,
					      json_pack("[s, o]", line->name,
							line_text(c, line->name)));
		last = line ? line : last;
		json_array_append_new(rows,
				      json_pack("[I, s]",
						(json_int_t)(n->address - function->address),
						      n->text));
	}
	return rows;
}

static bool is_listed(const struct code *c, const struct named *function)
{
	json_t *listed;
	size_t i;

	json_array_foreach(c->functions, i, listed)
		if (strtoull(json_string_value(json_object_get(listed, "start")), NULL,
			     16) == function->address)
			return true;
	return false;
}

static bool add_function(struct code *c, const struct named *function)
{
	struct listing listing = {NULL, 0, 0};
	const bool ok = listing_read(&listing, c->profile->elf, NULL, function->address,
				     function->end);

	if (ok)
		json_array_append_new(c->functions, json_pack(
			"{s:s, s:o, s:o}", "name", function->name, "start",
			json_hexadecimal(function->address, 1),
			"rows", rows_of(c, function, &listing)));
	listing_free(&listing);
	return ok;
}

// Adds the functions with most samples of an event. `samples`: by function.
static bool add_hottest(struct code *c, uint64_t *samples)
{
	const struct names *names = &c->profile->file.names;
	bool ok = true;

	for (unsigned n = 0; ok && n < HOTTEST; n++) {
		size_t most = 0;

		for (size_t i = 1; i < names->count; i++)
			most = samples[i] > samples[most] ? i : most;
		if (!names->count || !samples[most])
			break;
		samples[most] = 0;
		ok = is_listed(c, &names->of[most]) || add_function(c, &names->of[most]);
	}
	return ok;
}

static bool add_event(struct code *c, unsigned event)
{
	const struct profile *p = c->profile;
	uint64_t *samples = calloc(p->file.names.count + 1, sizeof *samples);
	bool ok = samples;

	for (size_t i = 0; ok && i < p->origins.room; i++) {
		const struct origin *o = p->origins.slot[i].element;
		const struct named *function = o &&
			o->event == event ? names_find(&p->file.names, o->address) : NULL;

		if (function)
			samples[function - p->file.names.of] += o->samples;
	}
	ok = ok && add_hottest(c, samples);
	free(samples);
	return ok;
}

// Why the program cannot be disassembled. "": it can.
static void say_why_not(const struct profile *p, char note[200])
{
	const struct need *objdump;
	struct found found;

	*note = '\0';
	if (!p->elf) {
		snprintf(note, 200,
			 "No ELF file of the program is at hand: convert --elf=IMAGE names it.");
		return;
	}
	objdump = objdump_for(image_architecture(p->elf));
	found = need_find(objdump);
	if (!found.path)
		snprintf(note, 200, "%s is missing: palmon doctor annotate names its package.",
			 objdump->name);
	free(found.path);
}

json_t *html_code(const struct profile *p, const struct names *lines)
{
	struct code code = {.profile = p, .lines = lines, .functions = json_array()};
	struct stat status;
	char note[200];
	bool ok = true;

	say_why_not(p, note);
	if (p->elf && !stat(p->elf, &status))
		code.built = status.st_mtime;
	for (unsigned i = 0; ok && !*note && i < p->file.event_count; i++)
		ok = !profile_has(p, i) || add_event(&code, i);
	if (!ok)
		snprintf(note, sizeof note, "objdump failed.");
	return json_pack("{s:s, s:o}", "note", note, "functions", code.functions);
}
