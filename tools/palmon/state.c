// SPDX-License-Identifier: BSD-2-Clause
// palmon state: prints a saved context (portable.h).

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "palmon.h"
#include "portable.h"
#include "shim.h"

#define BINARY		0x89	/* first byte of a context, which no text of digits begins with */
#define TEXT_MOST	(16 * PMU_PORTABLE_MOST)

// A file's contents; replaced by the bytes they encode.
struct contents {
	const char *path;
	size_t size;
	uint8_t bytes[TEXT_MOST + 1];
};

// A context and its sessions.
struct state {
	struct pmu_context context;
	struct pmu_session session[PMU_PORTABLE_SESSIONS];
};

//
// The file
//

static bool read_file(struct contents *c)
{
	FILE *file = strcmp(c->path, "-") ? fopen(c->path, "r") : stdin;
	bool failed;

	if (!file) {
		complain("%s: %s", c->path, strerror(errno));
		return false;
	}
	c->size = fread(c->bytes, 1, sizeof c->bytes, file);
	failed = ferror(file);
	if (failed)
		complain("%s: %s", c->path, strerror(errno));
	else if (c->size > TEXT_MOST)
		complain("%s: too long for a context", c->path);
	if (file != stdin)
		fclose(file);
	return !failed && c->size <= TEXT_MOST;
}

#define LOGGED		"state: "	/* begins a line of digits on an image's console */

static bool begins(const char *line, const char *end, const char *word)
{
	return (size_t)(end - line) >= strlen(word) && !memcmp(line, word, strlen(word));
}

// Reduces a console log to the digits of its last context. Leaves other texts unchanged.
static void extract_from_log(struct contents *c)
{
	char *const text = (char *)c->bytes, *const end = text + c->size;
	size_t kept = 0;
	bool found = false;

	for (char *line = text, *next; line < end; line = next) {
		char *const newline = memchr(line, '\n', (size_t)(end - line));

		next = newline ? newline + 1 : end;
		if (!begins(line, next, LOGGED))
			continue;
		line += strlen(LOGGED);
		if (!found || begins(line, next, "89504d53"))	// the first bytes of a context
			kept = 0;
		memmove(text + kept, line, (size_t)(next - line));
		kept += (size_t)(next - line);
		found = true;
	}
	if (found)
		c->size = kept;
}

static unsigned digit_of(int c)
{
	return (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
}

// Decodes hexadecimal digits, two per byte, in place. '#' starts a comment up to the end of the
// line.
static bool read_digits(struct contents *c)
{
	const size_t length = c->size;
	unsigned line = 1, digits = 0;
	bool comment = false;

	for (size_t i = 0; i < length; i++) {
		const uint8_t text = c->bytes[i];
		const unsigned before = c->bytes[digits / 2];

		comment = text != '\n' && (comment || text == '#');
		line += text == '\n';
		if (comment || isspace(text))
			continue;
		if (!isxdigit(text)) {
			complain("%s:%u: expected hexadecimal digits", c->path, line);
			return false;
		}
		c->bytes[digits / 2] = (uint8_t)((digits & 1 ? before << 4 : 0U) | digit_of(text));
		digits++;
	}
	c->size = digits / 2;
	if (digits & 1)
		complain("%s:%u: expected one more hexadecimal digit", c->path, line);
	return !(digits & 1);
}

static bool load(struct contents *c)
{
	if (!read_file(c))
		return false;
	if (c->size && c->bytes[0] == BINARY)
		return true;
	extract_from_log(c);
	return read_digits(c);
}

//
// Description
//

static json_t *hexadecimal(uint64_t value)
{
	return json_hexadecimal(value, 1);
}

// The events that a counter's select means; of a fixed counter, all events that it can count.
static json_t *events_of(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	json_t *names;

	if (!(driver->shape->fixed >> c->number & 1))
		return events_selected(driver, c->number, c->select);
	names = json_array();
	for (size_t i = 0; i < driver->events->count; i++)
		if (driver->events->event[i].counters >> c->number & 1)
			json_array_append_new(names, json_string(driver->events->event[i].name));
	return names;
}

static json_t *describe_counter(struct pmu_session *session, unsigned event)
{
	const struct pmu_driver *driver = session->driver;
	const struct pmu_counter *c = &session->counter[event];
	uint64_t count = 0;
	json_t *object;

	pmu_read(session, event, &count);
	object = json_pack("{s:i, s:o, s:o, s:I, s:b}", "counter", c->number, "events",
			   events_of(driver, c),
			   "select", hexadecimal(c->select), "count", (json_int_t)count,
			   "overflow", (int)pmu_pending(driver, c));
	if (c->period)
		json_object_update_new(object, json_pack("{s:I, s:I, s:I, s:I, s:b, s:b}",
							 "period", (json_int_t)c->period, "samples",
							 (json_int_t)c->samples, "next-sample",
							 (json_int_t)c->due,
							 "late", (json_int_t)c->slipped, "precise",
							 c->precise,
							 "throttled", c->throttled));
	if (c->jitter)
		json_object_update_new(object, json_pack("{s:i, s:I}", "jitter", c->jitter, "seed",
							 (json_int_t)c->seed));
	return object;
}

static json_t *describe_setting(const struct pmu_driver *driver, const struct pmu_setting *s)
{
	char name[REGISTER_NAME_SIZE] = "";
	struct palmon_register r;

	if (register_by_address(pmu_model_find(driver->name), s->address, &r))
		register_name(&r, name);
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "reg", name, "addr", hexadecimal(s->address),
			 "mask",
			 hexadecimal(s->mask), "value", hexadecimal(s->value), "idle",
			 hexadecimal(s->idle));
}

