/* SPDX-License-Identifier: BSD-2-Clause */
/* What palmon and valgrind's tool tell each other, over a socket: palmon sends one `struct reporting`, and the tool
 * sends reports until the program ends. Both are built of one tree, and run on one machine. */
#ifndef REPORTED_H
#define REPORTED_H

#include "../model/processor.h"
#include "happening.h"

#define REPORT_FD	9			/* the tool's end of the socket */
#define REPORT_TOOL	"palmon-amd64-linux"	/* the tool's file */
#define REPORT_PERIODS	8
#define REPORT_PERIOD_LEAST 64			/* more events than an instruction raises */
#define REPORT_CHANNELS	3			/* channels of memory, which lines take in turn */

/* An event of which each so many are sampled: what one of each happening adds to it, or each instruction. */
struct report_period {
	uint64_t period;		/* 0: there is none */
	bool instructions;
	uint8_t adds[HAPPENING_COUNT];
};

struct reporting {
	struct processor processor;
	uint64_t entry;			/* address of the program's first instruction */
	uint64_t stretch;		/* instructions that one report sums up, at least 1 */
	bool alone;			/* report those instructions alone by which a period ends, and some behind */
	bool all;			/* report each instruction alone */
	struct report_period period[REPORT_PERIODS];
	bool wanted[HAPPENING_COUNT];
};

/* A stretch of instructions. Instructions between two reports have nothing to report. */
struct report {
	uint64_t first, count;		/* number of its first instruction, from 0; of instructions */
	uint64_t ip, address;		/* of its last instruction, and of the last load */
	uint32_t latency;		/* of that load, in cycles */
	uint8_t source;			/* of that load: enum happening, counted from HAPPENING_LOAD_L1D */
	bool alone;			/* it is an instruction that is reported alone */
	bool entered;			/* the program has reached its entry */
	uint16_t happenings;		/* so many `struct reported` follow */
};

struct reported {
	uint16_t what;				/* enum happening */
	uint64_t times[1 + REPORT_CHANNELS];	/* in all, then by channel */
};

#endif
