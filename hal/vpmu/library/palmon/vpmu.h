/* SPDX-License-Identifier: BSD-2-Clause */
/* libvpmu: performance-monitoring units (PMUs) for the guests of a hypervisor. A vPMU is the PMU of
 * one core with all hardware threads of that core. It lives in memory that the hypervisor provides
 * and behaves as the processor's manual says. The hypervisor reports the guest's instructions and
 * events.
 *
 * The library allocates nothing, has no global state, and calls only memcpy, memset, memmove,
 * memcmp and strcmp. No guest write and no loaded image can put a vPMU into a state that the manual
 * rules out.
 *
 * Arguments. Every function checks its arguments before it changes anything. It refuses a number
 * outside the range given here, a thread that the core lacks (threads are numbered from 0), and a
 * NULL pointer unless the comment allows NULL. A refused call changes nothing, sets outputs to 0,
 * and returns VPMU_ERROR_ARGUMENT unless the comment names another result.
 *
 * The library cannot check the following; the caller must ensure it:
 * - A non-NULL pointer points to an object of its type, or to as many bytes as another argument
 *   says.
 * - A struct vpmu_core comes from vpmu_core_create, and its memory was neither moved nor written
 *   since.
 * - Outputs lie outside the vPMU's memory. (The library checks images and the memory of a new
 *   vPMU.)
 * - Calls on one vPMU do not overlap in time, and the functions of its struct vpmu_guest do not
 *   call the library for that vPMU. Calls on different vPMUs may overlap. */
#ifndef PALMON_VPMU_H
#define PALMON_VPMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The version of this header; vpmu_version returns the version of the library that the program runs
 * with. A program written for one version compiles with every later one of the same major number.
 * Versions compare as numbers. */
#define VPMU_VERSION_MAJOR	1
#define VPMU_VERSION_MINOR	2
#define VPMU_VERSION		(VPMU_VERSION_MAJOR << 16 | VPMU_VERSION_MINOR)
uint32_t vpmu_version(void);

struct vpmu_core;

enum vpmu_error {
	VPMU_OK,
	VPMU_ERROR_TARGET,	/* no target has this name */
	VPMU_ERROR_MEMORY,	/* too small, not aligned, or overlaps another argument */
	VPMU_ERROR_FEATURES,	/* impossible features, or an invalid list of events */
	VPMU_ERROR_ARGUMENT,	/* an argument is outside its range */
	VPMU_ERROR_IMAGE,	/* not an image, damaged, or an impossible state */
	VPMU_ERROR_VERSION,	/* an image of a version that this library does not know */
	VPMU_ERROR_OTHER,	/* another target's image, or one with more features */
};

/* An error's description for people; "unknown error" for a number that is no error. */
const char *vpmu_error_text(enum vpmu_error error);

/*
 * Creating a vPMU
 */

/* An event, or an entry of an event list. As an event: the values that a counter's select register
 * holds. As an entry: a pattern that matches events.
 *
 * A guest's event is allowed if at least one entry without `exclude` matches it and no entry with
 * `exclude` does. The order of entries makes no difference: an exclusion always wins. An event that
 * no entry matches is not allowed; a list that contains only exclusions therefore allows nothing.
 * To allow all but some events, begin the list with VPMU_EVENT_ANY.
 *
 * Most hardware counts each unit-mask bit separately: the event of an excluded unit mask also
 * counts under any unit mask that contains its bits. Therefore exclude a bit, not a value:
 * VPMU_EVENT_MASKED(code, bit, bit, true). */
struct vpmu_event {
	uint16_t code;		/* event code (Itanium: es; SPARC T4: sl). libvpmu(3) lists the
				 * codes of fixed counters */
	uint8_t umask;		/* unit mask (Itanium: umask; SPARC T4: mask) */
	uint8_t umask_ignored;	/* unit-mask bits that are not compared; they are 0 in `umask`. 0:
				 * all bits must match */
	uint16_t code_ignored;	/* code bits that are not compared; they are 0 in `code`. 0: all
				 * bits must match */
	bool exclude;
};

/* An entry like a masked event of KVM_PMU_EVENT_FILTER: code equal, and (umask & mask) == match. */
#define VPMU_EVENT_MASKED(code, mask, match, exclude) {(code), (match), (uint8_t)~(mask), 0, \
						       (exclude)}

/* An entry that matches every event. */
#define VPMU_EVENT_ANY {0, 0, 0xFF, 0xFFFF, false}

