/* SPDX-License-Identifier: BSD-2-Clause */
/* What a driver implements, and what the core says about drivers to those that look at their control registers. */
#ifndef PMU_DRIVER_H
#define PMU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "field.h"
#include "payload.h"
#include "pmu.h"

struct pmu_cpu;			/* pmu_unit.h */
struct pmu_metric_table;	/* metric.h */
struct pmu_profile_table;	/* profile.h */

/* A counter must be armed at least this many events before its overflow: a driver may need more (arm_least). */
#define PMU_ARM_LEAST		2

/* PAL_PERF_MON_INFO's v1: counter pairs, a counter's width in bits, codes of the events for cycles and retired
 * instructions. A byte each: out of a whole word, it is one load. */
#define PMU_SUMMARY(pairs, width, cycles, retired) ((pairs) | (width) << 8 | (cycles) << 16 | (uint32_t)(retired) << 24)
#define PMU_SUMMARY_CYCLES(summary)	((summary) >> 16 & 0xFF)
#define PMU_SUMMARY_RETIRED(summary)	((summary) >> 24)

/* What PAL_PERF_MON_INFO answers (Itanium Architecture Software Developer's Manual volume 2, chapter 11). */
struct pmu_monitor_information {
	uint32_t summary;	/* PMU_SUMMARY */
	uint8_t cycles_umask, retired_umask;	/* of the two events: PALMON_MONITOR_EVENTS (pal.h) */
	/* Registers 0-63, as bits (no target has more): implemented control registers, implemented data registers,
	 * those that can count cycles, those that can count retired instructions. */
	uint64_t control_mask, data_mask, cycles_mask, retired_mask;
};

/* What PAL_PERF_MON_INFO cannot say: pal.h, PALMON_MONITOR_FEATURES. */
#define PMU_FEATURE_FREEZE	(1u << 0)	/* the hardware freezes counters on overflow */
#define PMU_FEATURE_GLOBAL	(1u << 1)	/* all counters start and stop with one write */
#define PMU_FEATURE_USER_READ	(1u << 2)	/* an unprivileged instruction reads counters */
#define PMU_FEATURE_THRESHOLD	(1u << 3)	/* threshold, inversion, edge detection */
#define PMU_FEATURE_ANY_THREAD	(1u << 4)	/* counts of all threads of a core */
#define PMU_FEATURE_QUALIFY	(1u << 5)	/* events by addresses, opcode, instruction set */

/* What a PAL procedure answers about the processor beside its monitor: pal.h has the layouts. What the processor's
 * manual does not state is 0. */
struct pmu_answer {
	uint8_t procedure;	/* PAL's index */
	uint8_t a1, a2;		/* the arguments this is for */
	uint64_t v1, v2, v3;
};

#define PMU_ANSWER_CACHE	2	/* PAL_CACHE_INFO */
#define PMU_ANSWER_CACHES	4	/* PAL_CACHE_SUMMARY */
#define PMU_ANSWER_PURGE	6	/* PAL_PTCE_INFO */
#define PMU_ANSWER_TRANSLATION	7	/* PAL_VM_INFO */
#define PMU_ANSWER_MEMORY	8	/* PAL_VM_SUMMARY */
#define PMU_ANSWER_STACK	19	/* PAL_RSE_INFO */
#define PMU_ANSWER_PAGES	34	/* PAL_VM_PAGE_SIZE */

/* Which processes are monitored. */
enum pmu_scope {
	PMU_SCOPE_PROCESS,		/* one */
	PMU_SCOPE_PROCESSES,		/* several */
	PMU_SCOPE_SYSTEM,		/* all */
};

/* And when. */
enum pmu_reach {
	PMU_REACH_USER,			/* at the lowest level */
	PMU_REACH_KERNEL,		/* also at the highest */
	PMU_REACH_INTERRUPTIONS,	/* also in interruption handlers */
};

