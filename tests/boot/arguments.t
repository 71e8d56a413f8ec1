#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Bad arguments: refused with the reason and a failing status.
. tests/tap.sh

refused() {
	boot run=session "events=$1"
	ended 1 && says "$2"
}
check "a misspelt event: the nearest name" refused INST_RETIRED.ANYP \
	"there is no event 'INST_RETIRED.ANYP'; the nearest name is INST_RETIRED.ANY"
check "no event at all" refused '' 'from 1 to 16 events'
check "an unknown modifier" refused INST_RETIRED.ANY:z "there is no modifier 'z'"
check "a modifier's value out of range" refused INST_RETIRED.ANY_P:c=256 "out of range: 'c=256'"
check "a fixed counter twice: the conflict" refused INST_RETIRED.ANY,INST_RETIRED.ANY \
	'INST_RETIRED.ANY and INST_RETIRED.ANY compete for counter fixed 0'
check "a counter that is taken: the conflict" refused UOPS_ISSUED.ANY:ctr=2,ARITH.MUL:ctr=2 \
	'UOPS_ISSUED.ANY and ARITH.MUL compete for counter 2'
check "five events for four counters: the conflict" \
	refused UOPS_ISSUED.ANY,UOPS_ISSUED.FUSED,ARITH.MUL,ARITH.DIV,UOPS_RETIRED.ANY \
	'UOPS_ISSUED.ANY, .*, ARITH.DIV and UOPS_RETIRED.ANY compete for counters 0, 1, 2 and 3'
check "a threshold on a fixed counter's event" \
	refused INST_RETIRED.ANY:c=1 'no counter can count INST_RETIRED.ANY'
check "inversion without a threshold" refused UOPS_ISSUED.ANY:i 'need a threshold'
check "a period of 1" refused INST_RETIRED.ANY_P:period=1 'must be 0 or from 2'

bad_option() {
	boot "$@"
	ended 1 && says 'is no option|the value is to be' && says '^palmon: status 1 \(bad command line\)'
}
# near WORD NAME: the nearest one that there is.
near() {
	bad_option "$1" && says "^palmon: the nearest name is $2\$"
}
far() {
	bad_option "$1" && ! grep 'the nearest name' "$work/out"
}
check "an unknown option: the nearest one" near runn=all run
check "a word that is no option, nor near one" far quickly
check "an unknown step: the nearest one" near run=sesion session
check "an unknown delivery: the nearest one" near pmi=vektor vector
check "an unknown end: the nearest one" near end=powerof poweroff
check "an unknown console among others: the nearest one" near console=com1,vgaa,log vga
check "a privilege level between" bad_option level=2
for threads in 0 -1 2x '' 99999999999; do
	check "'$threads' threads" bad_option "threads=$threads"
done

more_threads() {
	boot run=session threads=5
	ended 1 && says '^palmon: threads=5: this machine has 4$'
}
check "more threads than there are" more_threads

unknown_target() {
	make_run TARGET=nobody
	[ "$status" -ne 0 ] && says "there is no TARGET 'nobody'; targets are: nehalem"
}
check "an unknown target: the list of targets" unknown_target

help() {
	capture make --no-print-directory help
	ended 0 && says '^make run ' && says '^make check ' && says '^make bench '
}
check "make help says what there is" help
done_checking
