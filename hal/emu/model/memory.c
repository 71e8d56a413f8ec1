// SPDX-License-Identifier: BSD-2-Clause

#include "memory.h"

#include <stdlib.h>

struct memory *memory_make(const struct processor *processor, unsigned packages, unsigned cores,
			   void (*raise)(void *context, unsigned core, enum cpu_event what,
					 uint64_t address),
			   walk_read *read, void *context)
{
	const size_t lines = package_lines(processor, cores), of_core = tlbs_lines(processor);
	struct memory *m = calloc(1,
				  sizeof *m + packages * (lines + cores * of_core) *
				  sizeof *m->lines);
	struct cache_line *next;

	if (!m)
		return NULL;
	m->processor = processor;
	m->read = read;
	m->context = context;
	next = m->lines;
	for (unsigned i = 0; i < packages; i++, next += lines) {
		package_begin(&m->package[i], processor, cores, next, raise, context);
		m->package[i].first = i * cores;
	}
	for (unsigned i = 0; i < packages * cores; i++, next += of_core) {
		m->core[i] = (struct memory_core){.package = &m->package[i / cores],
						  .core = i % cores};
		tlbs_begin(&m->core[i].tlbs, processor, next);
	}
	return m;
}

void memory_time(struct memory *m,
		 void (*at)(void *context, unsigned package, enum cpu_event what, uint64_t address,
			    uint64_t cycle))
{
	const unsigned packages = m->package->all ? m->package->packages : 1;

	m->timed = true;
	for (unsigned i = 0; at && i < packages; i++) {
		traffic_begin(&m->traffic[i], m->processor, packages, at);
		m->package[i].traffic = &m->traffic[i];
	}
}

static enum supplier access_package(struct memory *m, unsigned core, enum access access,
				    uint64_t address, uint64_t now)
{
	struct package *p = m->core[core].package;

	p->now = now;
	return package_access(p, m->core[core].core, access, address);
}

// The latency of a reference at `now`. On a timed machine, a line that waited in queues or is still
// in flight arrives later than the latency of its source.
static unsigned latency_of(const struct memory *m, unsigned core, enum supplier supplier,
			   uint64_t address, uint64_t now)
{
	const struct package *p = m->core[core].package;
	const unsigned latency = package_latency(p, supplier);
	uint64_t arrives;

	if (!p->traffic)
		return latency;
	arrives = supplier > SUPPLIER_L2 ? p->traffic->arrives : traffic_arrival(p, address, now);
	return arrives > now + latency ? (unsigned)(arrives - now) : latency;
}

// The cpu events of address translation, by kind of reference.
struct raises {
	enum cpu_event miss, second, walk, walk_large;
};
static const struct raises of_load = {
	CPU_EVENT_TLB_LOAD_MISS, CPU_EVENT_TLB_LOAD_SECOND, CPU_EVENT_TLB_LOAD_WALK,
	CPU_EVENT_TLB_LOAD_WALK_LARGE,
};
static const struct raises of_store = {
	CPU_EVENT_TLB_STORE_MISS, CPU_EVENT_TLB_STORE_SECOND, CPU_EVENT_TLB_STORE_WALK,
	CPU_EVENT_TLB_STORE_WALK_LARGE,
};
static const struct raises of_fetch = {
	CPU_EVENT_TLB_FETCH_MISS, CPU_EVENT_TLB_FETCH_SECOND, CPU_EVENT_TLB_FETCH_WALK,
	CPU_EVENT_TLB_FETCH_WALK_LARGE,
};
static const struct raises *const raises_of[] = {
	[ACCESS_LOAD] = &of_load, [ACCESS_STORE] = &of_store, [ACCESS_LOCK] = &of_store,
	[ACCESS_FETCH] = &of_fetch,
	[ACCESS_PREFETCH] = &of_load, [ACCESS_PREFETCH_L2] = &of_load,
	[ACCESS_PREFETCH_ONCE] = &of_load,
	[ACCESS_VPREFETCH0] = &of_load, [ACCESS_VPREFETCH1] = &of_load, [ACCESS_STREAM] = &of_store,
};

