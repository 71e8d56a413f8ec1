// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the Knights Corner model: cut into other pieces, and counted by a plain statement of the rules.

#include "steps.h"

// Events of each unit, one for counter 0 only (10H C8H), one of no thread (10H E6H), and two that do not exist (55H;
// 10H 16H).
static const struct {
	uint8_t code, umask;
} random_events[] = {
	{0x16, 0x00}, {0x16, 0x00}, {0x16, 0x00}, {0x2A, 0x00}, {0x00, 0x00}, {0x16, 0x20}, {0xF0, 0x10}, {0xC8, 0x10},
	{0x55, 0x00}, {0x16, 0x10}, {0xE6, 0x10},
};

#define EVENTS (sizeof random_events / sizeof *random_events)

static uint64_t random_select(void)
{
	unsigned event = (unsigned)random_below(EVENTS);
	uint64_t value = EVENT(random_events[event].code, random_events[event].umask) | ON | random_bits(E | ANY | INV);

	if (random_below(3))
		value |= INT;
	if (random_below(2))
		value |= CMASK(random_below(4));
	if (!random_below(3))
		value &= ~(uint64_t[]){USR, OS, EN, E, INV}[random_below(5)];
	return value;
}

static uint64_t random_count(void)
{
	return (random_below(4) ? -1 - random_below(20) : random_below(UINT64_MAX)) & COUNTER_MAX;
}

// A register and a value that it takes, near what makes things happen.
static uint32_t random_write(uint64_t *value)
{
	switch (random_below(16)) {
	default:
		*value = random_select();
		return SEL0 + (uint32_t)random_below(COUNTERS);
	case 0:
	case 1:
	case 8:
	case 9:
		*value = random_count();
		return CNTR0 + (uint32_t)random_below(COUNTERS);
	case 2:
	case 3:
		*value = random_below(4) ? 3 : random_below(4);
		return GLOBAL;
	case 4:
	case 5:
	case 10:
	case 11:
		*value = random_below(2) ? 3 : random_below(4);
		return OVF_CTRL;
	case 6:
		*value = (random_below(2) ? 0 : random_below(4)) | random_bits(USER_PREF);
		return SPFLT;
	case 7:
		*value = random_below(UINT64_MAX);
		return TSC;
	}
}

static size_t random_signals(struct occurrence *signals)
{
	size_t count = random_below(6);

	for (size_t i = 0; i < count; i++) {
		unsigned event = (unsigned)random_below(EVENTS);

		signals[i] = (struct occurrence){
			.code = random_events[event].code, .sub = random_events[event].umask,
			.n = (uint32_t)random_below(4), .thread = (uint8_t)random_below(THREADS),
			.level = (uint8_t)(random_below(2) ? 3 : random_below(4)),
		};
	}
	return count;
}

//
// In pieces
//

static void random_step_in_pieces(void *whole, void *pieces)
{
	unsigned thread = (unsigned)random_below(THREADS);
	uint64_t value, cycles;
	uint32_t address;

	switch (random_below(8)) {
	case 0:
	case 1:
		connect_both(whole, pieces, random_signals);
		break;
	case 2:
	case 3:
	case 4:
		address = random_write(&value);
		cycles = random_below(3);
		assert_true(model->write(whole, thread, address, value, cycles));
		model->run(pieces, cycles);
		assert_true(model->write(pieces, thread, address, value, 0));
		break;
	case 5:
		value = random_below(2);
		model->spflt(whole, thread, value, 0);
		model->spflt(pieces, thread, value, 0);
		break;
	default:
		cycles = random_below(8) ? random_below(20) : random_below(1ULL << random_below(63));
		model->run(whole, cycles);
		run_in_pieces(pieces, cycles);
	}
}

static void results_do_not_depend_on_how_runs_are_cut(void **state)
{
	static const uint32_t registers[] = {TSC, CNTR0, CNTR1, SEL0, SEL1, SPFLT, STATUS, GLOBAL};
	void *whole = pmu, *pieces = new_state();

	(void)state;
	model->reset(pieces, -1, 0);
	for (unsigned step = 0; step < 200000; step++) {
		struct model_outputs *of_whole = whole, *of_pieces = pieces;

		of_whole->requests = of_pieces->requests = 0;
		random_step_in_pieces(whole, pieces);
		assert_same_outputs(of_whole, of_pieces);
		for (unsigned i = 0; i < THREADS * sizeof registers / sizeof *registers; i++)
			assert_same_register(whole, pieces, i % THREADS, registers[i / THREADS]);
	}
	free(pieces);
}

