#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CLOCK=timed (timed.sh), and targets without it.
. tests/tap.sh
. tests/boot/grows.sh
. tests/boot/guests.sh
. tests/boot/timed.sh

said() {
	says 'PMU: QEMU plugin, timed clock$' &&
		make_run RUN=session CLOCK= WORKLOAD=tests/boot/workloads/chase.c &&
		says 'PMU: QEMU plugin, unit clock$'
}
check "the report names the clock" said
checked() {
	make_run RUN=selftest
	ended 0
}
check "the self test passes" checked

# The guest's PMU also has the timed clock: its check that an instruction is a cycle fails.
guests() {
	build counters && guest counters CLOCK=timed
	says '^not ok [0-9]* - .*cycles'
}
check "a guest's cycles are timed" guests

queues() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/chase.c EVENTS=$RT CLOCK=
	ended 0 && says "^ *<not counted>  $RT .* does not happen under QEMU plugin, unit clock\$"
}
check "queues are not counted with the unit clock" queues

check "a clock that does not exist" session_refused '^palmon: CLOCK=fast: unit or timed$' CLOCK=fast
check "also on the ia64 machine" session_refused '^palmon: CLOCK=fast: unit or timed$' \
	CLOCK=fast TARGET=itanium
check "Knights Corner: its time-stamp counter is its PMU's" \
	session_refused \
	'palmon: clock=timed: the time-stamp counter of this PMU.s processor is one of its' \
	TARGET=knc MACHINE=
check "SPARC T4: no latencies" \
	session_refused "^palmon: clock=timed: the latencies of this processor are unknown" \
	TARGET=sparct4 MACHINE=
grep -v '^latency	L3	' "$MACHINE" >"$work/unknown.machine"
check "a processor without a latency" \
	session_refused 'unknown.machine: there is no latency L3$' MACHINE="$work/unknown.machine"
grep -v '^queue	GQ_READ' "$MACHINE" >"$work/unknown.machine"
check "without a queue" session_refused 'unknown.machine: there is no queue GQ_READ$' \
	MACHINE="$work/unknown.machine"
grep -v '^width' "$MACHINE" >"$work/unknown.machine"
check "without a width" session_refused 'unknown.machine: there is no width ISSUE$' \
	MACHINE="$work/unknown.machine"
done_checking
