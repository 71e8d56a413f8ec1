#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Code of traps and interrupts has no SSE, no x87 and no division in the overflow interrupt, calls
# only memory and string functions of the C library, and has a known, small stack.
. tests/tap.sh

runtime=$(find "$BUILD/$TARGET" -name '*.o' |
	grep -v -e /boot/ -e selftest -e workload -e symbols -e registry -e events)
# The code that takes samples out of a full ring while a session runs.
taking=$(for part in session_take live histogram symbols; do echo "$BUILD/$TARGET/boot/$part.o"; \
	done)
runtime="$runtime $taking"

general_registers_only() {
	objdump -d --no-show-raw-insn $(echo "$runtime" | grep -v -e native/libc -e explain) | awk '
		/file format/ { file = $1; files++ }
		/%(xmm|ymm|st[^a-z0-9_]|st$|mm[0-7])|:[ \t]+f(ld|st|add|mul|sub|div|xch)/ { print file $0; bad = 1 }
		END { exit bad || files < 50 }'
}
check "the runtime uses general registers only" general_registers_only

# Undefined symbols of the resident core's and the trap handling's objects.
no_library() {
	resident='arch/|pmu/core/(overflow|session|unit|counter|sample|settings|allocate|drain|calls)|driver|pal/'
	resident="$resident|model|engine"
	resident="$resident|session_take"
	nm -u $(echo "$runtime" | grep -E "$resident") | awk '{ print $2 }' | sort -u |
		grep -E '^(printf|puts|malloc|free|snprintf|vsnprintf|strto|qsort|fwrite|_impure_ptr)' && return 1
	true
}
check "the runtime calls no allocation and no formatted output" no_library

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

#
# The overflow interrupt of each target's image: the call graph below its entry (call-depth)
#

targets=$(awk '!/^#/ && NF && $3 !~ /^[-+]/ { print $1 }' pmu/targets.tab)
table=tests/rules/pointers.tab

# use_arch TARGET: the target's instruction set, and the binutils for it.
use_arch() {
	arch=$(awk -v target="$1" '$1 == target { print $2 }' pmu/targets.tab)
	case $arch in
	x86) cross= ;;
	sparc64) cross=sparc64-linux-gnu- ;;
	ia64) cross=$(tools/cross ia64) ;;
	esac
}

# Reads an image's code with source lines, and the compiler's frames, without those of the code that
# runs before the image.
read_image() {
	use_arch "$1"
	"${cross}nm" --defined-only "$BUILD/$1/palmon.elf" | awk '$2 == "T" { print $3 }' \
		>>"$work/globals"
	find "$BUILD/$1" -name '*.su' -not -path '*/early/*' | xargs cat >"$work/$1.su"
	"${cross}objdump" -tdl --no-show-raw-insn "$BUILD/$1/palmon.elf" >"$work/$1.code"
}
for target in $targets; do
	check "$target: the image's code is read" read_image "$target"
