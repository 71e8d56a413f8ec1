#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A session's remarks on numbers that its setup alone determines: cycles that equal instructions,
# events that do not count at the workload's level.
. tests/tap.sh

printf 'int workload(void);\nint workload(void)\n{\n\treturn 0;\n}\n' >"$work/short.c"
# says_of LINE...: the last run has these lines; numbers of counters and blanks may differ.
says_of() {
	ended 0 || return
	for line; do
		sed 's/^ *//; s/ *$//; s/  */ /g' "$work/out" | grep -qE -- "^$line\$" ||
			{ echo "no line: $line"; cat "$work/out"; return 1; }
	done
}
short() {
	make_run RUN=session WORKLOAD="$work/short.c" "$@"
}

# hal/emu/README.md, "Clocks": with the unit clock an instruction takes one cycle. The ratio of the
# two is 1, and a metric per cycle is a metric per instruction.
CYCLES='cycles are instructions \(unit clock\)'
ratios() {
	short METRICS=CPI,IPC
	says_of "1 CPI # cycles/instruction, always 1 here: $CYCLES" \
		"1 IPC # instructions/cycle, always 1 here: $CYCLES" \
		"[0-9,]+ CPU_CLK_UNHALTED.THREAD fixed 1 # $CYCLES"
}
check "nehalem: cycles, CPI and IPC" ratios
others() {
	short METRICS=STORE_DTLB_MISSES
	says_of '[0-9,]+ STORE_DTLB_MISSES # count'
}
long "a metric without cycles has no remark" others
timed() {
	short METRICS=CPI CLOCK=timed
	ended 0 && says ' CPI  # cycles/instruction$' && ! grep 'unit clock' "$work/out"
}
check "with the timed clock cycles are time" timed

# Knights Corner's threads: a cycle belongs to the thread that executes (hal/emu/qemu/DECISIONS.md).
use_target knc img
long "knc, one thread" eval 'short THREADS=1 METRICS=CPI EVENTS=CPU_CLK_UNHALTED:u &&
	says_of "[0-9.]+ CPI # cycles/instruction, always 1 here: $CYCLES"'
several() {
	short THREADS=2 METRICS=CPI EVENTS=CPU_CLK_UNHALTED:u
	says_of "1 1 CPI # cycles/instruction, always 1 here: $CYCLES"
}
check "knc, two threads" several
divided() {
	short THREADS=1 METRICS=Memory_read_demand EVENTS=INSTRUCTIONS_EXECUTED:u
	says_of "[0-9.]+ Memory_read_demand # bytes/cycle, $CYCLES"
}
long "a metric per cycle" divided

use_target itanium elf
check "itanium: the register stack engine has cycles, too" eval 'short METRICS=IPC &&
	says_of "[0-9.]+ IPC # instructions/cycle, cycles are mostly instructions \(unit clock\)" &&
	says "PMU: ia64-machine, unit clock$"'
long "the timed clock is named" eval 'short METRICS=IPC CLOCK=timed && ended 0 &&
	says " IPC  # instructions/cycle$" && says "PMU: ia64-machine, timed clock$"'

# The T4's events count in privileged and user mode unless the event names levels (Table 10-1:
# PCR.ut, st and ht); LEVEL=0 is hyperprivileged mode.
use_target sparct4 prom
LEVEL_0='not counted at level 0, where the workload ran'
hyperprivileged() {
	short LEVEL=0
	says_of "0 Instr_all 0 # $LEVEL_0" "0 Cycles 1 # $LEVEL_0, $CYCLES" \
		"0 Instr_all 2 # 0 samples, one in 100,000, $LEVEL_0" \
		'The workload ran at level 0\. EVENT:k counts there\.'
}
check "sparct4, LEVEL=0: three zeros, with the reason" hyperprivileged
counted_there() {
	short LEVEL=0 EVENTS=Instr_all:k,Instr_all:plm=11,Cycles:k
	says_of '[1-9][0-9,]* Instr_all:k 0' '[1-9][0-9,]* Instr_all:plm=11 1' &&
		! grep -e "$LEVEL_0" -e 'EVENT:k' "$work/out"
}
long "events of level 0 have no such remark" counted_there
long "a ratio of levels is not constant" eval 'short METRICS=User_cycles &&
	says_of "[01][0-9.]* User_cycles # ratio, $CYCLES"'

use_target nehalem img
long "nehalem, LEVEL=0: events of level 3" eval 'short LEVEL=0 \
		EVENTS=INST_RETIRED.ANY:u,INST_RETIRED.ANY_P,UNC_CLK_UNHALTED &&
	says_of "0 INST_RETIRED.ANY:u fixed 0 # $LEVEL_0" "[0-9,]+ INST_RETIRED.ANY_P 0" \
		"[0-9,]+ UNC_CLK_UNHALTED fixed 0 # nehalem-uncore, $CYCLES"'
check "at level 3: events of level 0" eval 'short EVENTS=INST_RETIRED.ANY:k &&
	says_of "[0-9,]+ INST_RETIRED.ANY:k fixed 0 # not counted at level 3, where the workload ran" \
		"The workload ran at level 3\. EVENT:u counts there\."'
done_checking
