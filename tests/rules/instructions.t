#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Knights Corner image has no instruction that this processor lacks: every instruction that
# objdump prints is in the list below.
. tests/tap.sh
use_target knc svm img

# The list follows the instruction sets in Intel XED's table of chips (datafiles/xed-chips.txt),
# whose line for this processor (datafiles/knc/lrb2-chips.txt) has all of the Pentium, its own
# vector instructions, long mode and FXSAVE. Names are as in SDM volume 2, conditions as objdump
# spells them. The processor's own instructions are left out, and so are SSEMXCSR and 0F 1F /0.
conditions='a ae b be e g ge l le ne no np ns o p s'
cat >"$work/list" <<'END'
# I86, I186, LAHF
adc add and call cbw cdq clc cld cli cmc cmp cmps cwd cwde dec div enter hlt idiv imul in inc ins int int3 iret jmp lahf
lds lea leave les lods loop loope loopne mov movs mul neg nop not or out outs pop popf push pushf rcl rcr ret retf rol
ror sahf sar sbb scas shl shr stc std sti stos sub test wait xchg xlat xor jecxz jrcxz
# I286
clts lar lgdt lgdtd lidt lidtd lldt lmsw lsl ltr sgdt sidt sldt smsw str verr verw
# I386
bsf bsr bt btc btr bts lfs lgs lss movsx movzx shld shrd iretd popfd pushfd
# I486: INVD and WBINVD, too
bswap cmpxchg cpuid invd invlpg rsm wbinvd xadd
# PENTIUM
cmpxchg8b rdmsr rdtsc wrmsr
# X87
f2xm1 fabs fadd faddp fbld fbstp fchs fnclex fcom fcomp fcompp fcos fdecstp fdiv fdivp fdivr fdivrp ffree fiadd ficom
ficomp fidiv fidivr fild fimul fincstp fninit fist fistp fisub fisubr fld fld1 fldcw fldenv fldl2e fldl2t fldlg2 fldln2
fldpi fldz fmul fmulp fnop fnsave fnstcw fnstenv fnstsw fpatan fprem fprem1 fptan frndint frstor fscale fsin fsincos
fsqrt fst fstp fsub fsubp fsubr fsubrp ftst fucom fucomp fucompp fwait fxam fxch fxtract fyl2x fyl2xp1
# LONGMODE
cdqe cqo iretq movabs movsxd popfq pushfq retfq swapgs syscall sysret
# FXSAVE, FXSAVE64
fxrstor fxrstor64 fxsave fxsave64
# The guide (327357-001), 1.3.2
rdpmc
# F3 90: a no-operation for a processor that does not know it
pause
END
{
	grep -v '^#' "$work/list" | tr ' ' '\n'
	for condition in $conditions; do printf '%s\n' "j$condition" "set$condition"; done
} >"$work/has"

# spflt FILE: replaces SPFLT by no-operations in a copy. objdump does not know it (C5 FB AE F0+r, C4
# C1 7B AE F0+r).
spflt() {
	perl -0777 -pe '
		s/\xC5\xFB\xAE[\xF0-\xF7]/\x90\x90\x90\x90/g;
		s/\xC4\xC1\x7B\xAE[\xF0-\xF7]/\x90\x90\x90\x90\x90/g' "$1" >"$work/copy"
}

# disassemble FILE OPTIONS...: prints lines of function and instruction.
disassemble() {
	spflt "$1"
	shift
	objdump -d -w -M intel --no-show-raw-insn "$@" "$work/copy" | awk -F'\t' '
		/^[0-9a-f]+ <.*>:$/ { name = $1; sub(/^[^<]*</, "", name); sub(/>:$/, "", name) }
		NF >= 2 { print name, $2 }'
}

# lacks FILE OPTIONS...: prints the instructions that the processor lacks.
lacks() {
	disassemble "$@" | awk -v has="$work/has" '
		BEGIN {
			while ((getline line <has) > 0) allowed[line]
		}
		{
			name = $2
			prefix = "^(rep|repz|repnz|lock|data16|cs|ds|es|ss|fs|gs|rex([.][WRXB]+)?)$"
			for (i = 2; $i ~ prefix && i < NF; i++)
				name = $(i + 1)
			found++
			wide = name == "nop" && $NF != "nop"
			if (wide || /%?[xyz]?mm[0-9]/ || !(name in allowed))
				print
		}
		END { if (!found) print "nothing was disassembled" }'
}

none_lacks() {
	result=$(lacks "$@")
	[ -z "$result" ] || { echo "$result"; false; }
}

entry=0x$(nm "$IMAGE.elf" | awk '$3 == "image_entry" { print $1 }')
entry_size=$(size -A -d "$BUILD/$TARGET/arch/x86/entry.o" | awk '$1 == ".text.entry" { print $2 }')
entry_end=$(printf '0x%x' $((entry + entry_size)))

check "the image has no instruction that Knights Corner lacks" none_lacks "$IMAGE.elf" \
	--start-address="$entry_end"
# The switch from 32-bit to 64-bit code, read as 32-bit code: a 64-bit prefix is an INC or DEC
# there.
check "the switch to 64-bit mode has none" \
	none_lacks "$IMAGE.elf" -M i386 --start-address="$entry" --stop-address="$entry_end"
check "the 32-bit code before the switch has none" none_lacks "$IMAGE.elf" -M i386,intel -j .early
check "the entries from 64-bit mode have none" none_lacks "$IMAGE.elf" -j .early_64

# finds INSTRUCTION: the check reports an object with this instruction.
finds() {
	printf 'outside:\n\tmov %%eax, %%ebx\n\t%s\n\tret\n' "$1" | as -o "$work/bad.o" || return 1
	result=$(lacks "$work/bad.o")
	[ "$(echo "$result" | grep -c .)" -eq 1 ] || { echo "found: $result"; false; }
}
while read -r instruction; do
	check "an instruction that is not in the list is found: $instruction" finds "$instruction"
done <<'END'
cmovne %eax, %ebx
cmovbeq 8(%rax,%rbx,4), %rbx
fcmove %st(1), %st
fucomip %st(1), %st
fisttpl (%rax)
movaps %xmm0, %xmm1
movq %xmm0, (%rax)
cvtsi2sd %eax, %xmm0
pxor %mm0, %mm1
emms
ldmxcsr (%rax)
movnti %rax, (%rbx)
nopl (%rax)
nopw 0(%rax,%rax,1)
endbr64
mfence
lfence
sfence
clflush (%rax)
prefetcht0 (%rax)
prefetchw (%rax)
popcnt %eax, %ebx
tzcnt %eax, %ebx
cmpxchg16b (%rax)
sysenter
rdtscp
monitor
ud2
vmrun
END
done_checking