static void raise(struct memory *m, const struct reference *r, enum cpu_event what)
{
	package_raise(m->core[r->core].package, m->core[r->core].core, what, r->physical);
}

static unsigned walk(struct memory *m, const struct reference *r, enum processor_tlb tlb,
		     uint64_t linear, uint64_t now)
{
	const struct raises *raises = raises_of[r->access];
	const uint64_t begins = now;
	struct walk w;

	if (!walk_tables(&w, r->cr3, linear, m->read, m->context))
		// QEMU has translated the address, but the model finds no translation and counts no
		// walk
		return 0;
	for (unsigned i = 0; i < w.count; i++)
		now += latency_of(m, r->core, access_package(m, r->core, ACCESS_WALK, w.entry[i],
							     now), w.entry[i],
				  now);
	raise(m, r, w.page == PAGE_4K ? raises->walk : raises->walk_large);
	tlbs_insert(&m->core[r->core].tlbs, tlb, linear, w.page);
	return (unsigned)(now - begins);
}

static enum tlbs_result translate(struct memory *m, const struct reference *r, uint64_t linear,
				  unsigned *latency)
{
	const enum processor_tlb tlb = r->access == ACCESS_FETCH ? TLB_ITLB : TLB_DTLB;
	const struct raises *raises = raises_of[r->access];
	enum processor_page page;
	const enum tlbs_result result = tlbs_look_up(&m->core[r->core].tlbs, tlb, linear, &page);

	if (result == TLBS_FIRST) {
		if (tlb == TLB_ITLB && page != PAGE_4K)
			raise(m, r, CPU_EVENT_TLB_FETCH_LARGE_HIT);
		return result;
	}
	raise(m, r, raises->miss);
	if (result == TLBS_SECOND) {
		raise(m, r, raises->second);
		*latency += m->processor->latency[LATENCY_STLB];
		return result;
	}
	*latency += walk(m, r, tlb, linear, r->now + *latency);
	return result;
}

#define TLB_PAGE 4096	/* smallest page; adjacent pages may have any physical addresses */

// A locked access counts as a load, too.
static void raise_retired(struct memory *m, const struct reference *r,
			  const struct reached *reached)
{
	const bool loads = r->access == ACCESS_LOAD || r->access == ACCESS_LOCK;

	if (loads)
		raise(m, r, reached->source);
	if (loads && reached->translation != TLBS_FIRST)
		raise(m, r, CPU_EVENT_LOAD_TLB_MISS);
	if (loads && (r->access == ACCESS_LOCK || r->device ||
		      r->linear % TLB_PAGE + r->size > TLB_PAGE))
		raise(m, r, CPU_EVENT_LOAD_AT_RETIREMENT);
	if (r->access == ACCESS_LOCK && reached->in_flight)
		raise(m, r, CPU_EVENT_LOCK_FILL);
	if (r->device && r->access != ACCESS_LOAD)
		raise(m, r, CPU_EVENT_STORE_DEVICE);
}

//
// Non-temporal stores
//

// Writes a buffer to memory, through the home logic of the address's package. Returns the cycles
// that the last write waits.
static unsigned write_combined(struct memory *m, unsigned core, const struct combined *line)
{
	const struct memory_core *c = &m->core[core];
	struct package *home = package_home_agent(c->package, line->address);
	unsigned waits = 0;

	for (unsigned i = 0; i < (line->whole ? 1 : line->parts); i++)
		waits = traffic_stream(c->package, line->address, line->whole);
	for (unsigned i = 0; i < (line->whole ? 1 : line->parts); i++)
		if (home == c->package) {
			package_raise(home, c->core, line->whole ? CPU_EVENT_STREAM_FULL :
				      CPU_EVENT_STREAM_PARTIAL, line->address);
		} else {
			package_raise(c->package, c->core, CPU_EVENT_STREAM_AWAY, line->address);
			package_raise(home, 0, line->whole ? CPU_EVENT_STREAM_FULL_REMOTE :
				      CPU_EVENT_STREAM_PARTIAL_REMOTE, line->address);
		}
	return waits;
}

