#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CLOCK=timed on Knights Corner: cycles of code counted by hand, identities of counts, and four threads
# that share a core. test_inorder.c has the model's cycles, knc-session.t the unit clock.
. tests/tap.sh
use_target knc img
. tests/boot/grows.sh
. tests/boot/workload.sh
. tests/boot/holds.sh

export CLOCK=timed
C=CPU_CLK_UNHALTED I=INSTRUCTIONS_EXECUTED

# counted FILE EVENTS [ARGUMENT...]: appends a line "EVENT COUNT" for each event to $work/counts
counted() {
	file=$1 events=$2
	shift 2
	measure "tests/boot/workloads/$file.c" events="$events" "$@" || return
	ended 0 && sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Z0-9_:a-z=]*\) .*/\2 \1/p' "$work/out" | tr -d , >>"$work/counts"
}

by_hand() {
	measure tests/boot/workloads/knc-timed.c threads=1 level=0 events=$C
	ended 0 && says '^knc-timed: 0 wrong$'
}
check "cycles, pairs, stalls and stages of pieces of code are those counted by hand" by_hand
found() {
	CLOCK=unit measure tests/boot/workloads/knc-timed.c threads=1 level=0 events=$C
	[ "$status" -ne 0 ] && says '^WRONG: '
}
check "with the unit clock they are not" found

# A thread alone issues at most every other cycle; INSTRUCTIONS_EXECUTED:c=2 counts the issues of two
# instructions (guide, Table 1-5, CMASK). Each pair of events takes a run.
add_up() {
	: >"$work/counts"
	for events in $C,$I ${I}_V_PIPE,FE_STALLED $I:c=1,$I:c=2 EXEC_STAGE_CYCLES,DATA_READ; do
		counted "$1" $events threads=1 level=0 || return
	done
	holds '$1 == 2 * ($2 - $3) + $4' && holds '$5 == $2 - $3' && holds '$6 == $3' &&
		holds '$7 >= $5' && holds '$7 <= $1' && holds '$1 >= $2' && holds '$4 > 0'
}
for name in divides trips chase calls; do
	check "$name: cycles are two for each issue, and those that stall" add_up $name
done

# Each load needs the one before for its address: in the L1 data cache after 3 cycles, but the thread
# issues the step's DEC and JNZ two cycles after the load, and the next load two cycles later. A turn
# has 256 or 2,048 steps.
options=threads=1
check "a chase in the L1 data cache takes 4 cycles a step" over chase 16 100 $C=102400 $I=76800
check "in the L2 cache 23" over chase 128 20 $C=942080 $I=122880

# The companions of an event do not change its count.
companion() {
	: >"$work/counts"
	for event in $I DATA_READ:period=1000000 VPU_STALL_REG PIPELINE_AGI_STALLS:c=1:e; do
		counted calls $C,$event threads=1 level=0 || return
	done
	holds '$1 == $3 && $3 == $5 && $5 == $7'
}
check "cycles do not depend on what else is counted" companion

# Samples interrupt the program, which costs cycles, but no instructions.
of_instructions() {
	: >"$work/counts"
	CLOCK=$1 counted calls $I:u,$2 threads=1 level=3 && head -1 "$work/counts" >"$work/$1"
}
same() {
	of_instructions unit BRANCHES:u && of_instructions timed $C:u:period=1000 &&
		says "^$C:u: [1-9][0-9]* samples x 1,000 .*: exactly its count\$" &&
		says 'throttled 0, samples dropped 0' && cat "$work/unit" && diff "$work/unit" "$work/timed"
}
check "sampling cycles changes no count of instructions" same

# Thread t executes 2 n + 9 instructions, n = 100,000 + 12,345 t (known.c): n pairs. While all four
# execute, each issues in every fourth cycle, of three in every third, of two and alone in every other.
# They do not begin together.
row() {
	measure tests/boot/workloads/known.c threads=4 events="$1" || return
	ended 0 && row=$(sed -n "s/^\([ 0-9,]*\)  $1\$/\1/p" "$work/out" | tr -d ,) && echo $row && set -- $row
}
near() {
	echo "$1, expected $2"
	[ "$1" -gt $(($2 - 1000)) ] && [ "$1" -lt $(($2 + 1000)) ]
}
threads() {
	row $I:u && [ "$(echo $row)" = '200009 224699 249389 274079 948176' ] &&
		row $C:u && set -- $row && near "$1" 400000 && near "$2" 437035 && near "$3" 461725 && near "$4" 486415
}
check "four threads share the cycles of a core" threads
again() {
	row $C:u && first=$row && row $C:u && [ "$row" = "$first" ]
}
check "in the same way in each run" again

selftest() {
	boot run=selftest
	ended 0 && says '^# all checks passed'
}
check "the self test: every check passes" selftest

# The image has only instructions that knc.machine describes; without DIV's rows it has not.
described() {
	measure tests/boot/workloads/divides.c threads=1 level=0 events=$C "$@" && ended 0 && says '^palmon: status 0'
}
modelled() {
	described && ! says 'not modelled'
}
check "the description has each instruction of the image" modelled
not_modelled() {
	grep -v '^uops	div ' hal/emu/model/knc.machine >"$work/lacks.machine"
	MACHINE="$work/lacks.machine" described
	says '^palmon: not modelled: 1[0-9][0-9][0-9] instructions that .* lacks; each took one cycle$'
}
check "without rows for DIV, the run reports its instructions" not_modelled
unordered() {
	MACHINE=nehalem boot run=session
	[ "$status" -ne 0 ] && says "^palmon: clock=timed: the time-stamp counter of this PMU's processor is one of its"
}
check "a processor that executes out of order is refused" unordered
lacks() {
	grep -v '^latency	ADDRESS' hal/emu/model/knc.machine >"$work/unknown.machine"
	MACHINE=$work/unknown.machine boot run=session
	[ "$status" -ne 0 ] && says 'unknown.machine: there is no latency ADDRESS$'
}
check "a processor without a latency is refused" lacks
done_checking
