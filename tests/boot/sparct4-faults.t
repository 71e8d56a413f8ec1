#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's booted self test can fail: each fault of both models makes the check meant for it
# fail, and the run.
. tests/tap.sh
. tests/boot/faults.sh
use_target sparct4 prom

# Registers, levels, events, interrupts, precise traps; a stuck bit.
faults_of sparct4 "access-unchecked ht-ignored kinds-dead disrupting-missing precise-late \
stuck:0x6400:18:1"
# Registers, controllers, ports, sessions; one that changes nothing.
faults_of sparct4-dram "sticky-stuck controllers-mixed port-ignored counter-read-only \
swapped-channels"

# Both models have this fault: without a model's name it selects the cores' PMU.
whose() {
	FAULT=counter-narrow boot run=selftest
	ended 1 && says '^not ok [0-9]+ - holds: PIC0' &&
		says '^ok [0-9]+ - counters and sticky bits hold: controller 0'
}
check "a fault that both models have is the cores' if no model is named" whose

# Bit 12 of a PCR is the second of sl (Table 10-1).
check "a stuck bit is named with its register and field" stuck_bit_is_named sparct4 0x6403 12 PCR3 \
	sl
check "an unknown fault is refused" unknown_fault_is_refused nonsense
check "a fault of the other model is refused" unknown_fault_is_refused sparct4/sticky-lost
check "a fault of a model that does not exist is refused" unknown_fault_is_refused \
	nehalem/freeze-missing
done_checking
