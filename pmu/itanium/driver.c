// SPDX-License-Identifier: BSD-2-Clause
// The Itanium processor's performance monitor as software drives it. Registers and fields are in regs.h.

#include "event.h"
#include "field.h"
#include "hal.h"
#include "pmu.h"
#include "regs.h"
#include "session.h"

#define FREEZE		FIELD(PMC0, fr)
#define STATUS_COUNTING	(FIELD(PSR, up) | FIELD(PSR, pp))	/* with both 0 nothing counts */
#define NO_SET		3U					/* ism: counts in neither instruction set */
#define NOT_OTHER_SET	2U					/* ism: not in IA-32 code */
#define ALL_LEVELS	0xF

// Event codes (7.8) whose counter samples what a recorder holds.
#define DATA_EAR_EVENTS		0x67
#define INSTRUCTION_EAR_EVENTS	0x23
#define BRANCH_EVENT		0x11

// Those of the register stack engine.
#define RSE_REFERENCES		0x65
#define RSE_LOADS		0x72

// Unit mask of ITANIUM_EVENT_RETIRED that counts what PMC9 tags (Table 7-30).
#define TAGGED_BY_PMC9		2

// What the driver knows of each CPU's monitor.
static struct {
	uint64_t live;			// counters whose PMC lets them count
	uint64_t select[ITANIUM_COUNTERS];
	bool privileged;		// of the scope: PMC.pm
	uint8_t levels;			// and the levels it has
} monitor[HAL_CPUS];

static uint32_t control_register(unsigned counter)
{
	return ITANIUM_PMC(counter);
}

static uint32_t itanium_address(unsigned counter)
{
	return ITANIUM_PMD(counter);
}

// CPUID register 3: the processor's family in bits 31:24.
#define CPUID_VERSION	3
#define FAMILY_ITANIUM	7

static bool itanium_probe(void)
{
	uint32_t version[4];

	hal_identify(CPUID_VERSION, 0, version);
	return version[0] >> 24 == FAMILY_ITANIUM;
}

static bool change(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value = 0;

	return reg_read(address, &value) && reg_write(address, (value & ~clear) | set);
}

//
// Freeze
//

// Stops all counting. *before: PMC0 as it was at that moment. While a counter could still overflow, a write of PMC0
// would lose the overflow bit that the hardware sets after the read: PSR stops the counters first.
static bool stop_counting(uint64_t *before)
{
	uint64_t status = 0;
	bool ok = reg_read(ITANIUM_PMC(0), before);

	if (*before & FREEZE)
		return ok;
	ok &= reg_read(ITANIUM_PSR, &status) && reg_write(ITANIUM_PSR, status & ~STATUS_COUNTING);
	ok &= reg_read(ITANIUM_PMC(0), before) && reg_write(ITANIUM_PMC(0), *before | FREEZE);
	return reg_write(ITANIUM_PSR, status) && ok;
}

static bool itanium_freeze(uint64_t *state)
{
	*state = 0;
	return stop_counting(state);
}

// Exactly as it was, with the overflow bits.
static bool itanium_thaw(uint64_t state)
{
	return reg_write(ITANIUM_PMC(0), state);
}

static bool itanium_overflow_status(uint64_t *overflowed)
{
	bool ok;

	*overflowed = 0;
	ok = reg_read(ITANIUM_PMC(0), overflowed);
	*overflowed &= FIELD(PMC0, overflow);
	return ok;
}

// To be called frozen: no bit appears between the read and the write.
static bool itanium_overflow_clear(uint64_t overflowed)
{
	return change(ITANIUM_PMC(0), overflowed & FIELD(PMC0, overflow), 0);
}

//
// Reset
//

// Section 6.2.9 defines few registers: all the others are written before anything depends on them, breakpoints before
// the bits that apply them to monitoring.
static bool reset_breakpoints(uint32_t first)
{
	bool ok = true;

	for (unsigned i = 0; i < 2 * ITANIUM_BREAKPOINTS; i++)
		ok &= reg_write(first + (i ^ 1), 0);	// conditions before addresses
	return ok;
}

