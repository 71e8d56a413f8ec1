#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make run TARGET=knc` as users call it: its arguments, the reasons for refusals, and the image's
# description of itself. Refused events and values boot the built image; tests/command/knc.t and
# tests/unit/pmu/knc refuse more of them.
. tests/tap.sh
use_target knc img
. tests/boot/workload.sh

# A workload that ends at once.
printf 'int workload(void);\nint workload(void)\n{\n\treturn 0;\n}\n' >"$work/short.c"
short() {
	make_run WORKLOAD="$work/short.c" "$@"
}

# The guide, 1.4: two counters of 40 (28H) bits; Table 1-6: CPU_CLK_UNHALTED is 2AH,
# INSTRUCTIONS_EXECUTED 16H, both with unit mask 0, and there are 59 events. pmu/knc/README.md lists
# the register numbers.
describes_itself() {
	short RUN=session THREADS=1
	ended 0 &&
		says '^PAL_PERF_MON_INFO: status 0, 0x162a2802: 2 generic counters of 40 bits, ' &&
		says '^PAL_PERF_MON_INFO: .*, cycles event 0x2a, retired event 0x16$' &&
		says '^  control registers      0-4$' && says '^  data registers         0-2$' &&
		says '^  can count cycles       0-1$' && says '^  can count retired      0-1$' &&
		says '^PALMON_MONITOR_FEATURES: 0 fixed counters of 40 bits, ' &&
		says '^PALMON_MONITOR_EVENTS: cycles event 0x2a, unit mask 0x00; retired event 0x16, unit mask 0x00$' &&
		says '^PAL_DEBUG_INFO: 4 instruction, 4 data breakpoints; ' &&
		says '^events of knc by name: 59$'
}
check "PAL's answers" describes_itself

everything() {
	short RUN=all
	ended 0 && says '^self test: ([0-9]+) of \1 checks passed; all of them are in .*/selftest\.tap$' &&
		says '^counts of the workload, on 4 threads at once:$' &&
		says '^INSTRUCTIONS_EXECUTED:u:t of thread 0: .*: exactly$'
}
check "RUN=all: self test, and a session on four threads" everything

alone() {
	short RUN=selftest SUITE=knc
	ended 0 && says '^self test: ([0-9]+) of \1 checks passed' &&
		! grep '^counts' "$work/out" &&
		grep -q '^# knc: ' "$work/run/selftest.tap" && grep -q '^# all checks passed$' \
		"$work/run/selftest.tap"
}
check "SUITE=knc: its self test" alone

# known.c: thread 0 executes 2 * 100000 + 9 instructions at level 3, thread 1 2 * 112345 + 9.
delivered() {
	make_run RUN=session THREADS=2 WORKLOAD=tests/boot/workloads/known.c \
		EVENTS=INSTRUCTIONS_EXECUTED:u:period=1000 "$@"
	ended 0 && says '^INSTRUCTIONS_EXECUTED:u, thread 0: 200 samples x 1,000 \+ 9 = 200,009: exactly its count$' &&
		says '^INSTRUCTIONS_EXECUTED:u, thread 1: 224 samples x 1,000 \+ 699 = 224,699: exactly its count$' &&
		says '^thread 0: overflow interrupts: 200, spurious 0, ' &&
		says '^thread 1: overflow interrupts: 224, spurious 0, '
}
long "PMI=vector, two threads" delivered PMI=vector
long "PMI=nmi, two threads" delivered PMI=nmi
by_pvh() {
	delivered BOOT=pvh && says 'started by PVH'
}
check "BOOT=pvh, two threads" by_pvh

# A program that never turns its user filter on counts nothing.
left_to_program() {
	measure "$work/short.c" threads=1 events=INSTRUCTIONS_EXECUTED:spflt,INSTRUCTIONS_EXECUTED
	ended 0 && says '^ +0  INSTRUCTIONS_EXECUTED:spflt ' &&
		says '^ +[1-9][0-9,]*  INSTRUCTIONS_EXECUTED '
}
check "an event that the program itself enables with SPFLT" left_to_program

# refused EVENTS WHY
refused() {
	measure "$work/short.c" threads=1 events="$1"
	ended 1 && says "$2" && says "^palmon: status 1 \\(session failed: .*$2"
}
check "a misspelt event: the nearest name" refused INSTRUCTION_EXECUTED \
	"there is no event 'INSTRUCTION_EXECUTED'; the nearest name is INSTRUCTIONS_EXECUTED"
long "another target's event" refused INST_RETIRED.ANY "there is no event 'INST_RETIRED.ANY'"
check "an unknown modifier: the list has spflt" refused INSTRUCTIONS_EXECUTED:z \
	"there is no modifier 'z' \(.* spflt, "
long "a threshold out of range" refused INSTRUCTIONS_EXECUTED:c=256 "out of range: 'c=256'"
check "three events for two counters: the conflict" refused \
	INSTRUCTIONS_EXECUTED,CPU_CLK_UNHALTED,BRANCHES \
	'INSTRUCTIONS_EXECUTED, CPU_CLK_UNHALTED and BRANCHES compete for counters 0 and 1'
long "two events of counter 0: the conflict" refused L2_READ_MISS,L2_WRITE_HIT \
	'L2_READ_MISS and L2_WRITE_HIT compete for counter 0'
check "a counter that cannot count the event" refused L2_READ_MISS:ctr=1 'it counts on 0'
long "a counter that does not exist" refused INSTRUCTIONS_EXECUTED:ctr=2 \
	'a thread has the counters 0 and 1'
long "inversion without a threshold" refused INSTRUCTIONS_EXECUTED:i 'it needs a threshold'
long "a period of 1" refused INSTRUCTIONS_EXECUTED:period=1 'must be from 2'
long "precise events" refused INSTRUCTIONS_EXECUTED:p 'this processor writes no records'
long "branch records" refused INSTRUCTIONS_EXECUTED:lbr:period=1000 \
	'the processor records no branches'
long "address ranges" refused INSTRUCTIONS_EXECUTED:iar=0x2000-0x203F \
	'neither addresses nor opcodes'

# bad_option VARIABLE=VALUE WHY: make run is refused. bad_value ARGUMENT WHY: the image refuses it.
bad_option() {
	short RUN=session "$1"
	ended 2 && says "$2"
}
bad_value() {
	measure "$work/short.c" "$1"
	ended 1 && says "$2"
}
check "another target's suite" bad_value suite=nehalem 'suite=nehalem: the value is to be'
check "no threads" bad_value threads=0 'threads=0: the value is to be'
check "a privilege level other than 0 and 3" bad_option LEVEL=2 'level=2: the value is to be'
long "an unknown delivery" bad_value pmi=post 'pmi=post: the value is to be'
check "two packages" bad_option SOCKETS=2 '^palmon: SOCKETS=2: the machine of knc has 1 package$'
check "another target's way to start" bad_option BOOT=prom 'BOOT=prom, but by: img pvh'
done_checking
