/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that execute instructions: their outcomes, and the tables that list them by
 * encoding. */
#ifndef IA64_EXECUTE_H
#define IA64_EXECUTE_H

#include "encoding.h"

/* The outcome of an instruction. */
enum outcome {
	OUTCOME_NEXT,		/* the next instruction follows */
	OUTCOME_TRAP,		/* the instruction has completed and raises the trap in
				 * machine.interruption */
	OUTCOME_BRANCH,		/* ip and slot are those of the target */
	OUTCOME_END,		/* the program has ended, with machine.status */
	OUTCOME_INTERRUPTION,	/* machine.interruption replaces the instruction; nothing else has
				 * changed */
	OUTCOME_AGAIN,		/* the instruction has just been decoded, and not executed */
};

struct machine;
struct op;
typedef enum outcome ia64_execute(struct machine *m, const struct op *op);

/* One table per file of instructions. NULL: another file executes the encoding, or none. */
extern ia64_execute *const ia64_integer[ENCODINGS], *const ia64_multimedia[ENCODINGS],
	*const ia64_memory[ENCODINGS], *const ia64_branch[ENCODINGS], *const ia64_system[ENCODINGS],
	*const ia64_tlbs[ENCODINGS], *const ia64_control[ENCODINGS], *const ia64_monitor[ENCODINGS],
	*const ia64_floating[ENCODINGS], *const ia64_floating_memory[ENCODINGS],
	*const ia64_floating_parallel[ENCODINGS], *const ia64_approximation[ENCODINGS];

#endif
