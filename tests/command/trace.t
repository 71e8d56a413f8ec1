#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon trace: converts a trace to its other form.
. tests/tap.sh
. tests/command/command.sh

{
	echo 't=5 cycles=3 code=0x123 sub=0xf5 n=7 cpl=3 isa=1 ip=0xa000000000000010 slot=2 op=0x1ffffffffff' \
		'itype=8 by=rse addr=0xffffffffffffffff lat=400 level=3 taken=1 target=0x20 kind=ijmp mp=3 thread=1'
	echo 'code=0x1'
	echo 't=8 code=0x2 addr=0x0'
	echo 'code=0x2 taken=0'
	echo 'code=0x1c4 taken=0 kind=cond'
} >"$work/text"
palmon trace -o "$work/binary" "$work/text"
check "text to binary" done_quietly
palmon trace --text "$work/binary"
check "binary to text" diff "$work/text" "$work/out"
palmon trace -o "$work/again" "$work/binary"
check "binary to binary" cmp "$work/binary" "$work/again"
check "its first bytes identify it" eval \
	'[ "$(od -An -tx1 -N8 "$work/binary")" = " 89 50 4d 54 0d 0a 1a 0a" ]'


# The target of a trace: from -t, or from the trace.
palmon trace -t knc -o "$work/binary" "$work/text"
palmon trace --text "$work/binary"
{ echo target=knc; cat "$work/text"; } >"$work/named"
check "a binary trace stores the target, and its text names it" cmp "$work/named" "$work/out"
palmon trace -t knc -o "$work/again" "$work/named"
check "a text passes its target on to a binary one" cmp "$work/binary" "$work/again"
palmon trace -t knc --text "$work/text"
check "and to a text" cmp "$work/named" "$work/out"
palmon trace -t itanium --text "$work/named"
check "-t does not override a trace's target" refuses 1 "named:1:8: expected a trace of itanium; this is one of knc$"
palmon trace -t pentium --text "$work/text"
check "an unknown target" refuses 2 "no target 'pentium'; targets are: nehalem"
echo 'code=1 thread=1' >"$work/thread"
palmon trace -t itanium --text "$work/thread"
check "a thread that the target lacks" refuses 1 "thread:1:15: expected thread= a number from 0 to 0$"

echo 'code=x' >"$work/bad"
rm -f "$work/new"
palmon trace -o "$work/new" "$work/bad"
left_nothing() {
	[ "$status" -eq 1 ] && ! ls "$work/new"* 2>/dev/null &&
		grep -qx "palmon trace: $work/bad:1:6: expected code= a number from 0 to 65535" "$work/messages" || show
}
check "a malformed trace leaves no file" left_nothing
palmon trace "$work/text"
check "a binary trace needs -o" refuses 2 '-o FILE'
palmon trace --text
check "a missing trace" refuses 2 'which trace'
palmon trace -o "$work/new" "$work/none"
check "no such file" refuses 1 'none: No such file'
to_a_pipe() {
	echo 'code=1' | "$PALMON" trace -o - - 2>"$work/messages" | cat >"$work/out"
	[ ! -s "$work/out" ] && grep -q 'cannot be written to a pipe' "$work/messages"
}
check "a binary trace cannot go to a pipe" to_a_pipe

# The examples of palmon-trace(5) as printed there, and the counts that it states.
awk -v dir="$work" '/^\.Ed/ { name = "" } /^target=/ { name = dir "/example-" substr($0, 8) } name { print >name }' \
	tools/palmon/palmon-trace.5
example() {
	palmon stat -t "$1" "$2" "$3" --trace="$work/example-$1"
	shift 3
	for line; do has_line "$line" || return; done
}
check "the manual page's Itanium retires two instructions per cycle" \
	example itanium -M IPC '200 IA64_INST_RETIRED' '100 CPU_CYCLES'
check "its read stays in the uncore's tracker for 80 cycles" \
	example nehalem-uncore -e UNC_GQ_TRACKER_OCCUP.RT '80 UNC_GQ_TRACKER_OCCUP.RT'
check "the manual page's three reads of a memory controller take 40 cycles each" \
	example sparct4-dram -M READ_LATENCY.MCU1 '3 READS.MCU1' '40 READ_LATENCY.MCU1 # cycles'
done_checking
