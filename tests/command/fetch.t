#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon fetch: extracts an image's measurements from a console log: complete, cut off, damaged.
# Checksums are Perl's.
. tests/tap.sh
. tests/command/command.sh

# signed: turns lines of standard input into a block: sign, text, checksum of all text so far.
signed() {
	perl -MCompress::Zlib \
		-ne 'chomp; $crc = crc32($_, $crc // 0); printf "\@%s %08x\r\n", $_, $crc'
}
crc_of_the_check_string() {
	[ "$(perl -MCompress::Zlib -e 'printf "%08x", crc32("123456789")')" = cbf43926 ]
}
check "the checksums are CRC-32 (its check value)" crc_of_the_check_string

# Two threads, two events, six samples, two of which were only counted; the second event belongs to
# another PMU.
cat >"$work/samples" <<'END'
{"palmon_samples":1,"target":"nehalem","backend":"some backend","cpus":2,"build_id":"00ff00ff","events":[\
{"event":"INST_RETIRED.ANY_P:u:period=1000","period":1000},\
{"event":"UNC_CLK_UNHALTED:period=500","period":500,"target":"nehalem-uncore"},\
{"event":"UOPS_RETIRED.ANY","period":0,"absent":true}]}
{"symbol":"first","address":"0x4000","end":"0x4100"}
{"symbol":"second_one","address":"0x4100","end":"0x4180"}
{"event":0,"ip":"0x4010","clock":1000,"count":1000,"level":3,"cpu":0}
{"event":0,"ip":"0x4110","clock":2000,"count":2000,"level":3,"cpu":0}
{"event":1,"ip":"0x4020","clock":600,"count":500,"level":0,"cpu":0,"payload":["0xabc","0x1f"]}
{"event":0,"ip":"0x4100","clock":900,"count":1000,"level":3,"cpu":1}
{"event":1,"ip":"0x4120","cpu":0,"times":2}
{"end":true,"cycles":7000,"dropped":0,"events":[{"count":3700,"samples":3,"rest":700,"throttled":false},\
{"count":1700,"samples":3,"rest":200,"throttled":false},{"count":0,"samples":0,"rest":0,"throttled":false}]}
END
cat >"$work/counts" <<'END'
{"counter-value":2100,"unit":"","event":"INST_RETIRED.ANY_P:u","event-runtime":7000,"pcnt-running":100.0,"cpu":"0"}
{"counter-value":1600,"unit":"","event":"INST_RETIRED.ANY_P:u","event-runtime":8000,"pcnt-running":100.0,"cpu":"1"}
{"counter-value":1700,"unit":"","event":"UNC_CLK_UNHALTED","event-runtime":7000,"pcnt-running":100.0,"cpu":"0"}
{"counter-value":"<not counted>","unit":"","event":"UOPS_RETIRED.ANY","event-runtime":0,"pcnt-running":0.0,"cpu":"0"}
{"event":"CPI","event-runtime":7000,"pcnt-running":100.0,"metric-value":-1.25,"metric-unit":"cycles","runs":1,"cpu":"0"}
END
sed -i -e ':join' -e '/\\$/N; s/\\\n//; t join' "$work/samples"
{
	head -n 1 "$work/samples"
	cat "$work/counts"
	tail -n +2 "$work/samples"
} >"$work/lines"
{
	echo 'the console before it'
	signed <"$work/lines"
	echo 'and after it'
} >"$work/log"
run=$work/run

# fetch ARGUMENT...: fetches into $run.
fetch() {
	palmon fetch -o "$run" "$@"
}
fetched() {
	prints "palmon: ${1:-6} samples, counts and names of functions are in $run"
}
fetch "$work/log"
check "a complete run" fetched
# The command adds the name of the log to the first line.
samples() {
	sed "1s|}\$|,\"trace\":\"$work/log\"}|" "$work/samples" | diff - "$run/samples"
}
check "the run's samples" samples
check "the run's counts and metrics" cmp "$work/counts" "$run/counts.json"
symbols() {
	printf '%s\n' '4000 100 first' '4100 80 second_one' | diff - "$run/symbols"
}
check "its functions, in the format of perf's maps" symbols

