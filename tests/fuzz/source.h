/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes numbers and registers from an input. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdint.h>

#include "model.h"

/* Returns the next byte of the input; 0 after its end. */
struct source {
	const uint8_t *at, *end;
};

static inline uint64_t take(struct source *s, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | (s->at < s->end ? *s->at++ : 0);
	return value;
}

/* Returns the address of `*r`, one of the model's registers, or an address next to it; sometimes
 * any address. */
static inline uint32_t take_address(struct source *s, const struct pmu_model *model,
				    const struct register_description **r)
{
	const uint64_t choice = take(s, 2);

	*r = &model->registers[choice / 16 % model->register_count];
	if (choice % 16 == 0)
		return (uint32_t)take(s, 4);
	return (*r)->address + (uint32_t)(take(s, 1) % ((*r)->count + 1u)) * (*r)->distance;
}

#endif
