// SPDX-License-Identifier: BSD-2-Clause

#include "flights.h"

#include <stddef.h>

const struct flight *flights_find(const struct flights *f, uint64_t line, uint64_t now)
{
	for (unsigned i = 0; i < FLIGHTS && now < f->last; i++)
		if (f->flight[i].line == line && now < f->flight[i].until)
			return &f->flight[i];
	return NULL;
}

uint64_t flights_wait(const struct flights *f, unsigned most, uint64_t now)
{
	for (;;) {
		uint64_t next = UINT64_MAX;
		unsigned count = 0;

		for (unsigned i = 0; i < FLIGHTS && now < f->last; i++)
			if (now < f->flight[i].until) {
				count++;
				next = f->flight[i].until < next ? f->flight[i].until : next;
			}
		if (count < most)
			return now;
		now = next;
	}
}

unsigned flights_count(const struct flights *f, uint64_t cycle, uint64_t *until)
{
	unsigned count = 0;

	*until = UINT64_MAX;
	for (const struct flight *a = f->flight; a < f->flight + FLIGHTS; a++) {
		const uint64_t change = cycle < a->from ? a->from : a->until;

		count += a->from <= cycle && cycle < a->until;
		if (cycle < change && change < *until)
			*until = change;
	}
	return count;
}

void flights_begin(struct flights *f, const struct flight *flight)
{
	f->flight[f->next++ % FLIGHTS] = *flight;
	if (flight->until > f->last)
		f->last = flight->until;
}
