#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The booted self test can fail: with each fault of the model switched on, the check meant for it fails, and so does
# the run.
. tests/tap.sh

caught() {
	boot run=selftest fault="$1"
	ended 1 && says "^not ok [0-9]+ - $2" && says '^palmon: status 1'
}

grep -v '^#' tests/vectors/nehalem-faults.tab >"$work/faults"
while read -r fault meant; do
	check "$fault is caught by '$meant'" caught "$fault" "$meant"
done <"$work/faults"

# A failing line names the register and the bits: bit 8 of IA32_PERFEVTSEL1 is the lowest of EVTMSK (Appendix II).
stuck_bit_is_named() {
	boot run=selftest fault=stuck:0x187:8:0
	ended 1 && says '^not ok [0-9]+ - holds: IA32_PERFEVTSEL1 ' &&
		says '^#   IA32_PERFEVTSEL1\.EVTMSK: bit 8 expected 1, found 0'
}
check "a stuck bit is named with its register and field" stuck_bit_is_named

unknown_fault_is_refused() {
	boot run=selftest fault=nonsense
	ended 1 && says 'no such fault'
}
check "an unknown fault is refused" unknown_fault_is_refused
done_checking
