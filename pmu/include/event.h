/* SPDX-License-Identifier: BSD-2-Clause */
/* Events: a target's event table, compiled from events.tab, and requests: events with a caller's
 * modifiers. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Modifiers of a table line and of a request. */
#define EVENT_EDGE	(1u << 0)	/* count rising edges of the condition */
#define EVENT_INV	(1u << 1)	/* the condition is: fewer events in a cycle than the
					 * threshold */
#define EVENT_ANY	(1u << 2)	/* count for all threads of the core */
#define EVENT_USER	(1u << 3)	/* count at the lower privilege levels */
#define EVENT_OS	(1u << 4)	/* count at the highest privilege level */
#define EVENT_PRECISE	(1u << 5)	/* samples are records that the processor itself writes */
#define EVENT_BRANCHES	(1u << 6)	/* samples carry the last branches */
#define EVENT_PREFERRED	(1u << 7)	/* count only while the program's user filter is on (Xeon
					 * Phi: SPFLT) */
#define EVENT_VISIBLE	(1u << 8)	/* overflows strobe a pin of the processor (Itanium: ev) */
#define EVENT_SILENT	(1u << 9)	/* overflows do not interrupt (Itanium: oi=0) */
#define EVENT_DATA_EAR	(1u << 10)	/* samples carry the data event address (Itanium) */
#define EVENT_INST_EAR	(1u << 11)	/* samples carry the instruction event address (Itanium) */
#define EVENT_OPEN	(1u << 12)	/* programs may read the counter, and write it if the
					 * processor can */

/* Modifiers that exist on some PMUs only. */
#define EVENT_MONITORS	(EVENT_VISIBLE | EVENT_SILENT | EVENT_DATA_EAR | EVENT_INST_EAR)

/* Whether a qualifier applies to an event. */
enum event_applies {
	EVENT_APPLIES_NOT,
	EVENT_APPLIES,
	EVENT_APPLIES_PARTLY,		/* to some of its occurrences only */
};

/* How an emulated processor (hal/emu) raises an event. */
enum event_emulation {
	EVENT_EMULATION_UNKNOWN,	/* events.tab does not say */
	EVENT_ABSENT,			/* never */
	EVENT_EXACT,			/* as the architecture defines it */
	EVENT_MODELLED,			/* by a model of the processor: caches, predictors, the
					 * timed clock */
};

/* One line of events.tab. */
struct pmu_event {
	const char *name;		/* as the manual spells it */
	const char *description;	/* in our own words */
	const char *source;		/* section or table of the manual */
	const char *category;		/* as in the manual; "": none */
	uint64_t counters;		/* bit n: counter n can count it */
	uint16_t code;	/* event code */
	uint8_t umask;
	uint8_t umask_care;		/* bits of `umask` that matter */
	uint8_t cmask;			/* threshold, events per cycle; 0: none */
	/* EVENT_EDGE, EVENT_INV, EVENT_ANY. EVENT_OS, EVENT_USER: levels at which it counts unless
	 * a request names levels; neither: all levels. */
	uint16_t modifiers;
	uint8_t max;			/* events in a cycle, at most */
	/* Events per retired instruction, at most, if only instructions raise the event. 0: other
	 * causes raise it, too, or the number is unknown. */
	uint8_t each;
	bool precise;	/* can be sampled precisely */
	bool joins;			/* unit mask and setting_value can be joined with those of
					 * like events: A.B+C */
	bool shared;			/* belongs to no thread of the core: counts for each,
					 * whichever executes */
	bool clock;			/* counts clock cycles while the processor is not halted */
	bool random;			/* default periods are random (EVENT_JITTER) */
	/* enum event_applies, for: instruction address range, opcode match, data address range. */
	uint8_t code_range, opcode, data_range;
	uint8_t emulation;		/* enum event_emulation */
	/* A further register that the event needs; address 0: none. */
	uint32_t setting_address;
	uint64_t setting_value;
	const char *agent;		/* whose requests it counts, if machines exist without such
					 * an agent; NULL: none */
};

/* Another name in the manual, and the event it stands for: NAME[+UMASK...]. Never another alias. */
struct pmu_event_alias {
	const char *name, *text;
};

/* Both arrays are ordered by name (strcasecmp), without duplicates. */
struct pmu_event_table {
	const struct pmu_event *event;
	size_t count;
	const struct pmu_event_alias *alias;
	size_t alias_count;
};

