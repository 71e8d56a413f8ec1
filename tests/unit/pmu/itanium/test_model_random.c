// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the itanium model: cut into other pieces, moved to other memory, and counted by a plain statement
// of the rules.

#include "steps.h"

#define TRACE_BITS	0xFF80ULL	// of PMC12: what is captured
#define ALL_MATCH	OPCODES_ALL
#define MOST_SIGNALS	8

static const uint16_t codes[] = {
	CYCLES, CYCLES, RETIRED, LOADS_RETIRED, L1I_DEMAND_READS, BRANCH_PREDICTOR, BRANCH_TAKEN_SLOT, BUS_ALL,
	L3_READS, RSE_REFERENCES_RETIRED, ALAT_INST_CHKA_LDC, BRANCH_EVENT, INSTRUCTION_EAR_EVENTS, DATA_EAR_EVENTS,
	L2_INST_DEMAND_READS, ITLB_MISSES_FETCH, DTC_MISSES, L1D_READ_MISSES_RETIRED, DTLB_MISSES, L2_DATA_REFERENCES,
};

static uint16_t random_code(void)
{
	return codes[random_below(sizeof codes / sizeof *codes)];
}

static uint64_t random_address(void)
{
	return 0x1000 * (1 + random_below(4));
}

static uint64_t pick(unsigned percent, uint64_t value, uint64_t other)
{
	return random_below(100) < percent ? value : other;
}

// What a register is written with, mostly so that something happens. Loads are tracked only if `loads`.
static uint32_t random_write(uint64_t *value, bool loads)
{
	uint32_t n = 4 + (uint32_t)random_below(4);
	uint64_t plm = pick(70, 15, 1 + random_below(15)), ism = pick(80, 0, random_below(4));

	switch (random_below(16)) {
	default:
		*value = PLM(plm) | ES(pick(30, CYCLES, random_code())) | UMASK(pick(50, 0, random_below(16))) |
			 ISM(ism) | pick(50, OI, 0) | pick(20, EV, 0) | pick(20, PM, 0) |
			 THRESHOLD(pick(70, 0, random_below(8)));
		return PMC + n;
	case 0:
	case 1:
		*value = pick(70, -random_below(60), random_below(UINT64_MAX));
		return PMD + n;
	case 2:
	case 3:
		*value = pick(80, 0, random_below(256));
		return PMC + 0;
	case 4:
		*value = PLM(plm) | ISM(ism) | pick(50, TLB, 0) | UMASK(random_below(13));
		return PMC + 10;
	case 5:
		*value = PLM(plm) | ISM(ism) | (loads ? pick(20, TLB, 0) : TLB) | pick(50, PT, 0) |
			 UMASK(pick(50, 0, random_below(16)));
		return PMC + 11;
	case 6:
		*value = PLM(plm) | pick(60, TRACE_BITS, random_below(0x10000) & TRACE_BITS);
		return PMC + 12;
	case 7:
		*value = pick(60, TA, 0);
		return PMC + 13;
	case 8:
		*value = pick(60, ALL_MATCH, ALL_MATCH & ~(1ULL << 29 | 1ULL << (60 + random_below(4))));
		return PMC + 8 + (uint32_t)random_below(2);
	case 9:
		*value = random_address();
		return (random_below(2) ? IBR : DBR) + 2 * (uint32_t)random_below(4);
	case 10:
		*value = 0x00FFFFFFFFFFF000ULL << random_below(2) | pick(80, 15, random_below(16)) << 56 |
			 pick(5, 1ULL << 63, 0);
		return (random_below(2) ? IBR : DBR) + 1 + 2 * (uint32_t)random_below(4);
	case 11:
		*value = pick(80, PSR_UP, 0) | pick(70, PSR_PP, 0) | pick(10, PSR_DB, 0) | pick(10, PSR_SP, 0);
		return PSR;
	case 12:
		*value = pick(80, 0, PMV_M);
		return PMV;
	case 13:
		*value = pick(60, random_below(80), random_below(1000000));	// beside ITC, if that is short
		return random_below(4) ? ITM : ITC;
	case 14:
		*value = pick(70, 0, random_below(2) ? PMV_M : 1);
		return ITV;
	}
}

