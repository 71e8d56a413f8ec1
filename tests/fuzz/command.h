/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs subcommands of the palmon command on an input. Define _GNU_SOURCE first. */
#ifndef COMMAND_H
#define COMMAND_H

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "palmon.h"

#define COMMAND_PATH	64

/* Makes a file of the input. Returns its descriptor and writes its path. */
static inline int command_file(const uint8_t *data, size_t size, char path[COMMAND_PATH])
{
	const int file = memfd_create("input", 0);

	FUZZ_REQUIRE(file >= 0 && write(file, data, size) == (ssize_t)size);
	snprintf(path, COMMAND_PATH, "/proc/self/fd/%d", file);
	return file;
}

/* Runs a subcommand with its output in *text, to be freed, and without its messages. `argv` ends
 * with NULL. Returns its exit status. */
static inline int command_run(int (*command)(int argc, char **argv), char **argv, char **text)
{
	FILE *const out = stdout, *const messages = stderr;
	size_t length;
	int argc = 0, status;

	while (argv[argc])
		argc++;
	stdout = open_memstream(text, &length);
	stderr = fopen("/dev/null", "w");
	FUZZ_REQUIRE(stdout && stderr);
	optind = 0;
	status = command(argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = out;
	stderr = messages;
	return status;
}

/* Each line is a JSON object. */
static inline void command_require_json(const char *text)
{
	for (const char *end; *text; text = end + 1) {
		json_t *object;

		end = strchr(text, '\n');
		FUZZ_REQUIRE(end);
		object = json_loadb(text, (size_t)(end - text), 0, NULL);
		FUZZ_REQUIRE(json_is_object(object));
		json_decref(object);
	}
}

#endif
