#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon report: the histogram, what was captured, folded stacks; files that are not whole or not ours.
. tests/tap.sh
. tests/command/command.sh

traces=tests/command/traces
samples=$work/samples

# record EVENTS TRACE
record() {
	"$PALMON" record -t itanium -e "$1" --trace="$2" -o "$samples" >"$work/out" 2>"$work/messages" || show
}

# 60 of 100 cycles at one address, 30 and 10 at others; one sample in 10.
printf '%s\n' 'code=0x12 cycles=60 ip=0x4000' 'code=0x12 cycles=10 ip=0x4010' 'code=0x12 cycles=30 ip=0x4020' \
	>"$work/trace"
record CPU_CYCLES:period=10 "$work/trace"
palmon report -i "$samples"
histogram() {
	done_quietly && has_line 'CPU_CYCLES:period=10: count 100, 10 samples, one in 10' &&
		has_line '6 60.0% 0x0000000000004000 ############' && has_line '1 10.0% 0x0000000000004010 ##' &&
		has_line '3 30.0% 0x0000000000004020 ######'
}
check "count, share and bar by address" histogram
most_first() {
	[ "$(grep -o '0x[0-9a-f]\{16\}' "$work/out" | tr '\n' ' ')" = \
		'0x0000000000004000 0x0000000000004020 0x0000000000004010 ' ]
}
check "most samples first" most_first
palmon report -i "$samples" -n 1
check "as many rows as asked for" eval 'has_line "and 2 rows more (-n 0 shows all)" && ! grep -q 4020 "$work/out"'
palmon report -i "$samples" --folded
check "folded" prints 'itanium;0x4000 6' 'itanium;0x4020 3' 'itanium;0x4010 1'
palmon report -i "$samples" -j
check "JSON" prints '{"event":"CPU_CYCLES:period=10","address":"0x4000","samples":6,"share":0.6}' \
	'{"event":"CPU_CYCLES:period=10","address":"0x4020","samples":3,"share":0.3}' \
	'{"event":"CPU_CYCLES:period=10","address":"0x4010","samples":1,"share":0.1}'

# Loads: the event address register has the load's own address and slot, not the interrupted one's.
record DATA_EAR_EVENTS:period=3 $traces/loads.trace
palmon report -i "$samples"
loads() {
	done_quietly && has_line 'samples share address data address latency most' &&
		has_line '2 50.0% 0x0000000000004000 0x0000000000010000 12.0 12' &&
		has_line '2 50.0% 0x0000000000004011 0x0000000000020008 30.0 30'
}
check "data address and latency" loads
check "in 80 columns" eval '! grep -nE ".{81}" "$work/out"'
palmon report -i "$samples" --folded
check "folded, by the load's address" prints 'itanium;0x4000 2' 'itanium;0x4011 2'
palmon report -i "$samples" -j
check "JSON has them too" each_object '$o->{latency} == ($o->{address} eq "0x4000" ? 12 : 30)'

# A loop of two branches: the path, oldest first.
record BRANCH_EVENT:period=4 $traces/branches.trace
palmon report -i "$samples"
path='0x4002>0x5000 0x5012!>0x4000 0x4002>0x5000 0x5012!>0x4000'
check "branches, oldest first" eval \
	'has_line "6 100.0% 0x0000000000005010 ####################" && has_line "$path" && ! grep -nE ".{81}" "$work/out"'
palmon report -i "$samples" --folded
check "are frames of a flame graph" prints \
	'itanium;0x4002;0x5000;0x5012;0x4000;0x4002;0x5000;0x5012;0x4000;0x5010 6'

# Samples that are not there are always said.
header='{"palmon_samples":1,"target":"itanium","trace":"t","events":[{"event":"CPU_CYCLES:period=9","period":9}]}'
sample='{"event":0,"ip":"0x10","clock":9,"count":9,"level":0}'
end='{"end":true,"cycles":90,"dropped":7,"events":[{"count":90,"samples":8,"rest":18,"throttled":true}]}'
file() {
	printf '%s\n' "$@" >"$samples"
}
file "$header" "$sample" "$end"
palmon report -i "$samples"
check "dropped samples are said" grep -q '^7 samples were DROPPED' "$work/out"
check "throttled events are said" grep -q '^CPU_CYCLES:period=9: .*THROTTLED' "$work/out"
palmon report -i "$samples" --folded
check "also when folded" grep -q '^7 samples were DROPPED' "$work/messages"

# wrong LINE PATTERN: the file is refused because of this line.
wrong() {
	palmon report -i "$samples"
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] && grep -qE "^$samples:$1: expected .*$2" "$work/messages" || show
}
file "$header" "$sample"
check "a file without its end" wrong 3 'not complete'
: >"$samples"
check "an empty file" wrong 1 'not complete'
file '{"some": "object"}'
check "another program's file" wrong 1 'palmon record'
file 'text'
check "a text" wrong 1 'JSON object'
file "$header" '{"event":1,"ip":"0x10"}' "$end"
check "a sample of no event" wrong 2 'sample of one of the events'
file "$header" '{"event":0,"ip":"16"}' "$end"
check "an address that is none" wrong 2 'ip as'
file "$header" '{"event":0,"ip":"0x10","payload":["0x1","x"]}' "$end"
check "a payload that is none" wrong 2 'payload'
file "$header" "$sample" "$end" "$sample"
check "samples behind the end" wrong 4 'no line behind the end'
file "$(echo "$header" | sed s/itanium/z80/)" "$end"
check "a target that there is not" wrong 1 'target'
file "$(echo "$header" | sed s/CPU_CYCLES/NO_SUCH/)" "$end"
check "an event that there is not" wrong 1 'event'
palmon report -i "$work/none"
check "no such file" refuses 1 'none: No such file'
palmon report -i "$samples" --folded -j
check "two forms at once" refuses 2 'not both'
palmon report -n x
check "a number of rows that is none" refuses 2 'rows'
done_checking
