/* SPDX-License-Identifier: BSD-2-Clause */
/* A behavioural model of one PMU, seen from the device's side. It has input signals (events that happen in a cycle),
 * registers, and an overflow line. It has no globals, allocates no memory, and does not know its user: a test, a trace,
 * an emulator's plugin, a hypervisor. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "happening.h"

/* One occurrence on the event signals: in each cycle it happens `n` times, in the context that qualifiers compare.
 * Unknown parts of the context are 0. */
struct occurrence {
	uint16_t code;		/* event code */
	uint16_t sub;		/* unit-mask bits it raises; 0: the event's unqualified form */
	uint32_t n;		/* events in each cycle */
	uint8_t thread;		/* hardware thread, from 0 */
	uint8_t level;		/* privilege level, 0 is the highest */
	uint8_t isa;		/* instruction set: 0 the processor's own, 1 the other (Itanium: IA-32) */
	uint8_t type;		/* OCCURRENCE_TYPE_*: of the instruction, 0: not known; and of the reference */
	uint8_t slot;		/* of the instruction in its bundle, 0-2 */
	uint8_t served;		/* translation miss: served by 1 the next level, 2 the page walker, 3 software.
				 * Branch: 1, 2, 3: predicted in this stage of the pipeline. Load: the target's code of
				 * the data's source */
	uint8_t branch;		/* OCCURRENCE_*, and the branch's kind: OCCURRENCE_KIND_* */
	uint8_t data;		/* 1: `address` is the data address of a memory reference */
	uint32_t latency;	/* cycles */
	uint8_t many;		/* 1: of several instructions; not to be recorded */
	uint64_t ip;		/* address of the instruction or its bundle */
	uint64_t opcode;	/* the instruction's encoding */
	uint64_t address;	/* data address */
	uint64_t target;	/* of a branch */
};

#define OCCURRENCE_TYPE_B	(1u << 0)
#define OCCURRENCE_TYPE_F	(1u << 1)
#define OCCURRENCE_TYPE_I	(1u << 2)
#define OCCURRENCE_TYPE_M	(1u << 3)
#define OCCURRENCE_TYPE_COMMIT	(1u << 4)	/* SPARC: a next-to-commit instruction: traps follow it */
/* Added to the causing instruction's type, for a memory reference that is not its own: */
#define OCCURRENCE_TYPE_RSE	(1u << 5)	/* Itanium: the register stack engine's */
#define OCCURRENCE_TYPE_WALKER	(1u << 6)	/* the hardware page walker's */

#define OCCURRENCE_BRANCH	(1u << 0)	/* a branch */
#define OCCURRENCE_TAKEN	(1u << 1)
#define OCCURRENCE_WRONG_PATH	(1u << 2)	/* its direction was mispredicted */
#define OCCURRENCE_WRONG_TARGET	(1u << 3)

/* The kind of branch, in bits 6:4; all 0: not known. */
#define OCCURRENCE_KIND			(7u << 4)
#define OCCURRENCE_KIND_CONDITIONAL	(1u << 4)
#define OCCURRENCE_KIND_CALL		(2u << 4)	/* near, relative */
#define OCCURRENCE_KIND_CALL_INDIRECT	(3u << 4)	/* near */
#define OCCURRENCE_KIND_RETURN		(4u << 4)	/* near */
#define OCCURRENCE_KIND_JUMP_INDIRECT	(5u << 4)	/* near */
#define OCCURRENCE_KIND_JUMP		(6u << 4)	/* near, relative */
#define OCCURRENCE_KIND_FAR		(7u << 4)	/* far transfers, interruptions, returns from them */

#define MODEL_ALIGNMENT	256
#define MODEL_THREADS_MOST 4

/* The beginning of every model's state: its output signals. A backend may read them after any call. */
struct model_outputs {
	/* Cycles that can pass with the present signals and registers; the cycle after them raises the line, or reads
	 * the processor (struct model_processor). May be too small, never too large. MODEL_FAR or more: no such cycle
	 * is near. */
	uint64_t headroom;

	/* Threads whose line has risen (bit t: thread t), until the backend clears the bit. For a PMU that cores share:
	 * signalled cores. */
	uint32_t requests;

