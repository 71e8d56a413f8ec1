// SPDX-License-Identifier: BSD-2-Clause
// Requests: what the monitors can count, the control values, and the shared registers that an event
// needs in addition to its counter.

#include "driver.h"

#include "event.h"
#include "field.h"
#include "hal.h"
#include "pmu_driver.h"

#define NO_SET		3U	/* ism: counts in neither instruction set */
#define NOT_OTHER_SET	2U	/* ism: not in IA-32 code */
#define ALL_LEVELS	0xF

// Codes of the events of the register stack engine.
#define RSE_REFERENCES		0x65
#define RSE_LOADS		0x72

// Unit mask of ITANIUM_EVENT_RETIRED that counts instructions tagged by PMC9 (Table 7-30).
#define TAGGED_BY_PMC9		2

struct itanium_monitor itanium_monitors[HAL_CPUS] = {	// as after reset
	[0 ... HAL_CPUS - 1] = {.privileged = true, .levels = ALL_LEVELS},
};

//
// Address ranges (6.2.4, 6.2.6)
//

// Aligned blocks of 2^n bytes that together are exactly a range. A pair of breakpoint registers
// matches one block.
struct blocks {
	unsigned count;
	struct {
		uint64_t address, size;
	} block[ITANIUM_BREAKPOINTS];
};

#define BUNDLE_BYTES 16

static bool is_implemented(uint64_t address)
{
	uint64_t high = address >> (ITANIUM_ADDRESS_BITS - 1) & 0x7FF;		// bits 60:50

	return high == 0 || high == 0x7FF;
}

// Returns false if a range includes unimplemented addresses, or is two ranges with these between
// them.
static bool is_one_piece(uint64_t first, uint64_t last)
{
	return first <= last && is_implemented(first) && is_implemented(last) &&
	       first >> (ITANIUM_ADDRESS_BITS - 1) == last >> (ITANIUM_ADDRESS_BITS - 1);
}

// Splits a range into blocks. Returns false if the pairs of registers cannot match exactly this
// range.
static bool cover(uint64_t first, uint64_t last, struct blocks *b)
{
	b->count = 0;
	if (!is_one_piece(first, last))
		return false;
	for (;;) {
		uint64_t size = first ? first & -first : 1ULL << (ITANIUM_ADDRESS_BITS - 1);

		if (b->count == ITANIUM_BREAKPOINTS)
			return false;
		while (size - 1 > last - first)
			size >>= 1;
		b->block[b->count].address = first;
		b->block[b->count++].size = size;
		if (size - 1 == last - first)
			return true;
		first += size;
	}
}

// Extends a code range to whole bundles.
static bool cover_code(const struct event_range *range, struct blocks *b)
{
	return range->first <= range->last &&
	       cover(range->first & -BUNDLE_BYTES, range->last | (BUNDLE_BYTES - 1), b);
}

static bool cover_data(const struct event_range *range, struct blocks *b)
{
	return cover(range->first, range->last, b);
}

//
// Needs of a request
//

static bool is_tagged_by_pmc9(const struct event_request *r)
{
	return r->event->code == ITANIUM_EVENT_RETIRED && r->umask == TAGGED_BY_PMC9;
}

// Moves the encoding bits that the matchers compare, 40:27 and 12:0, next to each other (6.2.5).
#define ENCODING_BITS	41
#define COMPARED	(FIELD_MASK(27, 14) | FIELD_MASK(0, 13))

static uint64_t compared_bits(uint64_t encoding)
{
	return (encoding >> 27 & FIELD_MASK(0, 14)) << 13 | (encoding & FIELD_MASK(0, 13));
}

// Bits 26:13 cannot be compared: a request must leave them open.
static bool can_match(const struct event_opcode *o)
{
	const uint64_t compare = ~o->mask & FIELD_MASK(0, ENCODING_BITS);

	return o->types && !(o->types & ~0xF) && !(compare & ~COMPARED) &&
	       !(o->match >> ENCODING_BITS);
}

