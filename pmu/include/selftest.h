/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot-time self test, which prints TAP, one line per check. A shared suite (pmu/selftest) has
 * the checks common to all PMUs: registers, counters, overflows, the runtime. A target describes
 * itself to the suite in pmu/<target>/selftest.c and adds its own checks
 * (pmu/selftest/README.md). */
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

/*
 * Checks
 */

/* The first problem of a check. */
enum selftest_problem {
	SELFTEST_NONE,
	SELFTEST_READ, SELFTEST_WRITE,	/* access to a register faulted unexpectedly */
	SELFTEST_READ_COUNTER,		/* reg_read_counter faulted unexpectedly */
	SELFTEST_STEP,			/* a requirement of the check is not met */
	SELFTEST_SKIP,			/* no problem: the machine lacks a needed feature */
};

/* The result of a check. It passes if `expected` equals `found` and there is no problem. */
struct selftest_result {
	uint64_t expected, found;
	enum selftest_problem problem;
	uint32_t address;	/* of the register; or the index of the counter */
	const char *reason;	/* SELFTEST_SKIP: the missing feature */
};

/* A check: a function and its data. The function starts after pmu_begin with interrupts enabled,
 * and may leave the PMU in any state. It returns the value to compare with the expected one. */
struct selftest_case {
	const char *name;		/* '#' stands for the counter's register, or an entry of
					 * `names` */
	uint64_t each;			/* bit mask of counter numbers: the check runs once for
					 * each; 0: once, for the first counter */
	uint64_t expected;		/* selftest_expect replaces it */
	uint64_t (*run)(unsigned each);	/* argument: the counter's number, or the index in
					 * `names` */
	bool control;			/* '#' stands for the control register */
	const char *const *names;	/* if not NULL: `each` are items of this list, from 0 */
	uint8_t tries;			/* runs until it passes, at most */
	/* If not 0, the check runs twice; selftest_more returns 0 the first time and `more` the
	 * second time. The difference of the two results is compared, so that constant parts
	 * cancel. */
	uint64_t more;
	uint64_t needs;			/* required properties of the suite (SELFTEST_*), in the
					 * shared suite also of the counter */
};

#define BIT(n)	(1ULL << (n))		/* a counter's bit in a bit mask of counters */

/* Privilege levels at which a counter counts; its overflow interrupt. */
#define AT_SUITE	0x00u		/* the level at which all counters can start together and
					 * interrupt */
#define AT_OS		0x01u		/* the highest level */
#define AT_PRIVILEGED	0x02u		/* the level between the two, if there is one */
#define AT_USER		0x08u		/* the lowest level */
#define AT_ALL		0x0Fu
#define INTERRUPTING	0x10u

/* A target's description. The suite skips checks that need properties the target lacks, and
 * counters that the processor lacks (pmu_driver.shape). */

/* A group of like counters, for the shared checks. */
struct selftest_counters {
	uint8_t first, count;		/* first counter number; number of counters */
	const char *event;		/* event to count, in event_parse's syntax */
	bool exact;			/* the event occurs exactly once per instruction */
	const char *cycles;		/* event that counts cycles, the same for all groups that
					 * have one; NULL: none */
	uint64_t control;		/* their bits of the control register; 0: all bits */
	uint64_t interrupt;		/* bits of `control` that enable the overflow interrupt */
	bool conditions;		/* thresholds, inversion and edges of the driver's event of
					 * cycles */
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

#define SELFTEST_NO_STATUS	(1u << 7)	/* no register shows an overflow */
#define SELFTEST_OWN(n)		(1u << (8 + (n))) /* the target's own properties, n from 0 to 23 */

struct selftest_suite {
	const struct pmu_driver *driver;

	/* If the driver enumerates its processor. `of_processor`: returns the suite for the
	 * processor that the probe found; its own `of_processor` is not called. `adapt`: restricts
	 * a register to the bits that this processor has; false: it lacks the register. NULL: all
	 * processors are alike. */
	const struct selftest_suite *(*of_processor)(void);
	bool (*adapt)(struct selftest_register *r);

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
	uint64_t start_bit;	/* the bit of a control register that starts its counter, if
				 * nothing else does: replaces `start`, `run`, `enable` */

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

	/* Checks that some PMUs share, run before `cases`: selftest_global, or NULL. They use
	 * `set`, which sets overflow status bits (0: none), and `freeze_enable`, which holds 0 if
	 * an overflow is not to freeze. */
	const struct selftest_case *further;
	const size_t *further_count;
	uint32_t set, freeze_enable;

