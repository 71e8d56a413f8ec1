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
 * Checks
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

/* A check starts with the PMU just brought up (pmu_begin), interrupts on, and may leave it in any state. */
struct selftest_check {
	const char *name;
	struct selftest_result (*run)(unsigned parameter);
	unsigned parameter;
};

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

	/* What is written to a counter and read back, width and sign extension. */
	const struct selftest_written {
		const char *name;
		uint64_t written, read;
	} *written;

	/* Bits of the control register that stop a counter when they are flipped, whatever the others do. */
	const struct selftest_stop {
		const char *name;
		uint64_t flip;
	} *stop;

	/* An event that counts all cycles, as the counters with `cycles` do, or none. */
	const struct selftest_condition {
		const char *name, *event;
		bool all;
	} *condition;
};

/* What a counter counts over 100 instructions at the highest level, under conditions that only this PMU has. */
struct selftest_case {
	const char *name;
	uint8_t counter;		/* its number */
	uint64_t flip;			/* bits of its control register, set up for its event */
	struct {
		uint32_t address;
		uint64_t value;
	} write[4];			/* other registers; address 0: none */
	uint64_t expected;
};

/* Lists of events for the checks of the runtime on top. The first of each only counts. NULL: these are left out. */
struct selftest_sessions {
	const char *overflowing;	/* and some that overflow together, each with a period of 1000 */
	const char *user;		/* at level 3 only, and one that samples the same, each 1000 */
	const char *storm;		/* and one that samples the same, each 50 */
	const char *nmi;		/* the same, each 10: shorter than what is left of the handler when it lets
					 * counters go on. Overflows can be non-maskable interrupts */
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

	struct selftest_sessions sessions;
	const struct selftest_case *cases;	/* its own */
	size_t cases_count;
	const struct selftest_check *checks;	/* those that take more than a case */
	size_t checks_count;
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

/* Ends a check. */
struct selftest_result selftest_compare(uint64_t expected, uint64_t found);

/*
 * Steps with counters, by their numbers; `counters` are bits
 */

/* Levels. */
#define SELFTEST_OS	0x1u		/* the highest */
#define SELFTEST_USER	0x8u		/* the lowest */
#define SELFTEST_ALL	0xFu

/* Sets a counter up to count its event, or another one, from `start`; flips bits of its control register; what that is
 * then. It is not written where that would start the counter (control_starts). */
void selftest_set(unsigned counter, unsigned levels, bool interrupt, uint64_t start);
void selftest_set_event(unsigned counter, const char *event, uint64_t start);
void selftest_flip(unsigned counter, uint64_t bits);
uint64_t selftest_select(unsigned counter);

void selftest_enable(uint64_t counters);
void selftest_run_counters(uint64_t counters, uint64_t n);	/* struct selftest_suite.run */
void selftest_run_user(uint64_t counters, uint64_t n);		/* at level 3, and a constant number above */
uint64_t selftest_value(unsigned counter);
uint64_t selftest_overflowed(void);
void selftest_acknowledge(uint64_t overflowed);

/* Has overflow interrupts end with the counters stopped and the status cleared. What the last one found: the status as
 * it was, whether the counters were frozen. Where the vector's entry is masked by delivery, it stays so. */
void selftest_watch(enum hal_pmi_delivery delivery);

struct selftest_seen {
	unsigned interrupts;
	uint64_t status;
	bool frozen;
};

struct selftest_seen selftest_seen(void);

/* Whether an overflow has frozen the counters (freeze_address). */
bool selftest_frozen(void);

/* One overflow after 50 events, of 1000, at a level at which it interrupts if it is to. */
void selftest_overflow_once(unsigned counter, bool interrupt);

/* What a counter counts of an event while the lowest level is visited so often. */
uint64_t selftest_count_visits(unsigned counter, const char *event, unsigned visits);

/* One session at a time, of a list of events; the count of one of them; the session. */
void selftest_start(const char *events);
void selftest_stop(void);
uint64_t selftest_count(unsigned event);
const struct pmu_session *selftest_session(void);

/* Has another CPU call a function, and waits for its end; does nothing for this CPU. */
void selftest_call(unsigned cpu, void (*function)(void *argument), void *argument);

/* PAL_HALT_LIGHT, ended by an alarm after `ticks`. */
void selftest_light_halt(uint32_t ticks);

#define SELFTEST_STORM_LIMIT 20		/* interrupts, in checks that have too many of them */

/* Of registers that the processor has not: reads and writes fault. Bit i: those of the i-th do. And of
 * reg_read_counter: it faults. */
struct selftest_result selftest_absent(const uint32_t *addresses, unsigned count);
struct selftest_result selftest_no_counter(unsigned index);

/* Of the checks that have run, whichever suites they are of. */
struct selftest_tally {
	unsigned number, failed, skipped;
};

/* Prints how many checks the suites have: TAP version 13's first lines. */
void selftest_plan(const struct selftest_suite *const *suites, size_t count);

/* Runs a suite's checks and prints TAP, a line a check. */
void selftest_run(const struct selftest_suite *suite, const struct selftest_snapshot *snapshot,
		  struct selftest_tally *tally);

#endif
