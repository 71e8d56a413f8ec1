#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The self test of the SPARC T4's image: all of it, each PMU's alone, the same each time.
. tests/tap.sh
use_target sparct4 prom

# The image's own checks, each one of these.
boot run=selftest
cp "$work/out" "$work/first"
was_ok() {
	[ "$1" = ok ] || { grep -A3 "^not ok.* - $2" "$work/first"; false; }
}
sed -n 's/ (expected .*//; s/^not ok [0-9]* - /wrong /p; s/^ok [0-9]* - /ok /p' "$work/first" >"$work/results"
while read -r result name; do
	check "$name" was_ok "$result" "$name"
done <"$work/results"

all_of_them() {
	grep -q "^1\.\.$(wc -l <"$work/results")\$" "$work/first" && [ -s "$work/results" ] &&
		ended 0 && says '^# all checks passed' && says '^palmon: status 0'
}
check "the image did all its checks" all_of_them

repeats() {
	boot run=selftest
	diff "$work/first" "$work/out"
}
check "a second run prints the same, to the character" repeats

# Its plan is its checks, and together the two are all.
planned=0
suite_alone() {
	boot run=selftest suite="$1"
	plan=$(sed -n 's/^1\.\.//p' "$work/out")
	planned=$((planned + plan))
	ended 0 && says '^# all checks passed' && [ "$(grep -c '^ok ' "$work/out")" -eq "$plan" ]
}
check "suite=sparct4: the cores' alone" suite_alone sparct4
check "suite=sparct4-dram: the memory controllers' alone" suite_alone sparct4-dram
check "the two are all" [ "$planned" -eq "$(wc -l <"$work/results")" ]

unknown_suite() {
	boot run=selftest suite=nehalem
	ended 1 && says '^palmon: suite=nehalem: the value is to be'
}
check "another image's suite is refused" unknown_suite
done_checking
