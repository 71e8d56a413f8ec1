/* SPDX-License-Identifier: BSD-2-Clause */
/* A behavioural model of one PMU, seen from the device's side. It has input signals (events that happen in a
 * cycle), registers, and an overflow line. It has no globals, allocates nothing, and knows nothing of what
 * drives it: a test, a trace, an emulator's plugin, a hypervisor. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "happening.h"

/* One occurrence on the event signals: in each cycle it happens `n` times, in the context the qualifiers look at. What
 * is not known of the context is 0. */
struct occurrence {
	uint16_t code;		/* event code */
	uint16_t sub;		/* unit-mask bits it raises; 0: the event's unqualified form */
	uint32_t n;		/* how many in each cycle */
	uint8_t thread;		/* hardware thread, from 0 */
	uint8_t level;		/* privilege level, 0 is the highest */
	uint8_t isa;		/* instruction set: 0 the processor's own, 1 the other (Itanium: IA-32) */
	uint8_t type;		/* OCCURRENCE_TYPE_*: of the instruction, 0: not known; and whose reference it is */
	uint8_t slot;		/* of the instruction in its bundle, 0-2 */
	uint8_t served;		/* who served it. Translation miss: 1 the next level, 2 the page walker, 3 software.
				 * Branch: 1, 2, 3: predicted in this stage of the pipeline. Load: the target's code of
				 * the data's source */
	uint8_t branch;		/* OCCURRENCE_*, and the branch's kind: OCCURRENCE_KIND_* */
	uint8_t data;		/* 1: `address` is the data address of a memory reference */
	uint32_t latency;	/* cycles */
	uint8_t many;		/* 1: of several instructions, none of which is recorded */
	uint64_t ip;		/* address of the instruction or its bundle */
	uint64_t opcode;	/* the instruction's encoding */
	uint64_t address;	/* data address */
	uint64_t target;	/* of a branch */
};

#define OCCURRENCE_TYPE_B	(1u << 0)
#define OCCURRENCE_TYPE_F	(1u << 1)
#define OCCURRENCE_TYPE_I	(1u << 2)
#define OCCURRENCE_TYPE_M	(1u << 3)
#define OCCURRENCE_TYPE_COMMIT	(1u << 4)	/* SPARC: a next-to-commit instruction, which no trap comes before */
/* With the type of the instruction that caused it, a memory reference that is not the instruction's own: */
#define OCCURRENCE_TYPE_RSE	(1u << 5)	/* Itanium: the register stack engine's */
#define OCCURRENCE_TYPE_WALKER	(1u << 6)	/* the hardware page walker's */

#define OCCURRENCE_BRANCH	(1u << 0)	/* it is a branch */
#define OCCURRENCE_TAKEN	(1u << 1)
#define OCCURRENCE_WRONG_PATH	(1u << 2)	/* taken or not was mispredicted */
#define OCCURRENCE_WRONG_TARGET	(1u << 3)

/* What kind of branch it is, in bits 6:4; all 0: not known. */
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

/* What every model's state begins with: its output signals, for a backend to look at after any call. */
struct model_outputs {
	/* Cycles that can pass, with signals and registers as they are, before an overflow raises the line, or before
	 * the model looks at the processor (struct model_processor): the cycle after those does. Never too large.
	 * MODEL_FAR or more: in no time that matters. */
	uint64_t headroom;

	/* Threads whose line has risen (bit t: thread t), until the backend clears the bit. Of a PMU that cores share:
	 * cores it has signalled. */
	uint32_t requests;

	/* Threads with a precise trap: for the instruction of the cycle that has just run, and with its address, or
	 * never. The instruction's events are counted; it executes when the trap returns to it, and that is not another
	 * cycle, unless it is an OCCURRENCE_TYPE_COMMIT, which has executed. Until the backend clears the bit. */
	uint32_t precise;

	/* Threads whose line is a level and is up: what `requests` asks for is asked for again when it has been taken,
	 * until software takes the cause away. 0 where the line is an edge. */
	uint32_t held;

	/* Pins strobed by overflows, until the backend clears the bit. */
	uint32_t strobes;

	/* As headroom, before anything else happens than counting: a counter freezes others, or will be recorded. */
	uint64_t steady;

	/* Whether what is counted now depends on the privilege level. */
	bool level_matters;

	/* Whether it makes a difference if each branch, each bus lock is reported. A backend to which that is an effort
	 * need not otherwise. */
	bool branches_matter, locks_matter;

	/* Threads whose branches are recorded, whether they are counted or not. */
	uint32_t recording;

