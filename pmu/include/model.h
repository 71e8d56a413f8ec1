/* SPDX-License-Identifier: BSD-2-Clause */
/* A behavioral model of one PMU, seen from the device's side. It has event signals as inputs
 * (events in each cycle), registers, and an overflow interrupt line per thread. It has no globals,
 * allocates no memory, and does not know its user: a test, a trace, an emulator's plugin, a
 * hypervisor. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "cpu_event.h"

/* One input on the event signals: `n` events in each cycle, with the context that qualifiers
 * compare. Unknown parts of the context are 0. */
struct occurrence {
	uint16_t code;		/* event code */
	uint16_t sub;		/* unit-mask bits that it raises; 0: the event's unqualified form */
	uint32_t n;		/* events in each cycle */
	uint8_t thread;		/* hardware thread, from 0 */
	uint8_t level;		/* privilege level, 0 is the highest */
	uint8_t isa;		/* instruction set: 0 native, 1 the second one (Itanium: IA-32) */
	uint8_t type;		/* OCCURRENCE_TYPE_* of the instruction, 0: unknown; and of the
				 * memory reference */
	uint8_t slot;		/* slot of the instruction in its bundle, 0-2 */
	uint8_t served;		/* translation miss: served by 1 the next TLB level, 2 the page
				 * walker, 3 software. Branch: predicted in stage 1, 2 or 3 of the
				 * pipeline. Load: the target's code of the data's source */
	uint8_t branch;		/* OCCURRENCE_* flags and the branch's kind, OCCURRENCE_KIND_* */
	uint8_t data;		/* 1: `address` is the data address of a memory reference; else 0 */
	uint32_t latency;	/* in cycles */
	uint8_t many;		/* 1: belongs to several instructions; must not be recorded */
	uint64_t ip;		/* address of the instruction or its bundle */
	uint64_t opcode;	/* the instruction's encoding */
	uint64_t address;	/* data address */
	uint64_t target;	/* target address of a branch */
};

#define OCCURRENCE_TYPE_B	(1u << 0)
#define OCCURRENCE_TYPE_F	(1u << 1)
#define OCCURRENCE_TYPE_I	(1u << 2)
#define OCCURRENCE_TYPE_M	(1u << 3)
#define OCCURRENCE_TYPE_COMMIT	(1u << 4)	/* SPARC: next-to-commit: traps follow it */
/* Added to the instruction's type for a memory reference that another unit makes: */
#define OCCURRENCE_TYPE_RSE	(1u << 5)	/* Itanium: the register stack engine */
#define OCCURRENCE_TYPE_WALKER	(1u << 6)	/* the hardware page walker */

#define OCCURRENCE_BRANCH	(1u << 0)	/* a branch */
#define OCCURRENCE_TAKEN	(1u << 1)
#define OCCURRENCE_WRONG_PATH	(1u << 2)	/* mispredicted direction */
#define OCCURRENCE_WRONG_TARGET	(1u << 3)
#define OCCURRENCE_TRAPPED	(1u << 7)	/* a trap follows the branch */

/* The kind of branch, in bits 6:4. 0: unknown. */
#define OCCURRENCE_KIND			(7u << 4)
#define OCCURRENCE_KIND_CONDITIONAL	(1u << 4)
#define OCCURRENCE_KIND_CALL		(2u << 4)	/* near, relative */
#define OCCURRENCE_KIND_CALL_INDIRECT	(3u << 4)	/* near */
#define OCCURRENCE_KIND_RETURN		(4u << 4)	/* near */
#define OCCURRENCE_KIND_JUMP_INDIRECT	(5u << 4)	/* near */
#define OCCURRENCE_KIND_JUMP		(6u << 4)	/* near, relative */
#define OCCURRENCE_KIND_FAR		(7u << 4)	/* far transfers, interruptions, returns */

#define MODEL_ALIGNMENT	256
#define MODEL_THREADS_MOST 4

