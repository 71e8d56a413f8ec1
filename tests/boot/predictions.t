#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Branch predictions: known code whose mispredictions are worked out by hand, and sessions.
. tests/tap.sh
. tests/boot/number.sh

# session WORKLOAD ARGUMENTS: builds the workload, and runs a session
session() {
	build_image "tests/boot/workloads/$1.c" "$work/image.$FORMAT" || return
	shift
	IMAGE=$work/image boot run=session "$@"
}
nehalem() {
	session predictions events=CPU_CLK_UNHALTED.REF level=0
	ended 0 && says '^predictions: 0 wrong$' && says '^predictions: [3-9][0-9][0-9] overflows$'
}
check "Core i7: mispredictions are those worked out by hand; overflows interrupt after them; records name them" nehalem
knc() {
	use_target knc img
	session knc-predictions threads=1 events=CPU_CLK_UNHALTED level=0
	use_target nehalem img
	ended 0 && says '^knc-predictions: 0 wrong$'
}
check "Knights Corner: mispredictions are those worked out by hand" knc

# counted NAME: this event's count in the last run.
counted() {
	sed -n "s/^ *\([0-9,]*\)  $1 .*/\1/p" "$work/out" | tr -d ,
}
sums() {
	RETIRED=BRANCH_INSTRUCTIONS_RETIRED:u,MISPREDICTED_BRANCH_RETIRED:u
	session trips \
		events=$RETIRED,BR_MISP_EXEC.ANY:u,BR_MISP_EXEC.COND:u
	ended 0 && [ "$(counted MISPREDICTED_BRANCH_RETIRED:u)" -gt 100 ] &&
		[ "$(counted MISPREDICTED_BRANCH_RETIRED:u)" = "$(counted BR_MISP_EXEC.ANY:u)" ] &&
		[ "$(counted BR_MISP_EXEC.COND:u)" -le "$(counted BR_MISP_EXEC.ANY:u)" ] &&
		[ "$(counted BR_MISP_EXEC.ANY:u)" -lt "$(counted BRANCH_INSTRUCTIONS_RETIRED:u)" ]
}
check "each executed branch retires, so both events count the same" sums
sampled() {
	boot run=session events=MISPREDICTED_BRANCH_RETIRED:u:period=20000
	ended 0 && says '^MISPREDICTED_BRANCH_RETIRED:u: [0-9]* samples x 20,000 .*: exactly its count$' &&
		says 'throttled 0, samples dropped 0, register faults 0$'
}
check "mispredictions are sampled exactly" sampled
done_checking
