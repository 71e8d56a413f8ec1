#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# OVERCOUNT=interruptions makes interrupts and faults add to counts: a session's counts of known
# code, the remark in its reports, the machines that refuse the option. guest.t tests each event in
# kernels.
. tests/tap.sh

# 1,000 faults. A PMI adds nothing, because its request freezes the counters.
faults=tests/boot/workloads/faults.c
events=INST_RETIRED.ANY:k,MEM_INST_RETIRED.LOADS:k,MEM_INST_RETIRED.STORES:k,BR_INST_RETIRED.ALL_BRANCHES:k,\
BR_INST_RETIRED.CONDITIONAL:k
# faults [VARIABLE=VALUE]: sets $counts to the counts of the five events.
faults() {
	make_run RUN=session LEVEL=0 WORKLOAD=$faults EVENTS="$events" "$@" && ended 0 || return
	counts=$(sed -n 's/^ *\([0-9,]*\)  [A-Z_.]*:k.*/\1/p' "$work/out" | tr -d , | tr '\n' ' ')
}
adds() {
	faults && alone=$counts && faults OVERCOUNT=interruptions && echo "$alone; $counts" &&
		set -- $alone $counts &&
		[ $# = 10 ] &&
		[ "$(($6 - $1)) $(($7 - $2)) $(($8 - $3)) $(($9 - $4))" = '1000 1000 1000 1000' ] &&
		[ "${10}" = "$5" ]
}
check "each fault adds an instruction, a load, a store and a branch, and no conditional one" adds
said='interrupts and faults counted, too, each as an instruction, a branch, a load and a store'
# reports [VARIABLE=VALUE]: writes palmon report's output for samples to $work/report.
reports() {
	make_run RUN=session LEVEL=0 WORKLOAD=$faults EVENTS=MEM_INST_RETIRED.LOADS:k:period=100 \
		"$@" &&
		ended 0 && "$BUILD/host/palmon" report -i "$work/run/samples" >"$work/report" &&
		cat "$work/report"
}
says_it() {
	reports OVERCOUNT=interruptions && grep -qxF "$said" "$work/report" &&
		says '^ *started .*PMU: QEMU plugin, unit clock, interruptions count$'
}
check "the summary and palmon report of the samples mention it" says_it
without() {
	reports && ! grep -F "$said" "$work/report" &&
		says '^ *started .*PMU: QEMU plugin, unit clock$'
}
check "without the option they do not" without

check "another value is refused" \
	session_refused '^palmon: OVERCOUNT=faults: interruptions, or nothing$' OVERCOUNT=faults
for target in knc sparct4; do
	check "a PMU whose overcount is unknown: $target" \
		session_refused \
		"the effect of interruptions on this PMU's counts is unknown \(overcount=\)\$" \
		OVERCOUNT=interruptions TARGET=$target
done
check "the ia64 machine" session_refused \
	"^palmon: OVERCOUNT=interruptions: an Itanium's interruptions add nothing" \
	OVERCOUNT=interruptions TARGET=itanium
done_checking
