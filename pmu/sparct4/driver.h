/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of the SPARC T4 driver. driver.c counts and serves overflows;
 * driver_traps.c decides how a precise trap ends; driver_request.c checks and encodes requests. */
#ifndef SPARCT4_DRIVER_H
#define SPARCT4_DRIVER_H

#include "pmu_driver.h"
#include "regs.h"

/* Counters are closed to lower levels unless a request opens them. They belong to the hypervisor,
 * and code that can read a counter can also write it. */
#define SPARCT4_CLOSED (FIELD(PCR, picnht) | FIELD(PCR, picnpt))

/* Groups whose events are precise (Table 10-2), as bits. */
#define SPARCT4_PRECISE_GROUPS (1U << 3 | 1U << 4 | 1U << 5 | 1U << 16 | 1U << 25)

/* A cold function: compiled for size, and not inlined into fast paths. */
#define RARE __attribute__((cold, noinline))

#define EACH_COUNTER _Pragma("GCC unroll 4") for (unsigned i = 0; i < SPARCT4_COUNTERS; i++)

/* The mask shows the compiler that the address space is always the same. */
#define PCR_OF(counter)	(SPARCT4_PCR0 | ((counter) & (SPARCT4_COUNTERS - 1)))
#define PIC_OF(counter)	(SPARCT4_PIC0 | ((counter) & (SPARCT4_COUNTERS - 1)))

static inline bool is_in(uint64_t counters, unsigned counter)
{
	return counters >> counter & 1;
}

extern const struct pmu_driver pmu_driver_sparct4;

uint64_t sparct4_choices(const struct event_request *request);
uint64_t sparct4_encode(const struct event_request *request, unsigned counter);
const char *sparct4_objection(const struct event_request *request);
bool sparct4_polled(const struct event_request *request);

/* driver_traps.c. Returns whether a counter of this PCR traps precisely; hyperprivileged mode can
 * lose such a trap. */
bool sparct4_traps_precisely(uint64_t control);

/* Called in a precise trap before any status is cleared. Returns whether the trapped instruction
 * has executed. `control`: the PCR value of each counter while it runs; `used`: bit mask of
 * counters. */
bool sparct4_has_executed(const uint64_t control[SPARCT4_COUNTERS], uint64_t used);

#endif
