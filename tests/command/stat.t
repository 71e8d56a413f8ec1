#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon stat: counts of traces; refusals.
. tests/tap.sh
. tests/command/command.sh

traces=tests/command/traces
table=$traces/table-6-1.trace

# trace LINE...: writes these lines to $trace.
trace=$work/trace
trace() {
	printf '%s\n' "$@" >"$trace"
}

# counts EVENTS VALUE...: the counts of the trace, in the order of the events.
counts() {
	palmon stat -t "${target:-itanium}" -e "$1" --trace="$trace" -x,
	shift
	done_quietly && [ "$(cut -d, -f1 "$work/out" | tr '\n' ' ')" = "$* " ] ||
		{ echo "expected $*"; show; }
}

#
# The example of Table 6-1: the sum of live requests is 15; 5 requests; 8 cycles
#

live=BUS_BRQ_LIVE_REQ_LO
palmon stat -t itanium -e $live,BUS_ALL.ANY,CPU_CYCLES,$live:thres=2 --trace=$table -x,
check "Table 6-1" prints "15,,$live,8,100.00,," '5,,BUS_ALL.ANY,8,100.00,,' \
	'8,,CPU_CYCLES,8,100.00,,' \
	"3,,$live:thres=2,8,100.00,,"
# Cycles with N requests: 1 2 3 3 3 2 1 0.
trace=$table
check "Table 6-1 by threshold" counts "$live:thres=1:ctr=4,$live:thres=2,$live:thres=3" 5 3 0
trace=$work/trace

has_table() {
	done_quietly && has_line "15 $live" && has_line '5 BUS_ALL.ANY' &&
		has_line '8 cycles of trace' &&
		grep -qF "'$table' (itanium)" "$work/out"
}
palmon stat -t itanium -e $live -e BUS_ALL.ANY --trace $table
check "a table" has_table
palmon stat -t itanium -e $live,bus_all.any --trace $table -j
check "JSON with perf's keys" prints \
	"{\"counter-value\":15,\"unit\":\"\",\"event\":\"$live\",\"event-runtime\":8,\"pcnt-running\":100.0}" \
	'{"counter-value":5,"unit":"","event":"bus_all.any","event-runtime":8,"pcnt-running":100.0}'
palmon stat -t itanium -e $live --trace $table -x '; '
check "any separator" prints "15; ; $live; 8; 100.00; ; "

# From standard input.
stdin() {
	"$PALMON" stat -t itanium -e $live --trace - -x, <"$1" >"$work/out" 2>"$work/messages"
	status=$?
	prints "15,,$live,8,100.00,,"
}
check "standard input" stdin $table

#
# Cycles
#

# CPU_CYCLES adds 1 per cycle; IA64_INST_RETIRED (counters 4, 5) up to 6; its threshold counts
# cycles with more.
trace 'code=0x08 n=6 cycles=10' 'code=0x08 n=2'
check "successive lines" counts IA64_INST_RETIRED:thres=4,IA64_INST_RETIRED 10 62
trace 't=3 code=0x08 n=2 cycles=4' 't=3 code=0x08 n=3 cycles=4' 't=20 code=0x08'
check "lines with the same t are in the same cycle" counts \
	IA64_INST_RETIRED:thres=4,IA64_INST_RETIRED 4 21
trace 't=0 code=0x08 n=2 cycles=4' 't=2 code=0x08 n=3 cycles=4'
check "lines that overlap add up" counts IA64_INST_RETIRED:thres=4,IA64_INST_RETIRED 2 20
trace 't=7 code=0x12'
palmon stat -t itanium -e CPU_CYCLES --trace="$trace" -x,
check "cycles before the first line" prints '1,,CPU_CYCLES,8,100.00,,'
: >"$trace"
palmon stat -t itanium -e CPU_CYCLES --trace="$trace" -x,
check "an empty trace" eval \
	'[ "$(cat "$work/out")" = "0,,CPU_CYCLES,0,100.00,," ] && [ $status -eq 0 ] &&
	grep -qx "palmon stat: $trace: nothing happens in this trace" "$work/messages"'
printf 'code=0x12 cycles=5' >"$trace"
check "no newline at the end" counts CPU_CYCLES 5

