/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a file in the form of Intel's published event files (--events). */
#ifndef EVENT_FILE_H
#define EVENT_FILE_H

#include "palmon.h"

/* Reads a file of events for a target. False after a complaint that names file, line and event. */
bool event_file_read(const struct pmu_driver *driver, const char *path);

/* The events of the file, ordered by name; NULL: no file was read. */
const struct pmu_event_table *event_file_table(void);

/* Complains about the event at `text` if the file has it, but the target's requests cannot express
 * it. False: it is no such event. */
bool event_file_refuses(const char *text);

/* Prints a list of events, and a newline. Each event of the file is replaced by terms of perf, or
 * by the target's event of the same fixed counter: for images, which have no file. Other events
 * stay as they are. False after a complaint. */
bool event_file_translate(const struct pmu_driver *driver, const char *list);

#endif
