/* SPDX-License-Identifier: BSD-2-Clause */
/* Set-up of each test of a model: a PMU after reset, and the same random numbers. */
#ifndef EACH_TEST_H
#define EACH_TEST_H

#include "core/random.h"
#include "device.h"

static uint64_t random_state;

static inline uint64_t random_below(uint64_t limit)
{
	return random_word(&random_state) % limit;
}

/* Returns a random subset of these bits. */
static inline uint64_t random_bits(uint64_t of)
{
	return random_below(UINT64_MAX) & of;
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
