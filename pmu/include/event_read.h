/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files which read events share. */
#ifndef EVENT_READ_H
#define EVENT_READ_H

#include "event.h"

struct pmu_driver;

#define EVENT_HIGHEST_LEVEL	1u
#define EVENT_LOWEST_LEVEL	(1u << (EVENT_LEVELS - 1))
#define EVENT_ALL_LEVELS	((1u << EVENT_LEVELS) - 1)
#define EVENT_DEFAULT_LEVELS	(EVENT_OS | EVENT_USER)

/* An event that is being read. */
struct event_reading {
	const struct pmu_event_table *table;
	const struct pmu_driver *driver;	/* to which the table belongs; NULL: none */
	struct event_request request;
	uint8_t own_levels;			/* of a raw event: selected by its bits; 0: none */
	uint8_t cleared_levels;			/* by u=0 and k=0 */
	uint8_t named_levels;			/* by u and k, with =0, too */
	uint16_t flags;				/* EVENT_* named by modifiers */
	uint64_t numbers;			/* bit n: a modifier has set the field of request at offset n */
};

/* One event, up to its end, a comma or a brace. */
enum event_error event_read(const struct pmu_event_table *table, const char **text, struct event_request *request);

/* The length of the word of the grammar that begins at s; whether that word is `word`. */
size_t event_word_length(const char *s);
bool event_is_word(const char *s, size_t length, const char *word);

/* Whether an event ends here; whether an event or a modifier does. */
bool event_ends(const char *s);
bool event_at_end(const char *s);

/* Reads a number from least to most at *text, and moves *text to its end. */
bool event_parse_number(const char **text, unsigned long long least, unsigned long long most, uint64_t *value);

/* Reads the modifier at *text, whose word is `length` long, and moves *text to its end: one of the listed words, or
 * several one-letter flags. On an error *text is as it was. */
enum event_error event_parse_word(const char **text, size_t length, struct event_reading *reading);
enum event_error event_parse_letters(const char **text, size_t length, struct event_reading *reading);

#endif
