// SPDX-License-Identifier: BSD-2-Clause
// Event names and modifiers: event.h.

#include "event.h"

#include <ctype.h>
#include <errno.h>
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
	size_t same = 0;
	int order;

	while (same < name->length && name->text[same] == other[same])
		same++;		// most are written as they are listed, and begin alike
	order = strncasecmp(name->text + same, other + same, name->length - same);
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
	return strcspn(s, ":=,+");
}

static bool is_word(const char *s, size_t length, const char *word)
{
	return length == strlen(word) && !strncasecmp(s, word, length);
}

//
// Values: what stands between '=' and the next ':' or ','
//

static bool at_end(const char *s)
{
	return *s == ':' || *s == ',' || *s == '\0';
}

// A number from least to most at *text; moves *text behind it. strtoull alone would take blanks and signs.
static bool parse_number(const char **text, unsigned long long least, unsigned long long most, uint64_t *value)
{
	char *end;
	unsigned long long number;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	number = strtoull(*text, &end, 0);
	if (errno || number < least || number > most)
		return false;
	*text = end;
	*value = number;
	return true;
}

// FIRST-LAST
static bool parse_range(const char **text, struct event_range *range)
{
	range->given = parse_number(text, 0, UINT64_MAX, &range->first) && *(*text)++ == '-' &&
		       parse_number(text, range->first, UINT64_MAX, &range->last);
	return range->given;
}

#define ENCODING_MOST ((1ULL << 41) - 1)

// MATCH/MASK[/TYPES]
static bool parse_opcode(const char **text, struct event_opcode *opcode)
{
	static const char letters[] = "bfim";	// from bit 0
	const char *letter;

	if (!parse_number(text, 0, ENCODING_MOST, &opcode->match) || *(*text)++ != '/' ||
	    !parse_number(text, 0, ENCODING_MOST, &opcode->mask))
		return false;
	opcode->types = **text == '/' ? 0 : EVENT_TYPE_M | EVENT_TYPE_I | EVENT_TYPE_F | EVENT_TYPE_B;
	if (**text == '/')
		for ((*text)++; **text && (letter = strchr(letters, tolower((unsigned char)**text))); (*text)++)
			opcode->types |= (uint8_t)(1u << (letter - letters));
	opcode->given = opcode->types != 0;
	return opcode->given;
}

//
// Modifiers
//

#define HIGHEST_LEVEL	1u
#define LOWEST_LEVEL	(1u << (EVENT_LEVELS - 1))
#define ALL_LEVELS	((1u << EVENT_LEVELS) - 1)
#define DEFAULT_LEVELS	(EVENT_OS | EVENT_USER)

static const struct {
	const char *word;
	uint8_t modifier, level;
} flags[] = {
	{"u", 0, LOWEST_LEVEL}, {"usr", 0, LOWEST_LEVEL}, {"k", 0, HIGHEST_LEVEL}, {"sup", 0, HIGHEST_LEVEL},
	{"e", EVENT_EDGE, 0}, {"edge", EVENT_EDGE, 0}, {"i", EVENT_INV, 0}, {"inv", EVENT_INV, 0},
	{"t", EVENT_ANY, 0}, {"any", EVENT_ANY, 0}, {"p", EVENT_PRECISE, 0}, {"pebs", EVENT_PRECISE, 0},
	{"precise", EVENT_PRECISE, 0}, {"lbr", EVENT_BRANCHES, 0},
	{"spflt", EVENT_PREFERRED, 0},
};

#define NUMBER(word, least, most, field) \
	{word, least, sizeof ((struct event_request *)0)->field, offsetof(struct event_request, field), most}

static const struct {
	const char *word;
	uint8_t least, size, offset;
	uint64_t most;
} numbers[] = {
	NUMBER("c", 0, 255, cmask), NUMBER("cmask", 0, 255, cmask), NUMBER("thres", 0, 255, cmask),
	NUMBER("plm", 1, ALL_LEVELS, levels), NUMBER("ism", 0, 3, sets),
	NUMBER("ctr", 0, 63, counter), NUMBER("period", 0, INT64_MAX, period),
	NUMBER("lat", 1, UINT16_MAX, latency), NUMBER("ldlat", 1, UINT16_MAX, latency),
	NUMBER("tlb", 1, 15, tlb), NUMBER("btb", 1, UINT32_MAX, branches), NUMBER("lbr", 0, UINT32_MAX, branches),
	NUMBER("msr", 0, UINT64_MAX, extra),
};

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

// A flag: alone, or with "=1", or with "=0" where it is no level. Of the levels, those named count.
static enum event_error parse_flag(const char **text, size_t i, struct event_request *r)
{
	const char *s = *text + strlen(flags[i].word);
	uint64_t on = 1;

	if (*s == '=') {
		s++;
		if (!parse_number(&s, flags[i].level ? 1 : 0, 1, &on) || !at_end(s))
			return EVENT_BAD_VALUE;
	}
	r->levels |= flags[i].level;
	r->modifiers &= (uint8_t)~flags[i].modifier;
	r->modifiers |= on ? flags[i].modifier : 0;
	*text = s;
	return EVENT_OK;
}

