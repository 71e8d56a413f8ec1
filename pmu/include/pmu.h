/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU core, for its callers: sessions with 64-bit counts, samples, contexts, statistics of the overflow interrupt.
 * What a driver implements is in pmu_driver.h. */
#ifndef PMU_H
#define PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

enum pmu_error {
	PMU_OK,
	PMU_FAULT,		/* a register access faulted */
	PMU_UNFIT,		/* no counter can count the event as asked */
	PMU_CONFLICT,		/* the events need more counters of a kind than are free */
	PMU_TOO_MANY,		/* more events than a session has room for */
	PMU_BAD_PERIOD,		/* a period of 1, or one so long that it looks like an overflow */
	PMU_STARTED,		/* the session counts already */
	PMU_STOPPED,		/* the session does not count */
	PMU_CLOSED,		/* the session is not open */
	PMU_SETTINGS,		/* events that need one register set differently */
	PMU_NO_BUFFER,		/* a precise event, and nowhere to write its records (pmu_give_buffer) */
};

struct pmu_driver;		/* pmu_driver.h */

/*
 * Drivers, as callers name them
 */

/* The drivers linked into this program, ended by NULL (made from pmu/targets.tab), the one of a name, the one with a
 * table, and the one whose table has an event. NULL: there is none. */
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
#define PMU_SESSION_EVENTS	16	/* events in one session, at most */
#define PMU_EVENT_SETTINGS	24	/* registers that one event can need set, at most */
#define PMU_SESSION_SETTINGS	48	/* and one session */

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
	uint64_t spread;	/* each period is random, from period - spread to period + spread */
	uint64_t reload;	/* precise: the period that the processor starts from when it writes a record */
	uint64_t samples;	/* taken, dropped ones included */
	uint64_t slipped;	/* events by which samples came late, because interrupts were late by a period */
	uint32_t address;	/* the driver's: of the counter's register */
	uint32_t seed;		/* of its random periods */
	uint8_t number;
	uint8_t jitter;		/* `spread` in percent of the period, as it was asked for */
	bool precise;		/* its samples are records of the processor's */
	bool payload;		/* its samples have what the driver's payload says */
	bool throttled : 1;	/* its samples were stopped, because they came too fast */
	bool polled : 1;	/* its overflow raises no interrupt */
	struct pmu_sample_source source;
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

/* Has those calls be about another driver's PMU that this CPU has begun with: its own, or the package's. */
void pmu_select(const struct pmu_driver *driver);

/* Gives this CPU memory for the records of precise events. NULL: done; else why not. It stays the PMU's until the next
 * call or pmu_begin. */
const char *pmu_give_buffer(uint64_t address, uint64_t size);

/* Reserves a counter for each request. On failure nothing is reserved. */
enum pmu_error pmu_open(struct pmu_session *session, const struct event_request *requests, unsigned count,
			struct pmu_refusal *refusal);
/* Lets a session's counters count; stops them. */
enum pmu_error pmu_start(struct pmu_session *session);
enum pmu_error pmu_stop(struct pmu_session *session);

enum pmu_error pmu_close(struct pmu_session *session);

/* The count of one of a session's events since open, whether it counts now or not. That of a precise event is its
 * records times its period and what its counter has counted since the last one: it leaves out what happens between an
 * overflow and the record, and the period of a record that was ambiguous (pmu_statistics). */
enum pmu_error pmu_read(struct pmu_session *session, unsigned event, uint64_t *count);

/* The events that a counter's samples stand for: the sum of their periods. And what its count has besides: the events
 * since its last sample, and those by which samples came late. Both together are its count. With random periods both
 * functions take a step for each sample. */
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

/* Takes a sample, and its payload: sample->source.words of them. */
typedef void pmu_take_function(const struct pmu_sample *sample, const uint64_t *payload);

/* Until the next pmu_begin on this CPU, a sample that finds its ring full has the oldest one taken out, which `take`
 * gets: in the overflow interrupt, while counters stand still. So none is lost. `take` is trap code: it uses general
 * registers only, is short, and calls nothing of the core's. NULL, as at first: the new sample is dropped. */
void pmu_drain(pmu_take_function *take);

#define PMU_CALLERS	64	/* that are looked for, at most */

/* Until the next pmu_begin on this CPU, instead of pmu_drain: each overflow interrupt first looks for the callers of
 * what it has interrupted, `most` at most (up to PMU_CALLERS), and has `take` get the samples of the one before it.
 * `function_start` says where the function begins that has an address, or 0. Both are trap code. What that executes
 * counts at level 0 where the hardware does not freeze the counters by itself. */
void pmu_follow_calls(pmu_take_function *take, uint64_t (*function_start)(uint64_t address), unsigned most);

/* For `take`: the privilege level that the present interrupt has interrupted. */
unsigned pmu_interrupted_level(void);

/* For `take`: how many callers the sample has, the innermost first; of each the address of its call. 0, too, for a
 * sample whose address is not that of the interrupted code. */
unsigned pmu_callers(const struct pmu_sample *sample, const uint64_t **callers);

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
