// SPDX-License-Identifier: BSD-2-Clause
// The event-table compiler: turns a target's events.tab into C.
//
// usage: evtab [-m|-c] TARGET events.tab > events.c
// -m: prints the most that each event adds, for libvpmu (hal/vpmu/library/headroom.c).
// -c: prints the events' requirements on the target's model, by code (struct model_code).
//
// A line is an event: name, words, then '|' and a description. '#' starts a comment. Words:
//	code=		event code; required, as are counters=, max= and source=
//	umask=, care=	unit mask; its significant bits, default 0xFF
//	cmask=		threshold
//	max=		the most that the event adds in a cycle
//	each=		the most that a retired instruction adds; only if nothing else raises it
//	counters=	numbers and ranges: 0-3,32; or all
//	source=, category=	one word, with '_' for blanks
//	msr=, value=	address of an additional register, and its required value
//	iar=, opm=, dar=	whether instruction address ranges, opcodes, data address ranges
//			qualify the event: yes, no or partial; default no
//	emu=		on an emulated processor: absent, exact, modelled; default: asks the model
//	inv, edge, any, precise	modifiers; precise: allows precise samples
//	os, user	counts at the highest, at the other levels, unless a request names levels
//	agent=		agent whose requests the event counts; a machine without it has none of
//			them, so sums count 0; with '_' for blanks
//	joins		its unit mask and value can be joined with those of similar events
//	shared		belongs to no thread of the core, and counts for each of them
//	clock		counts cycles of a clock while the processor is not halted
//	random		sampling periods are random unless a request says otherwise
//
// Products of lists are written once. '%LIST MEMBER value=NUMBER | words' adds a member to a list,
// whose name consists of capital letters. An event with %LIST in its name stands for one event per
// member so far, with the member's name in the name, its value ORed into the value, and its words
// for %LIST in the description. counters=NUMBERS in a member restricts the event to these counters.
//	%OF READS value=0x01 | reads
//	%OF WRITES value=0x02 | writes
//	%FROM NEAR value=0x10 | near memory
//	%FROM FAR value=0x20 | far memory
//	ACCESS.%OF.%FROM code=0x5 counters=0-3 max=1 source=Table_1 msr=0x1A6 | %OF of %FROM
// defines four events; ACCESS.WRITES.FAR has value 0x22 and description "writes of far memory".
//
// Further names of an event, or of several joined ones, are lines below them, also with %LIST:
//	NAME = EVENT		NAME = EVENT.UMASK+UMASK		NAME.%LIST = EVENT.%LIST

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event.h"
#include "model.h"
#include "table.h"

_Static_assert(EVENT_APPLIES_PARTLY == MODEL_PARTLY, "model.h");

#define EVENTS_MAX 2048
#define MEMBERS_MAX 256
#define ALIASES_MAX 256
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

static char *copy(const char *s)
{
	char *c = strdup(s);

	if (!c)
		table_fail("out of memory");
	return c;
}

static uint64_t number(const char *key, const char *text, uint64_t most)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno || value > most)
		table_fail("%s: '%s' is not a number from 0 to %" PRIu64, key, text, most);
	return value;
}

// Parses "0-3,32".
static uint64_t counters(char *text)
{
	uint64_t mask = 0;

	if (!strcmp(text, "all"))
		return UINT64_MAX;
	for (char *save, *part = strtok_r(text, ",", &save); part;
	     part = strtok_r(NULL, ",", &save)) {
		char *dash = strchr(part, '-');
		uint64_t first, last;

		if (dash)
			*dash = '\0';
		first = number("counters", part, 63);
		last = dash ? number("counters", dash + 1, 63) : first;
		if (last < first)
			table_fail("counters: %s-%s is upside down", part, dash + 1);
		for (uint64_t n = first; n <= last; n++)
			mask |= 1ULL << n;
	}
	if (!mask)
		table_fail("counters: none given");
	return mask;
}

static char *source(char *text)
{
	for (char *c = text; *c; c++)
		if (*c == '_')
			*c = ' ';
	return copy(text);
}

static void set_code(struct pmu_event *e, char *value)
{
	e->code = (uint16_t)number("code", value, UINT16_MAX);
}

static void set_umask(struct pmu_event *e, char *value)
{
	e->umask = (uint8_t)number("umask", value, UINT8_MAX);
}

static void set_care(struct pmu_event *e, char *value)
{
	e->umask_care = (uint8_t)number("care", value, UINT8_MAX);
}

static void set_cmask(struct pmu_event *e, char *value)
{
	e->cmask = (uint8_t)number("cmask", value, UINT8_MAX);
}

