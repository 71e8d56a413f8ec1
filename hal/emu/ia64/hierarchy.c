// SPDX-License-Identifier: BSD-2-Clause
// Caches and bus (7.6). The L1 data cache is write-through, and serves integer loads and the
// register stack engine. L2 and L3 are write-back, and allocate lines on writes. L2 keeps a line
// that L3 evicts.

#include "hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "bus.h"
#include "entries.h"
#include "machine.h"
#include "raise.h"

// Kinds of requests to L3, and their unit-mask bits in L3_READS and L3_WRITES. OWNERSHIP: ld.bias
// misses L2; L3 and the bus treat it as a store (5.1).
enum l3_request { INSTRUCTION_READ, DATA_READ, DATA_WRITE, OWNERSHIP, WRITEBACK };
static const struct {
	enum ia64_event event;
	uint8_t sub;
} l3_events[] = {
	[INSTRUCTION_READ] = {EVENT_L3_READS, 4}, [DATA_READ] = {EVENT_L3_READS, 8},
	[DATA_WRITE] = {EVENT_L3_WRITES, 4}, [OWNERSHIP] = {EVENT_L3_WRITES, 4},
	[WRITEBACK] = {EVENT_L3_WRITES, 8},
};

struct ia64_hierarchy *ia64_make_hierarchy(const struct processor *processor)
{
	struct ia64_hierarchy *h;
	size_t lines = 0;

	for (unsigned i = 0; i < CACHES; i++)
		lines += cache_lines(&processor->cache[i]);
	lines += cache_lines(&processor->cache[CACHE_L3]);
	h = calloc(1, sizeof *h + lines * sizeof *h->lines);
	if (h)
		ia64_begin_queues(&h->queues, processor);
	lines = 0;
	for (unsigned i = 0; h && i < CACHES; i++) {
		cache_begin(&h->cache[i], &processor->cache[i], h->lines + lines);
		lines += cache_lines(&processor->cache[i]);
	}
	if (h)
		cache_begin(&h->other, &processor->cache[CACHE_L3], h->lines + lines);
	return h;
}

//
// Time
//

// Begins a reference in the present cycle, or in the next one.
static void begin(struct machine *m, bool next)
{
	struct ia64_hierarchy *h = m->hierarchy;

	h->queues.present = m->cycle.ended;
	h->begins = h->now = m->cycle.ended + next;
}

// Returns the cycles from the start of the reference until its data is there.
static unsigned latency(const struct ia64_hierarchy *h)
{
	return h->ready > h->now ? (unsigned)(h->ready - h->now) : 1;
}

// Returns the cycles that the reference has waited for queues.
static unsigned waited(const struct ia64_hierarchy *h)
{
	return (unsigned)(h->now - h->begins);
}

static void raise_l2_flush(struct machine *m, const struct occurrence *o, unsigned why)
{
	ia64_raise(m, o, EVENT_L2_FLUSHES, 0);
	ia64_raise(m, o, EVENT_L2_FLUSH_DETAILS, why);
}

// Returns the cycles that the reference has waited for queues. L2 rejects a reference that must
// wait.
static unsigned end_waiting(struct machine *m, const struct occurrence *o)
{
	if (waited(m->hierarchy))
		raise_l2_flush(m, o, SUB_BUS_REJECT);
	return waited(m->hierarchy);
}

// The instruction is issued later, if a queue makes its reference wait.
static void end(struct machine *m, const struct occurrence *o)
{
	m->retiring.blocked += end_waiting(m, o);
}

static void read_beyond_l2(struct machine *m, enum processor_latency source)
{
	struct ia64_hierarchy *h = m->hierarchy;

	h->ready = m->timed ? ia64_queue_read(&h->queues, source == LATENCY_L3, &h->now) :
		h->now + m->processor.latency[source];
}

// A transaction that reads no data.
static void write_to_bus(struct machine *m, const struct occurrence *o, enum ia64_transaction t,
			 uint64_t address)
{
	ia64_transact(m, o, t, SUB_SELF, address);
	if (m->timed)
		ia64_queue_write(&m->hierarchy->queues, &m->hierarchy->now);
}

//
// L2, L3
//

// Whether the other processor's cache has a line. It then shares the line if this processor has it.
static bool is_shared(const struct ia64_hierarchy *h, uint64_t address)
{
	return cache_find(&h->other, address);
}

// A store to a shared line reads it for ownership (BRIL): BIL is for fc only (table 7-23).
static void own(struct machine *m, const struct occurrence *o, uint64_t address)
{
	ia64_transact(m, o, TRANSACTION_BRIL, SUB_SELF, address);
	read_beyond_l2(m, LATENCY_MEMORY);
}

