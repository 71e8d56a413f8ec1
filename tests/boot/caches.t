#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nehalem's events of caches and TLBs, raised by real code: pointer chases through memory that fits
# in a level, or does not. Each step of a chase is one load from a line of its own. A second run
# with twice the turns must raise each count by exactly the loads of the added turns. Sizes are
# those of the performance analysis guide: 32 KB, 256 KB, 8 MB. The processor has no prefetchers
# here; prefetch.t tests them.
. tests/tap.sh

grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
export MACHINE="$work/plain.machine"

MISSES=L1D.REPL,L1D_CACHE_LD.I_STATE,L2_RQSTS.LD_MISS,MEM_LOAD_RETIRED.LLC_MISS
MISSES=$MISSES,UNC_LLC_MISS.READ,UNC_IMC_NORMAL_READS.ANY,UNC_LLC_LINES_IN.ANY
SERVED=L1D_CACHE_LD.MESI,MEM_LOAD_RETIRED.L1D_HIT,MEM_LOAD_RETIRED.L2_HIT,MEM_LOAD_RETIRED.LLC_UNSHARED_HIT
REQUESTED=L2_RQSTS.LOADS,OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LOCAL_DRAM,LLC_MISSES,LLC_REFERENCES

# chase KILOBYTES TURNS EVENTS: prints its counts, NAME=N. With MODIFIES=1 each step also adds 1 to
# a word of its line.
MODIFIES=
chase() {
	sed "s/\(KILOBYTES	\).*/\1$1/;s/\(TURNS		\).*/\1$2/;${MODIFIES:+s/1: mov/1: incq 8(%0); mov/}" \
		tests/boot/workloads/chase.c >"$work/chase.c"
	make_run RUN=session WORKLOAD="$work/chase.c" EVENTS="$3"
	[ "$status" = 0 ] && sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Z0-9_.]*\) .*/\2=\1/p' \
		"$work/out" | tr -d ,
}
# grows KILOBYTES TURNS EVENTS NAME=N...: doubling the turns raises each count by N; N+FEW allows
# FEW more or fewer
grows() {
	chase "$1" "$2" "$3" >"$work/once" && chase "$1" $(($2 * 2)) "$3" >"$work/twice" || return 1
	shift 3
	for expected; do
		name=${expected%=*}
		once=$(sed -n "s/^$name=//p" "$work/once") twice=$(sed -n "s/^$name=//p" \
			"$work/twice")
		echo "$name: $once, $twice; by ${expected#*=}"
		n=${expected#*=} few=0
		case $n in *+*) few=${n#*+} ;; esac
		[ -n "$once" ] && [ $((twice - once)) -ge $((${n%+*} - few)) ] &&
			[ $((twice - once)) -le $((${n%+*} + few)) ] || return 1
	done
}
# 256 lines: all in the L1 data cache.
check "16 KB: no load misses" grows 16 100 "$MISSES" L1D.REPL=0 L1D_CACHE_LD.I_STATE=0 \
	L2_RQSTS.LD_MISS=0 \
	MEM_LOAD_RETIRED.LLC_MISS=0 UNC_LLC_MISS.READ=0
check "16 KB: all loads hit the L1 data cache" grows 16 100 "$SERVED" L1D_CACHE_LD.MESI=25600 \
	MEM_LOAD_RETIRED.L1D_HIT=25600 MEM_LOAD_RETIRED.L2_HIT=0 MEM_LOAD_RETIRED.LLC_UNSHARED_HIT=0
# 2,048 lines: 32 in each set of the L1 data cache (8 ways), 4 in each set of the L2 cache (8 ways).
check "128 KB: all loads miss the L1 data cache, none the L2 cache" grows 128 50 "$MISSES" \
	L1D.REPL=102400 \
	L1D_CACHE_LD.I_STATE=102400 L2_RQSTS.LD_MISS=0 MEM_LOAD_RETIRED.LLC_MISS=0 \
	UNC_LLC_MISS.READ=0
check "128 KB: all loads hit the L2 cache" grows 128 50 "$SERVED" L1D_CACHE_LD.MESI=102400 \
	MEM_LOAD_RETIRED.L1D_HIT=0 MEM_LOAD_RETIRED.L2_HIT=102400 \
	MEM_LOAD_RETIRED.LLC_UNSHARED_HIT=0
MODIFIES=1
check "128 KB, modified: the L1 data cache writes back each line that it evicts" grows 128 50 \
	L1D.M_EVICT,L1D_WB_L2.MESI,L1D.M_SNOOP_EVICT L1D.M_EVICT=102400 L1D_WB_L2.MESI=102400 \
	L1D.M_SNOOP_EVICT=0
check "16 KB, modified: it evicts none" grows 16 100 L1D.M_EVICT L1D.M_EVICT=0
MODIFIES=
# 8,192 lines: 16 in each set of the L2 cache.
check "512 KB: all loads miss the L2 cache, none the L3 cache" grows 512 20 "$MISSES" \
	L1D.REPL=163840 \
	L1D_CACHE_LD.I_STATE=163840 L2_RQSTS.LD_MISS=163840 MEM_LOAD_RETIRED.LLC_MISS=0 \
	UNC_LLC_MISS.READ=0
check "512 KB: all loads hit the L3 cache, without snoops of other cores" grows 512 20 "$SERVED" \
	L1D_CACHE_LD.MESI=163840 MEM_LOAD_RETIRED.L2_HIT=0 MEM_LOAD_RETIRED.LLC_UNSHARED_HIT=163840
# 262,144 lines: 32 in each set of the L3 cache (16 ways). The L3 cache is inclusive: its evictions
# also remove the runtime's few lines from the core's caches, and the runtime then misses them.
check "16 MB: all loads come from memory" grows 16384 1 "$MISSES" L1D.REPL=262144 \
	L1D_CACHE_LD.I_STATE=262144 \
	L2_RQSTS.LD_MISS=262144 MEM_LOAD_RETIRED.LLC_MISS=262144 UNC_LLC_MISS.READ=262144+4 \
	UNC_IMC_NORMAL_READS.ANY=262144+4 UNC_LLC_LINES_IN.ANY=262144+4
# Each channel serves a third of the lines: 87,381, and one channel one more.
COLUMNS=UNC_DRAM_READ_CAS.CH0,UNC_DRAM_READ_CAS.CH1,UNC_DRAM_READ_CAS.CH2
check "16 MB: columns of each channel" grows 16384 1 $COLUMNS \
	UNC_DRAM_READ_CAS.CH0=87381+8 UNC_DRAM_READ_CAS.CH1=87381+8 UNC_DRAM_READ_CAS.CH2=87381+8
check "16 MB: requests, responses, misses of the last level" grows 16384 1 "$REQUESTED" \
	L2_RQSTS.LOADS=262144 \
	OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LOCAL_DRAM=262144 LLC_MISSES=262144+4 \
	LLC_REFERENCES=262144+4

# Samples of misses: the sum is the count, and the interrupts come soon.
sampled() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/chase.c EVENTS=L1D.REPL:period=1000
	[ "$status" = 0 ] && says 'exactly its count' && says '100.0% .* workload ' &&
		[ "$(sed -n 's/.*between overflow and freeze: 0 to \([0-9]*\)$/\1/p' "$work/out")" \
		-le 512 ]
}
check "misses are sampled, and counted exactly" sampled
# Events without a mechanism in the model are reported as not counted.
absent() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/chase.c \
		EVENTS=L1D_PEND_MISS.PENDING,OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_DRAM,UNC_QHL_REQUESTS.REMOTE_READS
	[ "$status" = 0 ] && [ "$(grep -c '<not counted>' "$work/out")" = 3 ]
}
check "fill buffers and other packages are not counted" absent
without_prefetchers() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/chase.c \
		EVENTS=L1D_PREFETCH.REQUESTS,L2_RQSTS.PREFETCHES
	[ "$status" = 0 ] && says '^ *0  L1D_PREFETCH.REQUESTS ' &&
		says '^ *0  L2_RQSTS.PREFETCHES '
}
check "without prefetchers nothing is prefetched" without_prefetchers
no_such_machine() {
	make_run RUN=session MACHINE="$1"
	[ "$status" -ne 0 ] && says "$2"
}
check "a processor that does not exist" no_such_machine nehalm \
	"^nehalm: there is no such processor; the nearest name is nehalem; the name of a file has a '/'\$"
check "a file that does not exist" no_such_machine ./hexium.machine \
	'./hexium.machine: No such file or directory$'
echo 'cache L1I bytes=32K ways=4 line=64' >"$work/wrong.machine"
check "an invalid file" no_such_machine "$work/wrong.machine" \
	"wrong.machine:1: it has no source: '| SOURCE'\$"
done_checking
