/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU core's interface for callers: sessions with 64-bit counts, samples, contexts, statistics
 * of the overflow interrupt. Drivers implement pmu_driver.h. */
#ifndef PMU_H
#define PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

enum pmu_error {
	PMU_OK,
	PMU_FAULT,		/* a register access faulted */
	PMU_UNFIT,		/* no counter can count the event as requested */
	PMU_CONFLICT,		/* the events need more counters than are free */
	PMU_TOO_MANY,		/* more than PMU_SESSION_EVENTS events */
	PMU_BAD_PERIOD,		/* a period below arm_least, or of 2^63 or more; ticks out of
				 * range */
	PMU_STARTED,		/* the session is counting already */
	PMU_STOPPED,		/* the session is not counting */
	PMU_CLOSED,		/* the session is not open */
	PMU_SETTINGS,		/* two events need different values in one register */
	PMU_NO_BUFFER,		/* a precise event, but no buffer for its records
				 * (pmu_give_buffer) */
	PMU_TIMER,		/* a counter needs the timer that takes samples by time, or ends
				 * slices */
};

struct pmu_driver;		/* pmu_driver.h */

/*
 * Lookup of drivers
 */

/* The drivers linked into this program; the last entry is NULL (made from pmu/targets.tab). */
extern const struct pmu_driver *const pmu_drivers[];

/* Detects a driver's PMU, and stores its geometry. Call before pmu_begin, on one CPU. Returns NULL,
 * or the reason why the driver cannot drive this processor; then nothing has changed. */
const char *pmu_probe(const struct pmu_driver *driver);

/* Find a driver by its name, by its event table, by an event of its table. NULL: there is none. */
const struct pmu_driver *pmu_driver_find(const char *name);
const struct pmu_driver *pmu_driver_with(const struct pmu_event_table *table);
const struct pmu_driver *pmu_driver_of(const struct pmu_event *event);

/* Returns whether a word of `length` characters is a name of the driver's PMU. */
bool pmu_driver_is(const struct pmu_driver *driver, const char *word, size_t length);

/*
 * Sessions and their samples
 */

/* Counter numbers are 0 to PMU_COUNTER_NUMBERS - 1: the counter's bit in the overflow status. */
#define PMU_COUNTER_NUMBERS	64
#define PMU_SESSION_EVENTS	16	/* events per session, at most */
#define PMU_EVENT_SETTINGS	24	/* settings per event, at most */
#define PMU_SESSION_SETTINGS	48	/* settings per session, at most */

/* The source of a sample. */
struct pmu_sample_source {
	uint32_t session;	/* number of the session */
	uint8_t event;		/* index of the event in the session */
	uint8_t counter;	/* counter number */
	uint8_t level;		/* interrupted privilege level */
	uint8_t words;		/* length of the payload, in words */
};

/* One sample. */
struct pmu_sample {
	uint64_t ip;		/* address of the interrupted instruction */
	uint64_t clock;		/* hal_clock when the sample was taken */
	uint64_t count;		/* the counter's count at the sample, in events */
	struct pmu_sample_source source;
};

/* The meaning of a sample's location. */
enum pmu_place {
	PMU_PLACE_INTERRUPTED,	/* the interrupted address; the sampled instruction is not
				 * certain */
	PMU_PLACE_NEXT,		/* the instruction that executes next after the sampled one */
	PMU_PLACE_SAMPLED,	/* the sampled instruction: its first byte, or another of its
				 * bytes */
	PMU_PLACE_LINE,		/* the fetched line of instructions */
	PMU_PLACES
};

struct pmu_location {
	uint64_t address;
	enum pmu_place place;
};

/* A part of a register that must hold a value while an event is measured: a range, an opcode, a
 * filter. Events that need different values in the same bits cannot be measured together.
 * Settings that share bits have equal masks. */
struct pmu_setting {
	uint32_t address;	/* of the register */
	uint64_t mask;		/* bits of the register */
	uint64_t value;		/* required value of the bits in `mask`; other bits are 0 */
	uint64_t idle;		/* value of the bits in `mask` while no session needs them */
};

/* Words of a sample's payload, at most. */
#define PMU_PAYLOAD_WORDS	65

