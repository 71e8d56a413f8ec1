/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SPARC T4's overflow traps and the handler that serves them: SPARC T4 Supplement to Oracle SPARC Architecture 2011,
 * draft D0.4, sections 10.2 and 10.3 ("the manual"). Spin searches every program: every sequence of
 * instructions, counted events, lost traps, and polls by the timer.
 *
 * spin -DCOUNTERS=n   counters of the strand
 *      -DSORTED       counters are interchangeable: each combination once
 *      -DARM=n        a counter is armed for 1 to n events before it overflows
 *      -DDEVICES      loads may go to I/O space
 *      -DRULE=name    rule by which the handler chooses DONE or RETRY (below)
 *      -DORDER=a,b... the handler's steps in their order
 *      -DNO_TIMER     no timer polls the counters
 *      -DPROBES       scenarios, as assertions that fail if they occur
 *      -DLIVENESS     each overflow is eventually served
 */
#ifndef COUNTERS
#define COUNTERS 2
#endif
#ifndef ARM
#define ARM 1
#endif
#ifndef RULE
#define RULE instruction_then_counters
#endif

/* The handler's steps. */
#define READ	1	/* ov of all counters */
#define CHOOSE	2	/* DONE or RETRY, if the trap is a precise one */
#define CLEAR	3	/* ov and ntc of the counters that were read := 0 */
#define SERVE	4	/* accounts for each of these and arms it again */
#ifndef ORDER
#define ORDER READ,CHOOSE,CLEAR,SERVE
#endif
#define STEPS 4
hidden byte order[STEPS] = { ORDER };

/*
 * Kinds of instructions. An atomic is always a next-to-commit instruction; a load is one if it goes to I/O space, which
 * its encoding does not say; any other never is (Table 10-1, footnote 1).
 */
#define OTHER	0
#define ATOMIC	1
#define LOAD	2
#define KINDS	3

/* How a counter's overflow traps (10.3, Table 10-1, toe). */
#define PRECISELY	0	/* at the instruction, but not if that enters hyperprivileged mode: then it is lost */
#define NEVER		1	/* toe is 0, or ht is 1 and the event is a precise one */
#define LATER		2	/* a disrupting trap, while ov is set and the mode is not hyperprivileged */
#define LATER_HERE	3	/* the same, and it counts in hyperprivileged mode, too (ht): while the handler executes */

typedef counter_state {
	/* Its use, which is constant. */
	byte traps;
	bool counts[KINDS];
	bool each;		/* it counts each instruction of these kinds: Instr_ld. If not, some of them: cache misses */
	/* PCR and PIC. */
	bool ov, ntc;
	byte left;		/* events until it overflows; 0: it has, and will again in 2^32 */
	bool zero;		/* the PIC is 0: it has counted nothing since it overflowed */
	/* The handler's. */
	bool due;		/* it has read ov, and not accounted for it */
	bool uncleared;		/* it has read ov, and not cleared it */
	/* Unknown to software: overflows less overflows accounted for; whether it overflows now. */
	short owed;
	bool fresh
};
counter_state c[COUNTERS];

/* The strand. */
byte at;			/* 0: the program executes; else the handler's next step; STEPS + 1: its return */
bool precise;			/* the handler serves a precise trap (its type says so) */
byte kind;			/* kind of the instruction that has trapped */
byte executed;			/* how often this instruction has executed */
bool done;			/* the handler ends with DONE, which goes on after that instruction */
bool tick;			/* the timer has interrupted, and is not served yet */

/* Overflows that can still be accounted for: the PCR shows them and was not read since, or the
 * handler has read them. */
#define KNOWN(i)	((c[i].ov && !c[i].uncleared -> 1 : 0) + (c[i].due -> 1 : 0))

/*
 * Properties. Spin prints the name of one that fails.
 *
 * not_skipped		A trapped instruction has executed when the program continues after it.
 * not_repeated		It has executed once, except for a load that may be from I/O space in the
 *			one undecidable case.
 * nothing_waits	When the handler returns, no counter that does not count in the handler has
 *			ov. Else this counter never traps precisely again.
 * accounted		Each overflow is accounted for, or still can be: none is lost or accounted
 *			for twice.
 */
hidden byte not_skipped, not_repeated, nothing_waits, accounted;
hidden byte i, j;
hidden byte with, without, decided, found;

inline check() {
	d_step {
		accounted = true;
		for (i : 0 .. COUNTERS - 1) {
			accounted = accounted && c[i].owed == KNOWN(i)
		}
		assert(accounted)
	}
}

/* Two counters at 0 disagree, and none of them counts each load: no register shows which one has
 * overflowed now. */
#define MAY_HAVE_TRAPPED(i)	(c[i].traps == PRECISELY && c[i].ov && c[i].zero && c[i].counts[LOAD])
bool undecidable;

