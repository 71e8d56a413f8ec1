// SPDX-License-Identifier: BSD-2-Clause
// Means and root mean squares: spread.h. Not part of the resident runtime.

#include "spread.h"

#define TENTHS	10

typedef unsigned __int128 magnitude;

void spread_join(struct spread *s, const struct spread *from)
{
	if (!from->count)
		return;
	if (!s->count || from->least < s->least)
		s->least = from->least;
	if (!s->count || from->most > s->most)
		s->most = from->most;
	s->count += from->count;
	s->sum += from->sum;
	s->too_large |= from->too_large |
		__builtin_add_overflow(s->squares, from->squares, &s->squares);
}

static struct spread_value tenths_or_units(magnitude tenths, magnitude units, bool negative)
{
	if (tenths <= UINT64_MAX)
		return (struct spread_value){(uint64_t)tenths, TENTHS, negative && tenths};
	return (struct spread_value){(uint64_t)units, 1, negative};
}

struct spread_value spread_average(const struct spread *s)
{
	const bool negative = s->sum < 0;
	const magnitude sum = negative ? -(magnitude)s->sum : (magnitude)s->sum;

	return tenths_or_units((2 * TENTHS * sum + s->count) / (2 * (magnitude)s->count),
			       (2 * sum + s->count) / (2 * (magnitude)s->count), negative);
}

// Returns the greatest number whose square is at most `square`.
static magnitude root(magnitude square)
{
	magnitude found = 0;

	for (magnitude bit = (magnitude)1 << 63; bit; bit >>= 1)
		if ((found | bit) * (found | bit) <= square)
			found |= bit;
	return found;
}

struct spread_value spread_rms(const struct spread *s)
{
	const magnitude square = s->squares / s->count, most = ~(magnitude)0 / (TENTHS * TENTHS);
	const magnitude rest = s->squares % s->count;

	return tenths_or_units(square < most ?
			       root(TENTHS * TENTHS * square + TENTHS * TENTHS * rest / s->count) :
			       (magnitude)UINT64_MAX + 1, root(square), false);
}

struct spread_value spread_integer(int64_t number)
{
	return (struct spread_value){number < 0 ? -(uint64_t)number : (uint64_t)number, 1,
				     number < 0};
}
