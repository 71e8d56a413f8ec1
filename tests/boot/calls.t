#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Callers of samples, on each emulated machine: of functions of which it is known who calls them, at each of their
# instructions; of code that destroys what callers are found by.
. tests/tap.sh
. tests/command/command.sh

# The chains that there can be (workloads/callers.c): functions that end between a call and their return have theirs. In
# the C library there may be more between qsort and what it calls, or on it.
sorting=';sort(;qsort(;compare|;__[a-z0-9]+)?)?'
known="workload(;outer(;middle(;leaf)?|;leaf)?|(;deep){1,20}|(;deep){21}(;leaf)?|$sorting)?"
chains() {
	palmon convert -i "$work/run" --folded
	cp "$work/out" "$work/chains"
	! grep -vE "^$TARGET;$known [0-9]+\$" "$work/chains"
}
# All of them are there: what is sampled at one instruction in 97 are all functions, at most of their instructions.
all_chains() {
	ended 0 && says ': exactly its count$' && chains && for chain in workload 'workload;outer' \
			'workload;outer;leaf' 'workload;outer;middle' 'workload;outer;middle;leaf' \
			"workload$(printf ';deep%.0s' $(seq 21))" \
			"workload$(printf ';deep%.0s' $(seq 21));leaf" 'workload;sort' 'workload;sort;qsort' \
			'workload;sort;qsort;compare'; do
		grep -q "^$TARGET;$chain [0-9]*$" "$work/chains" || { echo "no $chain"; cat "$work/chains"; return 1; }
	done
}
# As many callers as are asked for; the same counts as without.
counted() {
	jq '."counter-value"' "$work/run/counts.json"
}
few() {
	counted >"$work/followed"
	make_run RUN=session WORKLOAD=tests/boot/workloads/callers.c EVENTS="$1" CALLS=3
	ended 0 && [ "$(counted)" = "$(cat "$work/followed")" ] && [ "$(jq -s 'map(.callers // [] | length) | max' \
		"$work/run/samples")" -eq 3 ] || return
	make_run RUN=session WORKLOAD=tests/boot/workloads/callers.c EVENTS="$1"
	ended 0 && [ "$(counted)" = "$(cat "$work/followed")" ] && ! grep '"callers"' "$work/run/samples"
}
broken() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/broken-calls.c CALLS=64 EVENTS="$@"
	ended 0 && says ': exactly its count$' && [ "$(wc -l <"$work/run/samples")" -gt 50 ]
}
machine() {
	event=$1
	make_run RUN=session WORKLOAD=tests/boot/workloads/callers.c EVENTS="$event:u:period=97" CALLS=32
	check "$TARGET: each sample's callers are those that it can have, and each chain is there" all_chains
	check "$TARGET: CALLS=3 finds three; counts are the same, also without" few "$event:u:period=97"
	check "$TARGET: what callers are found by is destroyed: chains end, the program does not" \
		broken "$event:u:period=1009"
}
machine INST_RETIRED.ANY_P
check "nehalem: likewise as an NMI" broken INST_RETIRED.ANY_P:u:period=1009 PMI=nmi
nested() {
	make_run RUN=session LEVEL=0 CALLS=32 WORKLOAD=tests/boot/workloads/callers.c \
		EVENTS=INST_RETIRED.ANY_P:period=997
	ended 0 && palmon convert -i "$work/run" --folded &&
		! grep -vE "^$TARGET;.*;?run_thread(;$known)? " "$work/out" &&
		grep -q ';session_run;measure;run_thread;workload;outer;middle;leaf ' "$work/out"
}
check "nehalem: at level 0 the runtime's functions, too" nested
use_target knc svm img
machine INSTRUCTIONS_EXECUTED
use_target sparct4 hyper prom
machine Instr_all
use_target itanium ia64 elf
machine IA64_INST_RETIRED
bad() {
	boot run=session calls="$1"
	ended 1 && says "^palmon: calls=$1: the value is to be: how many callers"
}
for value in '' 65 -1 3x 999999999999; do
	check "calls=$value is refused" bad "$value"
done
done_checking