static size_t random_signals(struct occurrence *signals)
{
	size_t count = random_below(8) ? 1 + random_below(MOST_SIGNALS) : 0;

	for (size_t i = 0; i < count; i++) {
		signals[i] = (struct occurrence){
			.code = (uint16_t)pick(20, CYCLES, random_code()),
			.sub = (uint16_t)pick(50, 0, random_below(16)),
			.n = (uint32_t)random_below(5), .level = (uint8_t)pick(70, 3, random_below(4)),
			.isa = (uint8_t)pick(90, 0, 1),
			.type = (uint8_t)(1u << random_below(4) |
					  pick(70, 0, OCCURRENCE_TYPE_RSE << random_below(2))),
			.slot = (uint8_t)random_below(3), .served = (uint8_t)random_below(4),
			.branch = (uint8_t)pick(70, 0, random_below(16)), .data = (uint8_t)pick(70, 1, 0),
			.latency = (uint32_t)pick(70, random_below(20), random_below(9000)),
			.ip = random_address(), .opcode = pick(50, 0, 1ULL << 40), .address = random_address(),
			.target = random_address(),
		};
		// Another branch of the same bundle.
		if (i && random_below(3) == 0) {
			signals[i] = signals[i - 1];
			signals[i].slot++;
			signals[i].opcode ^= 1ULL << 40;
			signals[i].branch ^= OCCURRENCE_TAKEN;
		}
	}
	return count;
}

static const struct {
	uint32_t first, count;
} files[] = {{PMC, 14}, {PMD, 18}, {IBR, 8}, {DBR, 8}, {DCR, 1}, {PMV, 1}, {PSR, 1}, {ITC, 1}, {ITM, 1}, {ITV, 1}};

// Two machines that should be the same are; so are the values that both call undefined.
static void assert_same(void *one, void *other)
{
	struct model_outputs *outputs[] = {one, other};

	assert_int_equal(outputs[0]->requests, outputs[1]->requests);
	assert_int_equal(outputs[0]->strobes, outputs[1]->strobes);
	assert_int_equal(outputs[0]->level_matters, outputs[1]->level_matters);
	outputs[0]->requests = outputs[1]->requests = 0;
	outputs[0]->strobes = outputs[1]->strobes = 0;
	for (unsigned f = 0; f < sizeof files / sizeof *files; f++)
		for (uint32_t n = 0; n < files[f].count; n++) {
			uint64_t values[2];

			assert_true(model->read(one, 0, files[f].first + n, &values[0]));
			assert_true(model->read(other, 0, files[f].first + n, &values[1]));
			if (values[0] != values[1])
				fail_msg("register %#x: %#llx, %#llx", files[f].first + n,
					 (unsigned long long)values[0], (unsigned long long)values[1]);
		}
}

// Runs `cycles` in up to six pieces; in between the state may move to other memory.
static void run_in_pieces(void **state, uint64_t cycles)
{
	for (unsigned pieces = (unsigned)random_below(6); pieces && cycles; pieces--) {
		uint64_t piece = random_below(cycles + 1);

		model->run(*state, piece);
		cycles -= piece;
		if (random_below(3) == 0) {
			void *moved = new_state();

			memcpy(moved, *state, model->size);
			memset(*state, 0x5A, model->size);
			free(*state);
			*state = moved;
		}
	}
	model->run(*state, cycles);
}

// Mostly short, some so long that counters go round.
static uint64_t random_length(void)
{
	return random_below(8) ? random_below(60) : random_below(1ULL << random_below(63));
}

