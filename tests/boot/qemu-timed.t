#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clock=timed of the plugin: fill buffers, the divider, prefetchers, threads, and the plugin's reports
# about its clock. timed.t tests cycles and queues.
. tests/tap.sh
. tests/boot/grows.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64 image
unset FAULT

# Fill buffers: a load that misses occupies a buffer for the latency of the next level.
PENDING=L1D_PEND_MISS.PENDING FULL=L1D_PEND_MISS.LOAD_BUFFERS_FULL
grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
export MACHINE="$work/plain.machine" CLOCK=timed
C=CPU_CLK_UNHALTED.THREAD
long "a chase in the L2 cache has a line on its way for 10 cycles of each step" \
	grows 50 chase KILOBYTES=128 -- $C=1024000 $PENDING=1024000 $PENDING:c=1=1024000
long "a chase in memory, for 160" grows 1 chase KILOBYTES=16384 \
	-- $PENDING=$((41943040 - 800))+1600
check "ten lines at once occupy all buffers" grows 20 strides KILOBYTES=512 -- $PENDING=6553600 \
	$FULL=655360

# Eight loads of each line of the L2 cache, one every two cycles (a loop of four micro-ops from the
# loop stream detector). The line arrives 10 cycles after the first load requests it. A hit in the L1
# data cache takes 4 cycles, so the next two loads would end before the line arrives, in cycles 6 and
# 8; the last five would not.
LOADS=MEM_LOAD_RETIRED
check "loads of a line on its way hit a fill buffer" grows 50 strides KILOBYTES=128 STRIDE=8 -- \
	$LOADS.L2_HIT=102400 $LOADS.HIT_LFB=204800 $LOADS.L1D_HIT=512000 \
	MEM_INST_RETIRED.LOADS=819200
precise() {
	image_of strides KILOBYTES=128 STRIDE=8 && boot_with 5 "$image" run=session \
		events=MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4:u:p:period=101
	ended 0 && says '^ +[0-9.]+% +[0-9,]+  a fill buffer: the line was on its way$'
}
check "their precise records say so" precise

# More lines than package events wait at once. Each turn also writes the stack's lines.
check "WBINVD writes 65,536 lines to memory" grows 1 writebacks -- UNC_IMC_WRITES.FULL.ANY=65536+16

check "a divide keeps the divider busy for 11 of its 22 cycles" grows 1000 divides -- $C=28000 \
	ARITH.CYCLES_DIV_BUSY=11000 \
	ARITH.DIV=1000
by_unit() {
	CLOCK=unit grows 1000 divides -- ARITH.CYCLES_DIV_BUSY=1000 ARITH.DIV=1000
}
check "by the unit clock for one cycle, like all instructions" by_unit

# Prefetches, for which no instruction waits, occupy at most the entries of the global queue.
QUEUE=UNC_GQ_TRACKER_OCCUP.RT
prefetched() {
	image_of "$1" KILOBYTES=16384 &&
		MACHINE= boot_with 1 "$image" run=session events=$C,$QUEUE
	ended 0 && says "^ *[1-9][0-9,]*  $QUEUE "
}
check "prefetches do not fill queues without limit: passes" prefetched strides
long "a chase" prefetched chase

said() {
	image_of divides && boot_with 1000 "$image" run=session
	ended 0 && says 'PMU: QEMU plugin, timed clock$' || return
	CLOCK=unit boot_with 1000 "$image" run=session events=$PENDING,$QUEUE
	ended 0 && says 'PMU: QEMU plugin, unit clock$' &&
		says "^ *<not counted>  $PENDING .* does not happen under QEMU plugin, unit clock\$" &&
		says "^ *<not counted>  $QUEUE .* does not happen under QEMU plugin, unit clock\$"
}
check "the report names the clock, and the events that the unit clock does not count" said
selftest() {
	boot run=selftest
	ended 0 && says '^# all checks passed'
}
check "the self test: every check passes" selftest

# Four threads of two cores, each with the cycles of its own time slices.
threads() {
	make_run RUN=session THREADS=4 WORKLOAD=tests/boot/workloads/known.c \
		EVENTS=INST_RETIRED.ANY_P:u,CPU_CLK_UNHALTED.THREAD_P:u
	ended 0 && row=$(sed -n 's/^\([ 0-9,]*\)  INST_RETIRED.ANY_P:u$/\1/p' "$work/out" |
		tr -d ,) && echo $row &&
		[ "$(echo $row)" = '200009 224699 249389 274079 948176' ]
}
check "four threads count the same instructions as with the unit clock" threads

plugin() {
	capture timeout 60 "$qemu" -M none -display none \
		-plugin "$BUILD/plugin/palmon-qemu.so,pmu=nehalem,clock=fast"
	[ "$status" -ne 0 ] && says '^palmon: clock=unit or clock=timed$'
}
check "a clock that does not exist is refused in the plugin's argument" plugin
done_checking
