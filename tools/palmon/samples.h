/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of samples that `palmon record` and `palmon fetch` write (palmon-samples(5)), and its reader. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "names.h"
#include "pmu.h"

#define SAMPLES_VERSION	1
#define SAMPLES_FILE	"palmon.samples"	/* its name, when none is given */
#define SAMPLES_BUILD_ID 65	/* characters, with their end */
#define SAMPLES_PATH	4096	/* of a file beside one, likewise */

/* One address of a captured path. */
struct sample_step {
	uint64_t address;		/* with the slot in its lowest bits */
	uint8_t kind;
#define STEP_BRANCH		1
#define STEP_TARGET		2
#define STEP_CALLER		3	/* a function: only in rows of them */
	uint8_t not_taken, mispredicted;
	uint8_t length;			/* of a branch: so many bytes on is what is behind it; 0: not known */
};

/* What can distinguish samples; bytes between its members, and steps behind the last one, are 0. */
struct sample_key {
	uint64_t ip;			/* as recorded: the interrupted instruction's, or what a record of the
					 * processor's has */
	uint64_t address;		/* where it is shown */
	uint64_t data, level, source;
	uint32_t event;
	uint8_t has_data, has_level, has_source;
	uint8_t place;			/* what is at that address: enum pmu_place */
	uint8_t index;			/* of rows by register: which, from 1 */
	uint32_t steps;
	struct sample_step step[PMU_PAYLOAD_WORDS];
};

#define SAMPLE_FRAMES	64	/* callers in a sample, at most */
#define SAMPLE_REGISTERS 16	/* that a record of the processor's has, at most */

struct sample_register {
	const char *name;
	uint64_t contents;
};

struct sample {
	unsigned line;			/* of the file */
	uint64_t times;			/* it stands for so many, of which only the address is known if more than 1 */
	uint64_t clock;			/* when it was taken, since the start; 0, too, if that is not known */
	unsigned cpu, privilege;
	uint64_t latency;
	bool has_latency;
	bool missed;			/* the last-level cache: what key.source says */
	unsigned registers;
	struct sample_register contents[SAMPLE_REGISTERS];
	const char *source_name;	/* of key.source */
	const char *last_file;		/* of the register of the path that was written last: its name before the */
	unsigned last;			/* number, and the number; NULL: not known */
	unsigned frames;		/* addresses in callers, the innermost first */
	uint64_t frame[SAMPLE_FRAMES];
	struct sample_key key;
};

#define SAMPLES_EVENTS 128	/* in a file, at most */
#define SAMPLES_MOST (1ULL << 53)	/* of an event, so that shares can be computed */

struct sampled_event {
	char *name;
	const struct pmu_driver *driver;	/* whose event it is: the file's target, or another PMU of it */
	struct event_request request;
	uint64_t period, samples;	/* samples: in the file */
	uint64_t count;			/* of events */
	uint64_t lost;			/* samples that are not in the file, because it was cut out of a damaged log */
	bool throttled;
	bool absent;			/* it does not happen where it was to be counted */
	bool count_lost;		/* likewise: the count is not known */
};

/* A file; the reader fills all but the first two. */
struct samples {
	const char *path;		/* "-": standard input; a folder: its file "samples" */
	bool branch_callers;		/* samples without callers get those that their branch records tell of */
	FILE *file;
	unsigned line;			/* that is being read */
	const struct pmu_driver *driver;
	char *trace;
	char *backend;			/* what lay beneath the program; "": not known */
	unsigned event_count;
	struct sampled_event event[SAMPLES_EVENTS];
	struct names names;
	bool named;			/* all names are there, and in order */
	char build_id[SAMPLES_BUILD_ID];	/* of the program, hexadecimal; "": not known */
	bool complete;			/* the last line is there */
	uint64_t dropped;
};

/* Finds the callers of a sample, which has none, in its branch records. */
void callers_of_branches(const struct names *names, struct sample *sample);

/* Reads the file, and calls `take` with each sample; it returns false to give up. False after a complaint. */
bool samples_read(struct samples *samples, bool (*take)(void *context, const struct sample *sample), void *context);
void samples_free(struct samples *samples);

/* Whether an event has this name, with its period or without. */
bool samples_is_event(const struct sampled_event *event, const char *name);

/* The number of the event of this name. -1, after a complaint that lists the events: the file has none. */
int samples_find_event(const struct samples *samples, const char *name);

/* Prints what a reader of the samples must know, a line each: which samples the file lacks; that interrupts and faults
 * were counted. */
void samples_print_remarks(const struct samples *samples, FILE *file);

/* What a file is called that lies beside one of samples, or in its folder. False: there is none. */
bool samples_beside(const char *path, const char *name, char beside[SAMPLES_PATH]);

#endif
