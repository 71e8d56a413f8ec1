/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces the execution of a program. A valgrind tool (hal/emu/valgrind) runs it; models of the
 * target's caches and TLBs decide the outcome of its loads, stores and fetches. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "names.h"
#include "pmu_driver.h"
#include "trace.h"

/* The instruction set of each target's programs, and the processor whose caches are modelled. Made
 * from pmu/targets.tab. The last entry's target is NULL. */
struct program_processor {
	const char *target, *instructions, *processor;
};
extern const struct program_processor program_processors[];

/* Values of `stretch`. Otherwise: the number of cycles over which the trace may spread the events
 * of requests that only count. PROGRAM_ALONE: an instruction that may be sampled also gets its own
 * cycle and address; without requests, every instruction does. */
#define PROGRAM_ALONE	0
#define PROGRAM_STRETCH	(1u << 24)

/* Runs a program to its end with this process's standard files, and opens the trace of its events:
 * those that the requests count, or all known events if there are no requests. `names` (unless
 * NULL): receives its functions at their run-time addresses, without libraries. NULL after a
 * complaint. */
struct trace *program_trace(const struct pmu_driver *driver, char **program,
			    const struct event_request *requests,
			    unsigned count, uint64_t stretch, struct names *names);

/* The program after "--", where the options end. NULL: none, and `trace` is given. False after a
 * complaint: neither or both are given, or the command line has further arguments. */
bool program_or_trace(int argc, char **argv, const char *command, const char *trace,
		      char ***program);

#endif
