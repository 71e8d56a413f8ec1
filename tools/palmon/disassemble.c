// SPDX-License-Identifier: BSD-2-Clause
// A function's instructions, as objdump prints them: disassemble.h.

#define _GNU_SOURCE
#include "disassemble.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grow.h"
#include "image.h"
#include "palmon.h"

#define BUNDLE		16	/* bytes of Itanium's */
#define SLOT_BYTES	6	/* by which objdump counts a bundle's slots */

static const struct {
	const char *architecture, *program, *package;
} programs[] = {
	{"x86_64", "x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu"},
	{"sparc64", "sparc64-linux-gnu-objdump", "binutils-sparc64-linux-gnu"},
	{"ia64", "ia64-linux-gnu-objdump", "binutils-ia64-linux-gnu"},
};

const char *objdump_for(const char *architecture, const char **package)
{
	*package = "binutils";
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (!strcmp(programs[i].architecture, architecture)) {
			*package = programs[i].package;
			return programs[i].program;
		}
	return "objdump";
}

//
// Its output
//

struct reader {
	struct listing *listing;
	bool bundles;
};

static bool add(struct reader *r, uint64_t address, const char *text)
{
	struct listing *l = r->listing;
	struct instruction *more;

	more = grow(l->instruction, l->count, &l->room, sizeof *more);
	if (!more)
		return false;
	l->instruction = more;
	if (r->bundles)
		address = address / BUNDLE * BUNDLE + address % BUNDLE / SLOT_BYTES;
	l->instruction[l->count] = (struct instruction){address, strdup(text)};
	return l->instruction[l->count++].text;
}

// "  401000:\tmov ..."; all else is not of interest.
static bool take_line(struct reader *r, char *line)
{
	char *behind;
	uint64_t address;

	line[strcspn(line, "\n")] = '\0';
	address = strtoull(line, &behind, 16);
	if (*line != ' ' || *behind != ':')
		return true;
	for (char *c = behind; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	return add(r, address, behind + 1 + strspn(behind + 1, " "));
}

static bool read_output(struct reader *r, FILE *output)
{
	char *line = NULL;
	size_t size = 0;
	bool ok = true;

	while (ok && getline(&line, &size, output) >= 0)
		ok = take_line(r, line);
	free(line);
	if (!ok)
		complain("%s", strerror(ENOMEM));
	return ok;
}

//
// The program
//

static pid_t start(char *const *arguments, FILE **output)
{
	posix_spawn_file_actions_t actions;
	int ends[2], error;
	pid_t process;

	if (pipe(ends)) {
		complain("%s", strerror(errno));
		return -1;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	error = posix_spawnp(&process, *arguments, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*output = error ? NULL : fdopen(ends[0], "r");
	if (*output)
		return process;
	close(ends[0]);
	errno = error ? error : errno;
	return -1;
}

bool listing_read(struct listing *listing, const char *elf, const char *objdump, uint64_t first, uint64_t end)
{
	const char *architecture = image_architecture(elf), *package;
	const char *const own = objdump_for(architecture, &package), *const program = objdump ? objdump : own;
	struct reader reader = {.listing = listing, .bundles = !strcmp(architecture, "ia64")};
	char from[40], to[40];
	char *const arguments[] = {
		(char *)program, "--disassemble", "--no-show-raw-insn", "--wide", from, to, "--",
		(char *)elf, NULL,
	};
	FILE *output;
	pid_t process;
	int status;
	bool ok;

	snprintf(from, sizeof from, "--start-address=0x%" PRIx64, first);
	snprintf(to, sizeof to, "--stop-address=0x%" PRIx64, end);
	process = start(arguments, &output);
	if (process < 0) {
		complain("%s: %s; %s is in Debian's package %s", program, strerror(errno), own, package);
		return false;
	}
	ok = read_output(&reader, output);
	fclose(output);
	waitpid(process, &status, 0);
	if (ok && status)
		complain("%s: it has failed", program);
	else if (ok && !listing->count)
		complain("%s: there are no instructions at 0x%" PRIx64, elf, first);
	return ok && !status && listing->count;
}

void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->instruction[i].text);
	free(l->instruction);
}
