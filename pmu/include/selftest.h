/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot-time self test: boot/selftest.c runs it and prints TAP, one line per check. A shared
 * suite (boot/selftest_*.c) has the checks common to all PMUs: registers, counters, overflows, the
 * runtime. A target describes itself to the suite in pmu/<target>/selftest.c and adds its own
 * checks (boot/README.md, "A target's self test"). */
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

/* The shared suite's view of one register of the target's list. */
struct selftest_register {
	char name[32];
	const struct field *field;
	unsigned fields;
	uint32_t address;
	uint64_t reset;
	uint64_t defined;	/* bits that have a defined value at reset */
	uint64_t holds;		/* bits that must hold written values */
	uint64_t ignored;	/* bits that must read 0 after any write */
	uint64_t reserved;	/* bits that must fault when they are written as 1 */
	bool writable;		/* some write must succeed; false: every write must fault */
	const struct selftest_exception *exception;
};

/* Exceptions from the checks of a field list, for `count` registers from `address` up. */
struct selftest_exception {
	uint32_t address;
	uint8_t count;
	bool left_out;		/* not checked at all */
	uint64_t untried;	/* bits that are written with their reset values only */
	uint64_t unknown;	/* bits whose reset value is not checked */
	uint32_t with_address;	/* register that must hold `with_value` during the check; 0: none */
	uint64_t with_value;
};

#define SELFTEST_REGISTERS_MAX 64

/* From a list G(R, ...) of registers (regs.h), defines their field lists and, by LINE, the array
 * `registers`. SELFTEST_NUMBERED: registers named R, or R0, R1, ... at consecutive addresses.
 * SELFTEST_NAMED: each line has all values. */
#define SELFTEST_REGISTERS(LIST, LINE)				\
	LIST(SELFTEST_FIELDS)					\
	static const struct register_description registers[] = {LIST(LINE)};
