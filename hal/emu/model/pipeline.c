// SPDX-License-Identifier: BSD-2-Clause
// The cycles of an out-of-order core: pipeline.h. DECISIONS.md has the rules and their sources.

#include "pipeline.h"

#include <string.h>

#define BLOCK		16	// bytes fetched per cycle
#define DECODERS	4	// the first decodes up to so many micro-ops, the others one
#define PAGE		4096	// bytes
#define READS_MOST	3	// retired registers read per cycle
// A branch completes two cycles after its issue at the earliest. Correctly predicted, the next
// instruction issues one cycle after it; mispredicted, the penalty later. So the penalty, counted
// from completion, is one cycle shorter.
#define RESOLVED	1
// Cycles from issue to result, at most: a window holds the stalls of one instruction.
#define WAIT_MOST	(PIPELINE_WINDOW / 8)

void pipeline_begin(struct pipeline *p, const struct processor *processor)
{
	memset(p, 0, sizeof *p);
	p->processor = processor;
	p->block = p->slow_block = UINT64_MAX;
	p->fetched = p->decoded = p->now = p->counted = 1;
	p->decoders = DECODERS;
	p->slots = processor->width[WIDTH_ISSUE];
}

static uint64_t later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static struct pipeline_cycle *at(struct pipeline *p, uint64_t cycle)
{
	return &p->cycle[cycle % PIPELINE_WINDOW];
}

static unsigned advance(unsigned index, unsigned entries)
{
	return index + 1 == entries ? 0 : index + 1;
}

//
// Fetch and decode
//

unsigned pipeline_slots(const struct pipeline_instruction *i)
{
	unsigned slots = 0;

	for (unsigned n = 0; n < i->count; n++)
		slots += !i->uop[n].fused;
	return slots;
}

// The instruction's bytes are in the instruction queue from the returned cycle on.
static uint64_t fetch(struct pipeline *p, const struct pipeline_run *run)
{
	const uint64_t first = run->address / BLOCK,
		last = (run->address + run->instruction->length - 1) / BLOCK;

	p->fetched = later(p->fetched, p->written[p->instructions]) + run->fetch;
	if (p->block == UINT64_MAX)
		p->block = first;
	p->fetched += last - p->block;
	p->block = last;
	if (run->instruction->lcp && p->slow_block != last) {
		p->fetched += p->processor->latency[LATENCY_LCP];
		p->slow_block = last;
	}
	return p->fetched;
}

// Returns the cycle in which the instruction's micro-ops enter their queue.
static uint64_t decode(struct pipeline *p, const struct pipeline_run *run, unsigned slots)
{
	const bool microcoded = slots > DECODERS;
	const uint64_t from = later(fetch(p, run), p->left[p->uops]);

	if (run->instruction->fuses)	// with the compare, in its decoder
		return p->decoded;
	if (p->decoded < from) {
		p->decoded = from;
		p->decoders = DECODERS;
	}
	if (!p->decoders || (slots > 1 && p->decoders < DECODERS)) {
		p->decoded++;
		p->decoders = DECODERS;
	}
	if (microcoded)
		p->decoded += (slots - 1) / DECODERS;
	p->decoders = microcoded ? 0 : p->decoders - 1;
	p->written[p->instructions] = p->decoded;
	p->instructions = advance(p->instructions, p->processor->queue[QUEUE_INSTRUCTIONS]);
	return p->decoded;
}

// The next fetch begins at a branch's target, in cycle `from` or later.
static void redirect(struct pipeline *p, uint64_t from)
{
	p->fetched = later(p->fetched, from);
	p->block = UINT64_MAX;
	p->decoders = 0;
}

// The LSD repeats a loop whose micro-ops fit into their queue, from its third iteration on. It ends
// with any other taken branch, or when the loop's branch is not taken; then fetch begins again.
static void follow_branch(struct pipeline *p, const struct pipeline_run *run)
{
	const bool taken = run->next != run->address + run->instruction->length;
	const bool repeats = p->loop_from == run->address && p->loop_to == run->next;
	const bool looped = p->loops;

	if (taken) {
		p->loops = repeats && p->loop_uops <= p->processor->queue[QUEUE_UOPS];
		p->loop_from = run->next <= run->address ? run->address : 0;
		p->loop_to = run->next;
		p->loop_uops = 0;
	} else if (p->loop_from == run->address) {
		p->loops = false;
	}
	if (looped && !p->loops)
		redirect(p, p->now + 1);
	else if (taken && !p->loops)
		redirect(p, p->fetched + 1 + p->processor->latency[LATENCY_TAKEN]);
}

