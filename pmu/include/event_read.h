/* SPDX-License-Identifier: BSD-2-Clause */
/* Among the files that read events. */
#ifndef EVENT_READ_H
#define EVENT_READ_H

#include "event.h"

/* One event, up to its end, a comma or a brace. */
enum event_error event_read(const struct pmu_event_table *table, const char **text, struct event_request *request);

#endif
