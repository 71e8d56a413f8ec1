/* SPDX-License-Identifier: BSD-2-Clause */
/* What all models have in common: counters that add up what happens in each cycle, and registers. A model's state
 * begins with a struct engine. README.md says how a model is written. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "model.h"

#define ENGINE_COUNTERS	32	/* of a PMU, at most: a set of counters has a bit for each */
#define ENGINE_THREADS	8	/* that share a PMU, at most */
#define ENGINE_ADDENDS	8	/* that are compared with those of the next inputs */
#define ENGINE_FEW	32768	/* cycles: a counter has 63 bits at most, and there are fewer than 2^16 inputs */

/*
 * Counting
 */

/* A counter. The model sets all but `count` and `step` when registers change. */
struct engine_counter {
	uint64_t count;
	uint64_t step;		/* valid if it is in `moving`: what it adds in each cycle */
	uint16_t least;		/* if it is in `comparing`: as many events in a cycle meet its threshold; */
	bool inverted;		/* fewer do, while one of `threads` is at one of `levels` */
	uint8_t threads, levels;	/* by bits */
};

struct engine;
struct engine_registers;

/* What a model does beside counting. */
struct engine_rules {
	/* Finds what each counter counts in a cycle with these inputs: engine_sum with the model's selection, and what
	 * else depends on inputs and registers. */
	void (*sum)(struct engine *e);

	/* `cycles` cycles have passed, and counters `wrapped`, which went from their highest value to zero (or
	 * beyond). One in `breaking` wraps in the last of the cycles only. True: registers have changed, `sum` is to
	 * be called again. Called if counters have wrapped, and always while the engine is `busy`. */
	bool (*passed)(struct engine *e, uint64_t cycles, uint32_t wrapped);

	/* While the engine is `busy`: lowers `before_break` and `outputs.headroom` to what the model's own state asks
	 * for. NULL: nothing. */
	void (*lower_headroom)(struct engine *e);

	/* A run ends in which something other than counting happened. NULL: nothing. */
	void (*ended)(struct engine *e);

	/* Makes sets of the registers, which have changed; what is counted is derived behind it. NULL: nothing. */
	void (*configure)(struct engine *e);
};

/* Counters and what they see. Cycles that have passed are added to the counters late: engine_sync. */
struct engine {
	_Alignas(MODEL_ALIGNMENT)
	struct model_outputs outputs;	/* headroom, and steady, which is no larger, count down as cycles pass */
	const struct engine_rules *rules;
	const struct occurrence *inputs;
	size_t input_count;
	uint64_t mask;			/* of a count: 2^width - 1 */
	uint64_t pending;		/* cycles that have passed and are not in the counters yet */
	uint64_t cycles;		/* that are in them, since reset */

	/* Right behind engine_measure: cycles that can pass before one in which the model acts. */
	uint64_t before_break;

	/* Sets of counters that the model makes of its registers. */
	uint32_t counting;		/* enabled */
	uint32_t comparing;		/* count cycles in which the threshold is met, not events */
	uint32_t edges;			/* of those: the cycles in which it is met and was not in the cycle before */
	uint32_t raising;		/* their overflow raises the line */
	uint32_t breaking;		/* their overflow changes what is counted: `passed` sees each by itself */
	uint32_t later;			/* may raise the line behind a change of level, if they do not now */
	uint32_t absent;		/* would count cycles without an event that never happens (engine_leave_out) */
	bool busy;			/* the model has more to do than overflows */
	bool looks;			/* it sees more in inputs than what they add to counters */

	/* Made from them and the inputs: counters that add something in a cycle; those of them that do in the next
	 * one only; those whose condition (events, or the threshold) is met, and was met in the last cycle. */
	uint32_t moving, rising, condition, asserted;

	/* What the first inputs that add something add, each: so much to these counters. And how many there are. */
	struct engine_addend { uint32_t counters, n; } addend[ENGINE_ADDENDS];
	uint32_t addends;
	uint32_t differed;		/* so many inputs have added something else than those before them */

	uint8_t level[ENGINE_THREADS];	/* privilege level at which each thread executes, or executed last */
	struct engine_counter counter[ENGINE_COUNTERS];
	const struct engine_registers *registers;
	uint64_t seed;			/* what is undefined is made from it */
};

/* Inputs without any occurrence: a pointer that may be added to. */
extern const struct occurrence engine_nothing;

