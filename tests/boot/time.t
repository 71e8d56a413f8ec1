#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Samples by time (ticks=; Xeon Phi guide, 1.3.1.2; Itanium manual, 6.1.2.1) on each target's image.
# The timer loses no event: the intervals and the rest add up to the count of the same program
# without samples, and the functions' events to the sum of the intervals.
. tests/tap.sh
. tests/boot/workload.sh

# 3,000,000 instructions, and less than 200 around them.
printf '%s\n' '#include "stimulus.h"' 'int workload(void)' \
	'{ hal_execute(3000000); return 0; }' >"$work/time.c"

# count_of EVENT: its count in the table of counts.
count_of() {
	awk -v event="$1" '$2 == event { gsub(",", "", $1); print $1 }' "$work/out"
}

# adds_up EVENT TICKS INTERVALS: this number of intervals, or one less, because an interrupt's entry
# and return take time, too.
adds_up() {
	event=$1 ticks=$2 most=$3
	measure "$work/time.c" threads=1 events="$event" && ended 0 || return
	plain=$(count_of "$event")
	[ "$plain" -ge 3000000 ] && [ "$plain" -lt 3000200 ] || return
	measure "$work/time.c" threads=1 events="$event" ticks="$ticks" && ended 0 &&
		says 'spurious 0, .*throttled 0, samples dropped 0, register faults 0$' || return
	# INTERVALS of TICKS ticks, LEAST to MOST each: SUM + REST = COUNT
	set -- $(sed -n "s/^$event: \([0-9].*\): exactly its count\$/\1/p" "$work/out" |
		tr -d , | tr -c '0-9\n' ' ')
	echo "$plain; $*"
	[ $# -eq 7 ] && [ "$1" -le "$most" ] && [ "$1" -ge $((most - 1)) ] &&
		[ "$2" -eq "$ticks" ] && [ "$3" -le "$4" ] && [ $(($5 + $6)) -eq "$plain" ] &&
		[ "$7" -eq "$plain" ] && [ "$(count_of "$event")" = "$plain" ] || return
	sum=$5
	says "^hottest functions, by $1 samples of time, one in .* ticks, with their $event:\$" &&
		says '^ *[0-9.]+% +[0-9]+ +[0-9,]+  (arch|x86|sparc64|ia64)_execute' &&
		tr -d , <"$work/out" | awk -v sum="$sum" '/^ *[0-9.]+% / { found += $3 }
			END { exit found != sum }'
}

# With the unit clock an instruction takes one tick of the APIC's timer and of ITC, and 1.6 ticks of
# %stick (hal/emu/qemu/machine).
check "Core i7" adds_up INST_RETIRED.ANY:u 100000 30

# Each thread has a timer. The count of any thread is compared in a run without samples.
threads() {
	measure "$work/time.c" events=INSTRUCTIONS_EXECUTED:u,INSTRUCTIONS_EXECUTED:u:t \
		ticks=500000 && ended 0 || return
	for thread in 0 1 2 3; do
		says "^INSTRUCTIONS_EXECUTED:u, thread $thread: [1-9][0-9]* intervals of .*exactly its count\$" &&
			says "^INSTRUCTIONS_EXECUTED:u:t, thread $thread: .*exactly its count\$" ||
			return
	done
	says '^INSTRUCTIONS_EXECUTED:u:t of thread 0: .*: exactly$'
}

# A period that the timer does not change; the shortest interval; refused values.
both() {
	measure "$work/time.c" events=INST_RETIRED.ANY_P:u:period=50000,INST_RETIRED.ANY:u \
		ticks=1000 && ended 0 &&
		says '^INST_RETIRED.ANY_P:u: 60 samples x 50,000 \+ [0-9]+ = .*: exactly its count$' &&
		says '^INST_RETIRED.ANY:u: [0-9,]+ intervals of 1,000 ticks, .*: exactly its count$'
}
check "an event with a period keeps it; 3,000 intervals" both
refused() {
	boot run=session $1
	ended 1 && says "$2"
}
check "too few ticks are refused" refused ticks=999 '^palmon: ticks=999: the value is to be: from 1000'
check "callers are refused" refused "ticks=1000 calls=4" \
	'^palmon: ticks=: samples by time have no callers'

# The files of a run: the samples, with their counts, and their report.
reported() {
	make_run RUN=session WORKLOAD="$work/time.c" EVENTS=INST_RETIRED.ANY:u,INST_RETIRED.ANY_P:u \
		TICKS=100000
	ended 0 || return
	head -n 1 "$work/run/samples" | grep -q ',"ticks":100000,"events":' || return
	"$BUILD/host/palmon" report -i "$work/run" --functions >"$work/out" && cat "$work/out" &&
		says '^INST_RETIRED.ANY:u: count 3000[0-9]{3}, (29|30) samples of time, one in 100000 ticks$' &&
		says '^ +(29|30) +100.0%  '
}
check "palmon report shows them" reported

use_target knc img
check "Knights Corner" adds_up INSTRUCTIONS_EXECUTED:u 100000 30
check "Knights Corner, four threads at once" threads
use_target sparct4 prom
check "SPARC T4" adds_up Instr_all:u 100000 48
use_target itanium elf
check "Itanium" adds_up IA64_INST_RETIRED:u 100000 30
done_checking
