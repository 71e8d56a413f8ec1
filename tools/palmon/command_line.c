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

// The options that a command has: all from one of these on.
enum options { SUMMARY, TRANSLATE, EVENTS, TARGET };

// `flag`: set if the command has --summary or --translate and it is given; otherwise NULL.
static bool read_options(int argc, char **argv, struct target_options *options, enum options first,
			 bool *flag)
{
	static const struct option known[] = {
		[SUMMARY] = {"summary", no_argument, NULL, 's'},
		[TRANSLATE] = {"translate", no_argument, NULL, 'T'},
		[EVENTS] = {"events", required_argument, NULL, 'E'},
		[TARGET] = {"target", required_argument, NULL, 't'},
		{"json", no_argument, NULL, 'j'}, {0},
	};
	const char *target = NULL, *file = NULL;
	bool summary = false;

	options->json = false;
	for (int option; (option = getopt_long(argc, argv, first == SUMMARY ? "st:j" : "t:j",
					       known + first, NULL)) != -1;) {
		if (option == '?' || (option == 't' && !take_once(&target, optarg, "-t")) ||
		    (option == 'E' && !take_once(&file, optarg, "--events"))) {
			usage_error();
			return false;
		}
		options->json |= option == 'j';
		summary |= option == 's';
		if (option == 's' || option == 'T')
			*flag = true;
	}
	options->driver = NULL;
	if (file && summary) {
		complain("--summary takes no --events");
		usage_error();
		return false;
	}
	if (!target && summary)
		return true;
	options->driver = find_target(target);
	return options->driver && (!file || event_file_read(options->driver, file));
}

bool read_target_options(int argc, char **argv, struct target_options *options)
{
	return read_options(argc, argv, options, TARGET, NULL);
}

bool read_event_options(int argc, char **argv, struct target_options *options, bool *translate)
{
	*translate = false;
	return read_options(argc, argv, options, TRANSLATE, translate);
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
	if (!read_options(argc, argv, options, SUMMARY, summary))
		return false;
	if (!*summary || !argv[optind])
		return read_pattern(argv, pattern);
	complain("'%s': --summary takes no pattern", argv[optind]);
	usage_error();
	return false;
}
