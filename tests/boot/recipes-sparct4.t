#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The recipes for the SPARC T4. Numbers are those of the workloads' comments; the workload's loads of its four constants
# add up to FEW (N+FEW).
. tests/tap.sh
use_target sparct4 prom
. tests/boot/recipes.sh

# A turn's loop has five instructions for each of 1,024 loads.
check "instructions of 100 passes" counted CPI 512000+600 Instr_all:u
check "each load misses; those of the first pass come from memory" counted DC_miss_rate 102400+4 Instr_ld:u \
	102400+4 DC_miss_nospec:u 1024+4 DC_miss_local_hit_nospec:u
check "the precise and the other event agree" counted DC_miss_nospec:u:period 102400+4 DC_miss_nospec:u \
	102400+4 DC_miss:u
# A turn has 101 branches, of which one is not taken; the last turn's second one is not, either.
check "branches of 100 turns" counted Br_taken_part 10100+5 Branches:u 9999+5 Br_taken:u
check "each controller reads 256 lines, and the runtime's" counted READS 256+60 READS.MCU0 256+60 READS.MCU1 \
	256+60 READS.MCU2 256+60 READS.MCU3
done_checking