/* Words of the hardware's records in a context, at most. */
#define PMU_RECORDED	96

/* A counter in use. Core and driver share it. */
struct pmu_counter {
	uint64_t select;	/* control register value, from the driver's `encode` */
	uint64_t wrap;		/* count at which the register overflows: count = wrap - 2^width +
				 * register */
	uint64_t start;		/* register value of a stopped counter, from which it starts
				 * again */
	uint64_t due;		/* count at which the next sample is taken; UINT64_MAX: never */
	uint64_t period;	/* events per sample; 0: no samples */
	uint64_t spread;	/* random periods: each is from period - spread to period + spread;
				 * 0: constant */
	uint64_t reload;	/* precise: the period that the processor starts with a record */
	uint64_t samples;	/* samples so far, dropped ones included */
	uint64_t slipped;	/* sum of the samples' delays, in events, where an interrupt was
				 * late by a period */
	uint32_t address;	/* count register's address, from the driver's `address` */
	uint32_t seed;		/* seed of the random periods */
	uint8_t number;
	uint8_t jitter;		/* requested `spread`, in percent of the period */
	bool precise;		/* its samples are records that the processor writes */
	bool payload;		/* its samples carry payloads from the driver */
	bool throttled : 1;	/* its samples were stopped because interrupts came too often */
	bool polled : 1;	/* its overflow raises no interrupt */
	struct pmu_sample_source source;
};

/* A session. The caller owns the memory. The session owns its counters from open to close. */
struct pmu_session {
	const struct pmu_driver *driver;	/* NULL: not open */
	uint32_t number;			/* different for each session of this CPU */
	unsigned count;				/* length of `counter` */
	bool running;
	uint64_t counters;			/* bit mask of counter numbers */
	struct pmu_counter counter[PMU_SESSION_EVENTS];
	struct pmu_session *next;		/* next open session of this PMU */
	unsigned setting_count;			/* length of `setting` */
	struct pmu_setting setting[PMU_SESSION_SETTINGS];
};

/* Statistics of the overflow interrupt on a CPU, since pmu_begin. */
struct pmu_statistics {
	uint64_t interrupts;
	uint64_t spurious;	/* interrupts without an overflow */
	uint64_t overflows;	/* overflows served */
	uint64_t unclaimed;	/* overflow status bits that belong to no session's counter */
	uint64_t dropped;	/* samples lost because the ring was full */
	uint64_t throttles;	/* counters whose samples were stopped because interrupts came too
				 * often */
	uint64_t faults;	/* register accesses that faulted */
	uint64_t ambiguous;	/* records of the processor that name no counter, or several; they
				 * were dropped */
	uint64_t bus_locks;	/* bus locks issued to empty the package's queues */
	uint64_t doubtful;	/* polls that may have come too late to see each overflow: counts
				 * may be wrong */
	/* Time in one interrupt, from the handler's first to its last instruction, in hal_clock
	 * units. */
	uint64_t clocks_least, clocks_most;
	/* Before the first storm was detected: elapsed time, time in the handler; hal_clock
	 * units. */
	uint64_t storm_clocks, storm_handler_clocks;
	/* Events counted from an overflow until the counter is frozen: the delay of the service.
	 * Includes other threads' events if the counter counts them. 0 if the hardware freezes. */
	uint64_t skid_least, skid_most;
	uint64_t polled;	/* overflows found by polls: their samples were late */
};

/*
 * This CPU's PMU
 */

/* The reason for a refusal. */
struct pmu_refusal {
	/* Bit masks: indices of the competing requests (0: they belong to a context); the counters
	 * for which they compete; those of these counters that other sessions own. */
	uint64_t events, counters, taken;
	uint32_t address;	/* PMU_SETTINGS: the register */
	uint32_t cpus;		/* PMU_SETTINGS: bit mask of CPUs that share the register and need
				 * another value; 0: a session of this CPU does */
};

/* Starts this CPU's PMU with a driver: resets the PMU and attaches the overflow interrupt, as a
 * vector or as an NMI. */
enum pmu_error pmu_begin(const struct pmu_driver *driver, bool non_maskable);

/* Returns the driver for calls without a session: that of this CPU's last pmu_begin or pmu_select;
 * NULL before. */
