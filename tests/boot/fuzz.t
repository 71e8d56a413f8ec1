#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A kernel that does anything, by a seed (guests/fuzz.c), ends under the monitor as on the bare machine, and has found
# the same there. In FUZZ_GUEST_SECONDS as many seeds as there is time for, from FUZZ_GUEST_SEED on (`make fuzz`); else
# the same few every time.
. tests/tap.sh
. tests/boot/guests.sh
use_monitor
build fuzz

# fuzz SEED STEPS CPUS
fuzz() {
	set -- SMP="$3" APPEND="$1 $2$([ "$3" -eq 1 ] || echo ' several')" TIMEOUT=600
	guest fuzz "$@"
	ended 0 && of_guest >"$work/monitored" && run - "$work/fuzz" "$@" && ended 0 && of_guest >"$work/bare" &&
		grep -q '^ok 01' "$work/bare" && diff "$work/bare" "$work/monitored"
}
if [ -z "${FUZZ_GUEST_SECONDS:-}" ]; then
	check "seed 1" fuzz 1 2000 1
	check "seed 2" fuzz 2 2000 1
	check "seed 3, two CPUs" fuzz 3 1000 2
else
	seed=${FUZZ_GUEST_SEED:-$(date +%s)} end=$(($(date +%s) + FUZZ_GUEST_SECONDS))
	while [ "$(date +%s)" -lt "$end" ]; do
		cpus=$((seed % 2 + 1))
		check "seed $seed, CPUs: $cpus" fuzz "$seed" 3000 $cpus
		seed=$((seed + 1))
	done
fi
done_checking