static void results_do_not_depend_on_how_runs_are_cut(void **unused)
{
	static struct occurrence signals[2][MOST_SIGNALS];
	void *pieces = new_state();
	unsigned turn = 0, requests = 0, frozen = 0;

	(void)unused;
	random_state = 1;
	model->reset(pieces, -1, 1);
	memcpy(pieces, pmu, model->size);
	for (unsigned step = 0; step < 30000; step++) {
		uint64_t value, cycles = random_length();
		uint32_t address;
		size_t count;

		switch (random_below(3)) {
		case 0:
			turn = !turn;
			count = random_signals(signals[turn]);
			model->connect(pmu, signals[turn], count);
			model->connect(pieces, signals[turn], count);
			break;
		case 1:
			address = random_write(&value, true);
			cycles %= 100;
			assert_true(model->write(pmu, 0, address, value, cycles));
			run_in_pieces(&pieces, cycles);
			assert_true(model->write(pieces, 0, address, value, 0));
			break;
		default:
			model->run(pmu, cycles);
			run_in_pieces(&pieces, cycles);
		}
		requests += outputs()->requests;
		assert_same(pmu, pieces);
		frozen += get(PMC + 0) & FR;
		if (get(PMC + 0) & FR && random_below(3) == 0) {
			model->write(pmu, 0, PMC + 0, 0, 0);
			model->write(pieces, 0, PMC + 0, 0, 0);
		}
	}
	assert_true(requests > 100 && frozen > 100);
	free(pieces);
}

// `headroom` cycles pass without a request, and the next one brings it; where captured loads are counted it may be
// less.
static void headroom_is_kept(void **state)
{
	static struct occurrence signals[2][MOST_SIGNALS];
	unsigned turn = 0, reached = 0;

	(void)state;
	random_state = 2;
	for (unsigned step = 0; step < 60000; step++) {
		uint64_t value, headroom;
		uint32_t address = random_write(&value, step % 2);

		put(address, value);
		if (random_below(2)) {
			turn = !turn;
			model->connect(pmu, signals[turn], random_signals(signals[turn]));
		}
		headroom = outputs()->headroom;
		outputs()->requests = 0;
		if (headroom >= MODEL_FAR) {
			run(random_length());
			assert_int_equal(outputs()->requests, 0);
			continue;
		}
		run(headroom);
		assert_int_equal(outputs()->requests, 0);
		run(1);
		if (!(get(PMC + 11) & TLB) && !outputs()->requests)
			continue;
		assert_int_equal(outputs()->requests, 1);
		reached++;
	}
	assert_true(reached > 1000);
}

//
// The rules once more, as plainly as they can be written: one cycle at a time, nothing remembered but registers
//

static struct reference {
	uint64_t pmc[14], pmd[18], ibr[8], dbr[8], psr, pmv, itc, itm, itv;
	bool fresh;		// a branch target was recorded in the last cycle
	uint64_t target;
	unsigned requests, strobes;
} r;

static uint64_t bits(uint64_t value, unsigned low, unsigned width)
{
	return value >> low & ((1ULL << width) - 1);
}

static bool reference_enabled(unsigned pmc, const struct occurrence *o)
{
	uint64_t control = r.pmc[pmc];

	return !(r.pmc[0] & FR) && bits(control, o->level, 1) && (pmc == 12 || !bits(control, 24 + o->isa, 1)) &&
	       r.psr & (control & PM ? PSR_PP : PSR_UP);
}

// Addresses of these programs have no bits above 50.
static bool reference_hits(uint64_t address, const uint64_t *pair)
{
	uint64_t mask = pair[1] & 0x00FFFFFFFFFFFFFFULL;

	return (address & mask) == (pair[0] & mask) && pair[0] >> 56 == 0;
}

static bool reference_in_range(const struct occurrence *o)
{
	bool hit = false;

	if (r.pmc[13] & TA)
		return true;
	for (unsigned i = 0; i < 8; i += 2) {
		hit |= bits(r.ibr[i + 1], 56 + o->level, 1) && reference_hits(o->ip, &r.ibr[i]);
		if (r.ibr[i + 1] >> 63)
			return false;
	}
	return hit && !o->isa && !(r.psr & PSR_DB);
}

