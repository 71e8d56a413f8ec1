#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon board: reads a report on a board from a console log: complete, cut off, damaged; compares
# two boards. Checksums are Perl's. boot/ends.t contains logs of the image itself.
. tests/tap.sh
. tests/command/command.sh

# signed: turns lines of standard input into a block: sign, text, checksum of all text so far.
signed() {
	perl -MCompress::Zlib \
		-ne 'chomp; $crc = crc32($_, $crc // 0); printf "\@%s %08x\n", $_, $crc'
}
sed -e ':join' -e '/\\$/N; s/\\\n//; t join' >"$work/lines" <<'END'
{"palmon_board":1,"status":1,"why":"self test failed"}
{"machine":{"target":"nehalem","processor":"Some family 6","started_by":"UEFI","backend":"silicon","build_id":"00ff",\
"command_line":"run=all"}}
{"processors":{"count":16,"off":0,"packages":2,"in_package":8,"cores":4,"used":4}}
{"pmu":{"counters":7,"fixed":3,"width":48,"features":"0x1f"}}
{"pending":{"status":"0x1"}}
{"left":{"counter":0,"control":"0x4300c0","event":"INST_RETIRED.ANY_P","events":50005}}
{"selftest":{"checks":20,"done":20,"failed":2,"skipped":1}}
{"failure":{"pmu":"nehalem","check":"reset: IA32_PMC0","expected":"0x0","found":"0x7"}}
{"failure":{"pmu":"nehalem","check":"holds: IA32_PMC1","expected":"0xff","found":"0x0","problem":"0xc2 faulted"}}
{"count":{"event":"INST_RETIRED.ANY:u","pmu":"nehalem","run":0,"thread":0,"value":1000,"samples":3}}
{"count":{"event":"UOPS_RETIRED.ANY","pmu":"nehalem","run":1,"thread":0}}
{"end":true}
END
{
	echo 'the console before it'
	signed <"$work/lines"
	echo 'palmon: status 1 (self test failed)'
} >"$work/log"
report() {
	cat >"$work/expected" <<'END'
status         1 (self test failed)
processor      Some family 6
target         nehalem
started by     UEFI
PMU backend    silicon
command line   run=all
build ID       00ff
CPUs           16 in 2 packages, 8 with 4 cores in this one; 4 are used
counters       7 of 48 bits, of which 3 have a fixed event
self test      20 checks, 20 done: 17 passed, 2 failed, 1 skipped
pending        0x1

left running by firmware or the loader:
  counter 0: control register 0x4300c0, INST_RETIRED.ANY_P, 50005 events

failed checks:
  nehalem: reset: IA32_PMC0
      expected 0x0, found 0x7
  nehalem: holds: IA32_PMC1
      expected 0xff, found 0x0: 0xc2 faulted

counts:
                  1000  INST_RETIRED.ANY:u, run 1, thread 0
         <not counted>  UOPS_RETIRED.ANY, run 2, thread 0
END
	done_quietly && diff "$work/expected" "$work/out"
}
palmon board "$work/log"
check "a complete report" report
for change in 's/$/\r/' 's/^/[12:34:56] /' 's/^@/\x07\x00\x00\x00@/' 's/$/  \t/'; do
	sed "$change" "$work/log" >"$work/changed"
	palmon board "$work/changed"
	check "text around lines is ignored: $change" report
done
"$PALMON" board - <"$work/log" >"$work/out" 2>"$work/messages"
status=$?
check "standard input" report
palmon board -j "$work/log"
as_json() {
	parts='[.status, .machine.backend, .selftest.failed, (.failures | length), .counts[0].value]'
	done_quietly && [ "$(jq -c "$parts" "$work/out")" = '[1,"silicon",2,2,1000]' ]
}
check "JSON: one object" as_json
{ sed 's/self test failed/no PMU/' "$work/lines" | signed; cat "$work/log"; } >"$work/two"
palmon board "$work/two"
check "of two reports the last one" report
palmon board --run=1 "$work/two"
check "or the requested one" has_line 'status 1 (no PMU)'
palmon board --run=3 "$work/two"
check "a run that does not exist" refuses 1 'there are 2 results in it$'

#
# Damage
#