// With a data range, only the data address qualifies references of the register stack engine
// (6.2.6).
static bool is_qualified_by_data_alone(const struct event_request *r)
{
	return r->data_range.given && (r->event->code == RSE_REFERENCES ||
				       r->event->code == RSE_LOADS);
}

static bool can_qualify(const struct event_request *r)
{
	const struct pmu_event *e = r->event;
	struct blocks blocks;

	if (is_qualified_by_data_alone(r) && (r->code_range.given || r->opcode.given))
		return false;
	if (r->code_range.given && (!e->code_range || !cover_code(&r->code_range, &blocks)))
		return false;
	if (r->data_range.given && (!e->data_range || !cover_data(&r->data_range, &blocks)))
		return false;
	return !r->opcode.given || (e->opcode && can_match(&r->opcode));
}

// Tables 6-12 and 6-17: unit mask n captures latencies of 4 * 2^n cycles and more.
#define LATENCY_LEAST	4
#define LATENCY_MOST	4096

static bool is_latency_threshold(unsigned latency)
{
	return !latency ||
	       (latency >= LATENCY_LEAST && latency <= LATENCY_MOST && !(latency & (latency - 1)));
}

static unsigned latency_mask(unsigned latency)
{
	return latency ? (unsigned)__builtin_ctz(latency / LATENCY_LEAST) : 0;
}

// Defined unit-mask bits for translation misses (Tables 6-14, 6-19).
#define INSTRUCTION_MISSES	0xC
#define DATA_MISSES		0xE

// The conditions of a branch request have the bit positions of PMC12.
#define BRANCH_CONDITIONS	0xFF80

static bool is_timer(const struct event_request *r)
{
	return r->event->counters >> ITANIUM_TIMER & 1;
}

// Returns the recorders whose contents a request's samples carry: its event's own, and those it
// asks for.
unsigned itanium_recorders(const struct event_request *r)
{
	const unsigned code = r->event->code;

	return (code == DATA_EAR_EVENTS || r->modifiers & EVENT_DATA_EAR ? RECORDER_DATA : 0) |
	       (code == INSTRUCTION_EAR_EVENTS ||
		r->modifiers & EVENT_INST_EAR ? RECORDER_INSTRUCTION : 0) |
	       (code == BRANCH_EVENT || r->modifiers & EVENT_BRANCHES ? RECORDER_BRANCHES : 0);
}

// Returns whether the recorders support the request's settings, and whether it has none for
// recorders it does not use.
static bool can_record(const struct event_request *r)
{
	const unsigned recorders = itanium_recorders(r), addresses = recorders & ~RECORDER_BRANCHES;

	if (r->branches && (!(recorders & RECORDER_BRANCHES) || r->branches & ~BRANCH_CONDITIONS))
		return false;
	if (!addresses)
		return !r->tlb && !r->latency;
	if (r->tlb)
		return !r->latency &&
		       !(r->tlb & ~(addresses == RECORDER_DATA ? DATA_MISSES : INSTRUCTION_MISSES));
	return is_latency_threshold(r->latency);
}

// A range, an opcode or a branch condition works in Itanium code only, so ism excludes IA-32 code
// (6.1.3.3).
static unsigned masked_sets(const struct event_request *r)
{
	bool own_only = r->code_range.given || r->opcode.given || r->event->code == BRANCH_EVENT;

	return r->sets | (own_only ? NOT_OTHER_SET : 0);
}