/* The table line of raw events that are not in the table: requests given as bits of a control
 * register. */
extern const struct pmu_event event_raw;

/* Defaults: jitter of an event with random periods, in percent; seed of random periods. */
#define EVENT_JITTER	25
#define EVENT_SEED	1

#define EVENT_ANY_COUNTER (-1)	/* event_request.counter: no particular counter */
#define EVENT_LEVELS 4			/* number of privilege levels; 0 is the highest */

/* An address range; both ends included. */
struct event_range {
	uint64_t first, last;
	bool given;
};

/* Opcode match: encodings equal to `match` in all bits where `mask` is 0, in instructions of these
 * types. */
struct event_opcode {
	uint64_t match, mask;
	uint8_t types;			/* EVENT_TYPE_* */
	bool given;
};

#define EVENT_TYPE_B	(1u << 0)
#define EVENT_TYPE_F	(1u << 1)
#define EVENT_TYPE_I	(1u << 2)
#define EVENT_TYPE_M	(1u << 3)

/* An event with a caller's modifiers. */
struct event_request {
	const struct pmu_event *event;	/* a table line, or event_raw */
	/* For event_raw: the code, and the counters that can count it, as a bit mask. Else 0. */
	uint16_t raw_code;
	uint64_t raw_counters;
	uint8_t umask;			/* unit mask: the event's, or several joined */
	uint8_t cmask;			/* threshold, 0-255; 0: none */
	uint16_t modifiers;		/* EVENT_* */
	uint8_t levels;			/* bit n: counts at privilege level n; at least one */
	uint8_t sets;			/* bit n: does not count in instruction set n, 0 native, 1
					 * the second one (Itanium: ism) */
	int8_t counter;			/* the required counter number, or EVENT_ANY_COUNTER */
	uint8_t tlb;			/* event address sampling: unit mask of translation misses;
					 * 0: sample cache misses */
	uint8_t jitter;			/* random periods: greatest difference from `period`, in
					 * percent, 0-100 */
	uint16_t latency;		/* event address sampling: least latency, in cycles; 0: the
					 * hardware's least */
	uint32_t branches;		/* branch sampling: the target's conditions; 0: all
					 * branches */
	uint64_t extra;			/* value for the register at event->setting_address:
					 * setting_value, several joined, or the caller's */
	uint64_t period;		/* events per sample; 0: only count */
	uint32_t seed;			/* seed of the random periods */
	struct event_range code_range, data_range;
	struct event_opcode opcode;
};

/* Return the request's event code, and the counters that can count it. */
static inline uint16_t event_code(const struct event_request *r)
{
	return r->event->code | r->raw_code;
}

static inline uint64_t event_counters(const struct event_request *r)
{
	return r->event->counters | r->raw_counters;
}

enum event_error {
	EVENT_OK,
	EVENT_UNKNOWN,			/* no event or alias has this name */
	EVENT_BAD_MODIFIER,		/* no such modifier */
	EVENT_BAD_VALUE,		/* a value is missing, not a number, or out of range */
	EVENT_TOO_LONG,			/* a name longer than EVENT_NAME_MAX */
	EVENT_NO_JOIN,			/* unit masks that cannot be joined, or that belong to
					 * different events */
	EVENT_NO_MASK,			/* after '+': neither a unit mask of this event nor an
					 * event */
	EVENT_NO_LEVEL,			/* no privilege level is left at which the event counts */
	EVENT_BAD_RAW,			/* no number, or bits that the driver would not write */
	EVENT_BAD_PREFIX,		/* the word before '::' or '/' is not a name of the PMU */
	EVENT_TWICE,			/* a modifier or unit mask is given twice, perhaps under
					 * another name */
	EVENT_BAD_GROUP,		/* braces without events, nested, or not closed */
	EVENT_BAD_TERM,			/* no such term between slashes */
	EVENT_TERM_VALUE,		/* a term's value is missing, not a number, or out of its or
					 * the control register's range */
	EVENT_NO_SLASH,			/* the second slash after terms is missing */
	EVENT_NO_EVENT,			/* terms that select no event */
};

#define EVENT_NAME_MAX 63	/* characters, at most */

/* Returns the event of this name (`length` characters, upper or lower case), or NULL. The name may
 * be an alias that stands for one event. */
const struct pmu_event *event_find(const struct pmu_event_table *table, const char *name,
				   size_t length);

