#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Knights Corner's booted self test can fail: each fault of the model makes the check meant for it
# fail, and the run.
. tests/tap.sh
. tests/boot/faults.sh
use_target knc img

# Registers, levels, threads, the user filter, interrupts, the time-stamp counter; a stuck bit; one
# that changes nothing.
faults_of knc "access-unchecked usr-ignored any-ignored spflt-ignored int-missing clock-halts \
stuck:0x2d:1:0 no-thread-filtered"

# Bit 8 of IA32_PERFEVTSEL1 is the lowest of its unit mask (the guide, Table 1-5).
check "a stuck bit is named with its register and field" stuck_bit_is_named knc 0x29 8 \
	IA32_PERFEVTSEL1 UMASK
check "an unknown fault is refused" unknown_fault_is_refused nonsense
check "a fault of another target is refused" unknown_fault_is_refused nehalem/freeze-missing
check "a fault that only another target has is refused" unknown_fault_is_refused freeze-missing
check "a model's name alone is refused" unknown_fault_is_refused knc/
done_checking
