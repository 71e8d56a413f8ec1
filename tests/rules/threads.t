#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The core with host threads as CPUs (tests/threads/core.c), under the thread sanitizer: no data
# race, and all instructions and overflows are counted.
. tests/tap.sh

targets=$(awk '!/^#/ && NF { print $1 }' pmu/targets.tab)
paths="-Ihal/include -Ihal/shim/include -Ihal/vpmu/library -Ipmu/include -Ipal/include -Iboot"

# of FILES: prints pmu/TARGET/FILES of all targets.
of() {
	for target in $targets; do ls pmu/"$target"/$1; done
}

# The machine, from the host program's objects, which have no sanitizer: on hardware, register
# accesses order no memory accesses. The linker drops the registry's unused tables.
machine() {
	objects=$(for source in hal/shim/*.c hal/vpmu/*.c pmu/engine/*.c $(models $targets); do
		echo "$BUILD/host/${source%.c}.o"
	done)
	tools/registry -d none >"$work/no_defects.c" &&
		gcc -std=gnu17 -fdata-sections $paths -r -nostdlib -o "$work/machine.o" "$work/no_defects.c" \
		"$BUILD"/host/registry.c $objects $(ls "$BUILD"/host/*-*.o)
}
# compile PROGRAM FILE: compiles the core with FILE instead of pmu/core/package.c.
compile() {
	gcc -std=gnu17 -g -O1 -Wall -Wextra -Werror -fsanitize=thread $paths -o "$work/$1" \
		-Wl,--gc-sections \
		tests/threads/core.c "$2" $(ls pmu/core/*.c | grep -v /package.c) \
		$(of 'driver*.c') \
		"$work/machine.o" -lm
}
check "the machine is compiled without the thread sanitizer" machine
check "the core is compiled with it" compile core pmu/core/package.c

# counts TARGET TURNS OVERFLOWS: runs at the addresses that the sanitizer supports, and expects this
# many overflows at least.
counts() {
	capture timeout 300 setarch -R "$work/core" "$1" "$2"
	ended 0 || return
	says "^$1: [0-9]+ instructions, all counted; " &&
		[ "$(sed -n 's/.*counted; \([0-9]*\) overflows.*/\1/p' "$work/out")" -ge "$3" ]
}
# Of the package, OVERFLOWS / 200 at least.
with_package() {
	counts nehalem "$1" "$2" &&
		[ "$(sed -n 's/.* \([0-9]*\) of the package.*/\1/p' "$work/out")" -ge $(($2 / 200)) ] &&
		says ' [1-9][0-9]* refused'
}
check "nehalem: two cores of two threads, and the package's PMU, which signals all; conflicts are refused" \
	with_package 150 100000
long "nehalem: a million overflows, each counted once" with_package 1500 1000000
check "knc: four threads of a core" counts knc 30 30000
check "sparct4: two cores, and polled memory controllers" counts sparct4 40 10000
long "knc: 100,000 overflows" counts knc 100 100000
long "sparct4: 50,000 overflows" counts sparct4 200 50000

# The test can fail: it finds a race between a CPU that starts and one that leaves.
plain() {
	sed "s/__atomic_fetch_or(&\(pmu_shared()->cpus\), this_bit(), __ATOMIC_SEQ_CST);/\1 |= this_bit();/" \
		pmu/core/package.c >"$work/package.c"
	! diff pmu/core/package.c "$work/package.c" >/dev/null &&
		compile plain "$work/package.c" || return
	capture timeout 300 setarch -R "$work/plain" nehalem 200
	ended 66 && says 'ThreadSanitizer: data race .*package.c'
}
check "a plain read-modify-write among atomic ones is found" plain
done_checking
