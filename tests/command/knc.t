#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon with Knights Corner: expected values come from the tables of its Performance Monitoring
# Units guide (327357-001), and from counting tests/command/traces/threads.trace by hand.
. tests/tap.sh
. tests/command/command.sh

threads=tests/command/traces/threads.trace
table=tests/vectors/knc-events.tab
samples=$work/samples
trace=$work/trace

#
# encode: Table 1-5. EVENT 7:0, UMASK 15:8, USR 16, OS 17, E 18, INT 20, thread count mode 21, EN 22, INV 23, CMASK
# 31:24. INT and EN are set in each.
#

# select CODE UMASK USR OS E T INV CMASK
select() {
	printf '0x%016x' \
		$((1 << 22 | 1 << 20 | $1 | $2 << 8 | $3 << 16 | $4 << 17 | $5 << 18 | $6 << 21 | $7 << 23 | $8 << 24))
}

# writes LINE...: compares the registers of the last encode.
writes() {
	printf '%s\n' "$@" >"$work/expected"
	done_quietly && sed '1,/^register/d; s/  */ /g' "$work/out" | diff "$work/expected" -
}

# programs EVENT COUNTER COUNT SELECT: encode of this event writes one counter.
programs() {
	palmon encode -t knc "$1"
	writes "IA32_PERFCNTR$2 0x2$2 $3" "IA32_PERFEVTSEL$2 0x2$((8 + $2)) $4" \
		"IA32_PERF_GLOBAL_CTRL 0x2f 0x000000000000000$((1 << $2))"
}

zero=0x0000000000000000
check "event 0 of unit mask 0 is an event" programs DATA_READ 0 $zero "$(select 0 0 1 1 0 0 0 0)"
check "event 0 of unit mask 20" programs VPU_DATA_READ 0 $zero "$(select 0 0x20 1 1 0 0 0 0)"
check "on counter 1" programs vpu_elements_active:ctr=1 1 $zero "$(select 0x18 0x20 1 1 0 0 0 0)"
check "user mode" programs INSTRUCTIONS_EXECUTED:u 0 $zero "$(select 0x16 0 1 0 0 0 0 0)"
check "levels 1 to 3 are user mode" programs INSTRUCTIONS_EXECUTED:plm=14 0 $zero \
	"$(select 0x16 0 1 0 0 0 0 0)"
check "system mode" programs L2_READ_MISS:k 0 $zero "$(select 0xCB 0x10 0 1 0 0 0 0)"
check "any thread" programs SNP_HITM_L2:t 0 $zero "$(select 0xE7 0x10 1 1 0 1 0 0)"
check "threshold, inverted, edges" programs BRANCHES:c=2:i:e 0 $zero "$(select 0x12 0 1 1 1 0 1 2)"
check "edges without a threshold" programs CPU_CLK_UNHALTED:e 0 $zero "$(select 0x2A 0 1 1 1 0 0 0)"
# 2^40 - 1000; 2^40 - (2^39 - 1)
check "a period" programs BRANCHES:period=1000 0 0x000000fffffffc18 "$(select 0x12 0 1 1 0 0 0 0)"
check "a long period" programs BRANCHES:period=0x7fffffffff 0 0x0000008000000001 \
	"$(select 0x12 0 1 1 0 0 0 0)"

palmon encode -t knc DATA_READ,L2_READ_MISS
check "an event of counter 0 gets it" writes "IA32_PERFCNTR1 0x21 $zero" \
	"IA32_PERFEVTSEL1 0x29 $(select 0 0 1 1 0 0 0 0)" "IA32_PERFCNTR0 0x20 $zero" \
	"IA32_PERFEVTSEL0 0x28 $(select 0xCB 0x10 1 1 0 0 0 0)" \
	'IA32_PERF_GLOBAL_CTRL 0x2f 0x0000000000000003'

