// SPDX-License-Identifier: BSD-2-Clause
// The image's command line.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "boot.h"
#include "console.h"
#include "hal.h"
#include "image_run.h"
#include "pmu_driver.h"
#include "selftest.h"

const char *const session_scopes[] = {
	[PMU_SCOPE_PROCESS] = "process", [PMU_SCOPE_PROCESSES] = "processes",
	[PMU_SCOPE_SYSTEM] = "system",
};
const char *const session_reaches[] = {
	[PMU_PRIVILEGE_USER] = "user", [PMU_PRIVILEGE_KERNEL] = "kernel",
	[PMU_PRIVILEGE_INTERRUPTIONS] = "interruptions",
};

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
	o->non_maskable = HAL_NMI && !strcmp(value, "nmi");
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
	return *value >= '0' && *value <= '9' && !*end && threads >= 1 && threads <= HAL_CPUS;
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
	return *value >= '0' && *value <= '9' && strlen(value) <= 2 && !*end &&
	       o->calls <= PMU_CALLERS;
}

static bool set_pages(const char *value, struct boot_options *o)
{
	o->small_pages = !strcasecmp(value, "4k");
	return o->small_pages || !strcasecmp(value, "2m");
}

static bool set_registers(const char *value, struct boot_options *o)
{
	o->registers = !strcmp(value, "1");
	return o->registers || !strcmp(value, "0");
}

static bool set_interval(const char *value, struct boot_options *o)
{
	char *end;

	o->interval = (unsigned)strtoul(value, &end, 10);
	return *value >= '0' && *value <= '9' && strlen(value) <= 6 && !*end && o->interval;
}

static bool read_ticks(const char *value, uint32_t *ticks)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	*ticks = (uint32_t)n;
	return *value >= '0' && *value <= '9' && strlen(value) <= 10 && !*end &&
	       n >= PMU_TICKS_LEAST && n <= UINT32_MAX;
}

static bool set_ticks(const char *value, struct boot_options *o)
{
	return read_ticks(value, &o->ticks);
}

static bool set_multiplex(const char *value, struct boot_options *o)
{
	return read_ticks(value, &o->slice);
}

// Returns the index of a word of this length in a list; `count`: it is not there.
static size_t find_word(const char *const *list, size_t count, const char *word, size_t length)
{
	size_t i = 0;

	while (i < count && (strncmp(list[i], word, length) || list[i][length]))
		i++;
	return i;
}

static bool set_scope(const char *value, struct boot_options *o)
{
	const size_t length = strcspn(value, ":");
	const char *const reach = value + length + (value[length] == ':');
	const size_t scope = find_word(session_scopes, PMU_SCOPE_SYSTEM + 1, value, length);
	const size_t privilege = value[length] ?
		find_word(session_reaches, PMU_PRIVILEGE_INTERRUPTIONS + 1, reach, strlen(reach)) :
		PMU_PRIVILEGE_INTERRUPTIONS;

	o->scoped = true;
	o->scope = (enum pmu_scope)scope;
	o->reach = (enum pmu_privilege)privilege;
	return scope <= PMU_SCOPE_SYSTEM && privilege <= PMU_PRIVILEGE_INTERRUPTIONS;
}

