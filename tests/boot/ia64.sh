# SPDX-License-Identifier: BSD-2-Clause
# For tests of the emulated ia64 machine, sourced after tap.sh: programs of tests/boot/ia64.

MACHINE=$BUILD/host/ia64-machine
PMU=$(awk '$2 == "ia64" { print $1 }' pmu/targets.tab)

# build PROGRAM: assembles $work/PROGRAM. Warnings of the assembler are errors.
build() {
	ia64-linux-gnu-as -I tests/boot/ia64 -o "$work/$1.o" "tests/boot/ia64/$1.s" \
		2>"$work/$1.log" || return
	cat "$work/$1.log"
	[ ! -s "$work/$1.log" ] || return
	ia64-linux-gnu-ld -Ttext=0x100000 -Tdata=0x180000 --section-start=.vectors=0x18000 \
		-o "$work/$1" "$work/$1.o"
}