# Report reads the result.
palmon report -i "$run" --functions
functions() {
	done_quietly && has_line '2 66.7% second_one' && has_line '1 33.3% first' &&
		has_line 'UNC_CLK_UNHALTED:period=500: count 1700, 3 samples, one in 500'
}
check "report reads the folder, and shows functions" functions
palmon report -i "$run/samples"
check "and samples by address, too" eval \
	'done_quietly && has_line "1 33.3% 0x0000000000004110 second_one+0x10" &&
	has_line "UOPS_RETIRED.ANY: count <not counted>"'
palmon report -i "$run" -j
check "report as JSON" each_object \
	'$o->{function} eq (hex($o->{address}) < 0x4100 ? "first" : "second_one")'
palmon report -i "$run" -x ';'
check "report with a separator" \
	eval 'grep -qx "INST_RETIRED.ANY_P:u:period=1000;0x0000000000004010;interrupted;1;33.3;;;;;first" \
	"$work/out"'

#
# Logs
#

{ sed 's/^/[12:34:56.789] /' "$work/log"; echo 'more @{7} than that'; } >"$work/stamped"
fetch "$work/stamped"
check "times before each line are ignored" fetched
"$PALMON" fetch -o "$run" - <"$work/log" >"$work/out" 2>"$work/messages"
check "standard input" grep -q '"trace":"standard input"' "$run/samples"
{ sed 's/"cpus":2/"cpus":3/' "$work/lines" | signed; cat "$work/log"; } >"$work/two"
fetch "$work/two"
check "of two runs the last one is used" eval \
	'[ "$status" -eq 0 ] && grep -q "\"cpus\":2" "$run/samples" &&
	grep -qx "palmon fetch: .*: there are 2 results in it; this is the last one (--run=N)" "$work/messages"'
fetch --run=1 "$work/two"
check "or the requested one" grep -q '"cpus":3' "$run/samples"
fetch --run=3 "$work/two"
check "a run that does not exist" refuses 1 'there are 2 results in it$'
echo nothing >"$work/none"
fetch "$work/none"
check "no run" refuses 1 'it has no result of a palmon image$'
fetch "$work/nowhere"
check "a missing log" refuses 1 'nowhere: No such file'

#
# Damage
#

