/* SPDX-License-Identifier: BSD-2-Clause */
/* What executing code raises on the performance monitor's event signals. Sections and tables are those of the
 * Itanium processor's reference manual. */
#ifndef IA64_EVENTS_H
#define IA64_EVENTS_H

#include <stdio.h>

#include "../model/processor.h"
#include "encoding.h"
#include "issue.h"
#include "vpmu.h"

/* Bits of unit masks (7.8): speculation, by the file of registers; IA64_INST_RETIRED of the register stack engine
 * (table 7-30); BRANCH_TAKEN_SLOT without a taken branch (table 7-29); BUS_* (table 7-22). */
#define SUB_INTEGER	1
#define SUB_FLOAT	2
#define SUB_RSE		1
#define SUB_NOT_TAKEN	8
#define SUB_OTHER_FLUSH	1	/* table 7-32 */
#define SUB_SELF	2
#define SUB_READ	1	/* L2_DATA_REFERENCES; a semaphore is both */
#define SUB_WRITE	2
#define SUB_HIT		1	/* L3_READS, L3_WRITES; with 4 or 8, which request it is */
#define SUB_MISS	2
#define SUB_DTC_FLUSH	4
/* BRANCH_PATH, _PREDICTOR, _MULTIWAY: stage or taken in bits 3:2, what became of the prediction in bits 1:0. */
#define SUB_STAGE(stage)	((unsigned)(stage) << 2)
#define SUB_PATH_RIGHT		2
#define SUB_TAKEN		1
#define SUB_CORRECT		1
#define SUB_WRONG_PATH		2
#define SUB_WRONG_TARGET	3
#define SUB_MULTIWAY_TAKEN	0xC
#define SUB_MULTIWAY_NOT_TAKEN	8

/* Sets of them: either register file; each outcome of a prediction, with these bits; the paths of a stage, of which the
 * first one predicts each branch taken (7.8); hits and misses of L3, of two kinds of requests. */
#define SET(sub)	(1u << (sub))
#define NO_SUB		SET(0)
#define ONE_FILE	(SET(SUB_INTEGER) | SET(SUB_FLOAT))
#define OUTCOMES(bits) \
	(SET((bits) | SUB_CORRECT) | SET((bits) | SUB_WRONG_PATH) | SET((bits) | SUB_WRONG_TARGET))
#define PATHS(stage)		(0xFu << SUB_STAGE(stage))
#define PATHS_OF_TAKEN(stage)	(SET(SUB_STAGE(stage)) | SET(SUB_STAGE(stage) | SUB_PATH_RIGHT | SUB_TAKEN))
#define L3_RESULTS	(SET(4 | SUB_HIT) | SET(4 | SUB_MISS) | SET(8 | SUB_HIT) | SET(8 | SUB_MISS))

/* Events that code causes here, with their codes and the unit-mask bits that are raised, as a set (7.8).
 * tests/unit/hal/test_ia64_events.c compares them with events.tab, tests/boot/ia64_events.t with what is raised. */