#define VPMU_ALL_COUNTERS 0xFF

/* Classes of events that the hypervisor reports.
 * VPMU_REPORTS_CLOCK: instructions and cycles, by vpmu_core_advance.
 * VPMU_REPORTS_BRANCHES: each branch, by vpmu_core_branch.
 * VPMU_REPORTS_EVENTS: any event, by vpmu_core_deliver. */
#define VPMU_REPORTS_CLOCK	1u
#define VPMU_REPORTS_BRANCHES	2u
#define VPMU_REPORTS_EVENTS	4u

/* The part of the processor's PMU that a guest sees. Registers of hidden counters fault; in other
 * registers, writing 1 to a hidden counter's bit faults. A counter whose event is not allowed
 * counts nothing; its select register reads as written. Without `any_thread`, the select bits that
 * make a counter count other threads' events also read as written, but have no effect. */
struct vpmu_features {
	uint8_t general, fixed;			/* counters of each thread; VPMU_ALL_COUNTERS: all
						 * that the processor has */
	bool any_thread;			/* false: the guest cannot count other threads'
						 * events. SPARC T4 has no bit for this, but some
						 * events do it: exclude them by `events` */
	const struct vpmu_event *events;	/* allowed events; must not change during the vPMU's
						 * life. NULL: all. Each write of a select register
						 * scans the list */
	size_t event_count;			/* 0 to VPMU_LIST_MOST; 0 if `events` is NULL */

	/* VPMU_REPORTS_*, or 0: unspecified. CPUID reports events of other classes as absent. A
	 * counter that selects such an event does not count cycles without it (CMASK with INV),
	 * which would be all cycles. With 0, all counters count; and without a list, CPUID reports
	 * events as absent that instructions and cycles do not raise. Not part of an image. */
	unsigned reports;
};

#define VPMU_LIST_MOST 65536	/* entries; as many as 8-bit codes with 8-bit unit masks */

#define VPMU_ALIGNMENT 256	/* of the vPMU's memory, in bytes */

/* Returns the bytes of memory for a vPMU of this target, a multiple of VPMU_ALIGNMENT. 0: no such
 * target, or NULL. */
size_t vpmu_core_size(const char *target);

/* Returns the name of target `number` (from 0), or NULL after the last one. */
const char *vpmu_target(unsigned number);

/* Creates a vPMU in its power-on state in `size` bytes at `memory`, and stores its address in
 * *core. The memory must not move afterwards, and must not contain *core, the features or their
 * list. `features` may be NULL: the guest sees everything. `seed` determines the values that the
 * manual calls undefined. On an error nothing is written. */
enum vpmu_error vpmu_core_create(struct vpmu_core **core, void *memory, size_t size,
				 const char *target,
				 const struct vpmu_features *features, uint64_t seed);

/* Returns the number of hardware threads of the core; 0 if `core` is NULL. */
unsigned vpmu_core_threads(const struct vpmu_core *core);

/* VPMU_RESET_INIT resets one thread: it sets level 0, ends a halt, and keeps all registers. The
 * other kinds reset the whole core and ignore `thread`. */
enum vpmu_reset {
	VPMU_RESET_COLD,
	VPMU_RESET_WARM,
	VPMU_RESET_INIT,	/* not on every processor: else VPMU_ERROR_ARGUMENT */
};
enum vpmu_error vpmu_core_reset(struct vpmu_core *core, enum vpmu_reset kind, unsigned thread,
				uint64_t seed);

/* The PMU's access to the guest, for PMUs that write records to memory (Nehalem: PEBS). Addresses
 * are linear. */
#define VPMU_REGISTERS 18
struct vpmu_guest {
	void *context;
	/* Access `size` bytes of guest memory. False: the PMU cannot access all of them; then write
	 * has written nothing. */
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	bool (*write)(void *context, uint64_t address, const void *from, size_t size);

	/* Reads the registers of a thread after its last instruction: flags, instruction pointer,
	 * then the general registers in the order of the record. */
	void (*registers)(void *context, unsigned thread, uint64_t registers[VPMU_REGISTERS]);
};

/* Sets the access for records; NULL removes it. Without it the PMU writes no records. A reset keeps
 * it. *guest is copied, its context is not. VPMU_ERROR_ARGUMENT: a function of *guest is NULL. No
 * effect on PMUs without such records. */
