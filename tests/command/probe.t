#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon probe: CPUID of real processors (tests/vectors/cpuid), fields taken apart by hand after the SDM, volume 2A,
# CPUID, and the APM, volume 3, appendix E; contradictory answers; MSRs; bad files; this machine.
. tests/tap.sh
. tests/command/command.sh

# probe NAME: probes the vector; the output's lines are joined, blanks squeezed, into $work/flat.
flatten() { tr '\n' ' ' <"$work/out" | sed 's/  */ /g' >"$work/flat"; }
probe() {
	palmon probe --from="tests/vectors/cpuid/$1.txt"
	flatten
}
# says TEXT...: the joined output contains each of these.
says() {
	done_quietly || return
	for text; do
		grep -qF -- "$text" "$work/flat" || { echo "not said: $text"; show; return; }
	done
}
# Never says TEXT.
silent() { done_quietly && ! grep -F -- "$1" "$work/flat"; }

SEVEN='UnHalted Core Cycles, Instruction Retired, UnHalted Reference Cycles, LLC Reference, LLC Misses,'
SEVEN="$SEVEN Branch Instruction Retired, Branch Misses Retired"

# EAX 07280202: 7 events, 40 bits, 2 counters, version 2. EDX 503: 40 bits, 3 fixed counters.
probe penryn
check "Penryn: version 2" says 'CPUs 0-1: GenuineIntel, family 6, model 0x17, stepping 6 ' \
	'version 2: 2 general counters of 40 bits, fixed counters 0-2 of 40 bits ' \
	"events $SEVEN lacks Topdown Slots," \
	' target intel '
check "Penryn contradicts nothing" silent contradiction
# EAX 07300403, EDX 603.
probe haswell
check "Haswell: version 3" says 'model 0x3c, stepping 3 ' \
	'version 3: 4 general counters of 48 bits, fixed counters 0-2 of 48 bits '
# EAX 07300804, EDX 603: 8 counters, because the processor has no second thread. Leaf 7, EBX 029C67AF: bit 25.
probe skylake
check "Skylake: version 4" says 'model 0x5e, stepping 3 ' \
	'version 4: 8 general counters of 48 bits, fixed counters 0-2 of 48 bits ' ' 0x07.0 ebx pt 1 processor trace'
# EAX 08300805, ECX F, EDX 8604: bit 15, 48 bits, 4 fixed counters.
probe ice-lake
check "Ice Lake: version 5" says 'model 0x7e, stepping 5 ' \
	'version 5: 8 general counters of 48 bits, fixed counters 0-3 of 48 bits ' \
	"events $SEVEN, Topdown Slots lacks" \
	' any_deprecated 1 AnyThread is deprecated'
check "Ice Lake contradicts nothing" silent contradiction
# Leaf 0AH EBX 280: events 7 and 9 are absent on some cores. Leaf 23H.3: 1DFF lacks 9, 1F7F lacks 7. 23H.1: 3FF and F;
# FF and 77. 1AH: 40H, 20H. 1CH EAX 0B: depths 8, 16, 32.
probe lunar-lake
check "a hybrid: two groups of CPUs" says 'CPUs 0-1: GenuineIntel, family 6, model 0xbd' \
	'CPUs 4-5: GenuineIntel, family 6, model 0xbd' \
	'; by leaf 23H general counters 0-9, fixed counters 0-3 ' \
	'; by leaf 23H general counters 0-7, fixed counters 0-2,4-6 ' \
	'LBR Inserts lacks Topdown Bad Speculation target' 'LBR Inserts lacks Topdown Slots target' \
	' core_type 64 ' ' core_type 32 ' ' lbr_depths 11 '
check "a hybrid contradicts nothing" silent contradiction
# Fn8000_0001 ECX 75C237FF: bits 10, 23, 24, 26, 28. Fn8000_001B 3FF.
probe rome
check "EPYC Rome" says 'CPUs 0-1: AuthenticAMD, family 23, model 0x31, stepping 0 ' \
	'PMU PerfCtrExtCore: 6 core counters of 48 bits, instruction-based sampling target' \
	' IbsFetchCtlExtd 1 ' ' PerfCtrExtLLC 1 ' ' PerfCtrExtNB 1 '