	/* Counters that are enabled; those of them that look at what happens in each cycle: at a threshold, or at
	 * edges; of all others' events only the sum matters. Those that have events recorded. Sets, in the order of
	 * struct model_most. */
	uint32_t counting, comparing, records;

	/* Of each thread, the latency that a load must exceed to be HAPPENING_LOAD_SLOW, in cycles. */
	uint32_t slow_above[MODEL_THREADS_MOST];

	/* While the model asks for a thread's registers (struct model_processor): the occurrence that it records, of
	 * several in a cycle. NULL: it records what is not one instruction's. */
	const struct occurrence *recorded;
};

#define MODEL_FAR	(1ULL << 62)

/* The processor's registers as a PMU records them: flags, instruction pointer, then the general ones in the order of
 * the target's record (x86: RFLAGS, RIP, RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8-R15). */
#define MODEL_REGISTERS 18

/* What a PMU sees of the machine around it, if it writes records into memory. A memory access returns false where
 * there is no memory that the PMU may reach; nothing has been written then. */
struct model_processor {
	void *context;
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	bool (*write)(void *context, uint64_t address, const void *from, size_t size);

	/* The registers of a thread, behind the last instruction it completed. */
	void (*registers)(void *context, unsigned thread, uint64_t registers[MODEL_REGISTERS]);
};

/* An event that something raises that happens in an emulated processor. */
struct model_raised {
	uint16_t happening;		/* enum happening, */
	uint16_t up_to;			/* up to this one, all of them; 0: it alone */
	uint8_t channel;		/* 1 to 3: only of lines in this channel of memory; 0: of all */
	uint8_t each;			/* so many events each time; 0: one */
	bool exact;			/* the architecture says when it happens; else a model of the processor does */
	bool precise;			/* its overflow traps at the instruction, of which it happens once at most */
	bool interruption;		/* only where interruptions count, and at the level that was interrupted */
	uint8_t clock;			/* the emulated machine's clock by which it is so; MODEL_ANY_CLOCK: by any */
	uint16_t code, sub;

	/* Not 0: the event counts if another register selects it (`raised_select`), which has requests in
	 * bits 7:0 and responses in bits 15:8, as the occurrence's `opcode` has these; or this opcode in bits 47:40. */
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

/* Something in a model's state that is saved: `count` integers of `size` bytes, their places `distance` bytes apart. No
 * other bits than `allowed` are ever set. */
struct model_field {
	uint32_t offset, distance;
	uint16_t count;
	uint8_t size;
	uint64_t allowed;
};

/* Bits of a register that belong to a counter: `width` bits from bit `low` on. Or to a group's counters: so many of
 * each, those of the first from bit `low` on. */
struct model_bits {
	uint32_t address;
	uint8_t low, width;
};

/* An event as a counter selects it. */
struct model_event {
	uint16_t code;
	uint8_t umask;
};

/* What the table of events says to a model of the events of one code (tools/evtab -c, for rooms whose state.h declares
 * pmu_codes_<target>). */
struct model_code {
	uint8_t most;			/* that one adds in a cycle; 0: no event has this code */
	uint8_t code_range, opcode, data_range;	/* whether these qualify it: 0 no, 1 yes, or MODEL_PARTLY */
	/* Sets of unit masks' high digits: of events that some counters count; that all do; that are of no thread. */
	uint16_t some, all, shared;
};

#define MODEL_PARTLY	2
#define MODEL_CODES	256

/* A group of like counters, for a backend that exposes some of them, or some events, only. */
struct model_counters {
	uint8_t count, fewest;		/* how many, and how many there must be at least */
	uint32_t address;		/* of the first one's count; the others' follow, if `counts` is NULL */
	const struct model_bits *counts;	/* where each one's count is, of counters that share registers */
	uint32_t index;			/* the first one's, for read_counter */

	/* The register that says what the first one counts. Those of the others are `distance` addresses on, or it is
	 * the same for all, and their fields are `shift` bits on. */
	uint32_t select;
	uint8_t distance, shift;
	uint64_t code, umask;		/* the first one's fields; no code: it counts `event` */
	const struct model_event *event;
	uint64_t off_mask, off;		/* with these bits of the field so, it counts nothing */
	uint64_t any;			/* the bit that has it count other threads' events too; 0: there is none */