static bool itanium_reset(void)
{
	bool ok = change(ITANIUM_PSR, STATUS_COUNTING | FIELD(PSR, db), FIELD(PSR, sp));

	ok &= reg_write(ITANIUM_PMC(0), FREEZE);
	for (unsigned i = 0; i < ITANIUM_COUNTERS; i++)
		ok &= reg_write(control_register(ITANIUM_FIRST_COUNTER + i), 0);
	ok &= reg_write(ITANIUM_PMC(10), 0);
	ok &= reg_write(ITANIUM_PMC(12), 0);
	ok &= reset_breakpoints(ITANIUM_IBR(0));
	ok &= reset_breakpoints(ITANIUM_DBR(0));
	ok &= reg_write(ITANIUM_PMC(8), REGISTER_RESET(PMC8));
	ok &= reg_write(ITANIUM_PMC(9), REGISTER_RESET(PMC8));
	ok &= reg_write(ITANIUM_PMC(11), REGISTER_RESET(PMC11));
	ok &= reg_write(ITANIUM_PMC(13), REGISTER_RESET(PMC13));
	for (unsigned i = 0; i < ITANIUM_PMDS; i++)
		ok &= reg_write(ITANIUM_PMD(i), 0);
	ok &= change(ITANIUM_DCR, 0, FIELD(DCR, pp));
	ok &= change(ITANIUM_PSR, 0, FIELD(PSR, pp));
	monitor[hal_cpu()] = (__typeof__(*monitor)){.privileged = true, .levels = ALL_LEVELS};
	return ok;
}

//
// Scopes (6.1.3.2)
//

// Figures 6-6 to 6-8: in each, what a monitor has and what the processes have that it monitors. The figures differ in
// which processes those are.
static const struct {
	bool privileged;
	uint8_t levels;
	uint64_t interruption;		// DCR
	uint64_t process;		// PSR
} reaches[] = {
	[PMU_REACH_USER] = {false, 0x8, 0, FIELD(PSR, up)},
	[PMU_REACH_KERNEL] = {false, 0x9, 0, FIELD(PSR, up)},
	[PMU_REACH_INTERRUPTIONS] = {true, 0x9, FIELD(DCR, pp), FIELD(PSR, pp)},
};

static bool itanium_scope(enum pmu_scope scope, enum pmu_reach reach, struct pmu_scope_status *status)
{
	const uint64_t process = reaches[reach].process;

	monitor[hal_cpu()].privileged = reaches[reach].privileged;
	monitor[hal_cpu()].levels = reaches[reach].levels;
	*status = (struct pmu_scope_status){
		.mask = STATUS_COUNTING, .monitored = process, .others = scope == PMU_SCOPE_SYSTEM ? process : 0,
	};
	return change(ITANIUM_DCR, FIELD(DCR, pp), reaches[reach].interruption) &&
	       change(ITANIUM_PSR, STATUS_COUNTING | FIELD(PSR, sp),
		      process | FIELD_PUT(PSR, sp, reaches[reach].privileged));
}

//
// Address ranges (6.2.4, 6.2.6)
//

// Aligned blocks of 2^n bytes that cover a range exactly: what the pairs of breakpoint registers can match.
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

// A range that lies on both sides of the unimplemented addresses is two ranges.
static bool is_one_piece(uint64_t first, uint64_t last)
{
	return first <= last && is_implemented(first) && is_implemented(last) &&
	       first >> (ITANIUM_ADDRESS_BITS - 1) == last >> (ITANIUM_ADDRESS_BITS - 1);
}

// False: the pairs cannot match exactly this range.
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

// Bundles, whole ones.
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
// What a request needs
//

static bool is_tagged_by_pmc9(const struct event_request *r)
{
	return r->event->code == ITANIUM_EVENT_RETIRED && r->umask == TAGGED_BY_PMC9;
}

// Encoding bits 40:27 and 12:0, which the matchers compare, above each other (6.2.5).
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

	return o->types && !(o->types & ~0xF) && !(compare & ~COMPARED) && !(o->match >> ENCODING_BITS);
}

// With a data range, the register stack engine's references are qualified by nothing else (6.2.6).
static bool is_qualified_by_data_alone(const struct event_request *r)
{
	return r->data_range.given && (r->event->code == RSE_REFERENCES || r->event->code == RSE_LOADS);
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
	return !latency || (latency >= LATENCY_LEAST && latency <= LATENCY_MOST && !(latency & (latency - 1)));
}

static unsigned latency_mask(unsigned latency)
{
	return latency ? (unsigned)__builtin_ctz(latency / LATENCY_LEAST) : 0;
}