	/* Threads with a precise trap, until the backend clears the bit: the backend must take it now, at the
	 * instruction of the last cycle, or drop it. The instruction's events have counted. It executes after the trap
	 * returns to it, without another cycle; an OCCURRENCE_TYPE_COMMIT has executed already. */
	uint32_t precise;

	/* Threads whose line is a level and is up: the backend must interrupt again after each interrupt, until
	 * software removes the cause. 0 if the line is an edge. */
	uint32_t held;

	/* Pins strobed by overflows, until the backend clears the bit. */
	uint32_t strobes;

	/* As headroom, before anything else than counting happens: a counter freezes others, or will be recorded. */
	uint64_t steady;

	/* Whether the enabled counters depend on the privilege level. */
	bool level_matters;

	/* Whether the backend must report each branch, each bus lock. */
	bool branches_matter, locks_matter;

	/* Threads whose branches are recorded, even if no counter counts them. */
	uint32_t recording;

	/* Sets, in the order of struct model_most: enabled counters; those of them that evaluate each cycle (a
	 * threshold, or edges), while only the sum matters to the others; those with recorded events. */
	uint32_t counting, comparing, records;

	/* For each thread, the latency that a load must exceed to be HAPPENING_LOAD_SLOW, in cycles. */
	uint32_t slow_above[MODEL_THREADS_MOST];

	/* While the model asks for a thread's registers (struct model_processor): the recorded occurrence, of several
	 * in a cycle. NULL: the record does not belong to one instruction. */
	const struct occurrence *recorded;
};

#define MODEL_FAR	(1ULL << 62)

/* The processor's registers as a PMU records them: flags, instruction pointer, then the general ones in the order of
 * the target's record (x86: RFLAGS, RIP, RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8-R15). */
#define MODEL_REGISTERS 18

/* The machine around a PMU that writes records into memory. A memory access returns false, and writes no byte, if the
 * PMU may not access all of the memory. */
struct model_processor {
	void *context;
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	bool (*write)(void *context, uint64_t address, const void *from, size_t size);

	/* Gets the registers of a thread after its last completed instruction. */
	void (*registers)(void *context, unsigned thread, uint64_t registers[MODEL_REGISTERS]);
};

/* A row: happenings of an emulated processor, and an event that they raise. */
struct model_raised {
	uint16_t happening;		/* enum happening; the first one, */
	uint16_t up_to;			/* and the last one; 0: only `happening` */
	uint8_t channel;		/* 1 to 3: only for lines in this channel of memory; 0: for all */
	uint8_t each;			/* events per happening; 0: one */
	bool exact;			/* defined by the architecture; else raised by a model of the processor */
	bool precise;			/* its overflow traps at the instruction, which raises it at most once */
	bool interruption;		/* only if interruptions count, and at the interrupted level */
	uint8_t clock;			/* the machine's clock with which the row applies, or MODEL_ANY_CLOCK */
	uint16_t code, sub;

	/* Not 0: the event counts only if another register (`raised_select`) selects it, which has requests in bits 7:0
	 * and responses in bits 15:8, like the occurrence's `opcode`; or this opcode in bits 47:40. */
	uint8_t request, response;
	uint8_t opcode;
};

#define MODEL_OPCODE_LOW 40

enum model_clock_kind { MODEL_ANY_CLOCK, MODEL_UNIT_CLOCK, MODEL_TIMED_CLOCK };

static inline bool model_is_raised_by(const struct model_raised *r, unsigned happening)
{
	return happening == r->happening || (happening > r->happening && happening <= r->up_to);
}

static inline bool model_is_by_clock(const struct model_raised *r, enum model_clock_kind clock)
{
	return r->clock == MODEL_ANY_CLOCK || r->clock == clock;
}

static inline bool model_has_row(bool interruptions_count, const struct model_raised *r)
{
	return !r->interruption || interruptions_count;
}

#define MODEL_RAISED_END {.happening = HAPPENING_COUNT}

/* A saved part of a model's state: `count` integers of `size` bytes, `distance` bytes apart. Only bits of `allowed` are
 * ever set. */
struct model_field {
	uint32_t offset, distance;
	uint16_t count;
	uint8_t size;
	uint64_t allowed;
};