static void set_max(struct pmu_event *e, char *value)
{
	e->max = (uint8_t)number("max", value, UINT8_MAX);
}

static void set_counters(struct pmu_event *e, char *value)
{
	e->counters = counters(value);
}

static void set_source(struct pmu_event *e, char *value)
{
	e->source = source(value);
}

static void set_category(struct pmu_event *e, char *value)
{
	e->category = source(value);
}

static void set_agent(struct pmu_event *e, char *value)
{
	e->agent = source(value);
}

static void set_msr(struct pmu_event *e, char *value)
{
	e->setting_address = (uint32_t)number("msr", value, UINT32_MAX);
}

static void set_value(struct pmu_event *e, char *value)
{
	e->setting_value = number("value", value, UINT64_MAX);
}

static uint8_t applies(const char *key, const char *value)
{
	static const char *const names[] = {
		[EVENT_APPLIES_NOT] = "no", [EVENT_APPLIES] = "yes",
		[EVENT_APPLIES_PARTLY] = "partial",
	};

	for (uint8_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(value, names[i]))
			return i;
	table_fail("%s: '%s' is not yes, no or partial", key, value);
}

static void set_iar(struct pmu_event *e, char *value)
{
	e->code_range = applies("iar", value);
}

static void set_opm(struct pmu_event *e, char *value)
{
	e->opcode = applies("opm", value);
}

static void set_dar(struct pmu_event *e, char *value)
{
	e->data_range = applies("dar", value);
}

static void set_each(struct pmu_event *e, char *value)
{
	e->each = (uint8_t)number("each", value, UINT8_MAX);
}

static void set_emu(struct pmu_event *e, char *value)
{
	static const char *const names[] = {
		[EVENT_ABSENT] = "absent", [EVENT_EXACT] = "exact", [EVENT_MODELLED] = "modelled",
	};

	for (uint8_t i = EVENT_ABSENT; i <= EVENT_MODELLED; i++)
		if (!strcmp(value, names[i]))
			e->emulation = i;
	if (!e->emulation)
		table_fail("emu is absent, exact or modelled, not '%s'", value);
}

#define NEEDED(key) {.word = #key, .has_value = true, .needed = true, .set = set_##key}
#define KEY(key) {.word = #key, .has_value = true, .set = set_##key}
#define FLAG(name) {.word = #name, .flag = offsetof(struct pmu_event, name)}
#define MODIFIER(name, bits) {.word = #name, .modifier = (bits)}

static const struct {
	const char *word;
	bool has_value, needed;
	void (*set)(struct pmu_event *e, char *value);
	size_t flag;			// plain words: offset of the event's bool
	uint8_t modifier;
} words[] = {
	NEEDED(code), NEEDED(counters), NEEDED(max), NEEDED(source),
	KEY(umask), KEY(care), KEY(cmask), KEY(each), KEY(category), KEY(msr), KEY(value), KEY(iar),
	KEY(opm), KEY(dar),
	KEY(emu), KEY(agent), FLAG(precise), FLAG(joins), FLAG(shared), FLAG(clock), FLAG(random),
	MODIFIER(inv, EVENT_INV), MODIFIER(edge, EVENT_EDGE), MODIFIER(any, EVENT_ANY),
	MODIFIER(os, EVENT_OS), MODIFIER(user, EVENT_USER),
};

#define WORDS (sizeof words / sizeof *words)

// Applies a word to the event and marks it as seen.
static void parse_word(struct pmu_event *e, char *word, bool seen[WORDS])
{
	char *value = strchr(word, '=');
	size_t i = 0;

	if (value)
		*value++ = '\0';
	while (i < WORDS && (strcmp(word, words[i].word) || words[i].has_value != !!value))
		i++;
	if (i == WORDS)
		table_fail("'%s' is not a key or word of this table", word);
	if (seen[i])
		table_fail("%s is there twice: '%s'", word, word);
	seen[i] = true;
	e->modifiers |= words[i].modifier;
	if (words[i].flag)
		*(bool *)((char *)e + words[i].flag) = true;
	if (words[i].set)
		words[i].set(e, value);
}

// Cuts the text at its '|' and returns the description after it.
static char *description(char *text)
{
	char *words = strchr(text, '|');

	if (!words)
		table_fail("no '|' with a description behind it");
	*words++ = '\0';
	return words + strspn(words, " \t");
}

static void check_name(const char *name, const char *characters)
{
	if (!*name || strlen(name) > EVENT_NAME_MAX || name[strspn(name, characters)])
		table_fail("no name of 1 to %d letters, digits, '_' and '.': '%s'", EVENT_NAME_MAX,
			   name);
}

