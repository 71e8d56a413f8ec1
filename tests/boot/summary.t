#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make run`'s output for the self test: a summary, failures in full, and the complete output in a
# file and with V=1.
. tests/tap.sh

# numbers CHECKS: all of them pass; the summary is one line, and the file has all checks. With
# EXTRA=1 also compares the file with the TAP that the image prints.
numbers() {
	make_run RUN=selftest
	ended 0 && says "^self test: $1 of $1 checks passed; all of them are in $work/run/selftest\.tap\$" &&
		[ "$(grep -cv '^  [A-Z]* ' "$work/out")" -le 15 ] &&
		! grep -E '^(not )?ok |^TAP|^1\.\.|^#' "$work/out" || return
	[ "$(grep -c '^ok ' "$work/run/selftest.tap")" -eq "$1" ] &&
		grep -qx "1..$1" "$work/run/selftest.tap" || return
	[ -n "${EXTRA:-}" ] || return 0
	cp "$work/run/selftest.tap" "$work/kept"
	boot run=selftest
	sed -n '/^TAP version/,/^# all checks passed/p' "$work/out" |
		sed 's/ clocks .*//' >"$work/printed"
	sed 's/ clocks .*//' "$work/kept" | sed 's/^# [a-z0-9-]*: [0-9]*/# CLOCKS/' \
		>"$work/kept.form"
	sed 's/^# [a-z0-9-]*: [0-9]*/# CLOCKS/' "$work/printed" | diff "$work/kept.form" -
}
# As many checks as the descriptions of the image's PMUs name (unit/pmu/selftest/test_selftest.c runs them).
checks_of() {
	for pmu; do
		"$BUILD/host/palmon" selftest -t "$pmu" | sed -n 's/^1\.\.//p'
	done | awk '{ sum += $1 } END { print sum }'
}
[ -x "$BUILD/host/palmon" ] || make --no-print-directory BUILD="$BUILD" host >/dev/null
check "nehalem: one line, and the file" numbers "$(checks_of nehalem nehalem-uncore)"

everything() {
	make_run RUN=selftest V=1
	ended 0 && says '^TAP version 13$' && says '^ok 1 - reset: ' &&
		says '^# all checks passed$' &&
		! grep '^self test: ' "$work/out" && [ -s "$work/run/selftest.tap" ] || return
	sed -n '/^TAP version/,/^# all checks passed/p' "$work/out" | diff "$work/run/selftest.tap" -
}
check "V=1 shows each check; the file has the same lines" everything
nowhere() {
	rm -rf "$work/run"
	make_run RUN=selftest OUT=
	ended 0 && says '^self test: [0-9]* of [0-9]* checks passed$' && [ ! -e "$work/run" ]
}
check "OUT= empty: the summary, and no file" nowhere

# tests/vectors/nehalem-faults.tab lists the checks that find it. A stuck bit has its own line.
failures() {
	make_run RUN=selftest FAULT=stuck:0x187:8:0
	ended 2 && says '^not ok [0-9]+ - holds: IA32_PERFEVTSEL1 \(expected 0x[0-9a-f]+, found 0x[0-9a-f]+\)$' &&
		says '^#   IA32_PERFEVTSEL1\.EVTMSK: bit 8 expected 1, found 0$' &&
		says \
		'^self test: [0-9]+ of [0-9]+ checks passed, [0-9]+ failed; all of them are in ' &&
		! grep -E '^ok |^TAP' "$work/out" || return
	grep -E '^not ok|^#   ' "$work/run/selftest.tap" >"$work/expected"
	grep -E '^not ok|^#   ' "$work/out" | diff "$work/expected" -
}
check "failures are printed in full, with their bits" failures
# The emulated processor lacks a register: the faulting accesses do not end the run, but fail their
# checks.
absent() {
	make_run RUN=selftest FAULT=absent:0x38f
	ended 2 && says '^not ok .*faulted' && says '^self test: .* failed'
}
long "faulting accesses are failures" absent

# A program that prints TAP: without a self test its output is shown unchanged.
program() {
	cat >"$work/tap.c" <<-'END'
		#include <stdio.h>
		int workload(void);
		int workload(void) { puts("TAP version 13\n1..1\nok 1 - mine"); return 0; }
	END
	make_run RUN=session WORKLOAD="$work/tap.c" EVENTS=INST_RETIRED.ANY
	ended 0 && says '^TAP version 13' && says '^ok 1 - mine' &&
		[ ! -e "$work/run/selftest.tap" ]
}
check "a program's own TAP is shown" program

use_target knc img
check "knc" numbers "$(checks_of knc)"
use_target sparct4 prom
check "sparct4" numbers "$(checks_of sparct4 sparct4-dram)"
use_target itanium elf
check "itanium" numbers "$(checks_of itanium)"
done_checking