	/* The registers in which all counters have bits, besides; ended by a width of 0. A backend that exposes fewer
	 * has those of the others fault when they are set. NULL: there are none. */
	const struct model_bits *bits;
};

/* What a counter counts at most. Not 0: what each retired instruction adds, of events that happen for no other reason;
 * what a cycle adds, of all others. Both 0: that is not known. */
struct model_most {
	uint32_t instruction, cycle;
};

/* No line rises while no more instructions than these retire, of all threads together, and no more cycles than these
 * pass, whatever happens in them. MODEL_FAR: any number. */
struct model_headroom {
	uint64_t instructions, cycles;
};

/* What a backend exposes of a PMU. `allows` says it of an event, with `context`. */
struct model_features {
	unsigned counters[2];		/* of each group */
	bool records;			/* a machine around the PMU is attached (struct model_processor) */
	bool any_thread;
	bool (*allows)(const void *context, uint16_t code, uint8_t umask);
	const void *context;
};

/* One PMU model. `state` is `size` bytes, aligned to MODEL_ALIGNMENT, that belong to the caller; any bytes will do
 * before reset. All functions that take a state are re-entrant for different states. */
struct pmu_model {
	const char *name;		/* the target's */
	size_t size;			/* of the state, bytes */
	unsigned threads;		/* hardware threads that share the state */
	const char *cores;		/* of a PMU that the cores of a package share: their model's name; else NULL */

	const struct register_description *registers;
	size_t register_count;

	/* Defects that can be switched on, to show that a self test finds them; ended by NULL. NULL: none. */
	const char *const *faults;

	/* The register that holds the overflow interrupt's vector, and its mask bit; 0: it is the interrupt
	 * controller's, not the model's. While the bit is set the line never rises. */
	uint32_t vector_address;
	uint64_t vector_masked;

	/* Puts every register to its value after processor reset. `fault` is an index into `faults`, or -1. What the
	 * manual calls undefined, then and later, is made from `seed`. */
	void (*reset)(void *state, int fault, uint64_t seed);

	/* Register access by the most privileged software of a thread. False: the access faults, and nothing has
	 * changed. `address` is the target's own (x86: MSR number). A write takes effect after `cycles` more
	 * cycles, those of the writing instruction itself: what it stops has still counted it, what it starts
	 * has not. */
	bool (*read)(void *state, unsigned thread, uint32_t address, uint64_t *value);
	bool (*write)(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles);

	/* The instruction that reads a counter without privilege (x86: RDPMC; SPARC T4: a load from ASI B0h), at the
	 * privilege level that the thread has. False: it faults. NULL: there is none. */
	bool (*read_counter)(void *state, unsigned thread, uint32_t index, uint64_t *value);

	/* The one that writes it, as `write`. NULL: there is none. */
	bool (*write_counter)(void *state, unsigned thread, uint32_t index, uint64_t value, uint64_t cycles);

	/* The instruction by which a program, at any privilege level, says whether it wants those counters to count
	 * that are left to it (Xeon Phi: SPFLT); as `write`. NULL: there is none, it is undefined. */
	void (*spflt)(void *state, unsigned thread, bool count, uint64_t cycles);

	/* The register of the clock that all threads of the core share, which counts its cycles and is what the
	 * processor's own clock instruction reads (x86: RDTSC); 0: the clock is the backend's. */
	uint32_t clock_address;

	/* The processor takes an interruption, and returns from it: what the hardware does to the state that
	 * monitoring depends on. *saved is for the return. NULL: nothing. */
	void (*interruption)(void *state, unsigned thread, uint64_t *saved);
	void (*resume)(void *state, unsigned thread, uint64_t saved);

	/* Gives the model the machine around it, which stays until reset; without one it writes no records. NULL: it
	 * needs none. */
	void (*attach)(void *state, const struct model_processor *processor);

	/* The package's PMU signals this thread: what becomes of it, its registers say. NULL: no package has one. */
	void (*signal)(void *state, unsigned thread);

	/* A bus lock: the package's queues have emptied. NULL: there are no queues. */
	void (*bus_lock)(void *state);

	/* What the processor's identification instruction says (x86: CPUID, four registers). `registers` holds
	 * what the machine below answers; the model changes what concerns its PMU. NULL: there is no such instruction,
	 * or it says nothing of the PMU. */
	void (*identify)(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);

	/* What happens in each of the following cycles. The array must stay until it is replaced; 0: nothing,
	 * and it may be NULL. A thread is at the level of its occurrences; one without any stays at the level it
	 * was. */
	void (*connect)(void *state, const struct occurrence *occurrences, size_t count);

	/* Lets `cycles` cycles pass with the event signals as they are. */
	void (*run)(void *state, uint64_t cycles);

	/* The thread's counters, by bits, that select what nothing raises around this model: those that would count
	 * cycles without it do not, until this is called anew. It is behind each write of a select. NULL: there is no
	 * condition that is met without an event. */
	void (*leave_out)(void *state, unsigned thread, uint32_t counters);

