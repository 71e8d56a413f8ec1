#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The four threads of a Knights Corner core: registers, counts, SPFLT, the clock, interrupts, INIT.
# Results repeat, and the workloads find a defect of each of these.
. tests/tap.sh
use_target knc img

# run WORKLOAD MAKE'S VARIABLES...
run() {
	workload=$1
	shift
	make_run RUN=session THREADS=1 LEVEL=0 "WORKLOAD=tests/boot/workloads/$workload.c" \
		EVENTS=INSTRUCTIONS_EXECUTED "$@"
}

measured() {
	run "$1"
	ended 0 && says "^$1: 0 wrong\$" && says 'register faults 0$'
}

# The output without the clock counts: on a loaded host, a waiting thread may wait some clocks
# longer.
printed() {
	grep -A1000 '^palmon:' "$work/out" | grep -v -e ' clocks$' -e '^  monitor since boot'
}
repeats() {
	printed >"$work/first"
	measured "$1"
	printed | diff "$work/first" -
}
check "four threads of a core count exactly, each alone and all together" measured knc-threads
check "a second run prints the same, to the character" repeats knc-threads
check "SPFLT and undefined instructions count on each thread as the guide says" measured \
	knc-instructions
check "their second run prints the same" repeats knc-instructions

# found FAULT TEXT [WORKLOAD]: with this defect the workload reports the failed check TEXT.
found() {
	run "${3:-knc-threads}" FAULT="$1"
	[ "$status" -ne 0 ] && says "^WRONG: $2, CPU"
}
check "found: threads that share a register" found threads-share 'registers of its own'
check "found: a counter of one thread that counts all" found any-always 'known code at level 3'
check "found: a counter of all threads that counts one" found \
	any-ignored 'all threads at level 3: by hand'
check "found: a halted thread's counter that counts" found halt-counted "and all threads'"
check "found: SPFLT that does nothing" found spflt-lost 'SPFLT of each register at level 0' \
	knc-instructions
check "found: counters that ignore the user filter" \
	found spflt-ignored 'a program that never turns it on' knc-instructions
check "found: a clock of each thread's own" found clock-split 'a clock that is written'
check "found: an interrupt of another thread" found line-of-thread-0 'interrupts of its own counter'
done_checking
