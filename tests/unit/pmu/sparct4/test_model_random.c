// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the SPARC T4 model: cut into other pieces, and counted by a plain statement of the rules.

#include "steps.h"

static const uint8_t group_codes[] = {3, 3, 3, 3, 26, 28, 28, 8, 9, 9, 18, 20, 24, 1, 25, 0, 12, 27, 30};

static uint64_t random_group(void)
{
	return group_codes[random_below(sizeof group_codes)];
}

static uint64_t random_pcr(void)
{
	uint64_t mask = random_below(3) ? (random_below(2) ? 0x3F : 1 + random_below(3)) : random_below(64);
	uint64_t modes = random_below(2) ? ALL & ~HT : random_bits(ALL);

	return EVENT(random_group(), mask) | modes | random_bits(OV | NTC) | (random_below(4) ? TOE : 0) |
	       (random_below(4) ? 0 : random_bits(PICNHT | PICNPT)) | (random_below(8) ? 0 : random_bits(~0ULL << 19));
}

static uint64_t random_count(void)
{
	return random_below(4) ? (uint32_t)-random_below(12) : random_below(UINT64_MAX);
}

// Mostly one of two.
static uint8_t random_strand(void)
{
	return (uint8_t)(random_below(4) ? 0 : random_below(4) ? 1 : random_below(STRANDS));
}

static size_t random_signals(struct occurrence *signals)
{
	static const uint8_t levels[] = {HYPER, PRIVILEGED, USER, USER};
	size_t count = random_below(5);
	uint8_t level = levels[random_below(4)];

	for (size_t i = 0; i < count; i++)
		signals[i] = (struct occurrence){
			.code = (uint16_t)random_group(), .sub = (uint16_t)random_below(128),
			.n = (uint32_t)random_below(3), .thread = random_strand(),
			.level = random_below(8) ? level : levels[random_below(4)],
			.type = random_below(4) ? 0 : OCCURRENCE_TYPE_COMMIT,
		};
	return count;
}

// Mostly short, some so long that counters go round many times.
static uint64_t random_length(void)
{
	return random_below(8) ? random_below(20) : random_below(1ULL << random_below(63));
}

static void random_step_in_pieces(void *whole, void *pieces)
{
	uint64_t value, cycles = random_length();
	unsigned n = (unsigned)random_below(COUNTERS), strand = random_strand();

	switch (random_below(8)) {
	case 0:
	case 1:
		connect_both(whole, pieces, random_signals);
		break;
	case 2:
	case 3:
		value = random_pcr();
		assert_true(model->write(whole, strand, PCR0 + n, value, 0));
		assert_true(model->write(pieces, strand, PCR0 + n, value, 0));
		break;
	case 4:
		value = random_count();
		assert_true(model->write(whole, strand, PIC0 + n, value, 0));
		assert_true(model->write(pieces, strand, PIC0 + n, value, 0));
		break;
	default:
		model->run(whole, cycles);
		run_in_pieces(pieces, cycles);
	}
}

static void results_do_not_depend_on_how_runs_are_cut(void **state)
{
	void *whole = pmu, *pieces = new_state();

	(void)state;
	model->reset(pieces, -1, 0);
	for (unsigned step = 0; step < 200000; step++) {
		struct model_outputs *of_whole = whole, *of_pieces = pieces;

		of_whole->requests = of_pieces->requests = 0;
		of_whole->precise = of_pieces->precise = 0;
		random_step_in_pieces(whole, pieces);
		assert_same_outputs(of_whole, of_pieces);
		for (unsigned i = 0; i < STRANDS * COUNTERS; i++) {
			assert_same_register(whole, pieces, i / COUNTERS, PCR0 + i % COUNTERS);
			assert_same_register(whole, pieces, i / COUNTERS, PIC0 + i % COUNTERS);
		}
	}
	free(pieces);
}

// The rules once more, as plainly as they can be written: one cycle at a time.
struct reference {
	uint64_t pcr[COUNTERS], pic[COUNTERS];
	unsigned window[COUNTERS];	// sl 28: cycles in which an ov is on its way
	uint64_t late[COUNTERS];	// what is
	unsigned level;
	bool line, risen, precise;
};

static struct reference references[STRANDS];
static const struct occurrence *reference_signals;
static size_t reference_signal_count;

static unsigned sl_of(uint64_t pcr)
{
	return pcr >> 11 & 31;
}

static bool is_precise(uint64_t pcr)
{
	unsigned sl = sl_of(pcr);

	return sl == 3 || sl == 4 || sl == 5 || sl == 16 || sl == 25;
}

