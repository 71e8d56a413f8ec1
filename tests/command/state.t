#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon state: a hand-made context, and refusals.
. tests/tap.sh
. tests/command/command.sh

golden=tests/vectors/nehalem-state.hex

# Digits to bytes, and the reverse.
to_bytes() {
	perl -ne 's/#.*//; s/\s//g; print pack "H*", $_' "$1"
}
to_digits() {
	perl -e 'local $/; print unpack "H*", <>' "$1"
}

said() {
	prints 'nehalem, goes on at 0x7f1234567890, level 3' \
		'session 7, running' \
		'  counter 0: INST_RETIRED.ANY_P' \
		'    123005 events, an overflow has not been served' \
		'    sampled with period 1000: 122 samples' \
		'    next sample at event 123000; late so far by 0 events' \
		'  counter 32: INST_RETIRED.ANY or INSTRUCTION_RETIRED' \
		'    123005 events' \
		'session 2, stopped' \
		'  counter 1: OFFCORE_RESPONSE_0' \
		"    $((0x102030405)) events" \
		'  counter 2: BR_INST_RETIRED.NEAR_CALL' \
		'    40 events' \
		'    sampled with period 100: 0 samples' \
		'    next sample at event 100; late so far by 17 events' \
		'  OFFCORE_RSP_0 (0x1a6): 0x4001 of bits 0xffff' \
		'  LBR_SELECT (0x1c8): 0x0 of bits 0x1ff' \
		'  IA32_DEBUGCTL (0x1d9): 0x801 of bits 0x801' \
		'recorded 0: 0x400123' \
		'recorded 1: 0x400200'
}
palmon state "$golden"
check "the hand-made context: sessions, events, counts, settings, recorded words" said
to_bytes "$golden" >"$work/bytes"
palmon state "$work/bytes"
check "the same as bytes" said
to_digits "$work/bytes" >"$work/digits"
palmon state "$work/digits"
check "the same in one line of digits" said
sed 's/#.*//' "$golden" | tr 'A-F\n' 'a-f\r' >"$work/small"
palmon state "$work/small"
check "the same in lower case, with other white space" said
from_standard_input() {
	"$PALMON" state - <"$1" >"$work/out" 2>"$work/messages"
	status=$?
	said
}
check "the same from standard input" from_standard_input "$work/bytes"

palmon state -j "$golden"
check "JSON: keys" has_keys target ip level sessions recorded
check "JSON: a running session's counters" each_object '
	my $s = $o->{sessions}[0];
	$o->{target} eq "nehalem" && $o->{ip} eq "0x7f1234567890" && $o->{level} == 3 && @{$o->{sessions}} == 2 &&
	join(" ", @{$o->{recorded}}) eq "0x400123 0x400200" &&
	$s->{session} == 7 && $s->{running} && !@{$s->{settings}} && @{$s->{counters}} == 2 &&
	join(" ", map { "$_=" . (ref $s->{counters}[0]{$_} eq "ARRAY" ? "@{$s->{counters}[0]{$_}}" :
		$s->{counters}[0]{$_}) } sort keys %{$s->{counters}[0]}) eq
	"count=123005 counter=0 events=INST_RETIRED.ANY_P late=0 next-sample=123000 overflow=1 period=1000 precise=0 " .
	"samples=122 select=0x5301c0 throttled=0"'
check "JSON: a stopped session's settings" each_object '
	my $s = $o->{sessions}[1];
	my $t = $s->{settings}[2];
	!$s->{running} && @{$s->{settings}} == 3 && join(" ", map { "$_=$t->{$_}" } sort keys %$t) eq
	"addr=0x1d9 idle=0x0 mask=0x801 reg=IA32_DEBUGCTL value=0x801"'

# patched AT BYTES: the hand-made context with other bytes at this place, and a correct checksum.
patched() {
	perl -e 'local $/; open F, "<", $ARGV[0]; $_ = <F>;
		substr($_, $ARGV[1], length($ARGV[2]) / 2) = pack "H*", $ARGV[2];
		my $crc = 0xFFFFFFFF;
		for my $byte (unpack "C*", substr $_, 0, -4) {
			$crc ^= $byte;
			$crc = $crc >> 1 ^ ($crc & 1 ? 0xEDB88320 : 0) for 1 .. 8;
		}
		substr($_, -4) = pack "V", $crc ^ 0xFFFFFFFF; print' "$work/bytes" "$1" "$2" \
			>"$work/patched"
	palmon state "$work/patched"
}
patched 0 89
check "patching the same bytes changes nothing" said

# A console log: the last of two contexts counts.
{
	printf 'ok 1 - reset\r\nstate: %s\r\n' 89504d53deadbeef
	{ to_digits "$work/bytes"; echo; } | fold -w 64 | sed 's/^/state: /; s/$/\r/'
	printf 'saved: 123005 events, session 7\r\npalmon: status 0 (success)\r\n'
} >"$work/log"
palmon state "$work/log"
check "the log of an image" said

palmon state "$work/none"
check "a file that does not exist" refuses 1 "none: No such file"
palmon state "$work"
check "a folder" refuses 1 "directory"
palmon state /dev/null
check "an empty file" refuses 1 'no saved context'
palmon state tests/command/traces/table-6-1.trace
check "another file" refuses 1 'no saved context|:[0-9]+: expected hexadecimal digits'
echo '89 50 4D' >"$work/short"
palmon state "$work/short"
check "too few bytes" refuses 1 'no saved context'
echo '89 50 4D 5' >"$work/odd"
palmon state "$work/odd"
check "half a byte" refuses 1 'odd:2: expected one more'
head -c 451 "$work/bytes" >"$work/cut"
palmon state "$work/cut"
check "truncated bytes" refuses 1 'cut: it is cut off'
{ to_bytes "$golden"; echo; } >"$work/longer"
palmon state "$work/longer"
check "an extra byte" refuses 1 'longer than its parts'
head -c 3000000 /dev/zero >"$work/long"
palmon state "$work/long"
check "a file longer than any context" refuses 1 'too long for a context'
perl -e 'local $/; $_ = <>; substr($_, 100, 1) ^= "\x01"; print' "$work/bytes" >"$work/changed"
palmon state "$work/changed"
check "a changed bit" refuses 1 'checksum'
patched 8 02000000
check "another version" refuses 1 'version'
patched 16 70656e7469756d00
check "an unknown target" refuses 1 'patched: it is of an unknown target'
patched 16 6974616e69756d00
check "another target's name" refuses 1 'other counters'
patched 136 04
check "a counter that does not exist" refuses 1 'no counter of this number'
patched 336 74010000
check "a register that no event needs" refuses 1 \
	'register is set that no event of its session needs'
done_checking