static json_t *describe_session(const struct pmu_context *context, struct pmu_session *session)
{
	json_t *counters = json_array(), *settings = json_array();

	for (unsigned i = 0; i < session->count; i++)
		json_array_append_new(counters, describe_counter(session, i));
	for (unsigned i = 0; i < session->setting_count; i++)
		json_array_append_new(settings,
				      describe_setting(session->driver, &session->setting[i]));
	return json_pack("{s:I, s:b, s:o, s:o}", "session", (json_int_t)session->number, "running",
			 (session->counters & context->enabled) != 0, "counters", counters,
			 "settings", settings);
}

static json_t *describe(const struct pmu_context *context)
{
	json_t *sessions = json_array(), *recorded = json_array();
	unsigned words = PMU_RECORDED;

	for (struct pmu_session *s = context->open; s; s = s->next)
		json_array_append_new(sessions, describe_session(context, s));
	while (words && !context->recorded[words - 1])
		words--;
	for (unsigned i = 0; i < words; i++)
		json_array_append_new(recorded, hexadecimal(context->recorded[i]));
	return json_pack("{s:s, s:o, s:i, s:o, s:o}", "target", context->driver->name, "ip",
			 hexadecimal(context->ip),
			 "level", context->level, "sessions", sessions, "recorded", recorded);
}

//
// Text output
//

static const char *string_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static uint64_t number_of(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static bool is_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static void print_counter(const json_t *c)
{
	const json_t *events = json_object_get(c, "events"), *event;
	char text[2 * EVENT_TEXT_SIZE] = "no event";
	size_t index, used = 0;

	json_array_foreach(events, index, event)
		if (used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
						 index ? " or " : "", json_string_value(event));
	print_wrapped_from(printf("  counter %" PRIu64 ":", number_of(c, "counter")), text, 4);
	printf("    %" PRIu64 " events%s\n", number_of(c, "count"),
	       is_true(c, "overflow") ? ", an overflow has not been served" : "");
	if (!json_object_get(c, "period"))
		return;
	printf("    sampled with period %" PRIu64 ": %" PRIu64 " samples%s%s\n",
	       number_of(c, "period"),
	       number_of(c, "samples"), is_true(c, "precise") ? ", precise" : "",
	       is_true(c, "throttled") ? ", THROTTLED" : "");
	if (json_object_get(c, "jitter"))
		printf("    periods differ by up to %" PRIu64 "%%, by seed %" PRIu64 "\n",
		       number_of(c, "jitter"), number_of(c, "seed"));
	if (!is_true(c, "throttled"))
		printf("    next sample at event %" PRIu64 "; late so far by %" PRIu64 " events\n",
		       number_of(c, "next-sample"), number_of(c, "late"));
}

static void print_setting(const json_t *s)
{
	printf("  %s (%s): %s of bits %s\n", string_of(s, "reg"), string_of(s, "addr"),
	       string_of(s, "value"), string_of(s, "mask"));
}

static void print_state(const json_t *state)
{
	const json_t *session, *item;
	size_t index, i;

	printf("%s, goes on at %s, level %" PRIu64 "\n", string_of(state, "target"),
	       string_of(state, "ip"), number_of(state, "level"));
	json_array_foreach(json_object_get(state, "sessions"), index, session) {
		printf("session %" PRIu64 ", %s\n", number_of(session, "session"),
		       is_true(session, "running") ? "running" : "stopped");
		json_array_foreach(json_object_get(session, "counters"), i, item)
			print_counter(item);
		json_array_foreach(json_object_get(session, "settings"), i, item)
			print_setting(item);
	}
	json_array_foreach(json_object_get(state, "recorded"), i, item)
		printf("recorded %zu: %s\n", i, json_string_value(item));
}

//
// The command
//

static int show(const struct contents *c, bool json)
{
	const char *name = pmu_portable_target(c->bytes, c->size);
	const struct pmu_driver *driver = name ? pmu_driver_find(name) : pmu_drivers[0];
	static struct state state;
	enum pmu_portable_error error;
	json_t *description;

	if (!driver) {
		complain("%s: it is of an unknown target", c->path);
		return PALMON_FAILED;
	}
	if (!start_shim(driver, ""))
		return PALMON_FAILED;
	error = pmu_portable_read(driver, c->bytes, c->size, state.session, PMU_PORTABLE_SESSIONS,
				  &state.context);
	if (error) {
		complain("%s: %s", c->path, pmu_portable_explain(error));
		shim_end();
		return PALMON_FAILED;
	}
	description = describe(&state.context);
	pmu_portable_forget(&state.context);
	shim_end();
	if (json) {
		print_json(description);
	} else {
		print_state(description);
		json_decref(description);
	}
	return PALMON_DONE;
}

int command_state(int argc, char **argv)
{
	static const struct option known[] = {{"json", no_argument, NULL, 'j'}, {0}};
	static struct contents contents;
	bool json = false;

	for (int option; (option = getopt_long(argc, argv, "j", known, NULL)) != -1;) {
		if (option == '?')
			return usage_error();
		json = true;
	}
	if (argc - optind != 1) {
		complain(optind == argc ? "which FILE?" : "'%s': one FILE is enough",
			 argv[optind + 1]);
		return usage_error();
	}
	contents.path = argv[optind];
	return load(&contents) ? show(&contents, json) : PALMON_FAILED;
}
