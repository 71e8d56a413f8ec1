// SPDX-License-Identifier: BSD-2-Clause
// palmon report: samples by address. What was captured with a sample (data address, latency, level, branches) makes
// columns of its own: samples that agree in all but latency are one row.

#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "palmon.h"
#include "samples.h"

#define LINE_SIZE	65536	/* of the file, with its end */
#define ROWS_SHOWN	30
#define BAR_WIDTH	20

// One address of a captured path.
struct step {
	uint64_t address;	// with the slot in its lowest bits
	uint8_t kind;
#define STEP_BRANCH		1
#define STEP_TARGET		2
	uint8_t not_taken, mispredicted;
};

// What samples of one row have in common; bytes between its members are 0.
struct row_key {
	uint64_t address;	// where it was captured, else the interrupted instruction's
	uint64_t data, level;
	unsigned event;
	uint8_t has_data, has_level;
	unsigned steps;
	struct step step[PMU_PAYLOAD_WORDS];
};

struct row {
	struct row_key key;
	uint64_t samples;
	uint64_t latencies, latency_sum, latency_most;	// how many have one; their sum; the longest
};

struct sampled_event {
	char *name;
	struct event_request request;
	uint64_t period, samples;	// samples: in the file
	uint64_t count;			// of events
	bool throttled;
};

struct report {
	const char *path;		// the file, and its line that is being read
	FILE *file;
	unsigned line;
	const struct pmu_driver *driver;
	char *trace;
	unsigned event_count;
	struct sampled_event event[PMU_SESSION_EVENTS];
	bool complete;			// the last line is there
	uint64_t dropped;
	bool folded, json;

	void *tree;			// rows, while samples come
	struct row **row;		// and sorted
	size_t row_count;
};

//
// Samples
//

static bool wrong(const struct report *r, const char *expected)
{
	fprintf(stderr, "%s:%u: expected %s\n", r->path, r->line, expected);
	return false;
}

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

static int compare_keys(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return memcmp(&x->key, &y->key, sizeof x->key);
}

static bool add_sample(struct report *r, const struct row *sample)
{
	struct row **found = tsearch(sample, &r->tree, compare_keys), *row;

	if (!found)
		return no_memory();
	if (*found == sample) {
		*found = malloc(sizeof **found);
		if (!*found)
			return no_memory();
		memcpy(*found, sample, sizeof *sample);
		r->row_count++;
		return true;
	}
	row = *found;
	row->samples++;
	row->latencies += sample->latencies;
	row->latency_sum += sample->latency_sum;
	if (sample->latency_most > row->latency_most)
		row->latency_most = sample->latency_most;
	return true;
}

static void add_step(struct row_key *key, uint8_t kind, uint64_t address)
{
	if (key->steps < PMU_PAYLOAD_WORDS) {
		key->step[key->steps].address = address;
		key->step[key->steps++].kind = kind;
	}
}

// Takes over one part of a payload.
static void add_part(struct row *row, const struct payload_part *part)
{
	struct row_key *key = &row->key;
	struct step *last = key->steps ? &key->step[key->steps - 1] : NULL;

	if (!strcmp(part->name, "ip") || !strcmp(part->name, "line")) {
		key->address = part->value;
	} else if (!strcmp(part->name, "address")) {
		key->data = part->value;
		key->has_data = 1;
	} else if (!strcmp(part->name, "level")) {
		key->level = part->value;
		key->has_level = 1;
	} else if (!strcmp(part->name, "latency")) {
		row->latencies = 1;
		row->latency_sum = row->latency_most = part->value;
	} else if (!strcmp(part->name, "branch")) {
		add_step(key, STEP_BRANCH, part->value);
	} else if (!strcmp(part->name, "target")) {
		add_step(key, STEP_TARGET, part->value);
	} else if (!strcmp(part->name, "slot")) {
		*(last ? &last->address : &key->address) += part->value;
	} else if (!strcmp(part->name, "taken") && last) {
		last->not_taken = !part->value;
	} else if (!strcmp(part->name, "mispredicted") && last) {
		last->mispredicted = part->value != 0;
	}
}