/* Begins a state that is all zero: no inputs, counters of `width` bits. */
void engine_reset(struct engine *e, const struct engine_rules *rules, unsigned width);

/* Redoes `outputs.headroom`, `before_break` and `outputs.steady`. The counters must be in sync. */
void engine_measure(struct engine *e);

/* Lets thresholds make steps of the numbers of events. */
void engine_compare(struct engine *e);

/* Adds cycles to the counters; true: `sum` is to be called again. */
bool engine_advance(struct engine *e, uint64_t cycles);

/* The headroom whatever happens (struct pmu_model): of counters in `raising`, `breaking`, which ends it, too, and
 * `later`. While the engine is `busy` there is none. */
void engine_headroom(void *state, const struct model_most *most, struct model_headroom *headroom);

/* Lets cycles pass in which more happens than counting. */
void engine_run_eventful(struct engine *e, uint64_t cycles);

/* Adds at most ENGINE_FEW cycles to the counters, whose sums then have no more than 64 bits; returns those that wrap.
 */
static inline uint32_t engine_add_few(struct engine *e, uint64_t cycles)
{
	uint64_t sums = 0;
	uint32_t wrapped = 0;

	for (uint32_t rest = e->moving; rest; rest &= rest - 1) {
		struct engine_counter *c = &e->counter[__builtin_ctz(rest)];

		sums |= c->count += c->step * cycles;
	}
	e->cycles += cycles;
	e->asserted = e->condition;
	if (__builtin_expect(sums <= e->mask, 1))
		return 0;
	for (uint32_t rest = e->moving; rest; rest &= rest - 1) {
		struct engine_counter *c = &e->counter[__builtin_ctz(rest)];

		wrapped |= c->count > e->mask ? rest & -rest : 0;
		c->count &= e->mask;
	}
	return wrapped;
}

/* Adds `n`, at least 1, to the steps of these counters; of those in `moving` some events have been found already.
 * Returns all that have events. */
static inline uint32_t engine_add(struct engine_counter *to, uint32_t moving, uint32_t counters, uint64_t n)
{
	for (uint32_t rest = counters & ~moving; rest; rest &= rest - 1)
		to[__builtin_ctz(rest)].step = n;
	for (uint32_t rest = counters & moving; rest; rest &= rest - 1)
		to[__builtin_ctz(rest)].step += n;
	return moving | counters;
}

/* Which counters count an occurrence. Functions that have one as a parameter are called with a model's own by name, so
 * that it is compiled into the loop. */
typedef uint32_t engine_selects(const struct engine *e, const struct occurrence *o);

/* Adds up the inputs. */
static inline __attribute__((always_inline)) void engine_sum(struct engine *e, engine_selects *selects)
{
	uint32_t moving = 0, addends = 0;

	for (const struct occurrence *o = e->inputs, *end = o + e->input_count; o < end; o++) {
		const uint32_t counters = o->n ? selects(e, o) & e->counting : 0;

		if (!counters)
			continue;
		if (addends++ < ENGINE_ADDENDS)
			e->addend[addends - 1] = (struct engine_addend){counters, o->n};
		moving = engine_add(e->counter, moving, counters, o->n);
	}
	e->addends = addends;
	e->moving = moving;
}

/* Whether these inputs add the same as the current ones, and nothing else depends on them. */
static inline __attribute__((always_inline)) bool engine_adds_same(const struct engine *e,
	const struct occurrence *inputs, size_t count, engine_selects *selects)
{
	uint32_t same = 0;

	if (e->busy || e->looks || e->comparing & e->counting || e->addends > ENGINE_ADDENDS)
		return false;
	for (const struct occurrence *o = inputs, *end = count ? o + count : o; o < end; o++) {
		const uint32_t counters = o->n ? selects(e, o) & e->counting : 0;

		if (!counters)
			continue;
		if (same == e->addends || e->addend[same].counters != counters || e->addend[same].n != o->n)
			return false;
		same++;
	}
	return same == e->addends;
}

/* Redoes everything that depends on what has been summed. */
static inline __attribute__((always_inline)) void engine_derive_from_sum(struct engine *e)
{
	e->condition = e->moving;
	e->rising = 0;
	if (__builtin_expect(e->comparing & e->counting, 0))
		engine_compare(e);
	if (__builtin_expect((e->moving & (e->raising | e->breaking)) || e->rising || e->busy, 1))
		engine_measure(e);
	else
		e->outputs.headroom = e->before_break = e->outputs.steady = UINT64_MAX;
}

