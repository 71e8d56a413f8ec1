/* SPDX-License-Identifier: BSD-2-Clause */
/* The front end's use of branch prediction (7.5, 7.8). */
#ifndef IA64_PREDICTION_H
#define IA64_PREDICTION_H

#include <stdbool.h>

struct machine;
struct occurrence;
struct op;

/* Called for each retiring instruction, a branch or another one. Raises the events of a bundle
 * after its last branch. */
void ia64_see_branch(struct machine *m, const struct op *op, const struct occurrence *instruction,
		     bool taken);

#endif
