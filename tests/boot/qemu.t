#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The PMU in a plugin of QEMU 11 (hal/emu/qemu): palmon's image, and kernels of tests/boot/guests,
# which know nothing of palmon, on the unmodified QEMU. selftest.t and ends.t run the self test.
. tests/tap.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64 image
unset FAULT MACHINE

# boot ARGUMENTS: boots palmon's image.
boot() {
	capture tools/run-image nehalem "$IMAGE.img" "$@"
}
# An image that cannot query the plugin calls the machine neither plugin nor silicon. It remarks on
# a count of 0 that nobody says whether this event (UOPS_ISSUED.ANY, which is never raised) occurs.
not_raised=UOPS_ISSUED.ANY
unannounced() {
	MACHINE=nehalem,announce=off boot run=session events=INST_RETIRED.ANY:u,$not_raised &&
		ended 0 &&
		says 'PMU: unknown$' && ! grep -i -e silicon -e 'QEMU plugin' "$work/out" &&
		says '^ *[1-9][0-9,]*  INST_RETIRED.ANY:u  *fixed 0 *$' &&
		says "^ *0  $not_raised  *[0-9] * # unknown whether it happens here\$"
}
check "announce=off: the backend is unknown, and so is whether events are raised" unannounced
# CPUID hides the hypervisor: there are no hypervisor leaves.
hidden() {
	capture timeout 300 "$qemu" -M pc -cpu Nehalem,-hypervisor -accel tcg \
		-icount shift=0,sleep=off -m 64M \
		-plugin "$plugin,pmu=nehalem" -nodefaults -display none -serial stdio -no-reboot \
		-device isa-debug-exit,iobase=0xf4,iosize=1 -kernel "$IMAGE.img" \
		-append "run=session events=INST_RETIRED.ANY:u,$not_raised"
	! grep 'QEMU plugin' "$work/out" &&
		says "^ *0  $not_raised  *[0-9] * # unknown whether it happens here\$"
}
check "they are also unknown on a machine that hides its hypervisor leaf" hidden

exact='INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=100000,BR_INST_RETIRED.ALL_BRANCHES,MEM_INST_RETIRED.LOADS'
session() {
	boot run=session events="$exact,$not_raised" && ended 0 && cp "$work/out" "$work/first" &&
		says 'PMU: QEMU plugin, unit clock$' &&
		says ': exactly its count$' && says 'between overflow and freeze: 0 to 0$'
}
check "a session of exact events: no skid" session
announced() {
	says "^ *<not counted>  $not_raised .* # does not happen under QEMU plugin, unit clock\$"
}
check "a machine that announces the plugin reports that the event is never raised" announced
repeats() {
	boot run=session events="$exact,$not_raised" && diff "$work/first" "$work/out"
}
check "runs repeat, byte for byte" repeats

# Counted by hand for each turn of workloads/faults.c: ADD to memory, IRETQ, DEC and JNZ retire, UD2
# does not. The option OVERCOUNT adds one to each count.
faults() {
	for turns in 1000 2000; do
		[ -e "$work/faults$turns.c" ] ||
			sed "s/^\\(#define TURNS	*\\).*/\\1$turns/" \
			tests/boot/workloads/faults.c >"$work/faults$turns.c"
		make_run RUN=session LEVEL=0 WORKLOAD="$work/faults$turns.c" EVENTS="$1" &&
			ended 0 || return
		sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Z_.]*\):k.*/\1/p' "$work/out" |
			tr -d , >"$work/$turns"
	done
	[ "$(paste "$work/1000" "$work/2000" | awk '{ printf "%d ", $2 - $1 }')" = "$2 " ]
}
long "faults: instructions that retire" faults \
	INST_RETIRED.ANY:k,MEM_INST_RETIRED.LOADS:k,MEM_INST_RETIRED.STORES:k,BR_INST_RETIRED.ALL_BRANCHES:k \
	'4000 2000 1000 2000'
