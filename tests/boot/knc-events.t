#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Knights Corner's events, raised by real code and counted by hand: prefetches, lines that leave the
# L2 cache, pairs of instructions, vector instructions, instruction reads, predictions, snoops between
# cores.
. tests/tap.sh
use_target knc img
. tests/boot/workload.sh

counts() {
	measure "tests/boot/workloads/$1.c" threads=1 level=0 events=CPU_CLK_UNHALTED
	ended 0 && says "^$1: 0 wrong\$"
}
check "vprefetch0 and vprefetch1, and victims of the L2 cache, are counted" counts knc-caches
check "pairs, bank conflicts and address interlocks are counted, wherever the emulator splits the code" counts knc-pipes
long "vector instructions compute, and are counted: references, elements, waits" counts knc-vectors
long "instruction reads are counted" counts knc-code
long "predictions and flushes are counted" counts knc-predictions

# The machine has one core; a changed command line gives it two.
snoops() {
	measure tests/boot/workloads/knc-snoops.c threads=1 level=0 events=CPU_CLK_UNHALTED
	says '^knc-snoops: [1-9][0-9]* wrong$' || return 1	# one core snoops nobody
	. pmu/knc/machine
	cpus=4,cores=2,threads=2
	. hal/emu/qemu/machine
	capture timeout 300 $command -kernel "$IMAGE.img" \
		-append 'run=session level=0 threads=1 events=CPU_CLK_UNHALTED'
	says '^knc-snoops: 0 wrong'
}
check "snoops of one core by another are counted, clean lines and modified ones" snoops
done_checking
