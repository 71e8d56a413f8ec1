#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A session on the SPARC T4's image: the workload in user mode, samples at the instruction, code of
# known length, PAL's answers, and the same output each time.
. tests/tap.sh
. tests/boot/shares.sh
use_target sparct4 prom
. tests/boot/workload.sh

# count_of EVENT COUNTER: the count in the last run's table, without commas, with any modifiers.
count_of() {
	sed -n "s/^ *\([0-9,]*\)  $1\(:[^ ]*\)*  *$2  .*/\1/p" "$work/out" | tr -d ,
}

# sums COUNTER...: each of these sampling counters has one line of samples, whose sum is that
# counter's count.
sums() {
	sed -n 's/^[^ ]*: \(.* samples x .*\) = .*: exactly its count$/\1/p' "$work/out" |
		tr -d , >"$work/sums"
	[ "$(grep -c 'its count\|ITS COUNT' "$work/out")" -eq $# ] || { cat "$work/out"; return 1; }
	while read -r samples _ _ period _ rest; do
		count=$(sed -n "s/^ *\([0-9,]*\)  [^ ]*  *$1  .*/\1/p" "$work/out" | tr -d ,)
		shift
		echo "$samples x $period + $rest, count $count"
		[ $((samples * period + rest)) -eq "$count" ] && [ "$rest" -lt "$period" ] ||
			return 1
	done <"$work/sums"
	[ $# -eq 0 ]
}

session_succeeds() {
	boot run=session
	cp "$work/out" "$work/first"
	ended 0 && says '^palmon: status 0'
}
check "the session ends with success" session_succeeds

# Width 32 (Table 10-3), counters 0-3; sl 26 is 1Ah, sl 3 with mask 3Fh (Table 10-2): 3 << 24 | 1A << 16 | 32 << 8 | 4.
check "PAL_PERF_MON_INFO" says '^PAL_PERF_MON_INFO: status 0, 0x031a2004: '
check "its fields in words" says \
	': 4 generic counters of 32 bits, cycles event 0x1a, retired event 0x03$'
masks() {
	for what in 'control registers' 'data registers' 'can count cycles' 'can count retired'; do
		says "^  $what  *0-3\$" || return
	done
}
check "its four masks" masks
check "PALMON_MONITOR_EVENTS has the retired event's mask" says \
	'^PALMON_MONITOR_EVENTS: cycles event 0x1a, unit mask 0x00; retired event 0x03, unit mask 0x3f$'
check "PALMON_MONITOR_FEATURES: no fixed counters" says \
	'^PALMON_MONITOR_FEATURES: 0 fixed counters '

# With the unit clock an instruction is a cycle. WRHPR %hpstate leaves hyperprivileged mode for the
# workload. It is a hyperprivileged instruction, but its cycle counts in privileged mode (section
# 10.2, the last programming note).
counts_agree() {
	set -- "$(count_of Instr_all 0)" "$(count_of Cycles 1)" "$(count_of Instr_all 2)"
	echo "$*"
	[ "$1" -gt 10000000 ] && [ $(($1 + 1)) = "$2" ] && [ "$1" = "$3" ]
}
check "a sampling counter and two others agree to the event" counts_agree
check "samples times period plus the remainder is the counter's count" sums 2
check "nothing spurious, throttled, dropped or faulting" \
	says '^overflow interrupts: [1-9][0-9,]*, spurious 0, .*throttled 0, samples dropped 0, register faults 0$'
check "precise traps have no skid" says \
	'^  skid, events counted between overflow and freeze: 0 to 0$'

# The functions that take most time are the algorithm's, on any processor.
hottest() {
	sed '1,/^hottest functions/d' "$1" | awk 'NR <= 6 { print $3 }'
}
hottest_is_first() {
	[ "$(hottest "$work/first" | head -n 1)" = sha256_block ]
}
check "the hottest function is sha256_block" hottest_is_first
hottest_are_nehalems() (
	use_target nehalem img && boot run=session &&
		hottest "$work/out" | sort >"$work/hot" && hottest "$work/first" | sort |
		diff "$work/hot" - &&
		[ "$(wc -l <"$work/hot")" -eq 6 ]
)
long "the six hottest functions are those of nehalem's image" \
	hottest_are_nehalems

# With traps at the instruction, and with disrupting traps.
profiles() {
	cp "$work/first" "$work/out"
	shares "$work/rarely"
	boot run=session "events=$1:u:period=5000"
	ended 0 && says 'samples dropped 0,' && sums 0 &&
		says "^hottest functions, by 2[0-9],[0-9]{3} samples of $1:u, one in 5,000:\$" &&
		shares "$work/often" && alike 1 "$work/often" "$work/rarely"
}
for event in Instr_all Cycles; do
	long "all functions have the same share of $event at period 5,000 and at 100,000" profiles \
		$event
done

repeats() {
	boot run=session
	diff "$work/first" "$work/out"
}
long "a second run prints the same, to the character" repeats

polled() {
	boot run=session events=Instr_all:k,Instr_all:k:period=100000,Instr_all:u
	ended 0 && says '^ .*  Instr_all:k  *1 .*, polled: its samples come late(,|$)' && sums 1 &&
		says '^overflow interrupts: 0, ' &&
		says '^  overflows found by looking, without an interrupt of theirs: [1-9]'
}
long "hyperprivileged instructions are polled, and exact" polled

#
# Known code, and who executes it
#

# Each iteration has 3 instructions; 4 surround the loop, and 2 precede it in user mode: the call
# and its delay slot. Cycles have one more: that of the WRPR %pstate that leaves privileged mode.
iterations() {
	printf '#define TURNS %s\n#include "%s/tests/boot/workloads/sparct4-exact.c"\n' "$1" \
		"$PWD" >"$work/exact-$1.c"
	measure "$work/exact-$1.c" events="$2" && ended 0
}
known() {
	iterations "$1" Instr_all:u,Cycles:u,Instr_all:u:period=1009,Cycles:u:period=700 &&
		for counter in 0 1 2 3; do
			count=$(count_of '[A-Za-z_]*' $counter)
			[ "$count" -eq $((3 * $1 + 6 + counter % 2)) ] ||
				{ echo "counter $counter: $count"; return 1; }
		done &&
		sums 2 3
}
long "a loop of 3,000 instructions counts exactly its length, in instructions and cycles" known \
	1000
check "also a loop of 3,703,701 instructions" known 1234567

# Several counters overflow at once every 50,000 instructions.
periods() {
	event=Instr_all:u
	iterations 1234567 $event,$event:period=10000,$event:period=12500,$event:period=30007 || return
	says 'throttled 0, samples dropped 0' && sums 1 2 3
}
check "four counters at once, three with different sampling periods: each is exact" periods

disrupting() {
	iterations 1234567 \
		Instr_all:u,Cycles:u:period=10000,Cycles:u:period=15000,Instr_all:u:period=20000 || return
	says 'throttled 0, samples dropped 0' && sums 1 2 3 &&
		[ "$(count_of Cycles 1)" = $(($(count_of Instr_all 0) + 1)) ]
}
check "asynchronous cycles and precise instructions together: each is exact" disrupting

# More samples than the 4,096 that fit in a ring.
often() {
	iterations 1234567 Instr_all:u:period=800 || return
	says 'throttled 0, samples dropped 0' && sums 0 &&
		says '^hottest functions, by 4,629 samples of Instr_all:u, one in 800:$'
}
check "the ring is drained while the session runs: none of 4,629 samples is lost" often

# The runtime enters user mode from privileged mode, where one instruction executes.
levels() {
	iterations 1234567 Instr_all:plm=2,Instr_all:u,Instr_all,Cycles:plm=2 &&
		[ "$(count_of Instr_all 0)" -eq 1 ] &&
		[ "$(count_of Instr_all 1)" -eq 3703707 ] &&
		[ "$(count_of Instr_all 2)" -eq 3703708 ] &&
		[ "$(count_of Cycles 3)" -eq 1 ]
}
check "privileged instructions count only on request" levels

#
# A program that reads its own counter
#

# open_to NAME EVENTS WAY: runs the program with these events' counters; at the end the program
# executes WAY.
open_to() {
	printf '#define TURNS 12345\n#define WAY %s\n#include "%s/tests/boot/workloads/sparct4-open.c"\n' "$3" "$PWD" \
		>"$work/open-$1.c"
	measure "$work/open-$1.c" events="$2"
}
reads_its_own() {
	open_to read Instr_all:u:open:ctr=0,Instr_all:u:ctr=1 '(void)0'
	ended 0 && says '^the loop: 37035 instructions$' && says '^PIC1 is closed$' &&
		[ "$(count_of Instr_all 0)" -gt 37035 ] &&
		[ "$(count_of Instr_all 0)" = "$(count_of Instr_all 1)" ]
}
check "a program reads exactly the counter opened to it, and no other" reads_its_own
closed_to_it() {
	open_to read Instr_all:u:ctr=0 '(void)0'
	[ "$status" -ne 0 ] && says 'in count_loop: privileged_action' &&
		says '^palmon: status 1 \(fault\)'
}
check "without 'open' the counter is closed" closed_to_it

# A written value changes only the value from which the counter goes on. The program writes PIC0
# with reserved bits set, and 2^32 - 1 again and again; a sampling counter at the same time stays
# exact.
writes() {
	open_to write Instr_all:u:open:ctr=0,Instr_all:u:period=10007:ctr=1,Instr_all:u:ctr=2 \
		'write_counter(0, 0xFFFFFFFF00000000)'
	ended 0 && [ "$(count_of Instr_all 0)" -lt 100000 ] && sums 1 &&
		says 'throttled 0, samples dropped 0' &&
		[ "$(count_of Instr_all 1)" = "$(count_of Instr_all 2)" ]
}
long "a write of reserved bits does not change the count" writes
provokes() {
	open_to storm Instr_all:u:open:ctr=0,Instr_all:u:period=10007:ctr=1,Instr_all:u:ctr=2,Cycles:u:open \
		'for (int i = 0; i < 100000; i++) write_counter(0, 0xFFFFFFFF), write_counter(3, 0xFFFFFFFF)'
	ended 0 && sums 1 && says 'throttled 0, samples dropped 0' &&
		[ "$(count_of Instr_all 1)" = "$(count_of Instr_all 2)" ] &&
		traps=$(sed -n 's/^overflow interrupts: \([0-9,]*\),.*/\1/p' "$work/out" |
		tr -d ,) &&
		[ "$traps" -le $(($(count_of Instr_all 1) / 10007)) ]
}
check "overflows that a program provokes do not interrupt" provokes

#
# Refused requests
#

refused() {
	boot run=session "events=$1"
	ended 1 && says "$2" && ! grep -q 'counts of the workload' "$work/out"
}
long "a level that does not exist" refused Instr_all:plm=4 '^palmon: events=: .*Instr_all'
check "five events for four counters: the conflict" refused \
	Instr_all,Cycles,Instr_all,Cycles,Instr_all \
	'Instr_all, Cycles, Instr_all, Cycles and Instr_all compete for counters 0, 1, 2 and 3'
check "a counter that samples and is open to programs" refused Instr_all:u:open:period=1000 \
	'^palmon: events=: Instr_all: .*open'
long "a threshold" refused Instr_all:c=1 '^palmon: events=: .*Instr_all'
check "a misspelt event: the nearest name" refused Instr_al \
	"there is no event 'Instr_al'; the nearest name is Instr_all"
check "a misspelt event of the memory controllers: the nearest name" refused Instr_all,READS.MCU4 \
	"there is no event 'READS.MCU4'; the nearest name is READS.MCU0"
check "samples of the memory controllers, which do not interrupt" refused READS.MCU0:period=1000 \
	'^palmon: events=: READS.MCU0: '
check "too many events for a controller's two counters" refused READS.MCU0,READS.MCU0,READS.MCU0 \
	'compete for counters 0 and 1'

#
# The memory controllers, and metrics
#

# sparct4-caches.t counts lines read there. QEMU raises no queue events, so they are not counted
# rather than 0.
controllers() {
	iterations 1234567 \
		Instr_all:u,READS.MCU0,WRITES_STARVED.MCU3,Instr_all:u:period=100000 || return
	[ "$(count_of Instr_all 0)" = "$(count_of Instr_all 1)" ] && sums 1 &&
		says '^ +[1-9][0-9,]+  READS.MCU0 +0 +# sparct4-dram$' &&
		says '^ +<not counted>  WRITES_STARVED.MCU3 +12 +# sparct4-dram, does not happen under QEMU plugin' &&
		says '^sparct4-dram: overflow interrupts: 0, .*register faults 0$' &&
		says '^palmon: status 0'
}
check "events of the memory controllers, in one table with the cores' events" controllers
# The instruction that enters user mode counts in the old mode, its cycle in the new one (10.2, last
# programming note): one cycle more than instructions.
metrics() {
	measure "$work/exact-1234567.c" metrics=CPI,READ_LATENCY.MCU1 \
		events=Instr_all:u:period=100000 && ended 0 || return
	says '^ +1\.000000  CPI  # cycles/instruction, always 1 here:' &&
		says ' Cycles .*# run 2, cycles are' &&
		says \
		'^ +<not counted>  READ_LATENCY.MCU1  # cycles, .*MCU1 does not happen under QEMU'
}
check "metrics, in a run of their own" metrics

. tests/boot/one-cpu.sh
done_checking
