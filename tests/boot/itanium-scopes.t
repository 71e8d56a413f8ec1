#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Scopes of a session (scope=; the processor's manual, 6.1.3.2, Figures 6-6 to 6-8): a kernel
# switches between three processes, whose stores are counted by hand (workloads/itanium-scopes.c).
. tests/tap.sh
use_target itanium elf

WORKLOAD=tests/boot/workloads/itanium-scopes.c
make_run RUN=session LEVEL=0 SCOPE=system EVENTS=STORES_RETIRED WORKLOAD=$WORKLOAD
check "the program runs" ended 0
IMAGE=$BUILD/itanium/workloads/itanium-scopes-$(realpath -ms $WORKLOAD | cksum | cut -d ' ' -f 1)
event=STORES_RETIRED:dar=$(tools/range "$IMAGE.elf" stored)

# counts SCOPE COUNT
counts() {
	boot run=session level=0 "scope=$1" "events=$event"
	ended 0 && says "^ *$2  STORES_RETIRED:" && says "^Monitored: $1\.\$"
}
# At level 3: one process, two, all. With the kernel: the handlers that these processes called, too,
# because an interruption leaves PSR.up as it is. With interruptions: DCR.pp is on in all handlers.
check "one process" counts process:user 3,000
check "several processes" counts processes:user 8,000
check "all processes" counts system:user 15,000
check "one process, and the kernel that it calls" counts process:kernel 3,003
check "several, and the kernel" counts processes:kernel 8,008
check "all, and the kernel" counts system:kernel 15,015
check "one process, and all interruptions" counts process:interruptions 3,015
check "several, and all interruptions" counts processes:interruptions 8,015
check "all, and all interruptions" counts system:interruptions 15,015

default() {
	boot run=session level=0 scope=process "events=$event"
	ended 0 && says '^ *3,015  STORES_RETIRED:' && says '^Monitored: process:interruptions\.$'
}
check "interruptions are the default" default
output() {
	boot run=session level=0 scope=processes:user out=console "events=$event" && ended 0 &&
		says '^@\{"palmon_samples":1,.*,"scope":"processes:user",'
}
check "the lines for tools have the scope" output

# Two groups take turns; the counts of all slices are those of the scope.
turns() {
	group={$event,$event,$event}
	boot run=session level=0 scope=processes:kernel multiplex=5000 "events=$group,$group"
	ended 0 && tr -d , <"$work/out" | sed -n 's/.*STORES_RETIRED.*# group [12] \([0-9]*\) in .*/\1/p' |
		awk '{ sum += $1; none += !$1 } END { exit NR != 6 || none || sum != 3 * 8008 }'
}
check "multiplexed groups have the scope" turns

# refused OPTIONS TEXT
refused() {
	boot run=session $1
	ended 1 && says "$2"
}
check "an unknown scope is refused" refused scope=thread \
	'^palmon: scope=thread: the value is to be: process, processes or system'
check "an unknown reach is refused" refused scope=system:all '^palmon: scope=system:all: the value'
check "no reach is refused" refused scope=system: '^palmon: scope=system:: the value'
check "a level above the reach is refused" refused "scope=system:user events=CPU_CYCLES:k" \
	'^palmon: events=: no counter can count CPU_CYCLES'

# A program that switches no process is the monitored one.
IMAGE=$BUILD/itanium/palmon
program() {
	boot run=session events=IA64_INST_RETIRED:u && ended 0 || return
	count=$(sed -n 's/^ *\([0-9,]*\)  IA64_INST_RETIRED:u .*/\1/p' "$work/out")
	[ -n "$count" ] && boot run=session events=IA64_INST_RETIRED:u scope=process:user && ended 0 &&
		says "^ *$count  IA64_INST_RETIRED:u "
}
check "the workload is the monitored process" program

for target in nehalem:img knc:img sparct4:prom; do
	use_target "${target%:*}" "${target#*:}"
	check "$TARGET refuses scopes" refused scope=system \
		'^palmon: scope=: .* monitors all processes, always$'
done
done_checking
