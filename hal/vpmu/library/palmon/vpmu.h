/* SPDX-License-Identifier: BSD-2-Clause */
/* libvpmu: performance-monitoring units for the guests of a hypervisor. A vPMU is the PMU of one core, with all the
 * hardware threads that share it, in memory that the hypervisor provides. It behaves as the processor's manual says;
 * the hypervisor reports what happens in the processor.
 *
 * The library allocates nothing, has no state of its own, and calls only memcpy, memset, memmove, memcmp and strcmp.
 * Whatever a guest writes, and whatever bytes are loaded, a vPMU stays in a state that its manual allows.
 *
 * Arguments. Every function checks its arguments before it changes anything. A number out of the range that is given
 * here, a thread that the core lacks (threads have numbers from 0), and a NULL pointer where none is allowed are
 * refused: nothing changes, outputs are 0, and the result is VPMU_ERROR_ARGUMENT where the function does not say
 * otherwise. A pointer may be NULL only where that is said.
 *
 * The library cannot check the following, and the caller must see to it:
 * - a pointer that is not NULL points to an object of its type, or to as many bytes as another argument says;
 * - a struct vpmu_core is one that vpmu_core_create made, whose memory has not been moved or written since;
 * - outputs do not lie in a vPMU's memory (the large ones are checked: images, and the memory of a new vPMU);
 * - calls on one vPMU do not overlap in time, nor come from the functions of its struct vpmu_guest. Calls on different
 *   vPMUs may overlap. */
#ifndef PALMON_VPMU_H
#define PALMON_VPMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The version of this header; vpmu_version is that of the library which the program runs with. A program written for
 * one version compiles with every later one of the same major number. Versions compare as numbers. */
#define VPMU_VERSION_MAJOR	1
#define VPMU_VERSION_MINOR	2
#define VPMU_VERSION		(VPMU_VERSION_MAJOR << 16 | VPMU_VERSION_MINOR)
uint32_t vpmu_version(void);

struct vpmu_core;

enum vpmu_error {
	VPMU_OK,
	VPMU_ERROR_TARGET,	/* there is no target of this name */
	VPMU_ERROR_MEMORY,	/* the memory is too small, not aligned, or overlaps with another argument */
	VPMU_ERROR_FEATURES,	/* features that this processor cannot have, or a list of events that is not valid */
	VPMU_ERROR_ARGUMENT,	/* an argument is not in its range */
	VPMU_ERROR_IMAGE,	/* the bytes are no image, or are damaged, or hold what the hardware never does */
	VPMU_ERROR_VERSION,	/* an image of a version that this library does not know */
	VPMU_ERROR_OTHER,	/* an image of another target, or of a vPMU that exposes more features */
};

/* In words, for people. Of a number that is no error: "unknown error". */
const char *vpmu_error_text(enum vpmu_error error);

/*
 * Making one
 */

/* An event as a counter selects it; in a list of events, an entry, which may be a pattern.
 *
 * A guest's event is allowed if at least one entry matches it and no entry with `exclude` does. The order of entries
 * makes no difference: an exclusion always wins. An event that no entry matches is not allowed, so that a list of
 * exclusions only allows nothing; one that allows all but these begins with VPMU_EVENT_ANY.
 *
 * Hardware that counts a unit mask's bits separately counts the event of an excluded unit mask in each unit mask that
 * has its bits. Exclude a bit, not a value: VPMU_EVENT_MASKED(code, bit, bit, true). */
struct vpmu_event {
	uint16_t code;		/* event code (Itanium: es; SPARC T4: sl). Fixed counters: libvpmu(3) has their codes */
	uint8_t umask;		/* unit mask (Itanium: umask; SPARC T4: mask) */
	uint8_t umask_ignored;	/* unit-mask bits that are not compared, and 0 in `umask`. 0: the unit mask is equal */
	uint16_t code_ignored;	/* code bits that are not compared, and 0 in `code`. 0: the code is equal */
	bool exclude;
};

/* An entry in the terms of KVM_PMU_EVENT_FILTER's masked events: the code is equal, and (umask & mask) == match. */
#define VPMU_EVENT_MASKED(code, mask, match, exclude) {(code), (match), (uint8_t)~(mask), 0, (exclude)}

