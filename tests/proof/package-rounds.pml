/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU that the cores of a package share (Nehalem's uncore), and the protocol by which its CPUs serve overflows:
 * pmu/README.md, "A PMU that cores share". A step is one access to a word of struct pmu_shared, to a register, or to
 * data that the lock guards. Its comment names the function and the statement in C. A function's statements stand here
 * in the order of its code: the script steps compares them.
 *
 * spin -DCPUS=n        CPUs of the package, 2 or 3
 *      -DCOUNTERS=n    counters, 1 or 2
 *      -DNMI=true      the overflow interrupt is an NMI: it also comes while a call has turned interrupts off
 *      -DCALLS=a+b...  calls of CPU 0's program: START, STOP, OPEN, CLOSE, READ, BEGIN, LEAVE, MASK
 *      -DOTHERS=a+b... calls of the other CPUs' programs; without: the same
 *      -DTURNS=n       serve_if_complete serves at most n rounds; without: all complete rounds
 *      -DWITHOUT=s     leaves a step out; -DLATE=s: does it after the step that follows it
 *      -DPROBES        scenarios, as assertions that fail if they occur
 *      -DLIVENESS      the lock is eventually released, and overflows are served
 */
#ifndef CPUS
#define CPUS 2
#endif
#ifndef COUNTERS
#define COUNTERS 1
#endif
#ifndef NMI
#define NMI false
#endif
#ifndef CALLS
#define CALLS START + STOP
#endif
#ifndef OTHERS
#define OTHERS CALLS
#endif
#ifndef TURNS
#define TURNS 0
#endif
#ifndef WITHOUT
#define WITHOUT NOTHING
#endif
#ifndef LATE
#define LATE NOTHING
#endif
#define NOTHING	0

/* Calls of programs. */
#define START	1	/* pmu_start */
#define STOP	2	/* pmu_stop */
#define OPEN	4	/* pmu_open */
#define CLOSE	8	/* pmu_close */
#define READ	16	/* pmu_read */
#define BEGIN	32	/* pmu_begin with the package's PMU: for the first time, or anew */
#define LEAVE	64	/* pmu_begin with the cores' PMU alone */
#define MASK	128	/* pmu_stop of the CPU's own session: the overflow interrupt is masked meanwhile */
#define RELEASED 3	/* a call that has released the lock and looks at the round */
#define MAY(kind)	(((me == 0 -> (CALLS) : (OTHERS)) & (kind)) != 0)
#define ANYBODY(kind)	((((CALLS) | (OTHERS)) & (kind)) != 0)

/* Steps that can be left out or be late, and their purpose. */
#define HALT		1	/* the counters are stopped before a change */
#define END		2	/* the round is closed before counters change */
#define WAIT		3	/* a change waits for interrupts that look at counters */
#define ENTER		4	/* an interrupt marks that it reads counters */
#define CHECK		5	/* an arrival checks that its round is not closed, */
#define NUMBER		6	/* that it is still the same round, */
#define OWN		7	/* and that no NMI has arrived for this CPU meanwhile */
#define NESTED		8	/* an NMI during such a look does not clear the mark */
#define LOOK		9	/* the lock's owner looks at the round after the release */
#define AGAIN		10	/* a CPU looks at the round again when it has the lock */
#define TRY		11	/* an interrupt does not wait for the lock */
#define UNMASKED	12	/* a CPU looks for a signal after it has unmasked its interrupt */
#define CLEAR		13	/* a signal's status bit is cleared */
#define NEXT		14	/* the next round begins */
#define LISTEN		15	/* a CPU that begins can be signalled */
#define LEFT		16	/* a CPU that leaves looks at the round */
#define LOCK		17	/* a call takes the lock */
#define REREAD		18	/* a counter that has overflowed is read again */

#define BIT(i)		(1 << (i))
#define ALL_COUNTERS	(BIT(COUNTERS) - 1)

/* The round's word: CPUs that have arrived, and CLOSED. Its number never repeats. Instead of a number, each arrival has
 * a flag that says whether another round has begun meanwhile (late). */
#define CLOSED		8
#define ARRIVED(r)	((r) & (CLOSED - 1))

/* struct pmu_shared. At the start all CPUs take part, and all counters run. */
bool locked;
byte cpus = BIT(CPUS) - 1;
byte inside;
byte round;

/* Guarded by the lock. */
byte opened = ALL_COUNTERS;	/* counters of open sessions */
byte running = ALL_COUNTERS;	/* counters of running sessions: pmu_package()->enabled */

/* The package's PMU. If programs read a counter, it overflows at its second event, otherwise at each. */
#define WRAP 2
byte counting = ALL_COUNTERS;	/* enable bits of UNCORE_PERF_GLOBAL_CTRL */
byte selected = BIT(CPUS) - 1;	/* its EN_PMI_CORE bits: the CPUs that it signals */
byte status;			/* UNCORE_PERF_GLOBAL_STATUS */
byte value[COUNTERS];

typedef state {
	bool listens = true;	/* UNCORE_PMI_EN in IA32_DEBUGCTL */
	bool signal;		/* OvfUncore in IA32_PERF_GLOBAL_STATUS */
	bool masked;		/* the mask of LVTPC */
	bool request;		/* the local APIC has an interrupt to deliver */
	bool off;		/* interrupts are off */
	bool handling;		/* the handler runs, and the program does not */
	bool calling;		/* the program is in a call */
	bool begun = true;	/* with the package's PMU: shared_interrupt is set */
	/* Arrivals, of the program [0] and of the handler [1]. */
	bool arriving[2], late[2];
	byte looks[2];		/* counters that it reads for samples */
	byte sampled;		/* counters of whose present overflow the CPU has a sample */
};
state cpu[CPUS];
short owed[COUNTERS];		/* overflows that happened less overflows served */
byte done;			/* counters that have been served and whose status has not been cleared yet */
hidden byte i;

/*
 * Properties. Spin prints the name of one that fails.
 *
 * accounted	Each overflow has been served, or the status shows it: none is lost or served twice.
 * alone	No counter changes while another CPU reads it for a sample that counts.
 * sampled_once	A sample that enters a CPU's ring is its only one of an overflow that the status still shows.
 * sampled	When a round ends that no call has closed, each CPU that takes part has its samples.
 * served	If no call, no handler and no request is left, no overflow waits, and all running counters count.
 * exact	A running counter is read as it was at some moment of the call.
 * closed	A round that is replaced is closed: no other CPU writes its word meanwhile.
 */
hidden byte accounted, alone, sampled_once, sampled, served, exact, closed;

#ifdef PROBES
hidden byte arrive_while_locked, both_overflow, arrive_too_late, call_ends_round, join_in_a_round, leave_in_a_round,
	signalled_while_masked, signalled_in_its_handler, signalled_after_it_left, nmi_in_a_call, nmi_in_an_arrival,
	overflow_in_a_read;
#define probe(name, scenario)	name = !(scenario); assert(name)
#else
#define probe(name, scenario)	skip
#endif

#define IS_ACCOUNTED(c)	(owed[c] == ((status >> (c)) & 1) - ((done >> (c)) & 1))
inline check_accounts() {
	accounted = IS_ACCOUNTED(0) && IS_ACCOUNTED(COUNTERS - 1);
	assert(accounted)
}

/*
 * The package's PMU
 */

inline count(c) {
	if
	:: (counting & BIT(c)) && ANYBODY(READ) && value[c] == 0 -> value[c] = 1
	:: (counting & BIT(c)) && !(ANYBODY(READ) && value[c] == 0) ->
		value[c] = 0;
		overflowed = overflowed | BIT(c);
		owed[c]++
	:: true		/* its event does not occur */
	fi
}

inline signal_cpu() {
	if
	:: (selected & BIT(i)) && cpu[i].listens ->
		probe(signalled_while_masked, cpu[i].masked && !cpu[i].handling);
		probe(signalled_in_its_handler, cpu[i].handling);
		probe(signalled_after_it_left, !(cpus & BIT(i)));
		cpu[i].signal = true;
		cpu[i].request = cpu[i].request || !cpu[i].masked
	:: else
	fi
}

#define WORKS(n)	(cpu[n].calling || cpu[n].handling || cpu[n].request)
#define ALL_IDLE	!(WORKS(0) || WORKS(1) || WORKS(CPUS - 1))

/* Overflows freeze all counters at once, and signal all CPUs that are selected and listen. */
active proctype package() {
	byte overflowed;

	do
	:: atomic {
		counting ->
		count(0);
		if
		:: COUNTERS > 1 -> count(COUNTERS - 1)
		:: else
		fi;
		if
		:: overflowed ->
			probe(both_overflow, overflowed == 3);
			printf("package 0: overflow of counters %d\n", overflowed);
			status = status | overflowed;
			overflowed = 0;
			counting = 0;
			for (i : 0 .. CPUS - 1) { signal_cpu() };
			check_accounts()
		:: else
		fi
	}
	:: atomic {
		ALL_IDLE ->
		served = !cpus || (!status && counting == running);
		assert(served)
	}
	od
}

/*
 * A CPU: its program and its handler. Both are at one of these steps. The first ones are a handler's.
 */
#define OUTSIDE		0
#define CLEAR_SIGNAL	1
#define SET_INSIDE	2
#define ASK_CPUS	3
#define CLEAR_INSIDE	4
#define UNMASK		5
#define LOOK_FOR_SIGNAL	6
/* arrive */
#define LOAD_ROUND	10
#define READ_STATUS	11
#define LOAD_CPUS	12
#define EXCHANGE_ROUND	13
/* serve_if_complete */
#define LOOK_AT_ROUND	20
#define LOOK_AT_CPUS	21
#define TRY_LOCK	22
#define CHECK_ROUND	23
#define CHECK_CPUS	24
#define TAKE_STATUS	25
#define CLOSE_ROUND	26
#define SERVE		27
#define CLEAR_STATUS	28
#define NEXT_ROUND	29
#define ENABLE		30
#define UNLOCK		31
/* a call */
#define GIVE_UP_CPUS	40
#define GIVE_UP_INSIDE	41
#define RESET_OWN	42
#define TAKE_LOCK	43
#define EXCLUDE_ALL	44
#define WAIT_FOR_ALL	45
#define CLEAR_ALL	46
#define HALT_COUNTERS	47
#define HALT_STATUS	48
#define HALT_ROUND	49
#define HALT_WAIT	50
#define CHANGE_RUNNING	51
#define JOIN		52
#define START_LISTENING	53
#define CHANGE_OPENED	54
#define READ_VALUE	55
#define READ_OVERFLOW	56
#define READ_AGAIN	57

#define ME		BIT(me)
#define GO(step)	at = step
#define IN_INTERRUPT	(call == NOTHING || call == MASK)

inline end_call() {
	cpu[me].off = false;
	cpu[me].calling = false;
	cpu[me].listens = cpu[me].begun;
	call = NOTHING;
	c = 0;
	GO(OUTSIDE)
}

inline end_interrupt() {
	if
	:: call == MASK -> end_call()
	:: else ->
		printf("CPU %d: interrupt ends\n", me);
		cpu[me].handling = false;
		GO(OUTSIDE)
	fi
}

/* The end of a call that has the lock. */
/* in pmu_shared_unlock: unlock_and_serve; in unlock_and_serve: unlock, serve_if_complete */
inline release() {
	call = RELEASED;
	turns = 0;
	GO((LATE == LOOK -> LOOK_AT_ROUND : UNLOCK))
}

/* Before a change of counters' data that CPUs read without the lock. A CPU in `arrived` discards
 * the data that it reads, because an NMI has arrived for it meanwhile. */
inline change(counters, arrived) {
	alone = true;
	for (i : 0 .. CPUS - 1) {
		alone = alone && (i == me || ((arrived) & BIT(i)) ||
				  !((cpu[i].looks[0] | cpu[i].looks[1]) & (counters)))
	};
	assert(alone)
}

inline enable(counters) {
	counting = counters;
	selected = cpus
}

inline begin_next_round() {
	closed = (round & CLOSED) || WITHOUT == END;
	assert(closed);
	round = 0;
	for (i : 0 .. CPUS - 1) {
		cpu[i].late[0] = cpu[i].arriving[0];
		cpu[i].late[1] = cpu[i].arriving[1]
	}
}

/*
 * Arrivals
 */

#define IS_LATE		(WITHOUT != NUMBER && cpu[me].late[where])

inline end_arrival(where) {
	cpu[me].arriving[where] = false;
	cpu[me].late[where] = false;
	cpu[me].looks[where] = 0;
	seen = 0;
	found = 0;
	GO((IN_INTERRUPT -> CLEAR_INSIDE : HALT_ROUND))
}

inline arrive(where) {
	if
	:: at == LOAD_ROUND ->			/* in arrive: load round */
		cpu[me].arriving[where] = true;
		seen = round;
		GO(READ_STATUS)
	:: at == READ_STATUS ->			/* in arrive: overflow_status */
		found = status;
		GO(LOAD_CPUS)
	:: at == LOAD_CPUS ->			/* in arrive: pmu_shared_cpus, take_samples, make_room */
		if
		:: found && (cpus & ME) && !(seen & (CLOSED | ME)) ->
			cpu[me].looks[where] = found;
			GO(EXCHANGE_ROUND)
		:: else -> end_arrival(where)
		fi
	:: at == EXCHANGE_ROUND ->		/* in arrive: compare_exchange round, pmu_put_shared */
		if
		:: round == seen && !IS_LATE ->
			printf("CPU %d: arrives\n", me);
			probe(arrive_while_locked, locked && where == 1);
			round = round | ME;
			sampled_once = !(found & (~status | done | cpu[me].sampled));
			assert(sampled_once);
			cpu[me].sampled = cpu[me].sampled | found;
			end_arrival(where)
		:: else ->
			probe(nmi_in_an_arrival, !IS_LATE && (round & ME));
			probe(arrive_too_late, (round & CLOSED) || IS_LATE);
			if
			:: (WITHOUT != CHECK && (round & CLOSED)) || (WITHOUT != OWN && (round & ME)) || IS_LATE ->
				printf("CPU %d: arrives too late\n", me);
				end_arrival(where)
			:: else -> seen = round
			fi
		fi
	fi
}

/*
 * Service
 */

#define IS_COMPLETE	(ARRIVED(seen) && !(seen & CLOSED) && !(cpus & ~seen))

/* After serve_if_complete. */
inline end_look() {
	turns = 0;
	if
	:: IN_INTERRUPT ->
		cpu[me].signal = (LATE == CLEAR -> false : cpu[me].signal);
		GO(UNMASK)
	:: call == LEAVE -> GO(RESET_OWN)
	:: call == RELEASED && LATE == LOOK -> GO(UNLOCK)
	:: call == RELEASED && LATE != LOOK -> end_call()
	fi
}

/* After the next round has begun. */
inline end_change() {
	if
	:: call == START || call == STOP || call == BEGIN -> release()
	:: call == CLOSE -> GO(CHANGE_OPENED)
	:: else ->
		turns = (TURNS -> turns + 1 : 0);
		GO(UNLOCK)
	fi
}

inline serve_if_complete() {
	if
	:: at == LOOK_AT_ROUND ->		/* in serve_if_complete: is_complete; in is_complete: load round */
		if
		:: TURNS && turns == TURNS -> end_look()
		:: else ->
			seen = round;
			GO(LOOK_AT_CPUS)
		fi
	:: at == LOOK_AT_CPUS ->		/* in is_complete: pmu_shared_cpus; in pmu_shared_cpus: load cpus */
		if
		:: IS_COMPLETE -> GO(TRY_LOCK)
		:: else -> end_look()
		fi;
		seen = 0
	:: at == TRY_LOCK ->			/* in serve_if_complete: try_lock; in try_lock: exchange locked */
		if
		:: !locked ->
			locked = true;
			GO((WITHOUT == AGAIN -> TAKE_STATUS : CHECK_ROUND))
		:: locked && WITHOUT != TRY -> end_look()
		fi
	:: at == CHECK_ROUND ->			/* in serve_if_complete: is_complete */
		seen = round;
		GO(CHECK_CPUS)
	:: at == CHECK_CPUS ->			/* in serve_if_complete: serve_complete, unlock */
		if
		:: IS_COMPLETE -> GO(TAKE_STATUS)
		:: else -> GO(UNLOCK)
		fi;
		seen = 0
	:: at == TAKE_STATUS ->			/* in serve_complete: overflow_status */
		found = status;
		GO(CLOSE_ROUND)
	:: at == CLOSE_ROUND ->			/* in serve_complete: close_round; in close_round: fetch_or round */
		round = (WITHOUT == END -> round : round | CLOSED);
		sampled = true;
		for (i : 0 .. CPUS - 1) {
			sampled = sampled && (!(cpus & BIT(i)) || !(found & ~cpu[i].sampled))
		};
		assert(sampled);
		GO(SERVE)
	:: at == SERVE ->			/* in serve_complete: serve; in serve: serve_counter */
		printf("CPU %d: serves counters %d\n", me, found);
		change(found, round);
		owed[0] = owed[0] - (found & 1);
		if
		:: COUNTERS > 1 -> owed[COUNTERS - 1] = owed[COUNTERS - 1] - (found >> 1)
		:: else
		fi;
		for (i : 0 .. CPUS - 1) {
			cpu[i].sampled = cpu[i].sampled & ~found
		};
		done = done | found;
		check_accounts();
		GO(CLEAR_STATUS)
	:: at == CLEAR_STATUS ->		/* in serve: overflow_clear */
		status = status & ~found;
		done = 0;
		found = 0;
		check_accounts();
		GO((call == BEGIN -> JOIN :
		    (call == START || call == STOP || call == CLOSE -> CHANGE_RUNNING : NEXT_ROUND)))
	:: at == NEXT_ROUND ->			/* in serve_complete: pmu_shared_go_on */
						/* in pmu_shared_go_on: store round, load round */
		if
		:: LATE == NEXT -> enable(running)
		:: else -> begin_next_round()
		fi;
		GO(ENABLE)
	:: at == ENABLE ->			/* in pmu_shared_go_on: enable */
		if
		:: LATE == NEXT -> begin_next_round()
		:: else -> enable(running)
		fi;
		end_change()
	:: at == UNLOCK ->			/* in unlock: store locked */
		locked = false;
		if
		:: call == RELEASED && (WITHOUT == LOOK || LATE == LOOK) -> end_call()
		:: else -> GO(LOOK_AT_ROUND)
		fi
	fi
}

/*
 * The interrupt. A signal's status bit is cleared first, since the next signal may come before the interrupt ends.
 * After the unmask it is looked for again: while the interrupt was masked, a signal requested none.
 */

inline interrupt() {
	if
	:: at == CLEAR_SIGNAL ->		/* in pmu_serve: overflow_clear, pmu_serve_other */
						/* in pmu_serve_other: shared_interrupt */
		cpu[me].signal = (LATE == CLEAR -> cpu[me].signal : false);
		GO((cpu[me].begun -> SET_INSIDE : UNMASK))
	:: at == SET_INSIDE ->			/* in interrupt: fetch_or inside */
		nested = (inside & ME) && WITHOUT != NESTED;
		inside = (WITHOUT == ENTER -> inside : inside | ME);
		GO(ASK_CPUS)
	:: at == ASK_CPUS ->			/* in interrupt: pmu_shared_cpus, arrive */
		takes_part = (cpus & ME) != 0;
		GO((takes_part -> LOAD_ROUND : CLEAR_INSIDE))
	:: at == CLEAR_INSIDE ->		/* in interrupt: fetch_and inside, serve_if_complete */
		inside = (nested -> inside : inside & ~ME);
		GO((takes_part -> LOOK_AT_ROUND : UNMASK));
		nested = false;
		takes_part = false
	:: at == UNMASK ->			/* in pmu_unmask: hal_pmi_unmask, shared_unmasked */
		cpu[me].masked = false;
		GO(LOOK_FOR_SIGNAL)
	:: at == LOOK_FOR_SIGNAL ->		/* in look_for_signal: overflow_status, pmu_serve */
		if				/* in pmu_overflow_rounds: pmu_serve, pmu_overflowed */
		:: cpu[me].signal && WITHOUT != UNMASKED -> GO(CLEAR_SIGNAL)
		:: else -> end_interrupt()
		fi
	fi
}

/* in pmu_overflow: pmu_overflowed, pmu_serve, hal_pmi_unmask, pmu_overflow_rounds, enable */
active [CPUS] proctype handler() {
	byte me = _pid - 1, at, seen, found, call, c, turns;
	bool nested, takes_part;

	do
	:: atomic {
		at == OUTSIDE && cpu[me].request && (NMI || !cpu[me].off) ->
		printf("CPU %d: interrupt\n", me);
		probe(nmi_in_a_call, cpu[me].off);
		cpu[me].request = false;
		cpu[me].masked = true;
		cpu[me].handling = true;
		GO((cpu[me].signal -> CLEAR_SIGNAL : UNMASK))
	}
	:: atomic { at > OUTSIDE && at < LOAD_ROUND -> interrupt() }
	:: atomic { at >= LOAD_ROUND && at < LOOK_AT_ROUND -> arrive(1) }
	:: atomic { at >= LOOK_AT_ROUND && (at != TRY_LOCK || !locked || WITHOUT != TRY) -> serve_if_complete() }
	od
}

/*
 * The program's calls. A call that changes the set of running counters halts them first.
 */

#define HALTS	(call == START && (opened & BIT(c)) && !(running & BIT(c)) || \
		 (call == STOP || call == CLOSE) && (running & BIT(c)))
