#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon selftest --mutants: the self tests find nearly all mutants of the models. The table of a
# target's survivors is complete, and gives a reason for each.
. tests/tap.sh
. tests/command/command.sh

TARGETS=$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)

runs() {
	palmon selftest -t "$1" --mutants --all-checks
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
# The checks of a target, and those that fail for each fault of its table: FAULT<TAB>CHECK.
faults() {
	palmon selftest -t "$1"
	sed -nE 's/^ok [0-9]+ - (.*) \(expected .*/\1/p' "$work/out" | sort -u >"$work/checks"
	for fault in $(grep -v '^#' "tests/vectors/$1-faults.tab" | cut -f1); do
		palmon selftest -t "$1" --fault="$fault"
		sed -nE "s|^not ok [0-9]+ - (.*) \\(expected .*|$fault	\\1|p" "$work/out"
	done >"$work/caught"
	[ -s "$work/checks" ]
}
# never FILE: the checks that the second field of no line names.
never() {
	cut -s -f2 "$1" | sort -u | comm -23 "$work/checks" - >"$work/never"
	[ ! -s "$work/never" ] || { cat "$work/never"; false; }
}
each_fails() {
	faults "$1" && never "$work/caught"
}
# A PMU that reads as ones or takes no writes fails nearly all checks. Each check must find less.
each_is_specific() {
	{ cat "$work/$1" && grep -vE '^(reads-ones|writes-lost)	' "$work/caught"; } >"$work/specific"
	never "$work/specific"
}
for target in $TARGETS; do
	check "$target: the self test runs on each mutant" runs "$target"
	check "$target: the score is at least 95%" scores "$target"
	check "$target: each survivor is listed with a reason, and survives" listed "$target"
	check "$target: each check fails for a listed fault" each_fails "$target"
	check "$target: each check fails for a mutant or a narrow fault" each_is_specific "$target"
	check "$target: no equivalent mutant is found" none_equivalent_is_killed "$target"
done

# IA32_PERF_GLOBAL_CTRL.EN stuck at 0: its counters never count, so its bits do not hold.
which() {
	grep -q '^IA32_PERF_GLOBAL_CTRL.EN stuck-0	holds: IA32_PERF_GLOBAL_CTRL$' "$work/knc"
}
# Without --all-checks, each mutant runs until its first failed check.
fewer_checks() {
	palmon selftest -t sparct4-dram --mutants
	grep -E '	(survives|equivalent, but killed)$|^sparct4-dram:' "$work/sparct4-dram" |
		diff - "$work/out"
}
check "without --all-checks, the survivors and the score are the same" fewer_checks
check "--all-checks names the checks that find a mutant" which
palmon selftest --mutants --fault=freeze-missing
check "a fault and mutants" refuses 2 '--mutants goes with --all-checks only$'
palmon selftest -t knc --all-checks
check "--all-checks alone" refuses 2 '--all-checks goes with --mutants$'
done_checking
