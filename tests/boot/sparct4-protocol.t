#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The SPARC T4's overflow traps in the booted image: the handlers of tests/proof/sparct4-traps.pml,
# the runtime's own, and defects of the PMU, with the same results each time.
. tests/tap.sh
use_target sparct4 prom
. tests/boot/protocol.sh

run() {
	measure tests/boot/workloads/sparct4-protocol.c level=0 events=Cycles
}
check "no instruction is skipped, and none is executed twice" protocol

printed() {
	grep -A1000 '^any ntc' "$work/out"
}
printed >"$work/first"

# Results at an addition, a compare and swap, a load, and a read of a counter: s skipped, r executed
# twice.
outcome() {
	has "$1: $2"
}
check "any ntc, one is stale: the unexecuted instruction is skipped" outcome \
	"any ntc: Atomics with ntc" s.s.
check "only an instruction that can set ntc, and any ntc: a load is skipped" outcome \
	"an instruction that can have it, and any ntc: Atomics with ntc" ..s.
check "counters alone: an executed instruction executes again" outcome \
	"counters at 0: IC_miss without" .r.r
check "the instruction, then counters: neither skipped nor repeated" \
	outcome "the instruction, then counters: IC_miss with ntc" ....
check "choose and clear swapped: a read of a counter executes twice" outcome \
	"order: choose and clear swapped" ...r
check "clear and serve swapped: an overflow is lost" outcome "clear and serve swapped" \
	"1 of 2 overflows are served"

long "a second run prints the same, to the character" repeats

check "found: ntc is never set" found ntc-missing 'left, Atomics with ntc'
long "found: ntc that cannot be cleared" found ntc-uncleared 'any ntc: none: [.][.]s[.], not [.]+$'
long "found: a clear that clears all" found \
	clear-all 'counters at 0: IC_miss without: [.]+, not [.]r[.]r$'
long "found: no precise trap" found precise-lost 'traps, none: 0x0, not 0x1$'
long "found: a precise trap at the next instruction" found \
	precise-late 'any ntc: none: [.]+s, not [.]+$'
done_checking
