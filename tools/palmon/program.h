/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program does, as a trace: valgrind's lackey executes it and reports each instruction, load and store; the
 * models of the target's caches and TLBs (hal/emu/model) say what becomes of these. */
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

/* Executes a program to its end, with the standard files of this one, and opens the trace of what the requests count;
 * if there are none, of all that is known. `addresses`: each instruction stands by itself, with its address; else those
 * that raise nothing together are one line. `names` (unless NULL): its functions where they were executed, without
 * those of its libraries. NULL after a complaint. */
struct trace *program_trace(const struct pmu_driver *driver, char **program, const struct event_request *requests,
			    unsigned count, bool addresses, struct names *names);

/* The program behind "--", where the options end; NULL: there is none, but `trace`. False after a complaint: there is
 * neither, or both, or something else is left on the command line. */
bool program_or_trace(int argc, char **argv, const char *command, const char *trace, char ***program);

#endif
