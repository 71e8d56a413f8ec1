// SPDX-License-Identifier: BSD-2-Clause
// Parses event names and unit masks: event.h.

#include "event.h"
#include "event_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pmu_driver.h"

struct name {
	const char *text;
	size_t length;
};

static int compare_name(const void *key, const void *element)
{
	const struct name *name = key;
	const char *other = *(const char *const *)element;	// events and aliases both begin
								// with their name
	size_t same = 0;
	int order;

	while (same < name->length && name->text[same] == other[same])
		same++;		// names are usually written as in the table, with equal prefixes
	order = strncasecmp(name->text + same, other + same, name->length - same);
	return order ? order : -(other[name->length] != '\0');
}

static const struct pmu_event_alias *find_alias(const struct pmu_event_table *table,
						const char *name, size_t length)
{
	const struct name key = {name, length};

	if (!table->alias_count)
		return NULL;
	return bsearch(&key, table->alias, table->alias_count, sizeof *table->alias, compare_name);
}

const struct pmu_event *event_find(const struct pmu_event_table *table, const char *name,
				   size_t length)
{
	const struct name key = {name, length};
	const struct pmu_event_alias *alias;
	const struct pmu_event *event;

	if (memchr(name, '\0', length))
		return NULL;
	event = bsearch(&key, table->event, table->count, sizeof *table->event, compare_name);
	alias = event ? NULL : find_alias(table, name, length);
	return alias ? event_find(table, alias->text, strlen(alias->text)) : event;
}

//
// Names and unit masks
//

// Returns the event whose name is `stem` (stem_length characters), '.' and the word at `word`;
// NULL: there is none.
static const struct pmu_event *find_unit_mask(const struct pmu_event_table *table, const char *stem,
					      size_t stem_length, const char *word)
{
	char name[EVENT_NAME_MAX + 1];
	size_t length = event_word_length(word);

	if (stem_length + 1 + length > EVENT_NAME_MAX)
		return NULL;
	memcpy(name, stem, stem_length);
	name[stem_length] = '.';
	memcpy(name + stem_length + 1, word, length);
	return event_find(table, name, stem_length + 1 + length);
}

// Joins the unit mask at *text with that of r->event, which must be a similar event. Advances
// *text. By default the joined event counts at all levels at which one of them counts.
static enum event_error join_unit_mask(const struct pmu_event_table *table, const char **text,
				       struct event_request *r)
{
	const char *dot = strrchr(r->event->name, '.');
	const struct pmu_event *other = NULL;

	if (dot)
		other = find_unit_mask(table, r->event->name, (size_t)(dot - r->event->name),
				       *text);
	if (!other)
		other = event_find(table, *text, event_word_length(*text));
	if (!other)
		return EVENT_NO_MASK;
	if (!r->event->joins || !other->joins || other->code != r->event->code ||
	    other->cmask != r->event->cmask ||
	    (other->modifiers ^ r->event->modifiers) & ~EVENT_DEFAULT_LEVELS ||
	    other->counters != r->event->counters ||
	    other->setting_address != r->event->setting_address)
		return EVENT_NO_JOIN;
	if (!(other->umask & ~r->umask) && !(other->setting_value & ~r->extra))
		return EVENT_TWICE;
	r->umask |= other->umask;
	r->modifiers &= (uint16_t)(other->modifiers | ~EVENT_DEFAULT_LEVELS);
	r->extra |= other->setting_value;
	*text += event_word_length(*text);
	return EVENT_OK;
}

// Returns the event for a word that every target knows: cycles, instructions. NULL: it is not such
// a word.
static const struct pmu_event *find_common(const struct event_reading *reading, const char *word,
					   size_t length)
{
	const char *name = NULL;

	if (reading->driver && event_is_word(word, length, "cycles"))
		name = reading->driver->cycles;
	else if (reading->driver && event_is_word(word, length, "instructions"))
		name = reading->driver->retired;
	return name ? event_find(reading->table, name, strlen(name)) : NULL;
}

static const char raw_word[] = "raw";

