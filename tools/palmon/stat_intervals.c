// SPDX-License-Identifier: BSD-2-Clause
// palmon stat -I: rates of each interval of a trace.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "palmon.h"
#include "stat.h"

#define MS_MOST		1000000000

// Reads a number, with or without a decimal point, above 0 and up to `most`.
static bool read_positive(const char *text, double most, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return text[strspn(text, "0123456789.")] == '\0' && *text && !*end && !errno &&
	       *value > 0 && *value <= most;
}

bool stat_read_intervals(struct stat_options *o, const char *interval, const char *frequency)
{
	double ms, second = RATES_SECOND;

	if (frequency && !read_positive(frequency, 1e12, &second)) {
		complain("'%s' is not a frequency in cycles a second", frequency);
		return false;
	}
	if (!interval && frequency)
		complain("--frequency is for -I");
	if (!interval)
		return !frequency;
	if (!read_positive(interval, MS_MOST, &ms) || ms * second < 1000) {
		complain("'%s' is not an interval in milliseconds, of a cycle at least", interval);
		return false;
	}
	o->interval = (uint64_t)(ms * second / 1000 + 0.5);
	o->rates = (struct rates){.second = second, .separator = o->separator, .json = o->json};
	return true;
}

void stat_begin_intervals(struct stat_options *o, struct pmu_session *session)
{
	o->session = session;
	o->rates.events = counted_count(o);
	for (unsigned i = 0; i < o->rates.events; i++)
		o->rates.event[i] = (struct rates_event){.name = o->text[i]};
}

void stat_end_interval(void *context, uint64_t cycle)
{
	struct stat_options *o = context;
	uint64_t counts[RATES_EVENTS] = {0};

	for (unsigned i = 0; i < o->rates.events; i++)
		pmu_read(o->session, i, &counts[i]);
	if (rates_take(&o->rates, cycle, counts))
		rates_print(&o->rates, "");
}
