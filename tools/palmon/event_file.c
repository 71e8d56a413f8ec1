// SPDX-License-Identifier: BSD-2-Clause
// Reads event files in the form that Intel publishes (its repository perfmon on GitHub): JSON, an
// array of events, or an object whose "Events" is this array. Values are strings, or integers. An
// event with several codes has a unit mask and a register for each of them: the first of each is
// taken.

#include "event_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "event_read.h"
#include "grow.h"

// An event, and where the file has it.
struct file_event {
	struct pmu_event event;
	unsigned line;
	const char *refusal;	// why no request can express it; NULL: one can
};

static struct {
	struct file_event *event;
	size_t count, room;
	struct pmu_event *usable;
	struct pmu_event_table table;
	json_t *root;		// has the names and descriptions
	char path[PATH_MOST];
} file;

struct reading {
	const struct pmu_driver *driver;
	const char *text;	// rest of the file, from the last event's name on
	unsigned line;
	json_t *event;
	const char *name;
	unsigned first_fixed;	// number of the first fixed counter
};

static bool wrong(const struct reading *r, const char *key, const char *why)
{
	complain("%s: line %u: event '%.*s': %s: %s", file.path, r->line, EVENT_NAME_MAX, r->name,
		 key, why);
	return false;
}

// Advances to the line of the next event's name. A string's quotes are escaped, so that only a key
// has this text.
static void find_line(struct reading *r)
{
	static const char key[] = "\"EventName\"";
	const char *const found = strstr(r->text, key);

	for (; found && r->text < found; r->text++)
		r->line += *r->text == '\n';
	r->text += found ? sizeof key - 1 : 0;
}

