#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Which CPUs the image finds: on machines of one to 200, in cores and packages, with and without ACPI. Where more are
# in the package than it uses, it says so; the self test passes on each. unit/hal/test_madt.c has tables of all sorts.
. tests/tap.sh
. pmu/nehalem/machine
. hal/emu/qemu/machine

# finds SMP LINE [CHANGE]: of a machine with these CPUs; it ends as soon as it has found that there is no PMU.
finds() {
	machine=$(echo "$command" | sed "s/-smp [^ ]*/-smp $1/; s/-icount [^ ]*//; s/-plugin [^ ]*//; ${3:-}")
	capture timeout 300 $machine \
		-kernel "$IMAGE.img" -append run=selftest
	ended "$failure" && says "^palmon: CPUs: $2\$"
}
check "one" finds 1 '1, packages: 1; of this one, CPUs: 1, cores: 1; used at most: 1'
check "two threads of a core" finds 2,cores=1,threads=2 \
	'2, packages: 1; of this one, CPUs: 2, cores: 1; used at most: 2'
check "three cores, whose identities have a gap behind them" finds 6,sockets=2,cores=3,threads=1 \
	'6, packages: 2; of this one, CPUs: 3, cores: 3; used at most: 3'
check "more than are used" finds 16,sockets=1,cores=8,threads=2 \
	'16, packages: 1; of this one, CPUs: 16, cores: 8; used at most: 4, the others stop'
check "two packages" finds 8,sockets=2,cores=2,threads=2 \
	'8, packages: 2; of this one, CPUs: 4, cores: 2; used at most: 4'
check "200" finds 200,sockets=2,cores=50,threads=2 \
	'200, packages: 2; of this one, CPUs: 100, cores: 50; used at most: 4, the others stop' 's/-M pc/-M q35/'

# passes SMP SKIPPED [CHANGE]: the self test, with so many checks left out.
passes() {
	capture timeout 300 $(echo "$command" | sed "s/-smp [^ ]*/-smp $1/; ${3:-}") -kernel "$IMAGE.img" \
		-append run=selftest
	ended "$success" && says '^# all checks passed$' && [ "$(grep -c '^ok .* # SKIP' "$work/out")" -eq "$2" ]
}
check "the self test on one" passes 1 0
check "on three" passes 3,sockets=1,cores=3 0
check "on six, of which four are used" passes 6,sockets=1,cores=3,threads=2 0
check "on a package of two" passes 8,sockets=2,cores=2,threads=2 0
# more THREADS: than a machine of two CPUs has.
more() {
	capture timeout 300 $(echo "$command" | sed "s/-smp [^ ]*/-smp 2,cores=2/") -kernel "$IMAGE.img" \
		-append "run=session threads=$1"
	ended "$failure" && says "^palmon: status 1 \\(session failed: threads=$1: this machine has 2\\)$"
}
check "three threads on two" more 3
without_acpi() {
	passes 4,cores=2,threads=2 0 's/-M pc/-M pc,acpi=off/' && ! says '^palmon: CPUs: '
}
check "without ACPI: nobody says which CPUs there are; those of the package are looked for" without_acpi
done_checking