	const char *sessions[SELFTEST_SESSIONS];
	const struct selftest_case *cases;	/* the target's own checks */
	size_t cases_count;
};

/* Checks of cycles that meet a condition, of a freeze, of a status that software sets
 * (pmu/selftest/global.c; not in images). */
extern const struct selftest_case selftest_global[];
extern const size_t selftest_global_count;

/* Initializes a list of a suite from the array of the same name. */
#define SELFTEST_LIST(name) .name = name, .name##_count = sizeof name / sizeof *name

/* The suites linked into this program, ended by NULL (made from pmu/targets.tab). selftest_find
 * returns the suite of a target, or NULL. */
extern const struct selftest_suite *const selftest_suites[];
const struct selftest_suite *selftest_find(const char *target);

/* Stores the registers of a target's list that are checked, and returns their number. */
unsigned selftest_registers(const struct selftest_suite *suite,
			    struct selftest_register registers[SELFTEST_REGISTERS_MAX]);

/* Register values after reset. Take the snapshot before any write. It probes the processor. */
struct selftest_snapshot {
	uint64_t value[SELFTEST_REGISTERS_MAX];
	uint64_t faults;	/* bit n: register n could not be read */
};

void selftest_take_snapshot(const struct selftest_suite *suite, struct selftest_snapshot *snapshot);

/*
 * Functions of checks. After a faulting register access, or another problem, the check has failed
 * but continues.
 */

/* Notes a problem of the current check, unless it has one already. */
void selftest_note(enum selftest_problem problem, uint32_t address);

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

/* Fails the check unless `ok`. */
void selftest_require(bool ok);

/* Unless they are equal, fails the check with `found` as its result, and returns false: the check
 * may return any value. It also returns false if the check has failed already, or is skipped. */
bool selftest_require_equal(uint64_t found, uint64_t required);

/* Skips the check because the machine lacks something it needs: it neither passes nor fails. */
void selftest_skip(const char *reason);

/* Sets the expected value of the current check. */
void selftest_expect(uint64_t expected);

/* Further instructions or ticks of this run of the check (struct selftest_case). */
uint64_t selftest_more(void);

/* Whether the access faults, as it must. */
bool selftest_read_faults(uint32_t address);
bool selftest_write_faults(uint32_t address, uint64_t value);
bool selftest_counter_faults(uint32_t index);	/* reg_read_counter */

/* Requires that the processor lacks a register. */
void selftest_require_absent(uint32_t address);

/*
 * Counters, by number
 */

/* Set a counter up, for its event or for another one, or set all up. It does not count yet. `at`:
 * AT_* and INTERRUPTING. If a write of the control register starts the counter (control_starts),
 * that write is left out; selftest_select returns its value. selftest_flip: flips control bits. */
void selftest_set(unsigned counter, unsigned at, uint64_t start);
void selftest_set_event(unsigned counter, const char *event, uint64_t start);
void selftest_set_all(unsigned at, uint64_t start);
void selftest_flip(unsigned counter, uint64_t bits);
uint64_t selftest_select(unsigned counter);

/* Count over exactly n instructions (struct selftest_suite.run): one counter; several; one or
 * several at the suite's level. */
void selftest_run(unsigned counter, uint64_t n);
void selftest_run_counters(uint64_t counters, uint64_t n);
void selftest_run_alone(unsigned counter, uint64_t n);
void selftest_run_all(uint64_t n);

/* Count while a function executes n plus a constant number of instructions, or waits for n
 * ticks. */
void selftest_run_by(void (*execute)(uint64_t n), unsigned counter, uint64_t n);
void selftest_run_counters_by(void (*execute)(uint64_t n), uint64_t counters, uint64_t n);

/* Exactly these counters count from now on; 0: none. */
void selftest_enable(uint64_t counters);

/* Registers of a counter. */
uint64_t selftest_value(unsigned counter);
uint64_t selftest_sum(uint64_t counters);			/* of their values */
uint64_t selftest_control(unsigned counter);
void selftest_write_value(unsigned counter, uint64_t value);
void selftest_write_control(unsigned counter, uint64_t control);

/* Overflow status bits. */
uint64_t selftest_overflowed(void);
void selftest_acknowledge(uint64_t overflowed);
uint64_t selftest_all_counters(void);

/* Sequences that many checks share.
 *	written		writes a value to a counter; returns the register's value
 *	stopped_by	all counters count, one of them with flipped control bits; returns its count
 *	wrap		overflow by the first of 100 events
 *	overflow_once	overflow after 50 of 1000 events; `interrupting`: INTERRUPTING or 0
 *	all_cycles	returns the count of an event over 1000 instructions; expects all cycles
 *	no_cycles	the same; expects 0 */
uint64_t selftest_written(unsigned counter, uint64_t value);
uint64_t selftest_stopped_by(unsigned counter, uint64_t bits);
void selftest_wrap(unsigned counter);
void selftest_overflow_once(unsigned counter, unsigned interrupting);
uint64_t selftest_all_cycles(unsigned counter, const char *event);
uint64_t selftest_no_cycles(unsigned counter, const char *event);

/* An event at the highest level; the same event at the lowest level; code that raises it at the
 * highest level. */
struct selftest_raised {
	const char *event, *at_user;
	void (*execute)(uint64_t n);
	uint64_t n;
};

#define SELFTEST_RAISED(event, execute, n) {event ":k", event ":u", execute, n}

/* Returns whether a counter counts the event while the code executes, and another one, which counts
 * it at the lowest level only, does not. */
bool selftest_counts_raised(const struct selftest_raised *r, unsigned counter, unsigned other);

/*
 * Interrupts
 */

/* Installs the checks' own overflow handler. It records the hardware's state, stops the counters
 * and clears the status. `reading`: a register that it also reads; 0: none. `how`: flags, and in
 * the low 8 bits the number of first interrupts that it ignores. */
#define WATCH_UNMASKS	0x100u		/* unmasks the vector's entry, which delivery has masked */
#define WATCH_SLOW	0x200u		/* executes 500 instructions first */
#define WATCH_RESTARTS	0x400u		/* first time only: `counter` continues, overflows at
					 * once */
#define WATCH_NMI	0x800u		/* the interrupts are non-maskable */
#define WATCH_READS	0x1000u		/* reads `counter` */
#define WATCH_CLEARS	0x2000u		/* writes 0 to the register after reading it */
#define WATCH_NOTHING	0x0FFu
void selftest_watch(unsigned counter, unsigned how, uint32_t reading);

/* Number of interrupts on a CPU, and data of the last one: precise trap or not, overflow status,
 * counters frozen or not, interrupted privilege level and address, value of the register
 * `reading`. */
struct selftest_seen {
	uint64_t interrupts, precise, status, frozen, level, ip, reading;
};

const struct selftest_seen *selftest_seen(void);		/* on this CPU */
const struct selftest_seen *selftest_seen_on(unsigned cpu);

/* Whether an overflow has frozen the counters: when the handler ran, or now if it did not. */
bool selftest_frozen(void);

/*
 * Sessions, one at a time: of a list of events; of one of the suite's lists
 */

void selftest_start(const char *events);
void selftest_start_listed(enum selftest_session session);
void selftest_stop(void);

/* The count of one of the session's events; the number of samples it took. */
uint64_t selftest_count(unsigned event);
uint64_t selftest_sampled(unsigned event);

/* Takes all samples. Returns the number taken at this privilege level. */
uint64_t selftest_samples(unsigned level);

struct pmu_statistics selftest_statistics(void);

/*
 * Other CPUs
 */

/* Calls a function on the core's n-th thread after this one, which calls pmu_begin before it and
 * at the end of the check. Skips the check if there is no such thread. */
void selftest_on_thread(unsigned n, void (*function)(void *argument), void *argument);

/* Returns the CPU of the core's n-th thread after this one. If there is none, skips the check and
 * returns this CPU. */
unsigned selftest_thread(unsigned n);

/* Calls a function on another CPU and waits until it returns. Does nothing for this CPU. */
void selftest_call(unsigned cpu, void (*function)(void *argument), void *argument);

/*
 * Functions to execute: n instructions at the suite's level; n visits to the lowest level;
 * PAL_HALT_LIGHT, ended by an alarm after `ticks`
 */

void selftest_execute(uint64_t n);
void selftest_visit_user(uint64_t n);
void selftest_light_halt(uint64_t ticks);

/* Returns memory for the checks of one suite, aligned to 64 bytes. It keeps its contents between
 * checks. */
#define SELFTEST_OWN_BYTES 1024
void *selftest_own(void);

#define SELFTEST_STORM_LIMIT 20		/* storm checks stop after so many interrupts */

/*
 * Running a suite
 */

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
void selftest_run_suite(const struct selftest_suite *suite,
			const struct selftest_snapshot *snapshot, struct selftest_tally *tally);

#endif