static bool reference_at(uint64_t pcr, unsigned level)
{
	return pcr & (level == HYPER ? HT : level == PRIVILEGED ? ST : level == USER ? UT : 0);
}

// Table 10-2, of the groups that the programs use: what of the mask is used, what is across strands, what is counted
// once a cycle.
static void reference_group(unsigned sl, unsigned *used, unsigned *across, unsigned *once)
{
	*used = *across = *once = 0;
	switch (sl) {
	case 1:
		*used = *once = 0x1F;
		break;
	case 3:
	case 26:
		*used = 0x3F;
		break;
	case 8:
		*used = 0x0F;
		*across = 0x02;
		*once = 0x07;
		break;
	case 9:
		*used = *across = *once = 0x1F;
		break;
	case 18:
		*used = 0x07;
		*across = 0x01;
		break;
	case 20:
		*used = *across = 0x1F;
		*once = 0x10;
		break;
	case 24:
		*used = *across = 0x3F;
		break;
	case 25:
		*used = 0x0F;
		break;
	case 28:
		*used = 0x0F;
		*across = 0x02;
		break;
	}
}

// What a strand's counter with this PCR adds in a cycle; *commits: at a next-to-commit instruction.
static uint64_t reference_events(unsigned strand, uint64_t pcr, bool *commits)
{
	unsigned used, across, once, sl = sl_of(pcr), mask = pcr >> 5 & 0x3F;
	uint64_t sum = 0;
	bool any = false;

	*commits = false;
	reference_group(sl, &used, &across, &once);
	for (size_t i = 0; i < reference_signal_count; i++) {
		const struct occurrence *o = &reference_signals[i];
		unsigned bits = o->sub & mask & used;
		bool own = o->thread == strand && reference_at(pcr, o->level);

		if (o->code != sl || !o->n)
			continue;
		if (sl == CYCLES) {
			if (own)
				any = true;
			*commits |= own && o->type == OCCURRENCE_TYPE_COMMIT;
			continue;
		}
		if (sl == INSTRUCTIONS && mask == 0x3F && o->sub & UNKNOWN)
			bits |= UNKNOWN;
		bits = (own ? bits & ~across : 0) | (reference_at(pcr, references[strand].level) ? bits & across : 0);
		if (bits & ~once)
			sum += o->n;
		if (bits & once)
			any = true;
		*commits |= bits && o->type == OCCURRENCE_TYPE_COMMIT;
	}
	return sum + any;
}

// The strand is where its asynchronous events are; where there are none, where its precise ones are; where there are
// none, where it was. If they disagree, where the least privileged are.
static void reference_levels(void)
{
	for (unsigned strand = 0; strand < STRANDS; strand++)
		for (int asynchronous = 1; asynchronous >= 0; asynchronous--) {
			int level = -1;

			for (size_t i = 0; i < reference_signal_count; i++) {
				const struct occurrence *o = &reference_signals[i];

				if (o->thread == strand && !is_precise((uint64_t)o->code << 11) == asynchronous &&
				    o->level > level)
					level = o->level;
			}
			if (level >= 0) {
				references[strand].level = (unsigned)level;
				break;
			}
		}
}

static void reference_line(struct reference *r)
{
	bool up = false;

	for (unsigned i = 0; i < COUNTERS; i++)
		up |= (r->pcr[i] & (TOE | OV)) == (TOE | OV) && !is_precise(r->pcr[i]);
	r->risen = up && (r->risen || !r->line);
	r->line = up;
}

// One cycle of a strand. `storing`: a store to one of its registers executes, which is a next-to-commit instruction.
// Returns the counters that have wrapped.
static unsigned reference_cycle(unsigned strand, bool storing, unsigned muted)
{
	struct reference *r = &references[strand];
	unsigned wrapped = 0;

	for (unsigned i = 0; i < COUNTERS; i++) {
		uint64_t *pcr = &r->pcr[i], *pic = &r->pic[i], sum;
		bool commits;

		sum = (uint32_t)*pic + (muted >> i & 1 ? 0 : reference_events(strand, *pcr, &commits));
		if (sum <= UINT32_MAX) {
			*pic = (*pic & ~0xFFFFFFFFULL) | sum;
		} else {
			*pic = (*pic & ~0xFFFFFFFFULL) | (uint32_t)sum;
			wrapped |= 1U << i;
			commits |= storing && is_precise(*pcr);
			*(r->window[i] ? &r->late[i] : pcr) |= OV | (commits ? NTC : 0);
			if (is_precise(*pcr) && *pcr & TOE && !(*pcr & HT) && r->level != HYPER)
				r->precise = true;
		}
		if (r->window[i] && --r->window[i] == 0) {
			*pcr |= r->late[i];
			r->late[i] = 0;
		}
	}
	reference_line(r);
	return wrapped;
}

