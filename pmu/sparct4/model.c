// SPDX-License-Identifier: BSD-2-Clause
// The SPARC T4's performance counters of one virtual processor (strand) as the hardware behaves: four, each with a
// control register (PCR) of its own and a counter (PIC) of 32 bits. Registers and fields are in regs.h; what happens in
// a cycle comes in on the wires: an occurrence's code is the group (sl), its unit-mask bits are the group's mask bits.
// The manual: SPARC T4 Supplement, sections 10.2 and 10.3.

#include "model.h"
#include "model_tables.h"
#include "regs.h"

#define COUNTERS	SPARCT4_COUNTERS
#define OWN_STRAND	0		/* the thread whose counters these are; others are other strands */
#define LEVELS		4
#define ALL_LEVELS	(1u << SPARCT4_HYPERPRIVILEGED | 1u << SPARCT4_PRIVILEGED | 1u << SPARCT4_USER)

// Defects that can be switched on. The names are what a person writes: fault=precise-lost.
#define FAULTS(F)								\
	F(RESET_VALUE, "reset-value")			/* PCR1 resets with toe set */ \
	F(SELECT_STUCK, "select-stuck")			/* bit 2 of PCR1's sl never holds */ \
	F(COUNTER_STUCK, "counter-stuck")		/* bit 17 of PIC2 reads 1 */ \
	F(COUNTER_NARROW, "counter-narrow")		/* counters wrap at 28 bits */ \
	F(RESERVED_STICKS, "reserved-sticks")		/* reserved bits of a PCR hold what is written */ \
	F(ACCESS_UNCHECKED, "access-unchecked")		/* counters that do not exist read as 0 and take writes */ \
	F(PICNHT_IGNORED, "picnht-ignored")		/* picnht keeps nobody from a PIC */ \
	F(PICNPT_IGNORED, "picnpt-ignored")		/* picnpt keeps nobody from a PIC */ \
	F(MASK_IGNORED, "mask-ignored")			/* all of a group counts, whatever the mask */ \
	F(UT_IGNORED, "ut-ignored")			/* user mode counts without ut */ \
	F(ST_IGNORED, "st-ignored")			/* privileged mode counts without st */ \
	F(HT_IGNORED, "ht-ignored")			/* hyperprivileged mode counts without ht */ \
	F(OV_LOST, "ov-lost")				/* an overflow leaves no ov */ \
	F(OV_WRITABLE, "ov-writable")			/* writing 1 sets ov */ \
	F(OV_UNCLEARED, "ov-uncleared")			/* writing 0 does not clear ov */ \
	F(CLEAR_ALL, "clear-all")			/* clearing one ov clears all */ \
	F(REWRITE_MISSING, "rewrite-missing")		/* a PCR write clears the ov that it causes itself */ \
	F(NTC_MISSING, "ntc-missing")			/* ntc is never set */ \
	F(SIMULTANEOUS_LOST, "simultaneous-lost")	/* of several overflows at once one is seen */ \
	F(TOE_IGNORED, "toe-ignored")			/* overflows trap without toe */ \
	F(PRECISE_LOST, "precise-lost")			/* no precise trap ever */ \
	F(PRECISE_LATE, "precise-late")			/* a precise trap comes at the next instruction */ \
	F(PRECISE_IN_HYPERPRIVILEGED, "precise-in-hyperprivileged") /* neither ht nor the mode loses a trap */ \
	F(DISRUPTING_MISSING, "disrupting-missing")	/* no disrupting trap ever */

MODEL_FAULTS(FAULTS)

// Of an occurrence: the bits of the manual's masks, that of an unknown kind of instruction, and one that is always
// raised, for the group whose mask is ignored.
#define RAISED	(SPARCT4_ALL_KINDS | SPARCT4_UNKNOWN_KIND)
#define EVERY	0x80

_Static_assert(!(RAISED & EVERY), "EVERY is a bit of its own");

// One byte for each counter.
#define LANE(counter)		(8 * (counter))
#define LANE_MASK(counter)	(0xFFu << LANE(counter))
#define IN_ALL_LANES(byte)	(0x01010101u * (byte))

