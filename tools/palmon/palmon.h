/* SPDX-License-Identifier: BSD-2-Clause */
/* The palmon command: one function for each of its commands, and what they share. */
#ifndef PALMON_H
#define PALMON_H

#include <stdbool.h>

#include "pmu.h"

/* Exit statuses. */
enum {
	PALMON_DONE,
	PALMON_FAILED,
	PALMON_USAGE,
};

/* The commands, each in a file of its own name. argv[0] is the command's name. They return an exit status. */
int command_targets(int argc, char **argv);
int command_list(int argc, char **argv);
int command_metrics(int argc, char **argv);
int command_encode(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_info(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_stat(int argc, char **argv);
int command_record(int argc, char **argv);
int command_report(int argc, char **argv);

/* Prints "palmon COMMAND: ..." and a newline on stderr. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* The target called `name`; NULL, after a complaint that lists the targets, if there is none or name is NULL. */
const struct pmu_driver *find_target(const char *name);

/* Reads the events of `text`, separated by commas, into `requests` (at most `most`). Returns how many; 0 after a
 * complaint that says which word is wrong and which name is nearest. */
unsigned read_events(const struct pmu_driver *driver, const char *text, struct event_request *requests, unsigned most);

#endif
