/* SPDX-License-Identifier: BSD-2-Clause */
/* The common part of all models: counters that add up the events of each cycle, and registers. A
 * model's state begins with a struct engine. README.md explains how to write a model. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "model.h"

#define ENGINE_COUNTERS	32	/* counters of a PMU, at most; a set of counters is a bit mask */
#define ENGINE_THREADS	8	/* threads that share a PMU, at most */
#define ENGINE_ADDENDS	8	/* additions of the inputs that are compared with the next inputs */
#define ENGINE_FEW	32768	/* cycles: sums of up to 2^16 inputs and 63 bits fit */

/*
 * Counting
 */

/* A counter. The model sets all members except `count` and `step` when registers change. */
struct engine_counter {
	uint64_t count;
	uint64_t step;		/* increment per cycle; valid if the counter is in `moving` */
	/* For a counter in `comparing`: its condition is met by at least `least` events in a cycle;
	 * if `inverted`, by fewer, while a thread of `threads` is at a level of `levels`. */
	uint16_t least;
	bool inverted;
	uint8_t threads, levels;	/* bit masks */
};

struct engine;
struct engine_registers;

/* Functions of a model that the engine calls. */
struct engine_rules {
	/* Computes each counter's increment for a cycle with the present inputs: engine_sum, then
	 * corrections for anything else that depends on inputs and registers. */
	void (*sum)(struct engine *e);

	/* Called after `cycles` cycles have passed, if the counters `wrapped` went from their
	 * highest value to 0 or beyond, and always while the engine is `busy`. A counter in
	 * `breaking` has wrapped in the last of these cycles. Returns true if registers have
	 * changed; the engine then calls `sum` again. */
	bool (*passed)(struct engine *e, uint64_t cycles, uint32_t wrapped);

	/* While the engine is `busy`: lowers before_break, outputs.headroom. NULL: nothing to
	 * do. */
	void (*lower_headroom)(struct engine *e);

	/* Called at the end of a run with effects other than counting. NULL: nothing to do. */
	void (*ended)(struct engine *e);

	/* Registers have changed: computes the sets of counters. NULL: nothing to do. */
	void (*configure)(struct engine *e);
};

/* Counters and their inputs. Passed cycles are added to the counters late, by engine_sync. */
struct engine {
	_Alignas(MODEL_ALIGNMENT)
	struct model_outputs outputs;	/* headroom, steady (never larger) count down */
	const struct engine_rules *rules;
	const struct occurrence *inputs;
	size_t input_count;
	uint64_t mask;			/* of a count: 2^width - 1 */
	uint64_t pending;		/* passed cycles that are not in the counters yet */
	uint64_t cycles;		/* cycles in the counters, since reset */

	/* Cycles that can pass before the model acts; valid after engine_measure. */
	uint64_t before_break;

	/* Sets of counters, which the model computes from the registers. */
	uint32_t counting;		/* enabled counters */
	uint32_t comparing;		/* count cycles in which a threshold is met */
	uint32_t edges;			/* of those: count cycles that begin to meet it */
	uint32_t raising;		/* their overflow raises the line */
	uint32_t breaking;		/* their overflow changes the counting of others */
	uint32_t later;			/* not raising, but may be at another level */
	uint32_t absent;		/* disabled by engine_leave_out */
	uint32_t late;			/* count only in engine_count_late */
	uint32_t late_asserted;		/* of those: whose condition was met in the last late
					 * cycle */
	bool busy;			/* the model has work other than overflows */
	bool looks;			/* the model uses inputs for more than increments */

	/* Computed from these sets and the inputs. Counters with a non-zero increment in this
	 * cycle; the subset that has it in the next cycle only; counters whose condition (events,
	 * or the threshold) is met; counters whose condition was met in the last cycle. */
	uint32_t moving, rising, condition, asserted;

