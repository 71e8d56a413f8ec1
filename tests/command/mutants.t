#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon selftest --mutants: the self tests find nearly all mutants of the models. The table of a
# target's survivors is complete, and gives a reason for each.
. tests/tap.sh
. tests/command/command.sh

TARGETS=$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)

runs() {
	palmon selftest -t "$1" --mutants
	cp "$work/out" "$work/$1"
	[ "$status" -eq 0 ] || show
}
# Each line of the table has a reason.
listed() {
	grep -v '^#' "tests/vectors/$1-survivors.tab" >"$work/listed"
	! grep -vE '^[^	]+	[^	]{10,}$' "$work/listed" &&
		cut -f1 "$work/listed" | sort >"$work/expected" &&
		sed -n 's/	survives$//p' "$work/$1" | sort | diff "$work/expected" -
}
none_equivalent_is_killed() {
	! grep 'equivalent, but killed' "$work/$1"
}
# The score is killed / (mutants - equivalent).
scores() {
	tail -n 1 "$work/$1"
	tail -n 1 "$work/$1" | awk '{ killed = $4; left = $2 - $6
		exit !(left == killed + $8 && $2 > 100 && 100 * killed >= 95 * left) }'
}
# Each check fails for a mutant, or for a defect of the table.
every_check_fails() {
	palmon selftest -t "$1"
	sed -nE 's/^ok [0-9]+ - (.*) \(expected .*/\1/p' "$work/out" | sort -u >"$work/checks"
	palmon selftest -t "$1" --mutants --all-checks
	cut -s -f2 "$work/out" >"$work/failed"
	for fault in $(grep -v '^#' "tests/vectors/$1-faults.tab" | cut -f1); do
		palmon selftest -t "$1" --fault="$fault"
		sed -nE 's/^not ok [0-9]+ - (.*) \(expected .*/\1/p' "$work/out"
	done >>"$work/failed"
	sort -u "$work/failed" | comm -23 "$work/checks" - >"$work/never"
	[ -s "$work/checks" ] && [ ! -s "$work/never" ] || { cat "$work/never"; false; }
}
for target in $TARGETS; do
	check "$target: the self test runs on each mutant" runs "$target"
	check "$target: the score is at least 95%" scores "$target"
	check "$target: each survivor is listed with a reason, and survives" listed "$target"
	check "$target: each check fails for some mutant or defect" every_check_fails "$target"
	check "$target: no equivalent mutant is found" none_equivalent_is_killed "$target"
done

# IA32_PERF_GLOBAL_CTRL.EN stuck at 0: its counters never count, so its bits do not hold.
which() {
	palmon selftest -t knc --mutants --all-checks
	[ "$status" -eq 0 ] &&
		grep -q '^IA32_PERF_GLOBAL_CTRL.EN stuck-0	holds: IA32_PERF_GLOBAL_CTRL$' "$work/out" || show
}
check "--all-checks names the checks that find a mutant" which
palmon selftest --mutants --fault=freeze-missing
check "a fault and mutants" refuses 2 '--mutants goes with --all-checks only$'
palmon selftest -t knc --all-checks
check "--all-checks alone" refuses 2 '--all-checks goes with --mutants$'
done_checking
