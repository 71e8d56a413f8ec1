#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make run EVENTS_FILE=: events of a file in the form of Intel's event files count as the image's own events of the same
# codes: event C0H with unit mask 1 counts instructions, on any counter; fixed counter 0 counts them, too.
. tests/tap.sh

cat >"$work/own.json" <<-END
	[{"EventName": "MY.INSTRUCTIONS", "EventCode": "0xC0", "UMask": "0x01", "Counter": "0,1,2,3"},
	{"EventName": "MY.FIXED", "EventCode": "0x00", "UMask": "0x01", "Counter": "Fixed counter 0"},
	{"EventName": "MY.SECOND", "EventCode": "0xD1", "UMaskExt": "0x01", "Counter": "0"}]
END
# count EVENT: prints its count.
count() { sed -n "s|^ *\([0-9,]*\)  $1  .*|\1|p" "$work/out"; }
equal_counts() {
	make_run RUN=session EVENTS_FILE="$work/own.json" EVENTS=my.instructions:u,INST_RETIRED.ANY_P:u,MY.FIXED:u
	ended 0 || return
	own=$(count INST_RETIRED.ANY_P:u)
	[ "$own" ] && [ "$(count cpu/event=0xc0,umask=0x1/:u)" = "$own" ] &&
		[ "$(count INST_RETIRED.ANY:ctr=32:u)" = "$own" ] || { cat "$work/out"; false; }
}
check "events of a file count as the image's own" equal_counts
# refused PATTERN EVENTS: make ends before the image starts.
refused() {
	make_run RUN=session EVENTS_FILE="$work/own.json" EVENTS="$2"
	[ "$status" -ne 0 ] && says "$1" && ! grep -q '^palmon: status' "$work/out"
}
check "an event that terms cannot express" refused "line 3: event 'MY.SECOND': it needs a second unit mask" MY.SECOND
echo '[' >"$work/own.json"
check "a wrong file" refused "own.json: line 2: " MY.INSTRUCTIONS
done_checking