/* Redoes everything that depends on inputs and registers. The counters must be in sync. `sum`: the one of the rules. */
static inline __attribute__((always_inline)) void engine_derive_with(struct engine *e, void (*sum)(struct engine *e))
{
	sum(e);
	engine_derive_from_sum(e);
}

static inline void engine_derive(struct engine *e)
{
	engine_derive_with(e, e->rules->sum);
}

/* Registers have changed, and the counters are in sync. */
void engine_configure(struct engine *e);

/* Brings the counters up to date. Nothing that raises the line is among what has passed. */
static inline void engine_sync(struct engine *e)
{
	const uint64_t cycles = e->pending;
	bool changed;

	if (!cycles)
		return;
	e->pending = 0;
	if (__builtin_expect(cycles == 1, 1)) {
		const uint32_t wrapped = engine_add_few(e, 1);

		changed = __builtin_expect(wrapped || e->busy, 0) && e->rules->passed(e, 1, wrapped);
	} else {
		changed = engine_advance(e, cycles);
	}
	if (__builtin_expect(changed, 0))
		engine_derive(e);
}

/* Lets cycles pass with the inputs as they are. */
static inline void engine_run(struct engine *e, uint64_t cycles)
{
	if (__builtin_expect(cycles > e->outputs.steady, 0)) {
		engine_run_eventful(e, cycles);
		return;
	}
	e->outputs.steady -= cycles;
	e->outputs.headroom -= cycles;
	e->pending += cycles;		/* no more than headroom has lost: the sum cannot overflow */
}

/* Whether new inputs are found to add the same. Of a stream that adds something else each time few are compared. */
static inline __attribute__((always_inline)) bool engine_finds_same(struct engine *e, const struct occurrence *inputs,
	size_t count, engine_selects *selects)
{
	const bool compares = e->differed < 4 || e->differed % 16 == 0;
	const bool same = compares && engine_adds_same(e, inputs, count, selects);

	e->differed = same ? 0 : e->differed + 1;
	return same;
}

/* Connects inputs: they happen in each of the following cycles. A thread is at the level of its last one. While they
 * add the same, cycles that have passed wait on. */
static inline __attribute__((always_inline)) void engine_connect(struct engine *e, const struct occurrence *inputs,
	size_t count, engine_selects *selects, void (*sum)(struct engine *e))
{
	const bool same = engine_finds_same(e, inputs, count, selects);

	if (!same)
		engine_sync(e);
	e->inputs = count ? inputs : &engine_nothing;
	e->input_count = count;
	for (size_t i = 0; i < count; i++)
		e->level[inputs[i].thread] = inputs[i].level;
	if (!same)
		engine_derive_with(e, sum);
}

/* What a counter holds now; the others may wait. */
static inline uint64_t engine_count(const struct engine *e, unsigned counter)
{
	const struct engine_counter *c = &e->counter[counter];

	return e->moving >> counter & 1 ? (c->count + c->step * e->pending) & e->mask : c->count;
}

/* Gives a counter a value. One that does not move changes nothing else, unless the model looks ahead. */
void engine_set_count(struct engine *e, unsigned counter, uint64_t value);

/* For `lower_headroom`: the model acts in the cycle behind so many, and the line rises behind so many. */
static inline void engine_lower_headroom(struct engine *e, uint64_t before_break, uint64_t before_line)
{
	if (before_break < e->before_break)
		e->before_break = before_break;
	if (before_line < e->outputs.headroom)
		e->outputs.headroom = before_line;
}

/* Cycles that can pass before a counter in `moving` wraps. */
static inline uint64_t engine_before_wrap(const struct engine *e, unsigned counter)
{
	const struct engine_counter *c = &e->counter[counter];
	const uint64_t left = e->mask - c->count;

	return c->step > 1 ? left / c->step : left;	/* for `== 1` gcc always divides */
}

/* Of a set of any unsigned type. */
#define ENGINE_PUT_BIT(set, bit, value) \
	((set) = (__typeof__(set))(((set) & ~(1u << (bit))) | (uint32_t)(bool)(value) << (bit)))

/* Which counters select what, of a PMU whose selects have an event code and a unit mask: sets of them by code, behind
 * these one that no select can hold; by each bit of the mask; and those without a mask, which count the event's
 * unqualified form. */
#define ENGINE_CODES	256