/* An entry that matches every event. */
#define VPMU_EVENT_ANY {0, 0, 0xFF, 0xFFFF, false}

#define VPMU_ALL_COUNTERS 0xFF

/* What the hypervisor reports, as classes of events. VPMU_REPORTS_CLOCK: instructions and cycles, by vpmu_core_advance;
 * without another one they are all that happens. _BRANCHES: each branch, by vpmu_core_branch. _EVENTS: anything, by
 * vpmu_core_feed. */
#define VPMU_REPORTS_CLOCK	1u
#define VPMU_REPORTS_BRANCHES	2u
#define VPMU_REPORTS_EVENTS	4u

/* What of the processor's PMU is exposed to a guest. Registers of counters that are not exposed fault, and so do their
 * bits in other registers when they are set. A counter that selects an event which is not among `events` counts
 * nothing; the select reads as it was written. Without `any_thread` the bits that have a counter count what other
 * threads do read as they were written too, and the other threads do nothing that it can see. */
struct vpmu_features {
	uint8_t general, fixed;			/* counters of each thread; VPMU_ALL_COUNTERS: all there are */
	bool any_thread;			/* SPARC T4: no bit says it, but some events do; `events` leaves them
						 * out */
	const struct vpmu_event *events;	/* the list of events that are allowed, which stays as it is as long as
						 * the vPMU; NULL: all are. A write of a select looks at each entry */
	size_t event_count;			/* 0 to VPMU_LIST_MOST; without a list 0 */

	/* VPMU_REPORTS_*. CPUID says of others' events that they are not there, and counters that select them do not
	 * count cycles without them (CMASK with INV), which would be all. It is no part of an image. 0: not said.
	 * CPUID then says it of what a clock cannot count, and all counters count. */
	unsigned reports;
};

#define VPMU_LIST_MOST 65536	/* entries: all codes of 8 bits, with all unit masks */

#define VPMU_ALIGNMENT 256	/* of its memory */

/* Bytes of memory for a vPMU of this target, a multiple of VPMU_ALIGNMENT; 0: there is no such target, or it is NULL.
 */
size_t vpmu_core_size(const char *target);

/* The targets' names, from 0; NULL: there are no more. */
const char *vpmu_target(unsigned number);

/* Makes a vPMU, as after power-on, in `size` bytes at `memory`, and stores where it is: it must not be moved. Neither
 * `core` nor the features nor their list lie in that memory. `features` is NULL for everything. What the manual calls
 * undefined is made from `seed`. With an error nothing is written. */
enum vpmu_error vpmu_core_create(struct vpmu_core **core, void *memory, size_t size, const char *target,
				 const struct vpmu_features *features, uint64_t seed);

/* Hardware threads of the core; NULL has none. */
unsigned vpmu_core_threads(const struct vpmu_core *core);

/* VPMU_RESET_INIT is of one thread, and leaves all registers as they are: the thread is at level 0, and not halted. The
 * others are of the core, and `thread` is not looked at. */
enum vpmu_reset {
	VPMU_RESET_COLD,
	VPMU_RESET_WARM,
	VPMU_RESET_INIT,	/* not every processor has it: VPMU_ERROR_ARGUMENT */
};
enum vpmu_error vpmu_core_reset(struct vpmu_core *core, enum vpmu_reset kind, unsigned thread, uint64_t seed);

/* What a PMU sees of the guest if it writes records into memory (Nehalem: PEBS). Addresses are linear. A memory access
 * returns false where there is no memory that the PMU may reach; nothing has been written then. */
#define VPMU_REGISTERS 18
struct vpmu_guest {
	void *context;
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	bool (*write)(void *context, uint64_t address, const void *from, size_t size);

	/* The registers of a thread behind its last instruction: flags, instruction pointer, then the general ones in
	 * the order of the record. */
	void (*registers)(void *context, unsigned thread, uint64_t registers[VPMU_REGISTERS]);
};

/* Until there is one, no records are written; a reset leaves it there. NULL takes it away. *guest is copied, its
 * context is not. VPMU_ERROR_ARGUMENT: it lacks one of its functions. Elsewhere nothing. */
