#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's image on QEMU's niagara: how it starts and ends, programs in user mode, unexpected
# traps, and that no emulator process is left.
. tests/tap.sh
use_target sparct4 prom
. tests/boot/sparct4-words.sh
prepare fault
work_pattern=sparct4-machine-$$

# Emulator processes of this test have its name in their folder's path. QEMU may be started by the
# dynamic linker of its package.
export TMPDIR="$work/$work_pattern"
mkdir -p "$TMPDIR"
emulators() {
	pgrep -f "^[^ ]*(ld-linux|qemu-system-sparc64)[^ ]* .*$work_pattern"
}
none_left() {
	left=$(emulators)
	[ -z "$left" ] || { echo "left: $left"; false; }
	[ -z "$(ls "$TMPDIR")" ] || { ls "$TMPDIR"; false; }
}

small=tests/boot/workloads/sparct4-windows.c
started() {
	measure $small
	says '^palmon: Oracle SPARC T4 \(sparct4\), started by reset, PMU: ' && ended 0 && none_left
}
check "the image starts by reset" started
check "register windows, FPU, setjmp and the C library in user mode" \
	says '^windows: 0 wrong, 5\.878030948, jump 7, quad -1\.625$'
use_target sparct4 prom

command_line() {
	boot run=nothing
	ended 1 && says '^palmon: run=nothing: the value is to be' &&
		says '^palmon: status 1 \(bad command line: run=nothing\)' && none_left
}
check "the command line reaches it; a bad one is refused" command_line

# The other resets have other entries, which QEMU cannot trigger: the test redirects the power-on
# reset's entry, at 20h, to them.
types=2
[ -z "${EXTRA:-}" ] || types='2 3 4 5'
other_resets() {
	mkdir -p "$work/prom" && cp "$IMAGE.prom/openboot.bin" "$work/prom" || return
	for type in $types; do
		cp "$IMAGE.prom/reset.bin" "$work/prom"
		branch=$(printf '\\020\\200\\000\\%03o\\001\\000\\000\\000' \
			$(((type - 1) * 8)))	# and NOP
		printf "$branch" | dd of="$work/prom/reset.bin" bs=1 seek=32 conv=notrunc \
			status=none
		capture env TIMEOUT=300 tools/run-image sparct4 "$work/prom" run=selftest
		ended 1 && says "^palmon: a reset of type $type, which is not the power-on reset: this strand" &&
			says '^palmon: status 1 \(reset\)$' || return
	done
	none_left
}
check "resets other than power-on name their type and stop" other_resets

# The reset code must fit below the command line, and the command line below the image.
prom_layout() {
	[ "$(wc -c <"$IMAGE.prom/reset.bin")" -le $((0x10000)) ] &&
		[ "$(wc -c <"$IMAGE.prom/openboot.bin")" -le $((0x400000 - 0x80000)) ]
}
check "the PROM's parts fit" prom_layout

# All of the runtime except functions that programs call. A block store reads FPU registers and
# changes none. The block load of sparc64_flush_blocks changes some, but no program runs then, and
# interrupts are off.
runtime=$(find "$BUILD/$TARGET"/arch "$BUILD/$TARGET"/hal "$BUILD/$TARGET"/pal \
	"$BUILD/$TARGET"/pmu -name '*.o' |
	grep -v -e sparc64/libc -e selftest)
