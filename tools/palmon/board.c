// SPDX-License-Identifier: BSD-2-Clause
// palmon board: prints the facts that an image has found out about a board, or the differences
// between two boards.

#define _GNU_SOURCE
#include "board.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "palmon.h"

#define NAME_WIDTH	14
#define VALUE_WIDTH	20

//
// All facts as an ordered list of names and values, for the report and the comparison
//

static bool add(json_t *values, const char *group, const char *name, json_t *value)
{
	char *key;

	if (asprintf(&key, "%s%s%s", group, *group && *name ? " " : "", name) < 0)
		return false;
	json_object_set_new(values, key, value);
	free(key);
	return true;
}

// Adds the members of an object one by one.
static void add_members(json_t *values, const char *group, json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
		add(values, group, name, json_incref(value));
}

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text ? text : "?";
}

static void add_failure(json_t *values, const json_t *failure)
{
	const char *const problem = json_string_value(json_object_get(failure, "problem"));
	char *name, *result;

	if (asprintf(&name, "%s: %s", text_of(failure, "pmu"), text_of(failure, "check")) < 0)
		return;
	if (asprintf(&result, "expected %s, found %s%s%s", text_of(failure, "expected"),
		     text_of(failure, "found"), problem ? ": " : "", problem ? problem : "") >= 0) {
		add(values, "failed", name, json_string(result));
		free(result);
	}
	free(name);
}

static void add_left(json_t *values, const json_t *left)
{
	char name[40];
	char *text;

	snprintf(name, sizeof name, "counter %" JSON_INTEGER_FORMAT,
		 json_integer_value(json_object_get(left, "counter")));
	if (asprintf(&text, "control register %s, %s, %" JSON_INTEGER_FORMAT " events",
		     text_of(left, "control"), text_of(left, "event"),
		     json_integer_value(json_object_get(left, "events"))) < 0)
		return;
	add(values, "left running", name, json_string(text));
	free(text);
}

static void add_count(json_t *values, const json_t *count)
{
	json_t *const value = json_object_get(count, "value");
	char *name;

	if (asprintf(&name, "%s, run %" JSON_INTEGER_FORMAT ", thread %" JSON_INTEGER_FORMAT,
		     text_of(count, "event"), json_integer_value(json_object_get(count, "run")) + 1,
		     json_integer_value(json_object_get(count, "thread"))) < 0)
		return;
	add(values, "count", name, value ? json_incref(value) : json_string("<not counted>"));
	free(name);
}

static json_t *values_of(const struct board *b)
{
	json_t *const values = json_object();
	json_t *entry;
	size_t index;

	add(values, "status", "", json_incref(json_object_get(b->found, "status")));
	add(values, "why", "", json_incref(json_object_get(b->found, "why")));
	add_members(values, "", json_object_get(b->found, "machine"));
	add_members(values, "CPUs", json_object_get(b->found, "processors"));
	add_members(values, "PMU", json_object_get(b->found, "pmu"));
	add_members(values, "checks", json_object_get(b->found, "selftest"));
	add_members(values, "pending", json_object_get(b->found, "pending"));
	json_array_foreach(json_object_get(b->found, "left"), index, entry)
		add_left(values, entry);
	json_array_foreach(json_object_get(b->found, "failures"), index, entry)
		add_failure(values, entry);
	json_array_foreach(json_object_get(b->found, "counts"), index, entry)
		add_count(values, entry);
	return values;
}

// The result stays valid until the fourth call from now.
static const char *format(const json_t *value)
{
	static char texts[4][1024];
	static unsigned next;
	char *const text = texts[next++ % 4];
	char *dump;

	if (!value)
		return "-";
	if (json_is_string(value))
		return json_string_value(value);
	dump = json_dumps(value, JSON_ENCODE_ANY);
	snprintf(text, sizeof texts[0], "%s", dump && strcmp(dump, "null") ? dump : "-");
	free(dump);
	return text;
}

//
// One board
//

static int64_t number(const json_t *object, const char *member)
{
	return json_integer_value(json_object_get(object, member));
}

static void print_member(const char *name, const json_t *object, const char *member)
{
	const json_t *const value = json_object_get(object, member);

	if (value && !json_is_null(value) && *format(value))
		printf("%-*s %s\n", NAME_WIDTH, name, format(value));
}

static void print_processors(const json_t *p)
{
	if (!p)
		return;
	printf("%-*s %" PRId64 " in %" PRId64 " packages, %" PRId64 " with %" PRId64
	       " cores in this one; %" PRId64
	       " are used\n", NAME_WIDTH, "CPUs", number(p, "count"), number(p, "packages"),
	       number(p, "in_package"), number(p, "cores"), number(p, "used"));
}

