/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol between palmon and valgrind's tool, over a socket: palmon sends one `struct
 * reporting`, then the tool sends reports until the program ends. Both come from one build and run
 * on one machine. */
#ifndef REPORTED_H
#define REPORTED_H

#include "../model/processor.h"
#include "cpu_event.h"

#define REPORT_FD	9			/* file descriptor of the tool's end of the
						 * socket */
#define REPORT_TOOL	"palmon-amd64-linux"	/* file name of the tool */
#define REPORT_PERIODS	8
#define REPORT_PERIOD_LEAST 64			/* events; more than one instruction can raise */
#define REPORT_CHANNELS	3			/* memory channels, interleaved by line */

/* A sampling period: how much each cpu event, or each instruction, adds to the sampled event's
 * count. */
struct report_period {
	uint64_t period;		/* in events; 0: unused entry */
	bool instructions;
	uint8_t adds[CPU_EVENT_COUNT];
};

struct reporting {
	struct processor processor;
	uint64_t entry;			/* address of the program's first instruction */
	uint64_t stretch;		/* instructions per summary report, at least 1 */
	bool alone;			/* report instructions that end a period, and some after
					 * each, separately */
	bool all;			/* report every instruction separately */
	struct report_period period[REPORT_PERIODS];
	bool wanted[CPU_EVENT_COUNT];
};

/* A report about consecutive instructions. Instructions between two reports raised no wanted cpu
 * event. */
struct report {
	uint64_t first, count;		/* number of the first instruction, from 0; number of
					 * instructions */
	uint64_t ip, address;		/* of the last instruction; of the last load's data */
	uint32_t latency;		/* of that load, in cycles */
	uint8_t source;			/* of that load: enum cpu_event minus CPU_EVENT_LOAD_L1D */
	bool alone;			/* a single instruction, reported separately */
	bool entered;			/* the program has reached `entry` */
	uint16_t cpu_events;		/* number of `struct reported` that follow */
};

struct reported {
	uint16_t what;				/* enum cpu_event */
	uint64_t times[1 + REPORT_CHANNELS];	/* total, then by channel */
};

#endif
