#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A run's files agree with the image's console output, on each emulated machine.
. tests/tap.sh
. tests/command/command.sh

# Lines that palmon fetch and the image's console both print: event, function, samples.
console_functions() {
	tr -d , <"$work/console" | awk '/^hottest/ { event = $7; next } /^$/ { event = "" }
		event && /%/ { print event, $2, $3 }' | sort
}
file_functions() {
	"$PALMON" report -i "$work/run" --functions -n 0 -x ' ' |
		awk '{ sub(/:period=[0-9]*$/, "", $1)
		print $1, $2, $4 }' | sort
}
same_functions() {
	console_functions >"$work/console.functions"
	file_functions | grep -Ff "$work/console.functions" | sort >"$work/file.functions"
	[ "$(wc -l <"$work/console.functions")" -ge "$1" ] && diff "$work/console.functions" \
		"$work/file.functions"
}
# The table of counts equals counts.json: lines "COUNT EVENT".
same_counts() {
	tr -d , <"$work/console" |
		awk '/^counts of the workload/ { on = 1; next } on && $2 == "clocks" { exit }
		on && NF { sub(/^ +/, ""); sub(/not counted/, "not_counted"); print $1, $2 }' \
			>"$work/console.counts"
	jq -r '"\(."counter-value") \(.event)"' "$work/run/counts.json" |
		sed 's/not counted/not_counted/' |
		diff "$work/console.counts" - && [ "$(wc -l <"$work/console.counts")" -ge 1 ]
}

