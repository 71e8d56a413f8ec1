#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the ia64 machine says that it raises (hal/emu/ia64/events.h) is what it raises: each sub-event by some program,
# and no other one.
. tests/tap.sh
. tests/boot/ia64.sh

# tally PROGRAM [OPTION]: the programs' own checks fail where caches have been watched from the beginning.
tally() {
	timeout 60 "$MACHINE" -e ${2:+"$2"} -p "$PMU" -n 20000000 "$work/$1" 2>&1 >/dev/null |
		grep ' 0x../.. ' >>"$work/tallies"
}
all_programs() {
	for program in addresses branches caches floating levels memory predictions qualified rare references retired \
		stack_traffic tlb translation; do
		build "$program" && tally "$program" && tally "$program" -t || return
	done
	awk '{ times[$1 " " $2] += $3 } $4 { print $1, $2, $4; bad = 1 }
		END { for (e in times) if (!times[e]) { print e, "never"; bad = 1 } exit bad }' "$work/tallies"
}
check "each sub-event that is listed is raised, and no other one" all_programs

# Counters see the same whether events are tallied or not.
same_counts() {
	build retired && capture "$MACHINE" -e -p "$PMU" "$work/retired" && ended 0 || return
	build predictions && capture "$MACHINE" -e -p "$PMU" "$work/predictions" && ended 0
}
check "a tally changes no count" same_counts

needs_pmu() {
	capture "$MACHINE" -e "$work/retired"
	ended 2 && says '^usage: '
}
check "without a performance monitor nothing is tallied" needs_pmu
done_checking
