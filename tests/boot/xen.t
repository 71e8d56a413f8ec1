#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Xen as a guest. Its watchdog, a counter whose overflow raises an NMI on each CPU, works with the
# plugin and not on the bare machine. Its own virtual PMU gives the counters to a domain
# (guests/xen), which counts exactly. Xen is Debian's.
. tests/tap.sh
. tests/boot/guests.sh
OPTIONS="console=com1 com1=115200,8n1 loglvl=all bootscrub=0 dom0_mem=16M"
sources=tests/boot/guests/xen

set -- /boot/xen-*-amd64.gz
package=$(tools/setup --list extra | grep '^xen-hypervisor')
with_packages "Xen as a guest" "$package:$1" || { done_checking; exit; }

prepare() {
	gzip -dc "$1" >"$work/xen" &&
		gcc -std=gnu17 -O2 -Wall -Wextra -Werror -ffreestanding -fno-pic -no-pie \
		-fno-stack-protector \
			-fno-asynchronous-unwind-tables -mgeneral-regs-only -mno-red-zone \
			-fcf-protection=none \
			-nostdlib -static -Wl,-Ttext-segment=0x100000 -Wl,--build-id=none \
			-Wl,-z,noexecstack \
			-Wl,-z,max-page-size=4096 -o "$work/dom0" $sources/dom0.S $sources/dom0.c
}
check "Xen and its first domain" prepare "$1"

# xen RUN CPUS OPTIONS [WORD]: boots it with the first domain, which receives the word and ends the
# run. RUN is guest or bare.
xen() {
	$1 xen SMP="$2" APPEND="$OPTIONS $3" INITRD="$work/dom0${4:+ $4}"
	ended 0 && says '^dom0: runs$'
}

watchdog() {
	xen guest "$1" watchdog && says '^\(XEN\) Testing NMI watchdog on all CPUs: *ok$'
}
check "its watchdog" watchdog 1

# Lines that differ because the machines do: times. Xen's profiler reports that it does not know the
# family and model of a processor with a PMU. On the bare machine Xen 4.17 tries a watchdog; 4.20
# sees that there is no PMU.
as_on_the_bare_machine() {
	differing='Bootloader|CPU Vendor|New Xen image|Platform timer|Detected .* MHz|xenoprof: |Dom0 alloc'
	differing="$differing|NMI watchdog|Intel Perfmon unavailable"
	lines() { grep -E '^\(XEN\)|^dom0' "$work/out" | grep -vE "$differing"; }
	lines >"$work/with" && xen bare 1 watchdog && lines >"$work/bare" &&
		diff "$work/bare" "$work/with" &&
		says '^\(XEN\) (Testing NMI watchdog on all CPUs: *\{0\} stuck|Failed to configure NMI watchdog)$'
}
check "everything else is as on the bare machine, where the watchdog does not work" \
	as_on_the_bare_machine

check "the watchdog of two CPUs" watchdog 2
long "the watchdog of four CPUs" watchdog 4

# dom0.S describes the counted code: 2 instructions for each of 100,000 iterations, plus 3.
virtual() {
	xen guest 1 vpmu=on pmu && says '^\(XEN\) VPMU: version 0.1$' &&
		says '^dom0: 200003 instructions$'
}
check "Xen's virtual PMU: a domain counts its own instructions exactly" virtual
without() {
	xen bare 1 vpmu=on pmu && says '^dom0: no PMU, error '
}
long "the bare machine has none" without
done_checking