/* Bits of a register that belong to a counter: `width` bits from bit `low` on. Or to a group's counters: `width` bits
 * of each, the first one's from bit `low` on. */
struct model_bits {
	uint32_t address;
	uint8_t low, width;
};

/* An event as a counter selects it. */
struct model_event {
	uint16_t code;
	uint8_t umask;
};

/* Properties of the events of one code, from the table of events, for a model (tools/evtab -c, for PMUs whose state.h
 * declares pmu_codes_<target>). */
struct model_code {
	uint8_t most;			/* most events in a cycle; 0: no event has this code */
	uint8_t code_range, opcode, data_range;	/* whether these qualify it: 0 no, 1 yes, or MODEL_PARTLY */
	/* Sets of unit masks' high digits: events that some counters count; that all do; that belong to no thread. */
	uint16_t some, all, shared;
};

#define MODEL_PARTLY	2
#define MODEL_CODES	256

/* A group of like counters, for a backend that exposes some of them, or some events, only. */
struct model_counters {
	uint8_t count, fewest;		/* their number, and the least number that must be exposed */
	uint32_t address;		/* of the first one's count; the others follow, if `counts` is NULL */
	const struct model_bits *counts;	/* place of each count, for counters that share registers */
	uint32_t index;			/* the first one's, for read_counter */

	/* The register that selects the first one's event. The others have registers `distance` addresses on, or, in
	 * the same register, fields `shift` bits on. */
	uint32_t select;
	uint8_t distance, shift;
	uint64_t code, umask;		/* the first one's fields; no code: it counts `event` */
	const struct model_event *event;
	uint64_t off_mask, off;		/* the counter is off while these bits of its field have this value */
	uint64_t any;			/* the bit by which it also counts other threads' events; 0: none */

	/* Further registers in which all counters have bits; ended by a width of 0. If a backend exposes fewer
	 * counters, setting the bits of the others faults. NULL: none. */
	const struct model_bits *bits;
};

/* The most that a counter counts: per retired instruction, for events that only instructions raise; per cycle, for all
 * others. One of them is 0; both: not known. */
struct model_most {
	uint32_t instruction, cycle;
};

/* No line rises while at most so many instructions of all threads retire and at most so many cycles pass, with any
 * events in them. MODEL_FAR: any number. */
struct model_headroom {
	uint64_t instructions, cycles;
};

/* The parts of a PMU that a backend exposes. `allows`, called with `context`: whether it exposes an event. */
struct model_features {
	unsigned counters[2];		/* numbers of them, by group */
	bool records;			/* a machine around the PMU is attached (struct model_processor) */
	bool any_thread;
	bool (*allows)(const void *context, uint16_t code, uint8_t umask);
	const void *context;
};

/* One PMU model. `state` is `size` bytes, aligned to MODEL_ALIGNMENT, owned by the caller, undefined before reset. All
 * functions that take a state are re-entrant for different states. */
struct pmu_model {
	const char *name;		/* the target's */
	size_t size;			/* of the state, bytes */
	unsigned threads;		/* hardware threads that share the state */
	const char *cores;		/* for a PMU that the cores of a package share: their model's name; else NULL */

	const struct register_description *registers;
	size_t register_count;

	/* Defects that can be injected, to test the self test; ended by NULL. NULL: none. */
	const char *const *faults;

	/* The register with the overflow interrupt's vector, and its mask bit; 0: the interrupt controller has it, not
	 * the model. While the bit is set the line never rises. */
	uint32_t vector_address;
	uint64_t vector_masked;

	/* Sets every register to its value after processor reset. `fault` is an index into `faults`, or -1. `seed`
	 * determines values that the manual calls undefined, then and later. */
	void (*reset)(void *state, int fault, uint64_t seed);

	/* Register access by the most privileged software of a thread. False: the access faults, and nothing has
	 * changed. `address` is the target's own (x86: MSR number). A write takes effect after `cycles` more cycles,
	 * those of the writing instruction itself: a counter that it stops still counts it, a counter that it starts
	 * does not. */
	bool (*read)(void *state, unsigned thread, uint32_t address, uint64_t *value);
	bool (*write)(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles);

