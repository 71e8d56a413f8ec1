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

. tests/boot/threads.sh
done_checking
