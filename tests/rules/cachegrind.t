#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares the machine model's caches with valgrind's. cachegrind counts a program's misses; the
# model, with the same geometry, counts those of the references that lackey traces of the same
# program. palmon's valgrind tool runs it, too.
. tests/tap.sh

make --no-print-directory BUILD="$BUILD" host >/dev/null || { echo 'Bail out! no tables'; exit 1; }
flags='-std=gnu17 -O1 -Wall -Wextra -Werror'

compile() {
	gcc $flags -static -nostdlib -fno-stack-protector -fno-pie -no-pie \
		-fno-tree-loop-distribute-patterns \
		-o "$work/program" tests/cachegrind/program.c &&
		gcc $flags -I. -Ipmu/include -o "$work/compare" tests/cachegrind/compare.c \
			hal/emu/model/package.c hal/emu/model/cache_hierarchy.c \
			hal/emu/model/home_agent.c hal/emu/model/caches.c \
			hal/emu/model/traffic.c hal/emu/model/prefetch.c hal/emu/model/processor.c \
			hal/emu/model/processor_file.c pmu/core/nearest.c "$BUILD/host/machines.c"
}
# Valgrind's optimizer would remove loads whose value is unused.
valgrind="valgrind --vex-iropt-level=0"
trace() {
	$valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$work/program" 9>&1 |
		"$work/compare" tests/cachegrind/cachegrind.machine >"$work/ours" &&
		cat "$work/ours"
}
# Prints cachegrind's "I refs: N", "D refs: N (N rd + N wr)" and the lines of misses as compare.c
# does.
count() {
	$valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file="$work/out" \
		--log-file="$work/log" \
		--I1=32768,4,64 --D1=32768,8,64 --LL=262144,8,64 "$work/program" &&
		tr -d ',' <"$work/log" | awk '
			$2 == "I" && $3 == "refs:" { refs = $4 }
			$2 == "I1" && $3 == "misses:" { first = $4 }
			$2 == "LLi" && $3 == "misses:" { last = $4 }
			$2 == "D" && $3 == "refs:" { gsub(/[(]/, ""); rrefs = $5; wrefs = $8 }
			$2 == "D1" && $3 == "misses:" { gsub(/[(]/, ""); rfirst = $5; wfirst = $8 }
			$2 == "LLd" && $3 == "misses:" { gsub(/[(]/, ""); rlast = $5; wlast = $8 }
			END {
				form = "%s: %d references, %d miss L1, %d miss L2\n"
				printf form, "I", refs, first, last
				printf form, "D read", rrefs, rfirst, rlast
				printf form, "D write", wrefs, wfirst, wlast
			}' >"$work/theirs" && cat "$work/theirs"
}
# field FILE KIND NUMBER: field 1: references, 2: misses of the first level, 3: of the second.
field() {
	sed -n "s/^$2: //p" "$work/$1" | cut -d, -f "$3" | awk '{ print $1 }'
}
same() {
	for kind in I 'D read' 'D write'; do
		ours=$(field ours "$kind" "$1") theirs=$(field theirs "$kind" "$1")
		echo "$kind: $ours, cachegrind $theirs"
		[ "$ours" ] && [ "$ours" -gt 0 ] && [ "$ours" = "$theirs" ] || return 1
	done
}
# The models differ in one point: our L1 cache writes back to the L2 cache, where this keeps the
# line longer; cachegrind never writes back. Allows one miss in a thousand.
near() {
	for kind in I 'D read' 'D write'; do
		ours=$(field ours "$kind" 3) theirs=$(field theirs "$kind" 3)
		echo "$kind: $ours, cachegrind $theirs"
		[ "$ours" ] && [ $((1000 * (ours - theirs))) -le "$theirs" ] &&
			[ $((1000 * (theirs - ours))) -le "$theirs" ] || return 1
	done
}
# palmon's own valgrind tool. Each instruction of this program loads at most once.
tool() {
	"$BUILD/host/palmon" stat -t nehalem -x, -e INST_RETIRED.ANY,MEM_INST_RETIRED.LOADS \
		-- "$work/program" |
		cut -d, -f1 | paste -s -d ' ' >"$work/tool" && cat "$work/tool" &&
		[ "$(cat "$work/tool")" = "$(field theirs I 1) $(field theirs 'D read' 1)" ]
}
check "the program and the comparison are compiled" compile
check "the model runs lackey's trace" trace
check "cachegrind counts misses" count
check "both see the same instructions, loads and stores" same 1
check "the same number misses the L1 caches" same 2
check "the same number misses the L2 cache, except for writebacks" near
check "palmon's tool sees cachegrind's instructions and loads" tool
done_checking