static bool needs_ownership(enum l3_request request)
{
	return request == DATA_WRITE || request == OWNERSHIP;
}

// The functions of L2 and L3 return the place of the data.
static enum processor_latency access_l3(struct machine *m, const struct occurrence *o,
					enum l3_request request, uint64_t address)
{
	static const enum ia64_transaction transactions[] = {
		TRANSACTION_BRL_CODE, TRANSACTION_BRL_DATA, TRANSACTION_BRIL,
		TRANSACTION_BRIL,
	};
	struct cache *l3 = &m->hierarchy->cache[CACHE_L3];
	const bool hit = cache_use(l3, address, request == WRITEBACK);
	const bool owned = !needs_ownership(request) || !is_shared(m->hierarchy, address);
	const enum processor_latency source = hit && owned ? LATENCY_L3 : LATENCY_MEMORY;
	struct cache_victim victim;

	ia64_raise(m, o, EVENT_L3_REFERENCES, 0);
	ia64_raise(m, o, l3_events[request].event,
		   l3_events[request].sub | (hit ? SUB_HIT : SUB_MISS));
	if (request != WRITEBACK)
		read_beyond_l2(m, source);
	if (!hit)
		ia64_raise(m, o, EVENT_L3_MISSES, 0);
	if (request != WRITEBACK && source == LATENCY_MEMORY)
		ia64_transact(m, o, transactions[request], SUB_SELF, address);
	if (hit)
		return source;
	victim = cache_fill(l3, address, request == WRITEBACK);
	if (victim.valid)
		ia64_raise(m, o, EVENT_L3_LINES_REPLACED, 0);
	if (victim.dirty)
		write_to_bus(m, o, TRANSACTION_BWL, victim.address);
	return source;
}

static enum processor_latency access_l2(struct machine *m, const struct occurrence *o,
					enum l3_request request, uint64_t address)
{
	struct ia64_hierarchy *h = m->hierarchy;
	struct cache *l2 = &h->cache[CACHE_L2];
	enum processor_latency source;
	struct cache_victim victim;

	ia64_raise(m, o, EVENT_L2_REFERENCES, 0);
	if (cache_use(l2, address, request == DATA_WRITE)) {
		if (needs_ownership(request) && is_shared(h, address))
			own(m, o, address);
		h->ready = h->now + m->processor.latency[LATENCY_L2];
		return LATENCY_L2;
	}
	ia64_raise(m, o, EVENT_L2_MISSES, 0);
	source = access_l3(m, o, request, address);
	victim = cache_fill(l2, address, request == DATA_WRITE);
	if (victim.dirty)
		access_l3(m, o, WRITEBACK, victim.address);
	return source;
}

// The number of an address's line in L2, counted from 1.
static uint64_t l2_line(const struct ia64_hierarchy *h, uint64_t address)
{
	return (address >> h->cache[CACHE_L2].geometry.line_shift) + 1;
}

// Flushes of L2's pipeline (table 7-31): a store in the cycle of another store to its line, or in
// the next one.
static void see_l2_store(struct machine *m, const struct occurrence *o, uint64_t address)
{
	struct ia64_hierarchy *h = m->hierarchy;
	const uint64_t line = l2_line(h, address);

	if (!m->timed)
		return;
	if (h->stored == line && h->begins - h->stored_in <= 1)
		raise_l2_flush(m, o, SUB_ST_BUFFER);
	h->stored = line;
	h->stored_in = h->begins;
	if (cache_state_of(cache_find(&h->cache[CACHE_L2], address)) == LINE_MODIFIED)
		return;
	h->modified = line;
	h->modified_in = h->begins;
}

// A load of a line while a store to it changes the line's state: as long as an access to L2 takes.
static void see_l2_load(struct machine *m, const struct occurrence *o, uint64_t address)
{
	const struct ia64_hierarchy *h = m->hierarchy;

	if (m->timed && h->modified == l2_line(h, address) &&
	    h->begins - h->modified_in <= m->processor.latency[LATENCY_L2])
		raise_l2_flush(m, o, SUB_ADDRESS_CONFLICT);
}

// Whether a reference looks into the L1 data cache. A reference with a locality hint goes to L2.
static bool is_l1d_read(const struct ia64_reference *r)
{
	return r->kind == REFERENCE_RSE_LOAD ||
	       ((r->kind == REFERENCE_LOAD || r->kind == REFERENCE_CHECK_LOAD ||
		 r->kind == REFERENCE_PREFETCH) &&
		!r->is_float && !r->hint);
}