static bool reference_tag(unsigned pmc, const struct occurrence *o)
{
	static const unsigned type_bit[] = {[OCCURRENCE_TYPE_B] = 60, [OCCURRENCE_TYPE_F] = 61,
					    [OCCURRENCE_TYPE_I] = 62, [OCCURRENCE_TYPE_M] = 63};
	// Of the encodings only bit 40 differs here: match and mask bit 26.
	bool match = bits(r.pmc[pmc], 29, 1) || bits(o->opcode, 40, 1) == bits(r.pmc[pmc], 59, 1);

	return match && bits(r.pmc[pmc], type_bit[o->type & 15], 1) && reference_in_range(o) && !o->isa;
}

static bool reference_opcode(const struct occurrence *o)
{
	return (r.pmc[8] == ALL_MATCH && r.pmc[13] & TA) || reference_tag(8, o);
}

static bool reference_data(const struct occurrence *o)
{
	bool hit = false;

	for (unsigned i = 0; i < 8; i += 2)
		hit |= reference_hits(o->address, &r.dbr[i]);
	return hit && o->data && !(r.psr & PSR_DB);
}

// 6.2.6: DBRRangeTag; "all RSE operations and VHPT walks that hit the programmed data address range are tagged
// (regardless of the opcode match)".
static bool reference_data_tag(const struct occurrence *o)
{
	if (r.pmc[11] & PT)
		return reference_opcode(o);
	return reference_data(o) && (o->type & (OCCURRENCE_TYPE_RSE | OCCURRENCE_TYPE_WALKER) || reference_opcode(o));
}

static bool is_branch(const struct occurrence *o)
{
	return o->branch & OCCURRENCE_BRANCH;
}

static bool is_taken(const struct occurrence *o)
{
	return o->branch & OCCURRENCE_TAKEN;
}

static size_t reference_bundle(const struct occurrence *o, size_t left)
{
	size_t size = 1;

	while (size < left && is_branch(o) && is_branch(&o[size]) && o[size].code == o->code && o[size].ip == o->ip &&
	       o[size].level == o->level && o[size].isa == o->isa && o[size].slot > o[size - 1].slot)
		size++;
	return size;
}

static const struct occurrence *reference_deciding(const struct occurrence *o, size_t size)
{
	for (; size > 1 && !is_taken(o); size--)
		o++;
	return o;
}

static bool reference_bundle_opcode(const struct occurrence *o, size_t size)
{
	const struct occurrence *deciding = reference_deciding(o, size);

	if (is_taken(deciding) && deciding->slot < 2)
		return reference_opcode(deciding);
	for (; size; size--)
		if (reference_opcode(o++))
			return true;
	return false;
}

static bool reference_selects(const struct occurrence *o, uint64_t control)
{
	unsigned umask = (unsigned)bits(control, 16, 4), sub = o->sub & 15;
	bool pass = r.pmc[11] & PT;

	switch (o->code) {
	case RETIRED:
		if (umask == 3)
			return reference_tag(8, o);
		return sub != 1 && (umask == 0 || (umask == 2 && reference_tag(9, o)));
	case LOADS_RETIRED:
	case L1D_READ_MISSES_RETIRED:
		return reference_data_tag(o);
	case L2_DATA_REFERENCES:
		return (sub & 3 ? sub & umask & 3 : (umask & 3) == 3) && reference_data_tag(o);
	case RSE_REFERENCES_RETIRED:
		return pass ? reference_opcode(o) : reference_data(o);
	case ALAT_INST_CHKA_LDC:
		return (sub & 3 ? sub & umask & 3 : (umask & 3) == 3) && reference_opcode(o) &&
		       (pass || !o->data || reference_data(o));
	case L1I_DEMAND_READS:
	case L2_INST_DEMAND_READS:
	case ITLB_MISSES_FETCH:
	case INSTRUCTION_EAR_EVENTS:
		return reference_in_range(o);
	case BRANCH_EVENT:
	case DATA_EAR_EVENTS:
	case DTC_MISSES:
	case DTLB_MISSES:
		return reference_opcode(o);
	case BUS_ALL:
		return umask & 1 || umask & sub & 6;
	case L3_READS:
		return (sub & 12 ? sub & umask & 12 : (umask & 12) == 12) &&
		       (sub & 3 ? sub & umask & 3 : (umask & 3) == 3);
	case BRANCH_PREDICTOR:
		return ((umask & 12) == 0 || (umask & 12) == (sub & 12)) &&
		       ((umask & 3) == 0 || (umask & 3) == (sub & 3));
	case BRANCH_TAKEN_SLOT:
		return sub ? sub & umask : umask == 15;
	default:
		return true;
	}
}

