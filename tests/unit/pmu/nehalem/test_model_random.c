// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the nehalem model: cut into other pieces, and counted by a plain statement of the rules.

#include "steps.h"

// A register and a value that it takes, near what makes things happen.
static uint32_t random_write(uint64_t *value)
{
	static const uint64_t codes[] = {RETIRED, UOPS, UOPS, CYCLES};

	switch (random_below(9)) {
	default:
		*value = EVENT(codes[random_below(4)], random_below(4)) | CMASK(random_below(4)) | USR | OS | EN |
			 random_below(2) * E | random_below(2) * INT | random_below(2) * ANY | random_below(2) * INV;
		if (!random_below(3))
			*value &= ~(uint64_t[]){USR, OS, EN}[random_below(3)];
		return PERFEVTSEL0 + (uint32_t)random_below(GENERAL);
	case 0:
		*value = random_below(4) ? -random_below(40) : random_below(UINT64_MAX);
		return PMC0 + (uint32_t)random_below(GENERAL);
	case 1:
		*value = (-random_below(40)) & COUNTER_MAX;
		return FIXED_CTR0 + (uint32_t)random_below(FIXED);
	case 2:
		*value = random_below(0x1000);
		return FIXED_CTR_CTRL;
	case 3:
		*value = random_below(3) ? ALL_BITS : random_below(UINT64_MAX) & ALL_BITS;
		return GLOBAL_CTRL;
	case 4:
		*value = random_below(UINT64_MAX) & ALL_BITS;
		return GLOBAL_OVF_CTRL;
	case 5:
		*value = random_below(2) * FREEZE_PERFMON_ON_PMI;
		return DEBUGCTL;
	}
}

static size_t random_wires(struct occurrence *wires)
{
	static const uint16_t codes[] = {RETIRED, UOPS, CYCLES, REFERENCE};
	size_t count = random_below(6);

	for (size_t i = 0; i < count; i++)
		wires[i] = (struct occurrence){
			.code = codes[random_below(4)], .sub = (uint16_t)random_below(4),
			.n = (uint32_t)random_below(4), .thread = (uint8_t)random_below(THREADS),
			.level = (uint8_t)random_below(4),
		};
	return count;
}

// A length in cycles: mostly short, some so long that counters go round.
static uint64_t random_length(void)
{
	return random_below(8) ? random_below(60) : random_below(1ULL << random_below(63));
}

// Runs `cycles` in up to six pieces.
static void run_in_pieces(void *state, uint64_t cycles)
{
	for (unsigned pieces = (unsigned)random_below(6); pieces && cycles; pieces--) {
		uint64_t piece = random_below(cycles + 1);

		model->run(state, piece);
		cycles -= piece;
	}
	model->run(state, cycles);
}

