/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Knights Corner's overflow interrupt and the handler that serves it: "Intel Xeon Phi Coprocessor
 * (codename: Knights Corner) Performance Monitoring Units" (327357-001), the guide, 1.4.3.8 and
 * 1.4.3.9. Spin searches every interleaving of the threads' handlers with the events that counters
 * count.
 *
 * spin -DTHREADS=n    hardware threads of the core
 *      -DARM=n        a counter is armed for 1 to n events before it overflows
 *      -DORDER=a,b... the handler's steps in their order; -DSTEPS=n: their number
 *      -DTAKES=false  no APIC takes a request when it is unmasked with its line high
 *      -DLEAVES=false each does
 *      -DMODES        each counter counts its own thread's events or any thread's, as is chosen at the start
 *      -DPROBES       scenarios, as assertions that fail if they occur
 *      -DLIVENESS     a counter that has overflowed is served in the end
 */
#ifndef THREADS
#define THREADS 4
#endif
#ifndef ARM
#define ARM 1
#endif
#ifndef TAKES
#define TAKES true
#endif
#ifndef LEAVES
#define LEAVES true
#endif

/* The handler's steps. The script steps compares them with the code:
 * in pmu_overflow: hold, pmu_overflowed, pmu_serve, hal_pmi_unmask, hal_pmi_end, enable;
 * in pmu_serve: overflow_clear, pmu_serve_counter */
#define STOP	1	/* IA32_PERF_GLOBAL_CTRL := 0 */
#define SERVE	2	/* reads IA32_PERF_GLOBAL_STATUS once; accounts for each counter it shows and arms it again */
#define CLEAR	3	/* IA32_PERF_GLOBAL_OVF_CONTROL := the bits that were read */
#define UNMASK	4	/* the mask of the LVT entry := 0; end of interrupt */
#define START	5	/* IA32_PERF_GLOBAL_CTRL := both counters */
/* The parts of SERVE. */
#define READ	6
#define SERVE0	7
#define SERVE1	8
/* A step left out. */
#define NOTHING	9

#ifndef ORDER
#define ORDER STOP,SERVE,CLEAR,UNMASK,START
#define STEPS 5
#endif
hidden byte order[STEPS] = { ORDER };

#define COUNTERS	2
#define BIT(c)		(1 << (c))
#define HAS(bits, c)	(((bits) >> (c)) & 1)

typedef state {
	/* The PMU. Both selects have EN and INT set. */
	byte left[COUNTERS] = ARM;	/* events until the counter overflows; 0: it has, and will again in 2^40 */
	byte status;			/* sticky bits; the line to the APIC is up while it is not 0 */
	bool running = true;		/* the two bits of IA32_PERF_GLOBAL_CTRL, always written together */
	/* The thread's APIC. */
	bool masked;			/* the mask of its LVT entry */
	bool request;			/* it has taken a request and not delivered it yet */
	/* The handler. */
	byte at;			/* 0: outside; else its next step, from 1; STEPS + 1: its return */
	byte due;			/* status bits it has read and not accounted for */
	byte uncleared;			/* status bits it has read and not cleared */
	/* Known to nobody: overflows that happened less overflows accounted for. Up to 2, which is too many already. */
	short owed[COUNTERS];
#ifdef MODES
	bool any[COUNTERS];		/* Thread Count Mode */
#endif
};
state thread[THREADS];

#define OUTSIDE(t)	(thread[t].at == 0)
#define RETURNS(t)	(thread[t].at == STEPS + 1)
/* Only an overflow of one of its counters can bring this thread to its handler. */
#define IDLE(t)		(OUTSIDE(t) && !thread[t].request)
/* Overflows that can still be accounted for: the status shows them and was not read since, or the
 * handler has read them. */
#define KNOWN(t, c)	(HAS(thread[t].status & ~thread[t].uncleared, c) + HAS(thread[t].due, c))

