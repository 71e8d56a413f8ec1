#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon report: the histogram, captured data, folded stacks; incomplete and foreign files.
. tests/tap.sh
. tests/command/command.sh

traces=tests/command/traces
samples=$work/samples

# record EVENTS TRACE
record() {
	"$PALMON" record -t "${target:-itanium}" -e "$1" --trace="$2" -o "$samples" \
		>"$work/out" 2>"$work/messages" || show
}

# 60 of 100 cycles at one address, 30 and 10 at two others; one sample in 10.
printf '%s\n' 'code=0x12 cycles=60 ip=0x4000' 'code=0x12 cycles=10 ip=0x4010' \
	'code=0x12 cycles=30 ip=0x4020' \
	>"$work/trace"
record CPU_CYCLES:period=10 "$work/trace"
palmon report -i "$samples"
histogram() {
	done_quietly && has_line 'CPU_CYCLES:period=10: count 100, 10 samples, one in 10' &&
		has_line 'addresses: where the program was interrupted' &&
		has_line '6 60.0% 0x0000000000004000 ############' &&
		has_line '1 10.0% 0x0000000000004010 ##' &&
		has_line '3 30.0% 0x0000000000004020 ######'
}
check "count, share and bar by address" histogram
most_first() {
	[ "$(grep -o '0x[0-9a-f]\{16\}' "$work/out" | tr '\n' ' ')" = \
		'0x0000000000004000 0x0000000000004020 0x0000000000004010 ' ]
}
check "rows with most samples first" most_first
palmon report -i "$samples" -n 1
check "the requested number of rows" eval \
	'has_line "and 2 rows more (-n 0 shows all)" && ! grep -q 4020 "$work/out"'
palmon report -i "$samples" --folded
check "folded" prints 'itanium;0x4000 6' 'itanium;0x4020 3' 'itanium;0x4010 1'
palmon report -i "$samples" -j
check "JSON" prints \
	'{"event":"CPU_CYCLES:period=10","address":"0x4000","place":"interrupted","samples":6,"share":0.6}' \
	'{"event":"CPU_CYCLES:period=10","address":"0x4020","place":"interrupted","samples":3,"share":0.3}' \
	'{"event":"CPU_CYCLES:period=10","address":"0x4010","place":"interrupted","samples":1,"share":0.1}'

# An event that took turns: 100 in its slices, 10 of 30.
sed '$s/{"count":100,/&"scaled":300,/' "$samples" >"$work/scaled"
palmon report -i "$work/scaled"
check "an estimate is marked" eval 'done_quietly &&
	has_line "CPU_CYCLES:period=10: count ~300, scaled from 100 in its slices, 10 samples, one in 10"'
sed '$s/{"count":100,/&"scaled":-1,/' "$samples" >"$work/scaled"
palmon report -i "$work/scaled"
check "a negative estimate is refused" refuses 1 'expected count and throttled of each event$'

# Loads: the event address register holds the load's own address and slot, not the interrupted
# instruction's.
record DATA_EAR_EVENTS:period=3 $traces/loads.trace
palmon report -i "$samples"
loads() {
	done_quietly && has_line 'addresses: the sampled instruction' &&
		has_line 'samples share address data address latency most' &&
		has_line '2 50.0% 0x0000000000004000 0x0000000000010000 12.0 12' &&
		has_line '2 50.0% 0x0000000000004011 0x0000000000020008 30.0 30'
}
check "data address and latency" loads
check "in 80 columns" eval '! grep -nE ".{81}" "$work/out"'
palmon report -i "$samples" --folded
check "folded, by the load's address" prints 'itanium;0x4000 2' 'itanium;0x4011 2'
palmon report -i "$samples" -j
check "JSON contains them, too" each_object '$o->{latency} == ($o->{address} eq "0x4000" ? 12 : 30)'

# A loop of two branches: the path, oldest branch first.
record BRANCH_EVENT:period=4 $traces/branches.trace
palmon report -i "$samples"
path='0x4002>0x5000 0x5012!>0x4000 0x4002>0x5000 0x5012!>0x4000'
check "branches, oldest first" eval \
	'has_line "6 100.0% 0x0000000000005010 ####################" && has_line "$path" &&
	 ! grep -nE ".{81}" "$work/out"'
palmon report -i "$samples" --folded
check "become frames of a flame graph" prints \
	'itanium;0x4002;0x5000;0x5012;0x4000;0x4002;0x5000;0x5012;0x4000;0x5010 6'

# Branches that were not taken have their own entries (6.2.8.2: "A slot number of 3 indicates a
# not-taken branch"). A loop: 0x4000 is not taken, 0x4012 goes back. A sample every four branches,
# six in all: at the first there are three entries of each of two iterations, then the last eight,
# beginning with a taken branch: T N T N T.
for t in $(seq 0 20 220); do
	echo "t=$t code=0x08 ip=0x4000 slot=1 itype=b taken=0"
	echo "t=$((t + 10)) code=0x08 ip=0x4010 slot=2 itype=b taken=1 target=0x4000"
