/* SPDX-License-Identifier: BSD-2-Clause */
/* Around each test of a model: it starts with a PMU just reset, and with the same random numbers. */
#ifndef EACH_TEST_H
#define EACH_TEST_H

#include "device.h"

static uint64_t random_state;

static inline uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* Some of these bits. */
static inline uint64_t random_bits(uint64_t of)
{
	return random_below(UINT64_MAX) & of;
}

/* Runs `cycles` in up to six pieces. */
static inline void run_in_pieces(void *state, uint64_t cycles)
{
	for (unsigned pieces = (unsigned)random_below(6); pieces && cycles; pieces--) {
		uint64_t piece = random_below(cycles + 1);

		model->run(state, piece);
		cycles -= piece;
	}
	model->run(state, cycles);
}

static inline int start(void **state)
{
	(void)state;
	random_state = 0x9E3779B97F4A7C15;
	reset(-1);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, start)

#endif
