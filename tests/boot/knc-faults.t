#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Knights Corner's booted self test can fail: with each fault of the model switched on, the check meant for it fails,
# and so does the run.
. tests/tap.sh
. tests/boot/faults.sh
use_target knc img

faults_of knc

# A failing line names the register and the bits: bit 8 of IA32_PERFEVTSEL1 is the lowest of its unit mask (the guide,
# Table 1-5).
stuck_bit_is_named() {
	FAULT=stuck:0x29:8:0 boot run=selftest
	ended 1 && says '^not ok [0-9]+ - holds: IA32_PERFEVTSEL1 ' &&
		says '^#   IA32_PERFEVTSEL1\.UMASK: bit 8 expected 1, found 0'
}
check "a stuck bit is named with its register and field" stuck_bit_is_named

unknown_fault_is_refused() {
	FAULT="$1" boot run=selftest
	ended 4 && says "^palmon: the emulator failed .*: palmon: there is no fault '$1'"
}
check "an unknown fault is refused" unknown_fault_is_refused nonsense
check "a fault of another target is refused" unknown_fault_is_refused nehalem/freeze-missing
check "a fault that only another target has is refused" unknown_fault_is_refused freeze-missing
check "a model's name alone is refused" unknown_fault_is_refused knc/
done_checking