/* What a scope needs of the bits `mask` of the processor status: of monitored processes, of the others. */
struct pmu_scope_status {
	uint64_t mask, monitored, others;
};

/*
 * Optional groups of operations: a driver points to those that its PMU has. A function that returns bool returns false
 * if a register access faulted. All act on the calling CPU, with interrupts off.
 */

/* How overflows interrupt this CPU. A PMU that cores share has none of its own. */
struct pmu_signal {
	/* The handler: what PMU_PATH (path.h) makes of this driver. */
	void (*interrupt)(uint64_t ip, unsigned level);

	/* At the handler's begin: has all counters stand still until `enable`, those that the hardware has not frozen.
	 * *more: one may overflow, or the package's PMU signal, behind the look at the status that follows; then there
	 * is a second look, as there is if the first finds nothing. */
	bool (*hold)(bool *more);
};

/* What the hardware keeps beside counts: what it has recorded for samples, and registers that belong to a context. */
struct pmu_records {
	uint16_t modifiers;		/* EVENT_*: a request with one of them has payloads */
	uint8_t count;			/* of registers */
	uint32_t stopped;		/* the register by which overflow interrupts stop recording: behind them, what
					 * open sessions have set there is set again; 0: none */
	const uint32_t *registers;	/* a context keeps these as they are; NULL: save and restore say what */

	/* Instead of `modifiers`: whether samples of this counter have payloads. */
	bool (*recorded)(const struct pmu_counter *counter);

	/* What has been recorded for a sample of this counter, which has just overflowed and is frozen: words in the
	 * target's own layout (README.md in its folder), how many. NULL: samples have no payload. */
	unsigned (*payload)(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS]);

	/* What a payload of a request's event says: how many parts. Touches no register. NULL: there are none. */
	unsigned (*explain)(const struct event_request *request, const uint64_t *words, unsigned count,
			    struct payload_part parts[PAYLOAD_PARTS]);

	/* The address of a sample, with its payload, that says most, and what is there: the sampled instruction only
	 * where it is certain. NULL: pmu_locate. */
	struct pmu_location (*locate)(const struct event_request *request, uint64_t ip, const uint64_t *words,
				      unsigned count);

	/* Takes what is kept out of its registers, and puts it back; values that are all 0: nothing has been recorded.
	 * NULL: the registers are read and written as they are. */
	bool (*save)(uint64_t values[PMU_RECORDED]);
	bool (*restore)(const uint64_t values[PMU_RECORDED]);
};

/* Precise events: the processor itself writes a record for each sample into memory. The status bits of their counters
 * are the hardware's until the record is written: the core neither serves nor clears them. */
struct pmu_precise {
	uint64_t status;	/* the overflow status bits that say that the records want to be taken */

	/* Gives this CPU memory for records. NULL: done; else why it cannot be used, and nothing has changed. */
	const char *(*buffer)(uint64_t address, uint64_t size);

	/* Hands each record to the core (pmu_take_record, records.h), the oldest first, and empties the buffer. The
	 * counters are frozen. */
	bool (*take)(struct pmu_cpu *cpu, unsigned level, uint64_t now);

	/* `program`, where precise events are open: also gives the processor the reset values of those counters that do
	 * not count yet. Records that they have armed are given up. */
	bool (*program)(const struct pmu_counter *counters, unsigned count);

	/* From here on a counter only counts, and its overflow interrupts. *unneeded: the setting by which its records
	 * were written; the core takes it back. */
	bool (*end)(struct pmu_counter *counter, struct pmu_setting *unneeded);
};

/* Registers that events need set beside their counters. */
struct pmu_settings {
	/* The settings that `counter` needs to count a request, in the order in which they must be written; how
	 * many. */
	unsigned (*needed)(const struct event_request *request, unsigned counter,
			   struct pmu_setting settings[PMU_EVENT_SETTINGS]);

	/* Whether the registers that a request needs are ours at present, and not other software's. NULL: always. */
	bool (*available)(const struct event_request *request);

