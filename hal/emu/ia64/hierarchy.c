// SPDX-License-Identifier: BSD-2-Clause
// Caches and bus (7.6). The L1 data cache is write-through, and serves integer loads and the
// register stack engine. L2 and L3 are write-back, and allocate lines on writes. L2 keeps a line
// that L3 evicts.

#include "hierarchy.h"

#include <stdlib.h>

#include "entries.h"
#include "machine.h"
#include "raise.h"

// Kinds of requests to L3, and their unit-mask bits in L3_READS and L3_WRITES.
enum l3_request { INSTRUCTION_READ, DATA_READ, DATA_WRITE, WRITEBACK };
static const struct {
	enum ia64_event event;
	uint8_t sub;
} l3_events[] = {
	[INSTRUCTION_READ] = {EVENT_L3_READS, 4}, [DATA_READ] = {EVENT_L3_READS, 8},
	[DATA_WRITE] = {EVENT_L3_WRITES, 4}, [WRITEBACK] = {EVENT_L3_WRITES, 8},
};

struct ia64_hierarchy *ia64_make_hierarchy(const struct processor *processor)
{
	struct ia64_hierarchy *h;
	size_t lines = 0;

	for (unsigned i = 0; i < CACHES; i++)
		lines += cache_lines(&processor->cache[i]);
	h = calloc(1, sizeof *h + lines * sizeof *h->lines);
	if (h)
		ia64_begin_queues(&h->queues, processor);
	lines = 0;
	for (unsigned i = 0; h && i < CACHES; i++) {
		cache_begin(&h->cache[i], &processor->cache[i], h->lines + lines);
		lines += cache_lines(&processor->cache[i]);
	}
	return h;
}

// Bus transactions by their names in table 7-23.
enum transaction { BRL_CODE, BRL_DATA, BRIL, BWL, BIL, BRP, BWP };

static void transact(struct machine *m, const struct occurrence *o, enum transaction t)
{
	static const enum ia64_event of[][5] = {
		[BRL_CODE] = {EVENT_BUS_BURST, EVENT_BUS_RD_ALL, EVENT_BUS_BRQ_READ_REQ_INSERTED},
		[BRL_DATA] = {EVENT_BUS_BURST, EVENT_BUS_RD_ALL, EVENT_BUS_BRQ_READ_REQ_INSERTED,
			      EVENT_BUS_RD_DATA},
		[BRIL] = {EVENT_BUS_BURST, EVENT_BUS_RD_INVAL_BST, EVENT_BUS_BRQ_READ_REQ_INSERTED},
		[BWL] = {EVENT_BUS_BURST, EVENT_BUS_WR_WB},
		[BIL] = {EVENT_BUS_RD_INVAL},
		[BRP] = {EVENT_BUS_PARTIAL, EVENT_BUS_RD_PRTL},
		[BWP] = {EVENT_BUS_PARTIAL},
	};

	ia64_raise(m, o, EVENT_BUS_ALL, SUB_SELF);
	ia64_raise(m, o, EVENT_BUS_MEMORY, SUB_SELF);
	for (unsigned i = 0; i < 5 && of[t][i]; i++)
		ia64_raise(m, o, of[t][i], of[t][i] == EVENT_BUS_BRQ_READ_REQ_INSERTED ? 0 :
			   SUB_SELF);
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
static void write_to_bus(struct machine *m, const struct occurrence *o, enum transaction t)
{
	transact(m, o, t);
	if (m->timed)
		ia64_queue_write(&m->hierarchy->queues, &m->hierarchy->now);
}

//
// L2, L3
//

// The functions of L2 and L3 return the place of the data.
static enum processor_latency access_l3(struct machine *m, const struct occurrence *o,
					enum l3_request request, uint64_t address)
{
	static const enum transaction transactions[] = {BRL_CODE, BRL_DATA, BRIL};
	struct cache *l3 = &m->hierarchy->cache[CACHE_L3];
	const bool hit = cache_use(l3, address, request == WRITEBACK);
	const enum processor_latency source = hit ? LATENCY_L3 : LATENCY_MEMORY;
	struct cache_victim victim;

	ia64_raise(m, o, EVENT_L3_REFERENCES, 0);
	ia64_raise(m, o, l3_events[request].event,
		   l3_events[request].sub | (hit ? SUB_HIT : SUB_MISS));
	if (request != WRITEBACK)
		read_beyond_l2(m, source);
	if (hit)
		return source;
	ia64_raise(m, o, EVENT_L3_MISSES, 0);
	if (request != WRITEBACK)
		transact(m, o, transactions[request]);
	victim = cache_fill(l3, address, request == WRITEBACK);
	if (victim.valid)
		ia64_raise(m, o, EVENT_L3_LINES_REPLACED, 0);
	if (victim.dirty)
		write_to_bus(m, o, BWL);
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
	access_l2(m, o, DATA_READ, r->address);
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
	const enum processor_latency source = access_l2(m, o, DATA_READ, r->address);
	const unsigned taken = latency(m->hierarchy);

	if (!r->is_float || source == LATENCY_MEMORY)
		return taken;
	return taken - latencies[source] +
	       latencies[source == LATENCY_L2 ? LATENCY_L2_FLOAT : LATENCY_L3_FLOAT];
}

// A reference to uncacheable memory is a bus transaction of its own. A prefetch of it reads
// nothing.
static unsigned pass_by(struct machine *m, const struct occurrence *o,
			const struct ia64_reference *r)
{
	const bool writes = r->kind == REFERENCE_STORE || r->kind == REFERENCE_RSE_STORE;

	if (r->kind == REFERENCE_CHECK_HIT || r->kind == REFERENCE_PREFETCH)
		return 0;
	if (!writes) {
		transact(m, o, BRP);
		read_beyond_l2(m, LATENCY_MEMORY);
	}
	if (writes || r->kind == REFERENCE_SEMAPHORE)
		write_to_bus(m, o, BWP);
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

bool ia64_forget_line(struct ia64_hierarchy *h, uint64_t address)
{
	bool dirty;

	cache_flush(&h->cache[CACHE_L1I], address);
	cache_flush(&h->cache[CACHE_L1D], address);
	dirty = cache_flush(&h->cache[CACHE_L2], address).dirty;
	dirty |= cache_flush(&h->cache[CACHE_L3], address).dirty;
	return dirty;
}

void ia64_flush_line(struct machine *m, struct occurrence *o, uint64_t address)
{
	begin(m, false);
	write_to_bus(m, o, BIL);
	if (ia64_forget_line(m->hierarchy, address))
		write_to_bus(m, o, BWL);
	end(m, o);
}
