#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The recipes for Itanium. Numbers are those of the workloads' comments.
. tests/tap.sh
use_target itanium elf
. tests/boot/recipes.sh

# 40 x (1,000 x 5 + 3) bundles of three instructions, and those of the calls' loop.
check "cycles with three instructions: one for each bundle" counted c=2 \
	200120+100 IA64_INST_RETIRED:u:c=2 600360+300 IA64_INST_RETIRED:u
check "blocks by their tagged nops: in each of 40,000 turns, and in each fourth" counted PMC8 \
	40000 IA64_TAGGED_INST_RETIRED.PMC8:u:opc=0x8000040/0x7ffe000/i
check "with the other opcode matcher" counted PMC9 \
	10000 IA64_TAGGED_INST_RETIRED.PMC9:u:opc=0x8000080/0x7ffe000/i
check "40 calls" counted BRANCH_TAKEN_SLOT 40 BRANCH_TAKEN_SLOT:u:opc=0xa000000000/0x1fffffffff/b
ranged() {
	counted iar= 200000 'LOADS_RETIRED:u:iar=[^ ]*' && counted dar= 8192 'L1D_READ_MISSES_RETIRED:u:dar=[^ ]*'
}
check "loads of a function, and misses in a structure" ranged
check "misses of the L1 data cache: twice 4,096 lines, and 64" counted L1D_READ_MISS_RATIO 8256+2 \
	L1D_READ_MISSES_RETIRED:u
# Table 7-10: the four classes are all cycles. Runs differ by a few mispredictions, because the branch predictor keeps
# the state that the runtime's own branches left.
accounted() {
	recipe CPU_CYCLES && cycles=$(sed -n 's/^ *\([0-9,]*\)  CPU_CYCLES:u .*/\1/p' "$work/out" | tr -d ,)
	counted ACCOUNTED_CYCLES $((cycles - 50))+100 ACCOUNTED_CYCLES:u
}
check "the classes of cycles add up to the cycles of another run" accounted
done_checking
