// SPDX-License-Identifier: BSD-2-Clause
// Parts of the command line that subcommands share: events of the target and of a file, options.

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "event_file.h"
#include "metric.h"
#include "palmon.h"

static size_t name_length(const char *text)
{
	return strcspn(text, ":,{}");
}

// Whether the word at `text` names a metric of the target.
static bool is_metric(const struct pmu_driver *driver, const char *text)
{
	char name[EVENT_NAME_MAX + 1];

	snprintf(name, sizeof name, "%.*s", (int)name_length(text), text);
	return driver->metrics && pmu_metric_find(driver->metrics, name);
}

// Reads the next event of a list if the file of --events has it.
static enum event_error next_of_file(struct event_list *list, struct event_request *request)
{
	const struct pmu_event_table *const table = event_file_table();
	struct event_list rest = *list;
	const enum event_error error = table ? event_next(table, &rest, request) : EVENT_UNKNOWN;

	switch (error) {
	case EVENT_UNKNOWN: case EVENT_TOO_LONG: case EVENT_BAD_RAW: case EVENT_BAD_PREFIX:
		return EVENT_UNKNOWN;		// but the target may have it
	default:
		*list = rest;
		return error;
	}
}

bool next_event(const struct pmu_driver *driver, struct event_list *list,
		struct event_request *request)
{
	enum event_error error = next_of_file(list, request);
	char why[512];

	if (error == EVENT_UNKNOWN)
		error = event_next(driver->events, list, request);
	if (!error)
		return true;
	if (error == EVENT_UNKNOWN || error == EVENT_TOO_LONG)
		if (event_file_refuses(list->text))
			return false;
	if (error == EVENT_UNKNOWN && is_metric(driver, list->text)) {
		complain("there is no event '%.*s'; it is a metric: -M",
			 (int)name_length(list->text), list->text);
		return false;
	}
	event_explain(error == EVENT_UNKNOWN && event_file_table() ? event_file_table() :
		      driver->events, error, list->text, why, sizeof why);
	complain("%s", why);
	return false;
}

// `summary`: set if --summary is given; NULL: the command has no such option. `events`: the command
// has --events, and may have --summary.
static bool read_options(int argc, char **argv, struct target_options *options, bool events,
			 bool *summary)
{
	static const struct option known[] = {
		{"summary", no_argument, NULL, 's'}, {"events", required_argument, NULL, 'E'},
		{"target", required_argument, NULL, 't'}, {"json", no_argument, NULL, 'j'}, {0},
	};
	const struct option *const long_options = known + (summary ? 0 : events ? 1 : 2);
	const char *const options_known = summary ? "st:j" : "t:j";
	const char *target = NULL, *file = NULL;

	options->json = false;
	for (int option;
	     (option = getopt_long(argc, argv, options_known, long_options, NULL)) != -1;) {
		if (option == '?' || (option == 't' && !take_once(&target, optarg, "-t")) ||
		    (option == 'E' && !take_once(&file, optarg, "--events"))) {
			usage_error();
			return false;
		}
		options->json |= option == 'j';
		if (option == 's')
			*summary = true;
	}
	options->driver = NULL;
	if (file && summary && *summary) {
		complain("--summary takes no --events");
		usage_error();
		return false;
	}
	if (!target && summary && *summary)
		return true;
	options->driver = find_target(target);
	return options->driver && (!file || event_file_read(options->driver, file));
}

bool read_target_options(int argc, char **argv, struct target_options *options)
{
	return read_options(argc, argv, options, false, NULL);
}

bool read_event_options(int argc, char **argv, struct target_options *options)
{
	return read_options(argc, argv, options, true, NULL);
}

static bool read_pattern(char **argv, const char **pattern)
{
	*pattern = argv[optind];
	if (!*pattern || !argv[optind + 1])
		return true;
	complain("'%s': one pattern is enough", argv[optind + 1]);
	usage_error();
	return false;
}

bool read_target_and_pattern(int argc, char **argv, struct target_options *options,
			     const char **pattern)
{
	return read_target_options(argc, argv, options) && read_pattern(argv, pattern);
}

bool read_list_options(int argc, char **argv, struct target_options *options, const char **pattern,
		       bool *summary)
{
	*summary = false;
	if (!read_options(argc, argv, options, true, summary))
		return false;
	if (!*summary || !argv[optind])
		return read_pattern(argv, pattern);
	complain("'%s': --summary takes no pattern", argv[optind]);
	usage_error();
	return false;
}
