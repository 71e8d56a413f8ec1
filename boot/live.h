/* SPDX-License-Identifier: BSD-2-Clause */
/* What the session has counted so far, while it runs (interval=): a line each interval, for palmon top. */
#ifndef BOOT_LIVE_H
#define BOOT_LIVE_H

#include "pmu.h"

/* Before a run of the workload: prints the names of its events. */
void live_begin(unsigned run);

/* A sample of the first thread's. When an interval is over it prints the counts, and where samples were. Trap code. */
void live_take(const struct pmu_sample *sample);

/* Behind the run: prints the rest. */
void live_end(void);

#endif
