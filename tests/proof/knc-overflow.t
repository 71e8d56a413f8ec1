#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Knights Corner's overflow interrupt: Spin finds no failure of the handler, and a failure of each
# changed handler.
. tests/tap.sh
model=knc-overflow events='^thread'
. tests/proof/spin.sh

# same_steps FILE: compares the model's steps with this version of overflow.h.
same_steps() {
	tests/proof/steps tests/proof/knc-overflow.pml none none "$1"
}
check "the handler's steps are those of the code" same_steps pmu/include/overflow.h
drift() {
	sed '/PMU_INLINE void pmu_overflow(/,/^}/{/hal_pmi_unmask();/{h;d};/hal_pmi_end();/G}' \
		pmu/include/overflow.h \
		>"$work/overflow.h"
	! cmp -s pmu/include/overflow.h "$work/overflow.h" && ! same_steps "$work/overflow.h"
}
check "found: two of its steps swapped" drift

#
# The handler
#

# states NUMBER RUN MODEL [DEPTH]: a search that finds no failure in this number of states.
states() {
	search "$2" "$3" -DSAFETY "-m${4:-5000000}"
	holds "$1"
}

# States of a thread whose counters are armed for 1 event. Outside its handler: 1 without a request,
# 6 with one, because the status has 3 values and LVT is masked or not. Before stop, serve and clear
# 3 each, before unmask and start 1 each. Before the return 1 without a request and 6 with one. That
# is 25. The threads are in any combination of these.
check "three threads: no overflow is lost, no interrupt is pending with an empty status" \
	states $((25 * 25 * 25)) three -DTHREADS=3 100000
long "four threads: the same" states $((25 * 25 * 25 * 25)) handler -DTHREADS=4

# Armed for 1 or 2 events: 4 combinations of counters that have not overflowed, 5 of counters and a
# status that is not 0, and before clear 4 for each status, because the counters may be armed for 1
# or 2: 4 + 10 + 5 + 5 + 12 + 4 + 4 + 14.
long "three threads with counters armed for 1 or 2 events: the same" \
	states $((58 * 58 * 58)) armed "-DTHREADS=3 -DARM=2"

# Each of the four counters counts its own thread's events or any thread's: 16 times as many states,
# and one before the choice.
check "two threads in any thread count modes, armed for 1 or 2 events: the same" \
	states $((16 * 58 * 58 + 1)) modes "-DTHREADS=2 -DARM=2 -DMODES" 200000

# Serve in parts: the status has 3 values before each part. Two steps more are 6 states more. If the
# status is cleared before, 2 of the 3 values are the same after counter 0 has been served.
long "three threads that read, serve each counter, clear: the same" states $((31 * 31 * 31)) \
	serve-clear "-DTHREADS=3 -DORDER=STOP,READ,SERVE0,SERVE1,CLEAR,UNMASK,START -DSTEPS=7"
long "three threads that read, clear, serve each counter: the same" states $((30 * 30 * 30)) \
	clear-serve "-DTHREADS=3 -DORDER=STOP,READ,CLEAR,SERVE0,SERVE1,UNMASK,START -DSTEPS=7"

# lives RESULT RUN MODEL COMPILER VERIFIER: RESULT is served or never_served.
lives() {
	search "$2" "$3 -DLIVENESS" "$4" "$5"
	"$1"
}
check "each overflow is eventually served, if each thread continues" \
	lives served liveness -DTHREADS=3 -DNFAIR=3 "-m1000000 -a -f"

#
# Scenarios that occur
#

occur() {
	search probes "-DTHREADS=4 -DPROBES" -DSAFETY "-m5000000 -c0"
	fails "$@"
}
long "rare scenarios occur; an unmask with the line high does not" occur \
	all_eight_at_once all_in_their_handlers both_at_once both_served_by_one \
	one_after_the_start \
	one_before_the_stop one_soon_after_the_other unmask_with_line_low