const struct pmu_driver *pmu_current_driver(void);

/* Polls the counters of this CPU's PMU, and of the package's, that overflow without an interrupt
 * (pmu_counter.polled). Requires a driver with the group `poll`. */
void pmu_poll(void);

/* Selects the driver for calls without a session: this CPU's own or the package's. This CPU must
 * have begun with it. */
void pmu_select(const struct pmu_driver *driver);

/* Gives this CPU a buffer of `size` bytes for the records of precise events. The PMU uses it until
 * the next call or pmu_begin. Returns NULL, or why the buffer cannot be used. */
const char *pmu_give_buffer(uint64_t address, uint64_t size);

/* Reserves a counter for each request. On failure none is reserved. */
enum pmu_error pmu_open(struct pmu_session *session, const struct event_request *requests,
			unsigned count, struct pmu_refusal *refusal);

/* Start and stop a session's counters. */
enum pmu_error pmu_start(struct pmu_session *session);
enum pmu_error pmu_stop(struct pmu_session *session);

enum pmu_error pmu_close(struct pmu_session *session);

/* Reads the count of a session's event since open, running or stopped. The count of a precise event
 * is the sum of its records' periods plus its counter's count since the last record. It lacks
 * events between an overflow and the record, and the period of an ambiguous record
 * (pmu_statistics). */
enum pmu_error pmu_read(struct pmu_session *session, unsigned event, uint64_t *count);

/* Returns the sum of the periods of a counter's samples; and the rest of its count: events since
 * the last sample, and delays of samples. Both add up to the count. With random periods both
 * functions loop over all samples. */
uint64_t pmu_sampled(const struct pmu_counter *counter);
uint64_t pmu_not_sampled(const struct pmu_counter *counter, uint64_t count);

/* Returns the shortest and the longest period of a counter, in events. */
static inline uint64_t pmu_shortest_period(const struct pmu_counter *counter)
{
	return counter->period - counter->spread;
}

static inline uint64_t pmu_longest_period(const struct pmu_counter *counter)
{
	return counter->period + counter->spread;
}

/* Consumes a sample and its payload of sample->source.words words. */
typedef void pmu_take_function(const struct pmu_sample *sample, const uint64_t *payload);

/* Prevents lost samples, until the next pmu_begin on this CPU: when a sample finds its ring full,
 * the core removes the oldest sample and passes it to `take`. This happens in the overflow
 * interrupt, while counters stand still. `take` is trap code: it uses general registers only, is
 * short, and calls no function of the core. NULL, the default: the new sample is dropped. */
void pmu_drain(pmu_take_function *take);

#define PMU_CALLERS	64	/* callers per sample, at most */

/* Samples with callers, until the next pmu_begin on this CPU; replaces pmu_drain. Each overflow
 * interrupt first finds the callers of the interrupted code, at most `most` (1 to PMU_CALLERS), and
 * passes the samples of the previous interrupt to `take`. `function_start` returns the first
 * address of the function at an address, or 0. Both are trap code. If the hardware does not freeze
 * the counters, this code counts at level 0. */
void pmu_follow_calls(pmu_take_function *take, uint64_t (*function_start)(uint64_t address),
		      unsigned most);

/* For `take`: returns the privilege level that the current interrupt interrupted. */
unsigned pmu_interrupted_level(void);

/* For `take`: returns the number of the sample's callers, and their call addresses, innermost
 * first. Also returns 0 for a sample whose address is not the interrupted one. */
unsigned pmu_callers(const struct pmu_sample *sample, const uint64_t **callers);

/* Removes the oldest sample from this CPU's ring, with its payload unless `payload` is NULL. False:
 * the ring is empty. */
bool pmu_take_sample_with_payload(struct pmu_sample *sample, uint64_t payload[PMU_PAYLOAD_WORDS]);

static inline bool pmu_take_sample(struct pmu_sample *sample)
{
	return pmu_take_sample_with_payload(sample, NULL);
}

#define PMU_TICKS_LEAST	1000u	/* shortest interval between samples by time */

