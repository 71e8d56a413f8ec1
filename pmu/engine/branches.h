/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch records of a model: which branches are recorded, and the order of those of equal cycles.
 * SDM volume 3B, "Last Branch, Interrupt, and Exception Recording". */
#ifndef ENGINE_BRANCHES_H
#define ENGINE_BRANCHES_H

#include "engine.h"

/* Returns whether a filter excludes a branch. A set bit excludes branches: at level 0; at other
 * levels; conditional ones, relative calls, indirect calls, returns, indirect jumps, relative
 * jumps, far branches (SDM volume 3B, "Filtering of Last Branch Records"). A branch of unknown kind
 * is excluded only if all kinds are. */
bool engine_branch_is_excluded(uint64_t filter, const struct occurrence *o);

#define ENGINE_FILTER_LEVEL_0		(1u << 0)
#define ENGINE_FILTER_OTHER_LEVELS	(1u << 1)
#define ENGINE_FILTER_CONDITIONAL	(1u << 2)
#define ENGINE_FILTER_CALL		(1u << 3)
#define ENGINE_FILTER_CALL_INDIRECT	(1u << 4)
#define ENGINE_FILTER_RETURN		(1u << 5)
#define ENGINE_FILTER_JUMP_INDIRECT	(1u << 6)
#define ENGINE_FILTER_JUMP		(1u << 7)
#define ENGINE_FILTER_FAR		(1u << 8)

/* The branch records of a model. `depth`: number of records of a thread. `accepts`: true if this
 * occurrence is a branch that is recorded. `record`: records one; `cycle`: the engine's cycle in
 * which it retired. */
struct engine_branches {
	unsigned depth;
	bool (*accepts)(const struct engine *e, const struct occurrence *o);
	void (*record)(struct engine *e, const struct occurrence *o, uint64_t cycle);
};

/* Returns whether the inputs have branches that are recorded. */
bool engine_branches_due(const struct engine *e, const struct engine_branches *b);

/* Records the branches of the `cycles` cycles that have just passed. A long run of equal cycles is
 * shortened to one that leaves the same records. */
void engine_branches_passed(struct engine *e, const struct engine_branches *b, uint64_t cycles);

#endif