// SDM volume 1, "Caching of Temporal vs. Non-Temporal Data": a non-temporal store evicts the line
// from the caches.
static unsigned stream(struct memory *m, unsigned core, uint64_t address, unsigned size)
{
	const unsigned buffers = m->processor->queue[QUEUE_FILL];
	struct combined out;
	bool begins, leaves;

	leaves = combine_store(&m->core[core].combining, buffers, address, size, &begins, &out);
	if (begins)
		package_flush(m->core[core].package, m->core[core].core, address);
	return leaves ? write_combined(m, core, &out) : 0;
}

uint64_t memory_fence(struct memory *m, unsigned core, uint64_t now)
{
	struct combined out;

	m->core[core].package->now = now;
	while (combine_take_any(&m->core[core].combining, &out))
		write_combined(m, core, &out);
	return flights_wait(&m->core[core].flights, 1, now);
}

uint64_t memory_empty(struct memory *m, unsigned core, uint64_t now)
{
	struct package *const package = m->core[core].package;

	for (unsigned i = 0; i < package->cores; i++)
		memory_fence(m, package->first + i, now);
	package_empty(package, m->core[core].core);
	return flights_wait(&m->core[core].flights, 1, now);
}

uint64_t memory_lock_bus(struct memory *m, unsigned core, uint64_t now)
{
	const struct package *package = m->core[core].package;

	return package->traffic ? traffic_end(package, memory_fence(m, core, now)) : now;
}

// Buffered non-temporal stores to this line, or all of them before a locked access, reach memory
// first.
static void settle(struct memory *m, const struct reference *r, uint64_t physical)
{
	struct combined out;

	if (r->access == ACCESS_LOCK)
		memory_fence(m, r->core, r->now);
	else if (combine_take(&m->core[r->core].combining, physical, &out))
		write_combined(m, r->core, &out);
}

//
// VPREFETCH0 and VPREFETCH1
//

static uint64_t line_of(const struct memory *m, uint64_t physical)
{
	return physical >> m->processor->cache[CACHE_L1D].line_shift;
}

// Knights Corner's guide, Table 1-6, 1EH and 37H: a VPREFETCH to uncacheable memory, or to a line
// in flight, is dropped.
static enum supplier vprefetch(struct memory *m, const struct reference *r)
{
	const bool first = r->access == ACCESS_VPREFETCH0;
	struct flights *flights = &m->core[r->core].flights;
	enum supplier supplier;

	if (r->device || flights_find(flights, line_of(m, r->physical), r->now)) {
		raise(m, r, first ? CPU_EVENT_VPREFETCH0_DROPPED : CPU_EVENT_VPREFETCH1_DROPPED);
		return SUPPLIER_L1;
	}
	supplier = access_package(m, r->core, r->access, r->physical, r->now);
	if (supplier > (first ? SUPPLIER_L1 : SUPPLIER_L2)) {
		flights_begin(flights, &(struct flight){
			.line = line_of(m, r->physical), .from = r->now,
			.until = r->now + package_latency(m->package, supplier),
			.access = r->access,
		});
		m->flies = true;
	}
	return supplier;
}

static void meet_flight(struct memory *m, const struct reference *r, uint64_t physical)
{
	const struct flight *flight = flights_find(&m->core[r->core].flights, line_of(m, physical),
						   r->now);

	if (flight && flight->access == ACCESS_VPREFETCH0)
		raise(m, r, CPU_EVENT_IN_FLIGHT_VPREFETCH0);
	if (flight && flight->access == ACCESS_VPREFETCH1)
		raise(m, r, CPU_EVENT_IN_FLIGHT_VPREFETCH1);
}

