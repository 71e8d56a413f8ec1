/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the tests of models: what happens on the wires. Include it behind the definitions of `model` and `pmu`. */
#ifndef WIRES_H
#define WIRES_H

#include "model.h"
#include "unit.h"

#include <string.h>

#define WIRES_MOST 16

static inline void run(uint64_t cycles)
{
	model->run(pmu, cycles);
}

/* The array must stay until it is replaced: two take turns. */
static inline void connect(const struct occurrence *list, size_t count)
{
	static struct occurrence wires[2][WIRES_MOST];
	static unsigned turn;

	turn = !turn;
	assert_true(count <= WIRES_MOST);
	memcpy(wires[turn], list, count * sizeof *list);
	model->wires(pmu, wires[turn], count);
}

/* WIRES({code, unit-mask bits, how many, thread, level}, ...) */
#define LIST(...) (const struct occurrence[]){__VA_ARGS__}
#define LENGTH(...) (sizeof LIST(__VA_ARGS__) / sizeof(struct occurrence))
#define WIRES(...) connect(LIST(__VA_ARGS__), LENGTH(__VA_ARGS__))

/* Nothing happens in the next cycles. */
static inline void no_wires(void)
{
	model->wires(pmu, NULL, 0);
}

#endif
