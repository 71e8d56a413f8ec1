#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nehalem's events of caches and TLBs, raised by real code: pointer chases through memory that fits
# in a level, or does not. Each step of a chase is one load from a line of its own. A second run
# with twice the turns must raise each count by exactly the loads of the added turns. Sizes are
# those of the performance analysis guide: 32 KB, 256 KB, 8 MB. The processor has no prefetchers
# here; prefetch.t tests them.
. tests/tap.sh
. tests/boot/grows.sh

grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
export MACHINE="$work/plain.machine"

chase() {
	over chase "$@"
}
# 256 lines: all in the L1 data cache.
check "16 KB: all loads hit the L1 data cache" chase 16 100 L1D_CACHE_LD.MESI=25600 \
	MEM_LOAD_RETIRED.L1D_HIT=25600 MEM_LOAD_RETIRED.L2_HIT=0 MEM_LOAD_RETIRED.LLC_UNSHARED_HIT=0
long "16 KB: no load misses" chase 16 100 L1D.REPL=0 L1D_CACHE_LD.I_STATE=0 L2_RQSTS.LD_MISS=0 \
	MEM_LOAD_RETIRED.LLC_MISS=0 UNC_LLC_MISS.READ=0
# 2,048 lines: 32 in each set of the L1 data cache (8 ways), 4 in each set of the L2 cache (8 ways).
check "128 KB: all loads miss the L1 data cache, none the L2 cache" chase 128 50 L1D.REPL=102400 \
	L1D_CACHE_LD.I_STATE=102400 L2_RQSTS.LD_MISS=0 MEM_LOAD_RETIRED.LLC_MISS=0 \
	UNC_LLC_MISS.READ=0
long "128 KB: all loads hit the L2 cache" chase 128 50 L1D_CACHE_LD.MESI=102400 \
	MEM_LOAD_RETIRED.L1D_HIT=0 MEM_LOAD_RETIRED.L2_HIT=102400 \
	MEM_LOAD_RETIRED.LLC_UNSHARED_HIT=0
# Each step also adds 1 to a word of its line.
MODIFIES='STEP="incq 8(%0); mov (%0), %0"'
check "128 KB, modified: the L1 data cache writes back each line that it evicts" \
	chase 128 50 "$MODIFIES" -- L1D.M_EVICT=102400 L1D_WB_L2.MESI=102400 L1D.M_SNOOP_EVICT=0
long "16 KB, modified: it evicts none" chase 16 100 "$MODIFIES" -- L1D.M_EVICT=0
# 8,192 lines: 16 in each set of the L2 cache.
long "512 KB: all loads miss the L2 cache, none the L3 cache" chase 512 20 L1D.REPL=163840 \
	L1D_CACHE_LD.I_STATE=163840 L2_RQSTS.LD_MISS=163840 MEM_LOAD_RETIRED.LLC_MISS=0 \
	UNC_LLC_MISS.READ=0
check "512 KB: all loads hit the L3 cache, without snoops of other cores" chase 512 20 \
	L1D_CACHE_LD.MESI=163840 MEM_LOAD_RETIRED.L2_HIT=0 MEM_LOAD_RETIRED.LLC_UNSHARED_HIT=163840
# 262,144 lines: 32 in each set of the L3 cache (16 ways). The L3 cache is inclusive: its evictions
# also remove the runtime's few lines from the core's caches, and the runtime then misses them: up
# to four more or four fewer. Each channel serves a third of the lines: 87,381, and one channel one
# more.
also=UNC_DRAM_READ_CAS.CH0,UNC_DRAM_READ_CAS.CH1,UNC_DRAM_READ_CAS.CH2
check "16 MB: all loads come from memory" chase 16384 1 L1D.REPL=262144 \
	L1D_CACHE_LD.I_STATE=262144 L2_RQSTS.LD_MISS=262144 MEM_LOAD_RETIRED.LLC_MISS=262144 \
	UNC_LLC_MISS.READ=262140+8 UNC_IMC_NORMAL_READS.ANY=262140+8 UNC_LLC_LINES_IN.ANY=262140+8
also=
check "16 MB: columns of each channel" grew UNC_DRAM_READ_CAS.CH0=87373+16 \
	UNC_DRAM_READ_CAS.CH1=87373+16 UNC_DRAM_READ_CAS.CH2=87373+16
long "16 MB: requests, responses, misses of the last level" chase 16384 1 L2_RQSTS.LOADS=262144 \
	OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LOCAL_DRAM=262144 LLC_MISSES=262140+8 \
	LLC_REFERENCES=262140+8

# Samples of misses: the sum is the count, and the interrupts come soon. Events without a mechanism
# in the model are reported as not counted.
REMOTE=OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_DRAM REMOTE_READS=UNC_QHL_REQUESTS.REMOTE_READS
PREFETCHES=L1D_PREFETCH.REQUESTS,L2_RQSTS.PREFETCHES
sampled() {
	image_of chase KILOBYTES=128 && boot_with 50 "$image" run=session \
		events="L1D.REPL:period=1000,$PREFETCHES,$REMOTE,$REMOTE_READS"
	ended 0 && says 'exactly its count' && says '100.0% .* workload ' &&
		[ "$(sed -n 's/.*between overflow and freeze: 0 to \([0-9]*\)$/\1/p' "$work/out")" \
		-le 512 ]
}
check "misses are sampled, and counted exactly" sampled
absent() {
	says "^ *<not counted>  $REMOTE " && says "^ *<not counted>  $REMOTE_READS "
}
check "other packages are not counted" absent
without_prefetchers() {
	says '^ *0  L1D_PREFETCH.REQUESTS ' && says '^ *0  L2_RQSTS.PREFETCHES '
}
check "without prefetchers nothing is prefetched" without_prefetchers
no_such_machine() {
	MACHINE="$1" boot run=session
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