struct engine_selection {
	uint32_t of_code[ENGINE_CODES + 1], of_unit[8], of_no_unit;
};

/* A counter that selected code `before` selects another one. */
void engine_select(struct engine_selection *s, unsigned counter, unsigned before, unsigned code, unsigned mask);

/* Of these counters, those that select these unit-mask bits. */
static inline uint32_t engine_selected(const struct engine_selection *s, uint32_t counters, unsigned bits)
{
	uint32_t raised = 0;

	if (!bits)
		return counters & s->of_no_unit;
	for (unsigned rest = bits & 0xFF; rest; rest &= rest - 1)
		raised |= s->of_unit[__builtin_ctz(rest)];
	return counters & raised;
}

/* Operations of struct pmu_model. */
void engine_model_run(void *state, uint64_t cycles);
void engine_model_sync(void *state);

/* The event signals of an instruction clock: `clock_signals`, of EVENTS(thread, level), which is some ENGINE_EVENTs.
 * How many threads, as a number: 1, 2, 4 or 8. */
#define ENGINE_CLOCK_SIGNALS(threads, EVENTS) \
	static const struct occurrence clock_signals[] = {ENGINE_OF_THREADS(threads, EVENTS)};
#define ENGINE_EVENT(event, unit, of, at) {.code = (event), .sub = (unit), .n = 1, .thread = (of), .level = (at)},
#define ENGINE_OF_THREADS(threads, EVENTS) ENGINE_OF_THREADS_(threads, EVENTS)
#define ENGINE_OF_THREADS_(threads, EVENTS) ENGINE_OF_##threads(EVENTS, 0)
#define ENGINE_OF_1(EVENTS, of) EVENTS((of), 0) EVENTS((of), 1) EVENTS((of), 2) EVENTS((of), 3)
#define ENGINE_OF_2(EVENTS, of) ENGINE_OF_1(EVENTS, (of)) ENGINE_OF_1(EVENTS, (of) + 1)
#define ENGINE_OF_4(EVENTS, of) ENGINE_OF_2(EVENTS, (of)) ENGINE_OF_2(EVENTS, (of) + 2)
#define ENGINE_OF_8(EVENTS, of) ENGINE_OF_4(EVENTS, (of)) ENGINE_OF_4(EVENTS, (of) + 4)

/*
 * Registers
 */

/* A write of a register that is no counter: `index` says which of equal ones it is. */
struct engine_access {
	uint32_t kind;
	unsigned thread, index;
	uint64_t value;		/* all bits that are written */
	uint64_t before, held;	/* what it held before, and holds now */
};

/* What an access to a register does beside reading and writing what it holds. All may be 0. The counters are in sync,
 * but for `read` of a counter. */
struct engine_hooks {
	/* Of the register of this kind, which is not the first one, a write clears the bits that it sets. Aligned, so
	 * that each read of a register finds its hooks with a shift. */
	_Alignas(64) uint32_t clears;

	/* It selects, enables or qualifies: if what it holds or clears changes, the rules' `configure` is called. */
	bool configures;

	/* What is read of it the model makes of other things: it holds nothing that is saved. */
	bool made;

	/* Whether it takes a value without reserved bits. */
	bool (*accepts)(uint64_t value);

	/* What is read of it, instead of what it holds, which is in *value. False: the access faults. */
	bool (*read)(void *state, unsigned thread, unsigned index, uint64_t *value);

	/* What it holds has changed, or is its first value (engine_restore): then `before` is 0. It makes what follows
	 * from that, and nothing else. `configures` is implied. */
	void (*follow)(void *state, const struct engine_access *a);

	/* It has been written. True: `configure` is called whatever it held before. */
	bool (*written)(void *state, const struct engine_access *a);
};

/* A kind of register: one, or several that are equal. */
struct engine_register {
	uint64_t writable, clears, reserved, keeps, extended;	/* by access: RW, W1C, RSVD, RO, SXT */
	uint64_t clears_by_0;					/* W0C */
	uint64_t reset, undefined;
	uint16_t slot;			/* where in a thread's part of the file the first one is */
	uint8_t counter;		/* the thread's counter whose count the first one is, if it is one */
	bool is_counter;
};

#define ENGINE_NO_KIND UINT32_MAX

/* All registers of a PMU. What they hold is the `file` in the model's state: slots of the first thread, then those of
 * the next one. */
