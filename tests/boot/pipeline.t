#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CLOCK=timed: the identities of the guide's cycle accounting ("Cycle Accounting and Uop Flow") hold
# for each workload. test_pipeline.c has cycles computed by hand, test_rates.c those of instructions.
. tests/tap.sh
. tests/boot/guests.sh

export CLOCK=timed
C=CPU_CLK_UNHALTED.THREAD I=UOPS_ISSUED X=UOPS_EXECUTED R=UOPS_RETIRED L=MEM_LOAD_RETIRED
# counted WORKLOAD EVENT...: one run; $work/counts has a line "EVENT COUNT" for each.
counted() {
	workload=$1
	shift
	make_run RUN=session LEVEL=0 WORKLOAD="tests/boot/workloads/$workload.c" \
		EVENTS="$C,$(echo "$*" | tr ' ' ,)" || return
	ended 0 && sed -n 's/^ *\([0-9,]*\)  \([A-Z_0-9]*\.[^ ]*\) .*/\2 \1/p' "$work/out" | tr -d , >"$work/counts"
	cat "$work/counts"
}
# holds 'EXPRESSION': of counts as $1, $2, ...: the clock, then the events
holds() {
	set -- "$1" $(cut -d' ' -f2 "$work/counts")
	expression=$1
	shift
	eval "[ \$(($expression)) = 1 ]" || {
		echo "does not hold: $expression"
		return 1
	}
}
cycles() {
	counted "$1" $I.ANY:c=1 $I.STALL_CYCLES $X.PORT015:c=1 $X.PORT015_STALL_CYCLES &&
		holds '$1 == $2 + $3' && holds '$1 == $4 + $5' &&
		counted "$1" $R.ACTIVE_CYCLES $R.STALL_CYCLES RESOURCE_STALLS.ANY $I.STALL_CYCLES &&
		holds '$1 == $2 + $3' && holds '$4 <= $5'
}
uops() {
	counted "$1" $I.ANY $I.FUSED $R.RETIRE_SLOTS $R.ANY && holds '$2 == $4' && holds '$2 + $3 == $5' &&
		counted "$1" $X.PORT015 $X.PORT234_CORE $R.ANY $I.ANY && holds '$2 + $3 <= $4' && holds '$5 <= $4'
}
loads() {
	counted "$1" $L.L1D_HIT+$L.L2_HIT+$L.LLC_UNSHARED_HIT+$L.OTHER_CORE_L2_HIT_HITM+$L.LLC_MISS+$L.HIT_LFB \
		MEM_INST_RETIRED.LOADS && holds '$2 == $3' && holds '$2 > 0'
}
for name in divides trips chase strides calls returns; do
	check "$name: cycles are those that issue, execute or retire, and those that stall" cycles $name
	check "$name: what issues executes and retires" uops $name
done
check "each load has one source: chase" loads chase
check "strides" loads strides

# The built image has only instructions that nehalem.machine describes. Without the row of DIV, the
# workload's thousand divides are reported.
modelled() {
	make_run RUN=session LEVEL=0 WORKLOAD=tests/boot/workloads/divides.c EVENTS=$C "$@" && ended 0
}
described() {
	modelled && ! says 'not modelled'
}
check "the description has each instruction of the image" described
not_described() {
	grep -v '^uops	div ' hal/emu/model/nehalem.machine >"$work/lacks.machine"
	modelled MACHINE="$work/lacks.machine"
	says '^palmon: not modelled: 1[0-9][0-9][0-9] instructions that the processor.s description lacks'
}
check "without a row for DIV, the run reports its instructions" not_described
done_checking
