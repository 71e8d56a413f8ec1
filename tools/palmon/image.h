/* SPDX-License-Identifier: BSD-2-Clause */
/* The ELF file of an image that has been measured. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>

#include "samples.h"

/* Reads a file's build ID, "" if it has none. False after a complaint: it is no ELF file, or cannot be read. */
bool image_build_id(const char *path, char id[SAMPLES_BUILD_ID]);

/* Whether a file is the one with this build ID, which is "" if nobody knows: then any is. False after a complaint. */
bool image_is(const char *path, const char *build_id);

/* The image of a file of samples: the one that is named, unless that is NULL, else the one that palmon fetch has left
 * beside them; NULL: there is none. The name is good until the next call. False after a complaint: it is another. */
bool image_find(const struct samples *samples, const char *named, const char **image);

/* Calls `take` for each part of the file that is loaded and can be executed: where it is linked, its size, and where in
 * the file it is. False after a complaint. */
bool image_segments(const char *path, void (*take)(void *context, uint64_t address, uint64_t size, uint64_t offset),
		    void *context);

/* Adds the functions of its symbol tables, in order, moved by `bias`. False after a complaint. */
bool image_names(const char *path, uint64_t bias, struct names *names);

/* Where it is entered, and whether it can be anywhere in memory. False: it is no ELF file. Nothing is printed. */
bool image_entry(const char *path, uint64_t *entry, bool *anywhere);

/* The instruction set's name, as uname -m has it; "unknown" also of no file, NULL. */
const char *image_architecture(const char *path);

#endif
