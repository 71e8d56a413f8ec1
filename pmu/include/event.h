/* SPDX-License-Identifier: BSD-2-Clause */
/* Events: a target's table, compiled from events.tab, and an event as a caller requests it. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Modifiers, in a table line and in a request. */
#define EVENT_EDGE	(1u << 0)	/* count the condition's rising edges */
#define EVENT_INV	(1u << 1)	/* condition: fewer than the threshold */
#define EVENT_ANY	(1u << 2)	/* of all threads of the core */
#define EVENT_USER	(1u << 3)	/* at the lower privilege levels */
#define EVENT_OS	(1u << 4)	/* at the highest privilege level */
#define EVENT_PRECISE	(1u << 5)	/* samples are records that the processor itself writes */
#define EVENT_BRANCHES	(1u << 6)	/* samples carry the last branches */
#define EVENT_PREFERRED	(1u << 7)	/* counts only with the program's user filter on (Xeon Phi: SPFLT) */
#define EVENT_VISIBLE	(1u << 8)	/* overflows strobe a pin of the processor (Itanium: ev) */
#define EVENT_SILENT	(1u << 9)	/* overflows do not interrupt (Itanium: oi=0) */
#define EVENT_DATA_EAR	(1u << 10)	/* samples carry the data event address (Itanium) */
#define EVENT_INST_EAR	(1u << 11)	/* samples carry the instruction event address (Itanium) */
#define EVENT_OPEN	(1u << 12)	/* programs may read the counter, and write it if the processor allows that */

/* Modifiers that only some PMUs have. */
#define EVENT_MONITORS	(EVENT_VISIBLE | EVENT_SILENT | EVENT_DATA_EAR | EVENT_INST_EAR)

/* Whether a qualification applies to an event. */
enum event_applies {
	EVENT_APPLIES_NOT,
	EVENT_APPLIES,
	EVENT_APPLIES_PARTLY,		/* to some of its occurrences */
};

/* How an emulated processor raises an event (hal/emu). */
enum event_emulation {
	EVENT_EMULATION_UNKNOWN,	/* the table does not say */
	EVENT_ABSENT,			/* it does not */
	EVENT_EXACT,			/* as the architecture defines it */
	EVENT_MODELLED,			/* by a model of the machine: caches, predictors, the timed clock */
};

/* One line of events.tab. */
struct pmu_event {
	const char *name;		/* as the manual spells it */
	const char *description;	/* in palmon's words */
	const char *source;		/* where in the manual */
	const char *category;		/* the manual's; "": none */
	uint64_t counters;		/* that can count it: bit n for counter number n */
	uint16_t code;
	uint8_t umask;
	uint8_t umask_care;		/* unit-mask bits that matter */
	uint8_t cmask;			/* threshold, 0: none */
	uint16_t modifiers;		/* EVENT_EDGE, EVENT_INV, EVENT_ANY; EVENT_OS, EVENT_USER: levels at which it
					 * counts unless a request names levels; neither: all levels */
	uint8_t max;			/* the most it can add in a cycle */
	uint8_t each;			/* the most a retired instruction adds, if only instructions raise the event;
					 * else, or if unknown, 0 */
	bool precise;
	bool joins;			/* its unit mask and value can be joined with those of like events: A.B+C */
	bool shared;			/* belongs to no thread of the core: counts for each, whichever executes */
	bool clock;			/* counts cycles of a clock while the processor is not halted */
	bool random;			/* periods are random (EVENT_JITTER) unless a request has jitter */
	/* enum event_applies: instruction address range, opcode match, data address range. */
	uint8_t code_range, opcode, data_range;
	uint8_t emulation;		/* enum event_emulation */
	/* A further register to set; address 0: none. */
	uint32_t setting_address;
	uint64_t setting_value;
};

/* Another name in the manual, and its event: NAME[+UMASK...], not an alias itself. */
struct pmu_event_alias {
	const char *name, *text;
};