//
// Issue
//

static void begin_cycle(struct pipeline *p, uint64_t cycle)
{
	if (cycle <= p->now)
		return;
	p->now = cycle;
	p->slots = p->processor->width[WIDTH_ISSUE];
	p->read = 0;
}

// Nothing issues before `until`, for this reason.
static void stall(struct pipeline *p, uint64_t until, uint8_t reason)
{
	if (until <= p->now)
		return;
	for (uint64_t cycle = later(p->now + (p->slots < p->processor->width[WIDTH_ISSUE]), 1);
	     cycle < until; cycle++)
		at(p, cycle)->states |= reason;
	begin_cycle(p, until);
}

// Micro-ops leave the scheduler in the next cycle.
static void count_leaving(struct pipeline *p)
{
	p->counted++;
	p->waiting -= p->leaving[p->counted % PIPELINE_WINDOW];
	p->leaving[p->counted % PIPELINE_WINDOW] = 0;
}

// Waits for free entries of the scheduler for `count` micro-ops.
static void wait_for_scheduler(struct pipeline *p, unsigned count)
{
	const unsigned entries = p->processor->queue[QUEUE_SCHEDULER];

	for (;;) {
		while (p->waiting && p->counted < p->now)
			count_leaving(p);
		p->counted = p->now;
		if (p->waiting + count <= entries)
			break;
		stall(p, p->now + 1, PIPELINE_RS_FULL);
	}
	p->waiting += count;
}

// Registers whose last writer has retired are read from the register file.
static uint64_t retired_reads(const struct pipeline *p, uint64_t reads)
{
	uint64_t retired = 0;

	for (uint64_t rest = reads; rest; rest &= rest - 1) {
		const unsigned n = (unsigned)__builtin_ctzll(rest);

		if (p->retired_at[n] < p->now)
			retired |= 1ULL << n;
	}
	return retired;
}

// Issues `count` micro-ops that share a slot.
static void issue(struct pipeline *p, const struct pipeline_uop *uop, unsigned count)
{
	const unsigned *queue = p->processor->queue;
	uint64_t reads = 0;
	unsigned scheduled = 0;

	if (!p->slots)
		begin_cycle(p, p->now + 1);
	stall(p, p->rob[p->rob_next], PIPELINE_ROB_FULL);
	for (unsigned n = 0; n < count; n++) {
		if (uop[n].kind == PIPELINE_LOADS)
			stall(p, p->loads[p->load_next], PIPELINE_LOADS_FULL);
		else if (uop[n].kind == PIPELINE_STORE_DATA)
			stall(p, p->stores[p->store_next].written, PIPELINE_STORES_FULL);
		reads |= uop[n].reads;
		scheduled += uop[n].ports != 0;
	}
	wait_for_scheduler(p, scheduled);
	reads = retired_reads(p, reads);
	if (p->read && __builtin_popcountll(p->read | reads) > READS_MOST)
		stall(p, p->now + 1, PIPELINE_REGISTER_READ);
	p->read |= reads;
	p->slots--;
	at(p, p->now)->issued++;
	at(p, p->now)->pairs += count > 1;
	p->left[p->uops] = p->now;
	p->uops = advance(p->uops, queue[QUEUE_UOPS]);
}

//
// Execution
//

// Returns the first cycle from `from` on in which one of the ports is free, and takes it. Of
// several free ports it takes the one with the fewest micro-ops so far.
static uint64_t dispatch(struct pipeline *p, unsigned ports, uint64_t from)
{
	uint64_t cycle = from;
	unsigned best = PIPELINE_PORTS;

	while (!(ports & ~at(p, cycle)->executed))
		cycle++;
	for (unsigned rest = ports & ~at(p, cycle)->executed; rest; rest &= rest - 1) {
		const unsigned port = (unsigned)__builtin_ctz(rest);

		if (best == PIPELINE_PORTS || p->dispatched[port] < p->dispatched[best])
			best = port;
	}
	p->dispatched[best]++;
	at(p, cycle)->executed |= (uint8_t)(1u << best);
	return cycle;
}

