/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs for any target's model: registers, inputs and lengths of runs. The model
 * describes the registers and their fields; the target adds writes without which little would
 * occur. Counts are not checked here: engine/test_counting.c has a naive counter, and each model's
 * tests check its selection. */
#ifndef RANDOM_PROGRAMS_H
#define RANDOM_PROGRAMS_H

#include "device.h"

struct random_write {
	uint32_t address;
	uint64_t value;
};

/* The parts that differ between targets. */
static const struct random_programs {
	uint16_t codes[24], subs[12];	/* event codes; unit masks (0 is always one of them) */
	unsigned code_count, sub_count;
	struct random_write often[10];	/* writes without which no counter would count */
	unsigned often_count;
	uint64_t write_cycles;		/* a write takes fewer cycles than this */
	bool polled;			/* the PMU has no overflow interrupt */
	bool early;			/* headroom may end early (the model's README says when) */
	void (*begin)(void *whole, void *pieces);
	void (*happen)(void);		/* events other than inputs and registers; NULL: none */
	void (*check)(void);		/* compares state outside registers */
	unsigned *looks;		/* number of times the model read the processor */
} programs;

#define ENTRIES(array) (sizeof (array) / sizeof *(array))

static inline bool one_in(unsigned n)
{
	return random_below(n) == 0;
}

/* Returns a random address or count: often near its end, or equal to others. */
static inline uint64_t random_wide(void)
{
	const uint64_t values[] = {-random_below(60), -random_below(60), 0x1000 * random_below(5),
				   0, ~0ULL, random_below(UINT64_MAX)};

	return values[random_below(ENTRIES(values))];
}

static inline uint64_t random_field(unsigned width)
{
	if (width > 15)
		return random_wide();
	if (width == 1)
		return random_below(3) != 0;
	if (width < 5)
		return one_in(3) ? 0 : one_in(2) ? ~0ULL : random_below(16);
	return one_in(3) ? random_below(UINT64_MAX) : random_below(4);
}

static inline uint64_t random_sub(void)
{
	return programs.sub_count && !one_in(3) ? programs.subs[random_below(programs.sub_count)] :
	       0;
}

static inline bool is_of(uint64_t field, const struct field *f)
{
	return field && f->low == (unsigned)__builtin_ctzll(field);
}

/* Returns a value that a register accepts. A selected event usually exists. */
static inline uint64_t random_value(const struct register_description *d)
{
	uint64_t value = 0;

	for (const struct field *f = d->field; f < d->field + d->fields; f++) {
		uint64_t part = f->access == FIELD_RSVD ? 0 : random_field(f->width);

		for (const struct model_counters *g = model->groups;
		     g < model->groups + model->group_count; g++) {
			if (d->address != g->select)
				continue;
			if (is_of(g->code, f))
				part = programs.codes[random_below(programs.code_count)];
			if (is_of(g->umask, f))
				part = random_sub();
		}
		value |= part << f->low & FIELD_MASK(f->low, f->width);
	}
	return value;
}

/* Returns a random write. Counters and their control registers are written more often than
 * others. */
static inline struct random_write random_write(void)
{
	const struct register_description *d =
		&model->registers[random_below(model->register_count)];
	const struct model_counters *g = &model->groups[random_below(model->group_count)];
	const uint32_t wanted = one_in(2) ? g->address : g->select;

	if (programs.often_count && one_in(4))
		return programs.often[random_below(programs.often_count)];
	for (size_t i = one_in(3) ? model->register_count : 0; i < model->register_count; i++)
		if (wanted - model->registers[i].address < model->registers[i].count)
			d = &model->registers[i];
	return (struct random_write){d->address + (uint32_t)random_below(d->count) * d->distance,
				     random_value(d)};
}