#
# Changed handlers. Without EXTRA, one for each of the assertions that only few of them violate.
#

# changed ORDER ASSERTION...: all assertions that fail with this handler in one thread.
changed() {
	order=$1
	shift
	search "$order" "-DTHREADS=1 -DORDER=$order -DSTEPS=5" "-O0 -DSAFETY" "-w16 -c0"
	fails "$@"
}
# four ORDER: four threads with this handler fail.
four() {
	search "$1-4" "-DTHREADS=4 -DORDER=$1 -DSTEPS=5" "-O0 -DSAFETY" "-w16 -m100000"
	finds
}
# wrong WHAT ORDER ASSERTION...: a changed handler, with $check.
wrong() {
	what=$1 with=$2
	shift 2
	$check "$what: $*" changed "$with" "$@"
}
# swapped WHAT ORDER ASSERTION...: the same, and that four threads fail, too.
swapped() {
	wrong "$@"
	$check "$what, four threads: wrong" four "$2"
}

# Each pair of steps. DECISIONS.md has the reasons.
check=check
swapped "unmask and start swapped" STOP,SERVE,CLEAR,START,UNMASK nothing_waits
wrong "clear and unmask swapped" STOP,SERVE,UNMASK,CLEAR,START something_to_serve
check=long
long "clear and unmask swapped, four threads: wrong" four STOP,SERVE,UNMASK,CLEAR,START
swapped "stop and serve swapped" SERVE,STOP,CLEAR,UNMASK,START accounted nothing_waits
swapped "stop and clear swapped" CLEAR,SERVE,STOP,UNMASK,START accounted nothing_waits
swapped "stop and unmask swapped" UNMASK,SERVE,CLEAR,STOP,START accounted nothing_waits \
	something_to_serve
swapped "stop and start swapped" START,SERVE,CLEAR,UNMASK,STOP accounted counting nothing_waits
swapped "serve and clear swapped" STOP,CLEAR,SERVE,UNMASK,START accounted nothing_waits
swapped "serve and unmask swapped" STOP,UNMASK,CLEAR,SERVE,START accounted nothing_waits
swapped "serve and start swapped" STOP,START,CLEAR,UNMASK,SERVE accounted nothing_waits
swapped "clear and start swapped" STOP,SERVE,START,UNMASK,CLEAR accounted nothing_waits \
	something_to_serve

# Two orders fail with one kind of APIC only. Compared with the 25 states of the handler: in the
# first the status can still have its 3 values after unmask, 2 states more; in the second any of 4
# before unmask, 3 states more.
right() {
	search "$2" "-DTHREADS=1 $3 -DSTEPS=5" "-O0 -DSAFETY" -w16
	holds "$1"
}
check "clear and unmask swapped: right if no APIC takes a request of a high line" \
	right 27 not-taken "-DTAKES=false -DORDER=STOP,SERVE,UNMASK,CLEAR,START"
long "unmask and start swapped: right if each APIC does" \
	right 28 taken "-DLEAVES=false -DORDER=STOP,SERVE,CLEAR,START,UNMASK"

# Handlers without one step.
wrong "no stop" NOTHING,SERVE,CLEAR,UNMASK,START accounted nothing_waits
wrong "no serve" STOP,NOTHING,CLEAR,UNMASK,START nothing_waits
wrong "no clear" STOP,SERVE,NOTHING,UNMASK,START accounted nothing_waits
check=check
wrong "no unmask" STOP,SERVE,CLEAR,NOTHING,START nothing_waits unmasked
wrong "no start" STOP,SERVE,CLEAR,UNMASK,NOTHING counting

# The APIC drops the rise, because unmask comes last: the overflow is never served.
check "unmask and start swapped: an overflow is never served" lives never_served not-served \
	"-DTHREADS=2 -DORDER=STOP,SERVE,CLEAR,START,UNMASK -DSTEPS=5" "" "-w16 -a -f -A"
done_checking
