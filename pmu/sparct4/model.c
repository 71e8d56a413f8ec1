// SPDX-License-Identifier: BSD-2-Clause
// The performance counters of a SPARC T4 core as the hardware behaves: of each of its virtual processors (strands)
// four, each with a control register (PCR) of its own and a counter (PIC) of 32 bits. Registers and fields are in
// regs.h; what happens in a cycle comes in on the wires: an occurrence's code is the group (sl), its unit-mask bits are
// the group's mask bits. The manual: SPARC T4 Supplement, sections 10.2 and 10.3.

#include <string.h>

#include "model.h"
#include "model_tables.h"
#include "regs.h"

#define STRANDS		SPARCT4_STRANDS
#define COUNTERS	SPARCT4_COUNTERS	/* of a strand */
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

#define LATE_OV			1u
#define LATE_NTC		2u

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

struct strand {
	unsigned number;
	uint32_t bit;			// its own, in sets of strands
	uint64_t pcr[COUNTERS], count[COUNTERS];
	uint32_t upper[COUNTERS];	// of the PICs
	uint8_t sl[COUNTERS];		// of the PCRs
	// Made from the PCRs, a lane for each counter: all bits where its group is this one; mask bits that it counts
	// at a level, of this strand and across strands; those of them that are conditions.
	uint32_t in_group[1 << PCR_sl_WIDTH], own_at[LEVELS], across_at[LEVELS], conditions;
	// Counters by their bits: those that count at some level; those whose events are precise, those whose overflow
	// traps precisely unless the mode is hyperprivileged, those whose ov holds the line up.
	unsigned counting, precise, trapping, holding;
	unsigned by_level;		// those that count at some levels and not at others
	unsigned level;

	// Made from wires and registers: what each counter adds in a cycle, and lanes of counters for which a
	// next-to-commit instruction does.
	uint64_t step[COUNTERS], steps;	// steps: all bits of them
	uint32_t committing;

	// While a store to a PCR or PIC executes, itself a next-to-commit instruction: counters that wrap meanwhile.
	bool storing;
	unsigned wrapped;

	// Lanes: for how many cycles more a counter's ov takes its time, and what is on its way: LATE_OV, LATE_NTC.
	uint32_t window, late;
};

struct sparct4_state {
	struct model_outputs outputs;	// quiet counts down as cycles pass
	struct strand strand[STRANDS];
	uint64_t mask;			// of a count

	// Strands with counters that count at some level, as offsets in the state: the others' steps are 0. As bits:
	// those with open windows, those with a precise trap that a defect holds back.
	uint16_t active[STRANDS];
	unsigned active_count, opening, due;

	const struct occurrence *wires;
	size_t wire_count;
	bool committing;		// all that happens is of next-to-commit instructions
	uint64_t pending;		// cycles that have passed and are not in the counters yet
	int fault;
};

static inline struct strand *active_strand(struct sparct4_state *m, unsigned i)
{
	return (struct strand *)((char *)m + m->active[i]);
}

static inline bool has_fault(const struct sparct4_state *m, int fault)
{
	return __builtin_expect(m->fault == fault, false);
}

//
// What a counter sees in a cycle
//

// The mask bits of an occurrence that each counter counts. Events across strands count by this strand's own level,
// whoever causes them (footnote 13); the others must be this strand's.
static inline uint32_t counted_bits(const struct strand *s, const struct occurrence *o)
{
	uint32_t counts = s->across_at[s->level];

	if (o->code >= 1 << PCR_sl_WIDTH || !o->n)
		return 0;
	if (o->thread == s->number)
		counts |= s->own_at[o->level % LEVELS];
	return counts & s->in_group[o->code] & IN_ALL_LANES((o->sub & RAISED) | EVERY);
}

