#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Periods that are too short for the handler, on each target: the session ends, reports the
# throttled counter, and its count is exact. pmu/README.md, "Storms". Most periods are long checks.
. tests/tap.sh

# says_storm COUNTERS SHARE: this number of counters was throttled, each after the handler had taken
# more than 1/SHARE of the clocks.
says_storm() {
	ended 0 && [ "$(grep -c ': exactly its count$' "$work/out")" -eq "$1" ] &&
		! grep 'NOT ITS' "$work/out" &&
		[ "$(tr -d , <"$work/out" | sed -n 's/^.*throttled \([0-9]*\) samples.*/\1/p' |
			awk '{ sum += $1 } END { print sum }')" -eq "$1" ] &&
		tr -d , <"$work/out" | awk -v share="$2" '
			/^  throttled: of [0-9]+ clocks the handler had taken [0-9]+ / {
				found++
				bad += $3 >= share * $9
			}
			END { exit !found || bad }'
}

# equal.c with 250,000 turns: 500,005 instructions at level 3, enough for 2000 interrupts.
sed 's/\$1000000/$250000/' tests/boot/workloads/equal.c >"$work/equal.c"
nehalem() {
	make_run RUN=session WORKLOAD="$work/equal.c" TIMEOUT=300 "PMI=$2" \
		EVENTS="INST_RETIRED.ANY:u,INST_RETIRED.ANY_P:u:period=$1,INST_RETIRED.ANY_P:period=$1"
	says_storm 2 6 && tr -d , <"$work/out" |
		grep -qE '^ +500005  INST_RETIRED.ANY:u +fixed 0' &&
		tr -d , <"$work/out" |
		grep -qE '^INST_RETIRED.ANY_P:u: .* = 500005: exactly its count$'
}
shared() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/storm.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0 TIMEOUT=300
	ended 0 && says '^storm: 0 wrong$'
}
check "$TARGET, vector: one in 2" nehalem 2 vector
long "$TARGET, nmi: one in 41" nehalem 41 nmi
long "$TARGET, vector: one in 41" nehalem 41 vector
long "$TARGET, vector: one in 200" nehalem 200 vector
long "$TARGET, nmi: one in 2" nehalem 2 nmi
long "$TARGET, nmi: one in 200" nehalem 200 nmi
check "the package's PMU, on one CPU and on four" shared

use_target knc img
knc() {
	make_run RUN=session WORKLOAD="$work/equal.c" TIMEOUT=300 "PMI=$2" \
		EVENTS="INSTRUCTIONS_EXECUTED:u:period=$1,INSTRUCTIONS_EXECUTED$3:period=$1"
	says_storm 8 24 &&
		[ "$(tr -d , <"$work/out" |
			grep -cE '^INSTRUCTIONS_EXECUTED:u thread .* = 500005: exactly its count$')" -ge 4 ]
}
check "$TARGET, vector: one in 41, on four threads" knc 41 vector ''
long "$TARGET, nmi: one in 100 of any thread's events" knc 100 nmi :u:t
long "$TARGET, vector: one in 2, on four threads" knc 2 vector ''
long "$TARGET, vector: one in 200, on four threads" knc 200 vector ''
long "$TARGET, vector: one in 100 of any thread's events" knc 100 vector :u:t
for period in 2 41 200; do
	long "$TARGET, nmi: one in $period, on four threads" knc $period nmi ''
done

printf '%s\n' '#include "stimulus.h"' 'int workload(void)' '{ hal_execute(1000000); return 0; }' \
	>"$work/long.c"
# Counters of all levels stop in the handler, but count at its entry and exit.
use_target sparct4 prom
sparct4() {
	make_run RUN=session WORKLOAD="$work/long.c" TIMEOUT=300 EVENTS="$1"
	says_storm 1 6
}
long "$TARGET: cycles of all levels, one in 41" sparct4 Cycles:plm=11:period=41
check "$TARGET: one in 4, the least" sparct4 Cycles:plm=11:period=4
long "$TARGET: one in 200" sparct4 Cycles:plm=11:period=200
long "$TARGET: disrupting traps, one in 41" sparct4 Cycles:period=41
check "$TARGET: precise traps, one in 200" sparct4 Instr_all:period=200
polled() {
	make_run RUN=session WORKLOAD="$work/long.c" TIMEOUT=300 EVENTS=Instr_all:plm=11:period=4
	ended 0 && says 'throttled 0,' &&
		says ': its count, but samples came late, by [0-9,]+ events in all$'
}
check "$TARGET: polled counters need no limit" polled
done_checking
