#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon report: the histogram, what was captured, folded stacks; files that are not whole or not ours.
. tests/tap.sh
. tests/command/command.sh

traces=tests/command/traces
samples=$work/samples

# record EVENTS TRACE
record() {
	"$PALMON" record -t "${target:-itanium}" -e "$1" --trace="$2" -o "$samples" \
		>"$work/out" 2>"$work/messages" || show
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
	'has_line "6 100.0% 0x0000000000005010 ####################" && has_line "$path" &&
	 ! grep -nE ".{81}" "$work/out"'
palmon report -i "$samples" --folded
check "are frames of a flame graph" prints \
	'itanium;0x4002;0x5000;0x5012;0x4000;0x4002;0x5000;0x5012;0x4000;0x5010 6'

#
# Core i7: precise samples, load latency, branch records
#

target=nehalem

# One load in three is recorded: the period of 2, then that one. 40 + 45 + 42 = 127 cycles of three loads; Table 5 has
# the codes.
record MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2 $traces/latency.trace
palmon report -i "$samples"
latencies() {
	done_quietly && has_line 'Addresses of precise samples are those of the sampled instruction.' &&
		has_line '3 75.0% 0x0000000000004000 0x0000000000010000 42.3 45' &&
		has_line '1 25.0% 0x0000000000004020 0x0000000000020000 300.0 300'
}
check "precise samples belong to the instruction before the recorded address" latencies
palmon report -i "$samples" --raw-ip
raw() {
	done_quietly && has_line 'Addresses of precise samples are as recorded: behind the sampled instruction.' &&
		has_line '3 75.0% 0x0000000000004001 0x0000000000010000 42.3 45'
}
check "which --raw-ip shows" raw
palmon report -i "$samples" --sources
sources() {
	done_quietly && has_line 'samples share latency least most code source' &&
		has_line "3 75.0% 42.3 40 45 3 this core's second-level" && has_line cache &&
		has_line '1 25.0% 300.0 300 300 10 local memory, the line' && has_line 'is shared now'
}
check "--sources: average, least and greatest latency of each" sources
check "in 80 columns" eval '! grep -v ^MEM_INST "$work/out" | grep -nE ".{81}"'
palmon report -i "$samples" --sources -x ';'
event='MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2'
check "separated" prints "$event;3;75.0;42.3;40;45;3;this core's second-level cache" \
	"$event;1;25.0;300.0;300;300;10;local memory, the line is shared now"
palmon report -i "$samples" --sources -j
check "JSON" each_object '$o->{samples} == ($o->{code} == 3 ? 3 : 1) &&
	$o->{latency} == ($o->{code} == 3 ? 42.3 : 300) &&
	$o->{latency_least} == ($o->{code} == 3 ? 40 : 300) && $o->{share} == ($o->{code} == 3 ? 0.75 : 0.25)'
palmon report -i "$samples" -x ';'
check "rows by address, separated" prints "$event;0x0000000000004000;3;75.0;0x0000000000010000;42.3;45;" \
	"$event;0x0000000000004020;1;25.0;0x0000000000020000;300.0;300;"
palmon report -i "$samples" --blocks
check "loads have no branch records" refuses 1 'no branch records'
palmon report -i "$samples" --calls
check "and are no calls" refuses 1 'calls are counted by samples of calls'

# Every fourth call is recorded: the fourth, from 0x2100, the eighth and the twelfth; each stands for three.
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
check "JSON" prints \
	"$(json 0x2000 6 2 0.666666666666667)" "$(json 0x2100 3 1 0.333333333333333)"
palmon report -i "$samples" --calls -n 1
check "as many rows as asked for" eval 'has_line "and 1 rows more (-n 0 shows all)" && ! grep -q 0x0*2100 "$work/out"'
palmon report -i "$samples" --sources
check "calls have no latency" refuses 1 'none of its samples says who served a load'
# Relative calls (Table 7, bit 3) are not recorded: only the indirect one of the three samples has a record.
record BR_INST_RETIRED.NEAR_CALL:p:lbr=0x8:period=3 $traces/calls.trace
palmon report -i "$samples" --calls
filtered() {
	done_quietly && has_line '3 1 33.3% 0x0000000000002100 0x0000000000003000' &&
		has_line '2 samples have no record of their call'
}
check "calls whose record was left out are not taken for others" filtered
palmon report -i "$samples" --blocks
check "filtered records tell nothing of blocks" refuses 1 'filtered'
# Samples at the overflow of every fourth call. The returns go to 0x2005 and the next branch is at 0x2000: records that
# do not fit, so that only the call from 0x2100 has a path, of two blocks: 4 / 2 each.
record BR_INST_RETIRED.NEAR_CALL:lbr:period=4 $traces/calls.trace
palmon report -i "$samples" --blocks
unfit() {
	done_quietly && has_line '2.00 0x0000000000002005 0x0000000000002100' &&
		has_line '2.00 0x0000000000003000 0x0000000000003010' &&
		has_line '2 samples have no two branch records that fit together'
}
check "records that do not fit together end a path" unfit
check "blocks that were executed as often are ordered by address" eval \
	'[ "$(grep -o "0x[0-9a-f]* *0x[0-9a-f]*$" "$work/out" | cut -c 1-18 | tr "\n" " ")" = \
		"0x0000000000002005 0x0000000000003000 " ]'

# The loop's fifth and tenth branches are recorded. The fifth, at 0x1008, was not taken: before it two branches to
# 0x1000, so 0x1000 to 0x1018 once, and on to 0x1008: the first block twice, the second once, three in all, each 4/3.
# The tenth: five records, four times 0x1000 to 0x1018, eight blocks, each 4/8. 2 x 4/3 + 4 x 4/8 = 4.67;
# 4/3 + 4 x 4/8 = 3.33.
record BR_INST_RETIRED.ALL_BRANCHES:p:lbr:period=4 $traces/precise.trace
event=BR_INST_RETIRED.ALL_BRANCHES:p:lbr:period=4
palmon report -i "$samples" --blocks
blocks() {
	done_quietly && has_line '4.67 0x0000000000001000 0x0000000000001008' &&
		has_line '3.33 0x0000000000001009 0x0000000000001018'
}
check "--blocks: period / blocks of a sample's path, for each time" blocks
palmon report -i "$samples" --blocks -x ,
check "separated" prints "$event,4.67,0x0000000000001000,0x0000000000001008" \
	"$event,3.33,0x0000000000001009,0x0000000000001018"
palmon report -i "$samples" --blocks -j
check "JSON" prints "{\"event\":\"$event\",\"count\":4.67,\"first\":\"0x1000\",\"last\":\"0x1008\"}" \
	"{\"event\":\"$event\",\"count\":3.33,\"first\":\"0x1009\",\"last\":\"0x1018\"}"
# Records: 2 + 5. Passed at 0x1008: 1 + 1 in the first sample, 4 in the second.
palmon report -i "$samples" --branches
branches() {
	done_quietly && has_line '7 0 100.0% 0x0000000000001018' && has_line '0 6 0.0% 0x0000000000001008'
}
check "--branches: taken in records, not taken between them" branches
palmon report -i "$samples"
check "a sample of a branch that was taken is at the branch" has_line '1 50.0% 0x0000000000001018 ##########'
check "of one that was not, too" has_line '1 50.0% 0x0000000000001008 ##########'
check "long paths are wrapped" eval '! grep -nE ".{81}" "$work/out"'
palmon report -i "$samples" --blocks --branches
check "two views at once" refuses 2 'one view'
palmon report -i "$samples" --blocks --raw-ip
check "a view has no raw addresses" refuses 2 'raw-ip'
palmon report -i "$samples" --blocks -x ''
check "no separator" refuses 2 'separator'
palmon report -i "$samples" -x , -j
check "JSON, separated" refuses 2 'not both'
target=

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

# A file of samples is not trusted: header PERIOD, one sample, end COUNT.
forged() {
	printf '%s\n' '{"palmon_samples":1,"target":"nehalem","trace":"'"$3"'",
		"events":[{"event":"INST_RETIRED.ANY_P:period=100","period":'"$1"'}]}' | tr -d '\n' >"$samples"
	printf '\n%s\n%s\n' '{"event":0,"ip":"0x4000"}' \
		'{"end":true,"dropped":0,"events":[{"count":'"$2"',"throttled":false}]}' >>"$samples"
	palmon report -i "$samples"
}
forged 100 100 t
check "one sample of a hundred events" done_quietly
refuses_file() {
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] && grep -q "$1" "$work/messages" || show
}
forged 1000 1000 t
check "a period that is not the event's is refused" refuses_file 'the periods that the events say'
forged 100 -5 t
check "a negative count is refused" refuses_file 'count and throttled of each event'
forged 100 99 t
check "more samples than the count has periods are refused" refuses_file 'no more samples than the count has periods'
forged 100 100 'a\u001b[2Jb'
check "a trace's name does not reach the terminal as commands" has_line "Samples of 'a?[2Jb' (nehalem)"

# PMD2, PMD3 and PMD17 of two samples that only their data addresses tell apart: 100H comes behind FFH.
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
check "rows of as many samples are in the order of their addresses, not of these' bytes" order_of_addresses
done_checking
