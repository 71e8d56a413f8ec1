/* SPDX-License-Identifier: BSD-2-Clause */
/* Events by name, from the drivers' event tables. */
#ifndef QEMU_EVENTS_H
#define QEMU_EVENTS_H

#include "pmu_driver.h"

/* Converts a control register's value (`select`) to the event that the counter selects. An unnamed
 * event becomes a raw one. */
void events_read(const struct pmu_driver *driver, unsigned counter, uint64_t select,
		 struct event_request *request);

/* Writes an event's name in the syntax of event_parse, with the modifiers that differ from the
 * event's defaults. `setting`: value of the register at event->setting_address. */
void events_name(const struct pmu_driver *driver, const struct event_request *request,
		 uint64_t setting, char *text, size_t size);

#endif
