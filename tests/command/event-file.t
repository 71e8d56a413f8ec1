#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --events: event files in the form that Intel publishes. Selects are composed by hand: event 7:0, unit mask 15:8,
# USR 16, OS 17, E 18, INT 20, AnyThread 21, EN 22, INV 23, CMASK 31:24 (SDM, volume 3B).
. tests/tap.sh
. tests/command/command.sh

# event NAME CODE UMASK COUNTERS [MORE]: prints an event of the file.
event() {
	printf '{"EventName": "%s", "EventCode": "%s", "UMask": "%s",\n"Counter": "%s", ' "$1" "$2" "$3" "$4"
	printf '"BriefDescription": "%s in short"%s}' "$1" "${5:+, $5}"
}
{
	printf '[\n'
	event TEA.CUPS 0xD1 0x20 0,1 '"CounterMask": "2", "Invert": "1", "EdgeDetect": "1", "PEBS": "1"'
	printf ',\n'
	event TEA.POTS 0xD2 1 2 '"CounterMask": 0, "AnyThread": "1", "Errata": "null", "MSRIndex": "0"'
	printf ',\n'
	event INST_RETIRED.ANY 0x00 0x01 'Fixed counter 0'
	printf ',\n'
	event TEA.FIXED 0x00 0x02 'Fixed counter 1'
	printf ',\n'
	event TEA.OFFCORE 0xB7,0xBB 0x01,0x02 0,1,2,3 '"MSRIndex": "0x1a6,0x1a7", "MSRValue": "0x4077 "'
	printf ',\n'
	event TEA.SECOND 0xD1 0x01 0 '"UMaskExt": "0x02"'
	printf ',\n'
	event TEA.CUPS 0xD1 0x20 0,1 '"CounterMask": "2", "Invert": "1", "EdgeDetect": "1"'
	printf '\n]\n'
} >"$work/tea.json"
{
	printf '{"Header": {"Info": "\\"EventName\\""},\n"Events":\n'
	cat "$work/tea.json"
	printf '}\n'
} >"$work/object.json"

# encodes EVENT LINE...: the event has these registers.
encodes() {
	palmon encode -t intel --events="$work/$1.json" "$2"
	shift 2
	for line; do has_line "$line" || return; done
	done_quietly
}
for shape in tea object; do
	# 20D1H; threshold 2, INV, E: 2D7.
	check "$shape: code, unit mask, threshold, inversion, edges" encodes $shape TEA.CUPS \
		'IA32_PERFEVTSEL0 0x186 0x0000000002d720d1'
	check "$shape: names in lower case; modifiers; any thread; counter 2" encodes $shape tea.pots:u \
		'IA32_PERFEVTSEL2 0x188 0x00000000007101d2'
	check "$shape: a fixed counter" encodes $shape TEA.FIXED:k 'IA32_FIXED_CTR_CTRL 0x38d 0x0000000000000090'
done
check "events of file and target, and raw ones" encodes tea '{TEA.CUPS:c=1,cpu/event=0xd1/},LLC_MISSES' \
	'IA32_PERFEVTSEL0 0x186 0x0000000001d720d1' 'IA32_PERFEVTSEL1 0x187 0x00000000005300d1' \
	'IA32_PERFEVTSEL2 0x188 0x000000000053412e'
# Older files number fixed counters from 1.
sed 's/Fixed counter 1/Fixed counter 2/; s/Fixed counter 0/Fixed counter 1/' "$work/tea.json" >"$work/older.json"
check "fixed counters from 1 on" encodes older TEA.FIXED:k 'IA32_FIXED_CTR_CTRL 0x38d 0x0000000000000090'
palmon encode -t nehalem --events="$work/tea.json" TEA.OFFCORE:u
check "the first of several codes, with its register" has_line 'OFFCORE_RSP_0 0x1a6 0x0000000000004077'
check "its select" has_line 'IA32_PERFEVTSEL0 0x186 0x00000000005101b7'
palmon encode -t intel --events="$work/tea.json" TEA.SECOND:u
check "a second unit mask is refused" refuses 2 "tea.json: line 12: event 'TEA.SECOND': it needs a second unit mask"
palmon encode -t intel --events="$work/tea.json" TEA.CUP
check "the nearest name is the file's" refuses 2 "no event 'TEA.CUP'; the nearest name is TEA.CUPS"
palmon list -t intel --events="$work/tea.json" -j CUPS
check "list: the file's events" each_object '$o->{name} eq "TEA.CUPS" && $o->{code} == 0xD1 && $o->{umask} == 0x20 &&
	"@{$o->{counters}}" eq "0 1" && $o->{cmask} == 2 && $o->{inv} && $o->{edge} && !$o->{any} && $o->{precise} &&
	$o->{desc} eq "TEA.CUPS in short"'
