/* SPDX-License-Identifier: BSD-2-Clause */
/* The line of a sample in a file of samples (palmon-samples(5)). */
#ifndef SAMPLE_LINE_H
#define SAMPLE_LINE_H

#include <jansson.h>

#include "samples.h"

struct sample_line {
	unsigned event;			/* below the number of events */
	unsigned cpu, level;
	uint64_t ip, clock, times;
	bool has_payload;
	unsigned words, frames;
	uint64_t word[PMU_PAYLOAD_WORDS];
	uint64_t frame[SAMPLE_FRAMES];
};

/* Reads a sample from a JSON object. `events`: the number of events. Returns the words expected
 * instead; NULL: none. */
const char *sample_line_parse(const json_t *object, unsigned events, struct sample_line *line);

/* The same from text in the form that palmon writes: JSON without blanks, and known keys. False: it
 * has another form or is wrong; read it as a JSON object. */
bool sample_line_scan(const char *text, unsigned events, struct sample_line *line);

/* Reads a number from a JSON string "0x...". False: it is none. */
bool sample_line_hexadecimal(const json_t *string, uint64_t *value);

#endif
