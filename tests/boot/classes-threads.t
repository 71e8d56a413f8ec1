#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each class of events on one thread and on four, two on each core, in programs counted by hand.
# Each thread's count grows by the same number per turn, whatever the other threads do. The
# processor has no prefetchers. One thread and half of the kinds of instructions are long checks:
# classes.t and caches.t count these on one thread.
. tests/tap.sh
grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
export MACHINE="$work/plain.machine"
unset FAULT CLOCK

# 25 instructions per turn; RDI points to a line of the thread's own. The Software Developer's
# Manual, volume 2, describes each instruction; workloads/classes.c explains why a divide counts as
# INST_RETIRED.X87.
cat >"$work/kinds.c" <<'END'
#define TURNS 1
int workload(void);
int workload(void)
{
	long line[16] __attribute__((aligned(64))) = {0};
	int turns = TURNS;

	__asm__ volatile(
		"1: mov	(%%rdi), %%rbx\n"			// load
		"mov	%%rbx, 8(%%rdi)\n"			// store
		"lock; incl (%%rdi)\n"				// load, store, locked
		"call	2f\n jmp 3f\n 2: ret\n 3:\n"		// branches; a store, a load
		"mov	$4, %%ecx\n mov %%rdi, %%rsi\n lea 32(%%rdi), %%rdi\n"
		"rep	movsl\n lea -48(%%rdi), %%rdi\n"	// load, store
		"imul	$3, %%ebx, %%ebx\n"			// multiply
		"mov	$7, %%eax\n xor %%edx, %%edx\n mov $2, %%ecx\n div %%ecx\n"	// divide
		"fld1\n fld1\n faddp\n fstp %%st\n"		// x87
		"addps	%%xmm0, %%xmm1\n subsd %%xmm0, %%xmm1\n paddd %%xmm0, %%xmm1\n"
		"dec	%0\n jnz 1b\n"				// branch
		: "+r"(turns) : "D"(line) : "rax", "rbx", "rcx", "rdx", "rsi", "memory", "cc");
	return 0;
}
END
# One load per turn, in BYTES of the thread's own memory, STRIDE bytes after the last load.
cat >"$work/loads.c" <<'END'
#include "hal.h"
#define TURNS 1
#define BYTES 64
#define STRIDE 64
#define THREADS 1
int workload(void);
static char memory[THREADS][BYTES] __attribute__((aligned(4096)));
int workload(void)
{
	unsigned long at = 0;
	int turns = TURNS;

	__asm__ volatile("1: mov (%2,%0), %%al\n add %3, %0\n cmp %4, %0\n jb 2f\n sub %4, %0\n 2: dec %1\n jnz 1b"
			 : "+r"(at), "+r"(turns) : "r"(memory[hal_cpu_user()]), "i"(STRIDE), "i"(BYTES)
			 : "rax", "memory", "cc");
	return 0;
}
END

# counts THREADS PROGRAM TURNS EVENTS [WORD=VALUE...]: prints a line for each event with each
# thread's count.
counts() (
	threads=$1 program=$2 turns=$3 events=$4
	shift 4
	workload=$program$(printf '%s' "-$turns" "$@" | tr -c 'A-Z0-9' -)
	[ -e "$work/$workload.c" ] || {
		cp "$work/$program.c" "$work/$workload.c"
		for word in TURNS="$turns" "$@"; do
			sed -i "s/^\(#define ${word%%=*}\) .*/\1 ${word#*=}/" "$work/$workload.c"
		done
	}
	make_run RUN=session WORKLOAD="$work/$workload.c" EVENTS="$events" THREADS="$threads" \
		PAGES="$pages"
	[ "$status" -eq 0 ] || return
	tr -d , <"$work/out" | if [ "$threads" -eq 1 ]; then
		sed -n 's/^ *\([0-9]*\)  \([A-Z][A-Za-z0-9_.:]*\) .*/\2 \1/p'
	else
		sed -n 's/^\([ 0-9]*\)  \([A-Z][A-Z0-9_.]*:[a-z:]*\)$/\2 \1/p'
	fi
)

# grow THREADS PROGRAM TURNS [WORD=VALUE...] -- EVENT=N...: with three times the turns, each event
# at level 3 grows by N per added turn, on each thread.
grow() {
	threads=$1 program=$2 turns=$3 words= events=
	shift 3
	while [ "$1" != -- ]; do
		words="$words $1"
		shift
	done
	shift
	for expected; do
		events=$events${events:+,}${expected%=*}:u
	done
	# shellcheck disable=SC2086
	counts "$threads" "$program" "$turns" "$events" $words >"$work/once" &&
		counts "$threads" "$program" $((3 * turns)) "$events" $words >"$work/thrice" ||
		{ cat "$work/out"; return 1; }
	paste -d' ' "$work/once" "$work/thrice" >"$work/both"
	for expected; do
		awk -v event="${expected%=*}:u" -v by=$((2 * turns * ${expected#*=})) \
			-v threads="$threads" '
			$1 == event {
				found = 1
				for (i = 2; i < 2 + threads; i++)
					bad += $(i + NF / 2) - $i != by
				print
			}
			END { exit bad || !found }' "$work/both" || { echo "$expected"; return 1; }
	done
}

MEM=MEM_INST_RETIRED BR=BR_INST_RETIRED
for n in 4 1; do
	several=check
	[ $n -gt 1 ] || several=long
	pages=
	$several "$n: branches, loads, stores" grow $n kinds 1000 -- INST_RETIRED.ANY=25 \
		$BR.ALL_BRANCHES=4 \
		$BR.CONDITIONAL=1 $BR.NEAR_CALL=1 $MEM.LOADS=4
	long "$n: arithmetic, locks" grow $n kinds 1000 -- $MEM.STORES=4 ARITH.MUL=1 ARITH.DIV=1 \
		L1D_CACHE_LOCK.HIT=1
	long "$n: x87 and vectors" grow $n kinds 1000 -- INST_RETIRED.X87=2 \
		SSEX_UOPS_RETIRED.PACKED_SINGLE=1 \
		SSEX_UOPS_RETIRED.SCALAR_DOUBLE=1 SIMD_INT_128.PACKED_ARITH=1
	# 64 KiB per thread: more than the L1 data cache holds, less than the L2 cache.
	$several "$n: loads that hit the L2 cache" grow $n loads 2048 BYTES=65536 THREADS=4 \
		-- MEM_LOAD_RETIRED.L2_HIT=1 L1D.REPL=1 \
		MEM_LOAD_RETIRED.L1D_HIT=0
	# 16 MiB in all: more than the L3 cache holds.
	$several "$n: loads from memory" grow $n loads $((262144 / n)) BYTES=$((16777216 / n)) \
		THREADS=$n -- \
		MEM_LOAD_RETIRED.LLC_MISS=1 OFFCORE_RESPONSE_0.DEMAND_DATA_RD.LOCAL_DRAM=1
	# 128 pages per thread: more than the first level of the data TLB holds, less than the
	# second.
	pages=4k
	$several "$n: pages that hit the second level of the TLB" grow $n loads 1280 BYTES=524288 \
		STRIDE=4096 THREADS=4 -- \
		DTLB_LOAD_MISSES.ANY=1 DTLB_LOAD_MISSES.STLB_HIT=1 DTLB_LOAD_MISSES.WALK_COMPLETED=0
done
done_checking
