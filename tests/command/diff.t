#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon diff: differences between two runs.
. tests/tap.sh
. tests/command/command.sh

cat >"$work/a.json" <<'END'
{"counter-value":1000,"unit":"","event":"INST_RETIRED.ANY","event-runtime":9}
{"counter-value":2000,"unit":"","event":"CPU_CLK_UNHALTED.THREAD","event-runtime":9}
{"counter-value":"<not counted>","unit":"","event":"UOPS_RETIRED.ANY","event-runtime":0}
{"event":"CPI","metric-value":2.0,"metric-unit":"cycles/instruction"}
END
sed -e 's/:1000,/:1010,/' -e 's/:2\.0,/:1.5,/' "$work/a.json" >"$work/b.json"

palmon diff "$work/a.json" "$work/b.json"
differences() {
	done_quietly && has_line 'first second difference percent' &&
		has_line '1000 1010 10 1.00 INST_RETIRED.ANY' &&
		has_line '2.000000 1.500000 -0.500000 -25.00 CPI' &&
		has_line '1 of 3 values are the same'
}
check "counts and metrics that differ, and their distance" differences
palmon diff -j "$work/a.json" "$work/b.json"
check "JSON" prints \
	'{"kind":"count","a":1000,"b":1010,"difference":10,"percent":1.0,"name":"INST_RETIRED.ANY"}' \
	'{"kind":"metric","a":2.0,"b":1.5,"difference":-0.5,"percent":-25.0,"name":"CPI"}'
palmon diff --fail-above=0 "$work/a.json" "$work/a.json"
check "a run does not differ from itself" prints '3 of 3 values are the same'

# An estimate is compared with that of the same group only.
sed '1s/,"event-runtime"/,"scaled":true,"counted":250,"group":2&/' "$work/a.json" >"$work/turns.json"
palmon diff "$work/a.json" "$work/turns.json"
estimates() {
	done_quietly && has_line '2 of 4 values are the same' &&
		palmon diff -j "$work/a.json" "$work/turns.json" &&
		grep -q '"b":1000,.*"name":"INST_RETIRED.ANY, scaled, group 2"' "$work/out"
}
check "an exact count and an estimate are different values" estimates

# fails PERCENT NAME...: only these differ by more.
fails() {
	percent=$1
	shift
	palmon diff --fail-above="$percent" "$work/a.json" "$work/b.json"
	[ $# -eq 0 ] && { done_quietly; return; }
	printf "palmon diff: %s: it differs by more than $percent %%\n" "$@" >"$work/expected"
	[ "$status" -eq 1 ] && diff "$work/expected" "$work/messages"
}
check "--fail-above: any difference" fails 0 INST_RETIRED.ANY CPI
check "just below one" fails 0.999 INST_RETIRED.ANY CPI
check "a limit that equals the difference" fails 1 CPI
check "a limit above all differences" fails 25
sed '/THREAD/d' "$work/a.json" >"$work/b.json"
check "a value that only one run has exceeds any limit" fails 1000 CPU_CLK_UNHALTED.THREAD

# Folders, with functions. One of six samples moves from one function to another.
two_events third 00ff00ff "$work/samples"
for run in a b; do
	mkdir "$work/$run"
	cp "$work/a.json" "$work/$run/counts.json"
	cp "$work/samples" "$work/$run"
done
sed -i 's/"ip":"0x4110"/"ip":"0x4020"/' "$work/b/samples"
palmon diff --fail-above=0 "$work/a" "$work/b"
functions() {
	done_quietly && has_line '3 4 1 33.33 first #' &&
		has_line '2 1 -1 -50.00 second_one #' && has_line '6 of 8 values are the same'
}
check "samples by function never fail" functions

palmon diff "$work/a.json"
check "two runs are needed" refuses 2 'two runs are compared'
palmon diff --fail-above=much "$work/a" "$work/b"
check "not a percentage" refuses 2 "'much' is not a percentage$"
palmon diff "$work/a" "$work/nowhere"
check "a run that does not exist" refuses 1 'nowhere: No such file'
rm "$work/b/counts.json"
palmon diff "$work/a" "$work/b"
check "a folder without counts" refuses 1 'there is no counts.json in it$'
for text in '{"event":' '[]' 'text' '{"event":1}' ''; do
	printf '%s' "$text" >"$work/wrong"
	palmon diff "$work/wrong" "$work/a.json"
	check "no counts: '$text'" refuses 1 'wrong: it has no counts of '
done
done_checking
