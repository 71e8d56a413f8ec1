// SPDX-License-Identifier: BSD-2-Clause
// The Core i7 / Xeon 5500 uncore PMU as the hardware behaves: eight general counters and one for the uncore's clock, of
// 48 bits, and the queues whose occupancy they count. Registers and fields are in regs.h; what happens in a cycle comes
// in on the event signals. The guide: Performance Analysis Guide, "Uncore Performance Events".

#include <string.h>

#include "model.h"
#include "model_tables.h"
#include "regs.h"

#define GENERAL		UNCORE_GENERAL_COUNTERS
#define COUNTERS	(GENERAL + 1)
#define FIXED		GENERAL		/* the fixed counter's index here */
#define ALL_COUNTERS	(UNCORE_GENERAL_MASK | UNCORE_FIXED_MASK)

// Defects that can be switched on. The names are what a person writes: fault=freeze-missing.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* global control resets with all counters enabled */ \
	F(SELECT_STUCK, "select-stuck")			/* a unit-mask bit of select 1 never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of counter 2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 40 bits */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* writes of reserved bits and the like do not fault */ \
	F(EN_IGNORED, "en-ignored")			/* EN clear: counts all the same */ \
	F(GLOBAL_IGNORED, "global-ignored")		/* the fixed counter ignores global control */ \
	F(FIXED_MISSING, "fixed-missing")		/* the fixed counter stands still */ \
	F(INV_IGNORED, "inv-ignored")			/* CMASK is never inverted */ \
	F(EDGE_IGNORED, "edge-ignored")			/* every asserted cycle counts */ \
	F(EDGE_LOST, "edge-lost")			/* with E nothing counts */ \
	F(STATUS_LOST, "status-lost")			/* an overflow leaves no status */ \
	F(PMI_MISSING, "pmi-missing")			/* PMI set: no core is signalled */ \
	F(PMI_ALWAYS, "pmi-always")			/* PMI clear: cores are signalled all the same */ \
	F(BROADCAST_LOST, "broadcast-lost")		/* the last of the selected cores gets no signal */ \
	F(FREEZE_MISSING, "freeze-missing")		/* an overflow does not freeze */ \
	F(ACKNOWLEDGE_ALL, "acknowledge-all")		/* clearing one status bit clears all */ \
	F(ACKNOWLEDGE_LOST, "acknowledge-lost")		/* status bits cannot be cleared */ \
	F(OCCUPANCY_NOT_RESET, "occupancy-not-reset")	/* a tracker starts with what was left in it, bus lock or not */

MODEL_FAULTS(FAULTS)

#define LEFT_IN_TRACKER 64	/* with the last of these faults */

//
// Queues: what the event signals say enters and leaves them, how much they hold, and the events that follow from that
//

enum {
	GQ_READ,			// the read tracker's requests, and those in a stage of it
	GQ_READ_MISS, GQ_READ_L3, GQ_READ_RTID,
	GQ_WRITE_RTID,			// a stage of the write tracker
	GQ_WRITE, GQ_PEER,
	QHL_READS,			// IOH, remote, local: of each tracker the reads,
	QHL_WRITES = QHL_READS + 3,	// and the writes
	IMC_READS = QHL_WRITES + 3,	// normal reads of channels 0 to 2
	IMC_WRITES = IMC_READS + 3,
	IMC_ISOC = IMC_WRITES + 3,	// reads of high and critical priority
	QUEUES = IMC_ISOC + 3,
};

#define NO_QUEUE QUEUES

// Entries: of a machine of two packages, and of one ("In the UP mode there are only the local and IOH queues and both
// have 32 entries"). GQ and QHL: the guide, "The Global Queue" and "QuickPath Interconnect Home Logic". It gives none
// for the memory controller: here as many as the GQ's read tracker has, whose reads it serves.
#define IMC_ENTRIES 32

#define OF_GQ		32, 32, 32, 32, 16, 16, 12
#define OF_IMC		IMC_ENTRIES, IMC_ENTRIES, IMC_ENTRIES, IMC_ENTRIES, IMC_ENTRIES, IMC_ENTRIES, IMC_ENTRIES, \
			IMC_ENTRIES, IMC_ENTRIES

static const uint8_t capacities[2][QUEUES] = {
	{OF_GQ, 24, 16, 24, 24, 16, 24, OF_IMC},
	{OF_GQ, 32, 0, 32, 32, 0, 32, OF_IMC},
};

