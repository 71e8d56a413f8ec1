// SPDX-License-Identifier: BSD-2-Clause
// Reads a file of samples: samples.h.

#define _GNU_SOURCE
#include "samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "counter.h"
#include "palmon.h"
#include "sample_line.h"

#define LINE_SIZE	65536	/* longest line of the file, terminator included */

// The receiver of samples.
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

#define SLOTS	3	/* in a bundle */
#define BUNDLE	16	/* bytes of a bundle */

static void add_step(struct sample_key *key, uint8_t kind, uint64_t address)
{
	if (key->steps < PMU_PAYLOAD_WORDS) {
		key->step[key->steps].address = address;
		key->step[key->steps++].kind = kind;
	}
}

// Adds a branch. If the branch before it was taken and has no recorded target, this branch is the
// target itself.
static void add_branch(struct sample_key *key, uint64_t address)
{
	const struct sample_step *last = key->steps ? &key->step[key->steps - 1] : NULL;

	if (last && last->kind == STEP_BRANCH && !last->not_taken)
		add_step(key, STEP_TARGET, address);
	add_step(key, STEP_BRANCH, address);
}

// Adds the slot to the address of a branch in a bundle.
static void add_slot(struct sample_step *last, uint64_t slot)
{
	last->address += slot;
	last->length = (uint8_t)(slot < SLOTS - 1 ? 1 : BUNDLE - (SLOTS - 1));
}

// A record of branches that were not taken covers its whole bundle.
static void add_taken(struct sample_step *last, bool taken)
{
	last->not_taken = !taken;
	last->length = taken ? 0 : BUNDLE;
}