// What a monitor that counts this event sees of the event signals.
static uint64_t reference_events(unsigned counter, const struct occurrence *signals, size_t count)
{
	uint64_t control = r.pmc[counter], sum = 0;
	unsigned code = (unsigned)bits(control, 8, 7);
	size_t size;

	for (size_t i = 0; i < count; i += size) {
		const struct occurrence *o = &signals[i];

		size = 1;
		if (o->code != code || !reference_enabled(counter, o))
			continue;
		if (code == BRANCH_PREDICTOR || code == BRANCH_TAKEN_SLOT) {
			size = is_branch(o) ? reference_bundle(o, count - i) : 1;
			if (!reference_bundle_opcode(o, size))
				continue;
			o = reference_deciding(o, size);
		}
		if (reference_selects(o, control))
			sum += o->n * (code == L2_DATA_REFERENCES && (o->sub & bits(control, 16, 4) & 3) == 3 ? 2 : 1);
	}
	return sum;
}

// 7.8, of the events that are used here.
static uint64_t most_in_a_cycle(unsigned code)
{
	switch (code) {
	case RETIRED:
	case NOPS_RETIRED:
		return 6;
	case LOADS_RETIRED:
	case RSE_REFERENCES_RETIRED:
	case ALAT_INST_CHKA_LDC:
	case L1D_READ_MISSES_RETIRED:
	case L2_DATA_REFERENCES:
		return 2;
	default:
		return 1;
	}
}

static void reference_count_capture(uint64_t *seen, unsigned code, const struct occurrence *o)
{
	for (unsigned n = 4; n < 8; n++)
		seen[n] += bits(r.pmc[n], 8, 7) == code && reference_enabled(n, o);
}

static void reference_fetch(uint64_t *seen, const struct occurrence *signals, size_t count)
{
	bool tlb = r.pmc[10] & TLB;
	unsigned umask = (unsigned)bits(r.pmc[10], 16, 4);

	for (const struct occurrence *o = signals; o < signals + count; o++) {
		bool captured = tlb ? o->served >= 2 && umask >> o->served & 1
				    : umask < 11 && o->latency >= 4u << umask;

		if (o->code != (tlb ? ITLB_MISSES_FETCH : L2_INST_DEMAND_READS) || !o->n || !captured ||
		    !reference_enabled(10, o) || !reference_in_range(o))
			continue;
		r.pmd[0] = o->ip | 1 | (o->served == 3 ? 2 : 0);
		r.pmd[1] = o->latency < 4095 ? o->latency : 4095;
		reference_count_capture(seen, INSTRUCTION_EAR_EVENTS, o);
		return;
	}
}

static void reference_translation(uint64_t *seen, const struct occurrence *signals, size_t count)
{
	for (const struct occurrence *o = signals; o < signals + count; o++) {
		if (o->code != DTC_MISSES || !o->n || !o->served || !bits(r.pmc[11], 16 + o->served, 1) ||
		    !reference_enabled(11, o) || !reference_opcode(o))
			continue;
		r.pmd[2] = o->address;
		r.pmd[3] = (uint64_t)o->served << 62;
		r.pmd[17] = o->ip | (uint64_t)o->slot << 2 | 1;
		reference_count_capture(seen, DATA_EAR_EVENTS, o);
		return;
	}
}

