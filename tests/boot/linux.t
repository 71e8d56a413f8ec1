#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's Linux boots on QEMU 11 with the PMU in the plugin (hal/emu/qemu), like any other guest.
# The tests cover its own PMU driver and Debian's perf: the driver's boot messages, exact counts of
# programs counted by reading them (guests/linux), samples, branch records.
. tests/tap.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64

programs=tests/boot/guests/linux

kernel=$(ls -v /boot/vmlinuz-*-amd64 2>/dev/null | tail -n 1)
with_packages "Linux as a guest" "linux-image-amd64:${kernel:-/boot/vmlinuz}" \
	busybox-static:/bin/busybox \
	linux-perf:perf || { done_checking; exit; }

module=/lib/modules/${kernel#/boot/vmlinuz-}/kernel/arch/x86/events/intel/intel-uncore.ko
prepare() {
	# Debian 13 compresses modules, Debian 12 does not.
	{ cat "$module" 2>/dev/null || xz -dc "$module.xz"; } >"$work/intel-uncore.ko" || return
	$programs/prepare "$work" $programs/init "$work/intel-uncore.ko:lib/intel-uncore.ko" &&
		[ -s "$work/initrd" ]
}
check "a file system" prepare
root=$work/root

# of NAME: the lines that /init printed with the prefix NAME, without it.
of() {
	sed -n "s/^$1: //p" "$work/out"
}

# Linux, arch/x86/events/intel/core.c: the driver's message for this processor.
driver() {
	of dmesg | grep -q ' Performance Events: PEBS fmt1+, Nehalem events, 16-deep LBR, Intel PMU driver\.$' &&
		! of dmesg | grep -iE 'unsupported|firmware bug|broken'
}
clocks() {
	of dmesg | grep 'Switched to clocksource tsc$' && ! of dmesg |
		grep -iE 'unstable|warp|skew|lost.*ticks'
}
watchdog() {
	of dmesg | grep 'NMI watchdog: Enabled\. Permanently consumes one hw-PMU counter'
}

# By the same sources. The number of kernel instructions, interrupts included, cannot be read from
# the source, but each instruction executes at exactly one level.
levels() {
	for counts in loop:200004 faults:4005 calls:4004 strings:60005; do
		of "${counts%:*}-levels" | awk -v user="${counts#*:}" '{ print; count[$2] = $1 }
			END { exit !(count["instructions:u"] == user && count["instructions:k"] > user / 20 &&
				count["instructions"] == user + count["instructions:k"]) }' ||
					return
	done
}

# counts PROGRAM INSTRUCTIONS BRANCHES LOADS STORES: counts in user mode, from reading the program's
# source.
counts() {
	printf '%s\n' "$2 instructions:u" "$3 branches:u" "$4 mem_inst_retired.loads:u" \
		"$5 mem_inst_retired.stores:u" \
		>"$work/expected"
	of "$1" >"$work/counted" && diff "$work/expected" "$work/counted"
}
pages() {
	faults=$(of page-faults | awk '{ print $1 }')
	[ "$faults" -ge 1000 ] && [ "$faults" -lt 1010 ]
}

# perf stat -d uses more events than there are counters. L1-dcache-loads is MEM_INST_RETIRED.LOADS:
# one load for each of 262,144 lines.
detailed() {
	of detailed | grep -q L1-dcache-load-misses && ! of detailed | grep 'not supported' &&
		[ "$(of cached)" = '262144 L1-dcache-loads' ]
}

# Linux, arch/x86/events/intel/core.c: cycles without a uop issued or executed; these events are not
# raised.
stalls() {
	[ "$(of detailed | grep -cE '^ +0 +stalled-cycles-(front|back)end')" -eq 2 ]
}

# The loop has two instructions, each at its own address.
samples() {
	address() { nm "$root/bin/loop" |
		awk -v name="$1" '$3 == name { sub("^0*", "", $1); print $1 }'; }
	[ "$(of samples | awk '{ n += $1 } END { print n }')" -eq 200 ] && ! of samples |
		grep -vE "^ *[0-9]+ +($(address again)|$(address branch))\$"
}
branches() {
	stack="0x$(address branch)/0x$(address again)/P/-/-/0/"
	[ "$(of records | wc -l)" -eq 100 ] &&	# newer versions of perf print one field more, "/-"
		[ "$(of records | tail -n 1 | tr -s ' ' '\n' | grep -cE "^$stack(/-)?\$")" -eq 16 ]
}

# perf mem samples one load of 2,000, in the kernel and in the program. The program's only loading
# instruction loads from 262,144 addresses that are multiples of 64.
loads() {
	of loads | perl -e 'my ($load, $start, $end) = map { hex } @ARGV;
		while (<STDIN>) {
			my ($address, $ip) = map { hex } split;
			$ip == $load && $address >= $start && $address < $end && $address % 64 == 0 or die "bad: $_";
		}
		print "$.\n"; exit($. < 100);' $(for name in load memory memory_end; do
			nm "$root/bin/walk" | awk -v name=$name '$3 == name { print $1 }'; done)
}