/* The first member of every model's state: its output signals. A backend may read them after any
 * call. */
struct model_outputs {
	/* Cycles that can pass with the present inputs and registers before a cycle that raises the
	 * line or reads the processor (struct model_processor). May be too small, never too large.
	 * MODEL_FAR or more: no such cycle is near. */
	uint64_t headroom;

	/* Bit t: the line of thread t has risen. The backend clears the bit. For a PMU that cores
	 * share: bit per signalled core. */
	uint32_t requests;

	/* Bit t: thread t has a precise trap. The backend must take the trap at the instruction of
	 * the last cycle, or drop it, and clears the bit. The instruction's events have counted.
	 * The instruction executes after the trap returns to it, without another cycle; an
	 * OCCURRENCE_TYPE_COMMIT instruction has executed already. */
	uint32_t precise;

	/* Bit t: the line of thread t is level-triggered and high. The backend must interrupt again
	 * after each interrupt until software removes the cause. 0 for an edge-triggered line. */
	uint32_t held;

	/* Pins strobed by overflows, as bits. The backend clears them. */
	uint32_t strobes;

	/* As `headroom`, for any effect other than counting: a counter freezes others, or an event
	 * is recorded. */
	uint64_t steady;

	/* Whether the events that enabled counters count depend on the privilege level. */
	bool level_matters;

	/* Whether the backend must report each branch; each bus lock. */
	bool branches_matter, locks_matter;

	/* Bit t: thread t records branches, even if no counter counts them. */
	uint32_t recording;

	/* Counters as bits, numbered in the order of struct model_most: enabled counters; enabled
	 * counters that evaluate each cycle (a threshold, or edges), while for all others only the
	 * sum matters; counters whose events are recorded; enabled counters that count late
	 * (set_late), and those of them that count edges, for which the order of cycles matters. */
	uint32_t counting, comparing, records, late, late_edges;

	/* For each thread: CPU_EVENT_LOAD_SLOW is raised by loads with a greater latency, in
	 * cycles. */
	uint32_t slow_above[MODEL_THREADS_MOST];

	/* While the model asks for a thread's registers (struct model_processor): the recorded
	 * occurrence, one of those of the cycle. NULL: the record does not belong to one
	 * instruction. */
	const struct occurrence *recorded;
};

#define MODEL_FAR	(1ULL << 62)

/* The processor's registers as a PMU records them: flags, instruction pointer, then the general
 * registers in the order of the target's record (x86: RFLAGS, RIP, RAX, RBX, RCX, RDX, RSI, RDI,
 * RBP, RSP, R8-R15). */
#define MODEL_REGISTERS 18

/* The machine around a PMU that writes records into memory. A memory access returns false, and
 * transfers no byte, if the PMU may not access all of the memory. */
struct model_processor {
	void *context;
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	bool (*write)(void *context, uint64_t address, const void *from, size_t size);

	/* Stores the registers of a thread after its last completed instruction. */
	void (*registers)(void *context, unsigned thread, uint64_t registers[MODEL_REGISTERS]);
};

/* Cpu events of an emulated processor, and the PMU event that they raise. */
struct model_raised {
	uint16_t cpu_event;		/* enum cpu_event: first cpu event of the row */
	uint16_t up_to;			/* last cpu event of the row; 0: the first is the only
					 * one */
	uint8_t channel;		/* 1 to 3: only lines of memory in this channel; 0: all
					 * lines */
	uint8_t each;			/* PMU events per cpu event; 0: one */
	bool exact;			/* defined by the architecture; else raised by a model of
					 * the processor */
	bool precise;			/* the overflow traps at the instruction, which raises the
					 * event at most once */
	bool interruption;		/* applies only if `interruptions_count`; counts at the
					 * interrupted level */
	uint8_t clock;			/* clock with which the row applies, or MODEL_ANY_CLOCK */
	uint16_t code, sub;

