/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU core, for its callers: sessions with 64-bit counts, samples, contexts, statistics of the overflow interrupt.
 * pmu_driver.h has the interface of drivers. */
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
	PMU_CONFLICT,		/* the events need more counters of a kind than are free */
	PMU_TOO_MANY,		/* too many events for a session */
	PMU_BAD_PERIOD,		/* a period below the least, or of 2^63 or more */
	PMU_STARTED,		/* the session counts already */
	PMU_STOPPED,		/* the session does not count */
	PMU_CLOSED,		/* the session is not open */
	PMU_SETTINGS,		/* events that need different values in one register */
	PMU_NO_BUFFER,		/* a precise event, and no buffer for its records (pmu_give_buffer) */
};

struct pmu_driver;		/* pmu_driver.h */

/*
 * Drivers, as callers name them
 */

/* The drivers linked into this program, ended by NULL (made from pmu/targets.tab); finds one by name, by its table, and
 * by an event of its table, or returns NULL. */
extern const struct pmu_driver *const pmu_drivers[];
const struct pmu_driver *pmu_driver_find(const char *name);
const struct pmu_driver *pmu_driver_with(const struct pmu_event_table *table);
const struct pmu_driver *pmu_driver_of(const struct pmu_event *event);

/* Whether a word, `length` characters, is one of the names of a driver's PMU. */
bool pmu_driver_is(const struct pmu_driver *driver, const char *word, size_t length);

/*
 * Sessions and their samples
 */

/* A counter's number is its bit in the target's overflow status. */
#define PMU_COUNTER_NUMBERS	64
#define PMU_SESSION_EVENTS	16	/* most events of a session */
#define PMU_EVENT_SETTINGS	24	/* most settings of an event */
#define PMU_SESSION_SETTINGS	48	/* most settings of a session */

/* The source of a sample. */
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

/* The meaning of a sample's address. */
enum pmu_place {
	PMU_PLACE_INTERRUPTED,	/* where the program was interrupted; the sampled instruction is not certain */
	PMU_PLACE_NEXT,		/* the instruction that executes after the sampled one */
	PMU_PLACE_SAMPLED,	/* the sampled instruction: its first byte or another one of it */
	PMU_PLACE_LINE,		/* the line of instructions that was fetched */
	PMU_PLACES
};

struct pmu_location {
	uint64_t address;
	enum pmu_place place;
};

/* A part of a register that must have a value while an event is measured: a range, an opcode, a filter. Events that
 * need different values in the same bits cannot be measured together. Settings that share bits have equal masks. */
struct pmu_setting {
	uint32_t address;
	uint64_t mask;		/* the bits */
	uint64_t value;		/* required value of these bits; other bits are 0 */
	uint64_t idle;		/* their value while no session needs them */
};

/* Most words that a driver adds to a sample. */
#define PMU_PAYLOAD_WORDS	64

/* Most words of the hardware's records in a context. */
#define PMU_RECORDED	32

/* A counter in use, as core and driver share it. */
struct pmu_counter {
	uint64_t select;	/* the request's control value, from the driver's encode */
	uint64_t wrap;		/* the count at which the register overflows: count = wrap - 2^width + the register */
	uint64_t start;		/* the register's value while stopped, from which it starts */
	uint64_t due;		/* count at which the next sample is taken; UINT64_MAX: never */
	uint64_t period;	/* 0: no samples */
	uint64_t spread;	/* each period is random, from period - spread to period + spread */
	uint64_t reload;	/* precise: the period that the processor starts with a record */
	uint64_t samples;	/* taken, dropped ones included */
	uint64_t slipped;	/* sum of the samples' delays, in events, because interrupts were late by a period */
	uint32_t address;	/* of the counter's register, as the driver defines it */
	uint32_t seed;		/* of its random periods */
	uint8_t number;
	uint8_t jitter;		/* requested `spread`, percent of the period */
	bool precise;		/* its samples are records of the processor */
	bool payload;		/* its samples have payloads of the driver */
	bool throttled : 1;	/* its samples were stopped, because there were too many */
	bool polled : 1;	/* its overflow raises no interrupt */
	struct pmu_sample_source source;
};

/* A session. The caller owns the memory, and from open to close the counters. */
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

