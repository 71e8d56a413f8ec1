#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's Linux with the PMU in a plugin of QEMU 11 (hal/emu/qemu), on which it boots like any other guest: linux.sh.
. tests/tap.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64
. tests/boot/linux.sh

# linux CPUS: until it writes 0 to the debug-exit port. Its driver for the PMU that the cores share wants no hypervisor.
linux() {
	capture timeout 900 "$qemu" -M pc -cpu Nehalem,-hypervisor -smp "$1" -m 1G -icount shift=0,sleep=off \
		-plugin "$BUILD/plugin/palmon-qemu.so,pmu=nehalem" -nodefaults -display none -serial stdio -no-reboot \
		-device isa-debug-exit,iobase=0xf4,iosize=1 -kernel "$kernel" -initrd "$work/initrd" \
		-append 'console=ttyS0 quiet panic=-1 nmi_watchdog=0' </dev/null
	ended 1
}
start_linux() {
	linux 1
}
linux_checks

# The same programs, on any of the CPUs.
several_cpus() {
	linux "$1" && levels && counts loop 200004 100001 0 0 && counts faults 4005 1001 0 1000 &&
		counts calls 4004 2001 0 0 && counts strings 60005 10001 10000 10000 && samples && branches
}
check "two CPUs" several_cpus 2
check "four CPUs" several_cpus 4
done_checking