//
// Lists and their products
//

static struct member {
	char *list, *name, *words;
	uint64_t value;
	bool has_value;
	uint64_t counters;		// 0: all counters of the event
} members[MEMBERS_MAX];

static size_t member_count;

// Parses a word of a member: a value or counters, each at most once.
static bool parse_member_word(struct member *m, char *word)
{
	static const char value[] = "value=", on[] = "counters=";

	if (!strncmp(word, value, strlen(value)) && !m->has_value) {
		m->value = number("value", word + strlen(value), UINT64_MAX);
		return m->has_value = true;
	}
	if (strncmp(word, on, strlen(on)) || m->counters)
		return false;
	m->counters = counters(word + strlen(on));
	return true;
}

// Parses "%LIST MEMBER value=NUMBER counters=NUMBERS | words".
static void parse_member(char *text)
{
	struct member m = {0};
	char *words = description(text), *save;
	char *list = strtok_r(text, " \t", &save) + 1, *name = strtok_r(NULL, " \t", &save), *word;
	bool good = name;

	if (!*list || list[strspn(list, CAPITALS)])
		table_fail("'%s' is not a name of a list, of capital letters", list);
	if (member_count == MEMBERS_MAX)
		table_fail("more than %d members of lists", MEMBERS_MAX);
	while (good && (word = strtok_r(NULL, " \t", &save)))
		good = parse_member_word(&m, word);
	if (!good || !(m.has_value || m.counters))
		table_fail("a member of a list has a name and value=NUMBER, or counters=NUMBERS");
	check_name(name, NAME_CHARACTERS);
	if (!*words || !table_is_printable(words))
		table_fail("%s: no description, or a quote, a backslash or a control character in "
			   "it", name);
	m.list = copy(list);
	m.name = copy(name);
	m.words = copy(words);
	members[member_count++] = m;
}

// A copy of text with `to` in place of the list, "%LIST".
static char *replace(const char *text, const char *list, const char *to)
{
	const char *at = strstr(text, list);
	char *made = malloc(strlen(text) + strlen(to) + 1);

	while (at && strchr(CAPITALS, at[strlen(list)]) && at[strlen(list)])	// another list
		at = strstr(at + 1, list);
	if (!made)
		table_fail("out of memory");
	if (at)
		sprintf(made, "%.*s%s%s", (int)(at - text), text, to, at + strlen(list));
	else
		strcpy(made, text);
	return made;
}

static const struct pmu_event *events[EVENTS_MAX];
static size_t event_count;

static void add_event(const struct pmu_event *e)
{
	struct pmu_event *added;

	check_name(e->name, NAME_CHARACTERS);
	if (strchr(e->description, '%'))
		table_fail("%s: '%s' names a list that the name does not", e->name, e->description);
	added = table_add();
	*added = *e;
	events[event_count++] = added;
}

static void add_alias(const char *name, const char *stands_for);

// Adds the event, or a further name of `stands_for`; if the name contains a list, one for each
// member of the first one.
static void expand(const struct pmu_event *e, const char *stands_for)
{
	const char *percent = strchr(e->name, '%');
	char list[EVENT_NAME_MAX + 1];
	bool found = false;

	if (!percent && stands_for)
		add_alias(e->name, stands_for);
	else if (!percent)
		add_event(e);
	if (!percent)
		return;
	snprintf(list, sizeof list, "%.*s", (int)(1 + strspn(percent + 1, CAPITALS)), percent);
	for (const struct member *m = members; m < members + member_count; m++)
		if (!strcmp(m->list, list + 1)) {
			struct pmu_event product = *e;

			product.name = replace(e->name, list, m->name);
			product.description = replace(e->description, list, m->words);
			product.setting_value |= m->value;
			product.counters &= m->counters ? m->counters : ~0ULL;
			if (!product.counters)
				table_fail("%s: no counter is left with %s", e->name, m->name);
			expand(&product, stands_for ? replace(stands_for, list, m->name) : NULL);
			found = true;
		}
	if (!found)
		table_fail("%s: there is no list %s", e->name, list);
}