#define NOW	(value[c] + WRAP * ((status >> c) & 1))

/* With the lock. */
inline enter() {
	cpu[me].off = true;
	if
	:: call == BEGIN -> GO((anew || !cpus -> EXCLUDE_ALL : HALT_COUNTERS))
	:: call != BEGIN && HALTS -> GO(HALT_COUNTERS)
	:: !(HALTS) && (call == OPEN || call == CLOSE) -> GO(CHANGE_OPENED)
	:: call == READ && (running & BIT(c)) -> GO(READ_VALUE)
	:: !(HALTS) && (call == START || call == STOP) || call == READ && !(running & BIT(c)) -> release()
	fi;
	anew = false
}

inline make_call() {
	if
	:: at == GIVE_UP_CPUS ->		/* in pmu_shared_leave: fetch_and cpus */
		printf("CPU %d: leaves\n", me);
		probe(leave_in_a_round, status);
		cpus = cpus & ~ME;
		GO(GIVE_UP_INSIDE)
	:: at == GIVE_UP_INSIDE ->		/* in pmu_shared_leave: fetch_and inside, serve_if_complete */
		inside = inside & ~ME;
		GO((WITHOUT == LEFT -> RESET_OWN : LOOK_AT_ROUND))
	:: at == RESET_OWN ->
		/* in begin_own: pmu_shared_leave, pmu_clear_unit, reset, hal_pmi_attach */
		cpu[me].begun = false;
		cpu[me].listens = false;
		cpu[me].masked = false;
		if
		:: anew -> call = BEGIN; GO(TAKE_LOCK)
		:: else -> end_call()
		fi
	:: at == TAKE_LOCK ->			/* in pmu_shared_lock: try_lock */
		printf("CPU %d: call %d has the lock\n", me, call);
		locked = true;
		enter()
	/* begin */				/* in pmu_shared_begin: pmu_shared_lock, pmu_shared_cpus, begin_anew */
	:: at == EXCLUDE_ALL ->			/* in begin_anew: store cpus */
		cpus = 0;
		GO(WAIT_FOR_ALL)
	:: at == WAIT_FOR_ALL -> GO(CLEAR_ALL)	/* in begin_anew: wait_for_others */
	:: at == CLEAR_ALL ->			/* in begin_anew: pmu_clear_unit, reset */
		change(ALL_COUNTERS, 0);
		running = 0;
		opened = (ANYBODY(OPEN) -> 0 : ALL_COUNTERS);
		counting = 0;
		status = 0;
		owed[0] = 0;
		owed[COUNTERS - 1] = 0;
		for (i : 0 .. CPUS - 1) {
			cpu[i].sampled = 0
		};
		GO(HALT_COUNTERS)
	/* halt */				/* in pmu_shared_begin: pmu_shared_halt */
	:: at == HALT_COUNTERS ->		/* in pmu_shared_halt: enable */
		if				/* in pmu_shared_start: pmu_shared_lock, pmu_shared_halt */
		:: WITHOUT != HALT -> enable(0)	/* in pmu_shared_stop: pmu_shared_lock, pmu_shared_stop_locked */
		:: else				/* in pmu_shared_stop_locked: pmu_shared_halt */
		fi;
		GO(HALT_STATUS)
	:: at == HALT_STATUS ->			/* in pmu_shared_halt: overflow_status, arrive */
		due = status;
		GO((due -> LOAD_ROUND : HALT_ROUND))
	:: at == HALT_ROUND ->			/* in pmu_shared_halt: close_round */
		probe(call_ends_round, due && (cpus & ~round));
		round = (WITHOUT == END -> round : round | CLOSED);
		GO(HALT_WAIT)
	:: at == HALT_WAIT ->			/* in pmu_shared_halt: wait_for_others, serve */
		found = due;			/* in wait_for_others: load inside */
		due = 0;
		GO(SERVE)
	:: at == CHANGE_RUNNING ->
		/* in pmu_shared_start: program, pmu_shared_go_on, pmu_shared_unlock */
		/* in pmu_shared_stop_locked: read, pmu_shared_go_on; in pmu_shared_stop: pmu_shared_unlock */
		change(BIT(c), 0);
		running = (call == START -> running | BIT(c) : running & ~BIT(c));
		GO(NEXT_ROUND)
	:: at == JOIN ->			/* in pmu_shared_begin: fetch_or cpus */
		printf("CPU %d: joins\n", me);
		probe(join_in_a_round, ARRIVED(round));
		cpus = cpus | ME;
		cpu[me].begun = true;
		GO(START_LISTENING)
	:: at == START_LISTENING ->		/* in pmu_shared_begin: listen, pmu_shared_go_on, pmu_shared_unlock */
		cpu[me].listens = (LATE != LISTEN);
		GO(NEXT_ROUND)
	:: at == CHANGE_OPENED ->
		/* in pmu_open: pmu_shared_lock, pmu_open_unit, pmu_shared_unlock */
		/* in pmu_close: enter, pmu_shared_stop_locked, pmu_close_unit, leave */
		if
		:: call == OPEN && !(opened & BIT(c)) ->
			change(BIT(c), 0);
			opened = opened | BIT(c)
		:: call == CLOSE && (opened & BIT(c)) ->
			change(BIT(c), 0);
			opened = opened & ~BIT(c)
		:: else
		fi;
		release()
	/* read */				/* in read_shared: pmu_shared_lock, pmu_read_running, pmu_shared_unlock */
	:: at == READ_VALUE ->			/* in pmu_read_running: read */
		seen = value[c];
		first = NOW;
		GO(READ_OVERFLOW)
	:: at == READ_OVERFLOW ->		/* in pmu_read_running: overflow_status */
		found = status;
		GO(READ_AGAIN)
	:: at == READ_AGAIN ->			/* in pmu_read_running: read */
		if
		:: found & BIT(c) ->
			probe(overflow_in_a_read, first < WRAP);
			seen = (WITHOUT == REREAD -> seen : value[c]) + WRAP
		:: else
		fi;
		exact = first <= seen && seen <= NOW;
		assert(exact);
		seen = 0;
		first = 0;
		found = 0;
		release()
	fi
}