# Counters have 32 bits (section 6.2.2); counts have 64.
trace 'code=0x12 cycles=0x500000003'
check "counts beyond the counter's 32 bits" counts CPU_CYCLES 21474836483
trace 'code=0x08 n=6 cycles=0x100000000' 'code=0x08 cycles=1'
check "counts beyond 32 bits, with six events in a cycle" counts IA64_INST_RETIRED 25769803777
trace 'code=0x12 cpl=0 cycles=10' 'code=0x12 cpl=3 cycles=7'
check "privilege levels" counts CPU_CYCLES:u,CPU_CYCLES:k,CPU_CYCLES 7 10 17
trace 'code=0x12 isa=1 cycles=10' 'code=0x12 cycles=7'
check "instruction sets" counts CPU_CYCLES:ism=1,CPU_CYCLES:ism=2,CPU_CYCLES 10 7 17
# 7.8: the unit mask of BRANCH_PATH states a branch's outcome and prediction, as do taken and mp. A
# line without sub counts by these words.
trace 'code=0x0F taken=1 cycles=5' 'code=0x0F taken=1 mp=1 cycles=3' 'code=0x0F taken=0 mp=1' \
	'code=0x0F taken=0 cycles=2'
check "a branch counts by its outcome" counts \
	"$(printf 'BRANCH_PATH.ALL.%s_OUTCOMES_%s_PREDICTED,' TK CORRECTLY \
	TK INCORRECTLY NT INCORRECTLY NT CORRECTLY | sed 's/,$//')" 5 3 1 2
# 6.2.6: with a data address range, references of the register stack engine and the page walker are
# tagged by their data address, "regardless of the opcode match Tag(PMC8)"; an instruction's own
# references by both.
trace 'code=0x6C itype=m ip=0x4000 addr=0x100 cycles=5' \
	'code=0x6C itype=m ip=0x8000 addr=0x100 cycles=3' \
	'code=0x6C itype=m by=rse ip=0x8000 addr=0x100 cycles=7' \
	'code=0x6C by=vhpt ip=0x8000 addr=0x100 cycles=11' \
	'code=0x6C itype=m by=rse ip=0x8000 addr=0x200 cycles=13'
check "references of the register stack engine and the page walker" counts \
	LOADS_RETIRED:iar=0x4000-0x400f:dar=0x100-0x107 23
trace 'code=0x0E sub=1 n=3 cycles=5' 'code=0x0E sub=1 n=1 cycles=4' 'code=0x0E sub=1 n=3'
target=nehalem
check "Nehalem: threshold, inversion, edges" counts \
	UOPS_ISSUED.ANY,UOPS_ISSUED.ANY:c=2,UOPS_ISSUED.ANY:c=2:i,UOPS_ISSUED.ANY:c=2:e 22 6 4 2
trace 'code=0xc0 sub=1 n=2 cycles=10'
check "the same event has the same count on every counter" counts \
	INST_RETIRED.ANY_P,INST_RETIRED.ANY_P 20 20
target=
# A period does not change the count.
trace 'code=0x12 cycles=1000'
check "periods are ignored" counts CPU_CYCLES:period=3 1000

# Many lines and long lines give the same count.
perl -e 'print "code=0x12\n" x 5000' >"$trace"
check "five thousand lines" counts CPU_CYCLES 5000
perl -e 'print "t=$_ code=0x08 n=2 cycles=3\n" for 0..4999' >"$trace"
check "five thousand overlapping lines" counts IA64_INST_RETIRED,IA64_INST_RETIRED:thres=5 30000 \
	4998

# One line of 2^56 cycles takes long. A terminal shows progress.
echo 'code=0x12 cycles=0x100000000000000' >"$trace"
progress() {
	command="timeout 60 $PALMON stat -t itanium -e CPU_CYCLES --trace=$trace"
	script -qefc "$command" /dev/null </dev/null >"$work/out" &
	until grep -q 'cycle [1-9][0-9]*, 1 lines' "$work/out" || ! kill -0 $! 2>/dev/null; do
		sleep 0.2
	done
	kill $! 2>/dev/null; wait $!
	grep -q 'cycle [1-9][0-9]*, 1 lines' "$work/out" || show
}
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	check "progress within a line" progress
else
	skip "progress within a line" "no pseudo-terminal"
fi

#
# Metrics
#

# Table 6-1's text: 15 / 8 requests per cycle; IPC of section 6.1.1.1.
trace 't=0 cycles=8 code=0x12' 't=0 cycles=5 code=0x08 n=3'
palmon stat -t itanium -M IPC --trace="$trace" -x,
check "a metric: 15 instructions in 8 cycles" prints '15,,IA64_INST_RETIRED,8,100.00,,' \
	'8,,CPU_CYCLES,8,100.00,,' \
	',,IPC,8,100.00,1.875000,instructions/cycle'