check "EPYC Rome: no version 2" silent PerfMonV2
# Fn8000_0022 EAX 7, EBX 00304106: 6; 10H = 16; 10H = 16; 30H = 48.
probe genoa
check "EPYC Genoa" says 'family 25, model 0x11, stepping 1 ' \
	'PMU PerfMonV2: 6 core counters of 48 bits, 16 northbridge counters, 16 branch records, instruction-based' \
	' LbrAndPmcFreeze 1 ' ' NumPerfCtrUmc 48 '
check "EPYC Genoa contradicts nothing" silent contradiction

# with LINE...: probes a CPU with these leaves.
INTEL='0x00000000 0x00: eax=0x00000023 ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69'
AMD='0x00000000 0x00: eax=0x00000010 ebx=0x68747541 ecx=0x444d4163 edx=0x69746e65'
leaf() { printf '0x%08x 0x%02x: eax=0x%08x ebx=0x%08x ecx=0x%08x edx=0x%08x\n' "$@"; }
with() {
	{ echo 'CPU 0:'; printf '%s\n' "$@"; } >"$work/cpu.txt"
	palmon probe --from="$work/cpu.txt"
	flatten
}
# contradicts SENTENCE LINE...
contradicts() {
	sentence=$1
	shift
	with "$@"
	says " contradiction $sentence"
}
ONE=$(leaf 1 0 0x000906a0 0 0x8000 0)
check "width 0" contradicts 'CPUID.0AH reports general counters of 0 bits' "$INTEL" "$ONE" \
	"$(leaf 10 0 0x07000403 0 0 0x603)"
check "64 counters" contradicts 'CPUID.0AH reports 64 general counters; the global registers have bits for 32' \
	"$INTEL" "$ONE" "$(leaf 10 0 0x07304003 0 0 0x603)"
check "a version, but no counters" contradicts 'CPUID.0AH reports 0 general counters' "$INTEL" "$ONE" \
	"$(leaf 10 0 0x07300003 0 0 0x603)"
check "counters, but version 0" contradicts 'CPUID.0AH reports counters, but version 0' "$INTEL" "$ONE" \
	"$(leaf 10 0 0x07300400 0 0 0x603)"
check "version 0: no PMU is offered" says 'PMU no PMU is offered: CPUID.0AH reports version 0 target none'
check "version 1 with fixed counters" contradicts 'CPUID.0AH reports fixed counters, which version 1 does not have' \
	"$INTEL" "$ONE" "$(leaf 10 0 0x07280201 0 0 0x503)"
check "fixed counters as bits in version 4" \
	contradicts 'CPUID.0AH:ECX reports fixed counters as bits, which versions before 5 do not' \
	"$INTEL" "$ONE" "$(leaf 10 0 0x07300404 0 7 0x603)"
check "leaf 23H denies fixed counters" contradicts 'CPUID.23H denies fixed counters that CPUID.0AH reports' \
	"$INTEL" "$ONE" "$(leaf 10 0 0x08300805 0 0xF 0x604)" "$(leaf 7 1 0x100 0 0 0)" "$(leaf 35 0 2 0 0 0)" \
	"$(leaf 35 1 0xFF 0x7 0 0)"
check "a leaf 23H that does not exist" contradicts 'CPUID.07H.1 reports leaf 23H, which does not exist' \
	"$INTEL" "$ONE" "$(leaf 10 0 0x08300805 0 0xF 0x604)" "$(leaf 7 1 0x100 0 0 0)"
check "LBRs without a number" \
	contradicts 'CPUID.07H reports architectural LBRs, but leaf 1CH no number of records' \
	"$INTEL" "$ONE" "$(leaf 10 0 0x08300805 0 0xF 0x604)" "$(leaf 7 0 0 0 0 0x80000)"
