#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A kernel that does anything, by a seed (guests/fuzz.c), ends with the PMU as on the bare machine, and has found the
# same there. In FUZZ_GUEST_SECONDS as many seeds as there is time for, from FUZZ_GUEST_SEED on (`make fuzz`); else the
# same few every time.
. tests/tap.sh
. tests/boot/guests.sh
build fuzz || echo "# the guest cannot be built"

# fuzz SEED STEPS CPUS: the bare machine first. Where that goes nowhere, the guest must go nowhere with the PMU either,
# and have found the same as far as both have come.
fuzz() {
	set -- SMP="$3" APPEND="$1 $2$([ "$3" -eq 1 ] || echo ' several')"
	bare fuzz "$@" TIMEOUT=20
	of_guest >"$work/bare"
	if [ "$status" -eq 124 ]; then
		guest fuzz "$@" TIMEOUT=60
		ended 124 && of_guest >"$work/with" && begin_alike "$work/bare" "$work/with"
	else
		ended 0 && grep -q '^ok 01' "$work/bare" && guest fuzz "$@" TIMEOUT=600 && ended 0 &&
			of_guest >"$work/with" && diff "$work/bare" "$work/with"
	fi
}

# begin_alike FILE FILE: of the steps that are reported in both, all are the same.
begin_alike() {
	for file in "$@"; do
		grep -E '^# [0-9]+ steps: 0x[0-9A-F]+$' "$file" >"$file.steps"
	done
	paste -d'|' "$1.steps" "$2.steps" |
		awk -F'|' '$1 != "" && $2 != "" && $1 != $2 { print; differ = 1 } END { exit differ }'
}
if [ -z "${FUZZ_GUEST_SECONDS:-}" ]; then
	check "seed 1" fuzz 1 2000 1
	check "seed 2" fuzz 2 2000 1
	check "seed 3, two CPUs" fuzz 3 1000 2
	check "seed 1795764533, two CPUs" fuzz 1795764533 500 2
else
	seed=${FUZZ_GUEST_SEED:-$(date +%s)} end=$(($(date +%s) + FUZZ_GUEST_SECONDS))
	while [ "$(date +%s)" -lt "$end" ]; do
		cpus=$((seed % 2 + 1))
		check "seed $seed, CPUs: $cpus" fuzz "$seed" 3000 $cpus
		seed=$((seed + 1))
	done
fi
done_checking
