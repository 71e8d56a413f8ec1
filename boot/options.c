// SPDX-License-Identifier: BSD-2-Clause
// The image's command line.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "console.h"
#include "hal.h"
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

static const struct {
	const char *word;
	bool (*set)(const char *value, struct boot_options *options);
	const char *values;
} words[] = {
	{"run", set_run, "all, selftest, session, state or bench"},
	{"suite", set_suite, "the name of one of the image's PMUs, to test that one only"},
	{"events", set_events, "EVENT[:MODIFIER...][,EVENT...]"},
	{"metrics", set_metrics, "METRIC[:MODIFIER...][,METRIC...]"},
	{"profile", set_profile, "PROFILE[,PROFILE...]"},
	{"threads", set_threads, "how many run the workload at the same time, from 1 on"},
	{"level", set_level, "3, where programs run, or 0, where the runtime does: the workload's privilege level"},
	{"pmi", set_pmi, "vector or nmi"},
	{"calls", set_calls, "how many callers each of the session's samples has at most, up to 64"},
	{"out", set_output, "console, where the session's counts and samples are to be printed for tools, too"},
	{"console", set_console, "auto, com1 to com4, 0xPORT, mmio:ADDRESS[,WIDTH], vga, efi, log, none; several with "
	 "commas; where there is one only, auto"},
	{"end", set_end, "exit; on a PC also halt, reboot, poweroff, and where UEFI has started the image, return"},
	{"fault", set_fault, "[MODEL/]NAME of a fault in a PMU's model, or [MODEL/]stuck:ADDRESS:BIT:VALUE, or "
	 "[MODEL/]absent:ADDRESS"},
};

#define WORDS (sizeof words / sizeof *words)

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
				return false;
			}
	}
	printf("palmon: '%s' is no option. Options are:\n", word);
	for (size_t i = 0; i < WORDS; i++)
		printf("  %s=  %s\n", words[i].word, words[i].values);
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