check "a hybrid without types" \
	contradicts 'CPUID.07H reports cores that differ, but leaf 1AH no type of this core' \
	"$INTEL" "$ONE" "$(leaf 10 0 0x08300805 0 0xF 0x604)" "$(leaf 7 0 0 0 0 0x8000)"
V2='CPUID.8000_0022H reports'
EXTENDED=$(leaf 0x80000000 0 0x80000022 0 0 0)
check "PerfMonV2 without counters" contradicts "$V2 PerfMonV2, but 0 core counters" "$AMD" "$EXTENDED" \
	"$(leaf 0x80000001 0 0 0 0x800000 0)" "$(leaf 0x80000022 0 1 0 0 0)"
check "PerfMonV2 without PerfCtrExtCore" \
	contradicts "$V2 PerfMonV2, but CPUID.8000_0001H no PerfCtrExtCore" "$AMD" "$EXTENDED" \
	"$(leaf 0x80000001 0 0 0 0 0)" "$(leaf 0x80000022 0 1 6 0 0)"
check "branch records, but none" contradicts "$V2 a stack of branch records, but 0 records" "$AMD" "$EXTENDED" \
	"$(leaf 0x80000001 0 0 0 0x800000 0)" "$(leaf 0x80000022 0 3 6 0 0)"
check "northbridge counters that the older leaf denies" \
	contradicts "$V2 northbridge counters, but CPUID.8000_0001H no PerfCtrExtNB" "$AMD" "$EXTENDED" \
	"$(leaf 0x80000001 0 0 0 0x800000 0)" "$(leaf 0x80000022 0 1 0x1006 0 0)"
check "IBS without features" \
	contradicts 'CPUID.8000_0001H reports IBS, but CPUID.8000_001BH no features of it' "$AMD" "$EXTENDED" \
	"$(leaf 0x80000001 0 0 0 0x400 0)"
check "features without IBS" \
	contradicts 'CPUID.8000_001BH reports features of IBS, but CPUID.8000_0001H no IBS' "$AMD" "$EXTENDED" \
	"$(leaf 0x80000001 0 0 0 0 0)" "$(leaf 0x8000001B 0 1 0 0 0)"
check "CPUs that differ, but are no hybrid" contradicts \
	'other CPUs answer differently, but CPUID.07H reports no cores that differ' \
	"$INTEL" "$ONE" "$(leaf 10 0 0x07300404 0 0 0x603)" \
	'CPU 1:' "$INTEL" "$ONE" "$(leaf 10 0 0x07300804 0 0 0x603)"
# A guest of KVM: leaf 40000000H is KVMKVMKVM, and three NULs.
KVM=$(leaf 0x40000000 0 0x40000001 0x4b4d564b 0x564b4d56 0x4d)
GUEST=$(leaf 1 0 0x00a20f10 0 0x80000000 0)
with "$AMD" "$GUEST" "$KVM" "$EXTENDED"
check "an AMD guest without a PMU" says 'hypervisor KVMKVMKVM PMU no PMU is offered: CPUID reports neither'
with "$INTEL" "$(leaf 1 0 0x000906a0 0 0x80000000 0)" "$KVM" "$(leaf 10 0 0 0 0 0)"
check "an Intel guest without a PMU" says 'hypervisor KVMKVMKVM PMU no PMU is offered: CPUID.0AH reports version 0'
with "$AMD" "$(leaf 1 0 0x00000f4a 0 0 0)"
check "older AMD processors have 4 counters" says "family 15, model 0x4, stepping 10 " \
	"PMU older processors' counters: 4 core counters of 48 bits target"

# MSRs, composed by hand: IA32_PERFEVTSEL0 4300C0: C0H, USR, OS, EN; IA32_FIXED_CTR_CTRL B0: fixed counter 1 at
# both levels, with interrupt; all counters are on in IA32_PERF_GLOBAL_CTRL but general counter 1.
with_msrs() {
	{
		echo "nmi_watchdog: $1"
		cat tests/vectors/cpuid/skylake.txt
		printf 'msr 0x%x: 0x%x\n' 0x186 0x4300c0 0x187 0x43003c 0x38d 0xb0 0x38f 0x7000000fd 0x309 7 \
			0x345 0x33c5 0x3f1 0x100000001
	} >"$work/cpu.txt"
	palmon probe --from="$work/cpu.txt"
	flatten
}
with_msrs 1
check "the counters in use" says \
	'CPU 1: use general counter 0 is enabled: INSTRUCTION_RETIRED use fixed counter 1 is' \
	"use Linux's NMI watchdog is on; it counts cycles: counter 33 IA32_"
