#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon decode: values from the manuals, and their meanings in the manuals' tables.
. tests/tap.sh
. tests/command/command.sh

# fields LINE...: the last run succeeded and printed all these lines, and no event unless one of
# them names it.
fields() {
	done_quietly || return
	perl -0pi -e 's/\n {20,}/ /g' "$work/out"	# joins wrapped lines
	for line; do
		has_line "$line" || return
	done
	case "$*" in *event:*) ;; *) ! grep '^  event:' "$work/out" ;; esac
}

#
# Itanium, tables 6-5 to 6-23
#

# Section 6.2.8.1, all mispredicted branches: tm 11, ptm 01, ppm 01, bpt 1, bac 1, tar 1; at all levels.
palmon decode -t itanium PMC12=0xd78f
check "PMC12: the manual's setting for all mispredicted branches" fields \
	'PMC12 (0xc) = 0x000000000000d78f' \
	'3:0 plm rw 0xf monitors at all privilege levels' \
	'5:4 ignored_4 ign 0x0 ignored: reads as 0' \
	'6 pm rw 0x0 user monitor: enabled by PSR.up' \
	'7 tar rw 0x1 captures branches that the TAR predicted' \
	'9:8 tm rw 0x3 captures branches taken or not' \
	'11:10 ptm rw 0x1 captures branches with a mispredicted target' \
	'13:12 ppm rw 0x1 captures branches with a mispredicted path' \
	'14 bpt rw 0x1 captures branches that the TAC predicted' \
	'15 bac rw 0x1 captures branches that the BAC predicted' \
	'63:16 ignored_16 ign 0x0 ignored: reads as 0'

# Section 6.2.9: mifb 1111, mask all 1, match all 0.
palmon decode -t itanium pmc9=0xf00000003ffffff8
check "PMC9: its value after reset" fields '29:3 mask rw 0x7ffffff any encoding matches' \
	'59:33 match rw 0x0 required values of the other encoding bits of 40:27 and 12:0' \
	'60 b rw 0x1 B-type instructions may match' '63 m rw 0x1 M-type instructions may match'

# Table 6-7: frozen; PMD4 and PMD7 have overflowed. Bits 3:1 read as zero.
palmon decode -t itanium 0=0x93
check "PMC0 by its address: freeze and overflow bits" fields 'PMC0 (0x0) = 0x0000000000000093' \
	'0 fr rw 0x1 monitoring is frozen' \
	'3:1 ignored_1 ign 0x1 ignored bits are set: they read as 0' \
	'7:4 overflow rw 0x9 counters that have overflowed: bit n of the register is PMDn'

# Section 7.8: PIPELINE_FLUSH is 33, its unit mask x1xx DTC_FLUSH. Table 6-6: bit 22 is not part of
# PMC6's threshold.
palmon decode -t itanium PMC6=0x02743361
check "PMC6: event, unit mask, threshold, instruction set" fields \
	'3:0 plm rw 0x1 monitors at privilege level 0' \
	'4 ev rw 0x0 an overflow is not seen outside' \
	'5 oi rw 0x1 an overflow interrupts and freezes' \
	'6 pm rw 0x1 privileged monitor: enabled by PSR.pp' '14:8 es rw 0x33 event code' \
	"19:16 umask rw 0x4 the event's unit mask" \
	'21:20 threshold rw 0x3 counts the cycles with more events than this' \
	'23:22 ignored_22 ign 0x1 ignored bits are set: they read as 0' \
	'25:24 ism rw 0x2 monitors Itanium code only' \
	'event: PIPELINE_FLUSH.DTC_FLUSH'

# Table 6-5: bits 63:32 read as copies of bit 31.
palmon decode -t itanium PMD5=0xffffffff80000000
check "PMD5: sign extension" fields \
	'31:0 count rw 0x80000000 the count: a carry out of bit 31 is an overflow' \
	'63:32 sxt32 sxt 0xffffffff copies of the bit below'
palmon decode -t itanium PMD5=0x100000000
check "PMD5: wrong sign extension is ignored" fields \
	'63:32 sxt32 sxt 0x1 not copies of the bit below: the written value is ignored'

# The PMV (Architecture Software Developer's Manual volume 2): bits 11:8 and 15:13 are reserved, 63:17 ignored.
palmon decode -t itanium PMV=0x30100
check "PMV: reserved bits are named" fields \
	'11:8 reserved_8 rsvd 0x1 reserved bits are set: this write faults' \
	'15:13 reserved_13 rsvd 0x0 reserved: must be 0' \
	'16 m rw 0x1 the overflow interrupt is masked' \
	'63:17 ignored_17 ign 0x1 ignored bits are set: they read as 0'

# The highest bit of the last of several equal registers, whose addresses are not contiguous.
palmon decode -t itanium DBR7=0x8000000000000000
check "DBR7" fields 'DBR7 (0x307) = 0x8000000000000000' \
	'63 r rw 0x1 breakpoint on reads; no part in monitoring'