// Returns whether the text at `s` is "raw=", or 'r' with hexadecimal digits. At least one must be a
// decimal digit, because a word such as "read" is not a raw event.
static bool is_raw(const char *s)
{
	const size_t length = event_word_length(s);

	if (s[length] == '=')
		return event_is_word(s, length, raw_word);
	return tolower((unsigned char)*s) == 'r' &&
	       strspn(s + 1, "0123456789abcdefABCDEF") == length - 1 &&
	       strcspn(s, "0123456789") < length;
}

// Parses a raw event: bits of a control register. Advances *text.
static enum event_error parse_raw(const char **text, struct event_reading *reading)
{
	struct event_request *r = &reading->request;
	const char *s = *text + sizeof raw_word;	// after the '='
	uint64_t select;
	bool good = reading->driver;

	if ((*text)[event_word_length(*text)] == '=') {
		good &= event_parse_number(&s, 0, UINT64_MAX, &select);
	} else {
		char *end;

		errno = 0;
		select = strtoull(*text + 1, &end, 16);
		good &= !errno;
		s = end;
	}
	if (!good || !event_at_end(s) ||
	    !pmu_read_raw(reading->driver, pmu_raw_counter(reading->driver), select, r))
		return EVENT_BAD_RAW;
	reading->own_levels = r->levels;
	r->levels = 0;
	r->modifiers &= (uint16_t)~EVENT_DEFAULT_LEVELS;
	r->modifiers |= r->event->modifiers & EVENT_DEFAULT_LEVELS;
	*text = s;
	return EVENT_OK;
}

// Skips the name of the PMU before the event's name.
static enum event_error parse_prefix(const char **text, const struct event_reading *reading)
{
	const size_t length = event_word_length(*text);

	if (strncmp(*text + length, "::", 2) || event_find(reading->table, *text, length))
		return EVENT_OK;
	if (!reading->driver || !pmu_driver_is(reading->driver, *text, length))
		return EVENT_BAD_PREFIX;
	*text += length + 2;
	return EVENT_OK;
}

static enum event_error parse_table_name(const char **text, struct event_reading *reading);

// Parses the name at *text (`length` characters) if it is an alias of several joined events.
// Advances *text.
static enum event_error parse_alias(const char **text, size_t length, struct event_reading *reading)
{
	const struct pmu_event_alias *alias = find_alias(reading->table, *text, length);
	const char *stands_for = alias ? alias->text : NULL;

	if (!alias)
		return EVENT_UNKNOWN;
	*text += length;
	return parse_table_name(&stands_for, reading);
}

static enum event_error join_unit_masks(const char **text, struct event_reading *reading)
{
	enum event_error error = EVENT_OK;

	while (!error && **text == '+') {
		++*text;
		error = join_unit_mask(reading->table, text, &reading->request);
	}
	return error;
}

// Parses NAME, NAME.UMASK or NAME:UMASK, and names joined to it by '+'. Advances *text.
static enum event_error parse_table_name(const char **text, struct event_reading *reading)
{
	struct event_request *r = &reading->request;
	const char *s = *text;
	size_t length = event_word_length(s);

	if (length > EVENT_NAME_MAX)
		return EVENT_TOO_LONG;
	if (s[length] == ':')
		r->event = find_unit_mask(reading->table, s, length, s + length + 1);
	if (r->event)
		length += 1 + event_word_length(s + length + 1);
	else
		r->event = event_find(reading->table, s, length);
	if (!r->event)
		r->event = find_common(reading, s, length);
	if (!r->event) {
		enum event_error error = parse_alias(text, length, reading);

		return error ? error : join_unit_masks(text, reading);
	}
	r->umask = r->event->umask;
	r->cmask = r->event->cmask;
	r->modifiers = r->event->modifiers;
	r->extra = r->event->setting_value;
	*text += length;
	return join_unit_masks(text, reading);
}

static enum event_error parse_name(const char **text, struct event_reading *reading)
{
	enum event_error error;

	if (event_has_terms(*text))
		return event_parse_terms(text, reading);
	error = parse_prefix(text, reading);
	if (!error) {
		error = parse_table_name(text, reading);
		if ((error == EVENT_UNKNOWN || error == EVENT_TOO_LONG) && is_raw(*text))
			error = parse_raw(text, reading);
	}
	return error;
}

