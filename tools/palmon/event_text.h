/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of requested events, for the palmon command and the plugin for QEMU. */
#ifndef EVENT_TEXT_H
#define EVENT_TEXT_H

#include "pmu_driver.h"

/* Adds to text that is cut at its end. */
__attribute__((format(printf, 3, 4))) void add_text(char *text, size_t size, const char *format, ...);

/* Writes the name of a request's event with all unit masks that are joined, as event_parse reads it. Returns the value
 * that they together need in the event's other register. */
uint64_t format_event_name(const struct pmu_driver *driver, const struct event_request *request, char *text,
			   size_t size);

#endif