#define MUST_WAIT	(at == TAKE_LOCK && locked && WITHOUT != LOCK || \
			 (at == WAIT_FOR_ALL || at == HALT_WAIT && WITHOUT != WAIT) && (inside & ~ME))

active [CPUS] proctype program() provided (!cpu[_pid - 1 - CPUS].handling) {
	byte me = _pid - 1 - CPUS, at, seen, found, first, call, c, due, turns;
	bool anew, nested, takes_part;

	do
	:: atomic {
		at == OUTSIDE && !cpu[me].request && (MAY(START | STOP | OPEN | CLOSE | READ) && (cpus & ME) || MAY(BEGIN) ||
				  MAY(LEAVE | MASK) && cpu[me].begun) ->	/* interrupts come first */
		if
		:: true
		:: COUNTERS > 1 -> c = 1
		fi;
		if
		:: MAY(START) && (cpus & ME) -> call = START
		:: MAY(STOP) && (cpus & ME) -> call = STOP
		:: MAY(OPEN) && (cpus & ME) -> call = OPEN
		:: MAY(CLOSE) && (cpus & ME) -> call = CLOSE
		:: MAY(READ) && (cpus & ME) -> call = READ
		:: MAY(BEGIN) && !cpu[me].begun -> call = BEGIN
		:: MAY(BEGIN) && cpu[me].begun -> call = LEAVE; anew = true
		:: MAY(LEAVE) && cpu[me].begun -> call = LEAVE
		:: MAY(MASK) && cpu[me].begun -> call = MASK
		fi;
		cpu[me].calling = true;
		if
		:: call == LEAVE -> GO(GIVE_UP_CPUS)
		:: call == MASK ->
			/* in pmu_session_stop: hal_pmi_mask, enable, overflow_status, read, pmu_unmask, enable */
			cpu[me].off = true;
			cpu[me].masked = true;
			GO(UNMASK)
		:: else -> GO(TAKE_LOCK)
		fi
	}
	:: atomic { at > OUTSIDE && at < LOAD_ROUND -> interrupt() }
	:: atomic { at >= LOAD_ROUND && at < LOOK_AT_ROUND -> arrive(0) }
	:: atomic { at >= LOOK_AT_ROUND && at < GIVE_UP_CPUS -> serve_if_complete() }
	:: atomic { at >= GIVE_UP_CPUS && !(MUST_WAIT) -> make_call() }
	od
}

#ifdef LIVENESS
ltl in_the_end { [] (locked -> <> !locked) && [] (owed[0] > 0 -> <> (owed[0] == 0)) }
#endif
