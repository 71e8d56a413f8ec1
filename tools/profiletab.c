// SPDX-License-Identifier: BSD-2-Clause
// The profile-table compiler: turns a target's profiles.tab into C.
//
// usage: profiletab TARGET profiles.tab > profiles.c
//
// A line that begins in the first column starts a profile: NAME | source | runs | title. The source
// is a place in the manual; runs is the manual's number of runs, or '-'. Lines that begin with a
// blank are the profile's events, one each, in the syntax of event_parse (pmu/include/event.h). '#'
// starts a comment.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile.h"
#include "table.h"

#define PROFILES_MAX 64
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

// A profile while it is read. Table entries must begin with their names.
struct entry {
	struct pmu_profile profile;
	const char *event[PMU_METRIC_EVENTS];
};

static struct entry *last;	// profile that event lines belong to

static unsigned read_runs(const char *text)
{
	if (!strcmp(text, "-"))
		return 0;
	if (!isdigit((unsigned char)*text) || strlen(text) > 2 ||
	    text[strspn(text, "0123456789")] || !atoi(text))
		table_fail("'%s' is not a number of runs", text);
	return (unsigned)atoi(text);
}

static void start_profile(char *text)
{
	struct pmu_profile *p;

	last = table_add();
	p = &last->profile;
	p->name = table_field(&text, "name", false);
	p->source = table_field(&text, "source", false);
	p->runs = read_runs(table_field(&text, "number of runs", false));
	p->title = table_field(&text, "title", true);
	if (strlen(p->name) > EVENT_NAME_MAX || p->name[strspn(p->name, NAME_CHARACTERS)])
		table_fail("'%s' is not a name of 1 to %d letters, digits, '_' and '.'", p->name,
			   EVENT_NAME_MAX);
}

static void add_event(char *text)
{
	const char *event = table_field(&text, "event", true);

	if (!last)
		table_fail("an event before the first profile");
	if (strlen(event) >= PMU_METRIC_TEXT || strpbrk(event, " \t,"))
		table_fail("'%s' is not an event of at most %d characters", event,
			   PMU_METRIC_TEXT - 1);
	if (last->profile.count == PMU_METRIC_EVENTS)
		table_fail("more than %d events in %s", PMU_METRIC_EVENTS, last->profile.name);
	for (unsigned i = 0; i < last->profile.count; i++)
		if (!strcasecmp(event, last->event[i]))
			table_fail("%s is there twice in %s", event, last->profile.name);
	last->event[last->profile.count++] = event;
}

static void parse_line(char *text)
{
	if (isblank((unsigned char)*text))
		add_event(text);
	else
		start_profile(text);
}

static void print_events(const struct entry *entry, size_t number)
{
	printf("static const char *const events_%zu[] = {\n", number);
	for (unsigned i = 0; i < entry->profile.count; i++)
		printf("\t\"%s\",\n", entry->event[i]);
	printf("};\n\n");
}

static void print_table(const char *target, const char *file, const struct entry *entry,
			size_t count)
{
	printf("// Made by tools/profiletab from %s.\n\n#include \"profile.h\"\n\n", file);
	printf("extern const struct pmu_profile_table pmu_profiles_%s;\n\n", target);
	for (size_t i = 0; i < count; i++)
		print_events(&entry[i], i);
	printf("static const struct pmu_profile profiles[] = {\n");
	for (size_t i = 0; i < count; i++) {
		const struct pmu_profile *p = &entry[i].profile;

		printf("\t{\"%s\", \"%s\", \"%s\", %u, %u, events_%zu},\n", p->name, p->source,
		       p->title, p->runs, p->count, i);
	}
	printf("};\n\nconst struct pmu_profile_table pmu_profiles_%s = {profiles, %zu};\n", target,
	       count);
}

static bool check(const char *file, const struct entry *entry, size_t count)
{
	if (!count)
		fprintf(stderr, "%s: no profile\n", file);
	for (size_t i = 0; i < count; i++)
		if (!entry[i].profile.count) {
			fprintf(stderr, "%s: %s has no events\n", file, entry[i].profile.name);
			return false;
		}
	return count;
}

int main(int argc, char **argv)
{
	static const struct table_kind kind = {
		"profiletab", "profiles", sizeof(struct entry), PROFILES_MAX, parse_line,
	};
	size_t count;
	const struct entry *entries = table_read(&kind, argc, argv, &count);

	if (!check(argv[2], entries, count))
		return 1;
	print_table(argv[1], argv[2], entries, count);
	return fflush(stdout) || ferror(stdout);
}
