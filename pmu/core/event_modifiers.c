// SPDX-License-Identifier: BSD-2-Clause
// The words of an event's text, and its modifiers: flags, numbers and ranges (event.h). No modifier
// may be given twice.

#include "event_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

//
// Words of the grammar
//

static bool ends_word(char c)
{
	switch (c) {
	case '\0': case ':': case '=': case ',': case '+': case '{': case '}':
		return true;
	default:
		return false;
	}
}

// Faster than strcspn, which compares each character with every delimiter.
size_t event_word_length(const char *s)
{
	size_t length = 0;

	while (!ends_word(s[length]))
		length++;
	return length;
}

bool event_is_word(const char *s, size_t length, const char *word)
{
	return length == strlen(word) && !strncasecmp(s, word, length);
}

bool event_ends(const char *s)
{
	return *s == ',' || *s == '}' || *s == '\0';
}

bool event_at_end(const char *s)
{
	return *s == ':' || event_ends(s);
}

//
// Values: the text after '='
//

static int base_of(const char *s)
{
	return s[0] == '0' && tolower((unsigned char)s[1]) == 'x' ? 16 : 10;
}

// strtoull alone would accept blanks, signs and octal numbers.
bool event_parse_number(const char **text, unsigned long long least, unsigned long long most,
			uint64_t *value)
{
	char *end;
	unsigned long long number;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	number = strtoull(*text, &end, base_of(*text));
	if (errno || number < least || number > most)
		return false;
	*text = end;
	*value = number;
	return true;
}

// Parses FIRST-LAST.
static bool parse_range(const char **text, struct event_range *range)
{
	range->given = event_parse_number(text, 0, UINT64_MAX, &range->first) &&
		*(*text)++ == '-' &&
		       event_parse_number(text, range->first, UINT64_MAX, &range->last);
	return range->given;
}

#define ENCODING_MOST ((1ULL << 41) - 1)

// Parses MATCH/MASK[/TYPES].
static bool parse_opcode(const char **text, struct event_opcode *opcode)
{
	static const char letters[] = "bfim";	// from bit 0
	const char *letter;

	if (!event_parse_number(text, 0, ENCODING_MOST, &opcode->match) || *(*text)++ != '/' ||
	    !event_parse_number(text, 0, ENCODING_MOST, &opcode->mask))
		return false;
	opcode->types = **text == '/' ? 0 : EVENT_TYPE_M | EVENT_TYPE_I | EVENT_TYPE_F |
		EVENT_TYPE_B;
	if (**text == '/')
		for ((*text)++;
		     **text &&
			     (letter = strchr(letters, tolower((unsigned char)**text))); (*text)++)
			opcode->types |= (uint8_t)(1u << (letter - letters));
	opcode->given = opcode->types != 0;
	return opcode->given;
}

//
// Modifiers
//

// `off`: the flag's opposite, which "=0" selects.
static const struct {
	const char *word;
	uint16_t modifier;
	uint8_t level;
	bool off;
} flags[] = {
	{"u", 0, EVENT_LOWEST_LEVEL, 0}, {"usr", 0, EVENT_LOWEST_LEVEL, 0},
	{"k", 0, EVENT_HIGHEST_LEVEL, 0},
	{"sup", 0, EVENT_HIGHEST_LEVEL, 0}, {"e", EVENT_EDGE, 0, 0}, {"edge", EVENT_EDGE, 0, 0},
	{"i", EVENT_INV, 0, 0},
	{"inv", EVENT_INV, 0, 0}, {"t", EVENT_ANY, 0, 0}, {"any", EVENT_ANY, 0, 0},
	{"p", EVENT_PRECISE, 0, 0},
	{"pebs", EVENT_PRECISE, 0, 0}, {"precise", EVENT_PRECISE, 0, 0},
	{"lbr", EVENT_BRANCHES, 0, 0},
	{"pp", EVENT_PRECISE | EVENT_BRANCHES, 0, 0}, {"spflt", EVENT_PREFERRED, 0, 0},
	{"ev", EVENT_VISIBLE, 0, 0},
	{"oi", EVENT_SILENT, 0, true}, {"dear", EVENT_DATA_EAR, 0, 0},
	{"iear", EVENT_INST_EAR, 0, 0},
	{"open", EVENT_OPEN, 0, 0},
};

#define NUMBER(word, least, most, field) \
	{word, least, sizeof ((struct event_request *)0)->field, \
	 offsetof(struct event_request, field), most}

static const struct {
	const char *word;
	uint8_t least, size, offset;
	uint64_t most;
} numbers[] = {
	NUMBER("c", 0, 255, cmask), NUMBER("cmask", 0, 255, cmask), NUMBER("thres", 0, 255, cmask),
	NUMBER("plm", 1, EVENT_ALL_LEVELS, levels), NUMBER("ism", 0, 3, sets),
	NUMBER("ctr", 0, 63, counter), NUMBER("period", 1, INT64_MAX, period),
	NUMBER("jitter", 0, 100, jitter), NUMBER("seed", 0, UINT32_MAX, seed),
	NUMBER("lat", 1, UINT16_MAX, latency), NUMBER("ldlat", 1, UINT16_MAX, latency),
	NUMBER("tlb", 1, 15, tlb), NUMBER("btb", 1, UINT32_MAX, branches),
	NUMBER("lbr", 0, UINT32_MAX, branches), NUMBER("msr", 0, UINT64_MAX, extra),
};
_Static_assert(offsetof(struct event_request, seed) < 64,
	       "event_reading.numbers has a bit for each field");