static void print_report(const struct board *b)
{
	const json_t *const machine = json_object_get(b->found, "machine"),
		*const pmu = json_object_get(b->found, "pmu"),
		*const selftest = json_object_get(b->found, "selftest"),
		*const failures = json_object_get(b->found, "failures");
	json_t *const values = values_of(b);
	const char *name;
	json_t *value;

	printf("%-*s %" PRId64 " (%s)\n", NAME_WIDTH, "status", number(b->found, "status"),
	       text_of(b->found, "why"));
	print_member("processor", machine, "processor");
	print_member("target", machine, "target");
	print_member("started by", machine, "started_by");
	print_member("PMU backend", machine, "backend");
	print_member("command line", machine, "command_line");
	print_member("build ID", machine, "build_id");
	print_processors(json_object_get(b->found, "processors"));
	if (pmu)
		printf("%-*s %" PRId64 " of %" PRId64 " bits, of which %" PRId64
		       " have a fixed event\n", NAME_WIDTH,
		       "counters", number(pmu, "counters"), number(pmu, "width"),
		       number(pmu, "fixed"));
	if (selftest)
		printf("%-*s %" PRId64 " checks, %" PRId64 " done: %" PRId64 " passed, %" PRId64
		       " failed, %" PRId64
		       " skipped\n", NAME_WIDTH, "self test", number(selftest, "checks"),
		       number(selftest, "done"),
		       number(selftest, "done") - number(selftest, "failed") -
		       number(selftest, "skipped"),
		       number(selftest, "failed"), number(selftest, "skipped"));
	print_member("pending", json_object_get(b->found, "pending"), "status");
	if (json_array_size(json_object_get(b->found, "left")))
		printf("\nleft running by firmware or the loader:\n");
	json_object_foreach(values, name, value)
		if (!strncmp(name, "left running ", 13))
			printf("  %s: %s\n", name + 13, format(value));
	if (json_array_size(failures))
		printf("\nfailed checks:\n");
	json_object_foreach(values, name, value)
		if (!strncmp(name, "failed ", 7))
			printf("  %s\n      %s\n", name + 7, format(value));
	if (json_array_size(json_object_get(b->found, "counts")))
		printf("\ncounts:\n");
	json_object_foreach(values, name, value)
		if (!strncmp(name, "count ", 6))
			printf("  %*s  %s\n", VALUE_WIDTH, format(value), name + 6);
	json_decref(values);
}

//
// Two boards
//

// The other board lists only failed checks: a check missing there has passed or was not made.
static const char *format_missing(const char *name)
{
	return strncmp(name, "failed ", 7) ? "-" : "not failed";
}

static void print_difference(const char *name, const json_t *first, const json_t *second, bool json)
{
	const json_int_t a = json_integer_value(first), b = json_integer_value(second);

	if (json) {
		print_json(json_pack("{s:s,s:O?,s:O?}", "name", name, "first", first, "second",
				     second));
		return;
	}
	printf("%s\n  %s\n  %s", name, first ? format(first) : format_missing(name),
	       second ? format(second) : format_missing(name));
	if (!strncmp(name, "count ", 6) && a && json_is_integer(second))
		printf(" (%+.2f%%)", ((double)b - (double)a) / (double)a * 100);
	putchar('\n');
}

// Returns the number of differing values, including those that only one board has.
static unsigned compare(const struct board *boards, bool json)
{
	json_t *const first = values_of(&boards[0]), *const second = values_of(&boards[1]);
	unsigned different = 0, count = 0;
	const char *name;
	json_t *value;

	json_object_foreach(first, name, value) {
		const json_t *const other = json_object_get(second, name);

		count++;
		if (json_equal(value, other))
			continue;
		print_difference(name, value, other, json);
		different++;
	}
	json_object_foreach(second, name, value) {
		if (json_object_get(first, name))
			continue;
		print_difference(name, NULL, value, json);
		count++;
		different++;
	}
	if (!json)
		printf("%s%u of %u values are the same\n", different ? "\n" : "", count - different,
		       count);
	json_decref(first);
	json_decref(second);
	return different;
}

int command_board(int argc, char **argv)
{
	static const struct option known[] = {
		{"json", no_argument, NULL, 'j'}, {"run", required_argument, NULL, 'r'}, {0},
	};
	struct board boards[2] = {0};
	uint64_t wanted = 0;
	bool json = false, ok = true;
	int count;

	for (int option; (option = getopt_long(argc, argv, "j", known, NULL)) != -1;) {
		json |= option == 'j';
		if (option == 'r' && (!read_number(optarg, '\0', &wanted) || !wanted))
			complain("'%s' is not the number of a run, from 1", optarg);
		if (option == '?' || (option == 'r' && !wanted))
			return usage_error();
	}
	count = argc - optind;
	if (count < 1 || count > 2) {
		complain("%s", count < 1 ? "which log? FILE, or - for standard input" :
			 "two logs are enough");
		return usage_error();
	}
	for (int i = 0; i < count; i++)
		ok &= board_read(&boards[i], argv[optind + i], wanted) && boards[i].whole;
	if (count == 1 && boards[0].found) {
		if (json)
			print_json(json_incref(boards[0].found));
		else
			print_report(&boards[0]);
	}
	if (count == 2 && boards[0].found && boards[1].found)
		ok &= !compare(boards, json);
	board_free(&boards[0]);
	board_free(&boards[1]);
	return ok ? PALMON_DONE : PALMON_FAILED;
}
