/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files that parse events. */
#ifndef EVENT_READ_H
#define EVENT_READ_H

#include "event.h"

struct pmu_driver;

#define EVENT_HIGHEST_LEVEL	1u
#define EVENT_LOWEST_LEVEL	(1u << (EVENT_LEVELS - 1))
#define EVENT_ALL_LEVELS	((1u << EVENT_LEVELS) - 1)
#define EVENT_DEFAULT_LEVELS	(EVENT_OS | EVENT_USER)

/* State of the parser of one event. */
struct event_reading {
	const struct pmu_event_table *table;
	const struct pmu_driver *driver;	/* driver of this table; NULL: none */
	struct event_request request;
	uint8_t own_levels;			/* levels selected by the bits of a raw event; 0:
						 * none */
	uint8_t cleared_levels;			/* levels cleared by u=0 and k=0 */
	uint8_t named_levels;			/* levels named by u and k, with or without =0 */
	uint16_t flags;				/* EVENT_* flags set by modifiers */
	uint64_t numbers;			/* bit n: a modifier has set the member of `request`
						 * at offset n */
};

/* Parses one event, up to the end of the text, a comma or a brace. */
enum event_error event_read(const struct pmu_event_table *table, const char **text,
			    struct event_request *request);

/* Returns whether an event with terms, PMU/TERM.../, begins at s. */
bool event_has_terms(const char *s);

/* Parses such an event, and the letters after its second slash. Advances *text to its end, on an
 * error to the wrong word. */
enum event_error event_parse_terms(const char **text, struct event_reading *reading);

/* Returns the length of the word that begins at s. */
size_t event_word_length(const char *s);

/* Returns whether this word, `length` characters at s, is `word`. */
bool event_is_word(const char *s, size_t length, const char *word);

/* Return whether an event ends at s; whether an event or a modifier ends there. */
bool event_ends(const char *s);
bool event_at_end(const char *s);

/* Parses a number from `least` to `most` at *text, and advances *text to its end. */
bool event_parse_number(const char **text, unsigned long long least, unsigned long long most,
			uint64_t *value);

/* Parse the modifier at *text, whose word has `length` characters, and advance *text to its end: a
 * modifier word; or one-letter flags written together. On an error *text is unchanged. */
enum event_error event_parse_word(const char **text, size_t length, struct event_reading *reading);
enum event_error event_parse_letters(const char **text, size_t length,
				     struct event_reading *reading);

#endif
