// SPDX-License-Identifier: BSD-2-Clause
// Names of requested events: event_text.h.

#include "event_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void add_text(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, size - used, format, arguments);
	va_end(arguments);
}

uint64_t format_event_name(const struct pmu_driver *driver, const struct event_request *request,
			   char *text, size_t size)
{
	const struct pmu_event *event = request->event;
	const char *dot = strrchr(event->name, '.');
	const size_t stem = dot ? (size_t)(dot + 1 - event->name) : 0;
	uint64_t extra = event->setting_value;
	uint8_t named = event->umask;

	if (event == &event_raw)
		snprintf(text, size, "raw=0x%" PRIx64, pmu_raw_select(driver, request));
	else
		snprintf(text, size, "%s", event->name);
	for (size_t i = 0; event->joins && i < driver->events->count; i++) {
		const struct pmu_event *e = &driver->events->event[i];

		if (e->code != event->code || !e->joins || e->umask & ~request->umask ||
		    !(e->umask & ~named) ||
		    strncmp(e->name, event->name, stem))
			continue;
		add_text(text, size, "+%s", e->name + stem);
		named |= e->umask;
		extra |= e->setting_value;
	}
	return extra;
}
