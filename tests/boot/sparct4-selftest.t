#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The self test of the SPARC T4's image: all of it, each PMU's alone, the same each time.
. tests/tap.sh
use_target sparct4 prom
. tests/boot/whole-selftest.sh

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