_Static_assert(COUNTERS == 4, "lanes of 32 bits");

// Table 10-2: of each group the mask bits that are used; those of them that are events across strands; those that are
// conditions, of which a cycle is counted once however many hold; and whether its events are precise. Groups that are
// left out count nothing.
static const struct group {
	uint8_t mask, across, conditions;
	bool precise;
} event_groups[1 << PCR_sl_WIDTH] = {
	[1] = {0x1F, .conditions = 0x1F},
	[2] = {0x0F, .conditions = 0x0F},
	[SPARCT4_SL_INSTRUCTIONS] = {0x3F, .precise = true},
	[4] = {0x3F, .precise = true},
	[5] = {0x1F, .precise = true},
	[6] = {0x3F},
	[7] = {0x0F},
	[8] = {0x0F, .across = 0x02, .conditions = 0x07},
	[9] = {0x1F, .across = 0x1F, .conditions = 0x1F},
	[10] = {0x3F},
	[11] = {0x03},
	[16] = {0x07, .precise = true},
	[17] = {0x3F},
	[18] = {0x07, .across = 0x01},
	[19] = {0x0F},
	[20] = {0x1F, .across = 0x1F, .conditions = 0x10},
	[21] = {0x3F},
	[22] = {0x3F},
	[23] = {0x07},
	[24] = {0x3F, .across = 0x3F},
	[25] = {0x0F, .precise = true},
	[SPARCT4_SL_CYCLES] = {EVERY, .conditions = EVERY},
	[SPARCT4_SL_COMMITS] = {0x0F, .across = 0x02},
};

struct sparct4_state {
	struct model_outputs outputs;	// quiet counts down as cycles pass
	uint64_t pcr[COUNTERS], count[COUNTERS];
	uint64_t mask;			// of a count
	uint32_t upper[COUNTERS];	// of the PICs
	uint8_t sl[COUNTERS];		// of the PCRs
	// Made from the PCRs, a lane for each counter: all bits where its group is this one; mask bits that it counts
	// at a level, of this strand and across strands; those of them that are conditions.
	uint32_t in_group[1 << PCR_sl_WIDTH], own_at[LEVELS], across_at[LEVELS], conditions;
	// Counters by their bits: those whose events are precise, those whose overflow traps precisely unless the mode
	// is hyperprivileged, those whose ov holds the line up.
	unsigned precise, trapping, holding;
	unsigned by_level;		// those that count at some levels and not at others

	const struct occurrence *wires;
	size_t wire_count;
	unsigned level;			// the strand's

	// Made from wires and registers: what each counter adds in a cycle, and lanes of counters for which a
	// next-to-commit instruction does.
	uint64_t step[COUNTERS], steps;	// steps: all bits of them
	uint32_t committing;

	// While a store to a PCR or PIC executes, itself a next-to-commit instruction: counters that wrap meanwhile.
	bool storing;
	unsigned wrapped;

	// Counters (bits) whose ov takes its time for so many cycles more, and what is on its way.
	unsigned open;
	uint8_t window[COUNTERS];
	uint64_t late[COUNTERS];

	bool trap_due;			// a precise trap that a defect holds back
	uint64_t pending;		// cycles that have passed and are not in the counters yet
	int fault;
};

static inline bool has_fault(const struct sparct4_state *m, int fault)
{
	return __builtin_expect(m->fault == fault, false);
}

//
// What a counter sees in a cycle
//

// The mask bits of an occurrence that each counter counts. Events across strands count by this strand's own level,
// whoever causes them (footnote 13); the others must be this strand's.
static inline uint32_t counted_bits(const struct sparct4_state *m, const struct occurrence *o)
{
	uint32_t counts = m->across_at[m->level];

	if (o->code >= 1 << PCR_sl_WIDTH || !o->n)
		return 0;
	if (o->thread == OWN_STRAND)
		counts |= m->own_at[o->level % LEVELS];
	return counts & m->in_group[o->code] & IN_ALL_LANES((o->sub & RAISED) | EVERY);
}