static enum event_error parse_modifier(const char **text, struct event_reading *reading)
{
	const size_t length = event_word_length(*text);
	enum event_error error = event_parse_word(text, length, reading);

	if (error != EVENT_BAD_MODIFIER || !event_at_end(*text + length))
		return error;
	// A second unit mask looks like a modifier.
	if (length) {
		enum event_error joined = join_unit_mask(reading->table, text, &reading->request);

		error = joined == EVENT_NO_MASK ? error : joined;
	}
	return error == EVENT_BAD_MODIFIER ? event_parse_letters(text, length, reading) : error;
}

// Returns whether the word at `wrong` stands in the place of a unit mask, after the name of an
// event that has unit masks.
static bool is_unit_mask(const struct pmu_event_table *table, const char *name, const char *wrong)
{
	const size_t length = event_word_length(name);
	bool found = false;

	for (size_t i = 0; wrong == name + length + 1 && i < table->count; i++)
		found |= !strncasecmp(table->event[i].name, name, length) &&
			table->event[i].name[length] == '.';
	return found;
}

// Returns the levels of a request that names none.
static uint8_t default_levels(const struct event_reading *reading)
{
	const uint16_t modifiers = reading->request.modifiers;
	unsigned levels = (modifiers & EVENT_OS ? EVENT_HIGHEST_LEVEL : 0) |
			  (modifiers & EVENT_USER ? EVENT_ALL_LEVELS & ~EVENT_HIGHEST_LEVEL : 0);

	if (reading->own_levels)
		return reading->own_levels;
	return (uint8_t)(levels ? levels : EVENT_ALL_LEVELS);
}

// Sets the levels of a request. False: none is left.
static bool complete_levels(struct event_reading *reading)
{
	struct event_request *r = &reading->request;

	if (!r->levels)
		r->levels = default_levels(reading);
	r->levels &= (uint8_t)~reading->cleared_levels;
	r->modifiers &= (uint16_t)~EVENT_DEFAULT_LEVELS;
	r->modifiers |= (uint16_t)((r->levels & EVENT_HIGHEST_LEVEL ? EVENT_OS : 0) |
				   (r->levels & ~EVENT_HIGHEST_LEVEL ? EVENT_USER : 0));
	return r->levels;
}

// Sets the jitter of a request that names none.
static void complete_jitter(struct event_reading *reading)
{
	struct event_request *r = &reading->request;

	if (r->event->random && !(reading->numbers >> offsetof(struct event_request, jitter) & 1))
		r->jitter = EVENT_JITTER;
	if (!(reading->numbers >> offsetof(struct event_request, seed) & 1))
		r->seed = EVENT_SEED;
	if (!r->jitter)
		r->seed = 0;
}

enum event_error event_read(const struct pmu_event_table *table, const char **text,
				   struct event_request *request)
{
	struct event_reading reading = {
		.table = table, .driver = pmu_driver_with(table),
		.request.counter = EVENT_ANY_COUNTER,
	};
	const char *s = *text;
	enum event_error error = parse_name(&s, &reading);

	while (!error && *s == ':') {
		s++;
		error = parse_modifier(&s, &reading);
	}
	if (!error && !event_ends(s))
		error = EVENT_BAD_MODIFIER;
	if (!error && !complete_levels(&reading)) {
		error = EVENT_NO_LEVEL;
		s = *text;
	}
	if (error == EVENT_BAD_MODIFIER && is_unit_mask(table, *text, s)) {
		error = EVENT_UNKNOWN;
		s = *text;
	}
	*text = s;
	if (!error) {
		complete_jitter(&reading);
		*request = reading.request;
	}
	return error;
}

enum event_error event_parse(const struct pmu_event_table *table, const char **text,
			     struct event_request *request)
{
	struct event_request read;
	enum event_error error = event_read(table, text, &read);

	if (!error && **text == '}')
		error = EVENT_BAD_GROUP;
	if (error)
		return error;
	*text += **text == ',';
	*request = read;
	return EVENT_OK;
}