// Which queue an entry enters with a unit-mask bit of an event.
static const struct {
	uint8_t code, queue[8];
} entrances[] = {
	{UNCORE_EVENT_GQ_ALLOC,
	 {GQ_READ, GQ_READ_MISS, GQ_READ_L3, GQ_READ_RTID, GQ_WRITE_RTID, GQ_WRITE, GQ_PEER, NO_QUEUE}},
	{UNCORE_EVENT_QHL_REQUESTS,
	 {QHL_READS, QHL_WRITES, QHL_READS + 1, QHL_WRITES + 1, QHL_READS + 2, QHL_WRITES + 2, NO_QUEUE, NO_QUEUE}},
	{UNCORE_EVENT_IMC_READS,
	 {IMC_READS, IMC_READS + 1, IMC_READS + 2, NO_QUEUE, NO_QUEUE, NO_QUEUE, NO_QUEUE, NO_QUEUE}},
	{UNCORE_EVENT_IMC_WRITES,
	 {IMC_WRITES, IMC_WRITES + 1, IMC_WRITES + 2, IMC_WRITES, IMC_WRITES + 1, IMC_WRITES + 2, NO_QUEUE,
	  NO_QUEUE}},
	{UNCORE_EVENT_IMC_HIGH_READS,
	 {IMC_ISOC, IMC_ISOC + 1, IMC_ISOC + 2, NO_QUEUE, NO_QUEUE, NO_QUEUE, NO_QUEUE, NO_QUEUE}},
	{UNCORE_EVENT_IMC_CRITICAL_READS,
	 {IMC_ISOC, IMC_ISOC + 1, IMC_ISOC + 2, NO_QUEUE, NO_QUEUE, NO_QUEUE, NO_QUEUE, NO_QUEUE}},
};

#define ENTRANCES (sizeof entrances / sizeof *entrances)

// Events that the queues make: what each unit-mask bit looks at. Queues that share entries count together.
#define Q(queue)	(1u << (queue))
#define QHL(tracker)	(Q(QHL_READS + (tracker)) | Q(QHL_WRITES + (tracker)))
#define CHANNELS(queue)	Q(queue), Q((queue) + 1), Q((queue) + 2)
#define READS(channel)	(Q(IMC_READS + (channel)) | Q(IMC_ISOC + (channel)))

enum measure { OCCUPANCY, FULL, BUSY };

static const struct {
	uint8_t code, measure;
	uint32_t queues[8];
} queue_events[] = {
	{UNCORE_EVENT_GQ_FULL, FULL, {Q(GQ_READ), Q(GQ_WRITE), Q(GQ_PEER)}},
	{UNCORE_EVENT_GQ_BUSY, BUSY, {Q(GQ_READ), Q(GQ_WRITE), Q(GQ_PEER)}},
	{UNCORE_EVENT_GQ_OCCUPANCY, OCCUPANCY,
	 {Q(GQ_READ), Q(GQ_READ_MISS), Q(GQ_READ_L3), Q(GQ_READ_RTID), Q(GQ_WRITE_RTID), Q(GQ_WRITE), Q(GQ_PEER)}},
	{UNCORE_EVENT_QHL_FULL, FULL, {QHL(0), QHL(1), QHL(2)}},
	{UNCORE_EVENT_QHL_NOT_EMPTY, BUSY, {QHL(0), QHL(1), QHL(2)}},
	{UNCORE_EVENT_QHL_OCCUPANCY, OCCUPANCY, {CHANNELS(QHL_READS)}},
	{UNCORE_EVENT_IMC_ISOC_FULL, FULL, {CHANNELS(IMC_ISOC), CHANNELS(IMC_WRITES)}},
	{UNCORE_EVENT_IMC_BUSY, BUSY, {READS(0), READS(1), READS(2), CHANNELS(IMC_WRITES)}},
	{UNCORE_EVENT_IMC_OCCUPANCY, OCCUPANCY, {CHANNELS(IMC_READS)}},
	{UNCORE_EVENT_ISOC_OCCUPANCY, OCCUPANCY, {CHANNELS(IMC_ISOC)}},
};

#define QUEUE_EVENTS (sizeof queue_events / sizeof *queue_events)

struct uncore {
	uint64_t select[GENERAL], counter[COUNTERS];	// general, then fixed
	uint64_t fixed_control, global_control, global_status, overflow_control, match, snoop;

	const struct occurrence *signals;
	size_t signal_count;
	bool single;				// they say that the machine has one package
	int64_t change[QUEUES];			// entries in less entries out in each cycle
	uint16_t held[QUEUES], next[QUEUES];	// entries after the last cycle, and after the next one
	bool moving;				// and other ones after that

	// Made when signals or registers change: the event signals' events that a counter sees in a cycle; its row of
	// queue_events, QUEUE_EVENTS: none.
	uint64_t events[COUNTERS];
	uint8_t row[GENERAL];

	// Of a counter that is set to an occupancy: entries that its tracker does not know of, or knows of too many if
	// below 0. Those that wait for a bus lock.
	int32_t unknown[GENERAL];
	uint32_t waiting;

