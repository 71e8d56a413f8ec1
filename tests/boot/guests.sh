# SPDX-License-Identifier: BSD-2-Clause
# Builds the guests of tests/boot/guests and boots them on QEMU with the PMU, and on the bare
# machine, without it. Source it after tap.sh.
. tests/qemu.sh
use_qemu qemu-system-x86_64
guests=tests/boot/guests
unset GUEST APPEND INITRD SMP MEM FAULT MACHINE CLOCK ICOUNT OVERCOUNT BATCH QEMU_ARGS TIMEOUT BARE

# build NAME [OPTIONS]: compiles the guest of that name into $work.
build() {
	name=$1
	shift
	$guests/build "$name" "$work/$name" "$@"
}

# guest NAME [VARIABLE=VALUE...]: boots a built guest. bare NAME ...: without the PMU.
guest() {
	name=$1
	shift
	capture env TIMEOUT=300 GUEST="$work/$name" "$@" tools/run-guest "$TARGET"
}
bare() {
	guest "$@" BARE=1
}

# The guest's own output, without paths of files.
of_guest() {
	grep -v -e '^palmon:' -e '^$' "$work/out" | sed "s|$work|.|g"
}

# passes NAME [VARIABLE=VALUE...]: builds the guest if it is not built yet. All checks pass, the plan
# has their number, and the guest ends with value 0 (success).
passes() {
	[ -x "$work/$1" ] || build "$1" || return
	guest "$@" || return
	ended 0 && ! grep '^not ok' "$work/out" && says "^1\.\.0*$(grep -c '^ok ' "$work/out")\$"
}

# both NAME [VARIABLE=VALUE...]: it passes, and the bare machine prints the same lines.
both() {
	passes "$@" && of_guest >"$work/with" && bare "$@" && of_guest >"$work/bare" && ended 0 &&
		diff "$work/bare" "$work/with"
}
