// SPDX-License-Identifier: BSD-2-Clause
// Functions shared by the commands: complaints, targets, the shim, files.

#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