/* Samples by time, until the next pmu_begin on this CPU: every `ticks` of the timer (hal_poll), an
 * interrupt stores a sample of each event without a period of this CPU's running sessions, with its
 * count so far. `ticks` is from PMU_TICKS_LEAST to UINT32_MAX; 0: no more samples. An interval's
 * events are those between two samples, so that intervals and the events after the last sample add
 * up to the count. The counters stand still in the interrupt, and the next interval begins after
 * it. If polls need a shorter interval, samples have that one. Events of the PMU that cores share
 * are only counted. PMU_TIMER: an open session counts by that timer (pmu_driver.timer). */
enum pmu_error pmu_sample_by_time(uint64_t ticks);

void pmu_statistics(struct pmu_statistics *statistics);

/* Sets the bounds of the storm check. If this CPU takes `interrupts` interrupts in less than six
 * times their handler's time (times the number of threads that share the clock), or in less than
 * `clocks` (hal_clock units), the counters of the next interrupt are throttled; so are the
 * package's. Default: 2000 and 0. */
void pmu_limit_interrupts(uint32_t interrupts, uint64_t clocks);

/* Sets how many threads of the core take samples at the same time and so share the clock. 0, the
 * default after pmu_begin: all threads that the driver states. */
void pmu_share_clock(unsigned threads);

/*
 * Scopes: the processes that sessions monitor (Itanium manual, 6.1.3.2)
 */

/* The processes that a session monitors. */
enum pmu_scope {
	PMU_SCOPE_PROCESS,		/* one process */
	PMU_SCOPE_PROCESSES,		/* several processes */
	PMU_SCOPE_SYSTEM,		/* all processes */
};

/* The privilege levels and handlers that a session monitors. */
enum pmu_privilege {
	PMU_PRIVILEGE_USER,		/* the lowest privilege level */
	PMU_PRIVILEGE_KERNEL,		/* also the highest privilege level */
	PMU_PRIVILEGE_INTERRUPTIONS,	/* also interruption handlers */
};

/* A process, as a scope sees it. */
enum pmu_process {
	PMU_PROCESS_OWN,		/* the one process that the session monitors */
	PMU_PROCESS_CHOSEN,		/* another one, of the several that it monitors */
	PMU_PROCESS_OTHER,		/* monitored with all processes only */
};

/* Bits of the processor status register that a scope needs: the affected bits; their values in
 * monitored processes; their values in all other processes. */
struct pmu_scope_status {
	uint64_t mask, monitored, others;
};

/* Sets the scope of the sessions that are opened from now on until pmu_begin, and monitors the
 * calling process. Stores in *status the bits that an operating system sets when it switches to a
 * monitored process or to another one. PMU_UNFIT: this PMU monitors all processes, always.
 * PMU_CONFLICT: a session is open. */
enum pmu_error pmu_choose_scope(enum pmu_scope scope, enum pmu_privilege privilege,
				struct pmu_scope_status *status);

/* Sets this CPU's processor status for the process that runs next; an operating system sets the
 * status that it saved for the process instead. False: no scope is chosen, or a register access
 * faulted. */
bool pmu_switch_process(enum pmu_process process);

/*
 * Contexts: the sessions of a CPU, put aside for a while
 */

struct pmu_context {
	const struct pmu_driver *driver;
	struct pmu_session *open;	/* list of the sessions */
	uint64_t enabled;		/* bit mask: counters that were counting */
	uint64_t ip;			/* address at which the context will continue */
	unsigned level;			/* privilege level at which it will continue */
	uint64_t recorded[PMU_RECORDED];	/* the hardware's records */
	struct pmu_refusal refusal;	/* why the restore failed: PMU_SETTINGS */
};

/* Puts all open sessions of this CPU aside. The PMU is then as after pmu_begin: free for other
 * users, without traces of the counts. `ip` and `level`: address and privilege level at which the
 * context will continue; pending samples get these. */
enum pmu_error pmu_context_save(struct pmu_context *context, uint64_t ip, unsigned level);

/* Restores the sessions, on any CPU with the same driver. Errors: PMU_CONFLICT, the CPU has an open
 * session; PMU_NO_BUFFER, there are precise events and no buffer; PMU_SETTINGS, another thread of
 * the core needs another value in a shared register (context->refusal names it). Serves overflows
 * that were pending at the save. Counts include no events between save and restore, and lose none
 * of the context's own. */
enum pmu_error pmu_context_restore(struct pmu_context *context);

