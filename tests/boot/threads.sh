# SPDX-License-Identifier: BSD-2-Clause
# Sessions on several threads of one target's image. The script that sources this file sets $event,
# which counts retired instructions one by one; $clock, which counts cycles; $core_threads, the
# number of the threads 0 to 3 on thread 0's core; and $need_samples, events that cannot be counted
# without samples. Source after use_target.
. tests/boot/workload.sh
known=tests/boot/workloads/known.c

# length_of THREAD: the number of instructions that the thread executes at level 3 in known.c.
length_of() {
	echo $((2 * (100000 + 12345 * $1) + 9))
}

# sum_of THREAD [MODIFIERS]: the thread's line in the last run after the event's name, without
# commas.
sum_of() {
	sed -n "s/^$event:u$2, thread $1: //p" "$work/out" | tr -d ,
}

# The counts in the row of an event, without commas.
row_of() {
	sed -n "s/^\([ 0-9,]*\)  $1\$/\1/p" "$work/out" | tr -d ,
}

known_threads() {
	measure $known threads="$1" events="$event:u:period=10000,$event:u:t" && ended 0 || return
	total=0 of_core=0 row=
	for thread in $(seq 0 $(($1 - 1))); do
		length=$(length_of "$thread") samples=$((length / 10000)) rest=$((length % 10000))
		total=$((total + length)) row="$row $length"
		[ "$thread" -ge "$core_threads" ] || of_core=$((of_core + length))
		[ "$1" -eq 1 ] || [ "$(sum_of "$thread")" = \
			"$samples samples x 10000 + $rest = $length: exactly its count" ] ||
			{ sum_of "$thread"; return 1; }
	done
	if [ "$1" -eq 1 ]; then
		[ "$(sed -n "s/^ *\([0-9,]*\)  $event:u  *0 .*/\1/p" "$work/out" | tr -d ,)" \
			= "$total" ]
		return
	fi
	echo "expected:$row, $total; any thread: $of_core"
	[ "$(echo $(row_of "$event:u"))" = "$(echo $row $total)" ] &&
		! grep -E 'NOT (ITS|THE)' "$work/out" &&
		[ "$(grep -c 'spurious 0, .*throttled 0, samples dropped 0, register faults 0$' \
		"$work/out")" -eq "$1" ] &&
		tr -d , <"$work/out" | grep -qx \
			"$event:u:t of thread 0: $of_core; sum of the core's threads: $of_core: exactly"
}
name="each thread's counts and samples, and one thread's count of all"
for threads in 1 2 3; do
	long "known code on $threads threads: $name" known_threads $threads
done
check "known code on 4 threads: $name" known_threads 4

# Counts and samples must repeat; the time that a thread waits for another may differ on a loaded
# host.
printed() {
	grep -A1000 '^palmon:' "$work/out" | grep -v -e ' clocks$'
}
printed >"$work/first-known"
known_again() {
	known_threads 4
	printed | diff "$work/first-known" -
}
long "a second run counts and samples the same" known_again

# Counts of any thread that are by definition not the sum of the threads' own counts: edges, cycles
# without an event and thresholds are conditions of the core's cycle. Such a session is correct, and
# compares nothing.
not_a_sum() {
	measure "${2:-$known}" threads=2 events="$1:t,$1" && ended 0 || return
	says "  $1:t( #.*)?\$" && says "  $1( #.*)?\$" &&
		! grep 'sum of the core' "$work/out"
}
no_sum="of any thread is no sum, so the session compares nothing"
check "$event:u:c=1:e $no_sum" not_a_sum $event:u:c=1:e
for event_of_cycle in $event:u:c=1:i $event:u:c=1 $clock:u; do
	long "$event_of_cycle $no_sum" not_a_sum $event_of_cycle
done

# An event that needs its samples has no count in the run without samples.
beside() {
	measure $known threads=2 events="$event:u:t,$event:u,$1" && ended 0 || return
	says '^once more, without samples:$' && tr -d , <"$work/out" | grep -qx \
		"$event:u:t of thread 0: $(($(length_of 0) + $(length_of 1))); sum of the core's threads: .*: exactly"
}
first=check
for sampled in $need_samples; do
	$first "a sum together with $sampled, which needs its samples" beside $sampled
	first=long