// Unit-mask bits of translation misses that mean something (Tables 6-14, 6-19).
#define INSTRUCTION_MISSES	0xC
#define DATA_MISSES		0xE

// A branch request's conditions have the places that they have in PMC12.
#define BRANCH_CONDITIONS	0xFF80

// Whether the recorder can be told what the request wants of it, and the request wants nothing of one it has not.
static bool can_record(const struct event_request *r)
{
	const unsigned code = r->event->code;
	const bool data = code == DATA_EAR_EVENTS, instruction = code == INSTRUCTION_EAR_EVENTS;

	if (r->branches && (code != BRANCH_EVENT || r->branches & ~BRANCH_CONDITIONS))
		return false;
	if (!data && !instruction)
		return !r->tlb && !r->latency;
	if (r->tlb)
		return !r->latency && !(r->tlb & ~(data ? DATA_MISSES : INSTRUCTION_MISSES));
	return is_latency_threshold(r->latency);
}

// What works in Itanium code only is not to be spoiled by IA-32 code (6.1.3.3).
static unsigned masked_sets(const struct event_request *r)
{
	bool own_only = r->code_range.given || r->opcode.given || r->event->code == BRANCH_EVENT;

	return r->sets | (own_only ? NOT_OTHER_SET : 0);
}

#define NARROW_MOST	3	/* most that PMC6-7 take in a cycle, and their highest threshold (6.2.2) */
#define WIDE_MOST	7

static uint64_t itanium_choices(const struct event_request *r)
{
	uint64_t choices = r->event->counters & ITANIUM_COUNTER_MASK;

	if (r->event->max > NARROW_MOST || r->cmask > NARROW_MOST)
		choices &= ITANIUM_WIDE_MASK;
	if (r->cmask > WIDE_MOST ||
	    r->modifiers & (EVENT_EDGE | EVENT_INV | EVENT_ANY | EVENT_PRECISE | EVENT_BRANCHES | EVENT_PREFERRED) ||
	    !(r->levels & monitor[hal_cpu()].levels) || masked_sets(r) == NO_SET || !can_qualify(r) || !can_record(r))
		choices = 0;
	if (r->counter != EVENT_ANY_COUNTER)
		choices &= 1ULL << r->counter;
	return choices;
}

static uint64_t itanium_encode(const struct event_request *r, unsigned counter)
{
	(void)counter;
	return FIELD_PUT(PMC4, plm, r->levels & monitor[hal_cpu()].levels) | FIELD(PMC4, oi) |
	       FIELD_PUT(PMC4, pm, monitor[hal_cpu()].privileged) | FIELD_PUT(PMC4, es, r->event->code) |
	       FIELD_PUT(PMC4, umask, r->umask) | FIELD_PUT(PMC4, threshold, r->cmask) |
	       FIELD_PUT(PMC4, ism, masked_sets(r));
}

//
// Settings
//

static struct pmu_setting *need(struct pmu_setting *s, uint32_t address, uint64_t mask, uint64_t value, uint64_t idle)
{
	*s = (struct pmu_setting){.address = address, .mask = mask, .value = value, .idle = idle};
	return s + 1;
}

// All pairs, so that none matches anything else: those left over repeat the last block. `conditions`: of the second
// register of a pair, with the mask.
static struct pmu_setting *need_blocks(struct pmu_setting *s, uint32_t first, const struct blocks *b,
				       uint64_t held, uint64_t conditions)
{
	for (unsigned i = 0; i < ITANIUM_BREAKPOINTS; i++) {
		unsigned block = i < b->count ? i : b->count - 1;

		s = need(s, first + 2 * i, ~0ULL, b->block[block].address, 0);
		s = need(s, first + 2 * i + 1, held,
			 FIELD_PUT(IBR1, mask, -b->block[block].size) | conditions, 0);
	}
	return s;
}

// The breakpoint registers before the bit that applies them.
static struct pmu_setting *need_code_range(struct pmu_setting *s, const struct event_request *r)
{
	const uint64_t all = FIELD(PMC13, ta);
	struct blocks blocks;

	if (!r->code_range.given)
		return need(s, ITANIUM_PMC(13), all, all, all);
	cover_code(&r->code_range, &blocks);
	s = need_blocks(s, ITANIUM_IBR(0), &blocks, REGISTER_BITS(IBR1, RW), FIELD_PUT(IBR1, plm, ALL_LEVELS));
	return need(s, ITANIUM_PMC(13), all, 0, all);
}

