/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of samples that `palmon record` writes (record.c says how) and `palmon report` reads. */
#ifndef SAMPLES_H
#define SAMPLES_H

#define SAMPLES_VERSION	1
#define SAMPLES_FILE	"palmon.samples"	/* its name, when none is given */

#endif
