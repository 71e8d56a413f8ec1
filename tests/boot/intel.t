#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The architectural PMU's image and the plugin: the PMU that belongs to QEMU's model of a processor
# (CPU=), the other processors of the model (PMU=), and exact sessions on several of them. Each
# processor's leaf 0AH is encoded by hand (SDM volume 2A, CPUID): EAX has the version in bits 7:0,
# general counters in 15:8, their width in 23:16, architectural events in 31:24; EDX has fixed
# counters in bits 4:0, their width in 12:5, and in bit 15 that there is no AnyThread.
. tests/tap.sh
use_target intel img
. tests/boot/workload.sh

# tests EAX EBX EDX: the self test passes with this leaf.
tests() {
	boot run=selftest
	ended 0 && says "^palmon: found .*, leaf 0AH: EAX $1 EBX $2 EDX $3\$" && says '^# all checks passed'
}
of_processor() {
	CPU=$1 tests "$2" 0x0 "$3"
}
# Version 2: 2 general counters of 40 bits; versions 3 and 4: 4 of 48 bits; 3 fixed counters.
# Version 5: 8 general counters of 48 bits, 4 fixed ones, 8 events.
check "CPU=Penryn has version 2" of_processor Penryn 0x7280202 0x503
check "CPU=Haswell has version 3" of_processor Haswell 0x7300403 0x603
check "CPU=Icelake-Server has version 5" of_processor Icelake-Server 0x8300805 0x8604
for processor in Nehalem SandyBridge IvyBridge Broadwell; do
	long "CPU=$processor has version 3" of_processor $processor 0x7300403 0x603
done
for processor in Skylake-Client Skylake-Server Cascadelake-Server Cooperlake; do
	long "CPU=$processor has version 4" of_processor $processor 0x7300404 0x603
done
for processor in Icelake-Server-v7 SapphireRapids; do
	long "CPU=$processor has version 5" of_processor $processor 0x8300805 0x8604
done

unknown() {
	CPU=$1 boot run=selftest
	ended 4 && says "^palmon: no PMU model is that of the guest's processor \\(-cpu\\)"
}
check "a processor of another vendor has none of these PMUs" unknown EPYC
long "an Intel processor without a model of its PMU is refused" unknown KnightsMill
check "family and model of Haswell are not enough" unknown Haswell,vendor=AuthenticAMD

variant() {
	PMU=$1 tests "$2" "$3" "$4"
}
long "PMU=intel-small: version 1, a counter of 32 bits" variant intel-small 0x7200101 0x0 0x0
long "PMU=intel-core-duo: version 1" variant intel-core-duo 0x7280201 0x0 0x0
long "PMU=intel-no-fixed: version 2" variant intel-no-fixed 0x7280202 0x0 0x0
long "PMU=intel-guest: fixed counters 0, 1 and 3" variant intel-guest 0x8300405 0x58 0x8602

# The AMD64 manual, volume 1, and GCC's -march=x86-64: SSE2 at most. QEMU raises #UD for others.
baseline() {
	CPU=qemu64,vendor=GenuineIntel,-pni,-cx16,-popcnt PMU=intel tests 0x8300805 0x0 0x604
}
check "a processor without SSE3 and CMPXCHG16B suffices" baseline

# numbered NUMBERS EAX EDX: PMU=intel with other numbers.
numbered() {
	MACHINE="intel,$1" tests "$2" 0x0 "$3"
}
check "7 general and 1 fixed counter of 36 bits, version 2" \
	numbered version=2,general=7,width=36,fixed=1 0x7240702 0x481
long "version 4 with 2 fixed counters" numbered version=4,fixed=2 0x7300804 0x602
long "version 1 with counters of 33 bits" numbered version=1,fixed=0,width=33 0x7210801 0x0
without() {
	MACHINE="intel,$1" boot run=selftest
	ended 4 && says "^palmon: $2\$"
}
check "fixed counter 3 needs version 5" without version=3 'fixed counter 3 needs version=5 \(fixed=3\)'
check "version 1 has no fixed counters" without version=1 \
	'fixed counters need version=2 or later \(fixed=0\)'
for wrong in version:0 version:6 version:x version: general:0 general:9 width:31 width:49 fixed:5 width:255; do
	case ${wrong%:*} in
	version) range='1 to 5' ;;
	general) range='1 to 8' ;;
	width) range='32 to 48' ;;
	fixed) range='0 to 4' ;;
	esac
	check "${wrong%:*}=${wrong#*:} is refused" without "${wrong%:*}=${wrong#*:}" "${wrong%:*}=$range"