	/* The first additions of the inputs: `n` to each of these counters. Their number. */
	struct engine_addend { uint32_t counters, n; } addend[ENGINE_ADDENDS];
	uint32_t addends;
	uint32_t differed;		/* consecutive inputs unlike those before */

	uint8_t level[ENGINE_THREADS];	/* at which each thread executes, or did last */
	struct engine_counter counter[ENGINE_COUNTERS];
	const struct engine_registers *registers;
	uint64_t seed;			/* source of undefined values */
};

/* Inputs without any occurrence; a valid pointer, so that arithmetic on it is defined. */
extern const struct occurrence engine_nothing;

/* Initializes a state that is all zero: no inputs, counters of `width` bits. */
void engine_reset(struct engine *e, const struct engine_rules *rules, unsigned width);

/* Recomputes outputs.headroom, before_break and outputs.steady. The counters must be in sync. */
void engine_measure(struct engine *e);

/* Turns numbers of events into increments for counters with a threshold. */
void engine_compare(struct engine *e);

/* Adds cycles to the counters. Returns true if `sum` must be called again. */
bool engine_add_cycles(struct engine *e, uint64_t cycles);

/* Computes the headroom for any inputs (struct pmu_model); 0 while the engine is `busy`. */
void engine_headroom(void *state, const struct model_most *most, struct model_headroom *headroom);

/* Advances by cycles with effects other than counting. */
void engine_run_eventful(struct engine *e, uint64_t cycles);

/* Adds up to ENGINE_FEW cycles, so that sums fit 64 bits. Returns the counters that wrap. */
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

/* Adds n, at least 1, to the increments of `counters`. Counters in `moving` have events already.
 * Returns all counters that have events. */
static inline uint32_t engine_add(struct engine_counter *to, uint32_t moving, uint32_t counters,
				  uint64_t n)
{
	for (uint32_t rest = counters & ~moving; rest; rest &= rest - 1)
		to[__builtin_ctz(rest)].step = n;
	for (uint32_t rest = counters & moving; rest; rest &= rest - 1)
		to[__builtin_ctz(rest)].step += n;
	return moving | counters;
}

/* Returns the counters that count an occurrence. Functions with such a parameter are called with
 * the model's own function by name, so that it is inlined into their loop. */
typedef uint32_t engine_selects(const struct engine *e, const struct occurrence *o);

/* Adds up the inputs. */
static inline __attribute__((always_inline)) void engine_sum(struct engine *e,
							     engine_selects *selects)
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

/* Replaces the increment of counter `i`, which counts for several threads, by the greatest of one
 * thread: threads that are active at the same time count once. */
static inline __attribute__((always_inline)) void engine_take_most(struct engine *e, unsigned i,
								   engine_selects *selects)
{
	uint64_t of_thread[ENGINE_THREADS] = {0}, most = 0;

	for (const struct occurrence *o = e->inputs, *end = o + e->input_count; o < end; o++)
		if (selects(e, o) >> i & 1)
			of_thread[o->thread] += o->n;
	for (unsigned thread = 0; thread < ENGINE_THREADS; thread++)
		most = of_thread[thread] > most ? of_thread[thread] : most;
	e->counter[i].step = most;
}

/* Stores the sets of counters that the registers enable. */
static inline void engine_enable(struct engine *e, uint32_t counters)
{
	e->counting = counters & ~e->late;
	e->outputs.counting = counters;
	e->outputs.comparing = e->counting & e->comparing;
	e->outputs.late = counters & e->late;
	e->outputs.late_edges = e->outputs.late & e->edges;
}

/* Returns whether these inputs add the same as the present ones, with no other effect. */
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
		if (same == e->addends || e->addend[same].counters != counters ||
		    e->addend[same].n != o->n)
			return false;
		same++;
	}
	return same == e->addends;
}

/* Recomputes everything that depends on the sum. */
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

/* Recomputes all that depends on inputs and registers, with the rules' `sum`, in sync. */
static inline __attribute__((always_inline)) void engine_derive_with(struct engine *e,
								     void (*sum)(struct engine *e))
{
	sum(e);
	engine_derive_from_sum(e);
}