/* Both ordered by name (strcasecmp), without duplicates. */
struct pmu_event_table {
	const struct pmu_event *event;
	size_t count;
	const struct pmu_event_alias *alias;
	size_t alias_count;
};

/* The line of all raw events: those that are given as bits of a control register, not in the table. */
extern const struct pmu_event event_raw;

/* Default jitter of an event with random periods, percent; default seed of any event. */
#define EVENT_JITTER	25
#define EVENT_SEED	1

#define EVENT_ANY_COUNTER (-1)
#define EVENT_LEVELS 4			/* privilege levels, 0 is the highest */

/* Addresses from first to last, both included. */
struct event_range {
	uint64_t first, last;
	bool given;
};

/* Instruction encodings: those equal to `match` where `mask` is 0, of instruction types `types`. */
struct event_opcode {
	uint64_t match, mask;
	uint8_t types;			/* EVENT_TYPE_* */
	bool given;
};

#define EVENT_TYPE_B	(1u << 0)
#define EVENT_TYPE_F	(1u << 1)
#define EVENT_TYPE_I	(1u << 2)
#define EVENT_TYPE_M	(1u << 3)

/* An event with a caller's modifiers on top of the table's. */
struct event_request {
	const struct pmu_event *event;	/* a table's, or event_raw */
	uint16_t raw_code;		/* of event_raw: the code, and the counters that can count it; */
	uint64_t raw_counters;		/* else 0 */
	uint8_t umask;			/* the event's, or several joined */
	uint8_t cmask;			/* 0-255 */
	uint16_t modifiers;		/* all of EVENT_* */
	uint8_t levels;			/* privilege levels: bit n for level n, at least one */
	uint8_t sets;			/* instruction sets in which it does not count: bit 0 the processor's own, bit
					 * 1 the other; as Itanium's ism */
	int8_t counter;			/* the required counter number, or EVENT_ANY_COUNTER */
	uint8_t tlb;			/* of event address sampling: translation misses, as a unit mask; 0: cache
					 * misses instead */
	uint8_t jitter;			/* greatest difference of a period from `period`, percent, 0-100 */
	uint16_t latency;		/* of event address sampling: least latency, cycles; 0: the hardware's least */
	uint32_t branches;		/* of branch sampling: the target's conditions; 0: all branches */
	uint64_t extra;			/* value for the register at event->setting_address: setting_value, those of
					 * several joined events, or the caller's */
	uint64_t period;		/* events per sample; 0: only count */
	uint32_t seed;			/* of the random periods */
	struct event_range code_range, data_range;
	struct event_opcode opcode;
};

/* The request's code, and the counters that can count it. */
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
	EVENT_UNKNOWN,			/* no event has this name */
	EVENT_BAD_MODIFIER,		/* a modifier that does not exist */
	EVENT_BAD_VALUE,		/* a modifier's value is missing, not a number, or out of range */
	EVENT_TOO_LONG,			/* a name longer than any event's */
	EVENT_NO_JOIN,			/* unit masks that cannot be joined, or are not of one event */
	EVENT_NO_MASK,			/* after '+': neither a unit mask of the event before it nor an event */
	EVENT_NO_LEVEL,			/* no privilege level is left at which it counts */
	EVENT_BAD_RAW,			/* a raw event without a number, or with bits that the driver would not write */
	EVENT_BAD_PREFIX,		/* the word before '::' is no name of the PMU */
	EVENT_TWICE,			/* a modifier or unit mask is given twice, perhaps by another word */
	EVENT_BAD_GROUP,		/* braces without events, nested, or not closed */
};

#define EVENT_NAME_MAX 63

/* The event called `name` (`length` characters, upper or lower case), or NULL. It may be an alias that stands for one
 * event. */
const struct pmu_event *event_find(const struct pmu_event_table *table, const char *name, size_t length);

