#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Callers of samples, on each emulated machine: at each instruction of functions whose callers are
# known, and in code that destroys the data that unwinding needs, such as frame pointers.
. tests/tap.sh
. tests/command/command.sh

# All call chains that can occur (workloads/callers.c). A function that returns after its call
# appears as the caller. The C library may call other functions between qsort and the comparison, or
# from qsort. While the unwinding data is destroyed, any chain may occur.
sorting=';sort(;qsort(;compare|;__[a-z0-9]+)?)?'
known="workload(;outer(;middle(;leaf)?|;leaf)?|(;deep){1,20}|(;deep){21}(;leaf)?|$sorting|;destroy(;mem[a-z]*)?)?"
spending='([^ ]*;)?spend(_without_stack(;mem[a-z]*)?)?'
chains() {
	palmon convert -i "$work/run" --folded
	cp "$work/out" "$work/chains"
	! grep -vE "^$TARGET;($known|$spending) [0-9]+\$" "$work/chains"
}
# Each chain occurs: a sample per 97 instructions hits all functions, at most of their instructions.
all_chains() {
	deep=workload$(printf ';deep%.0s' $(seq 21))
	ended 0 && says ': exactly its count$' && chains && for chain in workload 'workload;outer' \
			'workload;outer;leaf' 'workload;outer;middle' 'workload;outer;middle;leaf' \
			"$deep" \
			"$deep;leaf" 'workload;sort' 'workload;sort;qsort' \
			'workload;sort;qsort;compare' \
			'[^ ]*spend'; do
		grep -q "^$TARGET;$chain [0-9]*$" "$work/chains" ||
			{ echo "no $chain"; cat "$work/chains"; return 1; }
	done
}
follow() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/callers.c EVENTS="$@"
}
called() {
	follow "$1:u:period=97" CALLS=32
	all_chains
}
# machine EVENT CHECK: samples the event's instructions; CHECK is check or long.
machine() {
	$2 "$TARGET: each sample has one of the possible call chains, even while unwinding data is destroyed" \
		called "$1"
}
machine INST_RETIRED.ANY_P check
# A sample has at most CALLS callers; the counts are the same with and without callers.
counted() {
	jq '."counter-value"' "$work/run/counts.json"
}
# limited CALLS MOST: a run with CALLS= has samples with up to MOST callers.
limited() {
	follow INST_RETIRED.ANY_P:u:period=97 CALLS="$1"
	ended 0 && [ "$(counted)" = "$(cat "$work/followed")" ] &&
		[ "$(jq -s 'map(.callers // [] | length) | max' "$work/run/samples")" -eq "$2" ]
}
without() {
	limited 0 0 && ! grep '"callers"' "$work/run/samples"
}
counted >"$work/followed"
check "CALLS=3 finds three; counts are the same" limited 3 3
long "the default is 16" limited '' 16
long "CALLS=0: counts are the same without callers" without
by_nmi() {
	follow INST_RETIRED.ANY_P:u:period=97 CALLS=64 PMI=nmi
	all_chains
}
long "nehalem: likewise as an NMI" by_nmi
nested() {
	follow INST_RETIRED.ANY_P:period=997 LEVEL=0 CALLS=32
	ended 0 && palmon convert -i "$work/run" --folded &&
		! grep -vE "^$TARGET;(.*;?run_thread(;$known)?|$spending) " "$work/out" &&
		grep -qE ';session_run;(measure[a-z_]*;)?run_thread;workload;outer;middle;leaf ' \
		"$work/out"
}
check "nehalem: at level 0 samples also hit the runtime's functions" nested
bad() {
	boot run=session calls="$1"
	ended 1 && says "^palmon: calls=$1: the value is to be: how many callers"
}
check "calls=65 is refused" bad 65
for value in '' -1 3x 999999999999; do
	long "calls=$value is refused" bad "$value"
done
use_target knc img
machine INSTRUCTIONS_EXECUTED long
use_target sparct4 prom
machine Instr_all check
use_target itanium elf
machine IA64_INST_RETIRED check
done_checking