// Redoes what each counter of a strand adds in a cycle: all events, and one more if any condition holds.
static inline void add_up(const struct sparct4_state *m, struct strand *s)
{
	uint64_t step[COUNTERS] = {0}, steps = 0;
	uint32_t conditions = 0, committing = 0;

	for (const struct occurrence *o = m->wires, *end = o + m->wire_count; o < end; o++) {
		const uint32_t bits = counted_bits(s, o), events = bits & ~s->conditions;

		if (!bits)
			continue;
#pragma GCC unroll 4
		for (unsigned i = 0; i < COUNTERS; i++)
			step[i] += events & LANE_MASK(i) ? o->n : 0;
		conditions |= bits & s->conditions;
		committing |= o->type & OCCURRENCE_TYPE_COMMIT ? bits : 0;
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < COUNTERS; i++) {
		s->step[i] = step[i] + !!(conditions & LANE_MASK(i));
		steps |= s->step[i];
	}
	s->steps = steps;
	s->committing = committing;
}

//
// Overflows
//

// Counters whose overflow traps precisely now; others lose the trap (section 10.3).
static inline unsigned trapping(const struct sparct4_state *m, const struct strand *s)
{
	bool lost = s->level == SPARCT4_HYPERPRIVILEGED && !has_fault(m, FAULT_PRECISE_IN_HYPERPRIVILEGED);

	return lost ? 0 : s->trapping;
}

// A strand's line is a level: while a counter holds it up. What has been asked for and not been taken goes with it.
static void update_line(struct sparct4_state *m, const struct strand *s)
{
	struct model_outputs *outputs = &m->outputs;
	bool up = false;

	for (unsigned i = 0; i < COUNTERS; i++)
		up |= s->pcr[i] & FIELD(PCR, ov) && s->holding >> i & 1;
	if (!up) {
		outputs->requests &= ~s->bit;
		outputs->held &= ~s->bit;
	} else if (!(outputs->held & s->bit)) {
		outputs->requests |= s->bit;
		outputs->held |= s->bit;
	}
}

static inline unsigned lane_of(uint32_t lanes, unsigned counter)
{
	return lanes >> LANE(counter) & 0xFF;
}

// What an overflow leaves in the PCR: there, or on its way there.
static void leave_status(const struct sparct4_state *m, struct strand *s, unsigned counter)
{
	const bool commits = m->committing || s->committing & LANE_MASK(counter) ||
			     (s->storing && s->precise >> counter & 1);
	const bool ov = !has_fault(m, FAULT_OV_LOST), ntc = commits && !has_fault(m, FAULT_NTC_MISSING);

	if (lane_of(s->window, counter))
		s->late |= ((ov ? LATE_OV : 0) | (ntc ? LATE_NTC : 0)) << LANE(counter);
	else
		s->pcr[counter] |= FIELD_PUT(PCR, ov, ov) | FIELD_PUT(PCR, ntc, ntc);
}

__attribute__((noinline)) static void overflow(struct sparct4_state *m, struct strand *s, unsigned wrapped)
{
	if (has_fault(m, FAULT_SIMULTANEOUS_LOST))
		wrapped &= -wrapped;
	s->wrapped |= wrapped;
	for (unsigned rest = wrapped; rest; rest &= rest - 1)
		leave_status(m, s, (unsigned)__builtin_ctz(rest));
	update_line(m, s);
	if (!(wrapped & trapping(m, s)))
		return;
	*(has_fault(m, FAULT_PRECISE_LATE) ? &m->due : &m->outputs.precise) |= s->bit;
}

//
// The passing of cycles
//

// Nothing that an overflow does depends on how often it happens, so that any number of cycles is one step.
__attribute__((noinline)) static void pass_far(struct sparct4_state *m, struct strand *s, uint64_t cycles)
{
	unsigned wrapped = 0;

	for (unsigned i = 0; i < COUNTERS; i++) {
		unsigned __int128 sum = (unsigned __int128)s->step[i] * cycles + s->count[i];

		s->count[i] = (uint64_t)sum & m->mask;
		wrapped |= (unsigned)(sum > m->mask) << i;
	}
	if (wrapped)
		overflow(m, s, wrapped);
}