	// What each counter adds in the next cycle; and in those that follow, unless `unsteady`. Counters by their
	// bits: for edge detection, what CMASK and INV make of the next cycle, and what they made of the last one.
	uint64_t step[COUNTERS];
	uint32_t condition, asserted;
	bool unsteady;

	uint32_t requests;	// cores that were signalled
	int fault;
};

struct uncore_state {
	struct model_outputs outputs;	// headroom counts down as cycles pass
	uint64_t steady;		// cycles that can pass, all like the next one; counts down
	uint64_t pending;		// cycles that have passed and `now` does not know of
	struct uncore now;
	struct uncore ahead;		// what becomes of it, to find when it will signal
};

static bool has_fault(const struct uncore *u, int fault)
{
	return u->fault == fault;
}

static unsigned counter_width(const struct uncore *u)
{
	return has_fault(u, FAULT_COUNTER_NARROW) ? 40 : UNCORE_COUNTER_WIDTH;
}

static uint64_t global_bit(unsigned counter)
{
	return 1ULL << (counter == FIXED ? UNCORE_FIXED : counter);
}

// The queue that shares its entries with this one; NO_QUEUE: none does.
static unsigned partner_of(unsigned queue)
{
	if (queue < QHL_READS || queue >= IMC_READS)
		return NO_QUEUE;
	return queue < QHL_WRITES ? queue + 3 : queue - 3;
}

static int64_t entries_after(const struct uncore *u, unsigned queue, int64_t held, int64_t others)
{
	int64_t entries = held + u->change[queue], room = capacities[u->single][queue] - others;

	if (entries > room)
		entries = room;
	return entries < 0 ? 0 : entries;
}

// The queues after the next cycle. A full queue takes nothing more, an empty one gives nothing; of a tracker that has
// reads and writes, the reads come first.
static void look_at_queues(struct uncore *u)
{
	for (unsigned q = 0; q < QUEUES; q++) {
		unsigned partner = partner_of(q);
		int64_t others = partner == NO_QUEUE ? 0 : partner < q ? u->next[partner] : u->held[partner];

		u->next[q] = (uint16_t)entries_after(u, q, u->held[q], others);
	}
	u->moving = false;
	for (unsigned q = 0; q < QUEUES; q++) {
		unsigned partner = partner_of(q);
		int64_t others = partner == NO_QUEUE ? 0 : u->next[partner];

		u->moving |= entries_after(u, q, u->next[q], others) != u->next[q];
	}
}

// A queue fills or empties in as many cycles as it has entries, and stays like that: there is no more to do behind it.
static void advance_queues(struct uncore *u, uint64_t cycles)
{
	for (; cycles; cycles--) {
		memcpy(u->held, u->next, sizeof u->held);
		if (!u->moving)
			break;
		look_at_queues(u);
	}
}

static uint64_t unit_mask(const struct uncore *u, unsigned counter)
{
	return FIELD_GET(UNCORE_PERFEVTSEL, EVTMSK, u->select[counter]);
}

static unsigned entries_of(const uint16_t entries[QUEUES], uint32_t queues)
{
	unsigned sum = 0;

	for (; queues; queues &= queues - 1)
		sum += entries[__builtin_ctz(queues)];
	return sum;
}

// What the queues a counter is set to add up to.
static int64_t measure_queues(const struct uncore *u, unsigned counter, const uint16_t entries[QUEUES])
{
	unsigned row = u->row[counter];
	int64_t sum = 0;

	for (uint64_t mask = unit_mask(u, counter); mask; mask &= mask - 1) {
		uint32_t queues = queue_events[row].queues[__builtin_ctzll(mask)];
		unsigned held = entries_of(entries, queues);

		if (queue_events[row].measure == OCCUPANCY)
			sum += held;
		else if (queue_events[row].measure == BUSY)
			sum += held != 0;
		else
			sum += queues && held && held == capacities[u->single][__builtin_ctz(queues)];
	}
	return sum;
}

static bool is_occupancy(const struct uncore *u, unsigned counter)
{
	return u->row[counter] < QUEUE_EVENTS && queue_events[u->row[counter]].measure == OCCUPANCY;
}

//
// What a counter sees in a cycle
//

// The guide's Table 37. Address and opcode as the register holds them.
static bool matches(const struct uncore *u, const struct occurrence *o)
{
	const uint64_t wanted = u->match;
	unsigned select = (unsigned)FIELD_GET(UNCORE_ADDR_OPCODE_MATCH, MATCH_SELECT, wanted);
	bool address = !((o->address ^ wanted) & FIELD(UNCORE_ADDR_OPCODE_MATCH, ADDR));
	bool opcode = FIELD_GET(UNCORE_ADDR_OPCODE_MATCH, OPCODE, wanted) == (o->opcode & 0xFF);

	if (select & (UNCORE_MATCH_ADDRESS | UNCORE_MATCH_OPCODE))
		return (select & UNCORE_MATCH_ADDRESS && address) || (select & UNCORE_MATCH_OPCODE && opcode);
	return select & UNCORE_MATCH_BOTH && address && opcode;
}

