/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver contract, and functions of the core that decode a driver's control registers. */
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

/* Least distance from a counter's overflow at which software may arm it, in events. A PMU may
 * require more (pmu_shape.arm_least). */
#define PMU_ARM_LEAST		2

/* The result v1 of PAL_PERF_MON_INFO, one byte each from bit 0 up: number of counter pairs, counter
 * width in bits, event code for cycles, event code for retired instructions. One word, so that one
 * load reads all four. */
#define PMU_SUMMARY(pairs, width, cycles, retired) ((pairs) | (width) << 8 | (cycles) << 16 | \
						    (uint32_t)(retired) << 24)
#define PMU_SUMMARY_CYCLES(summary)	((summary) >> 16 & 0xFF)
#define PMU_SUMMARY_RETIRED(summary)	((summary) >> 24)

/* The results of PAL_PERF_MON_INFO (Itanium Architecture Software Developer's Manual volume 2,
 * chapter 11). Bit n of a mask is register n; no target has more than 64. */
struct pmu_monitor_information {
	uint32_t summary;	/* PMU_SUMMARY */
	uint8_t cycles_umask, retired_umask;	/* of the two events: PALMON_MONITOR_EVENTS */
	/* Implemented control registers, implemented data registers, data registers that can count
	 * cycles, data registers that can count retired instructions. */
	uint64_t control_mask, data_mask, cycles_mask, retired_mask;
};

/* Features that PAL_PERF_MON_INFO does not report; PALMON_MONITOR_FEATURES (pal.h) reports them. */
#define PMU_FEATURE_FREEZE	(1u << 0)	/* the hardware freezes counters on overflow */
#define PMU_FEATURE_GLOBAL	(1u << 1)	/* all counters start and stop with one write */
#define PMU_FEATURE_USER_READ	(1u << 2)	/* an unprivileged instruction reads counters */
#define PMU_FEATURE_THRESHOLD	(1u << 3)	/* threshold, inversion, edge detection */
#define PMU_FEATURE_ANY_THREAD	(1u << 4)	/* a counter can count for all threads of a core */
#define PMU_FEATURE_QUALIFY	(1u << 5)	/* an event can be restricted by addresses, opcode,
						 * instruction set */

/* The geometry of a PMU: processors that one driver drives can differ in it. */
struct pmu_shape {
	uint64_t counters;	/* bit n: counter n exists */
	uint64_t fixed;		/* bit n: counter n counts one fixed event */
	uint64_t arm_most;	/* greatest distance from overflow for arming, in events: a power of
				 * two, at most 2^62 and 2^width of each counter */
	uint32_t features;	/* PMU_FEATURE_* */
	uint8_t arm_least;	/* least distance from overflow for arming, in events: PMU_ARM_LEAST
				 * or more */
	uint8_t width;		/* of the widest counter, in bits: 1 to 64 */
	bool mixed;		/* the counters have different widths: `widths` */
	bool by_value;		/* no register has the overflow status: a counter has overflowed if
				 * its value is in the lower half, so all start in the upper half */
	uint8_t widths[PMU_COUNTER_NUMBERS]; /* if `mixed`: of each counter, in bits, by number */
};

/* The results of a PAL procedure about other parts of the processor. pal.h has their layouts. A
 * value that the processor's manual does not state is 0. */
struct pmu_answer {
	uint8_t procedure;	/* PAL procedure index */
	uint8_t a1, a2;		/* the procedure's first two arguments */
	uint64_t v1, v2, v3;
};

#define PMU_ANSWER_CACHE	2	/* PAL_CACHE_INFO */
#define PMU_ANSWER_CACHES	4	/* PAL_CACHE_SUMMARY */
#define PMU_ANSWER_PURGE	6	/* PAL_PTCE_INFO */
#define PMU_ANSWER_TRANSLATION	7	/* PAL_VM_INFO */
#define PMU_ANSWER_MEMORY	8	/* PAL_VM_SUMMARY */
#define PMU_ANSWER_STACK	19	/* PAL_RSE_INFO */
#define PMU_ANSWER_PAGES	34	/* PAL_VM_PAGE_SIZE */

/*
 * Optional groups of operations; a driver points to the groups that its PMU supports. Unless its
 * comment says otherwise, a function that returns bool returns false if a register access faulted.
 * All functions act on the calling CPU.
 */