json() {
	palmon decode -t itanium -j PMC13=1 pmc4=0x126f
	done_quietly || return
	[ "$(head -n 1 "$work/out")" = "$(printf %s \
		'{"target":"itanium","reg":"PMC13","addr":"0xd","value":"0x1","scope":"thread",' \
		'"fields":[{"name":"ta","bits":"0",' \
		'"value":"0x1","access":"rw","meaning":"all instructions are tagged: no instruction address range"},' \
		'{"name":"ignored_1","bits":"63:1","value":"0x0","access":"ign","meaning":"ignored: reads as 0"}],' \
		'"events":[]}')" ] || { show; return; }
	[ "$(tail -n 1 "$work/out" | sed 's/"fields":.*],/"fields":[],/')" = "$(printf %s \
		'{"target":"itanium","reg":"PMC4","addr":"0x4","value":"0x126f","scope":"thread","fields":[],' \
		'"events":["CPU_CYCLES"]}')" ] || show
}
check "JSON: fields and events" json
palmon decode -t itanium -j PMC4=0 PMD17=0 DCR=0
check "JSON: keys" has_keys target reg addr value scope fields events

#
# Nehalem: PerfEvtSel, performance analysis guide, Appendix II
#

# SDM volume 4, MSRs of processors based on Nehalem: the scope of LBR_SELECT is the core, of IA32_DEBUGCTL the thread.
palmon decode -t nehalem LBR_SELECT=1
check "a register that the threads of a core share" has_line 'shared by all threads of a core'
palmon decode -t nehalem IA32_DEBUGCTL=1
check "a thread's own register" eval 'done_quietly && ! grep "shared by all" "$work/out"'
palmon decode -t nehalem-uncore UNCORE_PERF_GLOBAL_CTRL=1
check "a register that the package shares" has_line 'shared by all cores of a package'

# Table 1: UOPS_ISSUED is 0E, ANY its unit mask 01; with CMASK 1 and INV it is STALL_CYCLES.
palmon decode -t nehalem 0x187=0x01d3010e
check "PerfEvtSel: an event with its threshold and inversion" fields \
	'IA32_PERFEVTSEL1 (0x187) = 0x0000000001d3010e' '7:0 EVTSEL rw 0xe event code' \
	"15:8 EVTMSK rw 0x1 the event's unit mask" '16 USR rw 0x1 counts at levels 1 to 3' \
	'17 OS rw 0x1 counts at level 0' "18 E rw 0x0 counts all cycles of the condition" \
	'19 RESERVED_19 rsvd 0x0 reserved: must be 0' '20 INT rw 0x1 an overflow interrupts' \
	'21 AnyThr rw 0x0 events of this thread' '22 EN rw 0x1 the counter is enabled' \
	'23 INV rw 0x1 condition: fewer than CMASK events in a cycle' \
	'31:24 CMASK rw 0x1 counts cycles, by how many events they have' \
	'event: UOPS_ISSUED.STALL_CYCLES'
one_event() {
	[ "$(grep -c event: "$work/out")" -eq 1 ] || show
}
check "and no second event" one_event
palmon decode -t nehalem ia32_perfevtsel0=0x0403010e
check "PerfEvtSel: an event with another threshold" fields 'event: UOPS_ISSUED.ANY'
palmon decode -t nehalem IA32_PERFEVTSEL0=0x80000
check "PerfEvtSel: bit 19 is reserved" fields \
	'19 RESERVED_19 rsvd 0x1 reserved bits are set: this write faults'
palmon decode -t nehalem IA32_FIXED_CTR_CTRL=0x9a
check "fixed counters' control" fields \
	'1 EN0_USR rw 0x1 instructions are counted at levels 1 to 3' \
	'4 EN1_OS rw 0x1 core cycles are counted at level 0' '7 PMI1 rw 0x1 an overflow interrupts'

#
# Wrong words
#

palmon decode -t itanium PMC14=0
check "an unknown register: the list of registers" refuses 2 \
	"'PMC14'.*: PMC0-13, PMD0-17, IBR0-7, DBR0-7, DCR, ITM, ITV, PMV, PSR, ITC$"
palmon decode -t nehalem 0x10=0
check "an address without a register" refuses 2 "'0x10'.*IA32_PERFEVTSEL0-3"
for value in '' 0x10000000000000000 18446744073709551616 -1 +1 ' 1' 1x 0x; do
	palmon decode -t itanium PMC0=0 "PMC4=$value"
	check "'$value' is not a value" refuses 2 "' is not a number of 64 bits"
done
palmon decode -t itanium PMC8=18446744073709551615
check "the largest value" fields 'PMC8 (0x8) = 0xffffffffffffffff'
palmon decode -t itanium PMC4
check "a value is needed" refuses 2 "'PMC4' is not REG=VALUE"
palmon decode -t itanium =1
check "a register is needed" refuses 2 "''"
palmon decode -t itanium "$(printf '%0300d' 0)=1"
check "a name longer than any register's" refuses 2 'no register'
# Table 9: request 0 demand data reads, response 14 local DRAM. Table 4: the suffix is hexadecimal.
palmon decode -t nehalem OFFCORE_RSP_0=0x4001
check "OFFCORE_RSP_0: the event that needs this value" has_line \
	'event: OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LOCAL_DRAM'
palmon decode -t nehalem PEBS_LD_LAT=16
check "PEBS_LD_LAT: the event of this latency" fields \
	'15:0 THRESHOLD rw 0x10 slow loads are those that take more core cycles than this' \
	'event: MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_10'
palmon decode -t nehalem IA32_PERFEVTSEL0=0x5301b7
check "a select's value does not list the events of all values of another register" eval \
	'has_line "event: OFFCORE_RESPONSE_0" && [ "$(grep -c event: "$work/out")" -eq 1 ]'
done_checking
