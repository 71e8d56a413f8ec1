#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each event that `palmon list` calls exact or modelled is counted by an image, of real code; each that it calls absent
# is reported as not counted. An event that is never counted is named.
. tests/tap.sh

# A load takes longer than the highest threshold of MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD.
sed 's/^latency	MEMORY.*/latency MEMORY 40000 | more than 8000H/' hal/emu/model/nehalem.machine >"$work/slow.machine"

# list KIND: names, of events of these targets that are so emulated; those with two names once. By the unit clock what
# needs the timed one does not happen.
list() {
	for target in $targets; do
		"$BUILD/host/palmon" list -t "$target" -j
	done | sed 's/"emulation":"modelled","clock":"timed"/"emulation":"absent"/' |
		grep "\"emulation\":\"\\($1\\)\"" | grep -v '"same":"[^"]' |
		sed 's/.*"name":"\([^"]*\)".*/\1/' | sort
}
# said WHAT: names of events of which the last run says so
said() {
	sed -n "s/^event \\([^:]*\\): $1\$/\\1/p" "$work/out" | sort
}
# counted LEAST: all events that happen, of which there are so many
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
	make_run RUN=session SOCKETS=2 MACHINE="$work/slow.machine" WORKLOAD=tests/boot/workloads/every-event.c \
		EVENTS=CPU_CLK_UNHALTED.REF LEVEL=0
	ended 0 && says 'register faults 0$'
}
check "$targets: everything is executed" nehalem
check "$targets: each event that happens is counted" counted 500
check "$targets: what does not happen is not counted" not_counted
# The machine has one core: a command line of its own makes it two.
use_target knc img
targets=knc
knc() {
	workload=tests/boot/workloads/knc-every-event.c
	make_run RUN=session THREADS=1 LEVEL=0 WORKLOAD=$workload EVENTS=CPU_CLK_UNHALTED
	. pmu/knc/machine
	cpus=4,cores=2,threads=2
	. hal/emu/qemu/machine
	capture timeout 300 $command -append 'run=session level=0 threads=1 events=CPU_CLK_UNHALTED' \
		-kernel "$BUILD/knc/workloads/knc-every-event-$(echo "$PWD/$workload" | cksum | cut -d' ' -f1).img"
	says 'register faults 0$' && says '^palmon: status 0'
}
check "$targets: everything is executed" knc
check "$targets: each event that happens is counted" counted 53
check "$targets: what does not happen is not counted" not_counted
finds() {
	sed -i 's/^event DATA_READ_MISS: .*/event DATA_READ_MISS: 0/' "$work/out"
	! counted 53 && [ "$(cat "$work/never")" = DATA_READ_MISS ]
}
check "one that is 0 is found" finds
done_checking
