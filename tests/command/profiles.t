#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon profiles, and counts of a profile: the performance analysis guide's Appendix I.
. tests/tap.sh
. tests/command/command.sh

palmon profiles -t nehalem -j
check "the keys are the documented ones" has_keys target name title table runs \
	runs-least runs-manual events
check "each event has its run and counter" each_object '@{$o->{events}} && !grep {
	join(" ", sort keys %$_) ne "counter event run" || $_->{run} < 1 || $_->{run} > $o->{runs} } @{$o->{events}}'
check "the guide's number of runs is needed, and fewer are impossible" each_object '
	$o->{runs} == $o->{"runs-least"} && (!defined $o->{"runs-manual"} || $o->{runs} == $o->{"runs-manual"})'

# runs NAME RUNS: the number in the guide's text.
runs() {
	palmon profiles -t nehalem -j "$1"
	each_object '$o->{name} eq "'"$1"'" && $o->{runs} == '"$2"' && $o->{"runs-manual"} == '"$2"
}
check "general exploration: a single run" runs GENERAL_EXPLORATION 1
check "branch analysis: 2 runs" runs BRANCH_ANALYSIS 2
check "cycles and uops: 3 runs" runs CYCLES_AND_UOPS 3
check "memory access: 3 runs" runs MEMORY_ACCESS 3
check "front end investigation: 3 runs" runs FE_INVESTIGATION 3
check "working set: a single run" runs WORKING_SET 1

for_people() {
	palmon profiles -t nehalem 'branch*'
	done_quietly && has_line BRANCH_ANALYSIS &&
		has_line "4 events in 2 runs; the manual's number: 2" &&
		has_line 'run 2' && has_line 'BR_INST_RETIRED.NEAR_CALL:p:lbr=0x135:period=200003'
}
check "as text: the events of each run" for_people
palmon profiles -t nehalem NO_SUCH
check "a pattern without match is a failure" refuses 1 "'NO_SUCH'"
none() {
	palmon profiles -t itanium
	[ "$status" -eq 0 ] && [ ! -s "$work/out" ] &&
		grep -qx 'palmon profiles: itanium has no profiles' "$work/messages" || show
}
check "a target without profiles has an empty list" none

# record accepts each run.
recordable() {
	palmon profiles -t nehalem -j CLIENT_ANALYSIS_CALL_SITES
	perl -MJSON::PP -ne 'my $o = JSON::PP->new->decode($_);
		for my $run (1..$o->{runs}) {
			print join(",", map { $_->{event} } grep { $_->{run} == $run } @{$o->{events}}), "\n";
		}' "$work/out" >"$work/runs"
	[ "$(wc -l <"$work/runs")" -eq 13 ] || return
	echo 'code=0x3C' >"$work/trace"
	while read -r events; do
		palmon record -t nehalem -e "$events" --trace="$work/trace" -o "$work/samples"
		[ "$status" -eq 0 ] || { echo "$events"; show; return; }
	done <"$work/runs"
}
check "each run can be recorded" recordable

#
# Counts of a profile
#

# 1000 cycles; 300 with uops on the ports; 4 of 7 loads above 32 cycles; 50 loads that missed the L3
# cache.
printf '%s\n' 't=0 cycles=1000 code=0x3C' 't=0 cycles=300 code=0xB1 sub=0x3F n=2' \
	't=10 cycles=100 code=0xC4 sub=4' \
	't=20 cycles=50 code=0xCB sub=0x10' 't=30 cycles=4 code=0x0B sub=0x10 lat=33' \
	't=40 cycles=3 code=0x0B sub=0x10 lat=32' >"$work/trace"
palmon stat -t nehalem -P general_exploration --trace="$work/trace" -x,
check "general exploration" prints '1000,,CPU_CLK_UNHALTED.THREAD:period=2000003,1000,100.00,,' \
	'0,,INST_RETIRED.ANY:period=2000003,1000,100.00,,' \
	'100,,BR_INST_RETIRED.ALL_BRANCHES:p:period=200003,1000,100.00,,' \
	'4,,MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=20011,1000,100.00,,' \
	'50,,MEM_LOAD_RETIRED.LLC_MISS:p:period=10007,1000,100.00,,' \
	'700,,UOPS_EXECUTED.CORE_STALL_CYCLES:period=2000003,1000,100.00,,'

several_runs() {
	palmon stat -t nehalem -P CYCLES_AND_UOPS --trace="$work/trace"
	done_quietly && has_line 'Measured in 3 runs of the trace.' &&
		grep -qE ' 700 +UOPS_EXECUTED.CORE_STALL_CYCLES:period=2000003  # run [123]$' \
		"$work/out" &&
		grep -qE ' 1,000 +CPU_CLK_UNHALTED.THREAD:period=2000003  # run [123]$' \
		"$work/out" || show
}
check "several runs: each count shows its run" several_runs
json_runs() {
	palmon stat -t nehalem -P CYCLES_AND_UOPS --trace="$work/trace" -j
	[ "$status" -eq 0 ] || show || return
	[ "$(grep -o '"run":[0-9]*' "$work/out" | sort -u | tr '\n' ' ')" \
		= '"run":1 "run":2 "run":3 ' ] || show
}
check "also as JSON" json_runs
# Precise events of which only one has branch records cannot be recorded together, but can be
# counted together.
palmon stat -t nehalem -P BRANCH_ANALYSIS --trace="$work/trace"
check "counting alone takes fewer runs than sampling" eval '! grep "# run" "$work/out"'
together() {
	palmon stat -t nehalem -P WORKING_SET,FALSE_TRUE_SHARING -M CPI -e INST_RETIRED.ANY_P \
		--trace="$work/trace" -x,
	[ "$status" -eq 0 ] && has_line ',,CPI,1000,100.00,not defined,cycles/instruction' &&
		has_line '0,,MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM:p:period=1009,1000,100.00,,' ||
		show
}
check "profiles, metrics and events together" together

palmon stat -t nehalem -P MEMORY_ACESS --trace="$work/trace"
check "a profile that does not exist: the nearest one" \
	refuses 2 "no profile 'MEMORY_ACESS'; the nearest name is MEMORY_ACCESS"
palmon stat -t itanium -P MEMORY_ACCESS --trace="$work/trace"
check "a target without profiles" refuses 2 'itanium has no profiles'
palmon stat -t nehalem -P LOOP_ANALYSIS,CLIENT_ANALYSIS,CYCLES_AND_UOPS \
	-P FE_INVESTIGATION,WORKING_SET \
	--trace="$work/trace"
check "more events than a plan can hold" refuses 2 'too many'
done_checking