static void reference_record(uint64_t entry)
{
	uint64_t next = bits(r.pmd[16], 0, 3) + 1;

	r.pmd[7 + next] = entry;
	r.pmd[16] = next % 8 | (r.pmd[16] & 8) | (next == 8 ? 8 : 0);
}

static bool reference_captures(const struct occurrence *o)
{
	uint64_t c = r.pmc[12];
	bool taken = is_taken(o), path = !(o->branch & OCCURRENCE_WRONG_PATH);
	bool target = !(o->branch & OCCURRENCE_WRONG_TARGET);
	bool by[4] = {bits(c, 7, 1) && bits(c, 14, 2) == 3, bits(c, 7, 1), bits(c, 14, 1), bits(c, 15, 1)};

	return ((bits(c, 9, 1) && taken) || (bits(c, 8, 1) && !taken)) &&
	       ((bits(c, 11, 1) && target && path && taken) || (bits(c, 10, 1) && !target && path && taken) ||
		bits(c, 10, 2) == 3) &&
	       ((bits(c, 13, 1) && path) || (bits(c, 12, 1) && !path)) && by[o->served];
}

static void reference_branches(uint64_t *seen, const struct occurrence *signals, size_t count)
{
	bool any = false;
	unsigned code = 0;
	size_t size;

	for (size_t i = 0; i < count; i += size) {
		const struct occurrence *o = &signals[i], *deciding;

		size = 1;
		if (!is_branch(o) || o->isa || !o->n || !reference_enabled(12, o) || (code && o->code != code))
			continue;
		code = o->code;
		size = reference_bundle(o, count - i);
		deciding = reference_deciding(o, size);
		if (!reference_captures(deciding) || !reference_bundle_opcode(o, size))
			continue;
		if (r.fresh && r.target == o->ip)
			r.pmd[16] = (r.pmd[16] & 8) | ((r.pmd[16] + 7) & 7);
		reference_record(o->ip | 1 | (deciding->branch & 12 ? 2 : 0) |
				 (is_taken(deciding) ? (uint64_t)deciding->slot : 3) << 2);
		if (is_taken(deciding))
			reference_record(deciding->target | 2);
		r.fresh = any = is_taken(deciding);
		r.target = deciding->target;
		reference_count_capture(seen, BRANCH_EVENT, deciding);
		any = true;
	}
	if (!any)
		r.fresh = false;
}

static void reference_cycle(const struct occurrence *signals, size_t count)
{
	uint64_t seen[8] = {0}, wrapped = 0;

	r.itc++;
	r.requests |= r.itc == r.itm && !(r.itv & PMV_M) && (r.itv & 0xFF) == (r.pmv & 0xFF);
	for (unsigned n = 4; n < 8; n++)
		seen[n] = reference_events(n, signals, count);
	reference_fetch(seen, signals, count);
	reference_translation(seen, signals, count);
	reference_branches(seen, signals, count);
	for (unsigned n = 4; n < 8; n++) {
		uint64_t takes = n < 6 ? 7 : 3, threshold = bits(r.pmc[n], 20, n < 6 ? 3 : 2);
		uint64_t can = most_in_a_cycle((unsigned)bits(r.pmc[n], 8, 7)), most = can < takes ? can : takes;
		uint64_t events = seen[n] < most ? seen[n] : most;

		r.pmd[n] += threshold ? events > threshold : events;
		wrapped |= (r.pmd[n] >> 32) << n;
		r.pmd[n] &= UINT32_MAX;
	}
	r.pmc[0] |= wrapped;
	for (unsigned n = 4; n < 8; n++) {
		if (!(wrapped >> n & 1))
			continue;
		r.strobes |= r.pmc[n] & EV ? 1u << (n - 4) : 0;
		if (r.pmc[n] & OI) {
			r.pmc[0] |= FR;
			r.fresh = false;
			r.requests |= !(r.pmv & PMV_M);
		}
	}
}

