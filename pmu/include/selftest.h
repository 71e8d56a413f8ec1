/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot-time self test. boot/selftest.c runs it and prints TAP, one check a line. The checks that all PMUs share are
 * one suite (boot/selftest_*.c): of registers, of counters, of overflows, of the runtime on top. A target describes
 * itself to it in pmu/<target>/selftest.c, and adds the checks that only it has (boot/README.md, "A target's self
 * test"). */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "hal.h"
#include "pmu_driver.h"

/*
 * Registers
 */

/* What the suite makes of one register of the target's list. */
struct selftest_register {
	char name[32];
	const struct field *field;
	unsigned fields;
	uint32_t address;
	uint64_t reset;
	uint64_t defined;	/* bits that have a value at reset */
	uint64_t holds;		/* bits that must hold what is written */
	uint64_t ignored;	/* bits that must read as 0, whatever is written */
	uint64_t reserved;	/* bits that must fault */
	bool writable;		/* if not, every write must fault */
	const struct selftest_exception *exception;
};

/* Registers, `count` from `address` on, of which not everything is tried that their list of fields says. */
struct selftest_exception {
	uint32_t address;
	uint8_t count;
	bool left_out;		/* nothing is */
	uint64_t untried;	/* bits that are not written but as they are at reset */
	uint64_t unknown;	/* bits whose value at reset is not looked at */
	uint32_t with_address;	/* while bits are tried, another register has this value; 0: it does not matter */
	uint64_t with_value;
};

#define SELFTEST_REGISTERS_MAX 64

/* Of a list G(R, ...) of registers (regs.h): the lists of their fields and, by LINE, `registers`. SELFTEST_NUMBERED:
 * registers called R, or R0, R1, ... if there are several, at consecutive addresses; _NAMED: lines say everything. */
#define SELFTEST_REGISTERS(LIST, LINE)				\
	LIST(SELFTEST_FIELDS)					\
	static const struct register_description registers[] = {LIST(LINE)};
#define SELFTEST_FIELDS(R, ...) static const struct field R##_fields[] = {R(FIELD_ROW, R)};
#define SELFTEST_NAMED(R, name, first, address, count, distance, ...)				\
	{name, first, address, count, distance, sizeof R##_fields / sizeof *R##_fields,	\
	 REGISTER_OF_THREAD, R##_fields},
#define SELFTEST_NUMBERED(R, address, count, ...) \
	SELFTEST_NAMED(R, #R, (count) > 1 ? 0 : -1, address, count, 1)

/*
 * Checks: rows of a table. What a check does is written step by step; what the last step finds is what it expects. It
 * starts with the PMU just brought up (pmu_begin), interrupts on, and may leave it in any state.
 */

/* The first thing in a check that went wrong. */
enum selftest_problem {
	SELFTEST_NONE,
	SELFTEST_READ, SELFTEST_WRITE,	/* of a register faulted, and should not have */
	SELFTEST_READ_COUNTER,		/* so did reg_read_counter */
	SELFTEST_STEP,			/* selftest_require */
	SELFTEST_SKIP,			/* nothing: what the check needs is not here */
};

/* What a check expected and found; equal, and no problem: it passes. */
struct selftest_result {
	uint64_t expected, found;
	enum selftest_problem problem;
	uint32_t address;	/* of the register, the counter's index */
	const char *reason;	/* SELFTEST_SKIP: what is not here */
};

/* Made of one counter after the other: `it`, each time. */
struct selftest_case {
	const char *name;		/* '#' in it: the register of the counter that it is, or what `names` says */
	uint64_t each;			/* bits: the counters, by their numbers; 0: once, of the first one */
	uint64_t expected;
	bool control;			/* '#' is its control register */
	const char *const *names;	/* `each` are no counters, but these, from 0 on; `it` is the first counter */
	uint8_t tries;			/* it is repeated so often until it passes */
	uint64_t more;			/* not 0: it is done twice, and the second time so much more is executed, or
					 * waited for. What is found is what that adds: all else drops out */
	uint32_t needs;			/* of the shared suite: what the suite and the counter must have */
	const struct selftest_step {
		uint8_t action;
		uint64_t a, b;
		const char *event;
		void (*execute)(uint64_t n);
		uint64_t (*find)(unsigned each, uint64_t parameter);
	} *step;			/* ended by {0} */
};

#define DO(...)	.step = (const struct selftest_step[]){__VA_ARGS__, {0}}

enum selftest_action {
	SELFTEST_END, SELFTEST_THERE, SELFTEST_BY, SELFTEST_SET, SELFTEST_SET_EVENT, SELFTEST_SET_ALL, SELFTEST_FLIP,
	SELFTEST_PUT, SELFTEST_CONTROL, SELFTEST_WRITE_REGISTER, SELFTEST_RUN, SELFTEST_RUN_ALL, SELFTEST_RUN_BY,
	SELFTEST_ENABLE, SELFTEST_EXECUTE, SELFTEST_ALARM, SELFTEST_INTERRUPTS_ON, SELFTEST_INTERRUPTS_OFF,
	SELFTEST_PMI_DROP, SELFTEST_PMI_DELIVER, SELFTEST_WATCH, SELFTEST_ACKNOWLEDGE, SELFTEST_START, SELFTEST_STOP,
	SELFTEST_FIND, SELFTEST_CYCLES, SELFTEST_VALUE, SELFTEST_SUM, SELFTEST_READ_REGISTER, SELFTEST_READ_CONTROL,
	SELFTEST_READ_FAULTS, SELFTEST_WRITE_FAULTS, SELFTEST_COUNTER_FAULTS, SELFTEST_OVERFLOWED, SELFTEST_SEEN,
	SELFTEST_FROZEN, SELFTEST_COUNT, SELFTEST_SAMPLED, SELFTEST_STATISTIC, SELFTEST_SAMPLES,
	SELFTEST_BITS, SELFTEST_ABOVE, SELFTEST_PER, SELFTEST_REQUIRE, SELFTEST_EXPECT,
};

/* A step is one of the words below, which no register of a target (regs.h) has as its name. */
#define SELFTEST_DO(what, ...) {.action = SELFTEST_##what, __VA_ARGS__}

/* Where a counter is to count, and whether its overflow interrupts. */
#define AT_SUITE	0x00u		/* the level at which all can start together and interrupt */
#define AT_OS		0x01u		/* the highest */
#define AT_PRIVILEGED	0x02u		/* between the two, where there is one */
#define AT_USER		0x08u		/* the lowest */
#define AT_ALL		0x0Fu
#define INTERRUPTING	0x10u

/* Sets counters up, each from `start` on; they do not count yet. */
#define SET(at, start)		SELFTEST_DO(SET, .a = (at), .b = (start))		/* it, for its event */
#define SET_EVENT(text, start)	SELFTEST_DO(SET_EVENT, .event = (text), .b = (start))	/* for another event */
#define SET_ALL(at, start)	SELFTEST_DO(SET_ALL, .a = (at), .b = (start))
#define FLIP(bits)		SELFTEST_DO(FLIP, .a = (bits))		/* then, of its control register */
#define BY(counter)		SELFTEST_DO(BY, .a = (counter))		/* `it` is this one from here on */

/* Writes a register. */
#define PUT(value)		SELFTEST_DO(PUT, .a = (value))		/* its own */
#define PUT_CONTROL(value)	SELFTEST_DO(CONTROL, .a = (value))	/* its control register */
#define WRITE(address, value)	SELFTEST_DO(WRITE_REGISTER, .a = (address), .b = (value))

/* Counts over n instructions, exactly (struct selftest_suite.run). */
#define RUN(n)			SELFTEST_DO(RUN, .a = (n))
#define RUN_ALL(n)		SELFTEST_DO(RUN_ALL, .a = (n))		/* all counters, at the suite's level */
#define RUN_ALONE(n)		SELFTEST_DO(RUN_ALL, .a = (n), .b = true)	/* it alone, at the suite's level */
/* And while a function executes n, and a constant number, or waits so long. */
#define RUN_BY(function, n)	SELFTEST_DO(RUN_BY, .a = (n), .execute = (function))
#define EXECUTE(function, n)	SELFTEST_DO(EXECUTE, .a = (n), .execute = (function))	/* nothing starts or stops */
#define LET_COUNT		SELFTEST_DO(ENABLE, .a = true)		/* it counts from here on */
#define STOP_ALL		SELFTEST_DO(ENABLE)			/* nothing does */

/* Interrupts. */
#define ALARM(ticks)		SELFTEST_DO(ALARM, .a = (ticks))
#define INTERRUPTS_ON		SELFTEST_DO(INTERRUPTS_ON)
#define INTERRUPTS_OFF		SELFTEST_DO(INTERRUPTS_OFF)
#define PMI_MASK		SELFTEST_DO(PMI_DROP)			/* the vector's entry of overflows */
#define PMI_UNMASK		SELFTEST_DO(PMI_DELIVER)
#define WATCH(how)		SELFTEST_DO(WATCH, .a = (how))		/* selftest_watch */
#define WATCH_READING(how, address)	SELFTEST_DO(WATCH, .a = (how), .b = (address))
#define ACKNOWLEDGE(bits)	SELFTEST_DO(ACKNOWLEDGE, .a = (bits))	/* clears them in the overflow status */
#define ACKNOWLEDGE_IT		SELFTEST_DO(ACKNOWLEDGE, .b = true)

/* A session of a list of events; of one of the suite's. */
#define START(events)		SELFTEST_DO(START, .event = (events))
#define START_OF(session)	SELFTEST_DO(START, .a = (session))
#define STOP			SELFTEST_DO(STOP)

/* From here on all is done by the n-th thread of the core behind this one, n of `each`; by this one again. Its PMU,
 * too, is just brought up, and so at the end. */
#define THERE			SELFTEST_DO(THERE, .a = true)
#define HERE			SELFTEST_DO(THERE)

/* Steps that find something. */
#define FIND(function, with)	SELFTEST_DO(FIND, .find = (function), .a = (with))
#define VALUE			SELFTEST_DO(VALUE)			/* it holds */
#define SUM(counters)		SELFTEST_DO(SUM, .a = (counters))	/* these hold */
#define READ(address)		SELFTEST_DO(READ_REGISTER, .a = (address))
#define READ_CONTROL		SELFTEST_DO(READ_CONTROL)
#define READ_FAULTS(address)	SELFTEST_DO(READ_FAULTS, .a = (address))	/* whether it does */
#define WRITE_FAULTS(address, value)	SELFTEST_DO(WRITE_FAULTS, .a = (address), .b = (value))
#define COUNTER_FAULTS(index)	SELFTEST_DO(COUNTER_FAULTS, .a = (index))	/* of reg_read_counter */
#define OVERFLOWED		SELFTEST_DO(OVERFLOWED)			/* overflow bits */
#define SEEN(member)		SELFTEST_DO(SEEN, .a = offsetof(struct selftest_seen, member))
#define FROZEN			SELFTEST_DO(FROZEN)			/* whether an overflow has frozen counters */
#define COUNT_OF(event)		SELFTEST_DO(COUNT, .a = (event))	/* of the session */
#define COUNT_EACH		SELFTEST_DO(COUNT, .b = true)		/* `each` are events */
#define SAMPLED_EACH		SELFTEST_DO(SAMPLED)			/* how many samples it has taken */
#define SAMPLES(level)		SELFTEST_DO(SAMPLES, .a = (level))	/* takes all: how many are of this level */
#define STATISTIC(member)	SELFTEST_DO(STATISTIC, .a = offsetof(struct pmu_statistics, member))
/* Its count of an event over 1000 instructions: that of all cycles is expected, or 0. */
#define ALL_CYCLES(text)	SELFTEST_DO(CYCLES, .event = (text), .a = true)
#define NO_CYCLES(text)		SELFTEST_DO(CYCLES, .event = (text))

/* With what has been found. */
#define BITS(mask)		SELFTEST_DO(BITS, .a = (mask))		/* these alone */
#define ABOVE(value)		SELFTEST_DO(ABOVE, .a = (value))	/* whether it is more */
#define PER(value)		SELFTEST_DO(PER, .a = (value))		/* how often it has so much */
#define REQUIRE(value)		SELFTEST_DO(REQUIRE, .a = (value))	/* it must be this, or the check ends, failed */
#define EXPECT(times)		SELFTEST_DO(EXPECT, .a = (times))	/* so many times as much will be expected */
#define EXPECT_BIT		SELFTEST_DO(EXPECT)			/* it, as a bit, will be expected */

/* Several steps: what is written to a counter; what it counts when bits of its control register are flipped while all
 * count; an overflow by the first of 100 events; after 50 of 1000; a register that the processor has not. */
#define WRITTEN(value)		SET(AT_ALL, 0), PUT(value), VALUE
#define STOPPED_BY(bits)	SET_ALL(AT_SUITE, 0), FLIP(bits), RUN_ALL(100), VALUE
#define WRAP			SET(AT_ALL, -1ULL), RUN(100)
#define OVERFLOW_ONCE(interrupting)	SET(AT_SUITE | (interrupting), -50ULL), RUN_ALONE(1000)
#define ABSENT(address)		READ_FAULTS(address), REQUIRE(true), WRITE_FAULTS(address, 0), REQUIRE(true)

/*
 * What a target says of itself. Checks need what they need: those whose needs it has not are left out.
 */

/* Counters that are alike, and what the shared checks need to know of them. */
struct selftest_counters {
	uint8_t first, count;		/* their numbers */
	const char *event;		/* what they count in checks, as event_parse reads it */
	bool exact;			/* it happens once with each instruction, and not otherwise */
	const char *cycles;		/* counts cycles, as many as all others with `cycles`; NULL: these cannot */
	uint64_t control;		/* bits of the control register that are theirs; 0: all */
	uint64_t interrupt;		/* of these, those that have an overflow interrupt */
	bool readable;			/* reg_read_counter reads them; the first one's index: */
	uint32_t index;
};

/* Lists of events for the checks of the runtime on top. The first of each only counts. NULL: these are left out. */
enum selftest_session {
	SELFTEST_OVERFLOWING,		/* and some that overflow together, each with a period of 1000 */
	SELFTEST_AT_USER,		/* at level 3 only, and one that samples the same, each 1000 */
	SELFTEST_STORM,			/* and one that samples the same, each 50 */
	SELFTEST_NMIS,			/* the same, each 10: shorter than what is left of the handler when it lets
					 * counters go on. Overflows can be non-maskable interrupts */
	SELFTEST_SESSIONS
};

#define SELFTEST_GLOBAL		(1u << 0)	/* counters start together, by one write; those that are not named in it
						 * stand still */
#define SELFTEST_LEVELS		(1u << 1)	/* counters can be confined to levels */
#define SELFTEST_INTERRUPTS	(1u << 2)	/* overflows interrupt this CPU alone */
#define SELFTEST_NMI		(1u << 3)	/* if they are to, when interrupts are off */
#define SELFTEST_MASKS		(1u << 4)	/* which masks the vector's entry (x86: LVTPC) */
#define SELFTEST_FREEZES	(1u << 5)	/* an overflow that interrupts freezes */
#define SELFTEST_HALTS		(1u << 6)	/* PAL_HALT_LIGHT stops what the checks have started, too */

struct selftest_suite {
	const struct pmu_driver *driver;
	const struct register_description *registers;
	size_t registers_count;
	const struct selftest_exception *exceptions;
	size_t exceptions_count;

	uint32_t has;				/* SELFTEST_* */
	const struct selftest_counters *counters;
	size_t counters_count;
	/* Counters start together only when the lowest level is entered, and overflows interrupt only there. */
	bool at_user;

	bool control_starts;	/* the write of its control register lets a counter count: `start` is what writes it */

	/* Registers with a bit for each counter, its number: those that count (0: all stop), that have overflowed, by
	 * which the overflow is cleared. `enable_also`: bits that `enable` has whenever something counts. */
	uint32_t enable, status, clear;
	uint64_t enable_also;
	/* These bits of a register have this value while an overflow has frozen the counters; 0: there are none. */
	uint32_t freeze_address;
	uint64_t freeze_mask, frozen;

	/* Where it takes more than that. Exactly these counters count from now on, 0: none. They count over exactly n
	 * instructions, behind the write that starts them until that which stops them: a counter that counts them has
	 * n + 1. Overflow bits, `clear` them. NULL: by the registers. */
	void (*start)(uint64_t counters);
	void (*run)(uint64_t counters, uint64_t n);
	uint64_t (*overflowed)(void);
	void (*acknowledge)(uint64_t overflowed);
	/* Where overflows can be precise traps: whether the one that is being served came as such; then what has
	 * executed does not execute again. NULL: none do. */
	bool (*precise)(void);

	const char *sessions[SELFTEST_SESSIONS];
	const struct selftest_case *cases;	/* its own checks */
	size_t cases_count;
};

/* A list of a suite, from the array of its name. */
#define SELFTEST_LIST(name) .name = name, .name##_count = sizeof name / sizeof *name

/* The suites linked into this program, ended by NULL (made from pmu/targets.tab), and the one of a target. */
extern const struct selftest_suite *const selftest_suites[];
const struct selftest_suite *selftest_find(const char *target);

/* The registers of a target's list that are looked at; how many. */
unsigned selftest_registers(const struct selftest_suite *suite,
			    struct selftest_register registers[SELFTEST_REGISTERS_MAX]);

/* Register values as reset left them: to be taken before anything is written. */
struct selftest_snapshot {
	uint64_t value[SELFTEST_REGISTERS_MAX];
	uint64_t faults;	/* bits: this register could not be read */
};

void selftest_take_snapshot(const struct selftest_suite *suite, struct selftest_snapshot *snapshot);

/* The present check has this problem, if it has none already. */
void selftest_note(enum selftest_problem problem, uint32_t address);

/*
 * Steps of a check. A register access that faults, and whatever else must not go wrong, fails the check, which goes on.
 */

static inline void selftest_write(uint32_t address, uint64_t value)
{
	if (!reg_write(address, value))
		selftest_note(SELFTEST_WRITE, address);
}

/* 0 if it faults. */
static inline uint64_t selftest_read(uint32_t address)
{
	uint64_t value = 0;

	if (!reg_read(address, &value))
		selftest_note(SELFTEST_READ, address);
	return value;
}

uint64_t selftest_read_counter(uint32_t index);
void selftest_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n);
void selftest_require(bool ok);

/* The check cannot be made here: it neither passes nor fails. */
void selftest_skip(const char *reason);

/* What the check expects, where that is not known before. */
void selftest_expect(uint64_t expected);

/*
 * The same with counters, by their numbers; `counters` are bits
 */

/* Levels and INTERRUPTING, as SET has them. The control register is not written where that would start the counter
 * (control_starts); what it is to be. */
void selftest_set(unsigned counter, unsigned at, uint64_t start);
void selftest_set_event(unsigned counter, const char *event, uint64_t start);
void selftest_flip(unsigned counter, uint64_t bits);
uint64_t selftest_select(unsigned counter);

void selftest_enable(uint64_t counters);
void selftest_run_counters(uint64_t counters, uint64_t n);	/* struct selftest_suite.run */
void selftest_run_by(void (*execute)(uint64_t n), uint64_t counters, uint64_t n);
void selftest_run_together(uint64_t counters, uint64_t n);	/* at the suite's level */
uint64_t selftest_value(unsigned counter);
uint64_t selftest_overflowed(void);
void selftest_acknowledge(uint64_t overflowed);

/* Has overflow interrupts come to a handler of the checks' own: it looks at the hardware, stops the counters, and
 * clears the status. `reading`: at this register, too; 0: none. `how`, below these bits: so often at first, nothing is
 * done. */
#define WATCH_UNMASKS	0x100u		/* the vector's entry is unmasked, although delivery has masked it */
#define WATCH_SLOW	0x200u		/* 500 instructions before anything is done */
#define WATCH_RESTARTS	0x400u		/* the first time, counter `it` goes on, and overflows at once */
#define WATCH_NMI	0x800u		/* they are non-maskable */
#define WATCH_READS	0x1000u		/* counter `it` is what is read */
#define WATCH_CLEARS	0x2000u		/* what has been read becomes 0 */
#define WATCH_NOTHING	0x0FFu
void selftest_watch(unsigned counter, unsigned how, uint32_t reading);

/* How many there have been on this CPU. What the last one found: whether it came as a precise trap, the status, whether
 * the counters were frozen, the level and the instruction that it interrupted, the register that it reads first. */
struct selftest_seen {
	uint64_t interrupts, precise, status, frozen, level, ip, reading;
};

const struct selftest_seen *selftest_seen(unsigned cpu);

/* One session at a time, of a list of events; the count of one of them. */
void selftest_start(const char *events);
void selftest_stop(void);
uint64_t selftest_count(unsigned event);

/* Takes all samples: how many are of this level. */
uint64_t selftest_samples(unsigned level);

/* The CPU that is the core's n-th thread behind this one; this one, and the check is skipped: there is none. */
unsigned selftest_thread(unsigned n);

/* Has another CPU call a function, and waits for its end; does nothing for this CPU. */
void selftest_call(unsigned cpu, void (*function)(void *argument), void *argument);

/* To be executed: n instructions at the suite's level; n visits to the lowest level; PAL_HALT_LIGHT, ended by an alarm
 * after `ticks`. */
void selftest_execute(uint64_t n);
void selftest_visit_user(uint64_t n);
void selftest_light_halt(uint64_t ticks);

/* Memory for the checks of one suite, aligned to 64 bytes. What other checks have left is in it. */
#define SELFTEST_OWN_BYTES 1024
void *selftest_own(void);

#define SELFTEST_STORM_LIMIT 20		/* interrupts, in checks that have too many of them */

/* Of the checks that have run, whichever suites they are of. */
struct selftest_tally {
	unsigned number, failed, skipped;

	/* Called for each check that fails, NULL: for none. `of` stands for the '#' in the check's name, and is there
	 * during the call only. */
	void (*report_failure)(const char *check, const char *of, const struct selftest_result *);
};

/* Where the report goes, a line or several at a time: provided by who runs the self test. */
void selftest_put(const char *text, size_t size);

/* Prints how many checks the suites have, and returns it: TAP version 13's first lines. */
unsigned selftest_plan(const struct selftest_suite *const *suites, size_t count);

/* Runs a suite's checks and prints TAP, a line a check. */
void selftest_run(const struct selftest_suite *suite, const struct selftest_snapshot *snapshot,
		  struct selftest_tally *tally);

#endif
