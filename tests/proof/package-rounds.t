#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The PMU that the cores of a package share: Spin finds no failure of its protocol, and a failure
# without each step. The model has the code's steps.
. tests/tap.sh
model=package-rounds events='^ *(CPU|package) [0-9]'
. tests/proof/spin.sh

#
# The model and the code
#

sources="pmu/core/session.c pmu/core/unit.c pmu/core/overflow.c pmu/include/overflow.h pmu/include/path.h"
# same_steps FILE: compares the model's steps with this version of pmu/core/package.c.
same_steps() {
	tests/proof/steps tests/proof/package-rounds.pml 'pmu_shared()->' locked,cpus,inside,round \
		"$1" $sources
}
check "the model's steps are those of the code" same_steps pmu/core/package.c

# drift CHANGE FUNCTION: after this change of package.c, the comparison names the function.
drift() {
	sed "$1" pmu/core/package.c >"$work/package.c"
	! cmp -s pmu/core/package.c "$work/package.c" && ! same_steps "$work/package.c" \
		>"$work/drift" &&
		grep -q "[: ]$2\b" "$work/drift" || { cat "$work/drift"; false; }
}
check "found: a step that is left out" drift '/^bool pmu_shared_halt/,/^}/{/wait_for_others/d}' \
	pmu_shared_halt
check "found: two steps that are swapped" \
	drift '/^static void serve_complete/,/^}/{/close_round();/{h;d};/serve(driver, overflowed);/{G}}' serve_complete
check "found: another atomic operation" \
	drift 's/fetch_and(&pmu_shared()->inside, ~this_bit()/store_n(\&pmu_shared()->inside, 0/' \
	interrupt
check "found: a new function that changes the round" drift \
	'$a static void reopen(void)\n{\n\t__atomic_store_n(\&pmu_shared()->round, 0, __ATOMIC_SEQ_CST);\n}' reopen

#
# The protocol. Processes that wait for a handler (provided) exclude partial order reduction.
#

# proves NAME RUN OPTIONS: no property fails.
proves() {
	search "$2" "$3" "-DSAFETY -DNOREDUCE" "-m5000000 -w24"
	check "$1" sound
}
# shows NAME RUN OPTIONS SCENARIO...: no property fails, and these scenarios occur.
shows() {
	search "$2" "-DPROBES $3" "-O0 -DSAFETY -DNOREDUCE" "-m1000000 -w24 -c0"
	name=$1
	shift 3
	check "$name: $*" fails "$@"
}

shows "two CPUs start and stop the counter" calls "-DCPUS=2" \
	arrive_too_late arrive_while_locked call_ends_round signalled_in_its_handler
shows "two counters" counters "-DCPUS=2 -DCOUNTERS=2 -DOTHERS=NOTHING" \
	arrive_too_late arrive_while_locked both_overflow call_ends_round signalled_in_its_handler
proves "three CPUs, of which one stops the counter" three "-DCPUS=3 -DCALLS=STOP -DOTHERS=NOTHING"
proves "three CPUs, of which one leaves" three-leave "-DCPUS=3 -DCALLS=LEAVE -DOTHERS=NOTHING"
proves "sessions open and close" open "-DCPUS=2 -DCALLS=OPEN+CLOSE+START -DOTHERS=START+STOP"
shows "a running counter is read" read "-DCPUS=2 -DCALLS=READ -DOTHERS=START+STOP" \
	arrive_too_late arrive_while_locked call_ends_round overflow_in_a_read \
	signalled_in_its_handler
shows "a CPU joins and leaves" join "-DCPUS=2 -DCALLS=START -DOTHERS=BEGIN+LEAVE" \
	arrive_too_late arrive_while_locked call_ends_round join_in_a_round leave_in_a_round \
	signalled_after_it_left \
	signalled_in_its_handler