	/* If one of these is not 0, the event counts only while a further register
	 * (`raised_select`) selects it: request bits 7:0 and response bits 15:8, as in struct
	 * occurrence.opcode; or this opcode in bits 47:40. */
	uint8_t request, response;
	uint8_t opcode;
};

#define MODEL_OPCODE_LOW 40

enum model_clock_kind { MODEL_ANY_CLOCK, MODEL_UNIT_CLOCK, MODEL_TIMED_CLOCK };

static inline bool model_is_raised_by(const struct model_raised *r, unsigned cpu_event)
{
	return cpu_event == r->cpu_event || (cpu_event > r->cpu_event && cpu_event <= r->up_to);
}

static inline bool model_is_by_clock(const struct model_raised *r, enum model_clock_kind clock)
{
	return r->clock == MODEL_ANY_CLOCK || r->clock == clock;
}

static inline bool model_has_row(bool interruptions_count, const struct model_raised *r)
{
	return !r->interruption || interruptions_count;
}

#define MODEL_RAISED_END {.cpu_event = CPU_EVENT_COUNT}

/* A saved part of a model's state: `count` integers of `size` bytes, at intervals of `distance`
 * bytes. Bits outside `allowed` are always 0. */
struct model_field {
	uint32_t offset, distance;
	uint16_t count;
	uint8_t size;
	uint64_t allowed;
};

/* Bits of a register that belong to a counter: `width` bits from bit `low` up. For a group: `width`
 * bits per counter; the first counter's begin at bit `low`. */
struct model_bits {
	uint32_t address;
	uint8_t low, width;
};

/* An event as a counter's control register selects it. */
struct model_event {
	uint16_t code;
	uint8_t umask;
};

/* Properties of all events with one code, made from the target's event table (tools/evtab -c, for
 * PMUs whose state.h declares pmu_codes_<target>). */
struct model_code {
	uint8_t most;			/* events in a cycle, at most; 0: no event has this code */
	uint8_t code_range, opcode, data_range;	/* whether a qualifier applies: 0 no, 1 yes, or
						 * MODEL_PARTLY */
	/* Sets of the unit masks' high digits: events that some counters count; that all counters
	 * count; that belong to no thread. */
	uint16_t some, all, shared;
};

#define MODEL_PARTLY	2
#define MODEL_CODES	256

/* A group of like counters, for a backend that exposes only some counters or some events. */
struct model_counters {
	uint8_t count, fewest;		/* number of counters; least number that must be exposed */
	uint32_t address;		/* of the first counter; the others follow, if `counts` is
					 * NULL */
	const struct model_bits *counts;	/* place of each count, for counters that share
						 * registers; else NULL */
	uint32_t index;			/* index of the first counter, for read_counter */

	/* The register that selects the first counter's event. Counter n has the register `n *
	 * distance` addresses on, or fields `n * shift` bits on in the same register. */
	uint32_t select;
	uint8_t distance, shift;
	uint64_t code, umask;		/* bits of the first counter's fields; code 0: it counts
					 * `event` */
	const struct model_event *event;
	uint64_t off_mask, off;		/* the counter is off while these bits of its field have the
					 * value `off` */
	uint64_t any;			/* bit with which it also counts events of other threads; 0:
					 * none */

	/* Further registers in which each counter has bits; ended by a width of 0. If a backend
	 * exposes fewer counters, a write that sets bits of hidden counters faults. NULL: none. */
	const struct model_bits *bits;
};

/* The most that a counter can add: per retired instruction, for events that only instructions
 * raise; per cycle, for all other events. One of the two is 0. Both 0: unknown. */
struct model_most {
	uint32_t instruction, cycle;
};

/* No line rises while at most `instructions` instructions of all threads together retire and at
 * most `cycles` cycles pass, whatever events they raise. MODEL_FAR: no bound. */
struct model_headroom {
	uint64_t instructions, cycles;
};