// Adds one part of a payload to the sample.
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
	} else if (!strcmp(part->name, "served")) {
		sample->served = (enum payload_served)part->value;
	} else if (!strcmp(part->name, "access")) {
		sample->access = (enum payload_access)part->value;
	} else if (!strcmp(part->name, "flags")) {
		sample->flags = part->value;
	} else if (part->kind == PAYLOAD_CONTENTS) {
		if (sample->registers < SAMPLE_REGISTERS)
			sample->contents[sample->registers++] =
				(struct sample_register){part->name, part->value};
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

static void add_payload(const struct samples *s, struct sample *sample, const uint64_t *words,
			unsigned count)
{
	const struct pmu_records *records = s->event[sample->key.event].driver->records;
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

// Finds a sample's callers. The recorded callers belong to the interrupted function; if the sampled
// instruction is in another function because the interrupt came late, they are dropped.
static void add_callers(struct samples *s, struct sample *sample)
{
	if (!s->named) {
		names_sort(&s->names);
		s->named = true;
	}
	if (sample->key.address != sample->key.ip &&
	    names_find(&s->names, sample->key.address) != names_find(&s->names, sample->key.ip))
		sample->frames = 0;
	if (!sample->frames && s->branch_callers)
		callers_of_branches(&s->names, sample);
}

static bool take_sample(struct samples *s, const struct sample_line *line,
			const struct taker *taker)
{
	struct sampled_event *e = &s->event[line->event];
	struct sample sample;

	memset(&sample, 0, sizeof sample);
	sample.line = s->line;
	sample.clock = line->clock;
	sample.times = line->times;
	sample.cpu = line->cpu;
	sample.privilege = line->level;
	sample.key.event = line->event;
	sample.key.ip = sample.key.address = line->ip;
	sample.frames = line->frames;
	memcpy(sample.frame, line->frame, line->frames * sizeof *line->frame);
	if (line->has_payload)
		add_payload(s, &sample, line->word, line->words);
	add_callers(s, &sample);
	if (__builtin_add_overflow(e->samples, sample.times, &e->samples) ||
	    e->samples > SAMPLES_MOST)
		return wrong(s, "fewer samples");
	return taker->take(taker->context, &sample);
}

static bool read_sample(struct samples *s, const json_t *object, const struct taker *taker)
{
	struct sample_line line;
	const char *expected = sample_line_parse(object, s->event_count, &line);

	return expected ? wrong(s, expected) : take_sample(s, &line, taker);
}

static bool read_event(struct samples *s, json_t *object)
{
	struct sampled_event *e = &s->event[s->event_count];
	const char *name, *target = s->driver->name;
	json_int_t period;
	int absent = 0;

	if (s->event_count == SAMPLES_EVENTS)
		return wrong(s, "fewer events");
	if (json_unpack(object, "{s:s, s:I, s?:s, s?:b}", "event", &name, "period", &period,
			"target", &target,
			"absent", &absent) || period < 0)
		return wrong(s, "events with periods");
	e->driver = pmu_driver_find(target);
	if (!e->driver)
		return wrong(s, "events of known targets");
	e->name = strdup(name);
	e->period = (uint64_t)period;
	e->absent = absent;
	s->event_count++;
	if (!e->name)
		return no_memory();
	if (event_parse(e->driver->events, &name, &e->request) || *name)
		return wrong(s, "events of this target");
	return e->period == e->request.period || wrong(s, "periods that match the events");
}

// A copy without control characters, which a terminal would obey.
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
	const char *target, *trace, *build_id = "", *backend = "";
	json_int_t ticks = 0;
	json_t *events;
	int version;

	if (json_unpack(object, "{s:i, s:s, s:s, s:o, s?:I, s?:s, s?:s}", "palmon_samples",
			&version,
			"target", &target,
			"trace", &trace, "events", &events, "ticks", &ticks, "build_id", &build_id,
			"backend", &backend) ||
	    version != SAMPLES_VERSION || ticks < 0)
		return wrong(s, "a file that palmon record or palmon fetch has written");
	if (strlen(build_id) >= sizeof s->build_id ||
	    build_id[strspn(build_id, "0123456789abcdef")])
		return wrong(s, "a build ID of hexadecimal digits");
	strcpy(s->build_id, build_id);
	s->driver = pmu_driver_find(target);
	s->ticks = (uint64_t)ticks;
	s->trace = printable(trace);
	s->backend = printable(backend);
	if (!s->driver)
		return wrong(s, "a known target");
	for (size_t i = 0; i < json_array_size(events); i++)
		if (!read_event(s, json_array_get(events, i)))
			return false;
	return (s->trace && s->backend) || no_memory();
}

// The shortest period of a sampled event.
static uint64_t shortest_period(const struct sampled_event *e)
{
	return e->period - pmu_spread(e->driver, e->period, e->request.jitter,
				      e->request.modifiers & EVENT_PRECISE);
}

// Reads the end of an event. A count of null is lost.
static bool read_event_end(struct samples *s, struct sampled_event *e, json_t *object)
{
	json_int_t lost = 0, taken = 0, estimate = 0;
	json_t *count;
	int throttled;

	if (json_unpack(object, "{s:o, s:b, s?:I, s?:I, s?:I}", "count", &count, "throttled",
			&throttled, "lost", &lost, "samples", &taken, "scaled", &estimate) ||
	    !(json_is_integer(count) || json_is_null(count)) || json_integer_value(count) < 0 ||
	    lost < 0 || taken < 0 || estimate < 0)
		return wrong(s, "count and throttled of each event");
	e->count = (uint64_t)json_integer_value(count);
	e->count_lost = json_is_null(count);
	e->lost = (uint64_t)lost;
	e->taken = (uint64_t)taken;
	e->throttled = throttled;
	e->estimate = (uint64_t)estimate;
	e->scaled = json_object_get(object, "scaled");
	if (!e->count_lost && e->period && e->samples > e->count / shortest_period(e))
		return wrong(s, "no more samples than the count has periods");
	return true;
}

static bool read_symbol(struct samples *s, json_t *object)
{
	const char *name;
	json_t *address, *end;
	uint64_t first, behind;
	char *copy;
	bool ok;

	if (json_unpack(object, "{s:s, s:o, s:o}", "symbol", &name, "address", &address, "end",
			&end) ||
	    !sample_line_hexadecimal(address, &first) ||
	    !sample_line_hexadecimal(end, &behind) || !*name)
		return wrong(s, "a symbol with address and end as \"0x...\"");
	copy = printable(name);
	ok = copy && names_add(&s->names, first, behind, copy);
	free(copy);
	return ok || no_memory();
}

static bool read_end(struct samples *s, json_t *object)
{
	json_int_t dropped;
	json_t *events;

	if (json_unpack(object, "{s:I, s:o}", "dropped", &dropped, "events", &events) ||
	    dropped < 0 ||
	    json_array_size(events) != s->event_count)
		return wrong(s, "the number of dropped samples, and as many events as above");
	for (unsigned i = 0; i < s->event_count; i++)
		if (!read_event_end(s, &s->event[i], json_array_get(events, i)))
			return false;
	s->dropped = (uint64_t)dropped;
	s->complete = true;
	return true;
}

static bool read_object(struct samples *s, const char *text, size_t length,
			const struct taker *taker)
{
	json_t *object = json_loadb(text, length, 0, NULL);
	bool ok;

	if (!json_is_object(object))
		ok = wrong(s, "a JSON object");
	else if (s->complete)
		ok = wrong(s, "no line after the end");
	else if (!s->driver)
		ok = read_header(s, object);
	else if (!s->named && json_object_get(object, "symbol"))
		ok = read_symbol(s, object);
	else if (json_object_get(object, "end"))
		ok = read_end(s, object);
	else
		ok = read_sample(s, object, taker);
	json_decref(object);
	return ok;
}

// Most lines are samples.
static bool read_line(struct samples *s, const char *text, size_t length, const struct taker *taker)
{
	struct sample_line line;

	if (s->driver && !s->complete && sample_line_scan(text, s->event_count, &line))
		return take_sample(s, &line, taker);
	return read_object(s, text, length, taker);
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

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

bool samples_sibling(const char *path, const char *name, char beside[SAMPLES_PATH])
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0, length;
	struct stat status;

	if (is_folder(path))
		length = snprintf(beside, SAMPLES_PATH, "%s/%s", path, name);
	else
		length = snprintf(beside, SAMPLES_PATH, "%.*s%s", folder, path, name);
	return length < SAMPLES_PATH && !stat(beside, &status);
}

// Complains about a folder without samples, and names the one that make run fills, TARGET/run.
static void complain_folder(const char *path)
{
	char name[SAMPLES_PATH];

	if (samples_sibling(path, "run/samples", name))
		complain("%s: this folder has no file 'samples'; %.*s has one", path,
			 (int)(strlen(name) - strlen("/samples")), name);
	else
		complain("%s: this folder has no file 'samples'", path);
}

// Opens a file, or the samples in a folder. NULL after a complaint.
static FILE *open_path(const char *path)
{
	const bool folder = is_folder(path);
	char name[SAMPLES_PATH];
	FILE *file;

	if (folder && !samples_sibling(path, "samples", name)) {
		complain_folder(path);
		return NULL;
	}
	file = fopen(folder ? name : path, "r");
	if (!file)
		complain("%s: %s", path, strerror(errno));
	return file;
}

bool samples_read(struct samples *s, bool (*take)(void *context, const struct sample *sample),
		  void *context)
{
	const struct taker taker = {take, context};
	bool ok;

	s->file = strcmp(s->path, "-") ? open_path(s->path) : stdin;
	if (!s->file)
		return false;
	ok = read_lines(s, &taker);
	if (s->file != stdin)
		fclose(s->file);
	if (!s->named)
		names_sort(&s->names);
	return ok;
}

void samples_free(struct samples *s)
{
	for (unsigned i = 0; i < s->event_count; i++)
		free(s->event[i].name);
	names_free(&s->names);
	free(s->trace);
	free(s->backend);
}

bool samples_is_event(const struct sampled_event *event, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(event->name, name, length) &&
	       (!event->name[length] || !strncmp(event->name + length, ":period=", 8));
}

int samples_find_event(const struct samples *s, const char *name)
{
	char names[1024] = "";
	size_t used = 0;

	for (unsigned i = 0; i < s->event_count && used < sizeof names; i++) {
		if (samples_is_event(&s->event[i], name))
			return (int)i;
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
					 s->event[i].name);
	}
	complain("%s: there is no event '%s'; events are: %s", s->path, name, names);
	return -1;
}

void samples_print_remarks(const struct samples *s, FILE *file)
{
	if (strstr(s->backend, ", interruptions count"))
		fputs("interrupts and faults counted, too, each as an instruction, a branch, a "
		      "load and a store\n", file);
	for (unsigned i = 0; i < s->event_count; i++)
		if (s->event[i].throttled)
			fprintf(file, "%s: samples came too fast and were stopped (THROTTLED)\n",
				s->event[i].name);
	for (unsigned i = 0; i < s->event_count; i++)
		if (s->event[i].lost)
			fprintf(file, "%s: %" PRIu64 " samples are LOST with lines of the log\n",
				s->event[i].name, s->event[i].lost);
	for (unsigned i = 0; i < s->event_count; i++) {
		const struct sampled_event *e = &s->event[i];

		if (e->taken > e->samples + e->lost)
			fprintf(file, "%s: %" PRIu64 " of %" PRIu64 " samples are MISSING: "
				"dropped, or in records of several events\n", e->name,
				e->taken - e->samples - e->lost, e->taken);
	}
	if (s->dropped)
		fprintf(file, "%" PRIu64 " samples were DROPPED: there was no room for them\n",
			s->dropped);
}
