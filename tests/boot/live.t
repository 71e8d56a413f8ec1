#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts that an image prints while it runs: interval= and make run LIVE=1, on each emulated
# machine.
. tests/tap.sh
. tests/command/command.sh

cat >"$work/two.c" <<'END'
#include <stdio.h>
static volatile unsigned long sum;
__attribute__((noipa)) static void first(unsigned long n)
{
	while (n--)
		sum++;
}
__attribute__((noipa)) static void second(unsigned long n)
{
	while (n--)
		sum += n;
}
int workload(void);
int workload(void)
{
	printf("abc");
	fflush(stdout);
	first(500000);
	printf("def\n");
	second(500000);
	return 0;
}
END
# The counts of the events in a run's log, which includes the intervals.
counted() {
	"$PALMON" fetch -o "$work/run" "$work/out" >"$work/fetched" || cat "$work/fetched" >&2
	jq -r 'select(."counter-value" != "<not counted>") |
		"\(.event) \(."counter-value")"' "$work/run/counts.json" | sort
}
# Two lines are at least an interval apart; all their counts add up to the total, which is the same
# as without intervals.
intervals() {
	make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" image WORKLOAD="$work/two.c" >/dev/null ||
		return
	image=$(ls -t "$BUILD/$TARGET"/workloads/two*."$FORMAT" -d | head -n 1)
	set -- "$2" tools/run-image "$TARGET" "$image" run=session events="$1" threads=1 out=console
	least=$1
	shift
	capture "$@"
	counted >"$work/without"
	capture "$@" interval=1
	ended 0 && grep -qx 'abc&.*' "$work/out" || return
	cp "$work/out" "$work/log"
	counted >"$work/with"
	diff "$work/without" "$work/with" || return
	palmon top -x ' ' "$work/log"
	done_quietly && awk '{ sum[$3] += $2 } END { for (e in sum) print e, sum[e] }' \
		"$work/out" | sort |
		diff - "$work/with" && awk -v least="$least" '
		$1 != last { n++; short += last && $1 - last < 0.001; last = $1 }
		END { if (n < least || short > 1) { print n, short; exit 1 } }' "$work/out"
}
# The rows of make run LIVE=1: the last ones show the second function; the program's own output
# stays in one piece.
live() {
	make_run RUN=session LIVE=1 INTERVAL=1 WORKLOAD="$work/two.c" EVENTS="$1"
	ended 0 && says '^abcdef$' && says '^palmon: [0-9]+ samples, ' && says '^# 1: ' &&
		! grep -q '^&' "$work/out" &&
		grep -E '^ +[0-9.]+ +[0-9,]+ ' "$work/out" >"$work/rows" &&
		grep -q ' first$' "$work/rows" &&
		tail -n 2 "$work/rows" | grep -q ' second$'
}
event=INST_RETIRED.ANY_P:u:period=10007,INST_RETIRED.ANY:u
check "nehalem: the counts of all intervals are the count" intervals $event 4
long "nehalem: make run LIVE=1" live $event
cat >"$work/endless.c" <<'END'
static volatile unsigned long sum;
int workload(void);
int workload(void)
{
	for (;;)
		sum++;
}
END
none_left() {
	pgrep -f -- "$work/run|$image"
	[ $? -eq 1 ]		# pgrep found no process
}
# At a terminal, until the user interrupts it: no process is left, and the terminal's state is
# restored.
interrupted() {
	make --no-print-directory BUILD="$BUILD" image WORKLOAD="$work/endless.c" >/dev/null ||
		return
	image=$(ls -t "$BUILD/$TARGET"/workloads/endless*."$FORMAT" | head -n 1)
	run="run=session events=INST_RETIRED.ANY_P:u:period=1000003 interval=10"
	{ wait_for grep ' of run 1: events a second' "$work/typescript" &&
		kill -INT "$(cat "$work/pid")"; } &
	BUILD=$BUILD OUT=$work/run LIVE=1 TERM=xterm timeout 300 sh -c '
		echo $$ >"$1/pid"; exec script -qec "$2" "$1/typescript"' - \
		"$work" "exec tools/run-image $TARGET $image $run" </dev/null >/dev/null
	grep -q ' of run 1: events a second' "$work/typescript" || { cat -v "$work/typescript"; \
		return 1; }
	# The only terminal escapes move the cursor and set colours.
	wait_for none_left && ! perl -ne 's/\033\[[0-9;]*[mAJ]//g; print if /\033/' \
		"$work/typescript" | grep .
}
check "nehalem: interrupted at a terminal" interrupted
bad() {
	boot run=session interval="$1"
	ended 1 && says "^palmon: interval=$1: the value is to be: milliseconds"
}
check "interval=5x is refused" bad 5x
for value in '' 0 -1 1000000; do
	long "interval=$value is refused" bad "$value"
done
use_target sparct4 prom
check "sparct4: the counts of all intervals are the count" intervals \
	Instr_all:u:period=10007,Cycles:u 4
use_target itanium elf
long "itanium: the counts of all intervals are the count" \
	intervals IA64_INST_RETIRED:u:period=10007,CPU_CYCLES:u 4
check "itanium: make run LIVE=1" live IA64_INST_RETIRED:u:period=10007
use_target knc img
long "knc: the counts of all intervals are the count" intervals \
	INSTRUCTIONS_EXECUTED:u:period=10007 4
done_checking
