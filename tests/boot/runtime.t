#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The runtime as a library (hal/runtime): its undefined symbols, and its three hosts: a kernel, a
# payload, and a UEFI driver, which EDK II starts without a PMU, and U-Boot after palmon.img.
. tests/tap.sh
. tools/loaders.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

library=$BUILD/runtime/nehalem/libpalmon-nehalem.a
runtime() {
	make --no-print-directory BUILD="$BUILD" TARGET=nehalem runtime
}
check "make runtime" runtime
# Allowed undefined symbols: palmon_host.h's functions, functions that the compiler calls, and
# symbols that the linker makes for the section of register accesses.
asks_for() {
	sed -n 's/^[a-z].*[ *]\(palmon_host_[a-z_]*\)(.*/\1/p' hal/runtime/palmon_host.h \
		>"$work/asked"
	printf '%s\n' memcpy memset _GLOBAL_OFFSET_TABLE_ __start_palmon_fixups \
		__stop_palmon_fixups >>"$work/asked"
	[ "$(wc -l <"$work/asked")" -eq 15 ] &&
		nm -u "$library" | awk 'NF == 2 { print $2 }' | sort >"$work/undefined" &&
		sort "$work/asked" | diff - "$work/undefined"
}
check "it needs from its host only the functions of palmon_host.h and palmon(3)" asks_for
# Constants that the dynamic linker relocates (.data.rel.ro) are not state.
keeps_nothing() {
	size -A -d "$BUILD/runtime/$1/palmon.o" >"$work/sections"
	awk '$1 ~ /^\.t?(data|bss)/ && $1 !~ /^\.data\.rel\.ro/ { kept += $2 } $1 == ".text" { code += $2 }
		END { exit kept || code < 20000 }' "$work/sections"
}
check "all its state is in its host's contexts" keeps_nothing nehalem
documented() {
	for name in $(cat hal/runtime/public); do
		[ "$name" = pmu_take_sample_with_payload ] ||
			grep -qE "Fn $name( |\$)" hal/runtime/palmon.3 ||
			{ echo "$name"; return 1; }
	done
	nm --defined-only "$library" | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }' |
		sort >"$work/defined"
	sort hal/runtime/public | diff - "$work/defined"
}
check "it defines all public names, and no others" documented
knc() {
	make --no-print-directory BUILD="$BUILD" TARGET=knc runtime
}
check "the library of another target" knc
check "it has no state of its own either" keeps_nothing knc
no_target() {
	capture make --no-print-directory BUILD="$BUILD" TARGET=sparct4 runtime
	ended 2 && says 'the library exists for x86 targets only, not for sparct4'
}
check "a target without a runtime library" no_target

# Skipped: ten checks that need more memory than the library's context, and two of another thread.
kernel() {
	BUILD=$BUILD hal/runtime/example/build nehalem kernel "$work/kernel" &&
		capture env GUEST="$work/kernel" tools/run-guest nehalem
	ended 0 &&
		says '^kernel: checks 408, failed 0, skipped 12; instructions of 1000 loops 2000$' &&
		[ "$(grep -c '^ok ' "$work/out")" -eq 408 ]
}
check "a kernel: the self test, and an exact count of a loop of two instructions" kernel
# As coreboot calls payloads: the tests' loader makes coreboot's table, calls the payload, and
# checks its return value and that a pending interrupt was preserved.
payload() {
	BUILD=$BUILD hal/runtime/example/build nehalem payload "$work/payload" &&
		tests/boot/guests/build loader "$work/loader" tests/boot/guests/loader_linux.c \
			tests/boot/guests/loader_coreboot.c &&
		capture env GUEST="$work/loader" \
		APPEND="coreboot=3000000 serial=3f8 call=1 interrupt=1 0-9f000:1" \
			INITRD="$work/payload" tools/run-guest nehalem
	ended 0 && [ "$(grep -c '^ok ' "$work/out")" -eq 408 ] &&
		says '^payload: checks 408, skipped 12$' &&
		says '^loader: it has returned 0$'
}
check "a payload of coreboot: the self test, on the table's serial port, and the return to its caller" payload
check "a UEFI driver" env BUILD="$BUILD" hal/runtime/example/build nehalem driver "$work/driver.efi"
no_pmu() {
	rm -rf "$work/esp" && mkdir "$work/esp" && cp "$work/driver.efi" "$work/esp" || return
	printf '%s\r\n' fs0: 'load driver.efi' 'load driver.efi' \
		'dmpstore PalmonSelftest -guid 0D0B2A2E-55F4-4A0C-8A3E-0C7B1C6E5219' 'reset -s' \
		>"$work/esp/startup.nsh"
	machine=$(echo "$command" |
		sed 's/-icount [^ ]*//; s/64M/128M/g; s/-M pc/-M q35/; s/-plugin [^ ]*//')
	capture timeout 300 $machine \
		$(uefi) -drive "format=raw,file=fat:rw:$work/esp"
	ended 0 && [ "$(grep -c 'palmon: checks 0, failed 0, skipped 0; no PMU' "$work/out")" -eq 2 ] &&
		says '\*palmon: checks 0\*'
}
with_packages "EDK II" "ovmf:$firmware" &&
	long "EDK II starts it twice: there is no PMU, which it publishes" no_pmu
# The image has used the PMU before: three reset values are not those of a reset.
after_the_image() {
	mkdir -p "$work/files" && cp "$work/driver.efi" "$work/files" || return
	then='load virtio 0:1 4000000 driver.efi; bootefi 4000000:${filesize}; printenv -e PalmonSelftest; reset'
	u_boot qemu-x86_64 'bootefi 3000000:${filesize}; '"$then" \
		'run=selftest suite=nehalem end=return' \
		$(echo "$command" | sed 's/64M/128M/g')
	tr -d '\r' <"$work/raw" >"$work/out"
	says '^palmon: checks 408, failed 3, skipped 36$' && says ' palmon: checks 4$' || return
	sed -n '/^palmon: status 0/,$s/^not ok [0-9]* - \(.*\) (expected .*/\1/p' "$work/out" \
		>"$work/failed"
	diff - "$work/failed" <<'END'
reset: IA32_PERF_GLOBAL_CTRL
reset: IA32_DEBUGCTL
reset: LASTBRANCH_TOS
END
}
with_packages "U-Boot" "u-boot-qemu:$u_boot" &&
	check "U-Boot starts it after the image: it tests the PMU, and names what fails" \
	after_the_image
done_checking