/* Reads one event from the text that starts at *text:
 *
 *	[PMU::]NAME[+UMASK...][:UMASK...][:MODIFIER...]
 *
 * up to its end or a comma; upper and lower case are the same. NAME.UMASK and NAME:UMASK are the same; unit masks are
 * joined with '+' (A.B+C, A.B+A.C, A:B+C, A:B:C; events whose names have no dot: A+D, A:D) where the events allow it.
 * PMU is the target's name, or libpfm4's for its PMU (pmu_driver.libpfm). Instead of a name there can be
 *
 *	cycles, instructions	the event of the target that counts them, if it has one
 *	rHEX, raw=N		what these bits of a counter's control register select: code and unit mask, and perhaps
 *				threshold, inversion and the like, levels, instruction sets. An event of the table with
 *				the same code and unit mask is that event.
 *
 * Numbers are decimal or begin with 0x. Modifiers:
 *
 *	u, k, plm=N		lowest level, highest level (also usr, sup), levels as bits (1-15); without them, the
 *				event's own levels, or all. u=0, k=0: not at this level
 *	i, e, t			invert, edge, any thread; also inv, edge, any; each also as i=0, i=1
 *	c=N, cmask=N, thres=N	threshold, 0-255
 *	ism=N			instruction sets not to count in, 0-3 (event_request.sets)
 *	iar=FIRST-LAST		instruction addresses
 *	dar=FIRST-LAST		data addresses
 *	opc=MATCH/MASK[/TYPES]	instruction encodings; TYPES some of the letters m, i, f, b (default all)
 *	lat=N, ldlat=N		latency of an event address sample or of a load, cycles, 1-65535
 *	tlb=N			translation misses of an event address sample, 1-15
 *	btb=N			conditions of branch sampling, the target's (1-2^32-1)
 *	p			precise: samples are records of the processor's (also pebs, precise)
 *	pp			p and lbr
 *	lbr, lbr=N		samples carry the last branches; N: conditions, the target's (0-2^32-1)
 *	spflt			counts only while the running program's SPFLT user filter is on
 *	open			programs may read the counter (SPARC T4: and write it)
 *	ev			overflows are seen outside, at a pin
 *	oi=0			overflows do not interrupt; oi, oi=1: they do, as without it
 *	dear, iear		samples carry the data, the instruction event address
 *	msr=N			value of the register that the event needs beside its counter
 *	ctr=N			counter number
 *	period=N		sample each N events (from 1; the driver's arm_least is the least that it takes)
 *	jitter=N		each period is random, up to N percent longer or shorter (0-100; at first 0, of a random
 *				event EVENT_JITTER)
 *	seed=N			what these random numbers start from (0-2^32-1; at first EVENT_SEED)
 *
 * u, k, p and pp can be written together: uk, upp. No modifier can be given twice, nor can two words for the same.
 * On success *text is after the event (at the end or after the comma); on failure it is at the wrong word, and
 * *request is unchanged. */
enum event_error event_parse(const struct pmu_event_table *table, const char **text, struct event_request *request);

/* The range of numbers that the modifier of this name takes. False: it takes none. */
bool event_modifier_range(const char *word, size_t length, uint64_t *least, uint64_t *most);

/* A list of events, separated by commas. Those in braces, {EVENT,EVENT}, are a group, to be counted in one run. Groups
 * matter only to callers that distribute events over runs: a session counts all of its events in one. Blanks before an
 * event are ignored. */
struct event_list {
	const char *text;		/* the rest of the list; after an error: the wrong word */
	bool more;			/* an event must follow */
	unsigned group;			/* number of the last event's group, from 1; 0: none */
	const char *event;		/* the last event's text, without braces */
	size_t length;			/* of `event`, characters */
	unsigned groups;		/* so far */
	const char *open;		/* the last group's brace; NULL: the group is closed */
};

static inline struct event_list event_list(const char *text)
{
	return (struct event_list){.text = text, .more = true};
}

/* Reads the next event; on an error *request is unchanged. */
enum event_error event_next(const struct pmu_event_table *table, struct event_list *list,
			    struct event_request *request);

#endif
