// SPDX-License-Identifier: BSD-2-Clause
// Writes an image's measurements to the files of a folder: run_write.h.

#define _GNU_SOURCE
#include "run_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "output.h"
#include "palmon.h"
#include "stat.h"

#define PATH_SIZE	4096

//
// Files
//

static const char *const files[] = {"samples", "counts.json", "symbols", "image.elf", "selftest.tap"};

static bool name_file(const struct run_place *f, const char *name, char path[PATH_SIZE])
{
	if (snprintf(path, PATH_SIZE, "%s/%s", f->folder, name) < PATH_SIZE)
		return true;
	complain("%s: %s", f->folder, strerror(ENAMETOOLONG));
	return false;
}

// Removes the files of an earlier run.
bool run_prepare(const struct run_place *f)
{
	char path[PATH_SIZE];

	if (mkdir(f->folder, 0777) && errno != EEXIST) {
		complain("%s: %s", f->folder, strerror(errno));
		return false;
	}
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (!name_file(f, files[i], path))
			return false;
		if (unlink(path) && errno != ENOENT) {
			complain("%s: %s", path, strerror(errno));
			return false;
		}
	}
	return true;
}

typedef bool write_function(const struct run_place *f, const struct run *run, struct output *output);

static bool write_file(const struct run_place *f, const struct run *run, const char *name, write_function *write)
{
	struct output output;
	char path[PATH_SIZE];

	if (!name_file(f, name, path) || !output_open(&output, path))
		return false;
	if (write(f, run, &output))
		return output_commit(&output);
	output_abandon(&output);
	return false;
}

//
// Samples
//

static json_t *hexadecimal(uint64_t value)
{
	return json_hexadecimal(value, 1);
}

static bool put_header(const struct run_place *f, const struct run *run, struct output *output)
{
	json_t *events = json_array(), *header;

	for (unsigned i = 0; i < run->events; i++) {
		const struct run_event *e = &run->event[i];
		json_t *event;
		char *text;

		if (!e->text)
			continue;
		if (asprintf(&text, e->period ? "%s:period=%" PRIu64 : "%s", e->text, e->period) < 0)
			return complain("%s", strerror(ENOMEM)), false;
		event = json_pack("{s:s, s:I}", "event", text, "period", (json_int_t)e->period);
		if (e->driver != run->driver)
			json_object_set_new(event, "target", json_string(e->driver->name));
		if (!e->happens)
			json_object_set_new(event, "absent", json_true());
		json_array_append_new(events, event);
		free(text);
	}
	header = json_pack("{s:i, s:s, s:s, s:s, s:i, s:o}", "palmon_samples", SAMPLES_VERSION, "target",
			   run->driver->name, "trace", f->name, "backend", run->backend, "cpus", (int)run->threads,
			   "events", events);
	if (*run->build_id)
		json_object_set_new(header, "build_id", json_string(run->build_id));
	return output_json(output, header);
}

static void set_addresses(json_t *object, const char *name, const uint64_t *address, unsigned count)
{
	json_t *addresses = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(addresses, hexadecimal(address[i]));
	if (count)
		json_object_set(object, name, addresses);
	json_decref(addresses);
}

static bool put_sample(const struct run *run, const char *line, struct output *output)
{
	struct run_sample s;
	json_t *object;

	if (!run_read_sample(run, line, &s) || run->event[s.event].index < 0)
		return true;
	object = json_pack("{s:i, s:o}", "event", run->event[s.event].index, "ip", hexadecimal(s.ip));
	if (s.count) {
		json_object_set_new(object, "clock", json_integer((json_int_t)s.clock));
		json_object_set_new(object, "count", json_integer((json_int_t)s.count));
		json_object_set_new(object, "level", json_integer((json_int_t)s.level));
	}
	if (run->threads > 1)
		json_object_set_new(object, "cpu", json_integer((json_int_t)s.thread));
	if (s.times > 1)
		json_object_set_new(object, "times", json_integer((json_int_t)s.times));
	set_addresses(object, "payload", s.word, s.words);
	set_addresses(object, "callers", s.caller, s.callers);
	return output_json(output, object);
}

