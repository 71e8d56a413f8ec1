#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Events that classify instructions: each instruction of known code, sessions and profiles of such
# events, and a comparison with valgrind's lackey, which counts the same program.
. tests/tap.sh

classes() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/classes.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0
	ended 0 && says '^classes: 0 wrong$' && says '^classes: [5-9][0-9][0-9] overflows$'
}
check "each instruction raises its documented events, and an overflow interrupts directly after it" classes

# session EVENTS [WORKLOAD]
session() {
	make_run RUN=session EVENTS="$1" ${2:+WORKLOAD="$2"}
	ended 0
}
# counted NAME: this event's count in the last run.
counted() {
	sed -n "s/^ *\([0-9,]*\)  $1 .*/\1/p" "$work/out" | tr -d ,
}

# Each retired instruction was decoded either alone or as the second of a fused pair.
decoded() {
	FUSED=MACRO_INSTS.FUSIONS_DECODED:u,UOPS_RETIRED.MACRO_FUSED:u
	session INST_RETIRED.ANY:u,MACRO_INSTS.DECODED:u,INST_QUEUE_WRITES:u,$FUSED &&
		[ "$(counted MACRO_INSTS.FUSIONS_DECODED:u)" -gt 1000000 ] &&
		[ "$(counted MACRO_INSTS.FUSIONS_DECODED:u)" \
		= "$(counted UOPS_RETIRED.MACRO_FUSED:u)" ] &&
		[ "$(counted INST_RETIRED.ANY:u)" = "$(counted INST_QUEUE_WRITES:u)" ] &&
		[ "$(counted INST_RETIRED.ANY:u)" = \
			$(($(counted MACRO_INSTS.DECODED:u) + $(counted MACRO_INSTS.FUSIONS_DECODED:u))) ]
}
check "decoded plus fused instructions are all that retire" decoded

# The guide, after Table 3: "The sum of all the MEM_LOAD_RETIRED events will equal the MEM_INST_RETIRED.LOADS count".
# Each load in the chase is one memory reference.
loads_by_source() {
	SOURCES=MEM_LOAD_RETIRED.L1D_HIT:u,MEM_LOAD_RETIRED.L2_HIT:u,MEM_LOAD_RETIRED.LLC_MISS:u
	session MEM_INST_RETIRED.LOADS:u,$SOURCES tests/boot/workloads/chase.c &&
		sum=$(($(counted MEM_LOAD_RETIRED.L1D_HIT:u) + $(counted MEM_LOAD_RETIRED.L2_HIT:u))) &&
		sum=$((sum + $(counted MEM_LOAD_RETIRED.LLC_MISS:u))) && cat "$work/out" &&
		[ "$sum" -gt 100000 ] && [ "$(counted MEM_INST_RETIRED.LOADS:u)" = "$sum" ]
}
check "loads are the sum of the loads by source" loads_by_source

# silicon TURNS: runs a program that executes, in each turn, four software prefetches, SFENCE,
# MFENCE, CLFLUSH, CPUID and LFENCE.
silicon() {
	cat >"$work/silicon.c" <<-END
	static char line[64] __attribute__((aligned(64)));
	int workload(void)
	{
		unsigned turns = $1;

		__asm__ volatile(
			"1: prefetcht0 (%1); prefetcht1 (%1); prefetcht2 (%1); prefetchnta (%1)\n"
			"lfence; sfence; mfence; clflush (%1); xor %%eax, %%eax; cpuid; dec %0; jnz 1b"
			: "+r"(turns) : "D"(line) : "rax", "rbx", "rcx", "rdx", "memory", "cc");
		return 0;
	}
	END
	session MEM_INST_RETIRED.LOADS:u,MEM_INST_RETIRED.STORES:u,MEM_LOAD_RETIRED.L1D_HIT:u,INST_RETIRED.ANY_P:u \
		"$work/silicon.c" && loads=$(counted MEM_INST_RETIRED.LOADS:u) &&
		stores=$(counted MEM_INST_RETIRED.STORES:u) &&
		hits=$(counted MEM_LOAD_RETIRED.L1D_HIT:u) &&
		all=$(counted INST_RETIRED.ANY_P:u)
}
# An X5570 counts these as loads and stores (Weaver, Terpstra, Moore, 2013). Table 3: each load has a source.
as_silicon() {
	silicon 1000 && before="$loads $stores $hits $all" && silicon 3000 && set -- $before &&
		echo "$((loads - $1)) $((stores - $2)) $((hits - $3)) $((all - $4))" &&
		[ $((loads - $1)) = 8000 ] && [ $((stores - $2)) = 8000 ] &&
		[ $((hits - $3)) = 8000 ] &&
		[ $((all - $4)) = 24000 ]
}
long "a program: each software prefetch counts as one load; each fence, CLFLUSH and CPUID as one store" as_silicon