/* Makes new inputs. They must stay valid until they are replaced, so two arrays alternate. */
static inline size_t random_signals(const struct occurrence **list)
{
	static struct occurrence signals[2][8];
	static const uint8_t levels[] = {0, 0, 1, 3, 3, 3};
	static unsigned turn;
	const size_t count = random_below(ENTRIES(signals[0]));
	struct occurrence *o = signals[turn = !turn];

	*list = o;
	for (size_t i = 0; i < count; i++, o++) {
		*o = (struct occurrence){
			.code = programs.codes[random_below(programs.code_count)],
			.sub = (uint16_t)random_sub(),
			.n = (uint32_t)random_below(5),
			.thread = (uint8_t)random_below(model->threads),
			.level = levels[random_below(ENTRIES(levels))], .isa = one_in(10),
			.type = (uint8_t)(random_below(4) ? 1u << random_below(7) : 0),
			.slot = (uint8_t)random_below(3), .served = (uint8_t)random_below(4),
			.branch = (uint8_t)(random_below(2) ? random_below(128) : 0),
			.data = (uint8_t)random_below(2),
			.latency = (uint32_t)random_below(one_in(4) ? 9000 : 20),
			.opcode = random_wide(),
			.ip = random_wide(), .address = random_wide(), .target = random_wide(),
		};
		if (i && one_in(3)) {	// the next slot of the same bundle
			*o = o[-1];
			o->slot++;
			o->branch ^= OCCURRENCE_TAKEN;
		}
	}
	return count;
}

/* Returns a length: usually short, sometimes so long that counters wrap many times. */
static inline uint64_t random_length(void)
{
	return one_in(8) ? random_below(1ULL << random_below(63)) : random_below(40);
}

/* Runs in up to six pieces. Between them the state may move to other memory. */
static inline void run_in_pieces(void **state, uint64_t cycles)
{
	for (unsigned pieces = (unsigned)random_below(6); pieces && cycles; pieces--) {
		const uint64_t piece = random_below(cycles + 1);
		void *moved;

		model->advance(*state, piece, connected, connected_count);
		cycles -= piece;
		if (random_below(8))
			continue;
		moved = new_state();
		memcpy(moved, *state, model->size);
		memset(*state, 0x5A, model->size);
		free(*state);
		*state = moved;
	}
	model->advance(*state, cycles, connected, connected_count);
}

/* Other events at a PMU: a signal of the package's PMU, a bus lock, SPFLT, an interruption. */
static inline void happen(void *state, unsigned thread, unsigned what)
{
	uint64_t saved;

	if (what == 0 && model->machine->signal)
		model->machine->signal(state, thread);
	if (what == 1 && model->package && model->package->bus_lock)
		model->package->bus_lock(state);
	if (what > 1 && what < 4 && model->user && model->user->spflt)
		model->user->spflt(state, thread, what == 2, 0);
	if (what == 4 && model->machine->interruption) {
		model->machine->interruption(state, thread, &saved);
		model->machine->resume(state, thread, saved);
	}
	if (what == 5 && model->machine->commit)
		model->machine->commit(state);
}

/* Executes one step of a program on both states. */
static inline void random_step(void *whole, void **pieces)
{
	const unsigned thread = (unsigned)random_below(model->threads),
		what = (unsigned)random_below(6);
	uint64_t cycles = random_length();
	const struct occurrence *signals;
	struct random_write w;
	size_t count;

	switch (random_below(8)) {
	case 0:
		happen(whole, thread, what);
		happen(*pieces, thread, what);
		if (programs.happen)
			programs.happen();
		break;
	case 1:
	case 2:
		count = random_signals(&signals);
		connected = signals;
		connected_count = count;
		model->advance(whole, 0, connected, connected_count);
		model->advance(*pieces, 0, connected, connected_count);
		break;
	case 3:
	case 4:
	case 5:
		w = random_write();
		cycles = random_below(programs.write_cycles);
		if (!model->write(whole, thread, w.address, w.value, cycles)) {
			assert_false(model->write(*pieces, thread, w.address, w.value, 0));
			break;
		}
		run_in_pieces(pieces, cycles);
		assert_true(model->write(*pieces, thread, w.address, w.value, 0));
		break;
	default:
		model->advance(whole, cycles, connected, connected_count);
		run_in_pieces(pieces, cycles);
	}
}

