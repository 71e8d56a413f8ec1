# SPDX-License-Identifier: BSD-2-Clause
# Guests of tests/boot/guests: building and booting them on QEMU with the PMU, and on the bare machine, without it. To be
# sourced behind tap.sh.
. tests/qemu.sh
use_qemu qemu-system-x86_64
guests=tests/boot/guests
unset GUEST APPEND INITRD SMP MEM FAULT MACHINE CLOCK ICOUNT OVERCOUNT BATCH QEMU_ARGS TIMEOUT BARE

# build NAME [OPTIONS]: the guest of that name, to $work.
build() {
	name=$1
	shift
	$guests/build "$name" "$work/$name" "$@"
}

# guest NAME [VARIABLE=VALUE...]: boots a guest that has been built. bare NAME ...: without the PMU.
guest() {
	name=$1
	shift
	capture env TIMEOUT=300 GUEST="$work/$name" "$@" tools/run-guest "$TARGET"
}
bare() {
	guest "$@" BARE=1
}

# What the guest itself has printed, without where files are.
of_guest() {
	grep -v -e '^palmon:' -e '^$' "$work/out" | sed "s|$work|.|g"
}

# passes NAME [VARIABLE=VALUE...]: all its checks are good, it says how many, and ends with value 0, which is success.
passes() {
	build "$1" && guest "$@" || return
	ended 0 && ! grep '^not ok' "$work/out" && says "^1\.\.0*$(grep -c '^ok ' "$work/out")\$"
}

# both NAME [VARIABLE=VALUE...]: it passes, and its lines are those of the bare machine.
both() {
	passes "$@" && of_guest >"$work/with" && bare "$@" && of_guest >"$work/bare" && ended 0 &&
		diff "$work/bare" "$work/with"
}