// The same, faster where products are short and nothing wraps.
static inline void pass(struct sparct4_state *m, struct strand *s, uint64_t cycles)
{
	uint64_t sum[COUNTERS], sums = 0;

	if (!s->steps)
		return;
#pragma GCC unroll 4
	for (unsigned i = 0; i < COUNTERS; i++) {
		sum[i] = s->step[i] * cycles + s->count[i];
		sums |= sum[i];
	}
	if (__builtin_expect((cycles | s->steps) >> 31 || sums & ~m->mask, false)) {
		pass_far(m, s, cycles);
		return;
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < COUNTERS; i++)
		s->count[i] = sum[i];
}

static inline void pass_all(struct sparct4_state *m, uint64_t cycles)
{
	for (unsigned i = 0; i < m->active_count; i++)
		pass(m, active_strand(m, i), cycles);
}

static void shut_window(struct sparct4_state *m, struct strand *s, unsigned counter)
{
	s->window &= ~LANE_MASK(counter);
	s->late &= ~LANE_MASK(counter);
	if (!s->window)
		m->opening &= ~s->bit;
}

// A strand's windows are shorter; what is on its way arrives when they close.
static void close_windows(struct sparct4_state *m, struct strand *s, unsigned cycles)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		const unsigned late = lane_of(s->late, i);

		if (!lane_of(s->window, i))
			continue;
		s->window -= cycles << LANE(i);
		if (lane_of(s->window, i))
			continue;
		s->pcr[i] |= FIELD_PUT(PCR, ov, !!(late & LATE_OV)) | FIELD_PUT(PCR, ntc, !!(late & LATE_NTC));
		shut_window(m, s, i);
	}
	update_line(m, s);
}

static unsigned shortest_window(const struct sparct4_state *m)
{
	unsigned shortest = SPARCT4_COMMITS_WINDOW;

	for (const struct strand *s = m->strand; s < m->strand + STRANDS; s++)
		for (unsigned i = 0; i < COUNTERS; i++)
			if (lane_of(s->window, i) && lane_of(s->window, i) < shortest)
				shortest = lane_of(s->window, i);
	return shortest;
}

// Lets cycles pass in which anything may happen. The counters must be up to date.
__attribute__((noinline)) static void advance(struct sparct4_state *m, uint64_t cycles)
{
	if (m->due && cycles) {
		m->outputs.precise |= m->due;
		m->due = 0;
	}
	while (cycles && m->opening) {
		unsigned window = shortest_window(m), piece = cycles < window ? (unsigned)cycles : window;

		pass_all(m, piece);
		for (struct strand *s = m->strand; s < m->strand + STRANDS; s++)
			if (s->window)
				close_windows(m, s, piece);
		cycles -= piece;
	}
	pass_all(m, cycles);
}

// Brings the counters up to date. No trap is among what has passed.
static inline void settle(struct sparct4_state *m)
{
	uint64_t cycles = m->pending;

	if (!cycles)
		return;
	m->pending = 0;
	pass_all(m, cycles);
}

// Cycles before the next overflow of a counter sets its ov.
static inline uint64_t cycles_before_overflow(const struct sparct4_state *m, const struct strand *s, unsigned counter)
{
	uint64_t room = m->mask - s->count[counter], step = s->step[counter];
	uint64_t cycles = step > 1 ? room / step : step ? room : UINT64_MAX;

	if (__builtin_expect(s->window != 0, false)) {
		const unsigned window = lane_of(s->window, counter);

		cycles = lane_of(s->late, counter) ? 0 : cycles;
		return window > cycles ? window - 1u : cycles;
	}
	return cycles;
}

// Cycles before the next overflow of a strand's traps. Without any that does it starts so high that it never runs out.
static inline uint64_t quiet_of(const struct sparct4_state *m, const struct strand *s)
{
	unsigned raising = trapping(m, s) | (m->outputs.held & s->bit ? 0 : s->holding);
	uint64_t quiet = UINT64_MAX;

	for (; raising; raising &= raising - 1) {
		uint64_t cycles = cycles_before_overflow(m, s, (unsigned)__builtin_ctz(raising));

		if (cycles < quiet)
			quiet = cycles;
	}
	return quiet;
}

