# SPDX-License-Identifier: BSD-2-Clause
# For tests of the PMU in QEMU 11 (hal/emu/qemu). Source it after tap.sh.

# use_qemu PROGRAM [GOAL...]: finds QEMU's program ($qemu) and builds the plugin ($plugin) and the
# goals for $TARGET. Skips the script if QEMU 11 is missing and cannot be fetched.
use_qemu() {
	qemu=$(tools/qemu "$1") || {
		skip "QEMU 11" \
			"it is missing and cannot be fetched; tools/qemu printed the reason above"
		done_checking
		exit
	}
	shift
	plugin=$BUILD/plugin/palmon-qemu.so
	flock "$BUILD" make --no-print-directory BUILD="$BUILD" TARGET="$TARGET" "$plugin" "$@" \
		>/dev/null || {
		echo "Bail out! $* cannot be built"
		exit 1
	}
}
