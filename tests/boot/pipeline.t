#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CLOCK=timed: the identities of the guide's cycle accounting ("Cycle Accounting and Uop Flow") and of its loads
# ("Precise Memory Access Events") hold for each workload of this processor, also for those that are added later.
# test_pipeline.c has cycles computed by hand, test_rates.c those of instructions.
. tests/tap.sh
. tests/boot/guests.sh
. tests/boot/holds.sh

export CLOCK=timed
C=CPU_CLK_UNHALTED.THREAD I=UOPS_ISSUED X=UOPS_EXECUTED R=UOPS_RETIRED L=MEM_LOAD_RETIRED
# counted WORKLOAD EVENT...: one run; $work/counts has the clock and these events
counted() {
	workload=$1
	shift
	make_run RUN=session LEVEL=0 WORKLOAD="tests/boot/workloads/$workload.c" \
		EVENTS="$C,$(echo "$*" | tr ' ' ,)" || return
	ended 0 || return
	sed -n 's/^ *\([0-9,]*\)  \([A-Z_0-9]*\.[^ ]*\) .*/\2 \1/p' "$work/out" | tr -d , >"$work/counts"
	cat "$work/counts"
}
# All cycles are those of the core; while the other thread executes, nothing of this one issues.
cycles() {
	counted "$1" $I.ANY:c=1 $I.STALL_CYCLES RESOURCE_STALLS.ANY INST_RETIRED.TOTAL_CYCLES &&
		holds '$2 + $3 == $5' && holds '$4 <= $3' && holds '$1 <= $5' || return
	total=$(sed -n 's/.*TOTAL_CYCLES //p' "$work/counts")
	counted "$1" $X.PORT015:c=1 $X.PORT015_STALL_CYCLES $R.ACTIVE_CYCLES $R.STALL_CYCLES &&
		holds "\$2 + \$3 == $total" && holds "\$4 + \$5 == $total"
}
# Ports 2 to 4 count uops of both threads.
uops() {
	counted "$1" $I.ANY $I.FUSED $R.RETIRE_SLOTS $R.ANY && holds '$2 == $4' && holds '$2 + $3 == $5' &&
		counted "$1" $X.PORT015:t $X.PORT234_CORE $R.ANY:t && holds '$2 + $3 <= $4'
}
# A load of a device has a source, too. RELATION: of the sources to the loads
loads() {
	counted "$1" MEM_UNCORE_RETIRED.UNCACHEABLE MEM_INST_RETIRED.LOADS \
		$L.L1D_HIT+$L.L2_HIT+$L.LLC_UNSHARED_HIT+$L.OTHER_CORE_L2_HIT_HITM+$L.LLC_MISS+$L.HIT_LFB &&
		holds '$3 > 0' && holds "\$2 + \$4 $2 \$3"
}
# identities WORKLOAD RELATION
identities() {
	cycles "$1" && uops "$1" && loads "$1" "$2"
}

# Workloads that a session cannot measure so: the table's fields are name and reason.
excepted() {
	awk -v name="$1" '$1 == name { found = 1 } END { exit !found }' <<-'END'
		fault		is built for one of several faults
		hostile		is built for one of several attacks
		state		is built with a state that its test generates
		classes		programs the counters itself
		cpus		programs the counters itself
		every-event	programs the counters itself
		exact		programs the counters itself
		packages	programs the counters itself, of two packages
		siblings	programs the counters itself
		storm		programs the counters itself
		uncore		programs the counters itself
		in-flight	expects a machine without prefetchers
		latency		expects the unit clock's order of two cores' accesses
		precise		expects the unit clock's cycles from overflow to record
	END
}
# Workloads with loads that no event of a source counts: name and reason.
sourceless() {
	awk -v name="$1" '$1 == name { found = 1 } END { exit !found }' <<-'END'
		branches	starts CPUs: loads of the core's own interrupt controller, which do not leave the core
		devices		loads of the core's own interrupt controller
		predictions	starts CPUs
		faults		the C library's memcpy ends with a repeated string without iterations
		threads		likewise, strings of the C library
	END
}
SHORT='divides trips chase strides calls returns'
for file in tests/boot/workloads/*.c; do
	name=$(basename "$file" .c)
	case $name in itanium-* | knc-* | sparct4-*) continue ;; esac
	! excepted "$name" || continue
	when=long
	case " $SHORT " in *" $name "*) when=check ;; esac
	relation='=='
	! sourceless "$name" || relation='<='
	$when "$name: cycles, micro-ops and loads add up" identities $name $relation
done

# QEMU ends translation blocks where the host's time or its own timers demand, also between a compare and its branch.
# With one instruction per block, all end there.
of_blocks() {
	make_run RUN=session LEVEL=0 WORKLOAD="tests/boot/workloads/$1.c" QEMU_ARGS="$2" \
		EVENTS=$C,$I.ANY,$R.RETIRE_SLOTS,BR_INST_DECODED,MACRO_INSTS.FUSIONS_DECODED
	ended 0 && grep '^ *[0-9,]*  [A-Z].*\.' "$work/out" >"$work/of_blocks"
}
in_any_block() {
	of_blocks "$1" '' || return
	mv "$work/of_blocks" "$work/long"
	of_blocks "$1" '-accel tcg,one-insn-per-tb=on' && cmp "$work/long" "$work/of_blocks"
}
for name in loops predictions; do
	check "$name: cycles do not depend on QEMU's translation blocks" in_any_block $name
done

# Two threads of a core: the cycles of each include those in which the other one executes.
siblings() {
	make_run RUN=session THREADS=2 WORKLOAD=tests/boot/workloads/known.c \
		EVENTS=$I.ANY:c=1,$I.STALL_CYCLES,$R.ACTIVE_CYCLES,$R.STALL_CYCLES
	ended 0 || return
	for thread in 1 2; do
		set -- $(tr -d , <"$work/out" | awk -v thread=$thread 'NF == 4 && /UOPS_/ { print $thread }')
		echo "$@"
		[ $# -eq 4 ] && [ "$1" -gt 0 ] && [ $(($1 + $2)) -eq $(($3 + $4)) ] || return
	done
}
check "two threads of a core" siblings

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
