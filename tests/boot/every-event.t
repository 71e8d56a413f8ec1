#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An image of real code counts each event that `palmon list` calls exact or modelled, and reports
# each event that the list calls absent as not counted. The test names each event that never counts.
# Nehalem's more than 500 events are long checks.
. tests/tap.sh

# A load takes longer than the highest threshold of MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD.
sed 's/^latency	MEMORY.*/latency MEMORY 40000 | more than 8000H/' hal/emu/model/nehalem.machine \
	>"$work/slow.machine"

# list KIND: names of these targets' events with this kind of emulation; events with two names
# appear once. Events that need the timed clock do not occur under the unit clock.
list() {
	for target in $targets; do
		"$BUILD/host/palmon" list -t "$target" -j
	done | sed 's/"emulation":"modelled","clock":"timed"/"emulation":"absent"/' |
		grep "\"emulation\":\"\\($1\\)\"" | grep -v '"same":"[^"]' |
		sed 's/.*"name":"\([^"]*\)".*/\1/' | sort
}
# said TEXT: names of events with this text in the last run
said() {
	sed -n "s/^event \\([^:]*\\): $1\$/\\1/p" "$work/out" | sort
}
# counted LEAST: each of at least this number of emulated events has a count
counted() {
	list 'exact\|modelled' >"$work/happens"
	said '[1-9][0-9]*' | comm -23 "$work/happens" - >"$work/never"
	sed 's/$/ is never counted/' "$work/never"
	[ ! -s "$work/never" ] && [ "$(wc -l <"$work/happens")" -ge "$1" ]
}
not_counted() {
	list absent >"$work/absent"
	said 'not counted' | comm -23 "$work/absent" - >"$work/counted"
	sed 's/$/ is absent, and not said to be/' "$work/counted"
	[ ! -s "$work/counted" ] && [ -s "$work/absent" ]
}

targets='nehalem nehalem-uncore'
nehalem() {
	make_run RUN=session SOCKETS=2 MACHINE="$work/slow.machine" \
		WORKLOAD=tests/boot/workloads/every-event.c \
		EVENTS=CPU_CLK_UNHALTED.REF LEVEL=0
	ended 0 && says 'register faults 0$'
}
long "$targets: everything is executed" nehalem
long "$targets: each emulated event is counted" counted 500
long "$targets: events that do not occur are reported as not counted" not_counted
# The machine has one core; a changed command line gives it two.
use_target knc img
targets=knc
knc() {
	workload=tests/boot/workloads/knc-every-event.c
	flock "$BUILD" make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" image \
		WORKLOAD=$workload >/dev/null || return
	. pmu/knc/machine
	cpus=4,cores=2,threads=2
	. hal/emu/qemu/machine
	capture timeout 300 $command \
		-append 'run=session level=0 threads=1 events=CPU_CLK_UNHALTED' \
		-kernel "$BUILD/knc/workloads/knc-every-event-$(echo "$PWD/$workload" | cksum |
		cut -d' ' -f1).img"
	says 'register faults 0$' && says '^palmon: status 0'
}
check "$targets: everything is executed" knc
check "$targets: each emulated event is counted" counted 53
check "$targets: events that do not occur are reported as not counted" not_counted
finds() {
	sed -i 's/^event DATA_READ_MISS: .*/event DATA_READ_MISS: 0/' "$work/out"
	! counted 53 && [ "$(cat "$work/never")" = DATA_READ_MISS ]
}
check "an event with count 0 is found" finds
done_checking
