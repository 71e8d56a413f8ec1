#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's overflow traps: for any program and any lost traps, Spin finds no instruction that
# is skipped or executed twice, and no overflow that is not served; with changed handlers it does.
. tests/tap.sh
model=sparct4-traps events='^ *(instruction|counter|step|precise|disrupting|the )'
. tests/proof/spin.sh

#
# The handler
#

# right RUN MODEL COMPILER: a search that finds no failure.
right() {
	search "$1" "$2 -DDEVICES" "$3 -DSAFETY" -m100000
	sound
}
check "two counters of any use: no instruction is skipped, no overflow is lost" \
	right handler "-DCOUNTERS=2 -DARM=2"
long "three counters of any use: the same" right three "-DCOUNTERS=3 -DSORTED" -O2
# lives RESULT RUN MODEL COMPILER: RESULT is served or never_served.
lives() {
	search "$2" "-DCOUNTERS=2 -DLIVENESS $3" "$4 -DNFAIR=3" "-m100000 -a -f"
	"$1"
}
check "each overflow is eventually served" lives served liveness -DDEVICES
# reached RUN OPTION ASSERTION...: all assertions that fail with this option.
reached() {
	search "$1" "-DCOUNTERS=2 -DDEVICES $2" "-O0 -DSAFETY" "-m100000 -c0"
	shift 2
	fails "$@"
}
check "rare scenarios occur" reached probes -DPROBES a_load_done a_lost_one an_atomic_done \
	an_undecidable_one \
	one_at_zero_before_a_load \
	one_found_by_the_timer one_while_others_are_served one_with_ntc_before_another two_at_once

#
# Changed handlers. Without EXTRA, one of each kind.
#

# wrong CHECK WHAT OPTION ASSERTION...: a changed handler; CHECK is check or long.
wrong() {
	how=$1 what=$2 with=$3
	shift 3
	$how "$what: $*" reached "$with" "$with" "$@"
}

# DECISIONS.md has the reasons.
wrong check "ntc of any counter: DONE" -DRULE=any_ntc not_skipped
wrong long "ntc of any counter and an instruction that can have it: DONE" \
	-DRULE=instruction_and_any_ntc not_skipped
wrong long "an instruction that cannot be read" -DRULE=counters not_repeated
wrong long "counters that have counted since" -DRULE=counters_at_any_count not_repeated
wrong long "counters that do not trap precisely" -DRULE=instruction_then_all_counters not_repeated

# Each pair of steps swapped. Read and choose may be swapped, because each reads the registers that
# it needs.
long "read and choose swapped: as right" right read-choose \
	"-DCOUNTERS=2 -DORDER=CHOOSE,READ,CLEAR,SERVE" -O0
wrong long "read and clear swapped" -DORDER=CLEAR,CHOOSE,READ,SERVE accounted not_skipped nothing_waits
wrong long "read and serve swapped" -DORDER=SERVE,CHOOSE,CLEAR,READ nothing_waits
wrong long "choose and clear swapped" -DORDER=READ,CLEAR,CHOOSE,SERVE not_repeated
wrong check "choose and serve swapped" -DORDER=READ,SERVE,CLEAR,CHOOSE accounted not_repeated
wrong long "clear and serve swapped" -DORDER=READ,CHOOSE,SERVE,CLEAR accounted

# Without the timer no code looks: a counter whose trap was lost never traps again.
long "no timer: an overflow is never served" lives never_served no-timer -DNO_TIMER -O0
done_checking
