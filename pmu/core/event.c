// SPDX-License-Identifier: BSD-2-Clause
// Event names and modifiers: event.h.

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
	const char *other = *(const char *const *)element;	// what an event, and an alias, begins with
	size_t same = 0;
	int order;

	while (same < name->length && name->text[same] == other[same])
		same++;		// most are written as they are listed, and begin alike
	order = strncasecmp(name->text + same, other + same, name->length - same);
	return order ? order : -(other[name->length] != '\0');
}

static const struct pmu_event_alias *find_alias(const struct pmu_event_table *table, const char *name, size_t length)
{
	const struct name key = {name, length};

	if (!table->alias_count)
		return NULL;
	return bsearch(&key, table->alias, table->alias_count, sizeof *table->alias, compare_name);
}

const struct pmu_event *event_find(const struct pmu_event_table *table, const char *name, size_t length)
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

static bool ends_word(char c)
{
	switch (c) {
	case '\0': case ':': case '=': case ',': case '+': case '{': case '}':
		return true;
	default:
		return false;
	}
}

// Where a word of the grammar ends. Not by strcspn, which compares each character with all of these.
static size_t word_length(const char *s)
{
	size_t length = 0;

	while (!ends_word(s[length]))
		length++;
	return length;
}

static bool is_word(const char *s, size_t length, const char *word)
{
	return length == strlen(word) && !strncasecmp(s, word, length);
}

bool pmu_driver_is(const struct pmu_driver *driver, const char *word, size_t length)
{
	return is_word(word, length, driver->name) || (driver->libpfm && is_word(word, length, driver->libpfm));
}

//
// Values: what stands between '=' and what follows
//

static bool ends_event(const char *s)
{
	return *s == ',' || *s == '}' || *s == '\0';
}

static bool at_end(const char *s)
{
	return *s == ':' || ends_event(s);
}

#define HEXADECIMAL	16

static int base_of(const char *s)
{
	return s[0] == '0' && tolower((unsigned char)s[1]) == 'x' ? HEXADECIMAL : 10;
}

// A number from least to most at *text; moves *text behind it. strtoull alone would take blanks, signs, octal digits.
static bool parse_number(const char **text, unsigned long long least, unsigned long long most, uint64_t *value)
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