/*
 * Properties that hold at all times for each thread. Spin prints the name of one that fails.
 *
 * nothing_waits	An idle thread's status is 0. Else its line is high and cannot rise, and no
 *			handler serves the status: the "dropped PMI" of 1.4.3.9.
 * unmasked		An idle thread's LVT entry is not masked. Else the next rise of its line is dropped.
 * counting		An idle thread's counters run. Else they never count again.
 * accounted		Each overflow is accounted for, or still can be: none is lost or accounted
 *			for twice.
 * something_to_serve	A request that is pending or being delivered has a status that is not 0.
 */
hidden byte nothing_waits, unmasked, counting, accounted, something_to_serve;

inline check(t) {
	d_step {
		nothing_waits = !IDLE(t) || thread[t].status == 0;
		assert(nothing_waits);
		unmasked = !IDLE(t) || !thread[t].masked;
		assert(unmasked);
		counting = !IDLE(t) || thread[t].running;
		assert(counting);
		accounted = thread[t].owed[0] == KNOWN(t, 0) && thread[t].owed[1] == KNOWN(t, 1);
		assert(accounted);
		something_to_serve = !thread[t].request || thread[t].status != 0;
		assert(something_to_serve)
	}
}

/* Scenarios, for thread 0: threads are alike. `fresh`: the counters that have overflowed in this cycle. */
#ifdef PROBES
hidden byte both_at_once, all_eight_at_once, one_soon_after_the_other, one_before_the_stop, one_after_the_start,
	both_served_by_one, all_in_their_handlers, unmask_with_line_low, unmask_with_line_up;
#define probe(name, scenario)	name = !(scenario); assert(name)
byte fresh[THREADS];
#define is_fresh(t, c)		fresh[t] = fresh[t] | BIT(c)
#else
#define probe(name, scenario)	skip
#define is_fresh(t, c)		skip
#endif

/*
 * A thread's APIC
 */

/* "Whenever an overflow interrupt is received", the APIC masks the LVT entry, says the guide, and, in the words of the
 * Software Developer's Manual, "when [it] handles" one: here when the handler begins at the latest, or at once. */
inline take_request(t) {
	d_step {
		thread[t].request = true;
		printf("thread %d: its APIC takes a request\n", t)
	}
	if
	:: thread[t].masked = true
	:: skip
	fi
}

inline line_rises(t) {
	if
	:: thread[t].masked
	:: else -> take_request(t)
	fi
}

/* To request, "the line must transition from 0 to 1 while interrupts are unmasked". The guide does
 * not say whether the APIC takes a request if software unmasks it while the line is high: both are
 * modelled. */
inline unmask(t) {
	probe(unmask_with_line_low, t == 0 && thread[t].status == 0);
	probe(unmask_with_line_up, t == 0 && thread[t].status != 0);
	thread[t].masked = false;
	if
	:: thread[t].status != 0 && TAKES -> take_request(t)
	:: thread[t].status == 0 || LEAVES
	fi
}

/*
 * Counters
 */

inline overflow(t, c) {
	printf("thread %d: counter %d overflows\n", t, c);
	if
	:: thread[t].status == 0 -> line_rises(t)
	:: else
	fi;
	d_step {
		probe(one_soon_after_the_other,
		      t == 0 && OUTSIDE(t) && HAS(thread[t].status, 1 - c) && fresh[t] == 0);
		probe(one_before_the_stop, t == 0 && fresh[t] == 0 && thread[t].at == 1);
		probe(one_after_the_start, t == 0 && RETURNS(t));
		is_fresh(t, c);
		thread[t].status = thread[t].status | BIT(c);
		thread[t].owed[c] = (thread[t].owed[c] < 2 -> thread[t].owed[c] + 1 : 2)
	}
}

#ifdef MODES
#define SELECTS(t, c)	(executing == t || thread[t].any[c])
#else
#define SELECTS(t, c)	true
#endif

inline count(t, c) {
	if
	:: thread[t].left[c] > 0 && SELECTS(t, c) ->
		thread[t].left[c] = thread[t].left[c] - 1;
		if
		:: thread[t].left[c] == 0 -> overflow(t, c)
		:: else
		fi
	:: true		/* its event does not occur */
	fi
}

