#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon selftest: the boot-time self test on the host.
. tests/tap.sh
. tests/command/command.sh

TARGETS=$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)

is_tap() {
	[ ! -s "$work/messages" ] && [ "$(head -n 1 "$work/out")" = 'TAP version 13' ] &&
		[ "$(sed -n '2s/^1\.\.//p' "$work/out")" -eq "$(grep -cE '^(not )?ok ' "$work/out")" ] || show
}
passes() {
	palmon selftest -t "$1"
	done_quietly && is_tap && ! grep '^not ok' "$work/out"
}
# Each fault of the target's own model (the table has others' too, with the model's name in front); the first of them
# makes a check fail.
faults() {
	palmon selftest -t "$1" --list-faults
	done_quietly || return
	grep -v -e '^#' -e '^stuck:' -e '^[a-z-]*/' "tests/vectors/$1-faults.tab" | cut -f1 | sort >"$work/expected"
	sort "$work/out" | diff "$work/expected" - || return
	palmon selftest -t "$1" --fault="$(head -n 1 "$work/expected")"
	[ "$status" -eq 1 ] && is_tap && grep -q '^not ok' "$work/out" || show
}
for target in $TARGETS; do
	check "$target passes" passes "$target"
	check "$target: every fault is listed, and fails" faults "$target"
	palmon selftest -t "$target" --fault=no-such
	check "$target: an unknown fault is named" refuses 2 "'no-such'.*--list-faults"
done

# PerfEvtSel0's bit 8 reads 0.
stuck() {
	palmon selftest -t nehalem --fault stuck:0x186:8:0
	[ "$status" -eq 1 ] && is_tap && grep -q '^not ok .* holds: IA32_PERFEVTSEL0 ' "$work/out" || show
}
check "a bit can be stuck" stuck
done_checking
