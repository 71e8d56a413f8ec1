// SPDX-License-Identifier: BSD-2-Clause

#include "events.h"

#include <inttypes.h>
#include <string.h>

#include "event_text.h"

static const struct pmu_event *fixed_event(const struct pmu_driver *driver, unsigned counter)
{
	for (const struct pmu_event *e = driver->events->event;
	     e < driver->events->event + driver->events->count; e++)
		if (e->counters >> counter & 1)
			return e;
	return &event_raw;
}

void events_read(const struct pmu_driver *driver, unsigned counter, uint64_t select,
		 struct event_request *request)
{
	if (driver->shape->fixed >> counter & 1) {
		pmu_read_select(driver, counter, select, request);
		request->event = fixed_event(driver, counter);
		request->umask = request->event->umask;
	} else {
		pmu_read_raw(driver, counter, select, request);
	}
}

// Among the events with this code and unit mask, returns the one that requires this value in
// another register, or else `event`.
static const struct pmu_event *with_setting(const struct pmu_driver *driver,
					    const struct pmu_event *event, uint64_t setting)
{
	for (const struct pmu_event *e = driver->events->event;
	     e < driver->events->event + driver->events->count; e++)
		if (e->code == event->code && e->umask == event->umask &&
		    e->setting_value == setting &&
		    e->setting_address == event->setting_address)
			return e;
	return event;
}

static void add_modifiers(const struct event_request *r, char *text, size_t size)
{
	const uint16_t differ = r->modifiers ^ r->event->modifiers;

	if (!(r->modifiers & EVENT_OS))
		add_text(text, size, ":u");
	if (!(r->modifiers & EVENT_USER))
		add_text(text, size, ":k");
	if (r->cmask != r->event->cmask)
		add_text(text, size, ":c=%u", r->cmask);
	if (differ & EVENT_INV)
		add_text(text, size, ":i=%d", !!(r->modifiers & EVENT_INV));
	if (differ & EVENT_EDGE)
		add_text(text, size, ":e=%d", !!(r->modifiers & EVENT_EDGE));
	if (differ & EVENT_ANY)
		add_text(text, size, ":t=%d", !!(r->modifiers & EVENT_ANY));
}

void events_name(const struct pmu_driver *driver, const struct event_request *request,
		 uint64_t setting, char *text, size_t size)
{
	struct event_request r = *request;

	if (r.event->setting_address)
		r.event = with_setting(driver, r.event, setting);
	if (r.event->setting_address && r.event->setting_value == setting)
		r.umask = r.event->umask;
	format_event_name(driver, &r, text, size);
	if (r.event->setting_address && r.event->setting_value != setting)
		add_text(text, size, ":msr=0x%" PRIx64, setting);
	add_modifiers(&r, text, size);
}
