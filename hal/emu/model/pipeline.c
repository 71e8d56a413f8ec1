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
// Fetch precedes issue by so many cycles, at most: the window holds them.
#define AHEAD_MOST	(PIPELINE_WINDOW / 4)
#define ANY_PORT	0x23	// of computations

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

static void set_states(struct pipeline *p, uint64_t cycle, unsigned states)
{
	at(p, cycle)->states[0] |= (uint8_t)states;
	at(p, cycle)->states[1] |= (uint8_t)(states >> 8);
}

static unsigned advance(unsigned index, unsigned entries)
{
	return index + 1 == entries ? 0 : index + 1;
}

//
// Fetch and decode
//

static struct pipeline_front *front_at(struct pipeline *p, uint64_t cycle)
{
	return &p->front[cycle % PIPELINE_WINDOW];
}

static void count_front(struct pipeline *p, uint64_t cycle, enum pipeline_front_event event,
			unsigned n)
{
	if (p->follows_front)
		front_at(p, cycle)->n[event] += (uint8_t)n;
}

// The state holds from a cycle to the one before `until`.
static void hold_front(struct pipeline *p, uint64_t from, uint64_t until,
		       enum pipeline_front_event state)
{
	for (; p->follows_front && from < until; from++)
		front_at(p, from)->n[state] = 1;
}

// Fetch waits until a cycle.
static void delay_fetch(struct pipeline *p, uint64_t until, enum pipeline_front_event reason)
{
	hold_front(p, p->fetched, until, reason);
	p->lengths = until > p->fetched ? 0 : p->lengths;
	p->fetched = later(p->fetched, until);
}

unsigned pipeline_slots(const struct pipeline_instruction *i)
{
	unsigned slots = 0;

	for (unsigned n = 0; n < i->count; n++)
		slots += !i->uop[n].fused;
	return slots;
}

// The instruction enters the instruction queue in cycle p->fetched.
static void fetch(struct pipeline *p, const struct pipeline_run *run)
{
	const uint64_t first = run->address / BLOCK,
		last = (run->address + run->instruction->length - 1) / BLOCK;

	if (p->now > p->fetched + AHEAD_MOST)
		p->fetched = p->now - AHEAD_MOST;
	delay_fetch(p, p->written[p->instructions], FRONT_FULL);
	delay_fetch(p, p->fetched + run->fetch, FRONT_LATE);
	if (p->block == UINT64_MAX)
		p->block = first;
	if (last != p->block || p->lengths == p->processor->width[WIDTH_LENGTHS]) {
		p->fetched += last != p->block ? last - p->block : 1;
		p->lengths = 0;
	}
	p->block = last;
	if (run->instruction->lcp && p->slow_block != last) {
		delay_fetch(p, p->fetched + p->processor->latency[LATENCY_LCP], FRONT_LCP);
		p->slow_block = last;
	}
	p->lengths++;
	count_front(p, p->fetched, FRONT_WRITTEN, 1);
	hold_front(p, p->fetched, p->fetched + 1, FRONT_WRITES);
}

// The microcode sequencer delivers `slots` micro-ops from cycle p->decoded on.
static void sequence(struct pipeline *p, unsigned slots)
{
	for (; slots > DECODERS; slots -= DECODERS)
		count_front(p, p->decoded++, FRONT_MICROCODED, DECODERS);
	count_front(p, p->decoded, FRONT_MICROCODED, slots);
	p->decoders = 0;
}

static void count_decoded(struct pipeline *p, const struct pipeline_instruction *i, unsigned slots)
{
	count_front(p, p->decoded, FRONT_DECODED, 1);
	count_front(p, p->decoded, FRONT_FIRST, slots > 1);
	count_front(p, p->decoded, FRONT_TWO, slots == 2);
	count_front(p, p->decoded, FRONT_FOLDED, i->folds);
}

// Returns the cycle in which the instruction's micro-ops enter their queue. The instruction of a
// further iteration has already been decoded.
static uint64_t decode(struct pipeline *p, const struct pipeline_run *run, unsigned slots)
{
	const struct pipeline_instruction *i = run->instruction;
	uint64_t from;

	if (p->repeating)
		p->fetched = later(p->fetched, p->decoded);
	else
		fetch(p, run);
	from = later(p->fetched, p->left[p->uops]);
	if (i->fuses) {		// with the compare, in its decoder
		count_front(p, p->decoded, FRONT_PAIRED, 1);
		return p->decoded;
	}
	if (p->decoded < from) {
		p->decoded = from;
		p->decoders = DECODERS;
	}
	if (!p->decoders || (slots > 1 && p->decoders < DECODERS)) {
		p->decoded++;
		p->decoders = DECODERS;
	}
	if (!p->repeating)
		count_decoded(p, i, slots);
	if (slots > DECODERS || i->repeats) {
		sequence(p, slots);
	} else {
		count_front(p, p->decoded, FRONT_UOPS, slots);
		p->decoders--;
	}
	p->written[p->instructions] = p->decoded;
	p->instructions = advance(p->instructions, p->processor->queue[QUEUE_INSTRUCTIONS]);
	return p->decoded;
}

