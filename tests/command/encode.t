#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon encode: register writes, composed by hand from the manuals' register layouts. The
# comparison with libpfm4 is in tests/unit/tools/palmon/test_registers.c.
. tests/tap.sh
. tests/command/command.sh

# writes_are "REG ADDR VALUE"...: the table of the last run consists of exactly these, in this
# order.
writes_are() {
	printf '%s\n' "$@" >"$work/expected"
	done_quietly && sed '1,/^register/d; s/  */ /g' "$work/out" | diff "$work/expected" -
}

#
# Itanium. PMC4-7 (Table 6-6): plm 3:0, oi 5, pm 6, es 14:8, umask 19:16, threshold 22:20, ism
# 25:24. A session uses privileged monitors that interrupt: oi and pm are 1. PMC0.fr (Table 6-7) is
# 0 while they count.
#

# es 12
palmon encode -t itanium CPU_CYCLES
check "cycles" writes_are 'PMC4 0x4 0x000000000000126f' 'PMD4 0x104 0x0000000000000000' \
	'PMC0 0x0 0x0000000000000000'

# plm 1000: level 3; a sample every 1000: 2^32 - 1000.
palmon encode -t itanium CPU_CYCLES:u:ctr=6:period=1000
check "level, counter and period" writes_are 'PMC6 0x6 0x0000000000001268' \
	'PMD6 0x106 0x00000000fffffc18' \
	'PMC0 0x0 0x0000000000000000'

# es 33, umask 1: OTHER_FLUSH; threshold 1
palmon encode -t itanium pipeline_flush.other_flush:c=1:ctr=7
check "unit mask and threshold" writes_are 'PMC7 0x7 0x000000000011336f' \
	'PMD7 0x107 0x0000000000000000' \
	'PMC0 0x0 0x0000000000000000'

# es 08 with umask 3: instructions with the tag of PMC8 (Table 7-30). All encodings match: PMC8 as
# after reset (6.2.9). 4000-4FFF is one block of 4K: each odd IBR has mask bits 55:12 and all
# levels, 59:56. PMC13.ta is 0. IA-32 code is never tagged: ism 2.
palmon encode -t itanium IA64_TAGGED_INST_RETIRED.PMC8:iar=0x4000-0x4fff:ctr=4
check "an instruction address range" writes_are \
	'IBR0 0x200 0x0000000000004000' 'IBR1 0x201 0x0ffffffffffff000' \
	'IBR2 0x202 0x0000000000004000' 'IBR3 0x203 0x0ffffffffffff000' \
	'IBR4 0x204 0x0000000000004000' 'IBR5 0x205 0x0ffffffffffff000' \
	'IBR6 0x206 0x0000000000004000' 'IBR7 0x207 0x0ffffffffffff000' \
	'PMC13 0xd 0x0000000000000000' 'PMC8 0x8 0xf00000003ffffff8' \
	'PMC4 0x4 0x000000000203086f' 'PMD4 0x104 0x0000000000000000' 'PMC0 0x0 0x0000000000000000'

# es 08 adds up to 6 in a cycle: only on counters 4 and 5 (6.2.2). So cycles get the other counters.
allocated() {
	palmon encode -t itanium CPU_CYCLES,CPU_CYCLES IA64_INST_RETIRED,IA64_INST_RETIRED
	done_quietly && [ "$(sed -n 's/^\([A-Z].*\):plm.*:ctr=\(.\)$/\1 \2/p' "$work/out" | sort | tr '\n' ';')" = \
		'CPU_CYCLES 6;CPU_CYCLES 7;IA64_INST_RETIRED 4;IA64_INST_RETIRED 5;' ] || show
}
check "events get counters that leave room for the rest" allocated
palmon encode -t itanium IA64_INST_RETIRED IA64_INST_RETIRED IA64_INST_RETIRED
check "three events for two counters are refused" refuses 1 \
	'IA64_INST_RETIRED.* compete for counters 4 and 5$'
palmon encode -t itanium CPU_CYCLES:p:period=9
check "a processor without records" refuses 1 'CPU_CYCLES with this p: it counts on 4, 5, 6 and 7$'
palmon encode -t itanium CPU_CYCLES:ctr=3
check "a counter that does not exist" refuses 1 'CPU_CYCLES'
# The branch trace buffer records no IA-32 code.
palmon encode -t itanium BRANCH_EVENT:ism=1
check "an event that could never count" refuses 1 \
	'BRANCH_EVENT with this ism: it counts on 4, 5, 6 and 7$'

