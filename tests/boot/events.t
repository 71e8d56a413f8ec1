#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Events in perf's and libpfm's syntax, in a booted session: they count the same as the target's own
# names. With the instruction clock, one cycle is one instruction.
. tests/tap.sh

# counts: the counts of the last run's table, in its order, without commas; "-" for an event that is
# not counted.
counts() {
	sed -n '/^counts of the workload/,/ clocks$/p' "$work/out" | sed '/ clocks$/d; s/,//g' |
		sed -n 's/^ *<not counted>.*/-/p; s/^ *\([0-9][0-9]*\)  .*/\1/p' | tr '\n' ' '
}

# same EVENTS PATTERN: the session succeeds, and its counts match. A back reference in the pattern
# requires equal counts.
same() {
	boot run=session "events=$1"
	ended 0 && counts | grep -qxE "$2" || { counts; cat "$work/out"; return 1; }
}
check "cycles and instructions, by a word, by libpfm's name, by the register's bits" \
	same 'INST_RETIRED.ANY_P,{instructions,nhm::INST_RETIRED:ANY_P:usr=1:sup=1,r01c0},cycles,INST_RETIRED.ANY' \
	'([0-9]{8,}) \1 \1 \1 \1 \1 '
long "levels, letters, and an event that no table has" \
	same 'INST_RETIRED.ANY_P:k,raw=0x201c0,raw=0x5301c0:k,INST_RETIRED.ANY:k=1:u=0,r77c1' \
	'([0-9]+) \1 \1 \1 - '
long "a raw event is sampled" same 'r01c0:u:period=1000000,INST_RETIRED.ANY:u' '([0-9]{8,}) \1 '
long "its sum is exact" says ' samples x 1,000,000 \+ .*: exactly its count$'

refused() {
	boot run=session "events=$1"
	ended 1 && says "$2"
}
check "a group that is not closed" refused 'cycles,{instructions' \
	"events=: a group is .*'\{instructions'$"
check "bits that the driver does not write" refused raw=0x801c0 \
	"does not write bits 0x80000 of the control register$"
check "another PMU's prefix" refused knc::DATA_READ "events=: not a name of this PMU: 'knc'"
long "raw events of one code" refused rff40,rff40,rff40 'raw=0xff40 compete for counters 0 and 1$'

use_target sparct4 prom
# PCR (Table 10-1): sl 15:11, mask 10:5; sl 3 with all masks is all instructions, sl 26 cycles.
check "the SPARC T4's event syntax" \
	same 'Instr_all:u,instructions:u,raw=0x1fe0:u,sparct4::raw=0x1fe4' '([0-9]{8,}) \1 \1 \1 '
check "a reserved event" refused raw=0x6020 'raw=0x6020: its group \(sl\) is reserved$'
use_target knc img
TIMEOUT=300
knc() {
	boot run=session threads=1 'events={instructions:u,knc::r0016:u}'
	ended 0 && counts | grep -qxE '([0-9]{8,}) \1 '
}
check "Knights Corner's event syntax" knc
done_checking