# A profile shows the same distribution with any period, for loads and for rare events: 20,000
# multiplies in 1.3 million instructions.
sampled() {
	session "$1:period=$2" "${4:-}" &&
		says "^$1: [0-9]* samples x [0-9,]* .*: exactly its count\$" || return
	counted "$1" >"$work/count"
	session "$1:period=$3" "${4:-}" && [ "$(counted "$1")" = "$(cat "$work/count")" ]
}
long "loads are sampled exactly, and count the same whatever the period" sampled \
	MEM_INST_RETIRED.LOADS:u 100000 77777
long "stores, too" sampled MEM_INST_RETIRED.STORES:u 50000 33333
cat >"$work/rarely.c" <<'END'
#include "stimulus.h"
int workload(void)
{
	unsigned product = 1;

	for (unsigned i = 0; i < 20000; i++) {
		hal_execute(60);
		__asm__ volatile("imul %0, %0" : "+r"(product));
	}
	return 0;
}
END
check "multiplies are sampled exactly, and count the same whatever the period" sampled \
	ARITH.MUL:u 1000 777 "$work/rarely.c"

precise() {
	session MEM_INST_RETIRED.LOADS:u:p:period=50000 &&
		says 'overflow interrupts: .* register faults 0$' &&
		says '^MEM_INST_RETIRED.LOADS:u:p: [1-9][0-9]* samples .*: by its records' &&
		says '^  addresses of [1-9][0-9]* samples: the sampled instruction$'
}
long "precise records of loads are taken" precise

#
# lackey
#

compile() {
	gcc -std=gnu17 -O2 -Wall -Wextra -Werror -fno-pie -fno-stack-protector \
		-fcf-protection=none \
		-fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns -S -o \
		"$work/program.s" \
		tests/lackey/program.c || return
	for times in 0 1; do
		gcc -static -nostdlib -no-pie -DTIMES=$times -o "$work/program$times" \
			tests/lackey/start.S \
			"$work/program.s" || return
	done
	printf 'int workload(void);\n__asm__(".include \\"%s\\"");\n' "$work/program.s" \
		>"$work/program.c"
}
check "one assembly file builds as a program of the host and as a workload" compile

# Counts instructions, loading instructions and storing instructions of a program that calls the
# workload the given number of times. lackey reports each iteration of a repeated string as an
# instruction; consecutive ones at the same address are one here. Without --vex-iropt-level=0
# Valgrind would remove loads whose value is not used.
trace() {
	{
		valgrind --vex-iropt-level=0 --tool=lackey --trace-mem=yes --log-fd=9 \
			"$work/program$1" 9>&1 ||
			echo failed
	} | awk '
		/^failed/ { exit 1 }
		function end() { loads += load; stores += store; load = store = 0 }
		/^I/ { if ($2 != at) { end(); all++ } at = $2 }
		/^ [LM]/ { load = 1 }
		/^ [SM]/ { store = 1 }
		END { end(); print all, loads, stores }'
}
# The difference between one call and none is the workload plus its CALL, which stores. The image's
# count adds the same CALL and the INT that returns from level 3, which also stores.
lackey() {
	trace 0 >"$work/none" && trace 1 >"$work/one" && cat "$work/none" "$work/one" &&
		session INST_RETIRED.ANY:u,MEM_INST_RETIRED.LOADS:u,MEM_INST_RETIRED.STORES:u \
		"$work/program.c" &&
		paste "$work/none" "$work/one" | awk '{ print $4 - $1 + 1, $5 - $2, $6 - $3 + 1 }' \
		>"$work/theirs" &&
		echo "$(counted INST_RETIRED.ANY:u)" "$(counted MEM_INST_RETIRED.LOADS:u)" \
			"$(counted MEM_INST_RETIRED.STORES:u)" >"$work/ours" &&
		cat "$work/theirs" "$work/ours" &&
		[ "$(cut -d' ' -f1 "$work/ours")" -gt 100000 ] && diff "$work/theirs" "$work/ours"
}
check "lackey counts the same instructions, loads and stores" lackey
done_checking
