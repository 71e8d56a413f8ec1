/* SPDX-License-Identifier: BSD-2-Clause */
/* palmon's runtime as a library: brings the calling CPU's PMU up, tests it, and answers PAL calls about it. Counting
 * and sampling are pmu.h's. Nothing is allocated. CPUs of different cores can call it at the same time. palmon(3) has
 * all of it. */
#ifndef PALMON_RUNTIME_H
#define PALMON_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu.h"

/* Whether the processor has the PMU that the library drives, of which this is the name. */
bool palmon_probe(void);
const char *palmon_target(void);

/* What the self test has come to. */
struct palmon_result {
	unsigned checks, failed, skipped;	/* that have been done; skipped: what they need is not here */
};

/* Runs the self test on the calling CPU: some hundred milliseconds, interrupts on. The report goes to palmon_host_put,
 * as TAP version 13. It begins with the registers' reset values, and leaves the PMU as palmon_begin does. */
struct palmon_result palmon_selftest(void);

/* Brings the calling CPU's PMU to a known state, for pmu.h and PAL. False: it does not come up. */
bool palmon_begin(bool non_maskable);

/* Opens a session of these events, "EVENT[:MODIFIER...],...", as palmon-events(7) has them. Then pmu.h's functions
 * count and sample. The session's memory is the caller's. PMU_UNFIT also if the text is wrong. */
enum pmu_error palmon_open(struct pmu_session *session, const char *events);

/* For the host's handler of the general protection exception. True: it was a register access of the library's; go on
 * at *ip, which has changed. False: it is somebody else's. */
bool palmon_fault(uint64_t *ip);

#endif