# Table 1-7: bits 1 and 0 put the counters under the program's user filter, bit 63.
palmon encode -t knc DATA_READ:u:spflt
check "a counter under the program's filter" writes 'PERF_SPFLT_CONTROL 0x2c 0x0000000000000001' \
	"IA32_PERFCNTR0 0x20 $zero" "IA32_PERFEVTSEL0 0x28 $(select 0 0 1 0 0 0 0 0)" \
	'IA32_PERF_GLOBAL_CTRL 0x2f 0x0000000000000001'
palmon encode -t knc DATA_READ,BRANCHES:ctr=1:spflt
spflt_of() {
	done_quietly && has_line "PERF_SPFLT_CONTROL 0x2c 0x000000000000000$1"
}
check "the second counter" spflt_of 2
palmon encode -t knc DATA_READ:spflt,BRANCHES:spflt
check "both counters" spflt_of 3

# can_be_read_back EVENT: encode accepts its own spelling of the event.
can_be_read_back() {
	palmon encode -t knc "$1"
	cp "$work/out" "$work/first"
	palmon encode -t knc "$(head -n 1 "$work/first")"
	done_quietly && diff "$work/first" "$work/out"
}
check "events are printed in the syntax that is read" can_be_read_back \
	VPU_STALL_REG:u:c=1:i:e:t:spflt:ctr=1:period=5000

# refused EVENT STATUS PATTERN
refused() {
	palmon encode -t knc "$1"
	refuses "$2" "$3"
}
check "two events of counter 0" refused L2_READ_MISS,L2_READ_HIT_E 1 \
	'L2_READ_MISS and L2_READ_HIT_E compete for counter 0$'
check "an event of counter 0 on counter 1" refused L2_DATA_PF2:ctr=1 1 'counts on 0$'
check "three events" refused DATA_READ,DATA_WRITE,BRANCHES 1 'compete for counters 0 and 1$'
check "a counter that does not exist" refused DATA_READ:ctr=2 1 'a thread has the counters 0 and 1$'
check "inversion without a threshold" refused CPU_CLK_UNHALTED:i 1 'needs a threshold'
check "a level that cannot be counted separately" refused BRANCHES:plm=4 1 \
	'levels 1 to 3 are counted together'
check "records" refused BRANCHES:p 1 'BRANCHES: the processor writes no records'
check "branch records" refused BRANCHES:lbr:period=1000 1 'no branches'
check "an event outside the guide" refused HWP_L2MISS 2 "no event 'HWP_L2MISS'"
check "a misspelt event" refused FE_STALED 2 'nearest name is FE_STALLED$'

others_refuse() {
	for target in nehalem:UOPS_ISSUED.ANY nehalem-uncore:UNC_CLK_UNHALTED sparct4:Cycles; do
		palmon encode -t "${target%%:*}" "${target#*:}:spflt"
		refuses 1 'no SPFLT user filter' || return
	done
	palmon encode -t itanium CPU_CYCLES:spflt
	refuses 1 'no counter can count CPU_CYCLES with this spflt'
}
check "other processors refuse the program's filter" others_refuse

#
# decode
#

# selects VALUE EVENT: decode of this IA32_PerfEvtSel1.
selects() {
	palmon decode -t knc "IA32_PERFEVTSEL1=$1"
	done_quietly && has_line "event: $2"
}
check "decode: event 0" selects "$(select 0 0 1 1 0 0 0 0)" DATA_READ
check "decode: the unit mask selects the unit" selects "$(select 0x16 0x20 1 0 0 0 0 0)" \
	VPU_INSTRUCTIONS_EXECUTED