done >"$work/loop"
record BRANCH_EVENT:period=4 "$work/loop"
palmon report -i "$samples" --branches
not_taken() {
	done_quietly && has_line '17 0 100.0% 0x0000000000004012' &&
		has_line '0 12 0.0% 0x0000000000004000'
}
check "--branches counts records of branches that were not taken" not_taken
# Conditions that exclude some branches: recorded ones are counted, and none is assumed to be
# passed.
record BRANCH_EVENT:btb=0xff80:period=4 "$work/loop"
palmon report -i "$samples" --branches
check "also of filtered records" not_taken
record BRANCH_EVENT:iar=0x4000-0x4fff:period=4 "$work/loop"
palmon report -i "$samples" --branches
check "and of records in an address range" not_taken
# 0xFE80: taken branches only (Table 6-21, tm 10).
record BRANCH_EVENT:btb=0xfe80:period=4 "$work/loop"
palmon report -i "$samples" --branches
check "not if only taken branches are recorded" refuses 1 'filtered'
# If some branches are excluded, the code between two records is unknown.
# no_blocks EVENT WHY
no_blocks() {
	record "$1" "$work/loop"
	palmon report -i "$samples" --blocks
	refuses 1 "$2"
}
check "--blocks refuses conditions of the records" no_blocks BRANCH_EVENT:btb=0xff80:period=4 \
	'filtered'
check "--blocks refuses ranges of instructions" no_blocks BRANCH_EVENT:iar=0x4000-0x4fff:period=4 \
	'filtered'
check "--blocks refuses encodings" no_blocks BRANCH_EVENT:opc=0/0x1ffffffffff/b:period=4 'filtered'
check "--blocks refuses levels" no_blocks BRANCH_EVENT:k:period=4 'filtered'

# trace_sample ENTRY...: prints a sample of these entries: PMD16, PMD8 to 15.
trace_sample() {
	count=$#
	printf '{"event":0,"ip":"0x0","payload":["0x%x"' $#
	printf ',"%s"' "$@"
	while [ $((count += 1)) -le 8 ]; do printf ',"0x0"'; done
	echo ']}'
}
# Bundle 0x4000 in slot 1, once taken and once not; a single entry has no path.
itanium_header='{"palmon_samples":1,"target":"itanium","trace":"t","events":[{"event":"BRANCH_EVENT:period=9",'\
'"period":9}]}'
itanium_end='{"end":true,"dropped":0,"events":[{"count":90,"throttled":false}]}'
{
	echo "$itanium_header"
	trace_sample 0x400d
	trace_sample 0x4005 0x5002
	echo "$itanium_end"
} >"$samples"
palmon report -i "$samples" --branches
check "an entry not taken covers all branches of its bundle" eval \
	'done_quietly && has_line "1 1 50.0% 0x0000000000004001" && [ "$(grep -c 0x "$work/out")" -eq 1 ]'
# 0x6001 goes to 0x4000; the branches in 0x4000 and 0x4010 are not taken: two blocks of one bundle
# each.
{
	echo "$itanium_header"
	trace_sample 0x6005 0x4002 0x400d 0x401d
	echo "$itanium_end"
} >"$samples"
palmon report -i "$samples" --blocks
check "--blocks continues to branches that were not taken" eval 'done_quietly &&
	has_line "4.50 0x0000000000004000 0x0000000000004000" && has_line "4.50 0x0000000000004010 0x0000000000004010"'
check "blocks with equal counts are ordered by address" eval \
	'[ "$(grep -o "0x[0-9a-f]* *0x[0-9a-f]*$" "$work/out" | cut -c 1-18 | tr "\n" " ")" = \
		"0x0000000000004000 0x0000000000004010 " ]'
# 6.2.8: a branch in the target's own bundle can replace the target's entry.
{
	echo "$itanium_header"
	trace_sample 0x6005 0x4009 0x7002
	echo "$itanium_end"
} >"$samples"
palmon report -i "$samples" --blocks
check "a branch in the target's entry is in the target" eval \
	'done_quietly && has_line "9.00 0x0000000000004000 0x0000000000004002"'

# 6.2.8.2: "last-written-PMD-index = 8 + ((8 * PMD[16].full + PMD[16].bbi - 1) % 8)". A sample every
# three branches, of two entries each: after the second sample, i.e. 12 entries, the buffer is full
# and bbi 4, and again after the sixth; after the fourth and the eighth bbi is 0.
record BRANCH_EVENT:period=3 $traces/branches.trace
palmon report -i "$samples"
last_written() {
	done_quietly && has_line 'written last: PMD13' && has_line 'written last: PMD11 PMD15' &&
		has_line 'written last: PMD9 PMD13' &&
		[ "$(grep -c 'written last' "$work/out")" -eq 3 ]
}
check "the most recently written entry of the branch trace" last_written
palmon report -i "$samples" -j
check "JSON has the last written entry" \
	each_object \
	'$o->{last} eq {1 => "PMD13", 3 => "PMD9 PMD13", 4 => "PMD11 PMD15"}->{$o->{samples}}'