// Redoes what each counter adds in a cycle: all events, and one more if any condition holds.
static inline void add_up(struct sparct4_state *m)
{
	uint64_t step[COUNTERS] = {0}, steps = 0;
	uint32_t conditions = 0, committing = 0;

	for (const struct occurrence *o = m->wires, *end = o + m->wire_count; o < end; o++) {
		const uint32_t bits = counted_bits(m, o), events = bits & ~m->conditions;

		if (!bits)
			continue;
#pragma GCC unroll 4
		for (unsigned i = 0; i < COUNTERS; i++)
			step[i] += events & LANE_MASK(i) ? o->n : 0;
		conditions |= bits & m->conditions;
		committing |= o->type & OCCURRENCE_TYPE_COMMIT ? bits : 0;
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < COUNTERS; i++) {
		m->step[i] = step[i] + !!(conditions & LANE_MASK(i));
		steps |= m->step[i];
	}
	m->steps = steps;
	m->committing = committing;
}

//
// Overflows
//

// Counters whose overflow traps precisely now; others lose the trap (section 10.3).
static inline unsigned trapping(const struct sparct4_state *m)
{
	bool lost = m->level == SPARCT4_HYPERPRIVILEGED && !has_fault(m, FAULT_PRECISE_IN_HYPERPRIVILEGED);

	return lost ? 0 : m->trapping;
}

// The line is a level: while a counter holds it up. What has been asked for and not been taken goes with it.
static void update_line(struct sparct4_state *m)
{
	bool up = false;

	for (unsigned i = 0; i < COUNTERS; i++)
		up |= m->pcr[i] & FIELD(PCR, ov) && m->holding >> i & 1;
	if (!up)
		m->outputs.requests = 0;
	else if (!m->outputs.held)
		m->outputs.requests = 1u << OWN_STRAND;
	m->outputs.held = (uint32_t)up << OWN_STRAND;
}

// What an overflow leaves in the PCR.
static uint64_t overflow_status(const struct sparct4_state *m, unsigned counter)
{
	bool commits = m->committing & LANE_MASK(counter) || (m->storing && m->precise >> counter & 1);

	return (has_fault(m, FAULT_OV_LOST) ? 0 : FIELD(PCR, ov)) |
	       (commits && !has_fault(m, FAULT_NTC_MISSING) ? FIELD(PCR, ntc) : 0);
}

__attribute__((noinline)) static void overflow(struct sparct4_state *m, unsigned wrapped)
{
	if (has_fault(m, FAULT_SIMULTANEOUS_LOST))
		wrapped &= -wrapped;
	m->wrapped |= wrapped;
	for (unsigned rest = wrapped; rest; rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctz(rest);
		uint64_t *status = m->open >> i & 1 ? &m->late[i] : &m->pcr[i];

		*status |= overflow_status(m, i);
	}
	update_line(m);
	if (!(wrapped & trapping(m)))
		return;
	if (has_fault(m, FAULT_PRECISE_LATE))
		m->trap_due = true;
	else
		m->outputs.precise |= 1u << OWN_STRAND;
}

//
// The passing of cycles
//

// Nothing that an overflow does depends on how often it happens, so that any number of cycles is one step.
__attribute__((noinline)) static void pass_far(struct sparct4_state *m, uint64_t cycles)
{
	unsigned wrapped = 0;

	for (unsigned i = 0; i < COUNTERS; i++) {
		unsigned __int128 sum = (unsigned __int128)m->step[i] * cycles + m->count[i];

		m->count[i] = (uint64_t)sum & m->mask;
		wrapped |= (unsigned)(sum > m->mask) << i;
	}
	if (wrapped)
		overflow(m, wrapped);
}