//
// References
//

// Bytes after the first page are translated by the page tables; without a translation they follow
// physically.
static uint64_t physical_of(struct memory *m, const struct reference *r, uint64_t linear)
{
	struct walk w;

	if (linear / TLB_PAGE != r->linear / TLB_PAGE && r->paged &&
	    walk_tables(&w, r->cr3, linear, m->read, m->context))
		return w.physical;
	return r->physical + (linear - r->linear);
}

// Timed clock: a miss of the L1 data cache waits for a fill buffer. Returns the cycle in which it
// gets one.
static uint64_t wait_for_buffer(const struct memory *m, const struct reference *r,
				uint64_t physical, uint64_t now)
{
	const struct memory_core *c = &m->core[r->core];
	const unsigned buffers = m->processor->queue[QUEUE_FILL];

	if (!m->timed || r->access == ACCESS_FETCH ||
	    cache_find(&c->package->core[c->core][CACHE_L1D], physical))
		return now;
	return flights_wait(&c->flights, buffers ? buffers : FLIGHTS, now);
}

// Timed clock: a miss occupies its fill buffer until the line arrives; a hit waits for a line still
// in flight. Returns the cycles from `now` to the data.
static unsigned take_time(struct memory *m, const struct reference *r, uint64_t physical,
			  enum supplier supplier, uint64_t now)
{
	const unsigned latency = latency_of(m, r->core, supplier, physical, now);
	struct flights *flights = &m->core[r->core].flights;
	const struct flight *flight;

	if (!m->timed || r->access == ACCESS_FETCH)
		return latency;
	if (supplier == SUPPLIER_L1) {
		flight = flights_find(flights, line_of(m, physical), now);
		if (flight && access_is_prefetch(flight->access) && r->access == ACCESS_LOAD)
			raise(m, r, CPU_EVENT_LOAD_HIT_PREFETCH);
		return flight && flight->until > now + latency ?
		       (unsigned)(flight->until - now) : latency;
	}
	flights_begin(flights, &(struct flight){
		.line = line_of(m, physical), .from = now, .until = now + latency,
		.access = r->access,
	});
	return latency;
}

// A part of a reference, within one line. `translated`: the cycle in which its translation is
// known.
static void reach(struct memory *m, const struct reference *r, uint64_t physical, unsigned size,
		  uint64_t translated, struct reached *reached)
{
	const struct memory_core *c = &m->core[r->core];
	const bool streams = r->access == ACCESS_STREAM;
	uint64_t now = wait_for_buffer(m, r, physical, translated);
	enum supplier supplier = SUPPLIER_L1;
	unsigned latency;

	c->package->now = now;
	if (streams && m->processor->queue[QUEUE_FILL]) {
		now += stream(m, r->core, physical, size);
		latency = package_latency(m->package, supplier);
	} else {
		if (c->combining.held)
			settle(m, r, physical);
		if (m->flies && r->access <= ACCESS_LOCK)
			meet_flight(m, r, physical);
		supplier = access_package(m, r->core, streams ? ACCESS_STORE : r->access, physical,
					  now);
		reached->clears |= c->package->clears;
		latency = take_time(m, r, physical, supplier, now);
		if (c->package->follows_loads &&
		    (r->access == ACCESS_LOAD || access_is_prefetch(r->access)))
			package_follow_load(c->package, c->core, r->ip, physical, supplier);
		if (supplier == SUPPLIER_L1 && latency > package_latency(m->package, SUPPLIER_L1))
			reached->in_flight = true;
	}
	latency += (unsigned)(now - translated);
	reached->supplier = supplier > reached->supplier ? supplier : reached->supplier;
	reached->latency = latency > reached->latency ? latency : reached->latency;
	if (now > translated)
		reached->waits = (unsigned)(now - r->now);
}

