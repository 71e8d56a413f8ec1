// SPDX-License-Identifier: BSD-2-Clause
// Assigns counters to events: a maximum bipartite matching, found one request at a time with
// augmenting paths.

#include "pmu_driver.h"

struct matching {
	uint64_t choices[PMU_SESSION_EVENTS];		// bit mask of free counters that can count
							// request i
	uint8_t counter[PMU_SESSION_EVENTS];		// counter assigned to request i
	int8_t request[PMU_COUNTER_NUMBERS];		// request to which a counter is assigned;
							// -1: none
	uint64_t fixed;
};

#define NO_REQUEST (-1)

static int next_choice(const struct matching *m, uint64_t choices)
{
	uint64_t preferred = choices & m->fixed;

	return __builtin_ctzll(preferred ? preferred : choices);
}

// Searches breadth first from request `root`, over the counters that a request can use and the
// requests that own them. At a free counter it reassigns the counters along the path. Each counter
// is visited at most once.
static bool augment(struct matching *m, unsigned root, uint64_t *seen_requests,
		    uint64_t *seen_counters)
{
	uint8_t queue[PMU_SESSION_EVENTS], from[PMU_COUNTER_NUMBERS];
	unsigned head = 0, tail = 0;

	*seen_requests = 1ULL << root;
	*seen_counters = 0;
	queue[tail++] = (uint8_t)root;
	while (head < tail) {
		unsigned request = queue[head++];
		uint64_t choices = m->choices[request] & ~*seen_counters;

		while (choices) {
			int counter = next_choice(m, choices);

			choices &= ~(1ULL << counter);
			*seen_counters |= 1ULL << counter;
			from[counter] = (uint8_t)request;
			if (m->request[counter] != NO_REQUEST) {
				*seen_requests |= 1ULL << m->request[counter];
				queue[tail++] = (uint8_t)m->request[counter];
				continue;
			}
			for (;;) {
				unsigned to = from[counter];
				int before = m->counter[to];

				m->counter[to] = (uint8_t)counter;
				m->request[counter] = (int8_t)to;
				if (to == root)
					return true;
				counter = before;
			}
		}
	}
	return false;
}

// Returns whether the event belongs to another PMU, where its code has another meaning.
static bool is_of_another(const struct pmu_driver *driver, const struct event_request *request)
{
	const struct pmu_driver *owner = pmu_driver_of(request->event);

	return owner && owner->events != driver->events;
}

enum pmu_error pmu_allocate(const struct pmu_driver *driver, const struct event_request *requests,
			    unsigned count,
			    uint64_t free, uint8_t *out, struct pmu_refusal *refusal)
{
	struct matching m = {.fixed = driver->shape->fixed};
	uint64_t wanted[PMU_SESSION_EVENTS];

	*refusal = (struct pmu_refusal){0};
	if (count > PMU_SESSION_EVENTS)
		return PMU_TOO_MANY;
	for (unsigned i = 0; i < PMU_COUNTER_NUMBERS; i++)
		m.request[i] = NO_REQUEST;
	for (unsigned i = 0; i < count; i++) {
		wanted[i] = 0;
		if (!is_of_another(driver, &requests[i]))
			wanted[i] = driver->choices(&requests[i]) & driver->shape->counters;
		m.choices[i] = wanted[i] & free;
		if (!wanted[i]) {
			refusal->events = 1ULL << i;
			return PMU_UNFIT;
		}
	}
	for (unsigned i = 0; i < count; i++) {
		uint64_t competitors, counters;

		if (augment(&m, i, &competitors, &counters))
			continue;
		refusal->events = competitors;
		for (unsigned j = 0; j < count; j++)
			if (competitors >> j & 1)
				refusal->counters |= wanted[j];
		refusal->taken = refusal->counters & ~free;
		return PMU_CONFLICT;
	}
	for (unsigned i = 0; i < count; i++)
		out[i] = m.counter[i];
	return PMU_OK;
}
