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

search handler "-DCOUNTERS=2 -DDEVICES -DARM=2" -DSAFETY -m100000
check "two counters of any use: no instruction is skipped, no overflow is lost" sound
search three "-DCOUNTERS=3 -DDEVICES -DSORTED" "-O2 -DSAFETY" -m100000
check "three counters of any use: the same" sound
search liveness "-DCOUNTERS=2 -DDEVICES -DLIVENESS" -DNFAIR=3 "-m100000 -a -f"
check "each overflow is eventually served" served
search probes "-DCOUNTERS=2 -DDEVICES -DPROBES" "-O0 -DSAFETY" "-m100000 -c0"
check "rare scenarios occur" fails a_load_done a_lost_one an_atomic_done an_undecidable_one \
	one_at_zero_before_a_load \
	one_found_by_the_timer one_while_others_are_served one_with_ntc_before_another two_at_once

#
# Changed handlers
#

# wrong WHAT OPTIONS ASSERTION...: a changed handler, and all assertions that fail.
wrong() {
	what=$1 with=$2
	shift 2
	search "$with" "-DCOUNTERS=2 -DDEVICES $with" "-O0 -DSAFETY" "-m100000 -c0"
	check "$what: $*" fails "$@"
}

# DECISIONS.md has the reasons.
wrong "ntc of any counter: DONE" -DRULE=any_ntc not_skipped
wrong "ntc of any counter and an instruction that can have it: DONE" \
	-DRULE=instruction_and_any_ntc not_skipped
wrong "an instruction that cannot be read" -DRULE=counters not_repeated
wrong "counters that have counted since" -DRULE=counters_at_any_count not_repeated
wrong "counters that do not trap precisely" -DRULE=instruction_then_all_counters not_repeated

# Each pair of steps swapped. Read and choose may be swapped, because each reads the registers that
# it needs.
search read-choose "-DCOUNTERS=2 -DDEVICES -DORDER=CHOOSE,READ,CLEAR,SERVE" "-O0 -DSAFETY" -m100000
check "read and choose swapped: as right" sound
wrong "read and clear swapped" -DORDER=CLEAR,CHOOSE,READ,SERVE accounted not_skipped nothing_waits
wrong "read and serve swapped" -DORDER=SERVE,CHOOSE,CLEAR,READ nothing_waits
wrong "choose and clear swapped" -DORDER=READ,CLEAR,CHOOSE,SERVE not_repeated
wrong "choose and serve swapped" -DORDER=READ,SERVE,CLEAR,CHOOSE accounted not_repeated
wrong "clear and serve swapped" -DORDER=READ,CHOOSE,SERVE,CLEAR accounted

# Without the timer no code looks: a counter whose trap was lost never traps again.
search no-timer "-DCOUNTERS=2 -DLIVENESS -DNO_TIMER" "-O0 -DNFAIR=3" "-m100000 -a -f"
check "no timer: an overflow is never served" never_served
done_checking
