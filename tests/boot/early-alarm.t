#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The plugin ends quanta by an early alarm, for which QEMU takes orders at a socket. Without one only the monitor's own
# alarms end them: each sample is the same then, and there are far more exits.
. tests/tap.sh

# A program that branches, loads, calls through pointers, and returns.
cat >"$work/program.c" <<'END'
int workload(void);
static volatile unsigned numbers[64];
static unsigned odd(unsigned n)
{
	return numbers[n % 64] & 1 ? numbers[n / 2 % 64] + n : n / 3;
}
static unsigned even(unsigned n)
{
	numbers[n % 64] += n;
	return n % 7 ? numbers[(n + 1) % 64] : 5;
}
static unsigned (*volatile const functions[2])(unsigned) = {even, odd};
int workload(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 30000; i++)
		sum += functions[(i ^ i >> 3) & 1](i);
	return sum == 1;
}
END
EVENTS=BR_INST_RETIRED.ALL_BRANCHES:period=1000,MEM_INST_RETIRED.LOADS:period=1700
EVENTS=$EVENTS,MISPREDICTED_BRANCH_RETIRED:lbr:period=600,INST_RETIRED.ANY_P:period=5000

# A run with the machine's own command line, and one without the socket. What is printed, but for exits; those.
make_run RUN=session WORKLOAD="$work/program.c" EVENTS=$EVENTS OUT=
image=$BUILD/nehalem/workloads/program-$(echo "$work/program.c" | cksum | cut -d" " -f1).img
run() {
	. pmu/nehalem/machine
	. hal/emu/svm/machine
	[ "$1" = with ] || command=${command%%"$orders"*}${command#*"$orders"}
	capture timeout 300 $command -kernel "$image" -append "run=session events=$EVENTS"
	sed -n 's/.*monitor since boot: \([0-9,]*\) exits.*/\1/p' "$work/out" | tr -d , >"$work/exits.$1"
	grep -v 'monitor since boot' "$work/out" >"$work/$1"
	ended 33 && says 'MISPREDICTED_BRANCH_RETIRED.* samples, one in 600'
}
check "a session with the early alarm" run with
check "a session without QEMU's socket" run without
check "counts, samples and branch records are the same" cmp "$work/with" "$work/without"
fewer() {
	echo "$(cat "$work/exits.with") exits, without $(cat "$work/exits.without")"
	[ $((2 * $(cat "$work/exits.with"))) -lt "$(cat "$work/exits.without")" ]
}
check "with the early alarm there are less than half the exits" fewer
done_checking