static inline void engine_derive(struct engine *e)
{
	engine_derive_with(e, e->rules->sum);
}

/* Call after registers have changed, with the counters in sync. */
void engine_configure(struct engine *e);

/* Adds the pending cycles to the counters. None of them raises the line. */
static inline void engine_sync(struct engine *e)
{
	const uint64_t cycles = e->pending;
	bool changed;

	if (!cycles)
		return;
	e->pending = 0;
	if (__builtin_expect(cycles == 1, 1)) {
		const uint32_t wrapped = engine_add_few(e, 1);

		changed = __builtin_expect(wrapped || e->busy, 0) &&
			e->rules->passed(e, 1, wrapped);
	} else {
		changed = engine_add_cycles(e, cycles);
	}
	if (__builtin_expect(changed, 0))
		engine_derive(e);
}

/* Advances by cycles with the present inputs. */
static inline void engine_run(struct engine *e, uint64_t cycles)
{
	if (__builtin_expect(cycles > e->outputs.steady, 0)) {
		engine_run_eventful(e, cycles);
		return;
	}
	e->outputs.steady -= cycles;
	e->outputs.headroom -= cycles;
	e->pending += cycles;		/* no more than headroom has lost: no overflow */
}

/* Returns whether new inputs add the same as the present ones. In a stream of inputs that always
 * differ, only one of 16 is compared. */
static inline __attribute__((always_inline)) bool engine_finds_same(struct engine *e,
								    const struct occurrence *inputs,
	size_t count, engine_selects *selects)
{
	const bool compares = e->differed < 4 || e->differed % 16 == 0;
	const bool same = compares && engine_adds_same(e, inputs, count, selects);

	e->differed = same ? 0 : e->differed + 1;
	return same;
}

/* Returns whether these are the present inputs (struct pmu_model, `advance`). */
static inline bool engine_has_inputs(const struct engine *e, const struct occurrence *inputs,
				     size_t count)
{
	return count == e->input_count && (inputs == e->inputs || !count);
}