/* The overflow interrupt of this CPU. A PMU that cores share raises none of its own. */
struct pmu_signal {
	/* The interrupt handler: pmu_overflow (overflow.h), compiled into the driver. `ip`,
	 * `level`: interrupted instruction and privilege level. */
	void (*interrupt)(uint64_t ip, unsigned level);

	/* First step of the handler: stops all counters that the hardware has not frozen; `enable`
	 * restarts them. Sets *more if a counter may overflow, or the package's PMU may signal,
	 * after the handler's first read of the status. The handler then reads the status again; it
	 * also does so if the first read shows no overflow. */
	bool (*hold)(bool *more);
};

/* Hardware records attached to samples, and further registers that belong to a context. */
struct pmu_records {
	uint16_t modifiers;		/* EVENT_*: samples of a request with any of these carry a
					 * payload */
	uint8_t count;			/* length of `registers` */
	uint32_t stopped;		/* control register that the overflow interrupt clears to
					 * stop recording; the core restores it from the settings of
					 * open sessions before the handler returns; 0: none */
	const uint32_t *registers;	/* addresses whose values a context keeps; NULL: `save` and
					 * `restore` keep them */

	/* Returns whether samples of this counter carry a payload. NULL: `modifiers` decides. */
	bool (*recorded)(const struct pmu_counter *counter);

	/* Reads the record for a sample of this counter, which has just overflowed and is frozen.
	 * Stores it as words in the target's own layout (README.md in the target's folder) and
	 * returns their number. NULL: samples have no payload. */
	unsigned (*payload)(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS]);

	/* Splits a payload of the requested event into parts, and returns their number. Accesses no
	 * register. NULL: no payloads. */
	unsigned (*explain)(const struct event_request *request, const uint64_t *words,
			    unsigned count, struct payload_part parts[PAYLOAD_PARTS]);

	/* Returns the best known location of a sample, from its payload. It is PMU_PLACE_SAMPLED
	 * only if the sampled instruction is certain. NULL: always the interrupted address
	 * (pmu_locate). */
	struct pmu_location (*locate)(const struct event_request *request, uint64_t ip,
				      const uint64_t *words, unsigned count);

	/* Saves a context's values from the hardware, and writes them back. All values 0: the
	 * hardware holds no record. NULL: the core reads and writes `registers`. */
	bool (*save)(uint64_t values[PMU_RECORDED]);
	bool (*restore)(const uint64_t values[PMU_RECORDED]);
};

/* Precise events: for each sample the processor itself writes a record into memory. From the
 * overflow to that record the hardware owns the counter's status bit: the core neither serves nor
 * clears it. */
struct pmu_precise {
	uint64_t status;	/* overflow status bits that report a full buffer */

	/* Gives this CPU a buffer of `size` bytes for records. Returns NULL, or why the buffer
	 * cannot be used; then nothing has changed. */
	const char *(*buffer)(uint64_t address, uint64_t size);

	/* Passes each record to the core (pmu_take_record, records.h), oldest first, and empties
	 * the buffer. The counters must be frozen. `level`: interrupted privilege level. `now`:
	 * hal_clock. */
	bool (*take)(struct pmu_cpu *cpu, unsigned level, uint64_t now);

	/* Replaces `program` while precise events are open. Also gives the processor the reset
	 * values of counters that do not count yet. Discards records that these counters have
	 * armed. */
	bool (*program)(const struct pmu_counter *counters, unsigned count);

	/* Turns a precise counter into an ordinary one that interrupts at its overflow. *unneeded:
	 * the setting that enabled its records; the core restores that register. */
	bool (*end)(struct pmu_counter *counter, struct pmu_setting *unneeded);
};

/* Registers that events need besides their counters. */
struct pmu_settings {
	/* Stores the settings that `counter` needs to count a request, in write order. Returns
	 * their number. */
	unsigned (*needed)(const struct event_request *request, unsigned counter,
			   struct pmu_setting settings[PMU_EVENT_SETTINGS]);

	/* Returns whether all registers that a request needs are free of use by other software.
	 * NULL: they always are. */
	bool (*available)(const struct event_request *request);