// The value of the modifier whose word is `length` long at *text.
static enum event_error parse_value(const char **text, size_t length, struct event_request *r)
{
	const char *s = *text + length + 1;
	bool known = false, good = false;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (is_word(*text, length, numbers[i].word)) {
			uint64_t value;

			known = true;
			good = s[-1] == '=' && parse_number(&s, numbers[i].least, numbers[i].most, &value);
			if (good)
				store((char *)r + numbers[i].offset, numbers[i].size, value);
		}
	if (is_word(*text, length, "iar")) {
		known = true;
		good = s[-1] == '=' && parse_range(&s, &r->code_range);
	} else if (is_word(*text, length, "dar")) {
		known = true;
		good = s[-1] == '=' && parse_range(&s, &r->data_range);
	} else if (is_word(*text, length, "opc")) {
		known = true;
		good = s[-1] == '=' && parse_opcode(&s, &r->opcode);
	}
	if (!known)
		return EVENT_BAD_MODIFIER;
	// A value for a register that the event does not have.
	good &= !is_word(*text, length, "msr") || r->event->setting_address;
	if (!good || !at_end(s))
		return EVENT_BAD_VALUE;
	*text = s;
	return EVENT_OK;
}

//
// Names and unit masks
//

// The event whose name is `stem` (of stem_length characters), '.' and the word at `word`; NULL: there is none.
static const struct pmu_event *find_unit_mask(const struct pmu_event_table *table, const char *stem, size_t stem_length,
					      const char *word)
{
	char name[EVENT_NAME_MAX + 1];
	size_t length = word_length(word);

	if (stem_length + 1 + length > EVENT_NAME_MAX)
		return NULL;
	memcpy(name, stem, stem_length);
	name[stem_length] = '.';
	memcpy(name + stem_length + 1, word, length);
	return event_find(table, name, stem_length + 1 + length);
}

// Joins the unit mask at *text with those of r->event, its like; moves *text behind it. By default they count together
// wherever one of them does.
static enum event_error join_unit_mask(const struct pmu_event_table *table, const char **text, struct event_request *r)
{
	const char *dot = strrchr(r->event->name, '.');
	const struct pmu_event *other =
		dot ? find_unit_mask(table, r->event->name, (size_t)(dot - r->event->name), *text) :
		      event_find(table, *text, word_length(*text));

	if (!other)
		return EVENT_UNKNOWN;
	if (!r->event->joins || !other->joins || other->code != r->event->code || other->cmask != r->event->cmask ||
	    (other->modifiers ^ r->event->modifiers) & ~DEFAULT_LEVELS || other->counters != r->event->counters ||
	    other->setting_address != r->event->setting_address)
		return EVENT_NO_JOIN;
	r->umask |= other->umask;
	r->modifiers &= (uint8_t)(other->modifiers | ~DEFAULT_LEVELS);
	r->extra |= other->setting_value;
	*text += word_length(*text);
	return EVENT_OK;
}

// NAME, NAME.UMASK or NAME:UMASK, and what is joined to it by '+'; moves *text behind it.
static enum event_error parse_name(const struct pmu_event_table *table, const char **text, struct event_request *r)
{
	const char *s = *text;
	size_t length = word_length(s);

	if (length > EVENT_NAME_MAX)
		return EVENT_TOO_LONG;
	if (s[length] == ':')
		r->event = find_unit_mask(table, s, length, s + length + 1);
	if (r->event)
		length += 1 + word_length(s + length + 1);
	else
		r->event = event_find(table, s, length);
	if (!r->event)
		return EVENT_UNKNOWN;
	r->umask = r->event->umask;
	r->cmask = r->event->cmask;
	r->modifiers = r->event->modifiers;
	r->extra = r->event->setting_value;
	*text += length;
	while (**text == '+') {
		enum event_error error;

		++*text;
		error = join_unit_mask(table, text, r);
		if (error)
			return error;
	}
	return EVENT_OK;
}

static enum event_error parse_modifier(const struct pmu_event_table *table, const char **text, struct event_request *r)
{
	size_t length = word_length(*text);
	enum event_error error;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (is_word(*text, length, flags[i].word) &&
		    !(flags[i].modifier == EVENT_BRANCHES && (*text)[length] == '='))
			return parse_flag(text, i, r);
	if (is_word(*text, length, "lbr"))
		r->modifiers |= EVENT_BRANCHES;
	error = parse_value(text, length, r);
	// A second unit mask looks like a modifier.
	if (error == EVENT_BAD_MODIFIER && at_end(*text + length) && length) {
		enum event_error joined = join_unit_mask(table, text, r);

		return joined == EVENT_UNKNOWN ? error : joined;
	}
	return error;
}

// The levels of a request that names none.
static uint8_t default_levels(const struct event_request *r)
{
	unsigned levels = (r->modifiers & EVENT_OS ? HIGHEST_LEVEL : 0) |
			  (r->modifiers & EVENT_USER ? ALL_LEVELS & ~HIGHEST_LEVEL : 0);

	return (uint8_t)(levels ? levels : ALL_LEVELS);
}

enum event_error event_parse(const struct pmu_event_table *table, const char **text, struct event_request *request)
{
	const char *s = *text;
	struct event_request r = {.counter = EVENT_ANY_COUNTER};
	enum event_error error = parse_name(table, &s, &r);

	while (!error && *s == ':') {
		s++;
		error = parse_modifier(table, &s, &r);
	}
	if (!error && *s != ',' && *s != '\0')
		error = EVENT_BAD_MODIFIER;
	if (error) {
		*text = s;
		return error;
	}
	if (!r.levels)
		r.levels = default_levels(&r);
	r.modifiers &= (uint8_t)~DEFAULT_LEVELS;
	r.modifiers |= (uint8_t)((r.levels & HIGHEST_LEVEL ? EVENT_OS : 0) |
				 (r.levels & ~HIGHEST_LEVEL ? EVENT_USER : 0));
	*text = s + (*s == ',');
	*request = r;
	return EVENT_OK;
}