	/* The instruction that reads a counter without privilege (x86: RDPMC; SPARC T4: a load from ASI B0h), at the
	 * thread's privilege level. False: it faults. NULL: there is none. */
	bool (*read_counter)(void *state, unsigned thread, uint32_t index, uint64_t *value);

	/* The one that writes it, as `write`. NULL: there is none. */
	bool (*write_counter)(void *state, unsigned thread, uint32_t index, uint64_t value, uint64_t cycles);

	/* The instruction by which a program, at any privilege level, sets its user filter, which enables counters that
	 * follow it (Xeon Phi: SPFLT); as `write`. NULL: there is none, it is undefined. */
	void (*spflt)(void *state, unsigned thread, bool count, uint64_t cycles);

	/* The register of the clock that all threads of the core share, which counts its cycles, and which the
	 * processor's clock instruction reads (x86: RDTSC); 0: the backend has the clock. */
	uint32_t clock_address;

	/* Effects of an interruption, and of the return from it, on the state that monitoring depends on. *saved is for
	 * the return. NULL: none. */
	void (*interruption)(void *state, unsigned thread, uint64_t *saved);
	void (*resume)(void *state, unsigned thread, uint64_t saved);

	/* Attaches the machine around the model, until reset; without one it writes no records. NULL: it needs none. */
	void (*attach)(void *state, const struct model_processor *processor);

	/* The package's PMU signals this thread, whose registers determine the effect. NULL: no package has one. */
	void (*signal)(void *state, unsigned thread);

	/* A bus lock: the package's queues have emptied. NULL: there are no queues. */
	void (*bus_lock)(void *state);

	/* Changes the results of the processor's identification instruction (x86: CPUID, four registers) to those of
	 * this PMU. `registers`: the machine's own results. NULL: there is no such instruction, or it does not describe
	 * the PMU. */
	void (*identify)(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);

	/* Sets the occurrences of each of the following cycles. The array must stay until it is replaced; with `count`
	 * 0 it may be NULL. A thread is at the level of its occurrences; without any it stays at its last level. */
	void (*connect)(void *state, const struct occurrence *occurrences, size_t count);

	/* Lets `cycles` cycles pass with the event signals as they are. */
	void (*run)(void *state, uint64_t cycles);

	/* Disables those of the thread's counters (bits) that would count cycles without an event, because nothing
	 * around this model raises their events; until the next call, which must follow each write of a select. NULL:
	 * no condition is met without an event. */
	void (*leave_out)(void *state, unsigned thread, uint32_t counters);

	/* The headroom until a register is written or another function than `connect` and `run` is called. `most`: for
	 * each counter, in the order of `groups`, those of thread 0, then of thread 1. The result may be too small, and
	 * is 0 if more than an overflow raises the line (precise records, for example). NULL: not known. */
	void (*headroom)(void *state, const struct model_most *most, struct model_headroom *headroom);

	/* For a machine that sums the events of many cycles, in which the model records nothing. `step` returns the
	 * increment of a counter in a cycle with `events` of its events (of FP_OPS_RETIRED: the sum of weights).
	 * `counter` is its number in the order of `groups`. `add` adds one number to each counter, in this order, as if
	 * the counters had counted them in past cycles; frozen counters stay as they are. The machine calls it only if
	 * no overflow can raise the line.
	 * NULL: the machine must connect the occurrences of each cycle. */
	uint32_t (*step)(const void *state, unsigned counter, uint32_t events);
	void (*add)(void *state, const uint64_t *counts);

	/* Records a branch as if it had retired in a past cycle, if the registers enable that; its code and unit mask
	 * are ignored. NULL: branches are recorded in their cycles only, or not at all. */
	void (*record)(void *state, const struct occurrence *branch);

	/* Lets one cycle pass, whose occurrences all have OCCURRENCE_TYPE_COMMIT, too. NULL: that has no effect. */
	void (*commit)(void *state);

	/* The event signals of a cycle in which a thread retires one instruction, for a backend with only an
	 * instruction clock. `clock_count` for each thread at each level (0-3): model_clock. The last `clock_cycles` of
	 * them belong to the cycle, and happen even if no instruction retires; of these the last `clock_references`
	 * belong to the time-stamp counter's cycles. */
	const struct occurrence *clock;
	size_t clock_count, clock_cycles, clock_references;

