/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU core: what a driver provides, and what callers get: sessions with 64-bit counts, samples, statistics of
 * the overflow interrupt. */
#ifndef PMU_H
#define PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "field.h"
#include "payload.h"

enum pmu_error {
	PMU_OK,
	PMU_FAULT,		/* a register access faulted */
	PMU_UNFIT,		/* no counter can count the event as asked */
	PMU_CONFLICT,		/* the events need more counters of a kind than are free */
	PMU_TOO_MANY,		/* more events than a session has room for */
	PMU_BAD_PERIOD,		/* a period of 1, or one that overflow could not be told from */
	PMU_STARTED,		/* the session counts already */
	PMU_STOPPED,		/* the session does not count */
	PMU_CLOSED,		/* the session is not open */
	PMU_SETTINGS,		/* events that need one register set differently */
	PMU_NO_BUFFER,		/* a precise event, and nowhere to write its records (pmu_give_buffer) */
};

struct pmu_session;
struct pmu_refusal;
struct pmu_core_registers;
struct pmu_cpu;			/* cpu.h */
struct pmu_metric_table;	/* metric.h */
struct pmu_profile_table;	/* profile.h */

/*
 * Drivers
 */

/* A counter's number is its bit in the target's overflow status. */
#define PMU_COUNTER_NUMBERS	64
#define PMU_SESSION_EVENTS	16	/* events in one session, at most */
#define PMU_EVENT_SETTINGS	24	/* registers one event can need set, at most */
#define PMU_SESSION_SETTINGS	48	/* and one session */

/* A counter must be armed at least this many events before its overflow: a driver may need more (arm_least). */
#define PMU_ARM_LEAST		2

/* Whose a sample is. */
struct pmu_sample_source {
	uint32_t session;	/* the session's number */
	uint8_t event;		/* index in the session */
	uint8_t counter;	/* number */
	uint8_t level;		/* interrupted privilege level */
	uint8_t words;		/* of payload */
};

/* One sample. */
struct pmu_sample {
	uint64_t ip;		/* interrupted instruction's address */
	uint64_t clock;		/* hal_clock when it was taken */
	uint64_t count;		/* the counter's count */
	struct pmu_sample_source source;
};

/* What is at a sample's address. */
enum pmu_place {
	PMU_PLACE_INTERRUPTED,	/* where the program was interrupted; which instruction was sampled is not certain */
	PMU_PLACE_NEXT,		/* the instruction that is executed next, behind the sampled one */
	PMU_PLACE_SAMPLED,	/* the sampled instruction: its first byte or another one of it */
	PMU_PLACE_LINE,		/* the line of instructions that was fetched */
	PMU_PLACES
};

struct pmu_location {
	uint64_t address;
	enum pmu_place place;
};

/* A part of a register that must have a value while an event is measured: a range, an opcode, a filter. Events that
 * need the same bits set differently cannot be measured together. Settings that share bits have equal masks. */
struct pmu_setting {
	uint32_t address;
	uint64_t mask;		/* the bits */
	uint64_t value;		/* what they must be; no other bits are set here */
	uint64_t idle;		/* what they are when no session needs them */
};

/* What a driver adds to a sample, at most: words. */
#define PMU_PAYLOAD_WORDS	64

/* What a context keeps of what the hardware has recorded, at most: words. */
#define PMU_RECORDED	32

/* A counter in use, as core and driver share it. */
struct pmu_counter {
	uint64_t select;	/* what the driver's encode made of the request */
	uint64_t wrap;		/* the count at which the register overflows: count = wrap - 2^width + the register */
	uint64_t start;		/* the register while it does not count; what it starts from */
	uint64_t due;		/* count at which the next sample is taken; UINT64_MAX: never */
	uint64_t period;	/* 0: no samples */
	uint64_t samples;	/* taken, dropped ones included */
	uint64_t slipped;	/* events by which samples came late, because interrupts were late by a period */
	uint32_t address;	/* the driver's: of the counter's register */
	uint8_t number;
	bool precise;		/* its samples are records of the processor's */
	bool payload;		/* its samples have what the driver's payload says */
	bool throttled : 1;	/* its samples were stopped, because they came too fast */
	bool polled : 1;	/* its overflow raises no interrupt */
	struct pmu_sample_source source;
};

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

/* One target's driver. A function that returns bool returns false if a register access faulted, and has then stored 0
 * where it was to store what it read. All act on the calling CPU, with interrupts off. */
