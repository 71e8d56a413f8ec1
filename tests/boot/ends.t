#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How a run ends (end=), as QEMU's QMP events report it; the return to UEFI; the last lines, which
# must fit on a screen.
. tests/tap.sh
. tools/loaders.sh
. tests/command/command.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

# Ending needs neither a PMU nor a clock that counts instructions.
with_pmu() {
	echo "$command" |
		sed 's/-serial stdio//; s/-display none/-display none -vga std -qmp stdio/'
}
plain() {
	with_pmu | sed 's/-icount [^ ]*//; s/-plugin [^ ]*//'
}
machine=plain
has_ended() {
	! kill -0 $emulator || grep -q '^palmon: status' "$work/raw"
}
has_stopped() {
	echo '{"execute": "human-monitor-command", "arguments": {"command-line": "info registers"}}' >&3
	! kill -0 $emulator || grep -q HLT=1 "$work/events"
}
# ends MACHINE DEVICE ARGUMENTS [OPTION...]: runs until the machine has ended or the image has
# printed the status; then polls the processor's state until it has stopped. $work/events has QEMU's
# messages, $work/out the console.
ends() {
	on=$1 device=$2 arguments=$3
	shift 3
	rm -f "$work/asks" && mkfifo "$work/asks" || return
	: >"$work/raw"
	timeout 300 $($machine | sed "s/-M pc/-M $on/; s/-smp [^ ]*/-smp 1/; s/-device isa-debug-exit,[^ ]*/$device/") \
		-serial "file:$work/raw" -kernel "$IMAGE.img" -append "$arguments" "$@" \
		<"$work/asks" >"$work/events" 2>&1 &
	emulator=$!
	exec 3>"$work/asks"
	trap '' PIPE
	echo '{"execute": "qmp_capabilities"}' >&3
	wait_for has_ended
	wait_for has_stopped
	echo '{"execute": "pmemsave", "arguments": {"val": 753664, "size": 4000, "filename": "'"$work/text"'"}}' >&3
	echo '{"execute": "quit"}' >&3
	wait $emulator
	status=$?
	exec 3>&-
	tr -d '\r' <"$work/raw" >"$work/out"
	says '^palmon: status '
}
exit_device='-device isa-debug-exit,iobase=0xf4,iosize=1'
shuts_down() {
	cat "$work/events"
	grep -q "\"SHUTDOWN\", \"data\": {\"guest\": true, \"reason\": \"$1\"}" "$work/events"
}
stops() {
	cat "$work/events"
	grep -q 'HLT=1' "$work/events" && grep -q '"reason": "host-qmp-quit"' "$work/events"
}
refused=nonsense=1
on_pc=check
for board in pc q35; do
	exits() {
		ends $board "$exit_device" "$1" && ended "$failure"
	}
	$on_pc "$board: exit, by the debug-exit device" exits "$refused end=exit"
	$on_pc "$board: the same without end=" exits "$refused"
	$on_pc "$board: without the device the processor stops" eval \
		"ends $board '' $refused && stops"
	$on_pc "$board: halt" eval "ends $board '$exit_device' '$refused end=halt' && stops"
	$on_pc "$board: reboot" eval \
		"ends $board '$exit_device' '$refused end=reboot' && shuts_down guest-reset"
	$on_pc "$board: poweroff" eval \
		"ends $board '$exit_device' '$refused end=poweroff' && shuts_down guest-shutdown"
	on_pc=long
done
too_little() {
	ends pc "$exit_device" end=poweroff -cpu Nehalem,-popcnt &&
		says '^palmon: status 1 \(processor\)$' &&
		shuts_down guest-shutdown
}
check "a run that cannot begin also obeys end=" too_little
no_acpi() {
	ends pc,acpi=off "$exit_device" "$refused end=$1"
}
check "without ACPI, poweroff: the processor stops, and a message says so" eval \
	"no_acpi poweroff && stops && says '^palmon: end=poweroff: ACPI does not say how; the processor will stop\$'"
check "reboot, by other ways" eval "no_acpi reboot && shuts_down guest-reset"
refused_word=check
for word in return stop halt,exit ''; do
	$refused_word "not an end here: '$word'" eval \
		"ends pc '$exit_device' 'run=selftest end=$word' && ended $failure &&
		says '^palmon: end=$word: the value is to be: exit; '"
	refused_word=long
done
end_of() {
	boot run=selftest end=poweroff
	[ "$status" -eq 4 ] && says '^# all checks passed$' && says '^palmon: status 0 \(success\)$'
}
check "the emulator ended before the image printed its status" end_of

#
# The last lines
#

