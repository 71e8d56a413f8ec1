/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the files of an image's run to a folder: "samples" (palmon-samples(5)), "counts.json" with
 * the keys of perf stat -j, "symbols" in the format of perf's maps ("START SIZE NAME",
 * hexadecimal), "image.elf". */
#ifndef RUN_WRITE_H
#define RUN_WRITE_H

#include "run.h"

struct run_place {
	const char *folder;
	const char *elf;		/* the image, to be copied; NULL: not available */
	const char *name;		/* name of the measured log */
};

/* Makes the folder and removes the files of an earlier run, including its self test (tap.h). False
 * after a complaint. */
bool run_prepare(const struct run_place *place);

/* Writes the files. False after a complaint. */
bool run_write(const struct run *run, const struct run_place *place);

#endif
