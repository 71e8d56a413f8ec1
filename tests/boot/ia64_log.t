#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the performance monitor counts of a program, on the emulated ia64 machine, against the machine's log of what it
# has executed. Only the program executes at level 3.
. tests/tap.sh
use_target itanium ia64 elf

cat >"$work/logged.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double halves[64];
static int rising(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static int deep(int n)
{
	return n ? deep(n - 1) + n % 3 : 0;
}
int workload(void)
{
	static int numbers[2000];
	char text[64];
	size_t length = 0;

	for (int i = 0; i < 2000; i++)
		numbers[i] = i * 7919 % 2003;
	qsort(numbers, 2000, sizeof *numbers, rising);
	for (int i = 0; i < 64; i++)
		halves[i] = numbers[i] * 0.5 + halves[(i * 7) & 63];
	for (int i = 0; i < 200; i++) {
		snprintf(text, sizeof text, "%d %s", numbers[i], i & 1 ? "odd" : "even");
		length += strlen(text);
	}
	return deep(150) + (int)length + (int)halves[9] < 0;
}
END

# logged EVENTS: runs the program with a log. Kept are the lines of level 3 but for those behind which an interruption
# comes: they have not been executed.
logged() {
	"$BUILD/host/ia64-machine" -l "$work/log" -m 192 -p "$TARGET" "$program" run=session events="$1" \
		>"$work/out" 2>&1 || return
	awk 'line && $1 != "interruption" { print line } { line = $3 == 3 ? $0 : "" }' "$work/log" >"$work/level3"
}
count_of() {
	sed -n "s/^ *\([0-9,]*\)  $1 .*/\1/p" "$work/out" | tr -d ,
}
built() {
	make_run RUN=session EVENTS=CPU_CYCLES WORKLOAD="$work/logged.c"
	program=$(ls -t "$BUILD/$TARGET"/workloads/logged-*.elf | head -n 1)
	ended 0 && [ -n "$program" ]
}
check "the program runs" built

# same NAME COUNTED LOGGED
same() {
	echo "$1: $2 counted, $3 in the log"
	[ -n "$2" ] && [ "$2" -gt 0 ] && [ "$2" -eq "$3" ]
}
in_log() {
	awk "$1"' { n++ } END { print n + 0 }' "$work/level3"
}

# Of the B unit nothing is squashed (7.8).
retired() {
	logged IA64_INST_RETIRED:u,NOPS_RETIRED:u || return
	same retired "$(count_of IA64_INST_RETIRED:u)" "$(in_log 1)" &&
		same nops "$(count_of NOPS_RETIRED:u)" "$(in_log '$4 && $0 ~ / nop\./')" || return
	logged PREDICATE_SQUASHED_RETIRED:u &&
		same squashed "$(count_of PREDICATE_SQUASHED_RETIRED:u)" "$(in_log '!$4 && $0 !~ /( br\.| nop\.b)/')"
}
check "instructions, nops, and those whose predicate is false" retired

# Loads and stores of the register stack engine are no instructions of the log. A check load whose register the ALAT has
# is no load; here each has it, as what was loaded in advance is not written in between.
references() {
	logged LOADS_RETIRED:u,RSE_LOADS_RETIRED:u,STORES_RETIRED:u,RSE_REFERENCES_RETIRED:u || return
	loads=$(count_of LOADS_RETIRED:u) rse_loads=$(count_of RSE_LOADS_RETIRED:u)
	stores=$(count_of STORES_RETIRED:u) rse=$(count_of RSE_REFERENCES_RETIRED:u)
	same loads $((loads - rse_loads)) "$(in_log '$4 && $0 ~ / ld/ && $0 !~ /\.c\.clr/')" &&
		same stores $((stores - (rse - rse_loads))) "$(in_log '$4 && $0 ~ / st/')"
}
check "loads and stores, but for the register stack engine's" references

# A branch is taken if its predicate is true; one that counts a loop, if its target follows.
taken() {
	logged BRANCH_TAKEN_SLOT.SLOT_0:u,BRANCH_TAKEN_SLOT.SLOT_1:u || return
	slot_0=$(count_of BRANCH_TAKEN_SLOT.SLOT_0:u) slot_1=$(count_of BRANCH_TAKEN_SLOT.SLOT_1:u)
	logged BRANCH_TAKEN_SLOT.SLOT_2:u || return
	set -- "$slot_0" "$slot_1" "$(count_of BRANCH_TAKEN_SLOT.SLOT_2:u)"
	awk '
		loop && $1 == bundle && $2 <= slot { taken[slot]++ }
		{ loop = 0 }
		/ br\./ && $4 && !/ br\.(c|w)(loop|top|exit)/ { taken[$2]++ }
		/ br\.(c|w)(loop|top|exit)/ { loop = 1; bundle = $NF; gsub(/^0x|;;$/, "", bundle); slot = $2 }
		END { print taken[0] + 0, taken[1] + 0, taken[2] + 0 }' "$work/level3" >"$work/taken"
	echo "counted $*, in the log $(cat "$work/taken")"
	[ "$*" = "$(cat "$work/taken")" ]
}
check "branches taken, by slot" taken
done_checking
