#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Opcodes, instruction addresses and data addresses that qualify events, in a program counted by
# reading it (workloads/itanium-known.c; the manual's 6.1.3).
. tests/tap.sh
use_target itanium elf

WORKLOAD=tests/boot/workloads/itanium-known.c
make_run RUN=session WORKLOAD=$WORKLOAD
check "the program runs" ended 0
IMAGE=$BUILD/itanium/workloads/itanium-known-$(realpath -ms $WORKLOAD | cksum | cut -d ' ' -f 1)

# range NAME: the first and last address of this function or variable.
range() {
	tools/range "$IMAGE.elf" "$1"
}

# counts NUMBER EVENT [NUMBER EVENT]: each event, at level 3, has this count.
counts() {
	boot run=session "events=$2:u${4:+,$4:u}"
	ended 0 && says "^ *$1  $2:u " && { [ $# -lt 4 ] || says "^ *$3  $4:u "; }
}
# A major opcode is bits 40:37; multiply-adds of floating point are 8 and 9.
check "floating-point multiply-adds, by opcode" \
	counts 100,000 IA64_TAGGED_INST_RETIRED.PMC8:opc=0x10000000000/0x03fffffffff/f
# st8.spill is 4 with 3BH in bits 35:30, ld8.fill with 1BH; m (36) and x (27) are 0.
check "spills and fills, by an opcode in each matcher" \
	counts 20,000 IA64_TAGGED_INST_RETIRED.PMC8:opc=0x8ec0000000/0x37ffffff/m \
	20,000 IA64_TAGGED_INST_RETIRED.PMC9:opc=0x86c0000000/0x37ffffff/m

# 9 + 6 x 100,000; 9 x 130 + 3 x (2 x 4,096 + 128 x 64); 9 + 6 x 20,000; 9 + 9 x 65,535 + 3 x 32,767
for of in dot:600,009 walk:50,322 spill:120,009 choose:688,125; do
	check "instructions of ${of%:*}, by their addresses" \
		counts "${of#*:}" "IA64_TAGGED_INST_RETIRED.PMC8:iar=$(range "${of%:*}")"
done
check "a function's loads" counts 200,000 "LOADS_RETIRED:iar=$(range dot)"
# Taken: 32,768 times over the bundle, 65,534 times back, and the return.
choose=$(range choose)
check "a function's taken and untaken branches" \
	counts 98,303 "BRANCH_TAKEN_SLOT.SLOT_2:iar=$choose" 32,768 \
	"BRANCH_TAKEN_SLOT.NO_TAKEN_BRANCH:iar=$choose"
check "a function's loads, by opcode and address together" \
	counts 20,000 \
	"IA64_TAGGED_INST_RETIRED.PMC8:iar=$(range spill):opc=0x86c0000000/0x37ffffff/m"

check "loads of a structure, and its loads that miss L1D: each one" \
	counts 8,192 "LOADS_RETIRED:dar=$(range large)" 8,192 \
	"L1D_READ_MISSES_RETIRED:dar=$(range large)"
check "in a smaller structure each line misses once" \
	counts 8,192 "LOADS_RETIRED:dar=$(range small)" 64 \
	"L1D_READ_MISSES_RETIRED:dar=$(range small)"
done_checking
