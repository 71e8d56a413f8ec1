#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Knights Corner image's session: four threads of one core, each with its own counters. The
# workload of the default session runs on one thread, because four take much longer; only EXTRA=1
# runs it on all four.
. tests/tap.sh
. tests/boot/shares.sh
use_target knc img
. tests/boot/workload.sh
event=INSTRUCTIONS_EXECUTED clock=CPU_CLK_UNHALTED core_threads=4 need_samples=

one_thread() {
	boot run=session threads=1
	cp "$work/out" "$work/first-one"
	ended 0 && says '^INSTRUCTIONS_EXECUTED:u: .*: exactly its count$' &&
		says '^ *[0-9.]+% +[0-9,]+  sha256_block '
}
TIMEOUT=300
check "the session on one thread ends with success" one_thread
default_session() {
	boot run=session
	cp "$work/out" "$work/first"
	ended 0 && says '^counts of the workload, on 4 threads at once:$' &&
		[ "$(grep -c '^INSTRUCTIONS_EXECUTED:u, thread [0-3]: .*exactly its count$' \
		"$work/out")" -eq 4 ] &&
		says '^INSTRUCTIONS_EXECUTED:u:t of thread 0: .*: exactly$' &&
		says '^ *[0-9.]+% +[0-9,]+  sha256_block '
}
long "the session on four threads ends with success" default_session

adds_up() {
	for thread in 0 1 2 3; do
		line=$(sed -n "s/^INSTRUCTIONS_EXECUTED:u, thread $thread: \(.*\) = \([0-9,]*\): .*/\1 \2/p" \
			"$work/first")
		set -- $(echo "$line" | tr -d ,)
		echo "$@"	# SAMPLES samples x PERIOD + REST TOTAL
		[ $# -eq 7 ] && [ $(($1 * $4 + $6)) -eq "$7" ] && [ "$6" -lt "$4" ] || return 1
	done
}
long "each thread's samples and remainder add up to its count" adds_up
nothing_odd() {
	[ "$(grep -c 'spurious 0, .*throttled 0, samples dropped 0, register faults 0$' \
		"$work/first")" -eq 4 ]
}
long "nothing spurious, throttled, dropped or faulting" nothing_odd

# 22,000 samples, and 1,100.
profiles() {
	cp "$work/first-one" "$work/out"
	shares "$work/rarely"
	boot run=session threads=1 events=$event:u:period=5000
	ended 0 && says 'samples dropped 0,' &&
		says '^hottest functions, by 22,[0-9]{3} samples of ' &&
		shares "$work/often" && alike 1 "$work/often" "$work/rarely"
}
long "all functions have the same share at period 5,000 and at 100,000" profiles

# 2,200,000 instructions on each thread: 4,400 samples, more than the 4,096 that fit in its ring.
printf '%s\n' '#include "stimulus.h"' 'int workload(void)' '{ hal_execute(2200000); return 0; }' \
	>"$work/often.c"
often() {
	measure "$work/often.c" events=$event:u:period=500 && ended 0 || return
	[ "$(grep -c 'exactly its count$' "$work/out")" -eq 4 ] &&
		[ "$(grep -c 'throttled 0, samples dropped 0, ' "$work/out")" -eq 4 ] &&
		says "^hottest functions, by 17,6[0-9]{2} samples of $event:u, one in 500, and by those of each thread:"
}
check "each thread's ring is drained while it runs: no sample of 17,600 is lost" often

# The four threads' counters count the same 8,800,000 instructions. Each thread must take the
# same number of samples as the others, except for differences at start and end and for instructions
# that others execute while its handler runs. No interrupt may be served late: the skid must be
# below a thousand.
fairly() {
	apart=$((8800000 / $1 / 40 + 3 * 20000 / $1 + 5))
	measure "$work/often.c" events=$event:u:t:period=$1 && ended 0 || return
	[ "$(grep -c 'exactly its count$' "$work/out")" -eq 4 ] || return
	sed -n "s/^$event:u:t, thread [0-3]: \([0-9,]*\) samples x .*/\1/p" "$work/out" | tr -d , |
		sort -n >"$work/samples"
	cat "$work/samples"
	least=$(head -n 1 "$work/samples") most=$(tail -n 1 "$work/samples")
	[ "$(wc -l <"$work/samples")" -eq 4 ] && [ "$least" -ge $((8800000 / $1 - apart)) ] &&
		[ $((most - least)) -le "$apart" ] || return
	sed -n 's/^  skid, events counted between overflow and freeze: [0-9,]* to //p' "$work/out" |
		tr -d , >"$work/lag"
	cat "$work/lag"
	[ "$(wc -l <"$work/lag")" -eq 4 ] && ! grep -vE '^[0-9]{1,3}$' "$work/lag"
}
check "samples of any thread's events: each thread takes its own, without delay" fairly 5003

# One thread counts for all threads of its core: two events per run.
profile() {
	measure tests/boot/workloads/known.c threads=2 metrics=CPI,CPI_core,Microcode \
		profile=GENERAL_EXPLORATION events=$event:u:period=1000 && ended 0 || return
	says '^counts of the workload, on 2 threads at once:$' &&
		says '^ +1 +1  CPI  # cycles/instruction, always 1 here:' &&
		says '^ +1 +1  CPI_core  # cycles/instruction, always 1 here:' &&
		says '^ <not counted> <not counted>  Microcode  # .*, MICROCODE_CYCLES does not happen' &&
		says "^ +[0-9,]+ +[0-9,]+ +[0-9,]+  $event:u # run 1\$" &&
		says ' INSTRUCTIONS_EXECUTED # run [2-6]$' &&
		says ' FE_STALLED # run [2-6], does not happen under QEMU' &&
		[ "$(grep -c "^$event:u, thread [01]: .*exactly its count\$" "$work/out")" -eq 2 ]
}
long "metrics and a profile on two threads, in as many runs as needed" profile

# The unit clock gives each instruction a cycle of its own, so no cycle retires two (Table 1-5, CMASK).
two_in_a_cycle() {
	measure "$work/often.c" threads=1 events=$event:u:c=2,$event:u:c=1
	ended 0 && says "^ +<not counted>  $event:u:c=2 .* # does not happen under QEMU plugin, unit clock$" &&
		says "^ +2,2[0-9,]+  $event:u:c=1 +1 "
}
check "cycles with two instructions are not counted where the clock allows one" two_in_a_cycle

# A program at level 3 that enables and disables counting with SPFLT and reads its counters itself.
filters() {
	measure tests/boot/workloads/knc-spflt.c threads=1 events=$event:u:spflt,$event:u
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
	FAULT=$1 filters
	[ "$status" -ne 0 ] && says "^WRONG: $2"
}
long "found: SPFLT that does nothing" does_not spflt-lost 'known code: 0, not 200003$'
long "found: a user filter that counters ignore" does_not \
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
long "$event:u:spflt of any thread is no sum, so the session compares nothing" \
	not_a_sum $event:u:spflt "$work/filters.c"
done_checking