# 6.1.2.2: samples of any event, including the interval timer's (6.1.2.1), carry the contents of the
# event address registers and the branch trace. Each sample contains the last load before it.
printf '%s\n' 'code=0x66 itype=m ip=0x4000 slot=1 addr=0x10000 lat=12' \
	'code=0x12 cycles=109 ip=0x5000' \
	'code=0x66 itype=m ip=0x4010 slot=0 addr=0x20000 lat=30' 'code=0x12 cycles=89 ip=0x5010' \
	>"$work/trace"
for event in ITC:period=50:dear CPU_CYCLES:period=49:dear:lat=8; do
	record $event "$work/trace"
	palmon report -i "$samples" -j
	captured() {
		each_object '!$o->{data_address} ||
			$o->{data_address} eq ($o->{latency} == 12 ? "0x10000" : "0x20000") &&
			$o->{address} eq ($o->{latency} == 12 ? "0x4001" : "0x4010")' &&
			[ "$(grep -c '"latency":12.0' "$work/out") $(grep -c '"latency":30.0' \
			"$work/out")" = '1 1' ]
	}
	check "$event samples contain the last captured data address" captured
done

#
# Core i7: precise samples, load latency, branch records
#

target=nehalem

# One load in three is recorded: after a period of 2, the third. 40 + 45 + 42 = 127 cycles of three
# loads; the codes are in Table 5.
record MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2 $traces/latency.trace
palmon report -i "$samples"
latencies() {
	done_quietly && has_line 'addresses: the sampled instruction' &&
		has_line '3 75.0% 0x0000000000004000 0x0000000000010000 42.3 45' &&
		has_line '1 25.0% 0x0000000000004020 0x0000000000020000 300.0 300'
}
check "precise samples of loads show the instruction before the recorded address" latencies
palmon report -i "$samples" --raw-ip
raw() {
	done_quietly && has_line 'addresses: the instruction executed next, after the sampled one or its target' &&
		has_line '3 75.0% 0x0000000000004001 0x0000000000010000 42.3 45'
}
check "--raw-ip shows the recorded address" raw
palmon report -i "$samples" --sources
sources() {
	done_quietly && has_line 'samples share latency least most code source' &&
		has_line "3 75.0% 42.3 40 45 3 this core's second-level" && has_line cache &&
		has_line '1 25.0% 300.0 300 300 10 local memory, the line' &&
		has_line 'is shared now'
}
check "--sources: average, least and greatest latency of each" sources
check "in 80 columns" eval '! grep -v ^MEM_INST "$work/out" | grep -nE ".{81}"'
palmon report -i "$samples" --sources -x ';'
event='MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2'
check "--sources with a separator" prints \
	"$event;3;75.0;42.3;40;45;3;this core's second-level cache" \
	"$event;1;25.0;300.0;300;300;10;local memory, the line is shared now"
palmon report -i "$samples" --sources -j
check "--sources as JSON" each_object '$o->{samples} == ($o->{code} == 3 ? 3 : 1) &&
	$o->{latency} == ($o->{code} == 3 ? 42.3 : 300) &&
	$o->{latency_least} == ($o->{code} == 3 ? 40 : 300) && $o->{share} == ($o->{code} == 3 ? 0.75 : 0.25)'
# 40 to 45 cycles are in the range of six bits, 300 in that of nine: 256 to 511. Three quarters and a
# quarter of a bar of 40 characters.
palmon report -i "$samples" --latencies
latency_ranges() {
	done_quietly && has_line "this core's second-level cache" &&
		has_line 'samples share from to cycles' &&
		has_line '3 75.0% 32 63 ##############################' &&
		has_line 'local memory, the line is shared now' && has_line '1 25.0% 256 511 ##########'
}
check "--latencies: a bar for each range of cycles from each source" latency_ranges
palmon report -i "$samples" --latencies -x ';'
check "--latencies with a separator" prints "$event;3;this core's second-level cache;3;75.0;32;63" \
	"$event;10;local memory, the line is shared now;1;25.0;256;511"
palmon report -i "$samples" --latencies -j
check "--latencies as JSON" has_keys event code source samples share from to
palmon report -i "$samples" -x ';'
check "rows by address with a separator" prints \
	"$event;0x0000000000004000;sampled;3;75.0;0x0000000000010000;42.3;45;;" \
	"$event;0x0000000000004020;sampled;1;25.0;0x0000000000020000;300.0;300;;"
