/* SPDX-License-Identifier: BSD-2-Clause */
/* Intermediate counts of a running session (interval=): one line per interval, for palmon top. */
#ifndef BOOT_LIVE_H
#define BOOT_LIVE_H

#include "result.h"

/* Before a run of the workload: prints the names of its events. */
void live_begin(struct session_results *results, unsigned run);

/* Takes a sample of the first thread. At the end of an interval, prints the counts and the samples'
 * addresses. Trap code. */
void live_take(struct session_results *results, const struct pmu_sample *sample);

/* After the run: prints the rest. */
void live_end(struct session_results *results);

#endif
