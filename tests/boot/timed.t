#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CLOCK=timed: cycles from the latencies of hal/emu/model/nehalem.machine: 4, 10, 40 and 160 cycles
# for the L1, L2 and L3 caches and memory; 10 fill buffers; four instructions per cycle; no
# prefetchers. Counts of instructions stay the same. Also refusals: targets without this clock.
# qemu-timed.t has tests of fill buffers, the divider, prefetchers, and reports.
. tests/tap.sh
. tests/boot/grows.sh
. tests/boot/guests.sh
. tests/boot/tenth.sh

grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
export MACHINE="$work/plain.machine" CLOCK=timed
C=CPU_CLK_UNHALTED.THREAD I=INST_RETIRED.ANY

# Each load waits for the one before: cycles are steps x latency. A turn has 256, 2,048, 8,192 or
# 262,144 lines (caches.t says which caches hold them). Passes over 16 MB also evict a few of the
# runtime's lines, which then come from memory again: up to ten more or five fewer, of 160 cycles,
# depending on the image's layout.
chase() {
	over chase "$@"
}
check "a chase in the L1 data cache takes 4 cycles a step" chase 16 100 $C=102400 $I=76800
long "in the L2 cache 10" chase 128 50 $C=1024000 $I=307200
long "in memory 160" chase 16384 1 $C=$((41943040 - 800))+1600
WIDE=INST_RETIRED.ANY_P:c=1:i ALL=INST_RETIRED.ANY_P CYCLES=INST_RETIRED.TOTAL_CYCLES
RT=UNC_GQ_TRACKER_OCCUP.RT BUSY=UNC_GQ_CYCLES_BUSY.READ_TRACKER ALLOC=UNC_GQ_ALLOC.RT
also=CPU_CLK_UNHALTED.REF,$WIDE,$ALL,$CYCLES,$RT,$ALLOC,$BUSY,${RT}_TO_LLC_RESP,${RT}_LLC_MISS
check "in the L3 cache 40" chase 512 4 $C=1310720 $I=98304
also=
check "a step's three instructions are in one of its 40 cycles" grew $WIDE=1277952 $ALL=98304 \
	$CYCLES=1310720
# The time-stamp counter stays that of the instruction clock, and reference cycles follow the
# time-stamp counter.
check "reference cycles are the time-stamp counter's" grew CPU_CLK_UNHALTED.REF=98304
# A request enters the global queue ("Queues", below) when it misses the L2 cache, after 10 cycles.
check "an access to the L3 cache occupies an entry of the read tracker for 30 of its 40 cycles" \
	grew $RT=983040 $ALLOC=32768 $BUSY=983040 ${RT}_TO_LLC_RESP=983040 ${RT}_LLC_MISS=0

# Loads that do not wait for each other: ten proceed at once, so each takes a tenth of the latency,
# but at least the two cycles of its loop: its four instructions are three micro-ops, and the loop
# stream detector loses a cycle in each iteration. The end of a turn is mispredicted, which costs 17
# cycles; its other instructions take up to 5.
pass() {
	over strides "$@"
}
check "passes over 16 KB: two cycles for each iteration" pass 16 100 $C=$((51200 + 1700))+500 \
	$I=102800
long "over 128 KB: also two" pass 128 50 $C=$((204800 + 850))+250
long "over 512 KB: 4 cycles, a tenth of the L3 cache's latency" pass 512 20 $C=655360
long "over 16 MB: 16 cycles, a tenth of memory's latency" pass 16384 1 $C=4193504+2400

# Queues. A request enters the global queue when it misses the L2 cache, and therefore stays 30 of
# the L3 cache's 40 cycles, or 150 of memory's 160; 120 of these in the home agent and the memory
# controller. Little's law: a queue's occupancy is its requests' rate times their latency, which is
# how the guide computes latencies ("The Global Queue"). A turn has 4,096 lines, 4 KB apart: 32 in
# each of 128 sets of the L3 cache (16 ways); each channel serves 1,365 or 1,366 of them.
check "a chase in memory, for 150 of 160, 120 of them in the home agent" chase 16384 4 LINE=4096 \
	-- $C=2621440+1000 \
	$RT=2457600+1500 $ALLOC=16384+10 ${RT}_LLC_MISS=1966080+1200 \
	UNC_QHL_OCCUPANCY.LOCAL=1966080+1200 \
	UNC_IMC_NORMAL_OCCUPANCY.CH0=655200+1600 UNC_IMC_BUSY.READ.CH0=655200+1600