palmon report -i "$samples" --blocks
check "loads without branch records" refuses 1 'no branch records'
palmon report -i "$samples" --calls
check "loads are not calls" refuses 1 'samples of other events are biased'

# Every fourth call is recorded: the fourth, from 0x2100, the eighth and the twelfth; each stands
# for three.
record BR_INST_RETIRED.NEAR_CALL:p:lbr:period=3 $traces/calls.trace
event=BR_INST_RETIRED.NEAR_CALL:p:lbr:period=3
palmon report -i "$samples" --calls
calls() {
	done_quietly && has_line 'calls samples share caller callee' &&
		has_line '6 2 66.7% 0x0000000000002000 0x0000000000003000' &&
		has_line '3 1 33.3% 0x0000000000002100 0x0000000000003000'
}
check "--calls: samples x period by call site and callee" calls
palmon report -i "$samples" --calls -j
# json SITE CALLS SAMPLES SHARE
json() {
	printf '{"event":"%s","calls":%s,"samples":%s,"share":%s,"caller":"%s","callee":"0x3000"}' \
		"$event" "$2" "$3" "$4" "$1"
}
check "--calls as JSON" prints \
	"$(json 0x2000 6 2 0.666666666666667)" "$(json 0x2100 3 1 0.333333333333333)"
palmon report -i "$samples" --calls -n 1
check "the requested number" eval \
	'has_line "and 1 rows more (-n 0 shows all)" && ! grep -q 0x0*2100 "$work/out"'
palmon report -i "$samples" --sources
check "calls without latency" refuses 1 'none of its samples has the level that served a load'
# Relative calls (Table 7, bit 3) are not recorded: only the indirect one of the three samples has a
# record.
record BR_INST_RETIRED.NEAR_CALL:p:lbr=0x8:period=3 $traces/calls.trace
palmon report -i "$samples" --calls
filtered() {
	done_quietly && has_line '3 1 33.3% 0x0000000000002100 0x0000000000003000' &&
		has_line '2 samples have no record of their call'
}
check "calls without record are not confused with others" filtered
palmon report -i "$samples" --blocks
check "filtered records cannot give blocks" refuses 1 'filtered'
record BR_INST_RETIRED.NEAR_CALL:lbr:period=4 $traces/calls.trace
palmon report -i "$samples" --blocks
check "samples of calls count calls only" refuses 1 'samples of all branches'
record BR_INST_RETIRED.ALL_BRANCHES:u:p:lbr:period=4 $traces/precise.trace
palmon report -i "$samples" --blocks
check "branches of one level: records are incomplete" refuses 1 'filtered'
palmon report -i "$samples" --branches
check "but each branch's records show whether it was taken" has_line '7 0 100.0% 0x0000000000001018'
record BR_INST_RETIRED.ALL_BRANCHES:c=1:lbr:period=4 $traces/precise.trace
palmon report -i "$samples" --blocks
check "a threshold counts cycles, not branches" refuses 1 'samples of all branches'
# Samples at the call from 0x2100, at a return and at a call from 0x2000. The returns go to 0x2005
# and the next branch is mostly at 0x2000: inconsistent records. The first sample has 0x3000 to
# 0x3010 and 0x2005 to 0x2100, 7 / 2 each, the second only 0x3000 to 0x3010, the third nothing.
record BR_INST_RETIRED.ALL_BRANCHES:lbr:period=7 $traces/calls.trace
palmon report -i "$samples" --blocks
unfit() {
	done_quietly && has_line '3.50 0x0000000000002005 0x0000000000002100' &&
		has_line '10.50 0x0000000000003000 0x0000000000003010' &&
		has_line '1 samples have no two branch records that fit together'
}
check "inconsistent records end a path" unfit

# The loop's fifth and tenth branches are recorded. The fifth, at 0x1008, was not taken: before it
# are two branches to 0x1000, i.e. 0x1000 to 0x1018 once, and on to 0x1008: the first block twice,
# the second once, three in all, each 4/3. The tenth: five records, four times 0x1000 to 0x1018,
# eight blocks, each 4/8. 2 x 4/3 + 4 x 4/8 = 4.67; 4/3 + 4 x 4/8 = 3.33.
record BR_INST_RETIRED.ALL_BRANCHES:p:lbr:period=4 $traces/precise.trace
event=BR_INST_RETIRED.ALL_BRANCHES:p:lbr:period=4
palmon report -i "$samples" --blocks
blocks() {
	done_quietly && has_line '4.67 0x0000000000001000 0x0000000000001008' &&
		has_line '3.33 0x0000000000001009 0x0000000000001018'
}
check "--blocks: period / blocks of a sample's path, for each pass" blocks
palmon report -i "$samples" --blocks -x ,
check "--blocks with a separator" prints "$event,4.67,0x0000000000001000,0x0000000000001008" \
	"$event,3.33,0x0000000000001009,0x0000000000001018"
