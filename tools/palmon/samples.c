// SPDX-License-Identifier: BSD-2-Clause
// Reads the file of samples: samples.h.

#define _GNU_SOURCE
#include "samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "palmon.h"

#define LINE_SIZE	65536	/* of the file, with its end */

// What takes the samples.
struct taker {
	bool (*take)(void *context, const struct sample *sample);
	void *context;
};

static bool wrong(const struct samples *s, const char *expected)
{
	complain("%s:%u: expected %s", s->path, s->line, expected);
	return false;
}

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

//
// Payloads
//

#define SLOTS	3	/* of a bundle */
#define BUNDLE	16	/* bytes */

static void add_step(struct sample_key *key, uint8_t kind, uint64_t address)
{
	if (key->steps < PMU_PAYLOAD_WORDS) {
		key->step[key->steps].address = address;
		key->step[key->steps++].kind = kind;
	}
}

// A branch behind one that was taken has no target between them where it is in the target itself.
static void add_branch(struct sample_key *key, uint64_t address)
{
	const struct sample_step *last = key->steps ? &key->step[key->steps - 1] : NULL;

	if (last && last->kind == STEP_BRANCH && !last->not_taken)
		add_step(key, STEP_TARGET, address);
	add_step(key, STEP_BRANCH, address);
}

// Of a branch in a bundle.
static void add_slot(struct sample_step *last, uint64_t slot)
{
	last->address += slot;
	last->length = (uint8_t)(slot < SLOTS - 1 ? 1 : BUNDLE - (SLOTS - 1));
}

// One that is not taken is all of its bundle's.
static void add_taken(struct sample_step *last, bool taken)
{
	last->not_taken = !taken;
	last->length = taken ? 0 : BUNDLE;
}

// Takes over one part of a payload.
static void add_part(struct sample *sample, const struct payload_part *part)
{
	struct sample_key *key = &sample->key;
	struct sample_step *last = key->steps ? &key->step[key->steps - 1] : NULL;

	if (!strcmp(part->name, "address")) {
		key->data = part->value;
		key->has_data = 1;
	} else if (!strcmp(part->name, "level")) {
		key->level = part->value;
		key->has_level = 1;
	} else if (!strcmp(part->name, "source")) {
		key->source = part->value;
		key->has_source = 1;
		sample->source_name = part->text;
	} else if (!strcmp(part->name, "missed")) {
		sample->missed = part->value;
	} else if (part->kind == PAYLOAD_CONTENTS) {
		if (sample->registers < SAMPLE_REGISTERS)
			sample->contents[sample->registers++] = (struct sample_register){part->name, part->value};
	} else if (!strcmp(part->name, "latency")) {
		sample->latency = part->value;
		sample->has_latency = true;
	} else if (!strcmp(part->name, "branch")) {
		add_branch(key, part->value);
	} else if (!strcmp(part->name, "target")) {
		add_step(key, STEP_TARGET, part->value);
	} else if (!strcmp(part->name, "slot") && last) {
		add_slot(last, part->value);
	} else if (!strcmp(part->name, "taken") && last) {
		add_taken(last, part->value);
	} else if (!strcmp(part->name, "mispredicted") && last) {
		last->mispredicted = part->value != 0;
	} else if (!strcmp(part->name, "last")) {
		sample->last_file = part->text;
		sample->last = (unsigned)part->value;
	}
}

static void add_payload(const struct samples *s, struct sample *sample, const uint64_t *words, unsigned count)
{
	const struct pmu_records *records = s->driver->records;
	struct payload_part parts[PAYLOAD_PARTS];
	const struct event_request *request = &s->event[sample->key.event].request;
	struct pmu_location l;
	unsigned n = 0;

	if (records && records->explain)
		n = records->explain(request, words, count, parts);
	for (unsigned i = 0; i < n; i++)
		add_part(sample, &parts[i]);
	if (records && records->locate) {
		l = records->locate(request, sample->key.ip, words, count);
		sample->key.address = l.address;
		sample->key.place = (uint8_t)l.place;
	}
}

//
// The file
//

static bool read_hexadecimal(const json_t *string, uint64_t *value)
{
	const char *text = json_string_value(string);
	char *end;

	if (!text || strncmp(text, "0x", 2) || !text[2] || text[2 + strspn(text + 2, "0123456789abcdef")])
		return false;
	errno = 0;
	*value = strtoull(text, &end, 16);
	return errno == 0 && !*end;
}