palmon stat -t itanium -M ipc --trace="$trace" -j
json_metric() {
	tail -n 1 "$work/out" >"$work/last"
	[ "$(cat "$work/last")" \
		= '{"event":"IPC","event-runtime":8,"pcnt-running":100.0,"metric-value":1.875,'\
'"metric-unit":"instructions/cycle","runs":1}' ] || show
}
check "the same as JSON" json_metric

# Modifiers apply to all events: instructions at level 3 only, 8 in 4 cycles; a range of addresses.
trace 't=0 cycles=8 code=0x12' 't=0 cycles=4 code=0x08 n=3' 't=4 cycles=4 code=0x08 n=2 cpl=3' \
	't=4 cycles=4 code=0x12 cpl=3'
palmon stat -t itanium -M ipc:u,IPC:K --trace="$trace" -x,
check "metrics at levels" prints '8,,IA64_INST_RETIRED:u,8,100.00,,' '4,,CPU_CYCLES:u,8,100.00,,' \
	'12,,IA64_INST_RETIRED:K,8,100.00,,' '8,,CPU_CYCLES:K,8,100.00,,' \
	',,IPC:u,8,100.00,2,instructions/cycle' ',,IPC:K,8,100.00,1.500000,instructions/cycle'
trace 'code=0x08 n=3 ip=0x1000' 'code=0x08 n=2 ip=0x2000' 'code=0x08 n=1 ip=0x1010'
palmon stat -t itanium -M CODE_DEBUG_REGISTER_MATCHES.d:iar=0x1000-0x1fff --trace="$trace" -x,
check "code debug register matches (Table 7-27)" has_line \
	',,CODE_DEBUG_REGISTER_MATCHES.d:iar=0x1000-0x1fff,3,100.00,4,count'
palmon stat -t itanium -M IPX --trace="$trace"
check "an unknown metric: the nearest one" refuses 2 "no metric 'IPX'; the nearest name is IPC"
palmon stat -t itanium -M IPC:nonsense --trace="$trace"
check "an unknown modifier" refuses 2 "no such modifier.*'nonsense'"
palmon stat -t itanium -M IPC: --trace="$trace"
check "a missing modifier" refuses 2 "no modifier after 'IPC:'"
palmon stat -t itanium -M IPC:iar=0-15 --trace="$trace"
check "a modifier that does not apply" refuses 1 "IA64_INST_RETIRED:iar=0-15"

trace 't=0 cycles=8 code=0x12' 't=0 cycles=5 code=0x08 n=3'
# Chk.s of two unit types needs two opcode settings (Table 7-8), i.e. two runs, also of a pipe.
several_runs() {
	"$PALMON" stat -t itanium -M CHKS_EXECUTED --trace=- <"$trace" >"$work/out" \
		2>"$work/messages"
	status=$?
	done_quietly && has_line 'Measured in 2 runs of the trace.' &&
		has_line '0 CHKS_EXECUTED # count'
}
check "a metric in several runs" several_runs
several_runs_pipe() {
	cat "$trace" | "$PALMON" stat -t itanium -M CHKS_EXECUTED,IPC -j --trace=- >"$work/out" \
		2>"$work/messages"
	grep -q 'measured in [23] runs of the trace' "$work/messages" &&
		grep -q '"metric-value":1.875,' "$work/out" || show
}
check "several runs of a pipe" several_runs_pipe
trace 'code=0x08'
palmon stat -t itanium -M IPC --trace="$trace" -j
check "an undefined metric is null" grep -q '"metric-value":null' "$work/out"

#
# Events that are counted together
#

# Both IPCs: 15 instructions in 8 cycles. An event requested twice is counted once.
trace 't=0 cycles=8 code=0x12' 't=0 cycles=5 code=0x08 n=3'
palmon stat -t itanium -e CPU_CYCLES -M IPC --trace="$trace" -x,
check "an event that a metric also needs is counted once" prints '8,,CPU_CYCLES,8,100.00,,' \
	'15,,IA64_INST_RETIRED,8,100.00,,' ',,IPC,8,100.00,1.875000,instructions/cycle'
palmon stat -t itanium -e ia64_inst_retired:ism=0,itanium::cycles:plm=15:period=7 -M IPC \
	--trace="$trace" -x,
check "in any spelling" prints '15,,ia64_inst_retired:ism=0,8,100.00,,' \
	'8,,itanium::cycles:plm=15:period=7,8,100.00,,' ',,IPC,8,100.00,1.875000,instructions/cycle'
