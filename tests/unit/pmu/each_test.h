/* SPDX-License-Identifier: BSD-2-Clause */
/* Around each test of a model: it starts with a PMU just reset, and with the same random numbers. */
#ifndef EACH_TEST_H
#define EACH_TEST_H

#include "core/random.h"
#include "device.h"

static uint64_t random_state;

static inline uint64_t random_below(uint64_t limit)
{
	return random_word(&random_state) % limit;
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

/* For two PMUs that are to be the same: the same new signals. */
static inline void connect_both(void *one, void *other, size_t (*random_signals)(struct occurrence *))
{
	static struct occurrence signals[2][SIGNALS_MOST];
	static unsigned turn;
	size_t count;

	turn = !turn;
	count = random_signals(signals[turn]);
	assert_true(count <= SIGNALS_MOST);
	model->connect(one, signals[turn], count);
	model->connect(other, signals[turn], count);
}

static inline void assert_same_outputs(const struct model_outputs *one, const struct model_outputs *other)
{
	assert_int_equal(one->requests, other->requests);
	assert_int_equal(one->precise, other->precise);
	assert_int_equal(one->held, other->held);
	assert_int_equal(one->level_matters, other->level_matters);
	assert_int_equal(one->headroom >= MODEL_FAR, other->headroom >= MODEL_FAR);
	if (one->headroom < MODEL_FAR)
		assert_int_equal(one->headroom, other->headroom);
}

static inline void assert_same_register(void *one, void *other, unsigned thread, uint32_t address)
{
	uint64_t values[2];

	assert_true(model->read(one, thread, address, &values[0]));
	assert_true(model->read(other, thread, address, &values[1]));
	assert_int_equal(values[0], values[1]);
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