// Table 28: a change that was a hit in a state, which the occurrence's opcode says, counts if its bit is set.
static bool counts_snoop(const struct uncore *u, uint64_t mask, const struct occurrence *o)
{
	uint64_t states = (o->sub & mask & UNCORE_SNOOP_HIT_TO_S ? UNCORE_SNOOP_TO_S : 0) |
			  (o->sub & mask & UNCORE_SNOOP_HIT_TO_I ? UNCORE_SNOOP_TO_I : 0);

	return o->sub & mask & UNCORE_SNOOP_ANY || o->opcode & u->snoop & states;
}

static bool counts_event(const struct uncore *u, unsigned counter, const struct occurrence *o)
{
	uint64_t mask;

	if (counter == FIXED)
		return o->code == UNCORE_EVENT_CLOCK && !has_fault(u, FAULT_FIXED_MISSING);
	mask = unit_mask(u, counter);
	if (o->code != FIELD_GET(UNCORE_PERFEVTSEL, EVTSEL, u->select[counter]) ||
	    !(mask ? o->sub & mask : o->sub == 0))
		return false;
	if (o->code == UNCORE_EVENT_MATCH)
		return matches(u, o);
	return o->code != UNCORE_EVENT_GQ_SNOOP || counts_snoop(u, mask, o);
}

static uint64_t signalled_events(const struct uncore *u, unsigned counter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < u->signal_count; i++)
		if (counts_event(u, counter, &u->signals[i]))
			sum += u->signals[i].n;
	return sum;
}

static uint64_t events_in_cycle(const struct uncore *u, unsigned counter)
{
	int64_t events;

	if (counter == FIXED || u->row[counter] == QUEUE_EVENTS)
		return u->events[counter];
	events = measure_queues(u, counter, u->next);
	if (is_occupancy(u, counter))
		events -= u->unknown[counter];
	return events < 0 ? 0 : (uint64_t)events;
}

static bool is_enabled(const struct uncore *u, unsigned counter)
{
	bool own = counter == FIXED ? u->fixed_control & FIELD(UNCORE_FIXED_CTR_CTRL, EN) :
				      u->select[counter] & FIELD(UNCORE_PERFEVTSEL, EN);
	bool global = u->global_control & global_bit(counter);

	if (counter == FIXED && has_fault(u, FAULT_GLOBAL_IGNORED))
		global = true;
	return (own || has_fault(u, FAULT_EN_IGNORED)) && global;
}

// As the cores' counters: CMASK 0 adds the events; else one is added if the events reach CMASK, or with INV if they do
// not. E counts the condition's rising edges, and needs a CMASK.
static uint64_t step_of(struct uncore *u, unsigned counter)
{
	uint64_t select = counter == FIXED ? 0 : u->select[counter];
	uint64_t events = events_in_cycle(u, counter);
	uint64_t cmask = FIELD_GET(UNCORE_PERFEVTSEL, CMASK, select);
	bool inverted = select & FIELD(UNCORE_PERFEVTSEL, INV) && !has_fault(u, FAULT_INV_IGNORED);
	bool condition = (events >= cmask) != inverted;
	bool asserted = u->asserted >> counter & 1;

	if (cmask == 0)
		return events;
	if (!(select & FIELD(UNCORE_PERFEVTSEL, E)) || has_fault(u, FAULT_EDGE_IGNORED))
		return condition;
	u->condition |= (uint32_t)condition << counter;
	return condition && !asserted && !has_fault(u, FAULT_EDGE_LOST);
}

//
// The passing of cycles
//

static bool interrupts(const struct uncore *u, unsigned counter)
{
	bool pmi = counter == FIXED ? u->fixed_control & FIELD(UNCORE_FIXED_CTR_CTRL, PMI) :
				      u->select[counter] & FIELD(UNCORE_PERFEVTSEL, PMI);

	return pmi ? !has_fault(u, FAULT_PMI_MISSING) : has_fault(u, FAULT_PMI_ALWAYS);
}

static bool freezes(const struct uncore *u, unsigned counter)
{
	return interrupts(u, counter) && u->global_control & FIELD(UNCORE_PERF_GLOBAL_CTRL, PMI_FRZ) &&
	       !has_fault(u, FAULT_FREEZE_MISSING);
}

// Redoes what the next cycle adds. The counters and queues must be up to date.
static void look_at_cycle(struct uncore *u)
{
	bool follows_queues = false;

	look_at_queues(u);
	u->condition = 0;
	for (unsigned i = 0; i < COUNTERS; i++) {
		u->step[i] = 0;
		if (!is_enabled(u, i))
			continue;
		u->step[i] = step_of(u, i);
		follows_queues |= i != FIXED && u->row[i] < QUEUE_EVENTS;
	}
	u->unsteady = (u->moving && follows_queues) || u->condition != u->asserted;
}

