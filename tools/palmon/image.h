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

#endif