enum vpmu_error vpmu_core_attach(struct vpmu_core *core, const struct vpmu_guest *guest);

/*
 * What the guest does
 */

/* Privilege level, 0-3, from here on: 0 is the highest (SPARC: 0 hyperprivileged, 1 privileged, 3 user). Whether the
 * thread executes, is halted, or another one executes, makes no difference. */
enum vpmu_error vpmu_core_set_level(struct vpmu_core *core, unsigned thread, unsigned level);

/* From here on the thread is halted, or not. */
enum vpmu_error vpmu_core_set_halted(struct vpmu_core *core, unsigned thread, bool halted);

enum vpmu_result {
	VPMU_DONE,	/* `value` has been read or written */
	VPMU_IGNORED,	/* the guest goes on, but the write has no effect: nothing in the register can be written */
	VPMU_FAULT,	/* nothing has changed, and the guest gets the architecture's fault (x86: #GP) */
	VPMU_NOT_MINE,	/* this PMU has no such register or instruction: the hypervisor decides */
};

/* Register access by an instruction of the thread, at the level it is at. Addresses are the target's own: MSR numbers;
 * SPARC: ASI << 8 | virtual address >> 3; Itanium: PMCn n, PMDn 100h + n, IBRn 200h + n, DBRn 300h + n, CRn 400h + n,
 * PSR 500h. What does not succeed has stored 0. A write takes effect when `cycles` more have passed, those of the
 * writing instruction itself: what it stops has still counted it, what it starts has not. 1: it is counted so, and is
 * not to be reported again; 0: the instruction is not the guest's; any number is possible. A read is reported with
 * vpmu_core_advance after it. Arguments that are refused: VPMU_NOT_MINE. */
enum vpmu_result vpmu_core_read(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t *value);
enum vpmu_result vpmu_core_write(struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t value,
				 uint64_t cycles);

/* The instruction that reaches counters without privilege (x86: RDPMC, whose CR4.PCE the hypervisor looks at; SPARC:
 * ASI B0h, Itanium: mov from PMD, which vpmu_core_read and _write do as well). */
enum vpmu_result vpmu_core_read_counter(struct vpmu_core *core, unsigned thread, uint32_t index, uint64_t *value);
enum vpmu_result vpmu_core_write_counter(struct vpmu_core *core, unsigned thread, uint32_t index, uint64_t value,
					 uint64_t cycles);

/* x86: an instruction 0FH `opcode` of the thread, with these registers. If it is one of these and the register is the
 * PMU's, it is carried out, and has been counted: one instruction in one cycle. VPMU_FAULT, VPMU_NOT_MINE: nothing has
 * changed. `rax` and `rdx` are different places. */
#define VPMU_WRMSR	0x30u
#define VPMU_RDMSR	0x32u
#define VPMU_RDPMC	0x33u
enum vpmu_result vpmu_core_execute(struct vpmu_core *core, unsigned thread, uint8_t opcode, uint64_t *rax, uint64_t rcx,
				   uint64_t *rdx);

/* Knights Corner: SPFLT, by which a program says whether those counters shall count that are left to it. Elsewhere
 * VPMU_NOT_MINE: it is undefined. */
enum vpmu_result vpmu_core_spflt(struct vpmu_core *core, unsigned thread, bool count, uint64_t cycles);

/* The identification instruction (x86: CPUID; EAX, EBX, ECX, EDX). `registers` holds what the machine below answers,
 * and what concerns the processor and its PMU is changed. */
enum vpmu_error vpmu_core_identify(const struct vpmu_core *core, uint32_t leaf, uint32_t subleaf,
				   uint32_t registers[4]);

/* The same, of some `parts`: who the processor is (x86: the vendor in leaf 0, EAX of leaf 1); what it says of its PMU
 * (all else). What the hypervisor adds of its own, as topology, stays. VPMU_ERROR_ARGUMENT: `parts` has other bits. */
#define VPMU_FILTER_IDENTITY	1u
#define VPMU_FILTER_MONITORING	2u
enum vpmu_error vpmu_core_filter(const struct vpmu_core *core, unsigned parts, uint32_t leaf, uint32_t subleaf,
				 uint32_t registers[4]);

