#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's Linux as a guest, with its own driver for this PMU, and Debian's perf: what the driver says at boot, exact
# counts of programs that are counted by reading them (guests/linux), samples, branch records. It is the vmlinux of the
# bzImage, which would take QEMU half a minute to decompress.
. tests/tap.sh
. tests/boot/guests.sh
use_monitor
programs=tests/boot/guests/linux

kernel=$(ls -v /boot/vmlinuz-*-amd64 2>/dev/null | tail -n 1)
if { [ ! -r "$kernel" ] || [ ! -x /bin/busybox ]; } && [ -z "${CI:-}" ]; then
	skip "Linux as a guest" "there is no /boot/vmlinuz-*-amd64 or no busybox: tools/setup check installs them"
	done_checking
	exit
fi

# header OFFSET: a number of 32 bits of the bzImage's header (Linux, Documentation/x86/boot.rst).
header() {
	od -An -tu4 -j"$(($1))" -N4 "$kernel"
}
# The payload is compressed by xz, and followed by its size.
extract() {
	setup=$(od -An -tu1 -j"$((0x1F1))" -N1 "$kernel")
	tail -c +$(((setup + 1) * 512 + $(header 0x248) + 1)) "$kernel" | head -c "$(header 0x24C)" |
		xz -dc --single-stream >"$work/vmlinux"
}

# A file system with busybox, perf and its libraries, the programs, and what they are to do.
make_initrd() {
	root=$work/root
	mkdir -p "$root/bin" "$root/lib64" "$root/lib" && cp /bin/busybox /usr/bin/perf "$root/bin" || return
	ldd /usr/bin/perf | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' | while read -r library; do
		mkdir -p "$root/$(dirname "$library")" && cp -L "$library" "$root/$library" || return
	done
	for source in $programs/*.S; do
		gcc -nostdlib -static -Wl,--build-id=none -Wl,-z,noexecstack -o "$root/bin/$(basename "$source" .S)" \
			"$source" || return
	done
	cp $programs/init "$root/init" && (cd "$root" && find . | busybox cpio -o -H newc) >"$work/initrd"
}
prepare() {
	extract && make_initrd && [ -s "$work/vmlinux" ] && [ -s "$work/initrd" ]
}
check "a kernel and a file system" prepare

# What /init prints with a name, without it: a line each.
of() {
	sed -n "s/^$1: //p" "$work/out"
}
runs() {
	capture env TIMEOUT=900 GUEST="$work/vmlinux" INITRD="$work/initrd" MEM=1G \
		APPEND='console=ttyS0 quiet panic=-1' tools/run-guest "$TARGET" "$MONITOR"
	ended 0
}
check "it boots, and its last program ends the run" runs

# Linux, arch/x86/events/intel/core.c: what it prints of this processor.
driver() {
	of dmesg | grep -q ' Performance Events: PEBS fmt1+, Nehalem events, 16-deep LBR, Intel PMU driver\.$' &&
		! of dmesg | grep -iE 'unsupported|firmware bug|broken'
}
check "its driver knows this PMU" driver
clocks() {
	of dmesg | grep 'Switched to clocksource tsc$' && ! of dmesg | grep -iE 'unstable|warp|skew|lost.*ticks'
}
check "its clocks agree" clocks
watchdog() {
	of dmesg | grep 'NMI watchdog: Enabled\. Permanently consumes one hw-PMU counter'
}
check "it has an NMI watchdog" watchdog

# counts PROGRAM INSTRUCTIONS BRANCHES LOADS STORES: in user mode, by reading the program's source.
counts() {
	printf '%s\n' "$2 instructions:u" "$3 branches:u" "$4 mem_inst_retired.loads:u" "$5 mem_inst_retired.stores:u" \
		>"$work/expected"
	of "$1" >"$work/counted" && diff "$work/expected" "$work/counted"
}
check "a loop" counts loop 200004 100001 0 0
check "page faults" counts faults 4005 1001 0 1000
check "system calls" counts calls 4004 2001 0 0
check "repeated strings" counts strings 60005 10001 10000 10000
pages() {
	faults=$(of page-faults | awk '{ print $1 }')
	[ "$faults" -ge 1000 ] && [ "$faults" -lt 1010 ]
}
check "of pages that have faulted" pages

# Of the events of perf stat -d there are more than counters. L1-dcache-loads is MEM_INST_RETIRED.LOADS: a load for each
# of 262,144 lines.
detailed() {
	of detailed | grep -q L1-dcache-load-misses && ! of detailed | grep 'not supported' &&
		[ "$(of cached)" = '262144 L1-dcache-loads' ]
}
check "perf stat -d" detailed

# Linux, arch/x86/events/intel/core.c: cycles without a uop issued, or executed, which are not raised.
stalls() {
	[ "$(of detailed | grep -cE '^ +0 +stalled-cycles-(front|back)end')" -eq 2 ]
}
check "cycles without an event that nothing raises are no stalls" stalls

# In the loop are two instructions, each at its address.
samples() {
	address() { nm "$work/root/bin/loop" | awk -v name="$1" '$3 == name { sub("^0*", "", $1); print $1 }'; }
	[ "$(of samples | awk '{ n += $1 } END { print n }')" -eq 200 ] && ! of samples |
		grep -vE "^ *[0-9]+ +($(address again)|$(address branch))\$"
}
check "200,004 instructions sampled each 1,000 are 200 samples, of the loop" samples
branches() {
	stack="0x$(address branch)/0x$(address again)/P/-/-/0/"
	[ "$(of records | wc -l)" -eq 100 ] &&
		[ "$(of records | tail -n 1 | tr -s ' ' '\n' | grep -c "^$stack\$")" -eq 16 ]
}
check "100,001 branches sampled each 1,000 are 100 records, of sixteen times the loop's branch" branches

# Of the program's one instruction that loads, from addresses that are multiples of 64: at most as many as there are
# lines, one in 1,000.
loads() {
	of loads | perl -e 'my ($load, $start, $end) = map { hex } @ARGV;
		while (<STDIN>) {
			my ($address, $ip) = map { hex } split;
			$ip == $load && $address >= $start && $address < $end && $address % 64 == 0 or die "bad: $_";
		}
		print "$.\n"; exit($. < 100 || $. > 262);' $(for name in load memory memory_end; do
			nm "$work/root/bin/walk" | awk -v name=$name '$3 == name { print $1 }'; done)
}
check "loads that take long are sampled at their addresses" loads
done_checking