//
// The rules once more, as plainly as they can be written: one cycle at a time, from the registers themselves
//

static struct reference {
	uint64_t count[THREADS][COUNTERS], select[THREADS][COUNTERS];
	uint64_t spflt[THREADS], status[THREADS], global[THREADS], clock;
	bool held[THREADS][COUNTERS];		// the condition of the last cycle
	unsigned level[THREADS];
	bool line[THREADS], risen[THREADS];
	const struct occurrence *signals;
	size_t signal_count;
} reference;

static bool reference_exists(unsigned counter, uint64_t select)
{
	switch (select & 0xFFFF) {
	case 0x0016:
	case 0x002A:
	case 0x0000:
	case 0x2016:
	case 0x10F0:
		return true;
	case 0x10C8:
	case 0x10E6:
		return counter == 0;
	}
	return false;
}

static bool reference_counts_level(uint64_t select, unsigned level)
{
	return level == 0 ? select & OS : select & USR;
}

static bool reference_is_enabled(unsigned thread, unsigned counter)
{
	const uint64_t select = reference.select[thread][counter];

	if (!reference_exists(counter, select) || !(select & EN))
		return false;
	if (!(reference.global[thread] & 1U << counter))
		return false;
	return !(reference.spflt[thread] & 1U << counter) || reference.spflt[thread] & USER_PREF;
}

static bool reference_counts_all_threads(uint64_t select)
{
	return select & ANY || (select & 0xFFFF) == 0x10E6;
}

static uint64_t reference_events(unsigned thread, uint64_t select)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < reference.signal_count; i++) {
		const struct occurrence *o = &reference.signals[i];

		if ((uint64_t)EVENT(o->code, o->sub) != (select & 0xFFFF))
			continue;
		if (o->thread != thread && !reference_counts_all_threads(select))
			continue;
		if (reference_counts_level(select, o->level))
			sum += o->n;
	}
	return sum;
}

static bool reference_at_level(unsigned thread, uint64_t select)
{
	bool at = reference_counts_level(select, reference.level[thread]);

	if (select & ANY)
		for (unsigned other = 0; other < THREADS; other++)
			at = at || reference_counts_level(select, reference.level[other]);
	return at;
}

static bool reference_condition(unsigned thread, uint64_t select, uint64_t events)
{
	const uint64_t cmask = select >> 24;

	if (!cmask)
		return events > 0;
	if (select & INV)
		return events < cmask && reference_at_level(thread, select);
	return events >= cmask;
}

// What a counter adds in this cycle.
static uint64_t reference_step(unsigned thread, unsigned counter)
{
	const uint64_t select = reference.select[thread][counter];
	uint64_t events = reference_events(thread, select);
	bool *held = &reference.held[thread][counter], before = *held;

	*held = reference_is_enabled(thread, counter) && reference_condition(thread, select, events);
	if (!reference_is_enabled(thread, counter))
		return 0;
	if (select & E)
		return *held && !before;
	return select >> 24 ? *held : events;
}

static void reference_lines(void)
{
	for (unsigned thread = 0; thread < THREADS; thread++) {
		bool up = false;

		for (unsigned counter = 0; counter < COUNTERS; counter++)
			up |= reference.status[thread] & 1U << counter && reference.select[thread][counter] & INT;
		reference.risen[thread] |= up && !reference.line[thread];
		reference.line[thread] = up;
	}
}

static void reference_cycle(void)
{
	reference.clock++;
	for (unsigned thread = 0; thread < THREADS; thread++)
		for (unsigned counter = 0; counter < COUNTERS; counter++) {
			uint64_t *count = &reference.count[thread][counter];

			*count += reference_step(thread, counter);
			if (*count > COUNTER_MAX) {
				*count -= COUNTER_MAX + 1;
				reference.status[thread] |= 1U << counter;
			}
		}
	reference_lines();
}