// Redoes `quiet`. The counters must be up to date.
static inline void measure(struct sparct4_state *m)
{
	uint64_t quiet = m->due ? 0 : UINT64_MAX;

	for (unsigned i = 0; i < m->active_count; i++) {
		const uint64_t cycles = quiet_of(m, active_strand(m, i));

		if (cycles < quiet)
			quiet = cycles;
	}
	m->outputs.quiet = quiet;
}

// Cycles in which an overflow traps, or windows close.
__attribute__((noinline)) static void run_eventful(struct sparct4_state *m, uint64_t cycles)
{
	settle(m);
	advance(m, cycles);
	measure(m);
}

static void sparct4_run(void *state, uint64_t cycles)
{
	struct sparct4_state *m = state;

	if (__builtin_expect(cycles > m->outputs.quiet || m->opening, false)) {
		run_eventful(m, cycles);
		return;
	}
	m->outputs.quiet -= cycles;
	m->pending += cycles;
}

static void sparct4_commit(void *state)
{
	struct sparct4_state *m = state;

	settle(m);
	m->committing = true;
	sparct4_run(m, 1);
	settle(m);
	m->committing = false;
}

// Redoes everything that depends on the wires. The counters must be up to date.
static inline void derive(struct sparct4_state *m)
{
	const unsigned count = m->active_count;
	uint64_t quiet = m->due ? 0 : UINT64_MAX;

	for (unsigned i = 0; i < count; i++) {
		struct strand *s = active_strand(m, i);
		uint64_t cycles;

		add_up(m, s);
		cycles = quiet_of(m, s);
		if (cycles < quiet)
			quiet = cycles;
	}
	m->outputs.quiet = quiet;
}

static bool is_precise(const struct occurrence *o)
{
	return o->code < 1 << PCR_sl_WIDTH && event_groups[o->code].precise;
}

// The levels that strands are at. In the cycle of an instruction that changes the mode, precise events are still of the
// old one, asynchronous ones already of the new (the last programming note of section 10.2), which is where the strand
// is. If the same kind names several, it is at the least privileged: instructions lead down.
static void follow_levels(struct sparct4_state *m)
{
	uint8_t weight[STRANDS] = {0};		// of what has named the level

	for (const struct occurrence *o = m->wires, *end = o + m->wire_count; o < end; o++) {
		const unsigned strand = o->thread % STRANDS, level = o->level % LEVELS;
		const uint8_t here = (uint8_t)(1 + level + (is_precise(o) ? 0 : LEVELS));

		if (here > weight[strand]) {
			weight[strand] = here;
			m->strand[strand].level = level;
		}
	}
}

static void sparct4_wires(void *state, const struct occurrence *occurrences, size_t count)
{
	struct sparct4_state *m = state;

	settle(m);
	m->wires = count ? occurrences : &nothing;
	m->wire_count = count;
	follow_levels(m);
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

// Whether a strand may reach a PIC at the level it is at (Table 10-1, picnht and picnpt).
static bool is_open(const struct sparct4_state *m, const struct strand *s, unsigned counter)
{
	bool picnht = s->pcr[counter] & FIELD(PCR, picnht) && !has_fault(m, FAULT_PICNHT_IGNORED);
	bool picnpt = s->pcr[counter] & FIELD(PCR, picnpt) && !has_fault(m, FAULT_PICNPT_IGNORED);

	if (s->level == SPARCT4_HYPERPRIVILEGED)
		return true;
	return !picnht && (s->level == SPARCT4_PRIVILEGED || !picnpt);
}

static bool sparct4_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	struct sparct4_state *m = state;
	const struct strand *s = &m->strand[thread];
	unsigned counter, kind = locate(address, &counter);

	*value = 0;
	if (kind == REGISTER_KINDS)
		return false;
	settle(m);
	*value = kind == KIND_PCR ? s->pcr[counter] : s->count[counter] | (uint64_t)s->upper[counter] << 32;
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
	return is_open(m, &m->strand[thread], index) && sparct4_read(state, thread, SPARCT4_PIC0 + index, value);
}

