#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's Linux on QEMU's models of Intel's processors, with the PMU that the plugin chooses for
# each (pmu=auto): the driver finds the PMU, and perf's counts are exact. linux.t has more tests of
# Linux, on one processor.
. tests/tap.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64

programs=tests/boot/guests/linux
kernel=$(ls -v /boot/vmlinuz-*-amd64 2>/dev/null | tail -n 1)
with_packages "Linux as a guest" "linux-image-amd64:${kernel:-/boot/vmlinuz}" \
	busybox-static:/bin/busybox \
	linux-perf:perf || { done_checking; exit; }
check "a file system" $programs/prepare "$work" $programs/init-versions

# of NAME: the lines that /init printed with the prefix NAME, without it.
of() {
	sed -n "s/^$1: //p" "$work/out"
}

# found EVENTS VERSION GENERAL FIXED WIDTH: Linux, arch/x86/events/intel/core.c, and
# arch/x86/events/core.c: the boot messages of the driver.
found() {
	of dmesg | grep -E " Performance Events: .*$1 events, .*full-width counters, .*Intel PMU driver\.\$" &&
		! of dmesg | grep -iE 'unsupported|firmware bug|broken' || return
	of dmesg | sed -n 's/.*\] \.\.\. \([a-z -]*\): */\1: /p' |
		grep -E '^(version|bit width|generic registers|fixed-purpose events): ' >"$work/found"
	printf '%s\n' "version: $2" "bit width: $5" "generic registers: $3" "fixed-purpose events: $4" |
		diff - "$work/found"
}

# linux.t counts the same programs: instructions and branches in user mode, from their source.
counts() {
	for counted in loop:200004:100001 faults:4005:1001 calls:4004:2001 strings:60005:10001; do
		of "${counted%%:*}" | tr '\n' ' '
		set -- $(echo "$counted" | tr : ' ')
		printf '%s\n' "$2 instructions:u" "$3 branches:u" >"$work/expected"
		of "$1" | diff "$work/expected" - || return
	done
}

# 200,004 instructions, sampled each 1,000, at the two addresses of the loop.
samples() {
	address() { nm "$work/root/bin/loop" |
		awk -v name="$1" '$3 == name { sub("^0*", "", $1); print $1 }'; }
	[ "$(of samples | awk '{ n += $1 } END { print n }')" -eq 200 ] &&
		! of samples | grep -vE "^ *[0-9]+ +($(address again)|$(address branch))\$"
}

# linux PROCESSOR EVENTS VERSION GENERAL FIXED WIDTH
linux() {
	capture timeout "${TIMEOUT:-600}" "$qemu" -M pc -cpu "$1" -m 1G -icount shift=0,sleep=off \
		-plugin "$plugin,pmu=auto" -nodefaults -display none -serial stdio -no-reboot \
		-device isa-debug-exit,iobase=0xf4,iosize=1 -kernel "$kernel" \
		-initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1 nmi_watchdog=0"
	shift
	ended 1 && found "$@" && counts && samples
}
long "Haswell: version 3" linux Haswell Haswell 3 4 3 48
check "Skylake: version 4" linux Skylake-Client Skylake 4 4 3 48
long "Icelake: version 5" linux Icelake-Server-v7 Icelake 5 8 4 48
long "Sapphire Rapids: version 5" linux SapphireRapids 'Sapphire Rapids' 5 8 4 48
done_checking
