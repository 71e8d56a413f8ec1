// SPDX-License-Identifier: BSD-2-Clause
// Similar names: the nearest one of a table.

#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "event.h"
#include "pmu_driver.h"

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Returns the Levenshtein distance of a (length characters) and b, without regard to case; `far` if
// it is not below `far`.
static unsigned distance(const char *a, size_t length, const char *b, unsigned far)
{
	unsigned row[EVENT_NAME_MAX + 2];
	size_t other = strlen(b);

	for (size_t j = 0; j <= other; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= length; i++) {
		unsigned diagonal = row[0], least = (unsigned)i;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= other; j++) {
			unsigned above = row[j], best = diagonal + !same_letter(a[i - 1], b[j - 1]);

			best = above + 1 < best ? above + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			diagonal = above;
			row[j] = best;
			least = best < least ? best : least;
		}
		if (least >= far)
			return far;
	}
	return row[other];
}

const char *pmu_nearest_within(const void *entries, size_t count, size_t size, const char *name,
			       size_t length,
				  unsigned *nearer)
{
	const char *best = NULL;
	unsigned best_distance = *nearer;

	for (size_t i = 0; i < count; i++) {
		const char *other = *(const char *const *)((const char *)entries + i * size);
		size_t other_length = strlen(other);
		unsigned d;

		// The distance is at least the difference of the lengths.
		if (length + best_distance <= other_length ||
		    other_length + best_distance <= length)
			continue;
		if (other_length > EVENT_NAME_MAX)
			continue;
		d = distance(name, length, other, best_distance);
		if (d < best_distance) {
			best_distance = d;
			best = other;
		}
	}
	*nearer = best_distance;
	return best;
}

unsigned pmu_unlike(size_t length)
{
	return length < 2 ? 1 : (unsigned)(length + 2) / 3 + 1;
}

const char *pmu_nearest_name(const void *entries, size_t count, size_t size, const char *name,
			     size_t length)
{
	unsigned nearer = pmu_unlike(length);

	return pmu_nearest_within(entries, count, size, name, length, &nearer);
}