// The text of a value. NULL: the event lacks the key. False after a complaint.
static bool find_text(const struct reading *r, const char *key, char text[32], bool *given)
{
	json_t *const value = json_object_get(r->event, key);
	const char *const string = json_string_value(value);

	*given = value && !json_is_null(value);
	if (!*given)
		return true;
	if (json_is_integer(value))
		snprintf(text, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (!string || strlen(string) >= 32)
		return wrong(r, key, "not a number");
	else
		snprintf(text, 32, "%s", string);
	return true;
}

// Reads a number from 0 to `most`; 0 if the event lacks it. list: the first one of several.
static bool read_value(const struct reading *r, const char *key, bool list, uint64_t most,
		       uint64_t *value)
{
	char text[32];
	const char *s = text;
	bool given;

	*value = 0;
	if (!find_text(r, key, text, &given))
		return false;
	if (!given || !strcmp(text, "null"))
		return true;
	if (!event_parse_number(&s, 0, UINT64_MAX, value))
		return wrong(r, key, "not a number");
	s += strspn(s, " ");
	if (*s && !(list && *s == ','))
		return wrong(r, key, "not a number");
	if (*value > most)
		return wrong(r, key, "too large");
	return true;
}

#define FIRST_FIXED	32	// also in files that give fixed counters as plain numbers

// "0,1,2,3", "Fixed counter 1", "33".
static bool read_counters(const struct reading *r, uint64_t *counters)
{
	static const char key[] = "Counter", word[] = "Fixed counter ";
	const char *s = json_string_value(json_object_get(r->event, key));
	uint64_t number;

	*counters = 0;
	if (!s || !*s)
		return wrong(r, key, "no list of counters");
	do {
		const bool fixed = !strncasecmp(s, word, sizeof word - 1);
		const unsigned least = fixed ? r->first_fixed : 0;

		s += (fixed ? sizeof word - 1 : 0);
		s += strspn(s, " ");
		if (!event_parse_number(&s, least, 63, &number) || (*s && *s != ','))
			return wrong(r, key, "no list of counters");
		number += fixed ? FIRST_FIXED - least : 0;
		*counters |= number < 64 ? 1ULL << number : 0;
		s += *s == ',';
	} while (*s);
	return true;
}

static bool is_list(const struct reading *r, const char *key)
{
	const char *const text = json_string_value(json_object_get(r->event, key));

	return text && strchr(text, ',');
}

// Values that select something which a request cannot express.
static const char *find_refusal(const struct reading *r, uint64_t counters, bool *ok)
{
	static const struct {
		const char *key, *why;
	} rules[] = {
		{"UMaskExt", "it needs a second unit mask (UMaskExt)"},
		{"Equal", "it needs the condition EQ (Equal)"},
	};
	uint64_t value;

	for (size_t i = 0; *ok && i < sizeof rules / sizeof *rules; i++) {
		*ok = read_value(r, rules[i].key, false, UINT64_MAX, &value);
		if (value)
			return rules[i].why;
	}
	if (is_list(r, "UMask") && !is_list(r, "EventCode"))
		return "it has several unit masks, but one code";
	if (strlen(r->name) > EVENT_NAME_MAX)
		return "its name is longer than 63 characters";
	if (!(counters & r->driver->shape->counters))
		return "the target lacks its counters";
	return r->name[event_word_length(r->name)] || strpbrk(r->name, "/ ") ?
		"its name has characters that end a name" : NULL;
}

static bool read_name(struct reading *r)
{
	find_line(r);
	r->name = json_string_value(json_object_get(r->event, "EventName"));
	if (!r->name) {
		complain("%s: after line %u: an event without EventName", file.path, r->line);
		return false;
	}
	return *r->name || wrong(r, "EventName", "empty");
}

static bool read_event(struct reading *r)
{
	const char *description;
	uint64_t code, umask, cmask, inv, edge, any, index, value, pebs, precise, counters = 0;
	const struct {
		const char *key;
		bool list;
		uint64_t most, *value;
	} values[] = {
		{"EventCode", true, UINT16_MAX, &code}, {"UMask", true, UINT8_MAX, &umask},
		{"CounterMask", false, UINT8_MAX, &cmask}, {"Invert", false, 1, &inv},
		{"EdgeDetect", false, 1, &edge}, {"AnyThread", false, 1, &any},
		{"MSRIndex", true, UINT32_MAX, &index}, {"MSRValue", false, UINT64_MAX, &value},
		{"PEBS", false, UINT8_MAX, &pebs}, {"Precise", false, UINT8_MAX, &precise},
	};
	const char *refusal;
	struct file_event *grown;
	bool ok = read_name(r);

	if (ok && !json_object_get(r->event, "EventCode"))
		return wrong(r, "EventCode", "missing");
	for (size_t i = 0; ok && i < sizeof values / sizeof *values; i++)
		ok = read_value(r, values[i].key, values[i].list, values[i].most, values[i].value);
	ok = ok && read_counters(r, &counters);
	refusal = ok ? find_refusal(r, counters, &ok) : NULL;
	if (!ok)
		return false;
	grown = grow(file.event, file.count, &file.room, sizeof *grown);
	if (!grown)
		return wrong(r, "EventName", strerror(errno));
	file.event = grown;
	description = json_string_value(json_object_get(r->event, "BriefDescription"));
	file.event[file.count++] = (struct file_event){
		.line = r->line, .refusal = refusal,
		.event = {
			.name = r->name, .description = description ? description : "",
			.source = "", .category = "",
			.counters = counters, .code = (uint16_t)code, .umask = (uint8_t)umask,
			.umask_care = UINT8_MAX, .cmask = (uint8_t)cmask, .max = UINT8_MAX,
			.modifiers = (uint16_t)((inv ? EVENT_INV : 0) | (edge ? EVENT_EDGE : 0) |
						(any ? EVENT_ANY : 0)),
			.precise = pebs || precise,
			.setting_address = (uint32_t)index, .setting_value = index ? value : 0,
		},
	};
	return true;
}

//
// The table
//

static int compare(const void *a, const void *b)
{
	const struct file_event *const x = a, *const y = b;
	const int order = strcasecmp(x->event.name, y->event.name);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool is_same(const struct pmu_event *a, const struct pmu_event *b)
{
	return a->code == b->code && a->umask == b->umask && a->cmask == b->cmask &&
	       a->modifiers == b->modifiers && a->counters == b->counters &&
	       a->setting_address == b->setting_address && a->setting_value == b->setting_value;
}

// Orders the usable events by name. A name may occur again with the same values.
static bool make_table(void)
{
	size_t count = 0;

	qsort(file.event, file.count, sizeof *file.event, compare);
	file.usable = calloc(file.count + 1, sizeof *file.usable);
	for (size_t i = 0; file.usable && i < file.count; i++) {
		const struct file_event *const e = &file.event[i];
		const struct file_event *const last = i ? e - 1 : NULL;
		const bool again = last && !strcasecmp(last->event.name, e->event.name);

		if (again && !is_same(&last->event, &e->event)) {
			complain("%s: line %u: event '%s' has other values on line %u", file.path,
				 e->line, e->event.name, last->line);
			return false;
		}
		if (!again && !e->refusal)
			file.usable[count++] = e->event;
	}
	if (!file.usable)
		complain("%s", strerror(errno));
	file.table = (struct pmu_event_table){.event = file.usable, .count = count};
	return file.usable;
}

#define FILE_MOST	(64 * 1024 * 1024)

// Reads a whole file, and a NUL after it. NULL after a complaint.
static char *read_text(const char *path, size_t *size)
{
	FILE *const f = fopen(path, "r");
	size_t room = 64 * 1024;
	char *text = f ? malloc(room) : NULL;
	bool ok = text;

	*size = 0;
	while (ok) {
		char *grown;

		*size += fread(text + *size, 1, room - *size, f);
		ok = !ferror(f) && *size <= FILE_MOST;
		if (!ok || *size < room)
			break;
		room *= 2;
		grown = realloc(text, room);
		ok = grown;
		text = ok ? grown : text;
	}
	if (ok)
		text[*size] = '\0';
	else if (*size > FILE_MOST)
		complain("%s: longer than 64 MiB", path);
	else
		complain("%s: %s", path, strerror(errno));
	if (f)
		fclose(f);
	if (ok)
		return text;
	free(text);
	return NULL;
}

// Fixed counters are numbered from 0, in older files from 1. The first one counts retired
// instructions (SDM volume 3B, "Fixed-Function Performance Counters").
static unsigned find_first_fixed(const json_t *events)
{
	const json_t *event;
	size_t i;

	json_array_foreach(events, i, event) {
		const char *const name = json_string_value(json_object_get(event, "EventName"));
		const char *const counter = json_string_value(json_object_get(event, "Counter"));

		if (name && counter && !strcmp(name, "INST_RETIRED.ANY"))
			return !strcasecmp(counter, "Fixed counter 1");
	}
	return 0;
}

static bool read_events(const struct pmu_driver *driver, const char *text, json_t *events)
{
	struct reading reading = {.driver = driver, .text = text, .line = 1};
	size_t i;

	if (!json_is_array(events) || !json_array_size(events)) {
		complain("%s: neither an array of events nor an object with such an array, "
			 "\"Events\"", file.path);
		return false;
	}
	reading.first_fixed = find_first_fixed(events);
	json_array_foreach(events, i, reading.event)
		if (!read_event(&reading))
			return false;
	return make_table();
}

// Removes the events of an earlier file.
static void forget(void)
{
	json_decref(file.root);
	free(file.event);
	free(file.usable);
	memset(&file, 0, sizeof file);
}

bool event_file_read(const struct pmu_driver *driver, const char *path)
{
	size_t size;
	char *const text = read_text(path, &size);
	json_error_t error;
	bool ok;

	if (!text)
		return false;
	forget();
	snprintf(file.path, sizeof file.path, "%s", path);
	file.root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!file.root) {
		complain("%s: line %d: %s", path, error.line, error.text);
		free(text);
		return false;
	}
	ok = read_events(driver, text, json_is_object(file.root) ?
			 json_object_get(file.root, "Events") : file.root);
	free(text);
	return ok;
}

const struct pmu_event_table *event_file_table(void)
{
	return file.usable ? &file.table : NULL;
}

bool event_file_refuses(const char *text)
{
	const size_t length = event_word_length(text);

	for (size_t i = 0; i < file.count; i++) {
		const struct file_event *const e = &file.event[i];

		if (e->refusal && strlen(e->event.name) == length &&
		    !strncasecmp(e->event.name, text, length)) {
			complain("%s: line %u: event '%s': %s", file.path, e->line, e->event.name,
				 e->refusal);
			return true;
		}
	}
	return false;
}

//
// Translation
//

static const struct pmu_event *find_fixed(const struct pmu_driver *driver, uint64_t fixed)
{
	for (size_t i = 0; i < driver->events->count; i++)
		if (driver->events->event[i].counters & fixed)
			return &driver->events->event[i];
	return NULL;
}

// Terms do not restrict counters: an event that some general counters cannot count gets one of
// its counters, if possible one that is not in `used`.
static void print_event(const struct pmu_driver *driver, const struct pmu_event *e, uint64_t *used)
{
	const uint64_t general = driver->shape->counters & ~driver->shape->fixed;
	const uint64_t able = e->counters & driver->shape->counters, left = able & ~*used;
	const unsigned counter = (unsigned)__builtin_ctzll(left ? left : able);
	const struct pmu_event *const fixed = able & general ? NULL : find_fixed(driver, able);

	if (fixed) {
		printf("%s:ctr=%u", fixed->name, counter);
		return;
	}
	printf("%s/event=0x%x,umask=0x%x", driver->cores ? driver->name : "cpu", e->code, e->umask);
	if (e->cmask)
		printf(",cmask=%u", e->cmask);
	printf("%s%s%s", e->modifiers & EVENT_INV ? ",inv" : "",
	       e->modifiers & EVENT_EDGE ? ",edge" : "", e->modifiers & EVENT_ANY ? ",any" : "");
	if (e->setting_address)
		printf(",offcore_rsp=0x%" PRIx64, e->setting_value);
	putchar('/');
	if (general & ~able) {
		printf(":ctr=%u", counter);
		*used |= 1ULL << counter;
	}
}

bool event_file_translate(const struct pmu_driver *driver, const char *list)
{
	uint64_t used = 0;

	while (*list) {
		const size_t blanks = strspn(list, "{ \t");
		const char *const begin = list + blanks;
		const size_t length = event_word_length(begin);
		const struct pmu_event *const e = event_find(&file.table, begin, length);
		const bool terms = event_has_terms(begin);
		bool inside = false;

		if (!e && event_file_refuses(begin))
			return false;
		printf("%.*s", (int)blanks, list);
		if (e)
			print_event(driver, e, &used);
		list = begin + (e ? length : 0);
		for (; *list && (inside || *list != ','); list++) {
			inside ^= terms && *list == '/';
			putchar(*list);
		}
		if (*list)
			putchar(*list++);
	}
	putchar('\n');
	return true;
}