/* The parts of a PMU that a backend exposes. */
struct model_features {
	unsigned counters[2];		/* number of exposed counters, by group */
	bool records;			/* a machine is attached (struct model_processor) */
	bool any_thread;		/* the any-thread bit is exposed */
	/* Returns whether an event is exposed; called with `context`. */
	bool (*allows)(const void *context, uint16_t code, uint8_t umask);
	const void *context;
};

/*
 * Groups of a model's operations and data. A member is NULL or 0 if the PMU lacks it, unless the
 * comment says more.
 */

/* Access below the most privileged level. */
struct model_user {
	/* Read of a counter by its unprivileged instruction (x86: RDPMC; SPARC T4: a load from ASI
	 * B0h), at the thread's privilege level. False: it faults. Never NULL. */
	bool (*read_counter)(void *state, unsigned thread, uint32_t index, uint64_t *value);

	/* Write of a counter by its unprivileged instruction; as `write`. */
	bool (*write_counter)(void *state, unsigned thread, uint32_t index, uint64_t value,
			      uint64_t cycles);

	/* The instruction by which a program, at any privilege level, sets its user filter; the
	 * filter enables counters that follow it (Xeon Phi: SPFLT). As `write`. */
	void (*spflt)(void *state, unsigned thread, bool count, uint64_t cycles);

	/* Registers that every privilege level can access by the ordinary register instruction:
	 * `open_count` from `open_address` on. read_counter and write_counter access them, from
	 * index 0. */
	uint32_t open_address, open_count;
};

/* Records of events and branches. Both members are functions. */
struct model_records {
	/* Attaches the machine around the model, until the next reset. NULL, or never attached: the
	 * model writes no records into memory. */
	void (*attach)(void *state, const struct model_processor *processor);

	/* Records a branch as if it had retired in a past cycle, if the registers enable that.
	 * Ignores its code and unit mask. */
	void (*record)(void *state, const struct occurrence *branch);

	/* Records of branches have cycles, so each cycle must pass by itself. */
	bool has_cycles;
};

/* A PMU that the cores of a package share. */
struct model_package {
	const char *cores;		/* name of the cores' model; never NULL */

	/* A bus lock has emptied the package's queues. */
	void (*bus_lock)(void *state);

	/* Returns the occurrence of a read or write of a line of memory (64 bytes at a physical
	 * address). If no manual assigns lines to controllers and channels, the model does. NULL:
	 * the PMU does not count memory transactions. */
	struct occurrence (*transaction)(uint64_t address, bool write);
};

struct pmu_model;
struct defective;		/* ../defects/defects.h */

/* The processor's identification instruction (x86: CPUID, four registers). */
struct model_identification {
	/* Replaces its results by those of this PMU. `registers`: the machine's own results at
	 * entry. Never NULL. */
	void (*identify)(const struct pmu_model *model, uint32_t leaf, uint32_t subleaf,
			 uint32_t registers[4]);

	/* Restricts the results of `identify` to the exposed features. NULL: they do not depend on
	 * these. */
	void (*expose)(uint32_t leaf, uint32_t registers[4], const struct model_features *features);
};

/* Numbers of a processor that a backend chooses; MODEL_OWN: the model's own. `width`: bits of each
 * counter; `version`: of the PMU. */
#define MODEL_OWN		0xFF
#define MODEL_PROCESSOR_SIZE	16
struct model_choice {
	uint8_t version, general, width, fixed;
};

/* Saved state. All members are functions. */
struct model_persist {
	/* Describes saved field number `number` of a state: all state that cannot be computed from
	 * inputs and other fields. False: there are no more. The fields are valid after `sync`. */
	bool (*field)(size_t number, struct model_field *field);
	void (*sync)(void *state);

	/* Recomputes all other state, after the fields were set in a state that was reset and has
	 * its inputs. If it returns false, or changes a field, the hardware can never be in this
	 * state. */
	bool (*restore)(void *state);
};

