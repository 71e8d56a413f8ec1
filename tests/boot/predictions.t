#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Branch predictions: known code whose mispredictions are worked out by hand, and sessions.
. tests/tap.sh

nehalem() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/predictions.c \
		EVENTS=CPU_CLK_UNHALTED.REF LEVEL=0
	ended 0 && says '^predictions: 0 wrong$' && says '^predictions: [3-9][0-9][0-9] overflows$'
}
check "Core i7: mispredictions are those worked out by hand; overflows interrupt after them; records name them" nehalem
knc() {
	make_run RUN=session TARGET=knc THREADS=1 WORKLOAD=tests/boot/workloads/knc-predictions.c \
		EVENTS=CPU_CLK_UNHALTED LEVEL=0
	ended 0 && says '^knc-predictions: 0 wrong$'
}
check "Knights Corner: mispredictions are those worked out by hand" knc

# counted NAME: this event's count in the last run.
counted() {
	sed -n "s/^ *\([0-9,]*\)  $1 .*/\1/p" "$work/out" | tr -d ,
}
sums() {
	RETIRED=BRANCH_INSTRUCTIONS_RETIRED:u,MISPREDICTED_BRANCH_RETIRED:u
	make_run RUN=session WORKLOAD=tests/boot/workloads/trips.c \
		EVENTS=$RETIRED,BR_MISP_EXEC.ANY:u,BR_MISP_EXEC.COND:u
	ended 0 && [ "$(counted MISPREDICTED_BRANCH_RETIRED:u)" -gt 100 ] &&
		[ "$(counted MISPREDICTED_BRANCH_RETIRED:u)" = "$(counted BR_MISP_EXEC.ANY:u)" ] &&
		[ "$(counted BR_MISP_EXEC.COND:u)" -le "$(counted BR_MISP_EXEC.ANY:u)" ] &&
		[ "$(counted BR_MISP_EXEC.ANY:u)" -lt "$(counted BRANCH_INSTRUCTIONS_RETIRED:u)" ]
}
check "each executed branch retires, so both events count the same" sums
sampled() {
	make_run RUN=session EVENTS=MISPREDICTED_BRANCH_RETIRED:u:period=20000
	ended 0 && says '^MISPREDICTED_BRANCH_RETIRED:u: [0-9]* samples x 20,000 .*: exactly its count$' &&
		says 'throttled 0, samples dropped 0, register faults 0$'
}
check "mispredictions are sampled exactly" sampled
done_checking