static void reference_write(unsigned thread, uint32_t address, uint64_t value)
{
	if (address == TSC)
		reference.clock = value;
	if (address == CNTR0 || address == CNTR1)
		reference.count[thread][address - CNTR0] = value;
	if (address == SEL0 || address == SEL1)
		reference.select[thread][address - SEL0] = value;
	if (address == SPFLT)
		reference.spflt[thread] = value;
	if (address == OVF_CTRL)
		reference.status[thread] &= ~value;
	if (address == GLOBAL)
		reference.global[thread] = value;
	reference_lines();
}

static uint32_t reference_requests(void)
{
	uint32_t requests = 0;

	for (unsigned thread = 0; thread < THREADS; thread++)
		requests |= (uint32_t)reference.risen[thread] << thread;
	return requests;
}

// The outputs first: they are to be right before anybody reads a register.
static void assert_as_reference(void)
{
	bool by_level = false;

	assert_int_equal(outputs()->requests, reference_requests());
	for (unsigned thread = 0; thread < THREADS; thread++) {
		assert_int_equal(get_of(thread, TSC), reference.clock);
		assert_int_equal(get_of(thread, SPFLT), reference.spflt[thread]);
		assert_int_equal(get_of(thread, STATUS), reference.status[thread]);
		assert_int_equal(get_of(thread, GLOBAL), reference.global[thread]);
		for (unsigned counter = 0; counter < COUNTERS; counter++) {
			const uint64_t select = reference.select[thread][counter];

			assert_int_equal(get_of(thread, CNTR0 + counter), reference.count[thread][counter]);
			assert_int_equal(get_of(thread, SEL0 + counter), select);
			by_level |= reference_is_enabled(thread, counter) && !(select & OS) != !(select & USR);
		}
	}
	assert_int_equal(outputs()->level_matters, by_level);
}

static void run_both(uint64_t cycles)
{
	run(cycles);
	for (; cycles; cycles--)
		reference_cycle();
}

static void random_step_with_reference(void)
{
	static struct occurrence signals[2][8];
	static unsigned turn;
	unsigned thread = (unsigned)random_below(THREADS);
	uint64_t value, cycles = random_below(4);
	uint32_t address;

	switch (random_below(8)) {
	case 0:
	case 1:
		turn = !turn;
		reference.signals = signals[turn];
		reference.signal_count = random_signals(signals[turn]);
		model->connect(pmu, reference.signals, reference.signal_count);
		for (size_t i = 0; i < reference.signal_count; i++)
			reference.level[reference.signals[i].thread] = reference.signals[i].level;
		break;
	case 2:
	case 3:
	case 4:
		address = random_write(&value);
		assert_true(model->write(pmu, thread, address, value, cycles));
		for (; cycles; cycles--)
			reference_cycle();
		reference_write(thread, address, value);
		break;
	case 5:
		value = random_below(2);
		model->spflt(pmu, thread, value, cycles);
		for (; cycles; cycles--)
			reference_cycle();
		reference.spflt[thread] = (reference.spflt[thread] & 3) | (value ? USER_PREF : 0);
		break;
	default:
		run_both(random_below(20));
	}
}

static void forget_requests(void)
{
	outputs()->requests = 0;
	memset(reference.risen, 0, sizeof reference.risen);
}

// `headroom` says in which cycle a line rises next; while it is far none does.
static void random_programs_count_as_the_rules_say(void **state)
{
	unsigned rose = 0, far = 0;

	(void)state;
	reference = (struct reference){0};
	for (unsigned step = 0; step < 300000; step++) {
		uint64_t headroom;

		random_step_with_reference();
		assert_as_reference();
		forget_requests();
		headroom = outputs()->headroom;
		if (headroom < 100) {
			run_both(headroom);
			assert_int_equal(reference_requests(), 0);
			assert_as_reference();
			run_both(1);
			assert_int_not_equal(reference_requests(), 0);
			rose++;
		} else if (headroom >= MODEL_FAR && random_below(8) == 0) {
			run_both(30);
			assert_int_equal(reference_requests(), 0);
			far++;
		}
		assert_as_reference();
		forget_requests();
	}
	assert_true(rose > 2000 && far > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(results_do_not_depend_on_how_runs_are_cut),
		TEST(random_programs_count_as_the_rules_say),
	};

	return cmocka_run_group_tests_name("knc model: random programs", tests, find_model, release_model);
}
