/* SPDX-License-Identifier: BSD-2-Clause */
/* Defective models: wrappers (pmu/<target>/defects.c) that prove that a self test finds wrong
 * hardware. Linked into test programs, the palmon command and the QEMU plugin, never into images or
 * the library. */
#ifndef DEFECTS_H
#define DEFECTS_H

#include "../engine/engine.h"

/* From a list F(NAME, "name-for-people"): the numbers DEFECT_NAME, and the array `defect_names`. */
#define DEFECTS(LIST)						\
	enum { LIST(DEFECT_NUMBER) NO_DEFECT = -1 };		\
	static const char *const defect_names[] = {LIST(DEFECT_TEXT) NULL};
#define DEFECT_NUMBER(name, text) DEFECT_##name,
#define DEFECT_TEXT(name, text) text,

/* The effect of a row. Unless stated otherwise it affects the bits `bits` of `count` registers at
 * consecutive addresses from `address` up. A set of counters is a bit mask of a thread's counters;
 * all threads are affected. */
enum defect_kind {
	RESETS_TO,		/* at reset, `bits` is written to the registers */
	WRITES_SET,		/* written values get these bits as 1 */
	WRITES_CLEAR,		/* written values get these bits as 0 */
	HOLDS_SET,		/* the registers hold these bits as 1, but software reads the
				 * written values */
	HOLDS_CLEAR,		/* the same with 0 */
	READS_SET,		/* these bits read as 1 */
	READS_CLEAR,		/* these bits read as 0 */
	KEEPS,			/* writes do not change these bits */
	EXCHANGES_FIELDS,	/* of the register at `address`: `bits`, and the bits `count`
				 * positions above, are exchanged in written and in read values */
	EXCHANGES_REGISTERS,	/* accesses to `bits` of the register at `address` reach the
				 * register `count` addresses on, and the reverse */
	READS_WRITTEN,		/* these reserved bits read as they were written */
	READS_LESS,		/* a read count lacks one event in 2^bits */
	ABSENT_READS,		/* registers that do not exist read as `bits` */
	UNCHECKED,		/* no access to an existing register faults */
	INDEX_READS,		/* the unprivileged counter read returns only these bits */
	INDEX_UNCHECKED,	/* at indices from `address` up, the unprivileged counter read
				 * returns `bits` where it must fault; the unprivileged write does
				 * not fault either */
	COUNTS_BITS,		/* counters have `bits` bits */
	COUNTS_HALTED,		/* counters count cycles without events; `bits`: offset of their set
				 * in the state */
	WRAPS_ADD,		/* a wrap adds `bits` to the count of counters in the set
				 * `address` */
	WRAPS_TO_0,		/* a wrap leaves 0 in counters in the set `address` */
	WRAPS_ONE,		/* of several wraps in a cycle only the lowest counter's is seen */
	LEAVES_NO_STATUS,	/* overflows do not set these status bits; `address`: offset in the
				 * state of the first thread's `count` status words; each thread's
				 * follow after `thread_size` bytes */

	/* Of the event with code `address` and unit mask `count`: */
	EVENT_DEAD,		/* no counter counts it */
	EVENT_MISPLACED,	/* the next counter of the thread counts it, whatever it selects */
	EVENT_AT_OTHER_LEVEL,	/* at level 0 it counts as at level 3, at other levels as at 0 */
};

struct defect {
	int defect;
	enum defect_kind kind;
	uint32_t address, count;
	uint64_t bits;
};

/* Address and count of a row that affects every register. */
#define EVERY_REGISTER	0, UINT32_MAX

/* Fields of `count` registers, one after the other, whose values change nothing that software can
 * see besides the fields themselves: a mutant that ignores them or exchanges two of them is
 * equivalent. */
struct inert {
	uint32_t address, count;
	uint64_t bits;
	enum {			/* exchanges that software can see */
		NO_EXCHANGE_SHOWS,
		REGISTERS_SHOW,		/* with another register */
		FIELDS_SHOW,		/* with another register, or in the same one */
		OF_OTHER_SOFTWARE,	/* all; but no mutant matters: palmon must not use the
					 * field */
	} exchange;
	const char *why;
};

/* A model with its defects. The engine of a defective state has the rules `rules`. The state is the
 * sound model's, then the wrapper's own data, then `own` bytes of the target's wrapper. */
struct defective {
	struct engine_rules rules;		/* defective_*, or the target's own functions, which
						 * call those */
	const struct pmu_model *sound;	/* the sound model */
	const char *const *names;	/* names of the defects, ended by NULL */
	const struct defect *table;		/* rows of all defects */
	/* Length of `table`; bytes of state for the target's wrapper. */
	size_t table_size, own;
	const struct inert *inert;		/* for mutants; ended by `why` NULL. NULL: none */
	unsigned counters;			/* of a thread; counter n of thread t is number
						 * counters * t + n */
	size_t thread_size;			/* bytes of a thread's part of the register file */

	/* Returns the value that the model receives when software writes `value`; software reads
	 * back `value`. NULL: `value`. */
	uint64_t (*held)(const void *state, uint32_t address, uint64_t value);

	/* Configures the model from its registers, then applies the effects of the defect. It may
	 * be called at any time with the counters in sync; the caller derives the increments
	 * afterwards. */
	void (*configure)(void *state);
};

/* From now on each reset with a defect has these rows instead of the defect's: a mutant
 * (mutants.h). The rows must stay valid. NULL: no longer. */
void defective_mutate(const struct defect *rows, size_t count);

/* Returns whether an occurrence of the mutant's event has arrived since defective_mutate. */
bool defective_event_arrived(void);

/* Returns whether a state has this defect. */
bool has_defect(const void *state, int defect);

/* Returns the description of a defective state. */
const struct defective *defective_of(const void *state);

/* Returns the `own` bytes of the target's wrapper in a state. */
void *defective_own(const void *state);

/* Operations of defective models: members of struct pmu_model and struct engine_rules. A target's
 * own operations call them. */
bool defective_read(void *state, unsigned thread, uint32_t address, uint64_t *value);
bool defective_write(void *state, unsigned thread, uint32_t address, uint64_t value,
		     uint64_t cycles);
bool defective_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value);
bool defective_write_counter(void *state, unsigned thread, uint32_t index, uint64_t value,
			     uint64_t cycles);
void defective_advance(void *state, uint64_t cycles, const struct occurrence *occurrences,
		       size_t count);
void defective_sum(struct engine *e);
void defective_sum_with(struct engine *e, void (*sum)(struct engine *e)); /* `sum`: the sound one */
bool defective_passed(struct engine *e, uint64_t cycles, uint32_t wrapped);
void defective_lower_headroom(struct engine *e);
void defective_ended(struct engine *e);
void defective_configure(struct engine *e);

/* Call after changing state without the engine's knowledge: derives increments again. */
void defective_follow(void *state);

/* Makes *model the defective model, with the group *user if `user` is not NULL. */
void defective_model(struct pmu_model *model, struct model_user *user, const struct defective *d);

#endif
