#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The PMU that four CPUs share: its counts, overflows that each CPU serves once, bus locks; with the
# same results each time.
. tests/tap.sh

measured() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/uncore.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0 "$@"
	ended 0 && says '^uncore: 0 wrong$' && says 'register faults 0$'
}
check "it counts all CPUs, each CPU serves each overflow once, and bus locks initialize queues" \
	measured

printed() {
	grep -A1000 '^palmon:' "$work/out"
}
printed >"$work/first"

repeats() {
	measured
	printed | diff "$work/first" -
}
long "a second run prints the same, to the clock" repeats
long "also with the first CPU's overflow interrupt as NMI" measured PMI=nmi

# The checks above can fail.
found() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/uncore.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0 \
		FAULT="$1"
	[ "$status" -ne 0 ] && says "^WRONG: $2"
}
check "a tracker that is not reset is found" \
	found nehalem-uncore/occupancy-not-reset 'bus locks: entries of empty queues'
done_checking