/* Sets the inputs. While inputs add the same, passed cycles stay pending. */
static inline __attribute__((always_inline)) void engine_connect(struct engine *e,
								 const struct occurrence *inputs,
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

/* The operation `advance` of struct pmu_model. `connect` is called with other inputs than the
 * present ones; it sets them (engine_connect), then runs the cycles. A function of its own, so that
 * the more frequent call with the same inputs saves no registers. */
static inline void engine_advance(struct engine *e, uint64_t cycles,
				  const struct occurrence *inputs, size_t count,
	void (*connect)(void *state, uint64_t cycles, const struct occurrence *inputs,
			size_t count))
{
	if (engine_has_inputs(e, inputs, count))
		engine_run(e, cycles);
	else
		connect(e, cycles, inputs, count);
}

/* Returns a counter's current count, without updating the counters. */
static inline uint64_t engine_count(const struct engine *e, unsigned counter)
{
	const struct engine_counter *c = &e->counter[counter];

	return e->moving >> counter & 1 ? (c->count + c->step * e->pending) & e->mask : c->count;
}

/* Sets a counter, with further effects only if it is in `moving` or the engine is `busy`. */
void engine_set_count(struct engine *e, unsigned counter, uint64_t value);

/* For `lower_headroom`: cycles that can pass before the model acts; before the line rises. */
static inline void engine_lower_headroom(struct engine *e, uint64_t before_break,
					 uint64_t before_line)
{
	if (before_break < e->before_break)
		e->before_break = before_break;
	if (before_line < e->outputs.headroom)
		e->outputs.headroom = before_line;
}

/* Returns the number of cycles that can pass before a counter in `moving` wraps. */
static inline uint64_t engine_before_wrap(const struct engine *e, unsigned counter)
{
	const struct engine_counter *c = &e->counter[counter];
	const uint64_t left = e->mask - c->count;

	return c->step > 1 ? left / c->step : left;	/* with `step == 1` gcc always divides */
}

/* Sets or clears one bit of a set of any unsigned type. */
#define ENGINE_PUT_BIT(set, bit, value) \
	((set) = (__typeof__(set))(((set) & ~(1u << (bit))) | (uint32_t)(bool)(value) << (bit)))

/* The events that counters select, by event code and unit mask. Sets of counters: by code (one
 * entry more than control registers can hold); by bit of the unit mask; without a unit mask. */
#define ENGINE_CODES	256

struct engine_selection {
	uint32_t of_code[ENGINE_CODES + 1], of_unit[8], of_no_unit;
};

/* Changes a counter's selection from code `before` to `code` and unit mask `mask`. */
void engine_select(struct engine_selection *s, unsigned counter, unsigned before, unsigned code,
		   unsigned mask);

/* Returns the subset of `counters` that select any of these unit-mask bits. */
static inline uint32_t engine_selected(const struct engine_selection *s, uint32_t counters,
				       unsigned bits)
{
	uint32_t raised = 0;

	if (!bits)
		return counters & s->of_no_unit;
	for (unsigned rest = bits & 0xFF; rest; rest &= rest - 1)
		raised |= s->of_unit[__builtin_ctz(rest)];
	return counters & raised;
}

/* The operation `sync` of struct model_persist. */
void engine_model_sync(void *state);

/* Defines `clock_signals`. EVENTS(thread, level): ENGINE_EVENTs. `threads`: 1, 2, 4 or 8. */
#define ENGINE_CLOCK_SIGNALS(threads, EVENTS) \
	static const struct occurrence clock_signals[] = {ENGINE_OF_THREADS(threads, EVENTS)};
#define ENGINE_EVENT(event, unit, of, at) {.code = (event), .sub = (unit), .n = 1, .thread = (of), \
					   .level = (at)},
#define ENGINE_OF_THREADS(threads, EVENTS) ENGINE_OF_THREADS_(threads, EVENTS)
#define ENGINE_OF_THREADS_(threads, EVENTS) ENGINE_OF_##threads(EVENTS, 0)
#define ENGINE_OF_1(EVENTS, of) EVENTS((of), 0) EVENTS((of), 1) EVENTS((of), 2) EVENTS((of), 3)
#define ENGINE_OF_2(EVENTS, of) ENGINE_OF_1(EVENTS, (of)) ENGINE_OF_1(EVENTS, (of) + 1)
#define ENGINE_OF_4(EVENTS, of) ENGINE_OF_2(EVENTS, (of)) ENGINE_OF_2(EVENTS, (of) + 2)
#define ENGINE_OF_8(EVENTS, of) ENGINE_OF_4(EVENTS, (of)) ENGINE_OF_4(EVENTS, (of) + 4)

/*
 * Registers
 */

/* A write of a register that is not a counter. */
struct engine_access {
	uint32_t kind;
	unsigned thread, index;		/* index: of the registers of this kind, from 0 */
	uint64_t value;			/* the written value, all bits */
	uint64_t before, held;		/* the register's value before and after the write */
};

/* Special effects of register accesses, with counters in sync (except `read` of a counter). */
struct engine_hooks {
	/* A write clears, in the register of this kind, the bits that are 1 in the written value;
	 * 0: none. Aligned so that a read finds its hooks with a shift. */
	_Alignas(64) uint32_t clears;

	/* The register selects, enables or qualifies: if its value, or that of the register in
	 * `clears`, changes, the engine calls the rules' `configure`. */
	bool configures;

	/* The model computes the value that is read; the register holds no state to be saved. */
	bool made;

	/* Returns whether the register accepts a value without reserved bits. NULL: always. */
	bool (*accepts)(uint64_t value);

	/* Replaces the value read; *value is the value held. False: the access faults. */
	bool (*read)(void *state, unsigned thread, unsigned index, uint64_t *value);

