#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon convert: files read by other tools. perf is Debian's.
. tests/tap.sh
. tests/command/command.sh

# Functions of known addresses and sizes, one with a name longer than most tools' buffers.
long=a_name$(printf '_as_long%.0s' $(seq 40))
cat >"$work/elf.S" <<END
	.macro function name, size
	.globl \\name
	.type \\name, @function
\\name:	.fill \\size, 1, 0x90
	.size \\name, \\size
	.endm
	.text
	function first, 0x100
	function second_one, 0x80
	function $long, 0x80
END
with_id() {
	gcc -nostdlib -static -Wl,-Ttext=0x4000,-e,first,--build-id=0x"$1" -o "$2" "$work/elf.S"
}
with_id 00ff00ff "$work/elf"
two_events "$long" 00ff00ff "$work/samples"

# convert ARGUMENT...: converts these samples.
convert() {
	palmon convert -i "$work/samples" --elf="$work/elf" "$@"
}
# script FIELDS: perf script of the last file, with one blank between words.
script() {
	perf script -i "$work/perf.data" -F "$1" 2>/dev/null | sed 's/^ *//; s/ *$//; s/  */ /g' \
		>"$work/out"
}

#
# perf
#

convert --perf "$work/perf.data"
perf_report() {
	done_quietly && perf report --stdio -F overhead,sample,sym -i "$work/perf.data" \
		2>/dev/null |
		awk '/^# Samples/ { print $NF } /%/ && !/^#/ { print $1, $2, $4 }' |
		tr -d "'" >"$work/out"
	cat >"$work/expected" <<END
INST_RETIRED.ANY_P:u:period=1000
50.00% 3 first
33.33% 2 second_one
16.67% 1 $long
UNC_CLK_UNHALTED:period=500
50.00% 1 first
50.00% 1 0x0000000000008000
END
	diff "$work/expected" "$work/out"
}
check "perf report shows the functions and their shares" perf_report
perf_script() {
	script comm,cpu,time,event,period,ip,sym
	[ "$(grep -c ' 0.000000: ' "$work/out")" -eq 5 ] && cat >"$work/expected" <<END &&
<b> of more tha [000] 0.000001: 1000 INST_RETIRED.ANY_P:u:period=1000: 4010 first
<b> of more tha [001] 0.000001: 1000 INST_RETIRED.ANY_P:u:period=1000: 40fc first
<b> of more tha [000] 0.000002: 1000 INST_RETIRED.ANY_P:u:period=1000: 4110 second_one
END
		tail -n 3 "$work/out" | diff "$work/expected" -
}
check "perf script shows each sample, its time and CPU; names are truncated to perf's 15 characters" perf_script
perf_annotate() {
	perf annotate --stdio -i "$work/perf.data" first >"$work/out" 2>&1
	grep -qE '^ *66\.67 : +4010:' "$work/out" && grep -qE '^ *33\.33 : +40fc:' "$work/out" ||
		cat "$work/out"
}
check "perf annotate finds the instructions" perf_annotate
convert --perf -e UNC_CLK_UNHALTED "$work/perf.data"
check "-e: one event only" eval \
	'[ "$(perf evlist -i "$work/perf.data")" = UNC_CLK_UNHALTED:period=500 ]'

# Loads: the latencies of the trace's third, seventh, tenth and last lines.
palmon record -t nehalem -e MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2 \
	-o "$work/record" \
	--trace tests/command/traces/latency.trace
loads() {
	palmon convert -i "$work/record" --perf "$work/perf.data"
	[ "$status" -eq 0 ] && grep -q 'perf finds no names of functions: no ELF file' \
		"$work/messages" || show
	script ip,addr,weight
	printf '%s\n' '10000 40 4000' '10000 45 4000' '20000 300 4020' '10000 42 4000' \
		>"$work/expected"
	awk '{ print $1, $2, $3 }' "$work/out" | diff "$work/expected" -
}
check "data addresses and latencies; without an ELF file a message says so" loads
# The trace's levels 3, 3, 10 and 3, in perf's words.
sources() {
	script ip,data_src
	printf '%s\n' '4000 L2 hit|SNP None' '4000 L2 hit|SNP None' '4020 RAM hit|SNP Hit' \
		'4000 L2 hit|SNP None' \
		>"$work/expected"
	sed -n 's/.*|OP LOAD|LVL .*\(L2\|RAM\) hit|SNP \([A-Z][a-z]*\)|.* \([0-9a-f]*\)$/\3 \1 hit|SNP \2/p' \
		"$work/out" |
		diff "$work/expected" -
}
check "the sources of loads" sources
memory_report() {
	perf mem -i "$work/perf.data" report --stdio -F sample,mem 2>/dev/null | grep -v '^#' |
		sed -n 's/^ *\([0-9]*\) .* \([A-Z0-9]* hit\) *$/\1 \2/p' | sort >"$work/out"
	printf '1 RAM hit\n3 L2 hit\n' | diff - "$work/out"
}
check "perf mem report sums them up" memory_report
# Calls: the fourth, eighth and twelfth, each with the calls and returns before it, of which 16 are
# recorded.
palmon record -t nehalem -e BR_INST_RETIRED.NEAR_CALL:p:lbr:period=3 -o "$work/record" \
	--trace tests/command/traces/calls.trace