// Whether a reference that looks into the L1 data cache is an L1D_READS_RETIRED (7.8).
static bool is_counted(const struct ia64_reference *r)
{
	return r->kind == REFERENCE_LOAD || r->kind == REFERENCE_RSE_LOAD;
}

static unsigned read_l1d(struct machine *m, struct occurrence *o, const struct ia64_reference *r)
{
	struct cache *l1d = &m->hierarchy->cache[CACHE_L1D];

	if (is_counted(r))
		ia64_raise(m, o, EVENT_L1D_READS_RETIRED, 0);
	if (cache_use(l1d, r->address, false))
		return m->processor.latency[LATENCY_L1D];
	ia64_raise(m, o, EVENT_L2_DATA_REFERENCES, SUB_READ);
	see_l2_load(m, o, r->address);
	access_l2(m, o, r->owns ? OWNERSHIP : DATA_READ, r->address);
	cache_fill(l1d, r->address, false);
	o->latency = latency(m->hierarchy);
	if (is_counted(r))
		ia64_raise(m, o, EVENT_L1D_READ_MISSES_RETIRED, 0);
	o->latency = 0;
	return latency(m->hierarchy);
}

// A floating-point load takes other latencies than an integer load of L2 or L3.
static unsigned read_l2(struct machine *m, const struct occurrence *o,
			const struct ia64_reference *r)
{
	const unsigned *latencies = m->processor.latency;
	const enum processor_latency source =
		access_l2(m, o, r->owns ? OWNERSHIP : DATA_READ, r->address);
	const unsigned taken = latency(m->hierarchy);

	if (!r->is_float || source == LATENCY_MEMORY)
		return taken;
	return taken - latencies[source] +
	       latencies[source == LATENCY_L2 ? LATENCY_L2_FLOAT : LATENCY_L3_FLOAT];
}

//
// The write coalescing buffer (chapter 4)
//

// Writes the oldest entry to memory: a full line in one transaction, otherwise each aligned group
// of 8 bytes in which any is valid.
static void evict(struct machine *m, const struct occurrence *o)
{
	struct ia64_coalescing *entry = m->hierarchy->coalescing;
	const uint64_t bytes = entry->bytes, line = entry->line;

	memmove(entry, entry + 1, (COALESCING_ENTRIES - 1) * sizeof *entry);
	entry[COALESCING_ENTRIES - 1].bytes = 0;
	if (bytes == UINT64_MAX)
		write_to_bus(m, o, TRANSACTION_BWL, line);
	for (unsigned i = 0; bytes != UINT64_MAX && i < COALESCING_BYTES; i += 8)
		if (bytes >> i & 0xFF)
			write_to_bus(m, o, TRANSACTION_BWP, line + i);
}

static void drain(struct machine *m, const struct occurrence *o)
{
	while (m->hierarchy->coalescing->bytes)
		evict(m, o);
}

void ia64_drain(struct machine *m, const struct occurrence *o)
{
	begin(m, false);
	drain(m, o);
	end(m, o);
}

static bool coalesces(const struct ia64_hierarchy *h, uint64_t line)
{
	bool found = false;

	for (unsigned i = 0; i < COALESCING_ENTRIES; i++)
		found |= h->coalescing[i].bytes && h->coalescing[i].line == line;
	return found;
}

// Writes bytes of one line. A third line evicts the oldest entry; a full line evicts itself, and
// the entries before it.
static void coalesce(struct machine *m, const struct occurrence *o, uint64_t line, uint64_t bytes)
{
	struct ia64_coalescing *entry = m->hierarchy->coalescing;
	unsigned i = 0;

	if (!coalesces(m->hierarchy, line) && entry[COALESCING_ENTRIES - 1].bytes)
		evict(m, o);
	while (entry[i].bytes && entry[i].line != line)
		i++;
	entry[i].line = line;
	entry[i].bytes |= bytes;
	if (entry[i].bytes == UINT64_MAX)
		for (unsigned evictions = 0; evictions <= i; evictions++)
			evict(m, o);
}

static void write_coalescing(struct machine *m, const struct occurrence *o,
			     const struct ia64_reference *r)
{
	const unsigned first = r->address % COALESCING_BYTES;
	const uint64_t line = r->address - first, bytes = (1ULL << r->size) - 1;

	coalesce(m, o, line, bytes << first);
	if (first + r->size > COALESCING_BYTES)
		coalesce(m, o, line + COALESCING_BYTES, bytes >> (COALESCING_BYTES - first));
}

