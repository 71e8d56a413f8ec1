#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The recipes for Core i7 and Xeon 5500. Numbers are those of the workloads' comments; the runtime's few instructions
# around a workload at level 3 add up to FEW (N+FEW).
. tests/tap.sh
. tests/boot/recipes.sh

check "loads from memory: 3,000, and 16 of each ring of lines" \
	counted LOCAL_DRAM_STALL_SHARE 3032 MEM_UNCORE_RETIRED.LOCAL_DRAM:u
check "loads from the L2 and the L3 cache, and the divider's 11 cycles for each divide" \
	counted DIVIDE_STALL_SHARE 6000+1 MEM_LOAD_RETIRED.L2_HIT:u 6000+1 MEM_LOAD_RETIRED.LLC_UNSHARED_HIT:u \
	33000 ARITH.CYCLES_DIV_BUSY:u
# 3,032 x 162 + 6,000 x 42 + 6,000 x 12 cycles, and 3,000 divides of 22 to 24; a chain begins while the one before ends.
check "cycles: each step takes its load's latency and two cycles" \
	counted LOCAL_DRAM_STALL_SHARE $((815184 + 66000 - 162 * 25))+$((162 * 25 + 6000)) CPU_CLK_UNHALTED.THREAD:u
check "each of 8,192 lines of code misses in each of five passes" counted lines.c 40960+10 L1I.MISSES:u
# The history has 18 outcomes. Each history with the previous exit in it is learned once, in three steps at most.
check "branches of 10,000 rounds; the last branch of each loop is mispredicted" counted MISPREDICTED \
	380000 BR_INST_RETIRED.CONDITIONAL:u 10000+60 MISPREDICTED_BRANCH_RETIRED:u:lbr
check "20,000 calls of each function, and the call of the workload" counted calls.c 40001 BR_INST_RETIRED.NEAR_CALL:u
check "the sources of loads add up" counted LATENCY_ABOVE 3032 MEM_LOAD_RETIRED.LLC_MISS:u \
	6000+1 MEM_LOAD_RETIRED.LLC_UNSHARED_HIT:u
check "each thread stores 100,000 times" counted false-sharing.c 200000+200 MEM_INST_RETIRED.STORES:p
check "65,536 lines are written to memory, and a few of the stack and the runtime's data" counted writebacks.c \
	65536+16 UNC_IMC_WRITES.FULL.ANY
check "instructions of two threads" counted known.c 424708 INST_RETIRED.ANY_P:u

# The share that the report prints, in tenths of a percent, from 400 samples.
loop_rate() {
	recipe --branches
	rate=$(sed -n 's/^ *[0-9]* *[0-9]* *\([0-9]*\)\.\([0-9]\)%.*/\1\2/p' "$work/out")
	echo "$rate"
	[ "$rate" -ge 962 ] && [ "$rate" -le 984 ]
}
check "36 of 37 branches of the loop are taken, 97.3%" loop_rate
done_checking