# Debian's perf report prints, for the converted samples, the same functions and numbers of samples
# for each event; shares differ by rounding only.
same_in_perf() {
	"$PALMON" convert -i "$work/run" --perf "$work/perf.data" &&
		perf report --stdio -F overhead,sample,sym \
		-i "$work/perf.data" 2>/dev/null |
		awk '/^# Samples/ { gsub("\x27", "", $NF); event = $NF }
			/^[^#]*%/ && !/0x/ { print event, $4, $2, $1 }' | sort >"$work/perf"
	"$PALMON" report -i "$work/run" --functions -n 0 -x ' ' 2>/dev/null |
		awk '$4 != "(elsewhere)" { print $1, $4, $2, $3 }' | sort >"$work/own"
	[ "$(wc -l <"$work/own")" -eq "$(wc -l <"$work/perf")" ] &&
		paste -d ' ' "$work/own" "$work/perf" |
		awk '{ difference = $4 - $8; if (difference < 0) difference = -difference }
			$1 != $5 || $2 != $6 || $3 != $7 || difference > 0.0501 { print "other in perf: " $0; bad = 1 }
			END { exit bad || !NR }'
}

# measured FUNCTIONS MAKE'S VARIABLES...: a run with at least this number of functions.
measured() {
	functions=$1
	shift
	make_run RUN=session OUT="$work/run" "$@"
	cp "$work/out" "$work/console"
	ended 0 &&
		says "^palmon: [0-9]+ samples, counts and names of functions are in $work/run$" &&
		! grep -a '^@{' "$work/out" && same_functions "$functions" && same_counts &&
		same_in_perf || return
	cmp "$work/run/image.elf" "$(ls -t "$BUILD/$TARGET"/workloads/calls*.elf | head -n 1)"
}
calls=$work/calls.c
cat >"$calls" <<'END'
static volatile int sum;
__attribute__((noipa)) static void callee(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}
__attribute__((noipa)) static void caller(int n)
{
	callee(n);
	sum += n;
	callee(n);
}
int workload(void);
int workload(void)
{
	for (int i = 0; i < 1000; i++)
		caller(i % 40);
	return 0;
}
END
check "nehalem: functions and counts of the files are those of the console" measured 2 \
	WORKLOAD=$calls \
	EVENTS=INST_RETIRED.ANY_P:u:period=991,INST_RETIRED.ANY,UOPS_RETIRED.ANY
sampled_with_records() {
	measured 2 WORKLOAD=$calls EVENTS=INST_RETIRED.ANY_P:p:u:lbr:period=994 || return
	"$PALMON" report -i "$work/run" -j -n 0 >"$work/rows"
	jq -se 'all(.branches | length == 32)' "$work/rows" &&
		[ "$(grep -c sampled "$work/rows")" -gt 3 ]
}
long "with precise records, 16 branches each, and sampled instructions" sampled_with_records
uncore() {
	measured 2 WORKLOAD=$calls \
		EVENTS=UNC_CLK_UNHALTED:period=997,INST_RETIRED.ANY_P:u:period=991
}
long "likewise with several PMUs" uncore

default_run() {
	make_run RUN=session
	ended 0 && same_in_perf && [ "$(wc -l <"$work/own")" -ge 10 ]
}
long "the default run: perf report has its functions and shares" default_run

# Additional lines for tools leave the other text unchanged. Each sample has its time, in the order
# of a clock.
undisturbed() {
	image=$(ls -t "$BUILD/$TARGET"/workloads/calls*.img | head -n 1)
	set -- tools/run-image "$TARGET" "$image" run=session threads=1 metrics=CPI \
		events=INST_RETIRED.ANY_P:u:period=1009
	capture "$@" && cp "$work/out" "$work/without" && capture "$@" out=console && ended 0 &&
		grep -v '^@{' "$work/out" >"$work/with" &&
		grep -v '^@{' "$work/without" | diff - "$work/with"
}
check "lines for tools change nothing else" undisturbed
threads() {
	make_run RUN=session WORKLOAD=$calls THREADS=2 METRICS=CPI OUT="$work/run" \
		EVENTS=INST_RETIRED.ANY_P:u:period=1009
	ended 0 || return
	for cpu in 0 1; do
		jq -r "select(.cpu == $cpu) | .clock" "$work/run/samples" >"$work/clocks"
		[ "$(wc -l <"$work/clocks")" -ge 90 ] && sort -nc "$work/clocks" || return
		jq -se "any(.cpu == \"$cpu\" and .event == \"CPI\" and .\"metric-value\" == 1)" \
			"$work/run/counts.json" || return
	done
}
check "two threads: each has its samples in order, and metrics" threads

# Runs that must leave no files, or that end early.
no_files() {
	make_run "$@"
	[ -z "$(ls "$work/run" 2>/dev/null)" ] && ! says 'names of functions'
}
nowhere() {
	rm -rf "$work/run"
	make_run RUN=session WORKLOAD=$calls OUT=
	ended 0 && ! says '^palmon: .* samples' >/dev/null 2>&1 && [ ! -e "$work/run" ]
}
long "OUT= empty writes no files" nowhere
echo '#include <stdlib.h>
int workload(void) { exit(3); }' >"$work/ends.c"
ends() {
	mkdir -p "$work/run" && echo old >"$work/run/samples" || return
	make_run RUN=session WORKLOAD="$work/ends.c" OUT="$work/run"
	ended 2 && says 'exit status 3' && [ -z "$(ls "$work/run")" ]
}
check "a workload that ends the run leaves no files, and none of an earlier run" ends
unwritable() {
	make_run RUN=session WORKLOAD=$calls OUT=/dev/null/run
	ended 2 && says '/dev/null'
}
check "a folder that cannot be created is named" unwritable

use_target sparct4 prom
check "sparct4" measured 2 WORKLOAD=$calls EVENTS=Instr_all:u:period=1009,Cycles
use_target itanium elf
long "itanium, with event addresses and branches" measured 2 WORKLOAD=$calls \
	EVENTS=IA64_INST_RETIRED:u:period=1009,BRANCH_EVENT:u:period=997
use_target knc img
knc() {
	make_run RUN=session WORKLOAD=$calls EVENTS=INSTRUCTIONS_EXECUTED:u:period=1009 \
		OUT="$work/run"
	ended 0 && [ "$(jq -s 'map(.cpu // empty) | unique | length' "$work/run/counts.json")" -eq 4 ] &&
		[ "$(jq -s 'map(.cpu // empty) | unique | length' "$work/run/samples")" -eq 4 ]
}
long "knc: four threads" knc
done_checking
