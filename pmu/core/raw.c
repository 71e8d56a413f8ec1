// SPDX-License-Identifier: BSD-2-Clause
// Raw events: decodes the value of a control register into a request. The driver's `encode` shows
// which bits it writes for each part of a request, so that this file knows no register layout.

#include "pmu_driver.h"

const struct pmu_event event_raw = {
	.name = "raw", .description = "event selected by the bits of a control register",
	.source = "", .category = "",
	.umask_care = UINT8_MAX, .max = UINT8_MAX,
};

// Modifiers that control registers encode in bits of their own.
#define CONDITION (EVENT_EDGE | EVENT_INV | EVENT_ANY)
#define WRITTEN (CONDITION | EVENT_VISIBLE)

// Parts of a request that a control register encodes, and their lengths in bits.
enum part { CODE, UMASK, THRESHOLD, SETS, LEVELS, MODIFIERS, PARTS };

static const uint8_t part_bits[PARTS] = {
	[CODE] = 16, [UMASK] = 8, [THRESHOLD] = 8, [SETS] = 2, [LEVELS] = EVENT_LEVELS,
	[MODIFIERS] = 16,
};

static void set_bit(struct event_request *r, enum part part, unsigned bit)
{
	const unsigned value = 1u << bit;

	switch (part) {
	case CODE:
		r->raw_code |= (uint16_t)value;
		break;
	case UMASK:
		r->umask |= (uint8_t)value;
		break;
	case THRESHOLD:
		r->cmask |= (uint8_t)value;
		break;
	case SETS:
		r->sets |= (uint8_t)value;
		break;
	case LEVELS:
		r->levels |= (uint8_t)value;
		r->modifiers |= bit ? EVENT_USER : EVENT_OS;
		break;
	default:
		r->modifiers |= value & WRITTEN;
	}
}

// Returns the counters whose control register selects an event.
static uint64_t selecting_counters(const struct pmu_driver *driver)
{
	const struct event_request none = {.event = &event_raw},
		all = {.event = &event_raw, .raw_code = UINT16_MAX};
	uint64_t counters = 0;

	for (uint64_t left = driver->shape->counters; left; left &= left - 1) {
		const unsigned counter = (unsigned)__builtin_ctzll(left);

		if (driver->encode(&none, counter) != driver->encode(&all, counter))
			counters |= 1ULL << counter;
	}
	return counters;
}

unsigned pmu_raw_counter(const struct pmu_driver *driver)
{
	return (unsigned)__builtin_ctzll(selecting_counters(driver));
}

bool pmu_read_select(const struct pmu_driver *driver, unsigned counter, uint64_t select,
		     struct event_request *request)
{
	const struct event_request none = {.event = &event_raw, .counter = EVENT_ANY_COUNTER};
	const uint64_t always = driver->encode(&none, counter);
	bool has_levels = false;

	*request = none;
	for (unsigned part = 0; part < PARTS; part++)
		for (unsigned bit = 0; bit < part_bits[part]; bit++) {
			struct event_request one = none;
			uint64_t bits;

			set_bit(&one, part, bit);
			bits = driver->encode(&one, counter) & ~always;
			has_levels |= part == LEVELS && bits;
			if (bits && (select & bits) == bits)
				set_bit(request, part, bit);
		}
	for (unsigned level = 0; !has_levels && level < EVENT_LEVELS; level++)
		set_bit(request, LEVELS, level);
	return !(select & ~driver->encode(request, counter));
}

uint64_t pmu_raw_select(const struct pmu_driver *driver, const struct event_request *request)
{
	const unsigned counter = pmu_raw_counter(driver);
	const struct event_request none = {.event = &event_raw}, event = {
		.event = &event_raw, .raw_code = event_code(request), .umask = request->umask,
	};

	return driver->encode(&event, counter) ^ driver->encode(&none, counter);
}

// Returns the unit-mask bits that distinguish an event from others; for events that join, the bits
// of all events that it can be joined with.
static uint8_t telling_bits(const struct pmu_driver *driver, const struct pmu_event *e)
{
	uint8_t bits = e->umask_care;

	for (size_t i = 0; e->joins && i < driver->events->count; i++) {
		const struct pmu_event *other = &driver->events->event[i];

		if (other->joins && other->code == e->code)
			bits |= other->umask_care;
	}
	return bits;
}

bool pmu_event_is(const struct pmu_driver *driver, const struct pmu_event *event,
		  const struct event_request *request, bool exactly)
{
	if (event->code != event_code(request) ||
	    (event->umask ^ request->umask) & telling_bits(driver, event))
		return false;
	return exactly ? event->cmask == request->cmask &&
	       !((event->modifiers ^ request->modifiers) & CONDITION) :
			 !(event->cmask || event->modifiers & CONDITION);
}

// Returns the first event with a request's code and unit mask and, if `exactly`, its threshold,
// edge, inversion and any-thread bits. NULL: there is none, or there are several that only the
// counter distinguishes.
static const struct pmu_event *find_event(const struct pmu_driver *driver,
					  const struct event_request *r, bool exactly)
{
	const uint64_t selecting = selecting_counters(driver);
	const struct pmu_event *found = NULL;

	for (size_t i = 0; i < driver->events->count; i++) {
		const struct pmu_event *e = &driver->events->event[i];

		if (!(e->counters & selecting) || !pmu_event_is(driver, e, r, exactly))
			continue;
		if (found && (found->counters ^ e->counters) & selecting)
			return NULL;
		found = found ? found : e;
	}
	return found;
}

// Returns the first of several events that together have the unit mask. NULL: there are none.
static const struct pmu_event *find_joined(const struct pmu_driver *driver,
					   const struct event_request *r)
{
	const struct pmu_event *found = NULL;
	uint8_t umask = 0;

	for (size_t i = 0; i < driver->events->count; i++) {
		const struct pmu_event *e = &driver->events->event[i];

		if (e->joins && e->code == r->raw_code && !(e->umask & ~r->umask) &&
		    (!found || e->counters == found->counters)) {
			umask |= e->umask;
			found = found ? found : e;
		}
	}
	return umask == r->umask ? found : NULL;
}

// Returns the counters of the table's events with this code; all selecting counters if there is no
// such event.
static uint64_t counters_of_code(const struct pmu_driver *driver, uint16_t code)
{
	const uint64_t selecting = selecting_counters(driver);
	uint64_t counters = 0;

	for (size_t i = 0; i < driver->events->count; i++)
		if (driver->events->event[i].code == code)
			counters |= driver->events->event[i].counters & selecting;
	return counters ? counters : selecting;
}

bool pmu_read_raw(const struct pmu_driver *driver, unsigned counter, uint64_t select,
		  struct event_request *request)
{
	const bool written = pmu_read_select(driver, counter, select, request);
	const struct pmu_event *line = find_event(driver, request, true);

	if (!line)
		line = find_event(driver, request, false);
	if (!line)
		line = find_joined(driver, request);
	if (!line) {
		request->raw_counters = counters_of_code(driver, request->raw_code);
		return written && pmu_raw_select(driver, request);
	}
	request->event = line;
	request->raw_code = 0;
	request->extra = line->setting_value;
	return written;
}