enum vpmu_error vpmu_core_attach(struct vpmu_core *core, const struct vpmu_guest *guest);

/*
 * Guest state and register access
 */

/* Sets a thread's privilege level, 0-3: 0 is the highest (SPARC: 0 hyperprivileged, 1 privileged, 3
 * user). The thread may be running, halted or waiting for its turn. */
enum vpmu_error vpmu_core_set_level(struct vpmu_core *core, unsigned thread, unsigned level);

/* Halts a thread, or ends its halt. */
enum vpmu_error vpmu_core_set_halted(struct vpmu_core *core, unsigned thread, bool halted);

enum vpmu_result {
	VPMU_DONE,	/* the read or write has succeeded */
	VPMU_IGNORED,	/* the guest continues; the register has no writable bits */
	VPMU_FAULT,	/* nothing has changed; raise the fault in the guest (x86: #GP) */
	VPMU_NOT_MINE,	/* this PMU has no such register or instruction: the hypervisor decides */
};

/* Register access by an instruction of the thread at its current level. Addresses are the target's
 * own: MSR numbers; SPARC: ASI << 8 | virtual address >> 3; Itanium: PMCn n, PMDn 100h + n, IBRn
 * 200h + n, DBRn 300h + n, CRn 400h + n, PSR 500h. A read that fails stores 0.
 *
 * A write takes effect after `cycles` cycles, which count the writing instruction itself: a counter
 * that the write stops still counts it, a counter that the write starts does not. 1: the usual
 * case; do not report the instruction again. 0: not an instruction of the guest. Any number is
 * allowed. Report the instruction of a read with vpmu_core_advance after the read. Refused
 * arguments: VPMU_NOT_MINE. */
enum vpmu_result vpmu_core_read(struct vpmu_core *core, unsigned thread, uint32_t address,
				uint64_t *value);
enum vpmu_result vpmu_core_write(struct vpmu_core *core, unsigned thread, uint32_t address,
				 uint64_t value, uint64_t cycles);

/* The instruction that accesses counters at any level (x86: RDPMC; the hypervisor checks CR4.PCE).
 * On SPARC (ASI B0h) and Itanium (mov from PMD), vpmu_core_read and vpmu_core_write also serve
 * these accesses. */
enum vpmu_result vpmu_core_read_counter(struct vpmu_core *core, unsigned thread, uint32_t index,
					uint64_t *value);
enum vpmu_result vpmu_core_write_counter(struct vpmu_core *core, unsigned thread, uint32_t index,
					 uint64_t value, uint64_t cycles);

/* x86: executes the thread's instruction 0FH `opcode` with these registers if it is one of the
 * following and accesses a PMU register. VPMU_DONE, VPMU_IGNORED: it is also counted, as one
 * instruction in one cycle; do not report it again. VPMU_FAULT, VPMU_NOT_MINE: nothing has changed.
 * `rax` and `rdx` must not overlap. */
#define VPMU_WRMSR	0x30u
#define VPMU_RDMSR	0x32u
#define VPMU_RDPMC	0x33u
enum vpmu_result vpmu_core_execute(struct vpmu_core *core, unsigned thread, uint8_t opcode,
				   uint64_t *rax, uint64_t rcx, uint64_t *rdx);

/* Knights Corner: SPFLT, which turns the thread's user-filtered counters on or off. VPMU_NOT_MINE
 * on other processors, where the instruction is undefined. */
enum vpmu_result vpmu_core_spflt(struct vpmu_core *core, unsigned thread, bool count,
				 uint64_t cycles);

/* The identification instruction (x86: CPUID; EAX, EBX, ECX, EDX). On entry `registers` holds the
 * answer of the machine below; the function replaces the values that describe the processor and its
 * PMU. */
enum vpmu_error vpmu_core_identify(const struct vpmu_core *core, uint32_t leaf, uint32_t subleaf,
				   uint32_t registers[4]);

/* vpmu_core_identify for some `parts` only: the processor's identity (x86: the vendor in leaf 0,
 * EAX of leaf 1), or the description of its PMU (all else). Values that the hypervisor adds itself,
 * such as topology, stay. VPMU_ERROR_ARGUMENT: `parts` has other bits. */
#define VPMU_FILTER_IDENTITY	1u
#define VPMU_FILTER_MONITORING	2u
enum vpmu_error vpmu_core_filter(const struct vpmu_core *core, unsigned parts, uint32_t leaf,
				 uint32_t subleaf, uint32_t registers[4]);