	/* The headroom as long as no register is written and nothing else is called than `connect` and `run`. `most` is
	 * of each counter, in the order of `groups`: those of thread 0, then of thread 1. It may be too small, and is 0
	 * where more than an overflow raises the line (precise records, for example). NULL: none is known. */
	void (*headroom)(void *state, const struct model_most *most, struct model_headroom *headroom);

	/* Records a branch, as if it retired in a cycle that has passed, if the registers say so; its code and unit
	 * mask do not matter. NULL: branches are recorded in their cycles only, or not at all. */
	void (*record)(void *state, const struct occurrence *branch);

	/* Lets one pass, whose occurrences are all OCCURRENCE_TYPE_COMMIT, too. NULL: that makes no difference. */
	void (*commit)(void *state);

	/* The event signals of a cycle in which a thread retires one instruction: what a backend that has an
	 * instruction clock, and nothing else, can say. `clock_count` of each thread at each level (0-3): model_clock.
	 * The last `clock_cycles` of them are of the cycle, and happen as well in one in which no instruction
	 * retires; of these the last `clock_references` are of the time-stamp counter's cycles. */
	const struct occurrence *clock;
	size_t clock_count, clock_cycles, clock_references;

	/* Whether a counter that selects this code and unit mask counts an occurrence, at some level. NULL: if the code
	 * is its, and it has bits of the unit mask, or neither has any. */
	bool (*counts)(const struct occurrence *occurrence, uint16_t code, uint8_t umask);

	/* The occurrences of the cycle in which a branch retires, beside those of `clock`: how many, at most
	 * MODEL_BRANCH_MOST. `branch` has everything but code and unit-mask bits. NULL: `raised` says it, if anything
	 * does. */
	size_t (*branch)(const struct occurrence *branch, struct occurrence *occurrences);

	/* What happens on the event signals when a line of memory (64 bytes at a physical address) is read, or written.
	 * Of which controller and the like it is, where no manual says it, is the emulated machine's choice. NULL: the
	 * PMU sees no memory. */
	struct occurrence (*transaction)(uint64_t address, bool write);

	/* Likewise, of a load that misses the caches nearest to the processor: `load` has its data address and latency.
	 * NULL: the model knows no loads. */
	size_t (*load)(const struct occurrence *load, struct occurrence *occurrences);

	/* What raises what, up to MODEL_RAISED_END: what instructions do comes first, in the order of enum happening.
	 * NULL: nothing does. */
	const struct model_raised *raised;
	bool interruptions_count;	/* rows with `interruption` are among them */
	uint32_t raised_select[2];	/* the registers that have requests and responses, and the opcode; 0: none */

	/* Its codes of where a load's data was (`served` of struct occurrence), in the order of HAPPENINGS_BY_SOURCE,
	 * then of those from LOAD_REMOTE_CACHE on (happening.h).
	 * NULL: it has none. */
	const uint8_t *sources;

	/* Groups of counters: general ones, then fixed ones if there are any. Of a PMU with more than two of them none
	 * may be left out. */
	const struct model_counters *groups;
	size_t group_count;

	/* Registers that every privilege level reaches by the very access that reaches registers: they are
	 * read_counter's and write_counter's, from index 0. */
	uint32_t open_address, open_count;

	/* Whether the processor has an INIT, which leaves all registers as they are. */
	bool has_init;

	/* Changes what `identify` has said to what is exposed. NULL: it says nothing of that. */
	void (*expose)(uint32_t leaf, uint32_t registers[4], const struct model_features *features);

	/* The fields of a state that are saved, by number: all that is not made of signals and of other fields. False:
	 * there are no more. Their values are valid behind `sync`. */
	bool (*field)(size_t number, struct model_field *field);
	void (*sync)(void *state);

	/* Makes the rest, when the fields have been set in a state that was reset and has its signals. False, or some
	 * field has another value behind it: the hardware is never in this state. */
	bool (*restore)(void *state);
};

#define MODEL_BRANCH_MOST	4

/* The register at an address, or the first of several; NULL: there is none. */
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

/* The models linked into this program, ended by NULL (made from pmu/targets.tab), and the one of a name. */
extern const struct pmu_model *const pmu_models[];
const struct pmu_model *pmu_model_find(const char *name);

/* Those with defects, likewise (pmu/defects): each returns a model whose `faults` are the names of its defects, and
 * whose `reset` takes the number of one. Its state is larger than the sound model's. */
extern const struct pmu_model *(*const pmu_defective_models[])(void);

/* The one of the PMU that cores with this model share; NULL: there is none. */
const struct pmu_model *pmu_model_package(const struct pmu_model *cores);

#endif
