/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the files of an image's run to a folder: "samples" (palmon-samples(5)), "counts.json" with
 * the keys of perf stat -j, "symbols" in the format of perf's maps ("START SIZE NAME",
 * hexadecimal), "image.elf". */
#ifndef RUN_WRITE_H
#define RUN_WRITE_H

#include "log.h"

struct run_place {
	const char *folder;
	const char *elf;		/* the image, to be copied; NULL: not available */
	const char *name;		/* name of the measured log */
};

/* Makes the folder and removes the files of an earlier run, including its self test (tap.h). False
 * after a complaint. */
bool run_prepare(const struct run_place *place);

/* Writes the files from a block of measurements, and counts its samples. False after a complaint.
 */
bool run_write(const struct log_block *block, const struct run_place *place, uint64_t *samples);

#endif