static struct pmu_setting *need_opcode(struct pmu_setting *s, const struct event_request *r)
{
	const uint64_t all = REGISTER_RESET(PMC8);
	const struct event_opcode *o = &r->opcode;
	uint64_t value = all;

	if (o->given)
		value = FIELD_PUT(PMC8, match, compared_bits(o->match)) |
			FIELD_PUT(PMC8, mask, compared_bits(o->mask)) | (uint64_t)o->types << PMC8_b_LOW;
	return need(s, ITANIUM_PMC(is_tagged_by_pmc9(r) ? 9 : 8), REGISTER_BITS(PMC8, RW), value, all);
}

static struct pmu_setting *need_data_range(struct pmu_setting *s, const struct event_request *r)
{
	const uint64_t pass = FIELD(PMC11, pt);
	struct blocks blocks;

	if (!r->data_range.given)
		return need(s, ITANIUM_PMC(11), pass, pass, pass);
	cover_data(&r->data_range, &blocks);
	s = need_blocks(s, ITANIUM_DBR(0), &blocks, REGISTER_BITS(DBR1, RW), FIELD_PUT(DBR1, plm, ALL_LEVELS));
	return need(s, ITANIUM_PMC(11), pass, 0, pass);
}

// PMC10 and PMC11 have the same fields but for pt, and PMC12 the first ones of them.
static uint64_t recorder_enable(const struct event_request *r)
{
	return FIELD_PUT(PMC10, plm, r->levels & monitor[hal_cpu()].levels) |
	       FIELD_PUT(PMC10, pm, monitor[hal_cpu()].privileged);
}

static uint64_t address_recorder(const struct event_request *r)
{
	return recorder_enable(r) | FIELD_PUT(PMC10, tlb, r->tlb != 0) | FIELD_PUT(PMC10, ism, masked_sets(r)) |
	       FIELD_PUT(PMC10, umask, r->tlb ? r->tlb : latency_mask(r->latency));
}

static struct pmu_setting *need_recorder(struct pmu_setting *s, const struct event_request *r)
{
	switch (r->event->code) {
	case INSTRUCTION_EAR_EVENTS:
		return need(s, ITANIUM_PMC(10), REGISTER_BITS(PMC10, RW), address_recorder(r), 0);
	case DATA_EAR_EVENTS:
		return need(s, ITANIUM_PMC(11), REGISTER_BITS(PMC10, RW), address_recorder(r), 0);
	case BRANCH_EVENT:
		return need(s, ITANIUM_PMC(12), REGISTER_BITS(PMC12, RW),
			    recorder_enable(r) | (r->branches ? r->branches : BRANCH_CONDITIONS), 0);
	default:
		return s;
	}
}

// Table 6-3. An event that honours a qualification needs it off unless it is asked for: another session's would apply
// to it.
static unsigned itanium_settings(const struct event_request *r, unsigned counter,
				 struct pmu_setting settings[PMU_EVENT_SETTINGS])
{
	struct pmu_setting *s = settings;

	(void)counter;
	if (r->event->code_range)
		s = need_code_range(s, r);
	if (r->event->opcode)
		s = need_opcode(s, r);
	if (r->event->data_range)
		s = need_data_range(s, r);
	s = need_recorder(s, r);
	return (unsigned)(s - settings);
}

//
// Recorders: the event address registers, the branch trace buffer
//

static const struct recorder {
	uint8_t code;			// of the event whose counter samples it
	uint8_t count;
	uint8_t data_register[9];	// the PMDs of a payload, in its order; README.md
} recorders[] = {
	{DATA_EAR_EVENTS, 3, {2, 3, 17}},
	{INSTRUCTION_EAR_EVENTS, 2, {0, 1}},
	{BRANCH_EVENT, 9, {16, 8, 9, 10, 11, 12, 13, 14, 15}},
};

static const struct recorder *recorder_of(const struct pmu_counter *c)
{
	const unsigned code = (unsigned)FIELD_GET(PMC4, es, c->select);

	for (unsigned i = 0; i < sizeof recorders / sizeof *recorders; i++)
		if (recorders[i].code == code)
			return &recorders[i];
	return NULL;
}

