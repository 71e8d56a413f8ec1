#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Bad arguments are refused with the reason and a failing status. The long checks boot the image
# with other mistakes of the same kinds.
. tests/tap.sh

# refused EVENTS PATTERN: a message names the mistake, and the last line repeats it.
refused() {
	boot run=session "events=$1"
	ended 1 && says "^palmon: .*$2" && says "^palmon: status 1 \\(session failed: .*$2"
}
check "a misspelt event: the nearest name" refused INST_RETIRED.ANYP \
	"there is no event 'INST_RETIRED.ANYP'; the nearest name is INST_RETIRED.ANY"
long "no event at all" refused '' 'from 1 to 16 events'
long "an unknown modifier" refused INST_RETIRED.ANY:z "there is no modifier 'z'"
long "a modifier's value out of range" refused INST_RETIRED.ANY_P:c=256 "out of range: 'c=256'"
long "a fixed counter twice: the conflict" refused INST_RETIRED.ANY,INST_RETIRED.ANY \
	'INST_RETIRED.ANY and INST_RETIRED.ANY compete for counter fixed 0'
check "a counter that is taken: the conflict" refused UOPS_ISSUED.ANY:ctr=2,ARITH.MUL:ctr=2 \
	'UOPS_ISSUED.ANY and ARITH.MUL compete for counter 2'
long "five events for four counters: the conflict" \
	refused UOPS_ISSUED.ANY,UOPS_ISSUED.FUSED,ARITH.MUL,ARITH.DIV,UOPS_RETIRED.ANY \
	'UOPS_ISSUED.ANY, .*, ARITH.DIV and UOPS_RETIRED.ANY compete for counters 0, 1, 2 and 3'
long "a threshold on a fixed counter's event" \
	refused INST_RETIRED.ANY:c=1 'no counter can count INST_RETIRED.ANY'
long "inversion without a threshold" refused UOPS_ISSUED.ANY:i 'need a threshold'
long "a period of 1" refused INST_RETIRED.ANY_P:period=1 'must be from 2'

bad_option() {
	boot "$@"
	ended 1 && says 'is no option|the value is to be|is there twice|is for run=' &&
		says '^palmon: status 1 \(bad command line: .*\)'
}
# near WORD NAME: the message suggests NAME, the nearest valid word.
near() {
	bad_option "$1" && says "^palmon: status 1 .*; the nearest name is $2\)\$"
}
far() {
	bad_option "$1" && ! grep 'the nearest name' "$work/out"
}
long "an unknown option: the nearest one" near runn=all run
long "a word that is no option, nor near one" far quickly
long "an unknown step: the nearest one" near run=sesion session
long "an unknown delivery: the nearest one" near pmi=vektor vector
long "an unknown end: the nearest one" near end=powerof poweroff
check "an unknown console among others: the nearest one" near console=com1,vgaa,log vga
long "an unknown PMU: the nearest one" near suite=nehalem-uncor nehalem-uncore
check "the same option twice" bad_option run=selftest pmi=nmi run=session
long "the same option twice with the same value" bad_option run=selftest run=selftest
check "an option that only another step uses" bad_option run=selftest events=INST_RETIRED.ANY
long "an option that only the self test uses" bad_option run=session suite=nehalem
too_long() {
	boot run=session "events=$(printf 'INST_RETIRED.ANY,%.0s' $(seq 70))INST_RETIRED.ANY"
	ended 1 && says '^palmon: status 1 \(bad command line: the command line is longer than 1022 characters\)$'
}
check "a command line that is too long" too_long
long "a privilege level other than 0 and 3" bad_option level=2
check "'5' threads" bad_option threads=5
for threads in 0 -1 2x '' 99999999999; do
	long "'$threads' threads" bad_option "threads=$threads"
done

# fails WHY VARIABLE=VALUE...: make's last lines name the cause.
fails() {
	why=$1
	shift
	make_run "$@"
	tail -n 2 "$work/out" >"$work/last"
	[ "$status" -ne 0 ] && grep -E -- "$why" "$work/last" || { cat "$work/out"; false; }
}
check "a refused event: the cause is in the last lines" \
	fails "^palmon: status 1 \(session failed: events=: there is no event 'INST_RETIRED.ANYP'; the nearest name is \
INST_RETIRED.ANY\)$" RUN=session EVENTS=INST_RETIRED.ANYP
long "a refused metric" fails \
	"^palmon: status 1 \(session failed: .*; the nearest name is CPI\)$" \
	RUN=session METRICS=CPX
check "a refused fault" \
	fails "^palmon: the emulator failed .*there is no fault 'freeze-mising'; the nearest name is freeze-missing$" \
	RUN=selftest FAULT=freeze-mising
long "a fault of a register that does not exist" \
	fails \
	"^palmon: the emulator failed .*: 'absent:0x99': there is no register at address 0x99$" \
	RUN=selftest FAULT=absent:0x99
check "a refused processor" fails \
	"^palmon: the emulator failed .*: nehalm: there is no such processor; \
the nearest name is nehalem; " RUN=session MACHINE=nehalm
long "no sampling period" fails \
	"^palmon: status 1 \(session failed: events=: .*: 'period=0' \(from 1 to " \
	RUN=session EVENTS=INST_RETIRED.ANY_P:period=0
long "a modifier three times" fails \
	"^palmon: status 1 \(session failed: events=: given twice, .*: 'u'\)$" \
	RUN=session EVENTS=INST_RETIRED.ANY:u:u:u
check "a number of sockets that no machine has" fails "^palmon: SOCKETS=3: one or two$" \
	RUN=session SOCKETS=3

unknown_target() {
	make_run TARGET=nobody
	[ "$status" -ne 0 ] && says "there is no TARGET 'nobody'; targets are: nehalem"
}
check "an unknown target: the list of targets" unknown_target

help() {
	capture make --no-print-directory help
	ended 0 && says '^make run ' && says '^make check ' && says '^make bench '
}
check "make help lists the commands" help
done_checking
