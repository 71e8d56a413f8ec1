#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PAGES=: programs' memory in pages of 4 KiB or 2 MiB, tested by TLB events that are counted by
# hand, and refused by targets without small pages.
. tests/tap.sh
. tests/boot/number.sh

# One load from each of the first PAGES pages of 4 KiB, in order, PASSES times. The number in the
# image is PAGES * 65536 + PASSES (number.sh).
cat >"$work/walk.c" <<END
#include <stdint.h>
int workload(void);
static _Alignas(4096) uint8_t memory[1024][4096];
int workload(void)
{
	const unsigned number = $NUMBER;
	for (unsigned pass = 0; pass < (number & 0xFFFF); pass++)
		for (unsigned page = 0; page < number >> 16; page++)
			(void)*(volatile uint8_t *)memory[page];
	return 0;
}
END
# counts PAGES PASSES EVENTS [ARGUMENT...]: prints NAME=N of each event
counts() {
	number=$(($1 * 65536 + $2)) events=$3
	shift 3
	boot_with $number "$work/walk" run=session events="$events" "$@"
	[ "$status" = 0 ] && sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Z0-9_.]*\):u .*/\2=\1/p' \
		"$work/out" | tr -d ,
}
# grows SIZE PAGES NAME=N...: with pages of SIZE, 20 passes count N more of each event than 10
# passes
grows() {
	size=$1 pages=$2
	shift 2
	events=$(for name; do printf '%s:u,' "${name%=*}"; done)
	counts "$pages" 10 "${events%,}" pages="$size" $more >"$work/ten" &&
		counts "$pages" 20 "${events%,}" pages="$size" $more >"$work/twenty" ||
		{ cat "$work/out"; return 1; }
	for expected; do
		name=${expected%=*}
		ten=$(sed -n "s/^$name=//p" "$work/ten") twenty=$(sed -n "s/^$name=//p" \
			"$work/twenty")
		echo "$name: $ten, $twenty; by ${expected#*=}"
		[ -n "$ten" ] && [ $((twenty - ten)) -eq "${expected#*=}" ] || return 1
	done
}

# The performance analysis guide, and the SDM's descriptors 03H and CAH of CPUID leaf 2: the data
# TLB has 64 entries for pages of 4 KiB (4 ways, 16 sets), the second-level TLB 512 (4 ways, 128
# sets). Ten passes in the order of addresses: if a set cannot hold its pages, each load misses.
MISSES=DTLB_LOAD_MISSES.ANY WALKS=DTLB_LOAD_MISSES.WALK_COMPLETED SECOND=DTLB_LOAD_MISSES.STLB_HIT
more=
check "a walk is built" build_image "$work/walk.c" "$work/walk"
# 2 pages for each set of the data TLB.
long "32 pages of 4 KiB: the data TLB holds them" grows 4k 32 $MISSES=0 $WALKS=0 $SECOND=0
# 16 pages for each set of the data TLB, 2 for each set of the second-level TLB.
check "256 pages: each load misses the data TLB and hits the second-level TLB" \
	grows 4k 256 $MISSES=2560 $WALKS=0 $SECOND=2560
# 8 pages for each set of the second-level TLB.
check "1,024 pages: each load is a page walk" grows 4k 1024 $MISSES=10240 $WALKS=10240 $SECOND=0
# 4 MiB are three large pages, for which the data TLB has 32 entries (descriptor 5AH).
check "in pages of 2 MiB: no misses" grows 2m 1024 $MISSES=0 $WALKS=0 $SECOND=0
said() {
	says "^The programs' memory is mapped in pages of 2 MiB, which miss the TLBs rarely" &&
		says 'rarely \(PAGES=4k has small ones\)\.$'
}
check "the report states the page size" said
# The first pass walks each page once as well.
first_pass() {
	counts 1024 1 $WALKS:u pages=4K >"$work/one" && counts 1024 2 $WALKS:u pages=4K \
		>"$work/two" || return
	cat "$work/one" "$work/two"
	[ "$(sed 's/.*=//' "$work/one")" -ge 1024 ] &&
		[ $(($(sed 's/.*=//' "$work/two") - $(sed 's/.*=//' "$work/one"))) -eq 1024 ]
}
long "from the first pass on; 4K is 4k" first_pass