// The next fetch begins at a branch's target, in cycle `from` or later.
static void redirect(struct pipeline *p, uint64_t from)
{
	p->fetched = later(p->fetched, from);
	p->block = p->slow_block = UINT64_MAX;
	p->lengths = p->decoders = 0;
}

// The LSD repeats a loop whose micro-ops fit into their queue, from its third iteration on. It ends
// with any other taken branch, or when the loop's branch is not taken; then fetch begins again.
static void follow_branch(struct pipeline *p, const struct pipeline_run *run)
{
	const bool taken = run->next != run->address + run->instruction->length;
	const bool repeats = p->loop_from == run->address && p->loop_to == run->next;
	const bool looped = p->loops, fits = p->loop_uops <= p->processor->queue[QUEUE_UOPS];
	const unsigned *latency = p->processor->latency;

	if (taken) {
		p->loops = repeats && fits;
		count_front(p, p->decoded, FRONT_REPLAYS, p->loops && !looped);
		count_front(p, p->decoded, FRONT_LONG,
			    repeats && !fits && !p->too_long && !looped);
		p->too_long = repeats && !fits;
		p->loop_from = run->next <= run->address ? run->address : 0;
		p->loop_to = run->next;
		p->loop_uops = 0;
	} else if (p->loop_from == run->address) {
		p->loops = p->too_long = false;
	}
	if (looped && !p->loops)
		redirect(p, p->now + 1);
	else if (taken && !p->loops)
		redirect(p, p->fetched + 1 +
			 latency[run->redirected ? LATENCY_REDIRECTED : LATENCY_TAKEN]);
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
static void stall(struct pipeline *p, uint64_t until, uint16_t reason)
{
	if (until <= p->now)
		return;
	for (uint64_t cycle = later(p->now + (p->slots < p->processor->width[WIDTH_ISSUE]), 1);
	     reason && cycle < until; cycle++)
		set_states(p, cycle, reason);
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
		set_states(p, busy, PIPELINE_DIVIDES);
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
		at(p, cycle)->blocked += s->ready > cycle || !contains(s, r);
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

// Returns the cycles that a result takes from one unit to another.
static unsigned bypass(const struct pipeline *p, unsigned from, unsigned to)
{
	const unsigned *latency = p->processor->latency;

	if (from == to || from == PIPELINE_ANY || to == PIPELINE_ANY)
		return 0;
	return latency[from == PIPELINE_FLOAT ? LATENCY_FROM_FLOAT :
		       to == PIPELINE_FLOAT ? LATENCY_TO_FLOAT : LATENCY_BYPASS];
}

// Returns the first cycle from `from` on in which all these registers are ready for a unit.
static uint64_t all_ready(const struct pipeline *p, uint64_t reads, unsigned unit, uint64_t from)
{
	for (uint64_t rest = reads; rest; rest &= rest - 1) {
		const unsigned n = (unsigned)__builtin_ctzll(rest);

		from = later(from, p->ready[n] + bypass(p, p->unit[n], unit));
	}
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
		from = all_ready(p, uop->reads, uop->unit, from);
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
	for (uint64_t rest = uop->writes; rest; rest &= rest - 1) {
		p->ready[__builtin_ctzll(rest)] = ready;
		p->unit[__builtin_ctzll(rest)] = (uint8_t)uop->unit;
	}
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

//
// Micro-ops that the pipeline inserts
//

// Inserts a micro-op that rewrites these registers, before those of the instruction.
static void insert(struct pipeline *p, const struct pipeline_run *run, uint64_t registers)
{
	const struct pipeline_uop uop = {.ports = ANY_PORT, .latency = 1, .reads = registers,
					 .writes = registers};
	unsigned none = 0;

	add_slot(p, run, &uop, 1, &none, &none);
	p->inserted++;
}

// The stack engine keeps the stack pointer's distance from its register.
static void follow_stack(struct pipeline *p, const struct pipeline_run *run)
{
	const struct pipeline_instruction *i = run->instruction;

	if (p->stack_moved && i->stack) {
		if (!p->loops)
			count_front(p, p->decoded, FRONT_SYNCED, 1);
		insert(p, run, i->stack);
	}
	p->stack_moved = i->folds || (p->stack_moved && !(i->stack | i->stack_set));
}

// Parts of registers are renamed. To read more than the written part, a micro-op joins them, unless
// the rest is known to be 0.
static void follow_parts(struct pipeline *p, const struct pipeline_run *run)
{
	const struct pipeline_instruction *i = run->instruction;
	const uint64_t joins = (p->part_8 & (i->read_16 | i->read_32)) | (p->part_16 & i->read_32);

	if (joins) {
		stall(p, p->now + p->processor->latency[LATENCY_PARTIAL], PIPELINE_PARTIAL);
		insert(p, run, joins);
	}
	p->part_8 &= ~(joins | i->whole);
	p->part_16 &= ~(joins | i->whole);
	p->zero = (p->zero & ~i->whole) | i->zero;
	p->part_8 |= i->part_8 & ~p->zero;
	p->part_16 |= i->part_16 & ~p->zero;
}

// Flags that the last writer of flags, still in the reorder buffer, has not written.
static void follow_flags(struct pipeline *p, const struct pipeline_run *run)
{
	if (run->instruction->flags_read & ~p->flags && p->flags_retire >= p->now) {
		stall(p, p->now + p->processor->latency[LATENCY_PARTIAL_FLAGS],
		      PIPELINE_PARTIAL_FLAGS);
		p->flags = PIPELINE_FLAGS;
	}
}

//
// Instructions
//

// Returns to the fetch of the right instruction in `from`, or later.
static void flush(struct pipeline *p, uint64_t from)
{
	p->loops = false;
	p->loop_from = 0;
	redirect(p, from);
}

// A machine clear: after the instruction has retired, fetch begins again. Nothing issues for as
// long as after a misprediction.
static void clear(struct pipeline *p)
{
	const uint64_t until = p->retired + p->processor->latency[LATENCY_MISPREDICTED];

	for (uint64_t cycle = p->retired; cycle < until; cycle++)
		set_states(p, cycle, PIPELINE_CLEARS);
	flush(p, until);
}

// Begins the instruction's first cycle of issue.
static void begin(struct pipeline *p, const struct pipeline_run *run, unsigned slots)
{
	const struct pipeline_instruction *i = run->instruction;

	if (run->address != p->next && p->next) {	// an interruption
		p->loops = false;
		redirect(p, p->now + 1);
	}
	p->next = run->next;
	p->inserted = 0;
	if (p->loops && run->address == p->loop_to)
		begin_cycle(p, p->now + 1 + p->processor->latency[LATENCY_LOOP]);
	if (!p->loops)
		begin_cycle(p, decode(p, run, slots));
	p->repeating = i->repeats && run->next == run->address;
	stall(p, p->barrier, p->delays);
	if (i->serializes)
		stall(p, p->retired + 1, PIPELINE_SERIALIZED);
	p->delays = i->delays;
	pipeline_wait(p, p->now + i->every);
}

uint64_t pipeline_add(struct pipeline *p, const struct pipeline_run *run)
{
	const struct pipeline_instruction *i = run->instruction;
	const unsigned slots = pipeline_slots(i);
	unsigned loads = 0, stores = 0, group;
	uint64_t complete = p->complete;

	begin(p, run, slots);
	follow_stack(p, run);
	follow_parts(p, run);
	follow_flags(p, run);
	for (unsigned n = 0; n < i->count; n += group) {
		for (group = 1; n + group < i->count && i->uop[n + group].fused; group++)
			;
		complete = add_slot(p, run, &i->uop[n], group, &loads, &stores);
	}
	if (p->loops)
		set_states(p, p->now, PIPELINE_LOOP);
	p->loop_uops += slots + p->inserted;
	at(p, p->retired)->instructions += !p->repeating;
	if (i->flags_written) {
		p->flags = i->flags_written;
		p->flags_retire = p->retired;
	}
	if (i->serializes)
		pipeline_wait(p, p->retired + 1);
	p->complete = complete;
	if (i->branch)
		follow_branch(p, run);
	if (run->mispredicted)
		flush(p, complete + p->processor->latency[LATENCY_MISPREDICTED] - RESOLVED);
	if (run->clears)
		clear(p);
	return p->retired;
}

void pipeline_drain(struct pipeline *p, uint64_t until)
{
	while (p->waiting)
		count_leaving(p);
	pipeline_wait(p, later(until, p->retired + 1));
	begin_cycle(p, p->barrier);
	p->fetched = later(p->fetched, p->now);
}

uint64_t pipeline_executes_load(const struct pipeline *p, const struct pipeline_instruction *i)
{
	const uint64_t cycle = later(p->now, p->barrier);

	for (unsigned n = 0; n < i->count; n++)
		if (i->uop[n].kind == PIPELINE_LOADS)
			return all_ready(p, i->uop[n].reads, PIPELINE_ANY, cycle);
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
	pipeline_follow_front(p, p->follows_front);
}

const struct pipeline_cycle *pipeline_take(struct pipeline *p)
{
	if (p->taken)
		*at(p, p->taken) = (struct pipeline_cycle){.issued = 0};
	if (p->taken + 1 >= p->now)
		return NULL;
	return at(p, ++p->taken);
}

void pipeline_follow_front(struct pipeline *p, bool follow)
{
	*front_at(p, p->front_taken) = (struct pipeline_front){{0}};
	p->follows_front = follow;
	p->front_taken = later(p->front_taken, p->now - 1);
}

const struct pipeline_front *pipeline_take_front(struct pipeline *p)
{
	const uint64_t until = p->loops || p->now < p->fetched ? p->now : p->fetched;

	if (!p->follows_front)
		return NULL;
	*front_at(p, p->front_taken) = (struct pipeline_front){{0}};
	return p->front_taken + 1 < until ? front_at(p, ++p->front_taken) : NULL;
}
