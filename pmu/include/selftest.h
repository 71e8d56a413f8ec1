/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot-time self test. boot/selftest.c runs it and prints TAP, one check per line. A shared suite
 * (boot/selftest_*.c) has the common checks of all PMUs: of registers, counters, overflows and the runtime. A target
 * describes itself to the suite in pmu/<target>/selftest.c, and adds its own checks (boot/README.md, "A target's self
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

/* The suite's view of one register of the target's list. */
struct selftest_register {
	char name[32];
	const struct field *field;
	unsigned fields;
	uint32_t address;
	uint64_t reset;
	uint64_t defined;	/* bits that have a value at reset */
	uint64_t holds;		/* bits that must hold written values */
	uint64_t ignored;	/* bits that must read as 0 after any write */
	uint64_t reserved;	/* bits that must fault */
	bool writable;		/* if not, every write must fault */
	const struct selftest_exception *exception;
};

/* Registers, `count` from `address` on, with exceptions from the checks of their list of fields. */
struct selftest_exception {
	uint32_t address;
	uint8_t count;
	bool left_out;		/* no check */
	uint64_t untried;	/* bits that are only written with their reset values */
	uint64_t unknown;	/* bits without a check of their reset value */
	uint32_t with_address;	/* register that must have `with_value` while bits are tried; 0: none */
	uint64_t with_value;
};

#define SELFTEST_REGISTERS_MAX 64

/* Defines, from a list G(R, ...) of registers (regs.h), the lists of their fields and, by LINE, `registers`.
 * SELFTEST_NUMBERED: registers called R, or R0, R1, ... if there are several, at consecutive addresses; _NAMED: lines
 * have all values. */
#define SELFTEST_REGISTERS(LIST, LINE)				\
	LIST(SELFTEST_FIELDS)					\
	static const struct register_description registers[] = {LIST(LINE)};
#define SELFTEST_FIELDS(R, ...) static const struct field R##_fields[] = {R(FIELD_ROW, R)};
#define SELFTEST_NAMED(R, name, first, address, count, distance, ...)				\
	{name, first, address, count, distance, sizeof R##_fields / sizeof *R##_fields,	\
	 REGISTER_OF_THREAD, R##_fields},
#define SELFTEST_NUMBERED(R, address, count, ...) \
	SELFTEST_NAMED(R, #R, (count) > 1 ? 0 : -1, address, count, 1)

/* Checks: rows of a table. A check is a list of steps, and compares the last step's value with the expected one. It
 * starts after pmu_begin, with interrupts on, and may leave the PMU in any state.
 */

/* The first problem of a check. */
enum selftest_problem {
	SELFTEST_NONE,
	SELFTEST_READ, SELFTEST_WRITE,	/* of a register faulted unexpectedly */
	SELFTEST_READ_COUNTER,		/* reg_read_counter faulted unexpectedly */
	SELFTEST_STEP,			/* selftest_require */
	SELFTEST_SKIP,			/* no problem: the machine lacks something that the check needs */
};

/* The result of a check; it passes if both values are equal and there is no problem. */
struct selftest_result {
	uint64_t expected, found;
	enum selftest_problem problem;
	uint32_t address;	/* of the register; or the counter's index */
	const char *reason;	/* SELFTEST_SKIP: what is missing */
};

/* Runs once per counter in `each`; steps refer to the current one as `it`. */
struct selftest_case {
	const char *name;		/* '#' in it: the counter's register, or an entry of `names` */
	uint64_t each;			/* bit mask of counter numbers; 0: once, for the first one */
	uint64_t expected;
	bool control;			/* '#' is the control register */
	const char *const *names;	/* if not NULL, `each` are these items, from 0 on; `it` is the first counter */
	uint8_t tries;			/* most runs until it passes */
	uint64_t more;			/* not 0: the check runs twice, the second time with so many more instructions,
					 * or ticks; the difference is compared, so that constant parts cancel */
	uint32_t needs;			/* of the shared suite: required properties of the suite and the counter */
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

/* A step is one of the words below. No register of a target (regs.h) may have such a name. */
#define SELFTEST_DO(what, ...) {.action = SELFTEST_##what, __VA_ARGS__}

/* The levels at which a counter counts, and whether its overflow interrupts. */
#define AT_SUITE	0x00u		/* the level at which all can start together and interrupt */
#define AT_OS		0x01u		/* the highest */
#define AT_PRIVILEGED	0x02u		/* the level between the two, if any */
#define AT_USER		0x08u		/* the lowest */
#define AT_ALL		0x0Fu
#define INTERRUPTING	0x10u

/* Sets counters up, each from `start` on; they do not count yet. */
#define SET(at, start)		SELFTEST_DO(SET, .a = (at), .b = (start))		/* it, for its event */
#define SET_EVENT(text, start)	SELFTEST_DO(SET_EVENT, .event = (text), .b = (start))	/* for another event */
#define SET_ALL(at, start)	SELFTEST_DO(SET_ALL, .a = (at), .b = (start))
#define FLIP(bits)		SELFTEST_DO(FLIP, .a = (bits))		/* after that: of its control register */
#define BY(counter)		SELFTEST_DO(BY, .a = (counter))		/* from here on `it` is this counter */

/* Writes a register. */
#define PUT(value)		SELFTEST_DO(PUT, .a = (value))		/* its own */
#define PUT_CONTROL(value)	SELFTEST_DO(CONTROL, .a = (value))	/* its control register */
#define WRITE(address, value)	SELFTEST_DO(WRITE_REGISTER, .a = (address), .b = (value))

/* Counts over n instructions, exactly (struct selftest_suite.run). */
#define RUN(n)			SELFTEST_DO(RUN, .a = (n))
#define RUN_ALL(n)		SELFTEST_DO(RUN_ALL, .a = (n))		/* all counters, at the suite's level */
#define RUN_ALONE(n)		SELFTEST_DO(RUN_ALL, .a = (n), .b = true)	/* it alone, at the suite's level */
/* Counts while a function executes n and a constant number of instructions, or waits for n. */
#define RUN_BY(function, n)	SELFTEST_DO(RUN_BY, .a = (n), .execute = (function))
#define EXECUTE(function, n)	SELFTEST_DO(EXECUTE, .a = (n), .execute = (function))	/* nothing starts or stops */
#define LET_COUNT		SELFTEST_DO(ENABLE, .a = true)		/* starts `it` */
#define STOP_ALL		SELFTEST_DO(ENABLE)			/* stops all counters */

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

/* Starts a session of a list of events; of one of the suite's lists. */
#define START(events)		SELFTEST_DO(START, .event = (events))
#define START_OF(session)	SELFTEST_DO(START, .a = (session))
#define STOP			SELFTEST_DO(STOP)

/* The following steps run on the n-th thread of the core after this one, n of `each`; on this one again. The thread's
 * PMU begins before them, and again at the end. */
#define THERE			SELFTEST_DO(THERE, .a = true)
#define HERE			SELFTEST_DO(THERE)

/* Steps that yield a value. */
#define FIND(function, with)	SELFTEST_DO(FIND, .find = (function), .a = (with))
#define VALUE			SELFTEST_DO(VALUE)			/* of its register */
#define SUM(counters)		SELFTEST_DO(SUM, .a = (counters))	/* of these registers */
#define READ(address)		SELFTEST_DO(READ_REGISTER, .a = (address))
#define READ_CONTROL		SELFTEST_DO(READ_CONTROL)
#define READ_FAULTS(address)	SELFTEST_DO(READ_FAULTS, .a = (address))	/* true or false */
#define WRITE_FAULTS(address, value)	SELFTEST_DO(WRITE_FAULTS, .a = (address), .b = (value))
#define COUNTER_FAULTS(index)	SELFTEST_DO(COUNTER_FAULTS, .a = (index))	/* of reg_read_counter */
#define OVERFLOWED		SELFTEST_DO(OVERFLOWED)			/* overflow bits */
#define SEEN(member)		SELFTEST_DO(SEEN, .a = offsetof(struct selftest_seen, member))
#define FROZEN			SELFTEST_DO(FROZEN)			/* whether an overflow froze counters */
#define COUNT_OF(event)		SELFTEST_DO(COUNT, .a = (event))	/* of the session */
#define COUNT_EACH		SELFTEST_DO(COUNT, .b = true)		/* `each` are events */
#define SAMPLED_EACH		SELFTEST_DO(SAMPLED)			/* the number of its samples */
#define SAMPLES(level)		SELFTEST_DO(SAMPLES, .a = (level))	/* takes all; the number at this level */
#define STATISTIC(member)	SELFTEST_DO(STATISTIC, .a = offsetof(struct pmu_statistics, member))
/* Its count of an event over 1000 instructions; expected: all cycles, or 0. */
#define ALL_CYCLES(text)	SELFTEST_DO(CYCLES, .event = (text), .a = true)
#define NO_CYCLES(text)		SELFTEST_DO(CYCLES, .event = (text))

/* Steps that use the last value. */
#define BITS(mask)		SELFTEST_DO(BITS, .a = (mask))		/* keeps these bits */
#define ABOVE(value)		SELFTEST_DO(ABOVE, .a = (value))	/* whether it is greater */
#define PER(value)		SELFTEST_DO(PER, .a = (value))		/* divides by this */
#define REQUIRE(value)		SELFTEST_DO(REQUIRE, .a = (value))	/* else the check fails and ends */
#define EXPECT(times)		SELFTEST_DO(EXPECT, .a = (times))	/* expects so many times it */
#define EXPECT_BIT		SELFTEST_DO(EXPECT)			/* expects the bit of `it` */

/* Sequences of steps: the value after a write to a counter; the count with flipped bits of the control register while
 * all count; an overflow by the first of 100 events; after 50 of 1000; a register that the processor lacks. */
#define WRITTEN(value)		SET(AT_ALL, 0), PUT(value), VALUE
#define STOPPED_BY(bits)	SET_ALL(AT_SUITE, 0), FLIP(bits), RUN_ALL(100), VALUE
#define WRAP			SET(AT_ALL, -1ULL), RUN(100)
#define OVERFLOW_ONCE(interrupting)	SET(AT_SUITE | (interrupting), -50ULL), RUN_ALONE(1000)
#define ABSENT(address)		READ_FAULTS(address), REQUIRE(true), WRITE_FAULTS(address, 0), REQUIRE(true)

/* A target's description. The suite leaves out checks whose needs it does not meet.
 */

/* A group of like counters, for the shared checks. */
struct selftest_counters {
	uint8_t first, count;		/* first number, and how many */
	const char *event;		/* their event in checks, as event_parse reads it */
	bool exact;			/* it happens exactly once per instruction */
	const char *cycles;		/* an event of cycles, the same for all groups with `cycles`; NULL: none */
	uint64_t control;		/* their bits of the control register; 0: all */
	uint64_t interrupt;		/* of these, those that enable the overflow interrupt */
	bool readable;			/* reg_read_counter reads them; the first one's index: */
	uint32_t index;
};

/* Lists of events for checks of the runtime. The first event of each only counts. NULL: no such checks. */
enum selftest_session {
	SELFTEST_OVERFLOWING,		/* and some that overflow together, with a period of 1000 */
	SELFTEST_AT_USER,		/* at level 3 only, and one that samples the same, with a period of 1000 */
	SELFTEST_STORM,			/* and one that samples the same, with a period of 50 */
	SELFTEST_NMIS,			/* the same with a period of 10: shorter than the rest of the handler after it
					 * has started counters. Overflows can be non-maskable interrupts */
	SELFTEST_SESSIONS
};

#define SELFTEST_GLOBAL		(1u << 0)	/* one write starts counters together, and stops all others */
#define SELFTEST_LEVELS		(1u << 1)	/* counters can be confined to levels */
#define SELFTEST_INTERRUPTS	(1u << 2)	/* overflows interrupt this CPU alone */
#define SELFTEST_NMI		(1u << 3)	/* they can interrupt while interrupts are off */
#define SELFTEST_MASKS		(1u << 4)	/* delivery masks the vector's entry (x86: LVTPC) */
#define SELFTEST_FREEZES	(1u << 5)	/* an overflow that interrupts freezes */
#define SELFTEST_HALTS		(1u << 6)	/* PAL_HALT_LIGHT also stops counters that the checks have started */

struct selftest_suite {
	const struct pmu_driver *driver;
	const struct register_description *registers;
	size_t registers_count;
	const struct selftest_exception *exceptions;
	size_t exceptions_count;

	uint32_t has;				/* SELFTEST_* */
	const struct selftest_counters *counters;
	size_t counters_count;
	/* Counters start together only at the entry to the lowest level, and overflows interrupt only there. */
	bool at_user;

	bool control_starts;	/* the write of its control register starts a counter; `start` does that write */

	/* Registers with a bit for each counter, its number: enabled counters (0: all stop); overflow status; clear
	 * overflows. `enable_also`: bits of `enable` that are set whenever a counter counts. */
	uint32_t enable, status, clear;
	uint64_t enable_also;
	/* Bits of a register, and their value while an overflow has frozen the counters; 0: none. */
	uint32_t freeze_address;
	uint64_t freeze_mask, frozen;

	/* Functions in place of these registers. start: exactly these counters count from now on, 0: none. run: they
	 * count over exactly n instructions from the write that starts them to the one that stops them: a counter of
	 * instructions counts n + 1. overflowed, acknowledge: read and clear overflow bits. NULL: by the registers. */
	void (*start)(uint64_t counters);
	void (*run)(uint64_t counters, uint64_t n);
	uint64_t (*overflowed)(void);
	void (*acknowledge)(uint64_t overflowed);
	/* If overflows can be precise traps: whether the present one is, so that the executed instruction is not
	 * repeated. NULL: none are. */
	bool (*precise)(void);

	const char *sessions[SELFTEST_SESSIONS];
	const struct selftest_case *cases;	/* its own checks */
	size_t cases_count;
};

/* Initializes a list of a suite from the array of the same name. */
#define SELFTEST_LIST(name) .name = name, .name##_count = sizeof name / sizeof *name

/* The suites linked into this program, ended by NULL (made from pmu/targets.tab); finds the one of a target. */
extern const struct selftest_suite *const selftest_suites[];
const struct selftest_suite *selftest_find(const char *target);

/* Gets the checked registers of a target's list. Returns how many. */
unsigned selftest_registers(const struct selftest_suite *suite,
			    struct selftest_register registers[SELFTEST_REGISTERS_MAX]);

/* Register values after reset: take them before any write. */
struct selftest_snapshot {
	uint64_t value[SELFTEST_REGISTERS_MAX];
	uint64_t faults;	/* bits: this register could not be read */
};

void selftest_take_snapshot(const struct selftest_suite *suite, struct selftest_snapshot *snapshot);

/* Notes a problem of the present check, unless it has one already. */
void selftest_note(enum selftest_problem problem, uint32_t address);

/* Steps of a check. After a faulting register access, or another failure, the check has failed, but continues.
 */

static inline void selftest_write(uint32_t address, uint64_t value)
{
	if (!reg_write(address, value))
		selftest_note(SELFTEST_WRITE, address);
}

/* Returns 0 if the access faults. */
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

/* The machine lacks something that the check needs: the check neither passes nor fails. */
void selftest_skip(const char *reason);

/* Sets the expected value of a check during the check. */
void selftest_expect(uint64_t expected);

/*
 * The same with counters, by their numbers; `counters` are bits
 */

/* Set a counter up; `at`: levels and INTERRUPTING, as in SET. If a write of the control register starts the counter
 * (control_starts), it is not written yet. selftest_select returns the value for it. */
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

/* Installs the checks' own handler of overflow interrupts: it records the hardware's state, stops the counters, and
 * clears the status. `reading`: it also reads this register; 0: none. `how`, the low 8 bits: the number of first
 * interrupts in which it does nothing; and flags: */
#define WATCH_UNMASKS	0x100u		/* it unmasks the vector's entry, which delivery has masked */
#define WATCH_SLOW	0x200u		/* it first executes 500 instructions */
#define WATCH_RESTARTS	0x400u		/* the first time, counter `it` continues, and overflows at once */
#define WATCH_NMI	0x800u		/* the interrupts are non-maskable */
#define WATCH_READS	0x1000u		/* it reads counter `it` */
#define WATCH_CLEARS	0x2000u		/* it sets the register to 0 after the read */
#define WATCH_NOTHING	0x0FFu
void selftest_watch(unsigned counter, unsigned how, uint32_t reading);

/* The number of interrupts on a CPU, and the last one's data: whether it was a precise trap, the status, whether the
 * counters were frozen, the interrupted level and instruction, the value of the register that it reads. */
struct selftest_seen {
	uint64_t interrupts, precise, status, frozen, level, ip, reading;
};

const struct selftest_seen *selftest_seen(unsigned cpu);

/* Start and stop a session of a list of events, one at a time; the count of one of them. */
void selftest_start(const char *events);
void selftest_stop(void);
uint64_t selftest_count(unsigned event);

/* Takes all samples. Returns the number at this level. */
uint64_t selftest_samples(unsigned level);

/* The CPU of the core's n-th thread after this one. If there is none: this CPU, and the check is skipped. */
unsigned selftest_thread(unsigned n);

/* Calls a function on another CPU, and waits for its end; does nothing for this CPU. */
void selftest_call(unsigned cpu, void (*function)(void *argument), void *argument);

/* Functions to execute: n instructions at the suite's level; n visits to the lowest level; PAL_HALT_LIGHT, ended by an
 * alarm after `ticks`. */
void selftest_execute(uint64_t n);
void selftest_visit_user(uint64_t n);
void selftest_light_halt(uint64_t ticks);

/* Memory for the checks of one suite, aligned to 64 bytes, with contents of earlier checks. */
#define SELFTEST_OWN_BYTES 1024
void *selftest_own(void);

#define SELFTEST_STORM_LIMIT 20		/* interrupts, in checks with too many of them */

/* Counts of the checks that have run, of all suites. */
struct selftest_tally {
	unsigned number, failed, skipped;

	/* Called for each check that fails, unless it is NULL. `of` replaces the '#' in the check's name, and is valid
	 * during the call only. */
	void (*report_failure)(const char *check, const char *of, const struct selftest_result *);
};

/* Prints the report, one or several lines at a time. The program that runs the self test defines it. */
void selftest_put(const char *text, size_t size);

/* Prints the number of the suites' checks (the first lines of TAP version 13), and returns it. */
unsigned selftest_plan(const struct selftest_suite *const *suites, size_t count);

/* Runs a suite's checks and prints TAP, a line per check. */
void selftest_run(const struct selftest_suite *suite, const struct selftest_snapshot *snapshot,
		  struct selftest_tally *tally);

#endif
