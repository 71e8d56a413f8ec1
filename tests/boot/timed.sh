# SPDX-License-Identifier: BSD-2-Clause
# The timed clock: cycles from the latencies of hal/emu/model/nehalem.machine: 4, 10, 40 and 160
# cycles for the L1, L2 and L3 caches and memory; 10 fill buffers; four instructions per cycle; no
# prefetchers. Counts of instructions stay the same. Source after tap.sh and grows.sh.

grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
export MACHINE="$work/plain.machine" CLOCK=timed
C=CPU_CLK_UNHALTED.THREAD I=INST_RETIRED.ANY

# Each load waits for the one before: cycles are steps x latency. A turn has 256, 2,048, 8,192 or
# 262,144 lines (caches.t says which caches hold them). Passes over 16 MB also evict a few of the
# runtime's lines, which then come from memory again: up to ten more or five fewer, of 160 cycles,
# depending on the image's layout.
# chase KILOBYTES TURNS [WORD=VALUE... --] NAME=N...
of() {
	workload=$1 kilobytes=$2 turns=$3
	shift 3
	case " $* " in *' -- '*) ;; *) set -- -- "$@" ;; esac
	grows "$turns" "$workload" KILOBYTES="$kilobytes" "$@"
}
chase() {
	of chase "$@"
}
check "a chase in the L1 data cache takes 4 cycles a step" chase 16 100 $C=102400 $I=76800
check "in the L2 cache 10" chase 128 50 $C=1024000 $I=307200
check "in the L3 cache 40" chase 512 20 $C=6553600 $I=491520
check "in memory 160" chase 16384 1 $C=$((41943040 - 800))+1600
check "a step's three instructions are in one of its 40 cycles" chase 512 20 \
	INST_RETIRED.ANY_P:c=1:i=6389760 \
	INST_RETIRED.ANY_P=491520 INST_RETIRED.TOTAL_CYCLES=6553600

# Loads that do not wait for each other: ten proceed at once, so each takes a tenth of the latency,
# but at least the cycle of its four instructions; two of these are additions that wait for the ones
# before. A turn begins with four instructions, in one cycle.
pass() {
	of strides "$@"
}
check "passes over 16 KB: one cycle for each group of four instructions" pass 16 100 $C=25700 \
	$I=102800
check "over 128 KB: one cycle, a tenth of the L2 cache's latency" pass 128 50 $C=102450
check "over 512 KB: 4 cycles, a tenth of the L3 cache's latency" pass 512 20 $C=655360
check "over 16 MB: 16 cycles, a tenth of memory's latency" pass 16384 1 $C=4193504+2400

# Queues. A request enters the global queue when it misses the L2 cache, and therefore stays 30 of
# the L3 cache's 40 cycles, or 150 of memory's 160; 120 of these in the home agent and the memory
# controller. Little's law: a queue's occupancy is its requests' rate times their latency, which is
# how the guide computes latencies ("The Global Queue"). A turn has 4,096 lines, 4 KB apart: 32 in
# each of 128 sets of the L3 cache (16 ways); each channel serves 1,365 or 1,366 of them.
RT=UNC_GQ_TRACKER_OCCUP.RT BUSY=UNC_GQ_CYCLES_BUSY.READ_TRACKER ALLOC=UNC_GQ_ALLOC.RT
check "a chase in the L3 cache occupies an entry of the read tracker for 30 of each 40 cycles" \
	chase 512 2 $C=655360 \
	$RT=491520 $ALLOC=16384 $BUSY=491520 UNC_GQ_TRACKER_OCCUP.RT_TO_LLC_RESP=491520 \
	${RT}_LLC_MISS=0
check "a chase in memory, for 150 of 160, 120 of them in the home agent" chase 16384 10 LINE=4096 \
	-- $C=6553600+1000 \
	$RT=6144000+1500 $ALLOC=40960+10 ${RT}_LLC_MISS=4915200+1200 \
	UNC_QHL_OCCUPANCY.LOCAL=4915200+1200 \
	UNC_IMC_NORMAL_OCCUPANCY.CH0=1638000+1600 UNC_IMC_BUSY.READ.CH0=1638000+1600
check "ten at once occupy 9.4 entries: a line every 16 cycles, for 150" pass 16384 10 STRIDE=4096 \
	-- $C=655360+1000 \
	$RT=6144000+1500 $ALLOC=40960+10 $BUSY=655360+1000

# Non-temporal stores of whole lines: with one package the home logic has 32 entries, each occupied
# for 120 cycles. It accepts one line per 3.75 cycles, so it is full, and so is the write tracker in
# front of it.
WHOLE='ACCESS="movnti %%rax,(%0);movnti %%rax,8(%0);movnti %%rax,16(%0);movnti %%rax,24(%0);movnti %%rax,32(%0);'
WHOLE=$WHOLE'movnti %%rax,40(%0);movnti %%rax,48(%0);movnti %%rax,56(%0)"'
check "non-temporal stores fill the home logic and the write tracker" \
	grows 4 strides KILOBYTES=512 "$WHOLE" -- $C=122880+200 \
	UNC_QHL_CYCLES_FULL.LOCAL=122500+400 UNC_GQ_CYCLES_FULL.WRITE_TRACKER=122100+800 \
	UNC_QHL_REQUESTS.LOCAL_READS=32768+10 UNC_QHL_OCCUPANCY.LOCAL=3932160+1200 \
	UNC_IMC_WRITES.FULL.ANY=32768

in_flight() {
	make_run RUN=session LEVEL=0 WORKLOAD=tests/boot/workloads/in-flight.c \
		EVENTS=CPU_CLK_UNHALTED.REF
	ended 0 && says '^in flight: with a bus lock 15000, without 0, of an empty queue 15000$'
}
check "an occupancy is right if a bus lock has emptied the queue, and otherwise wrong by the requests in flight" \
	in_flight

# The time-stamp counter stays that of the instruction clock, and reference cycles follow the
# time-stamp counter.
check "reference cycles are the time-stamp counter's" chase 512 20 CPU_CLK_UNHALTED.REF=491520 \
	$C=6553600

# The default workload.
OF_INSTRUCTIONS=INST_RETIRED.ANY:u,BR_INST_RETIRED.ALL_BRANCHES:u,MEM_INST_RETIRED.LOADS:u,MEM_INST_RETIRED.STORES:u
counted() {
	make_run RUN=session EVENTS="$1" CLOCK="$2"
	ended 0 && sed -n 's/^ *\([0-9,]*\)  \([A-Z_]*\.[A-Z_]*:u\) .*/\2 \1/p' "$work/out" \
		>"$work/$2"
}
same() {
	counted $OF_INSTRUCTIONS unit && counted $OF_INSTRUCTIONS timed || return
	cat "$work/unit"
	[ "$(wc -l <"$work/unit")" = 4 ] && diff "$work/unit" "$work/timed"
}
check "instructions, branches, loads and stores are those of the unit clock" same
sampled() {
	make_run RUN=session EVENTS=$C:period=100000
	ended 0 && says "^$C: [1-9][0-9]* samples x 100,000 .*: exactly its count\$" &&
		says 'throttled 0, samples dropped 0'
}
check "cycles are sampled, and counted exactly" sampled