/* Nehalem: what IA32_MISC_ENABLE says of performance monitoring, put into its value. Elsewhere, and without a core, the
 * value stays. */
uint64_t vpmu_core_misc_enable(const struct vpmu_core *core, uint64_t value);

/* The registers, from 0, to make a map of intercepts of. False: there are no more. */
struct vpmu_register {
	const char *name;	/* as the manual spells it; of several, without its number */
	int number;		/* which follows; -1: none does */
	uint32_t address;
	bool of_core;		/* one for all threads */
	uint8_t access;		/* at level 0, VPMU_INTERCEPT_*: whether reads, and writes, do something. 0: it is not
				 * exposed, and each access faults */
	uint8_t intercept;	/* what the hypervisor is to intercept: what is emulated, or must fault */
};
#define VPMU_INTERCEPT_READ	1u
#define VPMU_INTERCEPT_WRITE	2u
#define VPMU_INTERCEPT_ANY_LEVEL 4u	/* not at level 0 only */
bool vpmu_core_register(const struct vpmu_core *core, unsigned number, struct vpmu_register *description);

/* A counter as it is, for people and debuggers: no access of the guest's, and nothing changes. `number`: of the
 * thread's counters, general ones first; VPMU_ERROR_ARGUMENT: there are no more. */
struct vpmu_counter {
	uint32_t address, select;	/* of its count, and of the register that says what it counts */
	struct vpmu_event event;	/* as the guest has written it */
	bool exposed;
	bool selects;			/* the select enables it; */
	bool counts;			/* and all else that must */
	uint64_t value;
};
enum vpmu_error vpmu_core_counter(struct vpmu_core *core, unsigned thread, unsigned number,
				  struct vpmu_counter *counter);

/* Itanium: an interruption is taken, and returned from; what PSR was is in *saved. Elsewhere nothing. */
enum vpmu_error vpmu_core_interruption(struct vpmu_core *core, unsigned thread, uint64_t *saved);
enum vpmu_error vpmu_core_resume(struct vpmu_core *core, unsigned thread, uint64_t saved);

/*
 * What happens
 */

/* So many cycles pass in which the thread retires so many instructions, spread evenly: the larger share first, and no
 * other thread executes: a clock that counts for any thread of the core counts them, and those that are reported of
 * another one, too. Threads that execute in the same cycles are reported together, with vpmu_core_feed. A halted thread
 * retires none. More than 2^32 - 2 instructions in a cycle, or some in none: VPMU_ERROR_ARGUMENT. */
enum vpmu_error vpmu_core_advance(struct vpmu_core *core, unsigned thread, uint64_t instructions, uint64_t cycles);

/* One event that happens `n` times in each cycle, in the context that qualifiers look at. What is not known is 0. A
 * field without a range may have any value; a code or unit-mask bits that the target lacks count nothing. */
struct vpmu_occurrence {
	uint16_t code;		/* event code */
	uint16_t sub;		/* unit-mask bits it raises; 0: the event's unqualified form */
	uint32_t n;
	uint8_t thread, level;	/* one of the core's threads; 0-3 */
	uint8_t isa;		/* instruction set: 0 the processor's own, 1 the other (Itanium: IA-32) */
	uint8_t type;		/* 0-7FH, kind of instruction. Itanium: 1 B, 2 F, 4 I, 8 M, and its reference to memory
				 * is 20H the register stack engine's, 40H the page walker's. SPARC: 10H next to
				 * commit */
	uint8_t slot;		/* of the instruction in its bundle, 0-2 */
	uint8_t served;		/* who served it. Translation miss: 1 the next level, 2 the page walker, 3 software.
				 * Branch: 1, 2, 3: predicted in this stage. Load: the target's code of the source.
				 * SPARC T4's memory controllers: 0-3, which of them */
	uint8_t branch;		/* 0-7FH: VPMU_BRANCH_*, and VPMU_KIND_* */
	uint8_t data;		/* 1: `address` is the data address of a memory reference; or 0 */
	uint32_t latency;	/* cycles */
	uint64_t ip, opcode, address, target;
};