struct pmu_driver {
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
	const uint32_t *recorded;	/* registers that payloads come from */
	uint8_t recorded_count;
	uint16_t payload_modifiers;	/* EVENT_*: a request with one of them has payloads; 0: every one has */

	/* Whether the processor has this PMU. Touches none of its registers, unless nothing else tells and it does no
	 * harm. */
	bool (*probe)(void);

	/* Brings the PMU to a known state: controls and counters at their reset values, no overflow pending, nothing
	 * counting, the hardware's freeze on overflow turned on where there is one. */
	bool (*reset)(void);

	/* Which counters can count a request, as bits; 0: none can. */
	uint64_t (*choices)(const struct event_request *request);

	/* The control value that makes `counter` (one of the choices) count a request and interrupt on overflow. */
	uint64_t (*encode)(const struct event_request *request, unsigned counter);

	/* The settings that `counter` needs to count a request, in the order in which they must be written; how many.
	 * NULL: no event needs any. */
	unsigned (*settings)(const struct event_request *request, unsigned counter,
			     struct pmu_setting settings[PMU_EVENT_SETTINGS]);

	/* With settings: pmu_settings_open and pmu_settings_close. Without: NULL, and an image lacks their code. */
	enum pmu_error (*settings_open)(struct pmu_cpu *cpu, struct pmu_session *session,
					const struct event_request *requests, struct pmu_refusal *refusal);
	bool (*settings_close)(struct pmu_cpu *cpu, const struct pmu_session *session);

	/* Of the registers that settings are written to, those that the threads of a core share; NULL: each thread has
	 * all of its own. Its `reset` has pmu_core_registers_reset reset them. */
	const struct pmu_core_registers *core_registers;

