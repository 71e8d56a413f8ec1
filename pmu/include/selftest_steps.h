/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of checks as table rows, until all checks are functions. */
#ifndef SELFTEST_STEPS_H
#define SELFTEST_STEPS_H

struct selftest_step {
	uint8_t action;
	uint64_t a, b;
	const char *event;
	void (*execute)(uint64_t n);
	uint64_t (*find)(unsigned each, uint64_t parameter);
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

#endif