// What a written PCR holds. A status bit that is written as 0 is kept as well if it is in `kept`.
static uint64_t held_value(const struct sparct4_state *m, const struct strand *s, unsigned counter, uint64_t value,
			   uint64_t kept)
{
	uint64_t status = s->pcr[counter] & REGISTER_BITS(PCR, W0C) & (value | kept);
	uint64_t held = value & REGISTER_BITS(PCR, RW);

	if (has_fault(m, FAULT_OV_WRITABLE))
		status |= value & FIELD(PCR, ov);
	if (has_fault(m, FAULT_OV_UNCLEARED))
		status |= s->pcr[counter] & FIELD(PCR, ov);
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

// A strand has a counter more, or less, that counts.
static void list_active(struct sparct4_state *m)
{
	m->active_count = 0;
	m->outputs.level_matters = false;
	for (unsigned i = 0; i < STRANDS; i++) {
		if (m->strand[i].counting)
			m->active[m->active_count++] = (uint16_t)offsetof(struct sparct4_state, strand[i]);
		m->outputs.level_matters |= m->strand[i].by_level != 0;
	}
}

// Follows a PCR that has a new value: what it counts.
static void configure_counting(struct sparct4_state *m, struct strand *s, unsigned counter)
{
	const uint64_t pcr = s->pcr[counter];
	const unsigned sl = (unsigned)FIELD_GET(PCR, sl, pcr), mask = selected_mask(m, pcr);
	const unsigned levels = selected_levels(m, pcr), across = event_groups[sl].across;
	const unsigned counting = s->counting, by_level = s->by_level;

	put_lane(&s->in_group[s->sl[counter]], counter, 0);
	put_lane(&s->in_group[sl], counter, 0xFF);
	s->sl[counter] = (uint8_t)sl;
	for (unsigned level = 0; level < LEVELS; level++) {
		put_lane(&s->own_at[level], counter, levels >> level & 1 ? mask & ~across : 0);
		put_lane(&s->across_at[level], counter, levels >> level & 1 ? mask & across : 0);
	}
	put_lane(&s->conditions, counter, event_groups[sl].conditions);
	put_bit(&s->counting, counter, mask && levels);
	put_bit(&s->by_level, counter, mask && levels && levels != ALL_LEVELS);
	if (!s->counting != !counting || !s->by_level != !by_level)
		list_active(m);
}

// And what its overflow does.
static void configure_traps(const struct sparct4_state *m, struct strand *s, unsigned counter)
{
	const uint64_t pcr = s->pcr[counter];
	const bool precise = event_groups[FIELD_GET(PCR, sl, pcr)].precise;
	const bool enabled = pcr & FIELD(PCR, toe) || has_fault(m, FAULT_TOE_IGNORED);
	const bool lost = pcr & FIELD(PCR, ht) && !has_fault(m, FAULT_PRECISE_IN_HYPERPRIVILEGED);

	put_bit(&s->precise, counter, precise);
	put_bit(&s->trapping, counter, precise && enabled && !lost && !has_fault(m, FAULT_PRECISE_LOST));
	put_bit(&s->holding, counter, !precise && enabled && !has_fault(m, FAULT_DISRUPTING_MISSING));
}

static void configure(struct sparct4_state *m, struct strand *s, unsigned counter)
{
	configure_counting(m, s, counter);
	configure_traps(m, s, counter);
}

static void set_pcr(struct sparct4_state *m, struct strand *s, unsigned counter, uint64_t value, uint64_t kept)
{
	const uint64_t held = held_value(m, s, counter, value, kept), changed = held ^ s->pcr[counter];

	s->pcr[counter] = held;
	if (changed & ~REGISTER_BITS(PCR, W0C))
		configure(m, s, counter);
	if (has_fault(m, FAULT_CLEAR_ALL) && !(value & FIELD(PCR, ov)))
		for (unsigned i = 0; i < COUNTERS; i++)
			s->pcr[i] &= ~FIELD(PCR, ov);
	update_line(m, s);
}

// The programming note on sl 28: a counter so near its end overflows before its ov can be written, and a write that
// comes first takes what is on its way. It names the masks 01 to 03.
static void open_window(struct sparct4_state *m, struct strand *s, unsigned counter)
{
	const uint64_t left = m->mask + 1 - s->count[counter];
	const bool commits = FIELD_GET(PCR, sl, s->pcr[counter]) == SPARCT4_SL_COMMITS &&
			     selected_mask(m, s->pcr[counter]) & 0x03;

	shut_window(m, s, counter);
	if (commits && left <= SPARCT4_COMMITS_RANGE) {
		m->opening |= s->bit;
		s->window |= (uint32_t)SPARCT4_COMMITS_WINDOW << LANE(counter);
	}
}

// The cycles of a store to a PCR or PIC itself. The counters must be up to date.
static void execute_store(struct sparct4_state *m, struct strand *s, uint64_t cycles)
{
	s->storing = true;
	s->wrapped = 0;
	advance(m, cycles);
	s->storing = false;
}

// What precise events are counted changes behind the store, which is an instruction that counts; what asynchronous ones
// are, at once (the last programming note of section 10.2). An ov that the store causes is set again.
static void write_pcr(struct sparct4_state *m, struct strand *s, unsigned counter, uint64_t value, uint64_t cycles)
{
	if (s->precise >> counter & 1) {
		bool wrapped;

		execute_store(m, s, cycles);
		wrapped = s->wrapped >> counter & 1 && !has_fault(m, FAULT_REWRITE_MISSING);
		set_pcr(m, s, counter, value, wrapped ? ~0ULL : 0);
		open_window(m, s, counter);
	} else {
		set_pcr(m, s, counter, value, 0);
		open_window(m, s, counter);
		if (s->precise >> counter & 1)
			put_lane(&s->in_group[s->sl[counter]], counter, 0);
		add_up(m, s);
		execute_store(m, s, cycles);
		put_lane(&s->in_group[s->sl[counter]], counter, 0xFF);
	}
	add_up(m, s);
	measure(m);
}

static void write_pic(struct sparct4_state *m, struct strand *s, unsigned counter, uint64_t value, uint64_t cycles)
{
	execute_store(m, s, cycles);
	s->count[counter] = FIELD_GET(PIC, counter, value) & m->mask;
	s->upper[counter] = (uint32_t)FIELD_GET(PIC, RESERVED_32, value);
	measure(m);
}

static bool sparct4_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	struct sparct4_state *m = state;
	unsigned counter, kind = locate(address, &counter);

	if (kind == REGISTER_KINDS)
		return false;
	settle(m);
	if (kind == KIND_PCR)
		write_pcr(m, &m->strand[thread], counter, value, cycles);
	else
		write_pic(m, &m->strand[thread], counter, value, cycles);
	return true;
}