/* Statistics of the overflow interrupt on a CPU. */
struct pmu_statistics {
	uint64_t interrupts;
	uint64_t spurious;	/* interrupts without an overflow */
	uint64_t overflows;	/* served */
	uint64_t unclaimed;	/* status bits of no session's counter */
	uint64_t dropped;	/* samples for which the ring had no space */
	uint64_t throttles;	/* counters whose samples were stopped */
	uint64_t faults;	/* register accesses that faulted */
	uint64_t ambiguous;	/* dropped records of the processor that belong to no counter, or to several */
	uint64_t bus_locks;	/* issued to empty queues */
	uint64_t doubtful;	/* polls of counters without an interrupt that may have overflowed more than once since
				 * the last poll: their counts may be wrong */
	uint64_t clocks_least, clocks_most;	/* in one interrupt, from first to last instruction of the handler */
	uint64_t storm_clocks, storm_handler_clocks;	/* before the first storm was detected: all, the handler's */
	/* Events that a counter counts from its overflow until it is frozen: the delay of service. Other threads'
	 * events are included if the counter counts them; 0 if the hardware freezes. */
	uint64_t skid_least, skid_most;
	uint64_t polled;	/* overflows found by polls: their samples were late */
};

/*
 * This CPU's PMU
 */

/* Why events do not fit. `events`: bit mask of the indices of the competing requests, 0 if they belong to a context;
 * `counters`: the counters for which they compete; `taken`: those of them that other sessions have. */
struct pmu_refusal {
	uint64_t events, counters, taken;
	uint32_t address;	/* PMU_SETTINGS: the register */
	uint32_t cpus;		/* and the CPUs, as bits, that share it and need another value; 0: this CPU does */
};

/* Starts this CPU's PMU with a driver: resets it and attaches the overflow interrupt, as vector or NMI. */
enum pmu_error pmu_begin(const struct pmu_driver *driver, bool non_maskable);

/* The driver for calls without a session: that of pmu_begin's last call on this CPU; NULL before. */
const struct pmu_driver *pmu_current_driver(void);

/* Before pmu_begin: sets the counters of a driver's PMU that are ours; the others belong to other software. Returns
 * NULL, or why that is not possible, with no change. The driver's README.md has the default. */
const char *pmu_claim(const struct pmu_driver *driver, uint64_t counters);

/* Polls the counters of this CPU's PMU, and of the package's, that overflow without an interrupt (pmu_counter.polled).
 * Only in a program with a driver that has such counters. */
void pmu_poll(void);

/* Selects the driver for calls without a session, of PMUs with which this CPU has begun: its own, or the package's. */
void pmu_select(const struct pmu_driver *driver);

/* Gives this CPU memory for the records of precise events, which the PMU keeps until the next call or pmu_begin.
 * Returns NULL, or why it cannot be used. */
const char *pmu_give_buffer(uint64_t address, uint64_t size);

/* Reserves a counter for each request. On failure no counter is reserved. */
enum pmu_error pmu_open(struct pmu_session *session, const struct event_request *requests, unsigned count,
			struct pmu_refusal *refusal);
/* Starts and stops a session's counters. */
enum pmu_error pmu_start(struct pmu_session *session);
enum pmu_error pmu_stop(struct pmu_session *session);

enum pmu_error pmu_close(struct pmu_session *session);

/* The count of one of a session's events since open, running or not. The count of a precise event is the sum of its
 * records' periods plus its counter's count since the last record: it lacks events between an overflow and the record,
 * and the period of an ambiguous record (pmu_statistics). */
enum pmu_error pmu_read(struct pmu_session *session, unsigned event, uint64_t *count);

/* The sum of the periods of a counter's samples; and the rest of its count: the events since its last sample, and the
 * delays of samples. Both together are its count. With random periods both functions take a step for each sample. */
uint64_t pmu_sampled(const struct pmu_counter *counter);
uint64_t pmu_not_sampled(const struct pmu_counter *counter, uint64_t count);

/* The shortest and the longest period of a counter. */
static inline uint64_t pmu_shortest_period(const struct pmu_counter *counter)
{
	return counter->period - counter->spread;
}

static inline uint64_t pmu_longest_period(const struct pmu_counter *counter)
{
	return counter->period + counter->spread;
}

/* Takes a sample, and its payload of sample->source.words words. */
typedef void pmu_take_function(const struct pmu_sample *sample, const uint64_t *payload);

/* Until the next pmu_begin on this CPU, a sample that finds its ring full has the oldest one taken out, which `take`
 * gets: in the overflow interrupt, while counters stand still. So none is lost. `take` is trap code: it uses general
 * registers only, is short, and calls nothing of the core's. NULL, as at first: the new sample is dropped. */