/* Parses one event from the text at *text, up to the end of the text or a comma:
 *
 *	[PMU::]NAME[+UMASK...][:UMASK...][:MODIFIER...]
 *
 * Upper and lower case are equal. NAME.UMASK and NAME:UMASK are equal. '+' joins unit masks if the
 * events allow it (A.B+C, A.B+A.C, A:B+C, A:B:C; events whose names have no dot: A+D, A:D). PMU is
 * the target's name, or libpfm4's name for its PMU (pmu_driver.libpfm). Special names:
 *
 *	cycles, instructions	the target's event that counts them, if it has one
 *	rHEX, raw=N		bits of a counter's control register: code and unit mask; optionally
 *				threshold, inversion, edge and the like, levels, instruction sets.
 *				If the table has an event with this code and unit mask, it is meant.
 *
 * Linux's perf writes a raw event with terms (event_term):
 *
 *	PMU/TERM,TERM=N.../[LETTERS][:MODIFIER...]
 *
 * PMU can also be "cpu", for the PMU of cores. LETTERS are some of u, k, p, pp.
 *
 * Numbers are decimal, or hexadecimal after 0x. Modifiers:
 *
 *	u, k, plm=N		lowest level, highest level (also usr, sup), bit mask of levels
 *				(1-15); default: the event's own levels, or all. u=0, k=0: not there
 *	i, e, t			invert, edge, any thread; also inv, edge, any; each also as i=0, i=1
 *	c=N, cmask=N, thres=N	threshold, 0-255. A letter may precede its number directly: c2, i1
 *	ism=N			instruction sets in which not to count, 0-3 (event_request.sets)
 *	iar=FIRST-LAST		instruction address range
 *	dar=FIRST-LAST		data address range
 *	opc=MATCH/MASK[/TYPES]	opcode match; TYPES: letters of m, i, f, b (default all)
 *	lat=N, ldlat=N		least latency of an event address sample or of a load, in cycles,
 *				1-65535
 *	tlb=N			translation misses of an event address sample, 1-15
 *	btb=N			the target's conditions of branch sampling, 1-2^32-1
 *	p			precise: samples are the processor's records (also pebs, precise)
 *	pp			p and lbr
 *	lbr, lbr=N		samples carry the last branches; N: the target's conditions,
 *				0-2^32-1
 *	spflt			count only while the running program's SPFLT user filter is on
 *	open			programs may read the counter (SPARC T4: and write it)
 *	ev			overflows strobe a pin
 *	oi=0			overflows do not interrupt; oi, oi=1: they do, as by default
 *	dear, iear		samples carry the data event address; the instruction event address
 *	msr=N			value of the event's further register
 *	ctr=N			counter number
 *	period=N		events per sample, from 1; the PMU's least is arm_least
 *	jitter=N		each period is random, up to N percent longer or shorter, 0-100;
 *				default 0, for an event with `random` EVENT_JITTER
 *	seed=N			seed of the random periods, 0-2^32-1; default EVENT_SEED
 *
 * u, k, p and pp can be written together: uk, upp. No modifier may be given twice, not even under
 * another name. On success *text points to the end or after the comma. On failure it points to the
 * wrong word, and *request is unchanged. */
enum event_error event_parse(const struct pmu_event_table *table, const char **text,
			     struct event_request *request);

/* Stores the range of numbers that the modifier of this name takes. False: it takes none. */
bool event_modifier_range(const char *word, size_t length, uint64_t *least, uint64_t *most);

/* Returns the word of term number `n`, and its values; NULL: there are no more. */
const char *event_term(unsigned n, uint64_t *least, uint64_t *most);

/* A list of events, separated by commas; blanks before an event are ignored. Braces, {EVENT,EVENT},
 * make a group: events to be counted in one run. Groups matter only to callers that distribute
 * events over runs; a session counts all of its events in one. */
struct event_list {
	const char *text;		/* rest of the list; after an error: the wrong word */
	bool more;			/* another event must follow */
	unsigned group;			/* group of the last event, from 1; 0: none */
	const char *event;		/* text of the last event, without braces */
	size_t length;			/* length of `event`, in characters */
	unsigned groups;		/* number of groups so far */
	const char *open;		/* brace of the open group; NULL: no group is open */
};

static inline struct event_list event_list(const char *text)
{
	return (struct event_list){.text = text, .more = true};
}

/* Parses the next event of the list. On an error *request is unchanged. */
enum event_error event_next(const struct pmu_event_table *table, struct event_list *list,
			    struct event_request *request);

#endif
