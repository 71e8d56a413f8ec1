/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes files completely or not at all. A file has a temporary name until it is complete; a signal
 * that ends the program removes it. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *file;
	const char *path;	/* final name */
	char *temporary;	/* NULL: written in place (standard output, a device) */
};

/* Opens a file for writing; "-" is standard output. One file at a time. False after a complaint. */
bool output_open(struct output *output, const char *path);

/* Writes a JSON object as a line and releases it. False after a complaint. */
bool output_json(struct output *output, json_t *object);

/* Completes the file. False after a complaint: it could not be written, and does not exist. */
bool output_commit(struct output *output);

/* Removes the incomplete file. */
void output_abandon(struct output *output);

#endif
