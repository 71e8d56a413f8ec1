#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The booted self test can fail: each fault of a model makes the check meant for it fail, and the
# run. Faults in events that no instruction clock raises change nothing.
. tests/tap.sh
. tests/boot/faults.sh

# Registers, levels, interrupts, precise records, branch records; one that changes nothing.
faults_of nehalem "access-unchecked os-ignored int-missing pebs-always lbr-not-frozen clock-summed"
# Registers, events, freezing, queues, samples on each CPU; one of the cores' model.
faults_of nehalem-uncore "access-unchecked edge-lost freeze-missing occupancy-not-reset \
broadcast-lost nehalem/uncore-signal-lost"

# Both models have this fault: without a model's name it selects the cores' PMU.
whose() {
	FAULT=freeze-missing boot run=selftest
	ended 1 && says '^not ok [0-9]+ - overflow freezes: IA32_PMC0' &&
		says '^ok [0-9]+ - overflow freezes: UNCORE_PMC0'
}
check "a fault that both models have is the cores' if no model is named" whose

# Bit 8 of IA32_PERFEVTSEL1 is the lowest of EVTMSK (Appendix II).
check "a stuck bit is named with its register and field" stuck_bit_is_named nehalem 0x187 8 \
	IA32_PERFEVTSEL1 EVTMSK
check "an unknown fault is refused" unknown_fault_is_refused nonsense
check "a fault of the other model is refused" unknown_fault_is_refused nehalem/broadcast-lost
check "a fault of a model that does not exist is refused" unknown_fault_is_refused \
	itanium/freeze-missing
check "a model's name alone is refused" unknown_fault_is_refused nehalem/
done_checking
