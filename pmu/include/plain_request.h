/* SPDX-License-Identifier: BSD-2-Clause */
/* For drivers of PMUs whose counters have thresholds and the levels USR and OS, nothing else. */
#ifndef PLAIN_REQUEST_H
#define PLAIN_REQUEST_H

#include "event.h"

/* Returns why no counter can count a request that needs precise records, filters, pins, addresses
 * or a further register. NULL: it needs none of them. */
const char *plain_objection(const struct event_request *r);

/* Returns why no counter can count at a request's levels. NULL: one can. */
const char *plain_levels_objection(const struct event_request *r);

#endif