// The same, faster where products are short and nothing wraps.
static inline void pass(struct sparct4_state *m, uint64_t cycles)
{
	uint64_t sum[COUNTERS], sums = 0;

#pragma GCC unroll 4
	for (unsigned i = 0; i < COUNTERS; i++) {
		sum[i] = m->step[i] * cycles + m->count[i];
		sums |= sum[i];
	}
	if (__builtin_expect((cycles | m->steps) >> 31 || sums & ~m->mask, false)) {
		pass_far(m, cycles);
		return;
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < COUNTERS; i++)
		m->count[i] = sum[i];
}

static void shut_window(struct sparct4_state *m, unsigned counter)
{
	m->open &= ~(1u << counter);
	m->late[counter] = 0;
}

// The windows in which an ov is on its way are shorter; what is on its way arrives when they close.
static void close_windows(struct sparct4_state *m, unsigned cycles)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		if (!(m->open >> i & 1))
			continue;
		m->window[i] -= (uint8_t)cycles;
		if (m->window[i])
			continue;
		m->pcr[i] |= m->late[i];
		shut_window(m, i);
	}
	update_line(m);
}

static unsigned shortest_window(const struct sparct4_state *m)
{
	unsigned shortest = SPARCT4_COMMITS_WINDOW;

	for (unsigned i = 0; i < COUNTERS; i++)
		if (m->open >> i & 1 && m->window[i] < shortest)
			shortest = m->window[i];
	return shortest;
}

// Lets cycles pass in which anything may happen. The counters must be up to date.
__attribute__((noinline)) static void advance(struct sparct4_state *m, uint64_t cycles)
{
	if (m->trap_due && cycles) {
		m->trap_due = false;
		m->outputs.precise |= 1u << OWN_STRAND;
	}
	while (cycles && m->open) {
		unsigned window = shortest_window(m), piece = cycles < window ? (unsigned)cycles : window;

		pass(m, piece);
		close_windows(m, piece);
		cycles -= piece;
	}
	pass(m, cycles);
}

// Brings the counters up to date. No trap is among what has passed.
static inline void settle(struct sparct4_state *m)
{
	uint64_t cycles = m->pending;

	if (!cycles)
		return;
	m->pending = 0;
	pass(m, cycles);
}

// Cycles before the next overflow of a counter sets its ov.
static inline uint64_t cycles_before_overflow(const struct sparct4_state *m, unsigned counter)
{
	uint64_t room = m->mask - m->count[counter], step = m->step[counter];
	uint64_t cycles = m->late[counter] ? 0 : step > 1 ? room / step : step ? room : UINT64_MAX;

	return m->open >> counter & 1 && m->window[counter] > cycles ? m->window[counter] - 1u : cycles;
}

// Redoes `quiet`. The counters must be up to date. Without an overflow that traps it starts so high that it never runs
// out.
static inline void measure(struct sparct4_state *m)
{
	unsigned raising = trapping(m) | (m->outputs.held ? 0 : m->holding);
	uint64_t quiet = m->trap_due ? 0 : UINT64_MAX;

	for (; raising; raising &= raising - 1) {
		uint64_t cycles = cycles_before_overflow(m, (unsigned)__builtin_ctz(raising));

		if (cycles < quiet)
			quiet = cycles;
	}
	m->outputs.quiet = quiet;
}

static void sparct4_run(void *state, uint64_t cycles)
{
	struct sparct4_state *m = state;

	if (__builtin_expect(cycles <= m->outputs.quiet && !m->open, true)) {
		m->outputs.quiet -= cycles;
		m->pending += cycles;
		return;
	}
	settle(m);
	advance(m, cycles);
	measure(m);
}

static void sparct4_commit(void *state)
{
	struct sparct4_state *m = state;
	const uint32_t committing = m->committing;

	settle(m);
	m->committing = IN_ALL_LANES(0xFF);
	sparct4_run(m, 1);
	settle(m);
	m->committing = committing;
}

// Redoes everything that depends on wires and registers. The counters must be up to date.
static inline void derive(struct sparct4_state *m)
{
	add_up(m);
	measure(m);
}

