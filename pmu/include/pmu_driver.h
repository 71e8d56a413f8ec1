/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of drivers, and functions of the core that interpret a driver's control registers. */
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
 * instructions. A byte each, in one word, so that one load reads them. */
#define PMU_SUMMARY(pairs, width, cycles, retired) ((pairs) | (width) << 8 | (cycles) << 16 | (uint32_t)(retired) << 24)
#define PMU_SUMMARY_CYCLES(summary)	((summary) >> 16 & 0xFF)
#define PMU_SUMMARY_RETIRED(summary)	((summary) >> 24)

/* The results of PAL_PERF_MON_INFO (Itanium Architecture Software Developer's Manual volume 2, chapter 11). */
struct pmu_monitor_information {
	uint32_t summary;	/* PMU_SUMMARY */
	uint8_t cycles_umask, retired_umask;	/* of the two events: PALMON_MONITOR_EVENTS (pal.h) */
	/* Registers 0-63, as bits (no target has more): implemented control registers, implemented data registers,
	 * those that can count cycles, those that can count retired instructions. */
	uint64_t control_mask, data_mask, cycles_mask, retired_mask;
};

/* Features beyond PAL_PERF_MON_INFO: pal.h, PALMON_MONITOR_FEATURES. */
#define PMU_FEATURE_FREEZE	(1u << 0)	/* the hardware freezes counters on overflow */
#define PMU_FEATURE_GLOBAL	(1u << 1)	/* all counters start and stop with one write */
#define PMU_FEATURE_USER_READ	(1u << 2)	/* an unprivileged instruction reads counters */
#define PMU_FEATURE_THRESHOLD	(1u << 3)	/* threshold, inversion, edge detection */
#define PMU_FEATURE_ANY_THREAD	(1u << 4)	/* counts of all threads of a core */
#define PMU_FEATURE_QUALIFY	(1u << 5)	/* events by addresses, opcode, instruction set */

/* The results of a PAL procedure about other parts of the processor: pal.h has the layouts. Values that the processor's
 * manual does not state are 0. */
struct pmu_answer {
	uint8_t procedure;	/* PAL's index */
	uint8_t a1, a2;		/* its arguments */
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

/* The values of the bits `mask` of the processor status that a scope needs: in monitored processes, in the others. */
struct pmu_scope_status {
	uint64_t mask, monitored, others;
};

/*
 * Optional groups of operations: a driver points to those that its PMU has. A function that returns bool returns false
 * if a register access faulted. All act on the calling CPU, with interrupts off.
 */

/* Overflow interrupts of this CPU. A PMU that cores share has none of its own. */
struct pmu_signal {
	/* The handler: pmu_overflow (overflow.h), compiled into the driver. */
	void (*interrupt)(uint64_t ip, unsigned level);

	/* At the handler's beginning: stops all counters that the hardware has not frozen, until `enable`. *more: a
	 * counter may overflow, or the package's PMU signal, after the first read of the status; then the handler reads
	 * it a second time, as it does if the first read finds no overflow. */
	bool (*hold)(bool *more);
};

/* The hardware's records for samples, and further registers that belong to a context. */
struct pmu_records {
	uint16_t modifiers;		/* EVENT_*: a request with one of them has payloads */
	uint8_t count;			/* of registers */
	uint32_t stopped;		/* control register that overflow interrupts clear to stop recording; the core
					 * restores the settings of open sessions in it afterwards; 0: none */
	const uint32_t *registers;	/* a context keeps their values; NULL: save and restore do */

	/* Instead of `modifiers`: whether samples of this counter have payloads. */
	bool (*recorded)(const struct pmu_counter *counter);

	/* Reads the record for a sample of this counter, which has just overflowed and is frozen, as words in the
	 * target's own layout (README.md in its folder). Returns how many. NULL: samples have no payload. */
	unsigned (*payload)(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS]);

	/* Splits a payload of a request's event into parts. Returns how many. Accesses no register. NULL: no payloads.
	 * */
	unsigned (*explain)(const struct event_request *request, const uint64_t *words, unsigned count,
			    struct payload_part parts[PAYLOAD_PARTS]);

	/* The best location of a sample with its payload: the sampled instruction only if it is certain. NULL: the
	 * interrupted address (pmu_locate). */
	struct pmu_location (*locate)(const struct event_request *request, uint64_t ip, const uint64_t *words,
				      unsigned count);

	/* Saves a context's values from the hardware, and restores them; all 0: no record. NULL: the core reads and
	 * writes `registers`. */
	bool (*save)(uint64_t values[PMU_RECORDED]);
	bool (*restore)(const uint64_t values[PMU_RECORDED]);
};

