/* SPDX-License-Identifier: BSD-2-Clause */
/* palmon's runtime as a library: brings the calling CPU's PMU up, tests it, and answers PAL calls
 * about it. pmu.h counts and samples. The library allocates nothing. CPUs of different cores can
 * call it at the same time. palmon(3) documents all of it. */
#ifndef PALMON_RUNTIME_H
#define PALMON_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu.h"

/* Detects the PMU that this library drives; call it first. Returns NULL, or the reason why the
 * library cannot drive this processor. */
const char *palmon_probe(void);

/* Returns that PMU's target name. */
const char *palmon_target(void);

/* Results of the self test, in checks. */
struct palmon_result {
	unsigned checks, failed, skipped;	/* run; failed; lacking a feature of the host */
};

/* Runs the self test on the calling CPU, with interrupts on; it takes some hundred milliseconds.
 * Passes the report to palmon_host_put, as TAP version 13. It first checks the registers' reset
 * values, and leaves the PMU as palmon_begin does. */
struct palmon_result palmon_selftest(void);

/* Brings the calling CPU's PMU to a known state for pmu.h and PAL. False: it failed. */
bool palmon_begin(bool non_maskable);

/* Opens a session of events, "EVENT[:MODIFIER...],..." in the syntax of palmon-events(7), for
 * pmu.h's functions. The caller provides the session's memory. PMU_UNFIT also for a syntax
 * error. */
enum pmu_error palmon_open(struct pmu_session *session, const char *events);

/* For the host's handler of the general protection exception. True: the library's register access
 * faulted; continue at *ip, which has changed. False: another instruction did. */
bool palmon_fault(uint64_t *ip);

#endif