inline find_undecidable() {
	with = false;
	without = false;
	decided = false;
	for (i : 0 .. COUNTERS - 1) {
		with = with || (MAY_HAVE_TRAPPED(i) && c[i].ntc);
		without = without || (MAY_HAVE_TRAPPED(i) && !c[i].ntc);
		decided = decided || (MAY_HAVE_TRAPPED(i) && c[i].each)
	}
	undecidable = kind == LOAD && with && without && !decided
}

#ifdef PROBES
hidden byte two_at_once, a_lost_one, one_with_ntc_before_another, one_at_zero_before_a_load, an_atomic_done, a_load_done,
	one_while_others_are_served, one_found_by_the_timer, an_undecidable_one;
#define probe(name, scenario)	name = !(scenario); assert(name)
#else
#define probe(name, scenario)	skip
#endif

/*
 * Rules: whether the instruction at %tpc has executed
 */

/* Any counter that traps precisely and has ov and ntc says so. */
inline any_ntc() {
	done = false;
	for (i : 0 .. COUNTERS - 1) {
		done = done || (c[i].traps == PRECISELY && c[i].ov && c[i].ntc)
	}
}

/* The same, if the instruction can be a next-to-commit one. */
inline instruction_and_any_ntc() {
	any_ntc();
	done = done && kind != OTHER
}

/* All counters at 0 that trap precisely have ntc: an instruction that cannot be read. */
inline counters() {
	with = false;
	without = false;
	for (i : 0 .. COUNTERS - 1) {
		found = c[i].traps == PRECISELY && c[i].ov && c[i].zero;
		with = with || (found && c[i].ntc);
		without = without || (found && !c[i].ntc)
	}
	done = with && !without
}

/* The same without a look at the PIC. */
inline counters_at_any_count() {
	with = false;
	without = false;
	for (i : 0 .. COUNTERS - 1) {
		found = c[i].traps == PRECISELY && c[i].ov;
		with = with || (found && c[i].ntc);
		without = without || (found && !c[i].ntc)
	}
	done = with && !without
}

/* The handler's: an atomic has executed, any other instruction has not; of a load those counters at 0 decide that may
 * have counted it, one that counts each load before all others. */
inline instruction_then_counters() {
	with = false;
	without = false;
	decided = false;
	for (i : 0 .. COUNTERS - 1) {
		if
		:: !decided && MAY_HAVE_TRAPPED(i) && c[i].each ->
			decided = true;
			with = c[i].ntc;
			without = !c[i].ntc
		:: !decided && MAY_HAVE_TRAPPED(i) && !c[i].each ->
			with = with || c[i].ntc;
			without = without || !c[i].ntc
		:: else
		fi
	}
	done = kind == ATOMIC || (kind == LOAD && with && !without)
}

/* The same without a look at how counters trap. */
inline instruction_then_all_counters() {
	with = false;
	without = false;
	for (i : 0 .. COUNTERS - 1) {
		found = c[i].ov && c[i].zero && c[i].counts[LOAD];
		with = with || (found && c[i].ntc);
		without = without || (found && !c[i].ntc)
	}
	done = kind == ATOMIC || (kind == LOAD && with && !without)
}

/*
 * Counters
 */

inline count(n, is_ntc) {
	if
	:: c[n].left > 0 ->
		c[n].left = c[n].left - 1;
		if
		:: c[n].left == 0 ->
			probe(one_while_others_are_served, at > 1);
			printf("counter %d overflows\n", n);
			c[n].ov = true;
			c[n].ntc = c[n].ntc || is_ntc;
			c[n].zero = true;
			c[n].fresh = true;
			c[n].owed = (c[n].owed < 2 -> c[n].owed + 1 : 2)
		:: else
		fi
	:: else -> c[n].zero = false
	fi
}

/* The period less the events since the overflow: any number. */
inline arm(n) {
	c[n].left = 1;
	do
	:: c[n].left < ARM -> c[n].left = c[n].left + 1
	:: break
	od
}

/*
 * The program
 */

hidden byte ntc, enters, traps;

inline begin_precise() {
	printf("precise trap\n");
	at = 1;
	precise = true;
	executed = (ntc -> 1 : 0);
	find_undecidable();
	probe(two_at_once, c[0].fresh && c[1].fresh);
	probe(one_with_ntc_before_another, kind == OTHER && c[0].traps == PRECISELY && c[0].ntc);
	probe(one_at_zero_before_a_load, kind == LOAD && MAY_HAVE_TRAPPED(0) && !c[0].fresh && c[0].ntc != ntc);
	probe(an_undecidable_one, undecidable)
}