	/* What the hardware has recorded for a sample of this counter, which has just overflowed and is frozen: words
	 * in the target's own layout (README.md in its folder), how many. NULL: nothing. */
	unsigned (*payload)(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS]);

	/* Whether a request's overflows raise no interrupt: they are found when somebody looks, pmu_poll at the latest,
	 * and that is done by itself each `poll_clocks`, in which no counter can overflow twice. NULL: all raise
	 * one. */
	bool (*polled)(const struct event_request *request);
	uint64_t poll_clocks;

	/* With polled: pmu_poll_counters and pmu_poll. Without: NULL, and an image lacks their code. */
	void (*poll_counters)(struct pmu_cpu *cpu);
	void (*poll)(void);

	/* Divides the counters with other software: from now on those not in `counters` are never used, and nothing of
	 * theirs is written, by reset neither. NULL: done; else why they cannot be divided like that. A driver without
	 * this has all counters for itself. */
	const char *(*claim)(uint64_t counters);

	/* Why no counter can count a request, where something in it is wrong; NULL: nothing is, or nothing is known. */
	const char *(*objection)(const struct event_request *request);

	/* Gives this CPU memory for the processor's own records. NULL: done; else why it cannot be used, and nothing
	 * has changed. A driver without this has no precise events. */
	const char *(*buffer)(uint64_t address, uint64_t size);

	/* The status bits that say that the records want to be taken, and what takes them: one sample for each that
	 * belongs to an open counter of this CPU; with `throttle`, those counters go on as ones that only count. The
	 * counters are frozen. */
	uint64_t records;
	bool (*take_records)(struct pmu_cpu *cpu, unsigned level, uint64_t now, bool throttle);

	/* Lets recording go on that the hardware stops with an overflow interrupt: called behind it where open sessions
	 * have settings. NULL: nothing is stopped. */
	void (*resume)(void);

	/* The address of a sample, with its payload, that says most, and what is there: the sampled instruction only
	 * where it is certain. NULL: pmu_locate. */
	struct pmu_location (*locate)(const struct event_request *request, uint64_t ip, const uint64_t *words,
				      unsigned count);

	/* The status bit that says that the PMU which the cores of a package share has signalled; whether it may
	 * interrupt this CPU. 0 and NULL: no package has one, or it never signals. */
	uint64_t shared;
	bool (*listen)(bool on);

	/* Of the PMU that they share: the driver of the cores, which its interrupts come through. Else NULL. */
	const struct pmu_driver *cores;

	/* Takes what is recorded out of its registers, and puts it back, for a context; values that are all 0: nothing
	 * has been recorded. NULL: the registers `recorded` are read and written as they are. */
	bool (*recorded_save)(uint64_t values[PMU_RECORDED]);
	bool (*recorded_restore)(const uint64_t values[PMU_RECORDED]);

	/* What a payload of a request's event says: how many parts. Touches no register. NULL: there are none. */
	unsigned (*explain_payload)(const struct event_request *request, const uint64_t *words, unsigned count,
				    struct payload_part parts[PAYLOAD_PARTS]);

	/* Chooses whom the sessions that are opened from now on monitor, and makes the calling process monitored. An
	 * operating system gives the others the status bits *status says. NULL: there is no such choice. */
	bool (*scope)(enum pmu_scope scope, enum pmu_reach reach, struct pmu_scope_status *status);

	/* The address of a counter's register, for pmu_counter.address, or whatever read and write know it by where
	 * counters share a register; of the register that gets its select. */
	uint32_t (*address)(unsigned counter);
	uint32_t (*control)(unsigned counter);

	/* Programs counters with their select and start values; they do not count before `enable`. */
	bool (*program)(const struct pmu_counter *counters, unsigned count);

	/* With `records`: `program` where precise events are open. Tells the processor what those counters are set back
	 * to that do not count yet, too; what they have waited to record is given up. */
	bool (*program_precise)(const struct pmu_counter *counters, unsigned count);

	/* Takes what `program` did back. */
	bool (*release)(const struct pmu_counter *counters, unsigned count);

	/* Exactly these counters count from now on. Ends a freeze. */
	bool (*enable)(uint64_t counters);

	/* For counters with a control register each. Programs a session's counters and lets them count, one after the
	 * other; nothing counts before. NULL: `program`, then `enable`. */
	bool (*launch)(const struct pmu_session *session);

	/* Likewise: stops a session's counters, beside which nothing counts, and takes over their values (pmu_collect,
	 * session.h), one after the other. Returns the first one that has not been taken over: it has overflowed
	 * or an access has faulted; NULL: all have. If this is NULL: `enable`, `overflow_status`, `read`. */
	struct pmu_counter *(*collect)(struct pmu_session *session);

	/* The counters that count now, if all of them stand still by themselves while the overflow interrupt is served;
	 * else 0. NULL: they do only if the hardware freezes them (PMU_FEATURE_FREEZE). */
	uint64_t (*still)(void);

	/* Nothing overflows behind enable(0), which the overflow interrupt begins with: it looks at the status only
	 * once. Not with the hardware's freeze, or where stopping a counter can make it overflow. */
	bool stops_at_once;

	/* Stops all counting and says what to `thaw` with. */
	bool (*freeze)(uint64_t *state);
	bool (*thaw)(uint64_t state);

	/* A counter's register, by its address. */
	bool (*read)(uint32_t address, uint64_t *value);
	uint64_t (*read_next)(uint32_t address, uint64_t *fault);	/* may be NULL; like reg_read_next */
	bool (*write)(uint32_t address, uint64_t value);

	/* Which counters have overflowed (and what else the status says); clears exactly what is given. A precise
	 * counter's bit is the hardware's until its record is written: the core neither serves nor clears it. */
	bool (*overflow_status)(uint64_t *overflowed);
	bool (*overflow_clear)(uint64_t overflowed);

	/* Clears the bit of one that counts, but stands still now, and reads it; by its address. NULL: all bits are
	 * cleared at once. */
	bool (*overflow_take)(uint32_t address, uint64_t *value);

	/* What must be fast, compiled with this driver: the overflow interrupt's handler (pmu_overflow, overflow.h),
	 * start and stop (pmu_session_start and pmu_session_stop, session.h). */
	void (*overflow_interrupt)(uint64_t ip, unsigned level);
	enum pmu_error (*start)(struct pmu_session *session);
	enum pmu_error (*stop)(struct pmu_session *session);
};

/* Registers that the threads of a core share: while one of them has an open session that needs a register set, no other
 * one's session can need it otherwise, and nobody resets it. */
struct pmu_core_registers {
	const struct pmu_core_register {
		uint32_t address;
		const char *name;	/* the manual's */
	} *list;
	unsigned count;			/* PMU_CORE_REGISTERS at most (cpu.h) */

	/* pmu_core_registers_take and _give_back (cpu.h): by this an image has their code where it needs it. */
	bool (*take)(const struct pmu_core_registers *registers, const struct pmu_setting *setting, uint32_t *cpus);
	bool (*give_back)(const struct pmu_core_registers *registers, const struct pmu_setting *setting);
};

/* The drivers linked into this program, ended by NULL (made from pmu/targets.tab), the one of a name, the one with a
 * table, and the one whose table has an event. NULL: there is none. */
extern const struct pmu_driver *const pmu_drivers[];
const struct pmu_driver *pmu_driver_find(const char *name);
const struct pmu_driver *pmu_driver_with(const struct pmu_event_table *table);
const struct pmu_driver *pmu_driver_of(const struct pmu_event *event);

