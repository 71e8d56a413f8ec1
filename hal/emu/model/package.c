// SPDX-License-Identifier: BSD-2-Clause
// Initialization of packages, homes and latencies, and the effects of snoops on a core's caches:
// package.h.

#include "package.h"

static const struct cache_geometry *geometry_of(const struct processor *processor, unsigned cache)
{
	return &processor->cache[cache];
}

size_t package_lines(const struct processor *processor, unsigned cores)
{
	size_t lines = 0;

	for (unsigned i = 0; i < CACHE_L3; i++)
		lines += cache_lines(geometry_of(processor, i));
	return cores * lines + cache_lines(geometry_of(processor, CACHE_L3));
}

void package_begin(struct package *p, const struct processor *processor, unsigned cores,
		   struct cache_line *lines,
		   void (*raise)(void *context, unsigned core, enum cpu_event what,
				 uint64_t address), void *context)
{
	*p = (struct package){.processor = processor, .cores = cores, .raise = raise,
			      .context = context};
	for (unsigned core = 0; core < cores; core++)
		for (unsigned i = 0; i < CACHE_L3; i++) {
			cache_begin(&p->core[core][i], geometry_of(processor, i), lines);
			lines += cache_lines(geometry_of(processor, i));
		}
	cache_begin(&p->l3, geometry_of(processor, CACHE_L3), lines);
	p->follows_loads = processor->prefetchers.next_lines ||
		processor->prefetchers.stride_entries;
}

void package_join(struct package *all, unsigned packages, uint64_t memory)
{
	for (unsigned i = 0; i < packages; i++) {
		all[i].all = all;
		all[i].packages = packages;
		all[i].memory = memory;
	}
}

struct package *package_home_agent(struct package *p, uint64_t address)
{
	const uint64_t number = p->all ? address / p->memory : 0;

	return p->all ? &p->all[number < p->packages ? number : p->packages - 1] : p;
}

unsigned package_latency(const struct package *p, enum supplier supplier)
{
	static const enum processor_latency of[] = {
		[SUPPLIER_L1] = LATENCY_L1D, [SUPPLIER_L2] = LATENCY_L2, [SUPPLIER_L3] = LATENCY_L3,
		[SUPPLIER_SHARED] = LATENCY_L3_SHARED, [SUPPLIER_MODIFIED] = LATENCY_L3_MODIFIED,
		[SUPPLIER_MEMORY] = LATENCY_MEMORY, [SUPPLIER_REMOTE_HIT] = LATENCY_REMOTE_CACHE,
		[SUPPLIER_REMOTE_HITM] = LATENCY_REMOTE_CACHE,
		[SUPPLIER_REMOTE_MEMORY] = LATENCY_REMOTE_MEMORY,
	};

	return p->processor->latency[of[supplier]];
}

//
// Snoops
//

enum line_state package_give_up(struct package *p, unsigned core, uint64_t address)
{
	enum line_state strongest = LINE_INVALID;

	for (unsigned i = 0; i < CACHE_L3; i++) {
		const struct cache_victim gone = cache_flush(&p->core[core][i], address);

		if (gone.dirty && i == CACHE_L1D)
			package_raise(p, core, CPU_EVENT_L1D_SNOOP_MODIFIED, address);
		strongest = gone.state > strongest ? (enum line_state)gone.state : strongest;
	}
	return strongest;
}

// The core keeps the line in state S. Returns the strongest state that it had.
static enum line_state share(struct package *p, unsigned core, uint64_t address)
{
	enum line_state strongest = LINE_INVALID;

	for (unsigned i = 0; i < CACHE_L3; i++) {
		struct cache_line *line = cache_find(&p->core[core][i], address);

		if (!line)
			continue;
		if (line->state == LINE_MODIFIED && i == CACHE_L1D)
			package_raise(p, core, CPU_EVENT_L1D_SNOOP_MODIFIED, address);
		strongest = cache_state_of(line) > strongest ? cache_state_of(line) : strongest;
		line->state = LINE_SHARED;
	}
	return strongest;
}

enum line_state package_snoop(struct package *p, uint32_t cores, bool write, uint64_t address)
{
	enum line_state strongest = LINE_INVALID;

	for (; cores; cores &= cores - 1) {
		const unsigned core = (unsigned)__builtin_ctz(cores);
		const enum line_state state = write ? package_give_up(p, core, address) :
			share(p, core, address);

		package_raise_by(p, core, CPU_EVENT_SNOOP_I, state, address);
		strongest = state > strongest ? state : strongest;
	}
	return strongest;
}