static bool read_sample(struct samples *s, json_t *object, const struct taker *taker)
{
	uint64_t words[PMU_PAYLOAD_WORDS];
	json_t *ip = NULL, *payload = NULL;
	struct sample sample;
	int event = -1;

	memset(&sample, 0, sizeof sample);
	if (json_unpack(object, "{s:i, s:o, s?:o}", "event", &event, "ip", &ip, "payload", &payload) || event < 0 ||
	    (unsigned)event >= s->event_count)
		return wrong(s, "a sample of one of the events");
	sample.key.event = (unsigned)event;
	if (!read_hexadecimal(ip, &sample.key.ip))
		return wrong(s, "ip as \"0x...\"");
	sample.key.address = sample.key.ip;
	if (json_array_size(payload) > PMU_PAYLOAD_WORDS)
		return wrong(s, "a shorter payload");
	for (size_t i = 0; i < json_array_size(payload); i++)
		if (!read_hexadecimal(json_array_get(payload, i), &words[i]))
			return wrong(s, "a payload of \"0x...\"");
	if (payload)
		add_payload(s, &sample, words, (unsigned)json_array_size(payload));
	s->event[event].samples++;
	return taker->take(taker->context, &sample);
}

static bool read_event(struct samples *s, json_t *object)
{
	struct sampled_event *e = &s->event[s->event_count];
	const char *name;
	json_int_t period;

	if (s->event_count == PMU_SESSION_EVENTS)
		return wrong(s, "fewer events");
	if (json_unpack(object, "{s:s, s:I}", "event", &name, "period", &period) || period < 0)
		return wrong(s, "events with periods");
	e->name = strdup(name);
	e->period = (uint64_t)period;
	s->event_count++;
	if (!e->name)
		return no_memory();
	if (event_parse(s->driver->events, &name, &e->request) || *name)
		return wrong(s, "events of this target");
	return e->period == e->request.period || wrong(s, "the periods that the events say");
}

// What a terminal would obey is not printed.
static char *printable(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7F)
			*c = '?';
	return copy;
}

static bool read_header(struct samples *s, json_t *object)
{
	const char *target, *trace;
	json_t *events;
	int version;

	if (json_unpack(object, "{s:i, s:s, s:s, s:o}", "palmon_samples", &version, "target", &target, "trace", &trace,
			"events", &events) || version != SAMPLES_VERSION)
		return wrong(s, "a file that palmon record has written");
	s->driver = pmu_driver_find(target);
	s->trace = printable(trace);
	if (!s->driver)
		return wrong(s, "a target that this palmon has");
	for (size_t i = 0; i < json_array_size(events); i++)
		if (!read_event(s, json_array_get(events, i)))
			return false;
	return s->trace || no_memory();
}

static bool read_end(struct samples *s, json_t *object)
{
	json_int_t dropped, count;
	json_t *events;
	int throttled;

	if (json_unpack(object, "{s:I, s:o}", "dropped", &dropped, "events", &events) || dropped < 0 ||
	    json_array_size(events) != s->event_count)
		return wrong(s, "what was dropped, and as many events as above");
	for (unsigned i = 0; i < s->event_count; i++) {
		if (json_unpack(json_array_get(events, i), "{s:I, s:b}", "count", &count, "throttled", &throttled) ||
		    count < 0)
			return wrong(s, "count and throttled of each event");
		if (s->event[i].period && s->event[i].samples > (uint64_t)count / s->event[i].period)
			return wrong(s, "no more samples than the count has periods");
		s->event[i].count = (uint64_t)count;
		s->event[i].throttled = throttled;
	}
	s->dropped = (uint64_t)dropped;
	s->complete = true;
	return true;
}

static bool read_line(struct samples *s, const char *text, size_t length, const struct taker *taker)
{
	json_t *object = json_loadb(text, length, 0, NULL);
	bool ok;

	if (!json_is_object(object))
		ok = wrong(s, "a JSON object");
	else if (s->complete)
		ok = wrong(s, "no line behind the end");
	else if (!s->driver)
		ok = read_header(s, object);
	else if (json_object_get(object, "end"))
		ok = read_end(s, object);
	else
		ok = read_sample(s, object, taker);
	json_decref(object);
	return ok;
}

static bool read_lines(struct samples *s, const struct taker *taker)
{
	static char text[LINE_SIZE];

	while (fgets(text, sizeof text, s->file)) {
		size_t length = strlen(text);

		s->line++;
		if (length == sizeof text - 1 && text[length - 1] != '\n')
			return wrong(s, "a shorter line");
		if (!read_line(s, text, length, taker))
			return false;
	}
	if (ferror(s->file)) {
		complain("%s: %s", s->path, strerror(errno));
		return false;
	}
	s->line++;
	return s->complete || wrong(s, "more: the file is not complete");
}

bool samples_read(struct samples *s, bool (*take)(void *context, const struct sample *sample), void *context)
{
	const struct taker taker = {take, context};
	bool ok;

	s->file = strcmp(s->path, "-") ? fopen(s->path, "r") : stdin;
	if (!s->file) {
		complain("%s: %s", s->path, strerror(errno));
		return false;
	}
	ok = read_lines(s, &taker);
	if (s->file != stdin)
		fclose(s->file);
	return ok;
}

void samples_free(struct samples *s)
{
	for (unsigned i = 0; i < s->event_count; i++)
		free(s->event[i].name);
	free(s->trace);
}