# Level 3 cannot access the page tables, which with small pages take the place of the program's own
# memory. The number in the image selects: 0 shows the pages at level 0, 1 overflows the stack,
# another is an address to write to.
cat >"$work/tables.c" <<END
#include <stdint.h>
#include <stdio.h>
int workload(void);
extern uint64_t arch_pml4[];
extern char heap_start[];
static uint64_t *table_at(uint64_t entry) { return (uint64_t *)(entry & 0xFFFFFFFFFF000); }
static void show(const char *name, const void *address)
{
	const uint64_t a = (uint64_t)address;
	const uint64_t large = table_at(table_at(arch_pml4[a >> 39])[a >> 30 & 511])[a >> 21 & 511];
	printf("%s %d %#lx\\n", name, (int)(large >> 7 & 1), (long)(large & 0xFFFFFFFFFF000));
}
static int descend(int n)
{
	volatile char frame[4096];
	frame[0] = 1;
	return descend(n + 1) + frame[0];
}
int workload(void)
{
	static int data;
	const uint64_t number = $NUMBER;
	if (number == 1)
		return descend(0);
	if (number)
		return *(volatile uint64_t *)number = 0;
	show("code", (void *)workload), show("data", &data), show("heap", heap_start);
	return 0;
}
END
check "a program that shows its pages is built" build_image "$work/tables.c" "$work/tables"
# divided IS_LARGE [ARGUMENT...]
divided() {
	is_large=$1
	shift
	boot_with 0 "$work/tables" run=session events=INST_RETIRED.ANY level=0 "$@"
	ended 0 || return
	for name in code data heap; do
		says "^$name $is_large 0x" || return
	done
}
check "code, data and heap are in large pages" divided 1
check "with PAGES=4k none is in a large page" divided 0 pages=4k
protected() {
	table=$(sed -n 's/^heap 0 //p' "$work/out")
	boot_with "$((table))" "$work/tables" run=session events=INST_RETIRED.ANY pages=4k
	[ "$status" -ne 0 ] &&
		says 'unexpected exception or interrupt in workload: #PF page fault$' &&
		says '^palmon: status 1 \(fault\)'
}
check "a program cannot access the page tables" protected
overflows() {
	boot_with 1 "$work/tables" run=session events=INST_RETIRED.ANY pages=4k
	[ "$status" -ne 0 ] && says '#PF page fault' && says 'the stack has overflowed'
}
check "the guard page below a stack is still unmapped" overflows
threads() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/known.c THREADS=4 PAGES=4k \
		EVENTS=INST_RETIRED.ANY_P:u:period=10000
	ended 0 && [ "$(grep -c 'exactly its count$' "$work/out")" -eq 4 ]
}
check "four threads have small pages" threads

refused() {
	boot run=session "$1"
	ended 1 && says "$2"
}
check "another size is refused" refused pages=3k '^palmon: pages=3k: the value is to be: 4k or 2m: '

# Knights Corner (System Software Developer's Guide, "TLB"): the first data TLB has 64 entries for
# pages of 4 KiB, 4 ways; the second level also 64, 4 ways. DATA_PAGE_WALK counts misses of the
# first, LONG_DATA_PAGE_WALK of the second (Table 1-6).
use_target knc img
more=threads=1
check "knc, a walk is built" build_image "$work/walk.c" "$work/walk"
long "knc, 32 pages of 4 KiB: the data TLB holds them" grows 4k 32 DATA_PAGE_WALK=0 \
	LONG_DATA_PAGE_WALK=0
check "knc, 256 pages: each load misses both TLBs" grows 4k 256 DATA_PAGE_WALK=2560 \
	LONG_DATA_PAGE_WALK=2560
check "knc, in pages of 2 MiB: no misses" grows 2m 256 DATA_PAGE_WALK=0 LONG_DATA_PAGE_WALK=0

use_target sparct4 prom
check "sparct4 has no small pages" refused pages=4k \
	"^palmon: pages=4k: there are no small pages; .* in pages of 4 MiB, which stay in the TLBs$"
use_target itanium elf
check "itanium has no pages of 4 KiB" refused pages=4k \
	"^palmon: pages=4k: there are no pages of this size; programs' memory is mapped in pages of 16 KiB$"
done_checking
