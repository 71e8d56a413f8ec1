/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of samples, read whole, and the forms that other tools read. */
#ifndef CONVERT_H
#define CONVERT_H

#include "bytes_out.h"
#include "output.h"
#include "samples.h"

/* All samples of a file. */
struct profile {
	struct samples file;
	struct sample **sample;		/* as time goes by; the steps behind their last one are not there */
	size_t count, room;
	const char *elf;		/* the program's ELF file, as it is to be named; NULL: it is not at hand */
	int event;			/* the only one that is to be converted; negative: all */
};

/* Whether an event has samples that are to be converted. */
static inline bool profile_has(const struct profile *p, unsigned event)
{
	return p->file.event[event].samples && (p->event < 0 || (unsigned)p->event == event);
}

/* How many events do. */
unsigned profile_events(const struct profile *p);

/* The last CPU that has samples to be converted, plus one. */
unsigned profile_cpus(const struct profile *p);

/* The events that a sample stands for. */
static inline uint64_t profile_weight(const struct profile *p, const struct sample *s)
{
	return p->file.event[s->key.event].period * s->times;
}

/* The address of a sample's frame: 0 is the innermost one, where it was taken; then as many as `frames` says. */
static inline uint64_t profile_frame(const struct sample *s, unsigned frame)
{
	return frame ? s->frame[frame - 1] : s->key.address;
}

/* The function that an address lies in, or "0x4012", made in `text`, if it is in none. */
const char *profile_function(const struct profile *p, uint64_t address, char text[NAMES_PLACE]);

/* Numbers for names, from 0 in the order in which they come. All zero: there are none. */
struct numbers {
	json_t *of;
};

/* A name's number. `*is_new`, unless NULL: whether it has come for the first time. */
unsigned numbers_find(struct numbers *numbers, const char *name, bool *is_new);

/* Writes bytes, and frees them. False after a complaint. */
bool output_bytes(struct output *output, struct bytes_out *bytes);

/* Write a profile in the form of a tool. Each one's file says from which documents. False after a complaint. */
bool write_perf_data(const struct profile *profile, struct output *output);
bool write_speedscope(const struct profile *profile, struct output *output);
bool write_folded(const struct profile *profile, struct output *output);
bool write_pprof(const struct profile *profile, struct output *output);
bool write_html(const struct profile *profile, struct output *output);

#endif
