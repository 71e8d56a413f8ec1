#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon selftest: the boot-time self test on the host.
. tests/tap.sh
. tests/command/command.sh

TARGETS=$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)

is_tap() {
	[ ! -s "$work/messages" ] && [ "$(head -n 1 "$work/out")" = 'TAP version 13' ] &&
		[ "$(sed -n '2s/^1\.\.//p' "$work/out")" \
		-eq "$(grep -cE '^(not )?ok ' "$work/out")" ] || show
}
passes() {
	palmon selftest -t "$1"
	done_quietly && is_tap && ! grep '^not ok' "$work/out"
}
# Each fault of the target's own model (the table also lists others', with the model's name as
# prefix); the first of them makes a check fail.
faults() {
	palmon selftest -t "$1" --list-faults
	done_quietly || return
	grep -v -e '^#' -e '^stuck:' -e '^[a-z-]*/' "tests/vectors/$1-faults.tab" | cut -f1 |
		sort >"$work/expected"
	sort "$work/out" | diff "$work/expected" - || return
	palmon selftest -t "$1" --fault="$(head -n 1 "$work/expected")"
	[ "$status" -eq 1 ] && is_tap && grep -q '^not ok' "$work/out" || show
}
for target in $TARGETS; do
	check "$target passes" passes "$target"
	check "$target: every fault is listed and found" faults "$target"
	palmon selftest -t "$target" --fault=no-such
	check "$target: an unknown fault" refuses 2 "'no-such'.*--list-faults"
done

# Bit 8 of PerfEvtSel0 reads as 0.
stuck() {
	palmon selftest -t nehalem --fault stuck:0x186:8:0
	[ "$status" -eq 1 ] && is_tap && grep -q '^not ok .* holds: IA32_PERFEVTSEL0 ' \
		"$work/out" || show
}
check "a stuck bit" stuck
palmon selftest -t nehalem --fault=stuck:0x9999:8:0
check "a stuck bit without register" refuses 2 \
	"'stuck:0x9999:8:0': there is no register at address 0x9999$"
palmon selftest -t nehalem --fault=nehalem-uncore/stuck:0x186:8:0
check "a register of another model than the named one" refuses 2 \
	"there is no register at address 0x186$"
# PMC0-13 have the addresses 0 to 13; IBR0-7 begin at 0x200.
palmon selftest -t itanium --fault=stuck:0x208:8:0
check "an address after the last of several registers" refuses 2 \
	"there is no register at address 0x208$"
for fault in stuck: stuck:0x186:64:0 stuck:0x186:8:2 stuck:0x186:8 stuck:x:8:0 stuck:0x186:8:0:1; do
	palmon selftest -t nehalem --fault=$fault
	check "the error in $fault" refuses 2 "'$fault' is not stuck:ADDRESS:BIT:VALUE"
done
palmon selftest -t nehalem --fault=
check "an empty fault" refuses 2 '--fault is empty$'
palmon selftest -t nehalem --fault=freeze-missing --list-faults
check "a fault and the list of faults" refuses 2 'not both'
done_checking