static void random_step_in_pieces(void *whole, void *pieces)
{
	static struct occurrence wires[2][8];
	static unsigned turn;
	unsigned thread = (unsigned)random_below(THREADS);
	uint64_t value, cycles = random_length();
	uint32_t address;
	size_t count;

	switch (random_below(3)) {
	case 0:
		turn = !turn;
		count = random_wires(wires[turn]);
		model->wires(whole, wires[turn], count);
		model->wires(pieces, wires[turn], count);
		break;
	case 1:
		address = random_write(&value);
		cycles %= 100;
		assert_true(model->write(whole, thread, address, value, cycles));
		run_in_pieces(pieces, cycles);
		assert_true(model->write(pieces, thread, address, value, 0));
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
	for (unsigned step = 0; step < 20000; step++) {
		struct model_outputs *of_whole = whole, *of_pieces = pieces;
		struct snapshot one;

		of_whole->requests = of_pieces->requests = 0;
		random_step_in_pieces(whole, pieces);
		assert_int_equal(of_whole->requests, of_pieces->requests);
		assert_int_equal(of_whole->level_matters, of_pieces->level_matters);
		one = take_snapshot();
		pmu = pieces;
		assert_nothing_changed(&one);
		pmu = whole;
	}
	free(pieces);
}

// The rules once more, as plainly as they can be written: one cycle at a time, nothing remembered but registers and
// the last cycle's conditions.
static struct reference {
	struct reference_thread {
		uint64_t select[GENERAL], counter[COUNTERS], fixed_control, global_control, status, debugctl;
		bool asserted[COUNTERS];
		unsigned level;		// of its last occurrence
	} thread[THREADS];
	const struct occurrence *wires;
	size_t wire_count;
	uint32_t requests;
} reference;

static uint64_t reference_select(const struct reference_thread *t, unsigned counter)
{
	static const uint64_t events[] = {RETIRED, CYCLES, REFERENCE};
	unsigned bits;

	if (counter < GENERAL)
		return t->select[counter];
	bits = (unsigned)(t->fixed_control >> 4 * (counter - GENERAL));
	return events[counter - GENERAL] | EN | (bits & FIXED_OS ? OS : 0) | (bits & FIXED_USR ? USR : 0) |
	       (bits & FIXED_ANY ? ANY : 0) | (bits & FIXED_PMI ? INT : 0);
}

static bool reference_enabled(const struct reference_thread *t, unsigned counter)
{
	return t->global_control & counter_bit(counter) && reference_select(t, counter) & EN;
}

static bool reference_selects(uint64_t select, unsigned thread, unsigned counter, const struct occurrence *o)
{
	unsigned code = counter < GENERAL ? select & 0xFF : select & 0xFFFF;
	unsigned mask = counter < GENERAL ? select >> 8 & 0xFF : 0;

	return o->code == code && (mask ? (o->sub & mask) != 0 : o->sub == 0) &&
	       (o->thread == thread || select & ANY) && select & (o->level ? USR : OS);
}

static bool reference_at_level(unsigned thread, uint64_t select)
{
	uint64_t own = reference.thread[thread].level ? USR : OS, other = reference.thread[!thread].level ? USR : OS;

	return select & own || (select & ANY && select & other);
}

static uint64_t reference_increment(unsigned thread, unsigned counter)
{
	struct reference_thread *t = &reference.thread[thread];
	uint64_t select = reference_select(t, counter), events = 0, cmask = counter < GENERAL ? select >> 24 : 0;
	bool before = t->asserted[counter], now;

	for (size_t i = 0; i < reference.wire_count; i++)
		if (reference_selects(select, thread, counter, &reference.wires[i]))
			events += reference.wires[i].n;
	if (cmask == 0)
		return events;
	now = (select & INV ? events < cmask : events >= cmask) && reference_at_level(thread, select);
	t->asserted[counter] = now;
	return select & E ? now && !before : now;
}

static void reference_cycle(void)
{
	for (unsigned thread = 0; thread < THREADS; thread++) {
		struct reference_thread *t = &reference.thread[thread];
		bool freeze = false;

		for (unsigned i = 0; i < COUNTERS; i++) {
			t->asserted[i] &= reference_enabled(t, i);
			if (!reference_enabled(t, i))
				continue;
			t->counter[i] += reference_increment(thread, i);
			if (t->counter[i] <= COUNTER_MAX)
				continue;
			t->counter[i] &= COUNTER_MAX;
			t->status |= counter_bit(i);
			if (reference_select(t, i) & INT) {
				reference.requests |= 1U << thread;
				freeze = t->debugctl & FREEZE_PERFMON_ON_PMI || freeze;
			}
		}
		if (freeze)
			t->global_control = 0;
	}
}

static void reference_write(unsigned thread, uint32_t address, uint64_t value)
{
	struct reference_thread *t = &reference.thread[thread];

	if (address >= PMC0 && address < PMC0 + GENERAL)
		t->counter[address - PMC0] = (uint64_t)(int64_t)(int32_t)value & COUNTER_MAX;
	else if (address >= FIXED_CTR0 && address < FIXED_CTR0 + FIXED)
		t->counter[address - FIXED_CTR0 + GENERAL] = value;
	else if (address >= PERFEVTSEL0 && address < PERFEVTSEL0 + GENERAL) {
		t->asserted[address - PERFEVTSEL0] &= t->select[address - PERFEVTSEL0] == value;
		t->select[address - PERFEVTSEL0] = value;
	} else if (address == FIXED_CTR_CTRL)
		t->fixed_control = value;
	else if (address == GLOBAL_CTRL)
		t->global_control = value;
	else if (address == GLOBAL_OVF_CTRL)
		t->status &= ~value;
	else
		t->debugctl = value;
}

static void assert_as_reference(void)
{
	for (unsigned thread = 0; thread < THREADS; thread++) {
		const struct reference_thread *t = &reference.thread[thread];

		for (unsigned i = 0; i < COUNTERS; i++)
			assert_int_equal(get_of(thread, counter_address(i)), t->counter[i]);
		assert_int_equal(get_of(thread, GLOBAL_STATUS), t->status);
		assert_int_equal(get_of(thread, GLOBAL_CTRL), t->global_control);
	}
	assert_int_equal(outputs()->requests, reference.requests);
}

static void run_both(uint64_t cycles)
{
	run(cycles);
	for (; cycles; cycles--)
		reference_cycle();
}

// A select is written over 0: what is left of an edge in a counter that goes on with another event is nobody's rule.
static void write_both(uint64_t cycles)
{
	unsigned thread = (unsigned)random_below(THREADS);
	uint64_t value;
	uint32_t address = random_write(&value);

	if (address >= PERFEVTSEL0 && address < PERFEVTSEL0 + GENERAL) {
		put_of(thread, address, 0);
		reference_write(thread, address, 0);
	}
	assert_true(model->write(pmu, thread, address, value, cycles));
	for (; cycles; cycles--)
		reference_cycle();
	reference_write(thread, address, value);
}

static void random_step_with_reference(void)
{
	static struct occurrence wires[2][8];
	static unsigned turn;

	switch (random_below(3)) {
	case 0:
		turn = !turn;
		reference.wires = wires[turn];
		reference.wire_count = random_wires(wires[turn]);
		model->wires(pmu, reference.wires, reference.wire_count);
		for (size_t i = 0; i < reference.wire_count; i++)
			reference.thread[reference.wires[i].thread].level = reference.wires[i].level;
		break;
	case 1:
		write_both(random_below(4));
		break;
	default:
		run_both(random_below(60));
	}
}

static void random_programs_count_as_the_rules_say(void **state)
{
	(void)state;
	reference = (struct reference){.thread = {{.global_control = GENERAL_BITS}, {.global_control = GENERAL_BITS}}};
	for (unsigned step = 0; step < 50000; step++) {
		random_step_with_reference();
		assert_as_reference();
		if (outputs()->quiet < 100) {
			outputs()->requests = reference.requests = 0;
			run_both(outputs()->quiet);
			assert_int_equal(reference.requests, 0);
			assert_as_reference();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(results_do_not_depend_on_how_runs_are_cut),
		TEST(random_programs_count_as_the_rules_say),
	};

	return cmocka_run_group_tests_name("nehalem model: random programs", tests, find_model, release_model);
}