static uint64_t divide(struct pipeline *p, const struct pipeline_uop *uop, uint64_t from)
{
	const uint64_t cycle = dispatch(p, uop->ports, later(from, p->divided));

	p->divided = cycle + uop->busy;
	for (uint64_t busy = cycle; busy < p->divided; busy++)
		at(p, busy)->states |= PIPELINE_DIVIDES;
	return cycle;
}

// Returns whether a load and an earlier store overlap, in the bits of the addresses that `mask`
// selects.
static bool overlaps(const struct pipeline_store *s, const struct pipeline_reference *r,
		     uint64_t mask)
{
	return ((s->address - r->address) & mask) < r->size ||
	       ((r->address - s->address) & mask) < s->size;
}

static bool contains(const struct pipeline_store *s, const struct pipeline_reference *r)
{
	return s->address <= r->address && r->address + r->size <= s->address + s->size;
}

// Returns the cycle in which a load, executed in `cycle`, has its data. The youngest store to these
// bytes that is not in the cache yet provides the data. The processor finds it by the low bits of
// the address: a load of another page also waits for the store's data.
static uint64_t load(struct pipeline *p, const struct pipeline_reference *r, uint64_t cycle)
{
	const unsigned entries = p->processor->queue[QUEUE_STORES];
	const unsigned *latency = p->processor->latency;
	unsigned next = p->store_next;

	for (unsigned n = 0; n < entries; n++) {
		const struct pipeline_store *s;

		next = (next ? next : entries) - 1;
		s = &p->stores[next];
		if (s->written <= cycle)	// and so are all older ones
			break;
		if (!overlaps(s, r, PAGE - 1))
			continue;
		if (contains(s, r))
			return later(cycle, s->ready) + latency[LATENCY_FORWARD];
		if (overlaps(s, r, UINT64_MAX))
			return later(cycle, s->ready) + latency[LATENCY_FORWARD_FAILED];
		at(p, cycle)->aliases++;
		return later(cycle, s->ready) + r->latency;
	}
	return cycle + r->latency;
}

static const struct pipeline_reference *reference(const struct pipeline_reference *references,
						  unsigned count, unsigned number)
{
	static const struct pipeline_reference none = {.size = 0};

	return count ? &references[number < count ? number : count - 1] : &none;
}

// Returns the first cycle from `from` on in which all these registers are ready.
static uint64_t all_ready(const struct pipeline *p, uint64_t reads, uint64_t from)
{
	for (uint64_t rest = reads; rest; rest &= rest - 1)
		from = later(from, p->ready[__builtin_ctzll(rest)]);
	return from;
}

// Executes a micro-op that has issued. Returns the cycle in which its result is ready.
static uint64_t execute(struct pipeline *p, const struct pipeline_run *run,
			const struct pipeline_uop *uop, unsigned number)
{
	uint64_t from = p->now + 1, ready;

	if (!uop->ports) {
		ready = from;
	} else {
		from = all_ready(p, uop->reads, from);
		if (uop->kind == PIPELINE_LOADS && run->instruction->locks)
			from = later(from, p->stored);
		from = uop->busy ? divide(p, uop, from) : dispatch(p, uop->ports, from);
		p->leaving[from % PIPELINE_WINDOW]++;
		ready = from + uop->latency;
		if (uop->kind == PIPELINE_LOADS)
			ready = load(p, reference(run->load, run->loads, number), from) +
				uop->latency;
		if (ready > p->now + WAIT_MOST)
			ready = p->now + WAIT_MOST;
	}
	for (uint64_t rest = uop->writes; rest; rest &= rest - 1)
		p->ready[__builtin_ctzll(rest)] = ready;
	return ready;
}

//
// Retirement
//

// Retires a slot whose last micro-op completes in `ready`.
static uint64_t retire(struct pipeline *p, uint64_t ready)
{
	const uint64_t cycle = later(ready, p->retired + !p->retiring);

	if (cycle > p->retired) {
		p->retired = cycle;
		p->retiring = p->processor->width[WIDTH_RETIRE];
	}
	p->retiring--;
	p->rob[p->rob_next] = cycle + 1;
	p->rob_next = advance(p->rob_next, p->processor->queue[QUEUE_REORDER]);
	at(p, cycle)->retired++;
	return cycle;
}