# Tables 6-12 and 6-17: unit masks 0 to 10 are the latencies 4 << umask. PMC10 (Table 6-11), PMC11
# (Table 6-16): plm 3:0, pm 6, umask 19:16. PMC11.pt, bit 28, is 1 without a range of data
# addresses.
latencies='4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096 cycles$'
each_latency() {
	for umask in 0 1 2 3 4 5 6 7 8 9 10; do
		palmon encode -t itanium "DATA_EAR_EVENTS:lat=$((4 << umask))"
		has_line "PMC11 0xb $(printf '0x%016x' $((0x1000004f | umask << 16)))" || return
		palmon encode -t itanium "CPU_CYCLES:iear:lat=$((4 << umask))"
		has_line "PMC10 0xa $(printf '0x%016x' $((0x4f | umask << 16)))" || return
	done
}
# other_latency EVENT: is refused with the list of latencies.
other_latency() {
	palmon encode -t itanium "$1"
	refuses 1 "${1%%:*}: lat is one of $latencies"
}
check "each latency of event address registers" each_latency
check "a latency that is no power of two" other_latency DATA_EAR_EVENTS:lat=5
check "a latency below the smallest one" other_latency INSTRUCTION_EAR_EVENTS:lat=3
check "a latency above the greatest one" other_latency DATA_EAR_EVENTS:lat=8192
check "a latency for another event's samples" other_latency CPU_CYCLES:dear:lat=6
palmon encode -t itanium DATA_EAR_EVENTS:tlb=2:lat=8
check "a latency of translation misses" refuses 1 \
	'either translation misses \(tlb\) or latencies \(lat\)$'

palmon encode -t itanium \
	IA64_TAGGED_INST_RETIRED.PMC8:iar=0-0xfff,IA64_TAGGED_INST_RETIRED.PMC8:iar=0x1000-0x1fff
check "two different ranges are refused" refuses 1 'register 0x200 set otherwise'

json() {
	palmon encode -t itanium -j CPU_CYCLES:u IA64_INST_RETIRED
	writes='{"reg":"PMC0","addr":"0x0","value":"0x0"}]}'
	prints "$(printf %s '{"event":"CPU_CYCLES:plm=8:c=0:ism=0:ctr=4","writes":[{"reg":"PMC4","addr":"0x4",' \
		'"value":"0x1268"},{"reg":"PMD4","addr":"0x104","value":"0x0"},' "$writes")" \
		"$(printf %s \
		'{"event":"IA64_INST_RETIRED:plm=15:c=0:ism=0:ctr=5","writes":[{"reg":"PMC5",' \
		'"addr":"0x5","value":"0x86f"},{"reg":"PMD5","addr":"0x105","value":"0x0"},' \
		"$writes")"
}
check "JSON: an object per event, each with the writes that all need" json

#
# Nehalem. PerfEvtSel (performance analysis guide, Appendix II): event 7:0, unit mask 15:8, USR 16, OS 17, E 18, INT 20,
# AnyThr 21, EN 22, INV 23, CMASK 31:24. Fixed control (SDM volume 3B): for each counter OS, USR, AnyThr, PMI; global
# control: general counters from bit 0, fixed ones from 32.
#

# B1, 3F; E, INV, AnyThr, CMASK 1
palmon encode -t nehalem UOPS_EXECUTED.CORE_STALL_COUNT
check "threshold, inversion, edges, any thread" writes_are 'IA32_PMC0 0xc1 0x0000000000000000' \
	'IA32_PERFEVTSEL0 0x186 0x0000000001f73fb1' 'IA32_PERF_GLOBAL_CTRL 0x38f 0x0000000000000001'

palmon encode -t nehalem INST_RETIRED.ANY:u CPU_CLK_UNHALTED.THREAD:k \
	UOPS_ISSUED.ANY:period=65536:ctr=3
check "fixed counters share their control" writes_are 'IA32_FIXED_CTR0 0x309 0x0000000000000000' \
	'IA32_FIXED_CTR1 0x30a 0x0000000000000000' 'IA32_PMC3 0xc4 0x0000ffffffff0000' \
	'IA32_PERFEVTSEL3 0x189 0x000000000053010e' 'IA32_FIXED_CTR_CTRL 0x38d 0x000000000000009a' \
	'IA32_PERF_GLOBAL_CTRL 0x38f 0x0000000300000008'