	/* The value held has changed, or is the first one (engine_restore; `before` is then 0).
	 * Recomputes state that depends on this register only. Implies `configures`. */
	void (*follow)(void *state, const struct engine_access *a);

	/* Called after every write. True: call `configure` even if no value has changed. */
	bool (*written)(void *state, const struct engine_access *a);
};

/* A kind of register: one register, or several equal ones. */
struct engine_register {
	uint64_t writable, clears, reserved, keeps, extended;	/* RW, W1C, RSVD, RO, SXT */
	uint64_t clears_by_0;					/* W0C */
	uint64_t reset, undefined;
	uint16_t slot;			/* slot of the first one in a thread's part of the file */
	uint8_t counter;		/* counters: the thread's counter that the first one is */
	bool is_counter;
};

#define ENGINE_NO_KIND UINT32_MAX

/* All registers of a PMU. Their values are the array `file` in the model's state, by thread. */
struct engine_registers {
	const struct register_description *description;	/* of each kind */
	const struct engine_register *kind;
	const struct engine_hooks *hooks;		/* of each kind */
	const uint8_t *kind_at;		/* by address, from 1; 0: none; NULL: search */
	uint32_t kinds, addresses, slots, counters, threads;	/* slots and counters: per thread */
	unsigned width;			/* of counters, in bits */
	size_t file;			/* offset of the file in the state, in bytes */
	const struct model_field *saved;	/* further saved members of the state */
	size_t saved_count;
};

/* Returns the kind and index of the register at an address, or ENGINE_NO_KIND. */
static inline uint32_t engine_locate(const struct engine_registers *r, uint32_t address,
				     unsigned *index)
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

/* Returns the place of a register's value. A state has no pointers to itself: it may move. */
static inline uint64_t *engine_stored(const struct engine *e, unsigned thread, uint32_t kind,
				      unsigned index)
{
	const struct engine_registers *r = e->registers;
	uint64_t *file = (uint64_t *)((char *)e + r->file);

	return &file[thread * r->slots + r->kind[kind].slot + index];
}

/* Resets a model's state of `size` bytes: no inputs, registers `r` with their reset values,
 * `follow` called. `seed` determines undefined values. */
void engine_model_reset(const struct engine_registers *r, const struct engine_rules *rules,
			void *state, size_t size, uint64_t seed);

/* Operations of struct pmu_model. engine_restore calls `follow` for registers with first values,
 * from which nothing has been computed yet. */
bool engine_restore(void *state);
void engine_leave_out(void *state, unsigned thread, uint32_t counters);
void engine_set_late(void *state, unsigned thread, uint32_t counters);
void engine_count_late(void *state, uint32_t counters, uint64_t cycles,
		       const struct occurrence *occurrences, size_t count);
bool engine_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles);

/* Reads a register that is not a counter. */
bool engine_read_held(struct engine *e, unsigned thread, uint32_t kind, unsigned index,
		      uint64_t *value);

/* Reads a register (struct pmu_model). Inlined into the model, where its tables are constants. */
static inline bool engine_read(const struct engine_registers *r, struct engine *e, unsigned thread,
			       uint32_t address, uint64_t *value)
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

/* Hooks of a register that counts cycles; it stores the difference to the engine's count. */
bool engine_clock_read(void *state, unsigned thread, unsigned index, uint64_t *value);
bool engine_clock_written(void *state, const struct engine_access *a);

/* Returns the value that a register holds after a write; `before`: its previous value. */
uint64_t engine_held(const struct engine_register *k, uint64_t before, uint64_t value);

/* Describes a saved field (struct pmu_model): each thread's registers, then `saved`. */
bool engine_field(const struct engine_registers *r, size_t number, struct model_field *field);

/* Mixes the bits of a number (splitmix64). */
uint64_t engine_mix(uint64_t x);

/* Returns an undefined value: constant for a seed, different for each `of`. */
uint64_t engine_undefined(uint64_t seed, uint64_t of);