#define IA64_EVENTS(E) \
	E(PIPELINE_BACKEND_FLUSH_CYCLE, 0x00, NO_SUB) E(INST_ACCESS_CYCLE, 0x01, NO_SUB) \
	E(DEPENDENCY_SCOREBOARD_CYCLE, 0x02, NO_SUB) E(DATA_ACCESS_CYCLE, 0x03, NO_SUB) \
	E(PIPELINE_ALL_FLUSH_CYCLE, 0x04, NO_SUB) E(UNSTALLED_BACKEND_CYCLE, 0x05, NO_SUB) \
	E(DEPENDENCY_ALL_CYCLE, 0x06, NO_SUB) E(MEMORY_CYCLE, 0x07, NO_SUB) \
	E(IA64_INST_RETIRED, 0x08, NO_SUB | SET(SUB_RSE)) \
	E(FP_OPS_RETIRED_LO, 0x09, NO_SUB) E(FP_OPS_RETIRED_HI, 0x0A, NO_SUB) \
	E(BRANCH_TAKEN_SLOT, 0x0D, SET(1) | SET(2) | SET(4) | SET(SUB_NOT_TAKEN)) \
	E(BRANCH_MULTIWAY, 0x0E, OUTCOMES(SUB_MULTIWAY_TAKEN) | \
	  SET(SUB_MULTIWAY_NOT_TAKEN | SUB_CORRECT) | SET(SUB_MULTIWAY_NOT_TAKEN | SUB_WRONG_PATH)) \
	E(BRANCH_PATH, 0x0F, PATHS_OF_TAKEN(1) | PATHS(2) | PATHS(3)) \
	E(BRANCH_PREDICTOR, 0x10, OUTCOMES(SUB_STAGE(1)) | OUTCOMES(SUB_STAGE(2)) | OUTCOMES(SUB_STAGE(3))) \
	E(CPU_CYCLES, 0x12, NO_SUB) \
	E(L1I_DEMAND_READS, 0x20, NO_SUB) E(L1I_FILLS, 0x21, NO_SUB) E(L2_INST_DEMAND_READS, 0x22, NO_SUB) \
	E(ISB_LINES_IN, 0x26, NO_SUB) E(ITLB_MISSES_FETCH, 0x27, NO_SUB) E(ITLB_INSERTS_HPW, 0x28, NO_SUB) \
	E(INST_DISPERSED, 0x2D, NO_SUB) E(EXPL_STOPS_DISPERSED, 0x2E, NO_SUB) \
	E(ALL_STOPS_DISPERSED, 0x2F, NO_SUB) \
	E(NOPS_RETIRED, 0x30, NO_SUB) E(PREDICATE_SQUASHED_RETIRED, 0x31, NO_SUB) \
	E(PIPELINE_FLUSH, 0x33, SET(SUB_OTHER_FLUSH) | SET(SUB_DTC_FLUSH)) E(CPU_CPL_CHANGES, 0x34, NO_SUB) \
	E(INST_FAILED_CHKS_RETIRED, 0x35, ONE_FILE) E(ALAT_INST_CHKA_LDC, 0x36, ONE_FILE) \
	E(ALAT_INST_FAILED_CHKA_LDC, 0x37, ONE_FILE) E(ALAT_REPLACEMENT, 0x38, ONE_FILE) \
	E(BUS_ALL, 0x47, SET(SUB_SELF)) E(BUS_BURST, 0x49, SET(SUB_SELF)) E(BUS_MEMORY, 0x4A, SET(SUB_SELF)) \
	E(BUS_RD_ALL, 0x4B, SET(SUB_SELF)) E(BUS_RD_DATA, 0x4C, SET(SUB_SELF)) \
	E(BUS_RD_INVAL, 0x4E, SET(SUB_SELF)) E(BUS_RD_INVAL_BST, 0x4F, SET(SUB_SELF)) \
	E(BUS_WR_WB, 0x52, SET(SUB_SELF)) E(BUS_BRQ_READ_REQ_INSERTED, 0x5D, NO_SUB) \
	E(DTC_MISSES, 0x60, NO_SUB) E(DTLB_MISSES, 0x61, NO_SUB) E(DTLB_INSERTS_HPW, 0x62, NO_SUB) \
	E(DATA_REFERENCES_RETIRED, 0x63, NO_SUB) E(L1D_READS_RETIRED, 0x64, NO_SUB) \
	E(RSE_REFERENCES_RETIRED, 0x65, NO_SUB) E(L1D_READ_MISSES_RETIRED, 0x66, NO_SUB) \
	E(L2_REFERENCES, 0x68, NO_SUB) \
	E(L2_DATA_REFERENCES, 0x69, SET(SUB_READ) | SET(SUB_WRITE) | SET(SUB_READ | SUB_WRITE)) \
	E(L2_MISSES, 0x6A, NO_SUB) E(LOADS_RETIRED, 0x6C, NO_SUB) E(STORES_RETIRED, 0x6D, NO_SUB) \
	E(MISALIGNED_LOADS_RETIRED, 0x70, NO_SUB) E(MISALIGNED_STORES_RETIRED, 0x71, NO_SUB) \
	E(RSE_LOADS_RETIRED, 0x72, NO_SUB) E(L3_REFERENCES, 0x7B, NO_SUB) E(L3_MISSES, 0x7C, NO_SUB) \
	E(L3_READS, 0x7D, L3_RESULTS) E(L3_WRITES, 0x7E, L3_RESULTS) E(L3_LINES_REPLACED, 0x7F, NO_SUB)
#define IA64_EVENT_CODE(name, code, subs) EVENT_##name = (code),
enum ia64_event { IA64_EVENTS(IA64_EVENT_CODE) };
#define EVENT_CODES	128
#define EVENT_SUBS	16

