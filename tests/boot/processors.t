#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The CPUs that the image finds: machines of one to 200 CPUs, in cores and packages, with and
# without ACPI. If the package has more CPUs than the image uses, it says so; the self test passes
# on each machine. unit/hal/test_madt.c has tables of all kinds.
. tests/tap.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

# finds SMP LINE [CHANGE]: the image reports LINE on a machine with these CPUs. The run ends soon,
# because there is no PMU.
finds() {
	machine=$(echo "$command" |
		sed "s/-smp [^ ]*/-smp $1/; s/-icount [^ ]*//; s/-plugin [^ ]*//; ${3:-}")
	capture timeout 300 $machine \
		-kernel "$IMAGE.img" -append run=selftest
	ended "$failure" && says "^palmon: CPUs: $2\$"
}
check "one" finds 1 '1, packages: 1; of this one, CPUs: 1, cores: 1; used at most: 1'
check "two threads of a core" finds 2,cores=1,threads=2 \
	'2, packages: 1; of this one, CPUs: 2, cores: 1; used at most: 2'
check "three cores, with a gap in the identities after them" finds 6,sockets=2,cores=3,threads=1 \
	'6, packages: 2; of this one, CPUs: 3, cores: 3; used at most: 3'
long "more than are used" finds 16,sockets=1,cores=8,threads=2 \
	'16, packages: 1; of this one, CPUs: 16, cores: 8; used at most: 4, the others stop'
check "two packages" finds 8,sockets=2,cores=2,threads=2 \
	'8, packages: 2; of this one, CPUs: 4, cores: 2; used at most: 4'
check "200" finds 200,sockets=2,cores=50,threads=2 \
	'200, packages: 2; of this one, CPUs: 100, cores: 50; used at most: 4, the others stop' \
	's/-M pc/-M q35/'

# passes SMP SKIPPED [CHANGE]: the self test passes and skips SKIPPED checks.
passes() {
	capture timeout 300 $(echo "$command" | sed "s/-smp [^ ]*/-smp $1/; ${3:-}") \
		-kernel "$IMAGE.img" \
		-append run=selftest
	ended "$success" && says '^# all checks passed$' &&
		[ "$(grep -c '^ok .* # SKIP' "$work/out")" -eq "$2" ]
}
# Two checks need the core's other thread.
check "the self test on one" passes 1 2
long "on three" passes 3,sockets=1,cores=3 2
check "on six, of which four are used" passes 6,sockets=1,cores=3,threads=2 0
long "on a package of two" passes 8,sockets=2,cores=2,threads=2 0
# more THREADS: asks for more threads than the machine's two CPUs.
more() {
	capture timeout 300 $(echo "$command" | sed "s/-smp [^ ]*/-smp 2,cores=2/") \
		-kernel "$IMAGE.img" \
		-append "run=session threads=$1"
	ended "$failure" &&
		says "^palmon: status 1 \\(session failed: threads=$1: this machine has 2\\)$"
}
check "three threads on two" more 3
without_acpi() {
	passes 4,cores=2,threads=2 0 's/-M pc/-M pc,acpi=off/' && ! says '^palmon: CPUs: '
}
check "without ACPI no table lists the CPUs: the image probes those of its package" without_acpi
done_checking
