// SPDX-License-Identifier: BSD-2-Clause
// The parts of a machine that palmon uses: programs, files, a QEMU, tools that make builds into the
// cache, package names.

#define _GNU_SOURCE
#include "needs.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "palmon.h"

// The newest file that matches a pattern. NULL: none.
static char *find_file(const char *pattern)
{
	char *path = NULL;
	glob_t files;

	if (!glob(pattern, 0, NULL, &files)) {
		const char *newest = files.gl_pathv[0];

		for (size_t i = 1; i < files.gl_pathc; i++)
			if (strverscmp(files.gl_pathv[i], newest) > 0)
				newest = files.gl_pathv[i];
		path = strdup(newest);
	}
	globfree(&files);
	return path;
}

//
// Packages
//

// Whether a name matches the pattern, in which * stands for digits and dots.
static bool is_name_of(const char *name, const char *pattern)
{
	const char *star = strchr(pattern, '*');
	const size_t before = star ? (size_t)(star - pattern) : 0;
	size_t digits;

	if (!star)
		return !strcmp(name, pattern);
	if (strncmp(name, pattern, before))
		return false;
	digits = strspn(name + before, "0123456789.");
	return digits && !strcmp(name + before + digits, star + 1);
}

// The newest package known to apt that matches the pattern. NULL: none, or no apt.
static char *ask_apt(const char *pattern)
{
	char *command, *newest = NULL, name[256];
	FILE *output;

	if (asprintf(&command, "apt-cache pkgnames %.*s 2>/dev/null", (int)strcspn(pattern, "*"),
		     pattern) < 0)
		return NULL;
	output = popen(command, "r");
	free(command);
	while (output && fgets(name, sizeof name, output)) {
		name[strcspn(name, "\n")] = '\0';
		if (is_name_of(name, pattern) && (!newest || strverscmp(name, newest) > 0)) {
			free(newest);
			newest = strdup(name);
		}
	}
	if (output)
		pclose(output);
	return newest;
}

char *need_package(const char *word)
{
	char *const words = strdup(word), *second = words ? strchr(words, '|') : NULL, *name = NULL;

	if (second)
		*second++ = '\0';
	if (words && (second || strchr(words, '*')))
		name = ask_apt(words);
	if (!name && second)
		name = ask_apt(second);
	if (!name)
		return words;
	free(words);
	return name;
}

//
// QEMU, found by tools/qemu
//

// Parses "PATH<tab>VERSION<tab>PLACE".
static void take_qemu(struct found *f, char *line)
{
	const char *path = strsep(&line, "\t"), *version = strsep(&line, "\t");
	const char *const place = !line ? "" : !strcmp(line, "cache") ? ", cached" :
		!strcmp(line, "PATH") ? ", on the PATH" : ", by QEMU=";

	f->path = strdup(path);
	f->good = version;
	snprintf(f->note, sizeof f->note, "%s%s", version ? version : "", place);
}

static void find_qemu(struct found *f, const char *program)
{
	char *script = qemu_finder(), *command, line[4096] = "";
	FILE *output = NULL;
	int status;

	strcpy(f->note, "the script that finds it is not there: make host, make install");
	if (script && !strchr(script, '\'') && asprintf(&command, "'%s' --find %s 2>&1", script,
							program) >= 0) {
		output = popen(command, "r");
		free(command);
	}
	free(script);
	if (!output)
		return;
	if (!fgets(line, sizeof line, output))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	while (fgetc(output) != EOF)
		;
	status = pclose(output);
	f->made = WIFEXITED(status) && WEXITSTATUS(status) == 3;
	if (!status)
		take_qemu(f, line);
	else if (f->made)
		strcpy(f->note, "not fetched yet: make run fetches it");
	else
		snprintf(f->note, sizeof f->note, "%.390s", strncmp(line, "palmon: ", 8) ? line :
			 line + 8);
}

//
// Everything else
//

char *need_cached(const struct built *built)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *pattern, *path;

	if (!cache && !home)
		return NULL;
	if (asprintf(&pattern, "%s%s/palmon/%s", cache ? cache : home, cache ? "" : "/.cache",
		     built->cached) < 0)
		return NULL;
	path = find_file(pattern);
	free(pattern);
	return path;
}

struct found need_find(const struct need *need)
{
	struct found f = {0};
	char *source;

	if (!need->package && !need->built) {
		find_qemu(&f, need->name);
		return f;
	}
	if (need->package)
		f.path = *need->name == '/' ? find_file(need->name) : find_program(need->name);
	if (!f.path && need->built)
		f.path = need_cached(need->built);
	f.good = f.path;
	if (f.path || !need->built)
		return f;
	source = find_file(need->built->source);
	f.made = source || !need->package;
	free(source);
	if (f.made)
		strcpy(f.note, "not built yet: the first image for it builds it");
	return f;
}