/* What the monitor itself raises when it captures, and the interval timer, which is no monitor, as an event. */
#define IA64_CAPTURES(E) \
	E(BRANCH_EVENT, 0x11, NO_SUB) E(INSTRUCTION_EAR_EVENTS, 0x23, NO_SUB) E(DATA_EAR_EVENTS, 0x67, NO_SUB)
#define INTERVAL_TIMER	0x100

/* What an encoding is to the monitor. */
enum ia64_traits {
	TRAIT_NOP = 1 << 0,		/* NOPS_RETIRED has it */
	TRAIT_BRANCH = 1 << 1,
	TRAIT_CHECK_ADVANCED = 1 << 2,	/* chk.a */
	TRAIT_CHECK_SPECULATIVE = 1 << 3,
	TRAIT_FLOAT = 1 << 4,		/* a check of a floating-point register */
	TRAIT_HINT = 1 << 6,		/* of a memory reference: temporal locality, but not in the L1 cache */
	TRAIT_MULTIWAY = 1 << 5,	/* its bundle has several B slots (of the bundle, not of the encoding) */
	TRAIT_WEIGHT = 1 << 7,		/* a floating-point operation that counts */
	TRAIT_OTHER = 1 << 8,		/* something that is rare: a flush, a branch that is announced */
};

/* References to memory that instructions make. */
enum ia64_reference_kind {
	REFERENCE_LOAD, REFERENCE_STORE, REFERENCE_SEMAPHORE, REFERENCE_PREFETCH,
	REFERENCE_CHECK_LOAD,	/* the ALAT does not have its register: it loads */
	REFERENCE_CHECK_HIT,	/* the ALAT has it: memory is not read */
	REFERENCE_RSE_LOAD, REFERENCE_RSE_STORE,
	REFERENCE_WALK,		/* the page walker reads an entry */
	REFERENCE_FLUSH,	/* fc: no data is read or written */
};
struct ia64_reference {
	enum ia64_reference_kind kind;
	uint8_t size;
	bool is_float, hint;	/* hint: that the L1 cache is not to keep it */
	uint64_t address;
};

/* An instruction makes one itself. The register stack engine makes as many as there are stacked registers, and two for
 * the collections of NaT bits among them. */
#define REFERENCES	128

/* What is raised in one cycle at most. */
#define OCCURRENCES	64

/* What has a context of its own and waits for a cycle. */
#define APART	32

/* Who serves a miss of a TLB (tables 6-14, 6-20). */
enum ia64_served { SERVED_BY_SECOND = 1, SERVED_BY_WALKER, SERVED_BY_SOFTWARE };

struct ia64_events {
	/* What the monitors that are enabled look at, and what of it the counters do. */
	bool selected[EVENT_CODES];
	uint8_t counted[4];
	unsigned counted_codes;
	bool qualified;		/* contexts matter */
	bool all;		/* all events are looked at, and tallied */
	uint16_t traits;	/* of instructions that raise something of it */
	bool refers;		/* references do */
	bool each;		/* each instruction does */
	bool predicted;		/* events of branches are among what is selected */
	bool translated;	/* misses of the data TLB's first level are among what is selected */
	bool cached;		/* events of caches or the bus are among what is selected */
	bool passed;		/* the model has seen the cycle of the executing instruction */
	bool stale;		/* registers have been written since */
	bool batched;		/* no overflow is near, and contexts do not matter: what happens is only added up */
	uint8_t level;		/* privilege level that the processor had when this was looked at */

	/* What the executing instruction has done. */
	struct ia64_reference reference[REFERENCES];
	unsigned references;
	bool replaced;		/* an ALAT entry that was valid */

	/* The branches of the present bundle so far; what was predicted of it. */
	struct occurrence bundle[3];
	unsigned branches;
	bool multiway;
	uint8_t stage, predicted_slot;	/* predicted_slot: 3, none is taken */
	uint64_t predicted_target;

	/* What it costs, with the timed clock. */
	enum ia64_cycle penalty;
	uint8_t penalty_cycles;

	/* What has happened since the last report: how often, by code and unit-mask bits; in how many cycles no
	 * instruction retired. With the timed clock: in how many cycles, of which no more than `horizon` may wait, and
	 * how many instructions retired in them. */
	uint32_t total[EVENT_CODES][EVENT_SUBS];
	bool some;		/* of these numbers may not be 0 */
	uint64_t idle, waiting, horizon, retired;

