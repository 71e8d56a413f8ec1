#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Some of GCC's own test programs end on the emulated ia64 machine as they should: each 80th, with
# EXTRA=1 each tenth. Newer releases of GCC have more of them. `make torture` runs all.
. tests/tap.sh
step=80 number='2[0-2]'
[ -z "${EXTRA:-}" ] || step=10 number='1[67][0-9]'

programs=$BUILD/check/torture
mkdir -p "$programs"

level() {
	capture env BUILD="$BUILD" JOBS=1 tests/torture/run -s $step "$programs" "$1"
	ended 0 && says "^$1: $number programs: .* 0 otherwise$"
}
for optimized in -O0 -O2 -O3; do
	check "each ${step}th program at $optimized" level "$optimized"
done

fails() {
	echo 'int main(void) { return 1; }' >"$programs/gcc.c-torture/execute/fails.c"
	capture env BUILD="$BUILD" tests/torture/run "$programs" -O2 fails
	rm "$programs/gcc.c-torture/execute/fails.c"
	ended 1 && says '^fails: status-1$'
}
check "a program that fails is named" fails
done_checking