// `off`: the modifier's opposite, asked for by "=0".
static const struct {
	const char *word;
	uint16_t modifier;
	uint8_t level;
	bool off;
} flags[] = {
	{"u", 0, LOWEST_LEVEL, 0}, {"usr", 0, LOWEST_LEVEL, 0}, {"k", 0, HIGHEST_LEVEL, 0},
	{"sup", 0, HIGHEST_LEVEL, 0}, {"e", EVENT_EDGE, 0, 0}, {"edge", EVENT_EDGE, 0, 0}, {"i", EVENT_INV, 0, 0},
	{"inv", EVENT_INV, 0, 0}, {"t", EVENT_ANY, 0, 0}, {"any", EVENT_ANY, 0, 0}, {"p", EVENT_PRECISE, 0, 0},
	{"pebs", EVENT_PRECISE, 0, 0}, {"precise", EVENT_PRECISE, 0, 0}, {"lbr", EVENT_BRANCHES, 0, 0},
	{"pp", EVENT_PRECISE | EVENT_BRANCHES, 0, 0}, {"spflt", EVENT_PREFERRED, 0, 0}, {"ev", EVENT_VISIBLE, 0, 0},
	{"oi", EVENT_SILENT, 0, true}, {"dear", EVENT_DATA_EAR, 0, 0}, {"iear", EVENT_INST_EAR, 0, 0},
	{"open", EVENT_OPEN, 0, 0},
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

bool event_modifier_range(const char *word, size_t length, uint64_t *least, uint64_t *most)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (is_word(word, length, numbers[i].word)) {
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

// What has been read of an event so far.
struct reading {
	const struct pmu_event_table *table;
	const struct pmu_driver *driver;	// whose table it is; NULL: no driver's
	struct event_request request;
	uint8_t own_levels;			// of a raw event: what its bits say; 0: nothing
	uint8_t cleared_levels;
};

static void set_flag(struct reading *reading, size_t i, bool on)
{
	struct event_request *r = &reading->request;

	if (on)
		r->levels |= flags[i].level;
	else
		reading->cleared_levels |= flags[i].level;
	r->modifiers &= (uint16_t)~flags[i].modifier;
	r->modifiers |= on != flags[i].off ? flags[i].modifier : 0;
}

// A flag: alone, or with "=1" or "=0".
static enum event_error parse_flag(const char **text, size_t i, struct reading *reading)
{
	const char *s = *text + strlen(flags[i].word);
	uint64_t on = 1;

	if (*s == '=') {
		s++;
		if (!parse_number(&s, 0, 1, &on) || !at_end(s))
			return EVENT_BAD_VALUE;
	}
	if (!at_end(s))
		return EVENT_BAD_MODIFIER;
	set_flag(reading, i, on);
	*text = s;
	return EVENT_OK;
}

// Whether a word is several one-letter flags written together.
static bool are_letters(const char *s, size_t length)
{
	size_t i = 0;

	while (i < length && strchr("ukp", tolower((unsigned char)s[i])))
		i++;
	return length && i == length;
}

static void set_letters(const char **text, size_t length, struct reading *reading)
{
	for (const char *end = *text + length; *text < end;) {
		size_t i = 0, letters = !strncasecmp(*text, "pp", 2) ? 2 : 1;

		while (!is_word(*text, letters, flags[i].word))
			i++;
		set_flag(reading, i, true);
		*text += letters;
	}
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
	const struct pmu_event *other = NULL;

	if (dot)
		other = find_unit_mask(table, r->event->name, (size_t)(dot - r->event->name), *text);
	if (!other)
		other = event_find(table, *text, word_length(*text));
	if (!other)
		return EVENT_NO_MASK;
	if (!r->event->joins || !other->joins || other->code != r->event->code || other->cmask != r->event->cmask ||
	    (other->modifiers ^ r->event->modifiers) & ~DEFAULT_LEVELS || other->counters != r->event->counters ||
	    other->setting_address != r->event->setting_address)
		return EVENT_NO_JOIN;
	r->umask |= other->umask;
	r->modifiers &= (uint16_t)(other->modifiers | ~DEFAULT_LEVELS);
	r->extra |= other->setting_value;
	*text += word_length(*text);
	return EVENT_OK;
}

// The event of a word that every target knows: cycles, instructions. NULL: it is no such word.
static const struct pmu_event *find_common(const struct reading *reading, const char *word, size_t length)
{
	const char *name = NULL;

	if (reading->driver && is_word(word, length, "cycles"))
		name = reading->driver->cycles;
	else if (reading->driver && is_word(word, length, "instructions"))
		name = reading->driver->retired;
	return name ? event_find(reading->table, name, strlen(name)) : NULL;
}

static const char raw_word[] = "raw";

// Whether what is at `s` is "raw=", or 'r' with hexadecimal digits. Without a decimal one it is a word, such as "read".
static bool is_raw(const char *s)
{
	const size_t length = word_length(s);

	if (s[length] == '=')
		return is_word(s, length, raw_word);
	return tolower((unsigned char)*s) == 'r' && strspn(s + 1, "0123456789abcdefABCDEF") == length - 1 &&
	       strcspn(s, "0123456789") < length;
}

// A control register's bits; moves *text behind them.
static enum event_error parse_raw(const char **text, struct reading *reading)
{
	struct event_request *r = &reading->request;
	const char *s = *text + sizeof raw_word;	// and the '='
	uint64_t select;
	bool good = reading->driver;

	if ((*text)[word_length(*text)] == '=') {
		good &= parse_number(&s, 0, UINT64_MAX, &select);
	} else {
		char *end;

		errno = 0;
		select = strtoull(*text + 1, &end, HEXADECIMAL);
		good &= !errno;
		s = end;
	}
	if (!good || !at_end(s) || !pmu_read_raw(reading->driver, pmu_raw_counter(reading->driver), select, r))
		return EVENT_BAD_RAW;
	reading->own_levels = r->levels;
	r->levels = 0;
	r->modifiers &= (uint16_t)~DEFAULT_LEVELS;
	r->modifiers |= r->event->modifiers & DEFAULT_LEVELS;
	*text = s;
	return EVENT_OK;
}

// Passes the name of the PMU before the event's.
static enum event_error parse_prefix(const char **text, const struct reading *reading)
{
	const size_t length = word_length(*text);

	if (strncmp(*text + length, "::", 2) || event_find(reading->table, *text, length))
		return EVENT_OK;
	if (!reading->driver || !pmu_driver_is(reading->driver, *text, length))
		return EVENT_BAD_PREFIX;
	*text += length + 2;
	return EVENT_OK;
}

static enum event_error parse_table_name(const char **text, struct reading *reading);

// The name at *text, `length` long, if it stands for several events joined; moves *text behind it.
static enum event_error parse_alias(const char **text, size_t length, struct reading *reading)
{
	const struct pmu_event_alias *alias = find_alias(reading->table, *text, length);
	const char *stands_for = alias ? alias->text : NULL;

	if (!alias)
		return EVENT_UNKNOWN;
	*text += length;
	return parse_table_name(&stands_for, reading);
}

static enum event_error join_unit_masks(const char **text, struct reading *reading)
{
	enum event_error error = EVENT_OK;

	while (!error && **text == '+') {
		++*text;
		error = join_unit_mask(reading->table, text, &reading->request);
	}
	return error;
}

// NAME, NAME.UMASK or NAME:UMASK, and what is joined to it by '+'; moves *text behind it.
static enum event_error parse_table_name(const char **text, struct reading *reading)
{
	struct event_request *r = &reading->request;
	const char *s = *text;
	size_t length = word_length(s);

	if (length > EVENT_NAME_MAX)
		return EVENT_TOO_LONG;
	if (s[length] == ':')
		r->event = find_unit_mask(reading->table, s, length, s + length + 1);
	if (r->event)
		length += 1 + word_length(s + length + 1);
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

static enum event_error parse_name(const char **text, struct reading *reading)
{
	enum event_error error = parse_prefix(text, reading);

	if (!error) {
		error = parse_table_name(text, reading);
		if ((error == EVENT_UNKNOWN || error == EVENT_TOO_LONG) && is_raw(*text))
			error = parse_raw(text, reading);
	}
	return error;
}

static enum event_error parse_modifier(const char **text, struct reading *reading)
{
	size_t length = word_length(*text);
	enum event_error error;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (is_word(*text, length, flags[i].word) &&
		    !(flags[i].modifier == EVENT_BRANCHES && (*text)[length] == '='))
			return parse_flag(text, i, reading);
	if (is_word(*text, length, "lbr"))
		reading->request.modifiers |= EVENT_BRANCHES;
	error = parse_value(text, length, &reading->request);
	if (error != EVENT_BAD_MODIFIER || !at_end(*text + length))
		return error;
	// A second unit mask looks like a modifier.
	if (length) {
		enum event_error joined = join_unit_mask(reading->table, text, &reading->request);

		error = joined == EVENT_NO_MASK ? error : joined;
	}
	if (error == EVENT_BAD_MODIFIER && are_letters(*text, length)) {
		set_letters(text, length, reading);
		error = EVENT_OK;
	}
	return error;
}

// Whether the word at `wrong` is in the place of a unit mask, after the name of an event that has unit masks.
static bool is_unit_mask(const struct pmu_event_table *table, const char *name, const char *wrong)
{
	const size_t length = word_length(name);
	bool found = false;

	for (size_t i = 0; wrong == name + length + 1 && i < table->count; i++)
		found |= !strncasecmp(table->event[i].name, name, length) && table->event[i].name[length] == '.';
	return found;
}

// The levels of a request that names none.
static uint8_t default_levels(const struct reading *reading)
{
	const uint16_t modifiers = reading->request.modifiers;
	unsigned levels = (modifiers & EVENT_OS ? HIGHEST_LEVEL : 0) |
			  (modifiers & EVENT_USER ? ALL_LEVELS & ~HIGHEST_LEVEL : 0);

	if (reading->own_levels)
		return reading->own_levels;
	return (uint8_t)(levels ? levels : ALL_LEVELS);
}

// Fills in the levels of a request. False: none is left.
static bool complete_levels(struct reading *reading)
{
	struct event_request *r = &reading->request;

	if (!r->levels)
		r->levels = default_levels(reading);
	r->levels &= (uint8_t)~reading->cleared_levels;
	r->modifiers &= (uint16_t)~DEFAULT_LEVELS;
	r->modifiers |= (uint16_t)((r->levels & HIGHEST_LEVEL ? EVENT_OS : 0) |
				   (r->levels & ~HIGHEST_LEVEL ? EVENT_USER : 0));
	return r->levels;
}

enum event_error event_read(const struct pmu_event_table *table, const char **text,
				   struct event_request *request)
{
	struct reading reading = {
		.table = table, .driver = pmu_driver_with(table), .request.counter = EVENT_ANY_COUNTER,
	};
	const char *s = *text;
	enum event_error error = parse_name(&s, &reading);

	while (!error && *s == ':') {
		s++;
		error = parse_modifier(&s, &reading);
	}
	if (!error && !ends_event(s))
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
	if (!error)
		*request = reading.request;
	return error;
}

enum event_error event_parse(const struct pmu_event_table *table, const char **text, struct event_request *request)
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