static bool put_end(const struct run *run, struct output *output)
{
	json_t *events = json_array();

	for (unsigned i = 0; i < run->events; i++) {
		const struct run_event *e = &run->event[i];
		const struct run_count sum = run_sum(run, e);
		const uint64_t lost = run_lost(run, e);
		json_t *event;

		if (!e->text)
			continue;
		event = json_pack("{s:o, s:I, s:I, s:b}", "count",
				  sum.known ? json_integer((json_int_t)sum.count) : json_null(), "samples",
				  (json_int_t)sum.samples, "rest", (json_int_t)sum.rest, "throttled", sum.throttled);
		if (lost)
			json_object_set_new(event, "lost", json_integer((json_int_t)lost));
		json_array_append_new(events, event);
	}
	return output_json(output, json_pack("{s:b, s:I, s:I, s:o}", "end", 1, "cycles", (json_int_t)run->clocks[0][0],
					     "dropped", (json_int_t)run->dropped, "events", events));
}

static bool write_samples(const struct run_place *f, const struct run *run, struct output *output)
{
	bool ok = put_header(f, run, output);

	for (size_t i = 0; ok && i < run->symbols; i++)
		ok = output_json(output, json_pack("{s:s, s:o, s:o}", "symbol", run->symbol[i].name, "address",
						   hexadecimal(run->symbol[i].address), "end",
						   hexadecimal(run->symbol[i].end)));
	for (size_t i = 0; ok && i < run->lines->count; i++)
		ok = put_sample(run, run->lines->line[i], output);
	return ok && put_end(run, output);
}

//
// Counts, symbols, image
//

static void set_cpu(const struct run *run, json_t *object, unsigned thread)
{
	char text[16];

	snprintf(text, sizeof text, "%u", thread);
	if (run->threads > 1)
		json_object_set_new(object, "cpu", json_string(text));
}

static bool put_count(const struct run *run, const struct run_event *e, unsigned thread, struct output *output)
{
	const struct counted counted = {
		.event = e->text, .count = e->of[thread].count, .cycles = run->clocks[e->run][thread],
		.run = e->run + 1,
	};
	json_t *object = json_of_count(&counted, run->runs);

	if (!e->happens) {
		json_object_set_new(object, "counter-value", json_string("<not counted>"));
		json_object_set_new(object, "event-runtime", json_integer(0));
		json_object_set_new(object, "pcnt-running", json_real(0));
	}
	set_cpu(run, object, thread);
	return output_json(output, object);
}

// How many threads have counts of an event. A PMU that cores share has one count, that of the first
// thread. An event whose line is lost has none.
static unsigned counts_of(const struct run *run, const struct run_event *e)
{
	if (!e->text)
		return 0;
	return e->driver->cores ? 1 : run->threads;
}

static bool put_metric(const struct run *run, const struct run_metric *m, struct output *output)
{
	json_t *object = json_of_metric(m->name, run->clocks[run->runs - 1][m->thread],
					m->counted ? json_real(m->value) : json_null(), m->unit, run->runs);

	set_cpu(run, object, m->thread);
	return output_json(output, object);
}

static bool write_counts(const struct run_place *f, const struct run *run, struct output *output)
{
	bool ok = true;

	(void)f;
	for (unsigned i = 0; i < run->events; i++)
		for (unsigned t = 0; ok && t < counts_of(run, &run->event[i]); t++)
			if (run->event[i].of[t].known)
				ok = put_count(run, &run->event[i], t, output);
	for (unsigned i = 0; ok && i < run->metrics; i++)
		ok = put_metric(run, &run->metric[i], output);
	return ok;
}

static bool write_symbols(const struct run_place *f, const struct run *run, struct output *output)
{
	bool ok = true;

	(void)f;
	for (size_t i = 0; ok && i < run->symbols; i++)
		ok = fprintf(output->file, "%" PRIx64 " %" PRIx64 " %s\n", run->symbol[i].address,
			     run->symbol[i].end - run->symbol[i].address, run->symbol[i].name) > 0;
	return ok;
}

static bool write_image(const struct run_place *f, const struct run *run, struct output *output)
{
	FILE *from = fopen(f->elf, "r");
	char bytes[65536];
	size_t size = 0;
	bool ok = from;

	(void)run;
	while (ok && (size = fread(bytes, 1, sizeof bytes, from)) > 0)
		ok = fwrite(bytes, 1, size, output->file) == size;
	ok = ok && !ferror(from);
	if (!ok)
		complain("%s: %s", f->elf, strerror(errno));
	if (from)
		fclose(from);
	return ok;
}

//
// All files
//

bool run_write(const struct run *run, const struct run_place *f)
{
	bool ok = run_prepare(f) && write_file(f, run, "samples", write_samples) &&
		  write_file(f, run, "counts.json", write_counts) && write_file(f, run, "symbols", write_symbols);

	if (ok && f->elf)
		ok = image_is(f->elf, run->build_id) && write_file(f, run, "image.elf", write_image);
	return ok;
}
