/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the SPARC T4 driver share: driver.c counts and serves overflows, driver_request.c says what can be
 * counted and how. */
#ifndef SPARCT4_DRIVER_H
#define SPARCT4_DRIVER_H

#include "pmu_driver.h"
#include "regs.h"

/* Counters are closed to lower levels unless that is asked for: they are the hypervisor's, and who can read one can
 * write it. */
#define SPARCT4_CLOSED (FIELD(PCR, picnht) | FIELD(PCR, picnpt))

/* Groups whose events are precise (Table 10-2), as bits. */
#define SPARCT4_PRECISE_GROUPS (1U << 3 | 1U << 4 | 1U << 5 | 1U << 16 | 1U << 25)

extern const struct pmu_driver pmu_driver_sparct4;

uint64_t sparct4_choices(const struct event_request *request);
uint64_t sparct4_encode(const struct event_request *request, unsigned counter);
const char *sparct4_objection(const struct event_request *request);
bool sparct4_polled(const struct event_request *request);

#endif