static void add_payload(const struct report *r, struct row *row, const uint64_t *words, unsigned count)
{
	struct payload_part parts[PAYLOAD_PARTS];
	const struct event_request *request = &r->event[row->key.event].request;
	unsigned n = 0;

	if (r->driver->explain_payload)
		n = r->driver->explain_payload(request, words, count, parts);
	for (unsigned i = 0; i < n; i++)
		add_part(row, &parts[i]);
	if (r->folded) {
		row->key.data = row->key.level = 0;
		row->key.has_data = row->key.has_level = 0;
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

static bool read_sample(struct report *r, json_t *object)
{
	uint64_t words[PMU_PAYLOAD_WORDS];
	json_t *ip = NULL, *payload = NULL;
	struct row row;
	int event = -1;

	memset(&row, 0, sizeof row);
	if (json_unpack(object, "{s:i, s:o, s?:o}", "event", &event, "ip", &ip, "payload", &payload) || event < 0 ||
	    (unsigned)event >= r->event_count)
		return wrong(r, "a sample of one of the events");
	row.key.event = (unsigned)event;
	row.samples = 1;
	if (!read_hexadecimal(ip, &row.key.address))
		return wrong(r, "ip as \"0x...\"");
	if (json_array_size(payload) > PMU_PAYLOAD_WORDS)
		return wrong(r, "a shorter payload");
	for (size_t i = 0; i < json_array_size(payload); i++)
		if (!read_hexadecimal(json_array_get(payload, i), &words[i]))
			return wrong(r, "a payload of \"0x...\"");
	if (payload)
		add_payload(r, &row, words, (unsigned)json_array_size(payload));
	r->event[event].samples++;
	return add_sample(r, &row);
}

static bool read_event(struct report *r, json_t *object)
{
	struct sampled_event *e = &r->event[r->event_count];
	const char *name;
	json_int_t period;

	if (r->event_count == PMU_SESSION_EVENTS)
		return wrong(r, "fewer events");
	if (json_unpack(object, "{s:s, s:I}", "event", &name, "period", &period) || period < 0)
		return wrong(r, "events with periods");
	e->name = strdup(name);
	e->period = (uint64_t)period;
	r->event_count++;
	if (!e->name)
		return no_memory();
	if (event_parse(r->driver->events, &name, &e->request) || *name)
		return wrong(r, "events of this target");
	return true;
}

static bool read_header(struct report *r, json_t *object)
{
	const char *target, *trace;
	json_t *events;
	int version;

	if (json_unpack(object, "{s:i, s:s, s:s, s:o}", "palmon_samples", &version, "target", &target, "trace", &trace,
			"events", &events) || version != SAMPLES_VERSION)
		return wrong(r, "a file that palmon record has written");
	r->driver = pmu_driver_find(target);
	r->trace = strdup(trace);
	if (!r->driver)
		return wrong(r, "a target that this palmon has");
	for (size_t i = 0; i < json_array_size(events); i++)
		if (!read_event(r, json_array_get(events, i)))
			return false;
	return r->trace || no_memory();
}

static bool read_end(struct report *r, json_t *object)
{
	json_int_t dropped, count;
	json_t *events;
	int throttled;

	if (json_unpack(object, "{s:I, s:o}", "dropped", &dropped, "events", &events) || dropped < 0 ||
	    json_array_size(events) != r->event_count)
		return wrong(r, "what was dropped, and as many events as above");
	for (unsigned i = 0; i < r->event_count; i++) {
		if (json_unpack(json_array_get(events, i), "{s:I, s:b}", "count", &count, "throttled", &throttled))
			return wrong(r, "count and throttled of each event");
		r->event[i].count = (uint64_t)count;
		r->event[i].throttled = throttled;
	}
	r->dropped = (uint64_t)dropped;
	r->complete = true;
	return true;
}

static bool read_line(struct report *r, const char *text, size_t length)
{
	json_t *object = json_loadb(text, length, 0, NULL);
	bool ok;

	if (!json_is_object(object))
		ok = wrong(r, "a JSON object");
	else if (r->complete)
		ok = wrong(r, "no line behind the end");
	else if (!r->driver)
		ok = read_header(r, object);
	else if (json_object_get(object, "end"))
		ok = read_end(r, object);
	else
		ok = read_sample(r, object);
	json_decref(object);
	return ok;
}

static bool read_lines(struct report *r)
{
	static char text[LINE_SIZE];

	while (fgets(text, sizeof text, r->file)) {
		size_t length = strlen(text);

		r->line++;
		if (length == sizeof text - 1 && text[length - 1] != '\n')
			return wrong(r, "a shorter line");
		if (!read_line(r, text, length))
			return false;
	}
	if (ferror(r->file)) {
		complain("%s: %s", r->path, strerror(errno));
		return false;
	}
	r->line++;
	return r->complete || wrong(r, "more: the file is not complete");
}

static bool read_file(struct report *r)
{
	bool ok;

	r->file = strcmp(r->path, "-") ? fopen(r->path, "r") : stdin;
	if (!r->file) {
		complain("%s: %s", r->path, strerror(errno));
		return false;
	}
	ok = read_lines(r);
	if (r->file != stdin)
		fclose(r->file);
	return ok;
}

//
// Rows
//

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->key.event != y->key.event)
		return x->key.event < y->key.event ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->key.address != y->key.address)
		return x->key.address < y->key.address ? -1 : 1;
	return compare_keys(x, y);
}

