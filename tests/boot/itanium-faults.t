#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The self test of Itanium's image can fail: each fault of the machine's performance monitor makes
# the check meant for it fail, and the run.
. tests/tap.sh
. tests/boot/faults.sh
use_target itanium elf

# Faults that the monitor cannot have in this machine: the processor itself has PSR (500H), checks
# reserved bits of control registers, and compares ITC with ITM. No cache latency here equals a
# threshold (4, 8, 16... cycles).
ELSEWHERE='stuck:0x500:|access-unchecked\b|timer-missing\b|ear-threshold-wrong\b'
# Registers, levels, address ranges, interrupts, the timer, captured addresses; a stuck bit.
faults_of itanium "pmc-stuck plm-ignored dbr-ignored interrupt-missing timer-mask-ignored \
ear-valid-missing stuck:0x400:0:0" "$ELSEWHERE"
check "timer-missing changes nothing here" not_caught itanium timer-missing
for fault in access-unchecked ear-threshold-wrong; do
	long "$fault changes nothing here" not_caught itanium "$fault"
done

by_make() {
	make_run RUN=selftest FAULT="$1"
	[ "$status" -ne 0 ] && says '^not ok [0-9]+ - overflow freezes: PMD4' &&
		says '^palmon: status 1 \(self test failed\)'
}
check "make run accepts FAULT=" by_make freeze-missing
long "with the model's name" by_make itanium/freeze-missing

# Bit 16 of PMC5 is the lowest of its unit mask (Figure 6-13).
check "a stuck bit is named with its register and field" stuck_bit_is_named itanium 5 16 PMC5 umask
check "an unknown fault is refused" unknown_fault_is_refused nonsense
check "a fault of another target is refused" unknown_fault_is_refused nehalem/freeze-missing
check "a model's name alone is refused" unknown_fault_is_refused itanium/
done_checking
