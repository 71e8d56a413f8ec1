/* SPDX-License-Identifier: BSD-2-Clause */
/* Defective forms of models: wrappers (pmu/<target>/defects.c) that show that a self test finds what is wrong. They are
 * linked into test programs, the palmon command and images that ask for one, never into the library. */
#ifndef DEFECTS_H
#define DEFECTS_H

#include "../engine/engine.h"

/* Of a list F(NAME, "name-for-people"): the numbers DEFECT_NAME, and `defect_names`. */
#define DEFECTS(LIST)						\
	enum { LIST(DEFECT_NUMBER) NO_DEFECT = -1 };		\
	static const char *const defect_names[] = {LIST(DEFECT_TEXT) NULL};
#define DEFECT_NUMBER(name, text) DEFECT_##name,
#define DEFECT_TEXT(name, text) text,

/* What a defect changes. Without a word of others: of `count` registers, one address after the other, the bits `bits`.
 * A set of counters has a thread's counters as bits; the change is each thread's. */
enum defect_kind {
	RESETS_TO,		/* at reset the registers are written with `bits` */
	WRITES_SET,		/* what is written has the bits as 1, */
	WRITES_CLEAR,		/* as 0 */
	HOLDS_SET,		/* likewise, but software reads what it has written */
	HOLDS_CLEAR,
	READS_SET,		/* the bits read as 1 */
	READS_WRITTEN,		/* they read as they have been written, though they are reserved */
	READS_LESS,		/* a count lacks one of 2^bits events when it is read */
	ABSENT_READS,		/* registers that do not exist read as `bits` */
	UNCHECKED,		/* no access faults to a register that exists */
	INDEX_READS,		/* the instruction that reads counters without privilege gives the bits only */
	INDEX_UNCHECKED,	/* it reads `bits` where it must fault, at indices from `address` on; the one that
				 * writes does not fault */
	COUNTS_BITS,		/* counters have so many bits */
	COUNTS_HALTED,		/* cycles without events count; `bits`: where in the state the set of counters is that
				 * do so */
	WRAPS_ADD,		/* a wrap adds `bits` to the count of a counter; `address`: the set of them */
	WRAPS_TO_0,		/* a wrap leaves 0; `address`: the set */
	WRAPS_ONE,		/* of several wraps in a cycle the lowest counter's is seen */
	LEAVES_NO_STATUS,	/* overflows leave no such bits; `address`: where in the state the first thread's word
				 * is, with `count` of them; its other threads' are `thread_size` behind each other */
};

struct defect {
	int defect;
	enum defect_kind kind;
	uint32_t address, count;
	uint64_t bits;
};

/* A model with its defects. The engine of its states has `rules`; what a defect changes stands behind the sound state,
 * and behind that `own` bytes of the target's. */
struct defective {
	struct engine_rules rules;		/* defective_*, or the target's own, which call these */
	const struct pmu_model *sound;
	const char *const *names;
	const struct defect *table;		/* what can be said by rows of it */
	size_t table_size, own;
	unsigned counters;			/* of a thread: counter n of thread t is number counters * t + n */
	size_t thread_size;			/* of a thread's part of the file of registers, bytes */

	/* What reaches the model of a value that software has written, and reads. NULL: the value. */
	uint64_t (*held)(const void *state, uint32_t address, uint64_t value);

	/* Follows registers, as the model does, then changes what a defect wants otherwise. It may be called at any
	 * time; the counters are in sync. What is counted is derived behind it. */
	void (*configure)(void *state);
};

bool has_defect(const void *state, int defect);
void *defective_own(const void *state);

/* The operations of such models: those of struct pmu_model, and of struct engine_rules. A target's own call them. */
void defective_reset(const struct defective *d, void *state, int defect, uint64_t seed);
bool defective_read(void *state, unsigned thread, uint32_t address, uint64_t *value);
bool defective_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles);
bool defective_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value);
bool defective_write_counter(void *state, unsigned thread, uint32_t index, uint64_t value, uint64_t cycles);
void defective_connect(void *state, const struct occurrence *occurrences, size_t count);
void defective_sum(struct engine *e);
bool defective_passed(struct engine *e, uint64_t cycles, uint32_t wrapped);
void defective_lower_headroom(struct engine *e);
void defective_ended(struct engine *e);
void defective_configure(struct engine *e);

/* What was changed behind the engine's back is counted from now on. */
void defective_follow(void *state);

/* Makes `model` one with these defects. `reset` calls defective_reset. */
void defective_model(struct pmu_model *model, const struct defective *d,
		     void (*reset)(void *state, int defect, uint64_t seed));

#endif