/* Sums of the events of many cycles, for a backend that does not report each cycle. Both members
 * are functions. */
struct model_sums {
	/* Returns the increment of a counter in a cycle with `events` of its events (for
	 * FP_OPS_RETIRED: the sum of weights). `counter`: its number in the order of `groups`. */
	uint32_t (*step)(const void *state, unsigned counter, uint32_t events);

	/* Adds counts[n] to counter n, in this order, as if it had counted them in past cycles;
	 * frozen counters do not change. The backend calls it only while the model records nothing,
	 * and no overflow can raise the line. */
	void (*add)(void *state, const uint64_t *counts);
};

/* The events of the machine around the PMU. */
struct model_machine {
	/* The inputs of a cycle in which a thread retires one instruction, for a backend with only
	 * an instruction clock: `clock_count` occurrences for each thread at each level (0-3); see
	 * model_clock. The last `clock_cycles` of them belong to the cycle and also apply if no
	 * instruction retires. The last `clock_references` of these belong to cycles of the
	 * time-stamp counter. The `clock_stages` before the `clock_cycles` belong to each cycle of
	 * an instruction in the execution stage: one, on the instruction clock. */
	const struct occurrence *clock;
	size_t clock_count, clock_cycles, clock_references, clock_stages;

	/* Rows of cpu events and PMU events, ended by MODEL_RAISED_END: rows of instructions first,
	 * in the order of enum cpu_event. */
	const struct model_raised *raised;
	bool interruptions_count;	/* rows with `interruption` apply */
	uint32_t raised_select[2];	/* registers with requests and responses, and with the
					 * opcode; 0: none */

	/* The target's codes for the source of a load's data (struct occurrence.served), in the
	 * order of CPU_EVENTS_BY_SOURCE, then of the cpu events from LOAD_REMOTE_CACHE on
	 * (cpu_event.h). */
	const uint8_t *sources;

	/* Returns whether a counter that selects this code and unit mask counts an occurrence at
	 * some level. NULL: it does if the codes are equal and the unit masks are both 0 or share
	 * bits. */
	bool (*counts)(const struct occurrence *occurrence, uint16_t code, uint8_t umask);

	/* Stores the occurrences that a retiring branch adds to those of `clock`, and returns their
	 * number, 0 to MODEL_BRANCH_MOST. `branch` has all members but code and unit-mask bits.
	 * NULL: `raised` has the events of branches, if there are any. */
	size_t (*branch)(const struct occurrence *branch, struct occurrence *occurrences);

	/* Stores the occurrences of a load that misses the caches nearest to the processor, and
	 * returns their number. `load`: its data address and latency. NULL: the model has no events
	 * of loads. */
	size_t (*load)(const struct occurrence *load, struct occurrence *occurrences);

	/* Advances by one cycle whose occurrences all get OCCURRENCE_TYPE_COMMIT as well. NULL:
	 * that type has no effect. */
	void (*commit)(void *state);

	/* Effects of an interruption, and of the return from it, on state that monitoring depends
	 * on. `interruption` stores *saved; `resume` takes it. NULL, both: no effects. */
	void (*interruption)(void *state, unsigned thread, uint64_t *saved);
	void (*resume)(void *state, unsigned thread, uint64_t saved);

	/* The package's PMU signals this thread; the thread's registers determine the effect. NULL:
	 * there is no such PMU. */
	void (*signal)(void *state, unsigned thread);

	/* Disables counters of a thread (bits) that would count cycles without events because the
	 * backend never raises their event. Valid until the next call, which must follow each write
	 * of a control register. NULL: no counter counts cycles without events. */
	void (*leave_out)(void *state, unsigned thread, uint32_t counters);

