// SPDX-License-Identifier: BSD-2-Clause
// Functions shared by the commands: complaints, targets, events, options.

#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "metric.h"
#include "palmon.h"
#include "shim.h"

static const char *program = "palmon";

void complain_as(const char *name)
{
	program = name;
}

void complain(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);		// keeps the order of output and complaint
	fprintf(stderr, "%s: ", program);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

int usage_error(void)
{
	fprintf(stderr, "Try '%s --help'.\n", program);
	return PALMON_USAGE;
}

const char *nearest_of(const void *entries, size_t count, size_t size, const char *name)
{
	static char text[2 * EVENT_NAME_MAX];
	const char *nearest = pmu_nearest_name(entries, count, size, name, strlen(name));

	snprintf(text, sizeof text, "%s%s", nearest ? "; the nearest name is " : "",
		 nearest ? nearest : "");
	return text;
}

#define TARGETS_MOST	32

const struct pmu_driver *find_target(const char *name)
{
	const char *known[TARGETS_MOST];
	char names[256] = "";
	size_t used = 0, count = 0;

	for (const struct pmu_driver *const *d = pmu_drivers;
	     *d && count < TARGETS_MOST && used < sizeof names; d++) {
		if (name && pmu_driver_is(*d, name, strlen(name)))
			return *d;
		known[count++] = (*d)->name;
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
					 used ? ", " : "", (*d)->name);
	}
	if (name)
		complain("there is no target '%s'%s; targets are: %s", name,
			 nearest_of(known, count, sizeof *known, name), names);
	else
		complain("which target? -t TARGET is missing; targets are: %s", names);
	return NULL;
}

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

bool next_event(const struct pmu_driver *driver, struct event_list *list,
		struct event_request *request)
{
	enum event_error error = event_next(driver->events, list, request);
	char why[512];

	if (!error)
		return true;
	if (error == EVENT_UNKNOWN && is_metric(driver, list->text)) {
		complain("there is no event '%.*s'; it is a metric: -M",
			 (int)name_length(list->text), list->text);
		return false;
	}
	event_explain(driver->events, error, list->text, why, sizeof why);
	complain("%s", why);
	return false;
}

bool take_once(const char **value, const char *argument, const char *option)
{
	if (*value)
		complain("%s is given twice: '%s' and '%s'", option, *value, argument);
	else if (!*argument)
		complain("%s is empty", option);
	else
		*value = argument;
	return *value == argument;
}

bool take_another(const char **values, unsigned *count, const char *argument, const char *option)
{
	if (*count == OPTIONS_MOST) {
		complain("%s is given more than %d times", option, OPTIONS_MOST);
		return false;
	}
	values[(*count)++] = argument;
	return true;
}

void complain_refusal(const struct pmu_driver *driver, enum pmu_error error,
		      const struct pmu_refusal *refusal, const struct event_request *requests)
{
	char why[1024], name[REGISTER_NAME_SIZE];
	struct palmon_register r;

	pmu_explain(driver, error, refusal, requests, why, sizeof why);
	if (error == PMU_SETTINGS && register_by_address(pmu_model_find(driver->name),
							 refusal->address, &r)) {
		register_name(&r, name);
		complain("%s (%s)", why, name);
	} else {
		complain("%s", why);
	}
}

// `summary`: set if --summary is given; NULL: the command has no such option.
static bool read_options(int argc, char **argv, struct target_options *options, bool *summary)
{
	static const struct option known[] = {
		{"summary", no_argument, NULL, 's'},
		{"target", required_argument, NULL, 't'}, {"json", no_argument, NULL, 'j'}, {0},
	};
	const struct option *const long_options = summary ? known : known + 1;
	const char *const options_known = summary ? "st:j" : "t:j";
	const char *target = NULL;

	options->json = false;
	for (int option;
	     (option = getopt_long(argc, argv, options_known, long_options, NULL)) != -1;) {
		if (option == '?' || (option == 't' && !take_once(&target, optarg, "-t"))) {
			usage_error();
			return false;
		}
		options->json |= option == 'j';
		if (option == 's')
			*summary = true;
	}
	options->driver = NULL;
	if (!target && summary && *summary)
		return true;
	options->driver = find_target(target);
	return options->driver;
}

bool read_target_options(int argc, char **argv, struct target_options *options)
{
	return read_options(argc, argv, options, NULL);
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
	if (!read_options(argc, argv, options, summary))
		return false;
	if (!*summary || !argv[optind])
		return read_pattern(argv, pattern);
	complain("'%s': --summary takes no pattern", argv[optind]);
	usage_error();
	return false;
}

bool name_matches(const char *name, const char *pattern)
{
	if (!pattern)
		return true;
	if (strpbrk(pattern, "*?["))
		return !fnmatch(pattern, name, FNM_CASEFOLD);
	return strcasestr(name, pattern);
}

bool start_shim(const struct pmu_driver *driver, const char *fault)
{
	if (!shim_start(driver->name, fault)) {
		complain("the %s PMU cannot be started on this machine", driver->name);
		return false;
	}
	if (pmu_begin(driver, false) != PMU_OK) {
		complain("the %s PMU does not come up", driver->name);
		return false;
	}
	return true;
}

#define RECORDS_BYTES	(64 * 1024)		/* more than fills between two interrupts */
#define RECORDS_ADDRESS	0x200000000000ULL	/* a hint, for encode's output to be stable */

// Memory for the records that the processor writes. NULL: no memory.
static void *records_buffer(void)
{
	static void *buffer;

	if (!buffer)
		buffer = mmap((void *)(uintptr_t)RECORDS_ADDRESS, RECORDS_BYTES,
			      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer != MAP_FAILED)
		return buffer;
	buffer = NULL;
	complain("%s", strerror(errno));
	return NULL;
}

bool give_records_buffer(const struct event_request *requests, unsigned count)
{
	const char *objection;
	bool precise = false;
	void *buffer;

	for (unsigned i = 0; i < count; i++)
		precise |= requests[i].modifiers & EVENT_PRECISE;
	if (!precise || !pmu_current_driver()->precise)	// otherwise pmu_open explains the refusal
		return true;
	buffer = records_buffer();
	if (!buffer)
		return false;
	shim_allow_memory(buffer, RECORDS_BYTES);
	objection = pmu_give_buffer((uintptr_t)buffer, RECORDS_BYTES);
	if (objection)
		complain("%s", objection);
	return !objection;
}

bool find_in_folder(const char *folder, const char *file, char *path, size_t size)
{
	char self[PATH_MAX], joined[2 * PATH_MAX], resolved[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		return false;
	self[length] = '\0';
	snprintf(joined, sizeof joined, "%s/%s/%s", dirname(self), folder, file);
	if (!realpath(joined, resolved) || access(resolved, R_OK))
		return false;
	return (size_t)snprintf(path, size, "%s", resolved) < size;
}

char *find_program(const char *name)
{
	const char *const search = getenv("PATH");
	char *path = NULL, *copy, *save = NULL;

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : strdup(name);
	copy = strdup(search ? search : "");
	for (char *folder = copy ? strtok_r(copy, ":", &save) : NULL; folder && !path;
	     folder = strtok_r(NULL, ":", &save)) {
		if (asprintf(&path, "%s/%s", folder, name) < 0)
			path = NULL;
		if (path && access(path, X_OK)) {
			free(path);
			path = NULL;
		}
	}
	free(copy);
	return path;
}
