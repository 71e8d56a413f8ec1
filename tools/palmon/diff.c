// SPDX-License-Identifier: BSD-2-Clause
// palmon diff: the differences between two runs in counts, metrics and samples by function.

#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "convert.h"
#include "grow.h"
#include "palmon.h"
#include "table.h"

#define METRIC_UNIT	1000000		/* metrics are compared in millionths */
#define RUNS		2

enum kind { COUNTS, METRICS, FUNCTIONS, KINDS };

struct entry {
	enum kind kind;
	char *name;
	int64_t value[RUNS];
	bool there[RUNS];
};

struct diff {
	struct entry *entry;
	size_t count, room;
	struct numbers numbers;
	unsigned run;			// index of the run being read
	struct samples samples;
	double fail_above;		// percent; negative: no limit
	enum table_form form;
	bool failed;
};

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

//
// Reading
//

// Adds to a value of the run being read.
static bool add(struct diff *d, enum kind kind, const char *name, int64_t value)
{
	struct entry *e, *more;
	bool is_new;
	char *key;
	size_t n;

	if (asprintf(&key, "%d %s", kind, name) < 0)
		return no_memory();
	n = numbers_find(&d->numbers, key, &is_new);
	more = grow(d->entry, n, &d->room, sizeof *more);
	if (!more) {
		free(key);
		return no_memory();
	}
	d->entry = more;
	e = &d->entry[n];
	if (is_new) {
		*e = (struct entry){.kind = kind, .name = strdup(name)};
		d->count++;
	}
	free(key);
	e->value[d->run] += value;
	e->there[d->run] = true;
	return e->name || no_memory();
}

// Adds an object of counts.json, or of palmon stat -j. An event that was not counted gets no value.
static bool add_object(struct diff *d, const json_t *object)
{
	const json_t *count = json_object_get(object, "counter-value");
	const json_t *metric = json_object_get(object, "metric-value");
	const char *event = json_string_value(json_object_get(object, "event"));
	const char *cpu = json_string_value(json_object_get(object, "cpu"));
	const json_int_t run = json_integer_value(json_object_get(object, "run"));
	const json_int_t group = json_integer_value(json_object_get(object, "group"));
	char *name, of_run[64] = "";
	bool ok = true;

	if (run > 1)
		snprintf(of_run, sizeof of_run, ", run %" JSON_INTEGER_FORMAT, run);
	else if (group)
		snprintf(of_run, sizeof of_run, ", scaled, group %" JSON_INTEGER_FORMAT, group);
	else if (json_is_true(json_object_get(object, "scaled")))
		strcpy(of_run, ", scaled");
	if (asprintf(&name, "%s%s%s%s", event, of_run, cpu ? ", CPU " : "", cpu ? cpu : "") < 0)
		return no_memory();
	if (json_is_integer(count))
		ok = add(d, COUNTS, name, json_integer_value(count));
	else if (json_is_number(metric) &&
		 fabs(json_number_value(metric)) < (double)INT64_MAX / METRIC_UNIT)
		ok = add(d, METRICS, name, llround(json_number_value(metric) * METRIC_UNIT));
	free(name);
	return ok;
}

static bool read_counts(struct diff *d, const char *path)
{
	FILE *file = fopen(path, "r");
	json_error_t error;
	bool ok = file, any = false;
	json_t *object;

	if (!ok)
		complain("%s: %s", path, strerror(errno));
	while (ok && (object = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error))) {
		any |= ok = json_is_string(json_object_get(object, "event"));
		ok = ok && add_object(d, object);
		json_decref(object);
	}
	if (file && (!ok || !any || fgetc(file) != EOF)) {
		complain("%s: it has no counts of palmon fetch or palmon stat -j", path);
		ok = false;
	}
	if (file)
		fclose(file);
	return ok;
}

static bool take_sample(void *context, const struct sample *s)
{
	struct diff *d = context;
	char *name;
	bool ok;

	if (asprintf(&name, "%s # %s", names_function(&d->samples.names, s->key.address),
		     d->samples.event[s->key.event].name) < 0)
		return no_memory();
	ok = add(d, FUNCTIONS, name, (int64_t)s->times);
	free(name);
	return ok;
}

// Reads a folder of palmon fetch, or a file of counts.
static bool read_run(struct diff *d, const char *path)
{
	char beside[SAMPLES_PATH];
	struct stat status;
	bool ok;

	if (stat(path, &status) || !S_ISDIR(status.st_mode))
		return read_counts(d, path);
	if (!samples_sibling(path, "counts.json", beside)) {
		complain("%s: there is no counts.json in it", path);
		return false;
	}
	if (!read_counts(d, beside))
		return false;
	if (!samples_sibling(path, "samples", beside))
		return true;
	d->samples = (struct samples){.path = beside};
	ok = samples_read(&d->samples, take_sample, d);
	samples_free(&d->samples);
	return ok;
}

