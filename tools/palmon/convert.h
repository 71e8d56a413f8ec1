/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of samples in memory (profile.c), and its writers in the formats of other tools. */
#ifndef CONVERT_H
#define CONVERT_H

#include "data_address.h"
#include "distinct.h"
#include "output.h"
#include "samples.h"

/* The properties that many samples share: where a sample was taken. Allocated without the unused
 * steps; padding is 0. */
struct origin {
	uint64_t samples;		/* number of them; the members below are the key */
	unsigned number;		/* for the writer; initially 0 */
	unsigned steps, frames;		/* branch records, oldest first; callers, innermost first */
	uint32_t event;
	uint8_t place;			/* enum pmu_place, of `address` */
	uint8_t has_data, has_level, has_source, has_latency;
	uint64_t address, level, times;
	enum payload_served served;	/* UNKNOWN: also without a source */
	enum payload_access access;
	struct sample_step step[PMU_PAYLOAD_WORDS + SAMPLE_FRAMES];	/* the records, then the
									 * callers */
};

/* A sample in memory. */
struct profile_sample {
	struct origin *origin;
	uint64_t clock;			/* as in struct sample */
	uint64_t data, latency;
	unsigned line, cpu;
};

/* All samples of a file. */
struct profile {
	struct samples file;
	struct profile_sample *sample;	/* ordered by time; not for folded paths */
	size_t count, room;
	struct distinct origins;
	struct sampled_code program;
	const char *elf;		/* the program's ELF file, for the output; NULL: unknown */
	const char *before; /* HTML: the run to compare with, as samples.path; NULL: none */
	int event;			/* index of the only event to convert; negative: all */
};

/* Add a sample to the profile: with its data address, computed if necessary; only to the number of
 * samples of its callers. False after a complaint. */
bool profile_take(void *profile, const struct sample *sample);
bool profile_take_callers(void *profile, const struct sample *sample);

void profile_free(struct profile *profile);

/* Whether an event is to be converted and has samples. */
static inline bool profile_has(const struct profile *p, unsigned event)
{
	return p->file.event[event].samples && (p->event < 0 || (unsigned)p->event == event);
}

/* The number of such events. */
unsigned profile_events(const struct profile *p);

/* The highest CPU number with samples to convert, plus one. */
unsigned profile_cpus(const struct profile *p);

/* The number of events that a sample stands for. */
static inline uint64_t profile_weight(const struct profile *p, const struct origin *o)
{
	return p->file.event[o->event].period * o->times;
}

/* Address of a frame. 0: the innermost frame, where the sample was taken; 1 to `frames`: its
 * callers. */
static inline uint64_t profile_frame(const struct origin *o, unsigned frame)
{
	return frame ? o->step[o->steps + frame - 1].address : o->address;
}

/* Assigns numbers to names: 0, 1, ... in order of appearance. Initially all zero. */
struct numbers {
	json_t *of;
};

/* The number of a name. `*is_new`: whether the name is new. */
unsigned numbers_find(struct numbers *numbers, const char *name, bool *is_new);

/* Write a profile in a tool's format, whose specification each source file names. False after a
 * complaint. */
bool write_perf_data(struct profile *profile, struct output *output);
bool write_folded(struct profile *profile, struct output *output);
bool write_html(struct profile *profile, struct output *output);

#endif