/* Precise events: the processor itself writes a record for each sample into memory. Until then the hardware owns the
 * status bits of their counters: the core neither serves nor clears them. */
struct pmu_precise {
	uint64_t status;	/* the overflow status bits of a full buffer */

	/* Gives this CPU memory for records. Returns NULL, or why it cannot be used, with no change. */
	const char *(*buffer)(uint64_t address, uint64_t size);

	/* Hands each record to the core (pmu_take_record, records.h), the oldest first, and empties the buffer. The
	 * counters are frozen. */
	bool (*take)(struct pmu_cpu *cpu, unsigned level, uint64_t now);

	/* `program`, while precise events are open: also gives the processor the reset values of counters that do not
	 * count yet. Drops records that they have armed. */
	bool (*program)(const struct pmu_counter *counters, unsigned count);

	/* Makes a precise counter one that only counts and interrupts at its overflow. *unneeded: the setting that
	 * enabled its records, which the core restores. */
	bool (*end)(struct pmu_counter *counter, struct pmu_setting *unneeded);
};

/* Registers that events need besides their counters. */
struct pmu_settings {
	/* Gets the settings that `counter` needs to count a request, in the order of their writes. Returns how many. */
	unsigned (*needed)(const struct event_request *request, unsigned counter,
			   struct pmu_setting settings[PMU_EVENT_SETTINGS]);

	/* Whether no other software uses the registers that a request needs at present. NULL: always. */
	bool (*available)(const struct event_request *request);

	/* The registers that the threads of a core share: while a thread has an open session that needs a value in one,
	 * no other thread's session can need another value, and no thread resets it. The driver's `reset` calls
	 * pmu_core_registers_reset. */
	const struct pmu_core_register {
		uint32_t address;
		const char *name;	/* the manual's */
	} *core;
	unsigned core_count;		/* PMU_CORE_REGISTERS at most (settings.h) */
};

/* Overflows that raise no interrupt, or lose it: the core finds them by polls. */
struct pmu_polling {
	/* Whether a request's overflows raise no interrupt. */
	bool (*polled)(const struct event_request *request);

	/* Poll interval, in which no counter can overflow twice. */
	uint64_t clocks;

	/* Whether the interrupt of a counter with this select can be lost. While such a counter is open the core polls,
	 * too: every `lost_clocks`, if it takes samples, else every `wrap_clocks`, in which no counter can overflow
	 * twice. NULL: none can. */
	bool (*may_lose)(uint64_t select);
	uint64_t lost_clocks, wrap_clocks;
};

/* For the cores' driver: the PMU that the cores share signals its overflows through theirs. */
struct pmu_package_signal {
	uint64_t status;	/* the status bit of its signal */

	/* Enables or disables its interrupts on this CPU. */
	bool (*listen)(bool on);
};

/* A PMU that other software uses, too. */
struct pmu_owners {
	/* From now on the driver uses only `counters`, and never writes bits of the others, not even at reset. Returns
	 * NULL, or why this division is not possible. */
	const char *(*claim)(uint64_t counters);
};

/* A choice of the processes that sessions monitor. */
struct pmu_scopes {
	/* Chooses the scope of sessions that are opened from now on, and monitors the calling process. An operating
	 * system sets the status bits of other processes from *status. */
	bool (*choose)(enum pmu_scope scope, enum pmu_reach reach, struct pmu_scope_status *status);
};

/* One target's driver. A function that returns bool returns false if a register access faulted, and then stores 0 as
 * the read value. All act on the calling CPU, with interrupts off.
 */
struct pmu_driver {
	const char *name;		/* the target's */
	const char *libpfm;		/* libpfm4's name for this PMU; NULL: none */
	const char *title;		/* the processor's name */
	const struct pmu_event_table *events;
	const struct pmu_metric_table *metrics;	/* NULL: none */
	const struct pmu_profile_table *profiles;	/* NULL: none */
	const struct pmu_monitor_information *information;
	const struct pmu_answer *answers;
	unsigned answer_count;
	const char *session;		/* events for a first look, as event_parse reads them */
	unsigned threads;		/* for that session, of a core whose clock they share; 0: one */
	const char *retired;		/* event that counts retired instructions on a counter that can sample; and */
	const char *cycles;		/* one that counts cycles. NULL: none */
	uint64_t counters;		/* all counter numbers, as bits */
	uint64_t fixed;			/* those of them with a fixed event */
	unsigned width;			/* of every counter, bits */
	unsigned arm_least;		/* events a counter must be armed before its overflow: PMU_ARM_LEAST or more */
	uint64_t arm_most;		/* most events a counter can be armed before its overflow; a power of two */
	uint32_t features;		/* PMU_FEATURE_* */
	uint8_t instruction_breakpoints, data_breakpoints;	/* debug register pairs */

