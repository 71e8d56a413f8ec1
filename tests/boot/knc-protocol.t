#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Knights Corner's overflow interrupt in the booted image: the scenarios of
# tests/proof/knc-overflow.pml, the effect of two swapped handler steps, the same results each time;
# and the workload finds defects of the PMU.
. tests/tap.sh
use_target knc img
. tests/boot/protocol.sh

run() {
	measure tests/boot/workloads/knc-protocol.c threads=1 level=0 events=INSTRUCTIONS_EXECUTED
}

check "no overflow is lost, each interrupt has an overflow, nothing is left pending" protocol

printed() {
	grep -A1000 '^palmon:' "$work/out"
}
printed >"$work/first"

# One letter for each gap of the handler; the workload explains the letters.
order() {
	has "$1: counter 0 $2, counter 1 $3"
}
check "stop, serve, clear, unmask, start: each overflow is served" order "the right order" --..... \
	.......
check "stop and serve swapped: one lost, one stuck" order "stop and serve swapped" -l..... .s.....
check "stop and clear swapped: stuck" order "stop and clear swapped" --sssss ccsssss
check "stop and unmask swapped: one lost, one stuck" order "stop and unmask swapped" --l.... ..s....
check "stop and start swapped: lost, stuck, stopped" order "stop and start swapped" --ls.xx \
	"..ss.xx, left stopped"
check "serve and clear swapped: stuck" order "serve and clear swapped" ---ssss cssssss
check "serve and unmask swapped: stuck" order "serve and unmask swapped" ----sss cssssss
check "serve and start swapped: stuck" order "serve and start swapped" -----ss cccccss
check "clear and unmask swapped: no effect with an APIC like this one" order \
	"clear and unmask swapped" --..... .......
check "clear and start swapped: lost, stuck" order "clear and start swapped" --lll.. .ssss..
check "unmask and start swapped: stuck" order "unmask and start swapped" --sss.. .ssss..

check "a second run prints the same, to the character" repeats

long "found: of two simultaneous overflows only one is seen" found \
	simultaneous-lost 'overflows of counter [01], CPU'
check "found: an interrupt line that does not fall" found line-stuck 'overflows of counter 0, CPU'
long "found: a status that cannot be cleared" found clear-lost 'status at the end, CPU'
long "found: a clear of one status bit that clears both" found \
	clear-all 'stop and serve swapped, counter 1, CPU'
long "found: a status that reading clears" found status-fades 'overflows of counter 0, CPU'
long "found: a line that signals again while it is high" found \
	line-repeats 'interrupts without an overflow, CPU'
done_checking
