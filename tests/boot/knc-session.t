#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Knights Corner image's session: four threads of one core, each with its own counters.
. tests/tap.sh
. tests/boot/shares.sh
use_target knc img
event=INSTRUCTIONS_EXECUTED clock=CPU_CLK_UNHALTED core_threads=4 need_samples=

default_session() {
	boot run=session
	cp "$work/out" "$work/first"
	ended 0 && says '^counts of the workload, on 4 threads at once:$' &&
		[ "$(grep -c '^INSTRUCTIONS_EXECUTED:u, thread [0-3]: .*exactly its count$' \
		"$work/out")" -eq 4 ] &&
		says '^INSTRUCTIONS_EXECUTED:u:t of thread 0: .*: exactly$' &&
		says '^ *[0-9.]+% +[0-9,]+  sha256_block '
}
TIMEOUT=300
check "the session on four threads ends with success" default_session

adds_up() {
	for thread in 0 1 2 3; do
		line=$(sed -n "s/^INSTRUCTIONS_EXECUTED:u, thread $thread: \(.*\) = \([0-9,]*\): .*/\1 \2/p" \
			"$work/first")
		set -- $(echo "$line" | tr -d ,)
		echo "$@"	# SAMPLES samples x PERIOD + REST TOTAL
		[ $# -eq 7 ] && [ $(($1 * $4 + $6)) -eq "$7" ] && [ "$6" -lt "$4" ] || return 1
	done
}
check "each thread's samples and remainder add up to its count" adds_up
check "nothing spurious, throttled, dropped or faulting" \
	[ "$(grep -c 'spurious 0, .*throttled 0, samples dropped 0, register faults 0$' \
	"$work/first")" -eq 4 ]

# One thread's 22,000 samples, and 1,100 samples of each of four threads.
profiles() {
	cp "$work/first" "$work/out"
	shares "$work/rarely"
	boot run=session threads=1 events=$event:u:period=5000
	ended 0 && says 'samples dropped 0,' &&
		says '^hottest functions, by 22,[0-9]{3} samples of ' &&
		shares "$work/often" && alike 1 "$work/often" "$work/rarely"
}
check "all functions have the same share at period 5,000 and at 100,000" profiles

# The workload writes 1,024 lines of a ring of pointers and reads them in 100 turns. The call of the
# workload adds a CALL, which writes, and a RET, which reads.
chase() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/chase.c EVENTS=DATA_READ:u,DATA_WRITE:u \
		THREADS=1
	ended 0 && says '^ *102,401  DATA_READ:u ' && says '^ *1,025  DATA_WRITE:u '
}
check "reads and writes are counted, to the last one" chase

# A million instructions on each thread: more samples than fit in a ring.
printf '%s\n' '#include "stimulus.h"' 'int workload(void)' '{ hal_execute(1000000); return 0; }' \
	>"$work/often.c"
often() {
	make_run RUN=session WORKLOAD="$work/often.c" EVENTS=$event:u:period=500
	ended 0 && [ "$(grep -c 'exactly its count$' "$work/out")" -eq 4 ] &&
		[ "$(grep -c 'throttled 0, samples dropped 0, ' "$work/out")" -eq 4 ] &&
		says "^hottest functions, by 8,0[0-9]{2} samples of $event:u, one in 500, and by those of each thread:"
}
check "each thread's ring is drained while it runs: no sample of 8,000 is lost" often