# raw CODE UMASK EVENT: not in Table 1-6. encode accepts this spelling.
raw() {
	palmon decode -t knc "IA32_PERFEVTSEL0=$(select "$1" "$2" 1 1 0 0 0 0)"
	done_quietly && [ "$(grep event: "$work/out")" = "  event: $3" ] || { show; return; }
	palmon encode -t knc "$3:ctr=0"
	has_line "IA32_PERFEVTSEL0 0x28 $(printf 0x%016x "$(select "$1" "$2" 1 1 0 0 0 0)")"
}
check "decode: a code without event" raw 0x07 0x00 raw=0x7
check "decode: a code of another unit" raw 0xCB 0x00 raw=0xcb
check "decode: a unit mask without unit" raw 0x16 0x30 raw=0x3016
nothing() {
	palmon decode -t sparct4 "PCR0=$1"
	done_quietly && ! grep event: "$work/out"
}
check "decode: reserved bits select no event" nothing 0x6020

#
# list, targets, info, metrics, profiles
#

listed() {
	palmon list -t knc l2_read_miss
	done_quietly && has_line '0xcb/10 0 1 L2_READ_MISS'
}
check "list: events of one counter" listed
palmon list -t knc -j
check "list -j: the guide's 59 events" eval '[ "$(wc -l <"$work/out")" -eq 59 ]'
# Linux, arch/x86/events/intel/knc.c
check "list -j: counter 1 counts all of units 00 and 20, and F0 and F5 of 10" each_object \
	'(@{$o->{counters}} == 2) == ($o->{umask} != 0x10 || $o->{code} == 0xF0 || $o->{code} == 0xF5)'

target_line() {
	palmon targets -j
	grep -q '^{"target":"knc",.*"counters":\[0,1\],"fixed":\[\],"width":40,"events":59,' \
		"$work/out" || show
}
check "targets" target_line

# Two counters of 40 bits; cycles are event 2A, executed instructions 16. Control registers: two
# selects, SPFLT control, global control and overflow control. Data registers: two counters and the
# status.
palmon info -t knc -j
check "info" prints "$(printf %s \
	'{"generic":2,"width":40,"cycles_event":42,"retired_event":22,"pmc_mask":"0x1f","pmd_mask":"0x7",' \
	'"cycles_mask":"0x3","retired_mask":"0x3","pm_info":"0x162a2802"}')"

palmon metrics -t knc -j Vectorization_intensity
check "metrics" prints "$(printf %s '{"target":"knc","name":"Vectorization_intensity",' \
	'"formula":"VPU_ELEMENTS_ACTIVE / VPU_INSTRUCTIONS_EXECUTED","unit":"elements/instruction",' \
	'"table":"likwid, VECTOR","caveat":"vector instructions that move, load or store have elements too"}')"
palmon profiles -t knc -j
check "profiles: a run per two events" each_object '$o->{runs} == int((@{$o->{events}} + 1) / 2) &&
	$o->{runs} == $o->{"runs-least"}'

#
# stat: compared with hand counts of the trace. Thread 0 counts.
#

# counts "EVENTS" COUNT...
counts() {
	palmon stat -t knc -e "$1" --trace="${file:-$threads}" -x,
	shift
	printf '%s\n' "$@" >"$work/expected"
	done_quietly && cut -d, -f1 "$work/out" | diff "$work/expected" -
}
check "stat: the thread's own cycles and instructions" counts \
	CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED 3 5
# 3 + 3 + 3 + 2; 5 + 3 + 6 + 2
check "stat: those of all threads" counts CPU_CLK_UNHALTED:t,INSTRUCTIONS_EXECUTED:t 11 16
check "stat: own ones next to those of all" counts \
	INSTRUCTIONS_EXECUTED_V_PIPE,INSTRUCTIONS_EXECUTED_V_PIPE:t 2 5
check "stat: user and system mode" counts INSTRUCTIONS_EXECUTED:u,INSTRUCTIONS_EXECUTED:k 4 1
# 4 + 3 + 2; 1 + 6
check "stat: user and system mode of all threads" counts \
	INSTRUCTIONS_EXECUTED:u:t,INSTRUCTIONS_EXECUTED:k:t 9 7