/* A cycle of the core: a thread executes, and any set of counters sees its event. Without -DMODES each of the counters
 * counts events of its own, of any thread: then no set is impossible; other modes only take sets away. */
active proctype core() {
	byte i;
#ifdef MODES
	byte executing;

	atomic {
		for (i : 0 .. THREADS - 1) {
			if :: thread[i].any[0] = true :: skip fi;
			if :: thread[i].any[1] = true :: skip fi
		}
		i = 0
	}
#endif
	do
	:: atomic {
#ifdef MODES
		select(executing : 0 .. THREADS - 1);
#endif
		for (i : 0 .. THREADS - 1) {
			if
			:: thread[i].running ->
				count(i, 0);
				count(i, 1);
				check(i)
			:: else
			fi
		}
		i = 0;
#ifdef MODES
		executing = 0;
#endif
#ifdef PROBES
		probe(both_at_once, fresh[0] == 3);
		probe(all_eight_at_once, fresh[0] == 3 && fresh[1] == 3 && fresh[2] == 3 && fresh[3] == 3);
		for (i : 0 .. THREADS - 1) {
			fresh[i] = 0
		}
		i = 0
#endif
	}
	od
}

/*
 * The handler
 */

/* The period less the events since the overflow: any number. */
inline arm(t, c) {
	thread[t].left[c] = 1;
	do
	:: thread[t].left[c] < ARM -> thread[t].left[c] = thread[t].left[c] + 1
	:: break
	od
}

inline read_status(t) {
	thread[t].due = thread[t].status;
	thread[t].uncleared = thread[t].status
}

inline serve(t, c) {
	if
	:: HAS(thread[t].due, c) ->
		thread[t].owed[c] = (thread[t].owed[c] > -1 -> thread[t].owed[c] - 1 : -1);
		thread[t].due = thread[t].due & ~BIT(c);
		printf("thread %d: counter %d is served\n", t, c);
		arm(t, c)
	:: else
	fi
}

inline do_step(t, step) {
	if
	:: step == STOP ->
		thread[t].running = false;
		printf("thread %d: stop\n", t)
	:: step == SERVE ->
		read_status(t);
		printf("thread %d: serve; the status is %d\n", t, thread[t].status);
		probe(both_served_by_one, t == 0 && thread[t].due == 3);
		serve(t, 0);
		serve(t, 1)
	:: step == CLEAR ->
		thread[t].status = thread[t].status & ~thread[t].uncleared;
		thread[t].uncleared = 0;
		printf("thread %d: clear; the status is %d\n", t, thread[t].status)
	:: step == UNMASK ->
		printf("thread %d: unmask\n", t);
		unmask(t)
	:: step == START ->
		thread[t].running = true;
		printf("thread %d: start\n", t)
	:: step == READ -> read_status(t)
	:: step == SERVE0 -> serve(t, 0)
	:: step == SERVE1 -> serve(t, 1)
	:: step == NOTHING
	fi
}

/* A thread's handler: its delivery, its steps, its return. Its own interrupt does not interrupt it. */
active [THREADS] proctype handler() {
	byte t = _pid - 1;

	do
	:: atomic {
		OUTSIDE(t) && thread[t].request ->
		thread[t].request = false;
		thread[t].masked = true;
		thread[t].at = 1;
		printf("thread %d: handler begins; the status is %d\n", t, thread[t].status);
#ifdef PROBES
		probe(all_in_their_handlers, !OUTSIDE(0) && !OUTSIDE(1) && !OUTSIDE(2) && !OUTSIDE(3));
#endif
		check(t)
	}
	:: atomic {
		!OUTSIDE(t) && !RETURNS(t) ->
		do_step(t, order[thread[t].at - 1]);
		thread[t].at = thread[t].at + 1;
		check(t)
	}
	:: atomic {
		RETURNS(t) ->
		thread[t].due = 0;
		thread[t].uncleared = 0;
		thread[t].at = 0;
		printf("thread %d: handler returns\n", t);
		check(t)
	}
	od
}

#ifdef LIVENESS
ltl served { [] (thread[0].owed[0] > 0 -> <> (thread[0].owed[0] == 0)) }
#endif
