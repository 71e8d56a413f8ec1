#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Knights Corner image's session: four threads of one core, each with counters of its own.
. tests/tap.sh
use_target knc svm multiboot
event=INSTRUCTIONS_EXECUTED core_threads=4

default_session() {
	boot run=session
	cp "$work/out" "$work/first"
	ended 0 && says '^counts of the workload, on 4 threads at once:$' &&
		[ "$(grep -c '^INSTRUCTIONS_EXECUTED, thread [0-3]: .*exactly its count$' "$work/out")" -eq 4 ] &&
		says '^INSTRUCTIONS_EXECUTED:u:t of thread 0: .*: exactly$' &&
		says '^ *[0-9.]+% +[0-9,]+  sha256_block '
}
TIMEOUT=300
check "the session on four threads ends with success" default_session

adds_up() {
	for thread in 0 1 2 3; do
		line=$(sed -n "s/^INSTRUCTIONS_EXECUTED, thread $thread: \(.*\) = \([0-9,]*\): .*/\1 \2/p" \
			"$work/first")
		set -- $(echo "$line" | tr -d ,)
		echo "$@"	# SAMPLES samples x PERIOD + REST TOTAL
		[ $# -eq 7 ] && [ $(($1 * $4 + $6)) -eq "$7" ] && [ "$6" -lt "$4" ] || return 1
	done
}
check "each thread's samples and rest are its count" adds_up
check "nothing spurious, throttled, dropped or faulting" \
	[ "$(grep -c 'spurious 0, .*throttled 0, samples dropped 0, register faults 0$' "$work/first")" -eq 4 ]

# A program at level 3 that SPFLT lets count and not, and that reads its counters itself.
prefers() {
	make_run RUN=session THREADS=1 WORKLOAD=tests/boot/workloads/knc-prefer.c \
		EVENTS=$event:u:spflt,$event:u TIMEOUT=60 "$@"
}
program_prefers() {
	prefers
	ended 0 || return
	read_itself=$(sed -n 's/^knc-prefer: 0 wrong, \([0-9]*\) instructions preferred$/\1/p' "$work/out")
	[ -n "$read_itself" ] && tr -d , <"$work/out" | grep -qE "^ +$read_itself  $event +0 "
}
check "a program at level 3 says when to count, and reads what the session counts" program_prefers
does_not() {
	prefers FAULT="$1"
	[ "$status" -ne 0 ] && says "^WRONG: $2"
}
check "found: SPFLT that does nothing" does_not spflt-lost 'known code: 0, not 200003$'
check "found: a preference that counters do not look at" does_not spflt-ignored 'before it is preferred: '
check "found: RDPMC of a counter that there is not" \
	does_not rdpmc-unchecked 'RDPMC of a counter that there is not: 1, not 0$'

. tests/boot/threads.sh
done_checking