/* An instruction, which may enter hyperprivileged mode for a reason of its own. */
inline execute() {
	ntc = false;
	enters = false;
	if
	:: kind = OTHER
	:: kind = ATOMIC; ntc = true
	:: kind = LOAD
#ifdef DEVICES
	:: kind = LOAD; ntc = true
#endif
	fi;
	if
	:: enters = true
	:: true
	fi;
	printf("instruction: kind %d, next to commit %d, enters hyperprivileged mode %d\n", kind, ntc, enters);
	traps = false;
	for (j : 0 .. COUNTERS - 1) {
		if
		:: c[j].counts[kind] ->
			count(j, ntc);
			traps = traps || (c[j].fresh && c[j].traps == PRECISELY)
		:: !c[j].each || !c[j].counts[kind]
		fi
	}
	probe(a_lost_one, traps && enters);
	if
	:: traps && !enters -> begin_precise()
	:: else -> kind = OTHER
	fi;
	for (j : 0 .. COUNTERS - 1) {
		c[j].fresh = false
	}
}

/*
 * The handler
 */

inline do_step(step) {
	if
	:: step == READ ->
		for (j : 0 .. COUNTERS - 1) {
			c[j].due = c[j].ov;
			c[j].uncleared = c[j].ov
		}
	:: step == CHOOSE ->
		if
		:: precise ->
			RULE();
			probe(an_atomic_done, done && kind == ATOMIC);
			probe(a_load_done, done && kind == LOAD)
		:: else
		fi
	:: step == CLEAR ->
		for (j : 0 .. COUNTERS - 1) {
			if
			:: c[j].uncleared ->
				c[j].ov = false;
				c[j].ntc = false;
				c[j].uncleared = false
			:: else
			fi
		}
	:: step == SERVE ->
		for (j : 0 .. COUNTERS - 1) {
			if
			:: c[j].due ->
				probe(one_found_by_the_timer, !precise && c[j].traps == PRECISELY);
				c[j].due = false;
				c[j].owed = (c[j].owed > -1 -> c[j].owed - 1 : -1);
				c[j].zero = false;
				arm(j)
			:: else
			fi
		}
	fi;
	printf("step %d\n", step)
}

/* Counters with ht count in the handler. */
inline count_here() {
	for (j : 0 .. COUNTERS - 1) {
		if
		:: c[j].traps == LATER_HERE -> count(j, false)
		:: true
		fi;
		c[j].fresh = false
	}
}

inline go_on() {
	printf("the handler returns, DONE %d\n", done);
	if
	:: precise ->
		executed = executed + (done -> 0 : 1);
		not_skipped = executed > 0;
		assert(not_skipped);
		not_repeated = executed < 2 || undecidable;
		assert(not_repeated)
	:: else
	fi;
	nothing_waits = true;
	for (j : 0 .. COUNTERS - 1) {
		nothing_waits = nothing_waits && (!c[j].ov || c[j].traps == LATER_HERE);
		c[j].due = false;
		c[j].uncleared = false
	}
	assert(nothing_waits);
	at = 0;
	precise = false;
	kind = OTHER;
	executed = 0;
	done = false;
	undecidable = false
}

/*
 * The strand
 */

/* A counter's use, as a number. For a precise counter: the set of kinds that it counts, and whether
 * it counts each instruction of these. Other counters count any instructions; no rule depends on
 * their events. */
#define PRECISE_ONES	14
#define USES		(PRECISE_ONES + 3)

inline choose_use(n) {
#ifdef SORTED
	select(use : use .. USES - 1);
#else
	select(use : 0 .. USES - 1);
#endif
	c[n].left = 1;
	c[n].traps = (use < PRECISE_ONES -> PRECISELY : use - PRECISE_ONES + NEVER);
	c[n].each = use < PRECISE_ONES && use % 2 == 1;
	for (i : 0 .. KINDS - 1) {
		c[n].counts[i] = use >= PRECISE_ONES || ((use / 2 + 1) >> i) % 2 == 1
	}
}

inline find_pending() {
	found = false;
	for (i : 0 .. COUNTERS - 1) {
		found = found || (c[i].ov && c[i].traps >= LATER)
	}
}

active proctype strand() {
	byte use;

	atomic {
		for (j : 0 .. COUNTERS - 1) {
			choose_use(j)
		}
	}
	do
	:: atomic {
		at == 0 && !tick ->
		find_pending();
		if
		:: found ->
			printf("disrupting trap\n");
			at = 1
		:: true -> execute()
		fi;
		check()
	}
	:: atomic {
		at == 0 && tick ->
		printf("the timer interrupts\n");
		tick = false;
		at = 1
	}
	:: atomic {
		at > 0 && at <= STEPS ->
		count_here();
		do_step(order[at - 1]);
		at = at + 1;
		check()
	}
	:: atomic {
		at == STEPS + 1 ->
		count_here();
		go_on();
		check()
	}
	od
}

#ifndef NO_TIMER
active proctype timer() {
	do
	:: !tick -> tick = true
	od
}
#endif

#ifdef LIVENESS
ltl served { [] (c[0].owed > 0 -> <> (c[0].owed == 0)) }
#endif
