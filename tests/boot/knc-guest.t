#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kernels under the monitor with Knights Corner's PMU: one of guests/, and Debian's Linux with its own driver for it,
# whose counts of programs are counted by reading them (guests/linux).
. tests/tap.sh
TARGET=knc
. tests/boot/guests.sh
use_monitor
programs=tests/boot/guests/linux

kernels() {
	passes knc APPEND=1 && passes knc SMP=2 APPEND=2
}
check "registers, counts, overflow, SPFLT, undefined instructions, of one CPU and of two" kernels

kernel=$(ls -v /boot/vmlinuz-*-amd64 2>/dev/null | tail -n 1)
with_packages "Linux as a guest" "${kernel:-/boot/vmlinuz-*-amd64}" /bin/busybox || { done_checking; exit; }

prepare() {
	extract_linux "$kernel" "$work/vmlinux" && $programs/prepare "$work" $programs/init-knc && [ -s "$work/initrd" ]
}
check "a kernel and a file system" prepare
runs() {
	capture env TIMEOUT=900 GUEST="$work/vmlinux" INITRD="$work/initrd" MEM=1G \
		APPEND='console=ttyS0 quiet panic=-1' tools/run-guest "$TARGET" "$MONITOR"
	ended 0
}
check "Linux boots, and its last program ends the run" runs

# of NAME: what its program printed, without the name.
of() {
	sed -n "s/^$1: //p" "$work/out"
}
driver() {
	of dmesg | grep 'Performance Events: knc PMU driver\.$' && ! of dmesg | grep -iE 'unsupported|unstable|warp'
}
check "its driver knows this PMU, and its clocks agree" driver
watchdog() {
	of dmesg | grep 'NMI watchdog: Enabled\. Permanently consumes one hw-PMU counter'
}
check "it has an NMI watchdog" watchdog

# counts PROGRAM COUNT...
counts() {
	of "$1" >"$work/counted"
	shift
	printf '%s\n' "$@" | diff - "$work/counted"
}
check "a loop: instructions and branches" counts loop '200004 instructions:u' '100001 branches:u'
check "page faults" counts faults '4005 instructions:u'
check "system calls" counts calls '4004 instructions:u'
check "repeated strings" counts strings '60005 instructions:u'
check "262,144 lines that are loaded once, and are not in the cache" counts walk '262144 L1-dcache-load-misses:u'

# Delivery masks the local APIC's entry until software clears the mask (the guide, 1.4.3.8). Linux's driver never does
# (arch/x86/events/intel/knc.c, knc_pmu_handle_irq).
one() {
	[ "$(of pmis)" = 1 ]
}
check "200,004 instructions sampled each 1,000: one interrupt, and no more" one
done_checking