done
has_own() {
	PMU=nehalem without general=2 \
		"this PMU has its processor's numbers \\(version=, general=, width=, fixed=\\)"
}
check "another PMU has its own numbers" has_own
defective() {
	FAULT=freeze-missing without general=2 \
		"fault= is for the model's own numbers \\(version=, general=, width=, fixed=\\)"
}
check "a defect has the model's own numbers" defective

# The workload compares counts that it reads with RDPMC from fixed counter 0 to the lengths of its
# code.
exact() {
	measure tests/boot/workloads/exact.c threads=1 \
		events=INSTRUCTION_RETIRED:u:ctr=32,INSTRUCTION_RETIRED:u:ctr=0:period=5000
	ended 0 && says '^exact: 0 wrong of 700$' && says 'exactly its count$' &&
		says 'spurious 0, .*throttled 0, samples dropped 0, register faults 0$'
}
check "a program reads the length of its code from a counter" exact
on() {
	CPU=$1 exact
}
check "so it does on Penryn" on Penryn
long "so it does on Haswell" on Haswell
long "so it does on Skylake" on Skylake-Client
long "so it does on Icelake" on Icelake-Server

# A loop of 3 instructions, one of them a branch.
turns() {
	printf '%s\n' 'int workload(void)' '{ int n = '"$1"';' \
		'__asm__ volatile("1: nop; dec %0; jnz 1b" : "+r"(n) : : "cc"); return 0; }' >"$work/turns$1.c"
	measure "$work/turns$1.c" threads=2 \
		events=INSTRUCTION_RETIRED:u,BRANCH_INSTRUCTIONS_RETIRED:u || return
	for event in INSTRUCTION_RETIRED BRANCH_INSTRUCTIONS_RETIRED; do
		sed -n "s/^ *[0-9,]*  *[0-9,]*  *\([0-9,]*\)  $event:u.*/\1/p" "$work/out" | tr -d ,
	done >"$work/count$1"
	cat "$work/count$1"
	ended 0 && [ "$(wc -l <"$work/count$1")" -eq 2 ]
}
# On two threads: 2 x 1,000 more turns.
known() {
	turns 1000 && turns 2000 &&
		[ "$(paste -d ' ' "$work/count2000" "$work/count1000" | awk '{ print $1 - $2 }' | tr '\n' ' ')" = \
		'6000 2000 ' ]
}
check "two threads of a core: each turn of a loop counts 3 instructions and a branch" known

# Fixed counter 3 counts slots, of which the model has one in each cycle.
slots() {
	measure "$work/turns2000.c" threads=1 events=TOPDOWN_SLOTS,UNHALTED_CORE_CYCLES,INSTRUCTION_RETIRED
	ended 0 && [ "$(sed -nE 's/^ *([0-9,]+)  (TOPDOWN_SLOTS|UNHALTED_CORE_CYCLES|INSTRUCTION_RETIRED) .*/\1/p' \
		"$work/out" | sort | uniq -c | awk '{ print $1 }')" = 3 ]
}
check "slots, cycles and instructions are equal with the unit clock" slots
# Six events that only Haswell's four general counters count need two PMUs. The sum of the levels is
# the whole; the report of the guest's own counter agrees with the image.
report() {
	branches=BRANCH_INSTRUCTIONS_RETIRED
	CPU=Haswell MACHINE="intel,report=$work/report,events=$branches:u/$branches:k/$branches/$branches:u/\
$branches:k/$branches/INSTRUCTION_RETIRED:u" measure "$work/turns2000.c" threads=1 events=INSTRUCTION_RETIRED:u
	ended 0 && cat "$work/report" || return
	counted=$(sed -n 's/^ *\([0-9,]*\)  INSTRUCTION_RETIRED:u .*/\1/p' "$work/out" | tr -d ,)
	set -- $(sed -n "s/^ *\([0-9]*\)  $branches.*/\1/p" "$work/report" | head -n 6)
	[ $# -eq 6 ] && [ "$1" -gt 2000 ] && [ "$3" -eq $(($1 + $2)) ] &&
		[ "$*" = "$1 $2 $3 $1 $2 $3" ] &&
		grep -q 'PMU intel-haswell$' "$work/report" &&
		grep -qE "^ *$counted +0 +$counted +fixed 0 +INSTRUCTION_RETIRED:u\$" "$work/report"
}
check "a variant's PMU is reported, and events are counted from outside" report
done_checking
