// SPDX-License-Identifier: BSD-2-Clause
// Rates of counts per interval: rates.h.

#define _GNU_SOURCE
#include "rates.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "colour.h"
#include "palmon.h"

#define WIDTH	14	/* columns of a rate */

bool rates_take(struct rates *r, uint64_t clock, const uint64_t *counts)
{
	bool good = clock > r->clock;

	r->before = r->clock;
	r->clock = clock;
	for (unsigned i = 0; i < r->events; i++) {
		r->event[i].before = r->event[i].count;
		r->event[i].count = counts[i];
		good &= r->event[i].count >= r->event[i].before;
	}
	return good;
}

double rates_of(const struct rates *r, const struct rates_event *e)
{
	return (double)(e->count - e->before) * r->second / (double)(r->clock - r->before);
}

double rates_time(const struct rates *r)
{
	return (double)r->clock / r->second;
}

const char *rates_grouped(double value, char text[40])
{
	char digits[28];
	const int length = snprintf(digits, sizeof digits, "%.0f", value);
	int at = 0;

	for (int i = 0; i < length && i < (int)sizeof digits - 1; i++) {
		text[at++] = digits[i];
		if ((length - 1 - i) % 3 == 0 && i < length - 1)
			text[at++] = ',';
	}
	text[at] = '\0';
	return text;
}

static void print_heading(struct rates *r, bool functions)
{
	if (r->headed == r->events)
		return;
	for (unsigned i = 0; i < r->events; i++)
		printf("# %u: %s, events a second\n", i + 1, r->event[i].name);
	printf("%s%13s", colour(COLOUR_HEADING), "ms");
	for (unsigned i = 0; i < r->events; i++)
		printf(" %*u", WIDTH, i + 1);
	printf("%s%s\n", functions ? "  hottest function" : "", colour(COLOUR_END));
	r->headed = r->events;
}

static void print_row(struct rates *r, const char *hottest)
{
	char text[40];

	print_heading(r, *hottest);
	printf("%13.6f", rates_time(r) * 1e3);
	for (unsigned i = 0; i < r->events; i++)
		printf(" %*s", WIDTH,
		       r->event[i].absent ? "not counted" :
		       rates_grouped(rates_of(r, &r->event[i]), text));
	printf("%s%s\n", *hottest ? "  " : "", hottest);
}

static void print_separated(const struct rates *r, const struct rates_event *e)
{
	const char *s = r->separator;

	printf("%.9f%s%" PRIu64 "%s%s%s%.0f\n", rates_time(r), s, e->count - e->before, s, e->name,
	       s, rates_of(r, e));
}

static void print_object(const struct rates *r, const struct rates_event *e)
{
	print_json(json_pack("{s:f, s:i, s:I, s:s, s:f}", "interval", rates_time(r), "run",
			     (int)r->run,
			     "counter-value", (json_int_t)(e->count - e->before), "event", e->name,
			     "rate", rates_of(r, e)));
}

void rates_print(struct rates *r, const char *hottest)
{
	if (!r->json && !r->separator) {
		print_row(r, hottest);
		return;
	}
	for (unsigned i = 0; i < r->events; i++)
		if (!r->event[i].absent)
			(r->json ? print_object : print_separated)(r, &r->event[i]);
}