static void parse_event(char *text)
{
	struct pmu_event e = {.description = description(text), .category = "", .umask_care = 0xFF};
	bool seen[WORDS] = {false};
	char *save, *word = strtok_r(text, " \t", &save);

	e.name = word ? word : "";
	check_name(e.name, NAME_CHARACTERS "%");
	while ((word = strtok_r(NULL, " \t", &save)))
		parse_word(&e, word, seen);
	for (size_t i = 0; i < WORDS; i++)
		if (words[i].needed && !seen[i])
			table_fail("%s lacks %s", e.name, words[i].word);
	if (!e.max)
		table_fail("%s: max is 0", e.name);
	if (!*e.description || !table_is_printable(e.description) ||
	    !table_is_printable(e.source) ||
	    !table_is_printable(e.category) || (e.agent && !table_is_printable(e.agent)))
		table_fail("%s: a quote, a backslash or a control character, or no description",
			   e.name);
	e.name = copy(e.name);
	e.description = copy(e.description);
	expand(&e, NULL);
}

//
// Other names
//

static struct pmu_event_alias aliases[ALIASES_MAX];
static size_t alias_count;

// The event of this name among those read so far; NULL: none.
static const struct pmu_event *find_event(const char *name)
{
	for (size_t i = 0; i < event_count; i++)
		if (!strcasecmp(events[i]->name, name))
			return events[i];
	return NULL;
}

// Checks that the events that an alias stands for exist and can be joined.
static void check_joins(const char *alias, const char *text)
{
	char name[EVENT_NAME_MAX + 1], *dot;
	const struct pmu_event *first;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "+"), text);
	first = find_event(name);
	dot = strrchr(name, '.');
	if (!first)
		table_fail("%s: there is no event %s above", alias, name);
	while (*(text += strcspn(text, "+"))) {
		const size_t stem = dot ? (size_t)(dot + 1 - name) : 0,
			length = strcspn(++text, "+");
		const struct pmu_event *e;

		snprintf(name + stem, sizeof name - stem, "%.*s", (int)length, text);
		e = find_event(name);
		if (!e || !e->joins || !first->joins || e->code != first->code)
			table_fail("%s: %s is not an event that joins the first one", alias, name);
	}
}

static void add_alias(const char *name, const char *stands_for)
{
	check_name(name, NAME_CHARACTERS);
	check_joins(name, stands_for);
	if (alias_count == ALIASES_MAX)
		table_fail("more than %d other names", ALIASES_MAX);
	aliases[alias_count++] = (struct pmu_event_alias){copy(name), copy(stands_for)};
}

// Parses "NAME = TEXT".
static void parse_alias(char *text)
{
	char *save, *name = strtok_r(text, " \t", &save), *equals = strtok_r(NULL, " \t", &save);
	const char *stands_for = strtok_r(NULL, " \t", &save);

	if (strcmp(equals, "=") || !stands_for || strtok_r(NULL, " \t", &save))
		table_fail("another name is NAME = EVENT, or NAME = EVENT.UMASK+UMASK");
	expand(&(struct pmu_event){.name = name, .description = "", .counters = ~0ULL}, stands_for);
}

static int compare_aliases(const void *a, const void *b)
{
	return strcasecmp(((const struct pmu_event_alias *)a)->name,
			  ((const struct pmu_event_alias *)b)->name);
}

// Sorts aliases as event_find requires, and checks that each name is unique.
static void sort_aliases(void)
{
	qsort(aliases, alias_count, sizeof *aliases, compare_aliases);
	for (size_t i = 0; i < alias_count; i++)
		if (find_event(aliases[i].name) ||
		    (i && !compare_aliases(&aliases[i - 1], &aliases[i])))
			table_fail("%s is there twice, once as another name", aliases[i].name);
}

static void parse_line(char *text)
{
	const char *equals;

	text += strspn(text, " \t");
	equals = text + strcspn(text, " \t");
	if (*text == '%')
		parse_member(text);
	else if (equals[strspn(equals, " \t")] == '=')
		parse_alias(text);
	else
		parse_event(text);
}

static void print_table(const char *target, const char *file, const struct pmu_event *e,
			size_t count)
{
	printf("// Made by tools/evtab from %s.\n\n#include \"event.h\"\n\n", file);
	printf("extern const struct pmu_event_table pmu_events_%s;\n\n", target);
	printf("static const struct pmu_event events[] = {\n");
	for (const struct pmu_event *end = e + count; e < end; e++)
		printf("\t{\"%s\", \"%s\", \"%s\", \"%s\", 0x%" PRIx64
		       ", 0x%x, 0x%x, 0x%x, %u, 0x%x, %u, %u, %d, %d, "
		       "%d, %d, %d, %u, %u, %u, %u, 0x%" PRIx32 ", 0x%" PRIx64 ", %s%s%s},\n",
		       e->name, e->description, e->source, e->category, e->counters, e->code,
		       e->umask, e->umask_care,
		       e->cmask, e->modifiers, e->max, e->each, e->precise, e->joins, e->shared,
		       e->clock, e->random,
		       e->code_range, e->opcode, e->data_range, e->emulation, e->setting_address,
		       e->setting_value, e->agent ? "\"" : "", e->agent ? e->agent : "NULL",
		       e->agent ? "\"" : "");
	printf("};\n\n");
	if (alias_count)
		printf("static const struct pmu_event_alias aliases[] = {\n");
	for (size_t i = 0; i < alias_count; i++)
		printf("\t{\"%s\", \"%s\"},\n", aliases[i].name, aliases[i].text);
	printf("%sconst struct pmu_event_table pmu_events_%s = {events, %zu, %s, %zu};\n",
	       alias_count ? "};\n\n" : "",
	       target, count, alias_count ? "aliases" : "NULL", alias_count);
}

