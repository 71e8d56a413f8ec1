/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps for tests of models: inputs. Include after the definitions of `model`, `pmu` and
 * `connected`. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include "model.h"
#include "unit.h"

#include <string.h>

#define SIGNALS_MOST 16

static inline void run(uint64_t cycles)
{
	model->advance(pmu, cycles, connected, connected_count);
}

/* The array must stay valid and unchanged as long as it is the model's input. */
static inline void set_inputs(const struct occurrence *list, size_t count)
{
	connected = list;
	connected_count = count;
	run(0);
}

/* The same for a list that may change: two arrays alternate. */
static inline void connect(const struct occurrence *list, size_t count)
{
	static struct occurrence signals[2][SIGNALS_MOST];
	static unsigned turn;

	turn = !turn;
	assert_true(count <= SIGNALS_MOST);
	memcpy(signals[turn], list, count * sizeof *list);
	set_inputs(signals[turn], count);
}

/* SIGNALS({code, unit-mask bits, number, thread, level}, ...) */
#define LIST(...) (const struct occurrence[]){__VA_ARGS__}
#define LENGTH(...) (sizeof LIST(__VA_ARGS__) / sizeof(struct occurrence))
#define SIGNALS(...) connect(LIST(__VA_ARGS__), LENGTH(__VA_ARGS__))

/* The next cycles have no events. */
static inline void no_signals(void)
{
	set_inputs(NULL, 0);
}

#endif