// The cache accepts a store per cycle, in order, after it has retired.
static void write(struct pipeline *p, const struct pipeline_reference *r, uint64_t ready)
{
	const unsigned latency = r->latency < WAIT_MOST ? r->latency : WAIT_MOST;

	p->stored = later(p->stored, p->retired + latency) + 1;
	p->stores[p->store_next] =
		(struct pipeline_store){r->address, ready, p->stored, r->size};
	p->store_next = advance(p->store_next, p->processor->queue[QUEUE_STORES]);
}

// Issues, executes and retires the micro-ops of a slot. Returns the cycle in which the last one is
// complete.
static uint64_t add_slot(struct pipeline *p, const struct pipeline_run *run,
			 const struct pipeline_uop *uop, unsigned count, unsigned *loads,
			 unsigned *stores)
{
	uint64_t complete = 0, ready = 0;

	issue(p, uop, count);
	for (unsigned n = 0; n < count; n++) {
		ready = execute(p, run, &uop[n], *loads);
		complete = later(complete, ready);
		*loads += uop[n].kind == PIPELINE_LOADS;
	}
	retire(p, complete);
	for (unsigned n = 0; n < count; n++) {
		for (uint64_t rest = uop[n].writes; rest; rest &= rest - 1)
			p->retired_at[__builtin_ctzll(rest)] = p->retired;
		if (uop[n].kind == PIPELINE_LOADS) {
			p->loads[p->load_next] = p->retired + 1;
			p->load_next =
				advance(p->load_next, p->processor->queue[QUEUE_LOADS]);
		} else if (uop[n].kind == PIPELINE_STORE_DATA) {
			write(p, reference(run->store, run->stores, (*stores)++), ready);
		}
	}
	return complete;
}

uint64_t pipeline_add(struct pipeline *p, const struct pipeline_run *run)
{
	const struct pipeline_instruction *i = run->instruction;
	const unsigned slots = pipeline_slots(i);
	unsigned loads = 0, stores = 0, group;
	uint64_t complete = p->complete;

	if (run->address != p->next && p->next) {	// an interruption
		p->loops = false;
		redirect(p, p->now + 1);
	}
	p->next = run->next;
	if (p->loops && run->address == p->loop_to)
		begin_cycle(p, p->now + 1 + p->processor->latency[LATENCY_LOOP]);
	if (!p->loops)
		begin_cycle(p, decode(p, run, slots));
	begin_cycle(p, p->barrier);
	if (i->serializes)
		stall(p, p->retired + 1, PIPELINE_SERIALIZED);
	pipeline_wait(p, p->now + i->every);
	for (unsigned n = 0; n < i->count; n += group) {
		for (group = 1; n + group < i->count && i->uop[n + group].fused; group++)
			;
		complete = add_slot(p, run, &i->uop[n], group, &loads, &stores);
	}
	if (p->loops)
		at(p, p->now)->states |= PIPELINE_LOOP;
	p->loop_uops += slots;
	at(p, p->retired)->instructions++;
	if (i->serializes)
		pipeline_wait(p, p->retired + 1);
	p->complete = complete;
	if (i->branch)
		follow_branch(p, run);
	if (run->mispredicted) {
		p->loops = false;
		p->loop_from = 0;
		redirect(p, complete + p->processor->latency[LATENCY_MISPREDICTED] - RESOLVED);
	}
	return p->retired;
}

void pipeline_drain(struct pipeline *p, uint64_t until)
{
	while (p->waiting)
		count_leaving(p);
	pipeline_wait(p, later(until, p->retired + 1));
	begin_cycle(p, p->barrier);
}

uint64_t pipeline_executes_load(const struct pipeline *p, const struct pipeline_instruction *i)
{
	const uint64_t cycle = later(p->now, p->barrier);

	for (unsigned n = 0; n < i->count; n++)
		if (i->uop[n].kind == PIPELINE_LOADS)
			return all_ready(p, i->uop[n].reads, cycle);
	return cycle;
}

void pipeline_wait(struct pipeline *p, uint64_t until)
{
	p->barrier = later(p->barrier, until);
}

void pipeline_skip(struct pipeline *p, uint64_t from)
{
	pipeline_drain(p, from);
	*at(p, p->taken) = (struct pipeline_cycle){.issued = 0};
	p->taken = later(p->taken, from - 1);
}

const struct pipeline_cycle *pipeline_take(struct pipeline *p)
{
	if (p->taken)
		*at(p, p->taken) = (struct pipeline_cycle){.issued = 0};
	if (p->taken + 1 >= p->now)
		return NULL;
	return at(p, ++p->taken);
}