	/* Counters whose events the backend knows later than others, such as those of an
	 * out-of-order pipeline. `set_late` makes counters of a thread (bits) count only in
	 * `count_late`; valid as in `leave_out`. `count_late` adds 1 to 2^24 past cycles, each with
	 * these occurrences, to `counters` (as in outputs.late), frozen or not; the other counters
	 * do not change. Both NULL: there are no such counters. */
	void (*set_late)(void *state, unsigned thread, uint32_t counters);
	void (*count_late)(void *state, uint32_t counters, uint64_t cycles,
			   const struct occurrence *occurrences, size_t count);
};

/* One PMU model. `state` is memory of `size` bytes, aligned to MODEL_ALIGNMENT, owned by the
 * caller, undefined before `reset`. All functions that take a state are re-entrant for different
 * states. */
struct pmu_model {
	const char *name;		/* target name */
	size_t size;			/* of the state, in bytes */
	unsigned threads;		/* hardware threads that share the state */

	const struct register_description *registers;
	size_t register_count;

	/* Groups of counters: general counters, then fixed ones if there are any. If there are more
	 * than two groups, all counters must be exposed. */
	const struct model_counters *groups;
	size_t group_count;

	/* Names of defects that `reset` can inject, to test the self test; ended by NULL. NULL:
	 * none. */
	const char *const *faults;

	/* The register that holds the overflow interrupt's vector, and its mask bit. While that bit
	 * is set the line never rises. 0: the interrupt controller has the mask, not the model. */
	uint32_t vector_address;
	uint64_t vector_masked;

	/* Register of the core's clock, shared by its threads. It counts cycles, and the
	 * processor's clock instruction reads it (x86: RDTSC). 0: the backend has the clock. */
	uint32_t clock_address;

	bool has_init;			/* the processor has an INIT interruption, which changes no
					 * register */

	/* Sets every register to its value after processor reset. `fault`: index into `faults`, or
	 * -1. `seed`: source of all values that the manual calls undefined. */
	void (*reset)(const struct pmu_model *model, void *state, int fault, uint64_t seed);

	/* Returns the address under which `groups` and `registers` describe the register that
	 * `address` reaches, for registers with two addresses. NULL: each register has one. */
	uint32_t (*canonical)(uint32_t address);

	/* Register access by the most privileged software of a thread. False: the access faults;
	 * nothing has changed. `address`: the target's own (x86: MSR number). A write takes effect
	 * after `cycles` more cycles, those of the writing instruction itself: a counter that it
	 * stops still counts that instruction, a counter that it starts does not. */
	bool (*read)(void *state, unsigned thread, uint32_t address, uint64_t *value);
	bool (*write)(void *state, unsigned thread, uint32_t address, uint64_t value,
		      uint64_t cycles);

	/* Makes these occurrences the inputs of each following cycle, and advances by `cycles`
	 * cycles, 0 or more. Cycles that other functions pass have the last inputs. A thread is at
	 * the privilege level of its last occurrence; without any it stays at its last level.
	 *
	 * The array must stay valid and unchanged until a call with another array or `count`: a
	 * call with the same two only passes cycles. So whoever makes the occurrences of each cycle
	 * anew alternates two arrays. With `count` 0 the array may be NULL. After `reset` there are
	 * no inputs. */
	void (*advance)(void *state, uint64_t cycles, const struct occurrence *occurrences,
			size_t count);

	/* Computes the headroom, valid until a register is written or a function other than
	 * `advance` is called. `most`: for each counter in the order of `groups`, those
	 * of thread 0 first. Late counters are included: their cycles pass in count_late. The
	 * result may be too small. It is 0 if anything besides an overflow raises the line (precise
	 * records, for example). */
	void (*headroom)(void *state, const struct model_most *most,
			 struct model_headroom *headroom);

	const struct model_persist *persist;	/* never NULL */
	const struct model_machine *machine;	/* never NULL */

	/* NULL: the PMU, or a model with a defect, lacks the group. */
	const struct model_user *user;
	const struct model_records *records;
	const struct model_package *package;
	const struct model_identification *identification;
	const struct model_sums *sums;