palmon stat -t itanium -e CPU_CYCLES:u -M IPC --trace="$trace" -x,
check "but not a different one" has_line '0,,CPU_CYCLES:u,8,100.00,,'
# Three events for counters 4 and 5 (6.2.2); the fourth can use any.
retired=IA64_INST_RETIRED
palmon stat -t itanium -e $retired,$retired:thres=1 -e $retired:thres=2,CPU_CYCLES --trace="$trace"
in_two_runs() {
	done_quietly && has_line 'Measured in 2 runs of the trace.' &&
		has_line '8 CPU_CYCLES # run 1' &&
		has_line "15 $retired # run 1" && has_line "5 $retired:thres=2 # run 2"
}
check "events that do not fit into one run take two" in_two_runs
# groups EVENTS PATTERN: the runs of the events match PATTERN, in the events' order.
groups() {
	palmon stat -t itanium -e "$1" --trace="$trace" -j
	grep -o '"run":[12]' "$work/out" | cut -d: -f2 | tr -d '\n' | grep -qxE "$2" || show
}
check "a group is counted in one run" groups "$retired,{$retired,$retired:thres=1}" '122|211'
check "each group in its own run" groups "{$retired,CPU_CYCLES},$retired,{$retired,CPU_CYCLES:u}" \
	'11.22|22.11'
check "even if each event would fit elsewhere" \
	groups "{$retired,CPU_CYCLES},{$retired,CPU_CYCLES:u},{$retired,CPU_CYCLES:k}" '(11|22){3}'

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

#
# Refusals
#

# malformed MESSAGE: the trace is refused with its name and this message, and nothing is printed.
malformed() {
	palmon stat -t itanium -e CPU_CYCLES -j --trace="$trace"
	[ "$status" -eq 1 ] && [ ! -s "$work/out" ] &&
		[ "$(cat "$work/messages")" = "palmon stat: $trace:$1" ] || show
}

# 7.8, BRANCH_PATH: unit mask 2 means branches not taken.
trace 'code=0x0F sub=2 taken=0' 'code=0x0F sub=2 taken=1'
check "a line that contradicts its sub-event" malformed \
	"2:15: expected taken, mp, slot and level that agree with code and sub"
trace 'code=0x12' '# two' 'code=0x12 n=1 colour=1'
check "an unknown key" malformed \
	"3:15: expected t, cycles, n, code, sub, cpl, isa, ip, slot, op, itype, \
by, addr, lat, level, taken, target, kind, mp or thread"
trace 'code=0x12' 'n=3'
check "a line without code" malformed '2:4: expected code='
trace 'code=0x12 n=many'
check "not a number" malformed '1:13: expected n= a number from 0 to 4294967295'
trace 't=5 code=0x12' 't=4 code=0x12'
check "t decreases" malformed '2:3: expected t= from 5, where the line before starts'
trace 'code=0x12 thread=1'
check "a thread that the target lacks" malformed '1:18: expected thread= a number from 0 to 0'
{ perl -e 'print "code=0x12\n" x 3000'; echo 'code=x'; } >"$trace"
check "a mistake far into the trace" malformed '3001:6: expected code= a number from 0 to 65535'
perl -e 'print "code=0x12 #", "x" x 5000' >"$trace"
check "a line that is too long" malformed '1:4096: expected the end of the line'
printf 'code=0x12\000\n' >"$trace"
check "a NUL byte" malformed '1:6: expected code= a number from 0 to 65535'
perl -e 'print "# many\n", "code=0x12 t=3\n\n" x 513' >"$trace"
check "too many lines in a cycle" malformed '1026: expected no more than 512 lines in cycle 3'

# A trace can name its target; one without a name fits any target.
trace '# whose' 'target=nehalem' 'code=0x12'
check "another target's trace" malformed '2:8: expected a trace of itanium; this is one of nehalem'
trace 'target=itanium # this one' 'code=0x12 cycles=4'
check "this target's trace" counts CPU_CYCLES 4
trace 'target=i386' 'code=0x12'
check "an unknown target" \
	malformed "1:8: expected one of these targets: nehalem, nehalem-uncore, knc, itanium, \
sparct4, sparct4-dram, intel, amd"
trace 'code=0x12' 'target=itanium'
check "target= after the first line" malformed \
	'2:1: expected target= a number; target=NAME is the first line'