static inline void assert_same_outputs(struct model_outputs *one, struct model_outputs *other)
{
	assert_int_equal(one->requests, other->requests);
	assert_int_equal(one->precise, other->precise);
	assert_int_equal(one->held, other->held);
	assert_int_equal(one->strobes, other->strobes);
	assert_int_equal(one->level_matters, other->level_matters);
	assert_int_equal(one->headroom >= MODEL_FAR, other->headroom >= MODEL_FAR);
	if (one->headroom < MODEL_FAR && !programs.early)
		assert_int_equal(one->headroom, other->headroom);
}

/* Both states must fault at the same registers, and agree on undefined values. */
static inline void assert_same_registers(void *one, void *other)
{
	for (const struct register_description *d = model->registers;
	     d < model->registers + model->register_count; d++)
		for (uint32_t i = 0; i < model->threads * (uint32_t)d->count; i++) {
			const uint32_t address = d->address + i / model->threads * d->distance;
			uint64_t values[2] = {0};

			assert_int_equal(model->read(one, i % model->threads, address, &values[0]),
					 model->read(other, i % model->threads, address,
						     &values[1]));
			if (values[0] != values[1])
				fail_msg("register %#x: %#llx, %#llx", address,
					 (unsigned long long)values[0],
					 (unsigned long long)values[1]);
		}
}

static inline void take_outputs(struct model_outputs *o)
{
	o->requests = o->precise = o->strobes = 0;
}

static inline void results_do_not_depend_on_how_runs_are_cut(void **state)
{
	void *pieces = new_state();
	unsigned raised = 0;

	(void)state;
	model->reset(model, pieces, -1, 1);
	model->reset(model, pmu, -1, 1);
	connected_count = 0;
	if (programs.begin)
		programs.begin(pmu, pieces);
	for (unsigned step = 0; step < 60000; step++) {
		random_step(pmu, &pieces);
		assert_same_outputs(pmu, pieces);
		assert_same_registers(pmu, pieces);
		if (programs.check)
			programs.check();
		raised += outputs()->requests || outputs()->precise;
		take_outputs(pmu);
		take_outputs(pieces);
	}
	assert_true(raised > 300 || programs.polled);
	free(pieces);
}

static inline bool something_happened(void)
{
	static unsigned looks;
	const bool any = outputs()->requests || outputs()->precise ||
		(programs.looks && *programs.looks != looks);

	looks = programs.looks ? *programs.looks : 0;
	take_outputs(pmu);
	return any;
}

/* No request occurs in `headroom` cycles; one occurs in the next cycle. */
static inline void headroom_is_kept(void **state)
{
	unsigned reached = 0, far = 0;
	const struct occurrence *signals;
	size_t count;

	(void)state;
	if (programs.begin)
		programs.begin(pmu, NULL);
	for (unsigned step = 0; step < 60000; step++) {
		const struct random_write w = random_write();

		model->write(pmu, (unsigned)random_below(model->threads), w.address, w.value, 0);
		happen(pmu, (unsigned)random_below(model->threads), (unsigned)random_below(64));
		if (one_in(2)) {
			count = random_signals(&signals);
			set_inputs(signals, count);
		}
		if (programs.happen && one_in(8))
			programs.happen();
		something_happened();
		if (outputs()->headroom >= MODEL_FAR) {
			run(random_length());
			assert_false(something_happened());
			far++;
			continue;
		}
		run(outputs()->headroom);
		assert_false(something_happened());
		run(1);
		if (something_happened())
			reached++;
		else
			assert_true(programs.early);
	}
	assert_true((reached > 1000 || programs.polled) && far > 1000);
}

#define RANDOM_PROGRAMS TEST(results_do_not_depend_on_how_runs_are_cut), TEST(headroom_is_kept)

#endif