struct engine_registers {
	const struct register_description *description;	/* of each kind */
	const struct engine_register *kind;
	const struct engine_hooks *hooks;		/* of each kind */
	const uint8_t *kind_at;		/* by address: the kind counted from 1, 0: none. NULL: they are looked for */
	uint32_t kinds, addresses, slots, counters, threads;	/* slots and counters of a thread */
	unsigned width;			/* of counters, bits */
	size_t file;			/* where it is in the state */
	const struct model_field *saved;	/* members of the state that are saved, too */
	size_t saved_count;
};

/* Which kind of register is at an address, and which of its equals. ENGINE_NO_KIND: there is none. */
static inline uint32_t engine_locate(const struct engine_registers *r, uint32_t address, unsigned *index)
{
	*index = 0;
	if (r->kind_at) {
		uint32_t kind = address < r->addresses ? r->kind_at[address] : 0;

		if (!kind--)
			return ENGINE_NO_KIND;
		*index = (address - r->description[kind].address) / r->description[kind].distance;
		return kind;
	}
	for (uint32_t kind = 0; kind < r->kinds; kind++) {
		const struct register_description *d = &r->description[kind];
		const uint32_t behind = address - d->address;

		if (behind < (uint32_t)d->count * d->distance && behind % d->distance == 0) {
			*index = behind / d->distance;
			return kind;
		}
	}
	return ENGINE_NO_KIND;
}

/* Where a register's value is kept; that of a counter is the engine's. A state begins with its engine, and may be moved
 * as bytes: it has no pointers to itself. */
static inline uint64_t *engine_stored(const struct engine *e, unsigned thread, uint32_t kind, unsigned index)
{
	const struct engine_registers *r = e->registers;
	uint64_t *file = (uint64_t *)((char *)e + r->file);

	return &file[thread * r->slots + r->kind[kind].slot + index];
}

/* Puts all registers, the engine's from now on, to their reset values, and follows them. `seed`: of the undefined. */
void engine_reset_registers(const struct engine_registers *r, struct engine *e, uint64_t seed);

/* Operations of struct pmu_model. `engine_restore` follows registers that have first values: nothing has been made of
 * them yet. */
bool engine_restore(void *state);
void engine_leave_out(void *state, unsigned thread, uint32_t counters);
bool engine_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles);

/* What is read of a register that is no counter. */
bool engine_read_held(struct engine *e, unsigned thread, uint32_t kind, unsigned index, uint64_t *value);

/* The read of a register (struct pmu_model) is compiled into the model, where its tables are constants. */
static inline bool engine_read(const struct engine_registers *r, struct engine *e, unsigned thread, uint32_t address,
			       uint64_t *value)
{
	unsigned index;
	const uint32_t kind = engine_locate(r, address, &index);

	if (kind == ENGINE_NO_KIND)
		return false;
	if (!r->kind[kind].is_counter)
		return engine_read_held(e, thread, kind, index, value);
	*value = engine_count(e, thread * r->counters + r->kind[kind].counter + index);
	return !r->hooks[kind].read || r->hooks[kind].read(e, thread, index, value);
}

/* Hooks of a register that counts cycles, for all threads; it is kept as the difference to the engine's. */
bool engine_clock_read(void *state, unsigned thread, unsigned index, uint64_t *value);
bool engine_clock_written(void *state, const struct engine_access *a);

/* What a register that held `before` holds once this value has been written. */
uint64_t engine_held(const struct engine_register *k, uint64_t before, uint64_t value);

/* What is saved (struct pmu_model): of each thread its registers, in the order of their list; then `saved`. */
bool engine_field(const struct engine_registers *r, size_t number, struct model_field *field);

/* An undefined value that stays the same: another one for each `of`. And mixing of bits (splitmix64's). */
uint64_t engine_mix(uint64_t x);
uint64_t engine_undefined(uint64_t seed, uint64_t of);

/*
 * What a model makes of the list of its registers (regs.h): a macro LIST(G), which has a line
 * G(NAME, first address, how many) of each kind, or
 * G(NAME, first address, how many, CORE), one for all threads of a core, or
 * G(NAME, first address, how many, COUNTER), counters, which are numbered in the order of the lines.
 */

/* The numbers KIND_NAME, SLOT_NAME (in a thread's part of the file), NUMBER_NAME (the thread's counter that the first
 * one is), and how many there are. */