	/* For a PMU that the cores of a package share: the cores' driver, through which it interrupts. Else NULL. */
	const struct pmu_driver *cores;

	/* Optional groups; NULL: this PMU lacks it. */
	const struct pmu_signal *signal;
	const struct pmu_records *records;
	const struct pmu_precise *precise;
	const struct pmu_settings *settings;
	const struct pmu_polling *poll;
	const struct pmu_package_signal *package;
	const struct pmu_owners *owners;
	const struct pmu_scopes *scope;

	/* Whether the processor has this PMU. Accesses its registers only if there is no other way, and if that is
	 * harmless. */
	bool (*probe)(void);

	/* Brings the PMU to a known state: controls and counters at their reset values, no overflow pending, all
	 * counters stopped, and the hardware's freeze on overflow, if any, enabled. */
	bool (*reset)(void);

	/* The reason why no counter can count a wrong request; NULL: it is right, or the reason is not known. */
	const char *(*objection)(const struct event_request *request);

	/* The counters that can count a request, as bits; 0: none. */
	uint64_t (*choices)(const struct event_request *request);

	/* The control value with which `counter` (one of the choices) counts a request and interrupts on overflow. */
	uint64_t (*encode)(const struct event_request *request, unsigned counter);

	/* The address of a counter's register, for pmu_counter.address, `read` and `write` (any identifier, if counters
	 * share a register); and of the register for its select. */
	uint32_t (*address)(unsigned counter);
	uint32_t (*control)(unsigned counter);

	/* Programs counters with their select and start values; they do not count before `enable`. */
	bool (*program)(const struct pmu_counter *counters, unsigned count);

	/* Undoes `program`. */
	bool (*release)(const struct pmu_counter *counters, unsigned count);

	/* Makes exactly these counters count. Ends a freeze. */
	bool (*enable)(uint64_t counters);

	/* Stops all counters; *state is for `thaw`. */
	bool (*freeze)(uint64_t *state);
	bool (*thaw)(uint64_t state);

	/* A counter's register, by its address. */
	bool (*read)(uint32_t address, uint64_t *value);
	bool (*write)(uint32_t address, uint64_t value);

	/* Reads the overflow status, including other bits; clears exactly the given bits. */
	bool (*overflow_status)(uint64_t *overflowed);
	bool (*overflow_clear)(uint64_t overflowed);

	/* Start and stop a session: pmu_session_start and pmu_session_stop (path.h), compiled into
	 * the driver; for a PMU that cores share, pmu_shared_start and pmu_shared_stop. */
	enum pmu_error (*start)(struct pmu_session *session);
	enum pmu_error (*stop)(struct pmu_session *session);
};

/* Raw events: requests given as the value of a counter's control register
 */

/* The counter of that control register: the first that selects an event. */
unsigned pmu_raw_counter(const struct pmu_driver *driver);

/* Decodes a driver's control value: a request for event_raw with the value's code, unit mask, threshold, edge,
 * inversion and any-thread bits, levels (all, if the register has none) and instruction sets. False: the value has
 * other bits, which the driver would not write. */
bool pmu_read_select(const struct pmu_driver *driver, unsigned counter, uint64_t select, struct event_request *request);

/* The same; but for the table's event with the value's code and unit mask, or several that join to it, if there is one;
 * else on the counters that count such codes. False also if the value selects no event. */
bool pmu_read_raw(const struct pmu_driver *driver, unsigned counter, uint64_t select, struct event_request *request);

/* The bits that select a request's code and unit mask in pmu_raw_counter's control register. */
uint64_t pmu_raw_select(const struct pmu_driver *driver, const struct event_request *request);

/* Whether an event of the table is the one with a request's code and unit mask; `exactly`: with its threshold, edge,
 * inversion and any-thread bits too, else it has none of these itself. */
bool pmu_event_is(const struct pmu_driver *driver, const struct pmu_event *event, const struct event_request *request,
		  bool exactly);

/* Assigns a different counter to each request: out[i] for request i. `free`: usable counters. Fixed counters come
 * first. If not all fit, *refusal names a set of requests that together have too few counters. */
enum pmu_error pmu_allocate(const struct pmu_driver *driver, const struct event_request *requests, unsigned count,
			    uint64_t free, uint8_t *out, struct pmu_refusal *refusal);

#endif
