// SPDX-License-Identifier: BSD-2-Clause
// The image's command line.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "console.h"
#include "hal.h"
#include "pmu_driver.h"
#include "selftest.h"

#define THREADS_MOST 1000

static bool set_run(const char *value, struct boot_options *o)
{
	o->selftest = !strcmp(value, "selftest") || !strcmp(value, "all");
	o->session = !strcmp(value, "session") || !strcmp(value, "all");
	o->bench = !strcmp(value, "bench");
	o->state = !strcmp(value, "state");
	return o->selftest || o->session || o->bench || o->state;
}

static bool set_pmi(const char *value, struct boot_options *o)
{
	o->non_maskable = !strcmp(value, "nmi");
	return o->non_maskable || !strcmp(value, "vector");
}

static bool set_events(const char *value, struct boot_options *o)
{
	o->events = value;
	return true;
}

static bool set_metrics(const char *value, struct boot_options *o)
{
	o->metrics = value;
	return *value;
}

static bool set_profile(const char *value, struct boot_options *o)
{
	o->profile = value;
	return *value;
}

static bool set_threads(const char *value, struct boot_options *o)
{
	char *end;
	unsigned long threads = strtoul(value, &end, 10);

	o->threads = (unsigned)threads;
	return *value >= '0' && *value <= '9' && !*end && threads >= 1 && threads <= THREADS_MOST;
}

static bool set_level(const char *value, struct boot_options *o)
{
	o->highest_level = !strcmp(value, "0");
	return o->highest_level || !strcmp(value, "3");
}

static bool set_calls(const char *value, struct boot_options *o)
{
	char *end;

	o->calls = (unsigned)strtoul(value, &end, 10);
	return *value >= '0' && *value <= '9' && strlen(value) <= 2 && !*end && o->calls <= PMU_CALLERS;
}

static bool set_interval(const char *value, struct boot_options *o)
{
	char *end;

	o->interval = (unsigned)strtoul(value, &end, 10);
	return *value >= '0' && *value <= '9' && strlen(value) <= 6 && !*end && o->interval;
}

static bool set_output(const char *value, struct boot_options *o)
{
	o->output = !strcmp(value, "console");
	return o->output;
}

static bool set_fault(const char *value, struct boot_options *o)
{
	o->fault = value;
	return true;
}

static bool set_suite(const char *value, struct boot_options *o)
{
	o->suite = selftest_find(value);
	return o->suite;
}

static bool set_console(const char *value, struct boot_options *o)
{
	(void)o;
	return !console_unknown(value);
}

static bool set_end(const char *value, struct boot_options *o)
{
	(void)o;
	return hal_end_is_known(value);
}

// Of options whose values are names.
static const char *const runs[] = {"all", "selftest", "session", "state", "bench"};
static const char *const pmis[] = {"vector", "nmi"};
static const char *const consoles[] = {
	"auto", "com1", "com2", "com3", "com4", "mmio:", "vga", "efi", "log", "none",
};
static const char *const ends[] = {"exit", "halt", "reboot", "poweroff", "return"};

#define NAMES(list) list, sizeof list / sizeof *list

static const struct {
	const char *word;
	bool (*set)(const char *value, struct boot_options *options);
	const char *values;
	const char *const *name;
	size_t names;
} words[] = {
	{"run", set_run, "all, selftest, session, state or bench", NAMES(runs)},
	{"suite", set_suite, "the name of one of the image's PMUs, to test that one only", NULL, 0},
	{"events", set_events, "EVENT[:MODIFIER...][,EVENT...]", NULL, 0},
	{"metrics", set_metrics, "METRIC[:MODIFIER...][,METRIC...]", NULL, 0},
	{"profile", set_profile, "PROFILE[,PROFILE...]", NULL, 0},
	{"threads", set_threads, "how many run the workload at the same time, from 1 on", NULL, 0},
	{"level", set_level, "3, where programs run, or 0, where the runtime does: the workload's privilege level",
	 NULL, 0},
	{"pmi", set_pmi, "vector or nmi", NAMES(pmis)},
	{"calls", set_calls, "how many callers each of the session's samples has at most, up to 64", NULL, 0},
	{"interval", set_interval, "milliseconds (a clock being a nanosecond), up to 999999, after each of which the "
	 "session's counts are printed for tools", NULL, 0},
	{"out", set_output, "console, where the session's counts and samples are to be printed for tools, too",
	 NULL, 0},
	{"console", set_console, "auto, com1 to com4, 0xPORT, mmio:ADDRESS[,WIDTH], vga, efi, log, none; several with "
	 "commas; where there is one only, auto", NAMES(consoles)},
	{"end", set_end, "exit; on a PC also halt, reboot, poweroff, and where UEFI has started the image, return",
	 NAMES(ends)},
	{"fault", set_fault, "[MODEL/]NAME of a fault in a PMU's model, or [MODEL/]stuck:ADDRESS:BIT:VALUE, or "
	 "[MODEL/]absent:ADDRESS", NULL, 0},
};

#define WORDS (sizeof words / sizeof *words)

// The nearest of these names, if any is near, to what has been asked for, which ends at a comma.
static void print_nearest(const void *names, size_t count, size_t size, const char *asked)
{
	const char *nearest = pmu_nearest_name(names, count, size, asked, strcspn(asked, ","));

	if (nearest)
		printf("palmon: the nearest name is %s\n", nearest);
}

// Of several consoles, the first one that is unknown.
static const char *unknown_part(const char *word, const char *value)
{
	const char *console = strcmp(word, "console") ? NULL : console_unknown(value);

	return console ? console : value;
}

static bool read_word(char *word, struct boot_options *o)
{
	char *value = strchr(word, '=');

	if (value) {
		*value++ = '\0';
		for (size_t i = 0; i < WORDS; i++)
			if (!strcmp(word, words[i].word)) {
				if (words[i].set(value, o))
					return true;
				printf("palmon: %s=%s: the value is to be: %s\n", word, value, words[i].values);
				print_nearest(words[i].name, words[i].names, sizeof *words[i].name,
					      unknown_part(word, value));
				return false;
			}
	}
	printf("palmon: '%s' is no option. Options are:\n", word);
	for (size_t i = 0; i < WORDS; i++)
		printf("  %s=  %s\n", words[i].word, words[i].values);
	print_nearest(words, WORDS, sizeof *words, word);
	return false;
}

bool options_read(char *command_line, struct boot_options *o)
{
	char *save, *word;

	*o = (struct boot_options){.selftest = true, .session = true, .fault = ""};
	for (word = strtok_r(command_line, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (!read_word(word, o))
			return false;
	return true;
}
