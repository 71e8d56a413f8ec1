/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of samples that `palmon record` and `palmon fetch` write (palmon-samples(5)), and its
 * reader. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "names.h"
#include "payload.h"
#include "pmu.h"

#define SAMPLES_VERSION	1
#define SAMPLES_FILE	"palmon.samples"	/* default name */
#define SAMPLES_BUILD_ID 65	/* characters, terminator included */
#define SAMPLES_PATH	4096	/* longest path of a file next to one of samples */

/* One address of a recorded path. */
struct sample_step {
	uint64_t address;		/* lowest bits: the slot */
	uint8_t kind;
#define STEP_BRANCH		1
#define STEP_TARGET		2
#define STEP_CALLER		3	/* a function; only in rows of callers */
	uint8_t not_taken, mispredicted;
	uint8_t length;			/* bytes from a branch to the code after it; 0: unknown */
};

/* The properties that can distinguish samples. Padding and unused steps are 0. */
struct sample_key {
	uint64_t ip;			/* interrupted instruction, or from a record */
	uint64_t address;		/* address to show */
	uint64_t data, level, source;
	uint32_t event, cpu;		/* cpu: in rows by thread only */
	uint8_t has_data, has_level, has_source;
	uint8_t place;			/* meaning of `address`: enum pmu_place */
	uint8_t index;			/* in rows by register: which one, from 1; by latency: its
					 * number of bits, plus 1 */
	uint8_t no_data;		/* in rows by data: why there is none, enum data_address */
	uint32_t steps;
	struct sample_step step[PMU_PAYLOAD_WORDS];
};

#define SAMPLE_FRAMES	64	/* callers of a sample, at most */
#define SAMPLE_REGISTERS 16	/* registers in a processor's record, at most */

struct sample_register {
	const char *name;
	uint64_t contents;
};

struct sample {
	unsigned line;			/* line of the file */
	uint64_t times;			/* number of samples; above 1, only ip is known */
	uint64_t clock;			/* when it was taken, since the start; 0: also if unknown */
	unsigned cpu, privilege;
	uint64_t latency;
	bool has_latency;
	enum payload_served served;	/* the meaning of key.source, or of the event */
	enum payload_access access;
	uint64_t flags;			/* with `registers` only */
	unsigned registers;
	struct sample_register contents[SAMPLE_REGISTERS];
	const char *source_name;	/* name of key.source */
	const char *last_file;		/* most recent path register: name without number, */
	unsigned last;			/* and its number; NULL: unknown */
	unsigned frames;		/* return addresses in callers, innermost first */
	uint64_t frame[SAMPLE_FRAMES];
	struct sample_key key;
};

#define SAMPLES_EVENTS 128	/* events of a file, at most */
#define SAMPLES_MOST (1ULL << 53)	/* samples of an event, at most: shares stay exact */

struct sampled_event {
	char *name;
	const struct pmu_driver *driver;	/* of the target or of another PMU of it */
	struct event_request request;
	uint64_t period, samples;	/* samples: number of them in the file */
	uint64_t count;			/* number of events */
	uint64_t taken;			/* number of samples that the session took */
	uint64_t estimate;		/* if `scaled`: of the whole run's count */
	bool scaled;			/* it took turns: `count` is that of its slices */
	uint64_t lost;			/* samples missing in the file: damaged log */
	bool throttled;
	bool absent;			/* the event cannot occur on the measured machine */
	bool count_lost;		/* likewise: the count is unknown */
};

/* A file of samples. The caller sets the first two members. */
struct samples {
	const char *path;		/* "-": standard input; a folder: its file "samples" */
	bool branch_callers;		/* find callers in branch records for samples without any */
	FILE *file;
	unsigned line;			/* number of the current line */
	const struct pmu_driver *driver;
	uint64_t ticks;			/* interval of the samples of events without a period */
	char *trace;
	char *backend;			/* the machine below the program; "": unknown */
	unsigned event_count;
	struct sampled_event event[SAMPLES_EVENTS];
	struct names names;
	bool named;			/* names are complete and sorted */
	char build_id[SAMPLES_BUILD_ID];	/* of the program, hexadecimal; "": unknown */
	bool complete;			/* the last line was read */
	uint64_t dropped;
};

/* Finds the callers of a sample that has none in its branch records. */
void callers_of_branches(const struct names *names, struct sample *sample);

/* Reads the file and calls `take` with each sample; it returns false to give up. False after a
 * complaint. */
bool samples_read(struct samples *samples, bool (*take)(void *context, const struct sample *sample),
		  void *context);
void samples_free(struct samples *samples);

/* Whether `name` is the event's name, with or without its period. */
bool samples_is_event(const struct sampled_event *event, const char *name);

/* The index of the event called `name`. -1, after a complaint that lists the events: no such
 * event. */
int samples_find_event(const struct samples *samples, const char *name);

/* Prints remarks that readers of the samples need, one per line: missing samples, and whether
 * interrupts and faults were counted. */
void samples_print_remarks(const struct samples *samples, FILE *file);

/* The path of the file `name` in the same folder as a file of samples, or in the folder `path`.
 * False: no such file. */
bool samples_sibling(const char *path, const char *name, char beside[SAMPLES_PATH]);

#endif
