/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that are nearly right. */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/* The name that is nearer than *nearer, and then how near it is; NULL: there is none. Of `count` entries of `size`
 * bytes, each of which begins with a pointer to its name. */
const char *pmu_nearest_within(const void *entries, size_t count, size_t size, const char *name, size_t length,
			       unsigned *nearer);

/* How many letters must differ for a name of this length to be like no other: more than a third, and any single one. */
unsigned pmu_unlike(size_t length);

#endif