	/* Registers that the threads of a core share. While one thread has an open session that
	 * needs a value in such a register, no other thread's session may need another value, and
	 * no thread resets it. The driver's `reset` calls pmu_core_registers_reset. */
	const struct pmu_core_register {
		uint32_t address;
		const char *name;	/* as the manual spells it */
	} *core;
	unsigned core_count;		/* 0 to PMU_CORE_REGISTERS (settings.h) */
};

/* Overflows that raise no interrupt, or whose interrupt can be lost. The core polls for them. */
struct pmu_polling {
	/* Returns whether overflows of a request's counter raise no interrupt. */
	bool (*polled)(const struct event_request *request);

	/* Poll interval for such counters, in hal_clock units. No counter can overflow twice in
	 * this time. */
	uint64_t clocks;

	/* Returns whether the interrupt of a counter with this control value can be lost. The core
	 * polls while such a counter is open. NULL: no interrupt can be lost. */
	bool (*may_lose)(uint64_t select);

	/* Poll intervals for these counters, in hal_clock units: while the counter takes samples;
	 * while it only counts. No counter can overflow twice in wrap_clocks. */
	uint64_t lost_clocks, wrap_clocks;

	/* The core's polls: pmu_poll_counters and pmu_poll (poll.h). Images whose drivers lack this
	 * group do not link them, nor hal_poll. */
	void (*begin)(struct pmu_cpu *unit);
	void (*look)(void);
};

/* Part of the cores' driver: the PMU that the cores share signals its overflows through the cores'
 * PMUs. */
struct pmu_package_signal {
	uint64_t status;	/* status bit that this signal sets */

	/* Enables or disables delivery of the signal to this CPU. */
	bool (*listen)(bool on);
};

/* Selection of the processes that sessions monitor (pmu_choose_scope). */
struct pmu_scopes {
	/* Sets the scope of sessions that are opened from now on, and monitors the calling process.
	 * *status as for pmu_choose_scope. */
	bool (*choose)(enum pmu_scope scope, enum pmu_privilege privilege,
		       struct pmu_scope_status *status);

	/* Sets the calling CPU's processor status, in the bits of the mask that `choose` stores. */
	bool (*enter)(uint64_t status);
};

/* A PMU driver. Unless its comment says otherwise, a function that returns bool returns false if a
 * register access faulted; its outputs may then be incomplete. All functions act on the calling
 * CPU. `program`, `release`, `enable`, `freeze`, `thaw`, `read`, `write` and the functions of the
 * overflow status run with interrupts disabled. */
struct pmu_driver {
	const char *name;		/* the name in targets.tab */
	const char *libpfm;		/* libpfm4's name for this PMU; NULL: it has none */
	const char *title;		/* processor name for people */
	const struct pmu_event_table *events;
	const struct pmu_metric_table *metrics;	/* NULL: none */
	const struct pmu_profile_table *profiles;	/* NULL: none */
	const struct pmu_monitor_information *information;
	const struct pmu_answer *answers;
	unsigned answer_count;
	const char *session;		/* events for a first look, in event_parse's syntax */
	unsigned threads;		/* threads per core that share a clock and run that session;
					 * 0: one */
	const char *retired;		/* event that counts retired instructions on a counter that
					 * can sample; NULL: none */
	const char *cycles;		/* event that counts cycles; NULL: none */
	const struct pmu_shape *shape;	/* If the manual fixes the geometry: a constant, which the
					 * compiler folds into the fast paths. Else `enumerated`. */
	struct pmu_shape *enumerated;	/* where pmu_probe stores the geometry. Before, and in tools
					 * without a processor: the geometry of the model. NULL: the
					 * manual fixes it */
	uint8_t instruction_breakpoints, data_breakpoints;	/* number of debug register pairs */
	uint64_t timer;			/* bit mask: counters that take the timer of hal_poll */

	/* For a PMU that the cores of a package share: the cores' driver, which receives its
	 * interrupts. Else NULL. */
	const struct pmu_driver *cores;

	/* Optional groups; NULL: this PMU lacks the feature. */
	const struct pmu_signal *signal;
	const struct pmu_records *records;
	const struct pmu_precise *precise;
	const struct pmu_settings *settings;
	const struct pmu_polling *poll;
	const struct pmu_package_signal *package;
	const struct pmu_scopes *scope;

	/* Detects the PMU and fills *shape; call it through pmu_probe. Reads the PMU's registers
	 * only if there is no other way and the reads are harmless. Returns NULL, or the reason why
	 * this driver cannot drive the processor: a constant sentence without a final period, which
	 * names the value found. */
	const char *(*probe)(struct pmu_shape *shape);

