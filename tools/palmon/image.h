/* SPDX-License-Identifier: BSD-2-Clause */
/* The ELF file of a measured image. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>

#include "samples.h"

/* Reads the build ID of a file; "" if it has none. False after a complaint: not an ELF file, or not
 * readable. */
bool image_build_id(const char *path, char id[SAMPLES_BUILD_ID]);

/* Whether a file has this build ID; "" fits any file. False after a complaint. */
bool image_is(const char *path, const char *build_id);

/* Finds the image of a file of samples: `named`, or if NULL, the copy that palmon fetch has written
 * next to the samples. *image: its path, valid until the next call; NULL: none. False after a
 * complaint: the build ID differs. */
bool image_find(const struct samples *samples, const char *named, const char **image);

/* Calls `take` for each loaded executable segment: link address, size, and offset in the file.
 * False after a complaint. */
bool image_segments(const char *path, void (*take)(void *context, uint64_t address, uint64_t size,
						   uint64_t offset),
		    void *context);

/* Adds the functions of its symbol tables in order, their addresses moved by `bias`. False after a
 * complaint. */
bool image_names(const char *path, uint64_t bias, struct names *names);

/* Reads the entry point, and whether the file is position independent. False: not an ELF file.
 * Prints nothing. */
bool image_entry(const char *path, uint64_t *entry, bool *anywhere);

/* The name of the instruction set, as uname -m prints it; "unknown" also if `path` is NULL. */
const char *image_architecture(const char *path);

#endif
