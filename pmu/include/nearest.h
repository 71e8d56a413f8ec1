/* SPDX-License-Identifier: BSD-2-Clause */
/* Nearest names, for misspelled ones. */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/* Returns the nearest name with an edit distance below *nearer, and stores that distance in
 * *nearer. NULL: there is none. `entries`: `count` entries of `size` bytes, each of which begins
 * with a pointer to its name. */
const char *pmu_nearest_within(const void *entries, size_t count, size_t size, const char *name,
			       size_t length, unsigned *nearer);

/* Returns the edit distance from which names count as unlike: more than a third of `length`
 * letters. */
unsigned pmu_unlike(size_t length);

#endif
