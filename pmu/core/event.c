// SPDX-License-Identifier: BSD-2-Clause
// Event names and modifiers: event.h.

#include "event.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct name {
	const char *text;
	size_t length;
};

static int compare_name(const void *key, const void *element)
{
	const struct name *name = key;
	const char *other = ((const struct pmu_event *)element)->name;
	int order = strncasecmp(name->text, other, name->length);

	return order ? order : -(other[name->length] != '\0');
}

const struct pmu_event *event_find(const struct pmu_event_table *table, const char *name, size_t length)
{
	const struct name key = {name, length};

	if (memchr(name, '\0', length))
		return NULL;
	return bsearch(&key, table->event, table->count, sizeof *table->event, compare_name);
}

// Where a word of the grammar ends.
static size_t word_length(const char *s)
{
	return strcspn(s, ":=,");
}

static bool is_word(const char *s, size_t length, const char *word)
{
	return length == strlen(word) && !strncasecmp(s, word, length);
}

// "=N" with N from least to most; *text moves behind it.
static bool parse_value(const char **text, unsigned long long least, unsigned long long most,
			unsigned long long *value)
{
	const char *digits = *text + 1;
	char *end;

	if (**text != '=' || *digits < '0' || *digits > '9')
		return false;
	*value = strtoull(digits, &end, 0);
	if (*value < least || *value > most || (*end != ':' && *end != ',' && *end != '\0'))
		return false;
	*text = end;
	return true;
}

static const struct {
	const char *word;
	uint8_t modifier;
} flags[] = {
	{"u", EVENT_USER}, {"k", EVENT_OS}, {"e", EVENT_EDGE}, {"i", EVENT_INV}, {"t", EVENT_ANY},
};

// One modifier at *text; moves *text behind it.
static enum event_error parse_modifier(const char **text, struct event_request *r)
{
	size_t length = word_length(*text);
	const char *value_text = *text + length;
	unsigned long long value;
	bool good = false;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (is_word(*text, length, flags[i].word)) {
			if (*value_text == '=')
				return EVENT_BAD_VALUE;
			r->modifiers |= flags[i].modifier;
			*text = value_text;
			return EVENT_OK;
		}
	if (is_word(*text, length, "c") || is_word(*text, length, "cmask")) {
		good = parse_value(&value_text, 0, 255, &value);
		r->cmask = good ? (uint8_t)value : 0;
	} else if (is_word(*text, length, "ctr")) {
		good = parse_value(&value_text, 0, 63, &value);
		r->counter = good ? (int8_t)value : 0;
	} else if (is_word(*text, length, "period")) {
		good = parse_value(&value_text, 0, UINT64_MAX >> 1, &value);
		r->period = good ? value : 0;
	} else {
		return EVENT_BAD_MODIFIER;
	}
	if (good)
		*text = value_text;
	return good ? EVENT_OK : EVENT_BAD_VALUE;
}

enum event_error event_parse(const struct pmu_event_table *table, const char **text, struct event_request *request)
{
	const char *s = *text;
	size_t length = word_length(s);
	struct event_request r = {.counter = EVENT_ANY_COUNTER};

	if (length > EVENT_NAME_MAX)
		return EVENT_TOO_LONG;
	r.event = event_find(table, s, length);
	if (!r.event)
		return EVENT_UNKNOWN;
	r.umask = r.event->umask;
	r.cmask = r.event->cmask;
	r.modifiers = r.event->modifiers;
	s += length;
	while (*s == ':') {
		enum event_error error;

		s++;
		error = parse_modifier(&s, &r);
		if (error) {
			*text = s;
			return error;
		}
	}
	if (*s != ',' && *s != '\0') {
		*text = s;
		return EVENT_BAD_MODIFIER;
	}
	if (!(r.modifiers & (EVENT_USER | EVENT_OS)))
		r.modifiers |= EVENT_USER | EVENT_OS;
	r.levels = (uint8_t)((r.modifiers & EVENT_OS ? 1 : 0) | (r.modifiers & EVENT_USER ? 0xE : 0));
	*text = s + (*s == ',');
	*request = r;
	return EVENT_OK;
}