palmon encode -t nehalem UOPS_ISSUED.ANY:i
check "inversion without a threshold is refused" refuses 1 'UOPS_ISSUED.ANY.*threshold'

# SDM volume 3B: PEBS_LD_LAT is 3F6, IA32_PEBS_ENABLE 3F1 with the counter's bit in both halves for
# load latency, LBR_SELECT 1C8, IA32_DEBUGCTL 1D9 with LBR 0, FREEZE_LBRS_ON_PMI 11,
# FREEZE_PERFMON_ON_PMI 12; the overflow belongs to the record, so INT 20 is not set. OFFCORE_RSP_0
# is 1A6, with its request and response bits.
palmon encode -t nehalem MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2:lbr=0x21:ctr=3 \
	OFFCORE_RESPONSE_0:msr=0x4001:ctr=2
registers_of_precise_events() {
	done_quietly && has_line 'PEBS_LD_LAT 0x3f6 0x0000000000000020' &&
		has_line 'LBR_SELECT 0x1c8 0x0000000000000021' &&
		has_line 'IA32_DEBUGCTL 0x1d9 0x0000000000001801' &&
		has_line 'IA32_PEBS_ENABLE 0x3f1 0x0000000800000008' &&
		has_line 'OFFCORE_RSP_0 0x1a6 0x0000000000004001' &&
		has_line 'IA32_PMC3 0xc4 0x0000fffffffffffe' &&
		has_line 'IA32_PERFEVTSEL3 0x189 0x000000000043100b' &&
		has_line 'IA32_PERFEVTSEL2 0x188 0x00000000005301b7'
}
check "precise events, load latency, branch records, offcore response" registers_of_precise_events
check "the event with all its modifiers" eval \
	"has_line MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:plm=15:c=0:i=0:e=0:t=0:lbr=0x21:p:period=2:ctr=3 &&
	 has_line OFFCORE_RESPONSE_0:plm=15:c=0:i=0:e=0:t=0:msr=0x4001:ctr=2"
palmon encode -t nehalem MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:ldlat=100:p:period=9
check "another latency" has_line 'PEBS_LD_LAT 0x3f6 0x0000000000000064'

# Uncore (SDM volume 3B): selects from 3C0, counters from 3B0, global control 391 with the counters
# 7:0, the cores that overflows signal 51:48 and the freeze 63; select bits EN 22, PMI 20, occupancy
# reset 17. Table 22: event 2, unit mask 1.
palmon encode -t nehalem-uncore UNC_GQ_TRACKER_OCCUP.RT UNC_GQ_SNOOP.GOTO_S_HIT_M:period=100
uncore() {
	done_quietly && has_line 'UNCORE_PERFEVTSEL0 0x3c0 0x0000000000520102' &&
		has_line 'GQ_SNOOP_MESF 0x301 0x0000000000000001' &&
		has_line 'UNCORE_PMC1 0x3b1 0x0000ffffffffff9c' &&
		has_line 'UNCORE_PERFEVTSEL1 0x3c1 0x000000000050040c' &&
		has_line 'UNCORE_PERF_GLOBAL_CTRL 0x391 0x8001000000000003' &&
		has_line 'bus locks, to empty the queues: 1'
}
check "uncore: an occupancy resets its tracker, with a bus lock" uncore
palmon encode -t nehalem-uncore UNC_GQ_ALLOC.RT
check "other events need none" eval 'done_quietly && ! grep -q "bus lock" "$work/out"'
palmon encode -t nehalem-uncore UNC_GQ_SNOOP.GOTO_S_HIT_M UNC_GQ_SNOOP.GOTO_S_HIT_E
check "two snoop events" refuses 1 'UNC_GQ_SNOOP.GOTO_S_HIT_E needs register 0x301 .*GQ_SNOOP_MESF'
palmon encode -t nehalem-uncore UNC_GQ_ALLOC.RT:u
check "the uncore has no privilege levels" refuses 1 'UNC_GQ_ALLOC.RT: .*privilege levels'
palmon encode -t nehalem-uncore UNC_GQ_ALLOC.RT:p:period=9
check "the uncore has no precise events" refuses 1 'UNC_GQ_ALLOC.RT'
palmon encode -t nehalem UNC_GQ_ALLOC.RT
check "the uncore's events are not the cores'" refuses 2 \
	"'UNC_GQ_ALLOC.RT'; target nehalem-uncore has it"