check "stat: event 0 of two units" counts DATA_READ,VPU_DATA_READ 2 1
check "stat: elements of a vector" counts VPU_INSTRUCTIONS_EXECUTED,VPU_ELEMENTS_ACTIVE 1 16
# Table 1-5: "Events which have no thread-specific context will always be counted regardless of Thread Count Mode".
check "stat: a snoop belongs to no thread, and counts on each" counts SNP_HIT_L2 2
check "stat: snoops of any thread are the same" counts SNP_HIT_L2:t 2
check "stat: at the level of the executing thread" counts SNP_HIT_L2:u 1
check "stat: and at the highest" counts SNP_HIT_L2:k 1
check "stat: an event next to one of counter 0" counts DATA_READ,L2_READ_MISS 2 1
# Cycles 0 and 4 of twelve; with thread 2's three
check "stat: cycles with two instructions" counts \
	INSTRUCTIONS_EXECUTED:c=2,INSTRUCTIONS_EXECUTED:c=2:t 2 5
check "stat: cycles with fewer" counts INSTRUCTIONS_EXECUTED:c=2:i,INSTRUCTIONS_EXECUTED:c=2:i:t \
	10 7
# A trace executes no SPFLT: the user filter is off, as after reset.
check "stat: a counter under a user filter that is off" counts BRANCHES:spflt,CPU_CLK_UNHALTED 0 3

# The nth event of Table 1-6 happens in n cycles, one event after the other: none counts another's
# cycles.
each_event() {
	awk -F '\t' '!/^#/ { printf "code=0x%s sub=0x%s cycles=%d\n", $3, $2, ++n }' $table \
		>"$trace"
	expected=0
	for event in $(awk -F '\t' '!/^#/ { print $4 }' $table); do
		expected=$((expected + 1))
		counts "$event" $expected || return
	done
	[ $expected -eq 59 ]
}
file=$trace
check "stat: each event by itself" each_event
# Occurrences of no event: unknown codes, and codes of other units.
printf '%s\n' 'code=0x07 cycles=4' 'code=0x2a sub=0x20 cycles=4' 'code=0xcb cycles=4' \
	'code=0x00 sub=0x10 cycles=4' \
	'code=0x16 sub=0x30 cycles=4' >"$trace"
check "stat: occurrences of no event" counts CPU_CLK_UNHALTED,L2_READ_MISS 0 0
check "stat: nor of similar events" counts DATA_READ,INSTRUCTIONS_EXECUTED 0 0
printf '%s\n' 'code=0x16 n=2 cycles=5' 'code=0x16 cycles=4' 'code=0x16 n=2' >"$trace"
check "stat: back-to-back cycles are one edge" counts \
	INSTRUCTIONS_EXECUTED:c=2,INSTRUCTIONS_EXECUTED:c=2:e 6 2
printf '%s\n' 't=2 code=0x2a cycles=3' 't=7 code=0x2a cycles=4' >"$trace"
check "stat: cycles, and wake-ups of the thread" counts CPU_CLK_UNHALTED,CPU_CLK_UNHALTED:e 7 2
# 1.5 * 2^40 + 5; the counters have 40 bits
echo 'code=0x2a cycles=0x18000000005' >"$trace"
check "stat: counts beyond 40 bits" counts CPU_CLK_UNHALTED,CPU_CLK_UNHALTED:ctr=0 1649267441669 \
	1649267441669
# 2^41 + 2
echo 'code=0x16 n=2 cycles=0x10000000001' >"$trace"
check "stat: counts beyond 40 bits, with two events in a cycle" counts INSTRUCTIONS_EXECUTED \
	2199023255554
file=

