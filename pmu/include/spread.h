/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of integers: number, mean, root mean square, least and greatest. spread_add runs in
 * trap paths: it has no division. */
#ifndef SPREAD_H
#define SPREAD_H

#include <stdbool.h>
#include <stdint.h>

struct spread {
	uint64_t count;
	int64_t least, most;
	__int128 sum;
	unsigned __int128 squares;
	bool too_large;			/* the sum of squares has overflowed */
};

/* A number: magnitude / of. `of` is 10 if the tenths fit into 64 bits, else 1. */
struct spread_value {
	uint64_t magnitude;
	unsigned of;			/* 10 or 1 */
	bool negative;
};

static inline void spread_add(struct spread *s, int64_t number)
{
	const uint64_t magnitude = number < 0 ? -(uint64_t)number : (uint64_t)number;

	if (!s->count || number < s->least)
		s->least = number;
	if (!s->count || number > s->most)
		s->most = number;
	s->count++;
	s->sum += number;
	s->too_large |= __builtin_add_overflow(s->squares, (unsigned __int128)magnitude * magnitude,
					       &s->squares);
}

/* Adds all numbers of `from`. */
void spread_join(struct spread *s, const struct spread *from);

/* Returns the mean of at least one number, rounded to nearest. */
struct spread_value spread_average(const struct spread *s);

/* Returns the root mean square of at least one number, rounded down. Invalid if too_large. */
struct spread_value spread_rms(const struct spread *s);

/* Returns an integer as such a value. */
struct spread_value spread_integer(int64_t number);

#endif