# The four threads' counters count the same four million instructions. Each thread must take the
# same number of samples as the others, except for differences at start and end and for instructions
# that others execute while its handler runs. No interrupt may be served late: the skid must be
# below a thousand.
fairly() {
	apart=$((4000000 / $1 / 40 + 3 * 20000 / $1 + 5))
	make_run RUN=session WORKLOAD="$work/often.c" EVENTS=$event:u:t:period=$1
	ended 0 && [ "$(grep -c 'exactly its count$' "$work/out")" -eq 4 ] || return
	sed -n "s/^$event:u:t, thread [0-3]: \([0-9,]*\) samples x .*/\1/p" "$work/out" | tr -d , |
		sort -n >"$work/samples"
	cat "$work/samples"
	least=$(head -n 1 "$work/samples") most=$(tail -n 1 "$work/samples")
	[ "$(wc -l <"$work/samples")" -eq 4 ] && [ "$least" -ge $((4000000 / $1 - apart)) ] &&
		[ $((most - least)) -le "$apart" ] || return
	sed -n 's/^  skid, events counted between overflow and freeze: [0-9,]* to //p' "$work/out" |
		tr -d , >"$work/lag"
	cat "$work/lag"
	[ "$(wc -l <"$work/lag")" -eq 4 ] && ! grep -vE '^[0-9]{1,3}$' "$work/lag"
}
check "samples of any thread's events: each thread takes its own, without delay" fairly 5003

# One thread counts for all threads of its core: two events per run.
profile() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/known.c THREADS=2 \
		METRICS=CPI,CPI_core,Microcode \
		PROFILE=GENERAL_EXPLORATION EVENTS=$event:u:period=1000
	ended 0 && says '^counts of the workload, on 2 threads at once:$' &&
		says '^ +1 +1  CPI  # cycles/instruction, always 1 here:' &&
		says '^ +1 +1  CPI_core  # cycles/instruction, always 1 here:' &&
		says '^ <not counted> <not counted>  Microcode  # .*, MICROCODE_CYCLES does not happen' &&
		says "^ +[0-9,]+ +[0-9,]+ +[0-9,]+  $event:u # run 1\$" &&
		says ' INSTRUCTIONS_EXECUTED # run [2-6]$' &&
		says ' FE_STALLED # run [2-6], does not happen under QEMU' &&
		[ "$(grep -c "^$event:u, thread [01]: .*exactly its count\$" "$work/out")" -eq 2 ]
}
check "metrics and a profile on two threads, in as many runs as needed" profile

# A program at level 3 that enables and disables counting with SPFLT and reads its counters itself.
filters() {
	make_run RUN=session THREADS=1 WORKLOAD=tests/boot/workloads/knc-spflt.c \
		EVENTS=$event:u:spflt,$event:u "$@"
}
program_filters() {
	filters
	ended 0 || return
	read_itself=$(sed -n 's/^knc-spflt: 0 wrong, \([0-9]*\) instructions with the filter on$/\1/p' "$work/out")
	[ -n "$read_itself" ] && tr -d , <"$work/out" |
		grep -qE "^ +$read_itself  $event:u:spflt +0 "
}
check "a program at level 3 enables counting, and reads the session's counts" program_filters
does_not() {
	filters FAULT="$1"
	[ "$status" -ne 0 ] && says "^WRONG: $2"
}
check "found: SPFLT that does nothing" does_not spflt-lost 'known code: 0, not 200003$'
check "found: a user filter that counters ignore" does_not \
	spflt-ignored 'while the user filter is off: '
check "found: RDPMC of a nonexistent counter" \
	does_not rdpmc-unchecked 'RDPMC of a counter that there is not: 1, not 0$'

. tests/boot/threads.sh

# A counter of any thread counts while its own thread's user filter is on; each thread's own counter
# counts while that thread's filter is on (the guide, 1.4.2). The first thread's filter is on for a
# quarter of the time.
cat >"$work/filters.c" <<'END'
#include "hal.h"
#include "stimulus.h"
int workload(void)
{
	hal_spflt(true);
	hal_execute(hal_cpu_user() ? 400000 : 100000);
	hal_spflt(false);
	hal_execute(300000);
	return 0;
}
END
check "$event:u:spflt of any thread is no sum, so the session compares nothing" \
	not_a_sum $event:u:spflt "$work/filters.c"
done_checking