// What a recorder holds when it is turned on is undefined, and of no session that starts; what it holds in the end is
// nobody else's.
static bool empty_recorder(const struct pmu_counter *c)
{
	const struct recorder *r = recorder_of(c);
	bool ok = true;

	for (unsigned i = 0; r && i < r->count; i++)
		ok &= reg_write(ITANIUM_PMD(r->data_register[i]), 0);
	return ok;
}

//
// Counters
//

// The register reads as sign-extended.
static bool itanium_read(uint32_t address, uint64_t *value)
{
	bool ok;

	*value = 0;
	ok = reg_read(address, value);
	*value &= FIELD(PMD4, count);
	return ok;
}

static bool itanium_write(uint32_t address, uint64_t value)
{
	return reg_write(address, value);
}

// Frozen, and until `enable`. The control register goes first: a counter without levels does not keep its value.
static bool itanium_program(const struct pmu_counter *c, unsigned count)
{
	uint64_t before;
	bool ok = stop_counting(&before);

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		monitor[hal_cpu()].select[c->number - ITANIUM_FIRST_COUNTER] = c->select;
		monitor[hal_cpu()].live |= 1ULL << c->number;
		ok &= reg_write(control_register(c->number), c->select);
		ok &= reg_write(c->address, c->start);
		ok &= empty_recorder(c);
	}
	return ok;
}

static bool itanium_release(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		monitor[hal_cpu()].live &= ~(1ULL << c->number);
		ok &= reg_write(control_register(c->number), 0);
		ok &= reg_write(c->address, 0);
		ok &= empty_recorder(c);
	}
	return ok;
}

// Lets exactly these counters count once the freeze ends. One that does not keeps its value: it is turned off by its
// instruction sets, not by its levels.
static bool choose(uint64_t counters)
{
	uint64_t changed = monitor[hal_cpu()].live ^ counters;
	bool ok = true;

	for (; changed; changed &= changed - 1) {
		unsigned counter = (unsigned)__builtin_ctzll(changed);
		uint64_t select = monitor[hal_cpu()].select[counter - ITANIUM_FIRST_COUNTER];

		if (!(counters >> counter & 1))
			select |= FIELD_PUT(PMC4, ism, NO_SET);
		ok &= reg_write(control_register(counter), select);
	}
	monitor[hal_cpu()].live = counters;
	return ok;
}

static bool itanium_enable(uint64_t counters)
{
	uint64_t before;
	bool ok = true;

	if (!counters)
		return stop_counting(&before);
	if (__builtin_expect(counters != monitor[hal_cpu()].live, false)) {
		ok = stop_counting(&before);
		ok &= choose(counters);
	}
	ok &= reg_read(ITANIUM_PMC(0), &before);
	return (!(before & FREEZE) || reg_write(ITANIUM_PMC(0), before & ~FREEZE)) && ok;
}

//
// Samples
//

static unsigned itanium_payload(const struct pmu_counter *c, uint64_t words[PMU_PAYLOAD_WORDS])
{
	const struct recorder *r = recorder_of(c);

	if (!r)
		return 0;
	for (unsigned word = 0; word < r->count; word++) {
		words[word] = 0;
		reg_read(ITANIUM_PMD(r->data_register[word]), &words[word]);
	}
	return r->count;
}

static const uint32_t recorded[] = {
	ITANIUM_PMD(0), ITANIUM_PMD(1), ITANIUM_PMD(2), ITANIUM_PMD(3), ITANIUM_PMD(8), ITANIUM_PMD(9),
	ITANIUM_PMD(10), ITANIUM_PMD(11), ITANIUM_PMD(12), ITANIUM_PMD(13), ITANIUM_PMD(14), ITANIUM_PMD(15),
	ITANIUM_PMD(16), ITANIUM_PMD(17),
};

// Tables 6-18 and 6-20.
static struct payload_part *explain_data(struct payload_part *p, bool tlb, const uint64_t words[3])
{
	const uint64_t valid = FIELD_GET(PMD17, valid, words[2]);

	*p++ = (struct payload_part){"valid", valid, PAYLOAD_NUMBER, NULL};
	if (!valid)
		return p;
	*p++ = (struct payload_part){"ip", words[2] & -BUNDLE_BYTES, PAYLOAD_ADDRESS, NULL};
	*p++ = (struct payload_part){"slot", FIELD_GET(PMD17, slot, words[2]), PAYLOAD_NUMBER, NULL};
	*p++ = (struct payload_part){"address", words[0], PAYLOAD_ADDRESS, NULL};
	*p++ = tlb ? (struct payload_part){"level", FIELD_GET(PMD3, level, words[1]), PAYLOAD_NUMBER, NULL} :
		     (struct payload_part){"latency", FIELD_GET(PMD3, latency, words[1]), PAYLOAD_NUMBER, NULL};
	return p;
}