	/* Sets all control registers and counters to their reset values, clears all overflow
	 * status, and stops all counters. Enables the hardware's freeze on overflow if there is
	 * one. */
	bool (*reset)(void);

	/* Returns why no counter can count an invalid request. NULL: it is valid, or the reason is
	 * unknown. */
	const char *(*objection)(const struct event_request *request);

	/* Returns the counters that can count a request, as a bit mask; 0: none. */
	uint64_t (*choices)(const struct event_request *request);

	/* Returns the control value for a request on `counter`. An overflow interrupts, except of
	 * precise, silent (oi=0) and polled events. Accesses no register. core/raw.c also passes
	 * requests that `choices` refuses, to learn which bits each part of a request sets. */
	uint64_t (*encode)(const struct event_request *request, unsigned counter);

	/* Returns the address of a counter's count register, for pmu_counter.address, `read` and
	 * `write`; any identifier will do if counters share a register. */
	uint32_t (*address)(unsigned counter);

	/* Returns the address of a counter's control register. */
	uint32_t (*control)(unsigned counter);

	/* Writes control and count registers of these counters. They start counting with
	 * `enable`. */
	bool (*program)(const struct pmu_counter *counters, unsigned count);

	/* Undoes `program`: the counters' registers hold their reset values again. */
	bool (*release)(const struct pmu_counter *counters, unsigned count);

	/* Enables exactly the counters in this mask; 0 stops all. Ends a freeze, unless the
	 * interrupt of an unserved overflow is pending. */
	bool (*enable)(uint64_t counters);

	/* Stops all counters, and stores the state that `thaw` restores. */
	bool (*freeze)(uint64_t *state);
	bool (*thaw)(uint64_t state);

	/* Reads or writes a counter's current value. `address`: from the operation `address`. */
	bool (*read)(uint32_t address, uint64_t *value);
	bool (*write)(uint32_t address, uint64_t value);

	/* Reads the overflow status: bit n for counter n, and further bits. Clears exactly the
	 * given bits. */
	bool (*overflow_status)(uint64_t *overflowed);
	bool (*overflow_clear)(uint64_t overflowed);

	/* Start and stop a session: pmu_session_start and pmu_session_stop (path.h), compiled into
	 * the driver; for a PMU that cores share, pmu_shared_start and pmu_shared_stop. */
	enum pmu_error (*start)(struct pmu_session *session);
	enum pmu_error (*stop)(struct pmu_session *session);
};

/* Raw events: requests given as the value of a counter's control register */

/* Returns the counter whose control register raw values describe: the first one that selects an
 * event. */
unsigned pmu_raw_counter(const struct pmu_driver *driver);

/* Decodes a control value into a request for event_raw: code, unit mask, threshold, edge, inversion
 * and any-thread bits, levels (all levels if the register has no such bits) and instruction sets.
 * False: the value has other bits, which the driver would not write. */
bool pmu_read_select(const struct pmu_driver *driver, unsigned counter, uint64_t select,
		     struct event_request *request);

/* As pmu_read_select. If the table has an event with the value's code and unit mask, or several
 * that join to it, the request is for that event; else it may use the counters that count events
 * with this code. False also if the value selects no event. */
bool pmu_read_raw(const struct pmu_driver *driver, unsigned counter, uint64_t select,
		  struct event_request *request);

/* Returns the bits that select a request's code and unit mask in pmu_raw_counter's control
 * register. */
uint64_t pmu_raw_select(const struct pmu_driver *driver, const struct event_request *request);

/* Returns whether a table's event has a request's code and unit mask. `exactly`: threshold, edge,
 * inversion and any-thread bits must be equal, too; else the event must have none of them. */
bool pmu_event_is(const struct pmu_driver *driver, const struct pmu_event *event,
		  const struct event_request *request, bool exactly);

/* Assigns a different counter to each request: out[i] for request i, fixed counters first. `free`:
 * bit mask of the usable counters. If the requests do not fit, *refusal names a set of requests
 * that together have too few counters. */
enum pmu_error pmu_allocate(const struct pmu_driver *driver, const struct event_request *requests,
			    unsigned count,
			    uint64_t free, uint8_t *out, struct pmu_refusal *refusal);

#endif