static void overflow(struct uncore *u, uint64_t wrapped, bool request, bool freeze)
{
	uint32_t cores = (uint32_t)FIELD_GET(UNCORE_PERF_GLOBAL_CTRL, EN_PMI_CORE, u->global_control);

	if (!has_fault(u, FAULT_STATUS_LOST))
		u->global_status |= wrapped | FIELD(UNCORE_PERF_GLOBAL_STATUS, CHG) |
				    (request ? FIELD(UNCORE_PERF_GLOBAL_STATUS, OVF_PMI) : 0);
	if (has_fault(u, FAULT_BROADCAST_LOST) && cores)
		cores &= ~(1u << (31 - __builtin_clz(cores)));
	if (request)
		u->requests |= cores;
	if (freeze)
		u->global_control &= ~ALL_COUNTERS;
}

// Lets cycles pass that are all like the next one.
static void pass(struct uncore *u, uint64_t cycles)
{
	const unsigned width = counter_width(u);
	uint64_t wrapped = 0;
	bool request = false, freeze = false;

	if (!cycles)
		return;
	for (unsigned i = 0; i < COUNTERS; i++) {
		unsigned __int128 sum = (unsigned __int128)u->step[i] * cycles + u->counter[i];

		if (!u->step[i])
			continue;
		u->counter[i] = (uint64_t)sum & FIELD_MASK(0, width);
		if (sum >> width) {
			wrapped |= global_bit(i);
			request |= interrupts(u, i);
			freeze |= freezes(u, i);
		}
	}
	advance_queues(u, cycles);
	u->asserted = u->condition;
	if (wrapped)
		overflow(u, wrapped, request, freeze);
}

// How many cycles like the next one pass before a counter wraps that `concerns` us; UINT64_MAX: none does.
static uint64_t cycles_before(const struct uncore *u, bool (*concerns)(const struct uncore *u, unsigned counter))
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < COUNTERS; i++) {
		uint64_t room = FIELD_MASK(0, counter_width(u)) - u->counter[i];

		if (u->step[i] && room / u->step[i] < least && concerns(u, i))
			least = room / u->step[i];
	}
	return least;
}

static bool signals(const struct uncore *u, unsigned counter)
{
	return interrupts(u, counter) && u->global_control & FIELD(UNCORE_PERF_GLOBAL_CTRL, EN_PMI_CORE);
}

static void step(struct uncore *u, uint64_t cycles)
{
	pass(u, cycles);
	look_at_cycle(u);
}

// Cycles that pass before a core is signalled. While queues fill or empty, by going there: they are done soon.
static uint64_t find_headroom(struct uncore_state *m)
{
	struct uncore *ahead = &m->ahead;
	uint64_t cycles = 0, rest;

	if (!m->now.unsteady)
		return cycles_before(&m->now, signals);
	*ahead = m->now;
	for (ahead->requests = 0; ahead->unsteady; cycles++) {
		step(ahead, 1);
		if (ahead->requests)
			return cycles;
	}
	rest = cycles_before(ahead, signals);
	return rest >= MODEL_FAR ? rest : cycles + rest;
}

// Redoes what is known of the cycles to come. Counters and queues must be up to date.
static void predict(struct uncore_state *m)
{
	uint64_t free = cycles_before(&m->now, freezes);

	m->outputs.headroom = find_headroom(m);
	m->steady = m->now.unsteady ? 0 : free < m->outputs.headroom ? free : m->outputs.headroom;
	if (m->steady > MODEL_FAR)
		m->steady = MODEL_FAR;
}

// Brings counters and queues up to date.
static void sync(struct uncore_state *m)
{
	if (!m->pending)
		return;
	pass(&m->now, m->pending);
	m->pending = 0;
	look_at_cycle(&m->now);
}

static void uncore_run(void *state, uint64_t cycles)
{
	struct uncore_state *m = state;

	if (__builtin_expect(cycles <= m->steady, true)) {
		m->outputs.headroom -= cycles;
		m->steady -= cycles;
		m->pending += cycles;
		return;
	}
	sync(m);
	// Up to an overflow that freezes, then on with what is left: that happens once.
	while (cycles) {
		uint64_t room = cycles_before(&m->now, freezes);
		uint64_t piece = m->now.unsteady ? 1 : room < cycles ? room + 1 : cycles;

		step(&m->now, piece);
		cycles -= piece;
	}
	m->outputs.requests |= m->now.requests;
	m->now.requests = 0;
	predict(m);
}