// Tables 6-13 and 6-15. An instruction translation miss was served by the page walker, level 2, or software, 3: the
// numbers of the data recorder.
static struct payload_part *explain_instruction(struct payload_part *p, bool tlb, const uint64_t words[2])
{
	const uint64_t valid = FIELD_GET(PMD0, v, words[0]);

	*p++ = (struct payload_part){"valid", valid, PAYLOAD_NUMBER, NULL};
	if (!valid)
		return p;
	*p++ = (struct payload_part){"line", words[0] & ~FIELD_MASK(0, PMD0_address_LOW), PAYLOAD_ADDRESS, NULL};
	*p++ = tlb ? (struct payload_part){"level", 2 + FIELD_GET(PMD0, tlb, words[0]), PAYLOAD_NUMBER, NULL} :
		     (struct payload_part){"latency", FIELD_GET(PMD1, latency, words[1]), PAYLOAD_NUMBER, NULL};
	return p;
}

#define SLOT_NOT_TAKEN 3

// Table 6-22. An entry with both bits 0 is not valid.
static struct payload_part *explain_branch(struct payload_part *p, uint64_t entry)
{
	const uint64_t address = entry & -BUNDLE_BYTES, mispredicted = FIELD_GET(PMD8, mp, entry);

	if (entry & FIELD(PMD8, b)) {
		*p++ = (struct payload_part){"branch", address, PAYLOAD_ADDRESS, NULL};
		*p++ = FIELD_GET(PMD8, slot, entry) == SLOT_NOT_TAKEN ?
			(struct payload_part){"taken", 0, PAYLOAD_NUMBER, NULL} :
			(struct payload_part){"slot", FIELD_GET(PMD8, slot, entry), PAYLOAD_NUMBER, NULL};
		*p++ = (struct payload_part){"mispredicted", mispredicted, PAYLOAD_NUMBER, NULL};
	} else if (mispredicted) {
		*p++ = (struct payload_part){"target", address, PAYLOAD_ADDRESS, NULL};
	}
	return p;
}

// Oldest first. The buffer's index is that of the next entry to be written; after a wrap that is the oldest one.
static struct payload_part *explain_trace(struct payload_part *p, const uint64_t words[9])
{
	const unsigned next = (unsigned)FIELD_GET(PMD16, bbi, words[0]);
	const bool full = words[0] & FIELD(PMD16, full);
	const unsigned count = full ? ITANIUM_TRACE_ENTRIES : next, first = full ? next : 0;

	for (unsigned i = 0; i < count; i++)
		p = explain_branch(p, words[1 + (first + i) % ITANIUM_TRACE_ENTRIES]);
	return p;
}

static unsigned itanium_explain_payload(const struct event_request *r, const uint64_t *words, unsigned count,
					struct payload_part parts[PAYLOAD_PARTS])
{
	struct payload_part *p = parts;

	if (r->event->code == DATA_EAR_EVENTS && count == 3)
		p = explain_data(p, r->tlb, words);
	else if (r->event->code == INSTRUCTION_EAR_EVENTS && count == 2)
		p = explain_instruction(p, r->tlb, words);
	else if (r->event->code == BRANCH_EVENT && count == 1 + ITANIUM_TRACE_ENTRIES)
		p = explain_trace(p, words);
	return (unsigned)(p - parts);
}

//
// The interrupt, sessions
//

extern const struct pmu_driver pmu_driver_itanium;

static void itanium_overflow_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&pmu_driver_itanium, ip, level);
}

static enum pmu_error itanium_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_itanium, session);
}

static enum pmu_error itanium_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_itanium, session);
}

//
// PAL
//

// Table 6-24.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(ITANIUM_COUNTERS, ITANIUM_COUNTER_WIDTH, ITANIUM_EVENT_CYCLES, ITANIUM_EVENT_RETIRED),
	.control_mask = FIELD_MASK(0, ITANIUM_PMCS),
	.data_mask = FIELD_MASK(0, ITANIUM_PMDS),
	.cycles_mask = ITANIUM_COUNTER_MASK,
	.retired_mask = 1ULL << ITANIUM_FIRST_COUNTER,
};

