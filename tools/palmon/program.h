/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program does, as a trace: a tool of valgrind (hal/emu/valgrind) executes it, and models of the target's caches
 * and TLBs say what becomes of its loads, stores and fetches. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "names.h"
#include "pmu_driver.h"
#include "trace.h"

/* Which instructions a target's programs have, and whose caches serve them; made of pmu/targets.tab. Ended by a target
 * of NULL. */
struct program_processor {
	const char *target, *instructions, *processor;
};
extern const struct program_processor program_processors[];

/* `stretch` of a trace: cycles over which it may spread the events of requests that only count. Or PROGRAM_ALONE: also
 * each instruction at which a sample may be taken is alone, with its address; without requests each instruction is. */
#define PROGRAM_ALONE	0
#define PROGRAM_STRETCH	(1u << 24)

/* Executes a program to its end, with the standard files of this one, and opens the trace of what the requests count;
 * if there are none, of all that is known. `names` (unless NULL): its functions where they were executed, without those
 * of its libraries. NULL after a complaint. */
struct trace *program_trace(const struct pmu_driver *driver, char **program, const struct event_request *requests,
			    unsigned count, uint64_t stretch, struct names *names);

/* The program behind "--", where the options end; NULL: there is none, but `trace`. False after a complaint: there is
 * neither, or both, or something else is left on the command line. */
bool program_or_trace(int argc, char **argv, const char *command, const char *trace, char ***program);

#endif
