/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of samples in memory, and its writers in the formats of other tools. */
#ifndef CONVERT_H
#define CONVERT_H

#include "bytes_out.h"
#include "output.h"
#include "samples.h"

/* All samples of a file. */
struct profile {
	struct samples file;
	struct sample **sample;		/* ordered by time; unused steps are not allocated */
	size_t count, room;
	void *paths;			/* tree of the distinct folded paths, by folded.c */
	size_t path_count;
	const char *elf;		/* the program's ELF file, for the output; NULL: unknown */
	const char *before;		/* HTML: the run to compare with, as samples.path; NULL: none */
	int event;			/* index of the only event to convert; negative: all */
};

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
static inline uint64_t profile_weight(const struct profile *p, const struct sample *s)
{
	return p->file.event[s->key.event].period * s->times;
}

/* Address of a frame of a sample. 0: the innermost frame, where the sample was taken; 1 to
 * `frames`: its callers. */
static inline uint64_t profile_frame(const struct sample *s, unsigned frame)
{
	return frame ? s->frame[frame - 1] : s->key.address;
}

/* The function that contains an address; if none does, "0x4012", formatted in `text`. */
const char *profile_function(const struct profile *p, uint64_t address, char text[NAMES_PLACE]);

/* Assigns numbers to names: 0, 1, ... in order of appearance. Initially all zero. */
struct numbers {
	json_t *of;
};

/* The number of a name. `*is_new`: whether the name is new. */
unsigned numbers_find(struct numbers *numbers, const char *name, bool *is_new);

/* Writes the bytes and frees the buffer. False after a complaint. */
bool output_bytes(struct output *output, struct bytes_out *bytes);

/* Adds a sample to the folded paths, which replace the profile's samples. False after a
 * complaint. */
bool folded_take(void *profile, const struct sample *sample);
void folded_free(struct profile *profile);

/* Write a profile in a tool's format, whose specification each source file names. False after a
 * complaint. */
bool write_perf_data(struct profile *profile, struct output *output);
bool write_folded(struct profile *profile, struct output *output);
bool write_html(struct profile *profile, struct output *output);

#endif