trace 'target=itanium code=0x12'
check "text after target=NAME" malformed '1:16: expected the end of the line after target=NAME'
trace 'code=0x12 target=itanium'
check "target= as a branch's target" malformed \
	'1:18: expected target= a number from 0 to 18446744073709551615'

# warns PATTERN: counts, with a message about the trace.
warns() {
	[ "$status" -eq 0 ] && [ "$(wc -l <"$work/messages")" -eq 1 ] &&
		grep -qxE "palmon $2: $trace: $1" "$work/messages" || show
}
trace 'code=0xc0 sub=1 n=2 cycles=10' 'code=0x3c cycles=10'
palmon stat -t itanium -e CPU_CYCLES,IA64_INST_RETIRED --trace="$trace"
check "no line matches the events" \
	warns 'nothing was counted: no line is of these events; is it a trace of itanium\?' stat
trace 'target=itanium' 'code=0x3c cycles=10'
palmon stat -t itanium -e CPU_CYCLES,IA64_INST_RETIRED --trace="$trace"
check "in a trace that names its target" warns 'nothing was counted: no line is of these events' \
	stat
trace 'code=0xc0 sub=1 n=2 cycles=10' 'code=0x3c cycles=10'
palmon stat -t itanium -M IPC --trace="$trace" -x,
check "no line matches a metric's events" warns 'nothing was counted: .*' stat
palmon stat -t itanium -M CHKS_EXECUTED --trace="$trace"
check "several runs print one warning" warns 'nothing was counted: .*' stat
palmon record -t itanium -e CPU_CYCLES:period=3 --trace="$trace" -o "$work/samples"
sed -i '/ samples x /d' "$work/messages"
check "record warns, too" warns 'nothing was counted: .*' record
palmon stat -t nehalem -e CPU_CLK_UNHALTED.THREAD,UOPS_ISSUED.ANY --trace="$trace"
check "one matching line is enough" done_quietly
palmon stat -t nehalem -e INST_RETIRED.ANY_P:k,INST_RETIRED.ANY_P:u --trace="$trace"
check "also at another level" done_quietly
palmon stat -t nehalem -e UOPS_ISSUED.ANY:c=1:i --trace="$trace"
check "cycles without occurrences count" done_quietly
# Table 10-7: select 8 counts reads, whose event signal has code 0.
trace 'code=0 level=1 cycles=3'
target=sparct4-dram
check "an event that counts another code" counts READS.MCU1 3
target=

trace 'code=0x12'
palmon stat -t itanium -e CPU_CYCLES --trace="$work/none"
check "no such file" refuses 1 "$work/none: No such file"
palmon stat -t itanium -e CPU_CYCLES --trace="$work"
check "a folder" eval '[ $status -eq 1 ] && grep -q "Is a directory" "$work/messages"'
palmon stat -t itanium -e CPU_CYCLEZ --trace="$trace"
check "a misspelt event" refuses 2 'CPU_CYCLEZ.*CPU_CYCLES'
palmon stat -t itanium -e '{IA64_INST_RETIRED,IA64_INST_RETIRED,IA64_INST_RETIRED}' --trace="$trace"
check "events that do not fit together" refuses 1 \
	'IA64_INST_RETIRED.* compete for counters 4 and 5$'
palmon stat -t itanium -e 'CPU_CYCLES,{CPU_CYCLES' --trace="$trace"
check "an unclosed group" refuses 2 "'\{CPU_CYCLES'$"
palmon stat -t itanium -e "$(printf '%65s' | sed 's/ /CPU_CYCLES,/g')CPU_CYCLES" --trace="$trace"
check "too many events" refuses 2 'more than 64 events$'
palmon stat -t itanium -M NO_SUCH --trace="$trace"
check "an unknown metric" refuses 2 'NO_SUCH'
palmon stat -t itanium -M '' --trace="$trace"
check "an empty metric" refuses 2 "no metric ''"
palmon stat -t itanium -M IPC, --trace="$trace"
check "an empty metric after a comma" refuses 2 "no metric ''"
palmon stat -t itanium -e CPU_CYCLES --trace="$trace" -x ''
check "an empty separator" refuses 2 '-x is empty$'
palmon stat -t itanium -e CPU_CYCLES --trace="$trace" -x, -j
check "two formats at once" refuses 2 '-x or -j, not both'
palmon stat -t nehalem -e UOPS_ISSUED.ANY:iar=0-0xf --trace="$trace"
check "an unsupported qualification is not ignored" refuses 1 'UOPS_ISSUED.ANY with this iar'
palmon stat -t itanium -e BUS_ALL:ANI --trace="$trace"
check "a wrong unit mask: the list of unit masks" refuses 2 "BUS_ALL.ANY, BUS_ALL.IO, BUS_ALL.SELF"
palmon stat -t itanium -e '{LOADS_RETIRED:iar=0-15,STORES_RETIRED}' --trace="$trace"
check "different settings: the register's name" refuses 1 "STORES_RETIRED needs .* \(PMC13\)"
palmon stat -t itanium -e CPU_CYCLES
check "no trace" refuses 2 'trace'
palmon stat -t itanium --trace="$trace"
check "no event" refuses 2 '-e EVENT or -M METRIC'
palmon stat -e CPU_CYCLES --trace="$trace"
check "no target" refuses 2 'target'
palmon stat -t itanium -e CPU_CYCLES --trace="$trace" more
check "an argument too many" refuses 2 'more'
full_disk() {
	"$PALMON" stat -t itanium -e CPU_CYCLES --trace="$trace" >/dev/full 2>"$work/messages"
	[ $? -eq 1 ] && [ -s "$work/messages" ]
}
check "counts that cannot be printed are an error" full_disk