/*
 * Multiplexing: groups of sessions take turns on this CPU's counters, so that one run counts more
 * events than there are counters. A turn is a slice of time; the timer's interrupt ends it with a
 * context switch. Counts of a group are exact for its slices; pmu_scale estimates the whole.
 */

/* A group: sessions that count at the same time. The caller owns the memory. */
struct pmu_group {
	struct pmu_context context;	/* the sessions, except in the group's slices */
	uint64_t clocks;		/* time in which they counted, in hal_clock units */
	uint64_t slices;		/* number of slices in which they counted */
	uint64_t missed;		/* number of slices in which they could not, because another
					 * thread of the core needed another value in a shared
					 * register */
};

/* Groups that take turns. The caller owns the memory, sets the first two members, and clears the
 * others. */
struct pmu_multiplex {
	struct pmu_group *group;
	unsigned count;			/* length of `group`: 1 or more */
	unsigned present;		/* index of the group whose slice it is */
	enum pmu_error error;		/* of a context switch in an interrupt: it ends the turns */
	uint64_t since;			/* hal_clock at the beginning of the slice */
};

/* Makes the open sessions of this CPU's own PMU a group, and puts them aside: the counters are free
 * for the next group. Samples of an event with a period are those of its slices; an overflow whose
 * interrupt waits at the end of a slice is served in the next one, and after the last slice only
 * counted. PMU_CLOSED: no session is open. PMU_STARTED: one is counting. PMU_TIMER: one counts by
 * the timer. */
enum pmu_error pmu_group_make(struct pmu_group *group);

/* Begins the first group's slice. Every `ticks` of the timer (as of pmu_sample_by_time) the next
 * group takes its turn, until pmu_multiplex_stop; pmu_begin ends it, too. If polls or samples by
 * time need a shorter interval, slices have that one. Meanwhile only the package's PMU may have
 * further sessions. PMU_STARTED: this CPU multiplexes already. PMU_CONFLICT: a session is open. */
enum pmu_error pmu_multiplex_start(struct pmu_multiplex *multiplex, uint64_t ticks);

/* Ends the last slice. pmu_read then returns the counts of each group's sessions. Returns the first
 * error since the start; PMU_STOPPED: this CPU does not multiplex. */
enum pmu_error pmu_multiplex_stop(struct pmu_multiplex *multiplex);

/* Closes the sessions of a group that does not take turns. */
enum pmu_error pmu_group_close(struct pmu_group *group);

/* Returns the time in which any of the groups counted, in hal_clock units: without the time of the
 * switches. */
uint64_t pmu_multiplex_clocks(const struct pmu_multiplex *multiplex);

/* Stores the estimate count * whole / part, rounded to nearest, at most UINT64_MAX, of a count in
 * `part` of `whole` clocks. False: `part` is 0, so that there is no estimate. */
bool pmu_scale(uint64_t count, uint64_t part, uint64_t whole, uint64_t *scaled);

/*
 * Texts for people
 */

/* Writes `error` in words to `text`, with the names of the events and the counters. */
void pmu_explain(const struct pmu_driver *driver, enum pmu_error error,
		 const struct pmu_refusal *refusal,
		 const struct event_request *requests, char *text, size_t size);

/* Returns the location of a sample: from the driver's `locate`, else `ip`, the interrupted
 * address. */
struct pmu_location pmu_locate(const struct pmu_driver *driver, const struct event_request *request,
			       uint64_t ip, const uint64_t *words, unsigned count);

/* Returns a place as a phrase ("the sampled instruction"), or as a word ("sampled"). */
const char *pmu_place_text(enum pmu_place place);
const char *pmu_place_word(enum pmu_place place);

/* Returns the name nearest to a misspelled one of `length` characters, from a table of `count`
 * entries of `size` bytes. Each entry begins with a pointer to its name of at most EVENT_NAME_MAX
 * characters. NULL: none is similar. */
const char *pmu_nearest_name(const void *entries, size_t count, size_t size, const char *name,
			     size_t length);

/* Describes the error at `where` in an event's text, with the nearest names. */
void event_explain(const struct pmu_event_table *table, enum event_error error, const char *where,
		   char *text, size_t size);

#endif
