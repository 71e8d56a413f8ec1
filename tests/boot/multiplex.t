#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Multiplexing (multiplex=; performance analysis guide, appendix I) on each target's image: groups
# of events take turns in one run. An event of every group counts, in all slices together, exactly
# as much as in a run without multiplexing: no event is lost, and none is counted twice.
. tests/tap.sh
. tests/boot/workload.sh

# The same code from the first to the last instruction, so that each slice is like the whole: an
# estimate differs by the part of a slice that its interrupt takes, less than 500 of 10,000 ticks.
printf '%s\n' '#include "stimulus.h"' 'int workload(void)' \
	'{ hal_execute(3000000); return 0; }' >"$work/turns.c"
TICKS=10000

# count_of EVENT: its count in the table of counts.
count_of() {
	awk -v event="$1" '$2 == event { gsub(",", "", $1); print $1 }' "$work/out"
}

# rows EVENT: of each group that counts the event: estimate, exact count, hundredths of a percent.
rows() {
	number='\([0-9]*\)'
	tr -d ,~ <"$work/out" |
		sed -n "s/^ *$number  $1 .*# group [0-9]*[ :]*$number in $number\.$number% .*/\1 \2 \3\4/p"
}

# adds_up EVENT PLAIN: three groups, whose counts add up to PLAIN, whose time to 100 percent, and
# whose estimates are within 5 percent.
adds_up() {
	rows "$1" >"$work/rows"
	echo "$1: $2"
	cat "$work/rows"
	awk -v plain="$2" '{ estimates += ($1 - plain) * 20 <= plain && (plain - $1) * 20 <= plain
			count += $2; time += $3; none += !$2 }
		END { exit !(NR == 3 && estimates == 3 && count == plain && !none &&
			time >= 9998 && time <= 10002) }' "$work/rows"
}

# turns EVENT...: each event in each of three groups.
turns() {
	group=$(echo "$*" | tr ' ' ,)
	measure "$work/turns.c" threads=1 events="$group" && ended 0 || return
	plain=
	for event; do
		plain="$plain $(count_of "$event")"
	done
	! grep -q '~' "$work/out" || return
	measure "$work/turns.c" threads=1 events="{$group},{$group},{$group}" multiplex=$TICKS &&
		ended 0 && says 'spurious 0, .*throttled 0, samples dropped 0, register faults 0$' &&
		says '^counts of the workload; 3 groups of events took turns of 10,000 ticks, and ~ marks' ||
		return
	for event; do
		set -- $plain
		adds_up "$event" "$1" || return
		shift
		plain="$*"
	done
}
check "Core i7: the counts of all slices add up" turns INST_RETIRED.ANY_P:u \
	BR_INST_RETIRED.ALL_BRANCHES:u BR_INST_RETIRED.CONDITIONAL:u