// Redoes everything that depends on signals and registers. Counters and queues must be up to date.
static void derive(struct uncore_state *m)
{
	struct uncore *u = &m->now;

	for (unsigned i = 0; i < COUNTERS; i++)
		u->events[i] = is_enabled(u, i) ? signalled_events(u, i) : 0;
	look_at_cycle(u);
	predict(m);
	m->outputs.locks_matter = u->waiting;
	for (unsigned q = 0; q < QUEUES; q++)
		m->outputs.locks_matter |= u->held[q] || u->change[q];
}

static void connect_queue(struct uncore *u, const struct occurrence *o)
{
	bool out = o->code & UNCORE_SIGNAL_OUT;

	for (unsigned i = 0; i < ENTRANCES; i++) {
		if ((o->code & ~UNCORE_SIGNAL_OUT) != entrances[i].code)
			continue;
		for (unsigned bit = 0; bit < 8; bit++)
			if (o->sub >> bit & 1 && entrances[i].queue[bit] != NO_QUEUE)
				u->change[entrances[i].queue[bit]] += out ? -(int64_t)o->n : (int64_t)o->n;
	}
}

static void uncore_connect(void *state, const struct occurrence *occurrences, size_t count)
{
	struct uncore_state *m = state;

	sync(m);
	m->now.signals = occurrences;
	m->now.signal_count = count;
	memset(m->now.change, 0, sizeof m->now.change);
	m->now.single = false;
	for (size_t i = 0; i < count; i++) {
		m->now.single |= occurrences[i].code == UNCORE_SIGNAL_SINGLE;
		connect_queue(&m->now, &occurrences[i]);
	}
	derive(m);
}

// All requests have completed before the lock is granted. Trackers that wait for it know the queues from here on.
static void uncore_bus_lock(void *state)
{
	struct uncore_state *m = state;
	struct uncore *u = &m->now;

	sync(m);
	memset(u->held, 0, sizeof u->held);
	for (unsigned i = 0; i < GENERAL; i++)
		if (u->waiting >> i & 1 && !has_fault(u, FAULT_OCCUPANCY_NOT_RESET))
			u->unknown[i] = 0;
	u->waiting = 0;
	derive(m);
}

//
// Registers
//

MODEL_REGISTER_TABLE(UNCORE_REGISTERS, REGISTER_NUMBERED)
static const struct register_rule rules[] = {UNCORE_REGISTERS(REGISTER_RULE)};

// What each address is, counted from 1; 0: no register.
static const uint8_t kind_at[] = {UNCORE_REGISTERS(REGISTER_KIND_AT)};

// Which register an address is; REGISTER_KINDS if none.
static unsigned locate(uint32_t address, unsigned *index)
{
	unsigned kind = address < sizeof kind_at ? kind_at[address] : 0;

	if (!kind)
		return REGISTER_KINDS;
	*index = address - descriptions[kind - 1].address;
	return kind - 1;
}

// Where a register's value is. What reads as zero is kept there too.
static const uint16_t storage_offset[] = {
	[KIND_UNCORE_PMC] = offsetof(struct uncore, counter),
	[KIND_UNCORE_FIXED_CTR0] = offsetof(struct uncore, counter[FIXED]),
	[KIND_UNCORE_PERFEVTSEL] = offsetof(struct uncore, select),
	[KIND_UNCORE_FIXED_CTR_CTRL] = offsetof(struct uncore, fixed_control),
	[KIND_UNCORE_PERF_GLOBAL_STATUS] = offsetof(struct uncore, global_status),
	[KIND_UNCORE_PERF_GLOBAL_CTRL] = offsetof(struct uncore, global_control),
	[KIND_UNCORE_PERF_GLOBAL_OVF_CTRL] = offsetof(struct uncore, overflow_control),
	[KIND_UNCORE_ADDR_OPCODE_MATCH] = offsetof(struct uncore, match),
	[KIND_GQ_SNOOP_MESF] = offsetof(struct uncore, snoop),
};

static uint64_t *storage(struct uncore *u, unsigned kind, unsigned index)
{
	return (uint64_t *)((char *)u + storage_offset[kind]) + index;
}

// Behind the last counter and its select. With a defect there is one more, which can be read.
static bool read_absent(const struct uncore *u, uint32_t address, uint64_t *value)
{
	if (!has_fault(u, FAULT_ACCESS_UNCHECKED) ||
	    (address != MSR_UNCORE_PMC + GENERAL && address != MSR_UNCORE_PERFEVTSEL + GENERAL))
		return false;
	*value = 0;
	return true;
}

static bool uncore_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct uncore_state *m = state;
	unsigned index, kind = locate(address, &index);

	(void)thread;
	if (kind == REGISTER_KINDS)
		return read_absent(&m->now, address, value);
	sync(m);
	*value = *storage(&m->now, kind, index);
	if (has_fault(&m->now, FAULT_COUNTER_STUCK) && kind == KIND_UNCORE_PMC && index == 2)
		*value |= 1ULL << 17;
	return true;
}

