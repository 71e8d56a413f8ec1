#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two packages (SOCKETS=2), measured by real code: requests that the other package answers, probes,
# reads and writes of memory by home package, and false sharing. The lines of packages.c state the
# counts by hand, after the performance analysis guide. There are no prefetchers.
. tests/tap.sh

grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"

measured() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/packages.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0 \
		MACHINE="$work/plain.machine" "$@"
}
two() {
	measured SOCKETS=2
	ended 0 && says '^packages: 77 measured, 0 wrong$' && says 'register faults 0$'
}
check "two packages have the counts of each line" two
one() {
	measured
	[ "$status" -ne 0 ] &&
		says '^WRONG: 2L: OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_DRAM of 2: 0, not 256$'
}
long "with one package all memory is local" one
counted() {
	make_run RUN=session SOCKETS=2 WORKLOAD=tests/boot/workloads/chase.c \
		EVENTS=OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_DRAM,UNC_QHL_REQUESTS.REMOTE_READS
	ended 0 && says '^ *0  OFFCORE_RESPONSE_0.DEMAND_DATA_RD.REMOTE_DRAM ' &&
		says '^ *0  UNC_QHL_REQUESTS.REMOTE_READS '
}
check "a session on two packages counts answers of the other package: none here" counted
check "three packages" session_refused '^palmon: SOCKETS=3: one or two$' SOCKETS=3
sed 's/ inclusive//' "$work/plain.machine" >"$work/exclusive.machine"
check "an L3 cache that does not include all lines of its cores" \
	session_refused 'several packages \(-smp\) need an inclusive L3 cache \(machine=\)$' \
	SOCKETS=2 MACHINE="$work/exclusive.machine"
done_checking
