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

# proves RUN OPTIONS: no property fails.
proves() {
	search "$1" "$2" "-DSAFETY -DNOREDUCE" "-m5000000 -w24"
	sound
}
# shows RUN OPTIONS SCENARIO...: no property fails, and these scenarios occur.
shows() {
	search "$1" "-DPROBES $2" "-O0 -DSAFETY -DNOREDUCE" "-m500000 -w20 -c0"
	shift 2
	fails "$@"
}

check "two CPUs start and stop the counter" shows calls "-DCPUS=2" \
	arrive_too_late arrive_while_locked call_ends_round signalled_in_its_handler
long "two counters" shows counters "-DCPUS=2 -DCOUNTERS=2 -DOTHERS=NOTHING" \
	arrive_too_late arrive_while_locked both_overflow call_ends_round signalled_in_its_handler
long "three CPUs, of which one stops the counter" proves three "-DCPUS=3 -DCALLS=STOP -DOTHERS=NOTHING"
long "three CPUs, of which one leaves" proves three-leave "-DCPUS=3 -DCALLS=LEAVE -DOTHERS=NOTHING"
long "sessions open and close" proves open "-DCPUS=2 -DCALLS=OPEN+CLOSE+START -DOTHERS=START+STOP"
check "a running counter is read" shows read "-DCPUS=2 -DCALLS=READ -DOTHERS=START+STOP" \
	arrive_too_late arrive_while_locked call_ends_round overflow_in_a_read \
	signalled_in_its_handler
check "a CPU joins and leaves" shows join "-DCPUS=2 -DCALLS=START -DOTHERS=BEGIN+LEAVE" \
	arrive_too_late arrive_while_locked call_ends_round join_in_a_round leave_in_a_round \
	signalled_after_it_left \
	signalled_in_its_handler
long "both CPUs begin anew, join and leave" proves anew \
	"-DCPUS=2 -DCALLS=BEGIN+LEAVE -DOTHERS=BEGIN+LEAVE+START"
check "a CPU masks its interrupt" shows mask "-DCPUS=2 -DCALLS=MASK -DOTHERS=START+STOP" \
	arrive_too_late arrive_while_locked call_ends_round signalled_in_its_handler \
	signalled_while_masked
check "the interrupt is an NMI" shows nmi "-DCPUS=2 -DNMI=true -DCALLS=START+STOP+MASK -DOTHERS=NOTHING" \
	arrive_too_late arrive_while_locked call_ends_round nmi_in_a_call nmi_in_an_arrival \
	signalled_in_its_handler \
	signalled_while_masked
long "an NMI, and another CPU starts and stops meanwhile" proves nmi-others \
	"-DCPUS=2 -DNMI=true -DCALLS=MASK -DOTHERS=START+STOP"

# lives RESULT RUN OPTIONS: RESULT is served or never_served.
lives() {
	search "$2" "$3 -DCPUS=2 -DOTHERS=NOTHING -DLIVENESS" "-O0 -DNOREDUCE -DNFAIR=3" \
		"-m300000 -w22 -a -f"
	"$1"
}
check "the lock is eventually released, and overflows are served" lives served live ""
long "also with NMIs" lives served live-nmi "-DNMI=true"

#
# Without a step, or with a step too late. For each property, one such change is checked always.
#

# without PROPERTY OPTIONS [DEPTH]: this property fails.
without() {
	search "$(echo "$2" | tr -d ' -')" "-DCPUS=2 $2" "-O0 -DSAFETY -DNOREDUCE" "-m${3:-300000} -w20"
	finds "$1"
}
check "a change that does not halt the counters" without sampled_once -DWITHOUT=HALT
long "a change that does not close the round" without sampled_once -DWITHOUT=END
check "a change that does not wait for interrupts" without alone -DWITHOUT=WAIT
long "an interrupt that does not mark that it is inside" without alone -DWITHOUT=ENTER
check "an owner of the lock that does not look after the release" without served -DWITHOUT=LOOK
long "an owner of the lock that looks before the release" without served -DLATE=LOOK
check "no second look with the lock" without accounted -DWITHOUT=AGAIN
long "no look for a signal after the unmask" without served "-DWITHOUT=UNMASKED -DCALLS=MASK"
long "a signal's bit cleared after the service" without served -DLATE=CLEAR
long "counters that run before the next round begins" without served -DLATE=NEXT
long "a CPU that begins and cannot be signalled at first" without served \
	"-DLATE=LISTEN -DCALLS=START -DOTHERS=BEGIN+LEAVE"
long "a CPU that leaves and does not look" without served "-DWITHOUT=LEFT -DCALLS=LEAVE"
check "calls without the lock" without closed -DWITHOUT=LOCK
check "an overflowed counter that is not read again" without exact "-DWITHOUT=REREAD -DCALLS=READ"
long "an arrival that does not check for an NMI's arrival" without sampled_once \
	"-DWITHOUT=OWN -DNMI=true -DOTHERS=NOTHING"
long "an NMI that clears the bit of the look that it interrupts" without alone \
	"-DWITHOUT=NESTED -DNMI=true -DCALLS=MASK -DOTHERS=START+STOP" 2000000
long "an arrival that does not check the round's number" without sampled_once \
	"-DWITHOUT=NUMBER -DNMI=true -DCALLS=MASK -DOTHERS=START+STOP" 2000000
long "a call that serves one round at most" without served "-DTURNS=1 -DNMI=true -DOTHERS=NOTHING"
check "an interrupt that waits for the lock: never served" lives never_served wait "-DNMI=true -DWITHOUT=TRY"

# An arrival in a closed round does no harm: the call waits for it before it changes a counter.
long "an arrival need not check whether its round is closed" proves check \
	"-DCPUS=2 -DWITHOUT=CHECK -DNMI=true -DCALLS=START+STOP+MASK -DOTHERS=NOTHING"
done_checking