done

by_nmi() {
	measure $known threads=4 pmi=nmi events="$event:u:period=1000" && ended 0 || return
	[ "$(grep -c 'exactly its count$' "$work/out")" -eq 4 ] &&
		[ "$(echo $(row_of "$event:u"))" \
		= "$(length_of 0) $(length_of 1) $(length_of 2) $(length_of 3) $(
			echo $(($(length_of 0) + $(length_of 1) + $(length_of 2) + $(length_of 3))))" ]
}
long "also by NMI" by_nmi

# Four threads that execute the same length, each counting and sampling all instructions of its
# core. A thread misses the others' instructions before it starts, after it ends, and while its
# handler freezes its counters. Time slices are short, so it counts at least 95 % of them. No sample
# is missing.
LENGTH=2000005 LAG=1000
any_thread() {
	measure tests/boot/workloads/equal.c threads=4 events="$event:u:t:period=$1" pmi="$2" &&
		ended 0 || return
	for thread in 0 1 2 3; do
		set -- "$1" $(sum_of $thread :t)	# SAMPLES samples x PERIOD + REST = COUNT: exactly its count
		echo "$@"
		[ "${12}" = count ] && [ "$7" -lt "$1" ] &&
			[ "${9%:}" -ge $((core_threads * LENGTH * 95 / 100)) ] &&
			[ "${9%:}" -le $((core_threads * LENGTH)) ] || return 1
	done
	tr -d , <"$work/out" | sed -n 's/^  skid events .* to //p' >"$work/skid"
	cat "$work/skid"
	[ "$(grep -c . "$work/skid")" -eq 4 ] && [ "$(sort -n "$work/skid" | tail -n 1)" -le $LAG ]
}
name="each thread samples all of its core's, all progress alike, one in"
check "$name 5003" any_thread 5003 vector
for period in 20000 21001 30011; do
	long "$name $period" any_thread $period vector
done
long "also by NMI, one in 5003" any_thread 5003 nmi

library() {
	measure tests/boot/workloads/threads.c threads=4 events="$event:u:period=10000,$event" &&
		ended 0 || return
	[ "$(grep -cE '^thread [0-3] says line [0-9]+: 0 wrong, and that is all$' "$work/out")" -eq 80 ] &&
		[ "$(grep -c 'exactly its count$' "$work/out")" -eq 4 ]
}
check "the C library on four threads" library

# body NAME CODE ARGUMENTS: measures a workload with this function body.
body() {
	printf '#include <stdio.h>\n#include <stdlib.h>\n#include "hal.h"\nint workload(void)\n{\n%s\n}\n' "$2" >"$work/$1.c"
	name=$1
	shift 2
	measure "$work/$name.c" threads=4 events="$event" "$@"
}

# Fails at level 3, and prints at level 0.
by_level='unsigned cs;
	__asm__("mov %%cs, %0" : "=r"(cs));
	if (cs & 3)
		return hal_cpu_user() == 2 ? 9 : 0;
	printf("CPU %u at level 0\n", hal_cpu());
	return 0;'
fails() {
	body fails "$by_level"
	ended 1 && says '^palmon: on thread 2 the workload returned 9$' &&
		says 'status 1 \(session failed: on thread 2 the workload returned 9\)'
}
check "a workload that fails on one thread" fails

level_0() {
	body fails "$by_level" level=0
	ended 0 && [ "$(grep -c '^CPU [0-3] at level 0$' "$work/out")" -eq 4 ]
}
check "level 0 on four threads" level_0

faults() {
	body faults 'if (hal_cpu_user() == 3) __asm__ volatile("ud2"); for (;;) hal_relax();'
	ended 1 && says 'in workload: #UD invalid opcode' && says '^cpu    0{15}3$' &&
		says '^palmon: status 1 \(fault\)'
}
check "a fault on one thread ends the run" faults

exits() {
	body exits 'if (hal_cpu_user() == 1) exit(5); for (;;) hal_relax();'
	ended 1 && says '^palmon: the workload ended the run with exit status 5$'
}
long "so does an exit" exits

too_many() {
	measure $known threads=5
	ended 1 && says '^palmon: threads=5: the value is to be: ' && says '^palmon: status 1 '
}
check "five threads are refused" too_many