palmon report -i "$samples" --blocks -j
check "--blocks as JSON" prints \
	"{\"event\":\"$event\",\"count\":4.67,\"first\":\"0x1000\",\"last\":\"0x1008\"}" \
	"{\"event\":\"$event\",\"count\":3.33,\"first\":\"0x1009\",\"last\":\"0x1018\"}"
# Records: 2 + 5. Not taken at 0x1008: 1 + 1 in the first sample, 4 in the second.
palmon report -i "$samples" --branches
branches() {
	done_quietly && has_line '7 0 100.0% 0x0000000000001018' &&
		has_line '0 6 0.0% 0x0000000000001008'
}
check "--branches: taken in records, not taken between them" branches
palmon report -i "$samples"
check "a sample of a taken branch is at the branch" has_line '1 50.0% 0x0000000000001018 ##########'
check "so is one of a branch that was not taken" has_line '1 50.0% 0x0000000000001008 ##########'
check "long paths are wrapped" eval '! grep -nE ".{81}" "$work/out"'
# Calls of 0x3000, sampled as instructions. Every third one is recorded: the third, from 0x2000, and
# the sixth, from 0x2100. The record contains their target. The code before 0x3000 is not involved.
printf 't=%d code=0xc0 sub=1 ip=%s kind=call target=0x3000\nt=%d code=0xc4 sub=6 ip=%s kind=call target=0x3000\n' \
	0 0x2000 0 0x2000 20 0x2100 20 0x2100 40 0x2000 40 0x2000 60 0x2100 60 0x2100 80 0x2000 80 \
	0x2000 100 0x2100 \
	100 0x2100 >"$work/trace"
record INST_RETIRED.ANY_P:p:period=2 "$work/trace"
palmon report -i "$samples"
next() {
	done_quietly && has_line '2 100.0% 0x0000000000003000 ####################' &&
		has_line \
		'addresses: the instruction executed next, after the sampled one or its target'
}
check "a sampled call is not taken for the code before its callee" next
palmon report -i "$samples" -j
check "also in JSON" each_object '$o->{place} eq "next"'
record INST_RETIRED.ANY_P:p:lbr:period=2 "$work/trace"
palmon report -i "$samples"
from() {
	done_quietly && has_line '1 50.0% 0x0000000000002000 ##########' &&
		has_line '1 50.0% 0x0000000000002100 ##########' &&
		has_line 'addresses: the sampled instruction'
}
check "with branch records it is the call" from
# A processor's record without branches, because another followed before its interrupt, next to one
# with its branch.
file() {
	printf '%s\n' "$@" >"$samples"
}
words() {
	printf '"0x%x"' "$1" && printf ',"0x0","0x%x"' "$2" && printf ',"0x0"%.0s' $(seq 20)
}
file '{"palmon_samples":1,"target":"nehalem","trace":"t","events":[{"event":"INST_RETIRED.ANY_P:p:lbr:period=9",'\
'"period":9}]}' \
	'{"event":0,"ip":"0x3000","payload":['"$(words 0x1 0x3000)"']}' \
	'{"event":0,"ip":"0x3000","payload":['"$(words 0x103 0x3000)"',"0x2000","0x3000"]}' \
	'{"end":true,"dropped":0,"events":[{"count":18,"throttled":false}]}'
palmon report -i "$samples"
marks() {
	done_quietly && has_line 'addresses: the sampled instruction' &&
		has_line \
		'addresses +: the instruction executed next, after the sampled one or its target' &&
		has_line '1 50.0% 0x0000000000003000+ ##########' &&
		has_line '1 50.0% 0x0000000000002000 ##########'
}
check "addresses of different meanings are marked" marks

# Registers of records. A loop of 8 iterations that compares ax with cx before its branch: cx goes
# from 1 to 8, ax holds the trip count (the guide, "Loop Tripcounts": the register with the larger
# average; average, RMS, min, max). Averages 8 and 4.5; the squares of 1 to 8 add up to 204, an
# eighth of which is 25.5, whose root is 5.05.
# record_of AX CX: flags, ip, ax, bx, cx and the others
record_of() {
	printf '{"event":0,"ip":"0x4010","payload":["0x1","0x0","0x4010","0x%x","0x0","0x%x"' "$1" \
		"$2"
	printf ',"0x0"%.0s' $(seq 17)
	echo ']}'
}
{
	echo '{"palmon_samples":1,"target":"nehalem","trace":"t","events":[{"event":'\
'"BR_INST_RETIRED.CONDITIONAL:p:period=9","period":9}]}'
	for turn in 1 2 3 4 5 6 7 8; do record_of 8 $turn; done
	echo '{"end":true,"dropped":0,"events":[{"count":72,"throttled":false}]}'
} >"$samples"
palmon report -i "$samples" --registers
trip_count() {
	done_quietly && has_line '0x0000000000004010 8 8.0 8.0 8 8 ax' &&
		has_line '0x0000000000004010 8 4.5 5.0 1 8 cx'
}
check "--registers: the trip count is the greater average of the registers compared" trip_count
check "in 80 columns" eval '! grep -nE ".{81}" "$work/out"'
palmon report -i "$samples" --registers -j
check "JSON contains the registers" has_line \
	'{"event":"BR_INST_RETIRED.CONDITIONAL:p:period=9","address":"0x4010",'\
