#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A session of several runs: each starts with the same memory, and with caches and TLBs that hold
# nothing of the workload. An event therefore counts exactly the same in each run. The first run
# measures events by name, later ones for metrics.
. tests/tap.sh

# same EVENT...: each of these events has equal counts in all of the last session's runs, of which
# there are at least two.
same() {
	ended 0 || return
	for event; do
		sed -n "s/^ *\([0-9,]*\)  $event .* # run \([0-9]*\).*/\1 \2/p" "$work/out" \
			>"$work/counts"
		echo "$event:"
		cat "$work/counts"
		[ "$(cut -d' ' -f2 "$work/counts" | sort -u | wc -l)" -ge 2 ] &&
			[ "$(cut -d' ' -f1 "$work/counts" | sort -u | wc -l)" -eq 1 ] &&
			! grep -q '^0 ' "$work/counts" || return
	done
}
# measured EVENT... -- METRICS [VARIABLE=VALUE...]
measured() {
	events=
	while [ "$1" != -- ]; do
		events=$events${events:+ }$1
		shift
	done
	metrics=$2
	shift 2
	make_run RUN=session EVENTS="$(echo "$events" | tr ' ' ,)" METRICS="$metrics" "$@"
	# shellcheck disable=SC2086
	same $events
}
# The default workload allocates and prints: its instructions depend on the contents of memory, the
# other counts on caches.
check "nehalem: instructions, misses of each level" measured INST_RETIRED.ANY:u \
	MEM_LOAD_RETIRED.L2_HIT:u \
	MEM_LOAD_RETIRED.LLC_UNSHARED_HIT:u MEM_LOAD_RETIRED.LLC_MISS:u -- IPC:u,L1D_MISSES:u
long "misses of TLBs, by which pages are walked" measured DTLB_MISSES.ANY:u \
	DTLB_LOAD_MISSES.ANY:u -- \
	STORE_DTLB_MISSES:u PAGES=4k
note() {
	says '^Each run begins with the same memory, and with caches and TLBs without the workload' &&
		boot run=session events=INST_RETIRED.ANY && ended 0 &&
		! grep '^Each run begins' "$work/out"
}
check "the report of several runs says so" note

# The C library's random numbers: newlib, libc/stdlib/rand.c. The first one is bits 32 to 62 of
# 6364136223846793005 + 1.

# A program that expects its data and heap unchanged by earlier runs, and then changes both. It
# prints a line without a newline, which stays in the C library's buffer.
cat >"$work/leaves.c" <<'E2'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FIRST 1481765933
int workload(void);
static int zero, seven = 7;
static char *kept;
static char pages[3 * 4096];
int workload(void)
{
	char *memory = malloc(100000);
	if (zero || seven != 7 || kept || pages[5000] || !memory || rand() != FIRST)
		return 1;
	memset(memory, 0x55, 100000);
	zero = seven = pages[5000] = 1;
	kept = memory;
	printf("%s", "once, ");
	return 0;
}
E2
echo '#include <stdlib.h>
int workload(void);
int workload(void) { return rand() != 1481765933; }' >"$work/threads.c"
leaves() {
	make_run RUN=session WORKLOAD="$work/leaves.c" "$@"
	ended 0 && [ "$(grep -c 'workload returned' "$work/out")" -eq 0 ]
}
check "programs find data, heap and the C library as in a first run" leaves \
	EVENTS=INST_RETIRED.ANY METRICS=IPC,STORE_DTLB_MISSES,BRANCH_MISPREDICTION_RATIO
printed() {
	[ "$(grep -o 'once, ' "$work/out" | wc -l)" -eq 2 ]
}
check "text left in the C library's buffer is printed, once for each run" printed
# Each thread has its own state of the C library.
threads() {
	make_run RUN=session WORKLOAD="$work/threads.c" EVENTS=INST_RETIRED.ANY METRICS=IPC \
		THREADS=4
	ended 0
}
long "on four threads" threads
# 24 MiB of nonzero data cannot be saved in a machine of 64 MiB.
too_large() {
	echo 'int workload(void);
	__asm__(".pushsection .data; .fill 24 << 18, 4, 0x01010101; .popsection");
	int workload(void) { return 0; }' >"$work/large.c"
	make_run RUN=session WORKLOAD="$work/large.c" EVENTS=INST_RETIRED.ANY METRICS=IPC BOOT=pvh
	ended 0 && says "^palmon: there is no memory to save the workload's data: each run finds the data of " &&
		says \
		'^Each run begins with caches and TLBs without the workload.s lines and pages\.$'
}
check "data that is too large to be saved is not, and the report says so" too_large
# Runs that are repeated because samples came too fast (pmu/README.md, "Storms").
again() {
	leaves EVENTS=INST_RETIRED.ANY_P:period=20 &&
		says 'leaves no time between interrupts; repeated with'
}
long "also in a repeated run" again

use_target knc img
long "knc: reads, and reads that miss the L1 data cache" measured DATA_READ:u DATA_READ_MISS:u -- \
	Read_miss_ratio:u THREADS=1
use_target sparct4 prom
check "sparct4: programs find data, heap and the C library as in a first run" leaves \
	EVENTS=Instr_all:u METRICS=IPC
long "sparct4: instructions, loads, misses of both L1 caches" measured Instr_all:u \
	IC_miss_nospec:u \
	DC_miss_nospec:u Instr_ld:u -- IPC:u,IC_miss_rate:u,DC_miss_rate:u
use_target itanium elf
check "itanium: references of each level" measured L1I_DEMAND_READS:u L2_REFERENCES:u L2_MISSES:u \
	L2_INST_DEMAND_READS:u -- L2_MISS_RATIO:u,L1I_DEMAND_MISS_RATIO:u
long "and its translations" measured DTC_MISSES:u -- DTC_MISS_RATIO:u
done_checking
