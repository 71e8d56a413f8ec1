#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CLOCK=timed: fetch, decode, the microcode sequencer, the stack engine, and stalls of renaming, for
# passes over a few instructions. Each pass has three more: a jump, DEC and JNZ, of one uop each. Uops
# of instructions: hal/emu/model/nehalem.machine. test_pipeline.c counts by hand.
. tests/tap.sh
. tests/boot/grows.sh
. tests/qemu.sh
use_qemu qemu-system-x86_64 image
unset FAULT MACHINE
export CLOCK=timed

I=INST_RETIRED.ANY_P U=UOPS_ISSUED.ANY D=UOPS_DECODED
# passes CODE NAME=N...: each of a thousand passes raises the count by N
passes() {
	code=$1
	shift
	grown=
	for expected; do
		grown="$grown ${expected%=*}=$((1000 * ${expected#*=}))"
	done
	grows 1000 code CODE="\"$code\"" -- $grown
}
by_unit() {
	CLOCK=unit "$@"
}
check "each instruction enters its queue, and is decoded" \
	passes 'nop; nop' $I=5 INST_QUEUE_WRITES=5 MACRO_INSTS.DECODED=5 $D.ANY=5
check "all that is decoded issues and retires" \
	passes 'nop; nop' $D.ANY=5 $U=5 UOPS_RETIRED.RETIRE_SLOTS=5 INST_DECODED.DEC0=0

# A compare and its branch are one uop, and one instruction of the decoders.
check "a fused pair is decoded once" passes 'cmp %%eax, %%eax; jne 1b' INST_QUEUE_WRITES=5 \
	MACRO_INSTS.DECODED=4 MACRO_INSTS.FUSIONS_DECODED=1 $D.ANY=4

# ADC: two uops. FSIN: 16, of which four come in a cycle. REP STOSB: two for each byte.
check "the first decoder decodes instructions of two uops" \
	passes 'adc %%eax, %%eax' INST_DECODED.DEC0=1 TWO_UOP_INSTS_DECODED=1 $D.ANY=5 $D.MS=0
check "longer ones come from the microcode sequencer" \
	passes 'fldz; fsin; fstp %%st(0)' $D.MS=16 $D.MS_CYCLES_ACTIVE=4 INST_DECODED.DEC0=1 $D.ANY=21
check "so do repeated strings, decoded once" passes 'lea %[memory], %%rdi; mov $10, %%ecx; rep stosb' \
	$I=6 INST_QUEUE_WRITES=6 MACRO_INSTS.DECODED=6 $D.MS=20
# The loop's last branch is mispredicted, because the last 18 outcomes do not tell it from the others. An
# iteration takes a cycle: 10 more in each of a thousand passes.
iterate() {
	count code CPU_CLK_UNHALTED.THREAD TURNS=1000 \
		CODE="\"lea %[memory], %%rdi; mov \$$1, %%ecx; mov \$30, %%edx; 3: dec %%edx; jnz 3b; rep stosb\"" \
		>"$work/$1" && cat "$work/$1"
}
after_misprediction() {
	iterate 10 && iterate 20 && [ $(($(cut -d= -f2 "$work/20") - $(cut -d= -f2 "$work/10"))) -eq 10000 ]
}
check "a misprediction before a repeated string delays it once" after_misprediction
check "metric MICROCODE_PENALTY has its events" \
	passes 'fldz; fsin; fstp %%st(0)' MACHINE_CLEARS.CYCLES=0 $D.MS_CYCLES_ACTIVE=4

# PUSH and POP move the stack pointer without a uop; LEA then needs it, the second LEA no more.
check "the stack engine inserts uops" \
	passes 'push %%rax; pop %%rax; lea (%%rsp), %%rdx; lea (%%rsp), %%rdx' \
	$D.ESP_FOLDING=2 $D.ESP_SYNC=1 $U=8 $D.ANY=8

# ADC waits for the carry of STC. Its two uops, JMP and DEC issue in one cycle; JNZ, STC and DEC in the
# next one. ADC could issue there, too, but only issues seven cycles later: six issue nothing. If STC
# follows DEC, it has written the carry that ADC reads.
check "flags of two instructions stop renaming" \
	passes 'stc; dec %%eax; adc $0, %%edx' RAT_STALLS.FLAGS=6 RAT_STALLS.ANY=6 \
	RESOURCE_STALLS.ANY=0
check "flags of one do not" passes 'dec %%eax; stc; adc $0, %%edx' RAT_STALLS.FLAGS=0

# Both issue in the same cycle, without the three cycles: none in two cycles. A uop joins the parts.
check "a part of a register stops renaming" \
	passes 'mov %%cl, %%al; mov %%eax, %%edx' RAT_STALLS.REGISTERS=2 $U=6
check "after the register was set to 0 it does not" \
	passes 'xor %%eax, %%eax; mov %%cl, %%al; mov %%eax, %%edx' RAT_STALLS.REGISTERS=0 $U=6

# Fog: 31 cycles for FLDCW, 5 for LDMXCSR. JMP, DEC, JNZ and the load of either issue in one cycle, the
# last uop of FLDCW in the next one, the last six of LDMXCSR in the next two.
check "FLDCW stops issue" passes 'fldcw %[word]' RESOURCE_STALLS.FPCW=29 RESOURCE_STALLS.MXCSR=0
check "LDMXCSR stops issue" passes 'ldmxcsr %[mxcsr]' RESOURCE_STALLS.MXCSR=2 RESOURCE_STALLS.FPCW=0

check "length-changing prefixes stop the length decoder" \
	passes 'addw $0x1234, %%ax' ILD_STALL.LCP=6

# The loop stream detector repeats loops of at most 28 uops, from the third pass on.
check "it repeats a short loop" \
	passes 'mov $10, %%ecx; 3: dec %%ecx; jnz 3b' LSD_REPLAY.COUNT=1 LSD_OVERFLOW=0
check "and not a long one" passes 'mov $10, %%ecx; 3: .rept 30; nop; .endr; dec %%ecx; jnz 3b' \
	LSD_REPLAY.COUNT=0 LSD_OVERFLOW=1

# A clear takes the 17 cycles of a misprediction.
check "a store to code clears the pipeline" \
	grows 1000 patches -- MACHINE_CLEARS.SMC=1000 MACHINE_CLEARS.CYCLES=17000 L1I.MISSES=1000
check "with the unit clock, it counts" by_unit grows 1000 patches -- MACHINE_CLEARS.SMC=1000 L1I.MISSES=1000

# The clock adds up cycles only while no counter of fetch and decode counts.
unwatched() {
	count strides "$I,$U,CPU_CLK_UNHALTED.THREAD" TURNS=5 KILOBYTES=128 >"$work/alone" || return
	count strides "$I,$U,CPU_CLK_UNHALTED.THREAD,$D.ANY" TURNS=5 KILOBYTES=128 >"$work/watched" || return
	cat "$work/watched"
	sed "/^$D/d" "$work/watched" | cmp - "$work/alone" && [ "$(wc -l <"$work/alone")" -eq 3 ]
}
check "a counter of decoded uops changes no other count" unwatched

check "each load is dispatched once" passes 'mov %[memory], %%rax; mov %%rax, %[memory]; mov %[memory], %%rdx' \
	LOAD_DISPATCH.ANY=2 UOPS_EXECUTED.PORT2_CORE=2
check "locked accesses across lines" passes 'lea %[memory], %%rax; or $63, %%rax; lock incl (%%rax)' \
	SQ_MISC.SPLIT_LOCK=1
done_checking