palmon encode -t nehalem-uncore INST_RETIRED.ANY_P
check "nor the reverse" refuses 2 "'INST_RETIRED.ANY_P'; target nehalem has it"

palmon encode -t nehalem OFFCORE_RESPONSE_0:msr=0x4001
check "a register that the threads of a core share is named" \
	has_line 'OFFCORE_RSP_0 is shared by all threads of a core: they must need the same value'
palmon encode -t nehalem INST_RETIRED.ANY_P
check "other registers are not" eval 'done_quietly && ! grep "shared by all" "$work/out"'

# refused REQUEST PATTERN
refused() {
	palmon encode -t nehalem "$1"
	refuses 1 "$2"
}
check "no response" refused OFFCORE_RESPONSE_0:msr=0x1 \
	'OFFCORE_RESPONSE_0: .*needs a request type .* and a response'
check "no request" refused OFFCORE_RESPONSE_0:msr=0x4000 \
	'OFFCORE_RESPONSE_0: .*needs a request type'
check "bits outside the register" refused OFFCORE_RESPONSE_0:msr=0x14001 \
	'OFFCORE_RESPONSE_0: .*no others'
check "two offcore responses" refused OFFCORE_RESPONSE_0:msr=0x4001,OFFCORE_RESPONSE_0:msr=0x4002 \
	'OFFCORE_RSP_0'
check "two latencies" refused \
	MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=9,MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_10:p:period=9 \
	'PEBS_LD_LAT'
check "two filters of branch records" refused \
	INST_RETIRED.ANY_P:lbr=1:period=9,UOPS_ISSUED.ANY:lbr=2:period=9 LBR_SELECT
check "an invalid filter" refused INST_RETIRED.ANY_P:lbr=0x200:period=9 \
	'INST_RETIRED.ANY_P: .*bits 8 to 0'
check "an imprecise event" refused CPU_CLK_UNHALTED.THREAD:p:period=100 'no records of this event'
check "precise without a period" refused INST_RETIRED.ANY_P:p 'INST_RETIRED.ANY_P: .*needs a period'
check "branch records without a period" refused INST_RETIRED.ANY_P:lbr \
	'INST_RETIRED.ANY_P: .*need a period'
check "imprecise load latency" refused MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:period=9 \
	'needs p'

#
# Wrong words
#

palmon encode -t nehalem MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:ldlat=0
check "an invalid latency" refuses 2 "'ldlat=0'"
palmon encode -t nehalem INST_RETIRED.ANY_P:msr=1
check "a value for an event without additional register" refuses 2 "'msr=1'"

palmon encode -t nehalem UOPS_ISSUED.AMY
check "an unknown event is named, with the nearest one" refuses 2 \
	"'UOPS_ISSUED.AMY'.*UOPS_ISSUED.ANY"
palmon encode -t nehalem INST_RETIRED.ANY UOPS_ISSUED.ANY:x
check "an unknown modifier is named" refuses 2 "'x'"
palmon encode -t nehalem UOPS_ISSUED.ANY:c=256
check "a value out of range is named" refuses 2 "'c=256' \(from 0 to 255\)$"
palmon encode -t nehalem UOPS_ISSUED.ANY:i=2
check "a flag's value out of range" refuses 2 "'i=2' \(0 or 1\)$"
palmon encode -t itanium LOADS_RETIRED:dar=5-3
check "a range in the wrong order" refuses 2 "'dar=5-3' \(FIRST-LAST,"
palmon encode -t nehalem 0x1c0
check "a number is not an event; the nearest is a raw one" \
	refuses 2 "no event '0x1c0'; a raw event is written raw=N or rHEX$"
palmon encode -t nehalem UOPS_ISSUED.ANY,
check "a comma without an event is refused" refuses 2 'an event is missing at the end$'
palmon encode -t nehalem ,UOPS_ISSUED.ANY
check "a comma before an event" refuses 2 "an event is missing before ','$"
palmon encode -t nehalem UOPS_ISSUED.ANY ''
check "an empty event is refused" refuses 2 'an event is missing at the end$'
palmon encode -t nehalem UOPS_ISSUED.ANY:
check "a colon without a modifier is refused" refuses 2 "a modifier is missing after ':' .*period"
palmon encode -t nehalem UOPS_ISSUED.ANY:u+k
check "modifiers joined with '+': the right syntax" refuses 2 "each after ':': 'u\+k'$"
palmon encode -t nehalem UOPS_ISSUED.ANY:plm=8:usr=0
check "modifiers that exclude all levels" refuses 2 \
	"no privilege level is left .*'UOPS_ISSUED.ANY:plm=8:usr=0'$"