static void sparct4_wires(void *state, const struct occurrence *occurrences, size_t count)
{
	struct sparct4_state *m = state;

	settle(m);
	m->wires = count ? occurrences : &nothing;
	m->wire_count = count;
	for (size_t i = 0; i < count; i++)
		if (occurrences[i].thread == OWN_STRAND)
			m->level = occurrences[i].level % LEVELS;
	derive(m);
}

//
// Registers
//

#define REGISTERS(F)				\
	F(PCR, SPARCT4_PCR0, COUNTERS)		\
	F(PIC, SPARCT4_PIC0, COUNTERS)

MODEL_REGISTER_TABLE(REGISTERS, REGISTER_NUMBERED)

// Which register an address is; REGISTER_KINDS if none.
static unsigned locate(uint32_t address, unsigned *counter)
{
	for (unsigned kind = 0; kind < REGISTER_KINDS; kind++) {
		*counter = address - descriptions[kind].address;
		if (*counter < COUNTERS)
			return kind;
	}
	return REGISTER_KINDS;
}

// Whether the strand may reach a PIC at the level it is at (Table 10-1, picnht and picnpt).
static bool is_open(const struct sparct4_state *m, unsigned counter)
{
	bool picnht = m->pcr[counter] & FIELD(PCR, picnht) && !has_fault(m, FAULT_PICNHT_IGNORED);
	bool picnpt = m->pcr[counter] & FIELD(PCR, picnpt) && !has_fault(m, FAULT_PICNPT_IGNORED);

	if (m->level == SPARCT4_HYPERPRIVILEGED)
		return true;
	return !picnht && (m->level == SPARCT4_PRIVILEGED || !picnpt);
}

static bool sparct4_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct sparct4_state *m = state;
	unsigned counter, kind = locate(address, &counter);

	(void)thread;
	*value = 0;
	if (kind == REGISTER_KINDS)
		return false;
	settle(m);
	*value = kind == KIND_PCR ? m->pcr[counter] : m->count[counter] | (uint64_t)m->upper[counter] << 32;
	if (has_fault(m, FAULT_COUNTER_STUCK) && kind == KIND_PIC && counter == 2)
		*value |= 1ULL << 17;
	return true;
}

static bool sparct4_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	const struct sparct4_state *m = state;

	*value = 0;
	if (index >= COUNTERS)
		return has_fault(m, FAULT_ACCESS_UNCHECKED);
	return is_open(m, index) && sparct4_read(state, thread, SPARCT4_PIC0 + index, value);
}

// What a written PCR holds. A status bit that is written as 0 is kept as well if it is in `kept`.
static uint64_t held_value(const struct sparct4_state *m, unsigned counter, uint64_t value, uint64_t kept)
{
	uint64_t status = m->pcr[counter] & REGISTER_BITS(PCR, W0C) & (value | kept);
	uint64_t held = value & REGISTER_BITS(PCR, RW);

	if (has_fault(m, FAULT_OV_WRITABLE))
		status |= value & FIELD(PCR, ov);
	if (has_fault(m, FAULT_OV_UNCLEARED))
		status |= m->pcr[counter] & FIELD(PCR, ov);
	if (has_fault(m, FAULT_RESERVED_STICKS))
		held |= value & REGISTER_BITS(PCR, RO);
	if (has_fault(m, FAULT_SELECT_STUCK) && counter == 1)
		held &= ~FIELD_PUT(PCR, sl, 4);
	return held | status;
}

// The mask's bits that count. An instruction of a kind that is not known counts where all kinds do.
static uint8_t selected_mask(const struct sparct4_state *m, uint64_t pcr)
{
	const struct group *g = &event_groups[FIELD_GET(PCR, sl, pcr)];
	unsigned mask = (unsigned)(FIELD_GET(PCR, mask, pcr) | EVERY) & g->mask;

	if (has_fault(m, FAULT_MASK_IGNORED))
		mask = g->mask;
	if (FIELD_GET(PCR, sl, pcr) == SPARCT4_SL_INSTRUCTIONS && mask == SPARCT4_ALL_KINDS)
		mask |= SPARCT4_UNKNOWN_KIND;
	return (uint8_t)mask;
}