done
cat "$work"/*.su >"$work/frames"

# Three kinds of programs, each given by the functions that its handler does not reach. Most
# programs take samples out of a full ring (pmu_drain). Some also record callers of samples
# (pmu_follow_calls), with a handler around the driver's. For rates while a session runs (LIVE=),
# boot/session.c calls pmu_follow_calls and not pmu_drain.
draining="calls.c:interrupt live_take"
following=live_take
live=take_out

# depth TARGET ENTRY [FUNCTION...]: computes the call graph without these functions, into
# $work/graph.
depth() {
	use_arch "$1"
	code=$1 entry=$2
	shift 2
	tests/rules/call-depth depth "$arch" "$entry" "$table" "$work/$code.code" \
		"${frames:-$work/$code.su}" "$@" \
		>"$work/graph" || { grep '^error' "$work/graph"; return 1; }
	cat "$work/graph" >>"$work/graphs"
}

# at_most BYTES TARGET ENTRY [FUNCTION...]: limits the stack below ENTRY. `more`: bytes that other
# code may add.
at_most() {
	most=$1
	shift
	depth "$@" || return
	found=$(($(sed -n 's/^depth //p' "$work/graph") + ${more:-0}))
	grep '^frame' "$work/graph"
	echo "# $found bytes" | tee "$work/found"
	[ "$found" -gt 0 ] && [ "$found" -le "$most" ]
}

# needs NAME BYTES TARGET ENTRY [FUNCTION...]: a check that also prints the bytes.
needs() {
	name=$1
	shift
	: >"$work/found"
	check "$name" "${by:-at_most}" "$@"
	cat "$work/found"
}

# x86: the interrupt's stack has 16 KiB (layout.h: STACK_SIZE). A fault has its own stack.
for target in nehalem knc intel; do
	needs "$target: the overflow interrupt needs at most 2 KiB of stack" 2048 $target \
		arch_pmi_entry $draining
	needs "$target: with callers of samples, at most 3 KiB" 3072 $target arch_pmi_entry \
		$following
	needs "$target: with rates while it runs, at most 3 KiB" 3072 $target arch_pmi_entry $live
done

# SPARC: 16 KiB for each trap level (STACK_TRAP_SIZE), in frames of at least 176 bytes. A timer
# polls counters that do not interrupt, and ends slices of multiplexing. An unexpected fault ends the
# run; its report has no limit.
timer="arch_trap_entry sparc64_trap_fatal ia64_trap_fatal"
needs "sparct4: the overflow interrupt needs at most 4 KiB of stack" 4096 sparct4 arch_pmi_entry \
	$draining
needs "sparct4: with callers of samples, at most 5 KiB" 5120 sparct4 arch_pmi_entry $following
needs "sparct4: with rates while it runs, at most 5 KiB" 5120 sparct4 arch_pmi_entry $live
needs "sparct4: the timer needs at most 5 KiB" 5120 sparct4 $timer $draining

# Itanium: 32 KiB, which the stack and the register stack share (STACK_PMI_SIZE). A faulting
# register access is handled on the same stacks. All external interrupts share a vector: those of
# other sources go to arch_trap_entry.
itanium_at_most() {
	depth itanium $timer timer_interrupt || return
	more=$(sed -n 's/^depth //p' "$work/graph") at_most "$@"
}
by=itanium_at_most itanium="itanium arch_pmi_entry arch_trap_entry"
needs "itanium: the overflow interrupt needs at most 5 KiB of stack" 5120 $itanium $draining
needs "itanium: with callers of samples, at most 6 KiB" 6144 $itanium $following
needs "itanium: with rates while it runs, at most 6 KiB" 6144 $itanium $live
needs "itanium: the timer needs at most 6 KiB" 6144 itanium $timer $draining

# Each row of the table is used, names existing functions, and lists all functions that a source
# assigns to its pointer. Drivers' macros are expanded.
rows_are_used() {
	awk '!/^#/ && NF { print $1 }' "$table" | sort -u >"$work/rows"
	sed -n 's/^uses //p' "$work/graphs" | sort -u | diff "$work/rows" -
}
check "the table of pointers has no row without a call" rows_are_used
functions_exist() {
	awk '!/^#/ && NF { for (i = 3; i <= NF; i++) print $i }' "$table" | sed 's/.*[:!]//' |
		sort -u >"$work/listed"
	for target in $targets; do
		sed -n 's/^[0-9a-f]* <\(.*\)>:$/\1/p' "$work/$target.code"
	done | sort -u | comm -23 "$work/listed" - >"$work/unknown"
	cat "$work/unknown"
	[ ! -s "$work/unknown" ]
}
check "the table lists existing functions only" functions_exist
sources() {
	git ls-files 'arch/*.[ch]' 'hal/native/*.[ch]' 'boot/*.[ch]' 'pal/*.[ch]' 'pmu/core/*' \
		'pmu/include/*' \
		'pmu/*/driver*.c' 'pmu/*/selftest*.c'
}
expand() {
	sources | xargs cp --parents -t "$work/sources" || return
	for driver in $(sources | grep /driver); do
		gcc -E -P $(printf -- '-I%s ' hal/include hal/shim/include pmu/include pal/include \
			boot) "$driver" \
			>"$work/sources/$driver" || return
	done
}
mkdir "$work/sources"
check "the sources are expanded" expand
# lists_all TABLE: no source assigns an unlisted function to the pointers.
lists_all() {
	(
		rules=$(pwd)/tests/rules
		case $1 in /*) rows=$1 ;; *) rows=$(pwd)/$1 ;; esac
		listed=$(sources)
		cd "$work/sources" && "$rules/call-depth" missing "$rows" "$work/globals" \
			"$work/frames" $listed
	)
}
check "the table lists each function that a source assigns to a pointer" lists_all "$table"

# Rates, which are printed, are excluded: they divide.
no_division() {
	depth "$1" arch_pmi_entry arch_trap_entry $following || return
	awk 'NR == FNR { reached[$2]; count += $1 == "reaches"; next }
		/^[0-9a-f]+ <.*>:$/ { name = $1 in reached ? $2 : "" }
		name && /:\t+i?div|:\t+[us]div|<__u?(div|mod)/ { print name, $0; bad = 1 }
		END { exit bad || count < 50 }' "$work/graph" "$work/$1.code"
}
for target in $targets; do
	check "$target: nothing below the overflow interrupt divides" no_division "$target"
done

# The checks above can fail.
first=$(echo "$targets" | head -n 1)
# deeper FUNCTION: fails with a frame that is 1000 bytes larger.
deeper() {
	awk -F'\t' -v OFS='\t' -v name="$1" '$1 ~ ":" name "$" { $2 += 1000 } { print }' \
		"$work/$first.su" >"$work/deeper.su"
	! cmp -s "$work/$first.su" "$work/deeper.su" || return
	! frames=$work/deeper.su at_most 2048 "$first" arch_pmi_entry $draining
}
for function in nehalem_overflow_interrupt arrive session_take; do
	check "found: a large frame of $function" deeper "$function"
done
# without_row POINTER: fails without the pointer's row.
without_row() {
	grep -v "^$1	" tests/rules/pointers.tab >"$work/pointers"
	! table=$work/pointers depth "$first" arch_pmi_entry &&
		grep -q '^error: .* calls through a pointer that is not in the table' "$work/graph"
}
for pointer in THIS_CPU_PMI_HANDLER shared_interrupt 'cpu->take_out' 'cpu->take'; do
	check "found: no row for $pointer" without_row "$pointer"
done
# without_function NAME: fails with rows that lack the function.
without_function() {
	sed "s/\([	 ]\)$1\( \|\$\)/\1\2/" tests/rules/pointers.tab >"$work/pointers"
	! lists_all "$work/pointers"
}
for function in session_take take_out package.c:interrupt nehalem_overflow_clear \
	knc_overflow_status itanium_payload; do
	check "found: a row without $function" without_function "$function"
done
recursion() {
	sed 's/^cpu->take	.*/& take_out/' tests/rules/pointers.tab >"$work/pointers"
	! table=$work/pointers depth "$first" arch_pmi_entry $draining &&
		grep -q '^error: recursion: .* > pmu/core/drain.c:take_out' "$work/graph"
}
check "found: recursion" recursion
unknown() {
	sed 's/\(:arrive	[0-9]*\)	static/\1	dynamic/' "$work/$first.su" \
		>"$work/deeper.su"
	! frames=$work/deeper.su depth "$first" arch_pmi_entry $draining &&
		grep -q '^error: pmu/core/package.c:arrive has a stack that is not known' \
		"$work/graph"
}
check "found: a frame of unknown size" unknown
done_checking