void pmu_drain(pmu_take_function *take);

#define PMU_CALLERS	64	/* most callers of a sample */

/* Until the next pmu_begin on this CPU, instead of pmu_drain: each overflow interrupt first finds the callers of the
 * interrupted code, at most `most` (up to PMU_CALLERS), and passes the samples of the interrupt before it to `take`.
 * `function_start` returns the beginning of the function at an address, or 0. Both are trap code. If the hardware does
 * not freeze the counters, this code counts at level 0. */
void pmu_follow_calls(pmu_take_function *take, uint64_t (*function_start)(uint64_t address), unsigned most);

/* For `take`: the privilege level interrupted by the present interrupt. */
unsigned pmu_interrupted_level(void);

/* For `take`: the number of the sample's callers, and the addresses of their calls, the innermost first. 0, too, for a
 * sample whose address is not that of the interrupted code. */
unsigned pmu_callers(const struct pmu_sample *sample, const uint64_t **callers);

/* Takes the oldest sample out of this CPU's ring, with its payload, unless `payload` is NULL. False: the ring is empty.
 * */
bool pmu_take_sample_with_payload(struct pmu_sample *sample, uint64_t payload[PMU_PAYLOAD_WORDS]);

static inline bool pmu_take_sample(struct pmu_sample *sample)
{
	return pmu_take_sample_with_payload(sample, NULL);
}

void pmu_statistics(struct pmu_statistics *statistics);

/* If this CPU has `interrupts` in less than six times the clocks of their handler (for each thread that shares the
 * clock), or in less than `clocks` (hal_clock units), the next interrupt's counters are throttled, the package's as
 * well. At first 2000 and 0. */
void pmu_limit_interrupts(uint32_t interrupts, uint64_t clocks);

/* Sets how many threads of the core take samples at the same time, and so share the clock. 0, as after pmu_begin: all
 * that the driver has. */
void pmu_share_clock(unsigned threads);

/* Contexts: the sessions of a CPU, put aside for a while
 */

struct pmu_context {
	const struct pmu_driver *driver;
	struct pmu_session *open;
	uint64_t enabled;		/* counters that counted */
	uint64_t ip;
	unsigned level;
	uint64_t recorded[PMU_RECORDED];
	struct pmu_refusal refusal;	/* why it could not be restored: PMU_SETTINGS */
};

/* Puts all open sessions of this CPU aside. Its PMU is then as after pmu_begin: free for others, without remains of the
 * counts. `ip` and `level`: where the context will continue; due samples get these. */
enum pmu_error pmu_context_save(struct pmu_context *context, uint64_t ip, unsigned level);

/* Restores them, on any CPU with the same driver that has no open session; else PMU_CONFLICT. With precise events it
 * must have a buffer, too; else PMU_NO_BUFFER. PMU_SETTINGS: another thread of the core needs another value in a shared
 * register, which context->refusal names. An overflow that was pending at the save is served now. Counts include no
 * events in between, and lose none of their own. */
enum pmu_error pmu_context_restore(struct pmu_context *context);

/*
 * For people
 */

/* Explains `error` in `text`, with the names of the request's or session's events, and the counters. */
void pmu_explain(const struct pmu_driver *driver, enum pmu_error error, const struct pmu_refusal *refusal,
		 const struct event_request *requests, char *text, size_t size);

/* The location of a sample: from the driver's locate, else `ip`, where the program was interrupted. */
struct pmu_location pmu_locate(const struct pmu_driver *driver, const struct event_request *request, uint64_t ip,
			       const uint64_t *words, unsigned count);

/* A place in a sentence: "the sampled instruction"; in a word: "sampled". */
const char *pmu_place_text(enum pmu_place place);
const char *pmu_place_word(enum pmu_place place);

/* The name nearest to a wrong one (`length` characters) in a table of events or metrics, or of other structures that
 * begin with a name (at most EVENT_NAME_MAX characters): `count` entries of `size` bytes. NULL: none is similar. */
const char *pmu_nearest_name(const void *entries, size_t count, size_t size, const char *name, size_t length);

/* Explains the error in an event's text, at `where`, with the nearest names. */
void event_explain(const struct pmu_event_table *table, enum event_error error, const char *where, char *text,
		   size_t size);

#endif