three={INST_RETIRED.ANY_P:u,INST_RETIRED.ANY_P:u,INST_RETIRED.ANY_P:u}
# The overflow interrupt as an NMI; the shortest slice; a slice that outlasts the program.
nmi() {
	measure "$work/turns.c" events=INST_RETIRED.ANY_P:u && ended 0 || return
	plain=$(count_of INST_RETIRED.ANY_P:u)
	measure "$work/turns.c" events=$three,$three multiplex=1000 pmi=nmi && ended 0 || return
	rows INST_RETIRED.ANY_P:u >"$work/rows"
	cat "$work/rows"
	awk -v plain="$plain" '{ count += $2 } END { exit NR != 6 || count != 3 * plain }' "$work/rows"
}
check "with the overflow interrupt as an NMI, and the shortest slices" nmi
late() {
	measure "$work/turns.c" events=$three,"{BR_INST_RETIRED.ALL_BRANCHES:u,MEM_INST_RETIRED.STORES:u}" \
		multiplex=4294967295 out=console && ended 0 &&
		says "^ *~$plain  INST_RETIRED.ANY_P:u .* # group 1, $plain in 100.00% of the time" &&
		says '^ *<no slice>  BR_INST_RETIRED.ALL_BRANCHES:u .* # group 2, 0 in 0.00% of the time' &&
		says '^@\{"counter-value":"<not counted>",.*"BR_INST_RETIRED.ALL_BRANCHES:u".*"pcnt-running":0.00,'
}
plain=$(echo "$plain" | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta')
check "a group without a slice has no estimate" late

# Events that fit together form one group, and are exact.
one() {
	measure "$work/turns.c" events=INST_RETIRED.ANY_P:u,BR_INST_RETIRED.ALL_BRANCHES:u \
		multiplex=$TICKS && ended 0 && ! grep -q '~' "$work/out" &&
		says '^counts of the workload:$'
}
check "one group does not take turns" one

# With the unit clock an instruction takes a cycle.
metric() {
	measure "$work/turns.c" metrics=CPI:u events=$three,$three multiplex=$TICKS &&
		ended 0 && says '^ *~1  CPI:u  # cycles/instruction, always 1 here'
}
check "a metric of events that take turns is an estimate" metric
package() {
	measure "$work/turns.c" multiplex=$TICKS \
		events=UNC_CLK_UNHALTED,$1 && ended 0 &&
		says '^ *[0-9,]+  UNC_CLK_UNHALTED .* # nehalem-uncore' && says '^ *~[0-9,]+  INST_RETIRED.ANY_P:u '
}
check "the PMU that the cores share counts in all slices" package $three,$three
# The shared PMU's metric does not use metrics of the cores.
exact() {
	measure "$work/turns.c" multiplex=$TICKS events=$three,$three metrics=CPI:u,CACHED_WRITE_BANDWIDTH_LOCAL &&
		ended 0 && says '^ *~1  CPI:u ' && says '^ *[0-9.]+  CACHED_WRITE_BANDWIDTH_LOCAL '
}
check "its metrics are exact" exact

# Samples are those of the group's slices, and add up to its exact count.
sampled() {
	group=$(echo $three | sed 's/ANY_P:u/ANY_P:u:period=5000/g')
	measure "$work/turns.c" events=$group,$group multiplex=$TICKS && ended 0 &&
		says 'throttled 0, samples dropped 0, register faults 0$' || return
	rows INST_RETIRED.ANY_P:u | cut -d' ' -f2 >"$work/counts"
	tr -d , <"$work/out" | sed -n -e 's/^INST_RETIRED.ANY_P:u: [0-9]* samples x 5000 + [0-9]* = //' \
		-e 's/: exactly its count$//p' | diff "$work/counts" - &&
		awk -v plain="$(echo "$plain" | tr -d ,)" '{ sum += $1 }
			END { exit NR != 6 || sum != 3 * plain }' "$work/counts" &&
		says '^ *[0-9.]+% +[0-9]+  (arch|x86)_execute'
}
check "samples of multiplexed events add up to the counts of their slices" sampled
# The guide's appendix I: 13 events in 3 runs, "or three groups if event multiplexing is enabled".
profile() {
	boot run=session profile=MEMORY_ACCESS multiplex=50000 && ended 0 &&
		says '^counts of the workload; 3 groups of events took turns of 50,000 ticks' &&
		says '^ *~[0-9,]+  MEM_INST_RETIRED.LOADS:p .* in 3[0-9].[0-9]*% of the time, [0-9]* samples'
}
check "the guide's memory access profile has three groups" profile

# refused OPTIONS TEXT
refused() {
	boot run=session $1
	ended 1 && says "$2"
}
check "too few ticks are refused" refused multiplex=999 \
	'^palmon: multiplex=999: the value is to be: from 1000'
check "samples by time are refused" refused "multiplex=1000 ticks=1000" \
	'^palmon: multiplex=: groups of events have no samples by time'
check "callers are refused" refused "multiplex=1000 calls=4" \
	'^palmon: multiplex=: groups of events have no samples by time'
check "a group with more events than counters is refused" refused \
	"multiplex=1000 events={L1D.REPL,L1D.M_REPL,L1D.M_EVICT}" '^palmon: events=: '
twice=UNC_CLK_UNHALTED,UNC_CLK_UNHALTED
check "groups of the shared PMU are refused" refused "multiplex=1000 events=INST_RETIRED.ANY,$twice" \
	'^palmon: multiplex=: UNC_CLK_UNHALTED and UNC_CLK_UNHALTED need the same counter, but the PMU'

# The files of a run, and their reports.
reported() {
	make_run RUN=session WORKLOAD="$work/turns.c" EVENTS=$three,$three MULTIPLEX=$TICKS
	ended 0 || return
	head -n 1 "$work/run/samples" | grep -q ',"multiplex":10000,"events":' || return
	jq -e -s --argjson plain "$(echo "$plain" | tr -d ,)" 'length == 6 and
		all(.scaled and .counted < ."counter-value" and ."pcnt-running" < 51) and
		([.[].counted] | add) == 3 * $plain and ([.[].group] | unique) == [1, 2]' \
		"$work/run/counts.json" || return
	exact=$(jq -s '.[0].counted' "$work/run/counts.json")
	"$BUILD/host/palmon" report -i "$work/run" >"$work/out" && cat "$work/out" &&
		says "^INST_RETIRED.ANY_P:u: count ~[0-9]+, scaled from $exact in its slices\$" &&
		grep -h "^@{\"count\"" "$work/run/palmon.board" | grep -q '"value":"~[0-9]'
}
check "palmon report and palmon board show estimates" reported

use_target knc img
check "Knights Corner: the counts of all slices add up" turns INSTRUCTIONS_EXECUTED:u BRANCHES:u
# Each thread has a timer, and groups of its own.
threads() {
	group=INSTRUCTIONS_EXECUTED:u,BRANCHES:u
	measure "$work/turns.c" events=$group out=console && ended 0 || return
	by_thread counter-value >"$work/plain"
	measure "$work/turns.c" events="{$group},{$group}" multiplex=$TICKS out=console && ended 0 ||
		return
	by_thread counted >"$work/added"
	diff "$work/plain" "$work/added" && [ "$(wc -l <"$work/plain")" -eq 8 ]
}
# by_thread KEY: for each event and thread the sum of KEY.
by_thread() {
	sed -n 's/^@\({"counter-value".*}\) [0-9a-f]*\r*$/\1/p' "$work/out" |
		jq -r -s --arg key "$1" 'group_by([.event, .cpu])[] |
			"\(.[0].event) \(.[0].cpu) \([.[][$key]] | add)"'
}
check "Knights Corner: on four threads at once" threads
use_target sparct4 prom
check "SPARC T4: the counts of all slices add up" turns Instr_all:u Branches:u Branches_sl4:u
use_target itanium elf
check "Itanium: the counts of all slices add up" turns IA64_INST_RETIRED:u BRANCH_EVENT:u \
	CPU_CYCLES:u
# ITC counts by the timer of slices and of samples by time (6.1.2.1).
check "Itanium: the timer cannot also end slices" refused "multiplex=1000 events=CPU_CYCLES,ITC" \
	'^palmon: multiplex=: ITC counts by the timer that multiplex= needs$'
check "Itanium: the timer cannot also take samples by time" refused \
	"ticks=1000 events=CPU_CYCLES,ITC" '^palmon: ticks=: ITC counts by the timer that ticks= needs$'
done_checking