	uint64_t tally[EVENT_CODES][EVENT_SUBS];	/* of `all`: how often each has been raised */

	/* What happens in the present cycle. `begun`: with the timed clock it is reported when the next one begins.
	 * The executing instruction's part of it. */
	struct occurrence cycle[OCCURRENCES];
	size_t count;
	bool begun;
	struct occurrence context;

	/* What is not of the instruction that retires: misses of TLBs, the walker's references. They come one a cycle
	 * of each event. How long the walker has taken for code and data, behind which no instruction has retired. */
	struct occurrence apart[APART];
	unsigned aparts;
	unsigned walked_code, walked_data;
};

struct machine;
struct op;

/*
 * events.c, traits.c
 */

/* Sets what an instruction of this unit is to the monitor. */
void ia64_set_traits(const struct processor *processor, struct op *op, const struct bundle_template *bundle,
		     enum unit unit);

/* Finds out what the monitors look at. Decides whether what happens from here on is batched, and returns how many
 * cycles can pass before somebody has to look. */
void ia64_select_events(struct machine *m);
uint64_t ia64_batch(struct machine *m);

/*
 * raise.c
 */

/* Whether a counter that is enabled selects it. */
bool ia64_is_counted(const struct ia64_events *e, unsigned code);

/* Adds up an event that is selected, for the next report. */
void ia64_add_up(struct machine *m, enum ia64_event code, unsigned sub, unsigned n);

/* Raises one in the cycle of an instruction. */
void ia64_raise_selected(struct machine *m, const struct occurrence *context, enum ia64_event code, unsigned sub);

/* What belongs to no cycle or context, and comes one a cycle; what has a context of its own happens. */
bool ia64_comes_late(unsigned code);
void ia64_raise_apart(struct machine *m, const struct occurrence *o, enum ia64_event code, unsigned sub);

/* The timed clock: a stop is among what is issued, one that is written or not. */
void ia64_raise_stop(struct machine *m, bool written);

/* prediction.c: an instruction of a bundle retires, a branch or another one, and what is predicted. */
void ia64_see_branch(struct machine *m, const struct op *op, const struct occurrence *instruction, bool taken);

/* misses.c: an address is in no TLB, and who serves that; the walker reads the table's entry `at`, and puts it in; a
 * reference looks for its translation in the data TLB's first level. */
struct ia64_translation;
void ia64_see_miss(struct machine *m, uint64_t address, uint64_t access, enum ia64_served by);
void ia64_see_walk(struct machine *m, uint64_t address, uint64_t access, uint64_t at);
void ia64_see_insertion(struct machine *m, uint64_t address, uint64_t access, struct ia64_translation *t);
void ia64_look_up(struct machine *m, const struct occurrence *o, const struct ia64_reference *r, bool is_of_stack);

/*
 * report.c
 */

/* All that waits for a cycle goes into the present one; the cycle passes that has been raised. */
void ia64_add_apart(struct ia64_events *e);
void ia64_pass_cycle(struct machine *m);

/* Reports to the model what has happened so far. */
void ia64_report(struct machine *m);

/* The timed clock: a cycle of this kind begins, in which instructions retire; so many pass in which none does, behind
 * that or `before` it. */
void ia64_begin_cycle(struct machine *m, enum ia64_cycle kind);
void ia64_pass_cycles(struct machine *m, enum ia64_cycle kind, unsigned cycles, bool before);

/*
 * The others of their names
 */

/* tally.c: whether an event ever happens, as a counter with this unit mask counts it; what has been raised of each
 * event, if `all` is set. */
bool ia64_event_happens(const struct machine *m, uint64_t code, uint64_t umask);
void ia64_print_tally(struct machine *m, FILE *to);

/* events.c: the executing instruction makes a reference; always of the register stack engine's, else while they
 * matter. */
void ia64_see(struct machine *m, enum ia64_reference_kind kind, uint64_t address, unsigned size, bool is_float);

/* While `watched`: an instruction retires that may raise something. `executed`: its predicate is true; `taken`: it has
 * branched. */
void ia64_retire(struct machine *m, const struct op *op, uint64_t ip, unsigned slot, bool executed, bool taken);

/* The references of the register stack engine between two instructions, by which a frame becomes complete. */
void ia64_pass_fills(struct machine *m);

/* The next cycle is that of the instruction that is executing. */
void ia64_connect_instruction(struct machine *m, const struct op *op);

#endif