//
// Differences
//

static uint64_t distance(const struct entry *e)
{
	return e->value[1] > e->value[0] ? (uint64_t)e->value[1] - (uint64_t)e->value[0] :
					   (uint64_t)e->value[0] - (uint64_t)e->value[1];
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static bool differs(const struct entry *e)
{
	return distance(e) || e->there[0] != e->there[1];
}

// Functions never fail the comparison: their numbers of samples vary by chance.
static bool is_too_much(const struct diff *d, const struct entry *e)
{
	const long double change = 100.0L * (long double)distance(e);

	if (d->fail_above < 0 || e->kind == FUNCTIONS || !differs(e))
		return false;
	return e->there[0] != e->there[1] ||
	       change > (long double)d->fail_above * (long double)magnitude(e->value[0]);
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (distance(x) != distance(y))
		return distance(x) > distance(y) ? -1 : 1;
	return strcmp(x->name, y->name);
}

static const char *const kinds[KINDS] = {"count", "metric", "samples"};

#define COLUMNS(kind, digits) { \
	{"kind", "", CELL_TEXT, 0, 0}, \
	{"a", "first", kind, 14, digits}, \
	{"b", "second", kind, 14, digits}, \
	{"difference", "difference", kind, 13, digits}, \
	{"percent", "percent", CELL_RATIO, 8, 2}, \
	{"name", "", CELL_TEXT, -1, 0}, \
}

static const struct table_column whole[] = COLUMNS(CELL_NUMBER, 0),
	parts[] = COLUMNS(CELL_RATIO, 6);

static void print_entry(const struct diff *d, const struct entry *e)
{
	const struct table table = {d->form, ";", e->kind == METRICS ? parts : whole,
				    sizeof whole / sizeof *whole};
	const uint64_t of = e->kind == METRICS ? METRIC_UNIT : 1, base = magnitude(e->value[0]);
	const bool less = e->value[1] < e->value[0], both = e->there[0] && e->there[1];
	const struct cell cells[] = {
		{.text = kinds[e->kind]},
		{.value = magnitude(e->value[0]), .of = of, .negative = e->value[0] < 0,
		 .absent = !e->there[0]},
		{.value = magnitude(e->value[1]), .of = of, .negative = e->value[1] < 0,
		 .absent = !e->there[1]},
		{.value = distance(e), .of = of, .negative = less, .absent = !both},
		{.value = 100 * distance(e), .of = base, .negative = less,
		 .absent = !both || !base || distance(e) > UINT64_MAX / 100},
		{.text = e->name},
	};

	table_row(&table, cells);
}

static void print_diff(struct diff *d)
{
	const struct table table = {d->form, ";", whole, sizeof whole / sizeof *whole};
	bool heading = d->form == TABLE_TEXT;
	size_t same = 0;

	if (d->count)
		qsort(d->entry, d->count, sizeof *d->entry, compare);
	for (size_t i = 0; i < d->count; i++) {
		const struct entry *e = &d->entry[i];

		same += !differs(e);
		if (!differs(e))
			continue;
		if (heading)
			table_heading(&table);
		heading = false;
		print_entry(d, e);
		if (is_too_much(d, e)) {
			complain("%s: it differs by more than %g %%", e->name, d->fail_above);
			d->failed = true;
		}
	}
	if (d->form == TABLE_TEXT)
		printf("%zu of %zu values are the same\n", same, d->count);
}

//
// Command line
//

static bool read_options(int argc, char **argv, struct diff *d)
{
	static const struct option known[] = {
		{"json", no_argument, NULL, 'j'}, {"fail-above", required_argument, NULL, 'f'}, {0},
	};

	for (int option; (option = getopt_long(argc, argv, "j", known, NULL)) != -1;) {
		char *end = NULL;

		if (option == 'j') {
			d->form = TABLE_JSON;
		} else if (option == 'f') {
			d->fail_above = strtod(optarg, &end);
			if (!*optarg || *end || optarg[strspn(optarg, "0123456789.")]) {
				complain("'%s' is not a percentage", optarg);
				return false;
			}
		} else {
			return false;
		}
	}
	if (argc - optind == RUNS)
		return true;
	complain("two runs are compared: palmon diff FIRST SECOND");
	return false;
}

int command_diff(int argc, char **argv)
{
	struct diff diff = {.fail_above = -1};
	bool ok = true;

	if (!read_options(argc, argv, &diff))
		return usage_error();
	for (diff.run = 0; ok && diff.run < RUNS; diff.run++)
		ok = read_run(&diff, argv[optind + (int)diff.run]);
	if (ok)
		print_diff(&diff);
	for (size_t i = 0; i < diff.count; i++)
		free(diff.entry[i].name);
	free(diff.entry);
	json_decref(diff.numbers.of);
	return ok && !diff.failed ? PALMON_DONE : PALMON_FAILED;
}