// There is none for the uncore's counters.
static bool uncore_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	(void)state, (void)thread, (void)index;
	*value = 0;
	return false;
}

static uint8_t row_of(uint64_t select)
{
	uint8_t row = 0;

	while (row < QUEUE_EVENTS && queue_events[row].code != FIELD_GET(UNCORE_PERFEVTSEL, EVTSEL, select))
		row++;
	return row;
}

// Programs what a counter counts. A counter that begins to count an occupancy, or is told to begin anew, has a tracker
// that starts at 0 whatever the queues hold.
static void write_select(struct uncore *u, unsigned counter, uint64_t value)
{
	const uint64_t event = FIELD(UNCORE_PERFEVTSEL, EVTSEL) | FIELD(UNCORE_PERFEVTSEL, EVTMSK);
	uint64_t select = value & REGISTER_BITS(UNCORE_PERFEVTSEL, RW);
	bool reset = value & FIELD(UNCORE_PERFEVTSEL, OCC_CTR_RST);
	bool another = (select ^ u->select[counter]) & event;

	if (has_fault(u, FAULT_SELECT_STUCK) && counter == 1)
		select &= ~FIELD_PUT(UNCORE_PERFEVTSEL, EVTMSK, 0x10);
	if (select != u->select[counter])
		u->asserted &= ~(1u << counter);	// another condition
	u->select[counter] = select;
	u->row[counter] = row_of(select);
	if (!another && !reset)
		return;
	u->waiting &= ~(1u << counter);
	u->unknown[counter] = 0;
	if (!is_occupancy(u, counter))
		return;
	u->waiting |= (uint32_t)reset << counter;
	u->unknown[counter] = (int32_t)measure_queues(u, counter, u->held);
	if (has_fault(u, FAULT_OCCUPANCY_NOT_RESET))
		u->unknown[counter] -= LEFT_IN_TRACKER;
}

static void clear_status(struct uncore *u, uint64_t cleared)
{
	if (has_fault(u, FAULT_ACKNOWLEDGE_ALL))
		cleared = ~0ULL;
	if (!has_fault(u, FAULT_ACKNOWLEDGE_LOST))
		u->global_status &= ~cleared;
}

static bool uncore_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct uncore_state *m = state;
	unsigned index, kind = locate(address, &index);

	(void)thread;
	if (kind == REGISTER_KINDS)
		return false;
	if (value & rules[kind].reserved || !(rules[kind].writable | rules[kind].clears))
		return has_fault(&m->now, FAULT_ACCESS_UNCHECKED);
	uncore_run(m, cycles);
	sync(m);
	value &= rules[kind].writable | rules[kind].clears | FIELD(UNCORE_PERFEVTSEL, OCC_CTR_RST);
	if (kind == KIND_UNCORE_PERF_GLOBAL_OVF_CTRL)
		clear_status(&m->now, value);
	else if (kind == KIND_UNCORE_PERFEVTSEL)
		write_select(&m->now, index, value);
	else if (kind == KIND_UNCORE_PMC || kind == KIND_UNCORE_FIXED_CTR0)
		*storage(&m->now, kind, index) = value & FIELD_MASK(0, counter_width(&m->now));
	else
		*storage(&m->now, kind, index) = value & rules[kind].writable;
	derive(m);
	return true;
}

static void uncore_reset(void *state, int fault, uint64_t seed)
{
	struct uncore_state *m = state;

	(void)seed;
	memset(m, 0, sizeof *m);
	m->now.fault = fault;
	for (unsigned i = 0; i < GENERAL; i++)
		write_select(&m->now, i, REGISTER_RESET(UNCORE_PERFEVTSEL));
	m->now.global_control = has_fault(&m->now, FAULT_RESET_VALUE) ? ALL_COUNTERS :
									REGISTER_RESET(UNCORE_PERF_GLOBAL_CTRL);
	derive(m);
}

//
// What an instruction clock can say
//

// The cores identify the processor.
static void uncore_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)leaf, (void)subleaf, (void)registers;
}

static const struct occurrence *uncore_clock(unsigned thread, unsigned level, size_t *count)
{
	static const struct occurrence clock = {.code = UNCORE_EVENT_CLOCK, .n = 1};

	(void)thread, (void)level;
	*count = 1;
	return &clock;
}

//
// What a backend leaves out, and what is saved
//