static bool set_output(const char *value, struct boot_options *o)
{
	o->output = !strcmp(value, "console");
	return o->output;
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

// Valid values of options whose values are names.
static const char *const runs[] = {"all", "selftest", "session", "state", "bench"};
static const char *const pmis[] = {"vector", "nmi"};
static const char *suites[] = {"", "", "", ""};		// options_read sets them
static const char *const consoles[] = {
	"auto", "com1", "com2", "com3", "com4", "mmio:", "vga", "efi", "log", "none",
};
static const char *const ends[] = {"exit", "halt", "reboot", "poweroff", "return"};

#define NAMES(list) list, sizeof list / sizeof *list
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

static const struct {
	const char *word;
	bool (*set)(const char *value, struct boot_options *options);
	const char *values;
	const char *const *name;
	size_t names;
	enum { ANY, SELFTEST, SESSION } step;	// the step to which the option belongs
} words[] = {
	{"run", set_run, "all, selftest, session, state or bench", NAMES(runs), ANY},
	{"suite", set_suite, "the name of one of the image's PMUs, to test that one only",
	 NAMES(suites), SELFTEST},
	{"events", set_events, "EVENT[:MODIFIER...][,EVENT...]", NULL, 0, SESSION},
	{"metrics", set_metrics, "METRIC[:MODIFIER...][,METRIC...]", NULL, 0, SESSION},
	{"profile", set_profile, "PROFILE[,PROFILE...]", NULL, 0, SESSION},
	{"threads", set_threads, HAL_CPUS == 1 ? "1 (this image runs on one CPU)" :
	 "how many run the workload at the same time, from 1 to " TEXT(HAL_CPUS), NULL, 0, SESSION},
	{"level", set_level, "3, as programs, or 0, as the runtime: the workload's privilege level",
	 NULL, 0, SESSION},
	{"pmi", set_pmi, HAL_NMI ? "vector or nmi" :
	 "vector (overflow interrupts of this processor cannot be NMIs)",
	 pmis, HAL_NMI ? 2 : 1, ANY},
	{"calls", set_calls, "how many callers each of the session's samples has at most, up to 64",
	 NULL, 0, SESSION},
	{"pages", set_pages, "4k or 2m: the size of the pages that programs' memory is in", NULL, 0,
	 SESSION},
	{"registers", set_registers, "1 or 0: print registers' averages of precise samples", NULL,
	 0, SESSION},
	{"interval", set_interval, "milliseconds, up to 999999: how often counts are printed", NULL,
	 0, SESSION},
	{"ticks", set_ticks, "from 1000 to 4294967295: every how many ticks of the "
	 "timer events without a period are sampled", NULL, 0, SESSION},
	{"multiplex", set_multiplex, "from 1000 to 4294967295: after how many ticks of the timer "
	 "the next group of events counts", NULL, 0, SESSION},
	{"scope", set_scope, "process, processes or system: the monitored ones; with :user, "
	 ":kernel or :interruptions, up to which level", session_scopes, PMU_SCOPE_SYSTEM + 1,
	 SESSION},
	{"out", set_output, "console: the session's counts and samples are printed for tools, too",
	 NULL, 0, SESSION},
	{"console", set_console,
	 "auto, com1 to com4, 0xPORT, mmio:ADDRESS[,WIDTH], vga, efi, log, none; several with "
	 "commas; where there is one only, auto", NAMES(consoles), ANY},
	{"end", set_end, "exit; on a PC also halt, reboot, poweroff; started by UEFI, return",
	 NAMES(ends), ANY},
};

#define WORDS (sizeof words / sizeof *words)

// Returns "; the nearest name is NAME", or "" if none is similar to `asked` (which ends at a
// comma), or if `asked` is one of the names, because images of other processors know it.
static const char *nearest_of(const void *names, size_t count, size_t size, const char *asked)
{
	static char text[64];
	const size_t length = strcspn(asked, ",");
	const char *nearest = pmu_nearest_name(names, count, size, asked, length);

	if (nearest && !strncmp(nearest, asked, length) && !nearest[length])
		nearest = NULL;
	snprintf(text, sizeof text, "%s%s", nearest ? "; the nearest name is " : "",
		 nearest ? nearest : "");
	return text;
}

// Returns the first unknown one of several consoles.
static const char *unknown_part(const char *word, const char *value)
{
	const char *console = strcmp(word, "console") ? NULL : console_unknown(value);

	return console ? console : value;
}

static uint32_t given;		// bit n: words[n]

static bool read_value(size_t i, const char *value, struct boot_options *o)
{
	if (given >> i & 1)
		return boot_refuse("%s= is there twice", words[i].word);
	given |= 1u << i;
	if (words[i].set(value, o))
		return true;
	printf("palmon: %s=%s: the value is to be: %s\n", words[i].word, value, words[i].values);
	boot_keep_cause("%s=%s%s", words[i].word, value,
			nearest_of(words[i].name, words[i].names, sizeof *words[i].name,
				   unknown_part(words[i].word, value)));
	return false;
}

// Returns whether each option belongs to a requested step.
static bool steps_fit(const struct boot_options *o)
{
	for (size_t i = 0; i < WORDS; i++)
		if (given >> i & 1 && ((words[i].step == SESSION && !o->session) ||
				       (words[i].step == SELFTEST && !o->selftest)))
			return boot_refuse("%s= is for run=%s", words[i].word,
					   words[i].step == SESSION ? "session" : "selftest");
	return true;
}

static bool read_word(char *word, struct boot_options *o)
{
	char *value = strchr(word, '=');

	if (value) {
		*value++ = '\0';
		for (size_t i = 0; i < WORDS; i++)
			if (!strcmp(word, words[i].word))
				return read_value(i, value, o);
	}
	boot_keep_cause("'%s' is no option%s", word, nearest_of(words, WORDS, sizeof *words, word));
	printf("palmon: '%s' is no option. Options are:\n", word);
	for (size_t i = 0; i < WORDS; i++)
		printf("  %s=  %s\n", words[i].word, words[i].values);
	return false;
}

bool options_read(char *command_line, struct boot_options *o)
{
	char *save, *word;

	for (size_t i = 0; selftest_suites[i] && i < sizeof suites / sizeof *suites; i++)
		suites[i] = selftest_suites[i]->driver->name;
	*o = (struct boot_options){.selftest = true, .session = true};
	for (word = strtok_r(command_line, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (!read_word(word, o))
			return false;
	return steps_fit(o);
}