no_fpu() {
	for object in $runtime; do
		sparc64-linux-gnu-objdump -d --no-show-raw-insn "$object" |
			grep -E '%f[0-9]|%fsr|%gsr' |
			grep -v -e 'stda *%f0, .*ASI_BLK_COMMIT_P' \
				-e 'ldda *\[ *%o0 *\] *#ASI_BLK_P, %f0' &&
				{ echo "$object"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
check "the runtime does not use the FPU" no_fpu

no_division() {
	for function in arch_pmi_entry sparct4_overflow_interrupt; do
		sparc64-linux-gnu-objdump -d --no-show-raw-insn --disassemble=$function \
			"$IMAGE.elf" >"$work/function"
		grep -q "<$function>:" "$work/function" || { echo "no $function"; bad=1; }
		grep -E '[us]div' "$work/function" && { echo "$function"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
check "the overflow trap does not divide" no_division

way() {
	measure_with fault "WAY $1"
}

# faults WAY PATTERN: the run fails, and the dump names the trap and the function.
faults() {
	way "$1"
	[ "$status" -ne 0 ] && says "unexpected exception or interrupt $2" && says '^g0 ' &&
		says '^tstate ' &&
		says '^palmon: status 1 \(fault\)' && none_left
}
check "reading address 0" faults read_null 'in read_null: fast_data_access_MMU_miss'
long "dividing by zero" faults divide_by_zero 'in divide_by_zero: division_by_zero'
check "an invalid opcode" faults invalid_opcode 'in invalid_opcode: illegal_instruction'
long "a misaligned access" faults misalign 'in misalign: mem_address_not_aligned'
check "writing to code" faults write_to_code \
	'in write_to_code: fast_data_access_protection'
long "writing to the runtime's data" faults write_to_runtime \
	'in write_to_runtime: fast_data_access_protection'
check "executing data" faults execute_data \
	'in no function: fast_instruction_access_MMU_miss'
long "a privileged instruction" faults be_privileged \
	'in be_privileged: privileged_opcode'
long "an unused software trap" faults unused_trap 'in unused_trap: trap'
check "returning without a stack" faults lose_stack \
	'in lose_stack: fast_data_access_MMU_miss'

# ends_with WAY PATTERN
ends_with() {
	way "$1"
	[ "$status" -ne 0 ] && says "$2" && none_left
}
check "a workload that returns non-zero fails the run" ends_with return_seven \
	'^palmon: the workload returned 7'
without_end() {
	TIMEOUT=1 ends_with loop_for_ever 'the time limit of 1 seconds'
}
check "an endless loop ends with the time limit" without_end

some_run() {
	[ -n "$(emulators)" ]
}
# interrupted SIGNAL: runs the endless loop, and sends the signal after its emulator has started.
interrupted() {
	TIMEOUT=300 tools/run-image sparct4 "$IMAGE.prom" run=session >"$work/out" 2>&1 &
	runner=$!
	wait_for some_run || return
	kill -"$1" $runner
	wait $runner
	status=$?
	ended 4 && says '^palmon: interrupted' && none_left
}
check "a runner that is terminated leaves nothing" interrupted TERM
long "a runner that is hung up leaves nothing" interrupted HUP

killed() {
	TIMEOUT=300 tools/run-image sparct4 "$IMAGE.prom" run=session >"$work/out" 2>&1 &
	runner=$!
	wait_for some_run && kill -9 $(emulators) || return 1
	wait $runner
	status=$?
	[ "$status" -ne 0 ] && says 'killed|failed' && none_left
}
check "an emulator that is killed is a failed run" killed

without_plugin() {
	mkdir -p "$work/tree/tools" "$work/tree/pmu" "$work/tree/hal/emu/qemu"
	cp tools/run-image tools/qemu "$work/tree/tools/" && cp pmu/targets.tab "$work/tree/pmu/" &&
		sed 's/-plugin \$plugin//' hal/emu/qemu/machine \
		>"$work/tree/hal/emu/qemu/machine" || return
	capture env TIMEOUT=300 BUILD="$BUILD" "$work/tree/tools/run-image" sparct4 "$IMAGE.prom" \
		run=selftest
	ended 1 && says '^palmon: started by reset; this machine has no PMU of Oracle SPARC T4: ' &&
		says ': a read of PCR0 faults$' &&
		says '^palmon: status 1 \(no PMU\)$'
}
check "without the plugin there is no PMU" without_plugin

# Guests query this register for the events that the machine can raise. Silicon has no such
# register.
silent() {
	MACHINE=sparct4,announce=off measure $small events=Instr_all:u,DTLB_miss_asynch &&
		ended 0 &&
		says 'PMU: unknown$' && says '^ *[1-9][0-9,]*  Instr_all:u +[0-9] *$' &&
		says '^ +0  DTLB_miss_asynch +[0-9] * # unknown whether it happens here$'
}
check "announce=off: the backend is unknown, and so is whether events are raised" silent
announced() {
	measure $small events=Instr_all:u,DTLB_miss_asynch && ended 0 &&
		says 'PMU: QEMU plugin, unit clock$' &&
		says '^ +<not counted>  DTLB_miss_asynch .* # does not happen under QEMU plugin, unit clock$'
}
check "otherwise the image identifies the machine, and the event that is never raised" announced

# refused ARGUMENTS MESSAGE: QEMU does not start, and prints the reason.
refused() {
	capture timeout 60 "$(tools/qemu qemu-system-sparc64)" -M none -display none \
		-plugin "$BUILD/plugin/palmon-qemu.so,pmu=$1"
	[ "$status" -ne 0 ] && says "^palmon: $2"
}
check "another instruction set's PMU is refused" refused nehalem \
	"the processors of this QEMU have no PMU 'nehalem'"
check "the memory controllers' PMU without the cores' is refused" refused sparct4-dram \
	"the processors of this QEMU have no PMU 'sparct4-dram'"
done_checking
