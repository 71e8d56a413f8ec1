// SPDX-License-Identifier: BSD-2-Clause
// Disassembles a function with objdump: disassemble.h.

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

#define BUNDLE		16	/* bytes of an Itanium bundle */
#define SLOT_BYTES	6	/* distance of a bundle's slots in objdump's output */

#define BINUTILS_SOURCE "/usr/src/binutils/binutils-*.tar.xz"

static const struct built ia64_objdump = {"binutils-*-ia64-linux-gnu-*/bin/ia64-linux-gnu-objdump",
					  BINUTILS_SOURCE};

static const struct {
	const char *architecture;
	struct need objdump;
} programs[] = {
	{"x86_64", {"annotate", "x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu", NULL}},
	{"sparc64", {"annotate", "sparc64-linux-gnu-objdump", "binutils-sparc64-linux-gnu", NULL}},
	{"ia64", {"annotate", "ia64-linux-gnu-objdump", "binutils-ia64-linux-gnu|binutils-source",
		  &ia64_objdump}},
};

const struct need *objdump_for(const char *architecture)
{
	static const struct need objdump = {"annotate", "objdump", "binutils", NULL};

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (!strcmp(programs[i].architecture, architecture))
			return &programs[i].objdump;
	return &objdump;
}

//
// The output of objdump
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

// Takes an instruction, " 401000:\tmov ..."; skips other lines.
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
// The objdump process
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

// Says why objdump could not be started, and which package contains one.
static void complain_of(const char *program, const struct need *own)
{
	const int error = errno;
	char *const package = need_package(own->package);

	complain("%s: %s; %s is in Debian's package %s", program, strerror(error), own->name,
		 package ? package : own->package);
	free(package);
}

static bool list(struct reader *reader, const char *elf, const char *program,
		 const struct need *own, uint64_t first, uint64_t end)
{
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
		complain_of(program, own);
		return false;
	}
	ok = read_output(reader, output);
	fclose(output);
	waitpid(process, &status, 0);
	if (ok && status)
		complain("%s: it has failed", program);
	else if (ok && !reader->listing->count)
		complain("%s: there are no instructions at 0x%" PRIx64, elf, first);
	return ok && !status && reader->listing->count;
}

bool listing_read(struct listing *listing, const char *elf, const char *objdump, uint64_t first,
		  uint64_t end)
{
	const char *architecture = image_architecture(elf);
	struct reader reader = {.listing = listing, .bundles = !strcmp(architecture, "ia64")};
	const struct need *const own = objdump_for(architecture);
	struct found found = need_find(own);
	const bool ok = list(&reader, elf, objdump ? objdump : found.path ? found.path : own->name,
			     own, first, end);

	free(found.path);
	return ok;
}

void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->instruction[i].text);
	free(l->instruction);
}
