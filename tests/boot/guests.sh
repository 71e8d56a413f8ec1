# SPDX-License-Identifier: BSD-2-Clause
# Guests of tests/boot/guests: building and booting them under the image $MONITOR. To be sourced behind tap.sh.

guests=tests/boot/guests

# The monitor for guests, as it is made here, and none of run-guest's variables but those that a test gives.
use_monitor() {
	make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" guest-image >/dev/null ||
		{ echo 'Bail out! no image'; exit 1; }
	MONITOR=$BUILD/$TARGET/guest.multiboot
	unset GUEST APPEND INITRD SMP MEM EXACT QEMU_ARGS TIMEOUT
}

# build NAME [OPTIONS]: the guest of that name, to $work.
build() {
	name=$1
	shift
	$guests/build "$name" "$work/$name" "$@"
}

# run IMAGE KERNEL [VARIABLE=VALUE...]: boots a kernel under this monitor, or on the bare machine (-). guest NAME ...: a
# guest that has been built, under $MONITOR.
run() {
	image=$1 kernel=$2
	shift 2
	capture env TIMEOUT=300 GUEST="$kernel" "$@" tools/run-guest "$TARGET" "$image"
}
guest() {
	name=$1
	shift
	run "$MONITOR" "$work/$name" "$@"
}

# What the guest itself has printed, without where files are.
of_guest() {
	grep -v -e '^palmon:' -e '^$' "$work/out" | sed "s|$work|.|g"
}

# passes NAME: all its checks are good, it says how many, and ends with value 0, which is success.
passes() {
	build "$1" && guest "$@" || return
	ended 0 && ! grep '^not ok' "$work/out" && says "^1\.\.0*$(grep -c '^ok ' "$work/out")\$"
}

# extract_linux KERNEL FILE: a bzImage's payload, which is compressed by xz and followed by its size (Linux,
# Documentation/x86/boot.rst). As a guest the kernel would decompress itself, for some seconds.
extract_linux() {
	field() {
		od -An "-tu$2" -j"$(($1))" -N"$2" "$kernel"
	}
	kernel=$1
	tail -c +$((($(field 0x1F1 1) + 1) * 512 + $(field 0x248 4) + 1)) "$kernel" | head -c "$(field 0x24C 4)" |
		xz -dc --single-stream >"$2"
	[ -s "$2" ]
}