	/* Models of other processors that the same driver drives: pmu_model_find finds them by
	 * their names, which are no targets. Ended by a name NULL. NULL: none. */
	const struct pmu_model *variants;

	/* The processors with exactly this PMU: family in bits 15:8, model in bits 7:0, as CPUID
	 * reports them for the vendor that `identify` reports; ended by 0. NULL: unknown. */
	const uint16_t *processors;

	/* Of `reset` and `identify`: the processor, in the model's own form, if its functions serve
	 * several. */
	const void *processor;

	/* Makes a processor, of MODEL_PROCESSOR_SIZE bytes, from the model's and these numbers.
	 * Returns NULL, or why there is no such processor. NULL: a backend cannot choose. */
	const char *(*choose)(const struct pmu_model *model, const struct model_choice *choice,
			      void *processor);

	/* The defects of a defective model. */
	const struct defective *defective;
};

#define MODEL_BRANCH_MOST	4

static inline uint32_t model_canonical(const struct pmu_model *model, uint32_t address)
{
	return model->canonical ? model->canonical(address) : address;
}

/* Returns a field that the bits of `mask` make, from the lowest bit to the highest; they need not
 * be neighbours. */
static inline uint64_t model_picked(uint64_t value, uint64_t mask)
{
	uint64_t field = 0;

	for (unsigned bit = 0; mask; bit++, mask &= mask - 1)
		field |= (uint64_t)((value & mask & -mask) != 0) << bit;
	return field;
}

/* Returns the register at an address, the first one of an array of registers, or NULL. */
static inline const struct register_description *model_register(const struct pmu_model *model,
								uint32_t address)
{
	for (size_t i = 0; i < model->register_count; i++) {
		const struct register_description *r = &model->registers[i];
		const uint32_t behind = address - r->address;

		if (r->count == 1 ? !behind : behind % r->distance == 0 &&
		    behind / r->distance < r->count)
			return r;
	}
	return NULL;
}

/* Returns the inputs of a cycle in which a thread retires one instruction at `level`. */
static inline const struct occurrence *model_clock(const struct pmu_model *model, unsigned thread,
						   unsigned level, size_t *count)
{
	const struct model_machine *m = model->machine;

	*count = m->clock_count;
	return m->clock ? m->clock + (4 * thread + level) * m->clock_count : NULL;
}

/* Returns whether a counter that selects this code and unit mask counts an occurrence, at some
 * level. */
static inline bool model_counts(const struct pmu_model *model, const struct occurrence *o,
				uint16_t code, uint8_t umask)
{
	if (model->machine->counts)
		return model->machine->counts(o, code, umask);
	return o->code == code && (umask ? o->sub & umask : o->sub == 0);
}

/* The models linked into this program, ended by NULL (made from pmu/targets.tab). */
extern const struct pmu_model *const pmu_models[];

/* Returns the model of this name, or the variant of a model, or NULL. pmu_model_named: of one model
 * and its variants. */
const struct pmu_model *pmu_model_find(const char *name);
const struct pmu_model *pmu_model_named(const struct pmu_model *model, const char *name);

/* Calls `matches` with each model, and each variant of a model, until it returns true. Returns that
 * one, or NULL. */
const struct pmu_model *pmu_model_search(bool (*matches)(const struct pmu_model *model,
							 const void *context),
					 const void *context);

/* Returns the model whose variant this model is, or the model itself. Its name is the target. */
const struct pmu_model *pmu_model_base(const struct pmu_model *model);

/* Models with defects (pmu/defects), ended by NULL: each function returns a model whose `faults`
 * are the names of its defects, and whose `reset` takes the number of one. Its state is larger than
 * the sound model's. */
extern const struct pmu_model *(*const pmu_defective_models[])(void);

/* Returns the model of the PMU that cores with this model share, or NULL. */
const struct pmu_model *pmu_model_package(const struct pmu_model *cores);

#endif