bool event_modifier_range(const char *word, size_t length, uint64_t *least, uint64_t *most)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (event_is_word(word, length, numbers[i].word)) {
			*least = numbers[i].least;
			*most = numbers[i].most;
			return true;
		}
	return false;
}

static void store(void *field, size_t size, uint64_t value)
{
	if (size == sizeof(uint8_t))
		*(uint8_t *)field = (uint8_t)value;
	else if (size == sizeof(uint16_t))
		*(uint16_t *)field = (uint16_t)value;
	else if (size == sizeof(uint32_t))
		*(uint32_t *)field = (uint32_t)value;
	else
		*(uint64_t *)field = value;
}

static enum event_error set_flag(struct event_reading *reading, size_t i, bool on)
{
	struct event_request *r = &reading->request;

	if (reading->flags & flags[i].modifier || reading->named_levels & flags[i].level ||
	    (on && r->levels & flags[i].level))
		return EVENT_TWICE;
	reading->flags |= flags[i].modifier;
	reading->named_levels |= flags[i].level;
	if (on)
		r->levels |= flags[i].level;
	else
		reading->cleared_levels |= flags[i].level;
	r->modifiers &= (uint16_t)~flags[i].modifier;
	r->modifiers |= on != flags[i].off ? flags[i].modifier : 0;
	return EVENT_OK;
}

// Advances *text to a modifier's value, which begins after '=', or directly after a single letter.
// False: it has none.
static bool find_value(const char **text)
{
	if (**text == '=')
		++*text;
	else if (**text < '0' || **text > '9')
		return false;
	return true;
}

// Parses a flag: alone, or with "=1" or "=0".
static enum event_error parse_flag(const char **text, size_t i, struct event_reading *reading)
{
	const char *s = *text + strlen(flags[i].word);
	uint64_t on = 1;
	enum event_error error;

	if (find_value(&s)) {
		if (!event_parse_number(&s, 0, 1, &on) || !event_at_end(s))
			return EVENT_BAD_VALUE;
	}
	if (!event_at_end(s))
		return EVENT_BAD_MODIFIER;
	error = set_flag(reading, i, on);
	*text = error ? *text : s;
	return error;
}

// Returns whether a word consists of several one-letter flags.
static bool are_letters(const char *s, size_t length)
{
	size_t i = 0;

	while (i < length && strchr("ukp", tolower((unsigned char)s[i])))
		i++;
	return length && i == length;
}

enum event_error event_parse_letters(const char **text, size_t length,
				     struct event_reading *reading)
{
	enum event_error error = are_letters(*text, length) ? EVENT_OK : EVENT_BAD_MODIFIER;

	for (const char *end = *text + length; !error && *text < end;) {
		size_t i = 0, letters = !strncasecmp(*text, "pp", 2) ? 2 : 1;

		while (!event_is_word(*text, letters, flags[i].word))
			i++;
		error = set_flag(reading, i, true);
		*text += error ? 0 : letters;
	}
	return error;
}

// Stores a number in its member of the request. Levels are joined with levels that flags name.
static enum event_error set_number(struct event_reading *reading, size_t i, uint64_t value)
{
	struct event_request *r = &reading->request;
	const bool levels = numbers[i].offset == offsetof(struct event_request, levels);

	if (reading->numbers >> numbers[i].offset & 1 || (levels && r->levels & value))
		return EVENT_TWICE;
	reading->numbers |= 1ULL << numbers[i].offset;
	store((char *)r + numbers[i].offset, numbers[i].size, levels ? r->levels | value : value);
	return EVENT_OK;
}

// Parses the value of the modifier whose word has `length` characters at *text.
static enum event_error parse_value(const char **text, size_t length, struct event_reading *reading)
{
	struct event_request *r = &reading->request;
	struct event_range *range = NULL;
	const char *s = *text + length;
	const bool value_given = find_value(&s);
	bool known = false, good = false;
	enum event_error error = EVENT_OK;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (event_is_word(*text, length, numbers[i].word)) {
			uint64_t value;

			known = true;
			good = value_given &&
				event_parse_number(&s, numbers[i].least, numbers[i].most, &value);
			if (good)
				error = set_number(reading, i, value);
		}
	if (event_is_word(*text, length, "iar"))
		range = &r->code_range;
	else if (event_is_word(*text, length, "dar"))
		range = &r->data_range;
	if (range) {
		known = true;
		error = range->given ? EVENT_TWICE : EVENT_OK;
		good = value_given && parse_range(&s, range);
	} else if (event_is_word(*text, length, "opc")) {
		known = true;
		error = r->opcode.given ? EVENT_TWICE : EVENT_OK;
		good = value_given && parse_opcode(&s, &r->opcode);
	}
	if (!known || error)
		return error ? error : EVENT_BAD_MODIFIER;
	// msr=N needs an event with a further register.
	good &= !event_is_word(*text, length, "msr") || r->event->setting_address;
	if (!good || !event_at_end(s))
		return EVENT_BAD_VALUE;
	*text = s;
	return EVENT_OK;
}

// Returns the length of the modifier's own word: 1 for a letter with its number, as in "c2".
static size_t own_length(const char *s, size_t length)
{
	return length > 1 && strspn(s + 1, "0123456789") == length - 1 ? 1 : length;
}

enum event_error event_parse_word(const char **text, size_t word_length,
				  struct event_reading *reading)
{
	const size_t length = own_length(*text, word_length);

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (event_is_word(*text, length, flags[i].word) &&
		    !(flags[i].modifier == EVENT_BRANCHES && (*text)[length] == '='))
			return parse_flag(text, i, reading);
	if (event_is_word(*text, length, "lbr"))
		reading->request.modifiers |= EVENT_BRANCHES;
	return parse_value(text, length, reading);
}