/* Nehalem: returns `value` of IA32_MISC_ENABLE with its performance-monitoring bits set for this
 * vPMU. On other targets, or without a core, returns `value`. */
uint64_t vpmu_core_misc_enable(const struct vpmu_core *core, uint64_t value);

/* Describes register `number` (from 0), e.g. to build an intercept map. False: there are no
 * more. */
struct vpmu_register {
	const char *name;	/* the manual's, without a number that follows */
	int number;		/* the number that follows the name; -1: none */
	uint32_t address;
	bool of_core;		/* one register for all threads */
	uint8_t access;		/* VPMU_INTERCEPT_READ, _WRITE: such an access has an effect at
				 * level 0. 0: hidden from the guest; each access faults */
	uint8_t intercept;	/* VPMU_INTERCEPT_*: accesses to intercept, to emulate them or to
				 * raise a fault */
};
#define VPMU_INTERCEPT_READ	1u
#define VPMU_INTERCEPT_WRITE	2u
#define VPMU_INTERCEPT_ANY_LEVEL 4u	/* also at other levels than 0 */
bool vpmu_core_register(const struct vpmu_core *core, unsigned number,
			struct vpmu_register *description);

/* Describes a counter's present state for people and debuggers, and changes nothing. `number`:
 * among the thread's counters, general ones first. VPMU_ERROR_ARGUMENT: there are no more. */
struct vpmu_counter {
	uint32_t address, select;	/* of its count; of its select register */
	struct vpmu_event event;	/* as the guest has written it */
	bool exposed;
	bool selects;			/* the guest's select value enables it */
	bool counts;			/* counting: all controls enable it */
	uint64_t value;
};
enum vpmu_error vpmu_core_counter(struct vpmu_core *core, unsigned thread, unsigned number,
				  struct vpmu_counter *counter);

/* Itanium: the thread takes an interruption, and returns from it. The first call stores PSR in
 * *saved, which the second one takes. No effect on other targets. */
enum vpmu_error vpmu_core_interruption(struct vpmu_core *core, unsigned thread, uint64_t *saved);
enum vpmu_error vpmu_core_resume(struct vpmu_core *core, unsigned thread, uint64_t saved);

/*
 * Reports
 */

/* `cycles` cycles pass, in which the thread retires `instructions` instructions, spread evenly:
 * cycles with one more come first. No other thread executes. Clocks that count for any thread of
 * the core count these cycles, also if another thread's are reported separately. Report threads
 * that execute in the same cycles together, with vpmu_core_deliver. VPMU_ERROR_ARGUMENT: more than
 * 2^32 - 2 instructions in a cycle, instructions without cycles, or instructions of a halted
 * thread. */
enum vpmu_error vpmu_core_advance(struct vpmu_core *core, unsigned thread, uint64_t instructions,
				  uint64_t cycles);

/* An event that occurs `n` times in each cycle, with the context that qualifiers check. Unknown
 * fields are 0. A field without a range here may have any value. A code or unit-mask bits that the
 * target lacks count nothing. */
struct vpmu_occurrence {
	uint16_t code;		/* event code */
	uint16_t sub;		/* unit-mask bits that the event raises; 0: its unqualified form */
	uint32_t n;
	uint8_t thread, level;	/* a thread of the core; its level, 0-3 */
	uint8_t isa;		/* instruction set. 0: the processor's; 1: the other (IA-32) */
	uint8_t type;		/* 0-7FH, kind of instruction. Itanium: 1 B, 2 F, 4 I, 8 M; of
				 * memory references: 20H register stack engine, 40H page walker.
				 * SPARC: 10H next-to-commit */
	uint8_t slot;		/* of the instruction in its bundle, 0-2 */
	uint8_t served;		/* who served the request. Translation miss: 1 the next level, 2 the
				 * page walker, 3 software. Branch: predicted in stage 1, 2 or 3.
				 * Load: the target's code of the data source. SPARC T4's memory
				 * controllers: number of the controller, 0-3 */
	uint8_t branch;		/* 0-7FH: VPMU_BRANCH_*, and VPMU_KIND_* */
	uint8_t data;		/* 1: `address` is a data address; otherwise 0 */
	uint32_t latency;	/* cycles */
	uint64_t ip, opcode, address, target;
};

