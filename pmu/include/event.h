/* SPDX-License-Identifier: BSD-2-Clause */
/* Events: the table of a target's, compiled from events.tab, and an event as a caller asks for it. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Modifiers, in a table line and in a request. */
#define EVENT_EDGE	(1u << 0)	/* count the condition's rising edges */
#define EVENT_INV	(1u << 1)	/* condition: fewer than the threshold */
#define EVENT_ANY	(1u << 2)	/* of all threads of the core */
#define EVENT_USER	(1u << 3)	/* at the lower privilege levels */
#define EVENT_OS	(1u << 4)	/* at the highest privilege level */

/* One line of events.tab. */
struct pmu_event {
	const char *name;		/* as the manual spells it */
	const char *description;	/* in palmon's words */
	const char *source;		/* where in the manual */
	uint64_t counters;		/* which can count it: bit n for counter number n */
	uint16_t code;
	uint8_t umask;
	uint8_t umask_care;		/* unit-mask bits that matter */
	uint8_t cmask;			/* threshold, 0: none */
	uint8_t modifiers;		/* EVENT_EDGE, EVENT_INV, EVENT_ANY */
	uint8_t max;			/* the most it can add in a cycle */
	bool precise;
};

/* Ordered by name (strcasecmp), without duplicates. */
struct pmu_event_table {
	const struct pmu_event *event;
	size_t count;
};

#define EVENT_ANY_COUNTER (-1)

/* An event with a caller's modifiers on top of the table's. */
struct event_request {
	const struct pmu_event *event;
	uint8_t cmask;			/* 0-255 */
	uint8_t modifiers;		/* all of EVENT_* */
	int8_t counter;			/* the counter number it must have, or EVENT_ANY_COUNTER */
	uint64_t period;		/* sample each so many events; 0: only count */
};

enum event_error {
	EVENT_OK,
	EVENT_UNKNOWN,			/* no event has this name */
	EVENT_BAD_MODIFIER,		/* a modifier that does not exist */
	EVENT_BAD_VALUE,		/* a modifier's value is missing, not a number, or out of range */
	EVENT_TOO_LONG,			/* a name longer than any event's */
};

#define EVENT_NAME_MAX 63

/* The event called `name` (`length` characters, upper or lower case), or NULL. */
const struct pmu_event *event_find(const struct pmu_event_table *table, const char *name, size_t length);

/* Reads one event from the text that starts at *text:
 *
 *	NAME[:MODIFIER...]	u (user), k (highest level), i (invert), e (edge), t (any thread), c=N or cmask=N
 *				(threshold 0-255), ctr=N (counter number), period=N
 *
 * up to its end or a comma. Without u and k, all levels count. On success *text is behind it (at the end or behind
 * the comma); on failure it is at the word that is wrong, and *request is untouched. */
enum event_error event_parse(const struct pmu_event_table *table, const char **text, struct event_request *request);

#endif
