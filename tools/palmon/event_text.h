/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of requested events, for the palmon command and the QEMU plugin. */
#ifndef EVENT_TEXT_H
#define EVENT_TEXT_H

#include "pmu_driver.h"

/* Appends to `text`, which is truncated at `size`. */
__attribute__((format(printf, 3, 4))) void add_text(char *text, size_t size, const char *format,
						    ...);

/* Writes the name of a request's event with all its joined unit masks, in the syntax of
 * event_parse. Returns the value that these names together need in the event's additional
 * register. */
uint64_t format_event_name(const struct pmu_driver *driver, const struct event_request *request,
			   char *text, size_t size);

#endif