#define VPMU_BRANCH		1u
#define VPMU_BRANCH_TAKEN	2u
#define VPMU_BRANCH_WRONG_PATH	4u	/* the direction was mispredicted */
#define VPMU_BRANCH_WRONG_TARGET 8u

#define VPMU_KIND_CONDITIONAL	(1u << 4)
#define VPMU_KIND_CALL		(2u << 4)	/* near, relative */
#define VPMU_KIND_CALL_INDIRECT	(3u << 4)	/* near */
#define VPMU_KIND_RETURN	(4u << 4)	/* near */
#define VPMU_KIND_JUMP_INDIRECT	(5u << 4)	/* near */
#define VPMU_KIND_JUMP		(6u << 4)	/* near, relative */
#define VPMU_KIND_FAR		(7u << 4)

#define VPMU_OCCURRENCES_MOST	16

/* `cycles` cycles pass, and in each exactly these events occur. Their threads are at the given
 * levels from now on; none may be halted. `count` is 0 to VPMU_OCCURRENCES_MOST; if it is 0,
 * `occurrences` may be NULL. */
enum vpmu_error vpmu_core_deliver(struct vpmu_core *core, const struct vpmu_occurrence *occurrences,
				  size_t count,
			       uint64_t cycles);

/* The thread has retired a branch: one instruction in one cycle. The function ignores the fields
 * code, sub, n, thread and level, and sets VPMU_BRANCH itself. VPMU_ERROR_ARGUMENT: the thread is
 * halted. */
enum vpmu_error vpmu_core_branch(struct vpmu_core *core, unsigned thread,
				 const struct vpmu_occurrence *branch);

/* Like vpmu_core_branch, for a next-to-commit instruction (SPARC: loads and stores of ASI 64h and
 * B0h). */
enum vpmu_error vpmu_core_commit(struct vpmu_core *core, unsigned thread);

/* Like vpmu_core_branch, for an instruction that changes the thread's level to `level`. SPARC: for
 * WRPR %pstate and WRHPR %hpstate, precise events count at the old level, all others at the new
 * one. */
enum vpmu_error vpmu_core_change_level(struct vpmu_core *core, unsigned thread, unsigned level);

/* A bus lock: the package's queues are empty (Nehalem uncore). No effect on other targets. */
enum vpmu_error vpmu_core_bus_lock(struct vpmu_core *core);

/* The package's PMU signals this thread (Nehalem). No effect on other targets. */
enum vpmu_error vpmu_core_signal(struct vpmu_core *core, unsigned thread);

/* Returns the cycles until a line changes, if the thread retires one instruction in each, or none
 * while it is halted; 1: in the next cycle. A hypervisor that reports and takes the lines at that
 * distance delivers each overflow at its instruction. VPMU_FAR: no line changes in any realistic
 * time, or the core lacks the thread. */
#define VPMU_FAR (1ULL << 62)
uint64_t vpmu_core_headroom(struct vpmu_core *core, unsigned thread);

/* Returns a distance within which no line can change, whatever the guest does: no more than
 * `instructions` retire, in all threads together, and no more than `cycles` cycles of the core
 * pass. A counter of an event that only retired instructions raise has a maximum per instruction,
 * any other a maximum per cycle (events.tab).
 *
 * VPMU_FAR: no limit. The result is valid until a register is written or a function other than
 * vpmu_core_advance, _feed, _branch or _commit is called. It may be too small. Both numbers are 0
 * without a core, if a counter selects an unknown event, and while the PMU does more than count
 * (precise records, address registers, a timer's interrupt).
 *
 * The maximum per cycle is the hardware's. Reports beyond it raise a line earlier: more
 * instructions in a cycle than the event allows (vpmu_core_advance with more instructions than
 * cycles; Knights Corner's EXEC_STAGE_CYCLES adds each instruction), or a larger `n`
 * (vpmu_core_deliver). */
struct vpmu_headroom {
	uint64_t instructions, cycles;
};
struct vpmu_headroom vpmu_core_worst_headroom(struct vpmu_core *core);

/* Returns the classes of reports that affect counts at present. A hypervisor may omit the
 * others. */
#define VPMU_WANTS_LEVELS	1u	/* each change of level */
#define VPMU_WANTS_BRANCHES	2u	/* each branch, by vpmu_core_branch or vpmu_core_deliver */
#define VPMU_WANTS_LOCKS	4u	/* each bus lock */
unsigned vpmu_core_wants(const struct vpmu_core *core);

