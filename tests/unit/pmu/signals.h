/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps for tests of models: inputs. Include after the definitions of `model` and `pmu`. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include "model.h"
#include "unit.h"

#include <string.h>

#define SIGNALS_MOST 16

static inline void run(uint64_t cycles)
{
	model->run(pmu, cycles);
}

/* The array must stay valid until it is replaced, so two arrays alternate. */
static inline void connect(const struct occurrence *list, size_t count)
{
	static struct occurrence signals[2][SIGNALS_MOST];
	static unsigned turn;

	turn = !turn;
	assert_true(count <= SIGNALS_MOST);
	memcpy(signals[turn], list, count * sizeof *list);
	model->connect(pmu, signals[turn], count);
}

/* SIGNALS({code, unit-mask bits, number, thread, level}, ...) */
#define LIST(...) (const struct occurrence[]){__VA_ARGS__}
#define LENGTH(...) (sizeof LIST(__VA_ARGS__) / sizeof(struct occurrence))
#define SIGNALS(...) connect(LIST(__VA_ARGS__), LENGTH(__VA_ARGS__))

/* The next cycles have no events. */
static inline void no_signals(void)
{
	model->connect(pmu, NULL, 0);
}

#endif
