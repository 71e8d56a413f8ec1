#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/new-pmu, in a copy of the tree: a new target builds, is listed, and passes the self test
# that all PMUs share, also with other numbers of counters and bits, which are defined in one place.
. tests/tap.sh

tree=$work/tree
copy() {
	mkdir -p "$tree/build" || return
	tar -cf - --exclude=./.git --exclude=./build --exclude="./${BUILD%%/*}" . |
		tar -xf - -C "$tree" || return
	cp -a "$BUILD/host" "$BUILD/evtab" "$BUILD/metrictab" "$BUILD/profiletab" "$tree/build/"
}
check "a copy of the tree" copy

new_pmu() {
	capture "$tree/tools/new-pmu" "$@"
	ended 0
}
build() {
	capture make --no-print-directory -C "$tree" BUILD=build host
	ended 0
}
palmon() {
	capture timeout 120 "$tree/build/host/palmon" "$@"
}

# listed NAME COUNTERS WIDTH: palmon targets prints them.
listed() {
	palmon targets
	ended 0 && says "^$1 +.* $2 +$3\$"
}
# passes NAME LAST: all self-test checks pass, some of them for the highest counter, LAST.
passes() {
	palmon selftest -t "$1"
	ended 0 && says "^ok .*$2 \(" && [ "$(grep -c '^ok ' "$work/out")" -gt 100 ] &&
		! grep '^not ok' "$work/out"
}
events() {
	palmon encode -t trial RETIRED:u
	ended 0 && says '^SELECT0 +0x140 +0x0*502$'
}
check "a target is made" new_pmu trial
check "it builds" build
check "it is listed" listed trial 0-3 40
check "it passes the self test" passes trial COUNTER3
check "its events are encoded" events

change() {
	sed -i 's/^#define TRIAL_COUNTERS.*/#define TRIAL_COUNTERS 7/
		s/^#define TRIAL_WIDTH.*/#define TRIAL_WIDTH 33/' "$tree/pmu/trial/regs.h"
}
change
check "with 7 counters of 33 bits it builds" build
check "it is listed with 7 counters of 33 bits" listed trial 0-6 33
check "it passes the self test with 7 counters" passes trial COUNTER6

# The self test can fail: this model does not record overflows in its status.
forgets() {
	sed -i 's/|= wrapped;/|= wrapped \& 1;/' "$tree/pmu/trial/model.c" && build &&
		palmon selftest -t trial
	[ "$status" -eq 1 ] && says '^not ok .* overflow sets the status of COUNTER1 '
}
check "a model that loses an overflow fails the self test" forgets

check "a target is made from another target" new_pmu other knc
check "the second target builds" build
check "the second target is listed" listed other 0-1 40
check "the second target passes the self test of the original's model" passes other IA32_PERFCNTR1

# refuses PATTERN ARGUMENT...: new-pmu prints a message and makes nothing.
refuses() {
	pattern=$1
	shift
	ls "$tree/pmu" >"$work/before"
	cp "$tree/pmu/targets.tab" "$work/targets"
	capture "$tree/tools/new-pmu" "$@"
	ended 2 && says "$pattern" && ls "$tree/pmu" | diff "$work/before" - &&
		cmp "$work/targets" "$tree/pmu/targets.tab"
}
check "refused: an existing name" refuses "there is a folder pmu/knc already" knc
check "refused: an invalid name" refuses "'My PMU': a name is of small letters" 'My PMU'
check "refused: a long name" refuses "at most 20 characters" a-name-of-22-characters
check "refused: a copy of an unknown target" refuses \
	"there is no target 'pentium'; targets are: nehalem" mine pentium
check "refused: no argument" refuses '^usage: tools/new-pmu NAME \[FROM\]'
done_checking
