#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rates of intervals: palmon stat -I of traces, palmon top of an image's lines. Rates are computed
# by hand.
. tests/tap.sh
. tests/command/command.sh

#
# stat -I: 1,000 cycles; one instruction in each of the first 600, two in each of the rest
#

printf '%s\n' 't=0 cycles=1000 code=0x12' 't=0 cycles=600 code=0x08' \
	't=600 cycles=400 code=0x08 n=2' >"$work/trace"
stat() {
	palmon stat -t itanium -e IA64_INST_RETIRED,CPU_CYCLES --trace="$work/trace" "$@"
}
# Cycles at 1 GHz: 0.0004 ms are 400. Half of the cycles from 400 to 800 are of each kind: 200 + 400
# instructions in 400 ns.
stat -I 0.0004
rows() {
	done_quietly && has_line '# 1: IA64_INST_RETIRED, events a second' && has_line 'ms 1 2' &&
		has_line '0.000400 1,000,000,000 1,000,000,000' &&
		has_line '0.000800 1,500,000,000 1,000,000,000' &&
		has_line '0.001000 2,000,000,000 1,000,000,000' &&
		[ "$(grep -c ^ "$work/out")" -eq 6 ]
}
check "rates in columns" rows
stat -I 0.0004 -x ,
check "separated: seconds, events, name, events per second" prints \
	0.000000400,400,IA64_INST_RETIRED,1000000000 0.000000400,400,CPU_CYCLES,1000000000 \
	0.000000800,600,IA64_INST_RETIRED,1500000000 0.000000800,400,CPU_CYCLES,1000000000 \
	0.000001000,400,IA64_INST_RETIRED,2000000000 0.000001000,200,CPU_CYCLES,1000000000
stat -I 0.0005 -j
# jq 1.7 prints a number as it was written, unless something is added to it.
json() {
	has_keys counter-value event interval rate run &&
		jq -r '"\(.interval + 0) \(."counter-value" | tonumber + 0) \(.rate + 0)"' \
		"$work/out" |
			sed -n '1p;3p' >"$work/rows"
	printf '%s\n' '5e-07 500 1000000000' '1e-06 900 1800000000' | diff - "$work/rows"
}
check "JSON, and a trace that ends with an interval" json
# At 2 MHz, 0.2 ms are 400 cycles.
stat -I 0.2 --frequency=2000000 -x ' '
check "--frequency" eval 'done_quietly && head -n 1 "$work/out" | grep -qx "0.000200000 400 IA64_INST_RETIRED 2000000"'
# Interrupts in between make no difference.
palmon record -t itanium -e IA64_INST_RETIRED:period=7 --trace="$work/trace" -o "$work/samples"
sums() {
	stat -I 0.000037 -x , && done_quietly && awk -F, '{ sum[$3] += $2 } END {
		exit !(sum["IA64_INST_RETIRED"] == 1400 && sum["CPU_CYCLES"] == 1000) }' "$work/out"
}
check "the intervals' counts add up to the total" sums
for bad in 0 -1 x 1e3 '' 0.0000001; do
	stat -I "$bad"
	check "-I '$bad' is refused" eval '[ "$status" -eq 2 ] && [ ! -s "$work/out" ]'
done
stat -I 1 -M IPC
check "no metrics of intervals" refuses 2 '-I prints counts, not metrics \(-M\)'
stat --frequency=1000
check "--frequency is for -I" refuses 2 'is for -I'
palmon stat -t itanium -I 1 --trace="$work/trace" \
	-e CPU_CYCLES,IA64_INST_RETIRED,DTLB_MISSES,L2_REFERENCES,L2_MISSES
check "events of more than one run" refuses 1 'do not all fit into one run'

#
# top: an image's lines, whose numbers are hexadecimal
#

summed() {
	perl -MCompress::Zlib \
		-ne 'chomp; printf /^(.*?)(&.*)$/ ? ("%s%s %08x\n", $1, $2, crc32($2)) : "$_\n"'
}
log() {
	printf '%s\n' "$@" | summed >"$work/log"
}
# Intervals of 1,000,000 and 500,000 clocks; two samples in first, one in no function.
log 'the console' '&event 0 0 3e8 1 FIRST:u' '&event 0 1 0 0 SECOND' \
	'&interval 0 f4240 1f4 0 | 4010 4012 9000' \
	'abc&interval 0 16e360 2ee 0 |' 'def'