#define VPMU_BRANCH		1u
#define VPMU_BRANCH_TAKEN	2u
#define VPMU_BRANCH_WRONG_PATH	4u	/* taken or not was mispredicted */
#define VPMU_BRANCH_WRONG_TARGET 8u

#define VPMU_KIND_CONDITIONAL	(1u << 4)
#define VPMU_KIND_CALL		(2u << 4)	/* near, relative */
#define VPMU_KIND_CALL_INDIRECT	(3u << 4)	/* near */
#define VPMU_KIND_RETURN	(4u << 4)	/* near */
#define VPMU_KIND_JUMP_INDIRECT	(5u << 4)	/* near */
#define VPMU_KIND_JUMP		(6u << 4)	/* near, relative */
#define VPMU_KIND_FAR		(7u << 4)

#define VPMU_OCCURRENCES_MOST	16

/* So many cycles pass, in each of which this happens, and nothing else. The threads are at the levels of their
 * occurrences from here on. A halted thread has none. `count` is 0 to VPMU_OCCURRENCES_MOST; of none `occurrences` may
 * be NULL. */
enum vpmu_error vpmu_core_feed(struct vpmu_core *core, const struct vpmu_occurrence *occurrences, size_t count,
			       uint64_t cycles);

/* The thread, which is not halted, has retired a branch, as one instruction in one cycle. The fields code, sub, n,
 * thread and level are not looked at, nor whether VPMU_BRANCH is set. */
enum vpmu_error vpmu_core_branch(struct vpmu_core *core, unsigned thread, const struct vpmu_occurrence *branch);

/* The same of a next-to-commit instruction (SPARC: loads and stores of ASI 64h and B0h). */
enum vpmu_error vpmu_core_commit(struct vpmu_core *core, unsigned thread);

/* The same of one by which the thread has changed its level: it is at that one from here on. SPARC: WRPR %pstate and
 * WRHPR %hpstate, which precise events still count at the level it was, and all others at the new one. */
enum vpmu_error vpmu_core_change_level(struct vpmu_core *core, unsigned thread, unsigned level);

/* A bus lock: the package's queues have emptied (Nehalem uncore). Elsewhere nothing. */
enum vpmu_error vpmu_core_bus_lock(struct vpmu_core *core);

/* The package's PMU signals this thread (Nehalem). Elsewhere nothing. */
enum vpmu_error vpmu_core_signal(struct vpmu_core *core, unsigned thread);

/* Cycles until a line changes if they pass with one instruction of this thread in each, or none if it is halted: 1 is
 * the next one. VPMU_FAR: in no time that matters, or the thread is none of the core's. A hypervisor that reports what
 * happened at least so often, and takes the lines then, delivers each overflow at its instruction. */
#define VPMU_FAR (1ULL << 62)
uint64_t vpmu_core_headroom(struct vpmu_core *core, unsigned thread);

/* How far a line cannot change, whatever happens: as long as no more `instructions` retire, of all threads together,
 * and no more `cycles` of the core pass. Counters of events that only retired instructions cause have a most an
 * instruction; all others have a most a cycle (events.tab). VPMU_FAR: any number. It holds until a register is written
 * or anything but advance, feed, branch and commit is reported. It may be too small: 0 and 0 without a core, where
 * counters select what is no known event, and while the PMU does more than count (precise records, address registers, a
 * timer's interrupt).
 *
 * The most a cycle is what the hardware can have in one. What is reported beyond that raises a line earlier: more
 * instructions in a cycle than its event has (vpmu_core_advance with more instructions than cycles; Knights Corner's
 * EXEC_STAGE_CYCLES adds each of them), or a larger `n` (vpmu_core_feed). */
struct vpmu_headroom {
	uint64_t instructions, cycles;
};
struct vpmu_headroom vpmu_core_worst_headroom(struct vpmu_core *core);

/* What makes a difference to what counts now. A hypervisor to which it is an effort need not report the others. */
#define VPMU_WANTS_LEVELS	1u	/* each change of level */
#define VPMU_WANTS_BRANCHES	2u	/* each branch, by vpmu_core_branch or vpmu_core_feed */
#define VPMU_WANTS_LOCKS	4u	/* each bus lock */
unsigned vpmu_core_wants(const struct vpmu_core *core);

