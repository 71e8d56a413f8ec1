#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each event of the SPARC T4 that instructions raise under QEMU has the right count in code counted
# by reading it; samples of precise events are at their instructions. Source: Table 10-2 of the
# SPARC T4 Supplement.
. tests/tap.sh
use_target sparct4 prom
. tests/boot/workload.sh

PALMON=$BUILD/host/palmon
: >"$work/counted"	# events with an expected count other than 0

# expect NAME N: the last run has this count for the event, with any modifiers after its name.
expect() {
	found=$(sed -n "s/^ *\([0-9,]*\)  $1\(:[^ ]*\)*  *[0-9]* .*/\1/p" "$work/out" | tr -d , |
		sort -u)
	[ "$found" = "$2" ] || { echo "$1: '$found', not $2"; return 1; }
	[ "$2" -eq 0 ] || echo "$1" >>"$work/counted"
}

#
# Instructions
#

# The words of user_kinds, a letter each, and the letters that each event counts
# (workloads/sparct4-kinds.h).
KINDS=$(sed -n '/kinds\[\] =$/,/;$/p' tests/boot/workloads/sparct4-kinds.h | grep -o '"[^"]*"' |
	tr -d '".\n')
letters_of() {
	case $1 in
	Branches | Branches_sl4) echo bt ;;
	Br_taken) echo t ;;
	Instr_FGU_crypto) echo f ;;
	Instr_ld) echo lRk ;;
	Instr_st) echo sK ;;
	SPR_ring_ops) echo r ;;
	Instr_other) echo oPapc ;;
	Instr_all) echo btflRksKroPapc ;;
	Sw_count_intr) echo c ;;
	Atomics) echo a ;;
	SW_prefetch) echo p ;;
	Block_ld_st) echo kK ;;
	esac
}
# expected NAME TURNS: the workload's total count of this event. Each turn is a call with its delay
# slot, user_kinds, and three more instructions, whose branch is untaken in the last turn; two taken
# branches and five other instructions surround the turns.
expected() {
	{
		for _ in $(seq "$2"); do printf 'to%soto' "$KINDS"; done
		printf 'ttooooo'
	} | sed 's/toto\(ttooooo\)$/tobo\1/;t;s/oto\(ttooooo\)$/obo\1/' |
		tr -cd "$(letters_of "$1")" | wc -c
}
# kinds TURNS EVENTS
kinds() {
	printf '#define TURNS %s\n#include "%s/tests/boot/workloads/sparct4-kinds.c"\n' "$1" \
		"$PWD" >"$work/kinds-$1.c"
	measure "$work/kinds-$1.c" events="$2" && ended 0
}
count_kinds() {
	turns=$1
	shift
	kinds "$turns" "$(printf '%s:u\n' "$@" | paste -sd,)" && for name; do
		expect "$name" "$(expected "$name" "$turns")" || return
	done
}
check "kinds of instructions (sl 3)" count_kinds 100 Branches Instr_ld Instr_st Instr_other
check "the other kinds, and all" count_kinds 100 Instr_FGU_crypto SPR_ring_ops Instr_all Br_taken
check "instructions by other criteria (sl 4)" count_kinds 100 Branches_sl4 Sw_count_intr Atomics \
	SW_prefetch
check "block loads and stores" count_kinds 100 Block_ld_st Instr_all
cycles() {
	kinds 100 Cycles:u && expect Cycles $(($(expected Instr_all 100) + 1))	# and the WRPR into user mode (10.2)
}
check "a cycle for each instruction" cycles
joined() {
	kinds 100 Instr_ld+Instr_st:u,Branches_sl4+Br_taken:u && expect 'Instr_ld+Instr_st' \
		$(($(expected Instr_ld 100) + $(expected Instr_st 100))) &&
		expect 'Branches_sl4+Br_taken' "$(expected Branches 100)"
}
check "joined events" joined
# The six kinds together are all instructions, in the default workload, too.
all_kinds() {
	use_target sparct4 prom
	sum=0
	for events in Branches:u,Instr_FGU_crypto:u,Instr_all:u Instr_ld:u,Instr_st:u \
		SPR_ring_ops:u,Instr_other:u; do
		boot run=session "events=$events"
		ended 0 || return
		for count in $(sed -n 's/^ *\([0-9,]*\)  \([A-Z][A-Za-z_]*\):.*/\2=\1/p' \
			"$work/out" | tr -d ,); do
			echo "$count"
			case $count in Instr_all=*) all=${count#*=} ;; *) \
				sum=$((sum + ${count#*=})) ;; esac
		done
	done
	echo "sum $sum, all $all"
	[ "$sum" -eq "$all" ] && [ "$all" -gt 100000000 ]
}
long "the kinds of a large program add up to all its instructions" all_kinds

# Samples are at these instructions (hyper.t checks this for each one), as many as the period
# implies.
sampled() {
	kinds 300 "$1:u:period=$2" &&
		says "^$1:u: $(($(expected "$1" 300) / $2)) samples .*: exactly" &&
		says "^ +100\.0% +[0-9,]+  user_kinds "
}
for event in Instr_FGU_crypto Atomics Block_ld_st; do
	check "$event is sampled at its instruction" sampled $event 8
done
for event in Instr_st SPR_ring_ops Sw_count_intr SW_prefetch; do
	long "$event is sampled at its instruction" sampled $event 8
done

# The checks above expected a count of each event that is called exact. sparct4-caches.t tests the
# modelled ones.
all_names() {
	"$PALMON" list -t sparct4 -j | grep '"emulation":"exact"' | grep -v '"same":"[^"]' |
		sed 's/.*"name":"\([^"]*\)".*/\1/' | sort >"$work/names"
	sort -u "$work/counted" | comm -23 "$work/names" - >"$work/missing"
	cat "$work/missing"
	[ ! -s "$work/missing" ] && [ "$(wc -l <"$work/names")" -gt 10 ]
}
check "each event that is called exact has an expected count" all_names
done_checking