# lost MESSAGE...: the last run ended with 1, and printed exactly these messages.
lost() {
	[ "$status" -eq 1 ] || { show; return 1; }
	printf 'palmon board: %s\n' "$@" | diff - "$work/messages"
}
# damaged CHANGE: reads the log with this change.
damaged() {
	sed "$1" "$work/log" >"$work/damaged"
	palmon board "$work/damaged"
}
here=$work/damaged
damaged 's/Some/Same/'
check "a changed line is named" lost "$here: line 2 of the result is damaged or lost"
check "and the other lines are shown" eval \
	"has_line 'counters 7 of 48 bits, of which 3 have a fixed event' &&
	! grep -q Same '$work/out'"
damaged 7d
check "a missing line" lost "$here: line 6 of the result is damaged or lost"
damaged '4d;7,8d'
check "the first of several" lost "$here: line 3 of the result is damaged or lost"
head -n 6 "$work/log" >"$work/damaged"
palmon board "$work/damaged"
check "cut off" lost "$here: the result is cut off: its last line is damaged or lost"
head -c "$(($(head -n 7 "$work/log" | wc -c) - 20))" "$work/log" >"$work/damaged"
palmon board "$work/damaged"
check "cut off within a line" lost "$here: the result is cut off: its last line is damaged or lost"
check "the status is known, whatever is lost" has_line 'status 1 (self test failed)'
damaged 2d
check "the first line is missing" lost \
	"$here: the first line of the result is damaged or lost, and with it the meaning of the other 10 lines"
damaged '/^@/d'
check "no report: how the run ended" lost \
	"$here: it has no result: the run ended with 'palmon: status 1 (self test failed)'"
echo nothing >"$work/damaged"
palmon board "$work/damaged"
check "no run" lost "$here: it has no result of a palmon image"
palmon board "$work/nowhere"
check "no log" refuses 1 'nowhere: No such file'
# strange CHANGE MESSAGE: intact lines with impossible contents.
strange() {
	sed "$1" "$work/lines" | signed >"$work/damaged"
	palmon board "$work/damaged"
	[ "$status" -eq 1 ] && grep -qE "$2" "$work/messages" || show
}
check "a newer version" strange 's/"palmon_board":1/"palmon_board":2/' \
	'version 2, and this palmon reads version 1$'
check "no status" strange '1s/"status":1/"status":"1"/' \
	'the first line of the result is not understood$'
check "not an object" strange '1s/}$/]/' 'the first line of the result is not understood$'
check "lines without meaning" strange '2s/.*/{"machine":7}/; 4s/:/;/' \
	': 2 lines of the result are not understood$'

#
# Two boards: 2 values of the first line, 6 of the machine, 6 of the CPUs, 4 of the PMU, 4 of the self test, 2 checks,
# 2 counts
#

palmon board "$work/log" "$work/log"
check "equal boards" eval 'done_quietly && has_line "28 of 28 values are the same"'
sed -e 's/Some family 6/Other/' -e 's/"reset: IA32_PMC0"/"reset: IA32_PMC2"/' \
	-e 's/"value":1000/"value":1250/' \
	"$work/lines" | signed >"$work/other"
palmon board "$work/log" "$work/other"
different() {
	cat >"$work/expected" <<'END'
processor
  Some family 6
  Other
failed nehalem: reset: IA32_PMC0
  expected 0x0, found 0x7
  not failed
count INST_RETIRED.ANY:u, run 1, thread 0
  1000
  1250 (+25.00%)
failed nehalem: reset: IA32_PMC2
  not failed
  expected 0x0, found 0x7

25 of 29 values are the same
END
	[ "$status" -eq 1 ] && diff "$work/expected" "$work/out"
}
check "differences, and status 1" different
palmon board -j "$work/log" "$work/other"
check "JSON" eval '[ "$(jq -c "[.name, .first, .second]" "$work/out" | head -n 1)" = \
	"[\"processor\",\"Some family 6\",\"Other\"]" ]'
palmon board "$work/log" "$work/log" "$work/log"
check "three logs" refuses 2 'two logs are enough'
palmon board
check "no log" refuses 2 'which log'
palmon board --run=0 "$work/log"
check "not a number" refuses 2 "'0' is not the number of a run, from 1"
done_checking