#define ENGINE_REGISTER_NUMBERS(LIST)								\
	enum { LIST(ENGINE_KIND) KINDS };							\
	enum { LIST(ENGINE_SLOT) SLOTS };							\
	enum { LIST(ENGINE_NUMBER) COUNTERS };

/* The tables of a struct engine_registers. */
#define ENGINE_REGISTER_TABLES(LIST)								\
	LIST(ENGINE_FIELDS)									\
	static const struct register_description descriptions[] = {LIST(ENGINE_DESCRIPTION)};	\
	static const struct engine_register kinds[] = {LIST(ENGINE_REGISTER)};

#define ENGINE_KIND(R, ...) KIND_##R,
#define ENGINE_SLOT(R, address, count, ...) SLOT_##R, SLOT_LAST_##R = SLOT_##R + (count) - 1,
#define ENGINE_NUMBER(R, address, count, ...) \
	NUMBER_##R, NUMBER_LAST_##R = NUMBER_##R + (count) * ENGINE_IS_COUNTER_##__VA_ARGS__ - 1,
#define ENGINE_FIELDS(R, ...) static const struct field R##_list[] = {R(FIELD_ROW, R)};
#define ENGINE_DESCRIPTION(R, address, count, ...)						\
	{#R, (count) > 1 ? 0 : -1, address, count, 1, sizeof R##_list / sizeof *R##_list,	\
	 ENGINE_SCOPE_##__VA_ARGS__, R##_list},
#define ENGINE_REGISTER(R, address, count, ...)							\
	{REGISTER_BITS(R, RW), REGISTER_BITS(R, W1C), REGISTER_BITS(R, RSVD), REGISTER_BITS(R, RO),	\
	 REGISTER_BITS(R, SXT), REGISTER_BITS(R, W0C), REGISTER_RESET(R), REGISTER_UNDEFINED(R),	\
	 SLOT_##R, NUMBER_##R, ENGINE_IS_COUNTER_##__VA_ARGS__},

#define ENGINE_IS_COUNTER_ 0
#define ENGINE_IS_COUNTER_CORE 0
#define ENGINE_IS_COUNTER_COUNTER 1
#define ENGINE_SCOPE_ REGISTER_OF_THREAD
#define ENGINE_SCOPE_COUNTER REGISTER_OF_THREAD
#define ENGINE_SCOPE_CORE REGISTER_OF_CORE

/* Rows of `saved`: one integer or an array of them, with the bits that can be set; the levels of all threads. */
#define ENGINE_SAVED_LEVELS(of_threads)								\
	{offsetof(struct engine, level), sizeof(uint8_t), of_threads, sizeof(uint8_t), 3}
#define ENGINE_SAVED(state, type, member, bits)							\
	{offsetof(struct state, member), sizeof(type), sizeof(((struct state *)0)->member) / sizeof(type),	\
	 sizeof(type), bits}

/*
 * Tables of a model. Its state is struct NAME_state; `hooks`, `saved` and `groups` are the model's own tables.
 */

/* All tables of registers in one. Where addresses are small, ENGINE_BY_ADDRESS follows as a further argument. */
#define ENGINE_REGISTERS(state, of_threads, bits, ...)						\
	static const struct engine_registers registers = {					\
		.description = descriptions, .kind = kinds, .hooks = hooks, .kinds = KINDS, .slots = SLOTS,	\
		.counters = COUNTERS, .threads = (of_threads), .width = (bits),			\
		.file = offsetof(struct state, file),						\
		.saved = saved, .saved_count = sizeof saved / sizeof *saved, __VA_ARGS__	\
	};
#define ENGINE_KIND_AT(R, address, count, ...) [(address) ... (address) + (count) - 1] = KIND_##R + 1,
#define ENGINE_BY_ADDRESS(LIST)									\
	.kind_at = (const uint8_t[]){LIST(ENGINE_KIND_AT)},					\
	.addresses = sizeof((const uint8_t[]){LIST(ENGINE_KIND_AT)})

/* The members of struct pmu_model that are these tables. */
#define ENGINE_MEMBERS(of_threads) .threads = (of_threads), .registers = descriptions, .register_count = KINDS
#define ENGINE_CLOCK(of_threads, of_cycles)							\
	.clock = clock_signals, .clock_cycles = of_cycles,					\
	.clock_count = sizeof clock_signals / sizeof *clock_signals / 4 / (of_threads)
#define ENGINE_GROUPS .groups = groups, .group_count = sizeof groups / sizeof *groups

#endif