palmon encode -t nehalem L1D_CACHE_LD.I_STATE+NO_STATE
check "an unknown unit mask is named" refuses 2 "nor an event: 'NO_STATE'$"
palmon encode -t nehalem L1D_CACHE_LD.I_STATE+L1D.REPL
check "an event that cannot be joined" refuses 2 "cannot be joined .*'L1D.REPL'$"
seventeen=$(printf 'UOPS_ISSUED.ANY,%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)UOPS_ISSUED.ANY
palmon encode -t nehalem "$seventeen"
check "too many events for a session" refuses 2 '16 events'
palmon encode -t nehalem "${seventeen%,*}" UOPS_ISSUED.ANY
check "too many events in two arguments" refuses 2 '16 events'
# The guide's shorthand for CORE_STALL_COUNT (text at Table 1): event B1, unit mask 3F, threshold 1, inverted, edges,
# any thread; with USR 16, OS 17, INT 20 and EN 22.
palmon encode -t nehalem UOPS_EXECUTED:CMASK=1:INV=1:EDGE=1
check "the guide's shorthand" has_line 'IA32_PERFEVTSEL0 0x186 0x0000000001f73fb1'
palmon encode -t nehalem UOPS_EXECUTED.CORE_STALL_COUNT
check "and the event that it stands for" has_line 'IA32_PERFEVTSEL0 0x186 0x0000000001f73fb1'
# 40, umask bits I 01 and S 02 (Table 16)
palmon encode -t nehalem L1D_CACHE_LD.I_STATE+L1D_CACHE_LD.S_STATE
check "joined unit masks may have full names" has_line 'IA32_PERFEVTSEL0 0x186 0x0000000000530340'
palmon encode -t nehalem UOPS_ISSUED.ANY:usr=1:sup=0
check "libpfm's levels, named one by one" has_line 'IA32_PERFEVTSEL0 0x186 0x000000000051010e'
palmon encode -t nehalem UOPS_ISSUED.ANY:k=0:c=010
check "exclusion of a level; numbers are not octal" has_line \
	'IA32_PERFEVTSEL0 0x186 0x000000000a51010e'
palmon encode -t nehalem UOPS_ISSUED.ANY:u=0
check "levels that the processor does not distinguish" refuses 1 \
	'levels 1 to 3 are counted together'

#
# Syntax of perf and libpfm
#

palmon encode -t nehalem r01c0:u
check "a raw event" has_line 'IA32_PERFEVTSEL0 0x186 0x00000000005101c0'
palmon encode -t nehalem nhm::raw=0x28477c0:k
check "a raw event with threshold 2, inverted, edges, at the highest level" \
	has_line 'IA32_PERFEVTSEL0 0x186 0x0000000002d677c0'
palmon encode -t nehalem raw=0x801c0
check "pin control is refused" refuses 2 \
	"'raw=0x801c0': the driver of nehalem does not write bits 0x80000 "
palmon encode -t nehalem r77c0:p:period=100
check "a raw event is not precise" refuses 1 \
	'raw=0x77c0: the processor writes no records of this event'
palmon encode -t nehalem rff40,rff40,rff40
check "a raw event's counters are those of its code" \
	refuses 1 'raw=0xff40, raw=0xff40 and raw=0xff40 compete for counters 0 and 1$'
# Intel's event list (intel/perfmon, NHM-EP): "Counter": "0,1"; see the table's source comment.
palmon encode -t nehalem LOAD_HIT_PRE:ctr=2
check "an event of the first two counters, requested on another" \
	refuses 1 'no counter can count LOAD_HIT_PRE with this ctr: it counts on 0 and 1$'
palmon encode -t nehalem LOAD_HIT_PRE,L1D_CACHE_LOCK_FB_HIT,L1D_CACHE_PREFETCH_LOCK_FB_HIT
check "three such events are refused" refuses 1 'LOAD_HIT_PRE.* compete for counters 0 and 1$'
# The same list: FP_COMP_OPS_EXE.SSE_FP_PACKED is 10/10, SSE_SINGLE_PRECISION 10/40.
# LLC_HIT_OTHER_CORE_HITM is 04 in bits 15:8 of MSR 1A6. A threshold of 128 cycles is 80 in MSR 3F6.
palmon encode -t nehalem FP_COMP_OPS_EXE.SSE_FP_PACKED+SSE_SINGLE_PRECISION:u
check "unit masks of an event of Intel's list join" has_line \
	'IA32_PERFEVTSEL0 0x186 0x0000000000515010'
palmon encode -t nehalem OFFCORE_RESPONSE_0.PF_RFO.LLC_HIT_OTHER_CORE_HITM
check "the list's name of an offcore response" has_line 'OFFCORE_RSP_0 0x1a6 0x0000000000000420'
palmon encode -t nehalem MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_128:p:period=1000
check "the list's name of a latency" has_line 'PEBS_LD_LAT 0x3f6 0x0000000000000080'
palmon encode -t nehalem nhm::INST_RETIRED:ANY_P
check "libpfm's name of the PMU" has_line 'IA32_PERFEVTSEL0 0x186 0x00000000005301c0'
palmon encode -t nehalem nhm_unc::UNC_CLK_UNHALTED
check "another PMU's" refuses 2 \
	"'nhm_unc'; it is target nehalem-uncore's; nehalem or nhm may stand before"
palmon encode -t nehalem instructions:upp:period=100000
# IA32_PEBS_ENABLE 3F1 for counter 0; IA32_DEBUGCTL with LBR; USR and no INT
as_precise_as_possible() {
	done_quietly && has_line 'IA32_PEBS_ENABLE 0x3f1 0x0000000000000001' &&
		has_line 'IA32_DEBUGCTL 0x1d9 0x0000000000001801' &&
		has_line 'IA32_PERFEVTSEL0 0x186 0x00000000004101c0'
}
check "instructions, with pp" as_precise_as_possible

# Events of the uncore belong to another target.
palmon encode -t nehalem UNC_CLK_UNHALTED
check "another target's event: the target is named" refuses 2 \
	"'UNC_CLK_UNHALTED'; target nehalem-uncore has it$"
palmon encode -t nehalem UNC_IMC_NORMAL_READS
check "another target's event without its unit mask" refuses 2 'target nehalem-uncore has it$'
palmon encode -t nehalem UNC_IMC_NORMAL_READS.CH9
check "or a similar name" refuses 2 \
	'the nearest name is UNC_IMC_NORMAL_READS.CH[012], of target nehalem-uncore$'
palmon encode -t nehalem-uncore INST_RETIRED.ANY:u
check "an event of the cores with the uncore" refuses 2 "'INST_RETIRED.ANY'; target nehalem has it$"
palmon encode -t nehalem INST_RETIRED.ANYP
check "a name similar to this target's is not looked up in others" refuses 2 \
	'nearest name is INST_RETIRED.ANY$'
palmon encode -t nehalem INST_RETIRED.ANY_P:msr=5
check "msr= of an event without a register" refuses 2 'need a further register'
# The SPARC T4 manual's Table 10-7 has no event for the controllers' cycles.
palmon encode -t sparct4-dram cycles
check "cycles of a part without a cycle event: the target that has one" refuses 2 \
	"'cycles'; target sparct4 has it$"
# The guide: "the architecturally defined event LONGEST_LAT_CACHE_ACCESS"; SDM volume 3B, "Pre-defined Architectural
# Performance Events": 2EH, 4FH, references; 41H, misses.
architectural() {
	for event in ACCESS=4f2e .REFERENCE=4f2e .MISS=412e; do
		palmon encode -t nehalem "LONGEST_LAT_CACHE$(echo "${event%=*}" |
			sed s/ACCESS/_ACCESS/)"
		done_quietly && grep -qE "IA32_PERFEVTSEL0 .*0x0*[0-9a-f]{2}${event#*=}( |\$)" \
			"$work/out" || show ||
			return
	done
}
check "the guide's name of the architectural event of the last-level cache" architectural
# As perf writes it: event C0H 7:0, unit mask 1 15:8, USR 16, E 18, INT 20, EN 22, INV 23, CMASK 1 31:24: 1D501C0H.
palmon encode -t nehalem cpu/event=0xc0,umask=1,cmask=1,inv,edge/u
check "terms of perf" has_line 'IA32_PERFEVTSEL0 0x186 0x0000000001d501c0'
palmon encode -t nehalem cpu/event=0xd1,umask=2
check "a missing slash" refuses 2 "a '/' is missing after the terms 'event=0xd1,umask=2'"
done_checking