// A cycle of the core, in which a strand stores to one of its registers. Returns its counters that have wrapped.
static unsigned reference_store(unsigned strand, unsigned muted)
{
	unsigned wrapped = 0;

	for (unsigned i = 0; i < STRANDS; i++)
		if (i == strand)
			wrapped = reference_cycle(i, true, muted);
		else
			reference_cycle(i, false, 0);
	return wrapped;
}

static void reference_set_pcr(struct reference *r, unsigned n, uint64_t value, uint64_t kept)
{
	const uint64_t status = r->pcr[n] & (value | kept) & (OV | NTC);

	r->pcr[n] = (value & ((1ULL << 18) - 1) & ~OV) | status;
	r->late[n] = 0;
	r->window[n] = 0;
	if (sl_of(value) == COMMITS && value >> 5 & 3 && (uint32_t)r->pic[n] >= 0xFFFFFFFD)
		r->window[n] = 2;
	reference_line(r);
}

static void reference_write_pcr(unsigned strand, unsigned n, uint64_t value, uint64_t cycles)
{
	struct reference *r = &references[strand];
	unsigned wrapped = 0;

	if (is_precise(r->pcr[n])) {
		for (; cycles; cycles--)
			wrapped |= reference_store(strand, 0);
		reference_set_pcr(r, n, value, wrapped >> n & 1 ? ~0ULL : 0);
		return;
	}
	reference_set_pcr(r, n, value, 0);
	for (; cycles; cycles--)
		reference_store(strand, is_precise(value) ? 1U << n : 0);
}

// The outputs first: they are to be right before anybody reads a register.
static void assert_as_reference(void)
{
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		assert_int_equal(outputs()->held >> strand & 1, references[strand].line);
		assert_int_equal(outputs()->requests >> strand & 1, references[strand].risen);
		assert_int_equal(outputs()->precise >> strand & 1, references[strand].precise);
	}
	for (unsigned strand = 0; strand < STRANDS; strand++)
		for (unsigned i = 0; i < COUNTERS; i++) {
			assert_int_equal(get_of(strand, PCR0 + i), references[strand].pcr[i]);
			assert_int_equal(get_of(strand, PIC0 + i), references[strand].pic[i]);
		}
}

static void run_both(uint64_t cycles)
{
	run(cycles);
	for (; cycles; cycles--)
		for (unsigned strand = 0; strand < STRANDS; strand++)
			reference_cycle(strand, false, 0);
}

static void random_step_with_reference(void)
{
	static struct occurrence signals[2][8];
	static unsigned turn;
	unsigned n = (unsigned)random_below(COUNTERS), strand = random_strand();
	uint64_t value, cycles = random_below(4);

	switch (random_below(8)) {
	case 0:
	case 1:
		turn = !turn;
		reference_signals = signals[turn];
		reference_signal_count = random_signals(signals[turn]);
		model->connect(pmu, reference_signals, reference_signal_count);
		reference_levels();
		break;
	case 2:
	case 3:
		value = random_pcr();
		assert_true(model->write(pmu, strand, PCR0 + n, value, cycles));
		reference_write_pcr(strand, n, value, cycles);
		break;
	case 4:
		value = random_count();
		assert_true(model->write(pmu, strand, PIC0 + n, value, cycles));
		for (; cycles; cycles--)
			reference_store(strand, 0);
		references[strand].pic[n] = value;
		break;
	default:
		run_both(random_below(20));
	}
}

static bool take_traps(void)
{
	bool any = false;

	outputs()->requests = outputs()->precise = 0;
	for (unsigned strand = 0; strand < STRANDS; strand++) {
		any |= references[strand].risen || references[strand].precise;
		references[strand].risen = references[strand].precise = false;
	}
	return any;
}

// While no line rises and no trap is taken, headroom says in which cycle that changes.
static void random_programs_count_as_the_rules_say(void **state)
{
	unsigned raised = 0;

	(void)state;
	memset(references, 0, sizeof references);
	reference_signal_count = 0;
	for (unsigned step = 0; step < 200000; step++) {
		random_step_with_reference();
		assert_as_reference();
		take_traps();
		if (outputs()->headroom < 100) {
			run_both(outputs()->headroom);
			assert_as_reference();
			assert_false(take_traps());
			run_both(1);
			assert_as_reference();
			assert_true(take_traps());
			raised++;
		}
	}
	assert_true(raised > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(results_do_not_depend_on_how_runs_are_cut),
		TEST(random_programs_count_as_the_rules_say),
	};

	return cmocka_run_group_tests_name("sparct4 model: random programs", tests, find_model, release_model);
}