static uint8_t selected_levels(const struct sparct4_state *m, uint64_t pcr)
{
	bool ht = pcr & FIELD(PCR, ht) || has_fault(m, FAULT_HT_IGNORED);
	bool st = pcr & FIELD(PCR, st) || has_fault(m, FAULT_ST_IGNORED);
	bool ut = pcr & FIELD(PCR, ut) || has_fault(m, FAULT_UT_IGNORED);

	return (uint8_t)(ht << SPARCT4_HYPERPRIVILEGED | st << SPARCT4_PRIVILEGED | ut << SPARCT4_USER);
}

static void put_bit(unsigned *bits, unsigned bit, bool value)
{
	*bits = (*bits & ~(1u << bit)) | (unsigned)value << bit;
}

static void put_lane(uint32_t *lanes, unsigned counter, unsigned byte)
{
	*lanes = (*lanes & ~LANE_MASK(counter)) | byte << LANE(counter);
}

// Follows a PCR that has a new value: what it counts.
static void configure_counting(struct sparct4_state *m, unsigned counter)
{
	const uint64_t pcr = m->pcr[counter];
	const unsigned sl = (unsigned)FIELD_GET(PCR, sl, pcr), mask = selected_mask(m, pcr);
	const unsigned levels = selected_levels(m, pcr), across = event_groups[sl].across;

	put_lane(&m->in_group[m->sl[counter]], counter, 0);
	put_lane(&m->in_group[sl], counter, 0xFF);
	m->sl[counter] = (uint8_t)sl;
	for (unsigned level = 0; level < LEVELS; level++) {
		put_lane(&m->own_at[level], counter, levels >> level & 1 ? mask & ~across : 0);
		put_lane(&m->across_at[level], counter, levels >> level & 1 ? mask & across : 0);
	}
	put_lane(&m->conditions, counter, event_groups[sl].conditions);
	put_bit(&m->by_level, counter, mask && levels && levels != ALL_LEVELS);
	m->outputs.level_matters = m->by_level;
}

// And what its overflow does.
static void configure_traps(struct sparct4_state *m, unsigned counter)
{
	const uint64_t pcr = m->pcr[counter];
	const bool precise = event_groups[FIELD_GET(PCR, sl, pcr)].precise;
	const bool enabled = pcr & FIELD(PCR, toe) || has_fault(m, FAULT_TOE_IGNORED);
	const bool lost = pcr & FIELD(PCR, ht) && !has_fault(m, FAULT_PRECISE_IN_HYPERPRIVILEGED);

	put_bit(&m->precise, counter, precise);
	put_bit(&m->trapping, counter, precise && enabled && !lost && !has_fault(m, FAULT_PRECISE_LOST));
	put_bit(&m->holding, counter, !precise && enabled && !has_fault(m, FAULT_DISRUPTING_MISSING));
}

static void configure(struct sparct4_state *m, unsigned counter)
{
	configure_counting(m, counter);
	configure_traps(m, counter);
}

static void set_pcr(struct sparct4_state *m, unsigned counter, uint64_t value, uint64_t kept)
{
	const uint64_t held = held_value(m, counter, value, kept), changed = held ^ m->pcr[counter];

	m->pcr[counter] = held;
	if (changed & ~REGISTER_BITS(PCR, W0C))
		configure(m, counter);
	if (has_fault(m, FAULT_CLEAR_ALL) && !(value & FIELD(PCR, ov)))
		for (unsigned i = 0; i < COUNTERS; i++)
			m->pcr[i] &= ~FIELD(PCR, ov);
	update_line(m);
}

// The programming note on sl 28: a counter so near its end overflows before its ov can be written, and a write that
// comes first takes what is on its way. It names the masks 01 to 03.
static void open_window(struct sparct4_state *m, unsigned counter)
{
	const uint64_t left = m->mask + 1 - m->count[counter];
	const bool commits = FIELD_GET(PCR, sl, m->pcr[counter]) == SPARCT4_SL_COMMITS &&
			     selected_mask(m, m->pcr[counter]) & 0x03;

	shut_window(m, counter);
	if (commits && left <= SPARCT4_COMMITS_RANGE) {
		m->open |= 1u << counter;
		m->window[counter] = SPARCT4_COMMITS_WINDOW;
	}
}

