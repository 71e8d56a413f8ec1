#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The complete self test of the SPARC T4's image, and each PMU's part alone, with the same result
# each time.
. tests/tap.sh
use_target sparct4 prom
. tests/boot/whole-selftest.sh

# A suite's plan has the number of its checks; the two suites together are the complete test.
planned=0
suite_alone() {
	boot run=selftest suite="$1"
	plan=$(sed -n 's/^1\.\.//p' "$work/out")
	planned=$((planned + plan))
	ended 0 && says '^# all checks passed' && [ "$(grep -c '^ok ' "$work/out")" -eq "$plan" ]
}
check "suite=sparct4: the cores' alone" suite_alone sparct4
check "suite=sparct4-dram: the memory controllers' alone" suite_alone sparct4-dram
check "the two suites are all checks" [ "$planned" -eq "$(wc -l <"$work/results")" ]

unknown_suite() {
	boot run=selftest suite=nehalem
	ended 1 && says '^palmon: suite=nehalem: the value is to be'
}
check "another image's suite is refused" unknown_suite
done_checking