export OVERCOUNT=interruptions
check "faults with OVERCOUNT" faults \
	INST_RETIRED.ANY:k,MEM_INST_RETIRED.LOADS:k,MEM_INST_RETIRED.STORES:k,BR_INST_RETIRED.ALL_BRANCHES:k \
	'5000 3000 2000 3000'
unset OVERCOUNT

# The guest fills its registers and resets the machine once (guests/reset.c). guest.t tests INIT,
# which preserves them.
resets() {
	tests/boot/guests/build reset "$work/reset" && capture timeout 120 "$qemu" -M pc \
		-cpu Nehalem -accel tcg "$@" \
		-m 64M -plugin "$plugin,pmu=nehalem" -nodefaults -display none -serial stdio \
		-device isa-debug-exit,iobase=0xf4,iosize=1 -kernel "$work/reset"
	says '^# filled, counted: 1[2-9][0-9]*$' && says '^1\.\.12$' && ! grep '^not ok' "$work/out"
}
check "a reset of the machine resets the PMU" resets -icount shift=0,sleep=off
check "and without QEMU's instruction clock" resets

# After counting has ended, QEMU translates whole blocks of code again: their average size in `info
# jit` exceeds 15 bytes, the longest instruction.
stops() {
	tests/boot/guests/build stops "$work/stops" || return
	: >"$work/serial"
	{ wait_for grep -q stopped "$work/serial" >&2; printf 'info jit\nquit\n'; } |
		timeout 120 "$qemu" -M pc -cpu Nehalem -accel tcg "$@" -m 64M \
		-plugin "$plugin,pmu=nehalem" \
			-nodefaults -display none -serial "file:$work/serial" -monitor stdio \
			-no-reboot \
			-kernel "$work/stops" >"$work/raw" 2>&1
	tr -d '\r' <"$work/raw" | grep -a '^TB avg target size' || { cat "$work/raw"; return 1; }
	[ "$(sed -n 's/^TB avg target size *\([0-9]*\) .*/\1/p' "$work/raw")" -gt 15 ]
}
check "code is not slowed down after counting has ended" stops -icount shift=0,sleep=off
check "nor without QEMU's instruction clock" stops

# A hypervisor in the guest (guests/intercepts.c).
intercepts() {
	tests/boot/guests/build intercepts "$work/intercepts" && capture timeout 120 "$qemu" -M pc \
		-cpu Nehalem,+svm \
		-accel tcg "$@" -m 64M -plugin "$plugin,pmu=nehalem" -nodefaults -display none \
		-serial stdio \
		-no-reboot -device isa-debug-exit,iobase=0xf4,iosize=1 -kernel "$work/intercepts"
	says '^1\.\.40$' && ! grep '^not ok' "$work/out"
}
check "an access obeys a hypervisor's intercepts, and otherwise counts as one instruction" \
	intercepts \
	-icount shift=0,sleep=off
check "and without QEMU's instruction clock" intercepts

