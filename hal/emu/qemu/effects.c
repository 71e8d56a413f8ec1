// SPDX-License-Identifier: BSD-2-Clause
// Collects the effects of memory references until the cycle in which they count: timeline.h.

#include "timed.h"
#include "timeline.h"

static void add_effect(struct effects *effects, enum cpu_event what, uint64_t address)
{
	if (effects->count < EFFECTS_MOST) {
		effects->effect[effects->count++] = (struct effect){(uint16_t)what, 1, address};
		return;
	}
	for (struct effect *e = effects->effect; e < effects->effect + EFFECTS_MOST; e++)
		if (e->what == what && signals_channel(e->address) == signals_channel(address)) {
			e->n++;
			return;
		}
}

// An effect of another core's references belongs to no thread: the core's first vCPU counts it from
// outside.
static struct cpu *outside_of(const struct core *on)
{
	for (struct cpu *c = cpus; c < &cpus[cpus_count]; c++)
		if (c->core == on)
			return c->outside;
	return NULL;
}

void timeline_happens(struct cpu *c, struct core *on, enum cpu_event what, uint64_t address)
{
	if (on->package->signals.counted[what] && timed_is_used)
		timed_happens(NULL, on->package_number, what, address, timed_now(c));
	else if (on->package->signals.counted[what])
		add_effect(&on->package->effects, what, address);
	if (on->signals.counted[what])
		add_effect(c->core == on ? &c->effects : &on->arrived, what, address);
	for (struct cpu *by = c->core == on ? c->outside : outside_of(on); by; by = by->outside)
		if (by->core->signals.counted[what])
			add_effect(&by->effects, what, address);
}
