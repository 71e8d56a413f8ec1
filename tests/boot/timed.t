#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CLOCK=timed: cycles by the latencies of hal/emu/model/nehalem.machine: 4, 10, 40 and 160 cycles of the L1, L2 and L3
# caches and memory, by its 10 fill buffers, and four instructions a cycle. Without prefetchers. What instructions count
# stays the same.
. tests/tap.sh
. tests/boot/grows.sh
. tests/boot/guests.sh

grep -v '^prefetcher' hal/emu/model/nehalem.machine >"$work/plain.machine"
export MACHINE="$work/plain.machine" CLOCK=timed
C=CPU_CLK_UNHALTED.THREAD I=INST_RETIRED.ANY

# Each load waits for the one before: steps x latency. Of 256, 2,048, 8,192 and 262,144 lines a turn (caches.t says
# where they are). The 16 MB take a few of the runtime's lines from the core, which come from memory again.
chase() {
	kilobytes=$1 turns=$2
	shift 2
	grows "$turns" chase KILOBYTES="$kilobytes" -- "$@"
}
check "a chase in the L1 data cache takes 4 cycles a step" chase 16 100 $C=102400 $I=76800
check "in the L2 cache 10" chase 128 50 $C=1024000 $I=307200
check "in the L3 cache 40" chase 512 20 $C=6553600 $I=491520
check "in memory 160" chase 16384 1 $C=41943040+800
check "a step's three instructions are in one of its 40 cycles" chase 512 20 INST_RETIRED.ANY_P:c=1:i=6389760 \
	INST_RETIRED.ANY_P=491520 INST_RETIRED.TOTAL_CYCLES=6553600

# Loads that do not wait for each other: ten at once, so that each takes a tenth of the latency, but no less than its
# four instructions do, of which two additions wait for those before. A turn begins with four instructions, in a cycle.
pass() {
	kilobytes=$1 turns=$2
	shift 2
	grows "$turns" strides KILOBYTES="$kilobytes" -- "$@"
}
check "passes over 16 KB: a cycle for each of four instructions" pass 16 100 $C=25700 $I=102800
check "over 128 KB: a cycle, a tenth of the L2 cache's latency" pass 128 50 $C=102450
check "over 512 KB: 4 cycles, a tenth of the L3 cache's" pass 512 20 $C=655360
check "over 16 MB: 16 cycles, a tenth of memory's" pass 16384 1 $C=4194304+800

# The time-stamp counter stays that of the instruction clock, and so do reference cycles, which are its own.
check "reference cycles are the time-stamp counter's" chase 512 20 CPU_CLK_UNHALTED.REF=491520 $C=6553600

# The default workload.
OF_INSTRUCTIONS=INST_RETIRED.ANY:u,BR_INST_RETIRED.ALL_BRANCHES:u,MEM_INST_RETIRED.LOADS:u,MEM_INST_RETIRED.STORES:u
counted() {
	make_run RUN=session EVENTS="$1" CLOCK="$2"
	ended 0 && sed -n 's/^ *\([0-9,]*\)  \([A-Z_]*\.[A-Z_]*:u\) .*/\2 \1/p' "$work/out" >"$work/$2"
}
same() {
	counted $OF_INSTRUCTIONS unit && counted $OF_INSTRUCTIONS timed || return
	cat "$work/unit"
	[ "$(wc -l <"$work/unit")" = 4 ] && diff "$work/unit" "$work/timed"
}
check "instructions, branches, loads, stores are those of the unit clock" same
sampled() {
	make_run RUN=session EVENTS=$C:period=100000
	ended 0 && says "^$C: [1-9][0-9]* samples x 100,000 .*: exactly its count\$" &&
		says 'throttled 0, samples dropped 0'
}
check "cycles are sampled, and counted exactly" sampled
said() {
	says 'PMU: QEMU, SVM monitor, timed clock$' &&
		make_run RUN=session CLOCK= WORKLOAD=tests/boot/workloads/chase.c &&
		says 'PMU: QEMU, SVM monitor, unit clock$'
}
check "the report says which clock it was" said
checked() {
	make_run RUN=selftest
	ended 0
}
check "the self test passes" checked

# The guest's PMU has the clock, too: its check that an instruction is a cycle finds that.
guests() {
	use_monitor
	build counters && guest counters CLOCK=timed
	says "^palmon: timed clock; the guest's PMU counted" && says '^not ok [0-9]* - .*cycles'
}
check "a guest's cycles are timed" guests

# refused WHY VARIABLE=VALUE...
refused() {
	why=$1
	shift
	make_run RUN=session "$@"
	[ "$status" -ne 0 ] && says "$why"
}
check "a clock that there is not" refused '^palmon: CLOCK=fast: unit or timed$' CLOCK=fast
check "also on our own machine" refused '^palmon: CLOCK=fast: unit or timed$' CLOCK=fast TARGET=itanium
check "Knights Corner: its time-stamp counter is its PMU's" \
	refused '^palmon plugin: CLOCK=timed: the time-stamp counter of knc is its PMU' TARGET=knc MACHINE=
check "SPARC T4: no latencies" \
	refused '^palmon plugin: CLOCK=timed: there are no latencies' TARGET=sparct4 MACHINE=
grep -v '^latency	L3	' "$MACHINE" >"$work/unknown.machine"
check "a processor without a latency" \
	refused 'unknown.machine: there is no latency L3$' MACHINE="$work/unknown.machine"
grep -v '^width' "$MACHINE" >"$work/unknown.machine"
check "without a width" refused 'unknown.machine: there is no width ISSUE$' MACHINE="$work/unknown.machine"
done_checking
