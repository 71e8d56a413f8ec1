#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon metrics: tables of the Itanium manual's chapter 7.
. tests/tap.sh
. tests/command/command.sh

palmon metrics -t itanium -j
check "the keys are those that are documented" has_keys target name formula unit table
all_strings() {
	! grep -vE '^\{("[a-z]+":"[^"]+",?){5}\}$' "$work/out"
}
check "all are strings" all_strings

tables() {
	for table in 2 4 6 8 11 13 14 15 21 25 27 28; do
		grep -q "\"table\":\"Table 7-$table\"" "$work/out" || { echo "Table 7-$table"; bad=1; }
	done
	[ -z "$bad" ]
}
check "each table with formulas is there" tables

# row NAME FORMULA TABLE
row() {
	palmon metrics -t itanium -j "$1"
	done_quietly && [ "$(sed 's/"unit":"[^"]*",//' "$work/out")" = \
		"{\"target\":\"itanium\",\"name\":\"$1\",\"formula\":\"$2\",\"table\":\"Table $3\"}" ] || show
}
check "a derived event" row RSE_STORES_RETIRED.d 'RSE_REFERENCES_RETIRED - RSE_LOADS_RETIRED' 7-4
check "a ratio of two events" row DATA_SPECULATION_MISS_RATIO \
	'ALAT_INST_FAILED_CHKA_LDC.ALL / ALAT_INST_CHKA_LDC.ALL' 7-8
check "a ratio of derived events" row DTLB_MISS_RATIO 'DTLB_MISSES / DTLB_REFERENCES.d' 7-28

for_people() {
	palmon metrics -t itanium rse_stores
	done_quietly && has_line RSE_STORES_RETIRED.d && has_line 'RSE_REFERENCES_RETIRED - RSE_LOADS_RETIRED' &&
		grep -q 'Table 7-4\]' "$work/out" && ! grep -E '^.{81}' "$work/out"
}
check "for people: name, formula, table in 80 columns" for_people

palmon metrics -t itanium NO_SUCH
check "a pattern that nothing fits is a failure" refuses 1 "'NO_SUCH'"
none() {
	palmon metrics -t nehalem
	done_quietly && [ ! -s "$work/out" ]
}
check "a target without metrics has an empty list" none
done_checking
