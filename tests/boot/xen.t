#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Xen as a guest: its watchdog, which is an NMI of a counter's overflow on each CPU, works, and on the bare machine it
# does not; its own virtual PMU gives the counters to a domain (guests/xen), which counts exactly. Xen is Debian's.
. tests/tap.sh

make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" guest-image >/dev/null ||
	{ echo 'Bail out! no image'; exit 1; }
MONITOR=$BUILD/$TARGET/guest.multiboot
unset GUEST APPEND INITRD SMP
OPTIONS="console=com1 com1=115200,8n1 loglvl=all bootscrub=0 dom0_mem=16M"
sources=tests/boot/guests/xen

set -- /boot/xen-*-amd64.gz
if [ ! -r "$1" ] && [ -z "${CI:-}" ]; then
	skip "Xen as a guest" "there is no $1: tools/setup check installs it"
	done_checking
	exit
fi

prepare() {
	gzip -dc "$1" >"$work/xen" &&
		gcc -std=gnu17 -O2 -Wall -Wextra -Werror -ffreestanding -fno-pic -no-pie -fno-stack-protector \
			-fno-asynchronous-unwind-tables -mgeneral-regs-only -mno-red-zone -fcf-protection=none \
			-nostdlib -static -Wl,-Ttext-segment=0x100000 -Wl,--build-id=none -Wl,-z,noexecstack \
			-Wl,-z,max-page-size=4096 -o "$work/dom0" $sources/dom0.S $sources/dom0.c
}
check "Xen and its first domain" prepare "$1"

# xen IMAGE CPUS OPTIONS [WORD]: boots it with the first domain, which is given the word and ends the run.
xen() {
	capture env TIMEOUT=300 GUEST="$work/xen" SMP="$2" APPEND="$OPTIONS $3" INITRD="$work/dom0${4:+ $4}" \
		tools/run-guest "$TARGET" "$1"
	ended 0 && says '^dom0: runs$'
}

watchdog() {
	xen "$MONITOR" "$1" watchdog && says '^\(XEN\) Testing NMI watchdog on all CPUs:ok$' &&
		says "^palmon: the guest's PMU counted, without kinds of instructions"
}
check "its watchdog" watchdog 1

# Lines that differ as the machines do: memory, HPET, SVM, and times. Of a PMU Xen's profiler says that it does not know
# this processor's family and model.
as_on_the_bare_machine() {
	differing='Bootloader|CPU Vendor|\[0000000000100000|New Xen image|System RAM|ACPI: (RSDT|HPET)|node at'
	differing="$differing|Platform timer|Detected .* MHz|HVM: |SVM: |xenoprof: |Nested Page|Testing NMI|Dom0 alloc"
	lines() { grep -E '^\(XEN\)|^dom0' "$work/out" | grep -vE "$differing"; }
	lines >"$work/monitored" && xen - 1 watchdog && lines >"$work/bare" && diff "$work/bare" "$work/monitored" &&
		says '^\(XEN\) Testing NMI watchdog on all CPUs:\{0\} stuck$'
}
check "all else is as on the bare machine, where the watchdog is stuck" as_on_the_bare_machine

check "the watchdog of two CPUs" watchdog 2
check "of four" watchdog 4

# dom0.S says what is counted: 2 instructions for each of 100,000 iterations, and 3.
virtual() {
	xen "$MONITOR" 1 vpmu=on pmu && says '^\(XEN\) VPMU: version 0.1$' && says '^dom0: 200003 instructions$'
}
check "Xen's virtual PMU: a domain counts its own instructions exactly" virtual
without() {
	xen - 1 vpmu=on pmu && says '^dom0: no PMU, error '
}
check "which it has not on the bare machine" without
done_checking