// Returns why a combination of otherwise possible parts is impossible; NULL if it is possible.
static const char *objection_to_parts(const struct event_request *r)
{
	const unsigned addresses = itanium_recorders(r) & ~RECORDER_BRANCHES;

	if (addresses == (RECORDER_DATA | RECORDER_INSTRUCTION))
		return "a sample carries one event address: dear, or iear";
	if (addresses && r->tlb && r->latency)
		return "an event address register captures either translation misses (tlb) or "
		       "latencies (lat)";
	if (addresses && !is_latency_threshold(r->latency))
		return "lat is one of 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096 cycles";
	if (r->modifiers & EVENT_SILENT && r->period)
		return "without oi no interrupt comes that could take samples";
	if (is_timer(r) && (r->levels != ALL_LEVELS || r->sets || r->cmask ||
			    r->modifiers & (EVENT_VISIBLE | EVENT_SILENT)))
		return "the interval timer is no monitor: it has no levels, no ism, no threshold, "
		       "no ev and no oi";
	return NULL;
}

/* most that PMC6-7 take in a cycle, and their highest threshold (6.2.2) */
#define NARROW_MOST	3
#define WIDE_MOST	7

#define NO_MODIFIERS	(EVENT_EDGE | EVENT_INV | EVENT_ANY | EVENT_PRECISE | EVENT_PREFERRED | \
			 EVENT_OPEN)

uint64_t itanium_choices(const struct event_request *r)
{
	uint64_t choices = event_counters(r) & (ITANIUM_COUNTER_MASK | 1ULL << ITANIUM_TIMER);

	if (r->event->max > NARROW_MOST || r->cmask > NARROW_MOST)
		choices &= ITANIUM_WIDE_MASK;
	if (r->cmask > WIDE_MOST || r->modifiers & NO_MODIFIERS ||
	    !(r->levels & itanium_monitor()->levels) ||
	    masked_sets(r) == NO_SET || !can_qualify(r) || !can_record(r) || objection_to_parts(r))
		choices = 0;
	if (r->counter != EVENT_ANY_COUNTER)
		choices &= 1ULL << r->counter;
	return choices;
}

uint64_t itanium_encode(const struct event_request *r, unsigned counter)
{
	const struct itanium_monitor *m = itanium_monitor();
	const uint64_t asked = (r->modifiers & EVENT_DATA_EAR ? RECORDER_DATA : 0) |
			       (r->modifiers & EVENT_INST_EAR ? RECORDER_INSTRUCTION : 0) |
			       (r->modifiers & EVENT_BRANCHES ? RECORDER_BRANCHES : 0);
	const uint64_t recorders = asked << SELECT_RECORDERS_LOW;

	if (counter == ITANIUM_TIMER)
		return recorders;
	return FIELD_PUT(PMC4, plm, r->levels & m->levels) |
	       FIELD_PUT(PMC4, ev, !!(r->modifiers & EVENT_VISIBLE)) |
	       FIELD_PUT(PMC4, oi, !(r->modifiers & EVENT_SILENT)) |
	       FIELD_PUT(PMC4, pm, m->privileged) |
	       FIELD_PUT(PMC4, es, event_code(r)) | FIELD_PUT(PMC4, umask, r->umask) |
	       FIELD_PUT(PMC4, threshold, r->cmask) | FIELD_PUT(PMC4, ism, masked_sets(r)) |
	       recorders;
}

bool itanium_polled(const struct event_request *r)
{
	return r->modifiers & EVENT_SILENT;
}

//
// Resources of other software
//

// The condition bits of breakpoint registers, in the odd register of a pair. A range has them clear
// (6.2.4).
#define CODE_CONDITIONS	FIELD(IBR1, x)
#define DATA_CONDITIONS	(FIELD(DBR1, r) | FIELD(DBR1, w))

// Returns the number of a file's first register with a breakpoint set; -1: none.
static int breakpoint(uint32_t first, uint64_t conditions)
{
	for (int i = 1; i < 2 * ITANIUM_BREAKPOINTS; i += 2) {
		uint64_t value = 0;

		if (reg_read(first + (uint32_t)i, &value) && value & conditions)
			return i;
	}
	return -1;
}

