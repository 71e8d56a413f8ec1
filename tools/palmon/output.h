/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are there whole or not at all: written under a temporary name, which a signal that ends the program
 * removes, and renamed when they are complete. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *file;
	const char *path;	/* what it will be called */
	char *temporary;	/* NULL: it is written in place (standard output, a device) */
};

/* Opens a file for writing; "-" is standard output. One at a time. False after a complaint. */
bool output_open(struct output *output, const char *path);

/* Writes a JSON object as a line, and drops it. False after a complaint. */
bool output_json(struct output *output, json_t *object);

/* Completes the file. False after a complaint: it could not be written, and is not there. */
bool output_commit(struct output *output);

/* Removes it. */
void output_abandon(struct output *output);

#endif