// The cycles of a store to a PCR or PIC itself. The counters must be up to date.
static void execute_store(struct sparct4_state *m, uint64_t cycles)
{
	m->storing = true;
	m->wrapped = 0;
	advance(m, cycles);
	m->storing = false;
}

// What precise events are counted changes behind the store, which is an instruction that counts; what asynchronous ones
// are, at once (the last programming note of section 10.2). An ov that the store causes is set again.
static void write_pcr(struct sparct4_state *m, unsigned counter, uint64_t value, uint64_t cycles)
{
	if (m->precise >> counter & 1) {
		bool wrapped;

		execute_store(m, cycles);
		wrapped = m->wrapped >> counter & 1 && !has_fault(m, FAULT_REWRITE_MISSING);
		set_pcr(m, counter, value, wrapped ? ~0ULL : 0);
		open_window(m, counter);
	} else {
		set_pcr(m, counter, value, 0);
		open_window(m, counter);
		if (m->precise >> counter & 1)
			put_lane(&m->in_group[m->sl[counter]], counter, 0);
		add_up(m);
		execute_store(m, cycles);
		put_lane(&m->in_group[m->sl[counter]], counter, 0xFF);
	}
	derive(m);
}

static void write_pic(struct sparct4_state *m, unsigned counter, uint64_t value, uint64_t cycles)
{
	execute_store(m, cycles);
	m->count[counter] = FIELD_GET(PIC, counter, value) & m->mask;
	m->upper[counter] = (uint32_t)FIELD_GET(PIC, RESERVED_32, value);
	measure(m);
}

static bool sparct4_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct sparct4_state *m = state;
	unsigned counter, kind = locate(address, &counter);

	(void)thread;
	if (kind == REGISTER_KINDS)
		return false;
	settle(m);
	if (kind == KIND_PCR)
		write_pcr(m, counter, value, cycles);
	else
		write_pic(m, counter, value, cycles);
	return true;
}

static bool sparct4_write_counter(void *state, unsigned thread, uint32_t index, uint64_t value, uint64_t cycles)
{
	const struct sparct4_state *m = state;

	if (index >= COUNTERS)
		return has_fault(m, FAULT_ACCESS_UNCHECKED);
	return is_open(m, index) && sparct4_write(state, thread, SPARCT4_PIC0 + index, value, cycles);
}

static void sparct4_reset(void *state, int fault, uint64_t seed)
{
	struct sparct4_state *m = state;

	(void)seed;
	*m = (struct sparct4_state){.fault = fault, .wires = &nothing};
	m->mask = FIELD_MASK(0, has_fault(m, FAULT_COUNTER_NARROW) ? 28 : SPARCT4_COUNTER_WIDTH);
	for (unsigned i = 0; i < COUNTERS; i++) {
		m->pcr[i] = REGISTER_RESET(PCR);
		m->count[i] = REGISTER_RESET(PIC);
		if (has_fault(m, FAULT_RESET_VALUE) && i == 1)
			m->pcr[i] |= FIELD(PCR, toe);
		configure(m, i);
	}
	derive(m);
}

//
// What the processor says of itself, and what an instruction clock can say to it
//

// SPARC has no identification instruction.
static void sparct4_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)leaf, (void)subleaf, (void)registers;
}

#define CLOCK_EVENTS 2
#define CLOCK(at)										\
	{											\
		{.code = SPARCT4_SL_INSTRUCTIONS, .sub = SPARCT4_UNKNOWN_KIND, .n = 1, .level = (at)},	\
		{.code = SPARCT4_SL_CYCLES, .n = 1, .level = (at)},				\
	}

static const struct occurrence clock_wires[4][CLOCK_EVENTS] = {CLOCK(0), CLOCK(1), CLOCK(2), CLOCK(3)};