check "a counter that is off in the global register is not in use" silent 'general counter 1 is'
# 33C5: LBR format 5, bits 6 and 7, PEBS format 3, bits 12 and 13.
check "fields of MSRs" says 'IA32_PERFEVTSEL0 (0x186) = 0x00000000004300c0 7:0 EventSelect 0xc0 event code' \
	'IA32_PERF_CAPABILITIES (0x345) = 0x00000000000033c5 5:0 LBR_FMT 0x5 6 PEBS_TRAP 0x1 7 PEBS_ARCH_REGS 0x1' \
	'11:8 PEBS_FMT 0x3 12 FREEZE_WHILE_SMM 0x1 13 FW_WRITE 0x1' \
	'IA32_PEBS_ENABLE (0x3f1) = 0x0000000100000001 7:0 PEBS_EN_PMC 0x1'
with_msrs 0
check "the watchdog is off" says "use Linux's NMI watchdog is off"
# 530076: event 76H, User, OS, Int, En; 100530129: event 129H, whose bits 11:8 are at 35:32, unit mask 1. Global
# control: counters 0 and 1.
amd_msrs() {
	{
		echo 'nmi_watchdog: 1'
		cat tests/vectors/cpuid/genoa.txt
		printf 'msr 0x%x: 0x%x\n' 0xC0010200 0x530076 0xC0010202 0x100530129 0xC0010204 0x530001 \
			0xC0000301 3 0x1D9 0x1800
	} >"$work/cpu.txt"
	palmon probe --from="$work/cpu.txt"
	flatten
}
amd_msrs
check "AMD's counters in use" says 'use core counter 0 is enabled: event 0x076, unit mask 0x00' \
	'use core counter 1 is enabled: event 0x129, unit mask 0x01' 'it counts cycles: counter 0 ' \
	'PerfCntrGlobalCtl (0xc0000301) = 0x0000000000000003 5:0 PerfCntrEn 0x3' \
	'11 FREEZE_LBRS_ON_PMI 0x1 ' '12 FREEZE_PERFMON_ON_PMI 0x1'
check "AMD's counter that is off in the global register" silent 'core counter 2 is'

with "$INTEL" "$ONE" "$(leaf 10 0 0x07000403 0 0 0x603)" 'msr 0x186: 0x4300c0'
check "counters of a PMU that no target drives" says 'use which counters are in use is unknown'

# The form of cpuid -r.
raw_is_kept() {
	palmon probe --raw --from=tests/vectors/cpuid/lunar-lake.txt
	done_quietly && grep -v '^#' tests/vectors/cpuid/lunar-lake.txt | diff - "$work/out"
}
check "--raw prints the answers, in the form of cpuid -r" raw_is_kept
printf 'CPU:\n   %s\n' "$INTEL" >"$work/one.txt"
palmon probe --raw --from="$work/one.txt"
check "cpuid -1 -r is CPU 0" prints 'CPU 0:' "   $INTEL"
palmon probe -j --from=tests/vectors/cpuid/genoa.txt
check "JSON" each_object '$o->{cpus} eq "0-1" && $o->{family} == 25 && $o->{offered} &&
	(grep { $_->{name} eq "NumPerfCtrUmc" && $_->{value} == 48 } @{$o->{fields}}) == 1'