/*
 * Interrupts
 */

/* Returns the changes of the thread's overflow line since the last call. 0: none, or the core lacks
 * the thread. For a PMU that cores share, `thread` is a core's number, and VPMU_LINE_ROSE is the
 * signal to that core. */
#define VPMU_LINE_ROSE		1u	/* an interrupt is requested (x86: through LVTPC) */
#define VPMU_LINE_FELL		2u	/* the line's level has ended */
#define VPMU_LINE_HELD		4u	/* the line is a level and is active: it requests the
					 * interrupt until it ends */
#define VPMU_LINE_PRECISE	8u	/* a precise trap, to take now or never. It belongs to the
					 * instruction of the last cycle, which is already counted,
					 * and executes when the trap returns to it */
unsigned vpmu_core_take_lines(struct vpmu_core *core, unsigned thread);

/* x86: delivers a line that rose through the local APIC's LVTPC entry. Sets the mask bit of *lvtpc,
 * as the APIC does at delivery; *vector is the vector of VPMU_DELIVER_VECTOR, otherwise 0.
 * VPMU_DELIVER_NOTHING: the entry was masked or has no valid vector, and the request is lost; or an
 * argument is refused. */
enum vpmu_delivery {
	VPMU_DELIVER_NOTHING,
	VPMU_DELIVER_VECTOR,
	VPMU_DELIVER_NMI,
	VPMU_DELIVER_SMI,
};
enum vpmu_delivery vpmu_deliver(uint32_t *lvtpc, uint8_t *vector);

/* Returns, bit n for counter n, the pins that overflows have strobed since the last call (Itanium:
 * PMCn.ev). */
uint32_t vpmu_core_take_strobes(struct vpmu_core *core);

/*
 * Time
 */

/* A thread that was ready to run did not run for `cycles` cycles; its counters counted nothing. */
enum vpmu_error vpmu_core_deschedule(struct vpmu_core *core, unsigned thread, uint64_t cycles);

/* Returns cycles since creation or reset: in which the thread was ready to run (*enabled), and in
 * which it ran (*running), as reported by vpmu_core_advance, _feed, _branch and _commit. */
enum vpmu_error vpmu_core_times(const struct vpmu_core *core, unsigned thread, uint64_t *enabled,
				uint64_t *running);

/* Scales a count to the whole time: *scaled is count * enabled / running, exact, rounded down.
 * False: `running` is 0 (then *scaled is 0), or the result exceeds 64 bits (then *scaled is
 * UINT64_MAX). */
bool vpmu_scale(uint64_t count, uint64_t enabled, uint64_t running, uint64_t *scaled);

/*
 * Images: the whole state as bytes, for migration; libvpmu-image(5) describes the layout
 */

#define VPMU_IMAGE_VERSION 4

/* Returns the size of this vPMU's images in bytes; a load may change it. 0 without a core. */
size_t vpmu_core_image_size(const struct vpmu_core *core);

/* Writes an image and returns its length; the vPMU continues. 0, and nothing is written: `size` is
 * too small, or `bytes` lies in the vPMU's memory. */
size_t vpmu_core_save(struct vpmu_core *core, uint8_t *bytes, size_t size);

/* Loads an image, which a processor of another kind or byte order may have saved. The vPMU must
 * have the same target and have been created with at least the image's features. From now on, and
 * after a reset, it exposes the image's features, so that the guest sees no change. On an error the
 * vPMU is unchanged. */
enum vpmu_error vpmu_core_load(struct vpmu_core *core, const uint8_t *bytes, size_t length);

/* After VPMU_ERROR_OTHER from vpmu_core_load: returns the first feature that the image needs and
 * the vPMU was not created with. False: there is none, the bytes are no image, or an argument is
 * refused. */
#define VPMU_EVENTS_MOST 512	/* entries of an image's list that differs from the vPMU's */
struct vpmu_lack {
	const char *what;		/* description for people */
	uint32_t needed, offered;	/* numbers of counters; of an event: unit mask << 16 | event
					 * code, and 0 */
	struct vpmu_event event;	/* an entry of the image's list that no entry of the vPMU's
					 * list covers, or an exclusion of the vPMU's list that no
					 * exclusion of the image's list covers */
};
bool vpmu_core_lacks(const struct vpmu_core *core, const uint8_t *bytes, size_t length,
		     struct vpmu_lack *lack);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