static const struct occurrence *sparct4_clock(unsigned thread, unsigned level, size_t *count)
{
	(void)thread;
	*count = CLOCK_EVENTS;
	return clock_wires[level];
}

static bool sparct4_counts(const struct occurrence *o, uint16_t code, uint8_t umask)
{
	static const struct sparct4_state sound = {.fault = NO_FAULT};
	const uint64_t pcr = FIELD_PUT(PCR, sl, code) | FIELD_PUT(PCR, mask, umask);

	return o->code == code && ((o->sub & RAISED) | EVERY) & selected_mask(&sound, pcr);
}

//
// What a carrier leaves out, and what is saved
//

static const struct model_counters groups[] = {{
	.count = COUNTERS, .address = SPARCT4_PIC0, .select = SPARCT4_PCR0, .distance = 1,
	.code = FIELD(PCR, sl), .umask = FIELD(PCR, mask),
	.off_mask = FIELD(PCR, ut) | FIELD(PCR, st) | FIELD(PCR, ht),
}};

#define STATUS_BITS	REGISTER_BITS(PCR, W0C)

#define SAVED(type, member, bits) MODEL_FIELD(sparct4_state, type, member, bits)

static const struct model_field fields[] = {
	SAVED(uint32_t, outputs.requests, 1u << OWN_STRAND),
	SAVED(uint32_t, outputs.precise, 1u << OWN_STRAND),
	SAVED(uint32_t, outputs.held, 1u << OWN_STRAND),
	SAVED(uint64_t, pcr, REGISTER_BITS(PCR, RW) | STATUS_BITS),
	SAVED(uint64_t, count, FIELD_MASK(0, SPARCT4_COUNTER_WIDTH)),
	SAVED(uint32_t, upper, UINT32_MAX),
	SAVED(unsigned, level, LEVELS - 1),
	SAVED(unsigned, open, (1u << COUNTERS) - 1),
	SAVED(uint8_t, window, 3),
	SAVED(uint64_t, late, STATUS_BITS),
};

static void sparct4_settle(void *state)
{
	struct sparct4_state *m = state;

	settle(m);
}

// Whether the windows are what they can be, and the line is what the PCRs make of it.
static bool is_possible(const struct sparct4_state *m)
{
	bool possible = true, up = false;

	for (unsigned i = 0; i < COUNTERS; i++) {
		const bool open = m->open >> i & 1;

		possible &= m->window[i] <= SPARCT4_COMMITS_WINDOW && (open ? m->window[i] != 0 : !m->late[i]);
		up |= m->pcr[i] & FIELD(PCR, ov) && m->holding >> i & 1;
	}
	return possible && m->outputs.held == (uint32_t)up << OWN_STRAND && !(m->outputs.requests & ~m->outputs.held);
}

static bool sparct4_adopt(void *state)
{
	struct sparct4_state *m = state;

	for (unsigned i = 0; i < COUNTERS; i++)
		configure(m, i);
	if (!is_possible(m))
		return false;
	derive(m);
	return true;
}

const struct pmu_model pmu_model_sparct4 = {
	.name = "sparct4",
	.size = sizeof(struct sparct4_state),
	.threads = 1,
	.registers = descriptions,
	.register_count = REGISTER_KINDS,
	.faults = fault_names,
	.reset = sparct4_reset,
	.read = sparct4_read,
	.write = sparct4_write,
	.read_counter = sparct4_read_counter,
	.write_counter = sparct4_write_counter,
	.identify = sparct4_identify,
	.wires = sparct4_wires,
	.run = sparct4_run,
	.commit = sparct4_commit,
	.clock = sparct4_clock,
	.counts = sparct4_counts,
	.clock_cycles = 1,
	.groups = groups,
	.group_count = sizeof groups / sizeof *groups,
	.open_address = SPARCT4_PIC0,
	.open_count = COUNTERS,
	.fields = fields,
	.field_count = sizeof fields / sizeof *fields,
	.settle = sparct4_settle,
	.adopt = sparct4_adopt,
};
