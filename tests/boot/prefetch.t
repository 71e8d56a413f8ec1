#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nehalem's events of prefetchers, wide and locked accesses, non-temporal stores and devices, raised
# by real code: passes over memory whose counts follow, for each page of 64 lines, from
# hal/emu/model/DECISIONS.md, "Prefetchers". Doubling the turns raises each count by exactly the counts
# of the added turns. Sizes are those of the performance analysis guide: 32 KB, 256 KB, 8 MB.
. tests/tap.sh
. tests/boot/grows.sh

# One instruction loads each line in order. The third load of a page has the same stride as the
# second. From there on each load except the last prefetches the next line into the L1 data cache:
# 61 lines of a page, and three loads miss. All 64 lines are requests to the L2 cache, whose
# prefetcher requests all but the first two.
check "128 KB: loads that follow a stride miss the L1 data cache three times a page" grows 10 \
	strides KILOBYTES=128 -- \
	L1D_CACHE_LD.I_STATE=$((10 * 32 * 3)) L1D.REPL=$((10 * 32 * 64))
long "128 KB: requests of the L1 data cache's prefetchers" grows 10 strides KILOBYTES=128 -- \
	L1D_PREFETCH.REQUESTS=$((10 * 32 * 61)) L1D_PREFETCH.MISS=$((10 * 32 * 61))
long "128 KB: the L2 cache's prefetches hit" grows 10 strides KILOBYTES=128 -- \
	L1D_PREFETCH.TRIGGERS=$((10 * 32 * 61)) L2_RQSTS.PREFETCH_HIT=$((10 * 32 * 62)) \
	L2_RQSTS.PREFETCH_MISS=0 \
	L2_DATA_RQSTS.PREFETCH.E_STATE=$((10 * 32 * 62))
check "512 KB: two loads of a page miss the L2 cache, all others are prefetched" grows 5 strides \
	-- \
	L2_RQSTS.LD_MISS=$((5 * 128 * 2)) L2_RQSTS.PREFETCH_MISS=$((5 * 128 * 62)) \
	L2_LINES_OUT.PREFETCH_CLEAN=$((5 * 128 * 62)) L2_LINES_OUT.DEMAND_CLEAN=$((5 * 128 * 2))
long "512 KB: sources of these loads" grows 5 strides \
	-- MEM_LOAD_RETIRED.L1D_HIT=$((5 * 128 * 61)) \
	MEM_LOAD_RETIRED.L2_HIT=$((5 * 128)) MEM_LOAD_RETIRED.LLC_UNSHARED_HIT=$((5 * 128 * 2)) \
	OFFCORE_RESPONSE_0.PF_DATA_RD.LLC_HIT_NO_OTHER_CORE=$((5 * 128 * 62))
# The inclusive L3 cache also evicts lines of the runtime, which the core then fetches again: a few
# in each pass, and not always the same number.
long "16 MB: memory answers prefetches" grows 1 strides KILOBYTES=16384 -- \
	OFFCORE_RESPONSE_0.PF_DATA_RD.LOCAL_DRAM=$((4096 * 62 - 2))+4 \
	MEM_LOAD_RETIRED.LLC_MISS=$((4096 * 2)) \
	UNC_IMC_NORMAL_READS.ANY=$((4096 * 64 - 32))+64
# Each load advances by two lines: 32 loads of a page, of which three miss. The L2 cache's
# prefetcher follows strides that skip a line, and requests all lines after the second load's: lines
# 3 to 63.
long "a stride of two lines" grows 5 strides STRIDE=128 -- L1D_CACHE_LD.I_STATE=$((5 * 128 * 3)) \
	L1D_PREFETCH.REQUESTS=$((5 * 128 * 29)) L2_RQSTS.PREFETCHES=$((5 * 128 * 61))
# No prefetcher follows a stride of more than half a page: each load is in another page than the one
# before.
long "a stride of a page" grows 10 strides STRIDE=4096 -- L1D_CACHE_LD.I_STATE=$((10 * 128)) \
	L1D_PREFETCH.TRIGGERS=0 L2_RQSTS.PREFETCHES=0
# Four loads of a line, or two. The second load of a line makes the next-line prefetcher fetch the
# next line. Once the stride is known, the last load requests it, too. With four loads per line, the
# line has arrived by then. With two, the last load is the second one, except in each page's first
# line.
long "both prefetchers of the L1 data cache: loads of 16 bytes" grows 5 strides STRIDE=16 -- \
	L1D_PREFETCH.REQUESTS=$((5 * 128 * 126)) L1D_PREFETCH.MISS=$((5 * 128 * 63))
long "both ask for the same line: loads of 32 bytes" grows 5 strides STRIDE=32 -- \
	L1D_PREFETCH.REQUESTS=$((5 * 128 * 63)) L1D_PREFETCH.TRIGGERS=$((5 * 128 * 125))
check "512 KB: the L2 cache's prefetcher follows stores with reads for ownership" \
	grows 5 strides ACCESS='"mov %%rax, (%0)"' -- L2_WRITE.RFO.I_STATE=$((5 * 128 * 2)) \
	OFFCORE_RESPONSE_0.PF_RFO.LLC_HIT_NO_OTHER_CORE=$((5 * 128 * 62)) \
	L2_LINES_OUT.PREFETCH_DIRTY=$((5 * 128 * 62)) L1D_PREFETCH.TRIGGERS=0
