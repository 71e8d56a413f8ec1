#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The booted self test of the architectural PMU can fail: each fault of the model makes the check
# meant for it fail, and the run.
. tests/tap.sh
. tests/boot/faults.sh
use_target intel img

# Registers, levels, threads, conditions, interrupts, freeze. Without a PMU that the cores share, no
# cycles of a halt reach the model (hal/emu/qemu/plugin.c), so halt-counted has no effect.
faults_of intel "access-unchecked usr-ignored any-always edge-ignored int-missing freeze-missing" \
	halt-counted

# Bit 8 of IA32_PERFEVTSEL1 is the lowest of its unit mask (SDM volume 3B, "Architectural
# Performance Monitoring").
check "a stuck bit is named with its register and field" stuck_bit_is_named intel 0x187 8 \
	IA32_PERFEVTSEL1 UMASK
check "an unknown fault is refused" unknown_fault_is_refused nonsense
check "a fault of another target is refused" unknown_fault_is_refused nehalem/freeze-missing

# Versions 2 and 4 freeze differently.
on() {
	CPU=$1 caught intel freeze-missing "overflow freezes: $2"
	says "leaf 0AH: EAX $3 "
}
check "a fault of Penryn is caught" on Penryn IA32_PMC0 0x7280202
check "a fault of Skylake is caught" on Skylake-Client IA32_A_PMC0 0x7300404
done_checking
