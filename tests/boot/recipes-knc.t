#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The recipes for Knights Corner. Numbers are those of the workloads' comments; the runtime's few references add up to
# FEW (N+FEW).
. tests/tap.sh
use_target knc img
. tests/boot/recipes.sh

check "instructions of four threads: 2 n + 9, n = 100,000 + 12,345 t" counted CPI_core 948176 INSTRUCTIONS_EXECUTED:u
check "vector instructions, and eight elements in each" counted Vectorization 49152 VPU_INSTRUCTIONS_EXECUTED:u \
	393216 VPU_ELEMENTS_ACTIVE:u
check "lines from memory; all modified lines but those of half of the L2 cache are written back" counted Memory_write \
	16384+10 L2_DATA_READ_MISS_MEM_FILL:u 16384+10 L2_DATA_WRITE_MISS_MEM_FILL:u \
	12288+50 L2_VICTIM_REQ_WITH_DATA
check "a region of 200,003 instructions, and 2 x 100,002 and the rest around it" counted spflt \
	200003 INSTRUCTIONS_EXECUTED:u:spflt $((200003 + 200004))+10 INSTRUCTIONS_EXECUTED:u
check "each line's load misses" counted DATA_READ_MISS 16384 DATA_READ_MISS:u
done_checking
