#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon qemu: QEMU with the plugin, from the build tree and as installed; missing, too old and
# unsuitable parts.
. tests/tap.sh
. tests/command/command.sh
. tests/documents.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64 host
plugin=$(realpath "$BUILD/plugin/palmon-qemu.so")

# Values are in QEMU's syntax, with commas doubled; the printed command is in the shell's.
palmon qemu --print -- -M pc "it's" '$HOME'
check "--print: the command" prints "$qemu -plugin $plugin,pmu=nehalem -M pc 'it'\\''s' '\$HOME'"
palmon qemu --print --report='a b,c' --events=A:u,B --cr3=0x1000 --fault=F --machine=M --clock=C \
	--overcount=interruptions --announce=off --batch=off --force --pmu=P --
arguments=pmu=P,fault=F,machine=M,clock=C,overcount=interruptions,report='a b,,c',events=A:u,,B
check "each option is an argument of the plugin" \
	prints "$qemu -plugin '$plugin,$arguments,cr3=0x1000,announce=off,batch=off,force=on'"

system=$(tools/qemu qemu-system-sparc64) && palmon qemu --system=sparc64 --pmu=P --print --
check "QEMU for other processors" prints "$system -plugin $plugin,pmu=P"

# The plugin lists its arguments when one is unknown.
in_the_page() {
	capture timeout 60 "$qemu" -M none -display none -plugin "$plugin,nothing=1"
	names=$(sed -n "s/^palmon: the plugin has no argument 'nothing' (it has \(.*\))\$/\1/p" \
		"$work/out" | tr -d ,)
	[ "$(echo $names | wc -w)" -gt 10 ] || { cat "$work/out"; return 1; }
	for name in $names; do
		grep -q "^\.It Cm $name Ns = Ns " tools/palmon/palmon-qemu.1 ||
			{ echo "$name"; return 1; }
	done
}
check "each argument of the plugin is in palmon-qemu(1)" in_the_page

palmon qemu -M pc
check "QEMU's arguments come after --" refuses 2 "'M'"
palmon qemu
check "-- is required" refuses 2 "QEMU's arguments come after --"
palmon qemu pc --
check "nothing else before --" refuses 2 "'pc': QEMU's arguments come after --"
palmon qemu --report=a --report=b --
check "two reports" refuses 2 "--report is given twice: 'a' and 'b'$"
printf '#!/bin/sh\necho QEMU emulator version 7.2.22\n' >"$work/old"
chmod +x "$work/old"
export QEMU="$work/old"
palmon qemu -- -M none
check "a QEMU that is too old" refuses 1 \
	'its version is [0-9.]*; *palmon needs qemu-system-x86_64 11\.1 or newer$'
export QEMU="$work/none"
palmon qemu -- -M none
check "a QEMU that does not exist" refuses 1 'palmon needs qemu-system-x86_64 11\.1 or newer$'
unset QEMU
alone() {
	mkdir -p "$work/alone/bin" && cp "$PALMON" "$work/alone/bin" &&
		PALMON=$work/alone/bin/palmon palmon qemu -- -M none
	refuses 1 "there is no plugin \\(palmon-qemu.so\\): make install puts it into PREFIX/lib/palmon, "
}
check "a missing plugin" alone

# processor CPU WHICH: the plugin refuses this processor.
processor() {
	palmon qemu -- -M pc -accel tcg -display none -cpu "$1"
	says="palmon: the guest's processor is of family $2, and the PMU nehalem belongs to family 6, model 26"
	[ "$status" -eq 1 ] && grep -qxF "$says (-cpu; force=on accepts it)" "$work/messages" ||
		show
}
check "a processor of another model" processor Westmere '6, model 44'
check "a processor of another family" processor Opteron_G1 '15, model 6'

# A guest with 410 instructions at level 3 (tests/boot/guests/report.c), run by the installed
# command.
tests/boot/guests/build report "$work/guest" || { echo 'Bail out!'; exit 1; }
counts() {
	timeout 300 "$1" qemu --report="$work/report" --events=INST_RETIRED.ANY:u -- -M pc \
		-cpu Nehalem \
		-accel tcg -icount shift=0,sleep=off -m 64M -nodefaults -display none \
		-serial stdio -no-reboot \
		-device isa-debug-exit,iobase=0xf4,iosize=1 -kernel "$work/guest" >"$work/out" \
		2>&1 </dev/null
	status=$?
	[ "$status" -eq 1 ] && ! grep '^not ok' "$work/out" &&
		grep -qx ' *410  INST_RETIRED.ANY:u' "$work/report" ||
		{ cat "$work/out" "$work/report"; return 1; }
}
check "counts a guest from outside" counts "$PALMON"
installed() {
	own_build "$work/build" &&
		make --no-print-directory BUILD="$work/build" PREFIX=/opt/palmon \
		DESTDIR="$work/stage" install \
			>/dev/null &&
		counts "$work/stage/opt/palmon/bin/palmon"
}
check "the installed command counts the guest" installed

# Commands in documents.
mkdir "$work/top"
PATH=$(cd "$(dirname "$PALMON")" && pwd):$PATH
in_place() {
	cd "$work/top"
}
run_commands tests/command/qemu.t compare
done_checking
