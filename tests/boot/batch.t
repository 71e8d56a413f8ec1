#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Thousands of random sessions (guests/sessions.c) have the same counts, overflow interrupts at the
# same instructions, and the same recorded branches, registers and latencies, whether the plugin adds
# instructions up or not (hal/emu/qemu/batch.h). Some sessions use the uncore. With EXTRA=1 ten
# times as many sessions run, and more combinations of kinds and CPUs.
. tests/tap.sh
. tests/boot/guests.sh
build sessions
# sessions NUMBER: prints the number with EXTRA=1, otherwise a tenth of it, at least 10.
sessions() {
	[ -n "${EXTRA:-}" ] && echo "$1" || echo $(($1 < 200 ? 10 : $1 / 10))
}

# alike CPUS SEED SESSIONS [plain] [memory]: runs this number of sessions on each CPU, batched and
# not. On a loaded host two runs of several CPUs differ at times, even if both are batched: then it
# compares again, at most three times in all.
alike() {
	once_alike "$@" || { [ "$1" -gt 1 ] && { once_alike "$@" || once_alike "$@"; }; }
}
once_alike() {
	guest sessions SMP="$1" APPEND="$*" && ended 0 && of_guest >"$work/batched" &&
		[ "$(grep -c '^# CPU' "$work/batched")" -eq $(($3 / 10 + $1 - 1)) ] &&
		guest sessions SMP="$1" APPEND="$*" BATCH=off && ended 0 && of_guest |
		diff "$work/batched" -
}
check "sums only" alike 1 7 "$(sessions 1500)" plain
long "sums only, two CPUs" alike 2 9 400 plain
long "thresholds, edges, references to memory and branch records" alike 1 13 400
long "the same kinds, four CPUs" alike 4 11 "$(sessions 200)"
long "sums of references to memory" alike 1 6 "$(sessions 150)" memory plain
long "sums of references to memory, two CPUs" alike 2 19 50 memory plain
long "references to memory, with thresholds and branch records, three CPUs" alike 3 23 40 memory

export QEMU_ARGS='-smp 4,cores=2,threads=2'
long "two threads on each of two cores" alike 4 29 60
check "references to memory, two threads on each of two cores" alike 4 31 "$(sessions 40)" memory
unset QEMU_ARGS

# With the timed clock, instructions, cycles and what happens in them add up, too (timed.c).
export CLOCK=timed
check "timed clock: sums only" alike 1 7 "$(sessions 400)" plain
check "late events, sums only" alike 1 8 "$(sessions 400)" pipeline plain
check "late events, with thresholds, edges and branch records" alike 1 13 "$(sessions 400)" pipeline
long "late events and references to memory" alike 1 6 "$(sessions 100)" pipeline memory
long "two CPUs" alike 2 9 "$(sessions 200)" pipeline plain
unset CLOCK

# Without QEMU's instruction clock each CPU is a host thread. Sessions then count only their own
# CPU's instructions, which do not depend on the threads' timing.
parallel() {
	guest sessions SMP=4 APPEND="$1" && ended 0 && of_guest >"$work/batched" &&
		guest sessions SMP=4 APPEND="$1" ICOUNT=off && ended 0 && of_guest |
		diff "$work/batched" -
}
check "four CPUs on threads of their own: sums only" parallel "4 17 $(sessions 200) plain own"

# The comparison can fail: other sessions have other checksums.
differ() {
	guest sessions APPEND='1 1 10' && of_guest >"$work/batched" &&
		guest sessions APPEND='1 2 10' BATCH=off &&
		of_guest | diff "$work/batched" - >"$work/differ"
	[ "$(grep -c '^[<>]' "$work/differ")" -eq 2 ]
}
check "other sessions differ" differ
done_checking
