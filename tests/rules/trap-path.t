#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What runs in traps, interrupts and the monitor: no SSE, no x87, no division in the overflow interrupt, no C library
# but memory and string functions, and a stack that is known and small.
. tests/tap.sh

runtime=$(find "$BUILD/$TARGET" -name '*.o' |
	grep -v -e /boot/ -e selftest -e workload -e symbols -e registry -e events)
handler="$TARGET""_overflow_interrupt"
# What takes samples out of a full ring while a session runs.
taking=$(for part in session_take live histogram symbols; do echo "$BUILD/$TARGET/boot/$part.o"; done)
runtime="$runtime $taking"

general_registers_only() {
	for object in $(echo "$runtime" | grep -v -e native/libc -e explain); do
		objdump -d --no-show-raw-insn "$object" >"$work/code"
		grep -E '%(xmm|ymm|st\b|mm[0-7])|:\s+f(ld|st|add|mul|sub|div|xch)[a-z]*\b' "$work/code" &&
			{ echo "$object"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
check "the runtime uses general registers only" general_registers_only

# The functions of the overflow interrupt, from its entry on.
no_division() {
	for function in arch_pmi_entry $handler pmu_overflow_rounds pmu_overflow_rare is_storm pmu_throttle pmu_slip \
		pmu_make_room take_out pmu_take_sample_with_payload session_take histogram_add symbol_find \
		live_take interrupt hal_callers arch_callers x86_following_handler; do
		objdump -d --no-show-raw-insn --disassemble=$function "$IMAGE.elf" >"$work/function"
		grep -q "<$function>:" "$work/function" || { echo "no $function"; bad=1; }
		grep -E '\bi?div' "$work/function" && { echo "$function"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
check "the overflow interrupt does not divide" no_division

# What objects of the resident core, the monitor and the trap handling leave to others to define.
no_library() {
	resident='arch/|pmu/core/(overflow|session|unit|counter|sample|settings|allocate|drain|calls)|driver|pal/'
	resident="$resident|svm/monitor|model|engine"
	resident="$resident|session_take"
	for object in $(echo "$runtime" | grep -E "$resident"); do
		nm -u "$object"
	done | awk '{ print $2 }' | sort -u |
		grep -E '^(printf|puts|malloc|free|snprintf|vsnprintf|strto|qsort|fwrite|_impure_ptr)' && return 1
	true
}
check "they call no allocation, no formatted output" no_library

small_stack() {
	{
		find "$BUILD/$TARGET" -name '*.su' | grep -v -e boot/ -e workload
		echo "$taking" | sed 's/\.o$/.su/'
	} | xargs awk -F'\t' '
		$3 !~ /static|bounded/ { print "not known: " $0; bad = 1 }
		$2 > 1024 { print "large: " $0; bad = 1 }
		END { exit bad }'
}
check "the stack use of each function of the runtime is known, and at most 1024 bytes" small_stack

# The interrupt stacks are 16 KiB: the overflow interrupt's deepest path must fit many times.
overflow_stack() {
	total=$(find "$BUILD/$TARGET" -name '*.su' | xargs awk -F'\t' -v handler="$handler" '
		$1 ~ ":(" handler "|pmu_overflow_rare|pmu_overflow_rounds|pmu_throttle|pmu_make_room|take_out)$" ||
		$1 ~ ":(pmu_take_sample_with_payload|session_take|add_branches|add|histogram_add)$" { sum += $2 + 8 }
		END { print sum }')
	echo "$total bytes"
	[ "$total" -gt 0 ] && [ "$total" -lt 2048 ]
}
# Callers are looked for before its handler runs, and around it.
following_stack() {
	total=$(find "$BUILD/$TARGET" -name '*.su' | xargs awk -F'\t' '
		$1 ~ ":(interrupt|hal_callers|arch_callers|find_caller|find_return|symbol_start|symbol_find)$" {
			sum += $2 + 8 }
		END { print sum }')
	echo "$total bytes"
	[ "$total" -gt 600 ] && [ "$total" -lt 2048 ]
}
check "looking for callers needs less than 2 KiB more" following_stack
check "the overflow interrupt needs less than 2 KiB of its 16 KiB stack" overflow_stack
done_checking
