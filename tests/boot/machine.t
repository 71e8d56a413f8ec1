#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The other ways to start, and machines that lack what the monitor needs: the reason is said, the status is failing,
# nothing hangs.
. tests/tap.sh
. pmu/nehalem/machine
. hal/emu/svm/machine

pvh() {
	capture tools/run-image nehalem "$IMAGE.pvh" run=selftest
	ended 0 && says 'started by PVH' && says '^# all checks passed'
}
check "the image starts by PVH" pvh

multiboot() {
	boot run=selftest
	ended 0 && says 'started by Multiboot 1'
}
check "the image starts by Multiboot 1" multiboot

same_code() {
	for format in elf multiboot pvh; do
		objcopy -O binary -j .text -j .rodata -j .runtime_data -j .data "$IMAGE.$format" "$work/$format"
	done
	cmp "$work/elf" "$work/multiboot" && cmp "$work/elf" "$work/pvh"
}
check "both are the same code and data, byte for byte" same_code

# without WORDS REPLACEMENT PATTERN: runs on a machine that is described differently.
without() {
	capture timeout 20 $(echo $command | sed "s/$1/$2/") -kernel "$IMAGE.multiboot" -append run=selftest
	ended "$failure" && says "$3" && says '^palmon: status 1 \(no PMU\)'
}
check "without SVM" without 'Nehalem,+svm' Nehalem 'no SVM'
check "without an instruction clock" without '-icount shift=0,sleep=off' '' 'needs -icount shift=0'
check "with another instruction clock" without 'shift=0' 'shift=2' 'needs -icount shift=0'
check "without messages from the HPET" without '-global hpet.msi=on' '' 'needs -global hpet.msi=on'
check "without an HPET" without '-M pc' '-M pc,hpet=off' 'HPET'

# The process whose command line has this text.
process_with() {
	for process in /proc/[0-9]*; do
		tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -q "^qemu.*$1" && basename "$process"
	done
}

killed() {
	TIMEOUT=20 tools/run-image nehalem "$IMAGE.multiboot" run=session events=INST_RETIRED.ANY_P:period=2000 \
		>"$work/out" 2>&1 &
	runner=$!
	sleep 0.5
	kill -9 $(process_with "$IMAGE.multiboot -append run=session") || return 1
	wait $runner
	status=$?
	[ "$status" -ne 0 ] && says 'killed|failed'
}
check "an emulator that is killed is a failed run" killed

no_package() {
	mkdir -p "$work/bin"
	printf '#!/bin/sh\necho not-installed\n' >"$work/bin/dpkg-query"
	printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
	chmod +x "$work/bin/dpkg-query" "$work/bin/id"
	capture env PATH="$work/bin:$PATH" tools/setup image-x86
	ended 1 && says 'sudo apt-get install --no-install-recommends gcc .*qemu-system-x86' &&
		[ "$(wc -l <"$work/out")" -eq 1 ]
}
check "missing packages are named in one line, with the command that installs them" no_package
done_checking