// A reference to uncacheable memory is a bus transaction of its own. A prefetch of it reads
// nothing.
static unsigned pass_by(struct machine *m, const struct occurrence *o,
			const struct ia64_reference *r)
{
	const bool writes = r->kind == REFERENCE_STORE || r->kind == REFERENCE_RSE_STORE;

	if (r->kind == REFERENCE_CHECK_HIT || r->kind == REFERENCE_PREFETCH)
		return 0;
	if (r->coalesces) {
		write_coalescing(m, o, r);
		return 0;
	}
	if (!writes) {
		ia64_transact(m, o, TRANSACTION_BRP, SUB_SELF, r->address);
		read_beyond_l2(m, LATENCY_MEMORY);
	}
	if (writes || r->kind == REFERENCE_SEMAPHORE)
		write_to_bus(m, o, TRANSACTION_BWP, r->address);
	return writes ? 0 : latency(m->hierarchy);
}

static unsigned look_up(struct machine *m, struct occurrence *o, const struct ia64_reference *r)
{
	switch (r->kind) {
	case REFERENCE_STORE:
	case REFERENCE_RSE_STORE:
		cache_use(&m->hierarchy->cache[CACHE_L1D], r->address, false);
		ia64_raise(m, o, EVENT_L2_DATA_REFERENCES, SUB_WRITE);
		see_l2_store(m, o, r->address);
		access_l2(m, o, DATA_WRITE, r->address);
		return 0;
	case REFERENCE_SEMAPHORE:	// a read and a write; L2 does both
		ia64_raise(m, o, EVENT_L2_DATA_REFERENCES, SUB_READ);
		ia64_raise(m, o, EVENT_L2_DATA_REFERENCES, SUB_WRITE);
		ia64_raise(m, o, EVENT_L2_REFERENCES, 0);
		cache_flush(&m->hierarchy->cache[CACHE_L1D], r->address);
		access_l2(m, o, DATA_WRITE, r->address);
		return latency(m->hierarchy);
	case REFERENCE_CHECK_HIT:
		return 0;
	default:
		break;
	}
	if (is_l1d_read(r))
		return read_l1d(m, o, r);
	ia64_raise(m, o, EVENT_L2_DATA_REFERENCES, SUB_READ);
	see_l2_load(m, o, r->address);
	return read_l2(m, o, r);
}

// The page walker itself waits for the queues: its instruction is not issued yet.
unsigned ia64_access(struct machine *m, struct occurrence *o, const struct ia64_reference *r)
{
	unsigned cycles;

	begin(m, false);
	cycles = r->uncacheable ? pass_by(m, o, r) : look_up(m, o, r);
	if (r->kind == REFERENCE_WALK)
		return cycles + end_waiting(m, o);
	end(m, o);
	return cycles;
}

static unsigned fetch(struct machine *m, struct occurrence *o, uint64_t ip)
{
	struct ia64_hierarchy *h = m->hierarchy;
	unsigned cycles;

	ia64_raise(m, o, EVENT_L1I_DEMAND_READS, 0);
	if (cache_use(&h->cache[CACHE_L1I], ip, false))
		return 0;
	access_l2(m, o, INSTRUCTION_READ, ip);
	cycles = latency(h) + end_waiting(m, o);
	o->latency = cycles;
	ia64_raise(m, o, EVENT_L2_INST_DEMAND_READS, 0);
	o->latency = 0;
	ia64_raise(m, o, EVENT_ISB_LINES_IN, 0);
	ia64_raise(m, o, EVENT_L1I_FILLS, 0);
	cache_fill(&h->cache[CACHE_L1I], ip, false);
	return cycles;
}

// The front end looks up one line in a cycle. While it waits for a line, nothing is issued: the
// wait begins after the present cycle.
unsigned ia64_fetch_line(struct machine *m, struct occurrence *o, uint64_t ip)
{
	struct ia64_hierarchy *h = m->hierarchy;
	unsigned cycles;

	if (h->fetched == ia64_line_of(h, ip))
		return 0;
	h->fetched = ia64_line_of(h, ip);
	begin(m, m->cycle.open);
	m->cycle.defers = true;
	cycles = fetch(m, o, ip);
	m->cycle.defers = false;
	return cycles;
}

// A prefetch that misses the instruction TLB is cancelled (7.7), and so is one of memory that is
// not cacheable.
static bool is_prefetchable(struct machine *m, uint64_t address)
{
	const struct ia64_translation *t;

	if (!(m->psr & PSR_IT))
		return address < m->memory_size;
	t = ia64_find_entry(m, &m->itlb, address);
	return t && t->present && !t->attribute &&
	       (t->physical | (address & t->mask)) < m->memory_size;
}

