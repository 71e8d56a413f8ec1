// SPDX-License-Identifier: BSD-2-Clause
// Lines on their way: flights.h.

#include "flights.h"

#include <stddef.h>

const struct flight *flights_find(const struct flights *f, uint64_t line, uint64_t now)
{
	for (unsigned i = 0; i < FLIGHTS; i++)
		if (f->flight[i].line == line && now < f->flight[i].until)
			return &f->flight[i];
	return NULL;
}

void flights_begin(struct flights *f, const struct flight *flight)
{
	f->flight[f->next++ % FLIGHTS] = *flight;
}