	/* Whether a counter that selects this code and unit mask counts an occurrence, at some level. NULL: it does if
	 * the codes are equal and the unit masks have common bits, or none. */
	bool (*counts)(const struct occurrence *occurrence, uint16_t code, uint8_t umask);

	/* Gets the occurrences of the cycle in which a branch retires, besides those of `clock`. Returns how many, at
	 * most MODEL_BRANCH_MOST. `branch` has everything but code and unit-mask bits. NULL: `raised` has them, if any.
	 * */
	size_t (*branch)(const struct occurrence *branch, struct occurrence *occurrences);

	/* The occurrence of a read, or write, of a line of memory (64 bytes at a physical address). If no manual
	 * assigns lines to controllers and the like, the emulated machine does. NULL: the PMU does not count memory. */
	struct occurrence (*transaction)(uint64_t address, bool write);

	/* The occurrences of a load that misses the caches nearest to the processor; returns how many. `load` has its
	 * data address and latency. NULL: the model knows no loads. */
	size_t (*load)(const struct occurrence *load, struct occurrence *occurrences);

	/* Rows of happenings and events, up to MODEL_RAISED_END: those of instructions first, in the order of enum
	 * happening. NULL: none. */
	const struct model_raised *raised;
	bool interruptions_count;	/* rows with `interruption` apply */
	uint32_t raised_select[2];	/* the registers with requests and responses, and with the opcode; 0: none */

	/* Its codes for the source of a load's data (`served` of struct occurrence), in the order of
	 * HAPPENINGS_BY_SOURCE, then of those from LOAD_REMOTE_CACHE on (happening.h). NULL: it has none. */
	const uint8_t *sources;

	/* Groups of counters: general ones, then fixed ones if there are any. If there are more than two groups, all
	 * counters must be exposed. */
	const struct model_counters *groups;
	size_t group_count;

	/* Registers that every privilege level accesses by the instruction for registers: read_counter and
	 * write_counter have them, from index 0. */
	uint32_t open_address, open_count;

	/* Whether the processor has an INIT, which changes no register. */
	bool has_init;

	/* Restricts the results of `identify` to exposed features. NULL: they do not depend on these. */
	void (*expose)(uint32_t leaf, uint32_t registers[4], const struct model_features *features);

	/* The saved fields of a state, by number: all that cannot be computed from signals and other fields. False:
	 * there are no more. Their values are valid after `sync`. */
	bool (*field)(size_t number, struct model_field *field);
	void (*sync)(void *state);

	/* Computes the rest, after the fields were set in a state that was reset and has its signals. If it returns
	 * false, or changes a field, the hardware is never in this state. */
	bool (*restore)(void *state);
};

#define MODEL_BRANCH_MOST	4

/* Returns the register at an address, or the first of several, or NULL. */
static inline const struct register_description *model_register(const struct pmu_model *model, uint32_t address)
{
	for (size_t i = 0; i < model->register_count; i++) {
		const struct register_description *r = &model->registers[i];
		const uint32_t behind = address - r->address;

		if (r->count == 1 ? !behind : behind % r->distance == 0 && behind / r->distance < r->count)
			return r;
	}
	return NULL;
}

/* The event signals of a cycle in which a thread retires one instruction at `level`. */
static inline const struct occurrence *model_clock(const struct pmu_model *model, unsigned thread, unsigned level,
						   size_t *count)
{
	*count = model->clock_count;
	return model->clock ? model->clock + (4 * thread + level) * model->clock_count : NULL;
}

/* The models linked into this program, ended by NULL (made from pmu/targets.tab); finds one by name. */
extern const struct pmu_model *const pmu_models[];
const struct pmu_model *pmu_model_find(const char *name);

/* Models with defects, likewise (pmu/defects): each function returns a model whose `faults` are the names of its
 * defects, and whose `reset` takes the number of one. Its state is larger than the sound model's. */
extern const struct pmu_model *(*const pmu_defective_models[])(void);

/* Returns the model of the PMU that cores with this model share, or NULL. */
const struct pmu_model *pmu_model_package(const struct pmu_model *cores);

#endif