# lost MESSAGE...: the last run ended with 1, and printed these messages.
lost() {
	[ "$status" -eq 1 ] || { show; return 1; }
	for message; do
		grep -qxF "palmon fetch: $message" "$work/messages" ||
			{ echo "not said: $message"; show; return 1; }
	done
	[ "$(wc -l <"$work/messages")" -eq $# ] || show
}
# damaged CHANGE: fetches the log with this change.
damaged() {
	mkdir -p "$run" && echo earlier >"$run/samples" && sed "$1" "$work/log" >"$work/damaged"
	fetch "$work/damaged"
}
# nothing MESSAGE...: and no files are left, even of an earlier run.
nothing() {
	lost "$@" && [ -z "$(ls "$run")" ]
}
here=$work/damaged
damaged '11s/0x4110/0x4112/'
check "a changed line is named" nothing "$here: line 10 of the result is damaged or lost"
damaged '12d'
check "a missing line is named" nothing "$here: line 11 of the result is damaged or lost"
damaged '5d;9,10d;12s/0x/0y/'
check "the first of several" nothing "$here: line 4 of the result is damaged or lost"
damaged '12s/....$/zzzz/'
check "a changed checksum" nothing "$here: line 11 of the result is damaged or lost"
damaged '12s/$/firmware: text without an end of line/'
check "other text in a line" nothing "$here: line 11 of the result is damaged or lost"
damaged '15d'
check "cut off: the last line is missing" nothing \
	"$here: the result is cut off: its last line is damaged or lost"
damaged '12s/^/firmware: a line\n/'
check "other lines between are ignored" fetched
damaged 2d
check "without the first line nothing is extracted" \
	refuses 1 'the first line of the result is damaged or lost, and with it the meaning of the other 12 lines$'
# unsuitable CHANGE MESSAGE: the first line with this change.
unsuitable() {
	sed "1$1" "$work/lines" | signed >"$work/damaged"
	fetch "$work/damaged"
	refuses 1 "$2"
}
check "a newer version" unsuitable 's/_samples":1/_samples":2/' \
	'version 2, and this palmon reads version 1$'
check "an unknown target" unsuitable s/nehalem/pentium/ "unknown target: 'pentium'$"
check "no target" unsuitable 's/"target":"nehalem",//' \
	'the first line of the result is not understood$'
check "a number as build ID" unsuitable 's/"00ff00ff"/7/' \
	'the first line of the result is not understood$'
sed 's/"symbol":"first"/"symbol":1/' "$work/lines" | signed >"$work/damaged"
fetch "$work/damaged"
check "a function without a name" refuses 1 'a function of the result is not understood$'

#
# The image
#

# with_id ID: makes an ELF file with this build ID.
with_id() {
	echo 'int main(void) { return 0; }' | gcc -x c -Wl,--build-id=0x"$1" -o "$work/elf" -
}
with_id 00ff00ff
fetch --elf="$work/elf" "$work/log"
check "the image is copied" eval 'fetched && cmp "$work/elf" "$run/image.elf"'
fetch "$work/log"
check "an earlier run's copy is removed" eval '[ ! -e "$run/image.elf" ]'
with_id 00ff00fe
fetch --elf="$work/elf" "$work/log"
other_id() {
	refuses 1 "not the image that ran: its build ID is 00ff00fe, not 00ff00ff$" &&
		[ ! -e "$run/image.elf" ]
}
check "an image with another build ID" other_id
fetch --elf="$work/log" "$work/log"
check "not an ELF file" refuses 1 'it is not an ELF file$'

#
# A pipe
#

pass() {
	"$PALMON" fetch --pass -o "$run" - >"$work/out" 2>"$work/messages"
	status=$?
}
passed() {
	{
		echo 'the console before it'
		echo "palmon: 6 samples, counts and names of functions are in $run"
		echo 'and after it'
	} | diff - "$work/out" && [ "$status" -eq 0 ] && [ ! -s "$work/messages" ]
}
pass <"$work/log"
check "--pass prints lines outside the run" passed
others() {
	printf '@ 1\n@x\n@{1 of no run\nuser@{x 00000000\n@@\n\n@{2} 12345678\n@{' >"$work/strange"
	pass <"$work/strange"
	[ "$status" -eq 0 ] && cmp "$work/strange" "$work/out"
}
check "to the character" others
# Text without an end of line, such as a prompt, appears before the pipe ends.
at_once() {
	mkfifo "$work/in"
	"$PALMON" fetch --pass -o "$run" - <"$work/in" >"$work/out" 2>&1 &
	exec 9>"$work/in"
	printf 'prompt> ' >&9
	wait_for test -s "$work/out"
	exec 9>&-
	wait $! && [ "$(cat "$work/out")" = 'prompt> ' ]
}
check "without delay" at_once
head -n 12 "$work/log" >"$work/cut"
pass <"$work/cut"
check "a console that stops" lost \
	'standard input: the result is cut off: its last line is damaged or lost'

# The report on the board goes to a file. Without -o, no measurements are extracted.
board_lines() {
	printf '%s\n' '{"palmon_board":1}' '{"end":true}' | signed
}
board_passed() {
	{ echo before; board_lines; echo '@2 of no run'; printf '@{0 x\n@'; } >"$work/both"
	"$PALMON" fetch --pass --board="$work/board" - <"$work/both" >"$work/out" &&
		board_lines | diff - "$work/board" &&
		printf 'before\n@2 of no run\n@{0 x\n@' | diff - "$work/out"
}
check "--board extracts the lines about the board" board_passed
palmon fetch --board="$work/board" "$work/log"
check "--board without --pass" refuses 2 '--board is for --pass; palmon board reads a log itself'
none_passed() {
	"$PALMON" fetch --pass --board="$work/board" - <"$work/log" | diff "$work/log" - &&
		[ ! -e "$work/board" ]
}
check "without it, there is no file" none_passed
: >"$work/empty"
palmon fetch --pass --board="$work/none/file" "$work/empty"
check "a file that cannot be created" refuses 1 'none/file: Not a directory'
fetch -o "$work/none/folder" "$work/log"
check "-o once" refuses 2 '-o is given twice'
palmon fetch -o "$work/none/folder" "$work/log"
check "a folder that cannot be created" refuses 1 'none/folder: Not a directory'

#
# The self test (TAP version 13, testanything.org): replaced by a summary, with failures in full
#

# Output of an image with two PMUs: 6 checks, one of which fails, with its bits, and one of which is
# skipped.
cat >"$work/selftest" <<'END'
palmon: a processor
TAP version 13
1..6
ok 1 - reset: A (expected 0x0, found 0x0)
not ok 2 - holds: B (expected 0x3, found 0x1)
#   B.FIELD: bit 1 expected 1, found 0
ok 3 - counts: A (expected 0x1, found 0x1)
# one: 100 clocks from entry to here
ok 4 - another thread # SKIP there is none
ok 5 - counts: C (expected 0x1, found 0x1)
ok 6 - stops: C (expected 0x0, found 0x0)
# two: 200 clocks from entry to here
# 1 checks failed

palmon: status 1 (self test failed)
END
tap=$work/selftest.tap
# summarized FILE LINE...: with --summary and --tap, this log prints these lines.
summarized() {
	log=$1
	shift
	sed 's/$/\r/' "$log" | "$PALMON" fetch --pass --summary --tap="$tap" - >"$work/out" ||
		return
	printf '%s\r\n' "$@" | sed "/^self test: /s/\r//" | diff - "$work/out"
}
failures() {
	summarized "$work/selftest" 'palmon: a processor' \
		'not ok 2 - holds: B (expected 0x3, found 0x1)' \
		'#   B.FIELD: bit 1 expected 1, found 0' \
		'ok 4 - another thread # SKIP there is none' \
		"self test: 4 of 6 checks passed, 1 failed, 1 skipped; all of them are in $tap" '' \
		'palmon: status 1 (self test failed)' &&
		sed -n '/^TAP/,/^# 1 checks/p' "$work/selftest" | diff - "$tap"
}
check "--summary prints failures with their bits, and skipped checks; --tap keeps everything" \
	failures
sed -e 's/^not ok/ok/' -e '/^#   /d' -e '/SKIP/s/ #.*//' -e 's/^# 1 .*/# all checks passed/' \
	"$work/selftest" \
	>"$work/passes"
passes() {
	summarized "$work/passes" 'palmon: a processor' \
		"self test: 6 of 6 checks passed; all of them are in $tap" '' \
		'palmon: status 1 (self test failed)'
}
check "passed checks are only counted" passes
# An image that hangs, or ends with an exception.
ends_early() {
	sed '/^ok 5/,$d' "$work/passes" >"$work/cut"
	echo 'palmon: a fault' >>"$work/cut"
	summarized "$work/cut" 'palmon: a processor' 'palmon: a fault' \
		"self test: 4 of 6 checks passed, 2 not done; all of them are in $tap"
}
check "an unfinished self test is reported" ends_early
# TAP lines of a program after the self test are the program's output.
program_with_tap() {
	{ cat "$work/passes"; sed -n '/^TAP/,$p' "$work/passes"; } >"$work/twice"
	"$PALMON" fetch --pass --summary - <"$work/twice" >"$work/out" &&
		{
			echo 'palmon: a processor'
			echo 'self test: 6 of 6 checks passed'
			sed -n '/^$/,$p' "$work/passes"
			sed -n '/^TAP/,$p' "$work/passes"
		} | diff - "$work/out"
}
check "only the first one; without --tap it is discarded" program_with_tap
all_shown() {
	"$PALMON" fetch --pass --tap="$tap" - <"$work/selftest" | diff "$work/selftest" - &&
		sed -n '/^TAP/,/^# 1 checks/p' "$work/selftest" | diff - "$tap"
}
check "--tap alone leaves the console unchanged" all_shown
# On a terminal a line shows progress, and is replaced.
progress() {
	env TERM=xterm script -qec "'$PALMON' fetch --pass --summary '$work/selftest'" /dev/null \
		</dev/null >"$work/out"
	tr '\r' '\n' <"$work/out" | grep -qx 'self test: 5 of 6 checks' &&
		tr '\r' '\n' <"$work/out" |
		grep -a 'self test: 4 of 6 checks passed, 1 failed, 1 skipped$'
}
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	check "progress on a terminal" progress
else
	skip "progress on a terminal" "script has no terminal here"
fi
no_selftest() {
	"$PALMON" fetch --pass --summary --tap="$tap" - <"$work/none" | diff "$work/none" - &&
		[ ! -e "$tap" ]
}
check "no self test: no file" no_selftest
for option in --summary --tap="$tap"; do
	palmon fetch "$option" "$work/log"
	check "${option%%=*} without --pass" refuses 2 "${option%%=*} is for --pass"
done
palmon fetch --pass --tap="$work/none/file" "$work/empty"
check "a file of TAP that cannot be created" refuses 1 'none/file: Not a directory'
done_checking