// "It is not possible to constrain monitoring when the IBRs are used in their architectural
// break-point capacity, i.e. when PSR.db or an IBR x-bit is set" (6.2.4), nor by data addresses
// with PSR.db (6.2.6). Moreover, the debugger owns the registers.
static const char *objection_to_ranges(const struct event_request *r)
{
	static const char *const in_use[2][ITANIUM_BREAKPOINTS] = {
		{"a debugger uses IBR1 (x is set)", "a debugger uses IBR3 (x is set)",
		 "a debugger uses IBR5 (x is set)", "a debugger uses IBR7 (x is set)"},
		{"a debugger uses DBR1 (r or w is set)", "a debugger uses DBR3 (r or w is set)",
		 "a debugger uses DBR5 (r or w is set)", "a debugger uses DBR7 (r or w is set)"},
	};
	int code = -1, data = -1;
	uint64_t status = 0;

	if (!r->code_range.given && !r->data_range.given)
		return NULL;
	if (reg_read(ITANIUM_PSR, &status) && status & FIELD(PSR, db))
		return "a debugger uses the breakpoint registers (PSR.db is set)";
	if (r->code_range.given)
		code = breakpoint(ITANIUM_IBR(0), CODE_CONDITIONS);
	if (r->data_range.given)
		data = breakpoint(ITANIUM_DBR(0), DATA_CONDITIONS);
	if (code >= 0)
		return in_use[0][code / 2];
	return data >= 0 ? in_use[1][data / 2] : NULL;
}

// The timer is in use by an operating system's clock, or by another session. A counter without oi
// of a new session cannot rely on that session's timer, because polling would end with it.
static const char *objection_to_timer(const struct event_request *r)
{
	const bool silent = r->modifiers & EVENT_SILENT;
	uint64_t vector = 0, overflow = 0;

	if ((!is_timer(r) && !silent) || !reg_read(ITANIUM_ITV, &vector) || vector & FIELD(ITV, m))
		return NULL;
	if (!silent)
		return "other software uses the interval timer (ITV.m is 0)";
	reg_read(ITANIUM_PMV, &overflow);
	if (FIELD_GET(ITV, vector, vector) != FIELD_GET(PMV, vector, overflow))
		return NULL;
	return "another session uses the interval timer, which polls counters without oi";
}

static const char *objection_to_owners(const struct event_request *r)
{
	const char *why = objection_to_ranges(r);

	return why ? why : objection_to_timer(r);
}

const char *itanium_objection(const struct event_request *r)
{
	const char *why = objection_to_parts(r);

	return why ? why : objection_to_owners(r);
}

bool itanium_available(const struct event_request *r)
{
	return !objection_to_owners(r);
}

//
// Settings
//

static struct pmu_setting *need(struct pmu_setting *s, uint32_t address, uint64_t mask,
				uint64_t value, uint64_t idle)
{
	*s = (struct pmu_setting){.address = address, .mask = mask, .value = value, .idle = idle};
	return s + 1;
}

// Sets all pairs, so that no pair matches anything else: spare pairs repeat the last block. `held`
// selects the bits of the odd register, `conditions` goes with its mask.
static struct pmu_setting *need_blocks(struct pmu_setting *s, uint32_t first,
				       const struct blocks *b, uint64_t held, uint64_t conditions)
{
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		unsigned block = i < b->count ? i : b->count - 1;

		s = need(s, first + 2 * i, ~0ULL, b->block[block].address, 0);
		s = need(s, first + 2 * i + 1, held,
			 FIELD_PUT(IBR1, mask, -b->block[block].size) | conditions, 0);
	}
	return s;
}

// Writes the breakpoint registers before the bit that applies them.
static struct pmu_setting *need_code_range(struct pmu_setting *s, const struct event_request *r)
{
	const uint64_t all = FIELD(PMC13, ta);
	struct blocks blocks;