branches() {
	palmon convert -i "$work/record" --perf "$work/perf.data"
	script brstack
	awk '{ print NF, $1, $2 }' "$work/out" | sed 's|/[PM-]/-/-/[^ ]*||g' >"$work/found"
	printf '%s\n' '7 0x2100/0x3000 0x3010/0x2005' '15 0x2000/0x3000 0x3010/0x2005' \
		'16 0x2000/0x3000 0x3010/0x2005' | diff - "$work/found"
}
check "branch records, youngest first" branches

#
# Other formats
#

convert --folded
check "folded, by function, of each event" prints \
	"nehalem;INST_RETIRED.ANY_P:u:period=1000;$long 1" \
	'nehalem;INST_RETIRED.ANY_P:u:period=1000;first 3' \
	'nehalem;INST_RETIRED.ANY_P:u:period=1000;second_one 2' \
	'nehalem;UNC_CLK_UNHALTED:period=500;0x8000 1' 'nehalem;UNC_CLK_UNHALTED:period=500;first 1'
convert --folded -e INST_RETIRED.ANY_P:u
check "folded, of one event" prints "nehalem;$long 1" 'nehalem;first 3' 'nehalem;second_one 2'

# Memory: an array of samples has room for 256 * 2^n of them. 64 bytes for each, and 4 MB for the program.
samples=262144
tests/command/many-samples $samples >"$work/many"
fits() {
	(ulimit -d $((samples * 64 / 1024 + 4096)) && palmon convert -i "$work/many" "$1" \
		"$work/no" &&
		cat "$work/messages")
	[ -s "$work/no" ] && rm "$work/no"
}
for form in --perf --html --folded; do
	check "$form: at most 64 bytes of memory for a sample" fits $form
done

#
# Refusals
#

with_id 00ff00fe "$work/other"
palmon convert -i "$work/samples" --elf="$work/other" --perf "$work/no"
check "an image other than the measured one" refuses 1 "build ID is 00ff00fe, not 00ff00ff$"
convert --perf --folded
check "two formats" refuses 2 'one form is enough: --perf or --folded$'
convert
check "no format" refuses 2 'which form\?'
convert --folded one two
check "two files" refuses 2 "'two': one FILE is enough$"
convert --folded -e LAST_ONE
check "an event that does not exist" refuses 1 "there is no event 'LAST_ONE'; events are: "
convert --folded -e UOPS_RETIRED.ANY
check "an event without samples" refuses 1 'it has no samples$'
head -n 5 "$work/samples" >"$work/cut"
palmon convert -i "$work/cut" --perf "$work/no"
check "a truncated file" refuses 1 'cut:6: expected more: the file is not complete$'
palmon convert -i "$work/samples" --elf="$work/samples" --perf "$work/no"
check "an image that is not an ELF file" refuses 1 'it is not an ELF file$'
convert --perf "$work/no/file"
check "an output folder that does not exist" refuses 1 'No such file or directory$'
check "a failed conversion leaves no file" eval '[ ! -e "$work/no" ]'

# Without a name the file is in the current folder, and a message names it.
command=$(realpath "$PALMON") image=$(realpath "$work/elf")
cd "$work" || exit
unnamed() {
	"$command" convert -i samples --elf="$image" "$1" >out 2>messages
	status=$?
	prints "palmon: wrote $2" && [ -s "$2" ]
}
check "--html names its file" unnamed --html palmon.html
check "so does --perf" unnamed --perf perf.data
quiet() {
	"$command" convert -i samples --elf="$image" "$@" >out 2>messages
	status=$?
	done_quietly && ! grep -q 'palmon: ' out
}
check "standard output contains only folded lines" quiet --folded
check "a given name is not printed" quiet --html named.html
done_checking