// A reference that crosses lines.
static void access_lines(struct memory *m, const struct reference *r, uint64_t last, uint64_t line,
			 uint64_t now,
			struct reached *reached)
{
	for (uint64_t at = r->linear, lines = last / line - at / line + 1; lines; lines--) {
		const uint64_t end = lines > 1 ? at | (line - 1) : last;

		reach(m, r, physical_of(m, r, at), (unsigned)(end - at) + 1, now, reached);
		at = end + 1;
	}
	if (r->access != ACCESS_FETCH)
		raise(m, r, r->access == ACCESS_LOAD ? CPU_EVENT_SPLIT_LOAD :
		      CPU_EVENT_SPLIT_STORE);
	if (r->access == ACCESS_LOCK)
		raise(m, r, CPU_EVENT_SPLIT_LOCK);
}

// The source of a load from outside the package. The guide, tables 3 and 5: another package's cache
// is named as the source only for memory of this package; memory has two sources, depending on
// whether other packages share the line.
static enum cpu_event source_of(const struct memory *m, const struct reference *r,
				enum supplier supplier)
{
	const struct memory_core *c = &m->core[r->core];
	const bool local = package_home_agent(c->package, r->physical) == c->package;
	const struct cache_line *line = cache_find(&c->package->core[c->core][CACHE_L1D],
						   r->physical);
	const bool shared = line && line->state == LINE_SHARED;

	if (supplier != SUPPLIER_MEMORY && local)
		return CPU_EVENT_LOAD_REMOTE_CACHE;
	if (local)
		return shared ? CPU_EVENT_LOAD_MEMORY_SHARED : CPU_EVENT_LOAD_MEMORY;
	return shared ? CPU_EVENT_LOAD_REMOTE_MEMORY_SHARED : CPU_EVENT_LOAD_REMOTE_MEMORY;
}

struct reached memory_refer(struct memory *m, const struct reference *r)
{
	const unsigned shift = m->processor->cache[CACHE_L1D].line_shift;
	const uint64_t behind = r->linear + r->size, last = behind > r->linear ? behind - 1 :
		UINT64_MAX;
	struct reached reached = {.supplier = SUPPLIER_MEMORY};
	unsigned translating = 0;

	for (uint64_t page = r->linear / TLB_PAGE; r->paged && page <= last / TLB_PAGE; page++) {
		const uint64_t linear = page == r->linear / TLB_PAGE ? r->linear : page * TLB_PAGE;
		const enum tlbs_result result = translate(m, r, linear, &translating);

		reached.translation = result > reached.translation ? result : reached.translation;
	}
	if (r->access == ACCESS_VPREFETCH0 || r->access == ACCESS_VPREFETCH1) {
		reached.supplier = vprefetch(m, r);
		return reached;
	}
	if (r->internal) {
		reached.latency = translating;
		return reached;
	}
	if (r->device) {
		m->core[r->core].package->now = r->now + translating;
		reached.waits = traffic_device(m->core[r->core].package, r->physical,
					       r->access != ACCESS_LOAD);
		reached.latency = package_latency(m->package, reached.supplier) + reached.waits;
		reached.waits = r->access == ACCESS_LOAD && m->timed ? reached.latency :
			reached.waits;
		reached.source = CPU_EVENT_LOAD_DEVICE;
	} else {
		reached.supplier = SUPPLIER_L1;
		if ((r->linear ^ last) >> shift)
			access_lines(m, r, last, 1ULL << shift, r->now + translating, &reached);
		else
			reach(m, r, r->physical, r->size, r->now + translating, &reached);
		reached.source = reached.supplier == SUPPLIER_L1 &&
			reached.in_flight ? CPU_EVENT_LOAD_FILL :
				 reached.supplier < SUPPLIER_MEMORY || !m->package->all ?
				 CPU_EVENT_LOAD_L1D +
				 reached.supplier : source_of(m, r, reached.supplier);
	}
	reached.latency += translating;
	raise_retired(m, r, &reached);
	return reached;
}
