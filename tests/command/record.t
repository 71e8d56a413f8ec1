#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon record: each sample where it is due, no losses, files that are complete or absent.
. tests/tap.sh
. tests/command/command.sh

traces=tests/command/traces
trace=$work/trace
samples=$work/samples

# record EVENTS: records the trace to $samples.
record() {
	"$PALMON" record -t "${target:-itanium}" -e "$1" --trace="$trace" -o "$samples" \
		>"$work/out" 2>"$work/messages"
	status=$?
}

# says_sum LINE: the last run succeeded and printed this line.
says_sum() {
	[ "$status" -eq 0 ] && [ ! -s "$work/out" ] && grep -qxF -- "$1" "$work/messages" || show
}

# fields PERL: prints PERL for each sample's object, $o.
fields() {
	perl -MJSON::PP -ne 'my $o = decode_json($_); print $o->'"$1"', "\n" if exists $o->{ip}' \
		"$samples"
}

# field PERL EXPECTED...: the values are these.
field() {
	fields "$1" >"$work/found"
	shift
	printf '%s\n' "$@" | diff - "$work/found"
}

# sums_up: samples x period + rest = count, for each event, and the file contains as many samples as
# its end states.
sums_up() {
	perl -MJSON::PP -ne '
		my $o = decode_json($_);
		$events = $o->{events} if $. == 1;
		$found[$o->{event}]++ if exists $o->{ip};
		next unless $o->{end};
		$ended = 1;
		for my $i (0 .. $#$events) {
			my $e = $o->{events}[$i];
			my $stands = $e->{samples} * $events->[$i]{period} + $e->{rest};
			die "event $i: $stands, not $e->{count}\n" if $stands != $e->{count};
			die "event $i: $found[$i] samples\n" if ($found[$i] // 0) != $e->{samples};
		}
		END { die "no end\n" unless $ended }' "$samples"
}

# 100 cycles of two instructions each at one address, then 100 at another. One sample in 30: after
# cycles 15, 30, ...
printf '%s\n' 'code=0x08 n=2 cycles=100 ip=0x4000' 'code=0x08 n=2 cycles=100 ip=0x5000 cpl=3' \
	>"$trace"
record IA64_INST_RETIRED:period=30
check "samples, period and rest add up to the count" says_sum \
	'IA64_INST_RETIRED:period=30: 13 samples x 30 + 10 = 400'
check "also in the file" sums_up
check "each sample where it is due" field {clock} 15 30 45 60 75 90 105 120 135 150 165 180 195
check "at the address of its occurrence" field {ip} 0x4000 0x4000 0x4000 0x4000 0x4000 0x4000 \
	0x5000 0x5000 0x5000 0x5000 0x5000 0x5000 0x5000
check "each sample has its event's level" field {level} 0 0 0 0 0 0 3 3 3 3 3 3 3
check "each sample has its count" field {count} 30 60 90 120 150 180 210 240 270 300 330 360 390

# The events of a cycle step over the end of a period: the rest counts for the next period.
record IA64_INST_RETIRED:period=7
check "a period that a cycle's events step over" says_sum \
	'IA64_INST_RETIRED:period=7: 57 samples x 7 + 1 = 400'
check "loses nothing" sums_up

# More samples than the ring of 4096 holds, from one line.
echo 'code=0x12 cycles=1000003' >"$trace"
record CPU_CYCLES:period=10
check "a hundred thousand samples" says_sum \
	'CPU_CYCLES:period=10: 100000 samples x 10 + 3 = 1000003'
check "all of them are in the file" sums_up

# A line that would fill a disk with two billion samples. The count is still right.
echo 'code=0x12 cycles=4000000000' >"$trace"
record CPU_CYCLES:period=2
check "samples are bounded, and a message says so" says_sum \
	'CPU_CYCLES:period=2: 1048577 samples x 2 + 3997902846 = 4000000000, then THROTTLED'
palmon report -i "$samples"
check "report says so, too" grep -q THROTTLED "$work/out"
rm "$samples"

# A period longer than the counter's 32 bits.
echo 'code=0x12 cycles=0x300000000' >"$trace"
record CPU_CYCLES:period=0x100000001
check "a period beyond the counter's 32 bits" says_sum \
	'CPU_CYCLES:period=0x100000001: 2 samples x 4294967297 + 4294967294 = 12884901888'
check "such samples are in their cycles" field {clock} 4294967297 8589934594

# Several events at once, one of them only counted.
printf '%s\n' 't=0 code=0x12 cycles=100' 't=0 code=0x08 n=3 cycles=100' >"$trace"
record CPU_CYCLES:period=9,IA64_INST_RETIRED:period=50,BUS_ALL.ANY
check "several events" says_sum 'CPU_CYCLES:period=9: 11 samples x 9 + 1 = 100'
check "each event has its period" says_sum 'IA64_INST_RETIRED:period=50: 6 samples x 50 + 0 = 300'
check "all sums in the file" sums_up

target=nehalem
printf '%s\n' 'code=0xc0 n=4 cycles=1000 ip=0x1234' >"$trace"
record INST_RETIRED.ANY:period=1000
check "Nehalem" says_sum 'INST_RETIRED.ANY:period=1000: 4 samples x 1000 + 0 = 4000'
check "its samples" field {clock} 250 500 750 1000
# Two runs of cycles with uops: the interrupts of another event, which stop all counters, cause no
# edges.
printf 'code=0x0e sub=1 n=%d cycles=100\n' 3 0 3 >"$trace"
record UOPS_ISSUED.ANY:c=2:e,UOPS_ISSUED.ANY:period=10
check "a period does not change counts of edges" eval \
	'tail -n 1 "$samples" | grep -q "\"count\":2,"'
# The last line of cycle 7 leaves thread 0 at level 0, where cycle 8 counts; the interrupted line is
# at level 3.
printf '%s\n' 't=7 code=0xc2 cpl=3' 't=7 code=0x3c sub=2' 't=8 code=0xc2 thread=1' >"$trace"
record UOPS_ISSUED.ANY:c=3:i:k:period=2
check "nor counts of cycles at a level" says_sum \
	'UOPS_ISSUED.ANY:c=3:i:k:period=2: 4 samples x 2 + 1 = 9'
# Precise: of twelve loads above 32 cycles, two are counted, the third is recorded, and so on.
trace=$traces/latency.trace
record MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2
check "precise samples" says_sum \
	'MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2: 4 samples x 2 + 0 = 8'
check "the recorded address: after the instruction" field {ip} 0x4001 0x4001 0x4021 0x4001
check "data address, source and latency at the record's end" field '{payload}[20]' \
	0x10000 0x10000 0x20000 0x10000
check "source" field '{payload}[21]' 0x3 0x3 0xa 0x3
check "latency" field '{payload}[22]' 0x28 0x2d 0x12c 0x2a
check "the file is complete" sums_up
# The guide: a record is captured "at the completion of the instruction that caused the event". The
# lines of a cycle happen together: the instruction is the event's, wherever its line stands, and
# its target may be on any of its lines.
trace=$work/trace
# in_any_order EVENT FIELD VALUE LINE...: ten such cycles, with the lines in both orders; each
# sample has this value.
in_any_order() {
	event=$1 what=$2 value=$3
	shift 3
	for order in cat tac; do
		for t in $(seq 0 20 180); do printf "t=$t %s\n" "$@" | $order; done >"$trace"
		record "$event"
		fields "$what" | sort -u >"$work/found"
		echo "$value" | diff - "$work/found" || { echo "$order"; show; return; }
	done
}
instruction='code=0xc0 sub=1 ip=0x2000'
call='code=0xc4 sub=6 ip=0x2000 kind=call target=0x3000'
check "a call sampled as an instruction is recorded at its target" in_any_order \
	INST_RETIRED.ANY_P:p:period=2 '{ip}' 0x3000 "$instruction" "$call"
load='code=0x0b sub=1 ip=0x4008 addr=0x9000'
jump='code=0xc4 sub=4 ip=0x4010 kind=jmp target=0x5000'
check "a load next to a jump is recorded after the load" in_any_order \
	MEM_INST_RETIRED.LOADS:p:period=2 '{ip}' 0x4009 "$load" "$jump"
check "the jump at its target" in_any_order BR_INST_RETIRED.ALL_BRANCHES:p:period=2 '{ip}' 0x5000 \
	"$load" "$jump"
check "of two instructions the first is recorded" in_any_order INST_RETIRED.ANY_P:p:period=2 \
	'{ip}' 0x2001 \
	"$instruction" 'code=0xc0 sub=1 ip=0x2010'
slow='MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2'
first='code=0x0b sub=0x10 ip=0x4000 addr=0x9000 lat=50 level=3'
second='code=0x0b sub=0x10 ip=0x4010 addr=0xa000 lat=60 level=4'
check "so it is for two slow loads" in_any_order $slow '{ip}' 0x4001 "$first" "$second"
check "with its data address" in_any_order $slow '{payload}[20]' 0x9000 "$first" "$second"
check "and its latency" in_any_order $slow '{payload}[22]' 0x32 "$first" "$second"
check "a slow load and a faster one" in_any_order $slow '{ip}' 0x4011 \
	'code=0x0b sub=0x10 ip=0x4000 lat=20' "$second"
# A condition of the cycle, not of an instruction (CMASK): the record shows where the program
# continues.
check "a cycle's record: where the program continues" in_any_order \
	UOPS_RETIRED.ACTIVE_CYCLES:p:period=2 '{ip}' 0x5000 \
	'code=0xc2 sub=1 ip=0x4008' "$jump"
check "after its last instruction" in_any_order UOPS_RETIRED.ACTIVE_CYCLES:p:period=2 '{ip}' \
	0x4011 \
	'code=0xc2 sub=1 ip=0x4008' 'code=0xc2 sub=1 ip=0x4010'
# Not precise: the overflow belongs to the first instruction of its cycle.
check "an interrupted cycle, too, shows its first instruction" in_any_order \
	INST_RETIRED.ANY_P:period=3 '{ip}' 0x2000 \
	"$instruction" 'code=0x3c ip=0x2010'
target=nehalem-uncore
trace=$traces/queue.trace
record UNC_GQ_TRACKER_OCCUP.RT:period=5
check "uncore: samples of an occupancy" says_sum \
	'UNC_GQ_TRACKER_OCCUP.RT:period=5: 3 samples x 5 + 4 = 19'
# 1 1 3: 5 after cycle 2; 3 3: 11 after cycle 4; 2 2: 15 after cycle 6.
check "on this CPU, when they are due" field {clock} 3 5 7
check "with the counts" field {count} 5 11 15
trace=$work/trace
target=

# Captured by the hardware: PMD2, PMD3, PMD17 (tables 6-18 to 6-20): address, latency 12, valid,
# slot 0.
trace=$traces/loads.trace
record DATA_EAR_EVENTS:period=3
check "samples of event addresses" says_sum 'DATA_EAR_EVENTS:period=3: 4 samples x 3 + 0 = 12'
check "contain the captured data" field '{payload}[0]' 0x10000 0x20008 0x10000 0x20008
trace=$work/trace

#
# The file
#

echo 'code=0x12 cycles=100' >"$trace"
rm -f "$samples"
echo 'code=0x12 n=x' >>"$trace"
record CPU_CYCLES:period=9
no_file() {
	[ "$status" -eq 1 ] && [ "$(ls "$work" | grep -c '^samples')" -eq "${1:-0}" ] ||
		{ ls "$work"; show; }
}
check "a malformed trace leaves no file" no_file
echo old >"$samples"
record CPU_CYCLES:period=9
check "nor removes the old one" eval 'no_file 1 && [ "$(cat "$samples")" = old ]'
rm -f "$samples"

# interrupted SIGNAL: palmon waits for more of a trace with a temporary file; the signal ends it and
# removes the file.
interrupted() {
	mkfifo "$work/fifo"
	"$PALMON" record -t itanium -e CPU_CYCLES:period=9 --trace="$work/fifo" -o "$samples" \
		2>/dev/null &
	pid=$!
	exec 9>"$work/fifo"
	echo 'code=0x12 cycles=100' >&9
	wait_for eval 'ls "$samples".?*' || bad=1
	kill -"$1" $pid
	wait $pid
	[ $? -gt 128 ] || bad=1
	exec 9>&-
	rm "$work/fifo"
	[ -z "$bad" ] && ! ls "$samples"* 2>/dev/null
}
check "an interrupt leaves no file" interrupted INT
check "nor does a termination request" interrupted TERM

echo 'code=0x12 cycles=100' >"$trace"
to_stdout() {
	"$PALMON" record -t itanium -e CPU_CYCLES:period=30 --trace="$trace" -o - >"$work/out" \
		2>/dev/null
	[ $? -eq 0 ] && [ "$(wc -l <"$work/out")" -eq 5 ]
}
check "to standard output" to_stdout
no_stderr() {
	"$PALMON" record -t itanium -e CPU_CYCLES:period=30 --trace - -o "$samples" <"$trace" \
		2>&- && sums_up
}
check "without standard error, messages do not end up in the file" no_stderr
rm "$samples"
record_full() {
	palmon record -t itanium -e CPU_CYCLES:period=30 --trace="$trace" -o /dev/full
	[ "$status" -eq 1 ] && [ -c /dev/full ]
}
check "a full disk is an error, and a device remains a device" record_full
palmon record -t itanium -e CPU_CYCLES:period=30 --trace="$trace" -o "$work/no/such"
check "a folder that does not exist" refuses 1 "$work/no/such: No such file"
palmon record -t itanium -e CPU_CYCLES --trace="$trace" -o "$samples"
check "a period is needed" refuses 2 'period'
palmon record -t nehalem -e INST_RETIRED.ANY_P:p,UOPS_ISSUED.ANY:period=9 --trace="$trace" \
	-o "$samples"
check "also for a precise event among others" refuses 1 'INST_RETIRED.ANY_P: .*period'
palmon record -t nehalem -e UOPS_ISSUED.ANY:p:period=9 --trace="$trace" -o "$samples"
check "an imprecise event" refuses 1 'UOPS_ISSUED.ANY: .*no records of this event'
palmon record -t itanium -e CPU_CYCLES:period=1 --trace="$trace" -o "$samples"
check "one of several events" refuses 1 'period'

# Without -o the samples are in the current folder, and a message names the file.
unnamed() (
	command=$(realpath "$PALMON") trace=$(realpath "$trace")
	cd "$work" && "$command" record -t itanium -e CPU_CYCLES:period=30 --trace="$trace" >out \
		2>messages &&
		grep -qx 'palmon: wrote palmon.samples' out && [ -s palmon.samples ]
)
check "without -o a message names the file" unnamed
done_checking