palmon stat -t knc -e '{L2_READ_MISS,L2_READ_HIT_E}' --trace=$threads
check "stat: two events of counter 0 in one run" refuses 1 'compete for counter 0$'
palmon stat -t knc -e L2_READ_MISS,L2_READ_HIT_E --trace=$threads
check "stat: two events of counter 0 in two runs" \
	eval 'has_line "1 L2_READ_MISS # run 1" && has_line "1 L2_READ_HIT_E # run 2"'

# Two of three reads hit, in E and in M; each of the four events takes a run. 1 / 3, 3 / 5.
four_runs() {
	palmon stat -t knc -M L2_read_miss_part,CPI --trace=$threads -j
	tail -n 2 "$work/out" >"$work/last"
	[ "$status" -eq 0 ] && grep -qx 'palmon stat: measured in 4 runs of the trace' \
		"$work/messages" &&
		grep -q '"event":"L2_read_miss_part",.*"metric-value":0.333333,.*"runs":4' \
		"$work/last" &&
		grep -q '"event":"CPI",.*"metric-value":0.6,.*"runs":4' "$work/last" || show
}
check "stat: a metric of four events of counter 0 takes four runs" four_runs

# 3 / 5; 11 / 16; 16 / 1
metrics() {
	palmon stat -t knc -M CPI,CPI_core,Vectorization_intensity --trace=$threads
	done_quietly && has_line '0.600000 CPI # cycles/instruction' &&
		has_line '0.687500 CPI_core # cycles/instruction' &&
		has_line '16 Vectorization_intensity # elements/instruction'
}
check "stat: metrics" metrics

profile() {
	palmon stat -t knc -P BRANCH_ANALYSIS --trace=$threads
	done_quietly && has_line 'Measured in 2 runs of the trace.' &&
		has_line '5 INSTRUCTIONS_EXECUTED:period=2000003 # run 2'
}
check "stat: a profile" profile

#
# record, report
#

# record EVENTS SUM...
record() {
	palmon record -t knc -e "$1" --trace="${file:-$threads}" -o "$samples"
	shift
	printf '%s\n' "$@" >"$work/expected"
	[ "$status" -eq 0 ] && diff "$work/expected" "$work/messages" || show
}
check "record: every second instruction" record INSTRUCTIONS_EXECUTED:period=2 \
	'INSTRUCTIONS_EXECUTED:period=2: 2 samples x 2 + 1 = 5'
where() {
	palmon report -i "$samples"
	done_quietly && has_line '1 50.0% 0x0000000000001000 ##########' &&
		has_line '1 50.0% 0x0000000000001008 ##########'
}
check "report: addresses" where
check "record: of all threads" record INSTRUCTIONS_EXECUTED:t:period=5 \
	'INSTRUCTIONS_EXECUTED:t:period=5: 3 samples x 5 + 1 = 16'
file=$trace
printf '%s\n' 't=0 code=0x16 cycles=23' 't=0 code=0x2a cycles=23' >"$trace"
check "record: both counters wrap in one cycle" record \
	INSTRUCTIONS_EXECUTED:period=5,CPU_CLK_UNHALTED:period=5 \
	'INSTRUCTIONS_EXECUTED:period=5: 4 samples x 5 + 3 = 23' \
	'CPU_CLK_UNHALTED:period=5: 4 samples x 5 + 3 = 23'
check "record: one counter wraps after the other" record \
	INSTRUCTIONS_EXECUTED:period=5,CPU_CLK_UNHALTED:period=6 \
	'INSTRUCTIONS_EXECUTED:period=5: 4 samples x 5 + 3 = 23' \
	'CPU_CLK_UNHALTED:period=6: 3 samples x 6 + 5 = 23'
# 2^40 + 2^39 + 2 events: more than a counter holds
echo 'code=0x2a cycles=0x18000000002' >"$trace"
check "record: a period beyond the counter's range" record CPU_CLK_UNHALTED:period=0x18000000000 \
	'CPU_CLK_UNHALTED:period=0x18000000000: 1 samples x 1649267441664 + 2 = 1649267441666'
file=
done_checking