static void prefetch(struct machine *m, const struct occurrence *o, uint64_t block)
{
	struct cache *l1i = &m->hierarchy->cache[CACHE_L1I];
	const unsigned shift = l1i->geometry.line_shift,
		lines = PREFETCH_BYTES >> shift ? PREFETCH_BYTES >> shift : 1;
	uint64_t missing = 0;

	ia64_raise(m, o, EVENT_L1I_PREFETCH_READS, 0);
	for (unsigned i = 0; i < lines; i++)
		missing |= (uint64_t)!cache_use(l1i, block + (i << shift), false) << i;
	if (!missing)
		return;
	access_l2(m, o, INSTRUCTION_READ, block);
	ia64_raise(m, o, EVENT_L2_INST_PREFETCH_READS, 0);
	for (unsigned i = 0; i < lines; i++) {
		if (!(missing >> i & 1))
			continue;
		ia64_raise(m, o, EVENT_ISB_LINES_IN, 0);
		ia64_raise(m, o, EVENT_L1I_FILLS, 0);
		cache_fill(l1i, block + (i << shift), false);
	}
}

void ia64_prefetch_code(struct machine *m, const struct occurrence *o, uint64_t address)
{
	struct occurrence fetched = *o;

	if (!is_prefetchable(m, address))
		return;
	fetched.ip = address;
	begin(m, false);
	m->cycle.defers = true;
	prefetch(m, &fetched, address & ~(uint64_t)(PREFETCH_BYTES - 1));
	m->cycle.defers = false;
	end(m, o);
}

// The first byte of an address's line in L2. It contains several lines of the L1 caches.
static uint64_t line_start(const struct ia64_hierarchy *h, uint64_t address)
{
	return address >> h->cache[CACHE_L2].geometry.line_shift
		<< h->cache[CACHE_L2].geometry.line_shift;
}

static bool holds_part(const struct ia64_hierarchy *h, enum processor_cache level, uint64_t start)
{
	const uint64_t step = 1ULL << h->cache[level].geometry.line_shift,
		bytes = 1ULL << h->cache[CACHE_L2].geometry.line_shift;

	for (uint64_t at = 0; at < bytes; at += step)
		if (cache_find(&h->cache[level], start + at))
			return true;
	return false;
}

static void forget_parts(struct ia64_hierarchy *h, enum processor_cache level, uint64_t start)
{
	const uint64_t step = 1ULL << h->cache[level].geometry.line_shift,
		bytes = 1ULL << h->cache[CACHE_L2].geometry.line_shift;

	for (uint64_t at = 0; at < bytes; at += step)
		cache_flush(&h->cache[level], start + at);
}

bool ia64_holds_line(const struct ia64_hierarchy *h, uint64_t address)
{
	const uint64_t start = line_start(h, address);

	return holds_part(h, CACHE_L1I, start) || holds_part(h, CACHE_L1D, start) ||
	       cache_find(&h->cache[CACHE_L2], address) ||
	       cache_find(&h->cache[CACHE_L3], address);
}

bool ia64_clean_line(struct ia64_hierarchy *h, uint64_t address)
{
	bool modified = false;

	for (unsigned i = CACHE_L2; i <= CACHE_L3; i++) {
		struct cache_line *line = cache_find(&h->cache[i], address);

		modified |= cache_state_of(line) == LINE_MODIFIED;
		if (line)
			line->state = LINE_SHARED;
	}
	return modified;
}

bool ia64_forget_line(struct ia64_hierarchy *h, uint64_t address)
{
	bool dirty;

	cache_flush(&h->cache[CACHE_L1I], address);
	cache_flush(&h->cache[CACHE_L1D], address);
	dirty = cache_flush(&h->cache[CACHE_L2], address).dirty;
	dirty |= cache_flush(&h->cache[CACHE_L3], address).dirty;
	return dirty;
}

bool ia64_invalidate_line(struct ia64_hierarchy *h, uint64_t address)
{
	forget_parts(h, CACHE_L1I, line_start(h, address));
	forget_parts(h, CACHE_L1D, line_start(h, address));
	return ia64_forget_line(h, address);
}

void ia64_flush_line(struct machine *m, struct occurrence *o, uint64_t address)
{
	begin(m, false);
	if (coalesces(m->hierarchy, address - address % COALESCING_BYTES))
		drain(m, o);
	write_to_bus(m, o, TRANSACTION_BIL, address);
	if (ia64_forget_line(m->hierarchy, address))
		write_to_bus(m, o, TRANSACTION_BWL, address);
	end(m, o);
}
