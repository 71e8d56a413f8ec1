#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The self test on machines with an incomplete PMU, or with fewer threads than some checks need. The
# run ends, a faulting access is reported in the line of its check with the register's name, and
# checks that lack their hardware are skipped. unit/pmu/selftest/test_selftest.c removes each register of
# each target in turn. The long checks remove more registers,
# and run another emulator.
. tests/tap.sh
. tests/boot/faults.sh
. tools/loaders.sh

# without ADDRESS NAME: the access to this register fails a check, the run ends normally, and there
# is no dump.
without() {
	FAULT="absent:$1" boot run=selftest
	ended 1 && says "^not ok [0-9]+ - .* \(expected 0x.*, found 0x.*: (reading|writing) $2, $1, faulted\)\$" &&
		says '^palmon: status 1 \(self test failed\)$' && ! grep unexpected "$work/out" &&
		[ "$(grep -cE '^(not )?ok ' "$work/out")" \
		-eq "$(sed -n 's/^1\.\.//p' "$work/out")" ]
}
# Three kinds of registers: the write that starts a count; the overflow acknowledgement, without
# which the interrupt repeats for ever; and the package PMU's enable.
long "nehalem without IA32_PERF_GLOBAL_CTRL" without 0x38f IA32_PERF_GLOBAL_CTRL
check "nehalem without IA32_PERF_GLOBAL_OVF_CTRL" without 0x390 IA32_PERF_GLOBAL_OVF_CTRL
long "nehalem without IA32_DEBUGCTL" without 0x1d9 IA32_DEBUGCTL
long "nehalem without UNCORE_PERF_GLOBAL_CTRL" without 0x391 UNCORE_PERF_GLOBAL_CTRL
use_target knc img
check "knc without IA32_PERF_GLOBAL_CTRL" without 0x2f IA32_PERF_GLOBAL_CTRL
long "knc without IA32_PERF_GLOBAL_OVF_CTRL" without 0x2e IA32_PERF_GLOBAL_OVF_CTRL
use_target sparct4 prom
long "sparct4 without PCR1" without 0x6401 PCR1
check "sparct4 without PIC0" without 0xb000 PIC0
long "sparct4 without DRAM_PERF_CTL_REG2" without 0x80040802 DRAM_PERF_CTL_REG2
use_target knc img

# threads N SKIPPED: boots a core with N threads; SKIPPED checks are skipped.
threads() {
	(
		. pmu/knc/machine
		cpus=$1,cores=1,threads=$1
		. hal/emu/qemu/machine
		timeout 300 $command -kernel "$IMAGE.img" -append run=selftest >"$work/raw" 2>&1 \
			</dev/null
	)
	tr -d '\r' <"$work/raw" >"$work/out"
	says '^# all checks passed$' && says "^# $2 checks skipped\$" &&
		[ "$(grep -c '^ok .* # SKIP this core has no such thread$' "$work/out")" -eq "$2" ]
}
check "knc with one thread" threads 1 15
long "knc with three threads" threads 3 5

# Bochs' processors of Nehalem's time report a PMU in CPUID, but each access to its registers
# faults. Bochs has no port that ends the machine: the test polls its output.
use_target nehalem img
bochs() {
	grub_disk "$work/disk" linux run=selftest || return
	cat >"$work/bochsrc" <<END
plugin_ctrl: unmapped=true, biosdev=true, extfpuirq=true, parallel=false, serial=true, speaker=false
config_interface: textconfig
display_library: rfb, options="timeout=0"
memory: guest=64, host=64
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
boot: disk
ata0-master: type=disk, mode=flat, path=$work/disk, cylinders=0
cpu: model=corei5_lynnfield_750, count=1, ips=50000000, ignore_bad_msrs=0
com1: enabled=1, mode=file, dev=$work/raw
log: $work/log
panic: action=fatal
END
	echo continue >"$work/commands"
	: >"$work/raw"
	timeout 300 bochs -q -f "$work/bochsrc" -rc "$work/commands" </dev/null >"$work/bochs" \
		2>&1 &
	emulator=$!
	while kill -0 $emulator 2>/dev/null && ! grep -q '^palmon: status' "$work/raw"; do
		sleep 0.2
	done
	kill $emulator 2>/dev/null
	wait $emulator 2>/dev/null
	tr -d '\r' <"$work/raw" >"$work/out"
	says 'palmon: found GenuineIntel family 6, model 30, stepping 5, leaf 0AH: EAX 0x7300403 ' &&
		says 'PMU: silicon$' &&
		says '^not ok [0-9]+ - wraps to 0: IA32_PMC0 \(.*: writing IA32_PERFEVTSEL0, 0x186, faulted\)$' &&
		says '^palmon: status 1 \(self test failed\)$' && ! grep unexpected "$work/out" &&
		[ "$(grep -cE '^(not )?ok ' "$work/out")" \
		-eq "$(sed -n 's/^1\.\.//p' "$work/out")" ]
}
with_packages "Bochs' Core i5" bochs:bochs bochsbios:/usr/share/bochs/BIOS-bochs-latest \
	vgabios:/usr/share/bochs/VGABIOS-lgpl-latest grub-common:grub-mkstandalone \
	grub-pc-bin:/usr/lib/grub/i386-pc &&
	long "Bochs' Core i5" bochs
done_checking