cat >"$work/elf.S" <<'END'
	.globl first
	.type first, @function
first:	.fill 0x100, 1, 0x90
	.size first, 0x100
END
gcc -nostdlib -static -Wl,-Ttext=0x4000,-e,first -o "$work/elf" "$work/elf.S"
palmon top --elf="$work/elf" "$work/log"
top() {
	done_quietly && has_line '# 1: FIRST:u, events a second' &&
		has_line 'ms 1 2 hottest function' &&
		has_line '1.000000 500,000 not counted first' &&
		has_line '1.500000 500,000 not counted'
}
check "top: a row per interval, with the hottest function" top
palmon top -x ' ' "$work/log"
check "top with a separator" prints '0.001000000 500 FIRST:u 500000' \
	'0.001500000 250 FIRST:u 500000'
palmon top --pass -x ' ' "$work/log"
check "--pass: other output, even within a line" prints 'the console' \
	'0.001000000 500 FIRST:u 500000' \
	'0.001500000 250 FIRST:u 500000' abcdef
in_place() {
	env TERM=xterm script -qec "'$PALMON' top --elf='$work/elf' --pass '$work/log'" /dev/null \
		</dev/null |
		tr -d '\r' >"$work/raw"
	# The final contents of a terminal: lines; up n lines and clear the rest.
	perl -0777 -ne 'my @s = (""); s/\033\[[0-9;]*m//g;
		for (split /(\033\[\d+A\033\[J|\n)/) {
			if (/^\033\[(\d+)A/) { splice @s, $#s - $1; push @s, "" } elsif ($_ eq "\n") { push @s, "" }
			else { $s[-1] .= $_ } }
		print map { s/^ +//; s/  +/ /g; "$_\n" } @s' "$work/raw" >"$work/out"
	printf '%s\n' "$@" | diff - "$work/out" && grep -q '66.7%' "$work/raw"
}
check "in place on a terminal: other text replaces it" in_place 'the console' abcdef ''
sed -i '$d' "$work/log"
check "earlier intervals disappear" in_place 'the console' abc
log 'the console' '&event 0 0 3e8 1 FIRST:u' '&interval 0 f4240 1f4 | 4010 4012 9000' \
	'&interval 0 16e360 2ee | 4010'
check "the last interval stays" in_place 'the console' \
	'1.500 ms of run 1: events a second, and in all' \
	'500,000 750 FIRST:u' '100.0% 1 first' ''
log '&event 0 0 3e8 1 A' '&interval 0 1 1 | 4010' '&event 1 0 3e8 1 B' '&event 1 1 0 1 C' \
	'&interval 1 2 4 8 |'
palmon top -j "$work/log"
check "another run with other events" eval \
	'done_quietly && [ "$(jq -r "\"\(.run) \(.event) \(.\"counter-value\")\"" \
	"$work/out" | tr "\n" ,)" = "0 A 1,1 B 4,1 C 8," ]'
for bad in '&interval 0 2 1 1 |' '&interval 0 1 5 |' '&interval 0 2 0 |' '&interval 0 2 1' \
	'&interval 1 2 1 |' \
	'&interval 0 2 x |' '&interval 0 2 1 | x' '&event 0 5 0 1 X' '&event 0 0 0 1' \
	'&event 0 1 0 1 '; do
	log '&event 0 0 3e8 1 A' '&interval 0 1 1 |' "$bad"
	palmon top -x , "$work/log"
	check "top: a malformed line: '$bad'" eval '[ "$status" -eq 1 ] &&
		grep -q "1 lines of intervals are not understood" "$work/messages" &&
		[ "$(cat "$work/out")" = 0.000000001,1,A,1000000000 ]'
done
log '&event 0 0 3e8 1 A' '&interval 0 1 1 |'
sed 's/ 1 1 |/ 1 2 |/' "$work/log" >"$work/other"
palmon top -x , "$work/other"
check "a changed line is ignored" refuses 1 'there are no lines of intervals'
palmon top "$work/none"
check "no log" refuses 1 'No such file'
palmon top
check "no argument" refuses 2 'which log'
done_checking