palmon list -t intel --events="$work/tea.json"
check "list: all that a request can express, each once" test "$(grep -c 'in short' "$work/out")" -eq 5
palmon list -s --events="$work/tea.json"
check "list -s takes no file" refuses 2 '--summary takes no --events'
# For images. The target has 8 general counters: terms cannot say that two of them count TEA.CUPS.
palmon encode -t intel --events="$work/tea.json" --translate \
	'tea.cups:u:period=100,{INST_RETIRED.ANY:k,TEA.CUPS},cpu/event=1,umask=2/u,OTHER:c=1'
CUPS=cpu/event=0xd1,umask=0x20,cmask=2,inv,edge/
check "encode --translate" prints \
	"$CUPS:ctr=0:u:period=100,{INSTRUCTION_RETIRED:ctr=32:k,$CUPS:ctr=1},cpu/event=1,umask=2/u,OTHER:c=1"
palmon encode -t nehalem --events="$work/tea.json" --translate TEA.OFFCORE
check "a register's value" prints cpu/event=0xb7,umask=0x1,offcore_rsp=0x4077/
palmon encode -t intel --translate A
check "--translate without a file" refuses 2 '--translate needs --events=FILE'
# The trace has event C0H in 500 cycles.
{ echo '['; event MY.INSTRUCTIONS 0xC0 0x00 0; echo ']'; } >"$work/mine.json"
palmon stat -t nehalem --events="$work/mine.json" -e MY.INSTRUCTIONS:u --trace=tools/palmon/examples/nehalem.trace
check "stat counts them" has_line '500 MY.INSTRUCTIONS:u'

# refused TEXT MESSAGE: a file with this text is refused.
refused() {
	printf '%b' "$1" >"$work/bad.json"
	palmon list -t intel --events="$work/bad.json"
	refuses 2 "bad.json: $2"
}
BEGIN='[{"EventName": "A", "EventCode": "1", "Counter": "0"},\n\n{"EventName": "B",'
check "no JSON" refused '[\n{"EventName": }' "line 2: unexpected token"
check "an empty file" refused '' "line 1: '\\[' or '\\{' expected"
check "no events" refused '{"Events": []}' 'neither an array of events'
check "another shape" refused '{"Events": {"EventName": "A"}}' 'neither an array of events'
check "an event without a name" refused "$BEGIN \"EventCode\": \"1\", \"Counter\": \"0\"},{}]" \
	'after line 3: an event without EventName'
check "an element that is no event" refused "$BEGIN \"EventCode\": \"1\", \"Counter\": \"0\"},7]" \
	'after line 3: an event without EventName'
check "an event without a code" refused "$BEGIN \"Counter\": \"0\"}]" "line 3: event 'B': EventCode: missing"
check "no number" refused "$BEGIN \"EventCode\": \"C0\", \"Counter\": \"0\"}]" \
	"line 3: event 'B': EventCode: not a number"
check "a negative number" refused "$BEGIN \"EventCode\": -1, \"Counter\": \"0\"}]" \
	"line 3: event 'B': EventCode: not a number"
check "a real number" refused "$BEGIN \"EventCode\": 1.5, \"Counter\": \"0\"}]" \
	"line 3: event 'B': EventCode: not a number"
check "a long code" refused "$BEGIN \"EventCode\": \"0x10000\", \"Counter\": \"0\"}]" \
	"line 3: event 'B': EventCode: too large"
check "a long unit mask" refused "$BEGIN \"EventCode\": \"1\", \"UMask\": \"0x100\", \"Counter\": \"0\"}]" \
	"line 3: event 'B': UMask: too large"
check "a number of 65 bits" refused \
	"$BEGIN \"EventCode\": \"1\", \"MSRValue\": \"0x10000000000000000\", \"Counter\": \"0\"}]" \
	"line 3: event 'B': MSRValue: not a number"
check "no counters" refused "$BEGIN \"EventCode\": \"1\"}]" "line 3: event 'B': Counter: no list of counters"
check "wrong counters" refused "$BEGIN \"EventCode\": \"1\", \"Counter\": \"0,,1\"}]" \
	"line 3: event 'B': Counter: no list of counters"
check "counter 64" refused "$BEGIN \"EventCode\": \"1\", \"Counter\": \"64\"}]" \
	"line 3: event 'B': Counter: no list of counters"
check "a name with two meanings" refused '[{"EventName": "A", "EventCode": "1", "Counter": "0"},
{"EventName": "a", "EventCode": "2", "Counter": "0"}]' "line 2: event 'a' has other values on line 1"
check "a key twice" refused '[{"EventName": "A", "EventName": "B"}]' 'line 1: duplicate object key'
palmon list -t intel --events=/nowhere
check "no file" refuses 2 '/nowhere: No such file'
palmon list -t intel --events=/dev/zero
check "an endless file" refuses 2 '/dev/zero: longer than 64 MiB'
palmon list -t intel --events=
check "an empty name" refuses 2 '--events is empty'

check "damaged files" damaged 2 "$work/tea.json" list -t intel --events
done_checking