# The summary names exactly the failed checks, on at most 24 lines of 80 characters. It groups
# registers and numbers of similar checks in one list, separated by commas.
names_all() {
	sed -n 's/^not ok [0-9]* - \(.*\) (expected .*/\1/p' "$work/out" | sort >"$work/failed"
	sed -n '/^palmon: summary$/,$p' "$work/out" >"$work/summary"
	[ -s "$work/failed" ] && [ "$(wc -l <"$work/summary")" -le 24 ] &&
		! grep -E '.{81}' "$work/summary" || return
	perl -0 -ne '
		s/,\n {8,}/, /g;
		for (grep s/^    [\w-]+: //, split /\n/) {
			print(/^(.*?)([A-Z0-9_]+(?:, [A-Z0-9_]+)+)(.*)/ ? map "$1$_$3\n", split /, /, $2 : "$_\n");
		}' "$work/summary" | sort | diff "$work/failed" -
}
summary() {
	FAULT=freeze-missing boot run=selftest
	ended 1 && names_all
}
check "the summary names each failed check, and no other" summary
many() {
	FAULT=absent:0x38f boot run=selftest
	ended 1 && [ "$(sed -n '/^palmon: summary$/,$p' "$work/out" | wc -l)" -le 24 ] &&
		says ' counts exactly: IA32_PMC0 \+4;' &&
		says '^    and [0-9]+ more that have failed$'
}
check "many failed checks still fit: their names, and how many of each" many
with_fault() {
	with_pmu | sed 's/pmu=nehalem/&,fault=freeze-missing/'
}
on_screen() {
	machine=with_fault
	ends pc '' 'run=selftest suite=nehalem end=halt' -smp "$cpus"
	machine=plain
	tests/boot/screen text "$work/text" >"$work/screen"
	sed -n '/^palmon: summary$/,/^palmon: status/p' "$work/out" >"$work/last"
	sed '/./,$!d' "$work/screen" | head -n "$(wc -l <"$work/last")" | diff "$work/last" -
}
check "on a screen the summary stands alone" on_screen

#
# UEFI
#

# by_shell LINE...: EDK II's shell runs these commands.
by_shell() {
	rm -rf "$work/esp" && mkdir "$work/esp" && cp "$IMAGE.img" "$work/esp/palmon.efi" || return
	printf '%s\r\n' fs0: "$@" 'reset -s' >"$work/esp/startup.nsh"
	capture timeout 300 $(plain |
		sed 's/64M/128M/g; s/-M pc/-M q35/; s/-vga std -qmp stdio/-serial stdio/') \
		$(uefi) -drive "format=raw,file=fat:rw:$work/esp" $option
	sed -i 's/\x1b\[[0-9;=]*[A-Za-z]//g' "$work/out"
}
option=
returns_early() {
	option="-cpu Nehalem,-popcnt"
	by_shell 'palmon.efi end=return' 'echo back with %lasterror%'
	option=
	ended 0 && says '^palmon: status 1 \(processor\)$' && says '^back with 0x15'
}
shell_ends() {
	by_shell "palmon.efi nonsense=1 end=$1"
	ended "$2" && ! says 'reset -s'
}
# The image runs twice. In between the shell prints the first run's file, and its variable as rows of
# hexadecimal bytes with text around them.
returns() {
	by_shell 'palmon.efi run=selftest end=return' 'echo back with %lasterror%' 'type palmon.board' \
		'dmpstore PalmonBoard -guid D76BFA24-0D0E-447C-A26B-9AEEE0DB2272' \
		'palmon.efi nonsense=1 end=return' 'echo again with %lasterror%'
	ended 0 && says '^palmon: status 1 \(no PMU\)$' && says '^back with 0x15' &&
		says '^palmon: status 1 \(bad command line: .nonsense. is no option\)$' &&
		says '^again with 0x15'
}
kept() {
	perl -ne 'print pack "H*", $1 =~ s/[ -]//gr if /^\s*[0-9A-F]{8}: ([0-9A-F][0-9A-F -]*[0-9A-F]) /' "$work/out" \
		>"$work/variable"
	"$PALMON" board --run=1 "$work/out" >"$work/printed" &&
		"$PALMON" board --run=2 "$work/out" >"$work/file" &&
		"$PALMON" board "$work/variable" >"$work/kept" &&
		diff "$work/printed" "$work/file" &&
		diff "$work/printed" "$work/kept" && grep -qx 'status  *1 (no PMU)' "$work/kept"
}
with_packages "UEFI: return" "ovmf:$firmware" && {
	check "UEFI: the shell gets the status, twice: EFI_ABORTED" returns
	check "UEFI: the first run's result is in the log, in a file, and in a variable" kept
	long "UEFI: likewise for a run that cannot begin" returns_early
	long "UEFI: exit" shell_ends exit "$failure"
	long "UEFI: reboot" shell_ends reboot 0
	long "UEFI: poweroff" shell_ends poweroff 0
}
# This firmware runs with the instruction clock, so the image has its PMU.
returns_well() {
	u_boot qemu-x86_64 'bootefi 3000000:${filesize}; echo back with $?; reset' "$1" \
		$(echo "$command" | sed "s/64M/128M/g; s/pmu=nehalem/&$3/")
	tr -d '\r' <"$work/raw" >"$work/out"
	says 'started by UEFI, PMU:' && says "^palmon: status $2 " && says "^back with $2\$"
}
with_packages "U-Boot: return" "u-boot-qemu:$u_boot" && {
	long "U-Boot's UEFI goes on: status 0" returns_well 'run=selftest end=return' 0
	long "and status 1" returns_well 'run=selftest end=return' 1 ,fault=freeze-missing
}
done_checking