static bool is_like(const struct pmu_event *a, const struct pmu_event *b)
{
	return a->code == b->code && a->umask_care == b->umask_care &&
	       !((a->umask ^ b->umask) & a->umask_care);
}

// Skips events with a condition, which count cycles. Of events with the same selection it prints
// one, with the greatest number; `each` only if all of them have it.
static void print_most(const char *target, const struct pmu_event *events, size_t count)
{
	const unsigned condition = EVENT_EDGE | EVENT_INV;

	for (const struct pmu_event *e = events, *end = events + count; e < end; e++) {
		unsigned max = e->max, each = e->each;
		bool again = e->cmask || e->modifiers & condition;

		for (const struct pmu_event *other = events; other < end; other++) {
			if (!is_like(e, other) || other->cmask || other->modifiers & condition)
				continue;
			again |= other < e;
			max = other->max > max ? other->max : max;
			each = !each || !other->each ? 0 : other->each > each ? other->each : each;
		}
		if (!again)
			printf("\t{\"%s\", 0x%x, 0x%x, 0x%x, %d, %u, %u},\n", target, e->code,
			       e->umask & e->umask_care, e->umask_care, e->joins, each,
			       each ? 0 : max);
	}
}

// Prints for each code the greatest number, and the qualifiers that any of its events allows.
static void print_codes(const char *target, const char *file, const struct pmu_event *events,
			size_t count)
{
	const struct pmu_event *end = events + count;
	uint64_t all = 0;

	for (const struct pmu_event *e = events; e < end; e++)
		all |= e->code < MODEL_CODES ? e->counters : 0;
	printf("// Made by tools/evtab from %s.\n\n#include \"model.h\"\n\n", file);
	printf("extern const struct model_code pmu_codes_%s[MODEL_CODES];\n\n", target);
	printf("const struct model_code pmu_codes_%s[MODEL_CODES] = {\n", target);
	for (unsigned code = 0; code < MODEL_CODES; code++) {
		struct model_code c = {0};

		for (const struct pmu_event *e = events; e < end; e++) {
			const uint16_t digit = (uint16_t)(1u << (e->umask >> 4));

			if (e->code != code)
				continue;
			c.most = e->max > c.most ? e->max : c.most;
			c.code_range = e->code_range > c.code_range ? e->code_range : c.code_range;
			c.opcode = e->opcode > c.opcode ? e->opcode : c.opcode;
			c.data_range = e->data_range > c.data_range ? e->data_range : c.data_range;
			c.some |= digit;
			c.all |= e->counters == all ? digit : 0;
			c.shared |= e->shared ? digit : 0;
		}
		if (c.most)
			printf("\t[0x%02x] = {%u, %u, %u, %u, 0x%x, 0x%x, 0x%x},\n", code, c.most,
			       c.code_range, c.opcode, c.data_range, c.some, c.all, c.shared);
	}
	printf("};\n");
}

int main(int argc, char **argv)
{
	static const struct table_kind kind = {
		"evtab", "events", sizeof(struct pmu_event), EVENTS_MAX, parse_line,
	};
	const bool most = argc > 1 && !strcmp(argv[1], "-m"), codes = argc > 1 &&
		!strcmp(argv[1], "-c");
	const int option = most || codes;
	size_t count;
	const struct pmu_event *sorted = table_read(&kind, argc - option, argv + option, &count);

	if (!count)
		table_fail("no events");
	sort_aliases();
	if (most)
		print_most(argv[2], sorted, count);
	else if (codes)
		print_codes(table_identifier(argv[2]), argv[3], sorted, count);
	else
		print_table(table_identifier(argv[1]), argv[2], sorted, count);
	return fflush(stdout) || ferror(stdout);
}