/*
 * What comes out
 */

/* What the thread's overflow line has done since it was last taken, and takes it; 0: nothing, or the thread is none of
 * the core's. Of a PMU that cores share: the signal to core number `thread`. */
#define VPMU_LINE_ROSE		1u	/* an interrupt is asked for (x86: what LVTPC says becomes of it) */
#define VPMU_LINE_FELL		2u	/* a level that was up is not any more */
#define VPMU_LINE_HELD		4u	/* it is a level, and up: the interrupt is asked for until that ends */
#define VPMU_LINE_PRECISE	8u	/* a precise trap, now or never: for the instruction of the cycle that has just
					 * passed, which has been counted, and executes when the trap returns to it */
unsigned vpmu_core_take_lines(struct vpmu_core *core, unsigned thread);

/* x86: what becomes of a line that rose, by the local APIC's LVTPC. *lvtpc is masked, as the APIC does when it
 * delivers; *vector is that of VPMU_DELIVER_VECTOR. NOTHING: it was masked, or has no valid vector, and the request is
 * lost; or an argument is refused. */
enum vpmu_delivery {
	VPMU_DELIVER_NOTHING,
	VPMU_DELIVER_VECTOR,
	VPMU_DELIVER_NMI,
	VPMU_DELIVER_SMI,
};
enum vpmu_delivery vpmu_deliver(uint32_t *lvtpc, uint8_t *vector);

/* Pins that overflows have strobed since they were last taken, by counter (Itanium: PMCn.ev). */
uint32_t vpmu_core_take_strobes(struct vpmu_core *core);

/*
 * Time
 */

/* A thread that was to run did not, for so many cycles: nothing counted. */
enum vpmu_error vpmu_core_deschedule(struct vpmu_core *core, unsigned thread, uint64_t cycles);

/* Cycles since it was made or reset in which a thread was to run, and in which it ran: what vpmu_core_advance, _feed,
 * _branch and _commit have reported of it. */
enum vpmu_error vpmu_core_times(const struct vpmu_core *core, unsigned thread, uint64_t *enabled, uint64_t *running);

/* What a count would be if it had gone on all the time at the same rate: count * enabled / running, the fraction cut
 * off, exactly. False: nothing ran, and *scaled is 0, or the result has more than 64 bits, and *scaled is UINT64_MAX.
 * */
bool vpmu_scale(uint64_t count, uint64_t enabled, uint64_t running, uint64_t *scaled);

/*
 * Images: the whole state as bytes, for migration (libvpmu-image(5) has the layout)
 */

#define VPMU_IMAGE_VERSION 4

/* Bytes of this vPMU's images: the same until one is loaded; 0 without a core. */
size_t vpmu_core_image_size(const struct vpmu_core *core);

/* Writes the image, and returns its length; 0: `size` is too small, or the bytes are in the vPMU's memory, and nothing
 * is written. The vPMU goes on. */
size_t vpmu_core_save(struct vpmu_core *core, uint8_t *bytes, size_t size);

/* Puts a vPMU into the state of an image, of another processor or byte order if need be. It must be one of the same
 * target that was made with the same features or with more. From here on it exposes those of the image: the guest goes
 * on seeing what it saw, also behind a reset. With an error it stays as it was. */
enum vpmu_error vpmu_core_load(struct vpmu_core *core, const uint8_t *bytes, size_t length);

/* What an image needs that the vPMU was not made with, if vpmu_core_load has said VPMU_ERROR_OTHER: the first that
 * lacks. False: nothing does, or the bytes are no image, or an argument is refused. */
#define VPMU_EVENTS_MOST 512	/* of an image's list, if that is not the one that the vPMU was made with */
struct vpmu_lack {
	const char *what;		/* in words, for people */
	uint32_t needed, offered;	/* numbers of counters; of an event: unit mask << 16 | event code, and 0 */
	struct vpmu_event event;	/* the entry of the image's list that no entry here covers; or the one here that
					 * excludes what the image's list allows */
};
bool vpmu_core_lacks(const struct vpmu_core *core, const uint8_t *bytes, size_t length, struct vpmu_lack *lack);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