/* Whether a word, `length` characters, is one of the names of a driver's PMU. */
bool pmu_driver_is(const struct pmu_driver *driver, const char *word, size_t length);

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

/*
 * This CPU's PMU
 */

/* Why events do not fit. `events`: bits of the indices of the requests that compete, 0 if they are a context's;
 * `counters`: the counters they compete for; `taken`: those of them that other sessions have. */
struct pmu_refusal {
	uint64_t events, counters, taken;
	uint32_t address;	/* PMU_SETTINGS: the register */
	uint32_t cpus;		/* and the CPUs, as bits, that have it set otherwise and share it; 0: this one has */
};

/* Assigns a counter to each request, no two the same: out[i] for request i. `free`: counters that may be used. A
 * fixed counter is preferred. If not all fit, as many as possible are assigned in turn until one fails; *refusal
 * then names a set of requests that together have too few counters. */
enum pmu_error pmu_allocate(const struct pmu_driver *driver, const struct event_request *requests, unsigned count,
			    uint64_t free, uint8_t *out, struct pmu_refusal *refusal);

/* What the overflow interrupt did on a CPU. */
struct pmu_statistics {
	uint64_t interrupts;
	uint64_t spurious;	/* found no overflow */
	uint64_t overflows;	/* served */
	uint64_t unclaimed;	/* status bits that no session's counter has */
	uint64_t dropped;	/* samples for which the ring had no room */
	uint64_t throttles;	/* counters whose samples were stopped */
	uint64_t faults;	/* register accesses that faulted */
	uint64_t ambiguous;	/* records of the processor's that belong to no counter, or to several: dropped */
	uint64_t bus_locks;	/* issued to empty queues */
	uint64_t doubtful;	/* looks at counters that overflow without an interrupt, which may have overflowed more
				 * than once since the last: their counts may be wrong */
	uint64_t clocks_least, clocks_most;	/* in one interrupt, from first to last instruction of the handler */
	uint64_t storm_clocks, storm_handler_clocks;	/* until the first storm was seen: all, the handler's */
	/* Events that a counter has counted from its overflow until it was frozen: how late overflows are served.
	 * Where a counter counts other threads' events, these are among them; where the hardware freezes, it is 0. */
	uint64_t skid_least, skid_most;
	uint64_t polled;	/* of the overflows, those that were found by looking: their samples came late */
};

/* Counters of this session are the caller's, together with the memory, from open to close. */
struct pmu_session {
	const struct pmu_driver *driver;	/* NULL: not open */
	uint32_t number;
	unsigned count;
	bool running;
	uint64_t counters;			/* numbers, as bits */
	struct pmu_counter counter[PMU_SESSION_EVENTS];
	struct pmu_session *next;		/* open session of this CPU */
	unsigned setting_count;
	struct pmu_setting setting[PMU_SESSION_SETTINGS];
};

/* Brings this CPU's PMU up with a driver: resets it and attaches the overflow interrupt, as vector or NMI. */
enum pmu_error pmu_begin(const struct pmu_driver *driver, bool non_maskable);

/* The driver that calls are about which name no session: of pmu_begin's last call on this CPU; NULL before. */
const struct pmu_driver *pmu_current_driver(void);

/* Before pmu_begin: the counters of a driver's PMU that are ours; the others belong to other software. NULL: done; else
 * why not, and nothing has changed. At first those are ours that the driver's README.md says. */
const char *pmu_claim(const struct pmu_driver *driver, uint64_t counters);

/* Serves the counters of this CPU's PMU, and of the package's, that overflow without an interrupt (pmu_counter.polled).
 * Only in a program with a driver that has such counters. */
void pmu_poll(void);

/* The core's: has pmu_poll's work done by itself on this CPU, as long as any open counter of its PMU, or of the
 * package's, needs it. */
void pmu_poll_counters(struct pmu_cpu *unit);

/* Has those calls be about another driver's PMU that this CPU has begun with: its own, or the package's. */
void pmu_select(const struct pmu_driver *driver);

/* Gives this CPU memory for the records of precise events. NULL: done; else why not. It stays the PMU's until the next
 * call or pmu_begin. */
const char *pmu_give_buffer(uint64_t address, uint64_t size);

/* Reserves a counter for each request. On failure nothing is reserved. */
enum pmu_error pmu_open(struct pmu_session *session, const struct event_request *requests, unsigned count,
			struct pmu_refusal *refusal);

