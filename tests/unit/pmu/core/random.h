/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers, the same in every run. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003). `state`: initially the seed, not 0. */
static inline uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Returns the upper 48 bits of a random word. */
static inline uint64_t random_next(uint64_t *state)
{
	return random_word(state) >> 16;
}

/* Returns a number from least to most, inclusive; their difference is below 2^48. */
static inline uint64_t random_between(uint64_t *state, uint64_t least, uint64_t most)
{
	return least + random_next(state) % (most - least + 1);
}

/* Returns true with a probability of `percent` percent. */
static inline int random_chance(uint64_t *state, unsigned percent)
{
	return random_next(state) % 100 < percent;
}

#endif