/*
 * Definitions from the list of a model's registers (regs.h): a macro LIST(G), one line per kind:
 *	G(NAME, first address, number)			registers of a thread
 *	G(NAME, first address, number, CORE)		registers shared by all threads of a core
 *	G(NAME, first address, number, COUNTER)		counters, numbered in the order of the lines
 */

/* The constants KIND_NAME, SLOT_NAME (in a thread's part of the file) and NUMBER_NAME (the thread's
 * counter that the first one is); and KINDS, SLOTS and COUNTERS, their numbers. */
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
	{REGISTER_BITS(R, RW), REGISTER_BITS(R, W1C), REGISTER_BITS(R, RSVD),	\
	 REGISTER_BITS(R, RO),	\
	 REGISTER_BITS(R, SXT), REGISTER_BITS(R, W0C), REGISTER_RESET(R), REGISTER_UNDEFINED(R), \
	 SLOT_##R, NUMBER_##R, ENGINE_IS_COUNTER_##__VA_ARGS__},

#define ENGINE_IS_COUNTER_ 0
#define ENGINE_IS_COUNTER_CORE 0
#define ENGINE_IS_COUNTER_COUNTER 1
#define ENGINE_SCOPE_ REGISTER_OF_THREAD
#define ENGINE_SCOPE_COUNTER REGISTER_OF_THREAD
#define ENGINE_SCOPE_CORE REGISTER_OF_CORE

/* Rows of `saved`: integers, with the bits that can be set; the levels of all threads. */
#define ENGINE_SAVED_LEVELS(of_threads)								\
	{offsetof(struct engine, level), sizeof(uint8_t), of_threads, sizeof(uint8_t), 3}
#define ENGINE_SAVED(state, type, member, bits)							\
	{offsetof(struct state, member), sizeof(type),	\
	 sizeof(((struct state *)0)->member) / sizeof(type),	\
	 sizeof(type), bits}

/*
 * Tables of a model: from its own tables `hooks`, `saved` and `groups`, and the above.
 */

/* Defines `registers`. `state`: the model's struct. Last argument: ENGINE_BY_ADDRESS, or nothing.
 * ENGINE_FIRST_REGISTERS: defines `name`, with the first `of_kinds` kinds alone. */
#define ENGINE_REGISTERS(state, of_threads, bits, ...)						\
	ENGINE_FIRST_REGISTERS(registers, KINDS, state, of_threads, bits, __VA_ARGS__)
#define ENGINE_FIRST_REGISTERS(name, of_kinds, state, of_threads, bits, ...)			\
	static const struct engine_registers name = {						\
		.description = descriptions, .kind = kinds, .hooks = hooks, .kinds = (of_kinds), \
		.slots = SLOTS,	\
		.counters = COUNTERS, .threads = (of_threads), .width = (bits),			\
		.file = offsetof(struct state, file),						\
		.saved = saved, .saved_count = sizeof saved / sizeof *saved, __VA_ARGS__	\
	};
#define ENGINE_KIND_AT(R, address, count, ...) [(address) ... (address) + (count) - 1] = \
	KIND_##R + 1,
#define ENGINE_BY_ADDRESS(LIST)									\
	.kind_at = (const uint8_t[]){LIST(ENGINE_KIND_AT)},					\
	.addresses = sizeof((const uint8_t[]){LIST(ENGINE_KIND_AT)})

/* The members of struct pmu_model that are these tables. */
#define ENGINE_MEMBERS(of_threads) .threads = (of_threads), .registers = descriptions, \
	.register_count = KINDS
#define ENGINE_CLOCK(of_threads, of_cycles)							\
	.clock = clock_signals, .clock_cycles = of_cycles,					\
	.clock_count = sizeof clock_signals / sizeof *clock_signals / 4 / (of_threads)
#define ENGINE_GROUPS .groups = groups, .group_count = sizeof groups / sizeof *groups

#endif
