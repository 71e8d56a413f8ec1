#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/new-pmu: in a copy of the tree, a new room builds, is listed, and passes the self test that all PMUs share; also
# with other numbers of counters and bits, which are changed in one place.
. tests/tap.sh

tree=$work/tree
copy() {
	mkdir -p "$tree/build" || return
	tar -cf - --exclude=./.git --exclude=./build --exclude="./${BUILD%%/*}" . | tar -xf - -C "$tree" || return
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

# listed NAME COUNTERS WIDTH: by palmon targets.
listed() {
	palmon targets
	ended 0 && says "^$1 +.* $2 +$3\$"
}
# passes NAME LAST: all checks, and some of the counter with the highest number.
passes() {
	palmon selftest -t "$1"
	ended 0 && says "^ok .*$2 \(" && [ "$(grep -c '^ok ' "$work/out")" -gt 100 ] && ! grep '^not ok' "$work/out"
}
events() {
	palmon encode -t trial RETIRED:u
	ended 0 && says '^SELECT0 +0x140 +0x0*502$'
}
check "a room is made" new_pmu trial
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
check "it is listed so" listed trial 0-6 33
check "and passes the self test" passes trial COUNTER6

# The self test can fail: of a model whose overflows are not in the status.
forgets() {
	sed -i 's/|= wrapped;/|= wrapped \& 1;/' "$tree/pmu/trial/model.c" && build && palmon selftest -t trial
	[ "$status" -eq 1 ] && says '^not ok .* overflow sets the status of COUNTER1 '
}
check "a model that forgets an overflow fails it" forgets

check "a room from another one's" new_pmu other knc
check "it builds, too" build
check "it is listed, too" listed other 0-1 40
check "and passes the self test of its model" passes other IA32_PERFCNTR1

# refuses PATTERN ARGUMENT...: nothing is made.
refuses() {
	pattern=$1
	shift
	ls "$tree/pmu" >"$work/before"
	cp "$tree/pmu/targets.tab" "$work/targets"
	capture "$tree/tools/new-pmu" "$@"
	ended 2 && says "$pattern" && ls "$tree/pmu" | diff "$work/before" - &&
		cmp "$work/targets" "$tree/pmu/targets.tab"
}
check "a name that is taken" refuses "there is a folder pmu/knc already" knc
check "a name that is none" refuses "'My PMU': a name is of small letters" 'My PMU'
check "a long one" refuses "at most 20 characters" a-name-of-22-characters
check "a target that there is not" refuses "there is no target 'pentium'; targets are: nehalem" mine pentium
check "nothing at all" refuses '^usage: tools/new-pmu NAME \[FROM\]'
done_checking