#define SELFTEST_FIELDS(R, ...) static const struct field R##_fields[] = {R(FIELD_ROW, R)};
#define SELFTEST_NAMED(R, name, first, address, count, distance, ...)				\
	{name, first, address, count, distance, sizeof R##_fields / sizeof *R##_fields,	\
	 REGISTER_OF_THREAD, R##_fields},
#define SELFTEST_NUMBERED(R, address, count, ...) \
	SELFTEST_NAMED(R, #R, (count) > 1 ? 0 : -1, address, count, 1)

/* Checks are rows of a table. A check is a list of steps; it compares the value of the last step
 * with the expected one. It starts after pmu_begin with interrupts enabled, and may leave the PMU
 * in any state. */

/* The first problem of a check. */
enum selftest_problem {
	SELFTEST_NONE,
	SELFTEST_READ, SELFTEST_WRITE,	/* access to a register faulted unexpectedly */
	SELFTEST_READ_COUNTER,		/* reg_read_counter faulted unexpectedly */
	SELFTEST_STEP,			/* selftest_require failed */
	SELFTEST_SKIP,			/* no problem: the machine lacks a needed feature */
};

/* The result of a check. It passes if `expected` equals `found` and there is no problem. */
struct selftest_result {
	uint64_t expected, found;
	enum selftest_problem problem;
	uint32_t address;	/* of the register; or the index of the counter */
	const char *reason;	/* SELFTEST_SKIP: the missing feature */
};

/* A check. Runs once per counter in `each`; steps refer to the current counter as `it`. */
struct selftest_case {
	const char *name;		/* '#' stands for the counter's register, or an entry of
					 * `names` */
	uint64_t each;			/* bit mask of counter numbers; 0: once, for the first
					 * counter */
	uint64_t expected;
	bool control;			/* '#' stands for the control register */
	const char *const *names;	/* if not NULL: `each` are items of this list, from 0; `it`
					 * is the first counter */
	uint8_t tries;			/* runs until it passes, at most */
	/* If not 0, the check runs twice, the second time with `more` further instructions or
	 * ticks. The difference of the two results is compared, so that constant parts cancel. */
	uint64_t more;
	uint32_t needs;			/* shared suite: required properties of the suite and the
					 * counter */
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

/* A step is one of the macros below. No register of a target (regs.h) may have such a name. */
#define SELFTEST_DO(what, ...) {.action = SELFTEST_##what, __VA_ARGS__}

/* Privilege levels at which a counter counts; its overflow interrupt. */
#define AT_SUITE	0x00u		/* the level at which all counters can start together and
					 * interrupt */
#define AT_OS		0x01u		/* the highest level */
#define AT_PRIVILEGED	0x02u		/* the level between the two, if there is one */
#define AT_USER		0x08u		/* the lowest level */
#define AT_ALL		0x0Fu
#define INTERRUPTING	0x10u

/* Set counters up with a start value: `it` for its event, `it` for another event, all counters.
 * They do not count yet. */
#define SET(at, start)		SELFTEST_DO(SET, .a = (at), .b = (start))
#define SET_EVENT(text, start)	SELFTEST_DO(SET_EVENT, .event = (text), .b = (start))
#define SET_ALL(at, start)	SELFTEST_DO(SET_ALL, .a = (at), .b = (start))
#define FLIP(bits)		SELFTEST_DO(FLIP, .a = (bits))		/* flips control bits */
#define BY(counter)		SELFTEST_DO(BY, .a = (counter))		/* `it` from here on */

/* Write a register. */
#define PUT(value)		SELFTEST_DO(PUT, .a = (value))		/* the register of `it` */
#define PUT_CONTROL(value)	SELFTEST_DO(CONTROL, .a = (value))	/* control of `it` */
#define WRITE(address, value)	SELFTEST_DO(WRITE_REGISTER, .a = (address), .b = (value))

/* Count over exactly n instructions (struct selftest_suite.run). */
#define RUN(n)			SELFTEST_DO(RUN, .a = (n))
#define RUN_ALL(n)		SELFTEST_DO(RUN_ALL, .a = (n))		/* at the suite's level */
#define RUN_ALONE(n)		SELFTEST_DO(RUN_ALL, .a = (n), .b = true)	/* `it` alone */
/* Counts while a function executes n plus a constant number of instructions, or waits for n
 * ticks. */
#define RUN_BY(function, n)	SELFTEST_DO(RUN_BY, .a = (n), .execute = (function))
/* Executes without starting or stopping counters. */
#define EXECUTE(function, n)	SELFTEST_DO(EXECUTE, .a = (n), .execute = (function))
#define LET_COUNT		SELFTEST_DO(ENABLE, .a = true)		/* starts `it` */
#define STOP_ALL		SELFTEST_DO(ENABLE)			/* stops all counters */

/* Control interrupts. */
#define ALARM(ticks)		SELFTEST_DO(ALARM, .a = (ticks))
#define INTERRUPTS_ON		SELFTEST_DO(INTERRUPTS_ON)
#define INTERRUPTS_OFF		SELFTEST_DO(INTERRUPTS_OFF)
#define PMI_MASK		SELFTEST_DO(PMI_DROP)			/* overflow interrupt */
#define PMI_UNMASK		SELFTEST_DO(PMI_DELIVER)
#define WATCH(how)		SELFTEST_DO(WATCH, .a = (how))		/* selftest_watch */
#define WATCH_READING(how, address)	SELFTEST_DO(WATCH, .a = (how), .b = (address))
#define ACKNOWLEDGE(bits)	SELFTEST_DO(ACKNOWLEDGE, .a = (bits))	/* clears status bits */
#define ACKNOWLEDGE_IT		SELFTEST_DO(ACKNOWLEDGE, .b = true)

/* Starts a session of a list of events; of one of the suite's lists. */
#define START(events)		SELFTEST_DO(START, .event = (events))
#define START_OF(session)	SELFTEST_DO(START, .a = (session))
#define STOP			SELFTEST_DO(STOP)

/* THERE: the following steps run on the core's n-th thread after this one, n from `each`. HERE:
 * they run on this thread again. The other thread calls pmu_begin before its steps and after
 * them. */
#define THERE			SELFTEST_DO(THERE, .a = true)
#define HERE			SELFTEST_DO(THERE)

/* Steps that produce a value. */
#define FIND(function, with)	SELFTEST_DO(FIND, .find = (function), .a = (with))
#define VALUE			SELFTEST_DO(VALUE)			/* the register of `it` */
#define SUM(counters)		SELFTEST_DO(SUM, .a = (counters))	/* of these counters */
#define READ(address)		SELFTEST_DO(READ_REGISTER, .a = (address))
#define READ_CONTROL		SELFTEST_DO(READ_CONTROL)
#define READ_FAULTS(address)	SELFTEST_DO(READ_FAULTS, .a = (address))	/* true or false */
#define WRITE_FAULTS(address, value)	SELFTEST_DO(WRITE_FAULTS, .a = (address), .b = (value))
#define COUNTER_FAULTS(index)	SELFTEST_DO(COUNTER_FAULTS, .a = (index))	/* true, false */
#define OVERFLOWED		SELFTEST_DO(OVERFLOWED)			/* status bits */
#define SEEN(member)		SELFTEST_DO(SEEN, .a = offsetof(struct selftest_seen, member))
#define FROZEN			SELFTEST_DO(FROZEN)			/* 1: frozen */
#define COUNT_OF(event)		SELFTEST_DO(COUNT, .a = (event))	/* of the session */
#define COUNT_EACH		SELFTEST_DO(COUNT, .b = true)		/* count of event `each` */
#define SAMPLED_EACH		SELFTEST_DO(SAMPLED)			/* number of samples */
#define SAMPLES(level)		SELFTEST_DO(SAMPLES, .a = (level))	/* taken, at this level */
#define STATISTIC(member)	SELFTEST_DO(STATISTIC, .a = offsetof(struct pmu_statistics, member))
/* Count of an event by `it` over 1000 instructions; expected: all cycles, or 0. */
#define ALL_CYCLES(text)	SELFTEST_DO(CYCLES, .event = (text), .a = true)
#define NO_CYCLES(text)		SELFTEST_DO(CYCLES, .event = (text))

/* Steps that use the previous value. */
#define BITS(mask)		SELFTEST_DO(BITS, .a = (mask))		/* keeps these bits */
#define ABOVE(value)		SELFTEST_DO(ABOVE, .a = (value))	/* 1 if it is greater */
#define PER(value)		SELFTEST_DO(PER, .a = (value))		/* divides it by `value` */
#define REQUIRE(value)		SELFTEST_DO(REQUIRE, .a = (value))	/* else fails and ends */
#define EXPECT(times)		SELFTEST_DO(EXPECT, .a = (times))	/* expects times * this */
#define EXPECT_BIT		SELFTEST_DO(EXPECT)			/* expects bit `it` */

/* Sequences of steps.
 *	WRITTEN		register value after a write to a counter
 *	STOPPED_BY	count with flipped bits of the control register while all count
 *	WRAP		overflow by the first of 100 events
 *	OVERFLOW_ONCE	overflow after 50 of 1000 events
 *	ABSENT		a register that the processor lacks */
#define WRITTEN(value)		SET(AT_ALL, 0), PUT(value), VALUE
#define STOPPED_BY(bits)	SET_ALL(AT_SUITE, 0), FLIP(bits), RUN_ALL(100), VALUE
#define WRAP			SET(AT_ALL, -1ULL), RUN(100)
#define OVERFLOW_ONCE(interrupting)	SET(AT_SUITE | (interrupting), -50ULL), RUN_ALONE(1000)
#define ABSENT(address)		READ_FAULTS(address), REQUIRE(true), WRITE_FAULTS(address, 0), REQUIRE(true)

/* A target's description. The suite skips checks that need properties the target lacks. */

/* A group of like counters, for the shared checks. */
struct selftest_counters {
	uint8_t first, count;		/* first counter number; number of counters */
	const char *event;		/* event to count, in event_parse's syntax */
	bool exact;			/* the event occurs exactly once per instruction */
	const char *cycles;		/* event that counts cycles, the same for all groups that
					 * have one; NULL: none */
	uint64_t control;		/* their bits of the control register; 0: all bits */
	uint64_t interrupt;		/* bits of `control` that enable the overflow interrupt */
	/* Whether reg_read_counter reads them; index of the first one. */
	bool readable;
	uint32_t index;
};

/* Event lists for checks of the runtime. The first event of each list only counts. NULL: no such
 * checks. */
enum selftest_session {
	SELFTEST_OVERFLOWING,		/* further events overflow together, with a period of
					 * 1000 */
	SELFTEST_AT_USER,		/* at level 3 only; the second event samples the same event,
					 * with a period of 1000 */
	SELFTEST_STORM,			/* the second event samples the same event, with a period of
					 * 50 */
	/* As SELFTEST_STORM with a period of 10, which is shorter than the rest of the handler
	 * after it has started counters. Overflows can be non-maskable interrupts. */
	SELFTEST_NMIS,
	SELFTEST_SESSIONS
};

#define SELFTEST_GLOBAL		(1u << 0)	/* one write starts counters together and stops all
						 * others */
#define SELFTEST_LEVELS		(1u << 1)	/* counters can be restricted to privilege levels */
#define SELFTEST_INTERRUPTS	(1u << 2)	/* overflows interrupt only this CPU */
#define SELFTEST_NMI		(1u << 3)	/* overflow interrupts can be NMIs */
#define SELFTEST_MASKS		(1u << 4)	/* delivery masks the overflow interrupt (x86:
						 * LVTPC) */
#define SELFTEST_FREEZES	(1u << 5)	/* an interrupting overflow freezes the counters */
#define SELFTEST_HALTS		(1u << 6)	/* PAL_HALT_LIGHT also stops counters that the
						 * checks started directly */

struct selftest_suite {
	const struct pmu_driver *driver;
	const struct register_description *registers;
	size_t registers_count;
	const struct selftest_exception *exceptions;
	size_t exceptions_count;

	uint32_t has;				/* SELFTEST_* */
	const struct selftest_counters *counters;
	size_t counters_count;
	/* Counters start together only at the entry to the lowest level, and overflows interrupt
	 * only at that level. */
	bool at_user;

	bool control_starts;	/* a counter starts when its control register is written; `start`
				 * writes it */

	/* Registers with one bit per counter: enable (0 stops all counters), overflow status, clear
	 * overflow status. `enable_also`: bits of `enable` that are set while any counter
	 * counts. */
	uint32_t enable, status, clear;
	uint64_t enable_also;
	/* Bits of a register, and their value while an overflow has frozen the counters; address 0:
	 * none. */
	uint32_t freeze_address;
	uint64_t freeze_mask, frozen;

	/* Functions that replace these registers; NULL: the registers are used. `start`: exactly
	 * these counters count from now on; 0: none. `run`: they count over exactly n instructions
	 * between the write that starts them and the write that stops them, so that a counter of
	 * instructions counts n + 1. `overflowed`, `acknowledge`: read and clear overflow status
	 * bits. */
	void (*start)(uint64_t counters);
	void (*run)(uint64_t counters, uint64_t n);
	uint64_t (*overflowed)(void);
	void (*acknowledge)(uint64_t overflowed);
	/* For PMUs with precise traps: returns whether the current one is a precise trap, so that
	 * the trapped instruction is not repeated. NULL: the PMU has none. */
	bool (*precise)(void);

	const char *sessions[SELFTEST_SESSIONS];
	const struct selftest_case *cases;	/* the target's own checks */
	size_t cases_count;
};

/* Initializes a list of a suite from the array of the same name. */
#define SELFTEST_LIST(name) .name = name, .name##_count = sizeof name / sizeof *name

/* The suites linked into this program, ended by NULL (made from pmu/targets.tab). selftest_find
 * returns the suite of a target, or NULL. */
extern const struct selftest_suite *const selftest_suites[];
const struct selftest_suite *selftest_find(const char *target);

/* Stores the registers of a target's list that are checked, and returns their number. */
unsigned selftest_registers(const struct selftest_suite *suite,
			    struct selftest_register registers[SELFTEST_REGISTERS_MAX]);

/* Register values after reset. Take the snapshot before any write. */
struct selftest_snapshot {
	uint64_t value[SELFTEST_REGISTERS_MAX];
	uint64_t faults;	/* bit n: register n could not be read */
};

void selftest_take_snapshot(const struct selftest_suite *suite, struct selftest_snapshot *snapshot);

/* Notes a problem of the current check, unless it has one already. */
void selftest_note(enum selftest_problem problem, uint32_t address);

/* Functions for steps of checks. After a faulting register access, or another problem, the check
 * has failed but continues. */

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

/* Skips the check because the machine lacks something it needs: it neither passes nor fails. */
void selftest_skip(const char *reason);

/* Sets the expected value of the current check. */
void selftest_expect(uint64_t expected);

/*
 * The same for counters by number; `counters` is a bit mask
 */

/* Set a counter up. `at`: levels and INTERRUPTING, as in SET. If a write of the control register
 * starts the counter (control_starts), that write is left out; selftest_select returns its
 * value. */
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

/* Installs the checks' own overflow handler. It records the hardware's state, stops the counters
 * and clears the status. `reading`: a register that it also reads; 0: none. `how`: flags, and in
 * the low 8 bits the number of first interrupts that it ignores. */
#define WATCH_UNMASKS	0x100u		/* unmasks the vector's entry, which delivery has masked */
#define WATCH_SLOW	0x200u		/* executes 500 instructions first */
#define WATCH_RESTARTS	0x400u		/* first time only: `it` continues, overflows at once */
#define WATCH_NMI	0x800u		/* the interrupts are non-maskable */
#define WATCH_READS	0x1000u		/* reads counter `it` */
#define WATCH_CLEARS	0x2000u		/* writes 0 to the register after reading it */
#define WATCH_NOTHING	0x0FFu
void selftest_watch(unsigned counter, unsigned how, uint32_t reading);

/* Number of interrupts on a CPU, and data of the last one: precise trap or not, overflow status,
 * counters frozen or not, interrupted privilege level and address, value of the register
 * `reading`. */
struct selftest_seen {
	uint64_t interrupts, precise, status, frozen, level, ip, reading;
};

const struct selftest_seen *selftest_seen(unsigned cpu);

/* Start and stop a session of a list of events (one session at a time); return the count of one of
 * its events. */
void selftest_start(const char *events);
void selftest_stop(void);
uint64_t selftest_count(unsigned event);

/* Takes all samples. Returns the number taken at this privilege level. */
uint64_t selftest_samples(unsigned level);

/* Returns the CPU of the core's n-th thread after this one. If there is none, skips the check and
 * returns this CPU. */
unsigned selftest_thread(unsigned n);

/* Calls a function on another CPU and waits until it returns. Does nothing for this CPU. */
void selftest_call(unsigned cpu, void (*function)(void *argument), void *argument);

/* Functions for EXECUTE and RUN_BY: n instructions at the suite's level; n visits to the lowest
 * level; PAL_HALT_LIGHT, ended by an alarm after `ticks`. */
void selftest_execute(uint64_t n);
void selftest_visit_user(uint64_t n);
void selftest_light_halt(uint64_t ticks);

/* Returns memory for the checks of one suite, aligned to 64 bytes. It keeps its contents between
 * checks. */
#define SELFTEST_OWN_BYTES 1024
void *selftest_own(void);

#define SELFTEST_STORM_LIMIT 20		/* storm checks stop after so many interrupts */

/* Counts of checks over all suites. */
struct selftest_tally {
	unsigned number, failed, skipped;

	/* Called for each failing check, unless NULL. `of` replaces the '#' in the check's name; it
	 * is valid during the call only. */
	void (*report_failure)(const char *check, const char *of, const struct selftest_result *);
};

/* Prints one or several lines of the report. Defined by the program that runs the self test. */
void selftest_put(const char *text, size_t size);

/* Prints the number of the suites' checks (the first lines of TAP version 13) and returns it. */
unsigned selftest_plan(const struct selftest_suite *const *suites, size_t count);

/* Runs a suite's checks and prints TAP, one line per check. */
void selftest_run(const struct selftest_suite *suite, const struct selftest_snapshot *snapshot,
		  struct selftest_tally *tally);

#endif