# Bad files: line and reason.
bad() {
	printf '%b' "$1" >"$work/bad.txt"
	palmon probe --from="$work/bad.txt"
	refuses 1 "$2"
}
check "no CPU" bad '' "bad.txt: no line 'CPU NUMBER:'"
check "other text" bad 'CPU 0:\nhello\n' "line 2: not '0xLEAF 0xSUBLEAF"
check "a leaf without a CPU" bad "$INTEL\n" "line 1: a leaf before the first"
check "an MSR without a CPU" bad 'msr 0x1: 0x1\n' "line 1: an MSR before the first"
check "a leaf twice" bad "CPU 0:\n$INTEL\n$INTEL\n" 'line 3: this leaf is given twice'
check "an MSR twice" bad 'CPU 0:\nmsr 0x1: 0x1\nmsr 0x01: 0x2\n' 'line 3: this MSR is given twice'
check "a CPU twice" bad 'CPU 1:\nCPU 01:\n' 'line 2: this CPU is given twice'
check "a CPU's number" bad 'CPU 123456:\n' "line 1: a CPU's number has at most 5 digits"
check "a negative CPU" bad 'CPU -1:\n' "line 1: not 'CPU NUMBER:'"
check "a value of 33 bits" bad 'CPU 0:\n0x0 0x0: eax=0x100000000 ebx=0x0 ecx=0x0 edx=0x0\n' 'line 2: not'
check "text after the values" bad "CPU 0:\n$INTEL more\n" 'line 2: not'
check "a NUL" bad 'CPU 0:\n\0\n' 'line 2: a NUL character'
check "a long line" bad "$(printf '%0300d' 0)" 'line 1: longer than 254 characters'
check "the watchdog" bad 'nmi_watchdog: 2\n' "line 1: not 'nmi_watchdog: 0'"
check "too many MSRs" bad "CPU 0:\n$(i=0; while [ $i -lt 129 ]; do printf 'msr 0x%x: 0x0\\n' $i; i=$((i + 1)); done)" \
	'line 130: more than 128 MSRs of a CPU'
palmon probe --from=/nowhere
check "no file" refuses 1 '/nowhere: No such file'
palmon probe --from=/
check "a folder" refuses 1 '/: Is a directory'
palmon probe --from=/dev/zero
check "an endless file" refuses 1 'line 1: a NUL character'
palmon probe --from=
check "an empty name" refuses 2 '--from is empty'
palmon probe --raw -j
check "two forms" refuses 2 '--raw prints no JSON'
palmon probe A
check "an argument" refuses 2 "'A': probe takes no arguments"

check "damaged files" damaged 1 tests/vectors/cpuid/genoa.txt probe --from

# This machine, if it is one of x86: its answers are not known, but each online CPU answers.
if grep -q '^vendor_id' /proc/cpuinfo; then
	online_answer() {
		palmon probe --raw
		done_quietly && [ "$(grep -c '^CPU [0-9]*:$' "$work/out")" -eq "$(getconf _NPROCESSORS_ONLN)" ] &&
			[ "$(grep -c '0x00000000 0x00: ' "$work/out")" -eq "$(getconf _NPROCESSORS_ONLN)" ]
	}
	check "each online CPU answers" online_answer
	same_from_file() {
		cp "$work/out" "$work/raw"
		palmon probe --from="$work/raw"
		done_quietly && grep -v '^CPU [0-9]*:$' "$work/out" >"$work/first"
		palmon probe
		done_quietly && grep -E '^CPUs|^  PMU' "$work/out" >"$work/second" &&
			grep -E '^CPUs|^  PMU' "$work/first" | diff - "$work/second" &&
			[ "$(sed -n 's/^CPUs.*: \([A-Za-z ]*\), family.*/\1/p' "$work/second" | sort -u)" = \
				"$(sed -n 's/^vendor_id[^:]*: //p' /proc/cpuinfo | sort -u)" ]
	}
	check "its answers in a file give the same" same_from_file
	if [ "$(id -u)" -eq 0 ] && [ ! -e /dev/cpu/0/msr ]; then
		palmon probe
		flatten
		check "it says that the msr module is missing" says 'msr module is not loaded (modprobe msr)'
	fi
	writes_nothing() { ! grep -nE 'pwrite|O_WRONLY|O_RDWR|[^a-z]write\(|ioctl' tools/palmon/probe*.c; }
	check "no file is opened for writing" writes_nothing
fi
done_checking
