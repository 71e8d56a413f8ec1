/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers that are the same in every run. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003). `state` is the seed at first, and not 0. */
static inline uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The upper 48 bits of one. */
static inline uint64_t random_next(uint64_t *state)
{
	return random_word(state) >> 16;
}

/* From least to most, both included; they are less than 2^48 apart. */
static inline uint64_t random_between(uint64_t *state, uint64_t least, uint64_t most)
{
	return least + random_next(state) % (most - least + 1);
}

/* True `percent` times in a hundred. */
static inline int random_chance(uint64_t *state, unsigned percent)
{
	return random_next(state) % 100 < percent;
}

#endif