# QEMU's monitor can save neither a snapshot nor a migration.
not_saved() {
	printf 'savevm x\nmigrate exec:cat>%s\nquit\n' "$work/saved" >"$work/commands"
	timeout 60 "$qemu" -plugin "$BUILD/plugin/palmon-qemu.so,pmu=nehalem" \
		-nodefaults -display none -S -m 64M \
		-M pc -cpu Nehalem -monitor stdio <"$work/commands" 2>&1 | tr -d '\r' >"$work/out"
	[ "$(grep -c "^Error: palmon's PMU is not saved with the machine\$" "$work/out")" -eq 2 ] ||
		{ cat "$work/out"; return 1; }
	[ ! -s "$work/saved" ]
}
check "the machine's state is not saved: neither a snapshot nor a migration" not_saved

# An empty disk of 1 MiB that supports snapshots, by QEMU's docs/interop/qcow2: a header; the
# refcount table at 64 KiB; at 128 KiB the refcounts, one for each of four clusters; at 192 KiB a
# data table without entries.
put() {
	printf "$2" | dd of="$work/disk" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
disk() {
	rm -f "$work/disk" && truncate -s 256K "$work/disk" && put 0 'QFI\373\0\0\0\2' &&
		put 20 '\0\0\0\20' &&
		put 24 '\0\0\0\0\0\20\0\0' && put 36 '\0\0\0\1\0\0\0\0\0\3\0\0' &&
		put 48 '\0\0\0\0\0\1\0\0\0\0\0\1' && put 65536 '\0\0\0\0\0\2\0\0' &&
		put 131072 '\0\1\0\1\0\1\0\1'
}
# monitor COMMANDS [OPTION...]: runs monitor commands on a stopped machine with the disk.
monitor() {
	commands=$1
	shift
	printf "$commands" >"$work/commands"
	timeout 60 "$qemu" "$@" -nodefaults -display none -S -m 64M -M pc -cpu Nehalem \
		-drive "file=$work/disk,format=qcow2,if=ide" -monitor stdio <"$work/commands" 2>&1 |
		tr -d '\r' >"$work/out"
	cat "$work/out"
}
refuses="Load state of device palmon failed: a saved machine has no state of palmon's PMU\$"
# Machines that QEMU saved without the plugin load without it.
not_loaded() {
	with="-plugin $plugin,pmu=nehalem"
	disk && monitor "savevm x\nmigrate exec:cat>$work/saved\nquit\n" && [ -s "$work/saved" ] &&
		monitor 'loadvm x\ninfo status\nquit\n' && says '^VM status: ' &&
		! grep -i ' failed' "$work/out" &&
		monitor 'loadvm x\ninfo status\nquit\n' $with && says "^Error: $refuses" &&
		monitor 'info status\n' $with -loadvm x && says ": $refuses" &&
		! grep 'VM status' "$work/out" &&
		monitor '' $with -incoming "exec:cat $work/saved" &&
		says ": load of migration failed: .*$refuses"
}
check "a state saved without the plugin is not loaded: by loadvm, -loadvm or -incoming" not_loaded

# refused ARGUMENTS MESSAGE: QEMU does not start, and prints the reason.
refused() {
	capture timeout 60 "$qemu" -M none -display none -plugin $BUILD/plugin/palmon-qemu.so$1
	[ "$status" -ne 0 ] && says "^palmon: $2"
}
refusals() {
	refused ,pmu=nehalem,evnts=1 "the plugin has no argument 'evnts'" &&
		refused ,pmu=k7 "the processors of this QEMU have no PMU 'k7'" &&
		refused ,pmu=nehalem,fault=counters-alik \
			"there is no fault 'counters-alik'; the nearest name is counters-alike" &&
		refused ,force=1 'the plugin.s argument'
}
check "unknown arguments are refused by name" refusals
# QEMU passes the arguments of the same plugin together.
twice() {
	refused ",pmu=nehalem -plugin $BUILD/plugin/palmon-qemu.so,pmu=knc" \
		"the plugin's argument 'pmu=knc': pmu is there twice"
}
check "a repeated argument is refused" twice
# Another accelerator that each QEMU includes: it executes nothing.
not_emulated() {
	capture timeout 60 "$qemu" -M pc -cpu Nehalem -accel qtest -display none \
		-plugin "$plugin,pmu=nehalem"
	[ "$status" -eq 1 ] && says "^palmon: the PMU needs QEMU's own emulation \\(-accel tcg\\)\$"
}
check "an accelerator that calls no plugin is refused" not_emulated
old() {
	printf '#!/bin/sh\necho QEMU emulator version 7.2.22\n' >"$work/old" &&
		chmod +x "$work/old" || return
	QEMU=$work/old capture tools/qemu qemu-system-x86_64
	[ "$status" -eq 2 ] &&
		says '^palmon: QEMU=.*: its version is [0-9.]*; *palmon needs qemu-system-x86_64 11\.1 or newer$'
}
check "a QEMU that is too old is refused" old
done_checking