#define KILOBYTES	1024
#define SPLIT		0
#define UNIFIED		1
#define WRITE_THROUGH	0
#define WRITE_BACK	1
#define LOGARITHM(n)	((uint64_t)__builtin_ctzll(n))

// The layout of PAL_CACHE_INFO's answer. The stride that is best is a line.
#define CACHE(level, type, unified, write, ways, line, size)						\
	{PMU_ANSWER_CACHE, level, type,									\
	 (unified) | (write) << 1 | (ways) << 8 | LOGARITHM(line) << 16 | LOGARITHM(line) << 24, size}

// Of PAL_VM_SUMMARY's: a page walker, 44 physical address bits, 16 keys of 21 bits, 3 distinct translation caches in 2
// levels; 51 virtual address bits, region identifiers of 18.
#define MEMORY_1	(1 | 44 << 1 | 21 << 8 | (16 - 1) << 16 | 3ULL << 48 | 2ULL << 56)
#define MEMORY_2	((ITANIUM_ADDRESS_BITS - 1) | 18 << 8)

// 4K, 8K, 16K, 64K, 256K, 1M, 4M, 16M, 256M.
#define PAGES (1 << 12 | 1 << 13 | 1 << 14 | 1 << 16 | 1 << 18 | 1 << 20 | 1 << 22 | 1 << 24 | 1 << 28)

// Chapters 2 and 3, Table 8-1 (whose level numbers these are); which caches write through is in 7.6. The last one has
// 2 or 4 megabytes; 4 here.
static const struct pmu_answer answers[] = {
	CACHE(0, 1, SPLIT, WRITE_THROUGH, 4, 32, 16 * KILOBYTES),
	CACHE(0, 2, SPLIT, WRITE_THROUGH, 4, 32, 16 * KILOBYTES),
	CACHE(1, 2, UNIFIED, WRITE_BACK, 6, 64, 96 * KILOBYTES),
	CACHE(2, 2, UNIFIED, WRITE_BACK, 4, 64, 4096 * KILOBYTES),
	{PMU_ANSWER_MEMORY, 0, 0, MEMORY_1, MEMORY_2},
	{PMU_ANSWER_STACK, 0, 0, 96, 0},
	{PMU_ANSWER_PAGES, 0, 0, PAGES, PAGES},
};

extern const struct pmu_event_table pmu_events_itanium;
extern const struct pmu_metric_table pmu_metrics_itanium;

const struct pmu_driver pmu_driver_itanium = {
	.name = "itanium",
	.title = "Intel Itanium",
	.events = &pmu_events_itanium,
	.metrics = &pmu_metrics_itanium,
	.information = &information,
	.answers = answers,
	.answer_count = sizeof answers / sizeof *answers,
	.session = "CPU_CYCLES,IA64_INST_RETIRED,IA64_INST_RETIRED:period=100000",
	.retired = "IA64_INST_RETIRED",
	.counters = ITANIUM_COUNTER_MASK,
	.width = ITANIUM_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << ITANIUM_COUNTER_WIDTH,
	.features = PMU_FEATURE_FREEZE | PMU_FEATURE_GLOBAL | PMU_FEATURE_USER_READ | PMU_FEATURE_QUALIFY,
	.instruction_breakpoints = ITANIUM_BREAKPOINTS,
	.data_breakpoints = ITANIUM_BREAKPOINTS,
	.recorded = recorded,
	.recorded_count = sizeof recorded / sizeof *recorded,
	.probe = itanium_probe,
	.reset = itanium_reset,
	.choices = itanium_choices,
	.encode = itanium_encode,
	.settings = itanium_settings,
	.settings_open = pmu_settings_open,
	.settings_close = pmu_settings_close,
	.payload = itanium_payload,
	.explain_payload = itanium_explain_payload,
	.scope = itanium_scope,
	.address = itanium_address,
	.control = control_register,
	.program = itanium_program,
	.release = itanium_release,
	.enable = itanium_enable,
	.freeze = itanium_freeze,
	.thaw = itanium_thaw,
	.read = itanium_read,
	.write = itanium_write,
	.overflow_status = itanium_overflow_status,
	.overflow_clear = itanium_overflow_clear,
	.overflow_interrupt = itanium_overflow_interrupt,
	.start = itanium_start,
	.stop = itanium_stop,
};