	if (!r->code_range.given)
		return need(s, ITANIUM_PMC(13), all, all, all);
	cover_code(&r->code_range, &blocks);
	s = need_blocks(s, ITANIUM_IBR(0), &blocks, REGISTER_BITS(IBR1, RW),
			FIELD_PUT(IBR1, plm, ALL_LEVELS));
	return need(s, ITANIUM_PMC(13), all, 0, all);
}

static struct pmu_setting *need_opcode(struct pmu_setting *s, const struct event_request *r)
{
	const uint64_t all = REGISTER_RESET(PMC8);
	const struct event_opcode *o = &r->opcode;
	uint64_t value = all;

	if (o->given)
		value = FIELD_PUT(PMC8, match, compared_bits(o->match)) |
			FIELD_PUT(PMC8, mask, compared_bits(o->mask)) |
			(uint64_t)o->types << PMC8_b_LOW;
	return need(s, ITANIUM_PMC(is_tagged_by_pmc9(r) ? 9 : 8), REGISTER_BITS(PMC8, RW), value,
		    all);
}

static struct pmu_setting *need_data_range(struct pmu_setting *s, const struct event_request *r)
{
	const uint64_t pass = FIELD(PMC11, pt);
	struct blocks blocks;

	if (!r->data_range.given)
		return need(s, ITANIUM_PMC(11), pass, pass, pass);
	cover_data(&r->data_range, &blocks);
	s = need_blocks(s, ITANIUM_DBR(0), &blocks, REGISTER_BITS(DBR1, RW),
			FIELD_PUT(DBR1, plm, ALL_LEVELS));
	return need(s, ITANIUM_PMC(11), pass, 0, pass);
}

// PMC10 and PMC11 have the same fields except pt, and PMC12 has the first of these fields.
static uint64_t recorder_enable(const struct event_request *r)
{
	return FIELD_PUT(PMC10, plm, r->levels & itanium_monitor()->levels) |
	       FIELD_PUT(PMC10, pm, itanium_monitor()->privileged);
}

static uint64_t address_recorder(const struct event_request *r)
{
	return recorder_enable(r) | FIELD_PUT(PMC10, tlb, r->tlb != 0) |
	       FIELD_PUT(PMC10, ism, masked_sets(r)) |
	       FIELD_PUT(PMC10, umask, r->tlb ? r->tlb : latency_mask(r->latency));
}

static struct pmu_setting *need_recorders(struct pmu_setting *s, const struct event_request *r,
					  unsigned recorders)
{
	if (recorders & RECORDER_INSTRUCTION)
		s = need(s, ITANIUM_PMC(10), REGISTER_BITS(PMC10, RW), address_recorder(r), 0);
	if (recorders & RECORDER_DATA)
		s = need(s, ITANIUM_PMC(11), REGISTER_BITS(PMC10, RW), address_recorder(r), 0);
	if (recorders & RECORDER_BRANCHES)
		s = need(s, ITANIUM_PMC(12), REGISTER_BITS(PMC12, RW),
			 recorder_enable(r) | (r->branches ? r->branches : BRANCH_CONDITIONS), 0);
	return s;
}

// Table 6-3. An event that honours a qualification needs it off, unless the request asks for it:
// otherwise another session's setting would apply to this event. The same holds for recorders: all
// honour the instruction address, those of data and branches the opcode.
unsigned itanium_settings(const struct event_request *r, unsigned counter,
			  struct pmu_setting settings[PMU_EVENT_SETTINGS])
{
	const unsigned recorders = itanium_recorders(r);
	struct pmu_setting *s = settings;

	(void)counter;
	if (r->event->code_range || recorders)
		s = need_code_range(s, r);
	if (r->event->opcode || recorders & (RECORDER_DATA | RECORDER_BRANCHES))
		s = need_opcode(s, r);
	if (r->event->data_range)
		s = need_data_range(s, r);
	s = need_recorders(s, r, recorders);
	return (unsigned)(s - settings);
}
