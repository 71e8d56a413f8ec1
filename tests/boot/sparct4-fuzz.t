#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nothing that a SPARC guest does crashes QEMU. Random code from a seed, in all privilege modes
# (guests/sparc64/fuzz.c), has the same results with the PMU as without, whether it counts or not.
# Code that also accesses the PMU at random must only reach its end. FUZZ_GUEST_SECONDS=N runs as
# many seeds as N seconds allow, starting with FUZZ_GUEST_SEED (`make fuzz`); otherwise the same
# seeds run every time, without EXTRA one of them.
. tests/tap.sh
. tests/qemu.sh
TARGET=sparct4
use_qemu qemu-system-sparc64
tools/setup image-sparc64 >/dev/null
tests/boot/guests/sparc64/build "$work/prom" || { echo 'Bail out! the guest cannot be built'; exit \
	1; }

# guest TREE SEED STEPS WAY: the guest reaches its end.
guest() {
	tree=$1
	shift
	capture env TIMEOUT=300 BUILD="$(realpath "$BUILD")" "$tree/tools/run-image" sparct4 \
		"$work/prom" "$@"
	ended 0 && says '^ok 1 - '
}
# A source tree whose machine has no plugin.
bare=$work/bare
mkdir -p "$bare/tools" "$bare/pmu" "$bare/hal/emu/qemu"
cp tools/run-image tools/qemu "$bare/tools/"
cp pmu/targets.tab "$bare/pmu/"
sed 's/-plugin \$plugin//' hal/emu/qemu/machine >"$bare/hal/emu/qemu/machine"

alike() {
	guest "$bare" "$@" && cp "$work/out" "$work/first" && guest . "$@" &&
		diff "$work/first" "$work/out"
}
wild() {
	guest . "$@" 2
}

if [ -z "${FUZZ_GUEST_SECONDS:-}" ]; then
	idle() {
		alike "$1" 1000 0 && cp "$work/out" "$work/idle"
	}
	differ() {
		guest . 2 1000 0 && [ -s "$work/idle" ] && ! diff "$work/idle" "$work/out"
	}
	check "seed 1, with an idle PMU: as without it" idle 1
	check "another seed differs" differ
	check=check	# of the first seed
	for seed in 1 2 3; do
		[ $seed -eq 1 ] || $check "seed $seed, with an idle PMU: as without it" idle $seed
		$check "seed $seed, while counters count: as without it" alike $seed 1000 1
		$check "seed $seed, with random accesses to the PMU: it reaches its end" wild $seed \
			1000
		check=long
	done
else
	seed=${FUZZ_GUEST_SEED:-$(date +%s)} end=$(($(date +%s) + FUZZ_GUEST_SECONDS))
	while [ "$(date +%s)" -lt "$end" ]; do
		case $((seed % 3)) in
		0) check "seed $seed, idle" alike $seed 5000 0 ;;
		1) check "seed $seed, counting" alike $seed 5000 1 ;;
		2) check "seed $seed, random PMU accesses" wild $seed 5000 ;;
		esac
		seed=$((seed + 1))
	done
fi
done_checking