static const struct model_bits general_bits[] = {
	{MSR_UNCORE_PERF_GLOBAL_STATUS, 0, 1},
	{MSR_UNCORE_PERF_GLOBAL_CTRL, 0, 1},
	{MSR_UNCORE_PERF_GLOBAL_OVF_CTRL, 0, 1},
	{0},
};
static const struct model_bits fixed_bits[] = {
	{MSR_UNCORE_PERF_GLOBAL_STATUS, UNCORE_FIXED, 1},
	{MSR_UNCORE_PERF_GLOBAL_CTRL, UNCORE_FIXED, 1},
	{MSR_UNCORE_PERF_GLOBAL_OVF_CTRL, UNCORE_FIXED, 1},
	{MSR_UNCORE_FIXED_CTR_CTRL, 0, UNCORE_FIXED_CTR_CTRL_RESERVED_3_LOW},
	{0},
};
static const struct model_event fixed_event = {UNCORE_EVENT_CLOCK, 0};

static const struct model_counters groups[] = {
	{
		.count = GENERAL, .address = MSR_UNCORE_PMC, .index = UINT32_MAX,
		.select = MSR_UNCORE_PERFEVTSEL, .distance = 1,
		.code = FIELD(UNCORE_PERFEVTSEL, EVTSEL), .umask = FIELD(UNCORE_PERFEVTSEL, EVTMSK),
		.off_mask = FIELD(UNCORE_PERFEVTSEL, EN), .bits = general_bits,
	}, {
		.count = 1, .address = MSR_UNCORE_FIXED_CTR0, .index = UINT32_MAX,
		.select = MSR_UNCORE_FIXED_CTR_CTRL, .event = &fixed_event,
		.off_mask = FIELD(UNCORE_FIXED_CTR_CTRL, EN), .bits = fixed_bits,
	},
};

#define SAVED(type, member, bits) MODEL_FIELD(uncore_state, type, member, bits)

static const struct model_field fields[] = {
	SAVED(uint32_t, outputs.requests, (1u << UNCORE_CORES) - 1),
	SAVED(uint64_t, now.select, REGISTER_BITS(UNCORE_PERFEVTSEL, RW)),
	SAVED(uint64_t, now.counter, FIELD_MASK(0, UNCORE_COUNTER_WIDTH)),
	SAVED(uint64_t, now.fixed_control, REGISTER_BITS(UNCORE_FIXED_CTR_CTRL, RW)),
	SAVED(uint64_t, now.global_control, REGISTER_BITS(UNCORE_PERF_GLOBAL_CTRL, RW)),
	SAVED(uint64_t, now.global_status, REGISTER_BITS(UNCORE_PERF_GLOBAL_STATUS, RO)),
	SAVED(uint64_t, now.match, REGISTER_BITS(UNCORE_ADDR_OPCODE_MATCH, RW)),
	SAVED(uint64_t, now.snoop, REGISTER_BITS(GQ_SNOOP_MESF, RW)),
	SAVED(uint16_t, now.held, 0x3F),
	SAVED(uint32_t, now.unknown, 0xFFF),
	SAVED(uint32_t, now.waiting, UNCORE_GENERAL_MASK),
	SAVED(uint32_t, now.asserted, (1u << COUNTERS) - 1),
};

static void uncore_sync(void *state)
{
	sync(state);
}

static int greatest(int a, int b)
{
	return a > b ? a : b;
}

// Whether the queues hold what they can, of one package or two, and only counters of occupancies have trackers.
static bool is_possible(const struct uncore *u)
{
	bool possible = true;

	for (unsigned q = 0; q < QUEUES; q++)
		possible &= u->held[q] + (partner_of(q) == NO_QUEUE ? 0 : u->held[partner_of(q)]) <=
			    greatest(capacities[0][q], capacities[1][q]);
	for (unsigned i = 0; i < GENERAL; i++)
		possible &= is_occupancy(u, i) || (!u->unknown[i] && !(u->waiting >> i & 1));
	return possible;
}

static bool uncore_restore(void *state)
{
	struct uncore_state *m = state;

	for (unsigned i = 0; i < GENERAL; i++)
		m->now.row[i] = row_of(m->now.select[i]);
	if (!is_possible(&m->now))
		return false;
	derive(m);
	return true;
}

const struct pmu_model pmu_model_nehalem_uncore = {
	.name = "nehalem-uncore",
	.size = sizeof(struct uncore_state),
	.threads = 1,
	.cores = "nehalem",
	.registers = descriptions,
	.register_count = REGISTER_KINDS,
	.faults = fault_names,
	.reset = uncore_reset,
	.read = uncore_read,
	.write = uncore_write,
	.read_counter = uncore_read_counter,
	.bus_lock = uncore_bus_lock,
	.identify = uncore_identify,
	.connect = uncore_connect,
	.run = uncore_run,
	.clock = uncore_clock,
	.clock_cycles = 1,
	.groups = groups,
	.group_count = sizeof groups / sizeof *groups,
	.has_init = true,
	.fields = fields,
	.field_count = sizeof fields / sizeof *fields,
	.sync = uncore_sync,
	.restore = uncore_restore,
};