static void reference_write(uint32_t address, uint64_t value)
{
	uint32_t n = address & 0xFF;

	if (address < PMD) {
		r.pmc[n] = n == 0 ? value & 0xF1 : value;
		if (r.pmc[0] & FR)
			r.fresh = false;
	} else if (address < IBR) {
		r.pmd[n] = (uint32_t)value;
	} else if (address < DBR) {
		r.ibr[n] = value;
	} else if (address < CR) {
		r.dbr[n] = value;
	} else {
		*(address == PSR ? &r.psr : address == ITC ? &r.itc : address == ITM ? &r.itm :
		  address == ITV ? &r.itv : &r.pmv) = value;
	}
}

static void assert_as_reference(void)
{
	bool frozen = r.pmc[0] & FR;

	assert_int_equal(get(PMC + 0), r.pmc[0]);
	assert_int_equal(get(ITC), r.itc);
	for (uint32_t n = 4; n < 8; n++)
		assert_int_equal(get(PMD + n), (uint64_t)(int64_t)(int32_t)r.pmd[n]);
	assert_int_equal(outputs()->requests, r.requests);
	assert_int_equal(outputs()->strobes, r.strobes);
	outputs()->requests = outputs()->strobes = r.requests = r.strobes = 0;
	if (!frozen)
		return;
	for (uint32_t n = 8; n < 17; n++)
		assert_int_equal(get(PMD + n), r.pmd[n]);
	assert_int_equal(get(PMD + 0) >> 5, r.pmd[0] >> 5);
	assert_int_equal(get(PMD + 0) & 1, r.pmd[0] & 1);
	assert_int_equal(get(PMD + 2), r.pmd[2]);
	assert_int_equal(get(PMD + 3) >> 62, r.pmd[3] >> 62);
	assert_int_equal(get(PMD + 17) & ~12ULL, r.pmd[17] & ~12ULL);
}

static void counts_are_those_of_the_rules(void **state)
{
	static struct occurrence signals[2][MOST_SIGNALS];
	unsigned turn = 0, frozen = 0;
	size_t count = 0;

	(void)state;
	random_state = 3;
	r = (struct reference){.psr = PSR_UP};
	for (uint32_t n = 4; n < 8; n++)
		r.pmc[n] = get(PMC + n);
	r.itc = get(ITC);
	r.itm = get(ITM);
	r.itv = get(ITV);
	r.pmc[8] = r.pmc[9] = ALL_MATCH;
	r.pmc[11] = PT | TLB;
	put(PMC + 11, PT | TLB | PLM(1));	// PMD2, PMD3 and PMD17 keep their 0
	r.pmc[11] |= PLM(1);
	put(PMC + 10, PLM(1));
	put(PMC + 12, PLM(1));
	r.pmc[10] = r.pmc[12] = PLM(1);
	put(PMC + 0, FR);
	for (uint32_t n = 0; n < 18; n++)
		if (n < 4 || n > 7)
			put(PMD + n, 0);
	put(PMC + 0, 0);
	r.pmc[13] = TA;
	for (unsigned step = 0; step < 60000; step++) {
		uint64_t value, cycles = 1 + random_below(12);
		uint32_t address;

		switch (random_below(4)) {
		case 0:
			address = random_write(&value, false);
			put(address, value);
			reference_write(address, value);
			break;
		case 1:
			if (r.pmc[0] & FR) {
				put(PMC + 0, 0);
				reference_write(PMC + 0, 0);
			}
			break;
		default:
			turn = !turn;
			count = random_signals(signals[turn]);
			model->connect(pmu, signals[turn], count);
			run(cycles);
			for (; cycles; cycles--)
				reference_cycle(signals[turn], count);
		}
		if (random_below(3) == 0)
			assert_as_reference();
		frozen += r.pmc[0] & FR;
	}
	assert_in_range(frozen, 1000, 55000);
}

//
// What software relies on
//

