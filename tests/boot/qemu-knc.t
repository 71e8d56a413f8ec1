#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Knights Corner's PMU in the plugin for QEMU 11 (hal/emu/qemu): counts and samples of known code,
# kernels that know nothing of palmon, and Debian's Linux with its own driver for this PMU.
. tests/tap.sh
. tests/boot/guests.sh
use_target knc img
. tests/qemu.sh
. tests/boot/workload.sh
use_qemu qemu-system-x86_64 image
unset FAULT MACHINE OVERCOUNT

#
# Sessions
#

session() {
	measure "tests/boot/workloads/$1.c" threads="$2" events="$3" && ended 0
}

# counts EVENT COUNT...: the session has these counts, one for each thread.
counts() {
	tr -d , <"$work/out" >"$work/numbers"
	event=$1
	shift
	grep -E "^ +$(echo "$*" | sed 's/ / +/g') .*$event" "$work/numbers" ||
		{ cat "$work/numbers"; false; }
}

# On thread t, with n = 100,000 + 12,345 t, known.c executes 2 n + 9 instructions and n + 3 branches
# at level 3; chase.c has 102,400 loads and 1,024 stores, plus CALL and RET.
threads() {
	session known "$1" INSTRUCTIONS_EXECUTED:u:period=1000,BRANCHES:u || return
	for line in '0: 200 samples x 1,000 \+ 9 = 200,009' \
		'1: 224 samples x 1,000 \+ 699 = 224,699' \
		'2: 249 samples x 1,000 \+ 389 = 249,389' \
		'3: 274 samples x 1,000 \+ 79 = 274,079'; do
		[ "${line%%:*}" -ge "$1" ] || [ "$1" -eq 1 ] ||
			says "^INSTRUCTIONS_EXECUTED:u, thread $line: exactly its count\$" || return
	done
	counts INSTRUCTIONS_EXECUTED:u $(echo 200009 224699 249389 274079 | cut -d' ' -f1-"$1") &&
		counts BRANCHES:u $(echo 100003 112348 124693 137038 | cut -d' ' -f1-"$1") &&
		session chase "$1" DATA_READ:u,DATA_WRITE:u &&
		counts DATA_READ:u $(yes 102401 | head -n "$1") &&
		counts DATA_WRITE:u $(yes 1025 | head -n "$1")
}
name="known code: instructions, branches, data reads and writes; threads of the core:"
for threads in 1 2; do
	long "$name $threads" threads $threads
done
check "$name 4" threads 4

# Of 200,000 loads 190,000 are in one function, 19 in each turn.
cat >"$work/loads.c" <<'END'
int workload(void);
void reads_much(void), reads_little(void);
__asm__(".text\n.type reads_much,@function\nreads_much:	mov $10000, %ecx\n"
	"1:	.rept 19\n	mov -8(%rsp), %eax\n	.endr\n	dec %ecx\n	jnz 1b\n	ret\n"
	".size reads_much, . - reads_much\n"
	".type reads_little,@function\nreads_little:	mov $10000, %ecx\n"
	"1:	mov -8(%rsp), %eax\n	.rept 80\n	nop\n	.endr\n	dec %ecx\n	jnz 1b\n	ret\n"
	".size reads_little, . - reads_little\n");
int workload(void)
{
	reads_much();
	reads_little();
	return 0;
}
END
samples() {
	measure "$work/loads.c" threads=1 events=DATA_READ:u:period=997 && ended 0 || return
	says '^DATA_READ:u: 200 samples x 997 .*: exactly its count$' &&
		says '^ +95\.0% +190  reads_much ' &&
		says '^ +5\.0% +10  reads_little '
}
check "samples of data reads are in the function that reads" samples

#
# Kernels that know nothing of palmon
#

# start CPUS MEMORY ARGUMENTS: a machine with this processor, with the features that kernels for
# x86-64 need, and with RDTSCP, which the plugin removes.
start() {
	. pmu/knc/machine
	cpus=$1 memory=$2
	shift 2
	capture timeout 900 "$qemu" -M pc -cpu "$processor,+cmov,+clflush,+mmx,+sse,+sse2,+rdtscp" \
		-smp "$cpus" \
		-accel tcg -icount shift=0,sleep=off -m "$memory" \
		-plugin "$BUILD/plugin/palmon-qemu.so,pmu=knc" \
		-nodefaults -display none -serial stdio \
		-no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4 "$@"
}
kernel() {
	build knc && start "$1" 512M -kernel "$work/knc" -append "$2"
	! grep '^not ok' "$work/out" && says "^1\.\.0*$(grep -c '^ok ' "$work/out")\$"
}
check "registers, counts, overflow, SPFLT, undefined instructions, RDTSCP among them" kernel 1 1
long "likewise on a second core" kernel 2,cores=2 2
check "likewise on a second thread of the core" kernel 2,cores=1,threads=2 2
too_many() {
	start 8,cores=1,threads=8 512M
	[ "$status" -eq 1 ] && says '^palmon: CPU 4 is thread 4 of core 0 .*: a core with the PMU knc has 4 threads'
}
check "a machine with more threads is refused" too_many

linux=$(ls -v /boot/vmlinuz-*-amd64 2>/dev/null | tail -n 1)
with_packages "Linux" "linux-image-amd64:${linux:-/boot/vmlinuz}" busybox-static:/bin/busybox \
	linux-perf:perf ||
	{ done_checking; exit; }
programs=tests/boot/guests/linux
runs() {
	$programs/prepare "$work" $programs/init-knc &&
		start 1 1G -kernel "$linux" -initrd "$work/initrd" \
		-append 'console=ttyS0 quiet panic=-1 nmi_watchdog=0'
	ended 1 && says '^dmesg: .*Performance Events: knc PMU driver\.$' &&
		says '^dmesg: .*Switched to clocksource tsc$' &&
		! grep -iE '^dmesg: .*(unsupported|unstable|warp)' "$work/out"
}
long "Linux boots, its driver knows this PMU, and its clocks agree" runs
# Counted by reading the programs (guests/linux). Only one interrupt: Linux's driver leaves the
# local APIC's LVT entry masked.
by_hand() {
	sed -n -E '/^(loop|faults|calls|strings|walk|pmis): /p' "$work/out" >"$work/counted"
	printf '%s\n' 'loop: 200004 instructions:u' 'faults: 4005 instructions:u' \
		'calls: 4004 instructions:u' \
		'strings: 60005 instructions:u' 'loop: 100001 branches:u' 'pmis: 1' \
		'walk: 262144 L1-dcache-load-misses:u' | diff - "$work/counted"
}
long "instructions, branches and misses of programs" by_hand
done_checking