static inline enum pmu_error pmu_start(struct pmu_session *session)
{
	return session->driver ? session->driver->start(session) : PMU_CLOSED;
}

static inline enum pmu_error pmu_stop(struct pmu_session *session)
{
	return session->driver ? session->driver->stop(session) : PMU_CLOSED;
}

enum pmu_error pmu_close(struct pmu_session *session);

/* The count of one of a session's events since open, whether it counts now or not. That of a precise event is its
 * records times its period and what its counter has counted since the last one: it leaves out what happens between an
 * overflow and the record, and the period of a record that was ambiguous (pmu_statistics). */
enum pmu_error pmu_read(struct pmu_session *session, unsigned event, uint64_t *count);

/* Takes a sample, and its payload: sample->source.words of them. */
typedef void pmu_take_function(const struct pmu_sample *sample, const uint64_t *payload);

/* Until the next pmu_begin on this CPU, a sample that finds its ring full has the oldest one taken out, which `take`
 * gets: in the overflow interrupt, while counters stand still. So none is lost. `take` is trap code: it uses general
 * registers only, is short, and calls nothing of the core's. NULL, as at first: the new sample is dropped. */
void pmu_drain(pmu_take_function *take);

/* Takes the oldest sample out of this CPU's ring, with its payload, unless that is NULL. False: it is empty. */
bool pmu_take_sample_with_payload(struct pmu_sample *sample, uint64_t payload[PMU_PAYLOAD_WORDS]);

static inline bool pmu_take_sample(struct pmu_sample *sample)
{
	return pmu_take_sample_with_payload(sample, NULL);
}

void pmu_statistics(struct pmu_statistics *statistics);

/* When `interrupts` have come on this CPU in less than six times what their handler has taken (clocks_least,
 * clocks_most; six times for each thread that shares the clock), or in less than `clocks` (hal_clock units), the next
 * one's counters are throttled, the package's as well. At first 2000 and 0. */
void pmu_limit_interrupts(uint32_t interrupts, uint64_t clocks);

/* So many threads of the core take samples at the same time: it is them who share the clock. 0, as after pmu_begin: all
 * that the driver has. */
void pmu_share_clock(unsigned threads);

/*
 * Contexts: what a CPU measures, put aside for a while
 */

struct pmu_context {
	const struct pmu_driver *driver;
	struct pmu_session *open;
	uint64_t enabled;		/* counters that counted */
	uint64_t ip;
	unsigned level;
	uint64_t recorded[PMU_RECORDED];
	struct pmu_refusal refusal;	/* why it could not come back: PMU_SETTINGS */
};

/* Puts all open sessions of this CPU aside. Its PMU is then as pmu_begin left it: free for others, without a trace of
 * what was counted. `ip` and `level`: where the context will go on; samples that are due belong there. */
enum pmu_error pmu_context_save(struct pmu_context *context, uint64_t ip, unsigned level);

/* Brings them back, on any CPU with the same driver that has no open session; else PMU_CONFLICT. With precise events it
 * must have a buffer, too; else PMU_NO_BUFFER. Where another thread of the core needs a register otherwise that they
 * share: PMU_SETTINGS, and context->refusal says which. An overflow that was pending at the save is served now. What
 * was counted in between is not theirs, and nothing of theirs is lost. */
enum pmu_error pmu_context_restore(struct pmu_context *context);

/*
 * For people
 */

/* Writes why `error` happened into `text`: the request's or session's events by name, the counters. */
void pmu_explain(const struct pmu_driver *driver, enum pmu_error error, const struct pmu_refusal *refusal,
		 const struct event_request *requests, char *text, size_t size);

/* Where a sample is to be shown: what the driver's locate says of it, else `ip`, where the program was interrupted. */
struct pmu_location pmu_locate(const struct pmu_driver *driver, const struct event_request *request, uint64_t ip,
			       const uint64_t *words, unsigned count);

/* A place in a sentence: "the sampled instruction"; in a word: "sampled". */
const char *pmu_place_text(enum pmu_place place);
const char *pmu_place_word(enum pmu_place place);

/* The name nearest to a wrong one (`length` characters) in a table of events or metrics, or of anything else that
 * begins with its name (at most EVENT_NAME_MAX characters): `count` entries of `size` bytes. NULL: none is like it. */
const char *pmu_nearest_name(const void *entries, size_t count, size_t size, const char *name, size_t length);

/* Writes what is wrong with an event's text, at `where`, and the names nearest to it. */
void event_explain(const struct pmu_event_table *table, enum event_error error, const char *where, char *text,
		   size_t size);

#endif