'"place":"next","samples":8,"average":4.5,"rms":5.0,"least":1,"most":8,"register":"cx"}'
sed 's/"0x8","0x0","0x[1-4]"/"0x8","0x0","0xfffffffffffffffe"/' "$samples" >"$work/negative"
palmon report -i "$work/negative" --registers -x ,
# 4 x -2 + 26, over 8 (2.25, rounded up); 4 x 4 + 174, over 8, is 23.75: 4.87.
check "registers are signed" has_line \
	'BR_INST_RETIRED.CONDITIONAL:p:period=9,0x0000000000004010,next,8,2.3,4.8,-2,8,cx'
palmon report -i "$samples" --working-set
check "records without data addresses have no working set" refuses 1 'no data addresses'

# The working set by page and line: three lines of two pages; one line has two addresses. Every
# third load is recorded; a sample in two. Sources 10 and 12 are local memory (Table 5).
t=0
for load in 'level=10 addr=0x10000' 'level=3 addr=0x10008' 'level=12 addr=0x10040' \
	'level=0 addr=0x21fff'; do
	for i in 1 2 3; do
		echo "t=$t code=0x0b sub=0x10 ip=0x4000 lat=9 $load"
		t=$((t + 20))
	done
done >"$work/trace"
echo "t=$t cycles=16 code=0xcb sub=0x10" >>"$work/trace"
record MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_0:p:ldlat=3:period=2,MEM_LOAD_RETIRED.LLC_MISS \
	"$work/trace"
palmon report -i "$samples" --working-set
working_set() {
	has_line '2 pages of 4096 bytes: 8192 bytes; in them 3 lines of 64 bytes: 192 bytes' &&
		has_line '3 75.0% 0 2 2 0 0x0000000000010000' &&
		has_line '1 25.0% 0 1 0 0 0x0000000000021000'
}
check "--working-set: pages, lines, bytes" working_set
palmon report -i "$samples" --shared
check "a trace has one thread" refuses 1 'its samples are of one thread$'
palmon report -i "$samples" --sources
# Table 5: 0xA and 0xC are L3 cache misses, 0 is unknown and 3 is none; 16 loads missed in all.
fraction() {
	has_line 'sampling fraction: 2 samples x 2 missed the L3 cache, of 16 loads that did '\
'(MEM_LOAD_RETIRED.LLC_MISS): 25.0%'
}
check "--sources: the sampling fraction of loads that missed the L3 cache" fraction
palmon report -i "$samples" --latencies
check "--latencies: the same fraction" fraction
palmon report -i "$samples" --registers
check "--registers of records that are all zero" grep -q ' ax$' "$work/out"

# Executions of blocks: the guide, "Basic Block Execution Count = sum of samples x Sample After
# Value / number of instructions". A loop of 4 instructions runs 50 times after 2 instructions that
# run 5 times; one sample in 2.
{
	echo 'code=0xc0 sub=1 cycles=5 ip=0x4000'
	echo 'code=0xc0 sub=1 cycles=5 ip=0x4004'
	for ip in 0x4008 0x400c 0x4010 0x4014; do echo "code=0xc0 sub=1 cycles=50 ip=$ip"; done
} >"$work/trace"
record INST_RETIRED.ANY_P:period=2 "$work/trace"
palmon report -i "$samples" --average 0x4000-0x4007/2,0x4008-0x4017/4
averaged() {
	done_quietly && has_line '5.00 5 0x0000000000004000 0x0000000000004007' &&
		has_line '50.00 10.00 100 0x0000000000004008 0x0000000000004017'
}
check "--average: executions of blocks, and a loop's trip count" averaged
for wrong in '' 0x4000 0x4000-0x3000/2 0x4000-0x4007/0 0x4000-0x4007/2x x; do
	palmon report -i "$samples" --average "$wrong"
	check "not a block: '$wrong'" refuses 2 'FIRST-LAST/INSTRUCTIONS'
done
record CPU_CLK_UNHALTED.THREAD_P:period=2 "$work/trace"
palmon report -i "$samples" --latencies
check "samples of cycles do not have latencies" refuses 1 'no latencies|no samples'
palmon report -i "$samples" --average 0x4000-0x4007/2
check "samples of cycles do not give executions" refuses 1 'retired instructions|no samples'

