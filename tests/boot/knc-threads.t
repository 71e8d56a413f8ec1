#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The four threads of a Knights Corner core: registers, counts, SPFLT, the clock, interrupts, INIT.
# Results repeat, and the workloads find a defect of each of these.
. tests/tap.sh
use_target knc img
. tests/boot/workload.sh

# run WORKLOAD
run() {
	measure "tests/boot/workloads/$1.c" threads=1 level=0 events=INSTRUCTIONS_EXECUTED
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
long "their second run prints the same" repeats knc-instructions

# found FAULT TEXT [WORKLOAD]: with this defect the workload reports the failed check TEXT.
found() {
	FAULT=$1 run "${3:-knc-threads}"
	[ "$status" -ne 0 ] && says "^WRONG: $2, CPU"
}
check "found: threads that share a register" found threads-share 'registers of its own'
long "found: a counter of one thread that counts all" found any-always 'known code at level 3'
long "found: a counter of all threads that counts one" found \
	any-ignored 'all threads at level 3: by hand'
long "found: a halted thread's counter that counts" found halt-counted "and all threads'"
long "found: SPFLT that does nothing" found spflt-lost 'SPFLT of each register at level 0' \
	knc-instructions
check "found: counters that ignore the user filter" \
	found spflt-ignored 'a program that never turns it on' knc-instructions
long "found: a clock of each thread's own" found clock-split 'a clock that is written'
long "found: an interrupt of another thread" found line-of-thread-0 'interrupts of its own counter'
done_checking