static bool sparct4_write_counter(void *state, unsigned thread, uint32_t index, uint64_t value, uint64_t cycles)
{
	const struct sparct4_state *m = state;

	if (index >= COUNTERS)
		return has_fault(m, FAULT_ACCESS_UNCHECKED);
	return is_open(m, &m->strand[thread], index) &&
	       sparct4_write(state, thread, SPARCT4_PIC0 + index, value, cycles);
}

static void reset_strand(struct sparct4_state *m, unsigned number)
{
	struct strand *s = &m->strand[number];

	s->number = number;
	s->bit = 1u << number;
	for (unsigned i = 0; i < COUNTERS; i++) {
		s->pcr[i] = REGISTER_RESET(PCR);
		s->count[i] = REGISTER_RESET(PIC);
		if (has_fault(m, FAULT_RESET_VALUE) && i == 1)
			s->pcr[i] |= FIELD(PCR, toe);
		configure(m, s, i);
	}
}

static void sparct4_reset(void *state, int fault, uint64_t seed)
{
	struct sparct4_state *m = state;

	(void)seed;
	memset(m, 0, sizeof *m);
	m->fault = fault;
	m->wires = &nothing;
	m->mask = FIELD_MASK(0, has_fault(m, FAULT_COUNTER_NARROW) ? 28 : SPARCT4_COUNTER_WIDTH);
	for (unsigned i = 0; i < STRANDS; i++)
		reset_strand(m, i);
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
#define CLOCK(of, at)										\
	{											\
		{.code = SPARCT4_SL_INSTRUCTIONS, .sub = SPARCT4_UNKNOWN_KIND, .n = 1, .thread = (of), .level = (at)}, \
		{.code = SPARCT4_SL_CYCLES, .n = 1, .thread = (of), .level = (at)},		\
	}
#define CLOCKS(of) {CLOCK(of, 0), CLOCK(of, 1), CLOCK(of, 2), CLOCK(of, 3)}

static const struct occurrence clock_wires[STRANDS][LEVELS][CLOCK_EVENTS] = {
	CLOCKS(0), CLOCKS(1), CLOCKS(2), CLOCKS(3), CLOCKS(4), CLOCKS(5), CLOCKS(6), CLOCKS(7),
};

static const struct occurrence *sparct4_clock(unsigned thread, unsigned level, size_t *count)
{
	*count = CLOCK_EVENTS;
	return clock_wires[thread][level];
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

#define ALL_STRANDS	FIELD_MASK(0, STRANDS)

#define SAVED(type, member, bits) MODEL_FIELD(sparct4_state, type, member, bits)
#define SAVED_EACH(type, member, bits) MODEL_FIELD_EACH(sparct4_state, type, strand, member, bits)
#define SAVED_COUNTER(n)								\
	SAVED_EACH(uint64_t, pcr[n], REGISTER_BITS(PCR, RW) | STATUS_BITS),		\
	SAVED_EACH(uint64_t, count[n], FIELD_MASK(0, SPARCT4_COUNTER_WIDTH)),		\
	SAVED_EACH(uint32_t, upper[n], UINT32_MAX)

static const struct model_field fields[] = {
	SAVED(uint32_t, outputs.requests, ALL_STRANDS),
	SAVED(uint32_t, outputs.precise, ALL_STRANDS),
	SAVED(uint32_t, outputs.held, ALL_STRANDS),
	SAVED_EACH(unsigned, level, LEVELS - 1),
	SAVED_EACH(uint32_t, window, IN_ALL_LANES(3)),
	SAVED_EACH(uint32_t, late, IN_ALL_LANES(LATE_OV | LATE_NTC)),
	SAVED_COUNTER(0), SAVED_COUNTER(1), SAVED_COUNTER(2), SAVED_COUNTER(3),
};

static void sparct4_settle(void *state)
{
	struct sparct4_state *m = state;

	settle(m);
}

// Whether a strand's windows are what they can be, and its line is what the PCRs make of it.
static bool is_possible(const struct sparct4_state *m, const struct strand *s)
{
	bool possible = true, up = false;

	for (unsigned i = 0; i < COUNTERS; i++) {
		const unsigned window = lane_of(s->window, i);

		possible &= window <= SPARCT4_COMMITS_WINDOW && (window || !lane_of(s->late, i));
		up |= s->pcr[i] & FIELD(PCR, ov) && s->holding >> i & 1;
	}
	return possible && up == !!(m->outputs.held & s->bit);
}

static bool sparct4_adopt(void *state)
{
	struct sparct4_state *m = state;
	bool possible = !(m->outputs.requests & ~m->outputs.held);

	for (struct strand *s = m->strand; s < m->strand + STRANDS; s++) {
		for (unsigned i = 0; i < COUNTERS; i++)
			configure(m, s, i);
		m->opening |= s->window ? s->bit : 0;
		possible &= is_possible(m, s);
	}
	if (!possible)
		return false;
	derive(m);
	return true;
}

const struct pmu_model pmu_model_sparct4 = {
	.name = "sparct4",
	.size = sizeof(struct sparct4_state),
	.threads = STRANDS,
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
