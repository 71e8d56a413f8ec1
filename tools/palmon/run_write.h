/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a run of an image leaves in a folder: "samples" (palmon-samples(5)), "counts.json" with the keys of
 * perf stat -j, "symbols" as perf's maps are ("START SIZE NAME", hexadecimal), "image.elf". */
#ifndef RUN_WRITE_H
#define RUN_WRITE_H

#include "run.h"

struct run_place {
	const char *folder;
	const char *elf;		/* the image, to be copied; NULL: it is not at hand */
	const char *name;		/* of what was measured */
};

/* Makes the folder, and removes what another run has left there, its self test too (tap.h). False after a complaint. */
bool run_prepare(const struct run_place *place);

/* Writes the files. False after a complaint. */
bool run_write(const struct run *run, const struct run_place *place);

#endif
