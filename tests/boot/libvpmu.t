#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The library's example hypervisor on SVM: the same guests pass under it as under the monitor, and find the same.
. tests/tap.sh
. tests/boot/guests.sh

make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" guest-image example-image >/dev/null ||
	{ echo 'Bail out! no image'; exit 1; }
EXAMPLE=$BUILD/$TARGET/example
EXAMPLE_OBJECT=$BUILD/$TARGET/hal/vpmu/library/example/svm.o
unset GUEST APPEND INITRD SMP

# Its PMU is the library: of the monitor's functions it has none, and of the library those with public names.
nothing_else() {
	nm "$EXAMPLE.elf" | awk '{ print $NF }' >"$work/names"
	grep -qx vpmu_core_headroom "$work/names" && ! grep -xE 'svm_exit|svm_prepare_entry|hal_emulate|run_token_.*' \
		"$work/names" && nm -u "$EXAMPLE_OBJECT" | awk '/vpmu/ { print $2 }' >"$work/used" &&
		[ "$(wc -l <"$work/used")" -gt 10 ] && while read -r name; do
			grep -qw "$name" hal/vpmu/library/palmon/vpmu.h || { echo "$name"; return 1; }
		done <"$work/used"
}
check "it has nothing of the monitor's, and uses public functions" nothing_else

# The guest's lines of the last run but measurements, and without the numbers of its checks.
found() {
	of_guest | grep -v -e '^example:' -e '^#' -e 'EBX:' | sed 's/^\(ok\|not ok\) [0-9]* - /\1 - /'
}

# same NAME [VARIABLE=VALUE...]: all checks are good under the example, whose vPMU has moved meanwhile, and each of
# them, with the same words, under the monitor.
same() {
	MONITOR=$EXAMPLE.multiboot
	passes "$@" && says '^example: the vPMU has moved$' && found >"$work/example" &&
		cp "$work/out" "$work/out-example" || return
	MONITOR=$BUILD/$TARGET/guest.multiboot
	guest "$@" && found >"$work/monitored" && diff "$work/example" "$work/monitored"
}
check "counters: identification, reset, exact counts, overflow, levels, access" same counters APPEND=no-branches
check "the overflow interrupt: vector, NMI, masks, freezing, halts, levels" same pmi APPEND=no-branches
check "the hypervisor is out of sight" same hidden

costs() {
	same access && paste -d: "$work/out-example" "$work/out" |
		sed -n 's/^# \(.*\), ticks: \([0-9]*\):#.*ticks: \([0-9]*\)$/# \1: \2 ticks, under the monitor \3/p' \
		>"$work/costs" && [ "$(wc -l <"$work/costs")" -eq 4 ]
}
check "accesses and an overflow, to the instruction" costs
cat "$work/costs"

MONITOR=$EXAMPLE.multiboot
same_each_time() {
	guest pmi APPEND=no-branches && cp "$work/out" "$work/first" && guest pmi APPEND=no-branches &&
		diff "$work/first" "$work/out"
}
check "two runs are the same" same_each_time

one_cpu() {
	guest hidden SMP=2 && false
	ended 4 && says 'the example has one CPU'
}
check "a second CPU is refused" one_cpu
by_make() {
	capture make --no-print-directory BUILD="$BUILD" example GUEST="$work/access"
	ended 0 && says '^ok 04 - WRMSR of a select$'
}
check "make example boots a guest under it" by_make
done_checking