static bool sort_rows(struct report *r)
{
	r->row = calloc(r->row_count + 1, sizeof *r->row);
	if (!r->row)
		return no_memory();
	for (size_t i = 0; r->tree; i++) {
		r->row[i] = *(struct row **)r->tree;	// the root
		tdelete(r->row[i], &r->tree, compare_keys);
	}
	qsort(r->row, r->row_count, sizeof *r->row, compare_rows);
	return true;
}

static void free_report(struct report *r)
{
	for (size_t i = 0; r->row && i < r->row_count; i++)
		free(r->row[i]);
	free(r->row);
	tdestroy(r->tree, free);
	for (unsigned i = 0; i < r->event_count; i++)
		free(r->event[i].name);
	free(r->trace);
}

// The rows of an event: from *first, before the result.
static size_t rows_of(const struct report *r, unsigned event, size_t *first)
{
	size_t end;

	for (*first = 0; *first < r->row_count && r->row[*first]->key.event != event; ++*first)
		;
	for (end = *first; end < r->row_count && r->row[end]->key.event == event; end++)
		;
	return end;
}

//
// Output
//

static void print_losses(const struct report *r, FILE *file)
{
	for (unsigned i = 0; i < r->event_count; i++)
		if (r->event[i].throttled)
			fprintf(file, "%s: samples came too fast and were stopped (THROTTLED)\n", r->event[i].name);
	if (r->dropped)
		fprintf(file, "%" PRIu64 " samples were DROPPED: there was no room for them\n", r->dropped);
}

// Which columns an event's rows need.
struct columns {
	bool data, latency, level, path;
};

static struct columns columns_of(const struct report *r, size_t first, size_t end)
{
	struct columns c = {0};

	for (size_t i = first; i < end; i++) {
		c.data |= r->row[i]->key.has_data;
		c.latency |= r->row[i]->latencies > 0;
		c.level |= r->row[i]->key.has_level;
		c.path |= r->row[i]->key.steps > 0;
	}
	return c;
}

// What is left of 80 columns.
static int bar_width(const struct columns *c)
{
	if (!c->data)
		return BAR_WIDTH;
	return c->latency ? 0 : BAR_WIDTH / 2;
}

static void print_heading(const struct columns *c)
{
	printf("   samples   share  %-18s", "address");
	if (c->data)
		printf("  %-18s", "data address");
	if (c->latency)
		printf("  %9s %7s", "latency", "most");
	if (c->level)
		printf("  level");
	if (c->path)
		printf("  %*s  branches, oldest first", BAR_WIDTH, "");
	putchar('\n');
}

// "0x4000>0x5000": a branch and its target; '!' it was mispredicted, '-' it was not taken.
static void print_path(const struct row_key *key)
{
	for (unsigned i = 0; i < key->steps; i++) {
		const struct step *s = &key->step[i];

		printf("%s0x%" PRIx64 "%s%s", s->kind == STEP_TARGET ? ">" : i ? " " : "  ", s->address,
		       s->mispredicted ? "!" : "", s->not_taken ? "-" : "");
	}
}

static void print_row(const struct row *row, uint64_t total, const struct columns *c)
{
	const struct row_key *key = &row->key;
	char text[32];
	int bar = (int)(row->samples * (unsigned)bar_width(c) / total);

	printf("%10" PRIu64 "  %5.1f%%  0x%016" PRIx64, row->samples, 100.0 * (double)row->samples / (double)total,
	       key->address);
	if (c->data) {
		snprintf(text, sizeof text, "0x%016" PRIx64, key->data);
		printf("  %-18s", key->has_data ? text : "");
	}
	if (c->latency && row->latencies)
		printf("  %9.1f %7" PRIu64, (double)row->latency_sum / (double)row->latencies, row->latency_most);
	else if (c->latency)
		printf("  %9s %7s", "", "");
	if (c->level) {
		snprintf(text, sizeof text, "%" PRIu64, key->level);
		printf("  %5s", key->has_level ? text : "");
	}
	printf("  %-*.*s", c->path ? BAR_WIDTH : 0, bar, "####################");
	print_path(key);
	putchar('\n');
}