# The lines of the surrounding loop are also fetched again.
long "512 KB of code" grows 5 lines -- L2_RQSTS.IFETCH_MISS=$((5 * 128 * 2))+20 \
	OFFCORE_RESPONSE_0.PF_IFETCH.LLC_HIT_NO_OTHER_CORE=$((5 * 128 * 62))+20

# Software prefetches, with the prefetchers off: each line before its load, and one after the last
# line. The first load of a turn misses.
grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
plainly() {
	(export MACHINE="$work/plain.machine" && grows "$@")
}
check "PREFETCHT0 brings lines into both caches" plainly 10 strides KILOBYTES=128 \
	ACCESS='"prefetcht0 64(%0); mov (%0), %%rax"' -- L1D_CACHE_LD.I_STATE=10 \
	L2_RQSTS.LOADS=$((10 * 2049)) \
	MEM_LOAD_RETIRED.L1D_HIT=$((10 * (2047 + 2048)))
long "PREFETCHT0 with accesses of 16 bytes" plainly 10 strides KILOBYTES=128 \
	ACCESS='"prefetcht0 64(%0); movaps (%0), %%xmm0"' -- L1D_CACHE_LD.I_STATE=10 \
	L2_RQSTS.LOADS=$((10 * 2049))
long "PREFETCHT1 does not bring them into the L1 data cache" plainly 5 strides \
	ACCESS='"mov (%0), %%rax; prefetcht1 64(%0)"' -- L1D_CACHE_LD.I_STATE=$((5 * 8192)) \
	MEM_LOAD_RETIRED.L2_HIT=$((5 * 8191)) L2_RQSTS.LD_MISS=$((5 * 8193))
# A load has brought the first line into the L2 cache; it stays there.
long "PREFETCHNTA does not bring them into the L2 cache" plainly 5 strides \
	ACCESS='"prefetchnta 64(%0); mov (%0), %%rax"' -- L2_LINES_IN.ANY=0 \
	MEM_LOAD_RETIRED.L1D_HIT=$((5 * (8191 + 8192))) \
	MEM_LOAD_RETIRED.L2_HIT=5 \
	OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LLC_HIT_NO_OTHER_CORE=$((5 * 8192))

# The emulator splits these accesses in two parts, which count as one reference.
long "loads of 16 bytes are one reference each" grows 10 strides KILOBYTES=16 STRIDE=16 \
	ACCESS='"movaps (%0), %%xmm0"' -- L1D_CACHE_LD.MESI=10240 MEM_LOAD_RETIRED.L1D_HIT=10240
long "a quarter of unaligned loads cross a line" grows 10 strides KILOBYTES=16 STRIDE=16 \
	ACCESS='"movups 4(%0), %%xmm0"' -- L1D_CACHE_LD.MESI=12800 MISALIGN_MEM_REF.LOAD=2560

# A locked access is one reference, although it reads and writes. After the first turn 256 lines are
# in the L1 data cache.
long "locked accesses are one reference each" grows 10 strides KILOBYTES=16 \
	ACCESS='"lock incl (%0)"' -- \
	L1D_CACHE_LOCK.HIT=2560 L1D_CACHE_LOCK.M_STATE=2560

# Whole lines, written by eight or four stores; then parts of eight bytes, each in a line of its
# own.
for access in 'movnti %%rax' 'movntdq %%xmm0'; do
	case $access in *rax) size=8 whole=check ;; *) size=16 whole=long ;; esac
	$whole "non-temporal stores of whole lines, $size bytes each" \
		grows 5 strides STRIDE=$size ACCESS="\"$access, (%0)\"" -- \
		OFFCORE_RESPONSE_0.OTHER.LLC_OTHER_CORE_HIT=$((5 * 8192)) \
		UNC_IMC_WRITES.FULL.ANY=$((5 * 8192))+2 \
		UNC_QHL_REQUESTS.LOCAL_READS=$((5 * 8192))+2 UNC_IMC_WRITES.PARTIAL.ANY=0
done
check "non-temporal stores of parts of lines" grows 5 strides ACCESS='"movnti %%rax, (%0)"' -- \
	UNC_IMC_WRITES.PARTIAL.ANY=$((5 * 8192)) UNC_IMC_WRITES.FULL.ANY=0+2 \
	L1D_CACHE_ST.I_STATE=0+2
long "a fence writes the buffered parts" \
	grows 5 strides ACCESS='"movnti %%rax, (%0); sfence; movnti %%rax, 8(%0); mfence"' -- \
	UNC_IMC_WRITES.PARTIAL.ANY=$((2 * 5 * 8192))

check "references to devices leave the core, except those to its own interrupt controller" grows \
	100 devices -- \
	MEM_UNCORE_RETIRED.UNCACHEABLE=200 OFFCORE_REQUESTS.UNCACHED_MEM=300 \
	OFFCORE_RESPONSE_0.DEMAND_DATA_RD.IO_CSR_MMIO=200
long "stores to devices count as requests of type OTHER" grows 100 devices \
	-- OFFCORE_RESPONSE_0.OTHER.IO_CSR_MMIO=100
# Each turn of this loop writes CR3, which flushes the TLBs.
check "writes of CR3 flush the instruction TLB" grows 10 strides KILOBYTES=4 \
	ACCESS='"mov %%cr3, %%rax; mov %%rax, %%cr3"' -- ITLB_FLUSH=640
done_checking