// "Software will see monotonically increasing counter values" (6.2.2), whatever happens, short of a wrap.
static void reads_never_go_back(void **state)
{
	static struct occurrence signals[2][MOST_SIGNALS];
	uint64_t last[8] = {0};
	unsigned turn = 0;

	(void)state;
	random_state = 4;
	for (uint32_t n = 4; n < 8; n++)
		set_counter(n, ES(codes[n]) | (n == 4 ? OI : 0));
	for (unsigned step = 0; step < 20000; step++) {
		turn = !turn;
		model->connect(pmu, signals[turn], random_signals(signals[turn]));
		for (unsigned i = 0; i < 3; i++) {
			run(random_below(10));
			for (uint32_t n = 4; n < 8; n++) {
				uint64_t now = get(PMD + n);

				assert_true(now >= last[n]);
				last[n] = now;
			}
		}
	}
	assert_true(last[4] > 1000);
}

// A counter has all the events of the stretches that were not frozen, and none of the others, for every period.
static void frozen_and_unfrozen_stretches_add_up(void **state)
{
	(void)state;
	random_state = 5;
	for (uint32_t n = 4; n < 8; n++) {
		uint64_t running = 0, software = 0, period = 1 + random_below(50);

		set_counter(n, ES(RETIRED) | OI);
		put(PMD + n, -period);
		SIGNALS({.code = RETIRED, .n = n < 6 ? 5 : 3}, {.code = CYCLES, .n = 1});
		set_counter(n == 4 ? 5 : 4, ES(CYCLES));
		for (unsigned step = 0; step < 2000; step++) {
			run(random_below(30));
			if (!(get(PMC + 0) & FR)) {
				put(PMC + 0, FR);
				run(random_below(30));
				put(PMC + 0, get(PMC + 0) & ~FR);
				continue;
			}
			// The overflow: what is over is kept, and the period starts anew with it.
			assert_int_equal(outputs()->requests, 1);
			outputs()->requests = 0;
			run(random_below(30));
			software += period + get(PMD + n);
			period = 1 + random_below(50);
			put(PMD + n, -period);
			put(PMC + 0, 0);
		}
		software += period + get(PMD + n);
		running = get(PMD + (n == 4 ? 5 : 4));
		assert_int_equal(software, running * (n < 6 ? 5 : 3));
		set_counter(n, ES(0x7A));
		set_counter(n == 4 ? 5 : 4, ES(0x7A));
		put(PMC + 0, 0);
		outputs()->requests = 0;
	}
}

// Whatever comes on the event signals and whatever registers hold, the model does not fail: sanitizers watch.
static void any_signals_and_registers_will_do(void **state)
{
	static struct occurrence signals[2][MOST_SIGNALS];

	(void)state;
	random_state = 6;
	for (unsigned step = 0; step < 30000; step++) {
		struct occurrence *list = signals[step % 2];
		uint64_t value;

		for (unsigned i = 0; i < MOST_SIGNALS; i++) {
			for (unsigned byte = 0; byte < sizeof *list; byte++)
				((unsigned char *)&list[i])[byte] = (unsigned char)random_below(256);
			if (random_below(2))
				list[i].code = random_code();
		}
		model->connect(pmu, list, random_below(MOST_SIGNALS + 1));
		model->write(pmu, 0, (uint32_t)random_below(0x600), random_below(UINT64_MAX), random_below(100));
		model->write(pmu, 0, PMC + 4 + (uint32_t)random_below(9), random_below(UINT64_MAX), 0);
		if (random_below(2))
			put(PMC + 0, 0);
		run(random_below(1ULL << random_below(63)));
		model->read(pmu, 0, (uint32_t)random_below(0x600), &value);
		model->read_counter(pmu, 0, (uint32_t)random_below(32), &value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(results_do_not_depend_on_how_runs_are_cut),
		TEST(headroom_is_kept),
		TEST(counts_are_those_of_the_rules),
		TEST(any_signals_and_registers_will_do),
		TEST(reads_never_go_back),
		TEST(frozen_and_unfrozen_stretches_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