# Both threads of a core for 10 cycles, then one thread: 15 cycles of the core, 25 instructions.
printf 't=%s code=%s thread=%s cycles=%s\n' 0 0x3c 0 15 0 0x3c 1 10 0 0xc0 0 15 0 0xc0 1 10 \
	>"$work/threads"
palmon stat -t nehalem -x , --trace="$work/threads" -e CPU_CLK_UNHALTED.THREAD:t,INST_RETIRED.ANY:t
any_thread() {
	done_quietly && has_line '15,,CPU_CLK_UNHALTED.THREAD:t,15,100.00,,' &&
		has_line '25,,INST_RETIRED.ANY:t,15,100.00,,'
}
check "clocks of any thread are the core's, instructions are both threads'" any_thread

# The uncore: 1 + 1 + 3 + 3 + 3 + 2 + 2 + 2 + 2 = 19 entries, in 9 of 12 cycles, after 3 requests.
palmon stat -t nehalem-uncore -x , --trace=tests/command/traces/queue.trace \
	-e UNC_CLK_UNHALTED,UNC_GQ_TRACKER_OCCUP.RT,UNC_GQ_ALLOC.RT \
	-e UNC_GQ_CYCLES_BUSY.READ_TRACKER,UNC_GQ_TRACKER_OCCUP.RT:c=3
check "uncore: occupancy, requests, clocks" prints '12,,UNC_CLK_UNHALTED,12,100.00,,' \
	'19,,UNC_GQ_TRACKER_OCCUP.RT,12,100.00,,' '3,,UNC_GQ_ALLOC.RT,12,100.00,,' \
	'9,,UNC_GQ_CYCLES_BUSY.READ_TRACKER,12,100.00,,' \
	'3,,UNC_GQ_TRACKER_OCCUP.RT:c=3,12,100.00,,'
# Load latency counts only recorded periods: the twelve loads above 32 cycles minus the four
# recorded ones.
palmon stat -t nehalem -x , --trace=tests/command/traces/latency.trace \
	-e MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2
check "a precise event has the same count as with record" prints \
	'8,,MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2,241,100.00,,'
# Requests that record cannot sample are not counted either: stat refuses them with encode's
# message.
refused_by_both() {
	palmon encode -t nehalem "$1"
	refuses 1 "$2" && palmon stat -t nehalem -e "$1" \
		--trace=tests/command/traces/latency.trace && false
	refuses 1 "$2"
}
check "p of an imprecise event" refused_by_both UOPS_ISSUED.ANY:p:period=100 \
	'writes no records of this event'
check "p of a fixed counter" refused_by_both INST_RETIRED.ANY:p:period=100 \
	'writes no records of this event'
check "p with the longest period, and a longer one" \
	refused_by_both INST_RETIRED.ANY_P:p:period=2147483648 'at most 2147483647'
check "p for all threads" refused_by_both INST_RETIRED.ANY_P:p:t:period=100 \
	'cannot count all threads'
check "branch records that exclude all" refused_by_both INST_RETIRED.ANY_P:lbr=0x1ff:period=100 \
	'all branches out'
check "a period of 1" refused_by_both INST_RETIRED.ANY_P:period=1 'must be from 2'
check "p without a period" refused_by_both INST_RETIRED.ANY_P:p 'it needs a period'
done_checking
