#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The walk-throughs in READMEs: each function that one names exists, and the function above it calls it (rules/walks).
. tests/tap.sh

# shellcheck disable=SC2046
walks() {
	capture tests/rules/walks "$@"
}
all_true() {
	walks $(git ls-files '*README.md')
	ended 0
}
check "each function of a walk-through exists, and its caller calls it" all_true

titles() {
	for title in 'Life of an overflow interrupt' 'From event name to registers' \
			'From RDMSR to its answer under QEMU' \
			'From a retired instruction to a counter'; do
		[ "$(git ls-files '*README.md' | xargs grep -lx "## $title" | wc -l)" -eq 1 ] ||
			{ echo "$title"; return 1; }
	done
}
check "there are the four walk-throughs" titles

# wrong MESSAGE ITEM...: the test finds that these items are wrong.
wrong() {
	message=$1
	shift
	printf '# walk\n\n' >"$work/walk.md"
	printf '%s\n' "$@" >>"$work/walk.md"
	walks "$work/walk.md"
	ended 1 && says "$message"
}
check "it finds a function that does not exist" wrong 'does not define pmu_nothing' \
	'- `pmu/core/session.c: pmu_nothing` opens'
check "and one that its caller does not call" wrong 'pmu_close does not name pmu_allocate' \
	'- `pmu/core/session.c: pmu_close` closes' '  - `pmu/core/allocate.c: pmu_allocate` chooses'
check "and a pointer that nothing sets" wrong 'nothing sets start to pmu_allocate' \
	'- `pmu/core/session.c: pmu_start` starts' \
	'  - `pmu/core/allocate.c: pmu_allocate` through `start` chooses'
done_checking