	/* Of the registers, those that the threads of a core share: while one of them has an open session that needs a
	 * register set, no other one's session can need it otherwise, and nobody resets it. `reset` of the driver has
	 * pmu_core_registers_reset reset them. */
	const struct pmu_core_register {
		uint32_t address;
		const char *name;	/* the manual's */
	} *core;
	unsigned core_count;		/* PMU_CORE_REGISTERS at most (settings.h) */
};

/* Overflows that raise no interrupt, or lose it: they are found when somebody looks, pmu_poll at the latest. */
struct pmu_polling {
	/* Whether a request's overflows are such. */
	bool (*polled)(const struct event_request *request);

	/* The core looks by itself each so many clocks, in which no counter can overflow twice. */
	uint64_t clocks;

	/* Whether the interrupt of a counter with this select can be lost. While such a counter is open the core looks,
	 * too: each `lost_clocks`, if it takes samples, else each `wrap_clocks`, in which no counter can overflow
	 * twice. NULL: none can. */
	bool (*may_lose)(uint64_t select);
	uint64_t lost_clocks, wrap_clocks;
};

/* Of the cores' driver: the PMU that they share signals its overflows through theirs. */
struct pmu_package_signal {
	uint64_t status;	/* the status bit that says that it has signalled */

	/* Whether it may interrupt this CPU. */
	bool (*listen)(bool on);
};

/* A PMU whose counters are divided with other software. */
struct pmu_owners {
	/* From now on counters not in `counters` are never used, and nothing of theirs is written, by reset neither.
	 * NULL: done; else why they cannot be divided like that. */
	const char *(*claim)(uint64_t counters);
};

/* A choice of whom sessions monitor. */
struct pmu_scopes {
	/* Chooses it for the sessions that are opened from now on, and makes the calling process monitored. An
	 * operating system gives the others the status bits *status says. */
	bool (*choose)(enum pmu_scope scope, enum pmu_reach reach, struct pmu_scope_status *status);
};

/*
 * One target's driver. A function that returns bool returns false if a register access faulted, and has then stored 0
 * where it was to store what it read. All act on the calling CPU, with interrupts off.
 */
struct pmu_driver {
	/* What it is. */
	const char *name;		/* the target's */
	const char *libpfm;		/* libpfm4's for this PMU; NULL: it has none */
	const char *title;		/* the processor's */
	const struct pmu_event_table *events;
	const struct pmu_metric_table *metrics;	/* NULL: none */
	const struct pmu_profile_table *profiles;	/* NULL: none */
	const struct pmu_monitor_information *information;
	const struct pmu_answer *answers;
	unsigned answer_count;
	const char *session;		/* events for a first look, as event_parse reads them */
	unsigned threads;		/* on how many at the same time, of a core whose clock they share; 0: one */
	const char *retired;		/* event that counts retired instructions on a counter that can sample; and */
	const char *cycles;		/* one that counts cycles. NULL: there is none */
	uint64_t counters;		/* all counter numbers, as bits */
	uint64_t fixed;			/* of those, the ones whose event is fixed */
	unsigned width;			/* of every counter, bits */
	unsigned arm_least;		/* events a counter must be armed before its overflow: PMU_ARM_LEAST or more */
	uint64_t arm_most;		/* most events a counter can be armed before its overflow; a power of two */
	uint32_t features;		/* PMU_FEATURE_* */
	uint8_t instruction_breakpoints, data_breakpoints;	/* debug register pairs */

	/* Of a PMU that the cores of a package share: their driver, which its interrupts come through. Else NULL. */
	const struct pmu_driver *cores;

	/* What only some have; NULL: this one has it not. */
	const struct pmu_signal *signal;
	const struct pmu_records *records;
	const struct pmu_precise *precise;
	const struct pmu_settings *settings;
	const struct pmu_polling *poll;
	const struct pmu_package_signal *package;
	const struct pmu_owners *owners;
	const struct pmu_scopes *scope;