proves "both CPUs begin anew, join and leave" anew \
	"-DCPUS=2 -DCALLS=BEGIN+LEAVE -DOTHERS=BEGIN+LEAVE+START"
shows "a CPU masks its interrupt" mask "-DCPUS=2 -DCALLS=MASK -DOTHERS=START+STOP" \
	arrive_too_late arrive_while_locked call_ends_round signalled_in_its_handler \
	signalled_while_masked
shows "the interrupt is an NMI" nmi "-DCPUS=2 -DNMI=true -DCALLS=START+STOP+MASK -DOTHERS=NOTHING" \
	arrive_too_late arrive_while_locked call_ends_round nmi_in_a_call nmi_in_an_arrival \
	signalled_in_its_handler \
	signalled_while_masked
proves "an NMI, and another CPU starts and stops meanwhile" nmi-others \
	"-DCPUS=2 -DNMI=true -DCALLS=MASK -DOTHERS=START+STOP"

# lives RUN OPTIONS
lives() {
	search "$1" "$2 -DCPUS=2 -DOTHERS=NOTHING -DLIVENESS" "-O0 -DNOREDUCE -DNFAIR=3" \
		"-m1000000 -w22 -a -f"
}
lives live ""
check "the lock is eventually released, and overflows are served" served
lives live-nmi "-DNMI=true"
check "also with NMIs" served

#
# Without a step, or with a step too late
#

# without NAME PROPERTY OPTIONS: this property fails.
without() {
	search "$(echo "$3" | tr -d ' -')" "-DCPUS=2 $3" "-O0 -DSAFETY -DNOREDUCE" "-m5000000 -w22"
	check "$1: not $2" finds "$2"
}
without "a change that does not halt the counters" sampled_once -DWITHOUT=HALT
without "a change that does not close the round" sampled_once -DWITHOUT=END
without "a change that does not wait for interrupts" alone -DWITHOUT=WAIT
without "an interrupt that does not mark that it is inside" alone -DWITHOUT=ENTER
without "an owner of the lock that does not look after the release" served -DWITHOUT=LOOK
without "an owner of the lock that looks before the release" served -DLATE=LOOK
without "no second look with the lock" accounted -DWITHOUT=AGAIN
without "no look for a signal after the unmask" served "-DWITHOUT=UNMASKED -DCALLS=MASK"
without "a signal's bit cleared after the service" served -DLATE=CLEAR
without "counters that run before the next round begins" served -DLATE=NEXT
without "a CPU that begins and cannot be signalled at first" served \
	"-DLATE=LISTEN -DCALLS=START -DOTHERS=BEGIN+LEAVE"
without "a CPU that leaves and does not look" served "-DWITHOUT=LEFT -DCALLS=LEAVE"
without "calls without the lock" closed -DWITHOUT=LOCK
without "an overflowed counter that is not read again" exact "-DWITHOUT=REREAD -DCALLS=READ"
without "an arrival that does not check for an NMI's arrival" sampled_once \
	"-DWITHOUT=OWN -DNMI=true -DOTHERS=NOTHING"
without "an NMI that clears the bit of the look that it interrupts" alone \
	"-DWITHOUT=NESTED -DNMI=true -DCALLS=MASK -DOTHERS=START+STOP"
without "an arrival that does not check the round's number" sampled_once \
	"-DWITHOUT=NUMBER -DNMI=true -DCALLS=MASK -DOTHERS=START+STOP"
without "a call that serves one round at most" served "-DTURNS=1 -DNMI=true -DOTHERS=NOTHING"
lives wait "-DNMI=true -DWITHOUT=TRY"
check "an interrupt that waits for the lock: never served" never_served

# An arrival in a closed round does no harm: the call waits for it before it changes a counter.
proves "an arrival need not check whether its round is closed" check \
	"-DCPUS=2 -DWITHOUT=CHECK -DNMI=true -DCALLS=START+STOP+MASK -DOTHERS=NOTHING"
done_checking
