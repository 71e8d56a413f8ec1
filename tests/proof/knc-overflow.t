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

# States of a thread whose counters are armed for 1 event. Outside its handler: 1 without a request,
# 6 with one, because the status has 3 values and LVT is masked or not. Before stop, serve and clear
# 3 each, before unmask and start 1 each. Before the return 1 without a request and 6 with one. That
# is 25. Four threads are in any combination of these.
search handler "-DTHREADS=4" -DSAFETY -m5000000
check "four threads: no overflow is lost, no interrupt is pending with an empty status" holds \
	$((25 * 25 * 25 * 25))

# Armed for 1 or 2 events: 4 combinations of counters that have not overflowed, 5 of counters and a
# status that is not 0, and before clear 4 for each status, because the counters may be armed for 1
# or 2: 4 + 10 + 5 + 5 + 12 + 4 + 4 + 14.
search armed "-DTHREADS=3 -DARM=2" -DSAFETY -m5000000
check "three threads with counters armed for 1 or 2 events: the same" holds $((58 * 58 * 58))

# Each of the four counters counts its own thread's events or any thread's: 16 times as many states,
# and one before the choice.
search modes "-DTHREADS=2 -DARM=2 -DMODES" -DSAFETY -m5000000
check "two threads in any thread count modes: the same" holds $((16 * 58 * 58 + 1))

# Serve in parts: the status has 3 values before each part. Two steps more are 6 states more. If the
# status is cleared before, 2 of the 3 values are the same after counter 0 has been served.
search serve-clear "-DTHREADS=3 -DORDER=STOP,READ,SERVE0,SERVE1,CLEAR,UNMASK,START -DSTEPS=7" \
	-DSAFETY -m5000000
check "three threads that read, serve each counter, clear: the same" holds $((31 * 31 * 31))
search clear-serve "-DTHREADS=3 -DORDER=STOP,READ,CLEAR,SERVE0,SERVE1,UNMASK,START -DSTEPS=7" \
	-DSAFETY -m5000000
check "three threads that read, clear, serve each counter: the same" holds $((30 * 30 * 30))

search liveness "-DTHREADS=3 -DLIVENESS" -DNFAIR=3 "-m1000000 -a -f"
check "each overflow is eventually served, if each thread continues" served

#
# Scenarios that occur
#

search probes "-DTHREADS=4 -DPROBES" -DSAFETY "-m5000000 -c0"
check "rare scenarios occur; an unmask with the line high does not" fails \
	all_eight_at_once all_in_their_handlers both_at_once both_served_by_one \
	one_after_the_start \
	one_before_the_stop one_soon_after_the_other unmask_with_line_low

#
# Changed handlers
#

# wrong WHAT ORDER ASSERTION...: a changed handler, and all assertions that fail in one thread.
wrong() {
	what=$1 order=$2
	shift 2
	search "$order" "-DTHREADS=1 -DORDER=$order -DSTEPS=5" "-O0 -DSAFETY" "-w16 -c0"
	check "$what: $*" fails "$@"
}

# swapped WHAT ORDER ASSERTION...: the same, and that four threads fail, too.
swapped() {
	wrong "$@"
	search "$order-4" "-DTHREADS=4 -DORDER=$order -DSTEPS=5" "-O0 -DSAFETY" "-w16 -m100000"
	check "$what, four threads: wrong" finds
}

# Each pair of steps. DECISIONS.md has the reasons.
swapped "stop and serve swapped" SERVE,STOP,CLEAR,UNMASK,START accounted nothing_waits
swapped "stop and clear swapped" CLEAR,SERVE,STOP,UNMASK,START accounted nothing_waits
swapped "stop and unmask swapped" UNMASK,SERVE,CLEAR,STOP,START accounted nothing_waits \
	something_to_serve
swapped "stop and start swapped" START,SERVE,CLEAR,UNMASK,STOP accounted counting nothing_waits
swapped "serve and clear swapped" STOP,CLEAR,SERVE,UNMASK,START accounted nothing_waits
swapped "serve and unmask swapped" STOP,UNMASK,CLEAR,SERVE,START accounted nothing_waits
swapped "serve and start swapped" STOP,START,CLEAR,UNMASK,SERVE accounted nothing_waits
swapped "clear and unmask swapped" STOP,SERVE,UNMASK,CLEAR,START something_to_serve
swapped "clear and start swapped" STOP,SERVE,START,UNMASK,CLEAR accounted nothing_waits \
	something_to_serve
swapped "unmask and start swapped" STOP,SERVE,CLEAR,START,UNMASK nothing_waits

# Two orders fail with one kind of APIC only. Compared with the 25 states of the handler: in the
# first the status can still have its 3 values after unmask, 2 states more; in the second any of 4
# before unmask, 3 states more.
search not-taken "-DTHREADS=1 -DTAKES=false -DORDER=STOP,SERVE,UNMASK,CLEAR,START -DSTEPS=5" \
	"-O0 -DSAFETY" -w16
check "clear and unmask swapped: right if no APIC takes a request of a high line" holds 27
search taken "-DTHREADS=1 -DLEAVES=false -DORDER=STOP,SERVE,CLEAR,START,UNMASK -DSTEPS=5" \
	"-O0 -DSAFETY" -w16
check "unmask and start swapped: right if each APIC does" holds 28

# Handlers without one step.
wrong "no stop" NOTHING,SERVE,CLEAR,UNMASK,START accounted nothing_waits
wrong "no serve" STOP,NOTHING,CLEAR,UNMASK,START nothing_waits
wrong "no clear" STOP,SERVE,NOTHING,UNMASK,START accounted nothing_waits
wrong "no unmask" STOP,SERVE,CLEAR,NOTHING,START nothing_waits unmasked
wrong "no start" STOP,SERVE,CLEAR,UNMASK,NOTHING counting

# The APIC drops the rise, because unmask comes last: the overflow is never served.
search not-served "-DTHREADS=2 -DLIVENESS -DORDER=STOP,SERVE,CLEAR,START,UNMASK -DSTEPS=5" "" \
	"-w16 -a -f -A"
check "unmask and start swapped: an overflow is never served" never_served
done_checking
