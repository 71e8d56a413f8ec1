#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Registers that the threads of a core share: one thread's setting is not changed by another.
. tests/tap.sh

siblings() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/siblings.c EVENTS=CPU_CLK_UNHALTED.REF \
		LEVEL=0 PMI="$1"
	ended 0 && says '^siblings: 0 wrong$' && says 'register faults 0$' &&
		says '^OFFCORE_RESPONSE_0 needs register 0x1a6 .* than CPU 0, which shares OFFCORE_RSP_0 '
}
check "owners, refusals, INIT, and branch records while a sibling begins and opens sessions" \
	siblings vector
check "also with the first CPU's overflow interrupt as NMI" siblings nmi

# Two threads of a core with the same request: each records its own branches, with the same filter.
same() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/known.c THREADS=2 \
		EVENTS=INST_RETIRED.ANY_P:u:lbr=1:period=50000
	ended 0 && [ "$(grep -c '^INST_RETIRED.ANY_P.*exactly its count$' "$work/out")" -eq 2 ] &&
		[ "$(grep -c 'spurious 0, .*samples dropped 0, register faults 0$' "$work/out")" \
		-eq 2 ]
}
check "two threads with the same filter of branch records" same
done_checking