record BR_INST_RETIRED.ALL_BRANCHES:p:lbr:period=4 $traces/precise.trace
palmon report -i "$samples" --blocks --branches
check "two views at once" refuses 2 'one view'
palmon report -i "$samples" --blocks --raw-ip
check "views do not show raw addresses" refuses 2 'raw-ip'
palmon report -i "$samples" --blocks -x ''
check "an empty separator" refuses 2 'separator'
palmon report -i "$samples" -x , -j
check "JSON, separated" refuses 2 'not both'
# A call, a jump and a conditional branch to the next instruction are taken and recorded; the fourth
# branch is not taken.
printf 't=%d code=0xc4 sub=4 ip=%s kind=%s target=%s\n' 0 0x2000 call 0x2005 10 0x2006 jmp 0x2008 \
	20 0x2008 cond 0x200a 30 0x2010 cond '0x2012 taken=0' 40 0x2012 ret 0x2013 >"$work/trace"
record BR_INST_RETIRED.ALL_BRANCHES:lbr:period=5 "$work/trace"
palmon report -i "$samples"
check "branches to the next instruction are recorded" has_line \
	'0x2000>0x2005 0x2006>0x2008 0x2008>0x200a 0x2012>0x2013'
target=

# Missing samples are always mentioned.
header='{"palmon_samples":1,"target":"itanium","trace":"t","events":[{"event":"CPU_CYCLES:period=9","period":9}]}'
sample='{"event":0,"ip":"0x10","clock":9,"count":9,"level":0}'
end='{"end":true,"cycles":90,"dropped":7,"events":[{"count":90,"samples":8,"rest":18,"throttled":true}]}'
file "$header" "$sample" "$end"
palmon report -i "$samples"
check "dropped samples are mentioned" grep -q '^7 samples were DROPPED' "$work/out"
check "the event whose samples are missing is named" has_line \
	'CPU_CYCLES:period=9: 7 of 8 samples are MISSING: dropped, or in records of several events'
check "throttled events are mentioned" grep -q '^CPU_CYCLES:period=9: .*THROTTLED' "$work/out"
palmon report -i "$samples" --folded
check "dropped samples are reported with --folded" grep -q '^7 samples were DROPPED' \
	"$work/messages"

# So is a machine that adds interrupts and faults to counts (OVERCOUNT=interruptions).
added='interrupts and faults counted, too, each as an instruction, a branch, a load and a store'
machine='QEMU plugin, unit clock'
file "$(echo "$header" | sed "s/\"events\"/\"backend\":\"$machine, interruptions count\",&/")" \
	"$sample" "$end"
palmon report -i "$samples"
check "a machine that counts interruptions" has_line "$added"
palmon report -i "$samples" -j
check "a machine whose interruptions count: a message with JSON" grep -qx "$added" "$work/messages"
file "$(echo "$header" | sed "s/\"events\"/\"backend\":\"$machine\",&/")" "$sample" "$end"
palmon report -i "$samples"
not_said() {
	done_quietly || show
	! grep -F "$added" "$work/out"
}
check "a machine that does not" not_said

# wrong LINE PATTERN: report refuses the file because of this line.
wrong() {
	palmon report -i "$samples"
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] &&
		grep -qE "^palmon report: $samples:$1: expected .*$2" "$work/messages" || show
}
file "$header" "$sample"
check "a truncated file" wrong 3 'not complete'
: >"$samples"
check "an empty file" wrong 1 'not complete'
file '{"some": "object"}'
check "another program's file" wrong 1 'palmon record'
file 'text'
check "a text" wrong 1 'JSON object'
file "$header" '{"event":1,"ip":"0x10"}' "$end"
check "a sample of an unknown event" wrong 2 'sample of one of the events'
file "$header" '{"event":0,"ip":"16"}' "$end"
check "an invalid address" wrong 2 'ip as'
file "$header" '{"event":0,"ip":"0x10","payload":["0x1","x"]}' "$end"
check "an invalid payload" wrong 2 'payload'
file "$header" "$sample" "$end" "$sample"
check "samples after the end" wrong 4 'no line after the end'
file "$(echo "$header" | sed s/itanium/z80/)" "$end"
check "an unknown target" wrong 1 'target'
file "$(echo "$header" | sed s/CPU_CYCLES/NO_SUCH/)" "$end"
check "an unknown event" wrong 1 'event'
palmon report -i "$work/none"
check "no such file" refuses 1 'none: No such file'
mkdir -p "$work/target/run"
palmon report -i "$work/target"
check "a folder without samples" refuses 1 "target: this folder has no file 'samples'$"
cp "$samples" "$work/target/run/samples"
palmon report -i "$work/target"
check "the subfolder with samples is named" \
	refuses 1 "target: this folder has no file 'samples'; $work/target/run has one$"
palmon report -i "$samples" --folded -j
check "two formats at once" refuses 2 'not both'
palmon report -n x
check "not a number of rows" refuses 2 'rows'

