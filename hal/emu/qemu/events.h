/* SPDX-License-Identifier: BSD-2-Clause */
/* Events by name, from the drivers' event tables. */
#ifndef QEMU_EVENTS_H
#define QEMU_EVENTS_H

#include "pmu_driver.h"

/* Converts a control register's value (`select`) to the event that the counter selects. An event without a name becomes
 * a raw one. */
void events_read(const struct pmu_driver *driver, unsigned counter, uint64_t select, struct event_request *request);

/* Writes the name of an event as event_parse reads it, with the modifiers that differ from the event's own. `setting`:
 * value of the register at event->setting_address. */
void events_name(const struct pmu_driver *driver, const struct event_request *request, uint64_t setting, char *text,
		 size_t size);

#endif