long "ten at once occupy 9.4 entries: a line every 16 cycles, for 150" pass 16384 10 STRIDE=4096 \
	-- $C=$((655360 - 100))+1100 \
	$RT=6144000+1500 $ALLOC=40960+10 $BUSY=655360+1000

# Non-temporal stores of whole lines, 16 bytes per cycle: 4 cycles per line. A home logic of 16
# entries, each occupied for 120 cycles, accepts one line per 7.5 cycles, so it is full, and so is the
# write tracker in front of it. (UNC_QHL_CYCLES_FULL counts cycles with 32 entries in use.)
WHOLE='ACCESS="movntdq %%xmm0,(%0);movntdq %%xmm0,16(%0);movntdq %%xmm0,32(%0);movntdq %%xmm0,48(%0);"'
full() {
	sed 's/^\(queue	QHL_ALONE\) 32/\1 16/' "$work/plain.machine" >"$work/half.machine"
	MACHINE=$work/half.machine grows 4 strides KILOBYTES=512 "$WHOLE" -- "$@"
}
check "non-temporal stores fill the write tracker in front of the home logic" full $C=245760+400 \
	UNC_GQ_CYCLES_FULL.WRITE_TRACKER=244800+1100 \
	UNC_QHL_REQUESTS.LOCAL_READS=32768+10 UNC_QHL_OCCUPANCY.LOCAL=3932160+1200 \
	UNC_IMC_WRITES.FULL.ANY=32768

in_flight() {
	make_run RUN=session LEVEL=0 WORKLOAD=tests/boot/workloads/in-flight.c \
		EVENTS=CPU_CLK_UNHALTED.REF
	ended 0 && says '^in flight: with a bus lock 15000, without 0, of an empty queue 15000$'
}
check "an occupancy is right if a bus lock has emptied the queue, and otherwise wrong by the requests in flight" \
	in_flight

OF_INSTRUCTIONS=INST_RETIRED.ANY:u,BR_INST_RETIRED.ALL_BRANCHES:u,MEM_INST_RETIRED.LOADS:u,MEM_INST_RETIRED.STORES:u
tenth "$work/tenth.c"
counted() {
	CLOCK=$1 IMAGE=$work/tenth boot run=session events="$2"
	ended 0 && sed -n 's/^ *\([0-9,]*\)  \([A-Z_]*\.[A-Z_]*:u\) .*/\2 \1/p' "$work/out" \
		>"$work/$1"
}
same() {
	build_image "$work/tenth.c" "$work/tenth.$FORMAT" || return
	counted unit $OF_INSTRUCTIONS && counted timed $OF_INSTRUCTIONS,$C:period=10000 || return
	cat "$work/unit"
	[ "$(wc -l <"$work/unit")" = 4 ] && diff "$work/unit" "$work/timed"
}
check "instructions, branches, loads and stores are those of the unit clock" same
sampled() {
	says "^$C: [1-9][0-9]* samples x 10,000 .*: exactly its count\$" &&
		says 'throttled 0, samples dropped 0'
}
check "cycles are sampled, and counted exactly" sampled

# The guest's PMU also has the timed clock: its check that an instruction is a cycle fails.
guests() {
	build counters && guest counters CLOCK=timed
	says '^not ok [0-9]* - .*cycles'
}
check "a guest's cycles are timed" guests

check "a clock that does not exist" session_refused '^palmon: CLOCK=fast: unit or timed$' CLOCK=fast
long "also on the ia64 machine" session_refused '^palmon: CLOCK=fast: unit or timed$' \
	CLOCK=fast TARGET=itanium
check "SPARC T4: no latencies" \
	session_refused "^palmon: clock=timed: the latencies of this processor are unknown" \
	TARGET=sparct4 MACHINE=
# lacks LINE MESSAGE: the processor's description lacks the line
lacks() {
	grep -v "^$1" "$work/plain.machine" >"$work/unknown.machine"
	MACHINE=$work/unknown.machine boot run=session
	[ "$status" -ne 0 ] && says "unknown.machine: there is no $2\$"
}
check "a processor without a latency" lacks 'latency	L3	' 'latency L3'
long "without a queue" lacks 'queue	GQ_READ' 'queue GQ_READ'
long "without a width" lacks width 'width ISSUE'
done_checking