# Files of samples are untrusted: header PERIOD, one sample, end COUNT.
forged() {
	printf '%s\n' '{"palmon_samples":1,"target":"nehalem","trace":"'"$3"'",
		"events":[{"event":"INST_RETIRED.ANY_P:period=100","period":'"$1"'}]}' |
			tr -d '\n' >"$samples"
	printf '\n%s\n%s\n' '{"event":0,"ip":"0x4000"}' \
		'{"end":true,"dropped":0,"events":[{"count":'"$2"',"throttled":false}]}' \
		>>"$samples"
	palmon report -i "$samples"
}
forged 100 100 t
check "one sample of a hundred events" done_quietly
refuses_file() {
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] && grep -q "$1" "$work/messages" || show
}
forged 1000 1000 t
check "a period other than the event's" refuses_file 'periods that match the events'
forged 100 -5 t
check "a negative count" refuses_file 'count and throttled of each event'
forged 100 99 t
check "more samples than periods in the count" refuses_file \
	'no more samples than the count has periods'
forged 100 100 'a\u001b[2Jb'
check "control characters in a trace's name do not reach the terminal" has_line \
	"Samples of 'a?[2Jb' (nehalem)"

# PMD2, PMD3 and PMD17 of two samples that differ only in their data addresses: 100H comes after
# FFH.
printf '%s\n' '{"palmon_samples":1,"target":"itanium","trace":"t","events":[{"event":"DATA_EAR_EVENTS:period=100",'\
'"period":100}]}' \
	'{"event":0,"ip":"0x4000","payload":["0x100","0x5","0x4001"]}' \
	'{"event":0,"ip":"0x4000","payload":["0xff","0x5","0x4001"]}' \
	'{"end":true,"cycles":9,"dropped":0,"events":[{"count":900,"throttled":false}]}' >"$samples"
palmon report -i "$samples" -j
order_of_addresses() {
	done_quietly && [ "$(grep -o '"data_address":"[^"]*"' "$work/out" | tr '\n' ' ')" = \
		'"data_address":"0xff" "data_address":"0x100" ' ] || show
}
check "rows with equal samples are ordered by address as a number, not bytewise" order_of_addresses
# Lines that threads share. Loads of two threads: CPU, address of the instruction, data address and
# source (the guide's Table 5: 1 this core's first-level cache, 4 no other core's, 6 another core's
# modified copy). Line 0x10040 has one thread.
loads() {
	echo '{"palmon_samples":1,"target":"nehalem","trace":"t","backend":"","cpus":2,"events":['\
'{"event":"MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4:p:period=2","period":2}]}'
	echo '{"symbol":"first","address":"0x4000","end":"0x4100"}'
	echo '{"symbol":"second","address":"0x4100","end":"0x4200"}'
	while read -r cpu ip data source; do
		printf '{"event":0,"ip":"%s","level":3,"cpu":%s,"payload":["0x1","0x0","%s",' \
			"$ip" "$cpu" "$ip"
		printf '"0x0",%.0s' $(seq 17)
		printf '"%s","%s","0x9"]}\n' "$data" "$source"
	done
	echo '{"end":true,"cycles":1,"dropped":0,"events":[{"count":16,"samples":8,"rest":0,"throttled":false}]}'
}
loads >"$work/shared" <<END
0 0x4010 0x10000 0x6
0 0x4020 0x10000 0x6
0 0x4010 0x10040 0x6
1 0x4110 0x10008 0x1
1 0x4120 0x10008 0x6
0 0x4010 0x20004 0x1
1 0x4110 0x20004 0x4
1 0x4010 0x20004 0x4
END
palmon report -i "$work/shared" --shared -x ,
event='MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_4:p:period=2'
modified="the last-level cache, another core's modified copy" \
	alone='the last-level cache, no other core asked'
a=0x0000000000010000 b=0x0000000000020000
shared() {
	printf '%s\n' "$a,4,3,0,0,2,0,$modified,first" \
		"$a,4,3,8,1,1,0,this core's first-level cache,second" \
		"$a,4,3,8,1,1,0,$modified,second" "$b,3,0,4,0,1,0,this core's first-level cache,first" \
		"$b,3,0,4,1,1,0,$alone,first" "$b,3,0,4,1,1,0,$alone,second" >"$work/expected"
	[ "$status" -eq 0 ] && sed "s/^$event,//" "$work/out" | diff "$work/expected" -
}
check "--shared: threads, offsets, functions and sources of each line that several threads use" \
	shared
palmon report -i "$work/shared" --shared
shared_table() {
	has_line "0x0000000000010000 3 0 0 2 0 first: the" &&
		has_line \
		"2 lines of 64 bytes are used by several threads, 0 of them in samples of stores: "\
"7 samples, of which 3 read another cache's modified copy"
}
check "--shared: as a table" shared_table
done_checking
