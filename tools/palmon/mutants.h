/* SPDX-License-Identifier: BSD-2-Clause */
/* palmon selftest --mutants. */
#ifndef PALMON_MUTANTS_H
#define PALMON_MUTANTS_H

#include "palmon.h"

/* Runs each target's self test, or that of `only`, on each mutant of its model. Prints the
 * survivors and the score. `all`: runs all checks on each mutant instead of the first that fails,
 * and prints each failing check. Returns an exit status. */
int run_mutants(const struct pmu_driver *only, bool all);

#endif