static void print_table(const struct report *r, size_t most)
{
	printf("Samples of '%s' (%s)\n", r->trace, r->driver->name);
	for (unsigned i = 0; i < r->event_count; i++) {
		const struct sampled_event *e = &r->event[i];
		size_t first, end = rows_of(r, i, &first);
		struct columns c = columns_of(r, first, end);

		printf("\n%s: count %" PRIu64, e->name, e->count);
		if (e->period)
			printf(", %" PRIu64 " samples, one in %" PRIu64, e->samples, e->period);
		printf("\n");
		if (end > first)
			print_heading(&c);
		for (size_t k = first; k < end && (!most || k - first < most); k++)
			print_row(r->row[k], e->samples, &c);
		if (most && end - first > most)
			printf("and %zu rows more (-n 0 shows all)\n", end - first - most);
	}
	print_losses(r, stdout);
}

static void print_folded(const struct report *r)
{
	unsigned sampled = 0;

	for (unsigned i = 0; i < r->event_count; i++)
		sampled += r->event[i].samples > 0;
	for (size_t i = 0; i < r->row_count; i++) {
		const struct row *row = r->row[i];

		fputs(r->driver->name, stdout);
		if (sampled > 1)
			printf(";%s", r->event[row->key.event].name);
		for (unsigned s = 0; s < row->key.steps; s++)
			printf(";0x%" PRIx64, row->key.step[s].address);
		printf(";0x%" PRIx64 " %" PRIu64 "\n", row->key.address, row->samples);
	}
	print_losses(r, stderr);
}

static json_t *json_path(const struct row_key *key)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < key->steps; i++) {
		const struct step *s = &key->step[i];
		json_t *step = json_object();

		json_object_set_new(step, s->kind == STEP_TARGET ? "target" : "branch",
				    json_hexadecimal(s->address, 1));
		if (s->kind == STEP_BRANCH) {
			json_object_set_new(step, "taken", json_boolean(!s->not_taken));
			json_object_set_new(step, "mispredicted", json_boolean(s->mispredicted));
		}
		json_array_append_new(array, step);
	}
	return array;
}

static void print_json_row(const struct report *r, const struct row *row)
{
	const struct sampled_event *e = &r->event[row->key.event];
	json_t *object = json_pack("{s:s, s:o, s:I, s:f}", "event", e->name, "address",
				   json_hexadecimal(row->key.address, 1), "samples", (json_int_t)row->samples, "share",
				   (double)row->samples / (double)e->samples);

	if (row->key.has_data)
		json_object_set_new(object, "data_address", json_hexadecimal(row->key.data, 1));
	if (row->latencies) {
		json_object_set_new(object, "latency", json_real((double)row->latency_sum / (double)row->latencies));
		json_object_set_new(object, "latency_most", json_integer((json_int_t)row->latency_most));
	}
	if (row->key.has_level)
		json_object_set_new(object, "level", json_integer((json_int_t)row->key.level));
	if (row->key.steps)
		json_object_set_new(object, "branches", json_path(&row->key));
	print_json(object);
}

static void print_report(const struct report *r, size_t most)
{
	if (r->folded) {
		print_folded(r);
	} else if (r->json) {
		for (size_t i = 0; i < r->row_count; i++)
			print_json_row(r, r->row[i]);
		print_losses(r, stderr);
	} else {
		print_table(r, most);
	}
}

//
// Command line
//

static bool read_rows(const char *text, size_t *rows)
{
	char *end;

	errno = 0;
	*rows = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return true;
	complain("'%s' is no number of rows", text);
	return false;
}

static bool read_options(int argc, char **argv, struct report *r, size_t *rows)
{
	static const struct option known[] = {
		{"input", required_argument, NULL, 'i'}, {"rows", required_argument, NULL, 'n'},
		{"folded", no_argument, NULL, 'F'}, {"json", no_argument, NULL, 'j'}, {0},
	};

	for (int option; (option = getopt_long(argc, argv, "i:n:j", known, NULL)) != -1;) {
		if (option == 'i')
			r->path = optarg;
		else if (option == 'F')
			r->folded = true;
		else if (option == 'j')
			r->json = true;
		else if (option != 'n' || !read_rows(optarg, rows))
			return false;
	}
	if (optind < argc)
		complain("'%s': report takes no arguments", argv[optind]);
	else if (r->folded && r->json)
		complain("--folded or -j, not both");
	else
		return true;
	return false;
}

int command_report(int argc, char **argv)
{
	static struct report report = {.path = SAMPLES_FILE};
	size_t rows = ROWS_SHOWN;
	bool ok;

	if (!read_options(argc, argv, &report, &rows))
		return usage_error();
	ok = read_file(&report) && sort_rows(&report);
	if (ok)
		print_report(&report, rows);
	free_report(&report);
	return ok ? PALMON_DONE : PALMON_FAILED;
}