uncore() {
	[ "$(of uncore)" = '' ] && [ "$(of uncore-cpus)" = 0 ]
}

# The kernel fetches and zeroes 262,144 lines, the cache evicts them, and the program fetches them
# again. Up to 131,072 lines (the cache's size) may still be another program's; page tables and perf
# may add a fifth.
traffic() {
	of traffic | awk '{ count[$2] = $1; print }
		function is(event, lines, there) {
			return count[event] >= lines - there && count[event] < lines * 1.2
		}
		END { exit !(is("uncore/qmc_normal_reads_any/", 2 * 262144, 131072) &&
			is("uncore/qmc_writes_full_any/", 262144, 0)) }'
}

# perf's own tests that count or sample.
tests_of_perf() {
	[ "$(of perf-test | grep -c ': Ok$')" -eq 10 ] && ! of perf-test | grep ': \(FAILED\|Skip\)'
}

# linux CPUS: runs until the guest writes 0 to the debug-exit port. Linux's driver for the PMU that
# the cores share refuses to run under a hypervisor. Only EXTRA=1 runs all commands of
# guests/linux/init: precise records and perf's own tests take longest.
linux() {
	capture timeout "${TIMEOUT:-900}" "$qemu" -M pc -cpu Nehalem,-hypervisor -smp "$1" -m 1G \
		-icount shift=0,sleep=off -plugin "$BUILD/plugin/palmon-qemu.so,pmu=nehalem" \
		-nodefaults -display none \
		-serial stdio -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=1 \
		-kernel "$kernel" \
		-initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1 nmi_watchdog=0 ${EXTRA:+all}" \
		</dev/null
	ended 1
}
check "it boots, and its last program ends the run" linux 1
check "its driver knows this PMU" driver
check "its clocks agree" clocks
check "it has an NMI watchdog" watchdog
check "the counts of both levels are the sum of level 3 and level 0" levels
check "a loop" counts loop 200004 100001 0 0
check "page faults" counts faults 4005 1001 0 1000
check "system calls" counts calls 4004 2001 0 0
check "repeated strings" counts strings 60005 10001 10000 10000
check "repeated strings in pages that have faulted" pages
check "perf stat -d" detailed
check "cycles without an event that is never raised are not called stalls" stalls
check "200,004 instructions sampled each 1,000 are 200 samples, of the loop" samples
check "100,001 branches sampled each 1,000 are 100 records, of sixteen times the loop's branch" \
	branches
long "loads with a long latency are sampled at their addresses" loads
check "its driver for the PMU that the cores share" uncore
check "the memory controller's reads and writes" traffic
long "perf's own tests that count or sample" tests_of_perf

# The same programs, on any CPU.
several_cpus() {
	linux "$1" && levels && counts loop 200004 100001 0 0 && counts faults 4005 1001 0 1000 &&
		counts calls 4004 2001 0 0 && counts strings 60005 10001 10000 10000 && samples &&
		branches &&
		loads && watchdog && tests_of_perf
}
long "four CPUs" several_cpus 4
done_checking