	/* Whether the processor has this PMU. Touches none of its registers, unless nothing else tells and it does no
	 * harm. */
	bool (*probe)(void);

	/* Brings the PMU to a known state: controls and counters at their reset values, no overflow pending, nothing
	 * counting, the hardware's freeze on overflow turned on where there is one. */
	bool (*reset)(void);

	/* Why no counter can count a request, where something in it is wrong; NULL: nothing is, or nothing is known. */
	const char *(*objection)(const struct event_request *request);

	/* Which counters can count a request, as bits; 0: none can. */
	uint64_t (*choices)(const struct event_request *request);

	/* The control value that makes `counter` (one of the choices) count a request and interrupt on overflow. */
	uint64_t (*encode)(const struct event_request *request, unsigned counter);

	/* The address of a counter's register, for pmu_counter.address, or whatever read and write know it by where
	 * counters share a register; of the register that gets its select. */
	uint32_t (*address)(unsigned counter);
	uint32_t (*control)(unsigned counter);

	/* Programs counters with their select and start values; they do not count before `enable`. */
	bool (*program)(const struct pmu_counter *counters, unsigned count);

	/* Takes what `program` did back. */
	bool (*release)(const struct pmu_counter *counters, unsigned count);

	/* Exactly these counters count from now on. Ends a freeze. */
	bool (*enable)(uint64_t counters);

	/* Stops all counting and says what to `thaw` with. */
	bool (*freeze)(uint64_t *state);
	bool (*thaw)(uint64_t state);

	/* A counter's register, by its address. */
	bool (*read)(uint32_t address, uint64_t *value);
	bool (*write)(uint32_t address, uint64_t value);

	/* Which counters have overflowed (and what else the status says); clears exactly what is given. */
	bool (*overflow_status)(uint64_t *overflowed);
	bool (*overflow_clear)(uint64_t overflowed);

	/* Start and stop of a session: what PMU_PATH (path.h) makes of this driver; of a PMU that cores share,
	 * pmu_shared_start and pmu_shared_stop. */
	enum pmu_error (*start)(struct pmu_session *session);
	enum pmu_error (*stop)(struct pmu_session *session);
};

/*
 * Raw events: what the value of a counter's control register asks for
 */

/* The counter whose control register they are given for: the first that selects an event. */
unsigned pmu_raw_counter(const struct pmu_driver *driver);

/* Reads back what a driver has written: a request for event_raw with the value's code, unit mask, threshold, edge,
 * inversion and any-thread bits, levels (all, where the register has none) and instruction sets. False: the value has
 * bits besides that the driver would not write. */
bool pmu_read_select(const struct pmu_driver *driver, unsigned counter, uint64_t select, struct event_request *request);

/* The same; but if the table has an event with the value's code and unit mask, or several that join to it, then for
 * that one, and else on the counters that count such codes. False also if it selects nothing. */
bool pmu_read_raw(const struct pmu_driver *driver, unsigned counter, uint64_t select, struct event_request *request);

/* The bits that select a request's code and unit mask in pmu_raw_counter's control register. */
uint64_t pmu_raw_select(const struct pmu_driver *driver, const struct event_request *request);

/* Whether an event of the table is the one with a request's code and unit mask; `exactly`: with its threshold, edge,
 * inversion and any-thread bits too, else it has none of these itself. */
bool pmu_event_is(const struct pmu_driver *driver, const struct pmu_event *event, const struct event_request *request,
		  bool exactly);

/* Assigns a counter to each request, no two the same: out[i] for request i. `free`: counters that may be used. A
 * fixed counter is preferred. If not all fit, as many as possible are assigned in turn until one fails; *refusal
 * then names a set of requests that together have too few counters. */
enum pmu_error pmu_allocate(const struct pmu_driver *driver, const struct event_request *requests, unsigned count,
			    uint64_t free, uint8_t *out, struct pmu_refusal *refusal);

#endif
